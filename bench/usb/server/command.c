/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The operations of usbfs on a device other than transfers: the owners of its interfaces. The error numbers
 * are those of the kernel (drivers/usb/core/devio.c).
 */
#include "bench/usb/server/board.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <string.h>

enum {
    SERIAL_BYTES = 2 + 2 * FT2232H_STRING_CHARS,
    IDENTITY_BYTES = FT2232H_DESCRIPTOR_BYTES + SERIAL_BYTES
};

static const char usbfs[] = "usbfs", ftdi_sio[] = "ftdi_sio";

/* A closed file no longer owns its interfaces, even if its connection was not checked yet. */
static void drop_closed(struct board *board, unsigned interface)
{
    struct connection *owner = board->owner[interface];
    struct pollfd hung_up = {.fd = owner ? owner->fd : -1};
    if (!owner || poll(&hung_up, 1, 0) != 1)
        return;
    urbs_cancel(owner, -1);
    board->owner[interface] = NULL;
}

/* NULL: none. */
static const char *driver_of(struct board *board, unsigned interface)
{
    if (interface >= FT2232H_CHANNELS)
        return NULL;
    drop_closed(board, interface);
    return board->owner[interface] ? usbfs : board->driver[interface] ? ftdi_sio : NULL;
}

static int claim(struct connection *connection, unsigned interface)
{
    struct board *board = connection->board;
    if (interface >= FT2232H_CHANNELS)
        return -ENOENT;
    if (board->owner[interface] == connection)
        return 0;
    if (driver_of(board, interface))
        return -EBUSY;
    board->owner[interface] = connection;
    return 0;
}

static int release(struct connection *connection, unsigned interface)
{
    struct board *board = connection->board;
    if (interface >= FT2232H_CHANNELS)
        return -ENOENT;
    if (board->owner[interface] != connection)
        return -EINVAL;
    urbs_cancel(connection, (int)interface);
    board->owner[interface] = NULL;
    return 0;
}

/* Takes the interface from its owner, a driver or a connection. */
static int disconnect(struct board *board, unsigned interface)
{
    if (!driver_of(board, interface))
        return -ENODATA;
    if (board->owner[interface])
        return release(board->owner[interface], interface);
    board->driver[interface] = false;
    return 0;
}

/* The kernel searches a driver for an interface without one. Returns 1 if it finds one. */
static int connect_driver(struct board *board, unsigned interface)
{
    if (driver_of(board, interface))
        return -EBUSY;
    board->driver[interface] = board->faults.kernel_driver;
    return board->driver[interface];
}

static int disconnect_claim(struct connection *connection, const struct vusb_command *command)
{
    struct board *board = connection->board;
    const char *driver = driver_of(board, command->interface);
    if (command->interface >= FT2232H_CHANNELS)
        return -EINVAL;
    if (driver) {
        const bool same = !strncmp(command->driver, driver, sizeof command->driver);
        if (((command->argument & USBDEVFS_DISCONNECT_CLAIM_IF_DRIVER) && !same) ||
            ((command->argument & USBDEVFS_DISCONNECT_CLAIM_EXCEPT_DRIVER) && same))
            return -EBUSY;
        disconnect(board, command->interface);
    }
    return claim(connection, command->interface);
}

static int set_configuration(struct board *board, unsigned configuration)
{
    const struct ft2232h_setup setup = {.request = 9, .value = (uint16_t)configuration};
    for (unsigned i = 0; i < FT2232H_CHANNELS; i++)
        if (driver_of(board, i))
            return -EBUSY;
    return ft2232h_control(board->chip, &setup, NULL) < 0 ? -EINVAL : 0;
}

static int clear_halt(struct connection *connection, unsigned endpoint)
{
    const struct ft2232h_setup setup = {.type = 0x02, .request = 1, .index = (uint16_t)endpoint};
    const unsigned number = endpoint & 0x0f;
    if (number < 1 || number > 2 * FT2232H_CHANNELS || (number & 1) != !!(endpoint & 0x80))
        return -ENOENT;
    const int code = claim(connection, (number - 1) / 2);
    return code ? code : ft2232h_control(connection->board->chip, &setup, NULL);
}

/* Writes the data by which the kernel recognises the same device: its descriptors and serial number. */
static size_t identify(const struct board *board, uint8_t bytes[IDENTITY_BYTES])
{
    const struct ft2232h_setup serial = {
        .type = 0x80, .request = 6, .value = 0x0303, .index = 0x0409, .length = SERIAL_BYTES};
    const size_t count = ft2232h_descriptors(board->chip, bytes);
    const int more = ft2232h_control(board->chip, &serial, bytes + count);
    return count + (more > 0 ? (size_t)more : 0);
}

/* Bus reset. If the memory was rewritten, the board returns as another device. */
static int reset(struct board *board)
{
    uint8_t before[IDENTITY_BYTES], after[IDENTITY_BYTES];
    const struct ft2232h_setup configure = {.request = 9, .value = 1};
    const size_t size = identify(board, before);
    for (struct connection *at = board->connections; at; at = at->next)
        urbs_cancel(at, -1);
    ft2232h_reset(board->chip);
    ft2232h_control(board->chip, &configure, NULL);
    if (identify(board, after) == size && !memcmp(before, after, size))
        return 0;
    board->leaving = board->returning = true;
    return -ENODEV;
}

static int set_interface(const struct connection *connection, unsigned interface, unsigned setting)
{
    if (interface >= FT2232H_CHANNELS || setting)
        return -EINVAL;
    return connection->board->owner[interface] == connection ? 0 : -EBUSY;
}

void command_answer(struct connection *connection, const struct vusb_command *command,
                    struct vusb_answer *answer)
{
    struct board *board = connection->board;
    const char *driver = driver_of(board, command->interface);
    memset(answer, 0, sizeof *answer);
    switch (command->kind) {
    case VUSB_CLAIM:
        answer->result = claim(connection, command->interface);
        break;
    case VUSB_RELEASE:
        answer->result = release(connection, command->interface);
        break;
    case VUSB_GET_DRIVER:
        answer->result = driver ? 0 : -ENODATA;
        if (driver)
            strcpy(answer->driver, driver);
        break;
    case VUSB_DISCONNECT:
        answer->result =
            command->interface < FT2232H_CHANNELS ? disconnect(board, command->interface) : -EINVAL;
        break;
    case VUSB_CONNECT:
        answer->result =
            command->interface < FT2232H_CHANNELS ? connect_driver(board, command->interface) : -EINVAL;
        break;
    case VUSB_DISCONNECT_CLAIM:
        answer->result = disconnect_claim(connection, command);
        break;
    case VUSB_SET_CONFIGURATION:
        answer->result = set_configuration(board, command->argument);
        break;
    case VUSB_SET_INTERFACE:
        answer->result = set_interface(connection, command->interface, command->argument);
        break;
    case VUSB_CLEAR_HALT:
        answer->result = clear_halt(connection, command->argument);
        break;
    case VUSB_RESET:
        answer->result = reset(board);
        break;
    case VUSB_DISCARD:
        answer->result = urb_discard(connection, command->id);
        break;
    default:
        answer->result = -ENOTTY;
    }
}
