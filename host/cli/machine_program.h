/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * phasebench machine --program: what all nodes compute together. A function that returns an exit code has
 * reported the error.
 */
#ifndef PHASEBENCH_CLI_MACHINE_PROGRAM_H
#define PHASEBENCH_CLI_MACHINE_PROGRAM_H

#include "option.h"

#include "phasebench/program.h"

#include <stdio.h>

struct machine_program_request {
    const char *program;
    struct pb_network network;
    uint64_t argument, seed;
    const char *input, *gif, *out; /* files; NULL: none */
    bool argument_given, watch, json, csv;
};

extern const struct cli_form machine_program_forms[];
/* Plays a program, and shows and checks its result. */
int machine_program(const struct machine_program_request *request);

/* ---- a program that is played */

/* What the input and the result of a node are to people. */
enum machine_value {
    MACHINE_WORDS,   /* a number of 32 bits */
    MACHINE_SAMPLES, /* a complex number */
    MACHINE_CELLS,   /* 0 or 1, in a picture */
    MACHINE_PIXELS,  /* 0..255, in a picture */
    MACHINE_MATRIX   /* a number for each node */
};

struct machine_run {
    const struct machine_program_request *request;
    const struct pb_program *program;
    const struct machine_kind *kind;
    const struct pb_network *network;
    uint32_t argument;
    uint8_t *inputs; /* of all nodes by address */
    size_t length;
    struct pb_program_play *play;
    uint64_t frames;
    uint32_t *link;           /* frames of each directed link, node * ports + port */
    uint32_t used, busiest;   /* directed links with a frame; most frames of one */
    uint32_t digest;          /* CRC-32 of the results in order */
    bool right;
    char detail[160];         /* of the check; "" */
};

struct machine_kind {
    const char *program;
    enum machine_value form;
    unsigned bits;       /* of a number that is drawn */
    const char *checked; /* what the check asks */
    /* Against a plain computation from the inputs; sets `right` and `detail`. Returns an exit code. */
    int (*check)(struct machine_run *run);
};
/* NULL: not a shipped program. */
const struct machine_kind *machine_kind_of(const char *program);

/* Sets inputs and length: from the file of --input, or drawn by the seed. */
int machine_input(struct machine_run *run);

/* Number `index` of the inputs or results, in the order in which people count them. */
const uint8_t *machine_input_at(const struct machine_run *run, uint32_t index);
const uint8_t *machine_result_at(const struct machine_run *run, const struct pb_program_play *play,
                                 uint32_t index);
uint32_t machine_word(const uint8_t *bytes);
int machine_half_word(const uint8_t *bytes); /* of 16 bits, with a sign */
/* Cells or pixels on a side of a picture. */
unsigned machine_side(const struct pb_network *network);

/* ---- pictures: one byte a pixel, 0 black, row by row */

/* False: this program has none. */
bool machine_has_picture(const struct machine_run *run);
/* The heights 0..most of `count` columns, each the mean of a part of the results. */
void machine_heights(const struct machine_run *run, const struct pb_program_play *play, unsigned count,
                     unsigned most, unsigned *height);
/* All pictures, before the first superframe and after each, as PGM. Returns 0, CLI_NO_FORM, or -1 with
 * errno. */
int machine_write_pgm(FILE *out, const struct machine_run *run);
int machine_write_gif(FILE *out, const struct machine_run *run);

/* ---- the terminal */

struct machine_screen {
    bool shown;
    bool colour;
    unsigned columns, rows, lines; /* lines: of the last picture */
};
struct machine_screen machine_screen_begin(bool wanted);
/* Draws the results in place of the last picture, and waits so that they can be seen. */
void machine_screen_draw(struct machine_screen *screen, const struct machine_run *run);

#endif
