/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in place of traffic (phasebench/program.h): each frame that a node of the rig sends or takes is a
 * message of scenario->traffic to the neighbour, released in its phase, with the payload of the plain player.
 * The nodes load the program and make their own frames; nothing of it is typed.
 */
#ifndef PB_SCENARIO_PROGRAM_H
#define PB_SCENARIO_PROGRAM_H

#include "phasebench/program.h"
#include "phasebench/scenario.h"

struct pb_scenario_program {
    const struct pb_program *program;
    uint32_t argument, superframes;
    size_t input_bytes, result_bytes; /* of a node */
    uint8_t *payload;                 /* owned; [message * program->payload_bytes] */
    uint8_t *input, *result;          /* owned; [node of the rig * bytes] */
};

void pb_scenario_program_free(struct pb_scenario_program *program); /* NULL: no effect */

/* The lines that load it into a node and ask for its result, and the answers of a sound node. */
#define PB_PROGRAM_LINE_MAX 200
void pb_program_load_line(char line[PB_PROGRAM_LINE_MAX], char answer[PB_PROGRAM_LINE_MAX],
                          const struct pb_scenario *scenario, unsigned node_index);
#define PB_PROGRAM_RESULT_LINE "R"
void pb_program_result_answer(char answer[PB_PROGRAM_LINE_MAX], const struct pb_scenario *scenario,
                              unsigned node_index);

#endif
