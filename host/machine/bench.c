/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine `bench`: some nodes are real, and the messages of all others move here.
 *
 * A superframe is moved up to three times. First as if each real node sent what it has to: that is what the
 * real nodes get. Then with what they did send. If no real node would have received anything else, this is
 * what happened. It always is for one real node, by look-ahead. Of several, one may have got what another did
 * not send. Then the first movement happened in all computed nodes, and messages that no real node sent are
 * taken out of them after it.
 */
#include "counters.h"
#include "held.h"

#include "phasebench/machine_bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = PB_SCENARIO_NODES_MAX,
    PATIENCE = 2, /* superframes in which an overdue message may come */
    ANSWER_SIZE = 2048,
    SHOWN_BYTES = 12
};

/* A message that a real node had to send, and did not. */
struct overdue {
    uint32_t node, place, superframe;
};

/* Of a superframe, [node * phases + phase], places: what real nodes receive from others, and what they have
 * to send. */
struct exchange {
    uint32_t in[NODES * PB_NETWORK_PHASES_MAX], out[NODES * PB_NETWORK_PHASES_MAX];
};

enum movement {
    AS_DUE,  /* as if each real node sent what it has to */
    AS_SENT, /* with what the real nodes sent */
    BEHIND   /* computed nodes as in AS_DUE, which is what was played; real ones as in AS_SENT */
};

struct bench {
    struct pb_engine base;
    struct pb_flight flight;
    struct pb_held held;  /* by all nodes */
    struct pb_held trial; /* the same, for a movement that may not be the last */
    struct pb_machine_bench *real;
    struct pb_machine_seen *seen;
    uint8_t *real_of; /* [node]: its place among the real ones, or NODES */
    struct pb_counters counters[NODES];
    bool mute[NODES];             /* it gave no answer, and is no longer asked */
    bool found[NODES];            /* there is a finding about it */
    bool unsure[NODES];           /* what it holds is no longer known, for which another one is to blame */
    struct pb_machine_sent *sent; /* [node * phases + phase] */
    struct exchange due, actual;
    struct pb_machine_play play[NODES * PB_NETWORK_PHASES_MAX];
    struct overdue overdue[NODES * PB_NETWORK_PHASES_MAX * PATIENCE]; /* in order of time */
    size_t overdues;
    uint32_t unsent[NODES * PB_NETWORK_PHASES_MAX]; /* places, moved as due, by the last movement */
    size_t unsents;
    struct overdue gone[NODES * PB_NETWORK_PHASES_MAX]; /* sent by real nodes, and received by none, of it */
    size_t gones;
    struct pb_crossing lost[NODES * PB_NETWORK_PHASES_MAX * (PATIENCE + 2)]; /* in this superframe */
    size_t losses;
    unsigned typed;            /* the node to which was typed last */
    uint32_t superframe, room; /* room: of a computed node; 0: unbounded */
};

/* ---- findings */

static void find(struct bench *bench, int phase, unsigned node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void find(struct bench *bench, int phase, unsigned node, const char *format, ...)
{
    struct pb_machine_seen *seen = bench->seen;
    va_list arguments;

    bench->found[node] = true;
    if (bench->unsure[node])
        return;
    if (seen->findings++ >= PB_MACHINE_FINDINGS_MAX)
        return;
    struct pb_machine_finding *finding = &seen->first[seen->findings - 1];
    *finding = (struct pb_machine_finding){
        .superframe = bench->superframe, .node = bench->real->address[node], .phase = phase};
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

/* "message 12 to 0x7", or "nothing". */
struct name {
    char text[48];
};
static struct name name_of(const struct bench *bench, uint32_t place)
{
    struct name name = {"nothing"};
    if (place != PB_NO_PLACE)
        snprintf(name.text, sizeof name.text, "message %" PRIu64 " for 0x%" PRIX32,
                 bench->flight.message[place].message, (uint32_t)bench->flight.message[place].destination);
    return name;
}

static void find_frame(struct bench *bench, unsigned phase, unsigned node, uint32_t to, uint32_t due,
                       uint32_t moved)
{
    const struct pb_machine_sent *sent = &bench->sent[node * bench->flight.network.phases + phase];
    char bytes[3 * SHOWN_BYTES + 24] = "nothing";

    for (unsigned i = 0, at = 0; moved == PB_NO_PLACE && i < sent->count && i < SHOWN_BYTES; i++)
        at += (unsigned)snprintf(bytes + at, sizeof bytes - at, "%s%02X%s", i ? " " : "", sent->byte[i],
                                 i + 1 == SHOWN_BYTES && sent->count > SHOWN_BYTES ? " ..." : "");
    find(bench, (int)phase, node, "has to send %s, and sends %s%s to node 0x%" PRIX32 "%s",
         name_of(bench, due).text, moved == PB_NO_PLACE ? bytes : name_of(bench, moved).text,
         sent->broken   ? ", broken,"
         : sent->uneven ? ", its bytes too close or too far apart,"
                        : "",
         to, sent->unclear && bench->real_of[to] < NODES ? "; one of the two pulls in a guard" : "");
}

/* ---- messages that real nodes lose */

static void lose(struct bench *bench, uint32_t place)
{
    struct pb_crossing *lost = &bench->lost[bench->losses++];
    *lost = bench->flight.message[place];
    lost->superframe = bench->superframe;
    lost->phase = (uint8_t)(bench->flight.network.phases - 1);
    pb_flight_lose(&bench->flight, place);
    bench->seen->lost++;
}

static void give_up_overdue(struct bench *bench)
{
    size_t kept = 0;
    for (size_t i = 0; i < bench->overdues; i++) {
        const struct overdue *overdue = &bench->overdue[i];
        if (bench->superframe - overdue->superframe + 1 < PATIENCE) {
            bench->overdue[kept++] = *overdue;
            continue;
        }
        pb_held_remove(&bench->held, overdue->node, overdue->place);
        lose(bench, overdue->place);
    }
    bench->overdues = kept;
}

/* Whether it was overdue; no longer. */
static bool take_overdue(struct bench *bench, uint32_t place)
{
    for (size_t i = 0; i < bench->overdues; i++)
        if (bench->overdue[i].place == place) {
            memmove(&bench->overdue[i], &bench->overdue[i + 1],
                    (--bench->overdues - i) * sizeof *bench->overdue);
            return true;
        }
    return false;
}

/* After a movement behind: what no real node sent is in no node that is computed, and what they sent in place
 * of it has left them. */
static void take_out_unsent(struct bench *bench)
{
    for (size_t i = 0; i < bench->gones; i++)
        if (pb_held_remove(&bench->held, bench->gone[i].node, bench->gone[i].place))
            lose(bench, bench->gone[i].place);
    for (size_t i = 0; i < bench->unsents; i++)
        for (uint32_t node = 0; node < bench->flight.network.nodes; node++)
            if (bench->real_of[node] == NODES && pb_held_remove(&bench->held, node, bench->unsent[i])) {
                lose(bench, bench->unsent[i]);
                break;
            }
}

static void find_pulls(struct bench *bench, unsigned phase)
{
    for (unsigned node = 0; node < bench->real->nodes; node++)
        if (bench->sent[node * bench->flight.network.phases + phase].pulled)
            find(bench, (int)phase, node, "pulls a wire on which it is not to send in this phase");
}

/* ---- movement */

static struct pb_machine_message message_of(const struct bench *bench, uint32_t place)
{
    const struct pb_crossing *message = &bench->flight.message[place];
    return (struct pb_machine_message){message->destination, message->sequence, place};
}

/* The message whose frame these bytes are, if the node holds it. */
static uint32_t read_frame(const struct bench *bench, const struct pb_held *held, uint32_t node,
                           const struct pb_machine_sent *sent)
{
    const struct pb_machine_bench *real = bench->real;
    uint8_t due[PB_FRAME_MAX];

    if (sent->broken || sent->uneven || sent->count != real->frame_bytes)
        return PB_NO_PLACE;
    for (uint32_t place = held->list[node].first; place != PB_NO_PLACE; place = held->next[place]) {
        const struct pb_machine_message message = message_of(bench, place);
        real->ops->frame(real, &message, due);
        if (!memcmp(due, sent->byte, real->frame_bytes))
            return place;
    }
    return PB_NO_PLACE;
}

struct crossing {
    uint32_t from, to;
    unsigned port, phase;
    unsigned sender, receiver; /* among the real nodes, or NODES */
};

/* What it does from now on may follow from what it got. */
static void stop_judging(struct bench *bench, unsigned node)
{
    bench->seen->unjudged += !bench->unsure[node];
    bench->unsure[node] = true;
}

/* Whether a node may take bytes that are no message. */
static bool may_take(const struct bench *bench, const struct pb_machine_sent *sent)
{
    const struct pb_machine_bench *real = bench->real;
    return sent->unclear || sent->uneven || sent->count > real->frame_bytes ||
           (!sent->broken && real->ops->accepts(real, sent->byte, sent->count));
}

/* The last movement of a superframe: what a real node did, against what is due. */
static void judge(struct bench *bench, const struct crossing *at, uint32_t due, uint32_t moved)
{
    const struct pb_machine_sent *sent = &bench->sent[at->sender * bench->flight.network.phases + at->phase];
    struct pb_machine_seen *seen = bench->seen;
    const bool late = moved != PB_NO_PLACE && take_overdue(bench, moved);

    if (moved == due) {
        const bool right = moved != PB_NO_PLACE;
        seen->frames += right;
        bench->counters[at->sender].tx_frames += right;
        if (right || (!sent->count && !sent->broken))
            return;
    }
    /* Both ends of a wire show what the other one pulled. */
    if (at->receiver < NODES && bench->sent[at->receiver * bench->flight.network.phases + at->phase].pulled) {
        bench->found[at->sender] = true;
        return;
    }
    seen->late += late;
    seen->wrong += moved == PB_NO_PLACE && (sent->count || sent->broken);
    find_frame(bench, at->phase, at->sender, at->to, due, moved);
    if (moved == PB_NO_PLACE && at->receiver < NODES && may_take(bench, sent))
        stop_judging(bench, at->receiver);
}

static void await(struct bench *bench, struct pb_held *held, const struct crossing *at, uint32_t due,
                  bool last)
{
    pb_held_set_aside(held, due);
    if (last)
        bench->overdue[bench->overdues++] = (struct overdue){at->from, due, bench->superframe};
}

/* The message moves from this node, wherever among the real ones it is held: by one that did not send it, or
 * by one that got it in place of a computed node. false: it has arrived. */
static bool fetch(struct bench *bench, uint32_t node, uint32_t place)
{
    for (unsigned real = 0; real < bench->real->nodes; real++) {
        const uint32_t holder = bench->real->address[real];
        const bool aside = bench->held.aside[place];
        if (!pb_held_remove(&bench->held, holder, place))
            continue;
        if (holder != node && !aside)
            stop_judging(bench, real);
        take_overdue(bench, place);
        pb_held_add(&bench->held, node, place);
        return true;
    }
    for (unsigned real = 0; real < bench->real->nodes; real++)
        stop_judging(bench, real);
    return false;
}

/* In a movement behind: a message that no real node sent does not arrive at a computed one. */
static bool is_unsent(const struct bench *bench, uint32_t place)
{
    for (size_t i = 0; i < bench->unsents; i++)
        if (bench->unsent[i] == place)
            return true;
    return false;
}

/* Another real node got it, and has sent it. */
static void forget_unsent(struct bench *bench, uint32_t place)
{
    for (size_t i = 0; i < bench->unsents; i++)
        if (bench->unsent[i] == place)
            bench->unsent[i] = bench->unsent[--bench->unsents];
}

/* In a movement behind: a computed node receives what was played on. */
static uint32_t follow_play(struct bench *bench, const struct crossing *at, uint32_t due, uint32_t sent)
{
    const uint32_t played = bench->due.out[at->sender * bench->flight.network.phases + at->phase];

    if (sent == played) {
        forget_unsent(bench, sent);
        return played;
    }
    if (sent != PB_NO_PLACE) {
        pb_held_set_aside(&bench->held, sent);
        bench->gone[bench->gones++] = (struct overdue){at->from, sent, bench->superframe};
    }
    if (due != PB_NO_PLACE && due != sent && due != played)
        await(bench, &bench->held, at, due, true);
    if (played == PB_NO_PLACE || !fetch(bench, at->from, played))
        return PB_NO_PLACE;
    bench->unsent[bench->unsents++] = played;
    return played;
}

/* What moves on a wire of a real sender. */
static uint32_t choose(struct bench *bench, struct pb_held *held, const struct crossing *at, uint32_t due,
                       enum movement movement)
{
    const unsigned phases = bench->flight.network.phases;
    const bool last = held == &bench->held;

    if (movement == AS_DUE) {
        bench->due.out[at->sender * phases + at->phase] = due;
        return due;
    }
    const uint32_t sent = read_frame(bench, held, at->from, &bench->sent[at->sender * phases + at->phase]);
    if (last)
        judge(bench, at, due, sent);
    if (sent == due && movement != BEHIND)
        return due;
    if (movement == BEHIND && at->receiver == NODES)
        return follow_play(bench, at, due, sent);
    if (due != PB_NO_PLACE && due != sent)
        await(bench, held, at, due, last);
    return sent;
}

/* Whether a node has no room for a message to this destination. Of a real one it may be unknown: then it is
 * judged as long as it has room in any case. */
static bool is_full(struct bench *bench, const struct pb_held *held, uint32_t node, uint32_t destination)
{
    const unsigned real = bench->real_of[node];
    const uint32_t holds = held->occupancy[node];
    if (real == NODES)
        return bench->room && holds >= bench->room;
    const unsigned room = bench->real->room[real], of_port = bench->real->room_of_port[real];
    if (!room && !of_port && holds >= PB_NODE_ROOM_LEAST && held == &bench->held)
        stop_judging(bench, real);
    return (room && holds >= room) || (of_port && pb_held_queued(held, node, destination) >= of_port);
}

static void take_in(struct bench *bench, const struct crossing *at, uint32_t place, enum pb_outcome outcome)
{
    struct pb_flight *flight = &bench->flight;

    flight->stats.crossings++;
    flight->stats.delivered += outcome == PB_ARRIVED;
    flight->stats.dropped += outcome == PB_DROPPED;
    flight->crossed[(size_t)at->phase * flight->network.nodes + at->from] =
        (struct pb_crossed){place, (uint16_t)at->to, (uint8_t)at->port, (uint8_t)outcome};
    if (at->receiver == NODES)
        return;
    struct pb_counters *counters = &bench->counters[at->receiver];
    counters->delivered += outcome == PB_ARRIVED;
    counters->forwarded += outcome == PB_ON_ITS_WAY;
    counters->queue_drops += outcome == PB_DROPPED;
}

static void cross(struct bench *bench, struct pb_held *held, const struct crossing *at,
                  enum movement movement, struct exchange *exchange)
{
    struct pb_flight *flight = &bench->flight;
    const uint32_t due = pb_held_due(held, at->from, at->port);
    const uint32_t moved = at->sender == NODES ? due : choose(bench, held, at, due, movement);

    if (at->receiver != NODES)
        exchange->in[at->receiver * flight->network.phases + at->phase] =
            at->sender == NODES ? moved : PB_NO_PLACE;
    if (moved == PB_NO_PLACE)
        return;
    const uint32_t destination = flight->message[moved].destination;
    const bool unsent = at->receiver == NODES && movement == BEHIND && is_unsent(bench, moved),
               arrives = destination == at->to, full = !arrives && is_full(bench, held, at->to, destination);
    const enum pb_outcome outcome = arrives && !unsent ? PB_ARRIVED
                                    : arrives || full  ? PB_DROPPED
                                                       : PB_ON_ITS_WAY;
    bench->seen->lost += arrives && unsent;
    pb_held_remove(held, at->from, moved);
    if (outcome == PB_ON_ITS_WAY)
        pb_held_add(held, at->to, moved);
    if (held == &bench->held)
        take_in(bench, at, moved, outcome);
}

static void move(struct bench *bench, struct pb_held *held, enum movement movement, struct exchange *exchange)
{
    const struct pb_network *network = &bench->flight.network;

    for (unsigned phase = 0; phase < network->phases; phase++) {
        for (uint32_t from = 0; from < network->nodes; from++) {
            const struct pb_slot slot = pb_network_slot(network, from, phase);
            if (slot.role != PB_ROLE_SEND)
                continue;
            const uint32_t to = pb_network_neighbour(network, from, slot.port);
            cross(bench, held,
                  &(struct crossing){from, to, slot.port, phase, bench->real_of[from], bench->real_of[to]},
                  movement, exchange);
        }
        if (held == &bench->held)
            find_pulls(bench, phase);
    }
}

static void try_move(struct bench *bench, enum movement movement, struct exchange *exchange)
{
    pb_held_copy(&bench->trial, &bench->held);
    move(bench, &bench->trial, movement, exchange);
}

/* ---- releases */

/* Types a line at a node; "": no answer. The one before it has to be silent first. */
static int ask(struct bench *bench, unsigned node, const char *line, char answer[ANSWER_SIZE],
               struct pb_diag *diag)
{
    struct pb_machine_bench *real = bench->real;
    const unsigned before = bench->typed;
    bool silent = true;

    bench->typed = node;
    *answer = 0;
    int code = node != before ? real->ops->hear_out(real, &silent, diag) : PB_OK;
    if (!code && !silent && !bench->mute[before]) {
        bench->mute[before] = true;
        find(bench, -1, before, "sends on its console without end after an answer; see docs/node.md, C1");
    }
    return code ? code : real->ops->type(real, node, line, answer, ANSWER_SIZE, diag);
}

/* Whether the node took the message. */
static int type_to_real(struct bench *bench, unsigned node, uint32_t place, uint32_t destination, bool *taken,
                        struct pb_diag *diag)
{
    struct pb_machine_bench *real = bench->real;
    const uint32_t address = real->address[node], held = bench->held.occupancy[address];
    const struct pb_machine_message message = {destination, bench->flight.entered[address], place};
    char line[ANSWER_SIZE], answer[ANSWER_SIZE];

    *taken = false;
    if (bench->mute[node])
        return PB_OK;
    real->ops->line(real, &message, line, sizeof line);
    const int code = ask(bench, node, line, answer, diag);
    if (code)
        return code;
    *taken = !strncmp(answer, "+S", 2);
    if (!*taken && *answer != '-') {
        char trouble[80];
        real->ops->trouble(real, node, trouble, sizeof trouble);
        bench->mute[node] = true;
        if (*trouble)
            find(bench, -1, node, "%s, and answers nothing to '%.40s'", trouble, line);
        else
            find(bench, -1, node,
                 "answers '%.40s' to '%.40s'; the answer is +S or a refusal, see docs/node.md, S1", answer,
                 line);
        return PB_OK;
    }
    const bool known = real->room[node] || real->room_of_port[node];
    if (*taken == is_full(bench, &bench->held, address, destination) && (known || held < PB_NODE_ROOM_LEAST))
        find(bench, -1, node, "holds %" PRIu32 " messages, has room for %u%s, and answers '%.40s' to '%.40s'",
             held, known ? real->room[node] + real->room_of_port[node] : PB_NODE_ROOM_LEAST,
             real->room_of_port[node] ? " at each port" : "", answer, line);
    if (!real->ops->answers(real, &message, answer))
        find(bench, -1, node,
             "answers '%.40s' to '%.40s', its message %" PRIX32 " modulo 16; see docs/node.md, C4", answer,
             line, message.sequence & 15);
    bench->counters[node].own_messages += *taken;
    bench->counters[node].queue_drops += !*taken;
    return PB_OK;
}

static int release(struct bench *bench, uint32_t node, uint32_t at, struct pb_diag *diag)
{
    struct pb_flight *flight = &bench->flight;
    const uint32_t destination = flight->birth[at].destination;
    const uint32_t place = pb_flight_place(flight);
    bool taken = true;

    if (bench->real_of[node] == NODES)
        taken = !is_full(bench, &bench->held, node, destination);
    else {
        const int code = type_to_real(bench, bench->real_of[node], place, destination, &taken, diag);
        if (code)
            return code;
    }
    pb_flight_released(flight, node, place, taken);
    flight->stats.dropped += !taken;
    if (taken)
        pb_held_add(&bench->held, node, place);
    return PB_OK;
}

static int release_all(struct bench *bench, struct pb_diag *diag)
{
    const struct pb_flight *flight = &bench->flight;
    int code = PB_OK;

    if (flight->births && flight->birth[flight->births - 1].phase)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: a message is released in phase %u; real nodes get theirs between two "
                       "superframes; release all in phase 0",
                       flight->birth[flight->births - 1].phase);
    for (uint32_t node = 0; node < bench->flight.network.nodes; node++)
        for (uint32_t at; code == PB_OK && (at = pb_flight_due(&bench->flight, node, 0)) != PB_NO_PLACE;)
            code = release(bench, node, at, diag);
    return code;
}

/* ---- a superframe */

/* What computed nodes send to real ones, if these do what is due. */
static size_t fill_play(struct bench *bench)
{
    const struct pb_network *network = &bench->flight.network;
    size_t plays = 0;

    for (unsigned phase = 0; phase < network->phases; phase++)
        for (unsigned node = 0; node < bench->real->nodes; node++) {
            const uint32_t place = bench->due.in[node * network->phases + phase];
            if (place != PB_NO_PLACE)
                bench->play[plays++] = (struct pb_machine_play){
                    node, pb_network_slot(network, bench->real->address[node], phase).port, phase,
                    message_of(bench, place)};
        }
    return plays;
}

/* Whether each real node sent exactly what is due. */
static bool is_as_due(const struct bench *bench)
{
    const struct pb_machine_bench *real = bench->real;
    uint8_t frame[PB_FRAME_MAX];

    for (unsigned i = 0; i < real->nodes * bench->flight.network.phases; i++) {
        const struct pb_machine_sent *sent = &bench->sent[i];
        const bool due = bench->due.out[i] != PB_NO_PLACE;
        if (sent->broken || sent->uneven || sent->count != (due ? real->frame_bytes : 0))
            return false;
        if (!due)
            continue;
        const struct pb_machine_message message = message_of(bench, bench->due.out[i]);
        real->ops->frame(real, &message, frame);
        if (memcmp(frame, sent->byte, real->frame_bytes) != 0)
            return false;
    }
    return true;
}

/* What happened, if it is not what was due. */
static enum movement find_movement(struct bench *bench)
{
    try_move(bench, AS_SENT, &bench->actual);
    if (!memcmp(bench->actual.in, bench->due.in, sizeof bench->due.in))
        return AS_SENT;
    if (!bench->seen->behind++)
        bench->seen->first_behind = bench->superframe;
    return BEHIND;
}

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct bench *bench = (struct bench *)engine;
    struct pb_machine_bench *real = bench->real;
    struct pb_flight *flight = &bench->flight;

    bench->superframe = superframe;
    bench->losses = bench->unsents = bench->gones = 0;
    int code = pb_flight_fetch(flight, superframe, diag);
    if (code == PB_OK && (pb_held_fit(&bench->held) || pb_held_fit(&bench->trial)))
        code =
            pb_fail(diag, PB_ERR_MEMORY,
                    "machine: no memory for the messages of superframe %" PRIu32 "; send less", superframe);
    if (code == PB_OK)
        code = release_all(bench, diag);
    if (code)
        return code;
    try_move(bench, AS_DUE, &bench->due);
    memset(bench->sent, 0, real->nodes * flight->network.phases * sizeof *bench->sent);
    code = real->ops->superframe(real, bench->play, fill_play(bench), bench->sent, diag);
    if (code)
        return code;
    move(bench, &bench->held, is_as_due(bench) ? AS_SENT : find_movement(bench), &bench->actual);
    code = pb_flight_collect(flight, superframe, diag);
    if (code)
        return code;
    take_out_unsent(bench);
    give_up_overdue(bench);
    bench->seen->superframes++;
    flight->stats.max_occupancy = bench->held.max_occupancy;
    flight->stats.max_queue = bench->held.max_queue;
    pb_flight_step(flight, out);
    out->lost = bench->lost;
    out->losses = bench->losses;
    out->occupancy = bench->held.occupancy;
    return PB_OK;
}

/* ---- the engine */

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    pb_flight_loads(&((const struct bench *)engine)->flight, load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    return &((const struct bench *)engine)->flight.stats;
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    pb_held_visit(&((const struct bench *)engine)->held, visit, context);
}

/* A real neighbour that did something else may have disturbed the wire between them. */
static bool has_sound_neighbours(const struct bench *bench, unsigned node)
{
    const struct pb_network *network = &bench->flight.network;
    bool sound = true;
    for (unsigned port = 0; port < network->ports; port++) {
        const unsigned other =
            bench->real_of[pb_network_neighbour(network, bench->real->address[node], port)];
        sound = sound && (other == NODES || !bench->found[other]);
    }
    return sound;
}

/* A node that did something else may count it as it likes. */
static int finish(struct pb_engine *engine, struct pb_diag *diag)
{
    struct bench *bench = (struct bench *)engine;
    struct pb_machine_bench *real = bench->real;
    char answer[ANSWER_SIZE], text[PB_COUNTERS_TEXT_SIZE];

    for (unsigned node = 0; node < real->nodes; node++) {
        if (bench->found[node])
            continue;
        const int code = ask(bench, node, "T", answer, diag);
        if (code)
            return code;
        if (!pb_counters_fit(&bench->counters[node], has_sound_neighbours(bench, node), answer, text))
            find(bench, -1, node, "%s", text);
    }
    return PB_OK;
}

static void destroy(struct pb_engine *engine)
{
    struct bench *bench = (struct bench *)engine;
    pb_held_free(&bench->held);
    pb_held_free(&bench->trial);
    pb_flight_free(&bench->flight);
    free(bench->real_of);
    free(bench->sent);
    free(bench);
}

static const struct pb_engine_ops ops = {
    .step = step, .loads = loads, .stats = stats, .waiting = waiting, .finish = finish, .destroy = destroy};

static int create(struct bench *bench, const struct pb_engine_options *options)
{
    const struct pb_network *network = options->network;

    bench->base.ops = &ops;
    bench->real = options->bench;
    bench->seen = options->seen;
    *bench->seen = (struct pb_machine_seen){0};
    bench->sent = calloc(options->bench->nodes * network->phases, sizeof *bench->sent);
    bench->real_of = malloc(network->nodes);
    memset(bench->due.out, 0xFF, sizeof bench->due.out); /* PB_NO_PLACE */
    memset(bench->due.in, 0xFF, sizeof bench->due.in);
    memset(bench->actual.in, 0xFF, sizeof bench->actual.in);
    if (!bench->sent || !bench->real_of)
        return PB_ERR_MEMORY;
    memset(bench->real_of, NODES, network->nodes);
    for (unsigned node = 0; node < options->bench->nodes; node++)
        bench->real_of[options->bench->address[node]] = (uint8_t)node;
    bench->room = options->room;
    int code = pb_flight_create(&bench->flight, "bench", options);
    bench->flight.room = 0; /* a real node may hold more */
    if (code == PB_OK)
        code = pb_held_create(&bench->held, &bench->flight, options->rule);
    return code == PB_OK ? pb_held_create(&bench->trial, &bench->flight, options->rule) : code;
}

int pb_engine_bench(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    const struct pb_network *network = options->network,
                            *own = options->bench ? options->bench->network : NULL;
    char given[PB_NETWORK_TEXT_SIZE], theirs[PB_NETWORK_TEXT_SIZE];

    *out = NULL;
    if (!own)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine bench: no real nodes are given; open them by pb_machine_bench_open");
    if (strcmp(pb_network_name(network, given), pb_network_name(own, theirs)) != 0)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: the network is %s, and the real nodes are of %s; give theirs", given,
                       theirs);
    struct bench *bench = calloc(1, sizeof *bench);
    int code = bench ? create(bench, options) : PB_ERR_MEMORY;
    if (code)
        pb_fail(diag, code, "machine: engine bench: no memory for %" PRIu32 " nodes; give fewer",
                options->network->nodes);
    else
        code = options->bench->ops->begin(options->bench, diag);
    if (code) {
        if (bench)
            destroy(&bench->base);
        return code;
    }
    *out = &bench->base;
    return PB_OK;
}
