/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "find_scenarios.h"
#include "host/rig/core_clock.h"
#include "host/rig/socket.h"
#include "bench/vusb/server/serve.h"
#include "runner.h"

#include "phasebench/rig.h"

#include <stdio.h>

const char cmd_serve_help[] =
    "usage: phasebench serve SCENARIO --socket PATH\n"
    "       phasebench serve SCENARIO --usb DIR [--boards N] [--usb-options OPTIONS]\n"
    "\n"
    "Puts the nodes of a scenario on a simulated bench in a process of its own, which behaves as a board\n"
    "on a cable does: its time goes on whether a host is there or not, one host at a time has it, and\n"
    "when the host falls silent the core's watchdog lets go of every line. Reach it with --rig sim:PATH,\n"
    "PATH with a '/' in it.\n"
    "\n"
    "With --usb the bench is behind a virtual FT2232H, which the unmodified libusb and libftdi1 find when\n"
    "libphasebench-vusb.so is preloaded and PHASEBENCH_VUSB is DIR. Simulated time then passes only while\n"
    "a host waits for bytes or bytes are on their way to the core; docs/vusb.md.\n"
    "\n"
    "Says on stdout who comes and goes, and how long the core took to make itself safe. Ends on a\n"
    "signal.\n"
    "\n"
    "  --socket PATH    the Unix socket; one that nobody serves any more is replaced\n"
    "  --usb DIR        folder of the boards; made when it is not there\n"
    "  --boards N       so many boards, each with a bench of its own: PB0001, PB0002, ... (1)\n"
    "  --usb-options OPTIONS   KEY=VALUE&KEY=VALUE...; the same lines, written to DIR/BOARD/control, change\n"
    "                   a board while it is served\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 ended by a signal, 2 wrong usage, 3 bad scenario, 4 the socket or the bench failed\n"
    "\n"
    "examples:\n"
    "  phasebench serve host/scenarios/complement.yaml --socket ./bench.sock &\n"
    "  phasebench run host/scenarios/complement.yaml --rig sim:./bench.sock\n"
    "  phasebench serve host/scenarios/complement.yaml --usb ./boards &\n"
    "  echo unplug > ./boards/PB0001/control\n";

static void say(void *context, const char *sentence)
{
    (void)context;
    cli_say("%s", sentence);
    fflush(stdout);
}

struct request {
    const char *scenario, *socket, *usb, *usb_options;
    unsigned boards;
};

static int serve_socket(const struct request *request, const struct pb_scenario *scenario,
                        struct pb_diag *diag)
{
    struct pb_transport *rig;
    char url[32];
    const struct pb_rig_options options = {.url = url};
    const struct pb_serve_options serve = {
        .path = request->socket,
        .phase_ps = (int64_t)(UINT64_C(1000000000000000) / scenario->phase_rate_mhz),
        .stop = runner_stop_flag(),
        .say = say,
    };
    /* As a board would have it: the host's scenario need not be this one. */
    snprintf(url, sizeof url, "sim:?clock=%uMHz", pb_core_clock_most_hz(scenario) / 1000000);
    int code = pb_rig_open(&rig, &options, scenario, diag);
    if (code)
        return code;
    code = pb_rig_serve(rig, &serve, diag);
    rig->ops->close(rig);
    return code;
}

static int serve_usb(const struct request *request, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const struct pb_serve_usb serve = {
        .folder = request->usb,
        .options = request->usb_options,
        .boards = request->boards,
        .stop = runner_stop_flag(),
        .say = say,
    };
    return pb_serve_usb(&serve, scenario, diag);
}

static int serve(const struct request *request)
{
    struct pb_scenario *scenario;
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    int code = pb_scenario_load(&scenario, find_scenario(found, request->scenario), &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    runner_catch_signals();
    code = request->usb ? serve_usb(request, scenario, &diag) : serve_socket(request, scenario, &diag);
    pb_scenario_free(scenario);
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : cli_flush();
}

static int check(const struct request *request)
{
    if (!request->socket == !request->usb)
        return cli_fail(CLI_USAGE,
                        request->usb
                            ? "serve: --socket and --usb exclude each other; give one"
                            : "serve: --socket is missing; give the path of a Unix socket, or --usb DIR");
    if (!request->usb && (request->usb_options || request->boards))
        return cli_fail(CLI_USAGE,
                        "serve: --boards and --usb-options are for boards on a USB; give --usb DIR, too");
    return CLI_PASS;
}

enum { OPTION_SOCKET = CLI_LONG_OPTION, OPTION_USB, OPTION_BOARDS, OPTION_USB_OPTIONS };

int cmd_serve(int argc, char **argv)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, OPTION_SOCKET},
        {"usb", required_argument, NULL, OPTION_USB},
        {"boards", required_argument, NULL, OPTION_BOARDS},
        {"usb-options", required_argument, NULL, OPTION_USB_OPTIONS},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {0};
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_SOCKET:
            request.socket = optarg;
            break;
        case OPTION_USB:
            request.usb = optarg;
            break;
        case OPTION_BOARDS:
            if (!cli_unsigned("--boards", optarg, 1, PB_SERVE_USB_BOARDS_MAX, &request.boards))
                return CLI_USAGE;
            break;
        case OPTION_USB_OPTIONS:
            request.usb_options = optarg;
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
    const int code = check(&request);
    if (code)
        return code;
    request.scenario = argv[optind];
    request.boards = request.boards ? request.boards : 1;
    return serve(&request);
}
