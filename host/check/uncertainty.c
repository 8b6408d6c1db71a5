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
#define SWEPT_MIN 4    /* so many distinct stamps show that the instants move through a step */
#define SAMPLES_MIN 16 /* fewer stamps do not show it either way */

/* Figures of the boards, by the clock of their core. Data sheets: iCE40 LP/HX DS1040 (pin skew within a bank,
 * skew of the global clock, PLL period jitter up to 100 MHz), iCE40 UltraPlus (the same but for the jitter,
 * where the larger cycle to cycle figure of DS1040 stands in; duty cycle of the PLL). Fall: 0.8 to 2.0 V of a
 * line of 50 pF through 65 ohms; the driven rise of TDMA_CLK alike. A rise whose line was not measured: the
 * same levels, 2.2 kohm. */
static const struct board {
    const char *name;
    uint32_t clock_min_hz, clock_max_hz;
    int64_t pin_skew_ps, clock_skew_ps, pll_sd_ps, fall_ps, rise_ps, clock_rise_ps;
    unsigned duty_percent;
} boards[] = {
    {"iCE40 UltraPlus", 35900000, 36100000, 510, 530, 125, 1500, 36000, 1060, 10},
    {"iCE40 HX8K", 95900000, 96350000, 290, 300, 75, 1500, 36000, 1060, 10},
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
        add_row(result->budget, rows, "threshold and slew of a fall", PB_UNCERTAINTY_LEVEL, board->fall_ps,
                0);
        add_row(result->budget, rows,
                input->rise_known ? "rise of the line, measured" : "rise of the line, not measured",
                PB_UNCERTAINTY_LEVEL, 0, rise_ps);
        /* The bench makes its own edges at whole ticks. */
        add_board_rows(result->clock_budget, clock_rows, board, input->follows ? duty_ps : 0, true);
        add_row(result->clock_budget, clock_rows, "threshold and slew of a driven rise", PB_UNCERTAINTY_LEVEL,
                0, board->clock_rise_ps);
    }
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
                                          int64_t step_ps)
{
    struct pb_corrected corrected = {.residues = distinct(ps, values, step_ps)};
    const uint64_t n = raw->n;
    if (!n)
        return corrected;
    corrected.swept = n >= SAMPLES_MIN && corrected.residues >= SWEPT_MIN;
    corrected.mean_ps = raw->mean + step_ps / 2;
    const double step = (double)step_ps, sd = (double)raw->sd;
    /* A mean over phases that are swept errs by its own spread, one of locked stamps by half a step. */
    corrected.mean_u95_ps = corrected.swept ? llround(1.96 * sd / sqrt((double)n)) : (step_ps + 1) / 2;
    const double variance = sd * sd - step * step / 12;
    corrected.sd_is_bound = !corrected.swept || variance <= 0;
    if (!corrected.sd_is_bound)
        corrected.sd_ps = llround(sqrt(variance));
    else if (corrected.swept)
        corrected.sd_ps = llround(step * sqrt(1.645 * 0.0745 / sqrt((double)n)));
    else
        corrected.sd_ps = raw->sd + (step_ps + 1) / 2;
    return corrected;
}
