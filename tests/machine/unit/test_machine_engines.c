/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines of a machine: crossing by crossing the firmware in each node moves what the mover does, and a
 * node that does not is found. Linked with --wrap=message_hand_over, which breaks one wire.
 *
 * evidence: the firmware in all nodes of a machine
 *   simulated on whole frames: each crossing, drop and latency as of the mover, on cubes of 1 to 12
 *   dimensions and small networks, both rules; published figures of the 12-cube; a broken node is named by
 *   its wire
 */
#include "tests/machine/unit/machine_fixture.h"
#include "tests/bench/unit/naive_movement.h"

#include "firmware/port/message/message.h"
#include "host/machine/sweep.h"

#include <stdlib.h>
#include <string.h>

/* ---- a wire that can be broken */

static struct {
    enum { SOUND, LOSES, DROPS, DELIVERS, SWAPS } how;
    uint32_t from;
    uint8_t port;
    unsigned frames; /* sound ones before it */
} broken;

enum message_result __real_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity);
enum message_result __wrap_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity);
enum message_result __wrap_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity)
{
    if (broken.how == SOUND || from.node != broken.from || from.port != broken.port || broken.frames-- > 0)
        return __real_message_hand_over(nodes, from, to, identity);
    if (broken.how == LOSES)
        to.port = MESSAGE_PORTS_MAX; /* at which no node listens */
    const enum message_result result = __real_message_hand_over(nodes, from, to, identity);
    *identity ^= broken.how == SWAPS;
    return broken.how == DROPS ? MESSAGE_DROPPED : broken.how == DELIVERS ? MESSAGE_DELIVERED : result;
}

/* ---- both engines, each in a run of its own */

static void assert_same_result(const struct pb_machine_result *slot, const struct pb_machine_result *firmware)
{
    assert_int_equal(firmware->offered, slot->offered);
    assert_int_equal(firmware->completed, slot->completed);
    assert_int_equal(firmware->dropped, slot->dropped);
    assert_int_equal(firmware->crossings, slot->crossings);
    assert_int_equal(firmware->latency_max, slot->latency_max);
    assert_int_equal(firmware->max_occupancy, slot->max_occupancy);
    assert_int_equal(firmware->max_queue, slot->max_queue);
    assert_int_equal(firmware->last_crossing, slot->last_crossing);
    assert_true(firmware->latency.mean == slot->latency.mean);
    assert_true(firmware->occupancy.mean == slot->occupancy.mean);
}

enum { ALL_NODES_MAX = 32 };

/* Returns the result of the firmware. The runs have the same stimulus. */
static const struct pb_machine_result *assert_agree(const struct pb_network *network, struct machine_run run)
{
    static struct crossings kept[2];
    const struct pb_machine_result *result[2];

    for (unsigned k = 0; k < 2; k++) {
        kept[k].count = 0;
        run.run.engine = k ? PB_ENGINE_FIRMWARE : PB_ENGINE_SLOT;
        run.run.room = PB_MACHINE_FIRMWARE_ROOM;
        run.run.visit = keep_crossing;
        run.run.context = &kept[k];
        result[k] = ran(network, &run);
    }
    assert_int_equal(kept[1].count, kept[0].count);
    for (size_t i = 0; i < kept[0].count; i++) {
        const struct pb_crossing *a = &kept[0].crossing[i], *b = &kept[1].crossing[i];
        if (a->message != b->message || a->superframe != b->superframe || a->phase != b->phase ||
            a->from != b->from || a->to != b->to || a->port != b->port || a->last != b->last ||
            a->source != b->source || a->destination != b->destination || a->sequence != b->sequence ||
            a->release_superframe != b->release_superframe || a->release_phase != b->release_phase)
            fail_msg("crossing %zu, superframe %u, phase %u", i, a->superframe, a->phase);
    }
    assert_same_result(result[0], result[1]);
    for (size_t i = 0; i < (size_t)network->nodes * network->ports; i++)
        assert_true(result[1]->link[i] == result[0]->link[i]);

    /* That runs the nodes at their pins, too, which takes long (test_machine_pins). */
    if (network->nodes > ALL_NODES_MAX)
        return result[1];
    run.run.visit = NULL;
    run.run.engine = PB_ENGINE_ALL;
    const struct pb_machine_result *all = ran(network, &run);
    assert_false(all->difference.found);
    assert_int_equal(all->compared, kept[0].count);
    assert_same_result(result[0], all);
    return result[1];
}

TEST(each_crossing_of_uniform_traffic_is_that_of_the_mover)
{
    for (unsigned dims = 1; dims <= 8; dims++)
        for (unsigned seed = 1; seed <= 10; seed++) {
            const struct pb_network network = pb_network_cube(dims);
            const size_t held = handed_over();
            for (enum pb_rule rule = 0; rule < PB_RULES; rule++)
                assert_true(
                    assert_agree(&network,
                                 (struct machine_run){.traffic = {.pattern = "uniform",
                                                                  .load = dims == 1 ? 0.9 : 1.5,
                                                                  .any_phase = seed % 2,
                                                                  .seed = seed},
                                                      .run = {.rule = rule, .superframes = 16, .warm_up = 4}})
                        ->completed > 0);
            release_back_to(held);
        }
}

TEST(each_crossing_of_the_12_cube_is_that_of_the_mover)
{
    const struct pb_network network = pb_network_cube(12);
    for (enum pb_rule rule = 0; rule < PB_RULES; rule++) {
        const size_t held = handed_over();
        assert_true(
            assert_agree(&network,
                         (struct machine_run){.traffic = {.pattern = "uniform", .load = 1.5, .seed = 3},
                                              .run = {.rule = rule, .superframes = 5, .warm_up = 0}})
                ->crossings > 5 * 4096 * 6);
        release_back_to(held);
    }
}

TEST(full_nodes_drop_what_the_mover_drops)
{
    const struct pb_network network = pb_network_cube(5);
    for (enum pb_rule rule = 0; rule < PB_RULES; rule++) {
        assert_true(
            assert_agree(&network,
                         (struct machine_run){
                             .traffic = {.pattern = "uniform", .load = 3, .any_phase = true, .seed = 1},
                             .run = {.rule = rule, .superframes = 100, .warm_up = 0}})
                ->dropped > 0);
        assert_true(
            assert_agree(&network, (struct machine_run){.traffic = {.pattern = "hotspot:3", .batch = 60},
                                                        .run = {.rule = rule, .superframes = 10000}})
                ->dropped > 0);
    }
}

TEST(answers_and_second_legs_follow_in_both_engines)
{
    const struct pb_network network = pb_network_cube(4);
    assert_agree(&network, (struct machine_run){.traffic = {.pattern = "uniform", .window = 3, .seed = 1},
                                                .run = {.superframes = 50}});
    assert_agree(&network,
                 (struct machine_run){
                     .traffic = {.pattern = "bitrev", .batch = 2, .valiant = PB_VALIANT_BARRIER, .seed = 1},
                     .run = {.superframes = 1000}});
}

TEST(each_crossing_in_networks_of_other_radices_is_that_of_the_mover)
{
    uint64_t random = 17;

    for (unsigned run = 0; run < 4 * SMALL_COMPLETE; run++) {
        const struct defined defined = small(run % SMALL_COMPLETE);
        const struct pb_network network = built(&defined);
        const size_t held = handed_over();
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        assert_agree(&network, (struct machine_run){.traffic = {.trace = &traffic},
                                                    .run = {.rule = (enum pb_rule)(run / SMALL_COMPLETE % 2),
                                                            .superframes = 1000}});
        release_back_to(held);
        pb_traffic_free(&traffic);
    }
}

TEST(the_firmware_takes_the_published_superframes_in_the_12_cube)
{
    static const struct {
        const char *pattern;
        uint32_t ecube, opportunistic;
    } batch[] = {{"bitrev", 32, 3}, {"complement", 1, 1}, {"shuffle", 1, 1}, {"perm:1", 5, 3}};
    const struct pb_network network = pb_network_cube(12);

    for (size_t i = 0; i < COUNT(batch); i++)
        for (enum pb_rule rule = 0; rule < PB_RULES; rule++) {
            const struct pb_machine_result *result =
                ran(&network, &(struct machine_run){
                                  .traffic = {.pattern = batch[i].pattern, .batch = 1, .seed = 1},
                                  .run = {.rule = rule, .superframes = 100, .engine = PB_ENGINE_FIRMWARE}});
            assert_int_equal(result->last_crossing,
                             rule == PB_RULE_ECUBE ? batch[i].ecube : batch[i].opportunistic);
        }
}

TEST(a_node_takes_little_more_than_its_4296_bytes)
{
    assert_in_range(message_node_bytes(), 4296, 4352);
}

/* ---- a broken wire */

/* Complement in four dimensions: in superframe s node n sends message 16 s + n, which crosses each dimension.
 * So node 5 sends on port 1 in phase 2 message 16 s + 4, from 4 to 11. */
static const struct pb_machine_result *broken_run(int how, unsigned port, enum pb_machine_engine engine)
{
    const struct pb_network network = pb_network_cube(4);
    broken.how = how;
    broken.from = 5;
    broken.port = (uint8_t)port;
    broken.frames = 3;
    const struct pb_machine_result *result =
        ran(&network, &(struct machine_run){.traffic = {.pattern = "complement", .load = 1},
                                            .run = {.superframes = 20, .engine = engine}});
    broken.how = SOUND;
    return result;
}

static void assert_difference(const struct pb_machine_result *result, const char *text)
{
    const struct pb_network network = pb_network_cube(4);
    char seen[PB_DIFFERENCE_TEXT_SIZE];
    assert_true(result->difference.found);
    assert_string_equal(pb_machine_difference_text(&result->difference, &network, seen), text);
}

TEST(the_first_crossing_that_differs_is_named)
{
    const struct pb_machine_result *result = broken_run(LOSES, 1, PB_ENGINE_ALL);
    assert_difference(result,
                      "superframe 3, phase 2, on the wire of port 1 from node 0x5 to node 0x7: slot moves "
                      "message 52 from 0x4 to 0xB; firmware moves nothing");
    assert_int_equal(result->difference.superframe, 3);
    assert_int_equal(result->difference.phase, 2);
    assert_int_equal(result->difference.from, 5);
    assert_int_equal(result->difference.to, 7);
    assert_null(result->latencies);
    assert_difference(broken_run(SWAPS, 0, PB_ENGINE_ALL),
                      "superframe 3, phase 1, on the wire of port 0 from node 0x5 to node 0x4: slot moves "
                      "message 53 from 0x5 to 0xA; firmware moves message 52 from 0x4 to 0xB");
    assert_difference(broken_run(DELIVERS, 1, PB_ENGINE_ALL),
                      "superframe 3, phase 2, on the wire of port 1 from node 0x5 to node 0x7: slot moves "
                      "message 52 from 0x4 to 0xB; firmware delivers message 52 from 0x4 to 0xB");
    assert_difference(broken_run(DROPS, 1, PB_ENGINE_ALL),
                      "superframe 3, phase 2, at node 0x7: slot drops nothing; firmware drops message 52");
}

/* On port 3 node 5 sends in phase 6 message 16 s + 2, from 2 to 13, which arrives. */
TEST(a_message_that_does_not_arrive_is_named)
{
    assert_difference(broken_run(LOSES, 3, PB_ENGINE_ALL),
                      "superframe 3, phase 6, on the wire of port 3 from node 0x5 to node 0xD: slot delivers "
                      "message 50 from 0x2 to 0xD; firmware moves nothing");
}

/* The second one would be sound. */
TEST(of_several_loads_none_runs_after_the_first_that_differs)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_sweep sweep = {.network = &network,
                                     .engine = PB_ENGINE_ALL,
                                     .line = PB_MACHINE_LINE_DEFAULT,
                                     .superframes = 20,
                                     .how = {.pattern = "complement"},
                                     .points = 2,
                                     .jobs = 1};

    sweep.point = calloc(2, sizeof *sweep.point);
    assert_non_null(sweep.point);
    sweep.point[0].load = sweep.point[1].load = 1;
    broken.how = LOSES;
    broken.from = 5;
    broken.port = 1;
    broken.frames = 3;
    assert_succeeds(pb_machine_sweep_run(&sweep, &diag));
    broken.how = SOUND;
    assert_ptr_equal(pb_machine_sweep_difference(&sweep), &sweep.point[0].result.difference);
    assert_int_equal(sweep.point[1].result.superframes, 0);
    assert_null(sweep.point[1].result.course);
    pb_machine_sweep_free(&sweep);
}

TEST(a_lost_message_breaks_the_law_of_conservation)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_options run = {.network = &network, .superframes = 20, .engine = PB_ENGINE_FIRMWARE};
    struct pb_machine_result result;
    struct pb_diag diag;

    assert_int_equal(pb_machine_traffic_create(
                         &run.traffic, &network,
                         &(struct pb_machine_traffic_options){.pattern = "complement", .load = 1}, &diag),
                     PB_OK);
    broken.how = LOSES;
    broken.from = 5;
    broken.port = 1;
    broken.frames = 3;
    assert_int_equal(pb_machine_run(&result, &run, &diag), PB_ERR_IO);
    broken.how = SOUND;
    assert_string_equal(
        diag.text, "machine: after superframe 3 64 messages were released, 63 delivered, 0 dropped and 0 "
                   "are in queues; that is not conserved; report this as a defect of phasebench");
    pb_machine_traffic_free(run.traffic);
}

/* ---- what the firmware cannot do */

static void assert_refused(const char *network_text, unsigned room, unsigned room_port, const char *text)
{
    struct pb_network network;
    struct pb_diag diag;

    assert_int_equal(pb_network_parse(&network, network_text, &diag), PB_OK);
    for (enum pb_machine_engine engine = 0; engine <= PB_ENGINE_ALL; engine++) {
        const int code = pb_machine_engine_check(engine, &network, room, room_port, &diag);
        const bool own_room = engine == PB_ENGINE_IMAGE && room && network.ports <= MESSAGE_PORTS_MAX;
        assert_int_equal(code, engine == PB_ENGINE_SLOT || own_room || !text ? PB_OK : PB_ERR_ARGUMENT);
        if (code)
            assert_string_equal(diag.text, formatted("machine: engine %s: %s, or take the engine slot",
                                                     pb_machine_engine_name(engine), text));
    }
}

TEST(other_rooms_and_networks_beyond_the_firmware_are_refused)
{
    assert_refused("cube:12", 0, 0, NULL);
    assert_refused("cube:12", 40, 0, NULL);
    assert_refused("generalised:4,4,3", 0, 0, NULL);
    assert_refused("cube:13", 0, 0,
                   "8192 nodes of 13 ports; the firmware has at most 4096 nodes of 12 ports; give a smaller "
                   "network");
    assert_refused("generalised:14", 0, 0,
                   "14 nodes of 13 ports; the firmware has at most 4096 nodes of 12 ports; give a smaller "
                   "network");
    assert_refused("cube:4", 41, 0,
                   "room for 41 messages; a node of the firmware has room for 40; leave the room out");
    assert_refused("cube:4", 0, 2,
                   "room for 2 messages in the queue of a port; the queues of the firmware share one room of "
                   "40; leave it out");

    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_options run = {
        .network = &network, .superframes = 1, .engine = PB_ENGINE_ALL, .room = 39};
    struct pb_machine_result result;
    struct pb_diag diag;
    assert_int_equal(pb_machine_traffic_create(
                         &run.traffic, &network,
                         &(struct pb_machine_traffic_options){.pattern = "complement", .load = 1}, &diag),
                     PB_OK);
    assert_int_equal(pb_machine_run(&result, &run, &diag), PB_ERR_ARGUMENT);
    pb_machine_traffic_free(run.traffic);
}
