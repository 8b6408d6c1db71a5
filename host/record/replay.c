/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The transport that replays a recording. */
#include "host/record/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct note {
    enum pb_note_kind kind;
    const uint8_t *bytes; /* in the block, or in transfers */
    size_t length;
    int64_t time_ps;
};

/* The bytes of a capture, from its transfers. */
struct transfers {
    bool known; /* the channel is known */
    struct pb_usb_stream in, out;
    uint8_t bytes[PB_BLOCK_MAX]; /* of the current note */
};

struct replay_transport {
    struct pb_transport base;
    struct transfers *transfers;    /* owned, of a capture; else NULL */
    struct pb_recording *recording; /* owned */
    struct pb_block_place place;    /* of the next block */
    size_t at;                      /* of the next note in block */
    struct note note;               /* the next note, if any */
    bool have_note;
    uint64_t writes; /* replayed */
    int64_t time_ps;
    int failure; /* sticky */
    struct pb_diag why;
    struct pb_block block;
};

static int fail(struct replay_transport *replay, int code, const struct pb_diag *why, struct pb_diag *diag)
{
    replay->failure = code;
    replay->why = *why;
    return pb_fail(diag, code, "%s", why->text);
}

/* ---- notes */

static int damaged(const struct replay_transport *replay, const char *what, struct pb_diag *why)
{
    return pb_fail(why, PB_ERR_CONFIG,
                   "the recording '%.120s' is damaged: block %" PRIu32 " %s; record again",
                   replay->recording->path, replay->place.sequence - 1, what);
}

/* Skips the bytes of the opening of the board. */
static int open_channel(struct replay_transport *replay, struct pb_diag *why)
{
    struct transfers *transfers = replay->transfers;
    const uint8_t *note = replay->note.bytes;
    if (replay->note.length != PB_NOTE_CHANNEL_BYTES || pb_get16(note + 6) <= 2 || transfers->known)
        return damaged(replay, "describes no channel, or a second one", why);
    const struct pb_usb_channel channel = {.bus = (uint16_t)pb_get16(note),
                                           .device = note[2],
                                           .in = note[3],
                                           .out = note[4],
                                           .packet_bytes = pb_get16(note + 6),
                                           .bytes_in = pb_get64(note + 8),
                                           .bytes_out = pb_get64(note + 16)};
    pb_usb_stream_begin(&transfers->in, &channel, true);
    pb_usb_stream_begin(&transfers->out, &channel, false);
    transfers->known = true;
    int code = pb_usb_stream_read(&transfers->in, replay->recording, NULL, channel.bytes_in, why);
    if (code > 0)
        code = pb_usb_stream_read(&transfers->out, replay->recording, NULL, channel.bytes_out, why);
    return code ? code : damaged(replay, "counts more bytes than were transferred", why);
}

/* Fills a note that has only the CRC with its bytes. */
static int fetch_bytes(struct replay_transport *replay, struct pb_diag *why)
{
    struct transfers *transfers = replay->transfers;
    struct note *note = &replay->note;
    const bool in = note->kind == PB_NOTE_TAKEN;
    const uint32_t count = note->length == PB_NOTE_SUM_BYTES ? pb_get32(note->bytes) : 0;
    if (!transfers->known || !count || count > sizeof transfers->bytes)
        return damaged(replay, "has a malformed note", why);
    const int code = pb_usb_stream_read(in ? &transfers->in : &transfers->out, replay->recording,
                                        transfers->bytes, count, why);
    if (code < 0)
        return code;
    if (!code)
        return damaged(replay, "counts more bytes than were transferred", why);
    if (crc32(0, transfers->bytes, count) != pb_get32(note->bytes + 4))
        return damaged(replay, "speaks of other bytes than were transferred", why);
    note->kind = in ? PB_NOTE_READ : PB_NOTE_WRITE;
    note->bytes = transfers->bytes;
    note->length = count;
    return 1;
}

/* Stores the note, unless it is for this file only. Returns 1. */
static int take_note(struct replay_transport *replay, struct pb_diag *why)
{
    const uint8_t *head = replay->block.payload + replay->at;
    const size_t left = replay->block.length - replay->at;
    replay->note = (struct note){.kind = head[0]};
    if (left >= PB_NOTE_HEAD_BYTES) {
        replay->note.bytes = head + PB_NOTE_HEAD_BYTES;
        replay->note.length = pb_get32(head + 4);
        replay->note.time_ps = (int64_t)pb_get64(head + 8);
    }
    const enum pb_note_kind kind = replay->note.kind;
    const bool status = kind >= PB_NOTE_WRITE_FAILED && kind <= PB_NOTE_SESSION_END;
    if (left < PB_NOTE_HEAD_BYTES || replay->note.length > left - PB_NOTE_HEAD_BYTES ||
        kind < PB_NOTE_WRITE ||
        (kind > (replay->transfers ? PB_NOTE_CHANNEL : PB_NOTE_SESSION_END) && kind != PB_NOTE_CAPTURE &&
         kind != PB_NOTE_NODE) ||
        (status && replay->note.length < 4))
        return pb_fail(why, PB_ERR_CONFIG,
                       "the recording '%.120s' is damaged: block %" PRIu32
                       " has a malformed note at byte %zu; record again",
                       replay->recording->path, replay->place.sequence - 1, replay->at);
    const size_t size = PB_NOTE_HEAD_BYTES + replay->note.length;
    int code = 1;
    if (kind == PB_NOTE_CHANNEL)
        code = open_channel(replay, why);
    else if (kind == PB_NOTE_SENT || kind == PB_NOTE_TAKEN)
        code = fetch_bytes(replay, why);
    if (code < 0)
        return code;
    replay->at += size;
    replay->have_note = kind != PB_NOTE_CHANNEL;
    return 1;
}

/* Reads the next note. Returns 1, 0 (end of a complete recording) or PB_ERR_ENDED (truncated recording). */
static int peek(struct replay_transport *replay, struct pb_diag *why)
{
    while (!replay->have_note) {
        if (replay->at < replay->block.length) {
            const int code = take_note(replay, why);
            if (code < 0)
                return code;
            continue;
        }
        if (replay->block.type == PB_BLOCK_END)
            return 0;
        replay->at = 0;
        replay->block.length = 0;
        const int found = pb_block_read(replay->recording, &replay->place, &replay->block, why);
        if (found < 0)
            return found;
        if (!found)
            return pb_fail(why, PB_ERR_ENDED, "%s", replay->recording->cut);
        if (replay->block.type == PB_BLOCK_END) {
            replay->block.length = 0;
            return 0;
        }
    }
    return 1;
}

static void consume(struct replay_transport *replay)
{
    replay->have_note = false;
    replay->time_ps = replay->note.time_ps;
}

static int status_code(const struct note *note)
{
    return (int32_t)pb_get32(note->bytes);
}

/* Returns the recorded error of the call. */
static int repeat_failure(struct replay_transport *replay, struct pb_diag *diag)
{
    const struct note *note = &replay->note;
    const int code = status_code(note);
    pb_fail(diag, code, "%.*s", (int)note->length - 4, (const char *)note->bytes + 4);
    consume(replay);
    return code < 0 ? code : PB_ERR_LINK;
}

/* ---- differences from the recording */

static int differs(struct replay_transport *replay, struct pb_diag *diag, const struct pb_diag *what)
{
    struct pb_diag why;
    pb_fail(
        &why, PB_ERR_CONFIG,
        "'%.80s' does not fit this run: %s; it is of another scenario, seed or version, replay it without a "
        "scenario and with %.40s",
        replay->recording->path, what->text, replay->recording->owner.about.program);
    return fail(replay, PB_ERR_CONFIG, &why, diag);
}

/* Error: the host writes or reads, and the next note is of another kind. */
static int unexpected(struct replay_transport *replay, int found, const char *wanted, struct pb_diag *why,
                      struct pb_diag *diag)
{
    static const char *const then[] = {
        [0] = "the recorded run was over",
        [PB_NOTE_WRITE] = "it wrote then",
        [PB_NOTE_READ] = "it read then",
        [PB_NOTE_WRITE_FAILED] = "the write failed then",
        [PB_NOTE_READ_FAILED] = "a read failed then",
        [PB_NOTE_SESSION_END] = "the recorded session was over",
        [PB_NOTE_CAPTURE] = "it chose what to record then",
        [PB_NOTE_NODE] = "it asked for the state of a node then",
    };
    if (found < 0)
        return fail(replay, found, why, diag);
    const struct note *note = &replay->note;
    if (found && note->kind == PB_NOTE_SESSION_END && status_code(note)) {
        pb_fail(why, PB_ERR_ENDED, "%.*s", (int)note->length - 4, (const char *)note->bytes + 4);
        return fail(replay, PB_ERR_ENDED, why, diag);
    }
    struct pb_diag what;
    pb_fail(&what, 0, "after write %" PRIu64 " the host %s where %s", replay->writes, wanted,
            then[found ? note->kind : 0]);
    return differs(replay, diag, &what);
}

static int compare(struct replay_transport *replay, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    const struct note *note = &replay->note;
    const size_t both = count < note->length ? count : note->length;
    struct pb_diag what;
    for (size_t i = 0; i < both; i++)
        if (bytes[i] != note->bytes[i]) {
            pb_fail(&what, 0, "byte %zu of write %" PRIu64 " is 0x%02x, then it was 0x%02x", i,
                    replay->writes + 1, bytes[i], note->bytes[i]);
            return differs(replay, diag, &what);
        }
    if (count == note->length)
        return PB_OK;
    pb_fail(&what, 0, "write %" PRIu64 " has %zu bytes, the recorded one has %zu; the first %zu match",
            replay->writes + 1, count, note->length, both);
    return differs(replay, diag, &what);
}

/* ---- the transport */

static int replay_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct replay_transport *replay = (struct replay_transport *)base;
    struct pb_diag why;
    if (replay->failure)
        return pb_fail(diag, replay->failure, "%s", replay->why.text);
    int found = peek(replay, &why);
    if (found <= 0 || replay->note.kind != PB_NOTE_WRITE)
        return unexpected(replay, found, "writes", &why, diag);
    const int code = compare(replay, bytes, count, diag);
    if (code)
        return code;
    consume(replay);
    replay->writes++;
    found = peek(replay, &why);
    /* The next call reports the end. */
    return found > 0 && replay->note.kind == PB_NOTE_WRITE_FAILED ? repeat_failure(replay, diag) : PB_OK;
}

static int replay_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                       struct pb_diag *diag)
{
    struct replay_transport *replay = (struct replay_transport *)base;
    struct pb_diag why;
    (void)timeout_ms;
    if (replay->failure)
        return pb_fail(diag, replay->failure, "%s", replay->why.text);
    const int found = peek(replay, &why);
    if (found > 0 && replay->note.kind == PB_NOTE_READ_FAILED)
        return repeat_failure(replay, diag);
    if (found <= 0 || replay->note.kind != PB_NOTE_READ)
        return unexpected(replay, found, "reads", &why, diag);
    struct note *note = &replay->note;
    const size_t count = note->length < capacity ? note->length : capacity;
    if (count)
        memcpy(bytes, note->bytes, count);
    note->bytes += count;
    note->length -= count;
    if (!note->length)
        consume(replay);
    return (int)count;
}

static void replay_close(struct pb_transport *base)
{
    struct replay_transport *replay = (struct replay_transport *)base;
    pb_recording_close(replay->recording);
    free(replay->transfers);
    free(replay);
}

static const struct pb_transport_ops replay_ops = {replay_write, replay_read, replay_close};

int pb_replay_open(struct pb_transport **out, struct pb_recording *recording, struct pb_diag *diag)
{
    *out = NULL;
    int code = pb_recording_check_map(recording, diag);
    struct replay_transport *replay = code ? NULL : calloc(1, sizeof *replay);
    if (replay && recording->capture)
        replay->transfers = calloc(1, sizeof *replay->transfers);
    if (!code && (!replay || (recording->capture && !replay->transfers)))
        code = pb_fail(diag, PB_ERR_MEMORY, "no memory to replay '%.120s'", recording->path);
    if (code) {
        free(replay);
        pb_recording_close(recording);
        return code;
    }
    replay->base.ops = &replay_ops;
    replay->recording = recording;
    replay->place = recording->data;
    replay->time_ps = -1;
    *out = &replay->base;
    return PB_OK;
}

int64_t pb_replay_simulated_ps(const struct pb_transport *transport)
{
    return transport->ops == &replay_ops ? ((const struct replay_transport *)transport)->time_ps : -1;
}

bool pb_replay_simulates(const struct pb_transport *transport)
{
    return transport->ops == &replay_ops &&
           ((const struct replay_transport *)transport)->recording->owner.about.simulated;
}

int64_t pb_replay_overruns(const struct pb_transport *transport)
{
    struct replay_transport *replay = (struct replay_transport *)transport;
    struct pb_diag why;
    if (transport->ops != &replay_ops || !replay->transfers || !replay->transfers->known)
        return -1;
    /* The next note ends the session; its transfers precede its block in the file. */
    struct pb_usb_stream in = replay->transfers->in;
    if (peek(replay, &why) >= 0)
        while (pb_usb_stream_next(&in, replay->recording, replay->place.offset, &why) > 0)
            ;
    return (int64_t)in.overruns;
}

int pb_replay_capture(struct pb_transport *transport, struct pb_capture_choice *choice, struct pb_diag *diag)
{
    struct replay_transport *replay = (struct replay_transport *)transport;
    struct pb_diag why;
    if (transport->ops != &replay_ops)
        return PB_OK;
    if (replay->failure)
        return pb_fail(diag, replay->failure, "%s", replay->why.text);
    *choice = (struct pb_capture_choice){.capture = PB_CAPTURE_EDGES};
    const int found = peek(replay, &why);
    if (found < 0)
        return fail(replay, found, &why, diag);
    const struct note *note = &replay->note;
    if (!found || note->kind != PB_NOTE_CAPTURE)
        return PB_OK;
    if (note->length < 1 || note->length > sizeof choice->why ||
        (note->bytes[0] != PB_CAPTURE_EDGES && note->bytes[0] != PB_CAPTURE_BYTES)) {
        damaged(replay, "has a malformed note", &why);
        return fail(replay, PB_ERR_CONFIG, &why, diag);
    }
    choice->capture = (enum pb_capture)note->bytes[0];
    memcpy(choice->why, note->bytes + 1, note->length - 1);
    consume(replay);
    return PB_OK;
}

int pb_replay_node(struct pb_transport *transport, unsigned node_index, char text[PB_RECORDING_NODE_TEXT],
                   struct pb_diag *diag)
{
    struct replay_transport *replay = (struct replay_transport *)transport;
    struct pb_diag why;
    if (transport->ops != &replay_ops)
        return PB_OK;
    *text = '\0';
    if (replay->failure)
        return PB_OK; /* which the end of the session repeats */
    const int found = peek(replay, &why);
    if (found < 0)
        return fail(replay, found, &why, diag);
    const struct note *note = &replay->note;
    if (!found || note->kind != PB_NOTE_NODE || note->length < 1 || note->bytes[0] != node_index)
        return PB_OK;
    if (note->length > PB_RECORDING_NODE_TEXT) {
        damaged(replay, "has a malformed note", &why);
        return fail(replay, PB_ERR_CONFIG, &why, diag);
    }
    memcpy(text, note->bytes + 1, note->length - 1);
    text[note->length - 1] = '\0';
    consume(replay);
    return PB_OK;
}

int pb_replay_session_end(struct pb_transport *transport, int code, struct pb_diag *diag)
{
    struct replay_transport *replay = (struct replay_transport *)transport;
    struct pb_diag why;
    if (transport->ops != &replay_ops || code)
        return code;
    if (replay->failure)
        return pb_fail(diag, replay->failure, "%s", replay->why.text);
    const int found = peek(replay, &why);
    if (found <= 0 || replay->note.kind != PB_NOTE_SESSION_END || status_code(&replay->note))
        return unexpected(replay, found, "ends", &why, diag);
    consume(replay);
    if (*replay->recording->cut)
        return pb_fail(diag, PB_ERR_ENDED, "%s", replay->recording->cut);
    return PB_OK;
}
