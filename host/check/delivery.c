/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Judges the arrival of each message, by the schedule and by its crossings seen on the lines of the rig. This
 * needs the judgement of the lines in the superframe of its arrival.
 */
#include "host/check/delivery.h"
#include "host/plan/node_map.h"

#include <inttypes.h>

/* In phases; limit in superframes, 0: none. */
static int measure_message(struct pb_check_output *out, int64_t arrival, int64_t latency, uint32_t limit)
{
    const struct pb_reading lasted = {.value = latency, .lower = PB_ABSENT, .upper = PB_ABSENT};
    struct pb_reading reading = {.value = arrival, .lower = PB_ABSENT, .upper = PB_ABSENT};
    if (limit) {
        reading.upper = (int64_t)limit * out->run->scenario->network.phases;
        reading.judgement = pb_decide_limit(pb_reading_margin(&reading));
    }
    pb_measure_take(&out->measure, PB_FIGURE_LATENCY, 0, &lasted);
    return pb_measure_take(&out->measure, PB_FIGURE_ARRIVAL, 0, &reading);
}

static void judge_arrival(struct pb_deliveries *deliveries, const struct pb_arrived *arrival)
{
    struct pb_result *result = deliveries->out->result;
    const struct pb_observation *observation = deliveries->run->observation;
    const struct pb_known_message *known = pb_known_find(&deliveries->schedule->known, arrival->message);
    const unsigned phases = deliveries->run->scenario->network.phases;
    const uint32_t limit = deliveries->run->scenario->limits.max_superframes
                               ? deliveries->run->scenario->limits.max_superframes
                               : deliveries->expectation->bound_superframes;
    /* A message with a missing or incorrect crossing did not arrive as computed. */
    if ((known && known->broken) ||
        (*observation->cut && deliveries->run->ended &&
         (uint64_t)arrival->superframe * phases + arrival->phase >= observation->whole_phases))
        return;
    result->delivered++;
    if (arrival->source == arrival->destination)
        return;
    const uint32_t taken = arrival->superframe - arrival->release_superframe;
    const uint32_t latency = taken * phases + arrival->phase + 1 - arrival->release_phase;
    if (latency > result->worst_latency_phases)
        result->worst_latency_phases = latency;
    const int measurement =
        measure_message(deliveries->out, (int64_t)taken * phases + arrival->phase + 1, latency, limit);
    if (!limit || taken + 1 <= limit)
        return;
    result->late++;
    const struct pb_schedule_place place =
        pb_schedule_place_nominal(deliveries->marks, arrival->superframe, arrival->phase);
    struct pb_finding *finding = pb_finding_add(deliveries->out, &place, PB_FINDING_LATENCY, -1);
    finding->measurement = measurement;
    pb_finding_expected(finding, "message %" PRIu64 ", 0x%" PRIX16 " to 0x%" PRIX16 ", within %" PRIu32
                        " superframes", arrival->message, arrival->source, arrival->destination, limit);
    pb_finding_seen(finding, "%" PRIu32 " superframes (%" PRIu32 " phases)", taken + 1, latency);
}

/* A node of the rig did not send a message on: the rest of the network misses it. */
static void lose(struct pb_deliveries *deliveries, const struct pb_crossing *crossing,
                 struct pb_known_message *known)
{
    struct pb_result *result = deliveries->out->result;
    uint64_t from;
    result->lost_messages += !known->lost;
    known->lost = true;
    if (deliveries->run->ended || !pb_schedule_take_out(deliveries->schedule, crossing, &from))
        return;
    result->taken_out++;
    if (from - crossing->superframe > result->reaction_superframes)
        result->reaction_superframes = (uint32_t)(from - crossing->superframe);
}

/* Notes a missing or incorrect crossing. If the network reacts, a message that the node has sent completely,
 * earlier than due, is not lost. */
static void take_note(struct pb_deliveries *deliveries, const struct pb_crossing *crossing,
                      struct pb_known_message *known)
{
    const struct pb_observation *observation = deliveries->run->observation;
    const uint64_t instant =
        (uint64_t)crossing->superframe * deliveries->run->scenario->network.phases + crossing->phase;
    const int node_index = pb_scenario_node_index(deliveries->run->scenario, crossing->from);
    const bool reacts = deliveries->schedule->reacts && node_index >= 0;
    if (reacts && known->shown >> node_index & 1)
        return;
    known->broken = true;
    if (reacts && !(*observation->cut && instant >= observation->whole_phases))
        lose(deliveries, crossing, known);
}

/* Judges the crossings and arrivals of all earlier superframes. */
static void judge_before(struct pb_deliveries *deliveries, uint64_t superframe)
{
    struct pb_schedule *schedule = deliveries->schedule;
    struct pb_deliveries *done = deliveries;
    for (; done->crossings < schedule->crossing_end; done->crossings++) {
        const struct pb_scheduled *scheduled = pb_schedule_crossing(schedule, done->crossings);
        if (scheduled->crossing.superframe >= superframe)
            break;
        struct pb_known_message *known = pb_known_find(&schedule->known, scheduled->crossing.message);
        if (known && !scheduled->crossed)
            take_note(deliveries, &scheduled->crossing, known);
    }
    for (; done->arrivals < schedule->arrival_end; done->arrivals++) {
        const struct pb_arrived *arrival = pb_schedule_arrival(schedule, done->arrivals);
        if (arrival->superframe >= superframe)
            break;
        judge_arrival(deliveries, arrival);
    }
    pb_schedule_pass(schedule, done->crossings, done->arrivals);
}

void pb_deliveries_advance(struct pb_deliveries *deliveries, size_t mark)
{
    if (mark < deliveries->marks->end)
        judge_before(deliveries, pb_mark(deliveries->marks, mark)->superframe);
}

void pb_deliveries_end(struct pb_deliveries *deliveries)
{
    const struct pb_scenario *scenario = deliveries->run->scenario;
    const struct pb_observation *observation = deliveries->run->observation;
    struct pb_schedule *schedule = deliveries->schedule;
    struct pb_result *result = deliveries->out->result;
    const unsigned phases = scenario->network.phases;
    const bool endless = scenario->endless_count > 0;
    uint64_t to = scenario->superframes;
    if (*observation->cut && observation->whole_phases / phases + 1 < to)
        to = observation->whole_phases / phases + 1;
    if (endless &&
        schedule->read < to) /* of traffic without end what the clock did not reach is no traffic */
        to = schedule->read;
    judge_before(deliveries, schedule->read);
    while (schedule->read < to && schedule->left && !deliveries->out->code) {
        if (pb_schedule_read(schedule, schedule->read))
            deliveries->out->code = PB_ERR_MEMORY;
        judge_before(deliveries, schedule->read);
    }
    if (endless) {
        result->messages = schedule->messages;
        result->messages_through_rig = schedule->through_rig;
    }
    if (!deliveries->expectation->never)
        return;
    const struct pb_schedule_place place =
        pb_schedule_place_nominal(deliveries->marks, scenario->superframes - 1, phases - 1);
    struct pb_finding *finding = pb_finding_add(deliveries->out, &place, PB_FINDING_UNDELIVERED, -1);
    pb_finding_expected(finding, "all %zu messages delivered within %" PRIu32 " superframes",
                        scenario->traffic.count, scenario->superframes);
    pb_finding_seen(finding, "%" PRIu64 " are still in flight by the schedule itself; raise superframes",
                    deliveries->expectation->never);
}
