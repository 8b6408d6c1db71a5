/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node as a function of its pins, behind phasebench/node_pins.h: a program and a library.
 * Arguments: "defer", changes of its links may be passed on later; "refuse", it refuses its configuration.
 */
#include "phasebench/node_library.h"
#include "tests/bench/nodes/native.h"

static bool refuses;

static void *create(const struct pb_process_hello *hello)
{
    return refuses ? NULL : native_of(hello);
}

static uint32_t advance(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps)
{
    struct pb_node *node = state;
    const struct pb_node_inputs in = native_inputs(inputs);
    struct pb_node_outputs out;
    *next_ps = node->ops->advance(node, now_ps, &in, &out);
    return native_outputs(&out);
}

static void align(void *state, int64_t now_ps)
{
    struct pb_node *node = state;
    node->ops->align(node, now_ps);
}

/* The same as a library. */
static const struct pb_pins_node library_node = {"pins", create, advance, align, PB_PROCESS_LINES};
PB_NODE_LIBRARY(&library_node, NULL)

int main(int argc, char **argv)
{
    const bool defers = argc > 1 && !strcmp(argv[1], "defer");
    const struct pb_pins_node node = {"pins", create, advance, align, defers ? PB_PROCESS_LINES : 0};
    refuses = argc > 1 && !defers;
    return pb_pins_serve(&node);
}
