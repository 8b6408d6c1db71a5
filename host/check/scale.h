/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units and limits of the stamps of a run. Private to host/check.
 */
#ifndef PHASEBENCH_SCALE_H
#define PHASEBENCH_SCALE_H

#include <stdint.h>

#define PB_PS_PER_S INT64_C(1000000000000)
#define PB_LINKS_MAX 64
#define PB_ALARM_LATE_TICKS 64 /* a stamp of an alarm may be so late */

/* What stays the same throughout a run; check.c. */
struct pb_scale {
    uint32_t bit_period_q4;
    int32_t baud_limit_ppm;
    int64_t fall_rest_ps, rise_rest_ps; /* U95 of an instant but for the step of its stamp */
    int64_t superframe_ps;
    uint64_t ticks_max; /* of a stamp: 46 days, so that sums of a few such times stay within an int64 */
    uint64_t ps_num, ps_den, exact_ticks; /* pb_ticks_to_ps: ps in a tick, and where that product ends */
};

#endif
