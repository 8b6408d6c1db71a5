/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

const char cmd_report_help[] =
    "usage: phasebench report RESULT.json [options]\n"
    "\n"
    "Turns a stored result (result.json of a run, or what 'run --json' printed) into other forms.\n"
    "\n"
    "  --text           summary on stdout (default when nothing else is asked for)\n"
    "  --tap            TAP on stdout\n"
    "  --html FILE      one HTML file\n"
    "  --junit FILE     JUnit XML\n"
    "  --csv FILE       every transmission, one row each\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 done, whatever the verdict in it; 2 wrong usage, 3 no such file or no result in\n"
    "it, 4 out of memory or a form could not be written\n"
    "\n"
    "examples:\n"
    "  phasebench report phasebench-out/result.json\n"
    "  phasebench report result.json --html report.html --junit junit.xml\n";

#define RESULT_LIMIT_BYTES ((size_t)1 << 30)

struct request {
    bool text, tap;
    const char *html_path, *junit_path, *csv_path; /* NULL: not wanted */
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
    if (exit_code == CLI_PASS && request->tap) {
        pb_report_tap(stdout, &result, 1);
        exit_code = cli_flush();
    }
    if (exit_code == CLI_PASS && request->text)
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

enum { OPTION_TEXT = CLI_LONG_OPTION, OPTION_TAP, OPTION_HTML, OPTION_JUNIT, OPTION_CSV };

int cmd_report(int argc, char **argv)
{
    static const struct option options[] = {
        {"text", no_argument, NULL, OPTION_TEXT},
        {"tap", no_argument, NULL, OPTION_TAP},
        {"html", required_argument, NULL, OPTION_HTML},
        {"junit", required_argument, NULL, OPTION_JUNIT},
        {"csv", required_argument, NULL, OPTION_CSV},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.text = false};
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_TEXT:
            request.text = true;
            break;
        case OPTION_TAP:
            request.tap = true;
            break;
        case OPTION_HTML:
            request.html_path = optarg;
            break;
        case OPTION_JUNIT:
            request.junit_path = optarg;
            break;
        case OPTION_CSV:
            request.csv_path = optarg;
            break;
        case 'h':
            return cli_help(cmd_report_help);
        default:
            return CLI_USAGE;
        }
    }
    if (argc - optind != 1)
        return cli_fail(CLI_USAGE, "report: needs 1 result file, got %d; give RESULT.json", argc - optind);
    if (request.text && request.tap)
        return cli_fail(CLI_USAGE, "report: --text and --tap both want stdout; give one of them");
    if (!request.tap && !request.html_path && !request.junit_path && !request.csv_path)
        request.text = true;
    return report(argv[optind], &request);
}
