/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/session.h"
#include "host/base/monotonic.h"
#include "host/base/room.h"

#include "bench/nodes/watch.h"
#include "host/plan/event_load.h"
#include "host/plan/plan.h"
#include "host/plan/node_map.h"
#include "host/rig/node_state.h"
#include "host/run/configure.h"
#include "host/run/console_time.h"
#include "host/run/epilogue.h"
#include "host/run/steps.h"
#include "phasebench/tdc_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POLL_MS = PB_CONSOLE_POLL_MS, /* of rig time; limits how late stop flag and deadline are checked */
    QUIET_MS = 3 * POLL_MS,       /* without an event; this ends a run in which no answer is outstanding */
    LAST_MS = 200,                /* longest wait for that: a line may never be quiet */
    ANSWER_BYTES = 32,            /* of an answer to a line that is typed in the run, and more */
    STALL_POLLS = 2000,        /* polls without any event while the clock should run: the core is gone */
    AHEAD_SUPERFRAMES = 16384, /* a record that is further ahead than 32768 looks late to the core */
    QUEUED_RECORDS = 4096,     /* enough for the lanes of a core, between two polls */
    PROGRESS_NS = 200000000,
    HANDED_EVENTS = 256,       /* least number passed to the sink at once, and ... */
    WITHHELD_PHASES = 2,       /* ... none of the last phases: they may not be whole; but ... */
    WITHHELD_EVENTS = 1 << 20, /* ... this is the most kept back, when phases stop and lines babble */
    FEED_WORK = 65536,    /* planned at a time, a few milliseconds: the core's watchdog waits for no host.
                                 No limit in time: a replay has to write what the run wrote. */
    FEED_SUPERFRAMES = 8, /* superframes that are queued ahead in any case */
    /* With `rest: reacts`, so that what is lost is soon missing: */
    REACT_SUPERFRAMES = 2,  /* planned ahead, and ... */
    REACT_SIMULATED_MS = 4, /* ... the time in which events come from a simulated core, and ... */
    REACT_MS = 20,          /* ... from any other */
    AHEAD_WORK = 1 << 20    /* planned ahead at most: the check reads the same movement, which keeps what it
                                 has not passed */
};

#define PS_PER_S INT64_C(1000000000000)

struct pb_session {
    struct pb_observation *seen;
    const struct pb_scenario *scenario;
    const struct pb_run_options *options;
    const struct pb_event_sink *sink; /* NULL: the observation keeps the events */
    struct pb_transport *transport; /* borrowed, for the simulated time */
    struct pb_device *device;
    struct pb_plan plan;
    struct pb_console console;
    struct lane_queue {
        struct queued {
            uint64_t instant;
            unsigned length;
            uint8_t bytes[PB_RECORD_MAX];
        } * record; /* owned; planned and not yet handed over */
        size_t next, end, capacity;
        bool full; /* at the last packet it had no room for the next record */
    } lane[PB_DEVICE_LANES_MAX];
    size_t queued; /* records in all lanes */
    size_t typed_capacity;
    /* In the plan's fault records, of each unit: the first one not yet handed over. */
    size_t next_fault[PB_SHAPE_FAULTS_MASK];
    uint64_t answers; /* complete ones since the clock started, of the console that the core receives */
    bool in_answer;
    int64_t unheard_ps; /* from superframe 0: when the last line typed at another console ends; 0: none */
    uint64_t phases_seen;
    int64_t deadline_ns, progress_ns;
    struct pb_diag *diag;
};

static int check_time(struct pb_session *session)
{
    if (session->options->stop && *session->options->stop)
        return pb_fail(session->diag, PB_ERR_INTERRUPTED,
                       "interrupted; all lines are released and the clock is stopped");
    const struct pb_node_watch *watch = session->options->watch;
    if (pb_monotonic_ns() - (watch ? watch->halted_ns : 0) > session->deadline_ns)
        return pb_fail(
            session->diag, PB_ERR_TIMEOUT,
            "the run took longer than the limit of %u s; raise --timeout or lower the number of superframes",
            session->options->timeout_s ? session->options->timeout_s : PB_RUN_TIMEOUT_S);
    return pb_recorder_check(session->options->recorder, session->diag);
}

/* A signal or the time limit also ends a board that waits for the process of a node: its link breaks then. */
static int find_cause(struct pb_session *session, int code)
{
    const int over = code == PB_ERR_LINK || code == PB_ERR_IO ? check_time(session) : PB_OK;
    return over ? over : code;
}

static void count_answers(struct pb_session *session, const struct pb_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (event[i].kind != PB_EVENT_CONSOLE)
            continue;
        const bool ends = pb_event_data(&event[i]) == '\n';
        session->answers += ends && session->in_answer;
        session->in_answer = !ends;
    }
}

static int poll_for(struct pb_session *session, unsigned ms)
{
    struct pb_events *events = session->console.events;
    const size_t known = events->count;
    const struct pb_run_options *options = session->options;
    int code = check_time(session);
    if (!code)
        code = pb_device_poll(session->device, ms, events, session->diag);
    if (code > 0)
        count_answers(session, events->event + known, (size_t)code);
    /* Events after the run are no part of it. */
    if (code > 0 && options->on_events && events == &session->seen->events)
        options->on_events(options->context, &session->seen->info, events->event + known, (size_t)code);
    return code;
}

static int poll_once(struct pb_session *session)
{
    return poll_for(session, POLL_MS);
}

/* For pb_configure and the consoles. */
static int poll_at_most(void *context, unsigned ms)
{
    return poll_for(context, ms);
}

static int greet(void *context, unsigned node)
{
    struct pb_session *session = context;
    return pb_console_identify(&session->console, node);
}

static uint32_t ctrl(const struct pb_session *session, bool run)
{
    return (uint32_t)run << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB |
           (uint32_t)session->plan.follow << PB_CTRL_FOLLOW_LSB;
}

/* Listens, while the clock runs, to the node that is typed to most, else to the first one. */
static int listen_to_console(struct pb_session *session)
{
    struct pb_observation *seen = session->seen;
    seen->console_node = session->plan.console_node;
    session->console.selecting = false;
    session->answers = 0;
    session->in_answer = false;
    return pb_device_write(session->device, PB_REG_CONSOLE_SELECT, seen->console_node, session->diag);
}

static int64_t end_of_line_ps(const struct pb_scenario *scenario, const struct pb_console_line *line)
{
    return line->start_ps +
           (int64_t)(strlen(line->text) + 1) * 10 * PS_PER_S / (int64_t)scenario->console_baud_hz;
}

/* Queues what the plan has for its next superframe, and notes what is typed in it. */
static int queue_superframe(struct pb_session *session)
{
    struct pb_plan *plan = &session->plan;
    struct pb_observation *seen = session->seen;
    int code = pb_plan_next(plan, session->diag);
    for (size_t i = 0; i < plan->now.records && !code; i++) {
        const struct pb_record *record = &plan->now.record[i];
        struct lane_queue *lane = &session->lane[record->lane];
        if (lane->next && (lane->next == lane->end || lane->next >= QUEUED_RECORDS)) {
            lane->end -= lane->next;
            memmove(lane->record, lane->record + lane->next, lane->end * sizeof *lane->record);
            lane->next = 0;
        }
        code = pb_make_room(&lane->record, &lane->capacity, lane->end + 1, sizeof *lane->record);
        if (code)
            return pb_fail(session->diag, code, "no memory for the records of superframe %" PRIu32,
                           plan->superframe - 1);
        struct queued *queued = &lane->record[lane->end++];
        queued->instant = record->instant;
        queued->length = record->length;
        memcpy(queued->bytes, plan->now.bytes + record->at, record->length);
        session->queued++;
    }
    for (size_t i = 0; i < plan->typed_lines && !code; i++) {
        seen->typed_nodes |= UINT64_C(1) << plan->typed[i].node_index;
        if (plan->typed[i].node_index != seen->console_node) {
            const int64_t end_ps = end_of_line_ps(session->scenario, &plan->typed[i]);
            session->unheard_ps = end_ps > session->unheard_ps ? end_ps : session->unheard_ps;
            continue;
        }
        code = pb_make_room(&seen->typed, &session->typed_capacity, seen->typings + 1, sizeof *seen->typed);
        if (code)
            return pb_fail(session->diag, code, "no memory for %zu console lines", seen->typings + 1);
        seen->typed[seen->typings++] = plan->typed[i].message;
    }
    return code;
}

/* Forgets the lines that the sink needs no more. */
static void forget_typed(struct pb_session *session)
{
    struct pb_observation *seen = session->seen;
    const uint64_t done = session->sink->typed_done(session->sink->context) - seen->typings_before;
    seen->typings_before += done;
    seen->typings -= done;
    memmove(seen->typed, seen->typed + done, seen->typings * sizeof *seen->typed);
}

/* Hands the first events to the sink. */
static int hand_over(struct pb_session *session, size_t count)
{
    struct pb_observation *seen = session->seen;
    struct pb_events *events = &seen->events;
    const int code = session->sink->take(session->sink->context, events->event, count);
    if (code)
        return pb_fail(session->diag, code, "no memory to judge the run");
    for (size_t i = 0; i < count; i++)
        seen->phases_before += events->event[i].kind == PB_EVENT_PHASE;
    seen->events_before += count;
    events->count -= count;
    memmove(events->event, events->event + count, events->count * sizeof *events->event);
    if (seen->typings)
        forget_typed(session);
    return PB_OK;
}

/* Hands over the events that no cut can remove: a run that ends early is judged up to its last whole phase.
 * *next: the first event that is not handled yet. */
static int hand_over_whole(struct pb_session *session, size_t *next)
{
    const struct pb_events *events = &session->seen->events;
    size_t at = *next;
    unsigned phases = 0;
    if (!session->sink)
        return PB_OK;
    while (at > 0 && phases < WITHHELD_PHASES)
        phases += events->event[--at].kind == PB_EVENT_PHASE;
    if (*next - at > WITHHELD_EVENTS)
        at = *next;
    if (!at || (at < HANDED_EVENTS && !session->scenario->reacts))
        return PB_OK;
    *next -= at;
    return hand_over(session, at);
}

/* Hands a lane as many records as it takes, several to a packet. One that was full is asked with a single
 * record: at full load most polls find it full. */
static int feed_lane(struct pb_session *session, unsigned number, uint64_t horizon)
{
    struct lane_queue *lane = &session->lane[number];
    uint8_t packet[249];
    size_t room = lane->full ? 0 : sizeof packet; /* as far as known */
    while (lane->next < lane->end) {
        size_t size = 0, next = lane->next;
        for (; next < lane->end; next++) {
            const struct queued *record = &lane->record[next];
            if (record->instant > horizon || size + record->length > (size ? room : sizeof packet))
                break;
            memcpy(packet + size, record->bytes, record->length);
            size += record->length;
        }
        if (!size)
            return PB_OK;
        bool taken;
        unsigned free_bytes;
        const int code =
            pb_device_play(session->device, number, packet, size, &taken, &free_bytes, session->diag);
        if (code)
            return code;
        if (taken) {
            session->queued -= next - lane->next;
            lane->next = next;
        }
        lane->full = !taken || (lane->next < lane->end && lane->record[lane->next].length > free_bytes);
        if (lane->full)
            return PB_OK;
        room = free_bytes < sizeof packet ? free_bytes : sizeof packet;
    }
    return PB_OK;
}

/* The same for a fault unit. */
static int feed_unit(struct pb_session *session, unsigned unit, uint64_t horizon)
{
    const struct pb_plan *plan = &session->plan;
    for (size_t *next = &session->next_fault[unit]; *next < plan->faults; ++*next) {
        const struct pb_fault_record *record = &plan->fault[*next];
        bool taken;
        unsigned free_bytes;
        if (record->unit != unit)
            continue;
        if (record->instant > horizon)
            return PB_OK;
        const int code = pb_device_fault(session->device, unit, record->bytes, sizeof record->bytes, &taken,
                                         &free_bytes, session->diag);
        if (code || !taken)
            return code;
    }
    return PB_OK;
}

/* By the mean of a superframe so far. */
static uint64_t work_ahead(const struct pb_session *session)
{
    const struct pb_plan *plan = &session->plan;
    const uint64_t seen = session->phases_seen / plan->phase_count;
    return plan->superframe > seen ? (plan->superframe - seen) * (plan->work / plan->superframe) : 0;
}

/* Returns how many phases the plan may be ahead of the clock. */
static uint64_t phases_ahead(const struct pb_session *session)
{
    const uint64_t most = (uint64_t)AHEAD_SUPERFRAMES * session->plan.phase_count,
                   ms = session->seen->simulated ? REACT_SIMULATED_MS : REACT_MS,
                   soon = (uint64_t)REACT_SUPERFRAMES * session->plan.phase_count +
                          ms * session->scenario->phase_rate_mhz / 1000000;
    return session->scenario->reacts && soon < most ? soon : most;
}

static int feed(struct pb_session *session)
{
    const uint64_t horizon = session->phases_seen + phases_ahead(session),
                   needed = session->phases_seen + (uint64_t)FEED_SUPERFRAMES * session->plan.phase_count;
    const struct pb_plan *plan = &session->plan;
    const uint64_t enough = plan->work + FEED_WORK;
    int code = PB_OK;
    while (!code && session->queued < QUEUED_RECORDS && plan->superframe < session->scenario->superframes &&
           (uint64_t)plan->superframe * plan->phase_count <= horizon &&
           ((uint64_t)plan->superframe * plan->phase_count <= needed ||
            (plan->work < enough && work_ahead(session) < AHEAD_WORK)))
        code = queue_superframe(session);
    for (unsigned unit = 0; !code && unit < session->seen->info.faults; unit++)
        code = feed_unit(session, unit, horizon);
    for (unsigned lane = 0; !code && lane < session->seen->info.lanes; lane++)
        code = feed_lane(session, lane, horizon);
    return code;
}

static void report_progress(struct pb_session *session)
{
    const struct pb_events *events = &session->seen->events;
    if (!session->options->progress || pb_monotonic_ns() < session->progress_ns)
        return;
    session->progress_ns = pb_monotonic_ns() + PROGRESS_NS;
    const struct pb_run_progress progress = {
        .superframe = (uint32_t)(session->phases_seen / session->plan.phase_count),
        .superframes = session->scenario->superframes,
        .events = session->seen->events_before + events->count,
    };
    session->options->progress(session->options->context, &progress);
}

/* The run is over: later events on the lines are no part of it, even if an external clock still runs. */
static int read_counters(struct pb_session *session)
{
    static const uint32_t none[2] = {0, 0};
    int code = pb_device_write(session->device, PB_REG_CTRL, ctrl(session, false), session->diag);
    if (!code)
        code = pb_device_write_many(session->device, PB_REG_EDGE_MASK0, none, 2, session->diag);
    if (!code)
        code = pb_device_write_many(session->device, PB_REG_BYTE_MASK0, none, 2, session->diag);
    return code ? code : pb_console_count(&session->console);
}

static bool answered_last(const struct pb_session *session)
{
    const unsigned nodes = session->scenario->node_count;
    return !session->plan.follow && session->seen->answer[nodes - 1].counted;
}

static bool is_answer_outstanding(const struct pb_session *session)
{
    return session->answers < session->seen->typings_before + session->seen->typings;
}

/* Returns for how long a console that is not received may still begin an answer, which a command after the
 * run would take for its own. The time of an external clock is not the plan's. */
static uint64_t unheard_ms(const struct pb_session *session)
{
    const struct pb_scenario *scenario = session->scenario;
    const double run_ps = 1e15 * scenario->superframes * scenario->network.phases /
                          (double)scenario->phase_rate_mhz,
                 left_ms = ((double)session->unheard_ps - run_ps) / 1e9 + PB_CONSOLE_WAIT_MS;
    if (!session->unheard_ps || left_ms <= 0)
        return 0;
    return session->plan.follow ? PB_CONSOLE_WAIT_MS : (uint64_t)left_ms + 1;
}

/* Until no event has come for some polls, or nothing but the edges of an external clock for as long. While an
 * answer is outstanding, for as long as the contract lets a node wait. */
static int await_quiet(struct pb_session *session)
{
    const struct pb_events *events = &session->seen->events;
    const uint64_t ms_ticks = session->seen->info.clock_hz / 1000,
                   byte_ms = 1 + 10000 / session->scenario->console_baud_hz, others_ms = unheard_ms(session),
                   limit_ms = LAST_MS + (session->seen->typings * ANSWER_BYTES + 1) * byte_ms;
    size_t next = events->count;
    uint64_t from_tick = next ? events->event[next - 1].tick : 0, last_tick = from_tick,
             newest_tick = from_tick, silent_ms = 0, quiet_ms = 0, spent_ms = 0;
    while (spent_ms < limit_ms) {
        const uint64_t due_ms = is_answer_outstanding(session) ? PB_CONSOLE_WAIT_MS + byte_ms : QUIET_MS;
        if (quiet_ms >= due_ms && spent_ms >= others_ms)
            return PB_OK;
        const int code = poll_once(session);
        if (code < 0)
            return code;
        quiet_ms = code ? 0 : quiet_ms + POLL_MS;
        silent_ms += code ? 0 : POLL_MS;
        for (; next < events->count; next++) {
            const struct pb_event *event = &events->event[next];
            newest_tick = event->tick;
            from_tick = from_tick ? from_tick : event->tick;
            if (event->kind != PB_EVENT_TDMA)
                last_tick = event->tick;
            else if (event->tick > last_tick + due_ms * ms_ticks &&
                     event->tick > from_tick + others_ms * ms_ticks)
                return PB_OK;
        }
        spent_ms = silent_ms + (newest_tick - from_tick) / ms_ticks;
    }
    return PB_OK;
}

static int begin_tdc(struct pb_session *session)
{
    struct pb_tdc_watch *watch = session->options->tdc;
    if (!watch)
        return PB_OK;
    const int code = pb_tdc_begin(watch, session->device, session->options->stop, session->diag);
    session->seen->tdc = &watch->scale;
    return code;
}

/* on: from the start of the clock to its end. */
static int switch_tdc(struct pb_session *session, bool on)
{
    const struct pb_tdc_watch *watch = session->options->tdc;
    return watch ? pb_device_write(session->device, PB_REG_TDC,
                                   on ? PB_PUT(PB_TDC_ENABLE, 1) | PB_PUT(PB_TDC_PIN, watch->pin) : 0,
                                   session->diag)
                 : PB_OK;
}

/* What the delays are after the run. */
static int end_tdc(struct pb_session *session)
{
    struct pb_tdc_watch *watch = session->options->tdc;
    double now_hz = 0;
    if (!watch)
        return PB_OK;
    const int code =
        pb_tdc_oscillator(&now_hz, session->device, session->options->stop, session->diag);
    watch->ratio_end = code ? 0 : watch->table.oscillator_hz / now_hz;
    return code;
}

static int play(struct pb_session *session)
{
    struct pb_events *events = &session->seen->events;
    int code = listen_to_console(session);
    if (!code)
        code = pb_stamp(&session->seen->clock_tick, session->device, session->seen, session->diag);
    if (!code && session->sink) {
        code = session->sink->begin(session->sink->context, session->seen, session->plan.movement);
        if (code)
            return pb_fail(session->diag, code, "no memory to judge the run");
    }
    session->seen->pulses_in_run = session->plan.console_idle;
    if (!code && session->plan.console_idle)
        code = pb_console_watch(&session->console, true);
    if (!code)
        code = feed(session);
    if (!code)
        code = switch_tdc(session, true);
    if (!code)
        code = pb_device_write(session->device, PB_REG_CTRL, ctrl(session, true), session->diag);
    size_t next = events->count;
    unsigned idle = 0, polls = 0;
    /* A phase may be longer than a poll: then polls without events are normal. */
    const uint64_t phase_ms = (uint64_t)session->plan.period_ticks * 1000 / session->seen->info.clock_hz;
    /* An external clock is awaited first. */
    bool started = !session->plan.follow;
    for (bool stopped = false; !code && !stopped;) {
        code = poll_once(session);
        if (code < 0)
            return code;
        idle = code ? 0 : idle + 1;
        code = idle > STALL_POLLS + 2 * phase_ms / POLL_MS
                   ? pb_fail(session->diag, PB_ERR_LINK,
                             "no event for %u ms although the phase clock should run; open the rig again",
                             idle * POLL_MS)
                   : feed(session);
        for (; next < events->count; next++) {
            if (events->event[next].kind == PB_EVENT_PHASE)
                session->phases_seen =
                    pb_event_phases(&events->event[next], session->phases_seen, session->plan.phase_count);
            if (events->event[next].kind == PB_EVENT_CLOCK &&
                !PB_GET(PB_EVENT_CLOCK_RUNNING, events->event[next].value))
                stopped = true;
        }
        if (!code)
            code = hand_over_whole(session, &next);
        if (!code && ++polls % PB_STEP_STATUS_POLLS == 0) {
            uint32_t status = 0;
            code = pb_device_status(session->device, &status, session->diag);
            const bool running = status >> PB_STATUS_RUNNING_LSB & PB_STATUS_RUNNING_MASK;
            started = started || running || session->phases_seen;
            stopped = stopped || (started && !running);
        }
        report_progress(session);
    }
    if (!code)
        code = await_quiet(session);
    if (!code)
        code = pb_stamp(&session->seen->end_tick, session->device, session->seen, session->diag);
    if (!code && session->plan.console_idle)
        code = pb_console_watch(&session->console, false);
    if (!code)
        code = switch_tdc(session, false);
    if (!code)
        code = read_counters(session);
    if (!code)
        code = pb_device_write(session->device, PB_REG_CTRL, 0, session->diag);
    if (code)
        return code;
    /* Only an external clock makes events after the answer to a T. */
    return answered_last(session) ? pb_device_tally(session->device, events, session->diag)
                                  : pb_device_settle(session->device, events, session->diag);
}

/* Which links' edges are recorded. */
static int choose_capture(struct pb_session *session)
{
    struct pb_observation *seen = session->seen;
    struct pb_capture_choice choice;
    int code = pb_capture_choose(&choice, session->scenario, &seen->info,
                                 pb_rig_bytes_per_s(session->transport, seen->info.clock_hz));
    if (code)
        return pb_fail(session->diag, code, "no memory to compute how many events the run makes");
    code = pb_recording_capture(session->transport, &choice, session->diag);
    if (code)
        return code;
    if (choice.capture == PB_CAPTURE_BYTES)
        seen->edgeless = session->plan.link_mask;
    snprintf(seen->capture_reason, sizeof seen->capture_reason, "%s", choice.why);
    return PB_OK;
}

/* What went over the link is that of the whole session; what came of events, and did not, is that of the run.
 */
static void take_traffic(struct pb_session *session)
{
    struct pb_device_counters *counters = &session->seen->counters, all;
    pb_device_counters(session->device, &all);
    counters->bytes_in = all.bytes_in;
    counters->bytes_out = all.bytes_out;
    counters->packets_bad = all.packets_bad;
    counters->packets_stray = all.packets_stray;
    counters->retries = all.retries;
}

/* Of a rig that simulates in another process its core knows the time: that of its last event. */
static int64_t simulated_ps(const struct pb_session *session)
{
    const struct pb_events *events = &session->seen->events;
    const int64_t ps = pb_rig_simulated_ps(session->transport);
    if (ps >= 0 || !session->seen->simulated || !events->count)
        return ps;
    return (int64_t)((unsigned __int128)events->event[events->count - 1].tick * 1000000000000 /
                     session->seen->info.clock_hz);
}

/* Opens the rig and its core, and makes the plan. */
static int open_session(struct pb_session *session, const struct pb_rig_options *rig)
{
    struct pb_observation *seen = session->seen;
    *seen = (struct pb_observation){
        .simulated_ps = -1, .overruns = -1, .calibration = session->options->calibration};
    session->deadline_ns =
        pb_monotonic_ns() +
        (session->options->timeout_s ? session->options->timeout_s : PB_RUN_TIMEOUT_S) * INT64_C(1000000000);

    struct pb_rig_options timed = *rig;
    timed.deadline_ns = session->deadline_ns;
    int code = pb_rig_check_models(rig->url, session->scenario, session->diag);
    if (!code)
        code = pb_rig_open(&session->transport, &timed, session->scenario, session->diag);
    if (!code)
        code = pb_device_open(&session->device, session->transport, session->diag);
    if (code)
        return code;
    seen->info = *pb_device_info(session->device);
    const struct pb_rig_target target = pb_rig_target_of(rig->url);
    seen->simulated = target.replays ? pb_replay_simulates(session->transport) : target.simulates;
    session->console = (struct pb_console){.seen = seen,
                                           .events = &seen->events,
                                           .scenario = session->scenario,
                                           .device = session->device,
                                           .plan = &session->plan,
                                           .diag = session->diag,
                                           .poll = poll_at_most,
                                           .context = session};
    return pb_plan_make(&session->plan, session->scenario, &seen->info, session->diag);
}

static struct pb_configure configuration(struct pb_session *session)
{
    return (struct pb_configure){
        .device = session->device,
        .scenario = session->scenario,
        .plan = &session->plan,
        .seen = session->seen,
        .ctrl = ctrl(session, false),
        .poll = poll_at_most,
        .greet = greet,
        .context = session,
    };
}

/* Returns `code`, or the first error of its own. */
static int note_nodes(struct pb_session *session, int code)
{
    struct pb_observation *seen = session->seen;
    seen->simulated_ps = simulated_ps(session);
    seen->overruns = pb_rig_overruns(session->transport);
    for (unsigned i = 0; i < session->scenario->node_count; i++) {
        struct pb_diag diag;
        const int noted = pb_rig_node_trouble(session->transport, i, &seen->trouble[i], &diag);
        if (noted && !code)
            code = pb_fail(session->diag, noted, "%s", diag.text);
    }
    return code;
}

static void close_session(struct pb_session *session)
{
    pb_device_close(session->device);
    for (unsigned lane = 0; lane < PB_DEVICE_LANES_MAX; lane++)
        free(session->lane[lane].record);
    pb_plan_free(&session->plan);
}

int pb_session_close(struct pb_session *session, int code)
{
    code = note_nodes(session, find_cause(session, code));
    close_session(session);
    free(session);
    return code;
}

struct pb_console *pb_session_console(struct pb_session *session)
{
    return &session->console;
}

void pb_session_trouble(const struct pb_session *session, unsigned node_index,
                        struct pb_node_trouble *trouble)
{
    struct pb_diag diag;
    *trouble = (struct pb_node_trouble){0};
    if (pb_rig_node_trouble(session->transport, node_index, trouble, &diag))
        *trouble = (struct pb_node_trouble){0};
}

int pb_session_open(struct pb_session **out, struct pb_observation *observation,
                    const struct pb_scenario *scenario, const struct pb_run_options *options,
                    const struct pb_rig_options *rig, struct pb_diag *diag)
{
    struct pb_session *session = malloc(sizeof *session);

    *out = NULL;
    if (!session)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for a session on the rig");
    *session =
        (struct pb_session){.seen = observation, .scenario = scenario, .options = options, .diag = diag};
    int code = open_session(session, rig);
    if (!session->device) {
        code = find_cause(session, code);
        free(session);
        return code;
    }
    const struct pb_configure configure = configuration(session);
    if (!code)
        code = pb_configure(&configure, diag);
    if (code)
        return pb_session_close(session, code);
    *out = session;
    return PB_OK;
}

int pb_session_script(struct pb_observation *observation, const struct pb_scenario *scenario,
                      const struct pb_run_options *options, const struct pb_rig_options *rig,
                      int (*script)(struct pb_console *console, void *context), void *context,
                      struct pb_diag *diag)
{
    struct pb_session *session;
    const int code = pb_session_open(&session, observation, scenario, options, rig, diag);
    return code ? code : pb_session_close(session, script(&session->console, context));
}

int pb_session_play(struct pb_observation *observation, const struct pb_scenario *scenario,
                    const struct pb_run_options *options, const struct pb_rig_options *rig,
                    const struct pb_event_sink *sink, struct pb_diag *diag)
{
    struct pb_session session = {
        .seen = observation, .scenario = scenario, .options = options, .sink = sink, .diag = diag};
    int code = open_session(&session, rig);
    if (!session.device)
        return find_cause(&session, code);
    const struct pb_configure configure = configuration(&session);
    if (!code)
        code = begin_tdc(&session);
    if (!code)
        code = choose_capture(&session);
    if (!code)
        code = pb_configure(&configure, diag);
    if (!code)
        code = pb_console_type(&session.console);
    if (!code)
        code = pb_console_load(&session.console);
    if (!code)
        code = pb_choose_edges(&configure, diag);
    if (!code)
        code = play(&session);
    code = find_cause(&session, code);
    pb_device_counters(session.device, &observation->counters);
    observation->events_lost = observation->counters.events_lost;
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (pb_rig_node_figures(session.transport, i, &observation->figures[i]))
            observation->figured |= UINT64_C(1) << i;
    if (!code) {
        observation->epilogue.left_out = options->run_only;
        if (!options->run_only)
            code = pb_epilogue_play(&session.console);
        take_traffic(&session);
        if (!code)
            code = end_tdc(&session);
    }
    code = note_nodes(&session, code);
    code = pb_recording_session_end(session.transport, code, diag);
    close_session(&session);
    pb_events_sort(&observation->events);
    if (code)
        code = pb_observation_truncate(observation, scenario, code, diag);
    if (sink && (!code || *observation->cut)) {
        const int handed = hand_over(&session, observation->events.count);
        code = code ? code : handed;
    }
    return code;
}
