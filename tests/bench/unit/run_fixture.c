/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/run_fixture.h"

#include "host/check/check.h"
#include "phasebench/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool runs_alone;

static void free_result(void *result)
{
    pb_result_free(result);
}

struct pb_result *hand_over_result(struct pb_result *result)
{
    return hand_over(result, free_result);
}

static void free_scenario(void *scenario)
{
    pb_scenario_free(scenario);
}

struct pb_scenario *hand_over_scenario(struct pb_scenario *scenario)
{
    return hand_over(scenario, free_scenario);
}

struct pb_result *new_result(struct pb_network network)
{
    struct pb_result *result = hand_over_result(calloc(1, sizeof *result));
    result->network = network;
    return result;
}

struct pb_scenario *load_shipped(const char *name)
{
    struct pb_scenario *scenario;
    assert_succeeds(pb_scenario_load(&scenario, formatted("host/scenarios/%s.yaml", name), &diag));
    return hand_over_scenario(scenario);
}

static struct pb_scenario *parse(const char *yaml)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    if (pb_scenario_parse(&scenario, "test.yaml", yaml, strlen(yaml), &diag))
        fail_msg("%s\n%s", diag.text, yaml);
    return scenario;
}

struct pb_scenario *parse_scenario(const char *yaml)
{
    return hand_over_scenario(parse(yaml));
}

struct pb_result *run_scenario(const struct pb_scenario *scenario, const char *rig_url)
{
    const struct pb_run_options options = {.rig_url = rig_url, .run_only = runs_alone};
    struct pb_result *result;
    struct pb_diag diag = {""};
    if (pb_run(&result, scenario, &options, &diag))
        fail_msg("%s: %s", scenario->name, diag.text);
    return hand_over_result(result);
}

struct pb_result *run_yaml(const char *yaml, const char *rig_url)
{
    struct pb_scenario *scenario = parse(yaml);
    struct pb_result *result = run_scenario(scenario, rig_url);
    pb_scenario_free(scenario);
    return result;
}

static void free_observation(void *observation)
{
    pb_observation_free(observation);
    free(observation);
}

struct pb_observation *play_scenario(const struct pb_scenario *scenario, const char *rig_url)
{
    const struct pb_run_options options = {.rig_url = rig_url, .run_only = runs_alone};
    const struct pb_rig_options rig = {.url = rig_url};
    struct pb_observation *seen = hand_over(calloc(1, sizeof *seen), free_observation);
    struct pb_diag diag = {""};
    if (pb_session_play(seen, scenario, &options, &rig, NULL, &diag))
        fail_msg("%s: %s", scenario->name, diag.text);
    return seen;
}

struct pb_result *judge_seen(const struct pb_scenario *scenario, struct pb_observation *seen)
{
    struct pb_result *result = new_result(scenario->network);
    result->superframes = scenario->superframes;
    assert_int_equal(pb_check(result, scenario, seen), PB_OK);
    return result;
}

struct pb_observation *copy_observation(const struct pb_observation *observation)
{
    struct pb_observation *copy = hand_over(malloc(sizeof *copy), free_observation);
    *copy = *observation;
    copy->events = (struct pb_events){0};
    for (size_t i = 0; i < observation->events.count; i++)
        assert_int_equal(pb_events_add(&copy->events, &observation->events.event[i]), PB_OK);
    copy->epilogue.events = (struct pb_events){0};
    for (size_t i = 0; i < observation->epilogue.events.count; i++)
        assert_int_equal(pb_events_add(&copy->epilogue.events, &observation->epilogue.events.event[i]),
                         PB_OK);
    copy->typed = calloc(observation->typings + 1, sizeof *copy->typed);
    assert_non_null(copy->typed);
    for (size_t i = 0; i < observation->typings; i++)
        copy->typed[i] = observation->typed[i];
    return copy;
}

static void describe(char *text, size_t size, const struct pb_result *result)
{
    int at = snprintf(text, size, "%s: %s: %s", result->scenario, pb_verdict_name(result->verdict),
                      result->reason);
    for (size_t i = 0; i < result->findings && i < 4 && (size_t)at < size; i++) {
        const struct pb_finding *finding = &result->finding[i];
        at += snprintf(
            text + at, size - (size_t)at, "\n  %s%s superframe %u phase %u link %d bit %d: %s | %s",
            pb_finding_id(finding->kind), finding->marginal ? " (marginal)" : "", finding->superframe,
            finding->phase, finding->link, finding->bit, finding->expected, finding->seen);
    }
}

bool is_unchecked(const struct pb_result *result, const char *what)
{
    const char *clause;
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++)
        if (strstr(clause, what))
            return true;
    return false;
}

void assert_verdict(const struct pb_result *result, enum pb_verdict verdict)
{
    char text[2000];
    describe(text, sizeof text, result);
    if (result->verdict != verdict)
        fail_msg("not %s but %s", pb_verdict_name(verdict), text);
}

void assert_finding(const struct pb_result *result, size_t index, enum pb_finding_kind kind,
                    uint32_t superframe, unsigned phase, int link)
{
    char text[2000];
    describe(text, sizeof text, result);
    if (index >= result->findings)
        fail_msg("no finding %zu: %s", index, text);
    const struct pb_finding *finding = &result->finding[index];
    if (finding->kind != kind || finding->superframe != superframe || finding->phase != phase ||
        finding->link != link)
        fail_msg("finding %zu is not %s at superframe %u phase %u link %d: %s", index, pb_finding_id(kind),
                 superframe, phase, link, text);
    assert_int_equal(finding->dimension, link < 0 ? -1 : link % (int)result->network.ports);
}

/* The whole result as JSON, without when it ran and how long. */
static char *json_of(const struct pb_result *result)
{
    struct pb_result timeless = *result;
    FILE *stream = open_text();
    timeless.wall_ns = 0;
    memset(timeless.started_utc, 0, sizeof timeless.started_utc);
    assert_int_equal(pb_report_json(stream, &timeless), PB_OK);
    return close_text(stream);
}

void assert_same_result(const struct pb_result *left, const struct pb_result *right)
{
    assert_string_equal(json_of(left), json_of(right));
}

/* A heartbeat comes by the time since the core was reset, so by how long the host took before the start. */
static bool is_timed(const struct pb_event *event)
{
    return event->kind != PB_EVENT_CONSOLE && event->kind != PB_EVENT_ALARM &&
           event->kind != PB_EVENT_HEARTBEAT;
}

/* Index of the event that reports the start of the clock. */
static size_t find_start(const struct pb_observation *seen)
{
    size_t at = 0;
    while (at < seen->events.count && !(seen->events.event[at].kind == PB_EVENT_CLOCK &&
                                        PB_GET(PB_EVENT_CLOCK_RUNNING, seen->events.event[at].value)))
        at++;
    assert_true(at < seen->events.count);
    return at;
}

static size_t next_timed(const struct pb_observation *seen, size_t at)
{
    while (at < seen->events.count && !is_timed(&seen->events.event[at]))
        at++;
    return at;
}

/* Each alarm of the one is among those of the other. The lines report theirs in rotation, so a stamp is up
 * to 64 ticks late (regs.def). */
static void assert_has_alarms(const struct pb_observation *one, const struct pb_observation *other)
{
    const int64_t apart =
        (int64_t)(other->events.event[find_start(other)].tick - one->events.event[find_start(one)].tick);
    for (size_t i = find_start(one); i < one->events.count; i++) {
        const struct pb_event *alarm = &one->events.event[i];
        bool found = alarm->kind != PB_EVENT_ALARM;
        for (size_t k = find_start(other); !found && k < other->events.count; k++) {
            const struct pb_event *at = &other->events.event[k];
            found = at->kind == PB_EVENT_ALARM && at->link == alarm->link && at->value == alarm->value &&
                    llabs((int64_t)(at->tick - alarm->tick) - apart) <= 64;
        }
        if (!found)
            fail_msg("an alarm of one run is not in the other: link %u, value %u", alarm->link, alarm->value);
    }
}

void assert_same_events(const struct pb_observation *left, const struct pb_observation *right)
{
    size_t l = find_start(left), r = find_start(right), compared = 0;
    const uint64_t left_start = left->events.event[l].tick, right_start = right->events.event[r].tick;
    for (;; l++, r++, compared++) {
        l = next_timed(left, l);
        r = next_timed(right, r);
        if (l == left->events.count || r == right->events.count)
            break;
        const struct pb_event *a = &left->events.event[l], *b = &right->events.event[r];
        if (a->kind != b->kind || a->link != b->link || a->value != b->value ||
            a->tick - left_start != b->tick - right_start)
            fail_msg("event %zu: kind %u link %u value %u tick %llu, and kind %u link %u value %u tick %llu",
                     compared, a->kind, a->link, a->value, (unsigned long long)(a->tick - left_start),
                     b->kind, b->link, b->value, (unsigned long long)(b->tick - right_start));
    }
    assert_int_equal(l, left->events.count);
    assert_int_equal(r, right->events.count);
    assert_true(compared > 100);
    assert_has_alarms(left, right);
    assert_has_alarms(right, left);
}
