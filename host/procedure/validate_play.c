/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate_steps.h"

#include "host/base/utf8.h"
#include "host/plan/frame.h"

#include "phasebench/rig.h"
#include "phasebench/slot_capture.h"

#include <inttypes.h>
#include <string.h>

void validate_set(struct validate_case *one, const char *place, const char *value)
{
    one->setting[one->settings++] = (struct pb_scenario_setting){place, value};
}

/* ---- bits */

struct counting {
    const struct pb_scenario *scenario;
    struct validate_bits *bits;
};

static unsigned ones(unsigned byte)
{
    return (unsigned)__builtin_popcount(byte & 0xff);
}

/* Returns the least number of bit errors that change the message, with any sequence number, into the seen
 * bytes. Start and stop bits count as bits; a missing or surplus byte counts as ten errors. */
static unsigned wrong_bits(const struct pb_scenario *scenario, const struct pb_transmission *transmission)
{
    const struct pb_hop_row *hop = &transmission->hop;
    unsigned fewest = UINT32_MAX;
    for (unsigned sequence = 0; sequence <= PB_SEQUENCE_MASK; sequence++) {
        uint8_t frame[PB_FRAME_MAX];
        const unsigned count = pb_frame(scenario, hop->message, hop->destination, sequence, frame);
        unsigned wrong = 0;
        for (unsigned i = 0; i < count; i++)
            wrong += i < hop->byte_count ? ones(frame[i] ^ hop->bytes[i]) : 10;
        fewest = wrong < fewest ? wrong : fewest;
    }
    if (transmission->bytes_seen > scenario->frame_bytes)
        fewest += 10 * (transmission->bytes_seen - scenario->frame_bytes);
    return fewest + (transmission->bad_stop >= 0);
}

static void count_bits(void *context, const struct pb_transmission *transmission)
{
    const struct counting *counting = context;
    const struct pb_hop_row *hop = &transmission->hop;
    if (hop->sender != PB_SENDER_NODE || !transmission->expected || hop->link >= PB_WIRE_PORTS_MAX)
        return;
    counting->bits->bits[hop->link] += UINT64_C(10) * counting->scenario->frame_bytes;
    if (!hop->correct && hop->message != SIZE_MAX)
        counting->bits->wrong[hop->link] += wrong_bits(counting->scenario, transmission);
}

/* ---- a run */

static void on_progress(void *context, const struct pb_run_progress *state)
{
    struct validator *validator = context;
    const double within = state->superframes ? (double)state->superframe / state->superframes : 0;
    validate_progress(validator, (validator->runs + within) / validator->runs_expected);
}

static int make(struct validator *validator, const struct validate_case *one, struct pb_scenario **out,
                struct pb_diag *diag)
{
    const struct pb_validate_options *options = validator->options;
    struct pb_scenario_setting setting[PB_VALIDATE_SETTINGS + VALIDATE_SETTINGS];
    for (unsigned i = 0; i < options->settings; i++)
        setting[i] = options->setting[i];
    memcpy(setting + options->settings, one->setting, sizeof one->setting);
    int code = one->text ? pb_scenario_parse(out, one->name, one->text, strlen(one->text), diag)
                         : pb_scenario_parse_settings(out, validator->texts, setting,
                                                      options->settings + one->settings, diag);
    if (code)
        return code;
    if (options->seed && !one->seeded)
        code = pb_scenario_set_seed(*out, *options->seed, diag);
    if (!code)
        code = pb_rig_check_models(validator->procedure->rig_url, *out, diag);
    if (code)
        pb_scenario_free(*out);
    return code;
}

/* Who else takes the transmissions of a run. */
struct listeners {
    struct pb_transmission_sink frames;
    struct counting counting; /* bits NULL: none */
};

static void take_transmission(void *context, const struct pb_transmission *transmission)
{
    struct listeners *listeners = context;
    if (listeners->frames.take)
        listeners->frames.take(listeners->frames.context, transmission);
    if (listeners->counting.bits)
        count_bits(&listeners->counting, transmission);
}

/* Records the frames of the present run. */
static struct pb_slot_capture *begin_frames(struct validator *validator)
{
    struct validate_run *run = &validator->run;
    struct pb_slot_capture *capture = NULL;
    if (run->frames &&
        pb_slot_capture_open(&capture, run->frames, run->scenario, validator->procedure->rig_url)) {
        fclose(run->frames);
        run->frames = NULL;
    }
    return capture;
}

static void end_frames(struct validator *validator, struct pb_slot_capture *capture)
{
    struct validate_run *run = &validator->run;
    if (capture && pb_slot_capture_close(capture, run->result)) { /* a part of them would mislead */
        fclose(run->frames);
        run->frames = NULL;
    }
}

/* Runs the present run. */
static int run(struct validator *validator, const struct validate_case *one, struct pb_diag *diag)
{
    struct validate_run *const run = &validator->run;
    const struct pb_scenario *const scenario = run->scenario;
    const struct pb_procedure *const procedure = validator->procedure;
    struct pb_slot_capture *const capture = begin_frames(validator);
    struct pb_jitter_collector *const samples = one->exhibit ? pb_jitter_collect() : NULL;
    struct listeners listeners = {.counting = {scenario, one->bits}};
    struct pb_run_options options = {
        .timeout_s = procedure_timeout_s(procedure, scenario),
        .stop = procedure->stop,
        .run_only = one->counts != validate_counts_all, /* what follows it would not count */
        .progress = on_progress,
        .context = validator,
        .command = validator->validation->command,
    };
    if (capture)
        listeners.frames = pb_slot_capture_sink(capture);
    if (capture || one->bits)
        options.transmissions = (struct pb_transmission_sink){take_transmission, &listeners};
    if (samples)
        options.samples = pb_jitter_sink(samples);
    int code = procedure_begin(procedure, &options.rig_url, scenario, options.timeout_s, diag);
    if (!code)
        code = pb_run(&run->result, scenario, &options, diag);
    procedure_end(procedure);
    end_frames(validator, capture);
    if (samples && run->result && run->result->core_clock_hz)
        validate_exhibit(validator, samples);
    pb_jitter_collector_free(samples);
    return code;
}

/* Of the first run that reached a core; and of each what it leaves open. */
static void take_conditions(struct pb_validation *validation, const struct pb_result *result)
{
    if (!*validation->nodes && *result->node[0].kind && result->node_rows)
        snprintf(validation->nodes, sizeof validation->nodes, "%.120s%s%.128s", result->nodes,
                 *result->node[0].identity ? ": " : "", result->node[0].identity);
    if (!*validation->core && result->core_clock_hz)
        snprintf(validation->core, sizeof validation->core, "%.159s", result->environment);
    pb_unchecked_take(&validation->unchecked, result);
    validation->runs++;
}

/* The node stopped because of the model: no step takes its silence for an answer. */
static bool model_failed(const struct pb_result *result)
{
    for (size_t i = 0; i < result->findings; i++)
        if (result->finding[i].kind == PB_FINDING_NOT_MODELLED)
            return true;
    return false;
}

int validate_play(struct validator *validator, const struct validate_case *one,
                  const struct pb_result **out)
{
    struct pb_scenario *scenario;
    struct pb_diag diag = {.text = ""};
    *out = NULL;
    validate_release(validator);
    int code = make(validator, one, &scenario, &diag);
    if (code)
        return validate_because(validator, code, "%s", diag.text);
    validate_hold(validator, one->name, scenario);
    code = run(validator, one, &diag);
    validator->runs++;
    validate_progress(validator, (double)validator->runs / validator->runs_expected);
    const struct pb_result *result = validator->run.result;
    if (result)
        take_conditions(validator->validation, result);
    if (code)
        validate_because(validator, code, "run %s: %s", one->name, diag.text);
    else if (result->verdict == PB_VERDICT_INCONCLUSIVE &&
             (!one->may_be_inconclusive || model_failed(result)))
        code = validate_because(validator, PB_ERR_LINK, "run %s: %s", one->name, result->reason);
    if (code && code != PB_ERR_NODE && result && result->verdict == PB_VERDICT_FAIL)
        code = PB_OK; /* what the node did until then is enough */
    *out = code ? NULL : result;
    return code;
}

/* ---- findings */

static bool counts(const struct validate_case *one, const struct pb_result *result,
                   const struct pb_finding *finding)
{
    return pb_finding_is_of_node(finding) &&
           (one->counts ? one->counts(result, finding) : !pb_finding_is_after(result, finding));
}

uint64_t validate_count(const struct validate_case *one, const struct pb_result *result)
{
    uint64_t count = 0;
    for (size_t i = 0; i < result->findings; i++)
        count += counts(one, result, &result->finding[i]);
    return count;
}

bool validate_is_settable(const struct validator *validator)
{
    const enum pb_rig_kind kind = pb_rig_target_of(validator->procedure->rig_url).kind;
    return kind == PB_RIG_SIM || kind == PB_RIG_SERVED || kind == PB_RIG_VUSB;
}

bool validate_counts_all(const struct pb_result *result, const struct pb_finding *finding)
{
    return result && finding;
}

static bool is_on_lines(const struct pb_result *result, const struct pb_finding *finding)
{
    return finding->kind != PB_FINDING_COUNTERS && !pb_finding_is_after(result, finding);
}

bool (*validate_counts_of(const struct validator *validator))(const struct pb_result *,
                                                              const struct pb_finding *)
{
    return validate_is_settable(validator) ? NULL : is_on_lines;
}

static void describe(const struct pb_finding *finding, char *text, size_t size)
{
    char place[64] = "", expected[80];
    if (finding->link >= 0)
        snprintf(place, sizeof place, ": link %d, superframe %" PRIu32 ", phase %u", finding->link,
                 finding->superframe, finding->phase);
    pb_utf8_shorten(expected, sizeof expected, "%s", finding->expected); /* leaves room for what was seen */
    pb_utf8_shorten(text, size, "%s%s: expected %s, seen %s", pb_finding_text(finding->kind), place, expected,
                    finding->seen);
}

int validate_take_count(struct validator *validator, const struct validate_case *one,
                        const struct pb_result *result, enum pb_item item)
{
    uint64_t count = 0;
    const struct pb_finding *first = NULL;
    for (size_t i = 0; i < result->findings; i++)
        if (counts(one, result, &result->finding[i])) {
            first = first ? first : &result->finding[i];
            count++;
        }
    struct pb_item_value value = validate_value(item, (int64_t)count, result->slots_checked);
    if (first) {
        value.node = 0;
        value.link = first->link;
        value.port = first->dimension;
        describe(first, value.note, sizeof value.note);
    }
    return validate_add(validator, value, "%s", item == PB_ITEM_FINDINGS ? one->name : "");
}

int validate_take_findings(struct validator *validator, const struct validate_case *one,
                           const struct pb_result *result)
{
    return validate_take_count(validator, one, result, PB_ITEM_FINDINGS);
}

int validate_judge(struct validator *validator, const struct validate_case *one)
{
    const struct pb_result *result;
    const int code = validate_play(validator, one, &result);
    return code ? code : validate_take_findings(validator, one, result);
}
