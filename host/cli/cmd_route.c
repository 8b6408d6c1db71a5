/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "phasebench/cube.h"

#include <inttypes.h>
#include <stdio.h>

const char cmd_route_help[] =
    "usage: phasebench route SOURCE DESTINATION [options]\n"
    "\n"
    "Prints the hops of a message that is alone in the cube, and when it arrives.\n"
    "Addresses are decimal or 0x hexadecimal.\n"
    "\n"
    "  --dims N         dimensions of the cube, 1..16 (12)\n"
    "  --rule RULE      ecube: lowest differing dimension first (default)\n"
    "                   opportunistic: any differing dimension, as soon as its phase comes\n"
    "  --birth P        phase at whose start the message is ready, 0..2N-1 (0)\n"
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
    unsigned dims, birth;
    enum pb_rule rule;
    uint32_t source, destination;
    uint64_t rate_mhz; /* 0: no time wanted */
    bool json;
};

static unsigned bound_phases(const struct request *request)
{
    return pb_bound_lone_phases(request->dims, request->rule, request->birth > 0);
}

static int64_t duration_ps(const struct request *request, unsigned phases)
{
    return (int64_t)(phases * UINT64_C(1000000000000000) / request->rate_mhz);
}

static json_t *hop_json(const struct pb_hop *hop)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "superframe", (int)hop->superframe, "phase",
                     (int)hop->phase, "dimension", (int)hop->dimension, "direction",
                     (int)pb_phase_direction(hop->phase), "from", (int)hop->from, "to", (int)hop->to);
}

static int print_json(const struct request *request, const struct pb_route *route)
{
    json_t *hops = json_array();
    for (unsigned i = 0; i < route->hops; i++)
        cli_json_add(hops, hop_json(&route->hop[i]));

    json_t *object =
        json_pack("{s:i, s:i, s:i, s:s, s:i, s:i, s:i, s:o}", "source", (int)request->source, "destination",
                  (int)request->destination, "dims", (int)request->dims, "rule", pb_rule_name(request->rule),
                  "birth", (int)request->birth, "latency_phases", (int)route->latency_phases, "bound_phases",
                  (int)bound_phases(request), "hops", hops);
    if (object && request->rate_mhz) {
        cli_json_set(object, "phase_hz", json_real((double)request->rate_mhz / 1e3));
        cli_json_set(object, "latency_us",
                     json_real((double)duration_ps(request, route->latency_phases) / 1e6));
    }
    return cli_print_json(object);
}

static int print_table(const struct request *request, const struct pb_route *route)
{
    int digits = cli_address_digits(request->dims);

    printf("0x%0*" PRIX32 " to 0x%0*" PRIX32 ": %u dimensions, %s, ready in phase %u\n\n", digits,
           request->source, digits, request->destination, request->dims, pb_rule_name(request->rule),
           request->birth);
    printf("hop  superframe  phase  dimension  direction  %-*s  to\n", digits + 2, "from");
    for (unsigned i = 0; i < route->hops; i++) {
        const struct pb_hop *hop = &route->hop[i];
        printf("%3u  %10u  %5u  %9u  %9s  0x%0*" PRIX32 "  0x%0*" PRIX32 "\n", i + 1, hop->superframe,
               hop->phase, hop->dimension, pb_phase_direction(hop->phase) ? "1 to 0" : "0 to 1", digits,
               hop->from, digits, hop->to);
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

enum { OPTION_DIMS = CLI_LONG_OPTION, OPTION_RULE, OPTION_BIRTH, OPTION_PHASE_HZ, OPTION_JSON };

int cmd_route(int argc, char **argv)
{
    static const struct option options[] = {
        {"dims", required_argument, NULL, OPTION_DIMS},
        {"rule", required_argument, NULL, OPTION_RULE},
        {"birth", required_argument, NULL, OPTION_BIRTH},
        {"json", no_argument, NULL, OPTION_JSON},
        {"phase-hz", required_argument, NULL, OPTION_PHASE_HZ},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.dims = CLI_DIMS_DEFAULT, .rule = PB_RULE_ECUBE};
    const char *birth = "0"; /* its range depends on --dims, which may come later */
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        switch (option) {
        case OPTION_DIMS:
            if (!cli_dims(optarg, &request.dims))
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
    if (!cli_address("SOURCE", argv[optind], request.dims, &request.source) ||
        !cli_address("DESTINATION", argv[optind + 1], request.dims, &request.destination) ||
        !cli_unsigned("--birth", birth, 0, pb_cube_phases(request.dims) - 1, &request.birth))
        return CLI_USAGE;

    struct pb_route route;
    pb_route_lone(&route, request.dims, request.rule, request.source, request.destination, request.birth);
    return request.json ? print_json(&request, &route) : print_table(&request, &route);
}
