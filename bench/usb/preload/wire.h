/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Messages between the preloaded library (usbfs/) and the server of a board, on one machine with one byte
 * order.
 *
 * A board is a directory: busnum, devnum, speed, bConfigurationValue and descriptors as in sysfs, and the
 * Unix socket `usbfs`. An open device file is a connection to that socket. Its first message, struct
 * vusb_hello, carries one end of a socket pair (SCM_RIGHTS): the command socket. The server answers with an
 * int32_t on the connection: 0, or the negative errno of open.
 *
 * From then on the connection carries transfers only: struct vusb_submit and its bytes to the server, struct
 * vusb_completion and its bytes back, so that it is readable exactly when a transfer can be reaped. The
 * command socket carries struct vusb_command and, for each, struct vusb_answer; the server reads all earlier
 * transfers before a command. When the device is unplugged, or the server ends, both sockets close.
 */
#ifndef PB_VUSB_USBFS_WIRE_H
#define PB_VUSB_USBFS_WIRE_H

#include <stdint.h>

#define VUSB_SOCKET "usbfs"
enum { VUSB_MAGIC = 0x31425350, VUSB_TRANSFER_MAX = 1 << 20, VUSB_DRIVER_BYTES = 256 };

struct vusb_hello {
    uint32_t magic;
    int32_t process;
};

/* `length` bytes follow for a transfer from the host; for a control transfer in either direction the 8 bytes
 * of its setup packet and its data. */
struct vusb_submit {
    uint64_t id; /* unique on the connection */
    uint8_t control, endpoint, reserved[2];
    uint32_t length;
};

/* `actual` bytes follow for a transfer to the host. */
struct vusb_completion {
    uint64_t id;
    int32_t status;
    uint32_t actual, bytes;
};

enum vusb_kind {
    VUSB_CLAIM, /* interface */
    VUSB_RELEASE,
    VUSB_GET_DRIVER,
    VUSB_DISCONNECT,
    VUSB_CONNECT,
    VUSB_DISCONNECT_CLAIM,  /* interface, argument: flags, driver */
    VUSB_SET_CONFIGURATION, /* argument */
    VUSB_SET_INTERFACE,     /* interface, argument: setting */
    VUSB_CLEAR_HALT,        /* argument: endpoint */
    VUSB_RESET,
    VUSB_DISCARD /* id; 0, or -EINVAL: no longer pending. Its completion is sent before the answer */
};
struct vusb_command {
    uint32_t kind, interface, argument, reserved;
    uint64_t id;
    char driver[VUSB_DRIVER_BYTES];
};
struct vusb_answer {
    int32_t result; /* result of ioctl, or a negative errno */
    char driver[VUSB_DRIVER_BYTES];
};

#endif
