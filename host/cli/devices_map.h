/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench devices --map FILE`: the boards of this computer in a hardware map.
 */
#ifndef PHASEBENCH_CLI_DEVICES_MAP_H
#define PHASEBENCH_CLI_DEVICES_MAP_H

#include "host/usb/chips.h"

#include <stdbool.h>

/* The URL of a chip; by its USB port if its serial number is missing or not allowed in a URL. Returns url. */
#define DEVICES_URL_SIZE 96
const char *devices_url(char url[DEVICES_URL_SIZE], const struct pb_chip *chip);

/* Adds the chips that the map lacks, asks each of its boards for its map hash, writes the file if
 * anything changed, and prints a line for each board. Returns the exit code of the verb. */
int devices_map(const struct pb_chips *chips, const char *path, bool json);

#endif
