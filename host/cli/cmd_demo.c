/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int explain(const struct pb_scenario *scenario)
{
    const unsigned phases = scenario->network.phases, ports = scenario->network.ports;
    const uint64_t phase_us = UINT64_C(1000000000) / scenario->phase_rate_mhz;

    printf("The machine: %" PRIu32 " nodes, each with one wire to each of %u neighbours. A clock counts\n"
           "%u phases of %" PRIu64 " us; each opens one wire of every node, in one direction.\n",
           scenario->network.nodes, ports, phases, phase_us);
    printf("On the bench: node 0x%03" PRIX32 ", the real firmware, wired to an FPGA that plays\n"
           "its %u neighbours with the traffic of the whole machine.\n",
           scenario->node[0].address, ports);
    printf("To see: one ten-hop message, all nodes sending at once, then every way through\n"
           "the node. Each message must arrive within the bound: %u phases, %.1f ms.\n\n",
           phases, (double)(phases * phase_us) / 1e3);
    return cli_flush();
}

static const char *default_directory(void)
{
    struct stat status;
    return stat("build", &status) == 0 && S_ISDIR(status.st_mode) ? "build/demo" : "phasebench-demo";
}

struct request {
    const char *rig_url; /* NULL: sim: */
    const char *directory;
    bool quiet, capture_given;
    enum pb_capture capture;
    struct record_options record;
};

static void make_command(char *line, size_t size, const struct request *request)
{
    snprintf(line, size, "phasebench demo");
    if (request->capture_given)
        snprintf(line + strlen(line), size - strlen(line), " --capture %s",
                 pb_capture_name(request->capture));
    if (request->rig_url)
        snprintf(line + strlen(line), size - strlen(line), " --rig '%s'", request->rig_url);
}

static int run(const struct source *source, const struct request *request)
{
    char trace_path[OUTPUT_PATH_SIZE], command[256];
    struct pb_recorder *recorder;
    int exit_code = record_begin(&recorder, &request->record, source, "demo", request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = output_prepare(request->directory);
    if (exit_code == CLI_PASS && !output_path(trace_path, request->directory, OUTPUT_TRACE))
        exit_code = CLI_BENCH_FAILED;
    if (exit_code == CLI_PASS && !request->quiet)
        exit_code = explain(source->scenario);
    if (exit_code != CLI_PASS)
        return record_end(recorder, exit_code, NULL);

    make_command(command, sizeof command, request);
    const struct runner runner = {
        .options = {.rig_url = request->rig_url,
                    .trace_path = trace_path,
                    .command = command,
                    .timeout_s = PB_RUN_TIMEOUT_S,
                    .recorder = recorder},
        .quiet = request->quiet,
    };
    struct pb_result *result;
    output_announce(request->directory, source->scenario, &runner);
    exit_code = runner_run(&result, source->scenario, &runner);
    if (!result)
        return exit_code;
    const bool began = runner_began(exit_code, result);
    int written = output_write(request->directory, result);
    if (runner_trace(result, source->scenario, &runner))
        written = cli_worse(written, output_write_again(request->directory, result)); /* with its name */
    exit_code = cli_worse(exit_code, written);
    if (began)
        exit_code = cli_worse(exit_code, output_text(result));
    if (began && written == CLI_PASS) {
        putchar('\n');
        cli_say("Open %s/%s in a browser for the whole story.", request->directory, OUTPUT_REPORT);
        exit_code = cli_worse(exit_code, cli_flush());
    }
    exit_code = cli_worse(exit_code, pb_verdict_exit_code(result->verdict));
    pb_result_free(result);
    return exit_code;
}

static int check_rig(const char *url)
{
    const int exit_code = vusb_check_url(url);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (pb_rig_target_of(url).replays)
        return cli_fail(CLI_USAGE,
                        "demo: a recording has a run of its own; play it with 'phasebench run --rig %.60s'",
                        url);
    return CLI_PASS;
}

static const struct cli_option options[] = {
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, directory), .use = CLI_WRITES,
     .otherwise = "build/demo where there is a folder build, else phasebench-demo",
     .help = "folder for the files, made when missing"},
    CLI_ROW_RIG(request, rig_url),
    CLI_ROW_CAPTURE(request, capture, capture_given),
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, quiet), .help = "no explanation and no progress"},
    CLI_ROW_RECORD(request, record),
    {.name = NULL},
};

const struct cli_verb verb_demo = {
    .name = "demo",
    .summary = "prove the shipped node firmware against the 24-phase bound",
    .usage = "[options]",
    .about = "Runs the scenario that is part of the program, on the simulated bench without --rig: "
             "the node firmware at address 0x2A3 of a 4,096-node machine. Explains what it does, prints a "
             "summary, and writes report.html and result.json.",
    .options = options,
    .exits = "0 pass, 1 the node failed, 2 wrong usage, 4 the bench failed, 5 inconclusive, 124 timeout, 130 "
             "interrupted",
    .examples = "  phasebench demo\n"
                "  phasebench demo --out /tmp/demo\n"
                "  phasebench demo --rig 'sim:?port=uart'\n"
                "  phasebench demo --record demo.rec && phasebench run --rig replay:demo.rec\n",
    .run = cmd_demo,
};

int cmd_demo(int argc, char **argv)
{
    struct request request = {.directory = default_directory()};
    int exit_code;
    if (!cli_parse(&verb_demo, &request, argc, argv, &exit_code))
        return exit_code;
    exit_code = check_rig(request.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    struct source source;
    exit_code = source_open_demo(&source, NULL);
    if (exit_code == CLI_PASS && request.capture_given)
        source.scenario->capture = request.capture;
    if (exit_code == CLI_PASS)
        exit_code = run(&source, &request);
    source_close(&source);
    return exit_code;
}
