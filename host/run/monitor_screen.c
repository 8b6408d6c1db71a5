/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One picture of the model. */
#include "phasebench/monitor.h"

#include "host/plan/node_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 15, /* of a row: link, node, dimension */
    COUNT_COLUMNS = 24, /* at its end */
    HEAD_ROWS = 6,
    COLUMNS_MIN = LABEL_COLUMNS + COUNT_COLUMNS + 8
};

struct screen {
    char *text;
    size_t used;
    unsigned columns, rows, row; /* row: lines begun */
    bool colour, in_place;
};

static void put(struct screen *screen, const char *text, size_t length)
{
    if (screen->used + length < PB_MONITOR_SCREEN_SIZE) {
        memcpy(screen->text + screen->used, text, length);
        screen->used += length;
    }
}

static void put_text(struct screen *screen, const char *text)
{
    put(screen, text, strlen(text));
}

static void end_line(struct screen *screen)
{
    if (screen->in_place)
        put_text(screen, "\033[K");
    /* After the last row a newline would scroll. */
    if (!screen->in_place || ++screen->row < screen->rows)
        put_text(screen, screen->in_place ? "\r\n" : "\n");
}

/* Writes a line without colours, truncated at the last column. */
static void put_line(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_line(struct screen *screen, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t whole = length < (int)sizeof line ? (size_t)length : sizeof line - 1;
    put(screen, line, whole < screen->columns ? whole : screen->columns);
    end_line(screen);
}

static const char *ink(char mark)
{
    switch (mark) {
    case PB_MONITOR_NODE:
        return "\033[32m";
    case PB_MONITOR_BENCH:
        return "\033[36m";
    case PB_MONITOR_BAD:
        return "\033[31m";
    case PB_MONITOR_ALARM:
        return "\033[1;31m";
    case PB_MONITOR_IDLE:
        return "\033[2m";
    default:
        return "";
    }
}

static void put_marks(struct screen *screen, const struct pb_monitor_model *model, unsigned link,
                      unsigned width)
{
    char before = '\0';
    for (unsigned column = 0; column < width; column++) {
        const unsigned back = width - 1 - column;
        const bool known = model->running && back <= model->newest && back < PB_MONITOR_HISTORY;
        const char mark = known ? pb_monitor_mark(model, link, model->newest - back) : PB_MONITOR_UNKNOWN;
        if (screen->colour && mark != before) {
            put_text(screen, before ? "\033[0m" : "");
            put_text(screen, ink(mark));
        }
        before = mark;
        put(screen, &mark, 1);
    }
    if (screen->colour)
        put_text(screen, "\033[0m");
}

/* Writes 12.3 k: at most four significant digits, to fit the column. */
struct short_number {
    char text[24];
};
static struct short_number shorten(double value)
{
    static const char prefix[][2] = {"", "k", "M", "G"};
    struct short_number number;
    unsigned power = 0;
    for (; value >= 9999.5 && power < 3; power++)
        value /= 1000;
    if (power)
        snprintf(number.text, sizeof number.text, "%.*f%s", value < 99.95, value, prefix[power]);
    else
        snprintf(number.text, sizeof number.text, "%.0f", value);
    return number;
}

static double per_second(uint64_t count, int64_t window_ps)
{
    return window_ps > 0 ? (double)count * 1e12 / (double)window_ps : 0;
}

static void put_head(struct screen *screen, const struct pb_monitor_model *model, const char *title)
{
    const struct pb_monitor_counts *total = &model->total;
    struct pb_monitor_counts recent;
    const int64_t window_ps = pb_monitor_recent(model, &recent);

    put_line(screen, "phasebench monitor  %s", title);
    if (model->running)
        put_line(screen, "superframe %" PRIu64 " of 0..%" PRIu32 "   phase %u of 0..%u   %.3f ms",
                 model->newest / model->phases, model->scenario->superframes - 1,
                 (unsigned)(model->newest % model->phases), model->phases - 1,
                 (double)pb_monitor_time_ps(model, model->newest) / 1e9);
    else
        put_line(screen, "waiting for the first phase");
    put_line(screen, "rates   %s bytes/s   %s edges/s   %s events/s",
             shorten(per_second(recent.bytes, window_ps)).text,
             shorten(per_second(recent.edges, window_ps)).text,
             shorten(per_second(recent.events, window_ps)).text);
    put_line(screen,
             "errors  bad %" PRIu64 "   alarms %" PRIu64 "   underruns %" PRIu64 "   lost %" PRIu64
             " of %" PRIu64 " events   injected %" PRIu64,
             total->bad, total->alarms, total->underruns, total->lost, total->events + total->lost,
             total->faults);
    end_line(screen);
}

/* Writes a bar over phase 0 of each superframe. */
static void put_ruler(struct screen *screen, const struct pb_monitor_model *model, unsigned width)
{
    char ruler[PB_MONITOR_HISTORY];
    for (unsigned column = 0; column < width; column++) {
        const unsigned back = width - 1 - column;
        ruler[column] = model->running && back <= model->newest && (model->newest - back) % model->phases == 0
                            ? '|'
                            : ' ';
    }
    put_line(screen, "link node   dim %.*s     N     B   bad     !", (int)width, ruler);
}

static void put_link(struct screen *screen, const struct pb_monitor_model *model, unsigned link,
                     unsigned width)
{
    const struct pb_scenario *scenario = model->scenario;
    const struct pb_monitor_counts *counts = &model->link[link];
    char text[64];
    int length = snprintf(text, sizeof text, "%4u 0x%03" PRIX32 "  %3u ", link,
                          pb_link_address(scenario, link), pb_link_port(scenario, link));
    put(screen, text, (size_t)length);
    put_marks(screen, model, link, width);
    length = snprintf(text, sizeof text, " %5s %5s %5s %5s", shorten((double)counts->node_frames).text,
                      shorten((double)counts->bench_frames).text, shorten((double)counts->bad).text,
                      shorten((double)counts->alarms).text);
    put(screen, text, (size_t)length);
    end_line(screen);
}

size_t pb_monitor_screen(const struct pb_monitor_model *model, const struct pb_monitor_style *style,
                         char text[PB_MONITOR_SCREEN_SIZE])
{
    struct screen screen = {.text = text,
                            .columns = style->columns,
                            .rows = style->rows,
                            .colour = style->colour,
                            .in_place = style->in_place};
    if (style->in_place)
        put_text(&screen, "\033[H");
    if (style->in_place && (style->columns < COLUMNS_MIN || style->rows < HEAD_ROWS + 3)) {
        put_line(&screen, "%ux%u is too small, %dx%d is the least", style->columns, style->rows, COLUMNS_MIN,
                 HEAD_ROWS + 3);
        put_text(&screen, "\033[J");
        return screen.used;
    }
    unsigned width = style->columns < COLUMNS_MIN ? 8 : style->columns - LABEL_COLUMNS - COUNT_COLUMNS - 1;
    if (width > PB_MONITOR_HISTORY - model->phases)
        width = PB_MONITOR_HISTORY - model->phases;
    /* Below the rows: the legend and, if links are left out, a line that reports it. */
    const unsigned room = style->rows - HEAD_ROWS - 1;
    const unsigned shown = model->links <= room ? model->links : room - 1;

    put_head(&screen, model, style->title);
    put_ruler(&screen, model, width);
    for (unsigned link = 0; link < shown; link++)
        put_link(&screen, model, link, width);
    if (shown < model->links)
        put_line(&screen, "%4u more links; enlarge the window to see them", model->links - shown);
    put_line(&screen, "N node sent   B bench sent   x bad   . idle   ! alarm");
    if (style->in_place)
        put_text(&screen, "\033[J");
    return screen.used;
}
