/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line that an injected fault pulls low must be low. On an open-drain line only a side that drives high
 * keeps it from that, and no node may.
 */
#include "host/check/classify.h"
#include "host/plan/fault_records.h"

enum { MARGIN_TICKS = 4 }; /* receipts, synchronisers and stamps, at either end of a pull */

/* Ticks from the beginning of the slot. */
struct pull {
    int64_t from_tick, to_tick;
};

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

/* Whether the line was high within the pull, as far as that lies in the slot. */
static bool is_resisted(const struct pb_check_output *out, const struct pb_line_slot *slot,
                        const struct pull *pull)
{
    const int64_t phase_ticks = pb_ps_to_ticks(out->run, out->run->phase_ps);
    const int64_t last_tick = phase_ticks - phase_ticks / 64; /* a phase of another clock may be shorter */
    const int64_t from_tick = later(pull->from_tick, 0) + MARGIN_TICKS,
                  to_tick = (pull->to_tick < last_tick ? pull->to_tick : last_tick) - MARGIN_TICKS;
    return from_tick < to_tick && !pb_wave_low_throughout(&slot->wave, from_tick, to_tick) &&
           !pb_fault_opens(out->faults, slot, pb_ticks_to_ps(out->run, (uint64_t)from_tick),
                           pb_ticks_to_ps(out->run, (uint64_t)to_tick));
}

/* The first pull of the fault that the line resists. A second driver pulls in every other half wave, the
 * first one included. */
static bool find(const struct pb_check_output *out, const struct pb_line_slot *slot, size_t index,
                 struct pull *pull)
{
    const struct pb_fault_row *row = &out->faults->row[index];
    const int64_t phase_ticks = pb_ps_to_ticks(out->run, out->run->phase_ps),
                  begin_tick = pb_ps_to_ticks(out->run, row->start_ps) - (int64_t)slot->at.tick,
                  end_tick = out->faults->state[index].end_ps == INT64_MAX
                                 ? phase_ticks
                                 : pb_ps_to_ticks(out->run, out->faults->state[index].end_ps) -
                                       (int64_t)slot->at.tick,
                  half_ticks = row->kind == PB_FAULT_SECOND_DRIVER
                                   ? (int64_t)pb_plan_ticks(&out->run->observation->info,
                                                            out->run->scenario->fault[index].amount_ps)
                                   : end_tick - begin_tick;
    if (half_ticks <= 2 * MARGIN_TICKS)
        return false;
    for (int64_t at_tick = begin_tick; at_tick < end_tick && at_tick < phase_ticks;
         at_tick += 2 * half_ticks) {
        *pull = (struct pull){at_tick, at_tick + half_ticks < end_tick ? at_tick + half_ticks : end_tick};
        if (is_resisted(out, slot, pull))
            return true;
    }
    return false;
}

bool pb_judge_pulls(struct pb_check_output *out, struct pb_line_slot *slot)
{
    struct pull pull;
    if (out->run->scenario->push_pull || slot->expected.through_fabric || slot->level_lost ||
        pb_is_edgeless(out->run, slot->link))
        return true;
    for (size_t i = 0; i < out->faults->count; i++) {
        const struct pb_fault_row *row = &out->faults->row[i];
        const bool pulls = row->kind == PB_FAULT_STUCK_LOW || row->kind == PB_FAULT_SECOND_DRIVER ||
                           row->kind == PB_FAULT_GLITCH;
        if (!pulls || !row->began || row->link != (int)slot->link || !find(out, slot, i, &pull))
            continue;
        struct pb_finding *finding = pb_slot_report(
            out, slot,
            &(struct pb_claim){.kind = PB_FINDING_HELD_HIGH,
                               .at_ps = pb_ticks_to_ps(out->run, (uint64_t)later(pull.from_tick, 0)),
                               .sender = PB_SENDER_NONE,
                               .unexcused = true});
        pb_finding_expected(finding, "line low while the bench pulls it, for the fault %s",
                            pb_fault_info(row->kind)->id);
        pb_finding_seen(finding, "line high within these %.3f us",
                        pb_us(pb_ticks_to_ps(out->run, (uint64_t)(pull.to_tick - pull.from_tick))));
        return false;
    }
    return true;
}
