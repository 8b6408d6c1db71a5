/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/mcu/soc/rp2040_soc.h"
#include "bench/mcu/soc/state.h"

#include <stdlib.h>

struct pb_mcu_state *rp2040_save(const struct pb_node *node)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    struct pb_mcu_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->part = pb_mcu_copy(soc, sizeof *soc);
    state->sram = pb_mcu_pages_save(soc->sram, NULL, RP2040_SRAM_BYTES);
    if (state->part && state->sram)
        return state;
    pb_mcu_state_free(state);
    return NULL;
}

bool rp2040_restore(struct pb_node *node, const struct pb_mcu_state *state)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    struct rp2040 next = *(const struct rp2040 *)state->part;
    next.image = soc->image;
    next.sram = soc->sram;
    next.core.bus = soc->core.bus;
    next.probe = soc->probe;
    *soc = next;
    pb_mcu_pages_restore(state->sram, soc->sram, NULL, RP2040_SRAM_BYTES);
    return true;
}
