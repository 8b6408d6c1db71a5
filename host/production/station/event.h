/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The events of `phasebench validate --events`: lines of JSON from a process that may crash, so each line is
 * untrusted. docs/use/station.md lists them. Pure: no I/O.
 *
 * A line that is longer than STATION_LINE_MAX, no JSON object, no known event, or has a member of another
 * type or beyond its range is garbled: it is counted, and has no other effect.
 */
#ifndef PB_STATION_EVENT_H
#define PB_STATION_EVENT_H

#include "phasebench/validation.h"

#include <stddef.h>
#include <stdint.h>

#define STATION_LINE_MAX 32768u
#define STATION_SERIAL_SIZE 65
#define STATION_REASON_SIZE 400

enum station_event_kind {
    STATION_EVENT_BEGIN,
    STATION_EVENT_STEP,
    STATION_EVENT_PROGRESS,
    STATION_EVENT_VALUE,
    STATION_EVENT_END
};

/* State of a step on the page: those of validation.h, and two before the end of the step. */
enum station_step_state {
    STATION_STEP_PASS = PB_STEP_PASS,
    STATION_STEP_MARGINAL = PB_STEP_MARGINAL,
    STATION_STEP_FAIL = PB_STEP_FAIL,
    STATION_STEP_ERROR = PB_STEP_ERROR,
    STATION_STEP_SKIPPED = PB_STEP_SKIPPED,
    STATION_STEP_RUNNING,
    STATION_STEP_PENDING
};
const char *station_step_name(enum station_step_state state);

/* All texts are one line of valid UTF-8 without control characters, cut at the size of the field. */
struct station_event {
    enum station_event_kind kind;
    /* begin */
    char serial[STATION_SERIAL_SIZE];
    int pid; /* of the validation; 0: not said */
    unsigned steps; /* 1..PB_STEPS_MAX */
    struct {
        char id[24], purpose[120];
    } step[PB_STEPS_MAX];
    /* step, progress, value */
    unsigned index; /* below PB_STEPS_MAX */
    enum station_step_state state;
    char reason[STATION_REASON_SIZE];
    double share;  /* 0..1 */
    double left_s; /* 0 or above; below 0: unknown */
    char name[64], text[64], limits[80];
    enum pb_judgement judgement;
    /* end */
    enum pb_go go;
    char look[STATION_REASON_SIZE], worst[120];
};

/* Reads one line of `length` bytes, without its line break. False: garbled, and *event is undefined. */
bool station_event_read(struct station_event *event, const char *line, size_t length);

/* Cuts a stream of bytes into lines. */
struct station_lines {
    char line[STATION_LINE_MAX];
    size_t length;
    bool too_long; /* the rest of the present line is discarded */
};
struct station_lines_sink {
    void (*event)(void *context, const struct station_event *event);
    void (*garbled)(void *context);
    void *context;
};
/* Starts without a line. */
void station_lines_clear(struct station_lines *lines);
/* Hands over each line that ends within these bytes, in order. An empty line is nothing. */
void station_lines_take(struct station_lines *lines, const char *bytes, size_t count,
                        const struct station_lines_sink *sink);

#endif
