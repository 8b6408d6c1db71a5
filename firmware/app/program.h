/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program of all nodes, in place of messages (docs/use/programs.md): what this node sends in each own
 * phase, and what it does with what it receives. Superframe 0 of a program begins with the first phase 0
 * after it was loaded. A frame that is missing, or wrong, or a phase that is not due ends it; then the
 * node is silent.
 *
 * A port that has room for a program gives the memory in node_config; a port without it refuses the
 * command P, and links none of this.
 */
#ifndef FW_PROGRAM_H
#define FW_PROGRAM_H

#include "route.h"

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_DATA_MAX 64 /* input and result of a node: `exchange` of 16 nodes */

enum program_status { PROGRAM_NONE, PROGRAM_WAITS, PROGRAM_RUNS, PROGRAM_DONE, PROGRAM_STOPPED };

#define PROGRAM_NO_WIRE UINT8_C(0xFF)

struct program_code;
struct program_ops;

struct program {
    const struct program_ops *ops; /* program_ops, set by the port before node_init */
    /* The rest is private to program.c and the shipped programs. */
    const struct program_code *code;
    const struct route_network *network;
    uint16_t address, argument, superframes;
    uint16_t superframe; /* of what is sent and taken next; of the end, once it has ended */
    uint8_t status;      /* enum program_status */
    uint8_t phase;       /* the current one, or that of the end */
    uint8_t wire;        /* port of the last frame, PROGRAM_NO_WIRE: none in this superframe */
    bool awaits;         /* a frame is due in the current phase */
    bool settles;        /* the phase began, and `settle` has not been called */
    uint8_t sequence;    /* of the next frame, modulo 16 */
    uint32_t word[4];    /* the state of the program */
    uint8_t input[PROGRAM_DATA_MAX], result[PROGRAM_DATA_MAX];
};

struct program_ops {
    void (*init)(struct program *program);
    /* Sets all of *program but ops and status, which stays PROGRAM_NONE, by a name of `name_length`
     * characters. Returns NULL, or the reason of the refusal: the name (unknown), network or argument
     * (range), the length of the input or of the payloads of the run (length). */
    const char *(*load)(struct program *program, const char *name, uint8_t name_length,
                        const struct route_network *network, uint16_t address, uint16_t argument,
                        const uint8_t *input, uint8_t length, uint8_t payload_bytes);
    /* An edge: the phase that begins. */
    void (*edge)(struct program *program, uint8_t phase);
    /* In the same handler, after the frame or the receiver was armed: what of the program takes time. */
    void (*settle)(struct program *program);
    /* Writes the payload of a frame, if the node sends one in a phase to come, on this port. */
    bool (*emit)(struct program *program, uint8_t phase, uint8_t port, uint8_t *payload);
    /* A valid frame in the current phase; NULL: it is for another node. Returns false if the program does not
     * take it. */
    bool (*take)(struct program *program, const uint8_t *payload);
    uint8_t (*result_bytes)(const struct program *program);
};
extern const struct program_ops program_ops;

#endif
