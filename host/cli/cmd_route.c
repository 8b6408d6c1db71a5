/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>

const char cmd_route_help[] =
    "usage: phasebench route SOURCE DESTINATION [options]\n"
    "\n"
    "Prints the hops of a message that is alone in the network, and when it arrives.\n"
    "Addresses are decimal or 0x hexadecimal.\n"
    "\n" CLI_NETWORK_HELP "  --rule RULE      ecube: lowest differing dimension or digit first (default)\n"
    "                   opportunistic: any differing one, as soon as its phase comes\n"
    "  --birth P        phase at whose start the message is ready, 0..2N-1 or the last of the network (0)\n"
    "  --phase-hz F     phases per second, 1..100000, at most 3 decimals: adds the time\n"
    "  --json           machine-readable result\n"
    "  -h, --help       this text\n"
    "\n"
    "exit codes: 0 done, 2 wrong usage, 4 the result could not be written\n"
    "\n"
    "examples:\n"
    "  phasebench route 0x2A3 0x91C --phase-hz 10000\n"
    "  phasebench route 0x800 0x001 --birth 1 --json\n";

struct request {
    struct pb_network network;
    unsigned birth;
    enum pb_rule rule;
    uint32_t source, destination;
    uint64_t rate_mhz; /* 0: no time wanted */
    bool json;
};

static unsigned bound_phases(const struct request *request)
{
    return pb_bound_lone_phases(&request->network, request->rule, request->birth > 0);
}

static int64_t duration_ps(const struct request *request, unsigned phases)
{
    return (int64_t)(phases * UINT64_C(1000000000000000) / request->rate_mhz);
}

/* What names the wire of a hop: dimension and direction in a cube, else digit and port. */
static void set_wire(json_t *object, const struct pb_network *network, const struct pb_hop *hop)
{
    if (network->dims) {
        cli_json_set(object, "dimension", json_integer(hop->port));
        cli_json_set(object, "direction", json_integer(pb_phase_direction(hop->phase)));
    } else {
        cli_json_set(object, "digit", json_integer(pb_network_differing_digit(network, hop->from, hop->to)));
        cli_json_set(object, "port", json_integer(hop->port));
    }
}

static json_t *hop_json(const struct pb_network *network, const struct pb_hop *hop)
{
    json_t *object = json_object();
    cli_json_set(object, "superframe", json_integer(hop->superframe));
    cli_json_set(object, "phase", json_integer(hop->phase));
    set_wire(object, network, hop);
    cli_json_set(object, "from", json_integer(hop->from));
    cli_json_set(object, "to", json_integer(hop->to));
    return object;
}

static int print_json(const struct request *request, const struct pb_route *route)
{
    json_t *object = json_object(), *hops = json_array();
    for (unsigned i = 0; i < route->hops; i++)
        cli_json_add(hops, hop_json(&request->network, &route->hop[i]));

    cli_json_set(object, "source", json_integer(request->source));
    cli_json_set(object, "destination", json_integer(request->destination));
    cli_json_network(object, &request->network);
    cli_json_set(object, "rule", json_string(pb_rule_name(request->rule)));
    cli_json_set(object, "birth", json_integer(request->birth));
    cli_json_set(object, "latency_phases", json_integer(route->latency_phases));
    cli_json_set(object, "bound_phases", json_integer(bound_phases(request)));
    cli_json_set(object, "hops", hops);
    if (request->rate_mhz) {
        cli_json_set(object, "phase_hz", json_real((double)request->rate_mhz / 1e3));
        cli_json_set(object, "latency_us",
                     json_real((double)duration_ps(request, route->latency_phases) / 1e6));
    }
    return cli_print_json(object);
}

static int print_table(const struct request *request, const struct pb_route *route)
{
    const struct pb_network *network = &request->network;
    int digits = (int)pb_network_address_digits(network);
    char size[PB_NETWORK_TEXT_SIZE];

    printf("0x%0*" PRIX32 " to 0x%0*" PRIX32 ": %s, %s, ready in phase %u\n\n", digits, request->source,
           digits, request->destination, pb_network_text(network, size), pb_rule_name(request->rule),
           request->birth);
    printf("hop  superframe  phase  %s  %-*s  to\n", network->dims ? "dimension  direction" : "digit  port",
           digits + 2, "from");
    for (unsigned i = 0; i < route->hops; i++) {
        const struct pb_hop *hop = &route->hop[i];
        printf("%3u  %10u  %5u  ", i + 1, hop->superframe, hop->phase);
        if (network->dims)
            printf("%9u  %9s", hop->port, pb_phase_direction(hop->phase) ? "1 to 0" : "0 to 1");
        else
            printf("%5u  %4u", pb_network_differing_digit(network, hop->from, hop->to), hop->port);
        printf("  0x%0*" PRIX32 "  0x%0*" PRIX32 "\n", digits, hop->from, digits, hop->to);
    }
    printf("\nlatency %u phases; at most %u for a lone message %s\n", route->latency_phases,
           bound_phases(request),
           request->birth ? "ready in any phase" : "ready at the start of a superframe");
    if (request->rate_mhz) {
        char rate[CLI_FIXED_SIZE], latency[CLI_FIXED_SIZE], bound[CLI_FIXED_SIZE];
        printf("at %s Hz: %s us, at most %s us\n", cli_fixed(rate, (int64_t)request->rate_mhz, 3),
               cli_fixed(latency, duration_ps(request, route->latency_phases), 6),
               cli_fixed(bound, duration_ps(request, bound_phases(request)), 6));
    }
    return cli_flush();
}

enum {
    OPTION_DIMS = CLI_LONG_OPTION,
    OPTION_NETWORK,
    OPTION_RULE,
    OPTION_BIRTH,
    OPTION_PHASE_HZ,
    OPTION_JSON
};

int cmd_route(int argc, char **argv)
{
    static const struct option options[] = {
        {"dims", required_argument, NULL, OPTION_DIMS},
        {"network", required_argument, NULL, OPTION_NETWORK},
        {"rule", required_argument, NULL, OPTION_RULE},
        {"birth", required_argument, NULL, OPTION_BIRTH},
        {"json", no_argument, NULL, OPTION_JSON},
        {"phase-hz", required_argument, NULL, OPTION_PHASE_HZ},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct cli_network network = cli_network_default();
    struct request request = {.rule = PB_RULE_ECUBE};
    const char *birth = "0"; /* its range depends on the network, which may come later */
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_DIMS:
            if (!cli_take_dims(&network, optarg))
                return CLI_USAGE;
            break;
        case OPTION_NETWORK:
            if (!cli_take_network(&network, optarg))
                return CLI_USAGE;
            break;
        case OPTION_RULE:
            if (!pb_rule_parse(optarg, &request.rule))
                return cli_fail(CLI_USAGE, "--rule is '%s'; give ecube or opportunistic", optarg);
            break;
        case OPTION_BIRTH:
            birth = optarg;
            break;
        case OPTION_PHASE_HZ:
            if (!cli_phase_rate(optarg, &request.rate_mhz))
                return CLI_USAGE;
            break;
        case OPTION_JSON:
            request.json = true;
            break;
        case 'h':
            return cli_help(cmd_route_help);
        default:
            return CLI_USAGE;
        }
    }
    if (argc - optind != 2)
        return cli_fail(CLI_USAGE, "route: needs 2 addresses, got %d; give SOURCE and DESTINATION",
                        argc - optind);
    request.network = network.is;
    if (!cli_address("SOURCE", argv[optind], &request.network, &request.source) ||
        !cli_address("DESTINATION", argv[optind + 1], &request.network, &request.destination) ||
        !cli_unsigned("--birth", birth, 0, request.network.phases - 1, &request.birth))
        return CLI_USAGE;

    struct pb_route route;
    pb_route_lone(&route, &request.network, request.rule, request.source, request.destination, request.birth);
    return request.json ? print_json(&request, &route) : print_table(&request, &route);
}
