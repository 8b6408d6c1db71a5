/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated rig. Simulated time passes only while the host waits in read, so a run is the same every
 * time.
 */
#include "host/rig/rig_sim.h"
#include "bench/sim/bench.h"

#include <stdlib.h>
#include <string.h>

#define PS_PER_MS INT64_C(1000000000)
#define GATHER_PS INT64_C(2000000) /* longer than a byte of the UART host port takes */

struct sim_transport {
    struct pb_transport base;
    struct pb_bench *bench;
};

static int sim_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    if (pb_sim_host_write(pb_bench_sim(transport->bench), bytes, count))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu bytes to the simulated core", count);
    return PB_OK;
}

static int sim_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    (void)diag;
    struct pb_sim *sim = pb_bench_sim(transport->bench);
    if (timeout_ms)
        pb_bench_run(transport->bench, pb_bench_now_ps(transport->bench) + timeout_ms * PS_PER_MS, 1);
    /* Bytes come one by one: wait for the pause after them, as a USB chip gathers them into one transfer. */
    for (size_t pending = 0; timeout_ms && pb_sim_host_pending(sim) > pending && pending < capacity;) {
        pending = pb_sim_host_pending(sim);
        pb_bench_run(transport->bench, pb_bench_now_ps(transport->bench) + GATHER_PS, 0);
    }
    return (int)pb_sim_host_read(sim, bytes, capacity);
}

static void sim_close(struct pb_transport *base)
{
    struct sim_transport *transport = (struct sim_transport *)base;
    pb_bench_destroy(transport->bench);
    free(transport);
}

static const struct pb_transport_ops sim_ops = {sim_write, sim_read, sim_close};

static const struct {
    const char *name;
    enum pb_node_defect defect;
} defects[] = {
    {"none", PB_DEFECT_NONE},
    {"wrong_order", PB_DEFECT_WRONG_ORDER},
    {"phase_off", PB_DEFECT_PHASE_OFF},
    {"late_start", PB_DEFECT_LATE_START},
    {"flipped_bit", PB_DEFECT_FLIPPED_BIT},
    {"silent", PB_DEFECT_SILENT},
    {"swapped_links", PB_DEFECT_SWAPPED_LINKS},
};

static struct pb_node *make_node(const struct pb_scenario *scenario, unsigned index)
{
    const struct pb_scenario_node *seat = &scenario->node[index];
    enum pb_node_defect defect = PB_DEFECT_NONE;
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (!strcmp(defects[i].name, seat->defect))
            defect = defects[i].defect;
    const struct pb_node_config config = {
        .address = seat->address,
        .dims = scenario->dims,
        .rule = scenario->rule == PB_RULE_ECUBE ? PB_NODE_ECUBE : PB_NODE_OPPORTUNISTIC,
        .codec = scenario->codec == PB_CODEC_SLOT ? PB_NODE_CODEC_SLOT : PB_NODE_CODEC_STARC,
        .payload_bytes = scenario->payload_bytes,
        .phase_rate_mhz = (uint32_t)scenario->phase_rate_mhz,
        .baud_hz = (uint32_t)scenario->baud_hz,
        .console_baud_hz = (uint32_t)scenario->console_baud_hz,
        .head_guard_ps = scenario->head_guard_ps,
        .clock_ppm = seat->clock_error_ppm,
        .irq_latency_ps = seat->irq_latency_ps,
        .irq_jitter_ps = seat->irq_jitter_ps,
        .seed = scenario->seed + index,
    };
    if (!strcmp(seat->kind, "ref"))
        return pb_node_break(pb_node_ref_create(&config), &config, defect, seat->defect_amount_ps);
    if (defect == PB_DEFECT_WRONG_ORDER)
        return pb_node_native_create_wrong_order(&config);
    return pb_node_break(pb_node_native_create(&config), &config, defect, seat->defect_amount_ps);
}

int pb_rig_sim_open(struct pb_transport **out, bool uart, const struct pb_rig_options *options,
                    const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_node *node[PB_SCENARIO_NODES_MAX];
    for (unsigned i = 0; i < scenario->node_count; i++) {
        node[i] = make_node(scenario, i);
        if (!node[i]) {
            while (i--)
                pb_node_destroy(node[i]);
            return pb_fail(diag, PB_ERR_CONFIG,
                           "a node of kind '%s' cannot be made with these settings; see docs/scenario.md",
                           scenario->node[i].kind);
        }
    }
    const bool small = scenario->node_count == 1 && scenario->dims <= 12;
    const struct pb_sim_config config = {
        .shape = small ? PB_SIM_12 : PB_SIM_64,
        .uart_host_port = uart,
        .trace_path = options->trace_path,
        .trace_from_ps = options->trace_from_ps,
        .trace_to_ps = options->trace_to_ps,
    };
    struct sim_transport *transport = calloc(1, sizeof *transport);
    if (!transport) {
        for (unsigned i = 0; i < scenario->node_count; i++)
            pb_node_destroy(node[i]);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the simulated rig");
    }
    transport->base.ops = &sim_ops;
    transport->bench = pb_bench_create(&config, node, scenario->node_count, scenario->dims);
    if (!transport->bench) {
        free(transport);
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%u nodes of %u links do not fit the simulated core: 64 links and 16 nodes are the limit",
            scenario->node_count, scenario->dims);
    }
    *out = &transport->base;
    return PB_OK;
}

int64_t pb_rig_simulated_ps(const struct pb_transport *transport)
{
    return transport->ops == &sim_ops ? pb_bench_now_ps(((const struct sim_transport *)transport)->bench)
                                      : -1;
}
