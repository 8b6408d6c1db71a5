/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of an image share: private to image.c, image_core.c and image_lines.c.
 */
#ifndef PB_MCU_IMAGE_ELF_H
#define PB_MCU_IMAGE_ELF_H

#include "bench/emulator/image/image.h"

#include <gelf.h>

struct pb_image_symbols {
    char *file; /* the whole file, which everything points into */
    size_t bytes;
    Elf *elf;       /* NULL: a UF2 file */
    Elf_Scn *table; /* symbol table; NULL: none */
    size_t names;   /* its section of strings */
    size_t count;
};

/* Symbol i of the table, with its name; false: it is damaged. */
bool pb_image_read_symbol(const struct pb_image_symbols *symbols, Elf_Data *data, size_t i, GElf_Sym *symbol,
                          const char **name);

/* The architecture of an ELF file for Arm that no ARMv6-M runs, by its build attributes: "ARMv8-M.mainline".
 * NULL: it may be one for ARMv6-M. */
const char *pb_image_arm_arch(const struct pb_image_symbols *symbols);

#endif
