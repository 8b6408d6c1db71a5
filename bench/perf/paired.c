/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One run of a native node at full load on a core of 48 MHz, then its check. Prints superframes for each
 * second of CPU time. paired.sh builds it with the library of this tree and with that of another commit.
 * Usage: paired SUPERFRAMES */
#include "bench/perf/perf.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const uint32_t address[] = {0x2A3};
    const int superframes = argc == 2 ? atoi(argv[1]) : 0;
    if (superframes < 2)
        perf_die("usage: paired SUPERFRAMES, at least 2");
    const struct perf_load load = {.kind = "native",
                                   .address = address,
                                   .nodes = 1,
                                   .phase_rate_hz = 10000,
                                   .superframes = (uint32_t)superframes};
    const struct perf_session session = perf_session(&load, PERF_NO_TRACE, NULL);
    printf("%.3f\n", session.superframes * 1e9 / (double)(session.play.cpu_ns + session.check_cpu_ns));
    return 0;
}
