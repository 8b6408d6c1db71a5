/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/known.h"
#include "phasebench/error.h"

#include <stdlib.h>

/* Where a message is, or the free place that it would take. */
static struct pb_known_message *place_of(const struct pb_known *known, uint64_t message)
{
    size_t at = (size_t)(message * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (known->places - 1);
    while (known->place[at].used && known->place[at].message != message)
        at = (at + 1) & (known->places - 1);
    return &known->place[at];
}

struct pb_known_message *pb_known_find(const struct pb_known *known, uint64_t message)
{
    struct pb_known_message *found = known->places ? place_of(known, message) : NULL;
    return found && found->used ? found : NULL;
}

static bool keep_all(void *context, const struct pb_known_message *message)
{
    (void)context;
    (void)message;
    return true;
}

static int move(struct pb_known *known, size_t places, bool (*keep)(void *, const struct pb_known_message *),
                void *context)
{
    struct pb_known moved = {.place = calloc(places, sizeof *moved.place), .places = places};
    if (!moved.place)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < known->places; i++)
        if (known->place[i].used && keep(context, &known->place[i])) {
            *place_of(&moved, known->place[i].message) = known->place[i];
            moved.count++;
        }
    free(known->place);
    *known = moved;
    return PB_OK;
}

struct pb_known_message *pb_known_add(struct pb_known *known, uint64_t message)
{
    if (2 * known->count >= known->places &&
        move(known, known->places ? 2 * known->places : 64, keep_all, NULL))
        return NULL;
    struct pb_known_message *place = place_of(known, message);
    if (!place->used) {
        *place = (struct pb_known_message){.message = message, .used = true};
        known->count++;
    }
    return place;
}

int pb_known_sweep(struct pb_known *known, bool (*keep)(void *, const struct pb_known_message *),
                   void *context)
{
    return known->places ? move(known, known->places, keep, context) : PB_OK;
}

void pb_known_free(struct pb_known *known)
{
    free(known->place);
    *known = (struct pb_known){0};
}
