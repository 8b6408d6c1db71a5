/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/host_loss.h"

#include <stdio.h>

#define PS_PER_MS INT64_C(1000000000)

enum {
    AFTER_MS = 5000, /* simulated time for the core to enter the safe state: longer than its largest
                        watchdog time */
    QUIET_MS = 10    /* plus two phases, without a change: the clock is stopped */
};

void host_loss_begin(struct host_loss *host_loss, int64_t now_ps)
{
    host_loss->gone_ps = now_ps;
    host_loss->reported = false;
}

bool host_loss_report(struct host_loss *host_loss, int64_t now_ps, int64_t active_ps,
                      char sentence[HOST_LOSS_SENTENCE])
{
    const int64_t gone_ps = host_loss->gone_ps, since_ps = active_ps > gone_ps ? active_ps : gone_ps;
    if (host_loss->reported || (now_ps - gone_ps < AFTER_MS * PS_PER_MS &&
                          now_ps - since_ps < QUIET_MS * PS_PER_MS + 2 * host_loss->phase_ps))
        return false;
    host_loss->reported = true;
    if (active_ps <= gone_ps)
        snprintf(sentence, HOST_LOSS_SENTENCE, "all lines were released and the clock was stopped");
    else if (active_ps < now_ps)
        snprintf(sentence, HOST_LOSS_SENTENCE,
                 "the core released all lines and stopped the clock %.1f ms (simulated) later",
                 (double)(active_ps - gone_ps) / (double)PS_PER_MS);
    else
        snprintf(sentence, HOST_LOSS_SENTENCE, "the core still drives its pins after %d ms (simulated)",
                 AFTER_MS);
    return true;
}
