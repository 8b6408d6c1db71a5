/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "room.h"
#include "phasebench/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int pb_make_room(void *array, size_t *capacity, size_t count, size_t size)
{
    void *old, *grown;
    size_t wanted = *capacity ? *capacity : 64;

    if (count <= *capacity)
        return PB_OK;
    while (wanted < count)
        wanted *= 2;
    if (wanted > SIZE_MAX / size)
        return PB_ERR_MEMORY;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, wanted * size);
    if (!grown)
        return PB_ERR_MEMORY;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return PB_OK;
}
