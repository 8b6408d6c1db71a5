/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reader of recordings, block by block. */
#include "host/record/pcapng.h"
#include "host/record/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define ABOUT_MAX ((size_t)256 << 20)

/* ---- blocks */

int pb_recording_bytes(struct pb_recording *recording, uint64_t offset, uint8_t *bytes, size_t count,
                       struct pb_diag *diag)
{
    while (count) {
        const ssize_t got = pread(recording->file, bytes, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "cannot read the recording '%.120s' at byte %" PRIu64 ": %s; copy it anew",
                           recording->path, offset, got ? strerror(errno) : "it has become shorter");
        bytes += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return PB_OK;
}

static int damaged(const struct pb_recording *recording, const struct pb_block_place *place,
                   struct pb_diag *diag, const char *what)
{
    return pb_fail(diag, PB_ERR_CONFIG,
                   "the recording '%.120s' is damaged: block %" PRIu32 " at byte %" PRIu64
                   " %s; copy it anew, or record again",
                   recording->path, place->sequence, place->offset, what);
}

static int cut_off(struct pb_recording *recording, const struct pb_block_place *place, uint64_t there)
{
    const char *who =
        recording->busy ? "it is still being written" : "its writer was killed, or lost its last part";
    if (there)
        snprintf(recording->cut, sizeof recording->cut,
                 "the file ends inside block %" PRIu32 ", %" PRIu64 " bytes after its start: %s",
                 place->sequence, there, who);
    else
        snprintf(recording->cut, sizeof recording->cut,
                 "the file ends after %" PRIu32 " blocks without an end: %s", place->sequence, who);
    return 0;
}

/* Finds the next block; in a capture it skips packets and sets *frame. Returns as pb_block_read. */
static int find_block(struct pb_recording *recording, struct pb_block_place *place,
                      struct pb_capture_frame *frame, struct pb_diag *diag)
{
    *frame = (struct pb_capture_frame){.body = place->offset, .end = recording->size};
    if (!recording->capture)
        return 1;
    for (uint64_t offset = place->offset;; offset = frame->end) {
        const int found = pb_capture_frame(recording, offset, frame, diag);
        if (found < 0)
            return found;
        if (!found)
            return cut_off(recording, place, offset < recording->size ? recording->size - offset : 0);
        if (frame->type == PB_PCAPNG_OWN)
            break;
    }
    frame->end -= PB_PCAPNG_FRAME_BYTES - PB_PCAPNG_HEAD_BYTES;
    return 1;
}

int pb_block_read(struct pb_recording *recording, struct pb_block_place *place, struct pb_block *block,
                  struct pb_diag *diag)
{
    uint8_t head[PB_BLOCK_HEAD_BYTES];
    struct pb_capture_frame frame;
    int code = find_block(recording, place, &frame, diag);
    if (code <= 0)
        return code;
    const uint64_t there = frame.end - frame.body;
    if (there < sizeof head)
        return recording->capture ? damaged(recording, place, diag, "is too short for its head")
                                  : cut_off(recording, place, there);
    code = pb_recording_bytes(recording, frame.body, head, sizeof head, diag);
    if (code)
        return code;
    if (pb_get32(head + 16) != crc32(0, head, 16))
        return damaged(recording, place, diag, "has a wrong CRC over its head");
    const uint32_t type = pb_get32(head), length = pb_get32(head + 8);
    if (pb_get32(head + 4) != place->sequence)
        return damaged(recording, place, diag, "has another number, so some are missing");
    if (type < PB_BLOCK_ABOUT || type > PB_BLOCK_END || length > PB_BLOCK_MAX)
        return damaged(recording, place, diag, "has an unknown type or length");
    if (recording->capture && there - sizeof head - length > 3)
        return damaged(recording, place, diag, "does not fill its frame");
    if (there < sizeof head + length)
        return cut_off(recording, place, there);
    code = pb_recording_bytes(recording, frame.body + sizeof head, block->payload, length, diag);
    if (code)
        return code;
    if (pb_get32(head + 12) != crc32(0, block->payload, length))
        return damaged(recording, place, diag, "has a wrong CRC");
    block->type = type;
    block->length = length;
    place->offset = recording->capture ? frame.end + PB_PCAPNG_FRAME_BYTES - PB_PCAPNG_HEAD_BYTES
                                       : frame.body + sizeof head + length;
    place->sequence++;
    return 1;
}

/* ---- opening */

static bool has_magic(int file, const char *wanted, size_t count)
{
    char magic[8];
    return pread(file, magic, count, 0) == (ssize_t)count && !memcmp(magic, wanted, count);
}

static bool has_stream_magic(int file)
{
    return has_magic(file, PB_RECORDING_MAGIC, 8);
}

static bool has_capture_magic(int file)
{
    return has_magic(file, PB_PCAPNG_MAGIC, 4);
}

bool pb_recording_detect(const char *path)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool found = file >= 0 && (has_stream_magic(file) || has_capture_magic(file));
    if (file >= 0)
        close(file);
    return found;
}

static int open_file(struct pb_recording *recording, struct pb_diag *diag)
{
    struct stat status;
    const char *path = recording->path;
    recording->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (recording->file < 0 || fstat(recording->file, &status) != 0)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "cannot open the recording '%.120s': %s; check path and permissions", path,
                       strerror(errno));
    if (!S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_CONFIG, "'%.120s' is %s, not a recording; name a file made with --record",
                       path, S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
    recording->size = (uint64_t)status.st_size;
    /* Held while the recording is open, so that no recorder overwrites it. */
    recording->busy = flock(recording->file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return PB_OK;
}

static int check_prologue(struct pb_recording *recording, struct pb_diag *diag)
{
    uint8_t prologue[PB_PROLOGUE_BYTES];
    recording->capture = has_capture_magic(recording->file);
    if (recording->capture)
        return pb_capture_check(recording, diag);
    if (has_magic(recording->file, "\xd4\xc3\xb2\xa1", 4) ||
        has_magic(recording->file, "\xa1\xb2\xc3\xd4", 4) ||
        has_magic(recording->file, "\x4d\x3c\xb2\xa1", 4) ||
        has_magic(recording->file, "\xa1\xb2\x3c\x4d", 4))
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "'%.120s' is a capture in the old pcap format, which has no place for the scenario of a "
            "run; name a pcapng file made with --record-usb",
            recording->path);
    if (!has_stream_magic(recording->file) || recording->size < sizeof prologue)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "'%.120s' (%" PRIu64
                       " bytes) is not a recording: it does not begin like one; name a file "
                       "made with --record",
                       recording->path, recording->size);
    const int code = pb_recording_bytes(recording, 0, prologue, sizeof prologue, diag);
    if (code)
        return code;
    if (pb_get32(prologue + 12) != crc32(0, prologue, 12))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the recording '%.120s' is damaged: wrong CRC over its first 12 bytes; copy it anew",
                       recording->path);
    const unsigned version = pb_get16(prologue + 8);
    if (version != PB_RECORDING_VERSION)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "the recording '%.120s' has format version %u, this program reads %d; use the version of "
            "phasebench that wrote it, or a later one",
            recording->path, version, PB_RECORDING_VERSION);
    return PB_OK;
}

/* Reads the description, one or several blocks. Returns 1 with *block after it, or 0: no block follows. */
static int read_about(struct pb_recording *recording, struct pb_block *block, struct pb_diag *diag)
{
    struct pb_block_place place = {recording->capture ? 0 : PB_PROLOGUE_BYTES, 0};
    struct pb_diag cause = {""};
    char *text = NULL;
    size_t length = 0;
    int found;
    recording->data = place;
    while ((found = pb_block_read(recording, &place, block, diag)) > 0 && block->type == PB_BLOCK_ABOUT) {
        char *grown = length + block->length < ABOUT_MAX ? realloc(text, length + block->length + 1) : NULL;
        if (!grown) {
            free(text);
            return pb_fail(diag, PB_ERR_MEMORY, "no memory to read the recording '%.120s'", recording->path);
        }
        text = grown;
        memcpy(text + length, block->payload, block->length);
        length += block->length;
        recording->data = place;
    }
    int code = found < 0 ? found : pb_about_read(&recording->owner, text ? text : "", length, &cause);
    free(text);
    if (found == 0 && code == PB_ERR_CONFIG)
        return pb_fail(diag, PB_ERR_ENDED, "'%.120s' holds nothing to replay: %s; record again",
                       recording->path, recording->cut);
    if (found > 0 && code)
        return pb_fail(diag, code, "the recording '%.120s': %s", recording->path, cause.text);
    return code ? code : found;
}

static int check_blocks(struct pb_recording *recording, struct pb_diag *diag)
{
    struct pb_block *block = malloc(sizeof *block);
    if (!block)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory to read the recording '%.120s'", recording->path);
    int found = read_about(recording, block, diag);
    struct pb_block_place place = recording->data, at = place;
    while (found > 0 && (at = place, found = pb_block_read(recording, &place, block, diag)) > 0) {
        if (block->type == PB_BLOCK_END)
            break;
        if (block->type != PB_BLOCK_DATA)
            found = damaged(recording, &at, diag, "describes the run in the middle of its data");
    }
    if (found > 0 && place.offset != recording->size)
        found = damaged(recording, &place, diag, "follows the end of the run");
    free(block);
    return found < 0 ? found : PB_OK;
}

int pb_recording_open(struct pb_recording **out, const char *path, struct pb_diag *diag)
{
    *out = NULL;
    struct pb_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the recording '%.120s'", path);
    recording->file = -1;
    const int length = snprintf(recording->path, sizeof recording->path, "%s", path);
    int code =
        length < (int)sizeof recording->path
            ? open_file(recording, diag)
            : pb_fail(diag, PB_ERR_CONFIG, "the path '%.60s...' has %d bytes, %zu are the limit; shorten it",
                      path, length, sizeof recording->path - 1);
    if (!code)
        code = check_prologue(recording, diag);
    if (!code)
        code = check_blocks(recording, diag);
    if (code) {
        pb_recording_close(recording);
        return code;
    }
    *out = recording;
    return PB_OK;
}

void pb_recording_close(struct pb_recording *recording)
{
    if (!recording)
        return;
    if (recording->file >= 0)
        close(recording->file);
    pb_about_free(&recording->owner);
    free(recording);
}

/* ---- contents */

const struct pb_recording_about *pb_recording_about(const struct pb_recording *recording)
{
    return &recording->owner.about;
}

const char *pb_recording_cut(const struct pb_recording *recording)
{
    return *recording->cut ? recording->cut : NULL;
}

int pb_recording_check_map(const struct pb_recording *recording, struct pb_diag *diag)
{
    const struct pb_recording_about *about = &recording->owner.about;
    if (about->map_hash == PB_MAP_HASH && about->session == PB_SESSION_VERSION)
        return PB_OK;
    if (about->map_hash == PB_MAP_HASH)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "the recording '%.120s' is of sessions of version %" PRIu32
            ", this program's are of version %d and say something else to core and nodes; replay it with "
            "the program that wrote it, or record again",
            recording->path, about->session, PB_SESSION_VERSION);
    return pb_fail(diag, PB_ERR_CONFIG,
                   "the recording '%.120s' is of register map 0x%08" PRIx32
                   ", this program knows 0x%08x; replay it "
                   "with %.40s, which wrote it, or record again",
                   recording->path, about->map_hash, PB_MAP_HASH, about->program);
}

int pb_recording_scenario(const struct pb_recording *recording, struct pb_scenario **out,
                          struct pb_diag *diag)
{
    const struct pb_recording_about *about = &recording->owner.about;
    struct pb_scenario_texts *texts = (struct pb_scenario_texts *)&recording->owner.texts;
    int code = pb_scenario_parse_texts(out, texts, true, diag);
    if (code)
        return code;
    (*out)->superframes = about->superframes;
    code = pb_scenario_set_seed(*out, about->seed, diag);
    if (code) {
        pb_scenario_free(*out);
        *out = NULL;
    }
    return code;
}
