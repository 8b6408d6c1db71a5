/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Model of a run in progress, as `phasebench monitor` shows it, fed by struct pb_run_options.on_events; its
 * lines, and its picture.
 *
 * The model takes events as they arrive. It judges single events only: the schedule defines the sender of a
 * phase.
 */
#ifndef PHASEBENCH_MONITOR_H
#define PHASEBENCH_MONITOR_H

#include "phasebench/api.h"
#include "phasebench/device.h"
#include "phasebench/result.h"
#include "phasebench/scenario.h"

#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_MONITOR_LINKS_MAX 64
#define PB_MONITOR_HISTORY 1024u /* phases kept; at least two superframes */
#define PB_MONITOR_WINDOW 16u    /* superframes of the rates */

/* State of a link in a phase, in ascending severity; the worst is kept. */
#define PB_MONITOR_UNKNOWN ' ' /* the phase event was lost */
#define PB_MONITOR_IDLE '.'
#define PB_MONITOR_NODE 'N'
#define PB_MONITOR_BENCH 'B'
#define PB_MONITOR_BAD 'x' /* a byte without stop bit, or an edge outside the phases of the link */
#define PB_MONITOR_ALARM '!'

struct pb_monitor_counts {
    uint64_t node_frames, bench_frames, bad, alarms, faults, underruns, bytes, edges, events, lost;
};

struct pb_monitor_model {
    const struct pb_scenario *scenario; /* borrowed */
    uint32_t clock_hz;                  /* 0 before the first event */
    unsigned links, phases;             /* phases of a superframe */
    bool running;                       /* a phase has begun */
    uint64_t newest;                    /* phase, counted from the start of the run */
    uint64_t start_tick;
    uint64_t tick[PB_MONITOR_HISTORY]; /* start of a phase, by phase modulo the history */
    char mark[PB_MONITOR_LINKS_MAX][PB_MONITOR_HISTORY];
    struct pb_monitor_counts total, link[PB_MONITOR_LINKS_MAX];
    struct pb_monitor_counts superframe[PB_MONITOR_WINDOW]; /* by number modulo the window */
    uint64_t next_sequence;
};

void pb_monitor_begin(struct pb_monitor_model *model, const struct pb_scenario *scenario);
/* Returns true if the event begins a phase. */
bool pb_monitor_take(struct pb_monitor_model *model, const struct pb_device_info *info,
                     const struct pb_event *event);

char pb_monitor_mark(const struct pb_monitor_model *model, unsigned link, uint64_t phase);
/* Time from the first phase edge to that of a phase in the history, ps. */
int64_t pb_monitor_time_ps(const struct pb_monitor_model *model, uint64_t phase);
/* Sums over the last complete superframes, and their duration; 0: none. */
int64_t pb_monitor_recent(const struct pb_monitor_model *model, struct pb_monitor_counts *sum);

/* Writes the line of a complete superframe, as text or as JSON, with a newline. Returns its length. */
#define PB_MONITOR_LINE_SIZE (512 + PB_MONITOR_LINKS_MAX * 32)
size_t pb_monitor_text_line(const struct pb_monitor_model *model, uint64_t superframe,
                            char line[PB_MONITOR_LINE_SIZE]);
size_t pb_monitor_json_line(const struct pb_monitor_model *model, uint64_t superframe,
                            char line[PB_MONITOR_LINE_SIZE]);

/* Writes a picture of the given rows and columns, each line with its newline; in_place: with the sequences
 * that redraw it. Returns its length. */
struct pb_monitor_style {
    unsigned columns, rows;
    bool colour, in_place;
    const char *title; /* of the first line */
};
#define PB_MONITOR_SCREEN_SIZE 131072
size_t pb_monitor_screen(const struct pb_monitor_model *model, const struct pb_monitor_style *style,
                         char screen[PB_MONITOR_SCREEN_SIZE]);

PB_API_END

#endif
