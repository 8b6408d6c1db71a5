/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock */
#include "host/usb/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *lock_folder(void)
{
    const char *folder = getenv("PHASEBENCH_LOCK_DIR");
    if (folder && *folder)
        return folder;
    return access("/run/lock", W_OK | X_OK) ? "/tmp" : "/run/lock";
}

/* The holder named in the file, or "another process". */
static void read_holder(int file, char *holder, size_t size)
{
    const ssize_t got = pread(file, holder, size - 1, 0);
    holder[got > 0 ? got : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    if (!*holder)
        snprintf(holder, size, "another process");
}

int pb_lock(int *lock, const char *name, struct pb_diag *diag)
{
    char path[512], holder[64];
    const int length = snprintf(path, sizeof path, "%s/phasebench-%s.lock", lock_folder(), name);
    *lock = -1;
    if (length < 0 || (size_t)length >= sizeof path)
        return pb_fail(diag, PB_ERR_IO,
                       "the path of the lock file has %d bytes, %zu are the limit; set PHASEBENCH_LOCK_DIR",
                       length, sizeof path - 1);
    for (char *at = path + strlen(lock_folder()) + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-.", *at))
            *at = '_';
    /* First without O_CREAT, which the kernel may refuse for another user's file in a world-writable
     * directory. O_NOFOLLOW: no redirection by a link. */
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 && errno == ENOENT) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file >= 0)
            fchmod(file, 0666); /* independent of the umask: every user may lock the board */
    }
    if (file < 0)
        return pb_fail(
            diag, PB_ERR_IO,
            "cannot make the lock file '%.200s': %s; set PHASEBENCH_LOCK_DIR to a folder of your own", path,
            strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB)) {
        read_holder(file, holder, sizeof holder);
        close(file);
        return pb_fail(
            diag, PB_ERR_IO,
            "board %.64s is in use by %s, and one host at a time is the limit; wait for it or end it", name,
            holder);
    }
    const int text = snprintf(holder, sizeof holder, "process %ld\n", (long)getpid());
    if (ftruncate(file, 0) || pwrite(file, holder, (size_t)text, 0) != text) {
        const int cause = errno;
        close(file);
        return pb_fail(diag, PB_ERR_IO, "cannot write the lock file '%.200s': %s; make room there", path,
                       strerror(cause));
    }
    *lock = file;
    return PB_OK;
}

void pb_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
