/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs of a machine: against the naive movement, published figures, and queues solved by hand.
 *
 * evidence: latency and throughput of all nodes under traffic
 *   simulated: each crossing and latency as of the naive movement; queues with an exact solution; published
 *   figures; saturation within 1 % of the proven limits
 */
#include "tests/machine/unit/machine_fixture.h"
#include "tests/bench/unit/naive_movement.h"

#include "host/machine/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- against the naive movement */

static int by_instant(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The message of each number: the machine counts them in the order of their releases, those to the node
 * itself left out. Returns how many have a number. */
static size_t numbered(const struct pb_traffic *traffic, unsigned phases, size_t message[NAIVE_MESSAGES_MAX])
{
    uint64_t order[NAIVE_MESSAGES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        const struct pb_message *m = &traffic->message[i];
        if (m->source != m->destination)
            order[count++] = ((uint64_t)m->release_superframe * phases + m->release_phase) << 16 | i;
    }
    qsort(order, count, sizeof *order, by_instant);
    for (size_t i = 0; i < count; i++)
        message[i] = order[i] & 0xFFFF;
    return count;
}

static void assert_latencies(const struct pb_machine_result *result, const struct naive *naive,
                             const size_t *message, size_t count)
{
    uint64_t sum = 0;
    uint32_t most = 0;
    static unsigned took[100000];

    memset(took, 0, sizeof took);
    for (size_t i = 0; i < count; i++) {
        const struct pb_message *m = &naive->traffic->message[message[i]];
        const uint64_t phases = naive->done_at[message[i]] -
                                ((uint64_t)m->release_superframe * naive->defined->phases + m->release_phase);
        took[phases]++;
        sum += phases;
        most = phases > most ? (uint32_t)phases : most;
    }
    assert_int_equal(result->completed, count);
    if (!count)
        return;
    assert_int_equal(result->latency_max, most);
    for (uint32_t phases = 0; phases <= most; phases++)
        assert_int_equal(result->latencies[phases], took[phases]);
    assert_true(fabs(result->latency.mean - (double)sum / (double)count) < 1e-9);
    /* Of a percentile: at least as many of the messages take no longer, and fewer take less. */
    const struct {
        unsigned percent;
        uint32_t phases;
    } percentile[] = {{50, result->p50}, {95, result->p95}, {99, result->p99}};
    for (size_t i = 0; i < COUNT(percentile); i++) {
        size_t below = 0;
        for (uint32_t phases = 0; phases < percentile[i].phases; phases++)
            below += took[phases];
        assert_true(100 * below < percentile[i].percent * count);
        assert_true(100 * (below + took[percentile[i].phases]) >= percentile[i].percent * count);
    }
}

TEST(crossings_and_latencies_equal_the_naive_ones)
{
    static struct record actual;
    uint64_t random = 91;

    for (unsigned run = 0; run < 10 * SMALL_NETWORKS; run++) {
        const struct defined defined = small(run % SMALL_NETWORKS);
        const struct pb_network network = built(&defined);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        struct naive naive = {
            .defined = &defined, .rule = (enum pb_rule)(run / SMALL_NETWORKS % 2), .traffic = &traffic};
        size_t message[NAIVE_MESSAGES_MAX];
        const size_t held = handed_over(), count = numbered(&traffic, defined.phases, message);

        simulate_naively(&naive, NAIVE_SUPERFRAMES);
        actual.count = 0;
        const struct pb_machine_result *result =
            ran(&network,
                &(struct machine_run){
                    .traffic = {.trace = &traffic},
                    .run = {.rule = naive.rule, .superframes = 1000, .visit = note, .context = &actual}});
        for (size_t i = 0; i < actual.count; i++)
            actual.crossing[i].message = message[actual.crossing[i].message];
        assert_same_crossings(&network, &actual, &naive.record);
        assert_latencies(result, &naive, message, count);
        assert_int_equal(result->local, traffic.count - count);
        assert_int_equal(result->crossings, naive.record.count);
        assert_int_equal(result->max_occupancy, naive.max_occupancy);
        assert_int_equal(result->max_queue, naive.max_queue);
        assert_true(result->finished);
        /* The load of each link. */
        for (uint32_t node = 0; node < network.nodes; node++)
            for (unsigned port = 0; port < network.ports; port++) {
                unsigned crossed = 0;
                for (size_t i = 0; i < naive.record.count; i++)
                    crossed += naive.record.crossing[i].from == node &&
                               naive.record.crossing[i].to == pb_network_neighbour(&network, node, port);
                const double link = result->link[(size_t)node * network.ports + port];
                assert_true(fabs(link * result->superframes - crossed) < 1e-9);
            }
        release_back_to(held);
        pb_traffic_free(&traffic);
    }
}

/* ---- figures that others computed (docs/reference/timing.md, and its sources) */

TEST(batches_of_the_12_cube_take_the_published_superframes)
{
    static const struct {
        const char *pattern;
        uint32_t ecube, opportunistic;
    } batch[] = {{"bitrev", 32, 3},   {"transpose", 32, 4}, {"perm:1", 5, 3},
                 {"uniform:1", 6, 4}, {"complement", 1, 1}, {"shuffle", 1, 1}};
    const struct pb_network network = pb_network_cube(12);

    for (size_t i = 0; i < COUNT(batch); i++) {
        assert_int_equal(
            batch_of(&network, batch[i].pattern, PB_RULE_ECUBE, PB_VALIANT_NONE, 1)->last_crossing,
            batch[i].ecube);
        assert_int_equal(
            batch_of(&network, batch[i].pattern, PB_RULE_OPPORTUNISTIC, PB_VALIANT_NONE, 1)->last_crossing,
            batch[i].opportunistic);
    }
}

TEST(valiant_takes_10_to_12_superframes_with_a_barrier_and_7_to_9_without)
{
    static const char *const pattern[] = {"bitrev", "transpose", "complement"};
    const struct pb_network network = pb_network_cube(12);

    for (size_t i = 0; i < COUNT(pattern); i++) {
        const struct pb_machine_result *result =
            batch_of(&network, pattern[i], PB_RULE_ECUBE, PB_VALIANT_BARRIER, i + 1);
        assert_in_range(result->last_crossing, 10, 12);
        assert_int_equal(result->completed + result->local, 4096);
        result = batch_of(&network, pattern[i], PB_RULE_ECUBE, PB_VALIANT_FREE, i + 1);
        assert_in_range(result->last_crossing, 7, 9);
        assert_int_equal(result->completed + result->local, 4096);
    }
}

/* A shift by XOR loads no link twice, so all its messages are alone; how long one takes depends on the
 * highest bit of the mask. */
TEST(a_lone_message_of_the_12_cube_takes_21_506_phases_on_average)
{
    const struct pb_network network = pb_network_cube(12);
    uint64_t random = 12;
    double sum = 0;

    for (unsigned bit = 0; bit < 12; bit++) {
        const unsigned mask = 1u << bit | (unsigned)(pb_splitmix64(&random) & ((1u << bit) - 1));
        const struct pb_machine_result *result =
            batch_of(&network, formatted("xor:%u", mask), PB_RULE_ECUBE, PB_VALIANT_NONE, 1);
        assert_int_equal(result->latency_max, 2 * bit + 2);
        assert_int_equal(result->latency_min, 2 * bit + 1);
        sum += (1u << bit) * result->latency.mean;
    }
    assert_true(fabs(sum / 4095 - 21.506) < 5e-4);
}

TEST(the_worst_birth_in_the_12_cube_takes_47_phases)
{
    const struct pb_network network = pb_network_cube(12);
    struct pb_message message = {.source = 0x800, .destination = 0x001, .release_phase = 1};
    const struct pb_traffic trace = {.message = &message, .count = 1};
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.trace = &trace}, .run = {.superframes = 10}});

    assert_int_equal(result->latency_max, 47);
}

TEST(a_lone_message_born_in_any_phase_takes_30_512_phases_on_average)
{
    const struct pb_network network = pb_network_cube(12);
    const struct pb_machine_result *result = ran(
        &network,
        &(struct machine_run){.traffic = {.pattern = "uniform", .load = 0.001, .any_phase = true, .seed = 4},
                              .run = {.superframes = 8000, .warm_up = 2}});

    /* About 30,000 messages with a deviation of 8 phases. */
    assert_true(fabs(result->latency.mean - 30.512) < 0.2);
    assert_true(result->latency_max >= 46);
}

/* ---- queues with an exact solution */

static void assert_estimates(const struct pb_batch_means *means, double truth)
{
    if (!(fabs(means->mean - truth) < 2.2 * means->half95 && means->half95 < 0.1 * truth))
        fail_msg("mean %g, interval %g, truth %g", means->mean, means->half95, truth);
}

TEST(bursts_on_one_wire_queue_as_their_chain_says)
{
    const struct pb_network network = pb_network_cube(1);
    const struct pb_machine_result *result = ran(
        &network, &(struct machine_run){.traffic = {.pattern = "uniform", .load = 0.5, .burst = 2, .seed = 2},
                                        .run = {.superframes = 100000, .warm_up = 100}});
    double share[64] = {1}, mean = 0;

    /* 2 come with probability 1/4, 1 leaves in each superframe. */
    for (unsigned i = 0; i < 4000; i++) {
        double next[64] = {0};
        for (unsigned queue = 0; queue < 62; queue++) {
            next[queue ? queue - 1 : 0] += 0.75 * share[queue];
            next[queue + 1] += 0.25 * share[queue];
        }
        memcpy(share, next, sizeof share);
    }
    for (unsigned queue = 0; queue < 64; queue++)
        mean += queue * share[queue];
    assert_estimates(&result->occupancy, mean);
    /* Little: mean / 0.5 superframes of two phases, and 1 or 2 phases to cross. */
    assert_estimates(&result->latency, 2 * mean / 0.5 + 1.5);
    assert_estimates(&result->throughput, 0.5);
}

/* With at most one release a superframe, only dimension 1 queues: p/3 of the messages of its own node and
 * p/3 of a neighbour come before its phase. E[A (A - 1)] / (2 (1 - E[A])) with E[A] = 2p/3. */
TEST(uniform_traffic_of_the_2_cube_queues_as_computed_by_hand)
{
    const struct pb_network network = pb_network_cube(2);
    const double p = 0.9, left = 2 * p * p / 9 / (2 * (1 - 2 * p / 3));
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "uniform", .load = p, .seed = 6},
                                            .run = {.superframes = 60000, .warm_up = 100}});

    assert_estimates(&result->occupancy, left);
    /* A lone message takes 1.5 phases in dimension 0, and 3.5 else. */
    assert_estimates(&result->latency, 4 * left / p + 8.5 / 3);
    assert_estimates(&result->throughput, p);
    assert_true(!result->saturated && fabs(result->growth) < 0.01);
}

TEST(a_closed_loop_on_one_wire_alternates)
{
    const struct pb_network network = pb_network_cube(1);
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "uniform", .window = 1},
                                            .run = {.superframes = 100}});

    /* Requests in even superframes, answers in odd ones: node 0 is answered in phase 1, node 1 in phase 0. */
    assert_int_equal(result->completed, 100);
    assert_int_equal(result->latencies[3], 50);
    assert_int_equal(result->latencies[4], 50);
    assert_true(fabs(result->throughput.mean - 0.5) < 1e-12);
}

TEST(full_nodes_drop_what_comes)
{
    struct pb_network network = pb_network_cube(1);
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "uniform:1", .batch = 3},
                                            .run = {.superframes = 10, .room = 2}});
    /* uniform:1 to :3 send some messages to the node itself; of the others two find room. */
    assert_int_equal(result->completed + result->dropped + result->local, 6);
    assert_true(result->max_occupancy <= 2);

    /* "The buffer is a single register" fails: 0 to 3 meets at node 1 its own message, which goes in phase
     * 1. */
    struct pb_message message[] = {{.source = 0, .destination = 3}, {.source = 1, .destination = 0}};
    const struct pb_traffic trace = {.message = message, .count = 2};
    network = pb_network_cube(2);
    for (unsigned room = 1; room <= 2; room++) {
        result = ran(&network, &(struct machine_run){.traffic = {.trace = &trace},
                                                     .run = {.superframes = 10, .room = room}});
        assert_int_equal(result->dropped, 2 - room);
        assert_int_equal(result->completed, room);
        assert_true(result->finished);
    }
    /* The queues of two ports: room for one in each is enough. */
    result = ran(&network, &(struct machine_run){.traffic = {.trace = &trace},
                                                 .run = {.superframes = 10, .room_port = 1}});
    assert_int_equal(result->dropped, 0);
}

/* ---- course of a run */

TEST(a_load_above_the_limit_is_saturated_and_one_below_is_not)
{
    const struct pb_network network = pb_network_cube(6);
    for (unsigned i = 0; i < 2; i++) {
        const struct pb_machine_result *result =
            ran(&network,
                &(struct machine_run){.traffic = {.pattern = "uniform", .load = i ? 2.4 : 1.5, .seed = 3},
                                      .run = {.superframes = 600, .warm_up = PB_MACHINE_DETECT}});
        assert_int_equal(result->saturated, i);
        assert_int_equal(result->settled, !i);
        assert_true(result->warm_up >= 64 && result->superframes == 600);
        assert_true(fabs(result->throughput.mean - (i ? 1.96 : 1.5)) < 0.05);
        assert_true(result->courses * result->course_every >= result->warm_up + result->superframes);
        assert_true(result->courses <= PB_MACHINE_COURSE);
        /* What does not arrive stays. */
        assert_true(fabs(result->growth * 600 - (double)(result->offered - result->completed)) < 1e-6);
        assert_true(i ? fabs(result->growth / 64 - 0.44) < 0.05 : fabs(result->growth) < 1);
    }
}

TEST(the_same_seed_gives_the_same_run)
{
    const struct pb_network network = pb_network_cube(5);
    const struct pb_machine_result *result[3];
    for (unsigned i = 0; i < 3; i++)
        result[i] =
            ran(&network,
                &(struct machine_run){.traffic = {.pattern = "uniform", .load = 0.8, .seed = i < 2 ? 5 : 6},
                                      .run = {.superframes = 50}});
    assert_int_equal(result[0]->crossings, result[1]->crossings);
    assert_true(result[0]->latency.mean == result[1]->latency.mean);
    assert_int_not_equal(result[0]->crossings, result[2]->crossings);
}

/* ---- saturation */

static void assert_saturates(unsigned dims, const char *pattern, double hot, double limit)
{
    const struct pb_network network = pb_network_cube(dims);
    const struct pb_machine_traffic_options traffic = {.pattern = pattern, .hot = hot, .seed = 2};
    struct pb_saturation found;

    assert_succeeds(pb_machine_saturation(&found, &network, &traffic, 0.005, NULL, NULL, &diag));
    if (fabs(found.load / limit - 1) > 0.01)
        fail_msg("%s, %u dimensions: %g (%g to %g), limit %g", pattern, dims, found.load, found.lower,
                 found.upper, limit);
    assert_true(found.lower <= found.load && found.load <= found.upper);
}

TEST(saturation_is_within_1_percent_of_the_proven_limits)
{
    assert_saturates(6, "uniform", 0, 2.0 * 63 / 64);
    assert_saturates(8, "bitrev", 0, 1.0 / 8);
    assert_saturates(8, "transpose", 0, 1.0 / 8);
    assert_saturates(5, "complement", 0, 1);
}

/* ---- several loads */

enum { LOADS = 6 };

struct counted {
    uint64_t calls, done;
};

static void count_steps(void *context, uint64_t done, uint64_t all)
{
    struct counted *counted = context;
    assert_true(done > counted->done && all >= done);
    counted->calls++;
    counted->done = done;
}

/* Loads 0.3, 0.6, ... in `jobs` threads. */
static int sweep(struct pb_machine_sweep *out, const struct pb_network *network, unsigned jobs,
                 struct pb_diag *diag)
{
    struct counted counted = {0, 0};
    *out = (struct pb_machine_sweep){.network = network,
                                     .line = PB_MACHINE_LINE_DEFAULT,
                                     .superframes = 30,
                                     .warm_up = 3,
                                     .how = {.pattern = "uniform", .seed = 1},
                                     .point = calloc(LOADS, sizeof *out->point),
                                     .points = LOADS,
                                     .jobs = jobs,
                                     .progress = count_steps,
                                     .context = &counted};
    assert_non_null(out->point);
    for (unsigned i = 0; i < LOADS; i++)
        out->point[i].load = 0.3 * (i + 1);
    const int code = pb_machine_sweep_run(out, diag);
    assert_int_equal(counted.done, counted.calls);
    return code;
}

TEST(loads_in_threads_have_the_results_of_one_after_the_other)
{
    const struct pb_network network = pb_network_cube(5);
    struct pb_machine_sweep alone, threads;
    struct pb_diag diag;

    assert_int_equal(sweep(&alone, &network, 1, &diag), PB_OK);
    for (unsigned jobs = 2; jobs <= LOADS + 1; jobs++) {
        assert_int_equal(sweep(&threads, &network, jobs, &diag), PB_OK);
        assert_int_equal(pb_machine_sweep_jobs(&threads), jobs < LOADS ? jobs : LOADS);
        for (unsigned i = 0; i < LOADS; i++) {
            const struct pb_machine_result *a = &alone.point[i].result, *b = &threads.point[i].result;
            assert_int_equal(b->completed, a->completed);
            assert_int_equal(b->crossings, a->crossings);
            assert_int_equal(b->latency_max, a->latency_max);
            assert_memory_equal(b->latencies, a->latencies, (a->latency_max + 1) * sizeof *a->latencies);
        }
        pb_machine_sweep_free(&threads);
    }
    pb_machine_sweep_free(&alone);
}

TEST(as_many_loads_run_at_a_time_as_there_is_memory_for)
{
    const struct pb_network network = pb_network_cube(8);
    struct pb_machine_sweep fitted = {.network = &network,
                                      .line = PB_MACHINE_LINE_DEFAULT,
                                      .superframes = 30,
                                      .how = {.pattern = "uniform", .seed = 1},
                                      .points = LOADS};
    struct pb_diag diag;

    fitted.point = calloc(LOADS, sizeof *fitted.point);
    assert_non_null(fitted.point);
    for (unsigned i = 0; i < LOADS; i++)
        fitted.point[i].load = 0.5;
    assert_succeeds(pb_machine_sweep_limit(&fitted, &diag));
    for (unsigned jobs = 1; jobs <= LOADS; jobs++) {
        const uint64_t bytes = pb_machine_sweep_bytes(&fitted, jobs);
        /* Each load that does not run has a result, which takes less. */
        assert_true(bytes > LOADS * pb_machine_result_bytes(&network));
        for (int more = 0; more < 2; more++) {
            fitted.jobs = LOADS;
            const int code = pb_machine_sweep_fit(&fitted, bytes - 1 + (unsigned)more, &diag);
            assert_int_equal(code, jobs == 1 && !more ? PB_ERR_MEMORY : PB_OK);
            assert_int_equal(fitted.jobs, jobs > 1 && !more ? jobs - 1 : jobs);
        }
    }
    assert_int_equal(pb_machine_sweep_fit(&fitted, 1, &diag), PB_ERR_MEMORY);
    assert_non_null(strstr(diag.text, "and 0 MB are given by --memory"));
    pb_machine_sweep_free(&fitted);
}

/* A node of two ports cannot release 100 messages: every load is refused, and the first one is reported. */
TEST(of_loads_in_threads_that_fail_the_first_is_reported)
{
    const struct pb_network network = pb_network_cube(2);
    struct pb_machine_sweep threads = {.network = &network,
                                       .line = PB_MACHINE_LINE_DEFAULT,
                                       .superframes = 30,
                                       .how = {.pattern = "uniform", .seed = 1},
                                       .points = LOADS,
                                       .jobs = 4};
    struct pb_diag diag, first;

    threads.point = calloc(LOADS, sizeof *threads.point);
    assert_non_null(threads.point);
    for (unsigned i = 0; i < LOADS; i++)
        threads.point[i].load = 100 + i;
    struct pb_machine_traffic *traffic;
    struct pb_machine_traffic_options how = threads.how;
    how.load = 100;
    assert_int_equal(pb_machine_traffic_create(&traffic, &network, &how, &first), PB_ERR_ARGUMENT);
    assert_int_equal(pb_machine_sweep_run(&threads, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(diag.text, first.text);
    pb_machine_sweep_free(&threads);
}
