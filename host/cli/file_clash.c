/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "file_clash.h"

#include "cli.h"
#include "history_keep.h"
#include "output.h"

#include "host/base/file_place.h"
#include "phasebench/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool locate_output(struct pb_file_place *place, const char *text)
{
    return !pb_file_place_is_stream(text) && pb_file_place_find(place, text) &&
           (!place->exists || S_ISREG(place->status.st_mode));
}

/* What is read must be there to be lost. A word and a colon may be before it, as in replay:FILE. */
static bool find_read(struct stat *status, const char *text)
{
    const char *colon = strchr(text, ':');
    return !pb_file_place_is_stream(text) &&
           (stat(text, status) == 0 || (colon && stat(colon + 1, status) == 0));
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

/* Whether the output is the file that is read, or one that is read of a folder: its scenarios, or its
 * result. */
static bool would_lose(const struct pb_file_place *output, const char *text, enum cli_operand form)
{
    struct stat read, folder;
    char above[OUTPUT_PATH_SIZE];
    if (!output->exists || !find_read(&read, text))
        return false;
    if (S_ISREG(read.st_mode))
        return pb_file_place_same_file(&read, &output->status);
    const char *slash = strrchr(output->path, '/');
    if (!S_ISDIR(read.st_mode) || form == CLI_OPERAND_TARGET ||
        (form == CLI_OPERAND_SCENARIO ? !ends_with(slash, ".yaml") : strcmp(slash, "/" OUTPUT_RESULT) != 0))
        return false;
    snprintf(above, sizeof above, "%.*s", slash == output->path ? 1 : (int)(slash - output->path),
             output->path);
    return stat(above, &folder) == 0 && pb_file_place_same_file(&read, &folder);
}

/* ---- the command line */

struct line {
    const struct cli_verb *verb;
    const void *request;
    char *const *operand;
};

/* What is written. */
struct output {
    char name[80];
    const char *text;
    struct pb_file_place place;
};

static enum cli_use use_of(const struct cli_option *option)
{
    return option->kind == CLI_RIG ? CLI_READS : option->use;
}

/* Returns the argument of an option, or its replacement (environment variable or default); NULL: none. *name:
 * its name in messages. */
static const char *text_of(const struct line *line, const struct cli_option *option, char name[80])
{
    const char *text = *(const char *const *)((const char *)line->request + option->at);
    const char *usual = option->environment ? getenv(option->environment) : NULL;
    snprintf(name, 80, text || !usual ? "--%s" : "%s", text || !usual ? option->name : option->environment);
    if (!text && use_of(option) == CLI_WRITES && option->kind == CLI_FOLDER)
        usual = option->otherwise;
    return text ? text : usual;
}

/* False: the option names no file that is written. */
static bool take_output(const struct line *line, const struct cli_option *option, struct output *output)
{
    const enum cli_use use = use_of(option);
    if (option->kind != CLI_FILE || (use != CLI_WRITES && use != CLI_KEEPS))
        return false;
    output->text = text_of(line, option, output->name);
    if (output->text && use == CLI_KEEPS) {
        if (!strncmp(output->text, "sqlite:", 7))
            output->text += 7;
        else if (pb_history_is_url(output->text))
            return false;
    }
    return output->text && locate_output(&output->place, output->text);
}

static int refuse(const struct line *line, const char *other, const struct output *output)
{
    return cli_fail(CLI_USAGE, "%s: %s and %s name one file, '%.200s'; choose another name for %s",
                    line->verb->name, other, output->name, output->text, output->name);
}

/* Against all that is read. */
static int check_read(const struct line *line, const struct output *output)
{
    char name[80];
    for (const struct cli_option *option = line->verb->options; option->name; option++) {
        const char *text = use_of(option) == CLI_READS ? text_of(line, option, name) : NULL;
        if (text && would_lose(&output->place, text, CLI_OPERAND_FILE))
            return refuse(line, name, output);
    }
    const char *usual = line->verb->environment ? getenv(line->verb->environment) : NULL;
    if (!*line->operand && usual && would_lose(&output->place, usual, CLI_OPERAND_FILE))
        return refuse(line, line->verb->environment, output);
    for (char *const *operand = line->operand; *operand; operand++)
        if (would_lose(&output->place, *operand, line->verb->operand)) {
            snprintf(name, sizeof name, "the operand '%.60s'", *operand);
            return refuse(line, name, output);
        }
    return CLI_PASS;
}

/* Against the files of the options before `end`. */
static int check_written(const struct line *line, const struct output *output, const struct cli_option *end)
{
    struct output other;
    for (const struct cli_option *option = line->verb->options; option != end; option++)
        if (take_output(line, option, &other) && pb_file_place_same(&other.place, &output->place))
            return refuse(line, other.name, output);
    return CLI_PASS;
}

static int check_file(const struct line *line, const struct cli_option *option)
{
    struct output output;
    char folder[OUTPUT_PATH_SIZE];
    if (!take_output(line, option, &output))
        return CLI_PASS;
    int exit_code = check_read(line, &output);
    if (exit_code == CLI_PASS)
        exit_code = check_written(line, &output, option);
    if (exit_code != CLI_PASS || option->use == CLI_KEEPS) /* a history has locks of its own */
        return exit_code;
    const char *slash = strrchr(output.place.path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash == output.place.path ? 1 : (int)(slash - output.place.path),
             output.place.path);
    return output_check_held(folder, output.name);
}

/* ---- the files of a database */

/* The path of a history or spool; NULL: it is on a server, or none is given. */
static const char *database_path(const char *text)
{
    if (text && !strncmp(text, "sqlite:", 7))
        return text + 7;
    return text && !pb_history_is_url(text) ? text : NULL;
}

/* Whether a text of the command line is this file, also after a word and a colon, as in replay:FILE. */
static bool names_place(const char *text, const struct pb_file_place *place)
{
    struct pb_file_place other;
    const char *colon = text ? strchr(text, ':') : NULL;
    return text && !pb_file_place_is_stream(text) &&
           ((pb_file_place_find(&other, text) && pb_file_place_same(&other, place)) ||
            (colon && pb_file_place_find(&other, colon + 1) && pb_file_place_same(&other, place)));
}

static int refuse_companion(const struct line *line, const char *name, const char *path,
                            const char *database)
{
    return cli_fail(CLI_USAGE,
                    "%s: %s names '%.200s', which is a file of the database of %s: SQLite would take it as "
                    "its own and remove it; choose another name for %s",
                    line->verb->name, name, path, database, name);
}

/* SQLite has files of its own next to a database, links resolved, and replays or removes what it finds. */
static int check_database(const struct line *line, const char *database, const char *path)
{
    static const char *const end[] = {"-journal", "-wal", "-shm"};
    struct pb_file_place place;
    char companion[OUTPUT_PATH_SIZE], name[80];
    if (!path || !pb_file_place_find(&place, path))
        return CLI_PASS;
    for (size_t i = 0; i < sizeof end / sizeof end[0]; i++) {
        struct pb_file_place own;
        if (snprintf(companion, sizeof companion, "%s%s", place.path, end[i]) >= OUTPUT_PATH_SIZE ||
            !pb_file_place_find(&own, companion))
            continue;
        for (const struct cli_option *option = line->verb->options; option->name; option++) {
            const enum cli_use use = use_of(option);
            const char *text = use == CLI_READS || use == CLI_WRITES || use == CLI_KEEPS
                                   ? text_of(line, option, name)
                                   : NULL;
            if (names_place(text, &own))
                return refuse_companion(line, name, companion, database);
        }
        for (char *const *operand = line->operand; *operand; operand++)
            if (names_place(*operand, &own)) {
                snprintf(name, sizeof name, "the operand '%.60s'", *operand);
                return refuse_companion(line, name, companion, database);
            }
    }
    return CLI_PASS;
}

/* Those of the options, and that of 'history', which is its operand. */
static int check_databases(const struct line *line)
{
    char name[80];
    const char *usual = line->verb->environment ? getenv(line->verb->environment) : NULL;
    int exit_code = CLI_PASS;
    for (const struct cli_option *option = line->verb->options; option->name && !exit_code; option++)
        if (option->use == CLI_KEEPS) {
            const char *path = database_path(text_of(line, option, name));
            exit_code = check_database(line, name, path);
        }
    if (exit_code || !line->verb->environment || strcmp(line->verb->environment, HISTORY_ENVIRONMENT))
        return exit_code;
    return *line->operand ? check_database(line, "the operand", database_path(*line->operand))
                          : check_database(line, line->verb->environment, database_path(usual));
}

/* ---- the files of a folder */

/* Whether a file below the folder has this name: a suite has a folder for each case. */
static bool is_below(const struct pb_file_place *file, const struct pb_file_place *folder, const char *name)
{
    const size_t length = strlen(folder->path);
    const char *slash = strrchr(file->path, '/');
    return !strncmp(file->path, folder->path, length) && file->path[length] == '/' &&
           !strcmp(slash + 1, name);
}

/* suite: also of a file in a folder below it. */
static int check_form(const struct line *line, const struct output *folder, const char *name, bool suite)
{
    struct output form, file;
    char path[OUTPUT_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", folder->text, name) >= OUTPUT_PATH_SIZE ||
        !locate_output(&form.place, path))
        return CLI_PASS;
    form.text = path;
    snprintf(form.name, sizeof form.name, "%s", folder->name);
    for (const struct cli_option *option = line->verb->options; option->name; option++)
        if (take_output(line, option, &file) && (pb_file_place_same(&file.place, &form.place) ||
                                                 (suite && is_below(&file.place, &folder->place, name))))
            return cli_fail(CLI_USAGE,
                            "%s: %s and %s name one file, '%.200s', as the folder gets its own %s; "
                            "choose another name for %s",
                            line->verb->name, folder->name, file.name, file.text, name, file.name);
    return check_read(line, &form);
}

static int check_folder(const struct line *line, const struct cli_option *option)
{
    struct output folder;
    int exit_code = CLI_PASS;
    if (option->kind != CLI_FOLDER || option->use != CLI_WRITES)
        return CLI_PASS;
    folder.text = text_of(line, option, folder.name);
    if (!folder.text || !pb_file_place_find(&folder.place, folder.text))
        return CLI_PASS;
    for (const struct cli_form *form = option->forms; form && form->name && !exit_code; form++)
        exit_code = line->verb->spared && !strcmp(form->name, line->verb->spared)
                        ? CLI_PASS
                        : check_form(line, &folder, form->name, false);
    for (const char *const *name = option->files; name && *name && !exit_code; name++)
        exit_code = check_form(line, &folder, *name, !option->forms);
    for (const char *const *name = output_names; !option->forms && *name && !exit_code; name++)
        exit_code = check_form(line, &folder, *name, !option->forms);
    return exit_code;
}

int clash_check(const struct cli_verb *verb, const void *request, char *const *operand)
{
    const struct line line = {verb, request, operand};
    int exit_code = check_databases(&line);
    for (const struct cli_option *option = verb->options; option->name && !exit_code; option++) {
        exit_code = check_file(&line, option);
        if (exit_code == CLI_PASS)
            exit_code = check_folder(&line, option);
    }
    return exit_code;
}
