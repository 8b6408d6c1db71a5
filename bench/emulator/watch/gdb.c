/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/gdb.h"

#include "bench/emulator/watch/gdb_command.h"
#include "phasebench/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* LOOK: steps, or calls, between two looks for Ctrl-C. BAD_MAX: damaged packets one after the other. */
enum { LOOK_MS = 50, LOOK = 1024, BAD_MAX = 100, SEND_MS = 10000 };

struct pb_gdb {
    int listener, client; /* -1: none */
    unsigned node, port;
    const volatile sig_atomic_t *stop;
    struct pb_node_watch *watch;
    struct pb_gdb_target target;
    struct pb_gdb_input input;
    enum { AWAITS, CONTROLS, GONE } state;
    bool stepping; /* halts after the next step */
    bool moved;    /* it has made a step since it was halted */
    bool stopped;  /* the processor does nothing more, as gdb knows */
    unsigned looks, bad;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- the connection */

int pb_gdb_open(struct pb_gdb **out, unsigned port, unsigned node, const volatile sig_atomic_t *stop,
                struct pb_diag *diag)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int yes = 1;
    struct pb_gdb *gdb = *out = calloc(1, sizeof *gdb);
    if (!gdb)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for gdb");
    gdb->client = -1;
    gdb->node = node;
    gdb->port = port;
    gdb->stop = stop;
    gdb->target.hit = -1;
    gdb->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (gdb->listener >= 0 && !setsockopt(gdb->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
        !bind(gdb->listener, (const struct sockaddr *)&address, sizeof address) && !listen(gdb->listener, 1))
        return PB_OK;
    pb_fail(diag, PB_ERR_IO, "no gdb can connect to port %u of 127.0.0.1: %s; choose another port", port,
            strerror(errno));
    if (gdb->listener >= 0)
        close(gdb->listener);
    free(gdb);
    *out = NULL;
    return PB_ERR_IO;
}

static void disconnect(struct pb_gdb *gdb)
{
    if (gdb->client >= 0)
        close(gdb->client);
    gdb->client = -1;
    gdb->state = GONE;
}

/* The run must end. */
static void fail(struct pb_gdb *gdb, int code, const char *why)
{
    disconnect(gdb);
    gdb->watch->failed = code;
    snprintf(gdb->watch->why, sizeof gdb->watch->why, "%s", why);
}

static void lose(struct pb_gdb *gdb)
{
    fail(gdb, PB_ERR_LINK,
         "gdb went away while it controlled a node; end it with 'detach' to let the run go on");
}

/* A client that takes nothing is lost. */
static void send_bytes(struct pb_gdb *gdb, const char *bytes, size_t size)
{
    while (size && gdb->client >= 0) {
        struct pollfd wait = {.fd = gdb->client, .events = POLLOUT};
        const ssize_t sent =
            poll(&wait, 1, SEND_MS) > 0 ? send(gdb->client, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
        if (sent <= 0) {
            lose(gdb);
            return;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void send_packet(struct pb_gdb *gdb, const char *text)
{
    char out[PB_GDB_PACKET_MAX + 5];
    send_bytes(gdb, out, pb_gdb_frame(out, text));
}

void pb_gdb_close(struct pb_gdb *gdb, int exit_code)
{
    char text[8];
    if (!gdb)
        return;
    if (gdb->state == CONTROLS) {
        struct pb_node_watch none = {0}; /* that of the run may be gone */
        gdb->watch = &none;
        snprintf(text, sizeof text, "W%02x", exit_code & 0xFF);
        send_packet(gdb, text);
    }
    disconnect(gdb);
    if (gdb->listener >= 0)
        close(gdb->listener);
    free(gdb);
}

unsigned pb_gdb_node(const struct pb_gdb *gdb)
{
    return gdb->node;
}

/* ---- halted */

/* Executes a packet. True: the processor goes on. */
static bool obey(struct pb_gdb *gdb)
{
    char reply[PB_GDB_PACKET_MAX + 1];
    const bool silent = gdb->target.silent;
    if (!silent)
        send_bytes(gdb, "+", 1);
    switch (pb_gdb_command(&gdb->target, gdb->input.text, gdb->input.length, reply)) {
    case PB_GDB_STAY:
        send_packet(gdb, reply);
        return gdb->state == GONE;
    case PB_GDB_STEP:
        gdb->stepping = true;
        return true;
    case PB_GDB_CONTINUE:
        return true;
    case PB_GDB_DETACH:
        send_packet(gdb, reply);
        disconnect(gdb);
        return true;
    case PB_GDB_KILL:
        fail(gdb, PB_ERR_INTERRUPTED, "gdb ended the run");
        return true;
    }
    return true;
}

/* Takes what has come, for at most `wait_ms`. Returns true to go on; of a running processor true means that
 * Ctrl-C has come. */
static bool receive(struct pb_gdb *gdb, int wait_ms, bool halted)
{
    struct pollfd wait = {.fd = gdb->client, .events = POLLIN};
    if (poll(&wait, 1, wait_ms) <= 0)
        return false;
    for (uint8_t byte; gdb->state == CONTROLS;) {
        const ssize_t got = recv(gdb->client, &byte, 1, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        if (got <= 0) {
            lose(gdb);
            return true;
        }
        const enum pb_gdb_event event = pb_gdb_take(&gdb->input, byte);
        if (event == PB_GDB_INTERRUPT && !halted)
            return true;
        gdb->bad = event == PB_GDB_PACKET ? 0 : gdb->bad + (event == PB_GDB_DAMAGED);
        if (gdb->bad == BAD_MAX) {
            fail(gdb, PB_ERR_LINK, "gdb sent 100 damaged packets one after the other");
            return true;
        }
        if (event == PB_GDB_DAMAGED)
            send_bytes(gdb, "-", 1);
        if (event == PB_GDB_PACKET && halted && obey(gdb))
            return true;
    }
    return true;
}

static bool is_stopped(const struct pb_gdb *gdb)
{
    return gdb->stop && *gdb->stop;
}

/* Until gdb continues it. The time limit of the run is suspended. */
static void halt(struct pb_gdb *gdb)
{
    const int64_t begun_ns = now_ns();
    gdb->stepping = gdb->moved = false;
    while (gdb->state == CONTROLS && !is_stopped(gdb) && !receive(gdb, LOOK_MS, true))
        continue;
    (void)pb_gdb_watched(&gdb->target); /* what gdb wrote is no hit */
    gdb->watch->halted_ns += now_ns() - begun_ns;
}

static void report(struct pb_gdb *gdb, int signal, int hit)
{
    char reply[PB_GDB_PACKET_MAX + 1];
    gdb->target.signal = signal;
    gdb->target.hit = hit;
    pb_gdb_stop_reply(&gdb->target, reply);
    send_packet(gdb, reply);
    gdb->target.hit = -1;
    halt(gdb);
}

static void await(struct pb_gdb *gdb)
{
    const int yes = 1;
    const int64_t begun_ns = now_ns();
    while (gdb->client < 0 && !is_stopped(gdb) && now_ns() - begun_ns < PB_GDB_WAIT_S * INT64_C(1000000000)) {
        struct pollfd wait = {.fd = gdb->listener, .events = POLLIN};
        if (poll(&wait, 1, LOOK_MS) > 0)
            gdb->client = accept(gdb->listener, NULL, NULL);
    }
    gdb->watch->halted_ns += now_ns() - begun_ns;
    close(gdb->listener);
    gdb->listener = -1;
    if (gdb->client < 0) {
        fail(gdb, is_stopped(gdb) ? PB_ERR_INTERRUPTED : PB_ERR_TIMEOUT,
             "no gdb connected within 300 s; start it, or leave --gdb out");
        return;
    }
    setsockopt(gdb->client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    gdb->state = CONTROLS;
    gdb->target.signal = PB_GDB_SIGTRAP;
    halt(gdb);
}

/* ---- what the processor does */

void pb_gdb_attach(struct pb_gdb *gdb, const struct pb_mcu_soc *soc, struct pb_node *part,
                   struct pb_node_watch *watch)
{
    gdb->target.soc = soc;
    gdb->target.part = part;
    gdb->watch = watch;
}

void pb_gdb_before(struct pb_gdb *gdb, const struct pb_mcu_step *step)
{
    gdb->target.now_ps = step->at_ps;
    if (gdb->state == AWAITS)
        await(gdb);
    if (gdb->state != CONTROLS || !gdb->moved)
        return;
    const int hit = gdb->target.watchpoints ? pb_gdb_watched(&gdb->target) : -1;
    if (hit >= 0 || gdb->stepping || pb_gdb_breaks(&gdb->target, step->pc))
        report(gdb, PB_GDB_SIGTRAP, hit);
}

static int signal_of(enum pb_mcu_trap_kind kind)
{
    if (kind == PB_MCU_ILLEGAL)
        return PB_GDB_SIGILL;
    if (kind == PB_MCU_BREAKPOINT)
        return PB_GDB_SIGTRAP;
    if (kind == PB_MCU_GAP)
        return PB_GDB_SIGSYS;
    return kind == PB_MCU_MISALIGNED ? PB_GDB_SIGBUS : PB_GDB_SIGSEGV;
}

void pb_gdb_after(struct pb_gdb *gdb, const struct pb_mcu_step *step)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;
    (void)step;
    gdb->moved = true;
    if (gdb->state == CONTROLS && !gdb->stopped &&
        gdb->target.soc->trapped(gdb->target.part, &trap, &words)) {
        gdb->stopped = true;
        report(gdb, signal_of(trap.kind), -1);
    }
}

void pb_gdb_look(struct pb_gdb *gdb, int64_t now_ps)
{
    if (gdb->state != CONTROLS || gdb->looks++ % LOOK)
        return;
    gdb->target.now_ps = now_ps;
    if (receive(gdb, 0, false) && gdb->state == CONTROLS)
        report(gdb, PB_GDB_SIGINT, -1);
}

void pb_gdb_phase(struct pb_gdb *gdb, uint32_t superframe, unsigned phase)
{
    gdb->target.clocked = true;
    gdb->target.superframe = superframe;
    gdb->target.phase = phase;
}
