/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/model.h"
#include "host/base/room.h"
#include "host/check/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    PHASE_UNKNOWN = -1,
    STATES_MAX = 256 /* ambiguous events are few, and what the node sends decides most of them */
};

/* ---- frames */

struct pb_foreign_frame {
    size_t id;
    uint32_t superframe; /* the last in which it was seen */
    uint8_t bytes[PB_FRAME_MAX];
    unsigned count;
};

void pb_frames_open(struct pb_frames *frames, const struct pb_scenario *scenario,
                    const struct pb_known *known)
{
    *frames = (struct pb_frames){.scenario = scenario, .known = known, .next_foreign = PB_FRAME_FOREIGN};
}

void pb_frames_close(struct pb_frames *frames)
{
    free(frames->foreign);
    *frames = (struct pb_frames){0};
}

static const struct pb_foreign_frame *foreign(const struct pb_frames *frames, size_t id)
{
    for (size_t i = 0; i < frames->foreigners && id >= PB_FRAME_FOREIGN; i++)
        if (frames->foreign[i].id == id)
            return &frames->foreign[i];
    return NULL;
}

unsigned pb_frames_bytes(const struct pb_frames *frames, size_t id, uint8_t bytes[PB_FRAME_MAX])
{
    const struct pb_foreign_frame *other = foreign(frames, id);
    const struct pb_known_message *known = other ? NULL : pb_known_find(frames->known, id);
    if (known)
        return pb_frame(frames->scenario, id, known->destination, known->sequence & PB_SEQUENCE_MASK, bytes);
    if (!other)
        return 0;
    memcpy(bytes, other->bytes, other->count);
    return other->count;
}

bool pb_frames_equal(const struct pb_frames *frames, size_t id, const uint8_t *bytes, unsigned count)
{
    uint8_t own[PB_FRAME_MAX];
    return pb_frames_bytes(frames, id, own) == count && !memcmp(own, bytes, count);
}

static uint32_t destination_of(const struct pb_frames *frames, size_t id)
{
    const struct pb_foreign_frame *other = foreign(frames, id);
    const struct pb_known_message *known = other ? NULL : pb_known_find(frames->known, id);
    return other ? pb_frame_destination(frames->scenario, other->bytes)
           : known ? known->destination
                   : UINT32_MAX;
}

/* Searches all known messages for a frame. An unexpected frame is rare, so the search costs little. */
static size_t message_with(const struct pb_frames *frames, const uint8_t *bytes, unsigned count)
{
    const uint32_t destination = pb_frame_destination(frames->scenario, bytes);
    size_t found = PB_FRAME_NONE;
    for (size_t i = 0; i < frames->known->places; i++) {
        const struct pb_known_message *known = &frames->known->place[i];
        if (known->used && known->destination == destination && known->message < found &&
            pb_frames_equal(frames, (size_t)known->message, bytes, count))
            found = (size_t)known->message;
    }
    return found;
}

size_t pb_frames_add(struct pb_frames *frames, size_t likely, const uint8_t *bytes, unsigned count)
{
    if (!pb_frame_checks(frames->scenario, bytes, count))
        return PB_FRAME_NONE;
    if (likely != PB_FRAME_NONE && pb_frames_equal(frames, likely, bytes, count))
        return likely;
    const size_t message = message_with(frames, bytes, count);
    if (message != PB_FRAME_NONE)
        return message;
    for (size_t i = 0; i < frames->foreigners; i++) {
        struct pb_foreign_frame *other = &frames->foreign[i];
        if (other->count == count && !memcmp(other->bytes, bytes, count)) {
            other->superframe = frames->superframe;
            return other->id;
        }
    }
    if (pb_make_room(&frames->foreign, &frames->capacity, frames->foreigners + 1, sizeof *frames->foreign))
        return PB_FRAME_UNKNOWN;
    struct pb_foreign_frame *added = &frames->foreign[frames->foreigners++];
    memcpy(added->bytes, bytes, count);
    added->count = count;
    added->superframe = frames->superframe;
    added->id = frames->next_foreign++;
    return added->id;
}

void pb_frames_sweep(struct pb_frames *frames, uint32_t before, const struct pb_model *model, unsigned models)
{
    size_t kept = 0;
    for (size_t i = 0; i < frames->foreigners; i++) {
        bool keep = frames->foreign[i].superframe >= before;
        for (unsigned k = 0; k < models && !keep; k++)
            keep = pb_model_holds(&model[k], frames->foreign[i].id);
        if (keep)
            frames->foreign[kept++] = frames->foreign[i];
    }
    frames->foreigners = kept;
}

/* ---- states */

/* A message that the node holds. One that an edge has cut off may be lost, or be sent once again on its
 * dimension: in which of the own phases, and whether it takes a place of the room, is up to the node. */
struct pb_held {
    size_t id;
    uint64_t ports; /* bit d: it may leave on dimension d */
    uint64_t cut;   /* 1: an edge cut it off */
};

struct pb_model_state {
    int phase;
    uint32_t grace; /* superframe starts that the node may still miss before it is synchronised */
    size_t entered; /* own messages so far */
    uint32_t least[PB_COUNTERS], most[PB_COUNTERS];
    int64_t reference_ps; /* the last edge that was not extra; NO_REFERENCE: none yet */
    size_t count, capacity;
    struct pb_held *held; /* owned; in the order of arrival */
    bool grown;           /* since pb_model_watch */
    size_t fresh; /* received in the phase that is over: it may be queued after a transmission has begun */
};

#define NO_REFERENCE INT64_MIN

static void drop_states(struct pb_model *model, unsigned from)
{
    for (unsigned i = from; i < model->states; i++)
        free(model->state[i].held);
    model->states = from;
}

static bool is_same(const struct pb_model_state *a, const struct pb_model_state *b)
{
    return a->phase == b->phase && a->grace == b->grace && a->entered == b->entered && a->count == b->count &&
           a->reference_ps == b->reference_ps &&
           (!a->count || !memcmp(a->held, b->held, a->count * sizeof *a->held));
}

/* Appends a copy; NULL when there is no memory or no room for it. */
static struct pb_model_state *branch(struct pb_model *model, const struct pb_model_state *from)
{
    struct pb_model_state copy = *from;
    const struct pb_held *held = from->held; /* `from` may move with the array */
    if (model->states == STATES_MAX)
        return NULL;
    copy.capacity = copy.count + 4;
    copy.held = malloc(copy.capacity * sizeof *copy.held);
    if (copy.held && model->states == model->capacity) {
        const unsigned capacity = 2 * model->capacity + 4;
        struct pb_model_state *grown = realloc(model->state, capacity * sizeof *grown);
        if (grown) {
            model->state = grown;
            model->capacity = capacity;
        }
    }
    if (!copy.held || model->states == model->capacity) {
        free(copy.held);
        model->failed = true;
        return NULL;
    }
    memcpy(copy.held, held, copy.count * sizeof *copy.held);
    model->state[model->states] = copy;
    return &model->state[model->states++];
}

static void tally(struct pb_model_state *state, enum pb_counter counter, bool certain)
{
    state->least[counter] += certain;
    state->most[counter]++;
}

/* A counter that keeps the most. */
static void reach(struct pb_model_state *state, enum pb_counter counter, size_t least, size_t most)
{
    if (state->least[counter] < least)
        state->least[counter] = (uint32_t)least;
    if (state->most[counter] < most)
        state->most[counter] = (uint32_t)most;
}

static void widen(struct pb_model_state *state, const struct pb_model_state *other)
{
    for (unsigned i = 0; i < PB_COUNTERS; i++) {
        if (other->least[i] < state->least[i])
            state->least[i] = other->least[i];
        if (other->most[i] > state->most[i])
            state->most[i] = other->most[i];
    }
    state->grown |= other->grown;
    state->fresh = state->fresh == PB_FRAME_NONE ? other->fresh : state->fresh;
}

/* Of states that are alike the first stays; it may have counted what any of them did. */
static void unite(struct pb_model *model)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < model->states; i++) {
        unsigned like = 0;
        while (like < kept && !is_same(&model->state[like], &model->state[i]))
            like++;
        if (like < kept) {
            widen(&model->state[like], &model->state[i]);
            free(model->state[i].held);
        } else
            model->state[kept++] = model->state[i];
    }
    model->states = kept;
}

void pb_model_counts(const struct pb_model *model, int64_t least[PB_COUNTERS], int64_t most[PB_COUNTERS])
{
    struct pb_model_state all = model->state[0];
    for (unsigned i = 1; i < model->states; i++)
        widen(&all, &model->state[i]);
    for (unsigned i = 0; i < PB_COUNTERS; i++) {
        least[i] = all.least[i];
        most[i] = all.most[i];
    }
    least[PB_COUNTER_CONSOLE_LINES] = most[PB_COUNTER_CONSOLE_LINES] = -1; /* the console's own */
}

int pb_model_open(struct pb_model *model, const struct pb_frames *frames, unsigned node)
{
    const struct pb_scenario *scenario = frames->scenario;
    const struct pb_model_state start = {.phase = PHASE_UNKNOWN,
                                         .reference_ps = NO_REFERENCE,
                                         .fresh = PB_FRAME_NONE,
                                         .held = (struct pb_held[1]){{0}}};
    *model = (struct pb_model){.frames = frames,
                               .address = scenario->node[node].address,
                               .room = scenario->node[node].room,
                               .room_dimension = scenario->node[node].room_per_dimension};
    return branch(model, &start) ? PB_OK : PB_ERR_MEMORY;
}

void pb_model_close(struct pb_model *model)
{
    drop_states(model, 0);
    free(model->state);
    *model = (struct pb_model){0};
}

/* ---- the phase */

static void step(struct pb_model_state *state, bool sync, int phases, uint32_t recovery)
{
    const int due = state->phase == PHASE_UNKNOWN ? PHASE_UNKNOWN : (state->phase + 1) % phases;
    if (state->phase != PHASE_UNKNOWN && sync == (due == 0))
        state->grace = recovery;
    else if (state->phase != PHASE_UNKNOWN)
        tally(state, PB_COUNTER_ALIGNMENT_ERRORS, true);
    if (sync)
        state->phase = 0;
    else
        state->phase = due == 0 ? PHASE_UNKNOWN : due;
    tally(state, PB_COUNTER_EDGES, true);
    if (state->phase == 0)
        tally(state, PB_COUNTER_SUPERFRAMES, true);
}

/* Periods without an edge: each that is over by half. */
static uint32_t missed_periods(int64_t period_ps, int64_t since_ps)
{
    const int64_t beyond_ps = since_ps - period_ps / 2;
    return beyond_ps > 0 ? (uint32_t)(beyond_ps / period_ps) : 0;
}

void pb_model_interval(struct pb_model *model, int64_t at_ps, int64_t slack_ps, bool skipped)
{
    const int64_t period_ps = PB_PS_PER_S * 1000 / (int64_t)model->frames->scenario->phase_rate_mhz;
    const unsigned count = model->states;
    for (unsigned i = 0; i < count; i++) {
        const int64_t reference_ps = model->state[i].reference_ps;
        const bool any = reference_ps != NO_REFERENCE;
        const int64_t since_ps = any ? at_ps - reference_ps : 0;
        const bool extra = any && since_ps - slack_ps <= period_ps / 2,
                   plain = !extra || since_ps + slack_ps > period_ps / 2;
        struct pb_model_state *other = extra && plain ? branch(model, &model->state[i]) : NULL,
                              *state = &model->state[i];
        if (extra)
            tally(other ? other : state, PB_COUNTER_EXTRA_EDGES, !skipped);
        if (!plain)
            continue;
        state->reference_ps = at_ps;
        if (any) {
            state->least[PB_COUNTER_MISSED_EDGES] += missed_periods(period_ps, since_ps - slack_ps);
            state->most[PB_COUNTER_MISSED_EDGES] += missed_periods(period_ps, since_ps + slack_ps);
        }
    }
}

static void step_states(struct pb_model *model, bool low, bool high, bool seen_high, bool skipped)
{
    const struct pb_scenario *scenario = model->frames->scenario;
    const int phases = (int)scenario->network.phases;
    const uint32_t recovery = scenario->limits.recovery_superframes;
    const unsigned count = model->states;
    for (unsigned i = 0; i < count; i++) {
        const bool first = seen_high ? high : !low;
        struct pb_model_state *other;
        if (skipped)
            branch(model, &model->state[i]);
        if (low && high && (other = branch(model, &model->state[i])))
            step(other, !first, phases, recovery);
        const bool out_of_step = model->state[i].phase != phases - 1;
        /* A node that the contract does not bind yet may wait for a later start of a superframe. */
        if (first && out_of_step && model->state[i].grace && (other = branch(model, &model->state[i]))) {
            other->phase = PHASE_UNKNOWN;
            other->grace--;
        }
        step(&model->state[i], first, phases, recovery);
    }
}

static bool is_turn(const struct pb_model *model, const struct pb_model_state *state, enum pb_role role,
                    unsigned port)
{
    return state->phase != PHASE_UNKNOWN && pb_network_is(&model->frames->scenario->network, model->address,
                                                          (unsigned)state->phase, role, port);
}

static bool state_sends(const struct pb_model *model, const struct pb_model_state *state, unsigned port)
{
    return is_turn(model, state, PB_ROLE_SEND, port);
}

static bool state_listens(const struct pb_model *model, const struct pb_model_state *state, unsigned port)
{
    return is_turn(model, state, PB_ROLE_LISTEN, port);
}

bool pb_model_holds(const struct pb_model *model, size_t id)
{
    for (unsigned i = 0; i < model->states; i++)
        for (size_t k = 0; k < model->state[i].count; k++)
            if (model->state[i].held[k].id == id)
                return true;
    return false;
}

bool pb_model_is_at(const struct pb_model *model, unsigned phase)
{
    for (unsigned i = 0; i < model->states; i++)
        if (model->state[i].phase != (int)phase)
            return false;
    return true;
}

bool pb_model_sends(const struct pb_model *model, unsigned dimension)
{
    bool any = false;
    for (unsigned i = 0; i < model->states; i++)
        any |= state_sends(model, &model->state[i], dimension);
    return any;
}

bool pb_model_sends_next(const struct pb_model *model, unsigned dimension)
{
    const struct pb_network *network = &model->frames->scenario->network;
    for (unsigned i = 0; i < model->states; i++) {
        const unsigned next = (unsigned)(model->state[i].phase + 1) % network->phases;
        if (pb_network_is(network, model->address, next, PB_ROLE_SEND, dimension))
            return true;
    }
    return false;
}

bool pb_model_listens(const struct pb_model *model, unsigned dimension)
{
    bool any = false;
    for (unsigned i = 0; i < model->states; i++)
        any |= state_listens(model, &model->state[i], dimension);
    return any;
}

/* ---- messages */

static uint64_t wanted(const struct pb_model *model, size_t id)
{
    const struct pb_scenario *scenario = model->frames->scenario;
    return pb_network_wanted(&scenario->network, scenario->rule, model->address,
                             destination_of(model->frames, id));
}

/* Index into `held` of the frame that is due; `count` when there is none. */
static size_t oldest(const struct pb_model_state *state, unsigned dimension)
{
    size_t i = 0;
    while (i < state->count && (state->held[i].cut || !(state->held[i].ports >> dimension & 1)))
        i++;
    return i;
}

static size_t due_of(const struct pb_model *model, const struct pb_model_state *state, unsigned dimension)
{
    if (!state_sends(model, state, dimension))
        return PB_FRAME_NONE;
    const size_t at = oldest(state, dimension);
    return at < state->count ? state->held[at].id : PB_FRAME_NONE;
}

static void take_out(struct pb_model_state *state, size_t at)
{
    memmove(state->held + at, state->held + at + 1, (--state->count - at) * sizeof *state->held);
}

/* The first cut message of a dimension from a place on; `count` when there is none. */
static size_t next_cut(const struct pb_model_state *state, size_t from, unsigned dimension)
{
    while (from < state->count && !(state->held[from].cut && state->held[from].ports >> dimension & 1))
        from++;
    return from;
}

static bool holds_cut(const struct pb_model_state *state)
{
    bool any = false;
    for (size_t i = 0; i < state->count; i++)
        any |= state->held[i].cut;
    return any;
}

/* In an own phase a cut message may be sent again, before any other. With none to send, it was lost. */
static void choose_cut(struct pb_model *model, unsigned index, unsigned dimension)
{
    size_t at = 0;
    while ((at = next_cut(&model->state[index], at, dimension)) < model->state[index].count) {
        struct pb_model_state *again = branch(model, &model->state[index]);
        if (again) {
            struct pb_held message = again->held[at];
            message.cut = 0;
            memmove(again->held + 1, again->held, at * sizeof *again->held);
            again->held[0] = message;
        }
        at++;
    }
    struct pb_model_state *state = &model->state[index];
    if (oldest(state, dimension) == state->count)
        while ((at = next_cut(state, 0, dimension)) < state->count)
            take_out(state, at);
}

void pb_model_edge(struct pb_model *model, bool low, bool high, bool seen_high, bool skipped)
{
    const struct pb_network *network = &model->frames->scenario->network;
    step_states(model, low, high, seen_high, skipped);
    unite(model);
    const unsigned count = model->states;
    for (unsigned i = 0; i < count; i++)
        for (unsigned port = 0; holds_cut(&model->state[i]) && port < network->ports; port++)
            if (state_sends(model, &model->state[i], port))
                choose_cut(model, i, port);
    unite(model);
}

enum room { ROOM_FULL, ROOM_EITHER, ROOM_FREE };

/* Places for a newcomer. Cut messages may take some. */
static enum room room_for(const struct pb_model *model, const struct pb_model_state *state, size_t id)
{
    const uint64_t ports = wanted(model, id);
    const size_t most = model->room ? model->room : SIZE_MAX,
                 most_same = model->room_dimension ? model->room_dimension : SIZE_MAX;
    size_t all = 0, same = 0, all_cut = 0, same_cut = 0;
    for (size_t i = 0; i < state->count; i++) {
        const struct pb_held *held = &state->held[i];
        all += !held->cut;
        same += !held->cut && held->ports == ports;
        all_cut += held->cut;
        same_cut += held->cut && held->ports == ports;
    }
    return all >= most || same >= most_same                          ? ROOM_FULL
           : all + all_cut >= most || same + same_cut >= most_same ? ROOM_EITHER
                                                                     : ROOM_FREE;
}

/* full: where the room may be used up, it is. False: no room. */
static bool store(struct pb_model *model, struct pb_model_state *state, size_t id, bool full)
{
    const enum room room = room_for(model, state, id);
    if (room == ROOM_FULL || (room == ROOM_EITHER && full)) {
        tally(state, PB_COUNTER_QUEUE_DROPS, true);
        return false;
    }
    if (state->count == state->capacity) {
        const size_t capacity = 2 * state->capacity + 4;
        struct pb_held *grown = realloc(state->held, capacity * sizeof *grown);
        if (!grown) {
            model->failed = true;
            return false;
        }
        state->held = grown;
        state->capacity = capacity;
    }
    state->held[state->count++] = (struct pb_held){.id = id, .ports = wanted(model, id)};
    state->grown = true;
    reach(state, PB_COUNTER_MAX_STORED, 1, 1); /* independent of its arrival and of what leaves */
    reach(state, PB_COUNTER_MAX_QUEUE, 1, 1);
    return true;
}

static bool is_forwarded(const struct pb_model *model, size_t id)
{
    const uint32_t destination = destination_of(model->frames, id);
    return destination != model->address && destination < model->frames->scenario->network.nodes;
}

/* An own message that need not be in its queue before it leaves. */
static bool may_enter_late(const struct pb_model *model, size_t id)
{
    const struct pb_known_message *known =
        id < PB_FRAME_FOREIGN ? pb_known_find(model->frames->known, id) : NULL;
    return known && known->source == model->address && known->released > 0;
}

/* Adds messages to those for each dimension; returns how many there are. certain: of those alone that every
 * sound node holds, so none that an edge cut off, none that comes late, and not the fresh one. */
static size_t sum_up(const struct pb_model *model, const struct pb_held *held, size_t count, bool certain,
                     size_t fresh, uint32_t queue[PB_WIRE_PORTS_MAX])
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t id = held[i].id;
        if (!is_forwarded(model, id) ||
            (certain && (held[i].cut || id == fresh || may_enter_late(model, id))))
            continue;
        all++;
        for (unsigned port = 0; port < PB_WIRE_PORTS_MAX; port++)
            queue[port] += held[i].ports >> port & 1;
    }
    return all;
}

static uint32_t longest(const uint32_t queue[PB_WIRE_PORTS_MAX])
{
    uint32_t most = 0;
    for (unsigned port = 0; port < PB_WIRE_PORTS_MAX; port++)
        most = queue[port] > most ? queue[port] : most;
    return most;
}

/* With `opportunistic` a node may have one list for all dimensions. */
static void watch(const struct pb_model *model, struct pb_model_state *state, const size_t *ahead,
                  unsigned count)
{
    uint32_t certain[PB_WIRE_PORTS_MAX] = {0}, possible[PB_WIRE_PORTS_MAX] = {0};
    const size_t least = sum_up(model, state->held, state->count, true, state->fresh, certain);
    size_t any = sum_up(model, state->held, state->count, false, PB_FRAME_NONE, possible);
    for (unsigned i = 0; i < count; i++) {
        const struct pb_held next = {.id = ahead[i], .ports = wanted(model, ahead[i])};
        any += sum_up(model, &next, 1, false, PB_FRAME_NONE, possible);
    }
    const size_t most = model->room && any > model->room ? model->room : any;
    const bool one_list = model->frames->scenario->rule == PB_RULE_OPPORTUNISTIC;
    reach(state, PB_COUNTER_MAX_STORED, least, most);
    reach(state, PB_COUNTER_MAX_QUEUE, longest(certain), one_list ? most : longest(possible));
    state->grown = state->fresh != PB_FRAME_NONE; /* next time it is certain */
    state->fresh = PB_FRAME_NONE;
}

void pb_model_watch(struct pb_model *model, const size_t *ahead, unsigned count)
{
    for (unsigned i = 0; i < model->states; i++)
        if (model->state[i].grown || count)
            watch(model, &model->state[i], ahead, count);
}

static void take_in(struct pb_model *model, struct pb_model_state *state, size_t id, bool full)
{
    const uint32_t destination = destination_of(model->frames, id);
    const bool outside = destination >= model->frames->scenario->network.nodes;
    tally(state, PB_COUNTER_RX_FRAMES, !outside);
    if (outside)
        tally(state, PB_COUNTER_RX_BAD_DESTINATIONS, true);
    else if (destination == model->address)
        tally(state, PB_COUNTER_DELIVERED, true);
    else if (store(model, state, id, full)) {
        tally(state, PB_COUNTER_FORWARDED, true);
        state->fresh = id;
    }
}

static void miss_frame(const struct pb_model *model, struct pb_model_state *state, enum pb_model_miss miss)
{
    enum { ERRORS_MOST = 4 }; /* of one kind in one phase */
    const bool any = miss == PB_MISS_ANY || miss == PB_MISS_ANY_AFTER;
    if (miss == PB_MISS_CRC)
        tally(state, PB_COUNTER_RX_CRC_ERRORS, true);
    else if (miss == PB_MISS_STOP)
        tally(state, PB_COUNTER_RX_FRAMING_ERRORS, true);
    else if (miss == PB_MISS_LENGTH || miss == PB_MISS_AFTER)
        tally(state, PB_COUNTER_RX_LENGTH_ERRORS, true);
    else if (miss == PB_MISS_MARK)
        tally(state, PB_COUNTER_RX_MARK_ERRORS, true);
    if (miss == PB_MISS_CUT || any)
        tally(state, PB_COUNTER_RX_CUT, !any);
    for (unsigned i = 0; any && i < ERRORS_MOST; i++) {
        tally(state, PB_COUNTER_RX_CRC_ERRORS, false);
        tally(state, PB_COUNTER_RX_FRAMING_ERRORS, false);
        tally(state, PB_COUNTER_RX_LENGTH_ERRORS, false);
        if (model->frames->scenario->codec == PB_CODEC_STARC)
            tally(state, PB_COUNTER_RX_MARK_ERRORS, false);
    }
}

static void enter(struct pb_model *model, struct pb_model_state *state, size_t id, bool full)
{
    state->entered++;
    if (!is_forwarded(model, id) || store(model, state, id, full))
        tally(state, PB_COUNTER_OWN_MESSAGES, is_forwarded(model, id));
    else
        tally(state, PB_COUNTER_CONSOLE_ERRORS, true);
}

/* Whether a newcomer is stored depends on what became of cut messages. */
static bool may_be_full(const struct pb_model *model, const struct pb_model_state *state, size_t id)
{
    return is_forwarded(model, id) && room_for(model, state, id) == ROOM_EITHER;
}

void pb_model_release(struct pb_model *model, size_t id, size_t number, bool early)
{
    const unsigned count = model->states;
    for (unsigned i = 0; i < count; i++) {
        if (model->state[i].entered != number)
            continue;
        struct pb_model_state *full =
            may_be_full(model, &model->state[i], id) ? branch(model, &model->state[i]) : NULL;
        if (full)
            enter(model, full, id, true);
        struct pb_model_state *state = early ? branch(model, &model->state[i]) : &model->state[i];
        if (state)
            enter(model, state, id, false);
    }
}

bool pb_model_has_entered(const struct pb_model *model, size_t number)
{
    bool all = true;
    for (unsigned i = 0; i < model->states; i++)
        all &= model->state[i].entered > number;
    return all;
}

size_t pb_model_match(const struct pb_model *model, unsigned dimension, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < model->states; i++) {
        const size_t id = due_of(model, &model->state[i], dimension);
        if (id != PB_FRAME_NONE && pb_frames_equal(model->frames, id, bytes, count))
            return id;
    }
    return PB_FRAME_GARBAGE;
}

size_t pb_model_choice(const struct pb_model *model, unsigned state, unsigned dimension)
{
    return due_of(model, &model->state[state], dimension);
}

/* Frames without payload can be alike. */
static bool agrees(const struct pb_model *model, size_t due, size_t seen)
{
    uint8_t bytes[PB_FRAME_MAX];
    if (due == seen || seen == PB_FRAME_UNKNOWN)
        return true;
    if (due == PB_FRAME_NONE || seen == PB_FRAME_NONE || seen == PB_FRAME_GARBAGE)
        return false;
    return pb_frames_equal(model->frames, due, bytes, pb_frames_bytes(model->frames, seen, bytes));
}

/* Bytes that are no frame of any state count as a damaged frame, if one is due. */
size_t pb_model_due(const struct pb_model *model, unsigned dimension, size_t seen)
{
    size_t likeliest = PB_FRAME_NONE;
    for (unsigned i = 0; i < model->states; i++) {
        const size_t due = due_of(model, &model->state[i], dimension);
        if (agrees(model, due, seen))
            return due;
        if (i == 0 || (seen == PB_FRAME_GARBAGE && likeliest == PB_FRAME_NONE))
            likeliest = due;
    }
    return likeliest;
}

/* Of a frame that was cut off no more is known than that there was one. */
static bool explains(const struct pb_model *model, const struct pb_model_state *state, unsigned dimension,
                     size_t seen, enum pb_model_end end)
{
    const size_t due = due_of(model, state, dimension);
    return agrees(model, due, seen) && !(end == PB_END_CUT && due == PB_FRAME_NONE);
}

void pb_model_sent(struct pb_model *model, unsigned dimension, size_t seen, enum pb_model_end end)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < model->states; i++)
        kept += explains(model, &model->state[i], dimension, seen, end);
    if (kept && kept < model->states) {
        kept = 0;
        for (unsigned i = 0; i < model->states; i++)
            if (explains(model, &model->state[i], dimension, seen, end))
                model->state[kept++] = model->state[i];
            else
                free(model->state[i].held);
        model->states = kept;
    }
    for (unsigned i = 0; i < model->states; i++) {
        struct pb_model_state *state = &model->state[i];
        if (due_of(model, state, dimension) == PB_FRAME_NONE)
            continue;
        const size_t at = oldest(state, dimension);
        struct pb_held message = state->held[at];
        take_out(state, at);
        tally(state, PB_COUNTER_TX_FRAMES, end != PB_END_UNKNOWN);
        if (model->starts_late)
            tally(state, PB_COUNTER_LATE_STARTS, false);
        if (end == PB_END_WHOLE)
            continue;
        tally(state, PB_COUNTER_TX_CUT, end == PB_END_CUT);
        if (end != PB_END_UNKNOWN) /* else it may still be as it was */
            message.ports = UINT64_C(1) << dimension;
        message.cut = 1;
        state->held[state->count++] = message;
    }
    unite(model);
}

/* state: NULL: no effect. */
static void receive(struct pb_model *model, struct pb_model_state *state, size_t id, enum pb_model_miss miss,
                    bool full)
{
    if (state && id != PB_FRAME_NONE)
        take_in(model, state, id, full);
    if (state && (id == PB_FRAME_NONE || miss == PB_MISS_AFTER || miss == PB_MISS_ANY_AFTER))
        miss_frame(model, state, miss);
    /* The page does not say whether a frame that is dropped for what follows it was received. */
    if (state && id == PB_FRAME_NONE && miss == PB_MISS_AFTER)
        tally(state, PB_COUNTER_RX_FRAMES, false);
}

void pb_model_receive(struct pb_model *model, unsigned dimension, const size_t *id, unsigned count,
                      enum pb_model_miss miss)
{
    const unsigned states = model->states;
    for (unsigned i = 0; i < states; i++) {
        if (!state_listens(model, &model->state[i], dimension))
            continue;
        for (unsigned k = count; k-- > 0;) {
            const bool either =
                id[k] != PB_FRAME_NONE && may_be_full(model, &model->state[i], id[k]);
            receive(model, either ? branch(model, &model->state[i]) : NULL, id[k], miss, true);
            receive(model, k ? branch(model, &model->state[i]) : &model->state[i], id[k], miss, false);
        }
    }
    unite(model);
}
