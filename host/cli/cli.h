/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs of the phasebench command share: exit codes, option reading, error lines, and output.
 *
 * A verb is `int cmd_VERB(int argc, char **argv)` with argv[0] the verb; it returns the exit code. Its help
 * text is `cmd_VERB_help`, which `--help` prints. Results go to stdout, errors as one line to stderr.
 */
#ifndef PHASEBENCH_CLI_H
#define PHASEBENCH_CLI_H

#include "phasebench/scenario.h"

#include <getopt.h>
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

#define CLI_DIMS_DEFAULT 12u

/* Prints "phasebench: " and the sentence, as one line, to stderr; returns exit_code. */
int cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints one line to stdout, in which what steers a terminal or breaks a line is replaced: for every line
 * that quotes what came from outside. At most 8191 bytes. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of one text, as a new JSON string; NULL: out of memory. */
json_t *cli_json_text(const char *text);

/* The worse of two exit codes, in the order 130, 124, 4, 3, 2, 1, 5, 0. */
int cli_worse(int left, int right);

/* Values of long options without a short form start here, so that they are no characters. */
#define CLI_LONG_OPTION 256

/* The next option's value as in getopt_long, or -1 at the end, when optind is the first operand. '?' after it
 * has reported a wrong option: the verb then returns CLI_USAGE. The first call of a verb must have been
 * preceded by cli_begin, as one process may run several verbs. The only short option is -h, for --help (value
 * 'h'). */
void cli_begin(void);
int cli_option(int argc, char **argv, const struct option *options);
/* The same with other letters; as for getopt_long, and ':' first. */
int cli_short_option(int argc, char **argv, const char *letters, const struct option *options);
/* After the last option: true, or the first operand was reported as unexpected. */
bool cli_no_operands(int argc, char **argv);

/* Each reads one value, or reports what is wrong with it (`name` is the option or operand as the user knows
 * it) and returns false: the verb then returns CLI_USAGE. Numbers are decimal or 0x hexadecimal. */
bool cli_number(const char *name, const char *text, uint64_t low, uint64_t high, uint64_t *value);
bool cli_unsigned(const char *name, const char *text, unsigned low, unsigned high, unsigned *value);
bool cli_capture(const char *text, enum pb_capture *capture); /* --capture */
/* A decimal fraction, exact, as value * 10^decimals; low and high are scaled the same way. */
bool cli_decimal(const char *name, const char *text, const char *unit, unsigned decimals, uint64_t low,
                 uint64_t high, uint64_t *scaled);
/* --phase-hz, in millihertz, in the range of a phase generator (budget.h). */
bool cli_phase_rate(const char *text, uint64_t *rate_mhz);

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
/* Prints a help text to stdout; returns as cli_flush does. */
int cli_help(const char *text);

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

/* X(verb, what it does) : every verb, in the order in which they are listed. */
#define CLI_VERB_LIST(X)                                                                                     \
    X(demo, "prove the shipped node firmware against the 24-phase bound")                                    \
    X(run, "run scenarios and judge the nodes")                                                              \
    X(monitor, "show a run, or a recording, line by line")                                                   \
    X(fault, "break a link, the clock or a frame on purpose and see it found")                               \
    X(report, "turn a stored result into text, HTML, JUnit or TAP")                                          \
    X(compare, "compare the measurements of two stored results")                                             \
    X(route, "hops and latency of one message")                                                              \
    X(schedule, "who sends in which phase")                                                                  \
    X(bound, "bound for a traffic pattern, with its hypotheses")                                             \
    X(budget, "bytes that fit into one phase")                                                               \
    X(selftest, "test the bench itself, rung by rung")                                                       \
    X(serve, "put a simulated bench into a process of its own")                                              \
    X(doctor, "check this machine: libraries, rigs, USB permissions")                                        \
    X(devices, "list rigs and the boards found on USB")                                                      \
    X(flash, "write a bitstream into a board")

#define CLI_DECLARE_VERB(verb, summary)                                                                      \
    int cmd_##verb(int argc, char **argv);                                                                   \
    extern const char cmd_##verb##_help[];
CLI_VERB_LIST(CLI_DECLARE_VERB)
#undef CLI_DECLARE_VERB

#endif
