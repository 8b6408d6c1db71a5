/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file: magic, version (4), bytes of the file (8), what the sweep is (4 and as many bytes), points (4),
 * of each its kind (1), bytes (8) and the bytes, and the CRC-32 of all before. Numbers are little endian.
 */
#include "checkpoint.h"

#include "host/base/bytes.h"
#include "host/base/file_output.h"
#include "host/base/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAGIC "\x89PBMCP\r\n"
enum { MAGIC_BYTES = 8, VERSION = 2, HEAD_BYTES = MAGIC_BYTES + 4 + 8, RECORD_BYTES = 1 + 8, CRC_BYTES = 4 };
static const int64_t period_ns = INT64_C(10000000000);
enum { SHARE = 100 };

struct pb_checkpoint {
    struct pb_file_output file;
    struct pb_bytes about; /* pairs of a name and a value, each ends with NUL */
    struct pb_kept *kept;  /* [point] */
    unsigned points;
    bool at_once; /* each result is written at once */
    bool reads;   /* another process writes it */
    bool made;    /* by this process, which has not tried to keep anything in it */
    pthread_mutex_t lock;
    int64_t due_ns; /* of a result */
    bool changed;   /* since it was written */
};

int64_t pb_checkpoint_due_ns(int64_t began_ns)
{
    const int64_t now_ns = pb_monotonic_ns(), rest_ns = (now_ns - began_ns) * (SHARE - 1);
    return now_ns + (rest_ns > period_ns ? rest_ns : period_ns);
}

/* ---- what the sweep is: all on which its results depend */

static void say(struct pb_bytes *about, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct pb_bytes *about, const char *name, const char *format, ...)
{
    char value[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    pb_put_bytes(about, name, strlen(name) + 1);
    pb_put_bytes(about, value, strlen(value) + 1);
}

/* 0: the option is not given. */
static void say_count(struct pb_bytes *about, const char *name, uint32_t count)
{
    say(about, name, count ? "%" PRIu32 : "not given", count);
}

static void say_traffic(struct pb_bytes *about, const struct pb_machine_sweep *sweep)
{
    struct pb_bytes list = {0};

    for (size_t i = 0; i < sweep->trace.count; i++) {
        const struct pb_message *message = &sweep->trace.message[i];
        uint32_t word[] = {message->source, message->destination, message->release_superframe,
                           message->release_phase};
        pb_pass_words(&list, word, sizeof word / sizeof word[0]);
    }
    if (sweep->how.trace)
        say(about, "--traffic", "a trace of %zu messages, CRC-32 %08lx", sweep->trace.count,
            crc32_z(0, list.byte, list.count));
    else
        say(about, "--traffic", "%s", sweep->pattern);
    about->failed |= list.failed;
    free(list.byte);
}

static void say_loads(struct pb_bytes *about, const struct pb_machine_sweep *sweep)
{
    const struct pb_machine_point *first = sweep->point, *last = first + sweep->points - 1;

    if (sweep->closed)
        say(about, "--window", "%u to %u, %u of them", first->window, last->window, sweep->points);
    else
        say(about, "--load", "%.8g to %.8g, %u of them", first->load, last->load, sweep->points);
}

/* A link is dead if a message cannot cross it. */
static void say_dead(struct pb_bytes *about, const struct pb_machine_sweep *sweep)
{
    const struct pb_network *network = sweep->network;
    unsigned long crc = 0;

    for (uint32_t node = 0; sweep->dead && node < network->nodes; node++)
        for (unsigned port = 0; port < network->ports; port++) {
            const uint32_t other = pb_network_neighbour(network, node, port);
            const uint8_t dead = !pb_machine_reaches(sweep->dead, node, other);
            crc = crc32(crc, &dead, 1);
        }
    if (sweep->dead)
        say(about, "--dead", "%" PRIu64 " unreachable pairs, CRC-32 %08lx", sweep->unreachable, crc);
    else
        say(about, "--dead", "not given");
}

static void describe(struct pb_bytes *about, const struct pb_machine_sweep *sweep)
{
    static const char *const valiant[] = {"none", "free", "barrier"};
    const struct pb_machine_traffic_options *how = &sweep->how;
    char network[PB_NETWORK_TEXT_SIZE];

    say(about, "program version", "%s", PB_VERSION);
    say(about, "a network of", "%s", pb_network_text(sweep->network, network));
    say_traffic(about, sweep);
    say(about, "--rule", "%s", sweep->rule == PB_RULE_ECUBE ? "ecube" : "opportunistic");
    say(about, "--seed", "%" PRIu64, sweep->seed);
    say_loads(about, sweep);
    say_count(about, "--batch", how->batch);
    say(about, "--superframes", "%" PRIu32, sweep->superframes);
    say(about, "--warm-up", sweep->warm_up == PB_MACHINE_DETECT ? "detect" : "%" PRIu32, sweep->warm_up);
    say(about, "--burst", "%u", how->burst);
    say(about, "--hot", "%g", how->hot);
    say(about, "--birth", "%s", how->any_phase ? "any" : "start");
    say(about, "--valiant", "%s", valiant[how->valiant]);
    say_count(about, "--room", sweep->room);
    say_count(about, "--port-room", sweep->room_port);
    say_dead(about, sweep);
    say(about, "--saturation", "%s", sweep->search ? "given" : "not given");
}

/* ---- writing */

static int write_failed(const struct pb_checkpoint *checkpoint, int error, struct pb_diag *diag)
{
    return pb_fail(
        diag, PB_ERR_IO,
        "machine: the checkpoint '%.120s' could not be written: %s; one that was there is as it was; "
        "mend that, and go on with --resume",
        checkpoint->file.path, strerror(error));
}

static int exists(const char *path, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_ARGUMENT,
                   "machine: the checkpoint '%.120s' exists already; give --resume to go on from it, or "
                   "choose another name",
                   path);
}

struct writer {
    struct pb_file_stream out;
    unsigned long crc;
    bool failed;
    int error;
};

static void put(struct writer *writer, const void *bytes, size_t count)
{
    if (writer->failed || !count)
        return;
    writer->crc = crc32_z(writer->crc, bytes, count);
    writer->failed = fwrite(bytes, 1, count, writer->out.stream) != count;
    writer->error = writer->failed ? errno : 0;
}

/* Puts a number, and keeps nothing of it. */
static void put_number(struct writer *writer, uint64_t number, unsigned width)
{
    uint8_t byte[8];
    for (unsigned i = 0; i < width; i++)
        byte[i] = (uint8_t)(number >> 8 * i);
    put(writer, byte, width);
}

static void put_all(struct writer *writer, const struct pb_checkpoint *checkpoint)
{
    uint64_t length = HEAD_BYTES + 4 + checkpoint->about.count + 4 + CRC_BYTES;

    for (unsigned i = 0; i < checkpoint->points; i++)
        length += RECORD_BYTES + checkpoint->kept[i].count;
    put(writer, MAGIC, MAGIC_BYTES);
    put_number(writer, VERSION, 4);
    put_number(writer, length, 8);
    put_number(writer, checkpoint->about.count, 4);
    put(writer, checkpoint->about.byte, checkpoint->about.count);
    put_number(writer, checkpoint->points, 4);
    for (unsigned i = 0; i < checkpoint->points; i++) {
        put_number(writer, checkpoint->kept[i].kind, 1);
        put_number(writer, checkpoint->kept[i].count, 8);
        put(writer, checkpoint->kept[i].bytes, checkpoint->kept[i].count);
    }
    put_number(writer, writer->crc, CRC_BYTES);
}

/* Of a checkpoint that is locked. */
static int write_now(struct pb_checkpoint *checkpoint, struct pb_diag *diag)
{
    checkpoint->made = false;
    const int64_t began_ns = pb_monotonic_ns();
    struct writer writer = {0};
    sigset_t before;

    if (checkpoint->reads)
        return PB_OK;

    pb_file_hold_signals(&before);
    int error = pb_file_stream_begin(&writer.out, &checkpoint->file) ? errno : 0;
    if (!error) {
        put_all(&writer, checkpoint);
        if (pb_file_stream_end(&writer.out, writer.failed, writer.error))
            error = errno;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (error)
        return error == EEXIST ? exists(checkpoint->file.path, diag) : write_failed(checkpoint, error, diag);
    checkpoint->made = checkpoint->file.exclusive;
    checkpoint->file.exclusive = false;
    checkpoint->changed = false;
    checkpoint->due_ns = pb_checkpoint_due_ns(began_ns);
    return PB_OK;
}

int pb_checkpoint_write(struct pb_checkpoint *checkpoint, struct pb_diag *diag)
{
    pthread_mutex_lock(&checkpoint->lock);
    const int code = checkpoint->changed ? write_now(checkpoint, diag) : PB_OK;
    pthread_mutex_unlock(&checkpoint->lock);
    return code;
}

int pb_checkpoint_keep(struct pb_checkpoint *checkpoint, unsigned point, const struct pb_kept *kept,
                       struct pb_diag *diag)
{
    int code = PB_OK;

    pthread_mutex_lock(&checkpoint->lock);
    free(checkpoint->kept[point].bytes);
    checkpoint->kept[point] = *kept;
    checkpoint->changed = true;
    if (kept->kind == PB_KEPT_RUN || checkpoint->at_once || pb_monotonic_ns() >= checkpoint->due_ns)
        code = write_now(checkpoint, diag);
    pthread_mutex_unlock(&checkpoint->lock);
    return code;
}

const struct pb_kept *pb_checkpoint_of(const struct pb_checkpoint *checkpoint, unsigned point)
{
    return &checkpoint->kept[point];
}

/* ---- reading */

#define ANEW "begin anew, under another name and without --resume"

static int read_failed(const char *path, struct pb_diag *diag)
{
    return pb_fail(diag, errno == ENOENT ? PB_ERR_CONFIG : PB_ERR_IO,
                   "machine: the checkpoint '%.120s' cannot be read: %s; leave out --resume to begin", path,
                   strerror(errno));
}

/* A regular file: pb_checkpoint_open has looked. */
static int read_whole(const char *path, struct pb_bytes *bytes, struct pb_diag *diag)
{
    struct stat status;
    FILE *stream = fopen(path, "rbe");

    if (!stream)
        return read_failed(path, diag);
    bytes->byte = fstat(fileno(stream), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (bytes->byte)
        bytes->count = fread(bytes->byte, 1, (size_t)status.st_size, stream);
    const bool failed = ferror(stream);
    const int code = failed         ? read_failed(path, diag)
                     : !bytes->byte ? pb_fail(diag, PB_ERR_MEMORY,
                                              "machine: no memory for the checkpoint '%.120s'; close other "
                                              "programs",
                                              path)
                                    : PB_OK;
    fclose(stream);
    return code;
}

static int check_form(const char *path, struct pb_bytes *bytes, struct pb_diag *diag)
{
    const size_t count = bytes->count;
    uint64_t version = 0, length = 0, sum = 0;

    if (memcmp(bytes->byte, MAGIC, count < MAGIC_BYTES ? count : MAGIC_BYTES) != 0)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: '%.120s' is no checkpoint of this command; name one that it made", path);
    bytes->taken = count < MAGIC_BYTES ? count : MAGIC_BYTES;
    pb_pass(bytes, &version, 4);
    if (!bytes->failed && version != VERSION)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: the checkpoint '%.120s' is of version %" PRIu64
                       ", and this program reads %d; go on with the program that made it, or " ANEW,
                       path, version, VERSION);
    pb_pass(bytes, &length, 8);
    if (bytes->failed)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: the checkpoint '%.120s' is cut short: it has %zu bytes, and its head alone "
                       "has %d; " ANEW,
                       path, count, HEAD_BYTES);
    if (length != count || count < HEAD_BYTES + CRC_BYTES)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "machine: the checkpoint '%.120s' is cut short or damaged: it has %zu bytes in place of "
            "%" PRIu64 "; " ANEW,
            path, count, length);
    const unsigned long crc = crc32_z(0, bytes->byte, count - CRC_BYTES);
    struct pb_bytes end = {.byte = bytes->byte, .count = count, .taken = count - CRC_BYTES, .reads = true};
    pb_pass(&end, &sum, CRC_BYTES);
    bytes->count -= CRC_BYTES;
    if (crc != sum)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "machine: the checkpoint '%.120s' is damaged: its CRC-32 is %08lx in place of %08" PRIx64
            "; " ANEW,
            path, crc, sum);
    return PB_OK;
}

static int damaged(const char *path, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_CONFIG,
                   "machine: the checkpoint '%.120s' is damaged: what it says is not possible; " ANEW, path);
}

/* The text at a place, which moves behind it; NULL: it has no end. */
static const char *next_text(const char *text, size_t length, size_t *at)
{
    const size_t from = *at, end = from + strnlen(text + from, length - from);
    *at = end + 1;
    return end < length ? text + from : NULL;
}

/* Compares what the sweep is with what the file says, name by name. */
static int check_about(const struct pb_checkpoint *checkpoint, const char *text, size_t length,
                       struct pb_diag *diag)
{
    const char *const path = checkpoint->file.path, *const own = (const char *)checkpoint->about.byte;
    const size_t own_length = checkpoint->about.count;
    size_t at = 0, own_at = 0;

    while (own_at < own_length) {
        const char *const name = next_text(own, own_length, &own_at);
        const char *const value = next_text(own, own_length, &own_at);
        const char *const its_name = at < length ? next_text(text, length, &at) : NULL;
        const char *const its_value = at < length ? next_text(text, length, &at) : NULL;
        if (!its_name || !its_value)
            return damaged(path, diag);
        if (strcmp(name, its_name) != 0) /* --load or --window */
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "machine: the checkpoint '%.120s' is of a run with %.40s, and this one has %.40s; give "
                "what it had, or " ANEW,
                path, its_name, name);
        if (strcmp(value, its_value) != 0)
            return pb_fail(
                diag, PB_ERR_CONFIG,
                "machine: the checkpoint '%.80s' is of a run with %s %.50s, and this one has %.50s; "
                "give what it had, or " ANEW,
                path, name, its_value, value);
    }
    return at == length ? PB_OK : damaged(path, diag);
}

static bool read_record(struct pb_bytes *bytes, struct pb_kept *kept)
{
    PB_PASS(bytes, 1, kept->kind);
    PB_PASS(bytes, 8, kept->count);
    if (!pb_demand(bytes, kept->kind < PB_KEPT_KINDS && (kept->kind || !kept->count)) ||
        !pb_demand_left(bytes, kept->count, 1)) {
        *kept = (struct pb_kept){0};
        return true;
    }
    kept->bytes = kept->count ? malloc(kept->count) : NULL;
    if (kept->bytes)
        memcpy(kept->bytes, bytes->byte + bytes->taken, kept->count);
    bytes->taken += kept->count;
    return kept->bytes || !kept->count;
}

static int read_records(struct pb_checkpoint *checkpoint, struct pb_bytes *bytes, struct pb_diag *diag)
{
    uint64_t points = 0;
    bool there = true;

    pb_pass(bytes, &points, 4);
    pb_demand(bytes, points == checkpoint->points);
    for (unsigned i = 0; i < checkpoint->points && there; i++)
        there = read_record(bytes, &checkpoint->kept[i]);
    if (!there)
        return pb_fail(diag, PB_ERR_MEMORY,
                       "machine: no memory for the checkpoint '%.120s'; close other programs",
                       checkpoint->file.path);
    return pb_demand(bytes, bytes->taken == bytes->count) ? PB_OK : damaged(checkpoint->file.path, diag);
}

static int read_file(struct pb_checkpoint *checkpoint, struct pb_diag *diag)
{
    const char *const path = checkpoint->file.path;
    struct pb_bytes bytes = {.reads = true};
    uint64_t length = 0;

    int code = read_whole(path, &bytes, diag);
    if (code == PB_OK)
        code = check_form(path, &bytes, diag);
    if (code == PB_OK) {
        pb_pass(&bytes, &length, 4);
        code = pb_demand_left(&bytes, length, 1)
                   ? check_about(checkpoint, (char *)bytes.byte + bytes.taken, (size_t)length, diag)
                   : damaged(path, diag);
    }
    if (code == PB_OK) {
        bytes.taken += (size_t)length;
        code = read_records(checkpoint, &bytes, diag);
    }
    free(bytes.byte);
    return code;
}

/* ---- the sweep's */

static int check_place(struct pb_checkpoint *checkpoint, const struct pb_machine_sweep *sweep,
                       struct pb_diag *diag)
{
    struct stat status;
    const bool there = lstat(sweep->checkpoint, &status) == 0;

    checkpoint->file.path = sweep->checkpoint;
    if (there && !S_ISREG(status.st_mode))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: '%.120s' is no regular file, and a checkpoint is replaced as a whole; name "
                       "another one",
                       sweep->checkpoint);
    if (checkpoint->reads && !sweep->resume)
        return PB_OK;
    if (there && !sweep->resume)
        return exists(sweep->checkpoint, diag);
    if (!there && sweep->resume)
        return read_failed(sweep->checkpoint, diag);
    const int error = pb_file_output_check(&checkpoint->file, sweep->checkpoint);
    if (error || checkpoint->file.direct)
        return pb_fail(
            diag, PB_ERR_IO,
            "machine: the checkpoint '%.120s' cannot be made: %s; name a file in a folder that can be "
            "written",
            sweep->checkpoint, strerror(error ? error : EACCES));
    return PB_OK;
}

int pb_checkpoint_open(struct pb_checkpoint **out, const struct pb_machine_sweep *sweep, struct pb_diag *diag)
{
    struct pb_checkpoint *checkpoint = *out = calloc(1, sizeof *checkpoint);
    int code = PB_OK;

    if (checkpoint) {
        pthread_mutex_init(&checkpoint->lock, NULL);
        checkpoint->kept = calloc(sweep->points, sizeof *checkpoint->kept);
        checkpoint->points = sweep->points;
        checkpoint->at_once = sweep->checkpoint_every != 0;
        checkpoint->reads = sweep->ranks && sweep->ranks->own > 0;
        describe(&checkpoint->about, sweep);
    }
    if (!checkpoint || !checkpoint->kept || checkpoint->about.failed)
        code = pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for a checkpoint of %u loads; give fewer",
                       sweep->points);
    if (code == PB_OK)
        code = check_place(checkpoint, sweep, diag);
    if (code == PB_OK && sweep->resume)
        code = read_file(checkpoint, diag);
    else if (code == PB_OK) { /* of two runs that begin at once the second one is refused */
        checkpoint->file.exclusive = true;
        code = write_now(checkpoint, diag);
    }
    if (code) {
        pb_checkpoint_close(checkpoint);
        *out = NULL;
    }
    return code;
}

void pb_checkpoint_close(struct pb_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    if (checkpoint->made) /* it would refuse the same command, and there is nothing to go on from */
        unlink(checkpoint->file.path);
    for (unsigned i = 0; checkpoint->kept && i < checkpoint->points; i++)
        free(checkpoint->kept[i].bytes);
    free(checkpoint->kept);
    free(checkpoint->about.byte);
    pthread_mutex_destroy(&checkpoint->lock);
    free(checkpoint);
}
