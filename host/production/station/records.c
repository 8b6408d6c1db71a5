/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* timegm */
#include "records.h"

#include "serial.h"

#include "host/base/json_text.h"
#include "host/base/room.h"
#include "host/base/utf8.h"

#include "phasebench/history.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STAMP = 16, NUMBERS_MAX = 100, OUTCOME_MAX_BYTES = 16384, HISTORY_LAST = 400 };
enum { HISTORY_MS = 2000 }; /* the page waits meanwhile */

/* ---- time */

static void utc_text(char text[32], time_t seconds)
{
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Begin of the present day at the place of the station. */
static void day_begin(char text[32])
{
    const time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    local.tm_hour = local.tm_min = local.tm_sec = 0;
    local.tm_isdst = -1;
    utc_text(text, mktime(&local));
}

/* ---- the outcome of a validation, in its folder */

static int open_in(int folder, const char *id, const char *name, int flags)
{
    const int inner = openat(folder, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return -1;
    const int fd = openat(inner, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
    const int error = errno;
    struct stat status;
    close(inner);
    errno = error;
    if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

bool station_records_report(const struct station_records *records, const char *id)
{
    const int fd = open_in(records->folder, id, STATION_REPORT, O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Writes a new file in the same directory, then renames it: after a full disk, or the end of the station, the
 * previous file is intact. */
static int save(const struct station_records *records, const struct station_record *record,
                struct pb_diag *diag)
{
    static const char beside[] = STATION_OUTCOME ".new";
    char from[2 * STATION_ID_SIZE], to[2 * STATION_ID_SIZE];
    json_t *object =
        json_pack("{s:o, s:o, s:s, s:s, s:o}", "serial", pb_json_text(record->serial), "operator",
                  pb_json_text(record->operator_name), "started_utc", record->started_utc, "go",
                  pb_go_name(record->go), "look", pb_json_text(record->look));
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    const int fd = open_in(records->folder, record->id, beside, O_WRONLY | O_CREAT | O_TRUNC);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    int failed = !stream || !text || fprintf(stream, "%s\n", text) < 0;
    if (stream)
        failed |= fclose(stream) != 0;
    snprintf(from, sizeof from, "%s/%s", record->id, beside);
    snprintf(to, sizeof to, "%s/" STATION_OUTCOME, record->id);
    failed = failed || renameat(records->folder, from, records->folder, to);
    const int error = text ? errno : ENOMEM;
    if (failed)
        unlinkat(records->folder, from, 0);
    free(text);
    json_decref(object);
    return failed ? pb_fail(diag, PB_ERR_IO, "cannot write %s/%s/" STATION_OUTCOME ": %s; check the disk",
                            records->path, record->id, strerror(error))
                  : PB_OK;
}

static bool take(const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    pb_utf8_clean(out, size, text ? text : "");
    return text != NULL;
}

/* False: the folder has no outcome that the station wrote. */
static bool load(const struct station_records *records, const char *id, struct station_record *record)
{
    static char text[OUTCOME_MAX_BYTES];
    int64_t seconds;
    char go[32] = "";
    *record = (struct station_record){.go = PB_GO_INCOMPLETE};
    const int fd = open_in(records->folder, id, STATION_OUTCOME, O_RDONLY);
    if (fd < 0 || strlen(id) >= sizeof record->id)
        return false;
    const ssize_t length = read(fd, text, sizeof text);
    close(fd);
    json_t *object = length > 0 ? json_loadb(text, (size_t)length, 0, NULL) : NULL;
    bool good = take(object, "serial", record->serial, sizeof record->serial) &&
                take(object, "started_utc", record->started_utc, sizeof record->started_utc) &&
                pb_history_seconds(record->started_utc, &seconds) && take(object, "go", go, sizeof go);
    take(object, "operator", record->operator_name, sizeof record->operator_name);
    take(object, "look", record->look, sizeof record->look);
    json_decref(object);
    int word = PB_GO;
    while (word <= PB_GO_INCOMPLETE && strcmp(go, pb_go_name((enum pb_go)word)))
        word++;
    record->go = (enum pb_go)word;
    snprintf(record->id, sizeof record->id, "%s", id);
    record->report = good && station_records_report(records, id);
    return good && word <= PB_GO_INCOMPLETE;
}

/* ---- the list */

static int append(struct station_records *records, const struct station_record *record)
{
    if (pb_make_room(&records->record, &records->capacity, records->count + 1, sizeof *records->record))
        return PB_ERR_MEMORY;
    records->record[records->count++] = *record;
    return PB_OK;
}

/* The time in the name of a folder, "20261124T032118Z"; NULL: it has none. */
static const char *stamp_in(const char *name)
{
    const char *at = name + strlen(name);
    while (at > name && at[-1] != 'Z')
        at--;
    if (at - name < STAMP || strspn(at - STAMP, "0123456789TZ") < STAMP || at[-STAMP + 8] != 'T')
        return NULL;
    return at - STAMP;
}

static int by_stamp(const void *left, const void *right)
{
    const char *const a = *(char *const *)left, *const b = *(char *const *)right;
    const int time = strncmp(stamp_in(b), stamp_in(a), STAMP);
    return time ? time : strcmp(b, a);
}

/* Names of the folders that can be validations, which the caller frees; -1: no memory, or no folder. */
static long list_folders(int folder, char ***out)
{
    char **name = NULL;
    size_t count = 0, capacity = 0;
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    bool failed = !stream;
    for (struct dirent *entry; !failed && (entry = readdir(stream));) {
        if (*entry->d_name == '.' || !stamp_in(entry->d_name))
            continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            char **grown = realloc(name, capacity * sizeof *grown);
            failed = !grown;
            name = grown ? grown : name;
        }
        if (!failed) {
            name[count] = strdup(entry->d_name);
            failed = !name[count++];
        }
    }
    if (stream)
        closedir(stream);
    *out = name;
    return failed ? -1 : (long)count;
}

/* The newest first, those of one second as they are. */
static void sort_newest(struct station_record *record, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct station_record one = record[i];
        size_t j = i;
        for (; j && strcmp(record[j - 1].started_utc, one.started_utc) < 0; j--)
            record[j] = record[j - 1];
        record[j] = one;
    }
}

static void turn_around(struct station_record *record, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const struct station_record one = record[i];
        record[i] = record[count - 1 - i];
        record[count - 1 - i] = one;
    }
}

/* Reads those of today, and of those before as many as are shown. */
static int read_folders(struct station_records *records, struct pb_diag *diag)
{
    char **name = NULL, today[32];
    struct station_record record;
    const long count = list_folders(records->folder, &name);
    int code = count < 0 ? PB_ERR_MEMORY : PB_OK;
    day_begin(today);
    if (count > 0)
        qsort(name, (size_t)count, sizeof *name, by_stamp);
    for (long i = 0; i < count && !code; i++) {
        if (!load(records, name[i], &record))
            continue;
        if (records->count >= STATION_LAST_MAX && strcmp(record.started_utc, today) < 0)
            break;
        code = append(records, &record);
    }
    for (long i = 0; i < count; i++)
        free(name[i]);
    free(name);
    sort_newest(records->record, records->count); /* as stored, except altered files */
    turn_around(records->record, records->count);
    return code ? pb_fail(diag, code, "no memory for the validations in '%.80s'; give another --out",
                          records->path)
                : PB_OK;
}

int station_records_open(struct station_records *records, const char *path, const char *history,
                         const char *station, struct pb_diag *diag)
{
    *records = (struct station_records){.folder = -1, .path = path, .history = history, .station = station};
    records->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (records->folder < 0 || faccessat(records->folder, ".", W_OK | X_OK, 0))
        return pb_fail(diag, PB_ERR_IO, "cannot write into '%.80s': %s; give another --out", path,
                       strerror(errno));
    int code = read_folders(records, diag);
    if (!code && history) {
        const struct pb_history_target target = {.place = history, .patience_ms = HISTORY_MS};
        struct pb_history_kept kept;
        code = pb_history_try(&target, &kept, diag);
    }
    return code;
}

void station_records_close(struct station_records *records)
{
    free(records->record);
    records->record = NULL;
    records->count = records->capacity = 0;
    if (records->folder >= 0)
        close(records->folder);
    records->folder = -1;
}

/* What the next station shows if this one is ended before the validation. */
static int save_begun(const struct station_records *records, const struct station_record *record,
                      struct pb_diag *diag)
{
    struct station_record begun = *record;
    begun.go = PB_GO_INCOMPLETE;
    snprintf(begun.look, sizeof begun.look, "ended early, with the station; test the unit again");
    return save(records, &begun, diag);
}

int station_records_begin(struct station_records *records, struct station_record *record,
                          struct pb_diag *diag)
{
    utc_text(record->started_utc, time(NULL));
    for (unsigned number = 1; number <= NUMBERS_MAX; number++)
        if (!mkdirat(records->folder, station_id(record->id, record->serial, record->started_utc, number),
                     0777))
            return save_begun(records, record, diag);
        else if (errno != EEXIST)
            break;
    return pb_fail(diag, PB_ERR_IO, "cannot make the folder %.80s/%s: %s; check the disk", records->path,
                   record->id, strerror(errno));
}

int station_records_add(struct station_records *records, const struct station_record *record,
                        struct pb_diag *diag)
{
    if (append(records, record))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu validations; start the station again",
                       records->count);
    return save(records, record, diag);
}

static int open_run_file(const struct station_records *records, const char *id, const char *folder,
                         enum pb_run_file file)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (!*folder || *folder == '.' || folder[strspn(folder, allowed)])
        return -1;
    const int outer = openat(records->folder, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int fd = outer < 0 ? -1 : open_in(outer, folder, pb_run_file_name((int)file), O_RDONLY);
    if (outer >= 0)
        close(outer);
    return fd;
}

int station_records_open_report(const struct station_records *records, const char *id, const char *folder,
                                enum pb_run_file file)
{
    for (size_t i = records->count; i--;) {
        const char *own = records->record[i].id;
        if (!strcmp(own, id))
            return folder ? open_run_file(records, own, folder, file)
                          : open_in(records->folder, own, STATION_REPORT, O_RDONLY);
    }
    return -1;
}

/* ---- the history: a validation may have stored several runs, of several scenarios */

static enum pb_go go_of(enum pb_verdict verdict)
{
    static const enum pb_go go[] = {[PB_VERDICT_PASS] = PB_GO,
                                    [PB_VERDICT_MARGINAL] = PB_GO_MARGINAL,
                                    [PB_VERDICT_FAIL] = PB_NO_GO,
                                    [PB_VERDICT_INCONCLUSIVE] = PB_GO_INCOMPLETE};
    return go[verdict];
}

static int by_unit(const void *left, const void *right)
{
    const struct pb_history_run *a = left, *b = right;
    const int unit = strcmp(a->unit, b->unit), scenario = strcmp(a->scenario, b->scenario);
    return unit ? unit : scenario ? scenario : (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

/* A unit counts if a first pass of it is among the runs; it has passed if it passed in every scenario. */
static void yield_of_runs(struct station_yield *yield, struct pb_history_run *run, size_t count)
{
    bool counts = false, first = true, final = true;
    *yield = (struct station_yield){.units = 0};
    if (count)
        qsort(run, count, sizeof *run, by_unit);
    for (size_t i = 0; i < count; i++) {
        const bool last_of_unit = i + 1 == count || strcmp(run[i].unit, run[i + 1].unit) != 0;
        const bool last = last_of_unit || strcmp(run[i].scenario, run[i + 1].scenario) != 0;
        const bool failed = run[i].verdict == PB_VERDICT_FAIL;
        counts |= run[i].attempt == 1;
        first &= run[i].attempt != 1 || !failed;
        final &= !last || !run[i].attempt || !failed;
        if (!last_of_unit)
            continue;
        yield->units += counts && *run[i].unit;
        yield->first_passed += counts && *run[i].unit && first;
        yield->finally_passed += counts && *run[i].unit && final;
        counts = false;
        first = final = true;
    }
}

static int read_history(const struct station_records *records, struct station_yield *today,
                        struct pb_history_run **last, size_t *lasts, struct pb_diag *diag)
{
    struct pb_history *history;
    struct pb_history_run *run = NULL;
    size_t runs = 0;
    struct pb_history_filter filter = {.station = records->station, .since = records->day_utc};
    int code = pb_history_open(&history, records->history, PB_HISTORY_READ, HISTORY_MS, diag);
    if (!code)
        code = pb_history_runs(history, &filter, &run, &runs, diag);
    if (!code) {
        yield_of_runs(today, run, runs);
        free(run);
        filter.since = NULL;
        filter.limit = HISTORY_LAST;
        code = pb_history_runs(history, &filter, last, lasts, diag);
    }
    pb_history_close(history);
    return code;
}

static bool is_worse(enum pb_verdict verdict, enum pb_verdict than)
{
    static const unsigned char order[] = {[PB_VERDICT_PASS] = 0,
                                          [PB_VERDICT_MARGINAL] = 1,
                                          [PB_VERDICT_INCONCLUSIVE] = 2,
                                          [PB_VERDICT_FAIL] = 3};
    return order[verdict] > order[than];
}

/* Of the newest run of a unit and of the last run of each other scenario, the worst. */
static enum pb_go go_of_unit(const struct pb_history_run *run, size_t newest)
{
    enum pb_verdict worst = run[newest].verdict;
    for (size_t i = newest; i--;) {
        bool counts = !strcmp(run[i].unit, run[newest].unit);
        for (size_t j = i + 1; j <= newest && counts; j++)
            counts = strcmp(run[j].unit, run[i].unit) || strcmp(run[j].scenario, run[i].scenario);
        if (counts && is_worse(run[i].verdict, worst))
            worst = run[i].verdict;
    }
    return go_of(worst);
}

/* Adds the units of the history that no folder here has. */
static size_t add_units(struct station_record *list, size_t count, size_t most,
                        const struct pb_history_run *run, size_t runs)
{
    for (size_t i = runs; i-- && count < most;) {
        bool known = !*run[i].unit || strlen(run[i].unit) >= STATION_SERIAL_SIZE;
        for (size_t j = 0; j < count && !known; j++)
            known = !strcmp(list[j].serial, run[i].unit);
        if (known)
            continue;
        struct station_record *one = &list[count++];
        *one = (struct station_record){.go = go_of_unit(run, i)};
        snprintf(one->serial, sizeof one->serial, "%s", run[i].unit);
        snprintf(one->operator_name, sizeof one->operator_name, "%s", run[i].operator_name);
        snprintf(one->started_utc, sizeof one->started_utc, "%s", run[i].started_utc);
        snprintf(one->look, sizeof one->look, "%s", run[i].verdict == PB_VERDICT_PASS ? "" : run[i].reason);
    }
    return count;
}

int station_records_show(struct station_records *records, struct station_state *state, struct pb_diag *diag)
{
    struct station_record list[2 * STATION_LAST_MAX];
    struct station_yield today = {.units = 0};
    struct pb_history_run *run = NULL;
    size_t runs = 0, count = 0, first = records->count;
    int code = PB_OK;
    day_begin(records->day_utc);
    while (first && strcmp(records->record[first - 1].started_utc, records->day_utc) >= 0)
        first--;
    for (size_t i = records->count; i-- && count < STATION_LAST_MAX;)
        list[count++] = records->record[i];
    if (station_yield_of(&today, records->record + first, records->count - first))
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the yield of %zu validations",
                       records->count - first);
    if (!code && records->history)
        code = read_history(records, &today, &run, &runs, diag);
    count = add_units(list, count, 2 * STATION_LAST_MAX, run, runs);
    free(run);
    sort_newest(list, count);
    station_state_records(state, list, count, &today);
    return code;
}

bool station_records_stale(const struct station_records *records)
{
    char today[32];
    day_begin(today);
    return strcmp(today, records->day_utc) != 0;
}
