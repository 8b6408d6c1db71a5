/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/fault_matrix.h"

#include "procedure.h"

#include "host/plan/fault_slot.h"
#include "host/plan/fault_units.h"
#include "host/plan/plan.h"
#include "phasebench/number.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Traffic before, around and long enough after the fault: a node still lost after the recovery is detected.
 */
static const char clean_run[] = "name: fault matrix\n"
                                "nodes: [{address: 0x2A3, clock_error: 50 ppm}]\n"
                                "superframes: 6\n"
                                "traffic:\n"
                                "  - {from: 0x2A3, to: 0x91C}\n"
                                "  - {pattern: complement, superframe: 1}\n"
                                "  - {from: 0x2A3, to: 0x91C, superframe: 2}\n"
                                "  - {pattern: complement, superframe: 4}\n";

/* Frames needed by a kind of fault: room after them, a length field, an address of no node. */
static const char *link_for(unsigned kind)
{
    switch (kind) {
    case PB_FAULT_LONG_FRAME:
        return "link: {payload: 5 bytes}\n";
    case PB_FAULT_WRONG_LENGTH:
    case PB_FAULT_OUTSIDE_ADDRESS:
        return "link: {codec: starc}\n";
    default:
        return "";
    }
}

/* ---- a fault without a place */

static int64_t number_or_open(const char *text)
{
    uint64_t value;
    return text && pb_parse_number(text, strlen(text), &value) && value <= INT32_MAX ? (int64_t)value : -1;
}

/* True for an invalid text, too: it is refused later, with the other values. */
static bool fits(int64_t value, const char *text, int64_t limit)
{
    return !text || (value >= 0 && value < limit);
}

static unsigned node_index_of(const struct pb_scenario *scenario, const char *address)
{
    const int64_t wanted = number_or_open(address);
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == wanted)
            return i;
    return 0;
}

int pb_fault_add(struct pb_scenario *scenario, const struct pb_fault_text *text, struct pb_diag *diag)
{
    const struct pb_fault_info *info = pb_fault_by_id(text->kind);
    struct pb_fault_text whole = *text;
    char node[16], superframe[24], phase[24], dimension[24];
    const unsigned node_index = node_index_of(scenario, text->node);
    struct pb_fault_slot aim = {number_or_open(text->superframe), (int)number_or_open(text->phase),
                         (int)number_or_open(text->dimension)};
    if (fits(aim.superframe, text->superframe, scenario->superframes) &&
        fits(aim.phase, text->phase, scenario->network.phases) &&
        fits(aim.dimension, text->dimension, scenario->network.ports)) {
        const int code = pb_fault_slot_choose(&aim, scenario, node_index, info->kind, diag);
        if (code)
            return code;
    } else
        aim = (struct pb_fault_slot){0};
    snprintf(node, sizeof node, "0x%" PRIX32, scenario->node[node_index].address);
    snprintf(superframe, sizeof superframe, "%" PRId64, aim.superframe);
    snprintf(phase, sizeof phase, "%d", aim.phase);
    snprintf(dimension, sizeof dimension, "%d", aim.dimension);
    whole.superframe = text->superframe ? text->superframe : superframe;
    if (info->place != PB_FAULT_ON_CLOCK) {
        whole.node = text->node ? text->node : node;
        whole.phase = text->phase ? text->phase : phase;
        whole.dimension = text->dimension ? text->dimension : dimension;
    }
    return pb_scenario_add_fault(scenario, &whole, diag);
}

/* ---- rows */

/* What the events of a run show of its fault, independently of the check. */
struct receipt {
    const struct pb_scenario *scenario;
    bool planned, tried, began;
    uint64_t instant, phases; /* phase of the planned start; phases so far */
    uint32_t offset;
    uint64_t edge_tick, began_tick;
};

static uint32_t little(const uint8_t *bytes, unsigned count)
{
    return count ? bytes[0] | little(bytes + 1, count - 1) << 8 : 0;
}

/* Planned start of fault 0: both kinds of record have the offset in bytes 8..10. */
static bool planned_start(const struct pb_scenario *scenario, const struct pb_device_info *info,
                          uint64_t *instant, uint32_t *offset)
{
    struct pb_plan plan;
    const uint8_t *bytes = NULL;
    if (pb_plan_make(&plan, scenario, info, NULL))
        return false;
    if (plan.faults) {
        *instant = plan.fault[0].instant;
        bytes = plan.fault[0].bytes;
    }
    while (!bytes && plan.superframe < scenario->superframes && !pb_plan_next(&plan, NULL))
        for (size_t i = 0; i < plan.now.records && !bytes; i++)
            if (plan.now.bytes[plan.now.record[i].at + 3] >> 5) {
                *instant = plan.now.record[i].instant;
                bytes = plan.now.bytes + plan.now.record[i].at;
            }
    if (bytes)
        *offset = little(bytes + 8, 3);
    pb_plan_free(&plan);
    return bytes != NULL;
}

static void on_events(void *context, const struct pb_device_info *info, const struct pb_event *event,
                      size_t count)
{
    struct receipt *receipt = context;
    if (!receipt->tried)
        receipt->planned = planned_start(receipt->scenario, info, &receipt->instant, &receipt->offset);
    receipt->tried = true;
    for (size_t i = 0; i < count; i++) {
        if (event[i].kind == PB_EVENT_PHASE && receipt->phases++ == receipt->instant)
            receipt->edge_tick = event[i].tick;
        if (event[i].kind == PB_EVENT_FAULT && !receipt->began &&
            PB_GET(PB_EVENT_FAULT_WHAT, event[i].value) == PB_FAULT_WHAT_BEGAN) {
            receipt->began = true;
            receipt->began_tick = event[i].tick;
        }
    }
}

static void take_result(struct pb_fault_matrix_row *row, const struct pb_result *result)
{
    row->verdict = result->verdict;
    row->phase_ps = result->phase_ps;
    row->found_as = "-";
    row->clean = true;
    for (size_t i = 0; i < result->findings; i++)
        row->clean &= result->finding[i].fault >= 0;
    if (!result->faults)
        return;
    const struct pb_fault_row *fault = &result->fault[0];
    row->found = fault->detected;
    row->unsought = fault->unsought;
    row->latency_ps = fault->detected_ps - fault->start_ps;
    if (fault->unsought)
        row->found_as = "not sought";
    else if (fault->found_as != PB_FINDING_KINDS)
        row->found_as = pb_finding_id(fault->found_as);
    if (fault->detected)
        row->found_as = pb_finding_id((enum pb_finding_kind)pb_fault_info(fault->kind)->finding);
}

/* The scenario for a run with a fault of this kind. */
static int load(struct pb_scenario **scenario, const struct pb_fault_matrix_options *options, unsigned kind,
                struct pb_diag *diag)
{
    char text[sizeof clean_run + 64];
    const int length = snprintf(text, sizeof text, "%s%s", clean_run, link_for(kind));
    const int code =
        options->scenario_path
            ? pb_scenario_load(scenario, options->scenario_path, diag)
            : pb_scenario_parse(scenario, "the built-in scenario of the matrix", text, (size_t)length, diag);
    if (!code && options->capture)
        (*scenario)->capture = *options->capture;
    if (code || !(*scenario)->fault_count)
        return code;
    pb_scenario_free(*scenario);
    *scenario = NULL;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s: has faults of its own; the matrix adds one at a time to a scenario without",
                   options->scenario_path);
}

static bool is_right(const struct pb_fault_matrix_row *row)
{
    if (!row->clean || row->verdict != PB_VERDICT_PASS)
        return false;
    return !row->injected || (row->receipt && (row->found || row->unsought) && row->error_ticks == 0);
}

static int play_row(struct pb_fault_matrix_row *row, const struct pb_scenario *scenario,
                    const struct pb_procedure *procedure, struct pb_diag *diag)
{
    struct receipt receipt = {.scenario = scenario};
    struct pb_result *result = NULL;
    struct pb_run_options run = {.timeout_s = procedure_timeout_s(procedure, scenario),
                                 .stop = procedure->stop,
                                 .on_events = row->injected ? on_events : NULL,
                                 .context = &receipt};
    int code = procedure_begin(procedure, &run.rig_url, scenario, 0, diag);
    if (!code)
        code = pb_run(&result, scenario, &run, diag);
    procedure_end(procedure);
    if (!code) {
        row->receipt = receipt.planned && receipt.began;
        if (row->receipt)
            row->error_ticks =
                (int64_t)(receipt.began_tick - receipt.edge_tick) - (int64_t)receipt.offset;
        take_result(row, result);
        row->right = is_right(row);
    }
    pb_result_free(result);
    return code;
}

/* info NULL: the control row. */
static int make_row(struct pb_fault_matrix_row *row, const struct pb_fault_info *info,
                    const struct pb_procedure *procedure, const struct pb_fault_matrix_options *options,
                    struct pb_diag *diag)
{
    struct pb_scenario *scenario;
    int code = load(&scenario, options, info ? info->kind : 0, diag);
    if (!code && info && !pb_fault_suits(scenario, info->kind))
        row->lacks = "not with these frames";
    if (!code && info && !row->lacks)
        code = pb_fault_add(scenario, &(const struct pb_fault_text){.kind = info->id}, diag);
    if (!code && !row->lacks)
        code = play_row(row, scenario, procedure, diag);
    pb_scenario_free(scenario);
    return code;
}

/* Reads the properties of the core: the kinds that it can inject. */
static int look_at_core(struct pb_device_info *core, const struct pb_procedure *procedure,
                        const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct pb_rig_options rig = {.stop = procedure->stop};
    int code = procedure_begin(procedure, &rig.url, scenario, 0, diag);
    if (!code)
        code = pb_rig_open(&transport, &rig, scenario, diag);
    if (!code)
        code = pb_device_open(&device, transport, diag);
    if (!code)
        *core = *pb_device_info(device);
    pb_device_close(device);
    procedure_end(procedure);
    return code;
}

int pb_fault_matrix_run(struct pb_fault_matrix *matrix, const struct pb_procedure *procedure,
                        const struct pb_fault_matrix_options *options, struct pb_diag *diag)
{
    const struct pb_fault_matrix_observer *observer = &options->observer;
    struct pb_device_info core;
    struct pb_scenario *scenario;
    unsigned count;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    *matrix = (struct pb_fault_matrix){.kinds = count};
    int code = load(&scenario, options, 0, diag);
    if (!code)
        code = look_at_core(&core, procedure, scenario, diag);
    pb_scenario_free(scenario);
    if (code)
        return code;
    pb_core_faults_text(matrix->core, sizeof matrix->core, &core);
    if (observer->begin)
        observer->begin(observer->context, matrix);
    for (unsigned i = 0; i <= count; i++) {
        struct pb_fault_matrix_row row = {.kind = i ? info[i - 1].id : "none", .injected = i > 0};
        if (i && !pb_core_injects(&core, info[i - 1].kind))
            row.lacks = "not on this core";
        else
            code = make_row(&row, i ? &info[i - 1] : NULL, procedure, options, diag);
        if (code)
            return code;
        matrix->lacking += row.lacks != NULL;
        matrix->wrong += !row.lacks && !row.right;
        matrix->unsought += row.unsought;
        if (observer->row && !observer->row(observer->context, &row))
            return PB_OK;
    }
    return PB_OK;
}
