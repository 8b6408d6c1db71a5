/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/console_time.h"
#include "host/check/evidence.h"
#include "phasebench/signal_limits.h"

#include <inttypes.h>
#include <string.h>

static struct pb_reading reading_of(const struct pb_console_time *time)
{
    const int64_t limit_ppb = INT64_C(1000) * PB_CONSOLE_BIT_TIME_LIMIT_PPM;
    struct pb_reading reading = {
        .value = time->deviation_ppb, .u95 = time->u95_ppb, .lower = -limit_ppb, .upper = limit_ppb};
    reading.judgement = pb_decide_u95(pb_reading_margin(&reading), reading.u95);
    return reading;
}

void pb_judge_console_times(struct pb_check_output *out)
{
    const struct pb_scenario *scenario = out->run->scenario;
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++) {
        const struct pb_console_time *time = &out->run->observation->console_time[node_index];
        if (!time->known)
            continue;
        const struct pb_reading reading = reading_of(time);
        const int measurement =
            pb_measure_take(&out->measure, PB_FIGURE_CONSOLE_BIT_TIME, node_index, &reading);
        if (reading.judgement == PB_JUDGED_PASS)
            continue;
        struct pb_finding *finding =
            pb_finding_claim(out, &(struct pb_schedule_place){.tick = out->run->origin_tick}, -1,
                             &(struct pb_claim){.kind = PB_FINDING_CONSOLE,
                                                .sender = PB_SENDER_NODE,
                                                .marginal = reading.judgement == PB_JUDGED_MARGINAL});
        finding->measurement = measurement;
        pb_finding_expected(finding, "node 0x%" PRIX32 ": bit time of UART0_TX within %.2f %% of nominal",
                            scenario->node[node_index].address, PB_CONSOLE_BIT_TIME_LIMIT_PPM / 1e4);
        pb_finding_seen(finding, "off by %.2f %% (U95 %.2f %%)", (double)time->deviation_ppb / 1e7,
                        (double)time->u95_ppb / 1e7);
    }
}

static double pulse_us(const struct pb_check_run *run)
{
    return pb_us(PB_CONSOLE_PULSE_TICKS * run->resolution_ps);
}

void pb_judge_console_pulses(struct pb_check_output *out)
{
    const struct pb_epilogue *epilogue = &out->run->observation->epilogue;
    bool running = false;
    unsigned watch = 0;
    if (!epilogue->played || epilogue->lost || pb_output_blames(out))
        return;
    for (size_t i = 0; i < epilogue->events.count; i++) {
        const struct pb_event *event = &epilogue->events.event[i];
        if (event->kind == PB_EVENT_CLOCK) {
            watch += running;
            running = PB_GET(PB_EVENT_CLOCK_RUNNING, event->value);
        }
        if (event->kind != PB_EVENT_CONSOLE || !running || watch >= epilogue->watches)
            continue;
        struct pb_finding *finding =
            pb_finding_add(out,
                           &(struct pb_schedule_place){.tick = pb_moved_tick(out->run, event->tick),
                                                       .superframe = out->run->scenario->superframes},
                           PB_FINDING_CONSOLE_NOISE, -1);
        pb_finding_expected(finding,
                            "after the run: node 0x%" PRIX32 ": UART0_TX high while no line is typed",
                            out->run->scenario->node[epilogue->watched[watch]].address);
        pb_finding_seen(finding, "low for %.2f us or longer", pulse_us(out->run));
        return;
    }
}

static bool is_watched(const struct pb_observation *seen, unsigned node_index)
{
    bool watched = seen->pulses_in_run && seen->console_node == node_index;
    for (unsigned i = 0; i < seen->epilogue.watches && seen->epilogue.played; i++)
        watched |= seen->epilogue.watched[i] == node_index;
    return watched;
}

void pb_list_console_unseen(struct pb_check_output *out)
{
    const struct pb_observation *seen = out->run->observation;
    for (unsigned node_index = 0; node_index < out->run->scenario->node_count; node_index++) {
        struct pb_node_row *row = &out->result->node[node_index];
        if (!seen->answer[node_index].identified)
            continue;
        if (!seen->console_time[node_index].known)
            pb_not_checked(row, "the bit time of its UART0_TX, as its answers to the command Z differ");
        if (!is_watched(seen, node_index))
            pb_not_checked(row, "pulses on its UART0_TX shorter than a bit, as answers are awaited there");
    }
}
