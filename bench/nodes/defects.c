/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/defects.h"

#include <string.h>

#define CONTRACT_MOST_PS INT64_C(1000000000000)

const struct pb_defect_info pb_contract_defects[] = {
#define PB_DEFECT_INFO(id, name, sentence, needs, ps, bits, text)                                            \
    {name, sentence, text, needs, ps, bits, CONTRACT_MOST_PS},
    PB_DEFECT_LIST(PB_DEFECT_INFO)
#undef PB_DEFECT_INFO
};

const struct pb_defect_info pb_pin_defects[] = {
#define PB_DEFECT_INFO(id, name, sentence, needs, ps, bits, text)                                            \
    {name, sentence, text, needs, ps, bits, PB_PIN_AMOUNT_MOST_PS},
    PB_PIN_DEFECT_LIST(PB_DEFECT_INFO)
#undef PB_DEFECT_INFO
};

const struct pb_defect_info *pb_defect_infos(unsigned *count)
{
    if (count)
        *count = PB_CONTRACT_DEFECTS - 1;
    return pb_contract_defects;
}

int pb_defect_of_name(const char *name)
{
    if (!strcmp(name, "none"))
        return PB_CONTRACT_SOUND;
    for (unsigned i = 0; i < PB_CONTRACT_DEFECTS - 1; i++)
        if (!strcmp(name, pb_contract_defects[i].name))
            return (int)i + 1;
    return -1;
}
