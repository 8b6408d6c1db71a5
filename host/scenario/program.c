/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "compile.h"

#include "host/machine/program/job.h"
#include "phasebench/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pb_scenario_program_free(struct pb_scenario_program *program)
{
    if (!program)
        return;
    free(program->payload);
    free(program->input);
    free(program->result);
    free(program);
}

/* ---- the lines */

static size_t put_bytes(char *text, size_t size, const uint8_t *bytes, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count && at + 2 < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%02X", bytes[i]);
    return at;
}

void pb_program_load_line(char line[PB_PROGRAM_LINE_MAX], char answer[PB_PROGRAM_LINE_MAX],
                          const struct pb_scenario *scenario, unsigned node_index)
{
    const struct pb_scenario_program *program = scenario->program;
    const int at =
        snprintf(line, PB_PROGRAM_LINE_MAX, "P %s %" PRIX32 " ", program->program->name, program->argument);
    put_bytes(line + at, PB_PROGRAM_LINE_MAX - (size_t)at, program->input + node_index * program->input_bytes,
              program->input_bytes);
    snprintf(answer, PB_PROGRAM_LINE_MAX, "+P %" PRIX32, program->superframes);
}

void pb_program_result_answer(char answer[PB_PROGRAM_LINE_MAX], const struct pb_scenario *scenario,
                              unsigned node_index)
{
    const struct pb_scenario_program *program = scenario->program;
    const int at = snprintf(answer, PB_PROGRAM_LINE_MAX,
                            "+R state=done superframe=%" PRIX32 " result=", program->superframes);
    put_bytes(answer + at, PB_PROGRAM_LINE_MAX - (size_t)at,
              program->result + node_index * program->result_bytes, program->result_bytes);
}

/* ---- the frames */

struct taking {
    struct pb_scenario *scenario;
    struct pb_scenario_program *program;
    size_t capacity; /* of program->payload, in messages */
    int code;
};

static bool is_on_rig(const struct pb_scenario *scenario, uint32_t address)
{
    unsigned i = 0;
    while (i < scenario->node_count && scenario->node[i].address != address)
        i++;
    return i < scenario->node_count;
}

static void take_frame(void *context, const struct pb_program_frame *frame)
{
    struct taking *taking = context;
    struct pb_traffic *traffic = &taking->scenario->traffic;
    const size_t bytes = taking->program->program->payload_bytes;

    if (taking->code ||
        (!is_on_rig(taking->scenario, frame->from) && !is_on_rig(taking->scenario, frame->to)))
        return;
    if (traffic->count == taking->capacity) {
        const size_t capacity = taking->capacity ? 2 * taking->capacity : 256;
        uint8_t *grown = realloc(taking->program->payload, capacity * bytes);
        if (!grown) {
            taking->code = PB_ERR_MEMORY;
            return;
        }
        taking->program->payload = grown;
        taking->capacity = capacity;
    }
    if (traffic->count == PB_MESSAGES_MAX) {
        taking->code = PB_ERR_CONFIG;
        return;
    }
    memcpy(taking->program->payload + traffic->count * bytes, frame->payload, bytes);
    taking->code = pb_traffic_add(traffic, &(struct pb_message){.source = frame->from,
                                                                .destination = frame->to,
                                                                .release_superframe = frame->superframe,
                                                                .release_phase = frame->phase});
}

static int keep_nodes(struct pb_scenario *scenario, struct pb_scenario_program *program,
                      const uint8_t *inputs, const struct pb_program_play *play)
{
    program->input = malloc(scenario->node_count * program->input_bytes + 1);
    program->result = malloc(scenario->node_count * program->result_bytes + 1);
    if (!program->input || !program->result)
        return PB_ERR_MEMORY;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const uint32_t address = scenario->node[i].address;
        memcpy(program->input + i * program->input_bytes, inputs + address * program->input_bytes,
               program->input_bytes);
        memcpy(program->result + i * program->result_bytes, pb_program_play_result(play, address),
               program->result_bytes);
    }
    return PB_OK;
}

/* Plays all of it. */
static int play_all(struct pb_scenario *scenario, struct pb_scenario_program *program,
                    const struct pb_program_job *job, struct pb_diag *diag)
{
    struct taking taking = {.scenario = scenario, .program = program};
    while (!taking.code && pb_program_play_step(job->play, take_frame, &taking))
        ;
    program->superframes = pb_program_play_superframes(job->play);
    if (taking.code == PB_ERR_CONFIG)
        return pb_fail(diag, taking.code,
                       "makes more than %zu frames at the nodes of the rig in %" PRIu32
                       " superframes; lower argument, or leave nodes out",
                       PB_MESSAGES_MAX, program->superframes);
    return taking.code ? taking.code : keep_nodes(scenario, program, job->inputs, job->play);
}

/* Inputs of all nodes by the seed of the scenario, with the frames and results that follow from them. */
static int draw(struct pb_scenario *scenario, struct pb_diag *diag)
{
    struct pb_scenario_program *const program = scenario->program;
    struct pb_program_job job = {.program = program->program,
                                 .kind = pb_program_kind_of(program->program->name),
                                 .network = &scenario->network,
                                 .argument = program->argument,
                                 .engine = PB_ENGINE_SLOT};
    int code = pb_program_job_draw(&job, scenario->seed, diag);
    if (!code)
        code = pb_program_job_begin(&job, diag);
    if (!code)
        code = play_all(scenario, program, &job, diag);
    pb_program_job_free(&job);
    return code;
}

int pb_scenario_set_seed(struct pb_scenario *scenario, uint64_t seed, struct pb_diag *diag)
{
    struct pb_scenario_program *const program = scenario->program;
    if (program && seed != scenario->seed) {
        free(program->payload);
        free(program->input);
        free(program->result);
        program->payload = program->input = program->result = NULL;
        pb_traffic_free(&scenario->traffic);
        scenario->traffic = (struct pb_traffic){0};
        scenario->seed = seed;
        return draw(scenario, diag);
    }
    scenario->seed = seed;
    return PB_OK;
}

int pb_compile_program(const struct pb_reader *reader, const char *place, const char *name,
                       const uint64_t *argument, struct pb_scenario *scenario)
{
    struct pb_program_job job = {.network = &scenario->network};
    struct pb_diag cause;
    if (pb_program_job_find(&job, name, &cause))
        return pb_reject(reader, place, "%s", cause.text);
    job.argument = argument ? (uint32_t)*argument : job.program->argument_initial;
    if (pb_program_job_choose(&job, PB_ENGINE_FIRMWARE, &cause))
        return pb_reject(reader, place, "%s", cause.text);
    const struct pb_program *const program = job.program;
    if (scenario->payload_bytes < program->payload_bytes)
        return pb_reject(
            reader, place,
            "program '%s' has payloads of %u bytes, those of the run have %u; leave link.payload out, "
            "and lower link.phase_rate until they fit",
            name, program->payload_bytes, scenario->payload_bytes);
    if (scenario->follow)
        return pb_reject(reader, place,
                         "begins with the first phase 0, and an external clock runs before; let the "
                         "bench make the clock");
    scenario->program = calloc(1, sizeof *scenario->program);
    int code = scenario->program ? PB_OK : PB_ERR_MEMORY;
    if (!code) {
        *scenario->program = (struct pb_scenario_program){
            .program = program,
            .argument = job.argument,
            .input_bytes = pb_program_input_bytes(program, &scenario->network),
            .result_bytes = pb_program_result_bytes(program, &scenario->network)};
        code = draw(scenario, &cause);
    }
    if (code == PB_ERR_MEMORY)
        return pb_fail(reader->diag, code, "%s: no memory for the program; close other programs",
                       reader->path);
    return code ? pb_reject(reader, place, "%s", cause.text) : PB_OK;
}
