/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The virtual FT2232H under any order of control and bulk transfers, cancelling, bytes from the line, time
 * and faults. Every transfer ends exactly once; every byte from the line reaches the host in its order, or
 * was lost or dropped; the FIFOs hold no more than they can.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "bench/usb/chip/ft2232h.h"

#include <errno.h>
#include <string.h>

enum { TRANSFERS = 24, DATA = 2048, LINE = 600, CONTROL = 512 };

struct slot {
    struct ft2232h_transfer transfer;
    bool pending;
    uint8_t data[DATA];
};

static struct slot slots[TRANSFERS];
static uint64_t came[FT2232H_CHANNELS]; /* payload bytes that the host got */

static unsigned channel_of(uint8_t endpoint)
{
    return (endpoint & 0x0f) > 2;
}

static void done(struct ft2232h_transfer *transfer)
{
    struct slot *slot = transfer->context;
    MUST(slot->pending);
    slot->pending = false;
    MUST(transfer->actual <= transfer->length);
    MUST(transfer->status == 0 || transfer->status == -EPIPE || transfer->status == -EOVERFLOW ||
         transfer->status == -ENOENT || transfer->status == -ESHUTDOWN);
    if (!(transfer->endpoint & 0x80)) {
        MUST(transfer->status || transfer->actual == transfer->length);
        return;
    }
    MUST(transfer->status || !transfer->length || transfer->actual >= 2);
    /* What did not fit into a transfer that overflowed went with it. */
    if (transfer->status == -EOVERFLOW)
        came[channel_of(transfer->endpoint)] = UINT64_MAX;
    else if (came[channel_of(transfer->endpoint)] != UINT64_MAX)
        came[channel_of(transfer->endpoint)] += transfer->actual - 2 * ((transfer->actual + 511) / 512);
}

static void submit(struct ft2232h *chip, struct input *input)
{
    static const uint8_t endpoint[] = {0x81, 0x02, 0x83, 0x04, 0x05, 0x00};
    struct slot *slot = &slots[take(input) % TRANSFERS];
    if (slot->pending)
        return;
    const uint8_t address = endpoint[take(input) % sizeof endpoint];
    const size_t length = take32(input) % (DATA + 1);
    slot->pending = true;
    slot->transfer = (struct ft2232h_transfer){
        .endpoint = address, .data = slot->data, .length = length, .done = done, .context = slot};
    const int code = ft2232h_submit(chip, &slot->transfer);
    MUST(code == ((address & 0x0f) >= 1 && (address & 0x0f) <= 4 ? 0 : -ENOENT));
    if (code)
        slot->pending = false;
}

static void cancel(struct ft2232h *chip, struct input *input)
{
    struct slot *slot = &slots[take(input) % TRANSFERS];
    const bool pending = slot->pending;
    if (!slot->transfer.done)
        return;
    MUST(ft2232h_cancel(chip, &slot->transfer) == pending);
    MUST(!slot->pending);
}

static void control(struct ft2232h *chip, struct input *input)
{
    uint8_t data[CONTROL + 1];
    struct ft2232h_setup setup = {.type = take(input), .request = take(input)};
    const uint32_t rest = take32(input);
    setup.value = (uint16_t)rest;
    setup.index = (uint16_t)(rest >> 16);
    setup.length = (uint16_t)(take32(input) % (CONTROL + 1));
    memset(data, 0, sizeof data);
    data[setup.length] = 0x5a;
    const int code = ft2232h_control(chip, &setup, data);
    MUST(code == -EPIPE || (code >= 0 && code <= setup.length));
    MUST(data[setup.length] == 0x5a);
}

static void check(const struct ft2232h *chip)
{
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++) {
        struct ft2232h_counters counters;
        struct ft2232h_line line;
        ft2232h_counters(chip, i, &counters);
        ft2232h_line(chip, i, &line);
        MUST(ft2232h_room(chip, i) <= FT2232H_FIFO_BYTES);
        MUST(ft2232h_waiting(chip, i) <= FT2232H_FIFO_BYTES);
        MUST(came[i] == UINT64_MAX || came[i] <= counters.bytes_in);
        MUST(ft2232h_baud(&line) > 0 && ft2232h_baud(&line) <= 12e6);
        MUST(line.mode <= FT2232H_TAKEN && line.data_bits >= 7 && line.data_bits <= 8);
    }
}

static struct ft2232h *plug(struct input *input)
{
    uint16_t word[FT2232H_EEPROM_WORDS];
    struct ft2232h_identity identity = {.vendor = 0x0403, .product = 0x6010, .name = "fuzz", .serial = "F"};
    const uint8_t kind = take(input);
    identity.fifo[0] = kind & 1;
    identity.fifo[1] = kind & 2;
    MUST(ft2232h_eeprom_build(word, &identity));
    for (unsigned i = 0; kind & 4 && i < FT2232H_EEPROM_WORDS; i++)
        word[i] = (uint16_t)(take(input) | take(input) << 8);
    if (kind & 8) /* the chip accepts any content */
        word[FT2232H_EEPROM_WORDS - 1] = ft2232h_eeprom_checksum(word);
    return ft2232h_create(word);
}

static void step(struct ft2232h *chip, struct input *input, int64_t *now_ps)
{
    static const uint8_t endpoint[] = {0x81, 0x02, 0x83, 0x04, 0x7f};
    uint8_t bytes[LINE];
    const uint8_t what = take(input);
    const unsigned channel = what >> 7;
    size_t count;
    switch (what & 0x0f) {
    case 0:
    case 1:
    case 2:
        submit(chip, input);
        break;
    case 3:
        cancel(chip, input);
        break;
    case 4:
    case 5:
        control(chip, input);
        break;
    case 6:
    case 7:
        count = take32(input) % (LINE + 1);
        memset(bytes, take(input), sizeof bytes);
        ft2232h_give(chip, channel, bytes, count, take(input) & 0x1e);
        break;
    case 8:
    case 9:
        count = take32(input) % (LINE + 1);
        MUST(ft2232h_take(chip, channel, bytes, count) <= count);
        break;
    case 10:
    case 11:
        *now_ps += take32(input);
        ft2232h_advance(chip, *now_ps);
        break;
    case 12:
        ft2232h_stall(chip, endpoint[take(input) % sizeof endpoint]);
        break;
    case 13:
        ft2232h_limit_packets(chip, take(input) * 3u);
        break;
    case 14:
        ft2232h_lose(chip, channel, take(input));
        break;
    default:
        ft2232h_reset(chip);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    uint8_t descriptors[FT2232H_DESCRIPTOR_BYTES];
    int64_t now_ps = 0;
    memset(slots, 0, sizeof slots);
    memset(came, 0, sizeof came);
    struct ft2232h *chip = plug(&input);
    MUST(chip);
    while (input.left) {
        step(chip, &input, &now_ps);
        check(chip);
    }
    MUST(ft2232h_descriptors(chip, descriptors) == 18 + 55);
    ft2232h_destroy(chip);
    for (unsigned i = 0; i < TRANSFERS; i++)
        MUST(!slots[i].pending);
    return 0;
}
