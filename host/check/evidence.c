/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Evidence of each node under test: its reported identity, its frames seen on the lines, and its counters.
 * Frames of the bench to a node are evidence only if the counters of the node confirm them.
 */
#include "host/check/evidence.h"
#include "host/base/utf8.h"
#include "host/plan/answer.h"
#include "host/plan/node_map.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers of the console: "+X key=value key=value" */

int64_t pb_answer_number(const char *answer, const char *key)
{
    int64_t number;
    pb_pair_number(answer, key, &number);
    return number;
}

/* ---- rows */

void pb_evidence_begin(struct pb_check_output *out)
{
    const struct pb_scenario *scenario = out->run->scenario;
    struct pb_result *result = out->result;
    result->node_rows = scenario->node_count;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_node_answer *answer = &out->run->observation->answer[i];
        struct pb_node_row *row = &result->node[i];
        size_t length = 0;
        *row = (struct pb_node_row){.address = scenario->node[i].address};
        pb_copy_printable(row->identity, sizeof row->identity, answer->identity);
        const char *name;
        if (!strncmp(row->identity, "+I", 2) &&
            pb_pair_text(row->identity, "node", &name, &length) != PB_PAIR_MISSING && length)
            snprintf(row->kind, sizeof row->kind, "%.*s", (int)length, name);
        else
            snprintf(row->kind, sizeof row->kind, "unidentified");
        for (unsigned counter = 0; counter < PB_COUNTERS; counter++)
            row->counter[counter] = -1;
    }
}

/* The nodes are asked after the run. */
static void read_counters(struct pb_check_output *out)
{
    for (unsigned i = 0; i < out->result->node_rows; i++) {
        const struct pb_node_answer *answer = &out->run->observation->answer[i];
        struct pb_node_row *row = &out->result->node[i];
        if (answer->counted)
            pb_counters_read(row->counter, answer->statistics);
        row->counted = answer->counted;
    }
}

/* What a node says of its queues. */
static void measure_queues(struct pb_check_output *out)
{
    static const struct {
        enum pb_counter counter;
        enum pb_figure figure;
    } taken[] = {{PB_COUNTER_MAX_QUEUE, PB_FIGURE_NODE_QUEUE_DEPTH},
                 {PB_COUNTER_MAX_STORED, PB_FIGURE_NODE_STORED}};
    for (unsigned i = 0; i < out->result->node_rows; i++)
        for (unsigned k = 0; k < sizeof taken / sizeof taken[0]; k++) {
            const int64_t most = out->result->node[i].counter[taken[k].counter];
            const struct pb_reading reading = {.value = most, .lower = PB_ABSENT, .upper = PB_ABSENT};
            if (most >= 0)
                pb_measure_take(&out->measure, taken[k].figure, i, &reading);
        }
}

void pb_evidence_take(struct pb_evidence_seen *evidence, const struct pb_hop_row *hop)
{
    const unsigned node_index = pb_link_node_index(evidence->run->scenario, hop->link);
    struct pb_node_row *row = &evidence->out->result->node[node_index];
    evidence->transmits[node_index] |= hop->seen && hop->from == row->address;
    if (!hop->seen || !hop->correct || hop->message == SIZE_MAX)
        return;
    const bool bench = hop->sender == PB_SENDER_BENCH;
    const int64_t start_ps = hop->start_ps >= 0 ? hop->start_ps : evidence->run->start_max_ps;
    if (pb_may_meet_edge(evidence->run, start_ps, bench)) {
        evidence->tight_sent[node_index] += hop->from == row->address;
        evidence->tight_received[node_index] += hop->from != row->address;
    }
    if (hop->from == row->address && hop->source == row->address)
        row->sent++;
    else if (hop->from == row->address)
        row->forwarded++;
    else {
        row->received++;
        row->delivered += hop->destination == row->address;
    }
}

/* ---- judgement */

/* The pair of the answer that says the network's size: "dims=C", "radix=4,4,3". */
static void write_size(char text[PB_NETWORK_TEXT_SIZE], const struct pb_network *network)
{
    if (pb_network_is_binary(network)) {
        snprintf(text, PB_NETWORK_TEXT_SIZE, "dims=%X", network->digits);
        return;
    }
    size_t at = (size_t)snprintf(text, PB_NETWORK_TEXT_SIZE, "radix=%X", network->radix[0]);
    for (unsigned digit = 1; digit < network->digits; digit++)
        at += (size_t)snprintf(text + at, PB_NETWORK_TEXT_SIZE - at, ",%X", network->radix[digit]);
}

/* "4,4,3" in place of the size of a network that is no cube. */
static bool is_radix(const char *at, size_t length, const struct pb_network *network)
{
    const char *const end = at + length;
    for (unsigned digit = 0; digit < network->digits; digit++) {
        char *next;
        if (at >= end || !isxdigit((unsigned char)*at) || strtoul(at, &next, 16) != network->radix[digit])
            return false;
        at = next;
        if (digit + 1 < network->digits && *at++ != ',')
            return false;
    }
    return at == end;
}

const char *pb_identity_flaw(const char *answer, const struct pb_scenario *scenario,
                             const struct pb_scenario_node *node, uint32_t address)
{
    const struct pb_network *network = &scenario->network;
    const char *value;
    size_t length;
    int64_t number;
    if (pb_pair_stray(answer, 'I', &length), length)
        return "a word that is no pair";
    if (pb_pair_text(answer, "node", &value, &length) != PB_PAIR_SOUND ||
        (node->kind_given && (length != strlen(node->kind) || strncmp(value, node->kind, length))))
        return "node";
    if (pb_pair_number(answer, "addr", &number) != PB_PAIR_SOUND || number != address)
        return "addr";
    if (pb_network_is_binary(network) &&
        (pb_pair_number(answer, "dims", &number) != PB_PAIR_SOUND || number != network->digits))
        return "dims";
    if (!pb_network_is_binary(network) && (pb_pair_text(answer, "radix", &value, &length) != PB_PAIR_SOUND ||
                                           !is_radix(value, length, network)))
        return "radix";
    return pb_pair_text(answer, "fw", &value, &length) != PB_PAIR_SOUND ? "fw" : NULL;
}

static void judge_identity(struct pb_check_output *out, unsigned node_index)
{
    const struct pb_scenario *scenario = out->run->scenario;
    const struct pb_scenario_node *node = &scenario->node[node_index];
    const struct pb_node_row *row = &out->result->node[node_index];
    const struct pb_node_answer *answer = &out->run->observation->answer[node_index];
    const struct pb_schedule_place start = {.tick = out->run->origin_tick};
    if (answer->late) {
        struct pb_finding *finding = pb_finding_add(out, &start, PB_FINDING_CONSOLE, -1);
        pb_finding_expected(finding, "node 0x%" PRIX32 " answers +I to the line I, %u ms after NRST rises",
                            row->address, pb_scenario_boot_ms(scenario));
        pb_finding_seen(finding, "it answered the second time only");
    }
    if (!*answer->identity || pb_answer_refuses(answer->identity))
        return; /* it is named so, and that it says nothing is no word about its lines */
    char size[PB_NETWORK_TEXT_SIZE];
    const char *wrong = pb_identity_flaw(answer->identity, scenario, node, node->address);
    if (!wrong)
        return;
    write_size(size, &scenario->network);
    struct pb_finding *finding = pb_finding_add(out, &start, PB_FINDING_IDENTITY, -1);
    pb_finding_expected(finding, "+I node=%s addr=%" PRIX32 " %s fw=..., each key once",
                        node->kind_given ? node->kind : "...", node->address, size);
    pb_finding_seen(finding, "%.150s (wrong: %s)", row->identity, wrong);
}

/* Each line has an answer (C1), and a refusal a reason (C9); so a node that knows neither Z nor T says so. */
static void judge_line(struct pb_check_output *out, unsigned node_index, char letter, const char *seen)
{
    const struct pb_schedule_place start = {.tick = out->run->origin_tick};
    char text[80];
    if (pb_answer_refuses(seen))
        return;
    struct pb_finding *finding = pb_finding_add(out, &start, PB_FINDING_CONSOLE, -1);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers +%c, or - and a reason, to the line '%c'",
                        out->result->node[node_index].address, letter, letter);
    pb_copy_printable(text, sizeof text, seen);
    if (*text)
        pb_finding_seen(finding, "it answered '%s'", text);
    else
        pb_finding_seen(finding, "no answer on UART0 within 50 ms");
}

static void judge_lines(struct pb_check_output *out, unsigned node_index)
{
    const struct pb_observation *observation = out->run->observation;
    const struct pb_node_answer *answer = &observation->answer[node_index];
    if (!answer->asked || strncmp(answer->identity, "+I", 2))
        return;
    if (!answer->counts)
        judge_line(out, node_index, 'Z', answer->cleared);
    else if (!answer->counted && !answer->too_slow && observation->end_tick)
        judge_line(out, node_index, 'T', answer->statistics);
}

static struct pb_finding *add_counter_finding(struct pb_evidence_seen *evidence)
{
    struct pb_schedule_place end = pb_schedule_place_last(evidence->marks);
    end.superframe = evidence->run->scenario->superframes - 1;
    end.phase = evidence->run->scenario->network.phases - 1;
    end.tick = evidence->marks->end ? end.tick : evidence->run->origin_tick;
    return pb_finding_add(evidence->out, &end, PB_FINDING_COUNTERS, -1);
}

/* A counter that is not well formed has a finding of its own (judge_form). */
static void expect_counter(struct pb_evidence_seen *evidence, unsigned node_index, enum pb_counter counter,
                           uint64_t least, uint64_t most)
{
    const struct pb_node_row *row = &evidence->out->result->node[node_index];
    const int64_t seen = row->counter[counter];
    char range[48] = "";
    if (seen < 0 || ((uint64_t)seen >= least && (uint64_t)seen <= most))
        return;
    if (least == most)
        snprintf(range, sizeof range, "%" PRIu64, least);
    else if (most == UINT64_MAX)
        snprintf(range, sizeof range, "at least %" PRIu64, least);
    else if (least)
        snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, least, most);
    else
        snprintf(range, sizeof range, "at most %" PRIu64, most);
    struct pb_finding *finding = add_counter_finding(evidence);
    pb_finding_expected(finding, "node 0x%" PRIX32 " counts %s of %s", row->address, range,
                        pb_counter_key((int)counter));
    pb_finding_seen(finding, "%" PRId64, seen);
}

/* Every counter is owed, once and well formed (docs/node.md, C5). */
static void judge_form(struct pb_evidence_seen *evidence, unsigned node_index)
{
    struct pb_answer_flaw flaw[PB_COUNTERS_FLAWS];
    const unsigned flaws = pb_counters_flaws(flaw, evidence->run->observation->answer[node_index].statistics);
    for (unsigned i = 0; i < flaws; i++) {
        struct pb_finding *finding = add_counter_finding(evidence);
        pb_finding_expected(finding, "node 0x%" PRIX32 " answers %s",
                            evidence->out->result->node[node_index].address, flaw[i].expected);
        pb_finding_seen(finding, "%s", flaw[i].seen);
    }
}

/* Without a fault each counter has one value. */
static void judge_exactly(struct pb_evidence_seen *evidence, unsigned node_index)
{
    static const enum pb_counter zero[] = {
        PB_COUNTER_RX_CRC_ERRORS,     PB_COUNTER_RX_LENGTH_ERRORS,    PB_COUNTER_RX_MARK_ERRORS,
        PB_COUNTER_RX_FRAMING_ERRORS, PB_COUNTER_RX_BAD_DESTINATIONS,
    };
    static const enum pb_counter clock[] = {PB_COUNTER_ALIGNMENT_ERRORS, PB_COUNTER_MISSED_EDGES,
                                            PB_COUNTER_EXTRA_EDGES};
    const struct pb_scenario *scenario = evidence->run->scenario;
    const struct pb_node_row *row = &evidence->out->result->node[node_index];
    /* A node without room drops the newcomer and counts it (limits.overflow drop). */
    const struct pb_schedule *schedule = evidence->schedule;
    const uint64_t drops = schedule->drops[node_index], refused = schedule->refusals[node_index],
                   own = schedule->own[node_index] - refused, lost = drops - refused;
    const uint64_t sent = row->sent + row->forwarded, taken = row->received - row->delivered,
                   passed = taken > lost ? taken - lost : 0,
                   phases = (uint64_t)scenario->superframes * scenario->network.phases;
    expect_counter(evidence, node_index, PB_COUNTER_RX_FRAMES, row->received, row->received);
    expect_counter(evidence, node_index, PB_COUNTER_DELIVERED, row->delivered, row->delivered);
    expect_counter(evidence, node_index, PB_COUNTER_FORWARDED, passed, passed);
    expect_counter(evidence, node_index, PB_COUNTER_OWN_MESSAGES, own, own);
    expect_counter(evidence, node_index, PB_COUNTER_QUEUE_DROPS, drops, drops);
    for (size_t i = 0; i < sizeof zero / sizeof zero[0]; i++)
        expect_counter(evidence, node_index, zero[i], 0, 0);
    expect_counter(evidence, node_index, PB_COUNTER_TX_CUT, 0, evidence->tight_sent[node_index]);
    expect_counter(evidence, node_index, PB_COUNTER_RX_CUT, 0, evidence->tight_received[node_index]);
    /* An external clock also runs before the first phase of the bench and after its last one. */
    expect_counter(evidence, node_index, PB_COUNTER_TX_FRAMES, sent, scenario->follow ? UINT64_MAX : sent);
    if (scenario->follow)
        return;
    expect_counter(evidence, node_index, PB_COUNTER_EDGES, phases, phases);
    expect_counter(evidence, node_index, PB_COUNTER_SUPERFRAMES, scenario->superframes,
                   scenario->superframes);
    for (size_t i = 0; i < sizeof clock / sizeof clock[0]; i++)
        expect_counter(evidence, node_index, clock[i], 0, 0);
}

/* What the contract leaves open, given what was seen at the node's pins. */
static void judge_bound(struct pb_evidence_seen *evidence, unsigned node_index, enum pb_counter counter)
{
    if (evidence->most[node_index][counter] >= 0)
        expect_counter(evidence, node_index, counter, (uint64_t)evidence->least[node_index][counter],
                       (uint64_t)evidence->most[node_index][counter]);
}

static void judge_counters(struct pb_evidence_seen *evidence, unsigned node_index)
{
    static const enum pb_counter bounded[] = {PB_COUNTER_LATE_STARTS, PB_COUNTER_MAX_QUEUE,
                                              PB_COUNTER_MAX_STORED};
    const struct pb_schedule *schedule = evidence->schedule;
    /* Frames of a program are made by the node; one line has loaded it. */
    const uint64_t lines = evidence->run->scenario->program ? 1 : schedule->own[node_index];
    const uint64_t refused = schedule->refusals[node_index];
    const bool faulty = evidence->run->scenario->fault_count;
    if (!evidence->out->result->node[node_index].counted)
        return;
    judge_form(evidence, node_index);
    if (!faulty)
        judge_exactly(evidence, node_index);
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0] && !faulty; i++)
        judge_bound(evidence, node_index, bounded[i]);
    for (int i = 0; i < PB_COUNTERS && faulty; i++)
        judge_bound(evidence, node_index, (enum pb_counter)i);
    /* These since Z, and T, or Z itself. */
    expect_counter(evidence, node_index, PB_COUNTER_CONSOLE_LINES, lines - refused + 1, lines + 1);
    if (!faulty)
        expect_counter(evidence, node_index, PB_COUNTER_CONSOLE_ERRORS, refused, refused);
}

/* ---- what it comes to */

void pb_not_checked(struct pb_node_row *row, const char *what)
{
    const unsigned places = sizeof row->unchecked / sizeof row->unchecked[0];
    if (row->unchecks < places)
        snprintf(row->unchecked[row->unchecks++], sizeof row->unchecked[0], "node 0x%" PRIX32 ": %s",
                 row->address, what);
}

/* The core receives one UART0 at a time. True without a reset, too: then nothing was tried. */
static bool is_heard_in_a_reset(const struct pb_epilogue *after, unsigned node_index)
{
    for (unsigned i = 0; i < after->resets; i++)
        if (after->reset[i].console_node == node_index)
            return true;
    return !after->resets;
}

static void conclude(const struct pb_evidence_seen *evidence, struct pb_result *result, unsigned node_index)
{
    const struct pb_node_answer *answer = &evidence->run->observation->answer[node_index];
    struct pb_node_row *row = &result->node[node_index];
    const bool sent = row->sent || row->forwarded;
    if (sent)
        row->evidence = PB_EVIDENCE_FRAMES;
    else if (row->counted && row->received && row->counter[PB_COUNTER_RX_FRAMES] > 0)
        row->evidence = PB_EVIDENCE_COUNTERS;
    if (answer->asked && strncmp(row->identity, "+I", 2))
        pb_not_checked(row, "its address and dimensions, as it does not answer the console command I");
    if (answer->asked && answer->too_slow)
        pb_not_checked(row, "its counters (console command T), as its console is too slow to read them");
    else if (answer->counts && (*evidence->run->observation->cut || !evidence->run->observation->end_tick))
        pb_not_checked(row, "its counters (console command T), as they are read after a whole run");
    else if (answer->asked && !row->counted)
        pb_not_checked(row,
                       "its counters (console command T): what it received, delivered and dropped, as it "
                       "does not give them");
    if (answer->asked && node_index != evidence->run->observation->console_node)
        pb_not_checked(row, "its UART0_TX during the run, as the core listens to one console at a time");
    if (answer->asked && !is_heard_in_a_reset(&evidence->run->observation->epilogue, node_index))
        pb_not_checked(row, "its UART0_TX in the resets after the run, as each listens to one node");
    if (!evidence->transmits[node_index])
        pb_not_checked(row, "its transmissions, as it sent and forwarded no frame");
}

/* "0x2A3 native (late_start), 0x2A2 unidentified". The defect of a board is unknown. */
static void name_nodes(const struct pb_check_run *run, struct pb_result *result)
{
    const struct pb_scenario *scenario = run->scenario;
    size_t at = 0;
    for (unsigned i = 0; i < scenario->node_count && at < sizeof result->nodes; i++) {
        const char *defect = scenario->node[i].defect;
        const bool whole = !run->observation->simulated || !strcmp(defect, "none");
        at += (size_t)snprintf(result->nodes + at, sizeof result->nodes - at, "%s0x%0*" PRIX32 " %s%s%s%s",
                               i ? ", " : "", (int)pb_network_address_digits(&scenario->network),
                               scenario->node[i].address, result->node[i].kind, whole ? "" : " (",
                               whole ? "" : defect, whole ? "" : ")");
    }
}

void pb_evidence_so_far(const struct pb_evidence_seen *evidence, struct pb_result *result)
{
    for (unsigned node_index = 0; node_index < evidence->run->scenario->node_count; node_index++)
        conclude(evidence, result, node_index);
    name_nodes(evidence->run, result);
}

void pb_evidence_finish(struct pb_evidence_seen *evidence)
{
    /* After a finding, a loss, or an early end the counters follow from that. */
    const bool judged = !evidence->loss->known && !*evidence->run->observation->cut &&
                        !pb_output_blames(evidence->out) && !evidence->run->observation->console_failures;
    read_counters(evidence->out);
    measure_queues(evidence->out);
    for (unsigned node_index = 0; node_index < evidence->run->scenario->node_count; node_index++) {
        if (!evidence->loss->known)
            judge_identity(evidence->out, node_index);
        if (!judged)
            continue;
        judge_lines(evidence->out, node_index);
        judge_counters(evidence, node_index);
    }
    pb_evidence_so_far(evidence, evidence->out->result);
}

bool pb_evidence_lacks(char *reason, size_t size, const struct pb_result *result)
{
    char names[128] = "";
    unsigned lacking = 0;
    for (unsigned i = 0; i < result->node_rows; i++) {
        const struct pb_node_row *row = &result->node[i];
        const size_t at = strlen(names);
        if (row->evidence != PB_EVIDENCE_NONE)
            continue;
        snprintf(names + at, sizeof names - at, "%s0x%" PRIX32, lacking++ ? ", " : "", row->address);
    }
    if (!lacking)
        return false;
    snprintf(
        reason, size,
        "node%s %s sent and forwarded no frame and confirmed none by its counters, so nothing was proven "
        "about %s; add traffic that %s or forward%s",
        lacking == 1 ? "" : "s", names, lacking == 1 ? "it" : "them", lacking == 1 ? "it sends" : "they send",
        lacking == 1 ? "s" : "");
    return true;
}

/* ---- nodes that are programs of their own, as the simulated rig reports them */

static const enum pb_finding_kind trouble_kind[] = {
    [PB_TROUBLE_DIED] = PB_FINDING_NODE_DIED,      [PB_TROUBLE_HUNG] = PB_FINDING_NODE_HUNG,
    [PB_TROUBLE_BROKE] = PB_FINDING_NODE_PROTOCOL, [PB_TROUBLE_TRAPPED] = PB_FINDING_NODE_TRAPPED,
    [PB_TROUBLE_GAP] = PB_FINDING_NOT_MODELLED,
};

static void expect_untroubled(struct pb_finding *finding, const struct pb_node_trouble *trouble,
                              uint32_t address)
{
    if (trouble->kind == PB_TROUBLE_GAP)
        pb_finding_expected(finding,
                            "the model has what the firmware '%s' of node 0x%" PRIX32
                            " uses; %s lists it; leave the rest out, or test a board",
                            trouble->name, address, trouble->document);
    else
        pb_finding_expected(finding, "the %s '%s' of node 0x%" PRIX32 " %s until the end",
                            trouble->kind == PB_TROUBLE_TRAPPED ? "firmware" : "process", trouble->name,
                            address, trouble->kind == PB_TROUBLE_TRAPPED ? "runs" : "answers");
}

void pb_judge_troubles(struct pb_check_output *out, const struct pb_marks *marks)
{
    const struct pb_scenario *scenario = out->run->scenario;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_node_trouble *trouble = &out->run->observation->trouble[i];
        if (trouble->kind == PB_TROUBLE_NONE)
            continue;
        struct pb_schedule_place at = {.tick = out->run->origin_tick};
        if (trouble->clocked) { /* edges that a fault adds or removes do not move the instant */
            at = pb_schedule_place_nominal(marks, 0, 0);
            at.superframe = trouble->superframe;
            at.phase = trouble->phase;
        }
        const struct pb_claim claim = {.kind = trouble_kind[trouble->kind],
                                       .at_ps = trouble->edge_ps - trouble->first_ps + trouble->in_phase_ps,
                                       .sender = PB_SENDER_NONE,
                                       .unexcused = true};
        struct pb_finding *finding = pb_finding_claim(out, &at, -1, &claim);
        const bool image = trouble->kind == PB_TROUBLE_TRAPPED || trouble->kind == PB_TROUBLE_GAP;
        expect_untroubled(finding, trouble, scenario->node[i].address);
        pb_finding_seen(finding, "it %s%s%s", trouble->text,
                        trouble->clocked ? "" : " before the phase clock ran",
                        !*trouble->output ? ""
                        : image           ? ": "
                                          : "; it wrote: ");
        /* Of what a process wrote the end says most, of a word about an image the begin. */
        const size_t used = strlen(finding->seen), room = sizeof finding->seen - used;
        pb_utf8_shorten(finding->seen + used, room, "%s",
                        image ? trouble->output : pb_trouble_last_words(trouble->output, room - 1).text);
    }
}

void pb_measure_processors(struct pb_check_output *out)
{
    const struct pb_observation *observation = out->run->observation;
    for (unsigned i = 0; i < out->run->scenario->node_count; i++) {
        const struct pb_node_figures *figures = &observation->figures[i];
        const struct {
            enum pb_figure figure;
            int64_t value;
        } taken[] = {
            {PB_FIGURE_NODE_LOAD, figures->load_ppm},
            {PB_FIGURE_NODE_STACK, figures->stack_bytes},
            {PB_FIGURE_NODE_INTERRUPT, figures->interrupt_ps},
            {PB_FIGURE_NODE_INSTRUCTIONS, figures->instructions_per_phase},
        };
        for (size_t k = 0; observation->figured >> i & 1 && k < sizeof taken / sizeof taken[0]; k++)
            pb_measure_take(
                &out->measure, taken[k].figure, i,
                &(struct pb_reading){.value = taken[k].value, .lower = PB_ABSENT, .upper = PB_ABSENT});
    }
}
