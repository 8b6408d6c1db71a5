/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measurements on the lines while all nodes are in reset: delays of the loop-back, and pulls of each line. */
#include "selftest_steps.h"

#include <string.h>

#define PS_PER_S 1e12

enum {
    DELAY_BAUD_HZ = 1000000,
    DELAY_PHASE_US = 60,
    PULL_BAUD_HZ = 100000, /* low for 90 us, then high for 10 us, in which a line must rise */
    PULL_STEP_MS = 2,      /* SELFTEST_PULLS of them take less */
    PULL_LIMIT_MS = 100 /* until their edges have come from a board */
};

/* In half ticks; an unknown half counts as the first. */
static int64_t stamp_q1(const struct pb_event *event)
{
    return 2 * (int64_t)event->tick + (pb_event_half(event) == PB_HALF_SECOND);
}

/* Nodes in reset; every line is received, and pulled by the slot player only. */
static int take_lines(struct selftest *test, struct pb_diag *diag)
{
    uint32_t mode[PB_REG_LINK_COUNT];
    const uint32_t mask[] = {UINT32_MAX, UINT32_MAX, 0, 0};
    const unsigned links = pb_device_info(test->device)->links;
    for (unsigned link = 0; link < links; link++)
        mode[link] = PB_PUT(PB_LINK_MODE, PB_LINK_MODE_NEIGHBOUR);
    int code = selftest_quiet(test, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_NODE_RESET, SELFTEST_ALL_NODES, diag);
    if (!code)
        code = pb_device_write_many(test->device, PB_REG_LINK, mode, links, diag);
    return code ? code : pb_device_write_many(test->device, PB_REG_EDGE_MASK0, mask, 4, diag);
}

int selftest_release_lines(struct selftest *test, struct pb_diag *diag)
{
    const uint32_t mode[PB_REG_LINK_COUNT] = {0}, mask[4] = {0};
    int code = selftest_quiet(test, diag);
    if (!code)
        code =
            pb_device_write_many(test->device, PB_REG_LINK, mode, pb_device_info(test->device)->links, diag);
    if (!code)
        code = pb_device_write_many(test->device, PB_REG_EDGE_MASK0, mask, 4, diag);
    return code ? code : pb_device_write(test->device, PB_REG_NODE_RESET, 0, diag);
}

/* ---- delays */

int selftest_delays(struct selftest *test, const uint32_t *offset_ticks, double *seen_ticks,
                    struct pb_diag *diag)
{
    const struct pb_device_info *info = pb_device_info(test->device);
    const uint32_t period_ticks = info->clock_hz / 1000000 * DELAY_PHASE_US;
    const uint32_t phases = info->links < 2 ? 2 : info->links;
    const uint32_t wave[] = {phases, period_ticks, 0, 1, period_ticks / 2, 1};
    static const uint8_t one[] = {0xFF};
    bool running = false;
    uint64_t phase_tick = 0;
    unsigned phase = 0, seen = 0;

    int code = take_lines(test, diag);
    if (!code)
        code =
            pb_device_write_many(test->device, PB_REG_PHASE_COUNT, wave, sizeof wave / sizeof wave[0], diag);
    for (unsigned link = 0; !code && link < info->links; link++) {
        const struct selftest_byte byte = {.link = link, .phase = link, .offset_ticks = offset_ticks[link],
                                           .baud_hz = DELAY_BAUD_HZ};
        seen_ticks[link] = -1;
        code = selftest_play(test, &byte, one, sizeof one, diag);
    }
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, PB_CTRL_RUN_MASK | SELFTEST_CAPTURE, diag);
    if (!code)
        code = selftest_await(test, PB_EVENT_CLOCK, 0, SELFTEST_CLOCK_MS, diag);
    if (code)
        return code;
    pb_events_sort(&test->events);
    for (size_t i = 0; i < test->events.count; i++) {
        const struct pb_event *event = &test->events.event[i];
        if (event->kind == PB_EVENT_PHASE) {
            running = true;
            phase = pb_event_phase(event);
            phase_tick = event->tick;
        } else if (event->kind == PB_EVENT_EDGE && running && event->link == phase && phase < info->links &&
                   seen_ticks[phase] < 0) {
            seen_ticks[phase] = (double)(event->tick - phase_tick);
            seen++;
        }
    }
    if (!seen)
        return pb_fail(diag, PB_ERR_LINK,
                       "no delayed pull came back on any of %u links; is a line pulled up?", info->links);
    return PB_OK;
}

/* ---- pulls */

/* The bench pulls `pulls` times and leaves the line high between. */
static void take_pulls(struct selftest_pulls *out, const struct pb_events *events, unsigned link,
                       double half_tick_ps, double low_q1)
{
    const struct pb_event *fall = NULL;
    double sum_ps = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct pb_event *event = &events->event[i];
        if (event->kind != PB_EVENT_EDGE)
            continue;
        if (event->link != link) {
            out->followers |= UINT64_C(1) << event->link;
            continue;
        }
        if (!pb_event_high(event)) {
            out->falls += !fall;
            fall = event;
            continue;
        }
        if (!fall)
            continue;
        const double rise_q1 = (double)(stamp_q1(event) - stamp_q1(fall)) - low_q1;
        fall = NULL;
        if (rise_q1 < -4) { /* two ticks: the line did not stay low */
            out->breaks++;
            continue;
        }
        const int64_t rise_ps = (int64_t)((rise_q1 < 0 ? 0 : rise_q1) * half_tick_ps);
        out->min_ps = !out->rises || rise_ps < out->min_ps ? rise_ps : out->min_ps;
        out->max_ps = !out->rises || rise_ps > out->max_ps ? rise_ps : out->max_ps;
        sum_ps += (double)rise_ps;
        out->rises++;
    }
    out->mean_ps = out->rises ? (int64_t)(sum_ps / out->rises) : 0;
}

/* Until both edges of each pull have come; a line that does not follow costs the whole time. */
static int await_edges(struct selftest *test, unsigned link, struct pb_diag *diag)
{
    for (unsigned waited_ms = 0; waited_ms < PULL_LIMIT_MS; waited_ms += PULL_STEP_MS) {
        unsigned edges = 0;
        /* No event marks the end: wait for one that does not exist. */
        const int code = selftest_await(test, 0, 0, PULL_STEP_MS, diag);
        if (code && code != PB_ERR_TIMEOUT)
            return code;
        for (size_t i = 0; i < test->events.count; i++)
            edges += test->events.event[i].kind == PB_EVENT_EDGE && test->events.event[i].link == link;
        if (edges >= 2 * SELFTEST_PULLS)
            break;
    }
    return PB_OK;
}

int selftest_pull(struct selftest *test, unsigned link, struct selftest_pulls *out, struct pb_diag *diag)
{
    static const uint8_t zeros[SELFTEST_PULLS] = {0};
    const struct pb_device_info *info = pb_device_info(test->device);
    const double half_tick_ps = PS_PER_S / info->clock_hz / 2;
    const struct selftest_byte byte = {.link = link, .immediate = true, .baud_hz = PULL_BAUD_HZ};
    const double low_q1 = 2.0 * 9 * (info->clock_hz / PULL_BAUD_HZ);
    uint32_t level[2];

    *out = (struct selftest_pulls){.step_ps = (int64_t)(half_tick_ps * (info->half_ticks ? 1 : 2))};
    int code = take_lines(test, diag);
    if (!code)
        code = pb_device_write(test->device, PB_REG_CTRL, selftest_capture(test), diag);
    if (!code)
        code = pb_device_read_many(test->device, PB_REG_LINE_LEVEL0, level, 2, diag);
    if (code)
        return code;
    out->low_before = !(level[link / 32] >> link % 32 & 1);
    code = selftest_play(test, &byte, zeros, sizeof zeros, diag);
    if (!code)
        code = await_edges(test, link, diag);
    if (!code)
        code = pb_device_read_many(test->device, PB_REG_LINE_LEVEL0, level, 2, diag);
    if (code)
        return code;
    out->low_after = !(level[link / 32] >> link % 32 & 1);
    pb_events_sort(&test->events);
    take_pulls(out, &test->events, link, half_tick_ps, low_q1);
    return PB_OK;
}
