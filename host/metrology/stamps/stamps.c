/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "stamps.h"
#include "host/base/room.h"
#include "host/base/table.h"
#include "host/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pb_stamps_add(struct stamps_edges *edges, int64_t time_ps, struct pb_diag *diag)
{
    struct pb_stamps *const stamps = edges->stamps;
    if (stamps->count && time_ps <= stamps->time_ps[stamps->count - 1])
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: stamp %zu at %" PRId64 " ps is not after the one before it at %" PRId64
                       " ps; give the stamps of one channel in the order of time",
                       edges->path, edges->line, stamps->count + 1, time_ps,
                       stamps->time_ps[stamps->count - 1]);
    if (stamps->count == PB_STAMPS_MAX) {
        stamps->left_out++;
        return PB_OK;
    }
    if (pb_make_room(&stamps->time_ps, &edges->capacity, stamps->count + 1, sizeof *stamps->time_ps))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the stamps");
    stamps->time_ps[stamps->count++] = time_ps;
    return PB_OK;
}

int pb_stamps_level(struct stamps_edges *edges, int level, int64_t time_ps, struct pb_diag *diag)
{
    const bool wanted = edges->level == edges->falls && level == !edges->falls;
    edges->level = level;
    return wanted ? pb_stamps_add(edges, time_ps, diag) : PB_OK;
}

void pb_stamps_name(char names[STAMPS_NAMES], const char *name)
{
    static const char more[] = ", ...";
    char clean[64], quoted[sizeof clean + 2];
    const size_t used = strlen(names);
    pb_utf8_clean(clean, sizeof clean, name);
    snprintf(quoted, sizeof quoted, "'%s'", clean);
    if (strstr(names, quoted) || (used && names[used - 1] == '.'))
        return;
    const bool fits = used + strlen(", ") + strlen(quoted) + sizeof more <= STAMPS_NAMES;
    snprintf(names + used, STAMPS_NAMES - used, "%s%s", fits && used ? ", " : "", fits ? quoted : more);
}

/* The first row whose bytes begin the file; the last takes all others. */
static const struct form {
    const char *name, *begin;
    bool has_unit; /* of its times, by the form */
    int (*read)(struct stamps_edges *edges, const struct stamps_source *source, struct pb_diag *diag);
} form[] = {
    {"sigrok session", "PK", true, pb_stamps_from_sigrok},
    {"VCD", "$", true, pb_stamps_from_vcd},
    {"CSV", "", false, pb_stamps_from_table},
};

int pb_stamps_read(struct pb_stamps *stamps, const char *path, const char *text, size_t length,
                   const struct pb_stamps_choice *choice, struct pb_diag *diag)
{
    const size_t mark = pb_table_mark(text, length);
    text += mark;
    length -= mark;
    const struct stamps_source source = {path, text, length, choice};
    struct stamps_edges edges = {.stamps = stamps, .falls = choice->falls, .level = -1, .path = path};
    const struct form *its = form;
    size_t blank = 0;
    while (blank < length && strchr(" \t\r\n", text[blank]) && text[blank])
        blank++;
    while (length - blank < strlen(its->begin) || memcmp(text + blank, its->begin, strlen(its->begin)) != 0)
        its++;
    *stamps = (struct pb_stamps){.form = its->name};
    if (its->has_unit && choice->unit_ps > 0)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: a %s says the unit of its times itself; --time-unit is for a table", path,
                       its->name);
    const int code = its->read(&edges, &source, diag);
    if (code) {
        pb_stamps_free(stamps);
        return code;
    }
    if (choice->step_ps > 0)
        stamps->step_ps = choice->step_ps;
    return PB_OK;
}

void pb_stamps_free(struct pb_stamps *stamps)
{
    free(stamps->time_ps);
    *stamps = (struct pb_stamps){.count = 0};
}
