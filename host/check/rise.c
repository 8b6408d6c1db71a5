/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rise time of a line, and instants corrected for it. A sender is judged by the instant at which it
 * releases the line; the rise after that is due to the pull-up.
 */
#include "host/check/rise.h"
#include "host/plan/node_map.h"
#include "phasebench/signal_limits.h"

static bool is_known(const struct pb_line_rise *rise)
{
    return rise->source == PB_RISE_MEASURED || rise->source == PB_RISE_SET;
}

struct pb_line_rise pb_rise_of(const struct pb_check_run *run, const struct pb_line_slot *slot)
{
    const unsigned link = slot->link;
    const struct pb_line_rise *own = &run->observation->rise[link];
    const struct pb_scenario *scenario = run->scenario;
    struct pb_line_rise rise = {.source = own->source};
    if (is_known(own)) {
        rise.min_ps = own->min_ps;
        rise.max_ps = own->max_ps;
    }
    /* The bench repeats the line of the other node of a pair as that one rises. */
    const int partner = pb_partner_link(scenario, link);
    const bool repeated =
        partner >= 0 && pb_network_is(&scenario->network, pb_link_address(scenario, link), slot->at.phase,
                                      PB_ROLE_LISTEN, pb_link_port(scenario, link));
    if (repeated && is_known(&run->observation->rise[partner])) {
        rise.min_ps += run->observation->rise[partner].min_ps;
        rise.max_ps += run->observation->rise[partner].max_ps;
    }
    return rise;
}

struct pb_released pb_released_at(const struct pb_check_run *run, const struct pb_line_slot *slot, int64_t ps,
                                  int64_t u95_ps)
{
    const struct pb_line_rise rise = pb_rise_of(run, slot);
    return (struct pb_released){ps - (rise.min_ps + rise.max_ps) / 2,
                                u95_ps - run->fall_rest_ps + run->rise_rest_ps +
                                    (rise.max_ps - rise.min_ps + 1) / 2};
}

/* How long a line may take to rise. Of a pair each line carries the frames of the other node, which have
 * risen there before: both together may take what one line may. */
static int64_t line_limit_ps(const struct pb_check_run *run, unsigned link)
{
    const int64_t most_ps = pb_rise_most_ps(PB_PS_PER_S / (int64_t)run->scenario->baud_hz);
    const int partner = pb_partner_link(run->scenario, link);
    const int64_t before_ps = partner >= 0 && is_known(&run->observation->rise[partner])
                                  ? run->observation->rise[partner].max_ps
                                  : 0;
    return before_ps < most_ps ? most_ps - before_ps : 0;
}

/* Reports lines whose rise leaves a receiver too little of a bit. The pull-up causes it, so it counts against
 * the bench. It is the first finding, because no later finding on such a line counts against a node. */
void pb_judge_rises(struct pb_check_output *out)
{
    for (unsigned link = 0; link < pb_link_count(out->run->scenario); link++) {
        const struct pb_line_rise *rise = &out->run->observation->rise[link];
        const int64_t limit_ps = line_limit_ps(out->run, link);
        /* A measured rise is known to a step of the stamps. */
        const int64_t most_ps =
            rise->max_ps + (rise->source == PB_RISE_MEASURED ? out->run->edge_resolution_ps : 0);
        if (!is_known(rise))
            continue;
        const enum pb_judgement judgement = most_ps <= limit_ps        ? PB_JUDGED_PASS
                                            : rise->min_ps <= limit_ps ? PB_JUDGED_MARGINAL
                                                                       : PB_JUDGED_FAIL;
        for (unsigned i = 0; i < rise->pulses; i++)
            pb_measure_take(&out->measure, PB_FIGURE_LINE_RISE, link,
                            &(struct pb_reading){.value = rise->pulse_ps[i],
                                                 .u95 = most_ps - rise->max_ps,
                                                 .lower = PB_ABSENT,
                                                 .upper = limit_ps,
                                                 .judgement = judgement});
        if (judgement == PB_JUDGED_PASS)
            continue;
        /* It was so from the first event on, whatever follows from it. */
        struct pb_finding *finding = pb_finding_claim(
            out, &(struct pb_schedule_place){.tick = out->run->before.capture_tick}, (int)link,
            &(struct pb_claim){.kind = PB_FINDING_SLOW_RISE,
                               .sender = PB_SENDER_BENCH,
                               .marginal = judgement == PB_JUDGED_MARGINAL});
        finding->measurement = pb_measure_key(PB_FIGURE_LINE_RISE, link);
        pb_finding_expected(
            finding,
            "the line rises within %.1f ns, as %llu baud needs%s; fit a stronger pull-up or "
            "lower the baud rate",
            (double)limit_ps / 1e3, (unsigned long long)out->run->scenario->baud_hz,
            pb_partner_link(out->run->scenario, link) < 0 ? "" : " of it and the line joined to it");
        pb_finding_seen(finding, "it rises within %.1f to %.1f ns, %s", (double)rise->min_ps / 1e3,
                        (double)rise->max_ps / 1e3,
                        rise->source == PB_RISE_SET ? "as set" : "measured before the run");
    }
}
