/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of a program that is played: cells and pixels as they are, numbers as bars.
 */
#ifndef PB_REPORT_PROGRAM_PICTURE_H
#define PB_REPORT_PROGRAM_PICTURE_H

#include "host/machine/program/job.h"

#include <stdio.h>

struct pb_program_picture {
    unsigned width, height;
    uint8_t *pixel; /* a byte each, 0 black, row by row */
    unsigned *bar;  /* height of each column; NULL: cells or pixels */
};

/* False: this program has none. */
bool pb_program_has_picture(const struct pb_program_job *job);
/* The heights 0..most of `count` columns, each the mean of a part of the results. */
void pb_program_heights(const struct pb_program_job *job, const struct pb_program_play *play, unsigned count,
                        unsigned most, unsigned *height);
/* Plays the program again, and hands over its picture before the first superframe and after each, until `put`
 * returns another code than 0. Returns 0, or -1 with errno. */
int pb_program_each_picture(const struct pb_program_job *job,
                            int (*put)(void *context, const struct pb_program_picture *picture),
                            void *context);
/* All of them as PGM. Returns 0, PB_FORM_NONE, or -1 with errno. */
int pb_program_write_pgm(FILE *out, const struct pb_program_job *job);

/* A terminal, of which at most these columns and rows are used. */
enum { PB_PROGRAM_COLUMNS_MOST = 512, PB_PROGRAM_ROWS_MOST = 256 };
struct pb_program_screen {
    bool colour;
    unsigned columns, rows, lines; /* lines: of the last picture; 0: there was none */
};
/* Draws the results in place of the last picture, of a program that has one. */
void pb_program_draw(FILE *out, struct pb_program_screen *screen, const struct pb_program_job *job);

#endif
