/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the time-to-digital converter. What is taken keeps its ranges and is the same when it is written
 * and read again; its places ascend, within a tick and the bin that goes beyond it.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/tdc.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define ROUNDING 1e-6 /* of a tick: sums of 512 widths */

static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory_file(path, sizeof path);
    return 0;
}

static void check_ranges(const struct pb_tdc_table *table)
{
    MUST(*table->board && memchr(table->board, 0, sizeof table->board));
    MUST(*table->bitstream && memchr(table->bitstream, 0, sizeof table->bitstream));
    MUST(table->made_s >= 0 && table->clock_hz > 0);
    MUST(table->taps > 0 && table->taps < PB_TDC_CODES);
    MUST(table->oscillator_hz > 0 && isfinite(table->oscillator_hz));
    for (unsigned side = 0; side < 2; side++) {
        MUST(table->side[side].bubbles <= PB_TDC_HITS_MAX);
        for (unsigned code = 0; code < PB_TDC_CODES; code++)
            MUST(table->side[side].hits[code] <= (code <= table->taps ? PB_TDC_HITS_MAX : 0));
    }
}

static void check_file(const struct pb_tdc_table *table)
{
    struct pb_tdc_table again;
    struct pb_diag diag = {""};
    MUST(pb_tdc_write(table, path, &diag) == PB_OK);
    const int code = pb_tdc_read(&again, path, table->board, &diag);
    MUST(code == PB_OK || (code == PB_ERR_CONFIG && table->made_s > time(NULL)));
    if (code)
        return;
    MUST(pb_tdc_check_bitstream(&again, table->bitstream, &diag) == PB_OK);
    MUST(again.made_s == table->made_s && again.taps == table->taps && again.clock_hz == table->clock_hz);
    MUST(!(again.oscillator_hz < table->oscillator_hz) && !(again.oscillator_hz > table->oscillator_hz));
    MUST(!memcmp(again.side, table->side, sizeof again.side));
    MUST(pb_tdc_read(&again, path, "", &diag) == PB_ERR_CONFIG);
    MUST(!strchr(diag.text, '\n'));
    MUST(pb_tdc_check_bitstream(&again, "", &diag) == PB_ERR_CONFIG);
}

static void check_places(const struct pb_tdc_table *table)
{
    struct pb_tdc_scale scale;
    struct pb_tdc_figures figures;
    struct pb_diag diag = {""};
    const int code = pb_tdc_scale(&scale, table, table->oscillator_hz, &diag);
    MUST(code == pb_tdc_check(table, NULL));
    if (code) {
        MUST(code == PB_ERR_CONFIG && *diag.text && !strchr(diag.text, '\n'));
        return;
    }
    const double tick_ps = 1e12 / table->clock_hz;
    for (unsigned side = 0; side < 2; side++) {
        const double *place_ps = scale.place_ps[side];
        pb_tdc_figures(&figures, table, side);
        MUST(figures.hits >= PB_TDC_HITS_MIN && figures.last < table->taps && figures.bubble_share <= 0.25);
        MUST(place_ps[0] >= 0 && place_ps[figures.last] <= tick_ps * (1 + ROUNDING) + figures.mean_ps / 2);
        for (unsigned i = 1; i < PB_TDC_CODES; i++)
            MUST(place_ps[i] >= place_ps[i - 1]);
    }
    if (isnormal(table->oscillator_hz * 0.85))
        MUST(pb_tdc_scale(&scale, table, table->oscillator_hz * 0.85, &diag) == PB_ERR_CONFIG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_tdc_table table;
    struct pb_diag diag = {""};
    const int code = pb_tdc_parse(&table, (const char *)data, size, &diag);
    if (code) {
        MUST(code == PB_ERR_CONFIG || code == PB_ERR_MEMORY);
        MUST(*diag.text && !strchr(diag.text, '\n'));
        return 0;
    }
    check_ranges(&table);
    check_file(&table);
    check_places(&table);
    return 0;
}
