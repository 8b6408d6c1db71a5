/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The RP2040 as a whole: private to rp2040.c (time, boot, the node), rp2040_bus.c (what an address is) and
 * rp2040_state.c (its saved state).
 *
 * Time within is a cycle of clk_sys since power-up, as the core counts it. Inputs are applied two cycles
 * later than they come, behind the synchronisers; so all that happens before cycle N + 2 is known at cycle
 * N. Outputs change a cycle after their cause.
 */
#ifndef PB_MCU_RP2040_SOC_H
#define PB_MCU_RP2040_SOC_H

#include "bench/mcu/cpu/armv6m.h"
#include "bench/mcu/settings_block.h"
#include "bench/mcu/soc/rp2040_pins.h"
#include "bench/mcu/soc/rp2040_pio.h"
#include "bench/mcu/soc/rp2040_system.h"
#include "bench/mcu/soc/rp2040_uart.h"
#include "bench/mcu/soc/soc.h"

#define RP2040_FLASH UINT32_C(0x10000000)
#define RP2040_SRAM UINT32_C(0x20000000)
enum { RP2040_FLASH_BYTES = 2 << 20, RP2040_SRAM_BYTES = 264 << 10 };
enum { RP2040_OUTPUTS = 8 }; /* changes of the outputs on their way: at most one a cycle, for three cycles */

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) RP2040_##name = number,
#include "bench/mcu/soc/rp2040_timing.def"
#undef RP2040_TIMING
#undef PUBLISHED
#undef ASSUMED
};

struct rp2040 {
    struct pb_node base;
    const struct pb_image *image;
    uint32_t settings_address; /* in flash; 0: the image has none */
    uint8_t settings[PB_SETTINGS_BYTES];
    uint64_t seed;

    struct pb_armv6m core;
    uint8_t *sram;
    struct rp2040_system system;
    struct rp2040_pins pins;
    struct rp2040_pio pio[2];
    struct rp2040_uart uart;
    struct {
        uint32_t dividend, divisor, quotient, remainder;
        bool is_signed, dirty;
        uint64_t ready; /* cycle */
    } divider;

    uint64_t done;       /* every event of a device before this cycle is processed */
    uint64_t base_cycle; /* which begins at base_ps */
    int64_t base_ps;
    struct clock_rate rate; /* of clk_sys since then */
    struct pb_mcu_probe probe; /* before NULL: not observed */
    bool powered, booted;
    uint64_t boot_cycle; /* at which the boot ROM ends */

    struct pb_node_inputs in;
    uint32_t pads; /* levels at the pads that the bench drives, before the synchronisers */
    struct pb_node_outputs out, out_next; /* at the pins now; after the changes on their way */
    struct rp2040_output {
        uint64_t cycle;
        struct pb_node_outputs out;
    } change[RP2040_OUTPUTS];
    unsigned changes;
    char words[120]; /* of a trap */
};

/* Processes all events of devices before a cycle. */
void rp2040_bring(struct rp2040 *soc, uint64_t cycle);
/* A device has changed at this cycle: interrupt lines and outputs follow. */
void rp2040_changed(struct rp2040 *soc, uint64_t cycle);
int64_t rp2040_ps(const struct rp2040 *soc, uint64_t cycle);
/* The clocks may have changed at this cycle. */
void rp2040_new_clock(struct rp2040 *soc, uint64_t cycle);
/* Four bytes of flash, as programmed. */
uint32_t rp2040_flash_word(const struct rp2040 *soc, uint32_t address);
void rp2040_trap(struct rp2040 *soc, const char *words);

/* Of struct pb_mcu_soc. */
struct pb_mcu_state *rp2040_save(const struct pb_node *node);
bool rp2040_restore(struct pb_node *node, const struct pb_mcu_state *state);

/* The functions of struct pb_mcu_bus. */
int rp2040_bus_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value);
int rp2040_bus_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value);

#endif
