/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps on the node, each one or a few runs that are judged as by `phasebench run`.
 */
#include "validate_steps.h"

#include "phasebench/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIPS = 10000,
    BOUND_BITS = 3600 /* without an incorrect bit, 2.9957 / n is below a thousandth */
};

/* ---- runs of the base */

/* A case of the base with this traffic, which it owns, and with no fault. */
struct run {
    struct validate_case one;
    char *traffic;
    char superframes[16];
};

static int begin(struct run *run, struct validator *validator, const char *name, char *traffic,
                 uint32_t superframes)
{
    *run = (struct run){.one = {.name = name}, .traffic = traffic};
    if (!traffic)
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the traffic");
    validate_set(&run->one, "traffic", traffic);
    validate_set(&run->one, "faults", "[]");
    snprintf(run->superframes, sizeof run->superframes, "%" PRIu32,
             superframes + validator->scenario->follow);
    validate_set(&run->one, "superframes", run->superframes);
    return PB_OK;
}

static void end(struct run *run)
{
    free(run->traffic);
}

/* ---- values of a result */

static struct pb_item_value at_link(struct pb_item_value value, unsigned link)
{
    value.node = 0;
    value.link = (int)link;
    value.port = (int)link;
    return value;
}

static int64_t counter_of(const struct pb_result *result, enum pb_counter counter)
{
    return result->node[0].counted ? result->node[0].counter[counter] : -1;
}

/* A counter of the node; without it nothing is added. */
static int add_counter(struct validator *validator, const struct pb_result *result, enum pb_item item,
                       enum pb_counter counter)
{
    const int64_t count = counter_of(result, counter);
    if (count < 0)
        return PB_OK;
    struct pb_item_value value =
        validate_value(item, count, (uint64_t)result->superframes * result->network.phases);
    value.node = 0;
    if (count)
        snprintf(value.note, sizeof value.note, "the node counts %" PRId64 " %s", count,
                 pb_counter_key((int)counter));
    return validate_add(validator, value, "%s", "");
}

static int add_lost(struct validator *validator, const struct pb_result *result, const char *name)
{
    const uint64_t lost = result->messages_through_rig - result->delivered;
    struct pb_item_value value = validate_value(PB_ITEM_LOST, (int64_t)lost, result->messages_through_rig);
    if (lost)
        snprintf(value.note, sizeof value.note, "%" PRIu64 " of %" PRIu64 " messages did not arrive", lost,
                 result->messages_through_rig);
    return validate_add(validator, value, "%s", name);
}

static int add_latency(struct validator *validator, const struct pb_result *result, const char *name)
{
    const struct pb_measurement *latency = pb_measurement_find(result, PB_FIGURE_LATENCY, -1);
    if (!latency)
        return PB_OK;
    struct pb_item_value value = validate_value(PB_ITEM_LATENCY, latency->max, latency->n);
    value.min = latency->min;
    value.mean = latency->mean;
    value.sd = latency->sd;
    return validate_add(validator, value, "%s", name);
}

/* Of the least and the largest value that nearer to its limit, after an offset was taken off. */
static struct pb_item_value extreme(const struct validator *validator, enum pb_item item,
                                    const struct pb_measurement *of, int64_t offset)
{
    struct pb_item_value low = validate_value(item, of->min - offset, of->n), high = low;
    low.min = low.value;
    low.mean = of->mean - offset;
    low.max = of->max - offset;
    low.sd = of->sd;
    low.u95 = of->u95;
    high = low;
    high.value = high.max;
    pb_item_judge(&low, &validator->validation->limits);
    pb_item_judge(&high, &validator->validation->limits);
    return high.margin < low.margin ? high : low;
}

/* Bit error ratio: 95 % upper bound, in ppb. */
static struct pb_item_value bit_errors(enum pb_item item, uint64_t wrong, uint64_t bits)
{
    const double bound = pb_rate_bound(wrong < bits ? wrong : bits, bits, 0.95);
    struct pb_item_value value = validate_value(item, (int64_t)(bound * 1e9 + 0.5), bits);
    value.mean = (int64_t)((double)wrong / (double)bits * 1e9);
    return value;
}

static int add_sent(struct validator *validator, const struct pb_result *result,
                    const struct validate_bits *bits, unsigned link)
{
    const struct pb_measurement *start = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link),
                                *tail = pb_measurement_find(result, PB_FIGURE_NODE_END, (int)link),
                                *bit = pb_measurement_find(result, PB_FIGURE_NODE_BIT_TIME, (int)link);
    int code = PB_OK;
    if (start) {
        struct pb_item_value value =
            at_link(extreme(validator, PB_ITEM_START, start, result->head_guard_ps), link);
        snprintf(value.note, sizeof value.note, "link %u: starts from %s to %s", link,
                 pb_item_shown(PB_ITEM_START, value.min).text, pb_item_shown(PB_ITEM_START, value.max).text);
        code = validate_add(validator, value, "link%u", link);
    }
    if (tail && tail->margin != PB_ABSENT && !code) {
        struct pb_item_value value = at_link(validate_value(PB_ITEM_TAIL, tail->margin, tail->n), link);
        value.u95 = tail->u95;
        snprintf(value.note, sizeof value.note, "link %u is low in the tail guard", link);
        code = validate_add(validator, value, "link%u", link);
    }
    if (bit && !code) {
        struct pb_item_value value = at_link(extreme(validator, PB_ITEM_BIT_TIME, bit, 0), link);
        value.value = value.mean; /* of the mean: a frame is too short for a finer one */
        value.u95 = bit->u95;
        snprintf(value.note, sizeof value.note, "link %u", link);
        code = validate_add(validator, value, "link%u", link);
    }
    if (bits->bits[link] && !code) {
        struct pb_item_value value =
            at_link(bit_errors(PB_ITEM_SEND_ERRORS, bits->wrong[link], bits->bits[link]), link);
        snprintf(value.note, sizeof value.note, "link %u: at least %" PRIu64 " of %" PRIu64 " bits wrong",
                 link, bits->wrong[link], bits->bits[link]);
        code = validate_add(validator, value, "link%u", link);
    }
    return code;
}

/* ---- identity */

/* The value of key= in an answer, hexadecimal; false: there is none. */
static bool read_key(const char *answer, const char *key, unsigned long *value)
{
    const size_t length = strlen(key);
    for (const char *at = strchr(answer, ' '); at; at = strchr(at + 1, ' '))
        if (!strncmp(at + 1, key, length) && at[1 + length] == '=') {
            char *end;
            *value = strtoul(at + 2 + length, &end, 16);
            return end != at + 2 + length;
        }
    return false;
}

/* What is found before the clock starts. */
static bool is_of_identity(const struct pb_result *result, const struct pb_finding *finding)
{
    static const enum pb_finding_kind kind[] = {
        PB_FINDING_IDENTITY,  PB_FINDING_CONSOLE,   PB_FINDING_CONSOLE_NOISE, PB_FINDING_RESET,
        PB_FINDING_NODE_DIED, PB_FINDING_NODE_HUNG, PB_FINDING_NODE_PROTOCOL, PB_FINDING_NODE_TRAPPED};
    for (size_t i = 0; i < ARRAY_COUNT(kind); i++)
        if (finding->kind == kind[i])
            return !pb_finding_is_after(result, finding);
    return false;
}

/* One message for the node: the run asks for its identity before and judges it. */
int validate_step_identity(struct validator *validator)
{
    const struct pb_result *result = NULL;
    struct run run;
    unsigned long firmware;
    int code = begin(&run, validator, "identity", validate_reception(validator->scenario, 0, 2), 3);
    run.one.counts = is_of_identity;
    run.one.may_be_inconclusive = true; /* a node that does not answer */
    if (!code)
        code = validate_play(validator, &run.one, &result);
    if (!code && !*result->node[0].identity)
        code =
            validate_because(validator, PB_ERR_NODE,
                             "the node does not answer I on its console; look at power, reset, UART0 and its "
                             "baud rate");
    if (!code && read_key(result->node[0].identity, "fw", &firmware))
        code = validate_add(validator, validate_value(PB_ITEM_FIRMWARE, (int64_t)firmware, 1), "%s", "");
    if (!code)
        code = validate_take_findings(validator, &run.one, result);
    end(&run);
    return code;
}

/* ---- clock */

static bool moves_elsewhere(const struct pb_result *result)
{
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == PB_FINDING_UNEXPECTED || result->finding[i].kind == PB_FINDING_OUTSIDE)
            return true;
    return false;
}

/* Adds the number of superframes from the first in which a frame of the node is due to the first with a
 * frame, correct or not. A node that sends elsewhere has seen the clock: its ports are judged later. */
static int add_acquisition(struct validator *validator, const struct pb_result *result)
{
    int64_t due = -1, seen = -1;
    for (size_t i = 0; i < result->hops && seen < 0; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        if (hop->sender != PB_SENDER_NODE)
            continue;
        due = due < 0 ? (int64_t)hop->superframe : due;
        seen = hop->seen ? (int64_t)hop->superframe : -1;
    }
    if (due < 0 || (seen < 0 && moves_elsewhere(result)))
        return PB_OK;
    struct pb_item_value value =
        validate_value(PB_ITEM_ACQUISITION, seen < 0 ? (int64_t)result->superframes : seen - due, 1);
    value.node = 0;
    snprintf(value.note, sizeof value.note, "%s",
             seen < 0 ? "the node never sends; look at TDMA_CLK and TDMA_SYNC" : "the node joins late");
    return validate_add(validator, value, "%s", "");
}

int validate_step_clock(struct validator *validator)
{
    static const struct {
        enum pb_item item;
        enum pb_counter counter;
    } counters[] = {{PB_ITEM_EDGES_LOST, PB_COUNTER_MISSED_EDGES},
                    {PB_ITEM_EDGES_EXTRA, PB_COUNTER_EXTRA_EDGES},
                    {PB_ITEM_SYNC_ERRORS, PB_COUNTER_ALIGNMENT_ERRORS}};
    const uint32_t superframes = validator->options->profile == PB_VALIDATE_QUICK ? 10 : 200;
    const struct pb_result *result = NULL;
    struct run run;
    int code = begin(&run, validator, "clock", validate_full_load(validator->scenario, superframes),
                     superframes + 1);
    run.one.exhibit = true;
    if (!code)
        code = validate_play(validator, &run.one, &result);
    if (!code)
        code = add_acquisition(validator, result);
    /* With the clock of another controller the node also counts what the bench has not seen. */
    for (size_t i = 0; i < ARRAY_COUNT(counters) && !code && !validator->scenario->follow; i++)
        code = add_counter(validator, result, counters[i].item, counters[i].counter);
    end(&run);
    return code;
}

/* ---- ports */

/* Tests each port alone after all of them together failed, so that the faulty line is known. `counts`: the
 * node has counters; else its findings alone show what it received. */
static int find_port(struct validator *validator, bool counts)
{
    const struct pb_scenario *scenario = validator->scenario;
    int code = PB_OK;
    validator->runs_expected += scenario->network.ports;
    for (unsigned port = 0; port < scenario->network.ports && !code; port++) {
        char name[32];
        struct run run;
        snprintf(name, sizeof name, "receive-link%u", port);
        code = begin(&run, validator, name, validate_reception(scenario, (int)port, 5), 6);
        const struct pb_result *result = NULL;
        run.one.may_be_inconclusive = !counts;
        if (!code)
            code = validate_play(validator, &run.one, &result);
        const int64_t got = code ? -1 : counter_of(result, PB_COUNTER_RX_FRAMES);
        if (!code && got < 0)
            code = validate_take_findings(validator, &run.one, result);
        else if (!code) {
            struct pb_item_value value = at_link(validate_value(PB_ITEM_LOST, 5 - got, 5), port);
            snprintf(value.note, sizeof value.note, "link %u: the node received %" PRId64 " of 5 frames",
                     port, got);
            code = validate_add(validator, value, "link%u", port);
        }
        end(&run);
    }
    return code;
}

static int receive_on_all(struct validator *validator)
{
    static const enum pb_counter error[] = {PB_COUNTER_RX_CRC_ERRORS, PB_COUNTER_RX_LENGTH_ERRORS,
                                            PB_COUNTER_RX_MARK_ERRORS, PB_COUNTER_RX_FRAMING_ERRORS,
                                            PB_COUNTER_RX_CUT, PB_COUNTER_RX_BAD_DESTINATIONS};
    const struct pb_scenario *scenario = validator->scenario;
    const uint32_t least = BOUND_BITS / (10 * scenario->frame_bytes * scenario->network.ports) + 1,
                   each = (validator->options->profile == PB_VALIDATE_QUICK ? 1 : 20) *
                          (least > 10 ? least : 10);
    const uint64_t frames = (uint64_t)each * scenario->network.ports;
    const struct pb_result *result = NULL;
    struct run run;
    int64_t errors = 0;
    int code = begin(&run, validator, "receive", validate_reception(scenario, -1, each),
                     each * scenario->network.ports + 1);
    run.one.may_be_inconclusive =
        true; /* a node without counters shows by its frames alone what it received */
    if (!code)
        code = validate_play(validator, &run.one, &result);
    const int64_t got = code ? -1 : counter_of(result, PB_COUNTER_RX_FRAMES);
    for (size_t i = 0; i < ARRAY_COUNT(error) && got >= 0; i++)
        errors += counter_of(result, error[i]) > 0 ? counter_of(result, error[i]) : 0;
    if (got >= 0) {
        const int64_t missing = (int64_t)frames - got;
        struct pb_item_value value =
            bit_errors(PB_ITEM_RECEIVE_ERRORS, (uint64_t)(missing > errors ? missing : errors),
                       frames * 10 * scenario->frame_bytes);
        value.node = 0;
        snprintf(value.note, sizeof value.note,
                 "the node received %" PRId64 " of %" PRIu64 " frames and counts %" PRId64 " errors", got,
                 frames, errors);
        code = validate_add(validator, value, "%s", "");
    }
    if (!code)
        code = validate_take_findings(validator, &run.one, result);
    const bool clean = !code && result->verdict != PB_VERDICT_FAIL && (got < 0 || got == (int64_t)frames);
    end(&run);
    return code || clean ? code : find_port(validator, got >= 0);
}

static int send_on_all(struct validator *validator)
{
    const struct pb_scenario *scenario = validator->scenario;
    const struct pb_network *network = &scenario->network;
    /* The own messages are the rarest: of them there are enough for the bound of their bit errors, too. */
    const uint32_t frames = BOUND_BITS / (10 * scenario->frame_bytes) + 1,
                   superframes = (validator->options->profile == PB_VALIDATE_QUICK ? 1 : 10) * frames *
                                 validate_own_ports(scenario) * validate_own_every(scenario);
    struct validate_bits bits = {{0}, {0}};
    const struct pb_result *result = NULL;
    struct run run;
    int code = begin(&run, validator, "send", validate_full_load(validator->scenario, superframes),
                     superframes + 1);
    run.one.bits = &bits;
    run.one.exhibit = true;
    if (!code)
        code = validate_play(validator, &run.one, &result);
    for (unsigned link = 0; link < network->ports && !code; link++)
        code = add_sent(validator, result, &bits, link);
    if (!code)
        code = validate_take_findings(validator, &run.one, result);
    end(&run);
    return code;
}

int validate_step_ports(struct validator *validator)
{
    validator->runs_expected = 2;
    const int code = receive_on_all(validator);
    return code ? code : send_on_all(validator);
}

/* ---- idle */

/* On a line, before the superframe of the message at the end. */
static bool is_of_idle(const struct pb_result *result, const struct pb_finding *finding)
{
    return finding->link >= 0 && finding->superframe + 1 < result->superframes;
}

/* A message at the end, so that there is something to judge; no other line moves. */
int validate_step_idle(struct validator *validator)
{
    const uint32_t superframes = validator->options->profile == PB_VALIDATE_QUICK ? 20 : 500;
    const struct pb_scenario *scenario = validator->scenario;
    const uint32_t node = scenario->node[0].address;
    char traffic[96];
    unsigned in, out;
    const bool forwards = validate_way(scenario, &in, &out);
    snprintf(traffic, sizeof traffic, "[{from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %" PRIu32 "}]",
             pb_network_neighbour(&scenario->network, node, in),
             forwards ? pb_network_neighbour(&scenario->network, node, out) : node,
             superframes + scenario->follow);
    const struct pb_result *result = NULL;
    struct run run;
    int code = begin(&run, validator, "idle", strdup(traffic), superframes + 1);
    if (!code)
        validate_set(&run.one, "capture", "edges");
    run.one.counts = is_of_idle;
    if (!code)
        code = validate_play(validator, &run.one, &result);
    if (!code)
        code = validate_take_count(validator, &run.one, result, PB_ITEM_GLITCHES);
    end(&run);
    return code;
}

/* ---- forwarding, load, soak, rates */

static int transport(struct validator *validator, struct run *run)
{
    const struct pb_result *result = NULL;
    int code = validate_play(validator, &run->one, &result);
    if (!code)
        code = add_lost(validator, result, run->one.name);
    if (!code)
        code = add_latency(validator, result, run->one.name);
    if (!code)
        code = validate_take_findings(validator, &run->one, result);
    end(run);
    return code;
}

int validate_step_forwarding(struct validator *validator)
{
    unsigned pairs;
    struct run run;
    char *traffic = validate_pairs(validator->scenario, &pairs);
    if (traffic && !pairs) {
        free(traffic);
        return validate_because(validator, VALIDATE_SKIP, "a node of one digit forwards nothing");
    }
    const int code = begin(&run, validator, "forwarding", traffic, validator->scenario->network.ports);
    return code ? code : transport(validator, &run);
}

int validate_step_load(struct validator *validator)
{
    const uint32_t superframes = validator->options->profile == PB_VALIDATE_QUICK ? 30 : 500;
    struct run run;
    const int code =
        begin(&run, validator, "load", validate_full_load(validator->scenario, superframes),
                     superframes + 1);
    return code ? code : transport(validator, &run);
}

/* The frames of the node with a finding, of all that it sent. */
static int add_framing(struct validator *validator, const struct pb_result *result)
{
    uint64_t frames = 0;
    int64_t count = 0;
    for (unsigned link = 0; link < result->lines; link++) {
        const struct pb_measurement *start = pb_measurement_find(result, PB_FIGURE_NODE_START, (int)link);
        frames += start ? start->n : 0;
    }
    for (size_t i = 0; i < result->findings; i++)
        count += pb_finding_is_of_node(&result->finding[i]) && result->finding[i].link >= 0;
    struct pb_item_value value = validate_value(PB_ITEM_FRAMING, count, frames);
    value.node = 0;
    if (count)
        snprintf(value.note, sizeof value.note, "%" PRId64 " of %" PRIu64 " frames", count, frames);
    return validate_add(validator, value, "%s", "soak");
}

int validate_step_soak(struct validator *validator)
{
    const struct pb_scenario *scenario = validator->scenario;
    const uint64_t frames = validator->options->profile == PB_VALIDATE_CHARACTERISE ? 100000 : 10000;
    /* A frame on each link in a superframe; a bathtub needs enough of them. */
    const uint32_t enough = (uint32_t)(frames / scenario->network.ports + 1),
                   superframes = enough > PB_SPLIT_LEAST ? enough : PB_SPLIT_LEAST + 1;
    const struct pb_result *result = NULL;
    struct run run;
    int code = begin(&run, validator, "soak", validate_full_load(scenario, 0), superframes);
    run.one.exhibit = true;
    if (!code)
        code = validate_play(validator, &run.one, &result);
    if (!code)
        code = add_framing(validator, result);
    if (!code)
        code = add_latency(validator, result, "soak");
    if (!code)
        code = validate_take_findings(validator, &run.one, result);
    end(&run);
    return code;
}

/* What the bench tests after each run: console, test modes, addresses, short payloads (docs/node.md).
 * Nothing is tested after a run that has a finding: then the node must not pass here. */
int validate_step_contract(struct validator *validator)
{
    struct run run;
    int code = begin(&run, validator, "contract", validate_full_load(validator->scenario, 5), 6);
    run.one.counts = validate_counts_all;
    if (!code)
        code = validate_judge(validator, &run.one);
    end(&run);
    return code;
}

int validate_step_trips(struct validator *validator)
{
    struct run run;
    const int code = begin(&run, validator, "trips", validate_trips(validator->scenario, TRIPS),
                           TRIPS * validate_own_every(validator->scenario) + 1);
    return code ? code : transport(validator, &run);
}

int validate_step_rates(struct validator *validator)
{
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    static const char *const rate[] = {"1 kHz", "5 kHz", "10 kHz"};
    const uint32_t superframes = validator->options->profile == PB_VALIDATE_QUICK ? 8 : 100;
    unsigned done = 0;
    int code = PB_OK;
    validator->runs_expected = ARRAY_COUNT(rate);
    for (size_t i = 0; i < ARRAY_COUNT(rate) && !code; i++) {
        char payload[24];
        struct run run;
        code = begin(&run, validator, rate[i], validate_full_load(validator->scenario, superframes),
                     superframes + 1);
        if (code)
            return code;
        snprintf(payload, sizeof payload, "%u bytes", validator->scenario->payload_bytes);
        validate_set(&run.one, "link.phase_rate", rate[i]);
        validate_set(&run.one, "link.payload", payload);
        run.one.counts = validate_counts_of(validator);
        code = transport(validator, &run);
        done += !code;
        code = validate_leave_out(validator, rate[i], code); /* a slower node has no such rate */
    }
    return code || done ? code : validate_because(validator, VALIDATE_SKIP, "%s", validator->left_out);
}
