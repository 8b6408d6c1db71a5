/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions shared by the commands (verbs) of phasebench: exit codes, option reading, error lines, and
 * output.
 *
 * A verb is a struct cli_verb (option.h) and its function in cmd_VERB.c. Results go to stdout, errors as one
 * line to stderr.
 */
#ifndef PHASEBENCH_CLI_H
#define PHASEBENCH_CLI_H

#include "option.h"

#include "host/base/form.h"
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

/* Prints "phasebench: " and the message, as one line, to stderr; returns exit_code. */
int cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* CLI_PASS if the code of a function of the library is PB_OK; else its diagnostic is printed likewise, and
 * its exit code returned. */
int cli_outcome(int code, const struct pb_diag *diag);
/* The same with what it is about and ": " before the diagnostic. */
int cli_outcome_of(const char *what, int code, const struct pb_diag *diag);

/* Prints one line of at most 8191 bytes to stdout with control characters and line breaks replaced. Use it
 * for every line with external text. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The worse of two exit codes, in the order 130, 124, 4, 3, 2, 1, 5, 0. */
int cli_worse(int left, int right);

/* Reads a decimal or 0x hexadecimal number, or reports the error and returns false: the verb then returns
 * CLI_USAGE. name: the option or operand as typed. */
bool cli_unsigned(const char *name, const char *text, unsigned low, unsigned high, unsigned *value);

/* As pb_form_json to stdout. Returns CLI_PASS, or CLI_BENCH_FAILED with the reason reported. */
int cli_print_json(json_t *object);
/* Flushes stdout. Returns CLI_PASS, or CLI_BENCH_FAILED after a failed write; CLI_PASS if the reader of a
 * pipe has ended, as head does: all that goes elsewhere is still written. */
int cli_flush(void);
/* After a failed write: whether the reader of stdout has ended. */
bool cli_reader_gone(void);
/* Ends the process by SIGPIPE if it has, without a word, as other programs do; else returns exit_code. */
int cli_end(int exit_code);

/* Reads a whole file of at most limit_bytes. Returns CLI_PASS, and the caller frees *text (with a
 * final NUL); else the error has been reported and *text is NULL. "-" is a file name. */
int cli_read_file(const char *path, size_t limit_bytes, char **text, size_t *length);

/* Reads a stored result (result.json) by `parse`, which returns PB_OK or the code of *diag. Returns CLI_PASS,
 * else the error has been reported. */
int cli_read_result(const char *path,
                    int (*parse)(void *context, const char *text, size_t length, struct pb_diag *diag),
                    void *context);

/* True if the stream is a terminal and TERM neither unset nor "dumb". */
bool cli_terminal(FILE *stream);
/* True for colours on stdout: such a terminal, and NO_COLOR unset or empty. */
bool cli_colour(void);
/* Width of the terminal of the stream; 80 if unknown. */
unsigned cli_columns(FILE *stream);
/* Columns and rows of the terminal on stdout, at most these; 80 and 24 if unknown. */
void cli_window(unsigned *columns, unsigned *rows, unsigned most_columns, unsigned most_rows);

/* Reads the built-in limits of a validation (host/production/limits/default.yaml). As pb_limits_parse. */
struct pb_limit_set;
int cli_default_limits(struct pb_limit_set *limits, struct pb_diag *diag);

/* Reads the built-in demo scenario. Returns 0 or a negative code, as pb_scenario_parse. Stores its text in
 * *texts (NULL: not). */
int cli_demo_scenario(struct pb_scenario **out, struct pb_scenario_texts *texts, struct pb_diag *diag);

/* Reports why a scenario file (NULL: none) was refused with this code: all its errors, each in a line.
 * Returns the exit code. */
int cli_refuse_scenario(const char *path, int code, const struct pb_diag *diag);

/* X(verb): every verb, in the order of the help. */
#define CLI_VERB_LIST(X)                                                                                     \
    X(demo)                                                                                                  \
    X(run) X(validate) X(regress) X(jitter) X(shmoo) X(adjacency) X(monitor) X(fault) X(report) X(compare)   \
        X(history) X(route) X(schedule) X(bound) X(machine) X(budget) X(grr) X(cal) X(tdc) X(selftest)       \
            X(serve) X(doctor) X(devices) X(flash) X(station)

#define CLI_DECLARE_VERB(verb)                                                                               \
    int cmd_##verb(int argc, char **argv);                                                                   \
    extern const struct cli_verb verb_##verb;
CLI_VERB_LIST(CLI_DECLARE_VERB)
#undef CLI_DECLARE_VERB

#endif
