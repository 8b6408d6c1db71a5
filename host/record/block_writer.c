/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/block_writer.h"
#include "host/base/monotonic.h"
#include "host/base/whole_file.h"
#include "host/record/pcapng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define FLUSH_NS INT64_C(100000000)
#define PACKETS_BYTES (4 * PB_PCAPNG_PACKET_MAX)

struct pb_record_file {
    int descriptor;
    char *path;
    uint32_t sequence; /* of the next block */
    uint64_t written;  /* bytes in the file */
    size_t used;       /* of the payload in block */
    uint8_t *packets;  /* PACKETS_BYTES, of a capture; else NULL */
    size_t packets_used;
    int64_t oldest_ns; /* time of the oldest buffered note or packet */
    int failure;       /* errno of the failed write; 0: none */
    uint8_t block[PB_BLOCK_HEAD_BYTES + PB_BLOCK_MAX];
};

/* ---- writing */

static void put_bytes(struct pb_record_file *file, const uint8_t *bytes, size_t count)
{
    while (count && !file->failure) {
        const ssize_t done = write(file->descriptor, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            file->failure = done ? errno : ENOSPC;
            return;
        }
        file->written += (uint64_t)done;
        bytes += done;
        count -= (size_t)done;
    }
}

static void put_block(struct pb_record_file *file, enum pb_block_type type)
{
    uint8_t *head = file->block, *payload = head + PB_BLOCK_HEAD_BYTES;
    pb_put32(head, type);
    pb_put32(head + 4, file->sequence++);
    pb_put32(head + 8, (uint32_t)file->used);
    pb_put32(head + 12, (uint32_t)crc32(0, payload, (unsigned)file->used));
    pb_put32(head + 16, (uint32_t)crc32(0, head, 16));
    const size_t count = PB_BLOCK_HEAD_BYTES + file->used;
    uint8_t before[PB_PCAPNG_HEAD_BYTES], behind[PB_PCAPNG_OWN_TAIL_MAX];
    const size_t tail = file->packets ? pb_pcapng_own(before, behind, count) : 0;
    put_bytes(file, before, file->packets ? sizeof before : 0);
    put_bytes(file, head, count);
    put_bytes(file, behind, tail);
    file->used = 0;
}

static void put_packets(struct pb_record_file *file)
{
    put_bytes(file, file->packets, file->packets_used);
    file->packets_used = 0;
}

void pb_record_file_flush(struct pb_record_file *file)
{
    put_packets(file);
    if (file->used)
        put_block(file, PB_BLOCK_DATA);
}

void pb_record_file_flush_when_old(struct pb_record_file *file)
{
    if ((file->used || file->packets_used) && pb_monotonic_ns() - file->oldest_ns >= FLUSH_NS)
        pb_record_file_flush(file);
}

static void begin_to_gather(struct pb_record_file *file)
{
    if (!file->used && !file->packets_used)
        file->oldest_ns = pb_monotonic_ns();
}

void pb_record_file_urb(struct pb_record_file *file, const struct pb_urb *urb)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (file->packets_used > PACKETS_BYTES - PB_PCAPNG_PACKET_MAX)
        put_packets(file);
    begin_to_gather(file);
    file->packets_used += pb_pcapng_packet(file->packets + file->packets_used, urb,
                                           now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000);
    pb_record_file_flush_when_old(file);
}

void pb_record_file_text(struct pb_record_file *file, enum pb_block_type type, const char *text)
{
    for (size_t left = strlen(text); left;) {
        file->used = left < PB_BLOCK_MAX ? left : PB_BLOCK_MAX;
        memcpy(file->block + PB_BLOCK_HEAD_BYTES, text, file->used);
        text += file->used;
        left -= file->used;
        put_block(file, type);
    }
}

void pb_record_file_note(struct pb_record_file *file, enum pb_note_kind kind, unsigned timeout_ms,
                         int64_t time_ps, const uint8_t *bytes, size_t count)
{
    const size_t size = PB_NOTE_HEAD_BYTES + count;
    if (file->failure)
        return;
    if (file->used + size > PB_BLOCK_MAX)
        pb_record_file_flush(file);
    begin_to_gather(file);
    uint8_t *note = file->block + PB_BLOCK_HEAD_BYTES + file->used;
    note[0] = (uint8_t)kind;
    note[1] = 0;
    pb_put16(note + 2, timeout_ms < 0xffff ? timeout_ms : 0xffff);
    pb_put32(note + 4, (uint32_t)count);
    pb_put64(note + 8, (uint64_t)time_ps);
    if (count)
        memcpy(note + PB_NOTE_HEAD_BYTES, bytes, count);
    file->used += size;
    pb_record_file_flush_when_old(file);
}

/* ---- creating */

static int refuse_kind(const struct stat *status, const char *path, struct pb_diag *diag)
{
    if (S_ISREG(status->st_mode) || S_ISCHR(status->st_mode))
        return PB_OK;
    return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': it is %s; name a file", path,
                   S_ISDIR(status->st_mode) ? "a directory" : "no regular file");
}

static int open_file(struct pb_record_file *file, const char *path, bool force, struct pb_diag *diag)
{
    struct stat status;
    file->descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (force ? 0 : O_EXCL), 0666);
    if (file->descriptor < 0 && errno == EEXIST)
        return pb_fail(
            diag, PB_ERR_IO,
            "the recording '%s' exists already; choose another name, or give --force to replace it", path);
    if (file->descriptor < 0)
        return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': %s; check the path, or choose another", path,
                       strerror(errno));
    if (fstat(file->descriptor, &status) == 0 && refuse_kind(&status, path, diag))
        return PB_ERR_IO;
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0)
        return pb_fail(diag, PB_ERR_IO, "cannot record to '%s': %s; wait for it, or choose another name",
                       path, errno == EWOULDBLOCK ? "another program is using it" : strerror(errno));
    if (S_ISREG(status.st_mode) && ftruncate(file->descriptor, 0) != 0)
        return pb_fail(diag, PB_ERR_IO, "cannot empty '%s': %s; choose another name", path, strerror(errno));
    return PB_OK;
}

static void put_beginning(struct pb_record_file *file, const char *verb)
{
    char comment[100];
    uint8_t bytes[PB_PCAPNG_BEGIN_MAX] = PB_RECORDING_MAGIC;
    size_t count = PB_PROLOGUE_BYTES;
    if (file->packets) {
        snprintf(comment, sizeof comment,
                 "USB transfers of a run; 'phasebench %s --rig replay:FILE' repeats it", verb);
        count = pb_pcapng_begin(bytes, "phasebench " PB_VERSION, comment);
    } else {
        pb_put16(bytes + 8, PB_RECORDING_VERSION);
        pb_put16(bytes + 10, 0);
        pb_put32(bytes + 12, (uint32_t)crc32(0, bytes, 12));
    }
    put_bytes(file, bytes, count);
}

static void destroy(struct pb_record_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->packets);
    free(file->path);
    free(file);
}

int pb_record_file_open(struct pb_record_file **out, const char *path, bool force, bool capture,
                        const char *verb, struct pb_diag *diag)
{
    *out = NULL;
    struct pb_record_file *file = calloc(1, sizeof *file);
    if (!file)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the recording '%s'", path);
    file->descriptor = -1;
    file->path = strdup(path);
    if (capture)
        file->packets = malloc(PACKETS_BYTES);
    int code = !file->path || (capture && !file->packets)
                   ? pb_fail(diag, PB_ERR_MEMORY, "no memory for the recording '%s'", path)
                   : open_file(file, path, force, diag);
    if (code) {
        destroy(file);
        return code;
    }
    put_beginning(file, verb);
    *out = file;
    return PB_OK;
}

int pb_record_file_check(const struct pb_record_file *file, struct pb_diag *diag)
{
    if (!file || !file->failure)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_IO,
        "cannot write the recording '%s' beyond %llu bytes: %s; free some space, or choose another place",
        file->path, (unsigned long long)file->written, strerror(file->failure));
}

int pb_record_file_close(struct pb_record_file *file, struct pb_diag *diag)
{
    if (!file)
        return PB_OK;
    if (close(file->descriptor) != 0 && !file->failure)
        file->failure = errno;
    file->descriptor = -1;
    const int code = pb_record_file_check(file, diag);
    if (code && !file->written)
        pb_drop_empty_file(file->path);
    destroy(file);
    return code;
}
