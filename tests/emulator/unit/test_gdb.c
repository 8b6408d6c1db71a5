/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The remote serial protocol of gdb: packets and commands, to a processor of four registers that is the stub
 * here. What must be answered is what "Debugging with GDB", appendix E, says; tests/emulator/cli/debug.sh
 * has gdb itself.
 */
#include "bench/emulator/watch/gdb_command.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <string.h>

enum { RAM = 0x1000, RAM_BYTES = 64, PC = 3 };

static uint32_t reg[4];
static uint8_t ram[RAM_BYTES];

static void read_registers(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX])
{
    (void)node;
    memcpy(value, reg, sizeof reg);
}

static void write_register(struct pb_node *node, unsigned number, uint32_t value)
{
    (void)node;
    reg[number] = value;
}

static bool read_memory(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count)
{
    (void)node;
    if (address < RAM || count > RAM_BYTES || address - RAM > RAM_BYTES - count)
        return false;
    memcpy(bytes, ram + (address - RAM), count);
    return true;
}

static bool write_memory(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count)
{
    (void)node;
    if (address < RAM || count > RAM_BYTES || address - RAM > RAM_BYTES - count)
        return false;
    memcpy(ram + (address - RAM), bytes, count);
    return true;
}

static const struct pb_mcu_register registers[] = {
    {"a", "int", "one"}, {"b", "int", "one"}, {"sp", "data_ptr", "one"}, {"pc", "code_ptr", "two"}};
static const struct pb_mcu_soc soc = {
    .registers = registers,
    .register_count = 4,
    .pc = PC,
    .architecture = "test",
    .read_registers = read_registers,
    .write_register = write_register,
    .read_memory = read_memory,
    .write_memory = write_memory,
};

static struct pb_gdb_target target;
static char reply[PB_GDB_PACKET_MAX + 1];

static void begin(void)
{
    static const uint32_t values[] = {0x11223344, 2, 0x1040, 0x80000000};
    memcpy(reg, values, sizeof reg);
    for (unsigned i = 0; i < RAM_BYTES; i++)
        ram[i] = (uint8_t)i;
    target = (struct pb_gdb_target){.soc = &soc, .hit = -1, .signal = 5};
}

static enum pb_gdb_action say(const char *text)
{
    return pb_gdb_command(&target, text, strlen(text), reply);
}

#define ANSWERS(text, answer)                                                                                \
    do {                                                                                                     \
        assert_int_equal(say(text), PB_GDB_STAY);                                                            \
        assert_string_equal(reply, answer);                                                                  \
    } while (0)

/* ---- packets */

static enum pb_gdb_event feed(struct pb_gdb_input *input, const char *bytes, size_t size)
{
    enum pb_gdb_event event = PB_GDB_NOTHING;
    for (size_t i = 0; i < size; i++)
        event = pb_gdb_take(input, (uint8_t)bytes[i]);
    return event;
}
#define FEED(input, bytes) feed(input, bytes, sizeof(bytes) - 1)

TEST(test_packets)
{
    struct pb_gdb_input input = {0};
    assert_int_equal(FEED(&input, "+$?#3f"), PB_GDB_PACKET);
    assert_string_equal(input.text, "?");
    assert_int_equal(FEED(&input, "$qC#B4"), PB_GDB_PACKET); /* 0x71 + 0x43 */
    assert_string_equal(input.text, "qC");
    assert_int_equal(FEED(&input, "$?#40"), PB_GDB_DAMAGED);
    assert_int_equal(FEED(&input, "$?#4x"), PB_GDB_DAMAGED);
    assert_int_equal(FEED(&input, "$#00"), PB_GDB_PACKET);
    assert_int_equal(input.length, 0);
    assert_int_equal(FEED(&input, "\x03"), PB_GDB_INTERRUPT);
    assert_int_equal(FEED(&input, "$g$?#3f"), PB_GDB_PACKET); /* the end of the first one was lost */
    assert_string_equal(input.text, "?");
    /* 0x7d 0x03 is '#', 0x7d 0x04 is '$'; a Ctrl-C within a packet is content. */
    assert_int_equal(FEED(&input, "$X}\x03}\x04\x03#5c"), PB_GDB_PACKET);
    assert_int_equal(input.length, 4);
    assert_memory_equal(input.text, "X#$\x03", 4);
}

TEST(test_longest_packet)
{
    static struct pb_gdb_input input;
    for (unsigned over = 0; over < 2; over++) {
        uint8_t sum = 0;
        char end[4];
        pb_gdb_take(&input, '$');
        for (unsigned i = 0; i < PB_GDB_PACKET_MAX + over; i++) {
            pb_gdb_take(&input, 'm');
            sum = (uint8_t)(sum + 'm');
        }
        snprintf(end, sizeof end, "#%02x", sum);
        assert_int_equal(feed(&input, end, 3), over ? PB_GDB_DAMAGED : PB_GDB_PACKET);
    }
}

TEST(test_frame)
{
    char out[PB_GDB_PACKET_MAX + 5];
    assert_int_equal(pb_gdb_frame(out, "OK"), 6);
    assert_string_equal(out, "$OK#9a");
    assert_int_equal(pb_gdb_frame(out, ""), 4);
    assert_string_equal(out, "$#00");
}

/* ---- commands */

TEST(test_registers)
{
    begin();
    ANSWERS("g", "44332211020000004010000000000080");
    ANSWERS("p2", "40100000");
    ANSWERS("p4", "E16");
    ANSWERS("p", "E16");
    ANSWERS("P1=78563412", "OK");
    assert_int_equal(reg[1], 0x12345678);
    ANSWERS("P1=7856341", "E16");
    ANSWERS("P4=78563412", "E16");
    ANSWERS("G01000000020000000300000004000000", "OK");
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(reg[i], i + 1);
    ANSWERS("G0100000002000000", "E16");
    assert_int_equal(reg[0], 1);
}

TEST(test_memory)
{
    begin();
    ANSWERS("m1000,4", "00010203");
    ANSWERS("m103e,8", "3e3f"); /* as far as it goes */
    ANSWERS("m1040,1", "E0e");
    ANSWERS("mfff,4", "E0e");
    ANSWERS("m1000", "E16");
    ANSWERS("m123456789,1", "E16");
    ANSWERS("M1002,2:abCD", "OK");
    assert_memory_equal(ram, "\x00\x01\xab\xcd\x04", 5);
    ANSWERS("M103f,2:abcd", "E0e");
    assert_int_equal(ram[63], 63);
    ANSWERS("M1000,2:ab", "E16");
    ANSWERS("M1000,ffffffff:ab", "E16");
    assert_int_equal(pb_gdb_command(&target, "X1000,3:a\0b", 11, reply), PB_GDB_STAY);
    assert_string_equal(reply, "OK");
    assert_memory_equal(ram, "a\0b\xcd", 4);
    ANSWERS("X1000,3:ab", "E16");
    ANSWERS("X1000,0:", "OK");
    char longest[] = "m1000,ffffffff";
    ANSWERS(longest, "6100""62cd0405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                     "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");
}

TEST(test_breakpoints)
{
    char text[32];
    begin();
    assert_false(pb_gdb_breaks(&target, 0x100));
    ANSWERS("Z0,100,2", "OK");
    ANSWERS("Z1,200,4", "OK");
    ANSWERS("Z0,100,2", "OK"); /* once is enough */
    assert_int_equal(target.breakpoints, 2);
    assert_true(pb_gdb_breaks(&target, 0x100));
    assert_true(pb_gdb_breaks(&target, 0x200));
    ANSWERS("z0,100,2", "OK");
    assert_false(pb_gdb_breaks(&target, 0x100));
    assert_true(pb_gdb_breaks(&target, 0x200));
    ANSWERS("z0,300,2", "OK");
    ANSWERS("Z0,100", "E16");
    ANSWERS("Z3,1000,4", ""); /* not known */
    ANSWERS("Z4,1000,4", "");
    for (unsigned i = 1; i < PB_GDB_BREAKPOINTS; i++) {
        snprintf(text, sizeof text, "Z0,%x,2", 0x1000 + 2 * i);
        ANSWERS(text, "OK");
    }
    ANSWERS("Z0,5000,2", "E1c");
}

TEST(test_watchpoints)
{
    begin();
    ANSWERS("Z2,1004,4", "OK");
    ANSWERS("Z2,1010,1", "OK");
    assert_int_equal(pb_gdb_watched(&target), -1);
    ram[8] ^= 1; /* next to it */
    assert_int_equal(pb_gdb_watched(&target), -1);
    ram[7] ^= 1;
    assert_int_equal(pb_gdb_watched(&target), 0);
    assert_int_equal(pb_gdb_watched(&target), -1);
    ram[16] ^= 1;
    target.hit = pb_gdb_watched(&target);
    assert_int_equal(target.hit, 1);
    ANSWERS("?", "T05watch:1010;thread:1;");
    ANSWERS("z2,1004,4", "OK");
    ram[7] ^= 1;
    assert_int_equal(pb_gdb_watched(&target), -1);
    ANSWERS("Z2,1004,11", "E1c"); /* 17 bytes */
    ANSWERS("Z2,2000,4", "E0e");
    ANSWERS("Z2,1000,0", "E0e");
}

TEST(test_queries)
{
    begin();
    ANSWERS("?", "T05thread:1;");
    ANSWERS("qSupported:swbreak+", "PacketSize=1000;qXfer:features:read+;QStartNoAckMode+;vContSupported+");
    ANSWERS("qAttached", "1");
    ANSWERS("qfThreadInfo", "m1");
    ANSWERS("qsThreadInfo", "l");
    ANSWERS("Hg0", "OK");
    ANSWERS("qOffsets", "");
    ANSWERS("!", "");
    ANSWERS("", "");
    assert_false(target.silent);
    ANSWERS("QStartNoAckMode", "OK");
    assert_true(target.silent);
    ANSWERS("qXfer:features:read:target.xml:0,15", "m<?xml version=\"1.0\"?>");
    ANSWERS("qXfer:features:read:target.xml:15,9", "m<!DOCTYPE");
    assert_int_equal(say("qXfer:features:read:target.xml:0,1000"), PB_GDB_STAY);
    assert_int_equal(*reply, 'l');
    assert_non_null(strstr(reply, "<architecture>test</architecture><feature name=\"one\">"
                                  "<reg name=\"a\" bitsize=\"32\" type=\"int\" regnum=\"0\"/>"));
    assert_non_null(strstr(reply, "</feature><feature name=\"two\"><reg name=\"pc\" bitsize=\"32\" "
                                  "type=\"code_ptr\" regnum=\"3\"/></feature></target>"));
    ANSWERS("qXfer:features:read:target.xml:ffff,10", "E16");
    target.now_ps = 1234567890;
    say("qRcmd,74696d65"); /* "time" */
    assert_memory_equal(reply, "313233342e353637383930", 22); /* "1234.567890" */
    ANSWERS("qRcmd,7", "6d6f6e69746f722074696d653a2074696d652066726f6d20706f7765722d75702c20737570657266"
                       "72616d6520616e642070686173650a");
}

TEST(test_actions)
{
    begin();
    assert_int_equal(say("c"), PB_GDB_CONTINUE);
    assert_int_equal(reg[PC], 0x80000000);
    assert_int_equal(say("c400"), PB_GDB_CONTINUE);
    assert_int_equal(reg[PC], 0x400);
    assert_int_equal(say("s402"), PB_GDB_STEP);
    assert_int_equal(reg[PC], 0x402);
    assert_int_equal(say("C05"), PB_GDB_CONTINUE);
    assert_int_equal(reg[PC], 0x402);
    assert_int_equal(say("S05;500"), PB_GDB_STEP);
    assert_int_equal(reg[PC], 0x500);
    ANSWERS("vCont?", "vCont;c;C;s;S");
    assert_int_equal(say("vCont;s:1;c"), PB_GDB_STEP);
    assert_int_equal(say("vCont;c"), PB_GDB_CONTINUE);
    ANSWERS("vCont;x", "E16");
    ANSWERS("vMustReplyEmpty", "");
    assert_int_equal(say("D"), PB_GDB_DETACH);
    assert_string_equal(reply, "OK");
    assert_int_equal(say("k"), PB_GDB_KILL);
    assert_int_equal(say("vKill;1"), PB_GDB_KILL);
}
