/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A rig served on a socket, both ends: a real simulated rig served by a thread, and for the host's side
 * servers that lie, fall silent or die. Expected values: the rules in host/rig/socket.h, the watchdog's
 * 100 ms (docs/reference/registers.md).
 */
#include "host/rig/socket.h"
#include "phasebench/rig.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static char path[96];

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static struct sockaddr_un address_of(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, name);
    return address;
}

/* ---- the server */

struct rig_server {
    pthread_t thread;
    volatile sig_atomic_t stop;
    struct pb_transport *rig;
    const char *path;
    int64_t phase_ps;
    int code;
    struct pb_diag diag;
    pthread_mutex_t lock;
    char said[16384]; /* each message with a newline */
};

static void hear(void *context, const char *sentence)
{
    struct rig_server *server = context;
    pthread_mutex_lock(&server->lock);
    const size_t length = strlen(server->said);
    snprintf(server->said + length, sizeof server->said - length, "%s\n", sentence);
    pthread_mutex_unlock(&server->lock);
}

static bool has_said(struct rig_server *server, const char *part)
{
    pthread_mutex_lock(&server->lock);
    const bool found = strstr(server->said, part) != NULL;
    pthread_mutex_unlock(&server->lock);
    return found;
}

static void await(struct rig_server *server, const char *part)
{
    while (!has_said(server, part))
        rest();
}

static void forget(struct rig_server *server)
{
    pthread_mutex_lock(&server->lock);
    *server->said = 0;
    pthread_mutex_unlock(&server->lock);
}

static void *serve(void *context)
{
    struct rig_server *server = context;
    const struct pb_serve_options options = {.path = server->path,
                                             .stop = &server->stop,
                                             .phase_ps = server->phase_ps,
                                             .say = hear,
                                             .context = server};
    server->code = pb_rig_serve(server->rig, &options, &server->diag);
    return NULL;
}

static const char yaml[] = "cube: {dims: 2}\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 2}]\n";

/* On a simulated rig, or on another one. */
static void start(struct rig_server *server, struct pb_transport *rig)
{
    struct pb_scenario *scenario = parse_scenario(yaml);
    *server = (struct rig_server){.rig = rig, .path = path};
    server->phase_ps = (int64_t)(UINT64_C(1000000000000000) / scenario->phase_rate_mhz);
    if (!rig && pb_rig_open(&server->rig, &(struct pb_rig_options){0}, scenario, &server->diag))
        fail_msg("%s", server->diag.text);
    pthread_mutex_init(&server->lock, NULL);
    pthread_create(&server->thread, NULL, serve, server);
    await(server, "serving\n");
}

static void end(struct rig_server *server)
{
    server->stop = 1;
    pthread_join(server->thread, NULL);
    pthread_mutex_destroy(&server->lock);
    server->rig->ops->close(server->rig);
}

static struct pb_device *open_device(void)
{
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct pb_diag diag = {""};
    if (pb_rig_socket_open(&transport, path, &diag) || pb_device_open(&device, transport, &diag))
        fail_msg("%s", diag.text);
    return device;
}

TEST(one_host_at_a_time)
{
    struct rig_server server;
    struct pb_transport *second;
    struct pb_diag diag = {""};
    char holder[64];
    uint32_t value = 0;
    start(&server, NULL);
    struct pb_device *device = open_device();
    snprintf(holder, sizeof holder, "process %ld has the rig\n", (long)getpid());
    await(&server, holder);
    assert_int_equal(pb_device_write(device, PB_REG_SCRATCH, 0x12345678, &diag), 0);
    assert_int_equal(pb_device_read(device, PB_REG_SCRATCH, &value, &diag), 0);
    assert_int_equal(value, 0x12345678);

    assert_int_equal(pb_rig_socket_open(&second, path, &diag), PB_ERR_IO);
    assert_null(second);
    snprintf(holder, sizeof holder, "in use by process %ld, and one host", (long)getpid());
    assert_non_null(strstr(diag.text, holder));
    await(&server, "was refused: ");
    assert_int_equal(pb_device_read(device, PB_REG_SCRATCH, &value, &diag),
                     0); /* the first one notices nothing */

    /* It releases everything, so there is nothing left for the watchdog. */
    pb_device_close(device);
    await(&server, "has gone\n");
    await(&server, "all lines were released and the clock was stopped\n");
    forget(&server);
    device = open_device();
    await(&server, "has the rig\n");
    pb_device_close(device);
    end(&server);
    assert_int_equal(server.code, 0);
    assert_int_equal(access(path, F_OK), -1);
}

/* The clock runs and a line is pulled when the host's end is closed without a word. */
TEST(the_core_makes_itself_safe)
{
    static const uint32_t wave[] = {4, 4800, 0, 1, 2400, 0};
    struct rig_server server;
    struct pb_diag diag;
    double after_ms = -1;
    start(&server, NULL);
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    if (pb_rig_socket_open(&transport, path, &diag) || pb_device_open(&device, transport, &diag) ||
        pb_device_write_many(device, PB_REG_PHASE_COUNT, wave, 6, &diag) ||
        pb_device_write(device, PB_REG_CTRL, PB_CTRL_RUN_MASK, &diag))
        fail_msg("%s", diag.text);
    const struct pb_transport_ops *ops = transport->ops;
    struct silent {
        struct pb_transport base;
        int fd;
    } *silent = (struct silent *)transport;
    shutdown(silent->fd, SHUT_RDWR); /* as a killed process's socket is */
    await(&server, "has gone\n");
    await(&server, "the core released all lines and stopped the clock ");
    sscanf(strstr(server.said, "the clock ") + 10, "%lf ms", &after_ms);
    assert_true(after_ms > 0 && after_ms <= 102);

    /* The dead end is reported as such to every caller. */
    uint8_t bytes[8] = {0};
    assert_int_equal(ops->write(transport, bytes, sizeof bytes, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "has gone: "));
    assert_int_equal(ops->read(transport, bytes, sizeof bytes, 10, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "has gone; start it again"));
    pb_device_close(device);
    end(&server);
    assert_int_equal(server.code, 0);
}

TEST(stopped_while_a_host_is_there)
{
    struct rig_server server;
    start(&server, NULL);
    struct pb_device *device = open_device();
    end(&server);
    assert_int_equal(server.code, 0);
    pb_device_close(device);
}

/* ---- sockets that cannot be served */

static void refused(const char *at, int code, const char *says)
{
    static const volatile sig_atomic_t stop = 1;
    const struct pb_serve_options options = {.path = at, .stop = &stop, .say = hear};
    struct pb_diag diag = {""};
    assert_int_equal(pb_rig_serve(NULL, &options, &diag), code);
    if (!strstr(diag.text, says))
        fail_msg("'%s' lacks '%s'", diag.text, says);
}

TEST(bad_places_are_refused)
{
    char name[200];
    struct rig_server server;
    struct pb_transport *transport;
    struct pb_diag diag;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    refused(name, PB_ERR_ARGUMENT, "199 bytes, 107 are the limit");
    assert_int_equal(pb_rig_socket_open(&transport, name, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "199 bytes, 107 are the limit"));
    snprintf(name, sizeof name, "%s/no/such", folder);
    refused(name, PB_ERR_IO, "No such file");
    refused(folder, PB_ERR_IO, "exists and is no socket");

    start(&server, NULL);
    refused(path, PB_ERR_IO, "is served already");
    end(&server);

    /* What a killed server has left behind is replaced. */
    const struct sockaddr_un address = address_of(path);
    const int left = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(left, (const struct sockaddr *)&address, sizeof address), 0);
    close(left);
    assert_int_equal(access(path, F_OK), 0);
    start(&server, NULL);
    end(&server);
    assert_int_equal(server.code, 0);
}

/* ---- a rig that fails, or floods */

struct odd_rig {
    struct pb_transport base;
    bool broken, flooding;
    struct rig_server *server; /* it breaks when this one's host has gone; NULL: not then */
};

static int odd_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    (void)base, (void)bytes, (void)count;
    return pb_fail(diag, PB_ERR_MEMORY, "this rig takes nothing");
}

static int odd_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    struct odd_rig *rig = (struct odd_rig *)base;
    (void)timeout_ms;
    if (rig->broken || (rig->server && has_said(rig->server, "has gone")))
        return pb_fail(diag, PB_ERR_LINK, "this rig is broken");
    memset(bytes, 0x55, capacity);
    return rig->flooding ? (int)capacity : 0;
}

static void odd_close(struct pb_transport *base)
{
    (void)base;
}

static const struct pb_transport_ops odd_ops = {odd_write, odd_read, odd_close};

TEST(a_rig_that_fails_ends_the_server)
{
    for (int broken = 0; broken < 2; broken++) {
        struct odd_rig rig = {.base = {&odd_ops}, .broken = broken};
        struct rig_server server;
        struct pb_transport *transport;
        struct pb_diag diag;
        start(&server, &rig.base);
        assert_int_equal(pb_rig_socket_open(&transport, path, &diag), 0);
        if (!broken)
            assert_int_equal(transport->ops->write(transport, (const uint8_t *)"x", 1, &diag), 0);
        pthread_join(server.thread, NULL);
        assert_int_equal(server.code, broken ? PB_ERR_LINK : PB_ERR_MEMORY);
        assert_string_equal(server.diag.text, broken ? "this rig is broken" : "this rig takes nothing");
        transport->ops->close(transport);
        pthread_mutex_destroy(&server.lock);
    }
}

/* A host that reads nothing and goes away while the server is still sending. */
TEST(a_host_that_goes_while_it_is_sent_to)
{
    struct rig_server server;
    struct odd_rig rig = {.base = {&odd_ops}, .flooding = true, .server = &server};
    struct pb_transport *transport;
    start(&server, &rig.base);
    assert_succeeds(pb_rig_socket_open(&transport, path, &diag));
    await(&server, "has the rig");
    for (unsigned i = 0; i < 20; i++)
        rest(); /* its socket is full by now, or the server sends when it is closed */
    transport->ops->close(transport);
    pthread_join(server.thread, NULL);
    assert_int_equal(server.code, PB_ERR_LINK);
    pthread_mutex_destroy(&server.lock);
}

/* ---- servers that are none: the host's side alone */

struct stranger {
    pthread_t thread;
    int listening;
    const char *greeting;
    bool stay; /* open, until the host closes */
};

static void *greet(void *context)
{
    struct stranger *stranger = context;
    char byte;
    const int fd = accept(stranger->listening, NULL, NULL);
    send(fd, stranger->greeting, strlen(stranger->greeting), MSG_NOSIGNAL);
    while (stranger->stay && recv(fd, &byte, 1, 0) == 1)
        continue;
    close(fd);
    return NULL;
}

static void meet(struct stranger *stranger, const char *greeting, bool stay)
{
    const struct sockaddr_un address = address_of(path);
    *stranger = (struct stranger){.greeting = greeting, .stay = stay};
    stranger->listening = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(stranger->listening, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(stranger->listening, 1), 0);
    pthread_create(&stranger->thread, NULL, greet, stranger);
}

static void part(struct stranger *stranger)
{
    pthread_join(stranger->thread, NULL);
    close(stranger->listening);
    unlink(path);
}

TEST(strangers_are_no_rig)
{
    static const struct {
        const char *greeting;
        bool stay;
        const char *says;
    } strange[] = {
        {"", false, "did not say who it is within 2000 ms"},
        {"", true, "did not say who it is within 2000 ms"},
        {"phasebench 1 rea", false, "did not say who it is"},
        {"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\n",
         true, "did not say who it is"},
        {"SSH-2.0\n", true, "said 'SSH-2.0', not 'phasebench 1 ready'"},
        {"phasebench 2 ready\n", true, "serve it with this version"},
        {"phasebench 1 busy 4711\n", true, "in use by process 4711"},
    };
    for (size_t i = 0; i < COUNT(strange); i++) {
        struct stranger stranger;
        struct pb_transport *transport;
        struct pb_diag diag = {""};
        meet(&stranger, strange[i].greeting, strange[i].stay);
        assert_int_equal(pb_rig_socket_open(&transport, path, &diag), PB_ERR_IO);
        assert_null(transport);
        if (!strstr(diag.text, strange[i].says))
            fail_msg("'%s': %s", strange[i].greeting, diag.text);
        part(&stranger);
    }
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    assert_int_equal(pb_rig_socket_open(&transport, path, &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "No such file"));
    assert_non_null(strstr(diag.text, "start 'phasebench serve --socket"));
}

/* The bytes of the core begin after the greeting, and a read waits no longer than it may. */
TEST(what_follows_the_greeting_is_the_cores)
{
    struct stranger stranger;
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    uint8_t bytes[8] = {0};
    meet(&stranger, "phasebench 1 ready\nxyz", true);
    assert_int_equal(pb_rig_socket_open(&transport, path, &diag), 0);
    assert_int_equal(transport->ops->read(transport, bytes, sizeof bytes, 1000, &diag), 3);
    assert_memory_equal(bytes, "xyz", 3);
    assert_int_equal(transport->ops->read(transport, bytes, sizeof bytes, 1, &diag), 0);
    transport->ops->close(transport);
    part(&stranger);
}

/* Takes the greeting's connection and nothing more: the socket's buffer fills. */
TEST(a_server_that_takes_nothing)
{
    static uint8_t bytes[1 << 20];
    const struct sockaddr_un address = address_of(path);
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    assert_int_equal(bind(listening, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listening, 1), 0);
    struct stranger stranger = {.listening = listening, .greeting = "phasebench 1 ready\n", .stay = false};
    const int kept = dup(listening);
    pthread_create(&stranger.thread, NULL, greet, &stranger);
    assert_int_equal(pb_rig_socket_open(&transport, path, &diag), 0);
    pthread_join(stranger.thread, NULL);
    assert_int_equal(transport->ops->write(transport, bytes, sizeof bytes, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "has gone: "));
    transport->ops->close(transport);

    /* In the queue of those that listen none accepts it. */
    struct pb_transport *queued;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    stranger = (struct stranger){.listening = kept, .greeting = "phasebench 1 ready\n", .stay = false};
    pthread_create(&stranger.thread, NULL, greet, &stranger);
    assert_int_equal(pb_rig_socket_open(&queued, path, &diag), 0);
    pthread_join(stranger.thread, NULL);
    struct {
        struct pb_transport base;
        int fd;
    } *inside = (void *)queued;
    assert_int_equal(dup2(pair[0], inside->fd), inside->fd);
    assert_int_equal(queued->ops->write(queued, bytes, sizeof bytes, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "took no byte for 1000 ms"));
    queued->ops->close(queued);
    close(pair[0]);
    close(pair[1]);
    close(kept);
    close(listening);
    unlink(path);
}

static void set_up(void)
{
    folder = new_folder();
    snprintf(path, sizeof path, "%s/rig", folder);
}

static void tear_down(void)
{
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

AROUND_ALL(set_up, tear_down)
