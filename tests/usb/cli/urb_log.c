/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * To be preloaded before libphasebench-vusb.so: writes down every URB that libusb hands to usbfs and gets
 * back, into the file URB_LOG names, so that a capture of the program can be compared with it. One line each:
 *
 *   S TYPE ENDPOINT LENGTH          submitted
 *   C TYPE ENDPOINT LENGTH STATUS   reaped
 *
 * TYPE is that of usbmon: 2 control, 3 bulk. The length of a control transfer is without its setup packet.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum { CONTROL = 2, BULK = 3 };

static FILE *open_log(void)
{
    static FILE *log;
    const char *path = getenv("URB_LOG");
    if (!log && path)
        log = fopen(path, "a");
    return log;
}

static void write_line(char event, const struct usbdevfs_urb *urb)
{
    const uint8_t *setup = urb->buffer;
    const int control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
    const int asked = control ? setup[6] | setup[7] << 8 : urb->buffer_length;
    FILE *log = open_log();
    if (!log)
        return;
    fprintf(log, "%c %d 0x%02x %d", event, control ? CONTROL : BULK,
            control ? setup[0] & 0x80 : urb->endpoint, event == 'S' ? asked : urb->actual_length);
    if (event == 'C')
        fprintf(log, " %d", urb->status);
    fputc('\n', log);
    fflush(log);
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    static union {
        void *symbol;
        int (*call)(int, unsigned long, ...);
    } real;
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!real.symbol)
        real.symbol = dlsym(RTLD_NEXT, "ioctl");
    if (request == USBDEVFS_SUBMITURB)
        write_line('S', argument);
    const int code = real.call(fd, request, argument);
    const int error = errno;
    if (!code && (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY))
        write_line('C', *(struct usbdevfs_urb **)argument);
    errno = error;
    return code;
}
