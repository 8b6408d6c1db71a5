/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Model of the carry chain of a time-to-digital converter in an iCE40HX (rtl/board/pb_tdc_chain.v), of one
 * tap a carry cell: delays of the vendor's table, which differ for rises and falls and are longer where the
 * chain enters the next tile, with its formula for voltage and temperature. Also, the oscillator of the
 * calibration, whose delays follow voltage and temperature alike.
 *
 * One edge in 64 has its two nearest taps swapped, a bubble: an assumption without measurements.
 */
#ifndef PB_CHAIN_H
#define PB_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum { PB_CHAIN_TAPS = 352, PB_CHAIN_WORDS = PB_CHAIN_TAPS / 32, PB_CHAIN_EDGES = 8 };

enum pb_chain_corner {
    PB_CHAIN_TYP, /* 25 C, 1.20 V */
    PB_CHAIN_MIN, /* 0 C, 1.26 V */
    PB_CHAIN_MAX, /* 85 C, 1.14 V */
    PB_CHAIN_FAST /* the one board that was measured: 69.3 ps a cell, taken for 25 C and 1.20 V */
};

struct pb_chain_config {
    enum pb_chain_corner corner;
    int millivolts; /* more than the core voltage of the corner */
    bool has_celsius;
    int celsius; /* in place of the temperature of the corner */
};

struct pb_chain {
    int64_t arrival_fs[2][PB_CHAIN_TAPS]; /* from the input to a tap, of falls and of rises */
    int64_t longest_ps;
    struct {
        int64_t at_ps;
        bool level;
    } edge[PB_CHAIN_EDGES]; /* ring: the last edges of the input */
    unsigned edges;
    bool level;
    double half_period_ps; /* of the oscillator, mean */
    int64_t oscillator_ps; /* of its next edge; INT64_MAX: off */
    bool oscillator_level;
    uint64_t random;
};

void pb_chain_start(struct pb_chain *model, const struct pb_chain_config *config);
/* The input has this level, and had it for longer than the chain is. */
void pb_chain_settle(struct pb_chain *model, bool level);
/* The input has this level from now on. */
void pb_chain_input(struct pb_chain *model, int64_t now_ps, bool level);
void pb_chain_oscillate(struct pb_chain *model, int64_t now_ps, bool on);
/* Advances the oscillator to its last edge before before_ps, as the input. */
void pb_chain_oscillator(struct pb_chain *model, int64_t before_ps);
/* What the registers of the taps hold after a clock edge; bit n % 32 of word n / 32. */
void pb_chain_sample(const struct pb_chain *model, int64_t clock_ps, uint32_t words[PB_CHAIN_WORDS]);
/* No edge is in the chain at this time or later, unless another one enters. */
bool pb_chain_rests(const struct pb_chain *model, int64_t clock_ps);

#endif
