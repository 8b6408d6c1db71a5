/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/trace_pins.h"

#include "host/rig/pin_dump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLOCK, SYNC, LINKS, LINKS_MAX = PB_EVENT_LINK_MASK + 1, BITS = 10, STOP = 9 };

struct pb_trace_pins {
    struct pb_pin_dump *dump; /* owned */
    const struct pb_result *result;
    unsigned links;
    uint32_t bit_period_q4;
    int64_t from_ps, to_ps;
    uint64_t edgeless;
    /* Levels at from_ps, by the last change up to it. */
    struct {
        int64_t at_ps;
        bool high;
    } early[LINKS + LINKS_MAX];
    /* In half ticks. */
    bool placed, rose;
    uint64_t first, rise;
    /* A phase whose edge no TDMA event has shown yet. */
    bool pending;
    struct pb_event phase;
    bool measured; /* TDMA events come */
    int code;
};

int pb_trace_pins_open(struct pb_trace_pins **out, const struct pb_result *result,
                       const struct pb_scenario *scenario, int64_t from_ps, int64_t to_ps)
{
    struct pb_trace_pins *pins = *out = calloc(1, sizeof *pins);
    const unsigned links = scenario->node_count * scenario->network.ports;
    if (!pins)
        return PB_ERR_MEMORY;
    pins->result = result;
    pins->links = links < LINKS_MAX ? links : LINKS_MAX;
    pins->bit_period_q4 = (uint32_t)((16 * result->core_clock_hz + result->baud_hz / 2) / result->baud_hz);
    pins->from_ps = from_ps;
    pins->to_ps = to_ps;
    int code = pb_pin_dump_open(&pins->dump);
    for (unsigned pin = 0; pin < LINKS + pins->links && !code; pin++) {
        char name[24];
        snprintf(name, sizeof name, "link%u", pin - LINKS);
        pins->early[pin].at_ps = INT64_MIN;
        pins->early[pin].high = pin >= LINKS;
        code = pb_pin_dump_pin(pins->dump,
                               pin == CLOCK  ? "TDMA_CLK"
                               : pin == SYNC ? "TDMA_SYNC"
                                             : name,
                               true);
    }
    if (code) {
        pb_trace_pins_free(pins);
        *out = NULL;
    }
    return code;
}

void pb_trace_pins_begin(struct pb_trace_pins *pins, const struct pb_observation *observation)
{
    pins->edgeless = observation->edgeless;
    for (unsigned link = 0; link < pins->links; link++)
        pins->early[LINKS + link].high = observation->line_level >> link & 1;
}

void pb_trace_pins_free(struct pb_trace_pins *pins)
{
    if (!pins)
        return;
    pb_pin_dump_free(pins->dump);
    free(pins);
}

/* From half ticks. The whole seconds apart, so that the rest is exact. */
static int64_t to_ps(const struct pb_trace_pins *pins, uint64_t half_ticks)
{
    const int64_t rate = 2 * (int64_t)pins->result->core_clock_hz;
    const int64_t since = (int64_t)(half_ticks - pins->first), seconds = since / rate;
    return pins->result->clock_start_ps + seconds * INT64_C(1000000000000) +
           llround((double)(since % rate) * 1e12 / (double)rate);
}

static void change_at(struct pb_trace_pins *pins, unsigned pin, int64_t at_ps, bool high)
{
    if (at_ps <= pins->from_ps && at_ps >= pins->early[pin].at_ps) {
        pins->early[pin].at_ps = at_ps;
        pins->early[pin].high = high;
    } else if (at_ps > pins->from_ps && at_ps <= pins->to_ps && !pins->code) {
        pins->code = pb_pin_dump_change(pins->dump, pin, at_ps, high);
    }
}

static void change(struct pb_trace_pins *pins, unsigned pin, uint64_t half_ticks, bool high)
{
    change_at(pins, pin, to_ps(pins, half_ticks), high);
}

/* TDMA_CLK rises, and has fallen halfway from its last rise. */
static void rise(struct pb_trace_pins *pins, uint64_t half_ticks)
{
    if (pins->rose)
        change(pins, CLOCK, pins->rise + (half_ticks - pins->rise) / 2, false);
    change(pins, CLOCK, half_ticks, true);
    pins->rose = true;
    pins->rise = half_ticks;
}

/* The pin shows no edge at the begin of this phase. */
static void take_pending(struct pb_trace_pins *pins)
{
    if (pins->pending && !pins->measured) {
        rise(pins, 2 * pins->phase.tick);
        change(pins, SYNC, 2 * pins->phase.tick, pb_event_phase(&pins->phase) == 0);
    }
    pins->pending = false;
}

static uint64_t half_ticks_of(uint64_t tick, unsigned half)
{
    return 2 * tick + (half == PB_HALF_SECOND);
}

static void take_clock(struct pb_trace_pins *pins, const struct pb_event *event)
{
    const uint32_t age = pb_event_sync_ticks(event);
    const bool old = age == PB_EVENT_TDMA_AGE_MASK || age > event->tick;
    const uint64_t edge = half_ticks_of(event->tick, pb_event_half(event));
    pins->measured = true;
    pins->pending = false;
    change(pins, SYNC, old ? edge : half_ticks_of(event->tick - age, pb_event_sync_half(event)),
           PB_GET(PB_EVENT_TDMA_SYNC, event->value));
    rise(pins, edge);
}

/* The core stamps the sample of the stop bit. A stop bit that was low ends unseen: the line is drawn high
 * from its end on. */
static void take_byte(struct pb_trace_pins *pins, const struct pb_event *event)
{
    const uint64_t back = pb_sample_ticks(pins->bit_period_q4, STOP);
    const unsigned bits = pb_event_data(event) << 1 | pb_event_stop_ok(event) << STOP;
    if (!(pins->edgeless >> event->link & 1) || event->tick < back)
        return;
    for (unsigned bit = 0; bit <= BITS; bit++)
        change(pins, LINKS + event->link, 2 * (event->tick - back) + (uint64_t)bit * pins->bit_period_q4 / 8,
               bit == BITS || bits >> bit & 1);
}

static void take(struct pb_trace_pins *pins, const struct pb_event *event)
{
    switch (event->kind) {
    case PB_EVENT_PHASE:
        take_pending(pins);
        pins->pending = true;
        pins->phase = *event;
        break;
    case PB_EVENT_TDMA:
        take_clock(pins, event);
        break;
    case PB_EVENT_EDGE:
        if (event->link < pins->links)
            change(pins, LINKS + event->link, half_ticks_of(event->tick, pb_event_half(event)),
                   pb_event_high(event));
        break;
    case PB_EVENT_BYTE:
        if (event->link < pins->links)
            take_byte(pins, event);
        break;
    default:
        break;
    }
}

int pb_trace_pins_take(struct pb_trace_pins *pins, const struct pb_event *event, size_t count)
{
    for (size_t i = 0; i < count && !pins->placed; i++) /* events before it count from the first phase, too */
        if (event[i].kind == PB_EVENT_PHASE) {
            pins->placed = true;
            pins->first = 2 * event[i].tick;
        }
    for (size_t i = 0; i < count; i++)
        take(pins, &event[i]);
    return pins->code;
}

int pb_trace_pins_write(struct pb_trace_pins *pins, const char *fst_path, const char *vcd_path)
{
    take_pending(pins);
    if (pins->rose)
        change_at(pins, CLOCK, to_ps(pins, pins->rise) + pins->result->phase_ps / 2, false);
    for (unsigned pin = 0; pin < LINKS + pins->links && !pins->code; pin++)
        pins->code = pb_pin_dump_change(pins->dump, pin, pins->from_ps, pins->early[pin].high);
    if (!pins->code)
        pins->code = pb_pin_dump_fst(pins->dump, fst_path, pins->from_ps, pins->to_ps);
    if (!pins->code && vcd_path)
        pins->code = pb_pin_dump_vcd(pins->dump, vcd_path, pins->from_ps, pins->to_ps);
    return pins->code;
}
