/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/monitor.h"

#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define SUPERFRAME_WRAP (PB_EVENT_PHASE_SUPERFRAME_MASK + 1) /* of the number in a PHASE event */

void pb_monitor_begin(struct pb_monitor_model *model, const struct pb_scenario *scenario)
{
    *model = (struct pb_monitor_model){
        .scenario = scenario, .links = pb_link_count(scenario), .phases = scenario->network.phases};
}

/* ---- phases */

static struct pb_monitor_counts *superframe_of(struct pb_monitor_model *model, uint64_t phase)
{
    return &model->superframe[phase / model->phases % PB_MONITOR_WINDOW];
}

static void open_phase(struct pb_monitor_model *model, uint64_t phase, uint64_t tick, char mark)
{
    if (phase % model->phases == 0)
        *superframe_of(model, phase) = (struct pb_monitor_counts){0};
    for (unsigned link = 0; link < model->links; link++)
        model->mark[link][phase % PB_MONITOR_HISTORY] = mark;
    model->tick[phase % PB_MONITOR_HISTORY] = tick;
    model->newest = phase;
}

static bool begin_phase(struct pb_monitor_model *model, const struct pb_event *event)
{
    const uint64_t present = model->running ? model->newest / model->phases : 0;
    const uint32_t ahead = (pb_event_superframe(event) - (uint32_t)present) % SUPERFRAME_WRAP;
    const uint64_t phase = (present + ahead) * model->phases + pb_event_phase(event);
    if (pb_event_phase(event) >= model->phases || (model->running && phase <= model->newest))
        return false;
    if (!model->running)
        model->start_tick = event->tick;
    /* Phases with lost events. */
    uint64_t next = model->running ? model->newest + 1 : 0;
    if (phase - next > PB_MONITOR_HISTORY)
        next = (phase / model->phases) * model->phases;
    for (; next < phase; next++)
        open_phase(model, next, event->tick, PB_MONITOR_UNKNOWN);
    model->running = true;
    open_phase(model, phase, event->tick, PB_MONITOR_IDLE);
    return true;
}

/* The phase of a tick; events arrive slightly out of order. */
static uint64_t phase_at(const struct pb_monitor_model *model, uint64_t tick)
{
    uint64_t phase = model->newest;
    for (unsigned back = 0;
         back < model->phases && phase > 0 && model->tick[phase % PB_MONITOR_HISTORY] > tick; back++)
        phase--;
    return phase;
}

char pb_monitor_mark(const struct pb_monitor_model *model, unsigned link, uint64_t phase)
{
    return model->mark[link][phase % PB_MONITOR_HISTORY];
}

int64_t pb_monitor_time_ps(const struct pb_monitor_model *model, uint64_t phase)
{
    const uint64_t ticks = model->tick[phase % PB_MONITOR_HISTORY] - model->start_tick;
    return model->clock_hz ? (int64_t)((unsigned __int128)ticks * PS_PER_S / model->clock_hz) : 0;
}

/* ---- events */

static unsigned rank(char mark)
{
    static const char order[] = {PB_MONITOR_UNKNOWN,
                                 PB_MONITOR_IDLE,
                                 PB_MONITOR_NODE,
                                 PB_MONITOR_BENCH,
                                 PB_MONITOR_BAD,
                                 PB_MONITOR_ALARM,
                                 0};
    return (unsigned)(strchr(order, mark) - order);
}

/* Scheduled sender of a link in a phase; PB_MONITOR_BAD: none. */
static char sender(const struct pb_monitor_model *model, unsigned link, uint64_t phase)
{
    const struct pb_scenario *scenario = model->scenario;
    const struct pb_slot slot = pb_network_slot(&scenario->network, pb_link_address(scenario, link),
                                                (unsigned)(phase % model->phases));
    if (slot.role == PB_ROLE_IDLE || slot.port != pb_link_port(scenario, link))
        return PB_MONITOR_BAD;
    return slot.role == PB_ROLE_SEND || pb_partner_link(scenario, link) >= 0 ? PB_MONITOR_NODE
                                                                             : PB_MONITOR_BENCH;
}

static void count_mark(struct pb_monitor_counts *counts, char mark)
{
    counts->node_frames += mark == PB_MONITOR_NODE;
    counts->bench_frames += mark == PB_MONITOR_BENCH;
    counts->bad += mark == PB_MONITOR_BAD;
}

static void put_mark(struct pb_monitor_model *model, unsigned link, uint64_t phase, char mark)
{
    char *cell = &model->mark[link][phase % PB_MONITOR_HISTORY];
    if (rank(*cell) >= rank(mark))
        return;
    *cell = mark;
    count_mark(&model->total, mark);
    count_mark(&model->link[link], mark);
    count_mark(superframe_of(model, phase), mark);
}

static bool is_clock_alarm(const struct pb_event *event)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    return code == PB_ALARM_PERIOD || code == PB_ALARM_NO_EDGE || code == PB_ALARM_SYNC ||
           code == PB_ALARM_WATCHDOG;
}

static void count_event(const struct pb_monitor_model *model, struct pb_monitor_counts *counts,
                        const struct pb_event *event, uint64_t lost)
{
    const bool on_link = event->link < model->links;
    counts->events++;
    counts->lost += lost;
    counts->bytes += event->kind == PB_EVENT_BYTE && on_link;
    counts->edges += event->kind == PB_EVENT_EDGE && on_link;
    counts->alarms += event->kind == PB_EVENT_ALARM;
    counts->faults += event->kind == PB_EVENT_FAULT;
    counts->underruns += event->kind == PB_EVENT_UNDERRUN;
}

static void mark_event(struct pb_monitor_model *model, const struct pb_event *event, uint64_t phase)
{
    const unsigned link = event->link;
    if (link >= model->links)
        return;
    const char scheduled = sender(model, link, phase);
    if (event->kind == PB_EVENT_BYTE)
        put_mark(model, link, phase, pb_event_stop_ok(event) ? scheduled : PB_MONITOR_BAD);
    else if (event->kind == PB_EVENT_EDGE && scheduled == PB_MONITOR_BAD)
        put_mark(model, link, phase, PB_MONITOR_BAD);
    else if (event->kind == PB_EVENT_ALARM && !is_clock_alarm(event)) {
        model->link[link].alarms++;
        put_mark(model, link, phase, PB_MONITOR_ALARM);
    }
}

bool pb_monitor_take(struct pb_monitor_model *model, const struct pb_device_info *info,
                     const struct pb_event *event)
{
    /* Lost events have numbers, and so have those with which the session measures the lines before the clock
     * and which it keeps to itself. */
    const uint64_t lost =
        model->running && event->sequence > model->next_sequence ? event->sequence - model->next_sequence : 0;
    model->clock_hz = info->clock_hz;
    model->next_sequence = event->sequence + 1;
    const bool begun = event->kind == PB_EVENT_PHASE && begin_phase(model, event);
    count_event(model, &model->total, event, lost);
    if (!model->running)
        return begun;
    const uint64_t phase = phase_at(model, event->tick);
    count_event(model, superframe_of(model, phase), event, lost);
    mark_event(model, event, phase);
    return begun;
}

int64_t pb_monitor_recent(const struct pb_monitor_model *model, struct pb_monitor_counts *sum)
{
    const uint64_t present = model->newest / model->phases;
    uint64_t first = present >= PB_MONITOR_WINDOW ? present - PB_MONITOR_WINDOW + 1 : 0;
    *sum = (struct pb_monitor_counts){0};
    if (present - first > PB_MONITOR_HISTORY / model->phases - 1)
        first = present - (PB_MONITOR_HISTORY / model->phases - 1);
    if (!model->running || first == present)
        return 0;
    for (uint64_t number = first; number < present; number++) {
        const struct pb_monitor_counts *counts = &model->superframe[number % PB_MONITOR_WINDOW];
        sum->bytes += counts->bytes;
        sum->edges += counts->edges;
        sum->events += counts->events;
    }
    return pb_monitor_time_ps(model, present * model->phases) -
           pb_monitor_time_ps(model, first * model->phases);
}

/* ---- lines */

size_t pb_monitor_text_line(const struct pb_monitor_model *model, uint64_t superframe,
                            char line[PB_MONITOR_LINE_SIZE])
{
    const struct pb_monitor_counts *counts = &model->superframe[superframe % PB_MONITOR_WINDOW];
    return (size_t)snprintf(line, PB_MONITOR_LINE_SIZE,
                            "superframe %" PRIu64 "  %.1f ms  N %" PRIu64 "  B %" PRIu64 "  bad %" PRIu64
                            "  alarms %" PRIu64 "  faults %" PRIu64 "  bytes %" PRIu64 "  edges %" PRIu64
                            "  events %" PRIu64 "  lost %" PRIu64 "\n",
                            superframe, (double)pb_monitor_time_ps(model, superframe * model->phases) / 1e9,
                            counts->node_frames, counts->bench_frames, counts->bad, counts->alarms,
                            counts->faults, counts->bytes, counts->edges, counts->events, counts->lost);
}

size_t pb_monitor_json_line(const struct pb_monitor_model *model, uint64_t superframe,
                            char line[PB_MONITOR_LINE_SIZE])
{
    const struct pb_monitor_counts *counts = &model->superframe[superframe % PB_MONITOR_WINDOW];
    const uint64_t first = superframe * model->phases;
    size_t at = (size_t)snprintf(
        line, PB_MONITOR_LINE_SIZE,
        "{\"superframe\": %" PRIu64 ", \"time_ps\": %" PRId64 ", \"node_frames\": %" PRIu64
        ", \"bench_frames\": %" PRIu64 ", \"bad\": %" PRIu64 ", \"alarms\": %" PRIu64 ", \"faults\": %" PRIu64
        ", \"underruns\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"edges\": %" PRIu64 ", \"events\": %" PRIu64
        ", \"lost\": %" PRIu64 ", \"links\": [",
        superframe, pb_monitor_time_ps(model, first), counts->node_frames, counts->bench_frames, counts->bad,
        counts->alarms, counts->faults, counts->underruns, counts->bytes, counts->edges, counts->events,
        counts->lost);
    for (unsigned link = 0; link < model->links; link++) {
        if (link)
            line[at++] = ',';
        line[at++] = '"';
        for (unsigned phase = 0; phase < model->phases; phase++)
            line[at++] = first + phase <= model->newest ? pb_monitor_mark(model, link, first + phase)
                                                        : PB_MONITOR_UNKNOWN;
        line[at++] = '"';
    }
    return at + (size_t)snprintf(line + at, PB_MONITOR_LINE_SIZE - at, "]}\n");
}
