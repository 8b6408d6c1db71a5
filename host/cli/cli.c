/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "host/base/utf8.h"

#include "phasebench/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int cli_fail(int exit_code, const char *format, ...)
{
    va_list arguments;
    char sentence[2048], clean[sizeof sentence];

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pb_utf8_clean(clean, sizeof clean, sentence);
    fprintf(stderr, "phasebench: %s\n", clean);
    return exit_code;
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    char line[8192], clean[sizeof line];

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pb_utf8_clean(clean, sizeof clean, line);
    puts(clean);
}

json_t *cli_json_text(const char *text)
{
    const size_t size = 3 * strlen(text) + 1; /* an invalid UTF-8 byte becomes three */
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    pb_utf8_clean(clean, size, text);
    json_t *string = json_string(clean);
    free(clean);
    return string;
}

bool cli_number(const char *name, const char *text, const char *unit, uint64_t low, uint64_t high,
                uint64_t *value)
{
    if (pb_parse_number(text, strlen(text), value) && *value >= low && *value <= high)
        return true;
    cli_fail(CLI_USAGE, "%s is '%s'; give a whole number %" PRIu64 "..%" PRIu64 "%s%s", name, text, low, high,
             unit ? " " : "", unit ? unit : "");
    return false;
}

bool cli_unsigned(const char *name, const char *text, const char *unit, unsigned low, unsigned high,
                  unsigned *value)
{
    uint64_t wide;
    if (!cli_number(name, text, unit, low, high, &wide))
        return false;
    *value = (unsigned)wide;
    return true;
}

bool cli_decimal(const char *name, const char *text, const char *unit, unsigned decimals, uint64_t low,
                 uint64_t high, uint64_t *scaled)
{
    char low_text[CLI_FIXED_SIZE], high_text[CLI_FIXED_SIZE];

    if (pb_parse_decimal(text, strlen(text), decimals, scaled) && *scaled >= low && *scaled <= high)
        return true;
    cli_fail(CLI_USAGE, "%s is '%s'; give %s..%s %s with at most %u decimals", name, text,
             cli_fixed(low_text, (int64_t)low, decimals), cli_fixed(high_text, (int64_t)high, decimals), unit,
             decimals);
    return false;
}

const char *cli_fixed(char text[CLI_FIXED_SIZE], int64_t value, unsigned decimals)
{
    int64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;

    int length = snprintf(text, CLI_FIXED_SIZE, "%" PRId64, value / unit);
    if (value % unit) {
        length += snprintf(text + length, CLI_FIXED_SIZE - (size_t)length, ".%0*" PRId64, (int)decimals,
                           value % unit);
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    return text;
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

int cli_worse(int left, int right)
{
    static const int order[] = {CLI_INTERRUPTED, CLI_TIMEOUT,     CLI_BENCH_FAILED, CLI_BAD_SCENARIO,
                                CLI_USAGE,       CLI_NODE_FAILED, CLI_INCONCLUSIVE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (left == order[i] || right == order[i])
            return order[i];
    return CLI_PASS;
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

int64_t cli_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int cli_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_PASS;
    return cli_fail(CLI_BENCH_FAILED,
                    "cannot write the result to stdout: %s; check the disk or the reader of the pipe",
                    strerror(errno));
}

static bool json_incomplete;

void cli_json_set(json_t *object, const char *key, json_t *value)
{
    json_incomplete |= json_object_set_new(object, key, value) != 0;
}

void cli_json_add(json_t *array, json_t *value)
{
    json_incomplete |= json_array_append_new(array, value) != 0;
}

int cli_print_json(json_t *object)
{
    const bool incomplete = json_incomplete;
    json_incomplete = false;
    if (incomplete)
        json_decref(object);
    if (!object || incomplete)
        return cli_fail(CLI_BENCH_FAILED, "no memory for the JSON result; ask for less");

    /* A double keeps 15 decimal digits, so 0.1 is printed as 0.1. */
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    putchar('\n');
    int code = cli_flush();
    if (code == CLI_PASS && failed)
        code = cli_fail(CLI_BENCH_FAILED, "no memory for the JSON text; ask for less");
    return code;
}
