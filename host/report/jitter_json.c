/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * docs/jitter.md names the members.
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

static json_t *quantiles(const struct pb_distribution *raw)
{
    json_t *list = json_array();
    for (unsigned q = 0; list && q < PB_QUANTILES; q++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "share", number(pb_quantile_share(q)),
                                              "value_ps", number(raw->quantile[q]), "upper_bound_ps",
                                              raw->bounded[q] ? number(raw->bound[q]) : json_null()));
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

static json_t *row(const struct pb_jitter_row *row)
{
    const struct pb_distribution *raw = &row->raw;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:{s:o, s:o, s:o, s:o, s:o, s:o}, s:o, s:b, s:o, "
        "s:o}",
        "quantity", pb_jitter_id(row->quantity), "link", place(row->link), "node", place(row->node),
        "dimension", place(row->dimension), "n", (json_int_t)raw->n, "mean_ps", number(row->mean_ps),
        "mean_u95_ps", number(row->mean_u95_ps), "sd_ps", number(row->sd_ps), "sd_is_bound", row->sd_is_bound,
        "raw", "mean_ps", number(raw->mean), "sd_ps", number(raw->sd), "sd95_ps", interval(&raw->sd95),
        "min_ps", number(raw->min), "max_ps", number(raw->max), "rms_ps", number(raw->rms), "step_ps",
        number(row->step_ps), "swept", row->swept, "quantiles", quantiles(raw), "split", split(&row->split));
}

static json_t *rows(const struct pb_jitter *jitter)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < jitter->rows; i++)
        json_array_append_new(list, row(&jitter->row[i]));
    return list;
}

static json_t *stability(const struct pb_jitter *jitter)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < jitter->taus; i++) {
        const struct pb_jitter_stability *at = &jitter->stability[i];
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "tau_s",
                                              number(at->tau_s), "terms", (json_int_t)at->terms, "oadev",
                                              number(at->oadev), "oadev95", interval(&at->oadev95), "mdev",
                                              number(at->mdev), "tdev_ps", number(at->tdev_ps), "mtie_ps",
                                              number(at->mtie_ps), "noise", pb_noise_name(at->noise)));
    }
    return list;
}

int pb_report_jitter_json(FILE *stream, const struct pb_jitter *jitter, const struct pb_result *result)
{
    json_t *root = json_pack(
        "{s:i, s:{s:s, s:s, s:s, s:s, s:s, s:s}, s:{s:b, s:s, s:o, s:o, s:o, s:o, s:s?, s:I, s:I, s:i}, s:o, "
        "s:o, "
        "s:I, s:o, s:I}",
        "schema_version", SCHEMA_VERSION, "run", "scenario", result->scenario, "rig", result->rig, "nodes",
        result->nodes, "verdict", pb_verdict_name(result->verdict), "reason", result->reason, "started_utc",
        result->started_utc, "clock", "follows", jitter->follows, "reference",
        jitter->reference == PB_JITTER_FIT ? "fit" : "nominal", "ordered_period_ps",
        number(jitter->nominal_ps), "reference_period_ps", number(jitter->period_ps), "rate_ppm",
        number(jitter->rate_ppm), "rate_u95_ppm", number(jitter->rate_u95_ppm), "calibration",
        *jitter->calibration ? jitter->calibration : NULL, "edges", (json_int_t)jitter->edges, "missing",
        (json_int_t)jitter->missing, "n_of_n_period", (int)jitter->n, "rows", rows(jitter), "stability",
        stability(jitter), "stability_edges", (json_int_t)jitter->stability_edges, "skew",
        jitter->skew_links > 1 ? json_pack("{s:o, s:o, s:i}", "value_ps", number(jitter->skew_ps), "u95_ps",
                                           number(jitter->skew_u95_ps), "links", (int)jitter->skew_links)
                               : json_null(),
        "samples_left_out", (json_int_t)jitter->left_out);
    if (!root)
        return PB_ERR_MEMORY;
    const int failed = json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!failed)
        fputc('\n', stream);
    return failed || fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
