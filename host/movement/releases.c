/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources of releases: a list, a pattern repeated, several sources as one. */
#include "phasebench/movement.h"

#include <stdlib.h>

void pb_releases_free(struct pb_releases *releases)
{
    if (releases)
        releases->free(releases);
}

/* ---- a list */

struct due {
    uint64_t instant; /* phases since phase 0 of superframe 0 */
    size_t message;
};

struct list {
    struct pb_releases base;
    const struct pb_network *network;
    const struct pb_traffic *traffic;
    struct due *order; /* NULL: the messages are in the order of their releases */
    size_t taken;
};

static uint64_t instant_of(const struct list *list, size_t message)
{
    const struct pb_message *m = &list->traffic->message[message];
    return (uint64_t)m->release_superframe * list->network->phases + m->release_phase;
}

static const struct pb_message *next_of_list(const struct list *list, size_t *message)
{
    *message = list->order ? list->order[list->taken].message : list->taken;
    return &list->traffic->message[*message];
}

static int take_of_list(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release,
                        size_t room, size_t *count)
{
    struct list *list = (struct list *)releases;
    size_t message;

    for (*count = 0; *count < room && list->taken < list->traffic->count; list->taken++) {
        const struct pb_message *m = next_of_list(list, &message);
        if (m->release_superframe > superframe)
            break;
        if (m->release_superframe == superframe)
            release[(*count)++] =
                (struct pb_birth){message, m->source, m->destination, superframe, m->release_phase};
    }
    return PB_OK;
}

static bool next_in_list(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct list *list = (const struct list *)releases;
    size_t message;

    if (list->taken == list->traffic->count)
        return false;
    *superframe = next_of_list(list, &message)->release_superframe;
    return true;
}

static void free_list(struct pb_releases *releases)
{
    free(((struct list *)releases)->order);
    free(releases);
}

static int compare_due(const void *left, const void *right)
{
    const struct due *a = left, *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

/* Most lists are in the order of their releases, and need none made. */
static int sort_releases(struct list *list)
{
    const size_t count = list->traffic->count;
    size_t ordered = 1;
    while (ordered < count && instant_of(list, ordered - 1) <= instant_of(list, ordered))
        ordered++;
    if (ordered >= count)
        return PB_OK;

    list->order = malloc(count * sizeof *list->order);
    if (!list->order)
        return PB_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        list->order[i] = (struct due){instant_of(list, i), i};
    qsort(list->order, count, sizeof *list->order, compare_due);
    return PB_OK;
}

int pb_releases_list(struct pb_releases **out, const struct pb_network *network,
                     const struct pb_traffic *traffic)
{
    struct list *list = calloc(1, sizeof *list);

    *out = NULL;
    if (!list)
        return PB_ERR_MEMORY;
    *list = (struct list){{take_of_list, next_in_list, free_list}, network, traffic, NULL, 0};
    if (sort_releases(list)) {
        free(list);
        return PB_ERR_MEMORY;
    }
    *out = &list->base;
    return PB_OK;
}

/* ---- a pattern repeated */

/* The messages of a repetition are in the order of their superframes, counted from the repetition's first
 * one, and none of these is without a message. When they reach beyond `every`, repetitions overlap: a
 * superframe has a part of several, the earliest first. */
struct repeat {
    struct pb_releases base;
    struct pb_pattern pattern;
    struct pb_repeat how;
    struct pb_traffic messages; /* of repetition `made` */
    uint64_t made;
    uint32_t span;       /* superframes of a repetition; 0: it has no message */
    uint64_t superframe; /* nothing before it is left */
    uint64_t repetition; /* of the next release, in this superframe or a later one */
    size_t message;      /* of that repetition */
};

static uint64_t start_of(const struct repeat *repeat, uint64_t repetition)
{
    return repeat->how.superframe + repetition * repeat->how.every;
}

static bool is_over(const struct repeat *repeat, uint64_t repetition)
{
    return !repeat->span || (repeat->how.times && repetition >= repeat->how.times);
}

/* The first message of a repetition in one of its superframes. */
static size_t first_message(const struct repeat *repeat, uint64_t superframe)
{
    size_t low = 0, high = repeat->messages.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (repeat->messages.message[middle].release_superframe < superframe)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Goes to the first release of a superframe: to the first repetition that does not end before it. */
static void seek(struct repeat *repeat, uint64_t superframe)
{
    const uint64_t end = start_of(repeat, 0) + repeat->span;
    repeat->superframe = superframe;
    repeat->repetition = superframe < end ? 0 : (superframe - end) / repeat->how.every + 1;
    const uint64_t start = start_of(repeat, repeat->repetition);
    repeat->message = superframe > start ? first_message(repeat, superframe - start) : 0;
}

static int take_of_repeat(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release,
                          size_t room, size_t *count)
{
    struct repeat *repeat = (struct repeat *)releases;

    *count = 0;
    if (superframe > repeat->superframe)
        seek(repeat, superframe);
    while (superframe == repeat->superframe) {
        const uint64_t start = start_of(repeat, repeat->repetition);
        if (is_over(repeat, repeat->repetition) || start > superframe) {
            seek(repeat, repeat->superframe + 1);
            return PB_OK;
        }
        if (repeat->made != repeat->repetition && repeat->pattern.seeded) {
            if (pb_pattern_fill(&repeat->pattern, repeat->repetition, &repeat->messages))
                return PB_ERR_MEMORY;
            repeat->made = repeat->repetition;
        }
        const size_t messages = repeat->messages.count;
        const struct pb_message *message = repeat->messages.message;
        const uint64_t number = repeat->how.first_message + repeat->repetition * messages;
        size_t at = repeat->message;
        for (; at < messages && message[at].release_superframe == superframe - start; at++) {
            if (*count == room) {
                repeat->message = at;
                return PB_OK;
            }
            release[(*count)++] = (struct pb_birth){number + at, message[at].source, message[at].destination,
                                                    superframe, repeat->how.phase};
        }
        repeat->repetition++;
        const uint64_t next = start_of(repeat, repeat->repetition);
        repeat->message = superframe > next ? first_message(repeat, superframe - next) : 0;
    }
    return PB_OK;
}

static bool next_in_repeat(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct repeat *repeat = (const struct repeat *)releases;
    const uint64_t start = start_of(repeat, repeat->repetition),
                   next = start > repeat->superframe ? start : repeat->superframe;

    if (is_over(repeat, repeat->repetition) || next > UINT32_MAX)
        return false;
    *superframe = (uint32_t)next;
    return true;
}

static void free_repeat(struct pb_releases *releases)
{
    pb_traffic_free(&((struct repeat *)releases)->messages);
    free(releases);
}

int pb_releases_repeat(struct pb_releases **out, const struct pb_network *network, const char *pattern,
                       const struct pb_repeat *how, struct pb_diag *diag)
{
    struct pb_pattern parsed;

    *out = NULL;
    int code = pb_pattern_parse(&parsed, network, pattern, diag);
    if (code)
        return code;
    struct repeat *repeat = calloc(1, sizeof *repeat);
    if (!repeat)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for traffic '%.60s'; close other programs", pattern);
    *repeat = (struct repeat){
        .base = {take_of_repeat, next_in_repeat, free_repeat}, .pattern = parsed, .how = *how};
    code = pb_pattern_fill(&repeat->pattern, 0, &repeat->messages);
    if (code) {
        free_repeat(&repeat->base);
        return pb_fail(diag, code, "no memory for traffic '%.60s'; lower the nodes", pattern);
    }
    const size_t messages = repeat->messages.count;
    repeat->span = messages ? repeat->messages.message[messages - 1].release_superframe + 1 : 0;
    seek(repeat, 0);
    *out = &repeat->base;
    return PB_OK;
}

int pb_releases_repeat_list(struct pb_releases **out, const struct pb_traffic *list,
                            const struct pb_repeat *how)
{
    struct repeat *repeat = calloc(1, sizeof *repeat);
    int code = repeat ? PB_OK : PB_ERR_MEMORY;

    *out = NULL;
    if (repeat)
        *repeat = (struct repeat){
            .base = {take_of_repeat, next_in_repeat, free_repeat}, .how = *how, .span = list->count > 0};
    for (size_t i = 0; i < list->count && !code; i++) {
        struct pb_message message = list->message[i];
        message.release_superframe = 0;
        code = pb_traffic_add(&repeat->messages, &message);
    }
    if (code) {
        pb_releases_free((struct pb_releases *)repeat);
        return code;
    }
    seek(repeat, 0);
    *out = &repeat->base;
    return PB_OK;
}

/* ---- several sources as one */

struct part {
    struct pb_releases *source;
    struct pb_birth first; /* the next release of this superframe, when there is one */
    bool any;
};

struct join {
    struct pb_releases base;
    uint64_t superframe; /* of which the parts were asked; 2^32: of none yet */
    size_t parts;
    struct part part[];
};

static int advance(struct part *part, uint32_t superframe)
{
    size_t count;
    const int code = part->source->take(part->source, superframe, &part->first, 1, &count);
    part->any = code == PB_OK && count;
    return code;
}

static int take_of_join(struct pb_releases *releases, uint32_t superframe, struct pb_birth *release,
                        size_t room, size_t *count)
{
    struct join *join = (struct join *)releases;
    int code = PB_OK;

    *count = 0;
    for (size_t i = 0; i < join->parts && join->superframe != superframe && code == PB_OK; i++)
        code = advance(&join->part[i], superframe);
    join->superframe = superframe;
    while (*count < room && code == PB_OK) {
        struct part *next = NULL;
        for (size_t i = 0; i < join->parts; i++)
            if (join->part[i].any && (!next || join->part[i].first.phase < next->first.phase))
                next = &join->part[i];
        if (!next)
            break;
        release[(*count)++] = next->first;
        code = advance(next, superframe);
    }
    return code;
}

static bool next_in_join(const struct pb_releases *releases, uint32_t *superframe)
{
    const struct join *join = (const struct join *)releases;
    bool any = false;

    for (size_t i = 0; i < join->parts; i++) {
        uint32_t next;
        if (join->part[i].any)
            next = join->part[i].first.superframe;
        else if (!join->part[i].source->next(join->part[i].source, &next))
            continue;
        *superframe = any && *superframe < next ? *superframe : next;
        any = true;
    }
    return any;
}

static void free_join(struct pb_releases *releases)
{
    struct join *join = (struct join *)releases;
    for (size_t i = 0; i < join->parts; i++)
        pb_releases_free(join->part[i].source);
    free(join);
}

int pb_releases_join(struct pb_releases **out, struct pb_releases *const *part, size_t parts)
{
    struct join *join = calloc(1, sizeof *join + parts * sizeof *join->part);

    *out = NULL;
    if (!join) {
        for (size_t i = 0; i < parts; i++)
            pb_releases_free(part[i]);
        return PB_ERR_MEMORY;
    }
    join->base = (struct pb_releases){take_of_join, next_in_join, free_join};
    join->superframe = UINT64_C(1) << 32;
    join->parts = parts;
    for (size_t i = 0; i < parts; i++)
        join->part[i].source = part[i];
    *out = &join->base;
    return PB_OK;
}
