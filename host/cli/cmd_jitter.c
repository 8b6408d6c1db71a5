/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/jitter.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"
#include "phasebench/stamps.h"
#include "phasebench/tdc_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_DEFAULT "full-load"
/* 24,000 edges of the 12-cube: 10,000 periods and 1000 cycles to cycle are usual. */
#define SUPERFRAMES_DEFAULT 1000
#define STAMPS_LIMIT_BYTES ((size_t)1 << 30)
#define OUTPUT_JITTER_PAGE "jitter.html"
#define OUTPUT_JITTER_JSON "jitter.json"

enum unit { UNIT_BY_NAME, UNIT_S, UNIT_MS, UNIT_US, UNIT_NS, UNIT_PS };
enum edge { EDGE_RISE, EDGE_FALL };

/* --from: stamps of another instrument. */
struct from {
    const char *path, *channel; /* NULL: none given */
    enum unit unit;
    enum edge edge;
    uint64_t resolution_ps, period_ps; /* 0: by the file */
    unsigned phases;                   /* of the n-period; 0: none */
};

struct request {
    struct runner runner;
    struct pb_scenario_overrides overrides;
    const char *scenario_path, *out, *csv_path;
    enum pb_jitter_reference reference;
    bool json, reference_given;
    struct record_options record;
    struct history_options history;
    struct cal_options cal;
    const char *tdc_path; /* table of the converter; NULL: it is not used */
    unsigned tdc_link;
    bool tdc_link_given;
    struct pb_tdc_watch tdc;
    struct from from;
};

/* What the writers of all forms need; of stamps the collector and the result are NULL. */
struct evidence {
    const struct pb_jitter_collector *collector;
    const struct pb_jitter *jitter;
    const struct pb_result *result;
};

static int write_csv(FILE *stream, void *context)
{
    return pb_jitter_csv(stream, ((const struct evidence *)context)->collector);
}

static int write_json(FILE *stream, void *context)
{
    const struct evidence *evidence = context;
    return pb_report_jitter_json(stream, evidence->jitter, evidence->result);
}

static int write_page(FILE *stream, void *context)
{
    const struct evidence *evidence = context;
    return pb_report_jitter_html(stream, evidence->jitter, evidence->result);
}

static int report(const struct request *request, const struct pb_file_output *csv, struct evidence *evidence)
{
    const struct pb_report_style style = output_style();
    int exit_code = CLI_PASS;
    if (request->out) {
        if (evidence->result)
            exit_code = output_write(request->out, evidence->result);
        exit_code =
            cli_worse(exit_code, output_form_in(request->out, OUTPUT_JITTER_JSON, write_json, evidence));
        exit_code =
            cli_worse(exit_code, output_form_in(request->out, OUTPUT_JITTER_PAGE, write_page, evidence));
    }
    if (csv)
        exit_code = cli_worse(exit_code, output_form(csv, write_csv, evidence));
    if (request->json)
        return cli_worse(exit_code,
                         output_end(pb_report_jitter_json(stdout, evidence->jitter, evidence->result)));
    if (evidence->result)
        cli_say("%-12s %s", pb_verdict_name(evidence->result->verdict), evidence->result->reason);
    exit_code = cli_worse(exit_code, output_end(pb_report_jitter_text(stdout, evidence->jitter, &style)));
    if (exit_code == CLI_PASS && request->out)
        cli_say("page         %s/" OUTPUT_JITTER_PAGE, request->out);
    return cli_worse(exit_code, cli_flush());
}

/* The table, before the rig is opened. */
static int prepare_tdc(struct request *request, struct pb_jitter_collector *collector)
{
    struct pb_diag diag;
    if (!request->tdc_path)
        return CLI_PASS;
    const int code =
        pb_tdc_read_of_rig(&request->tdc.table, request->tdc_path, request->runner.options.rig_url, &diag);
    if (code)
        return cli_outcome(code, &diag);
    request->tdc.pin = request->tdc_link_given ? request->tdc_link : PB_TDC_CLOCK;
    request->runner.options.tdc = &request->tdc;
    pb_jitter_keep_fine(collector, request->tdc.pin);
    return CLI_PASS;
}

static int compute(struct pb_jitter **jitter, const struct request *request, const struct source *source,
                   struct pb_jitter_collector *collector, const struct pb_result *result)
{
    struct pb_diag diag;
    const int code = request->tdc_path ? pb_jitter_refine(collector, &request->tdc, result, &diag) : PB_OK;
    if (code)
        return cli_outcome(code, &diag);
    if (pb_jitter_compute(jitter, collector, result, source->scenario->follow, request->reference))
        return cli_fail(CLI_BENCH_FAILED, "no memory for all samples; run fewer superframes");
    pb_jitter_calibrate(*jitter, request->runner.options.calibration);
    return CLI_PASS;
}

static int measure(struct request *request, const struct source *source, const struct pb_file_output *csv)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *jitter = NULL;
    struct pb_result *result = NULL;
    struct history_images images = {.count = 0};
    struct pb_calibration calibration;
    bool calibrated = false;
    if (!collector)
        return cli_fail(CLI_BENCH_FAILED, "no memory for samples");
    int exit_code = cal_take(&calibration, &calibrated, &request->cal, request->runner.options.rig_url);
    request->runner.options.calibration = calibrated ? &calibration : NULL;
    if (exit_code == CLI_PASS)
        exit_code = prepare_tdc(request, collector);
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&request->runner.options.recorder, &request->record, source, "jitter",
                                 request->runner.options.rig_url);
    request->runner.options.samples = pb_jitter_sink(collector);
    if (exit_code == CLI_PASS && request->history.path)
        history_look(&images, source->scenario, request->runner.options.rig_url);
    if (exit_code == CLI_PASS)
        exit_code = runner_run(&result, source->scenario, &request->runner);
    /* Without its converter the run did not begin. */
    if (runner_began(exit_code, result) && (!request->tdc_path || request->tdc.scale.taps)) {
        exit_code = cli_worse(exit_code, compute(&jitter, request, source, collector, result));
        if (jitter)
            exit_code =
                cli_worse(exit_code, report(request, csv, &(struct evidence){collector, jitter, result}));
        exit_code = cli_worse(exit_code, history_keep(&request->history, &images, result));
        exit_code = cli_worse(exit_code, pb_verdict_exit_code(result->verdict));
    }
    pb_jitter_free(jitter);
    pb_result_free(result);
    pb_jitter_collector_free(collector);
    return exit_code;
}

static int load_and_measure(struct request *request)
{
    struct source source;
    struct pb_file_output csv;
    const bool replay = pb_rig_target_of(request->runner.options.rig_url).replays;
    int exit_code = vusb_check_url(request->runner.options.rig_url);
    if (!replay && !request->overrides.superframes && !request->overrides.for_s)
        request->overrides.superframes = SUPERFRAMES_DEFAULT;
    if (exit_code == CLI_PASS)
        exit_code = history_check(&request->history);
    if (exit_code == CLI_PASS)
        exit_code =
            source_open(&source, request->scenario_path || replay ? request->scenario_path : SCENARIO_DEFAULT,
                        request->runner.options.rig_url, &request->overrides);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (request->out)
        exit_code = output_prepare(request->out);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&csv, request->csv_path);
    if (exit_code == CLI_PASS)
        exit_code = history_reach(&request->history);
    if (exit_code == CLI_PASS)
        exit_code = measure(request, &source, &csv);
    source_close(&source);
    return exit_code;
}

/* ---- the stamps of another instrument */

static int read_stamps(struct pb_stamps *stamps, const struct from *from)
{
    static const double unit_ps[] = {0, 1e12, 1e9, 1e6, 1e3, 1};
    const struct pb_stamps_choice choice = {.channel = from->channel,
                                            .unit_ps = unit_ps[from->unit],
                                            .step_ps = (double)from->resolution_ps,
                                            .falls = from->edge == EDGE_FALL};
    struct pb_diag diag;
    char *text;
    size_t length;
    const int exit_code = cli_read_file(from->path, STAMPS_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_stamps_read(stamps, from->path, text, length, &choice, &diag);
    free(text);
    return cli_outcome(code, &diag);
}

static int measure_stamps(const struct request *request)
{
    const struct from *const from = &request->from;
    struct pb_stamps stamps;
    struct pb_jitter *jitter;
    struct pb_diag diag;
    int exit_code = read_stamps(&stamps, from);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_jitter_of_stamps(&jitter, &stamps, from->path, from->phases, (double)from->period_ps,
                                         request->reference, &diag);
    pb_stamps_free(&stamps);
    if (code)
        return cli_outcome(code, &diag);
    if (request->out)
        exit_code = output_prepare(request->out);
    if (exit_code == CLI_PASS)
        exit_code = report(request, NULL, &(struct evidence){.jitter = jitter});
    pb_jitter_free(jitter);
    return exit_code;
}

static int measure_file(const struct request *request)
{
    if (request->scenario_path || request->runner.options.rig_url || request->overrides.superframes ||
        request->overrides.for_s || request->overrides.seed_given || request->history.path ||
        request->history.unit || request->history.station || request->history.operator_name ||
        request->tdc_link_given ||
        request->tdc_path || request->record.path || request->record.usb_path || request->cal.path ||
        request->csv_path)
        return cli_fail(CLI_USAGE,
                        "jitter: --from reads the stamps of a file, without a run; give it without "
                        "a scenario, rig, length, seed, history, converter, calibration, recording "
                        "or --csv");
    return measure_stamps(request);
}

/* ---- command line */

static const char *const files[] = {OUTPUT_JITTER_PAGE, OUTPUT_JITTER_JSON, NULL};

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, runner.options.rig_url),
    {"superframes", "N", CLI_COUNT, CLI_AT(request, overrides.superframes), .least = 1,
     .most = SOURCE_SUPERFRAMES_MAX, .otherwise = RUNNER_AS_ARGUMENT(SUPERFRAMES_DEFAULT),
     .help = "how many to measure"},
    CLI_ROW_FOR(request, overrides.for_s),
    {"reference", "HOW", CLI_CHOICE, CLI_AT(request, reference), CLI_GIVEN(request, reference_given),
     .words = "fit nominal", .initial = "fit",
     .help = "reference period of the time interval error: of the straight line through all edges, or the "
             "nominal one"},
    CLI_ROW_SEED(request, overrides.seed, overrides.seed_given),
    CLI_ROW_HISTORY(request, history),
    CLI_ROW_CAL(request, cal),
    {"tdc", "FILE", CLI_FILE, CLI_AT(request, tdc_path), .use = CLI_READS,
     .help = "edges of TDMA_CLK by the time-to-digital converter, with this table of 'phasebench tdc'; "
             "simulated: on the rig " CLI_RIG_TDC},
    {"tdc-link", "N", CLI_COUNT, CLI_AT(request, tdc_link), CLI_GIVEN(request, tdc_link_given), .least = 0,
     .most = PB_JITTER_LINKS - 2, .otherwise = "TDMA_CLK",
     .help = "with --tdc: the converter observes the starts of frames on this link instead"},
    CLI_ROW_RECORD(request, record),
    CLI_ROW_RECORD_USB(request, record),
    CLI_ROW_TIMEOUT(request, runner.options.timeout_s, "limit of wall time",
                    .otherwise = RUNNER_TIMEOUT_DEFAULT " and twice the length of the run"),
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES, .files = files,
     .help = "folder for " OUTPUT_JITTER_PAGE ", " OUTPUT_JITTER_JSON
             " and the report of the run, made when missing"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "every sample, one row each"},
    {"from", "FILE", CLI_FILE, CLI_AT(request, from.path), .use = CLI_READS, .gap = true,
     .help = "no run: the stamps of another instrument, as CSV, VCD or session of sigrok"},
    {"channel", "NAME", CLI_TEXT, CLI_AT(request, from.channel), .otherwise = "the only one",
     .help = "with --from: column or channel, scalar, probe"},
    {"time-unit", "U", CLI_CHOICE, CLI_AT(request, from.unit), .words = "by-name s ms us ns ps",
     .initial = "by-name",
     .help = "with --from: of the stamps in a table, if the name of the column has none"},
    {"edge", "WHICH", CLI_CHOICE, CLI_AT(request, from.edge), .words = "rise fall", .initial = "rise",
     .help = "with --from: of levels"},
    {"resolution-ns", "R", CLI_DECIMAL, CLI_AT(request, from.resolution_ps), .least = 1,
     .most = UINT64_C(1000000000000), .decimals = 3, .unit = "ns", .quantity = PB_QUANTITY_TIME,
     .otherwise = "by the file", .help = "with --from: step of the stamps"},
    {"period-us", "P", CLI_DECIMAL, CLI_AT(request, from.period_ps), .least = 1,
     .most = UINT64_C(1000000000000000), .decimals = 6, .unit = "us", .quantity = PB_QUANTITY_TIME,
     .otherwise = "the mean one", .help = "with --from: nominal period, which the rate refers to"},
    {"phases", "N", CLI_COUNT, CLI_AT(request, from.phases), .least = 1, .most = 1000000, .otherwise = "none",
     .help = "with --from: phases of a superframe, for its period"},
    CLI_ROW_JSON(request, json),
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, runner.quiet), .help = "no progress"},
    {.name = NULL},
};

const struct cli_verb verb_jitter = {
    .name = "jitter",
    .summary = "phase clock and responses of nodes, as a timing laboratory measures them",
    .usage = "[options] [SCENARIO]",
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .about =
        "Runs a scenario (" SCENARIO_DEFAULT
        ") and measures TDMA_CLK and the start of each frame of a node after "
        "the phase edge: period, cycle to cycle, superframe, time interval error, rate and drift, Allan and "
        "time deviation; distribution, quantiles, uncertainty with its budget, and the split into random and "
        "deterministic jitter with its bathtub. "
        "The run is judged as by 'phasebench run'. With --from it computes the same figures of the stamps "
        "of a clock that another instrument took.",
    .options = options,
    .exits =
        "0 pass, 1 a node failed, 2 wrong usage, 3 wrong scenario, 4 the bench failed, 5 inconclusive, 124 "
        "time limit, 130 interrupted",
    .examples = "  phasebench jitter\n"
                "  phasebench jitter --for 10s --out jitter --csv samples.csv\n"
                "  phasebench jitter outside-clock --reference nominal\n"
                "  phasebench jitter --from my_scope.csv --channel CH2 --out jitter\n"
                "  phasebench tdc --table bench.json && phasebench jitter outside-clock --tdc bench.json\n",
    .run = cmd_jitter,
};

int cmd_jitter(int argc, char **argv)
{
    struct request request = {.json = false};
    int exit_code;
    char **const operand = cli_parse(&verb_jitter, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    request.scenario_path = operand[0];
    if (request.from.path)
        return measure_file(&request);
    if (request.from.channel || request.from.resolution_ps || request.from.period_ps || request.from.phases ||
        request.from.unit || request.from.edge)
        return cli_fail(CLI_USAGE, "jitter: --channel, --time-unit, --edge, --resolution-ns, --period-us and "
                                   "--phases are of the stamps of a file; give --from FILE");
    if (request.tdc_link_given && !request.tdc_path)
        return cli_fail(CLI_USAGE, "--tdc-link needs the table of the converter; give --tdc FILE");
    if (request.tdc_path && !request.runner.options.rig_url)
        request.runner.options.rig_url = CLI_RIG_TDC;
    return load_and_measure(&request);
}
