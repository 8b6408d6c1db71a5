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
 *     validate_run.c       the present run, and what is kept and drawn of it
 */
#ifndef PHASEBENCH_PROCEDURE_VALIDATE_STEPS_H
#define PHASEBENCH_PROCEDURE_VALIDATE_STEPS_H

#include "procedure.h"

#include "phasebench/jitter.h"
#include "phasebench/run.h"
#include "phasebench/validate.h"

#include <stdarg.h>
#include <stdio.h>

#define ARRAY_COUNT(array) (sizeof(array) / sizeof(array)[0])

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
    const struct pb_procedure *procedure;
    const struct pb_validate_options *options;
    const struct pb_scenario *scenario; /* those of the options */
    struct pb_scenario_texts *texts;
    struct pb_validation *validation;
    struct validate_run run;
    unsigned runs, runs_expected;    /* of the present step, for its progress */
    double done_s, whole_s;          /* cost of the steps */
    double current_s;                /* of the present step */
    bool spared[PB_STEPS_MAX];       /* steps that returned VALIDATE_SKIP */
    char reason[400];                /* of a step that ends in error, or is skipped */
    char left_out[400];              /* the first part of a step that was not run, and why; "": none */
};

/* A step returns 0: its values decide; VALIDATE_SKIP with validator->reason: the network, the node or the
 * core has nothing that it could test, and the steps that depend on it continue; or a negative code with the
 * reason: nothing is decided. PB_ERR_NODE: the node failed, for the reason; no value shows it. */
#define VALIDATE_SKIP 1

/* share: of the present step, 0..1. */
void validate_progress(struct validator *validator, double share);

/* After a part of a step: if the scenario or the core refused the part, notes it with its reason as left out
 * and returns PB_OK, so that the step continues. Else returns the code. */
int validate_leave_out(struct validator *validator, const char *part, int code);
/* Sets the reason; returns the code. */
int validate_because(struct validator *validator, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a value of the current run, named after its item, a slash and the text, if any; shows it. Has the
 * files of the run kept if the value does not pass. Returns 0 or PB_ERR_MEMORY. */
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
    bool seeded;      /* the text has a seed of its own */
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

/* ---- validate_run.c */

/* Begins the present run; takes the scenario over. */
void validate_hold(struct validator *validator, const char *name, struct pb_scenario *scenario);
/* Ends it; no effect without one. */
void validate_release(struct validator *validator);
/* Adds its result, and the jitter in the samples, to what the page draws. */
void validate_exhibit(struct validator *validator, const struct pb_jitter_collector *samples);
/* Has the observer keep it, once; no effect without an observer or a result. */
void validate_keep(struct validator *validator);

#endif
