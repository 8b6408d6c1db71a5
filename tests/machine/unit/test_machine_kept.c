/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs of a machine that end after a superframe, and go on: against the same run in one piece.
 *
 * evidence: a run of a machine that goes on where another process has ended
 *   simulated: the result is that of the run in one piece, bit for bit, after an end in any superframe
 */
#include "tests/machine/unit/machine_fixture.h"

#include <string.h>

/* ---- a run in pieces */

struct pieces {
    unsigned every; /* superframes */
    uint8_t *state;
    size_t bytes;
};

static bool is_due(void *context, uint32_t steps)
{
    const struct pieces *pieces = context;
    return steps % pieces->every == 0;
}

/* Ends the run. */
static int keep(void *context, uint8_t *state, size_t bytes, struct pb_diag *diag)
{
    struct pieces *pieces = context;
    free(pieces->state);
    pieces->state = state;
    pieces->bytes = bytes;
    return pb_fail(diag, PB_ERR_INTERRUPTED, "kept");
}

static int run_once(struct pb_machine_result *result, const struct pb_network *network,
                    const struct machine_run *of, struct pieces *pieces, struct pb_diag *diag)
{
    struct pb_machine_options run = of->run;
    int code;

    assert_int_equal(pb_machine_traffic_create(&run.traffic, network, &of->traffic, diag), PB_OK);
    run.network = network;
    run.context = pieces;
    run.state = pieces->state;
    run.state_bytes = pieces->bytes;
    run.is_due = pieces->every ? is_due : NULL;
    run.keep = keep;
    /* What a run goes on from is borrowed, and keep frees it. */
    uint8_t *const copy = malloc(pieces->bytes + 1);
    assert_non_null(copy);
    if (run.state)
        memcpy(copy, run.state, pieces->bytes);
    run.state = run.state ? copy : NULL;
    code = pb_machine_run(result, &run, diag);
    free(copy);
    pb_machine_traffic_free(run.traffic);
    return code;
}

/* Returns how many pieces the run has. */
static unsigned run_in_pieces(struct pb_machine_result *result, const struct pb_network *network,
                              const struct machine_run *of, unsigned every)
{
    struct pieces pieces = {.every = every};
    struct pb_diag diag = {""};
    unsigned count = 1;
    int code;

    while ((code = run_once(result, network, of, &pieces, &diag)) == PB_ERR_INTERRUPTED)
        count++;
    free(pieces.state);
    if (code)
        fail_msg("piece %u: %s", count, diag.text);
    return count;
}

/* ---- every kind of traffic */

static const struct kind {
    const char *name;
    unsigned dims, most_pieces;
    struct machine_run of;
} kinds[] = {
    {"uniform", 4, 60, {{.pattern = "uniform", .load = 0.9, .seed = 3}, {.superframes = 40, .warm_up = 9}}},
    {"a warm-up that is detected",
     3,
     400,
     {{.pattern = "uniform", .load = 1.3, .seed = 1}, {.superframes = 150, .warm_up = PB_MACHINE_DETECT}}},
    {"overload", 3, 60, {{.pattern = "bitrev", .load = 2.5, .seed = 2}, {.superframes = 40, .warm_up = 5}}},
    {"overload, opportunistic",
     4,
     60,
     {{.pattern = "transpose", .load = 3.5, .seed = 2},
      {.superframes = 40, .warm_up = 5, .rule = PB_RULE_OPPORTUNISTIC}}},
    {"any phase, in bursts",
     4,
     60,
     {{.pattern = "perm", .load = 0.7, .burst = 3, .any_phase = true, .seed = 8},
      {.superframes = 40, .warm_up = 5}}},
    {"a hot node",
     4,
     60,
     {{.pattern = "hotspot:3", .load = 0.4, .hot = 0.2, .seed = 8}, {.superframes = 40, .warm_up = 5}}},
    {"Valiant",
     4,
     60,
     {{.pattern = "complement", .load = 0.6, .valiant = PB_VALIANT_FREE, .seed = 4},
      {.superframes = 40, .warm_up = 5}}},
    {"a batch with a barrier",
     4,
     60,
     {{.pattern = "bitrev", .batch = 3, .valiant = PB_VALIANT_BARRIER, .seed = 4},
      {.superframes = 1000, .warm_up = PB_MACHINE_DETECT}}},
    {"a closed loop",
     4,
     60,
     {{.pattern = "uniform", .window = 3, .seed = 6}, {.superframes = 40, .warm_up = 5}}},
    {"a closed loop that drops",
     3,
     60,
     {{.pattern = "uniform", .window = 6, .seed = 6}, {.superframes = 40, .warm_up = 5, .room = 3}}},
    {"rooms of the ports",
     4,
     60,
     {{.pattern = "uniform", .load = 2, .seed = 6}, {.superframes = 40, .warm_up = 5, .room_port = 2}}},
};

TEST(a_run_that_ends_after_each_superframe_and_goes_on_is_one_run)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct kind *const kind = &kinds[i];
        const struct pb_network network = pb_network_cube(kind->dims);
        const struct pb_machine_result *const whole = ran(&network, &kind->of);
        for (unsigned every = 1; every <= 7; every += 3) {
            struct pb_machine_result result;
            const unsigned pieces = run_in_pieces(&result, &network, &kind->of, every);
            if (kind->of.traffic.batch == 0 && every == 1)
                assert_int_equal(pieces, whole->warm_up + whole->superframes + 1);
            assert_true(pieces > 1 && pieces <= kind->most_pieces);
            assert_equal_result(&network, whole, &result);
            pb_machine_result_free(&result);
        }
    }
}

TEST(a_trace_and_dead_parts_go_on)
{
    const struct pb_network network = pb_network_cube(4);
    struct pb_traffic trace = {0};
    struct pb_machine_dead *dead;
    struct pb_machine_result result;

    assert_int_equal(pb_machine_dead_create(&dead, &network), PB_OK);
    pb_machine_kill_link(dead, 5, 1); /* on the path from 5 to 3 */
    /* Some superframes have many, others none. */
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(pb_traffic_add(&trace, &(struct pb_message){.source = i % 16,
                                                                     .destination = i * 7 % 16,
                                                                     .release_superframe = i / 100 * 9,
                                                                     .release_phase = i / 30 % 2}),
                         PB_OK);
    const struct machine_run of = {{.trace = &trace, .dead = dead},
                                   {.superframes = 1000, .warm_up = PB_MACHINE_DETECT}};
    const struct pb_machine_result *const whole = ran(&network, &of);
    assert_true(whole->finished && whole->unreachable > 0 && whole->superframes > 18);
    assert_true(run_in_pieces(&result, &network, &of, 1) >= whole->superframes);
    assert_equal_result(&network, whole, &result);
    pb_machine_result_free(&result);
    pb_traffic_free(&trace);
    pb_machine_dead_free(dead);
}

/* ---- what is refused */

TEST(bytes_of_no_run_are_refused_or_harmless)
{
    const struct pb_network network = pb_network_cube(2);
    static const struct machine_run runs[] = {
        {{.pattern = "uniform", .load = 1.5, .seed = 3}, {.superframes = 12, .warm_up = 3}},
        {{.pattern = "uniform", .window = 2, .seed = 3}, {.superframes = 12, .warm_up = 3}},
        {{.pattern = "complement", .load = 1, .valiant = PB_VALIANT_FREE, .seed = 3},
         {.superframes = 12, .warm_up = PB_MACHINE_DETECT, .rule = PB_RULE_OPPORTUNISTIC}},
    };

    for (size_t i = 0; i < COUNT(runs); i++)
        for (unsigned every = 2; every <= 9; every += 7) { /* in the warm-up and after it */
            struct pieces first = {.every = every};
            struct pb_machine_result result;
            struct pb_diag diag;
            assert_int_equal(run_once(&result, &network, &runs[i], &first, &diag), PB_ERR_INTERRUPTED);
            struct pieces rest = {.state = first.state};
            for (rest.bytes = 0; rest.bytes < first.bytes; rest.bytes++) {
                assert_int_equal(run_once(&result, &network, &runs[i], &rest, &diag), PB_ERR_CONFIG);
                assert_non_null(strstr(diag.text, "is of no such run; begin anew"));
            }
            for (size_t at = 0; at < first.bytes; at++) {
                first.state[at] ^= 0xFF;
                run_once(&result, &network, &runs[i], &rest, &diag);
                pb_machine_result_free(&result);
                first.state[at] ^= 0xFF;
            }
            assert_int_equal(run_once(&result, &network, &runs[i], &rest, &diag), PB_OK);
            pb_machine_result_free(&result);
            free(first.state);
        }
}

TEST(the_slot_engine_alone_goes_on)
{
    const struct pb_network network = pb_network_cube(3);
    struct pb_machine_result result;

    for (unsigned engine = PB_ENGINE_FIRMWARE; engine < PB_ENGINES; engine++) {
        const struct machine_run of = {{.pattern = "uniform", .load = 0.5},
                                       {.superframes = 5, .warm_up = 0, .engine = engine}};
        struct pieces pieces = {.every = 1};
        struct pb_diag diag = {""};
        if (engine == PB_ENGINE_IMAGE)
            continue; /* refused before, as it has no image here */
        assert_int_equal(run_once(&result, &network, &of, &pieces, &diag), PB_ERR_ARGUMENT);
        assert_non_null(strstr(diag.text, "only slot can"));
        assert_null(pieces.state);
    }
}
