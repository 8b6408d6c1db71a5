/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * host/link/device.c and the Verilated core at the ends of a wire that loses, doubles, flips and merges
 * bytes, in either direction, at 3 and at 12 Mbaud. An observer between core and wire records every event
 * that was sent; what the device delivers and what it reports as lost must add up to that, to the event.
 *
 * evidence: host link under loss
 *   simulated at 3 and 12 Mbaud: bytes lost, doubled, flipped, merged; lost events are counted exactly
 *   also: test_run_loss
 */
#include "host/rig/rig_noise.h"
#include "tests/bench/unit/core_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

enum { LINKS = 12, PHASES = 24, PERIOD_TICKS = 480, TICKS_PER_MS = 48000 };

#define PS_PER_MS INT64_C(1000000000)
#define Q32(rate) ((uint32_t)((rate)*4294967296.0))

/* What a single call may take: 500 reads of a millisecond, each of which may gather for one more, and the
 * writes. */
#define CALL_PS (1100 * PS_PER_MS)

struct wire {
    const char *name;
    unsigned clocks_per_bit;
    struct pb_noise noise;
};

#define KINDS(port, clocks)                                                                                  \
    {port " lost 1e-3", clocks, {.in = {.lost = Q32(1e-3)}, .out = {.lost = Q32(1e-3)}}},                    \
        {port " lost in 1e-2", clocks, {.in = {.lost = Q32(1e-2)}}},                                         \
        {port " lost out 1e-2", clocks, {.out = {.lost = Q32(1e-2)}}},                                       \
        {port " doubled in 1e-2", clocks, {.in = {.doubled = Q32(1e-2)}}},                                   \
        {port " doubled out 1e-2", clocks, {.out = {.doubled = Q32(1e-2)}}},                                 \
        {port " flipped 1e-3", clocks, {.in = {.flipped = Q32(1e-3)}, .out = {.flipped = Q32(1e-3)}}},       \
        {port " flipped in 1e-2", clocks, {.in = {.flipped = Q32(1e-2)}}},                                   \
        {port " flipped out 1e-2", clocks, {.out = {.flipped = Q32(1e-2)}}},                                 \
        {port " merged in 1e-2", clocks, {.in = {.merged = Q32(1e-2)}}},                                     \
        {port " merged out 1e-2", clocks, {.out = {.merged = Q32(1e-2)}}},                                   \
        {port " bursts of 40 in", clocks, {.in = {.lost = Q32(1e-3), .burst = 40}}},                         \
        {port " bursts of 40 out", clocks, {.out = {.lost = Q32(1e-3), .burst = 40}}},                       \
        {port " bursts of 600 in", clocks, {.in = {.lost = Q32(5e-4), .burst = 600}}},                       \
    {                                                                                                        \
        port " all kinds, both ways, 1e-3", clocks,                                                          \
        {                                                                                                    \
            .in = {Q32(1e-3), Q32(1e-3), Q32(1e-3), Q32(1e-3), 1}, .out = {                                  \
                Q32(1e-3),                                                                                   \
                Q32(1e-3),                                                                                   \
                Q32(1e-3),                                                                                   \
                Q32(1e-3),                                                                                   \
                1                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct wire wires[] = {
    {"12 Mbaud clean", 4, {.seed = 0}},
    KINDS("12 Mbaud", 4),
    KINDS("3 Mbaud", 16),
};

struct bench {
    struct core core;
    struct pb_transport *noisy;
    struct pb_device *device;
    struct pb_events events;
    struct pb_diag diag;
    const char *name;
    bool quick; /* its answers come soon */
};

#define OK(call)                                                                                             \
    do {                                                                                                     \
        const int64_t begun_ps_ = core_now_ps(&bench->core);                                                 \
        const int code_ = (call);                                                                            \
        if (code_ < 0)                                                                                       \
            fail_msg("%s: %s: %d: %s", bench->name, #call, code_, bench->diag.text);                         \
        if (core_now_ps(&bench->core) - begun_ps_ > CALL_PS)                                                 \
            fail_msg("%s: %s took longer than its bound", bench->name, #call);                               \
    } while (0)

static const struct pb_noise quiet;

static void noise_on(struct bench *bench, const struct wire *wire)
{
    pb_rig_noise_set(bench->noisy, &wire->noise);
}

static void noise_off(struct bench *bench)
{
    pb_rig_noise_set(bench->noisy, &quiet);
}

/* Opens the device over the bad wire, too. */
static void open_bench(struct bench *bench, const struct wire *wire, uint64_t seed)
{
    struct pb_noise noise = wire->noise;
    memset(bench, 0, sizeof *bench);
    bench->name = wire->name;
    noise.seed = seed;
    core_make(&bench->core, wire->clocks_per_bit);
    bench->quick = bench->core.hasty = wire->clocks_per_bit <= 16;
    OK(pb_rig_noise_open(&bench->noisy, &bench->core.base, &noise, &bench->diag));
    OK(pb_device_open(&bench->device, bench->noisy, &bench->diag));
}

static void close_bench(struct bench *bench)
{
    pb_device_close(bench->device);
    pb_events_free(&bench->events);
    core_free(&bench->core);
}

static void put(struct bench *bench, unsigned address, uint32_t value)
{
    OK(pb_device_write(bench->device, address, value, &bench->diag));
}

static uint32_t get(struct bench *bench, unsigned address)
{
    uint32_t value = 0;
    OK(pb_device_read(bench->device, address, &value, &bench->diag));
    return value;
}

/* ---- commands */

/* Every value that is read is the one that was written last, whatever the wire did to either. */
TEST(no_wrong_value_is_believed)
{
    uint64_t retries = 0;
    for (size_t w = 0; w < COUNT(wires); w++) {
        struct bench bench_, *bench = &bench_;
        struct pb_device_counters counters;
        random_state = 1;
        uint32_t words[LINKS], back[LINKS];
        open_bench(bench, &wires[w], w + 1);
        for (unsigned round = 0; round < 8; round++) {
            for (unsigned i = 0; i < LINKS; i++)
                words[i] = below(UINT32_C(1) << 31) & 0x003f3f00u; /* no mode: nothing is driven */
            OK(pb_device_write_many(bench->device, PB_REG_LINK, words, LINKS, &bench->diag));
            OK(pb_device_read_many(bench->device, PB_REG_LINK, back, LINKS, &bench->diag));
            assert_memory_equal(back, words, sizeof back);
            put(bench, PB_REG_SCRATCH, words[0] ^ ~words[1]);
            assert_int_equal(get(bench, PB_REG_SCRATCH), words[0] ^ ~words[1]);
            assert_int_equal(get(bench, PB_REG_CLK_HZ), 48000000);
        }
        pb_device_counters(bench->device, &counters);
        retries += counters.retries;
        if (!w)
            assert_int_equal(counters.retries + counters.packets_bad + counters.packets_stray, 0);
        close_bench(bench);
    }
    assert_true(retries > 200); /* the damage was there */
}

/* The fill level of a lane shows whether a packet was taken once, twice or never. */
TEST(play_data_is_taken_exactly_once)
{
    for (size_t w = 0; w < COUNT(wires); w++) {
        struct bench bench_, *bench = &bench_;
        uint8_t record[249] = {[PB_PLAY_RECORD_COUNT_LSB / 8] = 100,
                               [PB_PLAY_RECORD_SUPERFRAME_LSB / 8] =
                                   0xff}; /* waits for a superframe that does not come */
        random_state = 7;
        open_bench(bench, &wires[w], w + 100);
        bool taken = false;
        unsigned room, expected;
        /* The lane takes the header of the first record out of its buffer, and waits. */
        OK(pb_device_play(bench->device, 1, record, 30, &taken, &room, &bench->diag));
        core_run(&bench->core, PS_PER_MS / 100);
        OK(pb_device_play(bench->device, 1, record, 1, &taken, &expected, &bench->diag));
        assert_true(taken && expected > 2000);
        for (unsigned i = 0; i < 40; i++) {
            const unsigned size = 1 + below(60);
            OK(pb_device_play(bench->device, 1, record, size, &taken, &room, &bench->diag));
            assert_int_equal(taken, expected >= size);
            expected -= taken ? size : 0;
            assert_int_equal(room, expected);
        }
        close_bench(bench);
    }
}

/* The core has carried the command out, and its reply is lost, again and again. */
TEST(a_lost_reply_makes_no_second_byte)
{
    enum { FRAMES = 12 };
    struct bench bench_, *bench = &bench_;
    open_bench(bench, &wires[0], 1);
    bench->core.hasty = false;
    put(bench, PB_REG_LINK, 1);
    put(bench, PB_REG_BYTE_MASK0, 1);
    put(bench, PB_REG_BIT_PERIOD, 160);
    put(bench, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB);
    for (unsigned i = 0; i < FRAMES; i++) {
        uint8_t record[PB_PLAY_RECORD_BYTES + 1] = {[PB_PLAY_RECORD_BYTES] = (uint8_t)(i * 7)};
        PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, 1);
        PB_BYTES_PUT(PB_PLAY_RECORD_IMMEDIATE, record, 1);
        PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, 160);
        struct pb_device_counters before, after;
        bool taken;
        unsigned room;
        pb_device_counters(bench->device, &before);
        bench->core.deaf = i % 6;
        OK(pb_device_play(bench->device, i % 2, record, sizeof record, &taken, &room, &bench->diag));
        assert_true(taken);
        pb_device_counters(bench->device, &after);
        assert_int_equal(after.retries - before.retries, i % 6);
        OK(pb_device_poll(bench->device, 2, &bench->events, &bench->diag));
    }
    put(bench, PB_REG_CTRL, 0);
    OK(pb_device_settle(bench->device, &bench->events, &bench->diag));
    unsigned heard = 0;
    for (size_t i = 0; i < bench->events.count; i++)
        if (bench->events.event[i].kind == PB_EVENT_BYTE) {
            assert_true(heard < FRAMES);
            assert_int_equal(pb_event_data(&bench->events.event[i]), (uint8_t)(heard++ * 7));
        }
    assert_int_equal(heard, FRAMES);
    close_bench(bench);
}

TEST(a_dead_link_ends_with_the_documented_error)
{
    static const unsigned clocks_per_bit[] = {0, 4, 16, 255};
    for (size_t i = 0; i < COUNT(clocks_per_bit); i++) {
        const struct wire wire = {"dead", clocks_per_bit[i], {.seed = 0}};
        struct bench bench_, *bench = &bench_;
        uint32_t value;
        open_bench(bench, &wire, 1);
        bench->core.cut = true;
        assert_int_equal(pb_device_read(bench->device, PB_REG_ID, &value, &bench->diag), PB_ERR_LINK);
        assert_non_null(strstr(bench->diag.text, "no answer from the core in 500 ms"));
        assert_int_equal(bench->core.waited_ms, 500);
        /* Once is enough. */
        assert_int_equal(pb_device_poll(bench->device, 1000, &bench->events, &bench->diag), PB_ERR_LINK);
        assert_int_equal(pb_device_settle(bench->device, &bench->events, &bench->diag), PB_ERR_LINK);
        assert_true(bench->core.waited_ms <= 505);
        close_bench(bench);
    }
}

/* ---- events */

/* Phases of 10 us, and in each a frame of 5 bytes on one of three lines: about 4 events in 480 ticks, more
 * than 3 Mbaud carry. */
static void start_clock(struct bench *bench, unsigned period_ticks, unsigned superframes)
{
    bench->core.hasty = bench->quick;
    put(bench, PB_REG_PHASE_COUNT, PHASES);
    put(bench, PB_REG_PERIOD_TICKS, period_ticks);
    put(bench, PB_REG_HIGH_TICKS, period_ticks / 2);
    put(bench, PB_REG_SUPERFRAME_LIMIT, superframes);
    put(bench, PB_REG_EDGE_MASK0, 0xfff);
    put(bench, PB_REG_BYTE_MASK0, 0xfff);
    put(bench, PB_REG_BIT_PERIOD, 160);
    for (unsigned i = 0; i < LINKS; i++)
        put(bench, PB_REG_LINK + i, 1);
    bench->core.hasty = false;
    put(bench, PB_REG_CTRL, 1u << PB_CTRL_RUN_LSB | 1u << PB_CTRL_CAPTURE_LSB);
}

static void stop_and_settle(struct bench *bench)
{
    uint32_t status = 0;
    do {
        OK(pb_device_poll(bench->device, 2, &bench->events, &bench->diag));
        OK(pb_device_status(bench->device, &status, &bench->diag));
    } while (status & 1u << PB_STATUS_RUNNING_LSB);
    put(bench, PB_REG_CTRL, 0);
    OK(pb_device_settle(bench->device, &bench->events, &bench->diag));
}

/* Everything the device handed over was sent, with this number, in this order, once; and the counts are
 * exact. */
static void assert_accounted(struct bench *bench)
{
    const struct core *core = &bench->core;
    struct pb_device_counters counters;
    size_t at = 0;
    for (size_t i = 0; i < bench->events.count; i++) {
        const struct pb_event *event = &bench->events.event[i];
        while (at < core->words && core->number[at] != event->sequence)
            at++;
        if (at == core->words)
            fail_msg("%s: event %llu came out of order, or was never sent", bench->name,
                     (unsigned long long)event->sequence);
        assert_int_equal(event->kind, PB_GET(PB_EVENT_KIND, core->word[at]));
        assert_int_equal((uint32_t)event->tick, (uint32_t)core->word[at]);
        if (event->kind != PB_EVENT_OVERFLOW) {
            assert_int_equal(event->link, PB_GET(PB_EVENT_LINK, core->word[at]));
            assert_int_equal(event->value, PB_GET(PB_EVENT_VALUE, core->word[at]));
        }
        at++;
    }
    noise_off(bench);
    pb_device_counters(bench->device, &counters);
    assert_int_equal(counters.events, bench->events.count);
    assert_int_equal(counters.events_lost, get(bench, PB_REG_EVENTS_LOST));
    assert_int_equal(counters.events_missing, core->words - bench->events.count);
    assert_int_equal(counters.events + counters.events_lost + counters.events_missing,
                     get(bench, PB_REG_EVENTS_SENT));
    assert_int_equal(core->next_number, get(bench, PB_REG_EVENTS_SENT));
    assert_int_equal(core->lost, get(bench, PB_REG_EVENTS_LOST));
}

static void play_frames(struct bench *bench, unsigned superframes)
{
    for (unsigned superframe = 0; superframe < superframes; superframe++)
        for (unsigned phase = 0; phase < PHASES; phase += 4) {
            uint8_t record[PB_PLAY_RECORD_BYTES + 4] = {[PB_PLAY_RECORD_BYTES] = 0x55, 0xc3, 0x0f, 0x96};
            PB_BYTES_PUT(PB_PLAY_RECORD_TARGET, record, phase % LINKS);
            PB_BYTES_PUT(PB_PLAY_RECORD_COUNT, record, 4);
            PB_BYTES_PUT(PB_PLAY_RECORD_PHASE, record, phase);
            PB_BYTES_PUT(PB_PLAY_RECORD_SUPERFRAME, record, superframe);
            PB_BYTES_PUT(PB_PLAY_RECORD_OFFSET, record, 20);
            PB_BYTES_PUT(PB_PLAY_RECORD_PERIOD, record, 80);
            bool taken;
            unsigned room;
            OK(pb_device_play(bench->device, phase / 4 % 2, record, sizeof record, &taken, &room,
                              &bench->diag));
            if (!taken)
                return;
        }
}

TEST(every_event_is_delivered_once_or_counted)
{
    size_t delivered = 0;
    /* Every kind at one rate, every third at the other. */
    for (size_t w = 0; w < COUNT(wires); w += w < COUNT(wires) / 2 ? 1 : 3) {
        struct bench bench_, *bench = &bench_;
        struct pb_device_counters counters;
        open_bench(bench, &wires[w], w + 200);
        play_frames(bench, 6);
        start_clock(bench, PERIOD_TICKS, 10);
        stop_and_settle(bench);
        delivered += bench->events.count;
        pb_device_counters(bench->device, &counters);
        if (wires[w].noise.in.lost + wires[w].noise.in.flipped + wires[w].noise.in.doubled +
            wires[w].noise.in.merged)
            assert_true(counters.packets_bad > 0);
        else
            assert_int_equal(counters.events_missing, 0);
        assert_accounted(bench);
        close_bench(bench);
    }
    assert_true(delivered > 2000);
}

/* The last packets of a run are lost: nothing comes after them that would show the gap. */
TEST(a_lost_tail_is_counted)
{
    static const struct wire deaf = {"deaf", 4, {.in = {.lost = UINT32_MAX}}};
    for (unsigned lost_ms = 0; lost_ms < 5; lost_ms++) {
        struct bench bench_, *bench = &bench_;
        open_bench(bench, &wires[0], 1);
        start_clock(bench, PERIOD_TICKS, 10); /* 2.4 ms */
        core_run(&bench->core, lost_ms * PS_PER_MS / 2);
        OK(pb_device_poll(bench->device, 1, &bench->events, &bench->diag));
        noise_on(bench, &deaf);
        /* Polls with credits to spare need no command, so none can fail. */
        OK(pb_device_poll(bench->device, 8, &bench->events, &bench->diag));
        noise_off(bench);
        stop_and_settle(bench);
        assert_accounted(bench);
        close_bench(bench);
    }
}

/* The commands get through, no event does: the core uses up credits of which the host does not know. */
TEST(an_outage_does_not_starve_the_core)
{
    static const struct wire stream = {"outage", 0, {.seed = 0}};
    struct bench bench_, *bench = &bench_;
    struct pb_device_counters counters;
    open_bench(bench, &stream, 1);
    start_clock(bench, 64, 0); /* 25,000 packets a second */
    bench->core.eventless = true;
    for (const int64_t begun_ps = core_now_ps(&bench->core);
         core_now_ps(&bench->core) < begun_ps + 180 * PS_PER_MS;)
        OK(pb_device_poll(bench->device, 2, &bench->events, &bench->diag));
    bench->core.eventless = false;
    assert_int_equal(bench->events.count, 0);
    /* Within the time of a keep-alive there are events again. */
    for (unsigned ms = 0; ms < 20 && !bench->events.count; ms++)
        OK(pb_device_poll(bench->device, 1, &bench->events, &bench->diag));
    assert_true(bench->events.count > 0);
    put(bench, PB_REG_ABORT, 1);
    stop_and_settle(bench);
    assert_accounted(bench);
    pb_device_counters(bench->device, &counters);
    assert_true(counters.events_missing > 30 * 4096); /* more than the credits of the beginning */
    close_bench(bench);
}

/* What an earlier session left in the core is discarded, and counts for no session. */
TEST(a_new_session_begins_at_zero)
{
    for (unsigned polled = 0; polled < 2; polled++) {
        struct bench bench_, *bench = &bench_;
        struct pb_device_counters counters;
        open_bench(bench, &wires[0], 1);
        start_clock(bench, PERIOD_TICKS, 0);
        OK(pb_device_poll(bench->device, 1, &bench->events, &bench->diag));
        core_run(&bench->core, 30 * PS_PER_MS); /* the buffer overflows, or there are credits left */
        while (polled && pb_device_poll(bench->device, 0, &bench->events, &bench->diag))
            ;
        pb_device_close(bench->device);
        bench->events.count = 0;
        const size_t earlier = bench->core.words;
        OK(pb_rig_noise_open(&bench->noisy, &bench->core.base, &quiet, &bench->diag));
        OK(pb_device_open(&bench->device, bench->noisy, &bench->diag));
        const uint32_t sent = get(bench, PB_REG_EVENTS_SENT), lost = get(bench, PB_REG_EVENTS_LOST);
        const size_t drained = bench->core.words;
        assert_true(earlier <= drained && sent > 0);
        start_clock(bench, PERIOD_TICKS, 4);
        stop_and_settle(bench);
        assert_int_equal(bench->events.event[0].kind, PB_EVENT_CLOCK);
        assert_int_equal(bench->events.event[0].sequence, sent);
        pb_device_counters(bench->device, &counters);
        assert_int_equal(counters.events, bench->events.count);
        /* Phases, edges of TDMA_CLK, start and stop. */
        assert_int_equal(counters.events, 4 * PHASES * 2 + 2);
        assert_int_equal(counters.events_lost + counters.events_missing, 0);
        assert_int_equal(get(bench, PB_REG_EVENTS_LOST), lost);
        close_bench(bench);
    }
}

/* ---- back-pressure */

static void assert_on_schedule(const struct bench *bench, uint64_t *first_tick)
{
    for (size_t i = 0; i < bench->events.count; i++) {
        const struct pb_event *event = &bench->events.event[i];
        if (event->kind == PB_EVENT_CLOCK && event->value)
            *first_tick = event->tick;
        if (event->kind == PB_EVENT_PHASE)
            assert_int_equal(event->tick,
                             *first_tick + (uint64_t)PERIOD_TICKS *
                                               (pb_event_superframe(event) * PHASES + pb_event_phase(event)));
    }
}

/* The host takes nothing for a long time; the core's phase clock goes on to the tick, and so do the stamps.
 */
TEST(a_host_that_does_not_read_stops_no_clock)
{
    for (unsigned uart = 0; uart < 2; uart++) {
        const struct wire wire = {"unread", uart ? 16 : 0, {.seed = 0}};
        struct bench bench_, *bench = &bench_;
        uint64_t first_tick = 0;
        open_bench(bench, &wire, 1);
        put(bench, PB_REG_WATCHDOG, 0);
        start_clock(bench, PERIOD_TICKS, 0);
        OK(pb_device_poll(bench->device, 1, &bench->events, &bench->diag));
        assert_on_schedule(bench, &first_tick);
        assert_true(first_tick > 0);
        for (unsigned pause = 0; pause < 2; pause++) {
            /* A byte stream can be held up; a UART cannot, its bytes wait in front of the host. */
            pb_sim_host_stall(bench->core.sim, !uart);
            core_run(&bench->core, 40 * PS_PER_MS + pause * 12345000);
            pb_sim_host_stall(bench->core.sim, false);
            uint32_t words[PB_REG_STAMP - PB_REG_STATUS + 1];
            OK(pb_device_read_many(bench->device, PB_REG_STATUS, words, COUNT(words), &bench->diag));
            /* A word is read when it is sent: the UART takes up to 8 bytes of 160 ticks for each of the two
             * words before the stamp. */
            const uint64_t phases =
                ((uint64_t)words[PB_REG_STAMP - PB_REG_STATUS] - first_tick) / PERIOD_TICKS;
            const uint64_t phase = words[0] >> PB_STATUS_PHASE_LSB & PB_STATUS_PHASE_MASK;
            assert_in_range((uint64_t)words[1] * PHASES + phase, phases - (uart ? 6 : 1), phases);
            OK(pb_device_poll(bench->device, 2, &bench->events, &bench->diag));
        }
        put(bench, PB_REG_CTRL, 1u << PB_CTRL_CAPTURE_LSB);
        stop_and_settle(bench);
        assert_on_schedule(bench, &first_tick);
        assert_accounted(bench);
        struct pb_device_counters counters;
        pb_device_counters(bench->device, &counters);
        if (!uart)
            assert_true(counters.events_lost > 2 * 3000);
        close_bench(bench);
    }
}

/* ---- keep-alive */

/* The longest time without a whole command at the core's end, while calls wait. */
TEST(waiting_calls_keep_the_core_awake)
{
    static const unsigned clocks_per_bit[] = {4, 255};
    for (size_t i = 0; i < COUNT(clocks_per_bit); i++)
        for (unsigned busy = i; busy < 2; busy++) {
            const struct wire wire = {"awake", clocks_per_bit[i], {.seed = 0}};
            struct bench bench_, *bench = &bench_;
            open_bench(bench, &wire, 1);
            bench->core.hasty = false;
            if (busy)
                start_clock(bench, PERIOD_TICKS, 0);
            static const unsigned timeout_ms[] = {1, 40};
            for (size_t t = 0; t < COUNT(timeout_ms); t++) {
                const unsigned replies = bench->core.replies;
                const int64_t begun_ps = core_now_ps(&bench->core);
                while (core_now_ps(&bench->core) < begun_ps + 25 * PS_PER_MS)
                    OK(pb_device_poll(bench->device, timeout_ms[t], &bench->events, &bench->diag));
                const int64_t took_ms = (core_now_ps(&bench->core) - begun_ps) / PS_PER_MS;
                assert_true((int64_t)(bench->core.replies - replies) >= took_ms / 20);
            }
            close_bench(bench);
        }
}
