/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * CSV by RFC 4180: comma, CR LF, a header line. Columns: phasebench-method(7).
 */
#include "host/base/table.h"
#include "phasebench/report.h"
#include "phasebench/suite.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

static void row(FILE *stream, const struct pb_result *result, const struct pb_hop_row *hop)
{
    char bytes[3 * sizeof hop->bytes];
    pb_table_put(stream, result->scenario);
    fprintf(stream, ",%" PRIu32 ",%u,%u,%u,%s,%s,%s,", hop->superframe, hop->phase, hop->dimension, hop->link,
            pb_address(hop->from, &result->network).text, pb_address(hop->to, &result->network).text,
            hop->sender == PB_SENDER_NODE ? "node" : "bench");
    if (hop->message != SIZE_MAX)
        fprintf(stream, "%zu,%s,%s,", hop->message, pb_address(hop->source, &result->network).text,
                pb_address(hop->destination, &result->network).text);
    else
        fputs(",,,", stream);
    fprintf(stream, "%d,%d,", hop->seen, hop->correct);
    if (hop->seen && hop->start_ps >= 0)
        fprintf(stream, "%" PRId64 ",%" PRId64 ",", hop->start_ps, hop->end_ps);
    else
        fputs(",,", stream);
    pb_hex(bytes, sizeof bytes, hop);
    fprintf(stream, "%u,%s\r\n", hop->byte_count, bytes);
}

int pb_csv_begin(FILE *stream)
{
    fputs("scenario,superframe,phase,dimension,link,from,to,sender,message,source,destination,seen,correct,"
          "start_ps,end_ps,byte_count,bytes\r\n",
          stream);
    return pb_stream_status(stream);
}

int pb_case_csv(FILE *stream, const struct pb_result *result)
{
    for (size_t i = 0; i < result->hops; i++)
        row(stream, result, &result->hop[i]);
    return pb_stream_status(stream);
}

int pb_report_csv(FILE *stream, const struct pb_result *result)
{
    pb_csv_begin(stream);
    return pb_case_csv(stream, result);
}
