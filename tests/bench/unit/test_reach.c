/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interrupt latency, jitter, head guard and baud rate, drawn at random: what the scenario reader lets through
 * a sound node passes, and when it refuses with a head guard that would do, that one passes. REACH_CASES sets
 * the number of cases, REACH_FIRST the seed of the first. */
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

RUNS_ALONE

#define CASES 40
#define US INT64_C(1000000)

static const char *const kinds[] = {"native", "contract", "native", "ref"};

struct settings {
    unsigned baud, rate_hz;
    int64_t head_ps, latency_ps, jitter_ps;
    int ppm, other_ppm;
    unsigned kind;
    bool joined;
    unsigned long long seed;
};

static uint64_t below(uint64_t *random, uint64_t limit)
{
    return pb_splitmix64(random) % limit;
}

static struct settings draw(uint64_t seed)
{
    static const unsigned bauds[] = {19200, 57600, 115200, 300000, 1000000, 2000000};
    uint64_t random = seed;
    struct settings s = {.seed = seed, .baud = bauds[below(&random, COUNT(bauds))]};
    const int64_t bit_ps = INT64_C(1000000000000) / s.baud;
    s.kind = (unsigned)below(&random, COUNT(kinds));
    s.joined = below(&random, 3) == 0;
    s.ppm = (int)below(&random, 401) - 200;
    s.other_ppm = (int)below(&random, 401) - 200;
    /* From nothing to several bits and several latencies. */
    s.head_ps = (int64_t)below(&random, 8) ? (int64_t)below(&random, 12000) * 1000 : 0;
    if (below(&random, 3) == 0) {
        s.latency_ps = (int64_t)below(&random, (uint64_t)(s.head_ps + US));
        s.jitter_ps = (int64_t)below(&random, (uint64_t)(s.head_ps / 2 + US / 2));
    } else
        s.latency_ps = s.jitter_ps = -1; /* by default */
    /* Four bytes, the guards and some time to spare. */
    s.rate_hz = (unsigned)(INT64_C(1000000000000) / (45 * bit_ps + 40 * US));
    return s;
}

static void write_yaml(char *yaml, size_t size, const struct settings *s)
{
    char irq[100] = "", other[60] = "";
    if (strcmp(kinds[s->kind], "ref") && s->latency_ps >= 0)
        snprintf(irq, sizeof irq, ", irq_latency: %lld ps, irq_jitter: %lld ps", (long long)s->latency_ps,
                 (long long)s->jitter_ps);
    if (s->joined)
        snprintf(other, sizeof other, ", {address: 3, clock_error: %d ppm}", s->other_ppm);
    snprintf(yaml, size,
             "cube: {dims: 2}\nseed: %llu\n"
             "link: {baud: %u baud, phase_rate: %u Hz, payload: 1 byte, guard: %lld ps, head_guard: %lld ps, "
             "console_baud: 1 Mbaud}\n"
             "nodes: [{address: 2, kind: %s, clock_error: %d ppm%s}%s]\n"
             "traffic: [{pattern: complement, repeat: 3}, {pattern: 'xor:1', superframe: 3}]\n",
             s->seed, s->baud, s->rate_hz, (long long)(s->head_ps + 10 * US), (long long)s->head_ps,
             kinds[s->kind], s->ppm, irq, other);
}

/* "... set link.head_guard to VALUE or more": a time in ps; 0 when it is not there. */
static int64_t remedy(const char *text)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}};
    const char *at = strstr(text, "set link.head_guard to ");
    double value;
    char unit[3];
    if (!at || sscanf(at, "set link.head_guard to %lf %2s or more", &value, unit) != 2)
        return 0;
    for (size_t i = 0; i < COUNT(units); i++)
        if (!strcmp(unit, units[i].name))
            return (int64_t)(value * units[i].ps + 0.5);
    return 0;
}

TEST(what_is_let_through_passes)
{
    const char *cases_text = getenv("REACH_CASES"), *first_text = getenv("REACH_FIRST");
    const unsigned cases = cases_text ? (unsigned)strtoul(cases_text, NULL, 0) : CASES,
                   first = first_text ? (unsigned)strtoul(first_text, NULL, 0) : 1;
    unsigned refused = 0, wrong = 0;
    for (unsigned i = 0; i < cases; i++) {
        struct settings settings = draw(first + i);
        struct pb_scenario *scenario;
        struct pb_diag diag = {""};
        char yaml[1000];
        write_yaml(yaml, sizeof yaml, &settings);
        /* A diagnostic is about one node: once more for the other. */
        unsigned tries = 0;
        while (pb_scenario_parse(&scenario, "case.yaml", yaml, strlen(yaml), &diag)) {
            const int64_t head_ps = remedy(diag.text);
            if (head_ps <= settings.head_ps || tries++ == 2)
                fail_msg("seed %u: %s\n%s", first + i, diag.text, yaml);
            settings.head_ps = head_ps;
            write_yaml(yaml, sizeof yaml, &settings);
        }
        refused += tries > 0;
        struct pb_result *result = run_scenario(hand_over_scenario(scenario), NULL);
        /* How a rise is judged is the matter of other tests. */
        bool timing = false;
        for (size_t f = 0; f < result->findings; f++)
            timing |= result->finding[f].kind != PB_FINDING_SLOW_RISE || !result->finding[f].marginal;
        if (timing || result->delivered != result->messages) {
            print_message("seed %u: %s: %s, %s | %s\n%s", first + i, pb_verdict_name(result->verdict),
                          result->reason, result->findings ? result->finding[0].expected : "",
                          result->findings ? result->finding[0].seen : "", yaml);
            wrong++;
        }
    }
    print_message("%u cases, %u refused first\n", cases, refused);
    assert_int_equal(wrong, 0);
    assert_true(refused > 0 && refused < cases);
}
