/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "history_keep.h"
#include "output.h"
#include "progress.h"
#include "rows.h"

#include "host/base/monotonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct pb_history_filter filter;
    enum pb_history_form form, export;
    bool yield, stations, exported, deliver;
    const char *figure, *spool, *report_path, *import_path, *out;
    struct pb_file_output report;
};

/* What is shown, read once for all forms. */
struct view {
    const struct request *request;
    struct pb_history *history;
    struct pb_history_run *run;
    struct pb_history_yield *row;
    struct pb_history_value *value;
    struct pb_history_cause *cause;
    size_t runs, rows, values, causes;
    int exit_code; /* of what is read while it is written */
};

/* ---- forms */

static int write_export(FILE *out, struct view *view, enum pb_history_form form)
{
    struct pb_diag diag;
    if (form == PB_HISTORY_TEXT)
        return CLI_NO_FORM;
    const int code = pb_report_history_export(out, form, view->history, view->run, view->runs, &diag);
    if (!code || ferror(out))
        return 0;
    if (view->exit_code == CLI_PASS)
        view->exit_code = cli_outcome(code, &diag);
    return CLI_NO_FORM;
}

static int write_view(FILE *out, struct view *view, enum pb_history_form form)
{
    const struct request *request = view->request;
    if (request->exported)
        return write_export(out, view, form);
    if (request->yield)
        return pb_report_history_yield(out, form, view->row, view->rows);
    if (request->figure)
        return pb_report_history_figure(out, form, view->value, view->values);
    return request->filter.unit && form == PB_HISTORY_TEXT
               ? pb_report_history_unit(out, request->filter.unit, view->run, view->runs)
               : pb_report_history_runs(out, form, view->run, view->runs);
}

#define WRITER(name, form)                                                                                   \
    static int name(FILE *out, void *view)                                                                   \
    {                                                                                                        \
        return write_view(out, view, form);                                                                  \
    }
WRITER(write_text, PB_HISTORY_TEXT)
WRITER(write_json, PB_HISTORY_JSON)
WRITER(write_csv, PB_HISTORY_CSV)
#undef WRITER

static int write_page(FILE *out, void *context)
{
    const struct view *view = context;
    return pb_report_history_html(out, &(struct pb_history_page){.run = view->run,
                                                                 .cause = view->cause,
                                                                 .value = view->value,
                                                                 .runs = view->runs,
                                                                 .causes = view->causes,
                                                                 .values = view->values});
}

static const struct cli_form forms[] = {[PB_HISTORY_TEXT] = {"history.txt", write_text},
                                        [PB_HISTORY_JSON] = {"history.json", write_json},
                                        [PB_HISTORY_CSV] = {"history.csv", write_csv},
                                        {OUTPUT_INDEX, write_page},
                                        {.name = NULL}};

/* ---- what is read */

static int load(struct view *view, struct pb_diag *diag)
{
    const struct request *request = view->request;
    const bool page = request->report_path || request->out;
    int code = request->exported ? pb_history_verify(view->history, diag) : PB_OK; /* before the first line */
    if (!code && (page || !request->figure))
        code = pb_history_runs(view->history, &request->filter, &view->run, &view->runs, diag);
    if (!code && page)
        code = pb_history_causes(view->history, &request->filter, &view->cause, &view->causes, diag);
    if (!code && request->figure)
        code = pb_history_values(view->history, &request->filter, request->figure, &view->value,
                                 &view->values, diag);
    if (!code && request->figure && !view->values)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "history: no such run has the measurement '%.60s'; --export csv shows the names",
                       request->figure);
    if (!code && request->yield &&
        pb_history_yield(&view->row, &view->rows, view->run, view->runs, request->stations))
        code = pb_fail(diag, PB_ERR_MEMORY, "history: no memory for %zu runs; give --limit", view->runs);
    return code;
}

static int write_all(struct view *view)
{
    const struct request *request = view->request;
    if (!request->report_path) {
        const unsigned shown =
            request->exported ? request->export ? PB_HISTORY_JSON : PB_HISTORY_CSV : request->form;
        const int exit_code = output_forms_end(request->out, forms, view, shown);
        return cli_worse(exit_code, view->exit_code);
    }
    const int exit_code = output_form(&request->report, write_page, view);
    if (exit_code == CLI_PASS)
        cli_say("%zu run%s in %s", view->runs, view->runs == 1 ? "" : "s", request->report_path);
    return cli_worse(exit_code, cli_flush());
}

static int show(const struct request *request, const char *path)
{
    struct view view = {.request = request};
    struct pb_diag diag;
    int code = pb_history_open(&view.history, path, PB_HISTORY_READ, PB_HISTORY_PATIENCE_MS, &diag);
    if (code)
        return cli_outcome(code, &diag);
    code = load(&view, &diag);
    const int exit_code = code ? cli_outcome(code, &diag) : write_all(&view);
    pb_history_close(view.history);
    free(view.run);
    free(view.row);
    free(view.value);
    free(view.cause);
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
    const int exit_code = cli_outcome(code, &diag);
    return cli_worse(exit_code, cli_flush());
}

/* ---- rows of other programs */

static int label(char *to, size_t size, const char *option, const char *from)
{
    if (from && strlen(from) >= size)
        return cli_fail(CLI_USAGE, "history: %s has %zu bytes, at most %zu are possible", option,
                        strlen(from), size - 1);
    snprintf(to, size, "%s", from ? from : "");
    return CLI_PASS;
}

/* The time before the first run is that of the check of the table. */
static void show_imported(void *progress, size_t runs, size_t all)
{
    if (runs == 1)
        ((struct progress *)progress)->begun_ns = pb_monotonic_ns();
    else
        progress_count(progress, "runs", runs, all);
}

static int import(const struct request *request, const char *path)
{
    enum { LIMIT_BYTES = 256 << 20 };
    const struct pb_history_filter *const filter = &request->filter;
    struct pb_history_run otherwise = {.verdict = PB_VERDICT_PASS, .rig = "imported"};
    struct pb_history *history;
    struct pb_diag diag;
    char *text;
    size_t length;
    struct pb_imported imported;
    struct progress progress;
    const struct pb_import_watch watch = {show_imported, &progress};
    int exit_code = label(otherwise.scenario, sizeof otherwise.scenario, "--scenario",
                          filter->scenario ? filter->scenario : "imported");
    if (exit_code == CLI_PASS)
        exit_code = label(otherwise.unit, sizeof otherwise.unit, "--unit", filter->unit);
    if (exit_code == CLI_PASS)
        exit_code = label(otherwise.station, sizeof otherwise.station, "--station", filter->station);
    if (exit_code == CLI_PASS)
        exit_code = cli_read_file(request->import_path, LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    /* The table is checked before a file is made. */
    int code =
        pb_history_import(NULL, request->import_path, text, length, &otherwise, NULL, &imported, &diag);
    if (!code)
        code = pb_history_open(&history, path, PB_HISTORY_APPEND, PB_HISTORY_PATIENCE_MS, &diag);
    if (!code) {
        progress_begin(&progress, request->import_path, false);
        code = pb_history_import(history, request->import_path, text, length, &otherwise, &watch, &imported,
                                 &diag);
        progress_end(&progress);
        pb_history_close(history);
    }
    free(text);
    if (code)
        return cli_outcome(code, &diag);
    cli_say("%zu run%s of %s, %zu added%s", imported.runs, imported.runs == 1 ? "" : "s",
            request->import_path, imported.added,
            imported.added < imported.runs ? "; the history has the others already" : "");
    return cli_flush();
}

static bool chooses(const struct request *request)
{
    return request->form != PB_HISTORY_TEXT || request->filter.limit || request->filter.since ||
           request->filter.by_verdict;
}

static int check(const struct request *request)
{
    int64_t seconds;
    const bool reported = request->report_path != NULL;
    const int views = request->yield + request->exported + request->deliver + reported +
                      (request->import_path != NULL) +
                      (request->figure && !reported); /* the page may have a figure */
    if (views > 1)
        return cli_fail(CLI_USAGE,
                        "history: --yield, --figure, --export, --report, --import and --deliver exclude each "
                        "other, except --report with --figure, and %d are given; give one",
                        views);
    if (reported && request->form != PB_HISTORY_TEXT)
        return cli_fail(CLI_USAGE,
                        "history: --report writes a page, --json and --csv are of the tables; give "
                        "--report alone");
    if (request->out && (reported || request->import_path || request->deliver))
        return cli_fail(CLI_USAGE,
                        "history: --out is of the tables, with " OUTPUT_INDEX
                        " as the page, and --report, --import and --deliver have none; leave it out");
    if ((request->import_path || request->deliver) && chooses(request))
        return cli_fail(CLI_USAGE, "history: --since, --verdict, --limit, --json and --csv are of the "
                                   "tables, and --import and --deliver show none; leave them out");
    if (request->stations && !request->yield)
        return cli_fail(CLI_USAGE, "history: --stations divides the rows of --yield; give --yield as well");
    if (request->spool && !request->deliver)
        return cli_fail(CLI_USAGE, "history: --spool names what --deliver delivers; give --deliver as well");
    if (request->exported && request->form != PB_HISTORY_TEXT)
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
     .help = "a measurement over time, as node_start/link0: mean, deviation, Cpk, Ppk, drift"},
    {"export", "FORM", CLI_CHOICE, CLI_AT(request, export), CLI_GIVEN(request, exported), .words = "csv json",
     .help = "all that is stored of the runs"},
    {"report", "FILE", CLI_FILE, CLI_AT(request, report_path), .use = CLI_WRITES,
     .help = "an HTML page: yield over days, what failed most, the --figure with its limits, the units"},
    {"import", "FILE", CLI_FILE, CLI_AT(request, import_path), .use = CLI_READS,
     .help = "append the runs of a table: rows of other programs, or of --export csv; --unit, --scenario and "
             "--station then fill in what it has no column for"},
    {"deliver", NULL, CLI_FLAG, CLI_AT(request, deliver),
     .help = "send the server the runs that wait in the spool because it could not be reached"},
    {"spool", "FILE", CLI_FILE, CLI_AT(request, spool), .use = CLI_KEEPS,
     .environment = HISTORY_SPOOL_ENVIRONMENT,
     .otherwise = HISTORY_SPOOL_ENVIRONMENT ", else a file in ~/.local/state/phasebench",
     .help = "the spool to deliver"},
    {"json", NULL, CLI_SET, CLI_AT(request, form), .least = PB_HISTORY_JSON, .gap = true,
     .help = "the table as a JSON document"},
    {"csv", NULL, CLI_SET, CLI_AT(request, form), .least = PB_HISTORY_CSV, .help = "the table as CSV"},
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_history = {
    .name = "history",
    .summary = "stored runs: units, yield, measurements over time",
    .usage = "[PLACE] [options]",
    .about =
        "Shows a history, to which run, regress, jitter and validate append with --history PLACE: a path, "
        "sqlite:PATH, or the database of a PostgreSQL server as postgresql://USER@HOST:PORT/DATABASE. "
        "Without PLACE it is the one that " HISTORY_ENVIRONMENT " names. Other users of the computer see the "
        "arguments of a command: keep a password in ~/.pgpass, or a URL with one in " HISTORY_ENVIRONMENT ". "
        "The newest run comes last.",
    .options = options,
    .more =
        "TRY counts the judged runs of a unit in a scenario: 1 is its first pass, the others are retests. "
        "A run without --unit, or an inconclusive one, has no number. A marginal run has passed.\n"
        "\n"
        "First-pass yield: units that passed at their first pass. Final yield: units whose last judged run "
        "passed. Both are of the units whose first pass is among the chosen runs.\n"
        "\n"
        "Ppk is the smaller of (upper - mean) / 3 sd and (mean - lower) / 3 sd, of all values of all runs; "
        "Cpk the same with the deviation within runs. Drift is the slope of the straight line through the "
        "means of the runs, with its standard "
        "error.",
    .exits = "0 printed, 2 wrong usage, 3 no history, or one that is damaged or of a newer phasebench, or no "
             "run with the measurement, 4 the file or the server cannot be read or the output not be written",
    .examples = "  phasebench history line.db\n"
                "  phasebench history line.db --unit 0042\n"
                "  phasebench history line.db --yield --since 2026-11-01\n"
                "  phasebench history line.db --figure node_start/link0 --scenario complement\n"
                "  phasebench history line.db --export csv > line.csv\n"
                "  phasebench history line.db --import my_rows.csv --station bench-7\n"
                "  phasebench history line.db --report line.html --figure start/link3\n"
                "  phasebench history postgresql://station@db/hall --deliver\n",
    .most = 1,
    .operand = CLI_OPERAND_FILE,
    .environment = HISTORY_ENVIRONMENT,
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
            cli_fail(CLI_USAGE, "history: no place given; give PLACE, or set " HISTORY_ENVIRONMENT);
    if (exit_code == CLI_PASS)
        exit_code = history_check_place(path);
    if (exit_code == CLI_PASS && request.deliver && !pb_history_is_url(path))
        exit_code = cli_fail(CLI_USAGE,
                             "history: --deliver sends runs to a server, and '%.100s' is a file; give "
                             "postgresql://...",
                             path);
    if (exit_code == CLI_PASS && request.report_path)
        exit_code = output_check_file(&request.report, request.report_path);
    if (exit_code == CLI_PASS && request.deliver)
        exit_code = history_spool(&request.spool, path);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request.out, forms);
    if (exit_code != CLI_PASS)
        return exit_code;
    return request.deliver       ? deliver(&request, path)
           : request.import_path ? import(&request, path)
                                 : show(&request, path);
}
