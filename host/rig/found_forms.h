/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of the rigs that a search has found. Each returns 0 or a negative code, with errno.
 */
#ifndef PB_RIG_FOUND_FORMS_H
#define PB_RIG_FOUND_FORMS_H

#include "host/rig/rig_tty.h"
#include "host/usb/chips.h"

#include <stdio.h>

struct pb_rigs_found {
    struct pb_chips chips;
    struct pb_tty_ports ports;
};
int pb_rigs_found_text(FILE *out, const struct pb_rigs_found *found);
int pb_rigs_found_json(FILE *out, const struct pb_rigs_found *found);

#endif
