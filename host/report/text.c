/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"
#include "phasebench/report.h"
#include "render.h"
#include "terminal.h"

#include <inttypes.h>
#include <string.h>

#define FURTHER_FINDINGS 5

static void verdict(struct pb_terminal *terminal, const struct pb_result *result)
{
    static const struct {
        const char *word;
        enum pb_ink ink;
    } shown[] = {
        [PB_VERDICT_PASS] = {"PASS", PB_INK_GREEN},
        [PB_VERDICT_MARGINAL] = {"MARGINAL", PB_INK_YELLOW},
        [PB_VERDICT_FAIL] = {"FAIL", PB_INK_RED},
        [PB_VERDICT_INCONCLUSIVE] = {"INCONCLUSIVE", PB_INK_MAGENTA},
    };
    pb_terminal_headline(terminal, shown[result->verdict].ink, shown[result->verdict].word, result->reason);
}

static void incomplete(struct pb_terminal *terminal, const struct pb_result *result)
{
    if (*result->incomplete)
        pb_terminal_field(terminal, "incomplete", "only what came before was judged%s%s",
                          result->verdict == PB_VERDICT_FAIL ? ": " : "",
                          result->verdict == PB_VERDICT_FAIL ? result->incomplete : "");
}

static void settings(struct pb_terminal *terminal, const struct pb_result *result)
{
    char size[PB_NETWORK_TEXT_SIZE];
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "scenario", "%s (%s)", result->scenario, result->scenario_path);
    pb_terminal_field(terminal, "rig", "%s", result->rig);
    pb_terminal_field(terminal, "nodes", "%s", result->nodes);
    pb_terminal_field(
        terminal, "schedule", "%s, %s, %u phases of %s us (%sHz), %" PRIu32 " superframes",
        pb_network_text(&result->network, size), pb_rule_name(result->rule), result->network.phases,
        pb_us(result->phase_ps).text, pb_frequency(result->phase_rate_mhz).text, result->superframes);
    pb_terminal_field(
        terminal, "frame", "%s, %u bytes (%u of payload) at %sbaud; guard %s us, %s us of it at the head",
        result->codec, result->frame_bytes, result->payload_bytes, pb_frequency(result->baud_hz * 1000).text,
        pb_us(result->guard_ps).text, pb_us(result->head_guard_ps).text);
}

static void capture(struct pb_terminal *terminal, const struct pb_result *result)
{
    const char *clause;
    const bool reason = *result->capture_reason;
    if (!strcmp(result->capture, "bytes") || reason)
        pb_terminal_field(terminal, "capture", "%s%s%s", result->capture, reason ? ": " : "",
                          result->capture_reason);
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++)
        pb_terminal_field(terminal, i ? "" : "not checked", "%s", clause);
}

static void bound(struct pb_terminal *terminal, const struct pb_result *result)
{
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "bound", "%s", result->bound);
    for (unsigned i = 0; i < result->hypotheses; i++) {
        const struct pb_hypothesis *hypothesis = &result->hypothesis[i];
        pb_terminal_field(terminal, "  hypothesis", "%s %s: %s", hypothesis->name,
                          hypothesis->holds ? "holds" : "does not hold", hypothesis->condition);
        if (*hypothesis->detail)
            pb_terminal_field(terminal, "", "%s", hypothesis->detail);
    }
}

static void nodes(struct pb_terminal *terminal, const struct pb_result *result)
{
    for (unsigned i = 0; i < result->node_rows; i++) {
        const struct pb_node_row *node = &result->node[i];
        pb_terminal_field(terminal, i ? "" : "evidence",
                          "%s sent %" PRIu64 ", forwarded %" PRIu64 ", received %" PRIu64 ", %" PRIu64
                          " of them for itself; %s",
                          pb_address(node->address, &result->network).text, node->sent, node->forwarded,
                          node->received, node->delivered, pb_node_counters_text(node).text);
    }
}

static void counts(struct pb_terminal *terminal, const struct pb_result *result)
{
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "messages",
                      "%" PRIu64 ", %" PRIu64 " through the rig; delivered %" PRIu64 ", late %" PRIu64
                      "; slowest %" PRIu32 " phases",
                      result->messages, result->messages_through_rig, result->delivered, result->late,
                      result->worst_latency_phases);
    if (!strcmp(result->rest, "reacts"))
        pb_terminal_field(terminal, "rest",
                          "reacts: messages lost on the rig %" PRIu64
                          ", of them taken out of the rest of the network %" PRIu64 "; longest delay %" PRIu32
                          " superframes",
                          result->lost_messages, result->taken_out, result->reaction_superframes);
    pb_terminal_field(terminal, "checked",
                      "%" PRIu64 " slots, %" PRIu64 " bytes, %" PRIu64 " edges; %" PRIu64 " events, %" PRIu64
                      " lost; %" PRIu64 " alarms",
                      result->slots_checked, result->bytes_seen, result->edges_seen, result->events,
                      result->events_lost, result->alarms);
    nodes(terminal, result);
    double wall_s = (double)result->wall_ns / 1e9;
    if (result->simulated_ps > 0)
        pb_terminal_field(terminal, "time", "%s simulated in %.2f s", pb_duration(result->simulated_ps).text,
                          wall_s);
    else
        pb_terminal_field(terminal, "time", "%.2f s", wall_s);
    if (result->core_clock_hz)
        pb_terminal_field(terminal, "core", "%sHz; edges to %s",
                          pb_frequency(result->core_clock_hz * 1000).text,
                          pb_duration(result->edge_resolution_ps).text);
    pb_terminal_clock(terminal, result);
}

#define PLACE_SIZE 160 /* enough for any numbers */
/* "superframe 3, phase 8 (dimension 4, low to high), link 4" */
static void place(char text[PLACE_SIZE], const struct pb_result *result, const struct pb_finding *finding)
{
    int length = snprintf(text, PLACE_SIZE, "%ssuperframe %" PRIu32 ", phase %u",
                          pb_finding_is_after(result, finding) ? "after the run, " : "", finding->superframe,
                          finding->phase);
    if (finding->dimension >= 0)
        length +=
            snprintf(text + length, PLACE_SIZE - (size_t)length, " (%s %d, %s)",
                     pb_port_word(&result->network), finding->dimension,
                     finding->phase % 2 ? "high to low" : "low to high");
    if (finding->link >= 0)
        snprintf(text + length, PLACE_SIZE - (size_t)length, ", link %d", finding->link);
}

static const char *weight(char label[32], const struct pb_finding *finding)
{
    if (finding->fault < 0)
        return finding->marginal ? "  marginal" : "  fail";
    snprintf(label, 32, "  fault %d", finding->fault);
    return label;
}

static void first_finding(struct pb_terminal *terminal, const struct pb_result *result,
                          const struct pb_finding *first)
{
    char where[PLACE_SIZE];
    place(where, result, first);
    fputc('\n', terminal->stream);
    pb_terminal_ink(terminal, first->marginal ? PB_INK_YELLOW : PB_INK_RED);
    fputs(first->marginal ? "FIRST MARGINAL FINDING" : "FIRST DIVERGENCE", terminal->stream);
    pb_terminal_ink(terminal, PB_INK_PLAIN);
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "  what", "%s: %s", pb_finding_id(first->kind), pb_finding_text(first->kind));
    pb_terminal_field(terminal, "  where", "%s, %s after the first phase edge", where,
                      pb_duration(first->time_ps).text);
    if (first->bit >= 0)
        pb_terminal_field(terminal, "  bit", "%s", pb_bit_place(first->bit).text);
    pb_terminal_field(terminal, "  expected", "%s", first->expected);
    pb_terminal_field(terminal, "  seen", "%s", first->seen);
    if (*result->trace_path)
        pb_terminal_field(terminal, "  trace", "%s", result->trace_path);
    if (*result->steps_path)
        pb_terminal_field(terminal, "  steps", "%s", result->steps_path);
}

static void findings(struct pb_terminal *terminal, const struct pb_result *result)
{
    const struct pb_finding *first = pb_first_divergence(result);
    if (!result->findings)
        return;
    if (first)
        first_finding(terminal, result, first);
    size_t shown = first ? 1 : 0, listed = 0;
    for (size_t i = 0; i < result->findings && listed < FURTHER_FINDINGS; i++) {
        const struct pb_finding *finding = &result->finding[i];
        char label[32], where[PLACE_SIZE];
        if (finding == first)
            continue;
        if (!listed++)
            fputs(first ? "\nfurther findings\n" : "\nfindings, all explained by injected faults\n",
                  terminal->stream);
        shown++;
        place(where, result, finding);
        pb_terminal_field(terminal, weight(label, finding), "%s: %s; expected %s; seen %s",
                          pb_finding_id(finding->kind), where, finding->expected, finding->seen);
    }
    if (result->findings_total > shown)
        fprintf(terminal->stream, "  and %zu more of %zu\n", result->findings_total - shown,
                result->findings_total);
}

int pb_report_text(FILE *stream, const struct pb_result *result, const struct pb_report_style *style)
{
    struct pb_terminal terminal;
    pb_terminal_open(&terminal, stream, style);
    verdict(&terminal, result);
    incomplete(&terminal, result);
    settings(&terminal, result);
    capture(&terminal, result);
    bound(&terminal, result);
    counts(&terminal, result);
    pb_terminal_lines(&terminal, result);
    pb_terminal_starts(&terminal, result);
    pb_terminal_processors(&terminal, result);
    pb_terminal_margins(&terminal, result);
    pb_terminal_faults(&terminal, result);
    pb_terminal_timeline(&terminal, result);
    findings(&terminal, result);
    fputs("\nrepeat this run with\n", stream);
    pb_terminal_line(&terminal, result->command);
    return pb_stream_status(stream);
}
