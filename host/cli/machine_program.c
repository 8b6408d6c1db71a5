/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "machine_traffic.h"

#include "cli.h"
#include "output.h"

#include "host/machine/picture/program_gif.h"
#include "host/machine/program/job.h"
#include "host/report/program_forms.h"
#include "host/report/program_picture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSE_NS 120000000
#define INPUT_LIMIT_BYTES ((size_t)256 << 20) /* the matrix of 12 dimensions, in decimal */

CLI_FORM_BY(write_gif, pb_program_write_gif)

static const struct cli_form machine_program_forms[] = {{"machine.txt", pb_report_program_text},
                                                        {"machine.json", pb_report_program_json},
                                                        {"machine.csv", pb_report_program_csv},
                                                        {"machine.pgm", pb_report_program_pgm},
                                                        {.name = NULL}};

/* ---- the run */

struct run {
    const struct machine_program_request *request;
    const struct machine_traffic_request *common;
    struct pb_program_job job;
};

static int take_input(struct run *run)
{
    const struct machine_program_request *request = run->request;
    struct pb_diag diag;
    char *text;
    size_t length;
    if (!request->input)
        return cli_outcome(pb_program_job_draw(&run->job, run->common->seed, &diag), &diag);
    const int exit_code = cli_read_file(request->input, INPUT_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_program_job_read(&run->job, request->input, text, length, &diag);
    free(text);
    return cli_outcome(code, &diag);
}

/* What engines and pins say begins with the verb; what programs say has a place in a scenario, too. */
static int outcome(int code, const struct pb_diag *diag)
{
    return strncmp(diag->text, "machine: ", 9) ? cli_outcome_of("machine", code, diag)
                                               : cli_outcome(code, diag);
}

/* Input and state of each node. */
static int begin(struct run *run)
{
    struct pb_program_job *const job = &run->job;
    struct pb_diag diag;
    int code = pb_program_job_choose(job, run->common->engine_given ? (int)run->common->engine : -1, &diag);
    if (code) /* before the input is read, as it has the length of another network */
        return outcome(code, &diag);
    const int exit_code = take_input(run);
    if (exit_code != CLI_PASS)
        return exit_code;
    code = pb_program_job_begin(job, &diag);
    return code == PB_ERR_MEMORY && job->play ? cli_outcome(code, &diag) : outcome(code, &diag);
}

/* Draws the results, and waits so that they can be seen. */
static void draw(struct pb_program_screen *screen, const struct pb_program_job *job)
{
    pb_program_draw(stdout, screen, job);
    fflush(stdout);
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static int play(struct run *run)
{
    const bool shown = run->common->watch && cli_terminal(stdout) && pb_program_has_picture(&run->job);
    struct pb_program_screen screen = {.colour = cli_colour()};
    struct pb_diag diag;
    cli_window(&screen.columns, &screen.rows, PB_PROGRAM_COLUMNS_MOST, PB_PROGRAM_ROWS_MOST);
    if (shown)
        draw(&screen, &run->job);
    for (bool played = true; played;) {
        const int code = pb_program_job_step(&run->job, &played, &diag);
        if (code)
            return outcome(code, &diag);
        if (shown && played)
            draw(&screen, &run->job);
    }
    return cli_outcome(pb_program_job_end(&run->job, &diag), &diag);
}

static int write_all(struct run *run, const struct pb_file_output *gif)
{
    const struct machine_program_request *request = run->request;
    struct pb_program_job *const job = &run->job;
    struct pb_program_shown shown = {job, request->input, run->common->seed};
    int exit_code = output_forms_end(run->common->out, machine_program_forms, &shown, (int)run->common->form);
    if (gif->path)
        exit_code = cli_worse(exit_code, output_form(gif, write_gif, job));
    if (!job->right)
        exit_code =
            cli_worse(exit_code, cli_fail(CLI_BENCH_FAILED,
                                          "machine: program '%s' and the plain computation differ%s%s; "
                                          "report this command as an error of phasebench",
                                          job->program->name, *job->detail ? ": " : "", job->detail));
    return exit_code;
}

int machine_program(const struct machine_program_request *request,
                    const struct machine_traffic_request *common)
{
    struct run run = {request,
                      common,
                      {.network = &common->network,
                       .line = common->line,
                       .pins = &pb_players_at_pins,
                       .image = common->image}};
    struct pb_program_job *const job = &run.job;
    struct pb_file_output gif = {.path = NULL};
    struct pb_diag diag;
    if (pb_program_job_find(job, request->program, &diag))
        return cli_fail(CLI_USAGE, "machine: --program: %s", diag.text);
    if (common->watch && common->form != MACHINE_TEXT)
        return cli_fail(CLI_USAGE, "machine: --watch draws on the stdout that --%s fills; leave one out",
                        common->form == MACHINE_JSON ? "json" : "csv");
    job->line.seed = common->seed;
    job->argument = request->argument_given ? (uint32_t)request->argument : job->program->argument_initial;
    const bool rowless = common->form == MACHINE_CSV && job->kind->form == PB_PROGRAM_MATRIX;
    if (rowless || (request->gif && !pb_program_has_picture(job)))
        return cli_fail(CLI_USAGE, "machine: program '%s' has no %s", job->program->name,
                        rowless ? "row for each node; leave out --csv" : "picture; leave out --gif");
    int exit_code = machine_check_line(common);
    if (exit_code == CLI_PASS)
        exit_code = begin(&run);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(common->out, machine_program_forms);
    if (exit_code == CLI_PASS && request->gif)
        exit_code = output_check_file(&gif, request->gif);
    if (exit_code == CLI_PASS)
        exit_code = play(&run);
    if (exit_code == CLI_PASS)
        exit_code = write_all(&run, &gif);
    pb_program_job_free(job);
    return exit_code;
}
