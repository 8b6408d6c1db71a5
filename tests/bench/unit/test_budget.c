/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot budgets, against the published sums and against limits tried out one step to either side.
 *
 * evidence: slot budget
 *   checked against published figures and stepwise search
 */
#include "phasebench/budget.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

#define US INT64_C(1000000)

static const struct pb_budget_input published = {
    .phase_rate_mhz = 10000000, /* 10 kHz */
    .baud_hz = 1000000,
    .guard_ps = 0,
    .header_bytes = 2,
    .phases = 24,
};

static struct pb_budget budget_of(const struct pb_budget_input *input)
{
    struct pb_budget budget;
    struct pb_diag diag = {""};
    assert_int_equal(pb_budget(input, &budget, &diag), 0);
    assert_string_equal(diag.text, "");
    return budget;
}

TEST(ten_kilohertz_at_one_megabaud)
{
    struct pb_budget budget = budget_of(&published);

    assert_int_equal(budget.slot_bits, 100);
    assert_int_equal(budget.slot_bytes, 10);
    assert_int_equal(budget.phase_ps, 100 * US);
    assert_int_equal(budget.superframe_ps, 2400 * US);
    assert_int_equal(budget.byte_ps, 10 * US);
    assert_int_equal(budget.slack_ps, 0);
    assert_true(budget.fits);
}

TEST(guard_costs_payload)
{
    static const struct {
        int64_t guard_ps;
        unsigned payload;
    } rows[] = {{0, 8}, {10 * US, 7}, {20 * US, 6}};

    for (unsigned i = 0; i < 3; i++) {
        struct pb_budget_input input = published;
        input.guard_ps = rows[i].guard_ps;
        assert_int_equal(budget_of(&input).payload_bytes, rows[i].payload);
    }
}

TEST(default_frame_holds_six_bytes)
{
    struct pb_budget_input input = published;

    input.guard_ps = 10 * US;
    input.check_bytes = 1;
    assert_int_equal(budget_of(&input).slot_bytes, 9);
    assert_int_equal(budget_of(&input).payload_bytes, 6);
    input.payload_bytes = 6;
    assert_true(budget_of(&input).fits);
    input.payload_bytes = 7;
    assert_false(budget_of(&input).fits);
}

/* 10 payload and 2 header bytes with 10 us guard: 120 bit times in 90 us, or at 1 Mbaud 130 us per phase. */
TEST(published_payload_needs_more_baud_or_time)
{
    struct pb_budget_input input = published;

    input.guard_ps = 10 * US;
    input.payload_bytes = 10;
    struct pb_budget budget = budget_of(&input);
    assert_false(budget.fits);
    assert_int_equal(budget.baud_limit_hz, 1333334);
    assert_int_equal(budget.phase_rate_limit_mhz, 7692307);
    assert_int_equal(budget.guard_limit_ps, -1);
}

/* Two bytes of header and eight of payload fill the phase to its last bit: every setting is at its limit. */
TEST(full_slot_is_at_every_limit)
{
    struct pb_budget_input input = published;

    input.payload_bytes = 8;
    struct pb_budget budget = budget_of(&input);
    assert_true(budget.fits);
    assert_int_equal(budget.phase_rate_limit_mhz, input.phase_rate_mhz);
    assert_int_equal(budget.baud_limit_hz, input.baud_hz);
    assert_int_equal(budget.guard_limit_ps, 0);
}

TEST(one_byte_at_hundred_kilohertz)
{
    struct pb_budget_input input = published;

    input.phase_rate_mhz = PB_PHASE_RATE_MAX_MHZ;
    struct pb_budget budget = budget_of(&input);
    assert_int_equal(budget.slot_bytes, 1);
    assert_int_equal(budget.payload_bytes, 0);
    assert_false(budget.fits);
}

TEST(period_is_never_rounded)
{
    struct pb_budget_input input = published;

    /* 3 Hz: a third of a second holds 100000 bits of 300 kbaud, though 333333333333 ps, the period rounded,
     * would not. */
    input.phase_rate_mhz = 3000;
    input.baud_hz = 300000;
    struct pb_budget budget = budget_of(&input);
    assert_int_equal(budget.phase_ps, INT64_C(333333333333));
    assert_int_equal(budget.slot_bits, 100000);
    assert_int_equal(budget.slot_bytes, 10000);
    assert_int_equal(budget.slack_ps, 0);

    /* 9600 baud, 10 Hz, 1 ps too much guard for the 960th bit. */
    input.phase_rate_mhz = 10000;
    input.baud_hz = 9600;
    assert_int_equal(budget_of(&input).slot_bits, 960);
    input.guard_ps = 1;
    assert_int_equal(budget_of(&input).slot_bits, 959);
    assert_int_equal(budget_of(&input).slot_bytes, 95);
    assert_int_equal(budget_of(&input).slack_ps, INT64_C(1041666665)); /* 10/9600 s less 1 ps, rounded down */
}

TEST(guard_longer_than_the_phase_leaves_nothing)
{
    struct pb_budget_input input = published;

    input.guard_ps = 100 * US;
    assert_int_equal(budget_of(&input).slot_bits, 0);
    input.guard_ps = 250 * US;
    struct pb_budget budget = budget_of(&input);
    assert_int_equal(budget.slot_bits, 0);
    assert_int_equal(budget.slot_bytes, 0);
    assert_int_equal(budget.payload_bytes, 0);
    assert_int_equal(budget.slack_ps, 0);
    assert_int_equal(budget.baud_limit_hz, 0);
    assert_int_equal(budget.guard_limit_ps, 70 * US);
    assert_false(budget.fits);
}

/* At its limit a setting fits; one step beyond it does not. */
TEST(limits_are_exact)
{
    static const uint64_t rates_mhz[] = {1000, 3000, 999999, 7692307, 10000000, 12345678, 100000000};
    static const uint64_t bauds_hz[] = {300, 9600, 115200, 1000000, 1333333, 12000000};
    static const int64_t guards_ps[] = {0, 1, 3333333, 10 * US, 20 * US, 99 * US};

    for (unsigned r = 0; r < 7; r++) {
        for (unsigned b = 0; b < 6; b++) {
            for (unsigned g = 0; g < 6; g++) {
                for (unsigned payload = 0; payload < 12; payload += 5) {
                    struct pb_budget_input input = {
                        rates_mhz[r], bauds_hz[b], guards_ps[g], 2, 1, payload, 12, 0};
                    struct pb_budget budget = budget_of(&input);
                    struct pb_budget_input tried = input;

                    assert_int_equal(budget.fits, budget.payload_bytes >= (payload ? payload : 1));
                    if (budget.phase_rate_limit_mhz) {
                        tried.phase_rate_mhz = budget.phase_rate_limit_mhz;
                        assert_true(budget_of(&tried).fits);
                    }
                    tried.phase_rate_mhz =
                        budget.phase_rate_limit_mhz ? budget.phase_rate_limit_mhz + 1 : PB_PHASE_RATE_MIN_MHZ;
                    if (tried.phase_rate_mhz <= PB_PHASE_RATE_MAX_MHZ)
                        assert_false(budget_of(&tried).fits);

                    tried = input;
                    if (budget.baud_limit_hz) {
                        tried.baud_hz = budget.baud_limit_hz;
                        assert_true(budget_of(&tried).fits);
                    }
                    tried.baud_hz = budget.baud_limit_hz ? budget.baud_limit_hz - 1 : PB_BAUD_MAX_HZ;
                    if (tried.baud_hz >= PB_BAUD_MIN_HZ)
                        assert_false(budget_of(&tried).fits);

                    tried = input;
                    if (budget.guard_limit_ps >= 0) {
                        tried.guard_ps = budget.guard_limit_ps;
                        assert_true(budget_of(&tried).fits);
                    }
                    tried.guard_ps = budget.guard_limit_ps + 1;
                    assert_false(budget_of(&tried).fits);
                }
            }
        }
    }
}

TEST(clocks_drift_apart)
{
    struct pb_budget_input input = published;

    input.clock_ppm = 50;
    assert_int_equal(budget_of(&input).drift_per_superframe_ps, 240000);
    input.clock_ppm = 10000;
    assert_int_equal(budget_of(&input).drift_per_superframe_ps, 48 * US);
    /* 9.5 bit times of 1 us at 2 % */
    assert_int_equal(budget_of(&input).stop_bit_shift_ps, 190000);
    /* 5.26 % between the two is the ideal receiver's end: half a bit at the stop bit. */
    input.clock_ppm = 26315;
    assert_true(budget_of(&input).stop_bit_shift_ps < US / 2);
    input.clock_ppm = 26316;
    assert_true(budget_of(&input).stop_bit_shift_ps >= US / 2);
}

TEST(out_of_range_is_named)
{
    struct pb_budget budget;
    struct pb_diag diag;
    struct pb_budget_input input;

#define REFUSED(member, wrong, word)                                                                         \
    do {                                                                                                     \
        input = published;                                                                                   \
        input.member = (wrong);                                                                              \
        assert_int_equal(pb_budget(&input, &budget, &diag), PB_ERR_ARGUMENT);                                \
        assert_non_null(strstr(diag.text, word));                                                            \
        assert_null(strchr(diag.text, '\n'));                                                                \
    } while (0)
    REFUSED(phase_rate_mhz, 999, "phase rate");
    REFUSED(phase_rate_mhz, 100000001, "phase rate");
    REFUSED(phase_rate_mhz, UINT64_MAX, "phase rate");
    REFUSED(baud_hz, 299, "baud");
    REFUSED(baud_hz, 12000001, "baud");
    REFUSED(guard_ps, -1, "guard");
    REFUSED(guard_ps, INT64_MAX, "guard");
    REFUSED(header_bytes, 65536, "header");
    REFUSED(check_bytes, 65536, "check");
    REFUSED(payload_bytes, 65536, "payload");
    REFUSED(phases, 1, "superframe");
    REFUSED(phases, 193, "superframe");
    REFUSED(clock_ppm, 100001, "clock error");
#undef REFUSED
}
