/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calibration of the converter of a core, with the oscillator at its multiplexer. FOLLOW keeps the core from
 * driving the clock pins, which an external controller may drive. */
#include "phasebench/rig.h"
#include "phasebench/run.h"
#include "phasebench/tdc_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { POLL_MS = 10, SILENT_MS = 1000, RATE_EDGES_MIN = 2000 };

static const uint32_t quiet_masks[4];

/* Counts edges between reports that followed one another without a loss. */
struct rate {
    uint64_t edges, ticks;
    bool has_last;
    struct pb_event last;
};

static void count_rate(struct rate *rate, const struct pb_event *event)
{
    const unsigned missed = PB_GET(PB_EVENT_TDC_MISSED, event->value);
    if (event->kind != PB_EVENT_TDC) {
        rate->has_last &= event->kind != PB_EVENT_OVERFLOW;
        return;
    }
    if (rate->has_last && event->sequence == rate->last.sequence + 1 && missed < PB_EVENT_TDC_MISSED_MASK) {
        rate->edges += 1 + missed;
        rate->ticks += event->tick - rate->last.tick;
    }
    rate->has_last = true;
    rate->last = *event;
}

int pb_tdc_taps(unsigned *taps, struct pb_device *device, struct pb_diag *diag)
{
    uint32_t shape;
    const int code = pb_device_read(device, PB_REG_TDC_SHAPE, &shape, diag);
    if (code)
        return code;
    *taps = PB_GET(PB_TDC_SHAPE_TAPS, shape);
    return *taps ? PB_OK
                 : pb_fail(diag, PB_ERR_UNSUPPORTED,
                           "the core has no time-to-digital converter (0 taps); a simulated rig of one node "
                           "has one");
}

void pb_tdc_bitstream(char name[PB_TDC_NAME], const struct pb_device_info *info, unsigned taps)
{
    snprintf(name, PB_TDC_NAME, "0x%08" PRIx32 "-%" PRIu32 "-%u-%u-%u", info->map_hash, info->clock_hz,
             info->links, info->nodes, taps);
}

static int begin(struct pb_device *device, struct pb_diag *diag)
{
    int code = pb_device_write_many(device, PB_REG_EDGE_MASK0, quiet_masks, 4, diag);
    if (!code)
        code =
            pb_device_write(device, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB | 1u << PB_CTRL_FOLLOW_LSB, diag);
    if (!code)
        code =
            pb_device_write(device, PB_REG_TDC, 1u << PB_TDC_ENABLE_LSB | 1u << PB_TDC_CALIBRATE_LSB, diag);
    return code;
}

static int end(struct pb_device *device, struct pb_events *events, struct pb_diag *diag)
{
    int code = pb_device_write(device, PB_REG_TDC, 0, diag);
    if (!code)
        code = pb_device_write(device, PB_REG_CTRL, 0, diag);
    return code ? code : pb_device_settle(device, events, diag);
}

static bool enough(const struct pb_tdc_table *table, const uint64_t hits[2], uint64_t wanted,
                   const struct rate *rate)
{
    return (table ? hits[0] >= wanted && hits[1] >= wanted : true) && rate->edges >= RATE_EDGES_MIN;
}

/* Table NULL: only the rate. */
static int observe(struct pb_tdc_table *table, double *oscillator_hz, struct pb_device *device,
                   uint64_t wanted, const volatile sig_atomic_t *stop, struct pb_diag *diag)
{
    struct pb_events events = {0};
    struct rate rate = {0};
    uint64_t hits[2] = {0};
    unsigned silent_ms = 0;
    int code = begin(device, diag);
    while (!code && !enough(table, hits, wanted, &rate)) {
        const int got = pb_device_poll(device, POLL_MS, &events, diag);
        bool heard = false;
        for (size_t i = 0; got > 0 && i < events.count; i++) {
            const struct pb_event *event = &events.event[i];
            count_rate(&rate, event);
            if (event->kind != PB_EVENT_TDC)
                continue;
            heard = true;
            hits[pb_tdc_rises(event)]++;
            if (table)
                pb_tdc_count(table, event);
        }
        events.count = 0;
        silent_ms = heard ? 0 : silent_ms + POLL_MS;
        if (got < 0)
            code = got;
        else if (stop && *stop)
            code = pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted while the converter was calibrated");
        else if (silent_ms >= SILENT_MS)
            code = pb_fail(
                diag, PB_ERR_TIMEOUT,
                "the oscillator of the converter gave no edge for %d ms; the core is defective, flash "
                "the board again",
                SILENT_MS);
    }
    struct pb_diag later;
    const int ended = end(device, &events, code ? &later : diag);
    pb_events_free(&events);
    *oscillator_hz =
        rate.ticks ? (double)rate.edges * pb_device_info(device)->clock_hz / (double)rate.ticks : 0;
    return code ? code : ended;
}

int pb_tdc_calibrate(struct pb_tdc_table *table, struct pb_device *device, uint64_t hits,
                     const volatile sig_atomic_t *stop, struct pb_diag *diag)
{
    *table = (struct pb_tdc_table){.clock_hz = pb_device_info(device)->clock_hz};
    const int code = pb_tdc_taps(&table->taps, device, diag);
    if (code)
        return code;
    pb_tdc_bitstream(table->bitstream, pb_device_info(device), table->taps);
    return observe(table, &table->oscillator_hz, device, hits, stop, diag);
}

int pb_tdc_oscillator(double *oscillator_hz, struct pb_device *device, const volatile sig_atomic_t *stop,
                      struct pb_diag *diag)
{
    return observe(NULL, oscillator_hz, device, 0, stop, diag);
}

/* The name of a bitstream has both, but a table that was edited may contradict its own name. */
static int check_core(const struct pb_tdc_table *table, const struct pb_device_info *info, unsigned taps,
                      struct pb_diag *diag)
{
    char bitstream[PB_TDC_NAME];
    pb_tdc_bitstream(bitstream, info, taps);
    const int code = pb_tdc_check_bitstream(table, bitstream, diag);
    if (code)
        return code;
    if (table->clock_hz != info->clock_hz || table->taps != taps)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "table of the converter: is of %u taps and a clock of %" PRIu32
                       " Hz; the core has %u and %" PRIu32 " Hz; calibrate again",
                       table->taps, table->clock_hz, taps, info->clock_hz);
    return PB_OK;
}

int pb_tdc_begin(struct pb_tdc_watch *watch, struct pb_device *device, const volatile sig_atomic_t *stop,
                 struct pb_diag *diag)
{
    unsigned taps;
    double now_hz = 0;
    int code = pb_tdc_taps(&taps, device, diag);
    if (code)
        return code;
    code = check_core(&watch->table, pb_device_info(device), taps, diag);
    if (!code)
        code = pb_tdc_oscillator(&now_hz, device, stop, diag);
    return code ? code : pb_tdc_scale(&watch->scale, &watch->table, now_hz, diag);
}

/* ---- the table of a rig */

int pb_tdc_name_board(char name[PB_TDC_NAME], const char *url, struct pb_diag *diag)
{
    const struct pb_rig_target rig = pb_rig_target_of(url);
    const size_t length = strcspn(url, "?");
    if (length >= PB_TDC_NAME || (rig.kind == PB_RIG_FTDI && (!*rig.place || *rig.place == '?')))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig '%.80s': a table is that of one board, named in at most %d characters; give its "
                       "serial number, as in ftdi:SERIAL",
                       url, PB_TDC_NAME - 1);
    memcpy(name, url, length);
    name[length] = '\0';
    return PB_OK;
}

int pb_tdc_read_of_rig(struct pb_tdc_table *table, const char *path, const char *url, struct pb_diag *diag)
{
    char board[PB_TDC_NAME];
    const bool recorded = pb_rig_target_of(url).replays;
    const int code = recorded ? PB_OK : pb_tdc_name_board(board, url, diag);
    return code ? code : pb_tdc_read(table, path, recorded ? NULL : board, diag);
}
