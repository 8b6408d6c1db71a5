/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of the results: cells and pixels as they are, numbers as bars. The program is played again for
 * each file, so that no picture is kept. */
#include "program_picture.h"

#include "host/base/form.h"
#include "host/program/program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_WIDTH = 256, BARS_HEIGHT = 128 };

static bool is_raster(const struct pb_program_job *job)
{
    return job->kind->form == PB_PROGRAM_CELLS || job->kind->form == PB_PROGRAM_PIXELS;
}

bool pb_program_has_picture(const struct pb_program_job *job)
{
    return job->kind->form != PB_PROGRAM_MATRIX;
}

static double size_of(const struct pb_program_job *job, const uint8_t *result)
{
    return job->kind->form == PB_PROGRAM_SAMPLES
               ? hypot((int32_t)program_get32(result), (int32_t)program_get32(result + 4))
               : program_get32(result);
}

void pb_program_heights(const struct pb_program_job *job, const struct pb_program_play *play, unsigned count,
                        unsigned most, unsigned *height)
{
    const uint32_t nodes = job->network->nodes;
    double largest = 0;
    for (uint32_t index = 0; index < nodes; index++)
        largest = fmax(largest, size_of(job, pb_program_job_result(job, play, index)));
    for (unsigned column = 0; column < count; column++) {
        const uint32_t first = (uint32_t)((uint64_t)nodes * column / count);
        const uint32_t end = (uint32_t)((uint64_t)nodes * (column + 1) / count);
        double sum = 0;
        for (uint32_t index = first; index < end; index++)
            sum += size_of(job, pb_program_job_result(job, play, index));
        height[column] = largest > 0 ? (unsigned)lround(most * sum / (largest * (end - first))) : 0;
    }
}

static void picture_free(struct pb_program_picture *picture)
{
    free(picture->pixel);
    free(picture->bar);
}

/* Returns 0, or -1 with errno. */
static int picture_create(struct pb_program_picture *picture, const struct pb_program_job *job)
{
    const unsigned side = pb_program_side(job->network);
    const bool raster = is_raster(job);
    *picture = (struct pb_program_picture){.width = raster                             ? side
                                                    : job->network->nodes < BARS_WIDTH ? job->network->nodes
                                                                                       : BARS_WIDTH,
                                           .height = raster ? side : BARS_HEIGHT};
    picture->pixel = malloc((size_t)picture->width * picture->height);
    picture->bar = raster ? NULL : malloc(picture->width * sizeof *picture->bar);
    if (picture->pixel && (raster || picture->bar))
        return 0;
    picture_free(picture);
    errno = ENOMEM;
    return -1;
}

static void picture_draw(struct pb_program_picture *picture, const struct pb_program_job *job,
                         const struct pb_program_play *play)
{
    const unsigned width = picture->width, height = picture->height;
    if (!picture->bar) {
        for (uint32_t index = 0; index < job->network->nodes; index++) {
            const uint8_t value = *pb_program_job_result(job, play, index);
            picture->pixel[index] = job->kind->form == PB_PROGRAM_PIXELS ? value : value ? 0 : 255;
        }
        return;
    }
    pb_program_heights(job, play, width, height, picture->bar);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            picture->pixel[y * width + x] = height - y <= picture->bar[x] ? 0 : 255;
}

int pb_program_each_picture(const struct pb_program_job *job,
                            int (*put)(void *, const struct pb_program_picture *), void *context)
{
    struct pb_program_picture picture;
    struct pb_program_play *play;
    if (picture_create(&picture, job))
        return -1;
    int result = pb_program_play_create(&play, job->program, job->network, job->argument, job->inputs,
                                        job->length, NULL);
    if (result)
        errno = ENOMEM;
    while (!result) {
        picture_draw(&picture, job, play);
        result = put(context, &picture);
        if (!pb_program_play_step(play, NULL, NULL))
            break;
    }
    pb_program_play_free(play);
    picture_free(&picture);
    return result ? -1 : 0;
}

static int put_pgm(void *context, const struct pb_program_picture *picture)
{
    FILE *out = context;
    const size_t size = (size_t)picture->width * picture->height;
    fprintf(out, "P5\n%u %u\n255\n", picture->width, picture->height);
    return fwrite(picture->pixel, 1, size, out) == size ? 0 : -1;
}

int pb_program_write_pgm(FILE *out, const struct pb_program_job *job)
{
    return pb_program_has_picture(job) ? pb_program_each_picture(job, put_pgm, out) : PB_FORM_NONE;
}
