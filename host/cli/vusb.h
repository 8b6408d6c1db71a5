/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * --rig vusb: (bench/usb/server/rig.h) of the commands, of which a signal ends the wait. The boards of a
 * hardware map, --rig map:FILE, are of one directory.
 */
#ifndef PHASEBENCH_CLI_VUSB_H
#define PHASEBENCH_CLI_VUSB_H

#include "bench/usb/server/rig.h"
#include "phasebench/device.h"

/* Call first in main: runs the program again, once, if the arguments name a rig vusb:. Returns CLI_PASS, or
 * the exit code of a reported failure. */
int vusb_preload(int argc, char **argv);

/* As pb_vusb_check_url. Returns CLI_PASS, or the exit code of a reported error of --rig. */
int vusb_check_url(const char *url);

struct vusb {
    const char *url; /* for pb_rig_open: the given URL, or an ftdi: */
    struct pb_vusb board;
};
/* As pb_vusb_begin and pb_vusb_end. */
int vusb_begin(struct vusb *vusb, const char *url, const struct pb_scenario *scenario, unsigned timeout_s,
               struct pb_diag *diag);
void vusb_end(struct vusb *vusb);
/* Begins, and opens the core of the rig; a signal ends its waits. Both ends follow, also after a failure:
 * pb_device_close and vusb_end. */
int vusb_open(struct vusb *vusb, struct pb_device **device, const char *url,
              const struct pb_scenario *scenario, struct pb_diag *diag);

#endif
