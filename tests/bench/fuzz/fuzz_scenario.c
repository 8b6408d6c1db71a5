/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scenario files. What is refused has a diagnostic that fits the file; what is taken keeps the ranges of
 * scenario.h, and a plan can be made of it or is refused with a diagnostic.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/plan/plan.h"
#include "phasebench/scenario.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLANNED_MESSAGES = 64, PLANNED_DIMS = 6, PLANNED_SUPERFRAMES = 100 };

static void check_ranges(const struct pb_scenario *scenario)
{
    MUST(scenario->network.ports >= 1 && scenario->network.ports <= PB_WIRE_PORTS_MAX);
    MUST(scenario->node_count >= 1 && scenario->node_count <= PB_SCENARIO_NODES_MAX);
    MUST(scenario->superframes >= 1 && scenario->superframes <= 100000);
    MUST(scenario->traffic.count + scenario->endless_count >= 1);
    MUST(scenario->head_guard_ps >= 0 && scenario->head_guard_ps <= scenario->guard_ps);
    MUST(scenario->payload_bytes >= 1 && scenario->payload_bytes <= 80 &&
         scenario->frame_bytes > scenario->payload_bytes);
    MUST(!strchr(scenario->name, '\n'));
    for (unsigned i = 0; i < scenario->node_count; i++)
        MUST(scenario->node[i].address < scenario->network.nodes);
    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *message = &scenario->traffic.message[i];
        MUST(message->source < scenario->network.nodes &&
             message->destination < scenario->network.nodes);
        MUST(message->release_phase < scenario->network.phases &&
             message->release_superframe < scenario->superframes);
    }
}

static void plan(const struct pb_scenario *scenario)
{
    const struct pb_device_info core = {
        .clock_hz = 48000000, .links = 64, .lanes = 9, .nodes = 16, .play_bytes = 2048, .event_buffer = 512};
    struct pb_plan plan;
    struct pb_diag diag = {""};
    if (scenario->traffic.count > PLANNED_MESSAGES || scenario->network.ports > PLANNED_DIMS ||
        scenario->superframes > PLANNED_SUPERFRAMES)
        return;
    if (pb_plan_make(&plan, scenario, &core, &diag) == PB_OK) {
        MUST(plan.phase_count == scenario->network.phases);
        while (plan.superframe < scenario->superframes && pb_plan_next(&plan, &diag) == PB_OK)
            for (size_t i = 0; i < plan.now.records; i++)
                MUST(plan.now.record[i].instant / plan.phase_count == plan.superframe - 1);
        pb_plan_free(&plan);
    } else
        MUST(*diag.text);
}

/* All errors of the same file: of one that is refused at least one, of another one none. */
static void find_errors(const uint8_t *data, size_t size, bool refused)
{
    enum { MOST = 4 };
    struct pb_diag error[MOST];
    char path[] = "/tmp/fuzz-scenario-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    const size_t count = pb_scenario_errors(path, error, MOST);
    unlink(path);
    MUST((count > 0) == refused);
    for (size_t i = 0; i < count && i < MOST; i++)
        MUST(!strncmp(error[i].text, path, strlen(path)) && !strchr(error[i].text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    const int code = pb_scenario_parse(&scenario, "fuzz.yaml", (const char *)data, size, &diag);
    MUST((code == PB_OK) == (scenario != NULL));
    if (code != PB_ERR_MEMORY)
        find_errors(data, size, code != PB_OK);
    if (code) {
        MUST(code == PB_ERR_CONFIG || code == PB_ERR_MEMORY);
        MUST(!strncmp(diag.text, "fuzz.yaml:", 10) && !strchr(diag.text, '\n'));
        return 0;
    }
    check_ranges(scenario);
    plan(scenario);
    pb_scenario_free(scenario);
    return 0;
}
