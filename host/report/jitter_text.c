/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/report.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>

static void table_head(FILE *stream, const char *what)
{
    fprintf(stream,
            "  %-24s        n       mean us    U95 ns      sd ns    min ns    max ns  p99.9 ns\n", what);
}

/* Minimum, maximum and quantile are distances from the mean as stamped. */
static void table_row(FILE *stream, const char *name, const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    fprintf(stream, "  %-24s %8" PRIu64, name, raw->n);
    if (!raw->n) {
        fputs("             -\n", stream);
        return;
    }
    char u95[16] = "-", sd[16] = "-";
    if (isfinite(row->scatter_ps))
        snprintf(u95, sizeof u95, "%.3f", row->expanded.u95 / 1e3);
    if (isfinite(row->sd_ps))
        snprintf(sd, sizeof sd, "%.3f", row->sd_ps / 1e3);
    fprintf(stream, " %13.6f %9s %c%9s %9.3f %9.3f ", row->mean_ps / 1e6, u95,
            row->sd_is_bound && isfinite(row->sd_ps) ? '<' : ' ', sd, (raw->min - raw->mean) / 1e3,
            (raw->max - raw->mean) / 1e3);
    fprintf(stream, raw->bounded[2] ? "%9.3f\n" : "        -\n", (raw->quantile[2] - raw->mean) / 1e3);
}

static void drift_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    if (!jitter->has_drift)
        pb_terminal_field(terminal, "drift", "not computed: fewer than 200 edges");
    else if (pb_jitter_drifts(jitter))
        pb_terminal_field(terminal, "drift", "%+.3g ppm/s, U95 %.2g ppm/s, over %u parts of the run",
                          jitter->drift_ppm_s, jitter->drift_u95_ppm_s, jitter->blocks);
    else
        pb_terminal_field(terminal, "drift", "none above its U95 of %.2g ppm/s, over %u parts of the run",
                          jitter->drift_u95_ppm_s, jitter->blocks);
}

static void clock_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    FILE *const stream = terminal->stream;
    pb_terminal_field(terminal, *jitter->source ? "clock" : "TDMA_CLK",
                      "%s; %" PRIu64 " edges, %" PRIu64
                      " missing; nominal period %.6f us, reference %.6f us (%s)",
                      *jitter->source   ? jitter->source
                      : jitter->follows ? "of another controller"
                                        : "driven by the bench",
                      jitter->edges,
                      jitter->missing, jitter->nominal_ps / 1e6, jitter->period_ps / 1e6,
                      jitter->reference == PB_JITTER_FIT ? "straight line through all edges" : "nominal");
    if (jitter->edges < 2)
        return;
    pb_terminal_field(terminal, "rate", "%+.4f ppm, U95 %.4f ppm, faster above 0", jitter->rate_ppm,
                      jitter->rate_u95_ppm);
    if (jitter->oscillator_ppm > 0)
        pb_terminal_field(terminal, "",
                          "against the oscillator of the bench; U95 %.1f ppm with that of %.0f ppm",
                          jitter->absolute_rate.u95, jitter->oscillator_ppm);
    if (*jitter->calibration)
        pb_terminal_field(terminal, "calibrated", "%s", jitter->calibration);
    drift_part(terminal, jitter);
    fputc('\n', stream);
    table_head(stream, "quantity");
    for (unsigned i = 0; i < jitter->rows; i++)
        if (jitter->row[i].link < 0)
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
    table_head(stream, "link node dim phase way");
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        char name[32];
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        snprintf(name, sizeof name, row->from < 0 ? "%4d %4d %3d %5d" : "%4d %4d %3d %5d %d to %d", row->link,
                 row->node, row->dimension, row->phase, row->from, row->to);
        table_row(stream, name, row);
    }
    pb_terminal_field(
        terminal, "way",
        "from the node's digit to the neighbour's; a node sends on a link in one of its two phases, "
        "and receives in the other, so the other way has no response of this node");
    if (jitter->start_links)
        pb_terminal_field(terminal, "starts",
                          "as edges, one a superframe (period, cycle to cycle, TIE, rate, Allan family): in "
                          "jitter.html and jitter.json");
    if (jitter->skew_links > 1)
        pb_terminal_field(terminal, "skew", "%.3f ns between the means of %u links, U95 %.3f ns",
                          jitter->skew_ps / 1e3, jitter->skew_links, jitter->skew.u95 / 1e3);
}

static bool moves(const struct pb_jitter *jitter)
{
    double most = 0;
    for (unsigned i = 0; i < jitter->stable.taus; i++)
        most = fmax(most, jitter->stable.at[i].mtie_ps);
    return most > 0;
}

static void stability_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    if (!jitter->stable.taus)
        return;
    fputc('\n', terminal->stream);
    pb_terminal_field(
        terminal, "stability", "of the clock, over %" PRIu64 " edges without a gap (NIST SP 1065)%s",
        jitter->stable.edges, moves(jitter) ? "" : "; no edge is out of its place: all deviations are 0");
    if (!moves(jitter))
        return;
    fputs(
        "         tau s    terms      OADEV        95 % interval         MDEV    TDEV ns    MTIE ns  noise\n",
        terminal->stream);
    for (unsigned i = 0; i < jitter->stable.taus; i++) {
        const struct pb_jitter_stability *at = &jitter->stable.at[i];
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
        if (row->quantity == PB_JITTER_TIE && row->link < 0)
            split_row(terminal, pb_jitter_id(row->quantity), row);
        if (row->quantity != PB_JITTER_RESPONSE)
            continue;
        snprintf(name, sizeof name, "link %d", row->link);
        split_row(terminal, name, row);
    }
}

static void bathtub_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    bool any = false;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        if (row->quantity != PB_JITTER_RESPONSE || !(row->bit_ps > 0))
            continue;
        if (!any)
            pb_terminal_field(terminal, "bathtub",
                              "where in a bit of %.3f ns to sample for an error ratio, ns; by the split, an "
                              "extrapolation; in brackets as counted",
                              row->bit_ps / 1e3);
        any = true;
        for (unsigned k = 0; k < PB_JITTER_WINDOWS; k++) {
            const struct pb_jitter_window *window = &row->window[k];
            fprintf(terminal->stream, "  link %-4d %8.0e  %11.3f to %11.3f", row->link, window->ratio,
                    window->model.lower / 1e3, window->model.upper / 1e3);
            if (window->is_counted)
                fprintf(terminal->stream, "  (%.3f to %.3f, n %" PRIu64 ")", window->counted.lower / 1e3,
                        window->counted.upper / 1e3, row->raw.n);
            fputs(window->model.lower < window->model.upper ? "\n" : "  no such instant\n", terminal->stream);
        }
    }
    if (!any)
        pb_terminal_field(terminal, "bathtub", "none: no response has a split");
}

static void budget_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    FILE *const stream = terminal->stream;
    fputc('\n', stream);
    pb_terminal_field(terminal, "uncertainty",
                      "of one instant, by the kind of its edge (%s); U95 of a mean above "
                      "has what no n reduces",
                      *jitter->board ? jitter->board : "simulated core: the step of the stamps alone");
    for (int edge = 0; edge < pb_jitter_edges(jitter); edge++) {
        const struct pb_jitter_budget *budget = &jitter->budget[edge];
        fprintf(stream, "  %s\n", pb_jitter_edge_text(jitter, (enum pb_jitter_edge)edge));
        if (!budget->parts)
            fputs("    exact\n", stream);
        for (unsigned i = 0; i < budget->parts; i++) {
            const struct pb_jitter_part *part = &budget->part[i];
            fprintf(stream, "    %-36s %s %9.3f ns  u %8.3f ns%s\n", part->name,
                    part->normal ? "normal   " : "rectangle", part->size_ps / 1e3, part->u_ps / 1e3,
                    part->averages ? ", in the scatter" : "");
        }
        if (budget->parts)
            fprintf(stream, "    %-36s u %.3f ns, k %.2f, U95 %.3f ns\n", "sum", budget->sum.u / 1e3,
                    budget->sum.k, budget->sum.u95 / 1e3);
    }
}

static void note_part(struct pb_terminal *terminal, const struct pb_jitter *jitter)
{
    bool locked = false;
    double step_ps = 0;
    for (unsigned i = 0; i < jitter->rows; i++) {
        locked |= pb_jitter_is_locked(&jitter->row[i]);
        if (!jitter->row[i].fine)
            step_ps = fmax(step_ps, jitter->row[i].step_ps);
    }
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "stamps",
                      "rounded down to %.3f ns; mean and sd are without that error, the other figures are as "
                      "stamped; < is an upper bound",
                      step_ps / 1e3);
    if (jitter->fine.used) {
        char line[PB_JITTER_FINE_LINE];
        pb_terminal_field(terminal, "converter", "%s; its edges stand in place of their stamps",
                          pb_jitter_fine_line(jitter, line));
    }
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
    if (!*jitter->source)
        response_part(&terminal, jitter);
    stability_part(&terminal, jitter);
    split_part(&terminal, jitter);
    if (!*jitter->source)
        bathtub_part(&terminal, jitter);
    budget_part(&terminal, jitter);
    note_part(&terminal, jitter);
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
