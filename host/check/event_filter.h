/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first stage of the check: looks at one event alone. Private to host/check.
 */
#ifndef PHASEBENCH_EVENT_FILTER_H
#define PHASEBENCH_EVENT_FILTER_H

#include "host/check/observation.h"
#include "host/check/scale.h"

/* False: no core makes such an event. Stamps a byte at its start edge, where the core stamps the stop bit. */
bool pb_screen(struct pb_event *event, const struct pb_scenario *scenario,
               const struct pb_observation *observation, const struct pb_scale *scale);

#endif
