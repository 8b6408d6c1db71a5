/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "host/procedure/selftest_forms.h"
#include "phasebench/selftest.h"

/* All other failures count against the bench, as the nodes are only asked for their identity. */
static int failure(int code)
{
    return code == PB_ERR_NODE || code == PB_ERR_CONFIG || code == PB_ERR_ENDED || code == PB_ERR_INTERRUPTED
               ? pb_error_exit_code(code)
               : CLI_BENCH_FAILED;
}

static const struct cli_form forms[] = {
    {"selftest.txt", pb_selftest_form_text}, {"selftest.json", pb_selftest_form_json}, {.name = NULL}};

struct request {
    const char *rig_url, *out;
    struct record_options record;
    bool external, json;
};

static int selftest(const struct request *request)
{
    const char *const rig_url = request->rig_url;
    struct pb_selftest_options options = {.external_clock = request->external};
    struct pb_procedure procedure;
    struct pb_selftest test;
    struct vusb vusb;
    struct source source;
    struct pb_diag diag;

    int exit_code = vusb_check_url(rig_url);
    if (exit_code == CLI_PASS)
        exit_code = source_open_demo(&source, rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    options.scenario = source.scenario;
    exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&options.recorder, &request->record, &source, "selftest", rig_url);
    if (exit_code != CLI_PASS) {
        source_close(&source);
        return exit_code;
    }
    runner_catch_signals();
    procedure = runner_procedure(&vusb, rig_url, 0);
    const int refused = pb_selftest_run(&test, &procedure, &options, &diag);
    if (refused)
        exit_code = cli_outcome(refused, &diag);
    else
        exit_code = test.code ? failure(test.code) : CLI_PASS;
    source_close(&source);
    exit_code = record_end(options.recorder, exit_code, NULL);
    if (refused)
        return exit_code;
    struct pb_selftest_shown shown = {rig_url, &test, exit_code == CLI_PASS};
    const int written = output_forms_end(request->out, forms, &shown, request->json);
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
    .summary = "test the bench itself, step by step",
    .usage = "[options]",
    .about = "Tests the bench itself in steps; after a failed one the others are skipped.\n"
             "\n"
             "  identify     the rig opens and holds a core with this register map\n"
             "  registers    every register keeps what it must\n"
             "  clock        a superframe to the tick; of an external clock its edges\n"
             "  loopback     byte patterns from the slot player to the capture, on each link\n"
             "  console      each node answers on its control UART\n"
             "\n"
             "Nodes are held in reset during the middle three. An external controller that drives TDMA_CLK "
             "at 400 Hz or more is found, and the two clock pins are not driven then.",
    .options = options,
    .exits = "0 all steps pass, 1 a node did not answer, 2 wrong usage, 3 a recording that cannot be used, "
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
