/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings made and replayed for the tests, in a folder of their own; a failure fails the test. */
#ifndef RECORD_FIXTURE_H
#define RECORD_FIXTURE_H

#include "tests/bench/unit/run_fixture.h"

#include "phasebench/record.h"

/* A scenario whose recording has a few thousand bytes. */
#define SMALL                                                                                                \
    "superframes: 4\ncube: {dims: 1}\nnodes: [{address: 0}]\ntraffic: [{from: 1, to: 0, repeat: 2}]\n"

/* The folder, two files in it, and the rigs that replay them, while tests run. */
extern const char *folder;
extern char path[64], forged[64], url[80], forged_url[80];

struct file {
    uint8_t *byte;
    size_t size;
};

/* The bytes are handed over. */
struct file load(const char *name);

/* Parses the scenario, which is handed over, and begins a recording of it under this name, in place of any
 * other. */
struct pb_recorder *begin(const char *name, const char *yaml, struct pb_scenario **scenario);

/* Judges a recording with the rig that replays it; the result is handed over, NULL after an error. */
int replay(const char *file, const char *rig_url, struct pb_result **result, struct pb_diag *diag);

/* The code, in one line, with all of these words. */
void assert_refused(int code, const struct pb_diag *diag, int wanted, const char *const *word, size_t words);
#define REFUSED(code, diag, wanted, ...)                                                                     \
    assert_refused(code, diag, wanted, (const char *const[]){__VA_ARGS__},                                   \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
