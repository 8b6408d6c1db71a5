/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One entry of the list of faults while it is compiled. Private to faults.c and fault_values.c.
 */
#ifndef PB_FAULT_ENTRY_H
#define PB_FAULT_ENTRY_H

#include "compile.h"

enum pb_fault_key {
    KEY_NODE,
    KEY_DIMENSION,
    KEY_SUPERFRAME,
    KEY_PHASE,
    KEY_AT,
    KEY_LENGTH,
    KEY_AMOUNT,
    KEY_TIME_CONSTANT,
    KEY_PPM,
    KEY_SHAPE,
    KEY_SEED,
    KEY_BYTES,
    KEY_OTHER,
    KEY_REPEAT,
    KEYS,
    /* beyond the table of what a kind takes */
    KEY_KIND = KEYS,
    KEY_OTHER_NODE,
    KEY_OTHER_DIMENSION
};

#define PB_ENTRY_NOT_LISTED SIZE_MAX /* index of a fault that is in no file: its keys are options */

/* One entry while it is compiled. */
struct pb_fault_entry {
    const struct pb_reader *reader;
    const struct pb_fault_text *text;
    size_t index;
    struct pb_scenario *scenario;
    const struct pb_fault_info *info;
    struct pb_fault fault;
    uint64_t repeat;
    int64_t phase_ps, bit_ps, byte_ps, frame_ps; /* rounded down */
};

/* ---- faults.c */

/* NULL: not given. */
const char *pb_entry_value(const struct pb_fault_entry *entry, enum pb_fault_key key);
bool pb_entry_given(const struct pb_fault_entry *entry, enum pb_fault_key key);
/* Where the value stands, for a sentence: a place of the file, or an option; returns place->text. */
const char *pb_entry_place(struct pb_place *place, const struct pb_fault_entry *entry, enum pb_fault_key key);
#define PB_ENTRY_REJECT(entry, key, ...)                                                                     \
    pb_reject((entry)->reader, pb_entry_place(&(struct pb_place){""}, entry, key), __VA_ARGS__)
/* As pb_read_number. */
int pb_entry_number(const struct pb_fault_entry *entry, enum pb_fault_key key, uint64_t least, uint64_t most,
                    uint64_t *value);
/* The address of a node of the scenario. */
int pb_entry_seat(const struct pb_fault_entry *entry, enum pb_fault_key key, unsigned *seat);

/* ---- fault_values.c: when, how long, by how much; needs kind and place. */
int pb_entry_values(struct pb_fault_entry *entry);

#endif
