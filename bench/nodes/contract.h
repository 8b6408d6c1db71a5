/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the contract node, for its own files only: contract.c (time, reset, phases, pins),
 * contract_line.c (transmitter and receiver), contract_frame.c (codecs), contract_flaws.c (what a
 * defective receiver takes), contract_network.c (phases and routes), contract_store.c (messages),
 * contract_program.c and contract_recipes.c (programs), contract_console.c, contract_freedom.c. docs/node.md
 * is its specification; it shares no code with firmware/ or rtl/. What that page leaves to a node it does in
 * one way, and with a freedom in another.
 */
#ifndef PB_CONTRACT_H
#define PB_CONTRACT_H

#include "bench/nodes/node.h"

#define CONTRACT_NEVER INT64_MAX

enum {
    CONTRACT_PAYLOAD_MAX = 80,
    CONTRACT_FRAME_MAX = CONTRACT_PAYLOAD_MAX + 7 + 1, /* and one byte too many */
    CONTRACT_BITS_MAX = 10 * CONTRACT_FRAME_MAX,
    CONTRACT_ROOM = 40, /* messages */
    CONTRACT_LINE_MAX = 200,
    CONTRACT_ANSWERS = 4096, /* bytes that wait for UART0_TX */
    CONTRACT_ANSWER_MAX = 1000,
    CONTRACT_PULSES = 4,
    CONTRACT_PROGRAM_BYTES = 64, /* of input, and of result */
    CONTRACT_UNKNOWN = -1
};

/* Returns the length of a number of periods of a clock with an error, in ps, rounded down once. */
int64_t contract_span_ps(int32_t clock_ppm, uint64_t hz, uint64_t periods);
/* Returns the smallest number of periods that fill a span of at least 0 ps. */
uint64_t contract_periods(int32_t clock_ppm, uint64_t hz, int64_t span_ps);

/* A run of bytes on a line: the times at which it toggles, beginning with a fall. */
struct contract_wave {
    int64_t toggle_ps[CONTRACT_BITS_MAX + 1];
    unsigned toggles, next;
    int64_t start_ps, end_ps; /* from the first start bit to the end of the last stop bit */
    bool busy, level;
};

/* Starts a run of `count` bytes. bound_ps[k]: begin of bit k; bound_ps[bits]: end of the last bit. */
void contract_wave_start(struct contract_wave *wave, const uint8_t *bytes, unsigned count,
                         const int64_t *bound_ps);
void contract_wave_stop(struct contract_wave *wave);
void contract_wave_advance(struct contract_wave *wave, int64_t now_ps);
int64_t contract_wave_wake(const struct contract_wave *wave);

/* A receiver that takes 16 samples a bit, on a grid of the node's clock, and the majority of the three in the
 * middle of a bit. */
struct contract_rx {
    int32_t clock_ppm;
    uint64_t sample_hz;
    int64_t origin_ps; /* sample 0 of the grid */
    bool once;         /* takes the middle one of the three alone */
    bool takes_low;    /* a line that is low when it begins to listen begins a byte */
    bool level, armed; /* armed: a low sample begins a byte */
    bool busy;
    int64_t begin_ps; /* first low sample */
    unsigned vote, highs, bits;
};

struct contract_byte {
    uint8_t value;
    bool stop; /* level of the stop bit */
};

void contract_rx_listen(struct contract_rx *rx, int64_t now_ps, bool level);
/* The line has `level` from now_ps on. Returns true if a byte ended before now_ps. */
bool contract_rx_advance(struct contract_rx *rx, int64_t now_ps, bool level, struct contract_byte *byte);
int64_t contract_rx_wake(const struct contract_rx *rx);

/* ---- frames */

#define CONTRACT_NO_DESTINATION UINT32_MAX
struct contract_message {
    uint32_t destination; /* CONTRACT_NO_DESTINATION: of a codec that names none */
    uint8_t sequence;
    uint8_t payload[CONTRACT_PAYLOAD_MAX];
};

enum contract_reading {
    CONTRACT_MORE,
    CONTRACT_GOOD,
    CONTRACT_BAD_CRC,
    CONTRACT_BAD_LENGTH,
    CONTRACT_BAD_MARK
};

/* Returns the number of bytes of a slot frame. */
unsigned contract_frame_bytes(enum pb_node_codec codec, unsigned payload_bytes);
/* Writes a frame; returns its number of bytes. */
unsigned contract_frame_write(enum pb_node_codec codec, const struct contract_message *message,
                              unsigned payload_bytes, uint8_t *bytes);
/* Checks the first `count` bytes of a reception, 1 up to a whole frame. Writes *message for GOOD and
 * BAD_CRC. */
enum contract_reading contract_frame_read(enum pb_node_codec codec, const uint8_t *bytes, unsigned count,
                                          unsigned payload_bytes, struct contract_message *message);

/* Returns the bits in which the check value of a whole frame differs from the correct one. */
unsigned contract_frame_wrong_bits(enum pb_node_codec codec, const uint8_t *bytes, unsigned count);

/* ---- counters: docs/node.md lists them */

#define CONTRACT_COUNTERS(X)                                                                                 \
    X(edges)                                                                                                 \
    X(superframes)                                                                                           \
    X(alignment_errors)                                                                                      \
    X(missed_edges)                                                                                          \
    X(extra_edges)                                                                                           \
    X(rx_frames)                                                                                             \
    X(rx_crc_errors)                                                                                         \
    X(rx_length_errors)                                                                                      \
    X(rx_mark_errors)                                                                                        \
    X(rx_framing_errors)                                                                                     \
    X(rx_cut)                                                                                                \
    X(rx_bad_destinations)                                                                                   \
    X(delivered)                                                                                             \
    X(forwarded)                                                                                             \
    X(own_messages)                                                                                          \
    X(tx_frames)                                                                                             \
    X(tx_cut)                                                                                                \
    X(late_starts)                                                                                           \
    X(queue_drops)                                                                                           \
    X(max_queue)                                                                                             \
    X(max_stored)                                                                                            \
    X(console_lines)                                                                                         \
    X(console_errors)

struct contract_counters {
#define CONTRACT_COUNTER(name) uint32_t name;
    CONTRACT_COUNTERS(CONTRACT_COUNTER)
#undef CONTRACT_COUNTER
};

/* ---- the node */

enum contract_mode { CONTRACT_NORMAL, CONTRACT_ECHO, CONTRACT_PRBS, CONTRACT_MODES };

struct contract_entry {
    struct contract_message message;
    uint32_t wants;      /* bit d: may leave on dimension d */
    uint64_t from_phase; /* count of edges from which on it may leave */
    unsigned again;      /* repetitions after the first transmission */
    bool yields;         /* leaves when no other does */
    bool own;            /* from the console */
};

/* What a frame of a program carries: one number, or two. */
struct contract_words {
    uint32_t at[2];
};

/* The program of the node (contract_program.c). It keeps what it had at the begin of a superframe, and what
 * it received since then; what it sends, and its result, is computed from these each time. */
struct contract_program {
    const struct contract_recipe *recipe; /* NULL: none */
    enum { CONTRACT_WAITS, CONTRACT_RUNS, CONTRACT_STOPPED, CONTRACT_DONE } state;
    uint32_t argument, superframes;
    uint32_t superframe; /* those that are over */
    unsigned phase;      /* begun; or the one in which it stopped */
    bool awaits;         /* a frame in this phase */
    bool passed;         /* a defect: one phase 0 was ignored */
    uint8_t sequence;
    unsigned result_bytes;
    uint8_t input[CONTRACT_PROGRAM_BYTES];
    uint8_t result[CONTRACT_PROGRAM_BYTES], result_before[CONTRACT_PROGRAM_BYTES];
    struct contract_words own;                    /* at the begin of the superframe */
    struct contract_words got[PB_NODE_LINKS_MAX]; /* in this superframe, on the ports of has_got */
    uint32_t has_got;
};

struct contract {
    struct pb_node base;
    struct pb_node_config config;
    struct pb_contract_setting broken;
    uint64_t freedoms;
    int64_t amount_ps; /* of the defect */
    uint64_t occasions, strikes;
    uint32_t happened; /* bit per enum pb_defect_after */
    uint64_t random;
    int64_t origin_ps;              /* of the node's clock */
    unsigned links, network_phases; /* of a node, of a superframe */
    uint32_t nodes;                 /* of the network */

    int64_t now_ps;
    struct pb_node_inputs in;
    bool started, running; /* advance() was called; NRST is high */

    /* phases */
    bool sync_before; /* TDMA_SYNC before the last edge */
    bool edge_waits;
    int64_t edge_ps, handler_ps;
    bool edge_kept; /* another edge, at kept_ps, waits after it */
    int64_t kept_ps;
    int64_t reference_ps; /* the last edge that was not extra; CONTRACT_NEVER: none yet */
    int phase;            /* or CONTRACT_UNKNOWN */
    uint64_t phases;      /* begun */
    uint32_t superframes; /* begun */

    /* sending */
    struct contract_wave wave;
    uint32_t wave_lines;
    struct contract_entry sent; /* message of the wave */
    bool sent_is_message;
    unsigned sent_dimension;

    /* defects */
    struct contract_pulse {
        int64_t from_ps, to_ps;
        uint32_t lines;
    } pulse[CONTRACT_PULSES], uart_pulse;
    int64_t timer_ps, deaf_until_ps;
    bool falling;       /* the edge counts when TDMA_CLK falls */
    bool step_next;     /* the next phase is 0 */
    bool passed_sync;   /* one TDMA_SYNC was ignored while the phase was unknown */
    bool counted_on;    /* one missing TDMA_SYNC was ignored */
    bool swapped, mute; /* in this phase */
    bool drives_all, drives_wave;
    bool stuck;
    bool used;               /* it began a superframe since power-up */
    uint32_t said_address;   /* in its answer to I */

    /* receiving */
    struct contract_rx rx;
    unsigned rx_dimension;
    bool listening;
    /* HELD: a whole frame, which is dropped if a byte follows before held_until_ps. */
    enum { CONTRACT_CLOSED, CONTRACT_OPEN, CONTRACT_HELD, CONTRACT_WHOLE } reception;
    struct contract_message held;
    int64_t held_until_ps;
    unsigned held_behind; /* messages that came before it */
    uint8_t received[CONTRACT_FRAME_MAX];
    unsigned received_bytes;

    struct contract_entry entry[CONTRACT_ROOM];
    unsigned stored;
    struct contract_message last[PB_NODE_LINKS_MAX]; /* accepted on each link, if it has_last */
    uint16_t echoed; /* links on which a frame came since the last M */
    uint16_t has_last;
    uint32_t address;
    uint8_t next_sequence;
    uint8_t typed[CONTRACT_PAYLOAD_MAX]; /* payload of its newest own message */
    enum contract_mode mode;
    uint8_t prbs, prbs_sequence;
    struct contract_counters count;
    struct contract_program program;

    /* console */
    struct contract_rx console_rx;
    struct contract_wave console_tx;
    uint64_t console_tx_hz;
    char line[CONTRACT_LINE_MAX];
    unsigned line_bytes;
    const char *refusal; /* of the line being read, or NULL */
    uint8_t answers[CONTRACT_ANSWERS];
    unsigned answers_at, answers_used;
    int64_t answer_from_ps; /* no byte of an answer begins before */
};

/* Returns true if the node has this defect and it acts at this occasion. Each call is an occasion. */
bool contract_strikes(struct contract *node, enum pb_contract_defect defect);

static inline void contract_happens(struct contract *node, enum pb_defect_after what)
{
    node->happened |= 1u << what;
}
/* Returns true if the node takes this freedom. */
static inline bool contract_free(const struct contract *node, enum pb_freedom freedom)
{
    return node->freedoms >> freedom & 1;
}
/* Returns a number from 0 to most, by the node's seed. */
int64_t contract_draw(struct contract *node, int64_t most);
/* Offset of a start from the end of the head guard: within half of what the limits allow, after the
 * handler and with room for the frame. */
int64_t contract_start_offset_ps(struct contract *node);
/* Puts a message that an edge cut off back, for its dimension, if the node takes a freedom for it. */
void contract_resend(struct contract *node);
/* Returns true if the transmission that an edge meets ends without being cut. */
bool contract_ends_uncut(struct contract *node);

/* Returns the activity of the node in a phase; *port is its link. */
enum contract_turn { CONTRACT_IDLE, CONTRACT_SENDS, CONTRACT_LISTENS };
enum contract_turn contract_turn(const struct contract *node, unsigned phase, unsigned *port);
unsigned contract_phases(const struct contract *node);
/* The node at the other end of a link. */
uint32_t contract_neighbour(const struct contract *node, unsigned port);
/* The links that correct a digit of the destination, as a mask. */
uint32_t contract_ways(const struct contract *node, uint32_t destination);
static inline uint32_t contract_link_mask(const struct contract *node)
{
    return (1u << node->links) - 1;
}

/* Stores a received or own message by the rule. `own`: from the console. False: no room. */
bool contract_store(struct contract *node, const struct contract_message *message, uint32_t wants, bool own);
/* Dimensions on which a message may leave, as a mask. */
uint32_t contract_wants(struct contract *node, uint32_t destination, bool own);
/* Puts a message back that has left: before those that wait, or after them. No room: it is lost. */
void contract_put_back(struct contract *node, const struct contract_entry *entry, bool first);
/* Removes the message that leaves on a dimension now. False: none. */
bool contract_take(struct contract *node, unsigned dimension, struct contract_entry *out);
/* Defects of the receiver: what the node takes although it is invalid. Sound: false, or the same address. */
bool contract_takes_wrong_check(struct contract *node, struct contract_message *message);
bool contract_takes_low_stop(struct contract *node); /* of the byte after those received */
bool contract_takes_cut(struct contract *node);      /* an edge ended the frame */
uint32_t contract_destination(struct contract *node, uint32_t destination);
/* Whether it is dropped, as it equals the message before it on its link. Notes it. */
bool contract_drops_repeat(struct contract *node, const struct contract_message *message);
/* A reset empties the queues, except what a defect keeps; at a Z a defect may drop some. */
void contract_reset_queues(struct contract *node);
void contract_clear_queues(struct contract *node);
void contract_forget(struct contract *node, unsigned defect); /* drops all messages if it has the defect */
void contract_forget_own(struct contract *node, unsigned defect);
/* Whether messages are queued, so that A is refused. */
bool contract_is_busy(struct contract *node);
/* Processes the message of a valid frame. */
void contract_accept(struct contract *node, const struct contract_message *received);

/* Loads a program by its name. Returns NULL, or the reason of the refusal. */
const char *contract_program_load(struct contract *node, const char *name, uint32_t argument,
                                  const uint8_t *input, unsigned input_bytes);
void contract_program_end(struct contract *node); /* there is none any more */
static inline bool contract_has_program(const struct contract *node)
{
    return node->program.recipe != NULL;
}
/* An edge ends a phase; another one begins, or the phase is unknown. */
void contract_program_edge(struct contract *node);
void contract_program_phase(struct contract *node);
/* What it sends on a link in its own phase. False: nothing. */
bool contract_program_says(struct contract *node, unsigned port, struct contract_message *message);
/* A valid frame came while there is a program. */
void contract_program_hears(struct contract *node, const struct contract_message *message);
/* As it is after the phases that are over; the last one is so once nothing is awaited in it. */
struct contract_program contract_program_now(struct contract *node);

/* Returns the next 8 bits of x^7 + x^6 + 1, the first in bit 0. */
uint8_t contract_prbs_byte(uint8_t *state);

void contract_console_reset(struct contract *node);
void contract_console_byte(struct contract *node, struct contract_byte byte);
/* Begins the next byte on UART0_TX if one waits. */
void contract_console_send(struct contract *node);
void contract_console_say(struct contract *node, const char *text);

#endif
