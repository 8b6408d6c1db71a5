/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "machine_traffic.h"
#include "runner.h"

#include "host/report/machine_forms.h"
#include "phasebench/rig.h"

#include <string.h>

int machine_bench_read(struct machine_bench *bench, struct pb_machine_sweep *sweep,
                       const struct machine_traffic_request *request)
{
    char given[PB_NETWORK_TEXT_SIZE], own[PB_NETWORK_TEXT_SIZE];
    if (!request->bench)
        return CLI_PASS;
    sweep->rig = request->rig_url ? request->rig_url : "sim:";
    if (request->engine_given || request->room_port || request->birth == MACHINE_BIRTH_ANY ||
        request->saturation)
        return cli_fail(CLI_USAGE,
                        "machine: with --bench some nodes are real, and get their messages between two "
                        "superframes; leave out --engine, --port-room, --birth any and --saturation");
    if (pb_rig_target_of(sweep->rig).replays)
        return cli_fail(CLI_USAGE, "machine: a recording holds no other traffic; use the rig itself");
    int exit_code = vusb_check_url(sweep->rig);
    if (exit_code == CLI_PASS)
        exit_code = source_open(&bench->source, request->bench, sweep->rig,
                                &(struct pb_scenario_overrides){.seed = 0});
    if (exit_code != CLI_PASS)
        return exit_code;
    const struct pb_scenario *scenario = bench->source.scenario;
    pb_network_text(&request->network, given);
    pb_network_text(&scenario->network, own);
    if (request->network_given && strcmp(given, own) != 0)
        return cli_fail(CLI_USAGE, "machine: the network is given as %s, and %s has %s; leave it out", given,
                        scenario->path, own);
    if (request->rule_given && request->rule != scenario->rule)
        return cli_fail(CLI_USAGE,
                        "machine: the rule is given as %s, and the nodes of %s have %s; leave it out",
                        pb_rule_name(request->rule), scenario->path, pb_rule_name(scenario->rule));
    sweep->network = &scenario->network;
    sweep->rule = scenario->rule;
    sweep->scenario = scenario->path;
    sweep->engine = PB_ENGINE_BENCH;
    return CLI_PASS;
}

int machine_bench_open(struct machine_bench *bench, struct pb_machine_sweep *sweep)
{
    const struct pb_scenario *scenario = bench->source.scenario;
    struct pb_diag diag = {.text = ""};
    if (!scenario)
        return CLI_PASS;
    struct pb_run_options options = {.timeout_s = PB_RUN_TIMEOUT_MAX_S, .stop = runner_stop_flag()};
    runner_catch_signals();
    int code = vusb_begin(&bench->vusb, sweep->rig, scenario, options.timeout_s, &diag);
    options.rig_url = bench->vusb.url;
    if (!code)
        code = pb_machine_bench_open(&bench->bench, scenario, &options, &diag);
    sweep->bench = bench->bench;
    return cli_outcome(code, &diag);
}

void machine_bench_close(struct machine_bench *bench)
{
    pb_machine_bench_close(bench->bench);
    if (bench->vusb.url)
        vusb_end(&bench->vusb);
    source_close(&bench->source);
}
