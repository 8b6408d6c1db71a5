/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Validation of a node board: steps in a fixed order, each with measured values, compared with the limits of
 * a file. docs/use/validate.md describes steps, items and the file.
 */
#ifndef PHASEBENCH_VALIDATION_H
#define PHASEBENCH_VALIDATION_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/measurement.h"
#include "phasebench/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

/* X(name, id, unit, text): what is measured. The ids are those of the limits file. */
#define PB_ITEM_LIST(X)                                                                                      \
    X(BENCH_DELAY, "bench_delay", PB_UNIT_PS, "loop-back: mean of measured minus set delay")                 \
    X(BENCH_JITTER, "bench_jitter", PB_UNIT_PS, "loop-back: measured minus set standard deviation")          \
    X(FIRMWARE, "firmware", PB_UNIT_COUNT, "firmware version that the node reports")                         \
    X(FINDINGS, "findings", PB_UNIT_COUNT, "violations of the contract in the runs of a step")               \
    X(LINE_LOW, "line_low", PB_UNIT_COUNT, "line low that nothing pulls, all nodes in reset")                \
    X(LINE_HELD, "line_held", PB_UNIT_COUNT, "pulls that the line did not follow")                           \
    X(LINE_BREAKS, "line_breaks", PB_UNIT_COUNT, "further edges while the line was pulled")                  \
    X(LINE_SHORT, "line_short", PB_UNIT_COUNT, "other lines that followed when the line was pulled")         \
    X(LINE_RISE, "line_rise", PB_UNIT_PS, "rise from the release of the line to its high level")             \
    X(ACQUISITION, "acquisition", PB_UNIT_COUNT, "superframes from the first SYNC until the node sends")     \
    X(EDGES_LOST, "edges_lost", PB_UNIT_COUNT, "edges of TDMA_CLK that the node missed, by its counters")    \
    X(EDGES_EXTRA, "edges_extra", PB_UNIT_COUNT, "further edges of TDMA_CLK, by the node's counters")        \
    X(SYNC_ERRORS, "sync_errors", PB_UNIT_COUNT,                                                             \
      "edges at which SYNC was not as due, by the node's "                                                   \
      "counters")                                                                                            \
    X(RECEIVE_ERRORS, "receive_errors", PB_UNIT_PPB, "bit error ratio of reception, 95 % upper bound")       \
    X(SEND_ERRORS, "send_errors", PB_UNIT_PPB, "bit error ratio of transmission, 95 % upper bound")          \
    X(BIT_TIME, "bit_time", PB_UNIT_PPB, "deviation of the node's mean bit time, longer above 0")            \
    X(START, "start", PB_UNIT_PS, "start of a frame after the end of the head guard, the worst")             \
    X(TAIL, "tail", PB_UNIT_PS, "from the release of the line to the begin of the tail guard, the least")    \
    X(GLITCHES, "glitches", PB_UNIT_COUNT, "pulses on idle lines while the phases cycle")                    \
    X(TOLERANCE_FAST, "tolerance_fast", PB_UNIT_PPM, "most by which frames may be fast and are received")    \
    X(TOLERANCE_SLOW, "tolerance_slow", PB_UNIT_PPM, "most by which frames may be slow and are received")    \
    X(FRAMING, "framing", PB_UNIT_COUNT, "frames with an error while the phases cycle")                      \
    X(LOST, "lost", PB_UNIT_COUNT, "messages that did not arrive")                                           \
    X(LATENCY, "latency", PB_UNIT_PHASES, "phases from the release of a message to its arrival, the most")   \
    X(PHASE_LEAST, "phase_least", PB_UNIT_PS, "shortest phase in which every frame is right")                \
    X(GUARD_LEAST, "guard_least", PB_UNIT_PS,                                                                \
      "shortest guard, head and tail, in which every frame is right")                                        \
    X(CLOCK_CEILING, "clock_ceiling", PB_UNIT_MHZ, "highest phase rate that the node follows")

enum pb_item {
#define PB_ITEM_ENUM(name, id, unit, text) PB_ITEM_##name,
    PB_ITEM_LIST(PB_ITEM_ENUM)
#undef PB_ITEM_ENUM
        PB_ITEMS
};

const char *pb_item_id(int item);
const char *pb_item_text(int item);
enum pb_unit pb_item_unit(enum pb_item item);

/* A value of an item as text with its unit, "14.0 ns"; "-" for PB_ABSENT. */
struct pb_item_shown {
    char text[48];
};
struct pb_item_shown pb_item_shown(enum pb_item item, int64_t value);

/* How a value near a limit is decided, with U its expanded uncertainty (95 %); after ILAC-G8:09/2019, 4.2. */
enum pb_acceptance {
    PB_ACCEPT_SIMPLE,    /* pass: within the limits */
    PB_ACCEPT_GUARDED,   /* pass: within the limits by U or more; all else fails */
    PB_ACCEPT_NON_BINARY /* as guarded; fail: beyond a limit by more than U; marginal: between */
};
const char *pb_acceptance_name(enum pb_acceptance rule); /* "simple", "guarded", "non_binary" */

/* One row of a limits file, in the unit of the item. */
struct pb_limit {
    bool given;
    int64_t lower, upper; /* PB_ABSENT: none; at least one is given */
    int64_t band;         /* a passing value nearer to a limit than U + band is marginal */
    char rationale[240];
};

struct pb_limit_set {
    char title[81], version[33];
    uint32_t crc32; /* of the file (ISO-HDLC) */
    enum pb_acceptance rule;
    struct pb_limit limit[PB_ITEMS];
};

/* Reads a limits file. PB_ERR_CONFIG: the diagnostic starts with "PATH:LINE: " and names value, limit and
 * remedy; *limits is then undefined. */
int pb_limits_parse(struct pb_limit_set *limits, const char *path, const char *text, size_t length,
                    struct pb_diag *diag);

/* A value and its decision. */
struct pb_item_value {
    enum pb_item item;
    int node, link, port; /* index among the nodes of the scenario, link of the core, port of the node; -1 */
    uint64_t n;           /* values, frames, bits or messages that it is computed from */
    int64_t value;        /* that is compared with the limits */
    int64_t min, mean, max, sd; /* of the n values, where they were kept; else `value`, and 0 */
    int64_t u95;                /* 0: exact, as a count */
    int64_t lower, upper, margin; /* PB_ABSENT: none; margin: to the nearer limit, below 0 beyond */
    enum pb_judgement judgement;
    char name[64]; /* id, place and condition: "start/link3", "latency/1 kHz"; unique in a validation */
    char note[320]; /* what was seen where, for a value that fails; "" */
    char run[64];   /* the run that gave it; "": it was measured without one */
};
/* Compares value and u95 with the limit of the item; fills lower, upper, margin, judgement. */
void pb_item_judge(struct pb_item_value *value, const struct pb_limit_set *limits);

enum pb_step_state {
    PB_STEP_PASS,
    PB_STEP_MARGINAL,
    PB_STEP_FAIL,
    PB_STEP_ERROR,  /* nothing was decided: the bench failed, or its run was inconclusive or interrupted */
    PB_STEP_SKIPPED /* a step that it depends on did not pass, or the profile or the node excludes it */
};
const char *pb_step_state_name(enum pb_step_state state); /* "pass", "marginal", ... */

struct pb_step {
    char id[24], purpose[120];
    enum pb_step_state state;
    char reason[400]; /* of a state but pass; one sentence */
    int64_t wall_ns;
    size_t first, count; /* its values in the list of the validation */
    char run[64];        /* the run that ended it, if it failed or erred without a value; "": none */
};

/* X(name, file, text): what is kept of a run. */
#define PB_RUN_FILE_LIST(X)                                                                                  \
    X(REPORT, "report.html", "report")                                                                       \
    X(TRACE, "failure.fst", "waveform")                                                                      \
    X(FRAMES, "frames.pcapng", "frames on the links")

enum pb_run_file {
#define PB_RUN_FILE_ENUM(name, file, text) PB_RUN_FILE_##name,
    PB_RUN_FILE_LIST(PB_RUN_FILE_ENUM)
#undef PB_RUN_FILE_ENUM
        PB_RUN_FILES
};
const char *pb_run_file_name(int file); /* "report.html", ... */
const char *pb_run_file_text(int file); /* "report", ... */

/* The files of a run with a value that did not pass. They are in the folder of its name, next to the page. */
struct pb_run_files {
    char run[64];
    bool has[PB_RUN_FILES];
};

/* The data of a run that the page draws. */
struct pb_exhibit {
    char step[24], run[64];
    struct pb_result *result; /* owned */
    struct pb_jitter *jitter; /* owned; NULL: no memory for it */
};

enum pb_go { PB_GO, PB_GO_MARGINAL, PB_NO_GO, PB_GO_NOT_READY, PB_GO_INCOMPLETE };
const char *pb_go_name(enum pb_go go); /* "go", "go, marginal", "no-go", "bench not ready", "incomplete" */

#define PB_STEPS_MAX 32
struct pb_validation {
    char unit[65], station[65], operator_name[65]; /* "": not given */
    char scenario[96], scenario_path[256], rig[96], profile[16], command[256];
    char nodes[256], core[160], started_utc[32], program[32];
    uint64_t seed;
    char limits_path[256];
    struct pb_limit_set limits;
    struct pb_step step[PB_STEPS_MAX];
    unsigned steps;
    struct pb_item_value *value; /* owned, as PB_STEPS_MAX steps have appended them */
    size_t values, capacity;
    struct pb_unchecked unchecked; /* what its runs did not check */
    size_t runs;                   /* with a result */
    char incomplete[256]; /* why it ended early; "": it did not */
    int64_t wall_ns;
    struct pb_run_files *files; /* owned, as pb_validation_keep has appended them */
    size_t kept;
    struct pb_exhibit *exhibit; /* owned, as pb_validation_exhibit has appended them */
    size_t exhibits;
    char measurements[512]; /* link from the page to docs/reference/measurements.md, a URL; "": unknown */
};

/* Appends a value, judged; PB_ERR_MEMORY. */
int pb_validation_add(struct pb_validation *validation, const struct pb_item_value *value);
/* The state of a step by its values. */
enum pb_step_state pb_validation_state(const struct pb_validation *validation, const struct pb_step *step);
/* Writes that no value was judged, though there are some; "" else. Returns text. */
#define PB_UNJUDGED_SIZE 256
const char *pb_validation_unjudged(const struct pb_validation *validation, char text[PB_UNJUDGED_SIZE]);
/* No go without a judged value, if there are values. */
enum pb_go pb_validation_go(const struct pb_validation *validation);
/* The value with the least margin relative to the width or size of its limits; NULL: none has a limit. */
const struct pb_item_value *pb_validation_worst(const struct pb_validation *validation);
const struct pb_item_value *pb_step_worst(const struct pb_validation *validation, const struct pb_step *step);
/* The most important step: the first that failed, else the first in error, else the first marginal one; NULL:
 * none. */
const struct pb_step *pb_validation_first(const struct pb_validation *validation);
/* Appends the files of a run; PB_ERR_MEMORY. */
int pb_validation_keep(struct pb_validation *validation, const struct pb_run_files *files);
/* The files that were kept of a run; NULL: none, or the run has no name. */
const struct pb_run_files *pb_validation_files(const struct pb_validation *validation, const char *run);
/* Appends the data of a run of the current step that the page draws. Takes ownership of result and jitter,
 * except after PB_ERR_MEMORY. */
int pb_validation_exhibit(struct pb_validation *validation, const char *run, struct pb_result *result,
                          struct pb_jitter *jitter);
/* Releases values, evidence and exhibits. */
void pb_validation_clear(struct pb_validation *validation);

/* Forms; each returns 0, PB_ERR_IO or PB_ERR_MEMORY (then the stream holds nothing of the form).
 * docs/use/validate.md names the columns of CSV, docs/reference/validation.schema.json the members of JSON.
 * */
int pb_report_validation_text(FILE *stream, const struct pb_validation *validation,
                              const struct pb_report_style *style);
int pb_report_validation_json(FILE *stream, const struct pb_validation *validation);
int pb_report_validation_csv(FILE *stream, const struct pb_validation *validation);
int pb_report_validation_junit(FILE *stream, const struct pb_validation *validation);
int pb_report_validation_tap(FILE *stream, const struct pb_validation *validation);
int pb_report_validation_html(FILE *stream, const struct pb_validation *validation);

PB_API_END

#endif
