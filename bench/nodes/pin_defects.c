/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes with a defect: a wrapper that changes the pins of any node model, so that tests can prove that the
 * bench detects the defect. A defect changes either the inputs of the node or its outputs.
 */
#include "bench/nodes/node.h"
#include "bench/nodes/clock.h"

#include <stdlib.h>

/* An output state of the links, and its time. */
struct late_edge {
    int64_t due_ps;
    uint16_t pull_low, drive_high;
};

struct broken {
    struct pb_node base;
    struct pb_node *inner;
    enum pb_node_defect defect;

    /* PHASE_OFF */
    bool tdma_clk, tdma_sync; /* at the last call */
    bool late_sync;           /* input of the inner node */

    /* LATE_START: ring of the pending changes */
    int64_t late_ps;
    struct late_edge *edge, newest, shown;
    size_t capacity, first, count;

    /* FLIPPED_BIT */
    struct clock_rate baud;
    bool sending, push_pull;
    unsigned dimension;
    int64_t flip_ps, flip_end_ps;
};

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint16_t swap_0_1(uint16_t bits)
{
    return (uint16_t)((bits & ~3u) | ((bits & 1u) << 1) | ((bits >> 1) & 1u));
}

static int64_t delay_links(struct broken *broken, int64_t now_ps, struct pb_node_outputs *out)
{
    if (out->pull_low != broken->newest.pull_low || out->drive_high != broken->newest.drive_high) {
        broken->newest = (struct late_edge){now_ps + broken->late_ps, out->pull_low, out->drive_high};
        /* The ring holds more changes than a UART can make; a faster pin overwrites the last change. */
        if (broken->count < broken->capacity)
            broken->count++;
        broken->edge[(broken->first + broken->count - 1) % broken->capacity] = broken->newest;
    }
    while (broken->count > 0 && broken->edge[broken->first].due_ps <= now_ps) {
        broken->shown = broken->edge[broken->first];
        broken->first = (broken->first + 1) % broken->capacity;
        broken->count--;
    }
    out->pull_low = broken->shown.pull_low;
    out->drive_high = broken->shown.drive_high;
    return broken->count > 0 ? broken->edge[broken->first].due_ps : INT64_MAX;
}

/* A transmission lasts from the first low level after a phase edge to the end of that phase. */
static int64_t flip_bit(struct broken *broken, int64_t now_ps, bool clk_rises, struct pb_node_outputs *out)
{
    enum {
        FLIP_BIT = 11
    }; /* bit times to data bit 0 of the second byte: start bit, 8 data bits, stop bit, start bit */

    broken->push_pull |= out->drive_high != 0;
    if (clk_rises)
        broken->sending = false;
    if (!broken->sending) {
        if (out->pull_low == 0)
            return INT64_MAX;
        broken->sending = true;
        broken->dimension = 0;
        while (!((out->pull_low >> broken->dimension) & 1))
            broken->dimension++;
        broken->flip_ps = now_ps + clock_ps(broken->baud, FLIP_BIT);
        broken->flip_end_ps = now_ps + clock_ps(broken->baud, FLIP_BIT + 1);
    }
    if (now_ps < broken->flip_ps)
        return broken->flip_ps;
    if (now_ps >= broken->flip_end_ps)
        return INT64_MAX;

    const uint16_t bit = (uint16_t)(1u << broken->dimension);
    out->pull_low ^= bit;
    out->drive_high &= (uint16_t)~bit;
    if (broken->push_pull && !(out->pull_low & bit))
        out->drive_high |= bit;
    return broken->flip_end_ps;
}

static int64_t advance(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct broken *broken = (struct broken *)node;
    struct pb_node_inputs seen = *in;
    const bool clk_rises = in->tdma_clk && !broken->tdma_clk;
    int64_t next_ps = INT64_MAX;

    if (clk_rises)
        broken->late_sync = broken->tdma_sync; /* the level before the edge is that of the previous phase */
    broken->tdma_clk = in->tdma_clk;
    broken->tdma_sync = in->tdma_sync;
    if (broken->defect == PB_DEFECT_PHASE_OFF)
        seen.tdma_sync = broken->late_sync;
    if (broken->defect == PB_DEFECT_SWAPPED_LINKS)
        seen.line = swap_0_1(in->line);

    const int64_t inner_ps = broken->inner->ops->advance(broken->inner, now_ps, &seen, out);

    switch (broken->defect) {
    case PB_DEFECT_LATE_START:
        next_ps = delay_links(broken, now_ps, out);
        break;
    case PB_DEFECT_FLIPPED_BIT:
        next_ps = flip_bit(broken, now_ps, clk_rises, out);
        break;
    case PB_DEFECT_SILENT:
        *out = (struct pb_node_outputs){.uart0_tx = true};
        break;
    case PB_DEFECT_SWAPPED_LINKS:
        out->pull_low = swap_0_1(out->pull_low);
        out->drive_high = swap_0_1(out->drive_high);
        break;
    case PB_DEFECT_PHASE_OFF:
    case PB_DEFECT_NONE:
    case PB_DEFECT_WRONG_ORDER:
        break;
    }
    return earlier(inner_ps, next_ps);
}

static void align(struct pb_node *node, int64_t now_ps)
{
    struct broken *broken = (struct broken *)node;
    broken->inner->ops->align(broken->inner, now_ps);
}

static void destroy(struct pb_node *node)
{
    struct broken *broken = (struct broken *)node;
    pb_node_destroy(broken->inner);
    free(broken->edge);
    free(broken);
}

static const struct pb_node_ops broken_ops = {.advance = advance, .align = align, .destroy = destroy};

struct pb_node *pb_node_add_defect(struct pb_node *inner, const struct pb_node_config *config,
                              enum pb_node_defect defect, int64_t amount_ps)
{
    const int64_t late_ps =
        amount_ps == 0 ? pb_pin_defects[PB_DEFECT_LATE_START - 1].default_amount_ps : amount_ps;

    if (!inner || defect == PB_DEFECT_NONE)
        return inner;
    struct broken *broken = calloc(1, sizeof *broken);
    if (!broken || defect == PB_DEFECT_WRONG_ORDER || late_ps < 0 || late_ps > PB_PIN_AMOUNT_MOST_PS) {
        free(broken);
        pb_node_destroy(inner);
        return NULL;
    }
    broken->base.ops = &broken_ops;
    broken->inner = inner;
    broken->defect = defect;
    broken->late_ps = late_ps;
    broken->tdma_clk = true;
    broken->baud = clock_rate(config->baud_hz, config->clock_ppm);
    /* Twice the edges that fit into the delay, since a reset may add some. */
    broken->capacity = (size_t)(2 * clock_ticks(broken->baud, late_ps) + 16);
    broken->edge = calloc(broken->capacity, sizeof *broken->edge);
    if (!broken->edge) {
        destroy(&broken->base);
        return NULL;
    }
    return &broken->base;
}
