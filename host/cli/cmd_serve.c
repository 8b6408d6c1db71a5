/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "find.h"
#include "host/rig/socket.h"
#include "runner.h"

#include "phasebench/rig.h"

#include <stdio.h>

const char cmd_serve_help[] =
    "usage: phasebench serve SCENARIO --socket PATH\n"
    "\n"
    "Puts the nodes of a scenario on a simulated bench in a process of its own, which behaves as a board\n"
    "on a cable does: its time goes on whether a host is there or not, one host at a time has it, and\n"
    "when the host falls silent the core's watchdog lets go of every line. Reach it with --rig sim:PATH,\n"
    "PATH with a '/' in it.\n"
    "\n"
    "Says on stdout who comes and goes, and how long the core took to make itself safe. Ends on a\n"
    "signal.\n"
    "\n"
    "  --socket PATH    the Unix socket; one that nobody serves any more is replaced\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 ended by a signal, 2 wrong usage, 3 bad scenario, 4 the socket or the bench failed\n"
    "\n"
    "examples:\n"
    "  phasebench serve host/scenarios/complement.yaml --socket ./bench.sock &\n"
    "  phasebench run host/scenarios/complement.yaml --rig sim:./bench.sock\n";

static void say(void *context, const char *sentence)
{
    (void)context;
    printf("%s\n", sentence);
    fflush(stdout);
}

static int serve(const char *scenario_path, const char *socket_path)
{
    struct pb_scenario *scenario;
    struct pb_transport *rig;
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    int code = pb_scenario_load(&scenario, find_scenario(found, scenario_path), &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    const struct pb_rig_options options = {.url = "sim:"};
    code = pb_rig_open(&rig, &options, scenario, &diag);
    if (code) {
        pb_scenario_free(scenario);
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    }
    runner_catch_signals();
    const struct pb_serve_options serve = {
        .path = socket_path,
        .phase_ps = (int64_t)(UINT64_C(1000000000000000) / scenario->phase_rate_mhz),
        .stop = runner_stop_flag(),
        .say = say,
    };
    const int error = pb_rig_serve(rig, &serve, &diag);
    code = error ? cli_fail(pb_error_exit_code(error), "%s", diag.text) : cli_flush();
    rig->ops->close(rig);
    pb_scenario_free(scenario);
    return code;
}

enum { OPTION_SOCKET = CLI_LONG_OPTION };

int cmd_serve(int argc, char **argv)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, OPTION_SOCKET},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *path = NULL;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_SOCKET:
            path = optarg;
            break;
        case 'h':
            return cli_help(cmd_serve_help);
        default:
            return CLI_USAGE;
        }
    }
    if (optind + 1 != argc)
        return cli_fail(CLI_USAGE, "serve: takes one scenario, got %d; see 'phasebench help serve'",
                        argc - optind);
    if (!path)
        return cli_fail(CLI_USAGE, "serve: --socket is missing; give the path of a Unix socket");
    return serve(argv[optind], path);
}
