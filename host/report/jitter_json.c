/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * docs/use/jitter.md names the members.
 */
#include "phasebench/report.h"
#include "render.h"

#include <jansson.h>
#include <math.h>

enum { SCHEMA_VERSION = 1 };

/* JSON has no infinity and no NaN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(const struct pb_interval *interval)
{
    return json_pack("[o, o]", number(interval->lower), number(interval->upper));
}

/* The bound is one of the instants: it has what the rounding may have taken off. */
static json_t *quantiles(const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    json_t *list = json_array();
    for (unsigned q = 0; list && q < PB_QUANTILES; q++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "share", number(pb_quantile_share(q)), "value_ps",
                            number(raw->quantile[q]), "upper_bound_ps",
                            raw->bounded[q] ? number(raw->bound[q] + row->late_ps) : json_null()));
    return list;
}

static json_t *split(const struct pb_split *split)
{
    if (split->refusal != PB_SPLIT_VALID)
        return json_pack("{s:b, s:s}", "valid", false, "reason", pb_split_reason(split->refusal));
    return json_pack("{s:b, s:o, s:o, s:o}", "valid", true, "random_ps", number(split->random),
                     "deterministic_ps", number(split->deterministic), "total_1e12_ps",
                     number(split->total_1e12));
}

static json_t *place(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *expanded(const struct pb_expanded *expanded)
{
    return json_pack("{s:o, s:o, s:o}", "u_ps", number(expanded->u), "k", number(expanded->k), "u95_ps",
                     number(expanded->u95));
}

/* An extrapolation without a split is none. */
static json_t *bathtub(const struct pb_jitter_row *row)
{
    if (row->quantity != PB_JITTER_RESPONSE)
        return json_null();
    if (!(row->bit_ps > 0))
        return json_pack("{s:b, s:s}", "valid", false, "reason", pb_split_reason(row->split.refusal));
    json_t *list = json_array();
    for (unsigned i = 0; list && i < PB_JITTER_WINDOWS; i++) {
        const struct pb_jitter_window *at = &row->window[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "ratio", number(at->ratio),
                                              "extrapolated_ps", interval(&at->model), "counted_ps",
                                              at->is_counted ? interval(&at->counted) : json_null()));
    }
    return json_pack("{s:b, s:I, s:o, s:o, s:o}", "valid", true, "n", (json_int_t)row->raw.n, "bit_ps",
                     number(row->bit_ps), "transitions", number(PB_BATHTUB_TRANSITIONS), "windows", list);
}

static json_t *budgets(const struct pb_jitter *jitter)
{
    json_t *list = json_array();
    for (int edge = 0; list && edge < pb_jitter_edges(jitter); edge++) {
        const struct pb_jitter_budget *budget = &jitter->budget[edge];
        json_t *parts = json_array();
        for (unsigned i = 0; parts && i < budget->parts; i++)
            json_array_append_new(parts, json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", budget->part[i].name,
                                                   "shape", budget->part[i].normal ? "normal" : "rectangle",
                                                   "size_ps", number(budget->part[i].size_ps), "u_ps",
                                                   number(budget->part[i].u_ps), "averages",
                                                   budget->part[i].averages));
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "edge",
                                              pb_jitter_edge_id((enum pb_jitter_edge)edge), "text",
                                              pb_jitter_edge_text(jitter, (enum pb_jitter_edge)edge), "parts",
                                              parts, "sum", expanded(&budget->sum)));
    }
    return list;
}

static json_t *drift(const struct pb_jitter *jitter)
{
    json_t *blocks = json_array();
    for (unsigned i = 0; blocks && i < jitter->blocks; i++) {
        const struct pb_jitter_block *block = &jitter->block[i];
        json_array_append_new(blocks,
                              json_pack("{s:o, s:I, s:o, s:o}", "time_s", number(block->time_s), "edges",
                                        (json_int_t)block->edges, "rate_ppm", number(block->rate_ppm),
                                        "rate_u95_ppm", number(block->rate_u95_ppm)));
    }
    return json_pack("{s:o, s:o, s:o, s:b}", "blocks", blocks, "ppm_per_s",
                     jitter->has_drift ? number(jitter->drift_ppm_s) : json_null(), "u95_ppm_per_s",
                     jitter->has_drift ? number(jitter->drift_u95_ppm_s) : json_null(), "significant",
                     pb_jitter_drifts(jitter));
}

static json_t *converter(const struct pb_jitter *jitter)
{
    const struct pb_jitter_fine *fine = &jitter->fine;
    return fine->used
               ? json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "link", place(fine->link),
                           "edges", (json_int_t)fine->edges, "without", (json_int_t)fine->without,
                           "single_shot_rms_ps", number(fine->rms_ps), "widest_bin_ps",
                           number(fine->widest_ps), "table_edge_sd_ps", number(fine->table_ps), "ratio",
                           number(fine->ratio), "ratio_end", number(fine->ratio_end), "drift_ps",
                           number(fine->drift_ps), "place_ps", number(fine->place_ps))
               : json_null();
}

static json_t *way(const struct pb_jitter_row *row)
{
    return row->from < 0 ? json_null() : json_pack("[i, i]", row->from, row->to);
}

static json_t *row(const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:b, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o, "
        "s:b, s:b, s:b, s:o, s:o, s:o}",
        "quantity", pb_jitter_id(row->quantity), "link", place(row->link), "node", place(row->node),
        "dimension", place(row->dimension), "phase", place(row->phase), "way", way(row), "n",
        (json_int_t)raw->n, "mean_ps", number(row->mean_ps), "mean_u95_ps", number(row->mean_u95_ps),
        "expanded", isfinite(row->scatter_ps) ? expanded(&row->expanded) : json_null(), "sd_ps",
        number(row->sd_ps), "sd_is_bound", row->sd_is_bound, "sd95_ps", interval(&row->sd95), "raw",
        "mean_ps", number(raw->mean), "sd_ps", number(raw->sd),
        "min_ps", number(raw->min), "max_ps", number(raw->max), "rms_ps", number(raw->rms), "step_ps",
        number(row->step_ps), "swept", row->swept, "locked", pb_jitter_is_locked(row), "fine", row->fine,
        "quantiles", quantiles(row), "split", split(&row->split), "bathtub", bathtub(row));
}

static json_t *rows(const struct pb_jitter *jitter)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < jitter->rows; i++)
        json_array_append_new(list, row(&jitter->row[i]));
    return list;
}

static json_t *stability(const struct pb_jitter_stable *stable)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < stable->taus; i++) {
        const struct pb_jitter_stability *at = &stable->at[i];
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "tau_s",
                                              number(at->tau_s), "terms", (json_int_t)at->terms, "oadev",
                                              number(at->oadev), "oadev95", interval(&at->oadev95), "mdev",
                                              number(at->mdev), "tdev_ps", number(at->tdev_ps), "mtie_ps",
                                              number(at->mtie_ps), "noise", pb_noise_name(at->noise)));
    }
    return list;
}

static json_t *starts(const struct pb_jitter *jitter)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < jitter->start_links; i++) {
        const struct pb_jitter_starts *at = &jitter->starts[i];
        json_array_append_new(
            list, json_pack("{s:i, s:I, s:o, s:o, s:o, s:I, s:o}", "link", at->link, "missing",
                            (json_int_t)at->missing, "reference_period_ps", number(at->period_ps), "rate_ppm",
                            number(at->rate_ppm), "rate_u95_ppm", number(at->rate_u95_ppm), "stability_edges",
                            (json_int_t)at->stable.edges, "stability", stability(&at->stable)));
    }
    return list;
}

/* null for the stamps of a file. */
static json_t *run(const struct pb_result *result)
{
    return result ? json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "scenario", result->scenario, "rig",
                              result->rig, "nodes", result->nodes, "verdict",
                              pb_verdict_name(result->verdict), "reason", result->reason, "started_utc",
                              result->started_utc)
                  : json_null();
}

int pb_report_jitter_json(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result)
{
    json_t *root = json_pack(
        "{s:i, s:o, s:s?, s:{s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:I, "
        "s:I, s:i}, s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:I}",
        "schema_version", SCHEMA_VERSION, "run", run(result), "source",
        *jitter->source ? jitter->source : NULL, "clock", "follows", jitter->follows, "reference",
        jitter->reference == PB_JITTER_FIT ? "fit" : "nominal", "ordered_period_ps",
        number(jitter->nominal_ps), "reference_period_ps", number(jitter->period_ps), "rate_ppm",
        number(jitter->rate_ppm), "rate_u95_ppm", number(jitter->rate_u95_ppm), "oscillator_ppm",
        number(jitter->oscillator_ppm), "absolute_rate_u95_ppm", number(jitter->absolute_rate.u95), "drift",
        drift(jitter), "calibration", *jitter->calibration ? jitter->calibration : NULL, "edges",
        (json_int_t)jitter->edges, "missing", (json_int_t)jitter->missing, "n_of_n_period", (int)jitter->n,
        "rows", rows(jitter), "stability", stability(&jitter->stable), "stability_edges",
        (json_int_t)jitter->stable.edges, "starts", starts(jitter), "skew",
        jitter->skew_links > 1 ? json_pack("{s:o, s:o, s:i}", "value_ps", number(jitter->skew_ps), "u95_ps",
                                           number(jitter->skew.u95), "links", (int)jitter->skew_links)
                               : json_null(),
        "board", jitter->board, "converter", converter(jitter), "budgets", budgets(jitter),
        "samples_left_out", (json_int_t)jitter->left_out);
    if (!root)
        return PB_ERR_MEMORY;
    const int failed = json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!failed)
        fputc('\n', stream);
    return failed || fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
