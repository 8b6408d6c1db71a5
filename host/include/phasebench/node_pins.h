/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process node in C as one function of its pins (docs/your-firmware.md). Header only; POSIX. A program
 *
 *     int main(void)
 *     {
 *         const struct pb_pins_node node = {"mynode", create, advance, NULL};
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

static inline bool pb_pins_answer(const struct pb_pins_node *node, void *state, const uint8_t *body)
{
    uint8_t bytes[PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES];
    const struct pb_process_advance advance = pb_process_get_advance(body);
    struct pb_process_answer answer;
    memset(&answer, 0, sizeof answer);
    answer.serial = advance.serial;
    answer.urgent_rise = answer.urgent_fall = PB_PROCESS_INPUTS;
    if ((advance.flags & PB_PROCESS_ALIGN) && node->align)
        node->align(state, advance.now_ps);
    answer.pins = node->advance(state, advance.now_ps, advance.pins, &answer.wake_ps);
    pb_process_put_header(bytes, PB_PROCESS_ANSWER_BYTES, PB_PROCESS_ANSWER);
    pb_process_put_answer(bytes + PB_PROCESS_HEADER, &answer);
    return pb_pins_write(bytes, sizeof bytes);
}

/* Serves the bench on file descriptor 3 until END. Returns the exit code of the program: 0, or 1: the bench
 * has gone, speaks another version, or the node refused its configuration. */
static inline int pb_pins_serve(const struct pb_pins_node *node)
{
    /* Every input is urgent, so an ADVANCE has no changes. */
    uint8_t header[PB_PROCESS_HEADER], body[PB_PROCESS_HELLO_BYTES];
    void *state = NULL;
    while (pb_pins_read(header, sizeof header)) {
        const uint32_t size = pb_process_get32(header), type = pb_process_get32(header + 4);
        if (type == PB_PROCESS_END)
            return 0;
        if (size > sizeof body || !pb_pins_read(body, size))
            return 1;
        if (type == PB_PROCESS_HELLO && !state) {
            const struct pb_process_hello hello = pb_process_get_hello(body);
            state = hello.version == PB_PROCESS_VERSION ? node->create(&hello) : NULL;
            if (!state || !pb_pins_greet(node))
                return 1;
        } else if (type != PB_PROCESS_ADVANCE || !state || !pb_pins_answer(node, state, body)) {
            return 1;
        }
    }
    return 1;
}

#endif
