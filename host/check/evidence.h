/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Evidence of each node under test. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_EVIDENCE_H
#define PHASEBENCH_CHECK_EVIDENCE_H

#include "host/check/counters.h"
#include "host/check/findings.h"
#include "host/check/loss.h"
#include "host/check/schedule.h"

/* Observations of each node on its lines. Empty: all zero, except the borrowed members. */
struct pb_evidence_seen {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_marks *marks;
    const struct pb_schedule *schedule;
    const struct pb_loss *loss;
    struct pb_check_output *out;
    int64_t least[PB_SCENARIO_NODES_MAX][PB_COUNTERS]; /* as pb_model_counts, at the end of the run */
    int64_t most[PB_SCENARIO_NODES_MAX][PB_COUNTERS];
    bool transmits[PB_SCENARIO_NODES_MAX]; /* something was seen where it sends */
    /* Correct frames that it sent, and received, whose last stop bit the next edge may have met. */
    uint64_t tight_sent[PB_SCENARIO_NODES_MAX], tight_received[PB_SCENARIO_NODES_MAX];
};

/* Makes the rows of the nodes from what they answered. Before the first slot. */
void pb_evidence_begin(struct pb_check_output *out);
/* A slot with a transmission, expected or seen. */
void pb_evidence_take(struct pb_evidence_seen *evidence, const struct pb_hop_row *hop);
/* Writes the evidence of each node so far, and its name, into the rows of a result. */
void pb_evidence_so_far(const struct pb_evidence_seen *evidence, struct pb_result *result);
/* Judges identities and counters, and writes the rows as pb_evidence_so_far. After all other findings. */
void pb_evidence_finish(struct pb_evidence_seen *evidence);
/* Returns the first key of an answer to I that is incorrect, missing or repeated; NULL: none. address: the
 * one that the node must report. */
const char *pb_identity_flaw(const char *answer, const struct pb_scenario *scenario,
                             const struct pb_scenario_node *node, uint32_t address);
/* Returns the value of a key of "+X key=value key=value", a hexadecimal number of up to eight digits. -1: the
 * key does not occur exactly once, or is no such number. */
int64_t pb_answer_number(const char *answer, const char *key);
/* Adds a clause to what could not be checked about a node. */
void pb_not_checked(struct pb_node_row *row, const char *what);
/* Whether some node has no evidence of its own; then *reason is a sentence that names it and the remedy. */
bool pb_evidence_lacks(char *reason, size_t size, const struct pb_result *result);

/* Adds a finding for each node that a program of its own ended, placed by the edges that the node had seen.
 * No injected fault explains it. */
void pb_judge_troubles(struct pb_check_output *out, const struct pb_marks *marks);
/* Takes the figures of the nodes' processors as measurements, without limits. */
void pb_measure_processors(struct pb_check_output *out);

#endif
