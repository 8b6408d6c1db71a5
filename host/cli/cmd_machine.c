/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "machine_traffic.h"
#include "rows.h"

#include "host/report/machine_forms.h"

struct request {
    struct machine_traffic_request traffic; /* with what both have: network, seed, --watch, --out, the form */
    struct machine_program_request program;
};

/* Each of the two writes those that it has. */
static const struct cli_form all_forms[] = {{.name = "machine.txt"},  {.name = "machine.json"},
                                            {.name = "machine.csv"},  {.name = "machine.html"},
                                            {.name = "machine.pgm"},  {.name = NULL}};

static const struct cli_option options[] = {
    MACHINE_TRAFFIC_ROWS(request, traffic),
    {"program", "NAME", CLI_TEXT, CLI_AT(request, program.program), .words = CLI_PROGRAM_WORDS, .gap = true,
     .help = "in place of traffic: what the nodes compute together"},
    {"argument", "N", CLI_NUMBER, CLI_AT(request, program.argument), .with = "program",
     .given = CLI_GIVEN(request, program.argument_given), .most = UINT32_MAX,
     .otherwise = "that of the program", .help = "what the program does, see below"},
    {"input", "FILE", CLI_FILE, CLI_AT(request, program.input), .with = "program", .use = CLI_READS,
     .otherwise = "drawn by the seed", .help = "inputs of the nodes: numbers, or a picture as PBM or PGM"},
    {"gif", "FILE", CLI_FILE, CLI_AT(request, program.gif), .with = "program", .use = CLI_WRITES,
     .help = "its pictures, before the first superframe and after each, as an animated picture"},
    {"watch", NULL, CLI_FLAG, CLI_AT(request, traffic.watch), .gap = true,
     .help = "on a terminal show the progress, or draw the results of a program after each superframe"},
    {"seed", "N", CLI_NUMBER, CLI_AT(request, traffic.seed), .most = UINT64_MAX, .initial = "1",
     .help = "of all that is random"},
    CLI_ROW_NETWORK(request, traffic.network, PB_MACHINE_DIMS_MAX, PB_MACHINE_DIMS_MAX,
                    CLI_GIVEN(request, traffic.network_given)),
    {"json", NULL, CLI_SET, CLI_AT(request, traffic.form), .least = MACHINE_JSON,
     .help = "machine-readable result"},
    {"csv", NULL, CLI_SET, CLI_AT(request, traffic.form), .least = MACHINE_CSV,
     .help = "one row for each load, or each node"},
    CLI_ROW_OUT(request, traffic.out, all_forms),
    {.name = NULL},
};

const struct cli_verb verb_machine = {
    .name = "machine",
    .summary = "all nodes of a machine under traffic, or as they compute together",
    .usage = "--traffic PATTERN [options]\n--program NAME [options]",
    .about = "Moves the messages of all nodes, superframe by superframe, and prints latency, "
             "throughput and occupancy, with the load that the links can carry at most. Or plays a "
             "program on all nodes: in its phases a node sends a frame, or is silent; and compares the "
             "result with a plain computation.",
    .options = options,
    .more = "Patterns are those of phasebench bound; uniform sends to any other node. A file has lines "
            "'source destination [superframe [phase]]'.\n"
            "\n"
            "programs, with their argument N:\n"
            "  broadcast  the value of node N to all\n"
            "  allreduce  sum (0), minimum (1) or maximum (2) of all values, at every node\n"
            "  scan       sum of the values of all nodes with smaller addresses\n"
            "  barrier    releases all nodes when the last has arrived; N superframes (4)\n"
            "  sort       one key a node\n"
            "  fft        Fourier transform of one complex sample a node\n"
            "  life       Conway's game of life on a torus, N generations (64)\n"
            "  filter     3 x 3 on a grey picture: mean (0), binomial (1), edges (2, 3)\n"
            "  transpose  a matrix: bits of row and column interleaved (0), in halves (1)\n"
            "  exchange   every node to every node: two rounds a superframe (0), or one (1)\n"
            "  alltoall   the same, of messages that each node computes from its key\n"
            "  permute    a message of each node to another one, no two to the same\n\n"
            "The first four run where any two nodes that differ in one digit are wired, the others on a "
            "cube: life, filter, transpose on an even number of dimensions, fft and permute on at most "
            "15, exchange and alltoall on 12.\n\n"
            "An input of numbers has one a node, decimal or 0x hexadecimal, separated by blanks or "
            "lines, # comments; of fft two, real and imaginary, -32768..32767; of exchange N for each "
            "node; of permute its destination, - for none. life takes PBM, or PGM with dark pixels "
            "alive, filter PGM.",
    .exits = "0 done, 1 two engines differ, or a real node does not do what it has to, 2 wrong usage, "
             "3 the trace, input, image or checkpoint is missing or wrong, 4 not enough memory, the "
             "result or checkpoint could not be written, a law of the movement does not hold, a node "
             "at its pins does what docs/node.md forbids, or a result is not that of the plain "
             "computation, 5 a real node could not be judged to the end",
    .examples = "  phasebench machine --traffic uniform --load 0.1:2.0:0.1 --out uniform\n"
                "  phasebench machine --traffic bitrev --saturation\n"
                "  phasebench machine --traffic uniform --superframes 1000000 --checkpoint kept\n"
                "  phasebench machine --traffic transpose --batch 1 --valiant barrier\n"
                "  phasebench machine --traffic bitrev --batch 1 --engine all\n"
                "  phasebench machine --traffic uniform --load 0.5 --bench full-load --rig ftdi:\n"
                "  phasebench machine --program sort --watch\n"
                "  phasebench machine --program life --input glider.pbm --gif life.gif\n"
                "  phasebench machine --program allreduce --network generalised:4,4,3 --json\n",
    .run = cmd_machine,
};

int cmd_machine(int argc, char **argv)
{
    struct request request = {.traffic = {.line = PB_MACHINE_LINE_DEFAULT}};
    struct machine_traffic_request *const traffic = &request.traffic;
    struct machine_program_request *const program = &request.program;
    int exit_code;
    pb_ranks_begin();
    if (!cli_parse(&verb_machine, &request, argc, argv, &exit_code))
        return exit_code;
    if (!traffic->pattern == !program->program)
        return cli_fail(CLI_USAGE, "machine: %s; see 'phasebench help machine'",
                        program->program ? "--traffic and --program exclude each other"
                                         : "nothing to do is given; add --traffic PATTERN or --program NAME");
    if (program->program && pb_ranks_count() > 1)
        return cli_fail(CLI_USAGE, "machine: a program runs in one process; leave out mpirun");
    return program->program ? machine_program(program, traffic) : machine_traffic(traffic);
}
