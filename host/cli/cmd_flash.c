/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "runner.h"
#include "source.h"

#include "bench/emulator/image/settings_block.h"
#include "host/base/nearest_word.h"
#include "host/base/shell_word.h"
#include "host/flash/bitstream.h"
#include "host/flash/node_flash.h"
#include "host/procedure/suite/find_scenarios.h"
#include "host/rig/ftdi_url.h"
#include "host/rig/node_config.h"
#include "phasebench/number.h"
#include "phasebench/rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a bitstream into a board */

#define FILE_LIMIT (1 << 20)

static int check_file(const char *file)
{
    char *bytes;
    size_t size;
    const int code = cli_read_file(file, FILE_LIMIT, &bytes, &size);
    if (code != CLI_PASS)
        return code;
    const bool found = pb_flash_is_bitstream(bytes, size);
    free(bytes);
    if (!found)
        return cli_fail(CLI_BAD_SCENARIO,
                        "'%s' is no iCE40 bitstream: 7e aa 99 7e is not in its first %d bytes; make one with "
                        "'make bitstream'",
                        file, PB_FLASH_PREAMBLE_LIMIT);
    return CLI_PASS;
}

static int check_port_b(unsigned board, const struct pb_chip *chip)
{
    if (!pb_flash_port_b_clashes(board, chip))
        return CLI_PASS;
    return cli_fail(CLI_BENCH_FAILED,
                    "board %s: port B is a 245 FIFO in its EEPROM, and %s drives against it through closed "
                    "jumpers J3 to J13; open them with the power off, set port B to UART (ftdi_eeprom, "
                    "FT_PROG), then flash; for the FIFO flash icebreaker-fifo",
                    pb_chip_label(chip), pb_flash_boards[board]);
}

static int print_command(const struct pb_flash_command *command)
{
    char line[8192] = "";
    for (unsigned i = 0; command->argument[i]; i++)
        pb_shell_append(line, sizeof line, command->argument[i]);
    cli_say("%s", line);
    return cli_flush();
}

static int execute(const struct pb_flash_command *command, unsigned board, const struct pb_chip *chip)
{
    struct pb_diag diag;
    if (pb_flash_execute(command, chip, &diag))
        return cli_fail(CLI_BENCH_FAILED, "%s", diag.text);
    const char *label = pb_chip_label(chip), *mode = pb_flash_traits[board].mode;
    if (pb_flash_traits[board].module)
        cli_say("%s written; try 'phasebench selftest --rig \"ftdi:SERIAL?mode=%s\"' with the serial number "
                "of the FIFO module",
                pb_flash_boards[board], mode);
    else if (mode)
        cli_say("%s written; next set port B of the EEPROM to 245 FIFO, then close J3 to J13 with the power "
                "off, then try 'phasebench selftest --rig \"ftdi:%s?mode=%s\"'",
                pb_flash_boards[board], label, mode);
    else
        cli_say("%s written; try 'phasebench selftest --rig ftdi:%s'", pb_flash_boards[board], label);
    return cli_flush();
}

static int find_chip(struct pb_chip *chip, const struct pb_ftdi_url *url)
{
    struct pb_diag diag;
    return cli_outcome(pb_flash_find_chip(chip, &url->choice, &diag), &diag);
}

static int flash(unsigned board, const char *file, const char *rig_url, bool dry_run)
{
    struct pb_flash_command command;
    struct pb_ftdi_url url;
    struct pb_chip chip;
    struct pb_diag diag;
    if (pb_rig_target_of(rig_url).kind != PB_RIG_FTDI)
        return cli_fail(CLI_USAGE, "--rig: '%s' is no board on USB; write ftdi: or ftdi:SERIAL", rig_url);
    int code = pb_ftdi_url_parse(&url, rig_url, &diag);
    if (code)
        return cli_outcome_of("--rig", code, &diag);
    if (access(file, R_OK))
        return cli_fail(CLI_BENCH_FAILED, "cannot read '%s': %s; make it with 'make bitstream BOARD=%s'",
                        file, strerror(errno), pb_flash_boards[board]);
    code = check_file(file);
    if (code == CLI_PASS)
        code = find_chip(&chip, &url);
    if (code == CLI_PASS)
        code = check_port_b(board, &chip);
    if (code != CLI_PASS)
        return code;
    if (!pb_flash_compose(&command, board, file, &chip))
        return cli_fail(CLI_BENCH_FAILED,
                        "neither iceprog nor openFPGALoader is in PATH; install fpga-icestorm");
    return dry_run ? print_command(&command) : execute(&command, board, &chip);
}

/* ---- firmware into nodes */

struct job {
    struct pb_image *image;
    const struct pb_scenario *scenario;
    struct pb_device *device;
    unsigned port;
    bool shown;
};

static void show(void *context, const char *step, unsigned done, unsigned of)
{
    const struct job *job = context;
    if (job->shown)
        fprintf(stderr, "\r\033[Knode %u: %s %u of %u", job->port, step, done, of);
}

static int write_node(struct job *job)
{
    uint8_t settings[PB_SETTINGS_BYTES];
    char identity[128];
    struct pb_diag diag = {""};
    const struct pb_node_config config = pb_node_config_of(job->scenario, job->port);
    pb_settings_block(&config, settings);
    const struct pb_node_flash flash = {
        .device = job->device,
        .image = job->image,
        .settings = settings,
        .port = job->port,
        .console_baud_hz = config.console_baud_hz,
        .stop = runner_stop_flag(),
        .progress = show,
        .context = job,
    };
    const int code = pb_node_flash(&flash, identity, &diag);
    if (job->shown)
        fputs("\r\033[K", stderr);
    if (code)
        return cli_fail(pb_error_exit_code(code), "node port %u: %s", job->port, diag.text);
    cli_say("node port %u: written, verified, started: %s", job->port, identity);
    return CLI_PASS;
}

static int write_nodes(struct job *job, unsigned first, unsigned last)
{
    int exit_code = CLI_PASS;
    for (job->port = first; exit_code == CLI_PASS && job->port <= last; job->port++)
        exit_code = write_node(job);
    return exit_code == CLI_PASS ? cli_flush() : exit_code;
}

static int open_device(struct job *job, const char *rig_url)
{
    const struct pb_rig_options options = {.url = rig_url, .stop = runner_stop_flag()};
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    int code = pb_rig_open(&transport, &options, job->scenario, &diag);
    if (!code)
        code = pb_device_open(&job->device, transport, &diag);
    if (!code && job->scenario->node_count > pb_device_info(job->device)->nodes)
        code = pb_fail(&diag, PB_ERR_CONFIG, "the scenario has %u nodes, the core only %u node ports",
                       job->scenario->node_count, pb_device_info(job->device)->nodes);
    return cli_outcome(code, &diag);
}

/* Writes the image into every node of the scenario, or into that at one port (NULL: all), with a line for
 * each. */
static int flash_nodes(const char *image_file, const char *scenario_file, const char *rig_url,
                       const char *port, bool quiet)
{
    char path[FIND_PATH_SIZE];
    struct source source;
    struct pb_diag diag = {""};
    struct job job = {.shown = !quiet && isatty(STDERR_FILENO)};
    unsigned first = 0, last;
    const int code = pb_image_read(&job.image, image_file, &diag);
    if (code)
        return cli_outcome(code, &diag);
    int exit_code =
        source_open(&source, find_scenario(path, scenario_file), rig_url, &(struct pb_scenario_overrides){0});
    if (exit_code != CLI_PASS) {
        pb_image_destroy(job.image);
        return exit_code;
    }
    job.scenario = source.scenario;
    last = job.scenario->node_count - 1;
    if (port) {
        uint64_t number;
        if (!pb_parse_number(port, strlen(port), &number) || number > last)
            exit_code = cli_fail(CLI_USAGE, "--port: '%.40s' is no node port of the scenario; give 0 to %u",
                                 port, last);
        else
            first = last = (unsigned)number;
    }
    runner_catch_signals();
    if (exit_code == CLI_PASS)
        exit_code = open_device(&job, rig_url);
    if (exit_code == CLI_PASS)
        exit_code = write_nodes(&job, first, last);
    pb_device_close(job.device);
    source_close(&source);
    pb_image_destroy(job.image);
    return exit_code;
}

/* ---- command line */

struct request {
    const char *rig_url, *node, *port;
    bool dry_run, quiet;
};

static const struct cli_option options[] = {
    {"rig", "URL", CLI_RIG, CLI_AT(request, rig_url), .initial = "ftdi:", .words = "ftdi:",
     .help = "which board on USB, as for a run; with --node any rig"},
    {"node", "IMAGE", CLI_TEXT, CLI_AT(request, node),
     .help = "write this firmware (an ELF file for the AG32VF303) into the nodes of SCENARIO, with their "
             "settings"},
    {"port", "N", CLI_TEXT, CLI_AT(request, port),
     .help = "with --node: only the node at this port, counted from 0 in the order of the scenario"},
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, quiet), .help = "with --node: no progress on stderr"},
    {"dry-run", NULL, CLI_FLAG, CLI_AT(request, dry_run), .help = "print the command instead of running it"},
    {.name = NULL},
};

static const char *board_name(unsigned i)
{
    return i < PB_FLASH_BOARDS ? pb_flash_boards[i] : NULL;
}

const struct cli_verb verb_flash = {
    .name = "flash",
    .summary = "write a bitstream into a board, or firmware into its nodes",
    .usage = "BOARD [FILE] [options] | --node IMAGE SCENARIO [options]",
    .about =
        "Writes a bitstream into the board's flash memory with iceprog or openFPGALoader, whichever is "
        "there. BOARD is icebreaker, icebreaker-fifo, hx8k-evn, hx8k-evn-fifo, hx8k-evn-tdc, icestick or "
        "alchitry-cu. FILE is what 'make bitstream' made for it (build/bitstream/BOARD/BOARD.bin). With "
        "--node it writes firmware into the nodes of a scenario through NRST, BOOT0 and UART0: it erases "
        "the pages that the image needs, writes, reads back, compares, starts the node and asks for its "
        "identity. The address and settings of each node are those of the scenario.",
    .options = options,
    .exits =
        "0 written, 1 a node did not answer, refused, or does not hold what was written, 2 wrong usage, "
        "3 the file is no bitstream or no image, or several boards fit, 4 no board, no programmer, it "
        "failed, or port B of an iCEBreaker is a FIFO where the bitstream wants a UART, 130 interrupted",
    .examples = "  make bitstream BOARD=icebreaker && phasebench flash icebreaker\n"
                "  phasebench flash hx8k-evn --rig ftdi:1-2\n"
                "  phasebench flash --node build/ag32/node.elf my_nodes.yaml\n",
    .least = 1,
    .most = 2,
    .operand = CLI_OPERAND_FILE,
    .first = board_name,
    .run = cmd_flash,
};

int cmd_flash(int argc, char **argv)
{
    struct request request = {NULL, NULL, NULL, false, false};
    char file[64], list[120], hint[PB_HINT_SIZE];
    int exit_code;
    char **const operand = cli_parse(&verb_flash, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (request.node) {
        if (operand[1] || request.dry_run)
            return cli_fail(CLI_USAGE, "flash: --node takes one scenario, and no --dry-run");
        return flash_nodes(request.node, operand[0], request.rig_url, request.port, request.quiet);
    }
    if (request.port)
        return cli_fail(CLI_USAGE, "flash: --port chooses a node; give --node IMAGE, too");
    unsigned board = 0;
    while (board < PB_FLASH_BOARDS && strcmp(operand[0], pb_flash_boards[board]))
        board++;
    if (board == PB_FLASH_BOARDS)
        return cli_fail(CLI_USAGE, "flash: unknown board '%s'%s Known are %s", operand[0],
                        pb_hint(hint, "", operand[0], pb_flash_boards, PB_FLASH_BOARDS, "."),
                        pb_word_list(list, sizeof list, pb_flash_boards, PB_FLASH_BOARDS));
    snprintf(file, sizeof file, "build/bitstream/%s/%s.bin", pb_flash_boards[board], pb_flash_boards[board]);
    return flash(board, operand[1] ? operand[1] : file, request.rig_url, request.dry_run);
}
