/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file under a recorder: blocks, alone or between the packets of a capture (pcapng.h). Notes and packets
 * are buffered and flushed when there are many or the oldest is 100 ms old. Packets go first, so the file
 * holds each packet before any note about it.
 */
#ifndef PB_RECORD_BLOCK_WRITER_H
#define PB_RECORD_BLOCK_WRITER_H

#include "host/record/format.h"
#include "host/record/urb.h"

struct pb_record_file;

/* Creates or truncates and locks the file, and writes its header. Returns 0, PB_ERR_IO or PB_ERR_MEMORY. */
int pb_record_file_open(struct pb_record_file **out, const char *path, bool force, bool capture,
                        const char *verb, struct pb_diag *diag);
/* Flushes, closes and releases the file. PB_ERR_IO: it is incomplete. NULL: no effect. */
int pb_record_file_close(struct pb_record_file *file, struct pb_diag *diag);
/* PB_OK, or PB_ERR_IO after a failed write; all other calls then have no effect. */
int pb_record_file_check(const struct pb_record_file *file, struct pb_diag *diag);

void pb_record_file_flush(struct pb_record_file *file);
void pb_record_file_flush_when_old(struct pb_record_file *file);

/* Writes a text in as many blocks as it needs. */
void pb_record_file_text(struct pb_record_file *file, enum pb_block_type type, const char *text);
/* Adds a note of at most PB_BLOCK_MAX - PB_NOTE_HEAD_BYTES bytes. */
void pb_record_file_note(struct pb_record_file *file, enum pb_note_kind kind, unsigned timeout_ms,
                         int64_t time_ps, const uint8_t *bytes, size_t count);
/* Adds a packet; captures only. */
void pb_record_file_urb(struct pb_record_file *file, const struct pb_urb *urb);

#endif
