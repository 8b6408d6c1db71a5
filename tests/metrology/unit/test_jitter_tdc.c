/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Jitter by the time-to-digital converter: of edges that are made here, so that the truth is known to the
 * picosecond, and of runs on the simulated bench, whose controller and node move their edges by a stated
 * amount.
 *
 * evidence: jitter by the converter
 *   simulated: jitter of 0.01 to 3 ticks that a test makes, and of 0.2 to 62 ns that the controller makes,
 *   is recovered; a delay below half a tick inside its U95; wrong tables are found; no board has run it
 *   also: tdc.sh
 */
#include "phasebench/jitter.h"
#include "phasebench/report.h"
#include "phasebench/result.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"
#include "phasebench/scenario.h"
#include "phasebench/tdc_session.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_PS (1e12 / 48e6)
#define STEP_PS (TICK_PS / 2)
#define BIN_PS (TICK_PS / 100)
enum { US = 1000000, PHASES = 24, LINK = 3, STEP = 10417 };

static struct pb_result made_result = {.phase_rate_mhz = 10000000, .network = {.phases = PHASES}};

static const struct pb_jitter_row *row_of(const struct pb_jitter *jitter, enum pb_jitter_quantity quantity)
{
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity == quantity)
            return &jitter->row[i];
    fail_msg("no row %s", pb_jitter_id(quantity));
    return NULL;
}

/* ---- made edges: 100 even bins of 208 ps for rises, 50 of 417 ps for falls */

static struct pb_tdc_watch made_watch(unsigned pin)
{
    struct pb_tdc_watch watch = {
        .table = {.taps = 104, .clock_hz = 48000000, .oscillator_hz = 1e6}, .pin = pin, .ratio_end = 1};
    for (unsigned code = 1; code <= 100; code++) {
        watch.table.side[1].hits[code] = 400;
        watch.table.side[0].hits[code] = code <= 50 ? 800 : 0;
    }
    assert_int_equal(pb_tdc_scale(&watch.scale, &watch.table, 1e6, NULL), PB_OK);
    return watch;
}

/* The middle of the bin in which an edge is, after a pin with this delay. */
static int64_t observed(double ps, double bin_ps, double delay_ps)
{
    return llround(bin_ps * (floor((ps + delay_ps) / bin_ps) + 0.5));
}

static int64_t stamped(double ps)
{
    return llround(STEP_PS * floor(ps / STEP_PS));
}

#define DELAY_PS (TICK_PS + 3217)

static void release(void *jitter)
{
    pb_jitter_free(jitter);
}

static struct pb_jitter *clock_of(double sd_ps, const struct pb_tdc_watch *watch, uint64_t seed)
{
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *jitter;
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    random_state = seed;
    pb_jitter_keep_fine(collector, watch->pin);
    int64_t before = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        const double truth = 7e9 + (double)k * (100 * US + 37.3) + sd_ps * gaussian();
        const int64_t now = stamped(truth);
        sink.take_fine(sink.context, &(struct pb_fine_stamp){true, observed(truth, BIN_PS, DELAY_PS)});
        sink.take_fine(sink.context, &(struct pb_fine_stamp){false, observed(truth, BIN_PS, DELAY_PS) + 50});
        if (k)
            sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_CLOCK_PERIOD,
                                                        .phase = k,
                                                        .time_ps = now,
                                                        .value = now - before,
                                                        .step_ps = STEP});
        before = now;
    }
    assert_succeeds(pb_jitter_refine(collector, watch, &made_result, &diag));
    assert_int_equal(pb_jitter_compute(&jitter, collector, &made_result, true, PB_JITTER_FIT), PB_OK);
    pb_jitter_collector_free(collector);
    return hand_over(jitter, release);
}

/* From a hundredth of a tick on: the deviation of a deviation is sd / sqrt(2 n). */
TEST(jitter_is_recovered_far_below_a_half_tick)
{
    static const double ticks[] = {0.01, 0.03, 0.1, 0.3, 1, 3};
    const struct pb_tdc_watch watch = made_watch(PB_TDC_CLOCK);
    for (unsigned i = 0; i < COUNT(ticks); i++) {
        const double sd = ticks[i] * TICK_PS, within = 4 * sd / sqrt(2 * 20000.0) + 2;
        struct pb_jitter *jitter = clock_of(sd, &watch, 5 + i);
        const struct pb_jitter_row *tie = row_of(jitter, PB_JITTER_TIE);
        assert_true(tie->fine && tie->swept && !tie->sd_is_bound);
        assert_near(tie->sd_ps, sd, within);
        assert_near(row_of(jitter, PB_JITTER_PERIOD)->sd_ps, sqrt(2) * sd, 2 * within);
        assert_near(row_of(jitter, PB_JITTER_CYCLE)->sd_ps, sqrt(6) * sd, 4 * within);
        assert_near(row_of(jitter, PB_JITTER_N_PERIOD)->sd_ps, sqrt(2) * sd, 2 * within);
        assert_near(tie->step_ps, BIN_PS, 1);
        assert_int_equal(jitter->fine.edges, 20000);
        assert_int_equal(jitter->fine.without, 0);
    }
}

/* Frames at a delay after exact edges; those of a node whose clock moves through the tick. */
static struct pb_jitter *response_of(double delay_ps, double spread_ps, double *mean_ps)
{
    const struct pb_tdc_watch watch = made_watch(LINK);
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_jitter *jitter;
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    random_state = 11;
    pb_jitter_keep_fine(collector, LINK);
    *mean_ps = 0;
    enum { N = 4000 };
    for (uint64_t k = 0; k < N; k++) {
        const double edge = STEP_PS * (672000.0 + (double)k * 230400),
                     truth = delay_ps + spread_ps * uniform();
        *mean_ps += truth / N;
        sink.take_fine(sink.context,
                       &(struct pb_fine_stamp){false, observed(edge + truth, 2 * BIN_PS, DELAY_PS)});
        sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_NODE_START,
                                                    .link = LINK,
                                                    .phase = k * PHASES,
                                                    .time_ps = llround(edge),
                                                    .value = stamped(edge + truth) - llround(edge),
                                                    .step_ps = STEP});
    }
    assert_succeeds(pb_jitter_refine(collector, &watch, &made_result, &diag));
    assert_int_equal(pb_jitter_compute(&jitter, collector, &made_result, false, PB_JITTER_FIT), PB_OK);
    pb_jitter_collector_free(collector);
    return hand_over(jitter, release);
}

/* A delay is known to its U95 wherever it is within a half tick; the scatter, which is that of the truth, is
 * left out of it. */
TEST(a_delay_below_a_half_tick_is_recovered)
{
    for (unsigned part = 0; part < 20; part++) {
        double mean_ps;
        struct pb_jitter *jitter =
            response_of(5 * US + part * STEP_PS / 20, 40 * STEP_PS, &mean_ps);
        const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
        const struct pb_jitter_fine *fine = &jitter->fine;
        const double u95 = 1.96 * hypot(fine->rms_ps / 60, hypot(fine->table_ps, fine->place_ps / sqrt(3)));
        assert_true(row->fine && row->swept);
        assert_near(row->mean_ps, mean_ps, u95);
        assert_true(u95 < 300 && u95 <= row->expanded.u95 + 1);
        assert_near(row->sd_ps, 40 * STEP_PS / sqrt(12), 0.03 * 40 * STEP_PS / sqrt(12));
    }
}

/* Edges that never move leave the delay of the pin open to a half tick, and the U95 says so. */
TEST(a_locked_delay_has_the_bound_of_its_stamp)
{
    double mean_ps;
    struct pb_jitter *jitter = response_of(5 * US + 1300, 0, &mean_ps);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    assert_true(!row->swept && row->sd_is_bound);
    assert_near(row->mean_ps, mean_ps, row->expanded.u95);
    assert_true(row->expanded.u95 > 0.9 * STEP_PS / 2);
}

/* Bins of a hundredth of a tick; 100 x 400 hits: tick / (2 sqrt(40000)) = 52 ps; by the widest bin, as all
 * places within a step are swept: 104 ps. In place of the step of a stamp. */
TEST(the_budget_has_the_converter_in_place_of_the_half_tick)
{
    static const struct {
        const char *name;
        double size_ps;
        bool averages;
    } expected[] = {{"bins of the converter", 60.14, true},
                    {"edges of the bins in its table", 52.08, false},
                    {"drift of its delays", 20.83, false},
                    {"delay of its pin, by the stamps", 104.2, false},
                    {"threshold and slew of a driven rise", 1060, false}};
    struct pb_tdc_watch watch = made_watch(PB_TDC_CLOCK);
    watch.ratio_end = 1.001;
    made_result.clock_budget[0] = (struct pb_uncertainty_row){
        .name = "step of a stamp", .kind = PB_UNCERTAINTY_STEP, .rise_ps = 5208};
    made_result.clock_budget[1] = (struct pb_uncertainty_row){
        .name = "threshold and slew of a driven rise", .kind = PB_UNCERTAINTY_LEVEL, .rise_ps = 1060};
    made_result.clock_budget_rows = 2;
    struct pb_jitter *jitter = clock_of(500, &watch, 9);
    const struct pb_jitter_budget *budget = &jitter->budget[PB_JITTER_FINE_EDGE];
    assert_int_equal(pb_jitter_edges(jitter), 4);
    assert_int_equal(budget->parts, COUNT(expected));
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_string_equal(budget->part[i].name, expected[i].name);
        assert_near(budget->part[i].size_ps, expected[i].size_ps, i == 3 ? 5 : 0.01);
        assert_int_equal(budget->part[i].averages, expected[i].averages);
    }
    assert_near(budget->sum.u,
                sqrt(60.14 * 60.14 + 52.08 * 52.08 + (20.83 * 20.83 + 104.2 * 104.2 + 1060 * 1060) / 3), 2);
    FILE *stream = open_text();
    const struct pb_report_style style = {.columns = 160};
    assert_int_equal(pb_report_jitter_text(stream, jitter, &style), PB_OK);
    assert_int_equal(pb_report_jitter_html(stream, jitter, &made_result), PB_OK);
    assert_int_equal(pb_report_jitter_json(stream, jitter, &made_result), PB_OK);
    const char *text = close_text(stream);
    assert_non_null(strstr(text, "rises of TDMA_CLK: 20000 edges, 0 without a place; single shot 60 ps rms"));
    assert_non_null(strstr(text, "\"single_shot_rms_ps\""));
    assert_non_null(strstr(text, "rise of TDMA_CLK, by the time-to-digital converter"));
    made_result.clock_budget_rows = 0;
}

/* A change of the table by 10 mV is followed by the oscillator; a tenth of it is not known. */
TEST(a_renewed_table_is_less_certain)
{
    struct pb_tdc_watch watch = made_watch(PB_TDC_CLOCK);
    watch.scale.ratio = 1.017;
    watch.ratio_end = 0;
    struct pb_jitter *jitter = clock_of(500, &watch, 9);
    assert_near(jitter->fine.drift_ps, 0.0017 * TICK_PS, 0.01);
    assert_near(jitter->fine.rms_ps, 1.017 * 60.14, 0.01);
    assert_true(jitter->fine.ratio_end == 1.017);
}

TEST(a_pin_without_edges_is_refused)
{
    const struct pb_tdc_watch watch = made_watch(LINK);
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_diag diag;
    const struct pb_sample_sink sink = pb_jitter_sink(collector);
    pb_jitter_keep_fine(collector, LINK);
    sink.take_fine(sink.context, &(struct pb_fine_stamp){false, 400000});
    /* Beyond 8 ticks. */
    sink.take(sink.context, &(struct pb_sample){.figure = PB_FIGURE_NODE_START, .link = LINK, .step_ps = STEP,
                                                .value = 400000 + 166668});
    assert_int_equal(pb_jitter_refine(collector, &watch, &made_result, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "none of the 1 edges that were stamped at its pin"));
    pb_jitter_collector_free(collector);
}

/* ---- on the simulated bench */

static struct pb_scenario *scenario_of(const char *text)
{
    struct pb_scenario *scenario;
    assert_succeeds(pb_scenario_parse(&scenario, "jitter.yaml", text, strlen(text), &diag));
    return scenario;
}

#define OUTSIDE(jitter)                                                                                      \
    "name: outside\ncube: {dims: 3}\nsuperframes: 400\n"                                                     \
    "clock: {source: external, error: 20 ppm, jitter: " jitter "}\nnodes:\n  - {address: 1}\ntraffic:\n"     \
    "  - {from: 0, to: 3, repeat: forever}\n"
#define INSIDE(ppm)                                                                                          \
    "name: inside\ncube: {dims: 3}\nsuperframes: 400\nnodes:\n"                                              \
    "  - {address: 1, clock_error: " ppm " ppm}\ntraffic:\n  - {from: 0, to: 3, repeat: forever}\n"

/* The table of the simulated device, made once. */
static const struct pb_tdc_table *table_of_typ(void)
{
    static struct pb_tdc_table table;
    struct pb_transport *transport;
    struct pb_device *device;
    struct pb_diag diag;
    if (table.taps)
        return &table;
    struct pb_scenario *scenario = scenario_of(OUTSIDE("0 ns"));
    if (pb_rig_open(&transport, &(struct pb_rig_options){.url = "sim:?tdc=typ"}, scenario, &diag) ||
        pb_device_open(&device, transport, &diag) ||
        pb_tdc_calibrate(&table, device, 40000, NULL, &diag))
        fail_msg("%s", diag.text);
    pb_device_close(device);
    pb_scenario_free(scenario);
    return &table;
}

/* What a run, then pb_jitter_refine, return. */
static int run(struct pb_jitter **jitter, const char *text, const char *url, struct pb_tdc_watch *watch,
               struct pb_diag *diag)
{
    struct pb_scenario *scenario = scenario_of(text);
    struct pb_jitter_collector *collector = pb_jitter_collect();
    struct pb_result *result;
    *jitter = NULL;
    pb_jitter_keep_fine(collector, watch->pin);
    const struct pb_run_options options = {
        .rig_url = url, .run_only = true, .samples = pb_jitter_sink(collector), .tdc = watch};
    int code = pb_run(&result, scenario, &options, diag);
    if (!code) {
        assert_int_equal(result->verdict, PB_VERDICT_PASS);
        code = pb_jitter_refine(collector, watch, result, diag);
    }
    if (!code)
        assert_int_equal(pb_jitter_compute(jitter, collector, result, scenario->follow, PB_JITTER_FIT),
                         PB_OK);
    pb_result_free(result);
    pb_jitter_collector_free(collector);
    pb_scenario_free(scenario);
    return code;
}

static struct pb_jitter *run_well(const char *text, const char *url, unsigned pin)
{
    struct pb_tdc_watch watch = {.table = *table_of_typ(), .pin = pin};
    struct pb_jitter *jitter;
    assert_succeeds(run(&jitter, text, url, &watch, &diag));
    return hand_over(jitter, release);
}

/* Uniform jitter of width w has the deviation w / sqrt(12); of 2400 values it is known to 0.9 % (kurtosis
 * 1.8). Three of them, and 10 ps for what the table leaves open. */
TEST(the_controllers_jitter_is_recovered)
{
    static const struct {
        const char *text;
        double width_ps;
    } run_of[] = {{OUTSIDE("0.72 ns"), 720}, {OUTSIDE("7.2 ns"), 7200}, {OUTSIDE("216 ns"), 216000}};
    for (unsigned i = 0; i < COUNT(run_of); i++) {
        struct pb_jitter *jitter = run_well(run_of[i].text, "sim:?tdc=typ", PB_TDC_CLOCK);
        const double sd = run_of[i].width_ps / sqrt(12);
        assert_near(row_of(jitter, PB_JITTER_TIE)->sd_ps, sd, 0.027 * sd + 10);
        assert_int_equal(jitter->fine.edges, 2400);
        assert_near(jitter->fine.rms_ps, 51, 2);
    }
}

/* 1.7 % of a tick is 354 ps: without the renewal the deviation would be 231 ps. */
TEST(a_table_follows_the_voltage)
{
    struct pb_jitter *jitter = run_well(OUTSIDE("0.72 ns"), "sim:?tdc_mv=-10", PB_TDC_CLOCK);
    assert_near(jitter->fine.ratio, 1.017, 0.001);
    assert_near(jitter->fine.ratio_end, 1.017, 0.001);
    assert_near(row_of(jitter, PB_JITTER_TIE)->sd_ps, 720 / sqrt(12), 0.027 * 208 + 10);
}

/* A node that starts a frame 5 us after the edge, by a timer of 48 MHz that is fast by e: 5 us (1 - e), and
 * half of its tick, which is also what scatters. 130 ppm are 0.65 ns. */
TEST(a_node_that_is_earlier_by_a_part_of_a_half_tick)
{
    static const struct {
        const char *text;
        double ppm;
    } run_of[] = {{INSIDE("130"), 130}, {INSIDE("260"), 260}, {INSIDE("390"), 390}};
    for (unsigned i = 0; i < COUNT(run_of); i++) {
        struct pb_jitter *jitter = run_well(run_of[i].text, "sim:?tdc=typ", 1);
        const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
        assert_true(row->fine && row->swept && row->raw.n == 400);
        assert_near(row->mean_ps, 5 * US * (1 - run_of[i].ppm * 1e-6) + TICK_PS / 2, row->expanded.u95);
        assert_true(row->expanded.u95 < 700);
        assert_near(row->sd_ps, TICK_PS / sqrt(12), 150);
        assert_near(jitter->fine.rms_ps, 44, 2); /* falls: 0.25 ns are asked for */
    }
}

/* With another controller the edge that the frame answers has a stamp of half a tick. */
TEST(a_response_to_another_controller)
{
    struct pb_jitter *jitter =
        run_well("name: outside\ncube: {dims: 3}\nsuperframes: 400\n"
                 "clock: {source: external, error: 20 ppm, jitter: 216 ns}\nnodes:\n"
                 "  - {address: 1, clock_error: 260 ppm}\ntraffic:\n  - {from: 0, to: 3, repeat: forever}\n",
                 "sim:?tdc=typ", 1);
    const struct pb_jitter_row *row = row_of(jitter, PB_JITTER_RESPONSE);
    assert_near(row->reference_step_ps, STEP_PS, 1);
    assert_near(row->mean_ps, 5 * US - 1300 + TICK_PS / 2, row->expanded.u95);
    assert_near(row->sd_ps, TICK_PS / sqrt(12), 300);
    /* 400 places leave two gaps at the ends of a step: half of their sum is above 4.6 / 400 in 1 of 1000. */
    assert_true(jitter->fine.place_ps < 4.6 / 400 * STEP_PS + jitter->fine.widest_ps / 2);
}

TEST(a_wrong_table_is_found)
{
    struct pb_tdc_watch watch = {.table = *table_of_typ(), .pin = PB_TDC_CLOCK};
    struct pb_jitter *jitter;
    struct pb_diag diag;
    /* The bins of falls for rises: the chain looks a sixth shorter. */
    const struct pb_tdc_side falls = watch.table.side[0];
    watch.table.side[0] = watch.table.side[1];
    watch.table.side[1] = falls;
    assert_int_equal(run(&jitter, OUTSIDE("216 ns"), "sim:?tdc=typ", &watch, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "ps apart from their stamps"));
    assert_non_null(strstr(diag.text, "calibrate again"));
    /* Another device, as at 85 C and 1.14 V. */
    watch = (struct pb_tdc_watch){.table = *table_of_typ(), .pin = PB_TDC_CLOCK};
    assert_int_equal(run(&jitter, OUTSIDE("0 ns"), "sim:?tdc=max", &watch, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "as at another temperature or core voltage"));
    /* A table that contradicts the name of its own bitstream. */
    watch.table.clock_hz++;
    assert_int_equal(run(&jitter, OUTSIDE("0 ns"), "sim:?tdc=typ", &watch, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "a clock of 48000001 Hz; the core has 352 and 48000000 Hz; calibrate"));
    watch.table.clock_hz--;
    watch.table.taps--;
    assert_int_equal(run(&jitter, OUTSIDE("0 ns"), "sim:?tdc=typ", &watch, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "is of 351 taps"));
    watch.table.bitstream[0] = '1';
    assert_int_equal(run(&jitter, OUTSIDE("0 ns"), "sim:?tdc=typ", &watch, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "is of bitstream 1x"));
}

TEST(a_core_without_taps_is_refused)
{
    struct pb_tdc_watch watch = {.table = *table_of_typ(), .pin = PB_TDC_CLOCK};
    struct pb_jitter *jitter;
    struct pb_diag diag;
    assert_int_equal(run(&jitter,
                         "name: two\ncube: {dims: 2}\nsuperframes: 3\nnodes:\n  - {address: 0}\n"
                         "  - {address: 1}\ntraffic:\n  - {pattern: complement}\n",
                         "sim:?clock=24MHz", &watch, &diag),
                     PB_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "0 taps"));
}
