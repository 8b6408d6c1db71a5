/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "quarantine.h"

#include "host/scenario/entries.h"
#include "host/base/nearest_word.h"
#include "host/base/utf8.h"
#include "host/scenario/text_file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ENTRIES_MAX = 1000 };

/* ---- dates */

static bool is_date(const char *text)
{
    static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
        return false;
    for (size_t i = 0; i < 10; i++)
        if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9'))
            return false;
    if (sscanf(text, "%4u-%2u-%2u", &year, &month, &day) != 3 || month < 1 || month > 12 || day < 1 ||
        day > days[month - 1])
        return false;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month != 2 || day != 29 || leap;
}

/* ---- the file */

static int check(const struct pb_entries *reading, const struct pb_outline_entry *at,
                 const struct quarantine *list, const char *today)
{
    const struct quarantine_entry *own = &list->entry[list->count];
    if (!*own->name || !*own->reason || !*own->until)
        return pb_entry_refuse(reading, at,
                               "the entry has no %s; write {case: NAME, reason: TEXT, until: 2026-12-31}",
                               !*own->name     ? "case"
                               : !*own->reason ? "reason"
                                               : "until");
    if (!is_date(own->until))
        return pb_entry_refuse(reading, at, "until of %.60s is '%.20s'; write a date, as 2026-12-31",
                               own->name, own->until);
    if (strcmp(own->until, today) < 0)
        return pb_entry_refuse(
            reading, at, "the quarantine of %.60s expired on %s; repair the case, or give it another date",
            own->name, own->until);
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->entry[i].name, own->name))
            return pb_entry_refuse(reading, at, "%.60s is already listed in line %u; remove one", own->name,
                                   list->entry[i].line);
    return PB_OK;
}

static int read_entry(const struct pb_entries *reading, size_t mapping, struct quarantine_entry *own)
{
    enum { CASE, REASON, UNTIL, KEYS };
    char name[sizeof own->name];
    static const char *const key[KEYS] = {"case", "reason", "until"};
    const struct pb_outline *outline = reading->outline;
    own->line = outline->entry[mapping].line;
    if (outline->entry[mapping].kind != PB_OUTLINE_MAPPING)
        return pb_entry_refuse(reading, &outline->entry[mapping],
                               "no mapping; write {case: NAME, reason: TEXT, until: 2026-12-31}");
    for (size_t i = mapping + 1; i < outline->count; i++) {
        const struct pb_outline_entry *at = &outline->entry[i];
        int code = PB_ERR_CONFIG;
        if (at->parent != mapping)
            continue;
        switch (pb_entry_key(reading, at, "an entry", key, KEYS)) {
        case CASE:
            code = pb_entry_text(reading, at, name, sizeof name);
            if (!code)
                pb_utf8_clean(own->name, sizeof own->name, name); /* as the case is shown */
            break;
        case REASON:
            code = pb_entry_text(reading, at, own->reason, sizeof own->reason);
            break;
        case UNTIL:
            code = pb_entry_text(reading, at, own->until, sizeof own->until);
            break;
        default:
            break;
        }
        if (code)
            return code;
    }
    return PB_OK;
}

static int read_entries(const struct pb_entries *reading, struct quarantine *list, const char *today)
{
    const struct pb_outline *outline = reading->outline;
    const struct pb_outline_entry *top = &outline->entry[0];
    if (!outline->count)
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s: is empty; write one entry for each case behind '- ', or leave --quarantine out",
                       list->path);
    if (top->kind != PB_OUTLINE_SEQUENCE || !top->length || top->length > ENTRIES_MAX)
        return pb_entry_refuse(reading, top, "no list of 1 to %d cases; write one entry for each behind '- '",
                               ENTRIES_MAX);
    list->entry = calloc(top->length, sizeof *list->entry);
    if (!list->entry)
        return pb_fail(reading->diag, PB_ERR_MEMORY, "no memory for a quarantine of %zu cases", top->length);
    for (size_t i = 1; i < outline->count; i++) {
        if (outline->entry[i].parent)
            continue;
        int code = read_entry(reading, i, &list->entry[list->count]);
        if (!code)
            code = check(reading, &outline->entry[i], list, today);
        if (code)
            return code;
        list->count++;
    }
    return PB_OK;
}

/* today: YYYY-MM-DD. */
static int read_list(struct quarantine *list, const char *path, const char *today, struct pb_diag *diag)
{
    struct pb_outline outline = {.entry = NULL};
    struct pb_diag why;
    char *text = NULL;
    size_t length;
    *list = (struct quarantine){.path = path};
    int code = pb_text_read(&text, &length, path, &why);
    if (!code)
        code = pb_outline_read(&outline, path, text, length, &why);
    if (!code)
        code = read_entries(&(struct pb_entries){&outline, path, &why}, list, today);
    pb_outline_free(&outline);
    free(text);
    if (!code)
        return PB_OK;
    quarantine_close(list);
    return pb_fail(diag, code, "--quarantine: %s", why.text);
}

int quarantine_open(struct quarantine *list, const char *path, struct pb_diag *diag)
{
    char today[PB_CASE_DATE_SIZE] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(today, sizeof today, "%Y-%m-%d", &utc))
        return pb_fail(diag, PB_ERR_IO, "--quarantine: this computer has no date; set its clock");
    return read_list(list, path, today, diag);
}

void quarantine_close(struct quarantine *list)
{
    free(list->entry);
    list->entry = NULL;
    list->count = 0;
}

/* ---- cases */

static bool put_in(const struct quarantine_entry *entry, struct pb_suite *suite, const char *const *group)
{
    bool any = false;
    for (size_t i = 0; i < suite->count; i++) {
        struct pb_case *one = &suite->one[i];
        if (strcmp(one->name, entry->name) && !(group && group[i] && !strcmp(group[i], entry->name)))
            continue;
        memcpy(one->quarantine, entry->reason, sizeof one->quarantine);
        memcpy(one->until, entry->until, sizeof one->until);
        any = true;
    }
    return any;
}

static int refuse_unknown(const struct quarantine *list, const struct quarantine_entry *entry,
                          const struct pb_suite *suite, const char *const *also, size_t also_count,
                          struct pb_diag *diag)
{
    const char **names = calloc(suite->count + also_count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < suite->count; i++)
        names[count++] = suite->one[i].name;
    for (size_t i = 0; names && i < also_count; i++)
        names[count++] = also[i];
    char hint[PB_HINT_SIZE];
    const int code =
        pb_fail(diag, PB_ERR_CONFIG,
                "--quarantine: %s:%u: no case has the name '%.60s'%s Remove an entry of a case that is gone",
                list->path, entry->line, entry->name, pb_hint(hint, "", entry->name, names, count, "."));
    free(names);
    return code;
}

int quarantine_apply(const struct quarantine *list, struct pb_suite *suite, const char *const *group,
                     const char *const *also, size_t also_count, struct pb_diag *diag)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct quarantine_entry *entry = &list->entry[i];
        bool known = put_in(entry, suite, group);
        for (size_t k = 0; k < also_count && !known; k++)
            known = !strcmp(also[k], entry->name);
        if (!known)
            return refuse_unknown(list, entry, suite, also, also_count, diag);
    }
    return PB_OK;
}
