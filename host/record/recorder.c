/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writer of recordings: every call becomes a note; in a capture the note has no bytes. */
#include "host/record/metadata.h"
#include "host/record/block_writer.h"
#include "host/record/replay.h"

#include "phasebench/rig.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define READ_MAX 32768 /* so that a read fits a block */

struct pb_recorder {
    struct pb_record_file *file[2]; /* owned; the stream and the transfers; NULL: not requested */
};
enum { STREAM, TRANSFERS, FILES };

struct recording_transport {
    struct pb_transport base;
    struct pb_transport *inner; /* owned */
    struct pb_recorder *recorder;
    int64_t (*time_ps)(const struct pb_transport *inner);
};

/* ---- notes */

static void flush(struct pb_recorder *recorder)
{
    for (unsigned i = 0; i < FILES; i++)
        if (recorder->file[i])
            pb_record_file_flush(recorder->file[i]);
}

static void flush_when_old(struct pb_recorder *recorder)
{
    for (unsigned i = 0; i < FILES; i++)
        if (recorder->file[i])
            pb_record_file_flush_when_old(recorder->file[i]);
}

static void put_note(struct pb_recorder *recorder, enum pb_note_kind kind, unsigned timeout_ms,
                     int64_t time_ps, const uint8_t *bytes, size_t count)
{
    for (unsigned i = 0; i < FILES; i++)
        if (recorder->file[i])
            pb_record_file_note(recorder->file[i], kind, timeout_ms, time_ps, bytes, count);
}

/* Notes a successful call: its bytes in the stream's file, their CRC in the capture. */
static void put_call(struct pb_recorder *recorder, enum pb_note_kind kind, unsigned timeout_ms,
                     int64_t time_ps, const uint8_t *bytes, size_t count)
{
    uint8_t sum[PB_NOTE_SUM_BYTES];
    pb_put32(sum, (uint32_t)count);
    pb_put32(sum + 4, (uint32_t)crc32(0, count ? bytes : (const uint8_t *)"", (unsigned)count));
    if (recorder->file[STREAM])
        pb_record_file_note(recorder->file[STREAM], kind, timeout_ms, time_ps, bytes, count);
    if (recorder->file[TRANSFERS] && count)
        pb_record_file_note(recorder->file[TRANSFERS], kind == PB_NOTE_WRITE ? PB_NOTE_SENT : PB_NOTE_TAKEN,
                            timeout_ms, time_ps, sum, sizeof sum);
    else if (recorder->file[TRANSFERS])
        pb_record_file_note(recorder->file[TRANSFERS], kind, timeout_ms, time_ps, NULL, 0);
}

/* Notes a failed call, or the end of the session. */
static void put_status(struct pb_recorder *recorder, enum pb_note_kind kind, int64_t time_ps, int code,
                       const struct pb_diag *diag)
{
    uint8_t bytes[4 + sizeof diag->text];
    const size_t length = code && diag ? strlen(diag->text) : 0;
    pb_put32(bytes, (uint32_t)code);
    memcpy(bytes + 4, diag ? diag->text : "", length);
    put_note(recorder, kind, 0, time_ps, bytes, 4 + length);
}

/* ---- files */

static int put_about(struct pb_recorder *recorder, const struct pb_recording_about *given,
                     struct pb_diag *diag)
{
    char started_utc[32] = "";
    struct tm utc;
    const time_t now = time(NULL);
    struct pb_recording_about about = *given;
    about.program = "phasebench " PB_VERSION;
    about.map_hash = PB_MAP_HASH;
    about.started_utc = started_utc;
    about.hash = pb_recording_hash(about.texts, about.seed, about.superframes);
    if (gmtime_r(&now, &utc))
        strftime(started_utc, sizeof started_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
    char *text = pb_about_write(&about);
    if (!text)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to describe the run in its recording");
    for (unsigned i = 0; i < FILES; i++)
        if (recorder->file[i])
            pb_record_file_text(recorder->file[i], PB_BLOCK_ABOUT, text);
    free(text);
    return pb_recorder_check(recorder, diag);
}

static void destroy(struct pb_recorder *recorder)
{
    for (unsigned i = 0; i < FILES; i++)
        pb_record_file_close(recorder->file[i], NULL);
    free(recorder);
}

int pb_recorder_open(struct pb_recorder **out, const struct pb_record_paths *paths,
                     const struct pb_recording_about *about, struct pb_diag *diag)
{
    const char *const path[FILES] = {[STREAM] = paths->stream, [TRANSFERS] = paths->transfers};
    *out = NULL;
    struct pb_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for a recorder");
    int code = PB_OK;
    for (unsigned i = 0; !code && i < FILES; i++)
        if (path[i])
            code = pb_record_file_open(&recorder->file[i], path[i], paths->force, i == TRANSFERS, about->verb,
                                       diag);
    if (code && recorder->file[STREAM] && !paths->force)
        unlink(paths->stream); /* created above */
    if (!code)
        code = put_about(recorder, about, diag);
    if (code) {
        destroy(recorder);
        return code;
    }
    *out = recorder;
    return PB_OK;
}

int pb_recorder_check(const struct pb_recorder *recorder, struct pb_diag *diag)
{
    int code = PB_OK;
    for (unsigned i = 0; recorder && !code && i < FILES; i++)
        code = pb_record_file_check(recorder->file[i], diag);
    return code;
}

int pb_recorder_close(struct pb_recorder *recorder, int exit_code, const char *outcome, const char *reason,
                      struct pb_diag *diag)
{
    if (!recorder)
        return PB_OK;
    char *text = pb_outcome_write(exit_code, outcome, reason);
    int code = text ? PB_OK : pb_fail(diag, PB_ERR_MEMORY, "no memory to end the recording");
    flush(recorder);
    for (unsigned i = 0; i < FILES; i++) {
        if (recorder->file[i] && text)
            pb_record_file_text(recorder->file[i], PB_BLOCK_END, text);
        const int closed = pb_record_file_close(recorder->file[i], code ? NULL : diag);
        code = code ? code : closed;
    }
    free(text);
    free(recorder);
    return code;
}

/* ---- transfers */

bool pb_recorder_takes_urbs(const struct pb_recorder *recorder)
{
    return recorder && recorder->file[TRANSFERS];
}

void pb_recorder_urb(struct pb_recorder *recorder, const struct pb_urb *urb)
{
    if (pb_recorder_takes_urbs(recorder))
        pb_record_file_urb(recorder->file[TRANSFERS], urb);
}

void pb_recorder_channel(struct pb_recorder *recorder, const struct pb_usb_channel *channel)
{
    uint8_t note[PB_NOTE_CHANNEL_BYTES] = {0};
    if (!pb_recorder_takes_urbs(recorder))
        return;
    pb_put16(note, channel->bus);
    note[2] = channel->device;
    note[3] = channel->in;
    note[4] = channel->out;
    pb_put16(note + 6, channel->packet_bytes);
    pb_put64(note + 8, channel->bytes_in);
    pb_put64(note + 16, channel->bytes_out);
    pb_record_file_note(recorder->file[TRANSFERS], PB_NOTE_CHANNEL, 0, -1, note, sizeof note);
}

/* ---- the transport */

static int record_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct recording_transport *transport = (struct recording_transport *)base;
    struct pb_recorder *recorder = transport->recorder;
    struct pb_diag own = {""};
    if (count > PB_BLOCK_MAX - PB_NOTE_HEAD_BYTES)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%zu bytes at once cannot be recorded; %d are the limit", count,
                       PB_BLOCK_MAX - PB_NOTE_HEAD_BYTES);
    const int code = transport->inner->ops->write(transport->inner, bytes, count, &own);
    const int64_t time_ps = transport->time_ps(transport->inner);
    if (code) {
        put_note(recorder, PB_NOTE_WRITE, 0, time_ps, bytes, count);
        put_status(recorder, PB_NOTE_WRITE_FAILED, time_ps, code, &own);
        return pb_fail(diag, code, "%s", own.text);
    }
    put_call(recorder, PB_NOTE_WRITE, 0, time_ps, bytes, count);
    return PB_OK;
}

static int record_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                       struct pb_diag *diag)
{
    struct recording_transport *transport = (struct recording_transport *)base;
    struct pb_recorder *recorder = transport->recorder;
    struct pb_diag own = {""};
    flush_when_old(recorder); /* the read may block */
    const int count = transport->inner->ops->read(
        transport->inner, bytes, capacity < READ_MAX ? capacity : READ_MAX, timeout_ms, &own);
    const int64_t time_ps = transport->time_ps(transport->inner);
    if (count < 0) {
        put_status(recorder, PB_NOTE_READ_FAILED, time_ps, count, &own);
        return pb_fail(diag, count, "%s", own.text);
    }
    put_call(recorder, PB_NOTE_READ, timeout_ms, time_ps, bytes, (size_t)count);
    return count;
}

static void record_close(struct pb_transport *base)
{
    struct recording_transport *transport = (struct recording_transport *)base;
    transport->inner->ops->close(transport->inner);
    flush(transport->recorder);
    free(transport);
}

static const struct pb_transport_ops recording_ops = {record_write, record_read, record_close};

int pb_recorder_attach(struct pb_recorder *recorder, struct pb_transport **transport,
                       int64_t (*time_ps)(const struct pb_transport *), struct pb_diag *diag)
{
    struct recording_transport *around = calloc(1, sizeof *around);
    if (!around) {
        (*transport)->ops->close(*transport);
        *transport = NULL;
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the recorder");
    }
    *around = (struct recording_transport){{&recording_ops}, *transport, recorder, time_ps};
    *transport = &around->base;
    return PB_OK;
}

const struct pb_transport *pb_recorder_inner(const struct pb_transport *transport)
{
    return transport->ops == &recording_ops ? ((const struct recording_transport *)transport)->inner
                                            : transport;
}

int pb_recording_capture(struct pb_transport *transport, struct pb_capture_choice *choice,
                         struct pb_diag *diag)
{
    uint8_t note[1 + sizeof choice->why];
    if (transport->ops != &recording_ops)
        return pb_replay_capture(transport, choice, diag);
    struct recording_transport *around = (struct recording_transport *)transport;
    const int code = pb_recording_capture(around->inner, choice, diag);
    if (code)
        return code;
    const size_t length = strlen(choice->why);
    note[0] = (uint8_t)choice->capture;
    memcpy(note + 1, choice->why, length);
    put_note(around->recorder, PB_NOTE_CAPTURE, 0, around->time_ps(around->inner), note, 1 + length);
    return PB_OK;
}

int pb_recording_node(struct pb_transport *transport, unsigned node_index, char text[PB_RECORDING_NODE_TEXT],
                      struct pb_diag *diag)
{
    uint8_t note[1 + PB_RECORDING_NODE_TEXT];
    if (transport->ops != &recording_ops)
        return pb_replay_node(transport, node_index, text, diag);
    struct recording_transport *around = (struct recording_transport *)transport;
    const int code = pb_recording_node(around->inner, node_index, text, diag);
    const size_t length = strlen(text);
    if (code || !length)
        return code;
    note[0] = (uint8_t)node_index;
    memcpy(note + 1, text, length);
    put_note(around->recorder, PB_NOTE_NODE, 0, around->time_ps(around->inner), note, 1 + length);
    return PB_OK;
}

int pb_recording_session_end(struct pb_transport *transport, int code, struct pb_diag *diag)
{
    if (transport->ops != &recording_ops)
        return pb_replay_session_end(transport, code, diag);
    struct recording_transport *around = (struct recording_transport *)transport;
    code = pb_recording_session_end(around->inner, code, diag);
    put_status(around->recorder, PB_NOTE_SESSION_END, around->time_ps(around->inner), code, diag);
    flush(around->recorder); /* later packets are not part of the session */
    return code;
}
