/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a suite: each scenario in a process of its own, several at a time, on one rig or on several boards. A
 * crash or a hang is the end of its own case alone. docs/use/regress.md describes retries, quarantine and
 * shards.
 */
#ifndef PHASEBENCH_SUITE_RUN_H
#define PHASEBENCH_SUITE_RUN_H

#include "phasebench/api.h"
#include "phasebench/procedure.h"
#include "phasebench/run.h"
#include "phasebench/scenario.h"
#include "phasebench/suite.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

#define PB_SUITE_CASES_MAX 10000u
#define PB_SUITE_JOBS_MAX 256u

/* What takes the place of values of a scenario; all zero: nothing. */
struct pb_scenario_overrides {
    bool seed_given;
    uint64_t seed;
    unsigned superframes; /* 0: the scenario's; UINT32_MAX: as many as there can be */
    uint64_t for_s;       /* how long to run, in place of their number; 0: not given */
    bool capture_given;
    enum pb_capture capture;
};

/* Forms of the whole, of which each case has an element. */
enum pb_suite_form {
    PB_SUITE_JSON,
    PB_SUITE_JUNIT,
    PB_SUITE_TAP,
    PB_SUITE_CSV,
    PB_SUITE_PCAP, /* what the links carried; recorded only for this form */
    PB_SUITE_FORMS
};

struct pb_suite_entry {
    const char *path;    /* of the scenario */
    const char *text;    /* of the scenario; NULL: that of the file */
    const char *skipped; /* why it is not run; NULL: it is run. Skipped entries come last. */
    const char *group;   /* another name of it in a quarantine; NULL: none */
};

/* One of several boards: it runs one case at a time, and none after it was lost; its case then runs on
 * another. */
struct pb_suite_board {
    const char *url, *serial; /* serial "": unknown */
};

/* A run of a case, for `run` of an observer. */
struct pb_suite_job {
    const struct pb_case *one;    /* its name, path, folder and entry are known */
    struct pb_scenario *scenario; /* borrowed, with the name of the case */
    const struct pb_scenario_texts *texts;         /* what it was made of */
    const struct pb_scenario_overrides *overrides; /* superframes: also those of for_s */
    unsigned slot;       /* its number among those that run: of several boards, which one it is */
    const char *rig_url; /* of its rig; NULL: the default */
    FILE *frames;        /* pcapng of its frames goes there; NULL: not wanted */
    void (*progress)(void *progress_of, const struct pb_run_progress *progress); /* to be called by the run */
    void *progress_of;
    /* What it leaves. */
    struct pb_result *result; /* owned by the caller of `run`; NULL: none */
    int exit_code;            /* of all that was done, as of the command */
    bool refused;             /* the rig refused it: no run */
    int frames_errno;         /* why the frames are not all there; 0: they are */
};

/* Which case runs in a slot, and how far it is. */
struct pb_suite_slot {
    size_t index; /* in the suite; SIZE_MAX: none */
    struct pb_run_progress progress;
};

/* Who watches. Each is called in the process of pb_suite_run, which it blocks, except `run`; NULL: not
 * called. A negative code ends the suite; the diagnostic may stay empty. */
struct pb_suite_observer {
    /* For each scenario when it has been read: may refuse it. `entry`: its index in the options. */
    int (*read)(void *context, size_t entry, const struct pb_scenario *scenario, struct pb_diag *diag);
    /* Before the first run: all cases are named. */
    int (*prepare)(void *context, const struct pb_suite *suite, struct pb_diag *diag);
    /* Before each run of a case; again: it is not the first one. */
    int (*begin)(void *context, const struct pb_suite *suite, size_t index, bool again, struct pb_diag *diag);
    /* Runs a case in place of pb_run, in the process of the case, and may write files. */
    void (*run)(void *context, struct pb_suite_job *job);
    /* A result for a case whose process left none. */
    void (*lost)(void *context, const struct pb_suite *suite, size_t index, const struct pb_result *result);
    /* A case has ended, and does not run again. */
    void (*ended)(void *context, const struct pb_suite *suite, size_t index);
    /* A few times a second. */
    void (*progress)(void *context, const struct pb_suite *suite, const struct pb_suite_slot *slot,
                     unsigned slots);
    /* A sentence about something that is not as it should be; also in the process of a case. */
    void (*say)(void *context, const char *sentence);
    /* A line, or a part of a long one, that the process of a case wrote to stderr. */
    void (*line)(void *context, const char *line, size_t length);
    void *context; /* of all */
};

struct pb_suite_options {
    const struct pb_suite_entry *entry;
    size_t count; /* 1..PB_SUITE_CASES_MAX */
    struct pb_scenario_overrides overrides;
    unsigned jobs;                      /* at a time, at most PB_SUITE_JOBS_MAX; 0: one */
    const struct pb_suite_board *board; /* in place of the procedure's rig and of jobs; NULL: none */
    unsigned boards;
    unsigned limit_s;      /* wall time of the process of a case; 0: three times that of its run, and 10 s */
    unsigned retry;        /* how often a case that did not pass runs again */
    unsigned max_failures; /* further ones start no case; 0: no limit */
    unsigned shard, shards;       /* only every shards-th case, from the shard-th (1..) on; shards 0: all */
    const struct pb_suite *last;  /* only the cases that failed there; NULL: all */
    const char *last_name;        /* what messages call it */
    const char *quarantine_path;  /* of the file with cases whose failure does not count; NULL: none */
    const char *const *also;      /* further names that it may have */
    size_t also_count;
    unsigned forms; /* 1 << form of each that pb_suite_results_write will be asked for */
    const char *const *taken; /* names that no folder of a case may have; NULL ends it */
    struct pb_suite_observer observer;
};

/* Plans a scenario for the core of a rig, without a run, and warns of what would make the run prove little or
 * take too long, at most 20 times. Errors as of the run, and of a plan that the core cannot play. */
int pb_suite_check(const struct pb_procedure *procedure, const struct pb_scenario *scenario,
                   void (*warning)(void *context, const char *sentence), void *context,
                   struct pb_diag *diag);

/* The cases of a suite, and the forms of their results. */
struct pb_suite_results;

/* Reads all scenarios, then runs them. Returns 0 with the results, also if cases failed, crashed, or were not
 * run because `stop` ended the suite: their exit codes, and that of the suite, say so. A negative code
 * before the first run, and *out is NULL: PB_ERR_ARGUMENT (too many cases, a selection of none),
 * PB_ERR_CONFIG (a scenario, the quarantine), PB_ERR_MEMORY, PB_ERR_IO, or that of the observer. A code after
 * it (`begin`, no process) ends the suite, and gives its exit code. Blocks until all have ended. It forks:
 * call it while single-threaded. */
int pb_suite_run(struct pb_suite_results **out, const struct pb_procedure *procedure,
                 const struct pb_suite_options *options, struct pb_diag *diag);

/* A stored result, or a part of a suite. */
struct pb_suite_part {
    const char *path;   /* in messages */
    const char *folder; /* of its cases' folders, without links; "": unknown */
    struct pb_suite_document *document; /* borrowed; its results must outlast the call */
};

/* Joins stored results to one suite, as if all had run here: shards in the order of their suite, others in
 * the order given. folder: where index.html will be, without links, to which the folders of the cases become
 * relative; "": nowhere. PB_ERR_CONFIG: a shard is missing or there twice, or a case is. */
int pb_suite_merge(struct pb_suite_results **out, const struct pb_suite_part *part, size_t parts,
                   const char *folder, unsigned forms, struct pb_diag *diag);

/* Whether the parts are all shards of one suite, or none is one; pb_suite_merge asks itself. */
int pb_suite_merge_check(const struct pb_suite_part *part, size_t parts, struct pb_diag *diag);

const struct pb_suite *pb_suite_results_suite(const struct pb_suite_results *results);
/* Writes one form of the whole. Returns 0, PB_ERR_MEMORY or PB_ERR_IO. */
int pb_suite_results_write(const struct pb_suite_results *results, enum pb_suite_form form, FILE *stream);
void pb_suite_results_free(struct pb_suite_results *results); /* NULL: no effect */

PB_API_END

#endif
