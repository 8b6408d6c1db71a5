/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fault_matrix.h"

#include "cli.h"
#include "runner.h"
#include "vusb.h"

#include "host/check/check.h"
#include "host/plan/fault_slot.h"
#include "host/plan/fault_units.h"
#include "host/plan/plan.h"
#include "host/run/session.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

int fault_add(struct pb_scenario *scenario, const struct pb_fault_text *text, struct pb_diag *diag)
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

struct row {
    const char *kind;
    bool injected, receipt, found, unsought, clean; /* clean: no finding that the fault does not explain */
    bool unsuited;                                  /* not run: the scenario's frames do not allow it */
    int64_t error_ticks;                            /* of its start, against the plan */
    int64_t latency_ps, phase_ps;
    const char *found_as;
    enum pb_verdict verdict;
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

/* Reads the receipt from the events, independently of the check. */
static void measure_start(struct row *row, const struct pb_scenario *scenario,
                          const struct pb_observation *observation)
{
    uint64_t instant = 0, phases = 0, edge_tick = 0;
    uint32_t offset = 0;
    const struct pb_event *began = NULL;
    if (!planned_start(scenario, &observation->info, &instant, &offset))
        return;
    for (size_t i = 0; i < observation->events.count; i++) {
        const struct pb_event *event = &observation->events.event[i];
        if (event->kind == PB_EVENT_PHASE && phases++ == instant)
            edge_tick = event->tick;
        if (event->kind == PB_EVENT_FAULT && !began &&
            PB_GET(PB_EVENT_FAULT_WHAT, event->value) == PB_FAULT_WHAT_BEGAN)
            began = event;
    }
    row->receipt = began != NULL;
    if (began)
        row->error_ticks = (int64_t)(began->tick - edge_tick) - (int64_t)offset;
}

static void take_result(struct row *row, const struct pb_result *result)
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
static int load(struct pb_scenario **scenario, const struct fault_matrix *matrix, unsigned kind,
                struct pb_diag *diag)
{
    char text[sizeof clean_run + 64];
    const int length = snprintf(text, sizeof text, "%s%s", clean_run, link_for(kind));
    const int code =
        matrix->scenario_path
            ? pb_scenario_load(scenario, matrix->scenario_path, diag)
            : pb_scenario_parse(scenario, "the built-in scenario of the matrix", text, (size_t)length, diag);
    if (!code && matrix->capture_given)
        (*scenario)->capture = matrix->capture;
    if (code || !(*scenario)->fault_count)
        return code;
    pb_scenario_free(*scenario);
    *scenario = NULL;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s: has faults of its own; the matrix adds one at a time to a scenario without",
                   matrix->scenario_path);
}

static int play_row(struct row *row, const struct pb_scenario *scenario, const struct fault_matrix *matrix,
                    struct pb_diag *diag)
{
    struct pb_observation observation;
    struct vusb vusb;
    struct pb_result *result = calloc(1, sizeof *result);
    if (!result)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the result");
    int code = vusb_begin(&vusb, matrix->rig_url, scenario, 0, diag);
    if (code) {
        pb_result_free(result);
        return code;
    }
    const struct pb_run_options options = {
        .rig_url = vusb.url, .timeout_s = matrix->timeout_s, .stop = runner_stop_flag()};
    const struct pb_rig_options rig = {.url = vusb.url, .stop = options.stop};
    code = pb_session_play(&observation, scenario, &options, &rig, NULL, diag);
    if (!code) {
        if (row->injected)
            measure_start(row, scenario, &observation);
        code = pb_check(result, scenario, &observation);
        if (code)
            pb_fail(diag, code, "no memory to judge %zu events", observation.events.count);
    }
    if (!code)
        take_result(row, result);
    vusb_end(&vusb);
    pb_observation_free(&observation);
    pb_result_free(result);
    return code;
}

/* info NULL: the control row. */
static int make_row(struct row *row, const struct pb_fault_info *info, const struct fault_matrix *matrix)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    *row = (struct row){.kind = info ? info->id : "none", .injected = info != NULL};
    int code = load(&scenario, matrix, info ? info->kind : 0, &diag);
    row->unsuited = !code && info && !pb_fault_suits(scenario, info->kind);
    if (!code && info && !row->unsuited)
        code = fault_add(scenario, &(const struct pb_fault_text){.kind = info->id}, &diag);
    if (!code && !row->unsuited)
        code = play_row(row, scenario, matrix, &diag);
    pb_scenario_free(scenario);
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : CLI_PASS;
}

#define ROW "%-15s  %-7s  %-11s  %-18s  %-6s  %s%s\n"

static bool right(const struct row *row)
{
    if (!row->clean || row->verdict != PB_VERDICT_PASS)
        return false;
    return !row->injected || (row->receipt && (row->found || row->unsought) && row->error_ticks == 0);
}

static void print_head(const struct fault_matrix *matrix)
{
    if (matrix->markdown)
        puts("| fault | receipt | start error, ticks | found as | after, phases | verdict |\n"
             "|---|---|---|---|---|---|");
    else
        printf(ROW, "FAULT", "RECEIPT", "START ERROR", "FOUND AS", "AFTER", "VERDICT", "");
}

static void print_row(const struct row *row, const struct fault_matrix *matrix)
{
    char error[24] = "-", after[24] = "-";
    if (row->receipt)
        snprintf(error, sizeof error, "%" PRId64, row->error_ticks);
    if (row->found)
        snprintf(after, sizeof after, "%.2f", (double)row->latency_ps / (double)row->phase_ps);
    const char *receipt = !row->injected ? "-"
                          : row->receipt ? "yes"
                                         : "no",
               *found = row->found_as, *verdict = pb_verdict_name(row->verdict),
               *doubt = right(row) ? "" : "  <- not right";
    if (matrix->markdown)
        printf("| `%s` | %s | %s | %s | %s | %s%s |\n", row->kind, receipt, error, found, after, verdict,
               doubt);
    else
        printf(ROW, row->kind, receipt, error, found, after, verdict, doubt);
}

/* Reads the properties of the core: the kinds that it can inject. */
static int look_at_core(struct pb_device_info *core, const struct fault_matrix *matrix,
                        const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct vusb vusb;
    int code = vusb_begin(&vusb, matrix->rig_url, scenario, 0, diag);
    if (code)
        return code;
    code = pb_rig_open(&transport, &(struct pb_rig_options){.url = vusb.url, .stop = runner_stop_flag()},
                       scenario, diag);
    if (!code)
        code = pb_device_open(&device, transport, diag);
    if (!code)
        *core = *pb_device_info(device);
    pb_device_close(device);
    vusb_end(&vusb);
    return code;
}

static void print_lacking(const char *kind, const char *why, const struct fault_matrix *matrix)
{
    if (matrix->markdown)
        printf("| `%s` | - | - | - | - | %s |\n", kind, why);
    else
        printf(ROW, kind, "-", "-", "-", "-", why, "");
}

int fault_matrix_print(const struct fault_matrix *matrix)
{
    unsigned count, wrong = 0, unsought = 0, lacking = 0;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    struct pb_scenario *scenario;
    struct pb_diag diag;
    struct pb_device_info core;
    char ability[PB_FAULT_UNITS_TEXT];
    int code = load(&scenario, matrix, 0, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    runner_catch_signals();
    code = look_at_core(&core, matrix, scenario, &diag);
    pb_scenario_free(scenario);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);

    print_head(matrix);
    for (unsigned i = 0; i <= count; i++) {
        struct row row;
        if (i && !pb_core_injects(&core, info[i - 1].kind)) {
            lacking++;
            print_lacking(info[i - 1].id, "not on this core", matrix);
            continue;
        }
        const int exit_code = make_row(&row, i ? &info[i - 1] : NULL, matrix);
        if (exit_code != CLI_PASS)
            return exit_code;
        if (row.unsuited) {
            lacking++;
            print_lacking(row.kind, "not with these frames", matrix);
            continue;
        }
        wrong += !right(&row);
        unsought += row.unsought;
        print_row(&row, matrix);
        if (cli_flush() != CLI_PASS)
            return CLI_BENCH_FAILED;
    }
    if (!matrix->markdown) {
        pb_core_faults_text(ability, sizeof ability, &core);
        printf("\n%u fault kinds and one control run: %u as expected, %u not\n", count - lacking,
               count - lacking + 1 - wrong, wrong);
        printf("this core has %s\n", ability);
        if (unsought)
            printf("%u not sought: only edges show it, and the capture was of bytes\n", unsought);
    }
    return cli_flush() != CLI_PASS ? CLI_BENCH_FAILED : wrong ? CLI_INCONCLUSIVE : CLI_PASS;
}
