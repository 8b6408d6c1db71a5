/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "cli.h"
#include "host/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REDRAW_NS INT64_C(200000000)
#define BAR_CELLS 24u
#define LABEL_SIZE 41u
#define LINE_SIZE 256u

void progress_begin(struct progress *progress, const char *label, bool quiet)
{
    *progress = (struct progress){.label = label, .shown = !quiet && cli_terminal(stderr)};
    progress->begun_ns = progress->drawn_ns = cli_now_ns();
}

static void draw(const struct progress *progress, const struct pb_run_progress *state, int64_t now_ns)
{
    char bar[BAR_CELLS + 1], line[LINE_SIZE], label[LABEL_SIZE];
    const double elapsed_s = (double)(now_ns - progress->begun_ns) / 1e9;
    const double rate = state->superframe / elapsed_s;
    const unsigned filled = (unsigned)((uint64_t)state->superframe * BAR_CELLS / state->superframes);

    pb_utf8_clean(label, sizeof label, progress->label);
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', filled);
    bar[BAR_CELLS] = '\0';
    const uint64_t run_s = (uint64_t)elapsed_s;
    int length = snprintf(line, sizeof line,
                          "%s [%s] %" PRIu32 "/%" PRIu32 " superframes, %" PRIu64 ":%02" PRIu64, label, bar,
                          state->superframe, state->superframes, run_s / 60, run_s % 60);
    if (state->superframe) {
        const uint64_t left_s = (uint64_t)((state->superframes - state->superframe) / rate + 0.5);
        length += snprintf(line + length, sizeof line - (size_t)length,
                           ", %.*f/s, %" PRIu64 ":%02" PRIu64 " left, %.0f events/s", rate < 10, rate,
                           left_s / 60, left_s % 60, (double)state->events / elapsed_s);
    }
    if (progress->judged)
        length += snprintf(line + length, sizeof line - (size_t)length, ", %s, %zu findings so far",
                           progress->failed ? "FAIL" : "no failure", progress->findings);
    /* A line as wide as the terminal would wrap, and could not be cleared. */
    const unsigned columns = cli_columns(stderr);
    if ((unsigned)length >= columns)
        length = (int)columns - 1;
    fprintf(stderr, "\r\033[K%.*s", length, line);
    fflush(stderr);
}

void progress_update(void *context, const struct pb_run_progress *state)
{
    struct progress *progress = context;
    const int64_t now_ns = cli_now_ns();

    if (!progress->shown || now_ns - progress->drawn_ns < REDRAW_NS || !state->superframes ||
        state->superframe > state->superframes)
        return;
    draw(progress, state, now_ns);
    progress->drawn = true;
    progress->drawn_ns = now_ns;
}

void progress_judge(struct progress *progress, const struct pb_result *so_far)
{
    progress->judged = true;
    progress->failed = so_far->verdict == PB_VERDICT_FAIL;
    progress->findings = so_far->findings_total;
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
