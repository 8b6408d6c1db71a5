/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#include "host/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *bytes, size_t left)
{
    while (left) {
        const ssize_t count = write(file, bytes, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        bytes += count;
        left -= (size_t)count;
    }
    return fsync(file) == 0 || errno == EINVAL; /* a file system may not know it, nor a pipe */
}

/* Closes the file, too. */
static int write_text(int file, const char *text)
{
    int error = write_all(file, text, strlen(text)) ? 0 : errno;
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

/* ---- a file that was not there */

/* Follows links to the path where a file would be made. */
static int follow_links(char target[PATH_MAX], const char *path)
{
    char link[PATH_MAX], whole[2 * PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    strcpy(target, path);
    for (unsigned links = 0; links < 40; links++) {
        const ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        link[length] = '\0';
        const char *const slash = strrchr(target, '/');
        const int folder = *link != '/' && slash ? (int)(slash - target) + 1 : 0;
        if (snprintf(whole, sizeof whole, "%.*s%s", folder, target, link) >= PATH_MAX)
            return ENAMETOOLONG;
        strcpy(target, whole);
    }
    return ELOOP;
}

/* Opens a file of the same folder that no path leads to, so that nothing of it stays however the process
 * ends; where the file system or the kernel has none, one with a name. */
static int open_beside(const char *target, char beside[PATH_MAX + 32], bool *named)
{
    const char *const slash = strrchr(target, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - target) + 1 : 1, slash ? target : ".");
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    snprintf(beside, PATH_MAX + 32, "/proc/self/fd/%d", file);
    if (file >= 0 && access(beside, F_OK)) {
        close(file);
        file = -1;
    }
    *named = file < 0;
    if (file >= 0)
        return file;
    snprintf(beside, PATH_MAX + 32, "%s.%ld", target, (long)getpid());
    return open(beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* Some file systems have no second name of a file, others no renaming that keeps what is there. */
static int give_name(const char *beside, bool named, const char *target)
{
    if (!linkat(AT_FDCWD, beside, AT_FDCWD, target, AT_SYMLINK_FOLLOW))
        return 0;
    if (!named || errno == EEXIST)
        return errno;
    return renameat2(AT_FDCWD, beside, AT_FDCWD, target, RENAME_NOREPLACE) ? errno : 0;
}

int pb_new_file_write(const char *path, const void *bytes, size_t length)
{
    char target[PATH_MAX], beside[PATH_MAX + 32];
    sigset_t all, before;
    bool named;
    int error = follow_links(target, path);
    if (error)
        return error;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const int file = open_beside(target, beside, &named);
    if (file < 0) {
        error = errno;
    } else {
        error = write_all(file, bytes, length) ? give_name(beside, named, target) : errno;
        if (named)
            unlink(beside);
        close(file);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
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
