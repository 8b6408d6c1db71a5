/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a validation at the station, in portions: the first byte is the size of a portion, the second the
 * exit code. */
#include "tests/bench/fuzz/fuzz.h"

#include "host/production/station/state_json.h"

#include <jansson.h>
#include <string.h>

static struct station_state state;
static uint64_t lines_seen;
static bool claimed; /* an event "end" said go */

static bool is_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static void on_event(void *context, const struct station_event *event)
{
    (void)context;
    lines_seen++;
    MUST(is_line(event->kind == STATION_EVENT_END ? event->look : ""));
    MUST(event->kind != STATION_EVENT_PROGRESS || (event->share >= 0 && event->share <= 1));
    claimed |= event->kind == STATION_EVENT_END && (event->go == PB_GO || event->go == PB_GO_MARGINAL);
    station_state_event(&state, event, 0);
}

static void on_garbled(void *context)
{
    (void)context;
    lines_seen++;
    station_state_garbled(&state);
}

/* What the page shows is a JSON document. */
static void show(void)
{
    const struct station_info info = {.name = "s", .profile = "quick", .rig = "sim:"};
    char *text = station_state_json(&state, &info, 0);
    json_t *object = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    MUST(object);
    json_decref(object);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct station_lines lines;
    const struct station_lines_sink sink = {on_event, on_garbled, NULL};
    const struct station_record run = {.serial = "TM-1", .started_utc = "2026-11-24T12:00:00Z"};
    struct input input = {data, size};
    const size_t portion = 1 + take(&input);
    const struct station_end end = {.exit_code = take(&input) % 6};
    uint64_t breaks = 0;
    for (size_t i = 0; i < input.left; i++)
        breaks += input.at[i] == '\n';
    lines_seen = 0;
    claimed = false;
    station_state_clear(&state);
    station_state_start(&state, &run, 0);
    station_lines_clear(&lines);
    while (input.left) {
        size_t count;
        const uint8_t *bytes = take_bytes(&input, portion, &count);
        station_lines_take(&lines, (const char *)bytes, count, &sink);
    }
    MUST(lines_seen <= breaks);
    MUST(state.steps <= PB_STEPS_MAX);
    show();
    station_state_end(&state, &end);
    show();
    bool sound = claimed && end.exit_code == 0 && state.steps > 0;
    for (unsigned i = 0; i < state.steps; i++)
        sound &= state.step[i].state != STATION_STEP_FAIL && state.step[i].state != STATION_STEP_ERROR &&
                 state.step[i].state != STATION_STEP_PENDING;
    MUST(sound || (state.run.go != PB_GO && state.run.go != PB_GO_MARGINAL));
    return 0;
}
