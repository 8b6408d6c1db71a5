/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of a program: drawn, numbers in a text, or a picture of the Netpbm family. */
#include "machine_program.h"

#include "cli.h"

#include "phasebench/number.h"
#include "phasebench/random.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT_BYTES ((size_t)256 << 20) /* the matrix of 12 dimensions, in decimal */

enum { SAMPLE_LEAST = -32768, SAMPLE_MOST = 32767, BRIGHTEST = 255, DARK = 128 };

uint32_t machine_word(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

int machine_half_word(const uint8_t *bytes)
{
    return (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
}

static void put(uint8_t *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static size_t node_bytes(const struct machine_run *run)
{
    return pb_program_input_bytes(run->program, run->network);
}

const uint8_t *machine_input_at(const struct machine_run *run, uint32_t index)
{
    return run->inputs +
           node_bytes(run) * pb_program_source(run->program, run->network, run->argument, index);
}

const uint8_t *machine_result_at(const struct machine_run *run, const struct pb_program_play *play,
                                 uint32_t index)
{
    return pb_program_play_result(play, pb_program_sink(run->program, run->network, run->argument, index));
}

unsigned machine_side(const struct pb_network *network)
{
    return 1u << network->dims / 2;
}

/* Numbers that a node takes, and bytes of each. */
static uint32_t numbers_of_node(const struct machine_run *run)
{
    return run->kind->form == MACHINE_MATRIX    ? run->network->nodes
           : run->kind->form == MACHINE_SAMPLES ? 2
                                                : 1;
}

static uint8_t *number_at(const struct machine_run *run, uint64_t number)
{
    const uint32_t each = numbers_of_node(run);
    const size_t bytes = node_bytes(run) / each;
    const uint32_t node =
        pb_program_source(run->program, run->network, run->argument, (uint32_t)(number / each));
    return run->inputs + node * node_bytes(run) + number % each * bytes;
}

/* ---- drawn */

static void draw(struct machine_run *run)
{
    const unsigned bytes = (unsigned)(node_bytes(run) / numbers_of_node(run));
    const uint64_t count = (uint64_t)run->network->nodes * numbers_of_node(run);
    uint64_t state = run->request->seed;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = pb_splitmix64(&state) & ((UINT64_C(1) << run->kind->bits) - 1);
        if (run->kind->form == MACHINE_CELLS)
            value = value % 8 < 3; /* a board that lives for long */
        else if (strcmp(run->program->name, "barrier") == 0)
            value %= run->argument; /* before a superframe that is played */
        put(number_at(run, i), (uint32_t)value, bytes);
    }
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

static bool take_number(const struct machine_run *run, const char *word, size_t length, uint32_t *value)
{
    const bool samples = run->kind->form == MACHINE_SAMPLES, negative = samples && *word == '-';
    const uint64_t most = !samples ? UINT32_MAX : negative ? -SAMPLE_LEAST : SAMPLE_MOST;
    uint64_t number;
    if (!pb_parse_number(word + negative, length - negative, &number) || number > most)
        return false;
    *value = negative ? (uint32_t)-number : (uint32_t)number;
    return true;
}

static int read_numbers(struct machine_run *run, struct text text)
{
    const uint64_t wanted = (uint64_t)run->network->nodes * numbers_of_node(run);
    const unsigned bytes = (unsigned)(node_bytes(run) / numbers_of_node(run));
    const char *range = run->kind->form == MACHINE_SAMPLES ? "-32768..32767" : "0..4294967295";
    uint64_t count = 0;
    for (; next_word(&text); count++) {
        const size_t length = word_length(&text);
        uint32_t value;
        if (!take_number(run, text.at, length, &value))
            return cli_fail(CLI_BAD_SCENARIO, "%s:%u: '%.*s' is no number of %s; give one", text.path,
                            text.line, length < 40 ? (int)length : 40, text.at, range);
        if (count < wanted)
            put(number_at(run, count), value, bytes);
        text.at += length;
    }
    if (count == wanted)
        return CLI_PASS;
    return cli_fail(CLI_BAD_SCENARIO,
                    "%s: holds %" PRIu64 " numbers; program '%s' takes %" PRIu32 " for each of %" PRIu32
                    " nodes, %" PRIu64 " in all; give as many, or another network",
                    text.path, count, run->program->name, numbers_of_node(run), run->network->nodes, wanted);
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

static int refuse_picture(const struct text *text, const char *what)
{
    return cli_fail(CLI_BAD_SCENARIO, "%s: %s; give a picture as PBM (P1, P4) or PGM (P2, P5)", text->path,
                    what);
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

static int read_picture(struct machine_run *run, struct text text)
{
    enum { SIDE_MOST = 1000000 };
    const unsigned side = machine_side(run->network);
    const bool cells = run->kind->form == MACHINE_CELLS;
    const char magic = text.end - text.at > 2 && *text.at == 'P' ? text.at[1] : '\0';
    unsigned width, height, most = BRIGHTEST, value;
    char what[120];
    if (magic == '\0' || !strchr(cells ? "1245" : "25", magic))
        return refuse_picture(&text, cells ? "is no picture of cells" : "is no picture of grey pixels");
    text.at += 2;
    if (!picture_number(&text, SIDE_MOST, &width) || !picture_number(&text, SIDE_MOST, &height))
        return refuse_picture(&text, "has no width and height in its head");
    if ((magic == '2' || magic == '5') && (!picture_number(&text, 65535, &most) || most != BRIGHTEST))
        return refuse_picture(&text, "does not have 255 as the value of white");
    if (width != side || height != side)
        return cli_fail(CLI_BAD_SCENARIO,
                        "%s: has %u x %u pixels; %u dimensions take %u x %u, one a node; give such a "
                        "picture, or other dimensions",
                        text.path, width, height, run->network->dims, side, side);
    text.at += text.at < text.end && (magic == '4' || magic == '5'); /* one blank after the head */
    for (unsigned y = 0; y < side; y++) {
        for (unsigned x = 0; x < side; x++) {
            if (!next_pixel(&text, magic, x, &value)) {
                snprintf(what, sizeof what, "ends, or has no pixel, in row %u, column %u", y, x);
                return refuse_picture(&text, what);
            }
            *number_at(run, (uint64_t)y * side + x) = (uint8_t)(cells ? value < DARK : value);
        }
        text.at += magic == '4' && side % 8; /* a row ends with its byte */
    }
    return CLI_PASS;
}

int machine_input(struct machine_run *run)
{
    const char *path = run->request->input;
    char *file;
    size_t length;

    run->length = node_bytes(run) * run->network->nodes;
    run->inputs = calloc(run->length, 1);
    if (!run->inputs)
        return cli_fail(CLI_BENCH_FAILED, "no memory for an input of %zu bytes; give fewer nodes",
                        run->length);
    if (!path) {
        draw(run);
        return CLI_PASS;
    }
    int exit_code = cli_read_file(path, FILE_LIMIT_BYTES, &file, &length);
    if (exit_code == CLI_PASS) {
        const struct text text = {path, file, file + length, 1};
        const bool picture = run->kind->form == MACHINE_CELLS || run->kind->form == MACHINE_PIXELS;
        exit_code = picture ? read_picture(run, text) : read_numbers(run, text);
    }
    free(file);
    return exit_code;
}
