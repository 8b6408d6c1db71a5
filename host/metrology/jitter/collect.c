/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/metrology/jitter/collect.h"
#include "host/base/room.h"
#include "phasebench/tdc.h"

#include <inttypes.h>
#include <stdlib.h>

/* NULL: of no use here. */
static struct jitter_series *series_of(struct pb_jitter_collector *collector, const struct pb_sample *sample)
{
    if (sample->figure == PB_FIGURE_CLOCK_PERIOD)
        return &collector->period;
    if (sample->figure == PB_FIGURE_SYNC_RISE || sample->figure == PB_FIGURE_SYNC_FALL)
        return sample->figure == PB_FIGURE_SYNC_RISE ? &collector->sync_rise : &collector->sync_fall;
    if (sample->link >= JITTER_LINKS)
        return NULL;
    return sample->figure == PB_FIGURE_NODE_START      ? &collector->start[sample->link]
           : sample->figure == PB_FIGURE_NODE_BIT_TIME ? &collector->bit_time[sample->link]
                                                       : NULL;
}

static void take(void *context, const struct pb_sample *sample)
{
    struct pb_jitter_collector *collector = context;
    struct jitter_series *series = series_of(collector, sample);
    if (!series)
        return;
    if (series->count == PB_JITTER_SAMPLES_MAX) {
        collector->left_out++;
        return;
    }
    if (pb_make_room(&series->sample, &series->capacity, series->count + 1, sizeof *series->sample)) {
        collector->incomplete = true;
        return;
    }
    series->sample[series->count++] = (struct jitter_sample){sample->phase, sample->time_ps, sample->value};
    series->step_ps = sample->step_ps > series->step_ps ? sample->step_ps : series->step_ps;
}

static void take_fine(void *context, const struct pb_fine_stamp *fine)
{
    struct pb_jitter_collector *collector = context;
    if (!collector->keeps_fine || fine->rises != collector->fine_rises)
        return;
    if (pb_make_room(&collector->fine_ps, &collector->fine_capacity, collector->fines + 1,
                     sizeof *collector->fine_ps)) {
        collector->incomplete = true;
        return;
    }
    collector->fine_ps[collector->fines++] = fine->time_ps;
}

void pb_jitter_keep_fine(struct pb_jitter_collector *collector, unsigned pin)
{
    collector->keeps_fine = true;
    collector->fine_pin = pin;
    collector->fine_rises = pin == PB_TDC_CLOCK;
}

struct pb_jitter_collector *pb_jitter_collect(void)
{
    return calloc(1, sizeof(struct pb_jitter_collector));
}

struct pb_sample_sink pb_jitter_sink(struct pb_jitter_collector *collector)
{
    return (struct pb_sample_sink){.take = take, .take_fine = take_fine, .context = collector};
}

void pb_jitter_collector_free(struct pb_jitter_collector *collector)
{
    if (!collector)
        return;
    free(collector->period.sample);
    free(collector->sync_rise.sample);
    free(collector->sync_fall.sample);
    free(collector->fine_ps);
    for (unsigned link = 0; link < JITTER_LINKS; link++) {
        free(collector->start[link].sample);
        free(collector->bit_time[link].sample);
    }
    free(collector);
}

static void write_series(FILE *stream, const struct jitter_series *series, enum pb_figure figure,
                         unsigned link)
{
    for (size_t i = 0; i < series->count; i++)
        fprintf(stream, "%s,%u,%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", pb_figure_id(figure), link,
                series->sample[i].phase, series->sample[i].time_ps, series->sample[i].value_ps,
                series->step_ps);
}

int pb_jitter_csv(FILE *stream, const struct pb_jitter_collector *collector)
{
    fputs("figure,link,phase,time_ps,value_ps,step_ps\n", stream);
    write_series(stream, &collector->period, PB_FIGURE_CLOCK_PERIOD, 0);
    write_series(stream, &collector->sync_rise, PB_FIGURE_SYNC_RISE, 0);
    write_series(stream, &collector->sync_fall, PB_FIGURE_SYNC_FALL, 0);
    for (unsigned link = 0; link < JITTER_LINKS; link++)
        write_series(stream, &collector->start[link], PB_FIGURE_NODE_START, link);
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
