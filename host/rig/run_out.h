/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a server does with a core whose host has gone: simulated time runs on until the core has made itself
 * safe, and a sentence says how long that took.
 */
#ifndef PHASEBENCH_RUN_OUT_H
#define PHASEBENCH_RUN_OUT_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_OUT_SENTENCE 160

struct run_out {
    int64_t phase_ps; /* of the scenario: how long the pins rest while the clock runs */
    int64_t gone_ps;  /* since when no host is there */
    bool told;        /* nothing is left to be done */
};

void run_out_begin(struct run_out *run_out, int64_t now_ps);
/* After a step of time. active_ps: when the core last drove a pin. True, once: the sentence is to be said,
 * and time may stand. */
bool run_out_told(struct run_out *run_out, int64_t now_ps, int64_t active_ps,
                  char sentence[RUN_OUT_SENTENCE]);

#endif
