/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node at its pins, sound and with each of its defects. A script plays a stimulus; what a sound
 * node does then is written down in contract_cases.h, worked out by hand from docs/node.md (contract_log.h
 * explains the lines). A defect differs from it in the lines listed at it, and in no other.
 *
 * The node is 0x5 of the 4-cube: it sends on dimension 0 in phase 1, 1 in 2, 2 in 5, 3 in 6, and listens in
 * phases 0, 3, 4, 7.
 */
#include "tests/bench/unit/contract_log.h"
#include "tests/bench/unit/node_programs.h"
#include "tests/bench/unit/tests.h"

enum script { OWN, FORWARD, BAD, SYNC, CLOCK, CUT, FULL, RESET, CONSOLE, MODES, SCRIPTS };

/* ---- scripts */

/* Three messages of the node: to 0xA on dimension 0, to 4 on dimension 0, to 0xD on dimension 3. */
static void play_own(struct log *log)
{
    log_ask(log, "S A 0102");
    log_ask(log, "S 4 0304");
    log_ask(log, "S D 05");
    log_superframes(log, 24);
    log_play(log, FIRST + 24 * PERIOD);
    log_counters(log);
}

static void receive(struct log *log, unsigned edge, int dimension, uint8_t destination, uint8_t sequence)
{
    uint8_t frame[FRAME];
    log_frame(frame, destination, sequence, 0x11, 0x22);
    log_neighbour(log, edge, dimension, frame, FRAME);
}

/* Messages through the node (one of them for the very next phase), one for it, and one of its own that comes
 * while another waits for the same dimension. */
static void play_forward(struct log *log)
{
    log_superframes(log, 32);
    receive(log, 0, 0, 0x7, 1);
    receive(log, 3, 1, 0x4, 2);
    receive(log, 4, 2, 0x1, 3);
    receive(log, 7, 3, 0x5, 4);
    receive(log, 12, 2, 0xD, 15);
    pins_uart(&log->pins, PIN_UART0_RX, log->edge[5], CONSOLE_BIT_PS, "S 6 0607\n", 9);
    log_play(log, FIRST + 32 * PERIOD);
    log_counters(log);
}

/* The last of `count` bytes has a low stop bit. */
static void without_stop(struct log *log, unsigned edge, int dimension, const uint8_t *bytes, size_t count)
{
    log_neighbour(log, edge, dimension, bytes, count - 1);
    const int64_t last = log->edge[edge] + GUARD + 10 * (int64_t)(count - 1) * BIT;
    pins_change(&log->pins, last, PIN_LINE0 + dimension, false);
    for (int bit = 0; bit < 8; bit++)
        pins_change(&log->pins, last + (1 + bit) * BIT, PIN_LINE0 + dimension, bytes[count - 1] >> bit & 1);
    pins_change(&log->pins, last + 9 * BIT, PIN_LINE0 + dimension, false);
    pins_change(&log->pins, last + 10 * BIT, PIN_LINE0 + dimension, true);
}

/* A wrong check value, a low stop bit, a frame without its last byte, one with a byte too many, and one for
 * an address outside the cube. Then check values that are wrong in bits 0 and 7, in a frame for the node, and
 * by a destination bit beyond the cube; a correct one under the highest destination bit; a low stop bit after
 * two bytes, and a frame of three. */
static void play_bad(struct log *log)
{
    uint8_t frame[FRAME + 1];
    log_superframes(log, 24);
    log_frame(frame, 0x7, 1, 0x11, 0x22);
    frame[FRAME - 1] ^= 0x80;
    log_neighbour(log, 0, 0, frame, FRAME);

    log_frame(frame, 0x4, 2, 0x11, 0x22);
    without_stop(log, 3, 1, frame, FRAME);

    log_frame(frame, 0x1, 3, 0x11, 0x22);
    log_neighbour(log, 4, 2, frame, FRAME - 1);

    log_frame(frame, 0x4, 4, 0x11, 0x22);
    frame[FRAME] = 0x33;
    log_neighbour(log, 7, 3, frame, FRAME + 1);

    receive(log, 8, 0, 0x17, 5);

    log_frame(frame, 0x5, 6, 0x11, 0x22);
    frame[FRAME - 1] ^= 0x81;
    log_neighbour(log, 11, 1, frame, FRAME);
    log_frame(frame, 0x4, 7, 0x11, 0x22);
    frame[0] ^= 0x10;
    log_neighbour(log, 12, 2, frame, FRAME);
    log_neighbour(log, 15, 3, (const uint8_t[]){0x04, 0x88, 0x11, 0x22, 0xAE}, FRAME); /* for 0x804 */
    without_stop(log, 16, 0, (const uint8_t[]){0x04, 0xA0}, 2);
    log_neighbour(log, 19, 1, (const uint8_t[]){0x01, 0x90, 0x11}, 3);
    log_play(log, FIRST + 24 * PERIOD);
    log_counters(log);
}

static void ask_quietly(struct log *log, const char *line)
{
    const size_t length = log->length;
    log_ask(log, line);
    log->length = length;
}

/* Messages to 4, dimension 0, phase 1; the second payload byte numbers them. TDMA_SYNC is missing at edges 8
 * and 16 and comes out of turn at edge 35. */
static void play_sync(struct log *log)
{
    for (unsigned i = 0; i < 9; i++) {
        ask_quietly(log, formatted("S 4 000%u", i));
    }
    for (unsigned i = 0; i < 48; i++)
        log_edge(log, FIRST + i * PERIOD, i == 0 || i == 24 || i == 32 || i == 35 || i == 43);
    log_play(log, FIRST + 48 * PERIOD);
    log_counters(log);
}

/* Messages to 4 (phase 1) and to 1 (phase 5). The edge after edge 8 is missing, edge 19 is an extra one, 30
 * us after the one before. TDMA_SYNC is high at every eighth edge that should be. */
static void play_clock(struct log *log)
{
    for (unsigned i = 0; i < 4; i++) {
        char line[16];
        snprintf(line, sizeof line, "S 4 000%u", i);
        ask_quietly(log, line);
        snprintf(line, sizeof line, "S 1 001%u", i);
        if (i < 3)
            ask_quietly(log, line);
    }
    for (unsigned i = 0; i < 28; i++) {
        if (i != 9)
            log_edge(log, FIRST + i * PERIOD, i % PHASES == 0);
        if (i == 19)
            log_edge(log, FIRST + i * PERIOD + 30 * US, false);
    }
    log_play(log, FIRST + 28 * PERIOD);
    log_counters(log);
}

/* An edge 30 us after edge 1 cuts the message to 0xA. The bench's TDMA_SYNC comes nine edges after the first,
 * and then every eighth. */
static void play_cut(struct log *log)
{
    log_ask(log, "S A 0102");
    log_ask(log, "S 4 0304");
    for (unsigned i = 0; i < 32; i++) {
        log_edge(log, FIRST + i * PERIOD, i % PHASES == 0);
        if (i == 1)
            log_edge(log, FIRST + i * PERIOD + 30 * US, false);
    }
    log_play(log, FIRST + 32 * PERIOD);
    log_counters(log);
}

/* 41 messages for a node with room for 40. */
static void play_full(struct log *log)
{
    for (unsigned i = 0; i < 39; i++) {
        ask_quietly(log, formatted("S 4 00%02X", i));
    }
    log_ask(log, "S 4 0027");
    log_ask(log, "S 4 0028");
    log_superframes(log, 16);
    log_play(log, FIRST + 16 * PERIOD);
    log_counters(log);
}

/* NRST is low for 1 ms after the first superframe, with a message queued. */
static void play_reset(struct log *log)
{
    log_ask(log, "S 4 0102");
    log_ask(log, "S 4 0304");
    log_superframes(log, 8);
    log->low_from = FIRST + 8 * PERIOD;
    log->low_to = log->low_from + MS;
    pins_change(&log->pins, log->low_from, PIN_NRST, false);
    pins_change(&log->pins, log->low_to, PIN_NRST, true);
    for (unsigned i = 0; i < 8; i++)
        log_edge(log, log->low_to + MS + i * PERIOD, i == 0);
    log_play(log, log->low_to + MS + 8 * PERIOD);
    log_ask(log, "S 4 0506");
    log_counters(log);
}

/* The lines that a run does not type. */
static void play_console(struct log *log)
{
    log_ask(log, "I");
    log_ask(log, "S 10 00");
    log_ask(log, "S 4 010203");
    log_ask(log, "S 4 01");
    log_ask(log, "S 5 0102");
    log_ask(log, "Q");
    log_ask(log, "A 6");
    log_ask(log, "M 1");
    log_superframes(log, 16);
    receive(log, 3, 1, 0x5, 7);
    log_play(log, FIRST + 16 * PERIOD);
    log_counters(log);
    log_ask(log, "A 6");
    log_ask(log, "I");
    log_ask(log, "Z");
    log_counters(log);
}

/* Mode 1 and back, then a frame for the node itself. */
static void play_modes(struct log *log)
{
    log_ask(log, "M 1");
    log_ask(log, "M 0");
    log_superframes(log, 16);
    receive(log, 3, 1, 0x5, 7);
    log_play(log, FIRST + 16 * PERIOD);
    log_counters(log);
}

static void (*const scripts[SCRIPTS])(struct log *) = {
    play_own, play_forward, play_bad,   play_sync,    play_clock,
    play_cut, play_full,    play_reset, play_console, play_modes,
};

#include "tests/bench/unit/contract_cases.h"

/* ---- comparison */

static struct log seen;

static void play(enum script script, const struct pb_contract_setting *setting)
{
    const struct pb_node_config config = log_config();
    log_open(&seen, pb_node_contract_create(&config, setting));
    scripts[script](&seen);
}

/* Takes the last occurrence of a line out of a text; false when it has none. */
static bool take_line(char *text, const char *line, size_t length)
{
    char *last = NULL;
    for (char *at = text; *at; at += strcspn(at, "\n") + 1)
        if (!strncmp(at, line, length))
            last = at;
    if (last)
        memmove(last, last + length, strlen(last + length) + 1);
    return last != NULL;
}

static void take_lines(char *text, const char *lines, const char *what, const char *name)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1) {
        const size_t length = strcspn(at, "\n") + 1;
        if (!take_line(text, at, length))
            fail_msg("%s: no line to %s: %.*s", name, what, (int)length, at);
    }
}

TEST(sound_node_does_what_the_page_says)
{
    for (enum script script = 0; script < SCRIPTS; script++) {
        play(script, NULL);
        if (strcmp(seen.text, sound[script]) != 0)
            fail_msg("script %d: expected\n%sseen\n%s", (int)script, sound[script], seen.text);
        assert_int_equal(pb_node_contract_strikes(seen.pins.node[0]), 0);
        log_close(&seen);
    }
}

/* What is seen, less what comes, is what a sound node does, less what goes. */
TEST(each_defect_changes_what_its_row_says)
{
    static char left[LOG_SIZE], expected[LOG_SIZE];
    for (size_t i = 0; i < COUNT(defect_cases); i++) {
        const struct defect_case *one = &defect_cases[i];
        const struct pb_contract_setting setting = {
            .defect = one->defect, .amount_ps = one->amount_ps, .every = one->every};
        const char *name = pb_defect_infos(NULL)[one->defect - 1].name;
        assert_true(*one->goes || *one->comes);
        play(one->script, &setting);
        strcpy(left, seen.text);
        strcpy(expected, sound[one->script]);
        take_lines(left, one->comes, "come", name);
        take_lines(expected, one->goes, "go", name);
        if (strcmp(left, expected) != 0)
            fail_msg("%s: besides its lines, expected\n%sseen\n%s", name, expected, left);
        log_close(&seen);
    }
}

/* ---- defects of the console, which leave no answer to wait for */

static struct pb_node *broken_node(enum pb_contract_defect defect)
{
    const struct pb_node_config config = log_config();
    const struct pb_contract_setting setting = {.defect = defect};
    return pb_node_contract_create(&config, &setting);
}

/* What UART0_TX says until `until` after the line. */
static struct decoded typed(struct pins *pins, struct pb_node *node, const char *line, int64_t from,
                            int64_t until)
{
    struct decoded decoded;
    pins_init(pins, node, NULL);
    pins_uart(pins, PIN_UART0_RX, from, CONSOLE_BIT_PS, line, strlen(line));
    pins_phases(pins, FIRST, PERIOD, PHASES, 2 * PHASES);
    pins_run(pins, until);
    decode_uart(pins, (struct probe){0, -1}, CONSOLE_BIT_PS, 0, until, &decoded);
    return decoded;
}

static bool sends_in_phase_1(struct pins *pins)
{
    struct decoded decoded;
    decode_uart(pins, (struct probe){0, 0}, BIT, FIRST + PERIOD, FIRST + 2 * PERIOD, &decoded);
    return decoded.length == FRAME;
}

TEST(console_defects)
{
    static const struct {
        enum pb_contract_defect defect;
        const char *says;
        bool sends;
    } one[] = {
        {PB_CONTRACT_SOUND, "+S 0\n", true},
        {PB_CONTRACT_NO_ANSWER, "", true},
        {PB_CONTRACT_ANSWERS_TWICE, "+S 0\n+S 0\n", true},
        {PB_CONTRACT_SILENT, "", false},
        {PB_CONTRACT_SLOW_BOOT, "", false}, /* 20 ms after power-up; the line comes at 10 us */
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        struct pins pins;
        const struct decoded decoded =
            typed(&pins, broken_node(one[i].defect), "S 4 0102\n", 10 * US, FIRST + 2 * PHASES * PERIOD);
        assert_int_equal(decoded.length, strlen(one[i].says));
        assert_memory_equal(decoded.byte, one[i].says, decoded.length);
        assert_int_equal(sends_in_phase_1(&pins), one[i].sends);
        pins_free(&pins);
    }
}

/* Deaf for 20 ms only: a line after that is answered. */
TEST(slow_boot_ends)
{
    struct pins pins;
    const struct decoded decoded =
        typed(&pins, broken_node(PB_CONTRACT_SLOW_BOOT), "I\n", 20 * MS + 10 * US, 30 * MS);
    assert_true(decoded.length > 2);
    assert_memory_equal(decoded.byte, "+I", 2);
    pins_free(&pins);
}

/* Bits of UART0_TX that are longer or shorter than the line's: '+' is 0x2B, first rise after one bit. */
/* The line is taken in the middle of its last stop bit: 9 characters and 9.5 bits after its start. */
TEST(line_blip_is_before_the_clock)
{
    const struct probe highest = {0, 3};
    struct pins pins;
    typed(&pins, broken_node(PB_CONTRACT_LINE_BLIP), "S 4 0102\n", 10 * US, FIRST + 2 * PHASES * PERIOD);
    const int64_t fall = next_fall(&pins, highest, 1);
    assert_in_range(fall, 99 * US, 100 * US);
    assert_true(next_fall(&pins, highest, fall + 1) < 0);
    pins_free(&pins);
}

/* Deaf for 20 ms after a reset that follows a superframe; the line before the first one is answered. */
TEST(warm_deaf_begins_after_a_run)
{
    const int64_t reset = FIRST + 3 * PHASES * PERIOD, late = reset + 30 * MS;
    struct decoded decoded;
    struct pins pins;
    pins_init(&pins, broken_node(PB_CONTRACT_WARM_DEAF), NULL);
    pins_uart(&pins, PIN_UART0_RX, 10 * US, CONSOLE_BIT_PS, "S 4 01\n", 7);
    pins_phases(&pins, FIRST, PERIOD, PHASES, 2 * PHASES);
    pins_change(&pins, reset, PIN_NRST, false);
    pins_change(&pins, reset + MS, PIN_NRST, true);
    pins_uart(&pins, PIN_UART0_RX, reset + 3 * MS, CONSOLE_BIT_PS, "S 4 02\n", 7);
    pins_uart(&pins, PIN_UART0_RX, late, CONSOLE_BIT_PS, "S 4 03\n", 7);
    pins_run(&pins, late + 10 * MS);
    decode_uart(&pins, (struct probe){0, -1}, CONSOLE_BIT_PS, 0, late + 10 * MS, &decoded);
    assert_int_equal(decoded.length, 10);
    assert_memory_equal(decoded.byte, "+S 0\n+S 0\n", 10);
    pins_free(&pins);
}

TEST(console_bit_times)
{
    static const struct {
        enum pb_contract_defect defect;
        int64_t longer_ps; /* docs/reference/scenario.md */
    } one[] = {
        {PB_CONTRACT_SOUND, 0}, {PB_CONTRACT_CONSOLE_BAUD, 217000}, {PB_CONTRACT_CONSOLE_FAST, -65000}};
    for (size_t i = 0; i < COUNT(one); i++) {
        struct pins pins;
        const struct probe probe = {0, -1};
        typed(&pins, broken_node(one[i].defect), "I\n", 10 * US, MS);
        const int64_t fall = next_fall(&pins, probe, 0);
        assert_true(fall > 0);
        const int64_t bit = CONSOLE_BIT_PS + one[i].longer_ps;
        assert_false(level_at(&pins, probe, fall + bit - 20));
        assert_true(level_at(&pins, probe, fall + bit + 20));
        pins_free(&pins);
    }
}

/* ---- when a defect shows */

/* Frames whose second byte has its bit 0 inverted, as a string of 0 and 1, in the order in which they were
 * sent: twelve messages to 4, one in each superframe from the first on. */
static void flips(char shown[13], uint32_t from, uint32_t every)
{
    const struct pb_node_config config = log_config();
    const struct pb_contract_setting setting = {
        .defect = PB_CONTRACT_FLIPPED_BIT, .from = from, .every = every};
    log_open(&seen, pb_node_contract_create(&config, &setting));
    for (unsigned i = 0; i < 12; i++)
        ask_quietly(&seen, "S 4 0102");
    log_superframes(&seen, 12 * PHASES);
    log_play(&seen, FIRST + 12 * PHASES * PERIOD);
    for (unsigned i = 0; i < 12; i++) {
        struct decoded decoded;
        const int64_t edge = seen.edge[i * PHASES + 1];
        decode_uart(&seen.pins, (struct probe){0, 0}, BIT, edge, edge + PERIOD, &decoded);
        assert_int_equal(decoded.length, FRAME);
        shown[i] = (char)('0' + (decoded.byte[1] & 1));
    }
    shown[12] = '\0';
    unsigned count = 0;
    for (unsigned i = 0; i < 12; i++)
        count += shown[i] == '1';
    assert_int_equal(pb_node_contract_strikes(seen.pins.node[0]), count);
    log_close(&seen);
}

TEST(from_and_every)
{
    static const struct {
        uint32_t from, every;
        const char *shown;
    } one[] = {
        {0, 0, "111111111111"},
        {0, 1, "111111111111"},
        {0, 3, "001001001001"},
        {3, 0, "000111111111"},
        {3, 4, "000000100010"},
        {0, PB_DEFECT_ONCE, "100000000000"},
        {7, PB_DEFECT_ONCE, "000000010000"},
        {12, 0, "000000000000"},
    };
    for (size_t i = 0; i < COUNT(one); i++) {
        char shown[13];
        flips(shown, one[i].from, one[i].every);
        assert_string_equal(shown, one[i].shown);
    }
}

/* ---- defects that show only in what is done after a run */

/* A superframe a millisecond after what was last typed. */
static unsigned later_superframe(struct log *log, bool sync)
{
    const int64_t start = log->pins.now + MS;
    const unsigned first = log->edges;
    for (unsigned i = 0; i < PHASES; i++)
        log_edge(log, start + i * PERIOD, sync && i == 0);
    return first;
}

static void pass_superframe(struct log *log, bool sync)
{
    (void)later_superframe(log, sync);
    pins_run(&log->pins, log->edge[log->edges - 1] + PERIOD);
}

/* A frame with a wrong check value on dimension 1, in phase 3; at 4 one for 1 waits for dimension 0. */
static void wait_frame(struct log *log)
{
    uint8_t frame[FRAME];
    const unsigned first = later_superframe(log, true);
    log_frame(frame, 0x6, 5, 0x11, 0x22);
    frame[FRAME - 1] ^= 1;
    log_neighbour(log, first + 3, 1, frame, FRAME);
    receive(log, first + 7, 3, 0x1, 9);
    pins_run(&log->pins, log->edge[log->edges - 1] + PERIOD);
}

/* Frames for 4, 0x1F and 5 on dimensions 1, 2 and 3. */
static void other_frames(struct log *log)
{
    const unsigned first = later_superframe(log, true);
    receive(log, first + 3, 1, 0x4, 7);
    receive(log, first + 4, 2, 0x1F, 8);
    receive(log, first + 7, 3, 0x5, 9);
    pins_run(&log->pins, log->edge[log->edges - 1] + PERIOD);
}

/* Frames for 4, 0x1F and 1 on dimensions 1, 2 and 3, in phases 3, 4 and 7, and a superframe more. */
static void pass_frames(struct log *log)
{
    const unsigned first = later_superframe(log, true);
    receive(log, first + 3, 1, 0x4, 7);
    receive(log, first + 4, 2, 0x1F, 8);
    receive(log, first + 7, 3, 0x1, 9);
    pins_run(&log->pins, log->edge[log->edges - 1] + PERIOD);
    pass_superframe(log, true);
}

static void play_after(struct log *log)
{
    log_ask(log, "S 4 0102");
    log_ask(log, "Z");
    log_ask(log, "A 4");
    log_ask(log, "M 2");
    pass_superframe(log, true);
    log_ask(log, "M 0");
    pass_superframe(log, true);
    log_ask(log, "A 4");
    log_ask(log, "I");
    log_ask(log, "M 1");
    log_ask(log, "Z");
    wait_frame(log);
    pass_frames(log);
    log_ask(log, "M 0");
    wait_frame(log);
    log_ask(log, "A 4");
    log_counters(log);
    log_ask(log, "Z");
    pass_frames(log);
    log_counters(log);
    log_ask(log, "S 1 0304");
    log_ask(log, "S C 0304");
    log_ask(log, "S 4");
    log_ask(log, "M 2");
    wait_frame(log);
    log_counters(log);
    log->low_from = log->pins.now + MS;
    log->low_to = log->low_from + MS;
    pins_change(&log->pins, log->low_from, PIN_NRST, false);
    pins_change(&log->pins, log->low_to, PIN_NRST, true);
    pins_run(&log->pins, log->low_to + MS);
    pass_superframe(log, false);
    log_ask(log, "M 3");
    log_ask(log, "S 1 010");
    log_ask(log, "A 10");
    pass_frames(log);
    log_counters(log);
    log_ask(log, "M 1");
    log_ask(log, "M");
    log->low_from = log->pins.now + MS;
    log->low_to = log->low_from + MS;
    pins_change(&log->pins, log->low_from, PIN_NRST, false);
    pins_change(&log->pins, log->low_to, PIN_NRST, true);
    pins_run(&log->pins, log->low_to + MS);
    log_ask(log, "S 4 0304");
    log_ask(log, "S 1");
    pass_frames(log);
    log_counters(log);
    log_ask(log, "Z"); /* with the edges that the pauses missed */
    log_counters(log);
    /* Lines within a mode, none of which ends or restarts it. */
    log_ask(log, "S 10001");
    log_ask(log, "M 1");
    log_ask(log, "M 01");
    log_ask(log, "A 4");
    log_ask(log, "I");
    log_ask(log, "T");
    log_ask(log, "M 3");
    pass_frames(log);
    log_ask(log, "M 0");
    log_counters(log);
    log_counters(log);
    log_ask(log, "M 2");
    pass_superframe(log, true);
    log_ask(log, "Z");
    pass_superframe(log, true);
    other_frames(log);
    log_ask(log, "M 0");
    pass_superframe(log, true);
    log_counters(log);
    log_play(log, log->pins.now + MS);
}

static const enum pb_contract_defect after_defects[] = {
    PB_CONTRACT_WARM_UART,
    PB_CONTRACT_WARM_PULL,
    PB_CONTRACT_WARM_UNUSED,
    PB_CONTRACT_RESET_KEEPS_QUEUE,
    PB_CONTRACT_RESET_KEEPS_MODE,
    PB_CONTRACT_RESET_KEEPS_ADDRESS,
    PB_CONTRACT_RESET_KEEPS_COUNTERS,
    PB_CONTRACT_CLEAR_FORGETS,
    PB_CONTRACT_MODE_FORGETS,
    PB_CONTRACT_CLEAR_RESTARTS,
    PB_CONTRACT_CLEARS_SOME,
    PB_CONTRACT_CLEAR_ENDS_MODE,
    PB_CONTRACT_ECHO_DROPS_OWN,
    PB_CONTRACT_ECHO_DROPS_OUTSIDE,
    PB_CONTRACT_PRBS_STAYS,
    PB_CONTRACT_PRBS_ZEROS,
    PB_CONTRACT_PRBS_STILL,
    PB_CONTRACT_PRBS_IDLE,
    PB_CONTRACT_BUSY_IGNORED,
    PB_CONTRACT_ADDRESS_SAID,
    PB_CONTRACT_ADDRESS_FORGOTTEN,
    PB_CONTRACT_OBEYS_MODE,
    PB_CONTRACT_OBEYS_HALF,
    PB_CONTRACT_TAKES_BEYOND,
    PB_CONTRACT_PADS_STALE,
    PB_CONTRACT_RESET_KEEPS_REFUSED,
    PB_CONTRACT_ADDRESS_ENDS_MODE,
    PB_CONTRACT_IDENTITY_ENDS_MODE,
    PB_CONTRACT_MODE_TOGGLES,
    PB_CONTRACT_MODE_CLEARS_DEPTH,
    PB_CONTRACT_PRBS_RESTARTS,
    PB_CONTRACT_SHOW_CLEARS,
    PB_CONTRACT_REFUSED_ENDS_MODE,
    PB_CONTRACT_TAKES_WRAPPED,
    PB_CONTRACT_RESET_KEEPS_ECHO,
    PB_CONTRACT_CLEARS_BUT_FAULTS,
    PB_CONTRACT_RESET_KEEPS_RECEIVED,
    PB_CONTRACT_RESET_KEEPS_HIGH,
    PB_CONTRACT_RESET_KEEPS_PHASE,
    PB_CONTRACT_REPEATS_DROPPED,
    PB_CONTRACT_CRC_BUT_ECHO,
    PB_CONTRACT_CRC_BUT_MOVED,
    PB_CONTRACT_CLEAR_DROPS_RECEIVED,
    PB_CONTRACT_COUNT_FORGETS,
    PB_CONTRACT_BUSY_BY_OWN,
    PB_CONTRACT_PRBS_DEAF,
    PB_CONTRACT_SELF_UNCOUNTED,
    PB_CONTRACT_CRC_BUT_PRBS,
    PB_CONTRACT_PRBS_TAKES_OUTSIDE,
    PB_CONTRACT_PRBS_DROPS_OWN,
    PB_CONTRACT_HOME_IS_OWN,
    PB_CONTRACT_CLEAR_ENDS_ECHO,
    PB_CONTRACT_SHOW_ENDS_ECHO,
    PB_CONTRACT_ECHO_ONCE,
    PB_CONTRACT_ZEROS_REFUSED,
};

/* Each acts there and changes what is seen; the findings are in test_epilogue.c. */
TEST(each_defect_after_a_run_is_seen)
{
    static char sound_text[LOG_SIZE];
    const struct pb_node_config config = log_config();
    log_open(&seen, pb_node_contract_create(&config, NULL));
    play_after(&seen);
    strcpy(sound_text, seen.text);
    log_close(&seen);
    for (size_t i = 0; i < COUNT(after_defects); i++) {
        const struct pb_contract_setting setting = {.defect = after_defects[i]};
        log_open(&seen, pb_node_contract_create(&config, &setting));
        play_after(&seen);
        if (!pb_node_contract_strikes(seen.pins.node[0]) || !strcmp(seen.text, sound_text))
            fail_msg("nothing shows '%s'", pb_defect_infos(NULL)[after_defects[i] - 1].name);
        log_close(&seen);
    }
}

/* ---- programs */

#define ROOT_SENDS                                                                                           \
    "e1 d0 to 4 #0 11000000\ne2 d1 to 7 #1 11000000\ne5 d2 to 1 #2 11000000\ne6 d3 to D #3 11000000\n"

static const struct {
    enum pb_contract_defect defect;
    enum program_script script;
    const char *goes, *comes; /* lines, as in contract_cases.h */
} program_cases[] = {
    /* The smaller one of 9 and 20, then of 9 and 30, then the larger one of 9 and 25. */
    {PB_CONTRACT_PROGRAM_KEEPS_LARGER, PROGRAM_SORT,
     "e5 d2 to 1 #1 14000000\ne6 d3 to D #2 1E000000\n"
     "e2 d1 to 7 #3 19000000\ne5 d2 to 1 #4 19000000\ne6 d3 to D #5 12000000\n"
     "e1 d0 to 4 #6 28000000\ne2 d1 to 7 #7 32000000\ne5 d2 to 1 #8 2D000000\ne6 d3 to D #9 2D000000\n"
     "< +R state=done superframe=4 phase=7 result=2D000000\n",
     /* 9, 9, 25; smaller of 7, larger of 18, smaller of 40; smaller of 50, larger of 45, smaller of 33 */
     "e5 d2 to 1 #1 09000000\ne6 d3 to D #2 09000000\n"
     "e2 d1 to 7 #3 19000000\ne5 d2 to 1 #4 07000000\ne6 d3 to D #5 12000000\n"
     "e1 d0 to 4 #6 12000000\ne2 d1 to 7 #7 12000000\ne5 d2 to 1 #8 2D000000\ne6 d3 to D #9 21000000\n"
     "< +R state=done superframe=4 phase=7 result=3C000000\n"},
    {PB_CONTRACT_PROGRAM_SPEAKS, PROGRAM_SORT,
     "e6 d3 to D #0 09000000\n"
     "e5 d2 to 1 #1 14000000\ne6 d3 to D #2 1E000000\n"
     "e2 d1 to 7 #3 19000000\ne5 d2 to 1 #4 19000000\ne6 d3 to D #5 12000000\n"
     "e1 d0 to 4 #6 28000000\ne2 d1 to 7 #7 32000000\ne5 d2 to 1 #8 2D000000\ne6 d3 to D #9 2D000000\n",
     "e1 d0 to 4 #0 09000000\ne2 d1 to 7 #1 09000000\ne5 d2 to 1 #2 09000000\ne6 d3 to D #3 09000000\n"
     "e1 d0 to 4 #4 14000000\ne2 d1 to 7 #5 14000000\ne5 d2 to 1 #6 14000000\ne6 d3 to D #7 1E000000\n"
     "e1 d0 to 4 #8 19000000\n"
     "e2 d1 to 7 #9 19000000\ne5 d2 to 1 #10 19000000\ne6 d3 to D #11 12000000\n"
     "e1 d0 to 4 #12 28000000\ne2 d1 to 7 #13 32000000\n"
     "e5 d2 to 1 #14 2D000000\ne6 d3 to D #15 2D000000\n"},
    {PB_CONTRACT_PROGRAM_SKIPS, PROGRAM_SUM,
     "e1 d0 to 4 #0 01000000\ne2 d1 to 7 #1 0B000000\n"
     "e5 d2 to 1 #2 6F000000\ne6 d3 to D #3 57040000\n",
     ""},
    {PB_CONTRACT_PROGRAM_UNNUMBERED, PROGRAM_SUM,
     "e2 d1 to 7 #1 0B000000\ne5 d2 to 1 #2 6F000000\ne6 d3 to D #3 57040000\n",
     "e2 d1 to 7 #0 0B000000\ne5 d2 to 1 #0 6F000000\ne6 d3 to D #0 57040000\n"},
    {PB_CONTRACT_PROGRAM_PADS_ONES, PROGRAM_SHORT,
     "e1 d0 to 4 #0 00000000\ne2 d1 to 7 #1 00000000\ne5 d2 to 1 #2 01000000\ne6 d3 to D #3 01000000\n"
     "e1 d0 to 4 #4 01000000\ne2 d1 to 7 #5 01000000\ne5 d2 to 1 #6 01000000\ne6 d3 to D #7 01000000\n",
     "e1 d0 to 4 #0 00FFFFFF\ne2 d1 to 7 #1 00FFFFFF\ne5 d2 to 1 #2 01FFFFFF\ne6 d3 to D #3 01FFFFFF\n"
     "e1 d0 to 4 #4 01FFFFFF\ne2 d1 to 7 #5 01FFFFFF\ne5 d2 to 1 #6 01FFFFFF\ne6 d3 to D #7 01FFFFFF\n"},
    /* 11 is sent to node 4, and 1111 to node 1: both are the second on their wires. */
    {PB_CONTRACT_PROGRAM_MIXES, PROGRAM_SUM, "e1 d0 to 4 #0 01000000\ne5 d2 to 1 #2 6F000000\n",
     "e1 d0 to 4 #0 0B000000\ne5 d2 to 1 #2 57040000\n"},
    /* 1, then 11, then 111 */
    {PB_CONTRACT_PROGRAM_LATE, PROGRAM_SUM,
     "e2 d1 to 7 #1 0B000000\ne5 d2 to 1 #2 6F000000\ne6 d3 to D #3 57040000\n",
     "e2 d1 to 7 #1 01000000\ne5 d2 to 1 #2 0B000000\ne6 d3 to D #3 6F000000\n"},
    {PB_CONTRACT_PROGRAM_SHIFTED, PROGRAM_BEGIN,
     ROOT_SENDS "< +R state=done superframe=1 phase=7 result=11000000\n"
                "< +R state=done superframe=1 phase=7 result=11000000\n",
     "< +R state=waits superframe=0 phase=0\n" ROOT_SENDS
     "< +R state=done superframe=1 phase=7 result=11000000\n"},
    {PB_CONTRACT_PROGRAM_LEAKS, PROGRAM_BEGIN, ROOT_SENDS "e1 d0 to 4 #0 01020304\n",
     "e1 d0 to 4 #0 01020304\n"
     "e2 d1 to 7 #0 11000000\ne5 d2 to 1 #1 11000000\ne6 d3 to D #2 11000000\n"},
    {PB_CONTRACT_PROGRAM_RIDES, PROGRAM_EARLY, "< +R state=stopped superframe=0 phase=2\n",
     "< +R state=stopped superframe=0 phase=0\n"},
    {PB_CONTRACT_PROGRAM_OBEYS_REFUSED, PROGRAM_REFUSED,
     "< +R state=waits superframe=0 phase=0\n"
     "e1 d0 to 4 #0 00000000\ne2 d1 to 7 #1 00000000\ne5 d2 to 1 #2 00000000\ne6 d3 to D #3 00000000\n"
     "< +R state=runs superframe=1 phase=7\n"
     "e1 d0 to 4 #4 01000000\ne2 d1 to 7 #5 01000000\ne5 d2 to 1 #6 01000000\ne6 d3 to D #7 01000000\n"
     "< +R state=done superframe=2 phase=7 result=02000000\n",
     "< +R state=none\n< +R state=none\n< +R state=none\n"},
    {PB_CONTRACT_PROGRAM_TAKES_ANY, PROGRAM_FOREIGN, "< +R state=stopped superframe=0 phase=0\n",
     "e1 d0 to 4 #0 01000000\ne2 d1 to 7 #1 02000000\ne5 d2 to 1 #2 03000000\ne6 d3 to D #3 04000000\n"
     "< +R state=done superframe=1 phase=7 result=02000000\n"},
    {PB_CONTRACT_PROGRAM_TAKES_SURPRISE, PROGRAM_SURPRISE, "< +R state=stopped superframe=0 phase=0\n",
     "e1 d0 to 4 #0 11000000\ne2 d1 to 7 #1 01000000\ne5 d2 to 1 #2 01000000\ne6 d3 to D #3 01000000\n"
     "< +R state=done superframe=1 phase=7 result=01000000\n"},
    {PB_CONTRACT_PROGRAM_GOES_ON, PROGRAM_MISSING, "< +R state=stopped superframe=0 phase=0\n",
     "e1 d0 to 4 #0 01000000\ne2 d1 to 7 #1 01000000\ne5 d2 to 1 #2 02000000\ne6 d3 to D #3 03000000\n"
     "< +R state=done superframe=1 phase=7 result=01000000\n"},
    {PB_CONTRACT_PROGRAM_STALE, PROGRAM_SORT, "< +R state=done superframe=4 phase=7 result=2D000000\n",
     "< +R state=done superframe=4 phase=7 result=28000000\n"},
    {PB_CONTRACT_PROGRAM_MISPLACED, PROGRAM_SORT,
     "< +R state=runs superframe=2 phase=7\n< +R state=done superframe=4 phase=7 result=2D000000\n",
     "< +R state=runs superframe=1 phase=7\n< +R state=done superframe=3 phase=7 result=2D000000\n"},
    {PB_CONTRACT_PROGRAM_RUNS_ON, PROGRAM_SUM, "< +R state=done superframe=1 phase=7 result=672B0000\n",
     "< +R state=runs superframe=1 phase=7\n"},
    {PB_CONTRACT_PROGRAM_STAYS, PROGRAM_BEGIN, "< +R state=none\ne1 d0 to 4 #0 01020304\n",
     "< +R state=done superframe=1 phase=7 result=11000000\n"},
    {PB_CONTRACT_PROGRAM_SURVIVES, PROGRAM_RESET, "< +R state=none\ne1 d0 to 4 #0 01020304\n",
     "< +R state=waits superframe=0 phase=0\n" ROOT_SENDS},
};

TEST(sound_node_plays_programs)
{
    const struct pb_node_config config = program_config();
    for (enum program_script script = 0; script < PROGRAM_SCRIPTS; script++) {
        uint64_t strikes;
        program_play(script, pb_node_contract_create(&config, NULL), MS, &strikes);
        assert_int_equal(strikes, 0);
    }
}

TEST(each_defect_of_a_program_changes_what_its_row_says)
{
    static char left[LOG_SIZE], expected[LOG_SIZE];
    const struct pb_node_config config = program_config();
    for (size_t i = 0; i < COUNT(program_cases); i++) {
        const struct pb_contract_setting setting = {.defect = program_cases[i].defect};
        const char *name = pb_defect_infos(NULL)[setting.defect - 1].name;
        const enum program_script script = program_cases[i].script;
        strcpy(left, program_play(script, pb_node_contract_create(&config, &setting), MS, NULL));
        strcpy(expected, program_sound[script]);
        take_lines(left, program_cases[i].comes, "come", name);
        take_lines(expected, program_cases[i].goes, "go", name);
        if (strcmp(left, expected) != 0)
            fail_msg("%s: besides its lines, expected\n%sseen\n%s", name, expected, left);
    }
}

/* Every defect is in a test of this file. */
TEST(no_defect_is_left_out)
{
    bool tested[PB_CONTRACT_DEFECTS] = {
        [PB_CONTRACT_SOUND] = true,  [PB_CONTRACT_NO_ANSWER] = true, [PB_CONTRACT_ANSWERS_TWICE] = true,
        [PB_CONTRACT_SILENT] = true, [PB_CONTRACT_SLOW_BOOT] = true, [PB_CONTRACT_CONSOLE_BAUD] = true,
        [PB_CONTRACT_CONSOLE_FAST] = true, [PB_CONTRACT_WARM_DEAF] = true,
        [PB_CONTRACT_LINE_BLIP] = true,
    };
    for (size_t i = 0; i < COUNT(defect_cases); i++)
        tested[defect_cases[i].defect] = true;
    for (size_t i = 0; i < COUNT(after_defects); i++)
        tested[after_defects[i]] = true;
    for (size_t i = 0; i < COUNT(program_cases); i++)
        tested[program_cases[i].defect] = true;
    for (int i = 1; i < PB_CONTRACT_DEFECTS; i++)
        if (!tested[i])
            fail_msg("no test shows '%s' at the pins", pb_defect_infos(NULL)[i - 1].name);
}
