/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* NSIG */
#include "host/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT || number == SIGTRAP;
}

static void reset_handlers(void)
{
    struct sigaction action;
    for (int number = 1; number < NSIG; number++)
        if (!is_fault(number) && !sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
}

pid_t pb_fork(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    const int error = errno;
    if (!pid)
        reset_handlers();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}
