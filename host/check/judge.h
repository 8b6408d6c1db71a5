/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges a slot: adds findings, measurements and a row of the transmission. Private to host/check.
 */
#ifndef PHASEBENCH_CHECK_JUDGE_H
#define PHASEBENCH_CHECK_JUDGE_H

#include "host/check/before.h"
#include "host/check/evidence.h"
#include "host/check/model.h"
#include "host/check/transmissions.h"

struct pb_judge {
    const struct pb_check_run *run; /* borrowed, as are: */
    const struct pb_early *early;
    const struct pb_frames *frames; /* what is due */
    const struct pb_known *known;
    struct pb_evidence_seen *evidence; /* gets each row */
    struct pb_check_output *out;
    struct pb_transmissions transmissions;
    struct pb_hop_row spare; /* rows beyond the space of the result are counted, and written here */
};

/* True: the line did just what was expected. */
bool pb_judge_slot(struct pb_judge *judge, struct pb_line_slot *slot);

#endif
