/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A hardware map that is brought up to date: its boards, the chips on USB that it lacks, and what each
 * answered. A function that can fail returns 0, or a code with its diagnostic.
 */
#ifndef PB_MAP_SURVEY_H
#define PB_MAP_SURVEY_H

#include "map.h"

#include "host/usb/chips.h"

#include <stdio.h>

/* What a board answered, and what became of it in the file. */
struct pb_map_board {
    bool reached;
    uint32_t map_hash;
    char why[256];      /* it was not reached */
    const char *change; /* "added", "updated" or "unchanged" */
};

struct pb_map_survey {
    struct pb_map *map;         /* of the file */
    struct pb_map *asked;       /* the boards of the file, and others found */
    struct pb_map_board *board; /* of `asked` */
    size_t count, known;        /* of `asked`, all and those of the file */
};

/* Reads the file; one that is missing is an empty map. */
int pb_map_survey_open(struct pb_map_survey *survey, const char *path, struct pb_diag *diag);
/* Sets the boards to be asked. folder: that of the virtual boards on which all chips are; "": none. */
int pb_map_survey_add(struct pb_map_survey *survey, const struct pb_chips *chips, const char *folder,
                      struct pb_diag *diag);
/* With the answers: changes the map, and writes the file if anything changed or it is missing. */
int pb_map_survey_update(struct pb_map_survey *survey, struct pb_diag *diag);
void pb_map_survey_close(struct pb_map_survey *survey); /* an empty one: no effect */

/* A line for each board, and a JSON document. Each returns 0 or a negative code. */
int pb_map_survey_text(FILE *out, const struct pb_map_survey *survey);
int pb_map_survey_json(FILE *out, const struct pb_map_survey *survey);

#endif
