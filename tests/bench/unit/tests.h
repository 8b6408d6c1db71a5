/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A test is named once: TEST(name) { ... } is a test of its program, in the order of the source.
 * A program without a main function of its own runs them all (main.c).
 */
#ifndef TESTS_H
#define TESTS_H

#include "phasebench/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What a test runs on: `before` and the test get it as their state. A list ends with a name of NULL. */
struct variant {
    const char *name;
    void *state;
};

/* Hands a thing over: when the test ends it is released, the last one first; what was handed over before
 * the first test, when all have ended. Returns the thing. */
void *hand_over(void *thing, void (*release)(void *thing));
/* How many things are held; releases those handed over since that many were held. */
size_t handed_over(void);
void release_back_to(size_t count);
/* The text, printed, which is handed over. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails with the diagnostic unless the call returns PB_OK; it writes it into `&diag`, which is there. */
#define assert_succeeds(call)                                                                                \
    do {                                                                                                     \
        struct pb_diag diag = {""};                                                                          \
        if (call)                                                                                            \
            fail_msg("%s", diag.text);                                                                       \
    } while (0)

/* A new folder, which is handed over: it is removed with all that is in it. So it is when a signal or
 * a sanitizer ends the program. */
const char *new_folder(void);

/* What a file has, and a NUL after it, handed over. NULL: its size is not asked for. */
char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);
void file_write_text(const char *path, const char *text);

/* A stream, one at a time, and what was written to it, which is handed over. */
FILE *open_text(void);
char *close_text(FILE *stream);

/* Once on each variant; NULL: once, on nothing. The order of the calls is that of the tests. */
void add_test(const char *name, void (*test)(void **), int (*before)(void **), int (*after)(void **),
              const struct variant *variant);
/* What is done around all tests of a program, or around each. NULL: nothing. */
struct around {
    void (*before)(void), (*after)(void);
};
extern struct around around_all, around_each;
int test_all(void);

#define AROUND_ALL(before, after) AROUND(around_all, before, after)
#define AROUND_EACH(before, after) AROUND(around_each, before, after)
#define AROUND(which, before, after)                                                                         \
    __attribute__((constructor)) static void set_##which(void)                                               \
    {                                                                                                        \
        which = (struct around){before, after};                                                              \
    }

#define TEST(name) TEST_ON(name, NULL, NULL, NULL)
#define TEST_BETWEEN(name, before, after) TEST_ON(name, before, after, NULL)
#define TEST_ON(name, before, after, variants)                                                               \
    static void name(void **state);                                                                          \
    __attribute__((constructor)) static void add_##name(void)                                                \
    {                                                                                                        \
        add_test(#name, name, before, after, variants);                                                      \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **state)

#endif
