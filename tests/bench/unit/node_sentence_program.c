/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sentences about programs, by the scripts of node_programs.h.
 */
#include "tests/bench/unit/node_programs.h"
#include "tests/bench/unit/node_sentence.h"

static void plays(const struct node_kind *kind, enum program_script script)
{
    const struct pb_node_config config = program_config();
    const char *seen = program_play(script, kind->make(&config), kind->boot_ps, NULL);
    if (strcmp(seen, program_sound[script]) != 0)
        fail_msg("script %d: expected\n%sseen\n%s", (int)script, program_sound[script], seen);
}

void sends_what_the_program_says(const struct node_kind *kind)
{
    plays(kind, PROGRAM_SUM);
    plays(kind, PROGRAM_SORT);
    plays(kind, PROGRAM_SHORT);
}

void a_program_begins_with_phase_0_and_messages_wait(const struct node_kind *kind)
{
    plays(kind, PROGRAM_BEGIN);
}

void a_missing_or_wrong_frame_ends_a_program(const struct node_kind *kind)
{
    plays(kind, PROGRAM_MISSING);
    plays(kind, PROGRAM_FOREIGN);
    plays(kind, PROGRAM_SURPRISE);
    plays(kind, PROGRAM_EARLY);
}

void a_refused_program_changes_nothing(const struct node_kind *kind)
{
    plays(kind, PROGRAM_REFUSED);
}

void a_reset_ends_a_program(const struct node_kind *kind)
{
    plays(kind, PROGRAM_RESET);
}
