/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_forms.h"

#include "cli.h"
#include "host/base/monotonic.h"
#include "host/base/utf8.h"
#include "host/report/suite_text.h"
#include "progress.h"

#include <string.h>

enum { LINE_BYTES = 1024, NAME_COLUMNS = 32 };

unsigned suite_forms_of(const struct run_request *request)
{
    const bool json = request->form == RUN_FORM_JSON || run_writes_files(request);
    return (unsigned)json << PB_SUITE_JSON | (unsigned)(request->junit_path != NULL) << PB_SUITE_JUNIT |
           (unsigned)(request->form == RUN_FORM_TAP) << PB_SUITE_TAP |
           (unsigned)(request->csv_path != NULL) << PB_SUITE_CSV |
           (unsigned)(request->pcap_path != NULL) << PB_SUITE_PCAP;
}

/* ---- at the end of a run */

void suite_forms_print_lines(struct suite_view *view, const struct pb_suite *suite)
{
    const bool text = view->request->form == RUN_FORM_TEXT && !view->unprintable;
    bool any = false;
    while (view->shown < suite->count && view->own[suite->one[view->shown].entry].ended) {
        const struct pb_case *one = &suite->one[view->shown++];
        if (text)
            cli_say("%-12s  %s: %s", pb_case_word(one), one->path, one->reason);
        any = text;
    }
    view->unprintable |= any && cli_flush() != CLI_PASS; /* the files are still written */
}

void suite_forms_clear_line(struct suite_view *view)
{
    progress_clear(&view->drawn);
}

static unsigned percent(const struct pb_run_progress *progress)
{
    return progress->superframes ? (unsigned)((uint64_t)progress->superframe * 100 / progress->superframes)
                                 : 0;
}

void suite_forms_progress(struct suite_view *view, const struct pb_suite *suite,
                          const struct pb_suite_slot *slot, unsigned slots)
{
    const int64_t now_ns = pb_monotonic_ns();
    char line[LINE_BYTES], clean[LINE_BYTES];
    size_t failed = 0;
    if (view->request->runner.quiet || !cli_terminal(stderr) || now_ns - view->drawn_ns < PROGRESS_REDRAW_NS)
        return;
    for (size_t i = 0; i < suite->count; i++)
        failed += view->own[suite->one[i].entry].ended && suite->one[i].exit_code != CLI_PASS;
    size_t length = (size_t)snprintf(line, sizeof line, "%zu of %zu done, %zu not passed", view->ended,
                                     suite->count, failed);
    for (unsigned i = 0; i < slots && length < sizeof line; i++)
        if (slot[i].index != SIZE_MAX)
            length += (size_t)snprintf(line + length, sizeof line - length, "; %.*s %u %%", NAME_COLUMNS,
                                       suite->one[slot[i].index].name, percent(&slot[i].progress));
    pb_utf8_clean(clean, sizeof clean, line);
    progress_draw(clean);
    view->drawn = true;
    view->drawn_ns = now_ns;
}

/* ---- forms of the whole */

void suite_forms_prepare(struct suite_view *view)
{
    const struct run_request *request = view->request;
    char path[OUTPUT_PATH_SIZE];
    struct pb_file_output result;
    if (run_writes_files(request) && output_path(path, view->out, OUTPUT_RESULT))
        output_check_file(&result, path);
    output_check_file(&view->junit, request->junit_path);
    output_check_file(&view->csv, request->csv_path);
    output_check_file(&view->coverage, request->coverage_path);
    output_check_file(&view->pcap, request->pcap_path);
}

static int write_index(FILE *stream, void *context)
{
    const struct pb_suite *const *suite = context;
    return pb_suite_html(stream, *suite);
}

int suite_forms_index(const struct suite_view *view, const struct pb_suite *suite)
{
    char path[OUTPUT_PATH_SIZE];
    const struct pb_file_output file = {.path = path};
    if (!run_writes_files(view->request))
        return CLI_PASS;
    return output_path(path, view->out, OUTPUT_INDEX) ? output_form(&file, write_index, &suite)
                                                      : CLI_BENCH_FAILED;
}

struct form {
    const struct pb_suite_results *results;
    enum pb_suite_form form;
};

static int write_form(FILE *stream, void *context)
{
    const struct form *form = context;
    return pb_suite_results_write(form->results, form->form, stream);
}

static int write_file(const struct suite_view *view, enum pb_suite_form form,
                      const struct pb_file_output *file)
{
    return output_form(file, write_form, &(struct form){view->results, form});
}

static int write_result(const struct suite_view *view)
{
    char path[OUTPUT_PATH_SIZE];
    const struct pb_file_output file = {.path = path};
    if (!run_writes_files(view->request))
        return CLI_PASS;
    return output_path(path, view->out, OUTPUT_RESULT) ? write_file(view, PB_SUITE_JSON, &file)
                                                       : CLI_BENCH_FAILED;
}

static int print_tap(const struct suite_view *view, const struct pb_suite *suite)
{
    pb_suite_results_write(view->results, PB_SUITE_TAP, stdout);
    pb_suite_tap_notes(stdout, suite);
    return cli_flush();
}

static int print_text(const struct suite_view *view, const struct pb_suite *suite)
{
    pb_suite_text(stdout, suite, !view->request->runner.quiet);
    cli_say("reports in %s/" OUTPUT_INDEX, view->out);
    if (view->covered.lcov)
        coverage_say(view->request->coverage_path, view->covered.lcov);
    return cli_flush();
}

int suite_forms_finish(struct suite_view *view)
{
    const struct run_request *request = view->request;
    const struct pb_suite *suite = pb_suite_results_suite(view->results);
    int exit_code = suite_forms_index(view, suite);
    exit_code = cli_worse(exit_code, write_result(view));
    if (view->unprintable)
        exit_code = cli_worse(exit_code, CLI_BENCH_FAILED);
    else if (request->form == RUN_FORM_TAP)
        exit_code = cli_worse(exit_code, print_tap(view, suite));
    else if (request->form == RUN_FORM_JSON)
        exit_code =
            cli_worse(exit_code, output_end(pb_suite_results_write(view->results, PB_SUITE_JSON, stdout)));
    else
        exit_code = cli_worse(exit_code, print_text(view, suite));
    exit_code = cli_worse(exit_code, write_file(view, PB_SUITE_JUNIT, &view->junit));
    exit_code = cli_worse(exit_code, write_file(view, PB_SUITE_CSV, &view->csv));
    if (view->covered.lcov)
        exit_code = cli_worse(exit_code, coverage_sum_write(&view->covered, &view->coverage));
    exit_code = cli_worse(exit_code, write_file(view, PB_SUITE_PCAP, &view->pcap));
    return exit_code;
}
