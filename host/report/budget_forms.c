/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis_forms.h"
#include "network_json.h"

#include "host/base/form.h"
#include "phasebench/budget.h"

#include <inttypes.h>

#define PS_PER_US INT64_C(1000000)

/* null: no value in the range fits. */
static json_t *limits_json(const struct pb_budget *budget)
{
    json_t *limits = json_object();
    pb_form_set(limits, "phase_hz_at_most",
                budget->phase_rate_limit_mhz ? json_real((double)budget->phase_rate_limit_mhz / 1e3)
                                             : json_null());
    pb_form_set(limits, "baud_at_least",
                budget->baud_limit_hz ? json_integer((json_int_t)budget->baud_limit_hz) : json_null());
    pb_form_set(limits, "guard_us_at_most",
                budget->guard_limit_ps >= 0 ? json_real((double)budget->guard_limit_ps / 1e6) : json_null());
    return limits;
}

/* Of a phase after the frame of the program, rounded down; both guards are in it. */
static int64_t rest_ps(const struct pb_budget_shown *shown)
{
    const struct pb_budget_input *input = shown->input;
    const int64_t bits = 10 * ((int64_t)input->header_bytes + input->payload_bytes + input->check_bytes),
                  baud_hz = (int64_t)input->baud_hz;
    return shown->budget->phase_ps - (bits * PS_PER_US * 1000000 + baud_hz - 1) / baud_hz;
}

/* The highest phase rate with room for the frame, and for guards and need of the port, which overlap; 0: none
 * in the range. */
static int64_t rate_limit_mhz(const struct pb_budget_shown *shown, const struct pb_program_need *need)
{
    const int64_t need_ps = need->us * PS_PER_US, guard_ps = shown->input->guard_ps,
                  frame_ps = shown->budget->phase_ps - rest_ps(shown),
                  phase_ps = frame_ps + (need_ps > guard_ps ? need_ps : guard_ps),
                  rate_mhz = PS_PER_US * 1000000 * 1000 / phase_ps;
    return rate_mhz < (int64_t)PB_PHASE_RATE_MIN_MHZ ? 0 : rate_mhz;
}

static json_t *program_json(const struct pb_budget_shown *shown)
{
    json_t *object = json_object(), *ports = json_array();
    struct pb_program_need need;
    pb_form_set(object, "name", json_string(shown->program->name));
    pb_form_set(object, "payload_bytes", json_integer(shown->program->payload_bytes));
    pb_form_set(object, "rest_us", json_real((double)rest_ps(shown) / 1e6));
    for (size_t i = 0; pb_program_need(shown->program, i, &need); i++) {
        json_t *port = json_object();
        pb_form_set(port, "port", json_string(need.port));
        pb_form_set(port, "needs_us_at_most", json_integer(need.us));
        pb_form_set(port, "left_us", json_real((double)rest_ps(shown) / 1e6 - need.us));
        const int64_t limit = rate_limit_mhz(shown, &need);
        pb_form_set(port, "phase_hz_at_most", limit ? json_real((double)limit / 1e3) : json_null());
        json_array_append_new(ports, port);
    }
    pb_form_set(object, "ports", ports);
    return object;
}

int pb_report_budget_json(FILE *out, void *context)
{
    const struct pb_budget_shown *shown = context;
    const struct pb_budget_input *input = shown->input;
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

    pb_form_set(object, "phase_hz", json_real((double)input->phase_rate_mhz / 1e3));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        pb_form_set(object, counts[i].key, json_integer((json_int_t)counts[i].value));
    pb_network_json(object, shown->network);
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++)
        pb_form_set(object, slot[i].key, json_integer((json_int_t)slot[i].value));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        pb_form_set(object, times[i].key, json_real((double)times[i].ps / 1e6));
    pb_form_set(object, "fits", json_boolean(budget->fits));
    pb_form_set(object, "limits", limits_json(budget));
    if (shown->program)
        pb_form_set(object, "program", program_json(shown));
    return pb_form_json(out, object);
}

static void put_time(FILE *out, const char *name, int64_t ps)
{
    char text[PB_FORM_FIXED_SIZE];
    fprintf(out, "%-28s %s us\n", name, pb_form_fixed(text, ps, 6));
}

/* The program may need more: see its rows. */
static void put_shortfall(FILE *out, const struct pb_budget_shown *shown)
{
    const struct pb_budget_input *input = shown->input;
    const struct pb_budget *budget = shown->budget;
    unsigned wanted = input->payload_bytes ? input->payload_bytes : 1;
    char text[PB_FORM_FIXED_SIZE];

    fprintf(out, "\n%u payload byte%s will not fit.", wanted, wanted == 1 ? "" : "s");
    if (!budget->phase_rate_limit_mhz && !budget->baud_limit_hz && budget->guard_limit_ps < 0) {
        fputs(" No single setting would help; change two at once.\n", out);
        return;
    }
    fprintf(out, " Any one of these would help%s:\n", shown->program ? " the frame" : "");
    if (budget->phase_rate_limit_mhz)
        fprintf(out, "  --phase-hz at most %s\n",
                pb_form_fixed(text, (int64_t)budget->phase_rate_limit_mhz, 3));
    if (budget->baud_limit_hz)
        fprintf(out, "  --baud at least %" PRIu64 "\n", budget->baud_limit_hz);
    if (budget->guard_limit_ps >= 0)
        fprintf(out, "  --guard-us at most %s\n", pb_form_fixed(text, budget->guard_limit_ps, 6));
}

/* What a node has for combining and encoding, and whether the firmware of each port does with it. */
static void put_program(FILE *out, const struct pb_budget_shown *shown)
{
    const int64_t rest = rest_ps(shown);
    char text[PB_FORM_FIXED_SIZE];
    struct pb_program_need need;
    fprintf(out, "\n%-28s payload of %u byte%s\n", shown->program->name, shown->program->payload_bytes,
            shown->program->payload_bytes == 1 ? "" : "s");
    put_time(out, "rest of a phase", rest);
    for (size_t i = 0; pb_program_need(shown->program, i, &need); i++) {
        const int64_t left = rest - (int64_t)need.us * PS_PER_US;
        fprintf(out, "  %-26s needs %u us%s, ", need.port, need.us, need.or_less ? " or less" : "");
        fprintf(out, left < 0 ? "%s us more than there are" : "%s us are left",
                pb_form_fixed(text, left < 0 ? -left : left, 6));
        const int64_t limit = left < 0 ? rate_limit_mhz(shown, &need) : 0;
        fprintf(out, limit ? "; --phase-hz at most %s\n" : "\n", pb_form_fixed(text, limit, 3));
    }
    if (!pb_program_need(shown->program, 0, &need))
        fputs("  not measured with any port\n", out);
}

int pb_report_budget_text(FILE *out, void *context)
{
    const struct pb_budget_shown *shown = context;
    const struct pb_budget_input *input = shown->input;
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
    if (shown->program)
        put_program(out, shown);
    if (!budget->fits)
        put_shortfall(out, shown);
    return 0;
}
