/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who may use the station: the address to listen on, the names in the Host header, the Origin of a POST, the
 * token. Pure: no I/O.
 */
#ifndef PB_STATION_ACCESS_H
#define PB_STATION_ACCESS_H

#include "phasebench/error.h"

#include <stdbool.h>
#include <sys/socket.h>

#define STATION_TOKEN_LEAST 16u
#define STATION_TOKEN_MOST 128u
#define STATION_HOST_SIZE 300 /* a name of 253 bytes, a colon, a port */

struct station_address {
    struct sockaddr_storage socket;
    socklen_t length;
    bool loopback;
};
/* Reads "127.0.0.1:8080", "[::1]:8080" or "localhost:8080"; port 0 is any free port. Returns 0 or
 * PB_ERR_ARGUMENT. */
int station_address_read(struct station_address *address, const char *text, struct pb_diag *diag);
/* "127.0.0.1:8080" or "[::1]:8080"; returns text. IPv4 in IPv6 is written as IPv4. */
const char *station_address_text(char text[STATION_HOST_SIZE], const struct sockaddr *socket);

struct station_access {
    const char
        *names; /* further names of this computer: NAME or NAME:PORT, separated by commas; NULL: none */
    const char *token; /* each request needs it; NULL: none does */
};

/* Returns 0, or PB_ERR_ARGUMENT: a name that no URL can have. */
int station_names_check(const char *names, struct pb_diag *diag);

/* True if the Host header (NULL: missing) is the local address of the connection, as station_address_text
 * writes it, `localhost` on a loopback address, or one of the names. A page of another name that resolves to
 * this computer is refused (DNS rebinding). */
bool station_host_allowed(const struct station_access *access, const char *host, const char *local);
/* True if the Origin header (NULL: missing) is a page of this very host. */
bool station_origin_allowed(const char *origin, const char *host);
/* True if the Content-Type header (NULL: missing) is application/json, with or without parameters. */
bool station_type_allowed(const char *type);
/* True if the text (NULL: missing) is the token, or none is needed. Takes the same time for each text of a
 * length. */
bool station_token_allowed(const struct station_access *access, const char *text);
/* True if it can be a token: STATION_TOKEN_LEAST to _MOST of A-Z a-z 0-9 . _ ~ - */
bool station_token_valid(const char *text);

#endif
