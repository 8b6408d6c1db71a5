/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/program.h"
#include "host/check/check.h"
#include "host/check/alarms.h"
#include "host/check/applied.h"
#include "host/check/arrival.h"
#include "host/check/console_time.h"
#include "host/check/decide.h"
#include "host/check/delivery.h"
#include "host/check/epilogue.h"
#include "host/check/notes.h"
#include "host/check/rebuild.h"
#include "host/check/slots.h"
#include "host/plan/node_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stages, in the order in which an event passes them. */
struct pb_checker {
    struct pb_check_run run;    /* read by all */
    struct pb_check_output out; /* written by all */
    struct pb_loss loss;
    struct pb_arrival arrival;  /* normalises */
    struct pb_rebuild *rebuild; /* owned; NULL: edges were recorded on every link */
    struct pb_early early;
    struct pb_marks marks;
    struct pb_clock clock;
    struct pb_alarms alarms;
    struct pb_consoles consoles;
    struct pb_notes notes;
    uint64_t last_tick; /* of the last event up to the end of the run */
    struct pb_expectation expectation;
    struct pb_schedule schedule;
    struct pb_walk walk;     /* divides into slots, and judges them */
    struct pb_faults faults; /* explain */
    struct pb_evidence_seen evidence;
    struct pb_deliveries deliveries;
};

static int open_stages(struct pb_checker *checker, struct pb_movement *movement)
{
    int code =
        pb_schedule_open(&checker->schedule, checker->run.scenario, checker->run.observation, movement);
    if (!code && checker->run.observation->edgeless)
        code = pb_rebuild_open(&checker->rebuild, checker->run.observation, checker->run.bit_period_q4,
                               checker->walk.events);
    if (!code)
        code = pb_walk_open(&checker->walk);
    if (code)
        return code;
    pb_pins_open(&checker->consoles);
    code = pb_faults_open(&checker->faults, &checker->run, &checker->marks, checker->out.result);
    if (code)
        return code;
    pb_evidence_begin(&checker->out);
    return checker->out.code;
}

static void free_all(struct pb_checker *checker)
{
    pb_walk_free(&checker->walk);
    pb_queue_free(&checker->arrival.window);
    pb_clock_free(&checker->clock);
    pb_alarms_free(&checker->alarms);
    pb_notes_free(&checker->notes);
    pb_early_end(&checker->early);
    pb_output_free(&checker->out);
    pb_schedule_free(&checker->schedule);
    pb_gaps_free(&checker->loss.gaps);
    free(checker->rebuild);
    pb_faults_free(&checker->faults);
    free(checker);
}

/* Which stage reads what of which other. */
static void connect(struct pb_checker *checker)
{
    const struct pb_check_run *run = &checker->run;
    struct pb_check_output *out = &checker->out;
    struct pb_marks *marks = &checker->marks;
    struct pb_clock *clock = &checker->clock;
    struct pb_loss *loss = &checker->loss;
    struct pb_schedule *schedule = &checker->schedule;
    struct pb_consoles *consoles = &checker->consoles;
    marks->run = run;
    pb_clock_open(clock, marks, out);
    checker->alarms = (struct pb_alarms){.run = run, .marks = marks, .clock = clock, .out = out};
    checker->notes =
        (struct pb_notes){.run = run, .marks = marks, .clock = clock, .consoles = consoles, .out = out};
    checker->early = (struct pb_early){.run = run, .marks = marks, .loss = loss, .out = out};
    checker->evidence =
        (struct pb_evidence_seen){.run = run, .marks = marks, .schedule = schedule, .loss = loss, .out = out};
    checker->deliveries = (struct pb_deliveries){
        .run = run, .marks = marks, .expectation = &checker->expectation, .schedule = schedule, .out = out};
    checker->arrival = (struct pb_arrival){.run = &checker->run, .loss = loss};
    struct pb_walk *walk = &checker->walk;
    walk->run = run;
    walk->marks = marks;
    walk->clock = clock;
    walk->loss = loss;
    walk->early = &checker->early;
    walk->schedule = schedule;
    walk->evidence = &checker->evidence;
    walk->out = out;
    walk->judge = (struct pb_judge){.run = run,
                                    .early = &checker->early,
                                    .frames = &walk->frames,
                                    .known = &schedule->known,
                                    .evidence = &checker->evidence,
                                    .out = out};
    *consoles =
        (struct pb_consoles){.run = run, .marks = marks, .loss = loss, .schedule = schedule, .out = out};
}

int pb_check_open(struct pb_checker **out, struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_expectation *expectation, const struct pb_observation *observation,
                  struct pb_movement *movement)
{
    struct pb_checker *checker = *out = calloc(1, sizeof *checker);
    if (!checker)
        return PB_ERR_MEMORY;
    checker->out =
        (struct pb_check_output){.run = &checker->run, .result = result, .faults = &checker->faults};
    checker->out.measure.from_stamps = scenario->follow;
    connect(checker);
    pb_check_run_open(&checker->run, result, scenario, observation);
    pb_loss_take_counters(&checker->loss, observation);
    snprintf(result->capture, sizeof result->capture, "%s", observation->edgeless ? "bytes" : "edges");
    snprintf(result->capture_reason, sizeof result->capture_reason, "%s", observation->capture_reason);
    checker->expectation = *expectation;
    const int code = open_stages(checker, movement);
    if (!code)
        return PB_OK;
    free_all(checker);
    *out = NULL;
    return code;
}

void pb_check_watch(struct pb_checker *check, const struct pb_sample_sink *samples)
{
    check->out.measure.samples = *samples;
}

void pb_check_watch_lines(struct pb_checker *check, const struct pb_transmission_sink *sink)
{
    check->walk.judge.transmissions.sink = *sink;
}

/* ---- to the stages */

/* What a stage says that was given an event. */
static void note(struct pb_check_output *out, int code)
{
    if (code)
        out->code = code;
}

static void hand_on(struct pb_checker *checker, const struct pb_event *event)
{
    const bool of_line = event->link < pb_link_count(checker->run.scenario);
    const uint64_t end_tick = pb_end_tick(&checker->run);
    if (!end_tick || event->tick <= end_tick)
        checker->last_tick = event->tick;
    note(&checker->out, pb_early_push(&checker->early, event));
    switch (event->kind) {
    case PB_EVENT_EDGE:
        if (of_line)
            note(&checker->out, pb_walk_push(&checker->walk, event));
        else
            pb_pins_take_edge(&checker->consoles, event);
        break;
    case PB_EVENT_BYTE:
        note(&checker->out, pb_walk_push(&checker->walk, event));
        break;
    case PB_EVENT_ALARM:
        checker->out.result->alarms++;
        note(&checker->out, PB_GET(PB_EVENT_ALARM_CODE, event->value) == PB_ALARM_WATCHDOG
                                ? pb_notes_push(&checker->notes, event)
                                : pb_alarms_push(&checker->alarms, event));
        if (of_line)
            note(&checker->out, pb_walk_push(&checker->walk, event));
        break;
    case PB_EVENT_PHASE:
        pb_clock_take_phase(&checker->clock, event);
        break;
    case PB_EVENT_TDMA:
        note(&checker->out, pb_clock_take_edge(&checker->clock, event));
        break;
    case PB_EVENT_FAULT:
        pb_judge_receipt(&checker->out, event);
        break;
    case PB_EVENT_TDC:
        pb_measure_take_fine(&checker->out.measure, pb_tdc_rises(event),
                             pb_ticks_to_ps(&checker->run, event->tick) -
                                 llround(pb_tdc_place_ps(checker->run.observation->tdc, event)));
        break;
    case PB_EVENT_UNDERRUN:
    case PB_EVENT_CONSOLE:
        note(&checker->out, pb_notes_push(&checker->notes, event));
        break;
    default:
        break;
    }
    if (checker->rebuild)
        note(&checker->out, pb_rebuild_take(checker->rebuild, event, checker->run.clock_tick));
}

static void forget(struct pb_checker *checker)
{
    const size_t walked = pb_walk_mark(&checker->walk), clock = pb_clock_done(&checker->clock);
    size_t least = walked < clock ? walked : clock;
    const size_t notes = pb_notes_mark(&checker->notes, least),
                 alarms = pb_alarms_mark(&checker->alarms, least);
    least = least < notes ? least : notes;
    least = least < alarms ? least : alarms;
    const size_t behind = pb_ahead(&checker->run);
    if (least > behind)
        pb_marks_forget(&checker->marks, least - behind);
    const size_t edge = checker->walk.extra, pin = checker->clock.next_edge;
    pb_queue_forget(&checker->clock.edge, edge < pin ? edge : pin);
    if (checker->early.judged && checker->marks.end)
        pb_gaps_forget(&checker->loss.gaps, pb_mark(&checker->marks, checker->marks.base)->ideal_tick);
}

static void advance(struct pb_checker *checker)
{
    pb_arrival_place_loss(&checker->arrival);
    pb_clock_advance(&checker->clock);
    pb_faults_pass(&checker->faults, checker->clock.pins);
    pb_walk_take_marks(&checker->walk);
    pb_notes_advance(&checker->notes);
    if (checker->out.code)
        return;
    pb_alarms_advance(&checker->alarms);
    pb_walk_advance(&checker->walk);
    pb_deliveries_advance(&checker->deliveries, pb_walk_mark(&checker->walk));
    forget(checker);
}

/* Events that wait for their phase, in the window or at a stage. */
static size_t waiting(const struct pb_checker *checker)
{
    size_t count = checker->early.events.count + pb_queue_waiting(&checker->arrival.window) +
                   pb_queue_waiting(&checker->clock.edge) + pb_queue_waiting(&checker->alarms.waiting) +
                   pb_queue_waiting(&checker->notes.waiting);
    for (unsigned link = 0; link < pb_link_count(checker->run.scenario); link++)
        count += pb_queue_waiting(&checker->walk.events[link]);
    return count;
}

/* What is settled goes to the stages. */
static void hand_on_settled(struct pb_checker *checker)
{
    const struct pb_event *event;
    while (!checker->out.code && (event = pb_arrival_next(&checker->arrival)))
        hand_on(checker, event);
}

int pb_check_push(struct pb_checker *checker, const struct pb_event *event, size_t count)
{
    checker->out.result->events += count;
    for (size_t i = 0; i < count && !checker->out.code; i++) {
        bool settled;
        note(&checker->out, pb_arrival_push(&checker->arrival, &event[i], &settled));
        if (!settled)
            continue;
        hand_on_settled(checker);
        if (!checker->out.code)
            advance(checker);
        checker->arrival.waiting = waiting(checker);
    }
    return checker->out.code;
}

/* No further event comes. */
static void end_events(struct pb_checker *checker)
{
    note(&checker->out, pb_arrival_end(&checker->arrival));
    hand_on_settled(checker);
    if (checker->rebuild)
        note(&checker->out, pb_rebuild_end(checker->rebuild));
    pb_clock_take_phase(&checker->clock, NULL);
    checker->run.ended = true;
    pb_faults_end(&checker->faults);
    if (!checker->out.code)
        advance(checker);
}

/* What can be said once no further event comes. */
static void judge_end(struct pb_checker *checker)
{
    pb_walk_end(&checker->walk);
    pb_judge_answers(&checker->consoles, checker->last_tick);
    pb_judge_pins(&checker->consoles);
    pb_judge_faults(&checker->out);
    pb_deliveries_end(&checker->deliveries);
    pb_judge_answers_before(&checker->consoles);
    pb_judge_programs(&checker->out);
    pb_judge_console_times(&checker->out);
    pb_judge_troubles(&checker->out, &checker->marks);
    pb_measure_processors(&checker->out);
    pb_judge_loss(&checker->out, &checker->loss);
    pb_evidence_finish(&checker->evidence);
    pb_judge_epilogue(&checker->out, &checker->loss);
    pb_judge_console_pulses(&checker->out);
    pb_list_console_unseen(&checker->out);
}

/* Marks a result as that of an incomplete run. */
static void mark_incomplete(struct pb_result *result, const char *why)
{
    result->verdict = PB_VERDICT_INCONCLUSIVE;
    snprintf(result->reason, sizeof result->reason, "%s", why);
    snprintf(result->incomplete, sizeof result->incomplete, "%s", why);
}

static int conclude(const struct pb_checker *checker, struct pb_result *result)
{
    const struct pb_check_run *run = &checker->run;
    const char *cut = run->observation->cut;
    const int code = pb_measure_finish(&checker->out.measure, result, run->scenario->network.ports);
    if (!result->findings_total && result->hops > PB_HOPS_FIRST)
        result->hops = PB_HOPS_FIRST;
    pb_findings_sort(result);
    pb_decide(result, run, &checker->loss);
    pb_origin_apply(run, result);
    if (*cut) {
        snprintf(result->incomplete, sizeof result->incomplete, "%s", cut);
        if (result->verdict != PB_VERDICT_FAIL) /* what a node did before stays done */
            mark_incomplete(result, cut);
    }
    return code;
}

int pb_check_close(struct pb_checker *checker)
{
    const struct pb_observation *observation = checker->run.observation;
    struct pb_result *result = checker->out.result;
    int code = PB_OK;
    pb_loss_take_counters(&checker->loss, observation);
    if (!checker->out.code)
        end_events(checker);
    pb_loss_end(&checker->loss, observation);
    result->events_lost = checker->loss.in_core + observation->counters.events_missing;
    if (!checker->out.code) {
        judge_end(checker);
        code = conclude(checker, result);
    }
    code = checker->out.code ? checker->out.code : code;
    free_all(checker);
    return code;
}

/* *array becomes a copy of its own. */
static bool copy_rows(void *array, size_t count, size_t size)
{
    void *rows;
    memcpy(&rows, array, sizeof rows);
    void *copy = calloc(count + 1, size);
    if (copy && count)
        memcpy(copy, rows, count * size);
    memcpy(array, &copy, sizeof copy);
    return copy != NULL;
}

/* The same findings and rows in a result of its own. */
static struct pb_result *copy_result(const struct pb_result *from)
{
    struct pb_result *result = malloc(sizeof *result);
    if (!result)
        return NULL;
    *result = *from;
    result->measurement = NULL;
    result->measurements = 0;
    const bool copied[] = {copy_rows(&result->finding, result->findings, sizeof *result->finding),
                           copy_rows(&result->fault, result->faults, sizeof *result->fault),
                           copy_rows(&result->hop, result->hops, sizeof *result->hop)};
    if (copied[0] && copied[1] && copied[2])
        return result;
    pb_result_free(result);
    return NULL;
}

int pb_check_so_far(const struct pb_checker *check, const char *why, struct pb_result **out)
{
    struct pb_result *result = check->out.code ? NULL : copy_result(check->out.result);
    *out = NULL;
    if (!result)
        return PB_ERR_MEMORY;
    pb_evidence_so_far(&check->evidence, result);
    const int code = conclude(check, result);
    if (result->verdict != PB_VERDICT_FAIL)
        mark_incomplete(result, why);
    snprintf(result->incomplete, sizeof result->incomplete, "%s", why);
    if (code)
        pb_result_free(result);
    else
        *out = result;
    return code;
}

int pb_check(struct pb_result *result, const struct pb_scenario *scenario, struct pb_observation *observation)
{
    struct pb_checker *checker;
    struct pb_expectation expectation;
    pb_events_sort(&observation->events);
    int code = pb_expect(&expectation, result, scenario);
    if (!code)
        code = pb_check_open(&checker, result, scenario, &expectation, observation, NULL);
    if (code)
        return code;
    code = pb_check_push(checker, observation->events.event, observation->events.count);
    const int closed = pb_check_close(checker);
    return code ? code : closed;
}

uint64_t pb_check_typed_done(const struct pb_checker *check)
{
    return pb_answers_done(&check->consoles);
}

/* ---- runs that are none */

int pb_check_none(struct pb_result *result, const struct pb_scenario *scenario, const char *why)
{
    struct pb_expectation expectation;
    const int code = pb_expect(&expectation, result, scenario);
    result->phase_ps = (int64_t)((uint64_t)PB_PS_PER_S * 1000 / scenario->phase_rate_mhz);
    result->start_min_ps = scenario->head_guard_ps - scenario->limits.start_early_ps;
    result->start_max_ps = scenario->head_guard_ps + scenario->limits.start_late_ps;
    snprintf(result->capture, sizeof result->capture, "%s",
             scenario->capture == PB_CAPTURE_BYTES ? "bytes" : "edges");
    mark_incomplete(result, why);
    return code;
}
