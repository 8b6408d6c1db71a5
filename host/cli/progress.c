/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "cli.h"
#include "host/base/monotonic.h"
#include "host/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABEL_SIZE 41u
#define LINE_SIZE 256u

void progress_begin(struct progress *progress, const char *label, bool quiet)
{
    *progress = (struct progress){.label = label, .shown = !quiet && cli_terminal(stderr)};
    progress->begun_ns = progress->drawn_ns = pb_monotonic_ns();
}

void progress_draw(const char *line)
{
    /* A line as wide as the terminal would wrap, and could not be cleared. */
    fprintf(stderr, "\r\033[K%.*s", (int)cli_columns(stderr) - 1, line);
    fflush(stderr);
}

void progress_clear(bool *drawn)
{
    if (*drawn)
        fputs("\r\033[K", stderr);
    *drawn = false;
}

void progress_bar(char bar[PROGRESS_BAR_CELLS + 1], double share)
{
    const unsigned filled = (unsigned)(share * PROGRESS_BAR_CELLS);
    memset(bar, '.', PROGRESS_BAR_CELLS);
    memset(bar, '#', filled < PROGRESS_BAR_CELLS ? filled : PROGRESS_BAR_CELLS);
    bar[PROGRESS_BAR_CELLS] = '\0';
}

/* events: 0: none are counted. */
static void draw(const struct progress *progress, const char *unit, uint64_t done, uint64_t all,
                 uint64_t events, int64_t now_ns)
{
    char bar[PROGRESS_BAR_CELLS + 1], line[LINE_SIZE], label[LABEL_SIZE];
    const double elapsed_s = (double)(now_ns - progress->begun_ns) / 1e9, rate = (double)done / elapsed_s;

    pb_utf8_clean(label, sizeof label, progress->label);
    progress_bar(bar, (double)done / (double)all);
    const uint64_t run_s = (uint64_t)elapsed_s;
    int length = snprintf(line, sizeof line,
                          "%s [%s] %" PRIu64 "/%" PRIu64 " %s, %" PRIu64 ":%02" PRIu64, label, bar, done, all,
                          unit, run_s / 60, run_s % 60);
    if (done) {
        const uint64_t left_s = (uint64_t)((double)(all - done) / rate + 0.5);
        length += snprintf(line + length, sizeof line - (size_t)length,
                           ", %.*f/s, %" PRIu64 ":%02" PRIu64 " left", rate < 10, rate, left_s / 60,
                           left_s % 60);
    }
    if (done && events)
        length += snprintf(line + length, sizeof line - (size_t)length, ", %.0f events/s",
                           (double)events / elapsed_s);
    if (progress->judged)
        snprintf(line + length, sizeof line - (size_t)length, ", %s, %zu findings so far",
                 progress->failed ? "FAIL" : "no failure", progress->findings);
    progress_draw(line);
}

static void redraw(struct progress *progress, const char *unit, uint64_t done, uint64_t all, uint64_t events)
{
    const int64_t now_ns = pb_monotonic_ns();
    if (!progress->shown || now_ns - progress->drawn_ns < PROGRESS_REDRAW_NS || !all || done > all)
        return;
    draw(progress, unit, done, all, events, now_ns);
    progress->drawn = true;
    progress->drawn_ns = now_ns;
}

void progress_update(void *context, const struct pb_run_progress *state)
{
    redraw(context, "superframes", state->superframe, state->superframes, state->events);
}

void progress_count(struct progress *progress, const char *unit, uint64_t done, uint64_t all)
{
    redraw(progress, unit, done, all, 0);
}

void progress_judge(struct progress *progress, const struct pb_result *so_far)
{
    progress->judged = true;
    progress->failed = so_far->verdict == PB_VERDICT_FAIL;
    progress->findings = so_far->findings_total;
}

void progress_end(struct progress *progress)
{
    progress_clear(&progress->drawn);
}
