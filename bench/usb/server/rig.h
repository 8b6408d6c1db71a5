/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig vusb:, a rig ftdi: whose USB is virtual. The program runs itself again with libphasebench-vusb.so
 * preloaded, so that libusb finds the boards of a directory.
 *
 *   vusb:DIR[?OPTIONS]         boards that `phasebench serve --usb DIR` serves; DIR has a '/' in it
 *   vusb:DIR/BOARD[?OPTIONS]   one of them, by its serial number
 *   vusb:[?OPTIONS]            a board of the run, with the run's scenario, in a process that ends with this
 *                              process
 *
 * Options are those of ftdi:. The board of a run also takes mode, channel, baud, and the options of
 * `serve --usb-options`, which are not passed to ftdi:.
 */
#ifndef PB_VUSB_RIG_H
#define PB_VUSB_RIG_H

#include "phasebench/scenario.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define PB_VUSB_URL_BYTES 512

/* Call first in main, if the rig will be this URL of kind vusb:: runs
 * the program again, once, with these arguments. Returns 0 in that second run; else PB_ERR_IO. */
int pb_vusb_preload(const char *url, char **argv, struct pb_diag *diag);

/* True of a virtual board that the run starts for itself; NULL: false. */
bool pb_vusb_is_private(const char *url);

/* As pb_rig_check_url, and for vusb:; NULL: valid. */
int pb_vusb_check_url(const char *url, struct pb_diag *diag);

/* Copies the folder of a rig vusb:DIR or vusb:DIR/BOARD; "" for one of a run's own. False: another rig. */
bool pb_vusb_folder(const char *url, char *folder, size_t size);

struct pb_vusb {
    const char *url; /* for pb_rig_open: the given URL, or an ftdi: */
    const volatile sig_atomic_t *stop; /* in: non-zero ends the wait for the board; NULL: never */
    pid_t server;                      /* 0: none */
    char mapped[PB_VUSB_URL_BYTES];
};
/* Starts the board of the run, if requested; any other URL is unchanged. timeout_s: limit of the run,
 * after which the board waits for no process of a node; 0: none. PB_ERR_CONFIG: a node refuses the
 * scenario. */
int pb_vusb_begin(struct pb_vusb *vusb, const char *url, const struct pb_scenario *scenario,
                  unsigned timeout_s, struct pb_diag *diag);
/* Ends a wait of the board for the process of a node, and then the board. For a signal handler. */
void pb_vusb_interrupt(void);
/* Ends the board; call it after the transport is closed. */
void pb_vusb_end(struct pb_vusb *vusb);

#endif
