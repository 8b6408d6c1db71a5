/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One row for each value, in the order of the steps. Columns: docs/use/validate.md.
 */
#include "host/base/table.h"
#include "validation_parts.h"

#include <inttypes.h>

static void number(FILE *stream, int64_t value)
{
    fputc(',', stream);
    if (value != PB_ABSENT)
        fprintf(stream, "%" PRId64, value);
}

static void text(FILE *stream, const char *field)
{
    fputc(',', stream);
    pb_table_put(stream, field);
}

static void row(FILE *stream, const struct pb_validation *validation, const struct pb_step *step,
                const struct pb_item_value *value)
{
    const int place[] = {value->node, value->link, value->port};
    const int64_t numbers[] = {value->value, value->min,   value->mean,  value->max,   value->sd,
                               value->u95,   value->lower, value->upper, value->margin};
    pb_table_put(stream, validation->unit);
    text(stream, step->id);
    text(stream, pb_step_state_name(step->state));
    text(stream, value->name);
    text(stream, pb_item_id((int)value->item));
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
        number(stream, place[i] < 0 ? PB_ABSENT : place[i]);
    fprintf(stream, ",%" PRIu64 ",%s", value->n, pb_unit_name(pb_item_unit(value->item)));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        number(stream, numbers[i]);
    text(stream, pb_judgement_name(value->judgement));
    text(stream, value->note);
    fputs("\r\n", stream);
}

int pb_report_validation_csv(FILE *stream, const struct pb_validation *validation)
{
    fputs("unit_under_test,step,state,name,item,node,link,port,n,unit,value,min,mean,max,sd,u95,lower,upper,"
          "margin,judgement,note\r\n",
          stream);
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        const struct pb_item_value *value;
        size_t next = 0;
        while ((value = pb_step_value(validation, step, &next)) != NULL)
            row(stream, validation, step, value);
    }
    return pb_stream_status(stream);
}
