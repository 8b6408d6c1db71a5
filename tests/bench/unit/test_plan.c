/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plan: register values, wiring, slot player records, console lines, and what a core cannot do. */
#include "host/plan/frame.h"
#include "tests/bench/unit/plan_fixture.h"

#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

static const struct pb_device_info core12 = {
    .clock_hz = 48000000, .links = 12, .lanes = 3, .nodes = 1, .play_bytes = 2048, .event_buffer = 512};
static const struct pb_device_info core64 = {
    .clock_hz = 24000000, .links = 64, .lanes = 9, .nodes = 16, .play_bytes = 2048, .event_buffer = 512};

static void assert_refused(const char *yaml, const struct pb_device_info *info, const char *cause)
{
    struct pb_scenario *scenario = parse_scenario(yaml);
    static const struct pb_plan empty;
    struct pb_plan plan;
    struct pb_diag diag = {""};
    memset(&plan, 0xA5, sizeof plan);
    assert_int_equal(pb_plan_make(&plan, scenario, info, &diag), PB_ERR_CONFIG);
    if (!strstr(diag.text, cause))
        fail_msg("'%s' does not say '%s'", diag.text, cause);
    assert_null(strchr(diag.text, '\n'));
    assert_null(plan.now.record);
    assert_null(plan.now.bytes);
    assert_null(plan.line);
    assert_int_equal(plan.now.records, empty.now.records);
    assert_int_equal(plan.period_ticks, 0);
    pb_plan_free(&plan);
}

/* ---- registers */

TEST(test_period_is_exact)
{
    static const uint64_t rate_mhz[] = {1000,    1001,     3000,     7777,     60000,    123457,   1000000,
                                        7777000, 10000000, 33333333, 48000001, 99999999, 100000000};
    const struct pb_device_info *const info[] = {&core12, &core64};
    struct pb_scenario *scenario =
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n");
    for (size_t i = 0; i < COUNT(rate_mhz); i++)
        for (size_t k = 0; k < COUNT(info); k++) {
            scenario->phase_rate_mhz = rate_mhz[i];
            struct pb_plan *plan = whole_plan(scenario, info[k]);
            /* (ticks + num / den) * rate == clock, as fractions; no rounding anywhere. */
            const uint64_t period_of_den = (uint64_t)plan->period_ticks * plan->period_den + plan->period_num;
            assert_true((unsigned __int128)period_of_den * rate_mhz[i] ==
                        (unsigned __int128)info[k]->clock_hz * 1000 * plan->period_den);
            assert_true(plan->period_num < plan->period_den);
            /* Widths and ranges of the registers: docs/reference/registers.md. */
            assert_in_range(plan->period_ticks, 64, (1 << 27) - 1);
            assert_in_range(plan->period_den, 1, (1 << 27) - 1);
            assert_in_range(plan->high_ticks, 1, plan->period_ticks - 1);
            assert_int_equal(plan->phase_count, 24);
        }
}

TEST(test_registers_of_the_default_link)
{
    struct pb_plan *plan = whole_plan(
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"), &core12);
    assert_int_equal(plan->period_ticks, 4800);
    assert_int_equal(plan->period_num, 0);
    assert_int_equal(plan->bit_period_q4, 16 * 48);
    assert_int_equal(plan->console_period_q4, 1667); /* 48 MHz / 460800 = 104.167 = 1666.7 / 16 */
    assert_int_equal(plan->head_guard_ticks, 240);   /* 5 us */
    assert_int_equal(plan->link_mask, 0xFFF);
    /* 0x2A3 is 0010 1010 0011: it sends on dimension d in phase 2d + bit d. */
    static const unsigned send_phase[12] = {1, 3, 4, 6, 8, 11, 12, 15, 16, 19, 20, 22};
    for (unsigned link = 0; link < 12; link++)
        assert_int_equal(plan->link_config[link], 1 | send_phase[link] << 16); /* virtual neighbour */
    for (unsigned link = 12; link < 64; link++)
        assert_int_equal(plan->link_config[link], 63 << 16); /* no node there: not watched */
}

/* The bench sends 240 ticks after an external edge, which it sees 8 ticks later; at once when that is too
 * late. */
TEST(test_stimulus_by_an_outside_clock)
{
    static const struct {
        const char *guard;
        unsigned ticks;
    } cases[] = {{"10 us", 232}, {"375 ns", 1}, {"333 ns", 0}, {"200 ns", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *yaml = formatted("clock: {source: external}\nlink: {guard: %s}\n"
                                     "nodes: [{address: 0x2A3, irq_latency: 0 us, irq_jitter: 0 us}]\n"
                                     "traffic: [{from: 0x2A1, to: 0x6A3}]\n",
                                     cases[i].guard);
        struct pb_plan *plan = whole_plan(parse_scenario(yaml), &core12);
        assert_int_equal(plan->head_guard_ticks, cases[i].ticks);
        assert_true(plan->now.records > 0);
        for (size_t r = 0; r < plan->now.records; r++) {
            const uint8_t *record = plan->now.bytes + plan->now.record[r].at;
            assert_int_equal(record[8] | record[9] << 8 | record[10] << 16, cases[i].ticks);
        }
    }
}

struct watch {
    const char *yaml;
    const struct pb_device_info *info;
    unsigned head, tail, tolerance;
    bool follow;
};

TEST(test_limits_of_the_line_watch)
{
#define ONE "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"
#define FED "nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A2, to: 0x91C}]\n"
#define TWO "nodes: [{address: 0x2A3}, {address: 0x2A2}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"
    static const struct watch cases[] = {
        /* 4.9 us are 235.2 ticks, one less than 235; 95 us are 4560, and 1 + 2 */
        {ONE, &core12, 234, 4563, 2, false},
        /* 117.6 ticks; 2280, and 1 + 8 for the joined lines + 2 */
        {TWO, &core64, 116, 2291, 2, false},
        {"link: {guard: 0 us}\n" ONE, &core12, 0, 4803, 2, false},
        {"limits: {start_early: 5 us}\n" ONE, &core12, 0, 4563, 2, false},
        {"link: {head_guard: 8 us}\nlimits: {start_early: 1 us}\n" ONE, &core12, 335, 4707, 2, false},
        /* 28 us are 1344 ticks; a phase of 1/7 ms less 2 us is 6761.14 */
        {"link: {phase_rate: 7 kHz, guard: 30 us, head_guard: 28 us}\nlimits: {start_early: 0 us}\n" ONE,
         &core12, 1343, 6765, 2, false},
        {"clock: {source: external}\n" FED, &core12, 226, 4555, 2, true},
        /* 8 ticks less: an external edge is 8 ticks old when the core counts from it. 20 ppm of 4800 are 0.1
           ticks, 50 ns are 2.4 */
        {"clock: {source: external, error: -20 ppm, jitter: 50 ns}\n" FED, &core12, 226, 4555, 6, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pb_plan *plan = whole_plan(parse_scenario(cases[i].yaml), cases[i].info);
        if (plan->guard_head_ticks != cases[i].head || plan->guard_tail_ticks != cases[i].tail ||
            plan->tolerance_ticks != cases[i].tolerance || plan->follow != cases[i].follow)
            fail_msg("%u %u %u %d for\n%s", plan->guard_head_ticks, plan->guard_tail_ticks,
                     plan->tolerance_ticks, plan->follow, cases[i].yaml);
    }
}

/* Virtual neighbours drive, joined pairs do not. */
TEST(test_push_pull)
{
    struct pb_plan *plan = whole_plan(parse_scenario("link: {drive: push_pull}\n" TWO), &core64);
    assert_int_equal(plan->link_config[0], 2 | 12 << 8 | 1 << 16);
    assert_int_equal(plan->link_config[1], 3 | 3 << 16);
    assert_int_equal(plan->link_config[23], 3 | 22 << 16);
}

/* Boards at 0x2A3 and 0x2A2 are joined on dimension 0: links 0 and 12. */
TEST(test_joined_links_name_each_other)
{
    struct pb_plan *plan = whole_plan(
        parse_scenario("nodes: [{address: 0x2A3}, {address: 0x2A2}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n"),
        &core64);
    assert_int_equal(plan->link_config[0], 2 | 12 << 8 | 1 << 16);
    assert_int_equal(plan->link_config[12], 2 | 0 << 8 | 0 << 16);
    for (unsigned link = 0; link < 24; link++)
        if (link % 12)
            assert_int_equal(plan->link_config[link] & 0xFFFF, 1);
    assert_int_equal(plan->link_config[24], 63 << 16);
    assert_int_equal(plan->link_mask, 0xFFFFFF);
}

/* ---- records */

struct fields {
    unsigned target, count, phase;
    bool immediate;
    uint32_t superframe, offset, bit_period;
    const uint8_t *data;
};

static uint32_t little(const uint8_t *bytes, unsigned count)
{
    return count ? bytes[0] | little(bytes + 1, count - 1) << 8 : 0;
}

/* The layout that rtl/core/pb_player_lane.v reads. */
static struct fields fields_of(const uint8_t *record)
{
    return (struct fields){
        .target = record[0],
        .count = record[1] & 127,
        .immediate = record[1] >> 7,
        .phase = little(record + 2, 2),
        .superframe = little(record + 4, 4),
        .offset = little(record + 8, 3),
        .bit_period = little(record + 11, 3),
        .data = record + 14,
    };
}

/* In a complement superframe the node receives one neighbour on each link, in the phase in which it does not
 * send there. */
TEST(test_records_of_complement)
{
    struct pb_plan *plan = whole_plan(
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement, superframe: 70000}]\n"),
        &core12);
    size_t neighbours = 0;
    for (size_t i = 0; i < plan->now.records; i++) {
        const struct pb_record *record = &plan->now.record[i];
        const struct fields f = fields_of(plan->now.bytes + record->at);
        assert_int_equal(record->length, 14 + f.count);
        assert_int_equal(record->instant, (uint64_t)f.superframe * 24 + f.phase);
        assert_false(f.immediate);
        assert_true(i == 0 || record->instant >= plan->now.record[i - 1].instant);
        assert_true(record->lane < core12.lanes);
        if (f.target & 0x80) {
            assert_int_equal(f.target, 0x80);
            continue;
        }
        /* Arrivals on dimension d come in the phase with the other direction. */
        const unsigned d = f.target, phase = 2 * d + !(0x2A3 >> d & 1);
        assert_int_equal(f.phase, phase);
        assert_int_equal(f.superframe, 70000);
        assert_int_equal(f.offset, 240);
        assert_int_equal(f.bit_period, 768);
        assert_int_equal(f.count, 9);
        /* Dimensions below d are corrected already: the message's source has those of the destination
         * inverted. On arrival at 0x2A3 through d the bits up to d are the destination's, those above the
         * source's, that is the destination's inverted. */
        const uint32_t up_to = (2u << d) - 1, destination = (0x2A3 & up_to) | (~0x2A3u & 0xFFF & ~up_to);
        assert_int_equal(f.data[0], destination & 255);
        assert_int_equal(f.data[1], destination >> 8);
        neighbours++;
    }
    assert_int_equal(neighbours, 12);
    assert_int_equal(plan->now.records, 13); /* and the console line for the node's own message */
    assert_int_equal(plan->lines, 0);
}

/* The node's own message of superframe 2 leaves in phase 1: it may not be in the queue before phase 1 of
 * superframe 1 is over. */
TEST(test_console_record_is_typed_in_its_window)
{
    struct pb_scenario *scenario =
        parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C, superframe: 2}]\n");
    struct pb_plan *plan = whole_plan(scenario, &core12);
    assert_int_equal(plan->now.records, 1);
    const struct fields f = fields_of(plan->now.bytes + plan->now.record[0].at);
    char text[200], typed[200];
    pb_console_send_line(text, sizeof text, scenario, 0, scenario->traffic.message[0].destination);
    snprintf(typed, sizeof typed, "%.*s", (int)f.count, (const char *)f.data);
    strcat(text, "\n");
    assert_string_equal(typed, text);
    assert_int_equal(f.target, 0x80);
    assert_int_equal(f.bit_period, 1667);
    /* The line's last byte, its newline, is complete in the middle of its stop bit: after phase 1 of
     * superframe 1 has begun and the node has decided what to send in it, at most 2 us later, and before
     * superframe 2. */
    const double byte_us = 1e7 / 460800, start_us = (f.superframe * 24 + f.phase) * 100.0 + f.offset / 48.0,
                 end_us = start_us + f.count * byte_us;
    assert_true(end_us - byte_us / 20 > 2502 && end_us < 4800);
}

TEST(test_console_line)
{
    struct pb_scenario *scenario = parse_scenario(
        "link: {payload: 3 bytes}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n");
    uint8_t payload[3];
    char text[200], expected[200];
    pb_payload(scenario, 0, payload);
    snprintf(expected, sizeof expected, "S 91C %02X%02X%02X", payload[0], payload[1], payload[2]);
    pb_console_send_line(text, sizeof text, scenario, 0, scenario->traffic.message[0].destination);
    assert_string_equal(text, expected);
    struct pb_plan *plan = whole_plan(scenario, &core12);
    assert_int_equal(plan->lines, 1);
    assert_int_equal(plan->line[0].node_index, 0);
    assert_string_equal(plan->line[0].text, expected);
    assert_int_equal(plan->now.records, 0);
}

/* 167 characters and the newline: more than the 127 bytes of one record. */
TEST(test_long_console_line_takes_two_records)
{
    struct pb_scenario *scenario =
        parse_scenario("link: {phase_rate: 1 kHz, payload: 80 bytes}\nnodes: [{address: 0x2A3}]\n"
                       "traffic: [{from: 0x2A3, to: 0x91C, superframe: 2}]\n");
    struct pb_plan *plan = whole_plan(scenario, &core12);
    char text[200], typed[400] = "";
    pb_console_send_line(text, sizeof text, scenario, 0, scenario->traffic.message[0].destination);
    strcat(text, "\n");
    double free_us = 0;
    for (size_t i = 0; i < plan->now.records; i++) {
        const struct fields f = fields_of(plan->now.bytes + plan->now.record[i].at);
        const double start_us = (f.superframe * 24 + f.phase) * 1000.0 + f.offset / 48.0;
        assert_false(f.immediate);
        assert_int_equal(plan->now.record[i].lane, plan->now.record[0].lane);
        /* The lane needs its 14 header bytes, one a clock, before it can start. */
        assert_true(start_us >= free_us + 20 / 48.0);
        free_us = start_us + f.count * 1e7 / 460800;
        strncat(typed, (const char *)f.data, f.count);
    }
    assert_int_equal(plan->now.records, 2);
    assert_string_equal(typed, text);
}

TEST(test_immediate_record)
{
    uint8_t record[PB_RECORD_MAX];
    assert_int_equal(pb_record_immediate(record, 0x83, 1667, (const uint8_t *)"I\n", 2), 16);
    const struct fields f = fields_of(record);
    assert_int_equal(f.target, 0x83);
    assert_true(f.immediate);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.bit_period, 1667);
    assert_memory_equal(f.data, "I\n", 2);
}

/* ---- what cannot be done */

TEST(test_baud_out_of_reach)
{
    /* 48 MHz / 8 = 6 Mbaud is the fastest, 24 MHz / 8 = 3 Mbaud. */
    static const char fast[] =
        "link: {baud: 6 Mbaud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n";
    struct pb_plan *plan = whole_plan(parse_scenario(fast), &core12);
    assert_int_equal(plan->bit_period_q4, 128);
    assert_refused(fast, &core64, "use 367 to 3000000 baud");
    assert_refused(
        "link: {baud: 6.1 Mbaud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n", &core12,
        "a link of 6100000 baud");
    /* A bit period has 16 bits of whole ticks. */
    assert_refused("link: {phase_rate: 1 Hz, baud: 700 baud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: "
                   "0x2A3, to: 0x91C}]\n",
                   &core12, "use 733 to 6000000 baud");
    assert_refused(
        "link: {console_baud: 300 baud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
        &core12, "a console of 300 baud");
}

TEST(test_console_too_slow)
{
    /* 19 characters at 9600 baud take 20 ms, a superframe 2.4 ms. */
    assert_refused("link: {console_baud: 9600 baud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: "
                   "0x91C, superframe: 1}]\n",
                   &core12, "the console at 9600 baud is too slow");
}

TEST(test_guard_too_long_for_the_player)
{
    /* 0.4 s are 19.2 million ticks, an offset has 24 bits. */
    assert_refused("link: {phase_rate: 1 Hz, guard: 800 ms}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: "
                   "0x2A3, to: 0x91C}]\n",
                   &core12, "a head guard of 19200000 ticks");
    assert_refused("link: {phase_rate: 1 Hz}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C, "
                   "superframe: 1, phase: 2}]\n",
                   &(const struct pb_device_info){.clock_hz = 150000000, .links = 12, .lanes = 3, .nodes = 1},
                   "a phase of 150000000 ticks is too long");
}

TEST(test_too_many_nodes_for_the_core)
{
    assert_refused("nodes: [{address: 0x2A3}, {address: 0x2A2}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
                   &core12, "it has 12 links and 1 node ports");
}

/* Nine nodes of a 6-cube that all have an even number of ones, so no two are neighbours, and bit 0 set: all
 * receive a virtual neighbour in phase 0. Eight lanes serve links, the ninth the consoles. */
TEST(test_too_many_virtual_neighbours)
{
    static const unsigned address[] = {0x03, 0x05, 0x09, 0x11, 0x21, 0x0F, 0x17, 0x27, 0x1B};
    for (size_t count = 8; count <= 9; count++) {
        char yaml[600] = "cube: {dims: 6}\nlink: {baud: 500 kbaud}\nnodes:\n";
        for (size_t i = 0; i < count; i++)
            snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "  - {address: 0x%X}\n", address[i]);
        strcat(yaml, "traffic: [{pattern: 'xor:1'}]\n");
        if (count == 9) {
            assert_refused(yaml, &core64, "more than 8 virtual neighbours");
            continue;
        }
        struct pb_plan *plan = whole_plan(parse_scenario(yaml), &core64);
        assert_int_equal(plan->now.records, 8);
        unsigned lanes = 0;
        for (size_t i = 0; i < plan->now.records; i++)
            lanes |= 1u << plan->now.record[i].lane;
        assert_int_equal(lanes, 0xFF); /* one each, and the last lane free */
    }
}
