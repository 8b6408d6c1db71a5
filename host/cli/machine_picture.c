/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of the results: cells and pixels as they are, numbers as bars. The program is played again for
 * each file, so that no picture is kept. */
#include "machine_program.h"

#include "cli.h"

#include <errno.h>
#include <gif_lib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BARS_WIDTH = 256,
    BARS_HEIGHT = 128,
    GIF_WIDTH = 256, /* at least, by whole pixels */
    GIF_COLOURS = 256,
    GIF_DELAY_CS = 12
};

struct picture {
    unsigned width, height;
    uint8_t *pixel;
    unsigned *bar; /* height of each column; NULL: cells or pixels */
};

static bool is_raster(const struct machine_run *run)
{
    return run->kind->form == MACHINE_CELLS || run->kind->form == MACHINE_PIXELS;
}

bool machine_has_picture(const struct machine_run *run)
{
    return run->kind->form != MACHINE_MATRIX;
}

static double size_of(const struct machine_run *run, const uint8_t *result)
{
    return run->kind->form == MACHINE_SAMPLES
               ? hypot((int32_t)machine_word(result), (int32_t)machine_word(result + 4))
               : machine_word(result);
}

void machine_heights(const struct machine_run *run, const struct pb_program_play *play, unsigned count,
                     unsigned most, unsigned *height)
{
    const uint32_t nodes = run->network->nodes;
    double largest = 0;
    for (uint32_t index = 0; index < nodes; index++)
        largest = fmax(largest, size_of(run, machine_result_at(run, play, index)));
    for (unsigned column = 0; column < count; column++) {
        const uint32_t first = (uint32_t)((uint64_t)nodes * column / count);
        const uint32_t end = (uint32_t)((uint64_t)nodes * (column + 1) / count);
        double sum = 0;
        for (uint32_t index = first; index < end; index++)
            sum += size_of(run, machine_result_at(run, play, index));
        height[column] = largest > 0 ? (unsigned)lround(most * sum / (largest * (end - first))) : 0;
    }
}

static void picture_free(struct picture *picture)
{
    free(picture->pixel);
    free(picture->bar);
}

/* Returns 0, or -1 with errno. */
static int picture_create(struct picture *picture, const struct machine_run *run)
{
    const unsigned side = machine_side(run->network);
    const bool raster = is_raster(run);
    *picture = (struct picture){
        .width = raster ? side : run->network->nodes < BARS_WIDTH ? run->network->nodes : BARS_WIDTH,
        .height = raster ? side : BARS_HEIGHT};
    picture->pixel = malloc((size_t)picture->width * picture->height);
    picture->bar = raster ? NULL : malloc(picture->width * sizeof *picture->bar);
    if (picture->pixel && (raster || picture->bar))
        return 0;
    picture_free(picture);
    errno = ENOMEM;
    return -1;
}

static void picture_draw(struct picture *picture, const struct machine_run *run,
                         const struct pb_program_play *play)
{
    const unsigned width = picture->width, height = picture->height;
    if (!picture->bar) {
        for (uint32_t index = 0; index < run->network->nodes; index++) {
            const uint8_t value = *machine_result_at(run, play, index);
            picture->pixel[index] = run->kind->form == MACHINE_PIXELS ? value : value ? 0 : 255;
        }
        return;
    }
    machine_heights(run, play, width, height, picture->bar);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            picture->pixel[y * width + x] = height - y <= picture->bar[x] ? 0 : 255;
}

/* Plays the program again, and hands each picture over. Returns 0, or -1 with errno. */
static int each_picture(const struct machine_run *run, int (*put)(void *, const struct picture *),
                        void *context)
{
    struct picture picture;
    struct pb_program_play *play;
    if (picture_create(&picture, run))
        return -1;
    int result = pb_program_play_create(&play, run->program, run->network, run->argument, run->inputs,
                                        run->length, NULL);
    if (result)
        errno = ENOMEM;
    while (!result) {
        picture_draw(&picture, run, play);
        result = put(context, &picture);
        if (!pb_program_play_step(play, NULL, NULL))
            break;
    }
    pb_program_play_free(play);
    picture_free(&picture);
    return result ? -1 : 0;
}

static int put_pgm(void *context, const struct picture *picture)
{
    FILE *out = context;
    const size_t size = (size_t)picture->width * picture->height;
    fprintf(out, "P5\n%u %u\n255\n", picture->width, picture->height);
    return fwrite(picture->pixel, 1, size, out) == size ? 0 : -1;
}

int machine_write_pgm(FILE *out, const struct machine_run *run)
{
    return machine_has_picture(run) ? each_picture(run, put_pgm, out) : CLI_NO_FORM;
}

/* ---- GIF */

struct animation {
    FILE *out;
    GifFileType *gif;
    unsigned scale; /* screen pixels of a pixel */
    GifPixelType *line;
};

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int length)
{
    const struct animation *animation = gif->UserData;
    return (int)fwrite(bytes, 1, (size_t)length, animation->out);
}

/* The screen, and that the pictures repeat for ever. */
static bool begin_gif(struct animation *animation, const struct picture *picture)
{
    static const unsigned char forever[] = {1, 0, 0};
    int error;
    ColorMapObject *grey = GifMakeMapObject(GIF_COLOURS, NULL);
    animation->scale = picture->width < GIF_WIDTH ? GIF_WIDTH / picture->width : 1;
    animation->line = malloc((size_t)picture->width * animation->scale);
    animation->gif = EGifOpen(animation, write_bytes, &error);
    for (int i = 0; grey && i < GIF_COLOURS; i++)
        grey->Colors[i] = (GifColorType){(GifByteType)i, (GifByteType)i, (GifByteType)i};
    bool good = grey && animation->line && animation->gif;
    if (good) {
        EGifSetGifVersion(animation->gif, true);
        good = EGifPutScreenDesc(animation->gif, (int)(picture->width * animation->scale),
                                 (int)(picture->height * animation->scale), 8, 0, grey) == GIF_OK &&
               EGifPutExtensionLeader(animation->gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
               EGifPutExtensionBlock(animation->gif, 11, "NETSCAPE2.0") == GIF_OK &&
               EGifPutExtensionBlock(animation->gif, sizeof forever, forever) == GIF_OK &&
               EGifPutExtensionTrailer(animation->gif) == GIF_OK;
    }
    GifFreeMapObject(grey);
    return good;
}

static bool put_delay(GifFileType *gif)
{
    const GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                          .DelayTime = GIF_DELAY_CS,
                                          .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)EGifGCBToExtension(&control, bytes), bytes) ==
           GIF_OK;
}

static int put_gif(void *context, const struct picture *picture)
{
    struct animation *animation = context;
    errno = 0;
    bool good = animation->gif || begin_gif(animation, picture);
    const unsigned scale = animation->scale;
    const int width = (int)(picture->width * scale), height = (int)(picture->height * scale);
    good = good && put_delay(animation->gif) &&
           EGifPutImageDesc(animation->gif, 0, 0, width, height, false, NULL) == GIF_OK;
    for (int y = 0; good && y < height; y++) {
        for (int x = 0; x < width; x++)
            animation->line[x] = picture->pixel[(unsigned)y / scale * picture->width + (unsigned)x / scale];
        good = EGifPutLine(animation->gif, animation->line, width) == GIF_OK;
    }
    if (!good && !errno)
        errno = ENOMEM; /* giflib has no other reason here */
    return good ? 0 : -1;
}

int machine_write_gif(FILE *out, const struct machine_run *run)
{
    struct animation animation = {.out = out};
    int error, result = each_picture(run, put_gif, &animation);
    const int reason = errno;
    if (animation.gif && EGifCloseFile(animation.gif, &error) != GIF_OK && !result)
        result = -1;
    else
        errno = reason;
    free(animation.line);
    return result;
}
