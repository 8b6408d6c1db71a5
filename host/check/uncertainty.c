/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/uncertainty.h"
#include "phasebench/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define OSCILLATOR_PPM 50
#define RESIDUES_MAX 64
#define SWEPT_MIN 4    /* this many distinct stamps show that the instants move through a step */
#define CONFIDENCE 0.95
#define SAMPLES_MIN 16 /* fewer stamps show neither */

/* Figures of the boards, by the clock of their core. Data sheets: iCE40 LP/HX DS1040 (pin skew within a bank,
 * skew of the global clock, PLL period jitter up to 100 MHz: 450 ps peak to peak), iCE40 UltraPlus (the same;
 * PLL period jitter 0.05 of its period, peak to peak; duty cycle of the PLL). A deviation is a sixth of a
 * peak-to-peak value. Path: tCO of a register in a pad, less what a register in a pad samples after its clock
 * (tH, -tSU): 3.0 to 5.0 ns of an HX8K, 4.5 to 9.5 ns of an UP5K. Fall: 2.0 to 0.8 V of 50 pF through 65
 * ohms, and then of the pad's 6 pF through 220 ohms (UP5K: 253), after the pull. Driven rise of TDMA_CLK: 0.8
 * to 2.0 V of 50 pF through 65 ohms. A rise whose line was not measured: the same levels, 2.2 kohm. */
static const struct board {
    const char *name;
    uint32_t clock_min_hz, clock_max_hz;
    int64_t pin_skew_ps, clock_skew_ps, pll_sd_ps;
    struct delay {
        int64_t middle_ps, half_ps;
    } path, fall, clock_rise;
    int64_t rise_ps;
    unsigned duty_percent;
} boards[] = {
    {"iCE40 UltraPlus", 35900000, 36100000, 510, 530, 231, {7000, 2500}, {4806, 1685}, {1965, 1063}, 36000,
     10},
    {"iCE40 HX8K", 95900000, 96350000, 290, 300, 75, {4000, 1000}, {4584, 1633}, {1965, 1063}, 36000, 10},
};

static const struct board *board_of(uint32_t clock_hz)
{
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++)
        if (clock_hz >= boards[i].clock_min_hz && clock_hz <= boards[i].clock_max_hz)
            return &boards[i];
    return NULL;
}

static void add_row(struct pb_uncertainty_row list[PB_BUDGET_MAX], unsigned *rows, const char *name,
                    enum pb_uncertainty_kind kind, int64_t fall_ps, int64_t rise_ps)
{
    if (*rows == PB_BUDGET_MAX || (!fall_ps && !rise_ps))
        return;
    struct pb_uncertainty_row *row = &list[(*rows)++];
    *row = (struct pb_uncertainty_row){
        .kind = kind, .normal = kind == PB_UNCERTAINTY_RANDOM, .fall_ps = fall_ps, .rise_ps = rise_ps};
    snprintf(row->name, sizeof row->name, "%s", name);
}

/* Gives the last row its delays. */
static void set_late(struct pb_uncertainty_row list[PB_BUDGET_MAX], unsigned rows, int64_t fall_ps,
                     int64_t rise_ps)
{
    list[rows - 1].fall_late_ps = fall_ps;
    list[rows - 1].rise_late_ps = rise_ps;
}

int64_t pb_uncertainty_u95_ps(const struct pb_uncertainty_row *row, unsigned first, unsigned rows, bool rise)
{
    struct pb_contribution part[PB_BUDGET_MAX];
    struct pb_expanded expanded;
    unsigned parts = 0;
    for (unsigned i = first; i < rows; i++)
        part[parts++] =
            (struct pb_contribution){row[i].normal, (double)(rise ? row[i].rise_ps : row[i].fall_ps)};
    pb_expand(&expanded, part, parts);
    return llround(expanded.u95);
}

/* Rows that every edge at a pin of the core has. rising: the clock's edges only rise. */
static void add_board_rows(struct pb_uncertainty_row list[PB_BUDGET_MAX], unsigned *rows,
                           const struct board *board, int64_t duty_ps, bool rising)
{
    const int64_t falls = !rising;
    add_row(list, rows, "duty cycle of the core's clock", PB_UNCERTAINTY_DUTY, falls * duty_ps, duty_ps);
    add_row(list, rows, "jitter of the PLL", PB_UNCERTAINTY_RANDOM, falls * board->pll_sd_ps,
            board->pll_sd_ps);
    add_row(list, rows, "skew of the pads", PB_UNCERTAINTY_SKEW, falls * board->pin_skew_ps,
            board->pin_skew_ps);
    add_row(list, rows, "skew of the clock", PB_UNCERTAINTY_SKEW, falls * board->clock_skew_ps,
            board->clock_skew_ps);
}

static void add_late(struct pb_result *result)
{
    result->late_fall_ps = result->late_rise_ps = 0;
    for (unsigned i = 0; i < result->budget_rows; i++) {
        result->late_fall_ps += result->budget[i].fall_late_ps;
        result->late_rise_ps += result->budget[i].rise_late_ps;
    }
    /* A late edge of the clock makes the response to it appear long. */
    for (unsigned i = 0; i < result->clock_budget_rows; i++) {
        result->late_fall_ps += result->clock_budget[i].rise_late_ps;
        result->late_rise_ps += result->clock_budget[i].rise_late_ps;
    }
}

void pb_uncertainty_budget(struct pb_result *result, const struct pb_uncertainty_input *input)
{
    const struct board *board = board_of(input->clock_hz);
    const int64_t half_step = input->step_ps / 2, tick_ps = PS_PER_S / input->clock_hz,
                  scale_ps = input->interval_ps * OSCILLATOR_PPM / 1000000;
    unsigned *const rows = &result->budget_rows, *const clock_rows = &result->clock_budget_rows;
    *rows = *clock_rows = 0;
    snprintf(result->board, sizeof result->board, "%s", board ? board->name : "");
    add_row(result->budget, rows, "step of a stamp", PB_UNCERTAINTY_STEP, half_step, half_step);
    if (input->follows)
        add_row(result->clock_budget, clock_rows, "step of a stamp", PB_UNCERTAINTY_STEP, 0, half_step);
    if (board) {
        const int64_t duty_ps = input->half_ticks ? tick_ps * board->duty_percent / 100 : 0;
        const int64_t rise_ps = input->rise_known ? input->rise_spread_ps / 2 + half_step : board->rise_ps;
        add_board_rows(result->budget, rows, board, duty_ps, false);
        add_row(result->budget, rows, "oscillator", PB_UNCERTAINTY_SCALE, scale_ps, scale_ps);
        add_row(result->budget, rows, "threshold and slew of a fall", PB_UNCERTAINTY_LEVEL,
                board->fall.half_ps, 0);
        set_late(result->budget, *rows, board->fall.middle_ps, 0);
        add_row(result->budget, rows,
                input->rise_known ? "rise of the line, measured" : "rise of the line, not measured",
                PB_UNCERTAINTY_LEVEL, 0, rise_ps);
        /* Another controller's edge is sampled, too, by a register of the same kind. */
        if (!input->follows) {
            add_row(result->budget, rows, "from the clock's register to the link's", PB_UNCERTAINTY_PATH,
                    board->path.half_ps, board->path.half_ps);
            set_late(result->budget, *rows, board->path.middle_ps, board->path.middle_ps);
        }
        /* The bench makes its own edges at whole ticks. */
        add_board_rows(result->clock_budget, clock_rows, board, input->follows ? duty_ps : 0, true);
        add_row(result->clock_budget, clock_rows, "threshold and slew of a driven rise", PB_UNCERTAINTY_LEVEL,
                0, board->clock_rise.half_ps);
        /* The stamp of another controller's edge and the node's view of it have passed the same level. */
        set_late(result->clock_budget, *clock_rows, 0, input->follows ? 0 : board->clock_rise.middle_ps);
    }
    add_late(result);
    result->u95_fall_ps = pb_uncertainty_u95_ps(result->budget, 0, result->budget_rows, false);
    result->u95_rise_ps = pb_uncertainty_u95_ps(result->budget, 0, result->budget_rows, true);
}

/* ---- statistics */

/* Up to RESIDUES_MAX. */
static unsigned distinct(const int64_t *ps, size_t n, int64_t step_ps)
{
    int64_t found[RESIDUES_MAX];
    unsigned count = 0;
    for (size_t i = 0; i < n && count < RESIDUES_MAX; i++) {
        unsigned k = 0;
        /* Stamps in ps are rounded: those of one step are a ps apart at most. */
        while (k < count && llabs(found[k] - ps[i]) > step_ps / 2)
            k++;
        if (k == count)
            found[count++] = ps[i];
    }
    return count;
}

struct pb_corrected pb_statistics_correct(const struct pb_measurement *raw, const int64_t *ps, size_t values,
                                          int64_t step_ps, bool from_stamps)
{
    struct pb_corrected corrected = {.residues = distinct(ps, values, step_ps)};
    const uint64_t n = raw->n;
    if (!n)
        return corrected;
    const double stamps = from_stamps ? 2 : 1, step = (double)step_ps, sd = (double)raw->sd,
                 rounding = stamps * step / 2, freedom = n > 2 ? (double)(n - 2) : 1,
                 scatter = n > 1 ? pb_student_factor(CONFIDENCE, freedom) * sd / sqrt((double)n) : 0,
                 variance = sd * sd - stamps * step * step / 12,
                 most = sd > 0 ? pb_deviation_interval(sd, freedom, CONFIDENCE).upper : 0;
    corrected.swept = n >= SAMPLES_MIN && corrected.residues >= SWEPT_MIN;
    corrected.mean_ps = raw->mean + (from_stamps ? 0 : step_ps / 2);
    /* Starts keep their place within a step, and a jitter of few values does not move them: the mean is known
     * to the rounding for any n. */
    corrected.mean_u95_ps = llround(ceil(scatter + rounding));
    corrected.sd_is_bound = !corrected.swept || variance <= 0;
    corrected.sd_ps = llround(corrected.sd_is_bound ? ceil(most + rounding) : sqrt(variance));
    return corrected;
}
