/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/epilogue_node.h"

#include <limits.h>
#include <string.h>

enum { QUEUE_MAX = 2 * PB_NETWORK_PORTS_MAX };

struct queued {
    uint32_t destination;
    unsigned sequence;
    uint8_t payload[PB_FRAME_MAX];
    uint64_t ports; /* on which it may leave */
};

/* The most messages for one dimension, and in all. */
struct depth {
    unsigned queue, stored;
};

/* Counted since the last Z or reset. */
struct counted {
    unsigned edges, superframes, alignment_errors, rx_frames, crc_errors, cut, outside, delivered, forwarded,
        own, tx_frames;
    unsigned lines, refused, either; /* accepted, refused, one or the other */
    bool paused;                     /* the clock was stopped between two edges */
    struct depth least, most;
};

struct state {
    const struct pb_epilogue_known *known;
    const struct pb_scenario *scenario;
    const struct pb_epilogue_node *seen;
    struct pb_epilogue_places places;
    unsigned node_index, mode, sequence;
    struct queued queue[QUEUE_MAX]; /* the oldest first */
    unsigned queued;
    bool fresh; /* the newest came in the phase before */
    struct counted count;
    bool clocked; /* an edge came since the reset */
    bool synced;  /* the step has a TDMA_SYNC */
    bool in_step; /* the phase is known, and phase 0 is due */
    unsigned resets;
    uint32_t superframe;
    struct pb_epilogue_node_due *due;
};

static uint32_t address_of(const struct state *state)
{
    return pb_epilogue_address(&state->places, state->node_index);
}

/* ---- messages */

static struct depth depth_of(const struct state *state)
{
    struct depth depth = {.stored = state->queued};
    for (unsigned port = 0; port < state->scenario->network.ports; port++) {
        unsigned waiting = 0;
        for (unsigned i = 0; i < state->queued; i++)
            waiting += state->queue[i].ports >> port & 1;
        if (depth.queue < waiting)
            depth.queue = waiting;
    }
    return depth;
}

static void deepen(struct depth *most, struct depth seen)
{
    if (most->queue < seen.queue)
        most->queue = seen.queue;
    if (most->stored < seen.stored)
        most->stored = seen.stored;
}

/* With `opportunistic` a node may have one list for all dimensions. */
static void may_hold(struct state *state)
{
    struct depth depth = depth_of(state);
    if (state->scenario->rule == PB_RULE_OPPORTUNISTIC)
        depth.queue = depth.stored;
    deepen(&state->count.most, depth);
}

/* A frame is queued as it comes, or after the transmission of the next phase has begun. */
static void must_hold(struct state *state)
{
    if (state->fresh)
        deepen(&state->count.least, depth_of(state));
    state->fresh = false;
}

static void put(struct state *state, const struct pb_epilogue_frame *frame, uint64_t ports)
{
    if (state->queued == QUEUE_MAX)
        return; /* not reached: fewer frames than that are played between two resets */
    struct queued *queued = &state->queue[state->queued++];
    *queued = (struct queued){.destination = frame->destination, .sequence = frame->sequence, .ports = ports};
    memcpy(queued->payload, frame->payload, sizeof queued->payload);
    state->fresh = true;
    may_hold(state);
    deepen(&state->count.least, (struct depth){1, 1}); /* independent of its arrival and of what leaves */
}

static uint64_t ways(const struct state *state, uint32_t destination)
{
    return pb_network_wanted(&state->scenario->network, state->scenario->rule, address_of(state),
                             destination);
}

static void type_message(struct state *state, uint32_t destination, bool payload)
{
    struct pb_epilogue_frame message = {.destination = destination, .sequence = state->sequence};
    if (payload)
        pb_epilogue_payload(state->scenario, message.payload);
    state->sequence = (state->sequence + 1) & PB_SEQUENCE_MASK;
    state->count.own++;
    if (destination == address_of(state))
        state->count.delivered++;
    else {
        put(state, &message, ways(state, destination));
        must_hold(state); /* the clock is stopped */
    }
}

static void receive(struct state *state, const struct pb_epilogue_frame *frame, unsigned port)
{
    if (!state->synced)
        return;
    if (!frame->whole)
        state->count.cut++;
    else if (!frame->good)
        state->count.crc_errors++;
    if (!frame->whole || !frame->good)
        return;
    state->count.rx_frames++;
    if (state->mode == PB_EPILOGUE_MODE_ECHO) {
        put(state, frame, UINT64_C(1) << port);
        state->count.forwarded++;
    } else if (frame->destination >= state->scenario->network.nodes)
        state->count.outside++;
    else if (frame->destination == address_of(state))
        state->count.delivered++;
    else {
        put(state, frame, ways(state, frame->destination));
        state->count.forwarded++;
    }
}

/* ---- slots */

static void send(struct state *state, struct pb_epilogue_slot *slot)
{
    unsigned at = 0;
    if (!state->synced)
        return;
    if (state->mode == PB_EPILOGUE_MODE_PRBS) {
        slot->due = PB_DUE_PRBS;
        state->count.tx_frames++;
        return;
    }
    while (at < state->queued && !(state->queue[at].ports >> slot->port & 1))
        at++;
    if (at == state->queued)
        return;
    const struct queued *queued = &state->queue[at];
    slot->due = PB_DUE_FRAME;
    slot->count = pb_frame_write(state->scenario, queued->destination, queued->sequence, queued->payload,
                                 slot->byte);
    state->count.tx_frames++;
    state->queued--;
    memmove(state->queue + at, state->queue + at + 1, (state->queued - at) * sizeof *state->queue);
}

static void run(struct state *state, const struct pb_epilogue_step *step)
{
    const struct pb_network *network = &state->scenario->network;
    struct pb_epilogue_frame frame;
    state->count.paused |= state->clocked;
    state->clocked = true;
    state->synced = step->frames != PB_EPILOGUE_UNSYNCED;
    state->count.alignment_errors += state->in_step && !state->synced;
    state->in_step = state->synced;
    for (unsigned superframe = 0; superframe < step->superframes; superframe++, state->superframe++) {
        state->count.superframes += state->synced;
        for (unsigned phase = 0; phase < network->phases; phase++) {
            struct pb_epilogue_slot *slot = &state->due->slot[state->due->slots++];
            const struct pb_slot turn = pb_network_slot(network, address_of(state), phase);
            *slot = (struct pb_epilogue_slot){.port = turn.port, .mode = (uint8_t)state->mode};
            state->count.edges++;
            if (turn.role == PB_ROLE_SEND)
                send(state, slot);
            must_hold(state);
            if (turn.role != PB_ROLE_LISTEN ||
                !pb_epilogue_played(&frame, &state->places, state->node_index, turn.port, step->frames,
                                    superframe))
                continue;
            slot->due = PB_DUE_BENCH;
            slot->count = frame.count;
            memcpy(slot->byte, frame.byte, frame.count);
            receive(state, &frame, turn.port);
        }
    }
}

/* ---- counters */

static unsigned at_least_0(unsigned a, unsigned b)
{
    return a > b ? a - b : 0;
}

static void note_counters(struct state *state, unsigned which)
{
    const struct counted *count = &state->count;
    const unsigned late = state->known->may_be_late ? count->tx_frames : 0,
                   sent = state->known->may_be_cut ? count->tx_frames : 0,
                   received = state->known->may_be_cut ? count->rx_frames : 0;
    /* A line that is refused may be counted as a line or not. T is, and so that Z is cleared which was taken
     * before it. */
    const struct pb_epilogue_counter row[] = {
        {"edges", count->edges, count->edges, false},
        {"superframes", count->superframes, count->superframes, false},
        {"alignment_errors", count->alignment_errors, count->alignment_errors, false},
        {"missed_edges", 0, count->paused ? UINT_MAX : 0, false}, /* in a pause a model's time may jump */
        {"extra_edges", 0, 0, false},
        {"rx_frames", at_least_0(count->rx_frames, count->outside), count->rx_frames, false},
        {"rx_crc_errors", count->crc_errors, count->crc_errors, false},
        {"rx_length_errors", 0, 0, false},
        {"rx_mark_errors", 0, 0, false},
        {"rx_framing_errors", 0, 0, false},
        {"rx_cut", count->cut, count->cut + received, false},
        {"rx_bad_destinations", count->outside, count->outside, false},
        {"delivered", count->delivered, count->delivered, false},
        {"forwarded", count->forwarded, count->forwarded, false},
        {"own_messages", count->own, count->own, true},
        {"tx_frames", count->tx_frames, count->tx_frames, false},
        {"tx_cut", 0, sent, false},
        {"late_starts", 0, late, false},
        {"queue_drops", 0, 0, true},
        {"max_queue", count->least.queue, count->most.queue, false},
        {"max_stored", count->least.stored, count->most.stored, false},
        {"console_lines", count->lines, count->lines + count->either + count->refused, true},
        {"console_errors", count->refused, count->refused + count->either, true},
    };
    state->due->counters = sizeof row / sizeof row[0];
    memcpy(state->due->counter[which], row, sizeof row);
}

/* ---- lines */

static void refuse(struct state *state, struct pb_epilogue_answer *answer)
{
    answer->refused = true;
    state->count.refused++;
}

static void accept(struct state *state, struct pb_epilogue_answer *answer, char letter, int64_t number)
{
    answer->letter = letter;
    answer->number = number;
    state->count.lines++;
}

static void set_mode(struct state *state, struct pb_epilogue_answer *answer, unsigned mode)
{
    state->mode = mode;
    accept(state, answer, 'M', mode);
}

static void clear(struct state *state, struct pb_epilogue_answer *answer)
{
    accept(state, answer, 'Z', -1);
    state->count = (struct counted){0};
    may_hold(state); /* what waits now counts from the next message on, or at once */
    if (!state->resets)
        deepen(&state->count.most, (struct depth){state->known->left, state->known->left});
    state->fresh = false;
}

static void count_out(struct state *state, struct pb_epilogue_answer *answer, unsigned which)
{
    accept(state, answer, 'T', -1);
    note_counters(state, which);
}

static void queue(struct state *state, struct pb_epilogue_answer *answer, uint32_t destination, bool payload)
{
    accept(state, answer, 'S', state->sequence);
    type_message(state, destination, payload);
}

static void type(struct state *state, enum pb_epilogue_line line)
{
    const struct pb_scenario *scenario = state->scenario;
    const uint32_t own = scenario->node[state->node_index].address,
                   highest = pb_network_neighbour(&scenario->network, own, scenario->network.ports - 1),
                   beyond = pb_network_neighbour(&scenario->network, address_of(state),
                                                 scenario->network.ports - 1);
    struct pb_epilogue_answer *answer = &state->due->answer[line];
    if (!state->seen->counts && !pb_epilogue_is_plain(line))
        return;
    *answer = (struct pb_epilogue_answer){.due = true, .superframe = state->superframe};
    switch (line) {
    case PB_EPILOGUE_SELF:
    case PB_EPILOGUE_LEFT:
        queue(state, answer, own, false);
        break;
    case PB_EPILOGUE_OWN_PRBS:
        queue(state, answer, own, true);
        break;
    case PB_EPILOGUE_MESSAGE:
    case PB_EPILOGUE_AGAIN:
    case PB_EPILOGUE_LAST:
        queue(state, answer, highest, true);
        break;
    case PB_EPILOGUE_OWN_ECHO:
    case PB_EPILOGUE_LEFT_HIGH:
        queue(state, answer, beyond, false);
        break;
    case PB_EPILOGUE_EMPTIED:
    case PB_EPILOGUE_CLEAR:
    case PB_EPILOGUE_ECHO_CLEAR:
    case PB_EPILOGUE_ZEROED:
        clear(state, answer);
        break;
    case PB_EPILOGUE_ADDRESS:
    case PB_EPILOGUE_HOME:
    case PB_EPILOGUE_MOVED:
        pb_epilogue_move(&state->places, state->node_index, line);
        accept(state, answer, 'A', address_of(state));
        break;
    case PB_EPILOGUE_RECEIVED:
        answer->by_frames = true;
        if (!state->known->frames) {
            answer->due = false;
            state->count.either++;
        } else if (state->queued > 0)
            refuse(state, answer);
        else
            accept(state, answer, 'A', address_of(state));
        break;
    case PB_EPILOGUE_STILL:
    case PB_EPILOGUE_IDENTITY:
    case PB_EPILOGUE_INFORMED:
    case PB_EPILOGUE_RESTORED:
        accept(state, answer, 'I', address_of(state));
        break;
    case PB_EPILOGUE_FOUND:
    case PB_EPILOGUE_PRBS:
    case PB_EPILOGUE_BETWEEN:
    case PB_EPILOGUE_WAITING:
    case PB_EPILOGUE_LEAVING:
        set_mode(state, answer, PB_EPILOGUE_MODE_PRBS);
        break;
    case PB_EPILOGUE_PASSED:
    case PB_EPILOGUE_ECHO:
    case PB_EPILOGUE_ECHO_AGAIN:
    case PB_EPILOGUE_FURTHER:
    case PB_EPILOGUE_STAYING:
        set_mode(state, answer, PB_EPILOGUE_MODE_ECHO);
        break;
    case PB_EPILOGUE_RESUME:
    case PB_EPILOGUE_ROUTE:
    case PB_EPILOGUE_AWAY:
    case PB_EPILOGUE_BACK:
    case PB_EPILOGUE_SAME:
        set_mode(state, answer, 0);
        break;
    case PB_EPILOGUE_CLEARED:
    case PB_EPILOGUE_SINCE:
    case PB_EPILOGUE_ECHOING:
    case PB_EPILOGUE_SHOWN:
    case PB_EPILOGUE_HELD:
    case PB_EPILOGUE_LEFT_COUNTS:
    case PB_EPILOGUE_FINAL:
        count_out(state, answer, (unsigned)pb_epilogue_count(line));
        break;
    default:
        refuse(state, answer);
        break;
    }
}

static void reset(struct state *state)
{
    state->places.moved = 0;
    state->mode = state->sequence = state->queued = 0;
    state->fresh = false;
    state->count = (struct counted){0};
    state->clocked = state->in_step = false;
    state->resets++;
}

int pb_epilogue_node_make(struct pb_epilogue_node_due *due, const struct pb_epilogue_known *known,
                          unsigned node_index)
{
    const struct pb_observation *seen = known->run->observation;
    const struct pb_scenario *scenario = known->run->scenario;
    struct state state = {.known = known,
                          .scenario = scenario,
                          .seen = &seen->epilogue.node[node_index],
                          .places = {.scenario = scenario, .lanes = seen->info.lanes - 1},
                          .node_index = node_index,
                          .due = due};
    struct pb_epilogue_step step;
    *due = (struct pb_epilogue_node_due){0};
    due->slot = calloc((size_t)pb_epilogue_superframes(scenario, &seen->info) * scenario->network.phases + 1,
                       sizeof *due->slot);
    if (!due->slot)
        return PB_ERR_MEMORY;
    for (unsigned at = 0; pb_epilogue_next(scenario, &seen->info, &at, &step);) {
        if (step.act == PB_EPILOGUE_RESETS)
            reset(&state);
        else if (step.act == PB_EPILOGUE_RUNS)
            run(&state, &step);
        else {
            type(&state, step.line);
            /* The others move as it does: the lanes for its frames depend on where they listen. */
            for (unsigned other = 0; other < scenario->node_count; other++)
                if (other != node_index && seen->epilogue.node[other].asked &&
                    seen->epilogue.node[other].counts)
                    pb_epilogue_move(&state.places, other, step.line);
        }
    }
    return PB_OK;
}

void pb_epilogue_node_free(struct pb_epilogue_node_due *due)
{
    free(due->slot);
    due->slot = NULL;
}
