/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "host/base/exit_code.h"
#include "host/base/form.h"
#include "host/base/secret.h"
#include "host/base/utf8.h"

#include "phasebench/number.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RESULT_LIMIT_BYTES ((size_t)1 << 30)

int cli_fail(int exit_code, const char *format, ...)
{
    va_list arguments;
    char sentence[2048], clean[sizeof sentence];

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pb_hide_passwords(sentence); /* a mistake may put a URL anywhere */
    pb_utf8_clean(clean, sizeof clean, sentence);
    fprintf(stderr, "phasebench: %s\n", clean);
    return exit_code;
}

int cli_outcome(int code, const struct pb_diag *diag)
{
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag->text) : CLI_PASS;
}

int cli_outcome_of(const char *what, int code, const struct pb_diag *diag)
{
    return code ? cli_fail(pb_error_exit_code(code), "%s: %s", what, diag->text) : CLI_PASS;
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pb_form_line_list(stdout, format, arguments);
    va_end(arguments);
}

bool cli_unsigned(const char *name, const char *text, unsigned low, unsigned high, unsigned *value)
{
    uint64_t wide;
    if (!pb_parse_number(text, strlen(text), &wide) || wide < low || wide > high) {
        cli_fail(CLI_USAGE, "%s is '%s'; give a whole number %u..%u", name, text, low, high);
        return false;
    }
    *value = (unsigned)wide;
    return true;
}

#define READ_CHUNK_BYTES ((size_t)1 << 16)

/* Reads the stream to its end. The caller frees *text, also on failure. */
static int read_stream(FILE *stream, const char *path, size_t limit_bytes, char **text, size_t *length)
{
    size_t capacity = 0, got;

    do {
        if (*length + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : READ_CHUNK_BYTES;
            char *grown = realloc(*text, capacity);
            if (!grown)
                return cli_fail(CLI_BENCH_FAILED, "no memory for '%s' after %zu bytes; give a smaller file",
                                path, *length);
            *text = grown;
        }
        got = fread(*text + *length, 1, capacity - *length - 1, stream);
        *length += got;
        if (*length > limit_bytes)
            return cli_fail(CLI_BAD_SCENARIO, "'%s' is larger than the limit of %zu MiB; give a smaller file",
                            path, limit_bytes >> 20);
    } while (got > 0);
    (*text)[*length] = '\0';
    if (ferror(stream))
        return cli_fail(CLI_BAD_SCENARIO, "cannot read '%s': %s; give a readable text file", path,
                        strerror(errno));
    return CLI_PASS;
}

int cli_read_file(const char *path, size_t limit_bytes, char **text, size_t *length)
{
    *text = NULL;
    *length = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return cli_fail(CLI_BAD_SCENARIO, "cannot open '%s': %s; give a readable text file", path,
                        strerror(errno));
    int exit_code = read_stream(stream, path, limit_bytes, text, length);
    fclose(stream);
    if (exit_code != CLI_PASS) {
        free(*text);
        *text = NULL;
    }
    return exit_code;
}

int cli_read_result(const char *path,
                    int (*parse)(void *context, const char *text, size_t length, struct pb_diag *diag),
                    void *context)
{
    struct pb_diag diag;
    char *text;
    size_t length;
    const int exit_code = cli_read_file(path, RESULT_LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = parse(context, text, length, &diag);
    free(text);
    return cli_outcome_of(path, code, &diag);
}

int cli_worse(int left, int right)
{
    return pb_worse_exit_code(left, right);
}

bool cli_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

bool cli_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    return cli_terminal(stdout) && !(no_color && *no_color);
}

unsigned cli_columns(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void cli_window(unsigned *columns, unsigned *rows, unsigned most_columns, unsigned most_rows)
{
    struct winsize size;
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    *columns = !known ? 80 : size.ws_col < most_columns ? size.ws_col : most_columns;
    *rows = !known ? 24 : size.ws_row < most_rows ? size.ws_row : most_rows;
}

static bool reader_gone;

bool cli_reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    reader_gone |= poll(&out, 1, 0) == 1 && out.revents & POLLERR;
    return reader_gone;
}

int cli_end(int exit_code)
{
    if (reader_gone) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return exit_code;
}

int cli_flush(void)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || cli_reader_gone())
        return CLI_PASS;
    return cli_fail(CLI_BENCH_FAILED, "cannot write the result to stdout: %s; check the disk",
                    strerror(errno));
}

int cli_print_json(json_t *object)
{
    const int failed = pb_form_json(stdout, object), code = cli_flush();
    return code == CLI_PASS && failed && !cli_reader_gone()
               ? cli_fail(CLI_BENCH_FAILED, "no memory for the JSON result; ask for less")
               : code;
}
