/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device file itself, without libusb: what open, ioctl and poll say must be what the kernel's usbfs says
 * (drivers/usb/core/devio.c); and everything that is no board of ours is left alone.
 */
#include "rig_fixture.h"
#include "tests/bench/unit/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROUNDS = 300 };

static int number(const struct rig_server *server, const char *file)
{
    char path[128];
    int value = -1;
    snprintf(path, sizeof path, "%s/" FIRST "/%s", server->folder, file);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%d", &value), 1);
    fclose(stream);
    return value;
}

static int open_device(const struct rig_server *server)
{
    char path[32];
    snprintf(path, sizeof path, "/dev/bus/usb/%03d/%03d", number(server, "busnum"), number(server, "devnum"));
    return open(path, O_RDWR | O_CLOEXEC);
}

static void bulk_in(struct usbdevfs_urb *urb, void *buffer, int length)
{
    memset(urb, 0, sizeof *urb);
    urb->type = USBDEVFS_URB_TYPE_BULK;
    urb->endpoint = 0x83;
    urb->buffer = buffer;
    urb->buffer_length = length;
    urb->status = 1;
}

static short polled(int fd, int timeout_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    assert_true(poll(&wait, 1, timeout_ms) >= 0);
    assert_int_equal(wait.events, POLLOUT);
    return wait.revents;
}

#define FAILS(call, error)                                                                                   \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        assert_int_equal(call, -1);                                                                          \
        assert_int_equal(errno, error);                                                                      \
    } while (0)

TEST(transfers)
{
    struct rig_server server;
    uint8_t bytes[512], more[512];
    void *reaped = NULL;
    rig_serve(&server, NULL, 1, "device=echo");
    const int fd = open_device(&server);
    assert_true(fd >= 0);
    struct usbdevfs_urb first, second;
    bulk_in(&first, bytes, sizeof bytes);
    bulk_in(&second, more, sizeof more);
    unsigned interface = 1, none = 7;
    uint32_t capabilities = 0;
    assert_int_equal(ioctl(fd, USBDEVFS_GET_CAPABILITIES, &capabilities), 0);
    assert_int_equal(capabilities & 0x1f, 0x1f);
    assert_int_equal(ioctl(fd, USBDEVFS_GET_SPEED, NULL), 3);
    FAILS(ioctl(fd, USBDEVFS_REAPURBNDELAY, &reaped), EAGAIN);
    FAILS(ioctl(fd, USBDEVFS_DISCARDURB, &first), EINVAL);
    FAILS(ioctl(fd, USBDEVFS_CLAIMINTERFACE, &none), ENOENT);
    FAILS(ioctl(fd, USBDEVFS_RELEASEINTERFACE, &interface), EINVAL);
    FAILS(ioctl(fd, USBDEVFS_ALLOC_STREAMS, &none), ENOTTY);
    first.endpoint = 0x85;
    FAILS(ioctl(fd, USBDEVFS_SUBMITURB, &first), ENOENT);
    first.endpoint = 0x83;
    first.buffer_length = -1;
    FAILS(ioctl(fd, USBDEVFS_SUBMITURB, &first), EINVAL);
    first.buffer_length = sizeof bytes;
    assert_int_equal(polled(fd, 0), 0);
    rig_order(&server, FIRST, "hang=1");
    assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &first), 0); /* claims by itself */
    assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &second), 0);
    assert_int_equal(polled(fd, 0), 0);
    assert_int_equal(ioctl(fd, USBDEVFS_DISCARDURB, &first), 0);
    assert_int_equal(polled(fd, 0), POLLOUT); /* at once */
    assert_int_equal(ioctl(fd, USBDEVFS_REAPURBNDELAY, &reaped), 0);
    assert_ptr_equal(reaped, &first);
    assert_int_equal(first.status, -ENOENT);
    assert_int_equal(first.actual_length, 0);
    assert_int_equal(polled(fd, 0), 0);
    assert_int_equal(ioctl(fd, USBDEVFS_RELEASEINTERFACE, &interface), 0); /* ends what is pending on it */
    assert_int_equal(ioctl(fd, USBDEVFS_REAPURB, &reaped), 0);
    assert_ptr_equal(reaped, &second);
    assert_int_equal(second.status, -ENOENT);
    rig_order(&server, FIRST, "hang=0");
    assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &first), 0);
    assert_int_equal(ioctl(fd, USBDEVFS_REAPURB, &reaped), 0); /* waits for the latency timer */
    assert_ptr_equal(reaped, &first);
    assert_int_equal(first.status, 0);
    assert_int_equal(first.actual_length, 2);
    close(fd);
    rig_stop(&server);
}

/* A transfer that was submitted can be discarded by the next call. */
TEST(discarded_at_once)
{
    struct rig_server server;
    uint8_t bytes[512];
    void *reaped = NULL;
    rig_serve(&server, NULL, 1, "device=silent&hang=1");
    const int fd = open_device(&server);
    unsigned interface = 1;
    assert_int_equal(ioctl(fd, USBDEVFS_CLAIMINTERFACE, &interface), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct usbdevfs_urb urb;
        bulk_in(&urb, bytes, sizeof bytes);
        assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &urb), 0);
        assert_int_equal(ioctl(fd, USBDEVFS_DISCARDURB, &urb), 0);
        assert_int_equal(ioctl(fd, USBDEVFS_REAPURBNDELAY, &reaped), 0);
        assert_int_equal(urb.status, -ENOENT);
    }
    close(fd);
    rig_stop(&server);
}

/* What a file had is free when close returns. */
TEST(closed_is_released)
{
    struct rig_server server;
    rig_serve(&server, NULL, 1, "device=silent");
    for (unsigned i = 0; i < ROUNDS; i++) {
        const int first = open_device(&server), second = open_device(&server);
        unsigned interface = 0;
        assert_int_equal(ioctl(first, USBDEVFS_CLAIMINTERFACE, &interface), 0);
        FAILS(ioctl(second, USBDEVFS_CLAIMINTERFACE, &interface), EBUSY);
        assert_int_equal(close(first), 0);
        assert_int_equal(ioctl(second, USBDEVFS_CLAIMINTERFACE, &interface), 0);
        assert_int_equal(close(second), 0);
    }
    rig_stop(&server);
}

/* `killed`: the server, else the board is unplugged. */
static void gone(bool killed)
{
    struct rig_server server;
    uint8_t bytes[512], more[512];
    void *reaped = NULL;
    unsigned interface = 1;
    rig_serve(&server, NULL, 1, "device=silent&hang=1");
    const int fd = open_device(&server);
    struct usbdevfs_urb first, second;
    bulk_in(&first, bytes, sizeof bytes);
    bulk_in(&second, more, sizeof more);
    assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &first), 0);
    assert_int_equal(ioctl(fd, USBDEVFS_SUBMITURB, &second), 0);
    if (killed) {
        rig_kill(&server);
    } else {
        rig_write(&server, FIRST, "unplug");
        rig_wait(&server, "unplugged");
    }
    assert_int_equal(polled(fd, -1) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(ioctl(fd, USBDEVFS_REAPURBNDELAY, &reaped), 0);
        assert_true(reaped == &first || reaped == &second);
        assert_int_equal(((struct usbdevfs_urb *)reaped)->status, -ESHUTDOWN);
    }
    FAILS(ioctl(fd, USBDEVFS_REAPURBNDELAY, &reaped), ENODEV);
    FAILS(ioctl(fd, USBDEVFS_REAPURB, &reaped), ENODEV);
    FAILS(ioctl(fd, USBDEVFS_SUBMITURB, &first), ENODEV);
    FAILS(ioctl(fd, USBDEVFS_RELEASEINTERFACE, &interface), ENODEV);
    close(fd);
    if (!killed)
        rig_stop(&server);
}

TEST(unplugged)
{
    gone(false);
}

TEST(server_killed)
{
    gone(true);
}

TEST(others_are_left_alone)
{
    struct rig_server server;
    int pipes[2];
    char byte = 'x', path[64];
    rig_serve(&server, NULL, 1, "device=silent");
    FAILS(open("/dev/bus/usb/200/126", O_RDWR), ENOENT); /* no such board */
    FAILS(open("/sys/bus/usb/devices/200-126/devnum", O_RDONLY), ENOENT);
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%d-%d/devnum", number(&server, "busnum"),
             number(&server, "devnum"));
    const int attribute = openat(AT_FDCWD, path, O_RDONLY);
    assert_true(attribute >= 0);
    close(attribute);
    assert_int_equal(pipe(pipes), 0);
    struct pollfd wait[] = {{.fd = pipes[0], .events = POLLIN}, {.fd = pipes[1], .events = POLLOUT}};
    assert_int_equal(poll(wait, 2, 0), 1);
    assert_int_equal(wait[0].revents, 0);
    assert_int_equal(wait[1].revents, POLLOUT);
    assert_int_equal(write(pipes[1], &byte, 1), 1);
    assert_int_equal(poll(wait, 2, 0), 2);
    assert_int_equal(wait[0].revents, POLLIN);
    int waiting = 0;
    assert_int_equal(ioctl(pipes[0], FIONREAD, &waiting), 0);
    assert_int_equal(waiting, 1);
    assert_int_equal(close(pipes[0]), 0);
    FAILS(close(pipes[0]), EBADF);
    FAILS(ioctl(pipes[0], USBDEVFS_GET_SPEED, NULL), EBADF);
    close(pipes[1]);
    snprintf(path, sizeof path, "%s/new", server.folder);
    const int made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    assert_true(made >= 0);
    close(made);
    assert_int_equal(unlink(path), 0);
    rig_stop(&server);
}
