/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that runs the procedures of the bench by the public headers alone, for procedure.sh:
 *
 *   procedure selftest RIG SCENARIO                one line for each step
 *   procedure validate RIG SCENARIO LIMITS [ONLY]  the values, as CSV
 *   procedure stop RIG SCENARIO LIMITS             as validate; it asks to stop after the first value
 *   procedure shmoo RIG SCENARIO X Y [stop]        a map of 5 x 5 points, as CSV; it stops after the first
 *   procedure faults RIG SCENARIO                  the matrix of the built-in scenario, in Markdown
 *   procedure suite RIG SCENARIO...                the verdicts, as TAP; two at a time, with one retry
 *   procedure stopsuite RIG SCENARIO...            as suite; it asks to stop when the first case has ended
 *   procedure regress RIG TARGET ONLY              the verdicts of these cases of a cube:3, as TAP
 *
 * RIG goes through `begin` and `end`, which are counted; with "-" there are none, and the rig is the default.
 * The last line on stderr has the counts.
 */
#include "phasebench/fault_matrix.h"
#include "phasebench/regress.h"
#include "phasebench/selftest.h"
#include "phasebench/shmoo.h"
#include "phasebench/suite_run.h"
#include "phasebench/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t stop;
static unsigned begins, ends, steps, values, keeps, cases;
static const char *rig;

static int begin(void *context, const char **url, const struct pb_scenario *scenario, unsigned timeout_s,
                 struct pb_diag *diag)
{
    (void)context;
    (void)timeout_s;
    if (!strcmp(*url, "refused:"))
        return pb_fail(diag, PB_ERR_UNSUPPORTED, "no board for %s", scenario->name);
    begins++;
    *url = rig;
    return PB_OK;
}

static void end(void *context)
{
    (void)context;
    ends++;
}

static void on_step(void *context, const struct pb_validation *validation, unsigned index, bool running)
{
    (void)context;
    (void)validation;
    (void)index;
    steps += !running;
}

static void on_value(void *context, const struct pb_validation *validation, const struct pb_item_value *value)
{
    const bool *stops = context;
    (void)validation;
    (void)value;
    values++;
    stop = *stops;
}

static void keep(void *context, struct pb_validation *validation, const struct pb_validate_run *run)
{
    struct pb_run_files files = {.run = ""};
    (void)context;
    snprintf(files.run, sizeof files.run, "%s", run->name);
    files.has[PB_RUN_FILE_FRAMES] = run->frames;
    keeps += !pb_validation_keep(validation, &files);
}

static int failed(int code, const struct pb_diag *diag)
{
    fprintf(stderr, "%s\n", diag->text);
    return pb_error_exit_code(code);
}

static int selftest(const struct pb_procedure *procedure, const struct pb_scenario *scenario)
{
    const struct pb_selftest_options options = {.scenario = scenario};
    struct pb_selftest test;
    struct pb_diag diag;
    const int code = pb_selftest_run(&test, procedure, &options, &diag);
    if (code)
        return failed(code, &diag);
    for (unsigned i = 0; i < PB_SELFTEST_STEPS; i++)
        printf("%s %s %s\n", pb_selftest_state_name(test.step[i].state), test.step[i].name,
               test.step[i].detail.text);
    return pb_error_exit_code(test.code);
}

static void on_point(void *context, const struct pb_shmoo *map, unsigned runs)
{
    const bool *stops = context;
    (void)map;
    steps = runs;
    stop = *stops;
}

static int shmoo(const struct pb_procedure *procedure, const struct pb_scenario *scenario,
                 struct pb_scenario_texts *texts, char **argument)
{
    bool stops = argument[6] != NULL;
    struct pb_shmoo_options options = {.scenario = scenario,
                                       .texts = texts,
                                       .steps = 4,
                                       .full = true,
                                       .observer = {.point = on_point, .context = &stops}};
    struct pb_shmoo map = {.runs = 0};
    struct pb_diag diag;
    int code = pb_shmoo_axis_read(&options.axis[0], argument[4], &diag);
    if (!code)
        code = pb_shmoo_axis_read(&options.axis[1], argument[5], &diag);
    if (!code)
        code = pb_shmoo_check_axis(&options, 0, &diag);
    if (!code)
        code = pb_shmoo_run(&map, procedure, &options, &diag);
    if (map.point)
        pb_report_shmoo_csv(stdout, &map);
    pb_shmoo_free(&map);
    return code ? failed(code, &diag) : 0;
}

static bool on_row(void *context, const struct pb_fault_matrix_row *row)
{
    (void)context;
    pb_report_fault_matrix_row(stdout, row, true);
    steps++;
    return true;
}

static int faults(const struct pb_procedure *procedure)
{
    const struct pb_fault_matrix_options options = {.observer = {.row = on_row}};
    struct pb_fault_matrix matrix;
    struct pb_diag diag;
    pb_report_fault_matrix_head(stdout, true);
    const int code = pb_fault_matrix_run(&matrix, procedure, &options, &diag);
    return code ? failed(code, &diag) : matrix.wrong > 0;
}

static int read_limits(struct pb_limit_set *limits, const char *path, struct pb_diag *diag)
{
    static char text[100000];
    FILE *file = fopen(path, "r");
    if (!file)
        return pb_fail(diag, PB_ERR_IO, "%s cannot be read", path);
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    return pb_limits_parse(limits, path, text, length, diag);
}

static int validate(const struct pb_procedure *procedure, struct pb_scenario *scenario,
                    struct pb_scenario_texts *texts, char **argument, bool stops)
{
    struct pb_validation validation = {.unit = ""};
    const struct pb_validate_options options = {
        .scenario = scenario,
        .texts = texts,
        .only = argument[5],
        .observer = {.step = on_step, .value = on_value, .keep = keep, .context = &stops}};
    struct pb_diag diag;
    int code = read_limits(&validation.limits, argument[4], &diag);
    if (!code)
        code = pb_validate(&validation, procedure, &options, &diag);
    if (!code)
        pb_report_validation_csv(stdout, &validation);
    if (!code && *validation.incomplete)
        fprintf(stderr, "%s\n", validation.incomplete);
    const enum pb_go go = pb_validation_go(&validation);
    pb_validation_clear(&validation);
    return code ? failed(code, &diag) : (int)go;
}

static void on_case(void *context, const struct pb_suite *suite, size_t index)
{
    const bool *stops = context;
    (void)suite;
    (void)index;
    cases++;
    stop = *stops;
}

/* The sentences of the suite, and what the processes of its cases wrote. */
static void say(void *context, const char *sentence)
{
    (void)context;
    fprintf(stderr, "said: %s\n", sentence);
}

static void on_line(void *context, const char *line, size_t length)
{
    (void)context;
    fprintf(stderr, "line: %.*s%s", (int)length, line, length && line[length - 1] == '\n' ? "" : "\n");
}

static int show(struct pb_suite_results *results)
{
    const struct pb_suite *whole = pb_suite_results_suite(results);
    const int exit_code = whole->exit_code;
    pb_suite_results_write(results, PB_SUITE_TAP, stdout);
    for (size_t i = 0; i < whole->count; i++)
        fprintf(stderr, "case %s: %s, exit code %d, again %u\n", whole->one[i].name,
                pb_case_word(&whole->one[i]), whole->one[i].exit_code, whole->one[i].retries);
    pb_suite_results_free(results);
    return exit_code;
}

static int keep_text(void *context, const char *path, const char *text, struct pb_diag *diag)
{
    (void)context;
    (void)diag;
    keeps++;
    fprintf(stderr, "scenario %s: %.6s\n", path, text);
    return PB_OK;
}

static int regress(const struct pb_procedure *procedure, const char *text, const char *only)
{
    static struct pb_target target;
    bool stops = false;
    struct pb_regress_options options = {
        .node = {.kind = target.kind, .dims = 3, .address = pb_regress_address(3)},
        .only = only,
        .seed = 1,
        .folder = "cases",
        .scenario = keep_text,
        .suite = {.jobs = 2,
                  .forms = 1u << PB_SUITE_TAP,
                  .observer = {.ended = on_case, .say = say, .line = on_line, .context = &stops}}};
    struct pb_suite_results *results;
    struct pb_diag diag;
    int code = pb_target_read(&target, text, &diag);
    if (!code)
        code = pb_regress(&results, procedure, &options, &diag);
    return code ? failed(code, &diag) : show(results);
}

static int suite(const struct pb_procedure *procedure, char **path, size_t count, bool stops)
{
    struct pb_suite_entry entry[16] = {{.path = NULL}};
    const struct pb_suite_options options = {
        .entry = entry,
        .count = count,
        .jobs = stops ? 1 : 2,
        .retry = 1,
        .forms = 1u << PB_SUITE_TAP,
        .observer = {.ended = on_case, .say = say, .line = on_line, .context = &stops}};
    struct pb_suite_results *results;
    struct pb_diag diag;
    for (size_t i = 0; i < count && i < 16; i++)
        entry[i].path = path[i];
    const int code = pb_suite_run(&results, procedure, &options, &diag);
    return code ? failed(code, &diag) : show(results);
}

int main(int argc, char **argv)
{
    struct pb_scenario_texts texts = {.count = 0};
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag;
    if (argc < 4)
        return 2;
    rig = argv[2];
    const struct pb_procedure with_begin = {.rig_url = strcmp(rig, "refused:") ? "sim:" : rig,
                                            .stop = &stop,
                                            .begin = begin,
                                            .end = end},
                              plain = {.stop = &stop}, procedure = *rig == '-' ? plain : with_begin;
    const bool stops = !strcmp(argv[1], "stopsuite"), regresses = !strcmp(argv[1], "regress");
    if ((!strcmp(argv[1], "suite") || stops || regresses) && argc > 4 - !regresses && argc < 20) {
        const int ended = regresses ? regress(&procedure, argv[3], argv[4])
                                    : suite(&procedure, argv + 3, (size_t)argc - 3, stops);
        fprintf(stderr, "cases %u keeps %u\n", cases, keeps);
        return ended;
    }
    int exit_code = pb_scenario_load_texts(&scenario, &texts, argv[3], &diag);
    if (exit_code)
        exit_code = failed(exit_code, &diag);
    else if (!strcmp(argv[1], "selftest"))
        exit_code = selftest(&procedure, scenario);
    else if (!strcmp(argv[1], "faults"))
        exit_code = faults(&procedure);
    else if (!strcmp(argv[1], "shmoo"))
        exit_code = argc < 6 ? 2 : shmoo(&procedure, scenario, &texts, argv);
    else
        exit_code = argc < 5 ? 2 : validate(&procedure, scenario, &texts, argv, !strcmp(argv[1], "stop"));
    pb_scenario_free(scenario);
    pb_scenario_texts_free(&texts);
    fprintf(stderr, "begins %u ends %u steps %u values %u keeps %u\n", begins, ends, steps, values, keeps);
    return exit_code;
}
