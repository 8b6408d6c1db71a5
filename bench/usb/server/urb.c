/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transfers between a connection and the chip.
 */
#include "bench/usb/server/board.h"

#include <errno.h>
#include <stdlib.h>

#define PS_PER_US INT64_C(1000000)

static void unlink_urb(struct urb *urb)
{
    if (!urb->connection)
        return;
    for (struct urb **at = &urb->connection->urbs; *at; at = &(*at)->next)
        if (*at == urb) {
            *at = urb->next;
            return;
        }
}

/* Reports the result of the transfer to the host, and frees it. */
static void report(struct urb *urb)
{
    struct connection *connection = urb->connection;
    if (connection) {
        const struct ft2232h_transfer *transfer = &urb->transfer;
        const bool in = urb->control ? urb->data[0] & 0x80 : transfer->endpoint & 0x80;
        const struct vusb_completion completion = {
            .id = urb->id,
            .status = transfer->status,
            .actual = (uint32_t)transfer->actual,
            .bytes = in ? (uint32_t)transfer->actual : 0,
        };
        connection_send(connection, &completion, sizeof completion);
        connection_send(connection, transfer->data, completion.bytes);
        unlink_urb(urb);
    }
    free(urb);
}

static void finish(struct urb *urb)
{
    struct board *board = urb->connection ? urb->connection->board : NULL;
    const bool at_once = urb->transfer.status == -ENOENT || urb->transfer.status == -ESHUTDOWN;
    if (!board || !board->faults.delay_us || at_once) {
        report(urb);
        return;
    }
    urb->due_ps = peer_now_ps(&board->peer) + board->faults.delay_us * PS_PER_US;
    urb->next_late = NULL;
    *board->late_last = urb;
    board->late_last = &urb->next_late;
}

static void done(struct ft2232h_transfer *transfer)
{
    finish(transfer->context);
}

void urbs_send_due(struct board *board, int64_t now_ps)
{
    while (board->late && board->late->due_ps <= now_ps) {
        struct urb *urb = board->late;
        board->late = urb->next_late;
        if (!board->late)
            board->late_last = &board->late;
        report(urb);
    }
}

void urbs_end_late(struct board *board)
{
    urbs_send_due(board, INT64_MAX);
}

/* True: the transfer has unplugged the board and ends with that. */
static bool unplugs(struct board *board)
{
    return board->faults.unplug_at && --board->faults.unplug_at == 0;
}

static void run_control(struct board *board, struct urb *urb)
{
    const uint8_t *bytes = urb->data;
    const struct ft2232h_setup setup = {.type = bytes[0],
                                        .request = bytes[1],
                                        .value = (uint16_t)(bytes[2] | bytes[3] << 8),
                                        .index = (uint16_t)(bytes[4] | bytes[5] << 8),
                                        .length = (uint16_t)(bytes[6] | bytes[7] << 8)};
    int code = -EPIPE;
    if (board->faults.stall_controls)
        board->faults.stall_controls--;
    else
        code = ft2232h_control(board->chip, &setup, urb->data + SETUP_BYTES);
    urb->transfer.status = code < 0 ? code : 0;
    /* All bytes of a transfer from the host are sent. */
    urb->transfer.actual = code < 0 ? 0 : setup.type & 0x80 ? (size_t)code : setup.length;
    finish(urb);
}

void urb_start(struct urb *urb)
{
    struct connection *connection = urb->connection;
    struct board *board = connection->board;
    urb->next = connection->urbs;
    connection->urbs = urb;
    urb->transfer.context = urb;
    urb->transfer.done = done;
    urb->transfer.data = urb->data + (urb->control ? SETUP_BYTES : 0);
    if (board->faults.hung) {
        urb->hung = true;
        return;
    }
    if (unplugs(board)) {
        urb->transfer.status = -ESHUTDOWN;
        finish(urb);
        board->leaving = true;
        return;
    }
    if (urb->control)
        run_control(board, urb);
    else if (ft2232h_submit(board->chip, &urb->transfer)) {
        urb->transfer.status = -ENOENT;
        finish(urb);
    }
}

static bool is_late(const struct board *board, const struct urb *urb)
{
    for (const struct urb *at = board->late; at; at = at->next_late)
        if (at == urb)
            return true;
    return false;
}

static void cancel(struct board *board, struct urb *urb)
{
    if (urb->hung || !board->chip) {
        urb->transfer.status = board->chip ? -ENOENT : -ESHUTDOWN;
        report(urb);
    } else if (!urb->control) {
        ft2232h_cancel(board->chip, &urb->transfer);
    }
}

int urb_discard(struct connection *connection, uint64_t id)
{
    for (struct urb *urb = connection->urbs; urb; urb = urb->next)
        if (urb->id == id) {
            if (is_late(connection->board, urb))
                urbs_end_late(connection->board); /* already complete: the host reaps its result */
            else
                cancel(connection->board, urb);
            return 0;
        }
    return -EINVAL;
}

void urbs_cancel(struct connection *connection, int interface)
{
    struct board *board = connection->board;
    for (struct urb *urb = connection->urbs, *next; urb; urb = next) {
        next = urb->next;
        const int belongs = ((urb->transfer.endpoint & 0x0f) - 1) / 2;
        if ((interface < 0 || (!urb->control && belongs == interface)) && !is_late(board, urb))
            cancel(board, urb);
    }
}
