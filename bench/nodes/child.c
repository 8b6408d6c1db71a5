/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/child.h"
#include "host/base/monotonic.h"
#include "host/base/process.h"
#include "phasebench/error.h"
#include "phasebench/node_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PS_PER_MS INT64_C(1000000000)

enum {
    SLICE_MS = 50, /* of a wait; the output is collected in between */
    /* A slice that took longer counts as this much: then the bench itself did not run. */
    SLICE_MOST_MS = 2 * SLICE_MS,
    BUSY_FACTOR = 4,
    TAIL = 2048, /* bytes of output that are kept */
    RECEIVE = 16384,
    FDS_MAX = 1024
};

struct pb_child {
    pid_t pid;
    struct pb_halt halt;
    bool stopped;
    int status;      /* of waitpid, once stopped */
    bool killed;     /* by pb_child_stop */
    int socket, out; /* -1: closed */
    uint8_t in[RECEIVE];
    size_t in_at, in_end; /* received, and not taken yet */
    char tail[TAIL]; /* ring of its output */
    size_t written;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Only async-signal-safe calls: other threads may hold locks at the fork. */
static void become(char *const *word, const char *folder, int socket, int out, int report)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Above the numbers that they are moved to. */
    const int from[] = {socket, out, report};
    int high[3];
    bool ok = true;
    for (int i = 0; i < 3; i++)
        ok &= (high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, PB_PROCESS_FD + 1)) >= 0;
    close(0);
    ok = ok && open("/dev/null", O_RDONLY) == 0 && dup2(high[1], 1) == 1 && dup2(high[1], 2) == 2 &&
         dup2(high[0], PB_PROCESS_FD) == PB_PROCESS_FD;
    for (int fd = PB_PROCESS_FD + 1; fd < FDS_MAX; fd++)
        if (fd != high[2])
            close(fd);
    if (ok && (!folder || !chdir(folder)))
        execvp(word[0], word);
    const int error = errno;
    const ssize_t reported = write(high[2], &error, sizeof error);
    _exit(reported == sizeof error ? 127 : 126);
}

static bool open_pipes(int sockets[2], int out[2], int report[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        return false;
    if (!pipe(out)) {
        if (!pipe(report))
            return true;
        close(out[0]);
        close(out[1]);
    }
    close(sockets[0]);
    close(sockets[1]);
    return false;
}

static int start(struct pb_child *child, char *const *word, const char *folder, struct pb_diag *diag)
{
    int sockets[2], out[2], report[2], error = 0;
    if (!open_pipes(sockets, out, report))
        return pb_fail(diag, PB_ERR_IO, "cannot start '%.80s': %s; close other programs", word[0],
                       strerror(errno));
    for (int i = 0; i < 2; i++) {
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
        fcntl(report[i], F_SETFD, FD_CLOEXEC);
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    const struct timeval slice = {.tv_usec = SLICE_MS * 1000};
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
    setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof slice);
    child->socket = sockets[0];
    child->out = out[0];
    child->pid = pb_fork();
    if (!child->pid)
        become(word, folder, sockets[1], out[1], report[1]);
    const int forked = errno;
    close(sockets[1]);
    close(out[1]);
    close(report[1]);
    if (child->pid < 0) {
        close(report[0]);
        return pb_fail(diag, PB_ERR_IO, "cannot start '%.80s': %s; close other programs", word[0],
                       strerror(forked));
    }
    setpgid(child->pid, child->pid); /* both do it: whichever comes first */
    ssize_t reported;
    do
        reported = read(report[0], &error, sizeof error);
    while (reported < 0 && errno == EINTR);
    close(report[0]);
    if (reported <= 0)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_CONFIG,
        "cannot start '%.80s' in folder '%.100s': %s; give a program that exists and may be executed",
        word[0], folder ? folder : ".", strerror(error));
}

int pb_child_start(struct pb_child **out, char *const *word, const char *folder, struct pb_diag *diag)
{
    struct pb_child *child = *out = calloc(1, sizeof *child);
    if (!child)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the process '%.80s'", word[0]);
    child->socket = child->out = child->pid = -1;
    const int code = start(child, word, folder, diag);
    if (code) {
        pb_child_free(child);
        *out = NULL;
    }
    return code;
}

void pb_child_heed(struct pb_child *child, const struct pb_halt *halt)
{
    child->halt = *halt;
}

/* ---- its output */

static void collect(struct pb_child *child)
{
    char bytes[4096];
    /* Bounded: a flood must not hold the bench. */
    for (int i = 0; child->out >= 0 && i < 64; i++) {
        const ssize_t count = read(child->out, bytes, sizeof bytes);
        if (count <= 0)
            return;
        for (ssize_t at = 0; at < count; at++)
            child->tail[child->written++ % TAIL] = bytes[at];
    }
}

void pb_child_output(struct pb_child *child, char *text, size_t size)
{
    collect(child);
    size_t end = child->written, length = end < TAIL ? end : TAIL;
    while (length && child->tail[(end - 1) % TAIL] == '\n') {
        end--;
        length--;
    }
    if (length > size - 1)
        length = size - 1;
    for (size_t i = 0; i < length; i++) {
        const char c = child->tail[(end - length + i) % TAIL];
        text[i] = c == '\n' ? '|' : c < ' ' || c > '~' ? '?' : c;
    }
    text[length] = '\0';
}

/* ---- waiting */

int pb_halt_code(const struct pb_halt *halt)
{
    if (halt->stop && *halt->stop)
        return PB_ERR_INTERRUPTED;
    if (!halt->deadline_ns)
        return PB_OK;
    return pb_monotonic_ns() > halt->deadline_ns ? PB_ERR_TIMEOUT : PB_OK;
}

/* State letter and CPU time of the process in ms; 'S' when unknown. */
static char state_of(pid_t pid, int64_t *cpu_ms)
{
    char path[40], line[512], state = 'S';
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    *cpu_ms = 0;
    if (!file)
        return state;
    const size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *rest = strrchr(line, ')'); /* the name may hold anything */
    if (rest && sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user,
                       &system) == 3)
        *cpu_ms = (int64_t)(user + system) * 1000 / sysconf(_SC_CLK_TCK);
    return state;
}

struct patience {
    int64_t limit_ms, waited_ms, last_ms, cpu_ms; /* CPU time at the start, once it is asked for */
    bool asked;
};

static bool is_over(struct patience *patience, const struct pb_child *child)
{
    const int64_t ms = pb_monotonic_ms(), slice = ms - patience->last_ms;
    int64_t cpu_ms;
    patience->last_ms = ms;
    patience->waited_ms += slice < SLICE_MOST_MS ? slice : SLICE_MOST_MS;
    const char state = state_of(child->pid, &cpu_ms);
    if (!patience->asked)
        patience->cpu_ms = cpu_ms;
    patience->asked = true;
    if (patience->waited_ms < patience->limit_ms)
        return false;
    return state != 'R' || cpu_ms - patience->cpu_ms >= patience->limit_ms / BUSY_FACTOR ||
           patience->waited_ms >= BUSY_FACTOR * patience->limit_ms;
}

static struct patience begin(int64_t limit_ps)
{
    return (struct patience){.limit_ms = limit_ps / PS_PER_MS, .last_ms = -1};
}

/* After a call that did not move all bytes. */
static enum pb_child_state judge(struct patience *patience, struct pb_child *child, ssize_t moved)
{
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        return PB_CHILD_GONE;
    if (patience->last_ms < 0)
        patience->last_ms = pb_monotonic_ms() - (moved < 0 ? SLICE_MS : 0);
    if (moved < 0 && pb_halt_code(&child->halt))
        return PB_CHILD_HALTED;
    collect(child);
    return is_over(patience, child) ? PB_CHILD_HUNG : PB_CHILD_FINE;
}

enum pb_child_state pb_child_send(struct pb_child *child, const uint8_t *bytes, size_t size, int64_t limit_ps)
{
    struct patience patience = begin(limit_ps);
    enum pb_child_state state = child->socket < 0 ? PB_CHILD_GONE : PB_CHILD_FINE;
    while (size && state == PB_CHILD_FINE) {
        const ssize_t sent = send(child->socket, bytes, size, MSG_NOSIGNAL);
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
        }
        if (size)
            state = judge(&patience, child, sent);
    }
    return state;
}

enum pb_child_state pb_child_receive(struct pb_child *child, uint8_t *bytes, size_t size, int64_t limit_ps)
{
    struct patience patience = begin(limit_ps);
    enum pb_child_state state = child->socket < 0 ? PB_CHILD_GONE : PB_CHILD_FINE;
    while (size && state == PB_CHILD_FINE) {
        ssize_t received = 1;
        if (child->in_at == child->in_end) {
            received = recv(child->socket, child->in, RECEIVE, 0);
            child->in_at = 0;
            child->in_end = received > 0 ? (size_t)received : 0;
        }
        const size_t waiting = child->in_end - child->in_at, count = waiting < size ? waiting : size;
        memcpy(bytes, child->in + child->in_at, count);
        child->in_at += count;
        bytes += count;
        size -= count;
        if (size)
            state = judge(&patience, child, received);
    }
    return state;
}

/* ---- its end */

/* True once it has ended; it is not waited for yet, so that no other process gets its number. */
static bool has_ended(struct pb_child *child, unsigned wait_ms)
{
    const int64_t until_ms = pb_monotonic_ms() + wait_ms;
    const struct timespec nap = {.tv_nsec = 1000000};
    for (;;) {
        siginfo_t end = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOHANG | WNOWAIT) || end.si_pid == child->pid)
            return true;
        collect(child);
        if (pb_monotonic_ms() >= until_ms)
            return false;
        nanosleep(&nap, NULL);
    }
}

bool pb_child_stop(struct pb_child *child, unsigned grace_ms, char *text, size_t size)
{
    if (!child->stopped && child->pid > 0) {
        child->killed = !has_ended(child, grace_ms);
        kill(-child->pid, SIGKILL); /* and what it started itself */
        while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
            ;
        collect(child);
    }
    child->stopped = true;
    close_fd(&child->socket);
    close_fd(&child->out);
    if (child->killed)
        snprintf(text, size, "closed file descriptor 3, still ran and was stopped");
    else if (WIFSIGNALED(child->status))
        snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    else
        snprintf(text, size, "exited with code %d", WEXITSTATUS(child->status));
    return !child->killed;
}

void pb_child_free(struct pb_child *child)
{
    char ignored[64];
    if (!child)
        return;
    if (child->pid > 0)
        pb_child_stop(child, 0, ignored, sizeof ignored);
    close_fd(&child->socket);
    close_fd(&child->out);
    free(child);
}
