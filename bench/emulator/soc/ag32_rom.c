/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ag32_rom.h"

#include <string.h>

#define BAUD_HZ 460800
enum {
    PAGE_BYTES = 0x1000,
    READ_MAX = 1024,
    ACK = 0x79,
    NACK = 0x1F,
    SYNC = 0x7F,
    GET = 0x00,
    GET_ID = 0x02,
    READ = 0x13,
    WRITE = 0x33,
    ERASE = 0x44
};

/* Assumed, as for other flash of this size: no data sheet gives them. */
#define ERASE_PS INT64_C(40000000000) /* a page: 40 ms */
#define WORD_PS INT64_C(20000000)     /* a word: 20 us */
#define ANSWER_PS INT64_C(10000000)   /* any other answer: 10 us */

void pb_ag32_rom_start(struct pb_ag32_rom *rom, uint8_t *flash, int64_t now_ps, int32_t clock_ppm, bool level)
{
    *rom = (struct pb_ag32_rom){.flash = flash, .answer_ps = UART_NEVER};
    uart_tx_init(&rom->tx, clock_rate(BAUD_HZ, clock_ppm));
    uart_rx_start(&rom->rx, clock_rate(16 * BAUD_HZ, clock_ppm), now_ps, level);
}

static void answer(struct pb_ag32_rom *rom, int64_t at_ps, uint8_t value)
{
    rom->answer[rom->answers++] = value;
    rom->answer_ps = at_ps;
}

static void await(struct pb_ag32_rom *rom, enum pb_ag32_rom_state state)
{
    rom->state = state;
    rom->taken = 0;
}

static bool sealed(const struct pb_ag32_rom *rom)
{
    uint8_t check = 0;
    for (unsigned i = 0; i < rom->taken; i++)
        check ^= rom->block[i];
    return !check;
}

static unsigned word_of(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static void refuse(struct pb_ag32_rom *rom, int64_t now_ps)
{
    answer(rom, now_ps + ANSWER_PS, NACK);
    await(rom, PB_AG32_ROM_COMMAND);
}

static void list(struct pb_ag32_rom *rom, int64_t at_ps, const uint8_t *bytes, unsigned count)
{
    answer(rom, at_ps, ACK);
    answer(rom, at_ps, (uint8_t)(count - 1));
    for (unsigned i = 0; i < count; i++)
        answer(rom, at_ps, bytes[i]);
    answer(rom, at_ps, ACK);
    await(rom, PB_AG32_ROM_COMMAND);
}

static void execute(struct pb_ag32_rom *rom, int64_t now_ps)
{
    static const uint8_t commands[] = {0x20, 0x00, 0x01, 0x02, 0x13, 0x33, 0x44, 0x21,
                                       0x63, 0x73, 0x82, 0x92, 0xA2, 0xA3, 0xA1};
    static const uint8_t identity[] = {0x40, 0x20, 0x00, 0x01};
    const int64_t at_ps = now_ps + ANSWER_PS;
    rom->command = rom->block[0];
    if ((rom->block[0] ^ rom->block[1]) != 0xFF)
        refuse(rom, now_ps);
    else if (rom->command == GET)
        list(rom, at_ps, commands, sizeof commands);
    else if (rom->command == GET_ID)
        list(rom, at_ps, identity, sizeof identity);
    else if (rom->command == READ || rom->command == WRITE || rom->command == ERASE) {
        answer(rom, at_ps, ACK);
        await(rom, rom->command == ERASE ? PB_AG32_ROM_PAGES : PB_AG32_ROM_ADDRESS);
    } else
        refuse(rom, now_ps);
}

/* Whether `count` bytes from rom->address on are in flash. */
static bool in_flash(const struct pb_ag32_rom *rom, uint32_t count)
{
    return rom->address >= PB_AG32_FLASH_BASE &&
           rom->address - PB_AG32_FLASH_BASE <= PB_AG32_FLASH_SPAN - count;
}

static void take_address(struct pb_ag32_rom *rom, int64_t now_ps)
{
    rom->address = (uint32_t)word_of(rom->block) << 16 | word_of(rom->block + 2);
    if (!sealed(rom) || !in_flash(rom, 1)) {
        refuse(rom, now_ps);
        return;
    }
    answer(rom, now_ps + ANSWER_PS, ACK);
    await(rom, rom->command == READ ? PB_AG32_ROM_LENGTH : PB_AG32_ROM_BYTES);
}

static void read_flash(struct pb_ag32_rom *rom, int64_t now_ps)
{
    const unsigned count = word_of(rom->block) + 1;
    if (!sealed(rom) || count > READ_MAX || !in_flash(rom, count)) {
        refuse(rom, now_ps);
        return;
    }
    const int64_t at_ps = now_ps + ANSWER_PS;
    answer(rom, at_ps, ACK);
    for (unsigned i = 0; i < count; i++)
        answer(rom, at_ps, rom->flash[rom->address - PB_AG32_FLASH_BASE + i]);
    await(rom, PB_AG32_ROM_COMMAND);
}

static void erase(struct pb_ag32_rom *rom, int64_t now_ps)
{
    const unsigned count = word_of(rom->block) + 1;
    bool good = sealed(rom);
    for (unsigned i = 0; good && i < count; i++)
        good = word_of(rom->block + 2 + 2 * i) < PB_AG32_FLASH_SPAN / PAGE_BYTES;
    if (!good) {
        refuse(rom, now_ps);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        memset(rom->flash + (size_t)word_of(rom->block + 2 + 2 * i) * PAGE_BYTES, 0xFF, PAGE_BYTES);
    answer(rom, now_ps + (int64_t)count * ERASE_PS, ACK);
    await(rom, PB_AG32_ROM_COMMAND);
}

/* Programming only clears bits. */
static void program(struct pb_ag32_rom *rom, int64_t now_ps)
{
    const unsigned count = word_of(rom->block) + 1;
    if (!sealed(rom) || !in_flash(rom, count)) {
        refuse(rom, now_ps);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        rom->flash[rom->address - PB_AG32_FLASH_BASE + i] &= rom->block[2 + i];
    answer(rom, now_ps + (int64_t)(count + 3) / 4 * WORD_PS, ACK);
    await(rom, PB_AG32_ROM_COMMAND);
}

/* Bytes of the block that is due, as far as is known. */
static unsigned due(const struct pb_ag32_rom *rom)
{
    const unsigned count = rom->taken < 2 ? 0 : word_of(rom->block) + 1;
    switch (rom->state) {
    case PB_AG32_ROM_SYNC:
        return 1;
    case PB_AG32_ROM_COMMAND:
        return 2;
    case PB_AG32_ROM_ADDRESS:
        return 5;
    case PB_AG32_ROM_LENGTH:
        return 3;
    case PB_AG32_ROM_PAGES:
        return rom->taken < 2 ? 2 : 2 + 2 * count + 1;
    case PB_AG32_ROM_BYTES:
        break;
    }
    return rom->taken < 2 ? 2 : 2 + count + 1;
}

static void take(struct pb_ag32_rom *rom, int64_t now_ps, uint8_t value)
{
    rom->block[rom->taken++] = value;
    const unsigned bytes = due(rom); /* the first ones give the length of a block */
    if (bytes > PB_AG32_ROM_BLOCK) {
        refuse(rom, now_ps);
        return;
    }
    if (rom->taken < bytes)
        return;
    switch (rom->state) {
    case PB_AG32_ROM_SYNC:
        if (value == SYNC) {
            answer(rom, now_ps + ANSWER_PS, ACK);
            await(rom, PB_AG32_ROM_COMMAND);
        }
        rom->taken = 0;
        break;
    case PB_AG32_ROM_COMMAND:
        execute(rom, now_ps);
        break;
    case PB_AG32_ROM_ADDRESS:
        take_address(rom, now_ps);
        break;
    case PB_AG32_ROM_LENGTH:
        read_flash(rom, now_ps);
        break;
    case PB_AG32_ROM_PAGES:
        erase(rom, now_ps);
        break;
    case PB_AG32_ROM_BYTES:
        program(rom, now_ps);
        break;
    }
}

int64_t pb_ag32_rom_advance(struct pb_ag32_rom *rom, int64_t now_ps, const struct pb_node_inputs *in,
                            struct pb_node_outputs *out)
{
    struct uart_byte byte;
    /* A byte that comes while an answer waits or is sent has no place to go. */
    if (uart_rx_advance(&rom->rx, now_ps, in->uart0_rx, &byte) && byte.framing_ok && !rom->answers)
        take(rom, now_ps, byte.value);
    uart_tx_advance(&rom->tx, now_ps);
    if (rom->answers && rom->answer_ps == UART_NEVER && !rom->tx.busy)
        rom->answers = 0;
    if (rom->answer_ps <= now_ps) {
        rom->answer_ps = UART_NEVER;
        uart_tx_start(&rom->tx, now_ps, rom->answer, rom->answers);
        uart_tx_advance(&rom->tx, now_ps);
    }
    *out = (struct pb_node_outputs){.uart0_tx = rom->tx.level};
    int64_t next_ps = rom->tx.next_ps < rom->rx.next_ps ? rom->tx.next_ps : rom->rx.next_ps;
    return next_ps < rom->answer_ps ? next_ps : rom->answer_ps;
}
