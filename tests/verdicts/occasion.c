/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether a defect has an occasion to show itself: by the needs that bench/nodes/defects.h names, looked up
 * in the movement of the messages and the list of faults. In doubt there is none, and the case is not made.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

/* Needs that a frame of the bench must bring about. */
#define BY_FRAME (PB_NEEDS_BAD_CRC | PB_NEEDS_BAD_STOP | PB_NEEDS_SHORT | PB_NEEDS_LONG | PB_NEEDS_OUTSIDE)
/* Needs that a fault must bring about. */
#define BY_FAULT                                                                                             \
    (PB_NEEDS_SYNC_MISSING | PB_NEEDS_SYNC_EXTRA | PB_NEEDS_EDGE_MISSING | PB_NEEDS_EDGE_EXTRA |             \
     PB_NEEDS_CUT | BY_FRAME)
/* Needs that no run meets. */
#define BY_NOTHING (PB_NEEDS_FULL | PB_NEEDS_TWO_RESETS | PB_NEEDS_PROGRAM)

enum {
    AFTER_BAUD_MIN = 3520, /* of the console: 704 characters in two seconds */
    REACTION_PS = 1000000  /* granted in addition to the latency: docs/node.md */
};

struct look {
    const struct test_case *test;
    const struct fit *fit;
    const struct movement *movement;
    const struct case_node *node;
    const struct defect *defect;
    uint32_t from; /* instant from which the defect is there */
};

enum fault_kind fault_needed(const struct defect *defect)
{
    return defect->needs & PB_NEEDS_SYNC_MISSING                  ? F_MISSING_SYNC
           : defect->needs & PB_NEEDS_SYNC_EXTRA                  ? F_EXTRA_SYNC
           : defect->needs & PB_NEEDS_EDGE_MISSING                ? F_MISSING_EDGE
           : defect->needs & (PB_NEEDS_EDGE_EXTRA | PB_NEEDS_CUT) ? F_EXTRA_EDGE
           : defect->needs & PB_NEEDS_BAD_CRC                     ? F_WRONG_BYTES
           : defect->needs & PB_NEEDS_BAD_STOP                    ? F_FRAMING
           : defect->needs & PB_NEEDS_SHORT                       ? F_SHORT_FRAME
           : defect->needs & PB_NEEDS_LONG                        ? F_LONG_FRAME
           : defect->needs & PB_NEEDS_OUTSIDE                     ? F_OUTSIDE_ADDRESS
                                                                  : FAULT_KINDS;
}

bool shows_beside_faults(const struct defect *defect)
{
    if (defect->more & M_AFTER)
        return true;
    const unsigned looked_up = PB_NEEDS_SEND | PB_NEEDS_OWN | PB_NEEDS_TWO_DIMS | PB_NEEDS_BEFORE_CLOCK;
    return !(defect->needs & ~looked_up);
}

/* Slots that a fault may excuse: from a superframe before it to the end of the recovery. Jitter and drift are
 * too small to excuse any of the defects that are drawn with them. */
static bool is_excused(const struct test_case *test, uint32_t instant)
{
    const unsigned recovery = test->recovery == UNSET ? 1 : (unsigned)test->recovery;
    for (unsigned i = 0; i < test->faults; i++)
        if (instant + phases_of(test) >= test->fault[i].first &&
            instant <= test->fault[i].last + (2 + recovery) * phases_of(test) &&
            test->fault[i].kind != F_JITTER && test->fault[i].kind != F_DRIFT)
            return true;
    return false;
}

bool sends_by_list(const struct test_case *test, const struct case_node *node)
{
    for (unsigned i = 0; i < test->entries; i++) {
        const struct case_entry *entry = &test->entry[i];
        if (entry->pattern == FROM_TO && entry->from == node->address && entry->to != entry->from)
            return true;
    }
    return false;
}

static bool is_own(const struct look *look, const struct hop *hop)
{
    return source_of(look->movement, hop->message) == look->node->address;
}

/* The message came when the defect was there; one of the node's own is typed up to a superframe before its
 * release. */
static bool came_later(const struct look *look, const struct hop *hop)
{
    const uint32_t came = came_at(look->movement, hop);
    return !look->from || !(look->defect->more & M_AT_STORE) ||
           (is_own(look, hop) ? came >= look->from + look->fit->phases : came > look->from);
}

/* Another message waits for the same dimension while this one leaves. One of the node's own may be typed long
 * after its release, as long as it then leaves in its turn; before the clock starts it is there for sure, and
 * a superframe after its release unless the console is late. One that is to have found a message of another
 * node is typed after that one has come. */
static bool has_company(const struct look *look, const struct hop *hop, bool own_first)
{
    const struct hop *end = look->movement->hop + look->movement->hops;
    for (const struct hop *other = hop + 1; other < end; other++) {
        if (other->from != look->node->address || other->dimension != hop->dimension)
            continue;
        const uint32_t came = came_at(look->movement, other),
                       there = is_own(look, other) && came ? came + look->fit->phases : came;
        if (there > hop->instant)
            return false; /* first in, first out */
        return came_later(look, other) &&
               (!own_first || (!is_own(look, hop) && is_own(look, other) &&
                               came_at(look->movement, other) > came_at(look->movement, hop)));
    }
    return false;
}

static bool hop_shows(const struct look *look, const struct hop *hop)
{
    const unsigned needs = look->defect->needs, more = look->defect->more;
    const bool joins_twice = !strcmp(look->defect->name, "own_first");
    if (!came_later(look, hop))
        return false;
    if ((needs & PB_NEEDS_FORWARD) && !joins_twice && is_own(look, hop))
        return false;
    if ((needs & PB_NEEDS_OWN) && !joins_twice && !is_own(look, hop))
        return false;
    if ((needs & PB_NEEDS_NEXT_PHASE) && (is_own(look, hop) || came_at(look->movement, hop) != hop->instant))
        return false;
    if ((needs & PB_NEEDS_QUEUE) && !has_company(look, hop, joins_twice))
        return false;
    if ((more & M_LOW_LINKS) && hop->dimension > 1)
        return false;
    if ((more & M_TWO_BITS) && !goes_on(look->movement, hop))
        return false;
    if ((more & M_SEND_FIRST) && hop->instant >= look->fit->phases)
        return false;
    if ((more & M_NOT_TOP) && !look->test->opportunistic && is_of_last_digit(look->test, hop->dimension))
        return false;
    if ((more & M_SEND_HIGH) && hop->instant % look->fit->phases < 2)
        return false;
    return true;
}

/* Frames of the node that show the defect. */
static unsigned count_frames(const struct look *look)
{
    unsigned count = 0;
    for (size_t i = 0; i < look->movement->hops; i++) {
        const struct hop *hop = &look->movement->hop[i];
        if (hop->from == look->node->address && hop->instant >= look->from &&
            !is_excused(look->test, hop->instant))
            count += hop_shows(look, hop);
    }
    return count;
}

static unsigned count_arrivals(const struct look *look)
{
    unsigned count = 0;
    for (size_t i = 0; i < look->movement->hops; i++) {
        const struct hop *hop = &look->movement->hop[i];
        if (hop->to == look->node->address && hop->instant >= look->from && !goes_on(look->movement, hop) &&
            !is_excused(look->test, hop->instant))
            count++;
    }
    return count;
}

/* The node has a frame to send between two instants that waits (or not) at the first of them. One that comes
 * during the fault from another node of the bench may not come: the fault acts on that node, too. */
static bool sends_between(const struct look *look, uint32_t first, uint32_t last, uint32_t waits_since)
{
    for (size_t i = 0; i < look->movement->hops; i++) {
        const struct hop *hop = &look->movement->hop[i];
        if (hop->from == look->node->address && hop->instant >= first && hop->instant <= last &&
            (!(look->defect->more & M_WAITING) || came_at(look->movement, hop) + 1 < waits_since) &&
            (look->test->nodes == 1 || came_at(look->movement, hop) < waits_since))
            return true;
    }
    return false;
}

/* The frame that a frame fault corrupts goes on from the node. */
static bool spoils_transit(const struct look *look, const struct case_fault *fault)
{
    const struct hop *hop =
        hop_at(look->movement, look->node->address, (unsigned)fault->dimension, fault->first);
    return hop && hop->to == look->node->address &&
           (!(look->defect->needs & PB_NEEDS_FORWARD) || goes_on(look->movement, hop));
}

static int64_t latency_ps(const struct case_node *node)
{
    return (node->latency_ps == UNSET ? 1500000 : node->latency_ps) +
           (node->jitter_ps == UNSET ? 500000 : node->jitter_ps);
}

static bool records_edges(const struct test_case *test)
{
    return test->capture && !strcmp(test->capture, "edges");
}

/* By bytes a line is known where a bit is sampled: once between the node's latency and the next sender. */
static bool cut_shows_by_bytes(const struct look *look)
{
    const struct fit *fit = look->fit;
    return latency_ps(look->node) * 9 / 8 + REACTION_PS + 2 * fit->bit_ps + 4 * fit->coarsest_tick_ps <
           fit->head_ps - fit->start_early_ps;
}

static bool fault_shows(const struct look *look, const struct case_fault *fault)
{
    const struct fit *fit = look->fit;
    const unsigned needs = look->defect->needs;
    const uint32_t end = (fault->first / fit->phases + 1) * fit->phases - 1; /* of its superframe */
    if (fault->first < look->from || fault->kind != fault_needed(look->defect))
        return false;
    if (needs & BY_FRAME)
        return &look->test->node[fault->node] == look->node && spoils_transit(look, fault);
    if (needs & PB_NEEDS_CUT) /* the extra edge comes in the middle of the low half of the clock */
        return sends_between(look, fault->first, fault->first, fault->first) &&
               fit->head_ps + fit->frame_ps - 12 * fit->bit_ps >
                   fit->phase_ps * 3 / 4 + latency_ps(look->node) * 9 / 8 + REACTION_PS &&
               (records_edges(look->test) || cut_shows_by_bytes(look));
    if (!(needs & PB_NEEDS_SEND))
        return true;
    if (needs & PB_NEEDS_SYNC_MISSING)
        return sends_between(look, fault->first, end, fault->first);
    return sends_between(look, fault->first + 1, end, fault->first);
}

static bool amount_fits(const struct look *look)
{
    const struct test_case *test = look->test;
    const struct fit *fit = look->fit;
    const struct case_node *node = look->node;
    const unsigned more = look->defect->more;
    const int64_t amount_ps = node->amount_ps != UNSET   ? node->amount_ps
                              : look->defect->amount_bit ? fit->bit_ps * look->defect->amount_bit / 1000
                                                         : look->defect->amount_ps,
                  clear_ps = 16 * fit->tick_ps + fit->head_ps / 50,
                  ready_ps = latency_ps(node);
    int64_t blur_ps = 0;
    for (unsigned i = 0; i < test->faults; i++)
        if (test->fault[i].kind == F_JITTER)
            blur_ps = 2 * test->fault[i].amount_ps;
    if ((more & M_LATE) &&
        (amount_ps < fit->start_late_ps + clear_ps + blur_ps || amount_ps >= fit->phase_ps))
        return false;
    if ((more & M_EARLY) &&
        (amount_ps < fit->start_early_ps + clear_ps + blur_ps || amount_ps > fit->head_ps - ready_ps))
        return false;
    if ((more & M_HALF_PHASE) && fit->phase_ps / 2 < fit->start_late_ps + clear_ps)
        return false;
    if ((more & M_CONSOLE_BIT) && amount_ps > fit->phase_ps)
        return false;
    if ((more & M_CONSOLE_BIT) && amount_ps < 3 * PS_PER_S / (int64_t)test->console_baud / 2)
        return false;
    const int64_t console_bit_ps = PS_PER_S / (int64_t)test->console_baud;
    if ((more & M_CONSOLE_STRETCH) &&
        (amount_ps < console_bit_ps * 3 / 100 || amount_ps > console_bit_ps / 9))
        return false;
    /* Without edges the core's watch reports it, which allows for the path between two nodes. */
    const int64_t granted_ticks = records_edges(test) || test->nodes == 1 ? 5 : 14;
    return !(look->defect->needs & PB_NEEDS_TAIL_GUARD) ||
           (amount_ps + clear_ps < fit->tail_ps && amount_ps > granted_ticks * fit->tick_ps);
}

/* What comes after the run is judged where no node is at a corner of the schedule, whatever clock the rig
 * chooses. */
static bool any_at_corner(const struct test_case *test, const struct fit *fit)
{
    struct fit coarse = *fit;
    coarse.tick_ps = fit->coarsest_tick_ps;
    for (unsigned i = 0; i < test->nodes; i++)
        if (fit_node(test, &coarse, &test->node[i]) == FIT_CORNER)
            return true;
    return false;
}

static bool settings_fit(const struct look *look)
{
    const struct test_case *test = look->test;
    const struct fit *fit = look->fit;
    const unsigned needs = look->defect->needs, more = look->defect->more;
    if (look->defect->never || (needs & BY_NOTHING))
        return false;
    if (((needs & PB_NEEDS_TWO_DIMS) && test->dims < 2) ||
        ((needs & PB_NEEDS_SPARE_LINK) && test->dims > 11) ||
        ((needs & PB_NEEDS_OPEN_DRAIN) && test->push_pull))
        return false;
    if (((more & M_LOW_LINKS) && test->dims < 2) || ((more & M_TWO_BITS) && test->opportunistic) ||
        ((more & M_ONE_NODE) && test->nodes > 1) || ((more & M_SEND_FIRST) && test->external) ||
        ((more & M_EXACT) && (llabs(look->node->ppm) > 1000 || !records_edges(test))) ||
        ((more & M_EDGES) && test->capture && !strcmp(test->capture, "bytes")) ||
        ((more & M_FINE) && fit->bit_ps < 40 * fit->coarsest_tick_ps) ||
        ((more & M_ROOM_AFTER) && fit->phase_ps - fit->head_ps - fit->frame_ps < 4 * fit->bit_ps) ||
        ((more & M_ONE_CHECK) && test->starc))
        return false;
    if (look->node->every != UNSET && ((more & M_LASTS) || (needs & BY_FAULT)))
        return false;
    /* What is tried after the run: not with an external clock, nor where T takes more than two seconds. */
    if ((more & M_AFTER) && (test->external || look->node->from != UNSET ||
                             test->console_baud < AFTER_BAUD_MIN || any_at_corner(test, fit)))
        return false;
    if ((more & M_PADDED) && !fit->payload)
        return false;
    if ((needs & PB_NEEDS_BEFORE_CLOCK) && (look->node->from != UNSET || look->node->every != UNSET))
        return false;
    return shows_beside_faults(look->defect) || test->faults == ((needs & BY_FAULT) ? 1u : 0u);
}

static unsigned own_messages(const struct look *look, bool at_start)
{
    unsigned count = 0;
    for (unsigned i = 0; i < look->test->entries; i++) {
        const struct case_entry *entry = &look->test->entry[i];
        if (entry->pattern != FROM_TO || entry->from != look->node->address || entry->to == entry->from)
            continue;
        if (at_start)
            count += !entry->superframe && !entry->phase;
        else
            count += entry->superframe * look->fit->phases + entry->phase >= look->from + look->fit->phases ||
                             (look->node->from == UNSET)
                         ? entry->repeat
                         : 0;
    }
    return count;
}

/* The core listens to the console of the node that is typed to most. */
static bool is_listened(const struct look *look)
{
    const struct test_case *test = look->test;
    for (unsigned i = 0; test->nodes > 1 && i < test->entries; i++)
        for (unsigned n = 0; n < test->nodes; n++) {
            const uint32_t address = test->node[n].address;
            if (address != look->node->address &&
                (test->entry[i].pattern != FROM_TO || test->entry[i].from == address))
                return false;
        }
    return true;
}

bool has_occasion(const struct test_case *test, const struct fit *fit, const struct movement *movement,
                  const struct case_node *node, const struct defect *defect)
{
    struct look look = {test, fit, movement, node, defect, 0};
    if (node->from != UNSET)
        look.from = (uint32_t)(node->from + 1) * fit->phases;
    if (!settings_fit(&look) || !amount_fits(&look))
        return false;
    if (movement->opaque) /* without the movement only what own messages show for sure */
        return test->faults == 0 && node->from == UNSET && node->every == UNSET &&
               sends_by_list(test, node) &&
               !(defect->needs & ~(unsigned)(PB_NEEDS_SEND | PB_NEEDS_OWN | PB_NEEDS_TWO_DIMS)) &&
               defect->more <= M_LASTS;
    if (look.from + 2 * fit->phases > movement->superframes * fit->phases && look.from)
        return false;
    if (defect->needs & BY_FAULT) {
        for (unsigned i = 0; i < test->faults; i++)
            if (fault_shows(&look, &test->fault[i]))
                return true;
        return false;
    }
    const unsigned times = node->every == UNSET ? 1 : node->every == 0 ? 2 : 2 * (unsigned)node->every;
    if ((defect->more & M_LISTENED) && !is_listened(&look))
        return false;
    if ((defect->more & M_OWN_AT_START) && !own_messages(&look, true))
        return false;
    if ((defect->more & M_OWN_THRICE) && (own_messages(&look, false) < 3 || node->from != UNSET))
        return false;
    if ((defect->needs & PB_NEEDS_OWN) && !own_messages(&look, false))
        return false;
    if ((defect->needs & PB_NEEDS_RECEIVE) && count_arrivals(&look) < times)
        return false;
    if (defect->needs & (PB_NEEDS_SEND | PB_NEEDS_FORWARD | PB_NEEDS_QUEUE))
        return count_frames(&look) >= times;
    return true;
}
