/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "suite_select.h"

#include "cli.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int suite_selection_take(struct suite_selection *selection)
{
    const char *text = selection->shard_text, *slash = text ? strchr(text, '/') : NULL;
    char index[16];
    if (!text)
        return CLI_PASS;
    if (!slash || slash - text >= (ptrdiff_t)sizeof index)
        return cli_fail(CLI_USAGE,
                        "--shard is '%.40s'; give I/N, shard I of N, as 1/4 on the first of four machines",
                        text);
    snprintf(index, sizeof index, "%.*s", (int)(slash - text), text);
    return cli_unsigned("--shard, N,", slash + 1, 1, PB_SUITE_SHARDS_MAX, &selection->shards) &&
                   cli_unsigned("--shard, I,", index, 1, selection->shards, &selection->shard)
               ? CLI_PASS
               : CLI_USAGE;
}

static int parse(void *document, const char *text, size_t length, struct pb_diag *diag)
{
    return pb_suite_read_json(document, text, length, diag);
}

int suite_read(struct pb_suite_document *document, const char *path)
{
    *document = (struct pb_suite_document){.result = NULL};
    return cli_read_result(path, parse, document);
}

static bool has_failed(const struct pb_case *one)
{
    return pb_case_ran(one) && one->exit_code != CLI_PASS && !pb_case_excused(one);
}

static int keep_failed(const char *out, const struct pb_case *one, size_t count, bool *keep)
{
    struct pb_suite_document last;
    char path[OUTPUT_PATH_SIZE];
    size_t failed = 0, found = 0;
    int exit_code = output_path(path, out, OUTPUT_RESULT) ? CLI_PASS : CLI_BENCH_FAILED;
    if (exit_code == CLI_PASS)
        exit_code = suite_read(&last, path);
    if (exit_code != CLI_PASS)
        return exit_code;
    memset(keep, 0, count * sizeof *keep);
    for (size_t i = 0; i < last.suite.count; i++) {
        if (!has_failed(&last.suite.one[i]))
            continue;
        failed++;
        for (size_t k = 0; k < count; k++)
            if (!strcmp(one[k].name, last.suite.one[i].name)) {
                found += !keep[k];
                keep[k] = true;
            }
    }
    pb_suite_document_free(&last);
    if (!failed)
        return cli_fail(CLI_USAGE,
                        "no case failed in '%s', so nothing would be tested; leave --last-failed out", path);
    if (found < failed)
        cli_fail(CLI_PASS, "not among these scenarios: %zu of %zu cases that failed in '%s'", failed - found,
                 failed, path);
    return found ? CLI_PASS
                 : cli_fail(CLI_USAGE, "nothing would be tested; give the scenarios of '%s'", path);
}

int suite_select(const struct suite_selection *selection, const char *out, struct pb_suite *suite,
                 bool *keep)
{
    size_t kept = 0, mine = 0;
    uLong names = crc32(0, NULL, 0);
    for (size_t i = 0; i < suite->count; i++)
        keep[i] = true;
    if (selection->last_failed) {
        const int exit_code = keep_failed(out, suite->one, suite->count, keep);
        if (exit_code != CLI_PASS)
            return exit_code;
    }
    suite->shard = selection->shard;
    suite->shards = selection->shards;
    for (size_t i = 0; i < suite->count && selection->shards; i++) {
        const char *name = suite->one[i].name;
        if (!keep[i])
            continue;
        names = crc32(names, (const Bytef *)name, (uInt)strlen(name) + 1);
        keep[i] = kept++ % selection->shards == selection->shard - 1;
        mine += keep[i];
    }
    snprintf(suite->shard_of, sizeof suite->shard_of, "%08lx", names & 0xFFFFFFFF);
    if (!selection->shards || mine)
        return CLI_PASS;
    return cli_fail(CLI_USAGE,
                    "shard %u/%u has none of the %zu cases, so nothing would be tested; give at most "
                    "%zu shards",
                    selection->shard, selection->shards, kept, kept);
}
