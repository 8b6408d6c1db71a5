/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A superframe of a part: it draws the releases of its nodes, or takes its own of all; numbers them after
 * those of the parts before it; moves its messages, meeting the others where wires lead to them; and hands to
 * all what it did. The first part of the process makes of that what the engine shows.
 */
#include "parts.h"
#include "traffic.h"

#include "host/base/room.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a part hands over after a superframe; its counts of latencies follow. */
struct report {
    int code;
    struct pb_diag diag;
    struct pb_mover_stats stats;
    struct pb_drawn drawn; /* its counts */
    struct pb_step_sums sums;
    uint64_t held;
};

struct part {
    struct pb_releases releases; /* what its mover takes */
    struct pb_parts *parts;
    unsigned own;
    uint32_t first, nodes;
    struct pb_mover *mover;
    struct pb_drawn drawn; /* or, of all releases, its own */
    size_t taken;
    int drawn_code;
    struct report *report;
    uint64_t *latency; /* behind it */
    size_t report_max;
    struct pb_handed *over, *got; /* [parts] */
    unsigned turn;                /* of the exchanges of threads */
    pthread_t thread;
    bool runs;
};

struct pb_parts {
    struct pb_network network;
    struct pb_releases *source;
    struct pb_machine_traffic *traffic;
    const struct pb_machine_ranks *ranks;
    bool apart; /* each part draws its releases */
    bool lists; /* crossings and drops are shown, else their sums */
    unsigned count, begin, here; /* parts, the first one of the process, and how many it has */
    uint32_t *first;             /* [count + 1] */
    struct part *part;           /* [here] */

    /* Threads: they wait for the start of the next superframe, and for one another. */
    pthread_mutex_t lock;
    pthread_cond_t started;
    uint64_t starts;
    bool ends;
    pthread_barrier_t meeting;
    bool threads;
    struct pb_handed *handed[2]; /* [from * count + to], in turns */
    uint32_t superframe;

    struct pb_birth *birth; /* of all nodes */
    size_t births, births_max;

    /* What is shown. */
    struct pb_mover_stats stats;
    struct pb_step_sums sums;
    uint64_t *latency;
    size_t latencies_max;
    struct pb_crossing *crossing;
    size_t crossings, crossings_max;
    struct pb_drop *drop;
    size_t drops, drops_max;
};

unsigned pb_machine_parts(const struct pb_network *network, unsigned wanted)
{
    const uint32_t most = network->nodes / 2;
    unsigned count = wanted < most ? wanted : most;

    while (network->dims && (count & (count - 1)))
        count &= count - 1;
    return count ? count : 1;
}

/* ---- meetings */

static void exchange(void *context, const struct pb_handed *over, struct pb_handed *got)
{
    struct part *part = context;
    struct pb_parts *parts = part->parts;
    struct pb_handed *const handed = parts->handed[part->turn];

    if (parts->ranks) {
        parts->ranks->exchange(parts->ranks->context, over, got);
        return;
    }
    memcpy(handed + (size_t)part->own * parts->count, over, parts->count * sizeof *over);
    if (parts->count > 1)
        pthread_barrier_wait(&parts->meeting);
    for (unsigned i = 0; i < parts->count; i++)
        got[i] = handed[(size_t)i * parts->count + part->own];
    part->turn ^= 1; /* what was handed over is read until the next meeting */
}

/* The same to all. */
static void tell(struct part *part, const void *bytes, size_t count)
{
    for (unsigned i = 0; i < part->parts->count; i++)
        part->over[i] = (struct pb_handed){bytes, count};
    exchange(part, part->over, part->got);
}

/* ---- releases */

static bool is_own(const struct part *part, uint32_t node)
{
    return node - part->first < part->nodes;
}

static int choose_births(struct part *part)
{
    const struct pb_parts *parts = part->parts;
    struct pb_drawn *drawn = &part->drawn;

    drawn->births = 0;
    for (size_t i = 0; i < parts->births; i++) {
        if (!is_own(part, parts->birth[i].source))
            continue;
        if (pb_make_room(&drawn->birth, &drawn->births_max, drawn->births + 1, sizeof *drawn->birth))
            return PB_ERR_MEMORY;
        drawn->birth[drawn->births++] = parts->birth[i];
    }
    return PB_OK;
}

static void draw(struct part *part, uint32_t superframe)
{
    struct pb_parts *parts = part->parts;
    struct pb_drawn *drawn = &part->drawn;

    part->taken = 0;
    if (!parts->apart) {
        part->drawn_code = choose_births(part);
        return;
    }
    part->drawn_code = pb_traffic_draw(parts->traffic, drawn, superframe, part->first, part->nodes);
    uint64_t before = 0;
    tell(part, &drawn->offered, sizeof drawn->offered);
    for (unsigned i = 0; i < part->own; i++) {
        uint64_t other;
        memcpy(&other, part->got[i].bytes, sizeof other);
        before += other;
    }
    for (size_t i = 0; i < drawn->births; i++)
        drawn->birth[i].message += before;
}

static int take(struct pb_releases *releases, uint32_t superframe, struct pb_birth *birth, size_t room,
                size_t *count)
{
    struct part *part = (struct part *)releases;
    const size_t left = part->drawn.births - part->taken;

    (void)superframe;
    *count = left < room ? left : room;
    if (part->drawn_code)
        return part->drawn_code;
    if (*count)
        memcpy(birth, part->drawn.birth + part->taken, *count * sizeof *birth);
    part->taken += *count;
    return PB_OK;
}

static bool next(const struct pb_releases *releases, uint32_t *superframe)
{
    (void)releases;
    (void)superframe;
    return false;
}

/* ---- a superframe of a part */

static int reserve_report(struct part *part, size_t latencies)
{
    const size_t before = part->report_max;

    if (pb_make_room(&part->report, &part->report_max, sizeof *part->report + latencies * sizeof(uint64_t),
                     1))
        return PB_ERR_MEMORY;
    part->latency = (uint64_t *)(part->report + 1);
    if (part->report_max > before)
        memset((char *)part->report + before, 0, part->report_max - before);
    return PB_OK;
}

static int sum_up(struct part *part)
{
    const unsigned phases = part->parts->network.phases;
    size_t crossings, drops;
    const struct pb_crossing *crossing = pb_mover_crossings(part->mover, &crossings);
    const struct pb_drop *drop = pb_mover_drops(part->mover, &drops);
    struct pb_step_sums sums = {0};

    memset(part->latency, 0, part->report->sums.latencies * sizeof *part->latency);
    for (const struct pb_crossing *const end = crossing + crossings; crossing < end; crossing++) {
        if (!crossing->last)
            continue;
        const uint64_t life = pb_life_phases(phases, crossing->superframe, crossing->phase,
                                             crossing->release_superframe, crossing->release_phase);
        if (life >= UINT32_MAX || reserve_report(part, (size_t)life + 1))
            return PB_ERR_MEMORY;
        part->latency[life]++;
        sums.latencies = life >= sums.latencies ? (size_t)life + 1 : sums.latencies;
        sums.arrived++;
        sums.lives += life;
        sums.rest += phases - crossing->phase - 1;
    }
    for (const struct pb_drop *const end = drop + drops; drop < end; drop++) {
        sums.dropped++;
        sums.rest += phases - drop->phase - !drop->at_release;
        sums.lives += drop->at_release ? 0
                                       : pb_life_phases(phases, drop->superframe, drop->phase,
                                                        drop->release_superframe, drop->release_phase);
    }
    part->report->sums = sums;
    return PB_OK;
}

static void run_part(struct part *part, uint32_t superframe)
{
    struct pb_parts *parts = part->parts;

    if (parts->count > 1)
        draw(part, superframe);
    int code = pb_mover_step(part->mover, &part->report->diag);
    if (code == PB_OK && !parts->lists && sum_up(part))
        code =
            pb_fail(&part->report->diag, PB_ERR_MEMORY,
                    "machine: no memory for what arrives in superframe %" PRIu32 "; send less", superframe);
    struct report *const report = part->report;
    report->code = code;
    report->stats = *pb_mover_stats(part->mover);
    report->drawn = part->drawn;
    report->held = 0;
    for (uint32_t node = 0; node < part->nodes; node++)
        report->held += pb_mover_occupancy(part->mover)[node];
    tell(part, report, sizeof *report + report->sums.latencies * sizeof *part->latency);
}

/* ---- what all of them did */

static int merge_crossings(struct pb_parts *parts, const struct pb_handed *got)
{
    size_t count = 0, *const at = calloc(parts->count, sizeof *at);

    parts->crossings = 0;
    for (unsigned i = 0; i < parts->count; i++)
        count += got[i].count / sizeof *parts->crossing;
    if (!at || pb_make_room(&parts->crossing, &parts->crossings_max, count, sizeof *parts->crossing)) {
        free(at);
        return PB_ERR_MEMORY;
    }
    for (unsigned phase = 0; phase < parts->network.phases; phase++)
        for (unsigned i = 0; i < parts->count; i++) {
            const struct pb_crossing *const crossing = got[i].bytes;
            while (at[i] < got[i].count / sizeof *crossing && crossing[at[i]].phase == phase)
                parts->crossing[parts->crossings++] = crossing[at[i]++];
        }
    free(at);
    return PB_OK;
}

/* How many crossings come before a place in the order of time. */
static size_t crossings_before(const struct pb_parts *parts, unsigned phase, uint32_t from)
{
    size_t low = 0, high = parts->crossings;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct pb_crossing *const crossing = &parts->crossing[middle];
        if (crossing->phase < phase || (crossing->phase == phase && crossing->from < from))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_drop(struct pb_parts *parts, const struct pb_drop *drop, size_t crossings)
{
    struct pb_drop *const added = &parts->drop[parts->drops++];
    *added = *drop;
    added->crossings = (uint32_t)crossings;
}

static unsigned part_of(const struct pb_parts *parts, uint32_t node)
{
    unsigned at = 0;
    while (node >= parts->first[at + 1])
        at++;
    return at;
}

/* Those at a release of the phase, which are the first ones of it in each list: in the order of the releases,
 * which is that of the nodes where each part has drawn its own. */
static void add_drops_at_release(struct pb_parts *parts, const struct pb_handed *got, size_t *at,
                                 unsigned phase, size_t *birth)
{
    const size_t before = crossings_before(parts, phase, 0);

    for (unsigned i = 0; i < parts->count && parts->apart; i++) {
        const struct pb_drop *const drop = got[i].bytes;
        for (; at[i] < got[i].count / sizeof *drop && drop[at[i]].phase == phase && drop[at[i]].at_release;
             at[i]++)
            add_drop(parts, &drop[at[i]], before);
    }
    for (; *birth < parts->births && parts->birth[*birth].phase == phase && !parts->apart; ++*birth) {
        const unsigned i = part_of(parts, parts->birth[*birth].source);
        const struct pb_drop *const drop = got[i].bytes;
        if (at[i] < got[i].count / sizeof *drop && drop[at[i]].at_release &&
            drop[at[i]].message == parts->birth[*birth].message)
            add_drop(parts, &drop[at[i]++], before);
    }
}

static int compare_crossings(const void *left, const void *right)
{
    const uint32_t a = ((const struct pb_drop *)left)->crossings,
                   b = ((const struct pb_drop *)right)->crossings;
    return (a > b) - (a < b);
}

/* Those of received messages: each after the crossing that brought it. */
static void add_drops_of_phase(struct pb_parts *parts, const struct pb_handed *got, size_t *at,
                               unsigned phase)
{
    const struct pb_network *network = &parts->network;
    const size_t begin = parts->drops;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct pb_drop *const drop = got[i].bytes;
        for (; at[i] < got[i].count / sizeof *drop && drop[at[i]].phase == phase; at[i]++) {
            const uint32_t node = drop[at[i]].node;
            const unsigned port = pb_network_slot(network, node, phase).port;
            add_drop(parts, &drop[at[i]],
                     crossings_before(parts, phase, pb_network_neighbour(network, node, port)) + 1);
        }
    }
    if (parts->drops > begin)
        qsort(parts->drop + begin, parts->drops - begin, sizeof *parts->drop, compare_crossings);
}

static int merge_drops(struct pb_parts *parts, const struct pb_handed *got)
{
    size_t count = 0, birth = 0, *const at = calloc(parts->count, sizeof *at);

    parts->drops = 0;
    for (unsigned i = 0; i < parts->count; i++)
        count += got[i].count / sizeof *parts->drop;
    if (!at || pb_make_room(&parts->drop, &parts->drops_max, count, sizeof *parts->drop)) {
        free(at);
        return PB_ERR_MEMORY;
    }
    for (unsigned phase = 0; phase < parts->network.phases && count; phase++) {
        add_drops_at_release(parts, got, at, phase, &birth);
        add_drops_of_phase(parts, got, at, phase);
    }
    free(at);
    return PB_OK;
}

/* Hands over the lists of a part; the first one of the process takes those of all. */
static int share_lists(struct part *part, bool takes)
{
    struct pb_parts *parts = part->parts;
    size_t count;
    const struct pb_crossing *crossing = pb_mover_crossings(part->mover, &count);
    int code = PB_OK;

    tell(part, crossing, count * sizeof *crossing);
    if (takes)
        code = merge_crossings(parts, part->got);
    const struct pb_drop *drop = pb_mover_drops(part->mover, &count);
    tell(part, drop, count * sizeof *drop);
    return takes && code == PB_OK ? merge_drops(parts, part->got) : code;
}

static void *work(void *context)
{
    struct part *part = context;
    struct pb_parts *parts = part->parts;

    for (uint64_t step = 1;; step++) {
        pthread_mutex_lock(&parts->lock);
        while (parts->starts < step && !parts->ends)
            pthread_cond_wait(&parts->started, &parts->lock);
        const bool ends = parts->ends;
        pthread_mutex_unlock(&parts->lock);
        if (ends)
            return NULL;
        run_part(part, parts->superframe);
        if (parts->lists)
            share_lists(part, false);
    }
}

static void start(struct pb_parts *parts, bool ends)
{
    pthread_mutex_lock(&parts->lock);
    parts->starts++;
    parts->ends = ends;
    pthread_cond_broadcast(&parts->started);
    pthread_mutex_unlock(&parts->lock);
}

static int add_latencies(struct pb_parts *parts, const uint64_t *latency, size_t count)
{
    const size_t before = parts->latencies_max;

    if (pb_make_room(&parts->latency, &parts->latencies_max, count, sizeof *parts->latency))
        return PB_ERR_MEMORY;
    if (parts->latencies_max > before)
        memset(parts->latency + before, 0, (parts->latencies_max - before) * sizeof *parts->latency);
    for (size_t i = 0; i < count; i++)
        parts->latency[i] += latency[i];
    return PB_OK;
}

/* Adds the reports up; the code and the diagnostic are those of the first part that failed. */
static int take_reports(struct pb_parts *parts, const struct pb_handed *got, uint64_t *held,
                        struct pb_diag *diag)
{
    struct pb_drawn drawn = {0};
    int code = PB_OK;

    if (parts->sums.latencies)
        memset(parts->latency, 0, parts->sums.latencies * sizeof *parts->latency);
    parts->stats = (struct pb_mover_stats){0};
    parts->sums = (struct pb_step_sums){0};
    *held = 0;
    for (unsigned i = 0; i < parts->count && code == PB_OK; i++) {
        const struct report *const report = got[i].bytes;
        const struct pb_step_sums *const sums = &report->sums;
        code = report->code;
        if (code && diag)
            *diag = report->diag;
        pb_mover_add_stats(&parts->stats, &report->stats);
        *held += report->held;
        drawn.births += report->drawn.births;
        drawn.offered += report->drawn.offered;
        drawn.local += report->drawn.local;
        drawn.unreachable += report->drawn.unreachable;
        drawn.instants += report->drawn.instants;
        parts->sums.arrived += sums->arrived;
        parts->sums.dropped += sums->dropped;
        parts->sums.lives += sums->lives;
        parts->sums.rest += sums->rest;
        if (code == PB_OK && add_latencies(parts, (const uint64_t *)(report + 1), sums->latencies))
            code = pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for latencies; send less");
        parts->sums.latencies =
            sums->latencies > parts->sums.latencies ? sums->latencies : parts->sums.latencies;
    }
    parts->sums.latency = parts->latency;
    if (parts->apart)
        pb_traffic_add_drawn(parts->traffic, &drawn);
    return code;
}

int pb_parts_step(struct pb_parts *parts, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct part *const part = parts->part;
    int code = PB_OK;

    if (parts->count > 1 && !parts->apart) /* each takes its own */
        code = pb_engine_fetch(parts->source, superframe, &parts->birth, &parts->births, &parts->births_max);
    if (code)
        return code == PB_ERR_MEMORY
                   ? pb_fail(diag, code, "machine: no memory for releases; give fewer nodes")
                   : code;
    parts->superframe = superframe;
    if (parts->here > 1)
        start(parts, false);
    run_part(part, superframe);
    *out = (struct pb_step){0};
    code = take_reports(parts, part->got, &out->held, diag);
    if (!parts->lists) {
        out->sums = &parts->sums;
        return code;
    }
    if (parts->count == 1) {
        out->crossing = pb_mover_crossings(part->mover, &out->crossings);
        out->drop = pb_mover_drops(part->mover, &out->drops);
        return code;
    }
    const int merged = share_lists(part, true);
    out->crossing = parts->crossing;
    out->crossings = parts->crossings;
    out->drop = parts->drop;
    out->drops = parts->drops;
    return code || !merged ? code : pb_fail(diag, merged, "machine: no memory for crossings; send less");
}

/* ---- between superframes, where all threads wait */

/* What each part has, for all: those of the process are set. */
static void gather(const struct pb_parts *parts, struct pb_handed *of)
{
    struct part *const part = parts->part;

    if (!parts->ranks)
        return;
    tell(part, of[part->own].bytes, of[part->own].count);
    memcpy(of, part->got, parts->count * sizeof *of);
}

const struct pb_mover_stats *pb_parts_stats(const struct pb_parts *parts)
{
    return &parts->stats;
}

void pb_parts_loads(const struct pb_parts *parts, uint32_t *load)
{
    const size_t ports = parts->network.ports;

    for (unsigned i = 0; i < parts->here; i++)
        pb_mover_loads(parts->part[i].mover, load + parts->part[i].first * ports);
    if (!parts->ranks)
        return;
    const struct part *const part = parts->part;
    tell(parts->part, load + part->first * ports, part->nodes * ports * sizeof *load);
    for (unsigned i = 0; i < parts->count; i++)
        if (i != part->own)
            memcpy(load + parts->first[i] * ports, part->got[i].bytes, part->got[i].count);
}

struct waiting {
    struct held {
        struct pb_crossing message;
        uint32_t node;
    } * held;
    size_t count, most;
    bool failed;
};

static void keep_waiting(void *context, uint32_t node, const struct pb_crossing *message)
{
    struct waiting *waiting = context;
    if (waiting->failed ||
        pb_make_room(&waiting->held, &waiting->most, waiting->count + 1, sizeof *waiting->held))
        waiting->failed = true;
    else
        waiting->held[waiting->count++] = (struct held){*message, node};
}

void pb_parts_waiting(const struct pb_parts *parts, pb_waiting_fn *visit, void *context)
{
    struct part *const part = parts->part;
    struct waiting waiting = {0};

    for (unsigned i = 0; i < parts->here; i++)
        pb_mover_waiting(parts->part[i].mover, visit, context);
    if (!parts->ranks)
        return;
    pb_mover_waiting(part->mover, keep_waiting, &waiting);
    tell(part, waiting.held, waiting.failed ? 0 : waiting.count * sizeof *waiting.held);
    for (unsigned i = 0; i < parts->count; i++) {
        const struct held *const held = part->got[i].bytes;
        for (size_t k = 0; i != part->own && k < part->got[i].count / sizeof *held; k++)
            visit(context, held[k].node, &held[k].message);
    }
    free(waiting.held);
}

int pb_parts_save(struct pb_parts *parts, uint8_t **bytes, size_t *count)
{
    struct pb_handed *const saved = calloc(parts->count, sizeof *saved);
    uint8_t **const own = calloc(parts->here, sizeof *own);
    int code = saved && own ? PB_OK : PB_ERR_MEMORY;

    *bytes = NULL;
    *count = 0;
    for (unsigned i = 0; i < parts->here && code == PB_OK; i++) {
        struct pb_handed *const of = &saved[parts->part[i].own];
        code = pb_mover_save(parts->part[i].mover, &own[i], (size_t *)&of->count);
        of->bytes = own[i];
    }
    if (code == PB_OK) {
        gather(parts, saved);
        code = pb_mover_join(saved, parts->count, bytes, count);
    }
    for (unsigned i = 0; own && i < parts->here; i++)
        free(own[i]);
    free(own);
    free(saved);
    return code;
}

/* Of a run that goes on: before its first report. */
static void add_stats(struct pb_parts *parts)
{
    struct pb_mover_stats own = {0};

    for (unsigned i = 0; i < parts->here; i++)
        pb_mover_add_stats(&own, pb_mover_stats(parts->part[i].mover));
    parts->stats = own;
    if (!parts->ranks)
        return;
    tell(parts->part, &own, sizeof own);
    parts->stats = (struct pb_mover_stats){0};
    for (unsigned i = 0; i < parts->count; i++)
        pb_mover_add_stats(&parts->stats, parts->part->got[i].bytes);
}

int pb_parts_load(struct pb_parts *parts, const uint8_t *bytes, size_t count, uint32_t superframe)
{
    for (unsigned i = 0; i < parts->here; i++) {
        struct pb_mover *const mover = parts->part[i].mover;
        const int code = pb_mover_load(mover, bytes, count);
        if (code || pb_mover_superframe(mover) != superframe)
            return code ? code : PB_ERR_CONFIG;
    }
    add_stats(parts);
    return PB_OK;
}

/* ---- all of them */

static int make_part(struct part *part, const struct pb_engine_options *options,
                     const struct pb_flow_room *room)
{
    struct pb_parts *parts = part->parts;
    const struct pb_mover_part of = {parts->first, parts->count, part->own, exchange, part};

    part->releases = (struct pb_releases){take, next, NULL};
    part->first = parts->first[part->own];
    part->nodes = parts->first[part->own + 1] - part->first;
    part->over = calloc(parts->count, sizeof *part->over);
    part->got = calloc(parts->count, sizeof *part->got);
    if (!part->over || !part->got || reserve_report(part, 0))
        return PB_ERR_MEMORY;
    return pb_mover_create(&part->mover,
                           &(struct pb_mover_options){.network = options->network,
                                                      .rule = options->rule,
                                                      .room = room,
                                                      .rooms = room ? options->network->nodes : 0,
                                                      .crossings = true,
                                                      .of_rooms = !options->all,
                                                      .loads = true,
                                                      .part = parts->count > 1 ? &of : NULL},
                           parts->count > 1 ? &part->releases : parts->source);
}

static int make_parts(struct pb_parts *parts, const struct pb_engine_options *options)
{
    const uint32_t nodes = parts->network.nodes;
    const bool rooms = options->room || options->room_port;
    struct pb_flow_room *const room = rooms ? calloc(nodes, sizeof *room) : NULL;
    int code = room || !rooms ? PB_OK : PB_ERR_MEMORY;

    for (uint32_t node = 0; room && node < nodes; node++)
        room[node] =
            (struct pb_flow_room){.node = node, .in_all = options->room, .per_dimension = options->room_port};
    for (unsigned i = 0; i <= parts->count; i++)
        parts->first[i] = (uint32_t)((uint64_t)nodes * i / parts->count);
    for (unsigned i = 0; i < parts->here && code == PB_OK; i++) {
        parts->part[i].parts = parts;
        parts->part[i].own = parts->begin + i;
        code = make_part(&parts->part[i], options, room);
    }
    free(room);
    return code;
}

static int start_threads(struct pb_parts *parts)
{
    if (parts->here == 1)
        return PB_OK;
    if (pthread_barrier_init(&parts->meeting, NULL, parts->here))
        return PB_ERR_MEMORY;
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->started, NULL);
    parts->threads = true;
    for (unsigned i = 1; i < parts->here; i++) {
        if (pthread_create(&parts->part[i].thread, NULL, work, &parts->part[i]))
            return PB_ERR_MEMORY;
        parts->part[i].runs = true;
    }
    return PB_OK;
}

int pb_parts_create(struct pb_parts **out, const struct pb_engine_options *options)
{
    const struct pb_machine_ranks *const ranks = options->ranks;
    struct pb_parts *parts = *out = calloc(1, sizeof *parts);

    if (!parts)
        return PB_ERR_MEMORY;
    parts->network = *options->network;
    parts->source = options->releases;
    parts->traffic = options->traffic;
    parts->ranks = ranks;
    parts->lists = !options->sums;
    parts->count = ranks ? ranks->count : pb_machine_parts(options->network, options->threads);
    parts->begin = ranks ? ranks->own : 0;
    parts->here = ranks ? 1 : parts->count;
    parts->apart = parts->count > 1 && parts->traffic && pb_traffic_is_apart(parts->traffic);
    parts->first = calloc(parts->count + 1, sizeof *parts->first);
    parts->part = calloc(parts->here, sizeof *parts->part);
    const size_t handed = ranks ? 1 : (size_t)parts->count * parts->count;
    parts->handed[0] = calloc(handed, sizeof *parts->handed[0]);
    parts->handed[1] = calloc(handed, sizeof *parts->handed[1]);
    const bool made = parts->first && parts->part && parts->handed[0] && parts->handed[1];
    if (made && !make_parts(parts, options) && !start_threads(parts))
        return PB_OK;
    pb_parts_free(parts);
    *out = NULL;
    return PB_ERR_MEMORY;
}

static void end_threads(struct pb_parts *parts)
{
    start(parts, true);
    for (unsigned i = 1; i < parts->here; i++)
        if (parts->part[i].runs)
            pthread_join(parts->part[i].thread, NULL);
    pthread_cond_destroy(&parts->started);
    pthread_mutex_destroy(&parts->lock);
    pthread_barrier_destroy(&parts->meeting);
}

void pb_parts_free(struct pb_parts *parts)
{
    if (!parts)
        return;
    if (parts->threads)
        end_threads(parts);
    for (unsigned i = 0; parts->part && i < parts->here; i++) {
        struct part *const part = &parts->part[i];
        pb_mover_free(part->mover);
        pb_traffic_free_drawn(&part->drawn);
        free(part->report);
        free(part->over);
        free(part->got);
    }
    free(parts->part);
    free(parts->first);
    free(parts->handed[0]);
    free(parts->handed[1]);
    free(parts->birth);
    free(parts->latency);
    free(parts->crossing);
    free(parts->drop);
    free(parts);
}
