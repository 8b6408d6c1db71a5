/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The image of the RP2040 port on the emulated chip: boot, console, frames at its pins, and side by side
 * with the native node.
 */
#include "bench/emulator/soc/soc.h"
#include "firmware/port/settings.h"
#include "phasebench/error.h"
#include "phasebench/traffic.h"
#include "tests/unit/node_fixture.h"
#include "tests/unit/tests.h"

#define IMAGE "build/rp2040/node.elf"
#define FIRST (30 * MS) /* phase 0 of superframe 0, after the boot and a console command */
#define CYCLE INT64_C(8000)

static struct pb_image *image;

static struct pb_node *node_of(const struct pb_node_config *config)
{
    struct pb_diag diag = {""};
    struct pb_node *node = NULL;
    if (!image && pb_image_read(&image, IMAGE, &diag))
        fail_msg("%s", diag.text);
    if (pb_soc_rp2040.create(&node, image, config, &diag))
        fail_msg("%s", diag.text);
    return node;
}

static struct pb_node *node_at(uint32_t address)
{
    const struct pb_node_config config = config_of(address);
    return node_of(&config);
}

static void assert_sound(const struct pb_node *node)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;
    if (pb_soc_rp2040.trapped(node, &trap, &words))
        fail_msg("trap %d at pc %08x, address %08x: %s", trap.kind, trap.pc, trap.address,
                 words ? words : "");
}

static int64_t phase_ps(unsigned superframe, unsigned phase)
{
    return FIRST + (int64_t)(superframe * 24 + phase) * PERIOD;
}

static void boot(struct pins *pins, struct pb_node *first, struct pb_node *second)
{
    pins_init(pins, first, second);
    pins_run(pins, 20 * MS);
    assert_sound(first);
}

/* Start of the only transmission, which must be one frame to 0x91C. */
static int64_t sent_frame(struct pins *pins, unsigned node, int dimension, int64_t from, int64_t to)
{
    return sent_within(pins, (struct probe){node, dimension}, from, to, BIT, frame_to(0x91C), 9, 1);
}

TEST(answers_on_its_console)
{
    struct pins pins;
    boot(&pins, node_at(0x2A3), NULL);
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=rp2040 addr=2A3 dims=C fw=100");
    assert_string_equal(console_ask(&pins, 0, "X\n"), "-unknown");
    assert_int_equal(console_counter(&pins, 0, "console_lines"), 3);
    pins_free(&pins);
}

/* 5 us are 625 cycles. The input is sampled at the next cycle of 8 ns. */
TEST(starts_head_guard_after_the_edge)
{
    for (int64_t shift = 0; shift < CYCLE; shift += 1777) {
        struct pins pins;
        boot(&pins, node_at(0x2A3), NULL);
        assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
        pins_phases(&pins, FIRST + shift, PERIOD, 24, 48);
        pins_run(&pins, phase_ps(2, 0) + shift);
        const int64_t start = sent_frame(&pins, 0, 0, 0, pins.now);
        assert_in_range(start - shift - phase_ps(0, 1), GUARD, GUARD + CYCLE);
        assert_false(pulled(&pins, 0, 0, start));
        assert_false(pulled(&pins, 0, start + 90 * BIT, pins.now));
        if (shift == 0) {
            const char *counters = console_ask(&pins, 0, "T\n");
            assert_non_null(strstr(
                counters, "+T edges=30 superframes=2 alignment_errors=0 missed_edges=0 extra_edges=0 "));
            assert_non_null(strstr(counters, " tx_frames=1 tx_cut=0 late_starts=0 "));
        }
        assert_sound(pins.node[0]);
        pins_free(&pins);
    }
}

/* 0x2A3 sends to 0x2A2 in phase 1, which sends it on along dimension 1 in phase 3. */
TEST(forwards_within_the_superframe)
{
    struct pins pins;
    boot(&pins, node_at(0x2A3), node_at(0x2A2));
    assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_run(&pins, phase_ps(1, 0));
    sent_frame(&pins, 0, 0, phase_ps(0, 1), phase_ps(0, 2));
    const int64_t start = sent_frame(&pins, 1, 1, 0, pins.now);
    assert_in_range(start - phase_ps(0, 3), GUARD, GUARD + CYCLE);
    assert_int_equal(console_counter(&pins, 1, "forwarded"), 1);
    assert_int_equal(console_counter(&pins, 1, "rx_frames"), 1);
    assert_int_equal(console_counter(&pins, 1, "late_starts"), 0);
    pins_free(&pins);
}

/* The frame ends with the slot, 5 us before the edge, and leaves at the head guard of the next phase. */
TEST(leaves_in_the_very_next_phase)
{
    struct pins pins;
    struct decoded decoded;
    boot(&pins, node_at(0x000), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24);
    pins_uart(&pins, PIN_LINE0, phase_ps(0, 1) + GUARD, BIT, frame_to(0x91E), 9);
    pins_run(&pins, phase_ps(1, 0));
    decode_uart(&pins, (struct probe){0, 1}, BIT, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, 9);
    assert_memory_equal(decoded.byte, frame_to(0x91E), 9);
    assert_in_range(decoded.start[0] - phase_ps(0, 2), GUARD, GUARD + CYCLE);
    assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
    pins_free(&pins);
}

/* A line whose stop bit ends from 25 us before an edge to 5 us after it, in steps of 1/4 us, each in another
 * superframe: whether its message leaves in that phase or in the next one of the dimension, it starts in
 * time (T1). */
TEST(a_console_line_at_the_edge_delays_no_start)
{
    enum { ROUNDS = 120, LINE_BITS = 190 };
    struct pins pins;
    unsigned sent = 0;
    boot(&pins, node_at(0x2A3), NULL);
    pins_phases(&pins, FIRST, PERIOD, 24, 24 * (ROUNDS + 1));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const int64_t end = phase_ps(i, 1) - 25 * US + i * US / 4;
        pins_uart(&pins, PIN_UART0_RX, end - LINE_BITS * US, US, "S 91C 010203040506\n", 19);
        pins_run(&pins, phase_ps(i, 20));
    }
    pins_run(&pins, phase_ps(ROUNDS + 1, 0));
    int64_t last = 0;
    for (size_t i = 1; i < pins.samples; i++) {
        const int64_t ps = pins.sample[i].ps;
        if (!(pins.sample[i].pull[0] & 1) || ps - last < PERIOD)
            continue;
        last = ps;
        sent++;
        const int64_t after = (ps - FIRST) % (24 * PERIOD) - PERIOD;
        if (after < GUARD || after > GUARD + CYCLE)
            fail_msg("frame %u starts %.3f us after the edge", sent, (double)after / 1e6);
    }
    assert_int_equal(sent, ROUNDS);
    assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
    pins_free(&pins);
}

/* ---- other settings */

/* One message of `payload` bytes to the neighbour on dimension 0, which leaves in phase 1; its bytes on
 * the line. */
static void send_one(const struct pb_node_config *config, int64_t period, int64_t bit_ps, int64_t tolerance)
{
    struct pins pins;
    struct decoded decoded;
    char line[200] = "S 2A2 ";
    for (unsigned i = 0; i < config->payload_bytes; i++)
        snprintf(line + 6 + 2 * i, 4, "%02X", (i * 37 + 5) & 0xFF);
    strcat(line, "\n");
    boot(&pins, node_of(config), NULL);
    assert_string_equal(console_ask(&pins, 0, line), "+S 0");
    const int64_t first = pins.now + MS;
    pins_phases(&pins, first, period, 24, 4);
    pins_run(&pins, first + 4 * period);
    decode_uart(&pins, (struct probe){0, 0}, bit_ps, 0, pins.now, &decoded);
    assert_int_equal(decoded.length, config->payload_bytes + 3);
    assert_int_equal(decoded.framing_errors, 0);
    assert_int_equal(decoded.byte[0], 0xA2);
    assert_int_equal(decoded.byte[1], 0x02);
    for (unsigned i = 0; i < config->payload_bytes; i++)
        assert_int_equal(decoded.byte[2 + i], (i * 37 + 5) & 0xFF);
    const int64_t guard = config->head_guard_ps;
    assert_in_range(decoded.start[0] - first - period, guard - guard / 100, guard + guard / 100 + tolerance);
    for (unsigned i = 1; i < decoded.length; i++) {
        const int64_t off = decoded.start[i] - decoded.start[0] - 10 * i * bit_ps;
        assert_in_range(off + tolerance, 0, 2 * tolerance);
    }
    assert_int_equal(console_counter(&pins, 0, "late_starts"), 0);
    assert_sound(pins.node[0]);
    pins_free(&pins);
}

/* The divisor has steps of 1/256, so that a bit is at most 1/512 off; the start is a cycle of the divided
 * clock off. */
TEST(other_rates)
{
    static const uint32_t baud[] = {1000000, 921600, 500000, 250000, 115200, 9600};
    for (size_t i = 0; i < COUNT(baud); i++) {
        struct pb_node_config config = config_of(0x2A3);
        const int64_t bit_ps = INT64_C(1000000000000) / baud[i];
        config.baud_hz = baud[i];
        config.phase_rate_mhz = (uint32_t)(INT64_C(1000000000000000) / (120 * bit_ps));
        send_one(&config, 120 * bit_ps, bit_ps, 90 * bit_ps / 512 + bit_ps / 60);
    }
}

/* 83 bytes are 22 words of a FIFO of 8: the interrupt refills it without a pause. */
TEST(long_frames)
{
    for (unsigned payload = 22; payload <= 80; payload += 1 + payload / 2) {
        struct pb_node_config config = config_of(0x2A3);
        config.payload_bytes = payload;
        config.phase_rate_mhz = 1000000;
        send_one(&config, MS, BIT, 1);
    }
}

TEST(other_guards)
{
    for (int64_t guard = 3500; guard <= 40000; guard = guard * 2 + 8) {
        struct pb_node_config config = config_of(0x2A3);
        config.head_guard_ps = guard * 1000;
        send_one(&config, 150 * US, BIT, CYCLE);
    }
}

/* A crystal that is fast by e makes guard and bits short by e / (1 + e). */
TEST(error_of_the_crystal)
{
    for (int32_t ppm = -5000; ppm <= 5000; ppm += 10000) {
        struct pb_node_config config = config_of(0x2A3);
        config.clock_ppm = ppm;
        const int64_t bit_ps = BIT * 1000000 / (1000000 + ppm);
        struct pins pins;
        struct decoded decoded;
        boot(&pins, node_of(&config), NULL);
        pins.console_bit_ps = bit_ps;
        assert_string_equal(console_ask(&pins, 0, "S 2A2 010203040506\n"), "+S 0");
        pins_phases(&pins, FIRST, PERIOD, 24, 4);
        pins_run(&pins, FIRST + 4 * PERIOD);
        decode_uart(&pins, (struct probe){0, 0}, bit_ps, 0, pins.now, &decoded);
        assert_int_equal(decoded.length, 9);
        const int64_t guard = GUARD * 1000000 / (1000000 + ppm);
        assert_in_range(decoded.start[0] - FIRST - PERIOD, guard - 1, guard + CYCLE * 101 / 100);
        assert_in_range(decoded.start[8] - decoded.start[0] - 80 * bit_ps + 200, 0, 400);
        pins_free(&pins);
    }
}

TEST(settings_that_do_not_fit_are_refused_with_a_reason)
{
    static const struct {
        uint32_t baud, console_baud;
        int64_t guard;
        const char *reason;
    } wrong[] = {
        {1000001, 1000000, GUARD, "-settings baud, 300 to 1000000"},
        {1000000, 1500000, GUARD, "-settings console_baud, 300 to 1000000"},
        {1000000, 1000000, 327000, "-settings head_guard, 328 ns or more"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pb_node_config config = config_of(0x2A3);
        struct pins pins;
        struct decoded decoded;
        config.baud_hz = wrong[i].baud;
        config.console_baud_hz = wrong[i].console_baud;
        config.head_guard_ps = wrong[i].guard;
        boot(&pins, node_of(&config), NULL);
        pins.console_bit_ps = wrong[i].console_baud > 1000000 ? INT64_C(2170139) : CONSOLE_BIT_PS;
        decode_uart(&pins, (struct probe){0, -1}, pins.console_bit_ps, 0, pins.now, &decoded);
        assert_int_equal(decoded.length, strlen(wrong[i].reason) + 1);
        assert_memory_equal(decoded.byte, wrong[i].reason, strlen(wrong[i].reason));
        assert_string_equal(console_ask(&pins, 0, "I\n"), wrong[i].reason);
        pins_phases(&pins, pins.now + MS, PERIOD, 24, 24);
        pins_run(&pins, pins.now + 10 * MS);
        assert_false(pulled(&pins, 0, 0, pins.now));
        pins_free(&pins);
    }
}

/* ---- what ends a phase or the node */

TEST(an_early_edge_releases_the_line)
{
    struct pins pins;
    boot(&pins, node_at(0x2A3), NULL);
    assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
    const int64_t edge = FIRST + PERIOD + 60 * US;
    pins_phase(&pins, FIRST, PERIOD, true);
    pins_phase(&pins, FIRST + PERIOD, 50 * US, false);
    pins_phase(&pins, edge, PERIOD, false);
    pins_run(&pins, edge + 2 * PERIOD);
    assert_true(pulled(&pins, 0, edge - 11 * BIT, edge));
    assert_false(pulled(&pins, 0, edge + 2 * US, pins.now));
    assert_int_equal(console_counter(&pins, 0, "tx_cut"), 1);
    pins_free(&pins);
}

TEST(reset_releases_and_forgets)
{
    struct pins pins;
    boot(&pins, node_at(0x2A3), NULL);
    assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
    pins_phases(&pins, FIRST, PERIOD, 24, 3);
    pins_change(&pins, phase_ps(0, 1) + 30 * US, PIN_NRST, false);
    pins_change(&pins, phase_ps(0, 5), PIN_NRST, true);
    pins_run(&pins, FIRST + 30 * MS);
    assert_true(pulled(&pins, 0, phase_ps(0, 1), phase_ps(0, 1) + 30 * US));
    assert_false(pulled(&pins, 0, phase_ps(0, 1) + 30 * US, pins.now));
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    assert_int_equal(console_counter(&pins, 0, "edges"), 0);
    pins_free(&pins);
}

/* A sleeping node asks for no call, and a stimulus decides what it does, not how often it is called. */
TEST(calls_cost_nothing_and_change_nothing)
{
    int64_t start[2];
    for (int often = 0; often < 2; often++) {
        struct pins pins;
        boot(&pins, node_at(0x2A3), NULL);
        assert_true(pins.due[0] == INT64_MAX);
        assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
        pins_phases(&pins, FIRST, PERIOD, 24, 4);
        for (int64_t at = FIRST; often && at < FIRST + 4 * PERIOD; at += 3333)
            pins_run(&pins, at);
        pins_run(&pins, FIRST + 4 * PERIOD);
        start[often] = sent_frame(&pins, 0, 0, 0, pins.now);
        pins_free(&pins);
    }
    assert_int_equal(start[0], start[1]);
}

/* The start of the phase clock restarts the node's clocks, at an offset of its seed: all that follows is
 * the same. */
TEST(a_run_does_not_depend_on_its_start)
{
    int64_t first[2] = {0, 0};
    for (int64_t shift = 0; shift < 40000; shift += 7001)
        for (unsigned seed = 0; seed < 2; seed++) {
            struct pb_node_config config = config_of(0x2A3);
            struct pins pins;
            config.seed = seed;
            config.baud_hz = 921600; /* its divisor has a fraction */
            boot(&pins, node_of(&config), NULL);
            assert_string_equal(console_ask(&pins, 0, "S 91C 010203040506\n"), "+S 0");
            pins_run(&pins, FIRST + shift);
            pins.node[0]->ops->align(pins.node[0], FIRST + shift);
            pins_phases(&pins, FIRST + shift, 110 * US, 24, 3);
            pins_run(&pins, FIRST + shift + 330 * US);
            const int64_t start = next_fall(&pins, (struct probe){0, 0}, FIRST) - FIRST - shift;
            if (shift == 0)
                first[seed] = start;
            assert_int_equal(start, first[seed]);
            pins_free(&pins);
        }
    assert_int_not_equal(first[0], first[1]);
}

/* ---- the files */

static uint32_t word_of(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* By the UF2 specification: 512-byte blocks of 256 bytes each for the family of the RP2040. */
TEST(uf2_holds_the_image)
{
    struct pb_diag diag = {""};
    static uint8_t flash[65536], file[65536 * 2];
    if (!image && pb_image_read(&image, IMAGE, &diag))
        fail_msg("%s", diag.text);
    memset(flash, 0xFF, sizeof flash);
    for (unsigned i = 0; i < image->segments; i++)
        memcpy(flash + (image->segment[i].address - 0x10000000), image->segment[i].data,
               image->segment[i].bytes);
    FILE *stream = fopen("build/rp2040/node.uf2", "rb");
    assert_non_null(stream);
    const size_t bytes = fread(file, 1, sizeof file, stream);
    fclose(stream);
    assert_true(bytes > 0 && bytes % 512 == 0);
    bool programmed[256] = {false};
    for (size_t i = 0; i < bytes / 512; i++) {
        const uint8_t *block = file + 512 * i;
        const uint32_t address = word_of(block + 12);
        assert_int_equal(word_of(block), 0x0A324655);
        assert_int_equal(word_of(block + 4), 0x9E5D5157);
        assert_int_equal(word_of(block + 8), 0x2000);
        assert_int_equal(word_of(block + 16), 256);
        assert_int_equal(word_of(block + 20), i);
        assert_int_equal(word_of(block + 24), bytes / 512);
        assert_int_equal(word_of(block + 28), 0xE48BFF56);
        assert_int_equal(word_of(block + 508), 0x0AB16F30);
        assert_in_range(address, 0x10000000, 0x10000000 + sizeof flash - 256);
        assert_memory_equal(block + 32, flash + (address - 0x10000000), 256);
        programmed[(address - 0x10000000) / 256] = true;
    }
    for (unsigned page = 0; page < 256; page++)
        for (unsigned i = 0; i < 256; i++)
            assert_true(programmed[page] || flash[256 * page + i] == 0xFF);
}

/* The block of the image as built: what a board has that is not configured. */
TEST(the_image_has_valid_settings_of_its_own)
{
    struct pb_diag diag = {""};
    struct node_settings settings;
    uint32_t address, bytes;
    if (!image && pb_image_read(&image, IMAGE, &diag))
        fail_msg("%s", diag.text);
    assert_true(pb_image_symbol(image, "node_settings", &address, &bytes));
    assert_int_equal(address % 4096, 0);
    assert_int_equal(bytes, sizeof settings);
    const struct pb_image_segment *last = &image->segment[image->segments - 1];
    assert_int_equal(last->address, address);
    memcpy(&settings, last->data, sizeof settings);
    assert_true(settings_valid(&settings));
}

/* A UF2 file for one node has its address in the settings, and nothing else that differs. */
TEST(pack_sets_an_address)
{
    static uint8_t common[65536], one[65536];
    struct node_settings settings;
    assert_int_equal(
        system("build/rp2040/pack build/rp2040/node.elf build/rp2040/test.bin build/rp2040/test.uf2 0x2A3"),
        0);
    FILE *stream = fopen("build/rp2040/node.bin", "rb");
    assert_non_null(stream);
    const size_t bytes = fread(common, 1, sizeof common, stream);
    fclose(stream);
    stream = fopen("build/rp2040/test.bin", "rb");
    assert_non_null(stream);
    assert_int_equal(fread(one, 1, sizeof one, stream), bytes);
    fclose(stream);
    memcpy(&settings, one + 0x8000, sizeof settings);
    assert_true(settings_valid(&settings));
    assert_int_equal(settings.address, 0x2A3);
    memcpy(one + 0x8000, common + 0x8000, sizeof settings);
    assert_memory_equal(one, common, bytes);
    assert_int_not_equal(system("build/rp2040/pack build/rp2040/node.elf build/rp2040/test.bin "
                                "build/rp2040/test.uf2 0x1000 2>/dev/null"),
                         0);
}
