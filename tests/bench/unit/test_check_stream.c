/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The check as a stream: what it finds does not depend on the portions in which the events come, nor its
 * memory on their number.
 *
 * evidence: runs of any length
 *   simulated: the result does not depend on the portions in which events arrive; the memory of plan and
 *   check does not grow after 5,000 superframes; 10^8 generated events are judged in 7 MB; 10^6 superframes
 *   of full load of the 12-cube, 1.5 * 10^9 events, are planned, played against a stub core and judged in 8
 *   MB; full load of the 12-cube runs until a signal or a time limit, with the result so far in its files
 *   also: test_plan_played, test_memory, ends.sh, make perf
 */
#include "host/check/check.h"
#include "host/check/loss.h"
#include "phasebench/random.h"
#include "phasebench/report.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/sound_stream.h"
#include "tests/bench/unit/tests.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- portions */

/* The movement, of which another reader has seen all when the check begins to read. */
static void read_all(struct pb_movement *movement, unsigned reader, const struct pb_scenario *scenario)
{
    const struct pb_moved *moved;
    assert_int_equal(pb_movement_read(movement, scenario->superframes - 1, &moved, NULL), PB_OK);
    pb_movement_leave(movement, reader);
}

static char *json_of(struct pb_result *result)
{
    FILE *stream = open_text();
    assert_int_equal(pb_report_json(stream, result), PB_OK);
    return close_text(stream);
}

enum portions { ONE, ODD, ALL };

static char *judge(const struct pb_scenario *scenario, const struct pb_observation *seen,
                   enum portions portions)
{
    struct pb_result *result = new_result(scenario->network);
    struct pb_checker *check;
    uint64_t random = 5;
    struct pb_expectation expectation;
    struct pb_movement *movement = NULL;
    assert_int_equal(pb_expect(&expectation, result, scenario), PB_OK);
    if (portions == ODD)
        assert_int_equal(pb_movement_open(&movement, scenario, NULL), PB_OK);
    const unsigned reader = movement ? pb_movement_reader(movement) : 0;
    assert_int_equal(pb_check_open(&check, result, scenario, &expectation, seen, movement), PB_OK);
    if (movement)
        read_all(movement, reader, scenario);
    for (size_t at = 0, count; at < seen->events.count; at += count) {
        count = portions == ONE   ? 1
                : portions == ODD ? 1 + 2 * (size_t)(pb_splitmix64(&random) % 50)
                                  : seen->events.count;
        if (count > seen->events.count - at)
            count = seen->events.count - at;
        assert_int_equal(pb_check_push(check, seen->events.event + at, count), PB_OK);
    }
    assert_int_equal(pb_check_close(check), PB_OK);
    return json_of(result);
}

static int by_sequence(const void *left, const void *right)
{
    const struct pb_event *a = left, *b = right;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* As they are sorted, and as they came from the core; with a plan's movement, and with one of its own. */
TEST(test_portions_and_order)
{
    static const char *const name[] = {
        "demo",          "xor-random",        "generalised",    "outside-clock",     "two-boards",
        "opportunistic", "broken/flipped-bit", "broken/silent", "broken/late-start", "permutation-overload",
    };
    static const char *const yaml[] = {
        "superframes: 9\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement, repeat: 5}]\nfaults:\n"
        "  - {kind: stuck_low, node: 0x2A3, dimension: 4, superframe: 2, phase: 3, length: 700 us}\n"
        "  - {kind: jitter, superframe: 4, phase: 2, length: 3 ms, amount: 2 us}\n",
        "superframes: 6\ncapture: bytes\nnodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\n",
    };
    for (size_t i = 0; i < COUNT(name) + COUNT(yaml); i++) {
        struct pb_scenario *scenario =
            i < COUNT(name) ? load_shipped(name[i]) : parse_scenario(yaml[i - COUNT(name)]);
        struct pb_result *whole = new_result(scenario->network);
        struct pb_observation *const seen = play_scenario(scenario, NULL);
        assert_int_equal(pb_check(whole, scenario, seen), PB_OK);
        char *wanted = json_of(whole);
        for (unsigned arrival = 0; arrival < 2; arrival++) {
            for (unsigned portions = ONE; portions <= ALL; portions++) {
                char *got = judge(scenario, seen, (enum portions)portions);
                if (strcmp(got, wanted))
                    fail_msg("%s, portions %u, %s", scenario->name, portions,
                             arrival ? "in the order of arrival" : "sorted");
            }
            qsort(seen->events.event, seen->events.count, sizeof *seen->events.event, by_sequence);
        }
    }
}

/* ---- long runs */

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes()
                                                   : mallinfo2().uordblks;
}

struct long_run {
    struct pb_scenario *scenario;
    struct sound_stream stream;
    struct pb_observation seen;
    struct pb_result *result;
    struct pb_checker *check;
};

static struct long_run open_run(const char *yaml)
{
    struct long_run run = {.scenario = parse_scenario(yaml)};
    assert_int_equal(sound_stream_open(&run.stream, run.scenario), PB_OK);
    run.seen = pin_observation(run.scenario);
    run.result = new_result(run.scenario->network);
    return run;
}

static void begin(struct long_run *run)
{
    struct pb_expectation expectation;
    assert_int_equal(pb_expect(&expectation, run->result, run->scenario), PB_OK);
    assert_int_equal(pb_check_open(&run->check, run->result, run->scenario, &expectation, &run->seen, NULL),
                     PB_OK);
}

static void push(struct long_run *run)
{
    assert_int_equal(pb_check_push(run->check, run->stream.pins.events.event, run->stream.pins.events.count),
                     PB_OK);
}

/* The first one that was made last on this link. */
static void spoil_a_byte(struct long_run *run, unsigned link)
{
    struct pb_event *event = run->stream.pins.events.event;
    while (event->kind != PB_EVENT_BYTE || event->link != link)
        event++;
    event->value ^= PB_PUT(PB_EVENT_BYTE_DATA, 1);
}

static void play_to(struct long_run *run, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        assert_int_equal(sound_stream_next(&run->stream, i), PB_OK);
        push(run);
    }
}

static void close_run(struct long_run *run)
{
    sound_stream_close(&run->stream);
}

#define THROUGH                                                                                              \
    "nodes: [{address: 0, kind: ref}]\nnetwork: {dims: 3}\ntraffic:\n"                                       \
    "  - {from: 1, to: 2, repeat: forever}\n  - {from: 2, to: 4, repeat: forever}\n"

TEST(test_memory_does_not_grow)
{
    enum { SHORT = 1000, LONG = 12000, GROWTH = 100000 };
    struct long_run run = open_run("superframes: 12000\n" THROUGH);
    begin(&run);
    play_to(&run, 0, SHORT);
    const size_t before = allocated();
    play_to(&run, SHORT, LONG);
    const size_t after = allocated();
    if (after > before + GROWTH)
        fail_msg("%zu bytes after %u superframes, %zu after %u", before, SHORT, after, LONG);
    assert_int_equal(pb_check_close(run.check), PB_OK);
    assert_verdict(run.result, PB_VERDICT_PASS);
    assert_int_equal(run.result->slots_checked, 3 * 6 * (uint64_t)LONG);
    assert_int_equal(run.result->hops_total, 4 * (uint64_t)LONG);
    assert_int_equal(run.result->hops, 5000);
    assert_int_equal(run.result->messages, 2 * (uint64_t)LONG);
    assert_int_equal(run.result->delivered, 2 * (uint64_t)LONG);
    assert_int_equal(run.result->messages_through_rig, 2 * (uint64_t)LONG);
    close_run(&run);
}

static void count_periods(void *context, const struct pb_sample *sample)
{
    *(uint64_t *)context += sample->figure == PB_FIGURE_CLOCK_PERIOD;
}

/* Events carry a superframe modulo 8192. A flipped bit long after the first rows is the first
 * finding, with the rows of its superframe, and is known while the run lasts. Asking for it gives no sample
 * twice. */
TEST(test_finding_late_in_a_run)
{
    enum { AT = 9000, SUPERFRAMES = 9100 };
    struct long_run run = open_run("superframes: 9100\n" THROUGH);
    struct pb_result *so_far;
    uint64_t periods = 0;
    begin(&run);
    pb_check_watch(run.check, &(struct pb_sample_sink){.take = count_periods, .context = &periods});
    play_to(&run, 0, AT);
    assert_int_equal(pb_check_so_far(run.check, "it goes on", &so_far), PB_OK);
    assert_verdict(so_far, PB_VERDICT_INCONCLUSIVE);
    assert_string_equal(so_far->incomplete, "it goes on");
    assert_int_equal(so_far->findings_total, 0);
    assert_in_range(so_far->hops_total, 4 * (AT - 20), 4 * AT);
    assert_in_range(so_far->delivered, 2 * (AT - 20), 2 * AT);
    pb_result_free(so_far);
    assert_int_equal(sound_stream_next(&run.stream, AT), PB_OK);
    spoil_a_byte(&run, 2);
    push(&run);
    play_to(&run, AT + 1, SUPERFRAMES);
    assert_int_equal(pb_check_so_far(run.check, "it goes on", &so_far), PB_OK);
    assert_verdict(so_far, PB_VERDICT_FAIL);
    assert_finding(so_far, 0, PB_FINDING_WRONG_BYTES, AT, 4, 2);
    char *at_first = strdup(so_far->finding[0].seen);
    pb_result_free(so_far);
    assert_int_equal(pb_check_close(run.check), PB_OK);
    assert_verdict(run.result, PB_VERDICT_FAIL);
    assert_finding(run.result, 0, PB_FINDING_WRONG_BYTES, AT, 4, 2);
    assert_string_equal(run.result->finding[0].seen, at_first);
    assert_int_equal(run.result->hop[5000].superframe, AT);
    assert_in_range(run.result->hops, 5004, 5500);
    assert_int_equal(periods, 6 * SUPERFRAMES - 1);
    free(at_first);
    close_run(&run);
}

/* A message that a line showed corrupted is not delivered, however long it is in flight after that. */
TEST(test_fate_of_a_message_under_way)
{
    enum { AHEAD = 500, SUPERFRAMES = 560 }; /* longer than its neighbour's messages are remembered */
    char yaml[16000];
    int at = snprintf(yaml, sizeof yaml,
                      "superframes: %u\nnetwork: {dims: 3}\nnodes: [{address: 0, kind: ref}]\ntraffic:\n"
                      "  - {from: 1, to: 6}\n  - {from: 1, to: 2, repeat: %u}\n",
                      SUPERFRAMES, SUPERFRAMES - 1);
    for (unsigned i = 0; i < AHEAD; i++)
        at += snprintf(yaml + at, sizeof yaml - (size_t)at, "  - {from: 2, to: 6}\n");
    for (unsigned spoilt = 0; spoilt < 2; spoilt++) {
        struct long_run run = open_run(yaml);
        begin(&run);
        assert_int_equal(sound_stream_next(&run.stream, 0), PB_OK);
        if (spoilt)
            spoil_a_byte(&run, 1); /* the message goes on to node 2 */
        push(&run);
        play_to(&run, 1, SUPERFRAMES);
        assert_int_equal(pb_check_close(run.check), PB_OK);
        assert_verdict(run.result, spoilt ? PB_VERDICT_FAIL : PB_VERDICT_PASS);
        assert_int_equal(run.result->delivered, AHEAD + SUPERFRAMES - spoilt);
        close_run(&run);
    }
}

/* ---- loss, and stamps that no core makes */

/* What only the counters at the end show has its place where numbers are missing: a frame that is absent
 * there has no culprit, one that was absent before counts against the node. */
TEST(test_loss_that_is_told_at_the_end)
{
    for (unsigned absent = 0; absent < 2; absent++) {
        struct long_run run = open_run("superframes: 40\n" THROUGH);
        begin(&run);
        for (uint32_t i = 0; i < 40; i++) {
            assert_int_equal(sound_stream_next(&run.stream, i), PB_OK);
            struct pb_events *events = &run.stream.pins.events;
            size_t kept = 0;
            const bool lost = i == 20, silent = absent && i == 10;
            for (size_t k = 0; k < events->count; k++) {
                struct pb_event event = events->event[k];
                const bool of_frame = (event.kind == PB_EVENT_EDGE || event.kind == PB_EVENT_BYTE) &&
                                      event.link == 2;
                if ((lost || silent) && of_frame)
                    continue;
                events->event[kept++] = event;
            }
            for (size_t k = 0; silent && k < kept; k++) /* nothing is missing there */
                events->event[k].sequence = events->event[0].sequence + k;
            if (silent)
                run.stream.pins.sequence = events->event[kept - 1].sequence + 1;
            events->count = kept;
            push(&run);
        }
        run.seen.events_lost = 1;
        assert_int_equal(pb_check_close(run.check), PB_OK);
        assert_verdict(run.result, absent ? PB_VERDICT_FAIL : PB_VERDICT_INCONCLUSIVE);
        close_run(&run);
    }
}

/* A line is held for far longer than scheduled: until its receipt says that this is over, all that follows is
 * the fault's, however little of it the window holds. */
TEST(test_fault_that_lasts_too_long)
{
    enum { FROM = 10, TO = 60, HELD = 2 };
    struct long_run run = open_run("superframes: 80\nfaults:\n  - {kind: stuck_low, node: 0, dimension: 2, "
                                   "superframe: 10, phase: 0, length: 500 us}\n" THROUGH);
    const uint32_t receipt = PB_PUT(PB_EVENT_FAULT_KIND, pb_fault_core_kind(PB_FAULT_STUCK_LOW));
    begin(&run);
    for (uint32_t i = 0; i < 80; i++) {
        assert_int_equal(sound_stream_next(&run.stream, i), PB_OK);
        struct pb_events *events = &run.stream.pins.events;
        const uint64_t tick = events->event[0].tick;
        for (size_t k = 0; i >= FROM && i < TO && k < events->count; k++)
            if (events->event[k].link == HELD && events->event[k].kind != PB_EVENT_PHASE)
                events->event[k].kind = PB_EVENT_HEARTBEAT;
        const struct pb_event more[] = {
            {.sequence = run.stream.pins.sequence++,
             .tick = tick + 2,
             .kind = PB_EVENT_FAULT,
             .link = HELD,
             .value = receipt | PB_PUT(PB_EVENT_FAULT_WHAT,
                                       i == FROM ? PB_FAULT_WHAT_BEGAN : PB_FAULT_WHAT_ENDED)},
            {.sequence = run.stream.pins.sequence++,
             .tick = tick + 4,
             .kind = PB_EVENT_EDGE,
             .link = HELD,
             .value = i == TO}};
        if (i == FROM || i == TO)
            assert_int_equal(pb_check_push(run.check, more, 2), PB_OK);
        push(&run);
    }
    assert_int_equal(pb_check_close(run.check), PB_OK);
    assert_verdict(run.result, PB_VERDICT_INCONCLUSIVE);
    assert_true(run.result->fault[0].explains > 5 * (TO - FROM));
    for (size_t i = 0; i < run.result->findings; i++)
        if (run.result->finding[i].kind == PB_FINDING_NOT_APPLIED)
            assert_non_null(strstr(run.result->finding[i].seen, "it lasted"));
        else
            assert_int_equal(run.result->finding[i].fault, 0);
    close_run(&run);
}

/* No core makes an event whose stamp is phases earlier than those before it. */
TEST(test_event_that_comes_too_late)
{
    for (unsigned late = 0; late < 2; late++) {
        struct long_run run = open_run("superframes: 40\n" THROUGH);
        begin(&run);
        play_to(&run, 0, 20);
        const struct pb_event event = {
            .sequence = run.stream.pins.sequence++,
            .tick = run.stream.pins.events.event[late ? 0 : run.stream.pins.events.count - 1].tick,
            .kind = PB_EVENT_HEARTBEAT};
        assert_int_equal(pb_check_push(run.check, &event, 1), PB_OK);
        play_to(&run, 20, 40);
        assert_int_equal(pb_check_close(run.check), PB_OK);
        assert_verdict(run.result, late ? PB_VERDICT_INCONCLUSIVE : PB_VERDICT_PASS);
        close_run(&run);
    }
}

/* Edges on a line between two phases, all within half a phase. */
static void babble(struct long_run *run, uint64_t count)
{
    enum { AT_ONCE = 1000, TICKS = 2400 };
    const struct pb_events *events = &run->stream.pins.events;
    const uint64_t tick = events->event[events->count - 1].tick + TICKS / 10;
    for (uint64_t i = 0; i < count; i += AT_ONCE) {
        struct pb_event edge[AT_ONCE];
        for (uint64_t k = 0; k < AT_ONCE; k++)
            edge[k] = (struct pb_event){.sequence = run->stream.pins.sequence++,
                                        .tick = tick + (i + k) * TICKS / count,
                                        .value = (i + k) % 2,
                                        .kind = PB_EVENT_EDGE,
                                        .link = 1};
        assert_int_equal(pb_check_push(run->check, edge, AT_ONCE), PB_OK);
    }
}

/* Lines babble while no phase begins, or in long phases: what comes while 2^20 events wait is counted, not
 * kept. What a node did before counts against it, what it seems to have done after it does not. */
TEST(test_babble_between_phases)
{
    enum { AT = 20, SUPERFRAMES = 40, SOUND = SUPERFRAMES, BYTES = 80 << 20, WAITING = 1 << 20 };
    static const struct {
        uint64_t edges;     /* each time */
        uint32_t wrong;     /* superframe of a wrong byte */
        uint32_t to;        /* it babbles in the superframes from AT to before this one ... */
        uint32_t end;       /* ... and phases come up to this one */
        uint64_t least, most; /* left out */
        enum pb_verdict verdict;
    } run_of[] = {
        {10000000, SOUND, AT + 1, AT, 10000000 - WAITING, 10000000 - WAITING + 3000, PB_VERDICT_INCONCLUSIVE},
        {WAITING + 10000, 5, AT + 1, AT, 10000, 13000, PB_VERDICT_FAIL},
        {WAITING + 10000, 5, AT + 1, SUPERFRAMES, 10000, 13000, PB_VERDICT_FAIL},
        {WAITING + 10000, 30, AT + 1, SUPERFRAMES, 10000, 13000, PB_VERDICT_INCONCLUSIVE},
        /* It is judged when 32 more phases have begun, of 6 a superframe, and 4 of the window. */
        {300000, SOUND, SUPERFRAMES, SUPERFRAMES, 20 * 300000 - 4 * WAITING, 20 * 300000 - 2 * WAITING,
         PB_VERDICT_FAIL},
    };
    for (size_t i = 0; i < COUNT(run_of); i++) {
        struct long_run run = open_run("superframes: 40\n" THROUGH);
        uint64_t left_out = 0;
        size_t before = 0;
        begin(&run);
        for (uint32_t k = 0; k <= run_of[i].end; k++) {
            before = before ? before : allocated();
            if (k >= AT && k < run_of[i].to)
                babble(&run, run_of[i].edges);
            if (allocated() > before + BYTES)
                fail_msg("%zu bytes, %zu after superframe %u", before, allocated(), k);
            if (k == run_of[i].end)
                break;
            assert_int_equal(sound_stream_next(&run.stream, k), PB_OK);
            if (k == run_of[i].wrong)
                spoil_a_byte(&run, 2);
            push(&run);
        }
        assert_int_equal(pb_check_close(run.check), PB_OK);
        assert_verdict(run.result, run_of[i].verdict);
        if (run_of[i].wrong == 5) /* after the loss, which has no place */
            assert_finding(run.result, 1, PB_FINDING_WRONG_BYTES, 5, 4, 2);
        assert_finding(run.result, 0, PB_FINDING_LOSS, 0, 0, -1);
        const char *at = strstr(run.result->finding[0].seen, "host, ");
        assert_int_equal(sscanf(at ? at : "", "host, %" SCNu64 " left out", &left_out), 1);
        assert_in_range(left_out, run_of[i].least, run_of[i].most);
        close_run(&run);
    }
}

/* Against a list of what is missing, number by number, whatever the order in which the events come. */
TEST(test_gaps)
{
    enum { NUMBERS = 60 };
    uint64_t random = 11;
    for (unsigned round = 0; round < 300; round++) {
        struct pb_gaps gaps = {0};
        uint64_t number[NUMBERS];
        bool there[NUMBERS] = {false};
        unsigned count = 0;
        for (unsigned i = 0; i < NUMBERS; i++)
            if (pb_splitmix64(&random) % 4) {
                there[i] = true;
                number[count++] = i;
            }
        for (unsigned i = 0; i + 1 < count; i++) { /* some places away from their order */
            const unsigned other = i + (unsigned)(pb_splitmix64(&random) % 4);
            if (other < count) {
                const uint64_t swapped = number[i];
                number[i] = number[other];
                number[other] = swapped;
            }
        }
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(
                pb_gaps_take(&gaps, &(struct pb_event){.sequence = number[i], .tick = 10 * number[i]}), 0);
        const uint64_t forgotten = round % 2 ? 10 * (pb_splitmix64(&random) % NUMBERS) : 0;
        pb_gaps_forget(&gaps, forgotten);
        for (unsigned from = 0; from < NUMBERS; from++)
            for (unsigned to = from + 1; to < NUMBERS; to++) {
                bool missing = false;
                for (unsigned i = from; i < to; i++)
                    missing |= !there[i];
                if (there[from] && there[to] && 10 * (uint64_t)to >= forgotten)
                    assert_int_equal(pb_gaps_between(&gaps, from, to), missing);
            }
        pb_gaps_free(&gaps);
    }
}
