/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * phasebench machine --program: what all nodes compute together. A function that returns an exit code has
 * reported the error.
 */
#ifndef PHASEBENCH_CLI_MACHINE_PROGRAM_H
#define PHASEBENCH_CLI_MACHINE_PROGRAM_H

#include "option.h"

#include "host/machine/program/job.h"

#include "phasebench/machine.h"

#include <stdio.h>

struct machine_program_request {
    const char *program;
    struct pb_network network;
    uint64_t argument, seed;
    const char *input, *gif, *out; /* files; NULL: none */
    enum pb_machine_engine engine;
    bool argument_given, engine_given, watch, json, csv;
};

extern const struct cli_form machine_program_forms[];
/* Plays a program, and shows and checks its result. */
int machine_program(const struct machine_program_request *request);

#endif
