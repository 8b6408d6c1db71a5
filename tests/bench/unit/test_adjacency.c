/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boards with wiring faults drawn at random. The map must be the netlist of the board, which this file works
 * out on its own, a single fault must be named, and a correct board must have none. First with frames made
 * here, then on the simulated bench.
 *
 * evidence: identity and adjacency of nodes, and the machine of 16 nodes
 *   simulated: thousands of boards with one or two wiring faults are mapped, single faults are named, a
 *   correct board is not accused; 16 nodes run at full load as native firmware and as both images
 *   also: adjacency.sh
 */
#include "host/check/adjacency.h"
#include "tests/bench/unit/run_fixture.h"
#include "phasebench/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLE = 300, DOUBLE = 700, SIMULATED = 12 };

/* ---- the board, apart from the code under test */

struct board {
    struct pb_scenario *scenario;
    unsigned nodes, ports;
    unsigned net[16][12]; /* in the order of first appearance */
    unsigned nets;
};

static void number_nets(struct board *board)
{
    const struct pb_scenario *s = board->scenario;
    board->nodes = s->node_count;
    board->ports = s->network.ports;
    board->nets = 0;
    for (unsigned i = 0; i < board->nodes; i++)
        for (unsigned p = 0; p < board->ports; p++) {
            bool found = false;
            for (unsigned j = 0; j < i && !found; j++)
                for (unsigned q = 0; q < board->ports && !found; q++)
                    if (pb_network_neighbour(&s->network, s->node[i].address, p) == s->node[j].address &&
                        pb_network_neighbour(&s->network, s->node[j].address, q) == s->node[i].address) {
                        board->net[i][p] = board->net[j][q];
                        found = true;
                    }
            if (!found)
                board->net[i][p] = board->nets++;
        }
}

/* The pins of the core that go low when this port pulls. */
static uint64_t pins_of(const struct board *board, unsigned node, unsigned port)
{
    const struct pb_wiring *wiring = board->scenario->wiring;
    const struct pb_wire_end at = wiring->at[node][port];
    if (at.node < 0 || wiring->missing >> node & 1)
        return 0;
    uint64_t pins = UINT64_C(1) << ((unsigned)at.node * board->ports + at.port);
    for (unsigned round = 0; round <= wiring->shorts; round++)
        for (unsigned i = 0; i < wiring->shorts; i++) {
            const struct pb_wire_short *both = &wiring->shorted[i];
            const uint64_t left = UINT64_C(1) << ((unsigned)both->left.node * board->ports + both->left.port),
                           right =
                               UINT64_C(1) << ((unsigned)both->right.node * board->ports + both->right.port);
            if (pins & (left | right))
                pins |= left | right;
        }
    return pins;
}

static uint64_t nets_of(const struct board *board, unsigned node, unsigned port)
{
    uint64_t nets = 0;
    for (uint64_t pins = pins_of(board, node, port); pins; pins &= pins - 1) {
        const unsigned pin = (unsigned)__builtin_ctzll(pins);
        nets |= UINT64_C(1) << board->net[pin / board->ports][pin % board->ports];
    }
    return nets;
}

static bool is_right(const struct board *board)
{
    bool right = true;
    for (unsigned i = 0; i < board->nodes; i++)
        for (unsigned p = 0; p < board->ports; p++)
            right &= nets_of(board, i, p) == UINT64_C(1) << board->net[i][p];
    return right;
}

static void fresh(struct board *board)
{
    struct pb_wiring *wiring = board->scenario->wiring;
    memset(wiring, 0, sizeof *wiring);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned p = 0; p < 12; p++)
            wiring->at[i][p] = (struct pb_wire_end){(int8_t)i, (uint8_t)p};
}

static struct board *board_of(const char *network, unsigned nodes)
{
    char yaml[1200];
    int at =
        snprintf(yaml, sizeof yaml,
                 "network: %s\nlink: {phase_rate: 2 kHz, baud: 500 kbaud, guard: 50 us, payload: 3 bytes, "
                 "console_baud: 1 Mbaud}\ncapture: bytes\nwiring: [{kind: missing, node: 0}]\n"
                 "traffic: [{from: 0, to: 1}]\nnodes:\n",
                 network);
    for (unsigned i = 0; i < nodes; i++)
        at += snprintf(yaml + at, sizeof yaml - (size_t)at, "  - {address: %u}\n", i);
    static struct board board;
    board = (struct board){.scenario = parse_scenario(yaml)};
    number_nets(&board);
    fresh(&board);
    return &board;
}

/* ---- faults */

static unsigned below(uint64_t *random, unsigned limit)
{
    return (unsigned)(pb_splitmix64(random) % limit);
}

struct fault {
    enum pb_adjacency_kind kind;
    bool none;            /* it happens to change nothing */
    unsigned node, other; /* which the diagnostic has to name */
};

static void exchange(struct pb_wire_end *left, struct pb_wire_end *right)
{
    const struct pb_wire_end kept = *left;
    *left = *right;
    *right = kept;
}

static struct fault break_board(struct board *board, uint64_t *random)
{
    struct pb_wiring *wiring = board->scenario->wiring;
    const unsigned node = below(random, board->nodes), port = below(random, board->ports),
                   other = (node + 1 + below(random, board->nodes - 1)) % board->nodes,
                   other_port = (port + 1 + below(random, board->ports - 1)) % board->ports;
    const unsigned any_port = below(random, board->ports);
    struct fault fault = {.node = node, .other = node};
    switch (below(random, 7)) {
    case 0:
        fault.kind = PB_ADJACENCY_NODES;
        fault.other = other;
        for (unsigned p = 0; p < board->ports; p++)
            exchange(&wiring->at[node][p], &wiring->at[other][p]);
        break;
    case 1:
        fault.kind = PB_ADJACENCY_PORTS;
        exchange(&wiring->at[node][port], &wiring->at[node][other_port]);
        break;
    case 2:
        fault.kind = PB_ADJACENCY_CROSSED;
        fault.other = other;
        fault.none = board->net[node][port] == board->net[other][any_port];
        exchange(&wiring->at[node][port], &wiring->at[other][any_port]);
        break;
    case 3:
        fault.kind = PB_ADJACENCY_OPEN_PORT;
        wiring->at[node][port].node = -1;
        break;
    case 4:
        fault.kind = PB_ADJACENCY_OPEN_NET;
        for (unsigned i = 0; i < board->nodes; i++)
            for (unsigned p = 0; p < board->ports; p++)
                if (nets_of(board, i, p) >> board->net[node][port] & 1)
                    wiring->at[i][p].node = -1;
        break;
    case 5:
        fault.kind = PB_ADJACENCY_SHORTED;
        fault.none = board->net[node][port] == board->net[other][other_port];
        wiring->shorted[wiring->shorts++] =
            (struct pb_wire_short){{(int8_t)node, (uint8_t)port}, {(int8_t)other, (uint8_t)other_port}};
        fault.other = other;
        break;
    default:
        fault.kind = PB_ADJACENCY_NO_ANSWER;
        wiring->missing |= 1u << node;
        break;
    }
    return fault;
}

/* ---- frames made here */

static void add_sender(struct pb_sights *sights, const struct board *board, unsigned node)
{
    const struct pb_network *network = &board->scenario->network;
    const uint32_t address = board->scenario->node[node].address;
    for (unsigned port = 0; port < board->ports; port++)
        for (uint64_t pins = pins_of(board, node, port); pins; pins &= pins - 1) {
            struct pb_sight *at =
                &sights->at[__builtin_ctzll(pins)][pb_network_send_phase(network, address, port)];
            at->kind = at->kind == PB_SIGHT_NOTHING ? PB_SIGHT_FRAME : PB_SIGHT_DAMAGED;
            at->destination = pb_network_neighbour(network, address, port);
        }
}

static void greet(struct pb_adjacency *map, const struct board *board)
{
    char answer[80];
    for (unsigned i = 0; i < board->nodes; i++) {
        snprintf(answer, sizeof answer, "+I node=native addr=%X dims=1",
                 (unsigned)board->scenario->node[i].address);
        pb_adjacency_identify(map, board->scenario, i,
                              board->scenario->wiring->missing >> i & 1 ? "" : answer);
    }
}

static void take(struct pb_adjacency *map, const struct board *board, struct pb_sights *sights, int node)
{
    memset(sights, 0, sizeof *sights);
    sights->node = node;
    for (unsigned i = 0; i < board->nodes; i++)
        if (node < 0 || i == (unsigned)node) {
            add_sender(sights, board, i);
            map->node[i].sends = map->node[i].answers;
        }
    pb_adjacency_add(map, board->scenario, sights);
}

static void look(struct pb_adjacency *map, const struct board *board)
{
    struct pb_sights *sights = test_malloc(sizeof *sights);
    pb_adjacency_begin(map, board->scenario);
    greet(map, board);
    take(map, board, sights, -1);
    pb_adjacency_judge(map, board->scenario);
    /* All at once never accept a board that is wrong. */
    assert_true(map->verdict != PB_VERDICT_PASS || is_right(board));
    pb_adjacency_forget(map);
    for (unsigned i = 0; i < board->nodes; i++)
        take(map, board, sights, (int)i);
    pb_adjacency_judge(map, board->scenario);
    test_free(sights);
}

static void assert_map(const struct pb_adjacency *map, const struct board *board, unsigned seed)
{
    assert_int_equal(map->nets, board->nets);
    for (unsigned i = 0; i < board->nodes; i++)
        for (unsigned p = 0; p < board->ports; p++) {
            assert_int_equal(map->node[i].port[p].net, board->net[i][p]);
            if (map->node[i].port[p].nets != nets_of(board, i, p))
                fail_msg("seed %u: node %u port %u: nets %llx, is on %llx", seed, i, p,
                         (unsigned long long)map->node[i].port[p].nets,
                         (unsigned long long)nets_of(board, i, p));
        }
    assert_true((map->verdict == PB_VERDICT_PASS) == is_right(board));
    assert_true((map->faults == 0) == is_right(board));
}

static void print_faults(const struct pb_adjacency *map)
{
    for (unsigned i = 0; i < map->faults; i++)
        print_message("%s: %s\n", pb_adjacency_id(map->fault[i].kind), map->fault[i].text);
}

static void assert_named(const struct pb_adjacency *map, const struct board *board, const struct fault *fault,
                         unsigned seed)
{
    char first[16], second[16];
    if (fault->none) {
        assert_int_equal(map->faults, 0);
        return;
    }
    snprintf(first, sizeof first, "0x%X", (unsigned)board->scenario->node[fault->node].address);
    snprintf(second, sizeof second, "0x%X", (unsigned)board->scenario->node[fault->other].address);
    if (map->faults == 1 && map->fault[0].kind == fault->kind && strstr(map->fault[0].text, first) &&
        strstr(map->fault[0].text, second))
        return;
    print_faults(map);
    fail_msg("seed %u: not one fault %s of %s and %s", seed, pb_adjacency_id(fault->kind), first, second);
}

static void draw_boards(const char *network, unsigned nodes)
{
    struct board *board = board_of(network, nodes);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    look(map, board);
    assert_map(map, board, 0);
    assert_true(is_right(board));
    for (unsigned seed = 1; seed <= SINGLE + DOUBLE; seed++) {
        uint64_t random = seed;
        fresh(board);
        const struct fault fault = break_board(board, &random);
        if (seed > SINGLE)
            break_board(board, &random);
        look(map, board);
        assert_map(map, board, seed);
        if (seed <= SINGLE)
            assert_named(map, board, &fault, seed);
    }
    test_free(map);
}

TEST(random_faults_of_a_4_cube_are_found_and_named)
{
    draw_boards("{dims: 4}", 16);
}

TEST(random_faults_of_a_3_cube_are_found_and_named)
{
    draw_boards("{dims: 3}", 8);
}

TEST(random_faults_of_a_generalised_network_are_found_and_named)
{
    draw_boards("{family: generalised, radix: [4, 3]}", 12);
}

/* Any permutation of all ports whatever. */
TEST(random_permutations_of_all_ports_are_mapped)
{
    struct board *board = board_of("{dims: 4}", 16);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    for (unsigned seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        fresh(board);
        struct pb_wire_end(*at)[12] = board->scenario->wiring->at;
        for (unsigned i = 63; i > 0; i--) {
            const unsigned k = below(&random, i + 1);
            exchange(&at[i / 4][i % 4], &at[k / 4][k % 4]);
        }
        look(map, board);
        assert_map(map, board, seed);
    }
    test_free(map);
}

/* Each is where the next one has to be: no two are exchanged. */
TEST(three_ports_in_a_ring_are_three_ports_on_wrong_nets)
{
    struct board *board = board_of("{dims: 4}", 16);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    struct pb_wire_end(*at)[12] = board->scenario->wiring->at;
    exchange(&at[2][0], &at[7][1]);
    exchange(&at[7][1], &at[12][3]);
    look(map, board);
    assert_map(map, board, 0);
    assert_int_equal(map->faults, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(map->fault[i].kind, PB_ADJACENCY_MISPLACED);
    test_free(map);
}

/* ---- symmetries and consoles */

TEST(a_symmetry_of_the_cube_is_called_one)
{
    struct board *board = board_of("{dims: 4}", 16);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    for (unsigned mask = 1; mask < 16; mask++) {
        for (unsigned i = 0; i < 16; i++)
            for (unsigned p = 0; p < 4; p++)
                board->scenario->wiring->at[i][p] = (struct pb_wire_end){(int8_t)(i ^ mask), (uint8_t)p};
        char how[24];
        snprintf(how, sizeof how, "xor 0x%X", mask);
        look(map, board);
        assert_map(map, board, mask);
        assert_int_equal(map->faults, 1);
        assert_int_equal(map->fault[0].kind, PB_ADJACENCY_TURNED);
        assert_non_null(strstr(map->fault[0].text, how));
    }
    test_free(map);
}

/* Nodes 1 and 2 answer with each other's address; with their links exchanged as well, it is the consoles. */
TEST(addresses_and_consoles_are_told_apart_by_the_links)
{
    struct board *board = board_of("{dims: 3}", 8);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    struct pb_sights *sights = test_malloc(sizeof *sights);
    for (unsigned consoles = 0; consoles < 2; consoles++) {
        fresh(board);
        pb_adjacency_begin(map, board->scenario);
        greet(map, board);
        pb_adjacency_identify(map, board->scenario, 1, "+I addr=2 dims=3");
        pb_adjacency_identify(map, board->scenario, 2, "+I addr=1 dims=3");
        for (unsigned i = 0; i < 8; i++) {
            const unsigned really = i == 1 ? 2 : i == 2 ? 1 : i, place = consoles ? really : i;
            memset(sights, 0, sizeof *sights);
            sights->node = (int)i;
            map->node[i].sends = true;
            for (unsigned p = 0; p < 3; p++)
                sights->at[place * 3 + p][2 * p + (really >> p & 1)] =
                    (struct pb_sight){PB_SIGHT_FRAME, really ^ 1u << p};
            pb_adjacency_add(map, board->scenario, sights);
        }
        pb_adjacency_judge(map, board->scenario);
        assert_int_equal(map->faults, 2);
        for (unsigned f = 0; f < 2; f++)
            assert_int_equal(map->fault[f].kind, consoles ? PB_ADJACENCY_CONSOLES : PB_ADJACENCY_IDENTITY);
    }
    test_free(sights);
    test_free(map);
}

TEST(a_frame_while_another_node_is_tested_is_blamed_on_its_sender)
{
    struct board *board = board_of("{dims: 3}", 8);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    struct pb_sights *sights = test_malloc(sizeof *sights);
    pb_adjacency_begin(map, board->scenario);
    greet(map, board);
    for (unsigned i = 0; i < 8; i++) {
        memset(sights, 0, sizeof *sights);
        sights->node = (int)i;
        map->node[i].sends = true;
        add_sender(sights, board, i);
        sights->at[6 * 3][0] = (struct pb_sight){PB_SIGHT_FRAME, 7};
        pb_adjacency_add(map, board->scenario, sights);
    }
    pb_adjacency_judge(map, board->scenario);
    assert_int_equal(map->faults, 1);
    assert_int_equal(map->fault[0].kind, PB_ADJACENCY_UNRULY);
    assert_non_null(strstr(map->fault[0].text, "0x6"));
    test_free(sights);
    test_free(map);
}

TEST(a_silent_net_that_is_low_is_called_so)
{
    struct board *board = board_of("{dims: 3}", 8);
    struct pb_adjacency *map = test_malloc(sizeof *map);
    board->scenario->wiring->at[0][0].node = board->scenario->wiring->at[1][0].node = -1;
    look(map, board);
    assert_int_equal(map->fault[0].kind, PB_ADJACENCY_OPEN_NET);
    map->low = 1u << 3; /* dimension 0 of node 1 */
    pb_adjacency_judge(map, board->scenario);
    assert_int_equal(map->faults, 1);
    assert_int_equal(map->fault[0].kind, PB_ADJACENCY_HELD_LOW);
    test_free(map);
}

/* ---- the simulated bench */

static struct pb_adjacency *run_board(const struct pb_scenario *scenario)
{
    struct pb_adjacency *map;
    struct pb_diag diag = {""};
    if (pb_adjacency_run(&map, scenario, &(struct pb_run_options){.timeout_s = 300}, &diag))
        fail_msg("%s", diag.text);
    return map;
}

TEST(random_faults_on_the_simulated_bench_are_mapped_and_named)
{
    struct board *board = board_of("{dims: 3}", 8);
    for (unsigned seed = 1; seed <= SIMULATED; seed++) {
        uint64_t random = seed;
        fresh(board);
        const struct fault fault = break_board(board, &random);
        struct pb_adjacency *map = run_board(board->scenario);
        assert_map(map, board, seed);
        assert_named(map, board, &fault, seed);
        assert_true(map->one_by_one == !is_right(board));
        free(map);
    }
}

/* The netlist of a published schematic of 16 nodes, as it is drawn: its first two sheets are exchanged. */
static const unsigned published[16][4] = {
    {0, 4, 5, 6},     {0, 1, 2, 3},     {7, 1, 8, 9},     {7, 4, 10, 11},  {12, 13, 2, 14}, {12, 15, 5, 16},
    {17, 13, 8, 18},  {17, 15, 10, 19}, {20, 21, 22, 3},  {20, 23, 24, 6}, {25, 21, 26, 9}, {25, 23, 27, 11},
    {28, 29, 22, 14}, {28, 30, 24, 16}, {31, 29, 26, 18}, {31, 30, 27, 19},
};

TEST(the_published_netlist_has_two_sheets_exchanged)
{
    char yaml[4000];
    int at = snprintf(
        yaml, sizeof yaml,
        "cube: {dims: 4}\nlink: {phase_rate: 2 kHz, baud: 500 kbaud, guard: 50 us, payload: 3 bytes}\n"
        "capture: bytes\ntraffic: [{from: 0, to: 1}]\nnodes: [");
    for (unsigned i = 0; i < 16; i++)
        at += snprintf(yaml + at, sizeof yaml - (size_t)at, "%s{address: %u}", i ? ", " : "", i);
    at += snprintf(yaml + at, sizeof yaml - (size_t)at, "]\nwiring:\n");
    for (unsigned i = 0; i < 16; i++)
        at += snprintf(yaml + at, sizeof yaml - (size_t)at, "  - {node: %u, nets: [%u, %u, %u, %u]}\n", i,
                       published[i][0], published[i][1], published[i][2], published[i][3]);
    struct pb_adjacency *map = run_board(parse_scenario(yaml));
    for (unsigned i = 0; i < 16; i++)
        for (unsigned p = 0; p < 4; p++)
            assert_int_equal(map->node[i].port[p].nets, UINT64_C(1) << published[i][p]);
    assert_int_equal(map->verdict, PB_VERDICT_FAIL);
    assert_int_equal(map->faults, 1);
    assert_string_equal(
        map->fault[0].text,
        "nodes 0x0 and 0x1 are exchanged (sheets swapped): exchange their addresses, or the sheets");
    free(map);
}

/* ---- what a scenario cannot say */

TEST(a_wiring_that_no_board_has_is_refused)
{
    static const struct {
        const char *wiring, *why;
    } bad[] = {
        {"[{node: 0, nets: [0, 1]}, {node: 1, nets: [0, 2]}, {node: 2, nets: [3, 1]}]",
         "has rows for 3 of 4 nodes, none for 0x3"},
        {"[{node: 0, nets: [0, 1]}, {node: 1, nets: [0, 1]}, {node: 2, nets: [3, 1]}, {node: 3, nets: [3, "
         "2]}]",
         "net 1 has 3 pins: node 0x0 dimension 1, node 0x1 dimension 1, node 0x2 dimension 1; it joins 2"},
        {"[{node: 0, nets: [0, 1]}, {node: 1, nets: [0, 1]}, {node: 2, nets: [3, 2]}, {node: 3, nets: [3, "
         "3]}]",
         "net 2 has 1 pin: node 0x2 dimension 1; it joins 2, so name it twice"},
        {"[{node: 0, nets: [0, 1]}, {node: 1, nets: [0, 1]}, {node: 2, nets: [3, 0]}, {node: 3, nets: [3, "
         "1]}]",
         "net 0 has 3 pins"},
        {"[{node: 4, nets: [0, 1]}]", "'4' is not an address"},
        {"[{node: 0, nets: [0, 1]}, {node: 0, nets: [0, 1]}]", "0x0 has its row in wiring[0] already"},
        {"[{node: 0, nets: [0, 4]}]", "4"},
        {"[{node: 0, nets: [0]}]", "names 1 nets, and a node has 2 ports"},
        {"[{kind: swapped, node: 0}]", "other_node: is missing"},
        {"[{kind: swapped, node: 0, other_node: 0}]", "is what it is exchanged with"},
        {"[{kind: swapped, node: 0, dimension: 1}]", "is what it is exchanged with"},
        {"[{kind: swapped, node: 0, dimension: 2, other_dimension: 0}]", "2"},
        {"[{kind: open, node: 0}]", "dimension: is missing"},
        {"[{kind: open, node: 0, dimension: 0, nets: [0]}]", "has no meaning here"},
        {"[{kind: open, dimension: 0, nets: [0]}]", "dimension: has no meaning here"},
        {"[{kind: shorted, nets: [1]}]", "names 1 nets; give two or more"},
        {"[{kind: shorted, nets: [1, 1]}]", "names net 1 twice"},
        {"[{kind: missing}]", "node: is missing"},
        {"[{kind: missing, node: 0, dimension: 0}]", "dimension: has no meaning here"},
        {"[]", "has 0 entries"},
        {"[{kind: loose, node: 0}]", "'loose' is unknown"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        char yaml[700];
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        snprintf(yaml, sizeof yaml,
                 "cube: {dims: 2}\ntraffic: [{from: 0, to: 1}]\n"
                 "nodes: [{address: 0}, {address: 1}, {address: 2}, {address: 3}]\nwiring: %s\n",
                 bad[i].wiring);
        if (pb_scenario_parse(&scenario, "bad.yaml", yaml, strlen(yaml), &diag) != PB_ERR_CONFIG)
            fail_msg("%s is not refused", bad[i].wiring);
        assert_non_null(strstr(diag.text, "bad.yaml:4: wiring"));
        if (!strstr(diag.text, bad[i].why))
            fail_msg("%s: %s", bad[i].wiring, diag.text);
    }
}

TEST(a_board_with_real_lines_takes_no_wiring)
{
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 1}\ntraffic: [{from: 0, to: 1}]\nnodes: [{address: 0}, {address: 1}]\n"
        "wiring: [{kind: swapped, node: 0, other_node: 1}]\n");
    struct pb_diag diag = {""};
    assert_int_equal(pb_rig_check_models("ftdi:", scenario, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "wiring"));
    assert_int_equal(pb_rig_check_models("sim:", scenario, &diag), PB_OK);
}
