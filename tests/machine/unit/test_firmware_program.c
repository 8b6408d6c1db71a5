/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs in the firmware: on all nodes and in the plain player, on every network and argument; and what
 * ends one, on two nodes of which a frame is kept back, is not expected, or comes in a phase that is not due.
 *
 * evidence: programs in the firmware of all nodes
 *   each frame and result against the plain player, on cubes and generalised hypercubes; whole frames in
 *   place of bits, on no board yet
 *   also: test_program, test_firmware_console
 */
#include "firmware/port/message/message.h"
#include "host/machine/program/nodes.h"
#include "tests/bench/unit/tests.h"
#include "tests/machine/unit/program_fixture.h"

/* ---- in the firmware and in the player */

static void count_frame(void *context, const struct pb_program_frame *frame)
{
    (void)frame;
    ++*(unsigned *)context;
}

/* A line on which a frame of 8 bytes leaves time for what the images compute. */
static struct pb_machine_line slow_line(unsigned payload_bytes, uint32_t clock_ppm)
{
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    line.phase_rate_mhz = 5000000;
    line.payload_bytes = payload_bytes;
    line.clock_ppm = clock_ppm;
    return line;
}

static unsigned frames_of(const struct pb_program_nodes_options *options, uint64_t seed)
{
    const struct pb_program *program = options->program;
    const struct pb_network *network = options->network;
    struct pb_program_nodes_options with = *options;
    const size_t held = handed_over();
    with.inputs = random_inputs(program, network, seed);
    const size_t length = pb_program_input_bytes(program, network) * network->nodes;
    struct pb_program_play *play;
    struct pb_program_nodes *nodes;
    struct pb_diag diag = {""};
    unsigned frames = 0;
    bool played = true;

    assert_int_equal(
        pb_program_play_create(&play, program, network, with.argument, with.inputs, length, NULL), PB_OK);
    if (pb_program_nodes_create(&nodes, &with, &diag))
        fail_msg("%s", diag.text);
    while (played)
        if (pb_program_nodes_step(nodes, play, count_frame, &frames, &played, &diag))
            fail_msg("%s", diag.text);
    pb_program_nodes_free(nodes);
    pb_program_play_free(play);
    release_back_to(held);
    return frames;
}

static unsigned frames_of_both(const struct pb_program *program, const struct pb_network *network,
                               uint32_t argument, uint64_t seed)
{
    return frames_of(
        &(struct pb_program_nodes_options){
            .program = program, .network = network, .argument = argument, .engine = PB_ENGINE_FIRMWARE},
        seed);
}

TEST(all_nodes_run_each_program_as_the_player_does)
{
    static const char *const networks[] = {
        "cube:1",           "cube:2",        "cube:3",          "cube:4",
        "cube:6",           "generalised:3", "generalised:2,3", "generalised:3,4,2",
        "generalised:4,4,3"};
    unsigned runs[16] = {0};

    for (size_t i = 0; pb_program_at(i); i++)
        for (size_t j = 0; j < COUNT(networks); j++)
            for (uint32_t argument = 0; argument < 5; argument++) {
                const struct pb_program *program = pb_program_at(i);
                struct pb_network network;
                assert_int_equal(pb_network_parse(&network, networks[j], NULL), 0);
                if (argument > program->argument_most ||
                    (program->suits && program->suits(&network, argument, NULL)) ||
                    pb_program_nodes_check(program, &network, argument, NULL))
                    continue;
                runs[i] += frames_of_both(program, &network, argument, 100 * j + argument) > 0;
            }
    for (size_t i = 0; pb_program_at(i); i++)
        assert_true(runs[i] >= 2);
}

TEST(the_whole_machine_sorts)
{
    assert_int_equal(frames_of_both(pb_program_find("sort"), CUBE(12), 0, 1), 4096 * 12 * 13 / 2);
}

/* Of all nodes at their pins: native ones, with whole bytes and, as their clocks err by more than 1 %, bit by
 * bit; and both images, in turn. */
TEST(all_nodes_at_their_pins_run_each_program_as_the_player_does)
{
    static const char *const networks[] = {"cube:1", "cube:4", "generalised:3,2"},
                             *const image[] = {"build/ag32/node.elf", "build/rp2040/node.elf"};
    static const uint32_t clock_ppm[] = {0, 9999, 12000};
    unsigned runs[16] = {0};

    for (size_t i = 0; pb_program_at(i); i++)
        for (size_t j = 0; j < COUNT(networks); j++)
            for (size_t k = 0; k < 2 * COUNT(clock_ppm); k++) {
                const struct pb_program *program = pb_program_at(i);
                struct pb_network network;
                assert_int_equal(pb_network_parse(&network, networks[j], NULL), 0);
                const uint32_t argument = program->argument_initial < 3 ? program->argument_initial : 3;
                if ((program->suits && program->suits(&network, argument, NULL)) ||
                    pb_program_nodes_check(program, &network, argument, NULL))
                    continue;
                const bool images = k >= COUNT(clock_ppm);
                const struct pb_machine_line line =
                    slow_line(program->payload_bytes, clock_ppm[k % COUNT(clock_ppm)]);
                runs[i] += frames_of(&(struct pb_program_nodes_options){.program = program,
                                                                        .network = &network,
                                                                        .argument = argument,
                                                                        .engine = images ? PB_ENGINE_IMAGE
                                                                                         : PB_ENGINE_WIRE,
                                                                        .line = &line,
                                                                        .pins = &pb_players_at_pins,
                                                                        .image = image,
                                                                        .images = images ? COUNT(image) : 0},
                                     100 * j + k) > 0;
            }
    for (size_t i = 0; pb_program_at(i); i++)
        assert_true(runs[i] >= 2 * COUNT(clock_ppm));
}

/* `scan` sends the sums of `allreduce`, and has other results. */
TEST(results_that_differ_alone_are_found)
{
    static const enum pb_machine_engine engines[] = {PB_ENGINE_FIRMWARE, PB_ENGINE_WIRE};
    const struct pb_program *const scan = pb_program_find("scan");
    const struct pb_machine_line line = slow_line(4, 0);
    const uint8_t *inputs = random_inputs(scan, CUBE(3), 1);

    for (size_t i = 0; i < COUNT(engines); i++) {
        struct pb_program_play *play;
        struct pb_program_nodes *nodes;
        struct pb_diag diag = {""};
        bool played = true;
        assert_int_equal(
            pb_program_play_create(&play, pb_program_find("allreduce"), CUBE(3), 0, inputs, 4 * 8, NULL),
            PB_OK);
        assert_int_equal(
            pb_program_nodes_create(&nodes,
                                    &(struct pb_program_nodes_options){.program = scan,
                                                                       .network = CUBE(3),
                                                                       .inputs = inputs,
                                                                       .engine = engines[i],
                                                                       .line = &line,
                                                                       .pins = &pb_players_at_pins},
                                    &diag),
            PB_OK);
        assert_int_equal(pb_program_nodes_step(nodes, play, NULL, NULL, &played, &diag), PB_ERR_NODE);
        assert_non_null(strstr(diag.text, "result="));
        pb_program_nodes_free(nodes);
        pb_program_play_free(play);
    }
}

/* The value of node 5, which both ends of its first wire send and take in phases 0 and 1. */
TEST(a_frame_that_differs_in_its_last_bit_is_found)
{
    const struct pb_program *const sum = pb_program_find("allreduce");
    uint8_t *const inputs = random_inputs(sum, CUBE(3), 1);
    struct pb_program_play *play;
    struct pb_program_nodes *nodes;
    struct pb_diag diag = {""};
    bool played = true;

    assert_succeeds(pb_program_nodes_create(
        &nodes,
        &(struct pb_program_nodes_options){
            .program = sum, .network = CUBE(3), .inputs = inputs, .engine = PB_ENGINE_FIRMWARE},
        &diag));
    inputs[4 * 5 + 3] ^= 0x80;
    assert_succeeds(pb_program_play_create(&play, sum, CUBE(3), 0, inputs, 4 * 8, &diag));
    assert_int_equal(pb_program_nodes_step(nodes, play, NULL, NULL, &played, &diag), PB_ERR_NODE);
    assert_non_null(strstr(diag.text, "superframe 0, phase 1: the firmware of node 0x5 sends "));
    pb_program_nodes_free(nodes);
    pb_program_play_free(play);
}

/* Two clocks that are 4 % off in opposite directions: half a bit after six of them. */
TEST(clocks_that_err_too_much_are_found)
{
    const struct pb_program *const sort = pb_program_find("sort");
    const struct pb_machine_line line = slow_line(4, 40000);
    const uint8_t *inputs = random_inputs(sort, CUBE(4), 1);
    struct pb_program_play *play;
    struct pb_program_nodes *nodes;
    struct pb_diag diag = {""};
    bool played = true;
    int code = PB_OK;

    assert_int_equal(pb_program_play_create(&play, sort, CUBE(4), 0, inputs, 4 * 16, NULL), PB_OK);
    assert_int_equal(pb_program_nodes_create(&nodes,
                                             &(struct pb_program_nodes_options){.program = sort,
                                                                                .network = CUBE(4),
                                                                                .inputs = inputs,
                                                                                .engine = PB_ENGINE_WIRE,
                                                                                .line = &line,
                                                                                .pins = &pb_players_at_pins},
                                             &diag),
                     PB_OK);
    while (played && code == PB_OK)
        code = pb_program_nodes_step(nodes, play, NULL, NULL, &played, &diag);
    assert_int_equal(code, PB_ERR_NODE);
    assert_non_null(strstr(diag.text, "lower phase rate, latency and error of the clocks"));
    pb_program_nodes_free(nodes);
    pb_program_play_free(play);
}

TEST(what_the_firmware_does_not_take_is_refused)
{
    struct pb_diag diag;

    assert_int_equal(pb_program_nodes_check(pb_program_find("exchange"), CUBE(5), 0, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(diag.text,
                        "program 'exchange' has 128 bytes of input of a node, the firmware takes at most "
                        "64; give a smaller network");
    assert_int_equal(pb_program_nodes_check(pb_program_find("exchange"), CUBE(4), 0, &diag), PB_OK);
    assert_int_equal(pb_program_nodes_check(pb_program_find("sort"), CUBE(13), 0, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(pb_program_nodes_check(pb_program_find("sort"), CUBE(12), 0, &diag), PB_OK);
    assert_int_equal(pb_program_nodes_check(pb_program_find("life"), CUBE(4), 0, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(
        diag.text,
        "program 'life' has no superframe, the firmware takes 1 or more; give an argument of 1 or more");
    assert_int_equal(pb_program_nodes_check(pb_program_find("broadcast"), CUBE(4), 0x10000, &diag),
                     PB_ERR_ARGUMENT);
}

/* ---- what ends a program: two nodes, of which node 0 sends in phase 0 and node 1 in phase 1 */

struct two {
    struct message_nodes *nodes;
    uint32_t edges;
};

static void free_nodes(void *nodes)
{
    message_nodes_free(nodes);
}

static struct two two_nodes(const char *zero, const char *one)
{
    static const uint8_t radix[] = {2};
    struct two two = {.nodes = message_nodes_create(&(struct message_options){
                          .radix = radix, .digits = 1, .program_payload_bytes = 4})};
    const char *const line[] = {zero, one};

    assert_non_null(two.nodes);
    hand_over(two.nodes, free_nodes);
    for (uint32_t node = 0; node < 2; node++)
        assert_int_equal(message_type(two.nodes, node, line[node])[0], '+');
    return two;
}

static void edge(struct two *two, bool sync)
{
    for (uint32_t node = 0; node < 2; node++)
        message_program_edge(two->nodes, node, two->edges, sync);
    two->edges++;
}

/* Whether a node sends in this phase; the frame is handed over. */
static bool crosses(struct two *two, uint32_t from)
{
    const uint8_t *payload;
    return message_program_hand_over(two->nodes, (struct message_end){from, 0},
                                     (struct message_end){1 - from, 0}, &payload);
}

/* A whole superframe: the nodes that sent, bit 0 for node 0. */
static unsigned superframe(struct two *two)
{
    edge(two, true);
    const bool zero = crosses(two, 0);
    edge(two, false);
    return zero | (unsigned)crosses(two, 1) << 1;
}

#define BARRIER "P barrier 3 09000000" /* three superframes, and the node never arrives */

TEST(a_program_waits_runs_and_is_done)
{
    struct two two = two_nodes("P allreduce 0 05000000", "P allreduce 0 FEFFFFFF");

    assert_string_equal(message_type(two.nodes, 0, "R"), "+R state=waits superframe=0 phase=0");
    edge(&two, false); /* the phase is unknown yet */
    assert_false(crosses(&two, 0));
    assert_string_equal(message_type(two.nodes, 0, "R"), "+R state=waits superframe=0 phase=0");
    edge(&two, true);
    assert_true(crosses(&two, 0));
    assert_string_equal(message_type(two.nodes, 1, "R"), "+R state=runs superframe=0 phase=0");
    edge(&two, false);
    assert_true(crosses(&two, 1));
    for (uint32_t node = 0; node < 2; node++)
        assert_string_equal(message_type(two.nodes, node, "R"),
                            "+R state=done superframe=1 phase=1 result=03000000");
    assert_int_equal(superframe(&two), 0); /* silent, and the result stays */
    assert_string_equal(message_type(two.nodes, 0, "R"),
                        "+R state=done superframe=1 phase=1 result=03000000");
    assert_string_equal(message_type(two.nodes, 0, "P sort 0 00000001"), "+P 1");
    assert_string_equal(message_type(two.nodes, 0, "R"), "+R state=waits superframe=0 phase=0");
    assert_string_equal(message_type(two.nodes, 0, "P"), "+P");
    assert_string_equal(message_type(two.nodes, 0, "R"), "+R state=none");
}

TEST(a_missing_frame_ends_it)
{
    struct two two = two_nodes(BARRIER, BARRIER);

    assert_int_equal(superframe(&two), 3);
    edge(&two, true); /* the frame of node 0 is kept back */
    edge(&two, false);
    assert_string_equal(message_type(two.nodes, 1, "R"), "+R state=stopped superframe=1 phase=0");
    assert_false(crosses(&two, 1));
    edge(&two, true); /* so node 0 got none in phase 1 */
    assert_string_equal(message_type(two.nodes, 0, "R"), "+R state=stopped superframe=1 phase=1");
    assert_false(crosses(&two, 0));
    edge(&two, false);
    assert_int_equal(superframe(&two), 0);
    assert_string_equal(message_type(two.nodes, 1, "R"), "+R state=stopped superframe=1 phase=0");
}

TEST(a_frame_of_a_node_that_has_to_be_silent_ends_it)
{
    struct two two = two_nodes(BARRIER, "P broadcast 1 01000000");

    edge(&two, true);
    assert_true(crosses(&two, 0));
    assert_string_equal(message_type(two.nodes, 1, "R"), "+R state=stopped superframe=0 phase=0");
    edge(&two, false);
    assert_false(crosses(&two, 1));
}

/* What comes while nothing is taken is lost, and counted. */
TEST(what_is_not_taken_is_a_drop)
{
    struct two two = two_nodes(BARRIER, "P broadcast 1 01000000");

    edge(&two, true);
    assert_true(crosses(&two, 0)); /* the other node had to be silent */
    assert_non_null(strstr(message_type(two.nodes, 1, "T"), " delivered=0 "));
    assert_non_null(strstr(message_type(two.nodes, 1, "T"), " queue_drops=1 "));
    edge(&two, false);
    edge(&two, true);
    assert_false(crosses(&two, 0)); /* it stopped, too */
}

TEST(a_phase_that_is_not_due_ends_it)
{
    static const struct {
        bool sync[2]; /* of the edges after the first superframe */
        const char *answer;
    } cases[] = {{{false, false}, "+R state=stopped superframe=1 phase=0"},
                 {{true, true}, "+R state=stopped superframe=1 phase=1"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct two two = two_nodes(BARRIER, BARRIER);
        assert_int_equal(superframe(&two), 3);
        edge(&two, cases[i].sync[0]);
        crosses(&two, 0);
        edge(&two, cases[i].sync[1]);
        assert_false(crosses(&two, 0) || crosses(&two, 1));
        assert_string_equal(message_type(two.nodes, 1, "R"), cases[i].answer);
        assert_int_equal(superframe(&two), 0);
    }
}

TEST(lines_that_are_no_program_are_refused)
{
    static const struct {
        const char *line, *answer;
    } cases[] = {{"P nosuch 0 00000000", "-unknown"},  {"P sor 0 00000000", "-unknown"},
                 {"P sorted 0 00000000", "-unknown"},  {"P sort", "-syntax"},
                 {"P sort x 00000000", "-syntax"},     {"P sort 1 00000000", "-range"},
                 {"P sort 10000 00000000", "-range"},  {"P allreduce 3 00000000", "-range"},
                 {"P barrier 0 00000000", "-range"},   {"P broadcast 2 00000000", "-range"},
                 {"P transpose 0 00000000", "-range"}, {"P life 1 01", "-range"},
                 {"P sort 0 000000", "-length"},       {"P sort 0", "-length"},
                 {"P sort 0 0000000000", "-length"},   {"P sort 0 0000000", "-syntax"},
                 {"P sort 0 0000000g", "-syntax"},     {"P sort 0 00000000 0", "-syntax"},
                 {"P fft 0 00000000", "-length"},      {"R 1", "-syntax"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct two two = two_nodes(BARRIER, BARRIER);
        assert_string_equal(message_type(two.nodes, 0, cases[i].line), cases[i].answer);
        assert_int_equal(superframe(&two), 3); /* it had no effect */
    }
}

TEST(an_address_does_not_change_under_a_program)
{
    struct two two = two_nodes(BARRIER, BARRIER);

    assert_string_equal(message_type(two.nodes, 0, "A 1"), "-busy");
    assert_string_equal(message_type(two.nodes, 0, "P"), "+P");
    assert_string_equal(message_type(two.nodes, 0, "A 1"), "+A 1");
}
