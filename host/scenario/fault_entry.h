/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One entry of the list of faults while it is compiled. Private to faults.c and fault_values.c.
 */
#ifndef PB_FAULT_ENTRY_H
#define PB_FAULT_ENTRY_H

#include "compile.h"

#define FAULT(key) PB_KEY_faults_##key
enum { KEYS = FAULT(other) - PB_KEYS_faults + 1 };

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
    unsigned bytes_most; /* each repetition has its own number of bytes, 1 to this; 0: all have that of
                            `fault` */
    int64_t phase_ps, bit_ps, byte_ps, frame_ps; /* rounded down */
};

/* ---- faults.c */

/* `key` is one of the sections faults and other (fault_keys.def). NULL: not given. */
const char *pb_entry_value(const struct pb_fault_entry *entry, enum pb_key_id key);
bool pb_entry_given(const struct pb_fault_entry *entry, enum pb_key_id key);
/* Writes the place of the value for a diagnostic: a place in the file, or an option; returns place->text. */
const char *pb_entry_place(struct pb_place *place, const struct pb_fault_entry *entry, enum pb_key_id key);
#define PB_ENTRY_REJECT(entry, key, ...)                                                                     \
    pb_reject((entry)->reader, pb_entry_place(&(struct pb_place){""}, entry, key), __VA_ARGS__)
#define PB_ENTRY_LACKS(entry, key, ...)                                                                      \
    pb_reject_entry((entry)->reader, pb_entry_place(&(struct pb_place){""}, entry, key), __VA_ARGS__)
/* As pb_read_number. */
int pb_entry_number(const struct pb_fault_entry *entry, enum pb_key_id key, uint64_t least, uint64_t most,
                    uint64_t *value);
/* The address of a node of the scenario. */
int pb_entry_node_index(const struct pb_fault_entry *entry, enum pb_key_id key, unsigned *node_index);

/* ---- fault_values.c: when, how long, by how much; needs kind and place. */
int pb_entry_values(struct pb_fault_entry *entry);

#endif
