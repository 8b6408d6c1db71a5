/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

#define RESULT_LIMIT_BYTES ((size_t)1 << 30)

struct request {
    enum form { FORM_NONE, FORM_TEXT, FORM_TAP } form; /* on stdout */
    const char *html_path, *junit_path, *csv_path; /* NULL: not requested */
};

static int write_forms(const struct pb_result *result, const struct request *request)
{
    int exit_code = CLI_PASS;

    if (request->html_path)
        exit_code = output_html(request->html_path, result);
    if (exit_code == CLI_PASS && request->junit_path) {
        struct output_file file;
        exit_code = output_check_file(&file, request->junit_path);
        if (exit_code == CLI_PASS)
            exit_code = output_junit(&file, &result, 1);
    }
    if (exit_code == CLI_PASS && request->csv_path) {
        struct output_file file;
        exit_code = output_check_file(&file, request->csv_path);
        if (exit_code == CLI_PASS)
            exit_code = output_csv(&file, result);
    }
    if (exit_code == CLI_PASS && request->form == FORM_TAP) {
        pb_report_tap(stdout, &result, 1);
        exit_code = cli_flush();
    }
    if (exit_code == CLI_PASS && request->form == FORM_TEXT)
        exit_code = output_text(result);
    return exit_code;
}

static int report(const char *path, const struct request *request)
{
    struct pb_result *result;
    struct pb_diag diag;
    char *text;
    size_t length;

    int exit_code = cli_read_file(path, RESULT_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_report_read_json(&result, text, length, &diag);
    free(text);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s: %s", path, diag.text);
    exit_code = write_forms(result, request);
    pb_result_free(result);
    return exit_code;
}

static const struct cli_option options[] = {
    {"text", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_TEXT,
     .otherwise = "when nothing else is asked for", .help = "summary on stdout"},
    {"tap", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_TAP, .help = "TAP on stdout"},
    {"html", "FILE", CLI_FILE, CLI_AT(request, html_path), .help = "one HTML file"},
    {"junit", "FILE", CLI_FILE, CLI_AT(request, junit_path), .help = "JUnit XML"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .help = "every transmission, one row each"},
    {.name = NULL},
};

const struct cli_verb verb_report = {
    .name = "report",
    .summary = "turn a stored result into text, HTML, JUnit or TAP",
    .usage = "RESULT.json [options]",
    .about = "Turns a stored result (result.json of a run, or what 'run --json' printed) into other forms.",
    .options = options,
    .exits = "0 done, whatever the verdict in it; 2 wrong usage, 3 no such file or no result in it, 4 out "
             "of memory or a form could not be written",
    .examples = "  phasebench report phasebench-out/result.json\n"
                "  phasebench report result.json --html report.html --junit junit.xml\n",
    .least = 1,
    .most = 1,
    .operand = CLI_OPERAND_FILE,
    .run = cmd_report,
};

int cmd_report(int argc, char **argv)
{
    struct request request = {.form = FORM_NONE};
    int exit_code;
    char **const path = cli_parse(&verb_report, &request, argc, argv, &exit_code);
    if (!path)
        return exit_code;
    if (!request.form && !request.html_path && !request.junit_path && !request.csv_path)
        request.form = FORM_TEXT;
    return report(path[0], &request);
}
