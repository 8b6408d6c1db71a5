/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pins of a node of callbacks. Expected values: every bit boundary and tick from its definition, k / rate
 * with the clock error, in 128 bits; the contract of phasebench/node_callbacks.h. tests/cli/library.sh has
 * whole runs.
 */
#include "bench/nodes/callbacks.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { IDLE = PB_PROCESS_NRST | PB_PROCESS_UART0_RX | 7, TX = PB_PROCESS_UART0_TX };

/* ---- the node: notes what it is called for, and does what the test says at an edge and a timer */

static const struct pb_bench_services *bench;
static int64_t edge_seen, called_at; /* ticks */
static unsigned edges, sent, timers, resets, syncs;
static bool sync_seen;
static unsigned got[64], gots, typed[64], typings; /* byte | framing_ok << 8 */
static void (*at_edge)(void);

static bool create(const struct pb_process_hello *config, const struct pb_bench_services *services)
{
    bench = services;
    return config->codec == PB_PROCESS_SLOT;
}

static void reset(void)
{
    resets++;
}

static void edge(int64_t edge_ticks, bool sync)
{
    edges++;
    edge_seen = edge_ticks;
    sync_seen = sync;
    called_at = bench->now(bench);
    if (at_edge)
        at_edge();
}

static void sync_changed(bool level)
{
    (void)level;
    syncs++;
}

static void link_byte(uint8_t value, bool framing_ok)
{
    got[gots++ % 64] = value | (unsigned)framing_ok << 8;
}

static void link_sent(void)
{
    sent++;
}

static void console_byte(uint8_t value, bool framing_ok)
{
    typed[typings++ % 64] = value | (unsigned)framing_ok << 8;
}

static void timer(void)
{
    timers++;
    called_at = bench->now(bench);
}

static const struct pb_callbacks_node node = {"test",    create,       reset, edge, sync_changed, link_byte,
                                              link_sent, console_byte, timer};

static struct pb_process_hello config_of(uint32_t baud_hz, int32_t clock_ppm)
{
    return (struct pb_process_hello){.version = 1,
                                     .digits = 3,
                                     .radix = {2, 2, 2},
                                     .payload_bytes = 4,
                                     .phase_rate_mhz = 10000000,
                                     .baud_hz = baud_hz,
                                     .console_baud_hz = 460800,
                                     .clock_ppm = clock_ppm,
                                     .head_guard_ps = 5000000,
                                     .irq_latency_ps = 1500000,
                                     .seed = 1};
}

static struct pb_callbacks_port *started(const struct pb_process_hello *config)
{
    int64_t next_ps;
    edges = sent = timers = resets = syncs = gots = typings = 0;
    at_edge = NULL;
    struct pb_callbacks_port *port = pb_callbacks_create(&node, config);
    assert_non_null(port);
    assert_int_equal(pb_callbacks_advance(port, 0, IDLE & ~PB_PROCESS_NRST, &next_ps), TX);
    assert_true(next_ps == INT64_MAX);
    assert_int_equal(resets, 0);
    assert_int_equal(pb_callbacks_advance(port, 1000, IDLE, &next_ps), TX);
    assert_int_equal(resets, 1);
    return port;
}

/* ---- brute force */

/* Begin of period k of a clock with an error: floor(k / rate). */
static int64_t boundary_ps(uint64_t hz, int32_t ppm, uint64_t k)
{
    return (int64_t)((wide)k * 1000000000000 * 1000000 / ((wide)hz * (uint64_t)(1000000 + ppm)));
}

/* The first tick of 48 MHz at or after a time, found by stepping from below. */
static int64_t tick_at(int32_t ppm, int64_t ps)
{
    int64_t tick = (int64_t)((double)ps * 48e-6 * (1 + ppm * 1e-6)) - 2;
    tick = tick < 0 ? 0 : tick;
    while (boundary_ps(48000000, ppm, (uint64_t)tick) < ps)
        tick++;
    return tick;
}

struct change {
    int64_t at_ps;
    uint32_t pins;
};

/* Runs to a time, at the node's own instants and with constant inputs; notes the changes of the outputs. */
static unsigned run(struct pb_callbacks_port *port, int64_t from_ps, int64_t to_ps, uint32_t inputs,
                    struct change *change)
{
    unsigned changes = 0;
    int64_t at_ps = from_ps, next_ps;
    uint32_t pins = pb_callbacks_advance(port, at_ps, inputs, &next_ps);
    while (next_ps <= to_ps) {
        assert_true(next_ps > at_ps);
        at_ps = next_ps;
        const uint32_t now = pb_callbacks_advance(port, at_ps, inputs, &next_ps);
        if (now != pins && change)
            change[changes] = (struct change){at_ps, now};
        changes += now != pins;
        pins = now;
    }
    return changes;
}

static uint8_t frame[9];

static void send_frame(void)
{
    assert_true(bench->link_send(bench, 1, edge_seen + bench->head_guard_ticks, frame, sizeof frame));
}

static const struct {
    uint32_t baud_hz;
    int32_t ppm;
} rates[] = {{1000000, 0}, {1000000, 20000}, {115200, -900}, {300, 50}, {12000000, -20000}, {921600, 1}};

TEST(a_transmission_starts_after_the_guard_and_every_bit_is_at_its_boundary)
{
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        const struct pb_process_hello config = config_of(rates[r].baud_hz, rates[r].ppm);
        const int64_t edge_ps = 777777777;
        struct change change[200];
        struct pb_callbacks_port *port = started(&config);
        int64_t next_ps;
        for (size_t i = 0; i < sizeof frame; i++)
            frame[i] = (uint8_t)(r * 77 + i * 91 + 5);
        at_edge = send_frame;
        assert_int_equal(bench->head_guard_ticks, 240); /* 5 us of 48 MHz */
        assert_int_equal(bench->phase_ticks, 4800);
        assert_int_equal(bench->ports, 3);
        pb_callbacks_advance(port, edge_ps, IDLE | PB_PROCESS_CLK, &next_ps);
        assert_int_equal(edges, 0);
        assert_true(next_ps == edge_ps + config.irq_latency_ps);
        const int64_t tick = tick_at(rates[r].ppm, edge_ps),
                      start_ps = boundary_ps(48000000, rates[r].ppm, (uint64_t)tick + 240);
        const unsigned changes =
            run(port, edge_ps, start_ps + boundary_ps(rates[r].baud_hz, rates[r].ppm, 100),
                IDLE | PB_PROCESS_CLK, change);
        assert_int_equal(edges, 1);
        assert_false(sync_seen);
        assert_true(edge_seen == tick);
        assert_true(called_at == tick_at(rates[r].ppm, edge_ps + config.irq_latency_ps));
        assert_int_equal(sent, 1);
        unsigned at = 0, level = 1;
        for (unsigned k = 0; k < 90; k++) {
            const unsigned place = k % 10, data = frame[k / 10] | 0x100u,
                           bit = place == 0 ? 0 : data >> (place - 1) & 1;
            if (bit == level)
                continue;
            level = bit;
            assert_true(at < changes);
            assert_true(change[at].at_ps == start_ps + boundary_ps(rates[r].baud_hz, rates[r].ppm, k));
            assert_int_equal(change[at++].pins, bit ? TX : TX | 2);
        }
        assert_int_equal(at, changes);
        pb_callbacks_free(port);
    }
}

static void listen_to_1(void)
{
    bench->link_listen(bench, 1);
}

/* Bytes of a sender whose clock is off by 3 % are received; link 0 is not listened to. */
TEST(bytes_are_received_from_the_link_that_is_selected)
{
    for (int32_t off_ppm = -30000; off_ppm <= 30000; off_ppm += 30000) {
        const struct pb_process_hello config = config_of(1000000, 500);
        struct pb_callbacks_port *port = started(&config);
        int64_t next_ps, at_ps = 3000000;
        at_edge = listen_to_1;
        pb_callbacks_advance(port, at_ps, IDLE | PB_PROCESS_CLK, &next_ps);
        run(port, at_ps, at_ps + 2000000, IDLE | PB_PROCESS_CLK, NULL);
        at_ps += 2000000;
        for (unsigned value = 0; value < 256; value += 15) {
            /* An even byte has no stop bit. */
            const unsigned line = (value | (value % 2 ? 0x100u : 0)) << 1, was = gots;
            for (unsigned bit = 0; bit < 13; bit++) {
                const bool level = bit > 9 || (line >> bit & 1);
                const uint32_t inputs = (IDLE & ~2u & ~1u) | PB_PROCESS_CLK | (level ? 2 : 0) | (bit % 2);
                const int64_t next_bit_ps = at_ps + boundary_ps(1000000, off_ppm, 1);
                run(port, at_ps, next_bit_ps - 1, inputs, NULL);
                at_ps = next_bit_ps;
            }
            assert_int_equal(gots, was + 1);
            assert_int_equal(got[was % 64], value | (value % 2 ? 0x100u : 0));
        }
        pb_callbacks_free(port);
    }
}

static int64_t wanted_ticks;

static void set_timer(void)
{
    bench->timer_set(bench, wanted_ticks);
}

TEST(the_timer_is_called_once_at_its_tick_also_over_an_alignment)
{
    const struct pb_process_hello config = config_of(1000000, -700);
    struct pb_callbacks_port *port = started(&config);
    int64_t next_ps;
    at_edge = set_timer;
    wanted_ticks = 100000;
    pb_callbacks_advance(port, 5000000, IDLE | PB_PROCESS_CLK, &next_ps);
    run(port, 5000000, 7000000, IDLE | PB_PROCESS_CLK, NULL);
    pb_callbacks_advance(port, 7000000, IDLE, &next_ps);
    assert_true(next_ps == boundary_ps(48000000, -700, 100000));
    run(port, 7000000, INT64_C(3000000000), IDLE, NULL);
    assert_int_equal(timers, 1);
    assert_true(called_at == 100000);
    /* A past time: the next tick. */
    wanted_ticks = 5;
    pb_callbacks_advance(port, INT64_C(3000000000), IDLE | PB_PROCESS_CLK, &next_ps);
    run(port, INT64_C(3000000000), INT64_C(3002000000), IDLE | PB_PROCESS_CLK, NULL);
    assert_int_equal(timers, 2);
    assert_true(called_at == tick_at(-700, INT64_C(3001500000)) + 1);
    /* Ticks go on over the start of the phase clock, whose next tick is 7 ns later. */
    const int64_t before = bench->now(bench);
    pb_callbacks_align(port, INT64_C(4000000000));
    const int64_t after = bench->now(bench), span = tick_at(-700, INT64_C(4000000000));
    assert_true(after >= before && after == span);
    wanted_ticks = after + 48000;
    pb_callbacks_advance(port, INT64_C(4000000000), IDLE, &next_ps);
    pb_callbacks_advance(port, INT64_C(4000000001), IDLE | PB_PROCESS_CLK, &next_ps);
    run(port, INT64_C(4000000001), INT64_C(4001600000), IDLE | PB_PROCESS_CLK, NULL);
    assert_true(called_at > after);
    pb_callbacks_advance(port, INT64_C(4001600000), IDLE | PB_PROCESS_CLK, &next_ps);
    const int64_t due_ps = INT64_C(4000000000) + 7000 + boundary_ps(48000000, -700, 48000);
    assert_in_range(next_ps, due_ps - 1, due_ps + 1);
    pb_callbacks_free(port);
}

static void release_links(void)
{
    assert_true(bench->link_release(bench) == (edges == 2));
    if (edges == 1)
        send_frame();
}

TEST(an_edge_can_cut_a_transmission_and_reset_ends_all)
{
    const struct pb_process_hello config = config_of(1000000, 0);
    struct pb_callbacks_port *port = started(&config);
    int64_t next_ps;
    memset(frame, 0, sizeof frame);
    at_edge = release_links;
    pb_callbacks_advance(port, 10000000, IDLE | PB_PROCESS_CLK, &next_ps);
    run(port, 10000000, 30000000, IDLE | PB_PROCESS_CLK, NULL);
    pb_callbacks_advance(port, 30000000, IDLE, &next_ps);
    assert_int_equal(pb_callbacks_advance(port, 31000000, IDLE | PB_PROCESS_CLK | PB_PROCESS_SYNC, &next_ps),
                     TX | 2);
    assert_int_equal(syncs, 1);
    assert_int_equal(pb_callbacks_advance(port, 32500000, IDLE | PB_PROCESS_CLK | PB_PROCESS_SYNC, &next_ps),
                     TX);
    assert_true(sync_seen);
    assert_int_equal(edges, 2);
    assert_int_equal(sent, 0);
    bench->console_write(bench, "\0\0\0", 3);
    assert_int_equal(pb_callbacks_advance(port, 33000000, IDLE | PB_PROCESS_CLK, &next_ps), 0);
    assert_int_equal(pb_callbacks_advance(port, 34000000, PB_PROCESS_CLK, &next_ps), TX);
    assert_true(next_ps == INT64_MAX);
    assert_int_equal(pb_callbacks_advance(port, 35000000, IDLE | PB_PROCESS_CLK, &next_ps), TX);
    assert_int_equal(resets, 2);
    assert_true(next_ps == INT64_MAX);
    pb_callbacks_free(port);
}

/* What the console sends is received by the console of a second node. */
TEST(the_console_sends_in_order_and_refuses_what_has_no_room)
{
    static char text[PB_BENCH_CONSOLE_MAX + 1];
    const struct pb_process_hello config = config_of(1000000, 0);
    struct pb_callbacks_port *port = started(&config);
    const struct pb_bench_services *first = bench;
    struct pb_callbacks_port *other = started(&config);
    int64_t at_ps = 2000, next_ps, other_ps;
    unsigned wanted = 0;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7);
    assert_false(first->console_write(first, text, sizeof text));
    assert_true(first->console_write(first, text, sizeof text - 1));
    assert_false(first->console_write(first, text, 1));
    for (uint32_t out = TX; wanted < PB_BENCH_CONSOLE_MAX; at_ps = next_ps < other_ps ? next_ps : other_ps) {
        out = pb_callbacks_advance(port, at_ps, IDLE, &next_ps);
        pb_callbacks_advance(other, at_ps, out & TX ? IDLE : IDLE & ~PB_PROCESS_UART0_RX, &other_ps);
        assert_true(next_ps != INT64_MAX || other_ps != INT64_MAX || typings == PB_BENCH_CONSOLE_MAX);
        for (; wanted < typings; wanted++)
            assert_int_equal(typed[wanted % 64], (uint8_t)text[wanted] | 0x100);
    }
    pb_callbacks_free(port);
    pb_callbacks_free(other);
}

TEST(the_latency_is_within_the_jitter_and_a_refusal_is_kept)
{
    struct pb_process_hello config = config_of(1000000, 0);
    config.irq_jitter_ps = 500000;
    struct pb_callbacks_port *port = started(&config);
    int64_t least = INT64_MAX, most = 0, next_ps;
    for (int64_t i = 1; i <= 1000; i++) {
        const int64_t edge_ps = i * 100000000;
        pb_callbacks_advance(port, edge_ps, IDLE | PB_PROCESS_CLK, &next_ps);
        least = next_ps - edge_ps < least ? next_ps - edge_ps : least;
        most = next_ps - edge_ps > most ? next_ps - edge_ps : most;
        run(port, edge_ps, edge_ps + 3000000, IDLE | PB_PROCESS_CLK, NULL);
        pb_callbacks_advance(port, edge_ps + 50000000, IDLE, &next_ps);
    }
    assert_int_equal(edges, 1000);
    assert_in_range(least, 1500000, 1520000);
    assert_in_range(most, 1980000, 2000000);
    pb_callbacks_free(port);
    config.codec = PB_PROCESS_STARC;
    assert_null(pb_callbacks_create(&node, &config));
    config.codec = PB_PROCESS_SLOT;
    config.baud_hz = 299;
    assert_null(pb_callbacks_create(&node, &config));
}

/* ---- look-ahead: a node that calls services at random, with changes passed on at once and late */

enum { EVENTS = 4000, NOTES_MAX = 200000 };

static struct change heard[EVENTS]; /* inputs */
static struct note {
    int64_t ticks;
    unsigned what;
} notes[2][NOTES_MAX];
static unsigned noted[2], pass;
static struct change outputs[2][NOTES_MAX];
static unsigned shown[2];

static void note(unsigned what)
{
    static const uint8_t bytes[] = {0x00, 0x55, 0xff, 0x5a, 0x01};
    assert_true(noted[pass] < NOTES_MAX);
    notes[pass][noted[pass]++] = (struct note){bench->now(bench), what};
    switch (below(8)) {
    case 0:
        bench->link_send(bench, 2, bench->now(bench) + below(900), bytes, 1 + below(sizeof bytes));
        break;
    case 1:
        bench->link_listen(bench, below(2));
        break;
    case 2:
        bench->link_release(bench);
        break;
    case 3:
        bench->console_write(bench, "+answer", 1 + below(7));
        break;
    case 4:
        bench->timer_set(bench, bench->now(bench) + below(3000));
        break;
    }
}

static void note_reset(void)
{
    note(1);
}
static void note_edge(int64_t edge_ticks, bool sync)
{
    note(2 + sync + 8 * (unsigned)edge_ticks);
}
static void note_sync(bool level)
{
    note(4 + level);
}
static void note_byte(uint8_t value, bool framing_ok)
{
    note(0x100 + value + 0x200 * framing_ok);
}
static void note_sent(void)
{
    note(6);
}
static void note_typed(uint8_t value, bool framing_ok)
{
    note(0x1000 + value + 0x200 * framing_ok);
}
static void note_timer(void)
{
    note(7);
}

/* Changes of one input: bytes at 1 Mbaud and other widths, on each line in turn; edges of the clock; a few
 * resets. Widths go down to less than a sample of the receivers. */
static void make_inputs(uint64_t seed)
{
    static const int64_t widths_ps[] = {1000000, 1000000, 1000000, 1000000, 30000, 500000, 2170139, 9000000};
    uint32_t pins = IDLE;
    int64_t at_ps = 1000000;
    random_state = seed;
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned kind = below(40);
        pins ^= !(pins & PB_PROCESS_NRST) ? (unsigned)PB_PROCESS_NRST
                : kind < 24  ? 1u << below(2)
                : kind < 30  ? (unsigned)PB_PROCESS_UART0_RX
                : kind < 36  ? (unsigned)PB_PROCESS_CLK
                : kind < 38  ? (unsigned)PB_PROCESS_SYNC
                : below(9)    ? (unsigned)PB_PROCESS_BOOT0
                             : (unsigned)PB_PROCESS_NRST;
        heard[i] = (struct change){at_ps, pins};
        at_ps += widths_ps[below(sizeof widths_ps / sizeof widths_ps[0])] + below(below(4) ? 1 : 1000);
    }
}

static void show(int64_t at_ps, uint32_t pins)
{
    if (shown[pass] && outputs[pass][shown[pass] - 1].pins == pins)
        return;
    assert_true(shown[pass] < NOTES_MAX);
    outputs[pass][shown[pass]++] = (struct change){at_ps, pins};
}

/* The node is called at each change and at each time that it asks for. */
static void tell_at_once(struct pb_callbacks_port *port)
{
    int64_t next_ps = 0;
    uint32_t inputs = IDLE;
    for (unsigned i = 0; i < EVENTS; i++) {
        while (next_ps < heard[i].at_ps) {
            const int64_t at_ps = next_ps;
            show(at_ps, pb_callbacks_advance(port, at_ps, inputs, &next_ps));
        }
        inputs = heard[i].pins;
        if (i == EVENTS / 2)
            pb_callbacks_align(port, heard[i].at_ps);
        show(heard[i].at_ps, pb_callbacks_advance(port, heard[i].at_ps, inputs, &next_ps));
    }
}

/* The node is called as docs/start/your-firmware.md says of ADVANCE and ANSWER. Returns the number of
 * exchanges. */
static unsigned tell_late(struct pb_callbacks_port *port)
{
    static struct pb_process_change schedule[PB_PROCESS_CHANGES_MAX];
    struct pb_process_answer answer = {.wake_ps = 0};
    uint32_t inputs = IDLE;
    unsigned exchanges = 0, told = 0, played = 0;
    for (unsigned i = 0; i < EVENTS;) {
        const bool scheduled = played < answer.count;
        int64_t at_ps = scheduled && schedule[played].at_ps < answer.wake_ps ? schedule[played].at_ps
                                                                             : answer.wake_ps;
        at_ps = heard[i].at_ps < at_ps ? heard[i].at_ps : at_ps;
        while (played < answer.count && schedule[played].at_ps <= at_ps) {
            show(schedule[played].at_ps, schedule[played].pins);
            played++;
        }
        bool urgent = at_ps >= answer.wake_ps;
        const bool changed = heard[i].at_ps == at_ps;
        if (changed) {
            const uint32_t was = inputs;
            inputs = heard[i].pins;
            urgent |= (inputs & ~was & answer.urgent_rise) || (was & ~inputs & answer.urgent_fall) ||
                      i == EVENTS / 2;
        }
        if (urgent) {
            int64_t next_ps;
            for (; told < i; told++)
                pb_callbacks_advance(port, heard[told].at_ps, heard[told].pins, &next_ps);
            if (changed && i == EVENTS / 2)
                pb_callbacks_align(port, at_ps);
            told = changed ? i + 1 : i;
            answer = (struct pb_process_answer){.pins = pb_callbacks_advance(port, at_ps, inputs, &next_ps)};
            show(at_ps, answer.pins);
            answer.wake_ps = next_ps;
            answer.urgent_rise = answer.urgent_fall = PB_PROCESS_INPUTS;
            pb_callbacks_ahead(port, &answer, schedule);
            assert_true(answer.wake_ps > at_ps && answer.count <= PB_PROCESS_CHANGES_MAX);
            played = 0;
            exchanges++;
        }
        i += changed;
    }
    return exchanges;
}

TEST(a_node_that_is_told_late_calls_the_same_handlers_and_shows_the_same_outputs)
{
    static const struct pb_callbacks_node all = {"chance",  create,    note_reset, note_edge, note_sync,
                                                 note_byte, note_sent, note_typed, note_timer},
                                          few = {"chance", create, note_reset, note_edge, NULL,
                                                 NULL,     NULL,   note_typed, NULL};
    unsigned late = 0, calls = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct pb_process_hello config = config_of(seed % 3 ? 1000000 : 460800, (int32_t)(seed * 37) - 600);
        config.push_pull = seed % 2;
        config.irq_jitter_ps = 700000;
        make_inputs(seed);
        for (pass = 0; pass < 2; pass++) {
            noted[pass] = shown[pass] = 0;
            random_state = seed;
            struct pb_callbacks_port *port = pb_callbacks_create(seed % 4 ? &all : &few, &config);
            assert_non_null(port);
            if (pass)
                late += tell_late(port);
            else
                tell_at_once(port);
            pb_callbacks_free(port);
        }
        calls += noted[0];
        assert_int_equal(noted[0], noted[1]);
        for (unsigned i = 0; i < noted[0]; i++)
            assert_true(notes[0][i].ticks == notes[1][i].ticks && notes[0][i].what == notes[1][i].what);
        assert_int_equal(shown[0], shown[1]);
        for (unsigned i = 0; i < shown[0]; i++)
            assert_true(outputs[0][i].at_ps == outputs[1][i].at_ps &&
                        outputs[0][i].pins == outputs[1][i].pins);
    }
    printf("# %u handlers in %u exchanges\n", calls, late);
    assert_true(calls > 40 * 500);
}
