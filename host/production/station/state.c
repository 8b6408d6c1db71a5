/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include "host/base/utf8.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define S_NS INT64_C(1000000000)

const char *station_phase_name(enum station_phase phase)
{
    static const char *const name[] = {"idle", "running", "ended"};
    return name[phase];
}

void station_state_clear(struct station_state *state)
{
    *state = (struct station_state){.phase = STATION_IDLE, .version = 1};
}

/* ---- the running validation */

bool station_state_start(struct station_state *state, const struct station_record *run, int64_t now_ns)
{
    if (state->phase == STATION_RUNNING)
        return false;
    state->phase = STATION_RUNNING;
    state->run = *run;
    state->steps = 0;
    state->share = 0;
    state->left_s = -1;
    state->begun = state->stopping = state->said_end = false;
    *state->said_look = *state->worst = *state->contradiction = '\0';
    state->heard_ns = state->begun_ns = now_ns;
    state->silent_s = 0;
    state->garbled = 0;
    state->version++;
    return true;
}

/* The first reason counts. */
#define CONTRADICT(state, ...)                                                                               \
    do {                                                                                                     \
        if (!*(state)->contradiction)                                                                        \
            snprintf((state)->contradiction, sizeof(state)->contradiction, __VA_ARGS__);                     \
    } while (0)

static void begin(struct station_state *state, const struct station_event *event)
{
    if (state->begun) {
        CONTRADICT(state, "the validation began twice; test the unit again");
        return;
    }
    if (strcmp(event->serial, state->run.serial))
        CONTRADICT(state, "the validation tested unit %s, not %s; test the unit again", event->serial,
                   state->run.serial);
    state->begun = true;
    state->steps = event->steps;
    for (unsigned i = 0; i < event->steps; i++) {
        struct station_step *step = &state->step[i];
        *step = (struct station_step){.state = STATION_STEP_PENDING};
        snprintf(step->id, sizeof step->id, "%s", event->step[i].id);
        snprintf(step->purpose, sizeof step->purpose, "%s", event->step[i].purpose);
    }
}

static void add_value(struct station_step *step, const struct station_event *event)
{
    struct station_value *const last = &step->last;
    snprintf(last->name, sizeof last->name, "%s", event->name);
    snprintf(last->text, sizeof last->text, "%s", event->text);
    snprintf(last->limits, sizeof last->limits, "%s", event->limits);
    last->judgement = event->judgement;
    step->values++;
    if (event->judgement != PB_JUDGED_MARGINAL && event->judgement != PB_JUDGED_FAIL)
        return;
    if (step->not_passed < STATION_SHOWN_VALUES)
        step->odd[step->not_passed] = *last;
    step->not_passed++;
}

static void end_of_events(struct station_state *state, const struct station_event *event)
{
    if (state->said_end)
        CONTRADICT(state, "the validation ended twice; test the unit again");
    state->said_end = true;
    state->said_go = event->go;
    snprintf(state->said_look, sizeof state->said_look, "%s", event->look);
    snprintf(state->worst, sizeof state->worst, "%s", event->worst);
}

void station_state_event(struct station_state *state, const struct station_event *event, int64_t now_ns)
{
    if (state->phase != STATION_RUNNING)
        return;
    state->heard_ns = now_ns;
    state->silent_s = 0;
    state->version++;
    const bool of_step = event->kind == STATION_EVENT_STEP || event->kind == STATION_EVENT_PROGRESS ||
                         event->kind == STATION_EVENT_VALUE;
    if (of_step && event->index >= state->steps) {
        CONTRADICT(state, "the validation reported step %u of %u; test the unit again", event->index + 1,
                   state->steps);
        return;
    }
    struct station_step *const step = &state->step[event->index % PB_STEPS_MAX];
    switch (event->kind) {
    case STATION_EVENT_BEGIN:
        begin(state, event);
        break;
    case STATION_EVENT_STEP:
        step->state = event->state;
        snprintf(step->reason, sizeof step->reason, "%s", event->reason);
        break;
    case STATION_EVENT_PROGRESS:
        state->share = event->share;
        state->left_s = event->left_s;
        break;
    case STATION_EVENT_VALUE:
        add_value(step, event);
        break;
    case STATION_EVENT_END:
        end_of_events(state, event);
        break;
    }
}

void station_state_garbled(struct station_state *state)
{
    if (state->phase != STATION_RUNNING)
        return;
    state->garbled++;
    state->version++;
}

bool station_state_stop(struct station_state *state)
{
    if (state->phase != STATION_RUNNING)
        return false;
    state->version += !state->stopping;
    state->stopping = true;
    return true;
}

void station_state_tick(struct station_state *state, int64_t now_ns)
{
    const int64_t silent_s = (now_ns - state->heard_ns) / S_NS;
    const unsigned shown_s = silent_s >= STATION_SILENT_S ? (unsigned)silent_s : 0;
    if (state->phase != STATION_RUNNING || shown_s == state->silent_s)
        return;
    state->silent_s = shown_s;
    state->version++;
}

/* ---- its end */

static const int exit_code_of[] = {
    [PB_GO] = 0, [PB_GO_MARGINAL] = 0, [PB_NO_GO] = 1, [PB_GO_NOT_READY] = 4, [PB_GO_INCOMPLETE] = 5};

/* What the steps and the exit code say against the outcome that the events claim. A file that could not be
 * written ends in such a code, and no further test of the unit repairs that: the process says why. */
static void compare_outcome(struct station_state *state, const struct station_end *end)
{
    const bool goes = state->said_go == PB_GO || state->said_go == PB_GO_MARGINAL;
    char said[STATION_REASON_SIZE - 80]; /* whole characters of it, behind the outcome */
    pb_utf8_clean(said, sizeof said, end->said);
    if (end->exit_code != exit_code_of[state->said_go])
        CONTRADICT(state, "the validation said '%s' and ended with exit code %d%s %s",
                   pb_go_name(state->said_go), end->exit_code, *said ? ":" : ";",
                   *said ? said : "test the unit again");
    if (goes && !state->steps)
        CONTRADICT(state, "the validation said '%s' and named no step; test the unit again",
                   pb_go_name(state->said_go));
    for (unsigned i = 0; i < state->steps && goes; i++) {
        const enum station_step_state one = state->step[i].state;
        if (one != STATION_STEP_PASS && one != STATION_STEP_MARGINAL && one != STATION_STEP_SKIPPED)
            CONTRADICT(state, "the validation said '%s' with step %s %s; test the unit again",
                       pb_go_name(state->said_go), state->step[i].id, station_step_name(one));
    }
}

/* The reason for a validation without an outcome. */
static void explain(const struct station_state *state, const struct station_end *end, char *look, size_t size)
{
    const char *again = "test the unit again";
    if (end->wrapper_lost)
        snprintf(look, size,
                 "signal %d ended the wrapper of the validation%s: the supply may be on; switch it off by "
                 "hand before the next unit is taken",
                 end->signal, end->killed ? ", which did not stop in time" : "");
    else if (end->killed)
        snprintf(look, size, "the validation did not stop in time and was killed; check the bench, then %s",
                 again);
    else if (state->stopping)
        snprintf(look, size, "stopped; %s", again);
    else if (*end->said)
        snprintf(look, size, "%s", end->said);
    else if (end->exit_code < 0)
        snprintf(look, size, "signal %d ended the validation; %s", end->signal, again);
    else
        snprintf(look, size, "the validation ended with exit code %d and no outcome; %s", end->exit_code,
                 again);
}

static void decide(struct station_state *state, const struct station_end *end)
{
    struct station_record *const run = &state->run;
    const bool interrupted = end->exit_code == 128 + SIGINT || end->killed || end->exit_code < 0;
    if (state->said_end && !interrupted)
        compare_outcome(state, end);
    if (state->said_end && !interrupted && !*state->contradiction) {
        run->go = state->said_go;
        snprintf(run->look, sizeof run->look, "%s", state->said_look);
        if (!*run->look && run->go != PB_GO)
            snprintf(run->look, sizeof run->look, "%s", end->said);
        return;
    }
    run->go = PB_GO_INCOMPLETE;
    if (*state->contradiction && !end->wrapper_lost)
        snprintf(run->look, sizeof run->look, "%s", state->contradiction);
    else {
        /* Without an outcome the exit code still shows a bench that is not ready. */
        if (!state->said_end && !state->stopping && end->exit_code == exit_code_of[PB_GO_NOT_READY])
            run->go = PB_GO_NOT_READY;
        explain(state, end, run->look, sizeof run->look);
    }
}

void station_state_end(struct station_state *state, const struct station_end *end)
{
    if (state->phase != STATION_RUNNING)
        return;
    state->phase = STATION_ENDED;
    state->silent_s = 0;
    state->run.report = end->report;
    decide(state, end);
    for (unsigned i = 0; i < state->steps; i++)
        if (state->step[i].state == STATION_STEP_RUNNING) {
            state->step[i].state = STATION_STEP_ERROR;
            snprintf(state->step[i].reason, sizeof state->step[i].reason, "ended within this step");
        }
    if (state->lasts < STATION_LAST_MAX)
        state->lasts++;
    memmove(state->last + 1, state->last, (state->lasts - 1) * sizeof *state->last);
    state->last[0] = state->run;
    state->version++;
}

/* ---- the last units, and the yield of the day */

void station_state_records(struct station_state *state, const struct station_record *record, size_t count,
                           const struct station_yield *today)
{
    state->lasts = count < STATION_LAST_MAX ? (unsigned)count : STATION_LAST_MAX;
    memcpy(state->last, record, state->lasts * sizeof *record);
    state->today = *today;
    state->version++;
}

static int by_unit_and_time(const void *left, const void *right)
{
    const struct station_record *a = *(const struct station_record *const *)left,
                                *b = *(const struct station_record *const *)right;
    const int unit = strcmp(a->serial, b->serial), time = strcmp(a->started_utc, b->started_utc);
    return unit ? unit : time ? time : (a > b) - (a < b); /* of one array */
}

int station_yield_of(struct station_yield *yield, const struct station_record *record, size_t count)
{
    const struct station_record **order = malloc((count + 1) * sizeof(*order));
    size_t judged = 0;
    *yield = (struct station_yield){.units = 0};
    if (!order)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (record[i].go == PB_GO || record[i].go == PB_GO_MARGINAL || record[i].go == PB_NO_GO)
            order[judged++] = &record[i];
    qsort(order, judged, sizeof(*order), by_unit_and_time);
    for (size_t i = 0; i < judged; i++) {
        const bool first = !i || strcmp(order[i - 1]->serial, order[i]->serial) != 0;
        const bool final = i + 1 == judged || strcmp(order[i + 1]->serial, order[i]->serial) != 0;
        yield->units += first;
        yield->first_passed += first && order[i]->go != PB_NO_GO;
        yield->finally_passed += final && order[i]->go != PB_NO_GO;
    }
    free(order);
    return PB_OK;
}
