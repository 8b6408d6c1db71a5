/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * When each message arrives, and whether the lines of the rig showed it on its way. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_DELIVERY_H
#define PHASEBENCH_CHECK_DELIVERY_H

#include <stddef.h>

struct pb_checker;

/* Crossings and arrivals of the schedule that were judged. */
struct pb_deliveries {
    size_t crossings, arrivals;
};

void pb_deliveries_advance(struct pb_checker *checker); /* as far as the lines are judged */
void pb_deliveries_end(struct pb_checker *checker);

#endif
