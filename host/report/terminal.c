/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include "host/base/utf8.h"
#include "render.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_LEAST 40
#define TIMELINE_PHASES_MAX 36 /* 12 ports */
#define TIMELINE_LINKS_MAX 24
#define TIMELINE_LABEL 24

void pb_terminal_open(struct pb_terminal *terminal, FILE *stream, const struct pb_report_style *style)
{
    unsigned columns = style && style->columns ? style->columns : COLUMNS_DEFAULT;
    terminal->stream = stream;
    terminal->columns = columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
    terminal->colour = style && style->colour;
}

void pb_terminal_ink(struct pb_terminal *terminal, enum pb_ink ink)
{
    static const char *const sequence[] = {
        [PB_INK_PLAIN] = "\033[0m",      [PB_INK_BOLD] = "\033[1m",      [PB_INK_DIM] = "\033[2m",
        [PB_INK_GREEN] = "\033[1;32m",   [PB_INK_YELLOW] = "\033[1;33m", [PB_INK_RED] = "\033[1;31m",
        [PB_INK_MAGENTA] = "\033[1;35m",
    };
    if (terminal->colour)
        fputs(sequence[ink], terminal->stream);
}

/* Copies the next word at *cursor, printable; returns its width in characters, 0 at the end. */
static unsigned next_word(const char **cursor, char *word, size_t size)
{
    unsigned width = 0;
    size_t used = 0;
    for (;;) {
        const char *before = *cursor;
        uint32_t code = pb_utf8_next_printable(cursor);
        bool space = code == ' ';
        if (space && !width)
            continue;
        if (!code || space || used + 5 > size) {
            *cursor = code && !space ? before : *cursor;
            word[used] = '\0';
            return width;
        }
        used += pb_utf8_put(word + used, code);
        width++;
    }
}

void pb_terminal_words(struct pb_terminal *terminal, unsigned indent, const char *text)
{
    char word[1024];
    unsigned width, column = indent;
    while ((width = next_word(&text, word, sizeof word)) != 0) {
        bool first = column == indent;
        if (!first && column + 1 + width > terminal->columns) {
            fprintf(terminal->stream, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(terminal->stream, "%s%s", first ? "" : " ", word);
        column += width + !first;
    }
    fputc('\n', terminal->stream);
}

void pb_terminal_headline(struct pb_terminal *terminal, enum pb_ink ink, const char *label, const char *text)
{
    pb_terminal_ink(terminal, ink);
    fprintf(terminal->stream, "%-*s", PB_TERMINAL_LABEL, label);
    pb_terminal_ink(terminal, PB_INK_PLAIN);
    pb_terminal_words(terminal, PB_TERMINAL_LABEL, text);
}

void pb_terminal_field(struct pb_terminal *terminal, const char *label, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pb_terminal_headline(terminal, PB_INK_DIM, label, text);
}

void pb_terminal_line(struct pb_terminal *terminal, const char *text)
{
    uint32_t code;
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        char bytes[4];
        fwrite(bytes, 1, pb_utf8_put(bytes, code), terminal->stream);
    }
    fputc('\n', terminal->stream);
}

static enum pb_ink hop_ink(char letter)
{
    return letter == 'x' || letter == '_' ? PB_INK_RED : letter == 'N' ? PB_INK_BOLD : PB_INK_PLAIN;
}

static char hop_letter(const struct pb_hop_row *hop)
{
    switch (pb_hop_state(hop)) {
    case PB_HOP_CORRECT:
        return hop->sender == PB_SENDER_NODE ? 'N' : 'B';
    case PB_HOP_WRONG:
        return 'x';
    case PB_HOP_MISSING:
        break;
    }
    return '_';
}

/* The worst state of a link in each phase of the superframe. */
static void collect(char letter[TIMELINE_PHASES_MAX], const struct pb_result *result, uint32_t superframe,
                    const struct pb_link_row *row)
{
    memset(letter, '.', TIMELINE_PHASES_MAX);
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        if (hop->superframe != superframe || !pb_hop_is_on(hop, row) || hop->phase >= result->network.phases)
            continue;
        char now = hop_letter(hop), *old = &letter[hop->phase];
        if (*old == '.' || now == 'x' || (now == '_' && *old != 'x'))
            *old = now;
    }
}

static void heading(struct pb_terminal *terminal, const struct pb_result *result, uint32_t superframe)
{
    char mark[TIMELINE_PHASES_MAX];
    memset(mark, ' ', sizeof mark);
    unsigned marked = 0;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->superframe != superframe || finding->phase >= result->network.phases)
            continue;
        mark[finding->phase] = 'v';
        marked = finding->phase >= marked ? finding->phase + 1 : marked;
    }
    fprintf(terminal->stream, "%-*s", TIMELINE_LABEL, "phase");
    for (unsigned phase = 0; phase < result->network.phases; phase += 2)
        fprintf(terminal->stream, phase ? "%4u" : "%2u", phase);
    fputc('\n', terminal->stream);
    if (!marked)
        return;
    fprintf(terminal->stream, "%-*s", TIMELINE_LABEL, "finding");
    pb_terminal_ink(terminal, PB_INK_RED);
    for (unsigned phase = 0; phase < marked; phase++)
        fprintf(terminal->stream, " %c", mark[phase]);
    pb_terminal_ink(terminal, PB_INK_PLAIN);
    fputc('\n', terminal->stream);
}

void pb_terminal_timeline(struct pb_terminal *terminal, const struct pb_result *result)
{
    struct pb_link_row row[PB_LINK_ROWS_MAX];
    size_t rows = pb_link_rows(row, result);
    if (!rows || result->network.phases > TIMELINE_PHASES_MAX ||
        TIMELINE_LABEL + 2 * result->network.phases > terminal->columns)
        return;
    uint32_t superframe = pb_superframe_to_show(result);
    fputc('\n', terminal->stream);
    pb_terminal_field(terminal, "superframe",
                      "%" PRIu32 ": N node sent, B bench sent, x wrong, _ missing, . idle", superframe);
    heading(terminal, result, superframe);
    for (size_t i = 0; i < rows && i < TIMELINE_LINKS_MAX; i++) {
        char letter[TIMELINE_PHASES_MAX];
        char name[112];
        collect(letter, result, superframe, &row[i]);
        snprintf(name, sizeof name, "link %-3u %s - %s", row[i].link,
                 pb_address(row[i].low, &result->network).text,
                 pb_address(row[i].high, &result->network).text);
        fprintf(terminal->stream, "%-*.*s", TIMELINE_LABEL, TIMELINE_LABEL - 1, name);
        for (unsigned phase = 0; phase < result->network.phases; phase++) {
            enum pb_ink ink = letter[phase] == '.' ? PB_INK_DIM : hop_ink(letter[phase]);
            pb_terminal_ink(terminal, ink);
            fprintf(terminal->stream, " %c", letter[phase]);
            pb_terminal_ink(terminal, PB_INK_PLAIN);
        }
        fputc('\n', terminal->stream);
    }
    if (rows > TIMELINE_LINKS_MAX)
        fprintf(terminal->stream, "and %zu links more\n", rows - TIMELINE_LINKS_MAX);
}
