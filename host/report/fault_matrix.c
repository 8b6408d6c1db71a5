/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/fault_matrix.h"

#include <inttypes.h>

#define ROW "%-15s  %-7s  %-11s  %-18s  %-6s  %s%s\n"

void pb_report_fault_matrix_head(FILE *stream, bool markdown)
{
    if (markdown)
        fputs("| fault | receipt | start error, ticks | found as | after, phases | verdict |\n"
              "|---|---|---|---|---|---|\n",
              stream);
    else
        fprintf(stream, ROW, "FAULT", "RECEIPT", "START ERROR", "FOUND AS", "AFTER", "VERDICT", "");
}

static void lacking(FILE *stream, const struct pb_fault_matrix_row *row, bool markdown)
{
    if (markdown)
        fprintf(stream, "| `%s` | - | - | - | - | %s |\n", row->kind, row->lacks);
    else
        fprintf(stream, ROW, row->kind, "-", "-", "-", "-", row->lacks, "");
}

void pb_report_fault_matrix_row(FILE *stream, const struct pb_fault_matrix_row *row, bool markdown)
{
    char error[24] = "-", after[24] = "-";
    if (row->lacks) {
        lacking(stream, row, markdown);
        return;
    }
    if (row->receipt)
        snprintf(error, sizeof error, "%" PRId64, row->error_ticks);
    if (row->found)
        snprintf(after, sizeof after, "%.2f", (double)row->latency_ps / (double)row->phase_ps);
    const char *receipt = !row->injected ? "-"
                          : row->receipt ? "yes"
                                         : "no",
               *found = row->found_as, *verdict = pb_verdict_name(row->verdict),
               *doubt = row->right ? "" : "  <- not right";
    if (markdown)
        fprintf(stream, "| `%s` | %s | %s | %s | %s | %s%s |\n", row->kind, receipt, error, found, after,
                verdict, doubt);
    else
        fprintf(stream, ROW, row->kind, receipt, error, found, after, verdict, doubt);
}

void pb_report_fault_matrix_sums(FILE *stream, const struct pb_fault_matrix *matrix)
{
    const unsigned tried = matrix->kinds - matrix->lacking;
    fprintf(stream, "\n%u fault kinds and one control run: %u as expected, %u not\n", tried,
            tried + 1 - matrix->wrong, matrix->wrong);
    fprintf(stream, "this core has %s\n", matrix->core);
    if (matrix->unsought)
        fprintf(stream, "%u not sought: only edges show it, and the capture was of bytes\n",
                matrix->unsought);
}
