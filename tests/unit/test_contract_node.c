/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sound contract node beyond the scripts of test_contract_defects.c: its clock, its receiver, both codecs
 * and rules, push-pull, its limits; and side by side with the firmware, which was written from the same page:
 * the same random stimulus must give the same frames, answers and counters.
 *
 * evidence: contract node
 *   a third node, written from the numbered sentences of docs/node.md: the same frames, answers and
 *   counters as the firmware on random traffic; each sentence has a defect visible at the pins
 *   also: test_contract_defects, test_contract_table
 */
#include "phasebench/error.h"
#include "phasebench/random.h"
#include "tests/unit/contract_log.h"
#include "tests/unit/tests.h"

#include <math.h>

#define TICK INT64_C(31250) /* of the node, 32 MHz */

static struct log seen;

/* Edge k of a frame lies k bits of the node's own clock after the start, to a picosecond; the start is the
 * head guard, in ticks of that clock, after the first tick at or after the edge. 0x0A, 0x00: falls and rises
 * at bits 0, 2, 3, 4, 5, 9, 10, 19. */
TEST(edges_lie_on_bit_boundaries)
{
    static const int32_t ppm[] = {0, 100, -250, 20000, -20000};
    static const uint32_t baud[] = {1000000, 921600, 2900000, 4800};
    static const int edge[] = {0, 2, 3, 4, 5, 9, 10, 19};
    for (size_t p = 0; p < COUNT(ppm); p++)
        for (size_t b = 0; b < COUNT(baud); b++) {
            struct pb_node_config config = log_config();
            config.clock_ppm = ppm[p];
            config.baud_hz = baud[b];
            config.phase_rate_mhz = 10000;
            const int64_t period = 100 * MS;
            struct pins pins;
            pins_init(&pins, pb_node_contract_create(&config, NULL), NULL);
            assert_string_equal(console_ask(&pins, 0, "S A 0102\n"), "+S 0");
            pins_phases(&pins, FIRST, period, PHASES, 2);
            pins_run(&pins, FIRST + 2 * period);
            const struct probe probe = {0, 0};
            const int64_t start = next_fall(&pins, probe, FIRST + period);
            const double rate = 1 + ppm[p] / 1e6;
            const double guard = (double)GUARD / rate;
            assert_true((double)(start - FIRST - period) > guard - 2);
            assert_true((double)(start - FIRST - period) < guard + 2 * (double)TICK / rate + 2);
            for (size_t i = 0; i < COUNT(edge); i++) {
                const int64_t at = start + (int64_t)floor(edge[i] * 1e12 / (baud[b] * rate));
                const bool level = i % 2;
                assert_int_equal(level_at(&pins, probe, at - 2), i == 0 || !level);
                assert_int_equal(level_at(&pins, probe, at + 2), level);
            }
            pins_free(&pins);
        }
}

/* One frame to 7 in phase 0 by a neighbour whose bits have another length, `shift` after the head guard; true
 * when it leaves in phase 2. */
static bool forwards(const struct pb_node_config *config, int64_t bit_ps, int64_t shift)
{
    struct pins pins;
    struct decoded decoded;
    uint8_t frame[FRAME];
    log_frame(frame, 0x7, 1, 0xA5, 0x00);
    pins_init(&pins, pb_node_contract_create(config, NULL), NULL);
    pins_phases(&pins, FIRST, PERIOD, PHASES, 3);
    pins_uart(&pins, PIN_LINE0, FIRST + GUARD + shift, bit_ps, frame, FRAME);
    pins_run(&pins, FIRST + 3 * PERIOD);
    decode_uart(&pins, (struct probe){0, 1}, BIT, FIRST + 2 * PERIOD, FIRST + 3 * PERIOD, &decoded);
    const bool same = decoded.length == FRAME && !memcmp(decoded.byte, frame, FRAME);
    assert_true(same || decoded.length == 0);
    pins_free(&pins);
    return same;
}

/* The last of ten bits is sampled 9.5 +- 1/16 bits after the start, which is known to 1/16 bit: an error of
 * the rate up to (0.5 - 1/8) / 9.5 = 3.9 % has no effect, from (0.5 + 1/8) / 9.5 = 6.6 % on it is not. */
TEST(receives_at_any_phase_of_its_samples)
{
    const struct pb_node_config config = log_config();
    for (int shift = 0; shift < 32; shift++)
        for (int percent = -3; percent <= 3; percent++)
            assert_true(forwards(&config, BIT + BIT / 100 * percent, shift * BIT / 16 / 32 * 3));
    assert_false(forwards(&config, BIT + BIT / 100 * 8, 0));
    assert_false(forwards(&config, BIT - BIT / 100 * 8, 0));
}

/* A line that is low for less than half a bit is no start bit; low before the phase is none, either. */
TEST(pulses_are_no_bytes)
{
    const struct pb_node_config config = log_config();
    for (int sixteenth = 1; sixteenth <= 7; sixteenth++) {
        log_open(&seen, pb_node_contract_create(&config, NULL));
        log_superframes(&seen, 8);
        pins_change(&seen.pins, seen.edge[0] + GUARD, PIN_LINE0, false);
        pins_change(&seen.pins, seen.edge[0] + GUARD + sixteenth * BIT / 16, PIN_LINE0, true);
        log_play(&seen, FIRST + 8 * PERIOD);
        assert_int_equal(console_counter(&seen.pins, 0, "rx_framing_errors"), 0);
        assert_int_equal(console_counter(&seen.pins, 0, "rx_cut"), 0);
        log_close(&seen);
    }
    /* Stuck low through the phase: one byte without a stop bit. */
    log_open(&seen, pb_node_contract_create(&config, NULL));
    log_superframes(&seen, 8);
    pins_change(&seen.pins, seen.edge[0] + GUARD, PIN_LINE0, false);
    pins_change(&seen.pins, seen.edge[1], PIN_LINE0, true);
    log_play(&seen, FIRST + 8 * PERIOD);
    assert_int_equal(console_counter(&seen.pins, 0, "rx_framing_errors"), 1);
    log_close(&seen);
}

/* CRC-16/CCITT-FALSE of 00 04 0A 00 01 02, by binascii.crc_hqx of Python. */
TEST(starc_frame)
{
    static const uint8_t frame[] = {0xAA, 0x00, 0x04, 0x0A, 0x00, 0x01, 0x02, 0xFC, 0xCE};
    struct pb_node_config config = log_config();
    struct decoded decoded;
    config.codec = PB_NODE_CODEC_STARC;
    log_open(&seen, pb_node_contract_create(&config, NULL));
    log_ask(&seen, "S A 0102");
    log_superframes(&seen, 8);
    log_play(&seen, FIRST + 8 * PERIOD);
    decode_uart(&seen.pins, (struct probe){0, 0}, BIT, FIRST + PERIOD, FIRST + 2 * PERIOD, &decoded);
    assert_int_equal(decoded.length, sizeof frame);
    assert_memory_equal(decoded.byte, frame, sizeof frame);
    log_close(&seen);
}

/* 0xA differs from 5 in every bit: with `opportunistic` a message typed in phase 1 leaves in phase 2. */
TEST(opportunistic_takes_the_first_chance)
{
    struct pb_node_config config = log_config();
    config.rule = PB_NODE_OPPORTUNISTIC;
    log_open(&seen, pb_node_contract_create(&config, NULL));
    log_superframes(&seen, 8);
    pins_uart(&seen.pins, PIN_UART0_RX, seen.edge[1] + 5 * US, CONSOLE_BIT_PS, "S A 0102\n", 9);
    log_play(&seen, FIRST + 8 * PERIOD);
    assert_string_equal(seen.text, "e2 d1 +5.0 0A 00 01 02 87\nuart +S 0\n");
    log_close(&seen);
}

/* Driven high from the start of the frame to the end of its last stop bit, and never against a pull. */
TEST(push_pull_drives_while_it_sends)
{
    struct pb_node_config config = log_config();
    config.push_pull = true;
    for (int native = 0; native < 2; native++) {
        log_open(&seen, native ? pb_node_native_create(&config) : pb_node_contract_create(&config, NULL));
        log_ask(&seen, "S A 0102");
        log_superframes(&seen, 8);
        log_play(&seen, FIRST + 8 * PERIOD);
        const int64_t start = next_fall(&seen.pins, (struct probe){0, 0}, FIRST);
        for (size_t i = 0; i < seen.pins.samples; i++) {
            const struct sample *sample = &seen.pins.sample[i];
            const bool sends = sample->ps >= start && sample->ps < start + 10 * FRAME * BIT;
            assert_int_equal(sample->high[0] | sample->pull[0], sends ? 1 : 0);
        }
        log_close(&seen);
    }
}

/* The handler runs 8 us after the edge, 3 us after the head guard: the frame starts then, and is counted. */
TEST(latency_beyond_the_guard_is_late)
{
    struct pb_node_config config = log_config();
    config.irq_latency_ps = 8 * US;
    log_open(&seen, pb_node_contract_create(&config, NULL));
    log_ask(&seen, "S A 0102");
    log_superframes(&seen, 8);
    log_play(&seen, FIRST + 8 * PERIOD);
    assert_non_null(strstr(seen.text, "e1 d0 +8.0 0A 00 01 02 87\n"));
    assert_int_equal(console_counter(&seen.pins, 0, "late_starts"), 1);
    log_close(&seen);
}

/* An idle node asks for no call: there is one for each edge of TDMA_CLK. */
TEST(few_calls)
{
    const struct pb_node_config config = log_config();
    struct pins pins;
    pins_init(&pins, pb_node_contract_create(&config, NULL), NULL);
    pins_phases(&pins, FIRST, PERIOD, PHASES, 800);
    pins_run(&pins, FIRST + 800 * PERIOD);
    /* Edges rise and fall, and the handler comes 1 us later. */
    assert_in_range(pins.calls, 3 * 800, 3 * 800 + 10);
    pins_free(&pins);
}

/* ---- side by side with the firmware */

static uint64_t below(uint64_t *random, uint64_t bound)
{
    return pb_splitmix64(random) % bound;
}

static void random_neighbour(struct log *log, uint64_t *random, unsigned edge, unsigned dimension)
{
    uint8_t frame[FRAME + 2];
    size_t count = FRAME;
    const uint8_t outside = below(random, 10) == 0 ? 0x10 : 0;
    log_frame(frame, (uint8_t)(below(random, 16) | outside), (uint8_t)below(random, 16),
              (uint8_t)below(random, 256), (uint8_t)below(random, 256));
    switch (below(random, 8)) {
    case 0:
        frame[below(random, FRAME)] ^= (uint8_t)(1 + below(random, 255));
        break;
    case 1:
        count = 1 + below(random, FRAME - 1);
        break;
    case 2:
        frame[FRAME] = (uint8_t)below(random, 256);
        frame[FRAME + 1] = (uint8_t)below(random, 256);
        count = FRAME + 1 + below(random, 2);
        break;
    default:
        break;
    }
    log_neighbour(log, edge, (int)dimension, frame, count);
}

/* 12 superframes: frames in three listening phases of four, messages typed at random times, and now and then
 * a TDMA_SYNC that is missing or out of turn, or an extra edge in mid-phase and in the middle of a bit, since
 * the clocks of the two nodes have other ticks. */
static void play_random(struct log *log, uint64_t seed)
{
    uint64_t random = seed;
    unsigned bench_phase = 0;
    for (unsigned i = 0; i < 12 * PHASES; i++, bench_phase = (bench_phase + 1) % PHASES) {
        const int64_t at = FIRST + i * PERIOD;
        const bool strange = below(&random, 60) == 0;
        const unsigned edge = log_edge(log, at, (bench_phase == 0) != strange);
        const unsigned dimension = bench_phase / 2;
        const bool listens = (ADDRESS >> dimension & 1) != (bench_phase & 1);
        if (listens && below(&random, 4) > 0)
            random_neighbour(log, &random, edge, dimension);
        else if (below(&random, 60) == 0)
            log_edge(log, at + (int64_t)(20 + below(&random, 40)) * US + US / 2, false);
        if (below(&random, 10) == 0) {
            char line[24];
            const int length = snprintf(line, sizeof line, "S %X %02X\n", (unsigned)below(&random, 18),
                                        (unsigned)below(&random, 256));
            /* 11 bytes at most; the next one may come in the next phase but one. */
            if (bench_phase % 2 == 0)
                pins_uart(&log->pins, PIN_UART0_RX, at + (int64_t)below(&random, 50) * US, BIT, line,
                          (size_t)length);
        }
    }
    log_play(log, FIRST + 12 * PHASES * PERIOD);
    log_counters(log);
}

TEST(the_firmware_does_the_same)
{
    static struct log firmware;
    size_t frames = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct pb_node_config config = log_config();
        config.rule = seed % 2 ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        log_open(&seen, pb_node_contract_create(&config, NULL));
        log_open(&firmware, pb_node_native_create(&config));
        play_random(&seen, seed);
        play_random(&firmware, seed);
        if (strcmp(seen.text, firmware.text) != 0)
            fail_msg("seed %d: contract\n%sfirmware\n%s", (int)seed, seen.text, firmware.text);
        for (const char *at = seen.text; (at = strstr(at, " +5.0 ")); at++)
            frames++;
        log_close(&seen);
        log_close(&firmware);
    }
    assert_true(frames > 120 * 20);
}

/* ---- limits */

TEST(configuration_limits)
{
#define REFUSED(change, key)                                                                                 \
    do {                                                                                                     \
        struct pb_node_config config = log_config();                                                         \
        struct pb_diag diag = {""};                                                                          \
        change;                                                                                              \
        assert_null(pb_node_contract_create(&config, NULL));                                                 \
        assert_int_equal(pb_node_contract_check(&config, NULL, &diag), PB_ERR_CONFIG);                       \
        assert_non_null(strstr(diag.text, key));                                                             \
        assert_non_null(strstr(diag.text, "give "));                                                         \
    } while (0)
    REFUSED(config.digits = 0, "links of the network: 0");
    REFUSED(config.digits = 13, "links of the network: 0");
    REFUSED(config.address = 16, "address: 16");
    REFUSED(config.payload_bytes = 81, "link.payload in bytes: 81");
    REFUSED((config.codec = PB_NODE_CODEC_STARC, config.payload_bytes = 79), "give 0 to 78");
    REFUSED(config.phase_rate_mhz = 999, "link.phase_rate");
    REFUSED(config.baud_hz = 299, "link.baud: 299");
    REFUSED(config.console_baud_hz = 12000001, "link.console_baud: 12000001");
    REFUSED(config.head_guard_ps = -1, "link.head_guard");
    REFUSED(config.clock_ppm = 100001, "clock_error");
    REFUSED(config.irq_latency_ps = -1, "irq_latency");
    REFUSED(config.irq_jitter_ps = -1, "irq_jitter");
#undef REFUSED
}

TEST(defect_limits)
{
    static const struct {
        struct pb_contract_setting setting;
        const char *says;
    } one[] = {
        {{.defect = PB_CONTRACT_FLIPPED_BIT, .amount_ps = US}, "'flipped_bit' has no amount"},
        {{.defect = PB_CONTRACT_BOOT_PULL, .from = 1}, "'boot_pull' acts before"},
        {{.defect = PB_CONTRACT_RESET_PULL, .every = PB_DEFECT_ONCE}, "'reset_pull' acts before"},
        {{.defect = PB_CONTRACT_RESET_PULL, .port = 1}, "'reset_pull' acts before"},
        {{.defect = PB_CONTRACT_LATE_START, .amount_ps = -1}, "defect_amount"},
        {{.defect = PB_CONTRACT_LATE_START, .amount_ps = 1000001 * US}, "defect_amount"},
        {{.defect = PB_CONTRACT_LATE_START, .port = PB_NODE_LINKS_MAX + 1}, "defect_port"},
        {{.defect = PB_CONTRACT_LATE_START, .after = PB_DEFECT_AFTERS}, "defect_after"},
    };
    const struct pb_node_config config = log_config();
    for (size_t i = 0; i < COUNT(one); i++) {
        struct pb_diag diag = {""};
        assert_null(pb_node_contract_create(&config, &one[i].setting));
        assert_int_equal(pb_node_contract_check(&config, &one[i].setting, &diag), PB_ERR_CONFIG);
        assert_non_null(strstr(diag.text, one[i].says));
    }
}

/* What the other kinds cannot do has a cause, too, at the very limits of docs/node.md and
 * rtl/node/ref_node.v: a bit of 8 clocks of 16 MHz on a link, of 16 on the console, to the nearest sixteenth
 * of a clock. */
TEST(other_kinds_name_their_limits)
{
    struct pb_node_config config = log_config();
    struct pb_diag diag = {""};
    config.baud_hz = 2007844;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text, "link.baud: 2007844 is out of range for kind 'ref'; give 245 to 2007843");
    config.baud_hz = 2007843;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_OK);
    config.console_baud_hz = 1001957;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "link.console_baud: 1001957 is out of range for kind 'ref'; give 245 to 1001956");
    config.console_baud_hz = 245;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_OK);
    config.rule = PB_NODE_OPPORTUNISTIC;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "cube.rule"));
    config.rule = PB_NODE_ECUBE;
    config.codec = PB_NODE_CODEC_STARC;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "link.codec"));
    config.payload_bytes = 79;
    assert_int_equal(pb_node_native_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "link.payload in bytes: 79 is out of range for kind 'native'; give 0 to 78");
}
