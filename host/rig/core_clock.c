/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/core_clock.h"
#include "host/plan/event_load.h"

#include <inttypes.h>

#define PS_PER_S INT64_C(1000000000000)

enum {
    LIMIT_TICKS = 4,   /* in the shortest judged limit: eight half ticks */
    EVENT_TICKS = 2,   /* of an event, in rtl/core/pb_capture.v */
    BYTE_TICKS = 2,    /* of a byte to the host, in rtl/core/pb_packet_tx.v */
    BUFFER_12 = 512,   /* events, of the core for one node ... */
    BUFFER_64 = 4096,  /* ... and for several */
    BIT_PARTS = 3      /* an edge may be off by a third of a bit, about (docs/reference/timing.md) */
};

const struct pb_core_clock pb_core_clocks[PB_CORE_CLOCKS] = {
    {"12MHz", 12000000}, {"24MHz", 24000000}, {"48MHz", 48000000}};

unsigned pb_core_clock_most_hz(const struct pb_scenario *scenario)
{
    return scenario->node_count == 1 ? pb_core_clocks[2].hz : pb_core_clocks[1].hz;
}

static bool lasts(int64_t limit_ps, unsigned hz)
{
    return limit_ps >= LIMIT_TICKS * PS_PER_S / hz;
}

/* Faults are scheduled in ticks, and an external clock is measured in ticks: both keep the default clock. */
static bool resolves(const struct pb_scenario *scenario, unsigned hz)
{
    return !scenario->fault_count && !scenario->follow && lasts(scenario->limits.start_early_ps, hz) &&
           lasts(scenario->limits.start_late_ps, hz) &&
           lasts(PS_PER_S / (int64_t)scenario->baud_hz / BIT_PARTS, hz) &&
           scenario->console_baud_hz <= hz / PB_DEVICE_BIT_TICKS_MIN;
}

/* Maximum number of events that the core can capture during a frame, at one event per two ticks. */
static uint64_t recordable(const struct pb_scenario *scenario, unsigned hz)
{
    return UINT64_C(10) * scenario->frame_bytes * hz / scenario->baud_hz / EVENT_TICKS;
}

/* Load of the run's events on capture and host link of a core with this clock. A byte to the host takes two
 * cycles; events wait in the core's buffer. With capture auto, bytes can replace edges. */
struct events {
    unsigned busiest; /* most in a phase */
    bool edges, carried, recorded;
};

static int weigh(struct events *events, const struct pb_scenario *scenario, unsigned hz, struct pb_diag *diag)
{
    *events = (struct events){.edges = scenario->capture != PB_CAPTURE_BYTES};
    for (;;) {
        struct pb_load load;
        if (pb_load(&load, scenario, events->edges, hz / BYTE_TICKS))
            return pb_fail(diag, PB_ERR_MEMORY, "no memory to compute how many events the run makes");
        events->busiest = load.busiest;
        events->carried = load.waiting <= (scenario->node_count == 1 ? BUFFER_12 : BUFFER_64) / 2;
        events->recorded = load.busiest <= recordable(scenario, hz);
        if (events->carried || !events->edges || scenario->capture != PB_CAPTURE_AUTO)
            return PB_OK;
        events->edges = false;
    }
}

int pb_core_clock_default(unsigned *hz, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const unsigned most_hz = pb_core_clock_most_hz(scenario);
    struct events events;
    *hz = most_hz;
    for (unsigned i = 0; *hz == most_hz && pb_core_clocks[i].hz < most_hz; i++) {
        if (!resolves(scenario, pb_core_clocks[i].hz))
            continue;
        const int code = weigh(&events, scenario, pb_core_clocks[i].hz, diag);
        if (code)
            return code;
        if (events.carried && events.recorded && events.edges == (scenario->capture != PB_CAPTURE_BYTES))
            *hz = pb_core_clocks[i].hz;
    }
    return PB_OK;
}

int pb_core_clock_check(const struct pb_scenario *scenario, unsigned hz, struct pb_diag *diag)
{
    const unsigned most_hz = pb_core_clock_most_hz(scenario);
    if (hz > most_hz)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "clock of rig sim: is %u MHz; the core for %u nodes has 64 links and runs at up to %u MHz; lower "
            "clock, or leave it out",
            hz / 1000000, scenario->node_count, most_hz / 1000000);
    const struct {
        const char *key;
        uint64_t baud_hz;
    } rate[] = {{"link.baud", scenario->baud_hz}, {"link.console_baud", scenario->console_baud_hz}};
    for (unsigned i = 0; i < 2; i++)
        if (rate[i].baud_hz > hz / PB_DEVICE_BIT_TICKS_MIN)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "clock of rig sim: is %u MHz, and %s is %" PRIu64
                "; a bit takes at least %d ticks, so %u baud are the limit; raise clock, or lower %s",
                hz / 1000000, rate[i].key, rate[i].baud_hz, PB_DEVICE_BIT_TICKS_MIN,
                hz / PB_DEVICE_BIT_TICKS_MIN, rate[i].key);
    /* The default clock is always allowed. */
    struct events events = {.carried = true, .recorded = true};
    const int code = hz < most_hz ? weigh(&events, scenario, hz, diag) : PB_OK;
    if (code)
        return code;
    if (!events.recorded)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "clock of rig sim: is %u MHz, and the frames of the busiest phase make %u events; the core "
            "records one in %d ticks, %" PRIu64 " while they last; raise clock, or set capture bytes",
            hz / 1000000, events.busiest, EVENT_TICKS, recordable(scenario, hz));
    if (!events.carried)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "clock of rig sim: is %u MHz, and the traffic makes %s than the %u bytes a second of such a core "
            "carry; raise clock%s",
            hz / 1000000, events.edges ? "more edges and bytes" : "more bytes", hz / BYTE_TICKS,
            events.edges ? ", or set capture bytes" : ", or lower link.phase_rate");
    return PB_OK;
}
