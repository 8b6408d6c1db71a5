/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"

#include "phasebench/budget.h"

#include <inttypes.h>
#include <stdio.h>

const char cmd_budget_help[] =
    "usage: phasebench budget --phase-hz F --baud B [options]\n"
    "\n"
    "Prints what fits into one phase: floor((1/F - guard) * B / 10) bytes of 8N1, exactly.\n"
    "\n"
    "  --phase-hz F       phases per second, 1..100000, at most 3 decimals\n"
    "  --baud B           bits per second on a link, 300..12000000\n"
    "  --guard-us G       both guards of a phase together, us, 0..1000000, at most 6 decimals (10)\n"
    "  --header-bytes H   0..65535 (2)\n"
    "  --check-bytes C    0..65535 (1)\n"
    "  --payload-bytes P  payload that must fit, 1..65535 (at least 1)\n"
    "  --ppm X            clock error of a node, either way, 0..100000 (0)\n"
    "  --dims N           dimensions of the cube, 1..16 (12), for the superframe\n"
    "  --network NET      another network: cube:N, or generalised:R,R,... with the radix of each\n"
    "                     digit of an address, digit 0 first, as generalised:4,4,3\n"
    "  --json             machine-readable result\n"
    "  -h, --help         this text\n"
    "\n"
    "exit codes: 0 the payload fits, 1 it does not (the nearest settings that would are printed),\n"
    "2 wrong usage, 4 the result could not be written\n"
    "\n"
    "examples:\n"
    "  phasebench budget --phase-hz 10000 --baud 1000000\n"
    "  phasebench budget --phase-hz 10000 --baud 1000000 --payload-bytes 10 --json\n";

#define GUARD_DEFAULT_PS INT64_C(10000000)
#define HEADER_DEFAULT_BYTES 2
#define CHECK_DEFAULT_BYTES 1

/* A limit that no value in range meets is null. */
static json_t *limits_json(const struct pb_budget *budget)
{
    json_t *limits = json_object();
    cli_json_set(limits, "phase_hz_at_most",
                 budget->phase_rate_limit_mhz ? json_real((double)budget->phase_rate_limit_mhz / 1e3)
                                              : json_null());
    cli_json_set(limits, "baud_at_least",
                 budget->baud_limit_hz ? json_integer((json_int_t)budget->baud_limit_hz) : json_null());
    cli_json_set(limits, "guard_us_at_most",
                 budget->guard_limit_ps >= 0 ? json_real((double)budget->guard_limit_ps / 1e6) : json_null());
    return limits;
}

static int print_json(const struct pb_network *network, const struct pb_budget_input *input,
                      const struct pb_budget *budget)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"baud", input->baud_hz},
        {"header_bytes", input->header_bytes},
        {"check_bytes", input->check_bytes},
        {"wanted_payload_bytes", input->payload_bytes},
    };
    const struct {
        const char *key;
        uint64_t value;
    } slot[] = {
        {"ppm", input->clock_ppm},
        {"slot_bits", budget->slot_bits},
        {"slot_bytes", budget->slot_bytes},
        {"payload_bytes", budget->payload_bytes},
    };
    const struct {
        const char *key;
        int64_t ps;
    } times[] = {
        {"guard_us", input->guard_ps},
        {"phase_us", budget->phase_ps},
        {"superframe_us", budget->superframe_ps},
        {"byte_us", budget->byte_ps},
        {"slack_us", budget->slack_ps},
        {"drift_per_superframe_us", budget->drift_per_superframe_ps},
        {"stop_bit_shift_us", budget->stop_bit_shift_ps},
    };
    json_t *object = json_object();

    cli_json_set(object, "phase_hz", json_real((double)input->phase_rate_mhz / 1e3));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        cli_json_set(object, counts[i].key, json_integer((json_int_t)counts[i].value));
    cli_json_network(object, network);
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++)
        cli_json_set(object, slot[i].key, json_integer((json_int_t)slot[i].value));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        cli_json_set(object, times[i].key, json_real((double)times[i].ps / 1e6));
    cli_json_set(object, "fits", json_boolean(budget->fits));
    cli_json_set(object, "limits", limits_json(budget));
    return cli_print_json(object);
}

static void print_time(const char *name, int64_t ps)
{
    char text[CLI_FIXED_SIZE];
    printf("%-28s %s us\n", name, cli_fixed(text, ps, 6));
}

static void print_shortfall(const struct pb_budget_input *input, const struct pb_budget *budget)
{
    unsigned wanted = input->payload_bytes ? input->payload_bytes : 1;
    char text[CLI_FIXED_SIZE];

    printf("\n%u payload byte%s will not fit.", wanted, wanted == 1 ? "" : "s");
    if (!budget->phase_rate_limit_mhz && !budget->baud_limit_hz && budget->guard_limit_ps < 0) {
        puts(" No single setting would help; change two at once.");
        return;
    }
    puts(" Any one of these would help:");
    if (budget->phase_rate_limit_mhz)
        printf("  --phase-hz at most %s\n", cli_fixed(text, (int64_t)budget->phase_rate_limit_mhz, 3));
    if (budget->baud_limit_hz)
        printf("  --baud at least %" PRIu64 "\n", budget->baud_limit_hz);
    if (budget->guard_limit_ps >= 0)
        printf("  --guard-us at most %s\n", cli_fixed(text, budget->guard_limit_ps, 6));
}

static int print_table(const struct pb_budget_input *input, const struct pb_budget *budget)
{
    char text[CLI_FIXED_SIZE];

    printf("%-28s %s Hz\n", "phase rate", cli_fixed(text, (int64_t)input->phase_rate_mhz, 3));
    print_time("phase", budget->phase_ps);
    printf("%-28s %s us (%u phases)\n", "superframe", cli_fixed(text, budget->superframe_ps, 6),
           input->phases);
    print_time("guard", input->guard_ps);
    printf("%-28s %" PRIu64 " baud, 8N1\n", "link", input->baud_hz);
    print_time("byte", budget->byte_ps);
    printf("%-28s %" PRIu64 " bit times, %" PRIu32 " bytes\n", "slot", budget->slot_bits, budget->slot_bytes);
    printf("%-28s %" PRIu32 " bytes, after %u of header and %u of check\n", "payload", budget->payload_bytes,
           input->header_bytes, input->check_bytes);
    print_time("slack after the last byte", budget->slack_ps);
    if (input->clock_ppm) {
        printf("\ntwo nodes %" PRIu32 " ppm off in opposite directions\n", input->clock_ppm);
        print_time("phase drift per superframe", budget->drift_per_superframe_ps);
        print_time("shift at the stop bit", budget->stop_bit_shift_ps);
    }
    if (!budget->fits)
        print_shortfall(input, budget);
    return cli_flush();
}

enum {
    OPTION_PHASE_HZ = CLI_LONG_OPTION,
    OPTION_BAUD,
    OPTION_GUARD,
    OPTION_HEADER,
    OPTION_CHECK,
    OPTION_PAYLOAD,
    OPTION_PPM,
    OPTION_DIMS,
    OPTION_NETWORK,
    OPTION_JSON
};

/* Reads one option into *input or *network; false when its value was refused. */
static bool take_option(struct pb_budget_input *input, struct cli_network *network, int option,
                        const char *value)
{
    uint64_t guard_ps;

    switch (option) {
    case OPTION_PHASE_HZ:
        return cli_phase_rate(value, &input->phase_rate_mhz);
    case OPTION_BAUD:
        return cli_number("--baud", value, PB_BAUD_MIN_HZ, PB_BAUD_MAX_HZ, &input->baud_hz);
    case OPTION_GUARD:
        if (!cli_decimal("--guard-us", value, "us", 6, 0, PB_GUARD_MAX_PS, &guard_ps))
            return false;
        input->guard_ps = (int64_t)guard_ps;
        return true;
    case OPTION_HEADER:
        return cli_unsigned("--header-bytes", value, 0, PB_FRAME_PART_MAX_BYTES, &input->header_bytes);
    case OPTION_CHECK:
        return cli_unsigned("--check-bytes", value, 0, PB_FRAME_PART_MAX_BYTES, &input->check_bytes);
    case OPTION_PAYLOAD:
        return cli_unsigned("--payload-bytes", value, 1, PB_FRAME_PART_MAX_BYTES, &input->payload_bytes);
    case OPTION_PPM:
        return cli_unsigned("--ppm", value, 0, PB_CLOCK_MAX_PPM, &input->clock_ppm);
    case OPTION_NETWORK:
        return cli_take_network(network, value);
    default:
        return cli_take_dims(network, value);
    }
}

int cmd_budget(int argc, char **argv)
{
    static const struct option options[] = {
        {"phase-hz", required_argument, NULL, OPTION_PHASE_HZ},
        {"baud", required_argument, NULL, OPTION_BAUD},
        {"guard-us", required_argument, NULL, OPTION_GUARD},
        {"header-bytes", required_argument, NULL, OPTION_HEADER},
        {"check-bytes", required_argument, NULL, OPTION_CHECK},
        {"payload-bytes", required_argument, NULL, OPTION_PAYLOAD},
        {"ppm", required_argument, NULL, OPTION_PPM},
        {"dims", required_argument, NULL, OPTION_DIMS},
        {"network", required_argument, NULL, OPTION_NETWORK},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct pb_budget_input input = {.guard_ps = GUARD_DEFAULT_PS,
                                    .header_bytes = HEADER_DEFAULT_BYTES,
                                    .check_bytes = CHECK_DEFAULT_BYTES};
    struct cli_network network = cli_network_default();
    bool json = false;
    int option;

    cli_begin();
    while ((option = cli_option(argc, argv, options)) != -1) {
        if (option == 'h')
            return cli_help(cmd_budget_help);
        if (option == OPTION_JSON)
            json = true;
        else if (option == '?' || !take_option(&input, &network, option, optarg))
            return CLI_USAGE;
    }
    if (!cli_no_operands(argc, argv))
        return CLI_USAGE;
    if (!input.phase_rate_mhz || !input.baud_hz)
        return cli_fail(CLI_USAGE, "budget: no %s given; add %s, for example %s",
                        input.phase_rate_mhz ? "baud rate" : "phase rate",
                        input.phase_rate_mhz ? "--baud B" : "--phase-hz F",
                        input.phase_rate_mhz ? "--baud 1000000" : "--phase-hz 10000");

    struct pb_budget budget;
    struct pb_diag diag;
    input.phases = network.is.phases;
    int code = pb_budget(&input, &budget, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    int exit_code = json ? print_json(&network.is, &input, &budget) : print_table(&input, &budget);
    if (exit_code == CLI_PASS && !budget.fits)
        exit_code = CLI_NODE_FAILED;
    return exit_code;
}
