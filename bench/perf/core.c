/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/perf/perf.h"
#include "phasebench/device.h"

#include <stdlib.h>

enum { PHASES = 24, FRAME_BITS = 90, PHASE_BITS = 100, BAUD_HZ = 1000000 };

/* The core as a transport. The core itself, and a pattern that needs no node, pull its lines. */
struct core {
    struct pb_transport base;
    struct pb_sim *sim;
    struct pb_sim_pins pins;
    uint64_t bit_ticks, started; /* clock at which the traffic began; 0: not yet */
    uint64_t pattern;
    int64_t cpu_ns; /* in the core, without the host link */
    uint64_t clocks;
};

/* One line per phase, in turn; a new pseudo-random bit every bit period, high in the guards. */
static uint64_t pattern_pull(struct core *core)
{
    const uint64_t at = pb_sim_clocks(core->sim) - core->started;
    if (at % core->bit_ticks == 0)
        core->pattern = core->pattern * UINT64_C(6364136223846793005) + 1;
    const uint64_t bit = at / core->bit_ticks % PHASE_BITS,
                   phase = at / (core->bit_ticks * PHASE_BITS) % PHASES;
    return bit < FRAME_BITS && core->pattern >> 63 ? UINT64_C(1) << (phase / 2) : 0;
}

static void run(struct core *core, uint64_t clocks)
{
    const int64_t start_ns = perf_cpu_ns();
    for (uint64_t i = 0; i < clocks; i++) {
        const uint64_t pull = core->pins.link_pull | (core->started ? pattern_pull(core) : 0);
        core->pins.link = ~pull;
        pb_sim_clock(core->sim, &core->pins);
    }
    core->cpu_ns += perf_cpu_ns() - start_ns;
    core->clocks += clocks;
}

static int core_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct core *core = (struct core *)base;
    return pb_sim_host_write(core->sim, bytes, count)
               ? pb_fail(diag, PB_ERR_MEMORY, "no memory for the host's bytes")
               : PB_OK;
}

static int core_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                     struct pb_diag *diag)
{
    struct core *core = (struct core *)base;
    (void)diag;
    if (timeout_ms && !pb_sim_host_pending(core->sim))
        run(core, pb_sim_clock_hz(core->sim) / 10000);
    return (int)pb_sim_host_read(core->sim, bytes, capacity);
}

static void core_close(struct pb_transport *base)
{
    pb_sim_destroy(((struct core *)base)->sim);
}

static void start_traffic(struct core *core, struct pb_device *device)
{
    const uint32_t mask = 0xfff, clock_hz = (uint32_t)pb_sim_clock_hz(core->sim);
    const struct {
        unsigned address;
        uint32_t value;
    } setting[] = {
        {PB_REG_PHASE_COUNT, PHASES},
        {PB_REG_PERIOD_TICKS, clock_hz / BAUD_HZ * PHASE_BITS},
        {PB_REG_HIGH_TICKS, clock_hz / BAUD_HZ * PHASE_BITS / 2},
        {PB_REG_BIT_PERIOD, 16 * (clock_hz / BAUD_HZ)},
        {PB_REG_EDGE_MASK0, mask},
        {PB_REG_BYTE_MASK0, mask},
        {PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB},
    };
    struct pb_diag diag;
    for (size_t i = 0; i < sizeof setting / sizeof setting[0]; i++)
        if (pb_device_write(device, setting[i].address, setting[i].value, &diag))
            perf_die("%s", diag.text);
    core->started = pb_sim_clocks(core->sim);
    core->bit_ticks = clock_hz / BAUD_HZ;
}

static void run_idle(struct core *core, uint64_t clocks)
{
    run(core, clocks);
    pb_sim_destroy(core->sim);
}

static void run_with_traffic(struct core *core, uint64_t clocks)
{
    struct pb_device *device;
    struct pb_events events = {0};
    struct pb_diag diag;
    if (pb_device_open(&device, &core->base, &diag))
        perf_die("%s", diag.text);
    start_traffic(core, device);
    core->cpu_ns = 0;
    core->clocks = 0;
    uint64_t seen = 0;
    while (core->clocks < clocks) {
        const int count = pb_device_poll(device, 1, &events, &diag);
        if (count < 0)
            perf_die("%s", diag.text);
        seen += (unsigned)count;
        events.count = 0;
    }
    const struct perf_sample done = {core->clocks, core->cpu_ns};
    pb_events_free(&events);
    pb_device_close(device);
    core->clocks = done.clocks;
    core->cpu_ns = done.cpu_ns;
    if (seen < clocks / 1000)
        perf_die("the core saw hardly any traffic: %llu events in %llu clocks", (unsigned long long)seen,
                 (unsigned long long)clocks);
}

struct perf_sample perf_core(enum pb_sim_shape shape, bool traffic, uint64_t clocks)
{
    static const struct pb_transport_ops ops = {core_write, core_read, core_close};
    const struct pb_sim_config config = {.shape = shape};
    struct core core = {.base.ops = &ops, .pins = {.uart0 = 0xffff}, .sim = pb_sim_create(&config)};
    if (!core.sim)
        perf_die("no memory for the core");
    if (traffic)
        run_with_traffic(&core, clocks);
    else
        run_idle(&core, clocks);
    return (struct perf_sample){core.clocks, core.cpu_ns};
}
