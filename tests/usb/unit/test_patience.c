/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clock of the limits on a virtual chip: no time passes while its server is stopped, or waits for a
 * processor; the time of a server that waits for something else passes as real time does.
 *
 * evidence: limits of time on a virtual board
 *   those of its server's own clock, which a busy computer does not run all the time
 */
#include "host/usb/patience.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As the preloaded library has it; found by its name. */
static pid_t server;
int phasebench_vusb_server(void);
__attribute__((visibility("default"))) int phasebench_vusb_server(void)
{
    return server;
}

enum { SLICES = 20 };
#define MS_NS INT64_C(1000000)

static int64_t real_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / MS_NS;
}

/* Time that passed by the clock under test while `*real` passed, read every 20 ms, as a wait does. */
static int64_t watch(int64_t *real)
{
    const int64_t from = (pb_patience_ms(), pb_patience_ms()), real_from = real_ms();
    for (unsigned i = 0; i < SLICES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 20 * MS_NS}, NULL);
        pb_patience_ms();
    }
    *real = real_ms() - real_from;
    return pb_patience_ms() - from;
}

static void start(void (*work)(void))
{
    server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        alarm(60);
        work();
        _exit(0);
    }
}

static void end(void)
{
    kill(server, SIGKILL);
    assert_int_equal(waitpid(server, NULL, 0), server);
    server = 0;
}

static void sleeps(void)
{
    pause();
}

static int64_t used_ns(void)
{
    struct timespec used;
    clockid_t id;
    assert_int_equal(clock_getcpuclockid(server, &id), 0);
    assert_int_equal(clock_gettime(id, &used), 0);
    return used.tv_sec * 1000 * MS_NS + used.tv_nsec;
}

static char state_of_server(void)
{
    char state = '?';
    FILE *file = fopen(formatted("/proc/%ld/stat", (long)server), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %*s %c", &state), 1); /* its name has no blank */
    fclose(file);
    return state;
}

/* A process that begins on a busy computer waits for a processor before it sleeps. */
static void wait_until_asleep(void)
{
    int64_t before = -1, now;
    while (now = used_ns(), state_of_server() != 'S' || now != before) {
        before = now;
        nanosleep(&(struct timespec){.tv_nsec = 20 * MS_NS}, NULL);
    }
}

static void works(void)
{
    for (volatile unsigned i = 0;; i++)
        ;
}

TEST(a_real_chip_has_real_time)
{
    int64_t real;
    const int64_t passed = watch(&real);
    assert_true(passed >= real - 1 && passed <= real + 1);
}

/* A wait of more than two slices counts as two: the process that reads did not run either. */
TEST(a_server_that_waits_has_real_time)
{
    int64_t real;
    start(sleeps);
    wait_until_asleep();
    const int64_t passed = watch(&real);
    end();
    assert_true(passed >= SLICES * 20 - 10 && passed <= real + 1);
}

TEST(a_stopped_server_has_none)
{
    struct pb_diag diag;
    int64_t real;
    int status;
    start(sleeps);
    kill(server, SIGSTOP);
    assert_int_equal(waitpid(server, &status, WUNTRACED), server);
    const int64_t passed = watch(&real);
    assert_int_equal(passed, 0);
    assert_int_equal(pb_patience_check("PB0001", &diag), PB_OK); /* for less than a minute */
    const int64_t long_ago = 1;
    pb_patience_begin(long_ago, NULL);
    assert_int_equal(pb_patience_check("PB0001", &diag), PB_ERR_TIMEOUT);
    assert_non_null(strstr(diag.text, "is stopped; 'kill -CONT "));
    pb_patience_begin(0, NULL);
    assert_true(pb_patience_was_away(0, 1000));
    end();
}

/* It has its own processor time, which is never more than real time. */
TEST(a_server_that_works_has_its_own_time)
{
    int64_t real;
    start(works);
    nanosleep(&(struct timespec){.tv_nsec = 50 * MS_NS}, NULL);
    const int64_t passed = watch(&real);
    const int64_t used_ms = used_ns() / MS_NS;
    end();
    assert_true(passed > 0 && passed <= real + 1);
    assert_true(passed <= used_ms + 1);
}
