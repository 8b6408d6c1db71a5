/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * States of a run, as a checkpoint has them behind its checksum: the first byte chooses the traffic. What is
 * taken runs on, and is kept again; what is refused is named in a line. The rest is read as a result, too.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "host/machine/state.h"

#include <string.h>

enum { DIMS = 2, SUPERFRAMES = 12 };

static bool is_due(void *context, uint32_t steps)
{
    (void)context;
    return steps == SUPERFRAMES;
}

static int keep(void *context, uint8_t *state, size_t bytes, struct pb_diag *diag)
{
    (void)context, (void)diag;
    MUST(bytes > 0);
    free(state);
    return PB_OK;
}

static void go_on(const struct pb_network *network, const struct input *input, uint8_t kind)
{
    static const struct pb_machine_traffic_options how[] = {
        {.pattern = "uniform", .load = 1.5, .seed = 3},
        {.pattern = "uniform", .window = 2, .seed = 3},
        {.pattern = "complement", .load = 1, .valiant = PB_VALIANT_FREE, .seed = 3},
        {.pattern = "bitrev", .batch = 2, .valiant = PB_VALIANT_BARRIER, .seed = 3},
    };
    struct pb_machine_options run = {.network = network,
                                     .rule = kind & 4 ? PB_RULE_OPPORTUNISTIC : PB_RULE_ECUBE,
                                     .superframes = SUPERFRAMES,
                                     .warm_up = kind & 8 ? PB_MACHINE_DETECT : 3,
                                     .room = kind & 16 ? 5 : 0,
                                     .is_due = is_due,
                                     .keep = keep,
                                     .state = input->at,
                                     .state_bytes = input->left};
    struct pb_machine_result result;
    struct pb_diag diag = {""};

    MUST(pb_machine_traffic_create(&run.traffic, network, &how[kind % 4], &diag) == PB_OK);
    const int code = pb_machine_run(&result, &run, &diag);
    MUST(code == PB_OK || (*diag.text && !strchr(diag.text, '\n')));
    pb_machine_traffic_free(run.traffic);
    pb_machine_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const uint8_t kind = take(&input);
    const struct pb_network network = pb_network_cube(DIMS);
    struct pb_machine_result result = {0};
    size_t none[2] = {0};

    go_on(&network, &input, kind);
    struct pb_bytes bytes = {.byte = (uint8_t *)input.at, .count = input.left, .reads = true};
    MUST(pb_machine_result_pass(&result, &none[0], &none[1], &network, &bytes) == PB_OK);
    pb_machine_result_free(&result);
    return 0;
}
