/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/traffic.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_PATTERNS                                                                                       \
    "xor:MASK, xors:SEED, complement, bitrev, transpose, shuffle, perm:SEED, uniform:SEED, hotspot:NODE, "   \
    "pairs:NODE or total"

/* Total exchange grows with the square of the nodes: 2^20 messages at 10 dimensions, 2^32 at 16. */
#define TOTAL_DIMS_MAX 10

uint64_t pb_splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int reserve(struct pb_traffic *traffic, size_t capacity)
{
    if (capacity <= traffic->capacity)
        return 0;
    if (capacity > SIZE_MAX / sizeof *traffic->message)
        return PB_ERR_MEMORY;

    struct pb_message *grown = realloc(traffic->message, capacity * sizeof *grown);
    if (!grown)
        return PB_ERR_MEMORY;
    traffic->message = grown;
    traffic->capacity = capacity;
    return 0;
}

int pb_traffic_add(struct pb_traffic *traffic, const struct pb_message *message)
{
    if (traffic->count == traffic->capacity) {
        int code = reserve(traffic, traffic->capacity ? 2 * traffic->capacity : 16);
        if (code)
            return code;
    }
    traffic->message[traffic->count++] = *message;
    return 0;
}

void pb_traffic_free(struct pb_traffic *traffic)
{
    if (!traffic)
        return;
    free(traffic->message);
    *traffic = (struct pb_traffic){0};
}

struct generator {
    unsigned dims;
    uint64_t argument;
    uint64_t random_state;
};

static uint32_t to_masked(struct generator *generator, uint32_t source)
{
    return source ^ (uint32_t)generator->argument;
}

static uint32_t to_complement(struct generator *generator, uint32_t source)
{
    return source ^ (pb_cube_nodes(generator->dims) - 1);
}

static uint32_t to_reversed(struct generator *generator, uint32_t source)
{
    uint32_t reversed = 0;
    for (unsigned bit = 0; bit < generator->dims; bit++)
        reversed = reversed << 1 | ((source >> bit) & 1);
    return reversed;
}

static uint32_t to_rotated(const struct generator *generator, uint32_t source, unsigned by)
{
    return (source << by | source >> (generator->dims - by)) & (pb_cube_nodes(generator->dims) - 1);
}

static uint32_t to_transposed(struct generator *generator, uint32_t source)
{
    return to_rotated(generator, source, generator->dims / 2);
}

static uint32_t to_shuffled(struct generator *generator, uint32_t source)
{
    return to_rotated(generator, source, 1);
}

static uint32_t to_itself(struct generator *generator, uint32_t source)
{
    (void)generator;
    return source;
}

static uint32_t to_anywhere(struct generator *generator, uint32_t source)
{
    (void)source;
    return (uint32_t)(pb_splitmix64(&generator->random_state) % pb_cube_nodes(generator->dims));
}

static uint32_t to_hotspot(struct generator *generator, uint32_t source)
{
    (void)source;
    return (uint32_t)generator->argument;
}

static int fill_one_per_source(struct pb_traffic *out, struct generator *generator,
                               uint32_t (*destination)(struct generator *, uint32_t))
{
    uint32_t nodes = pb_cube_nodes(generator->dims);
    int code = reserve(out, nodes);
    if (code)
        return code;
    for (uint32_t source = 0; source < nodes; source++)
        out->message[source] =
            (struct pb_message){.source = source, .destination = destination(generator, source)};
    out->count = nodes;
    return 0;
}

static void shuffle_destinations(struct pb_traffic *traffic, struct generator *generator)
{
    for (size_t i = traffic->count - 1; i > 0; i--) {
        size_t j = (size_t)(pb_splitmix64(&generator->random_state) % (i + 1));
        uint32_t kept = traffic->message[i].destination;
        traffic->message[i].destination = traffic->message[j].destination;
        traffic->message[j].destination = kept;
    }
}

/* From every neighbour of the node, through it, to every neighbour on a higher dimension. The pair of
 * dimensions i < j is released in superframe j - i - 1, so that no link is wanted twice in a superframe. */
static int fill_pairs(struct pb_traffic *out, const struct generator *generator)
{
    const uint32_t node = (uint32_t)generator->argument;
    for (unsigned apart = 1; apart < generator->dims; apart++)
        for (unsigned in = 0; in + apart < generator->dims; in++) {
            int code = pb_traffic_add(out, &(struct pb_message){.source = pb_neighbour(node, in),
                                                                .destination = pb_neighbour(node, in + apart),
                                                                .release_superframe = apart - 1});
            if (code)
                return code;
        }
    return 0;
}

static int fill_total_exchange(struct pb_traffic *out, const struct generator *generator)
{
    uint32_t nodes = pb_cube_nodes(generator->dims);
    int code = reserve(out, (size_t)nodes * (nodes - 1));
    if (code)
        return code;
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t destination = 0; destination < nodes; destination++)
            if (destination != source)
                out->message[out->count++] =
                    (struct pb_message){.source = source, .destination = destination};
    return 0;
}

enum argument { ARGUMENT_NONE, ARGUMENT_ADDRESS, ARGUMENT_SEED };

struct pattern {
    const char *name;
    enum argument argument;
    uint32_t (*destination)(struct generator *generator, uint32_t source);  /* one message per source, or */
    int (*fill)(struct pb_traffic *out, const struct generator *generator); /* makes the list itself */
};

static const struct pattern patterns[] = {
    {"xor", ARGUMENT_ADDRESS, to_masked, NULL},
    {"xors", ARGUMENT_SEED, to_masked, NULL},
    {"complement", ARGUMENT_NONE, to_complement, NULL},
    {"bitrev", ARGUMENT_NONE, to_reversed, NULL},
    {"transpose", ARGUMENT_NONE, to_transposed, NULL},
    {"shuffle", ARGUMENT_NONE, to_shuffled, NULL},
    {"perm", ARGUMENT_SEED, to_itself, NULL},
    {"uniform", ARGUMENT_SEED, to_anywhere, NULL},
    {"hotspot", ARGUMENT_ADDRESS, to_hotspot, NULL},
    {"pairs", ARGUMENT_ADDRESS, NULL, fill_pairs},
    {"total", ARGUMENT_NONE, NULL, fill_total_exchange},
};

static const struct pattern *find_pattern(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strlen(patterns[i].name) == length && memcmp(patterns[i].name, name, length) == 0)
            return &patterns[i];
    return NULL;
}

static int parse_argument(const struct pattern *pattern, unsigned dims, const char *text, uint64_t *value,
                          struct pb_diag *diag)
{
    uint32_t last = pb_cube_nodes(dims) - 1;

    if (pattern->argument == ARGUMENT_NONE) {
        if (!text)
            return 0;
        return pb_fail(diag, PB_ERR_ARGUMENT, "traffic '%s' takes no value, got '%.40s'; leave out the ':'",
                       pattern->name, text);
    }
    if (!text)
        return pb_fail(diag, PB_ERR_ARGUMENT, "traffic '%s' needs a value; write '%s:%s'", pattern->name,
                       pattern->name, pattern->argument == ARGUMENT_SEED ? "1" : "0x0");
    if (!pb_parse_number(text, strlen(text), value))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "traffic '%s' has value '%.40s'; give a decimal or 0x hexadecimal number below 2^64",
                       pattern->name, text);
    if (pattern->argument == ARGUMENT_ADDRESS && *value > last)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "traffic '%s' has value 0x%" PRIX64 ", the limit with %u dimensions is 0x%" PRIX32
                       "; lower it or raise the dimensions",
                       pattern->name, *value, dims, last);
    return 0;
}

static int generate(struct pb_traffic *out, const struct pattern *pattern, struct generator *generator)
{
    if (pattern->fill)
        return pattern->fill(out, generator);
    if (pattern->destination == to_masked && pattern->argument == ARGUMENT_SEED)
        generator->argument = pb_splitmix64(&generator->random_state) % pb_cube_nodes(generator->dims);

    int code = fill_one_per_source(out, generator, pattern->destination);
    if (code == 0 && pattern->destination == to_itself)
        shuffle_destinations(out, generator);
    return code;
}

static int check_dims(unsigned dims, struct pb_diag *diag)
{
    if (dims >= PB_DIMS_MIN && dims <= PB_DIMS_MAX)
        return 0;
    return pb_fail(diag, PB_ERR_ARGUMENT, "the cube has %u dimensions; give %d..%d", dims, PB_DIMS_MIN,
                   PB_DIMS_MAX);
}

int pb_traffic_generate(struct pb_traffic *out, unsigned dims, const char *pattern_text, struct pb_diag *diag)
{
    *out = (struct pb_traffic){0};
    int code = check_dims(dims, diag);
    if (code)
        return code;

    const char *colon = strchr(pattern_text, ':');
    size_t length = colon ? (size_t)(colon - pattern_text) : strlen(pattern_text);
    const struct pattern *pattern = find_pattern(pattern_text, length);
    if (!pattern)
        return pb_fail(diag, PB_ERR_ARGUMENT, "unknown traffic '%.60s'; use " KNOWN_PATTERNS, pattern_text);

    struct generator generator = {.dims = dims};
    code = parse_argument(pattern, dims, colon ? colon + 1 : NULL, &generator.argument, diag);
    if (code)
        return code;
    generator.random_state = generator.argument;

    if (pattern->destination == to_transposed && dims % 2)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "traffic 'transpose' needs an even number of dimensions, got %u; use shuffle or bitrev", dims);
    if (pattern->fill == fill_total_exchange && dims > TOTAL_DIMS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "traffic 'total' is limited to %d dimensions, got %u; lower it",
                       TOTAL_DIMS_MAX, dims);

    code = generate(out, pattern, &generator);
    if (code) {
        pb_traffic_free(out);
        return pb_fail(diag, code, "no memory for traffic '%.60s' with %u dimensions; lower them",
                       pattern_text, dims);
    }
    return 0;
}

/* A text being read, with what its error sentences need. */
struct reader {
    const char *name;
    size_t line;
    unsigned dims;
    struct pb_diag *diag;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Cuts the next word off *text; length 0 at the end of the line. */
static size_t next_word(const char **text, const char *end, const char **word)
{
    while (*text < end && is_blank(**text))
        ++*text;
    *word = *text;
    while (*text < end && !is_blank(**text))
        ++*text;
    return (size_t)(*text - *word);
}

static int parse_address(const struct reader *reader, const char *what, const char *word, size_t length,
                         uint32_t *address)
{
    uint32_t last = pb_cube_nodes(reader->dims) - 1;
    int shown = length < 40 ? (int)length : 40;
    uint64_t value;

    if (length == 0)
        return pb_fail(reader->diag, PB_ERR_CONFIG,
                       "%.120s:%zu: the %s is missing; write 'source destination'", reader->name,
                       reader->line, what);
    if (!pb_parse_number(word, length, &value) || value > last)
        return pb_fail(
            reader->diag, PB_ERR_CONFIG,
            "%.120s:%zu: %s '%.*s' is not an address of the cube; with %u dimensions give 0..%" PRIu32
            " (0x%" PRIX32 ")",
            reader->name, reader->line, what, shown, word, reader->dims, last, last);
    *address = (uint32_t)value;
    return 0;
}

static int parse_line(const struct reader *reader, const char *text, const char *end, struct pb_traffic *out)
{
    struct pb_message message = {0};
    const char *word;
    size_t length;
    int code;

    const char *comment = memchr(text, '#', (size_t)(end - text));
    if (comment)
        end = comment;

    length = next_word(&text, end, &word);
    if (length == 0)
        return 0;
    code = parse_address(reader, "source", word, length, &message.source);
    if (code)
        return code;
    length = next_word(&text, end, &word);
    code = parse_address(reader, "destination", word, length, &message.destination);
    if (code)
        return code;
    length = next_word(&text, end, &word);
    if (length)
        return pb_fail(reader->diag, PB_ERR_CONFIG,
                       "%.120s:%zu: '%.*s' follows the destination; write one 'source destination' per line",
                       reader->name, reader->line, length < 40 ? (int)length : 40, word);
    if (pb_traffic_add(out, &message))
        return pb_fail(reader->diag, PB_ERR_MEMORY,
                       "%.120s:%zu: no memory after %zu messages; split the file", reader->name, reader->line,
                       out->count);
    return 0;
}

static int check_printable(const struct reader *reader, const char *text, const char *end)
{
    for (; text < end; text++)
        if (!is_blank(*text) && (*text < 0x20 || *text > 0x7E))
            return pb_fail(
                reader->diag, PB_ERR_CONFIG,
                "%.120s:%zu: byte 0x%02X is not printable ASCII; give a text file, not a binary one",
                reader->name, reader->line, (unsigned)(unsigned char)*text);
    return 0;
}

int pb_traffic_parse_text(struct pb_traffic *out, unsigned dims, const char *name, const char *text,
                          size_t length, struct pb_diag *diag)
{
    struct reader reader = {.name = name, .line = 1, .dims = dims, .diag = diag};
    const char *end = length ? text + length : text; /* NULL may not be added to */

    *out = (struct pb_traffic){0};
    int code = check_dims(dims, diag);
    while (code == 0 && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;

        code = check_printable(&reader, text, line_end);
        if (code == 0)
            code = parse_line(&reader, text, line_end, out);
        text = newline ? newline + 1 : end;
        reader.line++;
    }
    if (code)
        pb_traffic_free(out);
    return code;
}
