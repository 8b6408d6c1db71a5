/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The emulated MCUs: each makes a node (bench/nodes/node.h) of a firmware image.
 *
 * Devices and CPU are brought forward lazily, to the instant of an input change or a device access. A node
 * runs ahead only where nothing outside could affect or see it, so its outputs change at the exact cycle.
 */
#ifndef PB_MCU_SOC_H
#define PB_MCU_SOC_H

#include "bench/emulator/cpu/cpu.h"
#include "bench/emulator/image/image.h"
#include "bench/nodes/node.h"

/* What the node's processor did since power-up, but what a reset clears. */
struct pb_mcu_figures {
    uint64_t cycles, idle_cycles; /* idle: asleep */
    uint64_t instructions;
    uint64_t longest_interrupt_cycles; /* from the entry of a handler to its return, since the last reset */
    uint32_t stack_bytes;              /* the most in use since the last reset */
    uint64_t clock_hz;                 /* nominal, at present */
};

/* What the processor of a node does, one instruction at a time. */
struct pb_mcu_step {
    uint32_t pc;   /* of the instruction; where the processor goes on if it executed none */
    int64_t at_ps; /* when it began */
    bool executed; /* false: it entered an interrupt, woke up, or stopped */
};

struct pb_mcu_probe {
    void *context;
    /* Before each step, of a processor that is awake; the step is complete except `executed`. May change
     * registers and memory. */
    void (*before)(void *context, const struct pb_mcu_step *step);
    void (*after)(void *context, const struct pb_mcu_step *step);
    bool exact; /* no instruction is executed before its time has come at the pins */
};

enum { PB_MCU_REGISTERS_MAX = 72 };

struct pb_mcu_register {
    const char *name; /* as gdb calls it */
    const char *type; /* of gdb's target description: "int", "data_ptr", "code_ptr", "ieee_single" */
    const char *feature; /* of that: "org.gnu.gdb.arm.m-profile" */
};

/* What a node is at an instant. */
struct pb_mcu_state;
void pb_mcu_state_free(struct pb_mcu_state *state); /* NULL: no effect */

struct pb_mcu_soc {
    const char *name;    /* "ag32" */
    const char *text;    /* the part, for users */
    const char *timing;  /* part, timing model and its state: "AG32VF303, ag32_timing.def, not calibrated" */
    unsigned machine;    /* e_machine of its images */
    uint32_t flash_base, flash_bytes;
    /* Creates a node with the image in its flash, and its settings where it has a block of them
     * (bench/emulator/image/settings_block.h). config->clock_ppm is the error of its oscillator. Its
     * interrupt latency is the model's. `image` is shared by several nodes, and must outlive them; what else
     * they share, as decoded flash, is image->derived. PB_ERR_CONFIG: the image or a setting does not fit the
     * part; PB_ERR_MEMORY. */
    int (*create)(struct pb_node **out, struct pb_image *image, const struct pb_node_config *config,
                  struct pb_diag *diag);
    /* True, with *trap filled: its CPU has stopped; `words`, or NULL, says more. Its lines are
     * released from then on. */
    bool (*trapped)(const struct pb_node *node, struct pb_mcu_trap *trap, const char **words);
    void (*figures)(const struct pb_node *node, struct pb_mcu_figures *figures);
    /* Steps go to the probe, which is copied, from now on; the node does the same at its pins. */
    void (*observe)(struct pb_node *node, const struct pb_mcu_probe *probe);
    /* All that decides what the node does from its last advance on: registers, written pages of SRAM,
     * devices, fabric, events on their way, counters, trap. The flash of the image and the probe are no part
     * of it. NULL: out of memory. Release with pb_mcu_state_free. */
    struct pb_mcu_state *(*save)(const struct pb_node *node);
    /* Into the same node, or one with the same image and configuration; it goes on from the instant of that
     * advance. The state may be restored again. False: out of memory, and the node is as before. */
    bool (*restore)(struct pb_node *node, const struct pb_mcu_state *state);
    /* Registers, in the order of gdb's numbers. The program counter is number `pc`. */
    const struct pb_mcu_register *registers;
    unsigned register_count, pc;
    const char *architecture; /* as gdb calls it */
    void (*read_registers)(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX]);
    void (*write_register)(struct pb_node *node, unsigned number, uint32_t value);
    /* Changes when a handler of an interrupt or exception begins or ends. */
    uint32_t (*handler)(const struct pb_node *node);
    /* An instruction that begins with this half-word has two. */
    bool (*is_wide)(uint16_t first);
    /* Memory without side effects: false where there is none, or a device. A write changes RAM only. */
    bool (*read_memory)(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count);
    bool (*write_memory)(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count);
};

extern const struct pb_mcu_soc pb_soc_ag32, pb_soc_rp2040;

#endif
