/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/fault_units.h"

#include "phasebench/fault.h"
#include "rtl/proto/gen/pb_regs.h"

#include <stdio.h>

bool pb_core_injects(const struct pb_device_info *info, unsigned kind)
{
    if (pb_fault_info(kind)->place == PB_FAULT_ON_FRAME)
        return true;
    const bool follows_a_line = kind == PB_FAULT_SHORT || kind == PB_FAULT_SLOW_RISE;
    return info->faults && (info->fault_feedback || !follows_a_line);
}

void pb_core_faults_text(char *text, size_t size, const struct pb_device_info *info)
{
    if (!info->faults)
        snprintf(text, size, "no fault units: only faults of slot frames");
    else
        snprintf(text, size, "%u fault unit%s: all kinds%s", info->faults, info->faults == 1 ? "" : "s",
                 info->fault_feedback ? "" : " but short and slow_rise");
}
