/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The start of a process: what signals do to it before it has handlers of its own. Expected values:
 * signal(7).
 */
#include "host/base/process.h"
#include "tests/bench/unit/tests.h"

#include <signal.h>
#include <stdbool.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 200, LIMIT_MS = 20000 };

static void ignore_in_parent(int number)
{
    (void)number;
}

/* A child that no signal reaches is killed, and so is its status that of SIGKILL. */
static int end_of(pid_t child)
{
    int status;
    pid_t ended = 0;
    for (int ms = 0; ms < LIMIT_MS && !ended; ms++) {
        ended = waitpid(child, &status, WNOHANG);
        poll(NULL, 0, !ended);
    }
    if (!ended) {
        kill(child, SIGKILL);
        ended = waitpid(child, &status, 0);
    }
    assert_int_equal(ended, child);
    return status;
}

static void block(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_BLOCK, &one, NULL);
}

static bool is_blocked(int number)
{
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    return sigismember(&now, number) == 1;
}

TEST(a_signal_at_once_after_the_start_ends_the_child)
{
    for (int i = 0; i < STARTS; i++) {
        signal(SIGTERM, ignore_in_parent);
        const pid_t child = pb_fork();
        for (; !child;)
            pause();
        assert_true(child > 0);
        poll(NULL, 0, i % 3); /* before, while and after it begins */
        kill(child, SIGTERM);
        const int status = end_of(child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGTERM);
    }
    signal(SIGTERM, SIG_DFL);
}

TEST(a_child_has_the_mask_and_the_ignored_signals_of_its_parent)
{
    struct sigaction action;
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, ignore_in_parent);
    block(SIGHUP);
    const pid_t child = pb_fork();
    if (!child) {
        const bool ignored = !sigaction(SIGUSR1, NULL, &action) && action.sa_handler == SIG_IGN;
        const bool reset = !sigaction(SIGUSR2, NULL, &action) && action.sa_handler == SIG_DFL;
        _exit(ignored && reset && is_blocked(SIGHUP) && !is_blocked(SIGTERM) && !is_blocked(SIGUSR2) ? 0 : 1);
    }
    assert_int_equal(end_of(child), 0);
    assert_true(is_blocked(SIGHUP) && !is_blocked(SIGTERM));
    sigaction(SIGUSR2, NULL, &action);
    assert_true(action.sa_handler == ignore_in_parent);
}
