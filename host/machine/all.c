/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine `all`: each engine on the same releases, compared with `slot` after each superframe. */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT, OTHER, BOTH, MOST = PB_ENGINE_ALL };

/* The releases of the present superframe, for one of them. */
struct feed {
    struct pb_releases base;
    const struct all *all;
    size_t taken;
};

struct all {
    struct pb_engine base;
    struct pb_releases *source;
    struct pb_engine *engine[MOST]; /* `slot` first */
    enum pb_machine_engine kind[MOST];
    struct feed feed[MOST];
    unsigned engines;
    struct pb_birth *birth;
    size_t births, births_max;
    uint32_t superframe;
    struct pb_machine_difference difference;
};

static int take_fed(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release, size_t room,
                    size_t *count)
{
    struct feed *feed = (struct feed *)releases;
    const size_t left = feed->all->births - feed->taken;

    (void)superframe; /* the present one */
    *count = left < room ? left : room;
    if (*count)
        memcpy(release, feed->all->birth + feed->taken, *count * sizeof *release);
    feed->taken += *count;
    return PB_OK;
}

static bool next_fed(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct feed *feed = (const struct feed *)releases;
    *superframe = feed->all->superframe;
    return feed->taken < feed->all->births;
}

static int fetch(struct all *all, uint32_t superframe)
{
    all->superframe = superframe;
    for (unsigned k = 0; k < all->engines; k++)
        all->feed[k].taken = 0;
    return pb_engine_fetch(all->source, superframe, &all->birth, &all->births, &all->births_max);
}

/* ---- comparison */

/* Before, at, or after: the place of a crossing or drop in the order of time. */
static int order_of_crossings(const struct pb_crossing *left, const struct pb_crossing *right)
{
    if (left->phase != right->phase)
        return left->phase < right->phase ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static bool same_crossing(const struct pb_crossing *left, const struct pb_crossing *right)
{
    return left->message == right->message && left->from == right->from && left->to == right->to &&
           left->phase == right->phase && left->port == right->port && left->last == right->last;
}

static bool compare_crossings(const struct pb_step *slot, const struct pb_step *other,
                              struct pb_machine_difference *out)
{
    size_t i = 0;

    while (i < slot->crossings && i < other->crossings &&
           same_crossing(&slot->crossing[i], &other->crossing[i]))
        i++;
    const struct pb_crossing *left = i < slot->crossings ? &slot->crossing[i] : NULL,
                             *right = i < other->crossings ? &other->crossing[i] : NULL;
    if (!left && !right)
        return true;
    const int order = !left ? 1 : !right ? -1 : order_of_crossings(left, right);
    const struct pb_crossing *there[BOTH] = {order <= 0 ? left : NULL, order >= 0 ? right : NULL};
    const struct pb_crossing *first = order <= 0 ? left : right;
    *out = (struct pb_machine_difference){.found = true,
                                          .superframe = first->superframe,
                                          .phase = first->phase,
                                          .port = first->port,
                                          .from = first->from,
                                          .to = first->to};
    for (unsigned k = 0; k < BOTH; k++)
        if (there[k]) {
            out->moves[k] = true;
            out->arrives[k] = there[k]->last;
            out->message[k] = there[k]->message;
            out->source[k] = there[k]->source;
            out->destination[k] = there[k]->destination;
        }
    return false;
}

static bool same_drop(const struct pb_drop *left, const struct pb_drop *right)
{
    return left->message == right->message && left->node == right->node && left->phase == right->phase &&
           left->at_release == right->at_release && left->crossings == right->crossings;
}

/* Where crossings are the same: those decide on the order of drops on reception. */
static bool compare_drops(const struct pb_step *slot, const struct pb_step *other,
                          struct pb_machine_difference *out)
{
    size_t i = 0;

    while (i < slot->drops && i < other->drops && same_drop(&slot->drop[i], &other->drop[i]))
        i++;
    const struct pb_drop *there[BOTH] = {i < slot->drops ? &slot->drop[i] : NULL,
                                         i < other->drops ? &other->drop[i] : NULL};
    if (!there[SLOT] && !there[OTHER])
        return true;
    const unsigned first = !there[SLOT] || (there[OTHER] && there[OTHER]->crossings < there[SLOT]->crossings);
    const struct pb_drop *at = there[first];
    *out = (struct pb_machine_difference){.found = true,
                                          .drop = true,
                                          .superframe = at->superframe,
                                          .phase = at->phase,
                                          .from = at->node,
                                          .to = at->node};
    for (unsigned k = 0; k < BOTH; k++)
        if (there[k] && there[k]->node == at->node && there[k]->phase == at->phase) {
            out->moves[k] = true;
            out->message[k] = there[k]->message;
        }
    return false;
}

const char *pb_machine_difference_text(const struct pb_machine_difference *difference,
                                       const struct pb_network *network, char text[PB_DIFFERENCE_TEXT_SIZE])
{
    const char *const name[BOTH] = {pb_machine_engine_name(PB_ENGINE_SLOT),
                                    pb_machine_engine_name(difference->engine)};
    const int digits = (int)pb_network_address_digits(network);
    char where[80], part[BOTH][100];

    if (difference->drop)
        snprintf(where, sizeof where, "at node 0x%0*" PRIX32, digits, difference->from);
    else
        snprintf(where, sizeof where, "on the wire of port %u from node 0x%0*" PRIX32 " to node 0x%0*" PRIX32,
                 difference->port, digits, difference->from, digits, difference->to);
    for (unsigned k = 0; k < BOTH; k++) {
        const char *verb = difference->drop ? "drops" : difference->arrives[k] ? "delivers" : "moves";
        if (!difference->moves[k])
            snprintf(part[k], sizeof part[k], "%s %s nothing", name[k], verb);
        else if (difference->drop)
            snprintf(part[k], sizeof part[k], "%s %s message %" PRIu64, name[k], verb,
                     difference->message[k]);
        else
            snprintf(part[k], sizeof part[k],
                     "%s %s message %" PRIu64 " from 0x%0*" PRIX32 " to 0x%0*" PRIX32, name[k], verb,
                     difference->message[k], digits, difference->source[k], digits,
                     difference->destination[k]);
    }
    snprintf(text, PB_DIFFERENCE_TEXT_SIZE, "superframe %" PRIu32 ", phase %u, %s: %s; %s",
             difference->superframe, difference->phase, where, part[SLOT], part[OTHER]);
    return text;
}

/* ---- the engine */

static int step(struct pb_engine *engine, uint32_t superframe, struct pb_step *out, struct pb_diag *diag)
{
    struct all *all = (struct all *)engine;
    struct pb_step done[MOST] = {0};

    int code = fetch(all, superframe);
    if (code == PB_ERR_MEMORY)
        return pb_fail(diag, code, "machine: no memory for the releases of superframe %" PRIu32 "; send less",
                       superframe);
    for (unsigned k = 0; k < all->engines && code == PB_OK; k++) {
        code = all->engine[k]->ops->step(all->engine[k], superframe, &done[k], diag);
        if (code == PB_OK && k != SLOT && !out->difference &&
            (!compare_crossings(&done[SLOT], &done[k], &all->difference) ||
             !compare_drops(&done[SLOT], &done[k], &all->difference))) {
            all->difference.engine = all->kind[k];
            out->difference = &all->difference;
        }
    }
    if (code)
        return code;
    const struct pb_machine_difference *const difference = out->difference;
    *out = done[SLOT];
    out->difference = difference;
    return PB_OK;
}

static void loads(const struct pb_engine *engine, uint32_t *load)
{
    const struct pb_engine *slot = ((const struct all *)engine)->engine[SLOT];
    slot->ops->loads(slot, load);
}

static const struct pb_mover_stats *stats(const struct pb_engine *engine)
{
    const struct pb_engine *slot = ((const struct all *)engine)->engine[SLOT];
    return slot->ops->stats(slot);
}

static void waiting(const struct pb_engine *engine, pb_waiting_fn *visit, void *context)
{
    const struct pb_engine *slot = ((const struct all *)engine)->engine[SLOT];
    slot->ops->waiting(slot, visit, context);
}

static int finish(struct pb_engine *engine, struct pb_diag *diag)
{
    struct all *all = (struct all *)engine;
    int code = PB_OK;
    for (unsigned k = 0; k < all->engines && code == PB_OK; k++)
        if (all->engine[k]->ops->finish)
            code = all->engine[k]->ops->finish(all->engine[k], diag);
    return code;
}

static void destroy(struct pb_engine *engine)
{
    struct all *all = (struct all *)engine;
    for (unsigned k = 0; k < all->engines; k++)
        all->engine[k]->ops->destroy(all->engine[k]);
    free(all->birth);
    free(all);
}

static const struct pb_engine_ops ops = {
    .step = step, .loads = loads, .stats = stats, .waiting = waiting, .finish = finish, .destroy = destroy};

int pb_engine_all(struct pb_engine **out, const struct pb_engine_options *options, struct pb_diag *diag)
{
    struct all *all = calloc(1, sizeof *all);
    struct pb_engine_options of = *options;
    int code = PB_OK;

    *out = NULL;
    if (!all)
        return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for the engines; give fewer nodes");
    all->base.ops = &ops;
    all->source = options->releases;
    of.all = true;
    for (unsigned kind = 0; kind < PB_ENGINE_ALL && code == PB_OK; kind++) {
        if (kind == PB_ENGINE_IMAGE && !options->images)
            continue;
        const unsigned k = all->engines;
        all->kind[k] = kind;
        all->feed[k] = (struct feed){.base = {.take = take_fed, .next = next_fed}, .all = all};
        of.releases = &all->feed[k].base;
        code = pb_engine_create(&all->engine[k], kind, &of, diag);
        all->engines += code == PB_OK;
    }
    if (code) {
        destroy(&all->base);
        return code;
    }
    *out = &all->base;
    return PB_OK;
}
