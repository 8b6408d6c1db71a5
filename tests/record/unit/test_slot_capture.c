/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a capture of slot frames, against bytes laid out here by hand from the draft of pcapng
 * (draft-ietf-opsawg-pcapng) and docs/use/pcap.md. Failures to write. */
#include "phasebench/slot_capture.h"
#include "tests/bench/unit/tests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct pb_scenario two_links(void)
{
    static struct pb_scenario_node node = {.address = 3};
    struct pb_scenario scenario = {.name = "two\nlinks",
                                   .path = "x.yaml",
                                   .network = pb_network_cube(2),
                                   .node = &node,
                                   .node_count = 1,
                                   .seed = 77,
                                   .codec = PB_CODEC_STARC,
                                   .rule = PB_RULE_OPPORTUNISTIC,
                                   .baud_hz = 0x12345678,
                                   .frame_bytes = 0x0102,
                                   .superframes = 5};
    return scenario;
}

static struct pb_transmission five_bytes(void)
{
    struct pb_transmission transmission = {.hop = {.message = 0x0a0b0c0d0e,
                                                   .source = 0x1112,
                                                   .superframe = 0x01020304,
                                                   .phase = 0x0203,
                                                   .dimension = 1,
                                                   .from = 0x21222324,
                                                   .to = 0x31323334,
                                                   .link = 1,
                                                   .sender = PB_SENDER_BENCH,
                                                   .seen = true,
                                                   .correct = true,
                                                   .start_ps = 0x0102030405060708,
                                                   .end_ps = 0x1112131415161718,
                                                   .byte_count = 5,
                                                   .bytes = {0xaa, 0xbb, 0xcc, 0xdd, 0xee}},
                                           .time_ps = INT64_C(5000000000000123499),
                                           .bytes_seen = 5,
                                           .bad_stop = -1,
                                           .expected = true};
    return transmission;
}

static uint32_t u32(const uint8_t *at)
{
    return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

struct file {
    char *data;
    size_t size;
};

static struct file written(const struct pb_scenario *scenario, const struct pb_transmission *transmission,
                           size_t count, const struct pb_result *result)
{
    struct file file;
    struct pb_slot_capture *capture;
    FILE *stream = open_memstream(&file.data, &file.size);
    assert_non_null(stream);
    assert_int_equal(pb_slot_capture_open(&capture, stream, scenario, NULL), PB_OK);
    const struct pb_transmission_sink sink = pb_slot_capture_sink(capture);
    for (size_t i = 0; i < count; i++)
        sink.take(sink.context, &transmission[i]);
    assert_int_equal(pb_slot_capture_close(capture, result), PB_OK);
    assert_int_equal(fclose(stream), 0);
    return file;
}

/* Block number `index`: its length is at both of its ends and a multiple of 4. */
static const uint8_t *block(const struct file *file, unsigned index, uint32_t *length)
{
    const uint8_t *at = (const uint8_t *)file->data, *end = at + file->size;
    for (;; at += *length) {
        assert_true(end - at >= 12);
        *length = u32(at + 4);
        assert_true(*length % 4 == 0 && *length >= 12 && *length <= (size_t)(end - at));
        assert_int_equal(u32(at + *length - 4), *length);
        if (!index--)
            return at;
    }
}

/* The text of option `code`, from the options at `offset`; NULL: none. Texts are padded with zeros. */
static const uint8_t *option(const uint8_t *block, uint32_t offset, unsigned code, unsigned *length)
{
    for (const uint8_t *at = block + offset;;) {
        const unsigned found = at[0] | at[1] << 8;
        *length = at[2] | at[3] << 8;
        for (unsigned i = *length; i % 4; i++)
            assert_int_equal(at[4 + i], 0);
        if (found == code)
            return at + 4;
        if (!found)
            return NULL;
        at += 4 + (*length + 3) / 4 * 4;
    }
}

static void says(const uint8_t *block, uint32_t offset, unsigned code, const char *text)
{
    unsigned length;
    const uint8_t *value = option(block, offset, code, &length);
    assert_non_null(value);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(value, text, length);
}

TEST(section)
{
    static const uint8_t head[] = {0x4d, 0x3c, 0x2b, 0x1a, 1,   0,   0,   0,
                                   255,  255,  255,  255,  255, 255, 255, 255};
    const struct pb_scenario scenario = two_links();
    const struct file file = written(&scenario, NULL, 0, NULL);
    uint32_t length;
    unsigned size;
    const uint8_t *at = block(&file, 0, &length);
    assert_memory_equal(at, "\x0a\x0d\x0d\x0a", 4);
    /* The magic reads 0x1A2B3C4D in the byte order of the file, which is little endian. */
    assert_memory_equal(at + 8, head, sizeof head);
    assert_memory_equal(option(at, 24, 2, &size), "rig sim:, host ", 15);
    assert_non_null(option(at, 24, 3, &size));
    says(at, 24, 4, "phasebench " PB_VERSION);
    says(at, 24, 1,
         "scenario two links (x.yaml), seed 77, 5 superframes. Time 0 is the first phase edge; times are "
         "rounded to 1 ns");
    free(file.data);
}

TEST(interfaces)
{
    static const char name[] = "link 1, node 0x3 dimension 1"; /* 28 bytes */
    static const uint8_t head[] = {1, 0, 0, 0, 76, 0, 0, 0, 147, 0, 0, 0, 0, 0, 0, 0, 2, 0, 28, 0};
    static const uint8_t rest[] = {8, 0, 8, 0, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0, /* if_speed */
                                   9, 0, 1, 0, 9, 0, 0, 0,                         /* if_tsresol */
                                   0, 0, 0, 0, 76, 0, 0, 0};
    const struct pb_scenario scenario = two_links();
    const struct file file = written(&scenario, NULL, 0, NULL);
    uint32_t length;
    const uint8_t *at = block(&file, 2, &length);
    assert_int_equal(length, 76);
    assert_memory_equal(at, head, sizeof head);
    assert_memory_equal(at + 20, name, 28);
    assert_memory_equal(at + 48, rest, sizeof rest);
    says(block(&file, 1, &length), 16, 2, "link 0, node 0x3 dimension 0");
    free(file.data);
}

TEST(packet)
{
    /* 5000000000000123.499 ns round to 5000000000000123 = 0x0011C379 37E0807B. */
    static const uint8_t wanted[] = {
        /* head of the block */
        6,    0,    0,    0,    108,  0,    0,    0,    1,    0,    0,    0,    0x79, 0xc3, 0x11, 0x00,
        0x7b, 0x80, 0xe0, 0x37, 69,   0,    0,    0,    69,   0,    0,    0,
        /* head of the packet */
        1,    64,   1,    2,    0x13, 0x01, 1,    0,    1,    0,    0x03, 0x02, 0x04, 0x03, 0x02, 0x01,
        4,    0,    0x02, 0x01, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 0x12, 0x11, 0,    0,
        0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0,    0,    0,    8,    7,    6,    5,    4,    3,    2,    1,
        0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 5,    0,    0,    0,    0xff, 0xff, 0,    0,
        /* the bytes, padded; the end of the options */
        0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0,    0,    0,    0,    0,    0,    0,    108,  0,    0,    0};
    const struct pb_scenario scenario = two_links();
    const struct pb_transmission transmission = five_bytes();
    const struct file file = written(&scenario, &transmission, 1, NULL);
    uint32_t length;
    const uint8_t *at = block(&file, 3, &length);
    assert_int_equal(length, sizeof wanted);
    assert_memory_equal(at, wanted, sizeof wanted);
    free(file.data);
}

TEST(every_flag)
{
    struct pb_scenario scenario = two_links();
    scenario.rule = PB_RULE_ECUBE;
    scenario.codec = PB_CODEC_SLOT;
    struct pb_transmission one[8];
    for (unsigned i = 0; i < 8; i++) {
        one[i] = five_bytes();
        one[i].hop.sender = i == 4 ? PB_SENDER_BENCH : PB_SENDER_NODE;
        one[i].expected = i == 0;
        one[i].hop.correct = i == 1;
        one[i].bad_stop = i == 2 ? 3 : -1;
        one[i].cut = i == 3;
        one[i].named = i == 5;
        one[i].collision = i == 6;
        one[i].by_bytes = i == 7;
        one[i].hop.message = SIZE_MAX;
    }
    const struct file file = written(&scenario, one, 8, NULL);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t length;
        const uint8_t *head = block(&file, 3 + i, &length) + 28;
        assert_int_equal(head[2], 0);
        assert_int_equal(head[4] | head[5] << 8, 1 << i);
        assert_int_equal(u32(head + 28), UINT32_MAX); /* no message: no source */
        assert_memory_equal(head + 32, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
        assert_int_equal(head[60] | head[61] << 8, i == 2 ? 3 : 0xffff);
    }
    free(file.data);
}

/* 96 of 300 bytes are kept; 123.5 ps more round up. */
TEST(long_and_rounded)
{
    const struct pb_scenario scenario = two_links();
    struct pb_transmission transmission = five_bytes();
    transmission.hop.byte_count = 96;
    transmission.bytes_seen = 300;
    transmission.time_ps = 1500;
    const struct file file = written(&scenario, &transmission, 1, NULL);
    uint32_t length;
    const uint8_t *at = block(&file, 3, &length);
    assert_int_equal(u32(at + 16), 2);
    assert_int_equal(u32(at + 20), 64 + 96);
    assert_int_equal(u32(at + 24), 64 + 300);
    assert_int_equal(u32(at + 28 + 56), 300);
    assert_int_equal(length, 28 + 160 + 8);
    free(file.data);
}

TEST(comments)
{
    const struct pb_scenario scenario = two_links();
    struct pb_finding finding[2] = {
        {.kind = PB_FINDING_WRONG_BYTES, .fault = -1, .expected = "A1", .seen = "A\x1b[31m2"},
        {.kind = PB_FINDING_LATE, .fault = 7, .marginal = true, .expected = "soon", .seen = "late"}};
    struct pb_transmission one[2] = {five_bytes(), five_bytes()};
    one[0].named = one[1].named = true;
    one[0].findings = 2;
    one[0].finding[0] = &finding[0];
    one[0].finding[1] = &finding[1];
    const struct file file = written(&scenario, one, 2, NULL);
    uint32_t length;
    unsigned size;
    const uint8_t *at = block(&file, 3, &length);
    /* No control character gets out: U+FFFD is in its place. */
    says(at, 28 + 72, 1, "wrong_bytes: expected A1; seen A\xef\xbf\xbd[31m2");
    option(at, 28 + 72, 1, &size);
    says(at, 28 + 72 + 4 + (size + 3) / 4 * 4, 1,
         "late_start (marginal) (explained by injected fault 7): expected soon; seen late");
    says(block(&file, 4, &length), 28 + 72, 1,
         "a finding names this transmission; the result has no place for its text");
    free(file.data);
}

TEST(ends)
{
    const struct pb_scenario scenario = two_links();
    const struct pb_transmission one[] = {five_bytes(), five_bytes()};
    const struct pb_result result = {
        .verdict = PB_VERDICT_FAIL, .reason = "it broke", .incomplete = "it was stopped"};
    static const uint8_t wanted[] = {5,    0,    0,    0,    40,   0,    0,    0,    1, 0, 0, 0, 0x79, 0xc3,
                                     0x11, 0x00, 0x7b, 0x80, 0xe0, 0x37, 4,    0,    8, 0, 2, 0, 0,    0,
                                     0,    0,    0,    0,    0,    0,    0,    0,    40, 0, 0, 0};
    const struct file file = written(&scenario, one, 2, &result);
    uint32_t length;
    const uint8_t *at = block(&file, 6, &length);
    assert_int_equal(length, sizeof wanted);
    assert_memory_equal(at, wanted, sizeof wanted);
    assert_ptr_equal(at + length, (const uint8_t *)file.data + file.size);
    at = block(&file, 5, &length);
    assert_int_equal(at[24], 0); /* no packet of link 0 */
    says(at, 20, 1, "incomplete: it was stopped");
    says(at, 20 + 12 + 4 + 28, 1, "fail: it broke");
    free(file.data);
}

TEST(full)
{
    const struct pb_scenario scenario = two_links();
    const struct pb_transmission transmission = five_bytes();
    struct pb_slot_capture *capture;
    FILE *stream = fopen("/dev/full", "w");
    if (!stream)
        skip();
    assert_int_equal(pb_slot_capture_open(&capture, stream, &scenario, "sim:"), PB_OK);
    const struct pb_transmission_sink sink = pb_slot_capture_sink(capture);
    for (unsigned i = 0; i < 1000; i++)
        sink.take(sink.context, &transmission);
    errno = 0;
    assert_int_equal(pb_slot_capture_close(capture, NULL), PB_ERR_IO);
    assert_int_equal(errno, ENOSPC);
    fclose(stream);
}
