/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/epilogue.h"
#include "bench/nodes/kinds.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_MAX = PB_EPILOGUE_SUPERFRAMES * PB_WIRE_PHASES_MAX,
    SHOWN_BYTES = 12,   /* of a frame, in a finding */
    GUARD_PS = 1000000, /* from the end of a frame to the next one: of a processor */
    JOIN_TICKS = 8      /* from one pin of a joined pair to the other */
};

#define TICK_MAX (UINT64_C(1) << 56) /* decades: beyond it no stamp is one */

struct epilogue {
    struct pb_check_output *out;
    const struct pb_epilogue *seen;
    unsigned phases;              /* of a superframe */
    uint64_t tick[SLOTS_MAX + 1]; /* of the beginning of each phase, in the core's own time */
    bool reported[PB_SCENARIO_NODES_MAX];
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

static bool is_refusal(const char *answer)
{
    static const char *const reason[] = {"empty",  "character", "long",   "lost", "unknown",
                                         "syntax", "range",     "length", "full", "busy"};
    for (size_t i = 0; *answer == '-' && i < sizeof reason / sizeof reason[0]; i++)
        if (!strcmp(answer + 1, reason[i]))
            return true;
    return false;
}

static const char *answer_of(const struct pb_epilogue_node *node, enum pb_epilogue_line line)
{
    return line == PB_EPILOGUE_COUNTERS ? node->statistics : node->answer[line].text;
}

/* Superframes of the epilogue when a line is typed. */
static uint32_t superframes_before(enum pb_epilogue_line line)
{
    return line == PB_EPILOGUE_ROUTE      ? PB_EPILOGUE_ROUTED
           : line == PB_EPILOGUE_ECHO     ? PB_EPILOGUE_ECHOED
           : line >= PB_EPILOGUE_COUNTERS ? 1
                                          : 0;
}

/* Writes the answer of a sound node, for people. */
static bool is_right(char expected[64], const struct epilogue *epilogue, unsigned node_index,
                     enum pb_epilogue_line line)
{
    const char *answer = answer_of(&epilogue->seen->node[node_index], line);
    const uint32_t other = pb_epilogue_address(epilogue->out->run->scenario, node_index);
    switch (line) {
    case PB_EPILOGUE_ADDRESS:
        snprintf(expected, 64, "'+A %" PRIX32 "'", other);
        return number_after(answer, 'A') == other;
    case PB_EPILOGUE_IDENTITY:
        snprintf(expected, 64, "addr=%" PRIX32 ", set by A,", other);
        return !strncmp(answer, "+I", 2) && pb_answer_number(answer, "addr") == other;
    case PB_EPILOGUE_REFUSED:
        snprintf(expected, 64, "'-' and a reason");
        return is_refusal(answer);
    case PB_EPILOGUE_CLEAR:
        snprintf(expected, 64, "'+Z'");
        return !strncmp(answer, "+Z", 2);
    case PB_EPILOGUE_SELF:
        snprintf(expected, 64, "'+S 0'");
        return number_after(answer, 'S') == 0;
    case PB_EPILOGUE_MESSAGE:
        snprintf(expected, 64, "'+S 1'");
        return number_after(answer, 'S') == 1;
    case PB_EPILOGUE_COUNTERS:
        snprintf(expected, 64, "'+T' and its counters");
        return !strncmp(answer, "+T", 2);
    case PB_EPILOGUE_ECHO:
        snprintf(expected, 64, "'+M 1'");
        return number_after(answer, 'M') == 1;
    case PB_EPILOGUE_ROUTE:
        snprintf(expected, 64, "'+M 0'");
        return number_after(answer, 'M') == 0;
    case PB_EPILOGUE_MODE:
    default:
        snprintf(expected, 64, "'+M 2'");
        return number_after(answer, 'M') == 2;
    }
}

/* A first wrong answer may shift those that follow. */
static void judge_answers(struct epilogue *epilogue, unsigned node_index)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    for (int line = 0; line < PB_EPILOGUE_LINES && !epilogue->reported[node_index]; line++) {
        char expected[64], text[PB_EPILOGUE_TEXT], seen[100];
        const char *answer = answer_of(node, (enum pb_epilogue_line)line);
        if (!node->answer[line].typed ||
            is_right(expected, epilogue, node_index, (enum pb_epilogue_line)line))
            continue;
        struct pb_finding *finding = add(
            epilogue, node_index,
            place_of(epilogue, node->answer[line].tick, superframes_before((enum pb_epilogue_line)line), 0),
            line == PB_EPILOGUE_IDENTITY && *answer ? PB_FINDING_IDENTITY : PB_FINDING_CONSOLE, -1, 0);
        pb_epilogue_text(text, epilogue->out->run->scenario, node_index, (enum pb_epilogue_line)line);
        pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " answers %s to the line '%s'",
                            address_of(epilogue, node_index), expected, text);
        pb_copy_printable(seen, sizeof seen, answer);
        if (*answer)
            pb_finding_seen(finding, "it answered '%s'", seen);
        else
            pb_finding_seen(finding, "no answer on UART0 within 50 ms");
    }
}

/* ---- frames */

enum due { NOTHING, MESSAGE, PRBS, ECHO, ROUTED, PLAYED };

static bool plays(const struct epilogue *epilogue, unsigned node_index, unsigned port)
{
    const struct pb_check_run *run = epilogue->out->run;
    return pb_epilogue_plays(run->scenario, run->observation->info.lanes - 1, node_index, port);
}

/* In the two superframes of ECHO, or of ROUTE. *from: the port on which the bench sent what is due now. */
static enum due due_of_mode(const struct epilogue *epilogue, unsigned node_index, unsigned port,
                            unsigned phase, bool second, bool echo, unsigned *from)
{
    const struct pb_network *network = &epilogue->out->run->scenario->network;
    const uint32_t address = address_of(epilogue, node_index);
    *from = port;
    if (pb_network_is(network, address, phase, PB_ROLE_LISTEN, port))
        return !second && plays(epilogue, node_index, port) ? PLAYED : NOTHING;
    if (!pb_network_is(network, address, phase, PB_ROLE_SEND, port) || (!echo && network->ports == 1))
        return NOTHING;
    if (!echo)
        *from = (port + network->ports - 1) % network->ports;
    const bool later = phase < pb_network_listen_phase(network, address, *from);
    return plays(epilogue, node_index, *from) && later == second ? echo ? ECHO : ROUTED : NOTHING;
}

/* What is due on a link in a slot. *from: of ECHO, ROUTED and PLAYED the port on which the bench sent it. */
static enum due due_at(const struct epilogue *epilogue, unsigned link, unsigned slot, unsigned *from)
{
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    const unsigned node_index = pb_link_node_index(scenario, link), port = pb_link_port(scenario, link),
                   superframe = slot / epilogue->phases, phase = slot % epilogue->phases;
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    *from = port;
    if (superframe >= PB_EPILOGUE_ECHOED) {
        const bool echo = superframe < PB_EPILOGUE_ROUTED;
        return node->answer[echo ? PB_EPILOGUE_ECHO : PB_EPILOGUE_ROUTE].typed
                   ? due_of_mode(epilogue, node_index, port, phase, superframe % 2 != 0, echo, from)
                   : NOTHING;
    }
    if (!pb_network_is(&scenario->network, address_of(epilogue, node_index), phase, PB_ROLE_SEND, port))
        return NOTHING;
    if (superframe)
        return node->answer[PB_EPILOGUE_MODE].typed ? PRBS : NOTHING;
    return node->answer[PB_EPILOGUE_MESSAGE].typed && phase == pb_epilogue_phase(scenario, node_index)
               ? MESSAGE
               : NOTHING;
}

struct slot_bytes {
    uint8_t byte[PB_FRAME_MAX];
    unsigned count; /* may be more */
    bool bad_stop;
    uint64_t tick; /* of the first one's start edge */
};

/* Puts the bytes of a link into the slots in which they began; one before the first phase into the first. */
static void sort_bytes(struct slot_bytes slot[SLOTS_MAX], const struct epilogue *epilogue, unsigned link)
{
    const struct pb_events *events = &epilogue->seen->events;
    const uint64_t back = pb_sample_ticks(epilogue->out->run->bit_period_q4, 9);
    memset(slot, 0, SLOTS_MAX * sizeof *slot);
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        unsigned at = 0;
        if (event->kind != PB_EVENT_BYTE || event->link != link || event->tick < back)
            continue;
        while (at + 1 < PB_EPILOGUE_SUPERFRAMES * epilogue->phases &&
               epilogue->tick[at + 1] <= event->tick - back)
            at++;
        if (!slot[at].count)
            slot[at].tick = event->tick - back;
        if (slot[at].count < PB_FRAME_MAX)
            slot[at].byte[slot[at].count] = pb_event_data(event);
        slot[at].count++;
        slot[at].bad_stop |= !pb_event_stop_ok(event);
    }
}

/* The frame that is due, but for PRBS. */
static void due_frame(uint8_t frame[PB_FRAME_MAX], const struct epilogue *epilogue, unsigned node_index,
                      enum due due, unsigned from)
{
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    if (due == MESSAGE)
        pb_epilogue_frame(scenario, node_index, frame);
    else
        pb_epilogue_played(scenario, node_index, from, frame);
}

static bool is_as_due(const struct epilogue *epilogue, unsigned link, unsigned at,
                      const struct slot_bytes *slot)
{
    const unsigned node_index = pb_link_node_index(epilogue->out->run->scenario, link);
    unsigned from;
    const enum due due = due_at(epilogue, link, at, &from);
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    uint8_t frame[PB_FRAME_MAX];
    if (due == NOTHING)
        return !slot->count;
    if (slot->count != scenario->frame_bytes || slot->bad_stop)
        return false;
    if (due == PRBS)
        return pb_frame_checks(scenario, slot->byte, slot->count);
    due_frame(frame, epilogue, node_index, due, from);
    return !memcmp(frame, slot->byte, slot->count);
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

static void report_slot(struct epilogue *epilogue, unsigned link, unsigned at, const struct slot_bytes *slot)
{
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    const unsigned node_index = pb_link_node_index(scenario, link);
    unsigned from;
    const enum due due = due_at(epilogue, link, at, &from);
    const int64_t in_phase_ps = slot->count && slot->tick >= epilogue->tick[at]
                                    ? pb_ticks_to_ps(epilogue->out->run, slot->tick - epilogue->tick[at])
                                    : 0;
    char text[80];
    uint8_t frame[PB_FRAME_MAX];
    struct pb_finding *finding = add(epilogue, node_index,
                                     place_of(epilogue, epilogue->tick[at], at / epilogue->phases,
                                              at % epilogue->phases),
                                     due == NOTHING ? PB_FINDING_UNEXPECTED
                                     : slot->count  ? PB_FINDING_WRONG_BYTES
                                                    : PB_FINDING_MISSING,
                                     (int)link, in_phase_ps);
    finding->sender = PB_SENDER_NODE;
    if (due != NOTHING && due != PRBS) {
        static const char *const how[] = {[MESSAGE] = " sends",
                                          [ECHO] = ", in mode 1, sends back",
                                          [ROUTED] = ", in mode 0 again, sends on",
                                          [PLAYED] = " leaves the frame of the bench alone,"};
        due_frame(frame, epilogue, node_index, due, from);
        write_bytes(text, sizeof text, frame, scenario->frame_bytes);
        pb_finding_expected(finding, "after the run: node 0x%" PRIX32 "%s %s",
                            address_of(epilogue, node_index), how[due], text);
    } else if (due == PRBS)
        pb_finding_expected(finding,
                            "after the run: node 0x%" PRIX32 ", in mode 2, sends a frame of %u bytes",
                            address_of(epilogue, node_index), scenario->frame_bytes);
    else
        pb_finding_expected(finding,
                            "after the run: line high, as node 0x%" PRIX32 " has nothing to send here",
                            address_of(epilogue, node_index));
    write_bytes(text, sizeof text, slot->byte, slot->count);
    pb_finding_seen(finding, "%s%s", slot->count ? text : "line high",
                    slot->bad_stop                                        ? ", a stop bit is low"
                    : due == PRBS && slot->count == scenario->frame_bytes ? ", its check value is wrong"
                                                                          : "");
}

/* What the node at the other end of a joined pair sends is judged at its own pin. In the modes 1 and 0 no
 * pair is joined. */
static bool is_partners(const struct epilogue *epilogue, unsigned link, unsigned slot)
{
    const int partner = pb_partner_link(epilogue->out->run->scenario, link);
    unsigned from;
    return slot < PB_EPILOGUE_ECHOED * epilogue->phases && partner >= 0 &&
           due_at(epilogue, (unsigned)partner, slot, &from) != NOTHING;
}

/* In the order of time: of a node what went wrong first. */
static void judge_frames(struct epilogue *epilogue, unsigned node_index)
{
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    const unsigned slots = PB_EPILOGUE_SUPERFRAMES * epilogue->phases;
    struct slot_bytes slot[SLOTS_MAX], first = {0};
    unsigned first_slot = slots, first_link = 0;
    for (unsigned dimension = 0; dimension < scenario->network.ports; dimension++) {
        const unsigned link = pb_link_of(scenario, node_index, dimension);
        sort_bytes(slot, epilogue, link);
        for (unsigned at = 0; at < first_slot; at++)
            if (!is_partners(epilogue, link, at) &&
                !is_as_due(epilogue, link, at, &slot[at])) {
                first = slot[at];
                first_slot = at;
                first_link = link;
            }
    }
    if (first_slot < slots)
        report_slot(epilogue, first_link, first_slot, &first);
}

/* ---- counters */

/* Frames that a node of the rig sends to this one in the first superframe. */
static unsigned arrivals(const struct epilogue *epilogue, unsigned node_index)
{
    /* Being a neighbour's neighbour is mutual in the cube alone: elsewhere several nodes may send to one. */
    const struct pb_scenario *scenario = epilogue->out->run->scenario;
    unsigned count = 0;
    for (unsigned other = 0; other < scenario->node_count; other++)
        count += epilogue->seen->node[other].answer[PB_EPILOGUE_MESSAGE].typed &&
                 pb_epilogue_neighbour(scenario, other) == scenario->node[node_index].address;
    return count;
}

/* Without the frames only what the console itself counts is known. */
static void judge_counters(struct epilogue *epilogue, unsigned node_index, bool frames)
{
    const struct pb_epilogue_node *node = &epilogue->seen->node[node_index];
    const unsigned came = arrivals(epilogue, node_index);
    const struct {
        const char *key;
        unsigned value;
        bool by_console;
    } due[] = {
        {pb_counter_key(PB_COUNTER_EDGES), epilogue->phases, false},
        {pb_counter_key(PB_COUNTER_SUPERFRAMES), 1, false},
        {pb_counter_key(PB_COUNTER_RX_FRAMES), came, false},
        {pb_counter_key(PB_COUNTER_DELIVERED), 1 + came, false},
        {pb_counter_key(PB_COUNTER_FORWARDED), 0, false},
        {pb_counter_key(PB_COUNTER_OWN_MESSAGES), 2, true},
        {pb_counter_key(PB_COUNTER_TX_FRAMES), 1, false},
        {pb_counter_key(PB_COUNTER_QUEUE_DROPS), 0, true},
        {"console_errors", 0, true},
    };
    if (!node->answer[PB_EPILOGUE_COUNTERS].typed)
        return;
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        const int64_t seen = pb_answer_number(node->statistics, due[i].key);
        if (seen < 0 || seen == due[i].value || !(frames || due[i].by_console))
            continue;
        struct pb_finding *finding =
            add(epilogue, node_index,
                place_of(epilogue, node->answer[PB_EPILOGUE_COUNTERS].tick, 1, 0), PB_FINDING_COUNTERS, -1,
                0);
        pb_finding_expected(finding, "after the run: node 0x%" PRIX32 " counts %u of %s since Z",
                            address_of(epilogue, node_index), due[i].value, due[i].key);
        pb_finding_seen(finding, "%" PRId64, seen);
    }
}

/* ---- what can be judged */

/* The phases of both superframes, all of them and no more, and times that a core can tell. */
static bool read_phases(struct epilogue *epilogue)
{
    const struct pb_events *events = &epilogue->seen->events;
    const unsigned slots = PB_EPILOGUE_SUPERFRAMES * epilogue->phases;
    unsigned count = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->tick > TICK_MAX)
            return false;
        if (event->kind != PB_EVENT_PHASE)
            continue;
        if (count == slots || pb_event_phase(event) != count % epilogue->phases)
            return false;
        epilogue->tick[count++] = event->tick;
    }
    return count == slots;
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
                          JOIN_TICKS * run->resolution_ps + rise_ps;
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

static bool plays_all(const struct epilogue *epilogue, unsigned node_index)
{
    bool all = true;
    for (unsigned port = 0; port < epilogue->out->run->scenario->network.ports; port++)
        all &= plays(epilogue, node_index, port);
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
        else if (answer->asked && !plays_all(epilogue, node_index))
            pb_not_checked(
                row, "test mode 1 on every dimension, as the core has too few lanes for that many nodes");
    }
}

static void judge(struct epilogue *epilogue)
{
    const unsigned nodes = epilogue->out->run->scenario->node_count;
    for (unsigned node_index = 0; node_index < nodes; node_index++)
        judge_answers(epilogue, node_index);
    if (any_reported(epilogue))
        return;
    const bool frames = have_time(epilogue);
    if (!frames)
        leave_out(epilogue,
                  "its frames after the run, as its latency or its frames leave too little of a phase");
    for (unsigned node_index = 0; frames && node_index < nodes; node_index++)
        if (epilogue->seen->node[node_index].asked)
            judge_frames(epilogue, node_index);
    for (unsigned node_index = 0; node_index < nodes && !any_reported(epilogue); node_index++)
        judge_counters(epilogue, node_index, frames);
}

void pb_judge_epilogue(struct pb_check_output *out, const struct pb_loss *loss)
{
    const struct pb_observation *seen = out->run->observation;
    struct epilogue epilogue = {
        .out = out, .seen = &seen->epilogue, .phases = out->run->scenario->network.phases};
    if (loss->known || *seen->cut || pb_output_blames(out) || seen->console_failures)
        return;
    if (out->run->scenario->follow)
        leave_out(&epilogue, "what is tried after the run (docs/node.md), as the outside clock runs on");
    else if (!pb_epilogue_fits(out->run->scenario))
        leave_out(&epilogue,
                  "what is tried after the run (docs/node.md), as a superframe takes more than 2 s");
    else if (seen->epilogue.played && (seen->epilogue.lost || !read_phases(&epilogue)))
        leave_out(&epilogue, "what was tried after the run (docs/node.md), as events of it were lost");
    else {
        list_absent(&epilogue);
        if (seen->epilogue.played)
            judge(&epilogue);
    }
}
