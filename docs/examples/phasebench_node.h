/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a node in C for the templates my_firmware.c and my_pins.c (docs/start/your-firmware.md): messages
 * of the slot codec with their queue and the rule of the binary cube, phases, console lines `I` and `S`, and,
 * for a node of pins, a UART. Copy it into the directory of your node and change it.
 */
#ifndef PHASEBENCH_NODE_H
#define PHASEBENCH_NODE_H

#include <ctype.h>
#include <limits.h>
#include <phasebench/node_library.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODE_ROOM = 40, NODE_FRAME_MAX = 83, NODE_LINE_MAX = 200 };

/* ---- messages: frames as on the line */

static inline uint8_t node_crc8(const uint8_t *bytes, size_t count)
{
    unsigned crc = 0;
    for (size_t bit = 0; bit < 8 * count; bit++) {
        crc ^= bit % 8 ? 0 : bytes[bit / 8];
        crc = (crc << 1 ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
    }
    return (uint8_t)crc;
}

static inline unsigned node_frame_bytes(const struct pb_process_hello *config)
{
    return config->payload_bytes + 3;
}

static inline unsigned node_destination(const uint8_t *frame)
{
    return frame[0] | (frame[1] & 0x0fu) << 8;
}

/* What my_firmware.c and my_pins.c support. */
static inline bool node_supports(const struct pb_process_hello *config)
{
    bool cube = config->codec == PB_PROCESS_SLOT && !config->push_pull;
    for (unsigned i = 0; i < config->digits; i++)
        cube &= config->radix[i] == 2;
    if (!cube)
        fputs("this node knows the slot codec, the binary cube and open drain only\n", stderr);
    return cube;
}

/* ---- the queue: what arrived first is at the front */

struct node_queue {
    uint8_t frame[NODE_ROOM][NODE_FRAME_MAX];
    unsigned count;
};

/* False: the queue is full, the frame is dropped (F10). */
static inline bool node_put(struct node_queue *queue, const uint8_t *frame)
{
    if (queue->count == NODE_ROOM)
        return false;
    memcpy(queue->frame[queue->count++], frame, NODE_FRAME_MAX);
    return true;
}

/* Returns a copy of the frame, static. */
static inline const uint8_t *node_remove(struct node_queue *queue, unsigned at)
{
    static uint8_t frame[NODE_FRAME_MAX];
    memcpy(frame, queue->frame[at], sizeof frame);
    queue->count--;
    memmove(queue->frame[at], queue->frame[at + 1], (queue->count - at) * sizeof queue->frame[0]);
    return frame;
}

/* The phase that an edge begins after `phase`; -1: unknown (P2, P3). */
static inline int node_phase(const struct pb_process_hello *config, int phase, bool sync)
{
    return sync ? 0 : phase < 0 || phase + 1 == 2 * config->digits ? -1 : phase + 1;
}

/* ---- reception of one phase */

struct node_frame {
    uint8_t bytes[NODE_FRAME_MAX];
    unsigned count;
    bool over; /* nothing more is taken in this phase (F4, F5) */
};

/* True: the frame is whole and valid, and for an address in the cube. */
static inline bool node_take(struct node_frame *frame, const struct pb_process_hello *config, uint8_t value,
                             bool framing_ok)
{
    frame->over |= !framing_ok;
    if (frame->over)
        return false;
    frame->bytes[frame->count++] = value;
    frame->over = frame->count == node_frame_bytes(config);
    return frame->over && !node_crc8(frame->bytes, frame->count) &&
           !(node_destination(frame->bytes) >> config->digits);
}

/* ---- the console: lines I and S, as the reference node has them */

struct node_console {
    char line[NODE_LINE_MAX];
    unsigned length, sequence;
    bool refused; /* the line that is being typed */
    uint8_t message[NODE_FRAME_MAX]; /* of an S */
};

enum node_command { NODE_NONE, NODE_REFUSED, NODE_FULL, NODE_IDENTIFY, NODE_SEND };

static inline bool node_parse_send(struct node_console *console, const struct pb_process_hello *config)
{
    char *at;
    const char *const digits = console->line + 2; /* "S DEST PAYLOAD" */
    const unsigned long destination = isxdigit((unsigned char)*digits) ? strtoul(digits, &at, 16) : ULONG_MAX;
    if (destination >> config->digits)
        return false;
    uint8_t *message = console->message;
    memset(message, 0, sizeof console->message);
    message[0] = (uint8_t)destination;
    message[1] = (uint8_t)(console->sequence % 16 << 4 | destination >> 8);
    at += *at == ' ';
    for (unsigned i = 0, value; i < config->payload_bytes && isxdigit((unsigned char)at[0]) &&
                                isxdigit((unsigned char)at[1]) && sscanf(at, "%2x", &value) == 1;
         i++, at += 2)
        message[2 + i] = (uint8_t)value;
    message[2 + config->payload_bytes] = node_crc8(message, 2 + config->payload_bytes);
    return !*at;
}

/* Takes a byte; at the end of a line returns the command on it. */
static inline enum node_command node_type(struct node_console *console, const struct pb_process_hello *config,
                                          uint8_t value)
{
    if (value != '\n') {
        if (console->length + 1 == sizeof console->line || !value)
            console->refused = true; /* the line is too long, or has a corrupted character */
        else if (value != '\r')
            console->line[console->length++] = (char)value;
        return NODE_NONE;
    }
    const bool refused = console->refused;
    console->line[console->length] = '\0';
    console->length = 0;
    console->refused = false;
    if (refused)
        return NODE_REFUSED;
    if (!strcmp(console->line, "I"))
        return NODE_IDENTIFY;
    return console->line[0] == 'S' && console->line[1] == ' ' && node_parse_send(console, config)
               ? NODE_SEND
               : NODE_REFUSED;
}

/* Returns the answer to a command, static; "": none. */
static inline const char *node_answer(struct node_console *console, const struct pb_process_hello *config,
                                      const char *name, enum node_command command)
{
    static char text[96];
    text[0] = '\0';
    if (command == NODE_IDENTIFY)
        snprintf(text, sizeof text, "+I node=%s addr=%X dims=%X fw=1\n", name, (unsigned)config->address,
                 config->digits);
    else if (command == NODE_SEND)
        snprintf(text, sizeof text, "+S %X\n", console->sequence++ % 16);
    else if (command != NODE_NONE)
        snprintf(text, sizeof text, command == NODE_FULL ? "-full\n" : "-unknown\n");
    return text;
}

/* ---- for a node of pins: a UART, 8N1, in picoseconds */

static inline double node_bit_ps(uint32_t baud_hz, int32_t clock_ppm)
{
    return 1e18 / (baud_hz * (1e6 + clock_ppm));
}

struct node_tx {
    uint8_t bytes[256];
    unsigned count;
    double start_ps, bit_ps;
};

static inline void node_tx_start(struct node_tx *tx, int64_t start_ps, const void *bytes, size_t count)
{
    memcpy(tx->bytes, bytes, count);
    tx->count = (unsigned)count;
    tx->start_ps = (double)start_ps;
}

static inline void node_sooner(int64_t *next_ps, double at_ps)
{
    const int64_t at = (int64_t)at_ps + 1;
    *next_ps = at < *next_ps ? at : *next_ps;
}

/* Returns the level now, and lowers *next_ps to the begin of the next bit. */
static inline bool node_tx_level(struct node_tx *tx, int64_t now_ps, int64_t *next_ps)
{
    if (!tx->count)
        return true;
    const double bit = ((double)now_ps - tx->start_ps) / tx->bit_ps;
    const unsigned at = bit < 0 ? 0 : (unsigned)bit;
    if (at >= 10 * tx->count) {
        tx->count = 0;
        return true;
    }
    node_sooner(next_ps, bit < 0 ? tx->start_ps : tx->start_ps + (at + 1) * tx->bit_ps);
    return bit < 0 || (at % 10 && (at % 10 == 9 || tx->bytes[at / 10] >> (at % 10 - 1) & 1));
}

struct node_rx {
    double start_ps, bit_ps;
    bool level;
    unsigned bit, shift; /* 1..10 in a byte; 0: none */
};

/* The line has `level` from now on. Returns a byte that ended, with bit 8 set if its stop bit was high; -1:
 * none. */
static inline int node_rx_advance(struct node_rx *rx, int64_t now_ps, bool level, int64_t *next_ps)
{
    int got = -1;
    if (rx->bit && (double)now_ps >= rx->start_ps + (rx->bit - 0.5) * rx->bit_ps) {
        rx->shift |= (unsigned)rx->level << (rx->bit - 1);
        if (rx->bit == 10)
            got = (int)(rx->shift >> 1);
        rx->bit = rx->bit == 10 || (rx->shift & 1) ? 0 : rx->bit + 1;
    }
    if (!rx->bit && rx->level && !level) {
        rx->start_ps = (double)now_ps;
        rx->bit = 1;
        rx->shift = 0;
    }
    rx->level = level;
    if (rx->bit)
        node_sooner(next_ps, rx->start_ps + (rx->bit - 0.5) * rx->bit_ps);
    return got;
}

#endif
