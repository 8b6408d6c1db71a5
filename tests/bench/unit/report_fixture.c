/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "report_fixture.h"
#include "phasebench/fault.h"

#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"
#include <stdlib.h>
#include <string.h>

#define NODE UINT32_C(0x2A3)
#define DIMS 12u
#define SUPERFRAMES 8u
#define US INT64_C(1000000)

/* Clears the rest as well, so that whole results can be compared as memory. */
#define SET(field, ...) (memset(field, 0, sizeof field), snprintf(field, sizeof field, __VA_ARGS__))

static struct pb_measurement *add_measurement(struct pb_result *result, enum pb_figure figure, int link)
{
    struct pb_measurement *row = &result->measurement[result->measurements++];
    row->figure = figure;
    row->node = link < 0 ? -1 : 0;
    row->link = row->dimension = link;
    row->lower = row->upper = row->margin = PB_ABSENT;
    return row;
}

static void add_start(struct pb_result *result, unsigned link, int64_t start_ps)
{
    struct pb_measurement *start = &result->measurement[link];
    struct pb_histogram *histogram = &result->histogram[link];
    if (!start->n || start_ps < start->min)
        start->min = start_ps;
    if (!start->n || start_ps > start->max)
        start->max = start_ps;
    start->mean = (start->mean * (int64_t)start->n + start_ps) / (int64_t)(start->n + 1);
    start->n++;
    start->sd = 38500;
    start->lower = result->start_min_ps;
    start->upper = result->start_max_ps;
    start->u95 = result->uncertainty_ps;
    start->margin = start->min - start->lower < start->upper - start->max ? start->min - start->lower
                                                                          : start->upper - start->max;
    start->judgement = start->margin < -start->u95  ? PB_JUDGED_FAIL
                       : start->margin < start->u95 ? PB_JUDGED_MARGINAL
                                                    : PB_JUDGED_PASS;
    start->corrected = (struct pb_corrected){.mean_ps = start->mean + 20833,
                                             .mean_u95_ps = 17000,
                                             .sd_ps = 36600,
                                             .sd_is_bound = start->n < 8,
                                             .swept = start->n >= 8,
                                             .residues = 5};
    if (start_ps < histogram->from_ps)
        histogram->below++;
    else if (start_ps >= histogram->from_ps + PB_HISTOGRAM_BINS * histogram->bin_ps)
        histogram->above++;
    else
        histogram->bin[(start_ps - histogram->from_ps) / histogram->bin_ps]++;
}

/* Every link carries a frame both ways in every superframe but the first phases of the last one. */
static void add_hops(struct pb_result *result)
{
    random_state = 7;
    result->hop = calloc(SUPERFRAMES * 2 * DIMS, sizeof *result->hop);
    for (uint32_t superframe = 0; superframe < SUPERFRAMES; superframe++) {
        for (unsigned phase = 0; phase < 2 * DIMS; phase++) {
            unsigned dimension = pb_phase_dimension(phase);
            bool node_sends = pb_sends(NODE, phase);
            if (superframe % 3 && (phase * 7 + superframe) % 5 == 0)
                continue;
            uint32_t neighbour = pb_neighbour(NODE, dimension);
            struct pb_hop_row *hop = &result->hop[result->hops];
            hop->message = result->hops;
            hop->from = node_sends ? NODE : neighbour;
            hop->to = node_sends ? neighbour : NODE;
            hop->source = hop->from ^ below(pb_cube_nodes(dimension));
            hop->destination = (hop->to & (pb_cube_nodes(dimension + 1) - 1)) |
                               (below(1 << 12) & ~(pb_cube_nodes(dimension + 1) - 1));
            hop->superframe = superframe;
            hop->phase = phase;
            hop->dimension = dimension;
            hop->link = dimension;
            hop->sender = node_sends ? PB_SENDER_NODE : PB_SENDER_BENCH;
            hop->seen = hop->correct = true;
            hop->start_ps = 5 * US + (node_sends ? 60000 + (int64_t)below(140000) : 0);
            hop->end_ps = hop->start_ps + 89 * US;
            hop->byte_count = 9;
            for (unsigned i = 0; i < 9; i++)
                hop->bytes[i] = (uint8_t)below(256);
            hop->bytes[0] = (uint8_t)hop->destination;
            hop->bytes[1] = (uint8_t)(hop->destination >> 8);
            if (node_sends)
                add_start(result, dimension, hop->start_ps);
            result->hops_total = ++result->hops;
        }
    }
    result->hop[3].message = SIZE_MAX;
}

static struct pb_result *base(void)
{
    struct pb_result *result = new_result(pb_network_cube(DIMS));
    SET(result->scenario, "bit complement through 0x2A3");
    SET(result->scenario_path, "host/scenarios/complement.yaml");
    SET(result->rig, "sim:");
    SET(result->nodes, "0x2A3 native");
    SET(result->command,
        "phasebench run host/scenarios/complement.yaml --rig sim: --node native --seed 18446744073709551615");
    result->seed = UINT64_MAX;
    pb_network_name(&result->network, result->network_name);
    result->rule = PB_RULE_ECUBE;
    SET(result->codec, "slot");
    SET(result->capture, "edges");
    result->phase_rate_mhz = 10000000;
    result->baud_hz = 1000000;
    result->core_clock_hz = 12000000;
    result->phase_ps = 100 * US;
    result->guard_ps = 10 * US;
    result->head_guard_ps = 5 * US;
    result->start_min_ps = 5 * US;
    result->start_max_ps = 5 * US + 250000;
    result->resolution_ps = 83333;
    result->edge_resolution_ps = 41666;
    result->uncertainty_ps = 67900;
    result->lines = DIMS;
    result->measurement = calloc(2 * DIMS + 3, sizeof *result->measurement);
    for (unsigned i = 0; i < DIMS; i++)
        add_measurement(result, PB_FIGURE_NODE_START, (int)i);
    for (unsigned i = 0; i < DIMS; i++)
        if (i != 3) {
            struct pb_measurement *rise = add_measurement(result, PB_FIGURE_LINE_RISE, (int)i);
            rise->n = 4;
            rise->min = 83333 + 41667 * (int64_t)(i % 2);
            rise->mean = rise->max = 125000;
            rise->upper = 319531;
            rise->u95 = 41666;
            rise->margin = rise->upper - rise->max;
            rise->judgement = PB_JUDGED_PASS;
            result->rise_source[i] = PB_RISE_MEASURED;
        }
    SET(result->board, "iCE40 HX8K");
    SET(result->budget[0].name, "step of a stamp");
    result->budget[0].fall_ps = result->budget[0].rise_ps = 20833;
    SET(result->budget[1].name, "jitter of the PLL");
    result->budget[1].normal = true;
    result->budget[1].fall_ps = result->budget[1].rise_ps = 75;
    result->budget_rows = 2;
    result->u95_fall_ps = 19792;
    result->u95_rise_ps = 19793;
    result->superframes = SUPERFRAMES;
    SET(result->rest, "ideal");
    result->payload_bytes = 6;
    result->frame_bytes = 9;
    SET(result->environment, "phasebench=0.1.0; compiler=gcc 12.2.0; kernel=Linux 6.1; core=0x50424831; "
                             "map_hash=0x9A41C07E; dry run");
    SET(result->started_utc, "2026-01-15T09:30:00Z");
    SET(result->bound,
        "a lone message that is ready when the superframe starts arrives within 2n phases (ecube)");
    result->bound_superframes = 1;
    result->bound_phases = 24;
    result->hypotheses = 2;
    SET(result->hypothesis[0].name, "link load");
    SET(result->hypothesis[0].condition, "no directed link is wanted twice in a superframe");
    SET(result->hypothesis[0].detail, "largest load 1");
    result->hypothesis[0].holds = true;
    SET(result->hypothesis[1].name, "buffer occupancy");
    SET(result->hypothesis[1].condition, "no queue needs more entries than a node has");
    SET(result->hypothesis[1].detail, "deepest queue 1 of 8");
    result->hypothesis[1].holds = true;
    for (unsigned d = 0; d < DIMS; d++) {
        result->histogram[d].from_ps = 4900000;
        result->histogram[d].bin_ps = 12500;
    }
    add_hops(result);
    struct pb_measurement *period = add_measurement(result, PB_FIGURE_CLOCK_PERIOD, -1);
    period->n = 191;
    period->min = 99999900;
    period->mean = 100000000;
    period->max = 100000100;
    period->sd = 42;
    result->messages = 4096;
    result->messages_through_rig = 172;
    result->delivered = 4096;
    result->worst_latency_phases = 24;
    result->events = 41872;
    result->slots_checked = 192;
    result->bytes_seen = 1548;
    result->edges_seen = 15480;
    result->simulated_ps = INT64_C(19200000000);
    result->wall_ns = INT64_C(1234567890);
    result->clock_start_ps = INT64_C(4800000000);
    result->node_rows = 2;
    for (unsigned i = 0; i < 2; i++)
        for (int counter = 0; counter < PB_COUNTERS; counter++)
            result->node[i].counter[counter] = i ? -1 : 100 + counter;
    result->node[0].address = 0x2A3;
    SET(result->node[0].kind, "native");
    SET(result->node[0].identity, "+I node=native addr=2A3 dims=C fw=100");
    result->node[0].sent = 8;
    result->node[0].forwarded = 77;
    result->node[0].received = 79;
    result->node[0].delivered = 2;
    result->node[0].counted = true;
    result->node[0].evidence = PB_EVIDENCE_FRAMES;
    result->node[1].address = 0x2A2;
    SET(result->node[1].kind, "unidentified");
    SET(result->node[1].unchecked[0], "node 0x2A2: its address and dimensions");
    SET(result->node[1].unchecked[1], "node 0x2A2: its transmissions");
    result->node[1].unchecks = 2;
    return result;
}

struct pb_result *fixture_pass(void)
{
    struct pb_result *result = base();
    result->verdict = PB_VERDICT_PASS;
    SET(result->reason, "all 172 transmissions were right and in time, and every message met the bound.");
    return result;
}

static struct pb_hop_row *hop_at(struct pb_result *result, uint32_t superframe, unsigned phase)
{
    for (size_t i = 0; i < result->hops; i++)
        if (result->hop[i].superframe == superframe && result->hop[i].phase == phase)
            return &result->hop[i];
    abort();
}

static void add_finding(struct pb_result *result, enum pb_finding_kind kind, unsigned phase, int bit,
                        const char *expected, const char *seen)
{
    struct pb_finding *finding = &result->finding[result->findings++];
    *finding = (struct pb_finding){.kind = kind,
                                   .superframe = 3,
                                   .phase = phase,
                                   .bit = bit,
                                   .fault = -1,
                                   .sender = -1,
                                   .measurement = -1};
    finding->time_ps = (int64_t)(3 * 24 + phase) * 100 * US + 1000 * US;
    finding->link = finding->dimension = (int)phase / 2;
    SET(finding->expected, "%s", expected);
    SET(finding->seen, "%s", seen);
}

struct pb_result *fixture_fail(void)
{
    struct pb_result *result = base();
    result->verdict = PB_VERDICT_FAIL;
    SET(result->reason, "the node sent a wrong frame in superframe 3, phase 1, and 8 findings follow.");
    SET(result->trace_path, "out/complement-sf3-ph1.fst");
    SET(result->steps_path, "out/complement-sf3-ph1.trace");
    result->finding = calloc(7, sizeof *result->finding);
    add_finding(result, PB_FINDING_WRONG_BYTES, 1, 14, "A3 02 5C 11 9E 00 41 7A 3D",
                "A3 0A 5C 11 9E 00 41 7A 3D");
    hop_at(result, 3, 1)->correct = false;
    add_finding(result, PB_FINDING_MISSING, 8, -1, "9 bytes from 5.000 us on", "no activity");
    struct pb_hop_row *missing = hop_at(result, 3, 8);
    missing->seen = missing->correct = false;
    missing->start_ps = missing->end_ps = -1;
    missing->byte_count = 0;
    memset(missing->bytes, 0, sizeof missing->bytes);
    add_finding(result, PB_FINDING_LATE, 12, 0, "start between 5.000 and 5.250 us", "start at 9.200 us");
    struct pb_hop_row *late = hop_at(result, 3, 12);
    late->start_ps += 4 * US;
    late->end_ps += 4 * US;
    late->correct = false;
    result->finding[2].measurement = 6;
    add_start(result, 6, late->start_ps);
    add_finding(result, PB_FINDING_OVERRUN, 12, -1, "released before 95.000 us", "low until 98.200 us");
    add_finding(result, PB_FINDING_BAUD, 15, -1, "1.000 us within 2 %", "1.019 us");
    result->finding[4].marginal = true;
    add_finding(result, PB_FINDING_LATENCY, 23, -1, "24 phases", "48 phases");
    result->finding[5].link = result->finding[5].dimension = -1;
    add_finding(result, PB_FINDING_UNEXPECTED, 23, -1, "line released", "low from 12.000 us");
    result->findings_total = 9;
    result->late = 1;
    result->delivered = 4095;
    result->worst_latency_phases = 48;
    return result;
}

static struct pb_result *fixture_inconclusive(void)
{
    struct pb_result *result = base();
    result->verdict = PB_VERDICT_INCONCLUSIVE;
    SET(result->rig, "ftdi:PB0001");
    SET(result->reason, "the capture lost 12 events, so that absence proves nothing.");
    result->simulated_ps = 0;
    result->events_lost = 12;
    memset(&result->measurement[--result->measurements], 0, sizeof *result->measurement); /* the period */
    result->finding = calloc(1, sizeof *result->finding);
    add_finding(result, PB_FINDING_LOSS, 0, -1, "0 events lost", "12 events lost");
    result->finding[0].link = result->finding[0].dimension = -1;
    result->findings_total = 1;
    return result;
}

struct pb_result *fixture_overload(void)
{
    struct pb_result *result = base();
    result->verdict = PB_VERDICT_MARGINAL;
    SET(result->scenario, "bit reversal, every node at once");
    SET(result->reason,
        "every message met the bound under load; one start lies within the uncertainty of its limit.");
    SET(result->bound,
        "under load every message arrives within 1 + the messages that share a link with it (ecube)");
    result->bound_superframes = 32;
    result->bound_phases = 768;
    result->hypothesis[0].holds = false;
    SET(result->hypothesis[0].detail, "largest load 32 on 0x03F -> 0x01F");
    result->hypothesis[1].holds = false;
    SET(result->hypothesis[1].detail, "deepest queue 31 of 8");
    result->worst_latency_phases = 760;
    SET(result->rest, "reacts");
    result->lost_messages = 12;
    result->taken_out = 9;
    result->reaction_superframes = 7;
    result->finding = calloc(1, sizeof *result->finding);
    add_finding(result, PB_FINDING_LATE, 1, -1, "start by 5.250 us", "start at 5.300 us, U95 0.068 us");
    result->finding[0].marginal = true;
    result->findings_total = 1;
    return result;
}

struct pb_result *fixture_faults(void)
{
    struct pb_result *result = base();
    result->verdict = PB_VERDICT_PASS;
    SET(result->reason, "3 faults injected, each with its receipt and found.");
    result->alarms = 7;
    struct pb_measurement *tie = add_measurement(result, PB_FIGURE_CLOCK_TIE, -1);
    tie->n = 192;
    tie->min = -41667;
    tie->mean = 2480000;
    tie->max = 5000000;
    tie->sd = 1440000;
    tie->lower = -83334;
    tie->upper = 83334;
    tie->margin = tie->upper - tie->max;
    tie->judgement = PB_JUDGED_FAIL;
    result->fault = calloc(3, sizeof *result->fault);
    result->faults = 3;
    struct pb_fault_row *stuck = &result->fault[0], *shorted = &result->fault[1], *jitter = &result->fault[2];
    stuck->kind = PB_FAULT_STUCK_LOW;
    stuck->link = 4;
    stuck->other_link = -1;
    stuck->superframe = 3;
    stuck->phase = 8;
    stuck->start_ps = 9000 * US;
    stuck->length_ps = 120 * US;
    stuck->detected_ps = 9000 * US + 12500000;
    stuck->found_as = PB_FINDING_STUCK;
    stuck->explains = 2;
    shorted->kind = PB_FAULT_SHORT;
    shorted->link = 0;
    shorted->other_link = 7;
    shorted->superframe = 4;
    shorted->phase = 1;
    shorted->start_ps = 10700 * US;
    shorted->length_ps = 95 * US;
    shorted->detected_ps = 10705 * US;
    shorted->found_as = PB_FINDING_WRONG_BYTES;
    shorted->explains = 2;
    jitter->kind = PB_FAULT_JITTER;
    jitter->link = jitter->other_link = -1;
    jitter->superframe = 5;
    jitter->start_ps = 13000 * US;
    jitter->detected_ps = 13100 * US;
    jitter->found_as = PB_FINDING_JITTER;
    jitter->explains = 1;
    for (size_t i = 0; i < 3; i++)
        result->fault[i].began = result->fault[i].detected = true;
    stuck->ended = shorted->ended = true;
    result->finding = calloc(2, sizeof *result->finding);
    add_finding(result, PB_FINDING_STUCK, 8, -1, "line high when no node sends", "low for 120.000 us");
    add_finding(result, PB_FINDING_JITTER, 9, -1, "edges within 41.7 ns", "TIE 5041.7 ns peak to peak");
    result->finding[0].fault = 0;
    result->finding[0].sender = PB_SENDER_BENCH;
    result->finding[1].fault = 2;
    result->finding[1].link = result->finding[1].dimension = -1;
    result->finding[1].measurement = (int)result->measurements - 1;
    result->findings_total = 2;
    return result;
}

struct pb_result *(*const fixture_make[FIXTURES])(void) = {fixture_pass, fixture_fail, fixture_inconclusive,
                                                           fixture_overload, fixture_faults};

void fixture_make_hostile(struct pb_result *result)
{
    static const char hostile[] =
        "</script><script>alert(\"1\")</script>&'\x01\x1b[31m\xff\xc3]]>--> # \\ \xe2\x80\xae";
    SET(result->scenario, "%s", hostile);
    SET(result->scenario_path, "%s", hostile);
    SET(result->rig, "%s", hostile);
    SET(result->nodes, "%s", hostile);
    SET(result->command, "%s", hostile);
    SET(result->environment, "key=%s", hostile);
    SET(result->reason, "%s", hostile);
    SET(result->bound, "%s", hostile);
    SET(result->trace_path, "%s", hostile);
    SET(result->steps_path, "%s", hostile);
    SET(result->codec, "\"'<&>\x02");
    SET(result->started_utc, "<\"now\">");
    SET(result->node[0].identity, "%s", hostile);
    SET(result->node[0].kind, "<i>\"\x1b");
    SET(result->node[1].unchecked[0], "%s", hostile);
    SET(result->hypothesis[0].name, "<b>\"a\"</b>");
    SET(result->hypothesis[0].condition, "%s", hostile);
    SET(result->hypothesis[0].detail, "%s", hostile);
    for (size_t i = 0; i < result->findings; i++) {
        SET(result->finding[i].expected, "%s", hostile);
        SET(result->finding[i].seen, "%s", hostile);
    }
}

int fixture_write(FILE *stream, enum form form, const struct pb_result *result)
{
    const struct pb_report_style style = {false, 80};
    switch (form) {
    case TEXT:
        return pb_report_text(stream, result, &style);
    case JSON:
        return pb_report_json(stream, result);
    case JUNIT:
        return pb_report_junit(stream, &result, 1);
    case TAP:
        return pb_report_tap(stream, &result, 1);
    default:
        return pb_report_html(stream, result);
    }
}

char *fixture_rendered(enum form form, const struct pb_result *result)
{
    FILE *stream = open_text();
    assert_int_equal(fixture_write(stream, form, result), PB_OK);
    return close_text(stream);
}

void fixture_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%s", part, text);
}

void fixture_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" must not be in:\n%s", part, text);
}

char *fixture_replaced(const char *text, const char *part, const char *by)
{
    const char *at = strstr(text, part);
    if (!at)
        fail_msg("nothing to replace: %s", part);
    return formatted("%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
}
