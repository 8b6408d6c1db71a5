/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/machine_bench.h"
#include "phasebench/signal_limits.h"

#include "host/check/slot_ticks.h"
#include "host/plan/answer.h"
#include "host/plan/frame.h"
#include "host/plan/node_map.h"
#include "host/run/configure.h"
#include "host/run/session.h"
#include "host/run/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_BYTES = 4,
    SILENCE_MS = 20,    /* longest wait for it, in addition to an answer of ... */
    ANSWER_BYTES = 2000 /* docs/node.md */
};

struct rig_bench {
    struct pb_machine_bench base;
    struct pb_scenario scenario; /* the given one without its traffic, which is borrowed otherwise */
    struct pb_run_options options;
    struct pb_observation seen;
    struct pb_session *session; /* NULL: closed */
    struct pb_console *console;
    struct pb_diag diag; /* of the session */
    bool noisy;          /* the node to which was typed last is not silent */
    uint64_t lost;       /* events, before this superframe */
};

/* The session writes into a diagnostic of its own. */
static int say(const struct rig_bench *bench, int code, struct pb_diag *diag)
{
    return code < 0 ? pb_fail(diag, code, "%s", bench->diag.text) : PB_OK;
}

/* ---- messages */

static void put_number(const struct pb_machine_message *message, uint8_t payload[PB_FRAME_MAX])
{
    memset(payload, 0, PB_FRAME_MAX);
    for (unsigned i = 0; i < NUMBER_BYTES; i++)
        payload[i] = (uint8_t)(message->number >> 8 * (NUMBER_BYTES - 1 - i));
}

static void frame(const struct pb_machine_bench *base, const struct pb_machine_message *message,
                  uint8_t bytes[PB_FRAME_MAX])
{
    const struct rig_bench *bench = (const struct rig_bench *)base;
    uint8_t payload[PB_FRAME_MAX];
    put_number(message, payload);
    pb_frame_write(&bench->scenario, message->destination, message->sequence & PB_SEQUENCE_MASK, payload,
                   bytes);
}

static bool accepts(const struct pb_machine_bench *base, const uint8_t *bytes, unsigned count)
{
    return pb_frame_checks(&((const struct rig_bench *)base)->scenario, bytes, count);
}

static void line(const struct pb_machine_bench *base, const struct pb_machine_message *message, char *text,
                 size_t size)
{
    (void)base;
    snprintf(text, size, "S %" PRIX32 " %08" PRIX32, message->destination, message->number);
}

/* ---- consoles */

/* A node that says more than its answer must not garble that of the next one. */
static int hear_out(struct pb_machine_bench *base, bool *silent, struct pb_diag *diag)
{
    struct rig_bench *bench = (struct rig_bench *)base;
    struct pb_events *events = bench->console->events;
    const unsigned most_ms =
        SILENCE_MS + (unsigned)(UINT64_C(10000) * ANSWER_BYTES / bench->scenario.console_baud_hz);
    int code = PB_OK;
    *silent = false;
    for (unsigned ms = 0; ms < most_ms && !*silent && !code; ms++) {
        events->count = 0;
        code = pb_step_wait(bench->console, 1);
        *silent = true;
        for (size_t i = 0; i < events->count; i++)
            *silent &= events->event[i].kind != PB_EVENT_CONSOLE;
    }
    bench->noisy = !*silent;
    return say(bench, code, diag);
}

static bool answers(const struct pb_machine_bench *base, const struct pb_machine_message *message,
                    const char *answer)
{
    char due[PB_ANSWER_MAX];
    (void)base;
    pb_answer(due, false, message->sequence & PB_SEQUENCE_MASK);
    return pb_answer_fits(answer, due) || pb_answer_refuses(answer);
}

static int type(struct pb_machine_bench *base, unsigned node, const char *typed, char *answer, size_t size,
                struct pb_diag *diag)
{
    struct rig_bench *bench = (struct rig_bench *)base;
    int code = PB_OK;
    *answer = 0;
    if (bench->noisy) { /* the receiver is in the middle of a byte of the node before */
        code = pb_console_listen(bench->console, node);
        code = code ? code : pb_step_wait(bench->console, 1);
        bench->console->events->count = 0;
        bench->noisy = false;
    }
    if (!code)
        code = pb_console_ask(bench->console, node, typed, answer, size);
    bench->console->events->count = 0;
    return say(bench, code, diag);
}

static void trouble(struct pb_machine_bench *base, unsigned node, char *text, size_t size)
{
    struct pb_node_trouble found;
    pb_session_trouble(((struct rig_bench *)base)->session, node, &found);
    snprintf(text, size, "%s", found.kind ? found.text : "");
}

/* Bytes are enough, and edges are many. */
static int begin(struct pb_machine_bench *base, struct pb_diag *diag)
{
    struct rig_bench *bench = (struct rig_bench *)base;
    const uint32_t none[2] = {0, 0};
    int code = pb_device_write_many(bench->console->device, PB_REG_EDGE_MASK0, none, 2, &bench->diag);
    if (!code)
        code = pb_step_reset(bench->console, 0);
    bench->console->events->count = 0;
    return say(bench, code, diag);
}

/* ---- a superframe */

/* Any lane serves any link, and keeps its records in order: the first lane with room takes the next one. */
static int play(struct rig_bench *bench, const struct pb_machine_play *plays, size_t count)
{
    const struct pb_console *console = bench->console;
    const unsigned lanes = bench->seen.info.lanes - 1;
    unsigned in_phase = 0;
    int code = PB_OK;

    for (size_t i = 0; i < count && !code; i++) {
        uint8_t record[PB_RECORD_MAX], bytes[PB_FRAME_MAX];
        unsigned free_bytes = 0;
        bool taken = false;
        in_phase = i && plays[i - 1].phase == plays[i].phase ? in_phase + 1 : 0;
        frame(&bench->base, &plays[i].message, bytes);
        const unsigned length = pb_record_in_phase(record, console->plan,
                                                   pb_link_of(&bench->scenario, plays[i].node, plays[i].port),
                                                   plays[i].phase, bytes, bench->base.frame_bytes);
        for (unsigned lane = in_phase; lane < lanes && !taken && !code; lane++) {
            in_phase = lane;
            code = pb_device_play(console->device, lane, record, length, &taken, &free_bytes, console->diag);
        }
        if (!code && !taken)
            code = pb_fail(console->diag, PB_ERR_CONFIG,
                           "machine: the core has %u lanes of %u bytes for the frames of a superframe, and "
                           "frame %zu of %zu does not fit; put fewer nodes on the rig, or lower "
                           "link.payload",
                           lanes, bench->seen.info.play_bytes, i + 1, count);
    }
    return code;
}

/* Of the limits of edges (T5) the one between two bytes shows in their events, to a tick at both ends. A
 * sound receiver may refuse what is beyond it. */
static bool is_uneven(const struct rig_bench *bench, uint64_t ticks)
{
    const int64_t bit_ps = INT64_C(1000000000000) / (int64_t)bench->scenario.baud_hz,
                  tick_ps = INT64_C(1000000000000) / (int64_t)bench->seen.info.clock_hz,
                  off_ps = (int64_t)ticks * tick_ps - PB_CHARACTER_BITS * bit_ps;
    return off_ps > pb_edge_late_ps(bit_ps, PB_CHARACTER_BITS) + 2 * tick_ps ||
           off_ps < -pb_edge_early_ps(bit_ps, PB_CHARACTER_BITS) - 2 * tick_ps;
}

static void add_byte(const struct rig_bench *bench, struct pb_machine_sent *sent,
                     const struct pb_event *event)
{
    sent->uneven |= sent->count && is_uneven(bench, event->tick - sent->tick);
    sent->tick = event->tick;
    sent->broken |= !pb_event_stop_ok(event) || sent->count == PB_FRAME_MAX;
    if (sent->count < PB_FRAME_MAX)
        sent->byte[sent->count++] = pb_event_data(event);
}

/* An event of a link in a phase. A byte counts in the phase in which it begins. */
static void read_event(const struct rig_bench *bench, const struct pb_event *event, const uint64_t *tick,
                       struct pb_machine_sent *sent)
{
    const struct pb_scenario *scenario = &bench->scenario;
    const struct pb_network *network = &scenario->network;
    const bool byte = event->kind == PB_EVENT_BYTE;
    if ((!byte && event->kind != PB_EVENT_ALARM) || event->link >= pb_link_count(scenario))
        return;
    const uint64_t back = byte ? pb_sample_ticks(bench->console->plan->bit_period_q4, 9) : 0;
    const int slot = pb_slot_at(tick, network->phases, event->tick - back);
    if (slot < 0)
        return;
    const unsigned code = byte ? 0 : PB_GET(PB_EVENT_ALARM_CODE, event->value);
    const bool sends = pb_network_is(network, pb_link_address(scenario, event->link), (unsigned)slot,
                                     PB_ROLE_SEND, pb_link_port(scenario, event->link));
    /* Of two that pull, the one that is to listen is wrong. */
    const int other =
        sends && code == PB_ALARM_CONTENTION ? pb_partner_link(scenario, event->link) : (int)event->link;
    if (other < 0)
        return;
    struct pb_machine_sent *at =
        &sent[pb_link_node_index(scenario, (unsigned)other) * network->phases + (unsigned)slot];
    at->pulled |= code == PB_ALARM_OUTSIDE_PHASE || code == PB_ALARM_CONTENTION;
    at->unclear |= code == PB_ALARM_GUARD || code == PB_ALARM_STUCK;
    if (byte && sends)
        add_byte(bench, at, event);
}

/* What is on its way when the clock stops, the last bytes among it. */
static int catch_up(struct rig_bench *bench)
{
    struct pb_console *console = bench->console;
    uint64_t now;
    const int code = pb_stamp(&now, console->device, &bench->seen, console->diag);
    return code ? code : pb_device_catch_up(console->device, now, console->events, console->diag);
}

static int read_superframe(const struct rig_bench *bench, struct pb_machine_sent *sent)
{
    const struct pb_console *console = bench->console;
    const unsigned phases = bench->scenario.network.phases;
    const struct pb_events *events = console->events;
    uint64_t tick[PB_NETWORK_PHASES_MAX];

    if (pb_slot_ticks(tick, phases, phases, events, 0) || pb_step_lost_events(console) != bench->lost)
        return pb_fail(console->diag, PB_ERR_LINK,
                       "machine: events of a superframe were lost on the way from the core; lower "
                       "link.phase_rate, or stop other programs that use the host");
    for (size_t i = 0; i < events->count; i++) {
        if (events->event[i].kind == PB_EVENT_UNDERRUN)
            return pb_fail(console->diag, PB_ERR_LINK,
                           "machine: the core got a frame too late for its phase; open the rig again");
        read_event(bench, &events->event[i], tick, sent);
    }
    return PB_OK;
}

static int superframe(struct pb_machine_bench *base, const struct pb_machine_play *plays, size_t count,
                      struct pb_machine_sent *sent, struct pb_diag *diag)
{
    struct rig_bench *bench = (struct rig_bench *)base;

    bench->console->events->count = 0;
    bench->lost = pb_step_lost_events(bench->console);
    int code = play(bench, plays, count);
    if (!code)
        code = pb_step_superframes(bench->console, 1);
    if (!code)
        code = catch_up(bench);
    if (!code)
        code = read_superframe(bench, sent);
    bench->console->events->count = 0;
    return say(bench, code, diag);
}

/* ---- the bench */

static void close_bench(struct pb_machine_bench *base)
{
    struct rig_bench *bench = (struct rig_bench *)base;
    if (bench->session)
        pb_session_close(bench->session, PB_OK);
    pb_observation_free(&bench->seen);
    free(bench);
}

static const struct pb_machine_bench_ops ops = {.begin = begin,
                                                .type = type,
                                                .hear_out = hear_out,
                                                .answers = answers,
                                                .trouble = trouble,
                                                .line = line,
                                                .frame = frame,
                                                .accepts = accepts,
                                                .superframe = superframe,
                                                .close = close_bench};

static int check(const struct pb_scenario *scenario, struct pb_diag *diag)
{
    if (scenario->follow)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "machine: clock.source is external, and between two superframes the clock has to wait; "
            "remove the key");
    if (scenario->fault_count)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: the scenario injects %u faults, which are for phasebench run; remove them",
                       scenario->fault_count);
    if (scenario->codec == PB_CODEC_BARE)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: link.codec is bare, and messages need a destination; give slot or starc");
    if (scenario->payload_bytes < NUMBER_BYTES)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "machine: a payload of %u bytes; it takes %d for the number of a message; raise "
                       "link.payload",
                       scenario->payload_bytes, NUMBER_BYTES);
    return pb_scenario_check_nodes(scenario, diag);
}

/* A frame rises on each line of a joined pair. */
static int check_rises(const struct rig_bench *bench, struct pb_diag *diag)
{
    const struct pb_scenario *scenario = &bench->scenario;
    const int64_t most_ps = pb_rise_most_ps(INT64_C(1000000000000) / (int64_t)scenario->baud_hz);
    for (unsigned link = 0; link < pb_link_count(scenario); link++) {
        const int partner = pb_partner_link(scenario, link);
        const int64_t rise_ps =
            bench->seen.rise[link].min_ps + (partner < 0 ? 0 : bench->seen.rise[partner].min_ps);
        if (rise_ps > most_ps)
            return pb_fail(diag, PB_ERR_CONFIG,
                           "machine: the line at port %u of node 0x%" PRIX32
                           "%s takes %.0f ns to rise, and %" PRIu64
                           " baud leaves %.0f ns; fit a stronger pull-up, or lower link.baud",
                           pb_link_port(scenario, link), pb_link_address(scenario, link),
                           partner < 0 ? "" : ", with the line joined to it,", (double)rise_ps / 1e3,
                           scenario->baud_hz, (double)most_ps / 1e3);
    }
    return PB_OK;
}

int pb_machine_bench_open(struct pb_machine_bench **out, const struct pb_scenario *scenario,
                          const struct pb_run_options *options, struct pb_diag *diag)
{
    const struct pb_rig_options rig = {.url = options->rig_url, .stop = options->stop};
    struct rig_bench *bench = NULL;

    *out = NULL;
    int code = check(scenario, diag);
    if (!code && !(bench = calloc(1, sizeof *bench)))
        code = pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for the bench");
    if (code)
        return code;
    bench->base = (struct pb_machine_bench){.ops = &ops,
                                            .network = &scenario->network,
                                            .nodes = scenario->node_count,
                                            .frame_bytes = scenario->frame_bytes};
    bench->scenario = *scenario;
    bench->scenario.traffic = (struct pb_traffic){0};
    bench->scenario.endless_count = 0;
    bench->scenario.program = NULL;
    bench->scenario.superframes = 1;
    bench->options = *options;
    for (unsigned i = 0; i < scenario->node_count; i++) {
        bench->base.address[i] = scenario->node[i].address;
        if (!scenario->node[i].room_known)
            continue;
        bench->base.room[i] = scenario->node[i].room;
        bench->base.room_of_port[i] = scenario->node[i].room_per_dimension;
    }
    code =
        pb_session_open(&bench->session, &bench->seen, &bench->scenario, &bench->options, &rig, &bench->diag);
    if (code)
        say(bench, code, diag);
    else
        code = check_rises(bench, diag);
    if (code) {
        close_bench(&bench->base);
        return code;
    }
    bench->console = pb_session_console(bench->session);
    *out = &bench->base;
    return PB_OK;
}

void pb_machine_bench_close(struct pb_machine_bench *bench)
{
    if (bench)
        bench->ops->close(bench);
}
