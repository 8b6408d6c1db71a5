/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program of a user of the library: the worked example on paper, and one run on the simulated bench. */
#include <phasebench/network.h>
#include <phasebench/run.h>

#include <stdio.h>
#include <string.h>

static const char text[] = "cube: {dims: 3}\nnodes:\n  - {address: 5}\ntraffic:\n  - {from: 5, to: 2}\n";

int main(void)
{
    const struct pb_network cube = pb_network_cube(12);
    struct pb_route route;
    struct pb_scenario *scenario;
    struct pb_result *result;
    struct pb_diag diag;
    const struct pb_run_options options = {.rig_url = "sim:"};

    pb_route_lone(&route, &cube, PB_RULE_ECUBE, 0x2A3, 0x91C, 0);
    if (pb_scenario_parse(&scenario, "inline", text, strlen(text), &diag) ||
        pb_run(&result, scenario, &options, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    printf("%u hops, %u of %u phases; %s\n", route.hops, route.latency_phases,
           pb_bound_lone_phases(&cube, PB_RULE_ECUBE, false), pb_verdict_name(result->verdict));
    pb_result_free(result);
    pb_scenario_free(scenario);
    return 0;
}
