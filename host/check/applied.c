/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/applied.h"
#include "host/plan/fault_records.h"

#include <inttypes.h>
#include <stdlib.h>

void pb_judge_receipt(struct pb_check_output *out, const struct pb_event *event)
{
    const char *problem = pb_faults_push(out->faults, event);
    if (!problem)
        return;
    struct pb_finding *finding =
        pb_finding_add(out, &(struct pb_schedule_place){.tick = event->tick}, PB_FINDING_STIMULUS, -1);
    pb_finding_expected(finding, "receipts of the %zu injected faults, each once", out->faults->count);
    pb_finding_seen(finding, "a receipt of kind %" PRIu32 ", record %" PRIu32 ", link %u %s",
                    PB_GET(PB_EVENT_FAULT_KIND, event->value), PB_GET(PB_EVENT_FAULT_NUMBER, event->value),
                    event->link, problem);
}

static struct pb_schedule_place ordered_place(const struct pb_faults *faults, size_t index)
{
    const struct pb_fault_row *row = &faults->row[index];
    struct pb_schedule_place place = faults->state[index].passed
                                         ? pb_schedule_place_at(faults->run, &faults->state[index].place)
                                         : pb_schedule_place_last(faults->marks);
    place.superframe = row->superframe;
    place.phase = row->phase;
    return place;
}

static struct pb_finding *add_about(struct pb_check_output *out, size_t index, enum pb_finding_kind kind)
{
    const struct pb_fault_row *row = &out->faults->row[index];
    const struct pb_schedule_place place = ordered_place(out->faults, index);
    struct pb_finding *finding = pb_finding_add(out, &place, kind, row->link);
    pb_finding_expected(finding, "injected fault %zu, %s", index, pb_fault_info(row->kind)->id);
    return finding;
}

/* Whether the fault began at its configured place and lasted for its configured length. */
static bool as_ordered(struct pb_check_output *out, size_t index, struct pb_finding **finding)
{
    const struct pb_faults *faults = out->faults;
    const struct pb_fault *fault = &faults->run->scenario->fault[index];
    const struct pb_fault_row *row = &faults->row[index];
    const int64_t phase_ps = faults->run->phase_ps, ordered_ps = pb_fault_ordered_ps(faults->run, fault);
    const int64_t due_ps = pb_ticks_to_ps(faults->run, ordered_place(faults, index).tick) + fault->at_ps;
    if (llabs(row->start_ps - due_ps) > phase_ps + phase_ps / 2) {
        *finding = add_about(out, index, PB_FINDING_NOT_APPLIED);
        pb_finding_seen(*finding, "its receipt says that it began %.3f us after its place",
                        pb_us(row->start_ps - due_ps));
        return false;
    }
    /* The end of the run ends it, too. */
    const bool cut_short = row->length_ps < ordered_ps &&
                           row->start_ps + row->length_ps + phase_ps >= pb_faults_run_end_ps(faults);
    if (row->ended && fault->length_ps > 0 && !cut_short && llabs(row->length_ps - ordered_ps) > phase_ps) {
        *finding = add_about(out, index, PB_FINDING_NOT_APPLIED);
        pb_finding_seen(*finding, "it lasted %.3f us, not %.3f us", pb_us(row->length_ps), pb_us(ordered_ps));
        return false;
    }
    return true;
}

/* True if the fault ends after the last phase, so that its end has no receipt. */
static bool ends_after_run(const struct pb_faults *faults, size_t index)
{
    const int64_t ordered_ps = pb_fault_ordered_ps(faults->run, &faults->run->scenario->fault[index]);
    const int64_t reported_ps = faults->row[index].start_ps + ordered_ps;
    return !ordered_ps || reported_ps + faults->run->phase_ps >= pb_faults_run_end_ps(faults);
}

/* A sender that drives high wins against a pull: a square wave within its frame leaves no trace. */
static bool is_hidden(const struct pb_check_run *run, const struct pb_fault_row *row)
{
    return row->kind == PB_FAULT_SECOND_DRIVER &&
           run->observation->rise[row->link].source == PB_RISE_DRIVEN && !row->explains;
}

void pb_judge_faults(struct pb_check_output *out)
{
    struct pb_faults *faults = out->faults;
    if (*faults->run->observation->cut)
        return; /* what was not seen may have come after the cut */
    for (size_t i = 0; i < faults->count; i++) {
        struct pb_fault_row *row = &faults->row[i];
        struct pb_finding *finding;
        if (!row->began) {
            finding = add_about(out, i, PB_FINDING_NOT_APPLIED);
            pb_finding_seen(finding, faults->state[i].too_late
                                         ? "its record came too late and was discarded"
                                         : "no receipt");
        } else if (!row->ended && !ends_after_run(faults, i)) {
            finding = add_about(out, i, PB_FINDING_NOT_APPLIED);
            pb_finding_seen(finding, "a receipt that it began and none that it ended");
        } else if (as_ordered(out, i, &finding) && !row->detected && !row->unsought) {
            row->unsought = is_hidden(faults->run, row);
            if (row->unsought)
                continue;
            finding = add_about(out, i, PB_FINDING_UNDETECTED);
            pb_finding_seen(finding, row->explains ? "found as %s only" : "nothing that it explains%s",
                            row->explains ? pb_finding_id(row->found_as) : "");
        }
    }
}

/* ---- pulls: a line that an injected fault pulls low must be low. On an open-drain line only a side that
 * drives high keeps it from that, and no node may. */

enum { MARGIN_TICKS = 4 }; /* receipts, synchronisers and stamps, at either end of a pull */

/* Ticks from the beginning of the slot. */
struct pull {
    int64_t from_tick, to_tick;
};

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

/* Whether the line was high within the part of the pull that is in the slot. */
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
