/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check, by the cases of tests/bench/unit/check/: what the lines did, and the findings and the verdict
 * that this must lead to. tests/bench/unit/check/words.def has the words of a case. */
#include "tests/bench/unit/check_fixture.h"
#include "tests/bench/unit/check_script.h"
#include "tests/bench/unit/faults_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place { MODEL, RUN, RESULT, ALWAYS, FRAME, SAY, WITHOUT, KNOW };

static bool is_model;
static struct pb_observation *seen; /* of a played run, edited */
static struct pb_result *result;   /* of the present => */
static int64_t noted;
static bool explained; /* findings may be those of faults, without {fault ...} */

/* ---- names and places */

struct name {
    const char *name;
    unsigned value;
};

static unsigned value_of(const struct name *name, size_t count, const char *text, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name[i].name, text))
            return name[i].value;
    script_fail("no such %s: %s", what, text);
}

static unsigned event_kind(void)
{
    static const struct name kind[] = {
        {"phase", PB_EVENT_PHASE},         {"edge", PB_EVENT_EDGE},         {"byte", PB_EVENT_BYTE},
        {"console", PB_EVENT_CONSOLE},     {"overflow", PB_EVENT_OVERFLOW}, {"underrun", PB_EVENT_UNDERRUN},
        {"heartbeat", PB_EVENT_HEARTBEAT}, {"fault", PB_EVENT_FAULT},       {"alarm", PB_EVENT_ALARM},
        {"tdma", PB_EVENT_TDMA},
    };
    return value_of(kind, COUNT(kind), script_word(), "kind of event");
}

static unsigned alarm_code(void)
{
    static const struct name code[] = {
        {"contention", PB_ALARM_CONTENTION},
        {"outside_phase", PB_ALARM_OUTSIDE_PHASE},
        {"guard", PB_ALARM_GUARD},
        {"stuck", PB_ALARM_STUCK},
        {"period", PB_ALARM_PERIOD},
        {"no_edge", PB_ALARM_NO_EDGE},
        {"sync", PB_ALARM_SYNC},
        {"watchdog", PB_ALARM_WATCHDOG},
    };
    return value_of(code, COUNT(code), script_word(), "alarm");
}

static unsigned fault_kind(void)
{
    const char *id = script_word();
    const struct pb_fault_info *info = pb_fault_by_id(id);
    if (!info)
        script_fail("no such fault: %s", id);
    return info->kind;
}

static int finding_kind(const char *id)
{
    for (int kind = 0; kind < PB_FINDING_KINDS; kind++)
        if (!strcmp(pb_finding_id((enum pb_finding_kind)kind), id))
            return kind;
    return -1;
}

/* SUPERFRAME:PHASE[:LINK], - for no particular link: -1. */
static void read_place(int64_t *v)
{
    script_more();
    v[0] = script_primary();
    if (!script_take(":"))
        script_fail("a place is SUPERFRAME:PHASE:LINK");
    v[1] = script_primary();
    v[2] = script_take(":") && !script_take("-") ? script_primary() : -1;
}

static int64_t tick_of(uint32_t superframe, unsigned phase)
{
    return is_model ? model_at(superframe, phase) : phase_event(demo, superframe, phase)->tick;
}

static struct slot slot_at(const int64_t *v)
{
    return slot_of(v[0], v[1], v[2]);
}

static struct model_frame *frame_of(const int64_t *v)
{
    return model_find(&model, v[0], v[1]);
}

static unsigned edge_of(const int64_t *v)
{
    return M_PHASES * v[0] + v[1];
}

/* The index-th console event of the run, counted from its first phase. */
static struct pb_event *console_event(int index)
{
    const uint64_t start = phase_event(seen, 0, 0)->tick;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind == PB_EVENT_CONSOLE && seen->events.event[i].tick >= start &&
            index-- == 0)
            return &seen->events.event[i];
    script_fail("no such console event");
}

/* ---- values */

/* The first tick of the first bit that is high in a byte. */
static int64_t first_high(const struct model_frame *frame, unsigned byte)
{
    unsigned at = 10 * byte + 1;
    while (!model_level(frame, at))
        at++;
    return frame->start + at * M_BIT;
}

static int64_t last_rise(const struct model_frame *frame)
{
    unsigned last = 10 * frame->count - 1; /* before the last stop bit at the latest */
    while (model_level(frame, last - 1))
        last--;
    return last * M_BIT;
}

static const struct pb_hop_row *hop(size_t index)
{
    if (index >= result->hops)
        script_fail("no hop %zu", index);
    return &result->hop[index];
}

static const struct pb_fault_row *fault(size_t index)
{
    if (index >= result->faults)
        script_fail("no fault %zu", index);
    return &result->fault[index];
}

static int64_t node_hop(void)
{
    size_t index = 0;
    while (hop(index)->sender != PB_SENDER_NODE)
        index++;
    return index;
}

/* KIND[,LINK], or KIND,SUPERFRAME,PHASE,LINK */
static int64_t count_findings(const int64_t *v, unsigned arguments)
{
    int64_t count = 0;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *it = &result->finding[i];
        count += it->kind == v[0] && (arguments == 1 || it->link == v[arguments - 1]) &&
                 (arguments < 4 || (it->superframe == v[1] && it->phase == v[2]));
    }
    return count;
}

/* FIGURE.FIELD of the run, or FIGURE.FIELD(LINK). */
static int64_t of_measurement(const char *name, int64_t link)
{
    const size_t figure = strcspn(name, ".");
    for (size_t i = 0; i < result->measurements; i++) {
        const struct pb_measurement *it = &result->measurement[i];
        const char *id = pb_figure_id(it->figure), *field = name + figure;
        if (strlen(id) != figure || strncmp(id, name, figure) || it->link != link)
            continue;
        if (!strcmp(field, ".n"))
            return it->n;
        if (!strcmp(field, ".min"))
            return it->min;
        if (!strcmp(field, ".max"))
            return it->max;
    }
    script_fail("no such measurement: %s", name);
}

#define WORD(...)
#define SET(...)
#define FIELD(...)
#define VALUE(when, name, arguments, ...)                                                                    \
    static int64_t value_##when##_##name##_##arguments(const int64_t *v)                                     \
    {                                                                                                        \
        (void)v;                                                                                             \
        return __VA_ARGS__;                                                                                  \
    }
#include "tests/bench/unit/check/words.def"
#undef VALUE

static int64_t value_of_name(const char *name, const int64_t *argument, unsigned arguments)
{
    static const struct {
        const char *name;
        unsigned arguments;
        enum place when;
        int64_t (*value)(const int64_t *);
    } value[] = {
#define VALUE(when, name, arguments, ...) {#name, arguments, when, value_##when##_##name##_##arguments},
#include "tests/bench/unit/check/words.def"
#undef VALUE
#undef SET
#undef FIELD
#undef WORD
    };
    for (size_t i = 0; i < COUNT(value); i++)
        if (!strcmp(value[i].name, name) && value[i].arguments == arguments &&
            (value[i].when == ALWAYS ||
             (value[i].when == RESULT ? result != NULL : (value[i].when == MODEL) == is_model)))
            return value[i].value(argument);
    if (!arguments && finding_kind(name) >= 0)
        return finding_kind(name);
    if (!arguments && !strncmp(name, "fault_", 6) && pb_fault_by_id(name + 6))
        return pb_fault_by_id(name + 6)->kind;
    if (!result || !strchr(name, '.'))
        script_fail("no such name here: %s with %u arguments", name, arguments);
    return of_measurement(name, arguments ? argument[0] : -1);
}

/* ---- edits of the model */

static void set(enum place what, struct model_frame *frame);

static void wave(unsigned link, uint64_t from, unsigned pulses, unsigned ticks)
{
    for (unsigned i = 0; i < pulses; i++)
        model_low(&model, link, from + 2 * ticks * i, ticks);
}

static void set_frame(void *frame)
{
    set(FRAME, frame);
}

static void set_frames(void)
{
    const bool node = script_take(" node"), bench = !node && script_take(" bench");
    int64_t v[3];
    if (!node && !bench) {
        read_place(v);
        set(FRAME, frame_of(v));
        return;
    }
    const char *again = formatted("%s", script_text(""));
    for (unsigned i = 0; i < model.frames; i++)
        if (model.frame[i].bench == bench)
            script_again(again, set_frame, &model.frame[i]);
}

static void add_frame(const int64_t *v)
{
    struct model_frame *frame = &model.frame[model.frames++];
    *frame = (struct model_frame){
        .superframe = v[0], .phase = v[1], .link = v[2], .start = v[3], .count = v[4], .bit_q8 = M_BIT * 256};
    for (unsigned i = 0; i < frame->count; i++)
        frame->byte[i] = 0x35 + 11 * i;
}

static void cut_to_pieces(struct model_frame *frame, uint64_t spacing, int change)
{
    const struct model_frame whole = *frame;
    for (unsigned i = 0; i < M_BYTES; i++) {
        struct model_frame *piece = i ? &model.frame[model.frames++] : frame;
        *piece = whole;
        piece->start += spacing * i;
        piece->bit_q8 += change;
        piece->count = 1;
        piece->byte[0] = whole.byte[i];
    }
}

static void thin(struct model_frame *frame, unsigned bits)
{
    for (unsigned i = 0; i < 4 * M_BYTES; i++)
        if ((frame->byte[i / 4] & bits << i % 4) == bits << i % 4) {
            frame->byte[i / 4] &= ~(bits << i % 4);
            return;
        }
    script_fail("no byte has these bits");
}

static void inject_glitch(unsigned link, uint32_t superframe, unsigned phase)
{
    const uint64_t from = model_at(superframe, phase) + 2000;
    model_low(&model, link, from, 10);
    model_inject(&model, PB_FAULT_GLITCH, link, superframe, phase, from, from + 10);
}

/* ---- edits of a run */

static struct pb_event *read_event(void)
{
    int64_t v[3];
    const unsigned kind = event_kind();
    read_place(v);
    const int index = script_number();
    return kind == PB_EVENT_PHASE     ? phase_event(seen, v[0], v[1])
           : kind == PB_EVENT_CONSOLE ? console_event(index)
                                      : event_in(seen, slot_at(v), kind, index);
}

static void drop_all(void)
{
    const bool any = script_take(" any"), all = !any && script_take(" *");
    const int64_t link = any || all ? -1 : script_number();
    const bool edges = script_take(" edges");
    const uint64_t from = script_number(), to = script_number();
    for (size_t i = seen->events.count; i-- > 0;) {
        const struct pb_event *event = &seen->events.event[i];
        const bool line = event->kind == PB_EVENT_EDGE || (event->kind == PB_EVENT_BYTE && !edges);
        if (event->tick >= from && event->tick < to && (any || (line && (all || event->link == link))))
            erase(seen, event);
    }
}

static void drop_inner(struct slot slot)
{
    const uint64_t first = event_in(seen, slot, PB_EVENT_EDGE, 0)->tick,
                   last = event_in(seen, slot, PB_EVENT_EDGE, -1)->tick;
    for (size_t i = seen->events.count; i-- > 0;) {
        const struct pb_event *event = &seen->events.event[i];
        if (event->kind == PB_EVENT_EDGE && in_slot(event, slot) && event->tick > first &&
            event->tick < last) {
            erase(seen, event);
            seen->counters.events_missing++;
        }
    }
}

static void drop_last(unsigned link)
{
    size_t last = seen->events.count - 1;
    while (seen->events.event[last].kind != PB_EVENT_EDGE || seen->events.event[last].link != link)
        last--;
    assert_true(pb_event_high(&seen->events.event[last]));
    erase(seen, &seen->events.event[last]);
}

static void set_event(struct pb_event *event)
{
    static const struct {
        const char *name;
        unsigned lsb, mask;
    } field[] = {
#define WORD(...)
#define SET(...)
#define VALUE(...)
#define FIELD(name, part) {#name, part##_LSB, part##_MASK},
#include "tests/bench/unit/check/words.def"
#undef FIELD
    };
    const char *name = script_word();
    const char how = script_word()[0];
    const uint64_t value = script_number();
    size_t i = 0;
    if (!strcmp(name, "tick")) {
        event->tick = how == '+' ? event->tick + value : value;
        pb_events_sort(&seen->events);
        return;
    }
    while (i < COUNT(field) && strcmp(field[i].name, name))
        i++;
    if (i == COUNT(field) || !strchr("=^", how))
        script_fail("an event has no %s, or it cannot be changed by %c", name, how);
    const uint32_t changed = value & field[i].mask, mask = how == '^' ? 0 : field[i].mask;
    event->value = (event->value & ~(mask << field[i].lsb)) ^ changed << field[i].lsb;
}

static void stamp_halves(unsigned kind, unsigned half)
{
    seen->info.half_ticks = true;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind == kind)
            seen->events.event[i].value = PB_SET(PB_EVENT_EDGE_HALF, seen->events.event[i].value, half);
}

static void repeat_slot(struct slot slot, uint64_t later)
{
    for (size_t i = 0, count = seen->events.count; i < count; i++) {
        struct pb_event event = seen->events.event[i];
        event.tick += later;
        if (in_slot(&seen->events.event[i], slot))
            assert_int_equal(pb_events_add(&seen->events, &event), 0);
    }
    pb_events_sort(&seen->events);
}

/* ---- words */

#define FIELD(...)
#undef SET
#define SET(what, name, ...)                                                                                 \
    static void set_##what##_##name(const int64_t *v, struct model_frame *frame)                             \
    {                                                                                                        \
        (void)v;                                                                                             \
        (void)frame;                                                                                         \
        __VA_ARGS__;                                                                                         \
    }
#include "tests/bench/unit/check/words.def"
#undef SET
#undef WORD

/* Reads a name, and up to two numbers. */
static void set(enum place what, struct model_frame *frame)
{
    static const struct {
        enum place what;
        const char *name;
        void (*set)(const int64_t *, struct model_frame *);
    } row[] = {
#define WORD(...)
#define SET(what, name, ...) {what, #name, set_##what##_##name},
#include "tests/bench/unit/check/words.def"
#undef SET
#undef WORD
    };
    const char *name = script_word();
    int64_t v[2] = {0};
    for (unsigned i = 0; i < 2 && script_more(); i++)
        v[i] = script_number();
    for (size_t i = 0; i < COUNT(row); i++)
        if (row[i].what == what && !strcmp(row[i].name, name)) {
            row[i].set(v, frame);
            return;
        }
    script_fail("there is no %s to set", name);
}

#define SET(...)
#define WORD(world, name, arguments, ...)                                                                    \
    static void do_##name(const int64_t *v, struct pb_event *event)                                          \
    {                                                                                                        \
        (void)v;                                                                                             \
        (void)event;                                                                                         \
        __VA_ARGS__;                                                                                         \
    }
#include "tests/bench/unit/check/words.def"
#undef WORD

static void edit(const char *word)
{
    static const struct {
        const char *name, *arguments;
        enum place world;
        void (*run)(const int64_t *, struct pb_event *);
    } row[] = {
#define WORD(world, name, arguments, ...) {#name, arguments, world, do_##name},
#include "tests/bench/unit/check/words.def"
#undef WORD
    };
    size_t i = 0, count = 0;
    while (i < COUNT(row) && (strcmp(row[i].name, word) || (row[i].world == MODEL) != is_model))
        i++;
    if (i == COUNT(row))
        script_fail("no such word here: %s", word);
    int64_t v[10] = {0};
    struct pb_event *event = NULL;
    for (const char *at = row[i].arguments; *at; at++)
        if (*at == 'p') {
            read_place(v + count);
            count += 3;
        } else if (*at == 'E')
            event = read_event();
        else
            v[count++] = *at == 'e'   ? event_kind()
                         : *at == 'a' ? alarm_code()
                         : *at == 'f' ? fault_kind()
                                      : script_number();
    row[i].run(v, event);
}

/* ---- what must be found */

static struct pb_result *judge_now(void)
{
    if (is_model)
        return model_judge(&model);
    return judge(copy_observation(seen));
}

/* What was found, for the message of a failure. */
static const char *found(void)
{
    static char text[1500];
    int at = snprintf(text, sizeof text, "%s (%s), %zu findings", pb_verdict_name(result->verdict),
                      result->reason, result->findings_total);
    for (size_t i = 0; i < result->findings && at < 1000; i++) {
        const struct pb_finding *it = &result->finding[i];
        at += snprintf(text + at, sizeof text - (size_t)at, "\n  %s@%u:%u:%d bit %d, fault %d: %s | %s",
                       pb_finding_id(it->kind), it->superframe, it->phase, it->link, it->bit, it->fault,
                       it->expected, it->seen);
    }
    return text;
}

static bool is_near(int64_t ps, int64_t tick)
{
    const int64_t origin = is_model ? M_START : tick_of(0, 0), due = (tick - origin) * 1000000 / 48;
    return ps >= due - 1 && ps <= due + 1;
}

/* {NAME VALUE,...}: more about a finding. */
static void expect_more(const struct pb_finding *it)
{
    do {
        bool right;
        if (script_take("bit "))
            right = it->bit == script_number();
        else if (script_take("time "))
            right = is_near(it->time_ps, script_number());
        else if (script_take("about ")) { /* within a microsecond */
            const int64_t tick = script_number();
            right = is_near(it->time_ps, tick) ||
                    llabs(it->time_ps - (tick - tick_of(0, 0)) * 1000000 / 48) <= 1000000;
        } else if (script_take("fault "))
            right = it->fault == script_number();
        else if (script_take("marginal "))
            right = it->marginal == script_number();
        else if (script_take("late ")) { /* a tick more or less */
            const double ns = script_number() * 1000.0 / 48;
            double said = 0;
            right =
                sscanf(it->seen, "it rises %lf ns late", &said) == 1 && said >= ns - 21 && said <= ns + 21;
        } else if (script_take("bench"))
            right = it->sender == PB_SENDER_BENCH;
        else if (script_take("says "))
            right = strstr(it->seen, script_text(",}")) != NULL;
        else if (script_take("seen "))
            right = !strcmp(it->seen, script_text(",}"));
        else if (script_take("expected "))
            right = strstr(it->expected, script_text(",}")) != NULL;
        else
            script_fail("what of a finding?");
        if (!right)
            script_fail("not so before '%s': %s", script_text(""), found());
    } while (script_take(","));
    if (!script_take("}"))
        script_fail("'}' is missing");
}

/* KIND[@PLACE][{...}]: the finding at this index. */
static void expect_finding(size_t index)
{
    const char *id = script_text("@{ ");
    const int kind = finding_kind(id);
    const bool anywhere = !script_take("@");
    int64_t v[3] = {0, 0, -1};
    if (!anywhere)
        read_place(v);
    if (kind < 0)
        script_fail("no such finding: %s", id);
    if (index >= result->findings)
        script_fail("there is no finding %zu: %s", index, found());
    const struct pb_finding *it = &result->finding[index];
    if ((int)it->kind != kind ||
        (!anywhere && (it->superframe != v[0] || it->phase != v[1] || it->link != v[2])))
        script_fail("finding %zu is another one: %s", index, found());
    if (it->dimension != (it->link < 0 ? -1 : it->link % (int)result->network.ports))
        script_fail("finding %zu has dimension %d: %s", index, it->dimension, found());
    if (!explained && it->fault >= 0 && strncmp(script_peek(""), "{fault ", 7) != 0)
        script_fail("fault %d explains it: %s", it->fault, found());
    if (script_take("{"))
        expect_more(it);
}

/* All findings are those of injected faults, all faults were found. */
static void expect_explained(void)
{
    explained = true;
    if (result->faults != model.scenario->fault_count)
        script_fail("%zu faults: %s", result->faults, found());
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].fault < 0)
            script_fail("finding %zu is not explained: %s", i, found());
    for (size_t i = 0; i < result->faults; i++)
        if (!result->fault[i].began || !result->fault[i].detected || !result->fault[i].explains)
            script_fail("fault %zu was not found: %s", i, found());
}

/* KIND FROM TO: how fault 0 was found, and when its receipts say that it was there. */
static void expect_row(void)
{
    const struct pb_fault_row *row = &result->fault[0];
    const int kind = finding_kind(script_word());
    const uint64_t from = script_number(), to = script_number();
    const int64_t length = (int64_t)(to - from) * 1000000 / 48;
    if ((int)row->found_as != kind || !row->ended || !is_near(row->start_ps, (int64_t)from) ||
        row->length_ps < length - 1 || row->length_ps > length + 1 || row->detected_ps < row->start_ps ||
        row->detected_ps > row->start_ps + INT64_C(600000000))
        script_fail("found as %d from %lld for %lld ps, at %lld: %s", row->found_as, (long long)row->start_ps,
                    (long long)row->length_ps, (long long)row->detected_ps, found());
}

/* One finding that no fault explains, which gives the reason. */
static void expect_unexplained(void)
{
    size_t open = 0, index = 0;
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].fault < 0) {
            index = i;
            open++;
        }
    if (open != 1)
        script_fail("%zu findings are not explained: %s", open, found());
    expect_finding(index);
    if (!strstr(result->reason, pb_finding_text(result->finding[index].kind)))
        script_fail("the reason is another: %s", found());
}

static void expect_finding_at(void *index)
{
    expect_finding(*(const size_t *)index);
}

/* KIND@PLACE COUNT `lows`, or COUNT `from` TICK `step` TICKS: as many findings and no other, each at its
 * time. */
static void expect_all(void)
{
    const char *text = formatted("%s", script_word());
    const int64_t count = script_number();
    const bool lows = script_take(" lows");
    const int64_t from = lows || !script_take(" from ") ? 0 : script_number();
    const int64_t step = lows || !script_take(" step ") ? 0 : script_number();
    if ((int64_t)result->findings_total != count)
        script_fail("%s", found());
    for (int64_t i = 0; i < count; i++) {
        const int64_t tick = lows ? (int64_t)model.low[i].from : from + step * i;
        if (!is_near(result->finding[i].time_ps, tick))
            script_fail("finding %lld has another time: %s", (long long)i, found());
        script_again(text, expect_finding_at, &(size_t){i});
    }
}

/* VERDICT, then what was found: findings from the first on and, without `...`, no other; or what is true. */
static void expect(void)
{
    const char *verdict = script_word();
    size_t findings = 0;
    bool all = true;
    explained = false;
    const size_t before = handed_over();
    result = judge_now();
    if (strcmp(verdict, "any") && strcmp(verdict, "nopass") &&
        strcmp(verdict, pb_verdict_name(result->verdict)))
        script_fail("the verdict is %s", found());
    if (!strcmp(verdict, "nopass") && result->verdict == PB_VERDICT_PASS)
        script_fail("the verdict is %s", found());
    while (script_more())
        if (script_take("..."))
            all = false;
        else if (script_take("explained")) {
            expect_explained();
            all = false;
        } else if (script_take("row ")) {
            expect_explained();
            expect_row();
            all = false;
        } else if (script_take("unexplained ")) {
            expect_unexplained();
            all = false;
        } else if (script_take("reason ")) {
            const char *reason = script_text("");
            if (!strstr(result->reason, reason))
                script_fail("the reason is another: %s", found());
        } else if (script_take("all ")) {
            expect_all();
            findings = result->findings_total;
        } else if (script_take("some ")) {
            size_t index = 0;
            const char *id = script_peek("@{ ");
            explained = true;
            while (index < result->findings && strcmp(pb_finding_id(result->finding[index].kind), id))
                index++;
            expect_finding(index);
            all = false;
        } else if (script_take("never ")) {
            const int kind = finding_kind(script_word());
            for (size_t i = 0; i < result->findings; i++)
                if ((int)result->finding[i].kind == kind)
                    script_fail("it was found: %s", found());
        } else if (script_take("note ")) {
            noted = script_number();
        } else if (script_take("if ")) {
            if (!script_number())
                script_fail("not true before '%s': %s", script_text(""), found());
        } else
            expect_finding(findings++);
    if (all && result->findings_total != findings)
        script_fail("other findings, too: %s", found());
    release_back_to(before);
    result = NULL;
}

/* ---- cases */

static void begin(const struct script_case *it);
static const struct script_case *present_case;

static void word(const char *text)
{
    if (!strcmp(text, "afresh"))
        begin(present_case);
    else if (!strcmp(text, "=>"))
        expect();
    else
        edit(text);
}

/* "world model", "world demo", or "world run" and the scenario in lines that begin with "| ". */
static void enter(const char *setup)
{
    static const char *entered;
    char yaml[2000] = "";
    if (entered == setup)
        return;
    entered = setup;
    is_model = strstr(setup, "\nworld model");
    for (const char *at = setup; (at = strstr(at, "\n| ")) && strlen(yaml) < 1000;) {
        at += 3;
        snprintf(yaml + strlen(yaml), 900, "%.*s\n", (int)strcspn(at, "\n"), at);
    }
    if (!is_model)
        play_whole_ticks(yaml[0] ? parse_scenario(yaml) : load_demo());
}

static size_t outside; /* handed over when the present case began */

static void close_case(void)
{
    if (model.scenario)
        model_close(&model);
    release_back_to(outside);
}

static void begin(const struct script_case *it)
{
    present_case = it;
    close_case();
    enter(it->setup);
    outside = handed_over();
    if (is_model)
        model_open(&model);
    else
        seen = copy();
}

static void run_case(void **state)
{
    script_function = value_of_name;
    script_tick = tick_of;
    script_run(*state, begin, word);
}

int main(void)
{
    struct script script;
    script_read(&script, "tests/bench/unit/check");
    struct CMUnitTest *tests = calloc(script.count, sizeof *tests);
    for (size_t i = 0; i < script.count; i++)
        tests[i] = (struct CMUnitTest){script.it[i].name, run_case, NULL, NULL, &script.it[i]};
    const int failed = _cmocka_run_group_tests("check", tests, script.count, NULL, NULL);
    close_case();
    release_back_to(0);
    free(tests);
    script_free(&script);
    return failed;
}
