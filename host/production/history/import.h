/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table that becomes runs of a history: its columns, its cells, and the figures that its rows make. Private
 * to import*.c.
 */
#ifndef PHASEBENCH_HISTORY_IMPORT_H
#define PHASEBENCH_HISTORY_IMPORT_H

#include "host/base/table.h"
#include "store.h"

#include <stdint.h>

/* The columns except the texts of a run. */
#define COLUMN_LIST(X)                                                                                       \
    X(RUN, "run")                                                                                            \
    X(VERDICT, "verdict")                                                                                    \
    X(SEED, "seed")                                                                                          \
    X(FINDINGS, "findings")                                                                                  \
    X(IMAGE_BYTES, "image_bytes")                                                                            \
    X(IMAGE_CRC32, "image_crc32")                                                                            \
    X(LIMITS_CRC32, "limits_crc32")                                                                          \
    X(MEASUREMENT, "measurement")                                                                            \
    X(MEASUREMENT_UNIT, "measurement_unit")                                                                  \
    X(VALUE, "value")                                                                                        \
    X(N, "n")                                                                                                \
    X(MIN, "min")                                                                                            \
    X(MEAN, "mean")                                                                                          \
    X(MAX, "max")                                                                                            \
    X(SD, "sd")                                                                                              \
    X(U95, "u95")                                                                                            \
    X(LOWER, "lower")                                                                                        \
    X(UPPER, "upper")                                                                                        \
    X(MARGIN, "margin")                                                                                      \
    X(JUDGEMENT, "judgement")
enum column {
#define COLUMN_ENUM(id, name) id,
    COLUMN_LIST(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMNS
};

struct import_scale {
    const char *unit, *stored;
    int power; /* of ten, from the unit to the one that is stored */
};

struct import_sheet {
    const struct pb_table *table;
    int column[COLUMNS], key; /* -1: the table has none */
    struct pb_diag *diag;
};

enum { IMPORT_FIGURES_MAX = 4096 /* of a run */, IMPORT_BY_MARGIN = -1 };

/* One that is being gathered. */
struct import_gathered {
    const char *id;
    const struct import_scale *scale;
    size_t row;                             /* the first one of the worst judgement */
    bool summed;                            /* the row has n, mean and so on */
    long double n, min, mean, max, squares; /* squares: of the distances from the mean */
    long double u95, lower, upper;          /* NAN: no limit */
    long double margin;                     /* NAN: none */
    int judgement;                          /* of enum pb_judgement; IMPORT_BY_MARGIN: by the margin */
};

/* ---- cells. Those that can fail return PB_OK, or PB_ERR_CONFIG with row and column in the message. */

/* "" where the table has no such column. */
const char *import_cell(const struct import_sheet *sheet, size_t row, int column);
int import_refuse(const struct import_sheet *sheet, size_t row, int column, const char *what,
                  const char *remedy);
/* Of an empty cell *out stays, here and below. */
int import_whole(const struct import_sheet *sheet, size_t row, enum column column, int64_t least,
                 int64_t most, int64_t *out);
/* In the unit in which the history stores it. */
int import_scaled(const struct import_sheet *sheet, size_t row, enum column column,
                  const struct import_scale *scale, long double *out);
int import_find_scale(const struct import_sheet *sheet, size_t row, const struct import_scale **out);
/* Whether the row is one of an export, by its key. */
bool import_is_export(const struct import_sheet *sheet, size_t row);

/* ---- figures */

/* Adds the measurement of a row to those of its run: *count, at most IMPORT_FIGURES_MAX. */
int import_take_row(const struct import_sheet *sheet, size_t row, struct import_gathered *gathered,
                    size_t *count);
void import_finish(struct pb_history_figure *figure, const struct import_gathered *gathered);

#endif
