/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Derives the edges of a line from its bytes. The fall of the start bit (arrival.c) and the last edge in the
 * byte, measured by the receiver, are exact. The edges between them are laid on the sender's bits. The bit
 * time is a tenth of the distance to a byte that follows without a gap. Rises are as late as the last rise
 * was. A low stop bit lasts to its end, or to the last alarm of the core that found the line still low, in
 * successive phases.
 */
#include "host/check/rebuild.h"
#include "host/check/run.h"
#include "host/check/slot.h"
#include "phasebench/error.h"

#include <stdlib.h>

enum {
    BITS = 10,
    STOP = 9,
    KNOWN_PHASES = 2 /* a byte that follows without a gap has begun by then, and an alarm was reported */
};

struct line {
    bool waiting; /* for the next byte, which gives the bit time of this byte */
    struct pb_event byte;
    uint64_t done_tick; /* of the last edge made */
    int64_t bit_q16;    /* measured at the byte before; 0: not measured */
    size_t low_phase;   /* phases begun when the line was last known to be low */
    uint64_t low_tick;  /* the last at which it is known to have been; 0: of no phase */
};

struct pb_rebuild {
    const struct pb_observation *observation; /* borrowed, as is: */
    struct pb_queue *queue;                   /* of each link; gets the edges */
    uint32_t bit_period_q4;
    int code; /* PB_ERR_MEMORY once memory ran out */
    size_t phases;
    uint64_t phase_tick;
    int64_t nominal_q16;
    struct line line[PB_LINKS_MAX];
};

static void add_edge(struct pb_rebuild *rebuild, struct line *line, uint64_t tick, bool high, bool laid)
{
    const struct pb_event edge = {.sequence = line->byte.sequence,
                                  .tick = tick > line->done_tick ? tick : line->done_tick + 1,
                                  .kind = PB_EVENT_EDGE,
                                  .link = line->byte.link,
                                  .value = high | (laid ? PB_HALF_LAID << 1 : 0)};
    line->done_tick = edge.tick;
    if (pb_queue_add(&rebuild->queue[line->byte.link], &edge, 0))
        rebuild->code = PB_ERR_MEMORY;
}

static int64_t rounded(int64_t ticks_q16)
{
    return (ticks_q16 + 0x8000) >> 16;
}

/* What the line takes to rise, which a byte with a stop bit measures with its last edge; in 1/65536 ticks. */
static int64_t rise_q16(const struct pb_rebuild *rebuild, const struct line *line)
{
    const struct pb_observation *seen = rebuild->observation;
    const struct pb_line_rise *rise = &seen->rise[line->byte.link];
    const __int128 ps = pb_event_stop_ok(&line->byte) ? (rise->min_ps + rise->max_ps) / 2 : 0;
    return (int64_t)(ps * 65536 * seen->info.clock_hz / PB_PS_PER_S);
}

/* Returns the bit time by the start of the next byte, else that of the byte before, else by the last edge of
 * this byte. */
static int64_t bit_of(const struct pb_rebuild *rebuild, const struct line *line, uint64_t next_tick)
{
    const int64_t nominal = rebuild->nominal_q16;
    const uint32_t period_q4 = rebuild->bit_period_q4;
    int32_t error_ppm;
    unsigned last;
    int64_t position;
    const int64_t apart = next_tick - line->byte.tick < UINT32_MAX
                              ? (int64_t)(next_tick - line->byte.tick) * 65536 - BITS * nominal
                              : INT64_MAX;
    if (llabs(apart) <= nominal / 2)
        return nominal + apart / BITS;
    if (line->bit_q16)
        return line->bit_q16;
    if (pb_slot_baud_error(&line->byte, period_q4, &error_ppm) &&
        pb_slot_last_edge(&line->byte, period_q4, &last, &position))
        return nominal + nominal * error_ppm / 1000000 - rise_q16(rebuild, line) / last;
    return nominal;
}

/* next_tick: of the byte that follows; UINT64_MAX: none. */
static void finish(struct pb_rebuild *rebuild, struct line *line, uint64_t next_tick)
{
    const struct pb_event *byte = &line->byte;
    const uint64_t start = byte->tick;
    const bool stop = pb_event_stop_ok(byte);
    const unsigned bits = pb_slot_line_bits(pb_event_data(byte), stop);
    unsigned last;
    int64_t position, late_q16 = 0;
    if (!line->waiting)
        return;
    const int64_t bit_q16 = bit_of(rebuild, line, next_tick);
    const bool measured = pb_slot_last_edge(byte, rebuild->bit_period_q4, &last, &position) && position > 0;
    if (measured && bits >> last & 1)
        late_q16 = position * 65536 - last * bit_q16;
    if (llabs(late_q16) > bit_q16 / 2)
        late_q16 = 0;
    add_edge(rebuild, line, start, false, false);
    for (unsigned bit = 1; bit < BITS; bit++) {
        const bool high = bits >> bit & 1;
        if (high == (bits >> (bit - 1) & 1))
            continue;
        const int64_t laid = rounded(bit * bit_q16 + (high ? late_q16 : 0));
        const bool here = measured && bit == last;
        add_edge(rebuild, line, start + (uint64_t)(here ? position : laid), high, !here);
    }
    if (!stop) {
        uint64_t end = start + (uint64_t)rounded(BITS * bit_q16);
        if (end <= line->low_tick)
            end = line->low_tick + 1;
        add_edge(rebuild, line, end < next_tick ? end : next_tick - 1, true, true);
    }
    line->bit_q16 = next_tick - start < (uint64_t)rounded((2 * BITS + 1) * bit_q16 / 2) ? bit_q16 : 0;
    line->waiting = false;
}

static void take_byte(struct pb_rebuild *rebuild, const struct pb_event *event, size_t phases)
{
    struct line *line = &rebuild->line[event->link];
    finish(rebuild, line, event->tick);
    line->byte = *event;
    line->waiting = true;
    line->low_phase = phases;
    line->low_tick = 0;
}

/* The core found the line low at that tick. */
static void take_low(struct line *line, size_t phases, uint64_t tick)
{
    if (!line->waiting || pb_event_stop_ok(&line->byte) || phases > line->low_phase + 1 ||
        tick <= line->low_tick)
        return;
    line->low_phase = phases;
    line->low_tick = tick;
}

/* STUCK: low when the current phase began. GUARD: low in a guard; just before a phase begins it takes the
 * place of STUCK. */
static void take_alarm(struct line *line, const struct pb_event *event, size_t phases, uint64_t phase_tick)
{
    const unsigned code = PB_GET(PB_EVENT_ALARM_CODE, event->value);
    if (code == PB_ALARM_STUCK)
        take_low(line, phases, phase_tick);
    else if (code == PB_ALARM_GUARD && event->tick > PB_ALARM_LATE_TICKS)
        take_low(line, phases, event->tick - PB_ALARM_LATE_TICKS);
}

/* Whether no byte or alarm can any more change what the waiting byte makes. */
static bool is_known(const struct pb_rebuild *rebuild, const struct line *line)
{
    return line->waiting && rebuild->phases > line->low_phase + KNOWN_PHASES;
}

int pb_rebuild_open(struct pb_rebuild **out, const struct pb_observation *observation, uint32_t bit_period_q4,
                    struct pb_queue *line)
{
    struct pb_rebuild *rebuild = *out = calloc(1, sizeof *rebuild);
    if (!rebuild)
        return PB_ERR_MEMORY;
    rebuild->observation = observation;
    rebuild->queue = line;
    rebuild->bit_period_q4 = bit_period_q4;
    rebuild->nominal_q16 = (int64_t)bit_period_q4 << 12;
    return PB_OK;
}

int pb_rebuild_take(struct pb_rebuild *rebuild, const struct pb_event *event, uint64_t clock_tick)
{
    const bool concerned = event->link < PB_LINKS_MAX && rebuild->observation->edgeless >> event->link & 1;
    if (event->kind == PB_EVENT_PHASE) {
        rebuild->phases++;
        rebuild->phase_tick = event->tick;
        for (unsigned link = 0; link < PB_LINKS_MAX; link++)
            if (is_known(rebuild, &rebuild->line[link]))
                finish(rebuild, &rebuild->line[link], UINT64_MAX);
    } else if (event->kind == PB_EVENT_BYTE && concerned &&
               event->tick >= clock_tick) /* before it edges were recorded */
        take_byte(rebuild, event, rebuild->phases);
    else if (event->kind == PB_EVENT_ALARM && concerned)
        take_alarm(&rebuild->line[event->link], event, rebuild->phases, rebuild->phase_tick);
    return rebuild->code;
}

int pb_rebuild_end(struct pb_rebuild *rebuild)
{
    for (unsigned link = 0; link < PB_LINKS_MAX; link++)
        finish(rebuild, &rebuild->line[link], UINT64_MAX);
    return rebuild->code;
}
