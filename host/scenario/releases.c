/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"
#include "movement.h"
#include "source_texts.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 45 days and a bit: the check refuses stamps beyond 46. */
#define RUN_MAX_PS UINT64_C(3890000000000000000)

/* One entry of the traffic list while it is compiled. */
struct entry {
    const struct pb_reader *reader;
    const struct pb_raw_traffic *raw;
    struct pb_scenario *scenario;
    size_t index;
    uint64_t superframe, phase, every;
    uint64_t repeat; /* 0: endless */
};

static const char *entry_place(struct pb_place *place, const struct entry *entry, const char *key)
{
    return pb_place(place, "traffic", entry->index, key);
}

/* The sentence of another module, with the place of the entry before it. */
static int pass_on(const struct entry *entry, const char *key, int code, const struct pb_diag *cause)
{
    struct pb_place place;
    if (code == PB_ERR_MEMORY)
        return pb_fail(entry->reader->diag, code, "%s: %s", entry->reader->path, cause->text);
    return pb_reject(entry->reader, entry_place(&place, entry, key), "%s", cause->text);
}

/* Appends the messages of one repetition, later by its superframe and the entry's phase. Empties the list. */
static int release(const struct entry *entry, uint64_t repetition, struct pb_traffic *list)
{
    struct pb_place place;
    struct pb_traffic *traffic = &entry->scenario->traffic;
    int code = PB_OK;
    if (list->count > PB_MESSAGES_MAX - traffic->count)
        code =
            pb_reject(entry->reader, entry_place(&place, entry, ""),
                      "makes more than %zu messages in the scenario; lower repeat or the number of entries",
                      PB_MESSAGES_MAX);
    for (size_t i = 0; i < list->count && code == PB_OK; i++) {
        struct pb_message message = list->message[i];
        message.release_superframe += (uint32_t)(entry->superframe + repetition * entry->every);
        message.release_phase = (unsigned)entry->phase;
        if (pb_traffic_add(traffic, &message) != PB_OK)
            code = pb_fail(entry->reader->diag, PB_ERR_MEMORY, "%s: no memory for %zu messages; lower repeat",
                           entry->reader->path, traffic->count + 1);
    }
    pb_traffic_free(list);
    return code;
}

/* Appends an endless entry, which takes over the pattern or the list. */
static int release_for_ever(const struct entry *entry, const char *pattern, struct pb_traffic *list)
{
    struct pb_scenario *scenario = entry->scenario;
    struct pb_place place;
    struct pb_endless *grown =
        realloc(scenario->endless, (scenario->endless_count + 1) * sizeof *scenario->endless);
    char *copy = pattern ? strdup(pattern) : NULL;
    int code = grown && (copy || !pattern) ? PB_OK : PB_ERR_MEMORY;
    if (grown)
        scenario->endless = grown;
    if (code)
        pb_fail(entry->reader->diag, code, "%s: no memory for the traffic; close other programs",
                entry->reader->path);
    else if (!pattern && !list->count)
        code = pb_reject(entry->reader, entry_place(&place, entry, "file"),
                         "has no message to repeat for ever; add one, or leave the entry out");
    if (code) {
        free(copy);
        pb_traffic_free(list);
        return code;
    }
    grown[scenario->endless_count++] = (struct pb_endless){.pattern = copy,
                                                           .list = *list,
                                                           .superframe = (uint32_t)entry->superframe,
                                                           .phase = (unsigned)entry->phase,
                                                           .every = (uint32_t)entry->every,
                                                           .after = scenario->traffic.count};
    return PB_OK;
}

static bool is_seeded(const char *pattern, size_t name_length)
{
    static const char *const seeded[] = {"perm", "uniform", "xors"};
    for (size_t i = 0; i < sizeof seeded / sizeof seeded[0]; i++)
        if (strlen(seeded[i]) == name_length && strncmp(seeded[i], pattern, name_length) == 0)
            return true;
    return false;
}

static int release_pattern(const struct entry *entry)
{
    const char *pattern = entry->raw->pattern, *colon = strchr(pattern, ':');
    uint64_t seed = entry->scenario->seed;
    bool seeded = colon && is_seeded(pattern, (size_t)(colon - pattern)) &&
                  (strcmp(colon + 1, "auto") == 0 || pb_parse_number(colon + 1, strlen(colon + 1), &seed));
    int code = PB_OK;
    for (uint64_t i = 0; i < (entry->repeat ? entry->repeat : 1) && code == PB_OK; i++) {
        char numbered[40];
        if (seeded)
            snprintf(numbered, sizeof numbered, "%.*s:%" PRIu64, (int)(colon - pattern), pattern, seed + i);
        struct pb_traffic list = {0};
        struct pb_diag cause;
        code = pb_traffic_generate(&list, &entry->scenario->network, seeded ? numbered : pattern, &cause);
        if (code != PB_OK)
            return pass_on(entry, "pattern", code, &cause);
        if (!entry->repeat)
            pb_traffic_free(&list); /* it was made to see that it can be */
        code = entry->repeat ? release(entry, i, &list)
                             : release_for_ever(entry, seeded ? numbered : pattern, &list);
    }
    return code;
}

static int release_single(const struct entry *entry)
{
    struct pb_place place;
    struct pb_message message = {0};
    const char *missing = entry->raw->from ? "to" : "from";
    if (!entry->raw->from || !entry->raw->to)
        return pb_reject_entry(entry->reader, entry_place(&place, entry, missing),
                               "is missing; a message has from and to");
    int code = pb_read_address(entry->reader, entry_place(&place, entry, "from"), entry->raw->from,
                               &entry->scenario->network, &message.source);
    if (code == PB_OK)
        code = pb_read_address(entry->reader, entry_place(&place, entry, "to"), entry->raw->to,
                               &entry->scenario->network, &message.destination);
    if (code == PB_OK && message.source == message.destination)
        code = pb_reject(entry->reader, place.text,
                         "0x%" PRIX32 " is the source, too, so no link is crossed; change one",
                         message.destination);
    for (uint64_t i = 0; i < (entry->repeat ? entry->repeat : 1) && code == PB_OK; i++) {
        struct pb_traffic list = {0};
        if (pb_traffic_add(&list, &message) != PB_OK)
            return pb_fail(entry->reader->diag, PB_ERR_MEMORY,
                           "%s: no memory for a message; close other programs", entry->reader->path);
        code = entry->repeat ? release(entry, i, &list) : release_for_ever(entry, NULL, &list);
    }
    return code;
}

/* The path of a file named in the scenario: relative to the scenario, not to where the program runs. */
static char *beside(const char *scenario_path, const char *file)
{
    const char *slash = strrchr(scenario_path, '/');
    int folder = slash && *file != '/' ? (int)(slash - scenario_path) + 1 : 0;
    size_t size = (size_t)folder + strlen(file) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s", folder, scenario_path, file);
    return path;
}

static int release_text(const struct entry *entry, const char *path, const char *text, size_t length)
{
    int code = PB_OK;
    for (uint64_t i = 0; i < (entry->repeat ? entry->repeat : 1) && code == PB_OK; i++) {
        struct pb_traffic list = {0};
        struct pb_diag cause;
        code = pb_traffic_parse_text(&list, &entry->scenario->network, path, text, length, &cause);
        if (code != PB_OK)
            return pass_on(entry, "file", code, &cause);
        code = entry->repeat ? release(entry, i, &list) : release_for_ever(entry, NULL, &list);
    }
    return code;
}

static int release_file(const struct entry *entry)
{
    char *path = beside(entry->reader->path, entry->raw->file);
    const struct pb_scenario_text *text = NULL;
    struct pb_diag cause = {"no memory for a traffic file; close other programs"};
    int code = path ? pb_texts_file(entry->reader, entry->raw->file, path, &text, &cause) : PB_ERR_MEMORY;
    if (code == PB_OK)
        code = release_text(entry, path, text->text, text->length);
    else
        code = pass_on(entry, "file", code, &cause);
    free(path);
    return code;
}

static int release_program(const struct entry *entry)
{
    const struct pb_raw_traffic *raw = entry->raw;
    const char *const others[] = {raw->superframe, raw->phase, raw->repeat, raw->every};
    struct pb_place place;
    uint64_t argument;
    int code = PB_OK;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i])
            return pb_reject_entry(
                entry->reader, entry_place(&place, entry, "program"),
                "runs once, from superframe 0 on; leave out superframe, phase, repeat and every");
    if (raw->argument)
        code = pb_read_number(entry->reader, entry_place(&place, entry, "argument"), raw->argument, 0,
                              UINT16_MAX, &argument);
    return code ? code
                : pb_compile_program(entry->reader, entry_place(&place, entry, "program"), raw->program,
                                     raw->argument ? &argument : NULL, entry->scenario);
}

static int release_entry(struct entry *entry)
{
    const struct pb_raw_traffic *raw = entry->raw;
    struct pb_place place;
    unsigned kinds = !!raw->pattern + !!raw->file + (raw->from || raw->to) + !!raw->program;
    if (kinds != 1)
        return pb_reject_entry(entry->reader, entry_place(&place, entry, ""),
                               "has %u of pattern, file, program, and from with to; give exactly one", kinds);
    if (raw->program)
        return release_program(entry);
    if (raw->argument)
        return pb_reject_entry(entry->reader, entry_place(&place, entry, "argument"),
                               "is of a program; leave it out, or give program");
    entry->repeat = 1;
    int code = pb_read_key(entry->reader, PB_KEY_traffic_superframe, raw, entry->index, &entry->superframe);
    if (code == PB_OK)
        code = pb_read_number(entry->reader, entry_place(&place, entry, "phase"), raw->phase, 0,
                              entry->scenario->network.phases - 1, &entry->phase);
    if (code == PB_OK)
        code = pb_read_key(entry->reader, PB_KEY_traffic_every, raw, entry->index, &entry->every);
    if (code == PB_OK && raw->repeat && strcmp(raw->repeat, "forever") == 0)
        entry->repeat = 0;
    else if (code == PB_OK)
        code = pb_read_number(entry->reader, entry_place(&place, entry, "repeat"), raw->repeat, 1,
                              (PB_SUPERFRAMES_MAX - 1 - entry->superframe) / entry->every + 1,
                              &entry->repeat);
    if (code != PB_OK)
        return code;
    if (raw->pattern)
        return release_pattern(entry);
    return raw->file ? release_file(entry) : release_single(entry);
}

uint32_t pb_scenario_superframes_max(const struct pb_scenario *scenario)
{
    const uint64_t most = RUN_MAX_PS / ((uint64_t)pb_phase_ps(scenario) * scenario->network.phases + 1);
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

uint32_t pb_scenario_last_release(const struct pb_scenario *scenario)
{
    uint32_t last = 0;
    for (size_t i = 0; i < scenario->traffic.count; i++)
        if (scenario->traffic.message[i].release_superframe > last)
            last = scenario->traffic.message[i].release_superframe;
    for (unsigned i = 0; i < scenario->endless_count; i++)
        if (scenario->endless[i].superframe > last)
            last = scenario->endless[i].superframe;
    return last;
}

static int keep_last(void *context, const struct pb_moved *moved)
{
    *(struct pb_moved *)context = *moved;
    return PB_OK;
}

/* Superframes that the traffic needs when every node follows the rule, and one more in which nothing may
 * happen. */
static int default_superframes(const struct pb_reader *reader, struct pb_scenario *scenario)
{
    struct pb_moved last = {.left = true};
    struct pb_diag cause;
    const int code = pb_foresee(scenario, PB_SUPERFRAMES_MAX - 1, keep_last, &last, &cause);
    if (code != PB_OK)
        return pb_fail(reader->diag, code, "%s: %s", reader->path, cause.text);
    if (last.left)
        return pb_reject(reader, "traffic", "needs more than %d superframes; send less, or give superframes",
                         PB_SUPERFRAMES_MAX - 1);
    scenario->superframes = last.superframe + 2;
    return PB_OK;
}

static int read_superframes(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                            struct pb_scenario *scenario)
{
    const uint32_t last_release = pb_scenario_last_release(scenario);
    uint64_t superframes = pb_scenario_superframes_max(scenario);
    scenario->superframes_open = !raw->superframes && scenario->endless_count;
    if (!raw->superframes && !scenario->endless_count)
        return default_superframes(reader, scenario);
    int code = pb_read_number(reader, "superframes", raw->superframes, 1, superframes, &superframes);
    if (code == PB_OK && superframes <= last_release)
        code = pb_reject(reader, "superframes",
                         "%" PRIu64 " superframes end before the traffic of superframe %" PRIu32
                         " is released; give at least %" PRIu32 " or leave the key out",
                         superframes, last_release, last_release + 1);
    scenario->superframes = (uint32_t)superframes;
    return code;
}

int pb_compile_traffic(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                       struct pb_scenario *scenario)
{
    int code = PB_OK;
    for (unsigned i = 0; i < raw->traffic_count && code == PB_OK; i++) {
        struct entry entry = {.reader = reader, .raw = &raw->traffic[i], .scenario = scenario, .index = i};
        if (scenario->program || (i && entry.raw->program)) {
            struct pb_place place;
            code = pb_reject(reader, entry_place(&place, &entry, ""),
                             "is in a list with a program, which is alone there; leave the others out");
            break;
        }
        code = pb_go_on(reader, release_entry(&entry));
    }
    if (pb_is_doubtful(reader)) {
        scenario->superframes = PB_SUPERFRAMES_MAX; /* for the faults */
        return code;
    }
    if (code == PB_OK && scenario->traffic.count == 0 && !scenario->endless_count)
        code = pb_reject(reader, "traffic",
                         "has no message; give at least one entry, for example '- {pattern: complement}'");
    return code == PB_OK ? read_superframes(reader, raw, scenario) : code;
}
