/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes and answers of the consoles. Judged at the end of the run, when the typed lines are known. Private to
 * host/check.
 */
#ifndef PHASEBENCH_CONSOLES_H
#define PHASEBENCH_CONSOLES_H

#include "host/check/findings.h"
#include "host/check/loss.h"
#include "host/check/schedule.h"
#include "host/plan/answer.h"

/* First byte of a kind on a console, and its position. */
struct pb_console_byte {
    bool reported;
    struct pb_event event;
    size_t line, at;
};
struct pb_consoles {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_loss *loss;
    struct pb_schedule *schedule;
    struct pb_check_output *out;
    uint64_t beyond; /* links beyond the network's that were reported */
    struct pb_console_byte noise, surplus, unframed;
    size_t lines, length; /* answers in the run so far; characters of the present one */
    size_t before;        /* answers before it */
    bool in_line;         /* the present one has begun */
    /* answers */
    char text[80];
    size_t text_at;
    uint64_t next_typed; /* line of the node whose console the core receives */
    bool wrong;       /* or surplus: nothing is judged after it */
    bool contradicts; /* the answer to `message` is invalid, and not surplus */
    uint64_t message;
    struct pb_schedule_place at; /* of the invalid answer, or of the last event of the run */
    char due[PB_ANSWER_MAX], seen[80];
};

/* ---- answers on the console while the clock ran */

/* A byte in the phase of a mark; at NULL: before the first. */
void pb_answers_take(struct pb_consoles *consoles, const struct pb_event *event,
                     const struct pb_phase_mark *at);
/* At the end. last_tick: of the last event up to the end of the run. */
void pb_judge_answers(struct pb_consoles *consoles, uint64_t last_tick);
/* The same for those to lines that were typed before the clock started. */
void pb_judge_answers_before(struct pb_consoles *consoles);
/* Returns how many of the lines typed at the received console are no longer needed. */
uint64_t pb_answers_done(const struct pb_consoles *consoles);

/* ---- links beyond the network's, and the consoles during the run */

void pb_pins_open(struct pb_consoles *consoles);
void pb_pins_take_edge(struct pb_consoles *consoles, const struct pb_event *event);
void pb_pins_take_console(struct pb_consoles *consoles, const struct pb_event *event);
void pb_judge_pins(struct pb_consoles *consoles); /* at the end */

#endif
