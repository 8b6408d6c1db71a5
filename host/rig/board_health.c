/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "board_health.h"

#include "host/usb/chips.h"
#include "host/usb/eeprom.h"
#include "host/usb/lock.h"
#include "host/rig/rig_tty.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DISK_WARN_MIB 100

static void line(const struct pb_health *lines, enum pb_health_kind kind, const char *what,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
static void line(const struct pb_health *lines, enum pb_health_kind kind, const char *what,
                 const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lines->line(lines->context, kind, what, text);
}

static void check_eeprom(const struct pb_health *lines, const struct pb_chip *chip)
{
    struct pb_eeprom eeprom;
    if (!pb_eeprom_look(&eeprom, chip))
        line(lines, PB_HEALTH_WARN, "eeprom", "%s: cannot be read; plug the board in again",
             pb_chip_label(chip));
    else if (!eeprom.good)
        line(lines, PB_HEALTH_OK, "eeprom",
             "%s: blank or damaged, so every channel is a UART, as --rig ftdi: wants it",
             pb_chip_label(chip));
    else if (chip->channels == 1)
        line(lines, PB_HEALTH_OK, "eeprom", "%s: channel A is %s", pb_chip_label(chip),
             pb_channel_text(eeprom.channel[0]));
    else
        line(lines, PB_HEALTH_OK, "eeprom", "%s: channel A is %s, B %s", pb_chip_label(chip),
             pb_channel_text(eeprom.channel[0]), pb_channel_text(eeprom.channel[1]));
}

static void check_chip(const struct pb_health *lines, const struct pb_chip *chip)
{
    char rule[PB_UDEV_RULE_SIZE];
    struct pb_diag diag;
    int lock;

    if (!chip->accessible && !chip->denied) {
        line(lines, PB_HEALTH_WARN, "usb", "%s (%04x:%04x) at port %s does not open; plug it in again",
             chip->type, chip->vendor, chip->product, chip->port);
        return;
    }
    if (chip->denied) {
        line(lines, PB_HEALTH_WARN, "usb",
             "%s (%04x:%04x) at port %s: no permission; run 'make install', or put %s into "
             "/etc/udev/rules.d/70-phasebench.rules, then 'udevadm control --reload', and plug it in again",
             chip->type, chip->vendor, chip->product, chip->port, pb_udev_rule(rule, chip));
        return;
    }
    if (chip->silent) {
        line(lines, PB_HEALTH_WARN, "usb",
             "%s (%04x:%04x) at port %s is silent: it opens, but does not answer; plug it in again",
             chip->type, chip->vendor, chip->product, chip->port);
        return;
    }
    line(lines, PB_HEALTH_OK, "usb", "%s (%04x:%04x) %s at port %s can be opened", chip->type, chip->vendor,
         chip->product, pb_chip_label(chip), chip->port);
    for (unsigned channel = 0; channel < chip->channels; channel++)
        if (chip->kernel_driver[channel])
            line(lines, PB_HEALTH_OK, "driver",
                 "%s: the kernel's ftdi_sio has channel %c; a run takes it and gives it back",
                 pb_chip_label(chip), 'A' + channel);
    check_eeprom(lines, chip);
    if (pb_lock(&lock, chip->port, &diag))
        line(lines, PB_HEALTH_WARN, "lock", "%s", diag.text);
    else
        pb_unlock(lock);
}

void pb_health_usb(const struct pb_health *lines)
{
    struct pb_chips chips;

    pb_chips_find(&chips);
    if (*chips.problem)
        line(lines, PB_HEALTH_WARN, "usb", "%s; only needed for boards: is /dev/bus/usb there?",
             chips.problem);
    else if (!chips.count)
        line(lines, PB_HEALTH_OK, "usb",
             "searched; no FTDI chip (0403:6010, :6011, :6014) found, none is needed for sim:");
    for (unsigned i = 0; i < chips.count; i++)
        check_chip(lines, &chips.chip[i]);
}

void pb_health_ports(const struct pb_health *lines)
{
    struct pb_tty_ports ports;
    struct pb_diag diag;
    int lock;

    pb_tty_find(&ports, NULL);
    if (!ports.count)
        line(lines, PB_HEALTH_OK, "serial",
             "searched; no /dev/ttyACM* nor /dev/ttyUSB*, none is needed for sim: and ftdi:");
    for (unsigned i = 0; i < ports.count; i++) {
        const char *path = ports.port[i].path;
        if (!ports.port[i].accessible)
            line(lines, PB_HEALTH_WARN, "serial",
                 "%s: no permission; join the group that 'ls -l %s' names (often dialout), and log in again",
                 path, path);
        else if (pb_lock(&lock, path, &diag))
            line(lines, PB_HEALTH_WARN, "serial", "%s", diag.text);
        else {
            pb_unlock(lock);
            line(lines, PB_HEALTH_OK, "serial", "%s can be opened: --rig tty:%s", path, path);
        }
    }
}

void pb_health_disk(const struct pb_health *lines, const char *directory)
{
    struct statvfs disk;

    if (statvfs(directory, &disk) != 0) {
        line(lines, PB_HEALTH_WARN, "disk", "cannot look at '%s': %s; name a folder that is there with --out",
             directory, strerror(errno));
        return;
    }
    const uintmax_t free_mib = (uintmax_t)disk.f_bavail * disk.f_frsize >> 20;
    if (free_mib < DISK_WARN_MIB)
        line(lines, PB_HEALTH_WARN, "disk",
             "%ju MiB free in '%s', reports with a waveform may need %d; make room or choose another --out",
             free_mib, directory, DISK_WARN_MIB);
    else if (access(directory, W_OK | X_OK) != 0)
        line(lines, PB_HEALTH_WARN, "disk", "cannot write to '%s': %s; choose another folder with --out",
             directory, strerror(errno));
    else
        line(lines, PB_HEALTH_OK, "disk", "%ju MiB free in '%s'", free_mib, directory);
}
