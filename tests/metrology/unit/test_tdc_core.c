/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The converter of the simulated core, from its oscillator to the instants of edges: calibrated by the events
 * of the core, then compared with the instants at which a node moved its line and an external controller
 * moved TDMA_CLK, known to the picosecond.
 */
#include "bench/sim/bench.h"
#include "phasebench/tdc_session.h"

#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <string.h>

#define OK(call) assert_int_equal(call, 0)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_US INT64_C(1000000)
#define REACH_PS 250.0
enum { EDGES = 4000, HITS = PB_TDC_HITS_MIN, LINK = 3, CLOCK_PIN = 63 };

/* ---- a node that moves a link at odd instants, and notes those of TDMA_CLK */

struct mover {
    struct pb_node node;
    int64_t link_ps[EDGES], clock_ps[EDGES]; /* link: first a fall; clock: first a rise */
    unsigned links, clocks, most_links;
    const unsigned *apart_ns; /* of the link's edges; NULL: at random */
    uint64_t random;
    int64_t next_ps;
    bool low, clock;
};

static int64_t advance(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct mover *mover = (struct mover *)node;
    if (in->tdma_clk != mover->clock && mover->clocks < EDGES)
        mover->clock_ps[mover->clocks++] = now_ps;
    mover->clock = in->tdma_clk;
    if (mover->links < mover->most_links && mover->next_ps <= now_ps) {
        mover->link_ps[mover->links++] = now_ps;
        mover->low = !mover->low;
        mover->next_ps =
            now_ps + (mover->apart_ns ? 1000 * (int64_t)mover->apart_ns[mover->links - 1]
                                      : PS_PER_US + (int64_t)(random_step(&mover->random) >> 43));
    }
    *out = (struct pb_node_outputs){.pull_low = mover->low ? 1u << LINK : 0, .uart0_tx = true};
    return mover->links < mover->most_links ? mover->next_ps : now_ps + PS_PER_US;
}

static void align(struct pb_node *node, int64_t now_ps)
{
    (void)node;
    (void)now_ps;
}

static void keep(struct pb_node *node)
{
    (void)node;
}

/* ---- the bench as a transport */

static struct rig {
    struct pb_transport base;
    struct pb_bench *bench;
    struct mover mover;
    struct pb_device *device;
    struct pb_events events;
    struct pb_diag diag;
} rig;

static int write_bytes(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    (void)base;
    (void)diag;
    return pb_sim_host_write(pb_bench_sim(rig.bench), bytes, count);
}

static int read_bytes(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                      struct pb_diag *diag)
{
    (void)base;
    (void)diag;
    pb_bench_run(rig.bench, pb_bench_now_ps(rig.bench) + timeout_ms * PS_PER_MS, 1);
    if (timeout_ms)
        pb_bench_run(rig.bench, pb_bench_now_ps(rig.bench) + 20 * PS_PER_US, capacity);
    return (int)pb_sim_host_read(pb_bench_sim(rig.bench), bytes, capacity);
}

static void close_bench(struct pb_transport *base)
{
    (void)base;
    pb_bench_destroy(rig.bench);
}

static void put(unsigned address, uint32_t value)
{
    OK(pb_device_write(rig.device, address, value, &rig.diag));
}

static void start(enum pb_sim_shape shape, const struct pb_chain_config *device)
{
    static const struct pb_transport_ops transport = {write_bytes, read_bytes, close_bench};
    static const struct pb_node_ops ops = {.advance = advance, .align = align, .destroy = keep};
    rig = (struct rig){.base = {&transport}, .mover = {.node = {&ops}}};
    struct pb_node *node = &rig.mover.node;
    rig.bench = pb_bench_create(&(struct pb_sim_config){.shape = shape}, &node, 1, LINK + 1);
    assert_non_null(rig.bench);
    pb_bench_set_tdc(rig.bench, device);
    pb_bench_follow(rig.bench,
                    &(struct pb_controller_config){
                        .phase_rate_mhz = 250000123, .phases = 4, .clock_ppm = 37, .jitter_ps = 30000});
    OK(pb_device_open(&rig.device, &rig.base, &rig.diag));
}

static int stop(void **state)
{
    (void)state;
    pb_device_close(rig.device);
    pb_events_free(&rig.events);
    return 0;
}

/* Observes a pin until this many edges of it have been reported. */
static void observe(unsigned pin, unsigned edges)
{
    unsigned seen = 0;
    rig.mover.clocks = 0;
    put(PB_REG_EDGE_MASK0, 1u << LINK);
    put(PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_FOLLOW_LSB);
    put(PB_REG_TDC, 1u << PB_TDC_ENABLE_LSB | pin << PB_TDC_PIN_LSB);
    pb_bench_run(rig.bench, pb_bench_now_ps(rig.bench) + PS_PER_US, 0);
    rig.mover.most_links = EDGES;
    while (seen < edges) {
        const size_t before = rig.events.count;
        assert_true(pb_device_poll(rig.device, 50, &rig.events, &rig.diag) > 0);
        for (size_t i = before; i < rig.events.count; i++)
            seen += rig.events.event[i].kind == PB_EVENT_TDC;
    }
    put(PB_REG_CTRL, 0);
    OK(pb_device_settle(rig.device, &rig.events, &rig.diag));
    pb_events_sort(&rig.events);
}

/* ---- against the truth */

/* sqrt(sum w^3 / (12 sum w)) of seven bins and one longer one, vendor's table, typical; falls, rises */
static const double theory_ps[2] = {44.2, 51.0};

struct spread {
    double sum, squares;
    unsigned n;
};

static double sd_of(const struct spread *spread)
{
    const double mean = spread->sum / spread->n;
    return sqrt(spread->squares / spread->n - mean * mean);
}

/* The k-th TDC event is the edge first + k. Ticks count from the reset, instants from power-up: whole ticks
 * apart. */
static void measure(struct spread spread[2], const struct pb_tdc_scale *scale, const int64_t *truth_ps,
                    bool first_rises, unsigned first)
{
    const uint32_t clock_hz = pb_device_info(rig.device)->clock_hz;
    const double tick_ps = 1e12 / clock_hz;
    double ticks = 0;
    unsigned k = first;
    memset(spread, 0, 2 * sizeof *spread);
    for (size_t i = 0; i < rig.events.count; i++) {
        const struct pb_event *event = &rig.events.event[i];
        if (event->kind != PB_EVENT_TDC)
            continue;
        assert_int_equal(pb_tdc_rises(event), first_rises == (k % 2 == 0));
        /* An edge may come in the 31 ticks after the register was set. */
        assert_true(k == first || !PB_GET(PB_EVENT_TDC_MISSED, event->value));
        double off_ps = pb_tdc_instant_ps(scale, event, clock_hz) - (double)truth_ps[k];
        if (k++ == first)
            ticks = floor(off_ps / tick_ps + 0.25);
        off_ps -= ticks * tick_ps;
        struct spread *side = &spread[pb_tdc_rises(event)];
        side->sum += off_ps;
        side->squares += off_ps * off_ps;
        side->n++;
    }
}

static void compare(const struct pb_tdc_scale *scale, const int64_t *truth_ps, bool first_rises,
                    unsigned first, unsigned pin)
{
    struct spread spread[2];
    measure(spread, scale, truth_ps, first_rises, first);
    for (size_t i = 0; i < rig.events.count; i++)
        assert_true(rig.events.event[i].kind != PB_EVENT_TDC || rig.events.event[i].link == pin);
    assert_true(spread[0].n > 400 && spread[1].n > 400);
    for (unsigned rises = 0; rises < 2; rises++) {
        const double mean_ps = spread[rises].sum / spread[rises].n, sd_ps = sd_of(&spread[rises]);
        print_message("pin %u, %s: mean %.1f, sd %.1f ps\n", pin, rises ? "rises" : "falls", mean_ps, sd_ps);
        assert_true(hypot(mean_ps, sd_ps) < REACH_PS);
        /* Edges of bins are known to tick / (2 sqrt hits). */
        assert_true(sd_ps > 0.9 * theory_ps[rises] && sd_ps < hypot(theory_ps[rises], 104));
        assert_true(fabs(mean_ps - 100) < 150); /* the first tap, and what 10,000 hits leave open */
    }
}

static void make_scale(struct pb_tdc_table *table, struct pb_tdc_scale *scale)
{
    OK(pb_tdc_calibrate(table, rig.device, HITS, NULL, &rig.diag));
    if (pb_tdc_scale(scale, table, table->oscillator_hz, &rig.diag))
        fail_msg("%s", rig.diag.text);
}

static const struct pb_chain_config typ = {.corner = PB_CHAIN_TYP},
                                    low = {.corner = PB_CHAIN_TYP, .millivolts = -10};
TEST_BETWEEN(edges_of_a_link_to_a_quarter_of_a_nanosecond, NULL, stop)
{
    struct pb_tdc_table table;
    struct pb_tdc_scale scale;
    start(PB_SIM_12, &typ);
    make_scale(&table, &scale);
    observe(LINK, EDGES / 4);
    compare(&scale, rig.mover.link_ps, false, 0, LINK);
    /* The same edges, as EDGE events: the same ticks, except those just before the end of a tick. */
    unsigned edges = 0, later = 0, reports = 0, matched = 0;
    for (size_t i = 0; i < rig.events.count; i++) {
        const struct pb_event *edge = &rig.events.event[i];
        reports += edge->kind == PB_EVENT_TDC;
        if (edge->kind != PB_EVENT_EDGE)
            continue;
        edges++;
        for (size_t k = i > 8 ? i - 8 : 0; k < rig.events.count && k < i + 8; k++) {
            const struct pb_event *event = &rig.events.event[k];
            if (event->kind == PB_EVENT_TDC && event->tick >= edge->tick && event->tick <= edge->tick + 1) {
                assert_int_equal(pb_tdc_rises(event), pb_event_high(edge));
                later += event->tick - edge->tick;
                matched++;
            }
        }
    }
    assert_int_equal(matched, reports);
    assert_true(edges >= reports && edges <= reports + 2);
    assert_true(later > 0 && later < reports / 40);
}

TEST_BETWEEN(edges_of_an_external_clock, NULL, stop)
{
    struct pb_tdc_table table;
    struct pb_tdc_scale scale;
    start(PB_SIM_12, &typ);
    make_scale(&table, &scale);
    observe(CLOCK_PIN, EDGES / 4);
    /* The clock runs on its own: how many of its edges came before the first report is not known. Those of
     * another number have the clock's jitter, of 30 ns. */
    const bool first_rises = rig.mover.clocks % 2 ? rig.mover.clock : !rig.mover.clock;
    size_t i = 0;
    while (rig.events.event[i].kind != PB_EVENT_TDC)
        i++;
    unsigned first = pb_tdc_rises(&rig.events.event[i]) == first_rises ? 0 : 1;
    struct spread spread[2];
    for (measure(spread, &scale, rig.mover.clock_ps, first_rises, first); sd_of(&spread[1]) > 1000;
         first += 2) {
        assert_true(first < 200);
        measure(spread, &scale, rig.mover.clock_ps, first_rises, first + 2);
    }
    compare(&scale, rig.mover.clock_ps, first_rises, first, CLOCK_PIN);
}

/* A table of another device at the nominal voltage: the oscillator shows how much slower this one is. */
TEST_BETWEEN(a_table_is_renewed_at_another_voltage, NULL, stop)
{
    struct pb_tdc_table table;
    struct pb_tdc_scale scale;
    double now_hz;
    start(PB_SIM_12, &typ);
    make_scale(&table, &scale);
    stop(NULL);
    start(PB_SIM_12, &low);
    OK(pb_tdc_oscillator(&now_hz, rig.device, NULL, &rig.diag));
    assert_true(fabs(table.oscillator_hz / now_hz - 1.017) < 0.001);
    OK(pb_tdc_scale(&scale, &table, now_hz, &rig.diag));
    observe(LINK, EDGES / 4);
    compare(&scale, rig.mover.link_ps, false, 0, LINK);
}

/* Edges that are closer than 32 ticks are not reported, but counted. */
TEST_BETWEEN(close_edges_are_counted, NULL, stop)
{
    start(PB_SIM_12, &typ);
    put(PB_REG_TDC, 1u << PB_TDC_ENABLE_LSB | LINK << PB_TDC_PIN_LSB);
    put(PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_FOLLOW_LSB);
    static const unsigned apart_ns[] = {5000, 600, 600, 600, 5000, 700, 5000}; /* 32 ticks are 667 ns */
    rig.mover.apart_ns = apart_ns;
    rig.mover.most_links = COUNT(apart_ns);
    pb_bench_run(rig.bench, pb_bench_now_ps(rig.bench) + 100 * PS_PER_US, 0);
    put(PB_REG_CTRL, 0);
    OK(pb_device_settle(rig.device, &rig.events, &rig.diag));
    unsigned reports = 0, missed = 0;
    for (size_t i = 0; i < rig.events.count; i++)
        if (rig.events.event[i].kind == PB_EVENT_TDC) {
            reports++;
            missed += PB_GET(PB_EVENT_TDC_MISSED, rig.events.event[i].value);
        }
    assert_int_equal(rig.mover.links, COUNT(apart_ns));
    assert_int_equal(missed, 3);
    assert_int_equal(reports, COUNT(apart_ns) - 3);
}

/* What distinguishes two layouts is in the name, and the longest one has room. */
TEST(names_of_layouts)
{
    char name[PB_TDC_NAME];
    struct pb_device_info info = {.map_hash = 0x00c0ffee, .clock_hz = 48000000, .links = 12, .nodes = 1};
    pb_tdc_bitstream(name, &info, 64);
    assert_string_equal(name, "0x00c0ffee-48000000-12-1-64");
    info = (struct pb_device_info){
        .map_hash = UINT32_MAX, .clock_hz = UINT32_MAX, .links = UINT32_MAX, .nodes = UINT32_MAX};
    pb_tdc_bitstream(name, &info, UINT32_MAX);
    assert_string_equal(name, "0xffffffff-4294967295-4294967295-4294967295-4294967295");
}

/* The oscillator of a core whose chain is shorter than a tick, and a core without one. */
TEST_BETWEEN(a_core_without_a_converter_says_so, NULL, stop)
{
    unsigned taps;
    start(PB_SIM_64, &typ);
    assert_int_equal(pb_tdc_taps(&taps, rig.device, &rig.diag), PB_ERR_UNSUPPORTED);
    assert_string_equal(rig.diag.text,
                        "the core has no time-to-digital converter (0 taps); a simulated rig of one "
                        "node has one");
}
