/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <string.h>

/* X(symbol that ld makes of the path, path in the URL, type, open) */
#define FILES(X)                                                                                             \
    X(station_html, "/", "text/html; charset=utf-8", false)                                                  \
    X(login_html, "/login", "text/html; charset=utf-8", true)                                                \
    X(station_css, "/station.css", "text/css; charset=utf-8", true)                                          \
    X(station_js, "/station.js", "text/javascript; charset=utf-8", false)                                    \
    X(login_js, "/login.js", "text/javascript; charset=utf-8", true)                                         \
    X(icon_svg, "/icon.svg", "image/svg+xml", true)

/* Made of the files by ld (mk/host.mk). */
#define START(symbol) _binary_host_production_station_page_##symbol##_start
#define END(symbol) _binary_host_production_station_page_##symbol##_end
#define DECLARE(symbol, path, type, open) extern const char START(symbol)[], END(symbol)[];
FILES(DECLARE)
#undef DECLARE

const struct station_file *station_file(const char *path)
{
    static struct station_file file;
#define MATCH(symbol, own_path, own_type, own_open)                                                          \
    if (!strcmp(path, own_path)) {                                                                           \
        const size_t size = (size_t)(END(symbol) - START(symbol));                                           \
        file = (struct station_file){own_path, own_type, START(symbol), size, own_open};                     \
        return &file;                                                                                        \
    }
    FILES(MATCH)
#undef MATCH
    return NULL;
}
