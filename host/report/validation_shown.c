/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/report/render.h"

#include "phasebench/validation.h"

#include <stdio.h>

struct pb_item_shown pb_item_shown(enum pb_item item, int64_t value)
{
    struct pb_item_shown shown;
    const struct pb_number number = pb_measured(pb_item_unit(item), value);
    snprintf(shown.text, sizeof shown.text, "%s", number.text);
    return shown;
}
