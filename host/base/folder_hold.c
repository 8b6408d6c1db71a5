/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock, major, minor */
#include "host/base/folder_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The directories that this process, or the one that forked it, holds until it ends. */
static struct held {
    dev_t device;
    ino_t inode;
} *held;
static size_t held_count;

static bool is_held(const struct stat *status)
{
    for (size_t i = 0; i < held_count; i++)
        if (held[i].device == status->st_dev && held[i].inode == status->st_ino)
            return true;
    return false;
}

/* The process that holds the lock, by /proc/locks; 0: unknown, as it is in another container. */
static long holder_of(const struct stat *status)
{
    char line[256];
    long found = 0;
    FILE *list = fopen("/proc/locks", "re");
    while (list && !found && fgets(line, sizeof line, list)) {
        unsigned device_major, device_minor;
        unsigned long long inode;
        long pid;
        if (sscanf(line, "%*u: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &device_major, &device_minor, &inode) ==
                4 &&
            device_major == major(status->st_dev) && device_minor == minor(status->st_dev) &&
            inode == status->st_ino)
            found = pid;
    }
    if (list)
        fclose(list);
    return found;
}

long pb_folder_holder(const char *directory)
{
    struct stat status;
    return stat(directory, &status) || is_held(&status) ? 0 : holder_of(&status);
}

int pb_folder_hold(const char *directory, long *holder)
{
    struct stat status;
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return 0; /* what is written into it says why not */
    if (fstat(file, &status) || is_held(&status)) {
        close(file);
        return 0;
    }
    if (flock(file, LOCK_EX | LOCK_NB)) {
        const bool taken = errno == EWOULDBLOCK; /* else the file system has no locks of directories */
        close(file);
        *holder = taken ? holder_of(&status) : 0;
        return taken ? EWOULDBLOCK : 0;
    }
    struct held *more = realloc(held, (held_count + 1) * sizeof *held);
    if (!more) {
        close(file);
        return ENOMEM;
    }
    held = more;
    held[held_count++] = (struct held){status.st_dev, status.st_ino};
    return 0; /* the descriptor stays open */
}
