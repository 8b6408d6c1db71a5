/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path)
{
    return cli_fail(CLI_BENCH_FAILED, "cannot write '%s': %s; check the disk, or choose another place", path,
                    strerror(errno));
}

bool output_path(char path[OUTPUT_PATH_SIZE], const char *directory, const char *name)
{
    const int length = snprintf(path, OUTPUT_PATH_SIZE, "%s/%s", directory, name);
    if (length < OUTPUT_PATH_SIZE)
        return true;
    cli_fail(CLI_BENCH_FAILED,
             "the path '%.60s...' has %d characters; at most %d are possible, choose a shorter --out",
             directory, length, OUTPUT_PATH_SIZE - 1);
    return false;
}

static int make_directories(const char *directory)
{
    char path[OUTPUT_PATH_SIZE];
    if (!output_path(path, directory, ""))
        return CLI_BENCH_FAILED;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST && errno != EISDIR)
            return cli_fail(CLI_BENCH_FAILED,
                            "cannot make the output folder '%s': %s; choose another with --out", path,
                            strerror(errno));
        *slash = '/';
    }
    return CLI_PASS;
}

int output_prepare(const char *directory)
{
    static const char *const names[] = {OUTPUT_REPORT, OUTPUT_RESULT, OUTPUT_TRACE};
    char path[OUTPUT_PATH_SIZE];

    if (!*directory)
        return cli_fail(CLI_USAGE, "--out is empty; name a folder, '.' for this one");
    if (make_directories(directory) != CLI_PASS)
        return CLI_BENCH_FAILED;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!output_path(path, directory, names[i]))
            return CLI_BENCH_FAILED;
        if (unlink(path) != 0 && errno != ENOENT)
            return cli_fail(CLI_BENCH_FAILED, "cannot replace '%s': %s; choose another folder with --out",
                            path, strerror(errno));
    }
    if (!output_path(path, directory, OUTPUT_RESULT))
        return CLI_BENCH_FAILED;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return cli_fail(CLI_BENCH_FAILED,
                        "cannot write to the output folder '%s': %s; choose another with --out", directory,
                        strerror(errno));
    close(file);
    unlink(path);
    return CLI_PASS;
}

int output_check_file(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return cannot_write(path);
    close(file);
    return CLI_PASS;
}

/* Ends a file that was opened with fopen; `code` is what its writer returned. */
static int finish(FILE *stream, int code, const char *path)
{
    const bool closed = fclose(stream) == 0;
    return code || !closed ? cannot_write(path) : CLI_PASS;
}

static int write_form(const char *path, int (*form)(FILE *, const struct pb_result *),
                      const struct pb_result *result)
{
    FILE *stream = fopen(path, "w");
    return stream ? finish(stream, form(stream, result), path) : cannot_write(path);
}

int output_html(const char *path, const struct pb_result *result)
{
    return write_form(path, pb_report_html, result);
}

int output_junit(const char *path, const struct pb_result *const *result, size_t count)
{
    FILE *stream = fopen(path, "w");
    return stream ? finish(stream, pb_report_junit(stream, result, count), path) : cannot_write(path);
}

int output_write(const char *directory, const struct pb_result *result)
{
    char path[OUTPUT_PATH_SIZE];
    int exit_code = CLI_BENCH_FAILED;

    if (output_path(path, directory, OUTPUT_RESULT))
        exit_code = write_form(path, pb_report_json, result);
    if (exit_code == CLI_PASS && output_path(path, directory, OUTPUT_REPORT))
        exit_code = output_html(path, result);
    return exit_code;
}

int output_end(int code)
{
    const int exit_code = cli_flush();
    if (exit_code == CLI_PASS && code)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the whole result; close other programs");
    return exit_code;
}

int output_text(const struct pb_result *result)
{
    const struct pb_report_style style = {.colour = cli_colour(), .columns = cli_columns(stdout)};
    return output_end(pb_report_text(stdout, result, &style));
}
