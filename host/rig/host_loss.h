/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loss of the host of a served core: simulated time continues until the core is in the safe state, and a
 * message reports how long that took.
 */
#ifndef PHASEBENCH_HOST_LOSS_H
#define PHASEBENCH_HOST_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_LOSS_SENTENCE 160

struct host_loss {
    int64_t phase_ps; /* of the scenario: the longest time without a change on the pins of a running clock */
    int64_t gone_ps;  /* time of the loss */
    bool reported;    /* the sentence was reported */
};

void host_loss_begin(struct host_loss *host_loss, int64_t now_ps);
/* Call after each time step. active_ps: time at which the core last drove a pin. Returns true once: report
 * the sentence; simulated time may stop. */
bool host_loss_report(struct host_loss *host_loss, int64_t now_ps, int64_t active_ps,
                  char sentence[HOST_LOSS_SENTENCE]);

#endif
