/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/stub_core.h"
#include "host/base/room.h"
#include "tests/bench/unit/check_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 10 };

/* ---- the node */

static uint32_t destination_of(const uint8_t *frame)
{
    return frame[0] | (frame[1] & 15u) << 8;
}

/* After all that is queued for its dimension, the lowest in which it has to be corrected. */
static int queue_frame(struct stub_core *core, const uint8_t *frame)
{
    uint64_t stored = 0;
    const uint32_t wanted = destination_of(frame) ^ core->scenario->node[0].address;
    struct stub_queue *queue = &core->queue[__builtin_ctz(wanted)];
    if (queue->count == STUB_ROOM)
        return PB_ERR_CONFIG;
    memcpy(queue->frame[(queue->head + queue->count++) % STUB_ROOM], frame, core->scenario->frame_bytes);
    for (unsigned port = 0; port < STUB_PORTS; port++)
        stored += core->queue[port].count;
    core->max_stored = stored > core->max_stored ? stored : core->max_stored;
    core->max_queue = queue->count > core->max_queue ? queue->count : core->max_queue;
    return PB_OK;
}

static int receive(struct stub_core *core, const uint8_t *frame, unsigned count)
{
    if (count != core->scenario->frame_bytes || crc8(frame, count))
        return PB_OK;
    core->rx_frames++;
    if (destination_of(frame) == core->scenario->node[0].address) {
        core->delivered++;
        return PB_OK;
    }
    core->forwarded++;
    return queue_frame(core, frame);
}

static void answer(struct stub_core *core, uint64_t tick, const char *text)
{
    const uint64_t byte_ticks = (uint64_t)BITS * core->plan->console_period_q4 / 16;
    if (core->answered_tick < tick)
        core->answered_tick = tick;
    for (; *text && core->answer_count < STUB_ANSWER; text++) {
        core->answered_tick += byte_ticks;
        core->answer[(core->answer_head + core->answer_count++) % STUB_ANSWER] =
            (struct stub_answer){core->answered_tick, (uint8_t)*text};
    }
}

/* "S DEST PAYLOAD" */
static int take_line(struct stub_core *core, const char *line, uint64_t tick)
{
    const unsigned payload_bytes = core->scenario->payload_bytes;
    uint8_t frame[PB_FRAME_MAX] = {0};
    unsigned destination;
    char text[16];
    int at = 0;
    if (sscanf(line, "S %x %n", &destination, &at) != 1 ||
        strlen(line + at) != (size_t)2 * payload_bytes)
        return PB_ERR_CONFIG;
    frame[0] = (uint8_t)destination;
    frame[1] = (uint8_t)(core->sequence << 4 | destination >> 8);
    for (unsigned i = 0; i < payload_bytes; i++) {
        unsigned byte;
        if (sscanf(line + at + 2 * i, "%2x", &byte) != 1)
            return PB_ERR_CONFIG;
        frame[2 + i] = (uint8_t)byte;
    }
    frame[2 + payload_bytes] = crc8(frame, 2 + payload_bytes);
    snprintf(text, sizeof text, "+S %X\n", core->sequence);
    answer(core, tick, text);
    core->sequence = (core->sequence + 1) % 16;
    core->own_messages++;
    return queue_frame(core, frame);
}

static int take_lines(struct stub_core *core, uint64_t up_to_tick)
{
    int code = PB_OK;
    while (core->typed_count && core->typed[core->typed_head].tick <= up_to_tick && !code) {
        const struct stub_typed *typed = &core->typed[core->typed_head];
        code = take_line(core, typed->text, typed->tick);
        core->typed_head = (core->typed_head + 1) % STUB_TYPED;
        core->typed_count--;
    }
    return code;
}

/* ---- the core */

static int add_answers(struct stub_core *core, uint64_t up_to_tick)
{
    int code = PB_OK;
    while (core->answer_count && core->answer[core->answer_head].tick <= up_to_tick && !code) {
        const struct stub_answer *said = &core->answer[core->answer_head];
        code = pin_event(&core->pins, PB_EVENT_CONSOLE, 0, said->tick,
                         PB_PUT(PB_EVENT_BYTE_DATA, said->byte) | PB_PUT(PB_EVENT_BYTE_STOP, 1));
        core->answer_head = (core->answer_head + 1) % STUB_ANSWER;
        core->answer_count--;
    }
    return code;
}

/* The bytes of a record on the node's console, each at its time. */
static int type(struct stub_core *core, uint64_t tick, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (core->text_at + 1 == sizeof core->text)
                return PB_ERR_CONFIG;
            core->text[core->text_at++] = (char)bytes[i];
            continue;
        }
        if (core->typed_count == STUB_TYPED)
            return PB_ERR_CONFIG;
        struct stub_typed *typed = &core->typed[(core->typed_head + core->typed_count++) % STUB_TYPED];
        memcpy(typed->text, core->text, core->text_at);
        typed->text[core->text_at] = 0;
        typed->tick = tick + (i + UINT64_C(1)) * BITS * core->plan->console_period_q4 / 16;
        core->text_at = 0;
    }
    return PB_OK;
}

static int play_record(struct stub_core *core, const uint8_t *record, uint64_t phase_tick)
{
    const struct pb_scenario *scenario = core->scenario;
    const unsigned target = PB_BYTES_GET(PB_PLAY_RECORD_TARGET, record),
                   count = PB_BYTES_GET(PB_PLAY_RECORD_COUNT, record);
    const uint64_t tick = phase_tick + PB_BYTES_GET(PB_PLAY_RECORD_OFFSET, record);
    const uint8_t *bytes = record + PB_PLAY_RECORD_BYTES;
    if (PB_BYTES_GET(PB_PLAY_RECORD_IMMEDIATE, record))
        return PB_ERR_CONFIG;
    if (target & PB_PLAY_TARGET_CONSOLE)
        return type(core, tick, bytes, count);
    const struct pb_slot slot =
        pb_network_slot(&scenario->network, scenario->node[0].address,
                        (unsigned)PB_BYTES_GET(PB_PLAY_RECORD_PHASE, record));
    int code = pin_frame(&core->pins, scenario, target, tick, bytes, count);
    if (!code)
        code = take_lines(core, core->pins.events.event[core->pins.events.count - 1].tick);
    if (!code && slot.role == PB_ROLE_LISTEN && slot.port == target)
        code = receive(core, bytes, count);
    return code;
}

static int send(struct stub_core *core, unsigned phase, uint64_t phase_tick)
{
    const struct pb_scenario *scenario = core->scenario;
    const struct pb_slot slot = pb_network_slot(&scenario->network, scenario->node[0].address, phase);
    struct stub_queue *queue = &core->queue[slot.port];
    if (slot.role != PB_ROLE_SEND || !queue->count)
        return PB_OK;
    uint8_t *frame = queue->frame[queue->head];
    queue->head = (queue->head + 1) % STUB_ROOM;
    queue->count--;
    core->tx_frames++;
    if (core->superframe == core->lie_superframe) {
        frame[2] ^= 1;
        core->lie_superframe = UINT64_MAX;
    }
    return pin_frame(&core->pins, scenario, slot.port, phase_tick + core->plan->head_guard_ticks, frame,
                     scenario->frame_bytes);
}

/* What the node said since the last edge comes with this one: a core sends nearly in the order of time. */
static int play_phase(struct stub_core *core, unsigned phase, size_t *next)
{
    const struct pb_record_list *now = &core->plan->now;
    const uint64_t tick = pin_phase_tick(core->scenario, core->start_tick, core->superframe, phase);
    int code = take_lines(core, tick);
    if (!code)
        code = add_answers(core, tick);
    if (!code)
        code = pin_phase(&core->pins, tick, core->superframe, phase);
    if (!code)
        code = send(core, phase, tick);
    for (; *next < now->records && !code; ++*next) {
        const uint8_t *record = now->bytes + now->record[*next].at;
        if (PB_BYTES_GET(PB_PLAY_RECORD_PHASE, record) != phase)
            break;
        code = PB_BYTES_GET(PB_PLAY_RECORD_SUPERFRAME, record) ==
                       (core->superframe & PB_PLAY_RECORD_SUPERFRAME_MASK)
                   ? play_record(core, record, tick)
                   : PB_ERR_CONFIG;
    }
    return code;
}

/* What a session notes of the lines that are typed. */
static int note_typed(struct stub_core *core)
{
    const struct pb_plan *plan = core->plan;
    struct pb_observation *seen = &core->seen;
    if (pb_make_room(&seen->typed, &core->typed_capacity, seen->typings + plan->typed_lines,
                     sizeof *seen->typed))
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < plan->typed_lines; i++)
        seen->typed[seen->typings++] = plan->typed[i].message;
    seen->typed_nodes |= plan->typed_lines > 0;
    return PB_OK;
}

int stub_core_next(struct stub_core *core)
{
    const unsigned phases = core->scenario->network.phases;
    size_t next = 0;
    int code = note_typed(core);
    core->pins.events.count = 0;
    for (unsigned phase = 0; phase < phases && !code; phase++)
        code = play_phase(core, phase, &next);
    if (!code && next < core->plan->now.records)
        code = PB_ERR_CONFIG;
    core->superframe++;
    return code;
}

void stub_core_forget_typed(struct stub_core *core, uint64_t done)
{
    struct pb_observation *seen = &core->seen;
    const size_t known = (size_t)(done - seen->typings_before);
    seen->typings_before = done;
    seen->typings -= known;
    if (known)
        memmove(seen->typed, seen->typed + known, seen->typings * sizeof *seen->typed);
}

void stub_core_end(struct stub_core *core)
{
    struct pb_node_answer *said = &core->seen.answer[0];
    core->seen.end_tick =
        pin_phase_tick(core->scenario, core->start_tick, core->superframe, 0) + PIN_EVENTS_CLOCK_HZ / 100;
    said->counted = true;
    snprintf(said->statistics, sizeof said->statistics,
             "+T edges=%" PRIX64 " superframes=%" PRIX32 " rx_frames=%" PRIX64 " delivered=%" PRIX64
             " forwarded=%" PRIX64 " own_messages=%" PRIX64 " tx_frames=%" PRIX64 " max_queue=%" PRIX64
             " max_stored=%" PRIX64 " console_lines=%" PRIX64
             " alignment_errors=0 missed_edges=0 extra_edges=0 rx_crc_errors=0 rx_length_errors=0"
             " rx_mark_errors=0 rx_framing_errors=0 rx_cut=0 rx_bad_destinations=0 tx_cut=0 late_starts=0"
             " queue_drops=0 console_errors=0",
             (uint64_t)core->superframe * core->scenario->network.phases, core->superframe, core->rx_frames,
             core->delivered, core->forwarded, core->own_messages, core->tx_frames, core->max_queue,
             core->max_stored, core->own_messages + 1);
}

int stub_core_open(struct stub_core *core, const struct pb_scenario *scenario, const struct pb_plan *plan)
{
    int code = scenario->node_count == 1 && scenario->network.dims && scenario->network.dims <= STUB_PORTS &&
                       scenario->rule == PB_RULE_ECUBE && scenario->codec == PB_CODEC_SLOT
                   ? PB_OK
                   : PB_ERR_CONFIG;
    *core = (struct stub_core){.scenario = scenario,
                               .plan = plan,
                               .lie_superframe = UINT64_MAX,
                               .start_tick = PIN_EVENTS_CLOCK_HZ / 100,
                               .seen = pin_observation(scenario)};
    for (size_t i = 0; i < plan->lines && !code; i++)
        code = take_line(core, plan->line[i].text, 0);
    core->answer_count = 0; /* the session has read these answers */
    core->answered_tick = 0;
    core->seen.answers = plan->lines;
    core->seen.answer[0] = (struct pb_node_answer){.asked = true, .identified = true, .counts = true};
    snprintf(core->seen.answer[0].identity, sizeof core->seen.answer[0].identity,
             "+I node=stub addr=%" PRIX32 " dims=%X fw=0", scenario->node[0].address, scenario->network.dims);
    return code;
}

void stub_core_close(struct stub_core *core)
{
    pb_events_free(&core->pins.events);
    pb_observation_free(&core->seen);
}
