/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in place of edges: what they say of the edges is held against the edges of the same run, the verdicts
 * against those with every edge, and the planned load against what was counted.
 *
 * evidence: a bench on a slow host link
 *   simulated on a UART at 12 Mbaud: from bytes alone, sound and broken nodes get the same verdict,
 *   findings and start times as from edges; the report lists the omitted checks
 */
#include "host/check/check.h"
#include "host/check/run.h"
#include "host/check/rebuild.h"
#include "host/check/slot.h"
#include "host/plan/event_load.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

RUNS_ALONE

static struct pb_scenario *load(const char *name, enum pb_capture capture)
{
    struct pb_scenario *scenario = load_shipped(name);
    scenario->capture = capture;
    return scenario;
}

static struct pb_result *run(const char *name, enum pb_capture capture, const char *rig)
{
    struct pb_result *result = run_scenario(load(name, capture), rig);
    return result;
}

/* ---- one run with both */

static bool has_edge(const struct pb_observation *seen, unsigned link, uint64_t tick, bool high)
{
    size_t low = 0, beyond = seen->events.count;
    while (low < beyond) {
        const size_t middle = (low + beyond) / 2;
        if (seen->events.event[middle].tick < tick)
            low = middle + 1;
        else
            beyond = middle;
    }
    for (; low < seen->events.count && seen->events.event[low].tick == tick; low++) {
        const struct pb_event *event = &seen->events.event[low];
        if (event->kind == PB_EVENT_EDGE && event->link == link && pb_event_high(event) == high)
            return true;
    }
    return false;
}

/* The start edge and the last edge of every byte are edges that were captured, to the tick. */
TEST(test_bytes_tell_their_edges_to_the_tick)
{
    static const char *const name[] = {"ref", "two-boards"};
    for (size_t i = 0; i < COUNT(name); i++) {
        struct pb_scenario *scenario = load(name[i], PB_CAPTURE_EDGES);
        size_t bytes = 0;
        struct pb_observation *const seen = play_scenario(scenario, NULL);
        assert_int_equal(seen->edgeless, 0);
        const uint32_t period_q4 = (uint32_t)(16 * (uint64_t)seen->info.clock_hz / scenario->baud_hz);
        for (size_t e = 0; e < seen->events.count; e++) {
            const struct pb_event *byte = &seen->events.event[e];
            if (byte->kind != PB_EVENT_BYTE)
                continue;
            /* docs/reference/protocol.md: sample 9 is nine and a half bits after the start edge, rounded
             * down. */
            const uint64_t start = byte->tick - 19 * (uint64_t)period_q4 / 32;
            unsigned bit;
            int64_t position;
            assert_true(has_edge(seen, byte->link, start, false));
            assert_true(pb_slot_last_edge(byte, period_q4, &bit, &position));
            assert_true(has_edge(seen, byte->link, start + (uint64_t)position, true));
            bytes++;
        }
        assert_true(bytes > 400);
    }
}

/* All edges that the bytes of a run carry are those that were captured, within two ticks: of a sender that is
 * slow or fast by 2 % each bit, and on lines that rise late each rise. */
TEST(test_bytes_tell_all_edges_of_a_sender)
{
    static const struct {
        int error_ppm;
        const char *rise;
    } row[] = {{20000, "0 ns"}, {-20000, "0 ns"}, {0, "150 ns"}, {15000, "150 ns"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_scenario *scenario = parse_scenario(formatted(
            "cube: {dims: 4}\nlink: {simulated_rise: %s}\n"
                      "nodes: [{address: 5, kind: native, clock_error: %d ppm}]\n"
            "traffic: [{pattern: complement, repeat: 2}]\n",
            row[i].rise, row[i].error_ppm));
        scenario->capture = PB_CAPTURE_EDGES;
        struct pb_observation *const seen = play_scenario(scenario, NULL);
        const uint32_t period_q4 = (uint32_t)(16 * (uint64_t)seen->info.clock_hz / scenario->baud_hz);
        struct pb_queue queue[PB_LINKS_MAX] = {{0}};
        struct pb_rebuild *rebuild;
        seen->edgeless = ~UINT64_C(0);
        assert_int_equal(pb_rebuild_open(&rebuild, seen, period_q4, queue), PB_OK);
        for (size_t e = 0; e < seen->events.count; e++) {
            struct pb_event event = seen->events.event[e];
            if (event.kind == PB_EVENT_BYTE)
                event.tick -= 19 * (uint64_t)period_q4 / 32;
            assert_int_equal(pb_rebuild_take(rebuild, &event, 0), PB_OK);
        }
        assert_int_equal(pb_rebuild_end(rebuild), PB_OK);
        free(rebuild);
        size_t edges = 0;
        for (unsigned link = 0; link < 4; link++) {
            size_t number = 0;
            for (size_t e = 0; e < seen->events.count; e++) {
                const struct pb_event *event = &seen->events.event[e], *told;
                if (event->kind != PB_EVENT_EDGE || event->link != link)
                    continue;
                told = pb_queue_at(&queue[link], number++);
                assert_non_null(told);
                assert_int_equal(pb_event_high(told), pb_event_high(event));
                if (llabs((int64_t)(told->tick - event->tick)) > 2)
                    fail_msg("%d ppm, rise %s, link %u, edge %zu: told at %llu, seen at %llu",
                             row[i].error_ppm, row[i].rise, link, number, (unsigned long long)told->tick,
                             (unsigned long long)event->tick);
                edges++;
            }
            assert_null(pb_queue_at(&queue[link], number));
            free(queue[link].event);
        }
        assert_true(edges > 200);
    }
}

/* ---- the same scenario both ways */

/* Bytes have whole ticks; an edge in the second half of its tick is stamped half a tick later. */
static bool same_tick(const struct pb_result *edges, int64_t edge_ps, int64_t byte_ps)
{
    return edge_ps == byte_ps || edge_ps == byte_ps + edges->edge_resolution_ps;
}

static void assert_same_hops(const struct pb_result *edges, const struct pb_result *bytes)
{
    assert_int_equal(edges->hops, bytes->hops);
    for (size_t i = 0; i < edges->hops; i++) {
        const struct pb_hop_row *a = &edges->hop[i], *b = &bytes->hop[i];
        if (a->superframe != b->superframe || a->phase != b->phase || a->link != b->link ||
            a->seen != b->seen || a->correct != b->correct || !same_tick(edges, a->start_ps, b->start_ps) ||
            !same_tick(edges, a->end_ps, b->end_ps) || a->byte_count != b->byte_count)
            fail_msg("%s: transmission %zu: superframe %u phase %u link %u, %lld to %lld ps by edges; "
                     "superframe %u phase %u link %u, %lld to %lld by bytes",
                     edges->scenario, i, a->superframe, a->phase, a->link, (long long)a->start_ps,
                     (long long)a->end_ps, b->superframe, b->phase, b->link, (long long)b->start_ps,
                     (long long)b->end_ps);
        assert_memory_equal(a->bytes, b->bytes, a->byte_count);
    }
}

static void assert_same_measurement(const struct pb_result *edges, const struct pb_result *bytes,
                                    enum pb_figure figure)
{
    const struct pb_measurement *a = pb_measurement_find(edges, figure, -1),
                                *b = pb_measurement_find(bytes, figure, -1);
    assert_int_equal(!a, !b);
    if (!a)
        return;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->min, b->min);
    assert_int_equal(a->max, b->max);
    assert_int_equal(a->mean, b->mean);
    assert_int_equal(a->sd, b->sd);
}

/* Of starts: each edge is stamped up to half a tick later than its byte. */
static uint64_t assert_same_starts(const struct pb_result *edges, const struct pb_result *bytes, int link)
{
    const int64_t half_ps = edges->edge_resolution_ps;
    const struct pb_measurement *a = pb_measurement_find(edges, PB_FIGURE_NODE_START, link),
                                *b = pb_measurement_find(bytes, PB_FIGURE_NODE_START, link);
    assert_int_equal(!a, !b);
    if (!a)
        return 0;
    assert_int_equal(a->n, b->n);
    assert_true(same_tick(edges, a->min, b->min) && same_tick(edges, a->max, b->max));
    assert_in_range(a->mean, b->mean, b->mean + half_ps);
    assert_true(llabs((long long)(a->sd - b->sd)) <= half_ps);
    return a->n;
}

static void assert_same_judgement(const char *name)
{
    struct pb_result *edges = run(name, PB_CAPTURE_EDGES, NULL),
                     *bytes = run(name, PB_CAPTURE_AUTO, "sim:?port=uart");
    assert_string_equal(edges->capture, "edges");
    assert_string_equal(bytes->capture, "bytes");
    assert_int_equal(bytes->edges_seen, 0);
    assert_int_equal(bytes->events_lost, 0);
    assert_non_null(strstr(bytes->capture_reason, "the host link carries"));
    const char *unchecked = pb_result_unchecked(bytes, 0);
    assert_non_null(unchecked);
    assert_non_null(strstr(unchecked, "pulses shorter than a bit"));
    unchecked = pb_result_unchecked(edges, 0);
    assert_true(!unchecked || !strncmp(unchecked, "node ", 5));

    assert_verdict(bytes, edges->verdict);
    assert_int_equal(edges->delivered, bytes->delivered);
    assert_int_equal(edges->bytes_seen, bytes->bytes_seen);
    assert_int_equal(edges->slots_checked, bytes->slots_checked);
    assert_int_equal(edges->worst_latency_phases, bytes->worst_latency_phases);
    assert_same_hops(edges, bytes);
    uint64_t starts = 0;
    for (unsigned link = 0; link < edges->lines; link++)
        starts += assert_same_starts(edges, bytes, (int)link);
    assert_true(starts > 0 || edges->verdict == PB_VERDICT_FAIL);
    assert_same_measurement(edges, bytes, PB_FIGURE_CLOCK_PERIOD);
    assert_same_measurement(edges, bytes, PB_FIGURE_CLOCK_TIE);
    assert_same_measurement(edges, bytes, PB_FIGURE_CLOCK_RATE);
    assert_same_measurement(edges, bytes, PB_FIGURE_LATENCY);
    assert_same_measurement(edges, bytes, PB_FIGURE_ARRIVAL);
    assert_int_equal(edges->findings_total, bytes->findings_total);
    for (size_t i = 0; i < edges->findings; i++)
        assert_finding(bytes, i, edges->finding[i].kind, edges->finding[i].superframe,
                       edges->finding[i].phase, edges->finding[i].link);
}

TEST(test_sound_nodes_pass_alike)
{
    static const char *const name[] = {"demo", "starc", "two-boards"};
    for (size_t i = 0; i < COUNT(name); i++)
        assert_same_judgement(name[i]);
}

TEST(test_broken_nodes_fail_alike)
{
    static const char *const name[] = {"broken/flipped-bit", "broken/late-start", "broken/swapped-links"};
    for (size_t i = 0; i < COUNT(name); i++)
        assert_same_judgement(name[i]);
}

/* An external clock is awaited for as long as it takes: that the core does not run yet is not the end. */
TEST(test_outside_clock_is_awaited)
{
    assert_verdict(run("outside-clock", PB_CAPTURE_AUTO, "sim:?port=uart"), PB_VERDICT_PASS);
}

/* ---- what the bench does wrong on purpose */

static struct pb_result *run_with_fault(const char *fault)
{
    const char *yaml = formatted(
        "capture: bytes\nsuperframes: 4\nnodes: [{address: 0x2A3}]\n"
        "traffic: [{pattern: complement, superframe: 1}]\nfaults: [{superframe: 1, node: 0x2A3, %s}]\n",
        fault);
    return run_yaml(yaml, NULL);
}

TEST(test_faults_are_found_by_bytes)
{
    static const struct {
        const char *yaml;
        enum pb_finding_kind kind;
        bool found;
    } fault[] = {
        {"kind: stuck_low, phase: 0", PB_FINDING_STUCK, true},
        {"kind: open, phase: 0", PB_FINDING_OPEN, true},
        {"kind: short, phase: 0", PB_FINDING_SHORT, true},
        {"kind: slow_rise, phase: 0", PB_FINDING_SLOW_RISE, true},
        {"kind: second_driver, dimension: 0", PB_FINDING_CONTENTION, true},
        {"kind: framing, phase: 0", PB_FINDING_FRAMING, true},
        {"kind: baud, phase: 0", PB_FINDING_BAUD, true},
        {"kind: early_start, phase: 0", PB_FINDING_EARLY, true},
        {"kind: late_start, phase: 0", PB_FINDING_LATE, true},
        {"kind: glitch, phase: 1, at: 50us", PB_FINDING_GLITCH, false},
    };
    for (size_t i = 0; i < COUNT(fault); i++) {
        struct pb_result *result = run_with_fault(fault[i].yaml);
        assert_verdict(result, PB_VERDICT_PASS);
        assert_int_equal(result->faults, 1);
        assert_true(result->fault[0].began);
        assert_int_equal(result->fault[0].detected, fault[i].found);
        assert_int_equal(result->fault[0].unsought, !fault[i].found);
        bool named = false;
        for (size_t k = 0; k < result->findings; k++)
            named |= result->finding[k].kind == fault[i].kind;
        assert_int_equal(named, fault[i].found);
        assert_non_null(strstr(result->reason, "by its bytes"));
        assert_int_equal(strstr(result->reason, "except 1 that leaves nothing to see") != NULL,
                         !fault[i].found);
    }
}

/* A rise a quarter of a bit late differs from a slow sender by the bytes' starts, which stay in time. */
TEST(test_slow_rise_is_measured_by_last_edges)
{
    struct pb_result *result = run_with_fault("kind: slow_rise, phase: 0, amount: 250 ns");
    assert_finding(result, 0, PB_FINDING_SLOW_RISE, 1, 0, 0);
    assert_string_equal(result->finding[0].seen, "it rises 250.0 ns late");
}

/* From 2.5 us after one phase edge to 2.5 us after the third that follows: the byte shows when it began, the
 * core at three phase edges that it lasts. What comes after the third is not known and not claimed. A phase
 * is judged by what is seen up to sixteen bits after its end. */
TEST(test_held_line_is_followed_from_phase_to_phase)
{
    static const char *const seen[] = {"low for 113.500 us from 2.500 us on",
                                       "low for 116.000 us from 0.000 us on",
                                       "low for 100.021 us from 0.000 us on"};
    struct pb_result *result = run_with_fault("kind: stuck_low, phase: 1, dimension: 5, length: 300 us");
    assert_verdict(result, PB_VERDICT_PASS);
    assert_int_equal(result->findings_total, COUNT(seen));
    for (unsigned i = 0; i < COUNT(seen); i++) {
        assert_finding(result, i, PB_FINDING_STUCK, 1, 1 + i, 5);
        assert_string_equal(result->finding[i].seen, seen[i]);
    }
}

/* ---- loss */

TEST(test_loss_is_noticed_without_edges)
{
    struct pb_scenario *scenario = load("ref", PB_CAPTURE_BYTES);
    struct pb_result *result = run_scenario(scenario, "sim:?port=uart&noise_in=3e-3");
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_true(result->events_lost > 0);
    /* What no core with this capture makes proves nothing either. */
    struct pb_observation *const seen = play_scenario(scenario, NULL);
    assert_true(seen->edgeless != 0);
    const struct pb_event edge = {.kind = PB_EVENT_EDGE, .tick = seen->clock_tick + 100, .link = 3};
    assert_int_equal(pb_events_add(&seen->events, &edge), 0);
    pb_events_sort(&seen->events);
    assert_verdict(judge_seen(scenario, seen), PB_VERDICT_INCONCLUSIVE);
}

/* ---- the planned load */

struct counted {
    unsigned phase[4000]; /* events of each */
    size_t phases;
    uint64_t events;
};

/* What the schedule shows: no alarms, consoles, heartbeats. */
static void count(struct counted *counted, const struct pb_observation *seen)
{
    *counted = (struct counted){.phases = 0};
    for (size_t i = 0; i < seen->events.count; i++) {
        const struct pb_event *event = &seen->events.event[i];
        if (event->kind == PB_EVENT_PHASE) {
            assert_true(counted->phases < COUNT(counted->phase));
            counted->phases++;
        }
        if (event->kind != PB_EVENT_PHASE && event->kind != PB_EVENT_TDMA && event->kind != PB_EVENT_BYTE &&
            event->kind != PB_EVENT_EDGE)
            continue;
        if (!counted->phases) /* the pull of each line before the run */
            continue;
        counted->phase[counted->phases - 1]++;
        counted->events++;
    }
}

static unsigned most(const struct counted *counted)
{
    unsigned top = 0;
    for (size_t i = 0; i < counted->phases; i++)
        top = counted->phase[i] > top ? counted->phase[i] : top;
    return top;
}

/* Another way to the most that wait: in bytes on the wire, phase by phase. */
static double waiting(const struct counted *counted, double bytes_in_phase)
{
    double queue = 0, top = 0;
    for (size_t i = 0; i < counted->phases; i++) {
        queue += counted->phase[i] * 28.0 / 3;
        queue = queue > bytes_in_phase ? queue - bytes_in_phase : 0;
        top = queue > top ? queue : top;
    }
    return top * 3 / 28;
}

TEST(test_load_is_what_is_counted)
{
    static const char *const name[] = {"ref", "two-boards", "cube4-ref"};
    static struct counted counted;
    for (size_t i = 0; i < COUNT(name); i++)
        for (unsigned edges = 0; edges < 2; edges++) {
            struct pb_scenario *scenario = load(name[i], edges ? PB_CAPTURE_EDGES : PB_CAPTURE_BYTES);
            struct pb_load planned;
            struct pb_observation *const seen = play_scenario(scenario, NULL);
            assert_int_equal(seen->events_lost, 0);
            count(&counted, seen);
            assert_int_equal(pb_load(&planned, scenario, edges, 600000), 0);
            const double wanted = waiting(&counted, 600000.0 * 1000 / (double)scenario->phase_rate_mhz);
            assert_int_equal(planned.events, counted.events);
            assert_int_equal(planned.busiest, most(&counted));
            assert_true((double)planned.waiting > wanted - 1 && (double)planned.waiting < wanted + 1);
        }
}

/* Ten hops of one message, of which the node's own is the first; nine bytes a frame; 24 phases a superframe.
 * The frame is 1C 09 1E 61 39 74 08 AB 0C: 48 edges, counted by hand. */
TEST(test_load_by_hand)
{
    struct pb_scenario *scenario = parse_scenario("superframes: 2\nnodes: [{address: 0x2A3}]\n"
                                                  "link: {payload: 6 bytes}\n"
                                                  "traffic: [{from: 0x2A3, to: 0x91C}]\n");
    struct pb_load planned;
    assert_int_equal(pb_load(&planned, scenario, false, 0), 0);
    assert_int_equal(planned.events, 48 * 2 + 9);
    assert_int_equal(planned.busiest, 2 + 9);
    assert_int_equal(planned.waiting, 0);
    assert_int_equal(pb_load(&planned, scenario, true, 0), 0);
    assert_int_equal(planned.events, 48 * 2 + 9 + 48);
    assert_int_equal(planned.busiest, 2 + 9 + 48);
    /* 10,000 phases a second: 28 bytes carry 3 events, so 280,000 a second 3 of them in a phase. */
    assert_int_equal(pb_load(&planned, scenario, true, 280000), 0);
    assert_int_equal(planned.waiting, 59 - 3);
}

TEST(test_choice)
{
    static const struct {
        const char *rate; /* of the phases */
        enum pb_capture order;
        uint64_t bytes_per_s;
        enum pb_capture chosen;
        const char *why;
    } row[] = {
        {"10 kHz", PB_CAPTURE_AUTO, 0, PB_CAPTURE_EDGES, ""},
        {"10 kHz", PB_CAPTURE_AUTO, 30000000, PB_CAPTURE_EDGES, ""},
        {"10 kHz", PB_CAPTURE_AUTO, 1200000, PB_CAPTURE_BYTES,
         "MB/s, the host link carries 1.20; lower phase_rate or take a faster host port for edges"},
        {"1 kHz", PB_CAPTURE_AUTO, 1200000, PB_CAPTURE_EDGES, ""},
        {"10 kHz", PB_CAPTURE_EDGES, 1200000, PB_CAPTURE_EDGES, "set capture bytes"},
        {"10 kHz", PB_CAPTURE_BYTES, 30000000, PB_CAPTURE_BYTES, ""},
        {"10 kHz", PB_CAPTURE_BYTES, 0, PB_CAPTURE_BYTES, ""},
        {"10 kHz", PB_CAPTURE_AUTO, 100000, PB_CAPTURE_BYTES,
         "each byte of this traffic takes up to 1.03 MB/s, the host link carries 0.10: events may be lost"},
    };
    const struct pb_device_info info = {.clock_hz = 48000000, .event_buffer = 512};
    for (size_t i = 0; i < COUNT(row); i++) {
        struct pb_capture_choice choice;
        const char *yaml =
            formatted("capture: %s\nlink: {phase_rate: %s, payload: 6 bytes}\nnodes: [{address: 0x2A3}]\n"
                      "traffic: [{pattern: complement, repeat: 6}]\n",
                      pb_capture_name(row[i].order), row[i].rate);
        struct pb_scenario *scenario = parse_scenario(yaml);
        assert_int_equal(scenario->capture, row[i].order);
        assert_int_equal(pb_capture_choose(&choice, scenario, &info, row[i].bytes_per_s), 0);
        assert_int_equal(choice.capture, row[i].chosen);
        if (*row[i].why ? !strstr(choice.why, row[i].why) : *choice.why)
            fail_msg("row %zu: '%s'", i, choice.why);
    }
}
