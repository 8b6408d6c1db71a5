/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/checker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALTERATIONS_MAX = 256 };

enum receipt { RECEIPT_ENDED, RECEIPT_BEGAN, RECEIPT_TOO_LATE };

static enum pb_fault_place place_of(unsigned kind)
{
    return pb_fault_info(kind)->place;
}

int pb_partner_link(const struct pb_scenario *scenario, unsigned link)
{
    const unsigned dimension = link % scenario->dims;
    if (link >= pb_link_count(scenario))
        return -1;
    const int seat =
        pb_seat_of(scenario, pb_neighbour(scenario->node[link / scenario->dims].address, dimension));
    return seat < 0 ? -1 : (int)pb_link_of(scenario, (unsigned)seat, dimension);
}

/* ---- receipts */

/* How long the order says; 0: to the end of the run. */
static int64_t ordered_length_ps(const struct pb_checker *checker, const struct pb_fault *fault)
{
    const bool open_ended = fault->kind == PB_FAULT_JITTER || fault->kind == PB_FAULT_DRIFT;
    return fault->length_ps > 0 || open_ended ? fault->length_ps : checker->result->phase_ps;
}

static void report_receipt(struct pb_checker *checker, const struct pb_event *event, const char *problem)
{
    checker->phase_tick = event->tick;
    struct pb_finding *finding = pb_finding_add(checker, PB_FINDING_STIMULUS, -1, 0);
    pb_finding_expected(finding, "receipts of the %zu injected faults, each once", checker->result->faults);
    pb_finding_seen(finding, "a receipt of kind %" PRIu32 ", record %" PRIu32 ", link %u %s",
                    event->value & 31, event->value >> 7 & 0x7fff, event->link, problem);
}

static void take_receipt(struct pb_checker *checker, const struct pb_event *event)
{
    const uint32_t number = event->value >> 7 & 0x7fff, what = event->value >> 5 & 3;
    struct pb_fault_row *row = number < checker->result->faults ? &checker->result->fault[number] : NULL;
    const unsigned link = row && row->link >= 0 ? (unsigned)row->link : PB_FAULT_CLOCK_LINK;
    const int64_t at_ps = pb_ticks_to_ps(checker, event->tick);
    if (!row || row->kind != (event->value & 31) || link != event->link) {
        report_receipt(checker, event, "belongs to none");
        return;
    }
    struct pb_fault_state *state = &checker->fault[number];
    if (what == RECEIPT_BEGAN && !row->began && !state->too_late) {
        row->began = true;
        row->start_ps = at_ps;
    } else if (what == RECEIPT_ENDED && row->began && !row->ended && at_ps >= row->start_ps) {
        row->ended = true;
        row->length_ps = at_ps - row->start_ps;
    } else if (what == RECEIPT_TOO_LATE && !row->began && !state->too_late)
        state->too_late = true;
    else {
        state->contradicted = true;
        report_receipt(checker, event, "contradicts an earlier one");
    }
}

static void set_window(struct pb_checker *checker, size_t index)
{
    const struct pb_scenario *scenario = checker->scenario;
    const struct pb_fault_row *row = &checker->result->fault[index];
    struct pb_fault_state *state = &checker->fault[index];
    const int64_t ordered_ps = ordered_length_ps(checker, &scenario->fault[index]);
    if (!row->began) {
        *state = (struct pb_fault_state){
            .too_late = state->too_late, .contradicted = state->contradicted, .from_ps = 1};
        return;
    }
    state->end_ps = row->ended   ? row->start_ps + row->length_ps
                    : ordered_ps ? row->start_ps + ordered_ps
                                 : INT64_MAX;
    const __int128 recovery = (__int128)scenario->limits.recovery_superframes * checker->superframe_ps;
    const int64_t recovery_ps = recovery < INT64_MAX / 4 ? (int64_t)recovery : INT64_MAX / 4;
    state->from_ps = row->start_ps - 2 * checker->result->resolution_ps;
    state->to_ps = state->end_ps > INT64_MAX - recovery_ps ? INT64_MAX : state->end_ps + recovery_ps;
}

void pb_faults_collect(struct pb_checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    struct pb_result *result = checker->result;
    result->fault = calloc(scenario->fault_count + 1, sizeof *result->fault);
    checker->fault = calloc(scenario->fault_count + 1, sizeof *checker->fault);
    checker->altered = calloc(ALTERATIONS_MAX, sizeof *checker->altered);
    if (!result->fault || !checker->fault || !checker->altered) {
        checker->code = PB_ERR_MEMORY;
        return;
    }
    result->faults = scenario->fault_count;
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        const bool on_clock = place_of(fault->kind) == PB_FAULT_ON_CLOCK;
        result->fault[i] = (struct pb_fault_row){
            .kind = fault->kind,
            .link = on_clock ? -1 : (int)pb_link_of(scenario, fault->seat, fault->dimension),
            .other_link = fault->kind == PB_FAULT_SHORT
                              ? (int)pb_link_of(scenario, fault->other_seat, fault->other_dimension)
                              : -1,
            .superframe = fault->superframe,
            .phase = fault->phase,
            .found_as = PB_FINDING_KINDS,
        };
        /* No byte is that short. */
        result->fault[i].unsought =
            fault->kind == PB_FAULT_GLITCH && pb_is_edgeless(checker, (unsigned)result->fault[i].link);
    }
    for (size_t i = 0; i < checker->observation->events.count; i++)
        if (checker->observation->events.event[i].kind == PB_EVENT_FAULT)
            take_receipt(checker, &checker->observation->events.event[i]);
    for (size_t i = 0; i < result->faults; i++)
        set_window(checker, i);
}

/* ---- by line and time */

static bool of_clock(enum pb_finding_kind kind)
{
    return kind >= PB_FINDING_CLOCK && kind <= PB_FINDING_DRIFT;
}

static bool on_line(const struct pb_checker *checker, const struct pb_fault_row *row, int link)
{
    const int partner = pb_partner_link(checker->scenario, (unsigned)link);
    return row->link == link || row->other_link == link ||
           (partner >= 0 && (row->link == partner || row->other_link == partner));
}

static bool reaches(const struct pb_checker *checker, const struct pb_fault_row *row,
                    enum pb_finding_kind kind, int link)
{
    if (place_of(row->kind) == PB_FAULT_ON_CLOCK)
        return link >= 0 || of_clock(kind);
    return link >= 0 && on_line(checker, row, link);
}

/* Whether the finding names the fault, early enough. */
static bool names(const struct pb_checker *checker, const struct pb_fault_row *row, enum pb_finding_kind kind,
                  int64_t at_ps)
{
    return (int)kind == pb_fault_info(row->kind)->finding &&
           at_ps <= row->start_ps + checker->superframe_ps + checker->result->phase_ps;
}

int pb_fault_explaining(const struct pb_checker *checker, enum pb_finding_kind kind, int link,
                        int64_t from_ps, int64_t to_ps)
{
    int best = -1, best_weight = -1;
    /* What no fault of these kinds brings about. */
    if (kind == PB_FINDING_STIMULUS || kind == PB_FINDING_LOSS || kind == PB_FINDING_EDGE_LOST ||
        kind == PB_FINDING_CONSOLE || kind == PB_FINDING_WATCHDOG || kind == PB_FINDING_NOT_APPLIED ||
        kind == PB_FINDING_UNDETECTED)
        return -1;
    for (size_t i = 0; i < checker->result->faults; i++) {
        const struct pb_fault_row *row = &checker->result->fault[i];
        const struct pb_fault_state *state = &checker->fault[i];
        if (to_ps < state->from_ps || from_ps > state->to_ps || !reaches(checker, row, kind, link))
            continue;
        /* The one that it names and that nothing has named yet; then the one on the line itself; then the
         * latest. */
        const int weight = 4 * (names(checker, row, kind, from_ps) && !row->detected) +
                           2 * (place_of(row->kind) != PB_FAULT_ON_CLOCK) + (from_ps <= state->end_ps);
        if (weight >= best_weight) {
            best = (int)i;
            best_weight = weight;
        }
    }
    return best;
}

void pb_fault_credit(struct pb_checker *checker, int fault, const struct pb_finding *finding)
{
    struct pb_fault_row *row = &checker->result->fault[fault];
    const struct pb_fault_state *state = &checker->fault[fault];
    const bool foreign = place_of(row->kind) == PB_FAULT_ON_FRAME && finding->sender == PB_SENDER_NODE;
    const int64_t at_ps = finding->time_ps > row->start_ps ? finding->time_ps : row->start_ps;
    if (!row->explains++)
        row->found_as = finding->kind;
    if (foreign || !names(checker, row, finding->kind, finding->time_ps) || finding->time_ps > state->to_ps)
        return;
    if (!row->detected || at_ps < row->detected_ps)
        row->detected_ps = at_ps;
    row->detected = true;
}

bool pb_fault_opens(const struct pb_checker *checker, unsigned link, int64_t from_ps, int64_t to_ps)
{
    const int64_t phase_ps = pb_ticks_to_ps(checker, checker->phase_tick);
    for (size_t i = 0; i < checker->result->faults; i++) {
        const struct pb_fault_row *row = &checker->result->fault[i];
        if (row->kind == PB_FAULT_OPEN && row->began && on_line(checker, row, (int)link) &&
            row->start_ps < phase_ps + to_ps && checker->fault[i].end_ps > phase_ps + from_ps)
            return true;
    }
    return false;
}

/* ---- by message */

static bool is_frame_of(const struct pb_checker *checker, size_t message, const uint8_t *bytes,
                        unsigned count)
{
    uint8_t frame[PB_FRAME_MAX];
    return pb_frame(checker->scenario, message, checker->expectation.fate[message].sequence, frame) ==
               count &&
           !memcmp(frame, bytes, count);
}

/* Whether the crossing shows on this line. Out of dimension order a delayed message may take another one. */
static bool crosses(const struct pb_checker *checker, const struct pb_crossing *crossing, unsigned link)
{
    const struct pb_scenario *scenario = checker->scenario;
    if (scenario->rule == PB_RULE_OPPORTUNISTIC)
        return true;
    const uint32_t here = scenario->node[link / scenario->dims].address;
    return crossing->dimension == link % scenario->dims && (crossing->from == here || crossing->to == here);
}

/* The message whose frame this is: one that a fault broke, or (`displaced`) one that is due here later. */
static size_t message_of(const struct pb_checker *checker, unsigned link, const uint8_t *bytes,
                         unsigned count, bool displaced)
{
    const struct pb_expectation *expectation = &checker->expectation;
    for (size_t i = displaced ? checker->next_crossing : 0; i < expectation->crossings; i++) {
        const struct pb_crossing *crossing = &expectation->crossing[i];
        const bool wanted = displaced || expectation->fate[crossing->message].broken_by >= 0;
        if (wanted && crosses(checker, crossing, link) &&
            is_frame_of(checker, crossing->message, bytes, count))
            return crossing->message;
    }
    return SIZE_MAX;
}

static int altered_by(const struct pb_checker *checker, const uint8_t *bytes, unsigned count)
{
    for (size_t i = 0; i < checker->alterations; i++)
        if (checker->altered[i].count == count && !memcmp(checker->altered[i].bytes, bytes, count))
            return checker->altered[i].fault;
    return -1;
}

int pb_fault_by_message(struct pb_checker *checker, unsigned link, const uint8_t *bytes, unsigned count)
{
    const struct pb_crossing *due = checker->expected[link].crossing;
    struct pb_message_fate *fate = checker->expectation.fate, *due_fate = due ? &fate[due->message] : NULL;
    int fault = -1;
    if (!checker->result->faults)
        return -1;
    if (!checker->seen[link].any_low)
        return due_fate ? due_fate->broken_by : -1;
    if (!count)
        return -1;
    const size_t broken = message_of(checker, link, bytes, count, false);
    if (broken != SIZE_MAX && !(due && broken == due->message))
        fault = fate[broken].broken_by;
    else if (broken == SIZE_MAX)
        fault = altered_by(checker, bytes, count);
    if (fault < 0 && due_fate && due_fate->broken_by >= 0) {
        const size_t early = message_of(checker, link, bytes, count, true);
        if (early != SIZE_MAX) {
            fault = due_fate->broken_by;
            if (fate[early].broken_by < 0)
                fate[early].broken_by = fault;
        }
    }
    if (fault >= 0 && due_fate && due_fate->broken_by < 0)
        due_fate->broken_by = fault;
    return fault;
}

void pb_fault_displaces(struct pb_checker *checker, unsigned link, int fault)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const size_t early = message_of(checker, link, seen->byte, pb_slot_kept(seen), true);
    if (early != SIZE_MAX && checker->expectation.fate[early].broken_by < 0)
        checker->expectation.fate[early].broken_by = fault;
}

void pb_fault_breaks(struct pb_checker *checker, unsigned link, int fault)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    struct pb_message_fate *fate = &checker->expectation.fate[checker->expected[link].crossing->message];
    if (fate->broken_by < 0)
        fate->broken_by = fault;
    pb_fault_displaces(checker, link, fault);
    if (seen->byte_count != checker->scenario->frame_bytes || checker->alterations == ALTERATIONS_MAX ||
        altered_by(checker, seen->byte, seen->byte_count) >= 0)
        return;
    struct pb_altered *altered = &checker->altered[checker->alterations++];
    altered->fault = fault;
    altered->count = seen->byte_count;
    memcpy(altered->bytes, seen->byte, seen->byte_count);
}

void pb_fault_misleads(struct pb_checker *checker, unsigned link)
{
    const struct pb_crossing *crossing = checker->expected[link].crossing;
    struct pb_message_fate *fate = &checker->expectation.fate[crossing->message];
    const int64_t from_ps = pb_ticks_to_ps(checker, checker->phase_tick),
                  to_ps = from_ps + checker->result->phase_ps;
    if (fate->broken_by >= 0 || pb_seat_of(checker->scenario, crossing->to) < 0)
        return;
    for (size_t i = 0; i < checker->result->faults; i++)
        if (place_of(checker->result->fault[i].kind) == PB_FAULT_ON_CLOCK &&
            to_ps >= checker->fault[i].from_ps && from_ps <= checker->fault[i].to_ps)
            fate->broken_by = (int)i;
}

/* ---- faults that were not what they should be */

static void turn_to_order(struct pb_checker *checker, const struct pb_fault_row *row)
{
    const unsigned phases = pb_cube_phases(checker->scenario->dims);
    const uint64_t index = (uint64_t)row->superframe * phases + row->phase;
    if (checker->marks)
        pb_turn_to_mark(checker, index < checker->marks ? (size_t)index : checker->marks - 1);
    checker->superframe = row->superframe;
    checker->phase = row->phase;
}

static struct pb_finding *add_about(struct pb_checker *checker, size_t index, enum pb_finding_kind kind)
{
    const struct pb_fault_row *row = &checker->result->fault[index];
    turn_to_order(checker, row);
    struct pb_finding *finding = pb_finding_add(checker, kind, row->link, 0);
    pb_finding_expected(finding, "injected fault %zu, %s", index, pb_fault_info(row->kind)->id);
    return finding;
}

static int64_t end_of_run_ps(const struct pb_checker *checker)
{
    return checker->marks ? pb_ticks_to_ps(checker, checker->mark[checker->marks - 1].ideal_tick) +
                                checker->result->phase_ps
                          : 0;
}

/* Whether it began where and lasted as long as was ordered. */
static bool as_ordered(struct pb_checker *checker, size_t index, struct pb_finding **finding)
{
    const struct pb_fault *fault = &checker->scenario->fault[index];
    const struct pb_fault_row *row = &checker->result->fault[index];
    const int64_t phase_ps = checker->result->phase_ps, ordered_ps = ordered_length_ps(checker, fault);
    turn_to_order(checker, row);
    const int64_t due_ps = pb_ticks_to_ps(checker, checker->phase_tick) + fault->at_ps;
    if (llabs(row->start_ps - due_ps) > phase_ps + phase_ps / 2) {
        *finding = add_about(checker, index, PB_FINDING_NOT_APPLIED);
        pb_finding_seen(*finding, "its receipt says that it began %.3f us after its place",
                        pb_us(row->start_ps - due_ps));
        return false;
    }
    /* The end of the run ends it, too. */
    const bool cut_short =
        row->length_ps < ordered_ps && row->start_ps + row->length_ps + phase_ps >= end_of_run_ps(checker);
    if (row->ended && fault->length_ps > 0 && !cut_short && llabs(row->length_ps - ordered_ps) > phase_ps) {
        *finding = add_about(checker, index, PB_FINDING_NOT_APPLIED);
        pb_finding_seen(*finding, "it lasted %.3f us, not %.3f us", pb_us(row->length_ps), pb_us(ordered_ps));
        return false;
    }
    return true;
}

/* A fault that reaches beyond the last phase cannot tell of its end. */
static bool ends_after_run(const struct pb_checker *checker, size_t index)
{
    const int64_t ordered_ps = ordered_length_ps(checker, &checker->scenario->fault[index]);
    const int64_t told_ps = checker->result->fault[index].start_ps + ordered_ps;
    return !ordered_ps || told_ps + checker->result->phase_ps >= end_of_run_ps(checker);
}

void pb_faults_finish(struct pb_checker *checker)
{
    if (*checker->observation->cut)
        return; /* what was not seen may have come after the cut */
    for (size_t i = 0; i < checker->result->faults; i++) {
        struct pb_fault_row *row = &checker->result->fault[i];
        struct pb_finding *finding;
        if (!row->began) {
            finding = add_about(checker, i, PB_FINDING_NOT_APPLIED);
            pb_finding_seen(finding, checker->fault[i].too_late
                                         ? "its record came too late and was thrown away"
                                         : "no receipt");
        } else if (!row->ended && !ends_after_run(checker, i)) {
            finding = add_about(checker, i, PB_FINDING_NOT_APPLIED);
            pb_finding_seen(finding, "a receipt that it began and none that it ended");
        } else if (as_ordered(checker, i, &finding) && !row->detected && !row->unsought) {
            finding = add_about(checker, i, PB_FINDING_UNDETECTED);
            pb_finding_seen(finding, row->explains ? "found as %s only" : "nothing that it explains%s",
                            row->explains ? pb_finding_id(row->found_as) : "");
        }
    }
}
