/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes a case as a scenario file.
 */
#include "case.h"

#include "bench/nodes/freedoms.h"

#include <inttypes.h>

const char *const fault_names[FAULT_KINDS] = {
    [F_STUCK_LOW] = "stuck_low",
    [F_OPEN] = "open",
    [F_SHORT] = "short",
    [F_SLOW_RISE] = "slow_rise",
    [F_GLITCH] = "glitch",
    [F_SECOND_DRIVER] = "second_driver",
    [F_LATE_EDGE] = "late_edge",
    [F_EARLY_EDGE] = "early_edge",
    [F_MISSING_EDGE] = "missing_edge",
    [F_EXTRA_EDGE] = "extra_edge",
    [F_EXTRA_SYNC] = "extra_sync",
    [F_MISSING_SYNC] = "missing_sync",
    [F_JITTER] = "jitter",
    [F_DRIFT] = "drift",
    [F_WRONG_BYTES] = "wrong_bytes",
    [F_FRAMING] = "framing",
    [F_BAUD] = "baud",
    [F_EARLY_START] = "early_start",
    [F_LATE_START] = "late_start",
    [F_BABBLE] = "babble",
    [F_SHORT_FRAME] = "short_frame",
    [F_LONG_FRAME] = "long_frame",
    [F_WRONG_LENGTH] = "wrong_length",
    [F_OUTSIDE_ADDRESS] = "outside_address",
};

static const char *const pattern_names[PATTERNS] = {
    [P_XOR] = "xor",         [P_COMPLEMENT] = "complement",
    [P_BITREV] = "bitrev",   [P_TRANSPOSE] = "transpose",
    [P_SHUFFLE] = "shuffle", [P_HOTSPOT] = "hotspot",
    [P_PERM] = "perm",       [P_UNIFORM] = "uniform",
    [P_XORS] = "xors",       [P_PAIRS] = "pairs",
    [P_TOTAL] = "total",
};

static const char *const kind_names[KINDS] = {"native", "ref", "contract"};

/* In the largest unit that holds it exactly. */
static void put_time(FILE *out, const char *before, int64_t ps)
{
    static const struct {
        int64_t ps;
        const char *name;
    } unit[] = {{1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}};
    size_t i = 0;
    while (ps % unit[i].ps)
        i++;
    fprintf(out, "%s%" PRId64 " %s", before, ps / unit[i].ps, unit[i].name);
}

static void put_optional_time(FILE *out, const char *before, int64_t ps)
{
    if (ps != UNSET)
        put_time(out, before, ps);
}

static void put_optional(FILE *out, const char *before, int64_t value)
{
    if (value != UNSET)
        fprintf(out, "%s%" PRId64, before, value);
}

static void write_freedoms(FILE *out, uint64_t freedoms)
{
    static const char *const name[] = {
#define FREEDOM_NAME(id, name, sentence, text) name,
        PB_FREEDOM_LIST(FREEDOM_NAME)
#undef FREEDOM_NAME
    };
    const char *before = ", freedom: ";
    for (unsigned i = 0; i < PB_FREEDOMS; i++)
        if (freedoms >> i & 1) {
            fprintf(out, "%s%s", before, name[i]);
            before = "+";
        }
}

static void write_node(FILE *out, const struct case_node *node)
{
    fprintf(out, "  - {address: 0x%" PRIX32 ", kind: %s", node->address, kind_names[node->kind]);
    if (node->ppm)
        fprintf(out, ", clock_error: %" PRId32 " ppm", node->ppm);
    if (node->kind != KIND_REF) {
        put_optional_time(out, ", irq_latency: ", node->latency_ps);
        put_optional_time(out, ", irq_jitter: ", node->jitter_ps);
    }
    if (node->kind == KIND_CONTRACT && node->freedoms)
        write_freedoms(out, node->freedoms);
    if (node->defect) {
        fprintf(out, ", defect: %s", node->defect);
        put_optional_time(out, ", defect_amount: ", node->amount_ps);
        put_optional(out, ", defect_from: ", node->from);
        if (node->every == 0)
            fprintf(out, ", defect_every: once");
        else
            put_optional(out, ", defect_every: ", node->every);
    }
    fprintf(out, "}\n");
}

static void write_entry(FILE *out, const struct case_entry *entry)
{
    switch (entry->pattern) {
    case FROM_TO:
        fprintf(out, "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32, entry->from, entry->to);
        break;
    case P_XOR:
    case P_HOTSPOT:
    case P_PAIRS:
    case P_PERM:
    case P_UNIFORM:
    case P_XORS:
        fprintf(out, "  - {pattern: \"%s:0x%" PRIX64 "\"", pattern_names[entry->pattern], entry->argument);
        break;
    default:
        fprintf(out, "  - {pattern: %s", pattern_names[entry->pattern]);
        break;
    }
    if (entry->superframe)
        fprintf(out, ", superframe: %" PRIu32, entry->superframe);
    if (entry->phase)
        fprintf(out, ", phase: %" PRIu32, entry->phase);
    if (entry->repeat > 1)
        fprintf(out, ", repeat: %" PRIu32, entry->repeat);
    fprintf(out, "}\n");
}

static void write_fault(FILE *out, const struct test_case *test, const struct case_fault *fault)
{
    fprintf(out, "  - {kind: %s, superframe: %" PRIu32, fault_names[fault->kind], fault->superframe);
    if (!fault_on_clock(fault->kind))
        fprintf(out, ", node: 0x%" PRIX32, test->node[fault->node].address);
    put_optional(out, ", dimension: ", fault->dimension);
    put_optional(out, ", phase: ", fault->phase);
    put_optional_time(out, ", at: ", fault->at_ps);
    put_optional_time(out, ", length: ", fault->length_ps);
    put_optional_time(out, ", amount: ", fault->amount_ps);
    put_optional_time(out, ", time_constant: ", fault->time_constant_ps);
    put_optional(out, ", ppm: ", fault->ppm);
    put_optional(out, ", seed: ", fault->seed);
    put_optional(out, ", bytes: ", fault->bytes);
    if (fault->gaussian)
        fprintf(out, ", shape: gaussian");
    if (fault->kind == F_SHORT && fault->other_dimension != UNSET)
        fprintf(out, ", other: {node: 0x%" PRIX32 ", dimension: %" PRId64 "}",
                test->node[fault->other_node].address, fault->other_dimension);
    fprintf(out, "}\n");
}

static void write_link(FILE *out, const struct test_case *test)
{
    fprintf(out, "link:\n  phase_rate: %" PRIu64, test->rate_mhz / 1000);
    if (test->rate_mhz % 1000)
        fprintf(out, ".%03" PRIu64, test->rate_mhz % 1000);
    fprintf(out, " Hz\n  baud: %" PRIu64 " baud\n", test->baud);
    put_optional_time(out, "  guard: ", test->guard_ps);
    fprintf(out, test->guard_ps == UNSET ? "" : "\n");
    put_optional_time(out, "  head_guard: ", test->head_ps);
    fprintf(out, test->head_ps == UNSET ? "" : "\n");
    if (test->starc)
        fprintf(out, "  codec: starc\n");
    if (test->payload != UNSET)
        fprintf(out, "  payload: %" PRId64 " bytes\n", test->payload);
    if (test->console_baud != 460800)
        fprintf(out, "  console_baud: %" PRIu64 " baud\n", test->console_baud);
    if (test->push_pull)
        fprintf(out, "  drive: push_pull\n");
}

static void write_limits(FILE *out, const struct test_case *test)
{
    if (test->start_early_ps == UNSET && test->start_late_ps == UNSET && test->max_superframes == UNSET &&
        test->max_occupancy == UNSET && test->recovery == UNSET)
        return;
    fprintf(out, "limits:\n");
    put_optional_time(out, "  start_early: ", test->start_early_ps);
    fprintf(out, test->start_early_ps == UNSET ? "" : "\n");
    put_optional_time(out, "  start_late: ", test->start_late_ps);
    fprintf(out, test->start_late_ps == UNSET ? "" : "\n");
    put_optional(out, "  max_superframes: ", test->max_superframes);
    fprintf(out, test->max_superframes == UNSET ? "" : "\n");
    put_optional(out, "  max_occupancy: ", test->max_occupancy);
    fprintf(out, test->max_occupancy == UNSET ? "" : "\n");
    put_optional(out, "  recovery: ", test->recovery);
    fprintf(out, test->recovery == UNSET ? "" : "\n");
}

void write_yaml(FILE *out, const struct test_case *test)
{
    const char *rule = test->opportunistic ? "opportunistic" : "ecube";
    fprintf(out, "name: case %" PRIu64 "\n", test->seed);
    if (!test->digits)
        fprintf(out, "cube: {dims: %u, rule: %s}\n", test->dims, rule);
    for (unsigned i = 0; i < test->digits; i++)
        fprintf(out, "%s%u", i ? ", " : "network: {family: generalised, radix: [", test->radix[i]);
    if (test->digits)
        fprintf(out, "], rule: %s}\n", rule);
    write_link(out, test);
    if (test->external) {
        fprintf(out, "clock: {source: external, error: %" PRId64 " ppm", test->external_ppm);
        put_time(out, ", jitter: ", test->external_jitter_ps);
        fprintf(out, "}\n");
    }
    if (test->superframes != UNSET)
        fprintf(out, "superframes: %" PRId64 "\n", test->superframes);
    fprintf(out, "seed: %" PRIu64 "\n", test->run_seed);
    if (test->capture)
        fprintf(out, "capture: %s\n", test->capture);
    fprintf(out, "nodes:\n");
    for (unsigned i = 0; i < test->nodes; i++)
        write_node(out, &test->node[i]);
    fprintf(out, "traffic:\n");
    for (unsigned i = 0; i < test->entries; i++)
        write_entry(out, &test->entry[i]);
    if (test->faults)
        fprintf(out, "faults:\n");
    for (unsigned i = 0; i < test->faults; i++)
        write_fault(out, test, &test->fault[i]);
    write_limits(out, test);
}
