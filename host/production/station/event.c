/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "host/base/utf8.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

const char *station_step_name(enum station_step_state state)
{
    return state == STATION_STEP_PENDING   ? "pending"
           : state == STATION_STEP_RUNNING ? "running"
                                           : pb_step_state_name((enum pb_step_state)state);
}

/* ---- members; each returns false if the member is not as it must be */

/* A missing text is empty unless it is required. */
static bool take_text(const json_t *object, const char *key, bool required, char *out, size_t size)
{
    const json_t *member = json_object_get(object, key);
    *out = '\0';
    if (!member)
        return !required;
    if (!json_is_string(member))
        return false;
    pb_utf8_clean(out, size, json_string_value(member));
    return *out || !required;
}

static bool take_index(const json_t *object, unsigned *index)
{
    const json_t *member = json_object_get(object, "index");
    const json_int_t value = json_integer_value(member);
    *index = (unsigned)value;
    return json_is_integer(member) && value >= 0 && value < PB_STEPS_MAX;
}

/* A number, moved to the nearer end of its range: the sender's arithmetic may round beyond it. */
static bool take_number(const json_t *object, const char *key, double low, double high, double *out)
{
    const json_t *member = json_object_get(object, key);
    *out = fmin(fmax(json_number_value(member), low), high);
    return json_is_number(member);
}

/* The number of a word, by the function that names them; false: it is none of the `count`. */
static bool take_word(const json_t *object, const char *key, const char *(*name)(int), int count, int *out)
{
    const char *word = json_string_value(json_object_get(object, key));
    for (*out = 0; word && *out < count; ++*out)
        if (!strcmp(word, name(*out)))
            return true;
    return false;
}

static const char *step_word(int state)
{
    return station_step_name((enum station_step_state)state);
}

static const char *judgement_word(int judgement)
{
    return pb_judgement_name((enum pb_judgement)judgement);
}

static const char *go_word(int go)
{
    return pb_go_name((enum pb_go)go);
}

/* The number of a process, which may be missing: 0. */
static bool take_pid(const json_t *object, int *pid)
{
    const json_t *member = json_object_get(object, "pid");
    const json_int_t value = json_integer_value(member);
    *pid = (int)value;
    return !member || (value > 0 && value <= INT_MAX);
}

/* ---- events */

static bool read_begin(struct station_event *event, const json_t *object)
{
    const json_t *steps = json_object_get(object, "steps");
    event->steps = (unsigned)json_array_size(steps);
    if (!take_text(object, "serial", true, event->serial, sizeof event->serial) ||
        !take_pid(object, &event->pid) || json_array_size(steps) < 1 || json_array_size(steps) > PB_STEPS_MAX)
        return false;
    for (unsigned i = 0; i < event->steps; i++) {
        const json_t *step = json_array_get(steps, i);
        if (!take_text(step, "id", true, event->step[i].id, sizeof event->step[i].id) ||
            !take_text(step, "purpose", false, event->step[i].purpose, sizeof event->step[i].purpose))
            return false;
    }
    return true;
}

static bool read_step(struct station_event *event, const json_t *object)
{
    int state;
    if (!take_index(object, &event->index) ||
        !take_word(object, "state", step_word, STATION_STEP_PENDING, &state))
        return false;
    event->state = (enum station_step_state)state;
    return take_text(object, "reason", false, event->reason, sizeof event->reason);
}

static bool read_progress(struct station_event *event, const json_t *object)
{
    enum { LONGEST_S = 10000000 };
    event->left_s = -1;
    return take_index(object, &event->index) && take_number(object, "share", 0, 1, &event->share) &&
           (!json_object_get(object, "left_s") ||
            take_number(object, "left_s", 0, LONGEST_S, &event->left_s));
}

static bool read_value(struct station_event *event, const json_t *object)
{
    int judgement;
    if (!take_index(object, &event->index) ||
        !take_text(object, "name", true, event->name, sizeof event->name) ||
        !take_text(object, "text", false, event->text, sizeof event->text) ||
        !take_text(object, "limits", false, event->limits, sizeof event->limits) ||
        !take_word(object, "judgement", judgement_word, PB_JUDGED_FAIL + 1, &judgement))
        return false;
    event->judgement = (enum pb_judgement)judgement;
    return true;
}

static bool read_end(struct station_event *event, const json_t *object)
{
    int go;
    if (!take_word(object, "go", go_word, PB_GO_INCOMPLETE + 1, &go))
        return false;
    event->go = (enum pb_go)go;
    return take_text(object, "look", false, event->look, sizeof event->look) &&
           take_text(object, "worst", false, event->worst, sizeof event->worst);
}

bool station_event_read(struct station_event *event, const char *line, size_t length)
{
    static const struct {
        const char *name;
        bool (*read)(struct station_event *event, const json_t *object);
    } kinds[] = {
        [STATION_EVENT_BEGIN] = {"begin", read_begin},       [STATION_EVENT_STEP] = {"step", read_step},
        [STATION_EVENT_PROGRESS] = {"progress", read_progress}, [STATION_EVENT_VALUE] = {"value", read_value},
        [STATION_EVENT_END] = {"end", read_end},
    };
    json_t *const object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(object, "event"));
    bool read = false;
    for (size_t i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(name, kinds[i].name)) {
            event->kind = (enum station_event_kind)i;
            read = kinds[i].read(event, object);
        }
    json_decref(object);
    return read;
}

/* ---- lines */

void station_lines_clear(struct station_lines *lines)
{
    lines->length = 0;
    lines->too_long = false;
}

static void end_line(struct station_lines *lines, const struct station_lines_sink *sink)
{
    struct station_event event;
    if (lines->too_long || (lines->length && !station_event_read(&event, lines->line, lines->length)))
        sink->garbled(sink->context);
    else if (lines->length)
        sink->event(sink->context, &event);
    station_lines_clear(lines);
}

void station_lines_take(struct station_lines *lines, const char *bytes, size_t count,
                        const struct station_lines_sink *sink)
{
    while (count) {
        const char *end = memchr(bytes, '\n', count);
        const size_t part = end ? (size_t)(end - bytes) : count;
        if (part > sizeof lines->line - lines->length)
            lines->too_long = true;
        if (!lines->too_long) {
            memcpy(lines->line + lines->length, bytes, part);
            lines->length += part;
        }
        if (end)
            end_line(lines, sink);
        bytes += part + (end != NULL);
        count -= part + (end != NULL);
    }
}
