/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/usb/server/board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void board_say(const struct board *board, const char *format, ...)
{
    char sentence[BOARD_SENTENCE];
    const int head = snprintf(sentence, sizeof sentence, "%s: ", board->serial);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence + head, sizeof sentence - (size_t)head, format, arguments);
    va_end(arguments);
    board->say(board->context, sentence);
}

void board_init(struct board *board, const char *serial, const char *folder)
{
    *board = (struct board){
        .folder = folder, .peer.channel = 1, .host_loss.reported = true, .listening = -1, .control = -1};
    snprintf(board->serial, sizeof board->serial, "%s", serial);
    strcpy(board->manufacturer, "phasebench");
    strcpy(board->product, "virtual FT2232H");
    board->late_last = &board->late;
}

static int write_memory(struct board *board, struct pb_diag *diag)
{
    const bool fifo = board->memory_kind == MEMORY_FIFO ||
                      (board->memory_kind != MEMORY_UART && board->peer.port != PEER_UART);
    struct ft2232h_identity identity = {.vendor = 0x0403, .product = 0x6010, .max_power_ma = 500};
    identity.fifo[board->peer.channel] = fifo;
    strcpy(identity.manufacturer, board->manufacturer);
    strcpy(identity.name, board->product);
    strcpy(identity.serial, board->serial);
    if (!ft2232h_eeprom_build(board->memory, &identity))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "serial, manufacturer and product have %zu characters; the memory of the chip has room for 47",
            strlen(board->serial) + strlen(board->manufacturer) + strlen(board->product));
    if (board->memory_kind == MEMORY_CHECKSUM)
        board->memory[FT2232H_EEPROM_WORDS - 1] ^= 1;
    if (board->memory_kind == MEMORY_BLANK)
        memset(board->memory, 0xff, sizeof board->memory);
    board->memory_written = true;
    return PB_OK;
}

int board_build(struct board *board, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    if (!board->channel_given)
        board->peer.channel = board->peer.port != PEER_SYNC;
    if (board->peer.port == PEER_SYNC && board->peer.channel != 0)
        return pb_fail(diag, PB_ERR_ARGUMENT, "channel B cannot be a synchronous FIFO; give channel=A");
    board->host_loss.phase_ps = (int64_t)(UINT64_C(1000000000000000) / scenario->phase_rate_mhz);
    int code = write_memory(board, diag);
    if (!code)
        code = peer_open(&board->peer, scenario, diag);
    return code ? code : folder_open(board, diag);
}

static void unplug(struct board *board)
{
    struct ft2232h *chip = board->chip;
    folder_hide(board);
    if (board->memory_written)
        memcpy(board->memory, ft2232h_memory(chip), sizeof board->memory);
    board->chip = NULL;
    board->leaving = false;
    urbs_end_late(board);
    ft2232h_destroy(chip);
    connections_end(board);
    board_say(board, "unplugged");
}

void board_destroy(struct board *board)
{
    if (board->chip)
        unplug(board);
    folder_remove(board);
    peer_close(&board->peer);
}

/* The actions of the operating system on a new device. */
static void configure(struct board *board)
{
    const struct ft2232h_setup setup = {.request = 9, .value = 1};
    ft2232h_control(board->chip, &setup, NULL);
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        board->driver[i] = board->faults.kernel_driver;
}

int board_plug(struct board *board, struct pb_diag *diag)
{
    const int code = board->memory_written ? PB_OK : write_memory(board, diag);
    if (code)
        return code;
    board->chip = ft2232h_create(board->memory);
    if (!board->chip)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for board %s", board->serial);
    ft2232h_advance(board->chip, peer_now_ps(&board->peer));
    ft2232h_reset(board->chip); /* its timers start now */
    ft2232h_limit_packets(board->chip, board->faults.short_bytes);
    configure(board);
    ft2232h_lose(board->chip, board->peer.channel, board->faults.lose);
    if (board->faults.stall)
        ft2232h_stall(board->chip, board->faults.stall);
    board->faults.lose = board->faults.stall = 0;
    const int shown = folder_show(board, diag);
    if (!shown)
        board_say(board, "plugged in as %s/%s", board->folder, board->serial);
    return shown;
}

static int control_line(struct board *board, struct pb_diag *diag)
{
    struct pb_diag wrong;
    if (!strcmp(board->line, "plug"))
        return board->chip ? PB_OK : board_plug(board, diag);
    if (settings_set(board, board->line, true, &wrong))
        board_say(board, "%s", wrong.text);
    else
        board_say(board, "set %s", board->line);
    return PB_OK;
}

/* Processes complete lines only. A line that is too long is cut off and refused. */
static int read_control(struct board *board, struct pb_diag *diag)
{
    char byte;
    int code = PB_OK;
    while (!code && read(board->control, &byte, 1) == 1) {
        if (byte != '\n') {
            if (board->line_have + 1 < sizeof board->line)
                board->line[board->line_have++] = byte;
            continue;
        }
        board->line[board->line_have] = '\0';
        board->line_have = 0;
        if (*board->line)
            code = control_line(board, diag);
    }
    return code;
}

int board_serve(struct board *board, struct pb_diag *diag)
{
    int code = peer_check(&board->peer, diag);
    if (!code)
        code = read_control(board, diag);
    if (code || !board->chip)
        return code;
    if (!board->leaving) {
        connections_accept(board);
        connections_serve(board);
    }
    if (!board->leaving)
        return PB_OK;
    const bool again = board->faults.replug || board->returning;
    board->returning = false;
    unplug(board);
    return again ? board_plug(board, diag) : PB_OK;
}

bool board_is_active(const struct board *board)
{
    if (!board->chip || !connections_open(board))
        return !board->host_loss.reported;
    return board->free_running || board->late || ft2232h_wants_time(board->chip) ||
           peer_wants_time(&board->peer);
}

void board_step(struct board *board)
{
    char sentence[HOST_LOSS_SENTENCE];
    const bool alone = !board->chip || !connections_open(board);
    if (board->chip)
        peer_step(&board->peer, board->chip);
    else
        peer_idle(&board->peer);
    const int64_t now_ps = peer_now_ps(&board->peer);
    urbs_send_due(board, now_ps);
    if (alone && host_loss_report(&board->host_loss, now_ps, peer_active_ps(&board->peer), sentence))
        board_say(board, "%s", sentence);
}
