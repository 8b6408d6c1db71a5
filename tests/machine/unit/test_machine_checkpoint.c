/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file of a checkpoint: that a sweep goes on from it, and what it is refused for, byte by byte.
 *
 * evidence: the checkpoint of a machine under traffic
 *   simulated: what a kill after any superframe leaves leads to the result of the run in one piece, bit for
 *   bit, and so does the command that is killed at random; a file that is cut at any length, or has a byte
 *   changed, is refused
 */
#include "tests/machine/unit/machine_fixture.h"

#include "host/base/monotonic.h"
#include "host/machine/checkpoint.h"
#include "host/machine/sweep.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { POINTS = 2, CRC_BYTES = 4, VERSION_AT = 8, LENGTH_AT = 12, ABOUT_AT = 20, SNAPSHOTS = 100 };

static struct pb_network network;
static const char *path;

static void set_up(void)
{
    network = pb_network_cube(2);
    path = formatted("%s/checkpoint", new_folder());
}
AROUND_EACH(set_up, NULL)

static struct pb_machine_sweep sweep_of(double second_load)
{
    struct pb_machine_sweep sweep = {.network = &network,
                                     .pattern = "uniform",
                                     .line = PB_MACHINE_LINE_DEFAULT,
                                     .seed = 5,
                                     .superframes = 9,
                                     .warm_up = 3,
                                     .how = {.pattern = "uniform", .burst = 1, .hot = 1, .seed = 5},
                                     .points = POINTS,
                                     .checkpoint = path,
                                     .checkpoint_every = 4};
    sweep.point = calloc(POINTS, sizeof *sweep.point);
    assert_non_null(sweep.point);
    sweep.point[0].load = 0.5;
    sweep.point[1].load = second_load;
    return sweep;
}

static void run_on(struct pb_machine_sweep *sweep)
{
    assert_succeeds(pb_machine_sweep_open(sweep, &diag));
    assert_succeeds(pb_machine_sweep_limit(sweep, &diag));
    assert_succeeds(pb_machine_sweep_run(sweep, &diag));
}

/* The file after each superframe: what a kill leaves there. */
static struct {
    struct {
        char *bytes;
        size_t size;
    } file[SNAPSHOTS];
    unsigned count;
} left;

static void look(void *context, uint64_t done, uint64_t all)
{
    (void)context, (void)done, (void)all;
    assert_true(left.count < SNAPSHOTS);
    left.file[left.count].bytes = file_read(path, &left.file[left.count].size);
    left.count++;
}

/* Leaves the file as it was after this many superframes of both loads. */
static void run_up_to(unsigned superframes)
{
    struct pb_machine_sweep sweep = sweep_of(1.5);
    left.count = 0;
    sweep.progress = look;
    run_on(&sweep);
    pb_machine_sweep_free(&sweep);
    if (superframes < left.count)
        file_write(path, left.file[superframes].bytes, left.file[superframes].size);
}

static int resumed(struct pb_diag *diag)
{
    struct pb_machine_sweep sweep = sweep_of(1.5);
    sweep.resume = true;
    const int code = pb_machine_sweep_open(&sweep, diag);
    pb_machine_sweep_free(&sweep);
    return code;
}

/* ---- a sweep goes on */

TEST(what_a_kill_after_any_superframe_leaves_leads_to_the_same_results)
{
    struct pb_machine_sweep whole = sweep_of(1.5);
    whole.checkpoint = NULL;
    run_on(&whole);
    run_up_to(UINT32_MAX);
    const unsigned superframes = left.count;
    assert_int_equal(superframes, POINTS * (9 + 3));
    for (unsigned i = 0; i <= superframes; i++) {
        struct pb_machine_sweep sweep = sweep_of(1.5);
        if (i < superframes)
            file_write(path, left.file[i].bytes, left.file[i].size);
        sweep.resume = true;
        run_on(&sweep);
        for (unsigned point = 0; point < POINTS; point++) {
            const struct pb_machine_result *const a = &whole.point[point].result, *const b =
                                                                                      &sweep.point[point]
                                                                                           .result;
            assert_int_equal(a->crossings, b->crossings);
            assert_int_equal(a->completed, b->completed);
            assert_memory_equal(a->latencies, b->latencies, (a->latency_max + 1) * sizeof *a->latencies);
            assert_memory_equal(&a->latency, &b->latency, sizeof a->latency);
            assert_memory_equal(&a->throughput, &b->throughput, sizeof a->throughput);
            assert_memory_equal(&a->occupancy, &b->occupancy, sizeof a->occupancy);
            assert_memory_equal(a->link, b->link, 4 * 2 * sizeof *a->link);
        }
        pb_machine_sweep_free(&sweep);
    }
    pb_machine_sweep_free(&whole);
}

/* ---- what is refused */

static void assert_refused(const char *because)
{
    struct pb_diag diag = {""};
    assert_int_equal(resumed(&diag), PB_ERR_CONFIG);
    if (!strstr(diag.text, because))
        fail_msg("'%s' is not in: %s", because, diag.text);
    assert_null(strchr(diag.text, '\n'));
    assert_true(strlen(diag.text) < sizeof diag.text - 1);
}

TEST(a_file_that_is_cut_at_any_length_is_refused)
{
    size_t size;

    run_up_to(20); /* a result and a run */
    char *const bytes = file_read(path, &size);
    assert_succeeds(resumed(&diag));
    for (size_t length = 0; length < size; length++) {
        size_t now;
        file_write(path, bytes, length);
        assert_refused("is cut short");
        file_read(path, &now);
        assert_int_equal(now, length);
    }
    file_write(path, formatted("%s", "some text"), 9);
    assert_refused("is no checkpoint of this command");
}

static void put(char *bytes, size_t at, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        bytes[at + i] = (char)(value >> 8 * i);
}

TEST(a_file_with_any_byte_changed_is_refused)
{
    size_t size;

    run_up_to(20);
    char *const bytes = file_read(path, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
        file_write(path, bytes, size);
        assert_refused(i < VERSION_AT      ? "is no checkpoint"
                       : i < LENGTH_AT     ? "is of version "
                       : i < LENGTH_AT + 8 ? "bytes in place of"
                                           : "is damaged: its CRC-32 is");
        bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
    }
}

/* Damage that the checksum does not show is met by what reads the content. */
TEST(a_file_with_any_byte_changed_and_a_right_checksum_is_refused_or_harmless)
{
    size_t size;

    run_up_to(20);
    char *const bytes = file_read(path, &size);
    /* What the sweep is: its length, and as many bytes. */
    const size_t end_of_about = ABOUT_AT + 4 + (uint8_t)bytes[ABOUT_AT] + 256u * (uint8_t)bytes[ABOUT_AT + 1];
    assert_in_range(end_of_about, 200, size / 2);
    for (size_t i = ABOUT_AT; i < size - CRC_BYTES; i++) {
        struct pb_machine_sweep sweep = sweep_of(1.5);
        struct pb_diag diag;
        bytes[i] = (char)~bytes[i];
        put(bytes, size - CRC_BYTES, crc32(0, (const Bytef *)bytes, (uInt)(size - CRC_BYTES)), CRC_BYTES);
        file_write(path, bytes, size);
        sweep.resume = true;
        sweep.checkpoint_every = 0;
        int code = pb_machine_sweep_open(&sweep, &diag);
        if (code == PB_OK && i % 32 == 0) /* the end of a sweep waits for the disk */
            code = pb_machine_sweep_run(&sweep, &diag);
        if (i < end_of_about)
            assert_int_equal(code, PB_ERR_CONFIG);
        pb_machine_sweep_free(&sweep);
        bytes[i] = (char)~bytes[i];
    }
}

TEST(a_file_of_another_version_is_refused)
{
    size_t size;

    run_up_to(20);
    char *const bytes = file_read(path, &size);
    put(bytes, VERSION_AT, 3, 4);
    put(bytes, size - CRC_BYTES, crc32(0, (const Bytef *)bytes, (uInt)(size - CRC_BYTES)), CRC_BYTES);
    file_write(path, bytes, size);
    assert_refused("is of version 3, and this program reads 2");
}

/* Its version is that of another release: what a result depends on may have changed. */
TEST(a_file_of_another_release_is_refused)
{
    static const char name[] = "program version";
    size_t size;

    run_up_to(20);
    char *const bytes = file_read(path, &size), *const about = bytes + ABOUT_AT + 4;
    assert_string_equal(about, name); /* the first one */
    about[sizeof name] ^= 1;
    put(bytes, size - CRC_BYTES, crc32(0, (const Bytef *)bytes, (uInt)(size - CRC_BYTES)), CRC_BYTES);
    file_write(path, bytes, size);
    assert_refused("is of a run with program version ");
}

TEST(a_file_of_another_sweep_is_refused_with_what_differs)
{
    struct pb_network cube = pb_network_cube(3);
    struct pb_machine_dead *dead;
    struct pb_diag diag;

    run_up_to(20);
    assert_int_equal(pb_machine_dead_create(&dead, &network), PB_OK);
    pb_machine_kill_link(dead, 0, 0);
    const struct pb_machine_sweep usual = sweep_of(1.5);
    struct pb_machine_sweep sweep = usual;
#define DIFFERS(change, want)                                                                                \
    do {                                                                                                     \
        sweep = usual;                                                                                       \
        sweep.resume = true;                                                                                 \
        change;                                                                                              \
        assert_int_equal(pb_machine_sweep_open(&sweep, &diag), PB_ERR_CONFIG);                               \
        if (!strstr(diag.text, want))                                                                        \
            fail_msg("'%s' is not in: %s", want, diag.text);                                                 \
    } while (0)
    DIFFERS(sweep.network = &cube, "a network of 2 dimensions, and this one has 3 dimensions");
    DIFFERS(sweep.pattern = "bitrev", "--traffic uniform, and this one has bitrev");
    DIFFERS(sweep.rule = PB_RULE_OPPORTUNISTIC, "--rule ecube, and this one has opportunistic");
    DIFFERS(sweep.seed = 6, "--seed 5, and this one has 6");
    DIFFERS(sweep.points = 1, "--load 0.5 to 1.5, 2 of them, and this one has 0.5 to 0.5, 1 of them");
    DIFFERS(sweep.closed = true, "with --load, and this one has --window");
    DIFFERS(sweep.how.batch = 2, "--batch not given, and this one has 2");
    DIFFERS(sweep.superframes = 10, "--superframes 9, and this one has 10");
    DIFFERS(sweep.warm_up = PB_MACHINE_DETECT, "--warm-up 3, and this one has detect");
    DIFFERS(sweep.how.burst = 2, "--burst 1, and this one has 2");
    DIFFERS(sweep.how.hot = 0.5, "--hot 1, and this one has 0.5");
    DIFFERS(sweep.how.any_phase = true, "--birth start, and this one has any");
    DIFFERS(sweep.how.valiant = PB_VALIANT_FREE, "--valiant none, and this one has free");
    DIFFERS(sweep.room = 4, "--room not given, and this one has 4");
    DIFFERS(sweep.room_port = 4, "--port-room not given, and this one has 4");
    DIFFERS(sweep.dead = dead, "--dead ");
    DIFFERS(sweep.search = true, "--saturation not given, and this one has given");
    sweep = usual;
    sweep.dead = NULL;
    pb_machine_sweep_free(&sweep);
    pb_machine_dead_free(dead);
}

TEST(a_trace_is_known_by_its_messages)
{
    struct pb_message message[2] = {{.source = 1, .destination = 2}, {.source = 3}};
    struct pb_machine_sweep sweep = sweep_of(1.5);
    struct pb_diag diag;

    for (unsigned i = 0; i < 3; i++) {
        struct pb_machine_sweep of = sweep;
        struct pb_traffic trace = {.message = message, .count = 2};
        of.points = 1;
        of.point[0].load = 0;
        of.pattern = "file:trace";
        of.how = (struct pb_machine_traffic_options){.trace = &trace, .hot = 1, .burst = 1};
        of.trace = trace;
        of.resume = i > 0;
        message[1].destination = i == 2;
        assert_int_equal(pb_machine_sweep_open(&of, &diag), i == 2 ? PB_ERR_CONFIG : PB_OK);
        if (i == 0)
            assert_succeeds(pb_machine_sweep_run(&of, &diag));
        if (i == 2)
            assert_non_null(strstr(diag.text, "--traffic a trace of 2 messages, CRC-32 "));
        pb_machine_result_free(&of.point[0].result);
        of.trace = (struct pb_traffic){0};
        of.point = NULL;
        of.points = 0;
        pb_machine_sweep_free(&of);
    }
    pb_machine_sweep_free(&sweep);
}

TEST(a_file_that_is_there_is_kept_and_one_that_is_missing_is_named)
{
    struct pb_machine_sweep sweep = sweep_of(1.5);
    struct pb_diag diag;
    size_t size;

    assert_refused("cannot be read: No such file");
    file_write_text(path, "mine");
    assert_int_equal(pb_machine_sweep_open(&sweep, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "exists already; give --resume"));
    assert_string_equal(file_read(path, &size), "mine");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_int_equal(pb_machine_sweep_open(&sweep, &diag), PB_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "is no regular file"));
    pb_machine_sweep_free(&sweep);
}

/* A run that is refused before its first superframe, as for lack of memory, leaves no file in the way of the
 * next one. */
TEST(a_file_in_which_nothing_was_kept_is_removed)
{
    struct pb_machine_sweep refused = sweep_of(1.5), other = sweep_of(1.5);
    struct pb_diag diag;

    assert_succeeds(pb_machine_sweep_open(&refused, &diag));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(pb_machine_sweep_open(&other, &diag), PB_ERR_ARGUMENT); /* it is not that one's */
    pb_machine_sweep_free(&other);
    assert_int_equal(access(path, F_OK), 0);
    pb_machine_sweep_free(&refused);
    assert_int_not_equal(access(path, F_OK), 0);

    /* What is there stays: of a run that has ended, and of one that goes on and keeps nothing more. */
    run_up_to(SNAPSHOTS);
    assert_succeeds(resumed(&diag));
    assert_int_equal(access(path, F_OK), 0);
}

/* Of a cube each link has as many pairs on its path. */
TEST(what_is_dead_is_known_by_its_links)
{
    struct pb_machine_dead *dead[2];
    struct pb_diag diag;
    struct pb_machine_sweep sweep[2];

    for (unsigned i = 0; i < 2; i++) {
        sweep[i] = sweep_of(1.5);
        assert_succeeds(pb_machine_dead_create(&dead[i], &network));
        pb_machine_kill_link(dead[i], i ? 2 : 0, 0);
        assert_succeeds(pb_machine_unreachable(dead[i], &sweep[i].unreachable, NULL));
        sweep[i].dead = dead[i];
        sweep[i].how.dead = dead[i];
        sweep[i].resume = i > 0;
    }
    assert_int_equal(sweep[0].unreachable, sweep[1].unreachable);
    run_on(&sweep[0]);
    assert_int_equal(pb_machine_sweep_open(&sweep[1], &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "--dead "));
    for (unsigned i = 0; i < 2; i++)
        pb_machine_sweep_free(&sweep[i]);
}

/* One that took 5 s is followed by the next one after 495 s more; one that took none, after 10 s. */
TEST(checkpoints_take_a_hundredth_of_the_time)
{
    const int64_t second_ns = 1000000000, now_ns = pb_monotonic_ns();

    assert_in_range(pb_checkpoint_due_ns(now_ns - 5 * second_ns) - now_ns, 495 * second_ns, 600 * second_ns);
    assert_in_range(pb_checkpoint_due_ns(now_ns) - now_ns, 10 * second_ns, 100 * second_ns);
}
