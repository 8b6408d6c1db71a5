/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "host/base/utf8.h"
#include "monitor.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cmd_monitor_help[] =
    "usage: phasebench monitor SCENARIO [options]\n"
    "       phasebench monitor RECORDING [options]\n"
    "\n"
    "Runs a scenario, or plays a recording, and shows it: superframe and phase, one row for each\n"
    "link with what it did in the last phases, rates, errors, and the verdict at the end. On a\n"
    "terminal it draws in place; elsewhere it writes a line for each superframe. Drawing never\n"
    "holds up the run.\n"
    "\n"
    "  N  the node sent     B  the bench sent     .  idle\n"
    "  x  a byte without stop bit, or an edge in a phase that is not the link's\n"
    "  !  an alarm of the core\n"
    "\n"
    "  --rig URL        sim:, ftdi:SERIAL (a board), tty:DEVICE?baud=N (one behind a serial port), or\n"
    "                   replay:FILE, a recording (sim:)\n"
    "  --speed N        of a recording: N times as fast as the rig was, up to 3 decimals, 0.001 to\n"
    "                   1000000; 0 as fast as possible (1)\n"
    "  --json           one JSON object for each superframe, and one for the verdict\n"
    "  --seed N         payloads and jitter, in place of the scenario's seed\n"
    "  --superframes N  how many to run, 1..100000, in place of the scenario's number\n" CAPTURE_HELP
    "  --timeout S      of wall time, 1..86400 seconds (600; recordings 86400)\n" RECORD_HELP RECORD_USB_HELP
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 pass (marginal too), 1 a node failed, 2 wrong usage, 3 bad scenario or recording,\n"
    "4 the bench failed or the new recording cannot be written, 5 inconclusive, 124 timeout,\n"
    "130 interrupted\n"
    "\n"
    "examples:\n"
    "  phasebench monitor host/scenarios/demo.yaml\n"
    "  phasebench run host/scenarios/demo.yaml --record demo.rec\n"
    "  phasebench monitor demo.rec --speed 0.01\n"
    "  phasebench monitor demo.rec --speed 0 --json | jq .node_frames\n";

#define SPEED_MAX UINT64_C(1000000000) /* in thousandths */

struct request {
    const char *operand; /* scenario or recording; NULL: none */
    const char *rig_url;
    struct source_overrides overrides;
    struct record_options record;
    unsigned timeout_s; /* 0: not given */
    bool json, speed_given;
    uint64_t speed_milli;
    char replay_url[4096 + 8]; /* made from the operand */
};

static int show_verdict(const struct request *request, const struct pb_result *result)
{
    if (request->json) {
        json_t *line =
            json_pack("{s:s, s:o, s:i}", "verdict", pb_verdict_name(result->verdict), "reason",
                      cli_json_text(result->reason), "exit_code", pb_verdict_exit_code(result->verdict));
        char *text = line ? json_dumps(line, 0) : NULL;
        json_decref(line);
        if (!text)
            return cli_fail(CLI_BENCH_FAILED, "no memory for the verdict as JSON");
        puts(text);
        free(text);
    } else {
        cli_say("%s: %s", pb_verdict_name(result->verdict), result->reason);
    }
    return cli_flush();
}

static int show(const struct request *request, const struct source *source)
{
    const bool replay = source->recording != NULL;
    char title[256], plain[256];
    struct runner runner = {
        .rig_url = request->rig_url,
        .timeout_s = request->timeout_s ? request->timeout_s
                     : replay           ? RUNNER_TIMEOUT_MAX_S
                                        : RUNNER_TIMEOUT_DEFAULT_S,
        .quiet = true,
        .on_events = monitor_on_events,
        .ended = monitor_ended,
    };
    struct pb_result *result;

    int exit_code = record_begin(&runner.recorder, &request->record, source, "monitor", request->rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    snprintf(plain, sizeof plain, "%.80s on %.160s", source->scenario->name,
             request->rig_url ? request->rig_url : "sim:");
    pb_utf8_clean(title, sizeof title, plain);
    runner_catch_signals();
    struct monitor *monitor = monitor_open(source->scenario,
                                           request->json          ? MONITOR_JSON
                                           : cli_terminal(stdout) ? MONITOR_SCREEN
                                                                  : MONITOR_TEXT,
                                           title, replay ? request->speed_milli : 0);
    if (!monitor)
        return record_end(runner.recorder, CLI_BENCH_FAILED, NULL);
    runner.context = monitor;
    exit_code = runner_run(&result, source->scenario, &runner);
    const int shown = monitor_close(monitor);
    if (shown != CLI_PASS)
        exit_code = shown;
    else if (runner_began(exit_code, result))
        exit_code = cli_worse(exit_code, show_verdict(request, result));
    if (result)
        exit_code = cli_worse(exit_code, pb_verdict_exit_code(result->verdict));
    pb_result_free(result);
    return exit_code;
}

/* ---- command line */

enum {
    OPTION_RIG = CLI_LONG_OPTION,
    OPTION_SPEED,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_SUPERFRAMES,
    OPTION_CAPTURE,
    OPTION_TIMEOUT,
    OPTION_RECORD,
    OPTION_RECORD_USB,
    OPTION_FORCE
};

static const struct option options[] = {
    {"rig", required_argument, NULL, OPTION_RIG},
    {"speed", required_argument, NULL, OPTION_SPEED},
    {"json", no_argument, NULL, OPTION_JSON},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"superframes", required_argument, NULL, OPTION_SUPERFRAMES},
    {"capture", required_argument, NULL, OPTION_CAPTURE},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    RECORD_OPTIONS(OPTION_RECORD, OPTION_FORCE),
    {"record-usb", required_argument, NULL, OPTION_RECORD_USB},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take_option(struct request *request, int option)
{
    switch (option) {
    case OPTION_RIG:
        request->rig_url = optarg;
        return true;
    case OPTION_SPEED:
        request->speed_given = true;
        return cli_decimal("--speed", optarg, "times the speed of the rig", 3, 0, SPEED_MAX,
                           &request->speed_milli);
    case OPTION_JSON:
        request->json = true;
        return true;
    case OPTION_SEED:
        request->overrides.seed_given = true;
        return cli_number("--seed", optarg, 0, UINT64_MAX, &request->overrides.seed);
    case OPTION_SUPERFRAMES:
        return cli_unsigned("--superframes", optarg, 1, SOURCE_SUPERFRAMES_MAX,
                            &request->overrides.superframes);
    case OPTION_CAPTURE:
        request->overrides.capture_given = true;
        return cli_capture(optarg, &request->overrides.capture);
    case OPTION_TIMEOUT:
        return cli_unsigned("--timeout", optarg, 1, RUNNER_TIMEOUT_MAX_S, &request->timeout_s);
    case OPTION_RECORD:
        request->record.path = optarg;
        return true;
    case OPTION_RECORD_USB:
        request->record.usb_path = optarg;
        return true;
    case OPTION_FORCE:
        request->record.force = true;
        return true;
    default:
        return false;
    }
}

/* A recording as operand is the rig. */
static int find_source(struct request *request)
{
    struct pb_diag diag;
    if (request->operand && !request->rig_url && pb_recording_detect(request->operand)) {
        const int length =
            snprintf(request->replay_url, sizeof request->replay_url, "replay:%s", request->operand);
        if (length >= (int)sizeof request->replay_url)
            return cli_fail(CLI_USAGE, "monitor: the path '%.60s...' is too long; shorten it",
                            request->operand);
        request->rig_url = request->replay_url;
        request->operand = NULL;
    }
    const int code = request->rig_url ? vusb_check_url(request->rig_url, &diag) : PB_OK;
    if (code)
        return cli_fail(pb_error_exit_code(code), "--rig: %s", diag.text);
    const bool replay = pb_rig_replay(request->rig_url) != 0;
    if (!request->operand && !replay)
        return cli_fail(CLI_USAGE, "monitor: nothing to show; give a scenario or a recording");
    if (request->speed_given && !replay)
        return cli_fail(CLI_USAGE, "monitor: --speed is for recordings, a rig has its own; leave it out");
    return CLI_PASS;
}

int cmd_monitor(int argc, char **argv)
{
    struct request request = {.speed_milli = 1000};
    struct source source;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        if (option == 'h')
            return cli_help(cmd_monitor_help);
        if (!take_option(&request, option))
            return CLI_USAGE;
    }
    if (argc - optind > 1)
        return cli_fail(CLI_USAGE, "monitor: %d scenarios or recordings are given; give one", argc - optind);
    request.operand = argv[optind];
    int exit_code = find_source(&request);
    if (exit_code == CLI_PASS)
        exit_code = source_open(&source, request.operand, request.rig_url, &request.overrides);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = show(&request, &source);
    source_close(&source);
    return exit_code;
}
