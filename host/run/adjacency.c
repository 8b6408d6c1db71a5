/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All nodes send at once first. That shows a correct board. On any other the nodes send one after the other,
 * while the rest is in reset, so that no two frames meet on a net.
 */
#include "host/base/utf8.h"
#include "host/check/adjacency.h"
#include "host/run/session.h"
#include "host/run/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUPERFRAMES = 2, WATCHES = 3 };

struct test {
    struct pb_adjacency *map;
    struct pb_sights sights;
    struct pb_console *console;
    const struct pb_scenario *scenario;
};

/* The core listens to every link, and records bytes alone. */
static int listen_to_links(struct test *test)
{
    struct pb_console *console = test->console;
    const unsigned links = console->seen->info.links;
    const uint64_t all = links < 64 ? (UINT64_C(1) << links) - 1 : UINT64_MAX;
    const uint32_t none[2] = {0, 0}, mask[2] = {(uint32_t)all, (uint32_t)(all >> 32)};
    uint32_t config[PB_REG_LINK_COUNT], level[2] = {0, 0};
    for (unsigned link = 0; link < links; link++)
        config[link] = PB_PUT(PB_LINK_MODE, PB_LINK_MODE_LISTEN) | PB_PUT(PB_LINK_PHASE, PB_LINK_PHASE_ANY);
    int code = pb_device_write_many(console->device, PB_REG_LINK, config, links, console->diag);
    if (!code)
        code = pb_device_write_many(console->device, PB_REG_EDGE_MASK0, none, 2, console->diag);
    if (!code)
        code = pb_device_write_many(console->device, PB_REG_BYTE_MASK0, mask, 2, console->diag);
    if (!code)
        code = pb_step_reset(console, (1u << test->scenario->node_count) - 1);
    if (!code)
        code = pb_device_read_many(console->device, PB_REG_LINE_LEVEL0, level, 2, console->diag);
    test->map->low = ~(level[0] | (uint64_t)level[1] << 32) & all;
    return code;
}

/* Makes a node send a frame on every port: by its test mode, else by a message to each neighbour. */
static int start_sender(struct test *test, unsigned node)
{
    struct pb_adjacency_node *at = &test->map->node[node];
    char line[24], answer[80];
    if (!at->answers)
        return PB_OK;
    int code = pb_console_ask(test->console, node, "M 2", answer, sizeof answer);
    at->sends = code == 1 && !strncmp(answer, "+M", 2);
    for (unsigned port = 0; code >= 0 && !at->sends && port < test->map->ports; port++) {
        snprintf(line, sizeof line, "S %" PRIX32,
                 pb_network_neighbour(&test->scenario->network, at->identity, port));
        code = pb_console_ask(test->console, node, line, answer, sizeof answer);
        if (code < 0 || strncmp(answer, "+S", 2))
            break;
        at->sends = port + 1 == test->map->ports;
    }
    return code < 0 ? code : PB_OK;
}

/* One node, or all of them with -1. *whole: no event was lost. */
static int watch_once(struct test *test, int node, bool *whole)
{
    struct pb_console *console = test->console;
    const unsigned nodes = test->scenario->node_count;
    const uint64_t lost = pb_step_lost_events(console);
    const uint32_t held = node < 0 ? 0 : ((1u << nodes) - 1) & ~(1u << node);
    int code = pb_step_reset(console, held);
    for (unsigned i = 0; i < nodes && !code; i++)
        if (node < 0 || i == (unsigned)node)
            code = start_sender(test, i);
    const size_t from = console->events->count;
    if (!code)
        code = pb_step_superframes(console, SUPERFRAMES);
    if (code)
        return code;
    test->sights.node = node;
    *whole = !pb_sights_read(&test->sights, test->scenario, console->plan->bit_period_q4, console->events,
                             from, SUPERFRAMES) &&
             pb_step_lost_events(console) == lost;
    return PB_OK;
}

/* A host that is busy for a moment loses events of a board without flow control: the nodes send once more. */
static int watch(struct test *test, int node)
{
    bool whole = false;
    for (unsigned tried = 0; tried < WATCHES && !whole; tried++) {
        const int code = watch_once(test, node, &whole);
        if (code)
            return code;
    }
    if (!whole)
        return pb_fail(
            test->console->diag, PB_ERR_LINK,
            "events of the adjacency test were lost, %u times; lower link.phase_rate, or stop other "
            "programs that use the host",
            WATCHES);
    pb_adjacency_add(test->map, test->scenario, &test->sights);
    return PB_OK;
}

static bool any_damage(const struct test *test)
{
    for (unsigned pin = 0; pin < PB_SIGHTS_PINS; pin++)
        for (unsigned phase = 0; phase < test->scenario->network.phases; phase++)
            if (test->sights.at[pin][phase].kind == PB_SIGHT_DAMAGED)
                return true;
    return false;
}

static int play(struct pb_console *console, void *context)
{
    struct test *test = context;
    test->console = console;
    for (unsigned node = 0; node < test->scenario->node_count; node++)
        pb_adjacency_identify(test->map, test->scenario, node, console->seen->answer[node].identity);
    int code = listen_to_links(test);
    if (!code)
        code = watch(test, -1);
    if (code)
        return code;
    pb_adjacency_judge(test->map, test->scenario);
    if (test->map->verdict == PB_VERDICT_PASS && !any_damage(test))
        return PB_OK;
    test->map->one_by_one = true;
    pb_adjacency_forget(test->map);
    for (unsigned node = 0; node < test->scenario->node_count && !code; node++)
        code = watch(test, (int)node);
    if (!code)
        pb_adjacency_judge(test->map, test->scenario);
    return code;
}

/* A node that stopped because of its model is no fault of the wiring, and leaves ports without an answer. */
static void heed_troubles(struct pb_adjacency *map, const struct pb_scenario *scenario,
                          const struct pb_observation *observation)
{
    for (unsigned node = 0; node < scenario->node_count; node++) {
        const struct pb_node_trouble *trouble = &observation->trouble[node];
        if (trouble->kind != PB_TROUBLE_GAP)
            continue;
        map->faults = 0;
        map->verdict = PB_VERDICT_INCONCLUSIVE;
        pb_utf8_shorten(map->reason, sizeof map->reason, "the model of node 0x%" PRIX32 " %s: %s; see %s",
                        scenario->node[node].address, trouble->text, trouble->output, trouble->document);
        return;
    }
}

int pb_adjacency_run(struct pb_adjacency **out, const struct pb_scenario *scenario,
                     const struct pb_run_options *options, struct pb_diag *diag)
{
    const struct pb_rig_options rig = {.url = options->rig_url, .stop = options->stop};
    struct pb_observation observation = {.simulated_ps = -1, .overruns = -1};
    struct pb_diag own = {""};
    struct test *test = calloc(1, sizeof *test);
    diag = diag ? diag : &own;
    *out = calloc(1, sizeof **out);
    int code = PB_OK;
    if (!test || !*out)
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the adjacency test");
    else if (scenario->follow)
        code = pb_fail(
            diag, PB_ERR_CONFIG,
            "clock.source is external, and the adjacency test starts and stops the clock; remove the key");
    if (!code) {
        *test = (struct test){.map = *out, .scenario = scenario};
        pb_adjacency_begin(*out, scenario);
        snprintf((*out)->rig, sizeof(*out)->rig, "%s", options->rig_url ? options->rig_url : "sim:");
        code = pb_session_script(&observation, scenario, options, &rig, play, test, diag);
        heed_troubles(*out, scenario, &observation);
        pb_observation_free(&observation);
    }
    free(test);
    if (code) {
        free(*out);
        *out = NULL;
    }
    return code;
}
