/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/run.h"
#include "host/check/check.h"
#include "host/run/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

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
    const size_t at = strlen(result->environment);
    if (observation->overruns >= 0)
        snprintf(result->environment + at, sizeof result->environment - at, ", %" PRId64 " chip overruns",
                 observation->overruns);
}

/* An error before the core was reached, or one of usage, leaves nothing to judge. */
static int judge(struct pb_result *result, const struct pb_scenario *scenario,
                 struct pb_observation *observation, int code, const struct pb_diag *diag)
{
    result->core_clock_hz = observation->info.clock_hz;
    result->simulated_ps = observation->simulated_ps < 0 ? 0 : observation->simulated_ps;
    describe_environment(result, observation);
    return code && !*observation->cut ? pb_check_none(result, scenario, diag->text)
                                      : pb_check(result, scenario, observation);
}

int pb_run_none(struct pb_result **out, const struct pb_scenario *scenario,
                const struct pb_run_options *options, const char *why)
{
    struct pb_observation nothing = {.simulated_ps = -1, .overruns = -1};
    struct pb_diag reason;
    pb_fail(&reason, PB_ERR_IO, "%s", why);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return PB_ERR_MEMORY;
    describe(*out, scenario, options);
    const int code = judge(*out, scenario, &nothing, PB_ERR_IO, &reason);
    if (code) {
        pb_result_free(*out);
        *out = NULL;
    }
    return code;
}

int pb_run(struct pb_result **out, const struct pb_scenario *scenario, const struct pb_run_options *options,
           struct pb_diag *diag)
{
    const struct pb_rig_options rig = {
        .url = options->rig_url, .recorder = options->recorder, .stop = options->stop};
    const int64_t started_ns = now_ns();
    struct pb_observation observation = {.simulated_ps = -1, .overruns = -1};
    struct pb_diag own = {""};
    diag = diag ? diag : &own;
    *out = NULL;
    struct pb_result *result = calloc(1, sizeof *result);
    if (!result)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the result");
    describe(result, scenario, options);
    int code = options->stop && *options->stop
                   ? pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted before the run began")
                   : pb_session_play(&observation, scenario, options, &rig, diag);
    const size_t events = observation.events.count;
    const int unjudged = judge(result, scenario, &observation, code, diag);
    pb_observation_free(&observation);
    if (unjudged) {
        pb_result_free(result);
        return code ? code : pb_fail(diag, unjudged, "no memory to judge %zu events", events);
    }
    result->wall_ns = now_ns() - started_ns;
    *out = result;
    return code;
}
