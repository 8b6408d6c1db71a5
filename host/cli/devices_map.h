/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench devices --map FILE`: the boards of this computer in a hardware map.
 */
#ifndef PHASEBENCH_CLI_DEVICES_MAP_H
#define PHASEBENCH_CLI_DEVICES_MAP_H

#include "host/production/map/survey.h"

/* Adds the chips that the map lacks, asks each of its boards for its map hash, and writes the file if
 * anything changed. Returns an exit code; the caller closes *survey, also after a failure. */
int devices_map(struct pb_map_survey *survey, const struct pb_chips *chips, const char *path);

#endif
