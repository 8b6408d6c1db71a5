/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_check.h"

#include "cli.h"
#include "vusb.h"

#include "phasebench/suite_run.h"

#include <string.h>

/* ---- a list */

static json_t *list_row(const char *name, const struct pb_scenario *scenario)
{
    json_t *row = json_object();
    pb_form_set(row, "name", pb_form_text(name));
    pb_form_set(row, "title", pb_form_text(scenario->name));
    pb_form_set(row, "description", pb_form_text(scenario->description));
    pb_form_set(row, "path", pb_form_text(scenario->path));
    return row;
}

static void print_row(const char *name, const struct pb_scenario *scenario)
{
    const char *text = *scenario->description ? scenario->description : scenario->name;
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ') /* of a folded block */
        length--;
    cli_say("%-24s  %.*s (%s)", name, (int)length, text, scenario->path);
}

int suite_list(const struct find_list *scenarios, const struct run_request *request)
{
    static const struct pb_scenario_overrides none;
    json_t *rows = json_array();
    char name[FIND_PATH_SIZE];
    int exit_code = CLI_PASS;
    for (size_t i = 0; i < scenarios->count && !runner_stopped(); i++) {
        struct source source;
        const int code = source_open(&source, scenarios->path[i], NULL, &none);
        exit_code = cli_worse(exit_code, code);
        if (code != CLI_PASS)
            continue;
        const struct pb_scenario *scenario = source.scenario;
        find_name(name, scenario->path);
        if (request->form == RUN_FORM_JSON)
            pb_form_add(rows, list_row(name, scenario));
        else
            print_row(name, scenario);
        source_close(&source);
    }
    if (request->form != RUN_FORM_JSON) {
        json_decref(rows);
        return cli_worse(exit_code, cli_flush());
    }
    json_t *object = json_object();
    pb_form_set(object, "scenarios", rows);
    return cli_worse(exit_code, cli_print_json(object));
}

/* ---- a plan for the rig */

struct findings {
    const struct pb_scenario *scenario;
    json_t *warning; /* owned; NULL: no JSON requested */
    unsigned warnings;
    bool printed;
};

static void take_warning(void *context, const char *sentence)
{
    struct findings *findings = context;
    findings->warnings++;
    if (findings->printed)
        cli_say("warning  %s: %s", findings->scenario->path, sentence);
    else
        pb_form_add(findings->warning, pb_form_text(sentence));
}

static int plan(struct findings *findings, const struct run_request *request)
{
    struct vusb vusb;
    struct pb_diag diag;
    const struct pb_procedure procedure =
        runner_procedure(&vusb, request->runner.options.rig_url, request->runner.options.timeout_s);
    const int code = pb_suite_check(&procedure, findings->scenario, take_warning, findings, &diag);
    return cli_outcome_of(findings->scenario->path, code, &diag);
}

struct totals {
    size_t good, warned, bad;
};

static int check_one(const char *path, const struct run_request *request, json_t *rows, struct totals *totals)
{
    const bool json = request->form == RUN_FORM_JSON;
    struct source source;
    struct findings findings = {.warning = json_array(), .printed = !json};
    int exit_code = source_open(&source, path, NULL, &request->overrides);
    if (exit_code == CLI_PASS) {
        findings.scenario = source.scenario;
        exit_code = plan(&findings, request);
    }
    const char *state = exit_code != CLI_PASS ? "bad" : findings.warnings ? "warning" : "good";
    totals->bad += exit_code != CLI_PASS;
    totals->warned += exit_code == CLI_PASS && findings.warnings;
    totals->good += exit_code == CLI_PASS && !findings.warnings;
    if (json) {
        json_t *row = json_object();
        pb_form_set(row, "path", pb_form_text(findings.scenario ? findings.scenario->path : path));
        pb_form_set(row, "state", json_string(state));
        pb_form_set(row, "warnings", findings.warning);
        pb_form_add(rows, row);
    } else {
        json_decref(findings.warning);
        if (exit_code == CLI_PASS && !findings.warnings && !request->runner.quiet)
            cli_say("good     %s", findings.scenario->path);
    }
    source_close(&source);
    return exit_code;
}

int suite_check(const struct find_list *scenarios, const struct run_request *request)
{
    json_t *rows = json_array();
    struct totals totals = {.good = 0};
    int exit_code = CLI_PASS;
    runner_catch_signals();
    for (size_t i = 0; i < scenarios->count && !runner_stopped(); i++)
        exit_code = cli_worse(exit_code, check_one(scenarios->path[i], request, rows, &totals));
    if (runner_stopped())
        exit_code = CLI_INTERRUPTED;
    if (request->form == RUN_FORM_JSON) {
        json_t *object = json_object();
        pb_form_set(object, "scenarios", rows);
        return cli_worse(exit_code, cli_print_json(object));
    }
    json_decref(rows);
    printf("%zu scenario%s: %zu good, %zu with warnings, %zu bad\n", scenarios->count,
           scenarios->count == 1 ? "" : "s", totals.good, totals.warned, totals.bad);
    return cli_worse(exit_code, cli_flush());
}
