/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node that changes its lines at instants known to the picosecond, on the simulated bench: what the events
 * say of the time since the phase edge is correct to half a tick, and to a tick when their halves are not
 * checked.
 *
 * evidence: time stamps of line edges to half a cycle
 *   simulated: a node with known instants; the pads on the vendor's cell model, too; on no board yet
 *   also: make rtl-check, tb_pb_pad
 */
#include "bench/sim/bench.h"
#include "phasebench/device.h"

#include "tests/bench/unit/tests.h"

#include <string.h>

static enum pb_sim_shape small = PB_SIM_12, large = PB_SIM_64;
static const struct variant shapes[] = {{"12 links", &small}, {"64 links", &large}, {0}};

#define OK(call) assert_int_equal(call, 0)
#define PS_PER_S INT64_C(1000000000000)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_US INT64_C(1000000)

enum {
    PHASES = 64,
    EDGES = 1024, /* of TDMA_CLK, from power-up on */
    OUTSIDE_EDGES = 150,
    PERIOD_US = 100,
    LINKS = 4,      /* that the node moves */
    CHANGES = 8,    /* in each phase */
    OPEN_PHASE = 9, /* in which link 3 is cut while the node holds it low */
    FALL_LINK_3_US = 40,
    RISE_LINK_3_US = 60, /* in every phase */
    OPEN_US = 45,
    GLITCH_PHASE = 30, /* in which and in the next one the bench pulls link 3, after the node */
    GLITCH_US = 70,
    FAULT_US = 5
};

/* ---- the node */

struct change {
    int64_t from_edge_ps;
    unsigned link;
    bool high;
};

struct mover {
    struct pb_node node;
    struct change change[CHANGES]; /* of the present phase, in the order of time */
    unsigned next;
    bool clock;
    unsigned phases;
    int64_t edge_ps[EDGES];
    uint16_t pull_low;
};

/* 64 steps of 1/61 go through a tick of 24 MHz, or two of 48 MHz, and a bit more. */
static int64_t step_ps(unsigned phase)
{
    return (int64_t)phase * 41667 / 61;
}

/* Link 0 falls at any part of a tick and rises at another one; 1 and 2 follow one another by 0 to 31 ns, so
 * that they often change in the same tick; 3 is low for a while. */
static void make_changes(struct change *change, unsigned phase)
{
    const int64_t at = step_ps(phase);
    const struct change all[CHANGES] = {
        {5 * PS_PER_US + at, 0, false},
        {10 * PS_PER_US + 3 * at, 0, true},
        {20 * PS_PER_US + at, 1, false},
        {20 * PS_PER_US + at + (int64_t)(phase % 7) * 5208, 2, false},
        {30 * PS_PER_US, 1, true},
        {30 * PS_PER_US + 2 * at + 40000, 2, true},
        {FALL_LINK_3_US * PS_PER_US + at, 3, false},
        {RISE_LINK_3_US * PS_PER_US + at, 3, true},
    };
    memcpy(change, all, sizeof all);
}

static int64_t advance(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct mover *mover = (struct mover *)node;
    if (in->tdma_clk && !mover->clock) {
        assert_true(mover->phases < EDGES);
        mover->edge_ps[mover->phases] = now_ps;
        make_changes(mover->change, mover->phases++);
        mover->next = 0;
    }
    mover->clock = in->tdma_clk;
    int64_t wake_ps = INT64_MAX;
    for (; mover->phases && mover->next < CHANGES; mover->next++) {
        const struct change *change = &mover->change[mover->next];
        wake_ps = mover->edge_ps[mover->phases - 1] + change->from_edge_ps;
        if (wake_ps > now_ps)
            break;
        const uint16_t bit = (uint16_t)(1u << change->link);
        mover->pull_low = change->high ? mover->pull_low & (uint16_t)~bit : mover->pull_low | bit;
        wake_ps = INT64_MAX;
    }
    *out = (struct pb_node_outputs){.pull_low = mover->pull_low, .uart0_tx = true};
    return wake_ps;
}

static void align(struct pb_node *node, int64_t now_ps)
{
    (void)node;
    (void)now_ps;
}

static void keep(struct pb_node *node)
{
    (void)node; /* it is on the stack */
}

/* ---- the bench as a transport */

struct rig {
    struct pb_transport base;
    struct pb_bench *bench;
    struct mover mover;
    struct pb_device *device;
    struct pb_events events;
    struct pb_diag diag;
};

static int write_bytes(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    (void)diag;
    return pb_sim_host_write(pb_bench_sim(((struct rig *)base)->bench), bytes, count);
}

static int read_bytes(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                      struct pb_diag *diag)
{
    struct rig *rig = (struct rig *)base;
    (void)diag;
    pb_bench_run(rig->bench, pb_bench_now_ps(rig->bench) + timeout_ms * PS_PER_MS, 1);
    if (timeout_ms)
        pb_bench_run(rig->bench, pb_bench_now_ps(rig->bench) + 20 * PS_PER_US, capacity);
    return (int)pb_sim_host_read(pb_bench_sim(rig->bench), bytes, capacity);
}

static void close_bench(struct pb_transport *base)
{
    pb_bench_destroy(((struct rig *)base)->bench);
}

static void put(struct rig *rig, unsigned address, uint32_t value)
{
    OK(pb_device_write(rig->device, address, value, &rig->diag));
}

static void order(struct rig *rig, unsigned kind, unsigned phase, unsigned at_us)
{
    const unsigned ticks_a_us = pb_device_info(rig->device)->clock_hz / 1000000;
    const unsigned at = at_us * ticks_a_us, length = FAULT_US * ticks_a_us;
    uint8_t record[PB_FAULT_RECORD_BYTES] = {0};
    PB_BYTES_PUT(PB_FAULT_RECORD_KIND, record, kind);
    PB_BYTES_PUT(PB_FAULT_RECORD_LINK, record, 3);
    PB_BYTES_PUT(PB_FAULT_RECORD_PHASE, record, phase);
    PB_BYTES_PUT(PB_FAULT_RECORD_NUMBER, record, 1);
    PB_BYTES_PUT(PB_FAULT_RECORD_OFFSET, record, at);
    PB_BYTES_PUT(PB_FAULT_RECORD_LENGTH, record, length);
    bool taken = false;
    unsigned left;
    OK(pb_device_fault(rig->device, 0, record, sizeof record, &taken, &left, &rig->diag));
    assert_true(taken);
}

static void start(struct rig *rig, enum pb_sim_shape shape, const struct pb_controller_config *controller)
{
    static const struct pb_transport_ops transport = {write_bytes, read_bytes, close_bench};
    static const struct pb_node_ops ops = {.advance = advance, .align = align, .destroy = keep};
    *rig = (struct rig){.base = {&transport}, .mover = {.node = {&ops}}};
    struct pb_node *node = &rig->mover.node;
    rig->bench = pb_bench_create(&(struct pb_sim_config){.shape = shape}, &node, 1, LINKS);
    assert_non_null(rig->bench);
    if (controller)
        pb_bench_follow(rig->bench, controller);
    OK(pb_device_open(&rig->device, &rig->base, &rig->diag));
}

static void play(struct rig *rig, enum pb_sim_shape shape)
{
    start(rig, shape, NULL);
    const unsigned ticks_a_us = pb_device_info(rig->device)->clock_hz / 1000000;
    put(rig, PB_REG_PERIOD_TICKS, PERIOD_US * ticks_a_us);
    put(rig, PB_REG_HIGH_TICKS, ticks_a_us);
    put(rig, PB_REG_PHASE_COUNT, PHASES);
    put(rig, PB_REG_SUPERFRAME_LIMIT, 1);
    put(rig, PB_REG_EDGE_MASK0, (1 << LINKS) - 1);
    order(rig, PB_FAULT_OPEN, OPEN_PHASE, OPEN_US);
    order(rig, PB_FAULT_GLITCH, GLITCH_PHASE, GLITCH_US);
    order(rig, PB_FAULT_GLITCH, GLITCH_PHASE + 1, GLITCH_US);
    put(rig, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_RUN_LSB);
    for (bool stopped = false; !stopped;) {
        const size_t before = rig->events.count;
        assert_true(pb_device_poll(rig->device, 50, &rig->events, &rig->diag) >= 0);
        for (size_t i = before; i < rig->events.count; i++)
            stopped |= rig->events.event[i].kind == PB_EVENT_CLOCK && !rig->events.event[i].value;
    }
    put(rig, PB_REG_CTRL, 0);
    OK(pb_device_settle(rig->device, &rig->events, &rig->diag));
    pb_events_sort(&rig->events);
    assert_int_equal(rig->mover.phases, PHASES);
}

static void stop(struct rig *rig)
{
    pb_device_close(rig->device);
    pb_events_free(&rig->events);
}

/* ---- what must be seen */

static const struct pb_event *phase_event(const struct rig *rig, unsigned phase)
{
    for (size_t i = 0; i < rig->events.count; i++)
        if (rig->events.event[i].kind == PB_EVENT_PHASE && pb_event_phase(&rig->events.event[i]) == phase)
            return &rig->events.event[i];
    fail_msg("no phase %u", phase);
    return NULL;
}

/* The k-th edge of a link since an event; NULL when there is none before the next phase. */
static const struct pb_event *edge_since(const struct rig *rig, const struct pb_event *from, unsigned link,
                                         unsigned k)
{
    for (const struct pb_event *event = from + 1; event < rig->events.event + rig->events.count; event++) {
        if (event->kind == PB_EVENT_PHASE)
            break;
        if (event->kind == PB_EVENT_EDGE && event->link == link && k-- == 0)
            return event;
    }
    return NULL;
}

/* The half tick in which an instant lies, from power-up: the bench rounds each edge of the core's clock down
 * to a picosecond. */
static int64_t half_tick_of(int64_t at_ps, int64_t clock_hz)
{
    return (int64_t)(((__int128)(at_ps + 1) * 2 * clock_hz - 1) / PS_PER_S);
}

static unsigned half_of(int64_t at_ps, int64_t clock_hz)
{
    return half_tick_of(at_ps, clock_hz) % 2 ? PB_HALF_SECOND : PB_HALF_FIRST;
}

/* How much later a change was than its event says, in 1/1000 ticks. */
static int64_t error_of(const struct pb_event *phase, const struct pb_event *edge, int64_t from_edge_ps,
                        int64_t clock_hz, bool halves)
{
    const int64_t told = (int64_t)(edge->tick - phase->tick) * 1000 +
                         (halves && pb_event_half(edge) == PB_HALF_SECOND ? 500 : 0);
    return (int64_t)((__int128)from_edge_ps * clock_hz * 1000 / PS_PER_S) - told;
}

/* Rounding to picoseconds: of the phase edge, of the half tick's beginning; and to 1/1000. */
enum { SLACK = 1 };

static void measure(struct rig *rig, enum pb_sim_shape shape)
{
    unsigned late = 0, halves[3] = {0};
    play(rig, shape);
    const int64_t clock_hz = pb_device_info(rig->device)->clock_hz;
    assert_true(pb_device_info(rig->device)->half_ticks);
    for (unsigned p = 0; p < PHASES; p++) {
        const struct pb_event *phase = phase_event(rig, p);
        struct change change[CHANGES];
        unsigned edges[LINKS] = {0};
        make_changes(change, p);
        for (unsigned i = 0; i < CHANGES; i++) {
            const unsigned link = change[i].link;
            if (link == 3 && p == OPEN_PHASE)
                continue;
            const struct pb_event *edge = edge_since(rig, phase, link, edges[link]++);
            const int64_t at_ps = rig->mover.edge_ps[p] + change[i].from_edge_ps;
            assert_non_null(edge);
            assert_int_equal(pb_event_high(edge), change[i].high);
            /* Another line that changes in the same tick, in the other half of it, leaves neither known. */
            bool alone = true;
            for (unsigned k = 0; k < CHANGES; k++) {
                const int64_t other_ps = rig->mover.edge_ps[p] + change[k].from_edge_ps;
                alone &= half_tick_of(other_ps, clock_hz) / 2 != half_tick_of(at_ps, clock_hz) / 2 ||
                         half_of(other_ps, clock_hz) == half_of(at_ps, clock_hz);
            }
            assert_int_equal(pb_event_half(edge), alone ? half_of(at_ps, clock_hz) : PB_HALF_UNKNOWN);
            halves[pb_event_half(edge)]++;
            const int64_t whole = error_of(phase, edge, change[i].from_edge_ps, clock_hz, false),
                          fine = error_of(phase, edge, change[i].from_edge_ps, clock_hz, true);
            assert_in_range(whole + SLACK, 0, 1000 + 2 * SLACK);
            assert_in_range(fine + SLACK, 0, (alone ? 500 : 1000) + 2 * SLACK);
            late += whole > 500 + SLACK;
        }
    }
    assert_true(late > 100); /* what only the halves show */
    assert_true(halves[PB_HALF_UNKNOWN] > 10 && halves[PB_HALF_FIRST] > 100 && halves[PB_HALF_SECOND] > 100);
}

TEST_ON(times_are_right_to_half_a_tick, NULL, NULL, shapes)
{
    struct rig rig;
    measure(&rig, *(const enum pb_sim_shape *)*state);
    stop(&rig);
}

/* While the line is cut it is received high, for any level of the pin: it rises and falls with the fault, at
 * an edge of the core's clock. */
TEST_ON(a_cut_begins_and_ends_with_a_tick, NULL, NULL, shapes)
{
    struct rig rig;
    play(&rig, *(const enum pb_sim_shape *)*state);
    const int64_t clock_hz = pb_device_info(rig.device)->clock_hz;
    const struct pb_event *phase = phase_event(&rig, OPEN_PHASE);
    const int64_t at_ps = rig.mover.edge_ps[OPEN_PHASE] + step_ps(OPEN_PHASE);
    const unsigned half[4] = {half_of(at_ps + FALL_LINK_3_US * PS_PER_US, clock_hz), PB_HALF_FIRST,
                              PB_HALF_FIRST, half_of(at_ps + RISE_LINK_3_US * PS_PER_US, clock_hz)};
    for (unsigned k = 0; k < 4; k++) {
        const struct pb_event *edge = edge_since(&rig, phase, 3, k);
        assert_non_null(edge);
        assert_int_equal(pb_event_high(edge), k & 1);
        assert_int_equal(pb_event_half(edge), half[k]);
    }
    assert_null(edge_since(&rig, phase, 3, 4));
    stop(&rig);
}

/* The bench's own edges lie at its clock's, whatever the node did before. */
TEST_ON(the_bench_acts_with_a_tick, NULL, NULL, shapes)
{
    struct rig rig;
    unsigned before = 0;
    play(&rig, *(const enum pb_sim_shape *)*state);
    for (unsigned p = GLITCH_PHASE; p <= GLITCH_PHASE + 1; p++) {
        const struct pb_event *phase = phase_event(&rig, p);
        const unsigned ticks_a_us = pb_device_info(rig.device)->clock_hz / 1000000;
        before |= pb_event_half(edge_since(&rig, phase, 3, 1));
        for (unsigned k = 0; k < 2; k++) {
            const struct pb_event *edge = edge_since(&rig, phase, 3, 2 + k);
            assert_non_null(edge);
            assert_int_equal(edge->tick - phase->tick, (GLITCH_US + k * FAULT_US) * ticks_a_us);
            assert_int_equal(pb_event_half(edge), PB_HALF_FIRST);
        }
    }
    assert_true(before & PB_HALF_SECOND); /* the node's last edge was in the other half, once at least */
    stop(&rig);
}

/* A clock from outside, 37 ppm fast: its edges go through all parts of a tick. Stamps count from the same
 * clock in every run. */
TEST_ON(edges_of_an_outside_clock_too, NULL, NULL, shapes)
{
    const struct pb_controller_config controller = {
        .phase_rate_mhz = 1000000000 / PERIOD_US, .phases = PHASES, .clock_ppm = 37, .seed = 1};
    const enum pb_sim_shape shape = *(const enum pb_sim_shape *)*state;
    struct rig rig;
    play(&rig, shape);
    const int64_t clock_hz = pb_device_info(rig.device)->clock_hz;
    const int64_t offset =
        (int64_t)phase_event(&rig, 0)->tick - half_tick_of(rig.mover.edge_ps[0], clock_hz) / 2;
    for (size_t i = 0; i < rig.events.count; i++)
        if (rig.events.event[i].kind == PB_EVENT_TDMA)
            assert_int_equal(pb_event_half(&rig.events.event[i]), PB_HALF_FIRST);
    stop(&rig);

    start(&rig, shape, &controller);
    put(&rig, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_FOLLOW_LSB);
    unsigned edges = 0, halves[3] = {0}, next = 0;
    for (size_t i = 0; edges < OUTSIDE_EDGES;) {
        assert_true(pb_device_poll(rig.device, 50, &rig.events, &rig.diag) > 0);
        for (; i < rig.events.count; i++) {
            const struct pb_event *event = &rig.events.event[i];
            if (event->kind != PB_EVENT_TDMA)
                continue;
            while (!edges && next < rig.mover.phases &&
                   half_tick_of(rig.mover.edge_ps[next], clock_hz) / 2 + offset != (int64_t)event->tick)
                next++;
            assert_true(next < rig.mover.phases);
            const int64_t at_ps = rig.mover.edge_ps[next++];
            assert_int_equal(event->tick, half_tick_of(at_ps, clock_hz) / 2 + offset);
            assert_int_equal(pb_event_half(event), half_of(at_ps, clock_hz));
            halves[pb_event_half(event)]++;
            edges++;
        }
    }
    assert_true(halves[PB_HALF_FIRST] > 30 && halves[PB_HALF_SECOND] > 30);
    stop(&rig);
}
