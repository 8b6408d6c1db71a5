/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * C interface of the Verilated rtl/node/ag32_fabric.v: one clock at a time, or many in which only its TIME
 * changes. bench/emulator/soc/ag32_fabric.c keeps the time. At most one thread at a time may use a model.
 */
#ifndef PB_AG32_FABRIC_GLUE_H
#define PB_AG32_FABRIC_GLUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Clocks after the last change of an input from which on only TIME changes, while no start waits. */
enum { AG32_FABRIC_SETTLES = 8 };

struct ag32_fabric_inputs {
    bool reset, tx, tdma_clk, tdma_sync;
    uint16_t line;
    bool access, write; /* an AHB transfer begins in this clock */
    uint32_t address;
    uint32_t write_data; /* of the transfer that began in the last clock */
};
struct ag32_fabric_outputs {
    uint16_t pull_low;
    bool rx, clear_to_send, interrupt;
    uint32_t read_data; /* of the transfer that began in this clock */
};

struct ag32_fabric_model;

/* Creates a model. NULL: errno is ENOMEM or another error of the system. Release with _destroy (NULL: no
 * effect). */
struct ag32_fabric_model *ag32_fabric_model_create(void);
void ag32_fabric_model_destroy(struct ag32_fabric_model *model);

/* Simulates one rising clock edge with the inputs *in; writes the outputs after it. */
void ag32_fabric_model_clock(struct ag32_fabric_model *model, const struct ag32_fabric_inputs *in,
                             struct ag32_fabric_outputs *out);
/* The same for a clock in which no transfer is, and nothing but levels of UART and lines is on its way; what
 * depends on TIME is then as after _skip. */
void ag32_fabric_model_pass(struct ag32_fabric_model *model, const struct ag32_fabric_inputs *in,
                            struct ag32_fabric_outputs *out);
/* Adds clocks to TIME, of a model that is settled; fewer than _waits returns, as the clock
 * after them does not see the new TIME in what is derived from it. */
void ag32_fabric_model_skip(struct ag32_fabric_model *model, uint64_t clocks);
/* Returns after how many clocks that which opens the gate comes; UINT64_MAX: no start waits. */
uint64_t ag32_fabric_model_waits(const struct ag32_fabric_model *model);

/* A copy of all that the model holds, to release with free. NULL: out of memory. */
void *ag32_fabric_model_save(const struct ag32_fabric_model *model);
/* The model becomes that of the copy. False: out of memory, and the model is as before. */
bool ag32_fabric_model_restore(struct ag32_fabric_model *model, const void *saved);

#ifdef __cplusplus
}
#endif

#endif
