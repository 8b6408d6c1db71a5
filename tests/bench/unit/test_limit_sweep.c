/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Limits of docs/node.md, by contract nodes that go to 0.90, 0.99, 1, 1.01 and 1.10 of each: pass within it,
 * fail beyond it, marginal within the uncertainty, and nothing else. The limits are written here as in
 * docs/node.md and docs/reference/timing.md, in ps at 1 Mbaud and with consoles of 460800 baud.
 */
#include "tests/bench/unit/run_fixture.h"

#include <stdio.h>

enum { BIT_PS = 1000000, STEP_PS = 10417 /* half a tick of 48 MHz */ };

static double late(unsigned k)
{
    return (7.0 / 16 - (k + 7.0 / 16) / 80) * BIT_PS;
}

static double early(unsigned k)
{
    return (6.0 / 16 - (k - 6.0 / 16) / 80) * BIT_PS;
}

static const struct limit {
    const char *defect;
    double (*edge)(unsigned k);
    unsigned k;      /* the strictest boundary that the frames of the case have */
    double limit_ps; /* where there is no edge */
    double known_ps; /* U95 of the amount, and what rounding adds; of starts what the node may be late, too */
    bool exact;      /* at its limit it is marginal */
} limits[] = {
    {"late_start", NULL, 0, 1e6, 6 * STEP_PS, false},
    {"late_rise", late, 9, 0, 2 * STEP_PS, true},
    {"short_stop", early, 10, 0, 2 * STEP_PS, true},
    /* 2.5 % of a bit; the frames have 6 bytes, 59 bits, of which the measurement leaves three ticks */
    {"baud_off", NULL, 0, 0.025 * BIT_PS, 6.0 * STEP_PS / 50, true},
    /* of the bytes alone: every edge rounded in the direction that matters */
    {"fast_bits", NULL, 0, 0.025 * BIT_PS, 0.0025 * BIT_PS - 1, true},
    /* 2 % of a bit of 460800 baud, to 0.05 % */
    {"console_baud", NULL, 0, 0.02 * 2170139, 0.001 * 2170139, false},
};

static enum pb_verdict verdict_of(const struct limit *limit, double amount_ps)
{
    char yaml[600];
    snprintf(yaml, sizeof yaml,
             "cube: {dims: 3}\nlink: {payload: 3 bytes}\nlimits: {start_late: 1 us}\n"
             "nodes: [{address: 0x5, kind: contract, defect: %s, defect_amount: %.0f ps}]\n"
             "traffic: [{pattern: complement, repeat: 2}]\n",
             limit->defect, amount_ps);
    return run_yaml(yaml, "sim:?clock=48MHz")->verdict;
}

TEST(every_limit_is_where_the_contract_has_it)
{
    static const double factor[] = {0.90, 0.99, 1.00, 1.01, 1.10};
    unsigned wrong = 0, sure = 0;
    for (size_t i = 0; i < COUNT(limits); i++)
        for (size_t f = 0; f < COUNT(factor); f++) {
            const struct limit *limit = &limits[i];
            const double limit_ps = limit->edge ? limit->edge(limit->k) : limit->limit_ps,
                         apart_ps = (factor[f] - 1) * limit_ps;
            const enum pb_verdict seen = verdict_of(limit, factor[f] * limit_ps);
            /* Whether it is marginal depends on how the stamps are rounded, but near the limit it is. */
            const bool inside = apart_ps < -limit->known_ps, beyond = apart_ps > limit->known_ps,
                       at = apart_ps == 0 && limit->exact;
            sure += inside || beyond || at;
            if ((inside && seen != PB_VERDICT_PASS) || (beyond && seen != PB_VERDICT_FAIL) ||
                (at && seen != PB_VERDICT_MARGINAL) ||
                (apart_ps < 0 && seen == PB_VERDICT_FAIL) || (apart_ps > 0 && seen == PB_VERDICT_PASS)) {
                print_message("%s at %.2f of %.1f ns: %s\n", limit->defect, factor[f], limit_ps / 1e3,
                              pb_verdict_name(seen));
                wrong++;
            }
        }
    assert_int_equal(wrong, 0);
    assert_true(sure >= 2 * COUNT(limits));
}

/* A core of 48 MHz sees a low of 5 ticks, 0.104 us: in a run without lines for the node, and after one with
 * them. */
TEST(short_pulses_on_a_console_are_seen)
{
    static const char *const traffic[] = {"{pattern: complement, repeat: 2}", "{from: 4, to: 5, repeat: 2}"};
    for (size_t i = 0; i < COUNT(traffic); i++) {
        char yaml[400];
        snprintf(yaml, sizeof yaml,
                 "cube: {dims: 3}\nlink: {payload: 3 bytes}\n"
                 "nodes: [{address: 0x5, kind: contract, defect: uart_noise, defect_amount: 130 ns}]\n"
                 "traffic: [%s]\n",
                 traffic[i]);
        struct pb_result *result = run_yaml(yaml, "sim:?clock=48MHz");
        assert_verdict(result, PB_VERDICT_FAIL);
        assert_int_equal(result->finding[0].kind, PB_FINDING_CONSOLE_NOISE);
    }
}
