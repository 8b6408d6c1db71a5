/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Self-test steps that use the pins: links and consoles. */
#include "selftest_steps.h"

#include <inttypes.h>
#include <string.h>

#define BIT_RATE_HZ 1000000u
#define PHASE_US 60u /* four bytes at BIT_RATE_HZ, with margins */
#define OFFSET_US 5u

static const uint8_t pattern[] = {0x00, 0xFF, 0x55, 0xAA};

struct record {
    uint8_t target; /* link, or PB_PLAY_TARGET_CONSOLE + node port */
    bool immediate;
    unsigned phase;
    uint32_t offset_ticks, period_q4;
};

/* Builds a record of a slot player lane (layout PLAY_RECORD); returns its length. */
static size_t make_record(uint8_t *record, const struct record *header, const void *bytes, size_t count)
{
    memset(record, 0, PB_PLAY_RECORD_BYTES);
    PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, header->target);
    PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, (uint32_t)count);
    PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, header->immediate);
    PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, header->phase);
    PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, header->offset_ticks);
    PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, header->period_q4);
    memcpy(record + PB_PLAY_RECORD_BYTES, bytes, count);
    return PB_PLAY_RECORD_BYTES + count;
}

static int play(struct selftest *test, unsigned lane, const struct record *header, const void *bytes,
                size_t count, struct pb_diag *diag)
{
    uint8_t record[PB_PLAY_RECORD_BYTES + PB_PLAY_RECORD_COUNT_MASK];
    bool taken;
    unsigned left;

    const size_t length = make_record(record, header, bytes, count);
    const int code = pb_device_play(test->device, lane, record, length, &taken, &left, diag);
    if (!code && !taken)
        return pb_fail(diag, PB_ERR_LINK, "slot player lane %u has no room for %zu bytes, %u are free", lane,
                       length, left);
    return code;
}

/* ---- loopback */

int selftest_play(struct selftest *test, const struct selftest_byte *byte, const uint8_t *bytes,
                  unsigned count, struct pb_diag *diag)
{
    const struct record header = {
        .target = (uint8_t)byte->link,
        .immediate = byte->immediate,
        .phase = byte->phase,
        .offset_ticks = byte->offset_ticks,
        .period_q4 = pb_device_info(test->device)->clock_hz / byte->baud_hz << 4,
    };
    return play(test, 0, &header, bytes, count, diag);
}

int selftest_play_now(struct selftest *test, unsigned link, const uint8_t *bytes, unsigned count,
                      struct pb_diag *diag)
{
    return selftest_play(test,
                         &(struct selftest_byte){.link = link, .immediate = true, .baud_hz = BIT_RATE_HZ},
                         bytes, count, diag);
}

/* In phase n link n carries the pattern, so bytes on another link mean a short. */
static int arm_loopback(struct selftest *test, uint32_t period_q4, struct pb_diag *diag)
{
    const struct pb_device_info *info = pb_device_info(test->device);
    const uint32_t period_ticks = info->clock_hz / 1000000 * PHASE_US;
    const uint32_t phases = info->links < 2 ? 2 : info->links;
    const uint32_t wave[] = {phases, period_ticks, 0, 1, period_ticks / 2, 1};
    const uint32_t capture[] = {period_q4, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

    int code = selftest_quiet(test, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_NODE_RESET, SELFTEST_ALL_NODES, diag);
    if (!code)
        code =
            pb_device_write_many(test->device, PB_REG_PHASE_COUNT, wave, sizeof wave / sizeof wave[0], diag);
    if (!code)
        code = pb_device_write_many(test->device, PB_REG_BIT_PERIOD, capture,
                                    sizeof capture / sizeof capture[0], diag);
    for (unsigned link = 0; !code && link < info->links; link++) {
        const struct selftest_byte byte = {.link = link,
                                           .phase = link,
                                           .offset_ticks = info->clock_hz / 1000000 * OFFSET_US,
                                           .baud_hz = BIT_RATE_HZ};
        code = pb_device_write(test->device, PB_REG_LINK + link,
                               PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR), diag);
        if (!code && !test->external)
            code = selftest_play(test, &byte, pattern, sizeof pattern, diag);
    }
    return code;
}

static int check_idle(struct selftest *test, struct pb_diag *diag)
{
    uint32_t level[2];
    const unsigned links = pb_device_info(test->device)->links;
    const int code = pb_device_read_many(test->device, PB_REG_LINE_LEVEL0, level, 2, diag);

    for (unsigned link = 0; !code && link < links; link++)
        if (!(level[link / 32] >> link % 32 & 1))
            return pb_fail(diag, PB_ERR_LINK,
                           "link %u is low though the core does not pull it; look for a missing pull-up or a "
                           "short",
                           link);
    return code;
}

static bool near(uint64_t tick, uint64_t expected)
{
    return tick + 1 >= expected && tick <= expected + 1;
}

struct loopback {
    uint32_t period_q4, offset_ticks;
    uint64_t phase_tick;
    unsigned phase;
    bool started;   /* the first edge in this phase was seen */
    unsigned bytes; /* seen in this phase */
    unsigned total;
};

static int take_edge(struct loopback *loop, const struct pb_event *event, struct pb_diag *diag)
{
    if (event->link != loop->phase)
        return pb_fail(diag, PB_ERR_LINK,
                       "link %u moved while only link %u was driven; look for a short between them",
                       event->link, loop->phase);
    if (loop->started)
        return PB_OK;
    loop->started = true;
    if (!pb_event_high(event) && near(event->tick, loop->phase_tick + loop->offset_ticks))
        return PB_OK;
    return pb_fail(diag, PB_ERR_LINK, "link %u changed %" PRId64 " ticks after its instant; 1 is the limit",
                   event->link, (int64_t)(event->tick - loop->phase_tick - loop->offset_ticks));
}

static int take_byte(struct loopback *loop, const struct pb_event *event, struct pb_diag *diag)
{
    if (loop->bytes == sizeof pattern || !pb_event_stop_ok(event) ||
        pb_event_data(event) != pattern[loop->bytes])
        return pb_fail(diag, PB_ERR_LINK,
                       "link %u: byte %u came back as 0x%02x%s; the pattern is 00 FF 55 AA", event->link,
                       loop->bytes, pb_event_data(event),
                       pb_event_stop_ok(event) ? "" : " without a stop bit");
    const uint64_t start =
        loop->phase_tick + loop->offset_ticks + ((uint64_t)loop->bytes * 10 * loop->period_q4 >> 4);
    if (!near(event->tick, start + pb_sample_ticks(loop->period_q4, 9)))
        return pb_fail(diag, PB_ERR_LINK,
                       "link %u: byte %u was stamped %" PRId64 " ticks off; 1 is the limit", event->link,
                       loop->bytes, (int64_t)(event->tick - start - pb_sample_ticks(loop->period_q4, 9)));
    loop->bytes++;
    loop->total++;
    return PB_OK;
}

static int end_phase(const struct loopback *loop, unsigned links, struct pb_diag *diag)
{
    if (loop->phase >= links || loop->bytes == sizeof pattern)
        return PB_OK;
    return pb_fail(diag, PB_ERR_LINK,
                   "link %u: %u of %zu bytes came back; is the line connected and pulled up?", loop->phase,
                   loop->bytes, sizeof pattern);
}

static int check_loopback(struct pb_events *events, struct loopback *loop, unsigned links,
                          struct pb_diag *diag)
{
    int code = PB_OK;
    bool running = false;

    pb_events_sort(events);
    for (size_t i = 0; !code && i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        const bool end = event->kind == PB_EVENT_CLOCK && !PB_GET(PB_EVENT_CLOCK_RUNNING, event->value);
        if (running && (event->kind == PB_EVENT_PHASE || end))
            code = end_phase(loop, links, diag);
        if (code || end)
            break;
        if (event->kind == PB_EVENT_PHASE) {
            running = true;
            loop->phase = pb_event_phase(event);
            loop->phase_tick = event->tick;
            loop->started = false;
            loop->bytes = 0;
        } else if (event->kind == PB_EVENT_EDGE && running) {
            code = take_edge(loop, event, diag);
        } else if (event->kind == PB_EVENT_BYTE && running) {
            code = take_byte(loop, event, diag);
        } else if (event->kind == PB_EVENT_OVERFLOW || event->kind == PB_EVENT_UNDERRUN) {
            code = pb_fail(diag, PB_ERR_LINK,
                           event->kind == PB_EVENT_OVERFLOW ? "the capture lost events"
                                                            : "the slot player came too late");
        }
    }
    if (!code && loop->total != links * sizeof pattern)
        return pb_fail(diag, PB_ERR_LINK, "%u of %zu bytes came back on %u links", loop->total,
                       links * sizeof pattern, links);
    return code;
}

static int disarm(struct selftest *test, struct pb_diag *diag)
{
    const unsigned links = pb_device_info(test->device)->links;
    int code = selftest_quiet(test, diag);

    for (unsigned link = 0; !code && link < links; link++)
        code = pb_device_write(test->device, PB_REG_LINK + link, 0, diag);
    for (unsigned address = PB_REG_EDGE_MASK0; !code && address <= PB_REG_BYTE_MASK1; address++)
        code = pb_device_write(test->device, address, 0, diag);
    return code ? code : pb_device_write(test->device, PB_REG_NODE_RESET, 0, diag);
}

int selftest_loopback(struct selftest *test, struct pb_diag *diag)
{
    const struct pb_device_info *info = pb_device_info(test->device);
    struct loopback loop = {
        .period_q4 = info->clock_hz / BIT_RATE_HZ << 4,
        .offset_ticks = info->clock_hz / 1000000 * OFFSET_US,
    };

    int code = arm_loopback(test, loop.period_q4, diag);
    if (!code)
        code = check_idle(test, diag);
    if (!code && test->external) {
        code = selftest_external_loopback(test, pattern, sizeof pattern, diag);
        if (!code)
            code = disarm(test, diag);
        return code ? code
                    : pb_fail(diag, PB_OK, "00 FF 55 AA at %u baud came back on each of %u links",
                              BIT_RATE_HZ, info->links);
    }
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, PB_CTRL_RUN_MASK | SELFTEST_CAPTURE, diag);
    if (!code)
        code = selftest_await(test, PB_EVENT_CLOCK, 0, SELFTEST_CLOCK_MS, diag);
    if (!code)
        code = check_loopback(&test->events, &loop, info->links, diag);
    if (!code)
        code = disarm(test, diag);
    return code ? code
                : pb_fail(diag, PB_OK,
                          "00 FF 55 AA at %u baud came back on each of %u links, stamps within 1 tick",
                          BIT_RATE_HZ, info->links);
}

/* ---- console */

#define ATTEMPTS 3
#define ANSWER_MS 200u /* a simulated rig on a loaded machine is slower than its baud rate */
#define BOOT_MS 5u
#define ANSWER_SIZE 80u

/* Collects console bytes up to the end of a line. PB_ERR_TIMEOUT: no line end in time. */
static int read_answer(struct selftest *test, char answer[ANSWER_SIZE], struct pb_diag *diag)
{
    const int code = selftest_await(test, PB_EVENT_CONSOLE,
                                    PB_PUT(PB_EVENT_CONSOLE_DATA, '\n') | PB_PUT(PB_EVENT_CONSOLE_STOP, 1u),
                                    ANSWER_MS, diag);
    size_t length = 0;

    for (size_t i = 0; i < test->events.count; i++) {
        const struct pb_event *event = &test->events.event[i];
        const uint8_t byte = pb_event_data(event);
        if (event->kind == PB_EVENT_CONSOLE && byte != '\n' && byte != '\r' && length < ANSWER_SIZE - 1)
            answer[length++] = byte >= 0x20 && byte <= 0x7e ? (char)byte : '?';
    }
    answer[length] = '\0';
    test->events.count = 0;
    return code;
}

static int ask(struct selftest *test, unsigned node, uint32_t period_q4, char answer[ANSWER_SIZE],
               struct pb_diag *diag)
{
    const unsigned lane = pb_device_info(test->device)->lanes - 1;
    const struct record header = {
        .target = (uint8_t)(PB_PLAY_TARGET_CONSOLE + node), .immediate = true, .period_q4 = period_q4};

    int code = pb_device_write(test->device, PB_REG_CONSOLE_SELECT, node, diag);
    for (int attempt = 0; !code && attempt < ATTEMPTS; attempt++) {
        code = play(test, lane, &header, "I\n", 2, diag);
        if (code)
            return code;
        code = read_answer(test, answer, diag);
        if (code && code != PB_ERR_TIMEOUT)
            return code;
        if (!code && strstr(answer, "+I "))
            return PB_OK;
        code = PB_OK;
    }
    return code ? code
                : pb_fail(diag, PB_ERR_NODE,
                          "node port %u answered '%s' to I, %d times of %u ms; +I is expected, check UART0 "
                          "and its baud rate",
                          node, answer, ATTEMPTS, ANSWER_MS);
}

int selftest_console(struct selftest *test, struct pb_diag *diag)
{
    const struct pb_device_info *info = pb_device_info(test->device);
    const uint32_t baud = (uint32_t)test->scenario->console_baud_hz;
    const uint32_t period_q4 = (uint32_t)(((uint64_t)info->clock_hz * 16 + baud / 2) / baud);
    char answer[ANSWER_SIZE] = "";

    int code = selftest_quiet(test, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_CONSOLE_PERIOD, period_q4, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, selftest_capture(test), diag);
    /* No event marks the end of the boot: wait for an event that does not exist. */
    if (!code && (code = selftest_await(test, 0, 0, BOOT_MS, diag)) == PB_ERR_TIMEOUT)
        code = PB_OK;
    for (unsigned node = 0; !code && node < test->scenario->node_count; node++)
        code = ask(test, node, period_q4, answer, diag);
    if (!code)
        code = selftest_quiet(test, diag);
    return code ? code
                : pb_fail(diag, PB_OK, "%u node%s identified: %s", test->scenario->node_count,
                          test->scenario->node_count == 1 ? "" : "s", strstr(answer, "+I "));
}
