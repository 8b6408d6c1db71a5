/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of a board, and the control lines that change it while it runs: one table for both.
 */
#include "host/base/nearest_word.h"
#include "bench/usb/server/board.h"
#include "bench/usb/server/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 8 };

struct setting {
    const char *name;
    bool at_start; /* cannot change while it runs */
    const char *words[WORDS_MAX];
    unsigned low, high;                                /* range of a number, if there are no words */
    void (*take)(struct board *board, unsigned value); /* index of the word, or the number */
};

static void take_mode(struct board *board, unsigned value)
{
    board->peer.port = value > PEER_SYNC ? PEER_SYNC : (enum peer_port)value; /* has two words */
}

static void take_port(struct board *board, unsigned value)
{
    board->peer.pins = value;
    board->peer.pins_given = true;
}

static void take_channel(struct board *board, unsigned value)
{
    board->peer.channel = value;
    board->channel_given = true;
}

static void take_baud(struct board *board, unsigned value)
{
    board->peer.baud_hz = value;
}

static void take_device(struct board *board, unsigned value)
{
    board->peer.kind = (enum peer_kind)value;
}

static void take_map(struct board *board, unsigned value)
{
    board->peer.other_map = value;
}

static void take_faults(struct board *board, unsigned value)
{
    board->peer.units = (enum peer_units)value;
}

static void take_free(struct board *board, unsigned value)
{
    board->free_running = value;
}

static void take_unplug(struct board *board, unsigned value)
{
    board->faults.unplug_at = value;
    board->leaving = !value && board->chip;
}

static void take_replug(struct board *board, unsigned value)
{
    board->faults.replug = value;
}

static void take_short(struct board *board, unsigned value)
{
    board->faults.short_bytes = value;
    if (board->chip)
        ft2232h_limit_packets(board->chip, value);
}

static void take_stall(struct board *board, unsigned value)
{
    static const uint8_t endpoint[] = {0x81, 0x02, 0x83, 0x04};
    if (board->chip)
        ft2232h_stall(board->chip, endpoint[value]);
    else
        board->faults.stall = endpoint[value];
}

static void take_stall_control(struct board *board, unsigned value)
{
    board->faults.stall_controls = value;
}

static void take_delay(struct board *board, unsigned value)
{
    board->faults.delay_us = value;
    if (!value)
        urbs_end_late(board);
}

static void take_lose(struct board *board, unsigned value)
{
    if (board->chip)
        ft2232h_lose(board->chip, board->peer.channel, value);
    else
        board->faults.lose = value;
}

static void take_hang(struct board *board, unsigned value)
{
    board->faults.hung = value;
}

static void take_refuse(struct board *board, unsigned value)
{
    board->faults.refused = value;
}

static void take_driver(struct board *board, unsigned value)
{
    board->faults.kernel_driver = value;
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        board->driver[i] = value;
}

static void take_memory(struct board *board, unsigned value)
{
    board->memory_kind = (enum board_memory)value;
    board->memory_written = false;
}

static const struct setting settings[] = {
    {"mode", true, {"uart", "fifo", "sync", "syncfifo"}, 0, 0, take_mode},
    {"port", true, {"stream", "pins"}, 0, 0, take_port},
    {"channel", true, {"A", "B"}, 0, 0, take_channel},
    {"baud", true, {NULL}, 94118, 12000000, take_baud},
    {"device", true, {"core", "silent", "echo", "source"}, 0, 0, take_device},
    {"map", false, {"own", "other"}, 0, 0, take_map},
    {"faults", false, {"own", "one", "none"}, 0, 0, take_faults},
    {"free", false, {NULL}, 0, 1, take_free},
    {"unplug", false, {NULL}, 0, 1000000000, take_unplug},
    {"replug", false, {NULL}, 0, 1, take_replug},
    {"short", false, {NULL}, 0, FT2232H_PAYLOAD_BYTES, take_short},
    {"stall", false, {"81", "02", "83", "04"}, 0, 0, take_stall},
    {"stall_control", false, {NULL}, 0, 1000000000, take_stall_control},
    {"delay_us", false, {NULL}, 0, 10000000, take_delay},
    {"lose", false, {NULL}, 0, 1000000000, take_lose},
    {"hang", false, {NULL}, 0, 1, take_hang},
    {"refuse", false, {NULL}, 0, 1, take_refuse},
    {"driver", false, {"none", "ftdi_sio"}, 0, 0, take_driver},
    {"eeprom", false, {"good", "checksum", "uart", "fifo", "blank"}, 0, 0, take_memory},
};

static const char *const texts[] = {"manufacturer", "product", "serial"};

enum { SETTINGS = sizeof settings / sizeof settings[0], TEXTS = sizeof texts / sizeof texts[0] };

bool pb_serve_usb_knows(const char *key)
{
    for (unsigned i = 0; i < SETTINGS; i++)
        if (!strcmp(key, settings[i].name))
            return true;
    for (unsigned i = 0; i < TEXTS; i++)
        if (!strcmp(key, texts[i]))
            return true;
    return false;
}

static int unknown(const char *key, struct pb_diag *diag)
{
    const char *names[SETTINGS + TEXTS];
    char list[200], hint[PB_HINT_SIZE];
    for (unsigned i = 0; i < SETTINGS; i++)
        names[i] = settings[i].name;
    for (unsigned i = 0; i < TEXTS; i++)
        names[SETTINGS + i] = texts[i];
    return pb_fail(diag, PB_ERR_ARGUMENT, "unknown option '%.40s' of a USB board%s Known are %s", key,
                   pb_hint(hint, "", key, names, SETTINGS + TEXTS, "."),
                   pb_word_list(list, sizeof list, names, SETTINGS + TEXTS));
}

static int set_text(struct board *board, const char *key, const char *value, struct pb_diag *diag)
{
    char *const text[TEXTS] = {board->manufacturer, board->product, board->serial};
    unsigned which = 0;
    while (strcmp(key, texts[which]))
        which++;
    for (const char *c = value; *c; c++)
        if (*c < ' ' || *c > '~')
            return pb_fail(diag, PB_ERR_ARGUMENT, "%s of a USB board must be printable ASCII", key);
    if (!*value || strlen(value) >= BOARD_SERIAL)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%s of a USB board has %zu characters; 1 to %d are possible",
                       key, strlen(value), BOARD_SERIAL - 1);
    if (text[which] == board->serial && (strchr(value, '/') || *value == '.'))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "serial of a USB board is '%s'; it names a folder, so it has no '/' and no '.' in front", value);
    strcpy(text[which], value);
    return PB_OK;
}

static int read_value(const struct setting *setting, const char *text, unsigned *value, struct pb_diag *diag)
{
    char list[80], *end;
    unsigned words = 0;
    while (words < WORDS_MAX && setting->words[words])
        words++;
    for (*value = 0; *value < words; ++*value)
        if (!strcmp(text, setting->words[*value]))
            return PB_OK;
    if (words)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%s of a USB board is '%.40s'; possible are %s", setting->name,
                       text, pb_word_list(list, sizeof list, setting->words, words));
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number < setting->low || number > setting->high)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%s of a USB board is '%.40s'; a whole number from %u to %u is possible",
                       setting->name, text, setting->low, setting->high);
    *value = (unsigned)number;
    return PB_OK;
}

int settings_set(struct board *board, const char *text, bool running, struct pb_diag *diag)
{
    char key[CONTROL_LINE];
    unsigned value;
    const size_t length = strcspn(text, "=");
    if (length >= sizeof key)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "option '%.40s...' of a USB board is longer than %zu characters", text,
                       sizeof key - 1);
    memcpy(key, text, length);
    key[length] = '\0';
    /* "unplug" alone is short for "unplug=0": now. */
    if (running && !strcmp(text, "unplug"))
        text = "unplug=0";
    else if (!text[length] || !text[length + 1])
        return pb_fail(diag, PB_ERR_ARGUMENT, "option '%.40s' of a USB board has no value; write %.40s=VALUE",
                       key, key);
    for (unsigned i = 0; !running && i < TEXTS; i++)
        if (!strcmp(key, texts[i]))
            return set_text(board, key, text + length + 1, diag);
    for (unsigned i = 0; i < SETTINGS; i++) {
        if (strcmp(key, settings[i].name))
            continue;
        if (running && settings[i].at_start)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "%s of a USB board is fixed while it is served; give it in --usb-options", key);
        const int code = read_value(&settings[i], text + length + 1, &value, diag);
        if (!code)
            settings[i].take(board, value);
        return code;
    }
    return unknown(key, diag);
}
