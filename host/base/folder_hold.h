/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lock of a folder that a process writes to. The folder itself is locked, so no file remains after any end of
 * the process. The kernel's list of locks names the holder.
 */
#ifndef PB_BASE_FOLDER_HOLD_H
#define PB_BASE_FOLDER_HOLD_H

/* Holds an existing folder until the process ends. A process that was forked holds what its parent holds.
 * Returns 0; EWOULDBLOCK: another process holds it, *holder (0: unknown, as it is in another container); or
 * ENOMEM. Without locks of folders in the file system nothing is held. */
int pb_folder_hold(const char *directory, long *holder);
/* The other process that holds the folder; 0: none. */
long pb_folder_holder(const char *directory);

#endif
