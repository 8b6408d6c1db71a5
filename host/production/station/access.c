/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* s6_addr32 of IN6_IS_ADDR_V4MAPPED */
#include "access.h"

#include "phasebench/number.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HTTP_PORT = 80, PORT_MOST = 65535 };

/* ---- addresses */

static bool read_port(const char *text, uint16_t *port)
{
    uint64_t number;
    if (!pb_parse_number(text, strlen(text), &number) || number > PORT_MOST)
        return false;
    *port = htons((uint16_t)number);
    return true;
}

static bool read_ipv4(struct station_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&address->socket;
    in->sin_family = AF_INET;
    in->sin_port = port;
    address->length = sizeof *in;
    if (inet_pton(AF_INET, strcasecmp(host, "localhost") ? host : "127.0.0.1", &in->sin_addr) != 1)
        return false;
    address->loopback = ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return true;
}

static bool read_ipv6(struct station_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->socket;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = port;
    address->length = sizeof *in6;
    if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
        return false;
    address->loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
    return true;
}

int station_address_read(struct station_address *address, const char *text, struct pb_diag *diag)
{
    char host[INET6_ADDRSTRLEN + 1];
    const char *colon = strrchr(text, ':');
    const bool bracket = *text == '[' && colon && colon > text && colon[-1] == ']';
    const size_t length = colon ? (size_t)(colon - text) - 2 * bracket : 0;
    uint16_t port;
    bool good = colon && length && length < sizeof host && read_port(colon + 1, &port);
    *address = (struct station_address){.length = 0};
    if (good) {
        snprintf(host, sizeof host, "%.*s", (int)length, text + bracket);
        good = bracket ? read_ipv6(address, host, port) : read_ipv4(address, host, port);
    }
    return good ? PB_OK
                : pb_fail(
                      diag, PB_ERR_ARGUMENT,
                      "--listen is '%.60s'; give ADDRESS:PORT with a numeric address and a port of 0 to %d, "
                      "as 127.0.0.1:8080 or [::1]:8080",
                      text, PORT_MOST);
}

const char *station_address_text(char text[STATION_HOST_SIZE], const struct sockaddr *socket)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)socket;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)socket;
    char host[INET6_ADDRSTRLEN] = "";
    if (socket->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
        inet_ntop(AF_INET, in6->sin6_addr.s6_addr + 12, host, sizeof host);
        snprintf(text, STATION_HOST_SIZE, "%s:%u", host, ntohs(in6->sin6_port));
    } else if (socket->sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        snprintf(text, STATION_HOST_SIZE, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        snprintf(text, STATION_HOST_SIZE, "%s:%u", host, ntohs(in->sin_port));
    }
    return text;
}

/* ---- names */

#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static bool name_valid(const char *name)
{
    const size_t letters = strspn(name, ALPHANUMERIC "-.");
    uint16_t port;
    return letters && strchr("-.", *name) == NULL &&
           (!name[letters] || (name[letters] == ':' && read_port(name + letters + 1, &port)));
}

int station_names_check(const char *names, struct pb_diag *diag)
{
    char name[STATION_HOST_SIZE];
    const char *at = names;
    while (at) {
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (length >= sizeof name || !name_valid(name))
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "--name has '%.60s'; give names of this computer as URLs have them, NAME or "
                           "NAME:PORT, separated by commas",
                           name);
        at = at[length] ? at + length + 1 : NULL;
    }
    return PB_OK;
}

/* `host` is `name`, which has a port or gets the one of the server. */
static bool same_host(const char *host, const char *name, size_t length, const char *port)
{
    char whole[2 * STATION_HOST_SIZE];
    snprintf(whole, sizeof whole, "%.*s", (int)length, name);
    if (!strcasecmp(host, whole) && (strchr(whole, ':') || !strcmp(port, "80")))
        return true;
    snprintf(whole, sizeof whole, "%.*s:%s", (int)length, name, port);
    return !strcasecmp(host, whole);
}

bool station_host_allowed(const struct station_access *access, const char *host, const char *local)
{
    if (!host || strlen(host) >= STATION_HOST_SIZE)
        return false;
    const char *colon = strrchr(local, ':'), *port = colon + 1;
    /* The address itself: no name, so nothing can be bound to it anew. A browser leaves port 80 out. */
    if (!strcasecmp(host, local) ||
        (!strcmp(port, "80") && strlen(host) == (size_t)(colon - local) &&
         !strncasecmp(host, local, (size_t)(colon - local))))
        return true;
    const bool loopback = !strncmp(local, "127.", 4) || !strncmp(local, "[::1]", 5);
    if (loopback && same_host(host, "localhost", strlen("localhost"), port))
        return true;
    for (const char *name = access->names; name && *name;) {
        const size_t length = strcspn(name, ",");
        if (same_host(host, name, length, port))
            return true;
        name += length + (name[length] == ',');
    }
    return false;
}

bool station_origin_allowed(const char *origin, const char *host)
{
    if (!origin || !host)
        return false;
    const char *rest = !strncmp(origin, "http://", 7)    ? origin + 7
                       : !strncmp(origin, "https://", 8) ? origin + 8
                                                         : NULL;
    return rest && !strcasecmp(rest, host);
}

bool station_type_allowed(const char *type)
{
    static const char json[] = "application/json";
    if (!type || strncasecmp(type, json, sizeof json - 1))
        return false;
    type += sizeof json - 1;
    type += strspn(type, " \t");
    return !*type || *type == ';';
}

/* ---- token */

bool station_token_valid(const char *text)
{
    const size_t length = strlen(text);
    return length >= STATION_TOKEN_LEAST && length <= STATION_TOKEN_MOST &&
           strspn(text, ALPHANUMERIC "._~-") == length;
}

bool station_token_allowed(const struct station_access *access, const char *text)
{
    unsigned char given[STATION_TOKEN_MOST] = {0}, right[STATION_TOKEN_MOST] = {0};
    if (!access->token)
        return true;
    if (!text || strlen(text) > sizeof given)
        return false;
    memcpy(given, text, strlen(text));
    memcpy(right, access->token, strlen(access->token));
    volatile unsigned differ = strlen(text) != strlen(access->token);
    for (size_t i = 0; i < sizeof right; i++)
        differ |= (unsigned)(given[i] ^ right[i]);
    return !differ;
}
