/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/run_out.h"

#include <stdio.h>

#define PS_PER_MS INT64_C(1000000000)

enum {
    AFTER_MS = 5000, /* of simulated time that is granted to the core to make itself safe: beyond its largest
                        watchdog time */
    QUIET_MS = 10    /* and two phases, without a change: the clock stands */
};

void run_out_begin(struct run_out *run_out, int64_t now_ps)
{
    run_out->gone_ps = now_ps;
    run_out->told = false;
}

bool run_out_told(struct run_out *run_out, int64_t now_ps, int64_t active_ps, char sentence[RUN_OUT_SENTENCE])
{
    const int64_t gone_ps = run_out->gone_ps, since_ps = active_ps > gone_ps ? active_ps : gone_ps;
    if (run_out->told || (now_ps - gone_ps < AFTER_MS * PS_PER_MS &&
                          now_ps - since_ps < QUIET_MS * PS_PER_MS + 2 * run_out->phase_ps))
        return false;
    run_out->told = true;
    if (active_ps <= gone_ps)
        snprintf(sentence, RUN_OUT_SENTENCE, "all lines were released and the clock stood");
    else if (active_ps < now_ps)
        snprintf(sentence, RUN_OUT_SENTENCE,
                 "the core released all lines and stopped the clock %.1f ms (simulated) later",
                 (double)(active_ps - gone_ps) / (double)PS_PER_MS);
    else
        snprintf(sentence, RUN_OUT_SENTENCE, "the core still drives its pins after %d ms (simulated)",
                 AFTER_MS);
    return true;
}
