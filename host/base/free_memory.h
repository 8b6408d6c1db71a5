/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_FREE_MEMORY_H
#define PB_BASE_FREE_MEMORY_H

#include <stdint.h>

/* Bytes of memory that programs can still take on this computer. */
uint64_t pb_free_memory(void);

#endif
