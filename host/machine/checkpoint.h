/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The checkpoint of a sweep: a file that has, of each load, nothing yet, the run so far, or its result. It is
 * replaced as a whole, so at each instant it is one from which the sweep can go on. Its functions may be
 * called by several threads; each that can fail returns 0, or a code with its diagnostic.
 */
#ifndef PB_MACHINE_CHECKPOINT_H
#define PB_MACHINE_CHECKPOINT_H

#include "sweep.h"

enum pb_kept_kind { PB_KEPT_NOTHING, PB_KEPT_RUN, PB_KEPT_RESULT, PB_KEPT_KINDS };

/* Of a point. */
struct pb_kept {
    enum pb_kept_kind kind;
    uint8_t *bytes;
    size_t count;
};

/* With sweep->resume it reads the file, else there must be none, and it writes one that keeps nothing yet.
 * PB_ERR_ARGUMENT: there is one; PB_ERR_CONFIG: it is missing, damaged, of another version or of another
 * sweep; PB_ERR_IO: it could not be written; PB_ERR_MEMORY. */
int pb_checkpoint_open(struct pb_checkpoint **out, const struct pb_machine_sweep *sweep,
                       struct pb_diag *diag);
/* Removes a file that pb_checkpoint_open has written, and nothing since. NULL: no effect. */
void pb_checkpoint_close(struct pb_checkpoint *checkpoint);

/* Until the next pb_checkpoint_keep of this point. */
const struct pb_kept *pb_checkpoint_of(const struct pb_checkpoint *checkpoint, unsigned point);
/* Takes over the bytes. A run is written at once, a result when the file is old. PB_ERR_IO. */
int pb_checkpoint_keep(struct pb_checkpoint *checkpoint, unsigned point, const struct pb_kept *kept,
                       struct pb_diag *diag);
/* Writes what is not in the file yet. PB_ERR_IO: the file is as it was. */
int pb_checkpoint_write(struct pb_checkpoint *checkpoint, struct pb_diag *diag);

/* When the next checkpoint is due, after one that began then: so that it takes at most a hundredth of the
 * time. */
int64_t pb_checkpoint_due_ns(int64_t began_ns);

#endif
