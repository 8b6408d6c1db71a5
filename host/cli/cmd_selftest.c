/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "selftest.h"
#include "source.h"
#include "vusb.h"

#include <stdio.h>
#include <string.h>

static const struct selftest_step rungs[] = {
    {"identify", selftest_identify}, {"registers", selftest_registers}, {"clock", selftest_clock},
    {"loopback", selftest_loopback}, {"console", selftest_console},
};
#define RUNGS (sizeof rungs / sizeof rungs[0])

struct outcome {
    const char *status; /* "pass", "fail", "skip" */
    struct pb_diag detail;
    int64_t wall_ns;
};

/* All other failures count against the bench, as the nodes are only asked for their identity. */
static int failure(int code)
{
    return code == PB_ERR_NODE || code == PB_ERR_CONFIG || code == PB_ERR_ENDED || code == PB_ERR_INTERRUPTED
               ? pb_error_exit_code(code)
               : CLI_BENCH_FAILED;
}

static int climb(struct selftest *test, struct outcome *outcome)
{
    const char *failed = NULL;
    int exit_code = CLI_PASS;

    for (size_t i = 0; i < RUNGS; i++) {
        const int64_t begun_ns = cli_now_ns();
        if (runner_stopped()) {
            exit_code = CLI_INTERRUPTED;
            failed = "the interruption";
        }
        if (failed) {
            outcome[i].status = "skip";
            snprintf(outcome[i].detail.text, sizeof outcome[i].detail.text, "not tried after %s", failed);
            continue;
        }
        struct pb_diag *detail = &outcome[i].detail, end;
        int code = rungs[i].climb(test, detail);
        if (!code)
            code = pb_recorder_check(test->recorder, detail);
        if (!code && i + 1 == RUNGS && (code = pb_recording_session_end(test->transport, code, &end)))
            *detail = end;
        outcome[i].status = code ? "fail" : "pass";
        outcome[i].wall_ns = cli_now_ns() - begun_ns;
        if (code) {
            failed = rungs[i].name;
            exit_code = failure(code);
        }
    }
    return exit_code;
}

struct shown {
    const char *rig_url;
    const struct outcome *outcome;
    int exit_code; /* of the whole self-test */
};

static int write_text(FILE *out, void *context)
{
    const struct outcome *outcome = ((const struct shown *)context)->outcome;
    for (size_t i = 0; i < RUNGS; i++)
        cli_say_to(out, "%s  %-10s %6.2f s  %s", outcome[i].status, rungs[i].name,
                   (double)outcome[i].wall_ns / 1e9, outcome[i].detail.text);
    return 0;
}

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct outcome *outcome = shown->outcome;
    json_t *list = json_array();
    for (size_t i = 0; i < RUNGS; i++)
        cli_json_add(list, json_pack("{s:s, s:s, s:o, s:I}", "name", rungs[i].name, "status",
                                     outcome[i].status, "detail", cli_json_text(outcome[i].detail.text),
                                     "wall_ns", (json_int_t)outcome[i].wall_ns));
    return cli_write_json(out, json_pack("{s:o, s:o, s:s}", "rig", cli_json_text(shown->rig_url), "rungs",
                                         list, "verdict", shown->exit_code == CLI_PASS ? "pass" : "fail"));
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {
    {"selftest.txt", write_text}, {"selftest.json", write_json}, {.name = NULL}};

struct request {
    const char *rig_url, *out;
    struct record_options record;
    bool external, json;
};

static int selftest(const struct request *request)
{
    const char *const rig_url = request->rig_url;
    struct outcome outcome[RUNGS] = {{.status = NULL}};
    struct source source;
    struct pb_diag diag;

    int exit_code = vusb_check_url(rig_url);
    if (exit_code == CLI_PASS)
        exit_code = source_open_demo(&source, rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    struct selftest test = {.rig_url = rig_url,
                            .scenario = source.scenario,
                            .stop = runner_stop_flag(),
                            .external = request->external};
    exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&test.recorder, &request->record, &source, "selftest", rig_url);
    if (exit_code != CLI_PASS) {
        source_close(&source);
        return exit_code;
    }
    struct vusb vusb;
    runner_catch_signals();
    const int started = vusb_begin(&vusb, rig_url, source.scenario, 0, &diag);
    test.rig_url = vusb.url;
    exit_code = started ? cli_fail(pb_error_exit_code(started), "%s", diag.text) : climb(&test, outcome);
    selftest_close(&test);
    vusb_end(&vusb);
    source_close(&source);
    exit_code = record_end(test.recorder, exit_code, NULL);
    if (started)
        return exit_code;
    struct shown shown = {rig_url, outcome, exit_code};
    const int written = output_forms_end(request->out, forms, &shown, request->json ? JSON : TEXT);
    return written == CLI_PASS ? exit_code : written;
}

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, rig_url),
    {"external-clock", NULL, CLI_FLAG, CLI_AT(request, external),
     .help = "TDMA_CLK and TDMA_SYNC come from a controller, also from one that is slow or stopped: the "
             "core never drives the two pins"},
    CLI_ROW_RECORD(request, record),
    CLI_ROW_RECORD_USB(request, record),
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_selftest = {
    .name = "selftest",
    .summary = "test the bench itself, rung by rung",
    .usage = "[options]",
    .about = "Tests the bench itself as a ladder; after a failed rung the others are skipped.\n"
             "\n"
             "  identify     the rig opens and holds a core with the register map of this program\n"
             "  registers    every register keeps what it must\n"
             "  clock        one superframe, captured to the tick; of an external clock, its edges\n"
             "  loopback     byte patterns from the slot player to the capture, on each link\n"
             "  console      each node answers on its control UART\n"
             "\n"
             "Nodes are held in reset during the middle three. An external controller that drives TDMA_CLK "
             "at 400 Hz or more is found, and the two clock pins are not driven then.",
    .options = options,
    .exits = "0 all rungs pass, 1 a node did not answer, 2 wrong usage, 3 a recording that cannot be used, "
             "4 the bench failed, 5 the recording ends too early, 130 interrupted",
    .examples = "  phasebench selftest\n"
                "  phasebench selftest --rig 'sim:?port=uart' --json\n",
    .run = cmd_selftest,
};

int cmd_selftest(int argc, char **argv)
{
    struct request request = {.rig_url = "sim:"};
    int exit_code;
    if (!cli_parse(&verb_selftest, &request, argc, argv, &exit_code))
        return exit_code;
    return selftest(&request);
}
