/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_PROCESS_H
#define PB_BASE_PROCESS_H

#include <sys/types.h>

/* As fork(2), with all signals blocked meanwhile. In the child each signal that had a handler has its default
 * action before it is unblocked. So a signal that arrives between fork and exec, or before the child has
 * handlers of its own, ends the child, and is not lost in a handler of the parent. Ignored signals, handlers
 * of faults (those of a sanitizer) and the mask stay as they are. Every fork of host and bench uses it. */
pid_t pb_fork(void);

#endif
