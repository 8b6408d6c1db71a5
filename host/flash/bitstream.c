/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bitstream.h"

#include "host/usb/eeprom.h"
#include "host/usb/lock.h"

#include <errno.h>
#include <libusb-1.0/libusb.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define NAME(name, ...) name,
#define TRAITS(name, ...) {__VA_ARGS__},
const char *const pb_flash_boards[PB_FLASH_BOARDS] = {PB_FLASH_BOARD_LIST(NAME)};
const struct pb_flash_traits pb_flash_traits[PB_FLASH_BOARDS] = {PB_FLASH_BOARD_LIST(TRAITS)};

static bool is_there(const char *program)
{
    char path[512];
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        const int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, program);
        if (size > 0 && (size_t)size < sizeof path && access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* Names the chip by its place on the bus, as a serial number may be missing. */
bool pb_flash_compose(struct pb_flash_command *command, unsigned board, const char *file,
                      const struct pb_chip *chip)
{
    if (is_there("iceprog")) {
        snprintf(command->device, sizeof command->device, "d:%03u/%03u", chip->bus, chip->address);
        const char *const argument[] = {"iceprog", "-d", command->device, file, NULL};
        memcpy(command->argument, argument, sizeof argument);
        return true;
    }
    if (is_there("openFPGALoader")) {
        snprintf(command->device, sizeof command->device, "%u:%u", chip->bus, chip->address);
        const char *const argument[] = {"openFPGALoader",
                                        "-b",
                                        pb_flash_traits[board].loader,
                                        "--busdev-num",
                                        command->device,
                                        "-f",
                                        file,
                                        NULL};
        memcpy(command->argument, argument, sizeof argument);
        return true;
    }
    return false;
}

bool pb_flash_is_bitstream(const char *bytes, size_t size)
{
    static const char preamble[] = {0x7e, (char)0xaa, (char)0x99, 0x7e};
    bool found = false;
    for (size_t at = 0; !found && at + sizeof preamble <= size && at < PB_FLASH_PREAMBLE_LIMIT; at++)
        found = !memcmp(bytes + at, preamble, sizeof preamble);
    return found;
}

int pb_flash_find_chip(struct pb_chip *chip, const struct pb_chip_choice *choice, struct pb_diag *diag)
{
    libusb_context *context;
    libusb_device *device;
    const int error = libusb_init(&context);
    if (error)
        return pb_fail(diag, PB_ERR_IO, "libusb cannot start: %s", libusb_strerror(error));
    const int code = pb_chip_choose(context, choice, chip, &device, diag);
    if (!code)
        libusb_unref_device(device);
    libusb_exit(context);
    return code;
}

/* With port B a FIFO, TXE# is low where the bitstream for the UART drives UART0_RX high, and a solder jumper
 * joins the two without a resistor. A memory that cannot be read decides nothing. */
bool pb_flash_port_b_clashes(unsigned board, const struct pb_chip *chip)
{
    struct pb_eeprom eeprom;
    return pb_flash_traits[board].jumpers && pb_eeprom_look(&eeprom, chip) &&
           eeprom.channel[1] == PB_CHANNEL_FIFO;
}

int pb_flash_execute(const struct pb_flash_command *command, const struct pb_chip *chip, struct pb_diag *diag)
{
    pid_t child;
    int lock, status;
    /* posix_spawn takes non-const pointers, and does not write to them. */
    union {
        const char *const *in;
        char *const *out;
    } argument = {command->argument};
    const int code = pb_lock(&lock, chip->port, diag);
    if (code)
        return code;
    const int error = posix_spawnp(&child, command->argument[0], NULL, NULL, argument.out, environ);
    if (error) {
        pb_unlock(lock);
        return pb_fail(diag, PB_ERR_IO, "cannot run %s: %s", command->argument[0], strerror(error));
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    pb_unlock(lock);
    if (WIFSIGNALED(status))
        return pb_fail(diag, PB_ERR_IO,
                       "%s was ended by signal %d; the flash may be half written, do it again",
                       command->argument[0], WTERMSIG(status));
    if (WEXITSTATUS(status))
        return pb_fail(diag, PB_ERR_IO, "%s failed with exit code %d; its messages are above",
                       command->argument[0], WEXITSTATUS(status));
    return PB_OK;
}
