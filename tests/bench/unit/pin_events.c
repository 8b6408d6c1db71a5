/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/pin_events.h"
#include "host/plan/node_map.h"

enum { BITS = 10 };

int pin_event(struct pin_events *pins, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    const struct pb_event event = {
        .sequence = pins->sequence++, .tick = tick, .value = value, .kind = kind, .link = (uint8_t)link};
    return pb_events_add(&pins->events, &event);
}

uint64_t pin_phase_tick(const struct pb_scenario *scenario, uint64_t start_tick, uint32_t superframe,
                        unsigned phase)
{
    const uint64_t index = (uint64_t)superframe * scenario->network.phases + phase;
    return start_tick +
           (uint64_t)((unsigned __int128)index * PIN_EVENTS_CLOCK_HZ * 1000 / scenario->phase_rate_mhz);
}

int pin_phase(struct pin_events *pins, uint64_t tick, uint32_t superframe, unsigned phase)
{
    const int code =
        pin_event(pins, PB_EVENT_PHASE, 0, tick,
                  PB_PUT(PB_EVENT_PHASE_PHASE, phase) |
                      PB_PUT(PB_EVENT_PHASE_SUPERFRAME, superframe & PB_EVENT_PHASE_SUPERFRAME_MASK));
    return code ? code : pin_event(pins, PB_EVENT_TDMA, 0, tick, PB_PUT(PB_EVENT_TDMA_SYNC, phase == 0));
}

static int add_byte(struct pin_events *pins, uint32_t bit_q4, unsigned link, uint64_t start, uint8_t byte)
{
    const unsigned bits = (unsigned)byte << 1 | 0x200;
    unsigned last = 0;
    int code = pin_event(pins, PB_EVENT_EDGE, link, start, 0);
    for (unsigned bit = 1; bit < BITS && !code; bit++)
        if ((bits >> bit & 1) != (bits >> (bit - 1) & 1)) {
            code =
                pin_event(pins, PB_EVENT_EDGE, link, start + (uint64_t)bit * bit_q4 / 16, bits >> bit & 1);
            last = bit;
        }
    const uint64_t left = pb_sample_ticks(bit_q4, last) - (uint64_t)last * bit_q4 / 16;
    if (!code)
        code = pin_event(pins, PB_EVENT_BYTE, link, start + pb_sample_ticks(bit_q4, BITS - 1),
                         PB_PUT(PB_EVENT_BYTE_DATA, byte) | PB_PUT(PB_EVENT_BYTE_STOP, 1) |
                             PB_PUT(PB_EVENT_BYTE_LEFT, (uint32_t)left));
    return code;
}

int pin_frame(struct pin_events *pins, const struct pb_scenario *scenario, unsigned link, uint64_t tick,
              const uint8_t *bytes, unsigned count)
{
    const uint64_t baud_hz = scenario->baud_hz;
    const uint32_t bit_q4 = (uint32_t)((16 * (uint64_t)PIN_EVENTS_CLOCK_HZ + baud_hz / 2) / baud_hz);
    int code = PB_OK;
    for (unsigned i = 0; i < count && !code; i++)
        code = add_byte(pins, bit_q4, link, tick + (uint64_t)i * BITS * PIN_EVENTS_CLOCK_HZ / baud_hz,
                        bytes[i]);
    return code;
}

struct pb_observation pin_observation(const struct pb_scenario *scenario)
{
    return (struct pb_observation){
        .info = {.clock_hz = PIN_EVENTS_CLOCK_HZ, .links = pb_link_count(scenario)},
        .line_level = UINT64_MAX,
        .simulated_ps = -1,
        .overruns = -1,
    };
}
