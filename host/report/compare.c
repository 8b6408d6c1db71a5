/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/compare.h"
#include "json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct pb_measurement *pb_compare_twin(const struct pb_result *result,
                                             const struct pb_measurement *measurement)
{
    return pb_measurement_find(result, measurement->figure,
                               pb_figure_place(measurement->figure) == PB_OF_NODE ? measurement->node
                                                                                  : measurement->link);
}

bool pb_judgement_is_worse(enum pb_judgement before, enum pb_judgement after)
{
    return before != PB_NOT_JUDGED && after > before;
}

/* From best to worst: pass, marginal, inconclusive, fail. */
static int rank_of(enum pb_verdict verdict)
{
    static const int rank[] = {[PB_VERDICT_PASS] = 0,
                               [PB_VERDICT_MARGINAL] = 1,
                               [PB_VERDICT_INCONCLUSIVE] = 2,
                               [PB_VERDICT_FAIL] = 3};
    return rank[verdict];
}

static double square(double value)
{
    return value * value;
}

/* U95 of a mean: that of a single value and the scatter of the values; of a margin: that of its one value. */
static double u95_of(const struct pb_measurement *row, bool of_margin)
{
    const double scatter = of_margin ? 0 : 1.96 * (double)row->sd / sqrt((double)row->n);
    return hypot((double)row->u95, scatter);
}

static struct pb_change change_of(const struct pb_measurement *a, const struct pb_measurement *b,
                                  bool of_margin)
{
    struct pb_change change = {.a = a, .b = b, .of_margin = of_margin};
    change.change = of_margin ? (double)b->margin - (double)a->margin : (double)b->mean - (double)a->mean;
    change.u95 = sqrt(square(u95_of(a, of_margin)) + square(u95_of(b, of_margin)));
    change.significant = fabs(change.change) > change.u95;
    change.worse = of_margin && change.significant && change.change < 0;
    return change;
}

static void add(struct pb_comparison *pair, const struct pb_change *change)
{
    pair->significant += change->significant;
    pair->worse += change->worse;
    pair->change[pair->changes++] = *change;
}

/* ---- settings */

/* Parts of the identity that affect the measurements. */
static bool is_setting(const struct pb_field *field)
{
    static const char *const key[] = {"scenario", "rig", "nodes", "seed"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (!strcmp(field->key, key[i]))
            return true;
    return false;
}

int pb_compare_settings(const struct pb_result *a, const struct pb_result *b, pb_compare_setting_fn *visit,
                        void *context)
{
    const struct pb_fields *const tables[] = {&pb_fields_identity, &pb_fields_settings};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct pb_field *field = &tables[t]->field[i];
            if (t == 0 && !is_setting(field))
                continue;
            char *left = pb_field_text(field, a), *right = pb_field_text(field, b);
            const bool known = left && right;
            if (known && strcmp(left, right))
                visit(context, field->key, left, right);
            free(left);
            free(right);
            if (!known)
                return PB_ERR_MEMORY;
        }
    return PB_OK;
}

static void note_difference(void *context, const char *key, const char *a, const char *b)
{
    (void)key;
    (void)a;
    (void)b;
    *(bool *)context = true;
}

/* ---- pairs */

static int compare_pair(struct pb_comparison *pair, const struct pb_result *a, const struct pb_result *b)
{
    *pair = (struct pb_comparison){.a = a, .b = b};
    pair->change = calloc(2 * a->measurements + 1, sizeof *pair->change);
    if (!pair->change)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < a->measurements; i++) {
        const struct pb_measurement *row = &a->measurement[i], *twin = pb_compare_twin(b, row);
        if (!twin) {
            pair->only_a++;
            continue;
        }
        pair->common++;
        pair->judgements_worse += pb_judgement_is_worse(row->judgement, twin->judgement);
        const struct pb_change mean = change_of(row, twin, false), margin = change_of(row, twin, true);
        add(pair, &mean);
        if (row->margin != PB_ABSENT && twin->margin != PB_ABSENT)
            add(pair, &margin);
    }
    for (size_t i = 0; i < b->measurements; i++)
        pair->only_b += !pb_compare_twin(a, &b->measurement[i]);
    pair->verdict_worse = rank_of(b->verdict) > rank_of(a->verdict);
    return pb_compare_settings(a, b, note_difference, &pair->settings_differ);
}

/* Index of the run among those of its scenario, from 0. */
static size_t occurrence(struct pb_result *const *list, size_t at)
{
    size_t count = 0;
    for (size_t i = 0; i < at; i++)
        count += !strcmp(list[i]->scenario, list[at]->scenario);
    return count;
}

static size_t partner_of(struct pb_result *const *a, size_t at, struct pb_result *const *b, size_t bs)
{
    const size_t wanted = occurrence(a, at);
    for (size_t i = 0; i < bs; i++)
        if (!strcmp(a[at]->scenario, b[i]->scenario) && occurrence(b, i) == wanted)
            return i;
    return SIZE_MAX;
}

int pb_compare(struct pb_compare_set *set, struct pb_result *const *a, size_t as, struct pb_result *const *b,
               size_t bs)
{
    *set = (struct pb_compare_set){.pair = calloc(as + 1, sizeof *set->pair),
                                   .only_a = calloc(as + 1, sizeof *set->only_a),
                                   .only_b = calloc(bs + 1, sizeof *set->only_b)};
    int code = set->pair && set->only_a && set->only_b ? PB_OK : PB_ERR_MEMORY;
    if (!code && as == 1 && bs == 1)
        return compare_pair(&set->pair[set->pairs++], a[0], b[0]);
    for (size_t i = 0; i < as && !code; i++) {
        const size_t partner = partner_of(a, i, b, bs);
        if (partner == SIZE_MAX)
            set->only_a[set->only_as++] = a[i];
        else
            code = compare_pair(&set->pair[set->pairs++], a[i], b[partner]);
    }
    for (size_t i = 0; i < bs && !code; i++)
        if (partner_of(b, i, a, as) == SIZE_MAX)
            set->only_b[set->only_bs++] = b[i];
    return code;
}

void pb_compare_free(struct pb_compare_set *set)
{
    for (size_t i = 0; i < set->pairs; i++)
        free(set->pair[i].change);
    free(set->pair);
    free(set->only_a);
    free(set->only_b);
    *set = (struct pb_compare_set){0};
}

bool pb_compare_is_worse(const struct pb_compare_set *set)
{
    for (size_t i = 0; i < set->pairs; i++) {
        const struct pb_comparison *pair = &set->pair[i];
        if (pair->worse || pair->judgements_worse || pair->verdict_worse)
            return true;
    }
    return false;
}
