/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Protocol between the simulated bench and a node in a process of its own (docs/start/your-firmware.md).
 * Plain C with inline functions only: a node needs no library.
 *
 * The bench starts the node with a stream socket as file descriptor 3. Each message is a header of 8 bytes
 * (length of the body, type) and a body. All numbers are little-endian. The bench asks, the node answers:
 *
 *   bench                          node
 *   HELLO   configuration    ->
 *                            <-    HELLO    version, name
 *   ADVANCE time, inputs     ->
 *                            <-    ANSWER   outputs, next time           (repeated)
 *   END                      ->             the node ends
 *
 * Times are picoseconds since power-up, never negative. The time of one ADVANCE is not before that of the
 * previous one.
 */
#ifndef PHASEBENCH_NODE_PROCESS_H
#define PHASEBENCH_NODE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PB_PROCESS_VERSION = 1,
    PB_PROCESS_FD = 3,
    PB_PROCESS_HEADER = 8,        /* bytes: u32 length of the body, u32 type */
    PB_PROCESS_HELLO_BYTES = 88,  /* from the bench */
    PB_PROCESS_VERSION_BYTES = 4, /* from the node; up to PB_PROCESS_NAME_MAX bytes of name follow */
    PB_PROCESS_NAME_MAX = 60,
    PB_PROCESS_ADVANCE_BYTES = 32, /* the changes follow */
    PB_PROCESS_ANSWER_BYTES = 32,  /* the schedule follows */
    PB_PROCESS_CHANGE_BYTES = 16,
    PB_PROCESS_CHANGES_MAX = 4096, /* in one message */
    PB_PROCESS_BODY_MAX = 32 + PB_PROCESS_CHANGES_MAX * PB_PROCESS_CHANGE_BYTES
};

enum pb_process_type {
    PB_PROCESS_HELLO = 1,
    PB_PROCESS_ADVANCE = 2,
    PB_PROCESS_ANSWER = 3,
    PB_PROCESS_END = 4 /* no body */
};

/* Bits of the inputs; each is a level. */
enum {
    PB_PROCESS_LINES = 0xfff, /* bit d: link of dimension (or port) d */
    PB_PROCESS_CLK = 1 << 12,
    PB_PROCESS_SYNC = 1 << 13,
    PB_PROCESS_NRST = 1 << 14, /* low: the node is in reset */
    PB_PROCESS_BOOT0 = 1 << 15,
    PB_PROCESS_UART0_RX = 1 << 16,
    PB_PROCESS_INPUTS = (1 << 17) - 1
};
/* Bits of the outputs. */
enum {
    PB_PROCESS_PULL = 0xfff, /* bit d: 1 pulls the link low */
    PB_PROCESS_UART0_TX = 1 << 12,
    PB_PROCESS_HIGH_SHIFT = 16, /* bit 16 + d: 1 drives the link high; push-pull only, never with bit d */
    PB_PROCESS_OUTPUTS = 0xfff << 16 | 0x1fff
};

enum { PB_PROCESS_ECUBE, PB_PROCESS_OPPORTUNISTIC };
enum { PB_PROCESS_SLOT, PB_PROCESS_STARC };

/* Body of HELLO from the bench, in this order. */
struct pb_process_hello {
    uint32_t version;
    uint32_t address;
    uint8_t digits;    /* 1..12 */
    uint8_t radix[12]; /* of each digit, the least significant first; all 2: the binary cube */
    uint8_t rule, codec;
    uint8_t push_pull;      /* 1: drives the high level also while it sends */
    uint32_t payload_bytes; /* of every slot frame */
    uint32_t phase_rate_mhz; /* millihertz */
    uint32_t baud_hz, console_baud_hz;
    int32_t clock_ppm;     /* error that the node's clock must show; positive runs fast */
    uint32_t reserved;     /* 0 */
    int64_t head_guard_ps; /* a transmission starts this long after the edge of TDMA_CLK */
    int64_t tail_guard_ps;
    int64_t irq_latency_ps, irq_jitter_ps; /* from the edge to its handler; the jitter is added, uniform */
    uint64_t seed;
};

/* Levels of all pins of one direction from an instant on. */
struct pb_process_change {
    int64_t at_ps;
    uint32_t pins;
    uint32_t reserved; /* 0 */
};

enum { PB_PROCESS_ALIGN = 1 }; /* flags of ADVANCE */

/* Head of ADVANCE; `count` changes follow, in the order of their times, all since the previous ADVANCE. */
struct pb_process_advance {
    int64_t now_ps;
    uint32_t serial; /* to be repeated in the answer */
    uint32_t flags;  /* ALIGN: the phase clock starts now, after the changes and before the present inputs */
    uint32_t pins;   /* inputs from now_ps on */
    uint32_t count;
    uint64_t reserved; /* 0 */
};

/* Head of ANSWER; `count` changes of the outputs follow, each later than the one before and than now_ps: the
 * schedule, which the next answer replaces. */
struct pb_process_answer {
    int64_t wake_ps;                   /* latest next ADVANCE, later than now_ps; INT64_MAX: never */
    uint32_t serial;                   /* of the ADVANCE */
    uint32_t urgent_rise, urgent_fall; /* inputs whose change in this direction ends the wait at once; all
                                          other changes are kept for the next ADVANCE */
    uint32_t pins;                     /* outputs from now_ps on */
    uint32_t count;
    uint32_t reserved; /* 0 */
};

static inline uint32_t pb_process_get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t pb_process_get64(const uint8_t *at)
{
    return pb_process_get32(at) | (uint64_t)pb_process_get32(at + 4) << 32;
}

static inline void pb_process_put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline void pb_process_put64(uint8_t *at, uint64_t value)
{
    pb_process_put32(at, (uint32_t)value);
    pb_process_put32(at + 4, (uint32_t)(value >> 32));
}

static inline void pb_process_put_header(uint8_t *at, uint32_t body, uint32_t type)
{
    pb_process_put32(at, body);
    pb_process_put32(at + 4, type);
}

static inline void pb_process_put_hello(uint8_t *at, const struct pb_process_hello *hello)
{
    pb_process_put32(at, hello->version);
    pb_process_put32(at + 4, hello->address);
    at[8] = hello->digits;
    for (int i = 0; i < 12; i++)
        at[9 + i] = hello->radix[i];
    at[21] = hello->rule;
    at[22] = hello->codec;
    at[23] = hello->push_pull;
    pb_process_put32(at + 24, hello->payload_bytes);
    pb_process_put32(at + 28, hello->phase_rate_mhz);
    pb_process_put32(at + 32, hello->baud_hz);
    pb_process_put32(at + 36, hello->console_baud_hz);
    pb_process_put32(at + 40, (uint32_t)hello->clock_ppm);
    pb_process_put32(at + 44, hello->reserved);
    pb_process_put64(at + 48, (uint64_t)hello->head_guard_ps);
    pb_process_put64(at + 56, (uint64_t)hello->tail_guard_ps);
    pb_process_put64(at + 64, (uint64_t)hello->irq_latency_ps);
    pb_process_put64(at + 72, (uint64_t)hello->irq_jitter_ps);
    pb_process_put64(at + 80, hello->seed);
}

static inline struct pb_process_hello pb_process_get_hello(const uint8_t *at)
{
    struct pb_process_hello hello;
    hello.version = pb_process_get32(at);
    hello.address = pb_process_get32(at + 4);
    hello.digits = at[8];
    for (int i = 0; i < 12; i++)
        hello.radix[i] = at[9 + i];
    hello.rule = at[21];
    hello.codec = at[22];
    hello.push_pull = at[23];
    hello.payload_bytes = pb_process_get32(at + 24);
    hello.phase_rate_mhz = pb_process_get32(at + 28);
    hello.baud_hz = pb_process_get32(at + 32);
    hello.console_baud_hz = pb_process_get32(at + 36);
    hello.clock_ppm = (int32_t)pb_process_get32(at + 40);
    hello.reserved = pb_process_get32(at + 44);
    hello.head_guard_ps = (int64_t)pb_process_get64(at + 48);
    hello.tail_guard_ps = (int64_t)pb_process_get64(at + 56);
    hello.irq_latency_ps = (int64_t)pb_process_get64(at + 64);
    hello.irq_jitter_ps = (int64_t)pb_process_get64(at + 72);
    hello.seed = pb_process_get64(at + 80);
    return hello;
}

static inline void pb_process_put_change(uint8_t *at, const struct pb_process_change *change)
{
    pb_process_put64(at, (uint64_t)change->at_ps);
    pb_process_put32(at + 8, change->pins);
    pb_process_put32(at + 12, change->reserved);
}

static inline struct pb_process_change pb_process_get_change(const uint8_t *at)
{
    const struct pb_process_change change = {(int64_t)pb_process_get64(at), pb_process_get32(at + 8),
                                             pb_process_get32(at + 12)};
    return change;
}

static inline void pb_process_put_advance(uint8_t *at, const struct pb_process_advance *advance)
{
    pb_process_put64(at, (uint64_t)advance->now_ps);
    pb_process_put32(at + 8, advance->serial);
    pb_process_put32(at + 12, advance->flags);
    pb_process_put32(at + 16, advance->pins);
    pb_process_put32(at + 20, advance->count);
    pb_process_put64(at + 24, advance->reserved);
}

static inline struct pb_process_advance pb_process_get_advance(const uint8_t *at)
{
    const struct pb_process_advance advance = {
        (int64_t)pb_process_get64(at), pb_process_get32(at + 8),  pb_process_get32(at + 12),
        pb_process_get32(at + 16),     pb_process_get32(at + 20), pb_process_get64(at + 24)};
    return advance;
}

static inline void pb_process_put_answer(uint8_t *at, const struct pb_process_answer *answer)
{
    pb_process_put64(at, (uint64_t)answer->wake_ps);
    pb_process_put32(at + 8, answer->serial);
    pb_process_put32(at + 12, answer->urgent_rise);
    pb_process_put32(at + 16, answer->urgent_fall);
    pb_process_put32(at + 20, answer->pins);
    pb_process_put32(at + 24, answer->count);
    pb_process_put32(at + 28, answer->reserved);
}

static inline struct pb_process_answer pb_process_get_answer(const uint8_t *at)
{
    const struct pb_process_answer answer = {
        (int64_t)pb_process_get64(at), pb_process_get32(at + 8),  pb_process_get32(at + 12),
        pb_process_get32(at + 16),     pb_process_get32(at + 20), pb_process_get32(at + 24),
        pb_process_get32(at + 28)};
    return answer;
}

#endif
