/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The verdicts that are right for a case, from its construction alone.
 */
#include "case.h"

#include <inttypes.h>
#include <string.h>

enum { NATIVE_ROOM = 40, REF_ROOM = 32, ROOM_MARGIN = 2 };

const char *const verdict_names[VERDICTS] = {"pass",    "marginal", "fail",   "inconclusive",
                                             "refused", "error",    "timeout"};

unsigned verdict_by_name(const char *name)
{
    for (unsigned i = 0; i < VERDICTS; i++)
        if (!strcmp(verdict_names[i], name))
            return 1u << i;
    return 0;
}

void verdict_list(char *text, size_t size, unsigned set)
{
    *text = 0;
    for (unsigned i = 0; i < VERDICTS; i++)
        if (set >> i & 1)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? "|" : "", verdict_names[i]);
}

static unsigned expect(struct test_case *test, unsigned set, const char *why)
{
    test->expected = set;
    snprintf(test->why, sizeof test->why, "%s", why);
    return set;
}

/* Slots that a fault may excuse: from its start to the end of the recovery. */
static bool is_excused(const struct test_case *test, uint32_t instant)
{
    const unsigned recovery = test->recovery == UNSET ? 1 : (unsigned)test->recovery;
    for (unsigned i = 0; i < test->faults; i++)
        if (instant + 2 * test->dims >= test->fault[i].first &&
            instant <= test->fault[i].last + (2 + recovery) * 2 * test->dims &&
            test->fault[i].kind != F_JITTER && test->fault[i].kind != F_DRIFT)
            return true;
    return false;
}

/* Whether the node's own messages say, without the movement of the others, that it sends. */
static bool sends_by_list(const struct test_case *test, const struct case_node *node, unsigned needs)
{
    for (unsigned i = 0; i < test->entries; i++) {
        const struct case_entry *entry = &test->entry[i];
        const uint32_t differing = entry->from ^ entry->to;
        if (entry->pattern == FROM_TO && entry->from == node->address && differing &&
            (!(needs & NEED_TWO_BITS) || (differing & (differing - 1))) &&
            (!(needs & NEED_LOW_LINKS) || (!test->opportunistic && (differing & 3))))
            return true;
    }
    return false;
}

/* Whether a frame that the node sends in a slot that no fault excuses shows the defect. */
static bool has_occasion(const struct test_case *test, const struct movement *movement,
                         const struct case_node *node, unsigned needs)
{
    if (movement->opaque)
        return test->faults == 0 && sends_by_list(test, node, needs);
    for (size_t i = 0; i < movement->hops; i++) {
        const struct hop *hop = &movement->hop[i];
        if (hop->from != node->address || is_excused(test, hop->instant))
            continue;
        if ((needs & NEED_LOW_LINKS) && hop->dimension > 1)
            continue;
        if (!(needs & NEED_TWO_BITS))
            return true;
        /* Another dimension is left after this hop: a node that goes the other way round sends on that one.
         */
        if (goes_on(movement, hop))
            return true;
    }
    return false;
}

static bool sends(const struct movement *movement, const struct case_node *node)
{
    for (size_t i = 0; i < movement->hops; i++)
        if (movement->hop[i].from == node->address)
            return true;
    return false;
}

static bool receives(const struct movement *movement, const struct case_node *node)
{
    for (size_t i = 0; i < movement->hops; i++)
        if (movement->hop[i].to == node->address)
            return true;
    return false;
}

static bool settle_defect(struct test_case *test, const struct fit *fit, const struct movement *movement,
                          const struct case_node *node)
{
    const struct defect *defect = defect_by_name(node->defect);
    if (!defect || !(defect->kinds >> node->kind & 1))
        return false;
    if ((defect->needs & NEED_LOW_LINKS) && test->dims < 2)
        return false;
    if ((defect->needs & NEED_TWO_BITS) && test->opportunistic)
        return false;
    if ((defect->needs & ~(unsigned)NEED_LATE_AMOUNT) && !has_occasion(test, movement, node, defect->needs))
        return false;
    if (defect->needs & NEED_LATE_AMOUNT) {
        const int64_t amount_ps = node->amount_ps == UNSET ? defect->amount_ps : node->amount_ps,
                      clear_ps = 16 * fit->tick_ps + fit->head_ps / 50;
        int64_t blur_ps = 0;
        for (unsigned i = 0; i < test->faults; i++)
            if (test->fault[i].kind == F_JITTER)
                blur_ps = test->fault[i].amount_ps;
        if (amount_ps < fit->start_late_ps + clear_ps + 2 * blur_ps || amount_ps >= fit->phase_ps)
            return false;
    }
    return expect(test, V_FAIL | V_REFUSED, "a node is broken, and its defect shows");
}

bool settle(struct test_case *test)
{
    struct fit fit;
    struct movement movement;
    bool right = false;
    test->expected = 0;
    if (!fit_settings(&fit, test) || !movement_make(&movement, test)) {
        movement_free(&movement);
        return false;
    }
    const bool endless =
        movement.endless ||
        (test->superframes != UNSET && !movement.opaque && test->superframes < movement.superframes) ||
        (test->max_superframes != UNSET && !movement.opaque && test->max_superframes < movement.slowest);
    bool legal = !endless && movement.messages > 0;
    if (!legal || !faults_fit(test, &fit, &movement)) {
        movement_free(&movement);
        return false;
    }
    unsigned fits = V_PASS | V_REFUSED;
    const char *why = test->faults ? "sound nodes; each fault is made and found" : "sound nodes";
    const struct case_node *broken = NULL;
    for (unsigned i = 0; i < test->nodes && legal; i++) {
        const struct case_node *node = &test->node[i];
        const int margin = fit_node(test, &fit, node);
        const unsigned room = node->kind == KIND_REF ? movement.held_in_queue[i] : movement.held[i];
        legal = margin >= 0 && room + ROOM_MARGIN <= (node->kind == KIND_REF ? REF_ROOM : NATIVE_ROOM);
        if (margin == 0) {
            fits |= V_MARGINAL;
            why = "sound nodes; a limit is within the uncertainty of the measurement";
        }
        if (node->defect)
            broken = node;
        if (movement.opaque ? sends_by_list(test, node, 0) : sends(&movement, node))
            continue;
        if (movement.opaque) {
            legal = false;
        } else if (!receives(&movement, node)) {
            fits = V_INCONCLUSIVE | V_REFUSED;
            why = "no message touches one of the nodes: nothing is known of it";
        } else if (node->kind == KIND_REF && fits != (V_INCONCLUSIVE | V_REFUSED)) {
            fits |= V_INCONCLUSIVE;
            why = "a ref node only receives and has no counters on its console";
        }
    }
    if (legal)
        right = broken ? settle_defect(test, &fit, &movement, broken) : expect(test, fits, why) != 0;
    movement_free(&movement);
    return right;
}
