/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "history_forms.h"
#include "history_keep.h"
#include "output.h"

#include <stdlib.h>

struct request {
    struct pb_history_filter filter;
    enum history_form form, export;
    bool yield, stations, exported, deliver;
    const char *figure, *spool, *report_path;
    struct output_file report;
};

static int print_yield(const struct request *request, const struct pb_history_run *run, size_t runs)
{
    struct pb_history_yield *row;
    size_t rows;
    if (pb_history_yield(&row, &rows, run, runs, request->stations))
        return cli_fail(CLI_BENCH_FAILED, "history: no memory for %zu runs; give --limit", runs);
    const int exit_code = history_print_yield(request->form, row, rows);
    free(row);
    return exit_code;
}

static int show_runs(const struct request *request, struct pb_history *history)
{
    struct pb_history_run *run;
    struct pb_diag diag;
    size_t runs;
    int exit_code;
    const int code = pb_history_runs(history, &request->filter, &run, &runs, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    if (request->exported)
        exit_code = history_export(request->export ? HISTORY_JSON : HISTORY_CSV, history, run, runs);
    else if (request->yield)
        exit_code = print_yield(request, run, runs);
    else if (request->filter.unit && request->form == HISTORY_TEXT)
        exit_code = history_print_unit(request->filter.unit, run, runs);
    else
        exit_code = history_print_runs(request->form, run, runs);
    free(run);
    return exit_code;
}

static int fail_figure(const struct request *request)
{
    return cli_fail(CLI_BAD_SCENARIO,
                    "history: no such run has the measurement '%.60s'; --export csv shows the names",
                    request->figure);
}

static int show_figure(const struct request *request, struct pb_history *history)
{
    struct pb_history_value *value;
    struct pb_diag diag;
    size_t values;
    const int code = pb_history_values(history, &request->filter, request->figure, &value, &values, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    const int exit_code =
        values ? history_print_figure(request->form, value, values) : fail_figure(request);
    free(value);
    return exit_code;
}

/* ---- the page */

static int write_page(FILE *stream, void *page)
{
    return pb_report_history_html(stream, page);
}

static int write_report(const struct request *request, struct pb_history *history)
{
    struct pb_history_run *run = NULL;
    struct pb_history_cause *cause = NULL;
    struct pb_history_value *value = NULL;
    struct pb_history_page page = {.runs = 0};
    struct pb_diag diag;
    int code = pb_history_runs(history, &request->filter, &run, &page.runs, &diag);
    if (!code)
        code = pb_history_causes(history, &request->filter, &cause, &page.causes, &diag);
    if (!code && request->figure)
        code = pb_history_values(history, &request->filter, request->figure, &value, &page.values, &diag);
    int exit_code = code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : CLI_PASS;
    if (!code && request->figure && !page.values)
        exit_code = fail_figure(request);
    page.run = run;
    page.cause = cause;
    page.value = value;
    if (exit_code == CLI_PASS)
        exit_code = output_form(&request->report, write_page, &page);
    if (exit_code == CLI_PASS)
        cli_say("%zu run%s in %s", page.runs, page.runs == 1 ? "" : "s", request->report_path);
    free(run);
    free(cause);
    free(value);
    return cli_worse(exit_code, cli_flush());
}

static int show(const struct request *request, const char *path)
{
    struct pb_history *history;
    struct pb_diag diag;
    const int code = pb_history_open(&history, path, PB_HISTORY_READ, PB_HISTORY_PATIENCE_MS, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    const int exit_code = request->report_path ? write_report(request, history)
                          : request->figure    ? show_figure(request, history)
                                               : show_runs(request, history);
    pb_history_close(history);
    return exit_code;
}

static int deliver(const struct request *request, const char *url)
{
    const struct pb_history_target target = {
        .place = url, .spool = request->spool, .patience_ms = PB_HISTORY_PATIENCE_MS};
    static struct pb_history_kept kept;
    struct pb_diag diag;
    const int code = pb_history_deliver(&target, &kept, &diag);
    if (!code || kept.delivered)
        cli_say("delivered %zu run%s from spool '%s', %zu wait", kept.delivered,
                kept.delivered == 1 ? "" : "s", kept.spool, kept.waiting);
    const int exit_code = code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : CLI_PASS;
    return cli_worse(exit_code, cli_flush());
}

static int check(const struct request *request)
{
    int64_t seconds;
    const bool reported = request->report_path != NULL;
    const int views = request->yield + request->exported + request->deliver + reported +
                      (request->figure && !reported); /* the page may have a figure */
    if (views > 1)
        return cli_fail(CLI_USAGE,
                        "history: --yield, --figure, --export, --report and --deliver exclude each other, "
                        "but for --report with --figure, and %d are given; give one",
                        views);
    if (reported && request->form != HISTORY_TEXT)
        return cli_fail(CLI_USAGE,
                        "history: --report writes a page, --json and --csv are of the tables; give "
                        "--report alone");
    if (request->stations && !request->yield)
        return cli_fail(CLI_USAGE, "history: --stations divides the rows of --yield; give --yield as well");
    if (request->spool && !request->deliver)
        return cli_fail(CLI_USAGE, "history: --spool names what --deliver delivers; give --deliver as well");
    if (request->exported && request->form != HISTORY_TEXT)
        return cli_fail(CLI_USAGE, "history: --export names its form, --json and --csv are of the tables; "
                                   "give --export csv or --export json alone");
    if (request->filter.since && !pb_history_seconds(request->filter.since, &seconds))
        return cli_fail(CLI_USAGE, "--since is '%.60s'; give a day, as 2026-11-24, or 2026-11-24T03:21:18Z",
                        request->filter.since);
    return CLI_PASS;
}

/* ---- command line */

static const struct cli_option options[] = {
    {"unit", "SERIAL", CLI_TEXT, CLI_AT(request, filter.unit),
     .help = "runs of this unit; the table then has its firmware and the reason of each failure"},
    {"scenario", "NAME", CLI_TEXT, CLI_AT(request, filter.scenario), .help = "runs of this scenario"},
    {"station", "NAME", CLI_TEXT, CLI_AT(request, filter.station), .help = "runs at this station"},
    {"since", "TIME", CLI_TEXT, CLI_AT(request, filter.since),
     .help = "runs from this UTC day or time on, as 2026-11-24 or 2026-11-24T03:21:18Z"},
    {"verdict", "VERDICT", CLI_CHOICE, CLI_AT(request, filter.verdict), CLI_GIVEN(request, filter.by_verdict),
     .words = "pass marginal fail inconclusive", .help = "runs with this verdict"},
    {"limit", "N", CLI_NUMBER, CLI_AT(request, filter.limit), .least = 1, .most = INT32_MAX,
     .otherwise = "all", .help = "the newest N of these runs"},
    {"yield", NULL, CLI_FLAG, CLI_AT(request, yield), .gap = true,
     .help = "first-pass yield and final yield of each scenario and day, and its worst station"},
    {"stations", NULL, CLI_FLAG, CLI_AT(request, stations),
     .help = "with --yield: also a row for each station"},
    {"figure", "ID", CLI_TEXT, CLI_AT(request, figure),
     .help = "a measurement over time, as node_start/link0: mean, deviation, Cpk, drift"},
    {"export", "FORM", CLI_CHOICE, CLI_AT(request, export), CLI_GIVEN(request, exported), .words = "csv json",
     .help = "all that is stored of the runs"},
    {"report", "FILE", CLI_FILE, CLI_AT(request, report_path),
     .help = "an HTML page: yield over days, what failed most, the --figure with its limits, the units"},
    {"deliver", NULL, CLI_FLAG, CLI_AT(request, deliver),
     .help = "send the server the runs that wait in the spool because it could not be reached"},
    {"spool", "FILE", CLI_FILE, CLI_AT(request, spool),
     .otherwise = HISTORY_SPOOL_ENVIRONMENT ", else a file in ~/.local/state/phasebench",
     .help = "the spool to deliver"},
    {"json", NULL, CLI_SET, CLI_AT(request, form), .least = HISTORY_JSON, .gap = true,
     .help = "the table as a JSON document"},
    {"csv", NULL, CLI_SET, CLI_AT(request, form), .least = HISTORY_CSV, .help = "the table as CSV"},
    {.name = NULL},
};

const struct cli_verb verb_history = {
    .name = "history",
    .summary = "stored runs: units, yield, measurements over time",
    .usage = "[PLACE] [options]",
    .about =
        "Shows a history, to which run, regress and jitter append with --history PLACE: a file, or the "
        "database of a PostgreSQL server as postgresql://USER@HOST:PORT/DATABASE. Without PLACE it is the "
        "one that " HISTORY_ENVIRONMENT " names. The newest run comes last.",
    .options = options,
    .more =
        "TRY counts the judged runs of a unit in a scenario: 1 is its first pass, the others are retests. "
        "A run without --unit, or an inconclusive one, has no number. A marginal run has passed.\n"
        "\n"
        "First-pass yield: units that passed at their first pass. Final yield: units whose last judged run "
        "passed. Both are of the units whose first pass is among the chosen runs.\n"
        "\n"
        "Cpk is the smaller of (upper - mean) / 3 sd and (mean - lower) / 3 sd, of all values of all "
        "runs. Drift is the slope of the straight line through the means of the runs, with its standard "
        "error.",
    .exits = "0 printed, 2 wrong usage, 3 no history, or one that is damaged or of a newer phasebench, or no "
             "run with the measurement, 4 the file or the server cannot be read or the output not be written",
    .examples = "  phasebench history line.db\n"
                "  phasebench history line.db --unit 0042\n"
                "  phasebench history line.db --yield --since 2026-11-01\n"
                "  phasebench history line.db --figure node_start/link0 --scenario complement\n"
                "  phasebench history line.db --export csv > line.csv\n"
                "  phasebench history line.db --report line.html --figure start/link3\n"
                "  phasebench history postgresql://station@db/hall --deliver\n",
    .most = 1,
    .operand = CLI_OPERAND_FILE,
    .run = cmd_history,
};

int cmd_history(int argc, char **argv)
{
    struct request request = {.yield = false};
    int exit_code;
    char **const operand = cli_parse(&verb_history, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    const char *path = operand[0] ? operand[0] : history_default();
    exit_code = check(&request);
    if (exit_code == CLI_PASS && !path)
        exit_code =
            cli_fail(CLI_USAGE, "history: no file given; give FILE or URL, or set " HISTORY_ENVIRONMENT);
    if (exit_code == CLI_PASS && request.deliver && !pb_history_is_url(path))
        exit_code = cli_fail(CLI_USAGE,
                             "history: --deliver sends runs to a server, and '%.100s' is a file; give "
                             "postgresql://...",
                             path);
    if (exit_code == CLI_PASS && request.report_path)
        exit_code = output_check_file(&request.report, request.report_path);
    if (exit_code == CLI_PASS && request.deliver)
        exit_code = history_spool(&request.spool, path);
    if (exit_code != CLI_PASS)
        return exit_code;
    return request.deliver ? deliver(&request, path) : show(&request, path);
}
