/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_soc.h"
#include "bench/emulator/soc/state.h"

#include <stdlib.h>
#include <string.h>

struct pb_mcu_state *rp2040_save(const struct pb_node *node)
{
    const struct rp2040 *soc = (const struct rp2040 *)node;
    struct pb_mcu_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->part = pb_mcu_copy(soc, sizeof *soc);
    state->sram = pb_mcu_pages_save(soc->sram, NULL, RP2040_RAM_BYTES);
    if (soc->xip.own)
        state->flash = pb_mcu_pages_save(soc->xip.own, soc->xip.shared, RP2040_FLASH_BYTES);
    if (soc->xip.cache)
        state->cache = pb_mcu_copy(soc->xip.cache, sizeof *soc->xip.cache);
    if (state->part && state->sram && !soc->xip.own == !state->flash && !soc->xip.cache == !state->cache)
        return state;
    pb_mcu_state_free(state);
    return NULL;
}

/* Memory that the saved node had and this one lacks. False: out of memory. */
static bool provide(struct rp2040_xip *xip, const struct pb_mcu_state *state)
{
    if (state->cache && !xip->cache)
        xip->cache = calloc(1, sizeof *xip->cache);
    if (state->flash && !xip->own && (xip->own = malloc(RP2040_FLASH_BYTES)))
        memcpy(xip->own, xip->shared, RP2040_FLASH_BYTES);
    return (!state->cache || xip->cache) && (!state->flash || xip->own);
}

bool rp2040_restore(struct pb_node *node, const struct pb_mcu_state *state)
{
    struct rp2040 *soc = (struct rp2040 *)node;
    struct rp2040 next = *(const struct rp2040 *)state->part;
    if (!provide(&soc->xip, state))
        return false;
    next.image = soc->image;
    next.sram = soc->sram;
    next.probe = soc->probe;
    next.xip.shared = soc->xip.shared;
    next.xip.cache = soc->xip.cache;
    next.xip.own = soc->xip.own;
    if (!state->flash) {
        free(next.xip.own);
        next.xip.own = NULL;
    }
    *soc = next;
    if (state->cache)
        memcpy(soc->xip.cache, state->cache, sizeof *soc->xip.cache);
    else if (soc->xip.cache)
        memset(soc->xip.cache, 0, sizeof *soc->xip.cache);
    if (state->flash)
        pb_mcu_pages_restore(state->flash, soc->xip.own, soc->xip.shared, RP2040_FLASH_BYTES);
    pb_mcu_pages_restore(state->sram, soc->sram, NULL, RP2040_RAM_BYTES);
    rp2040_connect(soc);
    return true;
}
