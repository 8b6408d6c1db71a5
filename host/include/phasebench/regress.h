/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A regression: one node through all cases of the contract, as a suite. docs/use/regress.md describes them.
 */
#ifndef PHASEBENCH_REGRESS_H
#define PHASEBENCH_REGRESS_H

#include "phasebench/api.h"
#include "phasebench/suite_run.h"

PB_API_BEGIN

/* What is tested. */
#define PB_TARGET_KIND_SIZE 4200
struct pb_target {
    char kind[PB_TARGET_KIND_SIZE]; /* of the scenario's node: "native", "exec:COMMAND" */
    char why[2048]; /* after an error in full what the diagnostic says */
};

/* Recognises a target: a kind of node, with what follows its colon; or the path of a file, by its content: a
 * program for this computer and a script with #! become exec:, a shared library so:, a firmware image elf:.
 * PB_ERR_CONFIG: none of these; PB_ERR_ARGUMENT: too long. */
int pb_target_read(struct pb_target *target, const char *text, struct pb_diag *diag);

/* What all cases share. */
struct pb_regress_node {
    const char *kind;        /* of the scenario's node */
    const char *folder;      /* of its process; NULL: no such key */
    const char *defect;      /* NULL: none */
    const char *keys, *link; /* more keys of the node and of `link`, as YAML: "baud: 2 Mbaud"; NULL: none */
    const char *rule;        /* routing rule, except for rule-*; NULL: the default */
    unsigned dims;
    uint32_t address; /* below 2^dims */
    bool mute;        /* it has no console: it sends no messages of its own */
    unsigned room;    /* messages that it holds: also make the case that exceeds it; 0: not made */
    uint64_t soak;    /* messages of the case `soak`; 0: not made */
};

/* An address for a cube of `dims` dimensions: where it can be, with two zeros side by side, so that a
 * message can come in one phase and leave in the next (F1). */
uint32_t pb_regress_address(unsigned dims);

/* Name and purpose of each kind of case, from index 0 on; NULL: there are no more. */
const char *pb_regress_case_name(size_t index);
const char *pb_regress_case_purpose(size_t index);

#define PB_REGRESS_SEEDS_MAX 200u
struct pb_regress_options {
    struct pb_regress_node node;
    bool overflow;           /* node.room is that of the contract, or of its key room */
    const char *only, *skip; /* names of cases, separated by commas, with * and ?; NULL: all, none */
    unsigned seeds;          /* of each case; 0: one */
    uint64_t seed;           /* the first of them */
    const char *folder;      /* of the paths of the scenarios, which are FOLDER/NAME.yaml */
    /* How many cases were chosen, before a rig is asked for anything; NULL: not called. As of an observer. */
    int (*chosen)(void *context, size_t cases, struct pb_diag *diag);
    /* Each case that will run, as the text of a scenario; NULL: not called. */
    int (*scenario)(void *context, const char *path, const char *text, struct pb_diag *diag);
    void *context;                 /* of both */
    struct pb_suite_options suite; /* entry, count, also, and the seed of overrides are not used */
};

/* PB_ERR_ARGUMENT: a pattern that no case has. what: how the message calls the list, as "--only". */
int pb_regress_check_names(const char *what, const char *names, struct pb_diag *diag);

/* Makes the cases and runs them. A case of another configuration is skipped when the node refuses it. Returns
 * as pb_suite_run; also PB_ERR_ARGUMENT when no case is left, and the code of a rig that refuses what all
 * cases share. */
int pb_regress(struct pb_suite_results **out, const struct pb_procedure *procedure,
               const struct pb_regress_options *options, struct pb_diag *diag);

PB_API_END

#endif
