/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pictures of a program as an animated one. */
#include "program_gif.h"

#include "host/report/program_picture.h"

#include <errno.h>
#include <gif_lib.h>
#include <stdlib.h>

enum {
    GIF_WIDTH = 256, /* at least, by whole pixels */
    GIF_COLOURS = 256,
    GIF_DELAY_CS = 12
};

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
static bool begin_gif(struct animation *animation, const struct pb_program_picture *picture)
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

static int put_gif(void *context, const struct pb_program_picture *picture)
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

int pb_program_write_gif(FILE *out, const struct pb_program_job *job)
{
    struct animation animation = {.out = out};
    int error, result = pb_program_each_picture(job, put_gif, &animation);
    const int reason = errno;
    if (animation.gif && EGifCloseFile(animation.gif, &error) != GIF_OK && !result)
        result = -1;
    else
        errno = reason;
    free(animation.line);
    return result;
}
