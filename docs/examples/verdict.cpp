/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a scenario on the simulated bench and prints the verdict and each finding; exits like phasebench run:
 *   c++ verdict.cpp $(pkg-config --cflags --libs phasebench) -o verdict && ./verdict SCENARIO.yaml */
#include <phasebench/run.h>

#include <iostream>
#include <memory>

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::cerr << "usage: verdict SCENARIO.yaml\n";
        return 2;
    }
    pb_diag diag{};
    pb_scenario *scenario = nullptr;
    int code = pb_scenario_load(&scenario, argv[1], &diag);
    const std::unique_ptr<pb_scenario, decltype(&pb_scenario_free)> scenario_owner(scenario,
                                                                                   pb_scenario_free);
    pb_result *result = nullptr;
    if (!code) {
        pb_run_options options{};
        options.rig_url = "sim:";
        code = pb_run(&result, scenario, &options, &diag);
    }
    const std::unique_ptr<pb_result, decltype(&pb_result_free)> result_owner(result, pb_result_free);
    if (code) {
        std::cerr << diag.text << '\n';
        return pb_error_exit_code(code);
    }
    std::cout << pb_verdict_name(result->verdict) << '\n';
    for (size_t i = 0; i < result->findings; i++)
        std::cout << pb_finding_id(result->finding[i].kind) << '\n';
    return pb_verdict_exit_code(result->verdict);
}
