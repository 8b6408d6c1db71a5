/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The JSON texts inside a recording.
 */
#ifndef PB_RECORD_METADATA_H
#define PB_RECORD_METADATA_H

#include "phasebench/record.h"

/* New text, owned by the caller; NULL: out of memory, or a text is not UTF-8. */
char *pb_about_write(const struct pb_recording_about *about);
char *pb_outcome_write(int exit_code, const char *outcome, const char *reason);

/* *owner holds the strings and texts of *about. */
struct pb_about_owner {
    struct pb_recording_about about;
    struct pb_scenario_texts texts;
    char *string[4];
};
/* PB_ERR_CONFIG: a member is missing or of another type; PB_ERR_MEMORY. Call pb_about_free in any case. */
int pb_about_read(struct pb_about_owner *owner, const char *json, size_t length, struct pb_diag *diag);
void pb_about_free(struct pb_about_owner *owner);

#endif
