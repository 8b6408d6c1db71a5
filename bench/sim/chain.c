/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/sim/chain.h"

#include <string.h>

#define FS_PER_PS 1000
#define CARRY_TYP_RISE_PS 112.2
#define CARRY_TYP_FALL_PS 93.5
#define TILE_TYP_RISE_PS 174.5 /* more, into the next tile */
#define TILE_TYP_FALL_PS 155.8
#define CELLS_PER_TILE 8
#define FEED_CELLS 1     /* the input enters in the first cell of a tile */
#define FAST_PS 69.3     /* a cell of the measured board, */
#define FAST_TYP_PS 123.5 /* and what the vendor's table says of it */
#define HALF_PERIOD_TYP_PS 2475400.0
#define HALF_PERIOD_SPREAD 0.002 /* of one half period, uniform */
#define BUBBLE_ONE_IN 64

/* Delay of the vendor's models, relative: iCE40HX. */
static double slowness(double celsius, double volts)
{
    return (1.722e-4 * celsius + 0.996) / (-0.135 * volts * volts + 2.013 * volts - 1.223);
}

static double scale_of(const struct pb_chain_config *config)
{
    static const struct {
        double celsius, volts, process;
    } corner[] = {[PB_CHAIN_TYP] = {25, 1.20, 1},
                  [PB_CHAIN_MIN] = {0, 1.26, 1},
                  [PB_CHAIN_MAX] = {85, 1.14, 1},
                  [PB_CHAIN_FAST] = {25, 1.20, FAST_PS / FAST_TYP_PS}};
    const double celsius = config->has_celsius ? config->celsius : corner[config->corner].celsius;
    return corner[config->corner].process *
           slowness(celsius, corner[config->corner].volts + config->millivolts / 1000.0) /
           slowness(25, 1.20);
}

static uint64_t mix(uint64_t value)
{
    value ^= value >> 30;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    value ^= value >> 27;
    value *= UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static void lay(int64_t *arrival_fs, double carry_ps, double tile_ps)
{
    double at_ps = 0;
    for (unsigned tap = 0; tap < PB_CHAIN_TAPS; tap++) {
        at_ps += carry_ps + ((tap + FEED_CELLS) % CELLS_PER_TILE == 0 ? tile_ps : 0);
        arrival_fs[tap] = (int64_t)(at_ps * FS_PER_PS + 0.5);
    }
}

void pb_chain_start(struct pb_chain *model, const struct pb_chain_config *config)
{
    const double scale = scale_of(config);
    *model = (struct pb_chain){.oscillator_ps = INT64_MAX, .half_period_ps = HALF_PERIOD_TYP_PS * scale};
    lay(model->arrival_fs[0], CARRY_TYP_FALL_PS * scale, TILE_TYP_FALL_PS * scale);
    lay(model->arrival_fs[1], CARRY_TYP_RISE_PS * scale, TILE_TYP_RISE_PS * scale);
    model->longest_ps = model->arrival_fs[1][PB_CHAIN_TAPS - 1] / FS_PER_PS + 1;
}

void pb_chain_settle(struct pb_chain *model, bool level)
{
    model->level = level;
    model->edges = 0;
}

void pb_chain_input(struct pb_chain *model, int64_t now_ps, bool level)
{
    if (level == model->level)
        return;
    model->level = level;
    model->edge[model->edges % PB_CHAIN_EDGES].at_ps = now_ps;
    model->edge[model->edges % PB_CHAIN_EDGES].level = level;
    model->edges++;
}

static int64_t half_period(struct pb_chain *model)
{
    model->random += UINT64_C(0x9e3779b97f4a7c15);
    const double part = (double)(mix(model->random) >> 11) / 9007199254740992.0 - 0.5;
    return (int64_t)(model->half_period_ps * (1 + HALF_PERIOD_SPREAD * part) + 0.5);
}

void pb_chain_oscillate(struct pb_chain *model, int64_t now_ps, bool on)
{
    model->oscillator_level = false;
    model->oscillator_ps = on ? now_ps + half_period(model) : INT64_MAX;
}

void pb_chain_oscillator(struct pb_chain *model, int64_t before_ps)
{
    while (model->oscillator_ps < before_ps) {
        model->oscillator_level = !model->oscillator_level;
        pb_chain_input(model, model->oscillator_ps, model->oscillator_level);
        model->oscillator_ps += half_period(model);
    }
}

/* Level at a tap: that of the last edge that has arrived there. */
static bool level_at(const struct pb_chain *model, unsigned tap, int64_t clock_ps)
{
    const unsigned kept = model->edges < PB_CHAIN_EDGES ? model->edges : PB_CHAIN_EDGES;
    for (unsigned back = 1; back <= kept; back++) {
        const unsigned n = (model->edges - back) % PB_CHAIN_EDGES;
        if ((clock_ps - model->edge[n].at_ps) * FS_PER_PS > model->arrival_fs[model->edge[n].level][tap])
            return model->edge[n].level;
    }
    return kept ? !model->edge[(model->edges - kept) % PB_CHAIN_EDGES].level : model->level;
}

void pb_chain_sample(const struct pb_chain *model, int64_t clock_ps, uint32_t words[PB_CHAIN_WORDS])
{
    bool tap[PB_CHAIN_TAPS];
    if (pb_chain_rests(model, clock_ps)) {
        memset(words, model->level ? 0xff : 0, PB_CHAIN_WORDS * sizeof *words);
        return;
    }
    unsigned front = 0; /* the tap at which the last edge arrives next */
    for (unsigned n = 0; n < PB_CHAIN_TAPS; n++) {
        tap[n] = level_at(model, n, clock_ps);
        front += n == front && tap[n] == model->level;
    }
    const uint64_t last_ps = (uint64_t)model->edge[(model->edges - 1) % PB_CHAIN_EDGES].at_ps;
    if (mix(last_ps) % BUBBLE_ONE_IN == 0 && front > 1 && front < PB_CHAIN_TAPS) {
        tap[front] = tap[front - 1];
        tap[front - 1] = !tap[front];
    }
    memset(words, 0, PB_CHAIN_WORDS * sizeof *words);
    for (unsigned n = 0; n < PB_CHAIN_TAPS; n++)
        words[n / 32] |= (uint32_t)tap[n] << n % 32;
}

bool pb_chain_rests(const struct pb_chain *model, int64_t clock_ps)
{
    return !model->edges ||
           clock_ps - model->edge[(model->edges - 1) % PB_CHAIN_EDGES].at_ps > model->longest_ps;
}
