/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A firmware image: an ELF file for a 32-bit little-endian MCU, with its symbols and lines, or a UF2 file for
 * an RP2040, which has neither. What a file is follows from its bytes, not from its name.
 */
#ifndef PB_MCU_IMAGE_H
#define PB_MCU_IMAGE_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long an image has to say its first line after power-up. */
#define PB_IMAGE_BOOT_PS INT64_C(50000000000)

struct pb_image_segment { /* what is programmed, by its load address */
    uint32_t address, bytes;
    const uint8_t *data;
};

enum pb_image_format { PB_IMAGE_ELF, PB_IMAGE_UF2 };

struct pb_image {
    enum pb_image_format format;
    char name[96];    /* of the file, without its folder; for diagnostics */
    unsigned machine; /* e_machine: EM_RISCV, EM_ARM */
    uint32_t entry;   /* of a UF2 file: its lowest address */
    bool stripped;    /* an ELF file without a symbol table */
    const char *other_core; /* the architecture that its attributes name, of cores that no model has; NULL */
    unsigned segments;
    struct pb_image_segment *segment; /* ascending, without overlap, none empty */
    struct pb_image_symbols *symbols; /* private */
    unsigned keepers; /* private */
    /* What an MCU model derives from the image for all its nodes; destroyed with the image by `forget`. */
    void *derived;
    void (*forget)(void *derived);
};

/* Reads a file. PB_ERR_IO: it cannot be read; PB_ERR_CONFIG: it has another format, which the diagnostic
 * names, or is damaged; PB_ERR_MEMORY. The caller destroys the image. */
int pb_image_read(struct pb_image **out, const char *file, struct pb_diag *diag);
/* The same for the bytes of a file, from malloc, which it frees or keeps; the diagnostic has `name`. */
int pb_image_parse(struct pb_image **out, const char *name, char *bytes, size_t size, struct pb_diag *diag);
/* Whether a file says in its first bytes that it is a UF2 file. */
bool pb_image_is_uf2(const char *bytes, size_t size);
/* What a file is that is neither ELF nor UF2, as far as its first bytes show: "it is an Intel HEX file". */
const char *pb_image_other_format(const char *bytes, size_t size);
/* Without effect except for the last of its keepers. */
void pb_image_destroy(struct pb_image *image);
/* One keeper more. */
struct pb_image *pb_image_keep(struct pb_image *image);

/* Finds a symbol by name. False: it has none of this name. */
bool pb_image_symbol(const struct pb_image *image, const char *name, uint32_t *address, uint32_t *bytes);

/* Writes where an address of the program is: "node_on_phase_edge+0x1a (node.c:120)", as far as the image
 * shows. */
void pb_image_place(const struct pb_image *image, uint32_t address, char *text, size_t size);

#endif
