/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Overrides the function of libusb, so that control transfers of libftdi1 are recorded
 * (host/usb/transfer_log.h).
 */
#include "host/usb/transfer_log.h"

#include <libusb-1.0/libusb.h>

int LIBUSB_CALL libusb_control_transfer(libusb_device_handle *handle, uint8_t type, uint8_t request,
                                        uint16_t value, uint16_t index, unsigned char *data, uint16_t length,
                                        unsigned timeout)
{
    return pb_tap_control(handle, type, request, value, index, data, length, timeout);
}
