/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decides when each of the nodes' own messages is typed.
 *
 * The movement puts a message m, released at phase R, after the messages that its node has received before R.
 * A console line does the same when the message enters its queue at any time t at which the outcome is the
 * same. With D the phase in which m leaves, that is:
 *
 *   - in each phase p before D in which m could have left (its node sends on a dimension that m wants):
 * another message left, and t is after that one came; or none left, and t is after p was decided;
 *   - t is before D is decided, and before the arrival of any message that wants the dimension of D, too,
 * came at or after R and is still there.
 *
 * When the node is nearly full, its room decides, too: then t lies between what happens before R and what
 * happens at or after R (a "strict" window).
 *
 * When a frame is lost to a fault, or by a broken node, m is still where the contract puts it if t lies
 * between what happens before R and the decision of R alone. That narrow window is tried first, where it is
 * one, and the one above when the consoles cannot keep the pace.
 *
 * When a node takes a byte, a frame or a decision is known within limits that depend on its kind (struct
 * habits). A message whose window has no lower limit is typed before the clock starts, as all of superframe
 * 0, phase 0 are, when nothing typed later has a lower sequence number.
 */
#include "bench/registry/kinds.h"
#include "host/base/room.h"
#include "host/plan/frame.h"
#include "host/plan/maker.h"
#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_BYTES = 8,    /* more than "+S F\n" and "-full\n" have */
    CONSOLE_CHUNK = 100, /* bytes of a console line in one record, which holds 127 */
    EARLY_KEPT = 16,
    PASSAGES_KEPT = 128,
    LATEST_SUPERFRAMES = 1024, /* a message that is still queued this long after its release is assumed to
                                  remain */
    BACK_SUPERFRAMES = 4       /* what is older sets no limit that the release does not */
};

#define NO_PASSAGE UINT64_MAX

#define ANY_TIME INT64_MIN
#define TYPING_CLOCK_HZ 24000000
#define MARGIN_PS INT64_C(200000)    /* ticks of the core, rounding: ... */
#define MARGIN_TICKS 4               /* ... at least this many */
#define EDGE_KNOWN_TICKS 16          /* an external edge is known at most this late, and ... */
#define EDGE_KNOWN_PS INT64_C(33334) /* ... rounding */
#define FRAME_SHORTER_PERCENT 5      /* a sender may be that fast */

/* When a node does what, in ps. */
struct habits {
    int64_t decided_first, decided_last; /* the choice what to send in a phase, after its edge */
    int64_t arrived_first, arrived_last; /* a received frame enters its queue, after the edge of its phase */
    int64_t taken_first, taken_last;     /* a line's message enters its queue, after the line's stop bit */
};

/* A message to be typed. */
struct typed {
    struct pb_own_message own;
    bool left;                      /* its node */
    int64_t earliest_ps, latest_ps; /* for the end of the line; from the start of superframe 0 */
    int64_t hurried_ps;             /* latest_ps, or earlier because of later lines to the same node */
    int64_t line_ps;                /* how long it takes, from start bit to stop bit */
};

/* A message that comes to a node of the rig, to wait there, or leaves one. */
struct passage {
    uint64_t instant; /* phases since phase 0 of superframe 0 */
    uint64_t message;
    uint64_t other; /* instant: of an arrival its departure, of a departure its arrival; NO_PASSAGE: not
                       known, or the node's own message */
    uint16_t destination;
    uint8_t dimension;
    bool arrives;
};

/* One node. */
struct queue {
    struct typed *typed; /* owned; in the order of their sequence numbers */
    size_t count, capacity;
    size_t next, planned;    /* first one that was not typed, and whose window is not known */
    size_t staying;          /* first one that has not left */
    int64_t free_ps;         /* when the node can take another line */
    struct passage *passage; /* owned; in time order */
    size_t passages, passage_capacity;
    struct waiting {
        uint64_t message, instant;
        size_t passage; /* of the arrival; SIZE_MAX: it is forgotten */
    } * waiting; /* owned; arrivals without a departure so far */
    size_t waitings, waiting_capacity;
};

struct typist {
    struct pb_typing how;
    const struct pb_scenario *scenario;
    uint64_t phases; /* of a superframe */
    int64_t byte_ps;
    int64_t margin_ps, edge_known_ps; /* by the clock of the core, up to 24 MHz */
    int64_t displaced_ps;             /* largest distance of an edge of the phase clock from its schedule */
    int64_t drift_ppm;                /* and the largest error of a span of time */
    int64_t moved_ps;                 /* a record may start at most this much later than planned
                                         (within_phase) */
    int64_t pause_ps;                 /* between the records of a line */
    uint64_t line_superframes;        /* from the start of a line to its release, at most, and some */
    struct habits habits[PB_SCENARIO_NODES_MAX];
    struct queue queue[PB_SCENARIO_NODES_MAX];
    int64_t lane_free_ps[PB_DEVICE_LANES_MAX];
    struct pb_typed made;
};

/* ---- the movement at the nodes of the rig */

static int no_memory(struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_MEMORY, "no memory for the plan");
}

int pb_early_take(struct pb_early *early, uint64_t release, uint64_t phases)
{
    if (early->from > early->count / 2 && early->count > EARLY_KEPT) {
        early->count -= early->from;
        memmove(early->release, early->release + early->from, early->count * sizeof *early->release);
        early->from = 0;
    }
    if (pb_make_room(&early->release, &early->capacity, early->count + 1, sizeof *early->release))
        return PB_ERR_MEMORY;
    early->release[early->count++] = release;
    while (early->release[early->from] + phases < release)
        early->from++;
    if (release && early->count - early->from > early->most)
        early->most = early->count - early->from;
    return PB_OK;
}

static int take_own(struct typist *typist, const struct pb_own_message *own, struct pb_diag *diag)
{
    struct queue *queue = &typist->queue[own->node_index];
    if (own->destination == typist->scenario->node[own->node_index].address)
        return PB_OK;
    if (typist->scenario->follow && own->superframe == 0)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "node 0x%" PRIX32
                       " would send its message before the bench has found superframe 0 of the "
                       "external clock; release the nodes' own messages in superframe 1 or later",
                       typist->scenario->node[own->node_index].address);
    if (pb_make_room(&queue->typed, &queue->capacity, queue->count + 1, sizeof *queue->typed))
        return no_memory(diag);
    queue->typed[queue->count++] = (struct typed){.own = *own, .left = own->refused};
    return PB_OK;
}

/* The departure of a message: both passages learn of each other. */
static void match(struct queue *queue, struct passage *departure)
{
    for (size_t i = 0; i < queue->waitings; i++) {
        const struct waiting arrival = queue->waiting[i];
        if (arrival.message != departure->message)
            continue;
        departure->other = arrival.instant;
        if (arrival.passage != SIZE_MAX)
            queue->passage[arrival.passage].other = departure->instant;
        queue->waiting[i] = queue->waiting[--queue->waitings];
        return;
    }
    size_t own = queue->staying;
    while (own < queue->count && queue->typed[own].own.message != departure->message)
        own++;
    if (own < queue->count)
        queue->typed[own].left = true;
    while (queue->staying < queue->count && queue->typed[queue->staying].left)
        queue->staying++;
}

static int take_passage(struct queue *queue, struct passage passage)
{
    if (pb_make_room(&queue->passage, &queue->passage_capacity, queue->passages + 1, sizeof passage))
        return PB_ERR_MEMORY;
    if (passage.arrives) {
        if (pb_make_room(&queue->waiting, &queue->waiting_capacity, queue->waitings + 1,
                         sizeof *queue->waiting))
            return PB_ERR_MEMORY;
        queue->waiting[queue->waitings++] =
            (struct waiting){passage.message, passage.instant, queue->passages};
    } else {
        match(queue, &passage);
    }
    queue->passage[queue->passages++] = passage;
    return PB_OK;
}

static int take_crossing(struct typist *typist, const struct pb_crossing *crossing)
{
    const int from_index = pb_scenario_node_index(typist->scenario, crossing->from),
              to_index = pb_scenario_node_index(typist->scenario, crossing->to);
    struct passage passage = {.instant = (uint64_t)crossing->superframe * typist->phases + crossing->phase,
                              .message = crossing->message,
                              .other = NO_PASSAGE,
                              .destination = crossing->destination,
                              .dimension = crossing->port};
    int code = from_index >= 0 ? take_passage(&typist->queue[from_index], passage) : PB_OK;
    passage.arrives = true;
    if (!code && to_index >= 0 && !crossing->last)
        code = take_passage(&typist->queue[to_index], passage);
    return code;
}

int pb_typist_take(struct typist *typist, const struct pb_moved *moved, struct pb_diag *diag)
{
    int code = PB_OK;
    for (size_t i = 0; i < moved->owns && !code; i++)
        code = take_own(typist, &moved->own[i], diag);
    for (size_t i = 0; i < moved->crossings && !code; i++)
        if (take_crossing(typist, &moved->crossing[i]))
            code = no_memory(diag);
    return code;
}

/* Index among the passages of a node of the first one at or after an instant. */
static size_t first_from(const struct typist *typist, unsigned node_index, uint64_t instant)
{
    const struct queue *queue = &typist->queue[node_index];
    size_t low = 0, beyond = queue->passages;
    while (low < beyond) {
        const size_t middle = low + (beyond - low) / 2;
        if (queue->passage[middle].instant < instant)
            low = middle + 1;
        else
            beyond = middle;
    }
    return low;
}

/* The first one that may set a limit to a message that is released then. */
static size_t first_of_interest(const struct typist *typist, unsigned node_index, uint64_t release)
{
    const uint64_t back = BACK_SUPERFRAMES * typist->phases;
    return release > back ? first_from(typist, node_index, release - back) : 0;
}

static const struct passage *passage_at(const struct typist *typist, unsigned node_index, size_t index)
{
    const struct queue *queue = &typist->queue[node_index];
    return index < queue->passages ? &queue->passage[index] : NULL;
}

/* Bit d: the message, when it waits at the node, may leave on d. */
static uint64_t wanted(const struct typist *typist, unsigned node_index, uint32_t destination)
{
    const struct pb_scenario *scenario = typist->scenario;
    return pb_network_wanted(&scenario->network, scenario->rule, scenario->node[node_index].address,
                             destination);
}

/* Whether the node sends in this phase on one of these ports. */
static bool sends_on(const struct typist *typist, unsigned node_index, uint64_t instant, uint64_t ports)
{
    const struct pb_slot slot =
        pb_network_slot(&typist->scenario->network, typist->scenario->node[node_index].address,
                        (unsigned)(instant % typist->phases));
    return slot.role == PB_ROLE_SEND && ports >> slot.port & 1;
}

/* ---- windows */

static int64_t edge_ps(const struct typist *typist, uint64_t instant)
{
    return (int64_t)((unsigned __int128)instant * PS_PER_S * 1000 / typist->scenario->phase_rate_mhz);
}

static void set_habits(struct typist *typist, unsigned node_index)
{
    const struct pb_scenario *scenario = typist->scenario;
    const struct pb_scenario_node *node = &scenario->node[node_index];
    const struct pb_node_kind *kind = pb_node_kind_of(node->kind);
    const int64_t bit_ps = PS_PER_S / (int64_t)scenario->baud_hz, phase_ps = edge_ps(typist, 1) + 1,
                  console_bit_ps = typist->byte_ps / 10,
                  handler_ps = node->irq_latency_ps + node->irq_jitter_ps,
                  frame_ps = (10 * (int64_t)scenario->frame_bytes - 1) * bit_ps, job_ps = kind->job_ps,
                  fill_ps = (int64_t)scenario->payload_bytes * kind->job_byte_ps + job_ps;
    struct habits *habits = &typist->habits[node_index];
    *habits = (struct habits){.taken_first = -console_bit_ps, .taken_last = console_bit_ps / 2};
    /* A byte is whole in the middle of its stop bit; the firmware acts upon it at once. */
    habits->arrived_first = frame_ps - frame_ps * FRAME_SHORTER_PERCENT / 100;
    const int64_t end_ps = phase_ps - (scenario->guard_ps - scenario->head_guard_ps) + bit_ps;
    habits->arrived_last = end_ps < phase_ps ? end_ps : phase_ps;
    habits->decided_first = node->irq_latency_ps;
    habits->decided_last = handler_ps;
    if (!job_ps)
        return;
    /* Logic acts upon a frame at the next edge, then chooses; other kinds may do either, and choose as late
     * as they start. */
    habits->decided_first = 0;
    habits->decided_last = kind->logic                            ? job_ps
                           : handler_ps > scenario->head_guard_ps ? handler_ps
                                                                  : scenario->head_guard_ps;
    if (kind->logic)
        habits->arrived_first = edge_ps(typist, 1);
    habits->arrived_last = phase_ps + (kind->logic || handler_ps < job_ps ? job_ps : handler_ps);
    habits->taken_last += fill_ps;
}

struct window {
    int64_t from_ps, to_ps; /* for the message to enter its queue */
};

static void not_before(struct window *window, int64_t ps)
{
    if (window->from_ps < ps)
        window->from_ps = ps;
}

static void not_after(struct window *window, int64_t ps)
{
    if (window->to_ps > ps)
        window->to_ps = ps;
}

/* Between everything that happens in its node before the release and everything from then on. A room per
 * dimension is that of the message's own queue. */
static void keep_strict(const struct typist *typist, const struct pb_own_message *own, uint64_t release,
                        struct window *window)
{
    const unsigned node_index = own->node_index;
    const struct habits *habits = &typist->habits[node_index];
    const bool each = !typist->scenario->node[node_index].room;
    const uint64_t mine = wanted(typist, node_index, own->destination);
    const size_t oldest = first_of_interest(typist, node_index, release),
                 first = first_from(typist, node_index, release);
    bool before = false, after = false;
    for (size_t i = first; i-- > oldest && !before;) {
        const struct passage *passage = passage_at(typist, node_index, i);
        before = !each || (wanted(typist, node_index, passage->destination) & mine);
        if (before)
            not_before(window, edge_ps(typist, passage->instant) +
                                   (passage->arrives ? habits->arrived_last : habits->decided_last));
    }
    for (size_t i = first; i < typist->queue[node_index].passages && !after; i++) {
        const struct passage *passage = passage_at(typist, node_index, i);
        after = !each || (wanted(typist, node_index, passage->destination) & mine);
        if (after)
            not_after(window, edge_ps(typist, passage->instant) +
                                  (passage->arrives ? habits->arrived_first : habits->decided_first));
    }
}

/* In the phases before the release in which the message could have left. */
static void keep_back(const struct typist *typist, const struct pb_own_message *own, uint64_t from,
                      uint64_t release, struct window *window)
{
    const unsigned node_index = own->node_index;
    const struct habits *habits = &typist->habits[node_index];
    const uint64_t mine = wanted(typist, node_index, own->destination);
    size_t next = first_from(typist, node_index, from);
    for (uint64_t p = from; p < release; p++) {
        const struct passage *passage = passage_at(typist, node_index, next);
        const bool passes = passage && passage->instant == p;
        next += passes;
        if (!sends_on(typist, node_index, p, mine))
            continue;
        if (!passes)
            not_before(window, edge_ps(typist, p) + habits->decided_last);
        else if (passage->other != NO_PASSAGE)
            not_before(window, edge_ps(typist, passage->other) +
                                   habits->arrived_last);
    }
}

/* From the release to its departure: after the messages that leave before it, before those that came
 * later. */
static void keep_place(const struct typist *typist, const struct pb_own_message *own, uint64_t release,
                       struct window *window)
{
    const unsigned node_index = own->node_index;
    const struct habits *habits = &typist->habits[node_index];
    const uint64_t mine = wanted(typist, node_index, own->destination);
    const size_t first = first_from(typist, node_index, release), end = typist->queue[node_index].passages;
    size_t leaves = first;
    while (leaves < end && (passage_at(typist, node_index, leaves)->arrives ||
                            passage_at(typist, node_index, leaves)->message != own->message)) {
        const struct passage *passage = passage_at(typist, node_index, leaves);
        if (!passage->arrives && (mine >> passage->dimension & 1) && passage->other != NO_PASSAGE)
            not_before(window, edge_ps(typist, passage->other) +
                                   habits->arrived_last);
        leaves++;
    }
    if (leaves == end)
        return;
    const struct passage *departure = passage_at(typist, node_index, leaves);
    not_after(window, edge_ps(typist, departure->instant) + habits->decided_first);
    for (size_t i = first; i < leaves; i++) {
        const struct passage *passage = passage_at(typist, node_index, i);
        if (!passage->arrives ||
            !(wanted(typist, node_index, passage->destination) >> departure->dimension & 1) ||
            (passage->other != NO_PASSAGE && passage->other < departure->instant))
            continue;
        not_after(window, edge_ps(typist, passage->instant) + habits->arrived_first);
        break;
    }
}

/* A line counts from an edge up to a phase before its first byte. */
static int64_t slack_ps(const struct typist *typist, int64_t line_ps)
{
    const __int128 span_ps = (__int128)line_ps + edge_ps(typist, 1);
    return typist->margin_ps + typist->displaced_ps + (int64_t)(span_ps * typist->drift_ppm / 1000000);
}

/* Between what happens before the release and the decision of the release phase, when that leaves some time.
 */
static void keep_narrow(const struct typist *typist, const struct pb_own_message *own, uint64_t from,
                        uint64_t release, struct window *window)
{
    const unsigned node_index = own->node_index;
    const struct habits *habits = &typist->habits[node_index];
    const uint64_t mine = wanted(typist, node_index, own->destination);
    struct window narrow = *window;
    for (uint64_t p = from; p < release; p++)
        if (sends_on(typist, node_index, p, mine))
            not_before(&narrow, edge_ps(typist, p) + habits->decided_last);
    const size_t oldest = first_of_interest(typist, node_index, release);
    bool arrived = false;
    for (size_t i = first_from(typist, node_index, release); i-- > oldest && !arrived;) {
        const struct passage *passage = passage_at(typist, node_index, i);
        arrived = passage->arrives && (wanted(typist, node_index, passage->destination) & mine);
        if (arrived)
            not_before(&narrow, edge_ps(typist, passage->instant) + habits->arrived_last);
    }
    not_after(&narrow, edge_ps(typist, release) + habits->decided_first);
    const int64_t needed_ps =
        habits->taken_last - habits->taken_first + 2 * slack_ps(typist, edge_ps(typist, 1));
    if (narrow.from_ps == ANY_TIME || narrow.to_ps - narrow.from_ps > needed_ps)
        *window = narrow;
}

static uint64_t release_of(const struct typist *typist, const struct pb_own_message *own)
{
    return own->superframe * typist->phases + own->phase;
}

/* When the line of a message may end; earliest ANY_TIME: before the clock starts, too. */
static void plan_message(const struct typist *typist, struct typed *typed)
{
    const struct pb_scenario *scenario = typist->scenario;
    const struct pb_own_message *own = &typed->own;
    const unsigned node_index = own->node_index;
    const struct habits *habits = &typist->habits[node_index];
    const uint64_t release = release_of(typist, own), phases = typist->phases,
                   from = release > phases ? release - phases : 0;
    struct window window = {release >= phases ? edge_ps(typist, release - phases + 1) : ANY_TIME,
                            edge_ps(typist, scenario->superframes * phases)};
    char text[200];
    if (!own->refused) {
        keep_back(typist, own, from, release, &window);
        keep_place(typist, own, release, &window);
    }
    if (typist->how.strict[node_index])
        keep_strict(typist, own, release, &window);
    if (typist->how.narrow && !typist->how.strict[node_index])
        keep_narrow(typist, own, from, release, &window);
    pb_console_send_line(text, sizeof text, scenario, own->message, own->destination);
    const int64_t bytes = (int64_t)strlen(text) + 1,
                  line_ps = bytes * typist->byte_ps + (bytes - 1) / CONSOLE_CHUNK * typist->pause_ps,
                  slack = slack_ps(typist, line_ps);
    const int64_t earliest_ps =
        window.from_ps == ANY_TIME ? ANY_TIME : window.from_ps - habits->taken_first + slack;
    const int64_t latest_ps = window.to_ps - habits->taken_last - slack - typist->moved_ps;
    typed->earliest_ps = earliest_ps;
    typed->latest_ps = typed->hurried_ps = latest_ps;
    typed->line_ps = line_ps;
}

/* ---- records */

/* With an external clock a phase may end earlier than scheduled, and its edge is known some ticks late. A
 * start that would miss its phase is postponed. */
static int64_t within_phase(const struct typist *typist, uint64_t instant, int64_t start_ps)
{
    const int64_t edge = edge_ps(typist, instant), next = edge_ps(typist, instant + 1);
    if (!typist->scenario->follow)
        return start_ps;
    if (start_ps < edge + typist->edge_known_ps)
        return edge + typist->edge_known_ps;
    return start_ps > next + typist->edge_known_ps - typist->moved_ps ? next + typist->edge_known_ps
                                                                      : start_ps;
}

static uint64_t instant_at(const struct typist *typist, int64_t ps)
{
    return (uint64_t)((unsigned __int128)ps * typist->scenario->phase_rate_mhz /
                      ((unsigned __int128)PS_PER_S * 1000));
}

/* Records for a line that starts at start_ps. */
static int type_records(struct typist *typist, unsigned lane, unsigned node_index, int64_t start_ps,
                        const char *text, struct pb_diag *diag)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at += CONSOLE_CHUNK) {
        const unsigned count = (unsigned)(length - at < CONSOLE_CHUNK ? length - at : CONSOLE_CHUNK);
        start_ps = within_phase(typist, instant_at(typist, start_ps), start_ps);
        const uint64_t instant = instant_at(typist, start_ps);
        const int64_t offset =
            (int64_t)((__int128)(start_ps - edge_ps(typist, instant)) * typist->how.clock_hz / PS_PER_S);
        uint8_t record[PB_RECORD_MAX];
        if (offset > PB_PLAY_RECORD_OFFSET_MASK)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "a console line has to start %" PRId64
                           " ticks after a phase edge, the core's limit is %u; raise phase_rate or "
                           "release the node's messages in superframe 0",
                           offset, PB_PLAY_RECORD_OFFSET_MASK);
        const unsigned size = pb_make_record(
            record, PB_PLAY_TARGET_CONSOLE | node_index, false, (uint32_t)(instant / typist->phases),
            (unsigned)(instant % typist->phases), (uint32_t)offset, typist->how.console_period_q4,
            (const uint8_t *)text + at, count);
        if (pb_add_record(&typist->made.list, lane, instant, record, size))
            return no_memory(diag);
        start_ps += count * typist->byte_ps + typist->pause_ps;
    }
    return PB_OK;
}

static int refuse(const struct typist *typist, unsigned node_index, const struct typed *typed, int64_t end_ps,
                  struct pb_diag *diag)
{
    const struct pb_scenario *scenario = typist->scenario;
    return pb_fail(
        diag, PB_ERR_CONFIG,
        "the console at %" PRIu64 " baud is too slow to give node 0x%" PRIX32
        " its message for superframe %" PRIu32
        ", phase %u, in time: the line ends %.3f us late; raise console_baud, or release fewer of the "
        "node's messages together%s",
        scenario->console_baud_hz, scenario->node[node_index].address, typed->own.superframe,
        typed->own.phase, (double)(end_ps - typed->latest_ps) / 1e6,
        scenario->follow ? "" : ", or all in superframe 0, phase 0");
}

static struct pb_console_line line_of(const struct typist *typist, const struct pb_own_message *own,
                                      int64_t start_ps)
{
    struct pb_console_line line = {
        .node_index = own->node_index, .message = own->message, .start_ps = start_ps};
    pb_console_send_line(line.text, sizeof line.text, typist->scenario, own->message, own->destination);
    pb_answer(line.answer, own->refused, own->sequence & PB_SEQUENCE_MASK);
    return line;
}

/* ---- the order of typing */

static int64_t start_of(const struct queue *queue, const int64_t *lane_free_ps)
{
    const struct typed *typed = &queue->typed[queue->next];
    int64_t start_ps = typed->earliest_ps == ANY_TIME ? 0 : typed->earliest_ps - typed->line_ps;
    if (start_ps < queue->free_ps)
        start_ps = queue->free_ps;
    return start_ps < *lane_free_ps ? *lane_free_ps : start_ps;
}

/* The node whose next line goes first: of those that could begin before another one's line would be over, the
 * one with the nearest deadline. -1: none could begin before `until_ps`. */
static int choose_node(const struct typist *typist, const int64_t *lane_free_ps, int64_t until_ps)
{
    int64_t first_end_ps = INT64_MAX, nearest_ps = INT64_MAX, first_start_ps = INT64_MAX;
    int chosen = -1;
    for (unsigned node_index = 0; node_index < typist->scenario->node_count; node_index++) {
        const struct queue *queue = &typist->queue[node_index];
        if (queue->next == queue->planned)
            continue;
        const int64_t start_ps = start_of(queue, lane_free_ps),
                      end_ps = start_ps + queue->typed[queue->next].line_ps;
        first_start_ps = start_ps < first_start_ps ? start_ps : first_start_ps;
        first_end_ps = end_ps < first_end_ps ? end_ps : first_end_ps;
    }
    for (unsigned node_index = 0; node_index < typist->scenario->node_count; node_index++) {
        const struct queue *queue = &typist->queue[node_index];
        if (queue->next == queue->planned || start_of(queue, lane_free_ps) >= first_end_ps ||
            queue->typed[queue->next].hurried_ps >= nearest_ps)
            continue;
        nearest_ps = queue->typed[queue->next].hurried_ps;
        chosen = (int)node_index;
    }
    return first_start_ps < until_ps ? chosen : -1;
}

static int type_lines(struct typist *typist, int64_t until_ps, struct pb_diag *diag)
{
    struct pb_typed *made = &typist->made;
    int64_t *free_ps = typist->lane_free_ps;
    for (;;) {
        unsigned lane = typist->how.first_lane;
        for (unsigned other = lane + 1; other < typist->how.lanes; other++)
            if (free_ps[other] < free_ps[lane])
                lane = other;
        const int chosen = choose_node(typist, &free_ps[lane], until_ps);
        if (chosen < 0)
            return PB_OK;
        const unsigned node_index = (unsigned)chosen;
        struct queue *queue = &typist->queue[node_index];
        const struct typed *typed = &queue->typed[queue->next];
        const int64_t start_ps = start_of(queue, &free_ps[lane]), end_ps = start_ps + typed->line_ps;
        if (end_ps > typed->latest_ps)
            return refuse(typist, node_index, typed, end_ps, diag);
        char text[sizeof((struct pb_console_line *)NULL)->text + 1];
        if (pb_make_room(&made->during, &made->during_capacity, made->durings + 1, sizeof *made->during))
            return no_memory(diag);
        made->during[made->durings] = line_of(typist, &typed->own, start_ps);
        snprintf(text, sizeof text, "%s\n", made->during[made->durings++].text);
        const int code = type_records(typist, lane, node_index, start_ps, text, diag);
        if (code)
            return code;
        free_ps[lane] = end_ps + typist->moved_ps + typist->byte_ps;
        queue->next++;
        /* The node answers before it accepts the next line. */
        queue->free_ps = end_ps + typist->moved_ps + ANSWER_BYTES * typist->byte_ps;
    }
}

/* Deadlines of later lines to the same node hold for the earlier ones. */
static void hurry(const struct typist *typist, struct queue *queue)
{
    for (size_t i = queue->planned; i-- > queue->next + 1;) {
        const struct typed *next = &queue->typed[i];
        const int64_t before_ps =
            next->hurried_ps - next->line_ps - typist->moved_ps - ANSWER_BYTES * typist->byte_ps;
        if (queue->typed[i - 1].hurried_ps > before_ps)
            queue->typed[i - 1].hurried_ps = before_ps;
    }
}

/* ---- setting up */

/* Computes the largest distance of a phase edge from its schedule, and the largest change of a span of
 * time. */
static void find_disturbances(struct typist *typist)
{
    const struct pb_scenario *scenario = typist->scenario;
    const uint32_t clock_hz = typist->how.clock_hz;
    /* A faster core is treated as one of 24 MHz, so that lines are typed at the same times. */
    const int64_t typing_hz = clock_hz < TYPING_CLOCK_HZ ? clock_hz : TYPING_CLOCK_HZ,
                  ticks_ps = MARGIN_TICKS * PS_PER_S / typing_hz;
    typist->margin_ps = ticks_ps > MARGIN_PS ? ticks_ps : MARGIN_PS;
    typist->edge_known_ps = EDGE_KNOWN_TICKS * PS_PER_S / typing_hz + EDGE_KNOWN_PS;
    if (scenario->follow) {
        typist->displaced_ps = scenario->controller.jitter_ps;
        typist->drift_ppm = llabs((int64_t)scenario->controller.clock_error_ppm);
        typist->moved_ps = typist->displaced_ps + edge_ps(typist, 1) * typist->drift_ppm / 1000000 +
                           typist->edge_known_ps + typist->margin_ps;
    }
    for (unsigned i = 0; i < scenario->fault_count; i++) {
        const struct pb_fault *fault = &scenario->fault[i];
        const int64_t ppm = llabs((int64_t)fault->ppm);
        if (fault->kind == PB_FAULT_DRIFT)
            typist->drift_ppm = ppm > typist->drift_ppm ? ppm : typist->drift_ppm;
        else if (pb_fault_info(fault->kind)->place == PB_FAULT_ON_CLOCK &&
                 fault->amount_ps > typist->displaced_ps)
            typist->displaced_ps = fault->amount_ps;
    }
    /* The lane is done with a record before the next one is due, however early the edge that this one counts
     * from; a byte lets it take the record up. */
    typist->pause_ps = typist->byte_ps + typist->displaced_ps + typist->moved_ps +
                       CONSOLE_CHUNK * typist->byte_ps * typist->drift_ppm / 1000000;
}

int pb_typist_open(struct typist **out, const struct pb_typing *typing)
{
    const struct pb_scenario *scenario = typing->scenario;
    struct typist *typist = *out = calloc(1, sizeof *typist);
    if (!typist)
        return PB_ERR_MEMORY;
    typist->how = *typing;
    typist->scenario = scenario;
    typist->phases = scenario->network.phases;
    typist->byte_ps = (int64_t)(10 * (unsigned __int128)typing->console_period_q4 * PS_PER_S / 16 /
                                typing->clock_hz) +
                      1;
    find_disturbances(typist);
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++)
        set_habits(typist, node_index);
    /* "S", a destination, the payload in hexadecimal. */
    const int64_t bytes = 16 + 2 * (int64_t)scenario->payload_bytes,
                  line_ps = bytes * (typist->byte_ps + 1) + (bytes / CONSOLE_CHUNK + 1) * typist->pause_ps;
    typist->line_superframes = (uint64_t)(line_ps / edge_ps(typist, typist->phases)) + 3;
    return PB_OK;
}

void pb_typist_close(struct typist *typist)
{
    if (!typist)
        return;
    for (unsigned node_index = 0; node_index < PB_SCENARIO_NODES_MAX; node_index++) {
        free(typist->queue[node_index].typed);
        free(typist->queue[node_index].passage);
        free(typist->queue[node_index].waiting);
    }
    free(typist->made.list.record);
    free(typist->made.list.bytes);
    free(typist->made.before);
    free(typist->made.during);
    free(typist);
}

/* Windows of the messages that have left, or will not. */
static int plan_queue(struct typist *typist, struct queue *queue, uint64_t taken, bool all,
                      struct pb_diag *diag)
{
    struct pb_typed *made = &typist->made;
    for (; queue->planned < queue->count; queue->planned++) {
        struct typed *typed = &queue->typed[queue->planned];
        if (!all && !(typed->left && typed->own.superframe < taken) &&
            typed->own.superframe + (uint64_t)LATEST_SUPERFRAMES > taken)
            break;
        plan_message(typist, typed);
    }
    while (queue->next < queue->planned && !queue->free_ps &&
           queue->typed[queue->next].earliest_ps == ANY_TIME) {
        if (pb_make_room(&made->before, &made->before_capacity, made->befores + 1, sizeof *made->before))
            return no_memory(diag);
        made->before[made->befores++] = line_of(typist, &queue->typed[queue->next++].own, 0);
    }
    hurry(typist, queue);
    return PB_OK;
}

/* What no window asks for any more. */
static void forget(const struct typist *typist, struct queue *queue, uint64_t horizon)
{
    const uint64_t kept = horizon > BACK_SUPERFRAMES ? (horizon - BACK_SUPERFRAMES) * typist->phases : 0;
    size_t old = 0;
    if (queue->next > EARLY_KEPT) {
        queue->count -= queue->next;
        queue->planned -= queue->next;
        queue->staying = queue->staying > queue->next ? queue->staying - queue->next : 0;
        memmove(queue->typed, queue->typed + queue->next, queue->count * sizeof *queue->typed);
        queue->next = 0;
    }
    if (queue->passages < PASSAGES_KEPT)
        return;
    while (old < queue->passages && queue->passage[old].instant < kept)
        old++;
    queue->passages -= old;
    memmove(queue->passage, queue->passage + old, queue->passages * sizeof *queue->passage);
    for (size_t i = 0; i < queue->waitings; i++) {
        size_t *passage = &queue->waiting[i].passage;
        *passage = *passage == SIZE_MAX || *passage < old ? SIZE_MAX : *passage - old;
    }
}

int pb_typist_make(struct typist *typist, uint64_t taken, bool all, uint64_t *horizon, struct pb_diag *diag)
{
    uint64_t known = taken;
    int code = PB_OK;
    for (unsigned node_index = 0; node_index < typist->scenario->node_count && !code; node_index++) {
        struct queue *queue = &typist->queue[node_index];
        code = plan_queue(typist, queue, taken, all, diag);
        if (queue->planned < queue->count && queue->typed[queue->planned].own.superframe < known)
            known = queue->typed[queue->planned].own.superframe;
    }
    *horizon = all ? UINT64_MAX : known > typist->line_superframes ? known - typist->line_superframes : 0;
    if (!code)
        code = type_lines(typist, all ? INT64_MAX : edge_ps(typist, *horizon * typist->phases), diag);
    for (unsigned node_index = 0; node_index < typist->scenario->node_count && !code && !all; node_index++)
        forget(typist, &typist->queue[node_index], *horizon);
    return code;
}

struct pb_typed *pb_typist_typed(struct typist *typist)
{
    return &typist->made;
}
