/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/measurement.h"
#include "phasebench/result.h"

#include <stdio.h>

static const struct {
    const char *id, *text;
    enum pb_unit unit;
    enum pb_decision decision;
    enum pb_place place;
} figures[] = {
#define FIGURE(name, id, unit, decision, place, text) {id, text, unit, decision, place},
    PB_FIGURE_LIST(FIGURE)
#undef FIGURE
};

const char *pb_figure_id(int figure)
{
    return figures[figure].id;
}

const char *pb_figure_text(int figure)
{
    return figures[figure].text;
}

enum pb_unit pb_figure_unit(enum pb_figure figure)
{
    return figures[figure].unit;
}

enum pb_decision pb_figure_decision(enum pb_figure figure)
{
    return figures[figure].decision;
}

enum pb_place pb_figure_place(enum pb_figure figure)
{
    return figures[figure].place;
}

const char *pb_unit_name(enum pb_unit unit)
{
    static const char *const name[] = {"ps", "ppb", "phases", "ppm", "bytes", "instructions",
                                       "messages", "count", "mHz"};
    return name[unit];
}

const char *pb_unit_quantity(enum pb_unit unit)
{
    static const char *const name[] = {"time", "relative deviation", "count", "share", "size", "count",
                                       "count", "count", "frequency"};
    return name[unit];
}

const char *pb_decision_name(enum pb_decision decision)
{
    static const char *const name[] = {"none", "u95", "limit", "range"};
    return name[decision];
}

const char *pb_judgement_name(int judgement)
{
    static const char *const name[] = {"not judged", "pass", "marginal", "fail"};
    return name[judgement];
}

struct pb_measurement_id pb_measurement_id(const struct pb_measurement *measurement)
{
    struct pb_measurement_id id;
    const char *figure = pb_figure_id((int)measurement->figure);
    switch (pb_figure_place(measurement->figure)) {
    case PB_OF_LINK:
        snprintf(id.text, sizeof id.text, "%s/link%d", figure, measurement->link);
        break;
    case PB_OF_NODE:
        snprintf(id.text, sizeof id.text, "%s/node%d", figure, measurement->node);
        break;
    case PB_OF_RUN:
        snprintf(id.text, sizeof id.text, "%s", figure);
        break;
    }
    return id;
}

const struct pb_measurement *pb_measurement_find(const struct pb_result *result, enum pb_figure figure,
                                                 int at)
{
    const bool of_node = pb_figure_place(figure) == PB_OF_NODE;
    for (size_t i = 0; i < result->measurements; i++) {
        const struct pb_measurement *row = &result->measurement[i];
        if (row->figure == figure && (of_node ? row->node : row->link) == at)
            return row;
    }
    return NULL;
}

bool pb_measurement_margin(const struct pb_result *result, enum pb_figure figure, int64_t *margin)
{
    bool known = false;
    for (size_t i = 0; i < result->measurements; i++) {
        const struct pb_measurement *row = &result->measurement[i];
        if (row->figure != figure || row->margin == PB_ABSENT || (known && row->margin >= *margin))
            continue;
        *margin = row->margin;
        known = true;
    }
    return known;
}
