/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/event_load.h"
#include "host/plan/frame.h"
#include "host/plan/node_map.h"
#include "host/scenario/movement.h"

#include <stdio.h>

enum {
    PHASE_EVENTS = 2, /* PHASE and TDMA */
    WIRE_BYTES_3 = 28 /* three events with their part of a packet */
};

/* Events wait in a queue that drains evenly: it is kept in parts of an event. */
struct queue {
    const struct pb_scenario *scenario;
    struct pb_load *load;
    bool edges;
    uint64_t drained_q16; /* in a phase; UINT64_MAX: all */
    uint64_t waiting_q16;
    uint64_t instant; /* phases that are over */
    unsigned events;  /* of the present one */
};

static void end_phase(struct queue *queue)
{
    struct pb_load *load = queue->load;
    load->events += queue->events;
    if (queue->events > load->busiest)
        load->busiest = queue->events;
    queue->waiting_q16 += (uint64_t)queue->events << 16;
    queue->waiting_q16 -= queue->waiting_q16 < queue->drained_q16 ? queue->waiting_q16 : queue->drained_q16;
    if (queue->waiting_q16 >> 16 > load->waiting)
        load->waiting = queue->waiting_q16 >> 16;
    queue->instant++;
    queue->events = PHASE_EVENTS;
}

/* Up to this phase: the rest of the present one, then phases without a frame, of which one is as another. */
static void pass_to(struct queue *queue, uint64_t instant)
{
    if (queue->instant >= instant)
        return;
    end_phase(queue);
    const uint64_t phases = instant - queue->instant, events_q16 = phases * PHASE_EVENTS << 16;
    const unsigned __int128 drained_q16 = (unsigned __int128)phases * queue->drained_q16;
    if (!phases)
        return;
    queue->waiting_q16 += events_q16;
    queue->waiting_q16 -= queue->waiting_q16 < drained_q16 ? queue->waiting_q16 : (uint64_t)drained_q16;
    if (queue->waiting_q16 >> 16 > queue->load->waiting)
        queue->load->waiting = queue->waiting_q16 >> 16;
    queue->load->events += phases * PHASE_EVENTS;
    queue->instant = instant;
}

/* Edges of a frame on a line that is high before it: a start bit, data from the low bit on, a stop bit. */
static unsigned edges_of(const uint8_t *frame, unsigned count)
{
    unsigned edges = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned bits = 1u << 9 | (unsigned)frame[i] << 1, before = bits << 1 | 1;
        edges += (unsigned)__builtin_popcount((bits ^ before) & 0x3ff);
    }
    return edges;
}

static unsigned frame_events(const struct queue *queue, const struct pb_crossing *crossing)
{
    uint8_t frame[PB_FRAME_MAX];
    const unsigned count =
        pb_frame(queue->scenario, crossing->message, crossing->destination, crossing->sequence, frame);
    return count + (queue->edges ? edges_of(frame, count) : 0);
}

/* A short shows a frame on a second line; a second driver makes edges in addition to those of a frame. */
static bool is_doubled(const struct pb_scenario *scenario, uint32_t superframe)
{
    for (unsigned i = 0; i < scenario->fault_count; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        if ((fault->kind == PB_FAULT_SHORT || fault->kind == PB_FAULT_SECOND_DRIVER) &&
            fault->superframe == superframe)
            return true;
    }
    return false;
}

static void take_crossing(struct queue *queue, const struct pb_crossing *crossing)
{
    const unsigned pins = (pb_scenario_node_index(queue->scenario, crossing->from) >= 0) +
                          (pb_scenario_node_index(queue->scenario, crossing->to) >= 0);
    const uint64_t instant =
        (uint64_t)crossing->superframe * queue->scenario->network.phases + crossing->phase;
    pass_to(queue, instant);
    queue->events += pins * frame_events(queue, crossing) *
                     (is_doubled(queue->scenario, crossing->superframe) ? 2 : 1);
}

static int take_superframe(void *context, const struct pb_moved *moved)
{
    for (size_t i = 0; i < moved->crossings; i++)
        take_crossing(context, &moved->crossing[i]);
    return PB_OK;
}

int pb_load(struct pb_load *load, const struct pb_scenario *scenario, bool edges, uint64_t bytes_per_s)
{
    const uint64_t phases = (uint64_t)scenario->superframes * scenario->network.phases;
    struct queue queue = {
        .scenario = scenario,
        .load = load,
        .edges = edges,
        .drained_q16 = bytes_per_s ? (uint64_t)((unsigned __int128)bytes_per_s * 3000 * 65536 / WIRE_BYTES_3 /
                                                scenario->phase_rate_mhz)
                                   : UINT64_MAX,
        .events = PHASE_EVENTS,
    };
    *load = (struct pb_load){0};
    const int code = pb_foresee(scenario, scenario->superframes, take_superframe, &queue, NULL);
    if (!code)
        pass_to(&queue, phases);
    return code;
}

static bool fits(const struct pb_load *load, const struct pb_device_info *info)
{
    return load->waiting <= info->event_buffer / 2;
}

/* Bytes a second that this load takes in its busiest phase. */
static double rate_of(const struct pb_load *load, const struct pb_scenario *scenario)
{
    return (double)load->busiest * WIRE_BYTES_3 / 3 * (double)scenario->phase_rate_mhz / 1000;
}

int pb_capture_choose(struct pb_capture_choice *choice, const struct pb_scenario *scenario,
                      const struct pb_device_info *info, uint64_t bytes_per_s)
{
    struct pb_load edges = {0}, bytes = {0};
    *choice = (struct pb_capture_choice){.capture = scenario->capture};
    if (!bytes_per_s) {
        if (choice->capture == PB_CAPTURE_AUTO)
            choice->capture = PB_CAPTURE_EDGES;
        return PB_OK;
    }
    /* Each computation needs the movement of every message, so it is made only on request. */
    int code = choice->capture != PB_CAPTURE_BYTES ? pb_load(&edges, scenario, true, bytes_per_s) : PB_OK;
    if (!code && (choice->capture == PB_CAPTURE_BYTES ||
                  (choice->capture == PB_CAPTURE_AUTO && !fits(&edges, info))))
        code = pb_load(&bytes, scenario, false, bytes_per_s);
    if (code)
        return code;
    if (choice->capture == PB_CAPTURE_AUTO)
        choice->capture = fits(&edges, info) ? PB_CAPTURE_EDGES : PB_CAPTURE_BYTES;
    const bool with_edges = choice->capture == PB_CAPTURE_EDGES;
    const struct pb_load *load = with_edges ? &edges : &bytes;
    const double link = (double)bytes_per_s / 1e6;
    if (!fits(load, info))
        snprintf(choice->why, sizeof choice->why,
                 "%s of this traffic takes up to %.2f MB/s, the host link carries %.2f: events may be lost; "
                 "lower phase_rate%s, or "
                 "take a faster host port",
                 with_edges ? "every edge" : "each byte", rate_of(load, scenario) / 1e6, link,
                 with_edges ? ", set capture bytes" : "");
    else if (!with_edges && scenario->capture == PB_CAPTURE_AUTO)
        snprintf(choice->why, sizeof choice->why,
                 "every edge of this traffic takes up to %.2f MB/s, the host link carries %.2f; lower "
                 "phase_rate or take a "
                 "faster host port for edges, too",
                 rate_of(&edges, scenario) / 1e6, link);
    return PB_OK;
}
