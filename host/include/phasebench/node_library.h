/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node as a shared library (docs/start/your-firmware.md), of one of two kinds:
 *
 *     PB_NODE_LIBRARY(&pins, NULL)         a function of its pins (node_pins.h)
 *     PB_NODE_LIBRARY(NULL, &callbacks)    firmware with handlers (node_callbacks.h)
 *
 * `cc -shared -fPIC -o mynode.so mynode.c` makes a node for `kind: "so:./mynode.so"`. Each node loads it in a
 * process of its own.
 */
#ifndef PHASEBENCH_NODE_LIBRARY_H
#define PHASEBENCH_NODE_LIBRARY_H

#include "phasebench/node_callbacks.h"
#include "phasebench/node_pins.h"

enum { PB_NODE_LIBRARY_VERSION = 2 };
#define PB_NODE_LIBRARY_SYMBOL "pb_node_library"

struct pb_node_library {
    uint32_t version; /* PB_NODE_LIBRARY_VERSION; it and the size are at this place in every version */
    uint32_t size;    /* of this structure in bytes */
    const struct pb_pins_node *pins;           /* either this or ... */
    const struct pb_callbacks_node *callbacks; /* ... this; the other is NULL */
};

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) extern const struct pb_node_library pb_node_library;
#ifdef __cplusplus
}
#endif

/* Defines the symbol that the bench looks up; once in a library, at file scope. */
#define PB_NODE_LIBRARY(pins, callbacks)                                                                     \
    const struct pb_node_library pb_node_library = {PB_NODE_LIBRARY_VERSION, sizeof(struct pb_node_library), \
                                                    pins, callbacks};

#endif
