/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"
#include "kinds.h"

#include "phasebench/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
/* A node that aims at the end of the head guard must not be judged marginal for the grain of its own clock: 1
 * % fast brings it 50 ns forward at the default guard. */
#define START_EARLY_PS INT64_C(100000)
#define BITS_PER_BYTE 10 /* 8N1 */

/* What a codec puts around the payload. StarC: 0xAA, header, length, and the destination as the first two
 * bytes of at most 80 bytes of content; CRC-16. */
static const struct codec {
    const char *name;
    unsigned header_bytes, check_bytes, payload_max;
} codecs[] = {
    [PB_CODEC_SLOT] = {"slot", 2, 1, 80},
    [PB_CODEC_STARC] = {"starc", 5, 2, 78},
    [PB_CODEC_BARE] = {"bare", 0, 1, 80},
};

const char *pb_codec_name(enum pb_codec codec)
{
    return codecs[codec].name;
}

unsigned pb_codec_header_bytes(const char *name)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (!strcmp(codecs[i].name, name))
            return codecs[i].header_bytes;
    return 0;
}

static const char *const capture_name[] = {"auto", "edges", "bytes"};

const char *pb_capture_name(enum pb_capture capture)
{
    return capture_name[capture];
}

static int read_choices(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                        struct pb_scenario *scenario)
{
    size_t capture = PB_CAPTURE_AUTO, rest = 0;
    int code = pb_read_key(reader, PB_KEY_scenario_capture, raw, 0, &capture);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_scenario_rest, raw, 0, &rest);
    scenario->capture = (enum pb_capture)capture;
    scenario->reacts = rest == 1;
    return code;
}

static int read_guards(const struct pb_reader *reader, const struct pb_raw_link *raw,
                       struct pb_scenario *scenario)
{
    int code = pb_read_key(reader, PB_KEY_link_guard, raw, 0, &scenario->guard_ps);
    if (code != PB_OK)
        return code;
    scenario->head_guard_ps = scenario->guard_ps / 2;
    code = pb_read_quantity(reader, "link.head_guard", raw->head_guard, PB_QUANTITY_TIME, 0, PB_GUARD_MAX_PS,
                            &scenario->head_guard_ps);
    if (code != PB_OK || scenario->head_guard_ps <= scenario->guard_ps)
        return code;
    char head[32], both[32];
    return pb_reject(reader, "link.head_guard",
                     "%s is more than guard (%s), which is both guards together; lower it or raise guard",
                     pb_quantity_format(head, sizeof head, PB_QUANTITY_TIME, scenario->head_guard_ps),
                     pb_quantity_format(both, sizeof both, PB_QUANTITY_TIME, scenario->guard_ps));
}

static int read_speeds(const struct pb_reader *reader, const struct pb_raw_link *raw,
                       struct pb_scenario *scenario)
{
    int64_t phase_rate_mhz = 0, baud_hz = 0, console_baud_hz = 0;
    int code = pb_read_key(reader, PB_KEY_link_phase_rate, raw, 0, &phase_rate_mhz);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_link_baud, raw, 0, &baud_hz);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_link_console_baud, raw, 0, &console_baud_hz);
    scenario->phase_rate_mhz = (uint64_t)phase_rate_mhz;
    scenario->baud_hz = (uint64_t)baud_hz;
    scenario->console_baud_hz = (uint64_t)console_baud_hz;
    return code;
}

struct remedies {
    char text[200];
    size_t used;
};

static void add_remedy(struct remedies *remedies, const char *key, enum pb_quantity_kind kind, int64_t value,
                       const char *direction)
{
    char quantity[32];
    size_t room = sizeof remedies->text - remedies->used;
    int length = snprintf(remedies->text + remedies->used, room, "%s%s %s or %s",
                          remedies->used ? ", " : "set one of: ", key,
                          pb_quantity_format(quantity, sizeof quantity, kind, value), direction);
    remedies->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Names every setting that would help alone, with the value nearest to the present one. */
static int reject_budget(const struct pb_reader *reader, const struct pb_scenario *scenario,
                         const struct codec *codec, const struct pb_budget *budget, unsigned wanted)
{
    struct remedies remedies = {.used = 0};
    if (budget->payload_bytes)
        add_remedy(&remedies, "payload", PB_QUANTITY_SIZE, budget->payload_bytes, "less");
    if (budget->phase_rate_limit_mhz)
        add_remedy(&remedies, "phase_rate", PB_QUANTITY_FREQUENCY, (int64_t)budget->phase_rate_limit_mhz,
                   "less");
    if (budget->baud_limit_hz)
        add_remedy(&remedies, "baud", PB_QUANTITY_BAUD, (int64_t)budget->baud_limit_hz, "more");
    if (budget->guard_limit_ps >= 0)
        add_remedy(&remedies, "guard", PB_QUANTITY_TIME, budget->guard_limit_ps, "less");

    char payload[32], frame[32], phase[32], guard[32], baud[32];
    int64_t frame_bytes = (int64_t)wanted + codec->header_bytes + codec->check_bytes;
    return pb_reject(
        reader, "link.payload",
        "%s of payload make a frame of %s, a phase of %s with guard %s at %s holds %" PRIu32 "; %s",
        pb_quantity_format(payload, sizeof payload, PB_QUANTITY_SIZE, wanted),
        pb_quantity_format(frame, sizeof frame, PB_QUANTITY_SIZE, frame_bytes),
        pb_quantity_format(phase, sizeof phase, PB_QUANTITY_TIME, budget->phase_ps),
        pb_quantity_format(guard, sizeof guard, PB_QUANTITY_TIME, scenario->guard_ps),
        pb_quantity_format(baud, sizeof baud, PB_QUANTITY_BAUD, (int64_t)scenario->baud_hz),
        budget->slot_bytes,
        remedies.used ? remedies.text : "no single setting helps, lower phase_rate and guard together");
}

/* program: in place of traffic; NULL: none, or no known one. */
static int read_frame(const struct pb_reader *reader, const struct pb_raw_link *raw,
                      const struct pb_program *program, struct pb_scenario *scenario)
{
    size_t choice = PB_CODEC_SLOT;
    int code = pb_read_key(reader, PB_KEY_link_codec, raw, 0, &choice);
    if (code != PB_OK)
        return code;
    const struct codec *codec = &codecs[choice];
    int64_t wanted = 0;
    if (choice == PB_CODEC_BARE && !program)
        return pb_reject(
            reader, "link.codec",
            "bare: its frames name no destination, which only a program does without; give slot or "
            "starc, or a program as traffic");
    code = pb_read_quantity(reader, "link.payload", raw->payload, PB_QUANTITY_SIZE, 1, codec->payload_max,
                            &wanted);
    if (code != PB_OK)
        return code;

    struct pb_budget budget;
    const struct pb_budget_input input = {
        .phase_rate_mhz = scenario->phase_rate_mhz,
        .baud_hz = scenario->baud_hz,
        .guard_ps = scenario->guard_ps,
        .header_bytes = codec->header_bytes,
        .check_bytes = codec->check_bytes,
        .payload_bytes = (unsigned)wanted,
        .phases = scenario->network.phases,
    };
    struct pb_diag cause;
    if (pb_budget(&input, &budget, &cause) != PB_OK)
        return pb_reject(reader, "link", "%s", cause.text);
    if (!budget.fits)
        return reject_budget(reader, scenario, codec, &budget, wanted ? (unsigned)wanted : 1);

    unsigned most = budget.payload_bytes < codec->payload_max ? budget.payload_bytes : codec->payload_max;
    if (program && program->payload_bytes < most) /* what is left is for what the node computes */
        most = program->payload_bytes;
    scenario->codec = (enum pb_codec)choice;
    scenario->payload_bytes = wanted ? (unsigned)wanted : most;
    scenario->frame_bytes = scenario->payload_bytes + codec->header_bytes + codec->check_bytes;
    return PB_OK;
}

static int read_drive(const struct pb_reader *reader, const struct pb_raw_link *raw,
                      struct pb_scenario *scenario)
{
    size_t drive = 0;
    const int code = pb_read_key(reader, PB_KEY_link_drive, raw, 0, &drive);
    scenario->push_pull = drive == 1;
    return code;
}

static int read_rise(const struct pb_reader *reader, const struct pb_raw_link *raw,
                     struct pb_scenario *scenario)
{
    scenario->rise_ps = PB_RISE_AUTO;
    int code = PB_OK;
    if (raw->rise && strcmp(raw->rise, "auto"))
        code = pb_read_quantity(reader, "link.rise", raw->rise, PB_QUANTITY_TIME, 0, PB_RISE_MAX_PS,
                                &scenario->rise_ps);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_link_simulated_rise, raw, 0, &scenario->simulated_rise_ps);
    return code;
}

int pb_compile_clock(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                     struct pb_scenario *scenario)
{
    const struct pb_raw_clock *clock = &raw->clock;
    size_t source = 0;
    int64_t error_ppm = 0;
    int code = pb_read_key(reader, PB_KEY_clock_source, clock, 0, &source);
    scenario->follow = source == 1;
    const char *outside = clock->error    ? "clock.error"
                          : clock->jitter ? "clock.jitter"
                                          : "clock.sync_skew";
    if (code == PB_OK && !scenario->follow && (clock->error || clock->jitter || clock->sync_skew))
        code =
            pb_reject(reader, outside,
                      "is a key of an external clock, this one is the bench's own; set clock.source external "
                      "or remove the key");
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_clock_error, clock, 0, &error_ppm);
    if (code == PB_OK)
        code = pb_read_quantity(reader, "clock.jitter", clock->jitter, PB_QUANTITY_TIME, 0,
                                pb_phase_ps(scenario) / 8, &scenario->controller.jitter_ps);
    if (code == PB_OK)
        code = pb_read_quantity(reader, "clock.sync_skew", clock->sync_skew, PB_QUANTITY_TIME,
                                -pb_phase_ps(scenario) / 4, pb_phase_ps(scenario) / 4,
                                &scenario->controller.sync_skew_ps);
    scenario->controller.clock_error_ppm = (int32_t)error_ppm;
    return code;
}

int pb_compile_link(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                    struct pb_scenario *scenario)
{
    int code = pb_read_key(reader, PB_KEY_scenario_seed, raw, 0, &scenario->seed);
    if (code == PB_OK)
        code = pb_compile_network(reader, raw, scenario);
    if (code == PB_OK)
        code = read_speeds(reader, &raw->link, scenario);
    if (code == PB_OK)
        code = read_guards(reader, &raw->link, scenario);
    if (code == PB_OK)
        code = read_frame(reader, &raw->link,
                          raw->traffic_count && raw->traffic->program ? pb_program_find(raw->traffic->program)
                                                                      : NULL,
                          scenario);
    if (code == PB_OK)
        code = read_drive(reader, &raw->link, scenario);
    if (code == PB_OK)
        code = read_rise(reader, &raw->link, scenario);
    if (code == PB_OK)
        code = read_choices(reader, raw, scenario);
    return code;
}

/* The latest start, counted from the end of the head guard, that keeps the line high in the tail guard. The
 * last bit of a frame is a stop bit, which does not pull the line, so a frame that fills its slot may still
 * be one bit late. So may one of a program, whose rest of the phase is for what the nodes compute. */
static int64_t default_start_late_ps(const struct pb_scenario *scenario)
{
    int64_t low_bits = (int64_t)scenario->frame_bytes * BITS_PER_BYTE - 1;
    int64_t low_ps = low_bits * PS_PER_S / (int64_t)scenario->baud_hz;
    int64_t late_ps = pb_phase_ps(scenario) - scenario->guard_ps - low_ps;
    return late_ps > 0 ? late_ps : 0;
}

/* R3 of docs/node.md, or what the emulated parts need. */
static int64_t default_boot_ps(const struct pb_scenario *scenario)
{
    int64_t boot_ps = PB_BOOT_LEAST_PS;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        const struct pb_node_kind *kind = pb_node_kind_of(scenario->node[i].kind);
        if (kind && kind->boot_ps > boot_ps)
            boot_ps = kind->boot_ps;
    }
    return boot_ps;
}

int pb_compile_limits(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario)
{
    struct pb_limits *limits = &scenario->limits;
    uint64_t max_superframes = 0, max_occupancy = 0, recovery = 0;
    size_t overflow = 0;
    limits->start_early_ps =
        scenario->head_guard_ps < START_EARLY_PS ? scenario->head_guard_ps : START_EARLY_PS;
    limits->start_late_ps = raw->traffic_count && raw->traffic->program
                                ? PS_PER_S / (int64_t)scenario->baud_hz
                                : default_start_late_ps(scenario);
    limits->boot_ps = default_boot_ps(scenario);
    int code = pb_read_quantity(reader, "limits.start_early", raw->limits.start_early, PB_QUANTITY_TIME, 0,
                                scenario->head_guard_ps, &limits->start_early_ps);
    if (code == PB_OK)
        code = pb_read_quantity(reader, "limits.start_late", raw->limits.start_late, PB_QUANTITY_TIME, 0,
                                pb_phase_ps(scenario) - scenario->head_guard_ps, &limits->start_late_ps);
    if (code == PB_OK)
        code = pb_read_quantity(reader, "limits.boot", raw->limits.boot, PB_QUANTITY_TIME, PB_BOOT_LEAST_PS,
                                PB_BOOT_MOST_PS, &limits->boot_ps);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_limits_max_superframes, &raw->limits, 0, &max_superframes);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_limits_max_occupancy, &raw->limits, 0, &max_occupancy);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_limits_overflow, &raw->limits, 0, &overflow);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_limits_recovery, &raw->limits, 0, &recovery);
    limits->recovery_superframes = (uint32_t)recovery;
    limits->drop_overflow = overflow == 1;
    limits->max_superframes = (uint32_t)max_superframes;
    limits->max_occupancy = (unsigned)max_occupancy;
    return code;
}
