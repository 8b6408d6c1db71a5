/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the oscillator of an open core against a reference (docs/use/cal.md). The phase clock of the core
 * must be stopped; the function discards events that wait in the core.
 */
#ifndef PHASEBENCH_CAL_SESSION_H
#define PHASEBENCH_CAL_SESSION_H

#include "phasebench/api.h"
#include "phasebench/calibration.h"
#include "phasebench/device.h"
#include "phasebench/scenario.h"

#include <signal.h>

PB_API_BEGIN

enum pb_cal_reference {
    PB_CAL_HOST,  /* the clock of this computer */
    PB_CAL_CLOCK, /* a signal on TDMA_CLK */
    PB_CAL_PPS    /* one on a link, by its falling edges */
};

struct pb_cal_options {
    enum pb_cal_reference reference;
    double hz;                /* of the signal */
    unsigned link;            /* of PB_CAL_PPS */
    uint64_t for_s;           /* how long to measure */
    unsigned timeout_s;       /* limit of wall time */
    bool reference_given;     /* the next one is, else that of the host is taken by its state */
    double reference_u95_ppb; /* of the reference; 0: a signal without error */
    const volatile sig_atomic_t *stop; /* non-zero: PB_ERR_INTERRUPTED; NULL: never */
};

/* A scenario for a simulated rig, whose controller makes a signal of this rate on TDMA_CLK, with jitter as
 * any real one has: it sweeps the step of the stamps. Returns as pb_scenario_parse. */
int pb_cal_scenario(struct pb_scenario **out, double hz, uint64_t seed, struct pb_diag *diag);

/* Fills *fit, and the words for the reference. The core follows an external clock from then on. Blocks for
 * for_s or longer. PB_ERR_CONFIG: the reference is none (fewer edges or reads than a fit needs, another rate,
 * a clock that was set); PB_ERR_ARGUMENT: the core has no such link; PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT,
 * PB_ERR_MEMORY; else as pb_device_poll. */
int pb_cal_measure(struct pb_calibration_fit *fit, char reference[PB_CALIBRATION_TEXT_SIZE],
                   struct pb_device *device, const struct pb_cal_options *options, struct pb_diag *diag);

PB_API_END

#endif
