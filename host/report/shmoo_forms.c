/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/form.h"
#include "phasebench/shmoo.h"
#include "render.h"

#include <inttypes.h>

const char *pb_shmoo_payload_is(const struct pb_shmoo *shmoo)
{
    return shmoo->scenario->program ? "that of the program" : "what fits at the operating point";
}

/* ---- text */

static void print_margin(FILE *stream, const struct pb_shmoo *shmoo, unsigned axis)
{
    const struct pb_shmoo_axis *of = &shmoo->axis[axis];
    struct pb_shmoo_margin margin;
    if (!pb_shmoo_margin(shmoo, axis, &margin))
        return;
    fprintf(stream, "margin       %s: %s%.6g %s downwards, %s%.6g %s upwards\n", of->place,
            margin.below_found ? "" : "more than ", margin.below, of->unit,
            margin.above_found ? "" : "more than ", margin.above, of->unit);
}

int pb_report_shmoo_text(FILE *stream, const struct pb_shmoo *shmoo)
{
    const struct pb_shmoo_axis *x = &shmoo->axis[0], *y = &shmoo->axis[1];
    char text[PB_SHMOO_TEXT];
    fprintf(stream,
            "shmoo        %s\nacross       %s, %g to %g %s\nup           %s, %g to %g %s\n"
            "points       %u x %u, %u of them run; %s\n",
            shmoo->scenario->name, x->place, x->from, x->to, x->unit, y->place, y->from, y->to, y->unit,
            shmoo->steps + 1, shmoo->steps + 1, shmoo->runs,
            shmoo->stopped ? "then it was stopped" : "the others lie between points that agree");
    if (shmoo->holds_frame)
        fprintf(stream, "payload      %u bytes at every point: %s\n\n", shmoo->scenario->payload_bytes,
                pb_shmoo_payload_is(shmoo));
    else
        fputc('\n', stream);
    for (unsigned row = shmoo->steps + 1; row-- > 0;) {
        pb_shmoo_axis_value(y, shmoo->steps, row, text);
        fprintf(stream, "%16s  ", text);
        for (unsigned column = 0; column <= shmoo->steps; column++)
            fputc(pb_shmoo_is_operating(shmoo, column, row) ? '@'
                                                            : pb_shmoo_sign(pb_shmoo_at(shmoo, column, row)),
                  stream);
        fputc('\n', stream);
    }
    char last[PB_SHMOO_TEXT];
    pb_shmoo_axis_value(x, shmoo->steps, 0, text);
    pb_shmoo_axis_value(x, shmoo->steps, shmoo->steps, last);
    fprintf(stream, "%18s%-*s  %s\n\n", "", (int)shmoo->steps - 2, text, last);
    fputs("+ pass, m marginal, X fail, ? inconclusive, - refused, @ operating point\n"
          "not run, between points that agree: . pass, : marginal, x fail, ~ inconclusive, _ refused\n",
          stream);
    if (pb_shmoo_operating(shmoo) != PB_SHMOO_UNKNOWN)
        fprintf(stream, "operates at  %g %s, %g %s: %s\n", x->point, x->unit, y->point, y->unit,
                pb_shmoo_state_name(pb_shmoo_operating(shmoo)));
    print_margin(stream, shmoo, 0);
    print_margin(stream, shmoo, 1);
    return pb_stream_status(stream);
}

/* ---- JSON and CSV */

static json_t *axis_json(const struct pb_shmoo *shmoo, unsigned axis)
{
    const struct pb_shmoo_axis *of = &shmoo->axis[axis];
    struct pb_shmoo_margin margin;
    json_t *object =
        json_pack("{s:s, s:s, s:f, s:f}", "key", of->place, "unit", of->unit, "from", of->from, "to", of->to);
    if (of->placed)
        pb_form_set(object, "operating_point", json_real(of->point));
    if (pb_shmoo_margin(shmoo, axis, &margin)) {
        pb_form_set(object, "margin_below", margin.below_found ? json_real(margin.below) : json_null());
        pb_form_set(object, "margin_above", margin.above_found ? json_real(margin.above) : json_null());
    }
    return object;
}

int pb_report_shmoo_json(FILE *stream, const struct pb_shmoo *shmoo)
{
    json_t *list = json_array();
    for (unsigned y = 0; list && y <= shmoo->steps; y++)
        for (unsigned x = 0; x <= shmoo->steps; x++) {
            const struct pb_shmoo_point *point = pb_shmoo_at(shmoo, x, y);
            const struct pb_shmoo_axis *ax = &shmoo->axis[0], *ay = &shmoo->axis[1];
            pb_form_add(list, json_pack("{s:f, s:f, s:s, s:b, s:o, s:o}", "x",
                                        pb_shmoo_axis_number(ax, shmoo->steps, x), "y",
                                        pb_shmoo_axis_number(ay, shmoo->steps, y), "state",
                                        pb_shmoo_state_name(point->state), "ran", point->ran, "margin_ps",
                                        point->margin_known ? json_integer(point->margin_ps) : json_null(),
                                        "reason", pb_form_text(point->reason)));
        }
    json_t *root =
        json_pack("{s:i, s:s, s:o, s:o, s:i, s:b, s:o}", "schema_version", 1, "scenario",
                  shmoo->scenario->path, "across", axis_json(shmoo, 0), "up", axis_json(shmoo, 1), "runs",
                  (int)shmoo->runs, "complete", !shmoo->stopped, "points", list);
    pb_form_set(root, "operating_state",
                pb_shmoo_operating(shmoo) == PB_SHMOO_UNKNOWN
                    ? json_null()
                    : json_string(pb_shmoo_state_name(pb_shmoo_operating(shmoo))));
    pb_form_set(root, "payload_held_bytes",
                shmoo->holds_frame ? json_integer(shmoo->scenario->payload_bytes) : json_null());
    const int code = pb_form_json_as(stream, root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    return code ? code : pb_stream_status(stream);
}

int pb_report_shmoo_csv(FILE *stream, const struct pb_shmoo *shmoo)
{
    const struct pb_shmoo_axis *ax = &shmoo->axis[0], *ay = &shmoo->axis[1];
    fputs("x,y,state,ran,start_margin_ps,payload_held_bytes\n", stream);
    for (unsigned y = 0; y <= shmoo->steps; y++)
        for (unsigned x = 0; x <= shmoo->steps; x++) {
            const struct pb_shmoo_point *point = pb_shmoo_at(shmoo, x, y);
            fprintf(stream, "%.9g,%.9g,%s,%d,", pb_shmoo_axis_number(ax, shmoo->steps, x),
                    pb_shmoo_axis_number(ay, shmoo->steps, y), pb_shmoo_state_name(point->state), point->ran);
            if (point->margin_known)
                fprintf(stream, "%" PRId64, point->margin_ps);
            fputc(',', stream);
            if (shmoo->holds_frame)
                fprintf(stream, "%u", shmoo->scenario->payload_bytes);
            fputc('\n', stream);
        }
    return pb_stream_status(stream);
}
