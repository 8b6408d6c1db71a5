/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "yaml_lines.h"

#include "host/base/room.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* The format needs 4 levels and 15 keys in a mapping. Within these limits an invalid file reaches the check
 * that can name its error, and the search for repeated keys remains short. */
#define DEPTH_MAX 8
#define KEYS_MAX 64
#define KEY_BYTES_MAX 48

struct reading {
    struct pb_outline *outline;
    const char *path;
    struct pb_diag *diag;
    size_t open[DEPTH_MAX]; /* the containers around the next event, outermost first */
    unsigned depth;
    char *key; /* owned; waits for its value in the innermost mapping */
    unsigned key_line, key_column;
    const yaml_event_t *event; /* the present one */
    bool done; /* a whole document was read */
};

static int out_of_memory(const struct reading *reading)
{
    return pb_fail(reading->diag, PB_ERR_MEMORY, "%s: no memory for the text; close other programs",
                   reading->path);
}

static struct pb_outline_entry *innermost(const struct reading *reading)
{
    return reading->depth ? &reading->outline->entry[reading->open[reading->depth - 1]] : NULL;
}

static bool expects_key(const struct reading *reading)
{
    const struct pb_outline_entry *container = innermost(reading);
    return container && container->kind == PB_OUTLINE_MAPPING && !reading->key;
}

static int take_key(struct reading *reading, const char *key, size_t length, unsigned line)
{
    const struct pb_outline *outline = reading->outline;
    if (length > KEY_BYTES_MAX || strpbrk(key, "\n\r\t"))
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: a key of %zu bytes; no key has more than %d or a line break, check the quotes",
                       reading->path, line, length, KEY_BYTES_MAX);
    size_t mapping = reading->open[reading->depth - 1];
    if (outline->entry[mapping].length >= KEYS_MAX)
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: more than %d keys in one mapping; remove the unknown ones", reading->path,
                       line, KEYS_MAX);
    for (size_t i = mapping + 1; i < outline->count; i++)
        if (outline->entry[i].parent == mapping && strcmp(outline->entry[i].key, key) == 0)
            return pb_fail(reading->diag, PB_ERR_CONFIG,
                           "%s:%u: key '%s' is already set in line %u; remove one", reading->path, line, key,
                           outline->entry[i].line);
    reading->key = strdup(key);
    reading->key_line = line;
    reading->key_column = (unsigned)reading->event->start_mark.column;
    return reading->key ? PB_OK : out_of_memory(reading);
}

static bool is_flow(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT
               ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
               : event->type == YAML_SEQUENCE_START_EVENT &&
                     event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
}

static int append(struct reading *reading, enum pb_outline_kind kind, const char *text, size_t length,
                  unsigned line)
{
    struct pb_outline *outline = reading->outline;
    if (pb_make_room(&outline->entry, &outline->capacity, outline->count + 1, sizeof *outline->entry))
        return out_of_memory(reading);
    char *own = text ? strdup(text) : NULL;
    if (text && !own)
        return out_of_memory(reading);
    struct pb_outline_entry *container = innermost(reading);
    outline->entry[outline->count++] = (struct pb_outline_entry){
        .key = reading->key,
        .text = own,
        .parent = reading->depth ? reading->open[reading->depth - 1] : 0,
        .index = container ? container->length++ : 0,
        .length = length,
        .line = reading->key ? reading->key_line : line,
        .kind = kind,
        .begin = reading->event->start_mark.index,
        .end = reading->event->end_mark.index,
        .column = reading->key ? reading->key_column : (unsigned)reading->event->start_mark.column,
        .flow = is_flow(reading->event),
    };
    reading->key = NULL;
    return PB_OK;
}

static int refuse_extras(const struct reading *reading, const yaml_char_t *anchor, const yaml_char_t *tag,
                         unsigned line)
{
    if (anchor)
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: anchor '&%.32s'; YAML here has no anchors and aliases, write the value out",
                       reading->path, line, (const char *)anchor);
    if (tag)
        return pb_fail(reading->diag, PB_ERR_CONFIG, "%s:%u: tag '%.32s'; YAML here has no tags, remove it",
                       reading->path, line, (const char *)tag);
    return PB_OK;
}

static int take_scalar(struct reading *reading, const yaml_event_t *event, unsigned line)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    int code = refuse_extras(reading, event->data.scalar.anchor, event->data.scalar.tag, line);
    if (code != PB_OK)
        return code;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && !strchr("\n\r\t", text[i] ? text[i] : 1))
            return pb_fail(
                reading->diag, PB_ERR_CONFIG,
                "%s:%u: control character 0x%02x in a value; write plain text without such escapes",
                reading->path, line, (unsigned)text[i]);
    if (expects_key(reading))
        return take_key(reading, text, length, line);
    return append(reading, PB_OUTLINE_SCALAR, text, length, line);
}

static int open_container(struct reading *reading, enum pb_outline_kind kind, const yaml_char_t *anchor,
                          const yaml_char_t *tag, unsigned line)
{
    int code = refuse_extras(reading, anchor, tag, line);
    if (code != PB_OK)
        return code;
    if (expects_key(reading))
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: a list or mapping used as a key; a key is a plain word", reading->path, line);
    if (reading->depth == DEPTH_MAX)
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: nested deeper than %d levels; a file needs 4 at most", reading->path, line,
                       DEPTH_MAX);
    size_t entry = reading->outline->count;
    code = append(reading, kind, NULL, 0, line);
    if (code == PB_OK)
        reading->open[reading->depth++] = entry;
    return code;
}

static int take_event(struct reading *reading, const yaml_event_t *event)
{
    unsigned line = (unsigned)event->start_mark.line + 1;
    reading->event = event;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reading->done)
            return pb_fail(reading->diag, PB_ERR_CONFIG,
                           "%s:%u: a second document starts here; a file holds one, split it",
                           reading->path, line);
        return PB_OK;
    case YAML_DOCUMENT_END_EVENT:
        reading->done = true;
        return PB_OK;
    case YAML_ALIAS_EVENT:
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%u: alias '*%.32s'; YAML here has no anchors and aliases, write the value out",
                       reading->path, line, (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return take_scalar(reading, event, line);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(reading, PB_OUTLINE_SEQUENCE, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag, line);
    case YAML_MAPPING_START_EVENT:
        return open_container(reading, PB_OUTLINE_MAPPING, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        innermost(reading)->end = event->end_mark.index;
        reading->depth--;
        return PB_OK;
    default:
        return PB_OK;
    }
}

/* Whether the parser stopped at a tab. Its marks count characters, which begin after a byte order mark. */
static bool stopped_at_tab(const yaml_parser_t *parser, const char *text, size_t length)
{
    size_t left = parser->problem_mark.index, at = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (at < length && (((unsigned char)text[at] & 0xC0) == 0x80 || left--))
        at++;
    return at < length && text[at] == '\t';
}

static int explain_parser(const struct reading *reading, const yaml_parser_t *parser, const char *text,
                          size_t length)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_MEMORY_ERROR)
        return out_of_memory(reading);
    if (parser->error != YAML_READER_ERROR && stopped_at_tab(parser, text, length))
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%zu: a tab in column %zu; YAML indents with blanks, put blanks in its place",
                       reading->path, parser->problem_mark.line + 1, parser->problem_mark.column + 1);
    if (parser->error != YAML_READER_ERROR)
        return pb_fail(reading->diag, PB_ERR_CONFIG,
                       "%s:%zu: not valid YAML: %s; check indentation, quotes and brackets", reading->path,
                       parser->problem_mark.line + 1, problem);
    /* The reader stops before there are marks, at a byte offset. */
    unsigned line = 1;
    for (size_t i = 0; i < parser->problem_offset; i++)
        line += text[i] == '\n';
    return pb_fail(reading->diag, PB_ERR_CONFIG,
                   "%s:%u: not UTF-8 text: %s at byte %zu; save the file as UTF-8", reading->path, line,
                   problem, parser->problem_offset);
}

static int read_events(struct reading *reading, yaml_parser_t *parser, const char *text, size_t length)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return explain_parser(reading, parser, text, length);
        more = event.type != YAML_STREAM_END_EVENT;
        int code = take_event(reading, &event);
        yaml_event_delete(&event);
        if (code != PB_OK)
            return code;
    }
    return PB_OK;
}

int pb_outline_read(struct pb_outline *outline, const char *path, const char *text, size_t length,
                    struct pb_diag *diag)
{
    *outline = (struct pb_outline){0};
    struct reading reading = {.outline = outline, .path = path, .diag = diag};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return out_of_memory(&reading);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int code = read_events(&reading, &parser, text, length);
    yaml_parser_delete(&parser);
    free(reading.key);
    return code;
}

void pb_outline_free(struct pb_outline *outline)
{
    for (size_t i = 0; i < outline->count; i++) {
        free(outline->entry[i].key);
        free(outline->entry[i].text);
    }
    free(outline->entry);
    *outline = (struct pb_outline){0};
}

char *pb_outline_place(const struct pb_outline *outline, size_t entry, char *out)
{
    /* Written from the end towards the front, as the parents are found. */
    char reversed[PB_PLACE_SIZE];
    size_t start = sizeof reversed - 1;
    reversed[start] = '\0';
    for (; entry != 0; entry = outline->entry[entry].parent) {
        const struct pb_outline_entry *at = &outline->entry[entry];
        char step[KEY_BYTES_MAX + 8];
        int length = at->key ? snprintf(step, sizeof step, "%s%s", at->parent ? "." : "", at->key)
                             : snprintf(step, sizeof step, "[%zu]", at->index);
        if ((size_t)length > start)
            break;
        start -= (size_t)length;
        memcpy(reversed + start, step, (size_t)length);
    }
    return strcpy(out, reversed + start);
}

unsigned pb_outline_line(const struct pb_outline *outline, const char *place)
{
    char wanted[PB_PLACE_SIZE], found[PB_PLACE_SIZE];
    snprintf(wanted, sizeof wanted, "%s", place);
    while (*wanted) {
        for (size_t i = 1; i < outline->count; i++)
            if (strcmp(pb_outline_place(outline, i, found), wanted) == 0)
                return outline->entry[i].line;
        size_t length = strlen(wanted) - 1;
        while (length > 0 && wanted[length] != '.' && wanted[length] != '[')
            length--;
        wanted[length] = '\0';
    }
    return 0;
}
