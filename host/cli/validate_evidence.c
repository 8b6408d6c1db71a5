/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The files of a run of a validation: report, waveform, frames on the links.
 */
#include "cli.h"
#include "output.h"
#include "runner.h"
#include "validate_watch.h"

#include <stdio.h>

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
static int write_files(const struct validate_watch *watch, const struct pb_validate_run *run,
                       struct pb_run_files *files)
{
    char folder[OUTPUT_PATH_SIZE], trace_path[OUTPUT_PATH_SIZE];
    if (!output_path(folder, watch->out, run->name) || !output_path(trace_path, folder, OUTPUT_TRACE))
        return CLI_BENCH_FAILED;
    int exit_code = output_prepare(folder);
    if (exit_code == CLI_PASS)
        exit_code = output_write(folder, run->result);
    if (exit_code != CLI_PASS)
        return exit_code;
    files->has[PB_RUN_FILE_REPORT] = true;
    const struct runner runner = {.options = {.rig_url = watch->rig_url,
                                              .trace_path = trace_path,
                                              .timeout_s = watch->timeout_s}};
    if (!*run->result->incomplete && runner_trace(run->result, run->scenario, &runner)) {
        files->has[PB_RUN_FILE_TRACE] = true;
        exit_code = output_write_again(folder, run->result); /* with its name */
    }
    if (!run->frames)
        return exit_code;
    files->has[PB_RUN_FILE_FRAMES] = true;
    return cli_worse(exit_code, output_form_in(folder, OUTPUT_FRAMES, copy, run->frames));
}

void validate_keep_files(void *context, struct pb_validation *validation, const struct pb_validate_run *run)
{
    struct validate_watch *watch = context;
    struct pb_run_files files = {.run = ""};
    validate_live_clear(watch);
    snprintf(files.run, sizeof files.run, "%s", run->name);
    int exit_code = write_files(watch, run, &files);
    if (exit_code == CLI_PASS && pb_validation_keep(validation, &files))
        exit_code = cli_fail(CLI_BENCH_FAILED, "no memory for the files of run %s; close other programs",
                             run->name);
    watch->unwritten |= exit_code != CLI_PASS;
}
