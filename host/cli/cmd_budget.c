/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"

#include "host/machine/program/job.h"
#include "host/report/analysis_forms.h"

#include "phasebench/budget.h"

struct request {
    struct pb_budget_input input;
    struct pb_network network;
    const char *out, *program;
    bool json;
};

static const struct cli_form forms[] = {
    {"budget.txt", pb_report_budget_text}, {"budget.json", pb_report_budget_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_PHASE_HZ(request, input.phase_rate_mhz, ""),
    {"baud", "B", CLI_NUMBER, CLI_AT(request, input.baud_hz), .least = PB_BAUD_MIN_HZ, .most = PB_BAUD_MAX_HZ,
     .unit = "baud", .quantity = PB_QUANTITY_BAUD, .help = "bits per second on a link"},
    {"guard-us", "G", CLI_DECIMAL, CLI_AT(request, input.guard_ps), .most = PB_GUARD_MAX_PS, .decimals = 6,
     .unit = "us", .quantity = PB_QUANTITY_TIME, .initial = "10", .help = "both guards of a phase together"},
    {"header-bytes", "H", CLI_COUNT, CLI_AT(request, input.header_bytes), .most = PB_FRAME_PART_MAX_BYTES,
     .unit = "bytes", .quantity = PB_QUANTITY_SIZE, .initial = "2", .help = "before payload; codec bare: 0"},
    {"check-bytes", "C", CLI_COUNT, CLI_AT(request, input.check_bytes), .most = PB_FRAME_PART_MAX_BYTES,
     .unit = "bytes", .quantity = PB_QUANTITY_SIZE, .initial = "1", .help = "after it"},
    {"payload-bytes", "P", CLI_COUNT, CLI_AT(request, input.payload_bytes), .least = 1,
     .most = PB_FRAME_PART_MAX_BYTES, .unit = "bytes", .quantity = PB_QUANTITY_SIZE,
     .otherwise = "at least 1", .help = "payload that must fit"},
    {"ppm", "X", CLI_COUNT, CLI_AT(request, input.clock_ppm), .most = PB_CLOCK_MAX_PPM, .unit = "ppm",
     .quantity = PB_QUANTITY_RATIO, .initial = "0", .help = "clock error of a node, either way"},
    {"program", "NAME", CLI_TEXT, CLI_AT(request, program), .words = CLI_PROGRAM_WORDS,
     .help = "payload of a program of all nodes, and what it leaves to the firmware of each port"},
    CLI_ROW_NETWORK(request, network, PB_DIMS_MAX, PB_METACUBE_BITS_MAX, 0),
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_budget = {
    .name = "budget",
    .summary = "bytes that fit into one phase",
    .usage = "--phase-hz F --baud B [options]",
    .about = "Prints what fits into one phase: floor((1/F - guard) * B / 10) bytes of 8N1, exactly. The "
             "network gives the length of the superframe.",
    .options = options,
    .exits = "0 the payload fits, 1 it does not (the nearest settings that would are printed), 2 wrong "
             "usage, 4 the result could not be written",
    .examples = "  phasebench budget --phase-hz 10000 --baud 1000000\n"
                "  phasebench budget --phase-hz 10000 --baud 1000000 --payload-bytes 10 --json\n"
                "  phasebench budget --phase-hz 10000 --baud 1000000 --program sort\n",
    .run = cmd_budget,
};

int cmd_budget(int argc, char **argv)
{
    struct request request = {.json = false};
    struct pb_budget_input *const input = &request.input;
    int exit_code;
    if (!cli_parse(&verb_budget, &request, argc, argv, &exit_code))
        return exit_code;
    if (!input->phase_rate_mhz || !input->baud_hz)
        return cli_fail(CLI_USAGE, "budget: no %s, for example %s",
                        input->phase_rate_mhz ? "baud rate given; add --baud B"
                                              : "phase rate given; add --phase-hz F",
                        input->phase_rate_mhz ? "--baud 1000000" : "--phase-hz 10000");
    struct pb_program_job job = {.program = NULL};
    struct pb_diag diag;
    if (request.program && pb_program_job_find(&job, request.program, &diag))
        return cli_fail(CLI_USAGE, "budget: --program: %s", diag.text);
    if (job.program && input->payload_bytes < job.program->payload_bytes)
        input->payload_bytes = job.program->payload_bytes;

    struct pb_budget budget;
    input->phases = request.network.phases;
    const int code = pb_budget(input, &budget, &diag);
    if (code)
        return cli_outcome(code, &diag);
    exit_code = output_forms_begin(request.out, forms);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(request.out, forms,
                                     &(struct pb_budget_shown){&request.network, input, &budget, job.program},
                                     request.json);
    return exit_code == CLI_PASS && !budget.fits ? CLI_NODE_FAILED : exit_code;
}
