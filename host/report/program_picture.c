/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of the results: cells and pixels as they are, numbers as bars. The program is played again for
 * each file, so that no picture is kept. */
#include "program_picture.h"

#include "host/base/form.h"
#include "host/machine/program/program.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BARS_WIDTH = 256,
    BARS_HEIGHT = 128,
    BAR_ROWS = 12, /* of a terminal, as are those that follow */
    EIGHTHS = 8,
    SHADES = 5,
    GREY_FIRST = 232, /* of 24 colours */
    GREYS = 24
};

#define GREEN "\033[32m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"
#define END_OF_LINE "\033[K\r\n"

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
    if (job->kind->form == PB_PROGRAM_ROUTES && program_get32(result) == UINT32_MAX)
        return 0;
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

/* ---- on a terminal: numbers as bars, cells and pixels as blocks of half a character */

static void draw_bars(FILE *out, struct pb_program_screen *screen, const struct pb_program_job *job)
{
    static const char *const block[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const unsigned width = job->network->nodes < screen->columns ? job->network->nodes : screen->columns;
    const unsigned rows = screen->rows > BAR_ROWS + 2 ? BAR_ROWS : 4;
    unsigned height[PB_PROGRAM_COLUMNS_MOST];
    pb_program_heights(job, job->play, width, rows * EIGHTHS, height);
    for (unsigned row = rows; row-- > 0;) {
        fputs(screen->colour ? CYAN : "", out);
        for (unsigned column = 0; column < width; column++) {
            const unsigned below = row * EIGHTHS, above = height[column] > below ? height[column] - below : 0;
            fputs(block[above < EIGHTHS ? above : EIGHTHS], out);
        }
        fputs(screen->colour ? PLAIN END_OF_LINE : END_OF_LINE, out);
    }
    screen->lines += rows;
}

/* The mean of a square of the picture; of cells 255 if one of them is alive. Beyond the picture 0. */
static unsigned square(const struct pb_program_job *job, unsigned shrink, unsigned x, unsigned y)
{
    const unsigned side = pb_program_side(job->network);
    const bool cells = job->kind->form == PB_PROGRAM_CELLS;
    unsigned sum = 0;
    for (unsigned i = 0; i < shrink * shrink && y * shrink < side; i++) {
        const unsigned cell = (y * shrink + i / shrink) * side + x * shrink + i % shrink;
        const uint8_t value = *pb_program_job_result(job, job->play, cell);
        sum = cells && value ? 255 * shrink * shrink : sum + (cells ? 0 : value);
        if (cells && value)
            break;
    }
    return sum / (shrink * shrink);
}

/* Both halves of a character. */
static void put_halves(FILE *out, bool cells, bool colour, unsigned upper, unsigned lower)
{
    static const char *const half[] = {" ", "▀", "▄", "█"};
    static const char *const shade[SHADES] = {" ", "░", "▒", "▓", "█"};
    if (cells)
        fputs(half[(upper > 0) + 2 * (lower > 0)], out);
    else if (colour)
        fprintf(out, "\033[38;5;%u;48;5;%um▀", GREY_FIRST + upper * GREYS / 256,
                GREY_FIRST + lower * GREYS / 256);
    else
        fputs(shade[(upper + lower) / 2 * SHADES / 256], out);
}

static void draw_raster(FILE *out, struct pb_program_screen *screen, const struct pb_program_job *job)
{
    const unsigned side = pb_program_side(job->network);
    const bool cells = job->kind->form == PB_PROGRAM_CELLS;
    unsigned shrink = 1; /* a power of two, as the side is */
    while (shrink < side && (side / shrink > screen->columns || side / shrink / 2 + 2 > screen->rows))
        shrink *= 2;
    for (unsigned y = 0; y < side / shrink; y += 2) {
        fputs(screen->colour && cells ? GREEN : "", out);
        for (unsigned x = 0; x < side / shrink; x++)
            put_halves(out, cells, screen->colour, square(job, shrink, x, y), square(job, shrink, x, y + 1));
        fputs(screen->colour ? PLAIN END_OF_LINE : END_OF_LINE, out);
        screen->lines++;
    }
}

void pb_program_draw(FILE *out, struct pb_program_screen *screen, const struct pb_program_job *job)
{
    const uint32_t superframe = pb_program_play_superframe(job->play);
    if (screen->lines)
        fprintf(out, "\033[%uA", screen->lines);
    fprintf(out, "%s: %" PRIu32 " of %" PRIu32 " superframes" END_OF_LINE, job->program->name, superframe,
            pb_program_play_superframes(job->play));
    screen->lines = 1;
    if (is_raster(job))
        draw_raster(out, screen, job);
    else
        draw_bars(out, screen, job);
}
