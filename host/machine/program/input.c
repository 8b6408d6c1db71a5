/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of a program: drawn, numbers in a text, or a picture of the Netpbm family. */
#include "job.h"
#include "program.h"

#include "phasebench/number.h"
#include "phasebench/random.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_LEAST = -32768, SAMPLE_MOST = 32767, BRIGHTEST = 255, DARK = 128 };
#define NO_NODE UINT32_MAX

static void put(uint8_t *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static size_t node_bytes(const struct pb_program_job *job)
{
    return pb_program_input_bytes(job->program, job->network);
}

/* Numbers that a node takes, and bytes of each. */
static uint32_t numbers_of_node(const struct pb_program_job *job)
{
    return job->kind->form == PB_PROGRAM_MATRIX    ? job->network->nodes
           : job->kind->form == PB_PROGRAM_SAMPLES ? 2
                                                   : 1;
}

static uint8_t *number_at(const struct pb_program_job *job, uint64_t number)
{
    const uint32_t each = numbers_of_node(job);
    const size_t bytes = node_bytes(job) / each;
    const uint32_t node =
        pb_program_source(job->program, job->network, job->argument, (uint32_t)(number / each));
    return job->inputs + node * node_bytes(job) + number % each * bytes;
}

/* ---- drawn */

static void draw(struct pb_program_job *job, uint64_t seed)
{
    const unsigned bytes = (unsigned)(node_bytes(job) / numbers_of_node(job));
    const uint64_t count = (uint64_t)job->network->nodes * numbers_of_node(job);
    uint64_t state = seed;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = pb_splitmix64(&state) & ((UINT64_C(1) << job->kind->bits) - 1);
        if (job->kind->form == PB_PROGRAM_CELLS)
            value = value % 8 < 3; /* a board that lives for long */
        else if (strcmp(job->program->name, "barrier") == 0)
            value %= job->argument; /* before a superframe that is played */
        put(number_at(job, i), (uint32_t)value, bytes);
    }
}

/* A permutation of all nodes, by exchanges; one message in eight is left out. */
static void draw_routes(struct pb_program_job *job, uint64_t seed)
{
    const uint32_t nodes = job->network->nodes;
    uint64_t state = seed;
    for (uint32_t node = 0; node < nodes; node++) {
        const uint32_t other = (uint32_t)(pb_splitmix64(&state) % (node + 1));
        put(number_at(job, node), program_get32(number_at(job, other)), 4);
        put(number_at(job, other), node, 4);
    }
    for (uint32_t node = 0; node < nodes; node++)
        if (pb_splitmix64(&state) % 8 == 0)
            put(number_at(job, node), NO_NODE, 4);
}

static int check_routes(const struct pb_program_job *job, const char *path, struct pb_diag *diag)
{
    const uint32_t nodes = job->network->nodes;
    uint32_t *source = malloc(nodes * sizeof *source);
    int code = source ? PB_OK : pb_fail(diag, PB_ERR_MEMORY, "no memory for %" PRIu32 " destinations", nodes);
    for (uint32_t node = 0; source && node < nodes; node++)
        source[node] = NO_NODE;
    for (uint32_t node = 0; code == PB_OK && node < nodes; node++) {
        const uint32_t to = program_get32(number_at(job, node));
        if (to == NO_NODE)
            continue;
        if (to >= nodes)
            code = pb_fail(diag, PB_ERR_CONFIG,
                           "%s: node 0x%" PRIX32 " sends to %" PRIu32 "; there are the nodes 0..%" PRIu32
                           ", and - for no message",
                           path, node, to, nodes - 1);
        else if (source[to] != NO_NODE)
            code = pb_fail(diag, PB_ERR_CONFIG,
                           "%s: nodes 0x%" PRIX32 " and 0x%" PRIX32 " both send to node 0x%" PRIX32
                           "; in a permutation each node gets one message at most",
                           path, source[to], node, to);
        else
            source[to] = node;
    }
    free(source);
    return code;
}

/* ---- numbers */

struct text {
    const char *path, *at, *end;
    unsigned line;
};

/* Goes to the next word; false: there is none. */
static bool next_word(struct text *text)
{
    for (; text->at < text->end; text->at++) {
        if (*text->at == '#')
            while (text->at + 1 < text->end && text->at[1] != '\n')
                text->at++;
        else if (!isspace((unsigned char)*text->at) && *text->at != ',')
            return true;
        else if (*text->at == '\n')
            text->line++;
    }
    return false;
}

static size_t word_length(const struct text *text)
{
    size_t length = 0;
    while (text->at + length < text->end && !isspace((unsigned char)text->at[length]) &&
           text->at[length] != ',' && text->at[length] != '#')
        length++;
    return length;
}

static bool take_number(const struct pb_program_job *job, const char *word, size_t length, uint32_t *value)
{
    const bool samples = job->kind->form == PB_PROGRAM_SAMPLES, negative = samples && *word == '-';
    const uint64_t most = !samples ? UINT32_MAX : negative ? -SAMPLE_LEAST : SAMPLE_MOST;
    uint64_t number;
    if (job->kind->form == PB_PROGRAM_ROUTES && length == 1 && *word == '-') {
        *value = NO_NODE;
        return true;
    }
    if (!pb_parse_number(word + negative, length - negative, &number) || number > most)
        return false;
    *value = negative ? (uint32_t)-number : (uint32_t)number;
    return true;
}

static int read_numbers(struct pb_program_job *job, struct text text, struct pb_diag *diag)
{
    const uint64_t wanted = (uint64_t)job->network->nodes * numbers_of_node(job);
    const unsigned bytes = (unsigned)(node_bytes(job) / numbers_of_node(job));
    const char *range = job->kind->form == PB_PROGRAM_SAMPLES ? "-32768..32767" : "0..4294967295";
    uint64_t count = 0;
    for (; next_word(&text); count++) {
        const size_t length = word_length(&text);
        uint32_t value;
        if (!take_number(job, text.at, length, &value))
            return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: '%.*s' is no number of %s; give one", text.path,
                           text.line, length < 40 ? (int)length : 40, text.at, range);
        if (count < wanted)
            put(number_at(job, count), value, bytes);
        text.at += length;
    }
    if (count == wanted)
        return job->kind->form == PB_PROGRAM_ROUTES ? check_routes(job, text.path, diag) : PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s: holds %" PRIu64 " numbers; program '%s' takes %" PRIu32 " for each of %" PRIu32
                   " nodes, %" PRIu64 " in all; give as many, or another network",
                   text.path, count, job->program->name, numbers_of_node(job), job->network->nodes, wanted);
}

/* ---- pictures */

/* A number of the head of a picture, or of its pixels as text. False: there is none up to `most`. */
static bool picture_number(struct text *text, unsigned most, unsigned *value)
{
    if (!next_word(text) || !isdigit((unsigned char)*text->at))
        return false;
    for (*value = 0; text->at < text->end && isdigit((unsigned char)*text->at); text->at++) {
        *value = *value * 10 + (unsigned)(*text->at - '0');
        if (*value > most)
            return false;
    }
    return true;
}

static int refuse_picture(const struct text *text, bool cells, const char *what, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_CONFIG, "%s: %s; give a picture as %sPGM (P2, P5, white 255)", text->path,
                   what, cells ? "PBM (P1, P4) or " : "");
}

/* The next pixel as a grey value, 0 black. x: its column. False: the picture ends early. */
static bool next_pixel(struct text *text, char magic, unsigned x, unsigned *value)
{
    switch (magic) {
    case '1':
        if (!next_word(text) || (*text->at != '0' && *text->at != '1'))
            return false;
        *value = *text->at++ == '1' ? 0 : BRIGHTEST;
        return true;
    case '2':
        return picture_number(text, BRIGHTEST, value);
    case '4':
        if (text->at == text->end)
            return false;
        *value = (unsigned char)*text->at >> (7 - x % 8) & 1 ? 0 : BRIGHTEST;
        text->at += x % 8 == 7;
        return true;
    default:
        if (text->at == text->end)
            return false;
        *value = (unsigned char)*text->at++;
        return true;
    }
}

static int read_picture(struct pb_program_job *job, struct text text, struct pb_diag *diag)
{
    enum { SIDE_MOST = 1000000 };
    const unsigned side = pb_program_side(job->network);
    const bool cells = job->kind->form == PB_PROGRAM_CELLS;
    const char magic = text.end - text.at > 2 && *text.at == 'P' ? text.at[1] : '\0';
    unsigned width, height, most = BRIGHTEST, value;
    char what[120];
    if (magic == '\0' || !strchr(cells ? "1245" : "25", magic))
        return refuse_picture(&text, cells, cells ? "is no picture of cells" : "is no picture of grey pixels",
                              diag);
    text.at += 2;
    if (!picture_number(&text, SIDE_MOST, &width) || !picture_number(&text, SIDE_MOST, &height))
        return refuse_picture(&text, cells, "has no width and height in its head", diag);
    if ((magic == '2' || magic == '5') && (!picture_number(&text, 65535, &most) || most != BRIGHTEST))
        return refuse_picture(&text, cells, "does not have 255 as the value of white", diag);
    if (width != side || height != side)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: has %u x %u pixels; %u dimensions take %u x %u, one a node; give such a "
                       "picture, or other dimensions",
                       text.path, width, height, job->network->dims, side, side);
    text.at += text.at < text.end && (magic == '4' || magic == '5'); /* one blank after the head */
    for (unsigned y = 0; y < side; y++) {
        for (unsigned x = 0; x < side; x++) {
            if (!next_pixel(&text, magic, x, &value)) {
                snprintf(what, sizeof what, "ends, or has no pixel, in row %u, column %u", y, x);
                return refuse_picture(&text, cells, what, diag);
            }
            *number_at(job, (uint64_t)y * side + x) = (uint8_t)(cells ? value < DARK : value);
        }
        text.at += magic == '4' && side % 8; /* a row ends with its byte */
    }
    return PB_OK;
}

static int make_room(struct pb_program_job *job, struct pb_diag *diag)
{
    job->length = node_bytes(job) * job->network->nodes;
    job->inputs = calloc(job->length, 1);
    return job->inputs ? PB_OK
                       : pb_fail(diag, PB_ERR_MEMORY, "no memory for an input of %zu bytes; give fewer nodes",
                                 job->length);
}

int pb_program_job_draw(struct pb_program_job *job, uint64_t seed, struct pb_diag *diag)
{
    const int code = make_room(job, diag);
    if (!code && job->kind->form == PB_PROGRAM_ROUTES)
        draw_routes(job, seed);
    else if (!code)
        draw(job, seed);
    return code;
}

int pb_program_job_read(struct pb_program_job *job, const char *name, const char *bytes, size_t length,
                        struct pb_diag *diag)
{
    const struct text text = {name, bytes, bytes + length, 1};
    const bool picture = job->kind->form == PB_PROGRAM_CELLS || job->kind->form == PB_PROGRAM_PIXELS;
    const int code = make_room(job, diag);
    if (code)
        return code;
    return picture ? read_picture(job, text, diag) : read_numbers(job, text, diag);
}
