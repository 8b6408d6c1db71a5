/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads the place of a history: a path, sqlite:PATH, or the URL of a PostgreSQL server. Forms of other
 * programs are refused; else a file of this name would be made, and a password in it shown. So a message
 * quotes such a form only up to its distinguishing character.
 */
#include "store.h"

#include <string.h>
#include <strings.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define WORD LETTERS "0123456789_"
#define BLANKS " \t\r\n"
#define URL_CHARACTERS WORD "-.~:/?#[]@!$&()*+,;=%" /* RFC 3986 without ', which is a quote in texts */
#define FORMS "give a path, sqlite:PATH or postgresql://USER@HOST:PORT/DATABASE"

static const char *const servers[] = {"postgresql:", "postgres:"};

/* The begin of a place which is that of a URL: its length with the ':'; 0: it is none. */
static size_t server_scheme(const char *place, int (*compare)(const char *, const char *, size_t))
{
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++)
        if (!compare(place, servers[i], strlen(servers[i])))
            return strlen(servers[i]);
    return 0;
}

/* True for a path that cannot be mistaken for another form. */
static bool is_plain(const char *place)
{
    return (*place == '/' && place[1] != '/') || !strncmp(place, "./", 2) || !strncmp(place, "../", 3);
}

/* The first WORD= in a place, as in "host=hall dbname=boards", and its end; NULL: it has none. */
static const char *find_setting(const char *place, const char **end_out)
{
    for (const char *at = place; *(at += strspn(at, BLANKS ";"));) {
        const size_t word = strspn(at, WORD), end = word + strspn(at + word, BLANKS);
        if (word && at[end] == '=') {
            *end_out = at + end + 1;
            return at;
        }
        at += strcspn(at, BLANKS ";");
    }
    return NULL;
}

/* A ':' in the first part of a path, or one with an '@' after it, as in "ann:secret@hall/boards". */
static const char *find_colon(const char *place)
{
    const char *const colon = strchr(place, ':');
    return colon && (colon < place + strcspn(place, "/") || strchr(colon, '@')) ? colon : NULL;
}

static int refuse(const char *place, const char *end, const char *cause, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_CONFIG, "history '%.*s...': %s", end - place < 60 ? (int)(end - place) : 60,
                   place, cause);
}

/* Returns NULL if the form of the URL allows its password to be found and removed (host/base/secret.h); else
 * the cause. */
static const char *why_unclear(const char *url)
{
    const char *query = url + strcspn(url, "?");
    if (url[strspn(url, URL_CHARACTERS)])
        return "the URL has a blank, a quote or another character that it cannot hold; give each as %HH, a "
               "blank as %20, ' as %27";
    while (*query) {
        const size_t name = strcspn(query, "=&");
        if (memchr(query, '%', name))
            return "the name of a parameter of the URL has a %HH; give it in letters, as sslmode=require";
        query += strcspn(query, "&");
        query += *query == '&';
    }
    return NULL;
}

int pb_place_read(const char *place, const char **path, struct pb_diag *diag)
{
    static const char file[] = "sqlite:";
    const size_t scheme = server_scheme(place, strncmp), similar = server_scheme(place, strncasecmp);
    *path = NULL;
    if (scheme && !strncmp(place + scheme, "//", 2)) {
        const char *cause = why_unclear(place + scheme + 2);
        return cause ? refuse(place, place + scheme + 2, cause, diag) : PB_OK;
    }
    if (similar)
        return refuse(place, place + similar,
                      scheme ? "the URL lacks // after its scheme; give postgresql://USER@HOST:PORT/DATABASE"
                             : "the scheme of the URL has capital letters; give "
                               "postgresql://USER@HOST:PORT/DATABASE",
                      diag);
    if (!strncmp(place, file, strlen(file))) {
        *path = place + strlen(file);
        return **path && strncmp(*path, "//", 2)
                   ? PB_OK
                   : refuse(place, *path,
                            **path ? "is no URL; give sqlite:PATH without //, as sqlite:/srv/line.db"
                                   : "names no file; give sqlite:PATH, as sqlite:line.db",
                            diag);
    }
    *path = place;
    if (!*place)
        return pb_fail(diag, PB_ERR_CONFIG, "history '': names nothing; " FORMS);
    if (is_plain(place))
        return PB_OK;
    const char *end, *const setting = find_setting(place, &end), *const colon = find_colon(place);
    if (setting)
        return refuse(setting, end,
                      "is a connection string, and this form is not taken; " FORMS ", or ./NAME for a file "
                      "with '='",
                      diag);
    if (colon)
        return refuse(place, colon + 1,
                      "is no form of a place; " FORMS ", or ./NAME for a file with ':'", diag);
    return PB_OK;
}

int pb_history_check_place(const char *place, struct pb_diag *diag)
{
    const char *path;
    char name[PB_SERVER_NAME_SIZE];
    const int code = pb_place_read(place, &path, diag);
    return code || path ? code : pb_store_postgres_name(name, place, diag);
}
