/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/session.h"
#include "host/plan/load.h"
#include "host/plan/plan.h"
#include "host/plan/seats.h"
#include "host/run/configure.h"
#include "host/run/console.h"
#include "host/run/epilogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POLL_MS = PB_CONSOLE_POLL_MS, /* of rig time; bounds how late stop flag and deadline are looked at */
    QUIET_POLLS = 3,              /* polls without an event that end a run */
    LAST_POLLS = 100,             /* and so many at most: a line may never be quiet */
    STATUS_POLLS = 10,            /* the event that tells of the end may be lost: ask that often */
    TIMEOUT_S = 600,
    STALL_POLLS = 2000, /* polls without any event while the clock should run: the core is gone */
    LANES_MAX = 32,
    UNITS_MAX = 16,
    AHEAD_SUPERFRAMES = 16384, /* a record that is further ahead than 32768 looks late to the core */
    PROGRESS_NS = 200000000
};

struct session {
    struct pb_observation *seen;
    const struct pb_scenario *scenario;
    const struct pb_run_options *options;
    struct pb_transport *transport; /* borrowed, for the simulated time */
    struct pb_device *device;
    struct pb_plan plan;
    struct pb_console console;
    size_t *order; /* owned; the plan's records, lane by lane */
    struct {
        size_t next, end; /* in `order`: first one not yet handed over */
    } lane[LANES_MAX];
    size_t
        next_fault[UNITS_MAX]; /* in the plan's fault records, of each unit: first one not yet handed over */
    uint64_t phases_seen;
    int64_t deadline_ns, progress_ns;
    struct pb_diag *diag;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int check_time(struct session *session)
{
    if (session->options->stop && *session->options->stop)
        return pb_fail(session->diag, PB_ERR_INTERRUPTED,
                       "interrupted; all lines are released and the clock is stopped");
    if (now_ns() > session->deadline_ns)
        return pb_fail(
            session->diag, PB_ERR_TIMEOUT,
            "the run took longer than the limit of %u s; raise --timeout or lower the number of superframes",
            session->options->timeout_s ? session->options->timeout_s : TIMEOUT_S);
    return pb_recorder_check(session->options->recorder, session->diag);
}

static int poll_for(struct session *session, unsigned ms)
{
    struct pb_events *events = session->console.events;
    const size_t known = events->count;
    const struct pb_run_options *options = session->options;
    int code = check_time(session);
    if (!code)
        code = pb_device_poll(session->device, ms, events, session->diag);
    /* What comes after the run is no part of it. */
    if (code > 0 && options->on_events && events == &session->seen->events)
        options->on_events(options->context, &session->seen->info, events->event + known, (size_t)code);
    return code;
}

static int poll_once(struct session *session)
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
    struct session *session = context;
    return pb_console_identify(&session->console, node);
}

static uint32_t ctrl(const struct session *session, bool run)
{
    return (uint32_t)run << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB |
           (uint32_t)session->plan.follow << PB_CTRL_FOLLOW_LSB;
}

/* Listens, while the clock runs, to the node that is typed to most, else to the first one, and notes what is
 * typed. */
static int listen_to_console(struct session *session)
{
    const struct pb_plan *plan = &session->plan;
    struct pb_observation *seen = session->seen;
    size_t lines[PB_SCENARIO_NODES_MAX] = {0};
    seen->typed = calloc(plan->typings + 1, sizeof *seen->typed);
    if (!seen->typed)
        return pb_fail(session->diag, PB_ERR_MEMORY, "no memory for %zu console lines", plan->typings);
    for (size_t i = 0; i < plan->typings; i++) {
        seen->typed[seen->typings++] = (struct pb_typed_line){plan->typed[i].seat, plan->typed[i].message};
        if (++lines[plan->typed[i].seat] > lines[seen->console_seat])
            seen->console_seat = plan->typed[i].seat;
    }
    session->console.selecting = false;
    return pb_device_write(session->device, PB_REG_CONSOLE_SELECT, seen->console_seat, session->diag);
}

static int sort_records(struct session *session)
{
    const struct pb_plan *plan = &session->plan;
    size_t at = 0;
    session->order = malloc((plan->records + 1) * sizeof *session->order);
    if (!session->order)
        return pb_fail(session->diag, PB_ERR_MEMORY, "no memory for the order of %zu records", plan->records);
    for (size_t i = 0; i < plan->records; i++)
        session->lane[plan->record[i].lane].end++;
    for (unsigned lane = 0; lane < LANES_MAX; lane++) {
        session->lane[lane].next = at;
        at += session->lane[lane].end;
        session->lane[lane].end = session->lane[lane].next;
    }
    for (size_t i = 0; i < plan->records; i++)
        session->order[session->lane[plan->record[i].lane].end++] = i;
    return PB_OK;
}

/* Hands a lane as many records as it takes, several to a packet. */
static int feed_lane(struct session *session, unsigned lane, uint64_t horizon)
{
    const struct pb_plan *plan = &session->plan;
    while (session->lane[lane].next < session->lane[lane].end) {
        uint8_t packet[249];
        size_t size = 0, next = session->lane[lane].next;
        for (; next < session->lane[lane].end; next++) {
            const struct pb_record *record = &plan->record[session->order[next]];
            if (record->instant > horizon || size + record->length > sizeof packet)
                break;
            memcpy(packet + size, plan->bytes + record->at, record->length);
            size += record->length;
        }
        if (!size)
            return PB_OK;
        bool taken;
        unsigned free_bytes;
        const int code =
            pb_device_play(session->device, lane, packet, size, &taken, &free_bytes, session->diag);
        if (code || !taken)
            return code;
        session->lane[lane].next = next;
    }
    return PB_OK;
}

/* The same for a fault unit. */
static int feed_unit(struct session *session, unsigned unit, uint64_t horizon)
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

static int feed(struct session *session)
{
    const uint64_t horizon = session->phases_seen + (uint64_t)AHEAD_SUPERFRAMES * session->plan.phase_count;
    int code = PB_OK;
    for (unsigned unit = 0; !code && unit < session->seen->info.faults; unit++)
        code = feed_unit(session, unit, horizon);
    for (unsigned lane = 0; !code && lane < session->seen->info.lanes; lane++)
        code = feed_lane(session, lane, horizon);
    return code;
}

static void report_progress(struct session *session)
{
    const struct pb_events *events = &session->seen->events;
    if (!session->options->progress || now_ns() < session->progress_ns)
        return;
    session->progress_ns = now_ns() + PROGRESS_NS;
    const struct pb_run_progress progress = {
        .superframe = (uint32_t)(session->phases_seen / session->plan.phase_count),
        .superframes = session->scenario->superframes,
        .events = events->count,
    };
    session->options->progress(session->options->context, &progress);
}

/* The run is over: what the lines do from now on, an outside clock still running, is no part of it. */
static int read_counters(struct session *session)
{
    static const uint32_t none[2] = {0, 0};
    int code = pb_device_write(session->device, PB_REG_CTRL, ctrl(session, false), session->diag);
    if (!code)
        code = pb_device_write_many(session->device, PB_REG_EDGE_MASK0, none, 2, session->diag);
    if (!code)
        code = pb_device_write_many(session->device, PB_REG_BYTE_MASK0, none, 2, session->diag);
    return code ? code : pb_console_count(&session->console);
}

/* Until no event has come for some polls, or nothing but the edges of an outside clock for as long. */
static int await_quiet(struct session *session)
{
    const struct pb_events *events = &session->seen->events;
    const uint64_t quiet_ticks = (uint64_t)QUIET_POLLS * POLL_MS * session->seen->info.clock_hz / 1000;
    uint64_t last_tick = events->count ? events->event[events->count - 1].tick : 0;
    size_t next = events->count;
    unsigned quiet = 0;
    for (unsigned polls = 0; quiet < QUIET_POLLS && polls < LAST_POLLS; polls++) {
        const int code = poll_once(session);
        if (code < 0)
            return code;
        quiet = code ? 0 : quiet + 1;
        for (; next < events->count; next++) {
            const struct pb_event *event = &events->event[next];
            if (event->kind != PB_EVENT_TDMA)
                last_tick = event->tick;
            else if (event->tick > last_tick + quiet_ticks)
                return PB_OK;
        }
    }
    return PB_OK;
}

static int play(struct session *session)
{
    struct pb_events *events = &session->seen->events;
    int code = listen_to_console(session);
    if (!code)
        code = sort_records(session);
    if (!code)
        code = feed(session);
    if (!code)
        code = pb_stamp(&session->seen->clock_tick, session->device, session->seen, session->diag);
    if (!code)
        code = pb_device_write(session->device, PB_REG_CTRL, ctrl(session, true), session->diag);
    size_t next = events->count;
    unsigned idle = 0, polls = 0;
    /* A phase may be longer than a poll: then polls without events are normal. */
    const uint64_t phase_ms = (uint64_t)session->plan.period_ticks * 1000 / session->seen->info.clock_hz;
    /* An outside clock is awaited first. */
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
            session->phases_seen += events->event[next].kind == PB_EVENT_PHASE;
            if (events->event[next].kind == PB_EVENT_CLOCK &&
                !PB_GET(PB_EVENT_CLOCK_RUNNING, events->event[next].value))
                stopped = true;
        }
        if (!code && ++polls % STATUS_POLLS == 0) {
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
    if (!code)
        code = read_counters(session);
    if (!code)
        code = pb_device_write(session->device, PB_REG_CTRL, 0, session->diag);
    return code ? code : pb_device_settle(session->device, events, session->diag);
}

/* Which links' edges are recorded. */
static int choose_capture(struct session *session)
{
    struct pb_observation *seen = session->seen;
    struct pb_capture_choice choice;
    int code = pb_capture_choose(&choice, session->scenario, &seen->info,
                                 pb_rig_bytes_per_s(session->transport, seen->info.clock_hz));
    if (code)
        return pb_fail(session->diag, code, "no memory to tell how many events the run makes");
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
static void take_traffic(struct session *session)
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
static int64_t simulated_ps(const struct session *session)
{
    const struct pb_events *events = &session->seen->events;
    const int64_t ps = pb_rig_simulated_ps(session->transport);
    if (ps >= 0 || !session->seen->simulated || !events->count)
        return ps;
    return (int64_t)((unsigned __int128)events->event[events->count - 1].tick * 1000000000000 /
                     session->seen->info.clock_hz);
}

int pb_session_play(struct pb_observation *observation, const struct pb_scenario *scenario,
                    const struct pb_run_options *options, const struct pb_rig_options *rig,
                    struct pb_diag *diag)
{
    struct session session = {.seen = observation, .scenario = scenario, .options = options, .diag = diag};
    *observation = (struct pb_observation){.simulated_ps = -1, .overruns = -1};
    session.deadline_ns =
        now_ns() + (options->timeout_s ? options->timeout_s : TIMEOUT_S) * INT64_C(1000000000);

    int code = pb_rig_check_models(rig->url, scenario, diag);
    if (!code)
        code = pb_rig_open(&session.transport, rig, scenario, diag);
    if (!code)
        code = pb_device_open(&session.device, session.transport, diag);
    if (code)
        return code;
    observation->info = *pb_device_info(session.device);
    observation->simulated =
        pb_rig_replay(rig->url) ? pb_replay_simulates(session.transport) : pb_rig_simulates(rig->url);
    code = pb_plan_make(&session.plan, scenario, &observation->info, diag);
    if (!code)
        code = choose_capture(&session);
    const struct pb_configure configure = {
        .device = session.device,
        .scenario = scenario,
        .plan = &session.plan,
        .seen = observation,
        .ctrl = ctrl(&session, false),
        .poll = poll_at_most,
        .greet = greet,
        .context = &session,
    };
    session.console = (struct pb_console){.seen = observation,
                                          .events = &observation->events,
                                          .scenario = scenario,
                                          .device = session.device,
                                          .plan = &session.plan,
                                          .diag = diag,
                                          .poll = poll_at_most,
                                          .context = &session};
    if (!code)
        code = pb_configure(&configure, diag);
    if (!code)
        code = pb_console_type(&session.console);
    if (!code)
        code = pb_choose_edges(&configure, diag);
    if (!code)
        code = play(&session);
    pb_device_counters(session.device, &observation->counters);
    observation->events_lost = observation->counters.events_lost;
    if (!code) {
        code = pb_epilogue_play(&session.console);
        take_traffic(&session);
    }
    observation->simulated_ps = simulated_ps(&session);
    observation->overruns = pb_rig_overruns(session.transport);
    code = pb_recording_session_end(session.transport, code, diag);
    pb_device_close(session.device);
    free(session.order);
    pb_plan_free(&session.plan);
    pb_events_sort(&observation->events);
    return code ? pb_observation_cut(observation, scenario, code, diag) : PB_OK;
}
