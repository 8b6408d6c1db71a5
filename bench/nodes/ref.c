/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reference node on the bench: runs the Verilated model with its own clock of 16 MHz and the configured
 * error.
 */
#include "bench/nodes/limits.h"
#include "bench/nodes/node.h"
#include "bench/sim/ref_node_glue.h"

#include <stdlib.h>

#define CLOCK_HZ UINT64_C(16000000)
#define CLOCK_PS (INT64_C(1000000000000) / (int64_t)CLOCK_HZ)
#define MILLION INT64_C(1000000)
#define PPM_LIMIT 100000

/* Limits of rtl/node/ref_node.v */
#define PAYLOAD_LIMIT 80
#define PERIOD_LIMIT (UINT64_C(1) << 20) /* bit periods are in sixteenths of a clock */
#define LINK_PERIOD_MIN (8 * 16)
#define CONSOLE_PERIOD_MIN (16 * 16)
#define GUARD_LIMIT (INT64_C(1) << 24)

struct ref_node {
    struct pb_node base;
    struct ref_node_model *model;
    uint64_t seed;
    struct pb_node_inputs in;   /* held since the last call */
    struct pb_node_outputs out; /* after the last clock edge */
    int64_t next_ps;            /* the next rising edge, rounded down */
    /* The period is whole_ps + part / parts; the rounding error of next_ps is rest / parts. */
    int64_t whole_ps, part, parts, rest;
};

static void clock_node(struct ref_node *node)
{
    ref_node_model_clock(node->model, &node->in, &node->out);
    node->next_ps += node->whole_ps;
    node->rest += node->part;
    if (node->rest >= node->parts) {
        node->rest -= node->parts;
        node->next_ps++;
    }
}

static int64_t advance(struct pb_node *base, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct ref_node *node = (struct ref_node *)base;
    /* An edge before now_ps samples the old inputs, an edge at now_ps the new ones. */
    while (node->next_ps < now_ps)
        clock_node(node);
    node->in = *in;
    if (node->next_ps == now_ps)
        clock_node(node);
    *out = node->out;
    return node->next_ps;
}

/* Nodes are not powered up together: spreads the first clock edges of different seeds over one period. */
static int64_t first_edge_ps(uint64_t seed)
{
    return (int64_t)((seed * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % CLOCK_PS;
}

static void align(struct pb_node *base, int64_t now_ps)
{
    struct ref_node *node = (struct ref_node *)base;
    while (node->next_ps < now_ps)
        clock_node(node);
    node->next_ps = now_ps + first_edge_ps(node->seed);
    node->rest = 0;
}

static void destroy(struct pb_node *base)
{
    struct ref_node *node = (struct ref_node *)base;
    ref_node_model_destroy(node->model);
    free(node);
}

/* Returns the bit period in sixteenths of a clock, to the nearest. */
static uint32_t bit_period(uint32_t baud_hz)
{
    return (uint32_t)((16 * CLOCK_HZ + baud_hz / 2) / baud_hz);
}

/* Returns the highest baud whose bit period, to the nearest sixteenth of a clock, is at least `least`. */
static int64_t baud_max(int64_t least)
{
    return 16 * (int64_t)CLOCK_HZ * 2 / (2 * least - 1);
}

int pb_node_ref_check(const struct pb_node_config *config, struct pb_diag *diag)
{
    const int64_t baud_min = 16 * (int64_t)CLOCK_HZ / (int64_t)(PERIOD_LIMIT - 1) + 1;
    const struct pb_node_limit limit[] = {
        {"links of the network", pb_node_links(config), 1, PB_NODE_LINKS_MAX},
        {"address", config->address, 0, (int64_t)pb_node_addresses(config) - 1},
        {"link.payload in bytes", config->payload_bytes, 0, PAYLOAD_LIMIT},
        {"link.baud", config->baud_hz, baud_min, baud_max(LINK_PERIOD_MIN)},
        {"link.console_baud", config->console_baud_hz, baud_min, baud_max(CONSOLE_PERIOD_MIN)},
        {"link.head_guard in ps", config->head_guard_ps, 0, (GUARD_LIMIT - 1) * CLOCK_PS},
        {"clock_error in ppm", config->clock_ppm, -PPM_LIMIT, PPM_LIMIT},
    };
    for (unsigned i = 0; i < config->digits && i < PB_NODE_DIGITS_MAX; i++)
        if (config->radix[i] != 2)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "network.radix[%u]: is %u, kind 'ref' knows the binary cube only, radix 2; use another kind",
                i, config->radix[i]);
    if (config->rule != PB_NODE_ECUBE)
        return pb_fail(diag, PB_ERR_CONFIG, "cube.rule: kind 'ref' routes by ecube only; use another kind");
    if (config->codec != PB_NODE_CODEC_SLOT)
        return pb_fail(diag, PB_ERR_CONFIG, "link.codec: kind 'ref' speaks slot only; use another kind");
    return pb_node_check_limits("ref", limit, sizeof limit / sizeof limit[0], diag);
}

struct pb_node *pb_node_ref_create(const struct pb_node_config *config)
{
    static const struct pb_node_ops ops = {.advance = advance, .align = align, .destroy = destroy};

    if (pb_node_ref_check(config, NULL))
        return NULL;
    const struct ref_node_settings settings = {
        .address = (uint16_t)config->address,
        .dims = (uint8_t)config->digits,
        .payload_bytes = (uint8_t)config->payload_bytes,
        .link_period = bit_period(config->baud_hz),
        .console_period = bit_period(config->console_baud_hz),
        .guard_clocks = (uint32_t)((config->head_guard_ps + CLOCK_PS - 1) / CLOCK_PS),
    };

    struct ref_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->model = ref_node_model_create(&settings);
    if (!node->model) {
        free(node);
        return NULL;
    }
    node->base.ops = &ops;
    node->in = (struct pb_node_inputs){.line = 0xFFFF, .uart0_rx = true}; /* NRST low: powered up in reset */
    node->out = (struct pb_node_outputs){.uart0_tx = true};
    node->seed = config->seed;
    node->next_ps = first_edge_ps(config->seed);
    node->parts = MILLION + config->clock_ppm;
    node->whole_ps = CLOCK_PS * MILLION / node->parts;
    node->part = CLOCK_PS * MILLION % node->parts;
    return &node->base;
}
