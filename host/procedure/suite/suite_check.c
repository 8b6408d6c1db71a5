/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario without a run: planned for a rig.
 */
#include "phasebench/suite_run.h"

#include "host/base/monotonic.h"
#include "host/plan/event_load.h"
#include "host/plan/node_map.h"
#include "host/plan/plan.h"
#include "host/procedure/procedure.h"
#include "host/scenario/movement.h"

#include "phasebench/device.h"
#include "phasebench/event.h"
#include "phasebench/rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { WARNINGS_MAX = 20, RATE_POLL_MS = 5, BITS_PER_BYTE = 10 };
#define RATE_NS INT64_C(100000000)          /* wall time of the rate measurement */
#define CLOCKS_PER_S_MAX INT64_C(200000000) /* above any simulation */
#define PS_PER_S INT64_C(1000000000000)

/* ---- warnings about one scenario */

struct findings {
    const struct pb_procedure *procedure;
    const struct pb_scenario *scenario;
    void (*take)(void *context, const char *sentence);
    void *context;
    unsigned warnings;
};

static void warn(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct findings *findings, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (++findings->warnings > WARNINGS_MAX)
        return;
    findings->take(findings->context, sentence);
}

/* Traffic on the lines of the rig. */
struct traffic {
    const struct pb_scenario *scenario;
    uint64_t crossings[PB_SCENARIO_NODES_MAX]; /* of each node */
    uint64_t busy_phases;                      /* with a frame on a line */
    uint64_t last;                             /* last busy phase, counted from 1 */
};

static void take_crossing(struct traffic *traffic, const struct pb_crossing *crossing)
{
    const int from = pb_scenario_node_index(traffic->scenario, crossing->from),
              to = pb_scenario_node_index(traffic->scenario, crossing->to);
    const uint64_t instant = crossing->superframe * UINT64_C(1000) + crossing->phase + 1;
    if (from >= 0)
        traffic->crossings[from]++;
    if (to >= 0)
        traffic->crossings[to]++;
    if (instant != traffic->last) {
        traffic->busy_phases++;
        traffic->last = instant;
    }
}

static int take_superframe(void *context, const struct pb_moved *moved)
{
    for (size_t i = 0; i < moved->crossings; i++)
        take_crossing(context, &moved->crossing[i]);
    return PB_OK;
}

static void check_traffic(struct findings *findings, const struct traffic *traffic)
{
    const struct pb_scenario *scenario = findings->scenario;
    const int digits = (int)pb_network_address_digits(&scenario->network);
    if (!traffic->busy_phases) {
        warn(findings,
             "traffic: no message crosses a line of the rig, so the run proves nothing; add one from, "
             "to or through 0x%0*" PRIX32,
             digits, scenario->node[0].address);
        return;
    }
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (!traffic->crossings[i])
            warn(findings,
                 "nodes[%u]: no message crosses a line of 0x%0*" PRIX32
                 ", so the run proves nothing about it; add one, or remove the node",
                 i, digits, scenario->node[i].address);
}

static void check_latency(struct findings *findings, const struct pb_device_info *info)
{
    const struct pb_scenario *scenario = findings->scenario;
    const int64_t tick_ps = PS_PER_S / info->clock_hz / (info->half_ticks ? 2 : 1),
                  window_ps = scenario->limits.start_early_ps + scenario->limits.start_late_ps;
    if (window_ps < 2 * tick_ps)
        warn(findings,
             "limits: start_early and start_late leave %.1f ns for the start of a frame, and the core "
             "resolves instants %.1f ns apart; give at least %.1f ns",
             (double)window_ps / 1e3, (double)tick_ps / 1e3, 2 * (double)tick_ps / 1e3);
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_scenario_node *node = &scenario->node[i];
        const int64_t ready_ps = node->irq_latency_ps + node->irq_jitter_ps;
        if (ready_ps > scenario->head_guard_ps)
            warn(findings,
                 "nodes[%u]: irq_latency and irq_jitter take up to %.3f us, longer than the head guard "
                 "of %.3f us, so its starts vary; lengthen link.head_guard, or lower them",
                 i, (double)ready_ps / 1e6, (double)scenario->head_guard_ps / 1e6);
    }
}

/* Measures the cycles per second of the simulated core with these nodes, idle but without skipped cycles: an
 * upper limit for a run. 0: cannot be measured. */
static int64_t measure_rate(const struct findings *findings, uint32_t clock_hz)
{
    const struct pb_rig_options options = {.url = "sim:?idle=run", .stop = findings->procedure->stop};
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct pb_events events = {.count = 0};
    struct pb_diag diag;
    int code = pb_rig_open(&transport, &options, findings->scenario, &diag);
    if (!code)
        code = pb_device_open(&device, transport, &diag);
    if (code)
        return 0;
    const int64_t begun_ns = pb_monotonic_ns(), begun_ps = pb_rig_simulated_ps(transport);
    int64_t wall_ns = 0;
    while (code >= 0 && wall_ns < RATE_NS) {
        code = pb_device_poll(device, RATE_POLL_MS, &events, &diag);
        wall_ns = pb_monotonic_ns() - begun_ns;
    }
    const double clocks = (double)(pb_rig_simulated_ps(transport) - begun_ps) * clock_hz / 1e12;
    pb_events_free(&events);
    pb_device_close(device);
    return code < 0 ? 0 : (int64_t)(clocks * 1e9 / (double)wall_ns);
}

/* Lower limit of the duration of the run, s of wall time; on a board real time. */
static void check_duration(struct findings *findings, const struct traffic *traffic, uint32_t clock_hz)
{
    const struct pb_scenario *scenario = findings->scenario;
    const char *url = findings->procedure->rig_url;
    const double phase_s = 1e3 / (double)scenario->phase_rate_mhz,
                 bench_s = phase_s * scenario->network.phases * scenario->superframes;
    const unsigned limit_s = procedure_timeout_s(findings->procedure, scenario);
    double wall_s = bench_s;
    if (pb_rig_target_of(url).simulates) {
        const double frame_s = (double)(BITS_PER_BYTE * scenario->frame_bytes) / (double)scenario->baud_hz;
        const bool all = url && strstr(url, "idle=run");
        const double clocks = (all ? bench_s : frame_s * (double)traffic->busy_phases) * clock_hz;
        wall_s = clocks / (double)CLOCKS_PER_S_MAX;
        if (clocks / 1e6 > limit_s) { /* too long at 1 M cycles/s */
            const int64_t rate = measure_rate(findings, clock_hz);
            wall_s = rate ? clocks / (double)rate : wall_s;
        }
    }
    if (wall_s > limit_s)
        warn(findings,
             "superframes: %" PRIu32 " of them take at least %.0f s here, the time limit is %u s; give "
             "--timeout %.0f, or fewer",
             scenario->superframes, wall_s, limit_s, 2 * wall_s);
}

/* ---- a plan for the rig */

int pb_suite_check(const struct pb_procedure *procedure, const struct pb_scenario *scenario,
                   void (*warning)(void *context, const char *sentence), void *context,
                   struct pb_diag *diag)
{
    struct findings findings = {
        .procedure = procedure, .scenario = scenario, .take = warning, .context = context};
    struct traffic traffic = {.scenario = scenario};
    struct pb_rig_options rig = {.stop = procedure->stop};
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct pb_capture_choice choice;
    struct pb_plan made = {.maker = NULL};

    int code = procedure_begin(procedure, &rig.url, scenario, 0, diag);
    if (!code)
        code = pb_rig_check_models(procedure->rig_url, scenario, diag);
    if (!code)
        code = pb_rig_open(&transport, &rig, scenario, diag);
    if (!code)
        code = pb_device_open(&device, transport, diag);
    const struct pb_device_info *info = code ? NULL : pb_device_info(device);
    if (!code)
        code = pb_plan_make(&made, scenario, info, diag);
    if (!code)
        code = pb_foresee(scenario, scenario->superframes, take_superframe, &traffic, diag);
    if (!code && pb_capture_choose(&choice, scenario, info, pb_rig_bytes_per_s(transport, info->clock_hz)))
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory to compute how many events the run makes");
    if (!code) {
        check_traffic(&findings, &traffic);
        check_latency(&findings, info);
        if (*choice.why)
            warn(&findings, "%s", choice.why);
        check_duration(&findings, &traffic, info->clock_hz);
    }
    pb_plan_free(&made);
    pb_device_close(device);
    procedure_end(procedure);
    return code;
}
