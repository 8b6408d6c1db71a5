/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run writes each form of its result to the file of its slot. The parent appends it to the spool, and
 * builds the forms of the suite from there in the order of the scenarios. So the memory does not grow with
 * the results.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, prctl */
#include "suite.h"

#include "cli.h"
#include "name_set.h"
#include "quarantine.h"
#include "rigs.h"
#include "suite_forms.h"
#include "workers.h"

#include "phasebench/rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* LIMITS: time limits of a task: of the run, and up to two for its waveform. */
enum { LIMITS = 3, GRACE_S = 10 };

/* ---- preparation */

/* Reads the scenario and keeps its texts. */
static int read_case(struct suite *suite, size_t index, const struct suite_entry *entry)
{
    struct pb_case *one = &suite->whole.one[index];
    struct source *source = &suite->own[index].source;
    const int exit_code =
        entry->text
            ? source_open_text(source, entry->path, entry->text, &suite->request->overrides)
            : source_open(source, entry->path, suite->request->runner.options.rig_url,
                          &suite->request->overrides);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int refused = run_check_window(suite->request, source->scenario);
    if (refused != CLI_PASS)
        return refused;
    suite->own[index].image = coverage_has_image(source->scenario);
    suite->images |= suite->own[index].image;
    snprintf(one->name, sizeof one->name, "%s", source->scenario->name);
    snprintf(one->path, sizeof one->path, "%s", source->scenario->path);
    const unsigned limit_s = LIMITS * runner_timeout_s(&suite->request->runner, source->scenario) + GRACE_S;
    suite->limit_s = limit_s > suite->limit_s ? limit_s : suite->limit_s;
    if (suite->request->gdb.given) { /* which may halt it for any time */
        suite->limit_s = PB_RUN_TIMEOUT_MAX_S;
        const int wrong = gdb_check(&suite->request->gdb, source->scenario);
        if (wrong != CLI_PASS)
            return wrong;
    }
    pb_scenario_free(source->scenario); /* rebuilt from its texts */
    source->scenario = NULL;
    snprintf(one->reason, sizeof one->reason, "not run: the suite was stopped before");
    return CLI_PASS;
}

static int prepare_case(struct suite *suite, size_t index, const struct suite_entry *entry,
                        struct names *names, struct names *folders)
{
    struct pb_case *one = &suite->whole.one[index];
    one->verdict = PB_VERDICT_INCONCLUSIVE;
    suite->own[index].group = entry->group;
    if (entry->skipped) {
        snprintf(one->path, sizeof one->path, "%s", entry->path);
        snprintf(one->reason, sizeof one->reason, "%s", entry->skipped);
        one->state = PB_CASE_SKIPPED;
        suite->own[index].ended = true;
        suite->skipped++;
    } else {
        const int exit_code = read_case(suite, index, entry);
        if (exit_code != CLI_PASS)
            return exit_code;
    }
    const char *slash = strrchr(one->path, '/');
    snprintf(one->folder, sizeof one->folder, "%.200s", slash ? slash + 1 : one->path);
    char *dot = strrchr(one->folder, '.');
    if (dot && dot != one->folder)
        *dot = '\0';
    if (entry->skipped)
        snprintf(one->name, sizeof one->name, "%.95s", one->folder);
    if (names_add(names, one->name, sizeof one->name, " (%u)") &&
        names_add(folders, one->folder, sizeof one->folder, "-%u"))
        return CLI_PASS;
    return cli_fail(CLI_BENCH_FAILED, "no memory for the names of %zu scenarios; give fewer",
                    suite->whole.count);
}

static const char *out_of(const struct suite *suite)
{
    return suite->request->out ? suite->request->out : RUN_OUT_DEFAULT;
}

/* Of each run: also for the counts that the suite adds. */
static bool needs_directory(const struct suite *suite)
{
    return run_needs_directory(suite->request) || suite->request->coverage_path;
}

static int place(const struct suite *suite, size_t index, struct run_job *job)
{
    char directory[OUTPUT_PATH_SIZE];
    if (!needs_directory(suite))
        return CLI_PASS;
    if (!*out_of(suite))
        return run_job_place(job, "");
    if (!output_path(directory, out_of(suite), suite->whole.one[index].folder))
        return CLI_BENCH_FAILED;
    const int exit_code = run_job_place(job, directory);
    if (exit_code != CLI_PASS || !suite->request->coverage_path || !suite->own[index].image)
        return exit_code;
    return output_path(job->coverage_path, job->directory, OUTPUT_COVERAGE) ? CLI_PASS : CLI_BENCH_FAILED;
}

static int apply_quarantine(struct suite *suite)
{
    struct quarantine list;
    int exit_code = quarantine_open_now(&list, suite->request->quarantine_path);
    const char **group = calloc(suite->whole.count, sizeof *group);
    if (exit_code == CLI_PASS && !group)
        exit_code = cli_fail(CLI_BENCH_FAILED, "no memory for the names of %zu scenarios; give fewer",
                             suite->whole.count);
    for (size_t i = 0; i < suite->whole.count && exit_code == CLI_PASS; i++)
        group[i] = suite->own[i].group;
    if (exit_code == CLI_PASS)
        exit_code =
            quarantine_apply(&list, &suite->whole, group, suite->request->cases, suite->request->case_count);
    free(group);
    quarantine_close(&list);
    return exit_code;
}

/* Names that no folder of a case may have: those of the suite's own files, and those of no folder. */
static int reserve(const struct suite *suite, struct names *folders)
{
    const struct run_request *request = suite->request;
    const char *const taken[] = {".",        "..",
                                 OUTPUT_INDEX, OUTPUT_RESULT,
                                 request->junit_path, request->csv_path,
                                 request->pcap_path,  request->coverage_path};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        char name[sizeof suite->whole.one->folder];
        const char *slash = taken[i] ? strrchr(taken[i], '/') : NULL;
        snprintf(name, sizeof name, "%s", slash ? slash + 1 : taken[i] ? taken[i] : ".");
        if (taken[i] && !names_add(folders, name, sizeof name, "-%u"))
            return cli_fail(CLI_BENCH_FAILED, "no memory for the names of %zu scenarios; give fewer",
                            suite->whole.count);
    }
    return CLI_PASS;
}

/* Leaves the cases that run here. Their names and folders are those that they have in the whole suite. */
static int keep_selected(struct suite *suite)
{
    const struct suite_selection *selection = &suite->request->select;
    bool *keep = calloc(suite->whole.count, sizeof *keep);
    size_t kept = 0;
    if (!keep)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the names of %zu scenarios; give fewer",
                        suite->whole.count);
    const int exit_code = suite_select(selection, out_of(suite), &suite->whole, keep);
    for (size_t i = 0; i < suite->whole.count && exit_code == CLI_PASS; i++) {
        if (keep[i]) {
            suite->whole.one[kept] = suite->whole.one[i];
            suite->own[kept++] = suite->own[i];
        } else {
            suite->skipped -= suite->whole.one[i].state == PB_CASE_SKIPPED;
            source_close(&suite->own[i].source);
        }
    }
    free(keep);
    if (exit_code == CLI_PASS) { /* the elements after the kept ones were moved or closed */
        memset(suite->own + kept, 0, (suite->whole.count - kept) * sizeof *suite->own);
        suite->whole.count = kept;
    }
    return exit_code;
}

static int prepare(struct suite *suite, const struct suite_entry *entry)
{
    struct names names = {.entry = NULL}, folders = {.entry = NULL};
    int exit_code = reserve(suite, &folders);
    for (size_t i = 0; exit_code == CLI_PASS && i < suite->whole.count; i++)
        exit_code = prepare_case(suite, i, &entry[i], &names, &folders);
    names_free(&names);
    names_free(&folders);
    if (exit_code == CLI_PASS && suite->request->quarantine_path)
        exit_code = apply_quarantine(suite);
    if (exit_code == CLI_PASS && suite_selection_given(&suite->request->select))
        exit_code = keep_selected(suite);
    if (exit_code == CLI_PASS && suite->request->coverage_path && !suite->images)
        exit_code = coverage_refuse("this suite");
    if (exit_code == CLI_PASS && needs_directory(suite))
        exit_code = output_begin(out_of(suite));
    for (size_t i = 0; exit_code == CLI_PASS && i < suite->whole.count; i++) {
        struct run_job job = {.result = NULL};
        exit_code = place(suite, i, &job);
        if (exit_code == CLI_PASS && *job.directory && suite->whole.one[i].state != PB_CASE_SKIPPED)
            exit_code = output_clear(job.directory);
    }
    if (exit_code == CLI_PASS)
        suite_forms_prepare(suite, out_of(suite));
    return exit_code;
}

/* ---- in the process of a run */

static void note_progress(void *context, const struct pb_run_progress *progress)
{
    struct suite_share *share = context;
    share->progress = *progress;
}

/* A run whose result could not be written in any form. */
static void lose(struct pb_case *one)
{
    one->state = PB_CASE_CRASHED;
    one->verdict = PB_VERDICT_INCONCLUSIVE;
    snprintf(one->reason, sizeof one->reason, "its result could not be kept");
    one->exit_code = cli_worse(one->exit_code, CLI_BENCH_FAILED);
}

static enum pb_case_state state_of(const struct run_job *job, int exit_code)
{
    if (job->refused)
        return PB_CASE_REFUSED;
    if (!job->began && exit_code != CLI_INTERRUPTED && exit_code != CLI_TIMEOUT)
        return PB_CASE_NO_RIG;
    return *job->result->incomplete ? PB_CASE_INCOMPLETE : PB_CASE_JUDGED;
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

/* After a failure of the bench: can the rig still be opened? */
static void examine_rig(struct suite_share *share, const struct run_request *request,
                        const struct pb_scenario *scenario)
{
    struct pb_diag diag;
    uint32_t map_hash;
    const enum pb_case_state state = share->one.state;
    if (!request->rigs || share->one.exit_code != CLI_BENCH_FAILED ||
        (state != PB_CASE_NO_RIG && state != PB_CASE_INCOMPLETE))
        return;
    const int code = rigs_reach(request->runner.options.rig_url, scenario, &map_hash, &diag);
    if (code && code != PB_ERR_INTERRUPTED && code != PB_ERR_MEMORY)
        snprintf(share->lost, sizeof share->lost, "%.255s", diag.text);
}

static void work(void *context, size_t task, unsigned slot)
{
    struct suite *suite = context;
    struct suite_share *share = &suite->share[slot];
    struct pb_case *one = &share->one;
    struct run_request request = *suite->request;
    struct run_job job = {.source = suite->own[task].source};

    take_rig(&request, slot);

    prctl(PR_SET_NAME, one->folder); /* for ps and top */
    request.runner.options.progress = note_progress;
    request.runner.options.context = share;
    one->exit_code = place(suite, task, &job);
    if (one->exit_code == CLI_PASS && *job.directory)
        one->exit_code = output_hold(job.directory);
    if (one->exit_code == CLI_PASS)
        one->exit_code = source_renew(&job.source);
    if (one->exit_code != CLI_PASS)
        _exit(one->exit_code);
    job.source.scenario->name = one->name;
    if (request.pcap_path && !(job.pcap = tmpfile()))
        _exit(cli_fail(CLI_BENCH_FAILED, "%s: cannot make a temporary file: %s; check /tmp and ulimit -n",
                       one->path, strerror(errno)));
    one->exit_code = run_job(&job, &request);
    if (!job.result)
        _exit(one->exit_code);
    if (job.pcap_errno)
        one->exit_code = cli_worse(
            one->exit_code, cli_fail(CLI_BENCH_FAILED, "%s: its transmissions cannot be kept: %s; check the "
                                                       "disk of /tmp, or leave --pcap out",
                                     one->path, strerror(job.pcap_errno)));
    pb_case_fill(one, job.result);
    one->state = state_of(&job, one->exit_code);
    examine_rig(share, &request, job.source.scenario);
    if (suite_forms_render(suite, suite->slot_file[slot], task, one, job.result,
                           job.pcap_errno ? NULL : job.pcap, share->length) != CLI_PASS)
        lose(one);
    share->complete = true;
}

/* ---- in the process of the suite */

/* Clears the directory of a case that runs again; the files of its first run go to the directory `first`
 * in it. */
static int clear_files(struct suite *suite, size_t task)
{
    char first[OUTPUT_PATH_SIZE];
    struct run_job job = {.result = NULL};
    bool *kept = &suite->own[task].first_kept;
    const int exit_code = place(suite, task, &job);
    if (exit_code != CLI_PASS || !*job.directory)
        return exit_code;
    if (*kept || !suite->whole.one[task].retries)
        return output_clear(job.directory);
    *kept = true;
    return output_path(first, job.directory, "first") ? output_move(first, job.directory) : CLI_BENCH_FAILED;
}

static int begin(void *context, size_t task, unsigned slot)
{
    struct suite *suite = context;
    const bool repeated = suite->own[task].begun;
    suite->own[task].begun = true;
    if (repeated && clear_files(suite, task) != CLI_PASS)
        return CLI_BENCH_FAILED;
    if (suite->whole.rigs)
        memcpy(suite->whole.one[task].rig, suite->whole.rig[slot].url, sizeof suite->whole.one[task].rig);
    memset(&suite->share[slot], 0, sizeof suite->share[slot]);
    suite->share[slot].one = suite->whole.one[task];
    rewind(suite->slot_file[slot]);
    if (ftruncate(fileno(suite->slot_file[slot]), 0) == 0)
        return CLI_PASS;
    return cli_fail(CLI_BENCH_FAILED, "cannot write a temporary file: %s; check the disk of /tmp",
                    strerror(errno));
}

static void crash_reason(char reason[256], const struct suite *suite, const struct workers_end *end)
{
    if (end->fork_error)
        snprintf(reason, 256, "no process to run it: %s; close other programs, or give fewer --jobs",
                 strerror(end->fork_error));
    else if (end->hung)
        snprintf(reason, 256, "its process was killed: it had not ended %u s after its begin",
                 suite->limit_s);
    else if (runner_stopped() && WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGTERM)
        snprintf(reason, 256, "interrupted before it began"); /* and so before it had handlers of its own */
    else if (WIFSIGNALED(end->status))
        snprintf(reason, 256, "its process crashed: signal %d (%s)", WTERMSIG(end->status),
                 strsignal(WTERMSIG(end->status)));
    else if (runner_stopped() && WEXITSTATUS(end->status) == CLI_INTERRUPTED)
        snprintf(reason, 256, "interrupted before it was judged");
    else
        snprintf(reason, 256, "its process ended with exit code %d and without a result",
                 WEXITSTATUS(end->status));
}

/* Gives a run without a result a result with the reason, in every form. */
static void record_crash(struct suite *suite, const struct workers_end *end)
{
    struct pb_case *one = &suite->whole.one[end->task];
    struct run_job job = {.source = suite->own[end->task].source};
    const struct pb_run_options options = {.rig_url =
                                               suite->whole.rigs ? suite->whole.rig[end->slot].url
                                                                 : suite->request->runner.options.rig_url};
    char reason[256];
    size_t length[SUITE_FORMS];

    crash_reason(reason, suite, end);
    one->state = PB_CASE_CRASHED;
    one->exit_code = suite->share[end->slot].one.exit_code; /* reported by the run */
    if (one->exit_code == CLI_PASS || end->fork_error)
        one->exit_code = cli_fail(CLI_BENCH_FAILED, "%s: %s", one->path, reason);
    snprintf(one->reason, sizeof one->reason, "%s", reason);
    if (source_renew(&job.source) != CLI_PASS)
        return;
    const char *name = job.source.scenario->name;
    job.source.scenario->name = one->name;
    if (pb_run_none(&job.result, job.source.scenario, &options, reason) == PB_OK) {
        pb_case_fill(one, job.result);
        snprintf(one->reason, sizeof one->reason, "%s", reason);
        if (run_writes_files(suite->request) && place(suite, end->task, &job) == CLI_PASS)
            output_write(job.directory, job.result);
        rewind(suite->slot_file[end->slot]);
        if (ftruncate(fileno(suite->slot_file[end->slot]), 0) ||
            suite_forms_render(suite, suite->slot_file[end->slot], end->task, one, job.result, NULL,
                               length) != CLI_PASS ||
            suite_forms_keep(suite, end->task, suite->slot_file[end->slot], length) != CLI_PASS)
            lose(one);
    }
    job.source.scenario->name = name;
    pb_scenario_free(job.source.scenario);
    pb_result_free(job.result);
}

/* A rig that was lost runs nothing more; its case goes to another. */
static bool take_out(struct suite *suite, const struct workers_end *end)
{
    const struct suite_share *share = &suite->share[end->slot];
    struct pb_suite_rig *rig = &suite->whole.rig[end->slot];
    if (!suite->whole.rigs || end->fork_error || !share->complete || !*share->lost)
        return false;
    memcpy(rig->lost, share->lost, sizeof rig->lost);
    suite->rigs_lost++;
    cli_fail(CLI_PASS, "rig %.100s is taken out: %.200s; %s", rig->url, rig->lost,
             suite->rigs_lost < suite->whole.rigs ? "its case runs again on another" : "no rig is left");
    return true;
}

/* True: the case runs again, as it did not pass. */
static bool try_again(struct suite *suite, size_t task)
{
    struct pb_case *one = &suite->whole.one[task];
    if (pb_case_passed(one) || one->retries == suite->request->retry || runner_stopped() ||
        one->state == PB_CASE_REFUSED || one->exit_code == CLI_INTERRUPTED)
        return false;
    if (!one->retries) {
        memcpy(one->first_reason, one->reason, sizeof one->first_reason);
        snprintf(one->first_id, sizeof one->first_id, "%s",
                 one->state == PB_CASE_JUDGED ? pb_verdict_name(one->verdict) : pb_case_state_id(one->state));
    }
    one->retries++;
    return true;
}

static enum workers_next ended(void *context, const struct workers_end *end)
{
    struct suite *suite = context;
    const struct suite_share *share = &suite->share[end->slot];
    struct pb_case *one = &suite->whole.one[end->task];

    suite_forms_clear_line(suite);
    const bool lost = take_out(suite, end);
    const unsigned limit = suite->request->select.max_failures;
    if (lost && suite->rigs_lost < suite->whole.rigs && !runner_stopped())
        return WORKERS_RETIRE | WORKERS_AGAIN;
    if (!end->fork_error && share->complete) {
        *one = share->one;
        if (!lost && try_again(suite, end->task))
            return WORKERS_AGAIN;
        if (suite_forms_keep(suite, end->task, suite->slot_file[end->slot], share->length) != CLI_PASS)
            lose(one);
    } else {
        record_crash(suite, end);
        if (try_again(suite, end->task))
            return WORKERS_AGAIN;
    }
    if (suite->whole.rigs)
        suite->whole.rig[end->slot].cases++;
    suite->own[end->task].ended = true;
    suite->ended++;
    suite_forms_print_lines(suite);
    suite->failures += one->exit_code != CLI_PASS && !pb_case_excused(one);
    return (lost ? WORKERS_RETIRE : WORKERS_GO_ON) |
           (limit && suite->failures >= limit ? WORKERS_STOP : WORKERS_GO_ON);
}

static void look(void *context, const size_t *busy)
{
    suite_forms_progress(context, busy);
}

static void before_line(void *context)
{
    suite_forms_clear_line(context);
}

static int run_all(struct suite *suite)
{
    const struct workers workers = {.jobs = suite->whole.jobs,
                                    .tasks = suite->whole.count - suite->skipped,
                                    .limit_s = suite->limit_s,
                                    .begin = begin,
                                    .work = work,
                                    .ended = ended,
                                    .look = look,
                                    .before_line = before_line,
                                    .context = suite};
    const int64_t begun_ns = cli_now_ns();
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(suite->whole.started_utc, sizeof suite->whole.started_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
    suite->whole.running = true;
    suite_forms_index(suite, out_of(suite)); /* once more at the end, where a failure counts */
    int exit_code = workers_run(&workers);
    suite_forms_clear_line(suite);
    suite->whole.running = false;
    suite->whole.wall_ns = cli_now_ns() - begun_ns;
    const unsigned limit = suite->request->select.max_failures;
    const bool stranded = suite->whole.rigs && suite->rigs_lost == suite->whole.rigs;
    for (size_t i = 0; i < suite->whole.count; i++) {
        struct pb_case *one = &suite->whole.one[i];
        if (stranded && one->state == PB_CASE_NOT_RUN && !runner_stopped()) {
            snprintf(one->reason, sizeof one->reason, "not run: no rig is left");
            one->exit_code = CLI_BENCH_FAILED;
        }
        if (limit && suite->failures >= limit && one->state == PB_CASE_NOT_RUN && !runner_stopped())
            snprintf(one->reason, sizeof one->reason, "not run: the suite stopped after %zu failure%s",
                     suite->failures, suite->failures == 1 ? "" : "s");
        if (!pb_case_excused(one))
            exit_code = cli_worse(exit_code, one->exit_code);
    }
    if (runner_stopped())
        exit_code = cli_worse(exit_code, CLI_INTERRUPTED);
    suite->whole.exit_code = exit_code;
    return exit_code;
}

/* Directories of runs not started are empty. */
static void remove_empty(const struct suite *suite)
{
    for (size_t i = 0; i < suite->whole.count; i++) {
        struct run_job job = {.result = NULL};
        if (suite->whole.one[i].state == PB_CASE_NOT_RUN && needs_directory(suite) &&
            place(suite, i, &job) == CLI_PASS)
            rmdir(job.directory);
    }
}

static int allocate(struct suite *suite)
{
    const unsigned jobs = suite->whole.jobs;
    const struct rigs *rigs = suite->request->rigs;
    suite->whole.rigs = rigs ? jobs : 0;
    suite->whole.rig = rigs ? calloc(jobs, sizeof *suite->whole.rig) : NULL;
    for (unsigned i = 0; suite->whole.rig && i < jobs; i++) {
        snprintf(suite->whole.rig[i].url, PB_CASE_RIG_SIZE, "%s", rigs_entry(rigs, i)->rig);
        snprintf(suite->whole.rig[i].serial, sizeof suite->whole.rig[i].serial, "%s",
                 rigs_entry(rigs, i)->serial);
    }
    suite->whole.one = calloc(suite->whole.count, sizeof *suite->whole.one);
    suite->own = calloc(suite->whole.count, sizeof *suite->own);
    suite->slot_file = calloc(jobs, sizeof *suite->slot_file);
    void *share =
        mmap(NULL, jobs * sizeof *suite->share, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    suite->share = share == MAP_FAILED ? NULL : share;
    if ((rigs && !suite->whole.rig) || !suite->whole.one || !suite->own || !suite->slot_file || !suite->share)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu scenarios; give fewer", suite->whole.count);
    suite->spool = tmpfile();
    bool good = suite->spool != NULL;
    for (unsigned i = 0; i < jobs && good; i++)
        good = (suite->slot_file[i] = tmpfile()) != NULL;
    return good ? CLI_PASS
                : cli_fail(CLI_BENCH_FAILED, "cannot make a temporary file: %s; check /tmp and ulimit -n",
                           strerror(errno));
}

static void release(struct suite *suite)
{
    for (unsigned i = 0; suite->slot_file && i < suite->whole.jobs; i++)
        if (suite->slot_file[i])
            fclose(suite->slot_file[i]);
    if (suite->spool)
        fclose(suite->spool);
    if (suite->share)
        munmap(suite->share, suite->whole.jobs * sizeof *suite->share);
    for (size_t i = 0; suite->own && i < suite->whole.count; i++)
        source_close(&suite->own[i].source);
    coverage_sum_end(&suite->covered);
    free(suite->slot_file);
    free(suite->own);
    free(suite->whole.one);
    free(suite->whole.rig);
}

/* Each run has left its counts in its folder. */
static int add_coverage(struct suite *suite)
{
    int exit_code = coverage_sum_begin(&suite->covered);
    for (size_t i = 0; i < suite->whole.count && exit_code == CLI_PASS; i++) {
        const struct pb_case *one = &suite->whole.one[i];
        struct run_job job = {.result = NULL};
        if (one->state == PB_CASE_SKIPPED || one->state == PB_CASE_NOT_RUN || !suite->own[i].image)
            continue;
        exit_code = place(suite, i, &job);
        if (exit_code == CLI_PASS)
            exit_code = coverage_sum_add(&suite->covered, job.coverage_path, one->name);
    }
    return exit_code;
}

int suite_run(const struct suite_entry *entry, size_t count, const struct run_request *request)
{
    const size_t wanted = request->rigs ? request->rigs->count : request->jobs ? request->jobs : 1;
    struct suite suite = {
        .request = request,
        .whole = {.count = count, .jobs = (unsigned)(request->rigs || wanted < count ? wanted : count)}};
    if (count > SUITE_SCENARIOS_MAX)
        return cli_fail(CLI_USAGE, "%zu scenarios are too many for a suite; at most %u, run them in parts",
                        count, SUITE_SCENARIOS_MAX);
    int exit_code = allocate(&suite);
    if (exit_code == CLI_PASS)
        exit_code = prepare(&suite, entry);
    if (exit_code == CLI_PASS) {
        exit_code = run_all(&suite);
        if (request->coverage_path)
            exit_code = cli_worse(exit_code, add_coverage(&suite));
        remove_empty(&suite);
        exit_code = cli_worse(exit_code, suite_forms_finish(&suite, out_of(&suite)));
    }
    release(&suite);
    return exit_code;
}
