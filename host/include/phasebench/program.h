/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs: what the nodes of a network compute together, by the schedule alone.
 *
 * In each of its phases a node sends one frame of `payload_bytes`, or is silent; it needs no destination and
 * no number, as every node knows the program. A wire has two consecutive phases, one for each direction. What
 * a node sends on a wire does not depend on what it receives on that wire in the same superframe. So a
 * superframe is one exchange a wire, digit by digit in ascending order. docs/use/programs.md has the schedule
 * of each program and the proof of its number of superframes.
 *
 * Pure: no I/O. Numbers in inputs, results and payloads are little-endian.
 */
#ifndef PHASEBENCH_PROGRAM_H
#define PHASEBENCH_PROGRAM_H

#include "phasebench/api.h"
#include "phasebench/network.h"

PB_API_BEGIN

/* What a node has for a program. */
#define PB_PROGRAM_STATE_MAX 256u
#define PB_PROGRAM_PAYLOAD_MAX 8u
#define PB_PROGRAM_ROOMS_MAX 4u

/* Where an instance of a program runs. The network lives as long as the instance. */
struct pb_program_place {
    const struct pb_network *network;
    uint32_t address, argument;
    uint8_t *result; /* pb_program_result_bytes; the program keeps it valid after `begin` and each `end` */
};

struct pb_program {
    const char *name;
    const char *summary;     /* starts with a small letter, no full stop */
    const char *argument_is; /* what the argument chooses; NULL: it must be 0 */
    uint32_t argument_initial, argument_most;
    unsigned state_bytes, payload_bytes; /* at most PB_PROGRAM_STATE_MAX, PB_PROGRAM_PAYLOAD_MAX */
    unsigned rooms;                      /* messages of others and its own that a node holds at most */
    unsigned input_bytes, result_bytes;  /* of a node ... */
    bool each_node;                      /* ... for each node of the network */
    /* 0, or PB_ERR_ARGUMENT with a diagnostic: this network or argument is not possible. NULL: all networks,
     * arguments to argument_most. */
    int (*suits)(const struct pb_network *network, uint32_t argument, struct pb_diag *diag);
    uint32_t (*superframes)(const struct pb_network *network, uint32_t argument);
    /* The node that has input, or result, number `index`, in the order in which people count them: the rank
     * of a key, row by row of a picture. NULL: the node of that address. */
    uint32_t (*source)(const struct pb_network *network, uint32_t argument, uint32_t index);
    uint32_t (*sink)(const struct pb_network *network, uint32_t argument, uint32_t index);

    /* The state is aligned for any type, and zero before `begin`. The input stays valid as long as the state.
     * Calls of one superframe: for each wire of the node, in the order of its phases, `emit` and, if the
     * peer is not silent, `take`, in either order; then `end`. */
    void (*begin)(void *state, const struct pb_program_place *place, const uint8_t *input, size_t length);
    bool (*emit)(void *state, uint32_t superframe, unsigned port, uint8_t *payload); /* false: silent */
    void (*take)(void *state, uint32_t superframe, unsigned port, const uint8_t *payload);
    void (*end)(void *state, uint32_t superframe); /* after the last phase */
};

/* The shipped programs, in the order of the documents; NULL: no such index, or name. */
const struct pb_program *pb_program_at(size_t index);
const struct pb_program *pb_program_find(const char *name);

/* Bytes of input and of result of one node. */
size_t pb_program_input_bytes(const struct pb_program *program, const struct pb_network *network);
size_t pb_program_result_bytes(const struct pb_program *program, const struct pb_network *network);
/* Nodes by the order of inputs and results; index < nodes. */
uint32_t pb_program_source(const struct pb_program *program, const struct pb_network *network,
                           uint32_t argument, uint32_t index);
uint32_t pb_program_sink(const struct pb_program *program, const struct pb_network *network,
                         uint32_t argument, uint32_t index);

/* What the firmware of a port needs of a phase in addition to the frame: the shortest time with which a run
 * passes, on the emulated image at its clock, at node 0xFFF of the 12-cube, with the codec slot. 5 us of it
 * are the head guard. Measured by bench/perf/programs.sh, in simulated time. */
struct pb_program_need {
    const char *port;
    unsigned us;
    bool or_less; /* less than `us` was not tried */
};
/* False: no such index, or the program is not measured. */
bool pb_program_need(const struct pb_program *program, size_t index, struct pb_program_need *need);

/* ---- the player: all nodes of a network */

struct pb_program_play;

struct pb_program_frame {
    uint32_t superframe;
    unsigned phase, port; /* port: of the sender */
    uint32_t from, to;
    const uint8_t *payload; /* payload_bytes; until the function returns */
};
typedef void pb_program_frame_fn(void *context, const struct pb_program_frame *frame);

/* Begins the program on every node. inputs: those of all nodes by address, length bytes in all; borrowed
 * until pb_program_play_free. The network is copied. PB_ERR_ARGUMENT with cause, value, limit and remedy: the
 * program needs more than a node has, another network, another argument, or an input of another length.
 * PB_ERR_MEMORY. *play is then NULL, else for pb_program_play_free. */
int pb_program_play_create(struct pb_program_play **play, const struct pb_program *program,
                           const struct pb_network *network, uint32_t argument, const uint8_t *inputs,
                           size_t length, struct pb_diag *diag);
void pb_program_play_free(struct pb_program_play *play); /* NULL: no effect */

/* Plays the next superframe. Both nodes of a wire emit before either takes, so no frame can depend on the
 * other one of its wire. visit (NULL: none) is called for each frame: wires in the order of their phases,
 * both frames of a wire one after the other. False: all superframes are played, nothing changed. */
bool pb_program_play_step(struct pb_program_play *play, pb_program_frame_fn *visit, void *context);

uint32_t pb_program_play_superframe(const struct pb_program_play *play);  /* how many are played */
uint32_t pb_program_play_superframes(const struct pb_program_play *play); /* of the program */
/* State and result of a node, valid until the next step. */
const void *pb_program_play_state(const struct pb_program_play *play, uint32_t node);
const uint8_t *pb_program_play_result(const struct pb_program_play *play, uint32_t node);

/* ---- the exchange in steps (Bokhari, 1991)
 *
 * A complete exchange on a cube of n dimensions is one on subcubes of d_1 dimensions, then on subcubes of the
 * next d_2 dimensions, and so on, n in all. In step i a node has a block of m 2^(n - d_i) bytes for each node
 * of its subcube. Rounds k and NOT k of a subcube share a superframe, so a step takes 2^(d_i - 1) frames of
 * each directed link for each `payload_bytes` of a block. A step begins in the superframe in which the one
 * before it ends, as its dimensions come later. One step is the program `exchange`. */
struct pb_exchange_steps {
    unsigned steps;
    uint8_t dims[PB_NETWORK_DIGITS_MAX]; /* of the subcube of each step */
    unsigned payload_bytes;              /* of every frame */
    uint64_t superframes;
    int64_t duration_ps; /* rounded up */
};
struct pb_exchange_line {
    uint64_t baud_hz;     /* 8N1 */
    int64_t guard_ps;     /* both guards of a phase together */
    unsigned check_bytes; /* of a frame, in addition to its payload */
};
#define PB_EXCHANGE_PAYLOAD_MAX 80u
#define PB_EXCHANGE_DIMS_MAX 12u
#define PB_EXCHANGE_MESSAGE_MAX 65535u /* bytes; also of check_bytes */

/* The shortest exchange of `message_bytes` (1 or more) between all nodes of a cube of `dims` (1 or more)
 * dimensions, with baud and guards in the ranges of budget.h: over payloads of 1 to PB_EXCHANGE_PAYLOAD_MAX
 * bytes, and over all steps, at most `steps_most`. Of two that take as long, the one with fewer steps, then
 * with a smaller payload. `steps` 0: outside these ranges, or none ends within 106 days. */
struct pb_exchange_steps pb_exchange_shortest(unsigned dims, unsigned message_bytes, unsigned steps_most,
                                              const struct pb_exchange_line *line);

PB_API_END

#endif
