/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "runner.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

const char cmd_demo_help[] =
    "usage: phasebench demo [options]\n"
    "\n"
    "Runs the scenario that is part of the program on the simulated bench: the node firmware at\n"
    "address 0x2A3 of a 4,096-node machine. Explains what it does, prints a summary, and writes\n"
    "report.html and result.json.\n"
    "\n"
    "  --out DIR        folder for the files (build/demo where there is a folder build, else\n"
    "                   phasebench-demo), made when missing\n"
    "  --quiet          no explanation and no progress\n" RECORD_HELP "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 pass, 1 the node failed, 2 wrong usage, 4 the bench failed, 5 inconclusive,\n"
    "124 timeout, 130 interrupted\n"
    "\n"
    "examples:\n"
    "  phasebench demo\n"
    "  phasebench demo --out /tmp/demo\n"
    "  phasebench demo --record demo.rec && phasebench run --rig replay:demo.rec\n";

static int explain(const struct pb_scenario *scenario)
{
    const unsigned phases = pb_cube_phases(scenario->dims), dims = scenario->dims;
    const uint64_t phase_us = UINT64_C(1000000000) / scenario->phase_rate_mhz;

    printf("The machine: %" PRIu32 " nodes, each with one wire to each of %u neighbours. A clock counts\n"
           "%u phases of %" PRIu64 " us; each opens one wire of every node, in one direction.\n",
           pb_cube_nodes(dims), dims, phases, phase_us);
    printf("On the bench: node 0x%03" PRIX32 ", the real firmware, wired to a simulated FPGA that plays\n"
           "its %u neighbours with the traffic of the whole machine.\n",
           scenario->node[0].address, dims);
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

static int run(const struct source *source, const struct record_options *record, const char *directory,
               bool quiet)
{
    char trace_path[OUTPUT_PATH_SIZE];
    struct pb_recorder *recorder;
    int exit_code = record_begin(&recorder, record, source, "demo", NULL);
    if (exit_code == CLI_PASS)
        exit_code = output_prepare(directory);
    if (exit_code == CLI_PASS && !output_path(trace_path, directory, OUTPUT_TRACE))
        exit_code = CLI_BENCH_FAILED;
    if (exit_code == CLI_PASS && !quiet)
        exit_code = explain(source->scenario);
    if (exit_code != CLI_PASS)
        return record_end(recorder, exit_code, NULL);

    const struct runner runner = {
        .trace_path = trace_path,
        .command = "phasebench demo",
        .timeout_s = RUNNER_TIMEOUT_DEFAULT_S,
        .quiet = quiet,
        .recorder = recorder,
    };
    struct pb_result *result;
    exit_code = runner_run(&result, source->scenario, &runner);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = output_write(directory, result);
    if (exit_code == CLI_PASS)
        exit_code = output_text(result);
    if (exit_code == CLI_PASS) {
        printf("\nOpen %s/%s in a browser for the whole story.\n", directory, OUTPUT_REPORT);
        exit_code = cli_flush();
    }
    if (exit_code == CLI_PASS)
        exit_code = pb_verdict_exit_code(result->verdict);
    pb_result_free(result);
    return exit_code;
}

enum { OPTION_OUT = CLI_LONG_OPTION, OPTION_QUIET, OPTION_RECORD, OPTION_FORCE };

int cmd_demo(int argc, char **argv)
{
    static const struct option options[] = {
        {"out", required_argument, NULL, OPTION_OUT},
        {"quiet", no_argument, NULL, OPTION_QUIET},
        RECORD_OPTIONS(OPTION_RECORD, OPTION_FORCE),
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *directory = default_directory();
    struct record_options record = {.path = NULL};
    bool quiet = false;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_OUT:
            directory = optarg;
            break;
        case OPTION_QUIET:
            quiet = true;
            break;
        case OPTION_RECORD:
            record.path = optarg;
            break;
        case OPTION_FORCE:
            record.force = true;
            break;
        case 'h':
            return cli_help(cmd_demo_help);
        default:
            return CLI_USAGE;
        }
    }
    if (!cli_no_operands(argc, argv))
        return CLI_USAGE;

    struct source source;
    int exit_code = source_open_demo(&source, NULL);
    if (exit_code == CLI_PASS)
        exit_code = run(&source, &record, directory, quiet);
    source_close(&source);
    return exit_code;
}
