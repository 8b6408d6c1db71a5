/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "program_forms.h"
#include "network_json.h"
#include "program_picture.h"

#include "host/base/form.h"
#include "host/machine/program/program.h"

#include <inttypes.h>

static uint64_t phases_of(const struct pb_program_job *job)
{
    return (uint64_t)pb_program_play_superframes(job->play) * job->network->phases;
}

/* Of the schedule, rounded down. */
static uint64_t time_ns(const struct pb_program_job *job)
{
    return (uint64_t)((__int128)phases_of(job) * INT64_C(1000000000000) / job->line.phase_rate_mhz);
}

/* ---- the exchange in steps on subcubes */

static const struct pb_exchange_line usual_line = {
    .baud_hz = 1000000, .guard_ps = 10000000, .check_bytes = 1};

static bool has_steps(const struct pb_program_job *job, struct pb_exchange_steps *steps)
{
    const bool exchange = job->program == pb_program_find("exchange");
    if (exchange)
        *steps = pb_exchange_shortest(job->network->dims, job->program->payload_bytes, job->network->dims,
                                      &usual_line);
    return exchange;
}

static void put_steps(FILE *out, const struct pb_program_job *job)
{
    struct pb_exchange_steps steps;
    if (!has_steps(job, &steps))
        return;
    fprintf(out, "shortest         %10" PRIu64 " superframe%s of %u bytes, in subcubes of ",
            steps.superframes, steps.superframes == 1 ? "" : "s", steps.payload_bytes);
    for (unsigned i = 0; i < steps.steps; i++)
        fprintf(out, "%s%u", i ? "+" : "", steps.dims[i]);
    fprintf(out, " dimensions: %.3f ms at 1 Mbaud, with 10 us of guards\n", (double)steps.duration_ps / 1e9);
}

static json_t *steps_json(const struct pb_exchange_steps *steps)
{
    json_t *object = json_object(), *dims = json_array();
    for (unsigned i = 0; i < steps->steps; i++)
        pb_form_add(dims, json_integer(steps->dims[i]));
    pb_form_set(object, "dims", dims);
    pb_form_set(object, "superframes", json_integer((json_int_t)steps->superframes));
    pb_form_set(object, "payload_bytes", json_integer(steps->payload_bytes));
    pb_form_set(object, "time_ns", json_integer(steps->duration_ps / 1000));
    return object;
}

static const char *player_of(const struct pb_program_job *job)
{
    switch (job->engine) {
    case PB_ENGINE_FIRMWARE:
        return "the firmware of every node; each frame and result is that of the plain player";
    case PB_ENGINE_WIRE:
        return "the firmware of every node at its pins; each frame and result is that of the plain player";
    case PB_ENGINE_IMAGE:
        return "firmware images at their pins; each frame and result is that of the plain player";
    case PB_ENGINE_ALL:
        return job->image
                   ? "firmware, the same at its pins, and images; each frame is that of the plain player"
                   : "firmware, and the same at its pins; each frame is that of the plain player";
    default:
        return "the plain player";
    }
}

int pb_report_program_text(FILE *out, void *context)
{
    const struct pb_program_job *job = ((const struct pb_program_shown *)context)->job;
    const struct pb_program *program = job->program;
    char size[PB_NETWORK_TEXT_SIZE];

    pb_form_line(out, "%s, %s, %" PRIu32 " nodes", program->name, pb_network_text(job->network, size),
                 job->network->nodes);
    pb_form_line(out, "%s", program->summary);
    if (program->argument_is)
        pb_form_line(out, "argument %" PRIu32 ": %s", job->argument, program->argument_is);
    fprintf(out, "\nplayed by        %s\n", player_of(job));
    fprintf(out, "superframes      %10" PRIu32 "\n", pb_program_play_superframes(job->play));
    fprintf(out, "phases           %10" PRIu64 ", %.3f ms at %g kHz\n", phases_of(job),
            (double)time_ns(job) / 1e6, (double)job->line.phase_rate_mhz / 1e6);
    fprintf(out, "frames           %10" PRIu64 ", payload of %u byte%s\n", job->frames,
            program->payload_bytes, program->payload_bytes == 1 ? "" : "s");
    fprintf(out, "directed links   %10" PRIu32 " used of %" PRIu64 ", the busiest by %" PRIu32 " frame%s\n",
            job->used, pb_program_job_links(job), job->busiest, job->busiest == 1 ? "" : "s");
    fprintf(out, "rooms            %10u, the messages that a node holds at most\n", program->rooms);
    put_steps(out, job);
    fprintf(out, "digest           0x%08" PRIX32 ", CRC-32 of the results in order\n", job->digest);
    pb_form_line(out, "%s: %s%s%s", job->kind->checked, job->right ? "yes" : "NO", *job->detail ? ", " : "",
                 job->detail);
    return 0;
}

int pb_report_program_json(FILE *out, void *context)
{
    const struct pb_program_shown *shown = context;
    const struct pb_program_job *job = shown->job;
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {
        {"argument", job->argument},
        {"superframes", pb_program_play_superframes(job->play)},
        {"phases", phases_of(job)},
        {"time_ns", time_ns(job)},
        {"frames", job->frames},
        {"payload_bytes", job->program->payload_bytes},
        {"directed_links", pb_program_job_links(job)},
        {"links_used", job->used},
        {"busiest_link_frames", job->busiest},
        {"rooms", job->program->rooms},
        {"crc32", job->digest},
    };
    struct pb_exchange_steps steps;
    char seed[24];
    json_t *object = json_object();

    snprintf(seed, sizeof seed, "%" PRIu64, shown->seed); /* JSON numbers have 63 bits here */
    pb_form_set(object, "program", pb_form_text(job->program->name));
    pb_network_json(object, job->network);
    if (shown->input)
        pb_form_set(object, "input", pb_form_text(shown->input));
    else
        pb_form_set(object, "seed", pb_form_text(seed));
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        pb_form_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    if (has_steps(job, &steps))
        pb_form_set(object, "shortest", steps_json(&steps));
    pb_form_set(object, "engine", pb_form_text(pb_machine_engine_name(job->engine)));
    pb_form_set(object, "check", pb_form_text(job->kind->checked));
    pb_form_set(object, "check_ok", json_boolean(job->right));
    if (*job->detail)
        pb_form_set(object, "check_detail", pb_form_text(job->detail));
    return pb_form_json(out, object);
}

int pb_report_program_csv(FILE *out, void *context)
{
    const struct pb_program_job *job = ((const struct pb_program_shown *)context)->job;
    const bool samples = job->kind->form == PB_PROGRAM_SAMPLES;
    if (job->kind->form == PB_PROGRAM_MATRIX)
        return PB_FORM_NONE;
    fprintf(out, "index,node,%s\n", samples ? "re,im" : "value");
    for (uint32_t index = 0; index < job->network->nodes; index++) {
        const uint8_t *result = pb_program_job_result(job, job->play, index);
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",", index,
                pb_program_sink(job->program, job->network, job->argument, index));
        if (samples) {
            const double unit = UINT32_C(1) << (15 - job->network->dims);
            fprintf(out, "%.17g,%.17g\n", (int32_t)program_get32(result) / unit,
                    (int32_t)program_get32(result + 4) / unit);
        } else if (job->kind->form == PB_PROGRAM_ROUTES && program_get32(result) == UINT32_MAX) {
            fputs("-\n", out);
        } else {
            fprintf(out, "%" PRIu32 "\n", job->program->result_bytes == 1 ? *result : program_get32(result));
        }
    }
    return 0;
}

int pb_report_program_pgm(FILE *out, void *context)
{
    return pb_program_write_pgm(out, ((const struct pb_program_shown *)context)->job);
}
