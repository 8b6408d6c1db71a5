/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rig URLs, and the wire that corrupts bytes: each kind of damage does what it says, as often as it says, and
 * the same for the same seed, however the stream is cut into calls.
 */
#include "host/rig/rig_noise.h"
#include "phasebench/rig.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

/* ---- URLs */
TEST(good_urls_are_taken)
{
    static const char *const url[] = {
        "sim:",
        "sim:?",
        "sim:?port=stream",
        "sim:?port=uart",
        "sim:?port=uart&baud=3000000",
        "sim:?baud=12000000&port=uart",
        "sim:?port=uart&baud=47059",
        "sim:?port=uart&baud=3000000&noise=1e-4&noise_seed=7",
        "sim:?tdc=fast&tdc_mv=-10&tdc_c=100",
        "sim:?noise=0",
        "sim:?noise=0.25&noise_burst=65536",
        "sim:?noise_in=.001",
        "sim:?noise_out=1E-3&noise_in=0&noise_seed=18446744073709551615",
        "sim:?noise=1e-3&noise_in=2e-3&",
    };
    for (size_t i = 0; i < sizeof url / sizeof url[0]; i++) {
        struct pb_diag diag = {""};
        if (pb_rig_check_url(url[i], &diag))
            fail_msg("%s: %s", url[i], diag.text);
    }
}

/* By the list of URLs in rig.h. */
TEST(a_target_is_what_its_scheme_says)
{
    static const struct {
        const char *url;
        enum pb_rig_kind kind;
        bool simulates, replays, in_process;
        const char *place;
    } wanted[] = {
        {NULL, PB_RIG_SIM, true, false, true, ""},
        {"sim:", PB_RIG_SIM, true, false, true, ""},
        {"sim:?port=uart", PB_RIG_SIM, true, false, true, "?port=uart"},
        {"sim:./bench.sock", PB_RIG_SERVED, true, false, false, "./bench.sock"},
        {"sim:/run/bench.sock", PB_RIG_SERVED, true, false, false, "/run/bench.sock"},
        {"vusb:", PB_RIG_VUSB, true, false, false, ""},
        {"vusb:boards/PB0001", PB_RIG_VUSB, true, false, false, "boards/PB0001"},
        {"ftdi:", PB_RIG_FTDI, false, false, false, ""},
        {"ftdi:PB0001?mode=uart", PB_RIG_FTDI, false, false, false, "PB0001?mode=uart"},
        {"tty:/dev/ttyACM0", PB_RIG_TTY, false, false, false, "/dev/ttyACM0"},
        {"replay:a:b.pbrec", PB_RIG_REPLAY, false, true, false, "a:b.pbrec"},
        {"replay:", PB_RIG_REPLAY, false, true, false, ""},
        {"usb:1", PB_RIG_UNKNOWN, false, false, false, "1"},
        {"SIM:", PB_RIG_UNKNOWN, false, false, false, ""},
        {"sim", PB_RIG_UNKNOWN, false, false, false, "sim"},
        {"", PB_RIG_UNKNOWN, false, false, false, ""},
    };
    unsetenv("PHASEBENCH_VUSB_ONLY");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const struct pb_rig_target rig = pb_rig_target_of(wanted[i].url);
        if (rig.kind != wanted[i].kind || rig.simulates != wanted[i].simulates ||
            rig.replays != wanted[i].replays || rig.in_process != wanted[i].in_process ||
            strcmp(rig.place, wanted[i].place))
            fail_msg("%s: kind %d, place '%s'", rig.url, (int)rig.kind, rig.place);
    }
    setenv("PHASEBENCH_VUSB_ONLY", "1", 1);
    assert_true(pb_rig_target_of("ftdi:").simulates);
    assert_false(pb_rig_target_of("tty:/dev/ttyACM0").simulates);
    setenv("PHASEBENCH_VUSB_ONLY", "", 1);
    assert_false(pb_rig_target_of("ftdi:").simulates);
    unsetenv("PHASEBENCH_VUSB_ONLY");
}

TEST(bad_urls_are_refused_with_the_reason)
{
    static const struct {
        const char *url, *says, *and;
    } bad[] = {
        {"", "unknown rig ''", "sim:"},
        {"sim", "unknown rig 'sim'", "sim:"},
        {"sym:", "unknown rig", "sim:"},
        {"sim:port=uart", "unknown rig", "sim:"},
        {"sim:?prt=uart", "unknown option 'prt'", "did you mean 'port'"},
        {"sim:?bauds=9600", "unknown option 'bauds'", "did you mean 'baud'"},
        {"sim:?port=uart&noise_into=1e-3", "unknown option 'noise_into'", "did you mean 'noise_in'"},
        {"sim:?noise-in=1e-3", "unknown option 'noise-in'", "did you mean 'noise_in'"},
        {"sim:?=uart", "unknown option ''", "Known are port, baud"},
        {"sim:?port", "has no value", "port=VALUE"},
        {"sim:?port=", "has no value", "port=VALUE"},
        {"sim:?port=uart&port=uart", "given twice", "port"},
        {"sim:?port=parallel", "'parallel'", "stream and uart"},
        {"sim:?port=UART", "'UART'", "stream and uart"},
        {"sim:?baud=3000000", "'3000000'", "port=uart"},
        {"sim:?port=stream&baud=3000000", "'3000000'", "port=uart"},
        {"sim:?port=uart&baud=47058", "'47058'", "47059 to 12000000"},
        {"sim:?port=uart&baud=12000001", "'12000001'", "47059 to 12000000"},
        {"sim:?port=uart&baud=3e6", "'3e6'", "47059 to 12000000"},
        {"sim:?port=uart&baud=-1", "'-1'", "47059 to 12000000"},
        {"sim:?port=uart&baud= 3000000", "' 3000000'", "47059 to 12000000"},
        {"sim:?port=uart&baud=18446744073712551616", "'18446744073712551616'", "47059 to 12000000"},
        {"sim:?clock=36MHz", "clock of rig sim: is '36MHz'", "12MHz, 24MHz and 48MHz are possible"},
        {"sim:?clock=12000000", "'12000000'", "12MHz, 24MHz and 48MHz are possible"},
        {"sim:?tdc=slow", "tdc of rig sim: is 'slow'", "typ, min, max and fast are possible"},
        {"sim:?tdc_mv=-101", "tdc_mv of rig sim: is '-101'", "from -100 to 100 is possible"},
        {"sim:?tdc_c=1e1", "tdc_c of rig sim: is '1e1'", "from -40 to 100 is possible"},
        {"sim:?noise=0.251", "'0.251'", "from 0 to 0.25"},
        {"sim:?noise=-1e-3", "'-1e-3'", "from 0 to 0.25"},
        {"sim:?noise=nan", "'nan'", "from 0 to 0.25"},
        {"sim:?noise=1e", "'1e'", "from 0 to 0.25"},
        {"sim:?noise=0x.1", "'0x.1'", "from 0 to 0.25"},
        {"sim:?noise_in=much", "noise_in of rig sim: is 'much'", "1e-4"},
        {"sim:?noise_out=1", "noise_out of rig sim: is '1'", "from 0 to 0.25"},
        {"sim:?noise=1e-3&noise_burst=0", "'0'", "1 to 65536"},
        {"sim:?noise=1e-3&noise_burst=65537", "'65537'", "1 to 65536"},
        {"sim:?noise=1e-3&noise_seed=18446744073709551616", "'18446744073709551616'",
         "0 to 18446744073709551615"},
        {"sim:?noise_seed=7", "noise_seed", "noise=1e-4"},
        {"sim:?noise_burst=7", "noise_burst", "noise=1e-4"},
        {"sim:?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1", "longer than 63",
         "aaaa"},
        {"sim:?port=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "longer than 63",
         "port"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct pb_diag diag = {""};
        const int code = pb_rig_check_url(bad[i].url, &diag);
        if (code != PB_ERR_ARGUMENT || !strstr(diag.text, bad[i].says) || !strstr(diag.text, bad[i].and))
            fail_msg("%s: %d: %s", bad[i].url, code, diag.text);
    }
}

/* What the core's clock can do depends on the scenario: 48 MHz for one board, 24 MHz for more. */
TEST(the_baud_must_suit_the_cores_clock)
{
    static const char one[] =
        "nodes: [{address: 0x2A3, kind: native}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n",
                      two[] = "nodes: [{address: 0x2A3, kind: native}, {address: 0x2A2, kind: native}]\n"
                              "traffic: [{from: 0x2A3, to: 0x91C}]\n";
    static const struct {
        const char *yaml, *baud, *says; /* NULL: taken */
    } rig[] = {
        {one, "12000000", NULL},
        {one, "3000000", NULL},
        {one, "188236", NULL},
        {one, "3050000", NULL},
        {one, "3100000", "3200000"}, /* 3 Mbaud is as far away */
        {one, "187000", "188236 to 12000000"},
        {one, "7000000", "6857142"},
        {two, "6000000", NULL},
        {two, "94118", NULL},
        {two, "12000000", "94118 to 6000000"},
    };
    for (size_t i = 0; i < sizeof rig / sizeof rig[0]; i++) {
        struct pb_scenario *scenario;
        struct pb_transport *transport;
        struct pb_device *device = NULL;
        struct pb_diag diag = {""};
        char url[80] = "sim:?port=uart&baud=";
        assert_succeeds(pb_scenario_parse(&scenario, "rig.yaml", rig[i].yaml, strlen(rig[i].yaml), &diag));
        strcat(url, rig[i].baud);
        const int code = pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag);
        pb_scenario_free(scenario);
        if (rig[i].says) {
            if (code != PB_ERR_ARGUMENT || !strstr(diag.text, rig[i].says))
                fail_msg("%s: %d: %s", url, code, diag.text);
            assert_null(transport);
            continue;
        }
        if (code || pb_device_open(&device, transport, &diag))
            fail_msg("%s: %s", url, diag.text);
        pb_device_close(device);
    }
}

/* Which direction a rig corrupts: the host counts what came, the core what went. */
TEST(noise_goes_the_way_it_is_told)
{
    static const char yaml[] =
        "nodes: [{address: 0x2A3, kind: native}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n";
    static const struct {
        const char *url;
        bool in, out;
    } rig[] = {
        {"sim:?noise=1e-2", true, true},
        {"sim:?noise_in=1e-2", true, false},
        {"sim:?noise_out=1e-2", false, true},
        {"sim:?noise_in=0&noise=1e-2", false, true},
        {"sim:?noise=1e-2&noise_out=0", true, false},
        {"sim:?noise=0", false, false},
    };
    for (size_t i = 0; i < sizeof rig / sizeof rig[0]; i++) {
        struct pb_scenario *scenario;
        struct pb_transport *transport;
        struct pb_device *device = NULL;
        struct pb_device_counters counters;
        struct pb_diag diag = {""};
        uint32_t value = 0;
        if (pb_scenario_parse(&scenario, "rig.yaml", yaml, sizeof yaml - 1, &diag) ||
            pb_rig_open(&transport, &(struct pb_rig_options){.url = rig[i].url}, scenario, &diag) ||
            pb_device_open(&device, transport, &diag))
            fail_msg("%s: %s", rig[i].url, diag.text);
        pb_scenario_free(scenario);
        for (unsigned reads = 0; reads < 12; reads++)
            assert_int_equal(pb_device_read(device, PB_REG_PACKETS_BAD, &value, &diag), 0);
        pb_device_counters(device, &counters);
        if (!counters.packets_bad == rig[i].in || !value == rig[i].out)
            fail_msg("%s: %u bad packets in, %u out", rig[i].url, (unsigned)counters.packets_bad,
                     (unsigned)value);
        pb_device_close(device);
    }
}

/* A core gives a byte in two of its clocks (docs/reference/protocol.md), whatever the port could take. */
TEST(what_the_host_link_carries)
{
    static const char yaml[] = "nodes: [{address: 1}]\ntraffic: [{pattern: complement}]\n";
    static const struct {
        const char *url;
        uint32_t clock_hz;
        uint64_t bytes_per_s;
    } row[] = {
        {"sim:", 48000000, 24000000},
        {"sim:", 24000000, 12000000},
        {"sim:?noise=1e-3", 48000000, 24000000},
        {"sim:?port=uart", 48000000, 1200000},
        {"sim:?port=uart&baud=3000000", 48000000, 300000},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct pb_scenario *scenario;
        struct pb_transport *transport;
        struct pb_diag diag = {""};
        if (pb_scenario_parse(&scenario, "rig.yaml", yaml, sizeof yaml - 1, &diag) ||
            pb_rig_open(&transport, &(struct pb_rig_options){.url = row[i].url}, scenario, &diag))
            fail_msg("%s: %s", row[i].url, diag.text);
        pb_scenario_free(scenario);
        assert_int_equal(pb_rig_bytes_per_s(transport, row[i].clock_hz), row[i].bytes_per_s);
        transport->ops->close(transport);
    }
}

/* ---- noise */
enum { BYTES = 200000 };

/* Gives back what was written; reads come in pieces of `piece` bytes. */
struct pipe {
    struct pb_transport base;
    uint8_t *bytes;
    size_t count, taken, piece;
    bool closed, broken;
};

static int pipe_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct pipe *pipe = (struct pipe *)base;
    if (pipe->broken)
        return pb_fail(diag, PB_ERR_IO, "cut");
    assert_true(pipe->count + count <= 2 * BYTES);
    memcpy(pipe->bytes + pipe->count, bytes, count);
    pipe->count += count;
    return PB_OK;
}

static int pipe_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                     struct pb_diag *diag)
{
    struct pipe *pipe = (struct pipe *)base;
    size_t count = pipe->count - pipe->taken;
    assert_int_equal(timeout_ms, 17);
    if (pipe->broken)
        return pb_fail(diag, PB_ERR_IO, "cut");
    count = count < capacity ? count : capacity;
    count = count < pipe->piece ? count : pipe->piece;
    memcpy(bytes, pipe->bytes + pipe->taken, count);
    pipe->taken += count;
    return (int)count;
}

static void pipe_close(struct pb_transport *base)
{
    ((struct pipe *)base)->closed = true;
}

static const struct pb_transport_ops pipe_ops = {pipe_write, pipe_read, pipe_close};

static uint8_t sent[BYTES];

/* What becomes of `sent` in either direction, in pieces. Returns the number of bytes. */
static size_t spoil(uint8_t *spoiled, const struct pb_noise *noise, bool out, size_t piece)
{
    struct pipe pipe = {.base = {&pipe_ops}, .bytes = malloc(2 * BYTES), .piece = piece};
    struct pb_transport *transport;
    size_t made = 0;
    assert_int_equal(pb_rig_noise_open(&transport, &pipe.base, noise, NULL), 0);
    assert_ptr_equal(pb_rig_noise_inner(transport), &pipe.base);
    assert_null(pb_rig_noise_inner(&pipe.base));
    if (out) {
        for (size_t at = 0, n; at < BYTES; at += n) {
            n = BYTES - at < piece ? BYTES - at : piece;
            assert_int_equal(transport->ops->write(transport, sent + at, n, NULL), 0);
        }
        memcpy(spoiled, pipe.bytes, made = pipe.count);
    } else {
        memcpy(pipe.bytes, sent, BYTES);
        pipe.count = BYTES;
        while (pipe.taken < pipe.count) {
            const int n = transport->ops->read(transport, spoiled + made, 4096, 17, NULL);
            assert_in_range(n, 0, 4096);
            made += (size_t)n;
        }
    }
    transport->ops->close(transport);
    assert_true(pipe.closed);
    free(pipe.bytes);
    return made;
}

static uint8_t first[2 * BYTES], second[2 * BYTES];

static struct pb_noise noise_of(const struct pb_noise_rates rates, uint64_t seed)
{
    return (struct pb_noise){.in = rates, .out = rates, .seed = seed};
}

static void fill(void)
{
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (uint8_t)(i * 167 + (i >> 8) * 13);
}

TEST(no_noise_changes_nothing)
{
    const struct pb_noise none = {.seed = 5};
    fill();
    for (unsigned out = 0; out < 2; out++) {
        assert_int_equal(spoil(first, &none, out, 999), BYTES);
        assert_memory_equal(first, sent, BYTES);
    }
}

TEST(the_seed_and_the_place_decide_alone)
{
    static const struct pb_noise_rates rates = {1 << 24, 1 << 24, 1 << 24, 1 << 24, 3};
    static const size_t pieces[] = {1, 7, 256, 1024, 1025, 5000};
    const struct pb_noise noise = noise_of(rates, 99), other = noise_of(rates, 100);
    fill();
    for (unsigned out = 0; out < 2; out++) {
        const size_t count = spoil(first, &noise, out, 4096);
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            assert_int_equal(spoil(second, &noise, out, pieces[i]), count);
            assert_memory_equal(first, second, count);
        }
        const size_t otherwise = spoil(second, &other, out, 4096);
        assert_true(otherwise != count || memcmp(first, second, count));
    }
    /* The directions are corrupted independently. */
    const size_t out = spoil(first, &noise, true, 4096), in = spoil(second, &noise, false, 4096);
    assert_true(out != in || memcmp(first, second, out));
}

/* 5 standard deviations of a binomial distribution around rate * BYTES. */
static void assert_rate(size_t seen, double rate)
{
    const double mean = rate * BYTES, deviation = (double)seen - mean;
    if (deviation * deviation > 25 * mean)
        fail_msg("%zu bytes are spoiled, %.0f were expected", seen, mean);
}

#define RATE 0x01000000u /* 1 in 256 */

TEST(each_kind_does_what_it_says)
{
    fill();
    for (unsigned out = 0; out < 2; out++) {
        /* Flipped: the same length, and one bit differs. */
        struct pb_noise noise = noise_of((struct pb_noise_rates){.flipped = RATE}, 1);
        size_t hurt = 0, bit[8] = {0};
        assert_int_equal(spoil(first, &noise, out, 100), BYTES);
        for (size_t i = 0; i < BYTES; i++) {
            const uint8_t differs = first[i] ^ sent[i];
            assert_int_equal(differs & (differs - 1), 0);
            hurt += differs != 0;
            for (unsigned b = 0; b < 8; b++)
                bit[b] += differs >> b & 1;
        }
        assert_rate(hurt, 1.0 / 256);
        for (unsigned b = 0; b < 8; b++)
            assert_rate(bit[b], 1.0 / 2048);

        /* Lost, alone and in bursts: what is left is in order. Neighbours of `sent` differ by 167 or 180, so
         * a gap shows its size modulo 256. */
        for (unsigned burst = 0; burst <= 8; burst += 4) {
            noise = noise_of((struct pb_noise_rates){.lost = RATE, .burst = burst}, 2);
            const size_t count = spoil(first, &noise, out, 100), size = burst ? burst : 1;
            size_t at = 0, gaps = 0;
            for (size_t i = 0; i < count; i++, at++) {
                const size_t before = at;
                while (at < BYTES && sent[at] != first[i])
                    at++;
                assert_true(at < BYTES);
                assert_int_equal((at - before) % size, 0);
                gaps += (at - before) / size;
            }
            assert_rate(gaps, 1.0 / 256 / (1 + (double)(size - 1) / 256));
        }

        /* Doubled. */
        noise = noise_of((struct pb_noise_rates){.doubled = RATE}, 3);
        size_t count = spoil(first, &noise, out, 100), twice = 0;
        assert_rate(count - BYTES, 1.0 / 256);
        for (size_t i = 0; i < BYTES; i++) {
            assert_int_equal(first[i + twice], sent[i]);
            twice +=
                i + twice + 1 < count && first[i + twice + 1] == sent[i]; /* no two of `sent` are equal */
        }
        assert_int_equal(twice, count - BYTES);

        /* Merged: two become the bits that both have, here the uppermost alone. */
        for (size_t i = 0; i < BYTES; i++)
            sent[i] = (uint8_t)(0x80 | 1 << i % 7);
        noise = noise_of((struct pb_noise_rates){.merged = RATE}, 4);
        count = spoil(first, &noise, out, 100);
        size_t merged = 0;
        for (size_t i = 0; i < count; i++) {
            if (first[i] == 0x80)
                merged++;
            else
                assert_int_equal(first[i], sent[i + merged]);
        }
        fill();
        assert_in_range(BYTES - count - merged, 0, 1); /* the last byte may wait for its partner for ever */
        assert_rate(merged, 1.0 / 256);
    }
}

TEST(rates_can_change_and_errors_pass)
{
    struct pipe pipe = {.base = {&pipe_ops}, .bytes = malloc(2 * BYTES), .piece = 100};
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    uint8_t bytes[64] = {1, 2, 3};
    const struct pb_noise none = {.seed = 1},
                          deaf = {.in = {.lost = UINT32_MAX, .burst = 1000}, .out = {.lost = UINT32_MAX}};
    assert_int_equal(pb_rig_noise_open(&transport, &pipe.base, &deaf, NULL), 0);
    assert_int_equal(transport->ops->write(transport, bytes, 64, &diag), 0);
    assert_int_equal(pipe.count, 0);
    pb_rig_noise_set(transport, &none);
    assert_int_equal(transport->ops->write(transport, bytes, 64, &diag), 0);
    assert_int_equal(pipe.count, 64);
    assert_int_equal(transport->ops->read(transport, bytes, 1, 17, &diag), PB_ERR_ARGUMENT);
    assert_int_equal(transport->ops->read(transport, bytes, 64, 17, &diag), 32);
    pipe.broken = true;
    assert_int_equal(transport->ops->read(transport, bytes, 64, 17, &diag), PB_ERR_IO);
    assert_string_equal(diag.text, "cut");
    assert_int_equal(transport->ops->write(transport, bytes, 64, &diag), PB_ERR_IO);
    transport->ops->close(transport);
    assert_true(pipe.closed);
    free(pipe.bytes);
}
