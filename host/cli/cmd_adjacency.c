/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/adjacency.h"
#include "phasebench/rig.h"

#include <stdio.h>
#include <stdlib.h>

struct request {
    const char *rig_url, *csv_path, *out;
    unsigned timeout_s;
    bool json;
};

/* ---- forms */

struct shown {
    const struct pb_adjacency *map;
    const char *path; /* of the scenario */
};

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    return pb_report_adjacency_text(out, shown->map, shown->path);
}

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    return pb_report_adjacency_json(out, shown->map, shown->path);
}

static int write_csv(FILE *out, void *context)
{
    return pb_report_adjacency_csv(out, ((const struct shown *)context)->map);
}

static const struct cli_form forms[] = {{"adjacency.txt", write_text},
                                        {"adjacency.json", write_json},
                                        {"adjacency.csv", write_csv},
                                        {.name = NULL}};

/* ---- the test */

static int test(struct pb_adjacency **map, const struct source *source, const struct request *request)
{
    const struct runner limits = {.options = {.timeout_s = request->timeout_s}};
    struct pb_diag diag = {.text = ""};
    struct vusb vusb;
    struct pb_run_options options = {.timeout_s = runner_timeout_s(&limits, source->scenario),
                                     .stop = runner_stop_flag()};
    runner_catch_signals();
    int code = vusb_begin(&vusb, request->rig_url, source->scenario, options.timeout_s, &diag);
    options.rig_url = vusb.url;
    if (!code)
        code = pb_adjacency_run(map, source->scenario, &options, &diag);
    vusb_end(&vusb);
    return cli_outcome(code, &diag);
}

static int adjacency(const char *path, const struct request *request)
{
    struct source source;
    struct pb_file_output csv;
    struct pb_adjacency *map = NULL;
    if (pb_rig_target_of(request->rig_url).replays)
        return cli_fail(CLI_USAGE, "adjacency: a recording holds no test of the wiring; use the rig itself");
    int exit_code = vusb_check_url(request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&csv, request->csv_path);
    if (exit_code == CLI_PASS)
        exit_code = source_open(&source, path, request->rig_url, &(struct pb_scenario_overrides){.seed = 0});
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS)
        exit_code = test(&map, &source, request);
    if (map) {
        snprintf(map->rig, sizeof map->rig, "%s", request->rig_url);
        exit_code = pb_verdict_exit_code(map->verdict);
        struct shown shown = {map, source.scenario->path};
        exit_code = cli_worse(exit_code, output_forms_end(request->out, forms, &shown, request->json));
        exit_code = cli_worse(exit_code, output_form(&csv, write_csv, &shown));
    }
    free(map);
    source_close(&source);
    return exit_code;
}

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, rig_url),
    CLI_ROW_JSON(request, json),
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "the map as CSV, one row for each port: node,dimension,expected_net,nets,pins"},
    CLI_ROW_OUT(request, out, forms),
    CLI_ROW_TIMEOUT(request, timeout_s, "limit of wall time", .otherwise = RUNNER_TIMEOUT_DEFAULT),
    {.name = NULL},
};

const struct cli_verb verb_adjacency = {
    .name = "adjacency",
    .summary = "which port of which node is on which net; names wiring faults",
    .usage = "SCENARIO [options]",
    .about =
        "Asks each node of the scenario for its identity, makes it send a frame to every neighbour, and "
        "compares where the frames arrive with the network. The bench listens to every link and pulls "
        "none. Faults are named with their remedy: nodes in each other's place, exchanged and crossed "
        "links, ports on another net, open and shorted nets, nodes that do not answer. The map shows the "
        "net of each port.\n"
        "\n"
        "All nodes send at once first. If anything is not as expected they send one after the other, "
        "while the others are in reset. Traffic and faults of the scenario play no part; its wiring does.",
    .options = options,
    .exits =
        "0 every port is on its net, 1 a fault of the wiring or of a node, 2 wrong usage, 3 bad scenario, "
        "4 the bench failed, 5 a node could not be made to send, 124 timeout, 130 interrupted",
    .examples = "  phasebench adjacency machine-16\n"
                "  phasebench adjacency board.yaml --rig ftdi: --csv map.csv\n",
    .least = 1,
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_adjacency,
};

int cmd_adjacency(int argc, char **argv)
{
    struct request request = {.rig_url = "sim:"};
    int exit_code;
    char **const operand = cli_parse(&verb_adjacency, &request, argc, argv, &exit_code);
    return operand ? adjacency(operand[0], &request) : exit_code;
}
