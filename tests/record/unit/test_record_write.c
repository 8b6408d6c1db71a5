/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The recorder: what it keeps of a transport that fails, when it writes, whom it lets write, and what is left
 * when the disk is full. */
#include "host/record/metadata.h"
#include "tests/bench/unit/record_fixture.h"
#include "tests/bench/unit/tests.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A transport that counts what is written and fails at will. */
struct spy {
    struct pb_transport base;
    unsigned writes, reads, fail_read, fail_write;
    size_t answer; /* bytes of a read */
    bool closed;
};

static int spy_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct spy *spy = (struct spy *)base;
    (void)bytes;
    (void)count;
    return ++spy->writes == spy->fail_write ? pb_fail(diag, PB_ERR_IO, "the cable fell out") : 0;
}

static int spy_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                    struct pb_diag *diag)
{
    struct spy *spy = (struct spy *)base;
    (void)timeout_ms;
    if (++spy->reads == spy->fail_read)
        return pb_fail(diag, PB_ERR_LINK, "the chip is gone");
    const size_t count = spy->answer < capacity ? spy->answer : capacity;
    memset(bytes, (int)spy->reads, count);
    return (int)count;
}

static void spy_close(struct pb_transport *base)
{
    ((struct spy *)base)->closed = true;
}

static const struct pb_transport_ops spy_ops = {spy_write, spy_read, spy_close};

static int64_t no_time(const struct pb_transport *transport)
{
    (void)transport;
    return -1;
}

static struct pb_transport *spied(struct spy *spy, struct pb_recorder *recorder)
{
    struct pb_transport *transport = &spy->base;
    spy->base.ops = &spy_ops;
    assert_int_equal(pb_recorder_attach(recorder, &transport, no_time, NULL), 0);
    return transport;
}

/* Failed calls fail again, with their own words; a short reader gets all bytes nevertheless. */
TEST(test_failures_are_repeated)
{
    struct pb_scenario *scenario;
    struct spy spy = {.fail_write = 2, .fail_read = 2, .answer = 5};
    uint8_t bytes[8];
    struct pb_diag diag = {""};
    struct pb_recorder *recorder = begin(path, SMALL, &scenario);
    for (int again = 0; again < 2; again++) {
        struct pb_transport *transport;
        struct pb_recording *recording;
        if (again) {
            assert_int_equal(pb_recording_open(&recording, path, &diag), 0);
            assert_null(pb_recording_cut(recording));
            assert_int_equal(pb_replay_open(&transport, recording, &diag), 0);
        } else
            transport = spied(&spy, recorder);
        const struct pb_transport_ops *ops = transport->ops;
        assert_int_equal(ops->write(transport, (const uint8_t *)"abc", 3, &diag), 0);
        if (again) {
            assert_int_equal(ops->read(transport, bytes, 3, 10, &diag), 3);
            assert_int_equal(ops->read(transport, bytes + 3, 5, 10, &diag), 2);
        } else
            assert_int_equal(ops->read(transport, bytes, sizeof bytes, 10, &diag), 5);
        assert_memory_equal(bytes, "\1\1\1\1\1", 5);
        assert_int_equal(ops->write(transport, (const uint8_t *)"de", 2, &diag), PB_ERR_IO);
        assert_string_equal(diag.text, "the cable fell out");
        assert_int_equal(ops->read(transport, bytes, sizeof bytes, 10, &diag), PB_ERR_LINK);
        assert_string_equal(diag.text, "the chip is gone");
        assert_int_equal(pb_rig_simulated_ps(transport), -1);
        if (again) { /* the recording is over: neither call may go on, nor any after it */
            assert_int_equal(ops->read(transport, bytes, sizeof bytes, 10, &diag), PB_ERR_CONFIG);
            assert_int_equal(ops->write(transport, (const uint8_t *)"f", 1, &diag), PB_ERR_CONFIG);
        }
        ops->close(transport);
        if (!again)
            assert_int_equal(pb_recorder_close(recorder, 4, "failed", "", &diag), 0);
    }
    assert_true(spy.closed);
}

TEST(test_session_must_end_where_it_ended)
{
    struct pb_scenario *scenario;
    struct spy spy = {.answer = 5};
    uint8_t bytes[8];
    struct pb_diag diag = {""};
    struct pb_transport *transport;
    struct pb_recording *recording;
    struct pb_recorder *recorder = begin(path, SMALL, &scenario);
    transport = spied(&spy, recorder);
    assert_int_equal(transport->ops->read(transport, bytes, 8, 1, &diag), 5);
    assert_int_equal(pb_recording_session_end(transport, 0, &diag), 0);
    transport->ops->close(transport);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", &diag), 0);
    for (int reads = 0; reads < 3; reads++) {
        assert_int_equal(pb_recording_open(&recording, path, &diag), 0);
        assert_int_equal(pb_replay_open(&transport, recording, &diag), 0);
        for (int i = 0; i < reads; i++)
            assert_int_equal(transport->ops->read(transport, bytes, 8, 1, &diag), i ? PB_ERR_CONFIG : 5);
        assert_int_equal(pb_recording_session_end(transport, 0, &diag), reads == 1 ? 0 : PB_ERR_CONFIG);
        assert_int_equal(pb_recording_session_end(transport, PB_ERR_NODE, &diag), PB_ERR_NODE);
        transport->ops->close(transport);
    }
}

/* ---- writing */

static off_t file_size(const char *name)
{
    struct stat status;
    assert_int_equal(stat(name, &status), 0);
    return status.st_size;
}

TEST(test_blocks_are_written_in_time)
{
    struct pb_scenario *scenario;
    struct spy spy = {.answer = 1000};
    uint8_t bytes[1000];
    struct pb_diag diag = {""};
    struct pb_recorder *recorder = begin(path, SMALL, &scenario);
    struct pb_transport *transport = spied(&spy, recorder);
    const off_t head = file_size(path);
    /* 64 KiB, whatever the clock says: 66 reads of 1016 bytes make more than one block. */
    for (int i = 0; i < 66; i++)
        assert_int_equal(transport->ops->read(transport, bytes, sizeof bytes, 1, &diag), 1000);
    assert_in_range(file_size(path) - head, 64 * 1016, 66 * 1016 + 3 * 20);
    /* And 100 ms. */
    const off_t before = file_size(path);
    assert_int_equal(transport->ops->write(transport, bytes, 100, &diag), 0);
    nanosleep(&(struct timespec){.tv_nsec = 110000000}, NULL);
    assert_int_equal(transport->ops->read(transport, bytes, sizeof bytes, 1, &diag), 1000);
    assert_true(file_size(path) > before + 100);

    /* Another host may neither replace it nor take it for finished. */
    const struct pb_scenario_texts none = {0};
    const struct pb_recording_about about = {
        .verb = "run", .rig_url = "sim:", .superframes = 1, .texts = &none};
    struct pb_recorder *second;
    struct pb_recording *recording;
    REFUSED(
        pb_recorder_open(&second, &(struct pb_record_paths){.stream = path, .force = true}, &about, &diag),
        &diag, PB_ERR_IO, "another program");
    REFUSED(
        pb_recorder_open(&second, &(struct pb_record_paths){.stream = path, .force = false}, &about, &diag),
        &diag, PB_ERR_IO, "exists already", "--force");
    assert_int_equal(pb_recording_open(&recording, path, &diag), 0);
    assert_non_null(strstr(pb_recording_cut(recording), "still being written"));
    pb_recording_close(recording);
    transport->ops->close(transport);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", &diag), 0);
    /* One that is being read is not replaced either. */
    assert_int_equal(pb_recording_open(&recording, path, &diag), 0);
    assert_null(pb_recording_cut(recording));
    REFUSED(
        pb_recorder_open(&second, &(struct pb_record_paths){.stream = path, .force = true}, &about, &diag),
        &diag, PB_ERR_IO, "another program");
    pb_recording_close(recording);
    REFUSED(
        pb_recorder_open(&second, &(struct pb_record_paths){.stream = folder, .force = true}, &about, &diag),
        &diag, PB_ERR_IO, "directory");
    REFUSED(pb_recorder_open(&second, &(struct pb_record_paths){.stream = "/no/such/folder/x", .force = true},
                             &about, &diag),
            &diag, PB_ERR_IO, "No such");
    assert_int_equal(mkfifo(forged, 0600), 0);
    assert_int_equal(
        pb_recorder_open(&second, &(struct pb_record_paths){.stream = forged, .force = true}, &about, &diag),
        PB_ERR_IO);
    assert_int_equal(unlink(forged), 0);
    if (!access("/dev/full", W_OK))
        REFUSED(pb_recorder_open(&second, &(struct pb_record_paths){.stream = "/dev/full", .force = true},
                                 &about, &diag),
                &diag, PB_ERR_IO, "No space", "free");
}

/* In a process of its own, whose files may grow to 16 KiB. */
static int fill_a_small_disk(void)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    struct pb_transport *transport;
    struct pb_device *device;
    uint32_t value = 0;
    struct pb_recorder *recorder = begin(path, SMALL, &scenario);
    const struct pb_rig_options rig = {.recorder = recorder};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){16384, 16384});
    if (pb_rig_open(&transport, &rig, scenario, &diag) || pb_device_open(&device, transport, &diag))
        return 1;
    for (int i = 0; i < 5000 && !pb_recorder_check(recorder, NULL); i++)
        if (pb_device_read(device, PB_REG_ID, &value, &diag))
            return 2;
    if (pb_recorder_check(recorder, &diag) != PB_ERR_IO || !strstr(diag.text, "File too large"))
        return 3;
    /* The core can still be made safe. */
    if (pb_device_write(device, PB_REG_ABORT, 1, &diag) || pb_device_read(device, PB_REG_ID, &value, &diag) ||
        value != PB_ID_VALUE)
        return 4;
    pb_device_close(device);
    if (pb_recorder_close(recorder, 4, "failed", "", &diag) != PB_ERR_IO)
        return 5;
    return 0;
}

TEST(test_full_disk)
{
    struct pb_recording *recording;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(fill_a_small_disk());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_in_range(file_size(path), 1, 16384);
    assert_succeeds(pb_recording_open(&recording, path, &diag));
    assert_non_null(strstr(pb_recording_cut(recording), "the file ends"));
    pb_recording_close(recording);
}

/* A session checks the recorder itself: the run ends, and not with a broken link. */
TEST(test_run_ends_with_its_recorder)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    struct pb_result *result;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct pb_recorder *recorder =
            begin(path, "nodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'xor:0xFFF', repeat: 9}]\n",
                  &scenario);
        const struct pb_run_options options = {.recorder = recorder};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){16384, 16384});
        const int code = pb_run(&result, scenario, &options, &diag);
        _exit(code == PB_ERR_IO && strstr(diag.text, "cannot write the recording") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- the description of the run */

static void refuses(json_t *root, const char *what)
{
    struct pb_about_owner owner;
    struct pb_diag diag = {""};
    char *text = json_dumps(root, 0);
    assert_non_null(text);
    if (pb_about_read(&owner, text, strlen(text), &diag) != PB_ERR_CONFIG)
        fail_msg("%s is taken", what);
    pb_about_free(&owner);
    free(text);
}

/* Each member of `within` is missing, or of a type that none has. */
static void spoil(json_t *root, json_t *within)
{
    for (size_t left = json_object_size(within); left; left--) {
        /* Put back it is the last, so each comes to be the first. */
        char *key = strdup(json_object_iter_key(json_object_iter(within)));
        json_t *value = json_incref(json_object_get(within, key));
        json_object_del(within, key);
        if (strcmp(key, "simulated") && strcmp(key, "session")) /* older recordings have neither */
            refuses(root, key);
        json_object_set_new(within, key, json_real(0.5));
        refuses(root, key);
        json_object_set(within, key, value);
        spoil(root, value);
        json_decref(value);
        free(key);
    }
}

TEST(test_description_of_the_run)
{
    static const struct {
        const char *key;
        json_int_t value;
    } wrong[] = {{"superframes", 0}, {"superframes", -1}, {"superframes", INT64_C(1) << 32},
                 {"session", 0},     {"session", -1},     {"session", INT64_C(1) << 32}};
    struct pb_scenario_texts texts = {0};
    struct pb_about_owner owner;
    assert_int_equal(pb_scenario_texts_add(&texts, "caf\351.yaml", SMALL, strlen(SMALL)), 0);
    const struct pb_recording_about about = {.program = "phasebench",
                                             .verb = "run",
                                             .rig_url = "sim:./caf\351",
                                             .started_utc = "2026-01-15T09:30:00Z",
                                             .map_hash = 0xfedcba98,
                                             .seed = UINT64_MAX,
                                             .superframes = UINT32_MAX,
                                             .superframes_given = true,
                                             .hash = pb_recording_hash(&texts, UINT64_MAX, UINT32_MAX),
                                             .texts = &texts};
    char *text = pb_about_write(&about);
    assert_non_null(text);
    assert_succeeds(pb_about_read(&owner, text, strlen(text), &diag));
    assert_string_equal(owner.about.rig_url, "sim:./caf?"); /* a path may hold bytes that JSON cannot */
    assert_string_equal(owner.about.texts->text[0].name, "caf?.yaml");
    assert_string_equal(owner.about.verb, "run");
    assert_int_equal(owner.about.map_hash, 0xfedcba98);
    assert_true(owner.about.seed == UINT64_MAX && owner.about.superframes == UINT32_MAX);
    assert_true(!owner.about.seed_given && owner.about.superframes_given);
    pb_about_free(&owner);

    json_t *root = json_loads(text, 0, NULL);
    spoil(root, root);
    spoil(root, json_array_get(json_object_get(root, "texts"), 0));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        json_t *kept = json_incref(json_object_get(root, wrong[i].key));
        json_object_set_new(root, wrong[i].key, json_integer(wrong[i].value));
        refuses(root, wrong[i].key);
        json_object_set(root, wrong[i].key, kept);
        json_decref(kept);
    }
    json_object_set_new(root, "seed", json_string("5"));
    refuses(root, "another seed than that of the hash");
    json_object_set_new(root, "texts", json_array());
    refuses(root, "a run of no text");
    json_decref(root);
    free(text);
    pb_scenario_texts_free(&texts);
}
