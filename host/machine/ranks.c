/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

#include "host/machine/mpi/mpi.h"
#include "phasebench/number.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libphasebench-mpi.so"

enum { EXIT_KILLED = 4 };

static struct pb_machine_ranks ranks;
static const struct pb_mpi *mpi;
static int heard = -1, kept = -1; /* of a rank that is silent: the error output, and what would be there */

static unsigned number_of(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    uint64_t number;
    return text && pb_parse_number(text, strlen(text), &number) && number < UINT_MAX ? (unsigned)number
                                                                                     : otherwise;
}

unsigned pb_ranks_count(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE", 1);
}

unsigned pb_ranks_here(void)
{
    return number_of("OMPI_COMM_WORLD_LOCAL_SIZE", 1);
}

static unsigned own_rank(void)
{
    return number_of("OMPI_COMM_WORLD_RANK", 0);
}

static bool has_parent; /* that mpirun waits for */

/* mpirun ends all when one fails: if all do, the first one has to say why before it. */
static void let_first_speak(void)
{
    if (heard >= 0)
        nanosleep(&(struct timespec){.tv_sec = 5}, NULL);
}

static void leave(void)
{
    if (!has_parent)
        let_first_speak();
}

void pb_ranks_begin(void)
{
    FILE *file;

    if (pb_ranks_count() == 1 || own_rank() == 0 || !(file = tmpfile()))
        return;
    heard = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    kept = fileno(file);
    dup2(kept, STDERR_FILENO);
    atexit(leave);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
}

/* ---- the watching parent */

static void show_kept(void)
{
    char text[1024];
    const ssize_t length = kept < 0 ? 0 : pread(kept, text, sizeof text, 0);

    if (length > 0 && write(heard, text, (size_t)length) < 0)
        return;
}

static void watch(pid_t child)
{
    int status;

    signal(SIGINT, SIG_IGN); /* the child decides */
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_NAME, "phasebench-wait");
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFEXITED(status)) {
        if (WEXITSTATUS(status)) {
            let_first_speak();
            show_kept();
        }
        _exit(WEXITSTATUS(status));
    }
    char text[200];
    const int length =
        snprintf(text, sizeof text,
                 "phasebench: machine: process %ld, rank %u of %u, was killed by signal %d; the "
                 "run has no result; start it anew, with --resume if it keeps a checkpoint\n",
                 (long)child, own_rank(), pb_ranks_count(), WTERMSIG(status));
    if (write(heard < 0 ? STDERR_FILENO : heard, text, (size_t)length) < 0)
        _exit(EXIT_KILLED);
    _exit(EXIT_KILLED);
}

static int fork_watched(struct pb_diag *diag)
{
    const pid_t parent = getpid();

    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return pb_fail(diag, PB_ERR_IO, "machine: no further process can be started; end others");
    if (child)
        watch(child);
    has_parent = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it is gone already */
        _exit(EXIT_KILLED);
    return PB_OK;
}

/* ---- the library */

/* Next to the program in the build directory, or where `make install` puts it. */
static int load(struct pb_diag *diag)
{
    static const char *const places[] = {"", "../lib/phasebench/"};
    char own[PATH_MAX], path[PATH_MAX] = LIBRARY;
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    own[length > 0 ? length : 0] = '\0';
    const char *folder = dirname(own);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (snprintf(path, sizeof path, "%s/%s" LIBRARY, folder, places[i]) < PATH_MAX && !access(path, R_OK))
            break;
    /* Parts of MPI that it loads itself find its functions. */
    void *const library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    mpi = library ? dlsym(library, PB_MPI_SYMBOL) : NULL;
    if (mpi)
        return PB_OK;
    return pb_fail(diag, PB_ERR_IO,
                   "machine: mpirun has started %u processes, and " LIBRARY
                   " cannot be loaded: %.160s; install libopenmpi-dev and build anew, or leave out mpirun",
                   pb_ranks_count(), dlerror());
}

int pb_ranks_open(const struct pb_machine_ranks **out, const struct pb_network *network,
                  struct pb_diag *diag)
{
    const unsigned count = pb_ranks_count();
    unsigned most = pb_machine_parts(network, UINT_MAX), less = count;

    *out = NULL;
    if (count == 1)
        return PB_OK;
    while (most & (most - 1))
        most &= most - 1;
    while (less > most || (less & (less - 1)))
        less = less > most ? most : less & (less - 1);
    if ((count & (count - 1)) || count > most)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: %u processes cannot share %" PRIu32
                       " nodes; start a power of two, at most %u: mpirun -n %u",
                       count, network->nodes, most, less);
    int code = load(diag);
    if (code == PB_OK)
        code = fork_watched(diag);
    if (code)
        return code;
    if (!mpi->begin(&ranks.own, &ranks.count))
        return pb_fail(diag, PB_ERR_IO, "machine: MPI has not begun; see what mpirun says");
    ranks.exchange = mpi->exchange;
    *out = &ranks;
    return PB_OK;
}

bool pb_ranks_agree(const struct pb_machine_ranks *open, bool own)
{
    static bool said;
    struct pb_handed *const all = calloc(2 * (size_t)open->count, sizeof *all);

    if (!all)
        _exit(EXIT_KILLED);
    said = own;
    for (unsigned i = 0; i < open->count; i++)
        all[i] = (struct pb_handed){&said, sizeof said};
    open->exchange(open->context, all, all + open->count);
    const bool first = *(const bool *)all[open->count].bytes;
    free(all);
    return first;
}

void pb_ranks_close(const struct pb_machine_ranks *open)
{
    if (open)
        mpi->end();
}
