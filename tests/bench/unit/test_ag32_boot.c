/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The boot loader of the AG32VF303 from both sides. The host's bytes are compared with transcripts written by
 * hand from the description of the protocol; then the host talks to the model of the ROM over UART pins, with
 * bytes that are lost, altered or refused on the way.
 *
 * evidence: firmware into node boards over UART0
 *   simulated against a model of the boot loader, every byte lost or altered; on no board yet
 *   also: image.sh
 */
#include "bench/emulator/soc/ag32_rom.h"
#include "host/flash/ag32_boot.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

/* ---- transcripts: "> bytes of the host < bytes of the ROM" */

struct script {
    const char *at;
    char failure[80];
};

static void skip_blanks(struct script *script)
{
    while (*script->at == ' ')
        script->at++;
}

static bool next_byte(struct script *script, char side, uint8_t *byte)
{
    skip_blanks(script);
    if (*script->at == '>' || *script->at == '<') {
        if (*script->at != side)
            return false;
        script->at++;
        skip_blanks(script);
    }
    char *end;
    *byte = (uint8_t)strtoul(script->at, &end, 16);
    if (end == script->at)
        return false;
    script->at = end;
    return true;
}

static int script_write(void *context, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct script *script = context;
    (void)diag;
    for (size_t i = 0; i < count; i++) {
        uint8_t want = 0;
        if (!next_byte(script, '>', &want) || want != bytes[i])
            fail_msg("byte %zu of the host is %02x, not %02x; rest: %s", i, bytes[i], want, script->at);
    }
    return PB_OK;
}

static int script_read(void *context, uint8_t *bytes, size_t count, unsigned limit_ms, struct pb_diag *diag)
{
    (void)limit_ms;
    (void)diag;
    for (size_t i = 0; i < count; i++)
        if (!next_byte(context, '<', &bytes[i]))
            return PB_ERR_NODE;
    return PB_OK;
}

static int script_enter(void *context, struct pb_diag *diag)
{
    struct script *script = context;
    (void)diag;
    skip_blanks(script);
    assert_int_equal(*script->at, '!');
    script->at++;
    return PB_OK;
}

static struct pb_boot_port scripted(struct script *script, const char *text)
{
    *script = (struct script){.at = text};
    return (struct pb_boot_port){script, script_write, script_read, script_enter};
}

static void assert_done(struct script *script)
{
    skip_blanks(script);
    assert_string_equal(script->at, "");
}

#define HELLO "! >7F <79 >00 FF <79 0E 20 00 01 02 13 33 44 21 63 73 82 92 A2 A3 A1 79 "

TEST(test_transcript_of_a_connection)
{
    static const struct {
        const char *text, *says;
    } row[] = {
        {HELLO ">02 FD <79 03 40 20 00 01 79", NULL},
        {"! >7F < ! >7F 80 <79 >00 FF <79 04 20 02 13 33 44 79 >02 FD <79 03 40 20 00 01 79", NULL},
        {"! >7F <1F >00 FF <79 04 20 02 13 33 44 79 >02 FD <76 76 79 03 40 20 00 01 79", NULL},
        {"! >7F < ! >7F 80 <", "no boot loader answered"},
        {"! >7F <55 ! >7F 80 <AA", "no boot loader answered"},
        {HELLO ">02 FD <79 03 40 20 00 02 79", "identity 0x40200002"},
        {HELLO ">02 FD <79 01 04 10 79", "identity 0x00000410"},
        {HELLO ">02 FD <1F", "refused GET_ID"},
        {HELLO ">02 FD <79 03 40 20", "broke off its answer to GET_ID"},
        {HELLO ">02 FD <12", "answered GET_ID with 0x12"},
        {"! >7F <79 >00 FF <79 03 20 02 13 33 79", "lacks the command 0x44"},
    };
    for (unsigned i = 0; i < COUNT(row); i++) {
        struct script script;
        struct pb_diag diag = {""};
        const struct pb_boot_port port = scripted(&script, row[i].text);
        const int code = pb_ag32_connect(&port, &diag);
        assert_int_equal(code, row[i].says ? PB_ERR_NODE : PB_OK);
        if (row[i].says && !strstr(diag.text, row[i].says))
            fail_msg("'%s', not '%s'", diag.text, row[i].says);
        assert_done(&script);
    }
}

TEST(test_transcript_of_the_commands)
{
    struct script script;
    struct pb_diag diag = {""};
    struct pb_boot_port port = scripted(&script, ">44 BB <79 >00 00 00 03 03 <76 79");
    assert_int_equal(pb_ag32_erase(&port, 3, &diag), PB_OK);
    assert_done(&script);
    port = scripted(&script, ">33 CC <79 >80 00 10 04 94 <79 >00 02 DE AD BE CF <79");
    assert_int_equal(pb_ag32_write(&port, 0x80001004, (const uint8_t *)"\xDE\xAD\xBE", 3, &diag), PB_OK);
    assert_done(&script);
    uint8_t bytes[2];
    port = scripted(&script, ">13 EC <79 >80 03 FF FE 82 <79 >00 01 01 <79 12 34");
    assert_int_equal(pb_ag32_read(&port, 0x8003FFFE, bytes, 2, &diag), PB_OK);
    assert_memory_equal(bytes, "\x12\x34", 2);
    assert_done(&script);
    port = scripted(&script, ">44 BB <79 >00 00 00 03 03 <1F");
    assert_int_equal(pb_ag32_erase(&port, 3, &diag), PB_ERR_NODE);
    assert_non_null(strstr(diag.text, "refused the erase of a page"));
}

/* ---- the ROM at its pins */

struct wire {
    struct pb_ag32_rom rom;
    uint8_t flash[PB_AG32_FLASH_SPAN];
    int64_t now_ps, next_ps;
    struct pb_node_inputs in;
    struct pb_node_outputs out;
    struct uart_tx tx;
    struct uart_rx rx;
    unsigned entries;
    /* The byte of this number, counted from 0, is lost on its way, or has these bits inverted; -1: none. */
    int lost_to_rom, lost_from_rom, altered_to_rom;
    uint8_t altered;
    int to_rom, from_rom;
};

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Until a byte from the ROM, or the host's bytes are out, or this many ps are over. Returns 1 and a byte. */
static int run(struct wire *wire, int64_t until_ps, bool sending, uint8_t *byte)
{
    struct uart_byte got;
    while (wire->now_ps < until_ps) {
        const int64_t at =
            earliest(earliest(wire->tx.next_ps, wire->rx.next_ps), earliest(wire->next_ps, until_ps));
        wire->now_ps = at;
        uart_tx_advance(&wire->tx, at);
        wire->in.uart0_rx = wire->tx.level;
        wire->next_ps = pb_ag32_rom_advance(&wire->rom, at, &wire->in, &wire->out);
        assert_true(wire->next_ps > at);
        if (uart_rx_advance(&wire->rx, at, wire->out.uart0_tx, &got)) {
            assert_true(got.framing_ok);
            if (wire->from_rom++ != wire->lost_from_rom) {
                *byte = got.value;
                return 1;
            }
        }
        if (sending && !wire->tx.busy)
            return 0;
    }
    return 0;
}

static int wire_write(void *context, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct wire *wire = context;
    uint8_t ignored;
    (void)diag;
    for (size_t i = 0; i < count; i++) {
        uint8_t sent = bytes[i];
        const int number = wire->to_rom++;
        if (number == wire->lost_to_rom)
            continue;
        if (number == wire->altered_to_rom)
            sent ^= wire->altered;
        uart_tx_start(&wire->tx, wire->now_ps, &sent, 1);
        run(wire, INT64_MAX, true, &ignored);
    }
    return PB_OK;
}

static int wire_read(void *context, uint8_t *bytes, size_t count, unsigned limit_ms, struct pb_diag *diag)
{
    struct wire *wire = context;
    (void)diag;
    for (size_t i = 0; i < count; i++)
        if (!run(wire, wire->now_ps + (int64_t)limit_ms * 1000000000, false, &bytes[i]))
            return PB_ERR_NODE;
    return PB_OK;
}

static int wire_enter(void *context, struct pb_diag *diag)
{
    struct wire *wire = context;
    (void)diag;
    wire->entries++;
    wire->in.uart0_rx = true;
    pb_ag32_rom_start(&wire->rom, wire->flash, wire->now_ps, 0, true);
    uart_tx_init(&wire->tx, clock_rate(460800, 0));
    uart_rx_start(&wire->rx, clock_rate(16 * 460800, 0), wire->now_ps, true);
    wire->next_ps = wire->now_ps + 1;
    return PB_OK;
}

static struct wire *make_wire(struct pb_boot_port *port)
{
    struct wire *wire = calloc(1, sizeof *wire);
    assert_non_null(wire);
    hand_over(wire, free);
    wire->lost_to_rom = wire->lost_from_rom = wire->altered_to_rom = -1;
    *port = (struct pb_boot_port){wire, wire_write, wire_read, wire_enter};
    return wire;
}

TEST(test_rom_at_its_pins)
{
    struct pb_boot_port port;
    struct wire *wire = make_wire(&port);
    uint8_t page[PB_AG32_PAGE_BYTES], back[PB_AG32_READ_MAX];
    for (unsigned i = 0; i < sizeof page; i++)
        page[i] = (uint8_t)(i * 7 + i / 256);
    assert_succeeds(pb_ag32_connect(&port, &diag));
    assert_succeeds(pb_ag32_erase(&port, 63, &diag));
    assert_succeeds(pb_ag32_write(&port, 0x8003F000, page, sizeof page, &diag));
    assert_memory_equal(wire->flash + 0x3F000, page, sizeof page);
    for (unsigned at = 0; at < sizeof page; at += sizeof back) {
        assert_succeeds(pb_ag32_read(&port, 0x8003F000 + at, back, sizeof back, &diag));
        assert_memory_equal(back, page + at, sizeof back);
    }
    for (unsigned i = 0; i < 0x3F000; i++) /* the rest is as it was */
        assert_int_equal(wire->flash[i], 0);
    assert_int_equal(wire->entries, 1);
}

TEST(test_rom_programs_only_zeros)
{
    struct pb_boot_port port;
    struct wire *wire = make_wire(&port);
    assert_succeeds(pb_ag32_connect(&port, &diag));
    wire->flash[4] = 0xF0;
    assert_succeeds(pb_ag32_write(&port, 0x80000004, (const uint8_t *)"\x3C", 1, &diag));
    assert_int_equal(wire->flash[4], 0x30);
}

TEST(test_rom_refuses)
{
    struct pb_diag diag = {""};
    struct pb_boot_port port;
    uint8_t byte;
    make_wire(&port);
    assert_int_equal(pb_ag32_connect(&port, &diag), PB_OK);
    assert_int_equal(pb_ag32_read(&port, 0x20000000, &byte, 1, &diag), PB_ERR_NODE); /* no flash */
    assert_non_null(strstr(diag.text, "refused the address of a read"));
    assert_int_equal(pb_ag32_write(&port, 0x8003FFFF, (const uint8_t *)"ab", 2, &diag), PB_ERR_NODE);
    assert_non_null(strstr(diag.text, "refused the bytes of a write"));
    assert_int_equal(pb_ag32_erase(&port, 64, &diag), PB_ERR_NODE);
    assert_int_equal(pb_ag32_read(&port, 0x80000000, &byte, 1, &diag), PB_OK); /* and goes on */
}

/* Each byte of a write, lost or altered in any one bit, on either way: never taken for success with other
 * bytes in flash, and a new connection always works. */
TEST(test_every_lost_or_altered_byte_is_found)
{
    static const uint8_t data[] = {0x00, 0xFF, 0x55, 0xAA};
    const int first = 1 + 2 + 2, bytes = 2 + 5 + 2 + 4 + 1; /* after the connection; of a write */
    for (int number = 0; number < bytes; number++)
        for (int way = 0; way < 10; way++) {
            struct pb_diag diag = {""};
            struct pb_boot_port port;
            const size_t held = handed_over();
            struct wire *wire = make_wire(&port);
            assert_int_equal(pb_ag32_connect(&port, &diag), PB_OK);
            assert_int_equal(pb_ag32_erase(&port, 0, &diag), PB_OK);
            assert_int_equal(wire->to_rom, first + 7);
            if (way < 8) {
                wire->altered_to_rom = first + 7 + number;
                wire->altered = (uint8_t)(1u << way);
            } else if (way == 8)
                wire->lost_to_rom = first + 7 + number;
            else
                wire->lost_from_rom = wire->from_rom + number;
            const int code = pb_ag32_write(&port, 0x80000000, data, sizeof data, &diag);
            if (way == 9 && number >= 3) /* three ACKs come */
                assert_int_equal(code, PB_OK);
            else if (code != PB_ERR_NODE || !*diag.text)
                fail_msg("byte %d, way %d: %d %s", number, way, code, diag.text);
            wire->lost_to_rom = wire->lost_from_rom = wire->altered_to_rom = -1;
            assert_int_equal(pb_ag32_connect(&port, &diag), PB_OK);
            release_back_to(held);
        }
}

/* Whatever comes, the model keeps to its memory. */
TEST(test_rom_takes_noise)
{
    struct pb_diag diag = {""};
    struct pb_boot_port port;
    struct wire *wire = make_wire(&port);
    random_state = 1;
    assert_int_equal(wire_enter(wire, &diag), PB_OK);
    for (unsigned i = 0; i < 60000; i++) {
        static const uint8_t likely[] = {0x7F, 0x00, 0xFF, 0x02, 0xFD, 0x13,
                                         0xEC, 0x33, 0xCC, 0x44, 0xBB, 0x80};
        const uint64_t drawn = random_step(&random_state);
        const uint8_t byte = drawn >> 63 ? (uint8_t)(drawn >> 40) : likely[(drawn >> 33) % COUNT(likely)];
        wire_write(wire, &byte, 1, &diag);
    }
    assert_int_equal(pb_ag32_connect(&port, &diag), PB_OK);
}
