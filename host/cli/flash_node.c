/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "flash_node.h"

#include "bench/emulator/image/settings_block.h"
#include "cli.h"
#include "host/procedure/suite/find_scenarios.h"
#include "host/flash/node_flash.h"
#include "host/rig/node_config.h"
#include "phasebench/number.h"
#include "phasebench/rig.h"
#include "runner.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int flash_node(const char *image_file, const char *scenario_file, const char *rig_url, const char *port,
               bool quiet)
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
