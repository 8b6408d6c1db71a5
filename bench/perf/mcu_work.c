/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a node's firmware does much of, as a load for emulated CPUs: a queue of messages in RAM, the link for
 * each by its destination, frames with CRC-8 and CRC-16, statistics, a few floats. Bare metal, for the
 * machine that mcu_rv32.c describes: the number of rounds is at the begin of RAM, the sum of what was done
 * goes into the next word.
 */
#include <stdint.h>

struct box {
    uint32_t rounds;
    uint32_t sum;
};
#define BOX ((volatile struct box *)0x80100000)
#define FINISH (*(volatile uint32_t *)0x00100000)

enum { MESSAGES = 64, LINKS = 12, FRAME = 8 };

struct message {
    uint16_t destination, sequence;
    uint8_t payload[4], next;
};

static struct message message[MESSAGES];
static uint8_t head[LINKS], tail[LINKS];
static uint32_t sent[LINKS];
static uint16_t crc16_of[256];

static uint32_t random_word(void)
{
    static uint32_t state;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static uint8_t crc8(const uint8_t *data, unsigned count)
{
    uint8_t crc = 0;
    while (count--) {
        crc ^= *data++;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
    }
    return crc;
}

static uint16_t crc16(const uint8_t *data, unsigned count)
{
    uint16_t crc = 0xFFFF;
    while (count--)
        crc = (uint16_t)(crc << 8 ^ crc16_of[crc >> 8 ^ *data++]);
    return crc;
}

static void make_table(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint16_t crc = (uint16_t)(i << 8);
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
        crc16_of[i] = crc;
    }
}

/* The lowest dimension in which the addresses differ. */
static unsigned link_of(uint32_t own, uint32_t destination)
{
    unsigned link = 0;
    for (uint32_t differing = own ^ destination; !(differing & 1) && link < LINKS - 1; differing >>= 1)
        link++;
    return link;
}

static void append(uint8_t which, uint32_t own)
{
    const unsigned link = link_of(own, message[which].destination);
    message[which].next = 0xFF;
    if (head[link] == 0xFF)
        head[link] = which;
    else
        message[tail[link]].next = which;
    tail[link] = which;
}

static uint32_t phase(unsigned link, uint32_t own)
{
    const uint8_t which = head[link];
    uint8_t frame[FRAME];
    if (which == 0xFF)
        return 0;
    struct message *const at = &message[which];
    head[link] = at->next;
    frame[0] = (uint8_t)(at->destination >> 4);
    frame[1] = (uint8_t)(at->destination << 4 | at->sequence >> 8);
    frame[2] = (uint8_t)at->sequence;
    for (unsigned i = 0; i < 4; i++)
        frame[3 + i] = at->payload[i];
    frame[7] = crc8(frame, 7);
    const uint32_t sum = crc16(frame, FRAME);
    sent[link]++;
    at->destination = random_word() & 0xFFF;
    at->sequence++;
    at->payload[at->sequence & 3] = (uint8_t)sum;
    append(which, own);
    return sum;
}

static void work(void)
{
    const uint32_t own = 0x2A3;
    uint32_t sum = 0;
    float mean = 0;
    make_table();
    for (unsigned link = 0; link < LINKS; link++)
        head[link] = 0xFF;
    for (uint8_t i = 0; i < MESSAGES; i++) {
        message[i].destination = random_word() & 0xFFF;
        append(i, own);
    }
    for (uint32_t round = 0; round < BOX->rounds; round++) {
        for (unsigned link = 0; link < LINKS; link++)
            sum += phase(link, own) * 31;
        mean += ((float)sent[round % LINKS] - mean) / 16;
        sum ^= sum / (round % 7 + 1);
    }
    BOX->sum = sum + (uint32_t)mean;
    FINISH = 0x5555;
    for (;;)
        ;
}

__attribute__((naked, section(".start"))) void start(void)
{
    __asm__("li t0, 0x6000\n csrs mstatus, t0\n la sp, 0x80110000\n j %0" ::"i"(work));
}
