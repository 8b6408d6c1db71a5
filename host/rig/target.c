/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The scheme of a rig's URL.
 */
#include "phasebench/rig.h"

#include <stdlib.h>
#include <string.h>

static enum pb_rig_kind kind_of(const char *url)
{
    static const struct {
        const char *scheme;
        enum pb_rig_kind kind;
    } kinds[] = {
        {"sim:/", PB_RIG_SERVED}, {"sim:.", PB_RIG_SERVED}, {"sim:", PB_RIG_SIM},
        {"vusb:", PB_RIG_VUSB},   {"ftdi:", PB_RIG_FTDI},   {"tty:", PB_RIG_TTY},
        {"replay:", PB_RIG_REPLAY},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strncmp(url, kinds[i].scheme, strlen(kinds[i].scheme)))
            return kinds[i].kind;
    return PB_RIG_UNKNOWN;
}

struct pb_rig_target pb_rig_target_of(const char *url)
{
    const char *const text = url ? url : "sim:", *const colon = strchr(text, ':');
    const char *const virtual_only = getenv("PHASEBENCH_VUSB_ONLY");
    const enum pb_rig_kind kind = kind_of(text);
    return (struct pb_rig_target){
        .kind = kind,
        .simulates = kind == PB_RIG_SIM || kind == PB_RIG_SERVED || kind == PB_RIG_VUSB ||
                     (kind == PB_RIG_FTDI && virtual_only && *virtual_only),
        .replays = kind == PB_RIG_REPLAY,
        .in_process = kind == PB_RIG_SIM,
        .url = text,
        .place = colon ? colon + 1 : text,
    };
}
