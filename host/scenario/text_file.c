/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_open(int file, char **text, size_t *length, const char *path, struct pb_diag *diag)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: cannot be read: %s; check the disk", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: is a directory; name a file in it", path);
    if (!S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: is not a regular file; save its content to a file first",
                       path);
    if ((uintmax_t)status.st_size > PB_TEXT_BYTES_MAX)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: has %jd bytes, at most %zu are read; split it or check the path", path,
                       (intmax_t)status.st_size, PB_TEXT_BYTES_MAX);

    size_t size = (size_t)status.st_size, used = 0;
    char *buffer = malloc(size + 1);
    if (!buffer)
        return pb_fail(diag, PB_ERR_MEMORY, "%s: no memory for %zu bytes; close other programs", path, size);
    while (used < size) {
        ssize_t got = read(file, buffer + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int cause = errno;
            free(buffer);
            return pb_fail(diag, PB_ERR_CONFIG, "%s: cannot be read: %s; check the disk", path,
                           strerror(cause));
        }
        if (got == 0)
            break; /* another program shortened the file meanwhile: use its present content */
        used += (size_t)got;
    }
    buffer[used] = '\0';
    *text = buffer;
    *length = used;
    return PB_OK;
}

int pb_text_read(char **text, size_t *length, const char *path, struct pb_diag *diag)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: cannot be opened: %s; check path and permissions", path,
                       strerror(errno));
    int code = read_open(file, text, length, path, diag);
    close(file);
    return code;
}
