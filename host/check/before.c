/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the events before the first phase. From the start of the capture on, and while NRST is low, no line
 * is low. No console sends while NRST is low, or without a command. A line that the bench pulls goes low. The
 * session pulls each line once, for a bit (struct pb_bench_pull); every other low is due to a node. Each line
 * has at most one finding about a low, placed at its begin.
 *
 * With an external clock the nodes may send before their reset. Until the reset only a low is judged that is
 * longer than the longest low of a frame.
 */
#include "host/check/before.h"
#include "host/check/lows.h"
#include "host/plan/node_map.h"
#include "phasebench/error.h"

#include <inttypes.h>

enum {
    PULL_BITS_MAX = 3, /* longest low, in bits, of a pull of one bit: its rise is slow */
    FRAME_BITS = 12    /* the longest low of a frame, a byte 00 with a low stop bit, of a slow sender */
};

struct before {
    struct pb_early *early;
    const struct pb_before *seen;
    uint64_t from_tick, end_tick; /* of what is judged */
    bool reported[PB_LINKS_MAX], pulled[PB_LINKS_MAX];
};

int pb_early_push(struct pb_early *early, const struct pb_event *event)
{
    early->underrun |= event->kind == PB_EVENT_UNDERRUN;
    return early->judged ? PB_OK : pb_events_add(&early->events, event);
}

void pb_early_end(struct pb_early *early)
{
    pb_events_free(&early->events);
    early->judged = true;
}

/* The level was observed between the start of the capture and that of the clock. Where a line moved in that
 * time, its first edge says what was before. */
uint64_t pb_early_levels(const struct pb_early *early)
{
    const struct pb_events *events = &early->events;
    const uint64_t clock_tick = early->marks->end ? early->marks->first.tick : UINT64_MAX;
    uint64_t level = early->run->observation->line_level, known = 0;
    for (size_t i = 0; i < events->count && events->event[i].tick < clock_tick; i++) {
        const struct pb_event *event = &events->event[i];
        const uint64_t bit = UINT64_C(1) << (event->link & 63);
        if (event->kind != PB_EVENT_EDGE || known & bit)
            continue;
        known |= bit;
        level = pb_event_high(event) ? level & ~bit : level | bit;
    }
    return level;
}

static const struct pb_bench_pull *pull_of(const struct pb_before *seen, unsigned link)
{
    for (unsigned i = 0; i < seen->pulls; i++)
        if (seen->pull[i].link == link)
            return &seen->pull[i];
    return NULL;
}

static struct pb_finding *add(struct before *before, enum pb_finding_kind kind, int link, uint64_t tick)
{
    return pb_finding_add(before->early->out, &(struct pb_schedule_place){.tick = tick}, kind, link);
}

static void describe(struct pb_finding *finding, const struct before *before, struct pb_low low)
{
    const struct pb_early *early = before->early;
    if (low.to_tick == UINT64_MAX)
        pb_finding_seen(finding, "line low from %.3f us after the start of the capture on",
                        pb_us(pb_ticks_to_ps(early->run, low.from_tick - before->seen->capture_tick)));
    else
        pb_finding_seen(finding, "line low from %.3f us to %.3f us after the start of the capture",
                        pb_us(pb_ticks_to_ps(early->run, low.from_tick - before->seen->capture_tick)),
                        pb_us(pb_ticks_to_ps(early->run, low.to_tick - before->seen->capture_tick)));
}

/* Ticks of `bits` bits and the rise of the line. */
static uint64_t longest_low(const struct pb_check_run *run, unsigned link, unsigned bits)
{
    const uint64_t rise = (uint64_t)pb_ps_to_ticks(run, run->observation->rise[link].max_ps);
    return (uint64_t)bits * (run->bit_period_q4 / 16 + 1) + rise;
}

static void judge_low(struct before *before, unsigned link, struct pb_low low)
{
    const struct pb_before *seen = before->seen;
    const struct pb_bench_pull *pull = pull_of(seen, link);
    const uint64_t longest = longest_low(before->early->run, link, PULL_BITS_MAX);
    if (low.to_tick <= before->from_tick || low.from_tick >= before->end_tick)
        return;
    if (pull && !before->pulled[link] && low.from_tick >= pull->from_tick && low.from_tick <= pull->to_tick) {
        before->pulled[link] = true;
        if (low.to_tick != UINT64_MAX && low.to_tick - low.from_tick <= longest)
            return;
    }
    if (before->reported[link])
        return;
    before->reported[link] = true;
    const bool held = low.from_tick >= seen->reset_tick && low.from_tick <= seen->released_tick;
    struct pb_finding *finding = add(before, held ? PB_FINDING_RESET : PB_FINDING_LOW_BEFORE, (int)link,
                                     low.from_tick > before->from_tick ? low.from_tick : before->from_tick);
    if (held)
        pb_finding_expected(finding, "line high while NRST is low");
    else
        pb_finding_expected(finding, "line high from the start of the capture to the first phase");
    describe(finding, before, low);
}

/* The level at the start, as it was read: a line that is stuck low makes no edge. */
static bool was_low(const struct before *before, unsigned link)
{
    const struct pb_before *seen = before->seen;
    return !((before->early->run->scenario->follow ? seen->level_held : seen->level_capture) >> link & 1);
}

struct line {
    struct before *before;
    unsigned link;
};

static void take_low(void *context, struct pb_low low)
{
    const struct line *line = context;
    judge_low(line->before, line->link, low);
}

static void judge_line(struct before *before, unsigned link)
{
    const struct pb_early *early = before->early;
    struct line line = {before, link};
    const struct pb_line_watch watch = {.events = &early->events,
                                        .link = link,
                                        .from_tick = before->from_tick,
                                        .end_tick = before->end_tick,
                                        .low_first = was_low(before, link),
                                        .low_last = !(early->run->observation->line_level >> link & 1),
                                        .bit_period_q4 = early->run->bit_period_q4};
    struct pb_low low;
    const bool stays_low = pb_line_lows(&watch, take_low, &line, &low);
    if (stays_low && !early->marks->end)
        judge_low(before, link, low);
    const struct pb_bench_pull *pull = pull_of(before->seen, link);
    if (!pull || before->pulled[link] || before->reported[link] || stays_low || early->loss->reported)
        return;
    struct pb_finding *finding = add(before, PB_FINDING_HELD_HIGH, (int)link, pull->from_tick);
    pb_finding_expected(finding, "line low while the bench pulls it for one bit before the run");
    pb_finding_seen(finding, "line high");
}

/* For an external clock, before the reset. The level was read after the begin of the capture: if the first
 * edge falls, the line was high until then. */
static void judge_running(struct before *before, unsigned link)
{
    const struct pb_early *early = before->early;
    const struct pb_before *seen = before->seen;
    const struct pb_events *events = &early->events;
    const uint64_t longest = longest_low(early->run, link, FRAME_BITS);
    bool is_low = !(seen->level_capture >> link & 1);
    uint64_t from_tick = seen->capture_tick;
    for (size_t i = 0; !before->reported[link]; i++) {
        const bool over = i == events->count || events->event[i].tick >= seen->reset_from_tick;
        const struct pb_event *event = &events->event[i];
        if (!over && (event->kind != PB_EVENT_EDGE || event->link != link))
            continue;
        const uint64_t tick = over ? seen->reset_from_tick : event->tick;
        if (is_low && (over || pb_event_high(event)) && tick > from_tick + longest) {
            before->reported[link] = true;
            struct pb_finding *finding = add(before, PB_FINDING_LOW_BEFORE, (int)link, from_tick);
            pb_finding_expected(finding, "no low longer than one of a frame before the reset");
            describe(finding, before, (struct pb_low){from_tick, tick});
        }
        if (over)
            return;
        is_low = !pb_event_high(event);
        from_tick = tick > seen->capture_tick ? tick : seen->capture_tick;
    }
}

static void judge_consoles(struct before *before)
{
    const struct pb_early *early = before->early;
    const struct pb_before *seen = before->seen;
    const struct pb_events *events = &early->events;
    bool held_reported = false, unasked_reported = false;
    for (size_t i = 0; i < events->count && events->event[i].tick < seen->typing_tick; i++) {
        const struct pb_event *event = &events->event[i];
        if (!pb_console_unasked(event, seen->reset_from_tick, seen->held_tick))
            continue;
        const bool held = event->tick <= seen->released_tick;
        if (held ? held_reported : unasked_reported)
            continue;
        *(held ? &held_reported : &unasked_reported) = true;
        struct pb_finding *finding =
            add(before, held ? PB_FINDING_RESET : PB_FINDING_CONSOLE_NOISE, -1, event->tick);
        pb_finding_expected(finding, held ? "UART0_TX high while NRST is low"
                                          : "UART0_TX high after NRST until a command is typed");
        pb_finding_seen(finding, "byte %02X%s on UART0_TX", pb_event_data(event),
                        pb_event_stop_ok(event) ? "" : " without a stop bit");
    }
}

/* The core sees its own pull at its pad even if the wire is broken. If the line followed the pull before the
 * run, and no record was late, a frame of the bench can be missing only because another side drives the line
 * high. */
enum pb_finding_kind pb_absent_pull(const struct pb_early *early, unsigned link)
{
    const bool followed = early->followed >> link & 1;
    return followed && !early->underrun && !early->loss->reported ? PB_FINDING_HELD_HIGH
                                                                  : PB_FINDING_STIMULUS;
}

static void look_for_pull(struct pb_early *early, unsigned link)
{
    const struct pb_bench_pull *pull = pull_of(&early->run->before, link);
    for (size_t i = 0; pull && i < early->events.count; i++) {
        const struct pb_event *event = &early->events.event[i];
        if (event->kind == PB_EVENT_EDGE && event->link == link && event->tick >= pull->from_tick &&
            event->tick <= pull->to_tick)
            early->followed |= UINT64_C(1) << link;
    }
}

void pb_judge_before(struct pb_early *early)
{
    const struct pb_before *seen = &early->run->before;
    struct before before = {
        .early = early,
        .seen = seen,
        .from_tick = early->run->scenario->follow ? seen->held_tick : seen->capture_tick,
        .end_tick = early->marks->end ? early->marks->first.tick : UINT64_MAX,
    };
    if (!seen->known)
        return;
    for (unsigned link = 0; link < pb_link_count(early->run->scenario); link++) {
        if (early->run->scenario->follow)
            judge_running(&before, link);
        judge_line(&before, link);
        look_for_pull(early, link);
    }
    judge_consoles(&before);
}
