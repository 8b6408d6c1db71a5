/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The verdicts that are correct for a case, from its construction alone.
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

/* Whether no fault acts in the slot of the hop, nor in that of an earlier hop of its message: a frame that a
 * fault changes proves nothing, and its message may go no further. */
static bool is_clear(const struct test_case *test, const struct movement *movement, const struct hop *hop)
{
    if (test->faults == 0)
        return true;
    for (const struct hop *at = movement->hop; at <= hop; at++)
        for (unsigned f = 0; at->message == hop->message && f < test->faults; f++)
            if (at->instant >= test->fault[f].first && at->instant <= test->fault[f].last)
                return false;
    return true;
}

/* Whether the node sends a frame; clear: in a slot in which no fault acts. */
static bool sends(const struct test_case *test, const struct movement *movement, const struct case_node *node,
                  bool clear)
{
    for (size_t i = 0; i < movement->hops; i++)
        if (movement->hop[i].from == node->address && (!clear || is_clear(test, movement, &movement->hop[i])))
            return true;
    return false;
}

/* The same for one that it receives. */
static bool receives(const struct test_case *test, const struct movement *movement,
                     const struct case_node *node, bool clear)
{
    for (size_t i = 0; i < movement->hops; i++)
        if (movement->hop[i].to == node->address && (!clear || is_clear(test, movement, &movement->hop[i])))
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

static bool settle_sound(struct test_case *test, bool silent, bool uncounted, bool close)
{
    if (silent)
        return expect(test, V_INCONCLUSIVE | V_REFUSED,
                      "no message touches one of the nodes: nothing is known of it");
    if (uncounted)
        return expect(
            test, V_PASS | V_INCONCLUSIVE | V_REFUSED | (close ? V_MARGINAL : 0),
            "a node sends no frame in a slot without a fault, and has no counters or receives none there");
    if (close)
        return expect(test, V_PASS | V_MARGINAL | V_REFUSED,
                      "sound nodes; a limit is within the uncertainty of the measurement");
    return expect(test, V_PASS | V_REFUSED,
                  test->faults ? "sound nodes; each fault is made and found" : "sound nodes");
}

bool settle(struct test_case *test)
{
    struct fit fit;
    struct movement movement = {0};
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
    for (unsigned i = 0; i < test->nodes; i++)
        legal = legal && !(test->digits && test->node[i].kind == KIND_REF);
    if (!legal || !faults_fit(test, &fit, &movement)) {
        movement_free(&movement);
        return false;
    }
    bool silent = false, uncounted = false, close = false, corner = false;
    const bool corners = !strcmp(test->class, "corner");
    const struct case_node *broken = NULL;
    for (unsigned i = 0; i < test->nodes && legal; i++) {
        const struct case_node *node = &test->node[i];
        const enum fit_node margin = fit_node(test, &fit, node);
        const unsigned room = node->kind == KIND_REF ? movement.held_in_queue[i] : movement.held[i];
        corner |=
            margin == FIT_CORNER || room + ROOM_MARGIN > (node->kind == KIND_REF ? REF_ROOM : NATIVE_ROOM);
        legal = margin != FIT_OUTSIDE && (corners || !corner);
        close |= margin == FIT_CLOSE;
        if (node->defect)
            broken = node;
        if (movement.opaque)
            legal = legal && sends_by_list(test, node);
        else if (!sends(test, &movement, node, true)) {
            silent |= !receives(test, &movement, node, false) && !sends(test, &movement, node, false);
            uncounted |= node->kind == KIND_REF || !receives(test, &movement, node, true);
        }
    }
    if (legal && broken)
        right = !silent && settle_defect(test, &fit, &movement, broken);
    else if (legal && corners)
        right = corner && !silent && !uncounted &&
                expect(test, V_PASS | V_MARGINAL | V_REFUSED,
                       "sound nodes, but settings that they may not be able to keep");
    else if (legal)
        right = settle_sound(test, silent, uncounted, close);
    movement_free(&movement);
    return right;
}
