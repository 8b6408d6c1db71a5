/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_ROOM_H
#define PB_BASE_ROOM_H

#include <stddef.h>

/* Makes *array, elements of this size that *capacity counts, hold `count` of them; it grows by doubling.
 * PB_OK, or PB_ERR_MEMORY with the array as it was. */
int pb_make_room(void *array, size_t *capacity, size_t count, size_t size);

#endif
