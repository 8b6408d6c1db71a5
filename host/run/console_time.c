/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/console_time.h"
#include "phasebench/signal_limits.h"

#include <math.h>

enum {
    REACH_PERCENT = 10, /* the search begins this far below and above the nominal bit time */
    FINE = 500,         /* and ends at 1/FINE of nine bits, near a limit at a tick */
    WATCH_PERIOD_Q4 = 8 * 16
};

/* Of nine bits of the node, in ticks. */
struct search {
    struct pb_console *console;
    unsigned node_index;
    double nominal, least, most; /* nine bits of the nominal length, and of those of the limits */
    uint32_t low, high;          /* nine bits are longer than low, and shorter than high + 1 */
    bool failed;                 /* an answer had another length: nothing is known */
};

struct trial {
    unsigned low, count; /* characters whose stop bit was low; all */
    uint8_t last;        /* the last one, as sampled */
};

static int set_period(struct pb_console *console, uint32_t period_q4)
{
    return pb_device_write(console->device, PB_REG_CONSOLE_PERIOD, period_q4, console->diag);
}

int pb_console_watch(struct pb_console *console, bool pulses)
{
    return set_period(console, pulses ? WATCH_PERIOD_Q4 : console->plan->console_period_q4);
}

/* Takes the characters out of the events from `from` on. */
static void take_characters(struct pb_console *console, size_t from, struct trial *trial)
{
    struct pb_events *events = console->events;
    size_t kept = from;
    for (size_t i = from; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_CONSOLE) {
            events->event[kept++] = *event;
            continue;
        }
        trial->count++;
        trial->last = pb_event_data(event);
        trial->low += !pb_event_stop_ok(event);
    }
    console->seen->events_taken += events->count - kept;
    events->count = kept;
}

/* Whether the last character ends an answer. A node may end one answer with \n and another with \r\n. The two
 * lowest bits differ, and are sampled within their bits as long as the period is right by 20 %. */
static bool ends(const struct trial *trial)
{
    return trial->count && (trial->last & 3) == ('\n' & 3);
}

/* Types a line; the core samples the stop bits of the answer `ticks` ticks after the start edges. */
static int try(struct search *search, const char *line, unsigned characters, uint32_t ticks,
               struct trial *trial)
{
    struct pb_console *console = search->console;
    const size_t from = console->events->count;
    /* The sample of bit 9 comes floor(19 period / 32) ticks after the edge, the period in sixteenths. */
    int code = set_period(console, (32 * ticks + 18) / 19);
    *trial = (struct trial){0};
    if (!code)
        code = pb_console_send(console, search->node_index, line);
    const uint64_t character_ms = 1 + 10000 / console->scenario->console_baud_hz,
                   ms_ticks = console->seen->info.clock_hz / 1000;
    /* An external clock makes events all the time, so the stamps count as well as polls without an event. */
    uint64_t from_tick = 0, silent_ms = 0, waited_ms = 0;
    while (!code && (trial->count < characters || !ends(trial)) &&
           waited_ms < PB_CONSOLE_WAIT_MS + 8 * character_ms) {
        const unsigned known = trial->count;
        code = console->poll(console->context, PB_CONSOLE_POLL_MS);
        silent_ms += code ? 0 : PB_CONSOLE_POLL_MS;
        const struct pb_events *events = console->events;
        const uint64_t tick = code > 0 ? events->event[events->count - 1].tick : from_tick;
        code = code < 0 ? code : PB_OK;
        take_characters(console, from, trial);
        if (trial->count > known || !from_tick) {
            silent_ms = trial->count > known ? 0 : silent_ms;
            from_tick = tick;
        }
        waited_ms = silent_ms + (tick - from_tick) / ms_ticks;
    }
    search->failed |= trial->count != characters;
    return code;
}

static void learn(struct search *search, uint32_t ticks, const struct trial *trial)
{
    if (trial->low && ticks > search->low)
        search->low = ticks;
    if (trial->low < trial->count && ticks < search->high)
        search->high = ticks;
}

static bool is_at_limit(const struct search *search)
{
    const double low = search->low, high = search->high + 1.0;
    return (low <= search->least && search->least <= high) || (low <= search->most && search->most <= high);
}

static bool is_found(const struct search *search)
{
    const uint32_t width = search->high - search->low;
    return width <= 1 || (width < search->nominal / FINE && !is_at_limit(search));
}

/* Refines by the share of characters with a low stop bit: each start edge is somewhere within its tick. The
 * node counts the lines I (console_lines), so Z is the last line, also if the search fails. */
static int refine(struct search *search, unsigned characters, unsigned z_characters, double *ticks,
                  double *u95)
{
    struct trial trial;
    double shares = 0, variance = 0;
    for (uint32_t at = search->low; at <= search->high; at++) {
        const int code = try(search, "I", characters, at, &trial);
        if (code)
            return code;
        if (search->failed)
            break;
        const double share = (double)trial.low / trial.count;
        shares += share;
        variance += (share * (1 - share) + 1.0 / trial.count) / trial.count;
        if (at == search->low && trial.low < trial.count)
            break; /* at later samples all are high, except by chance */
    }
    /* Edges with a constant place within their ticks do not show a fraction of a tick. */
    const bool spread = shares > 0 && shares < 1 + search->high - search->low && shares != floor(shares);
    *ticks = search->low + shares;
    *u95 = spread ? 2 * sqrt(variance) : 1;
    return try(search, "Z", z_characters, (uint32_t)search->most, &trial);
}

static int find(struct search *search, unsigned z_characters)
{
    const uint32_t first[] = {(uint32_t)search->most, (uint32_t)search->least};
    struct trial trial;
    int code = PB_OK;
    for (unsigned i = 0; i < 2 && !code && !search->failed; i++) {
        code = try(search, "Z", z_characters, first[i], &trial);
        learn(search, first[i], &trial);
    }
    while (!code && !search->failed && !is_found(search)) {
        const uint32_t middle = search->low + (search->high - search->low) / 2;
        code = try(search, "Z", z_characters, middle, &trial);
        learn(search, middle, &trial);
        if (search->low > search->high) /* edges that move by more than a tick */
            search->failed = true;
    }
    return code;
}

int pb_console_time(struct pb_console *console, unsigned node_index, unsigned z_characters,
                    unsigned i_characters)
{
    struct pb_console_time *time = &console->seen->console_time[node_index];
    const double nominal =
        9.0 * console->seen->info.clock_hz / (double)console->scenario->console_baud_hz,
                 limit = PB_CONSOLE_BIT_TIME_LIMIT_PPM / 1e6, reach = REACH_PERCENT / 100.0;
    struct search search = {.console = console,
                            .node_index = node_index,
                            .nominal = nominal,
                            .least = nominal * (1 - limit),
                            .most = nominal * (1 + limit),
                            .low = (uint32_t)(nominal * (1 - reach)),
                            .high = (uint32_t)(nominal * (1 + reach))};
    int code = find(&search, z_characters);
    double ticks = (search.low + search.high + 1.0) / 2, u95 = (search.high + 1.0 - search.low) / 2;
    if (!code && !search.failed && is_at_limit(&search))
        code = refine(&search, i_characters, z_characters, &ticks, &u95);
    const int restored = pb_console_watch(console, false);
    *time = (struct pb_console_time){.known = !code && !search.failed,
                                     .deviation_ppb = llround((ticks / nominal - 1) * 1e9),
                                     .u95_ppb = llround(u95 / nominal * 1e9)};
    return code ? code : restored;
}
