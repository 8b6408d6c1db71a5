/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The epilogue: what no run provokes of the contract of a node (docs/node.md, "After the run").
 */
#ifndef PHASEBENCH_RUN_EPILOGUE_H
#define PHASEBENCH_RUN_EPILOGUE_H

#include "host/run/console.h"

/* Plays the script of host/plan/epilogue.h to every node that answered I, and T if it cleared its counters,
 * and fills console->seen->epilogue; its `events` are what poll adds to meanwhile. Call it when the run is
 * over, its counters were read, the clock stands, and CTRL is 0; leaves CTRL at 0. Does nothing where the
 * script does not fit the scenario, or when no node takes part. 0 or a negative code of the link; what a node
 * does not answer is no error. */
int pb_epilogue_play(struct pb_console *console);

#endif
