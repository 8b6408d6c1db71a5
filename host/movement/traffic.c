/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/random.h"
#include "phasebench/traffic.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_PATTERNS                                                                                       \
    "xor:MASK, xors:SEED, complement, bitrev, transpose, shuffle, perm:SEED, uniform:SEED, hotspot:NODE, "   \
    "pairs:NODE or total"

/* Total exchange grows with the square of the nodes: 2^20 messages of 2^10 nodes, 2^32 of 2^16. */
#define TOTAL_ADDRESS_BITS_MAX 10
#define TOTAL_NODES_MAX (UINT32_C(1) << TOTAL_ADDRESS_BITS_MAX)

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
    const struct pb_network *network;
    uint64_t argument;
    uint64_t random_state;
};

static uint32_t to_masked(struct generator *generator, uint32_t source)
{
    return source ^ (uint32_t)generator->argument;
}

static uint32_t to_complement(struct generator *generator, uint32_t source)
{
    return source ^ (generator->network->nodes - 1);
}

static uint32_t to_reversed(struct generator *generator, uint32_t source)
{
    uint32_t reversed = 0;
    for (unsigned bit = 0; bit < generator->network->address_bits; bit++)
        reversed = reversed << 1 | ((source >> bit) & 1);
    return reversed;
}

static uint32_t to_rotated(const struct generator *generator, uint32_t source, unsigned by)
{
    const struct pb_network *network = generator->network;
    return (source << by | source >> (network->address_bits - by)) & (network->nodes - 1);
}

static uint32_t to_transposed(struct generator *generator, uint32_t source)
{
    return to_rotated(generator, source, generator->network->address_bits / 2);
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
    return (uint32_t)(pb_splitmix64(&generator->random_state) % generator->network->nodes);
}

static uint32_t to_hotspot(struct generator *generator, uint32_t source)
{
    (void)source;
    return (uint32_t)generator->argument;
}

static int fill_one_per_source(struct pb_traffic *out, struct generator *generator,
                               uint32_t (*destination)(struct generator *, uint32_t))
{
    uint32_t nodes = generator->network->nodes;
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
 * dimensions i < j is released in superframe j - i - 1, so that a superframe uses each link once. */
static int fill_pairs(struct pb_traffic *out, const struct generator *generator)
{
    const uint32_t node = (uint32_t)generator->argument;
    const struct pb_network *network = generator->network;
    for (unsigned apart = 1; apart < network->ports; apart++)
        for (unsigned in = 0; in + apart < network->ports; in++) {
            if (!pb_network_has_wire(network, node, in) || !pb_network_has_wire(network, node, in + apart))
                continue;
            int code = pb_traffic_add(
                out, &(struct pb_message){.source = pb_network_peer(network, node, in).node,
                                          .destination = pb_network_peer(network, node, in + apart).node,
                                          .release_superframe = apart - 1});
            if (code)
                return code;
        }
    return 0;
}

static int fill_total_exchange(struct pb_traffic *out, const struct generator *generator)
{
    uint32_t nodes = generator->network->nodes;
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

/* Condition of a pattern on the network. */
enum demand {
    DEMAND_NONE,
    DEMAND_BITS, /* 2^n nodes */
    DEMAND_CUBE  /* each port corrects one bit */
};

struct pattern {
    const char *name;
    enum argument argument;
    enum demand demand;
    uint32_t (*destination)(struct generator *generator, uint32_t source);  /* one message per source, or */
    int (*fill)(struct pb_traffic *out, const struct generator *generator); /* fills the list itself */
};

static const struct pattern patterns[] = {
    {"xor", ARGUMENT_ADDRESS, DEMAND_BITS, to_masked, NULL},
    {"xors", ARGUMENT_SEED, DEMAND_BITS, to_masked, NULL},
    {"complement", ARGUMENT_NONE, DEMAND_BITS, to_complement, NULL},
    {"bitrev", ARGUMENT_NONE, DEMAND_BITS, to_reversed, NULL},
    {"transpose", ARGUMENT_NONE, DEMAND_BITS, to_transposed, NULL},
    {"shuffle", ARGUMENT_NONE, DEMAND_BITS, to_shuffled, NULL},
    {"perm", ARGUMENT_SEED, DEMAND_NONE, to_itself, NULL},
    {"uniform", ARGUMENT_SEED, DEMAND_NONE, to_anywhere, NULL},
    {"hotspot", ARGUMENT_ADDRESS, DEMAND_NONE, to_hotspot, NULL},
    {"pairs", ARGUMENT_ADDRESS, DEMAND_CUBE, NULL, fill_pairs},
    {"total", ARGUMENT_NONE, DEMAND_NONE, NULL, fill_total_exchange},
};

static const struct pattern *find_pattern(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strlen(patterns[i].name) == length && memcmp(patterns[i].name, name, length) == 0)
            return &patterns[i];
    return NULL;
}

static int parse_argument(const struct pattern *pattern, const struct pb_network *network, const char *text,
                          uint64_t *value, struct pb_diag *diag)
{
    uint32_t last = network->nodes - 1;
    char size[PB_NETWORK_TEXT_SIZE];

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
                       "traffic '%s' has value 0x%" PRIX64 ", the limit with %s is 0x%" PRIX32
                       "; lower it or raise the %s",
                       pattern->name, *value, pb_network_text(network, size), last,
                       network->dims ? "dimensions" : "radix");
    return 0;
}

int pb_pattern_fill(const struct pb_pattern *parsed, uint64_t repetition, struct pb_traffic *list)
{
    const struct pattern *pattern = parsed->kind;
    const uint64_t argument = parsed->argument + (parsed->seeded ? repetition : 0);
    struct generator generator = {&parsed->network, argument, argument};

    list->count = 0;
    if (pattern->fill)
        return pattern->fill(list, &generator);
    if (pattern->destination == to_masked && parsed->seeded)
        generator.argument = pb_splitmix64(&generator.random_state) % parsed->network.nodes;

    int code = fill_one_per_source(list, &generator, pattern->destination);
    if (code == 0 && pattern->destination == to_itself)
        shuffle_destinations(list, &generator);
    return code;
}

static int check_demand(const struct pattern *pattern, const struct pb_network *network, struct pb_diag *diag)
{
    char size[PB_NETWORK_TEXT_SIZE];

    if (pattern->demand != DEMAND_NONE && !network->address_bits)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "traffic '%s' needs addresses of whole bits, and %s makes %" PRIu32
                       " nodes, no power of two; use perm:SEED, uniform:SEED, hotspot:NODE or total",
                       pattern->name, pb_network_text(network, size), network->nodes);
    if (pattern->demand == DEMAND_CUBE && network->ports != network->address_bits)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "traffic '%s' needs a binary cube, and %s makes %u ports for %u address bits; use "
                       "perm:SEED or uniform:SEED",
                       pattern->name, pb_network_text(network, size), network->ports, network->address_bits);
    if (pattern->destination == to_transposed && network->address_bits % 2)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "traffic 'transpose' needs an even number of %s, got %u; use shuffle or bitrev",
                       network->dims ? "dimensions" : "address bits", network->address_bits);
    if (pattern->fill != fill_total_exchange || network->nodes <= TOTAL_NODES_MAX)
        return PB_OK;
    if (network->dims)
        return pb_fail(diag, PB_ERR_ARGUMENT, "traffic 'total' is limited to %d dimensions, got %u; lower it",
                       TOTAL_ADDRESS_BITS_MAX, network->dims);
    return pb_fail(diag, PB_ERR_ARGUMENT,
                   "traffic 'total' is limited to %" PRIu32 " nodes, got %" PRIu32 "; lower a radix",
                   TOTAL_NODES_MAX, network->nodes);
}

int pb_pattern_parse(struct pb_pattern *out, const struct pb_network *network, const char *text,
                     struct pb_diag *diag)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    const struct pattern *pattern = find_pattern(text, length);
    if (!pattern)
        return pb_fail(diag, PB_ERR_ARGUMENT, "unknown traffic '%.60s'; use " KNOWN_PATTERNS, text);

    *out = (struct pb_pattern){
        .network = *network, .kind = pattern, .seeded = pattern->argument == ARGUMENT_SEED};
    int code = parse_argument(pattern, network, colon ? colon + 1 : NULL, &out->argument, diag);
    return code == PB_OK ? check_demand(pattern, network, diag) : code;
}

int pb_traffic_generate(struct pb_traffic *out, const struct pb_network *network, const char *pattern_text,
                        struct pb_diag *diag)
{
    struct pb_pattern pattern;

    *out = (struct pb_traffic){0};
    int code = pb_pattern_parse(&pattern, network, pattern_text, diag);
    if (code)
        return code;
    code = pb_pattern_fill(&pattern, 0, out);
    if (code) {
        char size[PB_NETWORK_TEXT_SIZE];
        pb_traffic_free(out);
        return pb_fail(diag, code, "no memory for traffic '%.60s' with %s; lower them", pattern_text,
                       pb_network_text(network, size));
    }
    return 0;
}

/* A text being read, and the place for its diagnostics. */
struct reader {
    const char *name;
    size_t line;
    const struct pb_network *network;
    struct pb_diag *diag;
    bool timed; /* a line has its release */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Removes the next word from *text; length 0 at the end of the line. */
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
    uint32_t last = reader->network->nodes - 1;
    char size[PB_NETWORK_TEXT_SIZE];
    int shown = length < 40 ? (int)length : 40;
    uint64_t value;

    if (length == 0)
        return pb_fail(reader->diag, PB_ERR_CONFIG,
                       "%.120s:%zu: the %s is missing; write 'source destination'", reader->name,
                       reader->line, what);
    if (!pb_parse_number(word, length, &value) || value > last)
        return pb_fail(
            reader->diag, PB_ERR_CONFIG,
            "%.120s:%zu: %s '%.*s' is not an address of the %s; with %s give 0..%" PRIu32 " (0x%" PRIX32 ")",
            reader->name, reader->line, what, shown, word, reader->network->dims ? "cube" : "network",
            pb_network_text(reader->network, size), last, last);
    *address = (uint32_t)value;
    return 0;
}

/* `superframe [phase]`, which may both be missing. */
static int parse_release(const struct reader *reader, const char **text, const char *end,
                         struct pb_message *message)
{
    const struct {
        const char *what;
        uint64_t last;
    } part[] = {{"superframe", UINT32_MAX - 1}, {"phase", reader->network->phases - 1}};
    uint64_t value[2] = {0, 0};
    const char *word;

    for (unsigned i = 0; i < 2; i++) {
        const size_t length = next_word(text, end, &word);
        if (length == 0)
            break;
        if (!pb_parse_number(word, length, &value[i]) || value[i] > part[i].last)
            return pb_fail(reader->diag, PB_ERR_CONFIG,
                           "%.120s:%zu: %s '%.*s' is out of range; give 0..%" PRIu64, reader->name,
                           reader->line, part[i].what, length < 40 ? (int)length : 40, word, part[i].last);
    }
    message->release_superframe = (uint32_t)value[0];
    message->release_phase = (unsigned)value[1];
    return PB_OK;
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
    if (code == PB_OK && reader->timed)
        code = parse_release(reader, &text, end, &message);
    if (code)
        return code;
    length = next_word(&text, end, &word);
    if (length)
        return pb_fail(reader->diag, PB_ERR_CONFIG, "%.120s:%zu: '%.*s' follows the %s per line",
                       reader->name, reader->line, length < 40 ? (int)length : 40, word,
                       reader->timed ? "phase; write one 'source destination superframe phase'"
                                     : "destination; write one 'source destination'");
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

static int parse_text(struct reader reader, struct pb_traffic *out, const char *text, size_t length)
{
    const char *end = length ? text + length : text; /* NULL + 0 is undefined */

    *out = (struct pb_traffic){0};
    int code = PB_OK;
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

int pb_traffic_parse_text(struct pb_traffic *out, const struct pb_network *network, const char *name,
                          const char *text, size_t length, struct pb_diag *diag)
{
    return parse_text((struct reader){.name = name, .line = 1, .network = network, .diag = diag}, out, text,
                      length);
}

int pb_traffic_parse_trace(struct pb_traffic *out, const struct pb_network *network, const char *name,
                           const char *text, size_t length, struct pb_diag *diag)
{
    return parse_text(
        (struct reader){.name = name, .line = 1, .network = network, .diag = diag, .timed = true}, out, text,
        length);
}
