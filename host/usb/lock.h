/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lock of a board for one host at a time: a lock file that names its holder. The kernel releases the lock at
 * the end of the process, so a lock is never stale.
 */
#ifndef PHASEBENCH_LOCK_H
#define PHASEBENCH_LOCK_H

#include "phasebench/error.h"

/* Locks the board of that name (its letters, digits, - and .) and stores a descriptor for pb_unlock. The file
 * is phasebench-NAME.lock in $PHASEBENCH_LOCK_DIR, else /run/lock, else /tmp; it remains after the unlock.
 * Does not block. PB_ERR_IO: another process has the board (the diagnostic names it), or an I/O error. */
int pb_lock(int *lock, const char *name, struct pb_diag *diag);
void pb_unlock(int lock); /* -1: no effect */

#endif
