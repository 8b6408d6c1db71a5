/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "host/base/utf8.h"
#include "monitor.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_MAX UINT64_C(1000000000) /* in thousandths */

struct request {
    const char *operand; /* scenario or recording; NULL: none */
    const char *rig_url, *out;
    struct pb_scenario_overrides overrides;
    struct record_options record;
    unsigned timeout_s; /* 0: not given */
    bool json, speed_given;
    uint64_t speed_milli;
    char replay_url[4096 + 8]; /* built from the operand */
};

/* The recording comes first: one that is shown, which may be it, has the others alone. Lines are written
 * while the run lasts. */
static const struct cli_form forms[] = {
    {"monitor.rec", NULL}, {"monitor.txt", NULL}, {"monitor.json", NULL}, {.name = NULL}};

/* The files of the lines, by their form; MONITOR_TEXT and MONITOR_JSON are their numbers among `forms`. */
struct kept {
    char path[MONITOR_FORMS][OUTPUT_PATH_SIZE];
    struct pb_file_stream stream[MONITOR_FORMS];
};

static int begin_kept(struct kept *kept, const char *directory)
{
    int exit_code = CLI_PASS;
    for (enum monitor_form form = MONITOR_TEXT; directory && form < MONITOR_FORMS && !exit_code; form++) {
        const struct pb_file_output file = {.path = kept->path[form]};
        exit_code = output_path(kept->path[form], directory, forms[form].name)
                        ? output_stream_begin(&kept->stream[form], &file)
                        : CLI_BENCH_FAILED;
    }
    return exit_code;
}

static int end_kept(struct kept *kept, bool began)
{
    int exit_code = CLI_PASS;
    for (enum monitor_form form = MONITOR_TEXT; form < MONITOR_FORMS; form++)
        if (!began)
            output_stream_drop(&kept->stream[form]);
        else if (kept->stream[form].stream)
            exit_code = cli_worse(exit_code, output_stream_end(&kept->stream[form], 0));
    return exit_code;
}

static int put_verdict(FILE *out, enum monitor_form form, const struct pb_result *result)
{
    if (form == MONITOR_JSON) {
        json_t *line =
            json_pack("{s:s, s:o, s:i}", "verdict", pb_verdict_name(result->verdict), "reason",
                      pb_form_text(result->reason), "exit_code", pb_verdict_exit_code(result->verdict));
        char *text = line ? json_dumps(line, 0) : NULL;
        json_decref(line);
        if (!text)
            return cli_fail(CLI_BENCH_FAILED, "no memory for the verdict as JSON");
        fprintf(out, "%s\n", text);
        free(text);
    } else {
        pb_form_line(out, "%s: %s", pb_verdict_name(result->verdict), result->reason);
    }
    return CLI_PASS;
}

static int show_verdict(enum monitor_form shown, struct kept *kept, const struct pb_result *result)
{
    int exit_code = put_verdict(stdout, shown, result);
    for (enum monitor_form form = MONITOR_TEXT; form < MONITOR_FORMS; form++)
        if (kept->stream[form].stream)
            exit_code = cli_worse(exit_code, put_verdict(kept->stream[form].stream, form, result));
    return cli_worse(exit_code, cli_flush());
}

static int watch(struct runner *runner, const struct request *request, const struct source *source,
                 struct kept *kept)
{
    FILE *const streams[MONITOR_FORMS] = {[MONITOR_TEXT] = kept->stream[MONITOR_TEXT].stream,
                                          [MONITOR_JSON] = kept->stream[MONITOR_JSON].stream};
    const enum monitor_form form = request->json          ? MONITOR_JSON
                                   : cli_terminal(stdout) ? MONITOR_SCREEN
                                                          : MONITOR_TEXT;
    char title[256], plain[256];
    struct pb_result *result;
    snprintf(plain, sizeof plain, "%.80s on %.160s", source->scenario->name,
             request->rig_url ? request->rig_url : "sim:");
    pb_utf8_clean(title, sizeof title, plain);
    runner_catch_signals();
    struct monitor *monitor =
        monitor_open(source->scenario, form, title, streams, source->recording ? request->speed_milli : 0);
    if (!monitor) {
        end_kept(kept, false);
        return record_end(runner->options.recorder, CLI_BENCH_FAILED, NULL);
    }
    runner->options.context = monitor;
    int exit_code = runner_run(&result, source->scenario, runner);
    const bool began = runner_began(exit_code, result);
    const int shown = monitor_close(monitor);
    if (shown != CLI_PASS)
        exit_code = shown;
    else if (began)
        exit_code = cli_worse(exit_code, show_verdict(form, kept, result));
    exit_code = cli_worse(exit_code, end_kept(kept, began));
    if (result)
        exit_code = cli_worse(exit_code, pb_verdict_exit_code(result->verdict));
    pb_result_free(result);
    return exit_code;
}

static int show(struct request *request, const struct source *source)
{
    const bool replay = source->recording != NULL;
    char recording[OUTPUT_PATH_SIZE];
    struct kept kept = {.stream = {{.stream = NULL}}};
    struct runner runner = {
        .options = {.rig_url = request->rig_url,
                    .timeout_s = replay && !request->timeout_s ? PB_RUN_TIMEOUT_MAX_S : request->timeout_s,
                    .on_events = monitor_on_events},
        .quiet = true,
        .ended = monitor_ended,
    };
    int exit_code = output_forms_begin(request->out, replay ? forms + MONITOR_TEXT : forms);
    if (exit_code == CLI_PASS && request->out && !replay && !request->record.path) {
        exit_code = output_path(recording, request->out, forms->name) ? CLI_PASS : CLI_BENCH_FAILED;
        request->record.path = recording;
    }
    if (exit_code == CLI_PASS)
        exit_code = record_begin(&runner.options.recorder, &request->record, source, "monitor",
                                 request->rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = begin_kept(&kept, request->out);
    if (exit_code == CLI_PASS)
        return watch(&runner, request, source, &kept);
    end_kept(&kept, false);
    return record_end(runner.options.recorder, exit_code, NULL);
}

/* ---- command line */

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, rig_url),
    {"speed", "N", CLI_DECIMAL, CLI_AT(request, speed_milli), CLI_GIVEN(request, speed_given),
     .most = SPEED_MAX, .decimals = 3, .unit = "times the speed of the rig", .initial = "1",
     .help = "of a recording; 0: as fast as possible"},
    {"json", NULL, CLI_FLAG, CLI_AT(request, json),
     .help = "one JSON object for each superframe, and one for the verdict"},
    CLI_ROW_OUT(request, out, forms),
    CLI_ROW_SEED(request, overrides.seed, overrides.seed_given),
    CLI_ROW_SUPERFRAMES(request, overrides.superframes),
    CLI_ROW_FOR(request, overrides.for_s),
    CLI_ROW_CAPTURE(request, overrides.capture, overrides.capture_given),
    CLI_ROW_TIMEOUT(request, timeout_s, "limit of wall time",
                    .otherwise =
                        RUNNER_TIMEOUT_DEFAULT " and twice the length of the run; of a recording the most"),
    CLI_ROW_RECORD(request, record),
    CLI_ROW_RECORD_USB(request, record),
    {.name = NULL},
};

const struct cli_verb verb_monitor = {
    .name = "monitor",
    .summary = "show a run, or a recording, line by line",
    .usage = "SCENARIO [options]\nRECORDING [options]",
    .about = "Runs a scenario, or plays a recording, and shows it: superframe and phase, one row for each "
             "link with what it did in the last phases, rates, errors, and the verdict at the end. On a "
             "terminal it draws in place; elsewhere it writes a line for each superframe. Drawing never "
             "holds up the run.\n"
             "\n"
             "  N  the node sent     B  the bench sent     .  idle\n"
             "  x  a byte without stop bit, or an edge in a phase that is not the link's\n"
             "  !  an alarm of the core",
    .options = options,
    .spared = "monitor.rec",
    .exits = "0 pass (marginal too), 1 a node failed, 2 wrong usage, 3 bad scenario or recording, 4 the "
             "bench failed or the new recording cannot be written, 5 inconclusive, 124 timeout, 130 "
             "interrupted",
    .examples = "  phasebench monitor host/scenarios/demo.yaml\n"
                "  phasebench run host/scenarios/demo.yaml --record demo.rec\n"
                "  phasebench monitor demo.rec --speed 0.01\n"
                "  phasebench monitor demo.rec --speed 0 --json | jq .node_frames\n",
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_monitor,
};

/* A recording as operand is the rig. */
static int find_source(struct request *request)
{
    if (request->operand && !request->rig_url && pb_recording_detect(request->operand)) {
        const int length =
            snprintf(request->replay_url, sizeof request->replay_url, "replay:%s", request->operand);
        if (length >= (int)sizeof request->replay_url)
            return cli_fail(CLI_USAGE, "monitor: the path '%.60s...' is too long; shorten it",
                            request->operand);
        request->rig_url = request->replay_url;
        request->operand = NULL;
    }
    const int exit_code = vusb_check_url(request->rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    const bool replay = pb_rig_target_of(request->rig_url).replays;
    if (!request->operand && !replay)
        return cli_fail(CLI_USAGE, "monitor: nothing to show; give a scenario or a recording");
    if (request->speed_given && !replay)
        return cli_fail(CLI_USAGE, "monitor: --speed is for recordings, a rig has its own; leave it out");
    return CLI_PASS;
}

int cmd_monitor(int argc, char **argv)
{
    struct request request = {.rig_url = NULL};
    struct source source;
    int exit_code;
    char **const operand = cli_parse(&verb_monitor, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    request.operand = operand[0];
    exit_code = find_source(&request);
    if (exit_code == CLI_PASS)
        exit_code = source_open(&source, request.operand, request.rig_url, &request.overrides);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = show(&request, &source);
    source_close(&source);
    return exit_code;
}
