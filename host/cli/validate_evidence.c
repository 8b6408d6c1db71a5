/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The current run of a validation. It is kept until the next one begins, so that the first of its values that
 * does not pass can write its files: report, waveform, frames on the links.
 */
#include "output.h"
#include "runner.h"
#include "validate.h"

#include "phasebench/slot_capture.h"

#include <errno.h>
#include <string.h>

void validate_release(struct validator *validator)
{
    struct validate_run *run = &validator->run;
    if (!run->exhibited)
        pb_result_free(run->result);
    pb_scenario_free(run->scenario);
    if (run->frames)
        fclose(run->frames);
    *run = (struct validate_run){.name = ""};
}

void validate_hold(struct validator *validator, const char *name, struct pb_scenario *scenario)
{
    struct validate_run *run = &validator->run;
    validate_release(validator);
    snprintf(run->name, sizeof run->name, "%s", name);
    for (char *at = run->name; *at; at++)
        if (*at == ' ')
            *at = '-'; /* it is a folder, and a part of a URL */
    run->scenario = scenario;
    if (validator->out)
        run->frames = tmpfile(); /* NULL: no frames are kept */
}

void validate_exhibit(struct validator *validator, const struct pb_jitter_collector *samples)
{
    struct validate_run *run = &validator->run;
    struct pb_jitter *jitter = NULL;
    if (pb_jitter_compute(&jitter, samples, run->result, run->scenario->follow, PB_JITTER_FIT))
        jitter = NULL; /* the page says so */
    run->exhibited = !pb_validation_exhibit(validator->validation, run->name, run->result, jitter);
    if (!run->exhibited)
        pb_jitter_free(jitter);
}

/* ---- files */

/* For output_form_in. */
static int copy(FILE *to, void *context)
{
    FILE *from = context;
    char block[1 << 14];
    size_t length;
    rewind(from);
    while ((length = fread(block, 1, sizeof block, from)) > 0)
        if (fwrite(block, 1, length, to) != length)
            return PB_ERR_IO;
    return ferror(from) ? PB_ERR_IO : PB_OK;
}

/* An exit code; the error is reported. */
static int write_files(const struct validator *validator, struct pb_run_files *files)
{
    const struct validate_run *run = &validator->run;
    char folder[OUTPUT_PATH_SIZE], trace_path[OUTPUT_PATH_SIZE];
    if (!output_path(folder, validator->out, run->name) || !output_path(trace_path, folder, OUTPUT_TRACE))
        return CLI_BENCH_FAILED;
    int exit_code = output_prepare(folder);
    if (exit_code == CLI_PASS)
        exit_code = output_write(folder, run->result);
    if (exit_code != CLI_PASS)
        return exit_code;
    files->has[PB_RUN_FILE_REPORT] = true;
    const struct runner runner = {.options = {.rig_url = validator->rig_url,
                                              .trace_path = trace_path,
                                              .timeout_s = validator->timeout_s}};
    if (!*run->result->incomplete && runner_trace(run->result, run->scenario, &runner)) {
        files->has[PB_RUN_FILE_TRACE] = true;
        exit_code = output_write_again(folder, run->result); /* with its name */
    }
    if (!run->frames)
        return exit_code;
    files->has[PB_RUN_FILE_FRAMES] = true;
    return cli_worse(exit_code, output_form_in(folder, OUTPUT_FRAMES, copy, run->frames));
}

void validate_keep(struct validator *validator)
{
    struct validate_run *run = &validator->run;
    struct pb_run_files files = {.run = ""};
    if (!validator->out || !run->result || run->kept)
        return;
    run->kept = true;
    validate_live_clear(&validator->live);
    snprintf(files.run, sizeof files.run, "%s", run->name);
    int exit_code = write_files(validator, &files);
    if (exit_code == CLI_PASS && pb_validation_keep(validator->validation, &files))
        exit_code = cli_fail(CLI_BENCH_FAILED, "no memory for the files of run %s; close other programs",
                             run->name);
    validator->unwritten |= exit_code != CLI_PASS;
}
