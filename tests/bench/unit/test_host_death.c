/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host dies, of SIGKILL, in the middle of what it does to the machine. A child process drives the core
 * that its parent simulates; when the child is gone the parent goes on simulating. All lines must be released
 * and the clock stopped when the watchdog's time is over, not before, and stay so.
 */
#include "tests/bench/unit/core_fixture.h"
#include "tests/bench/unit/tests.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WATCHDOG_MS = 40, DEFAULT_MS = 100 };

#define PS_PER_MS INT64_C(1000000000)

/* ---- child: a transport whose other end is the parent */
struct request {
    bool write;
    unsigned count; /* of the bytes that follow; to be read: as many at most */
    unsigned timeout_ms;
};

struct remote {
    struct pb_transport base;
    int socket;
};

static bool give(int socket, const void *data, size_t count)
{
    const char *at = data;
    for (ssize_t done; count; at += done, count -= (size_t)done)
        if ((done = send(socket, at, count, MSG_NOSIGNAL)) <= 0)
            return false;
    return true;
}

static bool take(int socket, void *data, size_t count)
{
    return !count || recv(socket, data, count, MSG_WAITALL) == (ssize_t)count;
}

static int remote_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct remote *remote = (struct remote *)base;
    const struct request request = {.write = true, .count = (unsigned)count};
    if (!give(remote->socket, &request, sizeof request) || !give(remote->socket, bytes, count))
        return pb_fail(diag, PB_ERR_IO, "the parent is gone");
    return PB_OK;
}

static int remote_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                       struct pb_diag *diag)
{
    struct remote *remote = (struct remote *)base;
    const struct request request = {.count = (unsigned)capacity, .timeout_ms = timeout_ms};
    int count;
    if (!give(remote->socket, &request, sizeof request) || !take(remote->socket, &count, sizeof count) ||
        !take(remote->socket, bytes, (size_t)count))
        return pb_fail(diag, PB_ERR_IO, "the parent is gone");
    return count;
}

static void remote_close(struct pb_transport *base)
{
    close(((struct remote *)base)->socket);
}

static const struct pb_transport_ops remote_ops = {remote_write, remote_read, remote_close};

/* What the child does to the machine before it waits for ever. */
enum deed { PULLS, JOINS, HOLDS_NODES, ONLY_LISTENS };

static int act(struct pb_device *device, enum deed deed)
{
    struct pb_diag diag;
    uint8_t record[PB_PLAY_RECORD_BYTES + 100] = {0}; /* bits of 65,535 ticks, all low */
    bool taken = true;
    unsigned room;
    int code = pb_device_write(device, PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB, &diag);
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, 3);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, 100);
    PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, 1);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, PB_PLAY_RECORD_PERIOD_MASK);
    if (!code && deed == PULLS)
        code = pb_device_write(device, PB_REG_LINK + 3, 1, &diag);
    if (!code && deed == PULLS)
        code = pb_device_play(device, 0, record, sizeof record, &taken, &room, &diag);
    for (unsigned end = 0; !code && deed == JOINS && end < 2; end++)
        code = pb_device_write(device, PB_REG_LINK + 5 + end,
                               PB_PUT(PB_LINK_MODE, PB_LINK_MODE_JOINED) | PB_PUT(PB_LINK_PARTNER, 6 - end),
                               &diag);
    if (!code && deed == HOLDS_NODES)
        code = pb_device_write(device, PB_REG_NODE_RESET, 1, &diag);
    if (!code && deed == HOLDS_NODES)
        code = pb_device_write(device, PB_REG_NODE_BOOT, 1, &diag);
    return taken ? code : -1;
}

static void live(int socket, enum deed deed)
{
    struct remote remote = {.base = {&remote_ops}, .socket = socket};
    struct pb_events events = {0};
    struct pb_device *device;
    struct pb_diag diag;
    int code = pb_device_open(&device, &remote.base, &diag);
    if (!code)
        code = pb_device_write(device, PB_REG_WATCHDOG, WATCHDOG_MS, &diag);
    if (!code)
        code = act(device, deed);
    while (!code) {
        code = pb_device_poll(device, 1000, &events, &diag);
        code = code < 0 ? code : 0;
        events.count = 0;
    }
    _exit(1);
}

/* ---- parent */
struct bench {
    struct core core;
    pid_t child;
    int socket;
};

static void start(struct bench *bench, unsigned clocks_per_bit, enum deed deed)
{
    int pair[2];
    core_make(&bench->core, clocks_per_bit);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    bench->child = fork();
    assert_true(bench->child >= 0);
    if (!bench->child) {
        close(pair[0]);
        live(pair[1], deed);
    }
    close(pair[1]);
    bench->socket = pair[0];
}

/* Does one thing that the child wants. */
static void serve(struct bench *bench)
{
    struct pb_transport *transport = &bench->core.base;
    static uint8_t bytes[4096];
    struct request request;
    if (!take(bench->socket, &request, sizeof request))
        fail_msg("the child has ended by itself");
    if (request.write) {
        assert_true(request.count <= sizeof bytes && take(bench->socket, bytes, request.count));
        assert_int_equal(transport->ops->write(transport, bytes, request.count, NULL), 0);
        return;
    }
    const size_t room = request.count < sizeof bytes ? request.count : sizeof bytes;
    const int count = transport->ops->read(transport, bytes, room, request.timeout_ms, NULL);
    assert_true(give(bench->socket, &count, sizeof count) && give(bench->socket, bytes, (size_t)count));
}

static void serve_ms(struct bench *bench, unsigned ms)
{
    const int64_t until_ps = core_now_ps(&bench->core) + ms * PS_PER_MS;
    while (core_now_ps(&bench->core) < until_ps)
        serve(bench);
}

static void kill_child(struct bench *bench)
{
    int status;
    assert_int_equal(kill(bench->child, SIGKILL), 0);
    assert_int_equal(waitpid(bench->child, &status, 0), bench->child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(bench->socket);
}

static bool does(const struct bench *bench, enum deed deed)
{
    const struct pb_sim_pins *pins = &bench->core.pins;
    switch (deed) {
    case PULLS:
        return pins->link_pull == 1u << 3;
    case JOINS:
        return pins->link_pull == 1u << 6;
    case HOLDS_NODES:
        return !(pins->nrst & 1) && (pins->boot0 & 1);
    default:
        return pins->link_pull == 0;
    }
}

static bool safe(const struct bench *bench)
{
    const struct pb_sim_pins *pins = &bench->core.pins;
    return pins->link_pull == 0 && (pins->nrst & 1) && !(pins->boot0 & 1) && (pins->uart0_rx & 1) &&
           !pins->tdma_clk && !pins->tdma_sync;
}

TEST(the_core_is_safe_when_its_host_was_killed)
{
    static const unsigned clocks_per_bit[] = {0, 4, 16};
    for (unsigned deed = PULLS; deed <= ONLY_LISTENS; deed++) {
        struct bench bench_, *bench = &bench_;
        start(bench, clocks_per_bit[deed % 3], (enum deed)deed);
        if (deed == JOINS)
            bench->core.pull_outside = 1u << 5; /* a node pulls its end for ever */
        /* Longer than the watchdog waits: the child keeps the core awake all by itself. */
        for (unsigned quarter = 0; quarter < 6; quarter++) {
            const uint64_t rises = bench->core.clock_rises;
            serve_ms(bench, WATCHDOG_MS / 4);
            assert_true(bench->core.clock_rises > rises + 60);
        }
        for (unsigned more = 0; more < 20000 && !does(bench, (enum deed)deed); more++)
            serve(bench);
        assert_true(does(bench, (enum deed)deed));
        kill_child(bench);

        /* The last good packet came at most 20 ms ago, and for some time nothing happens. */
        const int64_t killed_ps = core_now_ps(&bench->core);
        uint64_t rises = bench->core.clock_rises;
        core_run(&bench->core, (WATCHDOG_MS - 20 - 1) * PS_PER_MS);
        assert_true(bench->core.clock_rises > rises + 60);
        core_run(&bench->core, killed_ps + (WATCHDOG_MS + 2) * PS_PER_MS - core_now_ps(&bench->core));
        assert_true(safe(bench));
        rises = bench->core.clock_rises;
        bench->core.pulled = 0;
        core_run(&bench->core, 10 * PS_PER_MS);
        assert_true(safe(bench));
        assert_int_equal(bench->core.clock_rises, rises);
        assert_int_equal(bench->core.pulled, 0);

        /* The next host finds a core that works. */
        struct pb_device *device;
        struct pb_diag diag = {""};
        uint32_t status = 0;
        struct pb_events events = {0};
        if (pb_device_open(&device, &bench->core.base, &diag) || pb_device_status(device, &status, &diag) ||
            pb_device_write(device, PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB, &diag) ||
            pb_device_poll(device, 5, &events, &diag) < 0)
            fail_msg("%s", diag.text);
        assert_int_equal(status, 0);
        assert_true(bench->core.clock_rises > rises + 40);
        pb_device_close(device);
        pb_events_free(&events);
        core_free(&bench->core);
    }
}

/* A host that is suspended is as good as dead; when it wakes up it gets the reason why its run is over. */
TEST(a_host_that_slept_is_told)
{
    struct core core;
    struct pb_device *device;
    struct pb_diag diag = {""};
    struct pb_events events = {0};
    core_make(&core, 4);
    assert_int_equal(pb_device_open(&device, &core.base, &diag), 0);
    assert_int_equal(act(device, PULLS), 0);
    assert_int_equal(pb_device_poll(device, 1, &events, &diag) < 0, 0);
    core_run(&core, (DEFAULT_MS + 2) * PS_PER_MS);
    assert_int_equal(core.pins.link_pull, 0);
    int code = 0;
    for (unsigned ms = 0; code >= 0 && ms < 20; ms++)
        code = pb_device_poll(device, 1, &events, &diag);
    assert_int_equal(code, PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "watchdog"));
    assert_non_null(strstr(diag.text, "100 ms"));
    pb_device_close(device);
    pb_events_free(&events);
    core_free(&core);
}
