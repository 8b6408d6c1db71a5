/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Computes figures from samples. An edge has the number of its phase, so a missing edge leaves a gap.
 * Quantities that need it are left out, and the line through all edges continues. The deviations of the Allan
 * family are those of the longest stretch without a gap. The starts of the frames on a link are such edges,
 * too, one a superframe.
 */
#include "host/metrology/jitter/parts.h"
#include "phasebench/result.h"

#include <math.h>
#include <stdlib.h>

#define PS_PER_S 1e12

static int compute_clock(struct pb_jitter *jitter, const struct train *train)
{
    jitter->edges = train->count;
    if (train->count < 2)
        return PB_OK;
    const struct line line = pb_train_fit(train),
                      ordered = {.start_ps = 0, .period_ps = (long double)jitter->nominal_ps},
                      *reference = jitter->reference == PB_JITTER_FIT ? &line : &ordered;
    jitter->missing = (uint64_t)pb_train_place(train, train->count - 1) + 1 - train->count;
    jitter->period_ps = (double)reference->period_ps;
    const struct rate rate = pb_train_rate(train, &line, jitter->nominal_ps);
    jitter->rate_ppm = rate.ppm;
    jitter->rate_u95_ppm = rate.u95_ppm;
    pb_jitter_drift(jitter, train);

    jitter->tie_ps = pb_train_ties(train, reference);
    if (!jitter->tie_ps)
        return PB_ERR_MEMORY;
    const int code = pb_rows_of_train(jitter, train, jitter->n, &line, jitter->tie_ps,
                                      jitter->reference == PB_JITTER_FIT);
    return code ? code
                : pb_rows_stability(&jitter->stable, train, jitter->tie_ps, &line, jitter->period_ps);
}

/* ---- responses */

/* A node sends on each port in one phase of a superframe: that of its digit, towards the neighbour's. */
static void place_response(struct pb_jitter_row *row, const struct pb_result *result)
{
    const struct pb_network *network = &result->network;
    if (!network->family || row->node < 0 || row->phase < 0)
        return;
    const uint32_t address = result->node[row->node].address;
    const struct pb_slot slot = pb_network_slot(network, address, (unsigned)row->phase);
    const uint32_t neighbour = pb_network_neighbour(network, address, slot.port);
    const unsigned digit = pb_network_differing_digit(network, address, neighbour);
    if (digit == network->digits)
        return;
    row->from = (int)pb_network_digit(network, address, digit);
    row->to = (int)pb_network_digit(network, neighbour, digit);
}

static void bathtub(struct pb_jitter_row *row, const struct pb_result *result)
{
    static const double ratio[PB_JITTER_WINDOWS] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12};
    if (row->split.refusal != PB_SPLIT_VALID || !result->baud_hz)
        return;
    row->bit_ps = PS_PER_S / (double)result->baud_hz;
    for (unsigned i = 0; i < PB_JITTER_WINDOWS; i++) {
        struct pb_jitter_window *window = &row->window[i];
        window->ratio = ratio[i];
        window->model = pb_bathtub_window(&row->split, row->bit_ps, ratio[i]);
        window->is_counted = pb_bathtub_counted_window(&window->counted, row->value, row->raw.n,
                                                       row->split.centre, row->bit_ps, ratio[i]);
    }
}

/* After an exact edge of the bench the place of a start within a step is that of the response, and nothing
 * shows that it moves: a mean is known to half a step. After a stamped edge both move with the clock, and
 * their errors cancel as far as the places are even. */
static void finish_response(struct pb_jitter_row *row, double uneven, bool follows)
{
    const double step_ps = row->step_ps, reference_ps = row->reference_step_ps,
                 least_ps = row->fine && row->swept ? 0 : step_ps / 2;
    const bool pair = follows && !row->fine;
    /* A stamp after an exact edge is rounded down, which the difference of two stamps is not; between a stamp
     * and the middle of a bin it is too long. */
    const double shift_ps = row->fine ? -reference_ps / 2 : follows ? 0 : step_ps / 2;
    pb_row_deviation(row, pair || reference_ps > 0 ? ROUNDED_PAIR : ROUNDED_EDGE, pair ? uneven : 1,
                     (step_ps * step_ps + reference_ps * reference_ps) / 12);
    pb_row_mean(row, shift_ps, row->raw.sd / sqrt((double)row->raw.n),
                pair ? fmin(2 * uneven, 1) * step_ps : least_ps + reference_ps / 2);
}

/* How even the places of the starts on a link are, if the clock moves them. */
static double uneven_starts(const struct pb_jitter *jitter, const struct jitter_series *series)
{
    struct jitter_sample *edge = malloc(series->count * sizeof *edge);
    double uneven = 1;
    if (edge && jitter->n) {
        struct train train = pb_train_of_superframes(series, jitter->n, jitter->tick_ps, edge);
        train.bound = !jitter->follows;
        if (train.count >= 2) {
            const struct line line = pb_train_fit(&train);
            uneven = pb_grid_of_train(&train, &line).uneven;
        }
    }
    free(edge);
    return uneven;
}

/* clock_step_ps: of the stamps of TDMA_CLK. */
static int add_response(struct pb_jitter *jitter, const struct jitter_series *series, unsigned link,
                        double clock_step_ps, const struct pb_result *result)
{
    const struct pb_measurement *measured = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link);
    double *value = malloc(series->count * sizeof *value);
    if (!value)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < series->count; i++)
        value[i] = (double)series->sample[i].value_ps;
    const double step_ps = pb_exact_step_ps(series, jitter->tick_ps);
    struct pb_jitter_row *row = pb_row_add(jitter, PB_JITTER_RESPONSE, value, series->count, step_ps,
                                           measured && measured->corrected.swept);
    row->fine = series->fine;
    if (series->fine)
        row->swept = pb_values_swept(value, series->count, step_ps, row->raw.sd);
    row->reference_step_ps = !jitter->follows ? 0 : series->fine ? clock_step_ps : step_ps;
    row->late_ps = step_ps;
    const double uneven = uneven_starts(jitter, series);
    finish_response(row, uneven, jitter->follows);
    row->link = (int)link;
    row->node = measured ? measured->node : -1;
    row->dimension = measured ? measured->dimension : -1;
    if (jitter->n)
        row->phase = (int)(series->sample[0].phase % jitter->n);
    place_response(row, result);
    bathtub(row, result);
    return PB_OK;
}

/* ---- starts as edges */

static int add_starts(struct pb_jitter *jitter, const struct jitter_series *series, unsigned link)
{
    struct jitter_sample *edge = malloc(series->count * sizeof *edge);
    struct pb_jitter_starts *starts = &jitter->starts[jitter->start_links];
    const unsigned first_row = jitter->rows;
    const double ordered_ps = jitter->nominal_ps * jitter->n;
    if (!edge)
        return PB_ERR_MEMORY;
    struct train train = pb_train_of_superframes(series, jitter->n, jitter->tick_ps, edge);
    train.bound = !jitter->follows;
    int code = PB_OK;
    if (train.count >= 2) {
        const struct line line = pb_train_fit(&train),
                          ordered = {.start_ps = 0, .period_ps = (long double)ordered_ps},
                          *reference = jitter->reference == PB_JITTER_FIT ? &line : &ordered;
        double *tie_ps = pb_train_ties(&train, reference);
        const struct rate rate = pb_train_rate(&train, &line, ordered_ps);
        *starts = (struct pb_jitter_starts){
            .link = (int)link,
            .missing = (uint64_t)pb_train_place(&train, train.count - 1) + 1 - train.count,
            .period_ps = (double)reference->period_ps,
            .rate_ppm = rate.ppm,
            .rate_u95_ppm = rate.u95_ppm};
        jitter->start_links++;
        code = tie_ps ? pb_rows_of_train(jitter, &train, 0, &line, tie_ps, reference == &line)
                      : PB_ERR_MEMORY;
        if (!code)
            code = pb_rows_stability(&starts->stable, &train, tie_ps, &line, starts->period_ps);
        for (unsigned i = first_row; i < jitter->rows; i++)
            jitter->row[i].link = (int)link;
        free(tie_ps);
    }
    free(edge);
    return code;
}

/* ---- bit times */

static int add_bit_times(struct pb_jitter *jitter, const struct pb_jitter_collector *collector)
{
    int64_t first_ps = INT64_MAX;
    size_t count = 0;
    for (unsigned link = 0; link < JITTER_LINKS; link++) {
        const struct jitter_series *series = &collector->bit_time[link];
        count += series->count;
        if (series->count && series->sample[0].time_ps < first_ps)
            first_ps = series->sample[0].time_ps;
    }
    jitter->bit_time = malloc((count + 1) * sizeof *jitter->bit_time);
    if (!jitter->bit_time)
        return PB_ERR_MEMORY;
    for (unsigned link = 0; link < JITTER_LINKS; link++)
        for (size_t i = 0; i < collector->bit_time[link].count; i++) {
            const struct jitter_sample *sample = &collector->bit_time[link].sample[i];
            jitter->bit_time[jitter->bit_times++] =
                (struct pb_jitter_bit_time){.link = (int)link,
                                            .time_s = (double)(sample->time_ps - first_ps) / PS_PER_S,
                                            .ppm = (double)sample->value_ps / 1e3};
        }
    return PB_OK;
}

int pb_jitter_compute_known(struct pb_jitter **out, const struct pb_jitter_collector *collector,
                            const struct pb_jitter *known, const struct pb_result *result)
{
    struct pb_jitter *jitter = calloc(1, sizeof *jitter);
    struct jitter_sample *edge = malloc(2 * (collector->period.count + 1) * sizeof *edge);
    int code = jitter && edge && !collector->incomplete ? PB_OK : PB_ERR_MEMORY;
    *out = NULL;
    if (!code) {
        const struct train train = pb_train_of(&collector->period, known->tick_ps, edge);
        *jitter = *known;
        jitter->left_out = collector->left_out;
        jitter->fine = collector->fine;
        code = compute_clock(jitter, &train);
    }
    if (!code && jitter->n)
        code = pb_rows_of_sync(jitter, collector);
    for (unsigned link = 0; link < JITTER_LINKS && !code; link++)
        if (collector->start[link].count)
            code = add_response(jitter, &collector->start[link], link,
                                pb_exact_step_ps(&collector->period, jitter->tick_ps), result);
    for (unsigned link = 0; link < JITTER_LINKS && !code && jitter->n; link++)
        if (collector->start[link].count)
            code = add_starts(jitter, &collector->start[link], link);
    if (!code)
        code = add_bit_times(jitter, collector);
    free(edge);
    if (code) {
        pb_jitter_free(jitter);
        return code;
    }
    pb_jitter_expand(jitter, result);
    *out = jitter;
    return PB_OK;
}

int pb_jitter_compute(struct pb_jitter **out, const struct pb_jitter_collector *collector,
                      const struct pb_result *result, bool follows, enum pb_jitter_reference reference)
{
    struct pb_jitter *known = calloc(1, sizeof *known);
    if (!known) {
        *out = NULL;
        return PB_ERR_MEMORY;
    }
    known->tick_ps = result->core_clock_hz ? PS_PER_S / (double)result->core_clock_hz : 0;
    known->reference = reference;
    known->follows = follows;
    known->nominal_ps = 1e15 / (double)result->phase_rate_mhz;
    known->n = result->network.phases;
    const int code = pb_jitter_compute_known(out, collector, known, result);
    free(known);
    return code;
}

void pb_jitter_calibrate(struct pb_jitter *jitter, const struct pb_calibration *calibration)
{
    if (!calibration || jitter->edges < 2)
        return;
    pb_calibrate_rate_ppm(calibration, &jitter->rate_ppm, &jitter->rate_u95_ppm);
    pb_calibration_line(calibration, jitter->calibration);
}

void pb_jitter_free(struct pb_jitter *jitter)
{
    for (unsigned i = 0; jitter && i < jitter->rows; i++)
        free(jitter->row[i].value);
    if (jitter) {
        free(jitter->tie_ps);
        free(jitter->bit_time);
    }
    free(jitter);
}

const char *pb_jitter_id(enum pb_jitter_quantity quantity)
{
    static const char *const id[] = {
#define PB_JITTER_ID(name, id, text) id,
        PB_JITTER_LIST(PB_JITTER_ID)
#undef PB_JITTER_ID
    };
    return (unsigned)quantity < PB_JITTER_QUANTITIES ? id[quantity] : "";
}

const char *pb_jitter_text(enum pb_jitter_quantity quantity)
{
    static const char *const name[] = {
#define PB_JITTER_TEXT(name, id, text) text,
        PB_JITTER_LIST(PB_JITTER_TEXT)
#undef PB_JITTER_TEXT
    };
    return (unsigned)quantity < PB_JITTER_QUANTITIES ? name[quantity] : "";
}

const char *pb_jitter_edge_id(enum pb_jitter_edge edge)
{
    static const char *const id[] = {"tdma_clk_rise", "link_fall", "link_rise", "converter"};
    return (unsigned)edge < PB_JITTER_EDGES ? id[edge] : "";
}

const char *pb_jitter_edge_text(const struct pb_jitter *jitter, enum pb_jitter_edge edge)
{
    switch (edge) {
    case PB_JITTER_CLOCK_RISE:
        return *jitter->source   ? "edge of the clock, as stamped"
               : jitter->follows ? "rise of TDMA_CLK, of another controller"
                               : "rise of TDMA_CLK, by the bench's own clock";
    case PB_JITTER_LINK_FALL:
        return "fall of a link: the start of a frame";
    case PB_JITTER_LINK_RISE:
        return "rise of a link: ends of frames and bits, no figure here";
    case PB_JITTER_FINE_EDGE:
        return jitter->fine.link < 0 ? "rise of TDMA_CLK, by the time-to-digital converter"
                                     : "fall of the observed link, by the time-to-digital converter";
    default:
        return "";
    }
}
