/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * UF2 files ("USB Flashing Format", github.com/microsoft/uf2) for an RP2040, by the rules of its boot ROM
 * ("RP2040 Datasheet", section 2.8.4.2). Private to image.c.
 */
#ifndef PB_MCU_IMAGE_UF2_H
#define PB_MCU_IMAGE_UF2_H

#include "bench/emulator/image/image.h"

enum { PB_UF2_WHY = 160 };

/* Fills machine, entry, segments and segment of the image; blocks whose addresses follow each other become
 * one segment. Blocks of another family, without one, and outside the main flash are left out.
 * *content: what the segments point into, from malloc; the caller frees it, after an error, too.
 * PB_ERR_CONFIG: `why` has the sentence; PB_ERR_MEMORY. */
int pb_uf2_read(struct pb_image *image, char **content, const char *bytes, size_t size,
                char why[PB_UF2_WHY]);

#endif
