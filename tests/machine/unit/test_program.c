/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The player of programs against a second one, which goes phase by phase and hands each frame over at once; a
 * program that breaks the schedule; refusals; and the programs that combine values, on cubes and other
 * networks, against loops over all values.
 *
 * evidence: programs of all nodes: sort, scan, Fourier transform, cell automata, exchanges
 *   checked against plain computations, on all inputs of small cubes and at random beyond, and by a second
 *   player; in the firmware of all nodes by test_firmware_program
 *   also: test_program_cube
 */
#include "tests/machine/unit/program_fixture.h"

static const char *const networks[] = {
    "cube:1",           "cube:2",        "cube:4",          "cube:6",
    "generalised:3",    "generalised:5", "generalised:2,3", "generalised:3,4,2",
    "generalised:4,4,3"};

static struct pb_network network_of(const char *text)
{
    struct pb_network network;
    assert_int_equal(pb_network_parse(&network, text, NULL), 0);
    return network;
}

static bool suits(const struct pb_program *program, const struct pb_network *network, uint32_t argument)
{
    return argument <= program->argument_most &&
           (!program->suits || program->suits(network, argument, NULL) == PB_OK);
}

/* ---- player and schedule */

TEST(player_agrees_with_one_that_goes_phase_by_phase)
{
    unsigned pairs = 0;
    for (size_t i = 0; pb_program_at(i); i++)
        for (size_t j = 0; j < COUNT(networks); j++)
            for (uint32_t argument = 0; argument < 5; argument++) {
                const struct pb_program *program = pb_program_at(i);
                const struct pb_network network = network_of(networks[j]);
                if (!suits(program, &network, argument))
                    continue;
                const size_t held = handed_over();
                const uint8_t *inputs = random_inputs(program, &network, 7 + argument);
                const struct naive naive = naive_play(program, &network, argument, inputs);
                struct pb_program_play *play = begun(program, &network, argument, inputs);
                struct frame_log log = {new_frames(&network, pb_program_play_superframes(play)),
                                        program->payload_bytes};
                while (pb_program_play_step(play, log_frame, &log))
                    ;
                const size_t size =
                    (size_t)pb_program_play_superframes(play) * network.phases * network.nodes;
                assert_false(naive.depends);
                assert_int_equal(log.frames.count, naive.frames.count);
                assert_memory_equal(log.frames.bytes, naive.frames.bytes, size * FRAME_SIZE);
                const size_t bytes = pb_program_result_bytes(program, &network);
                for (uint32_t node = 0; node < network.nodes; node++)
                    assert_memory_equal(pb_program_play_result(play, node), naive.results + node * bytes,
                                        bytes);
                pb_program_play_free(play);
                release_back_to(held);
                pairs++;
            }
    assert_true(pairs > 100);
}

/* allreduce that sends what it has, in place of what it had before the wire. */
struct hasty {
    uint8_t *result;
    uint32_t now;
};
static void hasty_begin(void *context, const struct pb_program_place *place, const uint8_t *input,
                        size_t length)
{
    assert_int_equal(length, 4);
    *(struct hasty *)context = (struct hasty){place->result, word_at(input)};
}
static bool hasty_emit(void *context, uint32_t superframe, unsigned port, uint8_t *payload)
{
    (void)superframe, (void)port;
    set_word(payload, ((struct hasty *)context)->now);
    return true;
}
static void hasty_take(void *context, uint32_t superframe, unsigned port, const uint8_t *payload)
{
    (void)superframe, (void)port;
    ((struct hasty *)context)->now += word_at(payload);
}
static void hasty_end(void *context, uint32_t superframe)
{
    (void)superframe;
    set_word(((struct hasty *)context)->result, ((struct hasty *)context)->now);
}
static uint32_t three(const struct pb_network *network, uint32_t argument)
{
    (void)network, (void)argument;
    return 3;
}
static const struct pb_program hasty = {.name = "hasty",
                                        .state_bytes = sizeof(struct hasty),
                                        .payload_bytes = 4,
                                        .rooms = 1,
                                        .input_bytes = 4,
                                        .result_bytes = 4,
                                        .superframes = three,
                                        .begin = hasty_begin,
                                        .emit = hasty_emit,
                                        .take = hasty_take,
                                        .end = hasty_end};

TEST(program_that_depends_within_a_wire_is_detected)
{
    const uint8_t inputs[8] = {1, 0, 0, 0, 2};
    assert_true(naive_play(&hasty, CUBE(1), 0, inputs).depends);
}

/* Under the player it cannot depend: 1 and 2 become 3 and 3, then 6 and 6, then 12 and 12. */
TEST(player_hands_over_no_frame_before_both_are_sent)
{
    const uint8_t inputs[8] = {1, 0, 0, 0, 2};
    struct pb_program_play *play = played(&hasty, CUBE(1), 0, inputs);
    assert_int_equal(result_word(play, 0), 12);
    assert_int_equal(result_word(play, 1), 12);
    assert_int_equal(((const struct hasty *)pb_program_play_state(play, 1))->now, 12);
    assert_int_equal(pb_program_play_superframe(play), 3);
    assert_false(pb_program_play_step(play, NULL, NULL));
    assert_int_equal(pb_program_play_superframe(play), 3);
    pb_program_play_free(play);
}

static void count_frame(void *context, const struct pb_program_frame *frame)
{
    (void)frame;
    ++*(size_t *)context;
}

static size_t frames_of(const char *name, const struct pb_network *network, uint32_t argument)
{
    const struct pb_program *program = pb_program_find(name);
    struct pb_program_play *play = begun(program, network, argument, random_inputs(program, network, 3));
    size_t count = 0;
    while (pb_program_play_step(play, count_frame, &count))
        ;
    pb_program_play_free(play);
    return count;
}

TEST(each_program_sends_its_proven_number_of_frames)
{
    for (unsigned n = 2; n <= 8; n += 2) {
        const size_t nodes = (size_t)1 << n;
        assert_int_equal(frames_of("broadcast", CUBE(n), 1), nodes - 1);
        assert_int_equal(frames_of("allreduce", CUBE(n), 0), nodes * n);
        assert_int_equal(frames_of("scan", CUBE(n), 0), nodes * n);
        assert_int_equal(frames_of("barrier", CUBE(n), 2), 2 * nodes * n);
        assert_int_equal(frames_of("sort", CUBE(n), 0), nodes * n * (n + 1) / 2);
        assert_int_equal(frames_of("fft", CUBE(n), 0), nodes * n);
        assert_int_equal(frames_of("life", CUBE(n), 3), 3 * nodes * (n == 2 ? 2 : 4));
        assert_int_equal(frames_of("filter", CUBE(n), 0), nodes * (n == 2 ? 2 : 4));
        assert_int_equal(frames_of("transpose", CUBE(n), 0), nodes * n / 2);
        assert_int_equal(frames_of("transpose", CUBE(n), 1), nodes * n / 2);
        assert_int_equal(frames_of("exchange", CUBE(n), 0), nodes * nodes * n / 2);
        assert_int_equal(frames_of("exchange", CUBE(n), 1), nodes * nodes * n / 2);
        assert_int_equal(frames_of("alltoall", CUBE(n), 0), nodes * nodes * n / 2);
        assert_int_equal(frames_of("alltoall", CUBE(n), 1), nodes * nodes * n / 2);
        assert_int_equal(frames_of("permute", CUBE(n), 0), nodes * n * (n + 3) / 2);
    }
}

TEST(superframes_are_the_proven_ones)
{
    static const struct {
        const char *name;
        uint32_t argument, superframes;
    } cases[] = {{"broadcast", 0, 1},   {"allreduce", 2, 1},   {"scan", 0, 1},        {"barrier", 9, 9},
                 {"sort", 0, 12},       {"fft", 0, 1},         {"life", 77, 77},      {"filter", 3, 1},
                 {"transpose", 0, 1},   {"transpose", 1, 6},   {"exchange", 0, 2048}, {"exchange", 1, 4095},
                 {"alltoall", 0, 2048}, {"alltoall", 1, 4095}, {"permute", 0, 13}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(pb_program_find(cases[i].name)->superframes(CUBE(12), cases[i].argument),
                         cases[i].superframes);
}

/* ---- refusals */

static void refuses(const struct pb_program *program, const char *network, uint32_t argument, long more,
                    const char *words)
{
    const struct pb_network on = network_of(network);
    const long length = (long)(pb_program_input_bytes(program, &on) * on.nodes) + more;
    uint8_t *inputs = hand_over(calloc((size_t)length + 1, 1), free);
    struct pb_program_play *play = (void *)inputs;
    struct pb_diag diag = {""};
    assert_int_equal(pb_program_play_create(&play, program, &on, argument, inputs, (size_t)length, &diag),
                     PB_ERR_ARGUMENT);
    assert_null(play);
    if (!strstr(diag.text, words))
        fail_msg("'%s' lacks '%s'", diag.text, words);
}

TEST(refusals_name_value_and_limit)
{
    struct pb_program large = hasty;
    large.state_bytes = PB_PROGRAM_STATE_MAX + 1;
    refuses(&large, "cube:1", 0, 0, "'hasty' needs 257 bytes of state, a node has 256");
    large = hasty;
    large.payload_bytes = PB_PROGRAM_PAYLOAD_MAX + 1;
    refuses(&large, "cube:1", 0, 0, "needs 9 bytes of payload, a node has 8");
    large = hasty;
    large.rooms = PB_PROGRAM_ROOMS_MAX + 1;
    refuses(&large, "cube:1", 0, 0, "needs 5 rooms, a node has 4");
    refuses(pb_program_find("scan"), "cube:3", 0, 1, "'scan' has 33 bytes; 8 nodes take 32");
    refuses(pb_program_find("scan"), "cube:3", 0, -4, "has 28 bytes; 8 nodes take 32");
    refuses(pb_program_find("scan"), "cube:3", 1, 0, "argument of program 'scan' is 1; give 0..0");
    refuses(pb_program_find("allreduce"), "cube:3", 3, 0, "is 3; give 0..2: 0 sum, 1 minimum, 2 maximum");
    refuses(pb_program_find("broadcast"), "generalised:3,2", 6, 0, "'broadcast' is 6; give a node 0..5");
    refuses(pb_program_find("barrier"), "cube:3", 0, 0, "takes 1..65535 superframes, got 0");
    refuses(pb_program_find("sort"), "generalised:4,4,3", 0, 0,
            "'sort' runs on a binary cube of 1..16 dimensions, and the network is radix 4,4,3");
    refuses(pb_program_find("fft"), "cube:16", 0, 0, "of 1..15 dimensions, and the network is a cube of 16");
    refuses(pb_program_find("life"), "cube:5", 1, 0, "an even number of 2..16 dimensions");
    refuses(pb_program_find("filter"), "cube:3", 0, 0, "'filter' runs on a binary cube of an even number");
    refuses(pb_program_find("transpose"), "generalised:4,4", 0, 0, "'transpose' runs on a binary cube");
    refuses(pb_program_find("exchange"), "cube:13", 0, 0, "of 1..12 dimensions");
    refuses(pb_program_find("alltoall"), "cube:13", 0, 0,
            "'alltoall' runs on a binary cube of 1..12 dimensions");
    refuses(pb_program_find("permute"), "cube:16", 0, 0,
            "'permute' runs on a binary cube of 1..15 dimensions");
    refuses(pb_program_find("alltoall"), "cube:3", 2, 0, "is 2; give 0..1: 0 rounds k and NOT k");
}

TEST(unknown_names_and_indices_are_no_program)
{
    assert_null(pb_program_find("sorts"));
    assert_null(pb_program_find(""));
    assert_null(pb_program_at(12));
    for (size_t i = 0; pb_program_at(i); i++) {
        assert_ptr_equal(pb_program_find(pb_program_at(i)->name), pb_program_at(i));
        assert_true(pb_program_at(i)->state_bytes <= PB_PROGRAM_STATE_MAX);
    }
    pb_program_play_free(NULL);
}

/* ---- programs that combine values */

/* Each input of the nodes in turn: `values` values a node, as the digits of a number. */
static void set_inputs(uint8_t *inputs, uint32_t nodes, uint32_t values, uint32_t number)
{
    for (uint32_t node = 0; node < nodes; node++, number /= values)
        set_word(inputs + 4 * node, number % values);
}

static void check_combined(const struct pb_network *network, const uint8_t *inputs)
{
    uint32_t sum = 0, least = UINT32_MAX, most = 0;
    for (uint32_t node = 0; node < network->nodes; node++) {
        const uint32_t value = word_at(inputs + 4 * node);
        sum += value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    const uint32_t wanted[] = {sum, least, most};
    for (uint32_t kind = 0; kind < 3; kind++) {
        struct pb_program_play *play = played(pb_program_find("allreduce"), network, kind, inputs);
        for (uint32_t node = 0; node < network->nodes; node++)
            assert_int_equal(result_word(play, node), wanted[kind]);
        pb_program_play_free(play);
    }
    struct pb_program_play *play = played(pb_program_find("scan"), network, 0, inputs);
    for (uint32_t node = 0, before = 0; node < network->nodes; node++) {
        assert_int_equal(result_word(play, node), before);
        before += word_at(inputs + 4 * node);
    }
    pb_program_play_free(play);
    for (uint32_t root = 0; root < network->nodes; root += 1 + network->nodes / 16) {
        play = played(pb_program_find("broadcast"), network, root, inputs);
        for (uint32_t node = 0; node < network->nodes; node++)
            assert_int_equal(result_word(play, node), word_at(inputs + 4 * root));
        pb_program_play_free(play);
    }
}

TEST(combining_programs_are_right_on_all_inputs_of_small_cubes)
{
    uint8_t inputs[32];
    for (uint32_t number = 0; number < 256; number++) {
        set_inputs(inputs, 4, 4, number);
        check_combined(CUBE(2), inputs);
    }
    for (uint32_t number = 0; number < 6561; number++) {
        set_inputs(inputs, 8, 3, number);
        check_combined(CUBE(3), inputs);
    }
    for (uint32_t number = 0; number < 729; number++) {
        set_inputs(inputs, 6, 3, number);
        const struct pb_network mixed = network_of("generalised:3,2");
        check_combined(&mixed, inputs);
    }
}

TEST(combining_programs_are_right_at_random_on_all_families)
{
    for (size_t j = 0; j < COUNT(networks); j++)
        for (uint32_t seed = 1; seed <= 20; seed++) {
            const struct pb_network network = network_of(networks[j]);
            check_combined(&network, random_inputs(pb_program_find("scan"), &network, seed));
        }
    check_combined(CUBE(12), random_inputs(pb_program_find("scan"), CUBE(12), 1));
}

static void check_barrier(const struct pb_network *network, const uint8_t *inputs, uint32_t superframes)
{
    struct pb_program_play *play = begun(pb_program_find("barrier"), network, superframes, inputs);
    uint32_t last = 0, done = 0;
    for (uint32_t node = 0; node < network->nodes; node++)
        last = word_at(inputs + 4 * node) > last ? word_at(inputs + 4 * node) : last;
    while (pb_program_play_step(play, NULL, NULL)) {
        done++;
        for (uint32_t node = 0; node < network->nodes; node++)
            assert_int_equal(result_word(play, node), done > last ? last + 1 : 0);
    }
    assert_int_equal(done, superframes);
    pb_program_play_free(play);
}

/* What `budget --program` says, against the page. */
TEST(needs_of_the_firmware_are_those_of_the_page)
{
    static const char *const row[] = {"| AG32VF303 |", "| RP2040 |"};
    static const char *const port[] = {"ag32", "rp2040"};
    char *const page = file_read("docs/use/programs.md", NULL);
    const char *names = strstr(page, "\n| us | `");
    assert_non_null(names);
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *name = names, *cell = strstr(names, row[i]) + strlen(row[i]);
        for (unsigned column = 0; column < 10; column++, cell = strchr(cell + 1, '|')) {
            char text[24] = "";
            struct pb_program_need need;
            unsigned us;
            name = strchr(name, '`') + 1;
            assert_int_equal(sscanf(name, "%23[a-z]", text), 1);
            name += strlen(text) + 1;
            cell += *cell == '|';
            assert_int_equal(sscanf(cell, " %u", &us), 1);
            assert_true(pb_program_need(pb_program_find(text), i, &need));
            assert_string_equal(need.port, port[i]);
            assert_int_equal(need.us, us);
            assert_int_equal(need.or_less, strncmp(cell, " 10 or less ", 12) == 0);
            assert_false(pb_program_need(pb_program_find(text), COUNT(row), &need));
        }
    }
}

TEST(barrier_releases_all_nodes_in_the_superframe_of_the_last_arrival)
{
    uint8_t inputs[4 * 4096];
    for (uint32_t number = 0; number < 6561; number++) {
        set_inputs(inputs, 8, 3, number);
        check_barrier(CUBE(3), inputs, 2); /* some never */
    }
    for (uint32_t number = 0; number < 4096; number++) {
        const struct pb_network mixed = network_of("generalised:2,3");
        set_inputs(inputs, 6, 4, number);
        check_barrier(&mixed, inputs, 4);
    }
    for (uint32_t late = 0; late < 4096; late += 331) {
        memset(inputs, 0, sizeof inputs);
        set_word(inputs + 4 * late, 1);
        check_barrier(CUBE(12), inputs, 3);
    }
}
