/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated rig. Simulated time passes only while the host waits in read, and in write for as long
 * as a UART takes, so a run is the same every time.
 */
#include "host/rig/rig_sim.h"

#include "host/plan/node_map.h"
#include "host/rig/node_config.h"
#include "bench/registry/makers.h"
#include "bench/nodes/watch.h"
#include "host/rig/core_clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define PS_PER_MS INT64_C(1000000000)
#define LATENCY_PS PS_PER_MS /* a USB chip transfers its bytes after this time, also when more follow */

enum { CLOCKS_PER_BIT_MIN = PB_RIG_SIM_CLOCKS_PER_BIT, CLOCKS_PER_BIT_MAX = 255, BAUD_ERROR_PART = 50 };

struct sim_transport {
    struct pb_transport base;
    struct pb_bench *bench;
    const struct pb_node_watch *watch; /* NULL: none */
    unsigned nodes;
    bool uart;
    uint64_t bytes_per_s; /* of the UART; 0: a byte stream */
    int64_t gather_ps;    /* longer than a byte on the UART host port */
};

/* After it the bench has run on without an answer of the node: nothing of that may be judged. */
static int check_halt(const struct sim_transport *transport, struct pb_diag *diag)
{
    for (unsigned i = 0; i < transport->nodes; i++) {
        const int code = pb_node_process_halted(pb_bench_node(transport->bench, i));
        if (code == PB_ERR_TIMEOUT)
            return pb_fail(diag, code,
                           "the run reached its time limit while the process of nodes[%u] had not answered; "
                           "raise --timeout or lower nodes[%u].answer_limit",
                           i, i);
        if (code)
            return pb_fail(diag, code, "interrupted while the process of nodes[%u] had not answered", i);
    }
    return PB_OK;
}

int pb_rig_sim_check(const struct pb_transport *transport, struct pb_diag *diag)
{
    const struct pb_node_watch *watch = ((const struct sim_transport *)transport)->watch;
    if (watch && watch->failed)
        return pb_fail(diag, watch->failed, "%s", watch->why);
    const int halted = check_halt((const struct sim_transport *)transport, diag);
    if (halted)
        return halted;
    const int64_t at_ps = pb_bench_clock_contested_ps(((const struct sim_transport *)transport)->bench);
    if (at_ps < 0)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_LINK,
        "rig sim: the core drives TDMA_CLK and TDMA_SYNC against an external controller (since %.3f "
        "us after power-up); one driver a pin is the limit; write CTRL.FOLLOW before RUN and CAPTURE",
        (double)at_ps / 1e6);
}

static int sim_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    struct pb_sim *sim = pb_bench_sim(transport->bench);
    if (pb_sim_host_write(sim, bytes, count))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu bytes to the simulated core", count);
    /* Bytes queued for a slow UART would make the host repeat commands. */
    while (transport->uart && pb_sim_host_unsent(sim) && !pb_sim_failed(sim))
        pb_bench_run(transport->bench, pb_bench_now_ps(transport->bench) + transport->gather_ps, 0);
    return PB_OK;
}

static int sim_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    struct pb_sim *sim = pb_bench_sim(transport->bench);
    if (timeout_ms)
        pb_bench_run(transport->bench, pb_bench_now_ps(transport->bench) + timeout_ms * PS_PER_MS, 1);
    /* Bytes arrive singly: wait for a pause, as a USB chip gathers them into one transfer. */
    const int64_t latest_ps = pb_bench_now_ps(transport->bench) + LATENCY_PS;
    for (size_t pending = 0; timeout_ms && pb_sim_host_pending(sim) > pending && pending < capacity &&
                             pb_bench_now_ps(transport->bench) < latest_ps;) {
        pending = pb_sim_host_pending(sim);
        pb_bench_run(transport->bench, pb_bench_now_ps(transport->bench) + transport->gather_ps, 0);
    }
    if (pb_sim_failed(sim))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the bytes of the simulated core");
    const int code = pb_rig_sim_check(base, diag);
    return code ? code : (int)pb_sim_host_read(sim, bytes, capacity);
}

static void sim_close(struct pb_transport *base)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    pb_bench_destroy(transport->bench);
    free(transport);
}

static const struct pb_transport_ops sim_ops = {sim_write, sim_read, sim_close};

static int make_node(struct pb_node **node, const struct pb_scenario *scenario, unsigned index,
                     const char *folder, const struct pb_rig_options *options, struct pb_diag *diag)
{
    const struct pb_scenario_node *on_rig = &scenario->node[index];
    const struct pb_node_setting setting = {.defect = on_rig->defect,
                                            .amount_ps = on_rig->defect_amount_ps,
                                            .from = on_rig->defect_from,
                                            .every = on_rig->defect_every,
                                            .port = on_rig->defect_port,
                                            .after = on_rig->defect_after,
                                            .freedoms = on_rig->freedoms,
                                            .start_early_ps = scenario->limits.start_early_ps,
                                            .start_late_ps = scenario->limits.start_late_ps,
                                            .argument = on_rig->argument,
                                            .folder = folder,
                                            .answer_limit_ps = on_rig->answer_limit_ps,
                                            .halt = {options->stop, options->deadline_ns}};
    const struct pb_node_config config = pb_node_config_of(scenario, index);
    struct pb_diag why = {""};
    int code = pb_node_make(node, pb_node_kind_of(on_rig->kind), &config, &setting, &why);
    if (!code && (code = pb_node_watch(*node, index, options->watch, &why)))
        pb_node_destroy(*node);
    return code ? pb_fail(diag, code, "nodes[%u]: %s", index, why.text) : PB_OK;
}

/* Folder of a node's process, allocated: a relative path is meant from the folder of the scenario's file.
 * *folder is NULL for the present one. */
static int place_node(char **folder, const struct pb_scenario *scenario, const char *own,
                      struct pb_diag *diag)
{
    const char *slash = scenario->path ? strrchr(scenario->path, '/') : NULL;
    const int above = slash && !(own && *own == '/') ? (int)(slash - scenario->path) + 1 : 0;
    const size_t size = (size_t)above + (own ? strlen(own) : 0) + 1;
    *folder = size > 1 ? malloc(size) : NULL;
    if (*folder)
        snprintf(*folder, size, "%.*s%s", above, above ? scenario->path : "", own ? own : "");
    return size > 1 && !*folder ? pb_fail(diag, PB_ERR_MEMORY, "no memory for the node models") : PB_OK;
}

static int make_nodes(struct pb_node **node, const struct pb_scenario *scenario,
                      const struct pb_rig_options *options, struct pb_diag *diag)
{
    int code = PB_OK;
    for (unsigned i = 0; i < scenario->node_count && !code; i++) {
        char *folder;
        code = place_node(&folder, scenario, scenario->node[i].folder, diag);
        if (!code)
            code = make_node(&node[i], scenario, i, folder, options, diag);
        free(folder);
        for (unsigned made = code ? i : 0; made > 0; made--)
            pb_node_destroy(node[made - 1]);
    }
    return code;
}

/* Sets the divider of the core's clock for the baud. PB_ERR_ARGUMENT: none is within 2 %. */
static int divide(unsigned *clocks_per_bit, unsigned baud_hz, unsigned clock_hz, struct pb_diag *diag)
{
    *clocks_per_bit = baud_hz ? (clock_hz + baud_hz / 2) / baud_hz : CLOCKS_PER_BIT_MIN;
    if (baud_hz > clock_hz / CLOCKS_PER_BIT_MIN || *clocks_per_bit > CLOCKS_PER_BIT_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "baud of rig sim: is %u; the core of this scenario runs at %u Hz and can do %u to %u",
                       baud_hz, clock_hz, (clock_hz + CLOCKS_PER_BIT_MAX - 1) / CLOCKS_PER_BIT_MAX,
                       clock_hz / CLOCKS_PER_BIT_MIN);
    const unsigned made_hz = clock_hz / *clocks_per_bit;
    if (baud_hz &&
        (made_hz > baud_hz + baud_hz / BAUD_ERROR_PART || made_hz < baud_hz - baud_hz / BAUD_ERROR_PART))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "baud of rig sim: is %u; the nearest that a clock of %u Hz makes is %u, more than 2 %% "
            "away; give that",
            baud_hz, clock_hz, made_hz);
    return PB_OK;
}

/* Joins the pins that are shorted to a pin, over any number of shorts. */
static uint64_t one_wire(const struct pb_scenario *scenario, uint64_t pins)
{
    const struct pb_wiring *wiring = scenario->wiring;
    for (uint64_t before = 0; before != pins;) {
        before = pins;
        for (unsigned i = 0; i < wiring->shorts; i++) {
            const struct pb_wire_end left = wiring->shorted[i].left, right = wiring->shorted[i].right;
            const uint64_t both = UINT64_C(1) << pb_link_of(scenario, (unsigned)left.node, left.port) |
                                  UINT64_C(1) << pb_link_of(scenario, (unsigned)right.node, right.port);
            pins |= pins & both ? both : 0;
        }
    }
    return pins;
}

static void wire(struct pb_bench *bench, const struct pb_scenario *scenario)
{
    struct pb_bench_wiring wiring = {.missing = scenario->wiring->missing};
    for (unsigned node = 0; node < scenario->node_count; node++)
        for (unsigned port = 0; port < scenario->network.ports; port++) {
            const struct pb_wire_end at = scenario->wiring->at[node][port];
            if (at.node >= 0)
                wiring.pins[node][port] = one_wire(
                    scenario, UINT64_C(1) << pb_link_of(scenario, (unsigned)at.node, at.port));
        }
    /* The rest of a single node's connector is where it should be. */
    for (unsigned link = scenario->network.ports; scenario->node_count == 1 && link < PB_BENCH_LINKS; link++)
        wiring.pins[0][link] = UINT64_C(1) << link;
    pb_bench_wire(bench, &wiring);
}

int pb_rig_sim_open(struct pb_transport **out, const struct pb_rig_sim *port,
                    const struct pb_rig_options *options, const struct pb_scenario *scenario,
                    struct pb_diag *diag)
{
    unsigned clock_hz = port->clock_hz ? port->clock_hz : pb_core_clock_most_hz(scenario), clocks_per_bit;
    int code = pb_rig_check_models("sim:", scenario, diag);
    if (!code && port->clock_hz)
        code = pb_core_clock_check(scenario, clock_hz, diag);
    else if (!code && port->clock_fits)
        code = pb_core_clock_default(&clock_hz, scenario, diag);
    if (!code)
        code = divide(&clocks_per_bit, port->baud_hz, clock_hz, diag);
    if (code)
        return code;
    struct pb_node *node[PB_SCENARIO_NODES_MAX];
    code = make_nodes(node, scenario, options, diag);
    if (code)
        return code;
    const struct pb_sim_config config = {
        .shape = scenario->node_count == 1 ? PB_SIM_12 : PB_SIM_64,
        .clock_hz = clock_hz,
        .clock_ppb = port->clock_ppb,
        .port = port->port,
        .uart_clocks_per_bit = clocks_per_bit,
        .trace_path = options->trace_path,
        .trace_from_ps = options->trace_from_ps,
        .trace_to_ps = options->trace_to_ps,
        .every_clock = port->every_clock,
    };
    struct sim_transport *transport = calloc(1, sizeof *transport);
    if (!transport) {
        for (unsigned i = 0; i < scenario->node_count; i++)
            pb_node_destroy(node[i]);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the simulated rig");
    }
    transport->base.ops = &sim_ops;
    transport->watch = options->watch;
    transport->nodes = scenario->node_count;
    transport->uart = port->port == PB_SIM_UART;
    transport->bytes_per_s = transport->uart ? clock_hz / clocks_per_bit / 10 : 0;
    transport->gather_ps = 12 * PS_PER_S * clocks_per_bit / clock_hz;
    errno = 0;
    transport->bench = pb_bench_create(&config, node, scenario->node_count, scenario->network.ports);
    if (!transport->bench) {
        const int error = errno;
        free(transport);
        if (error)
            return pb_fail(diag, PB_ERR_MEMORY, "no memory for the simulated bench: %s", strerror(error));
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%u nodes of %u links do not fit the simulated core: 64 links and 16 nodes are the limit",
            scenario->node_count, scenario->network.ports);
    }
    pb_bench_set_tdc(transport->bench, &port->tdc);
    if (scenario->wiring)
        wire(transport->bench, scenario);
    pb_bench_set_rise(transport->bench, scenario->simulated_rise_ps);
    if (scenario->follow) {
        const struct pb_controller_config controller = {
            .phase_rate_mhz = scenario->phase_rate_mhz,
            .phases = scenario->network.phases,
            .clock_ppm = scenario->controller.clock_error_ppm,
            .jitter_ps = scenario->controller.jitter_ps,
            .sync_skew_ps = scenario->controller.sync_skew_ps,
            .seed = scenario->seed,
        };
        pb_bench_follow(transport->bench, &controller);
    }
    *out = &transport->base;
    return PB_OK;
}

int64_t pb_rig_sim_active_ps(const struct pb_transport *transport)
{
    return pb_bench_active_ps(((const struct sim_transport *)transport)->bench);
}

uint64_t pb_rig_sim_bytes_per_s(const struct pb_transport *transport)
{
    return transport->ops == &sim_ops ? ((const struct sim_transport *)transport)->bytes_per_s : 0;
}

int64_t pb_rig_sim_time_ps(const struct pb_transport *transport)
{
    return transport->ops == &sim_ops ? pb_bench_now_ps(((const struct sim_transport *)transport)->bench)
                                      : -1;
}

void pb_rig_sim_node_trouble(const struct pb_transport *transport, unsigned index,
                             struct pb_node_trouble *trouble)
{
    if (transport->ops == &sim_ops)
        pb_node_trouble(
            pb_bench_node(((const struct sim_transport *)transport)->bench, index), trouble);
}

bool pb_rig_sim_node_figures(const struct pb_transport *transport, unsigned index,
                             struct pb_node_figures *figures)
{
    return transport->ops == &sim_ops &&
           pb_node_figures(pb_bench_node(((const struct sim_transport *)transport)->bench, index), figures);
}

struct pb_bench *pb_rig_sim_bench(struct pb_transport *transport)
{
    return transport->ops == &sim_ops ? ((struct sim_transport *)transport)->bench : NULL;
}
