/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * --rig vusb:, a rig ftdi: whose USB is virtual. The program runs itself again with libphasebench-vusb.so
 * preloaded, so that libusb finds the boards of a directory.
 *
 *   vusb:DIR[?OPTIONS]         boards that `phasebench serve --usb DIR` serves; DIR has a '/' in it
 *   vusb:DIR/BOARD[?OPTIONS]   one of them, by its serial number
 *   map:FILE                   boards of a hardware map, which names one DIR
 *   vusb:[?OPTIONS]            a board of the run, with the run's scenario, in a process that ends with this
 *                              process
 *
 * Options are those of ftdi:. The board of a run also takes mode, channel, baud, and the options of
 * `serve --usb-options`, which are not passed to ftdi:.
 */
#ifndef PHASEBENCH_CLI_VUSB_H
#define PHASEBENCH_CLI_VUSB_H

#include "phasebench/scenario.h"

#include <stdbool.h>
#include <sys/types.h>

#define VUSB_URL_BYTES 512

/* Call first in main: runs the program again, once, if the arguments name a rig vusb:. Returns CLI_PASS, or
 * the exit code of a reported failure. */
int vusb_preload(int argc, char **argv);

/* True of a virtual board that the run starts for itself; NULL: false. */
bool vusb_is_private(const char *url);

/* As pb_rig_check_url, and for vusb:; NULL: valid. Returns CLI_PASS, or the exit code of a reported error of
 * --rig. */
int vusb_check_url(const char *url);

/* Copies the folder of a rig vusb:DIR or vusb:DIR/BOARD; "" for one of a run's own. False: another rig. */
bool vusb_folder(const char *url, char *folder, size_t size);

struct vusb {
    const char *url; /* for pb_rig_open: the given URL, or an ftdi: */
    pid_t server;    /* 0: none */
    char mapped[VUSB_URL_BYTES];
};
/* Starts the board of the run, if requested; any other URL is unchanged. timeout_s: limit of the run,
 * after which the board waits for no process of a node; 0: none. PB_ERR_CONFIG: a node refuses the
 * scenario. */
int vusb_begin(struct vusb *vusb, const char *url, const struct pb_scenario *scenario, unsigned timeout_s,
               struct pb_diag *diag);
/* Ends a wait of the board for the process of a node, and then the board. For a signal handler. */
void vusb_interrupt(void);
/* Ends the board; call it after the transport is closed. */
void vusb_end(struct vusb *vusb);

#endif
