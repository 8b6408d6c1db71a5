/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the token of a station comes from: a file that others cannot read, or random bytes.
 */
#ifndef PB_STATION_TOKEN_H
#define PB_STATION_TOKEN_H

#include "access.h"

#define STATION_TOKEN_SIZE (STATION_TOKEN_MOST + 2)

/* PB_ERR_IO: there are no random bytes. */
int station_token_make(char token[STATION_TOKEN_SIZE], struct pb_diag *diag);
/* The first line of the file. PB_ERR_CONFIG: it cannot be read, others may read it, or it is no token. */
int station_token_read(char token[STATION_TOKEN_SIZE], const char *path, struct pb_diag *diag);

#endif
