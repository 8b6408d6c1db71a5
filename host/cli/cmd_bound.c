/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "host/report/analysis_forms.h"

#include "phasebench/flow.h"

static int load_traffic(struct pb_traffic *traffic, const struct pb_network *network, const char *pattern)
{
    const char *const path = cli_traffic_file(pattern);
    struct pb_diag diag;
    if (path)
        return cli_read_traffic(traffic, network, path, false);
    const int code = pb_traffic_generate(traffic, network, pattern, &diag);
    return code ? cli_fail(pb_error_exit_code(code), "%s; see 'phasebench help bound'", diag.text) : CLI_PASS;
}

struct request {
    const char *pattern, *out;
    struct pb_network network;
    bool json;
};

static const struct cli_form forms[] = {
    {"bound.txt", pb_report_bound_text}, {"bound.json", pb_report_bound_json}, {.name = NULL}};

static const struct cli_option options[] = {
    {"traffic", "PATTERN", CLI_TEXT, CLI_AT(request, pattern), .use = CLI_READS,
     .words = "xor: xors: complement bitrev transpose shuffle perm: uniform: hotspot: pairs: total file:",
     .help = "who sends to whom"},
    CLI_ROW_NETWORK(request, network, PB_DIMS_MAX, PB_DIMS_MAX, 0),
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_bound = {
    .name = "bound",
    .summary = "bound for a traffic pattern, with its hypotheses",
    .usage = "--traffic PATTERN [options]",
    .about = "Prints how many superframes a batch of messages takes, the bound that holds for it, and "
             "whether the hypotheses of that bound hold. Every message is ready when superframe 0 starts.",
    .options = options,
    .more = "patterns:\n"
            "  xor:MASK      each node sends to its own address xor MASK\n"
            "  xors:SEED     the same with one random mask\n"
            "  complement    to the opposite corner\n"
            "  bitrev        to its address with the bits reversed\n"
            "  transpose     to its address with the halves exchanged (even dimensions)\n"
            "  shuffle       to its address rotated left by one\n"
            "  perm:SEED     a random permutation\n"
            "  uniform:SEED  to any node at random\n"
            "  hotspot:NODE  all to one\n"
            "  pairs:NODE    one through each pair of links of the node\n"
            "  total         each to all others (at most 10 dimensions)\n"
            "  file:PATH     one 'source destination' per line, # comments, at most 64 MiB\n"
            "\n"
            "Numbers are decimal or 0x hexadecimal. xor, complement, bitrev, transpose and shuffle need a "
            "power of two of nodes.",
    .exits = "0 done, 2 wrong usage, 3 the traffic file is missing or wrong, 4 out of memory or the result "
             "could not be written",
    .examples = "  phasebench bound --traffic bitrev\n"
                "  phasebench bound --traffic file:list.txt --dims 4 --json\n",
    .run = cmd_bound,
};

int cmd_bound(int argc, char **argv)
{
    struct request request = {.pattern = NULL};
    int exit_code;
    if (!cli_parse(&verb_bound, &request, argc, argv, &exit_code))
        return exit_code;
    const struct pb_network *network = &request.network;
    if (!request.pattern)
        return cli_fail(CLI_USAGE,
                        "bound: no traffic given; add --traffic PATTERN, see 'phasebench help bound'");

    struct pb_traffic traffic = {0};
    struct pb_flow_bound bound;
    char size[PB_NETWORK_TEXT_SIZE];
    exit_code = load_traffic(&traffic, network, request.pattern);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request.out, forms);
    if (exit_code == CLI_PASS && pb_flow_analyse(network, &traffic, &bound))
        exit_code = cli_fail(CLI_BENCH_FAILED, "no memory to move %zu messages in %s; give fewer",
                             traffic.count, pb_network_text(network, size));
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(
            request.out, forms, &(struct pb_bound_shown){network, request.pattern, &bound}, request.json);
    pb_traffic_free(&traffic);
    return exit_code;
}
