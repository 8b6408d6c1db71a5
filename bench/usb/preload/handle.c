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
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, ANSWER_S = 60 };

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

/* A stopped server must not block the program for ever. */
static void limit_waits(int fd)
{
    const struct timeval limit = {.tv_sec = ANSWER_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static pid_t server; /* of the board that was opened last */

/* For a host that wants to know whether its board has been given a processor; 0: no board was opened. */
VUSB_EXPORT int phasebench_vusb_server(void)
{
    return server;
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
    limit_waits(fd);
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
        recv(fd, &answer, sizeof answer, MSG_WAITALL) != (ssize_t)sizeof answer) {
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
    if (!code) {
        limit_waits(pair[0]);
        code = say_hello(fd, pair[1]);
    }
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
