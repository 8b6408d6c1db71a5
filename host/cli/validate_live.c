/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "progress.h"
#include "runner.h"
#include "validate_watch.h"

#include "host/base/monotonic.h"
#include "host/base/whole_file.h"
#include "host/report/validation_events.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Waits until the reader of the events ends, which closes the pipe; a file has no reader. Without a reader
 * the supply of the unit could remain on unnoticed: the validation stops as at a signal. */
static void *watch_reader(void *context)
{
    struct validate_watch *live = context;
    struct pollfd end = {.fd = fileno(live->events)};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        continue;
    if (end.revents & (POLLERR | POLLHUP)) {
        atomic_store(&live->reader_gone, true);
        runner_stop();
    }
    return NULL;
}

static int start_watch(struct validate_watch *live)
{
    const int error = runner_thread(&live->watcher, watch_reader, live);
    live->watched = !error;
    return error ? cli_fail(CLI_BENCH_FAILED, "--events: no thread: %s; close other programs",
                            strerror(error))
                 : CLI_PASS;
}

int validate_live_begin(struct validate_watch *live, const char *events_path, bool quiet)
{
    live->bar = !quiet && cli_terminal(stderr);
    live->begun_ns = pb_monotonic_ns();
    if (!events_path)
        return CLI_PASS;
    live->events_path = events_path;
    live->events = fopen(events_path, "we");
    if (!live->events)
        return cli_fail(CLI_USAGE, "--events: '%.200s' cannot be written: %s; give a file or a pipe",
                        events_path, strerror(errno));
    return start_watch(live);
}

int validate_live_close(struct validate_watch *live)
{
    if (live->watched) {
        pthread_cancel(live->watcher);
        pthread_join(live->watcher, NULL);
        live->watched = false;
    }
    const bool failed = live->events && (fclose(live->events) || live->events_failed);
    live->events = NULL;
    if (failed)
        pb_drop_empty_file(live->events_path);
    if (atomic_load(&live->reader_gone))
        return cli_fail(CLI_BENCH_FAILED, "--events: their reader is gone, so the validation was stopped; "
                                          "keep the reader alive to the end");
    return failed
               ? cli_fail(CLI_BENCH_FAILED, "--events: a line could not be written; make room")
               : CLI_PASS;
}

/* Writes one line. On a full disk the validation continues without events. */
static void emit(struct validate_watch *live, json_t *line)
{
    if (live->events && !live->events_failed) {
        char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
        live->events_failed = !text || fprintf(live->events, "%s\n", text) < 0 || fflush(live->events);
        free(text);
    }
    json_decref(line);
}

/* ---- the bar */

void validate_live_clear(struct validate_watch *live)
{
    progress_clear(&live->drawn);
}

static void draw(struct validate_watch *live, const struct pb_validation *validation, double share,
                 double left_s)
{
    char bar[PROGRESS_BAR_CELLS + 1], line[160];
    progress_bar(bar, share);
    const uint64_t left = (uint64_t)ceil(left_s);
    snprintf(line, sizeof line, "%-10s [%s] %3.0f %%, %" PRIu64 ":%02" PRIu64 " left",
             validation->step[validation->steps - 1].id, bar, 100 * share, left / 60, left % 60);
    progress_draw(line);
    live->drawn = true;
}

void validate_live_progress(void *context, const struct pb_validation *validation, double done_s,
                            double whole_s)
{
    struct validate_watch *live = context;
    const int64_t now_ns = pb_monotonic_ns();
    if ((!live->events && !live->bar) || now_ns - live->drawn_ns < PROGRESS_REDRAW_NS)
        return;
    live->drawn_ns = now_ns;
    const double elapsed_s = (double)(now_ns - live->begun_ns) / 1e9;
    const double left_s = done_s > 0 ? elapsed_s / done_s * (whole_s - done_s) : whole_s;
    if (live->bar)
        draw(live, validation, done_s / whole_s, left_s);
    if (live->events)
        emit(live, pb_validation_event_progress(validation, done_s / whole_s, left_s));
}

/* ---- events */

void validate_live_plan(void *context, const struct pb_validation *validation,
                        const struct pb_validate_step *const *step, unsigned steps)
{
    struct validate_watch *live = context;
    if (live->events)
        emit(live, pb_validation_event_begin(validation, step, steps));
}

void validate_live_step(void *context, const struct pb_validation *validation, unsigned index, bool running)
{
    struct validate_watch *live = context;
    if (live->events)
        emit(live, pb_validation_event_step(validation, index, running));
}

void validate_live_value(void *context, const struct pb_validation *validation,
                         const struct pb_item_value *value)
{
    struct validate_watch *live = context;
    if (live->events)
        emit(live, pb_validation_event_value(validation, value));
}

void validate_live_end(struct validate_watch *live, const struct pb_validation *validation)
{
    validate_live_clear(live);
    if (live->events)
        emit(live, pb_validation_event_end(validation));
}
