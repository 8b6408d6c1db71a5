/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Model of a run in progress for `phasebench monitor`, and its output.
 *
 * The model takes events as they arrive. It judges single events only: the schedule defines the sender of a
 * phase.
 */
#ifndef PHASEBENCH_MONITOR_H
#define PHASEBENCH_MONITOR_H

#include "phasebench/device.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#include <stdio.h>

#define MONITOR_LINKS_MAX 64
#define MONITOR_HISTORY 1024u /* phases kept; at least two superframes */
#define MONITOR_WINDOW 16u    /* superframes of the rates */

/* State of a link in a phase, in ascending severity; the worst is kept. */
#define MONITOR_UNKNOWN ' ' /* the phase event was lost */
#define MONITOR_IDLE '.'
#define MONITOR_NODE 'N'
#define MONITOR_BENCH 'B'
#define MONITOR_BAD 'x' /* a byte without stop bit, or an edge outside the phases of the link */
#define MONITOR_ALARM '!'

struct monitor_counts {
    uint64_t node_frames, bench_frames, bad, alarms, faults, underruns, bytes, edges, events, lost;
};

struct monitor_model {
    const struct pb_scenario *scenario; /* borrowed */
    uint32_t clock_hz;                  /* 0 before the first event */
    unsigned links, phases;             /* phases of a superframe */
    bool running;                       /* a phase has begun */
    uint64_t newest;                    /* phase, counted from the start of the run */
    uint64_t start_tick;
    uint64_t tick[MONITOR_HISTORY]; /* start of a phase, by phase modulo the history */
    char mark[MONITOR_LINKS_MAX][MONITOR_HISTORY];
    struct monitor_counts total, link[MONITOR_LINKS_MAX];
    struct monitor_counts superframe[MONITOR_WINDOW]; /* by number modulo the window */
    uint64_t next_sequence;
};

void monitor_begin(struct monitor_model *model, const struct pb_scenario *scenario);
/* Returns true if the event begins a phase. */
bool monitor_take(struct monitor_model *model, const struct pb_device_info *info,
                  const struct pb_event *event);

char monitor_mark(const struct monitor_model *model, unsigned link, uint64_t phase);
/* Time from the first phase edge to that of a phase in the history, ps. */
int64_t monitor_time_ps(const struct monitor_model *model, uint64_t phase);
/* Sums over the last complete superframes, and their duration; 0: none. */
int64_t monitor_recent(const struct monitor_model *model, struct monitor_counts *sum);

/* Writes the line of a complete superframe, as text or as JSON, with a newline. Returns its length. */
#define MONITOR_LINE_SIZE (512 + MONITOR_LINKS_MAX * 32)
size_t monitor_text_line(const struct monitor_model *model, uint64_t superframe,
                         char line[MONITOR_LINE_SIZE]);
size_t monitor_json_line(const struct monitor_model *model, uint64_t superframe,
                         char line[MONITOR_LINE_SIZE]);

/* Writes a picture of the given rows and columns, each line with its newline; in_place: with the sequences
 * that redraw it. Returns its length. */
struct monitor_style {
    unsigned columns, rows;
    bool colour, in_place;
    const char *title; /* of the first line */
};
#define MONITOR_SCREEN_SIZE 131072
size_t monitor_screen(const struct monitor_model *model, const struct monitor_style *style,
                      char screen[MONITOR_SCREEN_SIZE]);

/* ---- output, in its own thread, so that a slow reader never delays the run */

enum monitor_form { MONITOR_SCREEN, MONITOR_TEXT, MONITOR_JSON, MONITOR_FORMS };

struct monitor;

/* NULL: failed, reported. kept: gets the lines in its form, too; NULL: none. speed: of a recording, in
 * thousandths of real time; 0: as fast as possible. */
struct monitor *monitor_open(const struct pb_scenario *scenario, enum monitor_form form, const char *title,
                             FILE *const kept[MONITOR_FORMS], uint64_t speed_milli);
/* For struct pb_run_options. The first call starts the display. */
void monitor_on_events(void *monitor, const struct pb_device_info *info, const struct pb_event *event,
                       size_t count);
/* Ends the display: shows the remaining lines and restores the terminal. */
void monitor_ended(void *monitor);
/* Returns an exit code; a failed output has been reported. */
int monitor_close(struct monitor *monitor);

#endif
