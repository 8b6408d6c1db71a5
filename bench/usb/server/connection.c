/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open device files: the messages on their sockets, in and out.
 */
#define _GNU_SOURCE
#include "bench/usb/server/board.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

unsigned connections_open(const struct board *board)
{
    unsigned count = 0;
    for (const struct connection *at = board->connections; at; at = at->next)
        count += at->command >= 0;
    return count;
}

/* ---------------------------------------------------------------- out */

static void flush(struct connection *connection)
{
    while (!connection->ended && connection->out_sent < connection->out_count) {
        const ssize_t sent = send(connection->fd, connection->out + connection->out_sent,
                                  connection->out_count - connection->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            connection->ended = true;
        if (sent < 0)
            return;
        connection->out_sent += (size_t)sent;
    }
    connection->out_sent = connection->out_count = 0;
}

void connection_send(struct connection *connection, const void *bytes, size_t count)
{
    if (connection->ended || !count)
        return;
    if (connection->out_count + count > connection->out_capacity) {
        const size_t capacity = 2 * (connection->out_count + count);
        uint8_t *out = realloc(connection->out, capacity);
        if (!out) {
            connection->ended = true; /* the host sees an unplug */
            return;
        }
        connection->out = out;
        connection->out_capacity = capacity;
    }
    memcpy(connection->out + connection->out_count, bytes, count);
    connection->out_count += count;
}

/* ---------------------------------------------------------------- open and close */

void connections_accept(struct board *board)
{
    int fd;
    while (board->listening >= 0 &&
           (fd = accept4(board->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct connection *connection = calloc(1, sizeof *connection);
        if (!connection) {
            close(fd);
            return;
        }
        connection->board = board;
        connection->fd = fd;
        connection->command = -1;
        connection->next = board->connections;
        board->connections = connection;
    }
}

static void forget(struct connection *connection)
{
    struct board *board = connection->board;
    const bool was_open = connection->command >= 0;
    urbs_cancel(connection, -1);
    for (struct urb *urb = connection->urbs; urb; urb = urb->next)
        urb->connection = NULL; /* those that wait for their completion */
    connection->urbs = NULL;
    flush(connection);
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        if (board->owner[i] == connection)
            board->owner[i] = NULL;
    for (struct connection **at = &board->connections; *at; at = &(*at)->next)
        if (*at == connection) {
            *at = connection->next;
            break;
        }
    close(connection->fd);
    if (connection->command >= 0)
        close(connection->command);
    if (was_open && board->chip)
        board_say(board, "process %ld has closed it", connection->process);
    if (was_open && !connections_open(board))
        host_loss_begin(&board->host_loss, peer_now_ps(&board->peer));
    free(connection->incoming);
    free(connection->out);
    free(connection);
}

void connections_end(struct board *board)
{
    while (board->connections)
        forget(board->connections);
}

/* The first message: the process, and the command socket. */
static void greet(struct connection *connection)
{
    struct board *board = connection->board;
    struct vusb_hello hello = {0};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    struct iovec part = {&hello, sizeof hello};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    const ssize_t got = recvmsg(connection->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int end = -1;
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof end))
        memcpy(&end, CMSG_DATA(header), sizeof end);
    if (got != (ssize_t)sizeof hello || hello.magic != VUSB_MAGIC || end < 0 || board->faults.refused) {
        const int32_t answer = -EACCES;
        if (board->faults.refused && got == (ssize_t)sizeof hello)
            connection_send(connection, &answer, sizeof answer);
        flush(connection);
        connection->ended = true;
        if (end >= 0)
            close(end);
        return;
    }
    const int32_t answer = 0;
    connection->command = end;
    connection->process = hello.process;
    connection_send(connection, &answer, sizeof answer);
    board_say(board, "process %ld has opened it", connection->process);
}

/* ---------------------------------------------------------------- in */

/* Receives up to count - *have more bytes. True: complete. */
static bool receive(struct connection *connection, void *bytes, size_t count, size_t *have)
{
    while (*have < count) {
        const ssize_t got = recv(connection->fd, (uint8_t *)bytes + *have, count - *have, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 || (got < 0 && errno != EAGAIN))
            connection->ended = true;
        if (got <= 0)
            return false;
        *have += (size_t)got;
    }
    return true;
}

/* Returns the number of bytes after the head: data from the host, or the setup packet. */
static size_t bytes_to_come(const struct vusb_submit *head)
{
    return head->control || !(head->endpoint & 0x80) ? head->length : 0;
}

static bool receive_head(struct connection *connection)
{
    if (connection->incoming)
        return true;
    if (!receive(connection, &connection->head, sizeof connection->head, &connection->head_have))
        return false;
    const struct vusb_submit *head = &connection->head;
    struct urb *urb = NULL;
    if (head->length <= VUSB_TRANSFER_MAX && (!head->control || head->length >= SETUP_BYTES))
        urb = calloc(1, sizeof *urb + head->length);
    if (!urb) {
        connection->ended = true;
        return false;
    }
    urb->id = head->id;
    urb->control = head->control;
    urb->transfer.endpoint = head->endpoint;
    urb->transfer.length = head->length;
    urb->connection = connection;
    connection->incoming = urb;
    connection->head_have = connection->data_have = 0;
    return true;
}

/* Checks that a setup packet announces no more bytes than were received with it. */
static bool is_sound(const struct urb *urb)
{
    return !urb->control || urb->transfer.length == SETUP_BYTES + (urb->data[6] | (size_t)urb->data[7] << 8);
}

/* Starts every completely received transfer. */
static void receive_transfers(struct connection *connection)
{
    struct board *board = connection->board;
    while (!board->leaving && !connection->ended && receive_head(connection) &&
           receive(connection, connection->incoming->data, bytes_to_come(&connection->head),
                   &connection->data_have)) {
        struct urb *urb = connection->incoming;
        connection->incoming = NULL;
        if (is_sound(urb)) {
            urb_start(urb);
        } else {
            free(urb);
            connection->ended = true;
        }
    }
}

/* Receives the transfers submitted before a command before it executes that command. */
static void receive_commands(struct connection *connection)
{
    struct board *board = connection->board;
    while (!board->leaving && !connection->ended && connection->command >= 0) {
        struct vusb_command command;
        struct vusb_answer answer;
        const ssize_t got = recv(connection->command, &command, sizeof command, MSG_DONTWAIT);
        if (got != (ssize_t)sizeof command)
            return;
        receive_transfers(connection);
        if (board->leaving)
            return;
        command_answer(connection, &command, &answer);
        flush(connection);
        if (send(connection->command, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            return;
    }
}

void connections_serve(struct board *board)
{
    for (struct connection *at = board->connections, *next; at && !board->leaving; at = next) {
        next = at->next;
        if (at->command < 0)
            greet(at);
        if (at->command >= 0) {
            receive_transfers(at);
            receive_commands(at);
        }
        flush(at);
        if (at->ended)
            forget(at);
    }
}
