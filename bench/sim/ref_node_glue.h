/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The Verilated rtl/node/ref_node.v behind C: settings, and one clock at a time. Knows no time;
 * bench/nodes/ref.c gives it some. Each model is independent of every other; none may be used by two threads
 * at once.
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

/* NULL: errno is ENOMEM, or says what else the system does not give. Release with ref_node_model_destroy
 * (NULL is fine). */
struct ref_node_model *ref_node_model_create(const struct ref_node_settings *settings);
void ref_node_model_destroy(struct ref_node_model *model);

/* One rising clock edge that sees *in; writes the outputs after it. BOOT0 is ignored. */
void ref_node_model_clock(struct ref_node_model *model, const struct pb_node_inputs *in,
                          struct pb_node_outputs *out);

#ifdef __cplusplus
}
#endif

#endif
