/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables of measurements that a history takes. Each run that it makes could have been measured.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/production/history/store.h"

#include <string.h>

static unsigned appended;

static int append(struct pb_history *history, const struct pb_history_record *record, bool *added,
                  struct pb_diag *diag)
{
    const struct pb_history_run *run = &record->run;
    int64_t seconds;
    (void)history;
    (void)diag;
    MUST(pb_history_seconds(run->started_utc, &seconds) && strlen(run->started_utc) == 20);
    MUST(*run->key && run->verdict <= PB_VERDICT_INCONCLUSIVE && record->nodes <= 1);
    for (size_t i = 0; i < record->figures; i++) {
        const struct pb_history_figure *figure = &record->figure[i];
        MUST(*figure->id && *figure->unit && *figure->judgement && figure->n > 0 && figure->sd >= 0);
        MUST(figure->min <= figure->mean && figure->mean <= figure->max);
    }
    *added = true;
    appended++;
    return PB_OK;
}

static int begin(struct pb_history *history, struct pb_diag *diag)
{
    (void)history;
    (void)diag;
    return PB_OK;
}

static int end(struct pb_history *history, int code, struct pb_diag *diag)
{
    (void)history;
    (void)diag;
    return code;
}

/* The store is empty. */
static int find(struct pb_history *history, const char *first, const char *last,
                int (*take)(void *context, const struct pb_history_record *record), void *context,
                struct pb_diag *diag)
{
    (void)history;
    (void)take;
    (void)context;
    (void)diag;
    MUST(strcmp(first, last) <= 0);
    return PB_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pb_store_ops ops = {
        .append = append, .begin = begin, .end = end, .find = find};
    static const struct pb_history_run otherwise = {.scenario = "fuzz", .verdict = PB_VERDICT_PASS};
    struct pb_history history = {.ops = &ops};
    struct pb_diag diag = {""};
    struct pb_imported imported;
    appended = 0;
    const int code =
        pb_history_import(&history, "fuzz.csv", (const char *)data, size, &otherwise, NULL, &imported, &diag);
    MUST(code == PB_OK || (code == PB_ERR_CONFIG && *diag.text));
    MUST(appended == imported.runs && appended == imported.added);
    return 0;
}
