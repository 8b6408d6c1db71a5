/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_select.h"

#include "host/base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* In its last run: one of which a suite of failed cases was stopped before it ran has still failed. */
static bool has_failed(const struct pb_suite *suite, const struct pb_case *one)
{
    if (suite->last_failed && one->state == PB_CASE_NOT_RUN)
        return true;
    return pb_case_ran(one) && one->exit_code && !pb_case_excused(one);
}

static int keep_failed(const struct pb_suite_options *options, const struct pb_suite *suite, bool *keep,
                       struct pb_diag *missing, struct pb_diag *diag)
{
    const struct pb_suite *last = options->last;
    size_t failed = 0, found = 0;
    memset(keep, 0, suite->count * sizeof *keep);
    for (size_t i = 0; i < last->count; i++) {
        if (!has_failed(last, &last->one[i]))
            continue;
        failed++;
        for (size_t k = 0; k < suite->count; k++)
            if (!strcmp(suite->one[k].name, last->one[i].name)) {
                found += !keep[k];
                keep[k] = true;
            }
    }
    if (!failed)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "no case failed in '%s', so nothing would be tested; leave --last-failed out",
                       options->last_name);
    if (found < failed)
        pb_fail(missing, PB_ERR_ARGUMENT, "not among these scenarios: %zu of %zu cases that failed in '%s'",
                failed - found, failed, options->last_name);
    return found ? PB_OK
                 : pb_fail(diag, PB_ERR_ARGUMENT, "nothing would be tested; give the scenarios of '%s'",
                           options->last_name);
}

unsigned long suite_add_name(unsigned long fingerprint, const char *name)
{
    char clean[sizeof((struct pb_case *)0)->name];
    pb_utf8_clean(clean, sizeof clean, name);
    return crc32(fingerprint, (const Bytef *)clean, (uInt)strlen(clean) + 1);
}

void suite_show_fingerprint(char out[PB_SHARD_OF_SIZE], unsigned long fingerprint)
{
    snprintf(out, PB_SHARD_OF_SIZE, "%08lx", fingerprint & 0xFFFFFFFF);
}

int suite_select(const struct pb_suite_options *options, struct pb_suite *suite, bool *keep,
                 struct pb_diag *missing, struct pb_diag *diag)
{
    size_t kept = 0, mine = 0;
    unsigned long names = 0;
    missing->text[0] = '\0';
    for (size_t i = 0; i < suite->count; i++)
        keep[i] = true;
    if (options->last) {
        const int code = keep_failed(options, suite, keep, missing, diag);
        if (code)
            return code;
    }
    suite->last_failed = options->last != NULL;
    suite->shard = options->shard;
    suite->shards = options->shards;
    for (size_t i = 0; i < suite->count && options->shards; i++) {
        if (!keep[i])
            continue;
        names = suite_add_name(names, suite->one[i].name);
        keep[i] = kept++ % options->shards == options->shard - 1;
        mine += keep[i];
    }
    suite_show_fingerprint(suite->shard_of, names);
    if (!options->shards || mine)
        return PB_OK;
    return pb_fail(diag, PB_ERR_ARGUMENT,
                   "shard %u/%u has none of the %zu cases, so nothing would be tested; give at most "
                   "%zu shards",
                   options->shard, options->shards, kept, kept);
}
