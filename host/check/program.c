/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/check/program.h"
#include "host/check/counters.h"
#include "host/plan/answer.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static void report(struct pb_check_output *out, unsigned node_index, const char *line, const char *due,
                   const char *seen, bool at_end)
{
    const struct pb_check_run *run = out->run;
    const uint64_t end_tick = pb_end_tick(run);
    const struct pb_schedule_place start = {.tick = run->origin_tick},
                                   end = {.tick = end_tick ? end_tick : run->origin_tick,
                                          .superframe = run->scenario->superframes - 1,
                                          .phase = run->scenario->network.phases - 1};
    struct pb_finding *finding = pb_finding_add(out, at_end ? &end : &start, PB_FINDING_CONSOLE, -1);
    char text[PB_PROGRAM_LINE_MAX];

    pb_copy_printable(text, sizeof text, seen);
    pb_finding_expected(finding, "node 0x%" PRIX32 " answers '%s' to the line '%s'",
                        run->scenario->node[node_index].address, due, line);
    if (*text)
        pb_finding_seen(finding, "it answered '%s'", text);
    else
        pb_finding_seen(finding, "no answer on UART0 within 50 ms");
}

/* The pairs of a sound answer are in this one, once, in any order; others may be among them. */
static bool has_pairs(const char *seen, const char *due)
{
    static const struct {
        const char *key;
        int (*compare)(const char *a, const char *b, size_t length);
    } texts[] = {{"state", strncmp}, {"result", strncasecmp} /* digits */};
    int64_t mine, its;
    size_t stray;
    pb_pair_stray(seen, 'R', &stray);
    bool has = !stray && pb_pair_number(due, "superframe", &mine) == PB_PAIR_SOUND &&
               pb_pair_number(seen, "superframe", &its) == PB_PAIR_SOUND && mine == its;
    for (size_t i = 0; has && i < sizeof texts / sizeof texts[0]; i++) {
        const char *text, *other;
        size_t length, other_length;
        pb_pair_text(due, texts[i].key, &text, &length);
        has = pb_pair_text(seen, texts[i].key, &other, &other_length) == PB_PAIR_SOUND &&
              other_length == length && texts[i].compare(text, other, length) == 0;
    }
    return has;
}

void pb_judge_programs(struct pb_check_output *out)
{
    const struct pb_observation *observation = out->run->observation;
    const struct pb_scenario *scenario = out->run->scenario;

    for (unsigned i = 0; scenario->program && i < scenario->node_count; i++) {
        const struct pb_node_answer *answer = &observation->answer[i];
        char line[PB_PROGRAM_LINE_MAX], due[PB_PROGRAM_LINE_MAX];
        pb_program_load_line(line, due, scenario, i);
        if (!answer->typed)
            return; /* the run was cut before */
        if (!pb_answer_fits(answer->loaded, due)) {
            report(out, i, line, due, answer->loaded, false);
            continue; /* its result says no more */
        }
        pb_program_result_answer(due, scenario, i);
        if (!*observation->cut && !has_pairs(answer->program, due))
            report(out, i, PB_PROGRAM_RESULT_LINE, due, answer->program, true);
    }
}
