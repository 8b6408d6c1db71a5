/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * --history PLACE of the verbs that run scenarios: a file, or the URL of a server. Functions that return an
 * exit code have reported the error.
 */
#ifndef PHASEBENCH_CLI_HISTORY_KEEP_H
#define PHASEBENCH_CLI_HISTORY_KEEP_H

#include "phasebench/history.h"
#include "phasebench/scenario.h"

#define HISTORY_ENVIRONMENT "PHASEBENCH_HISTORY"
#define HISTORY_SPOOL_ENVIRONMENT "PHASEBENCH_SPOOL"

struct pb_validation;

/* As given; NULL: not given. */
struct history_options {
    const char *path, *spool, *unit, *operator_name, *station;
    bool offline; /* the server could not be reached before the runs */
    char host[PB_HISTORY_LABEL_SIZE]; /* station if none is given */
};

/* The firmware files of a scenario. */
struct history_images {
    struct pb_history_node node[PB_SCENARIO_NODES_MAX];
    size_t count;
};

/* The place of the environment; NULL: none. */
const char *history_default(void);
/* Refuses a place of another form; a message about a place comes after it, as one may have a password. */
int history_check_place(const char *place);
/* The spool of a place: as given, or by the environment; NULL: the usual one. */
int history_spool(const char **spool, const char *place);
/* Fills in what was not given, and refuses before the first run what could not be stored after it. */
int history_check(struct history_options *options);
/* After all arguments were checked: opens the history, and says once for all runs of the command that its
 * server cannot be reached, so that they wait in the spool. */
int history_reach(struct history_options *options);
/* Refuses labels that a history could not store, and fills in the station. unit_option: that of the unit. */
int history_check_labels(struct history_options *options, const char *unit_option);
/* Reads the firmware files of the nodes that this process simulates: call it before the run. */
void history_look(struct history_images *images, const struct pb_scenario *scenario, const char *rig_url);
/* Stores a run; without a path it does nothing. A run that waits in the spool, as the server cannot be
 * reached, is stored. */
int history_keep(const struct history_options *options, const struct history_images *images,
                 const struct pb_result *result);
int history_keep_validation(const struct history_options *options, const struct history_images *images,
                            const struct pb_validation *validation);

#endif
