/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a session keeps of its events while the clock runs, on a simulated rig whose host link loses every
 * PHASE event and brings bursts of edges. Linked with --wrap.
 */
#include "tests/bench/unit/run_fixture.h"

#include <string.h>

enum {
    KEPT_MAX = 1 << 20, /* docs/architecture.md */
    BURST = KEPT_MAX / 4,
    BURSTS = 6 /* one with each poll; more than may be kept */
};

static struct babble {
    const struct pb_observation *seen; /* NULL: the clock does not run yet */
    unsigned bursts;
    size_t given;     /* events that the session got since then */
    size_t taken;     /* of them, by the sink */
    size_t most_kept; /* between two polls */
} babble;

int __real_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag);
int __wrap_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag);
int __wrap_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag)
{
    const size_t known = events->count;
    const int code = __real_pb_device_poll(device, timeout_ms, events, diag);
    if (code < 0 || !babble.seen || events != &babble.seen->events)
        return code;
    if (known > babble.most_kept)
        babble.most_kept = known;
    size_t count = known;
    for (size_t i = known; i < events->count; i++)
        if (events->event[i].kind != PB_EVENT_PHASE)
            events->event[count++] = events->event[i];
    events->count = count;
    const uint64_t tick = count ? events->event[count - 1].tick : babble.seen->clock_tick;
    for (unsigned i = 0; babble.bursts < BURSTS && i < BURST; i++)
        assert_int_equal(
            pb_events_add(events, &(struct pb_event){.kind = PB_EVENT_EDGE, .tick = tick, .value = i % 2}),
            PB_OK);
    babble.bursts += babble.bursts < BURSTS;
    babble.given += events->count - known;
    return (int)(events->count - known);
}

/* ---- the sink */

static int begin(void *context, const struct pb_observation *seen, struct pb_movement *movement)
{
    (void)context;
    (void)movement;
    babble = (struct babble){.seen = seen, .given = seen->events.count};
    return PB_OK;
}

static int take(void *context, const struct pb_event *event, size_t count)
{
    (void)context;
    (void)event;
    babble.taken += count;
    return PB_OK;
}

static uint64_t typed_done(void *context)
{
    (void)context;
    return 0;
}

/* The last two phases are kept back, and here there is not one: so all events are, up to the limit. */
TEST(without_phases_at_most_2_20_events_are_kept_back)
{
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 3}\nsuperframes: 300\nnodes: [{address: 0}]\ntraffic: [{from: 0, to: 7}]\n");
    const struct pb_run_options options = {.rig_url = "sim:"};
    const struct pb_rig_options rig = {.url = "sim:"};
    const struct pb_event_sink sink = {begin, take, typed_done, NULL};
    struct pb_observation seen;
    struct pb_diag diag = {""};

    const int code = pb_session_play(&seen, scenario, &options, &rig, &sink, &diag);
    if (code)
        fail_msg("%s", diag.text);
    assert_int_equal(babble.bursts, BURSTS);
    assert_in_range(babble.most_kept, KEPT_MAX - BURST, KEPT_MAX);
    assert_int_equal(seen.events.count, 0);
    assert_true(babble.taken >= babble.given);
    assert_true(babble.given > (size_t)BURSTS * BURST);
    pb_observation_free(&seen);
}
