/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "phasebench/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_PREFIX "file:"
#define FILE_LIMIT_BYTES ((size_t)64 << 20)

static int load_file(struct pb_traffic *traffic, const struct pb_network *network, const char *path)
{
    struct pb_diag diag;
    char *text;
    size_t length;

    int exit_code = cli_read_file(path, FILE_LIMIT_BYTES, &text, &length);
    if (exit_code == CLI_PASS) {
        int code = pb_traffic_parse_text(traffic, network, path, text, length, &diag);
        if (code)
            exit_code = cli_fail(pb_error_exit_code(code), "%s", diag.text);
        else if (traffic->count == 0)
            exit_code =
                cli_fail(CLI_BAD_SCENARIO, "'%s' holds no message; write 'source destination' lines", path);
    }
    free(text);
    return exit_code;
}

static int load_traffic(struct pb_traffic *traffic, const struct pb_network *network, const char *pattern)
{
    struct pb_diag diag;

    if (strncmp(pattern, FILE_PREFIX, strlen(FILE_PREFIX)) == 0)
        return load_file(traffic, network, pattern + strlen(FILE_PREFIX));
    int code = pb_traffic_generate(traffic, network, pattern, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s; see 'phasebench help bound'", diag.text);
    return CLI_PASS;
}

static bool link_load_ok(const struct pb_flow_bound *bound)
{
    return bound->max_link_load <= 1;
}

struct request {
    const char *pattern, *out;
    struct pb_network network;
    bool json;
};

struct shown {
    const struct request *request;
    const struct pb_flow_bound *bound;
};

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_flow_bound *bound = shown->bound;
    const struct {
        const char *key;
        size_t value;
    } figures[] = {
        {"messages", bound->messages},
        {"max_link_load", bound->max_link_load},
        {"bound_superframes", bound->bound_superframes},
        {"fifo_superframes", bound->fifo_superframes},
        {"opportunistic_superframes", bound->opportunistic_superframes},
        {"max_queue", bound->max_queue},
        {"max_occupancy", bound->max_occupancy},
        {"lost_single_register", bound->lost_single_register},
        {"lost_register_and_latch", bound->lost_register_and_latch},
        {"lost_register_per_dimension", bound->lost_register_per_dimension},
    };
    json_t *object = json_object();

    cli_json_set(object, "traffic", cli_json_text(shown->request->pattern));
    cli_json_network(object, &shown->request->network);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        cli_json_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    cli_json_set(object, "hypothesis_link_load_ok", json_boolean(link_load_ok(bound)));
    return cli_write_json(out, object);
}

static void put_figures(FILE *out, const struct pb_network *network, const struct pb_flow_bound *bound)
{
    fprintf(out, "messages                        %10zu\n", bound->messages);
    fprintf(out, "busiest directed link           %10" PRIu32 " messages (C)\n", bound->max_link_load);
    fprintf(out, "dimension order, FIFO           %10" PRIu32 " superframes (T)\n", bound->fifo_superframes);
    fprintf(out, "opportunistic                   %10" PRIu32 " superframes\n",
            bound->opportunistic_superframes);
    fprintf(out, "%-31s %10u messages\n",
            network->dims ? "deepest queue of a dimension" : "deepest queue of a port", bound->max_queue);
    fprintf(out, "fullest node                    %10u messages\n", bound->max_occupancy);
}

static void put_buffer(FILE *out, const char *buffer, size_t lost)
{
    fprintf(out, "  %-6s %s", lost ? "FAILS" : "holds", buffer);
    if (lost)
        fprintf(out, ": %zu messages lost", lost);
    putc('\n', out);
}

static void put_hypotheses(FILE *out, const struct pb_network *network, const struct pb_flow_bound *bound)
{
    fputs("\nhypotheses of the bound\n", out);
    fputs("  given  every message is ready when superframe 0 starts, none joins later\n", out);
    fputs("  given  dimension order; a node with a message for the phase sends one\n", out);
    fprintf(out, "  %-6s no directed link is wanted twice: C = %" PRIu32 ", limit 1\n",
            link_load_ok(bound) ? "holds" : "FAILS", bound->max_link_load);
    fprintf(out, "  needs  no message is dropped: room for %u messages in each queue\n", bound->max_queue);

    fputs("\nwould less room do?\n", out);
    put_buffer(out, "one register per node", bound->lost_single_register);
    put_buffer(out, "one register and a receive latch per node", bound->lost_register_and_latch);
    put_buffer(out, network->dims ? "one register per outgoing dimension" : "one register per outgoing port",
                 bound->lost_register_per_dimension);
}

static void put_conclusion(FILE *out, const struct pb_flow_bound *bound)
{
    if (bound->bound_superframes == 0)
        fputs("\nbound: 0 superframes, every message is at its destination\n", out);
    else if (link_load_ok(bound))
        fputs("\nbound: 1 superframe, as no directed link is wanted twice\n", out);
    else
        fprintf(out, "\nbound: %" PRIu32
                " superframes (1 + the largest number of other messages that share a\n"
                "directed link with one message). One is not enough: two messages need the same\n"
                "directed link.\n",
                bound->bound_superframes);
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_network *network = &shown->request->network;
    char size[PB_NETWORK_TEXT_SIZE];
    cli_say_to(out, "%s, %s, %" PRIu32 " nodes", shown->request->pattern, pb_network_text(network, size),
               network->nodes);
    putc('\n', out);
    put_figures(out, network, shown->bound);
    put_hypotheses(out, network, shown->bound);
    put_conclusion(out, shown->bound);
    return 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {
    {"bound.txt", write_text}, {"bound.json", write_json}, {.name = NULL}};

static const struct cli_option options[] = {
    {"traffic", "PATTERN", CLI_TEXT, CLI_AT(request, pattern), .use = CLI_READS,
     .words = "xor: complement bitrev transpose shuffle perm: uniform: hotspot: total file:",
     .help = "who sends to whom"},
    CLI_ROW_NETWORK(request, network),
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
            "  complement    to the opposite corner\n"
            "  bitrev        to its address with the bits reversed\n"
            "  transpose     to its address with the halves exchanged (even dimensions)\n"
            "  shuffle       to its address rotated left by one\n"
            "  perm:SEED     a random permutation\n"
            "  uniform:SEED  to any node at random\n"
            "  hotspot:NODE  all to one\n"
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
        exit_code = output_forms_end(request.out, forms, &(struct shown){&request, &bound},
                                     request.json ? JSON : TEXT);
    pb_traffic_free(&traffic);
    return exit_code;
}
