/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between two clock edges of the core the nodes are independent of one another, as every wire between two
 * nodes goes through the core. So each node advances alone, at its own instants.
 *
 * Two drivers on one pin: in hardware they give an intermediate level, which an input may read either way.
 * The bench takes the level that shows the conflict. If the core pulls a link low and a node drives it high,
 * both read high: the line does not follow the core's pull, and the node does not receive the frame. If a
 * node pulls and the core drives high (push-pull mode), both read low. On TDMA_CLK and TDMA_SYNC a conflict
 * is an error of the bench itself: see pb_bench_clock_contested_ps.
 */
#include "bench/sim/bench.h"

#include <stdlib.h>

struct bench_node {
    struct pb_node *node;
    struct pb_node_outputs out;
    int64_t wake_ps;
};

struct pb_bench {
    struct pb_sim *sim;
    bool wired; /* by `wiring`; else every link is at its own pin */
    struct pb_bench_wiring wiring;
    bool shorted; /* some pins of the core are one wire */
    uint64_t shared;                /* links of the core at which several nodes are */
    uint64_t shared_pull;           /* what nodes pull of them, as the others see it */
    bool shared_changed;            /* since the last clock of the core */
    struct pb_sim_pins pins;
    struct bench_node *node; /* owned */
    unsigned nodes, ports;
    unsigned reach; /* link pins of a node's connector that are wired to the core: ports, or more for a single
                       node */
    bool follow;    /* a controller drives the clock pins */
    int64_t contested_ps; /* when the core first drove the clock pins also; -1: never */
    struct pb_phase_controller controller;
    int64_t controller_ps; /* of its next change */
    int64_t rise_ps;       /* rise time of a line without a driver, from its release */
    uint64_t pulled;       /* links that were pulled at the last check */
    uint64_t rising;       /* released, and still low */
    int64_t high_ps[64];   /* time at which a rising link is high */
    struct pb_chain tdc;
    bool tdc_on, tdc_calibrates; /* as the core sets them */
    unsigned tdc_pin;
    bool active;       /* the core pulls a link or holds a clock pin high */
    int64_t active_ps; /* end of the last such time, if not now */
    int64_t wake_ps;   /* earliest of all nodes and of the controller */
    int64_t news_ps;   /* when a node that is ahead of the core changed its pins; INT64_MAX: no change */
};

static uint16_t line_mask(const struct pb_bench *bench)
{
    return (uint16_t)((1u << bench->ports) - 1);
}

static uint16_t reach_mask(const struct pb_bench *bench)
{
    return (uint16_t)((1u << bench->reach) - 1);
}

/* From the links of a node, bit per link, to those of the core. */
static uint64_t at_core(const struct pb_bench *bench, unsigned i, uint16_t links)
{
    uint64_t pins = 0;
    if (!bench->wired)
        return (uint64_t)links << (i * bench->ports);
    for (; links; links &= (uint16_t)(links - 1))
        pins |= bench->wiring.pins[i][__builtin_ctz(links)];
    return pins;
}

/* And back: the links of a node at any of these links of the core. */
static uint16_t at_node(const struct pb_bench *bench, unsigned i, uint64_t pins)
{
    uint16_t links = 0;
    if (!bench->wired)
        return (uint16_t)(pins >> (i * bench->ports)) & line_mask(bench);
    for (unsigned link = 0; link < bench->ports; link++)
        links |= (uint16_t)((bench->wiring.pins[i][link] & pins ? 1u : 0u) << link);
    return links;
}

static uint64_t links_of(const struct pb_bench *bench, unsigned i)
{
    return at_core(bench, i, reach_mask(bench));
}

static bool is_missing(const struct pb_bench *bench, unsigned i)
{
    return bench->wired && bench->wiring.missing >> i & 1;
}

/* What the core pulls, on every pin of a wire that it pulls. */
static uint64_t core_pull(const struct pb_bench *bench)
{
    uint64_t pull = bench->pins.link_pull;
    for (unsigned i = 0; bench->shorted && i < bench->nodes; i++)
        for (unsigned link = 0; link < PB_BENCH_LINKS; link++)
            if (bench->wiring.pins[i][link] & bench->pins.link_pull)
                pull |= bench->wiring.pins[i][link];
    return pull;
}

/* What the other nodes pull of the links that they share with this one. */
static uint64_t others_pull(const struct pb_bench *bench, unsigned i)
{
    uint64_t pull = 0;
    for (unsigned other = 0; bench->shared && other < bench->nodes; other++)
        if (other != i)
            pull |= at_core(bench, other, bench->node[other].out.pull_low);
    return pull & bench->shared;
}

/* Updates the rising lines of a node: released by all drivers less than rise_ps ago, and not driven high. */
static void let_rise(struct pb_bench *bench, unsigned i, int64_t now_ps)
{
    if (!bench->rise_ps)
        return;
    const struct pb_node_outputs *out = &bench->node[i].out;
    const uint64_t mask = links_of(bench, i),
                   pull =
                       (core_pull(bench) | at_core(bench, i, out->pull_low) | others_pull(bench, i)) & mask,
                   high = (bench->pins.link_high | at_core(bench, i, out->drive_high)) & mask,
                   released = bench->pulled & mask & ~pull & ~high;
    bench->pulled = (bench->pulled & ~mask) | pull;
    bench->rising = (bench->rising | released) & ~pull & ~high;
    for (uint64_t left = bench->rising & mask; left; left &= left - 1) {
        const int link = __builtin_ctzll(left);
        if (released >> link & 1)
            bench->high_ps[link] = now_ps + bench->rise_ps;
        if (bench->high_ps[link] <= now_ps)
            bench->rising &= ~(UINT64_C(1) << link);
    }
}

static int64_t next_rise_ps(const struct pb_bench *bench, unsigned i)
{
    int64_t next_ps = INT64_MAX;
    for (uint64_t left = bench->rising & links_of(bench, i); left; left &= left - 1) {
        const int64_t high_ps = bench->high_ps[__builtin_ctzll(left)];
        next_ps = high_ps < next_ps ? high_ps : next_ps;
    }
    return next_ps;
}

/* Advances one node to now with the current levels of its pins. */
static void advance(struct pb_bench *bench, unsigned i, int64_t now_ps)
{
    struct bench_node *at = &bench->node[i];
    let_rise(bench, i, now_ps);
    const uint16_t low = at_node(bench, i, core_pull(bench) | bench->rising | others_pull(bench, i));
    const struct pb_node_inputs in = {
        .line = (uint16_t)(~(low | at->out.pull_low) | at->out.drive_high) & line_mask(bench),
        .tdma_clk = bench->pins.tdma_clk_in,
        .tdma_sync = bench->pins.tdma_sync_in,
        .nrst = (bench->pins.nrst >> i & 1) && !is_missing(bench, i),
        .boot0 = bench->pins.boot0 >> i & 1,
        .uart0_rx = bench->pins.uart0_rx >> i & 1,
    };
    at->wake_ps = at->node->ops->advance(at->node, now_ps, &in, &at->out);
    let_rise(bench, i, now_ps);
    if (next_rise_ps(bench, i) < at->wake_ps)
        at->wake_ps = next_rise_ps(bench, i);
    if (at->wake_ps <= now_ps)
        at->wake_ps = now_ps + 1;
}

static void resolve_clock(struct pb_bench *bench)
{
    struct pb_sim_pins *pins = &bench->pins;
    pins->tdma_clk_in = pins->tdma_drive ? pins->tdma_clk : bench->controller.tdma_clk;
    pins->tdma_sync_in = pins->tdma_drive ? pins->tdma_sync : bench->controller.tdma_sync;
}

static void find_wake(struct pb_bench *bench)
{
    bench->wake_ps = bench->controller_ps;
    for (unsigned i = 0; i < bench->nodes; i++)
        if (bench->node[i].wake_ps < bench->wake_ps)
            bench->wake_ps = bench->node[i].wake_ps;
}

static void wake_nodes(struct pb_bench *bench, int64_t time_ps)
{
    for (unsigned i = 0; i < bench->nodes; i++)
        while (bench->node[i].wake_ps <= time_ps)
            advance(bench, i, bench->node[i].wake_ps);
}

static void advance_all(struct pb_bench *bench, int64_t now_ps)
{
    resolve_clock(bench);
    for (unsigned i = 0; i < bench->nodes; i++)
        advance(bench, i, now_ps);
}

static void wake_until(struct pb_bench *bench, int64_t time_ps)
{
    while (bench->controller_ps <= time_ps) {
        const int64_t now_ps = bench->controller_ps;
        wake_nodes(bench, now_ps);
        bench->controller_ps = pb_controller_advance(&bench->controller, now_ps);
        advance_all(bench, now_ps);
    }
    wake_nodes(bench, time_ps);
    find_wake(bench);
}

static void drive_core(struct pb_bench *bench)
{
    uint64_t pull = 0, high = 0;
    uint16_t uart0 = 0xffff;
    for (unsigned i = 0; i < bench->nodes; i++) {
        const struct pb_node_outputs *out = &bench->node[i].out;
        pull |= at_core(bench, i, out->pull_low & reach_mask(bench));
        high |= at_core(bench, i, out->drive_high & reach_mask(bench));
        if (!out->uart0_tx && !is_missing(bench, i))
            uart0 &= (uint16_t) ~(1u << i);
    }
    bench->pins.link = ~(pull | (core_pull(bench) & ~high) | bench->rising);
    bench->pins.uart0 = uart0;
    bench->news_ps = INT64_MAX;
    bench->shared_changed |= (pull & bench->shared) != bench->shared_pull;
    bench->shared_pull = pull & bench->shared;
}

static int64_t next_change_ps(const struct pb_bench *bench)
{
    return bench->news_ps < bench->wake_ps ? bench->news_ps : bench->wake_ps;
}

static void tdc_input(struct pb_bench *bench, int64_t now_ps)
{
    if (bench->tdc_on && !bench->tdc_calibrates)
        pb_chain_input(&bench->tdc, now_ps,
                     bench->tdc_pin < pb_sim_links(bench->sim) ? bench->pins.link >> bench->tdc_pin & 1
                                                               : bench->pins.tdma_clk_in);
}

/* Advances the nodes to before before_ps; the converter wants each instant. */
static void move_nodes(struct pb_bench *bench, int64_t before_ps)
{
    while (bench->tdc_on && next_change_ps(bench) < before_ps) {
        const int64_t now_ps = next_change_ps(bench);
        wake_until(bench, now_ps);
        drive_core(bench);
        tdc_input(bench, now_ps);
    }
    wake_until(bench, before_ps - 1);
    drive_core(bench);
}

/* The register of the converter has changed. */
static void set_tdc(struct pb_bench *bench, int64_t now_ps)
{
    const struct pb_sim_pins *pins = &bench->pins;
    if (bench->tdc_on == pins->tdc_enable && bench->tdc_calibrates == pins->tdc_calibrate &&
        bench->tdc_pin == pins->tdc_pin)
        return;
    bench->tdc_on = pins->tdc_enable;
    bench->tdc_calibrates = pins->tdc_calibrate;
    bench->tdc_pin = pins->tdc_pin;
    pb_chain_settle(&bench->tdc, false);
    pb_chain_oscillate(&bench->tdc, now_ps, bench->tdc_on && bench->tdc_calibrates);
    tdc_input(bench, now_ps);
}

/* Advances the nodes to just before the core's clock edge. The core's pads also sample the links and both
 * clock pins half a clock before it. */
static void sample_nodes(struct pb_bench *bench, int64_t edge_ps)
{
    const int64_t half_ps = pb_sim_half_ps(bench->sim);
    if (next_change_ps(bench) < half_ps)
        move_nodes(bench, half_ps);
    const uint64_t half = bench->pins.link;
    const bool clk_half = bench->pins.tdma_clk_in, sync_half = bench->pins.tdma_sync_in;
    if (next_change_ps(bench) < edge_ps)
        move_nodes(bench, edge_ps);
    bench->pins.link_second = bench->pins.link ^ half;
    bench->pins.tdma_second = bench->pins.tdma_clk_in != clk_half;
    bench->pins.sync_second = bench->pins.tdma_sync_in != sync_half;
}

struct pb_bench *pb_bench_create(const struct pb_sim_config *config, struct pb_node *const *node,
                                 unsigned nodes, unsigned ports)
{
    struct pb_bench *bench = calloc(1, sizeof *bench);
    bool ok = bench && nodes && (bench->node = calloc(nodes, sizeof *bench->node)) &&
              (bench->sim = pb_sim_create(config)) && nodes * ports <= pb_sim_links(bench->sim) &&
              nodes <= pb_sim_nodes(bench->sim);
    if (!ok) {
        for (unsigned i = 0; i < nodes; i++)
            pb_node_destroy(node[i]);
        pb_bench_destroy(bench);
        return NULL;
    }
    bench->ports = ports;
    bench->nodes = nodes;
    bench->reach = nodes > 1                                  ? ports
                   : pb_sim_links(bench->sim) < PB_BENCH_LINKS ? pb_sim_links(bench->sim)
                                                              : PB_BENCH_LINKS;
    bench->contested_ps = -1;
    pb_chain_start(&bench->tdc, &(struct pb_chain_config){.corner = PB_CHAIN_TYP});
    bench->pins.nrst = bench->pins.uart0_rx = 0xffff;
    bench->controller_ps = bench->news_ps = INT64_MAX;
    for (unsigned i = 0; i < nodes; i++) {
        bench->node[i].node = node[i];
        bench->node[i].out.uart0_tx = true;
        advance(bench, i, 0);
    }
    find_wake(bench);
    drive_core(bench);
    return bench;
}

void pb_bench_follow(struct pb_bench *bench, const struct pb_controller_config *config)
{
    pb_controller_start(&bench->controller, config);
    bench->follow = true;
    bench->controller_ps = bench->controller.change_ps;
    find_wake(bench);
}

void pb_bench_wire(struct pb_bench *bench, const struct pb_bench_wiring *wiring)
{
    uint64_t seen = 0;
    bench->wiring = *wiring;
    bench->wired = true;
    for (unsigned i = 0; i < bench->nodes; i++)
        for (unsigned link = 0; link < PB_BENCH_LINKS; link++) {
            bench->shared |= seen & wiring->pins[i][link];
            seen |= wiring->pins[i][link];
            bench->shorted |= (wiring->pins[i][link] & (wiring->pins[i][link] - 1)) != 0;
        }
    advance_all(bench, 0);
    find_wake(bench);
    drive_core(bench);
}

void pb_bench_set_rise(struct pb_bench *bench, int64_t rise_ps)
{
    bench->rise_ps = rise_ps;
}

void pb_bench_set_tdc(struct pb_bench *bench, const struct pb_chain_config *config)
{
    pb_chain_start(&bench->tdc, config);
}

int64_t pb_bench_clock_contested_ps(const struct pb_bench *bench)
{
    return bench->contested_ps;
}

void pb_bench_destroy(struct pb_bench *bench)
{
    if (!bench)
        return;
    for (unsigned i = 0; i < bench->nodes; i++)
        pb_node_destroy(bench->node[i].node);
    pb_sim_destroy(bench->sim);
    free(bench->node);
    free(bench);
}

static void note_activity(struct pb_bench *bench, int64_t now_ps)
{
    if (bench->active)
        bench->active_ps = now_ps;
    bench->active = bench->pins.link_pull || bench->pins.tdma_clk || bench->pins.tdma_sync;
}

/* While the core rests the nodes may run ahead of it, to before_ps at most or until a node changes a level at
 * the core. Returns that instant. */
static int64_t go_ahead(struct pb_bench *bench, int64_t before_ps)
{
    while (bench->news_ps == INT64_MAX && bench->wake_ps < before_ps) {
        if (bench->wake_ps == bench->controller_ps)
            return bench->wake_ps;
        unsigned i = 0;
        while (bench->node[i].wake_ps != bench->wake_ps)
            i++;
        const struct pb_node_outputs was = bench->node[i].out;
        const uint64_t rising = bench->rising;
        const int64_t now_ps = bench->wake_ps;
        advance(bench, i, now_ps);
        find_wake(bench);
        const struct pb_node_outputs *is = &bench->node[i].out;
        if (is->pull_low != was.pull_low || is->drive_high != was.drive_high ||
            is->uart0_tx != was.uart0_tx || bench->rising != rising)
            bench->news_ps = now_ps;
    }
    return bench->news_ps < before_ps ? bench->news_ps : before_ps;
}

/* Skips clocks in which no pin changes. `sends`: the core may send bytes in them. */
static void leap(struct pb_bench *bench, int64_t until_ps, bool sends)
{
    uint64_t clocks = pb_sim_rest(bench->sim, &bench->pins, sends);
    if (!clocks)
        return;
    const uint64_t wanted = pb_sim_edges_until(bench->sim, until_ps);
    clocks = clocks < wanted ? clocks : wanted;
    int64_t still_ps = go_ahead(bench, pb_sim_edge_ps(bench->sim, clocks - 1));
    if (bench->tdc.oscillator_ps < still_ps)
        still_ps = bench->tdc.oscillator_ps;
    const uint64_t still = pb_sim_edges_until(bench->sim, still_ps);
    if (still < clocks)
        clocks = still;
    for (uint64_t done; (done = pb_sim_leap(bench->sim, clocks)) > 0; clocks -= done) { }
}

void pb_bench_run(struct pb_bench *bench, int64_t until_ps, size_t min_bytes)
{
    int64_t edge_ps;
    while ((edge_ps = pb_sim_next_edge_ps(bench->sim)) <= until_ps) {
        if (min_bytes && pb_sim_host_pending(bench->sim) >= min_bytes)
            return;
        bench->pins.link_second = 0;
        bench->pins.tdma_second = bench->pins.sync_second = false;
        if (bench->news_ps >= edge_ps && (!bench->tdc_on || pb_chain_rests(&bench->tdc, edge_ps))) {
            leap(bench, until_ps, !min_bytes);
            edge_ps = pb_sim_next_edge_ps(bench->sim);
        }
        if (next_change_ps(bench) < edge_ps)
            sample_nodes(bench, edge_ps);
        if (bench->tdc_on) {
            pb_chain_oscillator(&bench->tdc, edge_ps);
            pb_chain_sample(&bench->tdc, edge_ps, bench->pins.tdc);
        }
        if (bench->follow && bench->pins.tdma_drive && bench->contested_ps < 0)
            bench->contested_ps = edge_ps;
        const bool was_running = bench->pins.running;
        const bool changed = pb_sim_clock(bench->sim, &bench->pins);
        if (changed)
            note_activity(bench, edge_ps);
        if (changed || bench->shared_changed) {
            bench->shared_changed = false;
            for (unsigned i = 0; !was_running && bench->pins.running && i < bench->nodes; i++)
                bench->node[i].node->ops->align(bench->node[i].node, edge_ps);
            advance_all(bench, edge_ps);
            find_wake(bench);
            drive_core(bench);
            set_tdc(bench, edge_ps);
            tdc_input(bench, edge_ps);
        }
    }
}

int64_t pb_bench_active_ps(const struct pb_bench *bench)
{
    return bench->active ? pb_bench_now_ps(bench) : bench->active_ps;
}

int64_t pb_bench_now_ps(const struct pb_bench *bench)
{
    return pb_sim_next_edge_ps(bench->sim);
}

const struct pb_node *pb_bench_node(const struct pb_bench *bench, unsigned index)
{
    return bench->node[index].node;
}

struct pb_sim *pb_bench_sim(struct pb_bench *bench)
{
    return bench->sim;
}
