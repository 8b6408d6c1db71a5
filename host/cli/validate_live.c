/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate.h"
#include "output.h"
#include "runner.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { BAR_CELLS = 24 };
#define REDRAW_NS INT64_C(200000000)

/* Waits until the reader of the events ends, which closes the pipe; a file has no reader. Without a reader
 * the supply of the unit could remain on unnoticed: the validation stops as at a signal. */
static void *watch_reader(void *context)
{
    struct validate_live *live = context;
    struct pollfd end = {.fd = fileno(live->events)};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        continue;
    if (end.revents & (POLLERR | POLLHUP)) {
        atomic_store(&live->reader_gone, true);
        runner_stop();
    }
    return NULL;
}

/* Signals go to the thread that runs the validation. */
static int start_watch(struct validate_live *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&live->watcher, NULL, watch_reader, live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    live->watched = !error;
    return error ? cli_fail(CLI_BENCH_FAILED, "--events: no thread: %s; close other programs",
                            strerror(error))
                 : CLI_PASS;
}

int validate_live_begin(struct validate_live *live, const char *events_path, bool quiet)
{
    *live = (struct validate_live){.bar = !quiet && cli_terminal(stderr), .begun_ns = cli_now_ns()};
    if (!events_path)
        return CLI_PASS;
    live->events_path = events_path;
    live->events = fopen(events_path, "we");
    if (!live->events)
        return cli_fail(CLI_USAGE, "--events: '%.200s' cannot be written: %s; give a file or a pipe",
                        events_path, strerror(errno));
    return start_watch(live);
}

int validate_live_close(struct validate_live *live)
{
    if (live->watched) {
        pthread_cancel(live->watcher);
        pthread_join(live->watcher, NULL);
        live->watched = false;
    }
    const bool failed = live->events && (fclose(live->events) || live->events_failed);
    live->events = NULL;
    if (failed)
        output_drop_empty(live->events_path);
    if (atomic_load(&live->reader_gone))
        return cli_fail(CLI_BENCH_FAILED, "--events: their reader is gone, so the validation was stopped; "
                                          "keep the reader alive to the end");
    return failed
               ? cli_fail(CLI_BENCH_FAILED, "--events: a line could not be written; make room")
               : CLI_PASS;
}

/* Writes one line. On a full disk the validation continues without events. */
static void emit(struct validate_live *live, json_t *line)
{
    if (live->events && !live->events_failed) {
        char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
        live->events_failed = !text || fprintf(live->events, "%s\n", text) < 0 || fflush(live->events);
        free(text);
    }
    json_decref(line);
}

/* ---- the bar */

void validate_live_clear(struct validate_live *live)
{
    if (live->drawn)
        fputs("\r\033[K", stderr);
    live->drawn = false;
}

static void draw(struct validator *validator, double share, double left_s)
{
    struct validate_live *live = &validator->live;
    const struct pb_validation *validation = validator->validation;
    char bar[BAR_CELLS + 1], line[160];
    const unsigned filled = (unsigned)(share * BAR_CELLS);
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', filled < BAR_CELLS ? filled : BAR_CELLS);
    bar[BAR_CELLS] = '\0';
    const uint64_t left = (uint64_t)ceil(left_s);
    int length = snprintf(line, sizeof line, "%-10s [%s] %3.0f %%, %" PRIu64 ":%02" PRIu64 " left",
                          validation->step[validation->steps - 1].id, bar, 100 * share, left / 60, left % 60);
    const unsigned columns = cli_columns(stderr);
    if ((unsigned)length >= columns)
        length = (int)columns - 1;
    fprintf(stderr, "\r\033[K%.*s", length, line);
    fflush(stderr);
    live->drawn = true;
}

void validate_live_progress(struct validator *validator, double share)
{
    struct validate_live *live = &validator->live;
    const int64_t now_ns = cli_now_ns();
    if ((!live->events && !live->bar) || now_ns - live->drawn_ns < REDRAW_NS || !live->whole)
        return;
    live->drawn_ns = now_ns;
    const double elapsed_s = (double)(now_ns - live->begun_ns) / 1e9;
    const double done = live->done + live->current * fmin(fmax(share, 0), 1);
    const double left_s = done > 0 ? elapsed_s / done * (live->whole - done) : live->whole;
    if (live->bar)
        draw(validator, done / live->whole, left_s);
    if (live->events)
        emit(live, json_pack("{s:s, s:i, s:f, s:f}", "event", "progress", "index",
                             (int)validator->validation->steps - 1, "share", done / live->whole, "left_s",
                             left_s));
}

/* ---- events */

void validate_live_plan(struct validator *validator, const struct validate_step *const *step, unsigned steps)
{
    struct validate_live *live = &validator->live;
    const struct pb_validation *validation = validator->validation;
    json_t *list = json_array();
    for (unsigned i = 0; i < steps; i++) {
        live->whole += fmax(step[i]->cost[validator->profile], 0.1);
        json_array_append_new(list, json_pack("{s:s, s:s}", "id", step[i]->id, "purpose", step[i]->purpose));
    }
    if (!live->events) {
        json_decref(list);
        return;
    }
    emit(live,
         json_pack("{s:s, s:i, s:o, s:o, s:s, s:o, s:s}", "event", "begin", "pid", (int)getpid(), "serial",
                   cli_json_text(validation->unit), "operator", cli_json_text(validation->operator_name),
                   "profile", validation->profile, "steps", list, "started_utc", validation->started_utc));
}

static double cost_of(const struct validator *validator, const char *id)
{
    for (const struct validate_step *step = validate_steps; step->id; step++)
        if (!strcmp(step->id, id))
            return fmax(step->cost[validator->profile], 0.1);
    return 0;
}

void validate_live_step(struct validator *validator, unsigned index, const char *state, const char *reason)
{
    struct validate_live *live = &validator->live;
    const bool begins = !strcmp(state, "running");
    live->done += begins ? 0 : live->current;
    live->current = begins ? cost_of(validator, validator->validation->step[index].id) : 0;
    if (live->events && begins)
        emit(live, json_pack("{s:s, s:i, s:s}", "event", "step", "index", (int)index, "state", state));
    else if (live->events)
        emit(live, json_pack("{s:s, s:i, s:s, s:o}", "event", "step", "index", (int)index, "state", state,
                             "reason", cli_json_text(reason)));
    validate_live_progress(validator, 0);
}

static void limits_text(const struct pb_item_value *value, char *text, size_t size)
{
    const struct pb_item_shown lower = pb_item_shown(value->item, value->lower),
                               upper = pb_item_shown(value->item, value->upper);
    if (value->lower != PB_ABSENT && value->upper != PB_ABSENT)
        snprintf(text, size, "%s to %s", lower.text, upper.text);
    else if (value->lower != PB_ABSENT)
        snprintf(text, size, "at least %s", lower.text);
    else if (value->upper != PB_ABSENT)
        snprintf(text, size, "at most %s", upper.text);
    else
        snprintf(text, size, "no limit");
}

void validate_live_value(struct validator *validator, const struct pb_item_value *value)
{
    char limits[112];
    if (!validator->live.events)
        return;
    limits_text(value, limits, sizeof limits);
    emit(&validator->live,
         json_pack("{s:s, s:i, s:s, s:s, s:s, s:s}", "event", "value", "index",
                   (int)validator->validation->steps - 1, "name", value->name, "text",
                   pb_item_shown(value->item, value->value).text, "limits", limits, "judgement",
                   pb_judgement_name((int)value->judgement)));
}

void validate_live_end(struct validator *validator)
{
    const struct pb_validation *validation = validator->validation;
    const struct pb_step *look = pb_validation_first(validation);
    const struct pb_item_value *worst = pb_validation_worst(validation);
    char text[112] = "", reason[480] = "";
    validate_live_clear(&validator->live);
    if (!validator->live.events)
        return;
    if (worst)
        snprintf(text, sizeof text, "%s %s", worst->name,
                 pb_item_shown(worst->item, worst->value).text);
    if (look)
        snprintf(reason, sizeof reason, "%s: %s", look->id, look->reason);
    emit(&validator->live, json_pack("{s:s, s:s, s:o, s:s}", "event", "end", "go",
                                     pb_go_name(pb_validation_go(validation)), "look", cli_json_text(reason),
                                     "worst", text));
}
