/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_rom.h"

#include "bench/emulator/soc/rp2040_rom_float.h"

#include <string.h>

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) TIME_##name = number,
#include "bench/emulator/soc/rp2040_timing.def"
#undef RP2040_TIMING
};

/* X(identifier, first letter, second letter); '\0': not in the table. */
#define FUNCTIONS(X)                                                                                         \
    X(DEAD, 0, 0)                                                                                            \
    X(RESET, 0, 0)                                                                                           \
    X(LOOKUP, 0, 0)                                                                                          \
    X(POPCOUNT32, 'P', '3')                                                                                  \
    X(REVERSE32, 'R', '3')                                                                                   \
    X(CLZ32, 'L', '3')                                                                                       \
    X(CTZ32, 'T', '3')                                                                                       \
    X(MEMSET, 'M', 'S')                                                                                      \
    X(MEMSET4, 'S', '4')                                                                                     \
    X(MEMCPY, 'M', 'C')                                                                                      \
    X(MEMCPY44, 'C', '4')                                                                                    \
    X(USB_BOOT, 'U', 'B')                                                                                    \
    X(WAIT_FOR_VECTOR, 'W', 'V')                                                                             \
    X(CONNECT, 'I', 'F')                                                                                     \
    X(EXIT_XIP, 'E', 'X')                                                                                    \
    X(ERASE, 'R', 'E')                                                                                       \
    X(PROGRAM, 'R', 'P')                                                                                     \
    X(FLUSH, 'F', 'C')                                                                                       \
    X(ENTER_XIP, 'C', 'X')
enum function {
#define FUNCTION_ENUM(id, a, b) ROM_##id,
    FUNCTIONS(FUNCTION_ENUM)
#undef FUNCTION_ENUM
        ROM_FUNCTIONS,
    ROM_FLOAT0 = 64,
    ROM_DOUBLE0 = 128
};
_Static_assert(ROM_FUNCTIONS <= ROM_FLOAT0, "numbers of an UDF");

/* ---- its content */

enum {
    AT_STUBS = 0x100,
    AT_TABLE = 0x300,
    AT_DATA = 0x400,
    AT_FLOAT = 0x482,
    AT_DOUBLE = 0x582,
    AT_TEXT = 0x640
};
enum { ROM_VERSION = 3 };

static void put16(uint8_t *rom, uint32_t at, uint32_t value)
{
    rom[at] = (uint8_t)value;
    rom[at + 1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *rom, uint32_t at, uint32_t value)
{
    put16(rom, at, value & 0xFFFF);
    put16(rom, at + 2, value >> 16);
}

static uint32_t stub(unsigned number)
{
    return (AT_STUBS + 2 * number) | 1;
}

static void add_table(uint8_t *rom, uint32_t *at, char a, char b, uint32_t value)
{
    put16(rom, *at, (uint32_t)(uint8_t)a | (uint32_t)(uint8_t)b << 8);
    put16(rom, *at + 2, value);
    *at += 4;
}

static void make(uint8_t *rom)
{
    static const char text[] = "phasebench: a model of the boot ROM";
    uint32_t function = AT_TABLE, data = AT_DATA;
    put32(rom, 0x00, 0x20041F00);
    put32(rom, 0x04, stub(ROM_RESET));
    put32(rom, 0x08, stub(ROM_DEAD));
    put32(rom, 0x0C, stub(ROM_DEAD));
    put32(rom, 0x10, 'M' | 'u' << 8 | 1 << 16 | ROM_VERSION << 24);
    put16(rom, 0x14, AT_TABLE);
    put16(rom, 0x16, AT_DATA);
    put16(rom, 0x18, stub(ROM_LOOKUP));
    for (unsigned i = 0; i < 256; i++)
        put16(rom, AT_STUBS + 2 * i, 0xDE00 | i);
#define ADD(id, a, b)                                                                                        \
    if ((a) != 0)                                                                                            \
        add_table(rom, &function, a, b, stub(ROM_##id));
    FUNCTIONS(ADD)
#undef ADD
    add_table(rom, &data, 'C', 'R', AT_TEXT);
    add_table(rom, &data, 'S', 'F', AT_FLOAT);
    add_table(rom, &data, 'S', 'D', AT_DOUBLE);
    rom[AT_FLOAT - 2] = rom[AT_DOUBLE - 2] = RP2040_ROM_OPERATIONS; /* words of the table */
    for (unsigned i = 0; i < RP2040_ROM_OPERATIONS; i++) {
        put32(rom, AT_FLOAT + 4 * i, stub(ROM_FLOAT0 + i));
        put32(rom, AT_DOUBLE + 4 * i, stub(ROM_DOUBLE0 + i));
    }
    memcpy(rom + AT_TEXT, text, sizeof text);
}

const uint8_t *rp2040_rom(void)
{
    static uint8_t rom[RP2040_ROM_BYTES];
    if (!rom[0x10])
        make(rom);
    return rom;
}

/* ---- functions */

static uint32_t reversed(uint32_t value)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (value >> i & 1) << (31 - i);
    return result;
}

static void set_memory(struct pb_armv6m *core, const struct rp2040_rom_bus *bus)
{
    for (uint32_t i = 0; i < core->r[2]; i++)
        if (!bus->write(bus->context, core->r[0] + i, (uint8_t)core->r[1])) {
            bus->refuse(bus->context, "boot ROM: memset outside memory");
            return;
        }
}

static void copy_memory(struct pb_armv6m *core, const struct rp2040_rom_bus *bus)
{
    for (uint32_t i = 0; i < core->r[2]; i++) {
        uint8_t byte;
        if (!bus->read(bus->context, core->r[1] + i, &byte) ||
            !bus->write(bus->context, core->r[0] + i, byte)) {
            bus->refuse(bus->context, "boot ROM: memcpy outside memory");
            return;
        }
    }
}

/* r0: table, r1: code; returns the value, or 0. */
static void look_up(struct pb_armv6m *core)
{
    const uint8_t *rom = rp2040_rom();
    uint32_t at = core->r[0];
    for (; at + 4 <= RP2040_ROM_BYTES && (rom[at] | rom[at + 1] << 8); at += 4) {
        core->cycle += TIME_rom_lookup;
        if ((uint32_t)(rom[at] | rom[at + 1] << 8) == core->r[1]) {
            core->r[0] = (uint32_t)(rom[at + 2] | rom[at + 3] << 8);
            return;
        }
    }
    core->r[0] = 0;
}

static bool flash_function(struct pb_armv6m *core, unsigned number, const struct rp2040_rom_bus *bus)
{
    void *const context = bus->context;
    switch (number) {
    case ROM_CONNECT:
        bus->flash_connect(context);
        return true;
    case ROM_EXIT_XIP:
        bus->flash_exit_xip(context);
        return true;
    case ROM_ERASE:
        bus->flash_erase(context, core->r[0], core->r[1]);
        return true;
    case ROM_PROGRAM:
        bus->flash_program(context, core->r[0], core->r[1], core->r[2]);
        return true;
    case ROM_FLUSH:
        bus->flash_flush(context);
        return true;
    case ROM_ENTER_XIP:
        bus->flash_enter_xip(context);
        return true;
    default:
        return false;
    }
}

static void plain_function(struct pb_armv6m *core, unsigned number, const struct rp2040_rom_bus *bus)
{
    uint32_t *r = core->r;
    switch (number) {
    case ROM_LOOKUP:
        look_up(core);
        break;
    case ROM_POPCOUNT32:
        r[0] = (uint32_t)__builtin_popcount(r[0]);
        break;
    case ROM_REVERSE32:
        r[0] = reversed(r[0]);
        break;
    case ROM_CLZ32:
        r[0] = r[0] ? (uint32_t)__builtin_clz(r[0]) : 32;
        break;
    case ROM_CTZ32:
        r[0] = r[0] ? (uint32_t)__builtin_ctz(r[0]) : 32;
        break;
    case ROM_MEMSET:
    case ROM_MEMSET4:
        set_memory(core, bus);
        core->cycle += number == ROM_MEMSET4 ? r[2] / 4 : r[2];
        break;
    case ROM_MEMCPY:
    case ROM_MEMCPY44:
        copy_memory(core, bus);
        core->cycle += number == ROM_MEMCPY44 ? r[2] / 2 : 2 * (uint64_t)r[2];
        break;
    default:
        bus->refuse(bus->context,
                    number == ROM_USB_BOOT ? "boot ROM: USB boot" : "boot ROM: no such function");
        break;
    }
}

void rp2040_rom_call(struct pb_armv6m *core, unsigned number, const struct rp2040_rom_bus *bus)
{
    switch (number) {
    case ROM_DEAD: /* for good: the UDF comes again */
        core->r[15] -= 2;
        core->asleep = true;
        core->waits_event = false;
        core->primask = true;
        core->enabled = 0;
        return;
    case ROM_RESET:
        bus->boot(bus->context);
        return;
    case ROM_WAIT_FOR_VECTOR:
        bus->wait(bus->context);
        return;
    default:
        break;
    }
    core->cycle += TIME_rom_call;
    if (number >= ROM_DOUBLE0 && number < ROM_DOUBLE0 + RP2040_ROM_OPERATIONS) {
        core->cycle += TIME_rom_double;
        if (!rp2040_rom_double(core, number - ROM_DOUBLE0))
            bus->refuse(bus->context, "boot ROM: a floating-point function");
    } else if (number >= ROM_FLOAT0 && number < ROM_FLOAT0 + RP2040_ROM_OPERATIONS) {
        core->cycle += TIME_rom_float;
        if (!rp2040_rom_float(core, number - ROM_FLOAT0))
            bus->refuse(bus->context, "boot ROM: a floating-point function");
    } else if (!flash_function(core, number, bus)) {
        plain_function(core, number, bus);
    }
    core->r[15] = core->r[14] & ~UINT32_C(1);
    core->arm_state = !(core->r[14] & 1);
}
