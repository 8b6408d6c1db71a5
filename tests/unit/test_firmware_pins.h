/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bench of a few lines for node models: one or two nodes, their inputs moved by a list of timed changes,
 * their outputs logged, and a UART decoder that shares nothing with the nodes' own. Lines of equal number are
 * joined.
 */
#ifndef TEST_FIRMWARE_PINS_H
#define TEST_FIRMWARE_PINS_H

#include "bench/nodes/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US INT64_C(1000000)
#define MS INT64_C(1000000000)
#define CONSOLE_BIT_PS INT64_C(1000000) /* 1 Mbaud */

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
    uint64_t calls; /* of advance */
    struct change *change;
    size_t changes, changes_done, changes_size;
    struct sample *sample;
    size_t samples, samples_size;
};

static inline void pins_init(struct pins *pins, struct pb_node *first, struct pb_node *second)
{
    memset(pins, 0, sizeof *pins);
    assert_non_null(first);
    pins->node[0] = first;
    pins->node[1] = second;
    pins->console_bit_ps = CONSOLE_BIT_PS;
    pins->nodes = second ? 2 : 1;
    for (unsigned i = 0; i < PIN_COUNT; i++)
        pins->level[i] = i != PIN_CLK && i != PIN_SYNC;
    pins->out[0].uart0_tx = pins->out[1].uart0_tx = true;
}

static inline void pins_free(struct pins *pins)
{
    pb_node_destroy(pins->node[0]);
    pb_node_destroy(pins->node[1]);
    free(pins->change);
    free(pins->sample);
}

/* Keeps the list ordered; changes at one instant keep the order in which they were added. */
static inline void pins_change(struct pins *pins, int64_t ps, enum pin pin, bool level)
{
    if (pins->changes == pins->changes_size) {
        pins->changes_size = pins->changes_size ? 2 * pins->changes_size : 1024;
        pins->change = realloc(pins->change, pins->changes_size * sizeof *pins->change);
        assert_non_null(pins->change);
    }
    assert_true(ps >= pins->now);
    size_t at = pins->changes++;
    for (; at > pins->changes_done && pins->change[at - 1].ps > ps; at--)
        pins->change[at] = pins->change[at - 1];
    pins->change[at] = (struct change){ps, pin, level};
}

/* 8N1 by the book, each edge from the first one. */
static inline int64_t pins_uart(struct pins *pins, enum pin pin, int64_t start, int64_t bit_ps,
                                const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < length; i++) {
        const int64_t begin = start + (int64_t)i * 10 * bit_ps;
        pins_change(pins, begin, pin, false);
        for (int b = 0; b < 8; b++)
            pins_change(pins, begin + (1 + b) * bit_ps, pin, (byte[i] >> b) & 1);
        pins_change(pins, begin + 9 * bit_ps, pin, true);
    }
    return start + (int64_t)length * 10 * bit_ps;
}

/* One phase: rising edge at ps with the given SYNC, falling edge half a period later. */
static inline void pins_phase(struct pins *pins, int64_t ps, int64_t period, bool sync)
{
    pins_change(pins, ps, PIN_SYNC, sync);
    pins_change(pins, ps, PIN_CLK, true);
    pins_change(pins, ps + period / 2, PIN_CLK, false);
}

static inline int64_t pins_phases(struct pins *pins, int64_t ps, int64_t period, unsigned per_superframe,
                                  unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pins_phase(pins, ps + (int64_t)i * period, period, i % per_superframe == 0);
    return ps + (int64_t)count * period;
}

static inline uint16_t pins_line(const struct pins *pins)
{
    uint16_t line = (uint16_t) ~(pins->out[0].pull_low | pins->out[1].pull_low);
    for (unsigned d = 0; d < 12; d++)
        if (!pins->level[PIN_LINE0 + d])
            line &= (uint16_t) ~(1u << d);
    return line;
}

static inline void pins_log(struct pins *pins)
{
    const struct sample now = {pins->now,
                               pins_line(pins),
                               {pins->out[0].pull_low, pins->out[1].pull_low},
                               {pins->out[0].drive_high, pins->out[1].drive_high},
                               {pins->out[0].uart0_tx, pins->out[1].uart0_tx}};
    if (pins->samples == pins->samples_size) {
        pins->samples_size = pins->samples_size ? 2 * pins->samples_size : 1024;
        pins->sample = realloc(pins->sample, pins->samples_size * sizeof *pins->sample);
        assert_non_null(pins->sample);
    }
    pins->sample[pins->samples++] = now;
}

static inline void pins_advance(struct pins *pins)
{
    uint16_t line;
    do {
        line = pins_line(pins);
        for (unsigned n = 0; n < pins->nodes; n++) {
            const struct pb_node_inputs in = {
                .line = line,
                .tdma_clk = pins->level[PIN_CLK],
                .tdma_sync = pins->level[PIN_SYNC],
                .nrst = pins->level[PIN_NRST],
                .boot0 = pins->boot0,
                .uart0_rx = n == pins->console ? pins->level[PIN_UART0_RX] : true,
            };
            pins->due[n] = pins->node[n]->ops->advance(pins->node[n], pins->now, &in, &pins->out[n]);
            pins->calls++;
            assert_true(pins->due[n] > pins->now);
            assert_int_equal(pins->out[n].pull_low & pins->out[n].drive_high, 0);
        }
    } while (pins_line(pins) != line);
    pins_log(pins);
}

static inline void pins_run(struct pins *pins, int64_t until)
{
    pins_advance(pins);
    for (;;) {
        int64_t next = until;
        for (unsigned n = 0; n < pins->nodes; n++)
            if (pins->due[n] < next)
                next = pins->due[n];
        if (pins->changes_done < pins->changes && pins->change[pins->changes_done].ps < next)
            next = pins->change[pins->changes_done].ps;
        pins->now = next;
        while (pins->changes_done < pins->changes && pins->change[pins->changes_done].ps == next) {
            const struct change *change = &pins->change[pins->changes_done++];
            pins->level[change->pin] = change->level;
        }
        pins_advance(pins);
        if (next == until)
            return;
    }
}

/* ---- reading the log ---- */

/* A signal of the log: what a node pulls on a link (level low = pulled), or its console output. */
struct probe {
    unsigned node;
    int dimension; /* -1: UART0_TX */
};

static inline bool probe_level(const struct sample *sample, struct probe probe)
{
    return probe.dimension < 0 ? sample->uart0_tx[probe.node]
                               : !((sample->pull[probe.node] >> probe.dimension) & 1);
}

static inline bool level_at(const struct pins *pins, struct probe probe, int64_t ps)
{
    size_t low = 0, high = pins->samples;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (pins->sample[middle].ps <= ps)
            low = middle;
        else
            high = middle;
    }
    return probe_level(&pins->sample[low], probe);
}

/* The first falling edge at or after ps, or -1. */
static inline int64_t next_fall(const struct pins *pins, struct probe probe, int64_t ps)
{
    for (size_t i = 1; i < pins->samples; i++)
        if (pins->sample[i].ps >= ps && !probe_level(&pins->sample[i], probe) &&
            probe_level(&pins->sample[i - 1], probe))
            return pins->sample[i].ps;
    return -1;
}

struct decoded {
    size_t length;
    int64_t start[600]; /* falling edge of each start bit */
    uint8_t byte[600];
    unsigned framing_errors;
};

/* Decodes from `from` to before `to`, each byte sampled at the middle of its bits. */
static inline void decode_uart(const struct pins *pins, struct probe probe, int64_t bit_ps, int64_t from,
                               int64_t to, struct decoded *decoded)
{
    memset(decoded, 0, sizeof *decoded);
    int64_t fall = next_fall(pins, probe, from);
    while (fall >= 0 && fall < to && decoded->length < sizeof decoded->byte) {
        uint8_t byte = 0;
        for (int b = 0; b < 8; b++)
            byte |= (uint8_t)(level_at(pins, probe, fall + bit_ps / 2 + (1 + b) * bit_ps) << b);
        decoded->framing_errors += !level_at(pins, probe, fall + bit_ps / 2 + 9 * bit_ps);
        decoded->start[decoded->length] = fall;
        decoded->byte[decoded->length++] = byte;
        fall = next_fall(pins, probe, fall + bit_ps / 2 + 9 * bit_ps);
    }
}

/* True when the node pulled any line low in [from, to). */
static inline bool pulled(const struct pins *pins, unsigned node, int64_t from, int64_t to)
{
    for (size_t i = 0; i < pins->samples; i++)
        if (pins->sample[i].ps >= from && pins->sample[i].ps < to && pins->sample[i].pull[node] != 0)
            return true;
    return false;
}

/* Sends text on UART0, waits for the answer to end (a line), and returns it without its newline. */
static inline const char *console_ask(struct pins *pins, unsigned node, const char *text)
{
    const int64_t bit_ps = pins->console_bit_ps;
    static char answer[2048];
    const struct probe probe = {node, -1};
    const int64_t from = pins->now + 2 * bit_ps;
    size_t length = 0;

    pins->console = node;
    const int64_t end = pins_uart(pins, PIN_UART0_RX, from, bit_ps, text, strlen(text));
    pins_run(pins, end);
    for (int waits = 0; waits < 60; waits++) {
        struct decoded decoded;
        int64_t at = from;
        length = 0;
        do {
            decode_uart(pins, probe, bit_ps, at, pins->now - 10 * bit_ps, &decoded);
            memcpy(answer + length, decoded.byte, decoded.length);
            length += decoded.length;
            if (decoded.length > 0)
                at = decoded.start[decoded.length - 1] + 9 * bit_ps;
        } while (decoded.length == sizeof decoded.byte && length + sizeof decoded.byte < sizeof answer);
        if (length > 0 && answer[length - 1] == '\n')
            break;
        pins_run(pins, pins->now + 200 * bit_ps);
    }
    assert_true(length > 0 && answer[length - 1] == '\n');
    answer[length - 1] = '\0';
    return answer;
}

/* One counter out of the answer to T. */
static inline uint32_t console_counter(struct pins *pins, unsigned node, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(console_ask(pins, node, "T\n"), key);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(key), NULL, 16);
}

#endif
