/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Places faults where docs/reference/scenario.md allows them and docs/use/faults.md guarantees that they are
 * found: big enough to exceed the resolution of the measurement, a slot of its own for each, and apart in
 * time by the recovery, so that the nodes are synchronised again when the next one begins.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 40, CLEAR_TICKS = 8, SEEN_BITS = 12 };

struct place {
    const struct test_case *test;
    const struct movement *movement;
    struct random *random;
    struct fit fit;
    uint32_t superframes;
};

static uint32_t instant_of(const struct place *place, const struct case_fault *fault)
{
    return fault->superframe * place->fit.phases + (uint32_t)fault->phase;
}

static unsigned recovery_of(const struct test_case *test)
{
    return test->recovery == UNSET ? 1 : (unsigned)test->recovery;
}

/* ---- where */

/* A frame that goes to a node of the bench (from_bench: from a virtual neighbour) or comes from one. */
static const struct hop *pick_hop(const struct place *place, bool from_bench)
{
    const uint32_t first = place->fit.phases,
                   last = (place->superframes - 1 - recovery_of(place->test)) * place->fit.phases;
    for (unsigned i = 0; i < TRIES && place->movement->hops; i++) {
        const struct hop *hop = &place->movement->hop[random_below(place->random, place->movement->hops)];
        const bool virtual = node_index(place->test, hop->from) < 0;
        if (hop->instant >= first && hop->instant < last && virtual == from_bench)
            return hop;
    }
    return NULL;
}

static bool aim_at_hop(const struct place *place, struct case_fault *fault, bool from_bench)
{
    const struct hop *hop = pick_hop(place, from_bench);
    if (!hop)
        return false;
    fault->node = (unsigned)node_index(place->test, from_bench ? hop->to : hop->from);
    fault->dimension = from_bench ? hop->to_dimension : hop->dimension;
    fault->phase = hop->instant % place->fit.phases;
    fault->superframe = hop->instant / place->fit.phases;
    fault->needs_node_frame = !from_bench;
    return true;
}

static uint32_t pick_superframe(const struct place *place)
{
    return (uint32_t)random_between(place->random, 1,
                                    (int64_t)place->superframes - 2 - recovery_of(place->test));
}

/* A phase in which the node listens to a virtual neighbour that sends nothing. */
static bool aim_at_silence(const struct place *place, struct case_fault *fault)
{
    for (unsigned i = 0; i < TRIES; i++) {
        fault->node = (unsigned)random_below(place->random, place->test->nodes);
        fault->dimension = (int64_t)random_below(place->random, place->test->dims);
        fault->superframe = pick_superframe(place);
        const uint32_t address = place->test->node[fault->node].address;
        fault->phase = send_phase(place->test, address, (unsigned)fault->dimension) ^ 1;
        if (node_index(place->test, neighbour(place->test, address, (unsigned)fault->dimension)) < 0 &&
            !hop_at(place->movement, address, (unsigned)fault->dimension, instant_of(place, fault)))
            return true;
    }
    return false;
}

static void aim_anywhere(const struct place *place, struct case_fault *fault)
{
    fault->node = (unsigned)random_below(place->random, place->test->nodes);
    fault->dimension = (int64_t)random_below(place->random, place->test->dims);
    fault->superframe = pick_superframe(place);
    fault->phase = (int64_t)random_below(place->random, place->fit.phases);
}

/* ---- how much */

static bool between(const struct place *place, int64_t *value, int64_t least, int64_t most)
{
    *value = random_between(place->random, least, most);
    return least <= most;
}

static bool pick_length(const struct place *place, struct case_fault *fault, unsigned phases_most)
{
    if (random_chance(place->random, 50))
        return true; /* one phase */
    const int64_t phases = random_between(place->random, 1, phases_most);
    fault->length_ps =
        phases * place->fit.phase_ps + random_between(place->random, 0, place->fit.phase_ps / 2);
    fault->last = fault->first + (uint32_t)phases + 1;
    return true;
}

/* From an instant of the frame on, for less than a phase. Of 11 bits in a row one is a start bit and one a
 * stop bit, so a line that is low or cut as long cannot look correct. */
static bool pick_part(const struct place *place, struct case_fault *fault)
{
    const struct fit *fit = &place->fit;
    const int64_t least_ps = SEEN_BITS * fit->bit_ps + 2 * fit->tick_ps,
                  latest_ps = fit->head_ps + fit->frame_ps - least_ps;
    return between(place, &fault->at_ps, fit->head_ps, latest_ps) &&
           between(place, &fault->length_ps, least_ps, fit->phase_ps - fault->at_ps - 1);
}

static bool line_values(const struct place *place, struct case_fault *fault)
{
    const struct fit *fit = &place->fit;
    const int64_t clear_ps = CLEAR_TICKS * fit->tick_ps;
    fault->last = fault->first + 1;
    if ((fault->kind == F_STUCK_LOW || fault->kind == F_OPEN) && random_chance(place->random, 35))
        return pick_part(place, fault);
    switch (fault->kind) {
    case F_STUCK_LOW:
        if (random_chance(place->random, 30))
            fault->at_ps = random_between(place->random, 0, fit->phase_ps - 1);
        return pick_length(place, fault, 2 * fit->phases);
    case F_OPEN:
        return pick_length(place, fault, fit->phases);
    case F_SLOW_RISE:
        if (random_chance(place->random, 30)) /* half the supply after 0.693 time constants */
            return between(place, &fault->time_constant_ps, 2 * clear_ps, fit->bit_ps / 2);
        return between(place, &fault->amount_ps, clear_ps, fit->bit_ps * 2 / 5);
    case F_GLITCH:
        if (random_chance(place->random, 50))
            fault->at_ps = random_between(place->random, 0, fit->phase_ps - fit->bit_ps - clear_ps);
        fault->last = fault->first;
        return fit->head_ps / 2 + fit->bit_ps < fit->phase_ps &&
               (random_chance(place->random, 50)
                    ? fit->bit_ps / 4 >= 3 * fit->tick_ps
                    : between(place, &fault->length_ps, 3 * fit->tick_ps, fit->bit_ps * 3 / 4));
    case F_SECOND_DRIVER:
        fault->last = fault->first;
        if (random_chance(place->random, 50))
            return true;
        return between(place, &fault->amount_ps, fit->bit_ps / 2, 3 * fit->bit_ps);
    default: { /* F_SHORT */
        const struct test_case *test = place->test;
        const uint32_t address = test->node[fault->node].address;
        const int64_t other =
            (fault->dimension + 1 + (int64_t)random_below(place->random, test->dims - 1)) % test->dims;
        if (test->dims < 2 || node_index(test, neighbour(test, address, (unsigned)fault->dimension)) >= 0 ||
            node_index(test, neighbour(test, address, (unsigned)other)) >= 0)
            return false;
        fault->other_node = fault->node;
        fault->other_dimension = other;
        return true;
    }
    }
}

static bool clock_values(const struct place *place, struct case_fault *fault)
{
    const struct fit *fit = &place->fit;
    const int64_t clear_ps = CLEAR_TICKS * fit->tick_ps;
    fault->superframe = pick_superframe(place);
    fault->phase = (int64_t)random_below(place->random, fit->phases);
    switch (fault->kind) {
    case F_LATE_EDGE:
    case F_EARLY_EDGE:
        return between(place, &fault->amount_ps, clear_ps, (fit->phase_ps - 1) / 2);
    case F_EXTRA_SYNC:
        fault->phase = 1 + (int64_t)random_below(place->random, fit->phases - 1);
        return true;
    case F_MISSING_SYNC:
        fault->phase = UNSET;
        return true;
    case F_JITTER:
        fault->gaussian = random_chance(place->random, 30);
        fault->seed = random_chance(place->random, 50) ? random_between(place->random, 1, 65535) : UNSET;
        if (random_chance(place->random, 50))
            fault->length_ps = random_between(place->random, 6, 2 * fit->phases) * fit->phase_ps;
        return between(place, &fault->amount_ps, 2 * clear_ps,
                       4000 * fit->tick_ps < fit->phase_ps / 20 ? 4000 * fit->tick_ps : fit->phase_ps / 20);
    case F_DRIFT: {
        /* Over six phases by 16 ticks at least; by less than 128 ticks in one. */
        const double ticks = (double)fit->phase_ps / (double)fit->tick_ps;
        const int64_t least = (int64_t)(1e6 * 16 / 6 / ticks) + 100, most = (int64_t)(1e6 * 120 / ticks);
        if (random_chance(place->random, 50))
            fault->length_ps = random_between(place->random, 8, 3 * fit->phases) * fit->phase_ps;
        if (!between(place, &fault->ppm, least, most < 20000 ? most : 20000))
            return false;
        if (random_chance(place->random, 50))
            fault->ppm = -fault->ppm;
        return true;
    }
    default:
        return true;
    }
}

/* Bytes that may follow a frame: they end before the tail guard, and all together are at most 96. */
static unsigned room_after(const struct fit *fit)
{
    const unsigned most = fit->room < 96 ? fit->room : 96;
    return most > fit->frame_bytes ? most - fit->frame_bytes : 0;
}

/* Whether docs/reference/scenario.md allows this fault of a frame with these settings. */
static bool frame_suits(const struct test_case *test, const struct fit *fit, const struct case_fault *fault)
{
    const int64_t bytes = fault->bytes == UNSET ? 1 : fault->bytes;
    switch (fault->kind) {
    case F_SHORT_FRAME:
        return bytes <= fit->payload;
    case F_LONG_FRAME:
        return bytes <= room_after(fit);
    case F_WRONG_LENGTH:
        return test->starc;
    case F_OUTSIDE_ADDRESS:
        return test->starc || places(test) < 4096;
    default:
        return true;
    }
}

static bool frame_values(const struct place *place, struct case_fault *fault)
{
    const struct fit *fit = &place->fit;
    const int64_t clear_ps = CLEAR_TICKS * fit->tick_ps,
                  free_ps = fit->phase_ps - fit->head_ps - fit->frame_ps;
    fault->last = fault->first;
    switch (fault->kind) {
    case F_BAUD: {
        /* The limit is 2.5 % and a tick in five bits; another such tick for the grain. */
        const double bit_ticks = (double)fit->bit_ps / (double)fit->tick_ps;
        const int64_t least = 28000 + (int64_t)(2e6 / 5 / bit_ticks),
                      slowest =
                          (int64_t)(1e6 * (double)free_ps / (double)(fit->phase_ps - fit->head_ps)) - 2000;
        /* Far off, the receiver of the core reads other bytes: only edges show the bit time then. */
        const bool bytes = place->test->capture && !strcmp(place->test->capture, "bytes");
        if (!between(place, &fault->ppm, least, bytes ? 45000 : 90000))
            return false;
        if (random_chance(place->random, 50) && fault->ppm < slowest)
            fault->ppm = -fault->ppm;
        return fault->ppm < 0 || bit_ticks / 1.09 > 8.5;
    }
    case F_EARLY_START:
        return between(place, &fault->amount_ps, fit->start_early_ps + clear_ps, fit->head_ps);
    case F_LATE_START:
        return between(place, &fault->amount_ps, fit->start_late_ps + clear_ps, free_ps);
    case F_SHORT_FRAME:
        return random_chance(place->random, 50) || between(place, &fault->bytes, 1, fit->payload);
    case F_LONG_FRAME:
        return random_chance(place->random, 50) || between(place, &fault->bytes, 1, room_after(fit));
    case F_BABBLE:
        if (random_chance(place->random, 50))
            return true;
        fault->at_ps = random_between(place->random, 0, fit->phase_ps - 20 * fit->bit_ps);
        return fit->phase_ps > 20 * fit->bit_ps &&
               between(place, &fault->bytes, 1, (fit->phase_ps - fault->at_ps) / (10 * fit->bit_ps) - 1) &&
               fault->bytes < 120;
    default:
        return true;
    }
}

/* ---- together */

static bool draw_fault_of(const struct place *place, struct case_fault *fault, enum fault_kind kind)
{
    *fault = (struct case_fault){.kind = kind,
                                 .dimension = UNSET,
                                 .phase = UNSET,
                                 .at_ps = UNSET,
                                 .length_ps = UNSET,
                                 .amount_ps = UNSET,
                                 .time_constant_ps = UNSET,
                                 .ppm = UNSET,
                                 .seed = UNSET,
                                 .bytes = UNSET,
                                 .other_dimension = UNSET};
    bool there = true;
    if (fault_on_clock(fault->kind)) {
        if (place->test->external || !clock_values(place, fault))
            return false;
        fault->first =
            fault->superframe * place->fit.phases + (uint32_t)(fault->phase == UNSET ? 0 : fault->phase);
        fault->last =
            fault->length_ps != UNSET ? fault->first + (uint32_t)(fault->length_ps / place->fit.phase_ps) + 1
            : fault->kind == F_JITTER || fault->kind == F_DRIFT ? place->superframes * place->fit.phases
                                                                : fault->first + 1;
        return true;
    }
    if (fault->kind == F_GLITCH || fault->kind == F_BABBLE)
        there = aim_at_silence(place, fault);
    else if (fault->kind == F_STUCK_LOW)
        aim_anywhere(place, fault);
    else
        there = aim_at_hop(place, fault, fault->kind != F_SECOND_DRIVER);
    if (!there)
        return false;
    fault->first = instant_of(place, fault);
    if (!fault_on_frame(fault->kind))
        return line_values(place, fault);
    return frame_values(place, fault) && frame_suits(place->test, &place->fit, fault);
}

/* Whether a fault may be added to the others: a superframe and the recovery lie between. */
static bool is_apart(const struct place *place, const struct case_fault *fault,
                     const struct case_fault *other, unsigned others)
{
    const uint32_t gap = (2 + recovery_of(place->test)) * place->fit.phases;
    for (unsigned i = 0; i < others; i++) {
        if (fault->first <= other[i].last + gap && other[i].first <= fault->last + gap)
            return false;
        if ((fault->needs_node_frame && other[i].first < fault->first) ||
            (other[i].needs_node_frame && fault->first < other[i].first))
            return false;
    }
    return true;
}

static bool ends_in_time(const struct place *place, const struct case_fault *fault)
{
    const uint32_t end = place->superframes * place->fit.phases;
    const bool endless = (fault->kind == F_JITTER || fault->kind == F_DRIFT) && fault->length_ps == UNSET;
    return endless || fault->last + (1 + recovery_of(place->test)) * place->fit.phases <= end;
}

static bool prepare(struct place *place, const struct test_case *test, const struct movement *movement)
{
    *place = (struct place){.test = test, .movement = movement};
    place->superframes = test->superframes == UNSET ? 0 : (uint32_t)test->superframes;
    return fit_settings(&place->fit, test) && place->superframes >= 4 + recovery_of(test);
}

void draw_faults(struct test_case *test, const struct movement *movement, struct random *random,
                 unsigned wanted)
{
    struct place place;
    if (!prepare(&place, test, movement))
        return;
    place.random = random;
    for (unsigned i = 0; i < TRIES && test->faults < wanted && test->faults < FAULTS_MAX; i++) {
        struct case_fault fault;
        if (draw_fault_of(&place, &fault, (enum fault_kind)random_below(random, FAULT_KINDS)) &&
            ends_in_time(&place, &fault) && is_apart(&place, &fault, test->fault, test->faults))
            test->fault[test->faults++] = fault;
    }
}

void draw_fault_for(struct test_case *test, const struct movement *movement, struct random *random,
                    enum fault_kind kind, unsigned node)
{
    struct place place;
    if (!prepare(&place, test, movement) || movement->hops == 0)
        return;
    place.random = random;
    for (unsigned i = 0; i < 10 * TRIES; i++) {
        struct case_fault fault;
        if (!draw_fault_of(&place, &fault, kind))
            continue;
        /* In a superframe in which the node has something to send. */
        const struct hop *hop = &movement->hop[random_below(random, movement->hops)];
        if (fault_on_clock(kind) && hop->from == test->node[node].address) {
            fault.superframe = hop->instant / place.fit.phases;
            if (kind != F_MISSING_SYNC)
                fault.phase = random_chance(random, 60) ? hop->instant % place.fit.phases
                                                        : random_between(random, 1, place.fit.phases - 1);
            if (kind == F_EXTRA_SYNC && fault.phase == 0)
                fault.phase = 1;
            fault.first =
                fault.superframe * place.fit.phases + (uint32_t)(fault.phase == UNSET ? 0 : fault.phase);
            fault.last = fault.first + 1;
        }
        if (fault.superframe == 0 || !ends_in_time(&place, &fault) ||
            (fault_on_frame(kind) && fault.node != node))
            continue;
        test->fault[0] = fault;
        test->faults = 1;
        return;
    }
}

bool faults_fit(const struct test_case *test, const struct fit *fit, const struct movement *movement)
{
    struct place place;
    (void)fit;
    if (test->faults == 0)
        return true;
    if (!prepare(&place, test, movement) || movement->opaque)
        return false;
    for (unsigned i = 0; i < test->faults; i++) {
        const struct case_fault *fault = &test->fault[i];
        if (!ends_in_time(&place, fault) || !is_apart(&place, fault, test->fault, i) ||
            !frame_suits(test, &place.fit, fault))
            return false;
        if (fault_on_clock(fault->kind) || fault->kind == F_STUCK_LOW)
            continue;
        const struct hop *hop =
            hop_at(movement, test->node[fault->node].address, (unsigned)fault->dimension, fault->first);
        if (!!hop != (fault->kind != F_GLITCH && fault->kind != F_BABBLE))
            return false;
    }
    return true;
}
