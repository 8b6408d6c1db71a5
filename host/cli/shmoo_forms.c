/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "shmoo.h"

#include <inttypes.h>

/* ---- text */

static void print_margin(const struct shmoo *shmoo, unsigned axis)
{
    const struct shmoo_axis *of = &shmoo->axis[axis];
    struct shmoo_margin margin;
    if (!shmoo_margin(shmoo, axis, &margin))
        return;
    printf("margin       %s: %s%.6g %s downwards, %s%.6g %s upwards\n", of->place,
           margin.below_found ? "" : "more than ", margin.below, of->unit,
           margin.above_found ? "" : "more than ", margin.above, of->unit);
}

void shmoo_print(const struct shmoo *shmoo)
{
    const struct shmoo_axis *x = &shmoo->axis[0], *y = &shmoo->axis[1];
    char text[SHMOO_TEXT];
    printf("shmoo        %s\nacross       %s, %g to %g %s\nup           %s, %g to %g %s\n"
           "points       %u x %u, %u of them run; %s\n",
           shmoo->source->scenario->name, x->place, x->from, x->to, x->unit, y->place, y->from, y->to,
           y->unit, shmoo->steps + 1, shmoo->steps + 1, shmoo->runs,
           shmoo->stopped ? "then it was stopped" : "the others lie between points that agree");
    if (shmoo_holds_frame(shmoo, text))
        printf("payload      %s at every point: what fits at the operating point\n\n", text);
    else
        putchar('\n');
    for (unsigned row = shmoo->steps + 1; row-- > 0;) {
        shmoo_axis_value(y, shmoo->steps, row, text);
        printf("%16s  ", text);
        for (unsigned column = 0; column <= shmoo->steps; column++)
            putchar(shmoo_is_operating(shmoo, column, row) ? '@' : shmoo_sign(shmoo_at(shmoo, column, row)));
        putchar('\n');
    }
    char last[SHMOO_TEXT];
    shmoo_axis_value(x, shmoo->steps, 0, text);
    shmoo_axis_value(x, shmoo->steps, shmoo->steps, last);
    printf("%18s%-*s  %s\n\n", "", (int)shmoo->steps - 2, text, last);
    puts("+ pass, m marginal, X fail, ? inconclusive, - refused, @ operating point\n"
         "not run, between points that agree: . pass, : marginal, x fail, ~ inconclusive, _ refused");
    if (shmoo_operating(shmoo) != SHMOO_UNKNOWN)
        printf("operates at  %g %s, %g %s: %s\n", x->point, x->unit, y->point, y->unit,
               shmoo_state_name(shmoo_operating(shmoo)));
    print_margin(shmoo, 0);
    print_margin(shmoo, 1);
}

/* ---- JSON and CSV */

static json_t *axis_json(const struct shmoo *shmoo, unsigned axis)
{
    const struct shmoo_axis *of = &shmoo->axis[axis];
    struct shmoo_margin margin;
    json_t *object =
        json_pack("{s:s, s:s, s:f, s:f}", "key", of->place, "unit", of->unit, "from", of->from, "to", of->to);
    if (of->placed)
        cli_json_set(object, "operating_point", json_real(of->point));
    if (shmoo_margin(shmoo, axis, &margin)) {
        cli_json_set(object, "margin_below", margin.below_found ? json_real(margin.below) : json_null());
        cli_json_set(object, "margin_above", margin.above_found ? json_real(margin.above) : json_null());
    }
    return object;
}

int shmoo_json(FILE *stream, void *context)
{
    const struct shmoo *shmoo = context;
    json_t *list = json_array();
    for (unsigned y = 0; list && y <= shmoo->steps; y++)
        for (unsigned x = 0; x <= shmoo->steps; x++) {
            const struct shmoo_point *point = shmoo_at(shmoo, x, y);
            const struct shmoo_axis *ax = &shmoo->axis[0], *ay = &shmoo->axis[1];
            cli_json_add(list, json_pack("{s:f, s:f, s:s, s:b, s:o, s:o}", "x",
                                         shmoo_axis_number(ax, shmoo->steps, x), "y",
                                         shmoo_axis_number(ay, shmoo->steps, y), "state",
                                         shmoo_state_name(point->state), "ran", point->ran, "margin_ps",
                                         point->margin_known ? json_integer(point->margin_ps) : json_null(),
                                         "reason", cli_json_text(point->reason)));
        }
    json_t *root =
        json_pack("{s:i, s:s, s:o, s:o, s:i, s:b, s:o}", "schema_version", 1, "scenario",
                  shmoo->source->scenario->path, "across", axis_json(shmoo, 0), "up", axis_json(shmoo, 1),
                  "runs", (int)shmoo->runs, "complete", !shmoo->stopped, "points", list);
    if (!root)
        return PB_ERR_MEMORY;
    char text[SHMOO_TEXT];
    const bool held = shmoo_holds_frame(shmoo, text);
    cli_json_set(root, "operating_state",
                 shmoo_operating(shmoo) == SHMOO_UNKNOWN
                     ? json_null()
                     : json_string(shmoo_state_name(shmoo_operating(shmoo))));
    cli_json_set(root, "payload_held_bytes",
                 held ? json_integer(shmoo->source->scenario->payload_bytes) : json_null());
    const int failed = json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(root);
    fputc('\n', stream);
    return failed || fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}

int shmoo_csv(FILE *stream, void *context)
{
    const struct shmoo *shmoo = context;
    const struct shmoo_axis *ax = &shmoo->axis[0], *ay = &shmoo->axis[1];
    char text[SHMOO_TEXT];
    fputs("x,y,state,ran,start_margin_ps,payload_held_bytes\n", stream);
    for (unsigned y = 0; y <= shmoo->steps; y++)
        for (unsigned x = 0; x <= shmoo->steps; x++) {
            const struct shmoo_point *point = shmoo_at(shmoo, x, y);
            fprintf(stream, "%.9g,%.9g,%s,%d,", shmoo_axis_number(ax, shmoo->steps, x),
                    shmoo_axis_number(ay, shmoo->steps, y), shmoo_state_name(point->state), point->ran);
            if (point->margin_known)
                fprintf(stream, "%" PRId64, point->margin_ps);
            fputc(',', stream);
            if (shmoo_holds_frame(shmoo, text))
                fprintf(stream, "%u", shmoo->source->scenario->payload_bytes);
            fputc('\n', stream);
        }
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
