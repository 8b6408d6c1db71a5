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
    return defect && (defect->kinds >> node->kind & 1) && has_occasion(test, fit, movement, node, defect) &&
           expect(test, V_FAIL | V_REFUSED, "a node is broken, and its defect shows");
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
        if (movement.opaque ? sends_by_list(test, node) : sends(&movement, node))
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
