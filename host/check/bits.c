/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the place of every edge of a frame against its limit. A violation is named after the simplest cause
 * that explains all of them: bits that are all too long or too short (baud_error), else bit_shape.
 */
#include "host/check/classify.h"
#include "host/check/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_beyond(const struct pb_shape *shape)
{
    return shape->beyond_ps > -shape->u95_ps;
}

/* Whether every edge is within 1/8 bit of its place, computed with the measured bit time of the sender. The
 * clock of a sender displaces no edge by more. */
static bool explains_all(const struct pb_shape_view *view, double stretch, bool bytes)
{
    struct pb_shape_view scaled = *view;
    struct pb_shape worst;
    scaled.stretch = stretch;
    scaled.stretch_bytes = bytes;
    return !pb_shape_farthest(&scaled, &worst) ||
           (double)(llabs(worst.apart_ps) - worst.u95_ps) <= view->bit_ps / 8;
}

static bool contradicts(const struct pb_shape_view *view, const struct pb_shape *worst)
{
    return worst->boundary < PB_SHAPE_BITS &&
           (double)(llabs(worst->apart_ps) - 2 * worst->u95_ps) > view->bit_ps / 2;
}

/* Pairs the edges of the line with those of the received bytes, so that the edges are also judged if the
 * bytes are not the expected ones. */
static bool pair(struct pb_shape_view *view, struct pb_frame_edges *edges, const struct pb_slot_seen *seen,
                 unsigned count)
{
    view->frame = edges;
    if (seen->bad_stop >= 0 || !seen->byte_count || seen->byte_count > PB_FRAME_MAX)
        return false;
    pb_frame_edges(edges, seen->byte, seen->byte_count);
    if (!pb_shape_pair(view))
        return false;
    /* A frame that is cut off is so within a bit of its last byte. */
    while (seen->byte_count < count && edges->count &&
           edges->bit[edges->count - 1] > PB_SHAPE_BITS * (seen->byte_count - 1))
        edges->count--;
    return true;
}

/* Of frames at the pin of their sender; -1 at another. */
static int measure(struct pb_check_output *out, struct pb_line_slot *slot, enum pb_figure node,
                   enum pb_figure bench, const struct pb_reading *reading)
{
    const struct pb_expected_frame *expected = &slot->expected;
    return expected->through_fabric
               ? -1
               : pb_measure_take(&out->measure, expected->sender == PB_SENDER_BENCH ? bench : node,
                                 slot->link, reading);
}

/* A bit time as a share of the nominal one, against the limit of a node. */
static struct pb_reading bit_time_reading(double stretch, double u95)
{
    const int64_t limit_ppb = INT64_C(1000) * PB_BIT_TIME_LIMIT_PPM;
    struct pb_reading reading = {.value = llround(stretch * 1e9),
                                 .u95 = llround(u95 * 1e9),
                                 .lower = -limit_ppb,
                                 .upper = limit_ppb};
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    return reading;
}

static struct pb_finding *report_bit_time(struct pb_check_output *out, struct pb_line_slot *slot,
                                          const struct pb_reading *reading, const char *where)
{
    struct pb_finding *finding =
        pb_slot_report(out, slot,
                       &(struct pb_claim){.kind = PB_FINDING_BAUD,
                                          .at_ps = slot->seen.first_low_ps,
                                          .sender = (int)slot->expected.sender,
                                          .marginal = reading->judgement == PB_JUDGED_MARGINAL});
    pb_finding_expected(finding, "bit time%s within %.2f %% of nominal", where, PB_BIT_TIME_LIMIT_PPM / 1e4);
    pb_finding_seen(finding, "off by %.2f %% (U95 %.2f %%)", (double)reading->value / 1e7,
                    (double)reading->u95 / 1e7);
    return finding;
}

/* Of the frame. */
static int measure_frame(struct pb_check_output *out, struct pb_line_slot *slot, struct pb_reading *reading)
{
    pb_slot_place(out, slot, reading);
    return measure(out, slot, PB_FIGURE_NODE_BIT_TIME, PB_FIGURE_BENCH_BIT_TIME, reading);
}

static struct pb_finding *report_baud(struct pb_check_output *out, struct pb_line_slot *slot, double stretch,
                                      double u95)
{
    struct pb_reading reading = bit_time_reading(stretch, u95);
    reading.judgement = PB_JUDGED_FAIL;
    struct pb_finding *finding = report_bit_time(out, slot, &reading, "");
    finding->measurement = measure_frame(out, slot, &reading);
    return finding;
}

/* The bit time of a node's frame whose rises are all late, without that. NULL: within its limit. */
static struct pb_finding *judge_frame_time(struct pb_check_output *out, struct pb_line_slot *slot,
                                           const struct pb_shape_view *view,
                                           const struct pb_classification *named)
{
    struct pb_shape_view released = *view;
    double stretch, u95;
    released.rise_ps = named->late_ps;
    if (named->fits || !named->late_ps || slot->expected.sender != PB_SENDER_NODE ||
        slot->expected.through_fabric || !pb_shape_stretch(&released, &stretch, &u95))
        return NULL;
    struct pb_reading reading = bit_time_reading(stretch, u95);
    const int measurement = measure_frame(out, slot, &reading);
    if (reading.judgement == PB_JUDGED_PASS)
        return NULL;
    struct pb_finding *finding = report_bit_time(out, slot, &reading, "");
    finding->measurement = measurement;
    return finding;
}

/* The bit time within the bytes of a node's frame: of all bytes, or of a byte that alone exceeds the
 * limit. */
static struct pb_finding *judge_bits(struct pb_check_output *out, struct pb_line_slot *slot,
                                     const struct pb_shape_view *view)
{
    struct pb_shape_bits bits;
    char where[40] = " within the bytes";
    if (slot->expected.sender != PB_SENDER_NODE || slot->expected.through_fabric ||
        !pb_shape_bits(view, &bits))
        return NULL;
    struct pb_reading reading = bit_time_reading(bits.stretch, bits.u95);
    const struct pb_reading alone = bit_time_reading(bits.byte_stretch, bits.byte_u95);
    if (alone.judgement == PB_JUDGED_FAIL && reading.judgement != PB_JUDGED_FAIL) {
        reading = alone;
        snprintf(where, sizeof where, " within byte %u", bits.byte);
    }
    const int measurement = pb_measure_take(&out->measure, PB_FIGURE_NODE_BYTE_TIME, slot->link, &reading);
    if (reading.judgement == PB_JUDGED_PASS)
        return NULL;
    struct pb_finding *finding = report_bit_time(out, slot, &reading, where);
    finding->measurement = measurement;
    return finding;
}

static int measure_shape(struct pb_check_output *out, struct pb_line_slot *slot, const struct pb_shape *shape)
{
    const struct pb_reading reading = {.value = -shape->beyond_ps,
                                       .u95 = shape->u95_ps,
                                       .lower = 0,
                                       .upper = PB_ABSENT,
                                       .judgement = pb_decide_u95(-shape->beyond_ps, shape->u95_ps)};
    return measure(out, slot, PB_FIGURE_NODE_BIT_SHAPE, PB_FIGURE_BENCH_BIT_SHAPE, &reading);
}

/* all_late: so is every rise of the frame. */
static struct pb_finding *report_shape(struct pb_check_output *out, struct pb_line_slot *slot,
                                       const struct pb_shape *shape, bool all_late)
{
    struct pb_finding *finding =
        pb_slot_report(out, slot,
                       &(struct pb_claim){.kind = all_late ? PB_FINDING_SLOW_RISE : PB_FINDING_BIT_SHAPE,
                                          .at_ps = shape->ps,
                                          .sender = (int)slot->expected.sender,
                                          .marginal = shape->beyond_ps <= shape->u95_ps});
    finding->measurement = measure_shape(out, slot, shape);
    const bool next = shape->boundary == PB_SHAPE_BITS;
    finding->bit = (int)(PB_SHAPE_BITS * shape->byte + shape->boundary);
    pb_finding_expected(finding, "%s %u at most %.1f ns %s, %u bit times after the start edge of byte %u",
                        next          ? "start edge of byte"
                        : shape->high ? "rising edge before bit"
                                      : "falling edge before bit",
                        next ? shape->byte + 1 : shape->boundary, (double)llabs(shape->limit_ps) / 1e3,
                        shape->apart_ps < 0 ? "early" : "late", shape->boundary, shape->byte);
    pb_finding_seen(finding, "%s%.1f ns %s (U95 %.1f ns)", all_late ? "it rises " : "",
                    (double)llabs(shape->apart_ps) / 1e3, shape->apart_ps < 0 ? "early" : "late",
                    (double)shape->u95_ps / 1e3);
    return finding;
}

bool pb_judge_bits(struct pb_check_output *out, struct pb_line_slot *slot, unsigned count,
                   const struct pb_classification *named, struct pb_finding **finding)
{
    struct pb_frame_edges edges;
    struct pb_shape_view view = {.wave = &slot->wave,
                                 .bit_ps = (double)PB_PS_PER_S / (double)out->run->scenario->baud_hz};
    struct pb_shape worst;
    double stretch = 0, u95 = 0;
    if (named->kind == PB_FINDING_SLOW_RISE)
        view.rise_ps = named->late_ps;
    if (!pair(&view, &edges, &slot->seen, count))
        return false;
    const bool measured = pb_shape_stretch(&view, &stretch, &u95);
    if (named->kind == PB_FINDING_BAUD && measured && explains_all(&view, stretch, false))
        return false;
    /* The receiver samples in the middle of the bits: edges half a bit off would have given other bytes. */
    if (!pb_shape_worst(&view, &worst) || contradicts(&view, &worst))
        return false;
    const double limit = PB_BIT_TIME_LIMIT_PPM / 1e6;
    if (is_beyond(&worst) && measured && fabs(stretch) - u95 > limit &&
        explains_all(&view, stretch, false)) {
        *finding = report_baud(out, slot, stretch, u95);
        return true;
    }
    if (named->kind == PB_FINDING_KINDS && worst.beyond_ps <= worst.u95_ps) {
        *finding = judge_frame_time(out, slot, &view, named);
        if (!*finding)
            *finding = judge_bits(out, slot, &view);
    }
    if (*finding || !is_beyond(&worst)) {
        measure_shape(out, slot, &worst);
        return *finding;
    }
    if (worst.beyond_ps > worst.u95_ps && pb_shape_byte_stretch(&view, &stretch) && fabs(stretch) > limit &&
        explains_all(&view, stretch, true)) {
        *finding = report_baud(out, slot, stretch, u95);
        return true;
    }
    *finding = report_shape(out, slot, &worst, named->late_ps && worst.high && worst.apart_ps > 0);
    return true;
}
