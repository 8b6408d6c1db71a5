/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_table.h"
#include "phasebench/fault.h"
#include "render.h"

_Static_assert(sizeof(unsigned) == 4 && sizeof(int) == 4, "fields of 4 bytes are int, unsigned or uint32_t");
_Static_assert(sizeof(enum pb_verdict) == sizeof(int) && sizeof(enum pb_rule) == sizeof(int) &&
                   sizeof(enum pb_sender) == sizeof(int) && sizeof(enum pb_rise_source) == sizeof(int) &&
                   sizeof(enum pb_finding_kind) == sizeof(int) && sizeof(enum pb_evidence) == sizeof(int) &&
                   sizeof(enum pb_figure) == sizeof(int) && sizeof(enum pb_judgement) == sizeof(int),
               "choices are read and written as int");

/* 1000 s: sums over the phases of a superframe fit an int64. */
#define SPAN_MAX_PS INT64_C(1000000000000000)
#define SPAN(type, member, key) ENTRY(type, member, key, PB_FIELD_SIGNED, 0, SPAN_MAX_PS, NULL)

static const char *verdict_name(int value)
{
    return pb_verdict_name((enum pb_verdict)value);
}

/* Not taken from the analysis: these words are part of the file format. */
static const char *rule_name(int value)
{
    return value == PB_RULE_OPPORTUNISTIC ? "opportunistic" : "ecube";
}

static const char *sender_name(int value)
{
    return value == PB_SENDER_BENCH ? "bench" : "node";
}

static const char *finding_name(int value)
{
    return pb_finding_id((enum pb_finding_kind)value);
}

static const char *rise_name(int value)
{
    return pb_rise_source_name((enum pb_rise_source)value);
}

static const char *fault_name(int value)
{
    return pb_fault_id((unsigned)value);
}

static const struct pb_field identity[] = {
    TEXT(pb_result, scenario, "scenario"),
    TEXT(pb_result, scenario_path, "scenario_path"),
    TEXT(pb_result, rig, "rig"),
    TEXT(pb_result, nodes, "nodes"),
    TEXT(pb_result, command, "command"),
    ENTRY(pb_result, seed, "seed", PB_FIELD_DECIMAL, 0, 0, NULL),
    TEXT(pb_result, started_utc, "started_utc"),
};
FIELDS(pb_fields_identity, identity);

static const struct pb_field settings[] = {
    TEXT(pb_result, network_name, "network"),
    UPTO(pb_result, network.dims, "dims", 0, PB_DIMS_MAX),
    CHOICE(pb_result, rule, "rule", PB_RULE_OPPORTUNISTIC, rule_name),
    TEXT(pb_result, codec, "codec"),
    COUNT(pb_result, superframes, "superframes"),
    COUNT(pb_result, payload_bytes, "payload_bytes"),
    COUNT(pb_result, frame_bytes, "frame_bytes"),
    COUNT(pb_result, phase_rate_mhz, "phase_rate_mhz"),
    COUNT(pb_result, baud_hz, "baud_hz"),
    COUNT(pb_result, core_clock_hz, "core_clock_hz"),
    SPAN(pb_result, phase_ps, "phase_ps"),
    SPAN(pb_result, guard_ps, "guard_ps"),
    SPAN(pb_result, head_guard_ps, "head_guard_ps"),
    SPAN(pb_result, start_min_ps, "start_min_ps"),
    SPAN(pb_result, start_max_ps, "start_max_ps"),
    SPAN(pb_result, resolution_ps, "resolution_ps"),
    SPAN(pb_result, edge_resolution_ps, "edge_resolution_ps"),
    SPAN(pb_result, uncertainty_ps, "uncertainty_ps"),
    TEXT(pb_result, board, "board"),
    SPAN(pb_result, u95_fall_ps, "u95_fall_ps"),
    SPAN(pb_result, u95_rise_ps, "u95_rise_ps"),
    TEXT(pb_result, rest, "rest"),
    TEXT(pb_result, capture, "capture"),
    TEXT(pb_result, capture_reason, "capture_reason"),
};
FIELDS(pb_fields_settings, settings);

static const struct pb_field bound[] = {
    TEXT(pb_result, bound, "text"),
    COUNT(pb_result, bound_superframes, "superframes"),
    COUNT(pb_result, bound_phases, "phases"),
};
FIELDS(pb_fields_bound, bound);

static const struct pb_field counts[] = {
    COUNT(pb_result, messages, "messages"),
    COUNT(pb_result, messages_through_rig, "messages_through_rig"),
    COUNT(pb_result, delivered, "delivered"),
    COUNT(pb_result, late, "late"),
    COUNT(pb_result, worst_latency_phases, "worst_latency_phases"),
    COUNT(pb_result, lost_messages, "lost_messages"),
    COUNT(pb_result, taken_out, "taken_out"),
    COUNT(pb_result, reaction_superframes, "reaction_superframes"),
    COUNT(pb_result, slots_checked, "slots_checked"),
    COUNT(pb_result, hops_total, "transmissions"),
    COUNT(pb_result, bytes_seen, "bytes_seen"),
    COUNT(pb_result, edges_seen, "edges_seen"),
    COUNT(pb_result, events, "events"),
    COUNT(pb_result, events_lost, "events_lost"),
    COUNT(pb_result, alarms, "alarms"),
};
FIELDS(pb_fields_counts, counts);

static const struct pb_field tail[] = {
    TIME(pb_result, simulated_ps, "simulated_ps"),
    TIME(pb_result, clock_start_ps, "clock_start_ps"),
    TIME(pb_result, wall_ns, "wall_ns"),
    TEXT(pb_result, trace_path, "trace_path"),
    TEXT(pb_result, steps_path, "steps_path"),
    COUNT(pb_result, findings_total, "findings_total"),
};
FIELDS(pb_fields_tail, tail);

/* The verdict is the last member, so that it ends the output of the command. */
static const struct pb_field verdict[] = {
    TEXT(pb_result, incomplete, "incomplete"),
    TEXT(pb_result, reason, "reason"),
    CHOICE(pb_result, verdict, "verdict", PB_VERDICT_INCONCLUSIVE, verdict_name),
};
FIELDS(pb_fields_verdict, verdict);

static const struct pb_field measurement[] = {
    CHOICE(pb_measurement, figure, "figure", PB_FIGURES - 1, pb_figure_id),
    OPTIONAL(pb_measurement, node, "node", PB_NODE_ROWS_MAX - 1),
    OPTIONAL(pb_measurement, link, "link", PB_RISE_LINKS - 1),
    OPTIONAL(pb_measurement, dimension, "dimension", PB_DIMS_MAX - 1),
    UPTO(pb_measurement, n, "n", 1, INT64_MAX),
    TIME(pb_measurement, min, "min"),
    TIME(pb_measurement, mean, "mean"),
    TIME(pb_measurement, max, "max"),
    TIME(pb_measurement, sd, "sd"),
    TIME_OR_NULL(pb_measurement, lower, "lower"),
    TIME_OR_NULL(pb_measurement, upper, "upper"),
    TIME(pb_measurement, u95, "u95"),
    TIME_OR_NULL(pb_measurement, margin, "margin"),
    CHOICE(pb_measurement, judgement, "judgement", PB_JUDGED_FAIL, pb_judgement_name),
};
FIELDS(pb_fields_measurement, measurement);

static const struct pb_field corrected[] = {
    TIME(pb_corrected, mean_ps, "mean_ps"), TIME(pb_corrected, mean_u95_ps, "mean_u95_ps"),
    TIME(pb_corrected, sd_ps, "sd_ps"),     BOOL(pb_corrected, sd_is_bound, "sd_is_bound"),
    BOOL(pb_corrected, swept, "swept"),     COUNT(pb_corrected, residues, "residues"),
};
FIELDS(pb_fields_corrected, corrected);

static const struct pb_field rise[] = {
    {"source", PB_FIELD_CHOICE, 0, sizeof(enum pb_rise_source), 0, PB_RISE_DRIVEN, rise_name},
};
FIELDS(pb_fields_rise, rise);

static const struct pb_field uncertainty[] = {
    TEXT(pb_uncertainty_row, name, "name"),
    BOOL(pb_uncertainty_row, normal, "normal"),
    SPAN(pb_uncertainty_row, fall_ps, "fall_ps"),
    SPAN(pb_uncertainty_row, rise_ps, "rise_ps"),
};
FIELDS(pb_fields_uncertainty, uncertainty);

static const struct pb_field histogram[] = {
    TIME(pb_histogram, from_ps, "from_ps"),
    TIME(pb_histogram, bin_ps, "bin_ps"),
    COUNT(pb_histogram, below, "below"),
    COUNT(pb_histogram, above, "above"),
};
FIELDS(pb_fields_histogram, histogram);

static const struct pb_field finding[] = {
    CHOICE(pb_finding, kind, "id", PB_FINDING_KINDS - 1, finding_name),
    BOOL(pb_finding, marginal, "marginal"),
    TIME(pb_finding, time_ps, "time_ps"),
    COUNT(pb_finding, superframe, "superframe"),
    COUNT(pb_finding, phase, "phase"),
    OPTIONAL(pb_finding, link, "link", INT32_MAX),
    OPTIONAL(pb_finding, dimension, "dimension", INT32_MAX),
    OPTIONAL(pb_finding, bit, "bit", INT32_MAX),
    OPTIONAL(pb_finding, fault, "fault", INT32_MAX),
    MAYBE(pb_finding, sender, "sender", -1, PB_SENDER_BENCH, sender_name),
    TEXT(pb_finding, expected, "expected"),
    TEXT(pb_finding, seen, "seen"),
};
FIELDS(pb_fields_finding, finding);

static const struct pb_field hypothesis[] = {
    TEXT(pb_hypothesis, name, "name"),
    BOOL(pb_hypothesis, holds, "holds"),
    TEXT(pb_hypothesis, condition, "condition"),
    TEXT(pb_hypothesis, detail, "detail"),
};
FIELDS(pb_fields_hypothesis, hypothesis);

static const struct pb_field fault[] = {
    CHOICE(pb_fault_row, kind, "kind", PB_FAULT_END - 1, fault_name),
    OPTIONAL(pb_fault_row, link, "link", INT32_MAX),
    OPTIONAL(pb_fault_row, other_link, "other_link", INT32_MAX),
    COUNT(pb_fault_row, superframe, "superframe"),
    COUNT(pb_fault_row, phase, "phase"),
    BOOL(pb_fault_row, began, "began"),
    BOOL(pb_fault_row, ended, "ended"),
    TIME(pb_fault_row, start_ps, "start_ps"),
    TIME(pb_fault_row, length_ps, "length_ps"),
    BOOL(pb_fault_row, detected, "detected"),
    TIME(pb_fault_row, detected_ps, "detected_ps"),
    MAYBE(pb_fault_row, found_as, "found_as", PB_FINDING_KINDS, PB_FINDING_KINDS - 1, finding_name),
    BOOL(pb_fault_row, unsought, "unsought"),
    COUNT(pb_fault_row, explains, "explains"),
};
FIELDS(pb_fields_fault, fault);

static const struct pb_field hop[] = {
    ENTRY(pb_hop_row, message, "message", PB_FIELD_INDEX, 0, INT64_MAX, NULL),
    COUNT(pb_hop_row, source, "source"),
    COUNT(pb_hop_row, destination, "destination"),
    COUNT(pb_hop_row, superframe, "superframe"),
    COUNT(pb_hop_row, phase, "phase"),
    COUNT(pb_hop_row, dimension, "dimension"),
    COUNT(pb_hop_row, from, "from"),
    COUNT(pb_hop_row, to, "to"),
    COUNT(pb_hop_row, link, "link"),
    CHOICE(pb_hop_row, sender, "sender", PB_SENDER_BENCH, sender_name),
    BOOL(pb_hop_row, seen, "seen"),
    BOOL(pb_hop_row, correct, "correct"),
    OPTIONAL(pb_hop_row, start_ps, "start_ps", INT64_MAX),
    OPTIONAL(pb_hop_row, end_ps, "end_ps", INT64_MAX),
    COUNT(pb_hop_row, byte_count, "byte_count"),
};
FIELDS(pb_fields_hop, hop);

static const struct pb_field node[] = {
    COUNT(pb_node_row, address, "address"),
    TEXT(pb_node_row, kind, "kind"),
    TEXT(pb_node_row, identity, "identity"),
    COUNT(pb_node_row, sent, "sent"),
    COUNT(pb_node_row, forwarded, "forwarded"),
    COUNT(pb_node_row, received, "received"),
    COUNT(pb_node_row, delivered, "delivered"),
    BOOL(pb_node_row, counted, "counted"),
    CHOICE(pb_node_row, evidence, "evidence", PB_EVIDENCE_FRAMES, pb_evidence_name),
};
FIELDS(pb_fields_node, node);
