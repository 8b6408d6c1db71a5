/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the FST files that the simulation writes, and writes others, with Verilator's reader and writer. The
 * reader checks little and may crash on a corrupt file, the writer checks no write: call them in a separate
 * process.
 */
#ifndef PB_FST_H
#define PB_FST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the same signals and values as VCD text (IEEE 1364). False: the file cannot be read. The caller
 * checks the stream for write errors. */
bool pb_fst_to_vcd(const char *fst_path, FILE *vcd);

/* Calls visit for each signal, in the order of the file: its scopes joined by dots (valid during the call),
 * its name without a range, the number of its bits, and whether it has a range. False: the file cannot be
 * read. */
bool pb_fst_signals(const char *fst_path,
                    void (*visit)(void *context, const char *scope, const char *name, unsigned bits,
                                  bool ranged),
                    void *context);

/* Calls visit for each value of the signals that are chosen, in order of time: the number of the choice, the
 * instant in ps, and the value as characters, the highest bit first. chosen: names without a range, in the
 * scope. The first value of each is that at the begin of the file. False: the file cannot be read. */
bool pb_fst_values(const char *fst_path, const char *scope, const char *const *chosen, unsigned count,
                   void (*visit)(void *context, unsigned choice, uint64_t at_ps, const char *value),
                   void *context);

/* A file of scalars in one scope, in ps. NULL: it cannot be made. Times must not fall. */
struct pb_fst_writer;
struct pb_fst_writer *pb_fst_create(const char *path, const char *scope, const char *const *name,
                                    unsigned count);
void pb_fst_time(struct pb_fst_writer *writer, uint64_t at_ps);
void pb_fst_level(struct pb_fst_writer *writer, unsigned signal, bool high);
void pb_fst_close(struct pb_fst_writer *writer); /* NULL: no effect */

#ifdef __cplusplus
}
#endif

#endif
