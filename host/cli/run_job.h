/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One scenario of `phasebench run`: its run, and the files that it leaves behind.
 */
#ifndef PHASEBENCH_CLI_RUN_JOB_H
#define PHASEBENCH_CLI_RUN_JOB_H

#include "cal_file.h"
#include "gdb.h"
#include "history_keep.h"
#include "output.h"
#include "rigs.h"
#include "runner.h"
#include "source.h"

#define RUN_OUT_DEFAULT "phasebench-out"

enum run_form { RUN_FORM_TEXT, RUN_FORM_JSON, RUN_FORM_TAP };

/* The cases of a suite that run. */
struct suite_selection {
    unsigned max_failures; /* further ones start no case; 0: no limit */
    bool last_failed;
    const char *shard_text; /* --shard as given; NULL: not given */
    unsigned shard, shards; /* the same, read; shards 0: all cases */
};

/* A suite is wanted, also of one scenario. */
static inline bool suite_selection_given(const struct suite_selection *selection)
{
    return selection->max_failures || selection->last_failed || selection->shard_text;
}

/* What the command line asks for. */
struct run_request {
    struct runner runner;
    enum run_form form;
    const char *out;        /* NULL: not given */
    const char *junit_path; /* NULL: none */
    const char *csv_path;   /* NULL: none */
    const char *coverage_path; /* NULL: none */
    const char *gdb_text;      /* --gdb as given; NULL: not given */
    struct gdb_place gdb;      /* the same, read */
    const char *pcap_path;  /* NULL: none */
    bool trace;
    const char *window_text; /* --trace-at as given; NULL: not given */
    struct run_window { /* the same, read */
        bool given;
        unsigned superframe, phase;
    } window;
    enum run_action { RUN_AND_JUDGE, RUN_LIST, RUN_CHECK } action;
    unsigned jobs; /* at a time; 0: not given */
    struct pb_scenario_overrides overrides;
    struct record_options record;
    struct history_options history;
    struct suite_selection select; /* of a suite */
    unsigned retry;              /* how often a case that did not pass runs again */
    struct cal_options cal;
    const char *quarantine_path; /* NULL: none */
    const struct rigs *rigs; /* a case runs on any of them, in place of runner.options.rig_url; NULL: none */
};

struct run_job {
    struct source source;             /* owned */
    struct pb_result *result;         /* owned; NULL: no memory for it */
    FILE *pcap;                       /* borrowed: the transmissions go there; NULL: none */
    int pcap_errno;                   /* why they are not all there; 0: they are */
    char directory[OUTPUT_PATH_SIZE]; /* "" when no file is written */
    char trace_path[OUTPUT_PATH_SIZE], window_path[OUTPUT_PATH_SIZE];
    char coverage_path[OUTPUT_PATH_SIZE]; /* "": not recorded */
    struct pb_lcov *covered;              /* owned; what the file of it has; NULL: none */
    bool refused; /* the rig's URL or the recording is invalid: no run */
    bool began;   /* runner_began */
    bool written; /* its files are in the directory */
    bool shown;   /* the waveform of the window is at window_path */
};

/* report.html and result.json are wanted. */
bool run_writes_files(const struct run_request *request);
/* A directory is needed: for those, or for a waveform. */
bool run_needs_directory(const struct run_request *request);

/* Refuses a window that the scenario's run does not have. */
int run_check_window(const struct run_request *request, const struct pb_scenario *scenario);
/* Sets the paths of the job, below the directory. Returns an exit code, after the error has been reported. */
int run_job_place(struct run_job *job, const char *directory);
/* Runs, judges, and writes the files; prints nothing but errors. Returns the exit code of all that. */
int run_job(struct run_job *job, const struct run_request *request);
void run_job_free(struct run_job *job);

#endif
