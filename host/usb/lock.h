/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One host at a time has a board: a lock file that names its holder. The kernel takes the lock away when the
 * holder ends, however it ends, so a lock is never stale.
 */
#ifndef PHASEBENCH_LOCK_H
#define PHASEBENCH_LOCK_H

#include "phasebench/error.h"

/* Locks the board of that name (letters, digits, - and . of it are used) and stores a descriptor for
 * pb_unlock. The file is phasebench-NAME.lock in $PHASEBENCH_LOCK_DIR, or else /run/lock, or else /tmp; it
 * stays when the lock has gone. Does not wait. PB_ERR_IO: another process has the board (the sentence names
 * it), or the file cannot be made. */
int pb_lock(int *lock, const char *name, struct pb_diag *diag);
void pb_unlock(int lock); /* -1 is fine */

#endif
