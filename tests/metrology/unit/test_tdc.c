/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calibration of the converter against instants that the test chose: on the model of the chain alone, with
 * ones counted here, in every corner, for rises and for falls; what a table that is wrong, old, or of another
 * device gives away.
 *
 * evidence: time-to-digital converter
 *   simulated: a single edge to 60 ps (deviation) in every corner of the vendor's delay table, rises and
 *   falls, and 10 mV away once renewed, against instants that the test chose; placed and routed for the
 *   HX8K-EVN, its netlist simulated with the vendor's delays of cells; no board has run it
 *   also: test_tdc_core, tdc.sh, make rtl-check, make board-check
 */
#include "bench/sim/chain.h"
#include "phasebench/tdc.h"

#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_HZ 48000000
#define TICK_PS (1e12 / CLOCK_HZ)
#define REACH_PS 250.0 /* single shot, rms */
enum { HITS = 200000, SHOTS = 20000 };

/* ---- one edge through the chain, as the core would report it */

static struct pb_chain model;

static struct pb_event edge(double *truth_ps, bool rises)
{
    const int64_t clock_ps = 1000000, at_ps = clock_ps - (int64_t)(uniform() * TICK_PS);
    uint32_t words[PB_CHAIN_WORDS];
    struct pb_event event = {.tick = 48, .kind = PB_EVENT_TDC};
    unsigned ones = 0;
    int64_t captured_ps = clock_ps;
    pb_chain_settle(&model, !rises);
    pb_chain_input(&model, at_ps, rises);
    pb_chain_sample(&model, captured_ps, words);
    if ((words[0] & 1) != rises) { /* it has not reached the first tap: the next clock captures it */
        event.tick++;
        captured_ps = (int64_t)(event.tick * TICK_PS);
        pb_chain_sample(&model, captured_ps, words);
    }
    for (unsigned n = 0; n < PB_CHAIN_WORDS; n++)
        ones += (unsigned)__builtin_popcount(words[n]);
    *truth_ps = (double)at_ps;
    event.value = PB_PUT(PB_EVENT_TDC_CODE, ones) | PB_PUT(PB_EVENT_TDC_LEVEL, rises ? 1u : 0u);
    return event;
}

static void device(enum pb_chain_corner corner, int millivolts)
{
    pb_chain_start(&model, &(struct pb_chain_config){.corner = corner, .millivolts = millivolts});
}

static void calibrate(struct pb_tdc_table *table)
{
    double truth_ps;
    *table = (struct pb_tdc_table){.board = "bench",
                                   .bitstream = "one",
                                   .taps = PB_CHAIN_TAPS,
                                   .clock_hz = CLOCK_HZ,
                                   .oscillator_hz = 1e12 / model.half_period_ps};
    for (unsigned n = 0; n < 2 * HITS; n++) {
        const struct pb_event event = edge(&truth_ps, n & 1);
        pb_tdc_count(table, &event);
    }
}

struct error {
    double mean_ps, sd_ps, rms_ps;
};

/* Of single shots, against the instants that were chosen. */
static struct error error_of(const struct pb_tdc_scale *scale, bool rises)
{
    double sum = 0, squares = 0, truth_ps;
    for (unsigned n = 0; n < SHOTS; n++) {
        const struct pb_event event = edge(&truth_ps, rises);
        const double off_ps = pb_tdc_instant_ps(scale, &event, CLOCK_HZ) - truth_ps;
        sum += off_ps;
        squares += off_ps * off_ps;
    }
    return (struct error){sum / SHOTS, sqrt(squares / SHOTS - sum / SHOTS * sum / SHOTS),
                          sqrt(squares / SHOTS)};
}

/* ---- what the vendor's table says: seven bins and a longer one */

struct corner {
    enum pb_chain_corner corner;
    double carry_ps[2], tile_ps[2]; /* falls, rises */
};
#define FAST (69.3 / 123.5)
static struct corner corners[] = {
    {PB_CHAIN_MIN, {84.6, 101.5}, {140.9, 157.8}},
    {PB_CHAIN_TYP, {93.5, 112.2}, {155.8, 174.5}},
    {PB_CHAIN_MAX, {105.2, 126.2}, {175.3, 196.4}},
    {PB_CHAIN_FAST, {93.5 * FAST, 112.2 * FAST}, {155.8 * FAST, 174.5 * FAST}},
};
static const struct variant devices[] = {
    {"min", &corners[0]}, {"typ", &corners[1]}, {"max", &corners[2]}, {"fast", &corners[3]}, {0}};

/* sqrt(sum w^3 / (12 sum w)) of a tile */
static double theory_ps(const struct corner *at, bool rises)
{
    const double short_ps = at->carry_ps[rises], long_ps = short_ps + at->tile_ps[rises];
    return sqrt((7 * pow(short_ps, 3) + pow(long_ps, 3)) / (12 * (7 * short_ps + long_ps)));
}

TEST_ON(a_single_shot_is_as_good_as_its_bins, NULL, NULL, devices)
{
    const struct corner *at = *state;
    struct pb_tdc_table table;
    struct pb_tdc_scale scale;
    device(at->corner, 0);
    calibrate(&table);
    assert_succeeds(pb_tdc_scale(&scale, &table, table.oscillator_hz, &diag));
    for (unsigned rises = 0; rises < 2; rises++) {
        const struct error error = error_of(&scale, rises);
        struct pb_tdc_figures figures;
        pb_tdc_figures(&figures, &table, rises);
        const double theory = theory_ps(at, rises);
        print_message("%s: rms %.1f ps, sd %.1f ps, bins %.1f ps\n", rises ? "rises" : "falls", error.rms_ps,
                      error.sd_ps, theory);
        assert_true(error.rms_ps < REACH_PS);
        /* Edges of bins are known to tick / (2 sqrt hits), 23 ps at worst. */
        assert_true(error.sd_ps > 0.97 * theory);
        assert_true(error.sd_ps < hypot(theory, figures.edge_sd_ps));
        /* The rest is the delay of the first tap, which calibration cannot know. */
        assert_true(fabs(error.mean_ps - at->carry_ps[rises]) < 40);
        assert_true(fabs(figures.rms_ps - theory) < 0.1 * theory);
        assert_true(fabs(figures.widest_ps - at->carry_ps[rises] - at->tile_ps[rises]) < 20);
        assert_true(fabs(figures.mean_ps - (at->carry_ps[rises] + at->tile_ps[rises] / 8)) < 3);
        assert_int_equal(figures.empty, 0);
        assert_int_equal(figures.hits, HITS);
        assert_true(fabs(figures.edge_sd_ps - 23.3) < 0.1);
    }
}

/* The model's formula: 10 mV less make the chain 1.7 % slower. */
TEST(after_ten_millivolts_the_table_is_renewed_by_the_oscillator)
{
    struct pb_tdc_table table;
    struct pb_tdc_scale old, renewed;
    device(PB_CHAIN_TYP, 0);
    calibrate(&table);
    device(PB_CHAIN_TYP, -10);
    const double now_hz = 1e12 / model.half_period_ps;
    assert_succeeds(pb_tdc_scale(&old, &table, table.oscillator_hz, &diag));
    assert_succeeds(pb_tdc_scale(&renewed, &table, now_hz, &diag));
    assert_true(fabs(renewed.ratio - 1.017) < 0.0006);
    for (unsigned rises = 0; rises < 2; rises++) {
        const struct error before = error_of(&old, rises), after = error_of(&renewed, rises);
        print_message("%s: sd %.1f ps, renewed %.1f ps\n", rises ? "rises" : "falls", before.sd_ps,
                      after.sd_ps);
        assert_true(after.rms_ps < REACH_PS);
        assert_true(after.sd_ps < 1.1 * theory_ps(&corners[1], rises));
        assert_true(before.sd_ps > 1.9 * after.sd_ps);
    }
}

/* A place that is not sought in the table, but counted in bins of one width, as if the chain were even. */
TEST(unequal_bins_matter)
{
    struct pb_tdc_table table;
    struct pb_tdc_scale scale, even;
    struct pb_tdc_figures figures;
    device(PB_CHAIN_TYP, 0);
    calibrate(&table);
    assert_succeeds(pb_tdc_scale(&scale, &table, table.oscillator_hz, &diag));
    pb_tdc_figures(&figures, &table, true);
    even = scale;
    for (unsigned code = 0; code < PB_TDC_CODES; code++)
        even.place_ps[1][code] = figures.mean_ps * (code - figures.first + 0.5);
    assert_true(error_of(&even, true).sd_ps > 1.2 * error_of(&scale, true).sd_ps);
    /* And each side has its own delays. */
    memcpy(even.place_ps[0], scale.place_ps[1], sizeof even.place_ps[0]);
    assert_true(error_of(&even, false).sd_ps > 4 * REACH_PS);
}

/* ---- what is refused */

static void refused(const struct pb_tdc_table *table, double oscillator_hz, const char *cause)
{
    struct pb_tdc_scale scale;
    struct pb_diag diag = {""};
    assert_int_equal(pb_tdc_scale(&scale, table, oscillator_hz, &diag), PB_ERR_CONFIG);
    if (!strstr(diag.text, cause))
        fail_msg("'%s' is not in: %s", cause, diag.text);
}

/* Codes 1 to 100, all alike: a table by hand. */
static struct pb_tdc_table even_table(unsigned hits)
{
    struct pb_tdc_table table = {.board = "sim",
                                 .bitstream = "one",
                                 .made_s = 1750000000,
                                 .taps = 104,
                                 .clock_hz = CLOCK_HZ,
                                 .oscillator_hz = 1e6};
    for (unsigned code = 1; code <= 100; code++)
        table.side[0].hits[code] = table.side[1].hits[code] = hits;
    return table;
}

TEST(a_table_that_cannot_be_right_is_refused)
{
    struct pb_tdc_table table = even_table(100);
    struct pb_tdc_scale scale;
    assert_succeeds(pb_tdc_scale(&scale, &table, 1e6, &diag));
    assert_true(fabs(scale.place_ps[0][1] - TICK_PS / 200) < 1e-6);
    assert_true(fabs(scale.place_ps[1][100] - TICK_PS * 99.5 / 100) < 1e-6);
    assert_succeeds(pb_tdc_scale(&scale, &table, 1e6 / 1.0199, &diag));
    refused(&table, 1e6 / 1.0201, "delays are 1.020 of those in it");
    refused(&table, 1e6 / 0.9799, "calibrate again");
    refused(&table, 0, "calibrate again");
    table.side[1].hits[50]--;
    refused(&table, 1e6, "has 9999 rises; 10000 are the least");
    table = even_table(100);
    table.side[0].hits[104] = 1;
    refused(&table, 1e6, "falls reach the last of 104 taps within a tick of 20833 ps");
    table = even_table(100);
    table.side[1].bubbles = 2500;
    assert_succeeds(pb_tdc_scale(&scale, &table, 1e6, &diag));
    table.side[1].bubbles = 2501;
    refused(&table, 1e6, "of the rises have taps in the wrong order");
    table = even_table(1000);
    table.side[0].hits[7] = 14142; /* 99,000 others: 12.499 % */
    assert_succeeds(pb_tdc_scale(&scale, &table, 1e6, &diag));
    table.side[0].hits[7] = 14144;
    refused(&table, 1e6, "one code has 12.5 % of the falls");
}

TEST(empty_codes_are_counted)
{
    struct pb_tdc_table table = even_table(200);
    struct pb_tdc_figures figures;
    table.side[1].hits[3] = table.side[1].hits[9] = 0;
    pb_tdc_figures(&figures, &table, true);
    assert_int_equal(figures.empty, 2);
    assert_int_equal(figures.first, 1);
    assert_int_equal(figures.last, 100);
    pb_tdc_figures(&figures, &table, false);
    assert_int_equal(figures.empty, 0);
    table = (struct pb_tdc_table){.clock_hz = CLOCK_HZ};
    pb_tdc_figures(&figures, &table, false);
    assert_int_equal(figures.hits, 0);
}

/* ---- the file */

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/table.json", new_folder());
    return 0;
}

TEST_BETWEEN(a_file_keeps_a_table, make_path, NULL)
{
    struct pb_tdc_table table = even_table(100), back;
    struct pb_diag diag = {""};
    table.side[0].bubbles = 17;
    table.side[1].hits[42] = 4242;
    assert_int_equal(pb_tdc_write(&table, path, &diag), PB_OK);
    assert_int_equal(pb_tdc_read(&back, path, "sim", &diag), PB_OK);
    assert_memory_equal(back.side, table.side, sizeof table.side);
    assert_string_equal(back.board, "sim");
    assert_string_equal(back.bitstream, "one");
    assert_true(back.made_s == table.made_s && back.taps == 104 && back.clock_hz == CLOCK_HZ &&
                back.oscillator_hz == 1e6);
    assert_int_equal(pb_tdc_read(&back, path, "FT123", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "is of board sim; the rig is FT123"));
    assert_int_equal(pb_tdc_read(&back, path, NULL, &diag), PB_OK);
    assert_int_equal(pb_tdc_check_bitstream(&back, "one", &diag), PB_OK);
    assert_int_equal(pb_tdc_check_bitstream(&back, "two", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "is of bitstream one; the core is two"));
    table.made_s = time(NULL) + 90000; /* a day is 86400 s */
    assert_int_equal(pb_tdc_write(&table, path, &diag), PB_OK);
    assert_int_equal(pb_tdc_read(&back, path, "sim", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "is from the future (made_s "));
    table.made_s = time(NULL) + 80000;
    assert_int_equal(pb_tdc_write(&table, path, &diag), PB_OK);
    assert_int_equal(pb_tdc_read(&back, path, "sim", &diag), PB_OK);
    assert_int_equal(pb_tdc_read(&back, "/nowhere/table", "sim", &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "/nowhere/table: cannot be opened"));
    assert_int_equal(pb_tdc_write(&table, "/nowhere/table", &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "/nowhere/table: cannot be written"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 70000), 0);
    fclose(file);
    assert_int_equal(pb_tdc_read(&back, path, "sim", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "has 65536 bytes or more"));
}

TEST(other_files_are_refused)
{
#define HEAD                                                                                                 \
    "\"form\": \"phasebench-tdc\", \"version\": 1, \"board\": \"a\", \"bitstream\": \"b\", \"made_s\": 5, "
#define TAIL ", \"bubbles_of_falls\": 0, \"bubbles_of_rises\": 0, \"hits_of_falls\": [0, 1, 2]"
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{" HEAD "\"taps\": 0, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL
        ", \"hits_of_rises\": [0, 1, 2]}",
        "{" HEAD "\"taps\": 512, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL
        ", \"hits_of_rises\": [0, 1, 2]}",
        "{" HEAD "\"taps\": 2, \"clock_hz\": 0, \"oscillator_hz\": 1.0" TAIL
        ", \"hits_of_rises\": [0, 1, 2]}",
        "{" HEAD "\"taps\": 2, \"clock_hz\": 1, \"oscillator_hz\": 0.0" TAIL
        ", \"hits_of_rises\": [0, 1, 2]}",
        "{" HEAD "\"taps\": 2, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL ", \"hits_of_rises\": [0, 1]}",
        "{" HEAD "\"taps\": 2, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL
        ", \"hits_of_rises\": [0, -1, 2]}",
        "{" HEAD "\"taps\": 2, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL
        ", \"hits_of_rises\": [0, 1000000001, 2]}",
    };
    static const char good[] = "{" HEAD "\"taps\": 2, \"clock_hz\": 1, \"oscillator_hz\": 1.0" TAIL
                               ", \"hits_of_rises\": [0, 1, 2]}";
    struct pb_tdc_table table;
    struct pb_diag diag = {""};
    assert_int_equal(pb_tdc_parse(&table, good, strlen(good), &diag), PB_OK);
    const char *const twice = formatted("%.*s,\n\"clock_hz\": 2}", (int)strlen(good) - 1, good);
    assert_int_equal(pb_tdc_parse(&table, twice, strlen(twice), &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "2: a key that the table has twice; calibrate again"));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(pb_tdc_parse(&table, bad[i], strlen(bad[i]), &diag), PB_ERR_CONFIG);
        assert_non_null(strstr(diag.text, "is no table of the converter, form phasebench-tdc, version 1"));
    }
}
