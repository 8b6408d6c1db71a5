/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* realpath */
#include "report_merge.h"

#include "cli.h"
#include "name_set.h"
#include "suite_forms.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "phasebench/history.h"

/* A stored result, and where its folders are. */
struct part {
    const char *operand;
    char path[OUTPUT_PATH_SIZE]; /* of the file */
    char folder[PATH_MAX];       /* of the file, without links; "": unknown */
    struct pb_suite_document document;
    size_t next; /* case that the merged suite takes next */
};

struct merge {
    struct part *part; /* owned */
    size_t parts;
    struct suite suite; /* as if it had run here; its cases and rigs are owned */
    const struct pb_result **result; /* owned list: of each case of the suite; NULL: none */
};

static int open_part(struct part *part, const char *operand)
{
    struct stat status;
    char folder[OUTPUT_PATH_SIZE];
    part->operand = operand;
    if (stat(operand, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (!output_path(part->path, operand, OUTPUT_RESULT))
            return CLI_BENCH_FAILED;
    } else if (snprintf(part->path, sizeof part->path, "%s", operand) >= (int)sizeof part->path) {
        return cli_fail(CLI_USAGE, "'%.60s...' is longer than %d bytes; give a shorter path", operand,
                        OUTPUT_PATH_SIZE - 1);
    }
    snprintf(folder, sizeof folder, "%s", part->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (!realpath(slash ? folder : ".", part->folder))
        part->folder[0] = '\0';
    return suite_read(&part->document, part->path);
}

/* ---- which shards they are */

static int check_shards(const struct merge *merge)
{
    const unsigned shards = merge->part[0].document.suite.shards;
    bool *seen = calloc(shards + 1u, sizeof *seen);
    int exit_code = seen ? CLI_PASS : cli_fail(CLI_BENCH_FAILED, "no memory for %u shards", shards);
    for (size_t i = 0; i < merge->parts && exit_code == CLI_PASS; i++) {
        const struct pb_suite *suite = &merge->part[i].document.suite;
        const struct part *other = &merge->part[suite->shards ? 0 : i];
        if (suite->shards != shards && (!suite->shards || !shards))
            exit_code = cli_fail(CLI_BAD_SCENARIO, "%s is no shard, others are; give the shards of one suite",
                                 other->path);
        else if (suite->shards != shards)
            exit_code =
                cli_fail(CLI_BAD_SCENARIO, "%s is shard %u/%u, %s is shard %u/%u; give those of one suite",
                         merge->part[0].path, merge->part[0].document.suite.shard, shards,
                         merge->part[i].path, suite->shard, suite->shards);
        else if (strcmp(suite->shard_of, merge->part[0].document.suite.shard_of))
            exit_code = cli_fail(CLI_BAD_SCENARIO,
                                 "%s is of another suite than %s: not the same cases in the same order; give "
                                 "the shards of one suite",
                                 merge->part[i].path, merge->part[0].path);
        else if (shards && seen[suite->shard])
            exit_code = cli_fail(CLI_BAD_SCENARIO, "%s is shard %u/%u once more; give each shard once",
                                 merge->part[i].path, suite->shard, shards);
        else if (shards)
            seen[suite->shard] = true;
    }
    for (unsigned i = 1; i <= shards && exit_code == CLI_PASS; i++)
        if (!seen[i])
            exit_code = cli_fail(CLI_BAD_SCENARIO,
                                 "shard %u/%u is missing, so its cases were not tested; give all %u", i,
                                 shards, shards);
    free(seen);
    return exit_code;
}

static int by_shard(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return (int)a->document.suite.shard - (int)b->document.suite.shard;
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
    if (!*own || !*part->folder || !*out)
        return;
    snprintf(report, sizeof report, "%s/%s/" OUTPUT_REPORT, part->folder, own);
    relative(way, out, part->folder);
    if (access(report, R_OK) == 0 && strlen(way) + strlen(own) < sizeof one->folder)
        snprintf(one->folder, sizeof one->folder, "%.*s%.*s", (int)strlen(way), way,
                 (int)(sizeof one->folder - 1 - strlen(way)), own);
}

static int add_case(struct merge *merge, struct names *names, struct part *part, const char *out)
{
    struct pb_suite *whole = &merge->suite.whole;
    const struct pb_suite_document *document = &part->document;
    struct pb_case *one = &whole->one[whole->count];
    const struct pb_result *result = document->result[part->next];
    char name[sizeof one->name + 16];
    *one = document->suite.one[part->next++];
    snprintf(name, sizeof name, "%s", one->name);
    if (!names_add(names, name, sizeof name, " (%u)"))
        return cli_fail(CLI_BENCH_FAILED, "no memory for the names of %zu cases", whole->count);
    if (strcmp(name, one->name))
        return cli_fail(CLI_BAD_SCENARIO, "case '%s' of %s is in another result, too; give each case once",
                        one->name, part->path);
    const char *slash = result ? strrchr(result->trace_path, '/') : NULL;
    snprintf(one->trace, sizeof one->trace, "%s", slash ? slash + 1 : "");
    place_folder(one, part, out);
    merge->result[whole->count] = result;
    merge->suite.own[whole->count].ended = true;
    whole->count++;
    return CLI_PASS;
}

/* Shard I has every N-th case; other results follow one another. */
static int add_cases(struct merge *merge, const char *out)
{
    const bool sharded = merge->part[0].document.suite.shards != 0;
    struct names names = {.entry = NULL};
    int exit_code = CLI_PASS;
    bool more = true;
    while (more && exit_code == CLI_PASS) {
        more = false;
        for (size_t i = 0; i < merge->parts && exit_code == CLI_PASS; i++) {
            struct part *part = &merge->part[i];
            do {
                if (part->next < part->document.suite.count)
                    exit_code = add_case(merge, &names, part, out);
            } while (!sharded && exit_code == CLI_PASS && part->next < part->document.suite.count);
            more |= part->next < part->document.suite.count;
        }
    }
    names_free(&names);
    return exit_code;
}

/* From the first begin to the last end. */
static void take_time(struct merge *merge)
{
    struct pb_suite *whole = &merge->suite.whole;
    int64_t first_s = INT64_MAX, last_ns = 0, begin_s;
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *suite = &merge->part[i].document.suite;
        if (!pb_history_seconds(suite->started_utc, &begin_s) || begin_s >= first_s)
            continue;
        first_s = begin_s;
        memcpy(whole->started_utc, suite->started_utc, sizeof whole->started_utc);
    }
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *suite = &merge->part[i].document.suite;
        if (!pb_history_seconds(suite->started_utc, &begin_s))
            continue;
        const int64_t end_ns = (begin_s - first_s) * INT64_C(1000000000) + suite->wall_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    whole->wall_ns = last_ns;
}

static int join(struct merge *merge, const struct run_request *request)
{
    struct suite *suite = &merge->suite;
    char out[PATH_MAX] = "";
    size_t cases = 0, rigs = 0;
    for (size_t i = 0; i < merge->parts; i++) {
        cases += merge->part[i].document.suite.count;
        rigs += merge->part[i].document.suite.rigs;
    }
    suite->whole.one = calloc(cases + 1, sizeof *suite->whole.one);
    suite->whole.rig = calloc(rigs + 1, sizeof *suite->whole.rig);
    suite->own = calloc(cases + 1, sizeof *suite->own);
    merge->result = calloc(cases + 1, sizeof *merge->result);
    if (!suite->whole.one || !suite->whole.rig || !suite->own || !merge->result)
        return cli_fail(CLI_BENCH_FAILED, "no memory for %zu cases", cases);
    if (request->out && !realpath(request->out, out))
        out[0] = '\0';
    for (size_t i = 0; i < merge->parts; i++) {
        const struct pb_suite *part = &merge->part[i].document.suite;
        for (size_t k = 0; k < part->rigs; k++)
            suite->whole.rig[suite->whole.rigs++] = part->rig[k];
        suite->whole.jobs += part->jobs;
        suite->whole.exit_code = cli_worse(suite->whole.exit_code, part->exit_code);
    }
    take_time(merge);
    return add_cases(merge, out);
}

/* ---- forms */

static int keep(struct merge *merge, FILE *scratch, size_t index)
{
    size_t length[SUITE_FORMS];
    rewind(scratch);
    if (ftruncate(fileno(scratch), 0))
        return cli_fail(CLI_BENCH_FAILED, "cannot write a temporary file: %s; check the disk of /tmp",
                        strerror(errno));
    const int exit_code = suite_forms_render(&merge->suite, scratch, index, &merge->suite.whole.one[index],
                                             merge->result[index], NULL, length);
    return exit_code == CLI_PASS ? suite_forms_keep(&merge->suite, index, scratch, length) : exit_code;
}

static int write_all(struct merge *merge, const struct run_request *request)
{
    struct suite *suite = &merge->suite;
    FILE *scratch = tmpfile();
    suite->request = request;
    suite->spool = tmpfile();
    int exit_code = scratch && suite->spool
                        ? CLI_PASS
                        : cli_fail(CLI_BENCH_FAILED, "cannot make a temporary file: %s; check /tmp",
                                   strerror(errno));
    for (size_t i = 0; i < suite->whole.count && exit_code == CLI_PASS; i++)
        if (merge->result[i])
            exit_code = keep(merge, scratch, i);
    if (exit_code == CLI_PASS) {
        suite_forms_prepare(suite, request->out ? request->out : "");
        suite_forms_print_lines(suite);
        exit_code = cli_worse(suite->whole.exit_code, suite_forms_finish(suite, request->out));
    }
    if (scratch)
        fclose(scratch);
    if (suite->spool)
        fclose(suite->spool);
    return exit_code;
}

int report_merge(char **path, const struct run_request *request)
{
    struct merge merge = {.part = NULL};
    while (path[merge.parts])
        merge.parts++;
    if (!merge.parts)
        return cli_fail(CLI_USAGE,
                        "report merge: no result given; give the result.json, or the folder, of each");
    if (request->form == RUN_FORM_TEXT && !request->out)
        return cli_fail(CLI_USAGE, "report merge: no place for the page; give --out DIR, or --json or --tap");
    merge.part = calloc(merge.parts, sizeof *merge.part);
    int exit_code =
        merge.part ? CLI_PASS : cli_fail(CLI_BENCH_FAILED, "no memory for %zu results", merge.parts);
    for (size_t i = 0; i < merge.parts && exit_code == CLI_PASS; i++)
        exit_code = open_part(&merge.part[i], path[i]);
    if (exit_code == CLI_PASS)
        exit_code = check_shards(&merge);
    if (exit_code == CLI_PASS && request->out)
        exit_code = output_begin(request->out);
    if (exit_code == CLI_PASS) {
        if (merge.part[0].document.suite.shards)
            qsort(merge.part, merge.parts, sizeof *merge.part, by_shard);
        exit_code = join(&merge, request);
    }
    if (exit_code == CLI_PASS)
        exit_code = write_all(&merge, request);
    for (size_t i = 0; merge.part && i < merge.parts; i++)
        pb_suite_document_free(&merge.part[i].document);
    free(merge.part);
    free(merge.suite.whole.one);
    free(merge.suite.whole.rig);
    free(merge.suite.own);
    free(merge.result);
    return exit_code;
}
