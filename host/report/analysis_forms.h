/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forms of the analyses of a network: budget, bound, route, schedule. Each takes what is shown as its context
 * and returns 0 or a negative code, with errno.
 */
#ifndef PB_REPORT_ANALYSIS_FORMS_H
#define PB_REPORT_ANALYSIS_FORMS_H

#include "phasebench/budget.h"
#include "phasebench/flow.h"
#include "phasebench/network.h"
#include "phasebench/program.h"

#include <stdio.h>

struct pb_budget_shown {
    const struct pb_network *network;
    const struct pb_budget_input *input;
    const struct pb_budget *budget;
    const struct pb_program *program; /* NULL: of messages */
};
int pb_report_budget_text(FILE *out, void *shown);
int pb_report_budget_json(FILE *out, void *shown);

struct pb_bound_shown {
    const struct pb_network *network;
    const char *pattern; /* of the traffic, as given; untrusted */
    const struct pb_flow_bound *bound;
};
int pb_report_bound_text(FILE *out, void *shown);
int pb_report_bound_json(FILE *out, void *shown);

struct pb_route_shown {
    const struct pb_network *network;
    enum pb_rule rule;
    uint32_t source, destination;
    unsigned birth;
    uint64_t rate_mhz; /* 0: no time requested */
    const struct pb_route *route;
};
int pb_report_route_text(FILE *out, void *shown);
int pb_report_route_json(FILE *out, void *shown);

struct pb_schedule_shown {
    const struct pb_network *network;
    bool has_node;
    uint32_t node; /* if has_node */
};
int pb_report_schedule_text(FILE *out, void *shown);
int pb_report_schedule_json(FILE *out, void *shown);

#endif
