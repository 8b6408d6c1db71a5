/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot budget: bytes that fit into one phase. Pure integer arithmetic (picoseconds, hertz, millihertz).
 *
 * A byte is 10 bit times (8N1). slot_bytes = floor((1/F - G) * B / 10), exact: the period 1/F is never
 * rounded, and no floating point is used.
 */
#ifndef PHASEBENCH_BUDGET_H
#define PHASEBENCH_BUDGET_H

#include "phasebench/api.h"
#include "phasebench/error.h"

#include <stdbool.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_PHASE_RATE_MIN_MHZ UINT64_C(1000)      /* 1 Hz */
#define PB_PHASE_RATE_MAX_MHZ UINT64_C(100000000) /* 100 kHz */
#define PB_BAUD_MIN_HZ UINT64_C(300)
#define PB_BAUD_MAX_HZ UINT64_C(12000000)
#define PB_GUARD_MAX_PS INT64_C(1000000000000) /* 1 s, the longest phase */
#define PB_FRAME_PART_MAX_BYTES 65535u         /* of header, check and payload, each */
#define PB_CLOCK_MAX_PPM 100000u

struct pb_budget_input {
    uint64_t phase_rate_mhz; /* phases per second, in millihertz */
    uint64_t baud_hz;
    int64_t guard_ps;       /* both guards of a phase together, 0..PB_GUARD_MAX_PS */
    unsigned header_bytes;  /* default frame: 2 */
    unsigned check_bytes;   /* default frame: 1 */
    unsigned payload_bytes; /* requested payload; 0: as many as fit, at least 1 */
    unsigned phases;        /* of a superframe, 2..PB_NETWORK_PHASES_MAX; for its length and drift */
    uint32_t clock_ppm;     /* clock error of a node, either sign */
};

struct pb_budget {
    int64_t phase_ps, superframe_ps; /* rounded down */
    uint64_t slot_bits;     /* whole bit times between the guards; 0 if the guards fill the phase */
    uint32_t slot_bytes;    /* whole bytes between the guards */
    uint32_t payload_bytes; /* slot_bytes - header - check, 0 if they do not fit */
    int64_t slack_ps;       /* time left between the guards after slot_bytes, rounded down */
    int64_t byte_ps;        /* rounded down */
    bool fits;              /* payload_bytes >= max(1, requested) */

    /* Limit of each single setting, the others unchanged, at which max(1, requested) bytes of payload still
     * fit. Always inside the range of the setting; 0 (guard: -1): no value in the range fits. */
    uint64_t phase_rate_limit_mhz; /* at most this phase rate */
    uint64_t baud_limit_hz;        /* at least this baud */
    int64_t guard_limit_ps;        /* at most this guard */

    /* Two nodes whose clocks err by clock_ppm in opposite directions; rounded down. */
    int64_t drift_per_superframe_ps; /* between their free-running phase counters */
    int64_t stop_bit_shift_ps; /* of the sampling point in the middle of a byte's stop bit, 9.5 bits after
                                  the start edge; half a bit time is fatal */
};

/* Fills *budget. Returns 0 or PB_ERR_ARGUMENT (an input is out of range; the diagnostic names it). A payload
 * that does not fit is no error: see `fits`. */
int pb_budget(const struct pb_budget_input *input, struct pb_budget *budget, struct pb_diag *diag);

PB_API_END

#endif
