/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/report.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>

static void table_head(FILE *stream, const char *what)
{
    fprintf(stream, "  %-14s        n       mean us    U95 ns      sd ns    min ns    max ns  p99.9 ns\n",
            what);
}

/* Minimum, maximum and quantile are distances from the mean as stamped. */
static void table_row(FILE *stream, const char *name, const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    fprintf(stream, "  %-14s %8" PRIu64, name, raw->n);
    if (!raw->n) {
        fputs("             -\n", stream);
        return;
    }
    fprintf(stream, " %13.6f %9.3f %c%9.3f %9.3f %9.3f ", row->mean_ps / 1e6, row->mean_u95_ps / 1e3,
            row->sd_is_bound ? '<' : ' ', row->sd_ps / 1e3, (raw->min - raw->mean) / 1e3,
            (raw->max - raw->mean) / 1e3);
    fprintf(stream, raw->bounded[2] ? "%9.3f\n" : "        -\n", (raw->quantile[2] - raw->mean) / 1e3);
}

static void clock_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    FILE *const stream = terminal->stream;
    pb_terminal_field(terminal, "TDMA_CLK",
                      "%s; %" PRIu64 " edges, %" PRIu64
                      " missing; period ordered %.6f us, reference %.6f us (%s)",
                      jitter->follows ? "of another controller" : "driven by the bench", jitter->edges,
                      jitter->missing, jitter->nominal_ps / 1e6, jitter->period_ps / 1e6,
                      jitter->reference == PB_JITTER_FIT ? "straight line through all edges" : "as ordered");
    if (jitter->edges < 2)
        return;
    pb_terminal_field(terminal, "rate", "%+.4f ppm, U95 %.4f ppm, faster above 0", jitter->rate_ppm,
                      jitter->rate_u95_ppm);
    if (*jitter->calibration)
        pb_terminal_field(terminal, "calibrated", "%s", jitter->calibration);
    fputc('\n', stream);
    table_head(stream, "quantity");
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].quantity != PB_JITTER_RESPONSE)
            table_row(stream, pb_jitter_id(jitter->row[i].quantity), &jitter->row[i]);
}

static void response_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    FILE *const stream = terminal->stream;
    fputc('\n', stream);
    if (!jitter->skew_links) {
        pb_terminal_field(terminal, "responses", "none: no frame of a node was measured");
        return;
    }
    pb_terminal_field(terminal, "responses", "%s", pb_jitter_text(PB_JITTER_RESPONSE));
    table_head(stream, "link node dim");
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        char name[32];
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        snprintf(name, sizeof name, "%4d %4d %3d", row->link, row->node, row->dimension);
        table_row(stream, name, row);
    }
    if (jitter->skew_links > 1)
        pb_terminal_field(terminal, "skew", "%.3f ns between the means of %u links, U95 %.3f ns",
                          jitter->skew_ps / 1e3, jitter->skew_links, jitter->skew_u95_ps / 1e3);
}

static bool moves(const struct pb_jitter *jitter)
{
    double most = 0;
    for (unsigned i = 0; i < jitter->taus; i++)
        most = fmax(most, jitter->stability[i].mtie_ps);
    return most > 0;
}

static void stability_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    if (!jitter->taus)
        return;
    fputc('\n', terminal->stream);
    pb_terminal_field(
        terminal, "stability", "of TDMA_CLK, over %" PRIu64 " edges without a gap (NIST SP 1065)%s",
        jitter->stability_edges, moves(jitter) ? "" : "; no edge is out of its place: all deviations are 0");
    if (!moves(jitter))
        return;
    fputs(
        "         tau s    terms      OADEV        95 % interval         MDEV    TDEV ns    MTIE ns  noise\n",
        terminal->stream);
    for (unsigned i = 0; i < jitter->taus; i++) {
        const struct pb_jitter_stability *at = &jitter->stability[i];
        fprintf(terminal->stream, "  %12.6g %8zu %10.3e %10.3e..%-10.3e %10.3e %10.4f %10.3f  %s\n",
                at->tau_s, at->terms, at->oadev, at->oadev95.lower, at->oadev95.upper, at->mdev,
                at->tdev_ps / 1e3, at->mtie_ps / 1e3, at->mdev > 0 ? pb_noise_name(at->noise) : "-");
    }
}

static void split_row(struct pb_terminal *terminal, const char *name, const struct pb_jitter_row *row)
{
    if (row->split.refusal == PB_SPLIT_VALID)
        fprintf(terminal->stream, "  %-14s %10.3f %10.3f %12.3f\n", name, row->split.random / 1e3,
                row->split.deterministic / 1e3, row->split.total_1e12 / 1e3);
    else
        fprintf(terminal->stream, "  %-14s not split: %s\n", name, pb_split_reason(row->split.refusal));
}

static void split_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    fputc('\n', terminal->stream);
    pb_terminal_field(
        terminal, "split",
        "into a random and a deterministic part by the dual Dirac model, each tail with half of the "
        "values");
    fputs("                   random ns   determ. ns  total 1e-12 ns\n", terminal->stream);
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        char name[32];
        if (row->quantity == PB_JITTER_TIE)
            split_row(terminal, pb_jitter_id(row->quantity), row);
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        snprintf(name, sizeof name, "link %d", row->link);
        split_row(terminal, name, row);
    }
}

static void note_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    bool locked = false;
    double step_ps = 0;
    for (unsigned i = 0; i < jitter->rows; i++) {
        locked |= jitter->row[i].step_ps > 0 && !jitter->row[i].swept;
        step_ps = fmax(step_ps, jitter->row[i].step_ps);
    }
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "stamps",
                      "rounded down to %.3f ns; mean and sd are without that error, the other figures are as "
                      "stamped; < is an upper bound",
                      step_ps / 1e3);
    if (locked)
        pb_terminal_field(
            terminal, "locked",
            "clock and stamps are locked to each other where sd is a bound: nothing dithers, so a mean "
            "may be wrong by half a step, whatever n is");
    if (jitter->left_out)
        pb_terminal_field(terminal, "left out",
                          "%" PRIu64 " samples beyond the first %" PRIu64 " of a series", jitter->left_out,
                          PB_JITTER_SAMPLES_MAX);
}

int pb_report_jitter_text(FILE *stream, const struct pb_jitter *jitter, const struct pb_report_style *style)
{
    struct pb_terminal terminal;
    pb_terminal_open(&terminal, stream, style);
    clock_part(&terminal, jitter);
    response_part(&terminal, jitter);
    stability_part(&terminal, jitter);
    split_part(&terminal, jitter);
    note_part(&terminal, jitter);
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
