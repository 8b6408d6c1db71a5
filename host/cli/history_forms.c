/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "history_forms.h"

#include "cli.h"

#include "host/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
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

/* A field of CSV (RFC 4180), with a comma before it unless it is the first. */
static void put_csv(bool first, const char *text)
{
    if (!first)
        putchar(',');
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++)
        printf("%s%c", *text == '"' ? "\"" : "", *text);
    putchar('"');
}

static void put_csv_number(int64_t value)
{
    char text[NUMBER_SIZE];
    put_csv(false, limit_text(text, value, ""));
}

/* ---- a run */

#define RUN_COLUMNS                                                                                          \
    "run,started_utc,scenario,seed,rig,verdict,attempt,unit,station,operator,program,core,map_hash,"         \
    "node,identity,image_bytes,image_crc32,limits_version,limits_crc32,key,findings,reason"

static void put_run(const struct pb_history_run *run)
{
    char number[NUMBER_SIZE];
    printf("%" PRId64, run->id);
    put_csv(false, run->started_utc);
    put_csv(false, run->scenario);
    printf(",%" PRIu64, run->seed);
    put_csv(false, run->rig);
    put_csv(false, pb_verdict_name(run->verdict));
    put_csv(false, run->attempt ? attempt_text(number, run) : "");
    put_csv(false, run->unit);
    put_csv(false, run->station);
    put_csv(false, run->operator_name);
    put_csv(false, run->program);
    put_csv(false, run->core);
    put_csv(false, run->map_hash);
    put_csv(false, run->node.kind);
    put_csv(false, run->node.identity);
    put_csv_number(run->node.image_bytes < 0 ? PB_ABSENT : run->node.image_bytes);
    put_csv_number(run->node.image_bytes < 0 ? PB_ABSENT : run->node.image_crc32);
    put_csv(false, run->limits_version);
    put_csv_number(run->limits_crc32);
    put_csv(false, run->key);
    printf(",%" PRIu64, run->findings);
    put_csv(false, run->reason);
}

static json_t *integer_or_null(int64_t value)
{
    return value == PB_ABSENT ? json_null() : json_integer(value);
}

static json_t *make_node(const struct pb_history_node *node)
{
    json_t *object = json_object();
    cli_json_set(object, "address", json_integer(node->address));
    cli_json_set(object, "kind", cli_json_text(node->kind));
    cli_json_set(object, "identity", cli_json_text(node->identity));
    cli_json_set(object, "image_bytes",
                 integer_or_null(node->image_bytes < 0 ? PB_ABSENT : node->image_bytes));
    cli_json_set(object, "image_crc32",
                 integer_or_null(node->image_bytes < 0 ? PB_ABSENT : node->image_crc32));
    return object;
}

static json_t *make_run(const struct pb_history_run *run)
{
    char seed[NUMBER_SIZE];
    json_t *object = json_object();
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed); /* as in result.json: beyond the integers of JSON */
    cli_json_set(object, "run", json_integer(run->id));
    cli_json_set(object, "started_utc", cli_json_text(run->started_utc));
    cli_json_set(object, "scenario", cli_json_text(run->scenario));
    cli_json_set(object, "seed", json_string(seed));
    cli_json_set(object, "rig", cli_json_text(run->rig));
    cli_json_set(object, "verdict", json_string(pb_verdict_name(run->verdict)));
    cli_json_set(object, "reason", cli_json_text(run->reason));
    cli_json_set(object, "incomplete", cli_json_text(run->incomplete));
    cli_json_set(object, "attempt", run->attempt ? json_integer((json_int_t)run->attempt) : json_null());
    cli_json_set(object, "retest", run->attempt ? json_boolean(run->attempt > 1) : json_null());
    cli_json_set(object, "unit", cli_json_text(run->unit));
    cli_json_set(object, "station", cli_json_text(run->station));
    cli_json_set(object, "operator", cli_json_text(run->operator_name));
    cli_json_set(object, "program", cli_json_text(run->program));
    cli_json_set(object, "core", cli_json_text(run->core));
    cli_json_set(object, "map_hash", cli_json_text(run->map_hash));
    cli_json_set(object, "environment", cli_json_text(run->environment));
    cli_json_set(object, "limits_version", cli_json_text(run->limits_version));
    cli_json_set(object, "limits_crc32", integer_or_null(run->limits_crc32));
    cli_json_set(object, "key", cli_json_text(run->key));
    cli_json_set(object, "findings_total", json_integer((json_int_t)run->findings));
    return object;
}

static json_t *make_document(const char *key, json_t **list)
{
    json_t *document = json_object();
    *list = json_array();
    cli_json_set(document, "schema_version", json_integer(JSON_VERSION));
    cli_json_set(document, key, *list);
    return document;
}

/* ---- lists of runs */

int history_print_runs(enum history_form form, const struct pb_history_run *run, size_t runs)
{
    const int station = WIDTH(run, runs, station, "STATION"), unit = WIDTH(run, runs, unit, "UNIT"),
              scenario = WIDTH(run, runs, scenario, "SCENARIO");
    char attempt[NUMBER_SIZE];
    json_t *list;
    if (form == HISTORY_JSON) {
        json_t *document = make_document("runs", &list);
        for (size_t i = 0; i < runs; i++) {
            json_t *object = make_run(&run[i]);
            cli_json_set(object, "node", make_node(&run[i].node));
            cli_json_add(list, object);
        }
        return cli_print_json(document);
    }
    if (form == HISTORY_CSV) {
        puts(RUN_COLUMNS);
        for (size_t i = 0; i < runs; i++) {
            put_run(&run[i]);
            putchar('\n');
        }
        return cli_flush();
    }
    cli_say("%5s  %-20s  %-*s  %-*s  %-*s  %3s  %-12s  %s", "RUN", "TIME", station, "STATION", unit, "UNIT",
            scenario, "SCENARIO", "TRY", "VERDICT", "FINDINGS");
    for (size_t i = 0; i < runs; i++)
        cli_say("%5" PRId64 "  %-20s  %-*s  %-*s  %-*s  %3s  %-12s  %8" PRIu64, run[i].id, run[i].started_utc,
                station, or_dash(run[i].station), unit, or_dash(run[i].unit), scenario, run[i].scenario,
                attempt_text(attempt, &run[i]), pb_verdict_name(run[i].verdict), run[i].findings);
    cli_say("%zu run%s", runs, runs == 1 ? "" : "s");
    return cli_flush();
}

int history_print_unit(const char *unit, const struct pb_history_run *run, size_t runs)
{
    const int scenario = WIDTH(run, runs, scenario, "SCENARIO"),
              station = WIDTH(run, runs, station, "STATION"),
              person = WIDTH(run, runs, operator_name, "OPERATOR");
    char attempt[NUMBER_SIZE], image[NUMBER_SIZE];
    size_t retests = 0;
    cli_say("%5s  %-20s  %-*s  %3s  %-12s  %-*s  %-*s  %-10s  %s", "RUN", "TIME", scenario, "SCENARIO", "TRY",
            "VERDICT", station, "STATION", person, "OPERATOR", "IMAGE", "FIRMWARE");
    for (size_t i = 0; i < runs; i++) {
        const struct pb_history_node *node = &run[i].node;
        snprintf(image, sizeof image, node->image_bytes < 0 ? "-" : "0x%08" PRIX32, node->image_crc32);
        cli_say("%5" PRId64 "  %-20s  %-*s  %3s  %-12s  %-*s  %-*s  %-10s  %s", run[i].id, run[i].started_utc,
                scenario, run[i].scenario, attempt_text(attempt, &run[i]), pb_verdict_name(run[i].verdict),
                station, or_dash(run[i].station), person, or_dash(run[i].operator_name), image,
                or_dash(node->identity));
        if (run[i].verdict != PB_VERDICT_PASS)
            cli_say("       %s", run[i].reason);
        if (run[i].limits_crc32 != PB_ABSENT)
            cli_say("       limits %s, 0x%08" PRIX32, or_dash(run[i].limits_version),
                    (uint32_t)run[i].limits_crc32);
        retests += run[i].attempt > 1;
    }
    cli_say("unit %s: %zu run%s, %zu of them retest%s", unit, runs, runs == 1 ? "" : "s", retests,
            retests == 1 ? "" : "s");
    return cli_flush();
}

/* ---- yield */

static double percent(size_t part, size_t whole)
{
    return 100.0 * (double)part / (double)whole;
}

static json_t *make_yield(const struct pb_history_yield *row)
{
    json_t *object = json_object();
    cli_json_set(object, "scenario", cli_json_text(row->scenario));
    cli_json_set(object, "day", *row->day ? json_string(row->day) : json_null());
    cli_json_set(object, "station", row->station ? cli_json_text(row->station) : json_null());
    cli_json_set(object, "units", json_integer((json_int_t)row->units));
    cli_json_set(object, "first_passed", json_integer((json_int_t)row->first_passed));
    cli_json_set(object, "finally_passed", json_integer((json_int_t)row->finally_passed));
    cli_json_set(object, "retests", json_integer((json_int_t)row->retests));
    cli_json_set(object, "worst_station", cli_json_text(row->worst_station));
    cli_json_set(object, "worst_units", json_integer((json_int_t)row->worst_units));
    cli_json_set(object, "worst_passed", json_integer((json_int_t)row->worst_passed));
    return object;
}

static void put_yield(const struct pb_history_yield *row)
{
    put_csv(true, row->scenario);
    put_csv(false, row->day);
    printf(",%zu,%zu,%zu,%zu", row->units, row->first_passed, row->finally_passed, row->retests);
    put_csv(false, row->worst_station);
    printf(",%zu,%zu", row->worst_units, row->worst_passed);
    put_csv(false, row->station ? row->station : "");
    putchar('\n');
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

static void print_yield(const struct pb_history_yield *row, int scenario, int station)
{
    char name[PB_HISTORY_LABEL_SIZE + 2] = "";
    if (station)
        snprintf(name, sizeof name, "%-*s  ", station, row->station ? or_dash(row->station) : "all");
    cli_say("%-*s  %-10s  %s%5zu  %5zu  %6.2f %%  %5zu  %6.2f %%  %7zu  %s %zu of %zu", scenario,
            row->scenario, *row->day ? row->day : "all", name, row->units, row->first_passed,
            percent(row->first_passed, row->units), row->finally_passed,
            percent(row->finally_passed, row->units), row->retests, or_dash(row->worst_station),
            row->worst_passed, row->worst_units);
}

int history_print_yield(enum history_form form, const struct pb_history_yield *row, size_t rows)
{
    const int station = station_width(row, rows);
    int width = (int)strlen("SCENARIO");
    json_t *list = NULL, *document = form == HISTORY_JSON ? make_document("yield", &list) : NULL;
    for (size_t i = 0; i < rows; i++)
        width = (int)strlen(row[i].scenario) > width ? (int)strlen(row[i].scenario) : width;
    if (form == HISTORY_CSV)
        puts("scenario,day,units,first_passed,finally_passed,retests,worst_station,worst_units,worst_passed,"
             "station");
    else if (form == HISTORY_TEXT)
        cli_say("%-*s  %-10s  %-*s%5s  %-15s  %-15s  %7s  %s", width, "SCENARIO", "DAY",
                station ? station + 2 : 0, station ? "STATION" : "", "UNITS", "FIRST PASS", "FINAL",
                "RETESTS", "WORST STATION");
    for (size_t i = 0; i < rows; i++) {
        if (form == HISTORY_JSON)
            cli_json_add(list, make_yield(&row[i]));
        else if (form == HISTORY_CSV)
            put_yield(&row[i]);
        else
            print_yield(&row[i], width, station);
    }
    if (form == HISTORY_TEXT && !rows)
        cli_say("no first pass of a unit among these runs; name the unit of each run by --unit");
    return form == HISTORY_JSON ? cli_print_json(document) : cli_flush();
}

/* ---- a figure over time */

static const char *why_no_cpk(enum pb_history_capability capability)
{
    static const char *const why[] = {
        [PB_CAPABLE] = "",
        [PB_CAPABLE_FEW] = "fewer than two values",
        [PB_CAPABLE_FREE] = "no limit",
        [PB_CAPABLE_UNLIKE] = "the limits of the runs differ; choose a --scenario",
        [PB_CAPABLE_EQUAL] = "all values are equal",
    };
    return why[capability];
}

static json_t *make_figure(const struct pb_history_figure *figure)
{
    json_t *object = json_object();
    cli_json_set(object, "id", cli_json_text(figure->id));
    cli_json_set(object, "unit", cli_json_text(figure->unit));
    cli_json_set(object, "n", json_integer((json_int_t)figure->n));
    cli_json_set(object, "min", json_integer(figure->min));
    cli_json_set(object, "mean", json_integer(figure->mean));
    cli_json_set(object, "max", json_integer(figure->max));
    cli_json_set(object, "sd", json_integer(figure->sd));
    cli_json_set(object, "lower", integer_or_null(figure->lower));
    cli_json_set(object, "upper", integer_or_null(figure->upper));
    cli_json_set(object, "u95", json_integer(figure->u95));
    cli_json_set(object, "margin", integer_or_null(figure->margin));
    cli_json_set(object, "judgement", cli_json_text(figure->judgement));
    return object;
}

#define FIGURE_COLUMNS "measurement,measurement_unit,n,min,mean,max,sd,lower,upper,u95,margin,judgement"

static void put_figure(const struct pb_history_figure *figure)
{
    put_csv(false, figure->id);
    put_csv(false, figure->unit);
    printf(",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, figure->n, figure->min, figure->mean,
           figure->max, figure->sd);
    put_csv_number(figure->lower);
    put_csv_number(figure->upper);
    put_csv_number(figure->u95);
    put_csv_number(figure->margin);
    put_csv(false, figure->judgement);
}

static json_t *make_trend(const struct pb_history_trend *trend)
{
    json_t *object = json_object();
    const bool pair = trend->runs > 1, capable = trend->capability == PB_CAPABLE;
    cli_json_set(object, "runs", json_integer((json_int_t)trend->runs));
    cli_json_set(object, "mean", json_real(trend->mean));
    cli_json_set(object, "sd", pair ? json_real(trend->sd) : json_null());
    cli_json_set(object, "n", json_integer((json_int_t)trend->n));
    cli_json_set(object, "value_mean", json_real(trend->value_mean));
    cli_json_set(object, "value_sd", trend->n > 1 ? json_real(trend->value_sd) : json_null());
    cli_json_set(object, "lower", integer_or_null(trend->lower));
    cli_json_set(object, "upper", integer_or_null(trend->upper));
    cli_json_set(object, "cpk", capable ? json_real(trend->cpk) : json_null());
    cli_json_set(object, "cpk_reason", json_string(why_no_cpk(trend->capability)));
    cli_json_set(object, "slope_per_day", trend->drifts ? json_real(trend->slope) : json_null());
    cli_json_set(object, "slope_standard_error", trend->drifts ? json_real(trend->slope_error) : json_null());
    return object;
}

static int print_trend(const struct pb_history_trend *trend, const char *unit)
{
    char lower[NUMBER_SIZE], upper[NUMBER_SIZE], sd[NUMBER_SIZE] = "-", value_sd[NUMBER_SIZE] = "-";
    if (trend->runs > 1)
        snprintf(sd, sizeof sd, "%.1f", trend->sd);
    if (trend->n > 1)
        snprintf(value_sd, sizeof value_sd, "%.1f", trend->value_sd);
    cli_say("runs    n %zu, mean %.1f, sd %s %s: of the means of the runs", trend->runs, trend->mean, sd,
            unit);
    cli_say("values  n %" PRIu64 ", mean %.1f, sd %s %s; limits %s to %s", trend->n, trend->value_mean,
            value_sd, unit, limit_text(lower, trend->lower, "-"), limit_text(upper, trend->upper, "-"));
    if (trend->capability == PB_CAPABLE)
        cli_say("Cpk     %.3f, of n %" PRIu64 " values", trend->cpk, trend->n);
    else
        cli_say("Cpk     -: %s, n %" PRIu64, why_no_cpk(trend->capability), trend->n);
    if (trend->drifts)
        cli_say("drift   %+.4g %s a day, standard error %.2g", trend->slope, unit, trend->slope_error);
    else
        cli_say("drift   -: needs three runs, not all in one second");
    return cli_flush();
}

static int print_values(const struct pb_history_value *value, size_t values,
                        const struct pb_history_trend *trend)
{
    char margin[NUMBER_SIZE], attempt[NUMBER_SIZE];
    cli_say("%s, %s", value[0].figure.id, value[0].figure.unit);
    cli_say("%5s  %-20s  %-12s  %-12s  %3s  %8s  %12s  %12s  %12s  %10s  %12s", "RUN", "TIME", "STATION",
            "UNIT", "TRY", "N", "MIN", "MEAN", "MAX", "SD", "MARGIN");
    for (size_t i = 0; i < values; i++) {
        const struct pb_history_run *run = &value[i].run;
        const struct pb_history_figure *figure = &value[i].figure;
        cli_say("%5" PRId64 "  %-20s  %-12s  %-12s  %3s  %8" PRIu64 "  %12" PRId64 "  %12" PRId64
                "  %12" PRId64 "  %10" PRId64 "  %12s",
                run->id, run->started_utc, or_dash(run->station), or_dash(run->unit),
                attempt_text(attempt, run), figure->n, figure->min, figure->mean, figure->max, figure->sd,
                limit_text(margin, figure->margin, "-"));
    }
    return print_trend(trend, value[0].figure.unit);
}

int history_print_figure(enum history_form form, const struct pb_history_value *value, size_t values)
{
    struct pb_history_trend trend;
    json_t *list;
    pb_history_trend_of(&trend, value, values);
    if (form == HISTORY_TEXT)
        return print_values(value, values, &trend);
    if (form == HISTORY_CSV) {
        puts(RUN_COLUMNS "," FIGURE_COLUMNS);
        for (size_t i = 0; i < values; i++) {
            put_run(&value[i].run);
            put_figure(&value[i].figure);
            putchar('\n');
        }
        return cli_flush();
    }
    json_t *document = make_document("values", &list);
    for (size_t i = 0; i < values; i++) {
        json_t *object = make_run(&value[i].run);
        cli_json_set(object, "measurement", make_figure(&value[i].figure));
        cli_json_add(list, object);
    }
    cli_json_set(document, "trend", make_trend(&trend));
    return cli_print_json(document);
}

/* ---- export */

static void export_csv(const struct pb_history_record *record)
{
    for (size_t i = 0; i < record->figures; i++) {
        put_run(&record->run);
        put_figure(&record->figure[i]);
        putchar('\n');
    }
    if (!record->figures) {
        put_run(&record->run);
        puts(",,,,,,,,,,,,");
    }
}

static int export_json(const struct pb_history_record *record, bool first)
{
    json_t *object = make_run(&record->run), *nodes = json_array(), *figures = json_array(),
           *findings = json_array();
    for (size_t i = 0; i < record->nodes; i++)
        cli_json_add(nodes, make_node(&record->node[i]));
    for (size_t i = 0; i < record->figures; i++)
        cli_json_add(figures, make_figure(&record->figure[i]));
    for (size_t i = 0; i < record->findings; i++) {
        json_t *finding = json_object();
        cli_json_set(finding, "kind", cli_json_text(record->finding[i].kind));
        cli_json_set(finding, "count", json_integer((json_int_t)record->finding[i].count));
        cli_json_add(findings, finding);
    }
    cli_json_set(object, "nodes", nodes);
    cli_json_set(object, "measurements", figures);
    cli_json_set(object, "findings", findings);
    fputs(first ? "\n" : ",\n", stdout);
    return cli_print_json(object);
}

int history_export(enum history_form form, struct pb_history *history, const struct pb_history_run *run,
                   size_t runs)
{
    struct pb_diag diag;
    int exit_code = CLI_PASS;
    if (form == HISTORY_CSV)
        puts(RUN_COLUMNS "," FIGURE_COLUMNS);
    else
        printf("{\"schema_version\": %d, \"runs\": [", JSON_VERSION);
    for (size_t i = 0; i < runs && exit_code == CLI_PASS; i++) {
        struct pb_history_record record = {.run = run[i]};
        const int code = pb_history_read(history, &record, &diag);
        if (code)
            exit_code = cli_fail(pb_error_exit_code(code), "%s", diag.text);
        else if (form == HISTORY_CSV)
            export_csv(&record);
        else
            exit_code = export_json(&record, i == 0);
        pb_history_record_free(&record);
    }
    if (form == HISTORY_JSON)
        puts("]}");
    return cli_worse(exit_code, cli_flush());
}
