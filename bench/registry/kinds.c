/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/registry/kinds.h"

#include <string.h>

static const struct pb_node_kind kinds[] = {
#define MODEL(kind_name, kind_text, make, ...)                                                               \
    {.name = #kind_name, .text = kind_text, .model = true, __VA_ARGS__},
#define NO_MODEL(kind_name, kind_text, ...) {.name = #kind_name, .text = kind_text, __VA_ARGS__},
#include "bench/registry/kinds.def"
#undef MODEL
#undef NO_MODEL
};

const struct pb_node_kind *pb_node_kinds(unsigned *count)
{
    if (count)
        *count = sizeof kinds / sizeof kinds[0];
    return kinds;
}

const struct pb_node_kind *pb_node_kind_of(const char *name)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

bool pb_node_kind_is_image(const char *name)
{
    return !strcmp(name, "elf");
}
