/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"
#include "phasebench/shmoo.h"

#include <stdio.h>
#include <string.h>

#define OUTPUT_SHMOO_PAGE "shmoo.html"
#define OUTPUT_SHMOO_JSON "shmoo.json"

struct request {
    struct runner runner;
    struct pb_scenario_overrides overrides;
    const char *axis_text[2], *out, *csv_path;
    unsigned steps, jobs;
    bool json, full;
};

/* ---- forms */

CLI_FORM_BY(write_json, pb_report_shmoo_json)
CLI_FORM_BY(write_csv, pb_report_shmoo_csv)
CLI_FORM_BY(write_html, pb_report_shmoo_html)

static int report(const struct request *request, const struct pb_file_output *csv, struct pb_shmoo *shmoo)
{
    int exit_code = CLI_PASS;
    if (request->out) {
        exit_code = output_form_in(request->out, OUTPUT_SHMOO_JSON, write_json, shmoo);
        exit_code = cli_worse(exit_code, output_form_in(request->out, OUTPUT_SHMOO_PAGE, write_html, shmoo));
    }
    exit_code = cli_worse(exit_code, output_form(csv, write_csv, shmoo));
    if (request->json)
        return cli_worse(exit_code, output_end(pb_report_shmoo_json(stdout, shmoo)));
    pb_report_shmoo_text(stdout, shmoo);
    if (exit_code == CLI_PASS && request->out)
        cli_say("page         %s/" OUTPUT_SHMOO_PAGE, request->out);
    return cli_worse(exit_code, cli_flush());
}

static int run(struct pb_shmoo *shmoo, const struct request *request, const struct pb_shmoo_options *options)
{
    struct vusb vusb;
    const struct pb_procedure procedure =
        runner_procedure(&vusb, request->runner.options.rig_url, request->runner.options.timeout_s);
    struct pb_diag diag;
    runner_catch_signals();
    const int code = pb_shmoo_run(shmoo, &procedure, options, &diag);
    if (code == PB_ERR_INTERRUPTED)
        return CLI_INTERRUPTED;
    return cli_outcome(code, &diag);
}

/* ---- the map */

static int read_axis(struct pb_shmoo_options *options, unsigned axis, const char *text)
{
    struct pb_diag diag;
    const int code = pb_shmoo_axis_read(&options->axis[axis], text, &diag);
    return code ? cli_fail(CLI_USAGE, "--%c: %s", axis ? 'y' : 'x', diag.text) : CLI_PASS;
}

/* A key that the reader does not know would refuse every point. */
static int check_axis(const struct pb_shmoo_options *options, unsigned axis)
{
    struct pb_diag diag;
    const int code = pb_shmoo_check_axis(options, axis, &diag);
    return code ? cli_fail(CLI_BAD_SCENARIO, "--%c: the scenario takes no value of the range: %s",
                           axis ? 'y' : 'x', diag.text)
                : CLI_PASS;
}

static int draw(struct request *request, struct source *source)
{
    struct pb_file_output csv;
    struct pb_shmoo shmoo;
    struct pb_shmoo_options options = {
        .scenario = source->scenario,
        .texts = &source->texts,
        .superframes = source->overrides.superframes,
        .seed = source->overrides.seed_given ? &source->overrides.seed : NULL,
        .steps = request->steps,
        .full = request->full,
        .jobs = request->jobs,
    };
    int exit_code = read_axis(&options, 0, request->axis_text[0]);
    if (exit_code == CLI_PASS)
        exit_code = read_axis(&options, 1, request->axis_text[1]);
    if (exit_code == CLI_PASS && !strcmp(options.axis[0].place, options.axis[1].place))
        exit_code = cli_fail(CLI_USAGE, "--x and --y both vary %s; name two keys", options.axis[0].place);
    for (unsigned axis = 0; axis < 2 && exit_code == CLI_PASS; axis++)
        exit_code = check_axis(&options, axis);
    if (exit_code == CLI_PASS && request->out)
        exit_code = output_prepare(request->out);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&csv, request->csv_path);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = run(&shmoo, request, &options);
    if (shmoo.point)
        exit_code = cli_worse(exit_code, report(request, &csv, &shmoo));
    const enum pb_shmoo_state state = shmoo.point ? pb_shmoo_operating(&shmoo) : PB_SHMOO_UNKNOWN;
    pb_shmoo_free(&shmoo);
    return cli_worse(exit_code, state == PB_SHMOO_FAIL           ? CLI_NODE_FAILED
                                : state == PB_SHMOO_INCONCLUSIVE ? CLI_INCONCLUSIVE
                                                                 : CLI_PASS);
}

/* ---- command line */

static const char *const files[] = {OUTPUT_SHMOO_PAGE, OUTPUT_SHMOO_JSON, NULL};

static const struct cli_option options[] = {
    {"x", "KEY=A..B UNIT", CLI_TEXT, CLI_AT(request, axis_text[0]), .initial = "link.baud=250..2000 kbaud",
     .help = "key of the scenario, and its range, across"},
    {"y", "KEY=A..B UNIT", CLI_TEXT, CLI_AT(request, axis_text[1]), .initial = "link.phase_rate=4..20 kHz",
     .help = "the same, up; list items are counted from 0, as nodes[0].clock_error=-400..400 ppm"},
    {"steps", "N", CLI_COUNT, CLI_AT(request, steps), .least = 1, .most = PB_SHMOO_STEPS_MAX, .initial = "16",
     .help = "of each axis; multiples of 4 let the search leave out most points"},
    {"full", NULL, CLI_FLAG, CLI_AT(request, full),
     .help = "run every point: also islands smaller than 4 steps"},
    {"superframes", "N", CLI_COUNT, CLI_AT(request, overrides.superframes), .least = 1,
     .most = SOURCE_SUPERFRAMES_MAX, .otherwise = "the scenario's", .help = "of each run"},
    CLI_ROW_SEED(request, overrides.seed, overrides.seed_given),
    {"jobs", "N", CLI_COUNT, CLI_AT(request, jobs), .least = 1, .most = PB_SHMOO_JOBS_MAX, .initial = "1",
     .letter = 'j', .help = "how many runs at a time, only on rig sim:"},
    CLI_ROW_RIG(request, runner.options.rig_url),
    CLI_ROW_TIMEOUT(request, runner.options.timeout_s, "limit of wall time of each run",
                    .otherwise = RUNNER_TIMEOUT_DEFAULT " and twice the length of the run"),
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES, .files = files,
     .help = "folder for " OUTPUT_SHMOO_PAGE " and " OUTPUT_SHMOO_JSON ", made when missing"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "every point, one row each"},
    CLI_ROW_JSON(request, json),
    {.name = NULL},
};

const struct cli_verb verb_shmoo = {
    .name = "shmoo",
    .summary = "which values of two parameters a node passes with",
    .usage = "SCENARIO [options]",
    .about = "Runs a scenario under two of its keys, draws where the node passes, and prints how far the "
             "scenario's own "
             "values are from the boundary. Only points near a boundary run.",
    .options = options,
    .least = 1,
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .exits = "0 done, and the operating point does not fail; 1 it fails, 2 wrong usage, 3 wrong scenario, 4 "
             "the bench "
             "failed, 5 the operating point is inconclusive, 130 interrupted",
    .examples = "  phasebench shmoo full-load -j2\n"
                "  phasebench shmoo my.yaml --x 'link.guard=4..40 us' --y 'nodes[0].clock_error=-800..800 "
                "ppm' --out shmoo\n",
    .run = cmd_shmoo,
};

int cmd_shmoo(int argc, char **argv)
{
    struct request request = {.json = false};
    struct source source;
    int exit_code;
    char **const operand = cli_parse(&verb_shmoo, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    const struct pb_rig_target rig = pb_rig_target_of(request.runner.options.rig_url);
    exit_code = vusb_check_url(request.runner.options.rig_url);
    if (exit_code == CLI_PASS && rig.replays)
        exit_code = cli_fail(CLI_USAGE, "shmoo: a recording has a run of its own; give another --rig");
    if (exit_code == CLI_PASS && !rig.in_process && request.jobs > 1)
        exit_code =
            cli_fail(CLI_USAGE, "shmoo: --jobs %u on a rig that is there once; leave it out", request.jobs);
    request.runner.quiet = true;
    if (exit_code == CLI_PASS)
        exit_code = source_open(&source, operand[0], request.runner.options.rig_url, &request.overrides);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = draw(&request, &source);
    source_close(&source);
    return exit_code;
}
