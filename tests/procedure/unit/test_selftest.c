/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Self-test steps on a simulated rig with one injected failure: a failing call, a wrong register value, or
 * the events of a broken line. The step for this failure must detect and name it.
 * Linked with --wrap.
 */
#include "host/procedure/selftest.c"
#include "host/procedure/selftest_external.c"
#include "host/procedure/selftest_lines.c"

#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

/* ---- injected failures, between step and core */

static struct harm {
    unsigned calls, failing;               /* calls so far; the one that fails, 0: none */
    bool (*event)(struct pb_event *event); /* changes it; false: takes it away. NULL: as it is */
    uint32_t (*value)(unsigned address, uint32_t value); /* of a register that is read; NULL: as it is */
    bool full, slow; /* no room in the slot player; a core of less than 1 MHz */
} harm;

static bool fails(struct pb_diag *diag)
{
    if (++harm.calls != harm.failing)
        return false;
    pb_fail(diag, PB_ERR_LINK, "call %u fails", harm.calls);
    return true;
}

int __real_pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag);
int __wrap_pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag);
int __wrap_pb_device_write(struct pb_device *device, unsigned address, uint32_t value, struct pb_diag *diag)
{
    return fails(diag) ? PB_ERR_LINK : __real_pb_device_write(device, address, value, diag);
}

int __real_pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *value,
                                size_t count, struct pb_diag *diag);
int __wrap_pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *value,
                                size_t count, struct pb_diag *diag);
int __wrap_pb_device_write_many(struct pb_device *device, unsigned address, const uint32_t *value,
                                size_t count, struct pb_diag *diag)
{
    return fails(diag) ? PB_ERR_LINK : __real_pb_device_write_many(device, address, value, count, diag);
}

int __real_pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *value, size_t count,
                               struct pb_diag *diag);
int __wrap_pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *value, size_t count,
                               struct pb_diag *diag);
int __wrap_pb_device_read_many(struct pb_device *device, unsigned address, uint32_t *value, size_t count,
                               struct pb_diag *diag)
{
    if (fails(diag))
        return PB_ERR_LINK;
    const int code = __real_pb_device_read_many(device, address, value, count, diag);
    for (size_t i = 0; harm.value && i < count; i++)
        value[i] = harm.value(address + (unsigned)i, value[i]);
    return code;
}

int __wrap_pb_device_read(struct pb_device *device, unsigned address, uint32_t *value, struct pb_diag *diag);
int __wrap_pb_device_read(struct pb_device *device, unsigned address, uint32_t *value, struct pb_diag *diag)
{
    return __wrap_pb_device_read_many(device, address, value, 1, diag);
}

int __real_pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *records, size_t length,
                          bool *taken, unsigned *free_bytes, struct pb_diag *diag);
int __wrap_pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *records, size_t length,
                          bool *taken, unsigned *free_bytes, struct pb_diag *diag);
int __wrap_pb_device_play(struct pb_device *device, unsigned lane, const uint8_t *records, size_t length,
                          bool *taken, unsigned *free_bytes, struct pb_diag *diag)
{
    if (fails(diag))
        return PB_ERR_LINK;
    const int code = __real_pb_device_play(device, lane, records, length, taken, free_bytes, diag);
    *taken = *taken && !harm.full;
    return code;
}

int __real_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag);
int __wrap_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag);
int __wrap_pb_device_poll(struct pb_device *device, unsigned timeout_ms, struct pb_events *events,
                          struct pb_diag *diag)
{
    size_t kept = events->count;
    if (fails(diag))
        return PB_ERR_LINK;
    const int code = __real_pb_device_poll(device, timeout_ms, events, diag);
    for (size_t i = kept; i < events->count; i++) {
        struct pb_event event = events->event[i];
        if (!harm.event || harm.event(&event))
            events->event[kept++] = event;
    }
    events->count = kept;
    return code;
}

const struct pb_device_info *__real_pb_device_info(const struct pb_device *device);
const struct pb_device_info *__wrap_pb_device_info(const struct pb_device *device);
const struct pb_device_info *__wrap_pb_device_info(const struct pb_device *device)
{
    static struct pb_device_info slow;
    if (!harm.slow)
        return __real_pb_device_info(device);
    slow = *__real_pb_device_info(device);
    slow.clock_hz = 999999;
    return &slow;
}

/* ---- the steps */

static struct pb_scenario *scenario;
static struct selftest test;

typedef int rung(struct selftest *test, struct pb_diag *diag);

static void climb(rung *rung)
{
    struct pb_diag diag = {""};
    if (rung(&test, &diag))
        fail_msg("%s", diag.text);
    assert_true(*diag.text);
}

/* The step detects the failure and names it. */
static void found(rung *rung, const struct harm *what, int code, const char *says)
{
    struct pb_diag diag = {""};
    harm = *what;
    const int got = rung(&test, &diag);
    harm = (struct harm){0};
    if (got != code || !strstr(diag.text, says))
        fail_msg("%d: '%s' lacks '%s'", got, diag.text, says);
}

static void set_up(void)
{
    harm = (struct harm){0};
    scenario = parse_scenario("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n");
    test = (struct selftest){.rig_url = "sim:", .scenario = scenario};
    climb(selftest_identify);
}

static void tear_down(void)
{
    selftest_close(&test);
}

/* Each of the first calls, and some of the many after them. */
TEST(test_a_call_that_fails)
{
    static rung *const rungs[] = {selftest_registers, selftest_clock, selftest_loopback, selftest_console};
    for (size_t i = 0; i < COUNT(rungs); i++) {
        harm = (struct harm){0};
        climb(rungs[i]);
        const unsigned calls = harm.calls;
        for (unsigned n = 1; n <= calls; n += n < 10 || n + 24 > calls ? 1 : (calls - n) / 4) {
            struct pb_diag diag = {""};
            harm = (struct harm){.failing = n};
            if (rungs[i](&test, &diag) != PB_ERR_LINK || !strstr(diag.text, " fails"))
                fail_msg("rung %zu, call %u of %u: '%s'", i, n, calls, diag.text);
        }
        harm = (struct harm){0};
        climb(rungs[i]);
    }
}

TEST(test_rigs_that_cannot_be_identified)
{
    struct selftest other = {.rig_url = "sim:?port=parallel", .scenario = scenario};
    struct pb_diag diag = {""};
    assert_int_equal(selftest_identify(&other, &diag), PB_ERR_ARGUMENT);
    selftest_close(&other);
    other.rig_url = "sim:";
    harm.slow = true;
    assert_int_equal(selftest_identify(&other, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "999999 Hz"));
    harm.slow = false;
    selftest_close(&other);
}

/* ---- registers */

static uint32_t scratch_bit_3(unsigned address, uint32_t value)
{
    return address == PB_REG_SCRATCH ? value & ~8u : value;
}

static uint32_t stuck_period(unsigned address, uint32_t value)
{
    return address == PB_REG_PERIOD_TICKS ? value | 1 : value;
}

/* As if it had taken what is written to it. */
static uint32_t changing_map(unsigned address, uint32_t value)
{
    static unsigned reads;
    return address == PB_REG_MAP_HASH ? value ^ ++reads : value;
}

TEST(test_registers)
{
    found(selftest_registers, &(struct harm){.value = scratch_bit_3}, PB_ERR_LINK, "register SCRATCH (0x");
    found(selftest_registers, &(struct harm){.value = scratch_bit_3}, PB_ERR_LINK,
          "reads 0x00000000, not 0x00000008");
    found(selftest_registers, &(struct harm){.value = stuck_period}, PB_ERR_LINK, "register PERIOD_TICKS");
    found(selftest_registers, &(struct harm){.value = changing_map}, PB_ERR_LINK, "register MAP_HASH");
    climb(selftest_registers); /* nothing is left of it */
}

/* ---- clock */

static bool phase_5_twice(struct pb_event *event)
{
    if (event->kind == PB_EVENT_PHASE && pb_event_phase(event) == 6)
        event->value--;
    return true;
}

static bool second_superframe(struct pb_event *event)
{
    if (event->kind == PB_EVENT_PHASE)
        event->value |= PB_PUT(PB_EVENT_PHASE_SUPERFRAME, 1);
    return true;
}

static bool phase_3_a_tick_late(struct pb_event *event)
{
    event->tick += event->kind == PB_EVENT_PHASE && pb_event_phase(event) == 3;
    return true;
}

static bool no_phases(struct pb_event *event)
{
    return event->kind != PB_EVENT_PHASE;
}

static bool no_end(struct pb_event *event)
{
    return event->kind != PB_EVENT_CLOCK;
}

static uint32_t still_running(unsigned address, uint32_t value)
{
    return address == PB_REG_CTRL ? value | PB_CTRL_RUN_MASK : value;
}

TEST(test_clock)
{
    found(selftest_clock, &(struct harm){.event = phase_5_twice}, PB_ERR_LINK,
          "phase 5 of superframe 0 came where phase 6 of superframe 0 was due");
    found(selftest_clock, &(struct harm){.event = second_superframe}, PB_ERR_LINK,
          "phase 0 of superframe 1 came where phase 0 of superframe 0 was due");
    found(selftest_clock, &(struct harm){.event = phase_3_a_tick_late}, PB_ERR_LINK,
          "phase 3 began 1 ticks after the scheduled instant");
    found(selftest_clock, &(struct harm){.event = no_phases}, PB_ERR_LINK,
          "0 phases were captured, 24 scheduled");
    found(selftest_clock, &(struct harm){.event = no_end}, PB_ERR_TIMEOUT, "did not come within 200 ms");
    found(selftest_clock, &(struct harm){.value = still_running}, PB_ERR_LINK, "the clock still runs");
    climb(selftest_clock); /* nothing is left of it */
}

/* ---- loopback */

static uint32_t link_7_low(unsigned address, uint32_t value)
{
    return address == PB_REG_LINE_LEVEL0 ? value & ~(1u << 7) : value;
}

/* Link 2 has a twin. */
static bool short_of_2_and_9(struct pb_event *event)
{
    if (event->kind == PB_EVENT_EDGE && event->link == 2)
        event->link = 9;
    return true;
}

static bool edges_2_ticks_late(struct pb_event *event)
{
    event->tick += event->kind == PB_EVENT_EDGE && event->link == 4 ? 2 : 0;
    return true;
}

static bool edges_2_ticks_early(struct pb_event *event)
{
    event->tick -= event->kind == PB_EVENT_EDGE && event->link == 4 ? 2 : 0;
    return true;
}

static bool rising_first(struct pb_event *event)
{
    if (event->kind == PB_EVENT_EDGE && event->link == 5)
        event->value ^= PB_PUT(PB_EVENT_EDGE_LEVEL, 1);
    return true;
}

static bool data_bit_0(struct pb_event *event)
{
    if (event->kind == PB_EVENT_BYTE && event->link == 1 && pb_event_data(event) == 0x55)
        event->value ^= PB_PUT(PB_EVENT_BYTE_DATA, 1);
    return true;
}

static bool no_stop_bit(struct pb_event *event)
{
    if (event->kind == PB_EVENT_BYTE && event->link == 1)
        event->value &= ~PB_PUT(PB_EVENT_BYTE_STOP, 1u);
    return true;
}

static bool byte_2_ticks_late(struct pb_event *event)
{
    event->tick += event->kind == PB_EVENT_BYTE && event->link == 11 && pb_event_data(event) == 0xAA ? 2 : 0;
    return true;
}

static bool no_last_byte(struct pb_event *event)
{
    return event->kind != PB_EVENT_BYTE || event->link != 6 || pb_event_data(event) != 0xAA;
}

static bool no_bytes_at_the_end(struct pb_event *event)
{
    return event->kind != PB_EVENT_BYTE || event->link != 11;
}

/* An edge becomes what the core says when it could not keep up. */
static bool overflow(struct pb_event *event)
{
    if (event->kind == PB_EVENT_EDGE && event->link == 3)
        event->kind = PB_EVENT_OVERFLOW;
    return true;
}

static bool underrun(struct pb_event *event)
{
    if (event->kind == PB_EVENT_EDGE && event->link == 3)
        event->kind = PB_EVENT_UNDERRUN;
    return true;
}

/* The last edge of a link becomes a fifth byte. */
static bool fifth_byte(struct pb_event *event)
{
    static struct pb_event last;
    if (event->kind == PB_EVENT_BYTE)
        last = *event;
    if (event->kind == PB_EVENT_PHASE && pb_event_phase(event) == 8) {
        *event = last;
        event->tick++;
    }
    return true;
}

TEST(test_loopback)
{
    static const struct {
        bool (*event)(struct pb_event *event);
        const char *says;
    } line[] = {
        {short_of_2_and_9, "link 9 moved while only link 2 was driven"},
        {edges_2_ticks_late, "link 4 changed 2 ticks after its instant"},
        {edges_2_ticks_early, "link 4 changed -2 ticks after its instant"},
        {rising_first, "link 5 changed 0 ticks after its instant"},
        {data_bit_0, "link 1: byte 2 came back as 0x54; the pattern"},
        {no_stop_bit, "link 1: byte 0 came back as 0x00 without a stop bit"},
        {byte_2_ticks_late, "link 11: byte 3 was stamped 2 ticks off"},
        {no_last_byte, "link 6: 3 of 4 bytes came back"},
        {no_bytes_at_the_end, "link 11: 0 of 4 bytes came back"},
        {overflow, "the capture lost events"},
        {underrun, "the slot player came too late"},
        {fifth_byte, "link 7: byte 4 came back as 0xaa"},
        {no_phases, "0 of 48 bytes came back on 12 links"},
    };
    for (size_t i = 0; i < COUNT(line); i++)
        found(selftest_loopback, &(struct harm){.event = line[i].event}, PB_ERR_LINK, line[i].says);
    found(selftest_loopback, &(struct harm){.value = link_7_low}, PB_ERR_LINK,
          "link 7 is low though the core does not pull it");
    found(selftest_loopback, &(struct harm){.full = true}, PB_ERR_LINK,
          "slot player lane 0 has no room for 18 bytes");
    climb(selftest_loopback); /* nothing is left of it */
}

/* ---- console */

static bool dumb(struct pb_event *event)
{
    return event->kind != PB_EVENT_CONSOLE;
}

static bool another_answer(struct pb_event *event)
{
    if (event->kind == PB_EVENT_CONSOLE && pb_event_data(event) == '+')
        event->value = PB_SET(PB_EVENT_CONSOLE_DATA, event->value, 0x80u); /* nothing to print */
    return true;
}

TEST(test_console)
{
    found(selftest_console, &(struct harm){.event = dumb}, PB_ERR_NODE,
          "node port 0 answered '' to I, 3 times of 200 ms");
    found(selftest_console, &(struct harm){.event = another_answer}, PB_ERR_NODE,
          "node port 0 answered '?I ");
    climb(selftest_console); /* nothing is left of it */
}

/* ---- an external clock: the simulated bench reports an error when the core drives against it */

static const char *const followed = "nodes: [{address: 0x2A3}]\nclock: {source: external}\n"
                                    "traffic: [{from: 0x2A2, to: 0x2A3}]\n";

static void climb_all(struct selftest *of)
{
    static rung *const rungs[] = {selftest_registers, selftest_clock, selftest_loopback, selftest_console};
    struct pb_diag diag = {""};
    for (size_t i = 0; i < COUNT(rungs); i++)
        if (rungs[i](of, &diag))
            fail_msg("rung %zu: %s", i, diag.text);
}

TEST(test_external_clock_is_found_and_never_driven)
{
    struct pb_scenario *external = parse_scenario(followed);
    struct pb_diag diag = {""};
    for (unsigned told = 0; told < 2; told++) {
        struct selftest other = {.rig_url = "sim:", .scenario = external};
        assert_int_equal(selftest_identify(&other, &diag), PB_OK);
        assert_non_null(strstr(diag.text, ", external clock"));
        if (!told) { /* once more, by a self-test without that setting */
            other.external = false;
            other.scenario = scenario;
            assert_int_equal(selftest_find_clock(&other, &diag), PB_OK);
            assert_true(other.external);
        }
        climb_all(&other);
        selftest_close(&other);
    }
    assert_false(test.external); /* the rig of all other tests has none */
}

TEST(test_external_clock_that_is_hurt)
{
    struct pb_scenario *external = parse_scenario(followed);
    struct pb_diag diag = {""};
    struct selftest kept = test;
    test.external = true; /* so it is configured, but its rig has no controller */
    found(selftest_clock, &(struct harm){0}, PB_ERR_LINK, "0 edges of the external clock within");
    test = (struct selftest){.rig_url = "sim:", .scenario = external};
    assert_int_equal(selftest_identify(&test, &diag), PB_OK);
    found(selftest_loopback, &(struct harm){.event = short_of_2_and_9}, PB_ERR_LINK,
          "link 9 moved while only link 2 was driven");
    found(selftest_loopback, &(struct harm){.event = no_last_byte}, PB_ERR_LINK,
          "link 6: 3 of 4 bytes came back");
    found(selftest_loopback, &(struct harm){.event = data_bit_0}, PB_ERR_LINK,
          "link 1: byte 2 came back as 0x54");
    found(selftest_loopback, &(struct harm){.event = no_stop_bit}, PB_ERR_LINK,
          "link 1: byte 0 came back as 0x00 without a stop bit");
    /* Driven against the controller: an error from then on, whatever is asked. */
    climb(selftest_clock);
    test.external = false;
    assert_int_equal(selftest_clock(&test, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "against an external controller"));
    assert_int_equal(selftest_console(&test, &diag), PB_ERR_LINK);
    selftest_close(&test);
    test = kept;
}

AROUND_ALL(set_up, tear_down)
