/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock, realpath */
#include "host/rig/rig_tty.h"
#include "host/base/monotonic.h"
#include "host/rig/ask.h"
#include "host/rig/query.h"
#include "host/usb/lock.h"

#include <asm/termbits.h> /* termios2: any baud; it excludes <termios.h> */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WRITE_MS = 1000, DRAIN_MS = 100, BITS_PER_BYTE = 10, BAUD_ERROR_PART = 50 };
enum option { BAUD, OPTIONS };
static const char *const option_name[OPTIONS] = {"baud"};

struct url {
    char path[256];
    unsigned baud_hz; /* 0: not given */
};

struct tty_rig {
    struct pb_transport base;
    struct url url;
    struct termios2 before; /* settings to restore */
    bool configured;        /* `before` must be restored */
    unsigned baud_hz;
    int fd, lock;
};

/* ---- the URL */

static int parse(struct url *url, const char *text, struct pb_diag *diag)
{
    struct pb_query query = {.rig = "tty:", .name = option_name, .options = OPTIONS};
    const char *path = text + strlen("tty:");
    const size_t length = strcspn(path, "?");
    uint64_t baud = 0;
    *url = (struct url){.baud_hz = 0};
    if (!length || length >= sizeof url->path)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig tty: names a port of %zu characters; write tty:/dev/ttyACM0, %zu are the limit",
                       length, sizeof url->path - 1);
    memcpy(url->path, path, length);
    int code = path[length] ? pb_query_split(&query, path + length + 1, diag) : PB_OK;
    if (!code)
        code = pb_query_number(&query, BAUD, PB_TTY_BAUD_MIN, PB_TTY_BAUD_MAX, &baud, diag);
    url->baud_hz = (unsigned)baud;
    return code;
}

int pb_rig_tty_check(const char *url, struct pb_diag *diag)
{
    struct url parsed;
    return parse(&parsed, url, diag);
}

/* ---- the transport */

static int unplugged(const struct tty_rig *rig, int error, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_LINK, "serial port '%s' has gone%s%s; plug the board in again", rig->url.path,
                   error ? ": " : "", error ? strerror(error) : "");
}

static int tty_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct tty_rig *rig = (struct tty_rig *)base;
    const int64_t deadline_ms = pb_monotonic_ms() + WRITE_MS;
    while (count) {
        const ssize_t done = write(rig->fd, bytes, count);
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
            continue;
        }
        if (done < 0 && errno != EAGAIN && errno != EINTR)
            return unplugged(rig, errno, diag);
        const int64_t left = deadline_ms - pb_monotonic_ms();
        struct pollfd wait = {.fd = rig->fd, .events = POLLOUT};
        if (left <= 0)
            return pb_fail(diag, PB_ERR_LINK,
                           "serial port '%s' took no byte for %d ms; plug the board in again", rig->url.path,
                           WRITE_MS);
        if (poll(&wait, 1, (int)left) > 0 && wait.revents & (POLLHUP | POLLERR | POLLNVAL))
            return unplugged(rig, 0, diag);
    }
    return PB_OK;
}

static int tty_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    struct tty_rig *rig = (struct tty_rig *)base;
    struct pollfd wait = {.fd = rig->fd, .events = POLLIN};
    if (poll(&wait, 1, (int)timeout_ms) <= 0)
        return 0;
    const ssize_t got = read(rig->fd, bytes, capacity);
    if (got > 0)
        return (int)got;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return unplugged(rig, got < 0 ? errno : 0, diag);
}

/* The last command releases all lines: send it before the settings change. */
static void drain(const struct tty_rig *rig)
{
    const struct timespec rest = {.tv_nsec = 1000000};
    const int64_t deadline_ms = pb_monotonic_ms() + DRAIN_MS;
    for (int waiting = 0; !ioctl(rig->fd, TIOCOUTQ, &waiting) && waiting && pb_monotonic_ms() < deadline_ms;)
        nanosleep(&rest, NULL);
}

static void tty_close(struct pb_transport *base)
{
    struct tty_rig *rig = (struct tty_rig *)base;
    if (rig->configured) {
        drain(rig);
        ioctl(rig->fd, TCFLSH, TCIOFLUSH);
        ioctl(rig->fd, TCSETS2, &rig->before);
        ioctl(rig->fd, TIOCNXCL);
    }
    if (rig->fd >= 0)
        close(rig->fd);
    pb_unlock(rig->lock);
    free(rig);
}

static const struct pb_transport_ops tty_ops = {tty_write, tty_read, tty_close};

/* ---- opening */

static int set_baud(struct tty_rig *rig, unsigned baud_hz, struct pb_diag *diag)
{
    struct termios2 wanted = {
        .c_cflag = BOTHER | BOTHER << IBSHIFT | CS8 | CREAD | CLOCAL,
        .c_line = rig->before.c_line,
        .c_ispeed = baud_hz,
        .c_ospeed = baud_hz,
    };
    struct termios2 made;
    wanted.c_cc[VMIN] = 1;
    if (ioctl(rig->fd, TCSETS2, &wanted) || ioctl(rig->fd, TCGETS2, &made))
        return pb_fail(diag, errno == EINVAL ? PB_ERR_ARGUMENT : PB_ERR_LINK,
                       "serial port '%s' refuses 8N1 at %u baud: %s; give another baud", rig->url.path,
                       baud_hz, strerror(errno));
    const unsigned off = made.c_ospeed > baud_hz ? made.c_ospeed - baud_hz : baud_hz - made.c_ospeed;
    if (off > baud_hz / BAUD_ERROR_PART)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "serial port '%s' makes %u baud of %u, more than 2 %% away; give one that it can make",
                       rig->url.path, made.c_ospeed, baud_hz);
    rig->baud_hz = baud_hz;
    return PB_OK;
}

/* Tries the usual bauds that the port supports; without a reply the first of them stays set. */
static int find_baud(struct tty_rig *rig, struct pb_diag *diag)
{
    unsigned first_hz = 0;
    int refused = PB_OK;
    for (unsigned i = 0; i < PB_USUAL_BAUDS; i++) {
        const int code = set_baud(rig, pb_usual_baud_hz[i], diag);
        if (code == PB_ERR_ARGUMENT) {
            refused = code;
            continue;
        }
        const int answer = code ? code : pb_rig_ask(&rig->base, diag);
        if (answer)
            return answer < 0 ? answer : PB_OK;
        first_hz = first_hz ? first_hz : pb_usual_baud_hz[i];
    }
    return first_hz ? set_baud(rig, first_hz, diag) : refused;
}

static int claim(struct tty_rig *rig, struct pb_diag *diag)
{
    const char *path = rig->url.path;
    char resolved[PATH_MAX];
    if (!realpath(path, resolved))
        return pb_fail(diag, PB_ERR_IO, "no serial port '%s': %s; 'phasebench devices' lists what is there",
                       path, strerror(errno));
    /* Without O_NONBLOCK the kernel would wait for a carrier. */
    rig->fd = open(resolved, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (rig->fd < 0 && errno == EBUSY)
        return pb_fail(diag, PB_ERR_IO, "serial port '%s' is in use by another program; end it (a terminal)",
                       path);
    if (rig->fd < 0)
        return pb_fail(diag, PB_ERR_IO, "cannot open serial port '%s': %s; 'phasebench doctor' says more",
                       path, strerror(errno));
    if (ioctl(rig->fd, TCGETS2, &rig->before))
        return pb_fail(diag, PB_ERR_IO, "'%s' is no serial port: %s; name one as /dev/ttyACM0", path,
                       strerror(errno));
    const int code = pb_lock(&rig->lock, resolved, diag);
    if (code)
        return code;
    if (flock(rig->fd, LOCK_EX | LOCK_NB) || ioctl(rig->fd, TIOCEXCL))
        return pb_fail(diag, PB_ERR_IO, "serial port '%s' is in use by another program; end it (a terminal)",
                       path);
    rig->configured = true;
    return PB_OK;
}

int pb_rig_tty_open(struct pb_transport **out, const struct pb_rig_options *options, struct pb_diag *diag)
{
    struct url parsed;
    int code = parse(&parsed, options->url, diag);
    *out = NULL;
    if (code)
        return code;
    struct tty_rig *rig = calloc(1, sizeof *rig);
    if (!rig)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for rig tty:");
    rig->base.ops = &tty_ops;
    rig->url = parsed;
    rig->fd = rig->lock = -1;
    code = claim(rig, diag);
    if (!code)
        code = parsed.baud_hz ? set_baud(rig, parsed.baud_hz, diag) : find_baud(rig, diag);
    if (!code && ioctl(rig->fd, TCFLSH, TCIOFLUSH))
        code = unplugged(rig, errno, diag);
    if (code) {
        tty_close(&rig->base);
        return code;
    }
    *out = &rig->base;
    return PB_OK;
}

uint64_t pb_rig_tty_bytes_per_s(const struct pb_transport *transport)
{
    return transport->ops == &tty_ops ? ((const struct tty_rig *)transport)->baud_hz / BITS_PER_BYTE : 0;
}

/* ---- ports */

void pb_tty_find(struct pb_tty_ports *ports, const char *const *patterns)
{
    static const char *const usual[] = {"/dev/ttyACM*", "/dev/ttyUSB*", NULL};
    *ports = (struct pb_tty_ports){.count = 0};
    for (const char *const *pattern = patterns ? patterns : usual; *pattern; pattern++) {
        glob_t found;
        if (glob(*pattern, 0, NULL, &found))
            continue;
        for (size_t i = 0; i < found.gl_pathc && ports->count < sizeof ports->port / sizeof ports->port[0];
             i++) {
            if (strlen(found.gl_pathv[i]) >= sizeof ports->port[0].path)
                continue;
            strcpy(ports->port[ports->count].path, found.gl_pathv[i]);
            ports->port[ports->count++].accessible = !access(found.gl_pathv[i], R_OK | W_OK);
        }
        globfree(&found);
    }
}
