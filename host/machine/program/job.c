/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "host/base/nearest_word.h"

#include <inttypes.h>
#include <stdlib.h>

const uint8_t *pb_program_job_input(const struct pb_program_job *job, uint32_t index)
{
    return job->inputs + pb_program_input_bytes(job->program, job->network) *
                             pb_program_source(job->program, job->network, job->argument, index);
}

const uint8_t *pb_program_job_result(const struct pb_program_job *job, const struct pb_program_play *play,
                                 uint32_t index)
{
    return pb_program_play_result(play, pb_program_sink(job->program, job->network, job->argument, index));
}

unsigned pb_program_side(const struct pb_network *network)
{
    return 1u << network->dims / 2;
}

uint64_t pb_program_job_links(const struct pb_program_job *job)
{
    return (uint64_t)job->network->nodes * job->network->ports;
}

int pb_program_job_find(struct pb_program_job *job, const char *name, struct pb_diag *diag)
{
    enum { PROGRAMS_MAX = 32 };
    const char *names[PROGRAMS_MAX];
    char list[256], hint[PB_HINT_SIZE];
    size_t count = 0;

    job->program = pb_program_find(name);
    job->kind = pb_program_kind_of(name);
    if (job->program && job->kind)
        return PB_OK;
    for (; count < PROGRAMS_MAX && pb_program_at(count); count++)
        names[count] = pb_program_at(count)->name;
    return pb_fail(diag, PB_ERR_ARGUMENT, "'%.40s' is no program; give %s%s", name,
                   pb_word_list(list, sizeof list, names, count), pb_hint(hint, "", name, names, count, ""));
}

int pb_program_job_choose(struct pb_program_job *job, int wanted, struct pb_diag *diag)
{
    int code = job->program->suits ? job->program->suits(job->network, job->argument, diag) : PB_OK;
    if (!code && job->network->nodes > PB_PROGRAM_NODES_MAX)
        code = pb_fail(diag, PB_ERR_ARGUMENT,
                       "program '%s' runs on at most %" PRIu32 " nodes, and the network has %" PRIu32
                       "; give a smaller one",
                       job->program->name, PB_PROGRAM_NODES_MAX, job->network->nodes);
    job->engine = wanted < 0 ? PB_ENGINE_FIRMWARE : (enum pb_machine_engine)wanted;
    if (code || job->engine == PB_ENGINE_SLOT)
        return code;
    code = pb_program_nodes_check(job->program, job->network, job->argument, diag);
    if (code && wanted < 0) {
        job->engine = PB_ENGINE_SLOT;
        return PB_OK;
    }
    job->line.payload_bytes = job->program->payload_bytes;
    return code;
}

int pb_program_job_begin(struct pb_program_job *job, struct pb_diag *diag)
{
    const int code = pb_program_play_create(&job->play, job->program, job->network, job->argument,
                                            job->inputs, job->length, diag);
    if (code)
        return code;
    job->link = calloc(pb_program_job_links(job), sizeof *job->link);
    if (!job->link)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %" PRIu64 " links; give fewer nodes",
                       pb_program_job_links(job));
    return job->engine == PB_ENGINE_SLOT
               ? PB_OK
               : pb_program_nodes_create(&job->nodes,
                                         &(struct pb_program_nodes_options){.program = job->program,
                                                                            .network = job->network,
                                                                            .argument = job->argument,
                                                                            .inputs = job->inputs,
                                                                            .engine = job->engine,
                                                                            .pins = job->pins,
                                                                            .line = &job->line,
                                                                            .image = &job->image,
                                                                            .images = job->image != NULL},
                                         diag);
}

static void count_frame(void *context, const struct pb_program_frame *frame)
{
    struct pb_program_job *job = context;
    const uint32_t frames = ++job->link[(size_t)frame->from * job->network->ports + frame->port];
    job->frames++;
    job->used += frames == 1;
    job->busiest = frames > job->busiest ? frames : job->busiest;
}

int pb_program_job_step(struct pb_program_job *job, bool *played, struct pb_diag *diag)
{
    if (job->nodes)
        return pb_program_nodes_step(job->nodes, job->play, count_frame, job, played, diag);
    *played = pb_program_play_step(job->play, count_frame, job);
    return PB_OK;
}

void pb_program_job_free(struct pb_program_job *job)
{
    pb_program_nodes_free(job->nodes);
    pb_program_play_free(job->play);
    free(job->inputs);
    free(job->link);
}
