/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process node in C as one function of its pins (docs/start/your-firmware.md). Header only; POSIX. A
 * program
 *
 *     int main(void)
 *     {
 *         const struct pb_pins_node node = {"mynode", create, advance, NULL, PB_PROCESS_LINES};
 *         return pb_pins_serve(&node);
 *     }
 *
 * is a node for `kind: "exec:./mynode"`.
 */
#ifndef PHASEBENCH_NODE_PINS_H
#define PHASEBENCH_NODE_PINS_H

#include "phasebench/node_process.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct pb_pins_node {
    const char *name; /* printable ASCII, at most PB_PROCESS_NAME_MAX characters */
    /* Called once, with the configuration. Returns the state for the other calls; NULL: refused, the
     * program ends. */
    void *(*create)(const struct pb_process_hello *config);
    /* Brings the node to now_ps. The inputs (PB_PROCESS_CLK and so on) hold from now on, as do the outputs
     * it returns. *next_ps is the latest time of the next call, later than now_ps; INT64_MAX: never. It is
     * called at every change of an input and at that time; further calls must have no effect. */
    uint32_t (*advance)(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps);
    /* The phase clock starts at now_ps; before the advance to now_ps. NULL: no effect. */
    void (*align)(void *state, int64_t now_ps);
    /* Inputs whose changes alter no output before the next call that comes for another reason: usually
     * PB_PROCESS_LINES, as received frames affect only later phases. The calls for these changes, and those
     * at the times that the node asks for in between, are made later, in their order and with their own
     * times: fewer messages, a faster run. 0: each change brings its call at once. */
    uint32_t deferred;
};

/* Called for each answer of a node that knows its future outputs (pb_pins_serve_ahead): fills schedule,
 * count, urgent inputs and next time. */
typedef void pb_pins_ahead(void *state, struct pb_process_answer *answer, struct pb_process_change *schedule);

struct pb_pins_server {
    const struct pb_pins_node *node;
    pb_pins_ahead *ahead; /* NULL: none */
    void *state;          /* NULL: not greeted yet */
    uint32_t inputs;
    int64_t wake_ps; /* that the node asked for */
    struct pb_process_change schedule[PB_PROCESS_CHANGES_MAX];
    uint8_t bytes[PB_PROCESS_HEADER + PB_PROCESS_BODY_MAX];
};

/* Moves all bytes; false at the end of the stream. */
static inline bool pb_pins_read(uint8_t *bytes, size_t size)
{
    for (ssize_t count; size; bytes += count, size -= (size_t)count)
        if ((count = read(PB_PROCESS_FD, bytes, size)) <= 0)
            return false;
    return true;
}

static inline bool pb_pins_write(const uint8_t *bytes, size_t size)
{
    for (ssize_t count; size; bytes += count, size -= (size_t)count)
        if ((count = write(PB_PROCESS_FD, bytes, size)) <= 0)
            return false;
    return true;
}

static inline bool pb_pins_greet(const struct pb_pins_node *node)
{
    uint8_t bytes[PB_PROCESS_HEADER + PB_PROCESS_VERSION_BYTES + PB_PROCESS_NAME_MAX];
    const size_t length = strlen(node->name), size = PB_PROCESS_VERSION_BYTES + length;
    if (length > PB_PROCESS_NAME_MAX)
        return false;
    pb_process_put_header(bytes, (uint32_t)size, PB_PROCESS_HELLO);
    pb_process_put32(bytes + PB_PROCESS_HEADER, PB_PROCESS_VERSION);
    memcpy(bytes + PB_PROCESS_HEADER + PB_PROCESS_VERSION_BYTES, node->name, length);
    return pb_pins_write(bytes, PB_PROCESS_HEADER + size);
}

/* Brings the node to now_ps through all times that it asked for before it. Returns the outputs. */
static inline uint32_t pb_pins_step(struct pb_pins_server *server, int64_t now_ps, uint32_t inputs)
{
    const struct pb_pins_node *node = server->node;
    while (server->wake_ps < now_ps)
        node->advance(server->state, server->wake_ps, server->inputs, &server->wake_ps);
    server->inputs = inputs;
    return node->advance(server->state, now_ps, inputs, &server->wake_ps);
}

/* Answers the ADVANCE in server->bytes. */
static inline bool pb_pins_answer(struct pb_pins_server *server)
{
    const struct pb_pins_node *node = server->node;
    uint8_t *body = server->bytes + PB_PROCESS_HEADER;
    const struct pb_process_advance advance = pb_process_get_advance(body);
    struct pb_process_answer answer;
    uint32_t i;
    for (i = 0; i < advance.count; i++) {
        const struct pb_process_change change =
            pb_process_get_change(body + PB_PROCESS_ADVANCE_BYTES + (size_t)i * PB_PROCESS_CHANGE_BYTES);
        pb_pins_step(server, change.at_ps, change.pins);
    }
    if ((advance.flags & PB_PROCESS_ALIGN) && node->align)
        node->align(server->state, advance.now_ps);
    memset(&answer, 0, sizeof answer);
    answer.serial = advance.serial;
    answer.urgent_rise = answer.urgent_fall = PB_PROCESS_INPUTS & ~node->deferred;
    answer.pins = pb_pins_step(server, advance.now_ps, advance.pins);
    answer.wake_ps = server->wake_ps;
    if (server->ahead)
        server->ahead(server->state, &answer, server->schedule);
    const size_t size = PB_PROCESS_ANSWER_BYTES + (size_t)answer.count * PB_PROCESS_CHANGE_BYTES;
    pb_process_put_header(server->bytes, (uint32_t)size, PB_PROCESS_ANSWER);
    pb_process_put_answer(body, &answer);
    for (i = 0; i < answer.count; i++)
        pb_process_put_change(body + PB_PROCESS_ANSWER_BYTES + (size_t)i * PB_PROCESS_CHANGE_BYTES,
                              &server->schedule[i]);
    return pb_pins_write(server->bytes, PB_PROCESS_HEADER + size);
}

static inline bool pb_pins_create(struct pb_pins_server *server)
{
    const struct pb_process_hello hello = pb_process_get_hello(server->bytes + PB_PROCESS_HEADER);
    server->state = hello.version == PB_PROCESS_VERSION ? server->node->create(&hello) : NULL;
    return server->state && pb_pins_greet(server->node);
}

/* As pb_pins_serve, for a node that knows its future outputs. */
static inline int pb_pins_serve_ahead(const struct pb_pins_node *node, pb_pins_ahead *ahead)
{
    struct pb_pins_server server;
    uint8_t *body = server.bytes + PB_PROCESS_HEADER;
    server.node = node;
    server.ahead = ahead;
    server.state = NULL;
    server.inputs = 0;
    server.wake_ps = INT64_MAX;
    while (pb_pins_read(server.bytes, PB_PROCESS_HEADER)) {
        const uint32_t size = pb_process_get32(server.bytes), type = pb_process_get32(server.bytes + 4);
        if (type == PB_PROCESS_END)
            return 0;
        if (size > PB_PROCESS_BODY_MAX || !pb_pins_read(body, size))
            return 1;
        const bool first = type == PB_PROCESS_HELLO && !server.state,
                   next = type == PB_PROCESS_ADVANCE && server.state;
        if (!(first && pb_pins_create(&server)) && !(next && pb_pins_answer(&server)))
            return 1;
    }
    return 1;
}

/* Serves the bench on file descriptor 3 until END. Returns the exit code of the program: 0, or 1: the bench
 * ended, has another version, or the node refused its configuration. */
static inline int pb_pins_serve(const struct pb_pins_node *node)
{
    return pb_pins_serve_ahead(node, NULL);
}

#endif
