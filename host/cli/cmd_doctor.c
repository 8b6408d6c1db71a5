/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "vusb.h"

#include "bench/registry/kinds.h"
#include "host/plan/fault_units.h"
#include "host/rig/board_health.h"
#include "host/usb/chips.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <libftdi1/ftdi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>
#include <zlib.h>

static bool broken; /* a FAIL was printed */
static FILE *kept;  /* gets the lines, too; NULL: there is no --out */

static void line(enum pb_health_kind health, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void line(enum pb_health_kind health, const char *what, const char *format, ...)
{
    static const char *const word[] = {
        [PB_HEALTH_OK] = "ok", [PB_HEALTH_WARN] = "warn", [PB_HEALTH_FAIL] = "FAIL"};
    static const char *const ink[] = {
        [PB_HEALTH_OK] = "\033[32m", [PB_HEALTH_WARN] = "\033[33m", [PB_HEALTH_FAIL] = "\033[31m"};
    const bool colour = cli_colour();
    va_list arguments;

    char text[2048];

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s%-4s%s  %-10s ", colour ? ink[health] : "", word[health], colour ? "\033[0m" : "", what);
    cli_say("%s", text);
    if (kept) {
        fprintf(kept, "%-4s  %-10s ", word[health], what);
        pb_form_line(kept, "%s", text);
    }
    broken |= health == PB_HEALTH_FAIL;
}

static void show(void *context, enum pb_health_kind health, const char *what, const char *text)
{
    (void)context;
    line(health, what, "%s", text);
}

static void check_program(void)
{
    line(PB_HEALTH_OK, "program", "phasebench %s, register map 0x%08x, built with %s", PB_VERSION,
         PB_MAP_HASH,
#ifdef __clang__
         "clang " __clang_version__
#else
         "gcc " __VERSION__
#endif
    );
    line(PB_HEALTH_OK, "libraries", "libyaml %s, jansson %s, zlib %s, libusb %s, libftdi1 %s",
         yaml_get_version_string(), jansson_version_str(), zlibVersion(), pb_usb_version(),
         ftdi_get_library_version().version_str);
}

static void check_sim(void)
{
    struct pb_scenario *scenario;
    struct pb_device *device = NULL;
    struct vusb vusb = {.url = NULL};
    struct pb_diag diag;

    int code = cli_demo_scenario(&scenario, NULL, &diag);
    if (!code)
        code = vusb_open(&vusb, &device, "sim:", scenario, &diag);
    if (code) {
        line(PB_HEALTH_FAIL, "rig sim:", "%s; build the program again with 'make clean all'", diag.text);
    } else {
        const struct pb_device_info *info = pb_device_info(device);
        char ability[PB_FAULT_UNITS_TEXT];
        pb_core_faults_text(ability, sizeof ability, info);
        line(PB_HEALTH_OK,
             "rig sim:", "opens; core with %u links at %" PRIu32 " Hz, %s; try 'phasebench selftest'",
             info->links, info->clock_hz, ability);
    }
    pb_device_close(device);
    pb_scenario_free(scenario);
}

static void list_kinds(void)
{
    unsigned count;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    for (unsigned i = 0; i < count; i++)
        line(PB_HEALTH_OK, "kind", "%s: %s; %s", kind[i].name, kind[i].text,
             kind[i].model ? "a model, for sim: and vusb:" : "for ftdi: and tty:");
}

static void check_terminal(void)
{
    if (!isatty(STDOUT_FILENO))
        line(PB_HEALTH_OK, "terminal", "none on stdout: no colours; progress %s",
             cli_terminal(stderr) ? "on stderr" : "off");
    else
        line(PB_HEALTH_OK, "terminal", "%u columns, colours %s, progress %s", cli_columns(stdout),
             cli_colour() ? "on" : "off (NO_COLOR or TERM)", cli_terminal(stderr) ? "on" : "off");
}

/* Prints the properties of a board's core. Only on request, as an unrelated FTDI chip would pass the query
 * bytes on to its device. */
static void check_core(const char *url)
{
    char ability[PB_FAULT_UNITS_TEXT];
    struct pb_scenario *scenario;
    struct pb_device *device = NULL;
    struct vusb vusb = {.url = NULL};
    struct pb_diag diag;

    int code = cli_demo_scenario(&scenario, NULL, &diag);
    if (!code)
        code = vusb_open(&vusb, &device, url, scenario, &diag);
    if (code) {
        line(PB_HEALTH_WARN, "core", "%s; 'phasebench flash' writes a bitstream", diag.text);
    } else {
        const struct pb_device_info *info = pb_device_info(device);
        pb_core_faults_text(ability, sizeof ability, info);
        line(PB_HEALTH_OK, "core", "%u links, %u node port%s, %" PRIu32 " Hz; %s", info->links, info->nodes,
             info->nodes == 1 ? "" : "s", info->clock_hz, ability);
    }
    pb_device_close(device);
    vusb_end(&vusb);
    pb_scenario_free(scenario);
}

struct request {
    const char *out, *rig_url;
};

static const struct cli_form forms[] = {{"doctor.txt", NULL}, {.name = NULL}};

static const struct cli_option options[] = {
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES, .forms = forms,
     .help = "folder whose disk is checked, in place of this one; made when missing, and gets the lines"},
    {"rig", "URL", CLI_RIG, CLI_AT(request, rig_url), .words = "ftdi: tty:/dev/ vusb:",
     .help = "ask the core of this board, ftdi:SERIAL, what it can do: links, node ports, clock, kinds of "
             "fault"},
    {.name = NULL},
};

const struct cli_verb verb_doctor = {
    .name = "doctor",
    .summary = "check this machine: libraries, rigs, USB permissions",
    .usage = "[options]",
    .about = "Checks what a user needs, one line each: ok, warn, or FAIL with the remedy. A warning means "
             "that simulated runs work but something else will not.",
    .options = options,
    .exits = "0 simulated runs work, 2 wrong usage, 4 they do not, or the result could not be written",
    .examples = "  phasebench doctor\n"
                "  phasebench doctor --out support\n"
                "  phasebench doctor --rig ftdi:\n",
    .run = cmd_doctor,
};

int cmd_doctor(int argc, char **argv)
{
    struct request request = {NULL, NULL};
    int exit_code;
    if (!cli_parse(&verb_doctor, &request, argc, argv, &exit_code))
        return exit_code;
    exit_code = vusb_check_url(request.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    char path[OUTPUT_PATH_SIZE];
    struct pb_file_stream stream = {.stream = NULL};
    exit_code = output_forms_begin(request.out, forms);
    if (exit_code == CLI_PASS && request.out)
        exit_code = output_path(path, request.out, forms->name)
                        ? output_stream_begin(&stream, &(struct pb_file_output){.path = path})
                        : CLI_BENCH_FAILED;
    if (exit_code != CLI_PASS)
        return exit_code;
    kept = stream.stream;
    broken = false;
    check_program();
    check_sim();
    list_kinds();
    pb_health_disk(&(struct pb_health){.line = show}, request.out ? request.out : ".");
    check_terminal();
    pb_health_usb(&(struct pb_health){.line = show});
    pb_health_ports(&(struct pb_health){.line = show});
    if (request.rig_url)
        check_core(request.rig_url);
    exit_code = cli_flush();
    if (kept)
        exit_code = cli_worse(exit_code, output_stream_end(&stream, 0));
    return exit_code == CLI_PASS && broken ? CLI_BENCH_FAILED : exit_code;
}
