/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs of the phasebench command share: exit codes, option reading, error lines, and output.
 *
 * A verb is a struct cli_verb (option.h) and its function in cmd_VERB.c. Results go to stdout, errors as one
 * line to stderr.
 */
#ifndef PHASEBENCH_CLI_H
#define PHASEBENCH_CLI_H

#include "option.h"

#include "phasebench/scenario.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cli_exit {
    CLI_PASS = 0,
    CLI_NODE_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BAD_SCENARIO = 3,
    CLI_BENCH_FAILED = 4,
    CLI_INCONCLUSIVE = 5,
    CLI_SKIPPED = 77,
    CLI_TIMEOUT = 124,
    CLI_INTERRUPTED = 130
};

/* Prints "phasebench: " and the sentence, as one line, to stderr; returns exit_code. */
int cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints one line to stdout, in which what steers a terminal or breaks a line is replaced: for every line
 * that quotes what came from outside. At most 8191 bytes. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of one text, as a new JSON string; NULL: out of memory. */
json_t *cli_json_text(const char *text);

/* The worse of two exit codes, in the order 130, 124, 4, 3, 2, 1, 5, 0. */
int cli_worse(int left, int right);

/* Each reads one value, or reports what is wrong with it (`name` is the option or operand as the user knows
 * it) and returns false: the verb then returns CLI_USAGE. Numbers are decimal or 0x hexadecimal; unit may be
 * NULL. */
bool cli_number(const char *name, const char *text, const char *unit, uint64_t low, uint64_t high,
                uint64_t *value);
bool cli_unsigned(const char *name, const char *text, const char *unit, unsigned low, unsigned high,
                  unsigned *value);
/* A decimal fraction, exact, as value * 10^decimals; low and high are scaled the same way. */
bool cli_decimal(const char *name, const char *text, const char *unit, unsigned decimals, uint64_t low,
                 uint64_t high, uint64_t *scaled);

/* Writes value / 10^decimals without trailing zeros, as "7692.307", into text and returns it. value >= 0. */
#define CLI_FIXED_SIZE 40
const char *cli_fixed(char text[CLI_FIXED_SIZE], int64_t value, unsigned decimals);

/* As json_object_set_new and json_array_append_new; what memory did not suffice for is remembered until the
 * next cli_print_json, which then fails: a document with members missing is never printed. */
void cli_json_set(json_t *object, const char *key, json_t *value);
void cli_json_add(json_t *array, json_t *value);

/* Prints the object with a newline and releases the caller's reference, also on failure. NULL: out of memory.
 * Returns CLI_PASS, or CLI_BENCH_FAILED with the reason reported. */
int cli_print_json(json_t *object);
/* Ends printing to stdout: returns CLI_PASS, or CLI_BENCH_FAILED when it could not all be written. */
int cli_flush(void);

/* Reads a whole file of at most limit_bytes. Returns CLI_PASS, and the caller frees *text, which a NUL
 * follows; else the error has been reported and *text is NULL. "-" is no special name. */
int cli_read_file(const char *path, size_t limit_bytes, char **text, size_t *length);

/* True when the stream is a terminal that can be drawn on (TERM is neither unset nor "dumb"). */
bool cli_terminal(FILE *stream);
/* Colours on stdout: it is such a terminal and NO_COLOR is unset or empty. */
bool cli_colour(void);
/* Width of the terminal behind the stream; 80 when unknown. */
unsigned cli_columns(FILE *stream);

/* Of CLOCK_MONOTONIC. */
int64_t cli_now_ns(void);

/* The demo scenario that is part of the program; 0 or a negative code, as pb_scenario_parse. Its text goes
 * into *texts, unless that is NULL. */
int cli_demo_scenario(struct pb_scenario **out, struct pb_scenario_texts *texts, struct pb_diag *diag);

/* X(verb) : every verb, in the order in which they are listed. */
#define CLI_VERB_LIST(X)                                                                                     \
    X(demo) X(run) X(monitor) X(fault) X(report) X(compare) X(route) X(schedule) X(bound) X(budget)          \
    X(selftest) X(serve) X(doctor) X(devices) X(flash)

#define CLI_DECLARE_VERB(verb)                                                                               \
    int cmd_##verb(int argc, char **argv);                                                                   \
    extern const struct cli_verb verb_##verb;
CLI_VERB_LIST(CLI_DECLARE_VERB)
#undef CLI_DECLARE_VERB

#endif
