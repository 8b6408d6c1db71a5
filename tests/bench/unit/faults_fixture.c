/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/faults_fixture.h"
#include "host/plan/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char yaml[] =
    "cube: {dims: 3}\nsuperframes: 10\nlink: {phase_rate: 10 kHz, baud: 1 Mbaud, guard: 10 us}\n"
    "nodes: [{address: 5}]\ntraffic: [{pattern: 'xor:0x7', repeat: 8}]\n";

uint64_t model_at(uint32_t superframe, unsigned phase)
{
    return M_START + (uint64_t)M_PHASE * (M_PHASES * superframe + phase);
}

/* On its way to the complement a message has crossed all lower dimensions when it leaves along d. */
static size_t message_leaving(const struct pb_scenario *scenario, uint32_t from, unsigned d,
                              uint32_t superframe)
{
    const uint32_t source = from ^ ((1u << d) - 1);
    for (size_t i = 0; i < scenario->traffic.count; i++)
        if (scenario->traffic.message[i].source == source &&
            scenario->traffic.message[i].release_superframe == superframe)
            return i;
    fail_msg("no message of 0x%x in superframe %u", source, superframe);
    return 0;
}

static void add_frame(struct model *model, uint32_t superframe, unsigned phase)
{
    const unsigned d = phase / 2;
    const bool node = (5u >> d & 1) == phase % 2; /* phase 2d + b: nodes with bit d = b send */
    struct model_frame *frame = &model->frame[model->frames++];
    uint8_t bytes[PB_FRAME_MAX];
    const size_t message = message_leaving(model->scenario, node ? 5 : 5 ^ 1u << d, d, superframe);
    *frame = (struct model_frame){.superframe = superframe, .phase = phase, .link = d, .bench = !node};
    frame->start = model_at(superframe, phase) + M_HEAD + (node ? 2 + superframe % 3 : 0);
    frame->bit_q8 = M_BIT * 256;
    frame->count = pb_frame(model->scenario, message, model->scenario->traffic.message[message].destination,
                            superframe, bytes);
    assert_int_equal(frame->count, M_BYTES);
    memcpy(frame->byte, bytes, M_BYTES);
}

void model_open(struct model *model)
{
    memset(model, 0, sizeof *model);
    model->scenario = parse_scenario(yaml);
    model->scenario->fault = model->fault;
    for (uint32_t superframe = 0; superframe < M_BUSY; superframe++)
        for (unsigned phase = 0; phase < M_PHASES; phase++)
            add_frame(model, superframe, phase);
    for (unsigned i = 0; i < M_EDGES; i++) {
        model->ideal[i] = model_at(0, i);
        model->sync[i] = i % M_PHASES == 0;
        model->sync_ago[i] = -1;
    }
}

void model_close(struct model *model)
{
    model->scenario->fault = NULL;
    model->scenario->fault_count = 0;
    model->scenario = NULL;
}

struct model model;

void open_model(void)
{
    model_open(&model);
}

void close_model(void)
{
    model_close(&model);
}

struct model_frame *model_find(struct model *model, uint32_t superframe, unsigned phase)
{
    for (unsigned i = 0; i < model->frames; i++)
        if (model->frame[i].superframe == superframe && model->frame[i].phase == phase)
            return &model->frame[i];
    fail_msg("no frame in superframe %u phase %u", superframe, phase);
    return NULL;
}

bool model_level(const struct model_frame *frame, unsigned bit)
{
    const unsigned at = bit % 10;
    return at == 9 || (at && frame->byte[bit / 10] >> (at - 1) & 1);
}

void model_low(struct model *model, unsigned link, uint64_t from, unsigned ticks)
{
    assert_true(model->lows < M_LOWS_MAX);
    model->low[model->lows].link = link;
    model->low[model->lows].from = from;
    model->low[model->lows++].to = from + ticks;
}

void model_cut(struct model *model, unsigned link, uint64_t from, uint64_t to)
{
    model->cut[model->cuts].link = link;
    model->cut[model->cuts].from = from;
    model->cut[model->cuts++].to = to;
}

void model_slow(struct model *model, unsigned link, uint64_t from, uint64_t to, unsigned delay)
{
    model->slow_delay[model->slows] = delay;
    model->slow[model->slows].link = link;
    model->slow[model->slows].from = from;
    model->slow[model->slows++].to = to;
}

void model_join(struct model *model, unsigned link, unsigned other, uint64_t from, uint64_t to)
{
    model->join_other[model->joins] = other;
    model->joined[model->joins].link = link;
    model->joined[model->joins].from = from;
    model->joined[model->joins++].to = to;
}

void model_displace(struct model *model, uint32_t superframe, unsigned phase, int64_t ticks)
{
    model->tie[M_PHASES * superframe + phase] = ticks;
    for (unsigned i = 0; i < model->frames; i++) {
        struct model_frame *frame = &model->frame[i];
        if (!frame->bench && frame->superframe == superframe && frame->phase == phase)
            frame->start += (uint64_t)ticks;
    }
}

void model_stretch(struct model *model, unsigned from, int excess)
{
    for (unsigned i = from; i < M_EDGES; i++) {
        const int64_t more = llround((double)excess * (i - from) / 1000);
        model->ideal[i] += (uint64_t)more;
        for (unsigned k = 0; k < model->frames; k++)
            if (M_PHASES * model->frame[k].superframe + model->frame[k].phase == i)
                model->frame[k].start += (uint64_t)more;
    }
}

void model_follow(struct model *model, int excess)
{
    model_close(model);
    model_open(model);
    model->scenario->follow = true;
    model_stretch(model, 0, excess);
    for (unsigned i = 0; i < M_EDGES; i++) {
        model->tie[i] = -2;
        model->ideal[i] += 2;
    }
}

void model_event(struct model *model, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    assert_true(model->extras < M_EXTRA_MAX);
    model->extra[model->extras++] =
        (struct pb_event){.tick = tick, .kind = kind, .link = (uint8_t)link, .value = value};
}

void model_alarm(struct model *model, unsigned code, unsigned link, uint64_t tick)
{
    model_event(model, PB_EVENT_ALARM, link, tick, code);
}

unsigned model_order(struct model *model, unsigned kind, unsigned link, uint32_t superframe, unsigned phase)
{
    const unsigned number = model->scenario->fault_count++;
    model->fault[number] = (struct pb_fault){.kind = kind,
                                             .number = number,
                                             .dimension = link == PB_FAULT_CLOCK_LINK ? 0 : link,
                                             .superframe = superframe,
                                             .phase = phase};
    return number;
}

void model_receipt(struct model *model, unsigned number, unsigned what, uint64_t tick)
{
    const struct pb_fault *fault = &model->fault[number];
    const bool clock = pb_fault_info(fault->kind)->place == PB_FAULT_ON_CLOCK;
    model_event(model, PB_EVENT_FAULT, clock ? PB_FAULT_CLOCK_LINK : fault->dimension, tick,
                PB_PUT(PB_EVENT_FAULT_KIND, fault->kind) | PB_PUT(PB_EVENT_FAULT_WHAT, what) |
                    PB_PUT(PB_EVENT_FAULT_NUMBER, number));
}

unsigned model_inject(struct model *model, unsigned kind, unsigned link, uint32_t superframe, unsigned phase,
                      uint64_t from, uint64_t to)
{
    const unsigned number = model_order(model, kind, link, superframe, phase);
    model_receipt(model, number, 1, from);
    model_receipt(model, number, 0, to);
    return number;
}

/* ---- wires */

struct wire {
    struct {
        uint64_t from, to;
    } low[9000];
    unsigned lows;
};

static void pull(struct wire *wire, uint64_t from, uint64_t to)
{
    assert_true(wire->lows < sizeof wire->low / sizeof wire->low[0]);
    wire->low[wire->lows].from = from;
    wire->low[wire->lows++].to = to;
}

static void send(struct wire *wire, const struct model_frame *frame)
{
    for (unsigned i = 0; i < frame->count; i++)
        for (unsigned bit = 0; bit < 10; bit++) {
            const bool stop = bit == 9 && !(frame->last_stop_low && i + 1 == frame->count);
            const bool high = stop || (bit > 0 && bit < 9 && (frame->byte[i] >> (bit - 1) & 1));
            const uint64_t at = 10 * i + bit;
            if (!high)
                pull(wire, frame->start + (at * frame->bit_q8 >> 8),
                     frame->start + ((at + 1) * frame->bit_q8 >> 8));
        }
}

static int by_from(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts the pulses and makes one of those that touch. */
static void merge(struct wire *wire)
{
    unsigned kept = 0;
    qsort(wire->low, wire->lows, sizeof wire->low[0], by_from);
    for (unsigned i = 0; i < wire->lows; i++)
        if (kept && wire->low[i].from <= wire->low[kept - 1].to) {
            if (wire->low[i].to > wire->low[kept - 1].to)
                wire->low[kept - 1].to = wire->low[i].to;
        } else
            wire->low[kept++] = wire->low[i];
    wire->lows = kept;
}

static bool is_low(const struct wire *wire, uint64_t tick)
{
    for (unsigned i = 0; i < wire->lows && wire->low[i].from <= tick; i++)
        if (tick < wire->low[i].to)
            return true;
    return false;
}

static void add(struct pb_events *events, uint8_t kind, unsigned link, uint64_t tick, uint32_t value)
{
    const struct pb_event event = {
        .sequence = events->count, .tick = tick, .kind = kind, .link = (uint8_t)link, .value = value};
    assert_int_equal(pb_events_add(events, &event), 0);
}

/* Ticks from the last edge inside a byte to the next sample; none: 8191. */
static unsigned edge_left(const struct wire *wire, uint64_t start, uint64_t stop)
{
    uint64_t last = start;
    for (unsigned i = 0; i < wire->lows; i++) {
        const uint64_t edge[] = {wire->low[i].from, wire->low[i].to};
        for (unsigned k = 0; k < 2; k++)
            last = edge[k] > last && edge[k] <= stop ? edge[k] : last;
    }
    return last == start ? 8191 : (unsigned)((stop - last) % M_BIT);
}

/* Samples in the middle of the bits, from the falling edge of the start bit on. */
static void receive(struct pb_events *events, const struct wire *wire, unsigned link)
{
    uint64_t busy_to = 0;
    for (unsigned i = 0; i < wire->lows; i++) {
        const uint64_t start = wire->low[i].from;
        unsigned byte = 0;
        if (start < busy_to || !is_low(wire, start + M_BIT / 2))
            continue;
        for (unsigned bit = 1; bit < 9; bit++)
            byte |= (unsigned)!is_low(wire, start + M_BIT / 2 + M_BIT * bit) << (bit - 1);
        busy_to = start + M_BIT / 2 + M_BIT * 9;
        const bool stop = !is_low(wire, busy_to);
        add(events, PB_EVENT_BYTE, link, busy_to,
            PB_PUT(PB_EVENT_BYTE_DATA, byte) | PB_PUT(PB_EVENT_BYTE_STOP, stop) |
                PB_PUT(PB_EVENT_BYTE_LEFT, edge_left(wire, start, busy_to)));
    }
}

static void cut_wire(const struct model *model, struct wire *wire, unsigned link)
{
    for (unsigned k = 0; k < model->cuts; k++)
        for (unsigned i = 0; i < wire->lows && model->cut[k].link == link; i++) {
            const uint64_t from = model->cut[k].from, to = model->cut[k].to;
            if (wire->low[i].from >= from && wire->low[i].to <= to)
                wire->low[i].to = wire->low[i].from; /* an empty pulse, dropped below */
            else if (wire->low[i].from < from && wire->low[i].to > from)
                wire->low[i].to = from;
            else if (wire->low[i].from >= from && wire->low[i].from < to)
                wire->low[i].from = to;
        }
    unsigned kept = 0;
    for (unsigned i = 0; i < wire->lows; i++)
        if (wire->low[i].from != wire->low[i].to)
            wire->low[kept++] = wire->low[i];
    wire->lows = kept;
}

static void slow_wire(const struct model *model, struct wire *wire, unsigned link)
{
    for (unsigned k = 0; k < model->slows; k++)
        for (unsigned i = 0; i < wire->lows && model->slow[k].link == link; i++)
            if (wire->low[i].to >= model->slow[k].from && wire->low[i].to < model->slow[k].to)
                wire->low[i].to += model->slow_delay[k];
}

/* Each line gets what the other one does in that time. */
static void join_wires(const struct model *model, struct wire *wire)
{
    for (unsigned k = 0; k < model->joins; k++) {
        struct wire *pair[2] = {&wire[model->joined[k].link], &wire[model->join_other[k]]};
        const unsigned had[2] = {pair[0]->lows, pair[1]->lows};
        for (unsigned side = 0; side < 2; side++)
            for (unsigned i = 0; i < had[side]; i++) {
                uint64_t from = pair[side]->low[i].from, to = pair[side]->low[i].to;
                from = from < model->joined[k].from ? model->joined[k].from : from;
                to = to > model->joined[k].to ? model->joined[k].to : to;
                if (from < to)
                    pull(pair[!side], from, to);
            }
        merge(pair[0]);
        merge(pair[1]);
    }
}

struct pb_observation model_play(const struct model *model)
{
    struct pb_observation seen = {.info = {.clock_hz = M_CLOCK_HZ, .links = 12, .lanes = 3, .nodes = 1},
                                  .line_level = UINT64_MAX};
    struct wire *wire = calloc(M_LINKS, sizeof *wire);
    assert_non_null(wire);
    for (unsigned link = 0; link < M_LINKS; link++)
        seen.rise[link] = (struct pb_line_rise){.source = PB_RISE_SET,
                                                .min_ps = model->rise_ps,
                                                .max_ps = model->rise_ps,
                                                .pulses = 1,
                                                .pulse_ps = {model->rise_ps}};
    for (unsigned i = 0; i < M_EDGES; i++) {
        add(&seen.events, PB_EVENT_PHASE, 0, model->ideal[i],
            PB_PUT(PB_EVENT_PHASE_SUPERFRAME, i / M_PHASES) | PB_PUT(PB_EVENT_PHASE_PHASE, i % M_PHASES));
        if (!model->absent[i] && !model->no_tdma)
            add(&seen.events, PB_EVENT_TDMA, 0, model->ideal[i] + (uint64_t)model->tie[i],
                PB_PUT(PB_EVENT_TDMA_SYNC, model->sync[i]) |
                    PB_PUT(PB_EVENT_TDMA_AGE,
                           model->sync_ago[i] < 0 ? PB_EVENT_TDMA_AGE_MASK : (uint32_t)model->sync_ago[i]));
    }
    for (unsigned i = 0; i < model->frames; i++)
        if (!model->frame[i].absent)
            send(&wire[model->frame[i].link], &model->frame[i]);
    for (unsigned i = 0; i < model->lows; i++)
        pull(&wire[model->low[i].link], model->low[i].from, model->low[i].to);
    for (unsigned link = 0; link < M_LINKS; link++) {
        merge(&wire[link]);
        cut_wire(model, &wire[link], link);
        slow_wire(model, &wire[link], link);
        merge(&wire[link]);
    }
    join_wires(model, wire);
    for (unsigned link = 0; link < M_LINKS; link++) {
        receive(&seen.events, &wire[link], link);
        for (unsigned i = 0; i < wire[link].lows; i++) {
            add(&seen.events, PB_EVENT_EDGE, link, wire[link].low[i].from, 0);
            add(&seen.events, PB_EVENT_EDGE, link, wire[link].low[i].to, 1);
        }
    }
    for (unsigned i = 0; i < model->extras; i++)
        add(&seen.events, model->extra[i].kind, model->extra[i].link, model->extra[i].tick,
            model->extra[i].value);
    free(wire);
    pb_events_sort(&seen.events);
    return seen;
}

struct pb_result *model_judge(const struct model *model)
{
    struct pb_observation seen = model_play(model);
    struct pb_result *result = judge_seen(model->scenario, &seen);
    pb_observation_free(&seen);
    return result;
}

size_t model_count(const struct pb_result *result, enum pb_finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < result->findings; i++)
        count += result->finding[i].kind == kind;
    return count;
}

void model_expect_clean(const struct model *model)
{
    struct pb_result *result = model_judge(model);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->findings_total, 0);
}
