/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The epilogue: tests of the contract of a node that no run provokes (docs/node.md, "After the run").
 */
#ifndef PHASEBENCH_RUN_EPILOGUE_H
#define PHASEBENCH_RUN_EPILOGUE_H

#include "host/run/console.h"

/* Plays the script of host/plan/epilogue.h to every node that answered I, and T if it cleared its counters.
 * Fills console->seen->epilogue; meanwhile poll adds to its `events`. Call it when the run is over, its
 * counters were read, the clock is stopped, and CTRL is 0; leaves CTRL at 0. No effect if the script does not
 * suit the scenario, or if no node takes part. Returns 0 or a negative code of the link; a missing answer of
 * a node is no error. */
int pb_epilogue_play(struct pb_console *console);

#endif
