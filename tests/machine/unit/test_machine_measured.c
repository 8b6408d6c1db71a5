/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a run says of its measured superframes, counted anew from its crossings, which test_machine compares
 * with the naive movement; and what a source draws, from the crossings of its messages.
 *
 * evidence: what a machine under traffic measures
 *   simulated: links, occupancy, growth and course after a warm-up, counted anew from all crossings
 */
#include "tests/machine/unit/machine_fixture.h"

#include <math.h>
#include <string.h>

enum { WARM_UP = 7, MOST = 1100 };

static struct crossings seen;

static void forget_crossings(void)
{
    free(seen.crossing);
    seen = (struct crossings){0};
}
AROUND_EACH(NULL, forget_crossings)

/* The result of a run, whose crossings are kept; it is the same as without them. */
static const struct pb_machine_result *watched(const struct pb_network *network, struct machine_run of)
{
    const struct pb_machine_result *const alone = ran(network, &of);
    forget_crossings();
    of.run.visit = keep_crossing;
    of.run.context = &seen;
    const struct pb_machine_result *const result = ran(network, &of);
    assert_equal_result(network, result, alone);
    return result;
}

static void assert_near(double value, double truth)
{
    if (!(fabs(value - truth) <= 1e-9 * (1 + fabs(truth))))
        fail_msg("%.12g in place of %.12g", value, truth);
}

/* ---- after a warm-up */

static void assert_links(const struct pb_network *network, const struct pb_machine_result *result)
{
    uint32_t crossed[256] = {0};
    uint64_t all = 0, arrived = 0;
    uint32_t last = 0;

    for (size_t i = 0; i < seen.count; i++) {
        const struct pb_crossing *crossing = &seen.crossing[i];
        last = crossing->superframe + 1;
        if (crossing->superframe < WARM_UP)
            continue;
        crossed[crossing->from * network->ports + crossing->port]++;
        all++;
        arrived += crossing->last;
    }
    assert_int_equal(result->crossings, all);
    assert_int_equal(result->completed, arrived);
    assert_int_equal(result->last_crossing, last);
    assert_near(result->throughput.mean, (double)arrived / result->superframes / result->senders);
    for (uint32_t link = 0; link < network->nodes * network->ports; link++)
        assert_near(result->link[link], (double)crossed[link] / result->superframes);
}

/* With a load of 1 each node that sends at all has one message in each superframe, for a wire or not. */
static void assert_counts(const struct pb_machine_result *result, uint32_t senders)
{
    assert_int_equal(result->warm_up, WARM_UP);
    assert_int_equal(result->senders, senders);
    assert_int_equal(result->offered + result->local + result->unreachable,
                     (uint64_t)senders * result->superframes);
    /* What came in and did not leave is there. */
    assert_near(result->growth * result->superframes,
                (double)(result->offered - result->completed) - (double)result->dropped);
}

TEST(counts_are_those_of_the_measured_superframes)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_dead *dead;

    assert_succeeds(pb_machine_dead_create(&dead, &network));
    pb_machine_kill_node(dead, 5);
    pb_machine_kill_link(dead, 9, 1);
    for (unsigned i = 0; i < 4; i++) {
        const struct machine_run of[] = {
            {.traffic = {.pattern = "hotspot:3", .load = 1}},
            {.traffic = {.pattern = "hotspot:3", .load = 1, .hot = 0.5}},
            {.traffic = {.pattern = "uniform", .load = 1, .dead = dead}},
            {.traffic = {.pattern = "hotspot:3", .load = 1, .any_phase = true}, .run = {.room = 3}},
        };
        struct machine_run run = of[i];
        run.run.warm_up = WARM_UP;
        run.run.superframes = 60;
        const struct pb_machine_result *result = watched(&network, run);
        assert_links(&network, result);
        assert_counts(result, i == 1 ? 16 : 15);
        assert_int_equal(result->local > 0, i == 1);
        assert_int_equal(result->unreachable > 0, i == 2);
        assert_int_equal(result->dropped > 0, i == 3);
    }
    pb_machine_dead_free(dead);
}

/* Of two nodes that rarely send, the last superframes have no crossing. */
TEST(the_last_crossing_may_be_long_ago)
{
    const struct pb_network network = pb_network_cube(1);
    unsigned idle = 0;

    for (unsigned seed = 1; seed <= 10; seed++) {
        const struct pb_machine_result *result = watched(
            &network, (struct machine_run){.traffic = {.pattern = "uniform", .load = 0.1, .seed = seed},
                                           .run = {.warm_up = WARM_UP, .superframes = 100}});
        assert_links(&network, result);
        idle += result->last_crossing < WARM_UP + 100;
    }
    assert_true(idle > 0);
}

/* All but the hot node release one message in each superframe; those that have not arrived are in flight. */
TEST(occupancy_growth_and_course_are_those_of_the_messages_in_flight)
{
    const struct pb_network network = pb_network_cube(4);
    const unsigned superframes = 1000, all = WARM_UP + superframes;
    static double in_flight[MOST];
    double sum = 0;

    const struct pb_machine_result *result =
        watched(&network, (struct machine_run){.traffic = {.pattern = "hotspot:3", .load = 1},
                                               .run = {.warm_up = WARM_UP, .superframes = superframes}});
    memset(in_flight, 0, sizeof in_flight);
    for (size_t i = 0; i < seen.count; i++)
        in_flight[seen.crossing[i].superframe] -= seen.crossing[i].last;
    for (unsigned superframe = 0; superframe < all; superframe++) {
        in_flight[superframe] += 15 + (superframe ? in_flight[superframe - 1] : 0);
        sum += superframe < WARM_UP ? 0 : in_flight[superframe];
    }
    assert_near(result->occupancy.mean, sum / superframes / 16);
    assert_near(result->growth, (in_flight[all - 1] - in_flight[WARM_UP - 1]) / superframes);

    /* As many superframes in each value of the course, but the last one. */
    assert_true(result->courses <= PB_MACHINE_COURSE && 2 * result->courses > PB_MACHINE_COURSE);
    assert_int_equal(result->courses, (all + result->course_every - 1) / result->course_every);
    for (unsigned i = 0; i < result->courses; i++) {
        const unsigned first = i * result->course_every,
                       end = first + result->course_every < all ? first + result->course_every : all;
        double mean = 0;
        for (unsigned superframe = first; superframe < end; superframe++)
            mean += in_flight[superframe] / (end - first);
        assert_near(result->course[i], mean);
    }
}

/* ---- what is called saturated, or settled */

/* A hot node takes 4 of 15 messages of a superframe, so 11 more are in flight after each: after W and n more
 * superframes 11 (W + n), on average 11 (W + n / 2). Half of that is less than 11 n from n = 2 W / 3 on. */
TEST(a_growth_is_saturation_from_half_of_the_mean_on)
{
    const struct pb_network network = pb_network_cube(4);

    for (unsigned superframes = 100; superframes <= 300; superframes += 100) {
        const struct pb_machine_result *result =
            ran(&network, &(struct machine_run){.traffic = {.pattern = "hotspot:3", .load = 1},
                                                .run = {.warm_up = 300, .superframes = superframes}});
        assert_true(fabs(result->growth - 11) < 0.5);
        assert_int_equal(result->saturated, 3 * superframes > 2 * 300);
    }
}

/* At so low a load a run often ends with more messages than it began with, by chance. */
TEST(a_growth_by_chance_is_no_saturation)
{
    const struct pb_network network = pb_network_cube(5);
    unsigned grown = 0;

    for (unsigned seed = 1; seed <= 200; seed++) {
        const struct pb_machine_result *result =
            ran(&network, &(struct machine_run){.traffic = {.pattern = "uniform", .load = 0.3, .seed = seed},
                                                .run = {.warm_up = 50, .superframes = 40}});
        grown += result->growth * 40 > result->occupancy.mean * 32 / 2;
        assert_false(result->saturated);
    }
    assert_true(grown >= 20);
}

TEST(a_warm_up_is_doubled_until_it_is_over)
{
    const struct pb_network network = pb_network_cube(4);
    unsigned doubled = 0;

    for (unsigned seed = 1; seed <= 40; seed++) {
        const struct pb_machine_result *result = ran(
            &network,
            &(struct machine_run){.traffic = {.pattern = "uniform", .load = 1.6, .burst = 8, .seed = seed},
                                  .run = {.warm_up = PB_MACHINE_DETECT, .superframes = 1000}});
        uint32_t warm_up = 64;
        while (warm_up < result->warm_up)
            warm_up *= 2;
        assert_int_equal(result->warm_up, warm_up < 1000 ? warm_up : 1000);
        doubled += result->warm_up > 64;
    }
    assert_in_range(doubled, 1, 39);
}

/* ---- what is drawn */

TEST(the_messages_of_a_burst_are_released_in_one_phase)
{
    const struct pb_network network = pb_network_cube(4);
    unsigned phase[16][40], phases = 0;
    bool used[8] = {false};

    watched(&network,
            (struct machine_run){
                .traffic = {.pattern = "uniform", .load = 0.4, .burst = 4, .any_phase = true, .seed = 7},
                .run = {.superframes = 40}});
    memset(phase, 0xFF, sizeof phase);
    /* A node has one burst in a superframe at most. */
    for (size_t i = 0; i < seen.count; i++) {
        const struct pb_crossing *crossing = &seen.crossing[i];
        unsigned *const of = &phase[crossing->source][crossing->release_superframe];
        if (*of == UINT32_MAX)
            *of = crossing->release_phase;
        assert_int_equal(crossing->release_phase, *of);
        phases += !used[crossing->release_phase];
        used[crossing->release_phase] = true;
    }
    assert_int_equal(phases, 8);
}

/* Requests of one node that follow answers of one superframe go to nodes that are drawn apart. */
TEST(the_requests_of_a_node_ask_other_nodes)
{
    enum { NODES = 64, WINDOW = 6, SUPERFRAMES = 60 };
    const struct pb_network network = pb_network_cube(6);
    static unsigned last[NODES][SUPERFRAMES]; /* 1 + destination of the last request of a node */
    unsigned pairs = 0, same = 0;

    memset(last, 0, sizeof last);
    watched(&network, (struct machine_run){.traffic = {.pattern = "uniform", .window = WINDOW, .seed = 3},
                                           .run = {.superframes = SUPERFRAMES}});
    /* First hops; of answers, too, whose destinations were drawn by as many other nodes. */
    for (size_t i = 0; i < seen.count; i++) {
        const struct pb_crossing *crossing = &seen.crossing[i];
        if (crossing->from != crossing->source)
            continue;
        unsigned *const of = &last[crossing->source][crossing->release_superframe];
        pairs += *of != 0;
        same += *of == 1 + crossing->destination;
        *of = 1 + crossing->destination;
    }
    /* One in 63 of some thousands. */
    assert_true(pairs > 2000);
    assert_true(same < pairs / 30);
}

/* The hot node has as many requests without an answer as the others have, and asks none of itself. */
TEST(the_hot_node_of_a_closed_loop_asks_others)
{
    enum { NODES = 16, WINDOW = 3, HOT = 3 };
    const struct pb_network network = pb_network_cube(4);
    unsigned asked = 0, from_hot = 0;

    const struct pb_machine_result *result = watched(
        &network,
        (struct machine_run){.traffic = {.pattern = "hotspot:3", .hot = 0.5, .window = WINDOW, .seed = 8},
                             .run = {.superframes = 1}});
    assert_int_equal(result->local, 0);
    /* In superframe 0 only requests leave, and those of one node have at most 4 ports. */
    for (size_t i = 0; i < seen.count; i++) {
        asked += seen.crossing[i].from == seen.crossing[i].source;
        from_hot += seen.crossing[i].from == seen.crossing[i].source && seen.crossing[i].source == HOT;
    }
    assert_true(from_hot > 0 && asked > from_hot);
    result = watched(
        &network,
        (struct machine_run){.traffic = {.pattern = "hotspot:3", .hot = 0.5, .window = WINDOW, .seed = 8},
                             .run = {.superframes = 60}});
    assert_int_equal(result->local, 0);
    /* Each request or answer is in flight, or one that is due in the next superframe. */
    assert_true(result->occupancy.mean <= WINDOW && result->occupancy.mean > WINDOW / 2.0);
}

TEST(message_i_of_a_batch_is_of_the_next_seed)
{
    const struct pb_network network = pb_network_cube(4);
    unsigned sent[16][16] = {{0}}, wanted[16][16] = {{0}};

    watched(&network,
            (struct machine_run){.traffic = {.pattern = "perm:5", .batch = 3}, .run = {.superframes = 100}});
    for (size_t i = 0; i < seen.count; i++)
        sent[seen.crossing[i].source][seen.crossing[i].destination] += seen.crossing[i].last;
    for (unsigned i = 0; i < 3; i++) {
        struct pb_traffic list;
        assert_succeeds(pb_traffic_generate(&list, &network, formatted("perm:%u", 5 + i), &diag));
        for (size_t m = 0; m < list.count; m++)
            wanted[list.message[m].source][list.message[m].destination] +=
                list.message[m].source != list.message[m].destination;
        pb_traffic_free(&list);
    }
    assert_memory_equal(sent, wanted, sizeof sent);
}

/* A barrier waits for those that are on their way, and not for those that are lost. */
TEST(a_barrier_opens_although_messages_are_lost)
{
    const struct pb_network network = pb_network_cube(6);
    const struct pb_machine_result *result = ran(
        &network, &(struct machine_run){
                      .traffic = {.pattern = "bitrev", .batch = 4, .valiant = PB_VALIANT_BARRIER, .seed = 2},
                      .run = {.superframes = 1000, .room = 4}});

    assert_true(result->dropped > 0 && result->completed > 0);
    assert_true(result->finished);
    assert_int_equal(result->completed + result->dropped + result->local, 4 * 64);
}
