/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines at pins: what native nodes, nodes of other code, and firmware images put on the wires of a
 * machine is what the mover moves. Linked with --wrap=pb_node_native_create, which puts contract nodes in
 * place of native ones: another implementation of docs/node.md, with one defect or none.
 *
 * evidence: a machine of nodes at their pins
 *   simulated bit by bit: each crossing, drop and latency as of the mover, with clocks that err, latencies
 *   and jitter, for the firmware core, the contract node and both images; each of 15 defects is found
 *   also: test_machine_engines
 */
#include "tests/bench/unit/naive_movement.h"
#include "tests/bench/unit/noise.h"
#include "tests/machine/unit/machine_fixture.h"

#include "bench/nodes/node.h"
#include "host/machine/engine.h"
#include "host/machine/pins/pins.h"

#include <string.h>

/* ---- contract nodes in place of native ones */

static struct {
    bool on, reference;
    uint32_t address; /* of the one with the defect */
    struct pb_contract_setting setting;
} contract;

struct pb_node *__real_pb_node_native_create(const struct pb_node_config *config);
struct pb_node *__wrap_pb_node_native_create(const struct pb_node_config *config);
struct pb_node *__wrap_pb_node_native_create(const struct pb_node_config *config)
{
    if (contract.reference)
        return pb_node_ref_create(config);
    if (!contract.on)
        return __real_pb_node_native_create(config);
    return pb_node_contract_create(config, config->address == contract.address ? &contract.setting : NULL);
}

/* ---- runs on the same stimulus */

static void assert_same_result(const struct pb_machine_result *slot, const struct pb_machine_result *pins)
{
    assert_int_equal(pins->offered, slot->offered);
    assert_int_equal(pins->completed, slot->completed);
    assert_int_equal(pins->dropped, slot->dropped);
    assert_int_equal(pins->crossings, slot->crossings);
    assert_int_equal(pins->max_occupancy, slot->max_occupancy);
    assert_int_equal(pins->max_queue, slot->max_queue);
    assert_int_equal(pins->last_crossing, slot->last_crossing);
    assert_true(pins->latency.mean == slot->latency.mean);
    assert_true(pins->occupancy.mean == slot->occupancy.mean);
}

/* All engines, compared crossing by crossing, and that at the pins alone. */
static const struct pb_machine_result *assert_agree(const struct pb_network *network, struct machine_run run)
{
    run.run.engine = PB_ENGINE_ALL;
    const struct pb_machine_result *all = ran(network, &run);
    assert_false(all->difference.found);
    assert_true(all->compared > 0);
    run.run.engine = run.run.images ? PB_ENGINE_IMAGE : PB_ENGINE_WIRE;
    const struct pb_machine_result *alone = ran(network, &run);
    assert_same_result(all, alone);
    for (size_t i = 0; i < (size_t)network->nodes * network->ports; i++)
        assert_true(alone->link[i] == all->link[i]);
    return alone;
}

/* A frame of 9 bytes at 1 Mbaud has 5 us behind it; 1000 ppm are 0.1 us. */
static struct pb_machine_line line_of(uint64_t *random)
{
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    line.clock_ppm = below_of(random, 10000);
    line.irq_latency_ps = below_of(random, 3000000);
    line.irq_jitter_ps = below_of(random, 1500000);
    line.payload_bytes = 4 + below_of(random, 3);
    line.seed = below_of(random, 1000);
    return line;
}

TEST(each_crossing_at_the_pins_is_that_of_the_mover)
{
    uint64_t random = 5;
    for (unsigned dims = 1; dims <= 6; dims++)
        for (enum pb_rule rule = 0; rule < PB_RULES; rule++) {
            const struct pb_network network = pb_network_cube(dims);
            const struct pb_machine_line line = line_of(&random);
            assert_true(
                assert_agree(&network,
                             (struct machine_run){
                                 .traffic = {.pattern = "uniform",
                                             .load = dims == 1 ? 0.9 : 1.5,
                                             .any_phase = dims % 2,
                                             .seed = dims},
                                 .run = {.rule = rule, .superframes = 12, .warm_up = 2, .line = &line}})
                    ->completed > 0);
        }
}

TEST(networks_of_other_radices_at_the_pins_move_as_the_mover)
{
    uint64_t random = 17;
    for (unsigned run = 0; run < 2 * SMALL_COMPLETE; run++) {
        const struct defined defined = small(run % SMALL_COMPLETE);
        const struct pb_network network = built(&defined);
        const struct pb_machine_line line = line_of(&random);
        struct pb_traffic traffic = random_traffic(&defined, run % 3 == 0, &random);
        assert_agree(&network, (struct machine_run){.traffic = {.trace = &traffic},
                                                    .run = {.rule = (enum pb_rule)(run / SMALL_COMPLETE % 2),
                                                            .superframes = 1000,
                                                            .line = &line}});
        pb_traffic_free(&traffic);
    }
}

TEST(full_nodes_answers_and_second_legs_at_the_pins)
{
    const struct pb_network network = pb_network_cube(3);
    assert_true(assert_agree(&network, (struct machine_run){.traffic = {.pattern = "hotspot:3", .batch = 60},
                                                            .run = {.superframes = 10000}})
                    ->dropped > 0);
    assert_agree(&network, (struct machine_run){.traffic = {.pattern = "uniform", .window = 3, .seed = 1},
                                                .run = {.superframes = 20}});
    assert_agree(&network,
                 (struct machine_run){
                     .traffic = {.pattern = "bitrev", .batch = 2, .valiant = PB_VALIANT_BARRIER, .seed = 1},
                     .run = {.superframes = 1000}});
}

/* A head guard of 9.95 us leaves 50 ns behind a frame of 90 us, less than a native node may be late. Nodes of
 * different pairs are then in one order of time. */
TEST(frames_that_end_near_the_edge_are_in_one_order_of_time)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    assert_true(pb_pins_in_pairs(&line));
    line.head_guard_ps = 9950000;
    assert_false(pb_pins_in_pairs(&line));
    assert_agree(&network, (struct machine_run){.traffic = {.pattern = "uniform", .load = 1.5, .seed = 1},
                                                .run = {.superframes = 12, .warm_up = 2, .line = &line}});
}

TEST(nodes_of_other_code_move_what_the_mover_does)
{
    const struct pb_network network = pb_network_cube(4);
    const struct pb_machine_line line = {.phase_rate_mhz = 10000000,
                                         .baud_hz = 1000000,
                                         .console_baud_hz = 1000000,
                                         .head_guard_ps = 5000000,
                                         .payload_bytes = 6,
                                         .clock_ppm = 100,
                                         .irq_latency_ps = 1000000,
                                         .irq_jitter_ps = 500000,
                                         .seed = 3};
    contract.on = true;
    contract.setting = (struct pb_contract_setting){.defect = PB_CONTRACT_SOUND};
    assert_agree(&network, (struct machine_run){.traffic = {.pattern = "uniform", .load = 1, .seed = 1},
                                                .run = {.superframes = 12, .warm_up = 2, .line = &line}});
    contract.on = false;
}

TEST(firmware_images_move_what_the_mover_does)
{
    static const char *const both[] = {"build/ag32/node.elf", "build/rp2040/node.elf"};
    const struct pb_network network = pb_network_cube(4);
    for (enum pb_rule rule = 0; rule < PB_RULES; rule++)
        assert_agree(
            &network,
            (struct machine_run){
                .traffic = {.pattern = "uniform", .load = 1.2, .seed = 2},
                .run = {.rule = rule, .superframes = 6, .warm_up = 0, .image = both, .images = COUNT(both)}});
}

/* ---- whole bytes in place of bits */

enum { BITS, WHOLE, CUBE_NODES = 8, PLAYED_PHASES = 6 * 12 };

/* Of an answer to T: without the counters that depend on how long the clock waits. */
static void take_out_waits(char *answer)
{
    static const char *const waits[] = {" missed_edges=", " extra_edges="};
    for (size_t i = 0; i < COUNT(waits); i++) {
        char *const at = strstr(answer, waits[i]);
        assert_non_null(at);
        const size_t length = 1 + strcspn(at + 1, " ");
        memmove(at, at + length, strlen(at + length) + 1);
    }
}

static int type_both(struct pb_pins *const pins[2], uint32_t node, const char *line)
{
    char answer[2][PB_PINS_LINE_MAX];
    struct pb_diag diag[2];
    int code[2];
    for (unsigned k = BITS; k <= WHOLE; k++) {
        code[k] = pb_pins_type(pins[k], node, line, answer[k], &diag[k]);
        if (code[k] == PB_OK && *line == 'T')
            take_out_waits(answer[k]);
    }
    assert_int_equal(code[WHOLE], code[BITS]);
    assert_string_equal(code[BITS] ? diag[WHOLE].text : answer[WHOLE],
                        code[BITS] ? diag[BITS].text : answer[BITS]);
    return code[BITS];
}

/* Two machines of the same nodes, with the same lines: sends, refusals, modes, resets of counters. Returns
 * the number of broken frames, or ends at an error, which both have. */
static unsigned play_both(const struct pb_machine_line *line, enum pb_rule rule, const char *const *image,
                          unsigned images, uint64_t *random)
{
    static const char *const lines[] = {"M 0", "M 1", "M 2", "Z", "I", "Q", "S", "S 9 00"};
    const struct pb_network network = pb_network_cube(3);
    struct pb_pins *pins[2];
    struct pb_pins_frame frame[2][CUBE_NODES] = {{{0}}};
    struct pb_diag diag[2];
    unsigned broken = 0;
    int code = PB_OK;
    char text[80];

    for (unsigned k = BITS; k <= WHOLE; k++)
        assert_int_equal(pb_pins_create(&pins[k],
                                        &(struct pb_pins_options){.network = &network,
                                                                  .rule = rule,
                                                                  .line = line,
                                                                  .bit_by_bit = k == BITS,
                                                                  .image = image,
                                                                  .images = images},
                                        &diag[k]),
                         PB_OK);
    for (unsigned phase = 0; phase < PLAYED_PHASES && code == PB_OK; phase++) {
        for (unsigned i = below_of(random, 6); i > 0 && code == PB_OK; i--) {
            snprintf(text, sizeof text, "S %u %08X", below_of(random, CUBE_NODES), below_of(random, 1 << 30));
            code = type_both(pins, below_of(random, CUBE_NODES), text);
        }
        if (below_of(random, 4) == 0 && code == PB_OK)
            code = type_both(pins, below_of(random, CUBE_NODES), lines[below_of(random, COUNT(lines))]);
        if (code)
            break;
        code = pb_pins_phase(pins[BITS], phase % network.phases, frame[BITS], &diag[BITS]);
        assert_int_equal(pb_pins_phase(pins[WHOLE], phase % network.phases, frame[WHOLE], &diag[WHOLE]),
                         code);
        if (code)
            assert_string_equal(diag[WHOLE].text, diag[BITS].text);
        for (unsigned node = 0; node < CUBE_NODES && code == PB_OK; node++) {
            broken += frame[BITS][node].broken;
            assert_int_equal(frame[WHOLE][node].length, frame[BITS][node].length);
            assert_int_equal(frame[WHOLE][node].broken, frame[BITS][node].broken);
            assert_memory_equal(frame[WHOLE][node].bytes, frame[BITS][node].bytes, frame[BITS][node].length);
        }
    }
    for (unsigned node = 0; node < CUBE_NODES && code == PB_OK; node++)
        code = type_both(pins, node, "T");
    for (unsigned k = BITS; k <= WHOLE; k++)
        pb_pins_free(pins[k]);
    return broken + (code != PB_OK);
}

TEST(whole_bytes_are_those_that_bits_give)
{
    uint64_t random = 23;
    for (unsigned run = 0; run < 20; run++) {
        struct pb_machine_line line = line_of(&random);
        line.clock_ppm = run % 2 ? 9999 : below_of(&random, 9999);
        line.irq_latency_ps /= 2;
        assert_true(pb_pins_in_pairs(&line));
        assert_int_equal(play_both(&line, run % 2 ? PB_RULE_OPPORTUNISTIC : PB_RULE_ECUBE, NULL, 0, &random),
                         0);
    }
}

/* The sender alone, then the receiver, in place of both in one order of time: with clocks of no error, of
 * some and of so much that stop bits are missed, and frames that end close to the edge or after it. */
TEST(images_one_after_the_other_do_what_they_do_together)
{
    static const char *const both[] = {"build/ag32/node.elf", "build/rp2040/node.elf"};
    uint64_t random = 29;
    unsigned bad = 0;
    for (unsigned run = 0; run < 12; run++) {
        struct pb_machine_line line = line_of(&random);
        line.clock_ppm = (const uint32_t[]){0, 9999, 40000}[run % 3];
        line.payload_bytes = 6;
        line.head_guard_ps += (run % 3 == 2) * below_of(&random, 7) * 1000000;
        const unsigned wrong = play_both(&line, run % 2 ? PB_RULE_OPPORTUNISTIC : PB_RULE_ECUBE,
                                         both + run / 3 % 2, 1 + (run / 3 % 4 == 2), &random);
        assert_true(run % 3 == 2 || wrong == 0);
        bad += wrong;
    }
    assert_true(bad > 0);
}

/* ---- what is wrong at the pins */

static int run_traffic(struct pb_machine_result *result, const struct pb_machine_line *line,
                       enum pb_machine_engine engine, const struct pb_machine_traffic_options *traffic,
                       struct pb_diag *diag)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_machine_options run = {.network = &network, .superframes = 30, .engine = engine, .line = line};
    assert_int_equal(pb_machine_traffic_create(&run.traffic, &network, traffic, diag), PB_OK);
    const int code = pb_machine_run(result, &run, diag);
    pb_machine_traffic_free(run.traffic);
    return code;
}

static int run_pins(struct pb_machine_result *result, const struct pb_machine_line *line,
                    enum pb_machine_engine engine, struct pb_diag *diag)
{
    return run_traffic(result, line, engine,
                       &(struct pb_machine_traffic_options){.pattern = "complement", .load = 1}, diag);
}

/* A stop bit is sampled 9.5 bits after the start edge: half a bit is 5.3 % of that. Two clocks that err by
 * 2 % each differ by 4 % at most, two of 4 % by up to 8 %. */
TEST(clocks_that_err_too_much_are_found)
{
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_result result;
    struct pb_diag diag;

    line.payload_bytes = 4; /* ends early enough for a clock that is slow */
    line.clock_ppm = 20000;
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_ALL, &diag), PB_OK);
    assert_false(result.difference.found);
    pb_machine_result_free(&result);
    line.clock_ppm = 40000;
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_WIRE, &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "lower latency and error of the clocks"));
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_ALL, &diag), PB_ERR_IO);
    line.baud_hz = 3000000; /* frames are then so short that they end before the next edge in any case */
    assert_true(pb_pins_in_pairs(&line));
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_WIRE, &diag), PB_ERR_IO);
}

/* At full load each node sends in each of its phases: a defect shows at once. */
TEST(a_node_with_a_defect_is_found)
{
    static const struct {
        enum pb_contract_defect defect;
        const char *text;
    } broken[] = {
        {PB_CONTRACT_FLIPPED_BIT, "9 bytes that are not it"},
        {PB_CONTRACT_SHORT_FRAME, "8 bytes that are not it"},
        {PB_CONTRACT_SILENT, "does not answer 'S A 00000005' within 60 ms"},
        {PB_CONTRACT_SECOND_LINK, "on which it does not send"},
        {PB_CONTRACT_LONG_FRAME, "in phase 2 node 0x5 pulls the wire of port 0, on which it does not send"},
        {PB_CONTRACT_FORWARDS_OWN, "node 0x5 has to send message"},
        {PB_CONTRACT_DEAF, "and sends nothing"},
        {PB_CONTRACT_DROPS_OWN, "its wires showed"},
        {PB_CONTRACT_PULLS_UNUSED, "on which it does not send"},
    };
    const struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_result result;
    struct pb_diag diag;

    contract.on = true;
    contract.address = 5;
    for (size_t i = 0; i < COUNT(broken); i++) {
        contract.setting = (struct pb_contract_setting){.defect = broken[i].defect};
        assert_int_equal(run_pins(&result, &line, PB_ENGINE_WIRE, &diag), PB_ERR_IO);
        if (!strstr(diag.text, broken[i].text))
            fail_msg("%s", diag.text);
    }
    contract.on = false;
}

/* What wires alone show: another order, another way, silence. */
TEST(a_node_that_sends_other_messages_than_the_contract_is_found)
{
    static const enum pb_contract_defect broken[] = {
        PB_CONTRACT_WRONG_ORDER, PB_CONTRACT_KEEPS_RULE, PB_CONTRACT_WRONG_DIMENSION,
        PB_CONTRACT_LAST_FIRST,  PB_CONTRACT_OWN_FIRST,  PB_CONTRACT_WAITS,
    };
    const struct pb_machine_traffic_options traffic = {.pattern = "uniform", .load = 1.4, .seed = 1};
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_result result;
    struct pb_diag diag;

    contract.on = true;
    contract.address = 5;
    for (size_t i = 0; i < COUNT(broken); i++) {
        contract.setting = (struct pb_contract_setting){.defect = broken[i]};
        if (run_traffic(&result, &line, PB_ENGINE_WIRE, &traffic, &diag) != PB_ERR_IO)
            fail_msg("defect %u is not found", (unsigned)broken[i]);
        if (!strstr(diag.text, "node 0x5 has to send "))
            fail_msg("%s", diag.text);
    }
    contract.on = false;
    /* A handler that runs after the next edge handles none of them. */
    line.irq_latency_ps = 150000000;
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_WIRE, &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text,
                           "superframe 0, phase 0: node 0x0 has to send message 0 to node 0x1, and "
                           "sends nothing"));
}

/* The image holds 40 messages, and takes the 33rd from its console. */
TEST(an_image_with_another_room_is_found)
{
    static const char *const image[] = {"build/ag32/node.elf"};
    const struct pb_network network = pb_network_cube(2);
    struct pb_machine_options run = {.network = &network,
                                     .superframes = 100,
                                     .engine = PB_ENGINE_IMAGE,
                                     .image = image,
                                     .images = 1,
                                     .room = 32};
    struct pb_machine_result result;
    struct pb_diag diag;
    assert_int_equal(pb_machine_traffic_create(
                         &run.traffic, &network,
                         &(struct pb_machine_traffic_options){.pattern = "hotspot:3", .batch = 60}, &diag),
                     PB_OK);
    assert_int_equal(pb_machine_run(&result, &run, &diag), PB_ERR_IO);
    if (!strstr(diag.text, "node 0x0 holds 32 messages, has room for 32, and answers '+S"))
        fail_msg("%s", diag.text);
    pb_machine_traffic_free(run.traffic);
}

/* The reference node has no counters, and refuses Z and T. */
TEST(a_node_without_counters_is_not_checked_for_them)
{
    const struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_result result;
    struct pb_diag diag = {""};

    contract.reference = true;
    const int code = run_pins(&result, &line, PB_ENGINE_WIRE, &diag);
    contract.reference = false;
    if (code)
        fail_msg("%s", diag.text);
    assert_true(result.completed > 0);
    pb_machine_result_free(&result);
}

static void assert_refused(struct pb_machine_line line, const char *text)
{
    struct pb_machine_result result;
    struct pb_diag diag;
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_WIRE, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(diag.text, text);
}

TEST(lines_that_no_frame_fits_are_refused)
{
    struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_result result;
    struct pb_diag diag;

    line.payload_bytes = 3;
    assert_refused(line,
                   "machine: engine wire: a payload of 3 bytes; it is 4 to 80, as it has the number of the "
                   "message");
    line = (struct pb_machine_line)PB_MACHINE_LINE_DEFAULT;
    line.baud_hz = 900000; /* 90 bits take 100 us */
    assert_refused(line,
                   "machine: engine wire: at 900000 baud a frame of 9 bytes takes 100.000 us, and a phase "
                   "has 95.000 us for it; raise the baud or lower the phase rate");
    line.baud_hz = 299;
    assert_refused(line, "machine: engine wire: baud is 299; it is 300 to 12000000");
    line = (struct pb_machine_line)PB_MACHINE_LINE_DEFAULT;
    line.clock_ppm = 100001;
    assert_refused(line, "machine: engine wire: error of the clocks in ppm is 100001; it is 0 to 100000");
    /* An image has a tail guard, too. */
    line = (struct pb_machine_line)PB_MACHINE_LINE_DEFAULT;
    line.baud_hz = 980000;
    assert_int_equal(pb_engine_check(PB_ENGINE_WIRE, &line, true, &diag), PB_OK);
    assert_int_equal(pb_engine_check(PB_ENGINE_IMAGE, &line, true, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(diag.text,
                        "machine: engine image: at 980000 baud a frame of 9 bytes takes 91.837 us, and a "
                        "phase has 90.000 us for it; raise the baud or lower the phase rate");
    assert_int_equal(run_pins(&result, &line, PB_ENGINE_IMAGE, &diag), PB_ERR_ARGUMENT);
    assert_string_equal(
        diag.text, "machine: engine image: no firmware image is given; name an ELF or UF2 file by --image");
}
