/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* realpath */
#include "cli.h"
#include "output.h"
#include "suite.h"
#include "suite_forms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct request {
    enum form { FORM_NONE, FORM_TEXT, FORM_TAP, FORM_JSON } form; /* on stdout */
    const char *html_path, *junit_path, *csv_path; /* NULL: not requested */
    const char *out;                               /* of a merge; NULL: none */
};

/* A form that cannot be written does not stop the others. */
static int write_forms(const struct pb_result *result, const struct request *request)
{
    struct pb_file_output file;
    int exit_code = output_html(request->html_path, result);
    int code = output_check_file(&file, request->junit_path);
    if (code == CLI_PASS)
        code = output_junit(&file, &result, 1);
    exit_code = cli_worse(exit_code, code);
    code = output_check_file(&file, request->csv_path);
    if (code == CLI_PASS)
        code = output_csv(&file, result);
    exit_code = cli_worse(exit_code, code);
    if (request->form == FORM_TAP) {
        pb_report_tap(stdout, &result, 1);
        exit_code = cli_worse(exit_code, cli_flush());
    }
    return request->form == FORM_TEXT ? cli_worse(exit_code, output_text(result)) : exit_code;
}

static int parse(void *result, const char *text, size_t length, struct pb_diag *diag)
{
    return pb_report_read_json(result, text, length, diag);
}

static int report(const char *path, const struct request *request)
{
    struct pb_result *result;
    int exit_code = cli_read_result(path, parse, &result);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = write_forms(result, request);
    pb_result_free(result);
    return exit_code;
}

static const struct cli_option options[] = {
    {"text", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_TEXT,
     .otherwise = "when nothing else is asked for", .help = "summary on stdout"},
    {"tap", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_TAP, .help = "TAP on stdout"},
    {"json", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_JSON,
     .help = "of merge: the document of the whole suite on stdout"},
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES,
     .help = "of merge: folder for its index.html and result.json, made when missing"},
    {"html", "FILE", CLI_FILE, CLI_AT(request, html_path), .use = CLI_WRITES, .help = "one HTML file"},
    {"junit", "FILE", CLI_FILE, CLI_AT(request, junit_path), .use = CLI_WRITES, .help = "JUnit XML"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "every transmission, one row each"},
    {.name = NULL},
};

static const char *form_name(unsigned i)
{
    return i ? NULL : "merge";
}

const struct cli_verb verb_report = {
    .name = "report",
    .summary = "turn stored results into text, HTML, JUnit or TAP, or into one suite",
    .usage = "RESULT.json [options]\nmerge RESULT... --out DIR [options]",
    .about = "Turns a stored result (result.json of a run, or what 'run --json' printed) into other forms.\n"
             "\n"
             "merge joins stored results of suites and of single runs, each the file or the folder that has "
             "it, to one suite, as if all had run here: the shards of 'run --shard' in the order of their "
             "suite, others in the order given. The page links to the reports where they are.",
    .options = options,
    .more = "A shard that is missing, or there twice, and a case of two results are errors: a suite that "
            "lacks a shard would pass what was not tested.",
    .exits = "0 done, whatever the verdict in it; 2 wrong usage, 3 no such file or no result in it, or a "
             "missing shard, 4 out of memory or a form could not be written. Of merge the exit code of the "
             "suite, as that of run",
    .examples = "  phasebench report phasebench-out/result.json\n"
                "  phasebench report result.json --html report.html --junit junit.xml\n"
                "  phasebench run host/scenarios --shard 1/3 --out shard-1\n"
                "  phasebench report merge shard-1 shard-2 shard-3 --out all --junit all.xml\n",
    .least = 1,
    .most = UINT_MAX,
    .operand = CLI_OPERAND_FILE,
    .first = form_name,
    .run = cmd_report,
};

/* ---- merge */

/* A stored result, and where it is. */
struct part {
    char path[OUTPUT_PATH_SIZE]; /* of the file */
    char folder[PATH_MAX];       /* of the file, without links; "": unknown */
    struct pb_suite_document document;
};

static int open_part(struct part *part, const char *operand)
{
    struct stat status;
    char folder[OUTPUT_PATH_SIZE];
    if (stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (!output_path(part->path, operand, OUTPUT_RESULT))
            return CLI_BENCH_FAILED;
    } else if (snprintf(part->path, sizeof part->path, "%s", operand) >= (int)sizeof part->path) {
        return cli_fail(CLI_USAGE, "'%.60s...' is longer than %d bytes; give a shorter path", operand,
                        OUTPUT_PATH_SIZE - 1);
    }
    snprintf(folder, sizeof folder, "%s", part->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (!realpath(slash ? folder : ".", part->folder))
        part->folder[0] = '\0';
    return suite_read(&part->document, part->path);
}

static int show_merged(const struct pb_suite_results *results, const struct run_request *request)
{
    const struct pb_suite *suite = pb_suite_results_suite(results);
    struct suite_view view = {.request = request,
                              .out = request->out ? request->out : "",
                              .results = results,
                              .own = calloc(suite->count + 1, sizeof *view.own)};
    if (!view.own)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu cases", suite->count);
    for (size_t i = 0; i < suite->count; i++)
        view.own[i].ended = true;
    suite_forms_prepare(&view);
    suite_forms_print_lines(&view, suite);
    const int exit_code = cli_worse(suite->exit_code, suite_forms_finish(&view));
    free(view.own);
    return exit_code;
}

static int merge_parts(const struct pb_suite_part *part, size_t parts, const struct run_request *request)
{
    char folder[PATH_MAX] = "";
    struct pb_suite_results *results = NULL;
    struct pb_diag diag;
    int code = pb_suite_merge_check(part, parts, &diag);
    if (!code && request->out) {
        const int exit_code = output_begin(request->out);
        if (exit_code != CLI_PASS)
            return exit_code;
        if (!realpath(request->out, folder))
            folder[0] = '\0';
    }
    if (!code)
        code = pb_suite_merge(&results, part, parts, folder, suite_forms_of(request), &diag);
    if (code)
        return cli_outcome(code, &diag);
    const int exit_code = show_merged(results, request);
    pb_suite_results_free(results);
    return exit_code;
}

static int merge_files(char **path, const struct run_request *request)
{
    size_t parts = 0;
    while (path[parts])
        parts++;
    if (!parts)
        return cli_fail(CLI_USAGE,
                        "report merge: no result given; give the result.json, or the folder, of each");
    if (request->form == RUN_FORM_TEXT && !request->out)
        return cli_fail(CLI_USAGE, "report merge: no place for the page; give --out DIR, or --json or --tap");
    struct part *part = calloc(parts, sizeof *part);
    struct pb_suite_part *as = calloc(parts, sizeof *as);
    int exit_code =
        part && as ? CLI_PASS : cli_fail(CLI_BENCH_FAILED, "no memory for %zu results", parts);
    for (size_t i = 0; i < parts && exit_code == CLI_PASS; i++) {
        exit_code = open_part(&part[i], path[i]);
        as[i] = (struct pb_suite_part){part[i].path, part[i].folder, &part[i].document};
    }
    if (exit_code == CLI_PASS)
        exit_code = merge_parts(as, parts, request);
    for (size_t i = 0; part && i < parts; i++)
        pb_suite_document_free(&part[i].document);
    free(part);
    free(as);
    return exit_code;
}

static int merge(char **path, const struct request *request)
{
    const struct run_request forms = {.form = request->form == FORM_JSON  ? RUN_FORM_JSON
                                              : request->form == FORM_TAP ? RUN_FORM_TAP
                                                                          : RUN_FORM_TEXT,
                                      .out = request->out,
                                      .junit_path = request->junit_path,
                                      .csv_path = request->csv_path};
    return request->html_path
               ? cli_fail(CLI_USAGE, "report merge: --html is of one result; give --out DIR for the page")
               : merge_files(path, &forms);
}

int cmd_report(int argc, char **argv)
{
    struct request request = {.form = FORM_NONE};
    int exit_code;
    char **const path = cli_parse(&verb_report, &request, argc, argv, &exit_code);
    if (!path)
        return exit_code;
    if (!strcmp(path[0], "merge"))
        return merge(path + 1, &request);
    if (path[1])
        return cli_fail(CLI_USAGE, "report: unexpected operand '%s'; 'report merge' joins several results",
                        path[1]);
    if (request.out || request.form == FORM_JSON)
        return cli_fail(CLI_USAGE, "report: --%s is of 'report merge'; leave it out",
                        request.out ? "out" : "json");
    if (!request.form && !request.html_path && !request.junit_path && !request.csv_path)
        request.form = FORM_TEXT;
    return report(path[0], &request);
}
