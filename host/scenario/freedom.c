/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include "bench/nodes/freedoms.h"

#include <string.h>

int pb_read_freedoms(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                     struct pb_scenario_node *node)
{
    struct pb_place place;
    const char *name[PB_FREEDOMS + 3] = {"none", "any", "all"};
    char word[64] = "";
    size_t choice;
    const char *unknown = raw->freedom ? pb_freedoms_read(raw->freedom, &node->freedoms) : NULL;
    if (!unknown)
        return PB_OK;
    strncat(word, unknown, strcspn(unknown, "+") < sizeof word ? strcspn(unknown, "+") : sizeof word - 1);
    for (unsigned i = 0; i < PB_FREEDOMS; i++)
        name[i + 3] = pb_freedoms[i].name;
    pb_place(&place, "nodes", index, "freedom");
    const int code = pb_read_choice(reader, place.text, word, name, PB_FREEDOMS + 3, &choice);
    return code ? code
                : pb_reject(reader, place.text, "'%s' is not one of several; give it alone or leave it out",
                            word);
}
