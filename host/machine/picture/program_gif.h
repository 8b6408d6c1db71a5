/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pictures of a program that is played, as a GIF that repeats for ever.
 */
#ifndef PB_PICTURE_PROGRAM_GIF_H
#define PB_PICTURE_PROGRAM_GIF_H

#include "host/machine/program/job.h"

#include <stdio.h>

/* Plays the program again. Returns 0, or -1 with errno. */
int pb_program_write_gif(FILE *out, const struct pb_program_job *job);

#endif
