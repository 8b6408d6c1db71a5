/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The test of the bench itself, in steps, each of which relies only on those before it.
 */
#ifndef PHASEBENCH_SELFTEST_H
#define PHASEBENCH_SELFTEST_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/procedure.h"
#include "phasebench/record.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stdint.h>

PB_API_BEGIN

enum pb_selftest_state {
    PB_SELFTEST_PASS,
    PB_SELFTEST_FAIL,
    PB_SELFTEST_SKIP /* a step before it failed */
};
const char *pb_selftest_state_name(enum pb_selftest_state state); /* "pass", "fail", "skip" */

/* identify, registers, clock, loopback, console */
#define PB_SELFTEST_STEPS 5

struct pb_selftest {
    struct pb_selftest_step {
        const char *name; /* static */
        enum pb_selftest_state state;
        struct pb_diag detail; /* what was found, or why it failed or was not tried: one sentence */
        int64_t wall_ns;
    } step[PB_SELFTEST_STEPS];
    /* 0: all steps pass. Else the code of the step that failed, PB_ERR_NODE only if a node did not answer; or
     * PB_ERR_INTERRUPTED. */
    int code;
};

struct pb_selftest_options {
    /* The nodes of a simulated rig; on any rig how many there are, and the bit rate of their consoles. */
    const struct pb_scenario *scenario;
    bool external_clock; /* a controller drives TDMA_CLK and TDMA_SYNC, which the core then never does. One of
                            400 Hz or more is found without this. */
    struct pb_recorder *recorder; /* borrowed (record.h), and not ended; NULL: none */
};

/* Opens the rig, runs the steps and closes it: blocks for a second on a simulated rig, and on a board.
 * Returns 0 with the outcome in *out, which owns nothing; or a negative code if procedure->begin refused the
 * rig, and *out has no step. timeout_s is not used: each step has limits of its own. The nodes are in reset
 * during the middle three steps, and started at the end. */
int pb_selftest_run(struct pb_selftest *out, const struct pb_procedure *procedure,
                    const struct pb_selftest_options *options, struct pb_diag *diag);

PB_API_END

#endif
