/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How fast the check judges a long run, and in how much memory: a node of the 12-cube whose links are busy in
 * 22 of 24 phases, for EVENTS events. They are built superframe by superframe, so that the memory of this
 * process is that of the check; the time is that of the check alone. Usage: check_rate JSON-FILE EVENTS
 */
#include "bench/perf/figures.h"
#include "host/check/check.h"
#include "tests/bench/unit/sound_stream.h"

#include <inttypes.h>
#include <stdio.h>

static struct pb_scenario *make_scenario(uint32_t superframes)
{
    const uint32_t node = 0x2a3;
    char yaml[1000];
    struct pb_scenario *scenario;
    struct pb_diag diag;
    size_t at = (size_t)snprintf(yaml, sizeof yaml, "superframes: %" PRIu32 "\ntraffic:\n", superframes);
    for (unsigned d = 0; d < 11; d++)
        at += (size_t)snprintf(yaml + at, sizeof yaml - at,
                               "  - {from: 0x%X, to: 0x%X, repeat: forever}\n", node ^ 1u << d,
                               node ^ 2u << d);
    at += (size_t)snprintf(yaml + at, sizeof yaml - at, "nodes: [{address: 0x%X, kind: ref}]\n", node);
    if (pb_scenario_parse(&scenario, "check_rate", yaml, at, &diag))
        perf_die("%s", diag.text);
    return scenario;
}

/* Superframes that make `events` events, or a few more. */
static uint32_t superframes_of(uint64_t events)
{
    struct pb_scenario *scenario = make_scenario(16);
    struct sound_stream stream;
    uint64_t made = 0;
    if (sound_stream_open(&stream, scenario))
        perf_die("no memory for the stream");
    for (uint32_t i = 0; i < 16; i++) {
        if (sound_stream_next(&stream, i))
            perf_die("no memory for the stream");
        made += stream.pins.events.count;
    }
    sound_stream_close(&stream);
    pb_scenario_free(scenario);
    return (uint32_t)(events * 16 / made * 51 / 50) + 1;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        perf_die("usage: check_rate JSON-FILE EVENTS");
    figures_open(argv[1], "a");
    struct pb_scenario *scenario = make_scenario(superframes_of(strtoull(argv[2], NULL, 10)));
    struct sound_stream stream;
    struct pb_checker *check;
    struct pb_result *result = calloc(1, sizeof *result);
    if (!result || sound_stream_open(&stream, scenario))
        perf_die("no memory for the stream");
    const struct pb_observation seen = pin_observation(scenario);
    result->network = scenario->network;
    int64_t spent_ns = -perf_cpu_ns();
    struct pb_expectation expectation;
    if (pb_expect(&expectation, result, scenario) ||
        pb_check_open(&check, result, scenario, &expectation, &seen, NULL))
        perf_die("no memory for the check");
    spent_ns += perf_cpu_ns();
    const int64_t opened_ns = spent_ns;
    uint64_t events = 0;
    for (uint32_t i = 0; i < scenario->superframes; i++) {
        if (sound_stream_next(&stream, i))
            perf_die("no memory for the stream");
        events += stream.pins.events.count;
        spent_ns -= perf_cpu_ns();
        if (pb_check_push(check, stream.pins.events.event, stream.pins.events.count))
            perf_die("no memory for the check");
        spent_ns += perf_cpu_ns();
    }
    spent_ns -= perf_cpu_ns();
    if (pb_check_close(check))
        perf_die("no memory for the check");
    spent_ns += perf_cpu_ns();
    if (result->verdict != PB_VERDICT_PASS)
        perf_die("a sound stream: %s", result->reason);
    const double rate = (double)events * 1e3 / (double)(spent_ns - opened_ns);
    printf("\ncheck of a stream, %" PRIu32 " superframes, %" PRIu64 " events\n", scenario->superframes,
           events);
    figure("check.rate", "events judged a second", rate, "M/s");
    figure("check.memory", "peak of the memory, with the generator", perf_peak_mb(), "MB");
    pb_result_free(result);
    sound_stream_close(&stream);
    pb_scenario_free(scenario);
    return figures_close();
}
