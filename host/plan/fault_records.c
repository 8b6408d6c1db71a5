/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/fault_records.h"
#include "host/plan/fault_units.h"
#include "host/plan/node_map.h"
#include "host/plan/spoil.h"

#include <inttypes.h>
#include <stdlib.h>

#define PS_PER_S INT64_C(1000000000000)
#define PPM 1000000

enum {
    GAP_TICKS = 96,  /* a unit needs 90 between two faults */
    CLOSE_TICKS = 4, /* a forced level overlaps the one that follows it, so that there is no edge between */
    SYNC_TICKS = 16, /* an extra SYNC begins this long before the edge, and ends this long before the next */
    /* From an external edge at the pin to the edge that the core would have driven itself. Its pins are four
     * cycles after its phases, and its phases four cycles after the external pins (two of the synchroniser,
     * two of pb_phase_gen). */
    FOLLOW_TICKS = 8
};

uint64_t pb_plan_ticks(const struct pb_device_info *info, int64_t time_ps)
{
    return (uint64_t)(((unsigned __int128)time_ps * info->clock_hz + PS_PER_S / 2) / PS_PER_S);
}

uint64_t pb_plan_after_edge(const struct pb_scenario *scenario, uint64_t ticks)
{
    if (!scenario->follow)
        return ticks;
    return ticks > FOLLOW_TICKS ? ticks - FOLLOW_TICKS : 0;
}

static const char *name_of(const struct pb_fault *fault)
{
    return pb_fault_info(fault->kind)->id;
}

/* ---- records of the fault units */

/* A record while it is made. */
struct span {
    const struct pb_fault *fault;
    uint64_t instant;               /* superframe * phases + phase */
    uint64_t offset, length;        /* ticks */
    uint64_t begin_tick, busy_tick; /* from phase 0 of superframe 0; busy: until the unit may begin again */
    uint32_t parameter;
};

struct injector {
    struct pb_plan *plan;
    const struct pb_scenario *scenario;
    const struct pb_device_info *info;
    struct pb_diag *diag;
    bool drifts; /* the schedule itself does not keep to the nominal period */
};

/* Tick of a phase edge by the nominal schedule. */
static uint64_t edge_tick(const struct pb_plan *plan, uint64_t instant)
{
    return instant * plan->period_ticks + instant * plan->period_num / plan->period_den;
}

static int refuse_value(const struct injector *injector, const struct pb_fault *fault, const char *what,
                        uint64_t ticks, uint64_t least, uint64_t most)
{
    return pb_fail(injector->diag, PB_ERR_CONFIG,
                   "faults: '%s' in superframe %" PRIu32 ", phase %u: %s of %" PRIu64
                   " ticks; this core takes %" PRIu64 " to %" PRIu64 " at %" PRIu32 " Hz",
                   name_of(fault), fault->superframe, fault->phase, what, ticks, least, most,
                   injector->info->clock_hz);
}

/* Ticks of an amount that goes into the record's parameter. */
static int amount_ticks(const struct injector *injector, struct span *span, uint64_t most)
{
    const uint64_t ticks = pb_plan_ticks(injector->info, span->fault->amount_ps);
    span->parameter = (uint32_t)(ticks ? ticks : 1);
    return ticks > most ? refuse_value(injector, span->fault, "an amount", ticks, 1, most) : PB_OK;
}

/* Returns how much longer a phase becomes, in ticks / 65536. The clock is fast by ppm: its period is divided
 * by 1 + ppm / 10^6. */
static int drift_parameter(const struct injector *injector, struct span *span)
{
    const struct pb_plan *plan = injector->plan;
    const int64_t ppm = span->fault->ppm, most = PB_FAULT_DRIFT_CHANGE_MASK / 2;
    const __int128 period = (__int128)plan->period_ticks * plan->period_den + plan->period_num;
    const __int128 divisor = (__int128)(PPM + ppm) * plan->period_den;
    const __int128 scaled = -period * ppm * 65536;
    const int64_t longer = (int64_t)((scaled + (scaled < 0 ? -divisor / 2 : divisor / 2)) / divisor);
    if (longer > most || longer < -most)
        return pb_fail(injector->diag, PB_ERR_CONFIG,
                       "faults: 'drift' of %" PRId64 " ppm changes a phase of %" PRIu32
                       " ticks by 128 ticks or more; give less or raise phase_rate",
                       ppm, plan->period_ticks);
    span->parameter = PB_PUT(PB_FAULT_DRIFT_CHANGE, (uint32_t)longer);
    return PB_OK;
}

/* Computes begin and length of a fault of the clock pins, by the register map's list of fault kinds. */
static int clock_span(const struct injector *injector, struct span *span)
{
    const struct pb_plan *plan = injector->plan;
    const struct pb_fault *fault = span->fault;
    const uint64_t amount = pb_plan_ticks(injector->info, fault->amount_ps);
    const uint64_t before =
        span->instant ? edge_tick(plan, span->instant) - edge_tick(plan, span->instant - 1) : 0;
    const uint64_t period = edge_tick(plan, span->instant + 1) - edge_tick(plan, span->instant);
    int code = PB_OK;
    span->offset = 0;
    switch (fault->kind) {
    case PB_FAULT_LATE_EDGE:
        span->length = amount ? amount : 1;
        break;
    case PB_FAULT_EARLY_EDGE:
        span->instant--;
        span->offset = before - (amount ? amount : 1);
        span->length = before - span->offset + CLOSE_TICKS;
        break;
    case PB_FAULT_MISSING_EDGE:
        span->length = plan->high_ticks + CLOSE_TICKS;
        break;
    case PB_FAULT_EXTRA_EDGE:
        span->length = plan->period_ticks / 8;
        span->offset =
            plan->high_ticks + (plan->period_ticks - plan->high_ticks) / 2 - plan->period_ticks / 16;
        break;
    case PB_FAULT_MISSING_SYNC:
        span->length = period + CLOSE_TICKS;
        break;
    case PB_FAULT_EXTRA_SYNC:
        span->instant--;
        span->offset = before - SYNC_TICKS;
        span->length = period;
        break;
    case PB_FAULT_JITTER:
        code = amount_ticks(injector, span, PB_FAULT_JITTER_RANGE_MASK);
        span->parameter = PB_PUT(PB_FAULT_JITTER_RANGE, span->parameter) |
                          PB_PUT(PB_FAULT_JITTER_SHAPE, fault->shape == PB_JITTER_GAUSSIAN) |
                          PB_PUT(PB_FAULT_JITTER_SEED, fault->seed);
        break;
    default:
        code = drift_parameter(injector, span);
        break;
    }
    return code;
}

static int make_span(const struct injector *injector, const struct pb_fault *fault, struct span *span)
{
    const struct pb_plan *plan = injector->plan;
    const bool on_clock = pb_fault_info(fault->kind)->place == PB_FAULT_ON_CLOCK;
    *span = (struct span){
        .fault = fault,
        .instant = (uint64_t)fault->superframe * plan->phase_count + fault->phase,
        .offset = pb_plan_after_edge(injector->scenario, pb_plan_ticks(injector->info, fault->at_ps)),
        .length = pb_plan_ticks(injector->info, fault->length_ps),
    };
    if (span->offset >= plan->period_ticks)
        span->offset = plan->period_ticks - 1;
    if (span->length == 0)
        span->length = 1;
    int code = PB_OK;
    if (on_clock)
        code = clock_span(injector, span);
    else if (fault->kind == PB_FAULT_SLOW_RISE || fault->kind == PB_FAULT_SECOND_DRIVER)
        code = amount_ticks(injector, span, PB_FAULT_TICKS_TICKS_MASK);
    if (code != PB_OK)
        return code;
    const bool lasts = fault->kind == PB_FAULT_JITTER || fault->kind == PB_FAULT_DRIFT;
    if (span->offset > PB_FAULT_RECORD_OFFSET_MASK)
        return refuse_value(injector, fault, "a start", span->offset, 0, PB_FAULT_RECORD_OFFSET_MASK);
    if (span->length >= PB_FAULT_LENGTH_ENDLESS)
        return refuse_value(injector, fault, "a length", span->length, 1, PB_FAULT_LENGTH_ENDLESS - 1);
    if (lasts && !fault->length_ps)
        span->length = PB_FAULT_LENGTH_ENDLESS;
    span->begin_tick = edge_tick(plan, span->instant) + span->offset;
    span->busy_tick =
        span->length == PB_FAULT_LENGTH_ENDLESS ? UINT64_MAX : span->begin_tick + span->length + GAP_TICKS;
    if (injector->drifts && span->length != PB_FAULT_LENGTH_ENDLESS)
        span->busy_tick += span->length / 32;
    return PB_OK;
}

static void write_record(const struct injector *injector, const struct span *span, unsigned unit)
{
    const struct pb_fault *fault = span->fault;
    const struct pb_scenario *scenario = injector->scenario;
    struct pb_plan *plan = injector->plan;
    struct pb_fault_record *record = &plan->fault[plan->faults++];
    const bool on_clock = pb_fault_info(fault->kind)->place == PB_FAULT_ON_CLOCK;
    *record = (struct pb_fault_record){.instant = span->instant, .unit = unit};
    PB_BYTES_PUT(PB_FAULT_RECORD_KIND, record->bytes, fault->kind);
    PB_BYTES_PUT(PB_FAULT_RECORD_LINK, record->bytes,
                 on_clock ? PB_FAULT_CLOCK_LINK : pb_link_of(scenario, fault->node_index, fault->dimension));
    PB_BYTES_PUT(PB_FAULT_RECORD_PHASE, record->bytes, (uint32_t)(span->instant % plan->phase_count));
    PB_BYTES_PUT(PB_FAULT_RECORD_SUPERFRAME, record->bytes, (uint32_t)(span->instant / plan->phase_count));
    PB_BYTES_PUT(PB_FAULT_RECORD_NUMBER, record->bytes, fault->number);
    PB_BYTES_PUT(PB_FAULT_RECORD_OFFSET, record->bytes, (uint32_t)span->offset);
    if (fault->kind == PB_FAULT_SHORT)
        PB_BYTES_PUT(PB_FAULT_RECORD_OTHER, record->bytes,
                     pb_link_of(scenario, fault->other_node, fault->other_dimension));
    PB_BYTES_PUT(PB_FAULT_RECORD_LENGTH, record->bytes, (uint32_t)span->length);
    PB_BYTES_PUT(PB_FAULT_RECORD_PARAMETER, record->bytes, span->parameter);
}

static int by_begin(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->begin_tick != b->begin_tick)
        return a->begin_tick < b->begin_tick ? -1 : 1;
    return a->fault->number < b->fault->number ? -1 : a->fault->number > b->fault->number;
}

static int refuse_overlap(const struct injector *injector, const struct span *span, size_t at)
{
    unsigned together = 1;
    for (size_t i = 0; i < at; i++)
        together += span[i].busy_tick > span[at].begin_tick;
    return pb_fail(injector->diag, PB_ERR_CONFIG,
                   "faults: %u act at the same time in superframe %" PRIu32 ", phase %u (or follow within %d "
                   "ticks), the core has %u fault units; move them apart",
                   together, span[at].fault->superframe, span[at].fault->phase, GAP_TICKS,
                   injector->info->faults);
}

/* Gives each to the unit that has been free for longest, so that the units' buffers fill alike. */
static int assign(const struct injector *injector, const struct span *span, size_t count)
{
    uint64_t free_tick[PB_SHAPE_FAULTS_MASK] = {0};
    const unsigned units =
        injector->info->faults < PB_SHAPE_FAULTS_MASK ? injector->info->faults : PB_SHAPE_FAULTS_MASK;
    for (size_t i = 0; i < count; i++) {
        unsigned unit = 0;
        for (unsigned other = 1; other < units; other++)
            if (free_tick[other] < free_tick[unit])
                unit = other;
        if (free_tick[unit] > span[i].begin_tick)
            return refuse_overlap(injector, span, i);
        free_tick[unit] = span[i].busy_tick;
        write_record(injector, &span[i], unit);
    }
    return PB_OK;
}

int pb_plan_fault_records(struct pb_plan *plan, const struct pb_scenario *scenario,
                          const struct pb_device_info *info, struct pb_diag *diag)
{
    struct injector injector = {.plan = plan, .scenario = scenario, .info = info, .diag = diag};
    const struct pb_fault *impossible = NULL;
    size_t count = 0;
    int code = PB_OK;
    for (unsigned i = 0; i < scenario->fault_count; i++)
        injector.drifts |= scenario->fault[i].kind == PB_FAULT_DRIFT;
    struct span *span = calloc(scenario->fault_count + 1, sizeof *span);
    plan->fault = calloc(scenario->fault_count + 1, sizeof *plan->fault);
    if (!span || !plan->fault)
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory for the plan");
    for (unsigned i = 0; i < scenario->fault_count && !code; i++) {
        if (pb_fault_info(scenario->fault[i].kind)->place == PB_FAULT_ON_FRAME)
            continue;
        if (!impossible && !pb_core_injects(info, scenario->fault[i].kind))
            impossible = &scenario->fault[i];
        code = make_span(&injector, &scenario->fault[i], &span[count++]);
    }
    if (!code && impossible && !info->faults)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "faults: '%s' needs a fault unit, this core has 0 of them; only faults of slot frames "
                       "are possible on it",
                       name_of(impossible));
    else if (!code && impossible)
        code =
            pb_fail(diag, PB_ERR_CONFIG,
                    "faults: '%s' needs fault units that follow the level of a line, those of this core do "
                    "not; short and slow_rise are not possible on it",
                    name_of(impossible));
    if (!code) {
        qsort(span, count, sizeof *span, by_begin);
        code = assign(&injector, span, count);
    }
    free(span);
    return code;
}

int pb_plan_sync_held(struct pb_fault_record *record, const struct pb_plan *plan,
                      const struct pb_scenario *scenario, const struct pb_device_info *info,
                      struct pb_diag *diag)
{
    const struct pb_fault fault = {.kind = PB_FAULT_MISSING_SYNC};
    struct pb_plan one = *plan;
    const struct injector injector = {.plan = &one, .scenario = scenario, .info = info, .diag = diag};
    struct span span;
    one.fault = record;
    one.faults = 0;
    const int code = make_span(&injector, &fault, &span);
    if (!code)
        write_record(&injector, &span, 0);
    return code;
}

/* ---- slot frames */

const struct pb_fault *pb_plan_frame_fault(const struct pb_scenario *scenario, unsigned node_index,
                                           unsigned dimension, uint32_t superframe, unsigned phase)
{
    const struct pb_fault *fault = scenario->fault;
    unsigned low = 0, high = scenario->fault_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (fault[middle].superframe < superframe ||
            (fault[middle].superframe == superframe && fault[middle].phase < phase))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < scenario->fault_count && fault[low].superframe == superframe && fault[low].phase == phase;
         low++)
        if (pb_fault_info(fault[low].kind)->place == PB_FAULT_ON_FRAME &&
            fault[low].node_index == node_index && fault[low].dimension == dimension)
            return &fault[low];
    return NULL;
}

static int other_baud(struct pb_stimulus *stimulus, const struct pb_fault *fault,
                      const struct pb_scenario *scenario, const struct pb_device_info *info,
                      struct pb_diag *diag)
{
    const uint64_t scaled_baud = scenario->baud_hz * (uint64_t)(PPM + fault->ppm);
    const uint64_t period =
        (uint64_t)(((unsigned __int128)16 * PPM * info->clock_hz + scaled_baud / 2) / scaled_baud);
    if (period < 16 * PB_DEVICE_BIT_TICKS_MIN || period >= 16 * PB_DEVICE_BIT_TICKS_TOP)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "faults: 'baud' of %d ppm is out of reach of a core at %" PRIu32
                       " Hz: a bit has %d to %d ticks; give less",
                       (int)fault->ppm, info->clock_hz, PB_DEVICE_BIT_TICKS_MIN, PB_DEVICE_BIT_TICKS_TOP - 1);
    stimulus->bit_period_q4 = (uint32_t)period;
    return PB_OK;
}

/* A core rounds the bit time to a sixteenth of a tick, so a frame may be longer than the scenario says. */
static int check_end(const struct pb_stimulus *stimulus, const struct pb_scenario *scenario,
                     const struct pb_device_info *info, struct pb_diag *diag)
{
    const int64_t phase_ps = (int64_t)(UINT64_C(1000) * PS_PER_S / scenario->phase_rate_mhz);
    const uint64_t end_q4 =
                       16 * (uint64_t)stimulus->offset_ticks + 10 * stimulus->count * stimulus->bit_period_q4,
                   phase_q4 = 16 * pb_plan_ticks(info, phase_ps);
    if (end_q4 <= phase_q4)
        return PB_OK;
    return pb_fail(diag, PB_ERR_CONFIG,
                   "faults: '%s' of superframe %" PRIu32
                   ", phase %u ends %.3f us after its phase; a bit of this "
                   "core takes %.4f ticks; let it start earlier, or give it fewer bytes",
                   name_of(stimulus->fault), stimulus->fault->superframe, stimulus->fault->phase,
                   (double)(end_q4 - phase_q4) / 16e-6 / info->clock_hz, stimulus->bit_period_q4 / 16.0);
}

int pb_plan_spoil(struct pb_stimulus *stimulus, const struct pb_fault *fault,
                  const struct pb_scenario *scenario, const struct pb_device_info *info, struct pb_diag *diag)
{
    const uint64_t amount = pb_plan_ticks(info, fault->amount_ps);
    int code = PB_OK;
    stimulus->fault = fault;
    pb_spoil(scenario, fault, stimulus->bytes, &stimulus->count);
    switch (fault->kind) {
    case PB_FAULT_BAUD:
        code = other_baud(stimulus, fault, scenario, info, diag);
        break;
    case PB_FAULT_EARLY_START:
        stimulus->offset_ticks -=
            (uint32_t)(amount < stimulus->offset_ticks ? amount : stimulus->offset_ticks);
        break;
    case PB_FAULT_LATE_START:
        stimulus->offset_ticks += (uint32_t)amount;
        break;
    case PB_FAULT_BABBLE:
        stimulus->offset_ticks = (uint32_t)pb_plan_after_edge(scenario, pb_plan_ticks(info, fault->at_ps));
        break;
    default: /* its bytes, or its mark, say it all */
        break;
    }
    if (stimulus->offset_ticks > PB_PLAY_RECORD_OFFSET_MASK)
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "faults: '%s' starts %" PRIu32 " ticks after its phase edge; the core's limit is %u",
                       name_of(fault), stimulus->offset_ticks, PB_PLAY_RECORD_OFFSET_MASK);
    return code ? code : check_end(stimulus, scenario, info, diag);
}
