/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Packets of the GDB remote serial protocol: "Debugging with GDB", appendix E.1.
 */
#ifndef PB_MCU_GDB_PACKET_H
#define PB_MCU_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PB_GDB_PACKET_MAX = 4096 }; /* bytes of content, in both directions */

struct pb_gdb_input { /* all zero: between two packets */
    char text[PB_GDB_PACKET_MAX + 1];
    size_t length;
    enum pb_gdb_place { PB_GDB_BETWEEN, PB_GDB_CONTENT, PB_GDB_SUM_HIGH, PB_GDB_SUM_LOW } place;
    uint8_t sum, given;
    bool escaped, spoilt;
};

enum pb_gdb_event {
    PB_GDB_NOTHING,
    PB_GDB_PACKET,   /* text has its content, with length and a final NUL */
    PB_GDB_DAMAGED,  /* wrong check sum, or longer than PB_GDB_PACKET_MAX */
    PB_GDB_INTERRUPT /* Ctrl-C */
};

/* Takes one byte from the client. Acknowledgements and bytes between packets are nothing. */
enum pb_gdb_event pb_gdb_take(struct pb_gdb_input *input, uint8_t byte);

/* Frames a reply of at most PB_GDB_PACKET_MAX bytes, without characters that must be escaped. Returns the
 * length. */
size_t pb_gdb_frame(char out[PB_GDB_PACKET_MAX + 5], const char *text);

/* Value of a digit; -1: it is none. */
int pb_gdb_digit(char c);
/* Reads a hexadecimal number of at most 8 digits and moves *at past it. False: there is none. */
bool pb_gdb_number(const char **at, uint32_t *value);

#endif
