/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every reference gives instants of the core against instants of its own. The offset between them is
 * computed by host/metrology/cal/fit.c.
 */
#define _GNU_SOURCE /* adjtimex, CLOCK_MONOTONIC_RAW */
#include "phasebench/cal_session.h"

#include "host/base/monotonic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#define SAMPLES_MAX (UINT64_C(1) << 22)
enum {
    POLL_MS = 20,
    SILENT_S = 3, /* without an edge, and at least 3 periods */
    READ_EVERY_NS = 5000000,
    BAUD_LEAST_KBAUD = 1000,
    BITS_OF_A_PHASE = 60 /* a frame of 4 bytes and the guard fit into any phase */
};
/* Of the host's clock, as U95. An oscillator of a computer is within 100 ppm; one that NTP steers, within
 * 1 ppm. */
#define FREE_PPB 100000.0
#define STEERED_PPB 1000.0

int pb_cal_scenario(struct pb_scenario **out, double hz, uint64_t seed, struct pb_diag *diag)
{
    char text[300];
    /* A frame of the least size; no side sends it. */
    snprintf(text, sizeof text,
             "cube: {dims: 1}\nlink: {phase_rate: %.3f Hz, baud: %.0f kbaud, payload: 1 byte, guard: 2 us}\n"
             "clock: {source: external, jitter: 100 ns}\nnodes: [{address: 1}]\n"
             "traffic: [{from: 0, to: 1}]\nseed: %" PRIu64 "\n",
             hz, fmax(BAUD_LEAST_KBAUD, ceil(hz * BITS_OF_A_PHASE / 1000)), seed);
    return pb_scenario_parse(out, "cal", text, strlen(text), diag);
}

/* A measurement in progress. */
struct cal {
    const struct pb_cal_options *options;
    struct pb_device *device;
    int64_t deadline_ns;
    double hz;
    double *tick; /* owned; edges */
    struct pb_calibration_host_read *read; /* owned */
    size_t count, capacity;
    bool half_ticks; /* every edge reported its half */
    bool steered;    /* the host's clock */
    char *reference;
};

static int write_mask(struct pb_device *device, unsigned link, struct pb_diag *diag)
{
    const int code =
        pb_device_write(device, PB_REG_EDGE_MASK0, link < 32 ? UINT32_C(1) << link : 0, diag);
    return code
               ? code
               : pb_device_write(device, PB_REG_EDGE_MASK1, link < 32 ? 0 : UINT32_C(1) << (link - 32), diag);
}

/* With FOLLOW, so that the core never drives the clock pins. */
static int start(struct cal *cal, struct pb_diag *diag)
{
    const unsigned links = pb_device_info(cal->device)->links;
    if (cal->options->reference == PB_CAL_PPS && cal->options->link >= links)
        return pb_fail(diag, PB_ERR_ARGUMENT, "--link is %u; the core has links 0 to %u", cal->options->link,
                       links - 1);
    int code = PB_OK;
    if (cal->options->reference == PB_CAL_PPS)
        code = write_mask(cal->device, cal->options->link, diag);
    if (!code)
        code = pb_device_write(
            cal->device, PB_REG_CTRL,
            PB_CTRL_CAPTURE_MASK << PB_CTRL_CAPTURE_LSB | PB_CTRL_FOLLOW_MASK << PB_CTRL_FOLLOW_LSB, diag);
    return code;
}

/* ---- edges */

static int grow(void **list, struct cal *cal, size_t size, struct pb_diag *diag)
{
    if (cal->count < cal->capacity)
        return PB_OK;
    const size_t capacity = cal->capacity ? 2 * cal->capacity : 4096;
    void *grown = capacity > SAMPLES_MAX ? NULL : realloc(*list, capacity * size);
    if (!grown)
        return pb_fail(diag, PB_ERR_MEMORY,
                       "no memory for more than %zu instants; measure --for a shorter time", cal->count);
    *list = grown;
    cal->capacity = capacity;
    return PB_OK;
}

static bool is_edge(const struct cal *cal, const struct pb_event *event)
{
    if (cal->options->reference == PB_CAL_CLOCK)
        return event->kind == PB_EVENT_TDMA;
    /* A line that is open drain falls steeply, and rises slowly. */
    return event->kind == PB_EVENT_EDGE && event->link == cal->options->link && !pb_event_high(event);
}

static int add_edge(struct cal *cal, const struct pb_event *event, struct pb_diag *diag)
{
    void *list = cal->tick;
    const int code = grow(&list, cal, sizeof *cal->tick, diag);
    cal->tick = list;
    if (code)
        return code;
    const unsigned half = pb_event_half(event);
    cal->half_ticks &= half != PB_HALF_UNKNOWN;
    cal->tick[cal->count++] = (double)event->tick + (half == PB_HALF_SECOND ? 0.5 : 0);
    return PB_OK;
}

static int check_end(const struct cal *cal, struct pb_diag *diag)
{
    if (cal->options->stop && *cal->options->stop)
        return pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted; nothing was written");
    if (pb_monotonic_ns() > cal->deadline_ns)
        return pb_fail(diag, PB_ERR_TIMEOUT,
                       "the measurement took longer than the limit of %u s; raise --timeout",
                       cal->options->timeout_s);
    return PB_OK;
}

static int collect_edges(struct cal *cal, struct pb_diag *diag)
{
    const double clock_hz = pb_device_info(cal->device)->clock_hz,
                 wanted = (double)cal->options->for_s * clock_hz,
                 silent = clock_hz * fmax(SILENT_S, 3 / cal->hz);
    double first = -1, last = 0, polled = 0;
    struct pb_events events = {.event = NULL};
    int code = PB_OK;
    cal->half_ticks = true;
    for (bool more = true; !code && more;) {
        const int got = pb_device_poll(cal->device, POLL_MS, &events, diag);
        code = got < 0 ? got : check_end(cal, diag);
        polled = got ? 0 : polled + POLL_MS * clock_hz / 1000;
        double now = last;
        for (size_t i = 0; i < events.count && !code; i++) {
            now = (double)events.event[i].tick;
            if (first < 0)
                first = last = now;
            if (!is_edge(cal, &events.event[i]))
                continue;
            code = add_edge(cal, &events.event[i], diag);
            if (cal->count == 1)
                first = now;
            last = now;
        }
        events.count = 0;
        more = (cal->count ? last - first : 0) < wanted && now - last + polled < silent;
    }
    pb_events_free(&events);
    return code;
}

static int measure_edges(struct cal *cal, struct pb_calibration_fit *fit, struct pb_diag *diag)
{
    int code = start(cal, diag);
    if (!code)
        code = collect_edges(cal, diag);
    if (code)
        return code;
    if (cal->options->reference == PB_CAL_PPS)
        snprintf(cal->reference, PB_CALIBRATION_TEXT_SIZE, "falling edges of link %u, %g Hz",
                 cal->options->link, cal->hz);
    else
        snprintf(cal->reference, PB_CALIBRATION_TEXT_SIZE, "TDMA_CLK, %g Hz", cal->hz);
    const struct pb_calibration_edges edges = {.tick = cal->tick,
                                               .count = cal->count,
                                               .hz = cal->hz,
                                               .step_ticks = cal->half_ticks ? 0.5 : 1,
                                               .reference_u95_ppb =
                                                   cal->options->reference_u95_ppb,
                                               .clock_hz = pb_device_info(cal->device)->clock_hz};
    return pb_calibration_fit_edges(fit, &edges, diag);
}

/* ---- the host's clock */

static int64_t now_ns(const struct cal *cal)
{
    struct timespec now;
    clock_gettime(cal->steered ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The counter has 32 bits and is read more often than it wraps. */
static int take_read(struct cal *cal, uint64_t *tick, struct pb_diag *diag)
{
    uint32_t stamp;
    void *list = cal->read;
    int code = grow(&list, cal, sizeof *cal->read, diag);
    cal->read = list;
    if (code)
        return code;
    const int64_t before_ns = now_ns(cal);
    code = pb_device_read(cal->device, PB_REG_STAMP, &stamp, diag);
    const int64_t after_ns = now_ns(cal);
    if (code)
        return code;
    *tick += (uint32_t)(stamp - (uint32_t)*tick);
    cal->read[cal->count++] =
        (struct pb_calibration_host_read){.before_ns = before_ns, .after_ns = after_ns, .tick = *tick};
    return PB_OK;
}

static int measure_reads(struct cal *cal, struct pb_calibration_fit *fit, struct pb_diag *diag)
{
    struct timex state = {.modes = 0};
    uint64_t tick = 0;
    const int answer = adjtimex(&state);
    cal->steered = answer >= 0 && answer != TIME_ERROR && !(state.status & STA_UNSYNC);
    const int64_t end_ns = now_ns(cal) + (int64_t)cal->options->for_s * INT64_C(1000000000);
    int code = PB_OK;
    while (!code && now_ns(cal) < end_ns) {
        const struct timespec pause = {.tv_nsec = READ_EVERY_NS};
        code = take_read(cal, &tick, diag);
        code = code ? code : check_end(cal, diag);
        nanosleep(&pause, NULL);
    }
    if (code)
        return code;
    snprintf(cal->reference, PB_CALIBRATION_TEXT_SIZE, "clock of the host, %s",
             cal->steered ? "disciplined (NTP)" : "not disciplined: its own oscillator");
    const struct pb_calibration_reads reads = {
        .read = cal->read,
        .count = cal->count,
        .reference_u95_ppb = cal->options->reference_given ? cal->options->reference_u95_ppb
                             : cal->steered                ? STEERED_PPB
                                                           : FREE_PPB,
        .clock_hz = pb_device_info(cal->device)->clock_hz};
    code = pb_calibration_fit_reads(fit, &reads, diag);
    if (!code && !fit->enveloped)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "no constant rate fits all reads: the host's clock was set, or one of both changed its rate; "
            "measure again");
    return code;
}

int pb_cal_measure(struct pb_calibration_fit *fit, char reference[PB_CALIBRATION_TEXT_SIZE],
                   struct pb_device *device, const struct pb_cal_options *options, struct pb_diag *diag)
{
    struct cal cal = {.options = options,
                      .device = device,
                      .deadline_ns = pb_monotonic_ns() + options->timeout_s * INT64_C(1000000000),
                      .hz = options->hz,
                      .reference = reference};
    const int code =
        options->reference == PB_CAL_HOST ? measure_reads(&cal, fit, diag) : measure_edges(&cal, fit, diag);
    free(cal.tick);
    free(cal.read);
    return code;
}
