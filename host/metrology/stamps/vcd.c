/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One scalar of a value change dump (IEEE 1364-2005, clause 18), by its name or by scope.name. Names with
 * one identifier are one scalar.
 */
#include "stamps.h"
#include "host/base/room.h"
#include "host/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCOPE_MAX 512
/* The values of std_ulogic, U and W in both letters. Small l and h are no scalars: a damaged word may begin
 * with them. */
#define SCALARS "01xXzZuUwWLH-"
#define VECTORS SCALARS "lh"
#define REALS "0123456789+-.eEiInNfFaA" /* inf and nan, too */
struct word {
    const char *at;
    size_t length;
};
struct reader {
    const char *at, *end; /* of the file */
    const struct stamps_source *source;
    struct word whole;  /* the word in the file; `word` has its beginning */
    struct word *id_of; /* each identifier of a $var, sorted after the header */
    size_t ids, capacity;
    char word[256], scope[SCOPE_MAX], id[64], names[STAMPS_NAMES];
    unsigned line, likeness, found, scalars; /* line: of the word; found: with the same likeness */
    double tick_ps;
    long double time_ps;
    bool changed; /* at this time, in this line to this value: the last one of an instant is its value */
    char value;
    unsigned changed_line;
};

static bool next_word(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n\v\f", *reader->at) && *reader->at)
        reader->line += *reader->at++ == '\n';
    size_t length = 0;
    reader->whole.at = reader->at;
    for (; reader->at < reader->end && !(strchr(" \t\r\n\v\f", *reader->at) && *reader->at); reader->at++)
        if (length + 1 < sizeof reader->word)
            reader->word[length++] = *reader->at;
    reader->word[length] = '\0';
    reader->whole.length = (size_t)(reader->at - reader->whole.at);
    return length > 0;
}

static bool is(const struct reader *reader, const char *word)
{
    return !strcmp(reader->word, word);
}

/* False: the file ends before. */
static bool skip_to_end(struct reader *reader)
{
    while (next_word(reader))
        if (is(reader, "$end"))
            return true;
    return false;
}

static int by_bytes(const void *left, const void *right)
{
    const struct word *const a = left, *const b = right;
    const int order = memcmp(a->at, b->at, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* "1 ns" or "1ns". */
static int read_timescale(struct reader *reader, struct pb_diag *diag)
{
    static const struct {
        const char *name;
        double ps;
    } unit[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}, {"fs", 1e-3}};
    char text[32] = "", *name;
    while (next_word(reader) && !is(reader, "$end"))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.15s", reader->word);
    const unsigned long number = strtoul(text, &name, 10);
    const double before_ps = reader->tick_ps;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (!strcmp(name, unit[i].name) && (number == 1 || number == 10 || number == 100)) {
            reader->tick_ps = (double)number * unit[i].ps;
            if (!(before_ps > 0) || fabs(reader->tick_ps / before_ps - 1) < 1e-9)
                return PB_OK;
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s:%u: a second time scale, '%.31s', and not that of the first $timescale; give "
                           "one VCD",
                           reader->source->path, reader->line, text);
        }
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s: time scale '%.31s'; 1, 10 or 100 of s, ms, us, ns, ps, fs are known",
                   reader->source->path, text);
}

static void enter_scope(struct reader *reader)
{
    next_word(reader); /* its kind */
    next_word(reader);
    const size_t used = strlen(reader->scope);
    snprintf(reader->scope + used, sizeof reader->scope - used, "%s.", reader->word);
    skip_to_end(reader);
}

static void leave_scope(struct reader *reader)
{
    const size_t length = strlen(reader->scope);
    if (length)
        reader->scope[length - 1] = '\0';
    char *const dot = strrchr(reader->scope, '.');
    dot ? (dot[1] = '\0') : (reader->scope[0] = '\0');
    skip_to_end(reader);
}

/* Of the name of a scalar and the one that is wanted: 2: the same with its scopes, or none is wanted. */
static unsigned likeness_of(const char *full, const char *name, const char *wanted)
{
    const size_t bare = strcspn(name, "["), scope = (size_t)(name - full);
    if (!wanted || !strcmp(full, wanted))
        return 2;
    const bool like = !strcmp(name, wanted) || (strlen(wanted) == bare && !memcmp(name, wanted, bare)) ||
                      (strlen(wanted) == scope + bare && !memcmp(full, wanted, scope + bare));
    return like ? 1 : 0;
}

/* IEEE 1364-2005, clause 18.4: another form, whose values are directions and strengths. */
static int refuse_ports(const struct reader *reader, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_CONFIG,
                   "%s:%u: '%.20s' is of an extended VCD (EVCD), as $dumpports writes it; dump the signal by "
                   "$dumpvars, or convert the file by evcd2vcd of GTKWave",
                   reader->source->path, reader->line, reader->word);
}

static int take_variable(struct reader *reader, struct pb_stamps *stamps, struct pb_diag *diag)
{
    char id[sizeof reader->id], full[SCOPE_MAX + 2 * sizeof reader->word];
    const size_t scope = strlen(reader->scope);
    next_word(reader); /* its kind */
    if (is(reader, "port"))
        return refuse_ports(reader, diag);
    next_word(reader);
    const bool scalar = is(reader, "1");
    next_word(reader);
    if (pb_make_room(&reader->id_of, &reader->capacity, reader->ids + 1, sizeof *reader->id_of))
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to read %s", reader->source->path);
    reader->id_of[reader->ids++] = reader->whole;
    snprintf(id, sizeof id, "%.63s", reader->word);
    next_word(reader);
    snprintf(full, sizeof full, "%s%s", reader->scope, reader->word);
    while (next_word(reader) && !is(reader, "$end")) /* the bit that it is */
        snprintf(full + strlen(full), sizeof full - strlen(full), "%s", reader->word);
    if (!scalar)
        return PB_OK;
    reader->scalars++;
    pb_stamps_name(reader->names, full);
    const unsigned its = likeness_of(full, full + scope, reader->source->choice->channel);
    if (its > reader->likeness) {
        reader->likeness = its;
        reader->found = 0;
    }
    if (its && its == reader->likeness && (!reader->found || strcmp(id, reader->id) != 0)) {
        reader->found++;
        memcpy(reader->id, id, sizeof id);
        snprintf(stamps->channel, sizeof stamps->channel, "%.63s", full + scope);
    }
    return PB_OK;
}

static int check_channel(const struct reader *reader, struct pb_diag *diag)
{
    const char *const path = reader->source->path;
    if (!reader->scalars)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: a VCD without a scalar; vectors have no edges", path);
    if (!(reader->tick_ps > 0))
        return pb_fail(diag, PB_ERR_CONFIG, "%s: a VCD without $timescale; its times have no unit", path);
    if (reader->found != 1)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: %s; choose one of %s by --channel", path,
                       reader->found ? "several scalars" : "no such scalar", reader->names);
    return PB_OK;
}

static int read_header(struct reader *reader, struct pb_stamps *stamps, struct pb_diag *diag)
{
    int code = PB_OK;
    while (!code && next_word(reader) && !is(reader, "$enddefinitions")) {
        if (is(reader, "$timescale"))
            code = read_timescale(reader, diag);
        else if (is(reader, "$scope"))
            enter_scope(reader);
        else if (is(reader, "$upscope"))
            leave_scope(reader);
        else if (is(reader, "$var"))
            code = take_variable(reader, stamps, diag);
        else if (*reader->word == '$' && !is(reader, "$end"))
            skip_to_end(reader);
    }
    if (!code && is(reader, "$enddefinitions"))
        skip_to_end(reader);
    if (reader->ids)
        qsort(reader->id_of, reader->ids, sizeof *reader->id_of, by_bytes);
    return code ? code : check_channel(reader, diag);
}

static int level_of(char value)
{
    return value == '0' || value == 'L' ? 0 : value == '1' || value == 'H' ? 1 : -1;
}

/* The instant is over. */
static int end_instant(struct reader *reader, struct stamps_edges *edges, struct pb_diag *diag)
{
    if (!reader->changed)
        return PB_OK;
    reader->changed = false;
    edges->line = reader->changed_line;
    return pb_stamps_level(edges, level_of(reader->value), (int64_t)(reader->time_ps + 0.5L), diag);
}

static int read_time(struct reader *reader, struct stamps_edges *edges, struct pb_diag *diag)
{
    const char *const number = reader->word + 1;
    const long double now_ps = strtold(number, NULL) * (long double)reader->tick_ps;
    /* strtold takes hexadecimal numbers and exponents, too. */
    if (!*number || number[strspn(number, "0123456789")] || !(now_ps < STAMPS_LARGEST_PS))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: time '%.40s'; times are whole decimal numbers, of up to 46 days",
                       reader->source->path, reader->line, reader->word);
    if (now_ps < reader->time_ps)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: time '%.40s' is before the one before it, '#%.0Lf'; give a VCD in the order "
                       "of time",
                       reader->source->path, reader->line, reader->word,
                       reader->time_ps / (long double)reader->tick_ps);
    const int code = now_ps > reader->time_ps ? end_instant(reader, edges, diag) : PB_OK;
    reader->time_ps = now_ps;
    return code;
}

/* A word that is lost would be an edge that the clock did not make. */
static int damaged(const struct reader *reader, const char *what, struct pb_diag *diag)
{
    char clean[40];
    pb_utf8_clean(clean, sizeof clean, reader->word);
    return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: '%s' %s; give the VCD as its tool wrote it",
                   reader->source->path, reader->line, clean, what);
}

static int check_id(const struct reader *reader, struct word id, struct pb_diag *diag)
{
    if (bsearch(&id, reader->id_of, reader->ids, sizeof id, by_bytes))
        return PB_OK;
    return damaged(reader, "has an identifier of no $var", diag);
}

/* Of a second file behind the first one: its times and identifiers may mean others. */
static bool of_header(const struct reader *reader)
{
    static const char *const word[] = {"$var", "$timescale", "$scope", "$upscope", "$enddefinitions"};
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
        if (is(reader, word[i]))
            return true;
    return false;
}

static int pass_keyword(struct reader *reader, struct pb_diag *diag)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *const name = reader->word + 1;
    const unsigned line = reader->line;
    if (!*name || name[strspn(name, letters)])
        return damaged(reader, "is no keyword", diag);
    if (!strncmp(name, "dumpports", 9))
        return refuse_ports(reader, diag);
    if (of_header(reader))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s:%u: '%s' after $enddefinitions, as in two files in one; give one VCD",
                       reader->source->path, reader->line, reader->word);
    /* Between $dumpvars, $dumpoff and their like and $end are changes. */
    if (is(reader, "$end") || !strncmp(name, "dump", 4) || skip_to_end(reader))
        return PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: a section without $end; give the VCD as its tool wrote it",
                   reader->source->path, line);
}

static int pass_vector(struct reader *reader, const struct stamps_edges *edges, struct pb_diag *diag)
{
    const char kind = *reader->word, *const value = reader->word + 1;
    const char *const letters = strchr("bB", kind) ? VECTORS : strchr("rR", kind) ? REALS : NULL;
    if (letters && value[strspn(value, letters)])
        return damaged(reader, "is no value of a vector or real", diag);
    if (!next_word(reader))
        return damaged(reader, "after a value: the file ends before its identifier", diag);
    if (!strcmp(reader->word, reader->id))
        return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: scalar '%s' has the value of a vector",
                       reader->source->path, reader->line, edges->stamps->channel);
    return check_id(reader, reader->whole, diag);
}

static int read_change(struct reader *reader, struct stamps_edges *edges, struct pb_diag *diag)
{
    const char first = *reader->word;
    if (first == '#')
        return read_time(reader, edges, diag);
    if (first == '$')
        return pass_keyword(reader, diag);
    if (strchr("bBrRsS", first)) /* s: a string, as GTKWave writes it */
        return pass_vector(reader, edges, diag);
    if (!strchr(SCALARS, first))
        return damaged(reader, "is no change of a value, time or keyword", diag);
    const int code = check_id(reader, (struct word){reader->whole.at + 1, reader->whole.length - 1}, diag);
    if (code || strcmp(reader->word + 1, reader->id) != 0)
        return code;
    reader->changed = true;
    reader->value = first;
    reader->changed_line = reader->line;
    return PB_OK;
}

static int read_changes(struct reader *reader, struct stamps_edges *edges, struct pb_diag *diag)
{
    int code = PB_OK;
    while (!code && next_word(reader)) {
        edges->line = reader->line;
        code = read_change(reader, edges, diag);
    }
    return code ? code : end_instant(reader, edges, diag);
}

/* As a disk leaves them in the place of a part that was lost. */
static int refuse_zeros(const struct stamps_source *source, struct pb_diag *diag)
{
    const char *const zero = source->length ? memchr(source->text, 0, source->length) : NULL;
    unsigned line = 1;
    if (!zero)
        return PB_OK;
    for (const char *at = source->text; at < zero; at++)
        line += *at == '\n';
    return pb_fail(diag, PB_ERR_CONFIG, "%s:%u: a byte of value 0; give the VCD as its tool wrote it",
                   source->path, line);
}

int pb_stamps_from_vcd(struct stamps_edges *edges, const struct stamps_source *source, struct pb_diag *diag)
{
    int code = refuse_zeros(source, diag);
    if (code)
        return code;
    struct reader *const reader = calloc(1, sizeof *reader);
    if (!reader)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to read %s", source->path);
    reader->source = source;
    reader->line = 1;
    reader->at = source->text;
    reader->end = source->text + source->length;
    code = read_header(reader, edges->stamps, diag);
    if (!code)
        code = read_changes(reader, edges, diag);
    edges->stamps->step_ps = fmax(reader->tick_ps, 1); /* fs are rounded to ps */
    free(reader->id_of);
    free(reader);
    return code;
}
