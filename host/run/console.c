/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/answer.h"
#include "host/run/console_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK = 100,          /* bytes of a line in one record */
    BANNER_LINES = 8,     /* lines that are no answer, before the one that is */
    STATISTICS_MS = 2000, /* the longest answer may take as long */
    LINE_BYTES = 256,
    LINE_BYTES_MOST = PB_ANSWER_BYTES, /* without an end: noise */
    COUNTERS_BYTES = 704,              /* every counter with eight digits, and more */
    NOISE_BYTES = 64        /* a byte without a stop bit counts as this many */
};

/* Rounded up. */
static uint64_t bytes_ms(const struct pb_console *console, uint64_t bytes)
{
    const uint64_t baud_hz = console->scenario->console_baud_hz;
    return (10000 * bytes + baud_hz - 1) / baud_hz;
}

/* Time waited. An external clock makes events all the time, so the stamps count as well as polls without an
 * event. */
struct wait {
    uint64_t silent_us; /* of polls since the last event */
    uint64_t before_us; /* and before the first one */
    uint64_t first_tick, last_tick;
    bool any; /* event has come */
};

static uint64_t waited_us(const struct wait *wait, const struct pb_console *console)
{
    return wait->before_us + wait->silent_us +
           (wait->last_tick - wait->first_tick) * 1000000 / console->seen->info.clock_hz;
}

static int poll_and_count(struct pb_console *console, struct wait *wait)
{
    const struct pb_events *events = console->events;
    const int code = console->poll(console->context, PB_CONSOLE_POLL_MS);
    if (code == 0)
        wait->silent_us += 1000 * PB_CONSOLE_POLL_MS;
    if (code <= 0)
        return code;
    const uint64_t tick = events->event[events->count - 1].tick;
    if (!wait->any)
        *wait =
            (struct wait){.before_us = wait->silent_us, .first_tick = tick, .last_tick = tick, .any = true};
    wait->silent_us = 0;
    if (tick > wait->last_tick)
        wait->last_tick = tick;
    return code;
}

/* Reads the console until a line is complete. first_ms is granted for the first byte, the usual time for each
 * further one. Returns 1 and the line, 0 when none came in time, or an error. */
static int read_line(struct pb_console *console, size_t *next, unsigned first_ms, char *line, size_t size)
{
    const unsigned byte_ms = PB_CONSOLE_WAIT_MS + (unsigned)bytes_ms(console, 1);
    size_t at = 0, bytes = 0;
    unsigned limit_ms = first_ms;
    struct wait wait = {0};
    while (bytes < LINE_BYTES_MOST && waited_us(&wait, console) < UINT64_C(1000) * limit_ms) {
        for (; *next < console->events->count; ++*next) {
            const struct pb_event *event = &console->events->event[*next];
            if (event->kind != PB_EVENT_CONSOLE)
                continue;
            wait = (struct wait){0};
            limit_ms = byte_ms;
            bytes += pb_event_stop_ok(event) ? 1 : NOISE_BYTES;
            line[at] = 0;
            if (pb_event_data(event) == '\n') {
                ++*next;
                return 1;
            }
            if (at + 1 < size && pb_event_data(event) != '\r')
                line[at++] = (char)pb_event_data(event);
        }
        const int code = poll_and_count(console, &wait);
        if (code < 0)
            return code;
    }
    line[at] = 0;
    return 0;
}

/* Hands a record to the lane of the consoles, once it has room. */
static int append(struct pb_console *console, const uint8_t *record, unsigned size)
{
    const struct pb_device_info *info = &console->seen->info;
    const unsigned lane = info->lanes - 1;
    const uint64_t lane_ms = bytes_ms(console, info->play_bytes);
    for (uint64_t waited_ms = 0;; waited_ms += PB_CONSOLE_POLL_MS) {
        unsigned free_bytes;
        bool taken;
        int code = pb_device_play(console->device, lane, record, size, &taken, &free_bytes, console->diag);
        if (code || taken)
            return code;
        if (waited_ms > lane_ms + PB_CONSOLE_WAIT_MS)
            return pb_fail(
                console->diag, PB_ERR_LINK,
                "lane %u of the slot player, for the consoles, has had no room for %u bytes in %" PRIu64
                " ms, %u are free; open the rig again",
                lane, size, waited_ms, free_bytes);
        code = console->poll(console->context, PB_CONSOLE_POLL_MS);
        if (code < 0)
            return code;
    }
}

int pb_console_listen(struct pb_console *console, unsigned node_index)
{
    if (console->selecting && console->selected == node_index)
        return PB_OK;
    console->selecting = true;
    console->selected = node_index;
    return pb_device_write(console->device, PB_REG_CONSOLE_SELECT, node_index, console->diag);
}

int pb_console_send(struct pb_console *console, unsigned node_index, const char *typed)
{
    uint8_t record[PB_RECORD_MAX];
    char text[LINE_BYTES];
    int code = pb_console_listen(console, node_index);
    snprintf(text, sizeof text, "%s\n", typed);
    /* A long line needs more than one record; they follow one another without a gap that matters to a UART.
     */
    for (size_t at = 0; !code && text[at];) {
        const size_t left = strlen(text + at), count = left < CHUNK ? left : CHUNK;
        const unsigned length =
            pb_record_immediate(record, PB_PLAY_TARGET_CONSOLE | node_index, console->plan->console_period_q4,
                                (const uint8_t *)text + at, (unsigned)count);
        code = append(console, record, length);
        at += count;
    }
    return code;
}

int pb_console_ask(struct pb_console *console, unsigned node_index, const char *typed, char *line,
                   size_t size)
{
    size_t next = console->events->count;
    int code = pb_console_send(console, node_index, typed);
    line[0] = 0;
    /* The line and the first byte of the answer take ten bit times a byte. */
    const unsigned first_ms = (unsigned)bytes_ms(console, strlen(typed) + 2) + PB_CONSOLE_WAIT_MS;
    for (unsigned i = 0; !code && i < BANNER_LINES; i++) {
        code = read_line(console, &next, first_ms, line, size);
        if (code == 1 && (*line == '+' || *line == '-')) {
            console->seen->answers += !console->seen->end_tick;
            return code;
        }
        if (code != 1)
            return code;
        code = 0;
    }
    return code;
}

/* Characters of consoles among the events from `from` on. */
static unsigned characters(const struct pb_console *console, size_t from)
{
    unsigned count = 0;
    for (size_t i = from; i < console->events->count; i++)
        count += console->events->event[i].kind == PB_EVENT_CONSOLE;
    return count;
}

int pb_console_identify(struct pb_console *console, unsigned node)
{
    struct pb_node_answer *answer = &console->seen->answer[node];
    const size_t first = console->events->count;
    int code = pb_console_ask(console, node, "I", answer->identity, sizeof answer->identity);
    if (code >= 0 && strncmp(answer->identity, "+I", 2)) {
        char again[sizeof answer->identity];
        code = pb_console_ask(console, node, "I", again, sizeof again);
        answer->late = code == 1 && !strncmp(again, "+I", 2);
        if (answer->late)
            memcpy(answer->identity, again, sizeof again);
    }
    if (code < 0)
        return code;
    answer->asked = true;
    answer->identified = code == 1;
    if (!answer->identified)
        return PB_OK; /* waiting again for each line gains nothing */
    const unsigned identity = characters(console, first);
    const size_t second = console->events->count;
    code = pb_console_ask(console, node, "Z", answer->cleared, sizeof answer->cleared);
    if (code < 0)
        return code;
    answer->counts = code == 1 && !strcmp(answer->cleared, "+Z");
    return code == 1 && !answer->late ? pb_console_time(console, node, characters(console, second), identity)
                                      : PB_OK;
}

/* ---- programs */

int pb_console_load(struct pb_console *console)
{
    int code = 0;
    for (unsigned i = 0; console->scenario->program && i < console->scenario->node_count && code >= 0; i++) {
        char line[PB_PROGRAM_LINE_MAX], due[PB_PROGRAM_LINE_MAX], *answer = console->seen->answer[i].loaded;
        pb_program_load_line(line, due, console->scenario, i);
        code = pb_console_ask(console, i, line, answer, sizeof console->seen->answer[i].loaded);
        console->seen->answer[i].typed = code >= 0;
    }
    return code < 0 ? code : PB_OK;
}

static int read_programs(struct pb_console *console)
{
    int code = 0;
    for (unsigned i = 0; console->scenario->program && i < console->scenario->node_count && code >= 0; i++)
        code = pb_console_ask(console, i, PB_PROGRAM_RESULT_LINE, console->seen->answer[i].program,
                              sizeof console->seen->answer[i].program);
    return code < 0 ? code : PB_OK;
}

int pb_console_count(struct pb_console *console)
{
    for (unsigned node_index = 0; node_index < console->scenario->node_count; node_index++) {
        struct pb_node_answer *answer = &console->seen->answer[node_index];
        answer->too_slow = bytes_ms(console, COUNTERS_BYTES) > STATISTICS_MS;
        if (!answer->counts || answer->too_slow)
            continue;
        const int code =
            pb_console_ask(console, node_index, "T", answer->statistics, sizeof answer->statistics);
        if (code < 0)
            return code;
        answer->counted = code == 1 && !strncmp(answer->statistics, "+T", 2);
    }
    return read_programs(console);
}

/* ---- the messages of the nodes */

static int type_line(struct pb_console *console, const struct pb_console_line *typed)
{
    char answer[80];
    const int code = pb_console_ask(console, typed->node_index, typed->text, answer, sizeof answer);
    if (code < 0)
        return code;
    if (code == 1 && pb_answer_fits(answer, typed->answer))
        return PB_OK;
    struct pb_observation *seen = console->seen;
    if (seen->console_failures < sizeof seen->console_failure / sizeof seen->console_failure[0]) {
        struct pb_console_failure *failure = &seen->console_failure[seen->console_failures];
        failure->node_index = typed->node_index;
        failure->message = typed->message;
        memcpy(failure->answer, answer, sizeof failure->answer);
    }
    seen->console_failures++;
    return PB_OK;
}

int pb_console_type(struct pb_console *console)
{
    unsigned silent = PB_SCENARIO_NODES_MAX;
    for (size_t i = 0; i < console->plan->lines; i++) {
        const struct pb_console_line *line = &console->plan->line[i];
        const size_t failures = console->seen->console_failures;
        if (line->node_index == silent)
            continue; /* it did not answer: the finding is there, waiting again for each line gains nothing */
        const int code = type_line(console, line);
        if (code)
            return code;
        if (console->seen->console_failures > failures)
            silent = line->node_index;
    }
    return PB_OK;
}
