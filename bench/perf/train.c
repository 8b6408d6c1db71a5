/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The run that gives the plain model its profile (mk/train.mk): a native node at full load, then one with
 * hardly any traffic, on a core of 48 MHz. Fails when a run does not pass. */
#include "bench/perf/perf.h"

int main(void)
{
    static const uint32_t address[] = {0x2A3};
    struct perf_load load = {
        .kind = "native", .address = address, .nodes = 1, .phase_rate_hz = 10000, .superframes = 4};
    perf_session(&load, PERF_NO_TRACE, NULL);
    load.sparse = true;
    perf_session(&load, PERF_NO_TRACE, NULL);
    return 0;
}
