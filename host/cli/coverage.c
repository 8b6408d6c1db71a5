/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

#include "cli.h"

#include "bench/registry/kinds.h"

#include "phasebench/rig.h"

#include <inttypes.h>

int coverage_check_rig(const char *url)
{
    if (pb_rig_target_of(url).in_process)
        return CLI_PASS;
    return cli_fail(
        CLI_USAGE,
        "--coverage counts the instructions of emulated nodes, which rig '%.60s' does not have in "
        "this process; use --rig sim:",
        url);
}

bool coverage_has_image(const struct pb_scenario *scenario)
{
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (pb_node_kind_is_image(scenario->node[i].kind))
            return true;
    return false;
}

int coverage_refuse(const char *what)
{
    return cli_fail(
        CLI_USAGE,
        "--coverage counts the instructions of firmware images, and %.200s has none; give an image "
        "(elf:FILE), or compile the program with --coverage and read what it leaves with lcov",
        what);
}

static int write_lcov(FILE *stream, void *context)
{
    return pb_lcov_write(context, stream);
}

int coverage_write(const char *path, const struct pb_coverage *coverage, struct pb_lcov **out)
{
    struct pb_file_output file;
    struct pb_diag diag;
    struct pb_lcov *lcov = *out = pb_lcov_create();
    if (!lcov)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the coverage");
    const int code = pb_coverage_lines(coverage, lcov, &diag);
    int exit_code = cli_outcome(code, &diag);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&file, path);
    if (exit_code == CLI_PASS)
        exit_code = output_form(&file, write_lcov, lcov);
    if (exit_code != CLI_PASS) {
        pb_lcov_free(lcov);
        *out = NULL;
    }
    return exit_code;
}

int coverage_sum_begin(struct coverage_sum *sum)
{
    *sum = (struct coverage_sum){.lcov = pb_lcov_create()};
    return sum->lcov ? CLI_PASS : cli_fail(CLI_BENCH_FAILED, "no memory for the coverage");
}

int coverage_sum_add(struct coverage_sum *sum, const char *path, const char *name)
{
    FILE *stream = fopen(path, "r");
    const int code = stream ? pb_lcov_read(sum->lcov, stream) : PB_ERR_IO;
    if (stream)
        fclose(stream);
    if (code == PB_ERR_MEMORY)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the coverage of %s", name);
    sum->runs += !code;
    if (code && !sum->lost++)
        snprintf(sum->name, sizeof sum->name, "%.60s", name);
    return CLI_PASS;
}

int coverage_sum_write(const struct coverage_sum *sum, const struct pb_file_output *file)
{
    if (sum->lost)
        cli_fail(CLI_PASS,
                 "--coverage: %u of %u runs left no counts, %s first; the file has those of the others",
                 sum->lost, sum->lost + sum->runs, sum->name);
    return output_form(file, write_lcov, sum->lcov);
}

void coverage_sum_end(struct coverage_sum *sum)
{
    pb_lcov_free(sum->lcov);
    sum->lcov = NULL;
}

void coverage_say(const char *path, const struct pb_lcov *lcov)
{
    const struct pb_lcov_totals totals = pb_lcov_totals(lcov);
    cli_say("coverage %s: %" PRIu64 " of %" PRIu64 " lines, %" PRIu64 " of %" PRIu64 " functions", path,
            totals.lines_hit, totals.lines, totals.functions_hit, totals.functions);
}
