/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the FST files that the simulation writes, with Verilator's reader. That reader checks little and may
 * crash on a corrupt file: call it in a separate process.
 */
#ifndef PB_FST_H
#define PB_FST_H

#include <stdbool.h>
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

#ifdef __cplusplus
}
#endif

#endif
