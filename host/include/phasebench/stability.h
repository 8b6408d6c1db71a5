/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frequency stability by deviations of the Allan family, from equidistant phase values: x[i] is the time
 * error of a clock at i tau0, in seconds or any other unit of time. Definitions: NIST SP 1065 (W. J. Riley,
 * 2008), section 5; the published tables of its section 12 are the test. Pure.
 */
#ifndef PHASEBENCH_STABILITY_H
#define PHASEBENCH_STABILITY_H

#include "phasebench/api.h"
#include "phasebench/statistics.h"

PB_API_BEGIN

/* X(name, id, text). All but TDEV are relative: phase over tau. */
#define PB_STABILITY_LIST(X)                                                                                 \
    X(ADEV, "adev", "Allan deviation")                                                                       \
    X(OADEV, "oadev", "overlapping Allan deviation")                                                         \
    X(MDEV, "mdev", "modified Allan deviation")                                                              \
    X(TDEV, "tdev", "time deviation")                                                                        \
    X(HDEV, "hdev", "Hadamard deviation")                                                                    \
    X(OHDEV, "ohdev", "overlapping Hadamard deviation")

enum pb_stability {
#define PB_STABILITY_ENUM(name, id, text) PB_STABILITY_##name,
    PB_STABILITY_LIST(PB_STABILITY_ENUM)
#undef PB_STABILITY_ENUM
        PB_STABILITIES
};
const char *pb_stability_id(enum pb_stability kind);
const char *pb_stability_text(enum pb_stability kind);

/* The deviation at tau = m tau0 from n phase values; m >= 1, tau0 > 0. *terms (may be NULL): differences in
 * the mean. NAN, and 0 terms, if n is too small for m. Time O(n). */
double pb_stability_deviation(enum pb_stability kind, const double *x, size_t n, double tau0, size_t m,
                              size_t *terms);

/* Types of noise by the power of the frequency in the spectrum of the relative frequency: 2 to -2. */
enum pb_noise {
    PB_NOISE_WHITE_PM,
    PB_NOISE_FLICKER_PM,
    PB_NOISE_WHITE_FM,
    PB_NOISE_FLICKER_FM,
    PB_NOISE_WALK_FM
};
/* Equivalent degrees of freedom of OADEV at m from n phase values, by the noise (SP 1065, section 5.4.1), for
 * pb_deviation_interval; NAN if n is too small for m. */
double pb_stability_freedom(enum pb_noise noise, size_t n, size_t m);
/* The noise whose slope of log(MDEV) over log(tau) is nearest: -3/2 white PM, -1 flicker PM, -1/2 white FM, 0
 * flicker FM, 1/2 random walk FM. */
enum pb_noise pb_noise_of_slope(double mdev_slope);
const char *pb_noise_name(enum pb_noise noise);

/* Maximum time interval error: the largest peak-to-peak phase in any window of m + 1 values (ITU-T G.810,
 * II.5). Time O(n). Returns NAN if n <= m, -1 if memory ran out. */
double pb_stability_mtie(const double *x, size_t n, size_t m);

PB_API_END

#endif
