/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * --rig vusb:, a rig ftdi: whose USB is virtual. The program runs itself again with libphasebench-vusb.so
 * preloaded, so that libusb finds the boards of a folder.
 *
 *   vusb:DIR[?OPTIONS]         boards that `phasebench serve --usb DIR` serves; DIR has a '/' in it
 *   vusb:DIR/BOARD[?OPTIONS]   one of them, by its serial number
 *   vusb:[?OPTIONS]            a board of the run's own, with the run's scenario behind it, in a process that
 *                              ends with this one, however that ends
 *
 * Options are those of ftdi:. A board of the run's own takes mode, channel and baud, too, and those of
 * `serve --usb-options`, which ftdi: then does not see.
 */
#ifndef PHASEBENCH_CLI_VUSB_H
#define PHASEBENCH_CLI_VUSB_H

#include "phasebench/scenario.h"

#include <sys/types.h>

#define VUSB_URL_BYTES 512

/* For main, before anything else: when the arguments name a rig vusb:, runs the program again, once. Returns
 * the exit code of a failure, which has been reported, or CLI_PASS. */
int vusb_preload(int argc, char **argv);

/* As pb_rig_check_url, which knows all other rigs; NULL is fine. Returns CLI_PASS, or the exit code after the
 * error of --rig has been reported. */
int vusb_check_url(const char *url);

struct vusb {
    const char *url; /* for pb_rig_open: what was given, or an ftdi: */
    pid_t server;    /* 0: none */
    char mapped[VUSB_URL_BYTES];
};
/* Starts the board of the run's own, if one is asked for; any other URL is left as it is. */
int vusb_begin(struct vusb *vusb, const char *url, const struct pb_scenario *scenario, struct pb_diag *diag);
/* After the transport has been closed. */
void vusb_end(struct vusb *vusb);

#endif
