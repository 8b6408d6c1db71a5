/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* struct ucred */
#include "host/rig/rig_sim.h"
#include "host/rig/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PS_PER_MS INT64_C(1000000000)

enum {
    IDLE_MS = 100,   /* of real time, between looks at the stop flag when no host is there */
    STEP_MS = 1,     /* of simulated time, between looks at the socket */
    AFTER_MS = 5000, /* of simulated time that is granted to the core to make itself safe: beyond its largest
                        watchdog time */
    QUIET_MS = 10,   /* and two phases, without a change: the clock stands */
    SENTENCE_BYTES = 160
};

struct server {
    struct pb_transport *rig;
    const struct pb_serve_options *options;
    struct pb_diag *diag;
    int listening, host; /* descriptors; host: -1 when none is there */
    long holder;         /* its process */
    int64_t gone_ps;     /* since when no host is there */
    bool told;           /* what became of the core after that */
};

static int open_socket(struct server *server)
{
    const char *path = server->options->path;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    if (strlen(path) >= sizeof address.sun_path)
        return pb_fail(server->diag, PB_ERR_ARGUMENT, "the socket's path has %zu bytes, %zu are the limit",
                       strlen(path), sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    if (!lstat(path, &status)) {
        if (!S_ISSOCK(status.st_mode))
            return pb_fail(server->diag, PB_ERR_IO, "'%s' exists and is no socket; choose another path",
                           path);
        const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const bool served = probe >= 0 && !connect(probe, (struct sockaddr *)&address, sizeof address);
        if (probe >= 0)
            close(probe);
        if (served)
            return pb_fail(server->diag, PB_ERR_IO, "'%s' is served already; choose another path", path);
        unlink(path);
    }
    server->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listening < 0 || bind(server->listening, (struct sockaddr *)&address, sizeof address) ||
        listen(server->listening, 4)) {
        const int error = errno;
        if (server->listening >= 0)
            close(server->listening);
        server->listening = -1;
        return pb_fail(server->diag, PB_ERR_IO,
                       "cannot serve '%s': %s; choose a path in a folder of your own", path, strerror(error));
    }
    return PB_OK;
}

static void say(const struct server *server, const char *sentence)
{
    server->options->say(server->options->context, sentence);
}

static void take_host(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    const int fd = accept(server->listening, NULL, NULL);
    if (fd < 0)
        return;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    if (server->host >= 0) {
        snprintf(sentence, sizeof sentence, "phasebench 1 busy %ld\n", server->holder);
        send(fd, sentence, strlen(sentence), MSG_NOSIGNAL);
        close(fd);
        snprintf(sentence, sizeof sentence, "process %ld was refused: process %ld has the rig",
                 (long)peer.pid, server->holder);
        say(server, sentence);
        return;
    }
    server->host = fd;
    server->holder = peer.pid;
    send(fd, "phasebench 1 ready\n", 19, MSG_NOSIGNAL);
    snprintf(sentence, sizeof sentence, "process %ld has the rig", server->holder);
    say(server, sentence);
}

static void lose_host(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    close(server->host);
    server->host = -1;
    server->gone_ps = pb_rig_simulated_ps(server->rig);
    server->told = false;
    snprintf(sentence, sizeof sentence, "process %ld has gone", server->holder);
    say(server, sentence);
}

static bool send_all(int fd, const uint8_t *bytes, size_t count)
{
    while (count) {
        const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* A step of simulated time; what the core says goes to the host. */
static int step(struct server *server)
{
    uint8_t bytes[16384];
    const int got = server->rig->ops->read(server->rig, bytes, sizeof bytes, STEP_MS, server->diag);
    if (got > 0 && server->host >= 0 && !send_all(server->host, bytes, (size_t)got))
        lose_host(server);
    return got < 0 ? got : PB_OK;
}

static int hear_host(struct server *server)
{
    uint8_t bytes[4096];
    const ssize_t got = recv(server->host, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0)
        return server->rig->ops->write(server->rig, bytes, (size_t)got, server->diag);
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
        lose_host(server);
    return PB_OK;
}

/* Without a host: runs on until the core has made itself safe. */
static int run_out(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    const int code = step(server);
    if (code)
        return code;
    const int64_t now_ps = pb_rig_simulated_ps(server->rig), active_ps = pb_rig_sim_active_ps(server->rig);
    const int64_t since_ps = active_ps > server->gone_ps ? active_ps : server->gone_ps;
    if (now_ps - server->gone_ps < AFTER_MS * PS_PER_MS &&
        now_ps - since_ps < QUIET_MS * PS_PER_MS + 2 * server->options->phase_ps)
        return PB_OK;
    server->told = true;
    if (active_ps <= server->gone_ps)
        snprintf(sentence, sizeof sentence, "all lines were released and the clock stood");
    else if (active_ps < now_ps)
        snprintf(sentence, sizeof sentence,
                 "the core released all lines and stopped the clock %.1f ms (simulated) later",
                 (double)(active_ps - server->gone_ps) / (double)PS_PER_MS);
    else
        snprintf(sentence, sizeof sentence, "the core still drives its pins after %d ms (simulated)",
                 AFTER_MS);
    say(server, sentence);
    return PB_OK;
}

static int serve(struct server *server)
{
    while (!*server->options->stop) {
        struct pollfd wait[2] = {{.fd = server->listening, .events = POLLIN},
                                 {.fd = server->host, .events = POLLIN}};
        const bool idle = server->host < 0 && server->told;
        if (poll(wait, server->host < 0 ? 1 : 2, idle ? IDLE_MS : 0) < 0 && errno != EINTR)
            return pb_fail(server->diag, PB_ERR_IO, "the socket broke: %s", strerror(errno));
        int code = PB_OK;
        if (server->host >= 0 && wait[1].revents)
            code = hear_host(server); /* before the next one is asked in: this one may have gone */
        if (wait[0].revents)
            take_host(server);
        if (!code && server->host >= 0)
            code = step(server);
        else if (!code && !server->told)
            code = run_out(server);
        if (code)
            return code;
    }
    return PB_OK;
}

int pb_rig_serve(struct pb_transport *rig, const struct pb_serve_options *options, struct pb_diag *diag)
{
    struct server server = {
        .rig = rig, .options = options, .diag = diag, .listening = -1, .host = -1, .told = true};
    int code = open_socket(&server);
    if (!code) {
        say(&server, "serving");
        code = serve(&server);
    }
    if (server.host >= 0)
        close(server.host);
    if (server.listening >= 0) {
        close(server.listening);
        unlink(options->path);
    }
    return code;
}
