/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * When each of the nodes' own messages is typed.
 *
 * The movement puts a message m, released at phase R, behind what its node has received before R. A console
 * line does the same when the message enters its queue at any time t at which the outcome is the same. With D
 * the phase in which m leaves, that is:
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
#include "bench/nodes/kinds.h"
#include "host/plan/frame.h"
#include "host/plan/maker.h"
#include "host/plan/seats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_BYTES = 8,    /* more than "+S F\n" and "-full\n" have */
    CONSOLE_CHUNK = 100, /* bytes of a console line in one record, which holds 127 */
    LANES_MAX = 32
};

#define ANY_TIME INT64_MIN
#define TYPING_CLOCK_HZ 24000000
#define MARGIN_PS INT64_C(200000)    /* ticks of the core, rounding: ... */
#define MARGIN_TICKS 4               /* ... at least so many */
#define EDGE_KNOWN_TICKS 16          /* an outside edge is known so late, at most, and ... */
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
    size_t message;
    int64_t earliest_ps, latest_ps; /* for the end of the line; from the start of superframe 0 */
    int64_t hurried_ps;             /* latest_ps, or earlier because of later lines to the same node */
    int64_t line_ps;                /* how long it takes, from start bit to stop bit */
};

/* Those of one node, in the order of their sequence numbers. */
struct queue {
    struct typed *typed;
    size_t count, next;
    int64_t free_ps; /* when the node can take another line */
};

struct typist {
    struct maker *maker;
    const struct pb_scenario *scenario;
    uint64_t phases; /* of a superframe */
    int64_t byte_ps;
    int64_t margin_ps, edge_known_ps; /* by the clock of the core, up to 24 MHz */
    int64_t displaced_ps;             /* edges of the phase clock may be that far from their schedule */
    int64_t drift_ppm;                /* and that much of a span of time */
    int64_t moved_ps;                 /* a record may start so much later than planned (within_phase) */
    int64_t pause_ps;                 /* between the records of a line */
    struct habits habits[PB_SCENARIO_NODES_MAX];
    bool strict[PB_SCENARIO_NODES_MAX];
    bool narrow; /* windows, where possible */
    struct queue queue[PB_SCENARIO_NODES_MAX];
    size_t *passage[PB_SCENARIO_NODES_MAX]; /* owned; those of a node, in time order */
    size_t passages[PB_SCENARIO_NODES_MAX];
};

/* ---- the movement at the nodes of the rig */

static int add_passage(struct maker *maker, struct pb_passage passage)
{
    if (maker->passages == maker->passage_capacity) {
        const size_t capacity = maker->passage_capacity ? 2 * maker->passage_capacity : 256;
        struct pb_passage *grown = realloc(maker->passage, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        maker->passage = grown;
        maker->passage_capacity = capacity;
    }
    maker->passage[maker->passages++] = passage;
    return PB_OK;
}

int pb_note_passage(struct maker *maker, const struct pb_crossing *crossing, int to_seat, int from_seat)
{
    struct pb_passage passage = {.instant = (uint64_t)crossing->superframe * maker->plan->phase_count +
                                            crossing->phase,
                                 .message = crossing->message,
                                 .other = PB_NO_PASSAGE,
                                 .dimension = (uint8_t)crossing->port};
    int code = PB_OK;
    if (from_seat >= 0) {
        size_t *arrival = &maker->arrival[crossing->message];
        passage.seat = (uint8_t)from_seat;
        passage.other = *arrival;
        if (*arrival != PB_NO_PASSAGE)
            maker->passage[*arrival].other = maker->passages;
        *arrival = PB_NO_PASSAGE;
        code = add_passage(maker, passage);
    }
    if (!code && to_seat >= 0 && !crossing->last) {
        passage.seat = (uint8_t)to_seat;
        passage.other = PB_NO_PASSAGE;
        passage.arrives = true;
        maker->arrival[crossing->message] = maker->passages;
        code = add_passage(maker, passage);
    }
    return code;
}

/* Index among the passages of a node of the first one at or after an instant. */
static size_t first_from(const struct typist *typist, unsigned seat, uint64_t instant)
{
    size_t low = 0, beyond = typist->passages[seat];
    while (low < beyond) {
        const size_t middle = low + (beyond - low) / 2;
        if (typist->maker->passage[typist->passage[seat][middle]].instant < instant)
            low = middle + 1;
        else
            beyond = middle;
    }
    return low;
}

static const struct pb_passage *passage_at(const struct typist *typist, unsigned seat, size_t index)
{
    return index < typist->passages[seat] ? &typist->maker->passage[typist->passage[seat][index]] : NULL;
}

/* Bit d: the message, when it waits at the node, may leave on d. */
static uint64_t wanted(const struct typist *typist, unsigned seat, size_t message)
{
    const struct pb_scenario *scenario = typist->scenario;
    return pb_network_wanted(&scenario->network, scenario->rule, scenario->node[seat].address,
                             scenario->traffic.message[message].destination);
}

/* Whether the node sends in this phase on one of these ports. */
static bool sends_on(const struct typist *typist, unsigned seat, uint64_t instant, uint64_t ports)
{
    const struct pb_slot slot =
        pb_network_slot(&typist->scenario->network, typist->scenario->node[seat].address,
                        (unsigned)(instant % typist->phases));
    return slot.role == PB_ROLE_SEND && ports >> slot.port & 1;
}

/* ---- windows */

static int64_t edge_ps(const struct typist *typist, uint64_t instant)
{
    return (int64_t)((unsigned __int128)instant * PS_PER_S * 1000 / typist->scenario->phase_rate_mhz);
}

static void set_habits(struct typist *typist, unsigned seat)
{
    const struct pb_scenario *scenario = typist->scenario;
    const struct pb_scenario_node *node = &scenario->node[seat];
    const struct pb_node_kind *kind = pb_node_kind_of(node->kind);
    const int64_t bit_ps = PS_PER_S / (int64_t)scenario->baud_hz, phase_ps = edge_ps(typist, 1) + 1,
                  console_bit_ps = typist->byte_ps / 10,
                  handler_ps = node->irq_latency_ps + node->irq_jitter_ps,
                  frame_ps = (10 * (int64_t)scenario->frame_bytes - 1) * bit_ps, job_ps = kind->job_ps,
                  fill_ps = (int64_t)scenario->payload_bytes * kind->job_byte_ps + job_ps;
    struct habits *habits = &typist->habits[seat];
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
static void keep_strict(const struct typist *typist, unsigned seat, size_t message, uint64_t release,
                        struct window *window)
{
    const struct habits *habits = &typist->habits[seat];
    const bool each = !typist->scenario->node[seat].room;
    const uint64_t mine = wanted(typist, seat, message);
    const size_t first = first_from(typist, seat, release);
    bool before = false, after = false;
    for (size_t i = first; i-- > 0 && !before;) {
        const struct pb_passage *passage = passage_at(typist, seat, i);
        before = !each || (wanted(typist, seat, passage->message) & mine);
        if (before)
            not_before(window, edge_ps(typist, passage->instant) +
                                   (passage->arrives ? habits->arrived_last : habits->decided_last));
    }
    for (size_t i = first; i < typist->passages[seat] && !after; i++) {
        const struct pb_passage *passage = passage_at(typist, seat, i);
        after = !each || (wanted(typist, seat, passage->message) & mine);
        if (after)
            not_after(window, edge_ps(typist, passage->instant) +
                                  (passage->arrives ? habits->arrived_first : habits->decided_first));
    }
}

/* In the phases before the release in which the message could have left. */
static void keep_back(const struct typist *typist, unsigned seat, size_t message, uint64_t from,
                      uint64_t release, struct window *window)
{
    const struct habits *habits = &typist->habits[seat];
    const uint64_t mine = wanted(typist, seat, message);
    size_t next = first_from(typist, seat, from);
    for (uint64_t p = from; p < release; p++) {
        const struct pb_passage *passage = passage_at(typist, seat, next);
        const bool passes = passage && passage->instant == p;
        next += passes;
        if (!sends_on(typist, seat, p, mine))
            continue;
        if (!passes)
            not_before(window, edge_ps(typist, p) + habits->decided_last);
        else if (passage->other != PB_NO_PASSAGE)
            not_before(window, edge_ps(typist, typist->maker->passage[passage->other].instant) +
                                   habits->arrived_last);
    }
}

/* From the release to its departure: behind what leaves before it, in front of what came later. */
static void keep_place(const struct typist *typist, unsigned seat, size_t message, uint64_t release,
                       struct window *window)
{
    const struct habits *habits = &typist->habits[seat];
    const uint64_t mine = wanted(typist, seat, message);
    const size_t first = first_from(typist, seat, release), end = typist->passages[seat];
    size_t leaves = first;
    while (leaves < end && (passage_at(typist, seat, leaves)->arrives ||
                            passage_at(typist, seat, leaves)->message != message)) {
        const struct pb_passage *passage = passage_at(typist, seat, leaves);
        if (!passage->arrives && (mine >> passage->dimension & 1) && passage->other != PB_NO_PASSAGE)
            not_before(window, edge_ps(typist, typist->maker->passage[passage->other].instant) +
                                   habits->arrived_last);
        leaves++;
    }
    if (leaves == end)
        return;
    const struct pb_passage *departure = passage_at(typist, seat, leaves);
    not_after(window, edge_ps(typist, departure->instant) + habits->decided_first);
    for (size_t i = first; i < leaves; i++) {
        const struct pb_passage *passage = passage_at(typist, seat, i);
        if (!passage->arrives || !(wanted(typist, seat, passage->message) >> departure->dimension & 1) ||
            (passage->other != PB_NO_PASSAGE &&
             typist->maker->passage[passage->other].instant < departure->instant))
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
static void keep_narrow(const struct typist *typist, unsigned seat, size_t message, uint64_t from,
                        uint64_t release, struct window *window)
{
    const struct habits *habits = &typist->habits[seat];
    const uint64_t mine = wanted(typist, seat, message);
    struct window narrow = *window;
    for (uint64_t p = from; p < release; p++)
        if (sends_on(typist, seat, p, mine))
            not_before(&narrow, edge_ps(typist, p) + habits->decided_last);
    bool arrived = false;
    for (size_t i = first_from(typist, seat, release); i-- > 0 && !arrived;) {
        const struct pb_passage *passage = passage_at(typist, seat, i);
        arrived = passage->arrives && (wanted(typist, seat, passage->message) & mine);
        if (arrived)
            not_before(&narrow, edge_ps(typist, passage->instant) + habits->arrived_last);
    }
    not_after(&narrow, edge_ps(typist, release) + habits->decided_first);
    const int64_t needed_ps =
        habits->taken_last - habits->taken_first + 2 * slack_ps(typist, edge_ps(typist, 1));
    if (narrow.from_ps == ANY_TIME || narrow.to_ps - narrow.from_ps > needed_ps)
        *window = narrow;
}

static uint64_t release_of(const struct typist *typist, size_t message)
{
    const struct pb_message *m = &typist->scenario->traffic.message[message];
    return m->release_superframe * typist->phases + m->release_phase;
}

/* When the line of a message may end; earliest ANY_TIME: before the clock starts, too. */
static struct typed plan_message(const struct typist *typist, unsigned seat, size_t message)
{
    const struct pb_scenario *scenario = typist->scenario;
    const struct habits *habits = &typist->habits[seat];
    const uint64_t release = release_of(typist, message), phases = typist->phases,
                   from = release > phases ? release - phases : 0;
    struct window window = {release >= phases ? edge_ps(typist, release - phases + 1) : ANY_TIME,
                            edge_ps(typist, scenario->superframes * phases)};
    char text[200];
    if (!typist->maker->dropped[message]) {
        keep_back(typist, seat, message, from, release, &window);
        keep_place(typist, seat, message, release, &window);
    }
    if (typist->strict[seat])
        keep_strict(typist, seat, message, release, &window);
    if (typist->narrow && !typist->strict[seat])
        keep_narrow(typist, seat, message, from, release, &window);
    pb_console_send_line(text, sizeof text, scenario, message);
    const int64_t bytes = (int64_t)strlen(text) + 1,
                  line_ps = bytes * typist->byte_ps + (bytes - 1) / CONSOLE_CHUNK * typist->pause_ps,
                  slack = slack_ps(typist, line_ps);
    const int64_t earliest_ps =
        window.from_ps == ANY_TIME ? ANY_TIME : window.from_ps - habits->taken_first + slack;
    const int64_t latest_ps = window.to_ps - habits->taken_last - slack - typist->moved_ps;
    return (struct typed){message, earliest_ps, latest_ps, latest_ps, line_ps};
}

/* Its room may decide what becomes of a message: when it is full, or would be if all messages that can be
 * typed early were. */
static bool is_tight(const struct typist *typist, unsigned seat, unsigned fullest)
{
    const struct pb_scenario_node *node = &typist->scenario->node[seat];
    const struct queue *queue = &typist->queue[seat];
    const unsigned room = node->room ? node->room : node->room_per_dimension;
    size_t early = 0, from = 0;
    for (size_t i = 0; i < queue->count; i++) {
        const uint64_t release = release_of(typist, queue->typed[i].message);
        while (release_of(typist, queue->typed[from].message) + typist->phases < release)
            from++;
        if (release && i - from + 1 > early)
            early = i - from + 1;
    }
    return room && early && fullest + early > room;
}

/* ---- records */

static int no_memory(const struct typist *typist)
{
    return pb_fail(typist->maker->diag, PB_ERR_MEMORY, "no memory for the plan");
}

/* Behind an outside clock a phase may end sooner than its schedule, and its edge is known some ticks late. A
 * start that would miss its phase is moved on. */
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
static int type_records(const struct typist *typist, unsigned lane, unsigned seat, int64_t start_ps,
                        const char *text)
{
    struct maker *maker = typist->maker;
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at += CONSOLE_CHUNK) {
        const unsigned count = (unsigned)(length - at < CONSOLE_CHUNK ? length - at : CONSOLE_CHUNK);
        start_ps = within_phase(typist, instant_at(typist, start_ps), start_ps);
        const uint64_t instant = instant_at(typist, start_ps);
        const int64_t offset =
            (int64_t)((__int128)(start_ps - edge_ps(typist, instant)) * maker->info->clock_hz / PS_PER_S);
        uint8_t record[PB_RECORD_MAX];
        if (offset > PB_PLAY_RECORD_OFFSET_MASK)
            return pb_fail(maker->diag, PB_ERR_CONFIG,
                           "a console line has to start %" PRId64
                           " ticks after a phase edge, the core's limit is %u; raise phase_rate or "
                           "release the node's messages in superframe 0",
                           offset, PB_PLAY_RECORD_OFFSET_MASK);
        const unsigned size =
            pb_make_record(record, PB_PLAY_TARGET_CONSOLE | seat, false, (uint32_t)(instant / typist->phases),
                           (unsigned)(instant % typist->phases), (uint32_t)offset,
                           maker->plan->console_period_q4, (const uint8_t *)text + at, count);
        if (pb_add_record(maker, lane, instant, record, size))
            return no_memory(typist);
        start_ps += count * typist->byte_ps + typist->pause_ps;
    }
    return PB_OK;
}

static int refuse(const struct typist *typist, unsigned seat, const struct typed *typed, int64_t end_ps)
{
    const struct pb_scenario *scenario = typist->scenario;
    const struct pb_message *message = &scenario->traffic.message[typed->message];
    return pb_fail(
        typist->maker->diag, PB_ERR_CONFIG,
        "the console at %" PRIu64 " baud is too slow to give node 0x%" PRIX32
        " its message for superframe %" PRIu32
        ", phase %u, in time: the line ends %.3f us late; raise console_baud, or release fewer of the "
        "node's messages together, or all in superframe 0, phase 0",
        scenario->console_baud_hz, scenario->node[seat].address, message->release_superframe,
        message->release_phase, (double)(end_ps - typed->latest_ps) / 1e6);
}

/* Notes a line that is typed before the clock starts, or during the run. */
static struct pb_console_line *note_line(const struct typist *typist, unsigned seat, size_t message,
                                         bool running)
{
    const struct maker *maker = typist->maker;
    struct pb_plan *plan = maker->plan;
    struct pb_console_line *line = running ? &plan->typed[plan->typings++] : &plan->line[plan->lines++];
    line->seat = seat;
    line->message = message;
    pb_console_send_line(line->text, sizeof line->text, typist->scenario, message);
    pb_answer(line->answer, maker->dropped[message], maker->sequence[message]);
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
 * one with the nearest deadline. -1: nothing is left. */
static int choose_seat(const struct typist *typist, const int64_t *lane_free_ps)
{
    int64_t first_end_ps = INT64_MAX, nearest_ps = INT64_MAX;
    int chosen = -1;
    for (unsigned seat = 0; seat < typist->scenario->node_count; seat++) {
        const struct queue *queue = &typist->queue[seat];
        if (queue->next == queue->count)
            continue;
        const int64_t end_ps = start_of(queue, lane_free_ps) + queue->typed[queue->next].line_ps;
        first_end_ps = end_ps < first_end_ps ? end_ps : first_end_ps;
    }
    for (unsigned seat = 0; seat < typist->scenario->node_count; seat++) {
        const struct queue *queue = &typist->queue[seat];
        if (queue->next == queue->count || start_of(queue, lane_free_ps) >= first_end_ps ||
            queue->typed[queue->next].hurried_ps >= nearest_ps)
            continue;
        nearest_ps = queue->typed[queue->next].hurried_ps;
        chosen = (int)seat;
    }
    return chosen;
}

static int type_lines(struct typist *typist)
{
    const struct maker *maker = typist->maker;
    int64_t lane_free_ps[LANES_MAX] = {0};
    for (;;) {
        unsigned lane = maker->link_lanes_used;
        for (unsigned other = lane + 1; other < maker->info->lanes; other++)
            if (lane_free_ps[other] < lane_free_ps[lane])
                lane = other;
        const int chosen = choose_seat(typist, &lane_free_ps[lane]);
        if (chosen < 0)
            return PB_OK;
        const unsigned seat = (unsigned)chosen;
        struct queue *queue = &typist->queue[seat];
        const struct typed *typed = &queue->typed[queue->next];
        const int64_t start_ps = start_of(queue, &lane_free_ps[lane]), end_ps = start_ps + typed->line_ps;
        if (end_ps > typed->latest_ps)
            return refuse(typist, seat, typed, end_ps);
        char text[sizeof((struct pb_console_line *)NULL)->text + 1];
        snprintf(text, sizeof text, "%s\n", note_line(typist, seat, typed->message, true)->text);
        const int code = type_records(typist, lane, seat, start_ps, text);
        if (code)
            return code;
        lane_free_ps[lane] = end_ps + typist->moved_ps + typist->byte_ps;
        queue->next++;
        /* The node answers before it takes the next one. */
        queue->free_ps = end_ps + typist->moved_ps + ANSWER_BYTES * typist->byte_ps;
    }
}

/* Deadlines of later lines to the same node hold for the earlier ones. */
static void hurry(const struct typist *typist, struct queue *queue)
{
    for (size_t i = queue->count; i-- > 1;) {
        const struct typed *next = &queue->typed[i];
        const int64_t before_ps =
            next->hurried_ps - next->line_ps - typist->moved_ps - ANSWER_BYTES * typist->byte_ps;
        if (queue->typed[i - 1].hurried_ps > before_ps)
            queue->typed[i - 1].hurried_ps = before_ps;
    }
}

/* ---- setting up */

/* How far a phase edge may be from its schedule, and how much a span of time may change. */
static void find_disturbances(struct typist *typist)
{
    const struct pb_scenario *scenario = typist->scenario;
    const uint32_t clock_hz = typist->maker->info->clock_hz;
    /* A faster core is taken for one of 24 MHz, so that lines are typed at the same times. */
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

static int gather(struct typist *typist, const size_t *order)
{
    struct maker *maker = typist->maker;
    const struct pb_scenario *scenario = typist->scenario;
    const size_t count = scenario->traffic.count;
    for (unsigned seat = 0; seat < scenario->node_count; seat++) {
        typist->passage[seat] = malloc((maker->passages + 1) * sizeof *typist->passage[seat]);
        typist->queue[seat].typed = calloc(count + 1, sizeof *typist->queue[seat].typed);
        if (!typist->passage[seat] || !typist->queue[seat].typed)
            return PB_ERR_MEMORY;
    }
    for (size_t i = 0; i < maker->passages; i++) {
        const unsigned seat = maker->passage[i].seat;
        typist->passage[seat][typist->passages[seat]++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        const struct pb_message *message = &scenario->traffic.message[order[i]];
        const int seat = pb_seat_of(scenario, message->source);
        /* One that is released after the end of the run is not typed. */
        if (seat >= 0 && message->source != message->destination &&
            message->release_superframe < scenario->superframes)
            typist->queue[seat].typed[typist->queue[seat].count++].message = order[i];
    }
    return PB_OK;
}

static int plan_seat(struct typist *typist, unsigned seat)
{
    const struct pb_scenario *scenario = typist->scenario;
    struct queue *queue = &typist->queue[seat];
    queue->next = 0;
    queue->free_ps = 0;
    for (size_t i = 0; i < queue->count; i++) {
        const size_t message = queue->typed[i].message;
        if (scenario->follow && scenario->traffic.message[message].release_superframe == 0)
            return pb_fail(typist->maker->diag, PB_ERR_CONFIG,
                           "node 0x%" PRIX32
                           " would send its message before the bench has found superframe 0 of the "
                           "outside clock; release the nodes' own messages in superframe 1 or later",
                           scenario->node[seat].address);
        queue->typed[i] = plan_message(typist, seat, message);
    }
    while (queue->next < queue->count && queue->typed[queue->next].earliest_ps == ANY_TIME)
        note_line(typist, seat, queue->typed[queue->next++].message, false);
    hurry(typist, queue);
    return PB_OK;
}

int pb_plan_typing(struct maker *maker, const size_t *order, const unsigned *fullest)
{
    const struct pb_scenario *scenario = maker->scenario;
    struct pb_plan *plan = maker->plan;
    struct typist typist = {
        .maker = maker,
        .scenario = scenario,
        .phases = plan->phase_count,
        .byte_ps = (int64_t)(10 * (unsigned __int128)plan->console_period_q4 * PS_PER_S / 16 /
                             maker->info->clock_hz) +
                   1,
    };
    plan->line = calloc(scenario->traffic.count + 1, sizeof *plan->line);
    plan->typed = calloc(scenario->traffic.count + 1, sizeof *plan->typed);
    int code = plan->line && plan->typed ? gather(&typist, order) : PB_ERR_MEMORY;
    if (code)
        no_memory(&typist);
    find_disturbances(&typist);
    for (unsigned seat = 0; seat < scenario->node_count && !code; seat++) {
        set_habits(&typist, seat);
        typist.strict[seat] = is_tight(&typist, seat, fullest[seat]);
    }
    const size_t records = plan->records, bytes = plan->byte_count;
    bool tried = false;
    for (typist.narrow = true; !code && !tried; typist.narrow = false) {
        plan->records = records;
        plan->byte_count = bytes;
        plan->lines = plan->typings = 0;
        for (unsigned seat = 0; seat < scenario->node_count && !code; seat++)
            code = plan_seat(&typist, seat);
        if (!code)
            code = type_lines(&typist);
        tried = code != PB_ERR_CONFIG || !typist.narrow;
        if (!tried)
            code = PB_OK;
    }
    for (unsigned seat = 0; seat < scenario->node_count; seat++) {
        free(typist.passage[seat]);
        free(typist.queue[seat].typed);
    }
    return code;
}
