/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_BYTES = 24 };

int station_token_make(char token[STATION_TOKEN_SIZE], struct pb_diag *diag)
{
    unsigned char random[RANDOM_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return pb_fail(diag, PB_ERR_IO, "no random bytes for a token: %s; give --token FILE",
                       strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    return PB_OK;
}

int station_token_read(char token[STATION_TOKEN_SIZE], const char *path, struct pb_diag *diag)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status)) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return pb_fail(diag, PB_ERR_CONFIG,
                       "cannot read the token file '%.80s': %s; give a file, or --token generated", path,
                       strerror(error));
    }
    const ssize_t length = read(fd, token, STATION_TOKEN_SIZE - 1);
    close(fd);
    token[length > 0 ? length : 0] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the token file '%.80s' has mode %o, so others may read it; chmod 600 it", path,
                       (unsigned)status.st_mode & 0777);
    if (!station_token_valid(token))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "the token file '%.80s' has a first line of %zu bytes; give %u to %u of A-Z a-z 0-9 . _ ~ -",
            path, strlen(token), STATION_TOKEN_LEAST, STATION_TOKEN_MOST);
    return PB_OK;
}
