/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/run.h"
#include "host/base/monotonic.h"
#include "host/check/check.h"
#include "host/run/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define SO_FAR_NS INT64_C(5000000000)

static void describe(struct pb_result *result, const struct pb_scenario *scenario,
                     const struct pb_run_options *options)
{
    time_t now = time(NULL);
    struct tm utc;
    snprintf(result->scenario, sizeof result->scenario, "%s", scenario->name);
    snprintf(result->scenario_path, sizeof result->scenario_path, "%s", scenario->path);
    snprintf(result->rig, sizeof result->rig, "%s", options->rig_url ? options->rig_url : "sim:");
    if (options->command)
        snprintf(result->command, sizeof result->command, "%s", options->command);
    else
        snprintf(result->command, sizeof result->command, "phasebench run %s --rig %s --seed %" PRIu64,
                 scenario->path, result->rig, scenario->seed);
    result->seed = scenario->seed;
    result->network = scenario->network;
    pb_network_name(&scenario->network, result->network_name);
    result->rule = scenario->rule;
    snprintf(result->codec, sizeof result->codec, "%s", pb_codec_name(scenario->codec));
    result->phase_rate_mhz = scenario->phase_rate_mhz;
    result->baud_hz = scenario->baud_hz;
    result->guard_ps = scenario->guard_ps;
    result->head_guard_ps = scenario->head_guard_ps;
    result->superframes = scenario->superframes;
    snprintf(result->rest, sizeof result->rest, "%s", scenario->reacts ? "reacts" : "ideal");
    result->payload_bytes = scenario->payload_bytes;
    result->frame_bytes = scenario->frame_bytes;
    if (gmtime_r(&now, &utc))
        strftime(result->started_utc, sizeof result->started_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void describe_environment(struct pb_result *result, const struct pb_observation *observation)
{
    struct utsname host = {0};
    uname(&host);
    snprintf(result->environment, sizeof result->environment,
             "phasebench=%s; compiler=%s; system=%.40s %.60s %.40s; core=%u links, %u lanes, %u node ports, "
             "%" PRIu32 " Hz; map=0x%08" PRIx32 "; link=%" PRIu64 " bytes in, %" PRIu64 " out, %" PRIu64
             " bad packets, %" PRIu64 " retries",
             PB_VERSION, PB_CC, host.sysname, host.release, host.machine, observation->info.links,
             observation->info.lanes, observation->info.nodes, observation->info.clock_hz,
             observation->info.map_hash, observation->counters.bytes_in, observation->counters.bytes_out,
             observation->counters.packets_bad, observation->counters.retries);
    const size_t size = sizeof result->environment;
    size_t at = strlen(result->environment);
    if (observation->overruns >= 0)
        snprintf(result->environment + at, size - at, ", %" PRId64 " chip overruns", observation->overruns);
    if (observation->calibration) {
        char text[PB_CALIBRATION_LINE_SIZE];
        at = strlen(result->environment);
        snprintf(result->environment + at, size - at, "; calibration=%s",
                 pb_calibration_line(observation->calibration, text));
    }
    const char *last = NULL;
    for (unsigned i = 0; i < PB_SCENARIO_NODES_MAX; i++) {
        const char *processor = observation->figured >> i & 1 ? observation->figures[i].processor : last;
        at = strlen(result->environment);
        if (processor != last)
            snprintf(result->environment + at, size - at, "; processor=%s", processor);
        last = processor;
    }
}

/* A run while it is judged. */
struct judging {
    struct pb_result *result; /* owned */
    const struct pb_scenario *scenario;
    const struct pb_run_options *options;
    const struct pb_observation *observation;
    struct pb_expectation expectation;
    struct pb_checker *check; /* owned; NULL: the clock was not started */
    int64_t started_ns, so_far_ns;
};

static void describe_rig(struct pb_result *result, const struct judging *judging)
{
    const struct pb_observation *observation = judging->observation;
    result->core_clock_hz = observation->info.clock_hz;
    result->simulated_ps = observation->simulated_ps < 0 ? 0 : observation->simulated_ps;
    result->wall_ns = pb_monotonic_ns() - judging->started_ns;
    describe_environment(result, observation);
}

static int begin(void *context, const struct pb_observation *observation, struct pb_movement *movement)
{
    struct judging *judging = context;
    judging->so_far_ns = pb_monotonic_ns() + SO_FAR_NS;
    const int code = pb_check_open(&judging->check, judging->result, judging->scenario, &judging->expectation,
                                   observation, movement);
    if (!code)
        pb_check_watch(judging->check, &judging->options->samples);
    if (!code)
        pb_check_watch_lines(judging->check, &judging->options->transmissions);
    return code;
}

static int report_so_far(struct judging *judging)
{
    struct pb_result *so_far;
    char why[80];
    snprintf(why, sizeof why, "the run of %" PRIu32 " superframes still goes on",
             judging->scenario->superframes);
    const int code = pb_check_so_far(judging->check, why, &so_far);
    if (code)
        return code;
    describe_rig(so_far, judging);
    judging->options->so_far(judging->options->context, so_far);
    judging->so_far_ns = pb_monotonic_ns() + SO_FAR_NS;
    return PB_OK;
}

static int take(void *context, const struct pb_event *event, size_t count)
{
    struct judging *judging = context;
    const int code = pb_check_push(judging->check, event, count);
    return code || !judging->options->so_far || pb_monotonic_ns() < judging->so_far_ns
               ? code
               : report_so_far(judging);
}

static uint64_t typed_done(void *context)
{
    const struct judging *judging = context;
    return pb_check_typed_done(judging->check);
}

static int new_result(struct judging *judging)
{
    judging->result = calloc(1, sizeof *judging->result);
    if (!judging->result)
        return PB_ERR_MEMORY;
    describe(judging->result, judging->scenario, judging->options);
    return PB_OK;
}

/* An error before a phase was over, or one of usage, leaves nothing to judge. */
static int conclude(struct judging *judging, int code, const struct pb_diag *diag)
{
    const bool none = !judging->check || (code && !*judging->observation->cut);
    int unjudged = judging->check ? pb_check_close(judging->check) : PB_OK;
    if (none) {
        pb_result_free(judging->result);
        unjudged = new_result(judging);
    }
    if (!unjudged && none)
        unjudged = pb_check_none(judging->result, judging->scenario, diag->text);
    if (!unjudged)
        describe_rig(judging->result, judging);
    return unjudged;
}

unsigned pb_run_timeout_s(const struct pb_scenario *scenario)
{
    const uint64_t phases = (uint64_t)scenario->superframes * scenario->network.phases,
                   limit_s = PB_RUN_TIMEOUT_S + 2 * (phases * 1000 / scenario->phase_rate_mhz);
    return limit_s < PB_RUN_TIMEOUT_MAX_S ? (unsigned)limit_s : PB_RUN_TIMEOUT_MAX_S;
}

int pb_run_none(struct pb_result **out, const struct pb_scenario *scenario,
                const struct pb_run_options *options, const char *why)
{
    const struct pb_observation nothing = {.simulated_ps = -1, .overruns = -1};
    struct judging judging = {
        .scenario = scenario, .options = options, .observation = &nothing, .started_ns = pb_monotonic_ns()};
    struct pb_diag reason;
    pb_fail(&reason, PB_ERR_IO, "%s", why);
    int code = new_result(&judging);
    if (!code)
        code = conclude(&judging, PB_ERR_IO, &reason);
    if (code)
        pb_result_free(judging.result);
    *out = code ? NULL : judging.result;
    return code;
}

int pb_run(struct pb_result **out, const struct pb_scenario *scenario, const struct pb_run_options *options,
           struct pb_diag *diag)
{
    const struct pb_rig_options rig = {
        .url = options->rig_url, .recorder = options->recorder, .stop = options->stop,
        .watch = options->watch};
    struct pb_observation observation = {.simulated_ps = -1, .overruns = -1};
    struct judging judging = {.scenario = scenario,
                              .options = options,
                              .observation = &observation,
                              .started_ns = pb_monotonic_ns()};
    const struct pb_event_sink sink = {begin, take, typed_done, &judging};
    struct pb_diag own = {""};
    diag = diag ? diag : &own;
    *out = NULL;
    /* Before the board is armed: its watchdog would not wait for the expectation of a large network. */
    if (new_result(&judging) || pb_expect(&judging.expectation, judging.result, scenario)) {
        pb_result_free(judging.result);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the result");
    }
    const int code = options->stop && *options->stop
                         ? pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted before the run began")
                         : pb_session_play(&observation, scenario, options, &rig, &sink, diag);
    const int unjudged = conclude(&judging, code, diag);
    pb_observation_free(&observation);
    if (unjudged) {
        pb_result_free(judging.result);
        return code ? code
                    : pb_fail(diag, unjudged, "no memory to judge %" PRIu64 " events",
                              observation.events_before);
    }
    *out = judging.result;
    return code;
}
