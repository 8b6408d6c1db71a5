/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The levels of pins over time, as files of a logic analyser: one scalar for each pin, as its readers take no
 * vectors. VCD is in whole nanoseconds, as such a reader makes a sample of each unit of time; FST in
 * picoseconds.
 */
#ifndef PB_RIG_PIN_DUMP_H
#define PB_RIG_PIN_DUMP_H

#include <stdbool.h>
#include <stdint.h>

struct pb_pin_dump;

/* Release with pb_pin_dump_free. Returns 0 or PB_ERR_MEMORY, as the following until a file is written. */
int pb_pin_dump_open(struct pb_pin_dump **out);
/* Adds a pin with its level before all changes; its number counts from 0. */
int pb_pin_dump_pin(struct pb_pin_dump *dump, const char *name, bool high);
/* Changes in any order; of two at one instant the later call is the last level. */
int pb_pin_dump_change(struct pb_pin_dump *dump, unsigned pin, int64_t at_ps, bool high);

/* Writes from one instant to another, both >= 0; changes before it decide the first level, those after it are
 * left out. 0 or PB_ERR_IO. */
int pb_pin_dump_vcd(struct pb_pin_dump *dump, const char *path, int64_t from_ps, int64_t to_ps);
int pb_pin_dump_fst(struct pb_pin_dump *dump, const char *path, int64_t from_ps, int64_t to_ps);
void pb_pin_dump_free(struct pb_pin_dump *dump); /* NULL: no effect */

#endif
