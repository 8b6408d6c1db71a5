/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { TESTS_MAX = 200 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;
/* What is done around each; the state of a test is at first its own one. */
static struct entry {
    int (*before)(void **), (*after)(void **);
    void *state;
} entries[TESTS_MAX];
static const struct entry *present;
struct around around_all, around_each;

/* ---- what is released for the tests */

static struct handed {
    void *thing;
    void (*release)(void *);
} * handed;
static size_t held, held_before; /* the present test */
static size_t room;

void *hand_over(void *thing, void (*release)(void *))
{
    assert_non_null(thing);
    if (held == room) {
        room = room ? 2 * room : 64;
        handed = realloc(handed, room * sizeof *handed);
        assert_non_null(handed);
    }
    handed[held].thing = thing;
    handed[held++].release = release;
    return thing;
}

size_t handed_over(void)
{
    return held;
}

void release_back_to(size_t least)
{
    while (held > least) {
        held--;
        handed[held].release(handed[held].thing);
    }
}

char *formatted(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, list) + 1;
    char *text = hand_over(malloc(size), free);
    vsnprintf(text, size, format, again);
    va_end(again);
    va_end(list);
    return text;
}

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail_msg("%s cannot be read", path);
    const size_t bytes = (size_t)ftell(file);
    char *text = hand_over(malloc(bytes + 1), free);
    rewind(file);
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    fclose(file);
    text[bytes] = '\0';
    if (size)
        *size = bytes;
    return text;
}

void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void file_write_text(const char *path, const char *text)
{
    file_write(path, text, strlen(text));
}

static char *written;
static size_t written_size;

FILE *open_text(void)
{
    FILE *stream = open_memstream(&written, &written_size);
    assert_non_null(stream);
    return stream;
}

char *close_text(FILE *stream)
{
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(strlen(written), written_size);
    return hand_over(written, free);
}

/* ---- the tests */

static int begin_test(void **state)
{
    present = *state;
    held_before = held;
    *state = present->state;
    if (around_each.before)
        around_each.before();
    return present->before ? present->before(state) : 0;
}

static int end_test(void **state)
{
    const int code = present->after ? present->after(state) : 0;
    if (around_each.after)
        around_each.after();
    release_back_to(held_before);
    return code;
}

static void add_one(const char *name, void (*test)(void **), const struct entry *entry)
{
    if (count == TESTS_MAX) {
        fprintf(stderr, "%s: more than %d tests\n", name, TESTS_MAX);
        abort();
    }
    entries[count] = *entry;
    tests[count] = (struct CMUnitTest){name, test, begin_test, end_test, &entries[count]};
    count++;
}

void add_test(const char *name, void (*test)(void **), int (*before)(void **), int (*after)(void **),
              const struct variant *variant)
{
    static char names[TESTS_MAX][120];
    if (!variant)
        add_one(name, test, &(struct entry){before, after, NULL});
    for (; variant && variant->name; variant++) {
        char *const text = names[count % TESTS_MAX];
        snprintf(text, sizeof names[0], "%s (%s)", name, variant->name);
        add_one(text, test, &(struct entry){before, after, variant->state});
    }
}

static int begin_all(void **state)
{
    (void)state;
    if (around_all.before)
        around_all.before();
    return 0;
}

static int end_all(void **state)
{
    (void)state;
    if (around_all.after)
        around_all.after();
    return 0;
}

int test_all(void)
{
    const char *const only = getenv("ONLY");
    if (only)
        cmocka_set_test_filter(only);
    const int failed = _cmocka_run_group_tests("tests", tests, count, begin_all, end_all);
    release_back_to(0);
    return failed;
}
