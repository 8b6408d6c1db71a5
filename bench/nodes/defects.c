/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/defects.h"

#include <string.h>

static const struct pb_defect_info infos[] = {
#define PB_DEFECT_INFO(id, name, sentence, needs, ps, bits, text) {name, sentence, text, needs, ps, bits},
    PB_DEFECT_LIST(PB_DEFECT_INFO)
#undef PB_DEFECT_INFO
};

const struct pb_defect_info *pb_defect_infos(unsigned *count)
{
    if (count)
        *count = sizeof infos / sizeof infos[0];
    return infos;
}

int pb_defect_of_name(const char *name)
{
    if (!strcmp(name, "none"))
        return PB_CONTRACT_SOUND;
    for (unsigned i = 0; i < sizeof infos / sizeof infos[0]; i++)
        if (!strcmp(name, infos[i].name))
            return (int)i + 1;
    return -1;
}
