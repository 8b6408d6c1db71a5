/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Private to the model of the AG32VF303: the hart with its devices, in cycles of the system clock. What is at
 * the pins and when is in ag32.c; which device answers at which address in ag32_bus.c.
 *
 * Order within a cycle c: a transfer of the hart that begins in c, then the clock edge c of the devices,
 * whose outputs the hart and the other devices see from c + 1 on.
 */
#ifndef PB_AG32_H
#define PB_AG32_H

#include "bench/emulator/cpu/rv32.h"
#include "bench/emulator/soc/ag32_fabric.h"
#include "bench/emulator/soc/ag32_parts.h"
#include "bench/emulator/soc/ag32_plic.h"
#include "bench/emulator/soc/pl011.h"

enum { AG32_GPIOS = 10 };

enum {
#define AG32_COST(name, value)
#define AG32_TIME(name, value) AG32_##name = (value),
#include "bench/emulator/soc/ag32_timing.def"
#undef AG32_COST
#undef AG32_TIME
};

enum ag32_source { AG32_HSI, AG32_HSE, AG32_PLL, AG32_SOURCES };
extern const uint64_t ag32_source_hz[AG32_SOURCES];

struct ag32_system {
    struct pb_rv32 hart;
    struct pb_ag32_fabric fabric;
    struct pb_pl011 uart0, uart1;
    struct pb_plic plic;
    struct pb_clint clint;
    bool timer_due; /* the interrupt of clint, as the hart sees it */
    struct pb_ag32_timer timer;
    struct pb_ag32_gpio gpio[AG32_GPIOS];
    /* SYSCTL */
    uint32_t clock_control, apb_reset, ahb_reset, apb_enable, ahb_enable;
    unsigned bus_divider;              /* PBUS register + 1 */
    uint64_t crystal_ready, pll_ready; /* cycles; PB_AG32_NEVER while off */
    enum ag32_source source;
    bool source_changed; /* in the access at hart.cycle; the owner clears it */

    /* `changed` is called when one of these outputs has changed with the clock edge of a cycle. NULL: it is
     * not. */
    void (*changed)(void *context, uint64_t cycle);
    void *context;
    uint16_t pull_low;
    bool uart0_tx;

    const char *words; /* what the program used that the model does not have; NULL */
    bool misuse;       /* of `words`: the manual of the part forbids it */
    uint32_t words_address;
};

/* Resets hart and devices at hart.cycle; execution begins at pc. The fabric is reset before. */
void ag32_system_reset(struct ag32_system *system, uint32_t pc);

/* Hart and devices of a node of this part; its own until the node is destroyed. For tests, which set what a
 * boot ROM leaves. */
struct pb_node;
struct ag32_system *ag32_system_of(struct pb_node *node);

/* Connects the hart's bus to the devices. */
void ag32_bus_connect(struct ag32_system *system);

/* Returns the first cycle whose clock edge must be processed; PB_AG32_NEVER. */
uint64_t ag32_next_edge(const struct ag32_system *system);
/* Processes the clock edge of a cycle; those before it are processed. */
void ag32_edge(struct ag32_system *system, uint64_t cycle);

#endif
