/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The phase tracker against scenarios worked out by hand from docs/node.md. n = 2: four phases; period 1000
 * ticks.
 */
#include "firmware/app/phase.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { NO = PHASE_UNKNOWN };

struct edge {
    uint32_t ticks;
    bool sync;
    uint8_t phase; /* expected */
};

static struct stats play_from(uint32_t origin, const struct edge *edges, size_t count)
{
    struct phase_tracker tracker;
    struct stats stats;
    memset(&stats, 0, sizeof stats);
    phase_init(&tracker, 4, 1000);
    assert_int_equal(phase_due(&tracker), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(phase_edge(&tracker, &stats, origin + edges[i].ticks, edges[i].sync),
                         edges[i].phase);
    assert_int_equal(stats.edges, count);
    return stats;
}

/* The counter's wrap may fall anywhere. */
#define PLAY(edges, superframe_count, alignment, missed, extra)                                              \
    for (uint32_t origin = 0; origin < 2; origin++) {                                                        \
        const struct stats stats = play_from(origin * 0xFFFFF700u, edges, sizeof edges / sizeof *edges);     \
        assert_int_equal(stats.superframes, superframe_count);                                               \
        assert_int_equal(stats.alignment_errors, alignment);                                                 \
        assert_int_equal(stats.missed_edges, missed);                                                        \
        assert_int_equal(stats.extra_edges, extra);                                                          \
    }

TEST(clean)
{
    const struct edge edges[] = {{0, false, NO},   {1000, false, NO}, {2000, true, 0}, {3000, false, 1},
                                 {4000, false, 2}, {5000, false, 3},  {6000, true, 0}, {7010, false, 1},
                                 {7990, false, 2}, {9000, false, 3},  {10000, true, 0}};
    PLAY(edges, 3, 0, 0, 0);
}

/* Phase 2 gets no edge: the tracker lags by one, and SYNC comes when it expects phase 3. */
TEST(missing_edge)
{
    const struct edge edges[] = {
        {0, true, 0}, {1000, false, 1}, {3000, false, 2}, {4000, true, 0}, {5000, false, 1}};
    PLAY(edges, 2, 1, 1, 0);
}

/* Three edges are missing; the gap says how many, whatever SYNC says. */
TEST(long_gap)
{
    const struct edge edges[] = {{0, true, 0}, {4000, true, 0}, {5000, false, 1}};
    PLAY(edges, 2, 1, 3, 0);
}

/* One edge too many in phase 1, early, late or in the middle: counted once; the tracker leads by one, misses
 * SYNC at its phase 0, falls silent and is back with the real SYNC. */
TEST(extra_edge)
{
    for (uint32_t at = 1010; at < 2000; at += 70) { /* 1500 among them */
        const struct edge edges[] = {{0, true, 0},      {1000, false, 1}, {at, false, 2},  {2000, false, 3},
                                     {3000, false, NO}, {4000, true, 0},  {5000, false, 1}};
        PLAY(edges, 2, 1, 0, 1);
    }
}

/* Silent for the whole superframe whose SYNC is missing; the edges in it are no further errors. */
TEST(missing_sync)
{
    const struct edge edges[] = {{0, true, 0},      {1000, false, 1},  {2000, false, 2},  {3000, false, 3},
                                 {4000, false, NO}, {5000, false, NO}, {6000, false, NO}, {7000, false, NO},
                                 {8000, true, 0},   {9000, false, 1}};
    PLAY(edges, 2, 1, 0, 0);
}

/* SYNC high through phases 0 and 1: it wins twice, and once more when the next one comes a phase too early.
 */
TEST(doubled_sync)
{
    const struct edge edges[] = {{0, true, 0},     {1000, true, 0}, {2000, false, 1},
                                 {3000, false, 2}, {4000, true, 0}, {5000, false, 1}};
    PLAY(edges, 3, 2, 0, 0);
}

/* 40 % of jitter either way is neither a missing nor an extra edge. */
TEST(jitter_is_tolerated)
{
    const struct edge edges[] = {{0, true, 0},    {1200, false, 1}, {1800, false, 2}, {3200, false, 3},
                                 {3800, true, 0}, {5200, false, 1}, {5800, false, 2}};
    PLAY(edges, 2, 0, 0, 0);
}
