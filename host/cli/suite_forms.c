/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_forms.h"

#include "cli.h"
#include "host/base/utf8.h"

#include "phasebench/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_NS INT64_C(200000000)
enum { LINE_BYTES = 1024, NAME_COLUMNS = 32, COPY_BYTES = 65536 };

/* ---- spool */

static bool is_wanted(const struct suite *suite, int form)
{
    const struct run_request *request = suite->request;
    return form == SUITE_JUNIT  ? request->junit_path != NULL
           : form == SUITE_CSV  ? request->csv_path != NULL
           : form == SUITE_PCAP ? request->pcap_path != NULL
           : form == SUITE_JSON ? request->form == RUN_FORM_JSON || run_writes_files(request)
                                : request->form == RUN_FORM_TAP;
}

/* Start of the unread part of the file. */
static bool copy(FILE *to, int from, long long at, size_t length)
{
    char *bytes = malloc(COPY_BYTES);
    bool good = bytes != NULL;
    while (good && length) {
        const ssize_t got = pread(from, bytes, length < COPY_BYTES ? length : COPY_BYTES, at);
        good = got > 0 && fwrite(bytes, 1, (size_t)got, to) == (size_t)got;
        at += got;
        length -= good ? (size_t)got : 0;
    }
    free(bytes);
    return good;
}

static int copy_whole(FILE *to, FILE *from)
{
    const long length = fseek(from, 0, SEEK_END) ? -1 : ftell(from);
    return length >= 0 && copy(to, fileno(from), 0, (size_t)length) && !fflush(to) ? PB_OK : PB_ERR_IO;
}

static int render_one(FILE *file, int form, size_t index, const struct pb_case *one,
                      const struct pb_result *result, FILE *pcap)
{
    switch (form) {
    case SUITE_JSON:
        return pb_report_json(file, result);
    case SUITE_JUNIT:
        return pb_case_junit(file, result, one);
    case SUITE_CSV:
        return pb_case_csv(file, result);
    case SUITE_PCAP:
        return pcap ? copy_whole(file, pcap) : PB_OK;
    default:
        return pb_case_tap(file, result, one, index + 1);
    }
}

int suite_forms_render(const struct suite *suite, FILE *file, size_t index, const struct pb_case *one,
                       const struct pb_result *result, FILE *pcap, size_t length[SUITE_FORMS])
{
    long begin = 0;
    for (int form = 0; form < SUITE_FORMS; form++) {
        length[form] = 0;
        if (!is_wanted(suite, form))
            continue;
        const int code = render_one(file, form, index, one, result, pcap);
        const long end = ftell(file);
        if (code || end < begin) {
            memset(length, 0, SUITE_FORMS * sizeof *length);
            return cli_fail(CLI_BENCH_FAILED, "%s: its result cannot be kept: %s; check the disk of /tmp",
                            suite->whole.one[index].path,
                            code == PB_ERR_MEMORY ? "no memory" : strerror(errno));
        }
        length[form] = (size_t)(end - begin);
        begin = end;
    }
    return CLI_PASS;
}

int suite_forms_keep(struct suite *suite, size_t index, FILE *file, const size_t length[SUITE_FORMS])
{
    struct suite_own *own = &suite->own[index];
    long long at = 0;
    for (int form = 0; form < SUITE_FORMS; form++) {
        own->at[form] = ftell(suite->spool);
        own->length[form] = length[form];
        if (length[form] && (!copy(suite->spool, fileno(file), at, length[form]) || fflush(suite->spool))) {
            memset(own->length, 0, sizeof own->length);
            return cli_fail(CLI_BENCH_FAILED, "%s: its result cannot be kept: %s; check the disk of /tmp",
                            suite->whole.one[index].path, strerror(errno));
        }
        at += (long long)length[form];
    }
    return CLI_PASS;
}

static bool put(FILE *stream, const struct suite *suite, size_t index, int form)
{
    const struct suite_own *own = &suite->own[index];
    return copy(stream, fileno(suite->spool), own->at[form], own->length[form]);
}

/* ---- at the end of a run */

void suite_forms_print_lines(struct suite *suite)
{
    const bool text = suite->request->form == RUN_FORM_TEXT && !suite->unprintable;
    bool any = false;
    while (suite->shown < suite->whole.count && suite->own[suite->shown].ended) {
        const struct pb_case *one = &suite->whole.one[suite->shown++];
        if (text)
            cli_say("%-12s  %s: %s", pb_case_word(one), one->path, one->reason);
        any = text;
    }
    suite->unprintable |= any && cli_flush() != CLI_PASS; /* the files are still written */
}

void suite_forms_clear_line(struct suite *suite)
{
    if (suite->drawn)
        fputs("\r\033[K", stderr);
    suite->drawn = false;
}

static unsigned percent(const struct pb_run_progress *progress)
{
    return progress->superframes ? (unsigned)((uint64_t)progress->superframe * 100 / progress->superframes)
                                 : 0;
}

void suite_forms_progress(struct suite *suite, const size_t *busy)
{
    const int64_t now_ns = cli_now_ns();
    char line[LINE_BYTES], clean[LINE_BYTES];
    size_t failed = 0;
    if (suite->request->runner.quiet || !cli_terminal(stderr) || now_ns - suite->drawn_ns < REDRAW_NS)
        return;
    for (size_t i = 0; i < suite->whole.count; i++)
        failed += suite->own[i].ended && suite->whole.one[i].exit_code != CLI_PASS;
    size_t length = (size_t)snprintf(line, sizeof line, "%zu of %zu done, %zu not passed", suite->ended,
                                     suite->whole.count, failed);
    for (unsigned i = 0; i < suite->whole.jobs && length < sizeof line; i++)
        if (busy[i] != SIZE_MAX)
            length += (size_t)snprintf(line + length, sizeof line - length, "; %.*s %u %%", NAME_COLUMNS,
                                       suite->whole.one[busy[i]].name, percent(&suite->share[i].progress));
    pb_utf8_clean(clean, sizeof clean, line);
    /* A line as wide as the terminal would wrap, and could not be cleared. */
    fprintf(stderr, "\r\033[K%.*s", (int)cli_columns(stderr) - 1, clean);
    fflush(stderr);
    suite->drawn = true;
    suite->drawn_ns = now_ns;
}

/* ---- forms of the whole */

void suite_forms_prepare(struct suite *suite, const char *out)
{
    const struct run_request *request = suite->request;
    char path[OUTPUT_PATH_SIZE];
    struct output_file result;
    if (run_writes_files(request) && output_path(path, out, OUTPUT_RESULT))
        output_check_file(&result, path);
    if (request->junit_path)
        output_check_file(&suite->junit, request->junit_path);
    if (request->csv_path)
        output_check_file(&suite->csv, request->csv_path);
    if (request->coverage_path)
        output_check_file(&suite->coverage, request->coverage_path);
    if (request->pcap_path)
        output_check_file(&suite->pcap, request->pcap_path);
}

static int write_index(FILE *stream, void *context)
{
    const struct suite *suite = context;
    return pb_suite_html(stream, &suite->whole);
}

int suite_forms_index(struct suite *suite, const char *out)
{
    char path[OUTPUT_PATH_SIZE];
    const struct output_file file = {.path = path};
    if (!run_writes_files(suite->request))
        return CLI_PASS;
    return output_path(path, out, OUTPUT_INDEX) ? output_form(&file, write_index, suite) : CLI_BENCH_FAILED;
}

static int write_junit(FILE *stream, void *context)
{
    const struct suite *suite = context;
    int status = pb_suite_junit_begin(stream, &suite->whole);
    for (size_t i = 0; i < suite->whole.count && !status; i++) {
        if (suite->own[i].length[SUITE_JUNIT])
            status = put(stream, suite, i, SUITE_JUNIT) ? PB_OK : PB_ERR_IO;
        else
            status = pb_case_junit_alone(stream, &suite->whole.one[i]);
    }
    return status ? status : pb_suite_junit_end(stream);
}

static int write_csv(FILE *stream, void *context)
{
    const struct suite *suite = context;
    int status = pb_csv_begin(stream);
    for (size_t i = 0; i < suite->whole.count && !status; i++)
        status = put(stream, suite, i, SUITE_CSV) ? PB_OK : PB_ERR_IO;
    return status;
}

static int write_pcap(FILE *stream, void *context)
{
    const struct suite *suite = context;
    int status = PB_OK;
    for (size_t i = 0; i < suite->whole.count && !status; i++)
        status = put(stream, suite, i, SUITE_PCAP) ? PB_OK : PB_ERR_IO;
    return status;
}

static int write_json(FILE *stream, void *context)
{
    const struct suite *suite = context;
    bool first = true;
    int status = pb_suite_json_begin(stream, &suite->whole);
    for (size_t i = 0; i < suite->whole.count && !status; i++) {
        if (!suite->own[i].length[SUITE_JSON])
            continue;
        fputs(first ? "" : ",\n", stream);
        first = false;
        status = put(stream, suite, i, SUITE_JSON) ? PB_OK : PB_ERR_IO;
    }
    return status ? status : pb_suite_json_end(stream);
}

static int write_result(struct suite *suite, const char *out)
{
    char path[OUTPUT_PATH_SIZE];
    const struct output_file file = {.path = path};
    if (!run_writes_files(suite->request))
        return CLI_PASS;
    return output_path(path, out, OUTPUT_RESULT) ? output_form(&file, write_json, suite) : CLI_BENCH_FAILED;
}

static int print_tap(const struct suite *suite)
{
    bool good = !pb_tap_begin(stdout, suite->whole.count);
    for (size_t i = 0; i < suite->whole.count && good; i++) {
        if (suite->own[i].length[SUITE_TAP])
            good = put(stdout, suite, i, SUITE_TAP);
        else
            good = !pb_case_tap_alone(stdout, &suite->whole.one[i], i + 1);
    }
    char note[PB_CASE_NOTE_SIZE];
    for (size_t i = 0; i < suite->whole.count; i++)
        if (*pb_case_note(&suite->whole.one[i], note))
            cli_say("# %s: %s", suite->whole.one[i].name, note);
    for (size_t i = 0; i < suite->whole.rigs; i++)
        if (*suite->whole.rig[i].lost)
            cli_say("# rig %s taken out: %s", suite->whole.rig[i].url, suite->whole.rig[i].lost);
    return cli_flush();
}

static void print_row(const struct pb_case *one)
{
    char margin[24] = "-", seconds[24] = "-", queue[24] = "-", name[NAME_COLUMNS * 4 + 1];
    if (one->margin_known)
        snprintf(margin, sizeof margin, "%.3f", (double)one->margin_ps / 1e6);
    if (pb_case_ran(one))
        snprintf(seconds, sizeof seconds, "%.2f", (double)one->wall_ns / 1e9);
    if (pb_case_ran(one) && one->queue_depth >= 0)
        snprintf(queue, sizeof queue, "%" PRId64, one->queue_depth);
    pb_utf8_clean(name, sizeof name, one->name);
    cli_say("%-*s  %-12s  %8" PRIu64 "  %8zu  %10s  %5s  %8s", NAME_COLUMNS, name, pb_case_word(one),
            one->slots, one->findings, margin, queue, seconds);
}

static void print_notes(const struct suite *suite)
{
    char note[PB_CASE_NOTE_SIZE];
    for (size_t i = 0; i < suite->whole.rigs; i++) {
        const struct pb_suite_rig *rig = &suite->whole.rig[i];
        if (!suite->request->runner.quiet || *rig->lost)
            cli_say("%-12s  %s%s%s: %zu case%s%s%s", "rig", rig->url, *rig->serial ? ", board " : "",
                    rig->serial, rig->cases, rig->cases == 1 ? "" : "s", *rig->lost ? "; taken out: " : "",
                    rig->lost);
    }
    for (size_t i = 0; i < suite->whole.count; i++) {
        const struct pb_case *one = &suite->whole.one[i];
        if (*pb_case_note(one, note))
            cli_say("%-12s  %s: %s", *one->quarantine ? "quarantine" : "flaky", one->name, note);
    }
}

static int print_text(const struct suite *suite, const char *out)
{
    const struct pb_suite_totals totals = pb_suite_count(&suite->whole);
    char unchecked[PB_UNCHECKED_TEXT];
    if (!suite->request->runner.quiet) {
        printf("\n%-*s  %-12s  %8s  %8s  %10s  %5s  %8s\n", NAME_COLUMNS, "SCENARIO", "VERDICT", "SLOTS",
               "FINDINGS", "MARGIN, us", "QUEUE", "TIME, s");
        for (size_t i = 0; i < suite->whole.count; i++)
            print_row(&suite->whole.one[i]);
    }
    print_notes(suite);
    printf("\n%zu scenario%s: %zu pass, %zu marginal, %zu fail, %zu inconclusive, %zu not judged",
           suite->whole.count, suite->whole.count == 1 ? "" : "s", totals.verdict[PB_VERDICT_PASS],
           totals.verdict[PB_VERDICT_MARGINAL], totals.verdict[PB_VERDICT_FAIL],
           totals.verdict[PB_VERDICT_INCONCLUSIVE], totals.not_judged);
    if (totals.state[PB_CASE_SKIPPED])
        printf(", %zu skipped", totals.state[PB_CASE_SKIPPED]);
    if (totals.excused)
        printf(", %zu quarantined", totals.excused);
    if (totals.flaky)
        printf("; %zu flaky", totals.flaky);
    if (*pb_unchecked_text(&totals.unchecked, totals.judged, "scenarios", unchecked))
        printf("; not checked: %s", unchecked);
    putchar('\n');
    if (!suite->request->runner.quiet)
        printf("took %.2f s, %u at a time\n", (double)suite->whole.wall_ns / 1e9, suite->whole.jobs);
    cli_say("reports in %s/" OUTPUT_INDEX, out);
    if (suite->covered.lcov)
        coverage_say(suite->request->coverage_path, suite->covered.lcov);
    return cli_flush();
}

int suite_forms_finish(struct suite *suite, const char *out)
{
    int exit_code = suite_forms_index(suite, out);
    exit_code = cli_worse(exit_code, write_result(suite, out));
    if (suite->unprintable)
        exit_code = cli_worse(exit_code, CLI_BENCH_FAILED);
    else if (suite->request->form == RUN_FORM_TAP)
        exit_code = cli_worse(exit_code, print_tap(suite));
    else if (suite->request->form == RUN_FORM_JSON)
        exit_code = cli_worse(exit_code, output_end(write_json(stdout, suite)));
    else
        exit_code = cli_worse(exit_code, print_text(suite, out));
    if (suite->request->junit_path)
        exit_code = cli_worse(exit_code, output_form(&suite->junit, write_junit, suite));
    if (suite->request->csv_path)
        exit_code = cli_worse(exit_code, output_form(&suite->csv, write_csv, suite));
    if (suite->covered.lcov)
        exit_code = cli_worse(exit_code, coverage_sum_write(&suite->covered, &suite->coverage));
    if (suite->request->pcap_path)
        exit_code = cli_worse(exit_code, output_form(&suite->pcap, write_pcap, suite));
    return exit_code;
}
