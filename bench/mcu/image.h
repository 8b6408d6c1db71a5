/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A firmware image: an ELF file for a 32-bit little-endian MCU, with its symbols and lines.
 */
#ifndef PB_MCU_IMAGE_H
#define PB_MCU_IMAGE_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_image_segment { /* what is programmed, by its load address */
    uint32_t address, bytes;
    const uint8_t *data;
};

struct pb_image {
    unsigned machine; /* e_machine: EM_RISCV, EM_ARM */
    uint32_t entry;
    unsigned segments;
    struct pb_image_segment *segment; /* ascending, without overlap, none empty */
    struct pb_image_symbols *symbols; /* private */
    unsigned keepers; /* private */
    /* What an MCU model derives from the image for all its nodes; destroyed with the image by `forget`. */
    void *derived;
    void (*forget)(void *derived);
};

/* Reads a file. PB_ERR_IO: it cannot be read; PB_ERR_CONFIG: no such ELF file, or a damaged one; the
 * diagnostic says what; PB_ERR_MEMORY. The caller destroys the image. */
int pb_image_read(struct pb_image **out, const char *file, struct pb_diag *diag);
/* The same for the bytes of a file, from malloc, which it frees or keeps; `name` stands in the diagnostic. */
int pb_image_parse(struct pb_image **out, const char *name, char *bytes, size_t size, struct pb_diag *diag);
/* Without effect but for the last of its keepers. */
void pb_image_destroy(struct pb_image *image);
/* One keeper more. */
struct pb_image *pb_image_keep(struct pb_image *image);

/* Finds a symbol by name. False: it has none of this name. */
bool pb_image_symbol(const struct pb_image *image, const char *name, uint32_t *address, uint32_t *bytes);

/* Writes where an address of the program is: "node_on_phase_edge+0x1a (node.c:120)", as far as the image
 * tells. */
void pb_image_place(const struct pb_image *image, uint32_t address, char *text, size_t size);

#endif
