/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of programs, numbers and pictures: the first byte chooses the program, the second the dimensions.
 * What is taken is played, and the result must be that of the plain computation.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/machine/program/job.h"

#include <string.h>

enum { DIMS_MOST = 6 };

static void play(struct pb_program_job *job)
{
    struct pb_diag diag = {""};
    bool played = true;
    job->engine = pb_program_nodes_check(job->program, job->network, job->argument, NULL) == PB_OK
                      ? PB_ENGINE_FIRMWARE
                      : PB_ENGINE_SLOT;
    MUST(pb_program_job_begin(job, &diag) == PB_OK);
    while (played)
        MUST(pb_program_job_step(job, &played, &diag) == PB_OK);
    MUST(pb_program_job_end(job, &diag) == PB_OK && job->right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct pb_program_job job = {.program = pb_program_at(take(&input) % 10)};
    const struct pb_network network = pb_network_cube(1 + take(&input) % DIMS_MOST);
    struct pb_diag diag = {""};
    job.network = &network;
    job.kind = pb_program_kind_of(job.program->name);
    job.argument = strcmp(job.program->name, "broadcast") == 0 ? 0 : job.program->argument_initial;
    if (job.program->suits && job.program->suits(job.network, job.argument, NULL))
        return 0;
    const int code = pb_program_job_read(&job, "input", (const char *)input.at, input.left, &diag);
    MUST(code == PB_OK || code == PB_ERR_CONFIG);
    if (code == PB_OK)
        play(&job);
    pb_program_job_free(&job);
    return 0;
}
