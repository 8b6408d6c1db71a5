/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the two parts of the generator: genregs.c (registers, pb_regfile) and genlayout.c (layouts and
 * numbers). Both read regs.def. refuse() reports the first invalid row and ends the program.
 */
#ifndef GENREGS_H
#define GENREGS_H

#include <stdint.h>

/* FIELD, PART or SPARE, in the order of regs.def. */
struct field {
    int line;
    const char *owner, *name; /* register or layout; name NULL: spare bits */
    unsigned lsb, width;
    const char *text;
};

/* Returns the first row of an owner (last NULL) or the row after `last`; NULL: no more. */
const struct field *next_field(const char *owner, const struct field *last);

/* Refuses rows of `owner` that overlap, leave a gap, are wider than 32 bits or end beyond bit `bits` - 1.
 * Hashes them and returns the number of their bits. */
unsigned check_fields(const char *owner, int line, unsigned bits);

_Noreturn void refuse(int line, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hash_string(const char *text);
void hash_number(uint32_t value);
void lower(char *out, const char *in);

/* ---- genlayout.c */
int is_layout(const char *name);
void check_and_hash_layouts(void);
void print_c_layouts(void);
void print_vh_fields(const char *owner); /* ranges, and a macro that packs a word */
void print_vh_layouts(void);
void print_md_layouts(void);
void print_protocol(void); /* copies stdin to stdout and regenerates its marked tables */

#endif
