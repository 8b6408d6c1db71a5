/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sorts the transmissions of all lines by time. The slots of the lines end at different times while a fault
 * desynchronises the clocks of bench and nodes. So a transmission is held until no earlier one can come,
 * usually for a phase.
 */
#ifndef PB_CHECK_TRANSMISSIONS_H
#define PB_CHECK_TRANSMISSIONS_H

#include "host/check/slot.h"
#include "phasebench/transmission.h"

struct pb_transmissions {
    struct pb_transmission_sink sink;
    struct pb_transmission *held; /* owned */
    size_t count, capacity;
};

/* What a slot shows that was judged. */
struct pb_shown {
    const struct pb_result *result; /* has its findings */
    const struct pb_hop_row *hop;   /* its row */
    int64_t slot_ps;                /* its beginning, from the first phase */
    bool by_bytes;                  /* its edges are rebuilt */
};
/* 0 or PB_ERR_MEMORY. */
int pb_transmissions_push(struct pb_transmissions *all, const struct pb_line_slot *slot,
                          const struct pb_shown *shown);
/* No transmission comes any more that began before this time: hands over those that did. */
void pb_transmissions_pass(struct pb_transmissions *all, int64_t limit_ps);
void pb_transmissions_free(struct pb_transmissions *transmissions);

#endif
