/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/gdb_command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Errors, by the numbers that gdb shows. */
#define BAD_ADDRESS "E0e"
#define BAD_ARGUMENT "E16"
#define NO_ROOM "E1c"
enum { REPLY_BYTES = PB_GDB_PACKET_MAX + 1, READ_MAX = PB_GDB_PACKET_MAX / 2 };

static void say(char *reply, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char *reply, const char *format, ...)
{
    const size_t length = strlen(reply);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reply + length, REPLY_BYTES - length, format, arguments);
    va_end(arguments);
}

static void say_word(char *reply, uint32_t value) /* in the order of its bytes in memory */
{
    say(reply, "%02x%02x%02x%02x", value & 0xFF, value >> 8 & 0xFF, value >> 16 & 0xFF, value >> 24);
}

/* Reads bytes in hexadecimal form. False: fewer than `count`. */
static bool read_bytes(const char *at, uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const int high = pb_gdb_digit(at[0]), low = high < 0 ? -1 : pb_gdb_digit(at[1]);
        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return true;
}

static bool read_word(const char *at, uint32_t *value)
{
    uint8_t bytes[4];
    if (!read_bytes(at, bytes, 4))
        return false;
    *value = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return true;
}

/* "ADDRESS,LENGTH" */
static bool read_range(const char **at, uint32_t *address, uint32_t *length)
{
    return pb_gdb_number(at, address) && *(*at)++ == ',' && pb_gdb_number(at, length);
}

/* ---- registers */

static void read_all(const struct pb_gdb_target *target, char *reply)
{
    uint32_t value[PB_MCU_REGISTERS_MAX];
    target->soc->read_registers(target->part, value);
    for (unsigned i = 0; i < target->soc->register_count; i++)
        say_word(reply, value[i]);
}

static void write_all(struct pb_gdb_target *target, const char *at, char *reply)
{
    const unsigned count = target->soc->register_count;
    uint32_t value[PB_MCU_REGISTERS_MAX];
    for (unsigned i = 0; i < count; i++)
        if (!read_word(at + 8 * i, &value[i])) {
            say(reply, BAD_ARGUMENT);
            return;
        }
    for (unsigned i = 0; i < count; i++)
        target->soc->write_register(target->part, i, value[i]);
    say(reply, "OK");
}

static void read_one(const struct pb_gdb_target *target, const char *at, char *reply)
{
    uint32_t value[PB_MCU_REGISTERS_MAX], number;
    if (!pb_gdb_number(&at, &number) || number >= target->soc->register_count) {
        say(reply, BAD_ARGUMENT);
        return;
    }
    target->soc->read_registers(target->part, value);
    say_word(reply, value[number]);
}

static void write_one(struct pb_gdb_target *target, const char *at, char *reply)
{
    uint32_t number, value;
    if (!pb_gdb_number(&at, &number) || *at++ != '=' || !read_word(at, &value) ||
        number >= target->soc->register_count) {
        say(reply, BAD_ARGUMENT);
        return;
    }
    target->soc->write_register(target->part, number, value);
    say(reply, "OK");
}

/* ---- memory */

/* What can be read from the address on; gdb asks for the rest again. */
static void read_memory(const struct pb_gdb_target *target, const char *at, char *reply)
{
    uint32_t address, length;
    uint8_t byte;
    if (!read_range(&at, &address, &length)) {
        say(reply, BAD_ARGUMENT);
        return;
    }
    length = length < READ_MAX ? length : READ_MAX;
    for (uint32_t i = 0; i < length && target->soc->read_memory(target->part, address + i, &byte, 1); i++)
        say(reply + 2 * i, "%02x", byte);
    if (length && !*reply)
        say(reply, BAD_ADDRESS);
}

static void write_memory(struct pb_gdb_target *target, const char *at, size_t length, bool binary,
                         char *reply)
{
    uint8_t bytes[PB_GDB_PACKET_MAX];
    const char *const end = at + length;
    uint32_t address, count;
    bool good = read_range(&at, &address, &count) && *at++ == ':' && count <= sizeof bytes;
    if (good && binary && (good = (size_t)(end - at) == count))
        memcpy(bytes, at, count);
    else if (good)
        good = read_bytes(at, bytes, count);
    if (!good)
        say(reply, BAD_ARGUMENT);
    else
        say(reply, target->soc->write_memory(target->part, address, bytes, count) ? "OK" : BAD_ADDRESS);
}

/* ---- breakpoints */

bool pb_gdb_breaks(const struct pb_gdb_target *target, uint32_t pc)
{
    for (unsigned i = 0; i < target->breakpoints; i++)
        if (target->breakpoint[i] == pc)
            return true;
    return false;
}

int pb_gdb_watched(struct pb_gdb_target *target)
{
    int hit = -1;
    for (unsigned i = 0; i < target->watchpoints; i++) {
        struct pb_gdb_watchpoint *one = &target->watchpoint[i];
        uint8_t now[PB_GDB_WATCH_BYTES];
        if (!target->soc->read_memory(target->part, one->address, now, one->bytes) ||
            !memcmp(now, one->was, one->bytes))
            continue;
        memcpy(one->was, now, one->bytes);
        hit = hit < 0 ? (int)i : hit;
    }
    return hit;
}

static void set_breakpoint(struct pb_gdb_target *target, uint32_t address, bool on, char *reply)
{
    unsigned at = 0;
    while (at < target->breakpoints && target->breakpoint[at] != address)
        at++;
    const bool known = at < target->breakpoints;
    if (on && !known && at == PB_GDB_BREAKPOINTS) {
        say(reply, NO_ROOM);
        return;
    }
    if (on && !known)
        target->breakpoint[target->breakpoints++] = address;
    else if (!on && known)
        target->breakpoint[at] = target->breakpoint[--target->breakpoints];
    say(reply, "OK");
}

static void set_watchpoint(struct pb_gdb_target *target, uint32_t address, uint32_t bytes, bool on,
                           char *reply)
{
    unsigned at = 0;
    while (at < target->watchpoints &&
           (target->watchpoint[at].address != address || target->watchpoint[at].bytes != bytes))
        at++;
    struct pb_gdb_watchpoint *one = &target->watchpoint[at];
    const bool known = at < target->watchpoints;
    if (on && !known) {
        if (at == PB_GDB_WATCHPOINTS || bytes > PB_GDB_WATCH_BYTES) {
            say(reply, NO_ROOM);
            return;
        }
        if (!bytes || !target->soc->read_memory(target->part, address, one->was, bytes)) {
            say(reply, BAD_ADDRESS);
            return;
        }
        one->address = address;
        one->bytes = bytes;
        target->watchpoints++;
    } else if (!on && known) {
        *one = target->watchpoint[--target->watchpoints];
    }
    say(reply, "OK");
}

/* "TYPE,ADDRESS,KIND"; of the types 3 and 4, of reads, nothing is known. */
static void set_point(struct pb_gdb_target *target, const char *at, bool on, char *reply)
{
    uint32_t type, address, kind;
    if (!pb_gdb_number(&at, &type) || *at++ != ',' || !read_range(&at, &address, &kind))
        say(reply, BAD_ARGUMENT);
    else if (type < 2)
        set_breakpoint(target, address, on, reply);
    else if (type == 2)
        set_watchpoint(target, address, kind, on, reply);
}

/* ---- queries */

static void describe(const struct pb_mcu_soc *soc, uint32_t from, uint32_t length, char *reply)
{
    static char xml[16384];
    size_t used = (size_t)snprintf(xml, sizeof xml,
                                   "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                                   "<target version=\"1.0\"><architecture>%s</architecture>",
                                   soc->architecture);
    const char *feature = "";
    for (unsigned i = 0; i < soc->register_count; i++) {
        const struct pb_mcu_register *one = &soc->registers[i];
        if (strcmp(feature, one->feature))
            used += (size_t)snprintf(xml + used, sizeof xml - used, "%s<feature name=\"%s\">",
                                     *feature ? "</feature>" : "", one->feature);
        feature = one->feature;
        used += (size_t)snprintf(xml + used, sizeof xml - used,
                                 "<reg name=\"%s\" bitsize=\"32\" type=\"%s\" regnum=\"%u\"/>", one->name,
                                 one->type, i);
    }
    used += (size_t)snprintf(xml + used, sizeof xml - used, "</feature></target>");
    if (from > used) {
        say(reply, BAD_ARGUMENT);
        return;
    }
    const uint32_t left = (uint32_t)used - from, most = PB_GDB_PACKET_MAX - 1;
    length = length < most ? length : most;
    say(reply, "%c%.*s", left > length ? 'm' : 'l', (int)(left < length ? left : length), xml + from);
}

static void monitor(const struct pb_gdb_target *target, const char *at, char *reply)
{
    char word[32] = "", text[160];
    const size_t length = strlen(at) / 2;
    if (!read_bytes(at, (uint8_t *)word, length < sizeof word ? (unsigned)length : sizeof word - 1)) {
        say(reply, BAD_ARGUMENT);
        return;
    }
    if (!strcmp(word, "time") && target->clocked)
        snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64 " us from power-up, superframe %" PRIu32
                                    ", phase %u\n",
                 target->now_ps / 1000000, target->now_ps % 1000000, target->superframe, target->phase);
    else if (!strcmp(word, "time"))
        snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64 " us from power-up, before the first phase\n",
                 target->now_ps / 1000000, target->now_ps % 1000000);
    else
        snprintf(text, sizeof text, "monitor time: time from power-up, superframe and phase\n");
    for (const char *c = text; *c; c++)
        say(reply, "%02x", (uint8_t)*c);
}

static bool begins(const char **text, const char *with)
{
    const size_t length = strlen(with);
    if (strncmp(*text, with, length))
        return false;
    *text += length;
    return true;
}

static void query(struct pb_gdb_target *target, const char *text, char *reply)
{
    uint32_t from, length;
    if (begins(&text, "qSupported"))
        say(reply, "PacketSize=%x;qXfer:features:read+;QStartNoAckMode+;vContSupported+", PB_GDB_PACKET_MAX);
    else if (begins(&text, "qXfer:features:read:target.xml:") && read_range(&text, &from, &length))
        describe(target->soc, from, length, reply);
    else if (begins(&text, "qRcmd,"))
        monitor(target, text, reply);
    else if (begins(&text, "qfThreadInfo"))
        say(reply, "m1");
    else if (begins(&text, "qsThreadInfo"))
        say(reply, "l");
    else if (begins(&text, "qAttached")) /* gdb then leaves it alone at its end */
        say(reply, "1");
    else if (begins(&text, "qC"))
        say(reply, "QC1");
    else if (begins(&text, "QStartNoAckMode")) {
        say(reply, "OK");
        target->silent = true;
    }
}

/* ---- execution */

void pb_gdb_stop_reply(const struct pb_gdb_target *target, char reply[PB_GDB_PACKET_MAX + 1])
{
    *reply = '\0';
    say(reply, "T%02x", target->signal);
    if (target->hit >= 0)
        say(reply, "watch:%" PRIx32 ";", target->watchpoint[target->hit].address);
    say(reply, "thread:1;");
}

/* "cADDRESS", "CSIGNAL;ADDRESS": where it goes on, if it is given. */
static void move(struct pb_gdb_target *target, const char *text)
{
    const char *at = *text == 'C' || *text == 'S' ? strchr(text, ';') : text;
    uint32_t address;
    if (at && *++at && pb_gdb_number(&at, &address))
        target->soc->write_register(target->part, target->soc->pc, address);
}

/* With one thread the first action is its. */
static enum pb_gdb_action resume(const char *text, char *reply)
{
    if (begins(&text, "vCont?")) {
        say(reply, "vCont;c;C;s;S");
        return PB_GDB_STAY;
    }
    if (begins(&text, "vCont;")) {
        if (*text == 's' || *text == 'S')
            return PB_GDB_STEP;
        if (*text == 'c' || *text == 'C')
            return PB_GDB_CONTINUE;
        say(reply, BAD_ARGUMENT);
        return PB_GDB_STAY;
    }
    return begins(&text, "vKill") ? PB_GDB_KILL : PB_GDB_STAY;
}

enum pb_gdb_action pb_gdb_command(struct pb_gdb_target *target, const char *text, size_t length,
                                  char reply[PB_GDB_PACKET_MAX + 1])
{
    *reply = '\0';
    switch (*text) {
    case '?':
        pb_gdb_stop_reply(target, reply);
        return PB_GDB_STAY;
    case 'g':
        read_all(target, reply);
        return PB_GDB_STAY;
    case 'G':
        write_all(target, text + 1, reply);
        return PB_GDB_STAY;
    case 'p':
        read_one(target, text + 1, reply);
        return PB_GDB_STAY;
    case 'P':
        write_one(target, text + 1, reply);
        return PB_GDB_STAY;
    case 'm':
        read_memory(target, text + 1, reply);
        return PB_GDB_STAY;
    case 'M':
    case 'X':
        write_memory(target, text + 1, length - 1, *text == 'X', reply);
        return PB_GDB_STAY;
    case 'Z':
    case 'z':
        set_point(target, text + 1, *text == 'Z', reply);
        return PB_GDB_STAY;
    case 'H':
    case 'T':
        say(reply, "OK");
        return PB_GDB_STAY;
    case 'q':
    case 'Q':
        query(target, text, reply);
        return PB_GDB_STAY;
    case 'v':
        return resume(text, reply);
    case 'c':
    case 'C':
        move(target, text);
        return PB_GDB_CONTINUE;
    case 's':
    case 'S':
        move(target, text);
        return PB_GDB_STEP;
    case 'D':
        say(reply, "OK");
        return PB_GDB_DETACH;
    case 'k':
        return PB_GDB_KILL;
    }
    return PB_GDB_STAY;
}
