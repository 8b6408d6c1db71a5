/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench flash --node`: firmware into the node boards of a rig.
 */
#ifndef PHASEBENCH_FLASH_NODE_H
#define PHASEBENCH_FLASH_NODE_H

#include <stdbool.h>

/* Writes the image into every node of the scenario, or into that at one port (NULL: all). Prints a line for
 * each; returns the exit code, whose error is reported. */
int flash_node(const char *image_file, const char *scenario_file, const char *rig_url, const char *port,
               bool quiet);

#endif
