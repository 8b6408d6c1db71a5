/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions and source lines of an image by address, read once: for a caller that asks for many addresses.
 */
#ifndef PB_MCU_IMAGE_LINES_H
#define PB_MCU_IMAGE_LINES_H

#include "bench/emulator/image/image.h"

struct pb_image_line { /* a row of the line table: holds from its address to that of the next row */
    uint32_t address;
    uint32_t file;  /* index; of no meaning if line is 0 */
    uint32_t line;  /* 0: from here on the table says nothing */
    uint32_t row;   /* number in the table: of several at one address the last one holds */
    bool statement; /* a recommended place for a breakpoint */
};

struct pb_image_function {
    uint32_t address, bytes; /* bytes 0: a label in assembly, up to the next function or label */
    const char *name;        /* of the image */
};

struct pb_image_code { /* a section with instructions, where it is executed */
    uint32_t address, bytes;
};

struct pb_image_lines {
    char **file; /* absolute paths, each once */
    struct pb_image_line *line;         /* ascending */
    struct pb_image_function *function; /* ascending */
    struct pb_image_code *code;         /* ascending */
    size_t files, lines, functions, codes;
};

/* An image without line table or symbols has none of them. PB_ERR_MEMORY. The result uses the image. */
int pb_image_lines_read(struct pb_image_lines **out, const struct pb_image *image, struct pb_diag *diag);
void pb_image_lines_free(struct pb_image_lines *lines);

/* The row that holds at an address; the function that it is in. NULL: none. */
const struct pb_image_line *pb_image_line_at(const struct pb_image_lines *lines, uint32_t address);
const struct pb_image_function *pb_image_function_at(const struct pb_image_lines *lines, uint32_t address);

#endif
