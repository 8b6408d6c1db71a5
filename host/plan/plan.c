/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/plan.h"
#include "host/plan/frame.h"
#include "host/plan/seats.h"
#include "phasebench/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)

enum {
    CONSOLE_ANSWER_BYTES = 8,
    JOIN_BLANK_TOP = 255,
    CONSOLE_CHUNK = 100, /* bytes of a console line in one record, which holds 127 */
    PERIOD_BITS = 27,
    OFFSET_BITS = 24,
    BIT_TICKS_MIN = 8,
    BIT_TICKS_TOP = 65536
};

struct maker {
    struct pb_plan *plan;
    const struct pb_scenario *scenario;
    const struct pb_device_info *info;
    uint8_t *sequence;                    /* of each message */
    unsigned link_lanes, link_lanes_used; /* the others may serve consoles */
    uint64_t lane_instant;                /* records so far in the present phase */
    unsigned lane_used;
    size_t record_capacity;
    int code;
};

static void put32(uint8_t *bytes, uint32_t value, unsigned count)
{
    while (count--) {
        *bytes++ = (uint8_t)value;
        value >>= 8;
    }
}

static unsigned make_record(uint8_t *record, unsigned target, bool immediate, uint32_t superframe,
                            unsigned phase, uint32_t offset_ticks, uint32_t bit_period_q4,
                            const uint8_t *data, unsigned count)
{
    record[0] = (uint8_t)target;
    record[1] = (uint8_t)(count | (immediate ? 0x80 : 0));
    put32(record + 2, phase, 2);
    put32(record + 4, superframe, 4);
    put32(record + 8, offset_ticks, 3);
    put32(record + 11, bit_period_q4, 3);
    memcpy(record + PB_RECORD_HEADER, data, count);
    return PB_RECORD_HEADER + count;
}

unsigned pb_record_immediate(uint8_t record[PB_RECORD_MAX], unsigned target, uint32_t bit_period_q4,
                             const uint8_t *data, unsigned count)
{
    return make_record(record, target, true, 0, 0, 0, bit_period_q4, data, count);
}

void pb_console_send_line(char *text, size_t size, const struct pb_scenario *scenario, size_t message)
{
    uint8_t payload[PB_FRAME_MAX];
    pb_payload(scenario, message, payload);
    int at = snprintf(text, size, "S %" PRIX32 " ", scenario->traffic.message[message].destination);
    for (unsigned i = 0; i < scenario->payload_bytes && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, "%02X", payload[i]);
}

static int add_record(struct maker *maker, unsigned lane, uint64_t instant, const uint8_t *bytes,
                      unsigned length)
{
    struct pb_plan *plan = maker->plan;
    if (plan->records == maker->record_capacity) {
        const size_t capacity = maker->record_capacity ? 2 * maker->record_capacity : 256;
        struct pb_record *grown = realloc(plan->record, capacity * sizeof *grown);
        if (!grown)
            return PB_ERR_MEMORY;
        plan->record = grown;
        maker->record_capacity = capacity;
    }
    if (plan->byte_count + length > plan->byte_capacity) {
        const size_t capacity = 2 * plan->byte_capacity + PB_RECORD_MAX;
        uint8_t *grown = realloc(plan->bytes, capacity);
        if (!grown)
            return PB_ERR_MEMORY;
        plan->bytes = grown;
        plan->byte_capacity = capacity;
    }
    memcpy(plan->bytes + plan->byte_count, bytes, length);
    plan->record[plan->records++] = (struct pb_record){instant, lane, length, (uint32_t)plan->byte_count};
    plan->byte_count += length;
    return PB_OK;
}

/* A crossing into a node of the rig from a node that is not there: a virtual neighbour has to send it. */
static void plan_crossing(void *context, const struct pb_crossing *crossing)
{
    struct maker *maker = context;
    const struct pb_scenario *scenario = maker->scenario;
    const int seat = pb_seat_of(scenario, crossing->to);
    if (maker->code || seat < 0 || pb_seat_of(scenario, crossing->from) >= 0)
        return;

    const uint64_t instant = (uint64_t)crossing->superframe * maker->plan->phase_count + crossing->phase;
    if (instant != maker->lane_instant)
        maker->lane_used = 0;
    maker->lane_instant = instant;
    if (maker->lane_used == maker->link_lanes) {
        maker->code = PB_ERR_CONFIG;
        return;
    }
    uint8_t frame[PB_FRAME_MAX], record[PB_RECORD_MAX];
    const unsigned count = pb_frame(scenario, crossing->message, maker->sequence[crossing->message], frame);
    const unsigned length = make_record(
        record, pb_link_of(scenario, (unsigned)seat, crossing->dimension), false, crossing->superframe,
        crossing->phase, maker->plan->head_guard_ticks, maker->plan->bit_period_q4, frame, count);
    maker->code = add_record(maker, maker->lane_used++, instant, record, length);
    if (maker->lane_used > maker->link_lanes_used)
        maker->link_lanes_used = maker->lane_used;
}

/* ---- the nodes' own messages */

struct typed {
    unsigned seat;
    size_t message;
    size_t position;                /* in the order in which sequence numbers were given */
    int64_t earliest_ps, latest_ps; /* for the end of the line; times from the start of superframe 0 */
};

/* A message may be in its queue only after the last phase before its release in which it could have left, and
 * must be there at its release. */
static struct typed window(const struct maker *maker, unsigned seat, size_t message, size_t position)
{
    const struct pb_scenario *scenario = maker->scenario;
    const struct pb_message *m = &scenario->traffic.message[message];
    const int64_t phase_ps = (int64_t)((uint64_t)PS_PER_S * 1000 / scenario->phase_rate_mhz);
    const int64_t phases = maker->plan->phase_count;
    const int64_t release = (int64_t)m->release_superframe * phases + m->release_phase;
    int64_t last = release - 1;
    if (scenario->rule == PB_RULE_ECUBE) {
        const int64_t first = pb_send_phase(m->source, (unsigned)__builtin_ctz(m->source ^ m->destination));
        last = release - 1 - ((release - 1 - first) % phases + phases) % phases;
    }
    /* An eighth of a phase on either side for the node's interrupt latency and the time it takes over a line.
     */
    return (struct typed){seat, message, position, last * phase_ps + phase_ps / 8,
                          release * phase_ps - phase_ps / 8};
}

/* What is due first, then what may be typed first; never against the order of one node's sequence numbers. */
static int by_deadline(const void *left, const void *right)
{
    const struct typed *a = left, *b = right;
    if (a->latest_ps != b->latest_ps)
        return a->latest_ps < b->latest_ps ? -1 : 1;
    if (a->earliest_ps != b->earliest_ps)
        return a->earliest_ps < b->earliest_ps ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Records for a line that starts at start_ps; a byte of pause between two records lets the lane take up the
 * next. */
static int type_records(struct maker *maker, unsigned lane, unsigned seat, int64_t start_ps, int64_t byte_ps,
                        const char *text, struct pb_diag *diag)
{
    const int64_t phase_ps = (int64_t)((uint64_t)PS_PER_S * 1000 / maker->scenario->phase_rate_mhz);
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at += CONSOLE_CHUNK) {
        const unsigned count = (unsigned)(length - at < CONSOLE_CHUNK ? length - at : CONSOLE_CHUNK);
        const uint64_t instant = (uint64_t)(start_ps / phase_ps);
        const int64_t offset = (start_ps % phase_ps) / 1000 * (maker->info->clock_hz / 1000) / 1000000;
        uint8_t record[PB_RECORD_MAX];
        if (offset >> OFFSET_BITS)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "a console line has to start %" PRId64
                           " ticks after a phase edge, the core's limit is %u; raise phase_rate or "
                           "release the node's messages in superframe 0",
                           offset, (1u << OFFSET_BITS) - 1);
        const unsigned size =
            make_record(record, 0x80 | seat, false, (uint32_t)(instant / maker->plan->phase_count),
                        (unsigned)(instant % maker->plan->phase_count), (uint32_t)offset,
                        maker->plan->console_period_q4, (const uint8_t *)text + at, count);
        const int code = add_record(maker, lane, instant, record, size);
        if (code)
            return pb_fail(diag, code, "no memory for the plan");
        start_ps += (count + 1) * byte_ps;
    }
    return PB_OK;
}

static int plan_typed(struct maker *maker, struct typed *typed, size_t count, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = maker->scenario;
    const int64_t byte_ps = 10 * PS_PER_S / (int64_t)scenario->console_baud_hz + 1;
    int64_t lane_free_ps[32] = {0}, seat_free_ps[PB_SCENARIO_NODES_MAX] = {0};

    qsort(typed, count, sizeof *typed, by_deadline);
    for (size_t i = 0; i < count; i++) {
        const unsigned seat = typed[i].seat;
        char text[200];
        pb_console_send_line(text, sizeof text - 1, scenario, typed[i].message);
        strcat(text, "\n");
        const unsigned length = (unsigned)strlen(text),
                       line_bytes = length + (length - 1) / CONSOLE_CHUNK; /* pauses, too */
        int64_t start_ps = typed[i].earliest_ps - (line_bytes - 1) * byte_ps;
        unsigned lane = maker->link_lanes_used;
        for (unsigned other = lane + 1; other < maker->info->lanes; other++)
            if (lane_free_ps[other] < lane_free_ps[lane])
                lane = other;
        const int64_t free_ps =
            seat_free_ps[seat] > lane_free_ps[lane] ? seat_free_ps[seat] : lane_free_ps[lane];
        if (start_ps < free_ps)
            start_ps = free_ps;
        if (start_ps + line_bytes * byte_ps > typed[i].latest_ps)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "the console at %" PRIu64 " baud is too slow to give node 0x%" PRIX32
                           " its message for superframe %" PRIu32
                           " in time; raise console_baud or release it in superframe 0",
                           scenario->console_baud_hz, scenario->node[seat].address,
                           scenario->traffic.message[typed[i].message].release_superframe);
        const int code = type_records(maker, lane, seat, start_ps, byte_ps, text, diag);
        if (code)
            return code;
        lane_free_ps[lane] = start_ps + (line_bytes + 1) * byte_ps;
        /* The node answers before it takes the next line. */
        seat_free_ps[seat] = start_ps + (line_bytes + CONSOLE_ANSWER_BYTES) * byte_ps;
    }
    return PB_OK;
}

static int plan_own_messages(struct maker *maker, const size_t *order, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = maker->scenario;
    const struct pb_traffic *traffic = &scenario->traffic;
    struct typed *typed = calloc(traffic->count + 1, sizeof *typed);
    maker->plan->line = calloc(traffic->count + 1, sizeof *maker->plan->line);
    if (!typed || !maker->plan->line) {
        free(typed);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the plan");
    }
    size_t count = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct pb_message *message = &traffic->message[order[i]];
        const int seat = pb_seat_of(scenario, message->source);
        if (seat < 0 || message->source == message->destination)
            continue;
        if (message->release_superframe == 0 && message->release_phase == 0) {
            struct pb_console_line *line = &maker->plan->line[maker->plan->lines++];
            line->seat = (unsigned)seat;
            line->message = order[i];
            pb_console_send_line(line->text, sizeof line->text, scenario, order[i]);
        } else
            typed[count++] = window(maker, (unsigned)seat, order[i], i);
    }
    const int code = plan_typed(maker, typed, count, diag);
    free(typed);
    return code;
}

static int by_instant(const void *left, const void *right)
{
    const struct pb_record *a = left, *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* ---- register values */

static int bit_period(uint32_t *period_q4, const char *what, uint64_t baud_hz, uint32_t clock_hz,
                      struct pb_diag *diag)
{
    const uint64_t period = (16 * (uint64_t)clock_hz + baud_hz / 2) / baud_hz;
    if (period < 16 * BIT_TICKS_MIN || period >= 16 * BIT_TICKS_TOP)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s of %" PRIu64 " baud is out of reach of a core at %" PRIu32 " Hz: use %" PRIu32
                       " to %" PRIu32 " baud",
                       what, baud_hz, clock_hz, clock_hz / BIT_TICKS_TOP + 1, clock_hz / BIT_TICKS_MIN);
    *period_q4 = (uint32_t)period;
    return PB_OK;
}

static int plan_registers(struct pb_plan *plan, const struct pb_scenario *scenario,
                          const struct pb_device_info *info, struct pb_diag *diag)
{
    const uint64_t scaled = (uint64_t)info->clock_hz * 1000, rate = scenario->phase_rate_mhz;
    plan->phase_count = pb_cube_phases(scenario->dims);
    plan->period_ticks = (uint32_t)(scaled / rate);
    plan->period_num = (uint32_t)(scaled % rate);
    plan->period_den = (uint32_t)rate;
    plan->high_ticks = plan->period_ticks / 2;
    if (scaled / rate >> PERIOD_BITS || rate >> PERIOD_BITS)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "a phase of %" PRIu64
                       " ticks is too long for the core: %u is the limit; raise phase_rate",
                       scaled / rate, (1u << PERIOD_BITS) - 1);
    plan->head_guard_ticks =
        (uint32_t)(((uint64_t)scenario->head_guard_ps / 1000 * (info->clock_hz / 1000) + 500000) / 1000000);
    if (plan->head_guard_ticks >> OFFSET_BITS)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "a head guard of %" PRIu32
                       " ticks is too long for the core: %u is the limit; lower head_guard",
                       plan->head_guard_ticks, (1u << OFFSET_BITS) - 1);
    int code = bit_period(&plan->bit_period_q4, "a link", scenario->baud_hz, info->clock_hz, diag);
    /* Half a bit: a line that rises more slowly cannot carry the baud anyway. */
    plan->join_blank_ticks =
        plan->bit_period_q4 / 32 < JOIN_BLANK_TOP ? plan->bit_period_q4 / 32 : JOIN_BLANK_TOP;
    if (!code)
        code = bit_period(&plan->console_period_q4, "a console", scenario->console_baud_hz, info->clock_hz,
                          diag);
    return code;
}

static int plan_links(struct pb_plan *plan, const struct pb_scenario *scenario,
                      const struct pb_device_info *info, struct pb_diag *diag)
{
    enum { MODE_NEIGHBOUR = 1, MODE_JOINED = 2 };
    if (pb_link_count(scenario) > info->links || scenario->node_count > info->nodes)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "%u nodes with %u links together do not fit the core: it has %u links and %u node ports",
            scenario->node_count, pb_link_count(scenario), info->links, info->nodes);
    for (unsigned seat = 0; seat < scenario->node_count; seat++)
        for (unsigned d = 0; d < scenario->dims; d++) {
            const int other = pb_seat_of(scenario, pb_neighbour(scenario->node[seat].address, d));
            const unsigned link = pb_link_of(scenario, seat, d);
            plan->link_mask |= UINT64_C(1) << link;
            plan->link_config[link] = other < 0 ? MODE_NEIGHBOUR
                                                : MODE_JOINED | pb_link_of(scenario, (unsigned)other, d)
                                                                    << PB_LINK_PARTNER_LSB;
        }
    return PB_OK;
}

int pb_plan_make(struct pb_plan *plan, const struct pb_scenario *scenario, const struct pb_device_info *info,
                 struct pb_diag *diag)
{
    *plan = (struct pb_plan){0};
    int code = plan_registers(plan, scenario, info, diag);
    if (!code)
        code = plan_links(plan, scenario, info, diag);
    if (code) {
        *plan = (struct pb_plan){0};
        return code;
    }

    struct maker maker = {.plan = plan,
                          .scenario = scenario,
                          .info = info,
                          .link_lanes = info->lanes - 1,
                          .lane_instant = UINT64_MAX};
    maker.sequence = malloc(scenario->traffic.count + 1);
    size_t *order = malloc((scenario->traffic.count + 1) * sizeof *order);
    struct pb_flow_stats stats;
    code = !maker.sequence || !order ? PB_ERR_MEMORY : pb_message_order(scenario, maker.sequence, order);
    if (!code)
        code = pb_flow_run(scenario->dims, scenario->rule, &scenario->traffic, scenario->superframes,
                           plan_crossing, &maker, &stats);
    if (!code)
        code = maker.code;
    if (code == PB_ERR_CONFIG)
        pb_fail(diag, code,
                "more than %u virtual neighbours send in one phase, the core has %u lanes for them; put "
                "fewer nodes on the rig",
                maker.link_lanes, maker.link_lanes);
    else if (code)
        pb_fail(diag, code, "no memory for the plan");
    else
        code = plan_own_messages(&maker, order, diag);
    if (!code && plan->records)
        qsort(plan->record, plan->records, sizeof *plan->record, by_instant);
    free(maker.sequence);
    free(order);
    if (code)
        pb_plan_free(plan);
    return code;
}

void pb_plan_free(struct pb_plan *plan)
{
    free(plan->record);
    free(plan->bytes);
    free(plan->line);
    *plan = (struct pb_plan){0};
}
