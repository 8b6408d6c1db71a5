/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/sound_stream.h"

#include "host/plan/frame.h"
#include "host/plan/node_map.h"
#include "tests/bench/unit/noise.h"

enum { JITTER_TICKS = 24 };

int sound_stream_open(struct sound_stream *stream, const struct pb_scenario *scenario)
{
    *stream =
        (struct sound_stream){.scenario = scenario, .start_tick = PIN_EVENTS_CLOCK_HZ / 100, .random = 1};
    const int code = pb_movement_open(&stream->movement, scenario, NULL);
    if (!code)
        stream->reader = pb_movement_reader(stream->movement);
    return code;
}

void sound_stream_close(struct sound_stream *stream)
{
    pb_movement_close(stream->movement);
    pb_events_free(&stream->pins.events);
}

static int add_frame(struct sound_stream *stream, const struct pb_crossing *crossing, uint64_t phase_tick)
{
    const struct pb_scenario *scenario = stream->scenario;
    const bool node_sends = pb_scenario_node_index(scenario, crossing->from) >= 0;
    const unsigned port = node_sends
                              ? crossing->port
                              : pb_network_peer(&scenario->network, crossing->from, crossing->port).port;
    uint8_t bytes[PB_FRAME_MAX];
    const unsigned count = pb_frame(scenario, crossing->message, crossing->destination,
                                    crossing->sequence & PB_SEQUENCE_MASK, bytes);
    uint64_t tick =
        phase_tick + (uint64_t)scenario->head_guard_ps * (PIN_EVENTS_CLOCK_HZ / 1000000) / 1000000;
    tick += node_sends ? below_of(&stream->random, JITTER_TICKS) : 0;
    return pin_frame(&stream->pins, scenario, pb_link_of(scenario, 0, port), tick, bytes, count);
}

int sound_stream_next(struct sound_stream *stream, uint32_t superframe)
{
    const struct pb_moved *moved;
    int code = pb_movement_read(stream->movement, superframe, &moved, NULL);
    size_t crossing = 0;
    stream->pins.events.count = 0;
    for (unsigned phase = 0; phase < stream->scenario->network.phases && !code; phase++) {
        const uint64_t tick = pin_phase_tick(stream->scenario, stream->start_tick, superframe, phase);
        code = pin_phase(&stream->pins, tick, superframe, phase);
        for (; crossing < moved->crossings && moved->crossing[crossing].phase == phase && !code; crossing++)
            code = add_frame(stream, &moved->crossing[crossing], tick);
    }
    pb_movement_pass(stream->movement, stream->reader, superframe + 1);
    return code;
}
