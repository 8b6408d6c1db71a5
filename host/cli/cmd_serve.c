/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "host/procedure/suite/find_scenarios.h"
#include "host/rig/core_clock.h"
#include "host/rig/socket.h"
#include "bench/usb/server/serve.h"
#include "runner.h"

#include "phasebench/rig.h"

#include <stdio.h>

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
    const struct pb_rig_options options = {.url = url, .stop = runner_stop_flag()};
    const struct pb_serve_options serve = {
        .path = request->socket,
        .phase_ps = (int64_t)(UINT64_C(1000000000000000) / scenario->phase_rate_mhz),
        .stop = runner_stop_flag(),
        .say = say,
    };
    /* Fixed, as on a board: the host may use another scenario. */
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
        .halt = runner_stop_flag(),
        .say = say,
    };
    return pb_serve_usb(&serve, scenario, diag);
}

static int serve(const struct request *request)
{
    struct pb_scenario *scenario;
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    const char *path = find_scenario(found, request->scenario);
    int code = pb_scenario_load(&scenario, path, &diag);
    if (code)
        return cli_refuse_scenario(path, code, &diag);
    runner_catch_signals();
    code = request->usb ? serve_usb(request, scenario, &diag) : serve_socket(request, scenario, &diag);
    pb_scenario_free(scenario);
    if (code == PB_ERR_INTERRUPTED)
        code = PB_OK;
    return code ? cli_outcome(code, &diag) : cli_flush();
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
                        "serve: --boards and --usb-options need --usb DIR");
    return CLI_PASS;
}

static const struct cli_option options[] = {
    {"socket", "PATH", CLI_FILE, CLI_AT(request, socket), .use = CLI_WRITES,
     .help = "the Unix socket; a socket without a server is replaced"},
    {"usb", "DIR", CLI_FOLDER, CLI_AT(request, usb),
     .help = "directory of the boards; created if missing"},
    {"boards", "N", CLI_COUNT, CLI_AT(request, boards), .least = 1, .most = PB_SERVE_USB_BOARDS_MAX,
     .otherwise = "1", .help = "number of boards, each with its own bench: PB0001, PB0002, ..."},
    {"usb-options", "OPTIONS", CLI_TEXT, CLI_AT(request, usb_options),
     .help = "KEY=VALUE joined by &, as phasebench(1) lists them; the same lines, written to "
             "DIR/BOARD/control, change a board while it is served"},
    {.name = NULL},
};

const struct cli_verb verb_serve = {
    .name = "serve",
    .summary = "run a simulated bench in a separate process",
    .usage = "SCENARIO --socket PATH\nSCENARIO --usb DIR [--boards N] [--usb-options OPTIONS]",
    .about = "Runs the nodes of a scenario on a simulated bench in a separate process, which behaves as a "
             "board on a cable: its time continues with or without a host, one host at a time "
             "can connect, and when the host is silent the core's watchdog releases every line. Reach it "
             "with --rig sim:PATH, PATH with a '/' in it.\n"
             "\n"
             "With --usb the host port is a virtual FT2232H, which the unmodified libusb and libftdi1 "
             "find when libphasebench-vusb.so is preloaded and PHASEBENCH_VUSB is DIR; phasebench does so "
             "itself with --rig vusb:DIR. Simulated time then passes only while a host waits for bytes or "
             "bytes are in transit to the core; docs/use/vusb.md.\n"
             "\n"
             "Reports on stdout each connection and disconnection, and the time until the core is in the "
             "safe state. Ends on a signal.",
    .options = options,
    .exits = "0 ended by a signal, 2 wrong usage, 3 bad scenario, 4 the socket or the bench failed",
    .examples = "  phasebench serve host/scenarios/complement.yaml --socket ./bench.sock &\n"
                "  phasebench run host/scenarios/complement.yaml --rig sim:./bench.sock\n"
                "  phasebench serve host/scenarios/complement.yaml --usb ./boards &\n"
                "  echo unplug > ./boards/PB0001/control\n",
    .least = 1,
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_serve,
};

int cmd_serve(int argc, char **argv)
{
    struct request request = {.usb = NULL};
    int exit_code;
    char **const scenario = cli_parse(&verb_serve, &request, argc, argv, &exit_code);
    if (!scenario)
        return exit_code;
    const int code = check(&request);
    if (code)
        return code;
    request.scenario = scenario[0];
    request.boards = request.boards ? request.boards : 1;
    return serve(&request);
}
