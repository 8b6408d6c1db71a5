/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * host/link/device.c and the Verilated core together, through both host ports and both shapes of the
 * simulated rig. The node on the rig is held in reset, so every line is pulled by the slot player alone: what
 * was played must be received again, at the ticks that the record's offset and bit period demand.
 *
 * evidence: FPGA core
 *   simulated: its modules in Icarus (4-state), the whole core in Icarus and Verilator with identical host
 *   bytes; registers, host ports, faults and watchdog tick by tick through the host driver
 *   also: make rtl-check, test_core_faults
 */
#include "tests/bench/unit/device_fixture.h"

#include <string.h>

enum { PERIOD_TICKS = 4800, BYTES = 3, LINKS_MAX = 64 };

struct setup {
    const char *url;
    unsigned boards; /* one gives the core with 12 links, two that with 64 */
};
static struct setup stream = {"sim:", 1}, uart = {"sim:?port=uart", 1}, wide = {"sim:", 2},
                    wide_uart = {"sim:?port=uart", 2};
static const struct variant all_rigs[] = {{"stream", &stream},
                                          {"uart", &uart},
                                          {"64 links", &wide},
                                          {"64 links, uart", &wide_uart},
                                          {0}},
                            both_ports[] = {{"stream", &stream}, {"uart", &uart}, {0}};

static int open_loop(void **state)
{
    const struct setup *setup = *state;
    open_rig(formatted("traffic: [{from: 0x2A3, to: 0x91C}]\nnodes: [{address: 0x2A3}%s]\n",
                       setup->boards == 1 ? "" : ", {address: 0x2A2}"),
             setup->url);
    put(PB_REG_NODE_RESET, 0xffff);
    return 0;
}

/* Polls until the clock has stopped and nothing has come for a while. */
static void run_to_end(void)
{
    put(PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB);
    for (unsigned polls = 0; get(PB_REG_CTRL) & 1u << PB_CTRL_RUN_LSB; polls++) {
        assert_true(polls < 100000);
        OK(pb_device_poll(rig->device, 1, &rig->events, &rig->diag));
    }
    for (unsigned quiet = 0; quiet < 3;) {
        const int count = pb_device_poll(rig->device, 1, &rig->events, &rig->diag);
        OK(count);
        quiet = count ? 0 : quiet + 1;
    }
}

TEST_ON(identifies_itself, open_loop, close_rig, all_rigs)
{
    const struct setup *setup = *state;
    assert_int_equal(rig->info->map_hash, PB_MAP_HASH);
    assert_int_equal(rig->info->clock_hz, setup->boards == 1 ? 48000000 : 24000000);
    assert_int_equal(rig->info->links, setup->boards == 1 ? 12 : 64);
    assert_int_equal(rig->info->lanes, setup->boards == 1 ? 3 : 9);
    assert_int_equal(rig->info->nodes, setup->boards == 1 ? 1 : 16);
    assert_true(rig->info->play_bytes >= 256 && rig->info->event_buffer >= 64);
    assert_int_equal(get(PB_REG_ID), PB_ID_VALUE);
}

/* ---- the register map */
static void walk(const char *name, unsigned address, char access, uint32_t reset,
                 unsigned width)
{
    const uint32_t mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
    const uint32_t patterns[] = {0, 0xffffffffu, 0x5a5a5a5au, 0xa5a5a5a5u, reset};
    const uint32_t first = get(address);
    /* Held by open_loop or on its way. */
    if (access == 'W' && address != PB_REG_NODE_RESET && first != reset)
        fail_msg("%s resets to 0x%08x, not 0x%08x", name, first, reset);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        uint32_t pattern = patterns[i];
        if (address == PB_REG_CTRL)
            pattern &= ~(1u << PB_CTRL_RUN_LSB); /* the clock must not start here */
        put(address, pattern);
        const uint32_t value = get(address);
        if (access == 'W' && value != (pattern & mask))
            fail_msg("%s reads 0x%08x after 0x%08x was written", name, value, pattern);
        if ((access == 'C' || (access == 'R' && address != PB_REG_STAMP)) && value != first)
            fail_msg("%s reads 0x%08x, not 0x%08x, after a write", name, value, first);
        if (access == 'S' && value)
            fail_msg("strobe %s reads 0x%08x", name, value);
    }
}

TEST_ON(registers_behave_as_the_map_says, open_loop, close_rig, all_rigs)
{
    static const struct {
        const char *name;
        unsigned address, count;
        char access;
        uint32_t reset;
        unsigned width;
    } map[] = {
#define ROW(name, address, count, access, reset, width) {#name, address, count, access, reset, width},
        PB_REG_LIST(ROW)
#undef ROW
    };
    for (size_t r = 0; r < sizeof map / sizeof map[0]; r++)
        for (unsigned i = 0; i < (map[r].count ? map[r].count : 1); i++) {
            if (i < rig->info->links || !map[r].count)
                walk(map[r].name, map[r].address + i, map[r].access, map[r].reset, map[r].width);
            else { /* a core with fewer links has fewer words */
                put(map[r].address + i, 0xffffffffu);
                assert_int_equal(get(map[r].address + i), 0);
            }
        }
    /* No write may have reached another register. */
    for (size_t r = 0; r < sizeof map / sizeof map[0]; r++)
        if (map[r].access == 'W')
            for (unsigned i = 0; i < (map[r].count ? map[r].count : 1); i++)
                assert_int_equal(get(map[r].address + i), map[r].reset);
    assert_int_equal(get(PB_REG_LINE_LEVEL0), 0xffffffffu);
    assert_int_equal(get(PB_REG_LINE_LEVEL1), 0xffffffffu);
    assert_int_equal(get(PB_REG_EVENTS_LOST), 0);
    assert_int_equal(get(PB_REG_PACKETS_BAD), 0);
    assert_int_equal(get(PB_REG_PACKETS_LOST), 0);
    assert_int_equal(get(PB_REG_SUPERFRAME), 0);
    const uint32_t stamp = get(PB_REG_STAMP);
    const uint32_t ahead = get(PB_REG_STAMP) - stamp;
    assert_true(ahead > 10 && ahead < 20000);
    /* Addresses without a register. */
    for (unsigned address = 0x060; address < 0x070; address++) {
        put(address, 0xffffffffu);
        assert_int_equal(get(address), 0);
    }
}

TEST_ON(many_words_in_one_call, open_loop, close_rig, all_rigs)
{
    uint32_t out[LINKS_MAX], in[LINKS_MAX];
    for (unsigned i = 0; i < LINKS_MAX; i++)
        out[i] = (i * 0x0702u + 1) & 0x3f03u;
    OK(pb_device_write_many(rig->device, PB_REG_LINK, out, rig->info->links, &rig->diag));
    OK(pb_device_read_many(rig->device, PB_REG_LINK, in, rig->info->links, &rig->diag));
    for (unsigned i = 0; i < rig->info->links; i++)
        assert_int_equal(
            in[i], out[i] & ((PB_LINK_PARTNER_MASK << PB_LINK_PARTNER_LSB) | PB_LINK_MODE_MASK | 0xfcu));
}

/* ---- loopback through the slot player */
struct played {
    unsigned link, phase;
    uint32_t offset, period_q4;
    uint8_t data[BYTES];
};

static void play(unsigned lane, const struct played *frame)
{
    uint8_t record[PB_PLAY_RECORD_BYTES + BYTES] = {0};
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, frame->link);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, BYTES);
    PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, frame->phase);
    PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, frame->offset);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, frame->period_q4);
    bool taken = false;
    unsigned room;
    memcpy(record + PB_PLAY_RECORD_BYTES, frame->data, BYTES);
    OK(pb_device_play(rig->device, lane, record, sizeof record, &taken, &room, &rig->diag));
    assert_true(taken);
}

/* The bit that is on the line in the j-th bit time of a frame. */
static bool line_bit(const struct played *frame, unsigned j)
{
    return j % 10 == 9 || (j % 10 && frame->data[j / 10] >> (j % 10 - 1) & 1);
}

static const struct pb_event *next_of(size_t *at, unsigned kind, unsigned link)
{
    for (; *at < rig->events.count; ++*at)
        if (rig->events.event[*at].kind == kind && rig->events.event[*at].link == link)
            return &rig->events.event[(*at)++];
    return NULL;
}

TEST_ON(what_is_played_is_heard, open_loop, close_rig, all_rigs)
{
    struct played frame[LINKS_MAX];
    uint64_t start[LINKS_MAX];
    const unsigned links = rig->info->links;
    put(PB_REG_PHASE_COUNT, links);
    put(PB_REG_PERIOD_TICKS, PERIOD_TICKS);
    put(PB_REG_PERIOD_NUM, 2);
    put(PB_REG_PERIOD_DEN, 7);
    put(PB_REG_SUPERFRAME_LIMIT, 2);
    put(PB_REG_EDGE_MASK0, 0xffffffffu);
    put(PB_REG_EDGE_MASK1, 0xffffffffu);
    put(PB_REG_BYTE_MASK0, 0xffffffffu);
    put(PB_REG_BYTE_MASK1, 0xffffffffu);
    const uint32_t period_q4 = 771; /* 48 3/16 ticks */
    put(PB_REG_BIT_PERIOD, period_q4);
    for (unsigned i = 0; i < links; i++) {
        frame[i] = (struct played){
            i, i, i * 37, period_q4, {(uint8_t)(i * 29 + 1), (uint8_t)(0xff - i), (uint8_t)(i * 85)}};
        put(PB_REG_LINK + i, 1);
        play(i % rig->info->lanes, &frame[i]);
    }
    run_to_end();

    size_t at = 0;
    for (unsigned phase = 0; phase < 2 * links; phase++) {
        const struct pb_event *event = next_of(&at, PB_EVENT_PHASE, 0);
        assert_non_null(event);
        assert_int_equal(pb_event_phase(event), phase % links);
        assert_int_equal(pb_event_superframe(event), phase / links);
        if (phase < links)
            start[phase] = event->tick;
        assert_int_equal(event->tick, start[0] + phase * PERIOD_TICKS + phase * 2 / 7);
    }
    assert_null(next_of(&at, PB_EVENT_PHASE, 0));

    for (unsigned i = 0; i < links; i++) {
        const uint64_t from = start[frame[i].phase] + frame[i].offset;
        const struct pb_event *event;
        at = 0;
        for (unsigned b = 0; b < BYTES; b++) {
            event = next_of(&at, PB_EVENT_BYTE, i);
            assert_non_null(event);
            assert_int_equal(pb_event_data(event), frame[i].data[b]);
            assert_true(pb_event_stop_ok(event));
            /* The receiver counts from the start edge of each byte, which lies on a whole tick. */
            assert_int_equal(event->tick, from + 10 * b * period_q4 / 16 + 19 * period_q4 / 32);
        }
        assert_null(next_of(&at, PB_EVENT_BYTE, i));
        at = 0;
        bool level = true;
        for (unsigned j = 0; j < 10 * BYTES; j++) {
            if (line_bit(&frame[i], j) == level)
                continue;
            level = !level;
            event = next_of(&at, PB_EVENT_EDGE, i);
            assert_non_null(event);
            assert_int_equal(pb_event_high(event), level);
            /* The bench changes a pin at the edge of its clock. */
            assert_int_equal(pb_event_half(event), PB_HALF_FIRST);
            assert_int_equal(event->tick, from + j * period_q4 / 16);
        }
        assert_null(next_of(&at, PB_EVENT_EDGE, i));
    }
    at = 0;
    assert_null(next_of(&at, PB_EVENT_UNDERRUN, 0));
    assert_int_equal(rig->events.event[0].kind, PB_EVENT_CLOCK);
    assert_int_equal(rig->events.event[0].tick, start[0]);
    for (size_t i = 1; i < rig->events.count; i++)
        assert_int_equal(rig->events.event[i].sequence, rig->events.event[i - 1].sequence + 1);
    struct pb_device_counters counters;
    pb_device_counters(rig->device, &counters);
    assert_int_equal(counters.retries, 0);
    assert_int_equal(counters.packets_bad, 0);
    assert_int_equal(counters.packets_stray, 0);
    assert_int_equal(counters.event_packets_missing, 0);
}

TEST_ON(masks_modes_and_capture_select, open_loop, close_rig, both_ports)
{
    const struct played frame[] = {
        {3, 0, 100, 160, {1, 2, 3}}, {5, 1, 100, 160, {4, 5, 6}}, {6, 2, 100, 160, {7, 8, 9}}};
    put(PB_REG_PHASE_COUNT, 4);
    put(PB_REG_PERIOD_TICKS, PERIOD_TICKS);
    put(PB_REG_SUPERFRAME_LIMIT, 1);
    put(PB_REG_BIT_PERIOD, 160);
    put(PB_REG_EDGE_MASK0, 1u << 3);
    put(PB_REG_BYTE_MASK0, 1u << 5 | 1u << 6);
    put(PB_REG_LINK + 3, 1);
    put(PB_REG_LINK + 5, 1); /* link 6 stays listen only */

    /* Capture off: the run takes place, no event comes. */
    for (unsigned i = 0; i < 3; i++)
        play(0, &frame[i]);
    put(PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB);
    for (unsigned polls = 0; get(PB_REG_CTRL); polls++)
        assert_true(polls < 5000);
    OK(pb_device_poll(rig->device, 2, &rig->events, &rig->diag));
    assert_int_equal(rig->events.count, 0);

    for (unsigned i = 0; i < 3; i++)
        play(0, &frame[i]);
    run_to_end();
    unsigned edges[16] = {0}, bytes[16] = {0};
    for (size_t i = 0; i < rig->events.count; i++) {
        edges[rig->events.event[i].link % 16] += rig->events.event[i].kind == PB_EVENT_EDGE;
        bytes[rig->events.event[i].link % 16] += rig->events.event[i].kind == PB_EVENT_BYTE;
    }
    assert_true(edges[3] > 6 && !edges[5] && !edges[6]);
    assert_true(!bytes[3] && bytes[5] == BYTES && !bytes[6]);
}

TEST_ON(late_records_are_reported, open_loop, close_rig, both_ports)
{
    put(PB_REG_PHASE_COUNT, 4);
    put(PB_REG_SUPERFRAME_LIMIT, 1);
    put(PB_REG_LINK + 2, 1);
    put(PB_REG_BYTE_MASK0, 1u << 2);
    put(PB_REG_BIT_PERIOD, 160);
    const struct played first = {2, 3, 10, 160, {1, 2, 3}}, late = {2, 1, 5, 160, {4, 5, 6}};
    play(0, &first);
    play(0, &late); /* after the first in the same lane */
    play(1, &late);
    run_to_end();
    size_t at = 0;
    const struct pb_event *event = next_of(&at, PB_EVENT_UNDERRUN, 0);
    assert_non_null(event);
    assert_int_equal(pb_event_phase(event), 1);
    assert_int_equal(pb_event_superframe(event), 0);
    assert_null(next_of(&at, PB_EVENT_UNDERRUN, 0));
    at = 0;
    for (unsigned b = 0; b < 2 * BYTES; b++) {
        event = next_of(&at, PB_EVENT_BYTE, 2);
        assert_non_null(event);
        assert_int_equal(pb_event_data(event), b < BYTES ? late.data[b] : first.data[b - BYTES]);
    }
}

TEST_ON(full_lane_takes_all_or_nothing, open_loop, close_rig, both_ports)
{
    uint8_t bytes[249] = {0, 100, 0, 0, 0xff}; /* waits for a superframe that does not come */
    unsigned room = rig->info->play_bytes, before;
    bool taken = true;
    for (unsigned polls = 0; taken; polls++) {
        assert_true(polls < 100);
        before = room;
        OK(pb_device_play(rig->device, 1, bytes, sizeof bytes, &taken, &room, &rig->diag));
        assert_int_equal(taken, before >= sizeof bytes);
    }
    assert_int_equal(room, before);
    OK(pb_device_play(rig->device, 1, bytes, room, &taken, &room, &rig->diag));
    assert_true(taken);
    assert_int_equal(room, 0);
    OK(pb_device_play(rig->device, 0, bytes, 1, &taken, &room, &rig->diag)); /* another lane has its own */
    assert_true(taken);
    put(PB_REG_ABORT, 1);
    OK(pb_device_play(rig->device, 1, bytes, 1, &taken, &room, &rig->diag));
    assert_true(taken && room >= rig->info->play_bytes - 1);
    assert_int_equal(pb_device_play(rig->device, 0, bytes, 0, &taken, &room, &rig->diag), PB_ERR_ARGUMENT);
    assert_int_equal(pb_device_play(rig->device, 0, bytes, 250, &taken, &room, &rig->diag), PB_ERR_ARGUMENT);
    /* A lane that is not there is refused and breaks nothing. */
    assert_int_equal(pb_device_play(rig->device, rig->info->lanes, bytes, 1, &taken, &room, &rig->diag),
                     PB_ERR_LINK);
    assert_int_equal(get(PB_REG_ID), PB_ID_VALUE);
}

TEST_ON(the_nodes_console_answers, open_loop, close_rig, both_ports)
{
    put(PB_REG_NODE_RESET, 0);
    const char line[] = "I\n";
    const uint32_t period_q4 = (uint32_t)((uint64_t)rig->info->clock_hz * 16 / 460800);
    put(PB_REG_CONSOLE_PERIOD, period_q4);
    put(PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB);
    uint8_t record[PB_PLAY_RECORD_BYTES + sizeof line - 1] = {0};
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, PB_PLAY_TARGET_CONSOLE);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, sizeof line - 1);
    PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, 1);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, period_q4);
    bool taken;
    unsigned room;
    memcpy(record + PB_PLAY_RECORD_BYTES, line, sizeof line - 1);
    OK(pb_device_play(rig->device, rig->info->lanes - 1, record, sizeof record, &taken, &room, &rig->diag));
    char answer[128];
    size_t length = 0;
    for (unsigned polls = 0; polls < 50 && (!length || answer[length - 1] != '\n'); polls++) {
        rig->events.count = 0;
        OK(pb_device_poll(rig->device, 1, &rig->events, &rig->diag));
        for (size_t i = 0; i < rig->events.count && length < sizeof answer - 1; i++)
            if (rig->events.event[i].kind == PB_EVENT_CONSOLE)
                answer[length++] = (char)pb_event_data(&rig->events.event[i]);
    }
    answer[length] = 0;
    assert_non_null(strstr(answer, "addr=2A3"));
}

/* ---- credits, sequence numbers, loss */
TEST_ON(no_event_without_credit, open_loop, close_rig, both_ports)
{
    struct pb_device_counters counters;
    put(PB_REG_PERIOD_TICKS, 64);
    put(PB_REG_HIGH_TICKS, 32);
    put(PB_REG_SUPERFRAME_LIMIT, 4);
    put(PB_REG_CTRL, 3);
    for (unsigned i = 0; i < 100; i++)
        get(PB_REG_STAMP);
    pb_device_counters(rig->device, &counters);
    assert_int_equal(counters.event_packets, 0);
    for (unsigned polls = 0; polls < 20; polls++)
        OK(pb_device_poll(rig->device, 1, &rig->events, &rig->diag));
    assert_int_equal(rig->events.count, 4 * 24 * 2 + 2); /* phases, edges of TDMA_CLK, start and stop */
    pb_device_counters(rig->device, &counters);
    assert_true(counters.event_packets >= 4);
}

/* More events than the link can carry: each is either delivered or counted, and the numbers fit. */
TEST_ON(every_event_is_delivered_or_counted, open_loop, close_rig, all_rigs)
{
    const struct setup *setup = *state;
    const unsigned frames = setup == &stream ? 3000 : 200; /* 3000 need several grants of credit */
    put(PB_REG_PERIOD_TICKS, 64);
    put(PB_REG_HIGH_TICKS, 32);
    put(PB_REG_SUPERFRAME_LIMIT, frames);
    run_to_end();
    uint64_t lost = 0, phases = 0, edges = 0, clocks = 0;
    for (size_t i = 0; i < rig->events.count; i++) {
        const struct pb_event *event = &rig->events.event[i];
        phases += event->kind == PB_EVENT_PHASE;
        edges += event->kind == PB_EVENT_TDMA;
        clocks += event->kind == PB_EVENT_CLOCK;
        lost += event->kind == PB_EVENT_OVERFLOW ? event->value : 0;
        if (event->kind == PB_EVENT_PHASE && lost == 0)
            assert_int_equal(pb_event_phase(event) + 24 * pb_event_superframe(event),
                             (phases - 1) % (24 * 8192));
        if (i)
            assert_int_equal(event->sequence, rig->events.event[i - 1].sequence + 1 +
                                                  (event->kind == PB_EVENT_OVERFLOW ? event->value : 0));
    }
    assert_int_equal(phases + edges + clocks + lost, frames * 24 * 2 + 2);
    assert_int_equal(lost, get(PB_REG_EVENTS_LOST));
    if (setup == &stream)
        assert_int_equal(lost, 0);
    else if (setup == &uart)
        assert_true(lost > 0);
}

TEST_ON(abort_and_close_make_safe, open_loop, close_rig, both_ports)
{
    put(PB_REG_LINK + 4, 1);
    put(PB_REG_CTRL, 1);
    uint8_t record[PB_PLAY_RECORD_BYTES + 1] = {0}; /* a bit of 65,536 ticks */
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, 4);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, 1);
    PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, 1);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, PB_PLAY_RECORD_PERIOD_MASK);
    bool taken;
    unsigned room;
    OK(pb_device_play(rig->device, 0, record, sizeof record, &taken, &room, &rig->diag));
    for (unsigned i = 0; i < 3; i++)
        get(PB_REG_STAMP);
    assert_int_equal(get(PB_REG_LINE_LEVEL0), ~(1u << 4));
    assert_int_equal(get(PB_REG_STATUS) & 1, 1);
    put(PB_REG_ABORT, 1);
    assert_int_equal(get(PB_REG_LINE_LEVEL0), 0xffffffffu);
    assert_int_equal(get(PB_REG_STATUS), 0);
    assert_int_equal(get(PB_REG_CTRL), 0);
}
