/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The template my_firmware.c as a process node without look-ahead: each change of an input comes at
 * once. A cross-check of the same template in a library.
 */
#include "bench/nodes/callbacks.h"
#include "docs/examples/my_firmware.c"

static void *create_port(const struct pb_process_hello *hello)
{
    return pb_callbacks_create(pb_node_library.callbacks, hello);
}

int main(void)
{
    const struct pb_pins_node pins = {"myfirmware", create_port, pb_callbacks_advance, pb_callbacks_align, 0};
    return pb_pins_serve(&pins);
}
