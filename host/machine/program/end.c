/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Apart from job.c, so that a program which only reads scenarios needs no zlib. */
#include "job.h"

#include <zlib.h>

int pb_program_job_end(struct pb_program_job *job, struct pb_diag *diag)
{
    const size_t bytes = pb_program_result_bytes(job->program, job->network);
    uLong digest = crc32(0, NULL, 0);
    for (uint32_t index = 0; index < job->network->nodes; index++)
        digest = crc32(digest, pb_program_job_result(job, job->play, index), (uInt)bytes);
    job->digest = (uint32_t)digest;
    return job->kind->check(job, diag);
}
