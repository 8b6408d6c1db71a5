/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "host/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *text)
{
    for (size_t left = strlen(text); left;) {
        const ssize_t count = write(file, text, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        text += count;
        left -= (size_t)count;
    }
    return fsync(file) == 0 || errno == EINVAL; /* a file system may not know it, nor a pipe */
}

/* Closes the file, too. */
static int write_text(int file, const char *text)
{
    int error = write_all(file, text) ? 0 : errno;
    if (close(file) && !error)
        error = errno;
    return error;
}

int pb_whole_file_write(const char *path, const char *text)
{
    char target[PATH_MAX], beside[PATH_MAX + 32];
    struct stat status;
    mode_t mode = 0666;
    bool direct = false;
    if (!stat(path, &status)) {
        /* A pipe has no path, so /dev/stdout leads to none that could be replaced. */
        mode = status.st_mode & 0777;
        direct = !S_ISREG(status.st_mode) || !realpath(path, target);
    } else if (errno != ENOENT) {
        return errno;
    } else {
        direct = !lstat(path, &status); /* a link to a file that is not there yet */
        *target = '\0';
    }
    if (direct || !*target) {
        if (strlen(path) >= sizeof target)
            return ENAMETOOLONG;
        strcpy(target, path);
    }
    snprintf(beside, sizeof beside, "%s.%ld", target, (long)getpid());
    /* A file without a path, as a deleted one, is written in place, too: nothing old stays behind. */
    const int file = direct ? open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
                            : open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0)
        return errno;
    int error = write_text(file, text);
    if (!direct && !error && rename(beside, target))
        error = errno;
    if (!direct && error)
        unlink(beside);
    return error;
}

void pb_drop_empty_file(const char *path)
{
    struct stat status;
    char *const real = realpath(path, NULL);
    if (real && stat(real, &status) == 0 && S_ISREG(status.st_mode) && !status.st_size)
        unlink(real);
    free(real);
}
