/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A long run without a simulated core: full load of the 12-cube, planned superframe by superframe, played
 * against a stub core (tests/bench/unit/stub_core.h), and judged, in constant memory. Usage: long_run
 * JSON-FILE SUPERFRAMES [lie]. With `lie` one bit of a frame in the last superframe is wrong, and the check
 * must report it; no figures are written then.
 */
#include "bench/perf/figures.h"
#include "host/check/check.h"
#include "tests/bench/unit/stub_core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN, STUB, CHECK, PARTS, DIMS = 12, WARM = 1000, GROWTH_MB = 4 };

struct spent {
    int64_t ns[PARTS], last_ns;
    double warm_mb; /* peak of the memory after WARM superframes */
};

/* To this part goes the CPU time since the last call. */
static void clock_to(struct spent *spent, unsigned part)
{
    const int64_t now_ns = perf_cpu_ns();
    spent->ns[part] += now_ns - spent->last_ns;
    spent->last_ns = now_ns;
}

static struct pb_scenario *load(uint32_t superframes)
{
    struct pb_scenario *scenario;
    struct pb_diag diag;
    if (pb_scenario_load(&scenario, "host/scenarios/full-load.yaml", &diag))
        perf_die("%s", diag.text);
    if (superframes > pb_scenario_superframes_max(scenario))
        perf_die("%" PRIu32 " superframes; at most %" PRIu32 "; lower them", superframes,
            pb_scenario_superframes_max(scenario));
    scenario->superframes = superframes;
    return scenario;
}

static void run(struct pb_result *result, const struct pb_scenario *scenario, bool lie, struct spent *spent)
{
    struct pb_expectation expectation;
    struct pb_checker *check;
    struct pb_plan plan;
    struct stub_core core;
    struct pb_diag diag;
    if (pb_plan_make(&plan, scenario, &STUB_INFO, &diag))
        perf_die("%s", diag.text);
    if (stub_core_open(&core, scenario, &plan))
        perf_die("%s: no scenario for the stub core", scenario->path);
    if (lie)
        core.lie_superframe = scenario->superframes - 1;
    if (pb_expect(&expectation, result, scenario) ||
        pb_check_open(&check, result, scenario, &expectation, &core.seen, plan.movement))
        perf_die("no memory for the check");
    spent->last_ns = perf_cpu_ns();
    while (plan.superframe < scenario->superframes) {
        if (plan.superframe <= WARM)
            spent->warm_mb = perf_peak_mb();
        if (pb_plan_next(&plan, &diag))
            perf_die("%s", diag.text);
        clock_to(spent, PLAN);
        if (stub_core_next(&core))
            perf_die("superframe %" PRIu32 ": the core cannot play the plan", core.superframe - 1);
        clock_to(spent, STUB);
        if (pb_check_push(check, core.pins.events.event, core.pins.events.count))
            perf_die("no memory for the check");
        stub_core_forget_typed(&core, pb_check_typed_done(check));
        clock_to(spent, CHECK);
    }
    stub_core_end(&core);
    if (pb_check_close(check))
        perf_die("no memory for the check");
    clock_to(spent, CHECK);
    stub_core_close(&core);
    pb_plan_free(&plan);
}

/* Every directed link of the node carries one message in each superframe. */
static void judge(const struct pb_result *result, const struct pb_scenario *scenario, bool lie)
{
    const uint64_t frames = UINT64_C(2) * DIMS * scenario->superframes, slots = frames * DIMS;
    if (result->verdict != (lie ? PB_VERDICT_FAIL : PB_VERDICT_PASS))
        perf_die("a %s node: %s", lie ? "lying" : "sound", result->reason);
    if (lie && (result->finding[0].kind != PB_FINDING_WRONG_BYTES ||
                result->finding[0].superframe != scenario->superframes - 1))
        perf_die("a lying node: %s", result->reason);
    if (result->slots_checked != slots || result->hops_total != frames)
        perf_die("%" PRIu64 " slots and %" PRIu64 " transmissions; there are %" PRIu64 " and %" PRIu64,
            result->slots_checked, (uint64_t)result->hops_total, slots, frames);
}

static void show(const struct pb_result *result, uint32_t superframes, const struct spent *spent)
{
    static const char *const share[PARTS][2] = {[PLAN] = {"long_run.plan_share", "share of the plan"},
                                                [STUB] = {"long_run.stub_share", "share of the stub core"},
                                                [CHECK] = {"long_run.check_share", "share of the check"}};
    const double all_ns = (double)(spent->ns[PLAN] + spent->ns[STUB] + spent->ns[CHECK]);
    printf("\nfull load of the 12-cube, planned, played against a stub core and judged: %" PRIu32
           " superframes, %" PRIu64 " events\n",
           superframes, result->events);
    figure("long_run.superframes", "superframes a second", superframes * 1e9 / all_ns, "1/s");
    figure("long_run.events", "events a second", (double)result->events * 1e3 / all_ns, "M/s");
    figure("long_run.plan", "planning a superframe", (double)spent->ns[PLAN] / 1e3 / superframes, "us");
    for (unsigned part = 0; part < PARTS; part++)
        figure(share[part][0], share[part][1], 100 * (double)spent->ns[part] / all_ns, "%");
    figure("long_run.memory_warm", "peak of the memory, 1000 superframes", spent->warm_mb, "MB");
    figure("long_run.memory", "peak of the memory, all of them", perf_peak_mb(), "MB");
}

int main(int argc, char **argv)
{
    const bool lie = argc == 4 && !strcmp(argv[3], "lie");
    const unsigned long superframes = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (argc < 3 || (argc > 3 && !lie) || !superframes || superframes > UINT32_MAX)
        perf_die("usage: long_run JSON-FILE SUPERFRAMES [lie]");
    struct pb_scenario *scenario = load((uint32_t)superframes);
    struct pb_result *result = calloc(1, sizeof *result);
    struct spent spent = {0};
    if (!result)
        perf_die("no memory for the result");
    result->network = scenario->network;
    figures_open(argv[1], "a");
    run(result, scenario, lie, &spent);
    judge(result, scenario, lie);
    if (!lie)
        show(result, scenario->superframes, &spent);
    if (perf_peak_mb() > spent.warm_mb + GROWTH_MB)
        perf_die("the memory grew from %.1f MB after %d superframes to %.1f MB", spent.warm_mb, WARM,
                 perf_peak_mb());
    pb_result_free(result);
    pb_scenario_free(scenario);
    return figures_close();
}
