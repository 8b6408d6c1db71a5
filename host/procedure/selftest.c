/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Self-test steps that need no line: identity, registers, phase clock. */
#include "selftest_steps.h"

#include <inttypes.h>
#include <string.h>

/* Mask of the value for selftest_await: a byte with its stop bit, or less. */
#define VALUE_MASK (PB_PUT(PB_EVENT_BYTE_DATA, ~0u) | PB_PUT(PB_EVENT_BYTE_STOP, 1u))

void selftest_close(struct selftest *test)
{
    if (test->device) { /* after a failed step the nodes may still be in reset; ignore a further
                           failure */
        pb_device_write(test->device, PB_REG_NODE_BOOT, 0, NULL);
        pb_device_write(test->device, PB_REG_NODE_RESET, 0, NULL);
    }
    pb_device_close(test->device);
    test->device = NULL;
    pb_events_free(&test->events);
}

int selftest_quiet(struct selftest *test, struct pb_diag *diag)
{
    int code = pb_device_write(test->device, PB_REG_ABORT, 1, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, 0, diag);
    while (code == 0 && (code = pb_device_poll(test->device, 1, &test->events, diag)) > 0)
        code = 0;
    test->events.count = 0;
    return code;
}

int selftest_await(struct selftest *test, unsigned kind, uint32_t value, unsigned limit_ms,
                   struct pb_diag *diag)
{
    size_t seen = test->events.count;
    const size_t first = seen;
    const uint64_t limit_ticks = (uint64_t)limit_ms * pb_device_info(test->device)->clock_hz / 1000;

    for (unsigned waited_ms = 0; waited_ms < limit_ms;) {
        const int got = pb_device_poll(test->device, 1, &test->events, diag);
        if (got < 0)
            return got;
        waited_ms += got == 0;
        const size_t count = test->events.count;
        if (count > first &&
            test->events.event[count - 1].tick > test->events.event[first].tick + limit_ticks)
            waited_ms = limit_ms; /* after a last check of the received events */
        for (; seen < test->events.count; seen++)
            if (test->events.event[seen].kind == kind &&
                (test->events.event[seen].value & VALUE_MASK) == value)
                return PB_OK;
    }
    return pb_fail(diag, PB_ERR_TIMEOUT, "the event that ends the test did not come within %u ms", limit_ms);
}

/* ---- identify */

int selftest_identify(struct selftest *test, struct pb_diag *diag)
{
    const struct pb_rig_options options = {
        .url = test->rig_url, .recorder = test->recorder, .stop = test->stop};

    int code = pb_rig_open(&test->transport, &options, test->scenario, diag);
    if (!code)
        code = pb_device_open(&test->device, test->transport, diag);
    if (code)
        return code;
    const struct pb_device_info *info = pb_device_info(test->device);
    if (info->clock_hz < 1000000) /* for the steps below; the rest is checked */
        return pb_fail(diag, PB_ERR_LINK,
                       "the core claims %" PRIu32 " Hz; 1 MHz is the least, load another bitstream",
                       info->clock_hz);
    code = selftest_find_clock(test, diag);
    if (code)
        return code;
    return pb_fail(
        diag, PB_OK,
        "core at %" PRIu32 " Hz, map 0x%08" PRIx32 ", %u links, %u lanes, %u node port%s, edges to %s%s",
        info->clock_hz, info->map_hash, info->links, info->lanes, info->nodes, info->nodes == 1 ? "" : "s",
        info->half_ticks ? "half a tick" : "a tick", test->external ? ", external clock" : "");
}

/* ---- registers */

struct map_entry {
    const char *name;
    unsigned address, count;
    char access;
    unsigned width;
};

static const struct map_entry map[] = {
#define MAP_ENTRY(name, address, count, access, reset, width) {#name, address, count, access, width},
    PB_REG_LIST(MAP_ENTRY)
#undef MAP_ENTRY
};

static int expect(struct selftest *test, const char *name, unsigned address, uint32_t wanted,
                  struct pb_diag *diag)
{
    uint32_t value;
    const int code = pb_device_read(test->device, address, &value, diag);
    if (code || value == wanted)
        return code;
    return pb_fail(diag, PB_ERR_LINK,
                   "register %s (0x%03x) reads 0x%08" PRIx32 ", not 0x%08" PRIx32
                   "; the link or the core corrupts data",
                   name, address, value, wanted);
}

/* Without patterns that start the clock: step `clock` tests it. */
static uint32_t writable_mask(const struct map_entry *entry)
{
    const uint32_t mask = entry->width < 32 ? (UINT32_C(1) << entry->width) - 1 : UINT32_MAX;
    return entry->address == PB_REG_CTRL ? mask & ~PB_CTRL_RUN_MASK : mask;
}

static int walk_writable(struct selftest *test, const struct map_entry *entry, unsigned address,
                         struct pb_diag *diag)
{
    static const uint32_t pattern[] = {0x55555555, 0xaaaaaaaa, 0x00000000, 0xffffffff};
    const uint32_t mask = writable_mask(entry);
    /* Without FOLLOW the core would drive the clock pins as soon as it captures. */
    const uint32_t set =
        entry->address == PB_REG_CTRL && test->external ? PB_CTRL_FOLLOW_MASK << PB_CTRL_FOLLOW_LSB : 0;
    uint32_t kept;

    int code = pb_device_read(test->device, address, &kept, diag);
    for (size_t i = 0; !code && i < sizeof pattern / sizeof pattern[0]; i++) {
        const uint32_t value = (pattern[i] & mask) | set;
        code = pb_device_write(test->device, address, value, diag);
        if (!code)
            code = expect(test, entry->name, address, value, diag);
    }
    if (!code)
        code = pb_device_write(test->device, address, kept, diag);
    return code ? code : expect(test, entry->name, address, kept, diag);
}

/* Counters and levels may change, constants may not; none may accept a write. */
static int walk_constant(struct selftest *test, const struct map_entry *entry, struct pb_diag *diag)
{
    uint32_t kept;
    int code = pb_device_read(test->device, entry->address, &kept, diag);
    if (!code)
        code = pb_device_write(test->device, entry->address, ~kept, diag);
    return code ? code : expect(test, entry->name, entry->address, kept, diag);
}

static int walk_scratch(struct selftest *test, struct pb_diag *diag)
{
    int code = PB_OK;
    for (unsigned bit = 0; !code && bit < 32; bit++) {
        code = pb_device_write(test->device, PB_REG_SCRATCH, UINT32_C(1) << bit, diag);
        if (!code)
            code = expect(test, "SCRATCH", PB_REG_SCRATCH, UINT32_C(1) << bit, diag);
    }
    return code ? code : pb_device_write(test->device, PB_REG_SCRATCH, 0, diag);
}

int selftest_registers(struct selftest *test, struct pb_diag *diag)
{
    const unsigned links = pb_device_info(test->device)->links;
    unsigned words = 0;

    /* The nodes must not see their BOOT0 pins move. */
    int code = pb_device_write(test->device, PB_REG_NODE_RESET, SELFTEST_ALL_NODES, diag);
    if (!code)
        code = walk_scratch(test, diag);
    for (size_t i = 0; !code && i < sizeof map / sizeof map[0]; i++) {
        const struct map_entry *entry = &map[i];
        const unsigned count = entry->address == PB_REG_LINK ? links : entry->count ? entry->count : 1;
        if (entry->access == 'C')
            code = walk_constant(test, entry, diag);
        for (unsigned k = 0; entry->access == 'W' && !code && k < count; k++)
            code = walk_writable(test, entry, entry->address + k, diag);
        if (entry->access == 'C' || entry->access == 'W')
            words += count;
    }
    if (!code)
        code = pb_device_write(test->device, PB_REG_NODE_RESET, 0, diag);
    return code ? code : pb_fail(diag, PB_OK, "%u registers read back correctly, settings restored", words);
}

/* ---- clock */

#define CLOCK_PHASES 24u
#define CLOCK_PERIOD_NUM 1u
#define CLOCK_PERIOD_DEN 3u

static int check_clock(const struct pb_events *events, uint32_t period_ticks, struct pb_diag *diag)
{
    unsigned phase = 0;
    uint64_t begun = 0, expected = 0;

    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        const bool end = event->kind == PB_EVENT_CLOCK && !PB_GET(PB_EVENT_CLOCK_RUNNING, event->value);
        if (event->kind != PB_EVENT_PHASE && !end)
            continue;
        if (event->kind == PB_EVENT_PHASE &&
            (pb_event_phase(event) != phase || pb_event_superframe(event) != 0))
            return pb_fail(diag, PB_ERR_LINK,
                           "phase %u of superframe %" PRIu32 " came where phase %u of superframe 0 was due",
                           pb_event_phase(event), pb_event_superframe(event), phase);
        if (phase == 0)
            begun = event->tick;
        expected = begun + (uint64_t)phase * period_ticks + phase * CLOCK_PERIOD_NUM / CLOCK_PERIOD_DEN;
        if (event->tick != expected)
            return pb_fail(diag, PB_ERR_LINK,
                           "phase %u began %" PRId64 " ticks after the scheduled instant; 0 is the limit",
                           phase, (int64_t)(event->tick - expected));
        if (end)
            break;
        phase++;
    }
    if (phase != CLOCK_PHASES)
        return pb_fail(diag, PB_ERR_LINK, "%u phases were captured, %u scheduled; events are lost on the way",
                       phase, CLOCK_PHASES);
    return PB_OK;
}

int selftest_clock(struct selftest *test, struct pb_diag *diag)
{
    const uint32_t period_ticks = pb_device_info(test->device)->clock_hz / 100000; /* 10 us */
    const uint32_t wave[] = {CLOCK_PHASES,     period_ticks,     CLOCK_PERIOD_NUM,
                             CLOCK_PERIOD_DEN, period_ticks / 2, 1};
    uint32_t control;

    if (test->external)
        return selftest_external_clock(test, diag);
    int code = selftest_quiet(test, diag);
    if (!code)
        code =
            pb_device_write_many(test->device, PB_REG_PHASE_COUNT, wave, sizeof wave / sizeof wave[0], diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, PB_CTRL_RUN_MASK | SELFTEST_CAPTURE, diag);
    if (!code)
        code = selftest_await(test, PB_EVENT_CLOCK, 0, SELFTEST_CLOCK_MS, diag);
    if (code)
        return code;
    code = check_clock(&test->events, period_ticks, diag);
    if (!code)
        code = pb_device_read(test->device, PB_REG_CTRL, &control, diag);
    if (code)
        return code;
    if (control & PB_CTRL_RUN_MASK)
        return pb_fail(diag, PB_ERR_LINK, "the clock still runs after its single superframe");
    return pb_fail(diag, PB_OK, "%u phases of %" PRIu32 " %u/%u ticks, every edge at its tick", CLOCK_PHASES,
                   period_ticks, CLOCK_PERIOD_NUM, CLOCK_PERIOD_DEN);
}
