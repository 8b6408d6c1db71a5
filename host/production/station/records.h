/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The validations of this station: one folder each, with the outcome in station.json, and a history file.
 */
#ifndef PB_STATION_RECORDS_H
#define PB_STATION_RECORDS_H

#include "state.h"

#include "phasebench/validation.h"

#define STATION_OUTCOME "station.json"
#define STATION_REPORT "validation.html"

struct station_records {
    int folder;          /* descriptor of the out folder */
    const char *path;    /* of it; borrowed, as the next two */
    const char *history; /* NULL: none */
    const char *station;
    struct station_record *record; /* the newest last */
    size_t count, capacity;
    char day_utc[32]; /* begin of the present local day, as the yield has it */
};

/* Opens the folder, which exists, reads the validations of today and the newest before, and checks the
 * history. Returns 0, PB_ERR_IO, PB_ERR_CONFIG or PB_ERR_MEMORY. Close with
 * station_records_close, also after a failure. */
int station_records_open(struct station_records *records, const char *path, const char *history,
                         const char *station, struct pb_diag *diag);
void station_records_close(struct station_records *records);

/* Makes the folder of a validation and fills record->id and started_utc. Until station_records_add the folder
 * says that the validation ended early. Returns 0 or PB_ERR_IO. */
int station_records_begin(struct station_records *records, struct station_record *record,
                          struct pb_diag *diag);
/* True if the folder of a validation has a report. */
bool station_records_report(const struct station_records *records, const char *id);
/* Keeps a validation that has ended: in memory, and in its folder. Returns 0, PB_ERR_IO or PB_ERR_MEMORY. */
int station_records_add(struct station_records *records, const struct station_record *record,
                        struct pb_diag *diag);

/* Fills the last units and the yield of the present day of the state. Returns 0, or the error of the history:
 * then the yield is the one of the folders. */
int station_records_show(struct station_records *records, struct station_state *state, struct pb_diag *diag);
/* True if a new day has begun since the last station_records_show. */
bool station_records_stale(const struct station_records *records);

/* Opens STATION_REPORT of a validation in the list, or if folder is not NULL, a file of a run in this folder
 * next to it. The name of a folder has letters, digits and . _ - and does not begin with a dot. -1: no such
 * validation or file. */
int station_records_open_report(const struct station_records *records, const char *id, const char *folder,
                                enum pb_run_file file);

#endif
