/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Benchmark of a machine of firmware images, against the same machine of native nodes at their pins. Both
 * are run in turn, and the better of two counts. Usage: mcu_machine JSON-FILE PART IMAGE. */
#include "bench/perf/figures.h"
#include "bench/perf/machine.h"

#include <stdio.h>

enum { ROUNDS = 2 };
enum { WIRE, IMAGE };

int main(int argc, char **argv)
{
    double best[] = {[WIRE] = 0, [IMAGE] = 0};
    char id[64];

    if (argc != 4)
        perf_die("usage: mcu_machine JSON-FILE PART IMAGE");
    figures_open(argv[1], "a");
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned k = WIRE; k <= IMAGE; k++) {
            const double rate =
                perf_machine(k == WIRE ? PB_ENGINE_WIRE : PB_ENGINE_IMAGE, k == WIRE ? NULL : argv[3], 2);
            best[k] = rate > best[k] ? rate : best[k];
        }
    printf("\nA machine of 4,096 nodes at full load, with %s\n", argv[3]);
    snprintf(id, sizeof id, "mcu.%s_machine", argv[2]);
    figure(id, "engine image, seconds a superframe (at most 0.8 are wanted)", 1 / best[IMAGE], "s");
    snprintf(id, sizeof id, "mcu.%s_machine_ratio", argv[2]);
    figure(id, "engine wire against engine image", best[WIRE] / best[IMAGE], "times");
    return figures_close();
}
