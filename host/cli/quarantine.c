/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "quarantine.h"

#include "cli.h"
#include "host/scenario/nearest_word.h"
#include "host/scenario/text_file.h"
#include "host/scenario/yaml_lines.h"

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

static int copy(const char *path, const struct pb_outline_entry *at, char *out, size_t size)
{
    if (at->kind != PB_OUTLINE_SCALAR || !at->length || strpbrk(at->text, "\n\r\t"))
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s:%u: %s is no single line of text; write one value", path, at->line,
                        at->key);
    if (at->length >= size)
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s:%u: %s has %zu bytes; at most %zu are possible, shorten it", path,
                        at->line, at->key, at->length, size - 1);
    memcpy(out, at->text, at->length + 1);
    return CLI_PASS;
}

static int check(const struct quarantine *list, const char *today)
{
    const struct quarantine_entry *own = &list->entry[list->count];
    if (!*own->name || !*own->reason || !*own->until)
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s:%u: the entry has no %s; write {case: NAME, reason: TEXT, until: "
                        "2026-12-31}",
                        list->path, own->line, !*own->name ? "case" : !*own->reason ? "reason" : "until");
    if (!is_date(own->until))
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s:%u: until of %.60s is '%.20s'; write a date, as 2026-12-31",
                        list->path, own->line, own->name, own->until);
    if (strcmp(own->until, today) < 0)
        return cli_fail(
            CLI_BAD_SCENARIO,
            "--quarantine: %s:%u: the quarantine of %.60s expired on %s; repair the case, or give it "
            "another date",
            list->path, own->line, own->name, own->until);
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->entry[i].name, own->name))
            return cli_fail(CLI_BAD_SCENARIO,
                            "--quarantine: %s:%u: %.60s is already listed in line %u; remove one", list->path,
                            own->line, own->name, list->entry[i].line);
    return CLI_PASS;
}

static int read_entry(struct quarantine *list, const struct pb_outline *outline, size_t mapping)
{
    enum { CASE, REASON, UNTIL, KEYS };
    static const char *const key[KEYS] = {"case", "reason", "until"};
    struct quarantine_entry *own = &list->entry[list->count];
    own->line = outline->entry[mapping].line;
    if (outline->entry[mapping].kind != PB_OUTLINE_MAPPING)
        return cli_fail(
            CLI_BAD_SCENARIO,
            "--quarantine: %s:%u: no mapping; write {case: NAME, reason: TEXT, until: 2026-12-31}",
            list->path, own->line);
    for (size_t i = mapping + 1; i < outline->count; i++) {
        const struct pb_outline_entry *at = &outline->entry[i];
        size_t which = 0;
        if (at->parent != mapping)
            continue;
        while (which < KEYS && strcmp(key[which], at->key))
            which++;
        if (which == KEYS)
            return cli_fail(
                CLI_BAD_SCENARIO,
                "--quarantine: %s:%u: unknown key '%.40s'; did you mean '%s'? There are case, reason and "
                "until",
                list->path, at->line, at->key, pb_nearest(at->key, key, KEYS));
        const int exit_code = which == CASE     ? copy(list->path, at, own->name, sizeof own->name)
                              : which == REASON ? copy(list->path, at, own->reason, sizeof own->reason)
                                                : copy(list->path, at, own->until, sizeof own->until);
        if (exit_code != CLI_PASS)
            return exit_code;
    }
    return CLI_PASS;
}

static int read_entries(struct quarantine *list, const struct pb_outline *outline, const char *today)
{
    const struct pb_outline_entry *top = &outline->entry[0];
    if (!outline->count)
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s: is empty; write one entry for each case behind '- ', or leave "
                        "--quarantine out",
                        list->path);
    if (top->kind != PB_OUTLINE_SEQUENCE || !top->length || top->length > ENTRIES_MAX)
        return cli_fail(CLI_BAD_SCENARIO,
                        "--quarantine: %s:%u: no list of 1 to %d cases; write one entry for each behind '- '",
                        list->path, top->line, ENTRIES_MAX);
    list->entry = calloc(top->length, sizeof *list->entry);
    if (!list->entry)
        return cli_fail(CLI_BENCH_FAILED, "no memory for a quarantine of %zu cases", top->length);
    for (size_t i = 1; i < outline->count; i++) {
        if (outline->entry[i].parent)
            continue;
        int exit_code = read_entry(list, outline, i);
        if (exit_code == CLI_PASS)
            exit_code = check(list, today);
        if (exit_code != CLI_PASS)
            return exit_code;
        list->count++;
    }
    return CLI_PASS;
}

int quarantine_open(struct quarantine *list, const char *path, const char *today)
{
    struct pb_outline outline = {.entry = NULL};
    struct pb_diag diag;
    char *text = NULL;
    size_t length;
    *list = (struct quarantine){.path = path};
    int code = pb_text_read(&text, &length, path, &diag);
    if (!code)
        code = pb_outline_read(&outline, path, text, length, &diag);
    const int exit_code = code ? cli_fail(pb_error_exit_code(code), "--quarantine: %s", diag.text)
                               : read_entries(list, &outline, today);
    pb_outline_free(&outline);
    free(text);
    if (exit_code != CLI_PASS)
        quarantine_close(list);
    return exit_code;
}

int quarantine_open_now(struct quarantine *list, const char *path)
{
    char today[PB_CASE_DATE_SIZE] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(today, sizeof today, "%Y-%m-%d", &utc))
        return cli_fail(CLI_BENCH_FAILED, "--quarantine: this computer has no date; set its clock");
    return quarantine_open(list, path, today);
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
                          const struct pb_suite *suite, const char *const *also, size_t also_count)
{
    const char **names = calloc(suite->count + also_count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < suite->count; i++)
        names[count++] = suite->one[i].name;
    for (size_t i = 0; names && i < also_count; i++)
        names[count++] = also[i];
    const char *nearest = count ? pb_nearest(entry->name, names, count) : "";
    const int exit_code =
        cli_fail(CLI_BAD_SCENARIO,
                 "--quarantine: %s:%u: no case has the name '%.60s'; did you mean '%.60s'? Remove "
                 "an entry of a case that is gone",
                 list->path, entry->line, entry->name, nearest);
    free(names);
    return exit_code;
}

int quarantine_apply(const struct quarantine *list, struct pb_suite *suite, const char *const *group,
                     const char *const *also, size_t also_count)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct quarantine_entry *entry = &list->entry[i];
        bool known = put_in(entry, suite, group);
        for (size_t k = 0; k < also_count && !known; k++)
            known = !strcmp(also[k], entry->name);
        if (!known)
            return refuse_unknown(list, entry, suite, also, also_count);
    }
    return CLI_PASS;
}
