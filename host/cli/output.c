/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include "cli.h"
#include "manual.h"

#include "host/base/file_output.h"
#include "host/base/folder_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* ---- a folder has one process that writes to it */

static int refuse_held(const char *directory, long pid, const char *option)
{
    char holder[40] = "another process";
    if (pid > 0)
        snprintf(holder, sizeof holder, "process %ld", pid);
    return cli_fail(CLI_BENCH_FAILED,
                    "%s writes to the output folder '%s'; wait for it, or give another folder with %s",
                    holder, directory, option);
}

int output_check_held(const char *directory, const char *option)
{
    const long pid = pb_folder_holder(directory);
    return pid > 0 ? refuse_held(directory, pid, option) : CLI_PASS;
}

int output_hold(const char *directory)
{
    long holder;
    const int error = pb_folder_hold(directory, &holder);
    if (error == EWOULDBLOCK)
        return refuse_held(directory, holder, "--out");
    return error
               ? cli_fail(CLI_BENCH_FAILED, "no memory for the lock of '%s'; close other programs", directory)
               : CLI_PASS;
}

/* ---- the folder and its files */

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

int output_make_folder(const char *path)
{
    char folder[OUTPUT_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
    return *folder ? make_directories(folder) : CLI_PASS;
}

#define RUN_NAMES                                                                                            \
    OUTPUT_REPORT, OUTPUT_RESULT, OUTPUT_TRACE, "failure.vcd", "failure.gtkw", OUTPUT_WINDOW, "window.vcd",  \
        "window.gtkw", "failure.trace", "window.trace"
static const char *const names[] = {RUN_NAMES, OUTPUT_COVERAGE, OUTPUT_FRAMES};
const char *const output_names[] = {OUTPUT_INDEX, RUN_NAMES, NULL};
enum { NAMES = sizeof names / sizeof names[0] };

int output_begin(const char *directory)
{
    if (!*directory)
        return cli_fail(CLI_USAGE, "--out is empty; name a folder, '.' for this one");
    const int exit_code = make_directories(directory);
    return exit_code == CLI_PASS ? output_hold(directory) : exit_code;
}

int output_prepare(const char *directory)
{
    const int exit_code = output_begin(directory);
    return exit_code == CLI_PASS ? output_clear(directory) : exit_code;
}

static int remove_old(const char *directory, const char *name)
{
    char path[OUTPUT_PATH_SIZE];
    if (!output_path(path, directory, name))
        return CLI_BENCH_FAILED;
    return unlink(path) == 0 || errno == ENOENT
               ? CLI_PASS
               : cli_fail(CLI_BENCH_FAILED, "cannot replace '%s': %s; choose another folder with --out", path,
                          strerror(errno));
}

/* Whether files can be created, by one that was removed. */
static int try_folder(const char *directory, const char *name)
{
    char path[OUTPUT_PATH_SIZE];
    if (!output_path(path, directory, name))
        return CLI_BENCH_FAILED;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) /* removed meanwhile */
        return cli_fail(CLI_BENCH_FAILED,
                        "another run writes to the output folder '%s'; give each its own with --out",
                        directory);
    if (file < 0)
        return cli_fail(CLI_BENCH_FAILED,
                        "cannot write to the output folder '%s': %s; choose another with --out", directory,
                        strerror(errno));
    close(file);
    unlink(path);
    return CLI_PASS;
}

int output_clear(const char *directory)
{
    int exit_code = make_directories(directory);
    for (size_t i = 0; i < NAMES && exit_code == CLI_PASS; i++)
        exit_code = remove_old(directory, names[i]);
    return exit_code == CLI_PASS ? try_folder(directory, OUTPUT_RESULT) : exit_code;
}

int output_forms_begin(const char *directory, const struct cli_form *forms)
{
    int exit_code = directory ? output_begin(directory) : CLI_PASS;
    for (const struct cli_form *form = forms; directory && form->name && exit_code == CLI_PASS; form++)
        exit_code = remove_old(directory, form->name);
    return directory && exit_code == CLI_PASS ? try_folder(directory, forms->name) : exit_code;
}

int output_move(const char *to, const char *from)
{
    char old[OUTPUT_PATH_SIZE], new[OUTPUT_PATH_SIZE];
    const int exit_code = output_clear(to);
    for (size_t i = 0; i < NAMES && exit_code == CLI_PASS; i++) {
        if (!output_path(old, from, names[i]) || !output_path(new, to, names[i]))
            return CLI_BENCH_FAILED;
        if (rename(old, new) != 0 && errno != ENOENT)
            return cannot_write(new);
    }
    return exit_code;
}

/* ---- files, complete or not at all */

int output_check_file(struct pb_file_output *file, const char *path)
{
    *file = (struct pb_file_output){.path = NULL};
    errno = path ? pb_file_output_check(file, path) : 0;
    return errno ? cannot_write(path) : CLI_PASS;
}

struct form {
    bool is_page;                                                /* report.html, with links */
    int (*one)(FILE *, const struct pb_result *);                /* used if it is none */
    int (*all)(FILE *, const struct pb_result *const *, size_t); /* used if `one` is NULL, too */
    int (*any)(FILE *, void *);                                  /* used if all are */
    void *context;                                               /* of `any` */
    const struct pb_result *const *result;
    size_t count;
};

/* Returns 0, or -1 with errno. */
static int write_whole(const struct pb_file_output *file, const struct form *form)
{
    struct pb_file_stream out;
    if (pb_file_stream_begin(&out, file))
        return -1;
    char manual[MANUAL_LINK_SIZE] = "", trace[MANUAL_LINK_SIZE] = "", steps[MANUAL_LINK_SIZE] = "";
    if (form->is_page) {
        manual_link_of(manual, file->path);
        manual_link_to(trace, file->path, form->result[0]->trace_path);
        manual_link_to(steps, file->path, form->result[0]->steps_path);
    }
    const struct pb_report_links links = {.measurements = manual, .trace = trace, .steps = steps};
    errno = 0;
    const int failed = form->is_page ? pb_report_html_linked(out.stream, form->result[0], &links)
                       : form->one   ? form->one(out.stream, form->result[0])
                       : form->all   ? form->all(out.stream, form->result, form->count)
                                     : form->any(out.stream, form->context);
    const int ended = pb_file_stream_end(&out, failed != 0, errno);
    return form->any && failed == CLI_NO_FORM ? 0 : ended;
}

/* Returns 0, or -1 with errno. A pipe has no temporary file, and may block. */
static int replace(const struct pb_file_output *file, const struct form *form)
{
    sigset_t before;
    if (file->direct)
        return write_whole(file, form);
    pb_file_hold_signals(&before);
    const int written = write_whole(file, form), error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

int output_stream_begin(struct pb_file_stream *out, const struct pb_file_output *file)
{
    return pb_file_stream_begin(out, file) ? cannot_write(file->path) : CLI_PASS;
}

int output_stream_end(struct pb_file_stream *out, int errno_of_write)
{
    return pb_file_stream_end(out, errno_of_write != 0, errno_of_write) ? cannot_write(out->file.path)
                                                                        : CLI_PASS;
}

void output_stream_drop(struct pb_file_stream *out)
{
    if (out->stream)
        pb_file_stream_end(out, true, 0);
}

static int write_form(const struct pb_file_output *file, const struct form *form)
{
    return file->path && replace(file, form) ? cannot_write(file->path) : CLI_PASS;
}

int output_html(const char *path, const struct pb_result *result)
{
    struct pb_file_output file;
    const int exit_code = output_check_file(&file, path);
    return exit_code ? exit_code
                     : write_form(&file, &(struct form){.is_page = true, .result = &result});
}

int output_junit(const struct pb_file_output *file, const struct pb_result *const *result, size_t count)
{
    return write_form(file, &(struct form){.all = pb_report_junit, .result = result, .count = count});
}

int output_csv(const struct pb_file_output *file, const struct pb_result *result)
{
    return write_form(file, &(struct form){.one = pb_report_csv, .result = &result});
}

int output_form(const struct pb_file_output *file, int (*write)(FILE *, void *), void *context)
{
    return write_form(file, &(struct form){.any = write, .context = context});
}

int output_form_in(const char *directory, const char *name, int (*write)(FILE *, void *), void *context)
{
    char path[OUTPUT_PATH_SIZE];
    struct pb_file_output file;
    int exit_code = output_path(path, directory, name) ? CLI_PASS : CLI_BENCH_FAILED;
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&file, path);
    return exit_code == CLI_PASS ? output_form(&file, write, context) : exit_code;
}

static const struct {
    const char *name;
    int (*write)(FILE *, const struct pb_result *); /* NULL: the page */
} files[] = {{OUTPUT_RESULT, pb_report_json}, {OUTPUT_REPORT, NULL}};
#define FILES (sizeof files / sizeof files[0])

static int write_files(const char *directory, const struct pb_result *result, bool again)
{
    int exit_code = CLI_PASS;

    for (size_t i = 0; i < FILES; i++) {
        char path[OUTPUT_PATH_SIZE];
        const struct pb_file_output file = {.path = path};
        int code = CLI_BENCH_FAILED;
        if (output_path(path, directory, files[i].name))
            code = write_form(
                &file, &(struct form){.is_page = !files[i].write, .one = files[i].write, .result = &result});
        if (code && !again)
            unlink(path); /* the announced file is no longer valid */
        exit_code = code ? code : exit_code;
    }
    return exit_code;
}

int output_write(const char *directory, const struct pb_result *result)
{
    return write_files(directory, result, false);
}

int output_write_again(const char *directory, const struct pb_result *result)
{
    return write_files(directory, result, true);
}

void output_so_far(const char *directory, const struct pb_result *result)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[OUTPUT_PATH_SIZE];
        const struct pb_file_output file = {.path = path};
        if (output_path(path, directory, files[i].name))
            replace(&file,
                    &(struct form){.is_page = !files[i].write, .one = files[i].write, .result = &result});
    }
}

void output_announce(const char *directory, const struct pb_scenario *scenario, const struct runner *runner)
{
    const struct pb_run_options options = {.rig_url = runner->options.rig_url,
                                           .command = runner->options.command};
    struct pb_result *result;
    if (pb_run_none(&result, scenario, &options,
                    "the run has not ended: it is in progress, or was killed before it could write more"))
        return;
    output_so_far(directory, result);
    pb_result_free(result);
}

int output_end(int code)
{
    const int exit_code = cli_flush();
    if (exit_code == CLI_PASS && code && !ferror(stdout))
        return cli_fail(CLI_BENCH_FAILED, "no memory for the whole result; close other programs");
    return exit_code;
}

int output_forms_end(const char *directory, const struct cli_form *forms, void *result, unsigned shown)
{
    int exit_code = CLI_PASS;
    for (const struct cli_form *form = forms; directory && form->name; form++)
        if (form->write)
            exit_code = cli_worse(exit_code, output_form_in(directory, form->name, form->write, result));
    const int code = forms[shown].write(stdout, result);
    return cli_worse(exit_code, output_end(code == CLI_NO_FORM ? 0 : code));
}

struct pb_report_style output_style(void)
{
    return (struct pb_report_style){.colour = cli_colour(), .columns = cli_columns(stdout)};
}

int output_text(const struct pb_result *result)
{
    const struct pb_report_style style = output_style();
    return output_end(pb_report_text(stdout, result, &style));
}
