/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/check.h"
#include "host/check/expectation.h"
#include "host/check/measure.h"
#include "host/check/slot.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)

enum {
    FINDINGS_MAX = 2000,
    HOPS_MAX = 5000,
    BAUD_LIMIT_PPM = 30000,    /* half of what an 8N1 receiver that samples in the middle can bear */
    JOIN_DELAY_TICKS = 8,      /* from one pin of a joined pair to the other, at most */
    STIMULUS_TOLERANCE_TICKS = 1
};

struct expected_frame {
    const struct pb_crossing *crossing; /* NULL: the line must stay high */
    enum pb_sender sender;
    bool through_fabric;                /* seen at the far pin of a joined pair */
};

struct checker {
    struct pb_result *result;
    const struct pb_scenario *scenario;
    struct pb_observation *observation;
    struct pb_expectation expectation;
    struct pb_measure measure;
    uint32_t bit_period_q4;
    size_t hop_capacity;
    size_t next_crossing;
    /* the phase being judged */
    uint64_t phase_tick;
    uint32_t superframe;
    unsigned phase;
    struct pb_slot_limits limits;
    uint64_t line_level; /* running, bit per link */
    struct pb_slot_seen seen[64];
    struct expected_frame expected[64];
    int code;
};

static int64_t ticks_to_ps(const struct checker *checker, uint64_t ticks)
{
    return (int64_t)((unsigned __int128)ticks * PS_PER_S / checker->observation->info.clock_hz);
}

/* ---- findings */

static struct pb_finding *add_finding(struct checker *checker, enum pb_finding_kind kind, int link, int64_t in_phase_ps)
{
    struct pb_result *result = checker->result;
    static struct pb_finding overflow; /* written, never read */
    result->findings_total++;
    if (!result->finding)
        result->finding = calloc(FINDINGS_MAX, sizeof *result->finding);
    if (!result->finding) {
        checker->code = PB_ERR_MEMORY;
        return &overflow;
    }
    if (result->findings == FINDINGS_MAX)
        return &overflow;
    struct pb_finding *finding = &result->finding[result->findings++];
    *finding = (struct pb_finding){
        .kind = kind,
        .time_ps = ticks_to_ps(checker, checker->phase_tick) + in_phase_ps,
        .superframe = checker->superframe,
        .phase = checker->phase,
        .link = link,
        .dimension = link < 0 ? -1 : link % (int)checker->scenario->dims,
        .bit = -1,
    };
    return finding;
}

static void write_text(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void write_text(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}
#define EXPECTED(finding, ...) write_text((finding)->expected, sizeof(finding)->expected, __VA_ARGS__)
#define SEEN(finding, ...) write_text((finding)->seen, sizeof(finding)->seen, __VA_ARGS__)

static double us(int64_t ps)
{
    return (double)ps / 1e6;
}

/* A value against a limit that must not be exceeded: 0 fine, 1 within the uncertainty of the limit, 2 beyond it. */
static int beyond(int64_t value_ps, int64_t limit_ps, int64_t uncertainty_ps)
{
    return value_ps > limit_ps + uncertainty_ps ? 2 : value_ps > limit_ps - uncertainty_ps ? 1 : 0;
}

/* ---- one slot */

static struct pb_hop_row *add_hop(struct checker *checker, unsigned link)
{
    struct pb_result *result = checker->result;
    static struct pb_hop_row overflow;
    if (result->hops == HOPS_MAX)
        return &overflow;
    if (!result->hop)
        result->hop = calloc(HOPS_MAX, sizeof *result->hop);
    if (!result->hop) {
        checker->code = PB_ERR_MEMORY;
        return &overflow;
    }
    const struct pb_scenario *scenario = checker->scenario;
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct expected_frame *expected = &checker->expected[link];
    const uint32_t here = scenario->node[link / scenario->dims].address, there = pb_neighbour(here, link % scenario->dims);
    const bool here_sends = pb_sends(here, checker->phase);
    struct pb_hop_row *row = &result->hop[result->hops++];
    *row = (struct pb_hop_row){
        .message = SIZE_MAX,
        .superframe = checker->superframe,
        .phase = checker->phase,
        .dimension = link % scenario->dims,
        .from = here_sends ? here : there,
        .to = here_sends ? there : here,
        .link = link,
        .sender = here_sends || pb_seat_of(scenario, there) >= 0 ? PB_SENDER_NODE : PB_SENDER_BENCH,
        .seen = seen->any_low,
        .start_ps = seen->any_low ? seen->first_low_ps : -1,
        .end_ps = seen->any_low ? seen->last_low_ps : -1,
        .byte_count = seen->byte_count < PB_FRAME_MAX ? seen->byte_count : PB_FRAME_MAX,
    };
    memcpy(row->bytes, seen->byte, row->byte_count);
    if (expected->crossing) {
        const struct pb_message *message = &scenario->traffic.message[expected->crossing->message];
        row->message = expected->crossing->message;
        row->source = message->source;
        row->destination = message->destination;
        row->sender = expected->sender;
    }
    return row;
}

static void judge_unexpected(struct checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    struct pb_finding *finding = add_finding(checker, PB_FINDING_UNEXPECTED, (int)link, seen->first_low_ps);
    char bytes[120];
    pb_slot_bytes_text(bytes, sizeof bytes, seen->byte, seen->byte_count < PB_FRAME_MAX ? seen->byte_count : PB_FRAME_MAX);
    EXPECTED(finding, "line high through the whole phase");
    SEEN(finding, "low from %.3f us to %.3f us, %u bytes%s%s", us(seen->first_low_ps), us(seen->last_low_ps), seen->byte_count,
         *bytes ? ": " : "", bytes);
    add_hop(checker, link);
}

/* True when every difference is a bit that should be high and is low: somebody else pulled the line, too. */
static bool only_pulled(const uint8_t *expected, unsigned count, const struct pb_slot_seen *seen)
{
    for (unsigned i = 0; i < count && i < seen->byte_count; i++)
        if (seen->byte[i] & ~expected[i])
            return false;
    return seen->byte_count >= count;
}

/* Bytes; true when they are right. */
static bool judge_bytes(struct checker *checker, unsigned link, const uint8_t *frame, unsigned count)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct expected_frame *expected = &checker->expected[link];
    const unsigned kept = seen->byte_count < PB_FRAME_MAX ? seen->byte_count : PB_FRAME_MAX;
    const int bit = pb_slot_first_difference(frame, count, seen->byte, kept);
    struct pb_finding *finding;

    if (bit >= 0) {
        enum pb_finding_kind kind = PB_FINDING_WRONG_BYTES;
        if (expected->sender == PB_SENDER_BENCH)
            kind = only_pulled(frame, count, seen) ? PB_FINDING_UNEXPECTED : PB_FINDING_STIMULUS;
        const unsigned at = (unsigned)bit / 10;
        finding = add_finding(checker, kind, (int)link, at < kept ? seen->byte_start_ps[at] : seen->last_low_ps);
        finding->bit = bit;
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        pb_slot_bytes_text(finding->seen, sizeof finding->seen, seen->byte, kept);
        return false;
    }
    if (seen->bad_stop >= 0) {
        finding = add_finding(checker, PB_FINDING_FRAMING, (int)link, seen->byte_start_ps[seen->bad_stop]);
        finding->bit = 10 * seen->bad_stop + 9;
        EXPECTED(finding, "line high at the stop bit");
        SEEN(finding, "line low at the stop bit of byte %d", seen->bad_stop);
        return false;
    }
    if (seen->bad_baud >= 0 && expected->sender == PB_SENDER_NODE && !expected->through_fabric) {
        finding = add_finding(checker, PB_FINDING_BAUD, (int)link, seen->byte_start_ps[seen->bad_baud]);
        EXPECTED(finding, "bit time within %.1f %% of nominal", BAUD_LIMIT_PPM / 1e4);
        SEEN(finding, "byte %d is off by %.2f %%", seen->bad_baud, seen->baud_error_ppm / 1e4);
        return false;
    }
    return true;
}

/* A finding about a limit: marginal when within the uncertainty. True when the limit is kept or cannot be said to be broken. */
static bool judge_limit(struct checker *checker, unsigned link, enum pb_finding_kind kind, int64_t at_ps, int state, const char *what,
                        int64_t limit_ps, const char *relation)
{
    if (!state)
        return true;
    struct pb_finding *finding = add_finding(checker, kind, (int)link, at_ps);
    finding->marginal = state == 1;
    EXPECTED(finding, "%s %s %.3f us after the phase edge", what, relation, us(limit_ps));
    SEEN(finding, "%.3f us (U95 %.3f us)", us(at_ps), us(checker->limits.uncertainty_ps));
    return finding->marginal;
}

static bool judge_timing(struct checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct expected_frame *expected = &checker->expected[link];
    const struct pb_slot_limits *limits = &checker->limits;
    const int64_t tick_ps = checker->result->resolution_ps;
    const int64_t delay_ps = expected->through_fabric ? JOIN_DELAY_TICKS * tick_ps : 0;
    bool good = true;

    if (expected->sender == PB_SENDER_BENCH) {
        const int64_t error = llabs(seen->first_low_ps - checker->scenario->head_guard_ps);
        if (error > STIMULUS_TOLERANCE_TICKS * tick_ps + tick_ps / 2) {
            struct pb_finding *finding = add_finding(checker, PB_FINDING_STIMULUS, (int)link, seen->first_low_ps);
            EXPECTED(finding, "start at %.3f us", us(checker->scenario->head_guard_ps));
            SEEN(finding, "start at %.3f us", us(seen->first_low_ps));
            good = false;
        }
    } else {
        good &= judge_limit(checker, link, PB_FINDING_EARLY, seen->first_low_ps,
                            beyond(-seen->first_low_ps, -limits->start_min_ps, limits->uncertainty_ps), "start no earlier than", limits->start_min_ps, "=");
        good &= judge_limit(checker, link, PB_FINDING_LATE, seen->first_low_ps,
                            beyond(seen->first_low_ps, limits->start_max_ps + delay_ps, limits->uncertainty_ps), "start no later than", limits->start_max_ps, "=");
        if (!expected->through_fabric)
            pb_measure_start(&checker->measure, link % checker->scenario->dims, seen->first_low_ps);
    }
    good &= judge_limit(checker, link, PB_FINDING_OVERRUN, seen->last_low_ps,
                        beyond(seen->last_low_ps, limits->end_max_ps + delay_ps, limits->uncertainty_ps), "line high from", limits->end_max_ps, "=");
    return good;
}

static void judge_slot(struct checker *checker, unsigned link)
{
    const struct pb_slot_seen *seen = &checker->seen[link];
    const struct expected_frame *expected = &checker->expected[link];

    checker->result->slots_checked++;
    checker->result->bytes_seen += seen->byte_count;
    if (!expected->crossing) {
        if (seen->any_low)
            judge_unexpected(checker, link);
        return;
    }
    uint8_t frame[PB_FRAME_MAX];
    struct pb_message_fate *fate = &checker->expectation.fate[expected->crossing->message];
    const unsigned count = pb_frame(checker->scenario, expected->crossing->message, fate->sequence, frame);
    bool good = false;
    if (!seen->any_low) {
        struct pb_finding *finding = add_finding(checker, expected->sender == PB_SENDER_BENCH ? PB_FINDING_STIMULUS : PB_FINDING_MISSING,
                                                 (int)link, checker->scenario->head_guard_ps);
        finding->bit = 0;
        pb_slot_bytes_text(finding->expected, sizeof finding->expected, frame, count);
        SEEN(finding, "line high through the whole phase");
    } else {
        good = judge_bytes(checker, link, frame, count);
        good &= judge_timing(checker, link);
    }
    fate->broken |= !good;
    add_hop(checker, link)->correct = good;
}

/* ---- one phase */

static void expect_phase(struct checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    memset(checker->expected, 0, sizeof checker->expected);
    for (; checker->next_crossing < checker->expectation.crossings; checker->next_crossing++) {
        const struct pb_crossing *crossing = &checker->expectation.crossing[checker->next_crossing];
        if (crossing->superframe != checker->superframe || crossing->phase != checker->phase)
            break;
        const int from = pb_seat_of(scenario, crossing->from), to = pb_seat_of(scenario, crossing->to);
        if (from >= 0)
            checker->expected[pb_link_of(scenario, (unsigned)from, crossing->dimension)] =
                (struct expected_frame){crossing, PB_SENDER_NODE, false};
        if (to >= 0)
            checker->expected[pb_link_of(scenario, (unsigned)to, crossing->dimension)] =
                (struct expected_frame){crossing, from >= 0 ? PB_SENDER_NODE : PB_SENDER_BENCH, from >= 0};
    }
}

static void take_edge(struct checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const int64_t at_ps = ticks_to_ps(checker, event->tick - checker->phase_tick);
    const uint64_t bit = UINT64_C(1) << event->link;
    checker->result->edges_seen++;
    if (event->value & 1) {
        checker->line_level |= bit;
        seen->last_low_ps = at_ps;
    } else {
        checker->line_level &= ~bit;
        if (!seen->any_low)
            seen->first_low_ps = at_ps;
        seen->any_low = true;
    }
}

static void take_byte(struct checker *checker, const struct pb_event *event)
{
    struct pb_slot_seen *seen = &checker->seen[event->link];
    const unsigned at = seen->byte_count++;
    int32_t error_ppm;
    if (at >= PB_FRAME_MAX)
        return;
    seen->byte[at] = pb_event_data(event);
    seen->byte_start_ps[at] = ticks_to_ps(checker, event->tick - checker->phase_tick);
    if (!pb_event_stop_ok(event) && seen->bad_stop < 0)
        seen->bad_stop = (int)at;
    if (pb_slot_baud_error(event, checker->bit_period_q4, &error_ppm) && seen->bad_baud < 0 && abs(error_ppm) > BAUD_LIMIT_PPM) {
        seen->bad_baud = (int)at;
        seen->baud_error_ppm = error_ppm;
    }
}

static void begin_phase(struct checker *checker)
{
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++) {
        const bool low = !(checker->line_level >> link & 1);
        checker->seen[link] = (struct pb_slot_seen){.low_at_start = low, .any_low = low, .bad_stop = -1, .bad_baud = -1};
    }
}

static void end_phase(struct checker *checker)
{
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++)
        if (!(checker->line_level >> link & 1)) {
            checker->seen[link].low_at_end = true;
            checker->seen[link].last_low_ps = checker->limits.phase_ps;
        }
    expect_phase(checker);
    for (unsigned link = 0; link < pb_link_count(checker->scenario); link++)
        judge_slot(checker, link);
}

static void judge_clock(struct checker *checker, uint64_t index, const struct pb_event *event)
{
    const unsigned phases = pb_cube_phases(checker->scenario->dims);
    const uint32_t superframe = (uint32_t)(index / phases);
    const unsigned phase = (unsigned)(index % phases);
    if (pb_event_phase(event) == phase && pb_event_superframe(event) == (superframe & 0x1fff))
        return;
    struct pb_finding *finding = add_finding(checker, PB_FINDING_CLOCK, -1, 0);
    EXPECTED(finding, "superframe %" PRIu32 " phase %u", superframe, phase);
    SEEN(finding, "superframe %u phase %u", pb_event_superframe(event), pb_event_phase(event));
}

/* A BYTE event is stamped at its stop bit; the check thinks in start edges. */
static void restamp_bytes(struct checker *checker)
{
    struct pb_events *events = &checker->observation->events;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i].kind == PB_EVENT_BYTE)
            events->event[i].tick -= pb_sample_ticks(checker->bit_period_q4, 9);
    pb_events_sort(events);
}

static void walk(struct checker *checker)
{
    const struct pb_events *events = &checker->observation->events;
    const uint64_t phases = pb_cube_phases(checker->scenario->dims);
    const int64_t period_ps = checker->result->phase_ps;
    uint64_t index = 0;
    bool in_phase = false;

    checker->line_level = UINT64_MAX;
    begin_phase(checker);
    for (size_t i = 0; i < events->count && !checker->code; i++) {
        const struct pb_event *event = &events->event[i];
        /* The last phase has no edge to end it; it is as long as the others. */
        const bool over = in_phase && index == phases * checker->scenario->superframes &&
                          ticks_to_ps(checker, event->tick - checker->phase_tick) >= period_ps;
        if (event->kind == PB_EVENT_PHASE || over) {
            if (in_phase) {
                checker->limits.phase_ps = over ? period_ps : ticks_to_ps(checker, event->tick - checker->phase_tick);
                checker->limits.end_max_ps = checker->limits.phase_ps - (checker->scenario->guard_ps - checker->scenario->head_guard_ps);
                if (!over)
                    pb_measure_period(&checker->measure, checker->limits.phase_ps);
                end_phase(checker);
                in_phase = false;
            }
            if (event->kind == PB_EVENT_PHASE) {
                checker->phase_tick = event->tick;
                checker->superframe = (uint32_t)(index / phases);
                checker->phase = (unsigned)(index % phases);
                judge_clock(checker, index++, event);
                in_phase = true;
            }
            begin_phase(checker);
        }
        if (event->link >= pb_link_count(checker->scenario))
            continue;
        if (event->kind == PB_EVENT_EDGE)
            take_edge(checker, event);
        else if (event->kind == PB_EVENT_BYTE)
            take_byte(checker, event);
        else if (event->kind == PB_EVENT_UNDERRUN) {
            struct pb_finding *finding = add_finding(checker, PB_FINDING_STIMULUS, -1, 0);
            EXPECTED(finding, "slot player record in time");
            SEEN(finding, "record for superframe %u phase %u came too late on lane %u", pb_event_superframe(event), pb_event_phase(event),
                 event->link);
        }
        if (!in_phase && checker->seen[event->link].any_low && event->kind == PB_EVENT_EDGE && !(event->value & 1)) {
            struct pb_finding *finding = add_finding(checker, PB_FINDING_UNEXPECTED, event->link,
                                                     ticks_to_ps(checker, event->tick) - ticks_to_ps(checker, checker->phase_tick));
            EXPECTED(finding, "line high while the phase clock stands");
            SEEN(finding, "line low");
        }
    }
    if (in_phase && !checker->code) {
        checker->limits.phase_ps = period_ps;
        checker->limits.end_max_ps = period_ps - (checker->scenario->guard_ps - checker->scenario->head_guard_ps);
        end_phase(checker);
    }
    if (index != phases * checker->scenario->superframes) {
        struct pb_finding *finding = add_finding(checker, PB_FINDING_CLOCK, -1, 0);
        EXPECTED(finding, "%" PRIu64 " phases", phases * checker->scenario->superframes);
        SEEN(finding, "%" PRIu64 " phases", index);
    }
}

/* ---- messages */

static void judge_messages(struct checker *checker)
{
    struct pb_result *result = checker->result;
    const struct pb_scenario *scenario = checker->scenario;
    const unsigned phases = pb_cube_phases(scenario->dims);
    const uint32_t limit = scenario->limits.max_superframes ? scenario->limits.max_superframes : checker->expectation.bound_superframes;
    size_t never = 0;

    for (size_t i = 0; i < scenario->traffic.count; i++) {
        const struct pb_message *message = &scenario->traffic.message[i];
        const struct pb_message_fate *fate = &checker->expectation.fate[i];
        never += fate->superframe == PB_NEVER;
        if (fate->superframe == PB_NEVER || fate->broken)
            continue;
        result->delivered++;
        if (message->source == message->destination)
            continue;
        const uint32_t taken = fate->superframe - message->release_superframe;
        const uint32_t latency = taken * phases + fate->phase + 1 - message->release_phase;
        if (latency > result->worst_latency_phases)
            result->worst_latency_phases = latency;
        if (!limit || taken + 1 <= limit)
            continue;
        result->late++;
        checker->superframe = fate->superframe;
        checker->phase = fate->phase;
        struct pb_finding *finding = add_finding(checker, PB_FINDING_LATENCY, -1, 0);
        EXPECTED(finding, "message %zu, 0x%" PRIX32 " to 0x%" PRIX32 ", within %" PRIu32 " superframes", i, message->source, message->destination, limit);
        SEEN(finding, "%" PRIu32 " superframes (%" PRIu32 " phases)", taken + 1, latency);
    }
    if (never) {
        struct pb_finding *finding = add_finding(checker, PB_FINDING_UNDELIVERED, -1, 0);
        EXPECTED(finding, "all %zu messages delivered within %" PRIu32 " superframes", scenario->traffic.count, scenario->superframes);
        SEEN(finding, "%zu are still under way by the schedule itself; raise superframes", never);
    }
}

static void add_console_findings(struct checker *checker)
{
    const struct pb_observation *observation = checker->observation;
    checker->superframe = checker->phase = 0;
    for (size_t i = 0; i < observation->console_failures && i < sizeof observation->console_failure / sizeof observation->console_failure[0]; i++) {
        const struct pb_console_failure *failure = &observation->console_failure[i];
        checker->phase_tick = failure->tick;
        struct pb_finding *finding = add_finding(checker, PB_FINDING_CONSOLE, -1, 0);
        EXPECTED(finding, "node 0x%" PRIX32 " answers +S to the line that queues message %zu", checker->scenario->node[failure->seat].address, failure->message);
        if (*failure->answer)
            SEEN(finding, "it answered '%s'", failure->answer);
        else
            SEEN(finding, "no answer on UART0 within 50 ms");
    }
}

/* ---- verdict */

static int by_time(const void *left, const void *right)
{
    const struct pb_finding *a = left, *b = right;
    return a->time_ps < b->time_ps ? -1 : a->time_ps > b->time_ps;
}

static void decide(struct pb_result *result)
{
    bool failed = false, bench = false, marginal = false;
    const struct pb_finding *first = NULL;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        switch (finding->kind) {
        case PB_FINDING_STIMULUS:
        case PB_FINDING_CLOCK:
        case PB_FINDING_LOSS:
        case PB_FINDING_UNDELIVERED:
            bench = true;
            break;
        default:
            marginal |= finding->marginal;
            failed |= !finding->marginal;
            if (!first && !finding->marginal)
                first = finding;
        }
    }
    if (failed) {
        result->verdict = PB_VERDICT_FAIL;
        snprintf(result->reason, sizeof result->reason, "%s (superframe %" PRIu32 ", phase %u%s), %zu finding%s in all", pb_finding_text(first->kind),
                 first->superframe, first->phase, first->link < 0 ? "" : ", one line", result->findings_total, result->findings_total == 1 ? "" : "s");
        if (first->link >= 0)
            snprintf(result->reason, sizeof result->reason, "%s: superframe %" PRIu32 ", phase %u, link %d; %zu finding%s in all",
                     pb_finding_text(first->kind), first->superframe, first->phase, first->link, result->findings_total,
                     result->findings_total == 1 ? "" : "s");
    } else if (bench) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(result->reason, sizeof result->reason, "%s: %s", pb_finding_text(result->finding[0].kind), result->finding[0].seen);
    } else if (!result->slots_checked || !result->hops) {
        result->verdict = PB_VERDICT_INCONCLUSIVE;
        snprintf(result->reason, sizeof result->reason, "no message crosses a line of the rig, so nothing was proven; add traffic through its nodes");
    } else if (marginal) {
        result->verdict = PB_VERDICT_MARGINAL;
        snprintf(result->reason, sizeof result->reason, "%zu value%s within the measurement uncertainty of a limit", result->findings_total,
                 result->findings_total == 1 ? " is" : "s are");
    } else {
        result->verdict = PB_VERDICT_PASS;
        snprintf(result->reason, sizeof result->reason, "every frame in its slot, every byte right, every line silent elsewhere: %" PRIu64 " slots, %zu transmissions",
                 result->slots_checked, result->hops);
    }
}

static void set_limits(struct checker *checker)
{
    const struct pb_scenario *scenario = checker->scenario;
    struct pb_result *result = checker->result;
    const uint32_t clock_hz = checker->observation->info.clock_hz;

    checker->bit_period_q4 = (uint32_t)((16 * (uint64_t)clock_hz + scenario->baud_hz / 2) / scenario->baud_hz);
    result->core_clock_hz = clock_hz;
    result->resolution_ps = PS_PER_S / clock_hz;
    /* Two stamps, each uniform over one tick: sqrt(2) * tick / sqrt(12), expanded by k = 2. */
    result->uncertainty_ps = result->resolution_ps * 8165 / 10000;
    result->phase_ps = (int64_t)((uint64_t)PS_PER_S * 1000 / scenario->phase_rate_mhz);
    result->start_min_ps = scenario->head_guard_ps - scenario->limits.start_early_ps;
    result->start_max_ps = scenario->head_guard_ps + scenario->limits.start_late_ps;
    checker->limits = (struct pb_slot_limits){
        .start_min_ps = result->start_min_ps,
        .start_max_ps = result->start_max_ps,
        .uncertainty_ps = result->uncertainty_ps,
        .bit_ps = PS_PER_S / (int64_t)scenario->baud_hz,
    };
}

int pb_check(struct pb_result *result, const struct pb_scenario *scenario, struct pb_observation *observation)
{
    struct checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        return PB_ERR_MEMORY;
    checker->result = result;
    checker->scenario = scenario;
    checker->observation = observation;
    set_limits(checker);
    int code = pb_expect(&checker->expectation, result, scenario);
    if (!code) {
        add_console_findings(checker);
        restamp_bytes(checker);
        walk(checker);
        judge_messages(checker);
        result->events = observation->events.count;
        result->events_lost = observation->events_lost;
        if (observation->events_lost || observation->counters.event_packets_missing) {
            struct pb_finding *finding = add_finding(checker, PB_FINDING_LOSS, -1, 0);
            EXPECTED(finding, "no loss");
            SEEN(finding, "%" PRIu64 " events lost in the core, %" PRIu64 " event packets lost on the way", observation->events_lost,
                 observation->counters.event_packets_missing);
        }
        code = checker->code;
    }
    if (!code) {
        pb_measure_finish(&checker->measure, result);
        if (result->findings)
            qsort(result->finding, result->findings, sizeof *result->finding, by_time);
        decide(result);
    }
    pb_measure_free(&checker->measure);
    pb_expectation_free(&checker->expectation);
    free(checker);
    return code;
}
