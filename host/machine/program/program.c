/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of the shipped programs. */
#include "program.h"

#include <string.h>

#define PB_PROGRAM_ENTRY(name) &pb_program_##name,
static const struct pb_program *const programs[] = {PB_PROGRAM_LIST(PB_PROGRAM_ENTRY)};
#undef PB_PROGRAM_ENTRY
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

const struct pb_program *pb_program_at(size_t index)
{
    return index < PROGRAMS ? programs[index] : NULL;
}

const struct pb_program *pb_program_find(const char *name)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i]->name, name) == 0)
            return programs[i];
    return NULL;
}

size_t pb_program_input_bytes(const struct pb_program *program, const struct pb_network *network)
{
    return (size_t)program->input_bytes * (program->each_node ? network->nodes : 1);
}

size_t pb_program_result_bytes(const struct pb_program *program, const struct pb_network *network)
{
    return (size_t)program->result_bytes * (program->each_node ? network->nodes : 1);
}

uint32_t pb_program_source(const struct pb_program *program, const struct pb_network *network,
                           uint32_t argument, uint32_t index)
{
    return program->source ? program->source(network, argument, index) : index;
}

uint32_t pb_program_sink(const struct pb_program *program, const struct pb_network *network,
                         uint32_t argument, uint32_t index)
{
    return program->sink ? program->sink(network, argument, index) : index;
}

uint32_t program_one(const struct pb_network *network, uint32_t argument)
{
    (void)network;
    (void)argument;
    return 1;
}

int program_needs_cube(const char *name, const struct pb_network *network, bool even, unsigned least,
                       unsigned most, struct pb_diag *diag)
{
    char size[PB_NETWORK_TEXT_SIZE];
    const unsigned dims = network->dims;
    if (dims >= least && dims <= most && !(even && dims % 2))
        return PB_OK;
    return pb_fail(diag, PB_ERR_ARGUMENT,
                   "program '%s' runs on a binary cube of %s%u..%u dimensions, and the network is %s%s; give "
                   "such a cube",
                   name, even ? "an even number of " : "", least, most, dims ? "a cube of " : "",
                   pb_network_text(network, size));
}
