/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process of its own removes the folder: on request, or when the program has ended, however it did.
 */
#define _GNU_SOURCE /* pipe2 */
#include "tests/bench/unit/tests.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct folder {
    char path[40];
    pid_t remover;
    int told; /* a byte from here, or its end, starts the remover */
};

static void remove_when_told(const char *path, int told)
{
    char byte;
    unsetenv("LD_PRELOAD"); /* of the tests on a virtual USB */
    setsid(); /* signals to the program's group are not for it */
    if (read(told, &byte, 1) >= 0)
        execlp("rm", "rm", "-rf", path, (char *)NULL);
    _exit(127);
}

static void remove_folder(void *thing)
{
    struct folder *folder = thing;
    int status;
    if (write(folder->told, "", 1) != 1 || waitpid(folder->remover, &status, 0) != folder->remover || status)
        print_error("%s: cannot be removed\n", folder->path);
    close(folder->told);
    free(folder);
}

const char *new_folder(void)
{
    struct folder *folder = calloc(1, sizeof *folder);
    int ends[2];
    sigset_t late, before;
    assert_non_null(folder);
    /* Until the remover is there, and in its group, no signal ends either. */
    sigfillset(&late);
    sigprocmask(SIG_BLOCK, &late, &before);
    strcpy(folder->path, "/tmp/phasebench-test-XXXXXX");
    assert_true(pipe2(ends, O_CLOEXEC) == 0 && mkdtemp(folder->path));
    folder->remover = fork();
    if (!folder->remover) {
        close(ends[1]);
        remove_when_told(folder->path, ends[0]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_true(folder->remover > 0);
    close(ends[0]);
    folder->told = ends[1];
    hand_over(folder, remove_folder);
    return folder->path;
}
