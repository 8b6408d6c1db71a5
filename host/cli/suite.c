/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The files of each run of a suite are in a folder of its own, below that of the suite.
 */
#include "suite.h"

#include "cli.h"
#include "suite_forms.h"
#include "vusb.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the request */

int suite_selection_take(struct suite_selection *selection)
{
    const char *text = selection->shard_text, *slash = text ? strchr(text, '/') : NULL;
    char index[16];
    if (!text)
        return CLI_PASS;
    if (!slash || slash - text >= (ptrdiff_t)sizeof index)
        return cli_fail(CLI_USAGE,
                        "--shard is '%.40s'; give I/N, shard I of N, as 1/4 on the first of four machines",
                        text);
    snprintf(index, sizeof index, "%.*s", (int)(slash - text), text);
    return cli_unsigned("--shard, N,", slash + 1, 1, PB_SUITE_SHARDS_MAX, &selection->shards) &&
                   cli_unsigned("--shard, I,", index, 1, selection->shards, &selection->shard)
               ? CLI_PASS
               : CLI_USAGE;
}

static int parse(void *document, const char *text, size_t length, struct pb_diag *diag)
{
    return pb_suite_read_json(document, text, length, diag);
}

int suite_read(struct pb_suite_document *document, const char *path)
{
    *document = (struct pb_suite_document){.result = NULL};
    return cli_read_result(path, parse, document);
}

/* ---- folders */

/* Of each run: also for the counts that the suite adds. */
static bool needs_directory(const struct suite_view *view)
{
    return run_needs_directory(view->request) || view->request->coverage_path;
}

static int place(const struct suite_view *view, const struct pb_case *one, struct run_job *job)
{
    char directory[OUTPUT_PATH_SIZE];
    if (!needs_directory(view))
        return CLI_PASS;
    if (!*view->out)
        return run_job_place(job, "");
    if (!output_path(directory, view->out, one->folder))
        return CLI_BENCH_FAILED;
    const int exit_code = run_job_place(job, directory);
    if (exit_code != CLI_PASS || !view->request->coverage_path || !view->own[one->entry].image)
        return exit_code;
    return output_path(job->coverage_path, job->directory, OUTPUT_COVERAGE) ? CLI_PASS : CLI_BENCH_FAILED;
}

/* Clears the directory of a case that runs again; the files of its first run go to the directory `first`
 * in it. */
static int clear_files(const struct suite_view *view, const struct pb_case *one)
{
    char first[OUTPUT_PATH_SIZE];
    struct run_job job = {.result = NULL};
    bool *kept = &view->own[one->entry].first_kept;
    const int exit_code = place(view, one, &job);
    if (exit_code != CLI_PASS || !*job.directory)
        return exit_code;
    if (*kept || !one->retries)
        return output_clear(job.directory);
    *kept = true;
    return output_path(first, job.directory, "first") ? output_move(first, job.directory) : CLI_BENCH_FAILED;
}

/* Directories of runs not started are empty. */
static void remove_empty(const struct suite_view *view, const struct pb_suite *suite)
{
    for (size_t i = 0; i < suite->count; i++) {
        struct run_job job = {.result = NULL};
        if (suite->one[i].state == PB_CASE_NOT_RUN && needs_directory(view) &&
            place(view, &suite->one[i], &job) == CLI_PASS)
            rmdir(job.directory);
    }
}

/* ---- an observer of the suite. An error has been reported: its diagnostic is empty. */

static int code_of(int exit_code)
{
    return exit_code == CLI_PASS           ? PB_OK
           : exit_code == CLI_USAGE        ? PB_ERR_ARGUMENT
           : exit_code == CLI_BAD_SCENARIO ? PB_ERR_CONFIG
                                           : PB_ERR_IO;
}

int suite_reported(int exit_code, struct pb_diag *diag)
{
    *diag->text = '\0';
    return code_of(exit_code);
}

static int on_read(void *context, size_t entry, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct suite_view *view = context;
    int exit_code = run_check_window(view->request, scenario);
    view->own[entry].image = coverage_has_image(scenario);
    view->images |= view->own[entry].image;
    if (exit_code == CLI_PASS && view->request->gdb.given)
        exit_code = gdb_check(&view->request->gdb, scenario);
    return suite_reported(exit_code, diag);
}

static int on_prepare(void *context, const struct pb_suite *suite, struct pb_diag *diag)
{
    struct suite_view *view = context;
    int exit_code =
        view->request->coverage_path && !view->images ? coverage_refuse("this suite") : CLI_PASS;
    if (exit_code == CLI_PASS && needs_directory(view))
        exit_code = output_begin(view->out);
    for (size_t i = 0; exit_code == CLI_PASS && i < suite->count; i++) {
        struct run_job job = {.result = NULL};
        view->own[suite->one[i].entry].ended = suite->one[i].state == PB_CASE_SKIPPED;
        exit_code = place(view, &suite->one[i], &job);
        if (exit_code == CLI_PASS && *job.directory && suite->one[i].state != PB_CASE_SKIPPED)
            exit_code = output_clear(job.directory);
    }
    if (exit_code == CLI_PASS) {
        suite_forms_prepare(view);
        suite_forms_index(view, suite); /* once more at the end, where a failure counts */
        runner_catch_signals();
    }
    return suite_reported(exit_code, diag);
}

static int on_begin(void *context, const struct pb_suite *suite, size_t index, bool again,
                    struct pb_diag *diag)
{
    return again ? suite_reported(clear_files(context, &suite->one[index]), diag) : PB_OK;
}

/* Of several rigs the one of the slot, with what the map says of it. */
static void take_rig(struct run_request *request, unsigned slot)
{
    if (!request->rigs)
        return;
    const struct pb_map_entry *entry = rigs_entry(request->rigs, slot);
    request->runner.options.rig_url = entry->rig;
    if (*entry->node.unit)
        request->history.unit = entry->node.unit;
    if (*entry->station)
        request->history.station = entry->station;
}

/* In the process of the case, which has no progress line. */
static void on_run(void *context, struct pb_suite_job *job)
{
    struct suite_view *view = context;
    struct run_request request = *view->request;
    struct run_job own = {
        .source = {.scenario = job->scenario, .texts = *job->texts, .overrides = *job->overrides},
        .pcap = job->frames};
    view->drawn = false;
    take_rig(&request, job->slot);
    request.runner.options.progress = job->progress;
    request.runner.options.context = job->progress_of;
    job->exit_code = place(view, job->one, &own);
    if (job->exit_code == CLI_PASS && *own.directory)
        job->exit_code = output_hold(own.directory);
    if (job->exit_code == CLI_PASS)
        job->exit_code = run_job(&own, &request);
    job->result = own.result;
    job->refused = own.refused;
    job->frames_errno = own.pcap_errno;
}

static void on_lost(void *context, const struct pb_suite *suite, size_t index, const struct pb_result *result)
{
    const struct suite_view *view = context;
    struct run_job job = {.result = NULL};
    if (run_writes_files(view->request) && place(view, &suite->one[index], &job) == CLI_PASS)
        output_write(job.directory, result);
}

static void on_ended(void *context, const struct pb_suite *suite, size_t index)
{
    struct suite_view *view = context;
    suite_forms_clear_line(view);
    view->own[suite->one[index].entry].ended = true;
    view->ended++;
    suite_forms_print_lines(view, suite);
}

static void on_progress(void *context, const struct pb_suite *suite, const struct pb_suite_slot *slot,
                        unsigned slots)
{
    suite_forms_progress(context, suite, slot, slots);
}

static void on_say(void *context, const char *sentence)
{
    suite_forms_clear_line(context);
    cli_fail(CLI_PASS, "%s", sentence);
}

static void on_line(void *context, const char *line, size_t length)
{
    suite_forms_clear_line(context);
    runner_pass_line(context, line, length);
}

/* ---- the suite */

/* Each run has left its counts in its folder. */
static int add_coverage(struct suite_view *view, const struct pb_suite *suite)
{
    int exit_code = coverage_sum_begin(&view->covered);
    for (size_t i = 0; i < suite->count && exit_code == CLI_PASS; i++) {
        const struct pb_case *one = &suite->one[i];
        struct run_job job = {.result = NULL};
        if (one->state == PB_CASE_SKIPPED || one->state == PB_CASE_NOT_RUN || !view->own[one->entry].image)
            continue;
        exit_code = place(view, one, &job);
        if (exit_code == CLI_PASS)
            exit_code = coverage_sum_add(&view->covered, job.coverage_path, one->name);
    }
    return exit_code;
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* Names of the suite's own files. */
enum { TAKEN = 7 };
static void name_files(const char *taken[TAKEN], const struct run_request *request)
{
    const char *const path[] = {OUTPUT_INDEX,      OUTPUT_RESULT,      request->junit_path,
                                request->csv_path, request->pcap_path, request->coverage_path};
    size_t count = 0;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        if (path[i])
            taken[count++] = last_part(path[i]);
    taken[count] = NULL;
}

static int read_last(struct pb_suite_document *last, char path[OUTPUT_PATH_SIZE],
                     const struct suite_view *view)
{
    if (!view->request->select.last_failed)
        return CLI_PASS;
    return output_path(path, view->out, OUTPUT_RESULT) ? suite_read(last, path) : CLI_BENCH_FAILED;
}

/* Runs the suite, and shows and writes the forms. */
static int run_and_show(struct suite_view *view, const struct pb_suite_options *options, suite_begin *begin,
                        void *context)
{
    const struct run_request *request = view->request;
    struct pb_suite_results *results;
    struct pb_diag diag;
    struct vusb vusb;
    const struct pb_procedure procedure =
        runner_procedure(&vusb, request->runner.options.rig_url, request->runner.options.timeout_s);
    const int code = begin(context, &results, &procedure, options, &diag);
    if (code)
        return *diag.text ? cli_outcome(code, &diag) : pb_error_exit_code(code);
    const struct pb_suite *suite = pb_suite_results_suite(results);
    int exit_code = suite->exit_code;
    suite_forms_clear_line(view);
    view->results = results;
    if (request->coverage_path)
        exit_code = cli_worse(exit_code, add_coverage(view, suite));
    remove_empty(view, suite);
    exit_code = cli_worse(exit_code, suite_forms_finish(view));
    pb_suite_results_free(results);
    return exit_code;
}

int suite_run(size_t most, const struct run_request *request, suite_begin *begin, void *context)
{
    struct suite_view view = {.request = request, .out = request->out ? request->out : RUN_OUT_DEFAULT};
    struct pb_suite_document last = {.result = NULL};
    char last_path[OUTPUT_PATH_SIZE];
    const unsigned boards = request->rigs ? (unsigned)request->rigs->count : 0;
    const char *taken[TAKEN];
    struct pb_suite_board *board = calloc(boards + 1u, sizeof *board);
    view.own = calloc(most + 1, sizeof *view.own);
    int exit_code = board && view.own
                        ? CLI_PASS
                        : cli_fail(CLI_BENCH_FAILED, "no memory for %zu scenarios; give fewer", most);
    for (unsigned i = 0; board && i < boards; i++)
        board[i] = (struct pb_suite_board){rigs_entry(request->rigs, i)->rig,
                                           rigs_entry(request->rigs, i)->serial};
    if (exit_code == CLI_PASS)
        exit_code = read_last(&last, last_path, &view);
    name_files(taken, request);
    const struct pb_suite_options options = {.overrides = request->overrides,
                                             .jobs = request->jobs,
                                             .board = boards ? board : NULL,
                                             .boards = boards,
                                             .limit_s = request->gdb.given ? PB_RUN_TIMEOUT_MAX_S : 0,
                                             .retry = request->retry,
                                             .max_failures = request->select.max_failures,
                                             .shard = request->select.shard,
                                             .shards = request->select.shards,
                                             .last = request->select.last_failed ? &last.suite : NULL,
                                             .last_name = last_path,
                                             .quarantine_path = request->quarantine_path,
                                             .forms = suite_forms_of(request),
                                             .taken = taken,
                                             .observer = {.read = on_read,
                                                          .prepare = on_prepare,
                                                          .begin = on_begin,
                                                          .run = on_run,
                                                          .lost = on_lost,
                                                          .ended = on_ended,
                                                          .progress = on_progress,
                                                          .say = on_say,
                                                          .line = on_line,
                                                          .context = &view}};
    if (exit_code == CLI_PASS)
        exit_code = run_and_show(&view, &options, begin, context);
    pb_suite_document_free(&last);
    coverage_sum_end(&view.covered);
    free(board);
    free(view.own);
    return exit_code;
}
