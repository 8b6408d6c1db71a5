/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "machine_traffic.h"
#include "rows.h"

struct request {
    struct machine_request traffic;
};

static const struct cli_option options[] = {
    MACHINE_TRAFFIC_ROWS(request, traffic),
    CLI_ROW_NETWORK(request, traffic.network),
    {"json", NULL, CLI_SET, CLI_AT(request, traffic.form), .least = MACHINE_JSON,
     .help = "machine-readable result"},
    {"csv", NULL, CLI_SET, CLI_AT(request, traffic.form), .least = MACHINE_CSV,
     .help = "one row for each load"},
    CLI_ROW_OUT(request, traffic.out, machine_forms),
    {.name = NULL},
};

const struct cli_verb verb_machine = {
    .name = "machine",
    .summary = "latency and throughput of all nodes under traffic, against load",
    .usage = "--traffic PATTERN [options]",
    .about = "Moves the messages of all nodes, superframe by superframe, and prints latency, throughput and "
             "occupancy, with the load that the links can carry at most.",
    .options = options,
    .more = "Patterns are those of phasebench bound; uniform sends to any other node. A file has lines "
            "'source destination [superframe [phase]]'.",
    .exits =
        "0 done, 2 wrong usage, 3 the trace is missing or wrong, 4 not enough memory, the result could not "
        "be written, or a law of the movement does not hold",
    .examples = "  phasebench machine --traffic uniform --load 0.1:2.0:0.1 --out uniform\n"
                "  phasebench machine --traffic bitrev --saturation\n"
                "  phasebench machine --traffic transpose --batch 1 --valiant barrier\n",
    .run = cmd_machine,
};

int cmd_machine(int argc, char **argv)
{
    struct request request = {.traffic = {.pattern = NULL}};
    int exit_code;
    if (!cli_parse(&verb_machine, &request, argc, argv, &exit_code))
        return exit_code;
    if (!request.traffic.pattern)
        return cli_fail(CLI_USAGE,
                        "machine: no traffic given; add --traffic PATTERN, see 'phasebench help machine'");
    return machine_traffic(&request.traffic);
}
