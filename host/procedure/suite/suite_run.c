/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run writes each form of its result to the file of its slot. The parent appends it to the spool, from
 * which the forms of the suite are made in the order of the scenarios. So the memory does not grow with the
 * results.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, prctl */
#include "name_set.h"
#include "overrides.h"
#include "quarantine.h"
#include "suite_select.h"
#include "suite_spool.h"
#include "workers.h"

#include "host/base/exit_code.h"
#include "host/base/monotonic.h"
#include "host/base/utf8.h"
#include "host/procedure/procedure.h"

#include "phasebench/device.h"
#include "phasebench/rig.h"
#include "phasebench/slot_capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* LIMITS: time limits of a task: of the run, and up to two for its waveform. */
enum { LIMITS = 3, GRACE_S = 10, ERRORS_SHOWN = 20 };

/* Exit codes, as of pb_error_exit_code. */
enum { PASSED = 0, BAD_SCENARIO = 3, USAGE = 2, BENCH_FAILED = 4, TIMED_OUT = 124, INTERRUPTED = 130 };

/* Memory shared by the process of a run and the suite. */
struct share {
    struct pb_run_progress progress;
    struct pb_case one;
    size_t length[PB_SUITE_FORMS]; /* of the forms in the file of the slot, in order */
    bool complete;                 /* all fields are valid */
    char lost[256];                /* why the board can run nothing more; "": it can */
};

struct suite {
    const struct pb_procedure *procedure;
    const struct pb_suite_options *options;
    struct pb_suite_results *results;
    struct pb_suite *whole; /* of the results */
    struct own {
        struct pb_scenario_texts texts; /* owned */
        struct pb_scenario_overrides overrides;
        const char *group; /* as in struct pb_suite_entry */
        bool begun;
    } * own;
    size_t skipped, boards_lost;
    size_t failures; /* cases that failed and count */
    unsigned limit_s;
    FILE **slot_file; /* of each slot, owned */
    struct share *share;
    struct pb_diag *diag;
};

static void say(const struct suite *suite, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct suite *suite, const char *format, ...)
{
    const struct pb_suite_observer *observer = &suite->options->observer;
    char sentence[1024];
    va_list arguments;
    if (!observer->say)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    observer->say(observer->context, sentence);
}

static bool is_stopped(const struct suite *suite)
{
    return procedure_stopped(suite->procedure);
}

/* ---- preparation */

static int no_memory(const struct suite *suite)
{
    return pb_fail(suite->diag, PB_ERR_MEMORY, "no memory for the names of %zu scenarios; give fewer",
                   suite->whole->count);
}

/* All errors of a file: the last one is the diagnostic, those before it go to `say`. */
static int refuse_scenario(const struct suite *suite, const char *path, int code)
{
    struct pb_diag error[ERRORS_SHOWN];
    const size_t count = code == PB_ERR_CONFIG ? pb_scenario_errors(path, error, ERRORS_SHOWN) : 0;
    const size_t last = count > ERRORS_SHOWN ? ERRORS_SHOWN : count ? count - 1 : 0;
    for (size_t i = 0; i < last; i++)
        say(suite, "%s", error[i].text);
    if (count > ERRORS_SHOWN)
        return pb_fail(suite->diag, code, "%s: %zu more errors; mend these first", path,
                       count - ERRORS_SHOWN);
    if (count)
        *suite->diag = error[last];
    return code;
}

static int read_scenario(const struct suite *suite, struct pb_scenario **out, struct own *own,
                         const struct pb_suite_entry *entry)
{
    int code;
    if (entry->text) {
        code = pb_scenario_texts_add(&own->texts, entry->path, entry->text, strlen(entry->text));
        if (code)
            return pb_fail(suite->diag, code, "no memory for the scenario '%.60s'", entry->path);
        return pb_scenario_parse_texts(out, &own->texts, false, suite->diag);
    }
    code = pb_scenario_load_texts(out, &own->texts, entry->path, suite->diag);
    return code ? refuse_scenario(suite, entry->path, code) : PB_OK;
}

static unsigned timeout_of(const struct suite *suite, const struct pb_scenario *scenario)
{
    const unsigned limit_s = suite->options->limit_s;
    return limit_s ? limit_s : LIMITS * procedure_timeout_s(suite->procedure, scenario) + GRACE_S;
}

/* Reads the scenario and keeps its texts. */
static int read_case(struct suite *suite, size_t index)
{
    const struct pb_suite_observer *observer = &suite->options->observer;
    struct pb_case *one = &suite->whole->one[index];
    struct own *own = &suite->own[index];
    struct pb_scenario *scenario = NULL;
    own->overrides = suite->options->overrides;
    int code = read_scenario(suite, &scenario, own, &suite->options->entry[index]);
    if (!code)
        code = pb_overrides_resolve(&own->overrides, scenario, suite->diag);
    if (!code)
        code = pb_overrides_apply(&own->overrides, scenario, suite->diag);
    if (!code && observer->read)
        code = observer->read(observer->context, index, scenario, suite->diag);
    if (!code) {
        const unsigned limit_s = timeout_of(suite, scenario);
        suite->limit_s = limit_s > suite->limit_s ? limit_s : suite->limit_s;
        snprintf(one->name, sizeof one->name, "%s", scenario->name);
        snprintf(one->path, sizeof one->path, "%s", scenario->path);
        snprintf(one->reason, sizeof one->reason, "not run: the suite was stopped before");
    }
    pb_scenario_free(scenario); /* rebuilt from its texts */
    return code;
}

static int prepare_case(struct suite *suite, size_t index, struct names *names, struct names *folders)
{
    const struct pb_suite_entry *entry = &suite->options->entry[index];
    struct pb_case *one = &suite->whole->one[index];
    one->verdict = PB_VERDICT_INCONCLUSIVE;
    one->entry = index;
    suite->own[index].group = entry->group;
    if (entry->skipped) {
        snprintf(one->path, sizeof one->path, "%s", entry->path);
        snprintf(one->reason, sizeof one->reason, "%s", entry->skipped);
        one->state = PB_CASE_SKIPPED;
        suite->skipped++;
    } else {
        const int code = read_case(suite, index);
        if (code)
            return code;
    }
    const char *slash = strrchr(one->path, '/');
    snprintf(one->folder, sizeof one->folder, "%.200s", slash ? slash + 1 : one->path);
    char *dot = strrchr(one->folder, '.');
    if (dot && dot != one->folder)
        *dot = '\0';
    if (entry->skipped)
        snprintf(one->name, sizeof one->name, "%.95s", one->folder);
    /* Names that are shown alike would be one case to the readers of a report. */
    char name[sizeof one->name];
    memcpy(name, one->name, sizeof name);
    pb_utf8_clean(one->name, sizeof one->name, name);
    return names_add(names, one->name, sizeof one->name, " (%u)") &&
                   names_add(folders, one->folder, sizeof one->folder, "-%u")
               ? PB_OK
               : no_memory(suite);
}

static int apply_quarantine(struct suite *suite)
{
    const struct pb_suite_options *options = suite->options;
    struct quarantine list;
    int code = quarantine_open(&list, options->quarantine_path, suite->diag);
    const char **group = calloc(suite->whole->count, sizeof *group);
    if (!code && !group)
        code = no_memory(suite);
    for (size_t i = 0; i < suite->whole->count && !code; i++)
        group[i] = suite->own[i].group;
    if (!code)
        code = quarantine_apply(&list, suite->whole, group, options->also, options->also_count, suite->diag);
    free(group);
    quarantine_close(&list);
    return code;
}

/* Names that no folder of a case may have. */
static int reserve(const struct suite *suite, struct names *folders)
{
    static const char *const none[] = {NULL};
    const char *const *more = suite->options->taken ? suite->options->taken : none;
    char name[sizeof suite->whole->one->folder];
    bool good = names_add(folders, strcpy(name, "."), sizeof name, "-%u") &&
                names_add(folders, strcpy(name, ".."), sizeof name, "-%u");
    for (; *more && good; more++) {
        snprintf(name, sizeof name, "%s", *more);
        good = names_add(folders, name, sizeof name, "-%u");
    }
    return good ? PB_OK : no_memory(suite);
}

/* Leaves the cases that run here. Their names and folders are those that they have in the whole suite. */
static int keep_selected(struct suite *suite)
{
    struct pb_suite *whole = suite->whole;
    struct pb_diag missing;
    bool *keep = calloc(whole->count, sizeof *keep);
    size_t kept = 0;
    if (!keep)
        return no_memory(suite);
    const int code = suite_select(suite->options, whole, keep, &missing, suite->diag);
    if (*missing.text)
        say(suite, "%s", missing.text);
    for (size_t i = 0; i < whole->count && !code; i++) {
        if (keep[i]) {
            whole->one[kept] = whole->one[i];
            suite->own[kept++] = suite->own[i];
        } else {
            suite->skipped -= whole->one[i].state == PB_CASE_SKIPPED;
            pb_scenario_texts_free(&suite->own[i].texts);
        }
    }
    free(keep);
    if (!code) { /* the elements after the kept ones were moved or closed */
        memset(suite->own + kept, 0, (whole->count - kept) * sizeof *suite->own);
        whole->count = kept;
    }
    return code;
}

static void stamp(struct pb_suite *whole)
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(whole->started_utc, sizeof whole->started_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int prepare(struct suite *suite)
{
    const struct pb_suite_options *options = suite->options;
    const struct pb_suite_observer *observer = &options->observer;
    struct names names = {.entry = NULL}, folders = {.entry = NULL};
    int code = reserve(suite, &folders);
    for (size_t i = 0; !code && i < suite->whole->count; i++)
        code = prepare_case(suite, i, &names, &folders);
    names_free(&names);
    names_free(&folders);
    if (!code && options->quarantine_path)
        code = apply_quarantine(suite);
    if (!code && (options->last || options->shards))
        code = keep_selected(suite);
    stamp(suite->whole);
    suite->whole->running = true;
    if (!code)
        suite->diag->text[0] = '\0';
    if (!code && observer->prepare)
        code = observer->prepare(observer->context, suite->whole, suite->diag);
    return code;
}

/* ---- in the process of a run */

static volatile sig_atomic_t told_to_end;

static void on_signal(int number)
{
    (void)number;
    told_to_end = 1;
}

static void note_progress(void *context, const struct pb_run_progress *progress)
{
    struct share *share = context;
    share->progress = *progress;
}

/* A run whose result could not be written in any form. */
static void lose(struct pb_case *one)
{
    one->state = PB_CASE_CRASHED;
    one->verdict = PB_VERDICT_INCONCLUSIVE;
    snprintf(one->reason, sizeof one->reason, "its result could not be kept");
    one->exit_code = pb_worse_exit_code(one->exit_code, BENCH_FAILED);
}

/* As a core was reached and the run was not refused. */
static bool began(const struct pb_suite_job *job)
{
    return job->result->core_clock_hz && !job->refused;
}

static enum pb_case_state state_of(const struct pb_suite_job *job)
{
    if (job->refused)
        return PB_CASE_REFUSED;
    if (!began(job) && job->exit_code != INTERRUPTED && job->exit_code != TIMED_OUT)
        return PB_CASE_NO_RIG;
    return *job->result->incomplete ? PB_CASE_INCOMPLETE : PB_CASE_JUDGED;
}

/* Makes the scenario of a case again from its texts, without any file. */
static int renew(const struct suite *suite, size_t index, struct pb_scenario **out, struct pb_diag *diag)
{
    struct own *own = &suite->own[index];
    const int code = pb_scenario_parse_texts(out, &own->texts, true, diag);
    return code ? code : pb_overrides_apply(&own->overrides, *out, diag);
}

/* Runs a case without an observer for it. */
static void run_alone(const struct suite *suite, struct pb_suite_job *job)
{
    struct pb_procedure procedure = *suite->procedure;
    struct pb_slot_capture *capture = NULL;
    struct pb_run_options options = {.timeout_s = procedure_timeout_s(&procedure, job->scenario),
                                     .stop = &told_to_end,
                                     .progress = job->progress,
                                     .context = job->progress_of};
    struct sigaction action = {.sa_handler = on_signal};
    struct pb_diag diag = {.text = ""};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    procedure.rig_url = job->rig_url;
    int code = job->frames ? pb_slot_capture_open(&capture, job->frames, job->scenario, job->rig_url) : PB_OK;
    if (code)
        pb_fail(&diag, code, "no memory for the capture of slot frames");
    else if (capture)
        options.transmissions = pb_slot_capture_sink(capture);
    if (!code)
        code = procedure_begin(&procedure, &options.rig_url, job->scenario, options.timeout_s, &diag);
    if (!code)
        code = pb_run(&job->result, job->scenario, &options, &diag);
    else
        pb_run_none(&job->result, job->scenario, &options, diag.text);
    procedure_end(&procedure);
    if (capture && pb_slot_capture_close(capture, job->result))
        job->frames_errno = errno;
    if (code)
        say(suite, "%s: %s", job->scenario->path, diag.text);
    job->exit_code = code ? pb_error_exit_code(code) : PASSED;
    job->refused = job->exit_code == USAGE || job->exit_code == BAD_SCENARIO;
    if (job->result)
        job->exit_code = pb_worse_exit_code(job->exit_code, pb_verdict_exit_code(job->result->verdict));
}

/* After a failure of the bench: can the board still be opened? */
static void examine_board(struct share *share, const struct suite *suite, const struct pb_suite_job *job)
{
    struct pb_diag diag;
    uint32_t map_hash;
    const enum pb_case_state state = share->one.state;
    if (!suite->options->board || share->one.exit_code != BENCH_FAILED ||
        (state != PB_CASE_NO_RIG && state != PB_CASE_INCOMPLETE))
        return;
    const int code = procedure_reach(suite->procedure, job->rig_url, job->scenario, &map_hash, &diag);
    if (code && code != PB_ERR_INTERRUPTED && code != PB_ERR_MEMORY)
        snprintf(share->lost, sizeof share->lost, "%.255s", diag.text);
}

static const char *url_of(const struct suite *suite, unsigned slot)
{
    return suite->options->board ? suite->options->board[slot].url : suite->procedure->rig_url;
}

static void work(void *context, size_t task, unsigned slot)
{
    struct suite *suite = context;
    const struct pb_suite_observer *observer = &suite->options->observer;
    struct share *share = &suite->share[slot];
    struct pb_case *one = &share->one;
    struct pb_suite_job job = {.one = one,
                               .texts = &suite->own[task].texts,
                               .overrides = &suite->own[task].overrides,
                               .slot = slot,
                               .rig_url = url_of(suite, slot),
                               .progress = note_progress,
                               .progress_of = share};
    struct pb_diag diag;

    prctl(PR_SET_NAME, one->folder); /* for ps and top */
    int code = renew(suite, task, &job.scenario, &diag);
    if (!code && suite->options->forms & 1u << PB_SUITE_PCAP && !(job.frames = tmpfile()))
        code = pb_fail(&diag, PB_ERR_IO, "%s: cannot make a temporary file: %s; check /tmp and ulimit -n",
                       one->path, strerror(errno));
    if (code) {
        say(suite, "%s", diag.text);
        one->exit_code = pb_error_exit_code(code);
        _exit(one->exit_code);
    }
    job.scenario->name = one->name;
    if (observer->run)
        observer->run(observer->context, &job);
    else
        run_alone(suite, &job);
    one->exit_code = job.exit_code;
    if (!job.result)
        _exit(one->exit_code);
    if (job.frames_errno) {
        say(suite, "%s: its transmissions cannot be kept: %s; check the disk of /tmp, or leave --pcap out",
            one->path, strerror(job.frames_errno));
        one->exit_code = job.exit_code = pb_worse_exit_code(one->exit_code, BENCH_FAILED);
    }
    pb_case_fill(one, job.result);
    one->state = state_of(&job);
    examine_board(share, suite, &job);
    if (suite_spool_render(suite->results, suite->slot_file[slot], task, one, job.result,
                           job.frames_errno ? NULL : job.frames, share->length, &diag)) {
        say(suite, "%s", diag.text);
        lose(one);
    }
    share->complete = true;
}

/* ---- in the process of the suite */

static int begin(void *context, size_t task, unsigned slot)
{
    struct suite *suite = context;
    const struct pb_suite_observer *observer = &suite->options->observer;
    const bool again = suite->own[task].begun;
    suite->own[task].begun = true;
    suite->diag->text[0] = '\0';
    int code = observer->begin
                   ? observer->begin(observer->context, suite->whole, task, again, suite->diag)
                   : PB_OK;
    if (code)
        return code;
    if (suite->options->board)
        memcpy(suite->whole->one[task].rig, suite->whole->rig[slot].url, sizeof suite->whole->one[task].rig);
    memset(&suite->share[slot], 0, sizeof suite->share[slot]);
    suite->share[slot].one = suite->whole->one[task];
    return suite_spool_empty(suite->slot_file[slot], suite->diag);
}

static void crash_reason(char reason[256], const struct suite *suite, const struct workers_end *end)
{
    if (end->fork_error)
        snprintf(reason, 256, "no process to run it: %s; close other programs, or give fewer --jobs",
                 strerror(end->fork_error));
    else if (end->hung)
        snprintf(reason, 256, "its process was killed: it had not ended %u s after its begin",
                 suite->limit_s);
    else if (is_stopped(suite) && WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGTERM)
        snprintf(reason, 256, "interrupted before it began"); /* and so before it had handlers of its own */
    else if (WIFSIGNALED(end->status))
        snprintf(reason, 256, "its process crashed: signal %d (%s)", WTERMSIG(end->status),
                 strsignal(WTERMSIG(end->status)));
    else if (is_stopped(suite) && WEXITSTATUS(end->status) == INTERRUPTED)
        snprintf(reason, 256, "interrupted before it was judged");
    else
        snprintf(reason, 256, "its process ended with exit code %d and without a result",
                 WEXITSTATUS(end->status));
}

/* Keeps the forms of a result in place of those that the process of the case left. */
static int replace_forms(struct suite *suite, size_t task, FILE *file, const struct pb_result *result,
                         struct pb_diag *diag)
{
    size_t length[PB_SUITE_FORMS];
    int code = suite_spool_empty(file, diag);
    if (!code)
        code = suite_spool_render(suite->results, file, task, &suite->whole->one[task], result, NULL, length,
                                  diag);
    return code ? code : suite_spool_keep(suite->results, task, file, length, diag);
}

/* Gives a run without a result a result with the reason, in every form. */
static void record_crash(struct suite *suite, const struct workers_end *end)
{
    const struct pb_suite_observer *observer = &suite->options->observer;
    struct pb_case *one = &suite->whole->one[end->task];
    const struct pb_run_options options = {.rig_url = url_of(suite, end->slot)};
    struct pb_scenario *scenario = NULL;
    struct pb_result *result = NULL;
    struct pb_diag diag;
    char reason[256];

    crash_reason(reason, suite, end);
    one->state = PB_CASE_CRASHED;
    one->exit_code = suite->share[end->slot].one.exit_code; /* reported by the run */
    if (one->exit_code == PASSED || end->fork_error) {
        say(suite, "%s: %s", one->path, reason);
        one->exit_code = BENCH_FAILED;
    }
    snprintf(one->reason, sizeof one->reason, "%s", reason);
    if (renew(suite, end->task, &scenario, &diag)) {
        say(suite, "%s", diag.text);
        pb_scenario_free(scenario);
        return;
    }
    const char *name = scenario->name;
    scenario->name = one->name;
    if (pb_run_none(&result, scenario, &options, reason) == PB_OK) {
        pb_case_fill(one, result);
        snprintf(one->reason, sizeof one->reason, "%s", reason);
        if (observer->lost)
            observer->lost(observer->context, suite->whole, end->task, result);
        if (replace_forms(suite, end->task, suite->slot_file[end->slot], result, &diag)) {
            say(suite, "%s", diag.text);
            lose(one);
        }
    }
    scenario->name = name;
    pb_scenario_free(scenario);
    pb_result_free(result);
}

/* A board that was lost runs nothing more; its case goes to another. */
static bool take_out(struct suite *suite, const struct workers_end *end)
{
    const struct share *share = &suite->share[end->slot];
    if (!suite->options->board || end->fork_error || !share->complete || !*share->lost)
        return false;
    struct pb_suite_rig *rig = &suite->whole->rig[end->slot];
    memcpy(rig->lost, share->lost, sizeof rig->lost);
    suite->boards_lost++;
    say(suite, "rig %.100s is taken out: %.200s; %s", rig->url, rig->lost,
        suite->boards_lost < suite->options->boards ? "its case runs again on another" : "no rig is left");
    return true;
}

/* True: the case runs again, as it did not pass. */
static bool try_again(struct suite *suite, size_t task)
{
    struct pb_case *one = &suite->whole->one[task];
    if (pb_case_passed(one) || one->retries == suite->options->retry || is_stopped(suite) ||
        one->state == PB_CASE_REFUSED || one->exit_code == INTERRUPTED)
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
    const struct pb_suite_observer *observer = &suite->options->observer;
    const struct share *share = &suite->share[end->slot];
    struct pb_case *one = &suite->whole->one[end->task];
    struct pb_diag diag;

    const bool lost = take_out(suite, end);
    const unsigned limit = suite->options->max_failures;
    if (lost && suite->boards_lost < suite->options->boards && !is_stopped(suite))
        return WORKERS_RETIRE | WORKERS_AGAIN;
    if (!end->fork_error && share->complete) {
        *one = share->one;
        if (!lost && try_again(suite, end->task))
            return WORKERS_AGAIN;
        if (suite_spool_keep(suite->results, end->task, suite->slot_file[end->slot], share->length, &diag)) {
            say(suite, "%s", diag.text);
            lose(one);
        }
    } else {
        record_crash(suite, end);
        if (try_again(suite, end->task))
            return WORKERS_AGAIN;
    }
    if (suite->options->board)
        suite->whole->rig[end->slot].cases++;
    suite->failures += one->exit_code != PASSED && !pb_case_excused(one);
    if (observer->ended)
        observer->ended(observer->context, suite->whole, end->task);
    return (lost ? WORKERS_RETIRE : WORKERS_GO_ON) |
           (limit && suite->failures >= limit ? WORKERS_STOP : WORKERS_GO_ON);
}

static void look(void *context, const size_t *busy)
{
    const struct suite *suite = context;
    const struct pb_suite_observer *observer = &suite->options->observer;
    struct pb_suite_slot slot[PB_SUITE_JOBS_MAX];
    if (!observer->progress)
        return;
    for (unsigned i = 0; i < suite->whole->jobs; i++)
        slot[i] = (struct pb_suite_slot){.index = busy[i], .progress = suite->share[i].progress};
    observer->progress(observer->context, suite->whole, slot, suite->whole->jobs);
}

static void pass_line(void *context, const char *line, size_t length)
{
    const struct pb_suite_observer *observer = &((const struct suite *)context)->options->observer;
    if (observer->line)
        observer->line(observer->context, line, length);
}

/* The exit code of all cases, and why some did not run. */
static void sum_up(struct suite *suite, int code)
{
    const unsigned limit = suite->options->max_failures;
    const bool stranded = suite->options->board && suite->boards_lost == suite->options->boards;
    int exit_code = code ? pb_error_exit_code(code) : PASSED;
    for (size_t i = 0; i < suite->whole->count; i++) {
        struct pb_case *one = &suite->whole->one[i];
        if (stranded && one->state == PB_CASE_NOT_RUN && !is_stopped(suite)) {
            snprintf(one->reason, sizeof one->reason, "not run: no rig is left");
            one->exit_code = BENCH_FAILED;
        }
        if (limit && suite->failures >= limit && one->state == PB_CASE_NOT_RUN && !is_stopped(suite))
            snprintf(one->reason, sizeof one->reason, "not run: the suite stopped after %zu failure%s",
                     suite->failures, suite->failures == 1 ? "" : "s");
        if (!pb_case_excused(one))
            exit_code = pb_worse_exit_code(exit_code, one->exit_code);
    }
    suite->whole->exit_code = is_stopped(suite) ? pb_worse_exit_code(exit_code, INTERRUPTED) : exit_code;
}

static void run_all(struct suite *suite)
{
    const struct workers workers = {.jobs = suite->whole->jobs,
                                    .tasks = suite->whole->count - suite->skipped,
                                    .limit_s = suite->limit_s,
                                    .stop = suite->procedure->stop,
                                    .begin = begin,
                                    .work = work,
                                    .ended = ended,
                                    .look = look,
                                    .line = pass_line,
                                    .context = suite};
    const int64_t begun_ns = pb_monotonic_ns();
    const int code = workers_run(&workers, suite->diag);
    suite->whole->running = false;
    suite->whole->wall_ns = pb_monotonic_ns() - begun_ns;
    if (code && *suite->diag->text)
        say(suite, "%s", suite->diag->text);
    sum_up(suite, code);
}

static int allocate(struct suite *suite)
{
    const struct pb_suite_options *options = suite->options;
    const size_t wanted = options->jobs ? options->jobs : 1;
    const unsigned jobs = options->board           ? options->boards
                          : wanted < options->count ? (unsigned)wanted
                                                    : (unsigned)options->count;
    const int code = suite_spool_open(&suite->results, options->count, options->board ? jobs : 0,
                                      options->forms, suite->diag);
    if (code)
        return code;
    suite->whole = &suite->results->whole;
    suite->whole->count = options->count;
    suite->whole->jobs = jobs;
    suite->whole->rigs = options->board ? jobs : 0;
    for (unsigned i = 0; i < suite->whole->rigs; i++) {
        struct pb_suite_rig *rig = &suite->whole->rig[i];
        snprintf(rig->url, sizeof rig->url, "%s", options->board[i].url);
        snprintf(rig->serial, sizeof rig->serial, "%s", options->board[i].serial);
    }
    suite->own = calloc(options->count, sizeof *suite->own);
    suite->slot_file = calloc(jobs, sizeof *suite->slot_file);
    void *share =
        mmap(NULL, jobs * sizeof *suite->share, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    suite->share = share == MAP_FAILED ? NULL : share;
    if (!suite->own || !suite->slot_file || !suite->share)
        return pb_fail(suite->diag, PB_ERR_MEMORY, "no memory for %zu scenarios; give fewer", options->count);
    int made = PB_OK;
    for (unsigned i = 0; i < jobs && !made; i++)
        made = suite_spool_file(&suite->slot_file[i], suite->diag);
    return made;
}

static void release(struct suite *suite)
{
    if (!suite->whole)
        return;
    for (unsigned i = 0; suite->slot_file && i < suite->whole->jobs; i++)
        if (suite->slot_file[i])
            fclose(suite->slot_file[i]);
    if (suite->share)
        munmap(suite->share, suite->whole->jobs * sizeof *suite->share);
    for (size_t i = 0; suite->own && i < suite->options->count; i++)
        pb_scenario_texts_free(&suite->own[i].texts);
    free(suite->slot_file);
    free(suite->own);
}

static int check(const struct pb_suite_options *options, struct pb_diag *diag)
{
    if (!options->count)
        return pb_fail(diag, PB_ERR_ARGUMENT, "no scenario, so nothing would be tested; give one or more");
    if (options->count > PB_SUITE_CASES_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%zu scenarios are too many for a suite; at most %u, run them in parts",
                       options->count, PB_SUITE_CASES_MAX);
    if (options->jobs > PB_SUITE_JOBS_MAX || options->boards > PB_SUITE_JOBS_MAX ||
        (options->board && !options->boards))
        return pb_fail(diag, PB_ERR_ARGUMENT, "%u jobs and %u boards are not possible; give 1 to %u",
                       options->jobs, options->boards, PB_SUITE_JOBS_MAX);
    if (options->shards && (!options->shard || options->shard > options->shards))
        return pb_fail(diag, PB_ERR_ARGUMENT, "shard %u/%u is none; give 1 to %u", options->shard,
                       options->shards, options->shards);
    return PB_OK;
}

int pb_suite_run(struct pb_suite_results **out, const struct pb_procedure *procedure,
                 const struct pb_suite_options *options, struct pb_diag *diag)
{
    struct pb_diag own;
    struct suite suite = {.procedure = procedure, .options = options, .diag = diag ? diag : &own};
    *out = NULL;
    suite.diag->text[0] = '\0';
    int code = check(options, suite.diag);
    if (!code)
        code = allocate(&suite);
    if (!code)
        code = prepare(&suite);
    if (!code)
        run_all(&suite);
    release(&suite);
    if (code)
        pb_suite_results_free(suite.results);
    else
        *out = suite.results;
    return code;
}
