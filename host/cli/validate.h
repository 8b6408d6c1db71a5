/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Validation of a node board: steps in a fixed order, each of which appends values to a struct pb_validation.
 * docs/use/validate.md describes steps, profiles and values.
 *
 *     validate.c           the order, what is skipped, the end
 *     validate_play.c      one run of a scenario that is derived from the base; its findings and figures
 *     validate_traffic.c   the traffic of those runs
 *     validate_bench.c     steps on the core alone: bench, lines
 *     validate_node.c      steps on the node: identity to rates
 *     validate_contract.c  steps that run other scenarios with the same node: paths, queues, disturbed, hops
 *     validate_search.c    steps that search for a boundary: baud, phase, ceiling
 *     validate_evidence.c  the present run, its files and what the page draws of it
 *     validate_live.c      progress on the terminal, events for a program
 */
#ifndef PHASEBENCH_CLI_VALIDATE_H
#define PHASEBENCH_CLI_VALIDATE_H

#include "cli.h"
#include "source.h"

#include "phasebench/jitter.h"
#include "phasebench/run.h"
#include "phasebench/validation.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#define ARRAY_COUNT(array) (sizeof(array) / sizeof(array)[0])

enum validate_profile { VALIDATE_QUICK, VALIDATE_FULL, VALIDATE_CHARACTERISE, VALIDATE_PROFILES };

/* What is shown of a validation while it lasts. */
struct validate_live {
    FILE *events;          /* JSON lines; NULL: none */
    const char *events_path; /* borrowed */
    bool events_failed;    /* a line could not be written: no further one is */
    pthread_t watcher;     /* of the reader of the events */
    bool watched;
    atomic_bool reader_gone; /* set by the watcher, which then stops the validation */
    bool bar;              /* on a terminal */
    bool drawn;            /* the line of the bar is not empty */
    int64_t begun_ns, drawn_ns;
    double done, whole;    /* cost of the steps, in the unit of struct validate_step.cost */
    double current;        /* cost of the present step */
};

/* The present run: that of the last validate_play. */
struct validate_run {
    char name[64];
    struct pb_scenario *scenario; /* owned */
    struct pb_result *result;     /* owned unless exhibited; NULL: there was none */
    FILE *frames;                 /* owned: pcapng of what the links carried; NULL: not recorded */
    bool exhibited;               /* the validation owns the result */
    bool kept;                    /* its files are written */
};

struct validator {
    struct source source;            /* the base: a scenario of one node; with its settings */
    struct pb_scenario_setting base[5]; /* more of the base, before the settings of each case */
    unsigned base_settings;
    char address[24];
    const char *rig_url;             /* NULL: sim: */
    const char *out;                 /* folder for the reports of runs that fail; NULL: none */
    unsigned timeout_s;              /* wall time of a run; 0: the usual limit */
    enum validate_profile profile;
    struct pb_validation *validation;
    struct validate_live live;
    struct validate_run run;
    bool unwritten;                  /* files of a run could not be written */
    unsigned runs, runs_expected;    /* of the present step, for its progress */
    bool spared[PB_STEPS_MAX];       /* steps that returned VALIDATE_SKIP */
    char reason[400];                /* of a step that ends in error, or is skipped */
    char left_out[400];              /* the first part of a step that was not run, and why; "": none */
};

/* A step returns 0: its values decide; VALIDATE_SKIP with validator->reason: the network, the node or the
 * core has nothing that it could test, and the steps that depend on it continue; or a negative code with the
 * reason: nothing is decided. PB_ERR_NODE: the node failed, for the reason; no value shows it. */
#define VALIDATE_SKIP 1
struct validate_step {
    const char *id, *purpose;
    int (*climb)(struct validator *validator);
    const char *rests;                /* ids of the steps that must have passed, separated by blanks */
    double cost[VALIDATE_PROFILES];   /* about the seconds it takes on a simulated rig; 0: not part of it */
};

extern const struct validate_step validate_steps[]; /* the last has no id */

/* Runs the steps whose id is in `only` (NULL: of the profile). Returns an exit code; the outcome is in
 * validator->validation. */
int validate_climb(struct validator *validator, const char *only);

/* After a part of a step: if the scenario or the core refused the part, notes it with its reason as left out
 * and returns PB_OK, so that the step continues. Else returns the code. */
int validate_leave_out(struct validator *validator, const char *part, int code);
/* Sets the reason; returns the code. */
int validate_because(struct validator *validator, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a value of the current run, named after its item, a slash and the text, if any; shows it. Writes
 * the files of the run if the value does not pass. Returns 0 or PB_ERR_MEMORY. */
int validate_add(struct validator *validator, struct pb_item_value value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A value with no more than itself: exact, of n. */
struct pb_item_value validate_value(enum pb_item item, int64_t value, uint64_t n);

/* ---- validate_play.c */

#define VALIDATE_SETTINGS 16
/* A run: the base scenario with these settings, or a text of its own. */
struct validate_case {
    const char *name; /* of its values and of its folder */
    const char *text; /* YAML; NULL: the base */
    struct pb_scenario_setting setting[VALIDATE_SETTINGS];
    unsigned settings;
    /* Bits of the frames that a node sent, for each link: all, and the least number of them that are
     * incorrect; NULL: not counted. */
    struct validate_bits {
        uint64_t bits[PB_WIRE_PORTS_MAX], wrong[PB_WIRE_PORTS_MAX];
    } *bits;
    /* The findings against the node that count here; NULL: those of the run itself. */
    bool (*counts)(const struct pb_result *result, const struct pb_finding *finding);
    bool may_be_inconclusive; /* the bench provokes what the check cannot decide */
    bool exhibit;             /* the page draws its measurements */
};

/* Adds place: value; both borrowed. */
void validate_set(struct validate_case *one, const char *place, const char *value);

/* Runs it. Returns 0 with a result of any verdict but inconclusive, or a negative code with the reason and
 * NULL; PB_ERR_CONFIG: the scenario is refused. *out is borrowed until the next run, or the end of the step.
 */
int validate_play(struct validator *validator, const struct validate_case *one,
                  const struct pb_result **out);

/* Appends `findings/NAME`: violations of the contract, with the first of them as note. */
int validate_take_findings(struct validator *validator, const struct validate_case *one,
                           const struct pb_result *result);
/* The same as a value of another item, without a name of its own. */
int validate_take_count(struct validator *validator, const struct validate_case *one,
                        const struct pb_result *result, enum pb_item item);
/* validate_play, validate_take_findings. */
int validate_judge(struct validator *validator, const struct validate_case *one);

/* How many findings of the result count. */
uint64_t validate_count(const struct validate_case *one, const struct pb_result *result);

/* False: the node has its phase rate, bit rate and payload in its flash. Then a run at another phase rate
 * says nothing of its counters, which rest on the nominal period. */
bool validate_is_settable(const struct validator *validator);
/* The answer of a step that needs a phase clock of the bench: it is skipped. */
int validate_foreign_clock(struct validator *validator);
/* For validate_case.counts: what counts in a run, and after it. */
bool validate_counts_all(const struct pb_result *result, const struct pb_finding *finding);
/* What counts in a run at another phase rate, likewise. */
bool (*validate_counts_of(const struct validator *validator))(const struct pb_result *result,
                                                              const struct pb_finding *finding);

/* ---- validate_traffic.c */

/* Each returns the traffic as YAML, which the caller frees; NULL: no memory. */

/* Every link in both directions in each superframe, no link twice; own messages on the first digit as often
 * as a console takes them. repeat 0: for ever. */
char *validate_full_load(const struct pb_scenario *scenario, uint32_t repeat);
/* Messages for the node on one port, or on all, one port after another; `repeat` of each. */
char *validate_reception(const struct pb_scenario *scenario, int port, uint32_t repeat);
/* One message through each pair of ports that a route may take. *pairs: their number. */
char *validate_pairs(const struct pb_scenario *scenario, unsigned *pairs);
/* In each superframe a message for the node, and one back; `repeat` of each. */
char *validate_trips(const struct pb_scenario *scenario, uint32_t repeat);
/* Ports on which full load has own messages only, in turn. */
unsigned validate_own_ports(const struct pb_scenario *scenario);
/* Superframes from one own message of the node to the next. */
uint32_t validate_own_every(const struct pb_scenario *scenario);
/* A port on which a message comes in, and one on which it leaves; false: the node forwards nothing. */
bool validate_way(const struct pb_scenario *scenario, unsigned *in, unsigned *out);

/* ---- steps */

int validate_step_bench(struct validator *validator);
int validate_step_lines(struct validator *validator);
int validate_step_identity(struct validator *validator);
int validate_step_clock(struct validator *validator);
int validate_step_ports(struct validator *validator);
int validate_step_idle(struct validator *validator);
int validate_step_baud(struct validator *validator);
int validate_step_forwarding(struct validator *validator);
int validate_step_paths(struct validator *validator);
int validate_step_load(struct validator *validator);
int validate_step_queues(struct validator *validator);
int validate_step_disturbed(struct validator *validator);
int validate_step_contract(struct validator *validator);
int validate_step_rates(struct validator *validator);
int validate_step_hops(struct validator *validator);
int validate_step_trips(struct validator *validator);
int validate_step_phase(struct validator *validator);
int validate_step_ceiling(struct validator *validator);
int validate_step_soak(struct validator *validator);

/* ---- validate_evidence.c */

/* What a validation refuses of its files before it reaches the rig: an exit code. NULL: the default. */
int validate_check(const char *scenario_path, const char *rig_url, const char *node, const char *limits_path);

/* Begins the present run; takes the scenario over. */
void validate_hold(struct validator *validator, const char *name, struct pb_scenario *scenario);
/* Ends it; no effect without one. */
void validate_release(struct validator *validator);
/* Adds its result, and the jitter in the samples, to what the page draws. */
void validate_exhibit(struct validator *validator, const struct pb_jitter_collector *samples);
/* Writes its files into the folder, once; no effect without a folder or a result. A failure is reported and
 * sets validator->unwritten; the validation continues. */
void validate_keep(struct validator *validator);

/* ---- validate_live.c */

/* Opens the file of events: an exit code. */
int validate_live_begin(struct validate_live *live, const char *events_path, bool quiet);
void validate_live_plan(struct validator *validator, const struct validate_step *const *step, unsigned steps);
void validate_live_step(struct validator *validator, unsigned index, const char *state, const char *reason);
void validate_live_value(struct validator *validator, const struct pb_item_value *value);
/* share: of the present step, 0..1. */
void validate_live_progress(struct validator *validator, double share);
void validate_live_end(struct validator *validator);
/* Removes the bar, so that a line can be printed. */
void validate_live_clear(struct validate_live *live);
int validate_live_close(struct validate_live *live);

#endif
