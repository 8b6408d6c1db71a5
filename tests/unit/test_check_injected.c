/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Injected faults: receipts, what a fault explains and what it must not, what becomes of the messages that it
 * broke, and the verdict. faults_fixture.h says what the lines carry. */
#include "tests/unit/faults_fixture.h"

#include <string.h>

static struct model model;

static int open_model(void **state)
{
    (void)state;
    model_open(&model);
    return 0;
}

static int close_model(void **state)
{
    (void)state;
    model_close(&model);
    return 0;
}

static uint64_t at(uint32_t superframe, unsigned phase, unsigned tick)
{
    return model_at(superframe, phase) + tick;
}

static unsigned index_of(uint32_t superframe, unsigned phase)
{
    return M_PHASES * superframe + phase;
}

/* A pulse on an idle line, ordered and with its receipts: the simplest fault. */
static void glitch(unsigned link, uint32_t superframe, unsigned phase)
{
    model_low(&model, link, at(superframe, phase, 2000), 10);
    model_inject(&model, PB_FAULT_GLITCH, link, superframe, phase, at(superframe, phase, 2000),
                 at(superframe, phase, 2010));
}

static void expect_node_fails(enum pb_finding_kind kind, uint32_t superframe, unsigned phase, int link);

/* ---- each kind is found by its name */

static void expect_row(enum pb_finding_kind found_as, uint64_t from, uint64_t to)
{
    struct pb_result *result = model_expect_explained(&model);
    const struct pb_fault_row *row = &result->fault[0];
    const int64_t start_ps = (int64_t)((from - M_START) * 1000000 / 48),
                  end_ps = (int64_t)((to - M_START) * 1000000 / 48);
    assert_int_equal(row->found_as, found_as);
    assert_true(row->ended);
    assert_in_range(row->start_ps, start_ps - 1, start_ps + 1);
    assert_in_range(row->length_ps, end_ps - start_ps - 1, end_ps - start_ps + 1);
    assert_true(row->detected_ps >= row->start_ps);
    assert_true(row->detected_ps <= row->start_ps + INT64_C(600000000)); /* a superframe */
    pb_result_free(result);
}

static void line_fault(unsigned kind, unsigned link, uint32_t superframe, unsigned phase, uint64_t from,
                       uint64_t to, enum pb_finding_kind found_as)
{
    model_inject(&model, kind, link, superframe, phase, from, to);
    expect_row(found_as, from, to);
}

static void test_stuck(void **state)
{
    (void)state;
    model_low(&model, 1, at(8, 2, 1000), 2 * M_PHASE);
    line_fault(PB_FAULT_STUCK_LOW, 1, 8, 2, at(8, 2, 1000), at(8, 4, 1000), PB_FINDING_STUCK);
}

static void test_open(void **state)
{
    (void)state;
    model_cut(&model, 0, at(7, 0, 0), at(7, 1, 0));
    model_find(&model, 7, 2)->absent =
        true; /* what came in there would have gone on here, and in phase 5 what came */
    line_fault(PB_FAULT_OPEN, 0, 7, 0, at(7, 0, 0), at(7, 1, 0), PB_FINDING_OPEN);
}

/* A cut that only a frame of the node meets: over the whole of it, over its end, over its middle. The receipt
 * tells the cut from a node that is silent, so without it, or when it is over, or yet to come, there is none.
 * A frame lasts from 5 to 95 us, tick 240 to 4562. */
static void test_open_where_the_node_sends(void **state)
{
    static const struct {
        unsigned from, to;
    } cut[] = {{0, M_PHASE}, {0, 4600}, {1000, M_PHASE}, {2000, 2600}, {300, 2000}};
    (void)state;
    for (unsigned sender = 0; sender < 2; sender++) /* and one that only a frame of the bench meets */
        for (unsigned i = 0; i < COUNT(cut); i++) {
            const unsigned phase = sender ? 5 : 4;
            const uint64_t from = at(7, phase, cut[i].from), to = at(7, phase, cut[i].to);
            model_close(&model);
            model_open(&model);
            model_cut(&model, 2, from, to);
            line_fault(PB_FAULT_OPEN, 2, 7, phase, from, to, PB_FINDING_OPEN);
        }
    model.cuts = model.extras = model.scenario->fault_count = 0;
    model_find(&model, 7, 5)->absent = true;
    model_inject(&model, PB_FAULT_OPEN, 2, 7, 4, at(7, 4, 4600), at(7, 5, 200));
    struct pb_result *result = model_judge(&model);
    assert_int_equal(model_count(result, PB_FINDING_OPEN), 0);
    assert_int_equal(model_count(result, PB_FINDING_MISSING), 1);
    pb_result_free(result);
    model.extras = model.scenario->fault_count = 0;
    model_inject(&model, PB_FAULT_OPEN, 2, 7, 5, at(7, 5, 4600), at(8, 0, 200));
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(model_count(result, PB_FINDING_OPEN), 0);
    assert_int_equal(model_count(result, PB_FINDING_MISSING), 1);
    pb_result_free(result);
}

static void test_short(void **state)
{
    (void)state;
    model_join(&model, 1, 0, at(7, 0, 0), at(7, 1, 0));
    model_order(&model, PB_FAULT_SHORT, 0, 7, 0);
    model.fault[0].other_dimension = 1;
    model_receipt(&model, 0, 1, at(7, 0, 0));
    model_receipt(&model, 0, 0, at(7, 1, 0));
    expect_row(PB_FINDING_SHORT, at(7, 0, 0), at(7, 1, 0));
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->fault[0].link, 0);
    assert_int_equal(result->fault[0].other_link, 1);
    pb_result_free(result);
}

static void test_slow_rise(void **state)
{
    (void)state;
    model_slow(&model, 2, at(7, 4, 0), at(7, 5, 0), 30);
    model_inject(&model, PB_FAULT_SLOW_RISE, 2, 7, 4, at(7, 4, 0), at(7, 5, 0));
    model.fault[0].amount_ps = 30 * 1000000 / 48;
    expect_row(PB_FINDING_SLOW_RISE, at(7, 4, 0), at(7, 5, 0));
}

static void test_glitch(void **state)
{
    (void)state;
    glitch(1, 8, 3);
    expect_row(PB_FINDING_GLITCH, at(8, 3, 2000), at(8, 3, 2010));
}

static void test_second_driver(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++)
        model_low(&model, 2, at(7, 4, 600 + 200 * i), 100);
    line_fault(PB_FAULT_SECOND_DRIVER, 2, 7, 4, at(7, 4, 600), at(7, 4, 2600), PB_FINDING_CONTENTION);
}

static void clock_fault(unsigned kind, uint32_t superframe, unsigned phase, uint64_t from, uint64_t to,
                        enum pb_finding_kind found_as)
{
    model_inject(&model, kind, PB_FAULT_CLOCK_LINK, superframe, phase, from, to);
    expect_row(found_as, from, to);
    struct pb_result *result = model_judge(&model);
    assert_int_equal(result->fault[0].link, -1);
    pb_result_free(result);
}

static void test_late_edge(void **state)
{
    (void)state;
    model.tie[index_of(8, 2)] = 300;
    clock_fault(PB_FAULT_LATE_EDGE, 8, 2, at(8, 2, 0), at(8, 2, 300), PB_FINDING_CLOCK_LATE);
}

static void test_early_edge(void **state)
{
    (void)state;
    model.tie[index_of(8, 2)] = -300;
    clock_fault(PB_FAULT_EARLY_EDGE, 8, 2, at(8, 2, 0) - 300, at(8, 2, 0), PB_FINDING_CLOCK_EARLY);
}

static void test_missing_edge(void **state)
{
    (void)state;
    model.absent[index_of(8, 2)] = true;
    clock_fault(PB_FAULT_MISSING_EDGE, 8, 2, at(8, 2, 0), at(8, 2, 2400), PB_FINDING_CLOCK_MISSING);
}

static void test_extra_edge(void **state)
{
    (void)state;
    model_event(&model, PB_EVENT_TDMA, 0, at(8, 2, 3600), 0);
    clock_fault(PB_FAULT_EXTRA_EDGE, 8, 2, at(8, 2, 3600), at(8, 2, 4200), PB_FINDING_CLOCK_EXTRA);
}

static void test_extra_sync(void **state)
{
    (void)state;
    model.sync[index_of(8, 2)] = true;
    clock_fault(PB_FAULT_EXTRA_SYNC, 8, 2, at(8, 2, 0) - 10, at(8, 2, 2400), PB_FINDING_SYNC_EXTRA);
}

/* The node is silent for the superframe, as docs/node.md demands, and falls in step with the next one, in
 * which it sends the message of its own that it still has. */
static void without_sync(void)
{
    model.sync[index_of(7, 0)] = false;
    for (unsigned phase = 0; phase < M_PHASES; phase++)
        if (!model_find(&model, 7, phase)->bench && phase != 1)
            model_find(&model, 7, phase)->absent = true;
    struct model_frame *own = model_find(&model, 7, 1);
    own->superframe = 8;
    own->start = at(8, 1, 242);
    model_inject(&model, PB_FAULT_MISSING_SYNC, PB_FAULT_CLOCK_LINK, 7, 0, at(7, 0, 0), at(7, 1, 0));
}

static void test_missing_sync(void **state)
{
    (void)state;
    without_sync();
    expect_row(PB_FINDING_SYNC_MISSING, at(7, 0, 0), at(7, 1, 0));
}

/* A node that counts on, that forwards what it cannot have heard, or that is in step a superframe late. */
static void test_missing_sync_and_a_broken_node(void **state)
{
    (void)state;
    without_sync();
    model_find(&model, 8, 1)->superframe = 7;
    model_find(&model, 7, 1)->start = at(7, 1, 242);
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_finding(result, 1, PB_FINDING_UNEXPECTED, 7, 1, 0);
    assert_finding(result, 2, PB_FINDING_MISSING, 8, 1, 0); /* it sends it there, if it keeps the contract */
    pb_result_free(result);
    model_find(&model, 7, 1)->superframe = 8;
    model_find(&model, 8, 1)->start = at(8, 1, 242);
    model_find(&model, 7, 2)->absent = false;
    expect_node_fails(PB_FINDING_UNEXPECTED, 7, 2, 1);
    model_find(&model, 7, 2)->absent = true;
    model_find(&model, 8, 1)->start = at(9, 1, 242);
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_finding(result, 1, PB_FINDING_MISSING, 8, 1, 0);
    pb_result_free(result);
    /* A foreign node may be granted more time. */
    model.scenario->limits.recovery_superframes = 1;
    pb_result_free(model_expect_explained(&model));
}

static void test_jitter(void **state)
{
    (void)state;
    for (unsigned i = index_of(8, 0); i < M_EDGES; i++)
        model.tie[i] = (int)(i * 29 % 61);
    /* To the end of the run: no receipt tells of an end. */
    model_order(&model, PB_FAULT_JITTER, PB_FAULT_CLOCK_LINK, 8, 0);
    model_receipt(&model, 0, 1, at(8, 0, 0));
    struct pb_result *result = model_expect_explained(&model);
    assert_int_equal(result->fault[0].found_as, PB_FINDING_JITTER);
    assert_false(result->fault[0].ended);
    pb_result_free(result);
}

static void test_drift(void **state)
{
    (void)state;
    for (unsigned i = index_of(8, 0); i < M_EDGES; i++)
        model.ideal[i] += 3 * (i - index_of(8, 0));
    model_order(&model, PB_FAULT_DRIFT, PB_FAULT_CLOCK_LINK, 8, 0);
    model_receipt(&model, 0, 1, at(8, 0, 0));
    struct pb_result *result = model_expect_explained(&model);
    assert_int_equal(result->fault[0].found_as, PB_FINDING_DRIFT);
    pb_result_free(result);
}

static void test_frames(void **state)
{
    static const struct {
        unsigned fault;
        enum pb_finding_kind kind;
    } kind[] = {{PB_FAULT_WRONG_BYTES, PB_FINDING_WRONG_BYTES},
                {PB_FAULT_FRAMING, PB_FINDING_FRAMING},
                {PB_FAULT_BAUD, PB_FINDING_BAUD},
                {PB_FAULT_EARLY_START, PB_FINDING_EARLY},
                {PB_FAULT_LATE_START, PB_FINDING_LATE},
                {PB_FAULT_BABBLE, PB_FINDING_BABBLE}};
    (void)state;
    for (unsigned i = 0; i < COUNT(kind); i++) {
        model_close(&model);
        model_open(&model);
        struct model_frame *frame = model_find(&model, 7, 4);
        if (kind[i].fault == PB_FAULT_WRONG_BYTES)
            frame->byte[8] ^= 0x5A;
        else if (kind[i].fault == PB_FAULT_FRAMING)
            frame->last_stop_low = true;
        else if (kind[i].fault == PB_FAULT_BAUD)
            frame->bit_q8 -= 600;
        else if (kind[i].fault == PB_FAULT_EARLY_START)
            frame->start -= 150;
        else if (kind[i].fault == PB_FAULT_LATE_START)
            frame->start += 150; /* 3 us: it also reaches into the guard */
        else {
            frame = &model.frame[model.frames++]; /* a phase with nothing to send */
            *frame = (struct model_frame){
                8, 4, 2, true, false, at(8, 4, 500), M_BIT * 256, 4, {1, 2, 3, 4}, false};
        }
        const uint64_t end = frame->start + ((uint64_t)10 * frame->count * frame->bit_q8 >> 8);
        line_fault(kind[i].fault, 2, frame->superframe, 4, frame->start, end, kind[i].kind);
    }
}

/* ---- what a fault must not explain */

static void expect_node_fails(enum pb_finding_kind kind, uint32_t superframe, unsigned phase, int link)
{
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    size_t open = 0;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->fault >= 0)
            continue;
        assert_finding(result, i, kind, superframe, phase, link);
        open++;
    }
    assert_int_equal(open, 1);
    assert_non_null(strstr(result->reason, pb_finding_text(kind)));
    pb_result_free(result);
}

/* The window: from the start of the fault to one superframe after its end, on its own line. */
static void test_other_line(void **state)
{
    (void)state;
    glitch(1, 7, 4);
    model_low(&model, 0, at(7, 4, 2100), 10);
    expect_node_fails(PB_FINDING_GLITCH, 7, 4, 0);
}

static void test_before_the_fault(void **state)
{
    (void)state;
    glitch(1, 8, 3);
    model_low(&model, 1, at(8, 3, 1000), 10); /* the same line, the same phase, 20 us earlier */
    expect_node_fails(PB_FINDING_GLITCH, 8, 3, 1);
}

/* What comes after the fault is not its doing. */
static void test_after_the_fault(void **state)
{
    (void)state;
    glitch(1, 7, 4);
    model_low(&model, 1, at(7, 4, 2100), 10);
    expect_node_fails(PB_FINDING_GLITCH, 7, 4, 1);
    model.low[1].from = at(8, 4, 1900);
    model.low[1].to = at(8, 4, 1910);
    expect_node_fails(PB_FINDING_GLITCH, 8, 4, 1);
}

/* The node keeps its times from the edge that it saw; no edge makes it send a wrong byte. */
static void test_late_edge_explains_no_line(void **state)
{
    (void)state;
    model.tie[index_of(6, 2)] = 100;
    model_inject(&model, PB_FAULT_LATE_EDGE, PB_FAULT_CLOCK_LINK, 6, 2, at(6, 2, 0), at(6, 2, 100));
    expect_node_fails(PB_FINDING_EARLY, 6, 2, 1);
    model_find(&model, 6, 2)->start += 100;
    pb_result_free(model_expect_explained(&model));
    model_find(&model, 6, 5)->byte[3] ^= 1;
    expect_node_fails(PB_FINDING_WRONG_BYTES, 6, 5, 2);
    model_find(&model, 6, 5)->byte[3] ^= 1;
    model_find(&model, 6, 2)->absent = true;
    expect_node_fails(PB_FINDING_MISSING, 6, 2, 1);
}

/* The node leaves a frame when TDMA_CLK rises in the middle of it, wherever in a byte that is. From 2600
 * ticks on there are 2 to 4.9 bytes more to come. */
static void test_extra_edge_ends_a_frame(void **state)
{
    (void)state;
    for (unsigned tick = 2600; tick < 3700; tick += 17) {
        model_close(&model);
        model_open(&model);
        model_event(&model, PB_EVENT_TDMA, 0, at(6, 5, tick), 0);
        model_inject(&model, PB_FAULT_EXTRA_EDGE, PB_FAULT_CLOCK_LINK, 6, 5, at(6, 5, tick),
                     at(6, 5, tick + 600));
        model_cut(&model, 2, at(6, 5, tick + 5), at(7, 0, 0));
        struct pb_result *result = model_expect_explained(&model);
        assert_int_equal(result->findings_total, 1); /* the edge */
        pb_result_free(result);
        model_find(&model, 6, 2)->byte[3] ^= 1; /* a frame that was over */
        expect_node_fails(PB_FINDING_WRONG_BYTES, 6, 2, 1);
        model_find(&model, 6, 2)->byte[3] ^= 1;
        model.cut[0].from = at(6, 5, tick + 400); /* released too late */
        result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_FAIL);
        pb_result_free(result);
    }
}

/* The frame of phase 5 starts with tick 242 and has 90 bits of 48 ticks: it is over with tick 4562. */
static void test_extra_edge_explains_no_frame_that_was_over(void **state)
{
    (void)state;
    model_find(&model, 6, 5)->byte[3] ^= 1;
    model_event(&model, PB_EVENT_TDMA, 0, at(6, 5, 4570), 0);
    model_inject(&model, PB_FAULT_EXTRA_EDGE, PB_FAULT_CLOCK_LINK, 6, 5, at(6, 5, 4570), at(6, 5, 4770));
    expect_node_fails(PB_FINDING_WRONG_BYTES, 6, 5, 2);
}

/* A line fault says nothing about the clock. */
static void test_line_fault_and_clock(void **state)
{
    (void)state;
    glitch(1, 8, 3);
    model.tie[index_of(8, 4)] = 300;
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(model_count(result, PB_FINDING_CLOCK_LATE), 1);
    pb_result_free(result);
}

/* That the node sends badly does not show that the bench did so on purpose. */
static void test_fault_of_a_frame_is_the_bench_s(void **state)
{
    (void)state;
    const struct model_frame *bench = model_find(&model, 6, 4);
    model_inject(&model, PB_FAULT_WRONG_BYTES, 2, 6, 4, bench->start, bench->start + M_FRAME);
    model_find(&model, 6, 5)->byte[3] ^= 1; /* same line, the next phase */
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_false(result->fault[0].detected);
    assert_int_equal(model_count(result, PB_FINDING_UNDETECTED), 1);
    pb_result_free(result);
}

/* Nor is an edge that the capture did not see. */
static void test_lost_edge_on_the_line_of_a_fault(void **state)
{
    (void)state;
    glitch(1, 7, 4);
    model_event(&model, PB_EVENT_EDGE, 1, at(7, 4, 2500), 1);
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(result->findings_total, 2);
    assert_finding(result, 1, PB_FINDING_EDGE_LOST, 7, 4, 1);
    assert_int_equal(result->finding[1].fault, -1);
    pb_result_free(result);
}

/* ---- receipts */

static void expect_not_applied(const char *reason)
{
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(model_count(result, PB_FINDING_NOT_APPLIED), 1);
    assert_int_equal(model_count(result, PB_FINDING_UNDETECTED), 0);
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == PB_FINDING_NOT_APPLIED)
            assert_non_null(strstr(result->finding[i].seen, reason));
    pb_result_free(result);
}

static void test_receipts(void **state)
{
    (void)state;
    /* None at all, though the pulse is there: it is not explained. */
    model_low(&model, 1, at(7, 4, 2000), 10);
    model_order(&model, PB_FAULT_GLITCH, 1, 7, 4);
    model.fault[0].length_ps = 208333;
    expect_not_applied("no receipt");
    struct pb_result *result = model_judge(&model);
    assert_false(result->fault[0].began);
    assert_int_equal(result->fault[0].explains, 0);
    pb_result_free(result);

    model_receipt(&model, 0, 2, at(7, 4, 2000));
    expect_not_applied("too late");

    model.extras = 0;
    model_receipt(&model, 0, 1, at(7, 4, 2000));
    expect_not_applied("none that it ended");

    model.extras = 0; /* one superframe late */
    model.low[0].from += M_PHASES * M_PHASE;
    model.low[0].to += M_PHASES * M_PHASE;
    model_receipt(&model, 0, 1, at(8, 4, 2000));
    model_receipt(&model, 0, 0, at(8, 4, 2010));
    expect_not_applied("after its place");

    model.extras = 0; /* two phases long instead of 0.2 us */
    model_receipt(&model, 0, 1, at(7, 4, 2000));
    model_receipt(&model, 0, 0, at(8, 0, 2000));
    model.low[0].from = at(7, 4, 2000);
    model.low[0].to = at(7, 4, 2010);
    expect_not_applied("it lasted");
}

/* The clock stops before the fault is over: the core ends it, or has not the time to tell. */
static void test_fault_that_outlasts_the_run(void **state)
{
    (void)state;
    model_low(&model, 1, at(9, 4, 1000), M_PHASE + 3800);
    model_order(&model, PB_FAULT_STUCK_LOW, 1, 9, 4);
    model.fault[0].length_ps = INT64_C(500000000); /* five phases */
    model_receipt(&model, 0, 1, at(9, 4, 1000));
    pb_result_free(model_expect_explained(&model));
    model_receipt(&model, 0, 0, at(10, 0, 0));
    pb_result_free(model_expect_explained(&model));
}

static void test_receipts_that_contradict(void **state)
{
    (void)state;
    glitch(1, 8, 3);
    model_receipt(&model, 0, 1, at(8, 3, 2005)); /* began twice */
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_int_equal(model_count(result, PB_FINDING_STIMULUS), 1);
    pb_result_free(result);
}

static void test_receipt_of_no_fault(void **state)
{
    (void)state;
    const uint32_t began = PB_PUT(PB_EVENT_FAULT_WHAT, PB_FAULT_WHAT_BEGAN);
    const uint32_t value[] = {
        PB_FAULT_GLITCH | began | PB_PUT(PB_EVENT_FAULT_NUMBER, 1), /* there is only 0 */
        PB_FAULT_STUCK_LOW | began,                                 /* another kind */
        PB_FAULT_GLITCH | began | PB_PUT(PB_EVENT_FAULT_NUMBER, PB_EVENT_FAULT_NUMBER_MASK)};
    for (unsigned i = 0; i < COUNT(value); i++) {
        model.lows = model.extras = model.scenario->fault_count = 0;
        glitch(1, 8, 3);
        model_event(&model, PB_EVENT_FAULT, 1, at(8, 4, 0), value[i]);
        struct pb_result *result = model_judge(&model);
        assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
        assert_int_equal(model_count(result, PB_FINDING_STIMULUS), 1);
        pb_result_free(result);
    }
    /* Without any fault in the scenario. */
    model.lows = model.extras = model.scenario->fault_count = 0;
    model_event(&model, PB_EVENT_FAULT, 1, at(8, 4, 0), value[0]);
    model_expect_one(&model, PB_VERDICT_INCONCLUSIVE, PB_FINDING_STIMULUS, 0, 0, -1);
}

static void test_undetected(void **state)
{
    (void)state;
    model_inject(&model, PB_FAULT_GLITCH, 1, 8, 3, at(8, 3, 2000), at(8, 3, 2010));
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_finding(result, 0, PB_FINDING_UNDETECTED, 8, 3, 1);
    assert_int_equal(result->findings_total, 1);
    assert_int_equal(result->fault[0].found_as, PB_FINDING_KINDS);
    pb_result_free(result);
    /* What it can cause names it, and what goes on after the fault is not its doing. */
    model_low(&model, 1, at(8, 3, 2000), 20 * M_BIT);
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(model_count(result, PB_FINDING_UNDETECTED), 0);
    assert_int_equal(result->fault[0].found_as, PB_FINDING_STUCK);
    assert_int_equal(result->fault[0].explains, 1);
    pb_result_free(result);
}

/* Two faults, each with its own findings. */
static void test_two_faults(void **state)
{
    (void)state;
    glitch(1, 8, 3);
    glitch(2, 8, 3);
    model_low(&model, 1, at(8, 4, 100), 20 * M_BIT);
    model_inject(&model, PB_FAULT_STUCK_LOW, 1, 8, 4, at(8, 4, 100), at(8, 4, 100 + 20 * M_BIT));
    struct pb_result *result = model_expect_explained(&model);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(result->fault[i].explains, 1);
    assert_non_null(strstr(result->reason, "3 faults injected, each with its receipt and found"));
    pb_result_free(result);
}

/* Several in one phase, on a line with nothing, with a frame of the bench and with one of the node. Each
 * needs its own pulse: where one receipt has none, that fault is undetected. */
static void test_glitches_in_one_phase(void **state)
{
    static const struct {
        uint32_t superframe;
        unsigned phase;
    } place[] = {{8, 3}, {7, 3}, {7, 2}};
    (void)state;
    for (unsigned p = 0; p < COUNT(place); p++)
        for (unsigned missing = 0; missing < 2; missing++) {
            const uint32_t superframe = place[p].superframe;
            const unsigned phase = place[p].phase;
            model_close(&model);
            model_open(&model);
            for (unsigned i = 0; i < 6;
                 i++) { /* in the stop bits of six bytes: bit 9 of 48 ticks, from tick 242 on */
                const uint64_t from = at(superframe, phase, 242 + (10 * i + 9) * M_BIT + 12);
                if (!(missing && i == 3))
                    model_low(&model, 1, from, 12);
                model_inject(&model, PB_FAULT_GLITCH, 1, superframe, phase, from, from + 12);
            }
            struct pb_result *result = missing ? model_judge(&model) : model_expect_explained(&model);
            assert_int_equal(model_count(result, PB_FINDING_UNDETECTED), missing);
            for (unsigned i = 0; i < 6; i++)
                assert_int_equal(result->fault[i].detected, !(missing && i == 3));
            pb_result_free(result);
        }
}

/* ---- node and fault */

static void test_broken_node_beside_a_fault(void **state)
{
    (void)state;
    glitch(1, 7, 4);
    model_find(&model, 5, 5)->byte[2] ^= 4; /* before */
    expect_node_fails(PB_FINDING_WRONG_BYTES, 5, 5, 2);
    model_find(&model, 5, 5)->byte[2] ^= 4;
    model_find(&model, 7, 5)->byte[2] ^= 4; /* during, on another line */
    expect_node_fails(PB_FINDING_WRONG_BYTES, 7, 5, 2);
}

/* An applied fault that was not found does not excuse a node; one that may not have been where it was ordered
 * does, from there on. */
static void test_broken_node_and_bench(void **state)
{
    (void)state;
    model_inject(&model, PB_FAULT_GLITCH, 1, 3, 4, at(3, 4, 2000), at(3, 4, 2010));
    model_find(&model, 6, 5)->byte[2] ^= 4;
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    assert_int_equal(model_count(result, PB_FINDING_UNDETECTED), 1);
    pb_result_free(result);
    model.extras = 0;
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    pb_result_free(result);
    model_find(&model, 2, 5)->byte[2] ^= 4;
    result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    pb_result_free(result);
}

/* ---- broken messages */

/* The bench's frame of phase 0 is spoiled; its message would have left the node in phase 2 (node 4 to 5 to
 * 7). */
static void break_message(uint32_t superframe)
{
    struct model_frame *frame = model_find(&model, superframe, 0);
    frame->last_stop_low = true;
    model_inject(&model, PB_FAULT_FRAMING, 0, superframe, 0, frame->start, frame->start + M_FRAME);
}

static void test_broken_message_is_not_forwarded(void **state)
{
    (void)state;
    break_message(2);
    expect_node_fails(PB_FINDING_UNEXPECTED, 2, 2, 1);
    model_find(&model, 2, 2)->absent = true;
    struct pb_result *result = model_expect_explained(&model);
    /* A stop bit that is low to the end of the slot reaches the tail guard, too. */
    assert_int_equal(result->findings_total, 2);
    assert_finding(result, 0, PB_FINDING_FRAMING, 2, 0, 0);
    assert_finding(result, 1, PB_FINDING_OVERRUN, 2, 0, 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(result->finding[i].fault, 0);
    assert_int_equal(result->delivered, result->messages - 1);
    pb_result_free(result);
    model_find(&model, 2, 5)->absent = true; /* another message */
    expect_node_fails(PB_FINDING_MISSING, 2, 5, 2);
    /* The next message does not move up, it is not there yet. */
    model_find(&model, 2, 5)->absent = false;
    model_find(&model, 2, 2)->absent = false;
    memcpy(model_find(&model, 2, 2)->byte, model_find(&model, 3, 2)->byte, M_BYTES);
    expect_node_fails(PB_FINDING_UNEXPECTED, 2, 2, 1);
}

static void test_altered_message_is_not_forwarded(void **state)
{
    (void)state;
    struct model_frame *frame = model_find(&model, 2, 0);
    frame->byte[5] ^= 0xFF;
    model_inject(&model, PB_FAULT_WRONG_BYTES, 0, 2, 0, frame->start, frame->start + M_FRAME);
    memcpy(model_find(&model, 2, 2)->byte, frame->byte, M_BYTES);
    expect_node_fails(PB_FINDING_UNEXPECTED, 2, 2, 1);
    model_find(&model, 2, 2)->absent = true;
    pb_result_free(model_expect_explained(&model));
}

/* Its other slots are as good as ever: late is late. */
static void test_broken_message_excuses_no_bad_timing(void **state)
{
    (void)state;
    break_message(2);
    model_find(&model, 2, 2)->absent = true;
    model_find(&model, 2, 5)->start += 4 * M_US;
    struct pb_result *result = model_judge(&model);
    assert_verdict(result, PB_VERDICT_FAIL);
    pb_result_free(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_model, close_model)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stuck),
        TEST(test_open),
        TEST(test_open_where_the_node_sends),
        TEST(test_short),
        TEST(test_slow_rise),
        TEST(test_glitch),
        TEST(test_second_driver),
        TEST(test_late_edge),
        TEST(test_early_edge),
        TEST(test_missing_edge),
        TEST(test_extra_edge),
        TEST(test_extra_sync),
        TEST(test_missing_sync),
        TEST(test_missing_sync_and_a_broken_node),
        TEST(test_jitter),
        TEST(test_drift),
        TEST(test_frames),
        TEST(test_other_line),
        TEST(test_before_the_fault),
        TEST(test_after_the_fault),
        TEST(test_late_edge_explains_no_line),
        TEST(test_extra_edge_ends_a_frame),
        TEST(test_extra_edge_explains_no_frame_that_was_over),
        TEST(test_line_fault_and_clock),
        TEST(test_fault_of_a_frame_is_the_bench_s),
        TEST(test_lost_edge_on_the_line_of_a_fault),
        TEST(test_receipts),
        TEST(test_fault_that_outlasts_the_run),
        TEST(test_receipts_that_contradict),
        TEST(test_receipt_of_no_fault),
        TEST(test_undetected),
        TEST(test_two_faults),
        TEST(test_glitches_in_one_phase),
        TEST(test_broken_node_beside_a_fault),
        TEST(test_broken_node_and_bench),
        TEST(test_broken_message_is_not_forwarded),
        TEST(test_altered_message_is_not_forwarded),
        TEST(test_broken_message_excuses_no_bad_timing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
