/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/run.h"
#include "host/check/check.h"
#include "host/run/session.h"
#include "host/run/trace.h"

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
    result->dims = scenario->dims;
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

/* The run is repeated from the same seed with tracing switched on around the first failure. */
static void trace_failure(struct pb_result *result, const struct pb_scenario *scenario,
                          const struct pb_run_options *options)
{
    struct pb_trace_plan plan;
    if (!pb_trace_plan(&plan, result, scenario, options))
        return;
    FILE *probe = fopen(options->trace_path, "wb");
    if (!probe)
        return; /* no trace is no reason to lose a verdict; the report shows none */
    fclose(probe);
    const struct pb_rig_options rig = {
        .url = plan.rig_url,
        .trace_path = options->trace_path,
        .trace_from_ps = plan.at_ps - 2 * result->phase_ps,
        .trace_to_ps = plan.at_ps + 2 * result->phase_ps,
    };
    struct pb_run_options quiet = *options;
    struct pb_observation again;
    quiet.progress = NULL;
    quiet.on_events = NULL;
    quiet.recorder = NULL;
    if (pb_session_play(&again, scenario, &quiet, &rig, NULL) == PB_OK)
        snprintf(result->trace_path, sizeof result->trace_path, "%s", options->trace_path);
    pb_observation_free(&again);
}

int pb_run(struct pb_result **out, const struct pb_scenario *scenario, const struct pb_run_options *options,
           struct pb_diag *diag)
{
    const struct pb_rig_options rig = {
        .url = options->rig_url, .recorder = options->recorder, .stop = options->stop};
    const int64_t started_ns = now_ns();
    struct pb_observation observation;
    *out = NULL;
    struct pb_result *result = calloc(1, sizeof *result);
    if (!result)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the result");
    describe(result, scenario, options);
    int code = pb_session_play(&observation, scenario, options, &rig, diag);
    if (!code) {
        result->simulated_ps = observation.simulated_ps < 0 ? 0 : observation.simulated_ps;
        describe_environment(result, &observation);
        code = pb_check(result, scenario, &observation);
        if (code)
            pb_fail(diag, code, "no memory to judge %zu events", observation.events.count);
    }
    pb_observation_free(&observation);
    if (code) {
        pb_result_free(result);
        return code;
    }
    trace_failure(result, scenario, options);
    result->wall_ns = now_ns() - started_ns;
    *out = result;
    return PB_OK;
}
