/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/secret.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const char hidden[] = "...";

/* Replaces `length` bytes by as many of "..." as have room. Returns what follows. */
static char *hide(char *from, size_t length)
{
    const size_t kept = length < sizeof hidden - 1 ? length : sizeof hidden - 1;
    memcpy(from, hidden, kept);
    memmove(from + kept, from + length, strlen(from + length) + 1);
    return from + kept;
}

/* A port, or the ports of several hosts, up to the end of its part of a URL. */
static bool is_port(const char *text, size_t length)
{
    const size_t digits = strspn(text, "0123456789,");
    return digits && (digits >= length || strchr("/?", text[digits]));
}

/* The part of a URL after "://", of this length. */
static char *hide_in_url(char *url, size_t length)
{
    size_t at = length, colon = *url == '[' ? strcspn(url, "]") : 0;
    while (at && url[at - 1] != '@')
        at--;
    while (colon < length && url[colon] != ':')
        colon++;
    if (at && colon < at)
        return hide(url + colon + 1, at - 1 - (colon + 1)) + (length - at);
    if (!at && colon < length && !is_port(url + colon + 1, length - colon - 1))
        return hide(url + colon + 1, length - colon - 1);
    return url + length;
}

static bool ends_in(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - text) >= length && !strncasecmp(end - length, word, length);
}

void pb_hide_passwords(char *text)
{
    for (char *at = text; (at = strstr(at, "://"));) {
        const bool server = ends_in(text, at, "postgres") || ends_in(text, at, "postgresql");
        at += strlen("://");
        if (server)
            at = hide_in_url(at, strcspn(at, " '\""));
    }
    for (char *at = text; (at = strchr(at, '='));) {
        const char *name = at;
        while (name > text && name[-1] == ' ')
            name--;
        at++;
        if (!ends_in(text, name, "password"))
            continue;
        at += strspn(at, " ");
        if (*at == '\'') /* a connection string quotes a value that has blanks */
            at++;
        at = hide(at, strcspn(at, " '\"&"));
    }
}
