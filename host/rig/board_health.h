/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a user of boards needs of this computer: chips on USB and serial ports that open and are free, room
 * for reports. Each function hands over its findings as lines, with the remedy.
 */
#ifndef PB_RIG_BOARD_HEALTH_H
#define PB_RIG_BOARD_HEALTH_H

enum pb_health_kind { PB_HEALTH_OK, PB_HEALTH_WARN, PB_HEALTH_FAIL };

struct pb_health {
    void (*line)(void *context, enum pb_health_kind kind, const char *what, const char *text);
    void *context;
};

void pb_health_usb(const struct pb_health *lines);
void pb_health_ports(const struct pb_health *lines);
/* Of the disk that this directory is on. */
void pb_health_disk(const struct pb_health *lines, const char *directory);

#endif
