/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Captures of USB transfers: the bytes of a packet against the layout of usbmon, a fake chip whose calls
 * must come back from its transfers, and files that were cut, damaged or forged. The files are walked and
 * forged here from the draft of pcapng and docs/use/recording.md alone. */
#include "host/base/ftdi_status.h"
#include "host/record/urb.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/record_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum { PACKET = 512, IN = 0x83, OUT = 0x04, BUS = 3, DEVICE = 9, OVERRUN = 2, BYTES_MAX = 1 << 20 };
enum { CALLS = 60, FEW = 4 /* short ones, for a file of few bytes */ };

static struct pb_recorder *begin_capture(const char *name, struct pb_scenario_texts *texts)
{
    struct pb_recorder *recorder;
    *texts = (struct pb_scenario_texts){0};
    assert_int_equal(pb_scenario_texts_add(texts, "test.yaml", SMALL, strlen(SMALL)), 0);
    const struct pb_recording_about about = {
        .verb = "run", .rig_url = "ftdi:", .seed = 1, .superframes = 4, .texts = texts};
    const struct pb_record_paths paths = {.transfers = name, .force = true};
    assert_succeeds(pb_recorder_open(&recorder, &paths, &about, &diag));
    return recorder;
}

/* ---------------------------------------------------------------- parts */

/* Packets as AN232B of FTDI's chips have them: modem status, line status, bytes. */
TEST(test_status_is_taken_out)
{
    uint8_t bytes[3 * 64] = {0};
    struct pb_status_counts counts = {0};
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    bytes[1] = 0x60;             /* idle */
    bytes[64 + 1] = 0x60 | 0x02; /* overrun */
    bytes[128 + 1] = 0x08;       /* framing */
    assert_int_equal(pb_status_strip(bytes, 64 + 64 + 5, 64, &counts), 62 + 62 + 3);
    for (unsigned i = 0; i < 62; i++) {
        assert_int_equal(bytes[i], 2 + i);
        assert_int_equal(bytes[62 + i], 64 + 2 + i);
    }
    assert_int_equal(bytes[124], 128 + 2);
    assert_int_equal(bytes[126], 128 + 4);
    assert_int_equal(counts.overruns, 1);
    assert_int_equal(counts.framing_errors, 1);
    static const struct {
        size_t count, left;
    } ends[] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {64, 62}, {65, 62}, {66, 62}, {67, 63}};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        assert_int_equal(pb_status_strip(bytes, ends[i].count, 64, &counts), ends[i].left);
    uint8_t broken[2] = {1, 0x10};
    assert_int_equal(pb_status_strip(broken, 2, 64, &counts), 0);
    assert_true(counts.framing_errors >= 2);
}

/* struct usbmon_packet of Documentation/usb/usbmon.rst, by hand. */
TEST(test_headers_are_those_of_usbmon)
{
    static const uint8_t setup[] = {0xc0, 0x90, 0x00, 0x00, 0x05, 0x00, 0x02, 0x00}, data[] = {1, 2, 3};
    const struct {
        struct pb_urb urb;
        uint8_t head[PB_URB_HEAD_BYTES];
    } vector[] = {
        {{.id = 0x1122334455667788,
          .event = PB_URB_SUBMIT,
          .transfer = PB_URB_BULK,
          .endpoint = 0x81,
          .device = 7,
          .bus = 0x0102,
          .length = 16384},
         {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 'S', 3, 0x81,        7,   0x02,
          0x01, '-',  '<',  5,    0,    0,    0,    0,    0,   0, 0,           6,   0,
          0,    0,    0x8d, 0xff, 0xff, 0xff, 0x00, 0x40, 0,   0, [56] = 0x00, 0x02}},
        {{.id = 2,
          .event = PB_URB_COMPLETE,
          .transfer = PB_URB_BULK,
          .endpoint = 0x81,
          .bus = 1,
          .status = -108,
          .length = 3,
          .data = data,
          .data_bytes = 3},
         {2, [8] = 'C', 3, 0x81, 0, 1, 0, '-', 0, 5, [24] = 6, [28] = 0x94, 0xff, 0xff, 0xff,
          3, [36] = 3, [56] = 0x00, 0x02}},
        {{.id = 3,
          .event = PB_URB_SUBMIT,
          .transfer = PB_URB_BULK,
          .endpoint = 0x02,
          .bus = 1,
          .length = 3,
          .data = data,
          .data_bytes = 3},
         {3, [8] = 'S', 3, 0x02, 0, 1, 0, '-', 0, 5, [24] = 6, [28] = 0x8d, 0xff, 0xff, 0xff, 3, [36] = 3}},
        {{.id = 4,
          .event = PB_URB_COMPLETE,
          .transfer = PB_URB_BULK,
          .endpoint = 0x02,
          .bus = 1,
          .length = 3},
         {4, [8] = 'C', 3, 0x02, 0, 1, 0, '-', '>', 5, [24] = 6, [32] = 3}},
        {{.id = 5,
          .event = PB_URB_SUBMIT,
          .transfer = PB_URB_CONTROL,
          .endpoint = 0x80,
          .bus = 1,
          .length = 2,
          .setup = setup},
         {5,    [8] = 'S', 2, 0x80,        0,    1, 0, 0, '<', 5, [24] = 6, [28] = 0x8d, 0xff,
          0xff, 0xff,      2, [40] = 0xc0, 0x90, 0, 0, 5, 0,   2, 0,        [56] = 0x00, 0x02}},
    };
    for (unsigned i = 0; i < sizeof vector / sizeof vector[0]; i++) {
        uint8_t bytes[PB_URB_HEAD_BYTES + 3];
        struct pb_urb back;
        pb_urb_encode(bytes, &vector[i].urb, 5000006);
        assert_memory_equal(bytes, vector[i].head, PB_URB_HEAD_BYTES);
        if (vector[i].urb.data)
            memcpy(bytes + PB_URB_HEAD_BYTES, vector[i].urb.data, 3);
        assert_null(pb_urb_decode(&back, bytes, PB_URB_HEAD_BYTES + vector[i].urb.data_bytes));
        assert_int_equal(back.id, vector[i].urb.id);
        assert_int_equal(back.event, vector[i].urb.event);
        assert_int_equal(back.length, vector[i].urb.length);
        assert_int_equal(back.bus, vector[i].urb.bus);
        assert_int_equal(back.endpoint, vector[i].urb.endpoint);
        if (back.event == PB_URB_COMPLETE)
            assert_int_equal(back.status, vector[i].urb.status);
        assert_int_equal(back.setup != NULL, vector[i].urb.setup != NULL);
        assert_non_null(pb_urb_decode(&back, bytes, PB_URB_HEAD_BYTES + vector[i].urb.data_bytes + 1));
    }
}

/* ---------------------------------------------------------------- a fake chip */

struct chip {
    struct pb_transport base;
    struct pb_recorder *recorder;
    uint64_t dice;
    unsigned overruns;
    unsigned packets;           /* full ones in a transfer, fewer than this */
    uint8_t waiting[BYTES_MAX]; /* of the stream to the host: transferred, not read yet */
    size_t count;
};

static uint32_t roll(struct chip *chip, uint32_t sides)
{
    return below_of(&chip->dice, sides);
}

static void tell(struct chip *chip, enum pb_urb_event event, uint8_t endpoint, uint8_t device, int status,
                 uint32_t length, const uint8_t *data)
{
    const struct pb_urb urb = {.id = endpoint,
                               .event = event,
                               .transfer = PB_URB_BULK,
                               .endpoint = endpoint,
                               .device = device,
                               .bus = BUS,
                               .status = status,
                               .length = length,
                               .data = data,
                               .data_bytes = data ? length : 0};
    pb_recorder_urb(chip->recorder, &urb);
}

/* One transfer to the host, with up to three packets; what another board sent at the same time; one that
 * failed. */
static void transfer_in(struct chip *chip)
{
    uint8_t bytes[3 * PACKET] = {0};
    const unsigned full = roll(chip, chip->packets),
                   last = 2 + roll(chip, 4) * roll(chip, chip->packets * 40);
    const uint32_t length = full * PACKET + last;
    for (uint32_t at = 0; at < length; at++) {
        bytes[at] = (uint8_t)roll(chip, 256);
        if (at % PACKET == 1) {
            bytes[at] = (uint8_t)(0x60 | (roll(chip, 5) ? 0 : OVERRUN));
            chip->overruns += (bytes[at] & OVERRUN) != 0;
        }
        if (at % PACKET >= 2)
            chip->waiting[chip->count++] = bytes[at];
    }
    tell(chip, PB_URB_COMPLETE, IN, DEVICE + 1, 0, 4, bytes);
    tell(chip, PB_URB_COMPLETE, IN, DEVICE, 0, length, bytes);
    tell(chip, PB_URB_SUBMIT, IN, DEVICE, 0, 16384, NULL);
    tell(chip, PB_URB_COMPLETE, IN, DEVICE, -71, 4, bytes);
}

/* In transfers of up to 100 bytes, of which the chip may take fewer. */
static int chip_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct chip *chip = (struct chip *)base;
    (void)diag;
    while (count) {
        const uint32_t chunk = count < 100 ? (uint32_t)count : 100, took = 1 + roll(chip, chunk);
        tell(chip, PB_URB_SUBMIT, OUT, DEVICE, 0, chunk, bytes);
        if (!roll(chip, 3))
            transfer_in(chip);
        tell(chip, PB_URB_COMPLETE, OUT, DEVICE, 0, took, NULL);
        bytes += took;
        count -= took;
    }
    return 0;
}

static int chip_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                     struct pb_diag *diag)
{
    struct chip *chip = (struct chip *)base;
    (void)timeout_ms;
    (void)diag;
    if (chip->count < BYTES_MAX / 2)
        transfer_in(chip);
    const size_t count = chip->count < capacity ? chip->count : capacity;
    memcpy(bytes, chip->waiting, count);
    chip->count -= count;
    memmove(chip->waiting, chip->waiting + count, chip->count);
    return (int)count;
}

static void chip_close(struct pb_transport *base)
{
    (void)base;
}

static const struct pb_transport_ops chip_ops = {chip_write, chip_read, chip_close};

static int64_t no_time(const struct pb_transport *transport)
{
    (void)transport;
    return -1;
}

/* What the calls gave; the same calls are made at the chip and at its replay. */
struct diary {
    struct {
        int result;
        uint32_t sum;
    } call[CALLS];
    struct pb_diag diag; /* of the first that failed */
    int failure, end;
    int64_t overruns;
};

static void make_calls(struct pb_transport *transport, struct diary *diary, unsigned calls)
{
    static struct chip dice;
    uint8_t bytes[2048];
    const uint32_t most = calls == FEW ? 60 : sizeof bytes;
    dice.dice = 77;
    *diary = (struct diary){.failure = 0};
    for (unsigned i = 0; i < calls; i++) {
        const size_t count = 1 + roll(&dice, most);
        if (roll(&dice, 2)) {
            for (size_t at = 0; at < count; at++)
                bytes[at] = (uint8_t)roll(&dice, 256);
            diary->call[i].result = transport->ops->write(transport, bytes, count, &diary->diag);
        } else {
            diary->call[i].result = transport->ops->read(transport, bytes, count, 4, &diary->diag);
            for (int at = 0; at < diary->call[i].result; at++)
                diary->call[i].sum = diary->call[i].sum * 31 + bytes[at];
        }
        if (diary->call[i].result < 0) {
            diary->failure = diary->call[i].result;
            return;
        }
    }
    diary->overruns = pb_rig_overruns(transport);
    diary->end = pb_recording_session_end(transport, 0, &diary->diag);
}

/* Records the calls of a chip from which a few bytes went before the first. */
static void capture(const char *name, struct diary *diary, unsigned *overruns, unsigned calls)
{
    static struct chip chip;
    struct pb_scenario_texts texts;
    struct pb_transport *transport = &chip.base;
    struct pb_recorder *recorder = begin_capture(name, &texts);
    chip = (struct chip){{&chip_ops}, .recorder = recorder, .dice = 5, .packets = calls == FEW ? 1 : 3};
    uint8_t before[10];
    assert_int_equal(chip_write(transport, (const uint8_t *)"before", 6, NULL), 0);
    while (chip.count < sizeof before)
        transfer_in(&chip);
    assert_int_equal(chip_read(transport, before, sizeof before, 4, NULL), sizeof before);
    const struct pb_usb_channel channel = {BUS, DEVICE, IN, OUT, PACKET, sizeof before, 6};
    pb_recorder_channel(recorder, &channel);
    assert_int_equal(pb_recorder_attach(recorder, &transport, no_time, NULL), 0);
    make_calls(transport, diary, calls);
    *overruns = chip.overruns;
    transfer_in(&chip); /* not of the session any more */
    transport->ops->close(transport);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", NULL), 0);
    pb_scenario_texts_free(&texts);
}

static int play(const char *name, struct diary *diary, unsigned calls, struct pb_diag *diag)
{
    struct pb_recording *recording;
    struct pb_transport *transport;
    int code = pb_recording_open(&recording, name, diag);
    if (!code)
        code = pb_replay_open(&transport, recording, diag);
    if (code)
        return code;
    make_calls(transport, diary, calls);
    transport->ops->close(transport);
    return 0;
}

TEST(test_calls_come_back_from_transfers)
{
    struct diary live, again;
    unsigned overruns;
    capture(path, &live, &overruns, CALLS);
    assert_true(overruns > 10);
    assert_succeeds(play(path, &again, CALLS, &diag));
    assert_int_equal(live.failure, 0);
    assert_int_equal(again.failure, 0);
    assert_memory_equal(live.call, again.call, sizeof live.call);
    assert_int_equal(again.end, 0);
    assert_int_equal(again.overruns, overruns);
}

/* ---------------------------------------------------------------- damage */

/* Every call gives what it gave then, or none: never other bytes. */
static void assert_same_or_nothing(const struct diary *live, unsigned calls)
{
    struct diary again;
    struct pb_diag diag = {""};
    const int code = play(forged, &again, calls, &diag);
    if (code) {
        assert_true(code == PB_ERR_CONFIG || code == PB_ERR_ENDED);
        assert_true(*diag.text && !strchr(diag.text, '\n'));
        return;
    }
    for (unsigned i = 0; i < calls && again.call[i].result >= 0; i++) {
        assert_int_equal(again.call[i].result, live->call[i].result);
        assert_int_equal(again.call[i].sum, live->call[i].sum);
    }
    if (again.failure)
        assert_true(again.failure == PB_ERR_CONFIG || again.failure == PB_ERR_ENDED);
}

TEST(test_cut_anywhere)
{
    struct diary live;
    unsigned overruns;
    capture(path, &live, &overruns, FEW);
    struct file file = load(path);
    for (size_t size = 0; size < file.size; size++) {
        file_write(forged, file.byte, size);
        assert_same_or_nothing(&live, FEW);
    }
}

TEST(test_any_byte_changed)
{
    struct diary live;
    unsigned overruns;
    capture(path, &live, &overruns, FEW);
    struct file file = load(path);
    for (size_t at = 0; at < file.size; at++) {
        file.byte[at] ^= (uint8_t)(1 << at % 8);
        file_write(forged, file.byte, file.size);
        assert_same_or_nothing(&live, FEW);
        file.byte[at] ^= (uint8_t)(1 << at % 8);
    }
}

/* ---------------------------------------------------------------- forgeries */

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Where the nth block of that type is. */
static size_t find(const struct file *file, uint32_t type, unsigned nth)
{
    for (size_t at = 0; at < file->size; at += get32(file->byte + at + 4))
        if (get32(file->byte + at) == type && !nth--)
            return at;
    fail_msg("no block 0x%x", type);
    return 0;
}

/* Opens the file with `size` bytes put in at an offset, or those at it changed (nothing put in: size 0). */
static int open_with(const struct file *file, size_t at, const uint8_t *bytes, size_t size,
                     struct pb_diag *diag)
{
    struct pb_recording *recording;
    uint8_t *whole = malloc(file->size + size);
    memcpy(whole, file->byte, at);
    if (size)
        memcpy(whole + at, bytes, size);
    memcpy(whole + at + size, file->byte + at, file->size - at);
    file_write(forged, whole, file->size + size);
    free(whole);
    const int code = pb_recording_open(&recording, forged, diag);
    if (!code)
        pb_recording_close(recording);
    return code;
}

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, PACKETS = 6 };
#define OWN 0x80524250

TEST(test_forged_blocks)
{
    struct diary live;
    struct pb_diag diag;
    unsigned overruns;
    capture(path, &live, &overruns, FEW);
    struct file file = load(path);
    const size_t interface = find(&file, INTERFACE, 0), packet = find(&file, PACKETS, 3),
                 own = find(&file, OWN, 1);
    const uint32_t section_bytes = get32(file.byte + 4), interface_bytes = get32(file.byte + interface + 4);

    /* Unknown blocks are skipped: of statistics, of names, of another program. */
    uint8_t other[16] = {5};
    put32(other + 4, 16);
    put32(other + 12, 16);
    for (unsigned i = 0; i < 3; i++) {
        put32(other, (const uint32_t[]){5, 4, 0x80000001}[i]);
        assert_int_equal(open_with(&file, packet, other, sizeof other, &diag), 0);
    }
    REFUSED(open_with(&file, packet, file.byte, section_bytes, &diag), &diag, PB_ERR_CONFIG,
            "second capture");
    REFUSED(open_with(&file, packet, file.byte + interface, interface_bytes, &diag), &diag, PB_ERR_CONFIG,
            "second interface");
    REFUSED(open_with(&file, interface, file.byte + packet, get32(file.byte + packet + 4), &diag), &diag,
            PB_ERR_CONFIG, "interface that is not described");

    const struct {
        size_t at;
        uint32_t value;
        const char *words;
    } change[] = {
        {8, 0x4d3c2b1a, "big endian"},
        {8, 0, "no byte order"},
        {12, 2, "pcapng version 2"},
        {4, 13, "impossible length"},
        {4, 8, "impossible length"},
        {4, section_bytes + 4, "another length at its end"},
        {section_bytes - 4, section_bytes + 4, "another length at its end"},
        {interface + 8, 189, "link type 189, USB transfers have 220"},
        {interface + 8, 1, "link type 1"},
        {packet + 4, 0, "impossible length"},
        {packet + 4, 22, "impossible length"},
        {packet + 8, 1, "interface that is not described"},
        {packet + 20, 0xffffffff, "impossible number of bytes"},
        {packet + 20, get32(file.byte + packet + 4), "impossible number of bytes"},
        {packet + 20, 63, "shorter than a header of usbmon"},
        {packet + 28 + 8, 'X', "neither a submission nor an end"},
        {packet + 28 + 8, 'S' | 4 << 8, "unknown type of transfer"},
        {packet + 28 + 36, 0xffffffff, "another length than its header says"},
        {own + 8 + 8, 0xffffffff, "wrong CRC over its head"},
        {own + 8 + 4, 7, "wrong CRC over its head"},
    };
    for (unsigned i = 0; i < sizeof change / sizeof change[0]; i++) {
        uint8_t *at = file.byte + change[i].at;
        const uint32_t before = get32(at);
        put32(at, change[i].value);
        REFUSED(open_with(&file, 0, NULL, 0, &diag), &diag, PB_ERR_CONFIG, change[i].words);
        put32(at, before);
    }
    /* A block that leads beyond the end of the file: the rest is as good as cut off. */
    put32(file.byte + packet + 4, 0xfffffffc);
    assert_int_equal(open_with(&file, 0, NULL, 0, &diag), 0);
}

TEST(test_captures_of_others)
{
    struct diary live;
    struct pb_diag diag;
    unsigned overruns;
    capture(path, &live, &overruns, FEW);
    struct file file = load(path);
    struct pb_recording *recording;
    assert_true(pb_recording_detect(path));
    for (size_t at = 0; at < file.size; at += get32(file.byte + at + 4))
        if (get32(file.byte + at) == OWN)
            put32(file.byte + at, 0x80000001);
    REFUSED(open_with(&file, 0, NULL, 0, &diag), &diag, PB_ERR_CONFIG, "not of phasebench", "--record-usb");
    static const char *const old[] = {"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1",
                                      "\xa1\xb2\x3c\x4d"};
    for (unsigned i = 0; i < 4; i++) {
        memcpy(file.byte, old[i], 4);
        file_write(forged, file.byte, file.size);
        REFUSED(pb_recording_open(&recording, forged, &diag), &diag, PB_ERR_CONFIG, "old pcap format");
    }
}

/* Notes that leave the transfers behind, and blocks of a capture in a recording of the stream. */
TEST(test_a_second_board_is_refused)
{
    static struct diary again;
    struct pb_diag diag;
    struct pb_scenario_texts texts;
    struct pb_recorder *recorder = begin_capture(path, &texts);
    const struct pb_usb_channel channel = {BUS, DEVICE, IN, OUT, PACKET, 0, 0};
    pb_recorder_channel(recorder, &channel);
    pb_recorder_channel(recorder, &channel);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", NULL), 0);
    assert_int_equal(play(path, &again, 1, &diag), 0);
    REFUSED(again.failure, &again.diag, PB_ERR_CONFIG, "damaged", "a second one");
    pb_scenario_texts_free(&texts);
    recorder = begin_capture(path, &texts);
    const struct pb_usb_channel far = {BUS, DEVICE, IN, OUT, PACKET, 1, 0};
    pb_recorder_channel(recorder, &far);
    assert_int_equal(pb_recorder_close(recorder, 0, "pass", "", NULL), 0);
    assert_int_equal(play(path, &again, 1, &diag), 0);
    REFUSED(again.failure, &again.diag, PB_ERR_CONFIG, "counts more bytes than were transferred");
    pb_scenario_texts_free(&texts);
}
