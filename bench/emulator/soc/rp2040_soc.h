/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The RP2040 as a whole: private to rp2040.c (time, reset, the node), rp2040_cores.c (both cores and the boot
 * ROM), rp2040_bus.c (what an address is), rp2040_look.c (its inspection) and rp2040_state.c (its saved
 * state).
 *
 * Time within is a cycle of clk_sys since power-up, as the cores count it. Inputs are applied two cycles
 * later than they come, after the synchronisers; so all that happens before cycle N + 2 is known at cycle
 * N. Outputs change a cycle after their cause.
 */
#ifndef PB_MCU_RP2040_SOC_H
#define PB_MCU_RP2040_SOC_H

#include "bench/emulator/cpu/armv6m.h"
#include "bench/emulator/image/settings_block.h"
#include "bench/emulator/soc/pl011.h"
#include "bench/emulator/soc/rp2040_clocks.h"
#include "bench/emulator/soc/rp2040_dma.h"
#include "bench/emulator/soc/rp2040_pins.h"
#include "bench/emulator/soc/rp2040_pio.h"
#include "bench/emulator/soc/rp2040_sio.h"
#include "bench/emulator/soc/rp2040_system.h"
#include "bench/emulator/soc/rp2040_timer.h"
#include "bench/emulator/soc/rp2040_xip.h"
#include "bench/emulator/soc/soc.h"

#define RP2040_FLASH UINT32_C(0x10000000)
#define RP2040_SRAM UINT32_C(0x20000000)
enum { RP2040_SRAM_BYTES = 264 << 10 };
/* Memories of the chip, one after the other on the host: SRAM, that of USB, the cache as SRAM. */
enum {
    RP2040_USB_RAM_BYTES = 4096,
    RP2040_USB_RAM_AT = RP2040_SRAM_BYTES,
    RP2040_CACHE_RAM_BYTES = 16384,
    RP2040_CACHE_RAM_AT = RP2040_USB_RAM_AT + RP2040_USB_RAM_BYTES,
    RP2040_RAM_BYTES = RP2040_CACHE_RAM_AT + RP2040_CACHE_RAM_BYTES
};
enum { RP2040_OUTPUTS = 8 }; /* changes of the outputs on their way: at most one a cycle, for three cycles */
enum { RP2040_UARTS = 2, RP2040_PIOS = 2, RP2040_DMA_MASTER = RP2040_CORES };

enum {
#define PUBLISHED
#define ASSUMED
#define RP2040_TIMING(name, number, unit, state, source) RP2040_##name = number,
#include "bench/emulator/soc/rp2040_timing.def"
#undef RP2040_TIMING
#undef PUBLISHED
#undef ASSUMED
};

/* The second core in the boot ROM: it waits for 0, 1, its VTOR, stack pointer and entry, and echoes each. */
struct rp2040_launch {
    enum rp2040_launch_state { RP2040_HELD, RP2040_WAITS, RP2040_RUNS } state;
    uint8_t words; /* of the sequence from 1 on */
    uint32_t word[4];
    uint64_t answer; /* cycle at which it takes the next word; UINT64_MAX: it has none */
};

struct rp2040 {
    struct pb_node base;
    const struct pb_image *image;
    uint32_t settings_address; /* in flash; 0: the image has none */
    uint8_t settings[PB_SETTINGS_BYTES];
    uint64_t seed;

    struct pb_armv6m core[RP2040_CORES];
    unsigned master; /* that makes the present access: a core, or RP2040_DMA_MASTER */
    struct rp2040_launch launch;
    uint8_t *sram; /* RP2040_RAM_BYTES */
    struct rp2040_clocks clocks;
    struct rp2040_timer timer;
    struct rp2040_watchdog watchdog;
    struct rp2040_system system;
    struct rp2040_pins pins;
    struct rp2040_pio pio[RP2040_PIOS];
    struct pb_pl011 uart[RP2040_UARTS];
    struct rp2040_sio sio;
    struct rp2040_dma dma;
    struct rp2040_xip xip;

    uint64_t done;       /* every event of a device before this cycle is processed */
    uint64_t seen;       /* cores that sleep have to be brought to this cycle */
    uint64_t base_cycle; /* which begins at base_ps */
    int64_t base_ps;
    struct clock_rate rate;    /* of clk_sys since then */
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
    char words[120]; /* of a trap; "": none */
};

/* ---- rp2040.c */

/* Processes all events of devices before a cycle. */
void rp2040_bring(struct rp2040 *soc, uint64_t cycle);
/* A device has changed at this cycle: interrupt lines and outputs follow. */
void rp2040_changed(struct rp2040 *soc, uint64_t cycle);
int64_t rp2040_ps(const struct rp2040 *soc, uint64_t cycle);
/* The clocks may have changed at this cycle. */
void rp2040_new_clock(struct rp2040 *soc, uint64_t cycle);
/* Stops both cores: PB_MCU_GAP or PB_MCU_MISUSE. The first one counts. */
void rp2040_trap(struct rp2040 *soc, enum pb_mcu_trap_kind kind, const char *words);
static inline bool rp2040_stopped(const struct rp2040 *soc)
{
    return soc->core[0].trap.kind != PB_MCU_NONE || soc->core[1].trap.kind != PB_MCU_NONE;
}

/* ---- rp2040_cores.c */

/* Connects both cores to this node. */
void rp2040_connect(struct rp2040 *soc);
uint8_t rp2040_flash_byte(const struct rp2040 *soc, uint32_t offset);
/* The end of the boot ROM: core 0 enters boot2, or what the watchdog's scratch registers say. */
void rp2040_boot(struct rp2040 *soc);
/* The second core enters the boot ROM at this cycle, or is held in reset. */
void rp2040_start_second(struct rp2040 *soc, uint64_t cycle);
void rp2040_hold_second(struct rp2040 *soc);
/* Core 0 has a word for the second core. */
void rp2040_word_for_second(struct rp2040 *soc, uint64_t cycle);
void rp2040_step_launch(struct rp2040 *soc, uint64_t cycle);
/* Before something at this cycle may wake a core that sleeps. */
void rp2040_bring_sleepers(struct rp2040 *soc, uint64_t cycle);
/* The cycle of the next instruction. */
uint64_t rp2040_next_instruction(const struct rp2040 *soc);
/* Executes what begins before `until`; it is the next to do. */
void rp2040_run_cores(struct rp2040 *soc, uint64_t until);

/* ---- rp2040_look.c, of struct pb_mcu_soc */
void rp2040_figures(const struct pb_node *node, struct pb_mcu_figures *out);
void rp2040_read_registers(const struct pb_node *node, uint32_t value[PB_MCU_REGISTERS_MAX]);
void rp2040_write_register(struct pb_node *node, unsigned number, uint32_t value);
bool rp2040_read_memory(const struct pb_node *node, uint32_t address, uint8_t *bytes, unsigned count);
bool rp2040_write_memory(struct pb_node *node, uint32_t address, const uint8_t *bytes, unsigned count);

/* ---- rp2040_state.c, the same */
struct pb_mcu_state *rp2040_save(const struct pb_node *node);
bool rp2040_restore(struct pb_node *node, const struct pb_mcu_state *state);

/* ---- rp2040_bus.c: the functions of struct pb_mcu_bus and of struct rp2040_dma_bus */
int rp2040_bus_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value);
int rp2040_bus_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value);
int rp2040_bus_cache(void *context, uint32_t address);
extern const struct rp2040_dma_bus rp2040_dma_bus; /* without its context */
/* What the part has at an address, and the model cannot do there; NULL: it has nothing. */
const char *rp2040_lacks(uint32_t address);
/* Gaps and misuse that devices note. */
void rp2040_report_devices(struct rp2040 *soc);

#endif
