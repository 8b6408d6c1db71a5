/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/form.h"
#include "host/base/table.h"
#include "phasebench/history.h"
#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { JSON_VERSION = 1, NUMBER_SIZE = 32 };

/* ---- parts of rows */

/* "1" is the first pass, "-" no attempt. */
static const char *attempt_text(char text[NUMBER_SIZE], const struct pb_history_run *run)
{
    snprintf(text, NUMBER_SIZE, run->attempt ? "%" PRIu64 : "-", run->attempt);
    return text;
}

static const char *limit_text(char text[NUMBER_SIZE], int64_t value, const char *none)
{
    snprintf(text, NUMBER_SIZE, "%" PRId64, value);
    return value == PB_ABSENT ? none : text;
}

/* The longest of a field of all runs, at least that of the title. */
static int width_of(const struct pb_history_run *run, size_t runs, size_t at, const char *title)
{
    size_t width = strlen(title);
    for (size_t i = 0; i < runs; i++) {
        const size_t length = strlen((const char *)&run[i] + at);
        width = length > width ? length : width;
    }
    return (int)width;
}
#define WIDTH(run, runs, field, title) width_of(run, runs, offsetof(struct pb_history_run, field), title)

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

/* A cell, with a comma before it unless it is the first. */
static void put_csv(FILE *out, bool first, const char *text)
{
    if (!first)
        putc(',', out);
    pb_table_put(out, text);
}

static void put_csv_number(FILE *out, int64_t value)
{
    char text[NUMBER_SIZE];
    fprintf(out, ",%s", limit_text(text, value, ""));
}

/* ---- a run */

#define RUN_COLUMNS                                                                                          \
    "run,started_utc,scenario,seed,rig,verdict,attempt,unit,station,operator,program,core,map_hash,"         \
    "node,identity,image_bytes,image_crc32,limits_version,limits_crc32,key,findings,reason"

static void put_run(FILE *out, const struct pb_history_run *run)
{
    char number[NUMBER_SIZE];
    fprintf(out, "%" PRId64, run->id);
    put_csv(out, false, run->started_utc);
    put_csv(out, false, run->scenario);
    fprintf(out, ",%" PRIu64, run->seed);
    put_csv(out, false, run->rig);
    put_csv(out, false, pb_verdict_name(run->verdict));
    put_csv(out, false, run->attempt ? attempt_text(number, run) : "");
    put_csv(out, false, run->unit);
    put_csv(out, false, run->station);
    put_csv(out, false, run->operator_name);
    put_csv(out, false, run->program);
    put_csv(out, false, run->core);
    put_csv(out, false, run->map_hash);
    put_csv(out, false, run->node.kind);
    put_csv(out, false, run->node.identity);
    put_csv_number(out, run->node.image_bytes < 0 ? PB_ABSENT : run->node.image_bytes);
    put_csv_number(out, run->node.image_bytes < 0 ? PB_ABSENT : run->node.image_crc32);
    put_csv(out, false, run->limits_version);
    put_csv_number(out, run->limits_crc32);
    put_csv(out, false, run->key);
    fprintf(out, ",%" PRIu64, run->findings);
    put_csv(out, false, run->reason);
}

static json_t *integer_or_null(int64_t value)
{
    return value == PB_ABSENT ? json_null() : json_integer(value);
}

static json_t *make_node(const struct pb_history_node *node)
{
    json_t *object = json_object();
    pb_form_set(object, "address", json_integer(node->address));
    pb_form_set(object, "kind", pb_form_text(node->kind));
    pb_form_set(object, "identity", pb_form_text(node->identity));
    pb_form_set(object, "image_bytes",
                integer_or_null(node->image_bytes < 0 ? PB_ABSENT : node->image_bytes));
    pb_form_set(object, "image_crc32",
                integer_or_null(node->image_bytes < 0 ? PB_ABSENT : node->image_crc32));
    return object;
}

static json_t *make_run(const struct pb_history_run *run)
{
    char seed[NUMBER_SIZE];
    json_t *object = json_object();
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed); /* as in result.json: beyond the integers of JSON */
    pb_form_set(object, "run", json_integer(run->id));
    pb_form_set(object, "started_utc", pb_form_text(run->started_utc));
    pb_form_set(object, "scenario", pb_form_text(run->scenario));
    pb_form_set(object, "seed", json_string(seed));
    pb_form_set(object, "rig", pb_form_text(run->rig));
    pb_form_set(object, "verdict", json_string(pb_verdict_name(run->verdict)));
    pb_form_set(object, "reason", pb_form_text(run->reason));
    pb_form_set(object, "incomplete", pb_form_text(run->incomplete));
    pb_form_set(object, "attempt", run->attempt ? json_integer((json_int_t)run->attempt) : json_null());
    pb_form_set(object, "retest", run->attempt ? json_boolean(run->attempt > 1) : json_null());
    pb_form_set(object, "unit", pb_form_text(run->unit));
    pb_form_set(object, "station", pb_form_text(run->station));
    pb_form_set(object, "operator", pb_form_text(run->operator_name));
    pb_form_set(object, "program", pb_form_text(run->program));
    pb_form_set(object, "core", pb_form_text(run->core));
    pb_form_set(object, "map_hash", pb_form_text(run->map_hash));
    pb_form_set(object, "environment", pb_form_text(run->environment));
    pb_form_set(object, "limits_version", pb_form_text(run->limits_version));
    pb_form_set(object, "limits_crc32", integer_or_null(run->limits_crc32));
    pb_form_set(object, "key", pb_form_text(run->key));
    pb_form_set(object, "findings_total", json_integer((json_int_t)run->findings));
    return object;
}

static json_t *make_document(const char *key, json_t **list)
{
    json_t *document = json_object();
    *list = json_array();
    pb_form_set(document, "schema_version", json_integer(JSON_VERSION));
    pb_form_set(document, key, *list);
    return document;
}

/* ---- lists of runs */

int pb_report_history_runs(FILE *out, enum pb_history_form form, const struct pb_history_run *run,
                           size_t runs)
{
    const int station = WIDTH(run, runs, station, "STATION"), unit = WIDTH(run, runs, unit, "UNIT"),
              scenario = WIDTH(run, runs, scenario, "SCENARIO");
    char attempt[NUMBER_SIZE];
    json_t *list;
    if (form == PB_HISTORY_JSON) {
        json_t *document = make_document("runs", &list);
        for (size_t i = 0; i < runs; i++) {
            json_t *object = make_run(&run[i]);
            pb_form_set(object, "node", make_node(&run[i].node));
            pb_form_add(list, object);
        }
        return pb_form_json(out, document);
    }
    if (form == PB_HISTORY_CSV) {
        fputs(RUN_COLUMNS "\n", out);
        for (size_t i = 0; i < runs; i++) {
            put_run(out, &run[i]);
            putc('\n', out);
        }
        return pb_stream_status(out);
    }
    pb_form_line(out, "%5s  %-20s  %-*s  %-*s  %-*s  %3s  %-12s  %s", "RUN", "TIME", station, "STATION", unit,
                 "UNIT", scenario, "SCENARIO", "TRY", "VERDICT", "FINDINGS");
    for (size_t i = 0; i < runs; i++)
        pb_form_line(out, "%5" PRId64 "  %-20s  %-*s  %-*s  %-*s  %3s  %-12s  %8" PRIu64, run[i].id,
                     run[i].started_utc, station, or_dash(run[i].station), unit, or_dash(run[i].unit),
                     scenario, run[i].scenario, attempt_text(attempt, &run[i]),
                     pb_verdict_name(run[i].verdict), run[i].findings);
    pb_form_line(out, "%zu run%s", runs, runs == 1 ? "" : "s");
    return pb_stream_status(out);
}

int pb_report_history_unit(FILE *out, const char *unit, const struct pb_history_run *run, size_t runs)
{
    const int scenario = WIDTH(run, runs, scenario, "SCENARIO"),
              station = WIDTH(run, runs, station, "STATION"),
              person = WIDTH(run, runs, operator_name, "OPERATOR");
    char attempt[NUMBER_SIZE], image[NUMBER_SIZE];
    size_t retests = 0;
    pb_form_line(out, "%5s  %-20s  %-*s  %3s  %-12s  %-*s  %-*s  %-10s  %s", "RUN", "TIME", scenario,
                 "SCENARIO", "TRY", "VERDICT", station, "STATION", person, "OPERATOR", "IMAGE", "FIRMWARE");
    for (size_t i = 0; i < runs; i++) {
        const struct pb_history_node *node = &run[i].node;
        snprintf(image, sizeof image, node->image_bytes < 0 ? "-" : "0x%08" PRIX32, node->image_crc32);
        pb_form_line(out, "%5" PRId64 "  %-20s  %-*s  %3s  %-12s  %-*s  %-*s  %-10s  %s", run[i].id,
                     run[i].started_utc, scenario, run[i].scenario, attempt_text(attempt, &run[i]),
                     pb_verdict_name(run[i].verdict), station, or_dash(run[i].station), person,
                     or_dash(run[i].operator_name), image, or_dash(node->identity));
        if (run[i].verdict != PB_VERDICT_PASS)
            pb_form_line(out, "       %s", run[i].reason);
        if (run[i].limits_crc32 != PB_ABSENT)
            pb_form_line(out, "       limits %s, 0x%08" PRIX32, or_dash(run[i].limits_version),
                         (uint32_t)run[i].limits_crc32);
        retests += run[i].attempt > 1;
    }
    pb_form_line(out, "unit %s: %zu run%s, %zu of them retest%s", unit, runs, runs == 1 ? "" : "s", retests,
                 retests == 1 ? "" : "s");
    return pb_stream_status(out);
}

/* ---- yield */

static double percent(size_t part, size_t whole)
{
    return 100.0 * (double)part / (double)whole;
}

static json_t *make_yield(const struct pb_history_yield *row)
{
    json_t *object = json_object();
    pb_form_set(object, "scenario", pb_form_text(row->scenario));
    pb_form_set(object, "day", *row->day ? json_string(row->day) : json_null());
    pb_form_set(object, "station", row->station ? pb_form_text(row->station) : json_null());
    pb_form_set(object, "units", json_integer((json_int_t)row->units));
    pb_form_set(object, "first_passed", json_integer((json_int_t)row->first_passed));
    pb_form_set(object, "finally_passed", json_integer((json_int_t)row->finally_passed));
    pb_form_set(object, "retests", json_integer((json_int_t)row->retests));
    pb_form_set(object, "worst_station", pb_form_text(row->worst_station));
    pb_form_set(object, "worst_units", json_integer((json_int_t)row->worst_units));
    pb_form_set(object, "worst_passed", json_integer((json_int_t)row->worst_passed));
    return object;
}

static void put_yield(FILE *out, const struct pb_history_yield *row)
{
    put_csv(out, true, row->scenario);
    put_csv(out, false, row->day);
    fprintf(out, ",%zu,%zu,%zu,%zu", row->units, row->first_passed, row->finally_passed, row->retests);
    put_csv(out, false, row->worst_station);
    fprintf(out, ",%zu,%zu", row->worst_units, row->worst_passed);
    put_csv(out, false, row->station ? row->station : "");
    putc('\n', out);
}

/* The longest station of all rows; 0: no row is of one station. */
static int station_width(const struct pb_history_yield *row, size_t rows)
{
    size_t width = 0;
    for (size_t i = 0; i < rows; i++)
        if (row[i].station)
            width = strlen(row[i].station) > width ? strlen(row[i].station) : width;
    return width && width < strlen("STATION") ? (int)strlen("STATION") : (int)width;
}

static void print_yield(FILE *out, const struct pb_history_yield *row, int scenario, int station)
{
    char name[PB_HISTORY_LABEL_SIZE + 2] = "";
    if (station)
        snprintf(name, sizeof name, "%-*s  ", station, row->station ? or_dash(row->station) : "all");
    pb_form_line(out, "%-*s  %-10s  %s%5zu  %5zu  %6.2f %%  %5zu  %6.2f %%  %7zu  %s %zu of %zu", scenario,
                 row->scenario, *row->day ? row->day : "all", name, row->units, row->first_passed,
                 percent(row->first_passed, row->units), row->finally_passed,
                 percent(row->finally_passed, row->units), row->retests, or_dash(row->worst_station),
                 row->worst_passed, row->worst_units);
}

int pb_report_history_yield(FILE *out, enum pb_history_form form, const struct pb_history_yield *row,
                            size_t rows)
{
    const int station = station_width(row, rows);
    int width = (int)strlen("SCENARIO");
    json_t *list = NULL, *document = form == PB_HISTORY_JSON ? make_document("yield", &list) : NULL;
    for (size_t i = 0; i < rows; i++)
        width = (int)strlen(row[i].scenario) > width ? (int)strlen(row[i].scenario) : width;
    if (form == PB_HISTORY_CSV)
        fputs("scenario,day,units,first_passed,finally_passed,retests,worst_station,worst_units,worst_passed,"
              "station\n", out);
    else if (form == PB_HISTORY_TEXT)
        pb_form_line(out, "%-*s  %-10s  %-*s%5s  %-15s  %-15s  %7s  %s", width, "SCENARIO", "DAY",
                     station ? station + 2 : 0, station ? "STATION" : "", "UNITS", "FIRST PASS", "FINAL",
                     "RETESTS", "WORST STATION");
    for (size_t i = 0; i < rows; i++) {
        if (form == PB_HISTORY_JSON)
            pb_form_add(list, make_yield(&row[i]));
        else if (form == PB_HISTORY_CSV)
            put_yield(out, &row[i]);
        else
            print_yield(out, &row[i], width, station);
    }
    if (form == PB_HISTORY_TEXT && !rows)
        pb_form_line(out, "no first pass of a unit among these runs; name the unit of each run by --unit, "
                          "and run it to a verdict");
    return form == PB_HISTORY_JSON ? pb_form_json(out, document) : pb_stream_status(out);
}

/* ---- a figure over time */

static const char *why_no_index(enum pb_history_capability capability)
{
    static const char *const why[] = {
        [PB_CAPABLE] = "",
        [PB_CAPABLE_FEW] = "fewer than two values",
        [PB_CAPABLE_FREE] = "no limit",
        [PB_CAPABLE_UNLIKE] = "the limits of the runs differ; choose a --scenario",
        [PB_CAPABLE_EQUAL] = "all values are equal",
        [PB_CAPABLE_ALONE] = "no run has two values",
    };
    return why[capability];
}

static const char *within_words(enum pb_history_within within)
{
    return within == PB_WITHIN_RANGES ? "mean range" : "pooled deviation";
}

static json_t *make_figure(const struct pb_history_figure *figure)
{
    json_t *object = json_object();
    pb_form_set(object, "id", pb_form_text(figure->id));
    pb_form_set(object, "unit", pb_form_text(figure->unit));
    pb_form_set(object, "n", json_integer((json_int_t)figure->n));
    pb_form_set(object, "min", json_integer(figure->min));
    pb_form_set(object, "mean", json_integer(figure->mean));
    pb_form_set(object, "max", json_integer(figure->max));
    pb_form_set(object, "sd", json_integer(figure->sd));
    pb_form_set(object, "lower", integer_or_null(figure->lower));
    pb_form_set(object, "upper", integer_or_null(figure->upper));
    pb_form_set(object, "u95", json_integer(figure->u95));
    pb_form_set(object, "margin", integer_or_null(figure->margin));
    pb_form_set(object, "judgement", pb_form_text(figure->judgement));
    return object;
}

#define FIGURE_COLUMNS "measurement,measurement_unit,n,min,mean,max,sd,lower,upper,u95,margin,judgement"

static void put_figure(FILE *out, const struct pb_history_figure *figure)
{
    put_csv(out, false, figure->id);
    put_csv(out, false, figure->unit);
    fprintf(out, ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, figure->n, figure->min,
            figure->mean, figure->max, figure->sd);
    put_csv_number(out, figure->lower);
    put_csv_number(out, figure->upper);
    put_csv_number(out, figure->u95);
    put_csv_number(out, figure->margin);
    put_csv(out, false, figure->judgement);
}

static json_t *make_trend(const struct pb_history_trend *trend)
{
    json_t *object = json_object();
    const bool pair = trend->runs > 1;
    const bool cpk = trend->cpk_capability == PB_CAPABLE, ppk = trend->capability == PB_CAPABLE;
    pb_form_set(object, "runs", json_integer((json_int_t)trend->runs));
    pb_form_set(object, "mean", json_real(trend->mean));
    pb_form_set(object, "sd", pair ? json_real(trend->sd) : json_null());
    pb_form_set(object, "n", json_integer((json_int_t)trend->n));
    pb_form_set(object, "value_mean", json_real(trend->value_mean));
    pb_form_set(object, "value_sd", trend->n > 1 ? json_real(trend->value_sd) : json_null());
    pb_form_set(object, "lower", integer_or_null(trend->lower));
    pb_form_set(object, "upper", integer_or_null(trend->upper));
    pb_form_set(object, "within_sd", trend->within_sd > 0 ? json_real(trend->within_sd) : json_null());
    pb_form_set(object, "within_method", json_string(within_words(trend->within)));
    pb_form_set(object, "cpk", cpk ? json_real(trend->cpk) : json_null());
    pb_form_set(object, "cpk_reason", json_string(why_no_index(trend->cpk_capability)));
    pb_form_set(object, "ppk", ppk ? json_real(trend->ppk) : json_null());
    pb_form_set(object, "ppk_reason", json_string(why_no_index(trend->capability)));
    pb_form_set(object, "slope_per_day", trend->drifts ? json_real(trend->slope) : json_null());
    pb_form_set(object, "slope_standard_error", trend->drifts ? json_real(trend->slope_error) : json_null());
    return object;
}

static int print_trend(FILE *out, const struct pb_history_trend *trend, const char *unit)
{
    char lower[NUMBER_SIZE], upper[NUMBER_SIZE], sd[NUMBER_SIZE] = "-", value_sd[NUMBER_SIZE] = "-";
    if (trend->runs > 1)
        snprintf(sd, sizeof sd, "%.1f", trend->sd);
    if (trend->n > 1)
        snprintf(value_sd, sizeof value_sd, "%.1f", trend->value_sd);
    pb_form_line(out, "runs    n %zu, mean %.1f, sd %s %s: of the means of the runs", trend->runs,
                 trend->mean, sd, unit);
    pb_form_line(out, "values  n %" PRIu64 ", mean %.1f, sd %s %s; limits %s to %s", trend->n,
                 trend->value_mean, value_sd, unit, limit_text(lower, trend->lower, "-"),
                 limit_text(upper, trend->upper, "-"));
    if (trend->cpk_capability == PB_CAPABLE)
        pb_form_line(out, "Cpk     %.3f, within runs: sd %.1f %s by their %s, of n %" PRIu64 " values",
                     trend->cpk, trend->within_sd, unit, within_words(trend->within), trend->n);
    else
        pb_form_line(out, "Cpk     -: %s, n %" PRIu64, why_no_index(trend->cpk_capability), trend->n);
    if (trend->capability == PB_CAPABLE)
        pb_form_line(out, "Ppk     %.3f, overall: sd %s %s, of n %" PRIu64 " values", trend->ppk, value_sd,
                     unit, trend->n);
    else
        pb_form_line(out, "Ppk     -: %s, n %" PRIu64, why_no_index(trend->capability), trend->n);
    if (trend->drifts)
        pb_form_line(out, "drift   %+.4g %s a day, standard error %.2g", trend->slope, unit,
                     trend->slope_error);
    else
        pb_form_line(out, "drift   -: needs three runs, not all in one second");
    return pb_stream_status(out);
}

static int print_values(FILE *out, const struct pb_history_value *value, size_t values,
                        const struct pb_history_trend *trend)
{
    char margin[NUMBER_SIZE], attempt[NUMBER_SIZE];
    pb_form_line(out, "%s, %s", value[0].figure.id, value[0].figure.unit);
    pb_form_line(out, "%5s  %-20s  %-12s  %-12s  %3s  %8s  %12s  %12s  %12s  %10s  %12s", "RUN", "TIME",
                 "STATION", "UNIT", "TRY", "N", "MIN", "MEAN", "MAX", "SD", "MARGIN");
    for (size_t i = 0; i < values; i++) {
        const struct pb_history_run *run = &value[i].run;
        const struct pb_history_figure *figure = &value[i].figure;
        pb_form_line(out,
                     "%5" PRId64 "  %-20s  %-12s  %-12s  %3s  %8" PRIu64 "  %12" PRId64 "  %12" PRId64
                     "  %12" PRId64 "  %10" PRId64 "  %12s",
                     run->id, run->started_utc, or_dash(run->station), or_dash(run->unit),
                     attempt_text(attempt, run), figure->n, figure->min, figure->mean, figure->max,
                     figure->sd, limit_text(margin, figure->margin, "-"));
    }
    return print_trend(out, trend, value[0].figure.unit);
}

int pb_report_history_figure(FILE *out, enum pb_history_form form, const struct pb_history_value *value,
                         size_t values)
{
    struct pb_history_trend trend;
    json_t *list;
    pb_history_trend_of(&trend, value, values);
    if (form == PB_HISTORY_TEXT)
        return print_values(out, value, values, &trend);
    if (form == PB_HISTORY_CSV) {
        fputs(RUN_COLUMNS "," FIGURE_COLUMNS "\n", out);
        for (size_t i = 0; i < values; i++) {
            put_run(out, &value[i].run);
            put_figure(out, &value[i].figure);
            putc('\n', out);
        }
        return pb_stream_status(out);
    }
    json_t *document = make_document("values", &list);
    for (size_t i = 0; i < values; i++) {
        json_t *object = make_run(&value[i].run);
        pb_form_set(object, "measurement", make_figure(&value[i].figure));
        pb_form_add(list, object);
    }
    pb_form_set(document, "trend", make_trend(&trend));
    return pb_form_json(out, document);
}

/* ---- export */

static void export_csv(FILE *out, const struct pb_history_record *record)
{
    for (size_t i = 0; i < record->figures; i++) {
        put_run(out, &record->run);
        put_figure(out, &record->figure[i]);
        putc('\n', out);
    }
    if (!record->figures) {
        put_run(out, &record->run);
        fputs(",,,,,,,,,,,,\n", out);
    }
}

static int export_json(FILE *out, const struct pb_history_record *record, bool first)
{
    json_t *object = make_run(&record->run), *nodes = json_array(), *figures = json_array(),
           *findings = json_array();
    for (size_t i = 0; i < record->nodes; i++)
        pb_form_add(nodes, make_node(&record->node[i]));
    for (size_t i = 0; i < record->figures; i++)
        pb_form_add(figures, make_figure(&record->figure[i]));
    for (size_t i = 0; i < record->findings; i++) {
        json_t *finding = json_object();
        pb_form_set(finding, "kind", pb_form_text(record->finding[i].kind));
        pb_form_set(finding, "count", json_integer((json_int_t)record->finding[i].count));
        pb_form_add(findings, finding);
    }
    pb_form_set(object, "nodes", nodes);
    pb_form_set(object, "measurements", figures);
    pb_form_set(object, "findings", findings);
    fputs(first ? "\n" : ",\n", out);
    return pb_form_json(out, object);
}

int pb_report_history_export(FILE *out, enum pb_history_form form, struct pb_history *history,
                   const struct pb_history_run *run, size_t runs, struct pb_diag *diag)
{
    int code = PB_OK;
    if (form == PB_HISTORY_CSV)
        fputs(RUN_COLUMNS "," FIGURE_COLUMNS "\n", out);
    else
        fprintf(out, "{\"schema_version\": %d, \"runs\": [", JSON_VERSION);
    for (size_t i = 0; i < runs && !code; i++) {
        struct pb_history_record record = {.run = run[i]};
        code = pb_history_read(history, &record, diag);
        if (!code && form == PB_HISTORY_CSV)
            export_csv(out, &record);
        else if (!code && export_json(out, &record, i == 0))
            code = pb_fail(diag, PB_ERR_IO, "history: run %" PRId64 " cannot be written: %s", run[i].id,
                           strerror(errno));
        pb_history_record_free(&record);
    }
    if (form == PB_HISTORY_JSON)
        fputs("]}\n", out);
    return code;
}
