/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node as a function of its pins, behind phasebench/node_pins.h. With an argument it refuses its
 * configuration.
 */
#include "phasebench/node_pins.h"
#include "tests/nodes/native.h"

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

int main(int argc, char **argv)
{
    const struct pb_pins_node node = {"pins", create, advance, align};
    (void)argv;
    refuses = argc > 1;
    return pb_pins_serve(&node);
}
