/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * ioctl on a device file.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/usbfs.h"
#include "bench/usb/preload/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
    CAPABILITIES = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION |
                   USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_BULK_SCATTER_GATHER |
                   USBDEVFS_CAP_REAP_AFTER_DISCONNECT,
    SPEED_HIGH = 3, /* of enum usb_device_speed */
    INTERFACES_MAX = 32
};

bool command_answered(struct handle *handle, const struct vusb_command *command, struct vusb_answer *answer)
{
    struct vusb_command copy = *command;
    struct iovec part = {&copy, sizeof copy};
    if (handle->gone)
        return false;
    const bool answered =
        server_send(handle->command, &part, 1) && server_receive(handle->command, answer, sizeof *answer);
    if (!answered)
        handle_lose(handle);
    return answered;
}

/* Sends the command and waits for its answer; returns as ioctl does. */
static int order(struct handle *handle, const struct vusb_command *command, struct vusb_answer *answer)
{
    pthread_mutex_lock(&handle->lock);
    const bool answered = command_answered(handle, command, answer);
    pthread_mutex_unlock(&handle->lock);
    if (answered && answer->result >= 0)
        return answer->result;
    errno = answered ? -answer->result : ENODEV;
    return -1;
}

static int simple(struct handle *handle, enum vusb_kind kind, unsigned interface, unsigned argument)
{
    const struct vusb_command command = {.kind = kind, .interface = interface, .argument = argument};
    struct vusb_answer answer;
    return order(handle, &command, &answer);
}

static void note_claim(struct handle *handle, unsigned interface, bool claimed)
{
    pthread_mutex_lock(&handle->lock);
    if (interface < INTERFACES_MAX)
        handle->claimed = (handle->claimed & ~(UINT32_C(1) << interface)) | (uint32_t)claimed << interface;
    pthread_mutex_unlock(&handle->lock);
}

int usbfs_claim(struct handle *handle, unsigned interface)
{
    pthread_mutex_lock(&handle->lock);
    const bool claimed = handle->claimed >> interface & 1;
    pthread_mutex_unlock(&handle->lock);
    if (claimed)
        return 0;
    if (simple(handle, VUSB_CLAIM, interface, 0))
        return -1;
    note_claim(handle, interface, true);
    return 0;
}

static int get_driver(struct handle *handle, struct usbdevfs_getdriver *driver)
{
    const struct vusb_command command = {.kind = VUSB_GET_DRIVER, .interface = driver->interface};
    struct vusb_answer answer;
    if (order(handle, &command, &answer))
        return -1;
    answer.driver[sizeof answer.driver - 1] = '\0';
    strcpy(driver->driver, answer.driver);
    return 0;
}

static int disconnect_claim(struct handle *handle, const struct usbdevfs_disconnect_claim *claim)
{
    struct vusb_command command = {
        .kind = VUSB_DISCONNECT_CLAIM, .interface = claim->interface, .argument = claim->flags};
    struct vusb_answer answer;
    memcpy(command.driver, claim->driver, sizeof command.driver);
    command.driver[sizeof command.driver - 1] = '\0';
    if (order(handle, &command, &answer))
        return -1;
    note_claim(handle, claim->interface, true);
    return 0;
}

static int driver_ioctl(struct handle *handle, const struct usbdevfs_ioctl *ioctl)
{
    if (ioctl->ioctl_code == (int)USBDEVFS_DISCONNECT)
        return simple(handle, VUSB_DISCONNECT, (unsigned)ioctl->ifno, 0);
    if (ioctl->ioctl_code == (int)USBDEVFS_CONNECT)
        return simple(handle, VUSB_CONNECT, (unsigned)ioctl->ifno, 0);
    errno = ENOTTY;
    return -1;
}

int usbfs_ioctl(struct handle *handle, unsigned long request, void *argument)
{
    const unsigned *number = argument;
    int code;
    switch (request) {
    case USBDEVFS_SUBMITURB:
        return urb_submit(handle, argument);
    case USBDEVFS_DISCARDURB:
        return urb_discard(handle, argument);
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
        return urb_reap(handle, argument, request == USBDEVFS_REAPURB);
    case USBDEVFS_GET_CAPABILITIES:
        *(uint32_t *)argument = CAPABILITIES;
        return 0;
    case USBDEVFS_GET_SPEED:
        return SPEED_HIGH;
    case USBDEVFS_CLAIMINTERFACE:
        return usbfs_claim(handle, *number);
    case USBDEVFS_RELEASEINTERFACE:
        code = simple(handle, VUSB_RELEASE, *number, 0);
        if (!code)
            note_claim(handle, *number, false);
        return code;
    case USBDEVFS_GETDRIVER:
        return get_driver(handle, argument);
    case USBDEVFS_IOCTL:
        return driver_ioctl(handle, argument);
    case USBDEVFS_DISCONNECT_CLAIM:
        return disconnect_claim(handle, argument);
    case USBDEVFS_SETCONFIGURATION:
        return simple(handle, VUSB_SET_CONFIGURATION, 0, *number);
    case USBDEVFS_SETINTERFACE: {
        const struct usbdevfs_setinterface *set = argument;
        return simple(handle, VUSB_SET_INTERFACE, set->interface, set->altsetting);
    }
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESETEP:
        return simple(handle, VUSB_CLEAR_HALT, 0, *number);
    case USBDEVFS_RESET:
        return simple(handle, VUSB_RESET, 0, 0);
    default:
        errno = ENOTTY;
        return -1;
    }
}
