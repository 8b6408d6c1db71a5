/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings: what is played again is what was recorded, and nothing that is damaged, cut off or of another
 * run is ever taken for it. Files are read and forged here from docs/use/recording.md alone, with a CRC
 * computed bit by bit.
 *
 * evidence: recordings
 *   replayed bit for bit; cut at every byte, every byte flipped
 *   also: record.sh
 */
#define _GNU_SOURCE /* memmem */
#include "tests/bench/unit/check_values.h"
#include "tests/bench/unit/record_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- files */

static uint32_t get(const uint8_t *byte, int count)
{
    return count ? byte[0] | get(byte + 1, count - 1) << 8 : 0;
}

static void put(uint8_t *byte, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        byte[i] = (uint8_t)(value >> 8 * i);
}

/* The block that begins at this byte is made consistent again. */
static void seal(uint8_t *block)
{
    put(block + 12, crc32_ieee(block + 20, get(block + 8, 4)));
    put(block + 16, crc32_ieee(block, 16));
}

static size_t block_size(const uint8_t *block)
{
    return 20 + get(block + 8, 4);
}

/* The same recording with a block for each note, as a slow run would have made it. The caller frees it. */
static struct file split(const struct file *file)
{
    struct file fine = {malloc(3 * file->size + 4096), 16};
    uint32_t sequence = 0;
    memcpy(fine.byte, file->byte, 16);
    for (size_t at = 16; at < file->size; at += block_size(file->byte + at)) {
        const uint8_t *block = file->byte + at, *end = block + block_size(block);
        for (const uint8_t *part = block + 20; part < end;) {
            const size_t length = get(block, 4) == 2 ? 16 + get(part + 4, 4) : (size_t)(end - part);
            uint8_t *to = fine.byte + fine.size;
            put(to, get(block, 4));
            put(to + 4, sequence++);
            put(to + 8, (uint32_t)length);
            memcpy(to + 20, part, length);
            seal(to);
            fine.size += 20 + length;
            part += length;
        }
    }
    return fine;
}

/* ---- runs */

/* Runs it with a recorder; the result without what a replay says differently. */
static struct pb_result *record(const char *yaml)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    struct pb_result *result;
    struct pb_recorder *recorder = begin(path, yaml, &scenario);
    const struct pb_run_options options = {.recorder = recorder};
    if (pb_run(&result, scenario, &options, &diag) ||
        pb_recorder_close(recorder, 0, "pass", result->reason, &diag))
        fail_msg("%s", diag.text);
    return hand_over_result(result);
}

static void assert_same_run(struct pb_result *left, struct pb_result *right)
{
    struct pb_result *both[] = {left, right};
    for (int i = 0; i < 2; i++) {
        memset(both[i]->rig, 0, sizeof both[i]->rig);
        memset(both[i]->command, 0, sizeof both[i]->command);
    }
    assert_same_result(left, right);
}

/* ---- what was recorded is what is played */

TEST(test_replay_is_the_same_run)
{
    static const char *const yaml[] = {
        SMALL,
        "nodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'xor:0xFFF'}, {pattern: 'pairs:0x2A3', superframe: "
        "1}]\n",
        "nodes: [{address: 0x2A3, defect: flipped_bit}]\ntraffic: [{pattern: 'xor:0xFFF'}]\n",
        "nodes: [{address: 0x2A3, defect: silent}]\ntraffic: [{from: 0x2A3, to: 0}]\n",
    };
    for (size_t i = 0; i < COUNT(yaml); i++) {
        struct pb_result *live = record(yaml[i]), *again;
        assert_succeeds(replay(path, url, &again, &diag));
        assert_int_equal(live->verdict, i < 2 ? PB_VERDICT_PASS : PB_VERDICT_FAIL);
        assert_true(again->simulated_ps > 0);
        assert_same_run(live, again);
    }
}

/* The format as the documentation has it: every byte is part of a field, and the driver's own counters
 * agree. */
TEST(test_file_is_as_documented)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    struct pb_observation seen;
    struct pb_recorder *recorder = begin(path, SMALL, &scenario);
    const struct pb_run_options options = {.recorder = recorder};
    const struct pb_rig_options rig = {.recorder = recorder};
    if (pb_session_play(&seen, scenario, &options, &rig, NULL, &diag) ||
        pb_recorder_close(recorder, 5, "inconclusive", "because", &diag))
        fail_msg("%s", diag.text);
    struct file file = load(path);
    assert_memory_equal(file.byte, "\x89PBREC\r\n", 8);
    assert_int_equal(get(file.byte + 8, 2), 1);
    assert_int_equal(get(file.byte + 10, 2), 0);
    assert_int_equal(get(file.byte + 12, 4), crc32_ieee(file.byte, 12));

    uint64_t in = 0, out = 0;
    int64_t time_ps = 0;
    bool over = false;
    uint32_t sequence = 0, last_type = 1;
    for (size_t at = 16; at < file.size; at += block_size(file.byte + at)) {
        const uint8_t *block = file.byte + at, *note = block + 20;
        const uint32_t type = get(block, 4), length = get(block + 8, 4);
        assert_int_equal(get(block + 4, 4), sequence++);
        assert_int_equal(get(block + 12, 4), crc32_ieee(block + 20, length));
        assert_int_equal(get(block + 16, 4), crc32_ieee(block, 16));
        assert_true(type >= last_type && type <= 3);
        last_type = type;
        for (const uint8_t *end = note + length; type == 2 && note < end; note += 16 + get(note + 4, 4)) {
            const int64_t stamp_ps = (int64_t)(get(note + 8, 4) | (uint64_t)get(note + 12, 4) << 32);
            assert_true(stamp_ps >= time_ps);
            time_ps = stamp_ps;
            over |= note[0] == 5;
            in += note[0] == 2 && !over ? get(note + 4, 4) : 0;
            out += note[0] == 1 && !over ? get(note + 4, 4) : 0;
        }
    }
    assert_true(over);
    assert_int_equal(last_type, 3);
    assert_int_equal(in, seen.counters.bytes_in);
    assert_int_equal(out, seen.counters.bytes_out);
    assert_true(time_ps >= seen.simulated_ps);
    file.byte[file.size - 1] = 0;
    assert_non_null(strstr((char *)file.byte + file.size - 60, "\"because"));
    pb_observation_free(&seen);
}

/* ---- damage */

/* Each byte near the ends of a recording, one of 17 in between: so each place of a note of 8 bytes. */
static size_t byte_before(size_t at, size_t size)
{
    return at < 4096 || at + 512 > size ? at - 1 : at - 17;
}

TEST(test_cut_at_any_byte)
{
    struct pb_result *live = record(SMALL), *result;
    struct pb_diag diag;
    struct file whole = load(path), file = split(&whole);
    size_t judged = 0, last = SIZE_MAX;
    file_write(forged, file.byte, file.size);
    assert_int_equal(replay(forged, forged_url, &result, &diag), 0);
    assert_int_equal(result->verdict, PB_VERDICT_PASS);
    const size_t before = handed_over();
    for (size_t size = file.size; size > 0;) {
        size = byte_before(size, file.size);
        assert_int_equal(truncate(forged, (off_t)size), 0);
        const int code = replay(forged, forged_url, &result, &diag);
        if (code) {
            if (code != (size < 16 ? PB_ERR_CONFIG : PB_ERR_ENDED))
                fail_msg("%zu of %zu bytes: code %d, %s", size, file.size, code, diag.text);
            assert_non_null(strstr(diag.text, size < 16 ? "not a recording" : "ends"));
            continue;
        }
        judged++;
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_non_null(strstr(result->reason, "the recording ends in superframe "));
        assert_int_equal(result->findings_total, 0); /* what is missing counts against no node */
        assert_true(result->delivered <= live->delivered && result->slots_checked <= last); /* ever less */
        last = result->slots_checked;
        release_back_to(before);
    }
    assert_true(judged > 1000);
    assert_int_equal(last, 1); /* down to a single phase of the only link */
    free(file.byte);
}

TEST(test_any_flipped_byte_is_noticed)
{
    record(SMALL);
    struct pb_result *result;
    struct pb_diag diag;
    struct file file = load(path);
    for (size_t at = file.size; at > 0;) {
        at = byte_before(at, file.size);
        const uint8_t kept = file.byte[at];
        file.byte[at] ^= at % 9 == 8 ? 0xff : (uint8_t)(1 << at % 9);
        file_write(forged, file.byte, file.size);
        const int code = replay(forged, forged_url, &result, &diag);
        if (code != PB_ERR_CONFIG)
            fail_msg("byte %zu: code %d, %s", at, code, diag.text);
        file.byte[at] = kept;
    }
}

TEST(test_whole_blocks_cannot_be_tampered_with)
{
    record("nodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'pairs:0x2A3'}]\n");
    struct pb_result *result;
    struct pb_diag diag;
    struct file file = load(path);
    const size_t about = block_size(file.byte + 16), data = 16 + about, size = block_size(file.byte + data);
    uint8_t *copy = malloc(2 * file.size);

    /* the first block of data taken out */
    memcpy(copy, file.byte, data);
    memcpy(copy + data, file.byte + data + size, file.size - data - size);
    file_write(forged, copy, file.size - size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "damaged", "missing");
    /* and put in twice */
    memcpy(copy, file.byte, data + size);
    memcpy(copy + data + size, file.byte + data, file.size - data);
    file_write(forged, copy, file.size + size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "damaged");
    /* something after the end */
    memcpy(copy, file.byte, file.size);
    copy[file.size] = 0;
    file_write(forged, copy, file.size + 1);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "follows the end");
    /* a length beyond the limit, and notes that are none, in blocks with good CRCs */
    for (unsigned k = 0; k < 4; k++) {
        memcpy(copy, file.byte, file.size);
        uint8_t *block = copy + data;
        if (k == 0) {
            put(block + 8, 65537);
            put(block + 16, crc32_ieee(block, 16));
        } else {
            block[20 + (k == 1 ? 0 : 4)] = k == 1 ? 9 : 0xff;
            block[20 + 7] = k == 3 ? 0xff : block[20 + 7];
            seal(block);
        }
        file_write(forged, copy, file.size);
        assert_int_equal(replay(forged, forged_url, &result, &diag), PB_ERR_CONFIG);
    }
    free(copy);
}

TEST(test_other_versions_are_refused)
{
    record(SMALL);
    struct pb_result *result;
    struct pb_diag diag;
    struct file file = load(path);
    file.byte[8] = 2;
    put(file.byte + 12, crc32_ieee(file.byte, 12));
    file_write(forged, file.byte, file.size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "version 2", "reads 1", "use ");

    file = load(path);
    char *map = memmem(file.byte + 36, file.size - 36, "map_hash\": \"0x", 14);
    assert_non_null(map);
    memcpy(map + 14, "0badcafe", 8);
    seal(file.byte + 16);
    file_write(forged, file.byte, file.size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "0x0badcafe",
            "this program knows", "record again");

    /* An older program wrote none: it asked the nodes nothing. */
    file = load(path);
    char *session = memmem(file.byte + 36, file.size - 36, "\"session\": ", 11);
    assert_non_null(session);
    memcpy(session, "\"xession\"", 9);
    seal(file.byte + 16);
    file_write(forged, file.byte, file.size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "sessions of version 1",
            formatted("version %d", PB_SESSION_VERSION), "record again");

    file = load(path);
    char *text = memmem(file.byte + 36, file.size - 36, "superframes: 4", 14);
    assert_non_null(text);
    text[13] = '3';
    seal(file.byte + 16);
    file_write(forged, file.byte, file.size);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "hash");
}

TEST(test_other_things_are_no_recordings)
{
    struct pb_result *result;
    struct pb_diag diag;
    file_write_text(forged, "");
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "0 bytes", "not a recording");
    file_write_text(forged, SMALL);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "not a recording");
    assert_false(pb_recording_detect(forged));
    REFUSED(replay(folder, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "a directory");
    assert_int_equal(unlink(forged), 0);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "No such file");
    assert_int_equal(mkfifo(forged, 0600), 0);
    REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "no regular file");
    assert_false(pb_recording_detect(forged)); /* and does not wait for a writer */
    assert_int_equal(unlink(forged), 0);
    if (geteuid()) { /* the superuser may read everything */
        file_write_text(forged, "x");
        assert_int_equal(chmod(forged, 0), 0);
        REFUSED(replay(forged, forged_url, &result, &diag), &diag, PB_ERR_CONFIG, "Permission denied");
        assert_int_equal(unlink(forged), 0);
    }
}

/* ---- another run */

TEST(test_another_run_is_noticed_at_its_first_byte)
{
    record("nodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0}]\n");
    static const char *const other[] = {
        "seed: 2\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0}]\n",
        "superframes: 9\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0}]\n",
        "link: {guard: 12 us}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 1}]\n",
    };
    for (size_t i = 0; i < COUNT(other); i++) {
        struct pb_scenario *scenario = parse_scenario(other[i]);
        const struct pb_run_options options = {.rig_url = url};
        struct pb_result *result;
        struct pb_diag diag = {""};
        const int code = pb_run(&result, scenario, &options, &diag);
        pb_result_free(result);
        REFUSED(code, &diag, PB_ERR_CONFIG, "byte ", " of write ", " is 0x", "then it was 0x",
                "replay it without");
    }
}

/* ---- runs that were broken off */

struct stopper {
    volatile sig_atomic_t stop;
    size_t events, limit;
};

static void stop_after(void *context, const struct pb_device_info *info, const struct pb_event *event,
                       size_t count)
{
    struct stopper *stopper = context;
    assert_true(info->clock_hz > 0);
    assert_non_null(event);
    stopper->events += count;
    stopper->stop = stopper->events > stopper->limit;
}

TEST(test_interrupted_run_is_inconclusive)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    struct pb_result *result;
    struct stopper stopper = {.limit = 3000};
    struct pb_recorder *recorder =
        begin(path, "nodes: [{address: 0x2A3}]\ntraffic: [{pattern: 'xor:0xFFF', repeat: 6}]\n", &scenario);
    const struct pb_run_options options = {
        .recorder = recorder, .on_events = stop_after, .context = &stopper, .stop = &stopper.stop};
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_INTERRUPTED);
    hand_over_result(result);
    assert_int_equal(pb_recorder_close(recorder, 130, "interrupted", "", &diag), 0);
    assert_true(stopper.events > stopper.limit);
    assert_int_equal(replay(path, url, &result, &diag), 0);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(result->reason, "the recording ends in superframe "));
    assert_non_null(strstr(result->reason, "interrupted"));
    assert_int_equal(result->findings_total, 0);
    assert_in_range(result->events, 500, stopper.events);
    assert_in_range(result->delivered, 1, result->messages - 1);
}

/* ---- texts */

TEST(test_traffic_files_are_in_the_recording)
{
    char yaml[96], traffic[96];
    struct pb_scenario *scenario;
    struct pb_scenario_texts texts = {0};
    struct pb_diag diag = {""};
    struct pb_result *live, *again;
    struct pb_recorder *recorder;
    snprintf(yaml, sizeof yaml, "%s/s.yaml", folder);
    snprintf(traffic, sizeof traffic, "%s/t.txt", folder);
    file_write_text(yaml, "cube: {dims: 2}\nnodes: [{address: 0}]\ntraffic: [{file: t.txt, repeat: 2}]\n");
    file_write_text(traffic, "1 0 # in\n1 2\n");
    assert_succeeds(pb_scenario_load_texts(&scenario, &texts, yaml, &diag));
    assert_int_equal(texts.count, 2);
    assert_string_equal(texts.text[1].name, "t.txt");
    const uint64_t hash = pb_recording_hash(&texts, scenario->seed, scenario->superframes);
    const struct pb_recording_about about = {.verb = "run",
                                             .rig_url = "sim:",
                                             .simulated = true,
                                             .seed = scenario->seed,
                                             .superframes = scenario->superframes,
                                             .texts = &texts};
    if (pb_recorder_open(&recorder, &(struct pb_record_paths){.stream = path, .force = true}, &about, &diag))
        fail_msg("%s", diag.text);
    const struct pb_run_options options = {.recorder = recorder};
    assert_int_equal(pb_run(&live, scenario, &options, &diag), 0);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", &diag), 0);
    unlink(yaml);
    unlink(traffic);
    assert_succeeds(replay(path, url, &again, &diag));
    assert_int_equal(again->messages, 4);
    assert_same_run(live, again);
    pb_result_free(live);

    /* Every byte of every text, the seed and the length of the run are in the hash. */
    texts.text[1].text[0] = '3';
    assert_int_not_equal(pb_recording_hash(&texts, scenario->seed, scenario->superframes), hash);
    texts.text[1].text[0] = '1';
    assert_int_equal(pb_recording_hash(&texts, scenario->seed, scenario->superframes), hash);
    assert_int_not_equal(pb_recording_hash(&texts, scenario->seed + 1, scenario->superframes), hash);
    assert_int_not_equal(pb_recording_hash(&texts, scenario->seed, scenario->superframes + 1), hash);
    /* A file that is not among the texts is not read from the disk. */
    pb_scenario_free(scenario);
    free(texts.text[1].name);
    texts.text[1].name = strdup("u.txt");
    REFUSED(pb_scenario_parse_texts(&scenario, &texts, true, &diag), &diag, PB_ERR_CONFIG, "t.txt",
            "texts of the recording");
    pb_scenario_texts_free(&texts);
}
