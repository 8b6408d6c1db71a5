/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes' own messages, released in any phase of busy traffic: a sound node passes. A message that enters
 * its queue at another place than the movement gives it, by a phase or by one received frame, changes the
 * order of frames on the lines, so the check of every frame is the judge. Cases come from a seed;
 * OWN_MESSAGES_CASES sets their number, OWN_MESSAGES_FIRST the seed of the first. */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES 60
#define YAML_BYTES 8000

struct draw {
    uint64_t state;
    char *yaml;
    size_t at;
};

static unsigned below(struct draw *draw, unsigned limit)
{
    return (unsigned)(pb_splitmix64(&draw->state) % limit);
}

static void say(struct draw *draw, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct draw *draw, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    draw->at += (size_t)vsnprintf(draw->yaml + draw->at, YAML_BYTES - draw->at, format, arguments);
    va_end(arguments);
    assert_true(draw->at < YAML_BYTES);
}

/* Up to three nodes of a small cube, neighbours among them. */
static unsigned draw_nodes(struct draw *draw, unsigned dims, bool opportunistic, uint32_t *address)
{
    static const char *const latency[] = {"", ", irq_latency: 0 us, irq_jitter: 0 us",
                                          ", irq_latency: 4800 ns, irq_jitter: 100 ns",
                                          ", irq_latency: 100 ns, irq_jitter: 4800 ns"};
    static const char *const kinds[] = {"native", "contract", "ref"};
    const unsigned count = 1 + below(draw, dims > 2 ? 3 : 2);
    say(draw, "nodes:\n");
    for (unsigned i = 0; i < count; i++) {
        const char *const kind = kinds[below(draw, opportunistic ? 2 : 3)];
        do
            address[i] = i && below(draw, 2) ? address[0] ^ 1u << below(draw, dims) : below(draw, 1u << dims);
        while ((i > 0 && address[i] == address[0]) || (i > 1 && address[i] == address[1]));
        say(draw, "  - {address: 0x%X, kind: %s%s}\n", address[i], kind,
            strcmp(kind, "ref") ? latency[below(draw, COUNT(latency))] : "");
    }
    return count;
}

static void draw_scenario(struct draw *draw, uint64_t seed)
{
    static const unsigned consoles[] = {1000000, 460800, 1000000, 230400};
    draw->state = seed;
    draw->at = 0;
    const bool opportunistic = below(draw, 2), external = below(draw, 5) == 0;
    const unsigned dims = 2 + below(draw, 3), phases = 2 * dims, rate = 2 + below(draw, 9),
                   first = external ? 1 : 0;
    uint32_t address[3];
    say(draw, "cube: {dims: %u, rule: %s}\nseed: %llu\n", dims, opportunistic ? "opportunistic" : "ecube",
        (unsigned long long)seed);
    say(draw, "link: {phase_rate: %u kHz, baud: 1 Mbaud, payload: %u bytes, console_baud: %u baud}\n", rate,
        1 + below(draw, 5), consoles[below(draw, COUNT(consoles))]);
    if (external)
        say(draw, "clock: {source: external, error: %d ppm, jitter: %u ns}\n", (int)below(draw, 2001) - 1000,
            below(draw, 200));
    const unsigned nodes = draw_nodes(draw, dims, opportunistic, address);
    say(draw, "traffic:\n");
    const unsigned entries = 2 + below(draw, 8);
    for (unsigned i = 0; i < entries; i++) {
        const unsigned superframe = first + below(draw, 5), phase = below(draw, phases);
        const uint32_t from = address[below(draw, nodes)], to = from ^ (1 + below(draw, (1u << dims) - 1));
        switch (below(draw, 4)) {
        case 0: /* all nodes, also those on the rig */
            say(draw, "  - {pattern: 'uniform:%u', superframe: %u, phase: %u}\n", below(draw, 1000),
                superframe, phase);
            break;
        case 1: { /* through a node, in company */
            const uint32_t neighbour = from ^ 1u << below(draw, dims);
            say(draw, "  - {from: 0x%X, to: 0x%X, superframe: %u, phase: %u, repeat: %u}\n", neighbour,
                to == neighbour ? from : to, superframe, phase, 1 + below(draw, 6));
            break;
        }
        default:
            say(draw, "  - {from: 0x%X, to: 0x%X, superframe: %u, phase: %u, repeat: %u}\n", from, to,
                superframe, phase, 1 + below(draw, 3));
        }
    }
    /* A node that sends nothing proves nothing, and the run would be inconclusive. */
    for (unsigned i = 0; i < nodes; i++)
        say(draw, "  - {from: 0x%X, to: 0x%X, superframe: %u}\n", address[i], address[i] ^ 1, first);
}

static unsigned setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 0) : otherwise;
}

TEST(own_messages_take_their_place_in_busy_traffic)
{
    const unsigned cases = setting("OWN_MESSAGES_CASES", CASES), first = setting("OWN_MESSAGES_FIRST", 1);
    unsigned refused = 0, wrong = 0, through = 0;
    static char yaml[YAML_BYTES];
    for (unsigned i = 0; i < cases; i++) {
        struct draw draw = {.yaml = yaml};
        struct pb_scenario *scenario;
        struct pb_result *result = NULL;
        struct pb_diag diag = {""};
        draw_scenario(&draw, first + i);
        if (pb_scenario_parse(&scenario, "case.yaml", yaml, strlen(yaml), &diag))
            fail_msg("seed %u: %s\n%s", first + i, diag.text, yaml);
        const struct pb_run_options options = {.run_only = true};
        const int code = pb_run(&result, scenario, &options, &diag);
        pb_scenario_free(scenario);
        if (code) {
            pb_result_free(result); /* what there is of it */
            /* Nothing but a console that is too slow for the number of lines. */
            if (!strstr(diag.text, "too slow"))
                fail_msg("seed %u: %s\n%s", first + i, diag.text, yaml);
            print_message("seed %u: %s\n", first + i, diag.text);
            refused++;
            continue;
        }
        if (result->verdict != PB_VERDICT_PASS) {
            print_message("seed %u: %s: %s, %s | %s\n%s", first + i, pb_verdict_name(result->verdict),
                          result->reason, result->findings ? result->finding[0].expected : "",
                          result->findings ? result->finding[0].seen : "", yaml);
            wrong++;
        }
        through += (unsigned)result->hops;
        pb_result_free(result);
    }
    print_message("%u cases, %u transmissions, %u refused\n", cases, through, refused);
    assert_int_equal(wrong, 0);
    assert_true(refused * 3 <= cases); /* else little was tested */
}
