/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Traffic: lists of messages, and the named patterns that generate them. Pure except for allocation.
 */
#ifndef PHASEBENCH_TRAFFIC_H
#define PHASEBENCH_TRAFFIC_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/network.h"

#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

struct pb_message {
    uint32_t source, destination;
    uint32_t release_superframe; /* ready at the start of phase release_phase of this superframe */
    unsigned release_phase;      /* 0..phases - 1 */
};

struct pb_traffic {
    struct pb_message *message; /* owned; list order is queueing order */
    size_t count;
    size_t capacity; /* of the allocation; maintained by the functions below */
};

/* Generates the messages of a pattern, released at superframe 0, phase 0, one per source in address order:
 *
 *   xor:MASK      destination = source ^ MASK
 *   complement    all bits inverted
 *   bitrev        bits reversed
 *   transpose     address halves exchanged; an even number of address bits
 *   shuffle       rotated left by one
 *   perm:SEED     Fisher-Yates for i = N-1..1 with j = next() % (i+1)
 *   uniform:SEED  destination = next() % N
 *   hotspot:NODE  destination = NODE
 *   xors:SEED     destination = source ^ mask, mask = next() % N
 *   pairs:NODE    from each neighbour of the node, through it, to each neighbour on a higher dimension; the
 *                 pair of dimensions i < j is released in superframe j - i - 1, so that no two messages of a
 *                 superframe need the same link
 *   total         total exchange: N - 1 messages per source, destination ascending; at most 1024 nodes
 *
 * xor, xors, complement, bitrev, transpose and shuffle need 2^n nodes, pairs a network whose ports correct
 * one bit each. next() is pb_splitmix64 from state SEED. Numbers are decimal or 0x hexadecimal. "file:" is
 * unknown here, see pb_traffic_parse_text. PB_ERR_ARGUMENT: unknown pattern (the diagnostic lists the known
 * patterns) or value out of range. On failure *out is empty. Release with pb_traffic_free. */
int pb_traffic_generate(struct pb_traffic *out, const struct pb_network *network, const char *pattern,
                        struct pb_diag *diag);

/* A parsed pattern, for repetitions: repetition i of a seeded pattern uses SEED + i, modulo 2^64. */
struct pb_pattern {
    struct pb_network network;
    const void *kind;  /* entry of the table of patterns */
    uint64_t argument; /* MASK, NODE or SEED */
    bool seeded;
};

/* PB_ERR_ARGUMENT as pb_traffic_generate. */
int pb_pattern_parse(struct pb_pattern *out, const struct pb_network *network, const char *text,
                     struct pb_diag *diag);

/* Replaces the messages of a list by those of a repetition, in the same allocation if they fit. The caller
 * frees it. Returns 0 or PB_ERR_MEMORY. */
int pb_pattern_fill(const struct pb_pattern *pattern, uint64_t repetition, struct pb_traffic *list);

/* Reads `source destination` per line (numbers as above), `#` comments, blank lines; the messages are
 * released as above, in line order. PB_ERR_CONFIG for anything else, with the line number, and for a byte
 * outside printable ASCII and white space (a binary file); diagnostics call the text `name`. On failure *out
 * is empty. A text without messages is no error. */
int pb_traffic_parse_text(struct pb_traffic *out, const struct pb_network *network, const char *name,
                          const char *text, size_t length, struct pb_diag *diag);

/* The same with `source destination [superframe [phase]]` per line, the release of the message; what is
 * missing is 0. */
int pb_traffic_parse_trace(struct pb_traffic *out, const struct pb_network *network, const char *name,
                           const char *text, size_t length, struct pb_diag *diag);

/* Appends a copy of one message; an empty list is (struct pb_traffic){0}. PB_ERR_MEMORY leaves the list
 * unchanged. */
int pb_traffic_add(struct pb_traffic *traffic, const struct pb_message *message);
void pb_traffic_free(struct pb_traffic *traffic); /* NULL or empty: no effect */

PB_API_END

#endif
