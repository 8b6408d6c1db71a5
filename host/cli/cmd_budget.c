/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "network.h"
#include "output.h"
#include "rows.h"

#include "host/base/form.h"

#include "phasebench/budget.h"

#include <inttypes.h>
#include <stdio.h>

/* null: no value in the range fits. */
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

struct request {
    struct pb_budget_input input;
    struct pb_network network;
    const char *out;
    bool json;
};

struct shown {
    const struct request *request;
    const struct pb_budget *budget;
};

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_budget_input *input = &shown->request->input;
    const struct pb_budget *budget = shown->budget;
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
    cli_json_network(object, &shown->request->network);
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++)
        cli_json_set(object, slot[i].key, json_integer((json_int_t)slot[i].value));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        cli_json_set(object, times[i].key, json_real((double)times[i].ps / 1e6));
    cli_json_set(object, "fits", json_boolean(budget->fits));
    cli_json_set(object, "limits", limits_json(budget));
    return cli_write_json(out, object);
}

static void put_time(FILE *out, const char *name, int64_t ps)
{
    char text[PB_FORM_FIXED_SIZE];
    fprintf(out, "%-28s %s us\n", name, pb_form_fixed(text, ps, 6));
}

static void put_shortfall(FILE *out, const struct pb_budget_input *input, const struct pb_budget *budget)
{
    unsigned wanted = input->payload_bytes ? input->payload_bytes : 1;
    char text[PB_FORM_FIXED_SIZE];

    fprintf(out, "\n%u payload byte%s will not fit.", wanted, wanted == 1 ? "" : "s");
    if (!budget->phase_rate_limit_mhz && !budget->baud_limit_hz && budget->guard_limit_ps < 0) {
        fputs(" No single setting would help; change two at once.\n", out);
        return;
    }
    fputs(" Any one of these would help:\n", out);
    if (budget->phase_rate_limit_mhz)
        fprintf(out, "  --phase-hz at most %s\n",
                pb_form_fixed(text, (int64_t)budget->phase_rate_limit_mhz, 3));
    if (budget->baud_limit_hz)
        fprintf(out, "  --baud at least %" PRIu64 "\n", budget->baud_limit_hz);
    if (budget->guard_limit_ps >= 0)
        fprintf(out, "  --guard-us at most %s\n", pb_form_fixed(text, budget->guard_limit_ps, 6));
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_budget_input *input = &shown->request->input;
    const struct pb_budget *budget = shown->budget;
    char text[PB_FORM_FIXED_SIZE];

    fprintf(out, "%-28s %s Hz\n", "phase rate", pb_form_fixed(text, (int64_t)input->phase_rate_mhz, 3));
    put_time(out, "phase", budget->phase_ps);
    fprintf(out, "%-28s %s us (%u phases)\n", "superframe", pb_form_fixed(text, budget->superframe_ps, 6),
            input->phases);
    put_time(out, "guard", input->guard_ps);
    fprintf(out, "%-28s %" PRIu64 " baud, 8N1\n", "link", input->baud_hz);
    put_time(out, "byte", budget->byte_ps);
    fprintf(out, "%-28s %" PRIu64 " bit times, %" PRIu32 " bytes\n", "slot", budget->slot_bits,
            budget->slot_bytes);
    fprintf(out, "%-28s %" PRIu32 " bytes, after %u of header and %u of check\n", "payload",
            budget->payload_bytes, input->header_bytes, input->check_bytes);
    put_time(out, "slack after the last byte", budget->slack_ps);
    if (input->clock_ppm) {
        fprintf(out, "\ntwo nodes %" PRIu32 " ppm off in opposite directions\n", input->clock_ppm);
        put_time(out, "phase drift per superframe", budget->drift_per_superframe_ps);
        put_time(out, "shift at the stop bit", budget->stop_bit_shift_ps);
    }
    if (!budget->fits)
        put_shortfall(out, input, budget);
    return 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {
    {"budget.txt", write_text}, {"budget.json", write_json}, {.name = NULL}};

static const struct cli_option options[] = {
    CLI_ROW_PHASE_HZ(request, input.phase_rate_mhz, ""),
    {"baud", "B", CLI_NUMBER, CLI_AT(request, input.baud_hz), .least = PB_BAUD_MIN_HZ, .most = PB_BAUD_MAX_HZ,
     .unit = "baud", .quantity = PB_QUANTITY_BAUD, .help = "bits per second on a link"},
    {"guard-us", "G", CLI_DECIMAL, CLI_AT(request, input.guard_ps), .most = PB_GUARD_MAX_PS, .decimals = 6,
     .unit = "us", .quantity = PB_QUANTITY_TIME, .initial = "10", .help = "both guards of a phase together"},
    {"header-bytes", "H", CLI_COUNT, CLI_AT(request, input.header_bytes), .most = PB_FRAME_PART_MAX_BYTES,
     .unit = "bytes", .quantity = PB_QUANTITY_SIZE, .initial = "2", .help = "before the payload of a frame"},
    {"check-bytes", "C", CLI_COUNT, CLI_AT(request, input.check_bytes), .most = PB_FRAME_PART_MAX_BYTES,
     .unit = "bytes", .quantity = PB_QUANTITY_SIZE, .initial = "1", .help = "after it"},
    {"payload-bytes", "P", CLI_COUNT, CLI_AT(request, input.payload_bytes), .least = 1,
     .most = PB_FRAME_PART_MAX_BYTES, .unit = "bytes", .quantity = PB_QUANTITY_SIZE,
     .otherwise = "at least 1", .help = "payload that must fit"},
    {"ppm", "X", CLI_COUNT, CLI_AT(request, input.clock_ppm), .most = PB_CLOCK_MAX_PPM, .unit = "ppm",
     .quantity = PB_QUANTITY_RATIO, .initial = "0", .help = "clock error of a node, either way"},
    CLI_ROW_NETWORK(request, network),
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
                "  phasebench budget --phase-hz 10000 --baud 1000000 --payload-bytes 10 --json\n",
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
        return cli_fail(CLI_USAGE, "budget: no %s given; add %s, for example %s",
                        input->phase_rate_mhz ? "baud rate" : "phase rate",
                        input->phase_rate_mhz ? "--baud B" : "--phase-hz F",
                        input->phase_rate_mhz ? "--baud 1000000" : "--phase-hz 10000");

    struct pb_budget budget;
    struct pb_diag diag;
    input->phases = request.network.phases;
    const int code = pb_budget(input, &budget, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", diag.text);
    exit_code = output_forms_begin(request.out, forms);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(request.out, forms, &(struct shown){&request, &budget},
                                     request.json ? JSON : TEXT);
    if (exit_code == CLI_PASS && !budget.fits)
        exit_code = CLI_NODE_FAILED;
    return exit_code;
}
