/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reader of tables. What is taken has a cell for each column of each row, and a number is finite.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/base/table.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_table *table;
    struct pb_diag diag;
    const int code = pb_table_read(&table, "fuzz.csv", (const char *)data, size, &diag);
    MUST(code == PB_OK || (code == PB_ERR_CONFIG && !table && *diag.text));
    if (code)
        return 0;
    MUST(pb_table_columns(table) > 0);
    for (size_t row = 0; row < pb_table_rows(table); row++) {
        bool text = false;
        for (int column = 0; column < pb_table_columns(table); column++) {
            long double number = NAN;
            text |= *pb_table_cell(table, row, column) != '\0';
            MUST(pb_table_number(table, row, column, &number, &diag) || isfinite((double)number));
        }
        MUST(text && pb_table_line(table, row) > 0);
    }
    pb_table_free(table);
    return 0;
}
