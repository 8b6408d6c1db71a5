/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "host/usb/transfer_log.h"
#include "host/record/format.h"

#include <dlfcn.h>
#include <errno.h>
#include <libusb-1.0/libusb.h>

enum { DESCRIPTOR_MS = 1000, DEVICE_BYTES = 18, CONFIGURATION_BYTES = 255 };

static struct pb_tap *taps;

/* ---- bulk */

static struct pb_urb describe(const struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer)
{
    return (struct pb_urb){.id = id,
                           .transfer = PB_URB_BULK,
                           .endpoint = transfer->endpoint,
                           .device = tap->address,
                           .bus = tap->bus};
}

void pb_tap_submit(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer)
{
    struct pb_urb urb = describe(tap, id, transfer);
    urb.event = PB_URB_SUBMIT;
    urb.length = (uint32_t)transfer->length;
    if (!(transfer->endpoint & LIBUSB_ENDPOINT_IN)) {
        urb.data = transfer->buffer;
        urb.data_bytes = urb.length;
    }
    pb_recorder_urb(tap->recorder, &urb);
}

/* The errno with which Linux ends a transfer, for an error code of libusb. */
static int32_t errno_of(int code)
{
    switch (code) {
    case 0:
        return 0;
    case LIBUSB_ERROR_TIMEOUT:
        return -ENOENT; /* cancelled by libusb */
    case LIBUSB_ERROR_PIPE:
        return -EPIPE;
    case LIBUSB_ERROR_NO_DEVICE:
        return -ESHUTDOWN;
    case LIBUSB_ERROR_OVERFLOW:
        return -EOVERFLOW;
    case LIBUSB_ERROR_NO_MEM:
        return -ENOMEM;
    default:
        return -EPROTO;
    }
}

void pb_tap_refused(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer, int code)
{
    struct pb_urb urb = describe(tap, id, transfer);
    urb.event = PB_URB_ERROR;
    urb.status = errno_of(code);
    pb_recorder_urb(tap->recorder, &urb);
}

static int code_of(enum libusb_transfer_status status)
{
    switch (status) {
    case LIBUSB_TRANSFER_COMPLETED:
        return 0;
    case LIBUSB_TRANSFER_TIMED_OUT:
    case LIBUSB_TRANSFER_CANCELLED:
        return LIBUSB_ERROR_TIMEOUT;
    case LIBUSB_TRANSFER_STALL:
        return LIBUSB_ERROR_PIPE;
    case LIBUSB_TRANSFER_NO_DEVICE:
        return LIBUSB_ERROR_NO_DEVICE;
    case LIBUSB_TRANSFER_OVERFLOW:
        return LIBUSB_ERROR_OVERFLOW;
    default:
        return LIBUSB_ERROR_IO;
    }
}

void pb_tap_complete(struct pb_tap *tap, unsigned id, const struct libusb_transfer *transfer)
{
    struct pb_urb urb = describe(tap, id, transfer);
    urb.event = PB_URB_COMPLETE;
    urb.status = errno_of(code_of(transfer->status));
    urb.length = (uint32_t)transfer->actual_length;
    if (transfer->endpoint & LIBUSB_ENDPOINT_IN) {
        urb.data = transfer->buffer;
        urb.data_bytes = urb.length;
    }
    pb_recorder_urb(tap->recorder, &urb);
}

/* ---- control */

static struct pb_tap *find(libusb_device_handle *handle)
{
    struct pb_tap *tap = taps;
    while (tap && tap->device != libusb_get_device(handle))
        tap = tap->next;
    return tap;
}

static void tell_control(struct pb_tap *tap, const uint8_t setup[PB_URB_SETUP_BYTES], const uint8_t *data,
                         bool ended, int result)
{
    const bool in = setup[0] & LIBUSB_ENDPOINT_IN;
    struct pb_urb urb = {.id = tap->last_id,
                         .event = ended ? PB_URB_COMPLETE : PB_URB_SUBMIT,
                         .transfer = PB_URB_CONTROL,
                         .endpoint = in ? LIBUSB_ENDPOINT_IN : 0,
                         .device = tap->address,
                         .bus = tap->bus,
                         .status = result < 0 ? errno_of(result) : 0,
                         .length = (uint32_t)(result < 0 ? 0 : result)};
    if (!ended)
        urb.setup = setup;
    if (ended == in) {
        urb.data = data;
        urb.data_bytes = urb.length;
    }
    pb_recorder_urb(tap->recorder, &urb);
}

typedef int control_function(libusb_device_handle *, uint8_t, uint8_t, uint16_t, uint16_t, unsigned char *,
                             uint16_t, unsigned);

int pb_tap_control(libusb_device_handle *handle, uint8_t type, uint8_t request, uint16_t value,
                   uint16_t index, unsigned char *data, uint16_t length, unsigned timeout)
{
    static union {
        void *symbol;
        control_function *call;
    } real;
    uint8_t setup[PB_URB_SETUP_BYTES] = {type, request};
    if (!real.symbol)
        real.symbol = dlsym(RTLD_NEXT, "libusb_control_transfer");
    if (!real.symbol)
        return LIBUSB_ERROR_NOT_SUPPORTED; /* static libusb */
    struct pb_tap *tap = find(handle);
    if (!tap)
        return real.call(handle, type, request, value, index, data, length, timeout);
    pb_put16(setup + 2, value);
    pb_put16(setup + 4, index);
    pb_put16(setup + 6, length);
    tap->last_id++;
    tell_control(tap, setup, data, false, length);
    const int result = real.call(handle, type, request, value, index, data, length, timeout);
    tell_control(tap, setup, data, true, result);
    return result;
}

/* ---- opening */

static void ask_descriptors(libusb_device *device)
{
    libusb_device_handle *handle;
    uint8_t bytes[CONFIGURATION_BYTES];
    if (libusb_open(device, &handle))
        return; /* the next call to open it reports the cause */
    const struct {
        uint8_t type;
        uint16_t length;
    } ask[] = {{LIBUSB_DT_DEVICE, DEVICE_BYTES}, {LIBUSB_DT_CONFIG, CONFIGURATION_BYTES}};
    for (unsigned i = 0; i < 2; i++)
        pb_tap_control(handle, LIBUSB_ENDPOINT_IN, LIBUSB_REQUEST_GET_DESCRIPTOR,
                       (uint16_t)(ask[i].type << 8), 0, bytes, ask[i].length, DESCRIPTOR_MS);
    libusb_close(handle);
}

void pb_tap_open(struct pb_tap *tap, struct pb_recorder *recorder, libusb_device *device)
{
    *tap = (struct pb_tap){.recorder = NULL};
    if (!pb_recorder_takes_urbs(recorder))
        return;
    tap->recorder = recorder;
    tap->device = libusb_ref_device(device);
    tap->bus = libusb_get_bus_number(device);
    tap->address = libusb_get_device_address(device);
    tap->last_id = PB_TAP_BULK_IDS;
    tap->next = taps;
    taps = tap;
    ask_descriptors(device);
}

void pb_tap_close(struct pb_tap *tap)
{
    struct pb_tap **at = &taps;
    if (!tap->device)
        return;
    while (*at != tap)
        at = &(*at)->next;
    *at = tap->next;
    libusb_unref_device(tap->device);
    *tap = (struct pb_tap){.recorder = NULL};
}
