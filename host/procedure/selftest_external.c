/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Self-test with an external controller on TDMA_CLK and TDMA_SYNC. CTRL.FOLLOW stays set while the core
 * captures, so that the core never drives the two pins. Its own phase clock is not tested, and the loopback
 * has no phases: its bytes leave immediately. */
#include "selftest_steps.h"

#include <inttypes.h>

#define LISTEN_MS 5u /* for two edges: detects a phase rate of at least 400 Hz */
#define MEASURE_MS 100u
#define EDGES 25u /* requested; a slow clock gives fewer within MEASURE_MS */
#define EDGES_MIN 2u
#define ECHO_MS 20u
#define SLOWEST 200u /* factor for a slow core in another process */

static int capture(struct selftest *test, struct pb_diag *diag)
{
    const int code = selftest_quiet(test, diag);
    return code ? code : pb_device_write(test->device, PB_REG_CTRL, selftest_capture(test), diag);
}

/* Collects events until `wanted` edges of TDMA_CLK; fewer after limit_ms are no error. The time is that of
 * the core, which may be simulated slowly in another process. */
static int collect_edges(struct selftest *test, unsigned wanted, unsigned limit_ms, unsigned *edges,
                         struct pb_diag *diag)
{
    const uint32_t ticks = (uint32_t)((uint64_t)limit_ms * pb_device_info(test->device)->clock_hz / 1000);
    uint32_t from = 0, now;
    size_t seen = 0;
    bool over = false;
    *edges = 0;
    /* The first poll grants the first credits. */
    int code = pb_device_poll(test->device, 1, &test->events, diag);
    code = code < 0 ? code : pb_device_read(test->device, PB_REG_STAMP, &from, diag);
    for (unsigned polls = 0; !code && !over && polls < SLOWEST * limit_ms && *edges < wanted;) {
        /* Before the poll, which returns the events up to this time. */
        code = pb_device_read(test->device, PB_REG_STAMP, &now, diag);
        over = !code && now - from >= ticks;
        const int got = code ? code : pb_device_poll(test->device, 1, &test->events, diag);
        if (got < 0)
            return got;
        polls += got == 0;
        for (; seen < test->events.count; seen++)
            *edges += test->events.event[seen].kind == PB_EVENT_TDMA;
    }
    return code;
}

int selftest_find_clock(struct selftest *test, struct pb_diag *diag)
{
    const bool known = test->external || test->scenario->follow;
    unsigned edges = 0;

    test->external = true; /* drive no pin until the clock source is known */
    int code = known ? PB_OK : capture(test, diag);
    if (!code && !known)
        code = collect_edges(test, EDGES_MIN, LISTEN_MS, &edges, diag);
    if (!code && !known)
        code = selftest_quiet(test, diag);
    test->external = known || edges >= EDGES_MIN; /* one poll may return more */
    return code;
}

int selftest_external_clock(struct selftest *test, struct pb_diag *diag)
{
    unsigned edges;
    int code = capture(test, diag);
    if (!code)
        code = collect_edges(test, EDGES, MEASURE_MS, &edges, diag);
    if (code)
        return code;
    if (edges < EDGES_MIN)
        return pb_fail(diag, PB_ERR_LINK,
                       "TDMA_CLK: %u edges of the external clock within %u ms; %u is the least; start the "
                       "controller, or look at its wire",
                       edges, MEASURE_MS, EDGES_MIN);
    uint64_t last = 0, shortest = UINT64_MAX, longest = 0;
    for (size_t i = 0; i < test->events.count; i++) {
        const struct pb_event *event = &test->events.event[i];
        if (event->kind != PB_EVENT_TDMA)
            continue;
        const uint64_t period = event->tick - last;
        if (last && period < shortest)
            shortest = period;
        if (last && period > longest)
            longest = period;
        last = event->tick;
    }
    code = selftest_quiet(test, diag);
    return code ? code
                : pb_fail(diag, PB_OK,
                          "external clock, not driven by the core: periods of %" PRIu64 " to %" PRIu64
                          " ticks in %u edges",
                          shortest, longest, edges);
}

static int echo(struct selftest *test, unsigned link, const uint8_t *pattern, unsigned count,
                struct pb_diag *diag)
{
    const unsigned links = pb_device_info(test->device)->links;
    unsigned bytes = 0;

    test->events.count = 0;
    int code = selftest_play_now(test, link, pattern, count, diag);
    /* The last byte of the pattern ends the exchange. */
    if (!code)
        code = selftest_await(test, PB_EVENT_BYTE,
                              PB_PUT(PB_EVENT_BYTE_DATA, pattern[count - 1]) | PB_PUT(PB_EVENT_BYTE_STOP, 1u),
                              ECHO_MS, diag);
    const bool silent = code == PB_ERR_TIMEOUT;
    if (silent)
        code = PB_OK;
    for (size_t i = 0; !code && i < test->events.count; i++) {
        const struct pb_event *event = &test->events.event[i];
        const bool byte = event->kind == PB_EVENT_BYTE;
        if ((byte || event->kind == PB_EVENT_EDGE) && event->link != link && event->link < links)
            return pb_fail(diag, PB_ERR_LINK,
                           "link %u moved while only link %u was driven; look for a short between them",
                           event->link, link);
        if (byte && (bytes == count || !pb_event_stop_ok(event) || pb_event_data(event) != pattern[bytes]))
            return pb_fail(diag, PB_ERR_LINK, "link %u: byte %u came back as 0x%02x%s", link, bytes,
                           pb_event_data(event), pb_event_stop_ok(event) ? "" : " without a stop bit");
        bytes += byte;
    }
    if (!code && silent)
        return pb_fail(diag, PB_ERR_LINK,
                       "link %u: %u of %u bytes came back; is the line connected and pulled up?", link, bytes,
                       count);
    return code;
}

int selftest_external_loopback(struct selftest *test, const uint8_t *pattern, unsigned count,
                               struct pb_diag *diag)
{
    const unsigned links = pb_device_info(test->device)->links;
    int code = pb_device_write(test->device, PB_REG_CTRL, selftest_capture(test), diag);
    for (unsigned link = 0; !code && link < links; link++)
        code = echo(test, link, pattern, count, diag);
    return code;
}
