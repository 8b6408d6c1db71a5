/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Data for the script of the page (timeline.js): every transmission that the result keeps, one short row
 * each. All texts are numbers or words of the program, none is of a scenario or a node, so nothing needs an
 * escape.
 */
#include "html.h"
#include "render.h"

#include "phasebench/scenario.h"

#include <inttypes.h>
#include <string.h>

#define PS_PER_S 1e12

struct data {
    FILE *stream;
    const struct pb_result *result;
    const struct pb_link_row *row;
    size_t rows;
    const char *separator;
};

static void next(struct data *data)
{
    fputs(data->separator, data->stream);
    data->separator = ",\n";
}

static uint64_t phase_number(const struct pb_result *result, uint64_t superframe, unsigned phase)
{
    return superframe * result->network.phases + phase;
}

static bool is_cut(const struct pb_result *result)
{
    return result->hops_total > result->hops;
}

/* Number of phases in the picture from the begin of the run on. */
static uint64_t phases_held(const struct pb_result *result, uint32_t superframe)
{
    const uint64_t shown = phase_number(result, (uint64_t)superframe + 1, 0);
    uint64_t held = phase_number(result, result->superframes, 0);
    if (result->hops && (is_cut(result) || *result->incomplete)) {
        const struct pb_hop_row *last = &result->hop[result->hops - 1];
        held = phase_number(result, last->superframe, last->phase) + 1;
    }
    return held > shown ? held : shown;
}

/* The gap between the first transmissions and those around the first finding; false: there is none. */
static bool gap(const struct pb_result *result, uint64_t *from, uint64_t *to)
{
    if (!is_cut(result) || result->hops <= PB_HOPS_FIRST)
        return false;
    const struct pb_hop_row *last = &result->hop[PB_HOPS_FIRST - 1], *next_one = last + 1;
    *from = phase_number(result, last->superframe, last->phase) + 1;
    *to = phase_number(result, next_one->superframe, 0);
    return *from < *to;
}

static void bound(const struct data *data)
{
    const struct pb_result *result = data->result;
    uint64_t from, to;
    if (gap(result, &from, &to))
        fprintf(data->stream,
                ",\"gap\":[%" PRIu64 ",%" PRIu64 "],\n\"bound\":\"The page holds the first %d of %" PRIu64
                " transmissions, and %zu from superframe %" PRIu32 " on.\"",
                from, to, PB_HOPS_FIRST, result->hops_total, result->hops - PB_HOPS_FIRST,
                result->hop[PB_HOPS_FIRST].superframe);
    else if (is_cut(result))
        fprintf(data->stream, ",\"bound\":\"The page holds the first %zu of %" PRIu64 " transmissions.\"",
                result->hops, result->hops_total);
}

static void settings(const struct data *data, uint32_t superframe)
{
    const struct pb_result *result = data->result;
    fprintf(data->stream,
            "{\"phases\":%u,\"phase_ps\":%" PRId64 ",\"head_ps\":%" PRId64 ",\"tail_ps\":%" PRId64
            ",\"superframe\":%" PRIu32 ",\"held\":%" PRIu64,
            result->network.phases, result->phase_ps, result->head_guard_ps,
            result->guard_ps - result->head_guard_ps, superframe, phases_held(result, superframe));
    fprintf(data->stream, ",\"bit_ps\":%.3f,\"header\":%u,\"payload\":%u,\"frame\":%u",
            result->baud_hz ? PS_PER_S / (double)result->baud_hz : 1.0, pb_codec_header_bytes(result->codec),
            result->payload_bytes, result->frame_bytes);
    fputs(",\"dims\":[", data->stream); /* the first phase of each, and the end of the last */
    for (unsigned digit = 0; digit < result->network.digits; digit++)
        fprintf(data->stream, "%u,", result->network.first_phase[digit]);
    fprintf(data->stream, "%u]", result->network.phases);
    bound(data);
}

static void rows(struct data *data)
{
    const struct pb_network *network = &data->result->network;
    for (size_t i = 0; i < data->rows; i++) {
        next(data);
        fprintf(data->stream, "[%u,\"%s\",\"%s\"]", data->row[i].link,
                pb_address(data->row[i].low, network).text, pb_address(data->row[i].high, network).text);
    }
}

/* [superframe, phase, row, state + 4 by the bench + 8 from the end with the greater address, message or -1,
 * start and end in ns from the phase edge, bytes]; the last three only of what was seen. */
static void frame(struct data *data, const struct pb_hop_row *hop)
{
    size_t row = 0;
    while (row < data->rows && !pb_hop_is_on(hop, &data->row[row]))
        row++;
    if (row == data->rows || hop->phase >= data->result->network.phases)
        return;
    next(data);
    fprintf(data->stream, "[%" PRIu32 ",%u,%zu,%d,", hop->superframe, hop->phase, row,
            (int)pb_hop_state(hop) + (hop->sender == PB_SENDER_BENCH ? 4 : 0) +
                (hop->from == data->row[row].high ? 8 : 0));
    if (hop->message == SIZE_MAX)
        fputs("-1", data->stream);
    else
        fprintf(data->stream, "%zu", hop->message);
    if (hop->seen) {
        fprintf(data->stream, ",%.0f,%.0f,\"", (double)hop->start_ps / 1e3, (double)hop->end_ps / 1e3);
        for (unsigned i = 0; i < hop->byte_count && i < sizeof hop->bytes; i++)
            fprintf(data->stream, "%02X", hop->bytes[i]);
        fputc('"', data->stream);
    }
    fputc(']', data->stream);
}

static void findings(struct data *data)
{
    const struct pb_result *result = data->result;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->phase >= result->network.phases)
            continue;
        next(data);
        fprintf(data->stream, "[%" PRIu32 ",%u,%d,%d,\"%s\"]", finding->superframe, finding->phase,
                finding->link, pb_finding_rank(finding), pb_finding_text(finding->kind));
    }
}

static void faults(struct data *data)
{
    const struct pb_result *result = data->result;
    for (size_t i = 0; i < result->faults; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        if (fault->phase >= result->network.phases)
            continue;
        next(data);
        fprintf(data->stream, "[%" PRIu32 ",%u,%d,%d,%zu,\"%s, %s\"]", fault->superframe, fault->phase,
                fault->link, fault->other_link, i, pb_fault_id(fault->kind), pb_fault_found_text(fault).text);
    }
}

static void member(struct data *data, const char *name)
{
    fprintf(data->stream, "%s,\n\"%s\":[\n", strcmp(name, "rows") ? "]" : "", name);
    data->separator = "";
}

void pb_html_timeline_data(FILE *stream, const struct pb_result *result, uint32_t superframe,
                           const struct pb_link_row *row, size_t count)
{
    struct data data = {stream, result, row, count, ""};
    fputs("<script type=\"application/json\">\n", stream);
    settings(&data, superframe);
    member(&data, "rows");
    rows(&data);
    member(&data, "frames");
    for (size_t i = 0; i < result->hops; i++)
        frame(&data, &result->hop[i]);
    member(&data, "findings");
    findings(&data);
    member(&data, "faults");
    faults(&data);
    fputs("]}\n</script>\n", stream);
}
