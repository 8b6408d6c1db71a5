/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "movement.h"

#include "host/base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORESEEN_CROSSINGS (UINT64_C(1) << 24)
#define FORESEEN_SUPERFRAMES 100000
enum { AT_ONCE = 1024, NOT_ON_RIG = 0xFF };

/* ---- the releases of a scenario, in order */

/* Of one superframe. */
struct births {
    struct pb_birth *birth; /* owned */
    size_t count, capacity;
};

struct joined {
    struct pb_releases base;
    const struct pb_scenario *scenario;
    struct pb_releases **part; /* owned; the list, then each endless entry */
    size_t parts;
    uint64_t superframe; /* of `ready`; 2^32: none */
    struct births listed, ready, sorted;
    size_t taken;          /* of `ready` */
    uint64_t next_message; /* of an endless entry */
    uint8_t *send_phase;   /* [node * ports + port]; NULL: the order of the file decides alone */
    uint32_t *before;      /* [phase * phases + wait] */
};

static int take_part(struct births *births, struct pb_releases *part, uint32_t superframe)
{
    for (size_t count = 1; count; births->count += count) {
        int code =
            pb_make_room(&births->birth, &births->capacity, births->count + AT_ONCE, sizeof *births->birth);
        if (!code)
            code = part->take(part, superframe, births->birth + births->count, AT_ONCE, &count);
        if (code)
            return code;
    }
    return PB_OK;
}

/* Those of the list from this message up to that one. */
static int copy_listed(struct joined *joined, size_t from, size_t to)
{
    const int code = pb_make_room(&joined->ready.birth, &joined->ready.capacity,
                                  joined->ready.count + joined->listed.count, sizeof *joined->ready.birth);
    for (size_t i = 0; !code && i < joined->listed.count; i++)
        if (joined->listed.birth[i].message >= from && joined->listed.birth[i].message < to)
            joined->ready.birth[joined->ready.count++] = joined->listed.birth[i];
    return code;
}

/* All of a superframe in the order of the file, those of the list in the order of their phases. */
static int collect(struct joined *joined, uint32_t superframe)
{
    const struct pb_scenario *scenario = joined->scenario;
    size_t from = 0;

    joined->listed.count = joined->ready.count = joined->taken = 0;
    joined->superframe = superframe;
    if (joined->parts == 1)
        return take_part(&joined->ready, joined->part[0], superframe);
    int code = take_part(&joined->listed, joined->part[0], superframe);
    for (size_t i = 1; i < joined->parts && !code; i++) {
        const size_t to = scenario->endless[i - 1].after;
        code = copy_listed(joined, from, to);
        if (!code)
            code = take_part(&joined->ready, joined->part[i], superframe);
        from = to;
    }
    return code ? code : copy_listed(joined, from, SIZE_MAX);
}

/* Phases from the release to the first one in which the message can leave. */
static unsigned wait_of(const struct joined *joined, const struct pb_birth *birth)
{
    const struct pb_network *network = &joined->scenario->network;
    if (!joined->send_phase || birth->source == birth->destination)
        return 0;
    const unsigned port = (unsigned)__builtin_ctzll(
        pb_network_wanted(network, PB_RULE_ECUBE, birth->source, birth->destination));
    return (network->phases + joined->send_phase[birth->source * network->ports + port] - birth->phase) %
           network->phases;
}

/* A counting sort, which keeps the order of equals. */
static int sort(struct joined *joined)
{
    const unsigned phases = joined->scenario->network.phases;
    struct births *ready = &joined->ready, *sorted = &joined->sorted;
    uint32_t at = 0;

    if (pb_make_room(&sorted->birth, &sorted->capacity, ready->count, sizeof *sorted->birth))
        return PB_ERR_MEMORY;
    memset(joined->before, 0, phases * phases * sizeof *joined->before);
    for (size_t i = 0; i < ready->count; i++)
        joined->before[ready->birth[i].phase * phases + wait_of(joined, &ready->birth[i])]++;
    for (size_t key = 0; key < (size_t)phases * phases; key++) {
        const uint32_t count = joined->before[key];
        joined->before[key] = at;
        at += count;
    }
    for (size_t i = 0; i < ready->count; i++) {
        const struct pb_birth *birth = &ready->birth[i];
        sorted->birth[joined->before[birth->phase * phases + wait_of(joined, birth)]++] = *birth;
    }
    sorted->count = ready->count;
    const struct births swapped = *ready;
    *ready = *sorted;
    *sorted = swapped;
    return PB_OK;
}

static int take_joined(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release,
                       size_t room, size_t *count)
{
    struct joined *joined = (struct joined *)releases;
    struct births *ready = &joined->ready;

    *count = 0;
    if (joined->superframe != superframe) {
        int code = collect(joined, superframe);
        if (!code && ready->count)
            code = sort(joined);
        if (code)
            return code;
        for (size_t i = 0; i < ready->count; i++)
            if (ready->birth[i].message >= joined->scenario->traffic.count)
                ready->birth[i].message = joined->next_message++;
    }
    while (joined->taken < ready->count && *count < room)
        release[(*count)++] = ready->birth[joined->taken++];
    return PB_OK;
}

static bool next_joined(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct joined *joined = (const struct joined *)releases;
    bool any = false;
    for (size_t i = 0; i < joined->parts; i++) {
        uint32_t next;
        if (!joined->part[i]->next(joined->part[i], &next))
            continue;
        *superframe = any && *superframe < next ? *superframe : next;
        any = true;
    }
    return any;
}

static void free_joined(struct pb_releases *releases)
{
    struct joined *joined = (struct joined *)releases;
    for (size_t i = 0; joined->part && i < joined->parts; i++)
        pb_releases_free(joined->part[i]);
    free(joined->part);
    free(joined->listed.birth);
    free(joined->ready.birth);
    free(joined->sorted.birth);
    free(joined->send_phase);
    free(joined->before);
    free(joined);
}

static int open_endless(struct pb_releases **out, const struct pb_scenario *scenario,
                        const struct pb_endless *endless)
{
    const struct pb_repeat how = {.superframe = endless->superframe,
                                  .phase = endless->phase,
                                  .every = endless->every,
                                  .first_message = scenario->traffic.count};
    return endless->pattern
               ? pb_releases_repeat(out, &scenario->network, endless->pattern, &how, NULL)
               : pb_releases_repeat_list(out, &endless->list, &how);
}

static int make_send_phases(struct joined *joined)
{
    const struct pb_network *network = &joined->scenario->network;
    joined->send_phase = malloc((size_t)network->nodes * network->ports);
    if (!joined->send_phase)
        return PB_ERR_MEMORY;
    for (uint32_t node = 0; node < network->nodes; node++)
        for (unsigned phase = 0; phase < network->phases; phase++) {
            const struct pb_slot slot = pb_network_slot(network, node, phase);
            if (slot.role == PB_ROLE_SEND)
                joined->send_phase[node * network->ports + slot.port] = (uint8_t)phase;
        }
    return PB_OK;
}

static int open_joined(struct pb_releases **out, const struct pb_scenario *scenario)
{
    const size_t phases = scenario->network.phases;
    struct joined *joined = calloc(1, sizeof *joined);

    *out = NULL;
    if (!joined)
        return PB_ERR_MEMORY;
    joined->base = (struct pb_releases){take_joined, next_joined, free_joined};
    joined->scenario = scenario;
    joined->superframe = UINT64_C(1) << 32;
    joined->next_message = scenario->traffic.count;
    joined->part = calloc(1 + scenario->endless_count, sizeof(struct pb_releases *));
    joined->before = calloc(phases * phases, sizeof *joined->before);
    int code = joined->part && joined->before ? PB_OK : PB_ERR_MEMORY;
    if (!code && scenario->rule == PB_RULE_ECUBE && !scenario->limits.drop_overflow)
        code = make_send_phases(joined);
    if (!code)
        code = pb_releases_list(&joined->part[joined->parts++], &scenario->network, &scenario->traffic);
    for (unsigned i = 0; i < scenario->endless_count && !code; i++)
        code = open_endless(&joined->part[joined->parts++], scenario, &scenario->endless[i]);
    if (code)
        free_joined(&joined->base);
    else
        *out = &joined->base;
    return code;
}

/* ---- the window */

struct slot {
    struct pb_moved moved;
    struct pb_own_message *own; /* owned, as are the others */
    struct pb_crossing *crossing;
    struct pb_arrived *arrival;
    struct pb_lost_message *lost;
    size_t own_capacity, crossing_capacity, arrival_capacity, lost_capacity;
};

struct pb_movement {
    const struct pb_scenario *scenario;
    struct joined *releases; /* owned; a pb_releases */
    struct pb_mover *mover;  /* owned */
    uint8_t *node_index;           /* owned; [node], NOT_ON_RIG */
    uint32_t sequence[PB_SCENARIO_NODES_MAX]; /* of the next message of each node on the rig */
    struct slot **slot; /* owned; the one of a superframe is at its number modulo `slots` */
    size_t slots;       /* a power of two */
    uint64_t first, end; /* superframes of the window */
    uint64_t passed[PB_MOVEMENT_READERS];
    unsigned readers;
    int code; /* of the step that failed */
};

/* Appends an element to an array of a slot; NULL: no memory. */
static void *append(void *array, size_t *count, size_t *capacity, size_t size)
{
    char *elements;
    if (pb_make_room(array, capacity, *count + 1, size))
        return NULL;
    memcpy(&elements, array, sizeof elements);
    return elements + (*count)++ * size;
}

#define APPEND(slot, array, count)                                                                           \
    append(&(slot)->array, &(slot)->moved.count, &(slot)->array##_capacity, sizeof *(slot)->array)

static bool touches_rig(const struct pb_movement *movement, const struct pb_crossing *crossing)
{
    return movement->node_index[crossing->from] != NOT_ON_RIG ||
           movement->node_index[crossing->to] != NOT_ON_RIG;
}

static int keep_arrival(struct slot *slot, const struct pb_arrived *arrived)
{
    struct pb_arrived *kept = APPEND(slot, arrival, arrivals);
    if (kept)
        *kept = *arrived;
    return kept ? PB_OK : PB_ERR_MEMORY;
}

static int keep_crossing(struct slot *slot, const struct pb_crossing *crossing)
{
    struct pb_crossing *kept = APPEND(slot, crossing, crossings);
    if (kept)
        *kept = *crossing;
    return kept ? PB_OK : PB_ERR_MEMORY;
}

static int keep_crossings(struct pb_movement *movement, struct slot *slot)
{
    const struct births *births = &movement->releases->ready;
    size_t count;
    const struct pb_crossing *crossing = pb_mover_crossings(movement->mover, &count);
    int code = PB_OK;
    for (size_t i = 0; i < births->count && !code; i++) {
        const struct pb_birth *birth = &births->birth[i];
        if (birth->source == birth->destination)
            code = keep_arrival(slot, &(struct pb_arrived){.message = birth->message,
                                                           .superframe = birth->superframe,
                                                           .release_superframe = birth->superframe,
                                                           .source = (uint16_t)birth->source,
                                                           .destination = (uint16_t)birth->destination,
                                                           .phase = (uint8_t)birth->phase,
                                                           .release_phase = (uint8_t)birth->phase});
    }
    for (size_t i = 0; i < count && !code; i++) {
        const struct pb_crossing *last = &crossing[i];
        if (touches_rig(movement, &crossing[i]))
            code = keep_crossing(slot, &crossing[i]);
        if (last->last && !code)
            code = keep_arrival(slot, &(struct pb_arrived){.message = last->message,
                                                           .superframe = last->superframe,
                                                           .release_superframe = last->release_superframe,
                                                           .source = last->source,
                                                           .destination = last->destination,
                                                           .phase = last->phase,
                                                           .release_phase = last->release_phase});
    }
    return code;
}

/* What a node has no room for was received in the crossing before, or is released to it. */
static int keep_drops(struct pb_movement *movement, struct slot *slot)
{
    const struct births *births = &movement->releases->ready;
    size_t count, crossings, release = 0;
    const struct pb_drop *drop = pb_mover_drops(movement->mover, &count);
    const struct pb_crossing *crossing = pb_mover_crossings(movement->mover, &crossings);
    for (size_t i = 0; i < count; i++) {
        struct pb_lost_message *lost = APPEND(slot, lost, losts);
        if (!lost)
            return PB_ERR_MEMORY;
        *lost = (struct pb_lost_message){.drop = drop[i], .node_index = movement->node_index[drop[i].node]};
        if (!drop[i].at_release) {
            lost->source = crossing[drop[i].crossings - 1].source;
            lost->destination = crossing[drop[i].crossings - 1].destination;
            continue;
        }
        while (births->birth[release].message != drop[i].message)
            release++;
        lost->source = births->birth[release].source;
        lost->destination = births->birth[release].destination;
    }
    return PB_OK;
}

static int keep_own(struct pb_movement *movement, struct slot *slot)
{
    const struct births *births = &movement->releases->ready;
    size_t lost = 0;
    for (size_t i = 0; i < births->count; i++) {
        const struct pb_birth *birth = &births->birth[i];
        const uint8_t node_index = movement->node_index[birth->source];
        if (node_index == NOT_ON_RIG)
            continue;
        struct pb_own_message *own = APPEND(slot, own, owns);
        if (!own)
            return PB_ERR_MEMORY;
        while (lost < slot->moved.losts && !slot->lost[lost].drop.at_release)
            lost++;
        const bool refused = lost < slot->moved.losts && slot->lost[lost].drop.message == birth->message;
        lost += refused;
        *own = (struct pb_own_message){.message = birth->message,
                                       .destination = birth->destination,
                                       .superframe = birth->superframe,
                                       .sequence = movement->sequence[node_index],
                                       .node_index = node_index,
                                       .phase = (uint8_t)birth->phase,
                                       .refused = refused};
        movement->sequence[node_index] += !refused && birth->source != birth->destination;
    }
    return PB_OK;
}

static int keep(struct pb_movement *movement, struct slot *slot, uint32_t superframe)
{
    struct pb_moved *moved = &slot->moved;
    *moved = (struct pb_moved){.superframe = superframe,
                               .left = pb_mover_left(movement->mover),
                               .stats = *pb_mover_stats(movement->mover)};
    for (unsigned i = 0; i < movement->scenario->node_count; i++)
        moved->fullest[i] = pb_mover_rooms(movement->mover)[i].fullest;
    int code = keep_crossings(movement, slot);
    if (!code)
        code = keep_drops(movement, slot);
    if (!code)
        code = keep_own(movement, slot);
    moved->birth = movement->releases->ready.birth;
    moved->births = movement->releases->ready.count;
    moved->own = slot->own;
    moved->crossing = slot->crossing;
    moved->arrival = slot->arrival;
    moved->lost = slot->lost;
    return code;
}

/* The slot of the next superframe, one of a superframe that is forgotten or a new one. */
static struct slot *next_slot(struct pb_movement *movement)
{
    if (movement->end - movement->first == movement->slots) {
        const size_t slots = movement->slots ? 2 * movement->slots : 4;
        struct slot **grown = calloc(slots, sizeof *grown);
        if (!grown)
            return NULL;
        for (size_t i = 0; i < movement->slots; i++)
            grown[(movement->first + i) % slots] = movement->slot[(movement->first + i) % movement->slots];
        free(movement->slot);
        movement->slot = grown;
        movement->slots = slots;
    }
    struct slot **slot = &movement->slot[movement->end % movement->slots];
    if (!*slot)
        *slot = calloc(1, sizeof **slot);
    return *slot;
}

static int step(struct pb_movement *movement, struct pb_diag *diag)
{
    const uint64_t superframe = movement->end;
    struct slot *slot = next_slot(movement);
    int code = slot ? pb_mover_step(movement->mover, diag) : PB_ERR_MEMORY;
    if (!code)
        code = keep(movement, slot, (uint32_t)superframe);
    movement->end++;
    return code == PB_ERR_MEMORY ? pb_fail(diag, code, "no memory to follow the traffic; send less") : code;
}

int pb_movement_open(struct pb_movement **out, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_flow_room room[PB_SCENARIO_NODES_MAX];
    struct pb_releases *releases = NULL;
    struct pb_movement *movement = *out = calloc(1, sizeof *movement);
    for (unsigned i = 0; i < scenario->node_count; i++)
        room[i] = (struct pb_flow_room){.node = scenario->node[i].address,
                                        .in_all = scenario->node[i].room,
                                        .per_dimension = scenario->node[i].room_per_dimension};
    int code = movement ? open_joined(&releases, scenario) : PB_ERR_MEMORY;
    if (!code) {
        movement->scenario = scenario;
        movement->releases = (struct joined *)releases;
        movement->node_index = malloc(scenario->network.nodes);
        code = movement->node_index ? PB_OK : PB_ERR_MEMORY;
    }
    if (!code) {
        const struct pb_mover_options options = {.network = &scenario->network,
                                                 .rule = scenario->rule,
                                                 .room = room,
                                                 .rooms = scenario->node_count,
                                                 .crossings = true,
                                                 .of_rooms = true};
        memset(movement->node_index, NOT_ON_RIG, scenario->network.nodes);
        for (unsigned i = 0; i < scenario->node_count; i++)
            movement->node_index[scenario->node[i].address] = (uint8_t)i;
        code = pb_mover_create(&movement->mover, &options, releases);
    }
    if (!code)
        return PB_OK;
    pb_movement_close(movement);
    *out = NULL;
    return pb_fail(diag, code, "no memory to follow the traffic; send less");
}

void pb_movement_close(struct pb_movement *movement)
{
    if (!movement)
        return;
    for (size_t i = 0; i < movement->slots; i++) {
        struct slot *slot = movement->slot[i];
        if (!slot)
            continue;
        free(slot->own);
        free(slot->crossing);
        free(slot->arrival);
        free(slot->lost);
        free(slot);
    }
    free(movement->slot);
    pb_mover_free(movement->mover);
    if (movement->releases)
        pb_releases_free(&movement->releases->base);
    free(movement->node_index);
    free(movement);
}

unsigned pb_movement_reader(struct pb_movement *movement)
{
    return movement->readers++;
}

void pb_movement_leave(struct pb_movement *movement, unsigned reader)
{
    bool any = false;
    movement->passed[reader] = UINT64_MAX;
    for (unsigned i = 0; i < movement->readers; i++)
        any |= movement->passed[i] != UINT64_MAX;
    if (!any)
        pb_movement_close(movement);
}

int pb_movement_read(struct pb_movement *movement, uint32_t superframe, const struct pb_moved **moved,
                     struct pb_diag *diag)
{
    while (movement->end <= superframe && !movement->code)
        movement->code = step(movement, diag);
    if (!movement->code)
        *moved = &movement->slot[superframe % movement->slots]->moved;
    return movement->code;
}

void pb_movement_pass(struct pb_movement *movement, unsigned reader, uint32_t superframe)
{
    movement->passed[reader] = superframe;
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < movement->readers; i++)
        first = movement->passed[i] < first ? movement->passed[i] : first;
    if (first > movement->first)
        movement->first = first < movement->end ? first : movement->end;
}

bool pb_movement_take_out(struct pb_movement *movement, uint64_t message, uint32_t to, uint64_t *from)
{
    uint32_t node;
    *from = movement->end;
    return !movement->code && pb_mover_find(movement->mover, message, &node) &&
           (node == to || movement->node_index[node] == NOT_ON_RIG) &&
           pb_mover_remove(movement->mover, message);
}

int pb_refuse_overflow(const struct pb_scenario *scenario, const struct pb_lost_message *lost,
                       struct pb_diag *diag)
{
    const struct pb_scenario_node *node = &scenario->node[lost->node_index];
    return pb_fail(diag, PB_ERR_CONFIG,
                   "node 0x%" PRIX32 " (%s) has room for %u messages%s, and 0x%" PRIX32 " to 0x%" PRIX32
                   " in superframe %" PRIu32 ", phase %u, is one more; release fewer messages or later ones, "
                   "or set limits.overflow drop",
                   node->address, node->kind, node->room ? node->room : node->room_per_dimension,
                   node->room ? "" : " per dimension", lost->source, lost->destination, lost->drop.superframe,
                   lost->drop.phase);
}

/* ---- a look ahead */

int pb_foresee(const struct pb_scenario *scenario, uint32_t superframes, pb_see_fn *see, void *context,
               struct pb_diag *diag)
{
    struct pb_movement *movement;
    uint64_t seen = 0, crossings = 0;
    int code = pb_movement_open(&movement, scenario, diag);
    const unsigned reader = code ? 0 : pb_movement_reader(movement);
    while (!code) {
        const struct pb_moved *moved;
        pb_mover_skip(movement->mover, superframes);
        movement->first = movement->end = pb_mover_superframe(movement->mover);
        if (movement->end >= superframes ||
            (scenario->endless_count && (seen++ == FORESEEN_SUPERFRAMES || crossings > FORESEEN_CROSSINGS)))
            break;
        const uint32_t superframe = (uint32_t)movement->end;
        code = pb_movement_read(movement, superframe, &moved, diag);
        if (code)
            break;
        crossings = moved->stats.crossings;
        code = see(context, moved);
        pb_movement_pass(movement, reader, superframe + 1);
    }
    pb_movement_close(movement);
    return code == PB_MOVEMENT_ENOUGH ? PB_OK : code;
}
