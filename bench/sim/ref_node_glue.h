/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * C interface of the Verilated rtl/node/ref_node.v: settings, and one clock at a time. bench/nodes/ref.c
 * keeps the time. Models are independent of one another; a model must not be used by two threads at a time.
 */
#ifndef PB_REF_NODE_GLUE_H
#define PB_REF_NODE_GLUE_H

#include "bench/nodes/node.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ref_node_settings {
    uint16_t address;        /* below 2^dims */
    uint8_t dims;            /* 1..12 */
    uint8_t payload_bytes;   /* 0..80 */
    uint32_t link_period;    /* bit period of the links in 1/16 clocks, 128..2^20 - 1 */
    uint32_t console_period; /* of UART0, 256..2^20 - 1 */
    uint32_t guard_clocks;   /* head guard, below 2^24 */
};

struct ref_node_model;

/* Creates a model. NULL: errno is ENOMEM or another error of the system. Release with ref_node_model_destroy
 * (NULL: no effect). */
struct ref_node_model *ref_node_model_create(const struct ref_node_settings *settings);
void ref_node_model_destroy(struct ref_node_model *model);

/* Simulates one rising clock edge with the inputs *in; writes the outputs after it. BOOT0 is ignored. */
void ref_node_model_clock(struct ref_node_model *model, const struct pb_node_inputs *in,
                          struct pb_node_outputs *out);

#ifdef __cplusplus
}
#endif

#endif
