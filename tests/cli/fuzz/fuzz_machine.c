/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of programs, numbers and pictures: the first byte chooses the program, the second the dimensions.
 * What is taken is played, and the result must be that of the plain computation.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/cli/cli.h"
#include "host/cli/machine_program.h"

#include <string.h>

enum { DIMS_MOST = 6 };

static void fill(const char *path, const struct input *input)
{
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(input->at, 1, input->left, file) == input->left);
    MUST(fclose(file) == 0);
}

static void play(struct machine_run *run)
{
    struct pb_diag diag = {""};
    const int code = pb_program_play_create(&run->play, run->program, run->network, run->argument,
                                            run->inputs, run->length, &diag);
    MUST(code == PB_OK);
    while (pb_program_play_step(run->play, NULL, NULL))
        ;
    MUST(run->kind->check(run) == CLI_PASS && run->right);
    pb_program_play_free(run->play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct input input = {data, size};
    struct machine_program_request request = {.input = path};
    struct machine_run run = {.request = &request, .program = pb_program_at(take(&input) % 10)};
    if (!*path)
        memory_file(path, sizeof path);
    request.network = pb_network_cube(1 + take(&input) % DIMS_MOST);
    run.network = &request.network;
    run.kind = machine_kind_of(run.program->name);
    run.argument = strcmp(run.program->name, "broadcast") == 0 ? 0 : run.program->argument_initial;
    if (run.program->suits && run.program->suits(run.network, run.argument, NULL))
        return 0;
    fill(path, &input);
    const int code = machine_input(&run);
    MUST(code == CLI_PASS || code == CLI_BAD_SCENARIO);
    if (code == CLI_PASS)
        play(&run);
    free(run.inputs);
    return 0;
}
