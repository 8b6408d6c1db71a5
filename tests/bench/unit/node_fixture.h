/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Node models at their pins, of every kind: one or two nodes, their inputs moved by a list of timed changes,
 * their outputs logged, and a UART decoder that shares nothing with the nodes' own. Slot frames have a CRC-8
 * by long division. node_sentences.h tests the sentences of docs/node.md with it.
 */
#ifndef NODE_FIXTURE_H
#define NODE_FIXTURE_H

#include "bench/nodes/node.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000000)
#define MS INT64_C(1000000000)
#define CONSOLE_BIT_PS INT64_C(1000000) /* 1 Mbaud */
#define PERIOD (100 * US)
#define GUARD (5 * US)
#define BIT US

/* A process is the native node behind the protocol of process nodes, a library the template my_firmware.c; a
 * program of these kinds serves them (test_process_node.c). */
enum {
    KIND_NATIVE = 1,
    KIND_CONTRACT = 2,
    KIND_REF = 4,
    KIND_PROCESS = 8,
    KIND_LIBRARY = 16,
    KIND_AG32 = 32,
    KIND_RP2040 = 64
};
struct pb_mcu_soc;
struct node_kind {
    const char *name; /* in its answer to I */
    unsigned bit;
    struct pb_node *(*make)(const struct pb_node_config *config); /* NULL: refused */
    const struct pb_mcu_soc *soc; /* of a firmware image; else NULL */
    int64_t boot_ps;  /* its console answers from then on */
    int64_t late_ps;  /* of a start edge after the head guard, at most, */
    int64_t late_part, odd_part; /* and this part of a bit; at another rate or guard this one, too; 0: none */
    int64_t off_ps;   /* of an edge from its bit boundary, at most, at 1 Mbaud */
    int64_t off_part; /* else this part of the time since the start edge as well; 0: none */
    int64_t odd_off_ps; /* else this more: a cycle, as a divider with a fraction makes some longer */
    int64_t release_ps;  /* a line is released at most this long after an edge */
    int64_t guard_ps;    /* the least head guard that it keeps */
    int64_t reaction_ps; /* with a shorter guard it starts late, before this; 0: it has no such time */
    int64_t job_ps;      /* a frame that ends this long before an edge can leave after it */
    uint32_t most_baud;
    unsigned room; /* messages; of `ref`: for each dimension */
    bool slow;     /* fewer repetitions */
};
extern const struct node_kind kind_native, kind_contract, kind_ref, kind_process, kind_library, kind_ag32,
    kind_rp2040;

enum pin { PIN_CLK, PIN_SYNC, PIN_NRST, PIN_LINE0, PIN_UART0_RX = PIN_LINE0 + 12, PIN_COUNT };

struct change {
    int64_t ps;
    enum pin pin;
    bool level;
};

/* What the nodes put on their pins together, from ps on. */
struct sample {
    int64_t ps;
    uint16_t line;    /* resolved, with the test's own pulls */
    uint16_t pull[2]; /* by each node */
    uint16_t high[2]; /* driven high by each node */
    bool uart0_tx[2];
};

struct pins {
    struct pb_node *node[2];
    unsigned nodes;
    unsigned console; /* the node whose UART0_RX the test drives */
    int64_t console_bit_ps;
    bool level[PIN_COUNT], boot0;
    struct pb_node_outputs out[2];
    int64_t due[2], now;
    int64_t first; /* pins_open: where the test may begin */
    uint64_t calls; /* of advance */
    struct change *change;
    size_t changes, changes_done, changes_size;
    struct sample *sample;
    size_t samples, samples_size;
};

/* A signal of the log: what a node pulls on a link (level low = pulled), or its console output. */
struct probe {
    unsigned node;
    int dimension; /* -1: UART0_TX */
};

struct decoded {
    size_t length;
    int64_t start[600]; /* falling edge of each start bit */
    uint8_t byte[600];
    unsigned framing_errors;
};

/* One node, booted. */
void pins_open(struct pins *pins, const struct node_kind *kind, const struct pb_node_config *config);
/* Of a firmware image; other kinds have no traps. */
void assert_no_trap(const struct node_kind *kind, const struct pb_node *node);
void pins_init(struct pins *pins, struct pb_node *first, struct pb_node *second);
void pins_free(struct pins *pins);
/* Keeps the list ordered; changes at one instant keep the order in which they were added. */
void pins_change(struct pins *pins, int64_t ps, enum pin pin, bool level);
/* 8N1 by the book, each edge from the first one. */
int64_t pins_uart(struct pins *pins, enum pin pin, int64_t start, int64_t bit_ps,
                  const void *bytes, size_t length);
/* One phase: rising edge at ps with the given SYNC, falling edge half a period later. */
void pins_phase(struct pins *pins, int64_t ps, int64_t period, bool sync);
int64_t pins_phases(struct pins *pins, int64_t ps, int64_t period, unsigned per_superframe,
                    unsigned count);
void pins_run(struct pins *pins, int64_t until);
bool probe_level(const struct sample *sample, struct probe probe);
bool level_at(const struct pins *pins, struct probe probe, int64_t ps);
/* The first falling edge at or after ps, or -1. */
int64_t next_fall(const struct pins *pins, struct probe probe, int64_t ps);
/* Decodes from `from` to before `to`, each byte sampled at the middle of its bits. */
void decode_uart(const struct pins *pins, struct probe probe, int64_t bit_ps, int64_t from,
                 int64_t to, struct decoded *decoded);
/* True when the node pulled any line low in [from, to). */
bool pulled(const struct pins *pins, unsigned node, int64_t from, int64_t to);
/* Sends text on UART0, waits for the answer to end (a line), and returns it without its newline. */
const char *console_ask(struct pins *pins, unsigned node, const char *text);
/* One counter out of the answer to T. */
uint32_t console_counter(struct pins *pins, unsigned node, const char *name);

/* A node of the 12-cube: phases of 100 us, 1 Mbaud, head guard 5 us, 6 bytes of payload. */
struct pb_node_config config_of(uint32_t address);
/* Puts the check value after `length` bytes. Returns the whole length. */
size_t seal_frame(uint8_t *frame, size_t length);
/* The payload begins with `first` and goes on in steps. Returns the length. */
size_t make_frame(uint8_t *frame, unsigned destination, unsigned sequence, unsigned payload, unsigned first,
                  unsigned step);
/* The payload counts from 1. Valid until the next call. */
const uint8_t *slot_frame(uint16_t destination, uint8_t sequence, uint8_t payload);
/* The first message to a destination. */
const uint8_t *frame_to(uint16_t destination);
/* Start of the only transmission on a dimension, which must be these bytes back to back, each within
 * tolerance_ps. */
int64_t sent_within(struct pins *pins, struct probe probe, int64_t from, int64_t to,
                    int64_t bit_ps, const uint8_t *frame, size_t length, int64_t tolerance_ps);

#endif
