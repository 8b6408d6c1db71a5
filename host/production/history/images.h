/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware files of a scenario's nodes, as a history keeps them: kind, size and CRC-32.
 */
#ifndef PB_HISTORY_IMAGES_H
#define PB_HISTORY_IMAGES_H

#include "phasebench/history.h"
#include "phasebench/scenario.h"

/* Reads the files into image[0..node_count - 1]. A node without a file has -1 bytes. */
void pb_history_look(struct pb_history_node *image, const struct pb_scenario *scenario);

#endif
