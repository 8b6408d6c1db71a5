/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/perf/perf.h"
#include "host/check/check.h"
#include "host/run/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pb_scenario *make_scenario(const struct perf_load *load)
{
    char yaml[2000];
    struct pb_scenario *scenario;
    struct pb_diag diag;
    const unsigned repeat = load->sparse ? 1 : load->superframes - 1;
    size_t at = (size_t)snprintf(yaml, sizeof yaml,
                                 "capture: edges\nsuperframes: %u\nlink: {phase_rate: %u Hz}\ntraffic:\n",
                                 load->superframes, load->phase_rate_hz);
    for (unsigned d = 0; load->through && d < 11; d++)
        at += (size_t)snprintf(yaml + at, sizeof yaml - at, "  - {from: 0x%X, to: 0x%X, repeat: %u}\n",
                               load->address[0] ^ 1u << d, load->address[0] ^ 2u << d, repeat);
    if (!load->through)
        at +=
            (size_t)snprintf(yaml + at, sizeof yaml - at, "  - {pattern: complement, repeat: %u}\n", repeat);
    at += (size_t)snprintf(yaml + at, sizeof yaml - at, "nodes:\n");
    for (unsigned i = 0; i < load->nodes; i++)
        at += (size_t)snprintf(yaml + at, sizeof yaml - at, "  - {address: 0x%X, kind: '%s'}\n",
                               load->address[i], load->kind);
    if (pb_scenario_parse(&scenario, "perf", yaml, at, &diag))
        perf_die("%s", diag.text);
    return scenario;
}

struct perf_session perf_session(const struct perf_load *load, enum perf_trace trace, const char *trace_path)
{
    struct pb_scenario *scenario = make_scenario(load);
    const struct pb_run_options options = {.timeout_s = 3600};
    char url[64];
    snprintf(url, sizeof url, "sim:?idle=%s&clock=%s", load->every_clock ? "run" : "skip",
             load->clock        ? load->clock
             : load->nodes == 1 ? "48MHz"
                                : "24MHz");
    /* A window before power-up is never reached: the tracing model runs and writes no trace. */
    const struct pb_rig_options rig = {
        .url = url,
        .trace_path = trace == PERF_NO_TRACE ? NULL : trace_path,
        .trace_from_ps = trace == PERF_TRACE_ALL ? 0 : -2,
        .trace_to_ps = trace == PERF_TRACE_ALL ? INT64_MAX : -1,
    };
    struct pb_observation seen;
    struct pb_diag diag;
    const int64_t start_ns = perf_cpu_ns();
    if (pb_session_play(&seen, scenario, &options, &rig, NULL, &diag))
        perf_die("%s", diag.text);
    const int64_t played_ns = perf_cpu_ns();
    struct pb_result *result = calloc(1, sizeof *result);
    if (!result || pb_check(result, scenario, &seen))
        perf_die("no memory for the check");
    const int64_t checked_ns = perf_cpu_ns();
    /* Incorrect results void the benchmark. */
    if (result->verdict != PB_VERDICT_PASS)
        perf_die("%s at %u nodes: %s", load->kind, load->nodes, result->reason);
    const struct perf_session session = {
        .play = {(uint64_t)((unsigned __int128)seen.simulated_ps * seen.info.clock_hz / 1000000000000u),
                 played_ns - start_ns},
        .check_cpu_ns = checked_ns - played_ns,
        .simulated_ps = seen.simulated_ps,
        .superframes = load->superframes,
        .events = seen.events.count,
    };
    pb_result_free(result);
    pb_observation_free(&seen);
    pb_scenario_free(scenario);
    return session;
}
