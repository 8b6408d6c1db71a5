/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench devices --map FILE`: the boards of this computer in a hardware map.
 */
#ifndef PHASEBENCH_CLI_DEVICES_MAP_H
#define PHASEBENCH_CLI_DEVICES_MAP_H

#include "host/usb/chips.h"

#include <stdio.h>

/* The URL of a chip; by its USB port if its serial number is missing, that of another chip, too, or not
 * allowed in a URL. Returns url. */
#define DEVICES_URL_SIZE 96
const char *devices_url(char url[DEVICES_URL_SIZE], const struct pb_chip *chip);

/* Adds the chips that the map lacks, asks each of its boards for its map hash, and writes the file if
 * anything changed. Returns an exit code; the caller frees *survey, also after a failure. */
struct devices_survey;
int devices_map(struct devices_survey **survey, const struct pb_chips *chips, const char *path);
/* A line for each board; forms of the result. */
int devices_map_text(FILE *out, const struct devices_survey *survey);
int devices_map_json(FILE *out, const struct devices_survey *survey);
void devices_map_free(struct devices_survey *survey); /* NULL: no effect */

#endif
