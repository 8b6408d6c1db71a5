/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sentences about phases, forwarding, corrupt frames, queues and routes.
 */
#include "tests/bench/unit/node_sentence.h"

/* ---- phases */


void is_silent_before_sync(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    asks("S 91C 010203040506", "+S 0");
    for (int i = 0; i < 60; i++)
        pins_phase(&pins, first_edge() + i * PERIOD, PERIOD, i == 50);
    pins_run(&pins, first_edge() + 60 * PERIOD);
    assert_false(pulled(&pins, 0, 0, first_edge() + 51 * PERIOD));
    sent(kind, (struct probe){0, 0}, 0, pins.now, first_edge() + 51 * PERIOD, frame_to(0x91C));
    counts(kind, "edges", 60);
    counts(kind, "superframes", 1);
    counts(kind, "alignment_errors", 0);
    close_node(kind);
}

/* TDMA_SYNC is missing in superframe 1: the message, which came in superframe 0 after phase 1, waits. */
void waits_when_sync_is_missing(const struct node_kind *kind)
{
    open_at(kind, 0x2A3);
    for (unsigned i = 0; i < 72; i++)
        pins_phase(&pins, phase_at(0, i), PERIOD, i == 0 || i == 48);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 3), CONSOLE_BIT_PS, "S 91C 010203040506\n", 19);
    pins_run(&pins, phase_at(3, 0));
    assert_false(pulled(&pins, 0, 0, phase_at(2, 0)));
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(2, 1), frame_to(0x91C));
    counts(kind, "superframes", 2);
    counts(kind, "alignment_errors", 1);
    close_node(kind);
}

/* SYNC comes where phase 4 was due and a frame for dimension 2 was ready: the message for dimension 0 goes at
 * once, the other one in the true phase 4. */
void surprising_sync_voids_the_choice(const struct node_kind *kind)
{
    uint8_t frame[9];
    open_at(kind, 0x000);
    pins_phases(&pins, first_edge(), PERIOD, 24, 4);
    pins_phases(&pins, phase_at(0, 4), PERIOD, 24, 24);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 0), CONSOLE_BIT_PS, "S 4\n", 4);
    pins_uart(&pins, PIN_UART0_RX, phase_at(0, 2), CONSOLE_BIT_PS, "S 1\n", 4);
    pins_run(&pins, phase_at(1, 4));
    make_frame(frame, 1, 1, 6, 0, 0);
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(0, 4), frame);
    make_frame(frame, 4, 0, 6, 0, 0);
    sent(kind, (struct probe){0, 2}, 0, pins.now, phase_at(0, 8), frame);
    counts(kind, "alignment_errors", 1);
    close_node(kind);
}

/* Before edge 3 a period and a half passes, and edge 4 comes after half of one. The message for dimension 1
 * leaves after edge 3 (phase 3), that for dimension 2 after edge 5. */
void each_edge_counts_as_one(const struct node_kind *kind)
{
    static const int64_t at[] = {0, 100, 200, 350, 400, 500, 600};
    open_at(kind, 0x2A7);
    asks("S 2A5 010203040506", "+S 0");
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = first_edge();
    for (size_t i = 0; i < COUNT(at); i++)
        pins_phase(&pins, first + at[i] * US, 40 * US, i == 0);
    pins_run(&pins, first + MS);
    sent(kind, (struct probe){0, 2}, 0, pins.now, first + 500 * US, slot_frame(0x2A3, 1, 6));
    assert_true(pulled(&pins, 0, first + 350 * US, first + 400 * US)); /* dimension 1, cut by edge 4 */
    assert_false(pulled(&pins, 0, 0, first + 350 * US));
    counts(kind, "tx_cut", 1);
    counts(kind, "alignment_errors", 0);
    close_node(kind);
}

/* Phase 1 ends in the middle of a frame, 60 us after its edge; nothing of it is in the frame of phase 2. */
void an_early_edge_ends_the_frame(const struct node_kind *kind)
{
    open_at(kind, 0x2A1);
    asks("S 91C 010203040506", "+S 0");
    asks("S 2A3 010203040506", "+S 1");
    const int64_t first = first_edge(), edge = first + PERIOD + 60 * US;
    pins_phase(&pins, first, PERIOD, true);
    pins_phase(&pins, first + PERIOD, 60 * US, false);
    pins_phase(&pins, edge, PERIOD, false);
    pins_run(&pins, edge + 2 * PERIOD);
    assert_true(pulled(&pins, 0, edge - 11 * BIT, edge)); /* the start bit of some byte */
    assert_false(pulled(&pins, 0, edge + kind->release_ps, edge + GUARD - kind->off_ps));
    sent(kind, (struct probe){0, 1}, edge + 2 * US, pins.now, edge, slot_frame(0x2A3, 1, 6));
    counts(kind, "tx_cut", 1);
    close_node(kind);
}

/* ---- forwarding */

/* 0x2A3 sends to 0x2A2 in phase 1, which sends it on along dimension 1 in phase 3. */
void forwards_within_the_superframe(const struct node_kind *kind)
{
    const struct pb_node_config config = config_of(0x2A2);
    open_at(kind, 0x2A3);
    struct pins alone = pins;
    pins_init(&pins, alone.node[0], kind->make(&config));
    pins.first = alone.first;
    free(alone.sample);
    free(alone.change);
    pins_run(&pins, pins.first + kind->boot_ps);
    pins.first = pins.now;
    asks("S 91C 010203040506", "+S 0");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    sent(kind, (struct probe){0, 0}, phase_at(0, 1), phase_at(0, 2), phase_at(0, 1), frame_to(0x91C));
    sent(kind, (struct probe){1, 1}, 0, pins.now, phase_at(0, 3), frame_to(0x91C));
    if (!(kind->bit & SIMPLE)) {
        assert_int_equal(console_counter(&pins, 1, "rx_frames"), 1);
        assert_int_equal(console_counter(&pins, 1, "forwarded"), 1);
        assert_int_equal(console_counter(&pins, 1, "tx_frames"), 1);
        assert_int_equal(console_counter(&pins, 1, "delivered"), 0);
        assert_int_equal(console_counter(&pins, 1, "late_starts"), 0);
    }
    assert_no_trap(kind, pins.node[1]);
    close_node(kind);
}

/* Node 5 receives in phase 0; bit d of its address decides between the phases of dimension d. */
void sends_on_what_is_for_a_neighbour(const struct node_kind *kind)
{
    static const unsigned phase[] = {1, 2, 5, 6};
    open_small(kind, 5);
    const int64_t first = first_edge(), superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 32);
    for (unsigned d = 0; d < 4; d++)
        pins_uart(&pins, PIN_LINE0, first + d * superframe + GUARD, BIT,
                  slot_frame(5 ^ (uint16_t)(1u << d), 7, 6), 9);
    pins_run(&pins, first + 4 * superframe);
    for (int d = 0; d < 4; d++) {
        const int64_t begin = first + d * superframe;
        sent(kind, (struct probe){0, d}, 0, pins.now, begin + phase[d] * PERIOD,
             slot_frame(5 ^ (uint16_t)(1u << d), 7, 6));
    }
    counts(kind, "forwarded", 4);
    counts(kind, "delivered", 0);
    close_node(kind);
}

/* Node 0 receives in phase 1, until just before the edge; the frame leaves in phase 2. */
void leaves_in_the_very_next_phase(const struct node_kind *kind)
{
    enum { ROUNDS = 10 };
    open_small(kind, 0x0);
    const int64_t first = first_edge(), superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 8 * ROUNDS);
    for (unsigned i = 0; i < ROUNDS; i++)
        pins_uart(&pins, PIN_LINE0,
                  first + i * superframe + 2 * PERIOD - kind->job_ps - 90 * BIT - i * 100001, BIT,
                  slot_frame(0xE, (uint8_t)i, 6), 9);
    pins_run(&pins, first + ROUNDS * superframe);
    for (unsigned i = 0; i < ROUNDS; i++)
        sent(kind, (struct probe){0, 1}, first + i * superframe, first + (i + 1) * superframe,
             first + i * superframe + 2 * PERIOD, slot_frame(0xE, (uint8_t)i, 6));
    counts(kind, "forwarded", ROUNDS);
    counts(kind, "late_starts", 0);
    close_node(kind);
}

/* The last of ten bits is sampled about 9.5 bits after the start edge, which is known to a part of a bit: 3
 * % is no error, 8 % is one. The start edge may fall anywhere between two samples. */
void receives_at_any_phase_of_its_samples(const struct node_kind *kind)
{
    static const int percent[] = {-3, -2, -1, 0, 1, 2, 3, -8, 8};
    const unsigned shifts = kind->slow ? 8 : 32, rounds = COUNT(percent) * shifts;
    const int64_t period = 120 * US;
    struct pb_node_config config = config_of(0);
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    config.phase_rate_mhz = 8333333;
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    pins_phases(&pins, first, period, 8, 8 * rounds);
    for (unsigned i = 0; i < rounds; i++)
        pins_uart(&pins, PIN_LINE0, first + (8 * i + 1) * period + GUARD + i % shifts * 3 * BIT / 16 / shifts,
                  BIT + BIT / 100 * percent[i / shifts], slot_frame(0xE, (uint8_t)i % 16, 6), 9);
    pins_run(&pins, first + 8 * rounds * period);
    for (unsigned i = 0; i < rounds; i++) {
        const int64_t begin = first + 8 * i * period;
        if (abs(percent[i / shifts]) > 3)
            assert_false(pulled(&pins, 0, begin, begin + 8 * period));
        else
            sent(kind, (struct probe){0, 1}, begin, begin + 8 * period, begin + 2 * period,
                 slot_frame(0xE, (uint8_t)i % 16, 6));
    }
    close_node(kind);
}

void forwards_frames_of_any_length(const struct node_kind *kind)
{
    struct pb_node_config config = config_of(0);
    uint8_t frame[83];
    config.payload_bytes = 80;
    config.phase_rate_mhz = 1000000;
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    make_frame(frame, 2, 3, 80, 1, 1);
    pins_phases(&pins, first, MS, 24, 4);
    pins_uart(&pins, PIN_LINE0, first + MS + GUARD, BIT, frame, sizeof frame);
    pins_run(&pins, first + 4 * MS);
    sent_within(&pins, (struct probe){0, 1}, 0, pins.now, BIT, frame, sizeof frame, kind->off_ps);
    close_node(kind);
}

/* ---- corrupt frames */

enum corruption { CRC, SOUND, SHORT, LONG, OUTSIDE, OWN, FIRST_STOP, LAST_STOP, LATE, BREAK, CORRUPTIONS };

/* One frame in phase 1 on dimension 0. Returns whether the node forwards it: a longer one as it likes. */
static bool corrupt(const struct node_kind *kind, enum corruption how, unsigned payload, unsigned bit,
                    int64_t edge, int64_t period)
{
    uint8_t frame[100];
    const unsigned destination = how == OUTSIDE ? 0x01A : how == OWN ? 0 : 0xE;
    size_t length = make_frame(frame, destination, 14, payload, 0x80, 37);
    /* LATE: the next edge cuts it. */
    const int64_t start = how == LATE ? edge + period - (int64_t)(10 * length - 15) * US : edge + GUARD;
    frame[length] = 0;
    if (how == CRC)
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    length += how == LONG;
    length -= how == SHORT;
    pins_uart(&pins, PIN_LINE0, start, BIT, frame, length);
    if (how == FIRST_STOP || how == LAST_STOP || how == BREAK) {
        const int64_t stop = start + 9 * BIT + (how == FIRST_STOP ? 0 : (int64_t)(length - 1) * 10 * BIT);
        pins_change(&pins, stop + (how == BREAK ? 2 * BIT : 0), PIN_LINE0, false);
        pins_change(&pins, stop + (how == FIRST_STOP ? BIT - 1 : how == LAST_STOP ? 3 * BIT : 13 * BIT),
                    PIN_LINE0, true);
    }
    return how == SOUND || ((how == LONG || how == BREAK) && !(kind->bit & KIND_REF));
}

static void drops_and_counts_corrupt_frames_of(const struct node_kind *kind, unsigned payload)
{
    const unsigned length = payload + 3, step = 1 + length / 3, flips = (8 * length + step - 1) / step;
    const unsigned rounds = flips + CORRUPTIONS - SOUND;
    const int64_t period = (10 * length + 30) * US;
    struct pb_node_config config = config_of(0);
    bool forwards[500];
    unsigned forwarded = 0;
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    config.payload_bytes = payload;
    config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / period);
    pins_open(&pins, kind, &config);
    const int64_t first = first_edge();
    pins_phases(&pins, first, period, 8, 8 * rounds);
    for (unsigned i = 0; i < rounds; i++)
        forwards[i] = corrupt(kind, i < flips ? CRC : (enum corruption)(SOUND + i - flips), payload, i * step,
                            first + (8 * i + 1) * period, period);
    pins_run(&pins, first + 8 * rounds * period);
    for (unsigned i = 0; i < rounds; i++) {
        const int64_t begin = first + 8 * i * period;
        forwarded += forwards[i];
        if (pulled(&pins, 0, begin, begin + 8 * period) != forwards[i])
            fail_msg("payload %u, frame %d of %u: %s", payload, (int)i - (int)flips, rounds,
                     forwards[i] ? "not forwarded" : "forwarded");
    }
    counts(kind, "rx_crc_errors", flips);
    counts(kind, "rx_length_errors", 1);
    counts(kind, "rx_cut", 2);
    counts(kind, "rx_bad_destinations", 1);
    counts(kind, "rx_framing_errors", 3);
    counts(kind, "delivered", 1);
    counts(kind, "forwarded", forwarded);
    close_node(kind);
}

void drops_and_counts_corrupt_frames(const struct node_kind *kind)
{
    drops_and_counts_corrupt_frames_of(kind, 6);
    drops_and_counts_corrupt_frames_of(kind, 0);
    if (!kind->slow || kind->bit & KIND_REF)
        drops_and_counts_corrupt_frames_of(kind, 80);
}

/* A link that is stuck low costs one framing error a phase; low for less than half a bit it costs nothing. */
void stuck_and_glitching_lines(const struct node_kind *kind)
{
    open_at(kind, 0x2A2);
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_change(&pins, phase_at(0, 1) + 20 * US, PIN_LINE0, false);
    pins_change(&pins, phase_at(0, 2) - 1 * US, PIN_LINE0, true);
    for (int i = 1; i < 8; i++) {
        pins_change(&pins, phase_at(0, 5) + i * 10 * US, PIN_LINE0 + 2, false);
        pins_change(&pins, phase_at(0, 5) + i * 10 * US + i * US / 16, PIN_LINE0 + 2, true);
    }
    pins_run(&pins, phase_at(1, 0));
    assert_false(pulled(&pins, 0, 0, pins.now));
    counts(kind, "rx_framing_errors", 1);
    counts(kind, "rx_cut", 0);
    close_node(kind);
}

/* Node 5 listens in phase 3 on dimension 1 and in phase 4 on dimension 2. */
void late_byte_does_not_spoil_the_next_phase(const struct node_kind *kind)
{
    open_small(kind, 5);
    const int64_t first = first_edge();
    pins_phases(&pins, first, PERIOD, 8, 8);
    pins_uart(&pins, PIN_LINE0 + 1, first + 4 * PERIOD - 4 * US, BIT, "", 1);
    pins_uart(&pins, PIN_LINE0 + 2, first + 4 * PERIOD + GUARD, BIT, slot_frame(13, 3, 6), 9);
    pins_run(&pins, first + 8 * PERIOD);
    assert_false(pulled(&pins, 0, 0, first + 6 * PERIOD));
    sent(kind, (struct probe){0, 3}, 0, pins.now, first + 6 * PERIOD, slot_frame(13, 3, 6));
    close_node(kind);
}

/* ---- queues and routes */

/* Node 5 sends on dimension 0 in phase 1 and on dimension 3 in phase 6. The last message is one too many. */
void queue_is_first_in_first_out_and_bounded(const struct node_kind *kind)
{
    const bool of_dimensions = kind->bit & KIND_REF;
    uint8_t frame[9] = {0};
    open_small(kind, 5);
    for (unsigned i = 0; i <= kind->room; i++)
        asks(formatted("S 4 %02X", i), i < kind->room ? formatted("+S %X", i % 16) : "-full");
    asks("S D EE", of_dimensions ? "+S 0" : "-full");
    const int64_t first = pins.now + MS, superframe = 8 * PERIOD;
    pins_phases(&pins, first, PERIOD, 8, 8 * (kind->room + 2));
    pins_run(&pins, first + (kind->room + 2) * superframe);
    for (unsigned i = 0; i < kind->room + 2; i++) {
        const int64_t begin = first + i * superframe;
        const uint8_t head[] = {4, (uint8_t)(i % 16 << 4), (uint8_t)i};
        memcpy(frame, head, sizeof head); /* padded with 00 */
        seal_frame(frame, 8);
        assert_false(pulled(&pins, 0, begin, begin + PERIOD));
        if (i < kind->room)
            sent(kind, (struct probe){0, 0}, begin, begin + superframe, begin + PERIOD, frame);
        assert_int_equal(pulled(&pins, 0, begin + 2 * PERIOD, begin + superframe), of_dimensions && i == 0);
        assert_int_equal(pulled(&pins, 0, begin + PERIOD, begin + 2 * PERIOD), i < kind->room);
    }
    counts(kind, "queue_drops", 2);
    counts(kind, "max_queue", kind->room);
    counts(kind, "max_stored", kind->room);
    close_node(kind);
}

/* Two queues deep enough that every slot wanders through the console, the receiver and the transmitter: no
 * message may appear in another's place. Node 5 sends on dimension 1 in phase 2, on 3 in phase 6. */
void slots_are_never_shared(const struct node_kind *kind)
{
    enum { MOST = 200 };
    static uint8_t first[MOST][9], third[MOST][9]; /* for dimension 1 (7), for dimension 3 (13), in order */
    const bool of_dimensions = kind->bit & KIND_REF;
    const unsigned prefilled = of_dimensions ? 28 : 16, superframes = kind->slow && !of_dimensions ? 40 : 100;
    unsigned sequence = 0, firsts = 0, thirds = 0;
    open_small(kind, 5);
    for (unsigned i = 0; i < 2 * prefilled; i++) {
        uint8_t *frame = i % 2 ? third[thirds++] : first[firsts++];
        make_frame(frame, i % 2 ? 13 : 7, sequence % 16, 6, i * 11, 37);
        asks(formatted("S %X %02x%02X%02x%02X%02x%02X", frame[0], frame[2], frame[3], frame[4], frame[5],
                       frame[6], frame[7]),
             formatted("+S %X", sequence % 16));
        sequence++;
    }
    const int64_t begin = pins.now + MS, superframe = 8 * PERIOD;
    pins_phases(&pins, begin, PERIOD, 8, 8 * superframes);
    for (unsigned i = 0; i + 1 < superframes; i++) {
        const int64_t start = begin + i * superframe;
        uint8_t *frame = third[thirds++];
        make_frame(frame, 13, i % 16, 6, i * 3, 37);
        pins_uart(&pins, PIN_LINE0, start + 6 * US, BIT, frame, 9);
        frame = first[firsts++];
        make_frame(frame, 7, sequence++ % 16, 6, i * 7 + 50, 37);
        const char *line = formatted("S 7 %02x%02X%02x%02X%02x%02X\n", frame[2], frame[3], frame[4], frame[5],
                                     frame[6], frame[7]);
        pins_uart(&pins, PIN_UART0_RX, start + 320 * US, CONSOLE_BIT_PS, line, strlen(line));
    }
    pins_run(&pins, begin + superframes * superframe);
    for (unsigned i = 0; i < superframes; i++) {
        const int64_t start = begin + i * superframe;
        assert_false(pulled(&pins, 0, start, start + 2 * PERIOD));
        sent(kind, (struct probe){0, 1}, start, start + superframe, start + 2 * PERIOD, first[i]);
        assert_false(pulled(&pins, 0, start + 3 * PERIOD, start + 6 * PERIOD));
        sent(kind, (struct probe){0, 3}, start, start + superframe, start + 6 * PERIOD, third[i]);
        assert_false(pulled(&pins, 0, start + 7 * PERIOD, start + superframe));
    }
    close_node(kind);
}

/* Node 0 gets a message for node 3 in phase 0: e-cube waits for dimension 0, phase 0 of the next superframe;
 * opportunistic crosses dimension 1 in phase 2. */
void opportunistic_takes_the_first_chance(const struct node_kind *kind)
{
    for (int opportunistic = 0; opportunistic < 2; opportunistic++) {
        struct pb_node_config config = config_of(0x000);
        config.rule = opportunistic ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        pins_open(&pins, kind, &config);
        pins_phases(&pins, first_edge(), PERIOD, 24, 48);
        pins_uart(&pins, PIN_UART0_RX, phase_at(0, 0) + 10 * US, CONSOLE_BIT_PS, "S 3 010203\n", 11);
        pins_run(&pins, phase_at(2, 0));
        const int64_t chance = opportunistic ? phase_at(0, 2) : phase_at(1, 0);
        const int64_t start = next_fall(&pins, (struct probe){0, opportunistic}, 0);
        assert_in_range(start, chance + GUARD - kind->off_ps, chance + GUARD + late(kind, BIT));
        assert_false(pulled(&pins, 0, 0, start));
        close_node(kind);
    }
}

/* Node 1 sends in phase 1 and in phase 2: while the first frame is on the line the second is made ready. */
void frames_in_consecutive_phases(const struct node_kind *kind)
{
    open_at(kind, 0x001);
    asks("S 0 010203040506", "+S 0");
    asks("S 3 010203040506", "+S 1");
    pins_phases(&pins, first_edge(), PERIOD, 24, 24);
    pins_run(&pins, phase_at(1, 0));
    sent(kind, (struct probe){0, 0}, 0, pins.now, phase_at(0, 1), slot_frame(0, 0, 6));
    sent(kind, (struct probe){0, 1}, 0, pins.now, phase_at(0, 2), slot_frame(3, 1, 6));
    close_node(kind);
}
