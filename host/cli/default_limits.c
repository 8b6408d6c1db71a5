/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "phasebench/validation.h"

/* Made of the file by ld (mk/host.mk). */
extern const char _binary_host_production_limits_default_yaml_start[];
extern const char _binary_host_production_limits_default_yaml_end[];

int cli_default_limits(struct pb_limit_set *limits, struct pb_diag *diag)
{
    const char *const text = _binary_host_production_limits_default_yaml_start;
    return pb_limits_parse(limits, "default limits", text,
                           (size_t)(_binary_host_production_limits_default_yaml_end - text), diag);
}
