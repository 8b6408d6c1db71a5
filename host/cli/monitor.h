/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The output of `phasebench monitor`, in its own thread, so that a slow reader never delays the run.
 */
#ifndef PHASEBENCH_CLI_MONITOR_H
#define PHASEBENCH_CLI_MONITOR_H

#include "phasebench/monitor.h"

#include <stdio.h>

enum monitor_form { MONITOR_SCREEN, MONITOR_TEXT, MONITOR_JSON, MONITOR_FORMS };

struct monitor;

/* NULL: failed, reported. kept: gets the lines in its form, too; NULL: none. speed: of a recording, in
 * thousandths of real time; 0: as fast as possible. */
struct monitor *monitor_open(const struct pb_scenario *scenario, enum monitor_form form, const char *title,
                             FILE *const kept[MONITOR_FORMS], uint64_t speed_milli);
/* For struct pb_run_options. The first call starts the display. */
void monitor_on_events(void *monitor, const struct pb_device_info *info, const struct pb_event *event,
                       size_t count);
/* Ends the display: shows the remaining lines and restores the terminal. */
void monitor_ended(void *monitor);
/* Returns an exit code; a failed output has been reported. */
int monitor_close(struct monitor *monitor);

#endif
