/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Deliberate faults of the whole core, tick by tick, through the host link: what each record orders must be
 * at the pins at the scheduled ticks, its receipt must say so, and the core's own watch must see it. Expected
 * ticks are those of the records. The nodes are held in reset, so every line is the bench's alone.
 */
#include "tests/bench/unit/device_fixture.h"

enum { PERIOD = 4800, HIGH = 2400, PHASES = 24, BIT_Q4 = 768, SUPERFRAMES = 3, CLOCK = 63 };

static const struct variant stream[] = {{"stream", "sim:"}, {0}},
                            both_ports[] = {{"stream", "sim:"}, {"uart", "sim:?port=uart"}, {0}};

static uint64_t phase_tick[SUPERFRAMES * PHASES];

static int open_node(void **state)
{
    open_rig("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n", *state);
    put(PB_REG_NODE_RESET, 1);
    put(PB_REG_PERIOD_TICKS, PERIOD);
    put(PB_REG_HIGH_TICKS, HIGH);
    put(PB_REG_PHASE_COUNT, PHASES);
    put(PB_REG_SUPERFRAME_LIMIT, SUPERFRAMES);
    put(PB_REG_BIT_PERIOD, BIT_Q4);
    put(PB_REG_GUARD_HEAD, 200);
    put(PB_REG_GUARD_TAIL, PERIOD - 200);
    put(PB_REG_EDGE_MASK0, 0xfff);
    put(PB_REG_BYTE_MASK0, 0xfff);
    for (unsigned link = 0; link < 12; link++)
        put(PB_REG_LINK + link,
            PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR) | PB_PUT(PB_LINK_PHASE, 2 * link));
    return 0;
}

struct fault {
    unsigned kind, link, phase, superframe, number, at, other;
    uint32_t length, parameter;
};

static void order(unsigned unit, const struct fault *f)
{
    uint8_t record[PB_FAULT_RECORD_BYTES] = {0};
    PB_BYTES_PUT(PB_FAULT_RECORD_KIND, record, f->kind);
    PB_BYTES_PUT(PB_FAULT_RECORD_LINK, record, f->link);
    PB_BYTES_PUT(PB_FAULT_RECORD_PHASE, record, f->phase);
    PB_BYTES_PUT(PB_FAULT_RECORD_SUPERFRAME, record, f->superframe);
    PB_BYTES_PUT(PB_FAULT_RECORD_NUMBER, record, f->number);
    PB_BYTES_PUT(PB_FAULT_RECORD_OFFSET, record, f->at);
    PB_BYTES_PUT(PB_FAULT_RECORD_OTHER, record, f->other);
    PB_BYTES_PUT(PB_FAULT_RECORD_LENGTH, record, f->length);
    PB_BYTES_PUT(PB_FAULT_RECORD_PARAMETER, record, f->parameter);
    bool taken = false;
    unsigned left;
    OK(pb_device_fault(rig->device, unit, record, sizeof record, &taken, &left, &rig->diag));
    assert_true(taken);
}

/* Two bytes 0x00 (so 9 bits low, one high, twice) from a virtual neighbour. */
static void send_frame(unsigned link, unsigned superframe, unsigned phase, unsigned at,
                       unsigned mark, unsigned number)
{
    uint8_t record[PB_PLAY_RECORD_BYTES + 2] = {0};
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, link);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, 2);
    PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, phase);
    PB_BYTES_PUT(PB_PLAY_RECORD_MARK, record, mark);
    PB_BYTES_PUT(PB_PLAY_RECORD_SUPERFRAME, record, superframe);
    PB_BYTES_PUT(PB_PLAY_RECORD_NUMBER, record, number);
    PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, at);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, BIT_Q4);
    bool taken = false;
    unsigned left;
    OK(pb_device_play(rig->device, 0, record, sizeof record, &taken, &left, &rig->diag));
    assert_true(taken);
}

static void run(void)
{
    put(PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_RUN_LSB);
    for (bool stopped = false; !stopped;) {
        const size_t before = rig->events.count;
        OK(pb_device_poll(rig->device, 50, &rig->events, &rig->diag));
        for (size_t i = before; i < rig->events.count; i++)
            stopped |= rig->events.event[i].kind == PB_EVENT_CLOCK && !rig->events.event[i].value;
    }
    OK(pb_device_poll(rig->device, 5, &rig->events, &rig->diag));
    pb_events_sort(&rig->events);
    unsigned phases = 0;
    for (size_t i = 0; i < rig->events.count; i++)
        if (rig->events.event[i].kind == PB_EVENT_PHASE) {
            assert_true(phases < SUPERFRAMES * PHASES);
            phase_tick[phases++] = rig->events.event[i].tick;
        }
    assert_int_equal(phases, SUPERFRAMES * PHASES);
    assert_int_equal(get(PB_REG_EVENTS_LOST), 0);
}

static uint64_t tick_of(unsigned superframe, unsigned phase, unsigned at)
{
    return phase_tick[superframe * PHASES + phase] + at;
}

/* The k-th event of a kind on a link; -1 as value: any; of an edge: its level. NULL when there is none. The
 * node is in reset: what moves a line here is the bench, at the edges of its clock. */
static const struct pb_event *find(unsigned kind, unsigned link, int value, unsigned k)
{
    for (size_t i = 0; i < rig->events.count; i++) {
        const struct pb_event *event = &rig->events.event[i];
        const bool edge = event->kind == PB_EVENT_EDGE;
        assert_true(!edge || pb_event_half(event) == PB_HALF_FIRST);
        if (event->kind == kind && event->link == link &&
            (value < 0 || (edge ? pb_event_high(event) : event->value) == (uint32_t)value) && k-- == 0)
            return event;
    }
    return NULL;
}

static unsigned count(unsigned kind, unsigned link)
{
    unsigned k = 0;
    while (find(kind, link, -1, k))
        k++;
    return k;
}

enum { ENDED = PB_FAULT_WHAT_ENDED, BEGAN = PB_FAULT_WHAT_BEGAN, TOO_LATE = PB_FAULT_WHAT_LATE };
static uint64_t receipt(const struct fault *f, unsigned what)
{
    const struct pb_event *event =
        find(PB_EVENT_FAULT, f->link,
             (int)(PB_PUT(PB_EVENT_FAULT_KIND, f->kind) | PB_PUT(PB_EVENT_FAULT_WHAT, what) |
                   PB_PUT(PB_EVENT_FAULT_NUMBER, f->number)),
             0);
    if (!event)
        fail_msg("no receipt of kind %u, what %u", f->kind, what);
    return event->tick;
}

/* Both receipts at the scheduled ticks. */
static void assert_receipts(const struct fault *f)
{
    const uint64_t begin = tick_of(f->superframe, f->phase, f->at);
    assert_int_equal(receipt(f, BEGAN), begin);
    assert_int_equal(receipt(f, ENDED), begin + f->length);
}

static bool alarmed(unsigned link, unsigned code, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < rig->events.count; i++) {
        const struct pb_event *event = &rig->events.event[i];
        if (event->kind == PB_EVENT_ALARM && event->link == link &&
            PB_GET(PB_EVENT_ALARM_CODE, event->value) == code && event->tick >= from && event->tick <= to)
            return true;
    }
    return false;
}

static unsigned alarms(void)
{
    unsigned k = 0;
    for (size_t i = 0; i < rig->events.count; i++)
        k += rig->events.event[i].kind == PB_EVENT_ALARM;
    return k;
}

/* ---- */

TEST_ON(a_clean_run_has_edges_of_the_clock_and_no_alarm, open_node, close_rig, stream)
{
    for (unsigned phase = 1; phase < PHASES; phase += 2)
        send_frame(phase / 2, 1, phase, 240, 0, 0);
    run();
    assert_int_equal(count(PB_EVENT_TDMA, 0), SUPERFRAMES * PHASES);
    for (unsigned k = 0; k < SUPERFRAMES * PHASES; k++) {
        const struct pb_event *edge = find(PB_EVENT_TDMA, 0, -1, k);
        assert_int_equal(edge->tick, phase_tick[k]);
        assert_int_equal(PB_GET(PB_EVENT_TDMA_SYNC, edge->value), k % PHASES == 0);
    }
    assert_int_equal(alarms(), 0);
    assert_int_equal(get(PB_REG_ALARMS), 0);
    assert_null(find(PB_EVENT_FAULT, 0, -1, 0));
}

TEST_ON(a_line_is_stuck_low, open_node, close_rig, stream)
{
    const struct fault stuck = {PB_FAULT_STUCK_LOW, .link = 3,  .phase = 9,      .superframe = 1,
                                .number = 0x1234,   .at = 1000, .length = PERIOD};
    order(1, &stuck);
    run();
    assert_receipts(&stuck);
    assert_int_equal(find(PB_EVENT_EDGE, 3, 0, 0)->tick, tick_of(1, 9, 1000));
    assert_int_equal(find(PB_EVENT_EDGE, 3, 1, 0)->tick, tick_of(1, 10, 1000));
    assert_int_equal(count(PB_EVENT_EDGE, 3), 2);
    assert_true(alarmed(3, PB_ALARM_STUCK, tick_of(1, 10, 0), tick_of(1, 10, 64)));
}

TEST_ON(a_glitch_of_one_tick_has_its_receipt, open_node, close_rig, stream)
{
    const struct fault glitch = {PB_FAULT_GLITCH, .link = 11, .phase = 2, .superframe = 2,
                                 .number = 7,     .at = 2000, .length = 1};
    order(1, &glitch);
    run();
    assert_receipts(&glitch);
    assert_int_equal(find(PB_EVENT_EDGE, 11, 0, 0)->tick, tick_of(2, 2, 2000));
    assert_int_equal(find(PB_EVENT_EDGE, 11, 1, 0)->tick, tick_of(2, 2, 2001));
}

TEST_ON(an_open_line_hears_nothing, open_node, close_rig, stream)
{
    const struct fault open = {PB_FAULT_OPEN,   .link = 1, .phase = 3,
                               .superframe = 1, .at = 100, .length = 4000};
    order(0, &open);
    send_frame(1, 1, 3, 240, 0, 0);
    run();
    assert_receipts(&open);
    assert_int_equal(count(PB_EVENT_EDGE, 1), 0);
    assert_int_equal(count(PB_EVENT_BYTE, 1), 0);
}

TEST_ON(a_short_carries_a_frame_to_the_other_line, open_node, close_rig, stream)
{
    const struct fault fault = {PB_FAULT_SHORT, .link = 2,  .phase = 5,    .superframe = 1,
                                .at = 50,       .other = 8, .length = 4600};
    order(0, &fault);
    send_frame(2, 1, 5, 240, 0, 0);
    run();
    assert_receipts(&fault);
    for (unsigned k = 0; k < 4; k++) {
        const struct pb_event *from = find(PB_EVENT_EDGE, 2, -1, k),
                              *to = find(PB_EVENT_EDGE, 8, -1, k);
        assert_non_null(from);
        assert_non_null(to);
        assert_in_range(to->tick - from->tick, 0, 8);
        assert_int_equal(from->value, to->value);
    }
    assert_int_equal(count(PB_EVENT_EDGE, 8), 4);
}

TEST_ON(a_slow_rise_is_late_by_its_parameter, open_node, close_rig, both_ports)
{
    const struct fault slow = {PB_FAULT_SLOW_RISE, .link = 4,      .phase = 9,     .superframe = 1,
                               .at = 50,           .length = 4600, .parameter = 17};
    order(1, &slow);
    send_frame(4, 1, 9, 240, 0, 0);
    run();
    assert_receipts(&slow);
    /* low 9 bits of 48 ticks, high for one, twice */
    const unsigned at[] = {240, 240 + 432 + 17, 240 + 480, 240 + 480 + 432 + 17};
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(find(PB_EVENT_EDGE, 4, -1, k)->tick, tick_of(1, 9, at[k]));
}

TEST_ON(a_second_driver_is_contention, open_node, close_rig, stream)
{
    const struct fault second = {PB_FAULT_SECOND_DRIVER, .link = 6, .phase = 13,
                                 .superframe = 1,        .at = 700, .length = 300,
                                 .parameter = 30};
    order(0, &second);
    run();
    assert_receipts(&second);
    /* low first: 10 half waves of 30 ticks */
    for (unsigned k = 0; k < 10; k++) {
        const struct pb_event *edge = find(PB_EVENT_EDGE, 6, -1, k);
        assert_int_equal(edge->tick, tick_of(1, 13, 700 + 30 * k));
        assert_int_equal(pb_event_high(edge), k & 1);
    }
}

static void assert_edge_of_clock(unsigned k, uint64_t tick, unsigned sync)
{
    const struct pb_event *edge = find(PB_EVENT_TDMA, 0, -1, k);
    assert_non_null(edge);
    assert_int_equal(edge->tick, tick);
    assert_int_equal(PB_GET(PB_EVENT_TDMA_SYNC, edge->value), sync);
}

TEST_ON(single_edges_of_the_clock_are_moved, open_node, close_rig, both_ports)
{
    const struct fault fault[] = {
        {PB_FAULT_LATE_EDGE, .link = CLOCK, .phase = 3, .superframe = 0, .number = 1, .length = 90},
        {PB_FAULT_EARLY_EDGE, .link = CLOCK, .phase = 6, .superframe = 0, .number = 2, .at = PERIOD - 70,
         .length = 70},
        {PB_FAULT_MISSING_EDGE, .link = CLOCK, .phase = 11, .superframe = 0, .number = 3, .length = HIGH},
        {PB_FAULT_EXTRA_EDGE, .link = CLOCK, .phase = 15, .superframe = 0, .number = 4, .at = 3600,
         .length = 600},
        {PB_FAULT_MISSING_SYNC, .link = CLOCK, .phase = 0, .superframe = 1, .number = 5, .length = PERIOD},
        {PB_FAULT_EXTRA_SYNC, .link = CLOCK, .phase = 4, .superframe = 1, .number = 6, .at = PERIOD - 10,
         .length = 100},
    };
    for (size_t i = 0; i < sizeof fault / sizeof fault[0]; i++)
        order(0, &fault[i]);
    run();
    for (size_t i = 0; i < sizeof fault / sizeof fault[0]; i++)
        assert_receipts(&fault[i]);
    assert_edge_of_clock(3, tick_of(0, 3, 90), 0);
    assert_edge_of_clock(7, tick_of(0, 6, PERIOD - 70), 0);
    assert_edge_of_clock(11, tick_of(0, 12, 0), 0); /* that of phase 11 is missing */
    assert_edge_of_clock(14, tick_of(0, 15, 0), 0);
    assert_edge_of_clock(15, tick_of(0, 15, 3600), 0); /* one too many */
    assert_edge_of_clock(16, tick_of(0, 16, 0), 0);
    assert_edge_of_clock(PHASES, tick_of(1, 0, 0), 0);     /* SYNC is missing */
    assert_edge_of_clock(PHASES + 5, tick_of(1, 5, 0), 1); /* SYNC is doubled */
    assert_true(alarmed(CLOCK, PB_ALARM_PERIOD, tick_of(0, 3, 90), tick_of(0, 3, 160)));
    assert_true(alarmed(CLOCK, PB_ALARM_PERIOD, tick_of(0, 6, 4700), tick_of(0, 7, 64)));
    assert_true(alarmed(CLOCK, PB_ALARM_PERIOD, tick_of(0, 12, 0), tick_of(0, 12, 64)));
    assert_true(alarmed(CLOCK, PB_ALARM_PERIOD, tick_of(0, 15, 3600), tick_of(0, 15, 3664)));
    assert_true(alarmed(CLOCK, PB_ALARM_SYNC, tick_of(1, 0, 0), tick_of(1, 0, 64)));
    assert_true(alarmed(CLOCK, PB_ALARM_SYNC, tick_of(1, 5, 0), tick_of(1, 5, 64)));
}

TEST_ON(jitter_delays_each_edge_within_its_range, open_node, close_rig, stream)
{
    enum { RANGE = 200 };
    const struct fault jitter = {PB_FAULT_JITTER,
                                 .link = CLOCK,
                                 .phase = 0,
                                 .superframe = 1,
                                 .number = 9,
                                 .at = 100,
                                 .length = PHASES * PERIOD,
                                 .parameter = RANGE | 77u << 16};
    order(0, &jitter);
    run();
    assert_receipts(&jitter);
    uint64_t least = RANGE, most = 0, sum = 0;
    for (unsigned k = 0; k < SUPERFRAMES * PHASES; k++) {
        const uint64_t late = find(PB_EVENT_TDMA, 0, -1, k)->tick - phase_tick[k];
        if (k <= PHASES || k > 2 * PHASES) {
            assert_int_equal(late, 0);
            continue;
        }
        assert_in_range(late, 0, RANGE);
        least = late < least ? late : least;
        most = late > most ? late : most;
        sum += late;
    }
    /* 24 draws: six standard deviations of the mean are 71, and all on one side of these has odds below
     * 10^-5. */
    assert_in_range(sum / PHASES, RANGE / 2 - 71, RANGE / 2 + 71);
    assert_true(least < 80 && most > 120);
}

TEST_ON(drift_makes_phases_longer, open_node, close_rig, stream)
{
    /* 100 ppm of 4800 ticks: 0.48 ticks a phase, 31457 / 65536 */
    const struct fault drift = {PB_FAULT_DRIFT, .link = CLOCK, .phase = 0,           .superframe = 0,
                                .number = 10,   .at = 10,      .length = UINT32_MAX, .parameter = 31457};
    order(0, &drift);
    run();
    const uint64_t nominal = (uint64_t)(SUPERFRAMES * PHASES - 1) * PERIOD,
                   total = phase_tick[SUPERFRAMES * PHASES - 1] - phase_tick[0];
    assert_in_range(total - nominal, 33,
                    34); /* 71 phases: 34.08 ticks, rounded down, the first may come too late */
    assert_int_equal(receipt(&drift, BEGAN), tick_of(0, 0, 10));
    receipt(&drift, ENDED);
}

TEST_ON(a_marked_frame_has_receipts_and_a_low_stop_bit, open_node, close_rig, stream)
{
    send_frame(5, 1, 11, 240, PB_FAULT_FRAMING - 15, 0x2345);
    run();
    const struct fault framing = {PB_FAULT_FRAMING, .link = 5, .phase = 11,  .superframe = 1,
                                  .number = 0x2345, .at = 240, .length = 960};
    assert_receipts(&framing);
    assert_true(pb_event_stop_ok(find(PB_EVENT_BYTE, 5, -1, 0)));
    assert_false(pb_event_stop_ok(find(PB_EVENT_BYTE, 5, -1, 1)));
}

TEST_ON(a_late_record_is_thrown_away_and_says_so, open_node, close_rig, stream)
{
    const struct fault first = {PB_FAULT_GLITCH, .link = 0, .phase = 8, .superframe = 1,
                                .number = 1,     .at = 100, .length = 5},
                       late = {PB_FAULT_GLITCH, .link = 0, .phase = 3, .superframe = 1,
                               .number = 2,     .at = 100, .length = 5};
    order(0, &first);
    order(0, &late);
    run();
    assert_receipts(&first);
    receipt(&late, TOO_LATE);
    assert_int_equal(count(PB_EVENT_EDGE, 0), 2);
}

TEST_ON(a_frame_in_a_guard_is_an_alarm, open_node, close_rig, stream)
{
    send_frame(7, 1, 15, 150, 0, 0);
    send_frame(7, 2, 15, PERIOD - 700, 0, 0);
    run();
    assert_true(alarmed(7, PB_ALARM_GUARD, tick_of(1, 15, 150), tick_of(1, 15, 214)));
    assert_true(alarmed(7, PB_ALARM_GUARD, tick_of(2, 15, PERIOD - 200), tick_of(2, 16, 0)));
}

TEST_ON(the_watchdog_makes_a_silent_core_safe, open_node, close_rig, stream)
{
    /* Phases of 10 ms, so that the polls below find no event and take their whole time. */
    put(PB_REG_SUPERFRAME_LIMIT, 0);
    put(PB_REG_PERIOD_TICKS, 480000);
    put(PB_REG_HIGH_TICKS, 240000);
    put(PB_REG_WATCHDOG, 5);
    const struct fault stuck = {PB_FAULT_STUCK_LOW, .link = 3, .at = PERIOD, .length = UINT32_MAX};
    order(0, &stuck);
    put(PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_RUN_LSB);
    /* Polls that send nothing: the keep-alive interval is longer than this watchdog. */
    for (unsigned i = 0; i < 15 && !find(PB_EVENT_ALARM, CLOCK, PB_ALARM_WATCHDOG, 0); i++)
        OK(pb_device_poll(rig->device, 1, &rig->events, &rig->diag));
    OK(pb_device_poll(rig->device, 1, &rig->events, &rig->diag));
    uint32_t status;
    assert_int_equal(pb_device_read(rig->device, PB_REG_STATUS, &status, &rig->diag), 0);
    assert_int_equal(status, 1u << PB_STATUS_TRIPPED_LSB);
    assert_int_equal(get(PB_REG_NODE_RESET), 0);
    assert_int_equal(get(PB_REG_LINK + 3), 0);
    assert_int_equal(get(PB_REG_LINE_LEVEL0) & 0xfff, 0xfff);
    const struct pb_event *pulled = find(PB_EVENT_EDGE, 3, 0, 0),
                          *released = find(PB_EVENT_EDGE, 3, 1, 0);
    assert_non_null(pulled);
    assert_non_null(released);
    /* It was fed last when the run began, PERIOD ticks before the line was pulled. */
    assert_in_range(released->tick - pulled->tick + PERIOD, 5 * 48000 - 1000, 6 * 48000 + 1000);
    assert_true(alarmed(CLOCK, PB_ALARM_WATCHDOG, released->tick - 64, released->tick + 64));
    put(PB_REG_ABORT, 1);
    assert_int_equal(get(PB_REG_STATUS), 0);
}
