/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"

#include "phasebench/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cmd_bound_help[] =
    "usage: phasebench bound --traffic PATTERN [options]\n"
    "\n"
    "Prints how many superframes a batch of messages takes, the bound that holds for it, and\n"
    "whether the hypotheses of that bound hold. Every message is ready when superframe 0 starts.\n"
    "\n"
    "  --traffic PATTERN\n"
    "      xor:MASK      each node sends to its own address xor MASK\n"
    "      complement    to the opposite corner\n"
    "      bitrev        to its address with the bits reversed\n"
    "      transpose     to its address with the halves exchanged (even dimensions)\n"
    "      shuffle       to its address rotated left by one\n"
    "      perm:SEED     a random permutation\n"
    "      uniform:SEED  to any node at random\n"
    "      hotspot:NODE  all to one\n"
    "      total         each to all others (at most 10 dimensions)\n"
    "      file:PATH     one 'source destination' per line, # comments, at most 64 MiB\n" CLI_NETWORK_HELP
    "  --json           machine-readable result\n"
    "  -h, --help       this text\n"
    "\n"
    "Numbers are decimal or 0x hexadecimal. xor, complement, bitrev, transpose and shuffle need a\n"
    "power of two of nodes.\n"
    "\n"
    "exit codes: 0 done, 2 wrong usage, 3 the traffic file is missing or wrong, 4 out of memory or\n"
    "the result could not be written\n"
    "\n"
    "examples:\n"
    "  phasebench bound --traffic bitrev\n"
    "  phasebench bound --traffic file:list.txt --dims 4 --json\n";

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

static int print_json(const char *pattern, const struct pb_network *network,
                      const struct pb_flow_bound *bound)
{
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

    cli_json_set(object, "traffic", cli_json_text(pattern));
    cli_json_network(object, network);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        cli_json_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    cli_json_set(object, "hypothesis_link_load_ok", json_boolean(link_load_ok(bound)));
    return cli_print_json(object);
}

static void print_figures(const struct pb_network *network, const struct pb_flow_bound *bound)
{
    printf("messages                        %10zu\n", bound->messages);
    printf("busiest directed link           %10" PRIu32 " messages (C)\n", bound->max_link_load);
    printf("dimension order, FIFO           %10" PRIu32 " superframes (T)\n", bound->fifo_superframes);
    printf("opportunistic                   %10" PRIu32 " superframes\n", bound->opportunistic_superframes);
    printf("%-31s %10u messages\n",
           network->dims ? "deepest queue of a dimension" : "deepest queue of a port", bound->max_queue);
    printf("fullest node                    %10u messages\n", bound->max_occupancy);
}

static void print_buffer(const char *buffer, size_t lost)
{
    printf("  %-6s %s", lost ? "FAILS" : "holds", buffer);
    if (lost)
        printf(": %zu messages lost", lost);
    putchar('\n');
}

static void print_hypotheses(const struct pb_network *network, const struct pb_flow_bound *bound)
{
    puts("\nhypotheses of the bound");
    puts("  given  every message is ready when superframe 0 starts, none joins later");
    puts("  given  dimension order; a node with a message for the phase sends one");
    printf("  %-6s no directed link is wanted twice: C = %" PRIu32 ", limit 1\n",
           link_load_ok(bound) ? "holds" : "FAILS", bound->max_link_load);
    printf("  needs  no message is dropped: room for %u messages in each queue\n", bound->max_queue);

    puts("\nwould less room do?");
    print_buffer("one register per node", bound->lost_single_register);
    print_buffer("one register and a receive latch per node", bound->lost_register_and_latch);
    print_buffer(network->dims ? "one register per outgoing dimension" : "one register per outgoing port",
                 bound->lost_register_per_dimension);
}

static void print_conclusion(const struct pb_flow_bound *bound)
{
    if (bound->bound_superframes == 0)
        puts("\nbound: 0 superframes, every message is at its destination");
    else if (link_load_ok(bound))
        puts("\nbound: 1 superframe, as no directed link is wanted twice");
    else
        printf("\nbound: %" PRIu32
               " superframes; one is not enough, as a directed link is wanted twice. It is 1 + the\n"
               "most other messages that share a directed link with one message.\n",
               bound->bound_superframes);
}

enum { OPTION_TRAFFIC = CLI_LONG_OPTION, OPTION_DIMS, OPTION_NETWORK, OPTION_JSON };

int cmd_bound(int argc, char **argv)
{
    static const struct option options[] = {
        {"traffic", required_argument, NULL, OPTION_TRAFFIC},
        {"dims", required_argument, NULL, OPTION_DIMS},
        {"network", required_argument, NULL, OPTION_NETWORK},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *pattern = NULL;
    struct cli_network network = cli_network_default();
    bool json = false;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_TRAFFIC:
            pattern = optarg;
            break;
        case OPTION_DIMS:
            if (!cli_take_dims(&network, optarg))
                return CLI_USAGE;
            break;
        case OPTION_NETWORK:
            if (!cli_take_network(&network, optarg))
                return CLI_USAGE;
            break;
        case OPTION_JSON:
            json = true;
            break;
        case 'h':
            return cli_help(cmd_bound_help);
        default:
            return CLI_USAGE;
        }
    }
    if (!cli_no_operands(argc, argv))
        return CLI_USAGE;
    if (!pattern)
        return cli_fail(CLI_USAGE,
                        "bound: no traffic given; add --traffic PATTERN, see 'phasebench help bound'");

    struct pb_traffic traffic = {0};
    struct pb_flow_bound bound;
    int exit_code = load_traffic(&traffic, &network.is, pattern);
    char size[PB_NETWORK_TEXT_SIZE];
    pb_network_text(&network.is, size);
    if (exit_code == CLI_PASS && pb_flow_analyse(&network.is, &traffic, &bound))
        exit_code = cli_fail(CLI_BENCH_FAILED, "no memory to move %zu messages in %s; give fewer",
                             traffic.count, size);
    if (exit_code == CLI_PASS && json) {
        exit_code = print_json(pattern, &network.is, &bound);
    } else if (exit_code == CLI_PASS) {
        cli_say("%s, %s, %" PRIu32 " nodes", pattern, size, network.is.nodes);
        putchar('\n');
        print_figures(&network.is, &bound);
        print_hypotheses(&network.is, &bound);
        print_conclusion(&bound);
        exit_code = cli_flush();
    }
    pb_traffic_free(&traffic);
    return exit_code;
}
