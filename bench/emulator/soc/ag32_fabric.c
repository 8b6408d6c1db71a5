/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/ag32_fabric.h"

#include <string.h>

#define NEVER UINT64_MAX
enum { SELECT = 0x10, SELECT_LINK = 0xF, SELECT_SEND = 1 << 8, SELECT_ENABLE = 1 << 9 };

/* Clocks from a change of a level on until all flip-flops behind it have it: tdma_mux.v. */
enum { TX_PASSES = 1, LINE_PASSES = 2 };

static void plan(struct pb_ag32_fabric *fabric)
{
    fabric->gate = fabric->at;
    if (fabric->at >= fabric->settled) {
        /* After skipped clocks what the model derives from TIME is stale for one clock, so the skip ends
         * before the one that opens the gate. */
        const uint64_t waits = ag32_fabric_model_waits(fabric->model);
        fabric->gate = waits == NEVER ? NEVER : fabric->at + (waits > 0 ? waits - 1 : 0);
    }
    fabric->next = fabric->at < fabric->passed ? fabric->at : fabric->gate;
}

static void changed(struct pb_ag32_fabric *fabric, uint64_t cycle)
{
    fabric->settled = cycle + AG32_FABRIC_SETTLES;
    plan(fabric);
}

static void level_changed(struct pb_ag32_fabric *fabric, uint64_t passed)
{
    if (fabric->passed < passed)
        fabric->passed = passed;
    fabric->next = fabric->at < fabric->passed ? fabric->at : fabric->gate;
}

static void clock(struct pb_ag32_fabric *fabric)
{
    const struct ag32_fabric_outputs before = fabric->out;
    ag32_fabric_model_clock(fabric->model, &fabric->in, &fabric->out);
    fabric->at++;
    /* The start gate acts without a change of an input. */
    if (before.clear_to_send != fabric->out.clear_to_send &&
        fabric->settled < fabric->at + AG32_FABRIC_SETTLES)
        fabric->settled = fabric->at + AG32_FABRIC_SETTLES;
}

/* Simulates the edges before this cycle. */
static void catch_up(struct pb_ag32_fabric *fabric, uint64_t cycle)
{
    while (fabric->at < cycle) {
        if (fabric->next > fabric->at) {
            const uint64_t to = fabric->next < cycle ? fabric->next : cycle;
            ag32_fabric_model_skip(fabric->model, to - fabric->at);
            fabric->at = to;
        } else if (fabric->gate > fabric->at) {
            ag32_fabric_model_pass(fabric->model, &fabric->in, &fabric->out);
            fabric->at++;
            fabric->next = fabric->at < fabric->passed ? fabric->at : fabric->gate;
        } else {
            clock(fabric);
            plan(fabric);
        }
    }
}

void pb_ag32_fabric_advance(struct pb_ag32_fabric *fabric, uint64_t cycle)
{
    catch_up(fabric, cycle + 1);
}

static void transfer(struct pb_ag32_fabric *fabric, uint64_t cycle)
{
    catch_up(fabric, cycle);
    fabric->in.access = true;
    clock(fabric);
    fabric->in.access = fabric->in.write = false;
    changed(fabric, cycle + 1);
}

uint32_t pb_ag32_fabric_read(struct pb_ag32_fabric *fabric, uint64_t cycle, uint32_t offset)
{
    fabric->in.address = offset;
    transfer(fabric, cycle);
    return fabric->out.read_data;
}

void pb_ag32_fabric_write(struct pb_ag32_fabric *fabric, uint64_t cycle, uint32_t offset, uint32_t value)
{
    fabric->in.address = offset;
    fabric->in.write = true;
    transfer(fabric, cycle);
    fabric->in.write_data = value;
    if (offset == SELECT)
        fabric->listens =
            value & SELECT_ENABLE && !(value & SELECT_SEND) ? (uint16_t)(1u << (value & SELECT_LINK)) : 0;
}

void pb_ag32_fabric_pins(struct pb_ag32_fabric *fabric, uint64_t cycle, uint16_t line, bool tdma_clk,
                         bool tdma_sync)
{
    struct ag32_fabric_inputs *in = &fabric->in;
    /* The mux lets the level of no other link through. */
    const bool heard = (in->line ^ line) & fabric->listens,
               clocks = in->tdma_clk != tdma_clk || in->tdma_sync != tdma_sync;
    if (heard || clocks || fabric->at < fabric->settled)
        catch_up(fabric, cycle);
    in->line = line;
    in->tdma_clk = tdma_clk;
    in->tdma_sync = tdma_sync;
    if (clocks)
        changed(fabric, cycle);
    if (heard)
        level_changed(fabric, cycle + LINE_PASSES);
}

void pb_ag32_fabric_tx(struct pb_ag32_fabric *fabric, uint64_t cycle, bool tx)
{
    if (tx == fabric->in.tx)
        return;
    catch_up(fabric, cycle);
    fabric->in.tx = tx;
    level_changed(fabric, cycle + TX_PASSES);
}

void pb_ag32_fabric_reset(struct pb_ag32_fabric *fabric, uint64_t cycle, uint16_t line, bool tdma_clk,
                          bool tdma_sync)
{
    fabric->in = (struct ag32_fabric_inputs){
        .reset = true, .tx = true, .line = line, .tdma_clk = tdma_clk, .tdma_sync = tdma_sync};
    for (unsigned i = 0; i < AG32_FABRIC_SETTLES; i++)
        ag32_fabric_model_clock(fabric->model, &fabric->in, &fabric->out);
    fabric->in.reset = false;
    fabric->listens = 0;
    fabric->passed = 0;
    fabric->at = cycle;
    changed(fabric, cycle);
}

bool pb_ag32_fabric_create(struct pb_ag32_fabric *fabric)
{
    memset(fabric, 0, sizeof *fabric);
    fabric->model = ag32_fabric_model_create();
    fabric->next = NEVER;
    fabric->in = (struct ag32_fabric_inputs){.tx = true, .line = 0xFFFF, .tdma_clk = true};
    fabric->out.rx = true;
    return fabric->model;
}

void pb_ag32_fabric_destroy(struct pb_ag32_fabric *fabric)
{
    ag32_fabric_model_destroy(fabric->model);
}
