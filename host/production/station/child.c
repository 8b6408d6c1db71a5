/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* prctl */
#include "child.h"

#include "host/base/process.h"
#include "host/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 65536, FDS_MAX = 1024, DRAIN_BLOCKS = 32 };

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Only async-signal-safe calls, except for the line about an error, which ends the process. */
static void become(char *const *word, pid_t parent, int events, int errors)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* also those that the station ignores, or was started with */
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent)
        _exit(130);
    /* Above the numbers that they are moved to. */
    const int high_events = fcntl(events, F_DUPFD, STATION_EVENTS_FD + 1),
              high_errors = fcntl(errors, F_DUPFD, STATION_EVENTS_FD + 1),
              none_fd = open("/dev/null", O_RDWR);
    if (high_events < 0 || high_errors < 0 || none_fd < 0 || dup2(high_errors, 2) < 0 ||
        dup2(none_fd, 0) < 0 || dup2(none_fd, 1) < 0 || dup2(high_events, STATION_EVENTS_FD) < 0)
        _exit(4);
    for (int fd = STATION_EVENTS_FD + 1; fd < FDS_MAX; fd++)
        close(fd);
    execv(word[0], word);
    dprintf(2, "phasebench: cannot start '%.200s': %s; give an executable program\n", word[0],
            strerror(errno));
    _exit(4);
}

static int open_pipe(int end[2])
{
    if (pipe(end))
        return -1;
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    fcntl(end[1], F_SETFD, FD_CLOEXEC);
    return fcntl(end[0], F_SETFL, O_NONBLOCK);
}

int station_child_start(struct station_child *child, char *const *word, bool other, struct pb_diag *diag)
{
    int events[2] = {-1, -1}, errors[2] = {-1, -1};
    const pid_t parent = getpid();
    pid_t pid = -1;
    if (!open_pipe(events) && !open_pipe(errors)) {
        fflush(NULL);
        pid = pb_fork();
    }
    const int error = errno;
    if (!pid)
        become(word, parent, events[1], errors[1]);
    close_fd(&events[1]);
    close_fd(&errors[1]);
    if (pid < 0) {
        close_fd(&events[0]);
        close_fd(&errors[0]);
        return pb_fail(diag, PB_ERR_IO,
                       "The validation did not start: %s; end other programs, then try again",
                       strerror(error));
    }
    child->pid = pid;
    child->validation = other ? 0 : pid;
    child->events = events[0];
    child->errors = errors[0];
    child->stop_ns = 0;
    child->killed = child->begun = false;
    *child->said = '\0';
    child->saying_length = 0;
    station_lines_clear(&child->lines);
    setpgid(pid, pid); /* also here, so that a signal to the group finds it */
    return PB_OK;
}

void station_child_poll(const struct station_child *child, struct pollfd wait[2])
{
    wait[0] = (struct pollfd){.fd = child->pid ? child->events : -1, .events = POLLIN};
    wait[1] = (struct pollfd){.fd = child->pid ? child->errors : -1, .events = POLLIN};
}

/* ---- what it writes */

static void end_said(struct station_child *child)
{
    static const char prefix[] = "phasebench: ";
    child->saying[child->saying_length] = '\0';
    const char *text = child->saying;
    if (!strncmp(text, prefix, sizeof prefix - 1))
        text += sizeof prefix - 1;
    if (*text)
        pb_utf8_clean(child->said, sizeof child->said, text);
    child->saying_length = 0;
}

static void take_said(struct station_child *child, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            end_said(child);
        else if (child->saying_length + 1 < sizeof child->saying)
            child->saying[child->saying_length++] = bytes[i];
}

/* Reads one block; returns false when there is none now, or never again: then *fd is closed. */
static bool read_block(int *fd, char block[BLOCK], size_t *count)
{
    if (*fd < 0)
        return false;
    const ssize_t got = read(*fd, block, BLOCK);
    *count = got > 0 ? (size_t)got : 0;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(fd);
    return got > 0;
}

static bool read_both(struct station_child *child, const struct station_lines_sink *sink)
{
    static char block[BLOCK];
    size_t count;
    bool more = read_block(&child->errors, block, &count);
    if (more)
        take_said(child, block, count);
    if (read_block(&child->events, block, &count)) {
        child->begun = true;
        station_lines_take(&child->lines, block, count, sink);
        more = true;
    }
    return more;
}

void station_child_read(struct station_child *child, const struct station_lines_sink *sink)
{
    if (child->pid)
        read_both(child, sink);
}

/* ---- its end */

void station_child_named(struct station_child *child, pid_t validation)
{
    child->validation = validation;
}

static bool is_wrapped(const struct station_child *child)
{
    return child->validation != child->pid;
}

void station_child_stop(struct station_child *child, int64_t now_ns)
{
    if (!child->pid || child->stop_ns)
        return;
    child->stop_ns = now_ns;
    if (!child->begun)
        close_fd(&child->events); /* a validation that a wrapper starts only now ends, as its events have no
                                     reader */
    kill(-child->pid, SIGINT); /* as Ctrl-C in a terminal: also to what a wrapper has started */
}

void station_child_tick(struct station_child *child, int64_t now_ns)
{
    if (!child->pid || !child->stop_ns || now_ns - child->stop_ns < STATION_STOP_NS)
        return;
    if (!child->killed && is_wrapped(child) && getpgid(child->validation) == child->pid) {
        kill(child->validation, SIGKILL);
        kill(-child->pid, SIGCONT); /* what stopped the validation may have stopped the wrapper */
        child->killed = true;
    }
    if (!is_wrapped(child) || now_ns - child->stop_ns >= STATION_STOP_NS + STATION_WRAPPER_NS) {
        kill(-child->pid, SIGKILL);
        child->killed = true;
    }
}

bool station_child_ended(struct station_child *child, const struct station_lines_sink *sink,
                         struct station_end *end)
{
    siginfo_t info = {.si_pid = 0};
    int status = 0;
    if (!child->pid || waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
        return false;
    kill(-child->pid, SIGKILL); /* while its number is still taken */
    waitpid(child->pid, &status, 0);
    for (int i = 0; i < DRAIN_BLOCKS && read_both(child, sink); i++)
        ;
    end_said(child);
    close_fd(&child->events);
    close_fd(&child->errors);
    *end = (struct station_end){.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                                .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                .killed = child->killed,
                                .wrapper_lost = is_wrapped(child) && WIFSIGNALED(status) &&
                                                WTERMSIG(status) != SIGINT};
    snprintf(end->said, sizeof end->said, "%s", child->said);
    child->pid = 0;
    return true;
}
