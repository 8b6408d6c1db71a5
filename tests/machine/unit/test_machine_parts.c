/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs of a machine in several threads: against the same run in one thread, of which test_machine shows that
 * it is right.
 *
 * evidence: a run of a machine in several threads
 *   simulated: result, crossings in their order and kept state are those of one thread, bit for bit
 */
#include "tests/machine/unit/machine_fixture.h"

#include "phasebench/random.h"

#include <string.h>

/* What a run shows in addition to its result. */
struct shown {
    struct pb_crossing *crossing;
    size_t count, most;
    uint8_t *state;
    size_t bytes;
    unsigned kept_at; /* superframe; 0: never */
};

static void see(void *context, const struct pb_crossing *crossing)
{
    struct shown *shown = context;
    if (shown->count == shown->most) {
        shown->most = shown->most ? 2 * shown->most : 1024;
        shown->crossing = realloc(shown->crossing, shown->most * sizeof *shown->crossing);
        assert_non_null(shown->crossing);
    }
    shown->crossing[shown->count++] = *crossing;
}

static bool is_due(void *context, uint32_t steps)
{
    return steps == ((struct shown *)context)->kept_at;
}

static int keep(void *context, uint8_t *state, size_t bytes, struct pb_diag *diag)
{
    struct shown *shown = context;
    (void)diag;
    free(shown->state);
    shown->state = state;
    shown->bytes = bytes;
    return PB_OK;
}

static void free_shown(struct shown *shown)
{
    free(shown->crossing);
    free(shown->state);
}

static void run(struct pb_machine_result *result, struct shown *shown, const struct pb_network *network,
                const struct machine_run *of, unsigned threads, const struct shown *from)
{
    struct pb_machine_options options = of->run;

    assert_succeeds(pb_machine_traffic_create(&options.traffic, network, &of->traffic, &diag));
    options.network = network;
    options.threads = threads;
    options.context = shown;
    options.is_due = is_due;
    options.keep = keep;
    options.state = from ? from->state : NULL;
    options.state_bytes = from ? from->bytes : 0;
    assert_succeeds(pb_machine_run(result, &options, &diag));
    pb_machine_traffic_free(options.traffic);
}

/* ---- what is drawn */

static unsigned draw(uint64_t *random, unsigned limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

static struct pb_network drawn_network(uint64_t *random)
{
    static const char *const other[] = {"generalised:4,4,3", "generalised:3,5", "generalised:7",
                                        "generalised:2,2,6"};
    struct pb_network network = pb_network_cube(1 + draw(random, 7));
    if (draw(random, 3) == 0)
        assert_succeeds(pb_network_parse(&network, other[draw(random, COUNT(other))], &diag));
    return network;
}

/* Node 0 is the hot one. */
static struct pb_machine_dead *drawn_dead(uint64_t *random, const struct pb_network *network)
{
    struct pb_machine_dead *dead;
    assert_succeeds(pb_machine_dead_create(&dead, network));
    pb_machine_kill_link(dead, draw(random, network->nodes), draw(random, network->ports));
    if (network->nodes > 4)
        pb_machine_kill_node(dead, 1 + draw(random, network->nodes - 1));
    return dead;
}

static struct machine_run drawn_run(uint64_t *random, const struct pb_network *network,
                                    const struct pb_machine_dead *dead)
{
    static const char *const patterns[] = {"uniform", "perm", "hotspot:0", "uniform"};
    struct machine_run of = {.traffic = {.pattern = patterns[draw(random, COUNT(patterns))],
                                         .seed = pb_splitmix64(random)},
                             .run = {.rule = (enum pb_rule)draw(random, 2),
                                     .superframes = 1 + draw(random, 60),
                                     .warm_up = draw(random, 2) ? draw(random, 20) : PB_MACHINE_DETECT}};
    switch (draw(random, 5)) {
    case 0:
        of.traffic.batch = 1 + draw(random, 4);
        of.run.superframes = 10000;
        break;
    case 1:
        of.traffic.window = 1 + draw(random, 4);
        break;
    default:
        of.traffic.load = 0.05 + draw(random, 100 * network->ports - 5) / 100.0 / (1 + draw(random, 3));
        of.traffic.burst = 1 + draw(random, 3);
        of.traffic.any_phase = draw(random, 2);
    }
    if (strcmp(of.traffic.pattern, "hotspot:0") == 0 && !of.traffic.batch && draw(random, 2))
        of.traffic.hot = 0.5;
    if (!of.traffic.window && of.run.rule == PB_RULE_ECUBE && network->nodes > 2 && draw(random, 3) == 0)
        of.traffic.dead = dead;
    else if (!of.traffic.window && draw(random, 3) == 0)
        of.traffic.valiant = of.traffic.batch && draw(random, 2) ? PB_VALIANT_BARRIER : PB_VALIANT_FREE;
    if (draw(random, 2))
        of.run.room = 1 + draw(random, 6);
    if (of.run.rule == PB_RULE_ECUBE && draw(random, 3) == 0)
        of.run.room_port = 1 + draw(random, 3);
    return of;
}

TEST(any_number_of_threads_gives_the_run_of_one_thread)
{
    uint64_t random = 7;
    unsigned several = 0, with_drops = 0, with_local = 0, with_unreachable = 0;

    for (unsigned i = 0; i < 150; i++) {
        const struct pb_network network = drawn_network(&random);
        struct pb_machine_dead *const dead = drawn_dead(&random, &network);
        struct machine_run of = drawn_run(&random, &network, dead);
        const unsigned threads = 2 + draw(&random, 8);
        struct shown one = {.kept_at = 1 + draw(&random, 30)}, many = {.kept_at = one.kept_at};
        struct pb_machine_result first, second;

        of.run.visit = draw(&random, 2) ? see : NULL;
        run(&first, &one, &network, &of, 1, NULL);
        run(&second, &many, &network, &of, threads, NULL);
        several += pb_machine_parts(&network, threads) > 1;
        with_drops += first.dropped > 0;
        with_local += first.local > 0;
        with_unreachable += first.unreachable > 0;
        assert_equal_result(&network, &first, &second);
        assert_int_equal(one.count, many.count);
        if (one.count)
            assert_memory_equal(one.crossing, many.crossing, one.count * sizeof *one.crossing);
        assert_int_equal(one.bytes, many.bytes);
        if (one.bytes)
            assert_memory_equal(one.state, many.state, one.bytes);
        pb_machine_result_free(&second);
        /* And from where the other one was kept. */
        if (one.state) {
            struct shown rest = {.kept_at = 0};
            run(&second, &rest, &network, &of, 1 + draw(&random, 9), &many);
            assert_equal_result(&network, &first, &second);
            pb_machine_result_free(&second);
            free_shown(&rest);
        }
        pb_machine_result_free(&first);
        free_shown(&one);
        free_shown(&many);
        pb_machine_dead_free(dead);
    }
    assert_true(several > 100 && with_drops > 30 && with_local > 10 && with_unreachable > 10);
}

TEST(threads_have_two_nodes_each_and_of_a_cube_a_cube)
{
    static const struct {
        const char *network;
        unsigned wanted, parts;
    } cases[] = {{"cube:1", 8, 1},  {"cube:2", 8, 2},  {"cube:4", 3, 2},
                 {"cube:4", 7, 4},  {"cube:4", 8, 8},  {"cube:4", 100, 8},
                 {"cube:4", 0, 1},  {"cube:4", 1, 1},  {"generalised:4,4,3", 5, 5},
                 {"generalised:7", 5, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pb_network network;
        assert_succeeds(pb_network_parse(&network, cases[i].network, &diag));
        assert_int_equal(pb_machine_parts(&network, cases[i].wanted), cases[i].parts);
    }
}
