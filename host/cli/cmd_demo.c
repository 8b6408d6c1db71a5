/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "runner.h"

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
    "  --quiet          no explanation and no progress\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 pass, 1 the node failed, 2 wrong usage, 4 the bench failed, 5 inconclusive,\n"
    "124 timeout, 130 interrupted\n"
    "\n"
    "examples:\n"
    "  phasebench demo\n"
    "  phasebench demo --out /tmp/demo\n";

/* Put into the program from host/scenarios/demo.yaml by `ld -r -b binary`, which chooses these names. */
extern const char _binary_host_scenarios_demo_yaml_start[];
extern const char _binary_host_scenarios_demo_yaml_end[];

int cli_demo_scenario(struct pb_scenario **out, struct pb_diag *diag)
{
    const char *text = _binary_host_scenarios_demo_yaml_start;
    return pb_scenario_parse(out, "the built-in demo", text,
                             (size_t)(_binary_host_scenarios_demo_yaml_end - text), diag);
}

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

static int run(const struct pb_scenario *scenario, const char *directory, bool quiet)
{
    char trace_path[OUTPUT_PATH_SIZE];
    int exit_code = output_prepare(directory);
    if (exit_code == CLI_PASS && !output_path(trace_path, directory, OUTPUT_TRACE))
        exit_code = CLI_BENCH_FAILED;
    if (exit_code == CLI_PASS && !quiet)
        exit_code = explain(scenario);
    if (exit_code != CLI_PASS)
        return exit_code;

    const struct runner runner = {
        .trace_path = trace_path,
        .command = "phasebench demo",
        .timeout_s = RUNNER_TIMEOUT_DEFAULT_S,
        .quiet = quiet,
    };
    struct pb_result *result;
    exit_code = runner_run(&result, scenario, &runner);
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

enum { OPTION_OUT = CLI_LONG_OPTION, OPTION_QUIET };

int cmd_demo(int argc, char **argv)
{
    static const struct option options[] = {
        {"out", required_argument, NULL, OPTION_OUT},
        {"quiet", no_argument, NULL, OPTION_QUIET},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *directory = default_directory();
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
        case 'h':
            return cli_help(cmd_demo_help);
        default:
            return CLI_USAGE;
        }
    }
    if (!cli_no_operands(argc, argv))
        return CLI_USAGE;

    struct pb_scenario *scenario;
    struct pb_diag diag;
    const int code = cli_demo_scenario(&scenario, &diag);
    if (code)
        return cli_fail(CLI_BENCH_FAILED,
                        "%s; this program was built from a broken demo.yaml, build it again", diag.text);
    const int exit_code = run(scenario, directory, quiet);
    pb_scenario_free(scenario);
    return exit_code;
}
