/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PHASEBENCH_TRACE_H
#define PHASEBENCH_TRACE_H

#include <stdbool.h>

/* The FST file has its header, geometry and hierarchy, and ends where its last block does. Opens it for
 * reading; false, too, when that fails. */
bool pb_fst_is_whole(const char *path);

#endif
