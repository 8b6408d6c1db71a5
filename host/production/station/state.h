/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of an operator's station: the current validation, the last units, the yield of the day. A state
 * machine: idle, running, ended, and running again. Pure: no I/O, no clock, no allocation.
 *
 * The station shows "go" only without a contradiction: the validation reported it and ended with the exit
 * code of a go, and no step failed or lacks a state. Any contradiction is "incomplete".
 */
#ifndef PB_STATION_STATE_H
#define PB_STATION_STATE_H

#include "event.h"

#define STATION_ID_SIZE 112       /* name of the folder of a validation */
#define STATION_LAST_MAX 20u      /* last units */
#define STATION_SHOWN_VALUES 4u   /* values of a step that did not pass */
#define STATION_SILENT_S 20u      /* without an event: shown on the page */

enum station_phase { STATION_IDLE, STATION_RUNNING, STATION_ENDED };
const char *station_phase_name(enum station_phase phase); /* "idle", "running", "ended" */

struct station_value {
    char name[64], text[64], limits[80];
    enum pb_judgement judgement;
};

struct station_step {
    char id[24], purpose[120], reason[STATION_REASON_SIZE];
    enum station_step_state state;
    unsigned values, not_passed;
    struct station_value last;                      /* if values > 0 */
    struct station_value odd[STATION_SHOWN_VALUES]; /* the first that did not pass */
};

/* A validation that has ended. */
struct station_record {
    char id[STATION_ID_SIZE]; /* "": it has no folder here */
    char serial[STATION_SERIAL_SIZE], operator_name[STATION_SERIAL_SIZE];
    char started_utc[32]; /* "2026-11-24T03:21:18Z" */
    enum pb_go go;
    char look[STATION_REASON_SIZE];
    bool report; /* its folder has a report */
};

/* Of the units whose first judged validation is on this day. Marginal has passed. */
struct station_yield {
    unsigned units, first_passed, finally_passed;
};

/* How the process of a validation ended. */
struct station_end {
    int exit_code;   /* -1: a signal ended it */
    int signal;      /* then its number */
    bool killed;     /* the station sent SIGKILL, as it did not stop in time */
    bool wrapper_lost; /* a signal ended the wrapper of the validation, before it switched the supply off */
    char said[STATION_REASON_SIZE]; /* last line on its stderr; "" */
    bool report;     /* it left a report */
};

struct station_state {
    enum station_phase phase;
    uint64_t version; /* increases with each change */
    struct station_record run; /* the present, or the last; go and look once it has ended */
    struct station_step step[PB_STEPS_MAX];
    unsigned steps;
    double share, left_s; /* left_s below 0: unknown */
    bool begun, stopping;
    bool said_end; /* the event end came; its content is in the next three */
    enum pb_go said_go;
    char said_look[STATION_REASON_SIZE], worst[120];
    char contradiction[STATION_REASON_SIZE]; /* first contradiction of the events; "": none */
    int64_t heard_ns, begun_ns;
    unsigned silent_s; /* 0: events come */
    uint64_t garbled;  /* lines */
    struct station_record last[STATION_LAST_MAX]; /* the newest first */
    unsigned lasts;
    struct station_yield today;
};

void station_state_clear(struct station_state *state);

/* Starts a validation. False: one is running, and nothing changes. */
bool station_state_start(struct station_state *state, const struct station_record *run, int64_t now_ns);
/* An event, or a garbled line, of the running validation. */
void station_state_event(struct station_state *state, const struct station_event *event, int64_t now_ns);
void station_state_garbled(struct station_state *state);
/* The operator wants it to stop. False: none is running. */
bool station_state_stop(struct station_state *state);
/* Time passes: keeps silent_s. */
void station_state_tick(struct station_state *state, int64_t now_ns);
/* The process has ended: decides, and puts the validation at the head of the last units. */
void station_state_end(struct station_state *state, const struct station_end *end);

/* Replaces yield, and the list of last units, of which the newest are kept. */
void station_state_records(struct station_state *state, const struct station_record *record, size_t count,
                           const struct station_yield *today);

/* The yield of the judged ones (go, go marginal, no-go) among these validations of one day. Those of one
 * second count in the order of the array. Returns 0 or PB_ERR_MEMORY. */
int station_yield_of(struct station_yield *yield, const struct station_record *record, size_t count);

#endif
