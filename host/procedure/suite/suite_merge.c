/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "name_set.h"
#include "suite_select.h"
#include "suite_spool.h"

#include "host/base/exit_code.h"
#include "phasebench/history.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT "report.html" /* in the folder of a case */

struct part {
    struct pb_suite_part as; /* as given */
    size_t next;             /* case that the merged suite takes next */
};

struct merge {
    struct part *part; /* owned */
    size_t parts;
    struct pb_suite_results *results; /* as if it had run here */
    const struct pb_result **result;  /* owned list: of each case of the suite; NULL: none */
    struct pb_diag *diag;
};

/* ---- which shards they are */

static const struct pb_suite *suite_of(const struct merge *merge, size_t part)
{
    return &merge->part[part].as.document->suite;
}

/* Of K cases shard I of N has those at I - 1, I - 1 + N, ... below K. of[i]: shard i, from 1 on. */
static int check_counts(const struct merge *merge, const struct part *const *of, unsigned shards,
                        size_t cases)
{
    for (unsigned i = 1; i <= shards; i++) {
        const size_t own = of[i]->as.document->suite.count, all = (cases + shards - i) / shards;
        if (own != all)
            return pb_fail(merge->diag, PB_ERR_CONFIG,
                           "%s has %zu cases, but shard %u/%u of a suite of %zu has %zu, so cases of a shard "
                           "are missing; run that shard again",
                           of[i]->as.path, own, i, shards, cases, all);
    }
    return PB_OK;
}

/* All cases of the suite, in its order, against their number and the fingerprint that each shard has. */
static int check_cases(const struct merge *merge, const struct part *const *of, unsigned shards)
{
    char found[PB_SHARD_OF_SIZE];
    unsigned long names = 0;
    size_t cases = 0;
    for (size_t i = 0; i < merge->parts; i++)
        cases += suite_of(merge, i)->count;
    const int code = check_counts(merge, of, shards, cases);
    for (size_t i = 0; i < cases && !code; i++)
        names = suite_add_name(names, of[1 + i % shards]->as.document->suite.one[i / shards].name);
    suite_show_fingerprint(found, names);
    return code || !strcmp(found, suite_of(merge, 0)->shard_of)
               ? code
               : pb_fail(merge->diag, PB_ERR_CONFIG,
                         "%s and the other shards do not have the cases of their suite (fingerprint %s, not "
                         "%s); run the shards again",
                         merge->part[0].as.path, found, suite_of(merge, 0)->shard_of);
}

static int check_shards(const struct merge *merge)
{
    const unsigned shards = suite_of(merge, 0)->shards;
    const struct part **of = calloc(shards + 1u, sizeof *of);
    int code = of ? PB_OK : pb_fail(merge->diag, PB_ERR_MEMORY, "no memory for %u shards", shards);
    for (size_t i = 0; i < merge->parts && !code; i++) {
        const struct pb_suite *suite = suite_of(merge, i);
        const struct part *other = &merge->part[suite->shards ? 0 : i];
        if (suite->shards != shards && (!suite->shards || !shards))
            code = pb_fail(merge->diag, PB_ERR_CONFIG,
                           "%s is no shard, others are; give the shards of one suite", other->as.path);
        else if (suite->shards != shards)
            code = pb_fail(merge->diag, PB_ERR_CONFIG,
                           "%s is shard %u/%u, %s is shard %u/%u; give those of one suite",
                           merge->part[0].as.path, suite_of(merge, 0)->shard, shards,
                           merge->part[i].as.path, suite->shard, suite->shards);
        else if (strcmp(suite->shard_of, suite_of(merge, 0)->shard_of))
            code = pb_fail(merge->diag, PB_ERR_CONFIG,
                           "%s is of another suite than %s: not the same cases in the same order; give "
                           "the shards of one suite",
                           merge->part[i].as.path, merge->part[0].as.path);
        else if (shards && of[suite->shard])
            code = pb_fail(merge->diag, PB_ERR_CONFIG, "%s is shard %u/%u once more; give each shard once",
                           merge->part[i].as.path, suite->shard, shards);
        else if (shards)
            of[suite->shard] = &merge->part[i];
    }
    for (unsigned i = 1; i <= shards && !code; i++)
        if (!of[i])
            code = pb_fail(merge->diag, PB_ERR_CONFIG,
                           "shard %u/%u is missing, so its cases were not tested; give all %u", i, shards,
                           shards);
    if (shards && !code)
        code = check_cases(merge, of, shards);
    free(of);
    return code;
}

static int by_shard(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return (int)a->as.document->suite.shard - (int)b->as.document->suite.shard;
}

/* ---- the suite of all */

/* The folder `to` as seen from the folder `from`, both without links; "" when it is too long. */
static void relative(char out[256], const char *from, const char *to)
{
    size_t common = 0, ups = 0;
    for (size_t i = 0;; i++) {
        const bool from_ends = !from[i] || from[i] == '/', to_ends = !to[i] || to[i] == '/';
        if (from_ends && to_ends)
            common = i;
        if (!from[i] || !to[i] || from[i] != to[i])
            break;
    }
    for (const char *at = from + common; *at; at++)
        ups += *at == '/' && at[1];
    size_t length = 0;
    *out = '\0';
    for (size_t i = 0; i < ups && length < 256; i++)
        length += (size_t)snprintf(out + length, 256 - length, "../");
    const char *rest = to + common + (to[common] == '/');
    if (length < 256)
        length += (size_t)snprintf(out + length, 256 - length, "%s%s", rest, *rest ? "/" : "");
    if (length >= 256)
        *out = '\0';
}

/* The folder of a case as seen from that of the merged suite; "": it has no report there. */
static void place_folder(struct pb_case *one, const struct part *part, const char *out)
{
    char way[256], report[2 * PATH_MAX], own[sizeof one->folder];
    memcpy(own, one->folder, sizeof own);
    one->folder[0] = '\0';
    if (!*own || !*part->as.folder || !*out)
        return;
    snprintf(report, sizeof report, "%s/%s/" REPORT, part->as.folder, own);
    relative(way, out, part->as.folder);
    if (access(report, R_OK) == 0 && strlen(way) + strlen(own) < sizeof one->folder)
        snprintf(one->folder, sizeof one->folder, "%.*s%.*s", (int)strlen(way), way,
                 (int)(sizeof one->folder - 1 - strlen(way)), own);
}

static int add_case(struct merge *merge, struct names *names, struct part *part, const char *out)
{
    struct pb_suite *whole = &merge->results->whole;
    const struct pb_suite_document *document = part->as.document;
    struct pb_case *one = &whole->one[whole->count];
    const struct pb_result *result = document->result[part->next];
    char name[sizeof one->name + 16];
    *one = document->suite.one[part->next++];
    one->entry = whole->count;
    snprintf(name, sizeof name, "%s", one->name);
    if (!names_add(names, name, sizeof name, " (%u)"))
        return pb_fail(merge->diag, PB_ERR_MEMORY, "no memory for the names of %zu cases", whole->count);
    if (strcmp(name, one->name))
        return pb_fail(merge->diag, PB_ERR_CONFIG,
                       "case '%s' of %s is in another result, too; give each case once", one->name,
                       part->as.path);
    const char *slash = result ? strrchr(result->trace_path, '/') : NULL;
    snprintf(one->trace, sizeof one->trace, "%s", slash ? slash + 1 : "");
    place_folder(one, part, out);
    merge->result[whole->count] = result;
    whole->count++;
    return PB_OK;
}

/* Shard I has every N-th case; other results follow one another. */
static int add_cases(struct merge *merge, const char *out)
{
    const bool sharded = suite_of(merge, 0)->shards != 0;
    struct names names = {.entry = NULL};
    int code = PB_OK;
    bool more = true;
    while (more && !code) {
        more = false;
        for (size_t i = 0; i < merge->parts && !code; i++) {
            struct part *part = &merge->part[i];
            do {
                if (part->next < part->as.document->suite.count)
                    code = add_case(merge, &names, part, out);
            } while (!sharded && !code && part->next < part->as.document->suite.count);
            more |= part->next < part->as.document->suite.count;
        }
    }
    names_free(&names);
    return code;
}

/* From the first begin to the last end. */
static void take_time(struct merge *merge)
{
    struct pb_suite *whole = &merge->results->whole;
    int64_t first_s = INT64_MAX, last_ns = 0, begin_s;
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *suite = suite_of(merge, i);
        if (!pb_history_seconds(suite->started_utc, &begin_s) || begin_s >= first_s)
            continue;
        first_s = begin_s;
        memcpy(whole->started_utc, suite->started_utc, sizeof whole->started_utc);
    }
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *suite = suite_of(merge, i);
        if (!pb_history_seconds(suite->started_utc, &begin_s))
            continue;
        const int64_t end_ns = (begin_s - first_s) * INT64_C(1000000000) + suite->wall_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    whole->wall_ns = last_ns;
}

static bool same_rig(const struct pb_suite_rig *a, const struct pb_suite_rig *b)
{
    return !strcmp(a->url, b->url) && !strcmp(a->serial, b->serial);
}

/* A board that several shards had is one. Of rigs without a serial number, as sim:, a shard may have
 * several. */
static void add_rig(struct pb_suite *whole, const struct pb_suite *part, const struct pb_suite_rig *rig)
{
    struct pb_suite_rig *own = whole->rig, *const end = whole->rig + whole->rigs;
    size_t before = 0;
    for (const struct pb_suite_rig *other = part->rig; other < rig; other++)
        before += same_rig(other, rig);
    while (own < end && (!same_rig(own, rig) || before--))
        own++;
    if (own == end) {
        whole->rig[whole->rigs++] = *rig;
        return;
    }
    own->cases += rig->cases;
    if (!*own->lost)
        memcpy(own->lost, rig->lost, sizeof own->lost);
}

static int join(struct merge *merge, const char *folder, unsigned forms)
{
    size_t cases = 0, rigs = 0;
    for (size_t i = 0; i < merge->parts; i++) {
        cases += suite_of(merge, i)->count;
        rigs += suite_of(merge, i)->rigs;
    }
    const int code = suite_spool_open(&merge->results, cases, rigs, forms, merge->diag);
    if (code)
        return code;
    merge->result = calloc(cases + 1, sizeof *merge->result);
    if (!merge->result)
        return pb_fail(merge->diag, PB_ERR_MEMORY, "no memory for %zu cases", cases);
    struct pb_suite *whole = &merge->results->whole;
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *part = suite_of(merge, i);
        for (size_t k = 0; k < part->rigs; k++)
            add_rig(whole, part, &part->rig[k]);
        whole->jobs += part->jobs;
        whole->last_failed |= part->last_failed;
        whole->exit_code = pb_worse_exit_code(whole->exit_code, part->exit_code);
    }
    take_time(merge);
    return add_cases(merge, folder);
}

/* ---- forms */

static int keep(struct merge *merge, FILE *scratch, size_t index)
{
    size_t length[PB_SUITE_FORMS];
    int code = suite_spool_empty(scratch, merge->diag);
    if (!code)
        code = suite_spool_render(merge->results, scratch, index, &merge->results->whole.one[index],
                                  merge->result[index], NULL, length, merge->diag);
    return code ? code : suite_spool_keep(merge->results, index, scratch, length, merge->diag);
}

static int keep_all(struct merge *merge)
{
    FILE *scratch;
    int code = suite_spool_file(&scratch, merge->diag);
    for (size_t i = 0; i < merge->results->whole.count && !code; i++)
        if (merge->result[i])
            code = keep(merge, scratch, i);
    if (scratch)
        fclose(scratch);
    return code;
}

static int open_parts(struct merge *merge, const struct pb_suite_part *part)
{
    if (!merge->parts)
        return pb_fail(merge->diag, PB_ERR_ARGUMENT, "no result to join; give at least one");
    merge->part = calloc(merge->parts, sizeof *merge->part);
    if (!merge->part)
        return pb_fail(merge->diag, PB_ERR_MEMORY, "no memory for %zu results", merge->parts);
    for (size_t i = 0; i < merge->parts; i++)
        merge->part[i].as = part[i];
    return check_shards(merge);
}

int pb_suite_merge_check(const struct pb_suite_part *part, size_t parts, struct pb_diag *diag)
{
    struct merge merge = {.parts = parts, .diag = diag};
    const int code = open_parts(&merge, part);
    free(merge.part);
    return code;
}

int pb_suite_merge(struct pb_suite_results **out, const struct pb_suite_part *part, size_t parts,
                   const char *folder, unsigned forms, struct pb_diag *diag)
{
    struct merge merge = {.parts = parts, .diag = diag};
    *out = NULL;
    int code = open_parts(&merge, part);
    if (!code) {
        if (suite_of(&merge, 0)->shards)
            qsort(merge.part, parts, sizeof *merge.part, by_shard);
        code = join(&merge, folder, forms);
    }
    if (!code)
        code = keep_all(&merge);
    if (code)
        pb_suite_results_free(merge.results);
    else
        *out = merge.results;
    free(merge.part);
    free(merge.result);
    return code;
}
