/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "regress_cases.h"
#include "procedure.h"

#include "phasebench/error.h"
#include "phasebench/fault.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST = 1,       /* superframes of load before a fault */
    SPAN = 4,        /* superframes in which a fault may be */
    LAST = 2,        /* superframes of load after it */
    ROOM = 32,       /* messages that every node has room for (F10) */
    DROPS = 8,       /* messages, at least, for which a full node has no room */
    SEQUENCES = 20,  /* own messages: more than the 16 numbers of the sequence */
    BIRTHS = 4,      /* least number of messages that distinguish the two rules */
    BIRTH_EVERY = 4  /* of the own messages: one is such a message */
};

/* A case in the making. */
struct maker {
    FILE *stream;
    const struct pb_regress_node *node;
    const char *fault;  /* kind of the fault that it injects; NULL: none */
    const char *amount; /* more keys of the fault */
    unsigned turns;     /* repetitions that show all that the fault varies; 0: once on each link is enough */
    bool in_own;        /* a fault of the clock: in a phase in which the node sends a frame */
    uint64_t draw;
    char reason[200]; /* not "": the case does not fit */
};

static uint32_t neighbour(const struct maker *maker, unsigned dimension)
{
    return maker->node->address ^ UINT32_C(1) << dimension;
}

static void message(const struct maker *maker, uint32_t from, uint32_t to, unsigned superframe)
{
    fprintf(maker->stream, "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %u}\n", from, to,
            superframe);
}

static unsigned own_every(const struct maker *maker)
{
    return procedure_own_every(2 * maker->node->dims);
}

/* The messages of `pattern: complement` that cross the node. In dimension order a message has crossed the
 * dimensions below d before it crosses d, so it began at the address with these bits inverted. The first one,
 * d = 0, is the node's own. 0: repeats for ever. */
static void full_load(const struct maker *maker, unsigned first, unsigned repeat)
{
    const uint32_t all = (UINT32_C(1) << maker->node->dims) - 1;
    for (unsigned d = maker->node->mute; d <= maker->node->dims; d++) {
        const uint32_t from = maker->node->address ^ ((UINT32_C(1) << d) - 1);
        const unsigned every = d ? 1 : own_every(maker);
        fprintf(maker->stream,
                "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %u, every: %u, repeat: ", from,
                from ^ all, first && !d ? first + every - 1 : first, every);
        fprintf(maker->stream, repeat ? "%u}\n" : "forever}\n", (repeat + every - 1) / every);
    }
}

/* ---- traffic */

static void refuse_mute(struct maker *maker)
{
    if (maker->node->mute)
        snprintf(maker->reason, sizeof maker->reason, "it has messages of the node: --no-console");
}

/* The phase after the one in which the node, and each neighbour but that on this dimension, sends there. */
static unsigned after_own(const struct maker *maker, unsigned dimension)
{
    return 2 * dimension + (maker->node->address >> dimension & 1) + 1;
}

/* A dimension from `least` on. */
static unsigned drawn_from(struct maker *maker, unsigned least)
{
    return least + (unsigned)(pb_splitmix64(&maker->draw) % (maker->node->dims - least));
}

static void message_at(const struct maker *maker, uint32_t from, uint32_t to, unsigned superframe,
                       unsigned phase)
{
    fprintf(maker->stream, "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %u, phase: %u}\n", from,
            to, superframe, phase);
}

/* A message that is born after the phase of the lower of two dimensions that it wants: by one rule it leaves
 * on the higher one in this superframe, by the other on the lower one in the next. */
static void birth(struct maker *maker, unsigned low, unsigned superframe)
{
    message_at(maker, maker->node->address,
               neighbour(maker, low) ^ UINT32_C(1) << drawn_from(maker, low + 1), superframe,
               after_own(maker, low));
}

/* To each neighbour, and between them to nodes that are two links away. */
static void own_messages(struct maker *maker)
{
    const unsigned dims = maker->node->dims;
    refuse_mute(maker);
    for (unsigned i = 0; i < SEQUENCES; i++)
        if (dims > 1 && i % BIRTH_EVERY == BIRTH_EVERY - 1)
            birth(maker, i / BIRTH_EVERY % (dims - 1), i * own_every(maker));
        else
            message(maker, maker->node->address, neighbour(maker, (i - i / BIRTH_EVERY) % dims),
                    i * own_every(maker));
}

static void dimensions(struct maker *maker)
{
    refuse_mute(maker);
    for (unsigned d = 0; d < maker->node->dims; d++) {
        for (unsigned other = 0; other < maker->node->dims; other++)
            message(maker, neighbour(maker, other), maker->node->address, d * own_every(maker));
        message(maker, maker->node->address, neighbour(maker, d), d * own_every(maker));
    }
}

/* Of every pair of links a < b: dimension order crosses a first. Each link is used once in a superframe. */
static void forwarding(struct maker *maker)
{
    const unsigned dims = maker->node->dims;
    if (dims < 2)
        snprintf(maker->reason, sizeof maker->reason, "a node of one dimension forwards nothing");
    for (unsigned step = 1; step < dims; step++)
        for (unsigned a = 0; a + step < dims; a++)
            message(maker, neighbour(maker, a), neighbour(maker, a + step), step - 1);
}

static void full(struct maker *maker)
{
    full_load(maker, 0, 8);
}

static void permutation(struct maker *maker)
{
    refuse_mute(maker);
    fprintf(maker->stream, "  - {pattern: perm:%" PRIu32 ", superframe: 0}\n",
            (uint32_t)pb_splitmix64(&maker->draw));
    fprintf(maker->stream, "  - {pattern: perm:%" PRIu32 ", superframe: 8}\n",
            (uint32_t)pb_splitmix64(&maker->draw));
    full_load(maker, 16, 1); /* a permutation may pass by the node */
}

static void births_of_own(struct maker *maker)
{
    const unsigned dims = maker->node->dims, births = dims > BIRTHS ? dims - 1 : BIRTHS;
    for (unsigned i = 0; i < births; i++)
        birth(maker, i % (dims - 1), FIRST + i * own_every(maker));
}

/* Messages of neighbours that come in between the phases of two dimensions that they want. In dimension order
 * none does: there the first of two messages for a link takes its phase, and the second must not leave on
 * another. */
static void births_of_others(struct maker *maker, bool any_order)
{
    const unsigned dims = maker->node->dims, least = any_order ? 3 : 4;
    if (dims < least)
        snprintf(maker->reason, sizeof maker->reason,
                 "without messages of the node a cube of %u dimensions does not show its rule", dims);
    for (unsigned i = 0; dims >= least && i < BIRTHS; i++) {
        const unsigned low = i % (dims + 1 - least), next = low + 1,
                       high = drawn_from(maker, low + least - 1);
        const uint32_t end = UINT32_C(1) << high;
        if (any_order)
            message_at(maker, neighbour(maker, next), neighbour(maker, low) ^ end, 2 * i,
                       after_own(maker, low));
        else {
            message(maker, neighbour(maker, low), neighbour(maker, low + 2), 2 * i);
            message(maker, neighbour(maker, next), neighbour(maker, low + 2) ^ end, 2 * i);
        }
    }
}

static void other_rule(struct maker *maker)
{
    const char *rule = maker->node->rule;
    if (maker->node->mute)
        births_of_others(maker, !rule || strcmp(rule, "opportunistic") != 0);
    else if (maker->node->dims < 2)
        full(maker);
    else {
        fprintf(maker->stream, "  - {pattern: perm:%" PRIu32 ", superframe: 0}\n",
                (uint32_t)pb_splitmix64(&maker->draw));
        births_of_own(maker);
    }
}

/* The most of these messages that wait at a time. In each superframe one comes on every other link, and then
 * one leaves. */
static unsigned waiting(const struct maker *maker, unsigned messages)
{
    const unsigned others = maker->node->dims - 1;
    return others ? messages - (messages + others - 1) / others + 1 : 0;
}

/* The most messages of which at most `most` wait at a time. */
static unsigned crowd_that_fits(const struct maker *maker, unsigned most)
{
    unsigned messages = most;
    while (maker->node->dims > 2 && waiting(maker, messages + 1) <= most)
        messages++;
    return messages;
}

/* Every other link brings messages for the highest dimension: they wait in one queue. */
static void crowd(struct maker *maker, unsigned messages)
{
    const unsigned last = maker->node->dims - 1;
    if (maker->node->dims < 3)
        snprintf(maker->reason, sizeof maker->reason,
                 "a node of %u dimensions has no queue: one message comes for each that leaves",
                 maker->node->dims);
    for (unsigned i = 0; last && i < messages; i++)
        message(maker, neighbour(maker, i % last), neighbour(maker, last), i / last);
}

static void queue_order(struct maker *maker)
{
    crowd(maker, 2 * (maker->node->dims - 1));
    if (!maker->node->mute) /* between those that wait and those that come later (F9) */
        message(maker, maker->node->address, neighbour(maker, maker->node->dims - 1), 1);
}

static void queue_overflow(struct maker *maker)
{
    crowd(maker, crowd_that_fits(maker, maker->node->room + DROPS));
}

static void queue_depth(struct maker *maker)
{
    crowd(maker, crowd_that_fits(maker, ROOM));
}

static void soak(struct maker *maker)
{
    full_load(maker, 0, 0);
    fprintf(maker->stream, "superframes: %" PRIu64 "\n", maker->node->soak / maker->node->dims + 1);
}

/* ---- faults */

static void begin_fault(const struct maker *maker, unsigned superframe)
{
    fprintf(maker->stream, "  - {kind: %s, superframe: %u", maker->fault, superframe);
}

static void end_fault(const struct maker *maker, const char *more)
{
    fprintf(maker->stream, "%s%s%s%s}\n", maker->amount ? ", " : "", maker->amount ? maker->amount : "",
            *more ? ", " : "", more);
}

static void place_on_line(const struct maker *maker, unsigned dimension, bool sends)
{
    const unsigned bit = maker->node->address >> dimension & 1;
    fprintf(maker->stream, ", node: 0x%" PRIX32 ", dimension: %u, phase: %u", maker->node->address, dimension,
            2 * dimension + (sends ? bit : !bit));
}

/* The clock twice, in different phases. What lasts to the end of the run is there once. */
static void clock_faults(struct maker *maker)
{
    const struct pb_fault_info *info = pb_fault_by_id(maker->fault);
    const bool lasts = info->kind == PB_FAULT_JITTER || info->kind == PB_FAULT_DRIFT,
               placed = !lasts && info->kind != PB_FAULT_MISSING_SYNC;
    const unsigned dims = maker->node->dims, from = (unsigned)(pb_splitmix64(&maker->draw) % (2 * dims - 1));
    for (unsigned i = 0; i < (lasts ? 1 : 2); i++) {
        unsigned phase = (from + i * dims) % (2 * dims - 1) + 1;
        if (maker->in_own && phase < 2 && dims > 1) /* not in every superframe */
            phase += 2;
        const bool is_own = (maker->node->address >> phase / 2 & 1) == phase % 2;
        if (info->kind == PB_FAULT_EXTRA_EDGE && is_own != maker->in_own)
            phase ^= 1;
        begin_fault(maker, FIRST + i * SPAN / 2 + (unsigned)(pb_splitmix64(&maker->draw) % (SPAN / 2)));
        if (placed)
            fprintf(maker->stream, ", phase: %u", phase);
        end_fault(maker, "");
    }
}

/* On each link once, apart in time: the units of a core are few. */
static void line_faults(struct maker *maker)
{
    const unsigned kind = pb_fault_by_id(maker->fault)->kind;
    /* What the node sends on dimension 0 are its own messages, which are not in every superframe. */
    const bool sends = kind == PB_FAULT_SECOND_DRIVER && maker->node->dims > 1;
    const uint64_t draw = pb_splitmix64(&maker->draw);
    for (unsigned d = sends; d < maker->node->dims; d++) {
        char bytes[24] = "";
        if (kind == PB_FAULT_BABBLE && (d + draw) % 2) /* the others have as many as a frame */
            snprintf(bytes, sizeof bytes, "bytes: %u", 1 + (unsigned)(pb_splitmix64(&maker->draw) % 3));
        begin_fault(maker, FIRST + (unsigned)((d + draw / 2) % SPAN));
        place_on_line(maker, d, sends);
        end_fault(maker, bytes);
    }
}

/* Frames into every link, in turn to be sent on and for the node itself. */
static void mixed_load(const struct maker *maker, unsigned superframes)
{
    const uint32_t all = (UINT32_C(1) << maker->node->dims) - 1, here = maker->node->address;
    if (!maker->node->mute)
        fprintf(maker->stream, "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", every: %u, repeat: %u}\n", here,
                here ^ all, own_every(maker), (superframes + own_every(maker) - 1) / own_every(maker));
    for (unsigned d = 0; d < maker->node->dims; d++) {
        const uint32_t from = here ^ ((UINT32_C(2) << d) - 1);
        fprintf(maker->stream, "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", every: 2, repeat: %u}\n", from,
                from ^ all, (superframes + 1) / 2);
        fprintf(maker->stream,
                "  - {from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: 1, every: 2, repeat: %u}\n",
                neighbour(maker, d), here, superframes / 2);
    }
}

/* Every frame into the node, for as many superframes as show all that varies. */
static void frame_faults(struct maker *maker, unsigned superframes)
{
    const unsigned first = FIRST + (unsigned)(pb_splitmix64(&maker->draw) % 2);
    char repeat[24];
    mixed_load(maker, first + superframes + LAST);
    fputs("faults:\n", maker->stream);
    snprintf(repeat, sizeof repeat, "repeat: %u", superframes);
    for (unsigned d = 0; d < maker->node->dims; d++) {
        begin_fault(maker, first);
        place_on_line(maker, d, false);
        end_fault(maker, repeat);
    }
}

/* The traffic, with the fault where it has an effect: as the faults of a scenario that is the same without
 * it. */
static void with_fault(struct maker *maker)
{
    const struct pb_fault_info *info = pb_fault_by_id(maker->fault);
    const bool quiet = info->kind == PB_FAULT_BABBLE || info->kind == PB_FAULT_GLITCH;
    if (maker->turns) {
        const unsigned dims = maker->node->dims, enough = (maker->turns + dims - 1) / dims;
        frame_faults(maker, enough > 2 ? enough : 2);
        return;
    }
    full_load(maker, 0, quiet ? FIRST : FIRST + SPAN + LAST);
    if (quiet)
        full_load(maker, FIRST + SPAN, LAST);
    fputs("faults:\n", maker->stream);
    if (info->place == PB_FAULT_ON_CLOCK)
        clock_faults(maker);
    else
        line_faults(maker);
}

/* Each bit of the check value on each link, and each other bit once (host/plan/spoil.c). */
static void wrong_bits(struct maker *maker)
{
    const bool starc = maker->node->link && strstr(maker->node->link, "starc");
    const unsigned check = starc ? 16 : 8, others = starc ? 80 : 64, dims = maker->node->dims;
    frame_faults(maker, 1 + check + (others + others / 7 + dims - 1) / dims);
}

/* Each phase but 0 once, one a superframe (P2). A node of one dimension has one: twice. */
static void sync_in_each_phase(struct maker *maker)
{
    const unsigned phases = 2 * maker->node->dims - 1, faults = phases > 1 ? phases : 2;
    const uint64_t draw = pb_splitmix64(&maker->draw);
    full_load(maker, 0, FIRST + faults + LAST);
    fputs("faults:\n", maker->stream);
    for (unsigned i = 0; i < faults; i++) {
        begin_fault(maker, FIRST + i);
        fprintf(maker->stream, ", phase: %u", 1 + (unsigned)((draw + i) % phases));
        end_fault(maker, "");
    }
}

/* The first superframe begins without SYNC: a node may not begin before the second, although it has a message
 * for each link from the start. */
static void late_sync(struct maker *maker)
{
    for (unsigned d = 0; !maker->node->mute && d < maker->node->dims; d++)
        message(maker, maker->node->address, neighbour(maker, d), 0);
    full_load(maker, 1, 4);
    fputs("faults:\n  - {kind: missing_sync, superframe: 0}\n", maker->stream);
}

/* Messages wait for one link while the clock fails, and leave in order (F14). The node's own ones are typed
 * before the clock starts: a line typed while an edge is missing may come before or after the last frame. */
static void queue_at_fault(struct maker *maker)
{
    const unsigned kind = pb_fault_by_id(maker->fault)->kind;
    crowd(maker, 2 * (FIRST + SPAN)); /* more than leave until the last place of the fault */
    for (unsigned i = 0; !maker->node->mute && i < FIRST + SPAN + 1; i++)
        message(maker, maker->node->address, neighbour(maker, maker->node->dims - 1), 0);
    fputs("faults:\n", maker->stream);
    if (kind != PB_FAULT_MISSING_SYNC)
        clock_faults(maker);
    else {
        begin_fault(maker, FIRST + (unsigned)(pb_splitmix64(&maker->draw) % SPAN));
        end_fault(maker, "");
    }
}

static void outside(struct maker *maker)
{
    full_load(maker, 1, 6);
}

/* ---- the table */

struct kind {
    const char *name, *purpose;
    void (*traffic)(struct maker *maker);
    const char *fault, *amount;
    unsigned turns;
    const char *link, *node, *top; /* more keys of these mappings; link replaces keys of the command line */
    const char *link_12;           /* of link, where all address bits are used */
    const char *rule;
    bool variant, in_own;
};

#define TRAFFIC(make, says) .purpose = says, .traffic = make
#define FAULT(id, says) .purpose = says, .traffic = with_fault, .fault = id

/* The place in the table is part of what is drawn from a seed: a new case goes to the end. */
static const struct kind kinds[] = {
    {"own-messages", TRAFFIC(own_messages, "20 own messages, on every dimension and by the rule")},
    {"dimensions", TRAFFIC(dimensions, "messages for and from the node, on every dimension")},
    {"forwarding", TRAFFIC(forwarding, "a message between every pair of links")},
    {"full-load", TRAFFIC(full, "every link used in both directions in each superframe")},
    {"permutation", TRAFFIC(permutation, "two random permutations: queues of every length")},
    {"queue-order", TRAFFIC(queue_order, "messages of all links wait for one link, and leave in order")},
    {"queue-depth", TRAFFIC(queue_depth, "32 messages wait for one link")},
    {"queue-overflow", TRAFFIC(queue_overflow, "more messages for one link than the node has room for"),
     .top = "limits: {overflow: drop}"},
    {"start-late-sync", TRAFFIC(late_sync, "the clock starts without SYNC, with a message for each link")},
    {"start-running-clock", TRAFFIC(outside, "the clock of another controller runs before the node starts"),
     .top = "clock: {source: external}"},
    {"clock-outside-fast", TRAFFIC(outside, "another controller, 100 ppm fast, with jitter"),
     .top = "clock: {source: external, error: 100 ppm, jitter: 200 ns}"},
    {"clock-outside-slow", TRAFFIC(outside, "another controller, 100 ppm slow, with jitter"),
     .top = "clock: {source: external, error: -100 ppm, jitter: 200 ns}"},
    {"clock-jitter", FAULT("jitter", "every edge up to 200 ns late"), .amount = "amount: 200 ns"},
    {"clock-drift-fast", FAULT("drift", "every phase too short")},
    {"clock-drift-slow", FAULT("drift", "every phase 1000 ppm long"), .amount = "ppm: -1000 ppm"},
    {"clock-late-edge", FAULT("late_edge", "one edge late")},
    {"clock-early-edge", FAULT("early_edge", "one edge early")},
    {"clock-missing-edge", FAULT("missing_edge", "an edge is missing")},
    {"clock-extra-edge-receiving", FAULT("extra_edge", "an edge within a phase in which the node listens")},
    {"clock-extra-edge-sending", FAULT("extra_edge", "an edge within a phase in which the node sends"),
     .in_own = true},
    {"sync-missing", FAULT("missing_sync", "SYNC is missing")},
    {"sync-extra", TRAFFIC(sync_in_each_phase, "SYNC in each phase but 0"), .fault = "extra_sync"},
    {"frame-wrong-bytes", TRAFFIC(wrong_bits, "frames with wrong bits are dropped"), .fault = "wrong_bytes"},
    {"frame-framing", FAULT("framing", "frames with a low stop bit are dropped"), .amount = "bytes: auto",
     .turns = 10},
    {"frame-baud-fast", FAULT("baud", "a frame 4 % fast"), .amount = "ppm: 40000 ppm"},
    {"frame-baud-slow", FAULT("baud", "a frame 4 % slow"), .amount = "ppm: -40000 ppm"},
    {"frame-early", FAULT("early_start", "a frame before the end of the head guard")},
    {"frame-late", FAULT("late_start", "a frame after the end of the head guard")},
    {"frame-short", FAULT("short_frame", "frames that lack bytes are dropped"), .amount = "bytes: auto",
     .turns = 8},
    {"frame-long", FAULT("long_frame", "bytes after the end of a frame"), .amount = "bytes: auto",
     .turns = 4, .link = "payload: 4 bytes"},
    {"frame-outside", FAULT("outside_address", "frames for addresses outside the cube are dropped"),
     .turns = 14, .link_12 = "codec: starc, payload: 6 bytes, phase_rate: 5 kHz", .variant = true},
    {"frame-babble", FAULT("babble", "bytes on a quiet line")},
    {"line-stuck-low", FAULT("stuck_low", "a line held low for a phase")},
    {"line-open", FAULT("open", "a line cut for a phase")},
    {"line-glitch", FAULT("glitch", "a pulse on a quiet line")},
    {"line-slow-rise", FAULT("slow_rise", "a line that rises slowly")},
    {"line-second-driver", FAULT("second_driver", "another sender in the node's phase")},
    {"node-clock-fast", TRAFFIC(full, "the node's clock 100 ppm fast"), .node = "clock_error: 100 ppm",
     .variant = true},
    {"node-clock-slow", TRAFFIC(full, "the node's clock 100 ppm slow"), .node = "clock_error: -100 ppm",
     .variant = true},
    {"rule-other", TRAFFIC(other_rule, "the other routing rule"), .rule = "", .variant = true},
    {"codec-starc", TRAFFIC(full, "the StarC codec"),
     .link = "codec: starc, payload: 6 bytes, phase_rate: 5 kHz", .variant = true},
    {"frame-wrong-length", FAULT("wrong_length", "StarC frames with another length are dropped"),
     .turns = 12, .link = "codec: starc, payload: 6 bytes, phase_rate: 5 kHz", .variant = true},
    {"payload-least", TRAFFIC(full, "frames with a payload of one byte"), .link = "payload: 1 byte",
     .variant = true},
    {"link-slow", TRAFFIC(full, "200 kbaud at 2 kHz"),
     .link = "baud: 200 kbaud, phase_rate: 2 kHz, guard: 50 us", .variant = true},
    {"link-fast", TRAFFIC(full, "2 Mbaud at 20 kHz"),
     .link = "baud: 2 Mbaud, phase_rate: 20 kHz, guard: 10 us", .variant = true},
    {"drive-push-pull", TRAFFIC(full, "lines driven high while a frame lasts"), .link = "drive: push_pull",
     .variant = true},
    {"sync-missing-queue", TRAFFIC(queue_at_fault, "SYNC is missing while messages wait for one link"),
     .fault = "missing_sync"},
    {"soak", TRAFFIC(soak, "full load for the number of messages that --soak gives")},
    {"sync-extra-queue",
     TRAFFIC(queue_at_fault, "SYNC in another phase than 0 while messages wait for one link"),
     .fault = "extra_sync"},
    {"clock-missing-edge-queue",
     TRAFFIC(queue_at_fault, "an edge is missing while messages wait for one link"), .fault = "missing_edge"},
    {"clock-extra-edge-queue",
     TRAFFIC(queue_at_fault, "an edge within a phase while messages wait for one link"),
     .fault = "extra_edge"},
};

size_t regress_case_count(void)
{
    return sizeof kinds / sizeof kinds[0];
}

const char *regress_case_name(size_t index)
{
    return kinds[index].name;
}

const char *regress_case_purpose(size_t index)
{
    return kinds[index].purpose;
}

unsigned regress_room(const struct pb_scenario_node *node)
{
    return node->room ? node->room : node->room_per_dimension;
}

bool regress_case_applies(size_t index, const struct pb_regress_node *node)
{
    return (kinds[index].traffic != soak || node->soak) &&
           (kinds[index].traffic != queue_overflow || node->room);
}

/* ---- YAML */

/* True if the flow mapping "key: value, key: value" has this key. */
static bool has_key(const char *mapping, const char *key, size_t length)
{
    for (const char *at = mapping; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL) {
        at += strspn(at, " ,");
        if (!strncmp(at, key, length) && at[length] == ':')
            return true;
    }
    return false;
}

/* Writes the first mapping, and of the second the entries whose keys the first does not have. */
static void merge(FILE *stream, const char *first, const char *second)
{
    bool any = first != NULL;
    if (first)
        fputs(first, stream);
    while (second && *second) {
        second += strspn(second, " ,");
        const size_t length = strcspn(second, ",");
        if (length && !has_key(first, second, strcspn(second, ":")))
            any = fprintf(stream, "%s%.*s", any ? ", " : "", (int)length, second) > 0;
        second += length;
    }
}

/* A double-quoted YAML scalar. */
static void quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            fprintf(stream, "\\x%02X", (unsigned char)*text);
        else
            fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', stream);
}

static void head(struct maker *maker, const struct kind *kind, const char *name, uint64_t seed)
{
    const struct pb_regress_node *node = maker->node;
    const char *rule = kind->rule == NULL                                   ? node->rule
                       : node->rule && !strcmp(node->rule, "opportunistic") ? "ecube"
                                                                            : "opportunistic";
    fprintf(maker->stream,
            "# Made by phasebench regress: %s.\nname: %s\ndescription: \"%s\"\nseed: %" PRIu64 "\n",
            kind->purpose, name, kind->purpose, seed);
    fprintf(maker->stream, "cube: {dims: %u%s%s}\n", node->dims, rule ? ", rule: " : "", rule ? rule : "");
    const char *link = node->dims == PB_WIRE_ADDRESS_BITS && kind->link_12 ? kind->link_12 : kind->link;
    if (link || node->link) {
        fputs("link: {", maker->stream);
        merge(maker->stream, link, node->link);
        fputs("}\n", maker->stream);
    }
    if (kind->top)
        fprintf(maker->stream, "%s\n", kind->top);
    fprintf(maker->stream, "nodes:\n  - {address: 0x%" PRIX32 ", kind: ", node->address);
    quoted(maker->stream, node->kind);
    if (node->folder) {
        fputs(", folder: ", maker->stream);
        quoted(maker->stream, node->folder);
    }
    if (node->defect)
        fprintf(maker->stream, ", defect: %s", node->defect);
    if (kind->node || node->keys) {
        fputs(", ", maker->stream);
        merge(maker->stream, kind->node, node->keys);
    }
    fputs("}\ntraffic:\n", maker->stream);
}

int regress_case_make(struct regress_case *one, size_t index, const struct pb_regress_node *node,
                      uint64_t seed, unsigned number)
{
    const struct kind *kind = &kinds[index];
    struct maker maker = {.node = node,
                          .fault = kind->fault,
                          .amount = kind->amount,
                          .turns = kind->turns,
                          .in_own = kind->in_own,
                          .draw = seed ^ index << 32};
    size_t length;
    *one = (struct regress_case){.group = kind->name, .purpose = kind->purpose, .variant = kind->variant};
    snprintf(one->name, sizeof one->name, number > 1 ? "%s-%u" : "%s", kind->name, number);
    maker.stream = open_memstream(&one->text, &length);
    if (!maker.stream)
        return PB_ERR_MEMORY;
    /* Its lowest bit says whether Z or a reset clears the counters of a fault (host/plan/epilogue.c). It is
     * that of the number, so that the first of each case shows Z, whatever seed is given. */
    head(&maker, kind, one->name, ((seed + 2 * index) & ~UINT64_C(1)) | (number & 1));
    kind->traffic(&maker);
    const int failed = ferror(maker.stream);
    if (fclose(maker.stream) || failed) {
        free(one->text);
        one->text = NULL;
        return PB_ERR_MEMORY;
    }
    if (*maker.reason) {
        free(one->text);
        one->text = NULL;
        memcpy(one->reason, maker.reason, sizeof one->reason);
    }
    return PB_OK;
}
