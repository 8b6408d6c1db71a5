/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/epilogue.h"
#include "bench/registry/kinds.h"
#include "host/check/counters.h"
#include "host/check/epilogue_node.h"
#include "host/check/lows.h"
#include "host/plan/answer.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN_BYTES = 12,  /* of a frame, in a finding */
    GUARD_PS = 1000000 /* from the end of a frame to the next one: of a processor */
};

#define TICK_MAX (UINT64_C(1) << 56) /* decades: beyond it no stamp is one */

struct epilogue {
    struct pb_check_output *out;
    const struct pb_epilogue *seen;
    unsigned phases, slots; /* of a superframe, of all */
    uint64_t *tick;         /* owned; of the beginning of each phase, in the core's own time */
    struct pb_epilogue_node_due due[PB_SCENARIO_NODES_MAX];
    bool reported[PB_SCENARIO_NODES_MAX];
    bool frames; /* they can be judged: have_time */
};

/* ---- findings */

/* A phase of the session after the run; superframe: from its end on. */
static struct pb_schedule_place place_of(const struct epilogue *epilogue, uint64_t tick, uint32_t superframe,
                                         unsigned phase)
{
    const struct pb_check_run *run = epilogue->out->run;
    return (struct pb_schedule_place){.tick = tick + run->origin_tick - run->clock_start_tick,
                                      .superframe = run->scenario->superframes + superframe,
                                      .phase = phase};
}

static uint32_t address_of(const struct epilogue *epilogue, unsigned node_index)
{
    return epilogue->out->run->scenario->node[node_index].address;
}

static struct pb_finding *add(struct epilogue *epilogue, unsigned node_index, struct pb_schedule_place at,
                              enum pb_finding_kind kind, int link, int64_t in_phase_ps)
{
    const struct pb_claim claim = {
        .kind = kind, .at_ps = in_phase_ps, .sender = PB_SENDER_NONE, .unexcused = true};
    epilogue->reported[node_index] = true;
    return pb_finding_claim(epilogue->out, &at, link, &claim);
}

static bool any_reported(const struct epilogue *epilogue)
{
    bool any = false;
    for (unsigned node_index = 0; node_index < epilogue->out->run->scenario->node_count; node_index++)
        any |= epilogue->reported[node_index];
    return any;
}

/* ---- answers */

/* The number after "+X "; -1 for anything else. */
static int64_t number_after(const char *answer, char letter)
{
    const char head[] = {'+', letter, ' ', 0};
    const size_t digits = strspn(answer + strnlen(answer, 3), "0123456789ABCDEFabcdef");
    if (strncmp(answer, head, 3) || !digits || digits > 8 || answer[3 + digits])
        return -1;
    return strtoll(answer + 3, NULL, 16);
}

/* Writes the answer of a sound node, for people. */
static bool is_right(char expected[64], const struct pb_epilogue_answer *due, const char *answer,
                     const struct pb_scenario *scenario, const struct pb_scenario_node *node)
{
    if (due->refused) {
        snprintf(expected, 64, "'-' and a reason");
        return pb_answer_refuses(answer);
    }
    const char head[] = {'+', due->letter, 0};
    if (due->letter == 'I') {
        snprintf(expected, 64, "+I and its words, addr=%" PRIX64, (uint64_t)due->number);
        return !strncmp(answer, "+I ", 3) && !pb_identity_flaw(answer, scenario, node, (uint32_t)due->number);
    }
    if (due->letter == 'T') {
        snprintf(expected, 64, "'%s' and its counters", head);
        return !strncmp(answer, "+T ", 3);
    }
    if (due->number < 0) {
        snprintf(expected, 64, "'%s'", head);
        return !strcmp(answer, head);
    }
    snprintf(expected, 64, "'%s %" PRIX64 "'", head, (uint64_t)due->number);
    return number_after(answer, due->letter) == due->number;
}

static void report_answer(struct epilogue *epilogue, unsigned node_index, enum pb_epilogue_line line,
                          const char *expected)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    const struct pb_epilogue_answer *due = &epilogue->due[node_index].answer[line];
    const char *answer = pb_epilogue_said(node, line);
    char text[PB_EPILOGUE_TEXT], typed[PB_EPILOGUE_TEXT], said[100];
    struct pb_finding *finding =
        add(epilogue, node_index, place_of(epilogue, node->answer[line].tick, due->superframe, 0),
            due->letter == 'I' && *answer ? PB_FINDING_IDENTITY : PB_FINDING_CONSOLE, -1, 0);
    pb_epilogue_text(text, epilogue->out->run->scenario, node_index, line);
    text[strcspn(text, "\r")] = '\0';
    pb_copy_printable(typed, sizeof typed, text);
    pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " answers %s to the line '%s'",
                        address_of(epilogue, node_index), expected, typed);
    pb_copy_printable(said, sizeof said, answer);
    if (*answer)
        pb_finding_seen(finding, "it answered '%s'", said);
    else
        pb_finding_seen(finding, "no answer on UART0 within 50 ms");
}

/* Judges answers in the order of their lines: the first invalid answer may shift the later ones. Answers that
 * depend on frames are judged after the frames. */
static void judge_answers(struct epilogue *epilogue, unsigned node_index, bool by_frames)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    const struct pb_device_info *info = &epilogue->out->run->observation->info;
    struct pb_epilogue_step step;
    char expected[64];
    for (unsigned at = 0; pb_epilogue_next(scenario, info, &at, &step);)
        if (step.act == PB_EPILOGUE_TYPES && node->answer[step.line].typed &&
            epilogue->due[node_index].answer[step.line].due &&
            epilogue->due[node_index].answer[step.line].by_frames == by_frames &&
            !is_right(expected, &epilogue->due[node_index].answer[step.line],
                      pb_epilogue_said(node, step.line), scenario, &scenario->node[node_index])) {
            report_answer(epilogue, node_index, step.line, expected);
            return;
        }
}

/* ---- resets */

/* Whose pin it is. Of a link beyond the network's a single node alone owns the pin. */
static int node_of_link(const struct epilogue *epilogue, unsigned link)
{
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    if (link < pb_link_count(scenario))
        return (int)pb_link_node_index(scenario, link);
    return scenario->node_count == 1 ? 0 : -1;
}

struct reset_line {
    struct epilogue *epilogue;
    const struct pb_epilogue_reset *reset;
    unsigned link, node_index;
};

static void take_low(void *context, struct pb_low low)
{
    const struct reset_line *line = context;
    struct epilogue *epilogue = line->epilogue;
    const struct pb_epilogue_reset *reset = line->reset;
    const struct pb_check_run *run = epilogue->out->run;
    if (epilogue->reported[line->node_index])
        return;
    const bool held = low.from_tick <= reset->released_tick,
               beyond = line->link >= pb_link_count(run->scenario);
    struct pb_finding *finding = add(epilogue, line->node_index,
                                     place_of(epilogue, low.from_tick, reset->superframe, 0),
                                     beyond ? PB_FINDING_BEYOND
                                     : held ? PB_FINDING_RESET
                                            : PB_FINDING_LOW_BEFORE,
                                     (int)line->link, 0);
    if (beyond)
        finding->dimension = -1;
    finding->sender = PB_SENDER_NODE;
    pb_finding_expected(finding, "after the run: line high %s",
                        held ? "while NRST is low" : "from a reset until the node has something to send");
    const double from_us = pb_us(pb_ticks_to_ps(run, (int64_t)(low.from_tick - reset->reset_tick)));
    if (low.to_tick == UINT64_MAX)
        pb_finding_seen(finding, "line low from %.3f us after the fall of NRST on", from_us);
    else
        pb_finding_seen(finding, "line low from %.3f us to %.3f us after the fall of NRST", from_us,
                        pb_us(pb_ticks_to_ps(run, (int64_t)(low.to_tick - reset->reset_tick))));
}

/* With an external clock the reset may end a frame: there the lows count once NRST was low for a while. */
static void judge_reset_line(struct epilogue *epilogue, const struct pb_epilogue_reset *reset, unsigned link)
{
    const int node_index = node_of_link(epilogue, link);
    if (node_index < 0 || !epilogue->seen->node[node_index].asked)
        return;
    struct reset_line line = {epilogue, reset, link, (unsigned)node_index};
    const bool follow = epilogue->out->run->scenario->follow;
    const struct pb_line_watch watch = {
        .events = &epilogue->seen->events,
        .link = link,
        .from_tick = follow ? reset->held_tick : reset->reset_tick,
        .end_tick = reset->end_tick,
        .low_first = !(reset->level_held >> link & 1),
        .low_last = !(reset->level_end >> link & 1),
    };
    struct pb_low low;
    if (pb_line_lows(&watch, take_low, &line, &low))
        take_low(&line, low);
}

static void judge_reset_console(struct epilogue *epilogue, const struct pb_epilogue_reset *reset)
{
    const struct pb_events *events = &epilogue->seen->events;
    const unsigned node_index = reset->console_node;
    for (size_t i = 0; i < events->count && events->event[i].tick < reset->typing_tick; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->tick < reset->reset_tick || epilogue->reported[node_index] ||
            !epilogue->seen->node[node_index].asked ||
            !pb_console_unasked(event, reset->reset_tick, reset->held_tick))
            continue;
        const bool held = event->tick <= reset->released_tick;
        struct pb_finding *finding =
            add(epilogue, node_index, place_of(epilogue, event->tick, reset->superframe, 0),
                held ? PB_FINDING_RESET : PB_FINDING_CONSOLE_NOISE, -1, 0);
        pb_finding_expected(finding, "after the run: UART0_TX of node 0x%" PRIX32 " high %s",
                            address_of(epilogue, node_index),
                            held ? "while NRST is low" : "from a reset until a line is typed");
        pb_finding_seen(finding, "byte %02X%s on UART0_TX", pb_event_data(event),
                        pb_event_stop_ok(event) ? "" : " without a stop bit");
    }
}

static void judge_resets(struct epilogue *epilogue)
{
    const struct pb_observation *seen = epilogue->out->run->observation;
    const unsigned links = seen->info.links < PB_LINKS_MAX ? seen->info.links : (unsigned)PB_LINKS_MAX;
    for (unsigned i = 0; i < epilogue->seen->resets; i++) {
        for (unsigned link = 0; link < links; link++)
            judge_reset_line(epilogue, &epilogue->seen->reset[i], link);
        judge_reset_console(epilogue, &epilogue->seen->reset[i]);
    }
}

/* ---- frames */

struct slot_bytes {
    uint8_t byte[PB_FRAME_MAX];
    unsigned count; /* may be more */
    bool bad_stop;
    uint64_t tick; /* of the first one's start edge */
};

/* What is on the lines of a node, port by port, slot by slot. */
struct lines {
    struct epilogue *epilogue;
    unsigned node_index;
    struct slot_bytes *slot;
    int sequence; /* of the last frame of mode 2; -1: none since the node came into it */
};

static struct slot_bytes *slot_of(const struct lines *lines, unsigned port, unsigned at)
{
    return &lines->slot[(size_t)port * lines->epilogue->slots + at];
}

/* Puts the bytes of a link into the slots in which they began; one before the first phase into the first. */
static void sort_bytes(struct lines *lines, unsigned port)
{
    const struct epilogue *epilogue = lines->epilogue;
    const struct pb_events *events = &epilogue->seen->events;
    const unsigned link = pb_link_of(epilogue->out->run->scenario, lines->node_index, port);
    const uint64_t back = pb_sample_ticks(epilogue->out->run->bit_period_q4, 9);
    unsigned at = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_BYTE || event->link != link || event->tick < back)
            continue;
        while (at + 1 < epilogue->slots && epilogue->tick[at + 1] <= event->tick - back)
            at++;
        struct slot_bytes *slot = slot_of(lines, port, at);
        if (!slot->count)
            slot->tick = event->tick - back;
        if (slot->count < PB_FRAME_MAX)
            slot->byte[slot->count] = pb_event_data(event);
        slot->count++;
        slot->bad_stop |= !pb_event_stop_ok(event);
    }
}

/* C13: bits in the order of the line, each the exclusive or of those 6 and 7 before it; not all of them 0. */
static bool is_prbs(const uint8_t *payload, unsigned bytes)
{
    unsigned last = 0; /* 7 bits, the newest in bit 0 */
    bool right = true;
    for (unsigned bit = 0; bit < 8 * bytes; bit++) {
        const unsigned now = payload[bit / 8] >> bit % 8 & 1;
        right &= bit < 7 || (last && now == ((last >> 5 ^ last >> 6) & 1));
        last = (last << 1 | now) & 0x7F;
    }
    return right;
}

/* *why: the error of a whole frame of mode 2. */
static bool is_mode_2(struct lines *lines, const struct slot_bytes *slot, const char **why)
{
    const struct pb_scenario *scenario = lines->epilogue->out->run->scenario;
    *why = ", its check value is wrong";
    if (!pb_frame_checks(scenario, slot->byte, slot->count))
        return false;
    *why = ", its payload is not of PRBS-7";
    if (!is_prbs(pb_frame_payload(scenario, slot->byte), scenario->payload_bytes))
        return false;
    const unsigned sequence = pb_frame_sequence(scenario, slot->byte);
    *why = ", its sequence number does not follow that of the frame before";
    if (lines->sequence >= 0 && sequence != (((unsigned)lines->sequence + 1) & PB_SEQUENCE_MASK))
        return false;
    lines->sequence = (int)sequence;
    return true;
}

static const struct pb_epilogue_slot *due_at(const struct lines *lines, unsigned port, unsigned at)
{
    static const struct pb_epilogue_slot nothing = {.due = PB_DUE_NOTHING};
    const struct pb_epilogue_slot *due = &lines->epilogue->due[lines->node_index].slot[at];
    return due->port == port ? due : &nothing;
}

static bool is_as_due(struct lines *lines, unsigned port, unsigned at, const char **why)
{
    const struct slot_bytes *slot = slot_of(lines, port, at);
    const struct pb_epilogue_slot *due = due_at(lines, port, at);
    const unsigned count =
        due->due == PB_DUE_PRBS ? lines->epilogue->out->run->scenario->frame_bytes : due->count;
    *why = "";
    if (lines->epilogue->due[lines->node_index].slot[at].mode != PB_EPILOGUE_MODE_PRBS)
        lines->sequence = -1;
    if (due->due == PB_DUE_NOTHING)
        return !slot->count;
    if (slot->count != count || slot->bad_stop)
        return false;
    return due->due == PB_DUE_PRBS ? is_mode_2(lines, slot, why) : !memcmp(due->byte, slot->byte, count);
}

static void write_bytes(char *text, size_t size, const uint8_t *bytes, unsigned count)
{
    size_t at = 0;
    *text = 0;
    for (unsigned i = 0; i < count && i < SHOWN_BYTES; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%02X", i ? " " : "", bytes[i]);
    if (count > SHOWN_BYTES)
        snprintf(text + at, size - at, " ..., %u bytes", count);
}

static void describe_due(struct pb_finding *finding, const struct epilogue *epilogue, unsigned node_index,
                         const struct pb_epilogue_slot *due)
{
    const uint32_t address = address_of(epilogue, node_index);
    char text[80];
    write_bytes(text, sizeof text, due->byte, due->count);
    switch (due->due) {
    case PB_DUE_FRAME:
        pb_finding_expected(finding, "after the run: node 0x%" PRIX32 ", in mode %u, sends %s", address,
                            due->mode, text);
        break;
    case PB_DUE_BENCH:
        pb_finding_expected(finding,
                            "after the run: node 0x%" PRIX32 " leaves the frame of the bench alone, %s",
                            address, text);
        break;
    case PB_DUE_PRBS:
        pb_finding_expected(finding,
                            "after the run: node 0x%" PRIX32 ", in mode 2, sends a frame of %u bytes",
                            address, epilogue->out->run->scenario->frame_bytes);
        break;
    default:
        pb_finding_expected(finding,
                            "after the run: line high, as node 0x%" PRIX32 " has nothing to send here",
                            address);
        break;
    }
}

static void report_slot(struct lines *lines, unsigned port, unsigned at, const char *why)
{
    struct epilogue *epilogue = lines->epilogue;
    const struct slot_bytes *slot = slot_of(lines, port, at);
    const struct pb_epilogue_slot *due = due_at(lines, port, at);
    const int64_t in_phase_ps = slot->count && slot->tick >= epilogue->tick[at]
                                    ? pb_ticks_to_ps(epilogue->out->run, slot->tick - epilogue->tick[at])
                                    : 0;
    char text[80];
    struct pb_finding *finding =
        add(epilogue, lines->node_index,
            place_of(epilogue, epilogue->tick[at], at / epilogue->phases, at % epilogue->phases),
            due->due == PB_DUE_NOTHING ? PB_FINDING_UNEXPECTED
            : slot->count              ? PB_FINDING_WRONG_BYTES
                                       : PB_FINDING_MISSING,
            (int)pb_link_of(epilogue->out->run->scenario, lines->node_index, port), in_phase_ps);
    finding->sender = PB_SENDER_NODE;
    describe_due(finding, epilogue, lines->node_index, due);
    write_bytes(text, sizeof text, slot->byte, slot->count);
    pb_finding_seen(finding, "%s%s", slot->count ? text : "line high",
                    slot->bad_stop ? ", a stop bit is low" : why);
}

/* In the order of time, so that the first error of a node is reported. */
static void judge_frames(struct epilogue *epilogue, unsigned node_index)
{
    const unsigned ports = epilogue->out->run->scenario->network.ports;
    struct lines lines = {.epilogue = epilogue, .node_index = node_index, .sequence = -1};
    const char *why;
    lines.slot = calloc((size_t)ports * epilogue->slots + 1, sizeof *lines.slot);
    if (!lines.slot) {
        epilogue->out->code = PB_ERR_MEMORY;
        return;
    }
    for (unsigned port = 0; port < ports; port++)
        sort_bytes(&lines, port);
    for (unsigned at = 0; at < epilogue->slots; at++)
        for (unsigned port = 0; port < ports && !epilogue->reported[node_index]; port++)
            if (!is_as_due(&lines, port, at, &why))
                report_slot(&lines, port, at, why);
    free(lines.slot);
}

/* ---- counters */

/* Every counter once, and well formed (C5). */
static void judge_form(struct epilogue *epilogue, unsigned node_index, enum pb_epilogue_line line)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    const uint32_t superframe = epilogue->due[node_index].answer[line].superframe;
    struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
    const unsigned flaws = pb_counters_flaws(flaw, pb_epilogue_said(node, line));
    for (unsigned i = 0; i < flaws; i++) {
        struct pb_finding *finding =
            add(epilogue, node_index, place_of(epilogue, node->answer[line].tick, superframe, 0),
                PB_FINDING_COUNTERS, -1, 0);
        pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " answers %s",
                            address_of(epilogue, node_index), flaw[i].expected);
        pb_finding_seen(finding, "%s", flaw[i].seen);
    }
}

static const char *since_what(enum pb_epilogue_line line)
{
    return line == PB_EPILOGUE_SINCE || line == PB_EPILOGUE_FINAL ? "the reset" : "Z";
}

/* Without the frames only what the console itself counts is known. Before the first reset there are none. */
static void judge_counters(struct epilogue *epilogue, unsigned node_index, enum pb_epilogue_line line,
                           bool frames)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    const struct pb_epilogue_node_due *due = &epilogue->due[node_index];
    const bool all = frames || line == PB_EPILOGUE_CLEARED;
    if (!node->answer[line].typed)
        return;
    judge_form(epilogue, node_index, line);
    for (unsigned i = 0; i < due->counters; i++) {
        const struct pb_epilogue_counter *counter = &due->counter[pb_epilogue_count(line)][i];
        const int64_t seen = pb_answer_number(pb_epilogue_said(node, line), counter->key);
        if (seen < 0 || (seen >= counter->least && seen <= counter->most) ||
            !(all || counter->by_console))
            continue;
        struct pb_finding *finding =
            add(epilogue, node_index,
                place_of(epilogue, node->answer[line].tick, due->answer[line].superframe, 0),
                PB_FINDING_COUNTERS, -1, 0);
        const char *since = since_what(line);
        if (counter->least == counter->most)
            pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " counts %u of %s since %s",
                                address_of(epilogue, node_index), counter->least, counter->key, since);
        else
            pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " counts %u to %u of %s since %s",
                                address_of(epilogue, node_index), counter->least, counter->most,
                                counter->key, since);
        pb_finding_seen(finding, "%" PRId64, seen);
    }
}

/* ---- what can be judged */

/* Reads the phases of all superframes. False: another number of phases, or a time that no core can report. */
static bool read_phases(struct epilogue *epilogue)
{
    const struct pb_events *events = &epilogue->seen->events;
    unsigned count = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->tick > TICK_MAX)
            return false;
        if (event->kind != PB_EVENT_PHASE)
            continue;
        if (count == epilogue->slots || pb_event_phase(event) != count % epilogue->phases)
            return false;
        epilogue->tick[count++] = event->tick;
    }
    return count == epilogue->slots;
}

/* Every node that takes part can listen before its neighbour may start to send, and end its frame before the
 * next phase. Where that is not so the contract asks for what no node can do. */
static bool have_time(const struct epilogue *epilogue)
{
    const struct pb_check_run *run = epilogue->out->run;
    const struct pb_scenario *scenario = run->scenario;
    const int64_t bit_ps = PB_PS_PER_S / (int64_t)scenario->baud_hz,
                  frame_ps = (10 * (int64_t)scenario->frame_bytes - 1) * bit_ps;
    int64_t rise_ps = 0;
    for (unsigned link = 0; link < pb_link_count(scenario); link++)
        if (rise_ps < run->observation->rise[link].max_ps)
            rise_ps = run->observation->rise[link].max_ps;
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++) {
        const struct pb_scenario_node *node = &scenario->node[node_index];
        /* Logic has no latency that the scenario states; after a frame it is ready in twice its time to
         * start. */
        const struct pb_node_logic *logic = pb_node_kind_of(node->kind)->logic;
        const int64_t start_ps = logic ? pb_node_clocks_ps(logic, logic->start_clocks) : 0,
                      ready_ps = logic ? start_ps : node->irq_latency_ps + node->irq_jitter_ps,
                      end_ps =
                          (scenario->head_guard_ps + frame_ps) * 1000000 / (1000000 + node->clock_error_ppm) +
                          rise_ps;
        if (!epilogue->seen->node[node_index].asked)
            continue;
        if (ready_ps + bit_ps / 4 > run->start_min_ps - 4 * run->resolution_ps ||
            end_ps + bit_ps / 2 + 8 * run->resolution_ps > run->phase_ps ||
            scenario->guard_ps + bit_ps / 2 < (logic ? 2 * start_ps : GUARD_PS))
            return false;
    }
    return true;
}

static void leave_out(const struct epilogue *epilogue, const char *why)
{
    for (unsigned node_index = 0; node_index < epilogue->out->run->scenario->node_count; node_index++)
        if (epilogue->out->run->observation->answer[node_index].asked)
            pb_not_checked(&epilogue->out->result->node[node_index], why);
}

/* Wherever each node is. */
static bool plays_all(const struct epilogue *epilogue, unsigned node_index)
{
    const struct pb_check_run *run = epilogue->out->run;
    struct pb_epilogue_places places = {.scenario = run->scenario,
                                        .lanes = run->observation->info.lanes - 1};
    bool all = true;
    for (unsigned moved = 0; moved < 2; moved++) {
        for (unsigned other = 0; moved && other < run->scenario->node_count; other++)
            if (epilogue->seen->node[other].counts)
                places.moved |= UINT64_C(1) << other;
        for (unsigned port = 0; port < run->scenario->network.ports; port++)
            all &= pb_epilogue_plays(&places, node_index, port);
    }
    return all;
}

static void list_absent(const struct epilogue *epilogue)
{
    for (unsigned node_index = 0; node_index < epilogue->out->run->scenario->node_count; node_index++) {
        const struct pb_node_answer *answer = &epilogue->out->run->observation->answer[node_index];
        struct pb_node_row *row = &epilogue->out->result->node[node_index];
        if (answer->asked && !epilogue->seen->node[node_index].asked)
            pb_not_checked(row,
                           answer->too_slow
                               ? "what is tried after the run (docs/node.md), as its console is too slow"
                               : "what is tried after the run (docs/node.md), as it is not identified or "
                                 "does not answer T");
        else if (answer->asked && !epilogue->seen->node[node_index].counts)
            pb_not_checked(row, "the console commands A, M and Z, as it has no counters");
        else if (answer->asked && epilogue->slots && !plays_all(epilogue, node_index))
            pb_not_checked(
                row, "test mode 1 on every dimension, as the core has too few lanes for that many nodes");
    }
}

/* Its latency may be longer than the head guard, or it may be busy with the last byte of a frame. */
static bool may_be_late(const struct pb_check_run *run, unsigned node_index)
{
    const struct pb_scenario *scenario = run->scenario;
    const int64_t frame_ps = 10 * PB_PS_PER_S * (int64_t)scenario->frame_bytes / (int64_t)scenario->baud_hz;
    return pb_may_miss_head_guard(run, pb_reaction_max_ps(&scenario->node[node_index])) ||
           scenario->head_guard_ps + frame_ps > pb_end_max_ps(run);
}

/* Number of messages that the node kept, by its own counters. These were judged, and report at least that
 * number. */
static unsigned left_by_run(const struct epilogue *epilogue, unsigned node_index)
{
    const int64_t *counter = epilogue->out->result->node[node_index].counter;
    const int64_t left = counter[PB_COUNTER_FORWARDED] + counter[PB_COUNTER_OWN_MESSAGES] +
                         counter[PB_COUNTER_TX_CUT] - counter[PB_COUNTER_TX_FRAMES];
    return left > 0 ? (unsigned)left : 0;
}

static bool make_due(struct epilogue *epilogue)
{
    const struct pb_check_run *run = epilogue->out->run;
    for (unsigned node_index = 0; node_index < run->scenario->node_count; node_index++) {
        const struct pb_epilogue_known known = {
            .run = run,
            .left = left_by_run(epilogue, node_index),
            .frames = epilogue->frames,
            .may_be_late = may_be_late(run, node_index),
            .may_be_cut = pb_may_meet_edge(run, run->start_max_ps, false),
        };
        if (pb_epilogue_node_make(&epilogue->due[node_index], &known, node_index)) {
            epilogue->out->code = PB_ERR_MEMORY;
            return false;
        }
    }
    return true;
}

/* The session takes the first answer to a line; what comes later may be taken for that to the next one, or
 * pass before it is typed. So answers are counted, too. Of several nodes it is not known whose is surplus. */
static void judge_number_of_answers(struct epilogue *epilogue)
{
    const struct pb_events *events = &epilogue->seen->events;
    const struct pb_epilogue_node *node = &epilogue->seen->node[0];
    size_t taken = 0, seen = 0;
    uint64_t last_tick = 0;
    bool in_line = false;
    for (unsigned line = 0; line < PB_EPILOGUE_LINES; line++)
        taken += node->answer[line].typed && *pb_epilogue_said(node, (enum pb_epilogue_line)line);
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_CONSOLE)
            continue;
        const uint8_t byte = pb_event_data(event);
        if (!in_line && (byte == '+' || byte == '-')) {
            seen++;
            last_tick = event->tick;
        }
        in_line = byte != '\n';
    }
    if (seen <= taken)
        return;
    struct pb_finding *finding =
        add(epilogue, 0, place_of(epilogue, last_tick, 0, 0), PB_FINDING_CONSOLE_NOISE, -1, 0);
    pb_finding_expected(finding, "after the run: one answer of node 0x%" PRIX32 " to each of %zu lines",
                        address_of(epilogue, 0), taken);
    pb_finding_seen(finding, "%zu answers", seen);
}

static void judge_nodes(struct epilogue *epilogue)
{
    const struct pb_check_run *run = epilogue->out->run;
    const unsigned nodes = run->scenario->node_count;
    judge_resets(epilogue);
    for (unsigned node_index = 0; node_index < nodes; node_index++)
        if (!epilogue->reported[node_index])
            judge_answers(epilogue, node_index, false);
    if (nodes == 1 && !epilogue->reported[0])
        judge_number_of_answers(epilogue);
    if (any_reported(epilogue) || !epilogue->slots)
        return;
    if (!epilogue->frames)
        leave_out(epilogue,
                  "its frames after the run, as its latency or its frames leave too little of a phase");
    for (unsigned node_index = 0; epilogue->frames && node_index < nodes; node_index++)
        if (epilogue->seen->node[node_index].asked)
            judge_frames(epilogue, node_index);
    for (unsigned node_index = 0; node_index < nodes && !any_reported(epilogue); node_index++) {
        struct pb_epilogue_step step;
        judge_answers(epilogue, node_index, true);
        for (unsigned at = 0; pb_epilogue_next(run->scenario, &run->observation->info, &at, &step);)
            if (step.act == PB_EPILOGUE_TYPES && pb_epilogue_count(step.line) >= 0)
                judge_counters(epilogue, node_index, step.line, epilogue->frames);
    }
}

static void judge(struct epilogue *epilogue)
{
    epilogue->frames = have_time(epilogue);
    if (make_due(epilogue))
        judge_nodes(epilogue);
    for (unsigned node_index = 0; node_index < epilogue->out->run->scenario->node_count; node_index++)
        pb_epilogue_node_free(&epilogue->due[node_index]);
}

void pb_judge_epilogue(struct pb_check_output *out, const struct pb_loss *loss)
{
    const struct pb_observation *seen = out->run->observation;
    const struct pb_scenario *scenario = out->run->scenario;
    struct epilogue epilogue = {.out = out,
                                .seen = &seen->epilogue,
                                .phases = scenario->network.phases,
                                .slots = pb_epilogue_superframes(scenario, &seen->info) *
                                         scenario->network.phases};
    if (seen->epilogue.left_out || loss->known || *seen->cut || pb_output_blames(out) ||
        seen->console_failures)
        return;
    epilogue.tick = calloc(epilogue.slots + 1, sizeof *epilogue.tick);
    if (!epilogue.tick) {
        out->code = PB_ERR_MEMORY;
        return;
    }
    if (scenario->follow)
        leave_out(&epilogue, "its frames after the run (docs/node.md), as the external clock runs on");
    const char *unfit = pb_epilogue_unfit(scenario);
    if (unfit) {
        char why[120];
        snprintf(why, sizeof why, "what is tried after the run (docs/node.md), as %s", unfit);
        leave_out(&epilogue, why);
    } else if (seen->epilogue.played && (seen->epilogue.lost || !read_phases(&epilogue)))
        leave_out(&epilogue, "what was tried after the run (docs/node.md), as events of it were lost");
    else {
        list_absent(&epilogue);
        if (seen->epilogue.played)
            judge(&epilogue);
    }
    free(epilogue.tick);
}
