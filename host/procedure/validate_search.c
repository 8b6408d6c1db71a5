/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps that search for a boundary.
 */
#include "validate_steps.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S 1000000000000.0

/* ---- baud: one run, in which each frame has another bit rate */

enum { BAUD_LEAST_STEP_PPM = 500, BAUD_MOST_PPM = 100000 };

struct sweep {
    unsigned in, out;  /* ports */
    int32_t step_ppm;
    unsigned slow, fast; /* steps to either side */
    unsigned first;      /* superframe of the slowest frame */
};

/* A slow frame must end in its phase. */
static struct sweep plan_sweep(const struct validator *validator)
{
    const struct pb_scenario *scenario = validator->scenario;
    struct sweep sweep = {.first = scenario->follow,
                          .step_ppm = validator->options->profile == PB_VALIDATE_QUICK  ? 5000
                                      : validator->options->profile == PB_VALIDATE_FULL ? 2000
                                                                            : BAUD_LEAST_STEP_PPM};
    const double frame_ps = 10.0 * scenario->frame_bytes * PS_PER_S / (double)scenario->baud_hz,
                 room_ps =
                     PS_PER_S * 1000 / (double)scenario->phase_rate_mhz - (double)scenario->head_guard_ps,
                 slowest_ppm = fmin((1 - frame_ps / room_ps) * 1e6, BAUD_MOST_PPM);
    sweep.slow = slowest_ppm > 0 ? (unsigned)(slowest_ppm * 0.99 / sweep.step_ppm) : 0;
    sweep.fast = (unsigned)(BAUD_MOST_PPM / sweep.step_ppm);
    return sweep;
}

/* Frame k has the deviation (k - slow) steps, fast above 0. */
static char *sweep_faults(const struct validator *validator, const struct sweep *sweep)
{
    const struct pb_scenario *scenario = validator->scenario;
    char *text = NULL;
    size_t length;
    bool any = false;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (unsigned k = 0; k <= sweep->slow + sweep->fast; k++)
        if (k != sweep->slow) {
            fprintf(stream,
                    "%s{kind: baud, node: 0x%" PRIX32 ", dimension: %u, superframe: %u, ppm: %" PRId32
                    " ppm}",
                    any ? ", " : "[", scenario->node[0].address, sweep->in, sweep->first + k,
                    ((int32_t)k - (int32_t)sweep->slow) * sweep->step_ppm);
            any = true;
        }
    fputs(any ? "]" : "[]", stream);
    const int failed = ferror(stream);
    if (!fclose(stream) && !failed)
        return text;
    free(text);
    return NULL;
}

/* True if the node sent the message of a superframe on. */
static bool was_received(const struct pb_result *result, unsigned superframe, unsigned out)
{
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        if (hop->sender == PB_SENDER_NODE && hop->superframe == superframe && hop->link == out && hop->seen)
            return hop->correct;
    }
    return false;
}

static int add_side(struct validator *validator, const struct pb_result *result, const struct sweep *sweep,
                    enum pb_item item, int direction)
{
    const unsigned steps = direction < 0 ? sweep->slow : sweep->fast;
    unsigned k = 0;
    while (k < steps &&
           was_received(result, sweep->first + (unsigned)((int)sweep->slow + direction * (int)(k + 1)),
                        sweep->out))
        k++;
    struct pb_item_value value = validate_value(item, (int64_t)k * sweep->step_ppm, steps);
    value.node = 0;
    value.link = (int)sweep->in;
    value.port = (int)sweep->in;
    /* It receives frames of this deviation, and none of a step more: the boundary is between. */
    value.u95 = k < steps ? sweep->step_ppm / 2 : 0;
    value.value += k < steps ? sweep->step_ppm / 2 : 0;
    if (k == steps)
        snprintf(value.note, sizeof value.note, "as far as a frame fits into its phase");
    return validate_add(validator, value, "link%u", sweep->in);
}

static int sweep_port(struct validator *validator, const struct sweep *sweep)
{
    const struct pb_scenario *scenario = validator->scenario;
    const uint32_t node = scenario->node[0].address;
    struct validate_case one = {.name = "baud", .may_be_inconclusive = true};
    char traffic[128], superframes[16];
    char *const faults = sweep_faults(validator, sweep);
    const struct pb_result *result = NULL;
    if (!faults)
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the frames");
    snprintf(traffic, sizeof traffic,
             "[{from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %u, repeat: %u}]",
             pb_network_neighbour(&scenario->network, node, sweep->in),
             pb_network_neighbour(&scenario->network, node, sweep->out), sweep->first,
             sweep->slow + sweep->fast + 1);
    snprintf(superframes, sizeof superframes, "%u", sweep->first + sweep->slow + sweep->fast + 2);
    validate_set(&one, "traffic", traffic);
    validate_set(&one, "faults", faults);
    validate_set(&one, "superframes", superframes);
    int code = validate_play(validator, &one, &result);
    if (!code && !was_received(result, sweep->first + sweep->slow, sweep->out))
        code = validate_because(validator, PB_ERR_NODE,
                                "link %u: a frame of the nominal bit rate is not received", sweep->in);
    if (!code && sweep->slow)
        code = add_side(validator, result, sweep, PB_ITEM_TOLERANCE_SLOW, -1);
    if (!code)
        code = add_side(validator, result, sweep, PB_ITEM_TOLERANCE_FAST, 1);
    free(faults);
    return code;
}

int validate_step_baud(struct validator *validator)
{
    const struct pb_network *network = &validator->scenario->network;
    struct sweep sweep = plan_sweep(validator);
    int code = PB_OK;
    if (!validate_way(validator->scenario, &sweep.in, &sweep.out))
        return validate_because(validator, VALIDATE_SKIP,
                                "the node forwards nothing, so no line shows what it receives");
    /* One receiver serves all ports: the others are swept for completeness. */
    const unsigned ports =
        validator->options->profile == PB_VALIDATE_CHARACTERISE
            ? network->first_port[network->digits - 1]
            : 1;
    validator->runs_expected = ports;
    for (sweep.in = 0; sweep.in < ports && !code; sweep.in++) {
        sweep.out = network->first_port[network->digits - 1];
        code = sweep_port(validator, &sweep);
    }
    return code;
}

/* ---- phase: the tail guard shrinks until a frame is incorrect */

struct phase_search {
    const char *name;
    uint64_t baud_hz;
    unsigned payload; /* 0: of the base */
};

static int64_t frame_ps(const struct validator *validator, const struct phase_search *search)
{
    const struct pb_scenario *scenario = validator->scenario;
    const unsigned bytes = search->payload
                               ? scenario->frame_bytes - scenario->payload_bytes + search->payload
                               : scenario->frame_bytes;
    return (int64_t)llround(10.0 * bytes * PS_PER_S / (double)search->baud_hz);
}

/* *passes: the node passes in a phase of this length. PB_ERR_CONFIG: the scenario is refused. */
static int try_phase(struct validator *validator, const struct phase_search *search, int64_t phase_ps,
                     bool *passes)
{
    const struct pb_scenario *scenario = validator->scenario;
    struct validate_case one = {.name = search->name};
    char rate[48], baud[32], guard[32], head[32], payload[24];
    char *const traffic = validate_full_load(scenario, 5);
    const struct pb_result *result = NULL;
    if (!traffic)
        return validate_because(validator, PB_ERR_MEMORY, "no memory for the traffic");
    snprintf(rate, sizeof rate, "%.3f Hz", PS_PER_S / (double)phase_ps);
    snprintf(baud, sizeof baud, "%" PRIu64 " baud", search->baud_hz);
    snprintf(guard, sizeof guard, "%" PRId64 " ps", phase_ps - frame_ps(validator, search) - 1000);
    snprintf(head, sizeof head, "%" PRId64 " ps", scenario->head_guard_ps);
    validate_set(&one, "traffic", traffic);
    validate_set(&one, "faults", "[]");
    validate_set(&one, "superframes", "6");
    validate_set(&one, "link.phase_rate", rate);
    validate_set(&one, "link.baud", baud);
    validate_set(&one, "link.guard", guard);
    validate_set(&one, "link.head_guard", head);
    snprintf(payload, sizeof payload, "%u bytes",
             search->payload ? search->payload : scenario->payload_bytes);
    validate_set(&one, "link.payload", payload);
    one.counts = validate_counts_of(validator);
    const int code = validate_play(validator, &one, &result);
    *passes = !code && !validate_count(&one, result);
    free(traffic);
    return code;
}

/* The shortest phase between frame and head guard, and the frame with 50 us more, to a hundredth of the
 * frame. 0: none. */
static int search_phase(struct validator *validator, const struct phase_search *search, int64_t *least_ps,
                        int64_t *step_ps)
{
    const int64_t frame = frame_ps(validator, search), resolution = frame / 200 + 1;
    int64_t fails = frame + validator->scenario->head_guard_ps, right = fails + 50000000;
    bool passes;
    int code = try_phase(validator, search, right, &passes);
    *least_ps = 0;
    if (code || !passes)
        return code;
    while (right - fails > resolution && !code) {
        const int64_t middle = fails + (right - fails) / 2;
        code = try_phase(validator, search, middle, &passes);
        if (code == PB_ERR_CONFIG) { /* the guards leave no room */
            *validator->reason = '\0';
            passes = false;
            code = PB_OK;
        }
        if (passes)
            right = middle;
        else
            fails = middle;
    }
    *least_ps = right;
    *step_ps = right - fails;
    return code;
}

/* The phase at the bit rate of the base; how much longer than the frame it is at any. */
static int add_phase(struct validator *validator, const struct phase_search *search, int64_t least_ps,
                     int64_t step_ps)
{
    struct pb_item_value value =
        validate_value(PB_ITEM_GUARD_LEAST, least_ps - frame_ps(validator, search), 1);
    value.node = 0;
    value.u95 = step_ps;
    int code = validate_add(validator, value, "%s", search->name);
    if (!code && search->baud_hz == validator->scenario->baud_hz) {
        value.item = PB_ITEM_PHASE_LEAST;
        value.value = value.min = value.mean = value.max = least_ps;
        code = validate_add(validator, value, "%s", "");
    }
    return code;
}

int validate_step_phase(struct validator *validator)
{
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    static const uint64_t rates[] = {250000, 500000, 1000000, 2000000};
    const uint64_t base_hz = validator->scenario->baud_hz;
    int code = PB_OK;
    validator->runs_expected = 9 * (ARRAY_COUNT(rates) + 1);
    for (size_t i = 0; i <= ARRAY_COUNT(rates) && !code; i++) {
        char name[32];
        const struct phase_search search = {name, i < ARRAY_COUNT(rates) ? rates[i] : base_hz, 0};
        int64_t least_ps = 0, step_ps = 0;
        if (i < ARRAY_COUNT(rates) && (search.baud_hz == base_hz || !validate_is_settable(validator)))
            continue;
        snprintf(name, sizeof name, "%" PRIu64 " kbaud", search.baud_hz / 1000);
        code = search_phase(validator, &search, &least_ps, &step_ps);
        if (code == PB_ERR_CONFIG && search.baud_hz != base_hz) { /* the node has no such bit rate */
            *validator->reason = '\0';
            code = PB_OK;
        } else if (!code && !least_ps) {
            code = validate_because(validator, search.baud_hz == base_hz ? PB_ERR_NODE : PB_OK,
                                    "at %s no phase is long enough", name);
        } else if (!code) {
            code = add_phase(validator, &search, least_ps, step_ps);
        }
    }
    return code;
}

/* The shortest frame at the highest bit rate of a simulated node; of a board its own frame. */
int validate_step_ceiling(struct validator *validator)
{
    if (validator->scenario->follow)
        return validate_foreign_clock(validator);
    const struct pb_scenario *scenario = validator->scenario;
    struct phase_search search = {"ceiling", scenario->baud_hz, 0};
    int64_t least_ps = 0, step_ps = 0;
    validator->runs_expected = 10;
    if (validate_is_settable(validator)) {
        search.baud_hz = scenario->baud_hz > 2000000 ? scenario->baud_hz : 2000000;
        search.payload = 1;
    }
    int code = search_phase(validator, &search, &least_ps, &step_ps);
    if (code == PB_ERR_CONFIG && validate_is_settable(validator)) {
        search = (struct phase_search){"ceiling", scenario->baud_hz, 0};
        *validator->reason = '\0';
        code = search_phase(validator, &search, &least_ps, &step_ps);
    }
    if (code)
        return code;
    if (!least_ps)
        return validate_because(validator, PB_ERR_NODE, "no phase is long enough for its frames");
    const double rate_mhz = PS_PER_S * 1000 / (double)least_ps;
    struct pb_item_value value = validate_value(PB_ITEM_CLOCK_CEILING, (int64_t)rate_mhz, 1);
    value.node = 0;
    value.u95 = (int64_t)(rate_mhz * (double)step_ps / (double)least_ps);
    snprintf(value.note, sizeof value.note, "frames of %" PRId64 " ns at %" PRIu64 " kbaud",
             frame_ps(validator, &search) / 1000, search.baud_hz / 1000);
    return validate_add(validator, value, "%s", "");
}
