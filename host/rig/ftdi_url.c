/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/ftdi_url.h"
#include "host/rig/query.h"
#include "phasebench/device.h"

#include <stdlib.h>
#include <string.h>

#define BAUD_MAX_HZ 12000000
#define LATENCY_MS 2 /* 1 loses bytes on some hosts */
#define WAIT_S_MAX 3600
/* A read of an idle chip takes a period of its latency timer. */
#define LATENCY_MOST_MS (PB_DEVICE_WATCHDOG_MS / PB_DEVICE_READS_ALIVE)

enum option { MODE, BAUD, LATENCY, WAIT, OPTIONS };
static const char *const option_name[OPTIONS] = {"mode", "baud", "latency", "wait"};
/* Virtual boards call the synchronous FIFO "sync", too. */
static const struct {
    const char *name;
    enum pb_ftdi_mode mode;
} modes[] = {{"uart", PB_FTDI_UART},
             {"fifo", PB_FTDI_FIFO},
             {"syncfifo", PB_FTDI_SYNC_FIFO},
             {"sync", PB_FTDI_SYNC_FIFO}};

static const struct {
    const char *name;
    unsigned product;
} products[] = {{"2232h", 0x6010}, {"ft2232h", 0x6010}, {"2232", 0x6010}, {"ft2232", 0x6010},
                {"4232h", 0x6011}, {"ft4232h", 0x6011}, {"232h", 0x6014}, {"ft232h", 0x6014}};

/* Reads a hexadecimal number of 1..4 digits, with or without 0x. */
static bool read_hex(const char *text, unsigned *number)
{
    char *end;
    const size_t digits = strlen(text) - (strncmp(text, "0x", 2) ? 0 : 2);
    const unsigned long value = strtoul(text, &end, 16);
    if (!digits || digits > 4 || *end || *text == '-' || *text == '+')
        return false;
    *number = (unsigned)value;
    return true;
}

/* VENDOR:PRODUCT, VENDOR:PRODUCT:NAME or VENDOR:PRODUCT:BUS:ADDRESS; modifies the text. */
static int read_authority(struct pb_ftdi_url *url, char *text, struct pb_diag *diag)
{
    char *part[4] = {text, NULL, NULL, NULL};
    struct pb_chip_choice *choice = &url->choice;
    unsigned parts = 1;
    for (char *colon = strchr(text, ':'); colon && parts < 4; colon = strchr(colon, ':')) {
        *colon++ = '\0';
        part[parts++] = colon;
    }
    if (strcmp(part[0], "ftdi") && !read_hex(part[0], &choice->vendor))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "vendor of rig ftdi: is '%s'; ftdi or a number as 0403 are possible", part[0]);
    for (size_t i = 0; part[1] && i < sizeof products / sizeof products[0]; i++)
        if (!strcmp(part[1], products[i].name))
            choice->product = products[i].product;
    if (part[1] && *part[1] && !choice->product && !read_hex(part[1], &choice->product))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "product of rig ftdi: is '%s'; 2232h, 4232h, 232h or a number as 6010 are possible",
                       part[1]);
    if (part[3]) {
        if (!read_hex(part[2], &choice->bus) || !read_hex(part[3], &choice->address) || !choice->bus)
            return pb_fail(
                diag, PB_ERR_ARGUMENT,
                "rig ftdi: names bus '%s' and address '%s'; hexadecimal numbers from 1 are possible", part[2],
                part[3]);
    } else if (part[2]) {
        strcpy(choice->name, part[2]);
    }
    return PB_OK;
}

/* Reads the part before the question mark. */
static int read_place(struct pb_ftdi_url *url, const char *text, size_t length, struct pb_diag *diag)
{
    char place[128];
    const bool full = length >= 2 && !strncmp(text, "//", 2);
    if (length >= (full ? sizeof place : sizeof url->choice.name))
        return pb_fail(diag, PB_ERR_ARGUMENT, "the board's name '%.40s...' is longer than %zu characters",
                       text, sizeof url->choice.name - 1);
    memcpy(place, text, length);
    place[length] = '\0';
    if (!full) {
        strcpy(url->choice.name, place);
        return PB_OK;
    }
    char *slash = strchr(place + 2, '/');
    if (slash) {
        *slash = '\0';
        if (strlen(slash + 1) != 1 || slash[1] < '1' || slash[1] > '4')
            return pb_fail(diag, PB_ERR_ARGUMENT, "channel of rig ftdi: is '%s'; 1 (A) to 4 (D) are possible",
                           slash + 1);
        url->channel = (unsigned)(slash[1] - '0');
    }
    if (strlen(place + 2) >= sizeof url->choice.name)
        return pb_fail(diag, PB_ERR_ARGUMENT, "the board's name '%.40s...' is longer than %zu characters",
                       place + 2, sizeof url->choice.name - 1);
    return read_authority(url, place + 2, diag);
}

static int read_mode(struct pb_ftdi_url *url, const struct pb_query *query, struct pb_diag *diag)
{
    bool known = !query->given[MODE];
    url->mode = PB_FTDI_UART;
    for (size_t i = 0; !known && i < sizeof modes / sizeof modes[0]; i++) {
        known = !strcmp(query->value[MODE], modes[i].name);
        if (known)
            url->mode = modes[i].mode;
    }
    if (!known)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "mode of rig ftdi: is '%s'; uart, fifo and syncfifo, or sync, are possible",
                       query->value[MODE]);
    if (query->given[BAUD] && url->mode != PB_FTDI_UART)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "baud of rig ftdi: is '%s', but a FIFO has none; leave it out, or give mode=uart",
                       query->value[BAUD]);
    if (url->mode == PB_FTDI_SYNC_FIFO && url->channel > 1)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "channel %u of rig ftdi: cannot be a synchronous FIFO, only channel 1 (A) can; leave it out",
            url->channel);
    return PB_OK;
}

int pb_ftdi_url_parse(struct pb_ftdi_url *url, const char *text, struct pb_diag *diag)
{
    struct pb_query query = {.rig = "ftdi:", .name = option_name, .options = OPTIONS};
    uint64_t baud = 0, latency = LATENCY_MS, wait = 0;
    const char *place = text + strlen("ftdi:");
    const size_t length = strcspn(place, "?");
    *url = (struct pb_ftdi_url){0};
    int code = read_place(url, place, length, diag);
    if (!code && place[length])
        code = pb_query_split(&query, place + length + 1, diag);
    if (!code)
        code = read_mode(url, &query, diag);
    if (!code)
        code = pb_query_number(&query, BAUD, 300, BAUD_MAX_HZ, &baud, diag);
    if (!code && !pb_query_number(&query, LATENCY, 1, UINT32_MAX, &latency, diag) &&
        latency > LATENCY_MOST_MS)
        code = pb_fail(diag, PB_ERR_ARGUMENT,
                       "latency of rig ftdi: is %u ms; at most %d ms are possible, as the host reads up to "
                       "%d times, each for this long, before it feeds the core's watchdog of %d ms",
                       (unsigned)latency, LATENCY_MOST_MS, PB_DEVICE_READS_ALIVE, PB_DEVICE_WATCHDOG_MS);
    if (!code)
        code = pb_query_number(&query, LATENCY, 1, LATENCY_MOST_MS, &latency, diag);
    if (!code)
        code = pb_query_number(&query, WAIT, 0, WAIT_S_MAX, &wait, diag);
    url->baud_hz = (unsigned)baud;
    url->latency_ms = (unsigned)latency;
    url->wait_s = (unsigned)wait;
    return code;
}
