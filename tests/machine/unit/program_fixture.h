/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs played twice: by the player, and here by the definition of a phase, one phase after the other,
 * with each frame taken as soon as it is sent. So here the second sender of a wire takes before it emits.
 */
#ifndef PROGRAM_FIXTURE_H
#define PROGRAM_FIXTURE_H

#include "phasebench/program.h"
#include "tests/bench/unit/noise.h"

#include <stdlib.h>
#include <string.h>

#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static inline uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}
static inline void set_word(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++, word >>= 8)
        bytes[i] = (uint8_t)word;
}

/* 32 random bits. */
static inline uint32_t drawn(uint64_t *state)
{
    return (uint32_t)(random_step(state) >> 32);
}

/* New inputs of all nodes, at random, which are handed over. */
static inline uint8_t *random_inputs(const struct pb_program *program, const struct pb_network *network,
                                     uint64_t seed)
{
    const size_t length = pb_program_input_bytes(program, network) * network->nodes;
    uint8_t *inputs = hand_over(malloc(length), free);
    for (size_t i = 0; i < length; i++)
        inputs[i] = (uint8_t)(drawn(&seed) >> 11);
    return inputs;
}

/* Begun on these inputs; for pb_program_play_free. */
static inline struct pb_program_play *begun(const struct pb_program *program,
                                            const struct pb_network *network, uint32_t argument,
                                            const uint8_t *inputs)
{
    struct pb_program_play *play;
    struct pb_diag diag = {""};
    const size_t length = pb_program_input_bytes(program, network) * network->nodes;
    if (pb_program_play_create(&play, program, network, argument, inputs, length, &diag))
        fail_msg("%s: %s", program->name, diag.text);
    return play;
}

/* Played to its end; for pb_program_play_free. */
static inline struct pb_program_play *played(const struct pb_program *program,
                                             const struct pb_network *network, uint32_t argument,
                                             const uint8_t *inputs)
{
    struct pb_program_play *play = begun(program, network, argument, inputs);
    while (pb_program_play_step(play, NULL, NULL))
        ;
    return play;
}

/* The word that a node, or the node of an index, has as its result. */
static inline uint32_t result_word(const struct pb_program_play *play, uint32_t node)
{
    return word_at(pb_program_play_result(play, node));
}

/* ---- all frames of a play: 1 byte that says sent, and the payload, for each superframe, phase and node */

struct frames {
    const struct pb_network *network;
    uint8_t *bytes;
    size_t count;
};

enum { FRAME_SIZE = 1 + PB_PROGRAM_PAYLOAD_MAX };

static inline uint8_t *frame_at(const struct frames *frames, uint32_t superframe, unsigned phase,
                                uint32_t node)
{
    return frames->bytes +
           FRAME_SIZE *
               (((size_t)superframe * frames->network->phases + phase) * frames->network->nodes + node);
}

static inline struct frames new_frames(const struct pb_network *network, uint32_t superframes)
{
    const size_t size = (size_t)superframes * network->phases * network->nodes;
    return (struct frames){network, hand_over(calloc(size, FRAME_SIZE), free), 0};
}

struct frame_log {
    struct frames frames;
    unsigned payload_bytes;
};

static inline void log_frame(void *context, const struct pb_program_frame *frame)
{
    struct frame_log *log = context;
    uint8_t *at = frame_at(&log->frames, frame->superframe, frame->phase, frame->from);
    const struct pb_network *network = log->frames.network;
    assert_true(pb_network_is(network, frame->from, frame->phase, PB_ROLE_SEND, frame->port));
    assert_int_equal(pb_network_neighbour(network, frame->from, frame->port), frame->to);
    assert_int_equal(*at, 0); /* one frame in a phase */
    *at = 1;
    memcpy(at + 1, frame->payload, log->payload_bytes);
    log->frames.count++;
}

/* ---- the same by the definition */

struct naive {
    struct frames frames;
    uint8_t *results;
    bool depends; /* some node sent what depends on what it took on the same wire */
};

static inline struct naive naive_play(const struct pb_program *program, const struct pb_network *network,
                                      uint32_t argument, const uint8_t *inputs)
{
    const uint32_t superframes = program->superframes(network, argument);
    const size_t bytes = pb_program_input_bytes(program, network);
    const size_t result_bytes = pb_program_result_bytes(program, network);
    struct naive naive = {.frames = new_frames(network, superframes),
                          .results = hand_over(calloc(network->nodes, result_bytes), free)};
    unsigned char(*states)[PB_PROGRAM_STATE_MAX] =
        hand_over(aligned_alloc(64, network->nodes * sizeof *states), free);
    memset(states, 0, network->nodes * sizeof *states);
    for (uint32_t node = 0; node < network->nodes; node++) {
        const struct pb_program_place place = {network, node, argument, naive.results + node * result_bytes};
        program->begin(states[node], &place, inputs + node * bytes, bytes);
    }
    for (uint32_t superframe = 0; superframe < superframes; superframe++) {
        for (unsigned phase = 0; phase < network->phases; phase++)
            for (uint32_t node = 0; node < network->nodes; node++) {
                const struct pb_slot slot = pb_network_slot(network, node, phase);
                if (slot.role != PB_ROLE_SEND)
                    continue;
                const struct pb_peer peer = pb_network_peer(network, node, slot.port);
                uint8_t payload[PB_PROGRAM_PAYLOAD_MAX] = {0}, other[PB_PROGRAM_PAYLOAD_MAX] = {0};
                const uint8_t *first = frame_at(&naive.frames, superframe, phase - phase % 2, peer.node);
                _Alignas(64) unsigned char copy[PB_PROGRAM_STATE_MAX];
                memcpy(copy, states[node], sizeof copy);
                if (phase % 2 && first[0]) { /* once more, after a frame with other bits */
                    for (unsigned i = 0; i < program->payload_bytes; i++)
                        other[i] = first[1 + i] ^ 0x55;
                    program->take(copy, superframe, slot.port, other);
                    memset(other, 0, sizeof other);
                }
                const bool sent = program->emit(states[node], superframe, slot.port, payload);
                const bool also = program->emit(copy, superframe, slot.port, other);
                naive.depends = naive.depends || also != sent ||
                                (sent && memcmp(payload, other, program->payload_bytes) != 0);
                if (!sent)
                    continue;
                uint8_t *at = frame_at(&naive.frames, superframe, phase, node);
                *at = 1;
                memcpy(at + 1, payload, program->payload_bytes);
                naive.frames.count++;
                program->take(states[peer.node], superframe, peer.port, payload);
            }
        for (uint32_t node = 0; node < network->nodes; node++)
            program->end(states[node], superframe);
    }
    return naive;
}

#endif
