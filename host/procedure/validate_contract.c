/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps that run other scenarios with the same node: the worked paths, the machine of 4 and of 16 nodes, and
 * cases of `phasebench regress`.
 */
#include "regress_cases.h"
#include "validate_steps.h"

#include "host/plan/epilogue.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys of the base */

static char *written_keys(const struct validator *validator, const char *section, const char *const *key,
                          size_t keys)
{
    char *text = NULL;
    size_t length;
    bool any = false;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < keys; i++) {
        char place[64], value[4096];
        snprintf(place, sizeof place, "%s.%s", section, key[i]);
        if (pb_scenario_written(validator->texts, place, value, sizeof value)) {
            fprintf(stream, "%s%s: %s", any ? ", " : "", key[i], value);
            any = true;
        }
    }
    const int failed = ferror(stream);
    if (!fclose(stream) && !failed)
        return text;
    free(text);
    return NULL;
}

static char *link_keys(const struct validator *validator)
{
    static const char *const key[] = {"phase_rate", "baud", "guard", "head_guard", "codec", "payload",
                                      "console_baud", "drive", "rise", "simulated_rise"};
    return written_keys(validator, "link", key, ARRAY_COUNT(key));
}

static char *node_keys(const struct validator *validator)
{
    static const char *const key[] = {"defect", "defect_amount", "defect_from", "defect_every", "defect_port",
                                      "defect_after", "freedom", "clock_error", "irq_latency", "irq_jitter",
                                      "answer_limit", "room", "flash_miss"};
    return written_keys(validator, "nodes[0]", key, ARRAY_COUNT(key));
}

static bool kind_of(const struct validator *validator, char *kind, size_t size)
{
    const struct pb_scenario_node *node = &validator->scenario->node[0];
    return (size_t)snprintf(kind, size, "%s%s%s", node->kind, node->argument ? ":" : "",
                            node->argument ? node->argument : "") < size;
}

/* ---- several nodes */

static int only_models(struct validator *validator, unsigned nodes)
{
    if (validate_is_settable(validator))
        return PB_OK;
    return validate_because(validator, VALIDATE_SKIP,
                            "it needs %u nodes on the rig; phasebench run tests a machine", nodes);
}

/* A text with this many nodes of the kind of the base. */
static char *machine(const struct validator *validator, const char *head, const uint32_t *address,
                     unsigned nodes, const char *traffic)
{
    char *text = NULL, *keys = node_keys(validator), kind[4200];
    size_t length;
    FILE *stream = keys ? open_memstream(&text, &length) : NULL;
    if (stream && kind_of(validator, kind, sizeof kind)) {
        fprintf(stream, "%s\nnodes:\n", head);
        for (unsigned i = 0; i < nodes; i++) {
            fprintf(stream, "  - {address: 0x%" PRIX32 ", kind: \"", address[i]);
            for (const char *at = kind; *at; at++)
                fprintf(stream, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
            fprintf(stream, "\"%s%s}\n", *keys ? ", " : "", keys);
        }
        fprintf(stream, "traffic:\n%s", traffic);
    }
    const bool failed = !stream || ferror(stream);
    if (stream && fclose(stream) + failed) {
        free(text);
        text = NULL;
    }
    free(keys);
    return text;
}

static int judge_text(struct validator *validator, const char *name, char *text)
{
    const struct validate_case one = {.name = name, .text = text};
    if (!text)
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the scenario of %s", name);
    const struct pb_result *result;
    int code = validate_play(validator, &one, &result);
    const struct pb_measurement *latency =
        code ? NULL : pb_measurement_find(result, PB_FIGURE_LATENCY, -1);
    if (latency)
        code = validate_add(validator, validate_value(PB_ITEM_LATENCY, latency->max, latency->n), "%s", name);
    if (!code)
        code = validate_take_findings(validator, &one, result);
    free(text);
    return code;
}

int validate_foreign_clock(struct validator *validator)
{
    return validate_because(validator, VALIDATE_SKIP, "the phase clock is that of another controller");
}

/* The three paths of the machine's page: host/scenarios/worked-example-*.yaml. */
int validate_step_paths(struct validator *validator)
{
    static const struct {
        const char *name;
        uint32_t address[3];
    } path[] = {{"path-average", {0x2A3, 0x2BC, 0x91C}},
                {"path-down", {0xFFF, 0xFC0, 0x000}},
                {"path-up", {0x000, 0x03F, 0xFFF}}};
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    if (validator->scenario->network.dims != 12)
        return validate_because(validator, VALIDATE_SKIP, "the worked paths are those of the 12-cube");
    int code = only_models(validator, 3);
    validator->runs_expected = ARRAY_COUNT(path);
    char *keys = link_keys(validator);
    if (!keys)
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the scenario");
    for (size_t i = 0; i < ARRAY_COUNT(path) && !code; i++) {
        char head[4200], traffic[160];
        snprintf(head, sizeof head, "name: %s\nlink: {%s}\nlimits: {max_superframes: 1}", path[i].name, keys);
        /* The last node sends one, too: nothing is proven about one without counters that only receives. */
        snprintf(traffic, sizeof traffic,
                 "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 "}\n  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32
                 ", superframe: 1}\n",
                 path[i].address[0], path[i].address[2], path[i].address[2], path[i].address[2] ^ 1);
        code = judge_text(validator, path[i].name, machine(validator, head, path[i].address, 3, traffic));
    }
    free(keys);
    return code;
}

/* One message of each node, as nothing is proven about one without. */
#define FIRST "  - {pattern: complement}\n"

int validate_step_hops(struct validator *validator)
{
    static const uint32_t address[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const struct {
        const char *name, *rate;
        unsigned dims;
        const char *traffic;
    } machines[] = {
        {"hops-4-nodes", "10 kHz", 2,
         FIRST "  - {pattern: complement, superframe: 12, every: 24, repeat: 4}\n"},
        {"hops-16-nodes-1-kHz", "1 kHz", 4,
         FIRST "  - {from: 0, to: 15, superframe: 4, every: 6, repeat: 10}\n"},
        {"hops-16-nodes-5-kHz", "5 kHz", 4,
         FIRST "  - {from: 0, to: 15, superframe: 4, every: 6, repeat: 10}\n"},
        {"hops-16-nodes-10-kHz", "10 kHz", 4,
         FIRST "  - {from: 0, to: 15, superframe: 4, every: 6, repeat: 10}\n"},
    };
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    if (!validator->scenario->network.dims)
        return validate_because(validator, VALIDATE_SKIP, "it is a binary cube of 4 dimensions");
    int code = only_models(validator, 16);
    size_t ran = 0;
    validator->runs_expected = ARRAY_COUNT(machines);
    for (size_t i = 0; i < ARRAY_COUNT(machines) && !code; i++) {
        char head[200];
        snprintf(head, sizeof head,
                 "name: %s\ncube: {dims: %u}\ncapture: bytes\nlink: {phase_rate: %s}\nlimits: "
                 "{max_superframes: 1}",
                 machines[i].name, machines[i].dims, machines[i].rate);
        code = judge_text(validator, machines[i].name,
                          machine(validator, head, address, 1u << machines[i].dims, machines[i].traffic));
        ran += !code;
        code = validate_leave_out(validator, machines[i].name, code); /* the node has not this rate or size */
    }
    return code || ran ? code : validate_because(validator, VALIDATE_SKIP, "%s", validator->left_out);
}

/* ---- cases of regress */

static int judge_case(struct validator *validator, const struct pb_regress_node *node, size_t index,
                      bool *done)
{
    struct regress_case one;
    struct pb_diag diag;
    struct pb_scenario *scenario;
    if (regress_case_make(&one, index, node, validator->validation->seed, 1))
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the case %s",
                                regress_case_name(index));
    struct validate_case run = {.name = one.name, .text = one.text, .seeded = true};
    int code = one.text ? pb_scenario_parse(&scenario, one.name, one.text, strlen(one.text), &diag) : PB_OK;
    if (code)
        validate_because(validator, code, "%s", diag.text);
    else if (one.text) {
        /* The tests after any other run begin with a reset, and are those of the step `contract`. */
        if (pb_epilogue_is_provoked(scenario))
            run.counts = validate_counts_all;
        pb_scenario_free(scenario);
        code = validate_judge(validator, &run);
        *done |= !code;
    }
    code = validate_leave_out(validator, one.name, code); /* or the core has no unit for the fault */
    free(one.text);
    return code;
}

/* The cases with these names; NULL: all that are no variant. */
static int judge_cases(struct validator *validator, const char *const *name, size_t names)
{
    const struct pb_scenario *scenario = validator->scenario;
    char kind[4200], *link = link_keys(validator), *keys = node_keys(validator);
    const struct pb_regress_node node = {
        .kind = kind,
        .folder = scenario->node[0].folder,
        .keys = keys && *keys ? keys : NULL,
        .link = link && *link ? link : NULL,
        .rule = scenario->rule == PB_RULE_ECUBE ? NULL : pb_rule_name(scenario->rule),
        .dims = scenario->network.dims,
        .address = scenario->node[0].address,
        .room = scenario->node[0].room_known ? regress_room(&scenario->node[0]) : 0,
    };
    bool done = false;
    int code = PB_OK;
    if (!keys || !link || !kind_of(validator, kind, sizeof kind))
        code = validate_because(validator, PB_ERR_MEMORY, "no memory for the cases");
    validator->runs_expected = (unsigned)names;
    for (size_t i = 0; i < names && !code; i++)
        for (size_t k = 0; k < regress_case_count() && !code; k++)
            if (!strcmp(name[i], regress_case_name(k)) && regress_case_applies(k, &node))
                code = judge_case(validator, &node, k, &done);
    free(link);
    free(keys);
    if (!code && !done)
        code = validate_because(validator, VALIDATE_SKIP, "no case of it fits this network and core");
    return code;
}

static int only_cube(struct validator *validator)
{
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    return validator->scenario->network.dims
               ? PB_OK
               : validate_because(validator, VALIDATE_SKIP, "its cases are those of a binary cube");
}

int validate_step_queues(struct validator *validator)
{
    static const char *const name[] = {"queue-order", "queue-depth", "queue-overflow"};
    const int code = only_cube(validator);
    return code ? code : judge_cases(validator, name, ARRAY_COUNT(name));
}

int validate_step_disturbed(struct validator *validator)
{
    /* Quick: the first ones. */
    static const char *const name[] = {
        "sync-missing",      "sync-missing-queue", "clock-missing-edge", "clock-extra-edge-sending",
        "frame-wrong-bytes", "frame-framing",      "frame-short",        "frame-long",
        "frame-outside",     "line-glitch",        "own-messages",       "line-second-driver",
        "start-late-sync",   "clock-extra-edge-receiving",
        "clock-jitter",      "clock-drift-fast",   "clock-drift-slow",
        "clock-late-edge",   "clock-early-edge",   "sync-extra",
        "sync-extra-queue",  "clock-missing-edge-queue",
        "clock-extra-edge-queue",
        "frame-baud-fast",   "frame-baud-slow",    "frame-early",
        "frame-late",        "frame-babble",       "line-stuck-low",
        "line-open",         "line-slow-rise",
        "dimensions",        "permutation"};
    enum { QUICK = 13 };
    const int code = only_cube(validator);
    return code ? code
                : judge_cases(validator, name,
                              validator->options->profile == PB_VALIDATE_QUICK ? QUICK : ARRAY_COUNT(name));
}
