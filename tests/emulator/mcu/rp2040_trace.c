/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs the image of the RP2040 as node 5 of the 3-cube and writes what it does, for a check that does the
 * same with another emulator (rp2040js.mjs). Usage: rp2040_trace IMAGE
 *
 * The node boots, gets `I` on its console, and two superframes of the phase clock; in the second a frame
 * comes from node 7 to node 1, which it forwards. Lines of the trace, numbers in hexadecimal:
 *
 *   f ADDRESS BYTES          flash, once
 *   n CYCLE LEVELS           levels at the pads that the bench drives, behind the synchronisers
 *   r CYCLE ADDRESS BYTES VALUE, w ...   access to a device
 *   x CYCLE NUMBER           entry of an exception
 *   i CYCLE R0 ... R15 XPSR  an instruction that began at the cycle has been executed
 *   o CYCLE OUT ENABLE       PIO0 drives so from this cycle on
 *   p NAME VALUE             a register of PIO0 at the end
 *   c TEXT                   what UART0_TX sent, decoded from its edges
 */
#include "bench/emulator/soc/rp2040_soc.h"
#include "phasebench/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000000)
enum { BIT_PS = 1000000, CONSOLE_HZ = 460800, PHASE_PS = 100000000, PHASES = 6, FRAME_BYTES = 9 };
enum { PHASE_RECEIVED = PHASES + 3 }; /* node 7 sends to node 5 on dimension 1 in phase 3 */
static const int64_t CONSOLE_PS = 20 * MS, CLOCK_PS = 22 * MS,
                     END_PS = 22 * MS + (2 * PHASES + 1) * (int64_t)PHASE_PS;

static int (*bus_read)(void *, uint64_t, uint32_t, unsigned, uint32_t *);
static int (*bus_write)(void *, uint64_t, uint32_t, unsigned, uint32_t);

static int traced_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    const int waits = bus_read(context, cycle, address, bytes, value);
    printf("r %" PRIx64 " %" PRIx32 " %u %" PRIx32 "\n", cycle, address, bytes, *value);
    return waits;
}

static int traced_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    printf("w %" PRIx64 " %" PRIx32 " %u %" PRIx32 "\n", cycle, address, bytes, value);
    return bus_write(context, cycle, address, bytes, value);
}

/* ---- stimulus */

static bool bit_of(const uint8_t *bytes, unsigned count, int64_t bit)
{
    if (bit < 0 || bit >= 10 * (int64_t)count || bit % 10 == 9)
        return true;
    return bit % 10 && (bytes[bit / 10] >> (bit % 10 - 1) & 1);
}

/* To node 1, sequence number 2, payload 1 to 6; the CRC-8 by long division. */
static void make_frame(uint8_t *frame)
{
    static const uint8_t head[] = {1, 0x20, 1, 2, 3, 4, 5, 6, 0};
    unsigned remainder = 0;
    memcpy(frame, head, sizeof head);
    for (unsigned i = 0; i < 8 * sizeof head; i++) {
        remainder = remainder << 1 | (head[i / 8] >> (7 - i % 8) & 1);
        remainder = remainder & 0x100 ? remainder ^ 0x107 : remainder;
    }
    frame[FRAME_BYTES - 1] = (uint8_t)remainder;
}

static struct pb_node_inputs inputs_at(int64_t ps, uint16_t own_pull, const uint8_t *frame)
{
    const int64_t phase = ps < CLOCK_PS ? -1 : (ps - CLOCK_PS) / PHASE_PS,
                  into_ps = ps < CLOCK_PS ? 0 : (ps - CLOCK_PS) % PHASE_PS;
    const int64_t bit = (into_ps - 5000000) / BIT_PS - (into_ps < 5000000);
    const bool low = phase == PHASE_RECEIVED && !bit_of(frame, FRAME_BYTES, bit);
    return (struct pb_node_inputs){
        .line = (uint16_t)(0xFFF & ~own_pull & ~(low ? 2 : 0)),
        .tdma_clk = phase >= 0 && into_ps < PHASE_PS / 2,
        .tdma_sync = phase >= 0 && phase % PHASES == 0,
        .nrst = true,
        .uart0_rx = ps < CONSOLE_PS || bit_of((const uint8_t *)"I\n", 2,
                                              (ps - CONSOLE_PS) / 1000 * CONSOLE_HZ / 1000000000),
    };
}

/* ---- the console at the pin: samples in the middle of each bit */

struct listener {
    int64_t start_ps; /* -1: none */
    unsigned bits, value;
};

static void listen(struct listener *listener, int64_t ps, bool level)
{
    const int64_t bit_ps = INT64_C(1000000000000) / CONSOLE_HZ;
    if (listener->start_ps < 0 && !level)
        *listener = (struct listener){.start_ps = ps};
    if (listener->start_ps < 0 || ps < listener->start_ps + bit_ps / 2 + listener->bits * bit_ps)
        return;
    listener->value |= (unsigned)level << listener->bits;
    if (++listener->bits < 10)
        return;
    printf("c %x\n", listener->value >> 1 & 0xFF);
    listener->start_ps = -1;
}

/* ---- the run, cycle by cycle */

/* The linker puts it in place of pb_armv6m_run: the same, one instruction at a time and none ahead. */
enum pb_mcu_stop __real_pb_armv6m_run(struct pb_armv6m *core, uint64_t until, uint64_t ahead);
enum pb_mcu_stop __wrap_pb_armv6m_run(struct pb_armv6m *core, uint64_t until, uint64_t ahead);
enum pb_mcu_stop __wrap_pb_armv6m_run(struct pb_armv6m *core, uint64_t until, uint64_t ahead)
{
    enum pb_mcu_stop stop = PB_MCU_TIME;
    (void)ahead;
    while (stop == PB_MCU_TIME && core->cycle < until) {
        const uint64_t cycle = core->cycle, instructions = core->instructions;
        const uint32_t ipsr = core->ipsr;
        stop = __real_pb_armv6m_run(core, cycle + 1, cycle + 1);
        if (core->instructions == instructions && core->ipsr != ipsr)
            printf("x %" PRIx64 " %" PRIx32 "\n", cycle, core->ipsr);
        if (core->instructions == instructions)
            continue;
        printf("i %" PRIx64, cycle);
        for (unsigned i = 0; i < 16; i++)
            printf(" %" PRIx32, core->r[i]);
        printf(" %" PRIx32 "\n", core->apsr | core->ipsr);
    }
    return stop == PB_MCU_ASLEEP ? __real_pb_armv6m_run(core, until, until) : stop;
}

static void put_pio(const struct rp2040_pio *pio)
{
    for (unsigned i = 0; i < 32; i++)
        printf("p INSTR_MEM%u %x\n", i, pio->program[i]);
    for (unsigned i = 0; i < RP2040_PIO_MACHINES; i++) {
        const struct rp2040_pio_machine *machine = &pio->machine[i];
        printf("p SM%u_CLKDIV %" PRIx32 "\np SM%u_EXECCTRL %" PRIx32 "\np SM%u_SHIFTCTRL %" PRIx32
               "\np SM%u_PINCTRL %" PRIx32 "\n",
               i, machine->clkdiv, i, machine->execctrl, i, machine->shiftctrl, i, machine->pinctrl);
    }
}

static void run(struct rp2040 *soc)
{
    struct pb_node_outputs out = {.uart0_tx = true};
    struct listener listener = {.start_ps = -1};
    struct pb_armv6m *core = &soc->core[0];
    uint8_t frame[FRAME_BYTES];
    uint32_t levels = UINT32_MAX, pio_out = 0, pio_oe = 0;
    make_frame(frame);
    for (int64_t ps = 0; ps < END_PS;) {
        const struct pb_node_inputs in = inputs_at(ps, out.pull_low, frame);
        soc->base.ops->advance(&soc->base, ps, &in, &out);
        if (core->trap.kind != PB_MCU_NONE) {
            fprintf(stderr, "trap %d at %08" PRIx32 "\n", core->trap.kind, core->trap.pc);
            exit(1);
        }
        if (soc->pins.levels != levels)
            printf("n %" PRIx64 " %" PRIx32 "\n", soc->done, levels = soc->pins.levels);
        if (soc->pio[0].out != pio_out || soc->pio[0].oe != pio_oe)
            printf("o %" PRIx64 " %" PRIx32 " %" PRIx32 "\n", soc->done - 1, pio_out = soc->pio[0].out,
                   pio_oe = soc->pio[0].oe);
        listen(&listener, ps, out.uart0_tx);
        const uint64_t cycle = soc->done + 1 - RP2040_synchroniser;
        const int64_t next_ps = soc->booted ? rp2040_ps(soc, cycle) : rp2040_ps(soc, soc->boot_cycle);
        ps = next_ps > ps ? next_ps : ps + 1;
    }
    put_pio(&soc->pio[0]);
}

int main(int argc, char **argv)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    struct pb_node *node;
    const struct pb_node_config config = {
        .address = 5,
        PB_NODE_CUBE(3),
        .payload_bytes = 6,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = CONSOLE_HZ,
        .head_guard_ps = 5000000,
    };
    if (argc != 2 || pb_image_read(&image, argv[1], &diag) ||
        pb_soc_rp2040.create(&node, image, &config, &diag)) {
        fprintf(stderr, "%s\n", argc == 2 ? diag.text : "usage: rp2040_trace IMAGE");
        return 2;
    }
    struct rp2040 *soc = (struct rp2040 *)node;
    for (uint32_t at = 0; at < 64 << 10; at += 4) {
        const uint32_t word = rp2040_flash_word(soc, RP2040_FLASH + at);
        if (word != UINT32_MAX)
            printf("f %" PRIx32 " %" PRIx32 "\n", RP2040_FLASH + at, word);
    }
    bus_read = soc->core[0].bus.read;
    bus_write = soc->core[0].bus.write;
    soc->core[0].bus.read = traced_read;
    soc->core[0].bus.write = traced_write;
    run(soc);
    pb_node_destroy(node);
    pb_image_destroy(image);
    return 0;
}
