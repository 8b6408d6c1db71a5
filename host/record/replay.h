/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between the parts of host/record: blocks of an open recording, and the end of a replayed session.
 */
#ifndef PB_RECORD_REPLAY_H
#define PB_RECORD_REPLAY_H

#include "host/record/about.h"
#include "host/record/format.h"

#include <limits.h>

/* A place between two blocks. */
struct pb_block_place {
    uint64_t offset;
    uint32_t sequence;
};

struct pb_block {
    uint32_t type;
    size_t length;
    uint8_t payload[PB_BLOCK_MAX];
};

struct pb_recording {
    int file;
    char path[PATH_MAX];
    uint64_t size; /* of the file, when it was opened */
    bool busy;     /* somebody is still writing it */
    struct pb_about_owner owner;
    struct pb_block_place data; /* behind the description of the run */
    char cut[200];              /* why it ends too early; "" when it is whole */
};

/* Reads the next block and moves on. 1; 0 where no whole block is left; PB_ERR_CONFIG for a damaged one. Type
 * and length change only with 1. */
int pb_block_read(struct pb_recording *recording, struct pb_block_place *place, struct pb_block *block,
                  struct pb_diag *diag);

/* pb_recording_session_end for a transport that is no recorder. */
int pb_replay_session_end(struct pb_transport *transport, int code, struct pb_diag *diag);

#endif
