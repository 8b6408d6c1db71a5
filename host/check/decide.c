/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/decide.h"
#include "host/base/utf8.h"
#include "host/check/arrival.h"
#include "host/check/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- loss */

/* A loss that the counters report at the end explains every missing edge: removes the findings about them. */
static void explain_lost_edges(struct pb_result *result, size_t edges)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind != PB_FINDING_EDGE_LOST)
            result->finding[kept++] = result->finding[i];
    result->findings = kept;
    result->findings_total -= edges;
}

void pb_judge_loss(struct pb_check_output *out, const struct pb_loss *loss)
{
    if (!loss->reported)
        return;
    explain_lost_edges(out->result, loss->edges);
    const struct pb_observation *observation = out->run->observation;
    const struct pb_schedule_place place = {.tick = out->run->origin_tick};
    struct pb_finding *finding = pb_finding_add(out, &place, PB_FINDING_LOSS, -1);
    pb_finding_expected(finding, "no loss");
    char impossible[48] = "", unplaced[80] = "";
    if (loss->impossible)
        snprintf(impossible, sizeof impossible, ", %" PRIu64 " that no core makes", loss->impossible);
    if (loss->unplaced)
        snprintf(unplaced, sizeof unplaced, ", %" PRIu64 " left out while %u waited for their phase",
                 loss->unplaced, PB_WAITING_MAX);
    pb_finding_seen(finding, "%" PRIu64 " events lost in the core, %" PRIu64 " on the way to the host%s%s",
                    loss->in_core, observation->counters.events_missing, impossible, unplaced);
}

/* ---- verdict */

static void write_reason(struct pb_result *result, const struct pb_finding *finding)
{
    const int at = snprintf(result->reason, sizeof result->reason, "%s: %ssuperframe %" PRIu32 ", phase %u",
                            pb_finding_text(finding->kind),
                            pb_finding_is_after(result, finding) ? "after the run, " : "",
                            finding->superframe, finding->phase);
    char *rest = result->reason + at;
    const size_t size = sizeof result->reason - (size_t)at;
    const char *plural = result->findings_total == 1 ? "" : "s";
    if (finding->link < 0)
        snprintf(rest, size, "; %zu finding%s in all", result->findings_total, plural);
    else
        snprintf(rest, size, ", link %d; %zu finding%s in all", finding->link, result->findings_total,
                 plural);
}

/* An inconclusive verdict because of the bench. */
static void write_bench_reason(struct pb_result *result, const struct pb_finding *finding)
{
    if (finding->kind == PB_FINDING_NOT_MODELLED)
        pb_utf8_shorten(result->reason, sizeof result->reason, "%s: %s", pb_finding_text(finding->kind),
                        finding->seen);
    else
        write_reason(result, finding);
}

static void write_pass(struct pb_result *result)
{
    const bool edges = !strcmp(result->capture, "edges");
    size_t unsought = 0;
    char left_out[64] = "";
    for (size_t i = 0; i < result->faults; i++)
        unsought += result->fault[i].unsought;
    if (unsought)
        snprintf(left_out, sizeof left_out, ", except %zu that leave%s nothing to see", unsought,
                 unsought == 1 ? "s" : "");
    if (result->faults)
        snprintf(
            result->reason, sizeof result->reason,
            "%zu fault%s injected, each with its receipt and found%s; all else in its slot, right and silent "
            "elsewhere%s: %" PRIu64 " slots, %" PRIu64 " transmission%s",
            result->faults, result->faults == 1 ? "" : "s", left_out, edges ? "" : " by its bytes",
            result->slots_checked, result->hops_total, result->hops_total == 1 ? "" : "s");
    else
        snprintf(result->reason, sizeof result->reason,
                 "every frame in its slot, every byte right, %s elsewhere: %" PRIu64 " slots, %" PRIu64
                 " transmission%s",
                 edges ? "every line silent" : "no byte and no alarm", result->slots_checked,
                 result->hops_total, result->hops_total == 1 ? "" : "s");
}

/* True if no loss affects the finding. When events are lost, only findings about a line during the run count,
 * up to one phase before the first lost event. A low outside the node's phase counts up to the loss
 * itself. */
static bool is_whole(const struct pb_check_run *run, const struct pb_loss *loss,
                     const struct pb_finding *finding)
{
    if (!loss->known)
        return true;
    const uint64_t tick = loss->reported ? loss->whole_to_tick : 0;
    const bool is_low = finding->kind == PB_FINDING_OUTSIDE;
    return tick && !loss->impossible && finding->link >= 0 &&
           finding->time_ps >= pb_ticks_to_ps(run, run->origin_tick) &&
           finding->time_ps < pb_ticks_to_ps(run, tick) - (is_low ? 0 : run->phase_ps);
}

/* A model that stops releases the lines of its node: that cuts the frame and the answer in progress, which
 * began up to a phase before. One that stops before the clock runs leaves nothing to judge. */
static bool excuses(const struct pb_check_run *run, const struct pb_finding *bench,
                    const struct pb_finding *node)
{
    if (bench->kind != PB_FINDING_NOT_MODELLED)
        return bench->time_ps <= node->time_ps;
    return bench->time_ps <= pb_ticks_to_ps(run, run->origin_tick) ||
           bench->time_ps - run->phase_ps <= node->time_ps;
}

/* Whether one finding saw the bytes of a frame that another one misses on its own link, in one phase. */
static bool saw_bytes_of(const struct pb_finding *seen, const struct pb_finding *missing)
{
    static const char more[] = " ...";
    char bytes[sizeof missing->expected];
    snprintf(bytes, sizeof bytes, "%s", missing->expected);
    char *const cut = strstr(bytes, more);
    if (cut)
        *cut = '\0';
    return missing->kind == PB_FINDING_MISSING && *bytes && seen->link >= 0 && missing->link >= 0 &&
           seen->link != missing->link && seen->superframe == missing->superframe &&
           seen->phase == missing->phase && strstr(seen->seen, bytes);
}

/* Lines, or ports of a node, that are exchanged: a missing frame came on another link. */
static void hint_at_link(struct pb_result *result, size_t at)
{
    struct pb_finding *const first = &result->finding[at];
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *const other = &result->finding[i];
        if (saw_bytes_of(other, first)) {
            pb_utf8_shorten(first->seen, sizeof first->seen, "%s; these bytes came on link %d", first->seen,
                            other->link);
            return;
        }
        if (saw_bytes_of(first, other)) {
            pb_utf8_shorten(first->seen, sizeof first->seen, "what is due on link %d: %s", other->link,
                            first->seen);
            return;
        }
    }
}

/* What a node does after the bench failed it, and what seems to be missing once events were lost, proves
 * nothing against it. An applied fault that was not found does not excuse a node. */
void pb_decide(struct pb_result *result, const struct pb_check_run *run, const struct pb_loss *loss)
{
    const struct pb_finding *first[PB_BLAMES] = {NULL};
    size_t count[PB_BLAMES] = {0};
    for (size_t i = result->findings; i-- > 0;) {
        const enum pb_blame blame = pb_finding_blame(&result->finding[i]);
        count[blame]++;
        if (blame != PB_BLAME_NODE || is_whole(run, loss, &result->finding[i]))
            first[blame] = &result->finding[i];
    }
    const struct pb_finding *node = first[PB_BLAME_NODE], *bench = first[PB_BLAME_BENCH],
                            *open = first[PB_BLAME_NOBODY];

    if (node && !(bench && excuses(run, bench, node))) {
        result->verdict = PB_VERDICT_FAIL;
        write_reason(result, node);
        hint_at_link(result, (size_t)(node - result->finding));
    } else if ((bench || first[PB_BLAME_UNDETECTED]) && !loss->known) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        write_bench_reason(result, bench ? bench : first[PB_BLAME_UNDETECTED]);
    } else if (open) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        pb_utf8_shorten(result->reason, sizeof result->reason, "%s: %s", pb_finding_text(open->kind),
                        open->seen);
    } else if (!result->hops_total) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(
            result->reason, sizeof result->reason,
            "no message crosses a line of the rig, so nothing was proven; add traffic through its nodes");
    } else if (pb_evidence_lacks(result->reason, sizeof result->reason, result)) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
    } else if (first[PB_BLAME_MARGINAL]) {
        const size_t near = result->findings_total > result->findings
                                ? result->findings_total - count[PB_BLAME_FAULT]
                                : count[PB_BLAME_MARGINAL];
        result->verdict = PB_VERDICT_MARGINAL;
        snprintf(result->reason, sizeof result->reason,
                 "%zu value%s within the measurement uncertainty of a limit", near,
                 near == 1 ? " is" : "s are");
    } else {
        result->verdict = PB_VERDICT_PASS;
        write_pass(result);
    }
}
