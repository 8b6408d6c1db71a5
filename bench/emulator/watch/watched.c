/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/watched.h"

#include "bench/emulator/watch/coverage.h"
#include "bench/emulator/watch/gdb.h"
#include "bench/emulator/watch/steps.h"

#include <stdlib.h>

struct pb_watched {
    const struct pb_mcu_soc *soc;
    struct pb_node *part;
    struct pb_coverage_image *coverage; /* NULL: not asked for, as `steps` */
    struct pb_steps *steps;
    struct pb_gdb *gdb;
    bool observed;
};

static void before(void *context, const struct pb_mcu_step *step)
{
    struct pb_watched *watched = context;
    if (watched->gdb) {
        pb_gdb_look(watched->gdb, step->at_ps);
        pb_gdb_before(watched->gdb, step);
    }
    if (watched->steps)
        pb_steps_before(watched->steps, watched->part);
}

static void after(void *context, const struct pb_mcu_step *step)
{
    struct pb_watched *watched = context;
    if (watched->coverage && step->executed)
        pb_coverage_count(watched->coverage, step->pc);
    if (watched->steps)
        pb_steps_after(watched->steps, watched->part, step);
    if (watched->gdb)
        pb_gdb_after(watched->gdb, step);
}

static void observe(struct pb_watched *watched, bool on)
{
    const struct pb_mcu_probe probe = {.context = watched,
                                       .before = on ? before : NULL,
                                       .after = on ? after : NULL,
                                       .exact = watched->steps || watched->gdb};
    watched->soc->observe(watched->part, &probe);
    watched->observed = on;
}

int pb_watched_create(struct pb_watched **out, const struct pb_mcu_soc *soc, struct pb_node *part,
                      struct pb_image *image, unsigned index, struct pb_node_watch *watch,
                      struct pb_diag *diag)
{
    const bool steps = watch->steps && pb_steps_node(watch->steps) == index;
    const bool gdb = watch->gdb && pb_gdb_node(watch->gdb) == index;
    *out = NULL;
    if (!watch->coverage && !steps && !gdb)
        return PB_OK;
    struct pb_watched *watched = calloc(1, sizeof *watched);
    if (!watched)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to watch a node");
    *watched = (struct pb_watched){.soc = soc, .part = part};
    if (watch->coverage && !(watched->coverage = pb_coverage_of(watch->coverage, image, diag))) {
        free(watched);
        return PB_ERR_MEMORY;
    }
    if (steps) {
        watched->steps = watch->steps;
        pb_steps_begin(watched->steps, soc, image);
    }
    if (gdb) {
        watched->gdb = watch->gdb;
        pb_gdb_attach(watched->gdb, soc, part, watch);
    }
    if (watched->coverage || gdb)
        observe(watched, true);
    *out = watched;
    return PB_OK;
}

void pb_watched_free(struct pb_watched *watched)
{
    free(watched);
}

/* Instructions alone are slow to follow: only where they are requested. */
void pb_watched_advance(struct pb_watched *watched, int64_t now_ps)
{
    const bool wanted = watched->coverage || watched->gdb || pb_steps_wants(watched->steps, now_ps);
    if (watched->gdb)
        pb_gdb_look(watched->gdb, now_ps);
    if (wanted != watched->observed)
        observe(watched, wanted);
}

void pb_watched_phase(struct pb_watched *watched, int64_t now_ps, uint32_t superframe, unsigned phase)
{
    if (watched->steps)
        pb_steps_phase(watched->steps, now_ps, superframe, phase);
    if (watched->gdb)
        pb_gdb_phase(watched->gdb, superframe, phase);
}
