/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "node_flash.h"

#include "ag32_boot.h"
#include "bench/emulator/image/settings_block.h"
#include "host/plan/plan.h"
#include "phasebench/event.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESET_MS = 2,
    BOOT_MS = 100, /* of the ROM, and of the firmware, after a reset */
    CHUNK = 100,   /* bytes of a record */
    ROOM_MS = 1000,
    WRITE_BYTES = 1024,
    ATTEMPTS = 3,
    IDENTIFY_MS = 500
};

struct flasher {
    const struct pb_node_flash *flash;
    struct pb_events events;
    size_t next; /* event */
    uint32_t period_q4;
    uint8_t content[PB_AG32_FLASH_BYTES];
    bool used[PB_AG32_PAGES];
    unsigned pages;
};

/* ---- the wire */

static int poll_ms(struct flasher *flasher, struct pb_diag *diag)
{
    if (flasher->flash->stop && *flasher->flash->stop)
        return pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted; the node remains in its boot loader");
    return pb_device_poll(flasher->flash->device, 1, &flasher->events, diag);
}

/* Discards what comes meanwhile. By the core's stamps, too: an external phase clock makes events all the
 * time.
 */
static int wait_ms(struct flasher *flasher, unsigned ms, struct pb_diag *diag)
{
    const uint64_t ticks = (uint64_t)ms * pb_device_info(flasher->flash->device)->clock_hz / 1000;
    uint64_t first = 0;
    bool any = false;
    for (unsigned silent = 0; silent < ms;) {
        const int got = poll_ms(flasher, diag);
        if (got < 0)
            return got;
        silent += got == 0;
        const struct pb_events *events = &flasher->events;
        if (events->count && !any)
            first = events->event[0].tick;
        any = any || events->count;
        if (events->count && events->event[events->count - 1].tick - first > ticks)
            break;
        flasher->events.count = flasher->next = 0;
    }
    flasher->events.count = flasher->next = 0;
    return PB_OK;
}

static int write_bytes(void *context, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct flasher *flasher = context;
    struct pb_device *device = flasher->flash->device;
    for (size_t at = 0; at < count;) {
        uint8_t record[PB_RECORD_MAX];
        const unsigned part = count - at < CHUNK ? (unsigned)(count - at) : CHUNK;
        const unsigned size = pb_record_immediate(record, PB_PLAY_TARGET_CONSOLE | flasher->flash->port,
                                                  flasher->period_q4, bytes + at, part);
        bool taken = false;
        for (unsigned waited_ms = 0; !taken; waited_ms++) {
            unsigned free_bytes;
            int code = pb_device_play(device, pb_device_info(device)->lanes - 1, record, size, &taken,
                                      &free_bytes, diag);
            if (!code && !taken)
                code = poll_ms(flasher, diag);
            if (code < 0)
                return code;
            if (waited_ms > ROOM_MS)
                return pb_fail(diag, PB_ERR_LINK, "the slot player takes no more bytes; open the rig again");
        }
        at += part;
    }
    return PB_OK;
}

/* Returns 1 and a byte that has come, or 0. */
static int take_byte(struct flasher *flasher, uint8_t *byte)
{
    while (flasher->next < flasher->events.count) {
        const struct pb_event *event = &flasher->events.event[flasher->next++];
        if (event->kind == PB_EVENT_CONSOLE && pb_event_stop_ok(event)) {
            *byte = (uint8_t)pb_event_data(event);
            return 1;
        }
    }
    flasher->events.count = flasher->next = 0;
    return 0;
}

static int read_bytes(void *context, uint8_t *bytes, size_t count, unsigned limit_ms, struct pb_diag *diag)
{
    struct flasher *flasher = context;
    const uint64_t limit_ticks = (uint64_t)limit_ms * pb_device_info(flasher->flash->device)->clock_hz / 1000;
    for (size_t at = 0; at < count; at++) {
        uint64_t first = 0;
        bool any = false;
        for (unsigned waited_ms = 0; !take_byte(flasher, &bytes[at]);) {
            const int got = waited_ms < limit_ms ? poll_ms(flasher, diag) : PB_ERR_NODE;
            if (got < 0)
                return got;
            waited_ms += got == 0;
            if (!got)
                continue;
            const uint64_t tick = flasher->events.event[flasher->events.count - 1].tick;
            if (!any)
                first = tick;
            any = true;
            if (tick > first + limit_ticks)
                waited_ms = limit_ms;
        }
    }
    return PB_OK;
}

static int reset(struct flasher *flasher, bool boot, uint32_t baud_hz, struct pb_diag *diag)
{
    struct pb_device *device = flasher->flash->device;
    const uint32_t bit = UINT32_C(1) << flasher->flash->port;
    const uint64_t clock_hz = pb_device_info(device)->clock_hz;
    flasher->period_q4 = (uint32_t)((16 * clock_hz + baud_hz / 2) / baud_hz);
    int code = pb_device_write(device, PB_REG_CONSOLE_PERIOD, flasher->period_q4, diag);
    if (!code)
        code = pb_device_write(device, PB_REG_NODE_BOOT, boot ? bit : 0, diag);
    if (!code)
        code = pb_device_write(device, PB_REG_NODE_RESET, bit, diag);
    if (!code)
        code = wait_ms(flasher, RESET_MS, diag);
    if (!code)
        code = pb_device_write(device, PB_REG_NODE_RESET, 0, diag);
    return code ? code : wait_ms(flasher, BOOT_MS, diag);
}

static int enter(void *context, struct pb_diag *diag)
{
    return reset(context, true, PB_AG32_BAUD_HZ, diag);
}

/* ---- the content */

static int put(struct flasher *flasher, uint32_t address, const uint8_t *bytes, uint32_t count,
               struct pb_diag *diag)
{
    if (address < PB_AG32_FLASH || count > PB_AG32_FLASH_BYTES ||
        address - PB_AG32_FLASH > PB_AG32_FLASH_BYTES - count)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the image has %" PRIu32 " bytes at 0x%08" PRIx32
                       ", outside the flash at 0x80000000, 256 KB; link it for the AG32VF303",
                       count, address);
    const uint32_t at = address - PB_AG32_FLASH;
    memcpy(flasher->content + at, bytes, count);
    for (uint32_t page = at / PB_AG32_PAGE_BYTES; page <= (at + count - 1) / PB_AG32_PAGE_BYTES; page++)
        flasher->used[page] = true;
    return PB_OK;
}

static int compose(struct flasher *flasher, struct pb_diag *diag)
{
    const struct pb_node_flash *flash = flasher->flash;
    uint32_t address;
    if (flash->image->format == PB_IMAGE_UF2)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%.90s is a UF2 file for an RP2040: copy it to its drive over USB (docs/reference/rp2040.md); "
            "the boot loader over UART0 is that of the AG32VF303, which takes its ELF file",
            flash->image->name);
    if (flash->image->machine != EM_RISCV)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "the image is for another machine (ELF number %u): the boot loader over UART0 is that of "
            "the AG32VF303; an RP2040 takes its UF2 file over USB (docs/reference/rp2040.md)",
            flash->image->machine);
    memset(flasher->content, 0xFF, sizeof flasher->content);
    for (unsigned i = 0; i < flash->image->segments; i++) {
        const struct pb_image_segment *segment = &flash->image->segment[i];
        const int code = put(flasher, segment->address, segment->data, segment->bytes, diag);
        if (code)
            return code;
    }
    if (flash->settings) {
        int code = pb_settings_find(flash->image, PB_AG32_FLASH, PB_AG32_FLASH_BYTES, &address, diag);
        if (code)
            return code;
        if (!address)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "the image has no symbol %s for the settings of the node; see docs/start/your-firmware.md",
                PB_SETTINGS_SYMBOL);
        code = put(flasher, address, flash->settings, PB_SETTINGS_BYTES, diag);
        if (code)
            return code;
    }
    for (unsigned page = 0; page < PB_AG32_PAGES; page++)
        flasher->pages += flasher->used[page];
    return PB_OK;
}

/* ---- the work */

static int verify(const struct flasher *flasher, const struct pb_boot_port *port, unsigned page,
                  struct pb_diag *diag)
{
    const uint32_t base = page * PB_AG32_PAGE_BYTES;
    for (uint32_t at = base; at < base + PB_AG32_PAGE_BYTES; at += PB_AG32_READ_MAX) {
        uint8_t bytes[PB_AG32_READ_MAX];
        const int code = pb_ag32_read(port, PB_AG32_FLASH + at, bytes, sizeof bytes, diag);
        if (code)
            return code;
        for (unsigned i = 0; i < sizeof bytes; i++)
            if (bytes[i] != flasher->content[at + i])
                return pb_fail(diag, PB_ERR_NODE,
                               "verify: the byte at 0x%08" PRIx32
                               " is 0x%02x, 0x%02x was written; the flash is worn out, or the supply is weak",
                               PB_AG32_FLASH + at + i, bytes[i], flasher->content[at + i]);
    }
    return PB_OK;
}

static int do_page(const struct flasher *flasher, const struct pb_boot_port *port, unsigned page,
                   struct pb_diag *diag)
{
    const uint32_t base = page * PB_AG32_PAGE_BYTES;
    int code = pb_ag32_erase(port, page, diag);
    for (uint32_t at = base; !code && at < base + PB_AG32_PAGE_BYTES; at += WRITE_BYTES)
        code = pb_ag32_write(port, PB_AG32_FLASH + at, flasher->content + at, WRITE_BYTES, diag);
    return code ? code : verify(flasher, port, page, diag);
}

static int do_pages(const struct flasher *flasher, const struct pb_boot_port *port, struct pb_diag *diag)
{
    const struct pb_node_flash *flash = flasher->flash;
    int code = pb_ag32_connect(port, diag);
    for (unsigned page = 0, done = 0; !code && page < PB_AG32_PAGES; page++) {
        if (!flasher->used[page])
            continue;
        if (flash->progress)
            flash->progress(flash->context, "page", ++done, flasher->pages);
        code = do_page(flasher, port, page, diag);
        for (unsigned attempt = 1; code == PB_ERR_NODE && attempt < ATTEMPTS; attempt++) {
            struct pb_diag again = {""};
            if ((code =
                     pb_ag32_connect(port, &again))) { /* the first message is more useful, except for a lost
                                                          link */
                *diag = code == PB_ERR_NODE ? *diag : again;
                return code;
            }
            code = do_page(flasher, port, page, diag);
        }
    }
    return code;
}

static int identify(struct flasher *flasher, char identity[128], struct pb_diag *diag)
{
    int code = reset(flasher, false, flasher->flash->console_baud_hz, diag);
    for (unsigned attempt = 0; !code && attempt < ATTEMPTS; attempt++) {
        size_t length = 0;
        uint8_t byte = 0;
        code = write_bytes(flasher, (const uint8_t *)"I\n", 2, diag);
        while (!code && !(code = read_bytes(flasher, &byte, 1, IDENTIFY_MS, diag)) && byte != '\n')
            if (length < 127 && byte >= ' ' && byte <= '~')
                identity[length++] = (char)byte;
        identity[length] = '\0';
        if (!code && !strncmp(identity, "+I", 2))
            return PB_OK;
        code = code == PB_ERR_NODE ? PB_OK : code;
    }
    return code ? code
                : pb_fail(diag, PB_ERR_NODE,
                          "the node holds the image, but its firmware does not answer I at %" PRIu32
                          " baud; check link.console_baud of the scenario",
                          flasher->flash->console_baud_hz);
}

int pb_node_flash(const struct pb_node_flash *flash, char identity[128], struct pb_diag *diag)
{
    struct flasher *flasher = calloc(1, sizeof *flasher);
    if (!flasher)
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for the content of the flash");
    flasher->flash = flash;
    const struct pb_boot_port port = {flasher, write_bytes, read_bytes, enter};
    identity[0] = '\0';
    int code = compose(flasher, diag);
    if (!code)
        code = pb_device_write(flash->device, PB_REG_CONSOLE_SELECT, flash->port, diag);
    if (!code)
        code = pb_device_write(flash->device, PB_REG_CTRL, PB_PUT(PB_CTRL_CAPTURE, 1u), diag);
    if (!code)
        code = do_pages(flasher, &port, diag);
    if (!code)
        code = identify(flasher, identity, diag);
    pb_events_free(&flasher->events);
    free(flasher);
    return code;
}
