/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/socket.h"
#include "host/base/monotonic.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { GREETING_MS = 2000, WRITE_MS = 1000, GREETING_BYTES = 80 };

struct socket_transport {
    struct pb_transport base;
    int fd;
};

static int socket_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    const int fd = ((struct socket_transport *)base)->fd;
    while (count) {
        const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
            continue;
        }
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        if (errno != EAGAIN && errno != EINTR)
            return pb_fail(diag, PB_ERR_LINK, "the process that serves the rig has gone: %s; start it again",
                           strerror(errno));
        if (poll(&wait, 1, WRITE_MS) == 0)
            return pb_fail(diag, PB_ERR_LINK,
                           "the process that serves the rig took no byte for %d ms; start it again",
                           WRITE_MS);
    }
    return PB_OK;
}

static int socket_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                       struct pb_diag *diag)
{
    const int fd = ((struct socket_transport *)base)->fd;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    const int ready = poll(&wait, 1, (int)timeout_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return 0;
    const ssize_t got = ready < 0 ? -1 : recv(fd, bytes, capacity, 0);
    if (got > 0)
        return (int)got;
    if (got < 0 && errno == EAGAIN)
        return 0;
    return pb_fail(diag, PB_ERR_LINK, "the process that serves the rig has gone%s%s; start it again",
                   got < 0 ? ": " : "", got < 0 ? strerror(errno) : "");
}

static void socket_close(struct pb_transport *base)
{
    close(((struct socket_transport *)base)->fd);
    free(base);
}

static const struct pb_transport_ops socket_ops = {socket_write, socket_read, socket_close};

/* Waits for the socket until the deadline. False: timeout. */
static bool wait_until(int fd, short events, int64_t deadline_ms)
{
    struct pollfd wait = {.fd = fd, .events = events};
    for (int64_t left; (left = deadline_ms - pb_monotonic_ms()) > 0;)
        if (poll(&wait, 1, (int)left) > 0)
            return true;
    return false;
}

/* Connects; retries while the server's queue of connections is full, as a Unix socket cannot be polled for
 * that. Returns 0 or errno. */
static int connect_until(int fd, const struct sockaddr_un *address, int64_t deadline_ms)
{
    const struct timespec rest = {.tv_nsec = 10000000};
    while (connect(fd, (const struct sockaddr *)address, sizeof *address)) {
        if (errno != EAGAIN && errno != EINTR)
            return errno;
        if (pb_monotonic_ms() >= deadline_ms)
            return EAGAIN;
        nanosleep(&rest, NULL);
    }
    return 0;
}

/* Reads the server's line, byte by byte because the core's bytes follow. One deadline for the line. */
static int read_greeting(int fd, char line[GREETING_BYTES], int64_t deadline_ms)
{
    for (size_t at = 0; at + 1 < GREETING_BYTES && wait_until(fd, POLLIN, deadline_ms);) {
        const ssize_t got = recv(fd, line + at, 1, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (got != 1)
            return -1;
        if (line[at++] == '\n') {
            line[at - 1] = 0;
            return 0;
        }
    }
    return -1;
}

static int greet(int fd, const char *path, int64_t deadline_ms, struct pb_diag *diag)
{
    char line[GREETING_BYTES];
    long holder;
    if (read_greeting(fd, line, deadline_ms))
        return pb_fail(diag, PB_ERR_IO,
                       "'%s' did not say who it is within %d ms; it must be a socket of phasebench serve",
                       path, GREETING_MS);
    if (sscanf(line, "phasebench 1 busy %ld", &holder) == 1)
        return pb_fail(
            diag, PB_ERR_IO,
            "rig '%s' is in use by process %ld, and one host at a time is the limit; wait for it or "
            "end it",
            path, holder);
    if (strcmp(line, "phasebench 1 ready"))
        return pb_fail(diag, PB_ERR_IO,
                       "'%s' said '%.40s', not 'phasebench 1 ready'; serve it with this version", path, line);
    return PB_OK;
}

int pb_rig_socket_open(struct pb_transport **out, const char *path, struct pb_diag *diag)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *out = NULL;
    if (strlen(path) >= sizeof address.sun_path)
        return pb_fail(diag, PB_ERR_ARGUMENT, "the socket's path has %zu bytes, %zu are the limit",
                       strlen(path), sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    struct socket_transport *transport = calloc(1, sizeof *transport);
    if (!transport)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the rig");
    transport->base.ops = &socket_ops;
    const int64_t deadline_ms = pb_monotonic_ms() + GREETING_MS;
    transport->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int error = transport->fd < 0 ? errno : connect_until(transport->fd, &address, deadline_ms);
    int code = PB_OK;
    if (error == EAGAIN)
        code =
            pb_fail(diag, PB_ERR_IO,
                    "'%.100s' took no connection within %d ms: its server is stopped or does something else; "
                    "wait for it, or start it again",
                    path, GREETING_MS);
    else if (error)
        code = pb_fail(diag, PB_ERR_IO, "no rig at '%.100s': %s; start 'phasebench serve --socket %.100s'",
                       path, strerror(error), path);
    if (!code)
        code = greet(transport->fd, path, deadline_ms, diag);
    if (code) {
        if (transport->fd >= 0)
            close(transport->fd);
        free(transport);
        return code;
    }
    *out = &transport->base;
    return PB_OK;
}
