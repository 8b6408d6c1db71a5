/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events in any order and with any values: the check must come to an end, under the sanitizers, and an event
 * that no core makes must never leave a pass. */
#include "tests/bench/unit/faults_fixture.h"
#include "tests/bench/unit/tests.h"
#include "phasebench/random.h"

#include <string.h>

static void open_with_a_glitch(void)
{
    open_model();
    model_low(&model, 1, model_at(8, 3) + 2000, 10);
    model_inject(&model, PB_FAULT_GLITCH, 1, 8, 3, model_at(8, 3) + 2000, model_at(8, 3) + 2010);
}

static uint64_t state_of_random = 7;
static uint64_t any(void)
{
    return pb_splitmix64(&state_of_random);
}

static uint64_t any_tick(void)
{
    static const uint64_t special[] = {
        0, 1, M_START, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 53};
    switch (any() % 4) {
    case 0:
        return special[any() % COUNT(special)];
    case 1:
        return any() >> any() % 64;
    default:
        return M_START + any() % (M_EDGES * M_PHASE);
    }
}

static enum pb_verdict judge(struct pb_observation *seen)
{
    const struct pb_result *result = judge_seen(model.scenario, seen);
    const enum pb_verdict verdict = result->verdict;
    assert_true(result->findings <= result->findings_total);
    /* Edges show the glitch, bytes do not. */
    assert_true(verdict != PB_VERDICT_PASS || result->findings_total == !seen->edgeless);
    pb_observation_free(seen);
    return verdict;
}

static void add(struct pb_observation *seen, uint8_t kind, uint8_t link, uint64_t tick, uint32_t value)
{
    const struct pb_event event = {
        .sequence = seen->events.count, .kind = kind, .link = link, .tick = tick, .value = value};
    assert_int_equal(pb_events_add(&seen->events, &event), 0);
}

/* The same run recorded without edges. */
static void forget_edges(struct pb_observation *seen)
{
    size_t kept = 0;
    for (size_t i = 0; i < seen->events.count; i++)
        if (seen->events.event[i].kind != PB_EVENT_EDGE)
            seen->events.event[kept++] = seen->events.event[i];
    seen->events.count = kept;
    seen->edgeless = (1u << M_LINKS) - 1;
}

TEST(test_as_it_is)
{
    struct pb_observation seen = model_play(&model);
    assert_int_equal(judge(&seen), PB_VERDICT_PASS);
    seen = model_play(&model);
    forget_edges(&seen);
    assert_int_equal(judge(&seen), PB_VERDICT_PASS);
}

TEST(test_impossible_events)
{
    static const struct {
        uint8_t kind, link;
        uint32_t value;
        uint64_t tick;
    } event[] = {
        {0, 0, 0, M_START},
        {12, 0, 0, M_START},
        {15, 0, 0, M_START},
        {255, 0, 0, M_START},
        {PB_EVENT_EDGE, 12, 1, M_START},    /* the core has links 0 to 11 */
        {PB_EVENT_BYTE, 3, 0x155, M_START}, /* but bytes come from links 0 to 2 alone */
        {PB_EVENT_EDGE, 255, 0, M_START},
        {PB_EVENT_BYTE, 63, 0x155, M_START},
        {PB_EVENT_ALARM, 40, PB_ALARM_GUARD, M_START},
        {PB_EVENT_ALARM, 0, 0, M_START},
        {PB_EVENT_ALARM, 0, 31, M_START},
        {PB_EVENT_FAULT, 200, PB_FAULT_GLITCH | PB_PUT(PB_EVENT_FAULT_WHAT, PB_FAULT_WHAT_BEGAN), M_START},
        {PB_EVENT_FAULT, 1, PB_FAULT_GLITCH | PB_PUT(PB_EVENT_FAULT_WHAT, 3),
         M_START}, /* neither began, ended nor too late */
        {PB_EVENT_FAULT, 1, 0x3fffff, M_START},
        {PB_EVENT_HEARTBEAT, 0, 0, UINT64_MAX},
        {PB_EVENT_PHASE, 0, 0, UINT64_C(1) << 60},
        {PB_EVENT_OVERFLOW, 0, 1, M_START}, /* the core says that it lost one */
    };
    for (size_t i = 0; i < COUNT(event); i++) {
        struct pb_observation seen = model_play(&model);
        add(&seen, event[i].kind, event[i].link, event[i].tick, event[i].value);
        const enum pb_verdict verdict = judge(&seen);
        if (verdict != PB_VERDICT_INCONCLUSIVE)
            fail_msg("event %zu: %s", i, pb_verdict_name(verdict));
    }
}

TEST(test_nothing_at_all)
{
    struct pb_observation seen = {.info.clock_hz = M_CLOCK_HZ};
    assert_int_equal(judge(&seen), PB_VERDICT_INCONCLUSIVE);
    /* Receipts and pulses, but no phase ever began. */
    seen = model_play(&model);
    for (size_t i = 0; i < seen.events.count; i++)
        if (seen.events.event[i].kind == PB_EVENT_PHASE)
            seen.events.event[i].kind = PB_EVENT_HEARTBEAT;
    assert_int_not_equal(judge(&seen), PB_VERDICT_PASS);
}

TEST(test_random_events)
{
    for (unsigned round = 0; round < 400; round++) {
        struct pb_observation seen = model_play(&model);
        const unsigned count = 1 + (unsigned)(any() % 40);
        model.scenario->follow = round % 4 == 3;
        if (round % 3 == 2)
            forget_edges(&seen);
        for (unsigned i = 0; i < count; i++)
            add(&seen, (uint8_t)(any() % 14), (uint8_t)(any() % 3 ? any() % 4 : any()), any_tick(),
                (uint32_t)any());
        judge(&seen);
    }
}

/* Fields of the events that are there, at random; times in any order. */
TEST(test_spoiled_events)
{
    for (unsigned round = 0; round < 400; round++) {
        struct pb_observation seen = model_play(&model);
        const unsigned share = 1 + (unsigned)(any() % 50);
        model.scenario->follow = round % 4 == 3;
        if (round % 3 == 2)
            forget_edges(&seen);
        model.scenario->limits.recovery_superframes = round % 5 ? 1 : UINT32_MAX;
        for (size_t i = 0; i < seen.events.count; i++) {
            struct pb_event *event = &seen.events.event[i];
            if (any() % share)
                continue;
            if (any() % 2)
                event->tick = any_tick();
            if (any() % 2)
                event->value = (uint32_t)any();
            if (any() % 3 == 0)
                event->link = (uint8_t)any();
            if (any() % 3 == 0)
                event->kind = (uint8_t)(any() % 14);
        }
        judge(&seen);
    }
}

/* Far more findings than are kept: that of the node is among them, and the verdict is its. */
TEST(test_flood)
{
    model.scenario->limits.recovery_superframes = 20;
    struct pb_observation seen = model_play(&model);
    for (unsigned i = 0; i < 5000; i++)
        add(&seen, PB_EVENT_UNDERRUN, 0, model_at(9, 5) + i % 4000, 0);
    assert_int_equal(judge(&seen), PB_VERDICT_INCONCLUSIVE);
    seen = model_play(&model);
    add(&seen, PB_EVENT_EDGE, 0, model_at(8, 5) + 2000, 0);
    add(&seen, PB_EVENT_EDGE, 0, model_at(8, 5) + 2010, 1);
    for (unsigned i = 0; i < 5000; i++)
        add(&seen, PB_EVENT_UNDERRUN, 0, model_at(9, 5) + i % 4000, 0);
    assert_int_equal(judge(&seen), PB_VERDICT_FAIL);
}

AROUND_EACH(open_with_a_glitch, close_model)
