/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with --wrap into a phasebench whose n-th allocation fails: n is FAIL_ALLOC. "none failed" on stderr at the end when there
 * were fewer. For tests/cli/memory.sh.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__wrap_strdup(const char *text);

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
