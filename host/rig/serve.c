/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* struct ucred */
#include "host/rig/rig_sim.h"
#include "host/rig/host_loss.h"
#include "host/rig/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    IDLE_MS = 100, /* real time between checks of the stop flag without a host */
    STEP_MS = 1,   /* simulated time between polls of the socket */
    /* A host that waits for a processor is not silent: between these simulated times since its last byte,
     * each millisecond takes PACE_MS of real time. The core's watchdog (100 ms) trips after 1.8 s of real
     * silence. */
    PACE_FROM_MS = 10,
    PACE_TO_MS = 100,
    PACE_MS = 20,
    SENTENCE_BYTES = HOST_LOSS_SENTENCE,
    BACKLOG_BYTES = 2097152, /* more than a core sends without further credit */
    SILENT_MS =
        5, /* simulated time; a core active for longer was stopped by its watchdog, not by its host */
    REST_MS = 10 /* plus two phases without a change: the clock is stopped */
};

#define PS_PER_MS INT64_C(1000000000)

struct server {
    struct pb_transport *rig;
    const struct pb_serve_options *options;
    struct pb_diag *diag;
    int listening, host; /* descriptors; host: -1: none */
    long holder;         /* its process */
    struct host_loss host_loss;
    struct stat own;  /* of the socket file created here */
    int64_t heard_ps; /* time of the last byte from the host */
    int64_t paced_ms; /* silence at the last step, in whole milliseconds */
    bool silence_reported;
    size_t waiting; /* bytes not yet read by the host */
    uint8_t backlog[BACKLOG_BYTES];
};

/* Removes a socket without a server; refuses any other file of that name. */
static int clear_path(const char *path, const struct sockaddr_un *address, struct pb_diag *diag)
{
    struct stat status, now;
    if (lstat(path, &status))
        return PB_OK;
    if (!S_ISSOCK(status.st_mode))
        return pb_fail(diag, PB_ERR_IO, "'%s' exists and is no socket; choose another path", path);
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int error =
        probe >= 0 && !connect(probe, (const struct sockaddr *)address, sizeof *address) ? 0 : errno;
    if (probe >= 0)
        close(probe);
    if (!error || error == EAGAIN) /* EAGAIN: its queue of connections is full */
        return pb_fail(diag, PB_ERR_IO, "'%s' is served already; choose another path", path);
    if (error != ECONNREFUSED)
        return pb_fail(diag, PB_ERR_IO, "'%s' is the socket of another program: %s; choose another path",
                       path, strerror(error));
    if (!lstat(path, &now) && now.st_dev == status.st_dev && now.st_ino == status.st_ino)
        unlink(path);
    return PB_OK;
}

static int open_socket(struct server *server)
{
    const char *path = server->options->path;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return pb_fail(server->diag, PB_ERR_ARGUMENT, "the socket's path has %zu bytes, %zu are the limit",
                       strlen(path), sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    const int code = clear_path(path, &address, server->diag);
    if (code)
        return code;
    server->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listening < 0 || bind(server->listening, (struct sockaddr *)&address, sizeof address) ||
        lstat(path, &server->own) || listen(server->listening, 4)) {
        const int error = errno;
        if (server->listening >= 0)
            close(server->listening);
        server->listening = -1;
        return pb_fail(server->diag, PB_ERR_IO,
                       "cannot serve '%s': %s; choose a path in a folder of your own", path, strerror(error));
    }
    return PB_OK;
}

/* Another server may own the name by now. */
static void remove_socket(const struct server *server)
{
    struct stat now;
    const char *path = server->options->path;
    if (!lstat(path, &now) && now.st_dev == server->own.st_dev && now.st_ino == server->own.st_ino)
        unlink(path);
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
        send(fd, sentence, strlen(sentence), MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
        snprintf(sentence, sizeof sentence, "process %ld was refused: process %ld has the rig",
                 (long)peer.pid, server->holder);
        say(server, sentence);
        return;
    }
    server->host = fd;
    server->holder = peer.pid;
    server->waiting = 0;
    server->heard_ps = pb_rig_simulated_ps(server->rig);
    server->silence_reported = false;
    send(fd, "phasebench 1 ready\n", 19, MSG_NOSIGNAL | MSG_DONTWAIT);
    snprintf(sentence, sizeof sentence, "process %ld has the rig", server->holder);
    say(server, sentence);
}

static void lose_host(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    close(server->host);
    server->host = -1;
    host_loss_begin(&server->host_loss, pb_rig_simulated_ps(server->rig));
    snprintf(sentence, sizeof sentence, "process %ld has gone", server->holder);
    say(server, sentence);
}

/* Sends without blocking: a stopped host must not stop simulated time. */
static void send_backlog(struct server *server)
{
    const ssize_t sent =
        server->waiting ? send(server->host, server->backlog, server->waiting, MSG_NOSIGNAL | MSG_DONTWAIT)
                        : 0;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        lose_host(server);
    } else if (sent > 0) {
        server->waiting -= (size_t)sent;
        memmove(server->backlog, server->backlog + sent, server->waiting);
    }
}

/* Runs one step of simulated time and sends the core's bytes to the host. Bytes above the backlog are lost,
 * as in a full FTDI chip. */
static int step(struct server *server)
{
    uint8_t bytes[16384];
    const int got = server->rig->ops->read(server->rig, bytes, sizeof bytes, STEP_MS, server->diag);
    if (got < 0)
        return got;
    if (server->host < 0)
        return PB_OK;
    const size_t room = sizeof server->backlog - server->waiting,
                 kept = (size_t)got < room ? (size_t)got : room;
    memcpy(server->backlog + server->waiting, bytes, kept);
    server->waiting += kept;
    send_backlog(server);
    return PB_OK;
}

/* Reports a watchdog that tripped because a connected host is silent. */
static void tell_silence(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    if (server->silence_reported || !pb_rig_sim_bench(server->rig))
        return;
    const int64_t now_ps = pb_rig_simulated_ps(server->rig), active_ps = pb_rig_sim_active_ps(server->rig);
    if (active_ps - server->heard_ps < SILENT_MS * PS_PER_MS ||
        now_ps - active_ps < REST_MS * PS_PER_MS + 2 * server->options->phase_ps)
        return;
    server->silence_reported = true;
    snprintf(
        sentence, sizeof sentence,
        "process %ld is silent: the core released all lines and stopped the clock after %.1f ms (simulated)",
        server->holder, (double)(active_ps - server->heard_ps) / (double)PS_PER_MS);
    say(server, sentence);
}

static int hear_host(struct server *server)
{
    uint8_t bytes[4096];
    const ssize_t got = recv(server->host, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
        server->heard_ps = pb_rig_simulated_ps(server->rig);
        server->silence_reported = false;
        return server->rig->ops->write(server->rig, bytes, (size_t)got, server->diag);
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
        lose_host(server);
    return PB_OK;
}

/* Without a host: runs until the core is in the safe state. */
static int host_loss(struct server *server)
{
    char sentence[SENTENCE_BYTES];
    const int code = step(server);
    if (!code && host_loss_report(&server->host_loss, pb_rig_simulated_ps(server->rig),
                              pb_rig_sim_active_ps(server->rig), sentence))
        say(server, sentence);
    return code;
}

/* Real time to wait for the socket before the next step. */
static int pause_ms(struct server *server)
{
    if (server->host < 0)
        return server->host_loss.reported ? IDLE_MS : 0;
    const int64_t silent_ms = (pb_rig_simulated_ps(server->rig) - server->heard_ps) / PS_PER_MS;
    const bool due = silent_ms != server->paced_ms && silent_ms >= PACE_FROM_MS && silent_ms < PACE_TO_MS;
    server->paced_ms = silent_ms;
    return due ? PACE_MS : 0;
}

static int serve(struct server *server)
{
    while (!*server->options->stop) {
        struct pollfd wait[2] = {{.fd = server->listening, .events = POLLIN},
                                 {.fd = server->host, .events = POLLIN}};
        if (poll(wait, server->host < 0 ? 1 : 2, pause_ms(server)) < 0 && errno != EINTR)
            return pb_fail(server->diag, PB_ERR_IO, "the socket broke: %s", strerror(errno));
        int code = PB_OK;
        if (server->host >= 0 && wait[1].revents)
            code = hear_host(server); /* before a new host is accepted: this host may have gone */
        if (wait[0].revents)
            take_host(server);
        if (!code && server->host >= 0) {
            code = step(server);
            if (server->host >= 0)
                tell_silence(server);
        } else if (!code && !server->host_loss.reported)
            code = host_loss(server);
        if (code)
            return code;
    }
    return PB_OK;
}

int pb_rig_serve(struct pb_transport *rig, const struct pb_serve_options *options, struct pb_diag *diag)
{
    struct server *server = malloc(sizeof *server);
    if (!server)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the server");
    *server = (struct server){
        .rig = rig,
        .options = options,
        .diag = diag,
        .listening = -1,
        .host = -1,
        .host_loss = {.phase_ps = options->phase_ps, .reported = true},
    };
    int code = open_socket(server);
    if (!code) {
        say(server, "serving");
        code = serve(server);
    }
    if (server->host >= 0)
        close(server->host);
    if (server->listening >= 0) {
        close(server->listening);
        remove_socket(server);
    }
    free(server);
    return code;
}
