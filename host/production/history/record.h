/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a result or a validation to the record of a history, with a new key.
 */
#ifndef PB_HISTORY_RECORD_H
#define PB_HISTORY_RECORD_H

#include "phasebench/history.h"

/* Each returns 0, PB_ERR_MEMORY or PB_ERR_IO; release the record by pb_history_record_free in each case. */
int pb_record_of_result(struct pb_history_record *record, const struct pb_result *result,
                        const struct pb_history_labels *labels, struct pb_diag *diag);
int pb_record_of_validation(struct pb_history_record *record, const struct pb_validation *validation,
                            const struct pb_history_labels *labels, struct pb_diag *diag);

#endif
