/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenario files as files: the shipped ones, missing and unsuitable ones, and text gone wrong at random.
 * Runs from the repository root, or with -DPB_SCENARIO_DIR="...". */
#include "phasebench/random.h"
#include "phasebench/scenario.h"
#include "tests/bench/unit/tests.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PB_SCENARIO_DIR
#define PB_SCENARIO_DIR "host/scenarios"
#endif

static void assert_says(const char *sentence, const char *path, unsigned line, const char *cause)
{
    const char *start = formatted(line ? "%s:%u: " : "%s: ", path, line);
    if (strncmp(sentence, start, strlen(start)) != 0 || !strstr(sentence, cause))
        fail_msg("'%s' is not '%s... %s'", sentence, start, cause);
    assert_null(strchr(sentence, '\n'));
}

/* Of one test. */
static const char *folder;

static int make_folder(void **state)
{
    (void)state;
    folder = new_folder();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* nothing is left */
}

static void write_file(char path[64], const char *name, const char *text, size_t length)
{
    snprintf(path, 64, "%s/%s", folder, name);
    file_write(path, text, length);
}

static void assert_unreadable(const char *path, const char *cause)
{
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag = {""};
    assert_int_equal(pb_scenario_load(&scenario, path, &diag), PB_ERR_CONFIG);
    assert_null(scenario);
    assert_says(diag.text, path, 0, cause);
}

TEST_BETWEEN(test_unreadable_files, make_folder, remove_folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/none.yaml", folder);
    assert_unreadable(path, "No such file");
    assert_unreadable(folder, "is a directory");
    write_file(path, "empty.yaml", "", 0);
    assert_unreadable(path, "is empty");
    remove(path);

    size_t size = ((size_t)1 << 20) + 1;
    char *large = malloc(size);
    assert_non_null(large);
    memset(large, '#', size);
    write_file(path, "large.yaml", large, size);
    assert_unreadable(path, "1048577 bytes, at most 1048576");
    remove(path);
    struct pb_scenario *scenario;
    assert_int_equal(pb_scenario_parse(&scenario, "large", large, size, NULL), PB_ERR_CONFIG);
    free(large);

    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_unreadable(path, "not a regular file"); /* and does not wait for a writer */
    remove(path);

    static const char elf[] = "\x7f"
                              "ELF\x02\x01\x01\0\0";
    write_file(path, "binary.yaml", elf, sizeof elf);
    struct pb_diag diag;
    assert_int_equal(pb_scenario_load(&scenario, path, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "a binary file"));
    remove(path);
}

TEST_BETWEEN(test_traffic_file, make_folder, remove_folder)
{
    static const char text[] =
        "nodes: [{address: 0x2A3}]\ntraffic:\n  - {file: list.txt, superframe: 4, repeat: 2}\n";
    static const char for_ever[] = "superframes: 9\nnodes: [{address: 0x2A3}]\ntraffic:\n  - {file: "
                                   "list.txt, superframe: 4, phase: 2, every: "
                                   "3, repeat: forever}\n";
    static const char list[] = "# source destination\n0x2A3 0x91C\n\n1 2 # near\n", bad[] = "1 2\n3 0x1000\n";
    char path[64], list_path[64];
    struct pb_scenario *s;
    struct pb_diag diag = {""};
    write_file(path, "t.yaml", text, sizeof text - 1);

    assert_int_equal(pb_scenario_load(&s, path, &diag), PB_ERR_CONFIG);
    assert_says(diag.text, path, 3, "list.txt: cannot be opened: No such file");

    write_file(list_path, "list.txt", list, sizeof list - 1);
    assert_int_equal(pb_scenario_load(&s, path, &diag), PB_OK);
    assert_int_equal(s->traffic.count, 4);
    assert_int_equal(s->traffic.message[1].source, 1);
    assert_int_equal(s->traffic.message[1].destination, 2);
    assert_int_equal(s->traffic.message[1].release_superframe, 4);
    assert_int_equal(s->traffic.message[2].source, 0x2A3);
    assert_int_equal(s->traffic.message[2].release_superframe, 5);
    pb_scenario_free(s);

    write_file(path, "t.yaml", for_ever, sizeof for_ever - 1);
    assert_int_equal(pb_scenario_load(&s, path, &diag), PB_OK);
    assert_int_equal(s->traffic.count, 0);
    assert_int_equal(s->endless_count, 1);
    assert_int_equal(s->endless[0].list.count, 2);
    assert_int_equal(s->endless[0].list.message[1].destination, 2);
    assert_int_equal(s->endless[0].superframe, 4);
    assert_int_equal(s->endless[0].phase, 2);
    assert_int_equal(s->endless[0].every, 3);
    pb_scenario_free(s);
    write_file(list_path, "list.txt", "# nothing\n", 10);
    assert_int_equal(pb_scenario_load(&s, path, &diag), PB_ERR_CONFIG);
    assert_says(diag.text, path, 4, "has no message to repeat for ever; add one");

    write_file(path, "t.yaml", text, sizeof text - 1);
    write_file(list_path, "list.txt", bad, sizeof bad - 1);
    assert_int_equal(pb_scenario_load(&s, path, &diag), PB_ERR_CONFIG);
    assert_says(diag.text, path, 3, "list.txt:2: destination '0x1000'");
    remove(list_path);
    remove(path);
}

static char *read_shipped(const char *name, size_t *length)
{
    return file_read(formatted("%s/%s", PB_SCENARIO_DIR, name), length);
}

/* Message counts and superframes by hand: 2^12 messages for each pattern of the whole cube; pairs has C(12,
 * 2). */
static const struct shipped {
    const char *file;
    unsigned dims, nodes;
    size_t messages;
    unsigned superframes; /* 0: not checked */
    const char *kind, *defect;
} shipped[] = {
    {"demo.yaml", 12, 1, 1 + 4096 + 66, 0, "native", "none"},
    {"worked-example-average.yaml", 12, 3, 1, 2, "native", "none"},
    {"worked-example-up.yaml", 12, 3, 1, 2, "native", "none"},
    {"worked-example-down.yaml", 12, 3, 1, 2, "native", "none"},
    {"xor-one-bit.yaml", 12, 1, 12 * 4096, 13, "native", "none"},
    {"complement.yaml", 12, 1, 4 * 4096, 5, "native", "none"},
    {"xor-random.yaml", 12, 1, 8 * 4096, 9, "native", "none"},
    {"permutation-overload.yaml", 12, 1, 4096, 12, "native", "none"},
    {"pairs.yaml", 12, 1, 66, 0, "native", "none"},
    {"cube4-ref.yaml", 4, 16, 3 * 16, 0, "ref", "none"},
    {"machine-16.yaml", 4, 16, 4 * 16, 5, "native", "none"},
    {"two-boards.yaml", 12, 2, 3 + 4096, 4, "native", "none"},
    {"starc.yaml", 12, 1, 1 + 4096, 3, "native", "none"},
    {"opportunistic.yaml", 12, 1, 2 + 4096, 8, "native", "none"},
    {"ref.yaml", 12, 1, 1 + 3 * 4096, 5, "ref", "none"},
    {"outside-clock.yaml", 12, 1, 8 + 8 + 8, 10, "native", "none"},
    {"push-pull.yaml", 12, 1, 4096, 2, "native", "none"},
    {"broken/late-start.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "late_start"},
    {"broken/phase-off.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "phase_off"},
    {"broken/flipped-bit.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "flipped_bit"},
    {"generalised.yaml", 0, 2, 2 + 8 * 48, 0, NULL, "none"},
    {"broken/silent.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "silent"},
    {"broken/swapped-links.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "swapped_links"},
    {"broken/wrong-order.yaml", 12, 1, 1 + 2 * 4096, 4, "native", "wrong_order"},
    {"faults/babble.yaml", 12, 1, 1 + 3 * 4096, 10, "native", "none"},
    {"full-load.yaml", 12, 1, 0, 5, "native", "none"}, /* for ever: none of them in the list */
    {"faults/bad-frames.yaml", 12, 1, 11 * 4096, 14, "native", "none"},
    {"faults/broken-wires.yaml", 12, 1, 9 * 4096, 12, "native", "none"},
    {"faults/late-clock.yaml", 12, 1, 12 * 4096, 14, "native", "none"},
    {"faults/odd-frames.yaml", 12, 1, 9 * 4096, 12, "native", "none"},
    {"faults/weak-pull-up.yaml", 12, 1, 6 * 4096, 8, "native", "none"},
};

TEST(test_shipped)
{
    for (size_t i = 0; i < COUNT(shipped); i++) {
        const char *path = formatted("%s/%s", PB_SCENARIO_DIR, shipped[i].file);
        struct pb_scenario *s;
        struct pb_diag diag = {""};
        if (pb_scenario_load(&s, path, &diag) != PB_OK)
            fail_msg("%s", diag.text);
        assert_string_equal(s->path, path);
        assert_true(*s->name && *s->description);
        assert_int_equal(s->network.dims, shipped[i].dims);
        assert_int_equal(s->node_count, shipped[i].nodes);
        if (s->traffic.count != shipped[i].messages)
            fail_msg("%s: %zu messages", path, s->traffic.count);
        if (shipped[i].superframes && s->superframes != shipped[i].superframes)
            fail_msg("%s: %u superframes", path, s->superframes);
        for (unsigned n = 0; n < s->node_count; n++) {
            if (shipped[i].kind)
                assert_string_equal(s->node[n].kind, shipped[i].kind);
            assert_string_equal(s->node[n].defect, shipped[i].defect);
        }
        pb_scenario_free(s);
    }
}

/* A file that is not listed above would ship untested. */
TEST(test_shipped_list_is_complete)
{
    glob_t found;
    assert_int_equal(glob(PB_SCENARIO_DIR "/*.yaml", 0, NULL, &found), 0);
    assert_int_equal(glob(PB_SCENARIO_DIR "/broken/*.yaml", GLOB_APPEND, NULL, &found), 0);
    assert_int_equal(glob(PB_SCENARIO_DIR "/faults/*.yaml", GLOB_APPEND, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, COUNT(shipped));
    globfree(&found);
}

/* Whatever the text: it loads, or it is refused with one line that starts with the path. */
static void assert_survives(const char *text, size_t length)
{
    /* Its own allocation, so that the address sanitizer sees a read past the end. */
    char *copy = malloc(length + (length == 0));
    assert_non_null(copy);
    memcpy(copy, text, length);
    struct pb_scenario *s = NULL;
    struct pb_diag diag = {""};
    int code = pb_scenario_parse(&s, "t.yaml", copy, length, &diag);
    free(copy);
    if (code == PB_OK) {
        assert_non_null(s);
        assert_in_range(s->network.ports, 1, PB_WIRE_PORTS_MAX);
        assert_in_range(s->node_count, 1, PB_SCENARIO_NODES_MAX);
        assert_true(s->superframes > 0 && s->traffic.count > 0 && s->frame_bytes > s->payload_bytes);
    } else {
        assert_int_equal(code, PB_ERR_CONFIG);
        assert_null(s);
        assert_memory_equal(diag.text, "t.yaml:", 7);
        assert_null(strchr(diag.text, '\n'));
    }
    pb_scenario_free(s);
}

TEST(test_truncations)
{
    size_t length;
    char *text = read_shipped("demo.yaml", &length);
    for (size_t i = 0; i <= length; i++)
        assert_survives(text, i);
}

static bool in_comment(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return text[at] == '#';
}

/* All errors of a text that is refused; none of one that is not. */
static void assert_errors(const char *path, const char *text, size_t length)
{
    struct pb_scenario *scenario;
    struct pb_diag error[4];
    file_write(path, text, length);
    const int code = pb_scenario_parse(&scenario, path, text, length, NULL);
    if (!pb_scenario_errors(path, error, COUNT(error)) != !code)
        fail_msg("code %d and %s errors for\n%.*s", code, code ? "no" : "some", (int)length, text);
    pb_scenario_free(scenario);
}

static void mutate(const char *name)
{
    const char *path = formatted("%s/mutant.yaml", new_folder());
    size_t length;
    char *text = read_shipped(name, &length);
    uint64_t random = 20240611;
    for (size_t i = 0; i < length; i++) {
        char kept = text[i];
        /* Syntax characters break more than random bytes; comment lines need one try in eight. */
        static const char syntax[] = "{}[]:,-&*!|>'\"#%@?\n\t 09xx";
        for (unsigned round = 0; round < 3; round++) {
            uint64_t draw = pb_splitmix64(&random);
            if (in_comment(text, i) && draw >> 61)
                continue;
            text[i] = round ? syntax[draw % (sizeof syntax - 1)] : (char)(draw & 0xFF);
            assert_survives(text, length);
            if ((draw >> 58) % 16 == 0)
                assert_errors(path, text, length);
            text[i] = kept;
        }
    }
}

TEST(test_mutations)
{
    mutate("demo.yaml");
    mutate("faults/babble.yaml");
}

TEST(test_hostile_sizes)
{
    static const char *const units[] = {
        "[", "{", "- ", "? ", "a: ", "[a: ", "x: 1\n", "- {}\n", "'", "!a ", "\n", "&a "};
    enum { SIZE = 200000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(units); i++) {
        size_t unit = strlen(units[i]);
        for (size_t at = 0; at < SIZE; at++)
            text[at] = units[i][at % unit];
        assert_survives(text, SIZE);
    }
    /* Many entries with the error in the last one: the search for its line must not take its time. */
    size_t used = (size_t)snprintf(text, SIZE, "nodes: [{address: 0x2A3}]\ntraffic:\n");
    while (used < SIZE - 64)
        used += (size_t)snprintf(text + used, SIZE - used, "- {from: 1, to: 2}\n");
    used += (size_t)snprintf(text + used, SIZE - used, "- {from: 1, to: 1}\n");
    assert_survives(text, used);
    free(text);
}
