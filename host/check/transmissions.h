/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Puts the transmissions of all lines into one order of time. The slots of the lines end at different times
 * while a fault sets the clock of the bench apart from that of the nodes, so a transmission is held until no
 * earlier one can come: for a phase, as a rule.
 */
#ifndef PB_CHECK_TRANSMISSIONS_H
#define PB_CHECK_TRANSMISSIONS_H

#include "host/check/slot.h"
#include "phasebench/transmission.h"

struct pb_checker;

struct pb_transmissions {
    struct pb_transmission_sink sink;
    struct pb_transmission *held; /* owned */
    size_t count, capacity;
};

/* What a slot shows that was judged. hop: its row. */
void pb_transmissions_take(struct pb_checker *checker, const struct pb_line_slot *slot,
                           const struct pb_hop_row *hop);
/* No transmission comes any more that began before this tick: hands over those that did. */
void pb_transmissions_pass(struct pb_checker *checker, uint64_t tick);
void pb_transmissions_free(struct pb_transmissions *transmissions);

#endif
