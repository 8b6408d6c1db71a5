/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open device files: a table from descriptor to handle.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/usbfs.h"
#include "bench/usb/preload/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, ANSWER_S = 60, SLICE_MS = 50 };
#define SECOND_NS INT64_C(1000000000)
#define GRACE_NS (5 * SECOND_NS) /* after the deadline, for a server that runs: to end in order */

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *table[DESCRIPTORS];

struct handle *handle_get(int fd)
{
    if (fd < 0 || fd >= DESCRIPTORS)
        return NULL;
    pthread_mutex_lock(&table_lock);
    struct handle *handle = table[fd];
    if (handle)
        handle->users++;
    pthread_mutex_unlock(&table_lock);
    return handle;
}

void handle_put(struct handle *handle)
{
    pthread_mutex_lock(&table_lock);
    const bool last = --handle->users == 0;
    pthread_mutex_unlock(&table_lock);
    if (!last)
        return;
    real_close(handle->command);
    for (struct pending *next; handle->first; handle->first = next) {
        next = handle->first->next;
        free(handle->first);
    }
    pthread_mutex_destroy(&handle->lock);
    free(handle);
}

bool handle_forget(int fd)
{
    struct handle *handle = NULL;
    if (fd < 0 || fd >= DESCRIPTORS)
        return false;
    pthread_mutex_lock(&table_lock);
    handle = table[fd];
    table[fd] = NULL;
    pthread_mutex_unlock(&table_lock);
    if (handle)
        handle_put(handle);
    return handle;
}

static pid_t server; /* of the board that was opened last */
static int64_t deadline_ns;

/* For a host that wants to know whether its board has been given a processor; 0: no board was opened. */
VUSB_EXPORT int phasebench_vusb_server(void)
{
    return server;
}

/* Of CLOCK_MONOTONIC: the end of the waits for a server that does not answer; 0: none but their own limit. */
VUSB_EXPORT void phasebench_vusb_deadline(int64_t ns)
{
    deadline_ns = ns;
}

static int64_t now_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* By a signal or a debugger. */
static bool is_stopped(pid_t pid)
{
    char path[40], line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const int fd = pid ? real_open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t count = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        real_close(fd);
    line[count > 0 ? count : 0] = '\0';
    const char *rest = strrchr(line, ')'); /* the name may hold anything */
    return rest && rest[1] == ' ' && (rest[2] == 'T' || rest[2] == 't');
}

/* A stopped server must not block the program for ever, nor beyond its deadline. */
static bool await(int fd, short events, int64_t begun_ns)
{
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = events};
        const int count = real_poll(&ready, 1, SLICE_MS);
        if (count > 0)
            return true;
        if (count < 0 && (errno != EINTR || is_stopped(server))) /* a signal asks the program to end */
            return false;
        const int64_t ns = now_ns(), over_ns = deadline_ns ? ns - deadline_ns : -1;
        if (ns - begun_ns > ANSWER_S * SECOND_NS || over_ns > GRACE_NS || (over_ns > 0 && is_stopped(server)))
            return false;
    }
}

bool server_receive(int fd, void *bytes, size_t count)
{
    const int64_t begun_ns = now_ns();
    for (size_t have = 0; have < count;) {
        const ssize_t got = recv(fd, (char *)bytes + have, count - have, MSG_DONTWAIT);
        if (got > 0)
            have += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EINTR) ||
                 (errno == EAGAIN && !await(fd, POLLIN, begun_ns)))
            return false;
    }
    return true;
}

bool server_send(int fd, struct iovec *part, unsigned parts)
{
    const int64_t begun_ns = now_ns();
    while (parts) {
        struct msghdr message = {.msg_iov = part, .msg_iovlen = parts};
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || (errno == EAGAIN && await(fd, POLLOUT, begun_ns))))
            continue;
        if (sent < 0)
            return false;
        for (; parts && (size_t)sent >= part->iov_len; part++, parts--)
            sent -= (ssize_t)part->iov_len;
        if (parts) {
            part->iov_base = (char *)part->iov_base + sent;
            part->iov_len -= (size_t)sent;
        }
    }
    return true;
}

void handle_lose(struct handle *handle)
{
    handle->gone = true;
    shutdown(handle->fd, SHUT_RDWR); /* so that `poll` reports it */
}

static void note_server(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
        server = peer.pid;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    /* It waits for a place in the queue of the server. */
    const int64_t left_ns = deadline_ns ? deadline_ns - now_ns() : ANSWER_S * SECOND_NS;
    const struct timeval limit = {.tv_sec = left_ns < SECOND_NS              ? 1
                                            : left_ns / SECOND_NS < ANSWER_S ? left_ns / SECOND_NS
                                                                             : ANSWER_S};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (!connect(fd, (struct sockaddr *)&address, sizeof address)) {
        note_server(fd);
        return fd;
    }
    const int error =
        errno == ECONNREFUSED || errno == ENOENT ? ENOENT : errno; /* no longer served */
    real_close(fd);
    errno = error;
    return -1;
}

/* Sends one end of the socket pair with the message. */
static int say_hello(int fd, int end)
{
    struct vusb_hello hello = {VUSB_MAGIC, getpid()};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    struct iovec part = {&hello, sizeof hello};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memset(&control, 0, sizeof control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof end);
    memcpy(CMSG_DATA(header), &end, sizeof end);
    int32_t answer;
    if (sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof hello ||
        !server_receive(fd, &answer, sizeof answer)) {
        errno = ENODEV;
        return -1;
    }
    errno = -answer;
    return answer ? -1 : 0;
}

static int enter(int fd, int command)
{
    struct handle *handle = fd < DESCRIPTORS ? calloc(1, sizeof *handle) : NULL;
    if (!handle) {
        errno = fd < DESCRIPTORS ? ENOMEM : EMFILE;
        return -1;
    }
    handle->fd = fd;
    handle->command = command;
    handle->users = 1;
    handle->last = &handle->first;
    pthread_mutex_init(&handle->lock, NULL);
    pthread_mutex_lock(&table_lock);
    table[fd] = handle;
    pthread_mutex_unlock(&table_lock);
    return 0;
}

int handle_open(const char *socket_path, int flags)
{
    int pair[2] = {-1, -1};
    const int fd = connect_to(socket_path);
    if (fd < 0)
        return -1;
    int code = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    if (!code)
        code = say_hello(fd, pair[1]);
    if (!code)
        code = enter(fd, pair[0]);
    const int error = errno;
    if (pair[1] >= 0)
        real_close(pair[1]);
    if (code) {
        if (pair[0] >= 0)
            real_close(pair[0]);
        real_close(fd);
        errno = error;
        return -1;
    }
    if (!(flags & O_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    return fd;
}
