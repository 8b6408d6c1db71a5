/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with --wrap into a phasebench whose n-th allocation fails: n is FAIL_ALLOC. "none failed" on stderr
 * at the end when there were fewer. For tests/cli/memory.sh.
 */
#include "bench/sim/pb_sim.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__wrap_strdup(const char *text);
json_t *__real_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
json_t *__wrap_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
struct pb_sim *__real_pb_sim_create(const struct pb_sim_config *config);
struct pb_sim *__wrap_pb_sim_create(const struct pb_sim_config *config);

static unsigned left;

static void say_whether(void)
{
    if (left)
        fputs("none failed\n", stderr);
    left = 0; /* what runs after this, as the writer of coverage counts, is not the program */
}

__attribute__((constructor)) static void arm(void)
{
    const char *at = getenv("FAIL_ALLOC");
    if (!at)
        return;
    left = (unsigned)strtoul(at, NULL, 10);
    json_set_alloc_funcs(__wrap_malloc, free);
    atexit(say_whether);
}

static int fails(void)
{
    if (!left || --left)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fails() ? NULL : __real_realloc(at, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* Within the next two each allocation succeeds, as what becomes of one is not ours: jansson's reader (2.14)
 * crashes and leaks of its own, and Verilator knows no errors. They fail as a whole. */
json_t *__wrap_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error)
{
    if (fails()) {
        memset(error, 0, sizeof *error);
        return NULL;
    }
    const unsigned kept = left;
    left = 0;
    json_t *value = __real_json_loadb(text, length, flags, error);
    left = kept;
    return value;
}

struct pb_sim *__wrap_pb_sim_create(const struct pb_sim_config *config)
{
    if (fails())
        return NULL;
    const unsigned kept = left;
    left = 0;
    struct pb_sim *sim = __real_pb_sim_create(config);
    left = kept;
    return sim;
}
