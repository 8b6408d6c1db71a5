/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Options of several verbs, as rows of their tables.
 */
#ifndef PHASEBENCH_CLI_ROWS_H
#define PHASEBENCH_CLI_ROWS_H

#include "cal_file.h"
#include "history_keep.h"
#include "option.h"
#include "runner.h"
#include "source.h"

#include "phasebench/budget.h"
#include "phasebench/cube.h"

#define CLI_PROGRAM_WORDS                                                                                    \
    "broadcast allreduce scan barrier sort fft life filter transpose exchange alltoall permute"

/* `type` is the struct of the request. */
#define CLI_ROW_JSON(type, field)                                                                            \
    {"json", NULL, CLI_FLAG, CLI_AT(type, field), .help = "machine-readable result"}
#define CLI_ROW_OUT(type, field, list)                                                                       \
    {"out", "DIR", CLI_FOLDER, CLI_AT(type, field), .forms = list, .use = CLI_WRITES,                        \
     .help = "folder, made when missing, that gets every form of the result"}
#define CLI_ROW_NETWORK(type, field, dims_max, address_bits_max, flag)                                       \
    {"dims", "N", CLI_DIMS, CLI_AT(type, field), flag, .least = PB_DIMS_MIN, .most = dims_max,               \
     .initial = "12", .help = "dimensions of the cube"},                                                     \
    {"network", "NET", CLI_NETWORK, CLI_AT(type, field), flag, .least = address_bits_max, .most = dims_max,  \
     .words = "cube: generalised: metacube: product: xor:",                                                  \
     .help = "another network: cube:N; generalised:R,R,... with the radix of each digit of an address, "     \
             "digit 0 first, as generalised:4,4,3; product:full4,ring5,line3; metacube:K,M; xor:N"}
#define CLI_RIG_WORDS "sim: sim:?port=uart sim:?clock=12MHz vusb: vusb:?mode=syncfifo ftdi: tty:/dev/ replay:"
#define CLI_RIG_TDC "sim:?tdc=typ" /* the usual rig with a converter */
#define CLI_RIG_HELP                                                                                         \
    "rig to run on: sim:, ftdi:SERIAL (a board), tty:DEVICE?baud=N (one behind a serial port), vusb:, or "   \
    "replay:FILE, a recording; phasebench(1), section RIGS"
#define CLI_ROW_RIG(type, field)                                                                             \
    {"rig", "URL", CLI_RIG, CLI_AT(type, field), .words = CLI_RIG_WORDS, .otherwise = "sim:",                \
     .of_run = CLI_OF_RECORDING, .help = CLI_RIG_HELP}
#define CLI_ROW_CAPTURE(type, field, flag)                                                                   \
    {"capture", "WHAT", CLI_CHOICE, CLI_AT(type, field), CLI_GIVEN(type, flag), .words = "auto edges bytes", \
     .help = "what is recorded of the lines, in place of the scenario's choice"}
#define CLI_ROW_SEED(type, field, flag)                                                                      \
    {"seed", "N", CLI_NUMBER, CLI_AT(type, field), CLI_GIVEN(type, flag), .most = UINT64_MAX,                \
     .help = "payloads, inputs of a program and jitter, in place of the scenario's seed"}
#define CLI_ROW_SUPERFRAMES(type, field)                                                                     \
    {"superframes", "N", CLI_COUNT, CLI_AT(type, field), .least = 1, .most = SOURCE_SUPERFRAMES_MAX,         \
     .words = "endless", .help = "how many to run, in place of the scenario's number"}
#define CLI_ROW_FOR(type, field)                                                                             \
    {"for", "TIME", CLI_SPAN, CLI_AT(type, field),                                                           \
     .help = "how long to run, in whole superframes, in place of their number"}
/* Of a struct cal_options. */
#define CLI_ROW_CAL(type, field)                                                                             \
    {"cal", "FILE", CLI_FILE, CLI_AT(type, field.path), .words = CAL_NONE, .use = CLI_READS,                 \
     .otherwise = "that of the board in $XDG_STATE_HOME/phasebench",                                         \
     .help = "correct absolute rates by this calibration of phasebench cal; none: by no calibration"},       \
    {"max-age", "DAYS", CLI_COUNT, CLI_AT(type, field.max_age_days), .least = 1, .most = 36500,              \
     .initial = "365", .unit = "days", .quantity = PB_QUANTITY_SPAN, .step = 86400,                          \
     .help = "oldest calibration that is used"}
/* Of a suite. */
#define CLI_ROW_RETRY(type, field)                                                                           \
    {"retry", "N", CLI_COUNT, CLI_AT(type, field), .least = 0, .most = 10, .initial = "0",                   \
     .of_run = CLI_OF_SUITE,                                                                                 \
     .help = "run a case that does not pass again, up to N times; one that passes then is flaky, and passed"}
#define CLI_ROW_QUARANTINE(type, field)                                                                      \
    {"quarantine", "FILE", CLI_FILE, CLI_AT(type, field), .use = CLI_READS,                                  \
     .of_run = CLI_OF_SUITE,                                                                                 \
     .help = "cases whose failure does not count until a date: a YAML list of {case: NAME, reason: TEXT, "   \
             "until: 2026-12-31}"}
/* Of a struct suite_selection. */
#define CLI_ROW_SELECT(type, field)                                                                          \
    {"exit-first", NULL, CLI_SET, CLI_AT(type, field.max_failures), .least = 1, .letter = 'x',               \
     .of_run = CLI_OF_SUITE, .help = "start no further case once one has failed: --max-failures 1"},         \
    {"max-failures", "N", CLI_COUNT, CLI_AT(type, field.max_failures), .least = 1, .most = 10000,            \
     .of_run = CLI_OF_SUITE, .help = "start no further case once N have failed; the rest is not run"},       \
    {"last-failed", NULL, CLI_FLAG, CLI_AT(type, field.last_failed),                                         \
     .of_run = CLI_OF_SUITE,                                                                                 \
     .help = "only the cases that failed by the result.json in the folder of --out"},                        \
    {"shard", "I/N", CLI_TEXT, CLI_AT(type, field.shard_text),                                               \
     .of_run = CLI_OF_SUITE,                                                                                 \
     .help = "only shard I of N: every N-th case; 'report merge' joins the results of all"}
#define CLI_ROW_COVERAGE(type, field)                                                                        \
    {"coverage", "FILE", CLI_FILE, CLI_AT(type, field), .use = CLI_WRITES,                                   \
     .of_run = CLI_OF_FIRMWARE,                                                                              \
     .help = "how often each line and function of firmware images was executed, as a tracefile of lcov"}
#define CLI_ROW_GDB(type, field)                                                                             \
    {"gdb", "PORT[:NODE]", CLI_TEXT, CLI_AT(type, field),                                                    \
     .of_run = CLI_OF_FIRMWARE,                                                                              \
     .help = "nodes[NODE] (0), a firmware image, waits on port PORT of 127.0.0.1 for gdb, which controls it"}
#define CLI_ROW_PHASE_HZ(type, field, what)                                                                  \
    {"phase-hz", "F", CLI_DECIMAL, CLI_AT(type, field), .least = PB_PHASE_RATE_MIN_MHZ,                      \
     .most = PB_PHASE_RATE_MAX_MHZ, .decimals = 3, .unit = "Hz", .quantity = PB_QUANTITY_FREQUENCY,          \
     .help = "phases per second" what}
#define CLI_ROW_TIMEOUT(type, field, text, initially)                                                        \
    {"timeout", "S", CLI_COUNT, CLI_AT(type, field), .least = 1, .most = PB_RUN_TIMEOUT_MAX_S, .unit = "s",  \
     .quantity = PB_QUANTITY_SPAN, initially, .help = text}
#define CLI_ROW_RECORD(type, field)                                                                          \
    {"record", "FILE", CLI_FILE, CLI_AT(type, field.path), .use = CLI_WRITES,                                \
     .of_run = CLI_OF_RECORDING,                                                                             \
     .help = "keep what passes between host and core; --rig replay:FILE plays it again"},                    \
    {"force", NULL, CLI_FLAG, CLI_AT(type, field.force), .help = "replace a file to record to that is there"}
#define CLI_ROW_RECORD_USB(type, field)                                                                      \
    {"record-usb", "FILE", CLI_FILE, CLI_AT(type, field.usb_path), .use = CLI_WRITES,                        \
     .of_run = CLI_OF_RECORDING,                                                                             \
     .help = "the USB transfers of a board, as a pcapng capture; --rig replay:FILE plays it, too"}

/* Of a struct history_options. */
#define CLI_ROW_HISTORY(type, field)                                                                         \
    CLI_ROW_HISTORY_PLACE(type, field),                                                                      \
    {"unit", "SERIAL", CLI_TEXT, CLI_AT(type, field.unit),                                                   \
     .of_run = CLI_OF_HISTORY, .help = "serial number of the board under test, for the history"},            \
    {"station", "NAME", CLI_TEXT, CLI_AT(type, field.station), .otherwise = "name of this computer",         \
     .of_run = CLI_OF_HISTORY, .help = "where it is tested, for the history"},                               \
    {"operator", "NAME", CLI_TEXT, CLI_AT(type, field.operator_name),                                        \
     .of_run = CLI_OF_HISTORY, .help = "who tests it, for the history"}
#define CLI_ROW_HISTORY_PLACE(type, field)                                                                   \
    {"history", "PLACE", CLI_FILE, CLI_AT(type, field.path), .otherwise = HISTORY_ENVIRONMENT,               \
     .use = CLI_KEEPS, .environment = HISTORY_ENVIRONMENT,                                                   \
     .of_run = CLI_OF_HISTORY,                                                                               \
     .help = "append each run to this history, a path, sqlite:PATH or postgresql://USER@HOST/DATABASE, "     \
             "which is made when missing; phasebench history shows it"},                                     \
    {"spool", "FILE", CLI_FILE, CLI_AT(type, field.spool), .use = CLI_KEEPS,                                 \
     .environment = HISTORY_SPOOL_ENVIRONMENT,                                                               \
     .otherwise = HISTORY_SPOOL_ENVIRONMENT ", else a file in ~/.local/state/phasebench",                    \
     .of_run = CLI_OF_HISTORY, .help = "where runs wait while the server of the history cannot be reached"}

#endif
