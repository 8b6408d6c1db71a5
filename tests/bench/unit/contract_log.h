/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a node does at its pins, as lines of text that can be worked out by hand from docs/node.md and
 * compared:
 *
 *     e9 d0 +5.0 0A 00 01 02 7B     after edge 9 of TDMA_CLK, on dimension 0, 5.0 us after the edge, these
 * bytes
 *     ... stop                      a byte of them has a low stop bit
 *     ... odd 9 at 3.5             9 edges of the frame lie off their bit boundary, the first 3.5 bits
 * after the start e9 d0 pulse +13.0 0.3         a low pulse of 0.3 us e9 high F                     links
 * driven high (mask) > S A / < +S 0                a console line and its answer uart hello bytes on UART0_TX
 * while the phase clock runs, without a question T edges=24                    a counter that is not 0
 *
 * Edge "boot" is the time before the first edge, "reset" the time while NRST is low.
 */
#ifndef CONTRACT_LOG_H
#define CONTRACT_LOG_H

#include "tests/bench/unit/node_fixture.h"

#define FIRST (20 * MS) /* edge 0, after the console lines */
#define DIMS 4
#define PHASES (2 * DIMS)
#define ADDRESS 0x5
#define PAYLOAD 2
#define FRAME (PAYLOAD + 3)

enum { LOG_EDGES_MAX = 200, LOG_SIZE = 40000 };

struct log {
    char text[LOG_SIZE];
    size_t length;
    struct pins pins;
    int64_t edge[LOG_EDGES_MAX];
    unsigned edges;
    int64_t low_from, low_to; /* NRST */
};

/* A node of the 4-cube at 0x5 with 2 bytes of payload at 10 kHz and 1 Mbaud, open drain, e-cube, slot codec.
 */
struct pb_node_config log_config(void);

void log_open(struct log *log, struct pb_node *node);
void log_close(struct log *log);

/* An edge of TDMA_CLK; returns its number. */
unsigned log_edge(struct log *log, int64_t ps, bool sync);
/* The next `count` phases, a period apart, SYNC high at every 8th from the first. */
void log_superframes(struct log *log, unsigned count);
/* A console line, which is answered now, and its answer. */
void log_ask(struct log *log, const char *line);
/* The slot frame of a message. */
void log_frame(uint8_t frame[FRAME], uint8_t destination, uint8_t sequence, uint8_t first, uint8_t second);
/* The neighbour's bytes on a dimension after edge `edge`, the head guard after it; its edge must be in the
 * log. */
void log_neighbour(struct log *log, unsigned edge, int dimension, const uint8_t *bytes, size_t count);
/* Plays what was added, up to ps, and writes down what was seen on the links and on UART0. */
void log_play(struct log *log, int64_t until_ps);
/* The counters. */
void log_counters(struct log *log);

#endif
