/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The writing side. Notes gather in one block, which is written when it is full or 100 ms old. */
#include "host/record/about.h"
#include "host/record/format.h"
#include "host/record/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define FLUSH_NS INT64_C(100000000)
#define READ_MAX 32768 /* so that a read fits a block */

struct pb_recorder {
    int file;
    char *path;
    uint32_t sequence; /* of the next block */
    uint64_t written;  /* bytes in the file */
    size_t used;       /* of the payload in block */
    int64_t oldest_ns; /* when the first note of the block was made */
    int failure;       /* errno of the write that failed; 0: none */
    uint8_t block[PB_BLOCK_HEAD_BYTES + PB_BLOCK_MAX];
};

struct recording_transport {
    struct pb_transport base;
    struct pb_transport *inner; /* owned */
    struct pb_recorder *recorder;
    int64_t (*time_ps)(const struct pb_transport *inner);
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- the file */

static void put_bytes(struct pb_recorder *recorder, const uint8_t *bytes, size_t count)
{
    while (count && !recorder->failure) {
        const ssize_t done = write(recorder->file, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            recorder->failure = done ? errno : ENOSPC;
            return;
        }
        recorder->written += (uint64_t)done;
        bytes += done;
        count -= (size_t)done;
    }
}

static void put_block(struct pb_recorder *recorder, enum pb_block_type type)
{
    uint8_t *head = recorder->block, *payload = head + PB_BLOCK_HEAD_BYTES;
    pb_put32(head, type);
    pb_put32(head + 4, recorder->sequence++);
    pb_put32(head + 8, (uint32_t)recorder->used);
    pb_put32(head + 12, (uint32_t)crc32(0, payload, (unsigned)recorder->used));
    pb_put32(head + 16, (uint32_t)crc32(0, head, 16));
    put_bytes(recorder, head, PB_BLOCK_HEAD_BYTES + recorder->used);
    recorder->used = 0;
}

static void flush(struct pb_recorder *recorder)
{
    if (recorder->used)
        put_block(recorder, PB_BLOCK_DATA);
}

static void flush_when_old(struct pb_recorder *recorder)
{
    if (recorder->used && now_ns() - recorder->oldest_ns >= FLUSH_NS)
        flush(recorder);
}

static void put_text(struct pb_recorder *recorder, enum pb_block_type type, const char *text)
{
    for (size_t left = strlen(text); left;) {
        recorder->used = left < PB_BLOCK_MAX ? left : PB_BLOCK_MAX;
        memcpy(recorder->block + PB_BLOCK_HEAD_BYTES, text, recorder->used);
        text += recorder->used;
        left -= recorder->used;
        put_block(recorder, type);
    }
}

static void put_note(struct pb_recorder *recorder, enum pb_note_kind kind, unsigned timeout_ms,
                     int64_t time_ps, const uint8_t *bytes, size_t count)
{
    const size_t size = PB_NOTE_HEAD_BYTES + count;
    if (recorder->failure)
        return;
    if (recorder->used + size > PB_BLOCK_MAX)
        flush(recorder);
    if (!recorder->used)
        recorder->oldest_ns = now_ns();
    uint8_t *note = recorder->block + PB_BLOCK_HEAD_BYTES + recorder->used;
    note[0] = (uint8_t)kind;
    note[1] = 0;
    pb_put16(note + 2, timeout_ms < 0xffff ? timeout_ms : 0xffff);
    pb_put32(note + 4, (uint32_t)count);
    pb_put64(note + 8, (uint64_t)time_ps);
    if (count)
        memcpy(note + PB_NOTE_HEAD_BYTES, bytes, count);
    recorder->used += size;
    flush_when_old(recorder);
}

/* A note about something that went wrong, or the end of the session. */
static void put_status(struct pb_recorder *recorder, enum pb_note_kind kind, int64_t time_ps, int code,
                       const struct pb_diag *diag)
{
    uint8_t bytes[4 + sizeof diag->text];
    const size_t length = code && diag ? strlen(diag->text) : 0;
    pb_put32(bytes, (uint32_t)code);
    memcpy(bytes + 4, diag ? diag->text : "", length);
    put_note(recorder, kind, 0, time_ps, bytes, 4 + length);
}

static int refuse_kind(const struct stat *status, const char *path, struct pb_diag *diag)
{
    if (S_ISREG(status->st_mode) || S_ISCHR(status->st_mode))
        return PB_OK;
    return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': it is %s; name a file", path,
                   S_ISDIR(status->st_mode) ? "a directory" : "no regular file");
}

static int open_file(struct pb_recorder *recorder, const char *path, bool force, struct pb_diag *diag)
{
    struct stat status;
    recorder->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (force ? 0 : O_EXCL), 0666);
    if (recorder->file < 0 && errno == EEXIST)
        return pb_fail(
            diag, PB_ERR_IO,
            "the recording '%s' exists already; choose another name, or give --force to replace it", path);
    if (recorder->file < 0)
        return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': %s; check the path, or choose another", path,
                       strerror(errno));
    if (fstat(recorder->file, &status) == 0 && refuse_kind(&status, path, diag))
        return PB_ERR_IO;
    if (flock(recorder->file, LOCK_EX | LOCK_NB) != 0)
        return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': %s; wait for it, or choose another name",
                       path, errno == EWOULDBLOCK ? "another program is using it" : strerror(errno));
    if (S_ISREG(status.st_mode) && ftruncate(recorder->file, 0) != 0)
        return pb_fail(diag, PB_ERR_IO, "cannot empty '%s': %s; choose another name", path, strerror(errno));
    return PB_OK;
}

static void put_prologue(struct pb_recorder *recorder)
{
    uint8_t prologue[PB_PROLOGUE_BYTES];
    memcpy(prologue, PB_RECORDING_MAGIC, 8);
    pb_put16(prologue + 8, PB_RECORDING_VERSION);
    pb_put16(prologue + 10, 0);
    pb_put32(prologue + 12, (uint32_t)crc32(0, prologue, 12));
    put_bytes(recorder, prologue, sizeof prologue);
}

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
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to describe the run in '%s'", recorder->path);
    put_prologue(recorder);
    put_text(recorder, PB_BLOCK_ABOUT, text);
    free(text);
    return pb_recorder_check(recorder, diag);
}

static void destroy(struct pb_recorder *recorder)
{
    if (recorder->file >= 0)
        close(recorder->file);
    free(recorder->path);
    free(recorder);
}

int pb_recorder_open(struct pb_recorder **out, const char *path, bool force,
                     const struct pb_recording_about *about, struct pb_diag *diag)
{
    *out = NULL;
    struct pb_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder || !(recorder->path = strdup(path))) {
        free(recorder);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the recording '%s'", path);
    }
    int code = open_file(recorder, path, force, diag);
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
    if (!recorder || !recorder->failure)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_IO,
        "cannot write the recording '%s' beyond %llu bytes: %s; free some space, or choose another place",
        recorder->path, (unsigned long long)recorder->written, strerror(recorder->failure));
}

int pb_recorder_close(struct pb_recorder *recorder, int exit_code, const char *outcome, const char *reason,
                      struct pb_diag *diag)
{
    if (!recorder)
        return PB_OK;
    char *text = pb_outcome_write(exit_code, outcome, reason);
    flush(recorder);
    if (text)
        put_text(recorder, PB_BLOCK_END, text);
    int code =
        text ? PB_OK : pb_fail(diag, PB_ERR_MEMORY, "no memory to end the recording '%s'", recorder->path);
    free(text);
    if (close(recorder->file) != 0 && !recorder->failure)
        recorder->failure = errno;
    recorder->file = -1;
    if (!code)
        code = pb_recorder_check(recorder, diag);
    destroy(recorder);
    return code;
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
    put_note(recorder, PB_NOTE_WRITE, 0, time_ps, bytes, count);
    if (code) {
        put_status(recorder, PB_NOTE_WRITE_FAILED, time_ps, code, &own);
        return pb_fail(diag, code, "%s", own.text);
    }
    return code;
}

static int record_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                       struct pb_diag *diag)
{
    struct recording_transport *transport = (struct recording_transport *)base;
    struct pb_recorder *recorder = transport->recorder;
    struct pb_diag own = {""};
    flush_when_old(recorder); /* the read may take its time */
    const int count = transport->inner->ops->read(
        transport->inner, bytes, capacity < READ_MAX ? capacity : READ_MAX, timeout_ms, &own);
    const int64_t time_ps = transport->time_ps(transport->inner);
    if (count < 0) {
        put_status(recorder, PB_NOTE_READ_FAILED, time_ps, count, &own);
        return pb_fail(diag, count, "%s", own.text);
    }
    put_note(recorder, PB_NOTE_READ, timeout_ms, time_ps, bytes, (size_t)count);
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

int pb_recording_session_end(struct pb_transport *transport, int code, struct pb_diag *diag)
{
    if (transport->ops != &recording_ops)
        return pb_replay_session_end(transport, code, diag);
    struct recording_transport *around = (struct recording_transport *)transport;
    code = pb_recording_session_end(around->inner, code, diag);
    put_status(around->recorder, PB_NOTE_SESSION_END, around->time_ps(around->inner), code, diag);
    return code;
}
