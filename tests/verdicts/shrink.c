/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Makes a case with a wrong verdict smaller, greedily: one step at a time, from whole parts to single values.
 */
#include "outcome.h"

#include <string.h>

/* ---- steps; false: nothing to change */

static bool drop_fault(struct test_case *test, unsigned index)
{
    if (index >= test->faults)
        return false;
    memmove(&test->fault[index], &test->fault[index + 1], (test->faults - index - 1) * sizeof test->fault[0]);
    test->faults--;
    return true;
}

static bool drop_entry(struct test_case *test, unsigned index)
{
    if (index >= test->entries)
        return false;
    memmove(&test->entry[index], &test->entry[index + 1],
            (test->entries - index - 1) * sizeof test->entry[0]);
    test->entries--;
    return true;
}

static bool drop_node(struct test_case *test, unsigned index)
{
    if (index >= test->nodes || test->nodes == 1)
        return false;
    for (unsigned i = test->faults; i--;)
        if (test->fault[i].node == index ||
            (test->fault[i].kind == F_SHORT && test->fault[i].other_node == (int64_t)index))
            drop_fault(test, i);
    for (unsigned i = 0; i < test->faults; i++) {
        test->fault[i].node -= test->fault[i].node > index;
        test->fault[i].other_node -= test->fault[i].other_node > (int64_t)index;
    }
    memmove(&test->node[index], &test->node[index + 1], (test->nodes - index - 1) * sizeof test->node[0]);
    test->nodes--;
    return true;
}

static bool set(int64_t *value, int64_t to)
{
    const bool changed = *value != to;
    *value = to;
    return changed;
}

static bool set_unsigned(uint64_t *value, uint64_t to)
{
    const bool changed = *value != to;
    *value = to;
    return changed;
}

static bool set_count(uint32_t *value, uint32_t to)
{
    const bool changed = *value != to;
    *value = to;
    return changed;
}

static bool clear(bool *value)
{
    const bool changed = *value;
    *value = false;
    return changed;
}

static bool simpler_entry(struct test_case *test, unsigned index, unsigned how)
{
    struct case_entry *entry = &test->entry[index];
    if (index >= test->entries)
        return false;
    switch (how) {
    case 0:
        return set_count(&entry->repeat, 1);
    case 1:
        return set_count(&entry->superframe, 0);
    case 2:
        return set_count(&entry->phase, 0);
    case 3:
        return entry->repeat > 1 && set_count(&entry->repeat, entry->repeat - 1);
    default:
        return entry->superframe > 1 && set_count(&entry->superframe, entry->superframe - 1);
    }
}

static bool simpler_node(struct test_case *test, unsigned index, unsigned how)
{
    struct case_node *node = &test->node[index];
    if (index >= test->nodes)
        return false;
    switch (how) {
    case 0: {
        const bool changed = node->ppm != 0;
        node->ppm = 0;
        return changed;
    }
    case 1:
        return set(&node->latency_ps, UNSET);
    case 2:
        return set(&node->jitter_ps, UNSET);
    case 3:
        return set(&node->amount_ps, UNSET);
    case 4:
        return set(&node->from, UNSET);
    case 5:
        return set(&node->every, UNSET);
    case 6:
        return set_unsigned(&node->freedoms, 0);
    case 7:
        return set_unsigned(&node->freedoms, node->freedoms & (node->freedoms - 1));
    case 8:
        return set_unsigned(&node->freedoms, node->freedoms & -node->freedoms);
    default: {
        const bool changed = node->kind != KIND_NATIVE;
        node->kind = KIND_NATIVE;
        return changed;
    }
    }
}

static bool simpler_fault(struct test_case *test, unsigned index, unsigned how)
{
    struct case_fault *fault = &test->fault[index];
    if (index >= test->faults)
        return false;
    switch (how) {
    case 0:
        return set(&fault->at_ps, UNSET);
    case 1:
        return set(&fault->length_ps, UNSET);
    case 2:
        return set(&fault->amount_ps, UNSET);
    case 3:
        return set(&fault->ppm, UNSET);
    case 4:
        return set(&fault->seed, UNSET);
    case 5:
        return set(&fault->bytes, UNSET);
    default:
        return clear(&fault->gaussian);
    }
}

static bool fewer_dims(struct test_case *test)
{
    if (test->dims == 1 || test->faults || test->digits)
        return false;
    test->dims--;
    for (unsigned i = 0; i < test->nodes; i++)
        if (test->node[i].address >> test->dims)
            return false;
    for (unsigned i = 0; i < test->entries; i++) {
        const struct case_entry *entry = &test->entry[i];
        if (entry->from >> test->dims || entry->to >> test->dims || entry->phase >= 2 * test->dims)
            return false;
    }
    return true;
}

static bool simpler_setting(struct test_case *test, unsigned how)
{
    switch (how) {
    case 0:
        return set(&test->superframes, UNSET);
    case 1:
        return test->superframes != UNSET && set(&test->superframes, test->superframes - 1);
    case 2: {
        const bool changed = test->capture;
        test->capture = NULL;
        return changed;
    }
    case 3:
        return clear(&test->push_pull);
    case 4:
        return clear(&test->external);
    case 5:
        return set(&test->external_jitter_ps, 0);
    case 6:
        return set(&test->external_ppm, 0);
    case 7:
        return clear(&test->starc);
    case 8:
        return clear(&test->opportunistic);
    case 9:
        return set(&test->start_early_ps, UNSET);
    case 10:
        return set(&test->start_late_ps, UNSET);
    case 11:
        return set(&test->max_superframes, UNSET);
    case 12:
        return set(&test->recovery, UNSET);
    case 13:
        return set_unsigned(&test->run_seed, 1);
    case 14:
        return set_unsigned(&test->console_baud, 460800);
    case 15:
        return set_unsigned(&test->baud, 1000000);
    case 16:
        return set_unsigned(&test->rate_mhz, 10000000);
    case 17:
        return set(&test->guard_ps, UNSET);
    case 18:
        return set(&test->head_ps, UNSET);
    case 19:
        return set(&test->payload, UNSET);
    case 20:
        return set(&test->payload, 1);
    default:
        return fewer_dims(test);
    }
}

/* ---- */

struct shrinking {
    const struct runner *runner;
    struct test_case *best;
    struct outcome *outcome;
    unsigned wanted, runs; /* the expectation that must stay; runs left */
};

static bool try(struct shrinking *shrinking, struct test_case *test)
{
    struct outcome outcome;
    if (shrinking->runs == 0 || !settle(test) || (test->expected & ~(unsigned)V_REFUSED) != shrinking->wanted)
        return false;
    shrinking->runs--;
    run_case(shrinking->runner, test, &outcome);
    if (outcome.verdict != shrinking->outcome->verdict ||
        strcmp(outcome.finding, shrinking->outcome->finding))
        return false;
    *shrinking->best = *test;
    *shrinking->outcome = outcome;
    return true;
}

#define STEP(call)                                                                                           \
    do {                                                                                                     \
        struct test_case test = *shrinking.best;                                                             \
        if ((call) && try(&shrinking, &test))                                                                \
            again = true;                                                                                    \
    } while (0)

void shrink_case(const struct runner *runner, struct test_case *best, struct outcome *outcome, unsigned runs)
{
    struct shrinking shrinking = {runner, best, outcome, best->expected & ~(unsigned)V_REFUSED, runs};
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = FAULTS_MAX; i--;)
            STEP(drop_fault(&test, i));
        for (unsigned i = ENTRIES_MAX; i--;)
            STEP(drop_entry(&test, i));
        for (unsigned i = NODES_MAX; i--;)
            STEP(drop_node(&test, i));
        for (unsigned how = 0; how < 22; how++)
            STEP(simpler_setting(&test, how));
        for (unsigned i = 0; i < ENTRIES_MAX; i++)
            for (unsigned how = 0; how < 5; how++)
                STEP(simpler_entry(&test, i, how));
        for (unsigned i = 0; i < NODES_MAX; i++)
            for (unsigned how = 0; how < 10; how++)
                STEP(simpler_node(&test, i, how));
        for (unsigned i = 0; i < FAULTS_MAX; i++)
            for (unsigned how = 0; how < 7; how++)
                STEP(simpler_fault(&test, i, how));
    }
}
