/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node: an independent implementation of docs/node.md. A mistake in the firmware, in the
 * reference node or on that page shows as a difference. With a defect it violates one sentence of it.
 *
 * The timing model: one clock of 32 MHz times (1 + clock_ppm / 10^6). An edge of TDMA_CLK is captured at the
 * next tick; a transmission starts the head guard, in whole ticks, after that. The handler runs
 * irq_latency_ps and a random part of irq_jitter_ps after the edge and reads TDMA_SYNC. Bits are exact
 * divisions of the clock.
 */
#include "bench/nodes/contract.h"
#include "bench/nodes/limits.h"

#include <stdlib.h>
#include <string.h>

#define TICK_HZ UINT64_C(32000000)
#define PS_PER_S INT64_C(1000000000000)
#define LATE_BOOT_PS INT64_C(900000000)
#define BLIP_PS INT64_C(500000000) /* from NRST on */

enum { BAUD_MIN_HZ = 300, BAUD_MAX_HZ = 12000000, PPM_MAX = 100000, PAYLOAD_MAX_STARC = 78 };

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t period_ps(const struct contract *node)
{
    return PS_PER_S * 1000 / node->config.phase_rate_mhz;
}

static int64_t bit_ps(const struct contract *node, uint64_t bits)
{
    return contract_span_ps(node->config.clock_ppm, node->config.baud_hz, bits);
}

/* ---- defects */

static bool has_happened(const struct contract *node)
{
    return node->broken.after == PB_AFTER_START || node->happened >> node->broken.after & 1;
}

static bool is_its_port(const struct contract *node)
{
    unsigned port;
    return !node->broken.port ||
           (node->phase != CONTRACT_UNKNOWN &&
            contract_turn(node, (unsigned)node->phase, &port) != CONTRACT_IDLE &&
            port + 1 == node->broken.port);
}

bool contract_strikes(struct contract *node, enum pb_contract_defect defect)
{
    if (node->broken.defect != defect || node->superframes < node->broken.from + (node->broken.from > 0) ||
        !has_happened(node) || !is_its_port(node))
        return false;
    const uint32_t every = node->broken.every;
    node->occasions++;
    const bool hit =
        every == PB_DEFECT_ONCE ? node->occasions == 1 : every == 0 || node->occasions % every == 0;
    node->strikes += hit;
    return hit;
}

/* Pulls lines for a time, in parallel with the transmitter. */
static void add_pulse(struct contract *node, int64_t from_ps, int64_t length_ps, uint32_t lines)
{
    for (unsigned i = 0; i < CONTRACT_PULSES; i++)
        if (node->pulse[i].to_ps <= node->now_ps) {
            node->pulse[i] = (struct contract_pulse){from_ps, from_ps + length_ps, lines};
            return;
        }
}

static uint32_t next_link(const struct contract *node, unsigned dimension)
{
    return (dimension + 1 < node->links) ? 1u << (dimension + 1) : 1u;
}

static uint32_t swap_links(uint32_t lines)
{
    return (lines & ~3u) | (lines & 1) << 1 | (lines >> 1 & 1);
}

/* ---- sending */

static int64_t start_ps(struct contract *node)
{
    const uint64_t guard = contract_periods(0, TICK_HZ, node->config.head_guard_ps);
    const uint64_t edge = contract_periods(node->config.clock_ppm, TICK_HZ, node->edge_ps - node->origin_ps);
    int64_t start = node->origin_ps + contract_span_ps(node->config.clock_ppm, TICK_HZ, edge + guard);
    if (contract_free(node, PB_FREEDOM_STARTS_VARY))
        start += contract_start_offset_ps(node);
    if (contract_strikes(node, PB_CONTRACT_EARLY_START))
        start -= node->amount_ps;
    if (contract_strikes(node, PB_CONTRACT_LATE_START))
        start += node->amount_ps;
    const bool late = start < node->now_ps;
    if (late)
        start = node->now_ps;
    node->count.late_starts += late || contract_strikes(node, PB_CONTRACT_LATE_COUNTED);
    return start;
}

/* How much shorter than nominal the bits of each byte are. */
static void hasten_bits(struct contract *node, unsigned bits, int64_t *bound_ps)
{
    const bool all = contract_strikes(node, PB_CONTRACT_FAST_BITS),
               later = contract_strikes(node, PB_CONTRACT_FAST_LATER),
               growing = contract_strikes(node, PB_CONTRACT_FASTER_BITS);
    const unsigned last = bits / 10 - 1;
    for (unsigned bit = 0; bit < bits; bit++) {
        const unsigned byte = bit / 10;
        int64_t haste_ps = all || (later && byte) ? node->amount_ps : 0;
        if (growing && last)
            haste_ps = node->amount_ps * byte / last;
        bound_ps[bit] -= bit % 10 * haste_ps;
    }
}

/* Computes the begin of each bit. */
static void place_bits(struct contract *node, int64_t start, unsigned bits, int64_t *bound_ps)
{
    const bool off = contract_strikes(node, PB_CONTRACT_BAUD_OFF);
    const bool stop = contract_strikes(node, PB_CONTRACT_SHORT_STOP);
    const bool data = contract_strikes(node, PB_CONTRACT_LATE_DATA);
    const bool pause = bits > 10 && contract_strikes(node, PB_CONTRACT_BYTE_PAUSE);
    for (unsigned bit = 0; bit <= bits; bit++) {
        bound_ps[bit] = start + bit_ps(node, bit);
        if (off)
            bound_ps[bit] += bit * node->amount_ps;
        if (stop)
            bound_ps[bit] -= bit / 10 * node->amount_ps;
        if ((data && bit % 10 > 0) || (pause && bit >= 10))
            bound_ps[bit] += node->amount_ps;
        if (bit % 10 > 0 && contract_free(node, PB_FREEDOM_EDGES_WANDER))
            bound_ps[bit] += contract_draw(node, bit_ps(node, 1) / 16) - bit_ps(node, 1) / 32;
    }
}

static void move_edges(struct contract *node, const int64_t *bound_ps, unsigned count)
{
    struct contract_wave *wave = &node->wave;
    if (contract_strikes(node, PB_CONTRACT_LATE_EDGE) ||
        (node->phase > 1 && contract_strikes(node, PB_CONTRACT_ONE_LINK_EDGE)))
        wave->toggle_ps[wave->toggles / 2] += node->amount_ps;
    if (contract_strikes(node, PB_CONTRACT_LATE_RISE))
        for (unsigned i = 1; i < wave->toggles; i += 2)
            wave->toggle_ps[i] += node->amount_ps;
    if (!contract_strikes(node, PB_CONTRACT_LATE_FALL))
        return;
    for (unsigned i = 0, byte = 0; i < wave->toggles; i += 2) {
        while (byte < count && bound_ps[10 * byte] < wave->toggle_ps[i])
            byte++;
        if (byte == count || bound_ps[10 * byte] != wave->toggle_ps[i])
            wave->toggle_ps[i] += node->amount_ps;
    }
}

static unsigned spoil_bytes(struct contract *node, uint8_t *bytes, unsigned count)
{
    if (contract_strikes(node, PB_CONTRACT_FLIPPED_BIT))
        bytes[1] ^= 0x01;
    if (contract_strikes(node, PB_CONTRACT_WRONG_CRC))
        bytes[count - 1] ^= 0x80;
    if (contract_strikes(node, PB_CONTRACT_SHORT_FRAME))
        return count - 1;
    if (!contract_strikes(node, PB_CONTRACT_LONG_FRAME))
        return count;
    bytes[count] = 0x55;
    return count + 1;
}

static void send_frame(struct contract *node, const struct contract_message *message, unsigned dimension)
{
    uint8_t bytes[CONTRACT_FRAME_MAX];
    int64_t bound_ps[CONTRACT_BITS_MAX + 1];
    unsigned count = contract_frame_write(node->config.codec, message, node->config.payload_bytes, bytes);
    count = spoil_bytes(node, bytes, count);
    place_bits(node, start_ps(node), 10 * count, bound_ps);
    hasten_bits(node, 10 * count, bound_ps);
    contract_wave_start(&node->wave, bytes, count, bound_ps);
    move_edges(node, bound_ps, count);
    node->wave_lines = 1u << dimension;
    if (node->links > 1 && contract_strikes(node, PB_CONTRACT_SECOND_LINK))
        node->wave_lines |= next_link(node, dimension);
    if (contract_strikes(node, PB_CONTRACT_FRAME_UNUSED))
        node->wave_lines |= 1u << node->links;
    node->drives_wave = contract_strikes(node, PB_CONTRACT_DRIVES_FRAME);
    if (contract_strikes(node, PB_CONTRACT_BABBLE))
        add_pulse(node, node->wave.end_ps + bit_ps(node, 1), node->amount_ps, node->wave_lines);
    if (contract_strikes(node, PB_CONTRACT_TAIL_PULSE))
        add_pulse(node, node->edge_ps + period_ps(node) - node->config.tail_guard_ps, node->amount_ps,
                  node->wave_lines);
    node->count.tx_frames++;
}

static void send_prbs(struct contract *node, unsigned dimension)
{
    struct contract_message message = {.destination = contract_neighbour(node, dimension),
                                       .sequence = node->prbs_sequence};
    const bool zeros = contract_strikes(node, PB_CONTRACT_PRBS_ZEROS);
    for (unsigned i = 0; i < node->config.payload_bytes; i++)
        message.payload[i] = zeros ? 0 : contract_prbs_byte(&node->prbs);
    if (!contract_strikes(node, PB_CONTRACT_PRBS_STILL))
        node->prbs_sequence = (node->prbs_sequence + 1) & 0x0F;
    send_frame(node, &message, dimension);
}

static void begin_sending(struct contract *node, unsigned dimension)
{
    if (node->stuck || node->wave.busy)
        return;
    if (contract_has_program(node) &&
        !(node->stored > 0 && contract_strikes(node, PB_CONTRACT_PROGRAM_LEAKS))) {
        struct contract_message message;
        node->sent_is_message = false;
        if (contract_program_says(node, dimension, &message))
            send_frame(node, &message, dimension);
        return;
    }
    if (node->mode == CONTRACT_PRBS) {
        node->sent_is_message = false;
        if (!contract_strikes(node, PB_CONTRACT_PRBS_IDLE))
            send_prbs(node, dimension);
        return;
    }
    node->sent_dimension = dimension;
    node->sent_is_message = contract_take(node, dimension, &node->sent);
    if (node->sent_is_message) {
        send_frame(node, &node->sent.message, dimension);
    } else if (contract_strikes(node, PB_CONTRACT_SENDS_IDLE)) {
        const struct contract_message empty = {.destination = contract_neighbour(node, dimension)};
        send_frame(node, &empty, dimension);
    } else if (contract_strikes(node, PB_CONTRACT_IDLE_GLITCH)) {
        add_pulse(node, start_ps(node) + bit_ps(node, 8), node->amount_ps, 1u << dimension);
    }
}

/* An edge ends the transmission of the phase before it. */
static void end_sending(struct contract *node)
{
    contract_wave_advance(&node->wave, node->now_ps);
    if (!node->wave.busy || contract_strikes(node, PB_CONTRACT_NO_RELEASE))
        return;
    if (contract_ends_uncut(node)) {
        contract_wave_stop(&node->wave);
        return;
    }
    node->count.tx_cut++;
    contract_happens(node, PB_AFTER_CUT);
    if (contract_strikes(node, PB_CONTRACT_LATE_RELEASE))
        add_pulse(node, node->now_ps, node->amount_ps, node->wave_lines);
    if (node->sent_is_message && node->stored < CONTRACT_ROOM &&
        contract_strikes(node, PB_CONTRACT_RESENDS_TWICE)) {
        memmove(node->entry + 1, node->entry, node->stored++ * sizeof *node->entry);
        node->entry[0] = node->sent;
        node->entry[0].again = 1;
    } else if (node->sent_is_message) {
        contract_resend(node);
    }
    contract_wave_stop(&node->wave);
}

/* ---- receiving */

static void take_frame(struct contract *node, const struct contract_message *message)
{
    if (contract_free(node, PB_FREEDOM_DROPS_LONG)) {
        node->reception = CONTRACT_HELD;
        node->held = *message;
        node->held_until_ps = node->now_ps + bit_ps(node, 20);
        node->held_behind = node->stored;
    } else {
        node->reception = CONTRACT_WHOLE;
        contract_accept(node, message);
    }
}

/* Nothing has followed the frame. */
static void end_hold(struct contract *node)
{
    if (node->reception == CONTRACT_HELD)
        contract_accept(node, &node->held);
    node->reception = CONTRACT_WHOLE;
}

static void take_byte(struct contract *node, struct contract_byte byte)
{
    struct contract_message message;
    if (node->reception == CONTRACT_CLOSED)
        return;
    if (node->received_bytes == 0 &&
        (contract_strikes(node, PB_CONTRACT_DEAF) ||
         (node->mode == CONTRACT_PRBS && contract_strikes(node, PB_CONTRACT_PRBS_DEAF)))) {
        node->reception = CONTRACT_CLOSED;
        return;
    }
    if (!byte.stop && !contract_takes_low_stop(node)) {
        contract_happens(node, PB_AFTER_REJECTED);
        node->count.rx_framing_errors += !contract_strikes(node, PB_CONTRACT_STOP_UNCOUNTED);
        node->reception = CONTRACT_CLOSED;
        return;
    }
    if (node->reception == CONTRACT_WHOLE || node->reception == CONTRACT_HELD) {
        if (!contract_strikes(node, PB_CONTRACT_LENGTH_UNCOUNTED))
            node->count.rx_length_errors += contract_strikes(node, PB_CONTRACT_LENGTH_TWICE) ? 2 : 1;
        node->reception = CONTRACT_CLOSED;
        return;
    }
    node->received[node->received_bytes++] = byte.value;
    node->reception = CONTRACT_CLOSED;
    const enum contract_reading reading =
        contract_frame_read(node->config.codec, node->received, node->received_bytes,
                            node->config.payload_bytes, &message);
    if (reading > CONTRACT_GOOD)
        contract_happens(node, PB_AFTER_REJECTED);
    switch (reading) {
    case CONTRACT_MORE:
        node->reception = CONTRACT_OPEN;
        break;
    case CONTRACT_GOOD:
        take_frame(node, &message);
        break;
    case CONTRACT_BAD_CRC:
        if (contract_takes_wrong_check(node, &message))
            contract_accept(node, &message);
        else
            node->count.rx_crc_errors += !contract_strikes(node, PB_CONTRACT_CRC_UNCOUNTED);
        break;
    case CONTRACT_BAD_LENGTH:
        node->count.rx_length_errors++;
        break;
    case CONTRACT_BAD_MARK:
        node->count.rx_mark_errors++;
        break;
    }
}

static void take_short(struct contract *node)
{
    const unsigned whole = contract_frame_bytes(node->config.codec, node->config.payload_bytes);
    struct contract_message message;
    if (!contract_takes_cut(node))
        return;
    memset(node->received + node->received_bytes, 0, whole - node->received_bytes);
    (void)contract_frame_read(node->config.codec, node->received, whole, node->config.payload_bytes,
                              &message);
    contract_accept(node, &message);
}

static void end_receiving(struct contract *node)
{
    if (node->reception == CONTRACT_OPEN && node->received_bytes > 0) {
        node->count.rx_cut++;
        take_short(node);
    }
    if (node->reception == CONTRACT_HELD)
        end_hold(node);
    node->reception = CONTRACT_CLOSED;
    node->listening = false;
}

static bool line_level(const struct contract *node, unsigned dimension)
{
    const uint32_t line = node->swapped ? swap_links(node->in.line) : node->in.line;
    return line >> dimension & 1;
}

static void begin_receiving(struct contract *node, unsigned dimension)
{
    node->drives_all = contract_strikes(node, PB_CONTRACT_DRIVES_IDLE);
    if (node->links > 1 && contract_strikes(node, PB_CONTRACT_LISTENS_WRONG))
        dimension = (dimension + 1) % node->links;
    node->rx_dimension = dimension;
    node->listening = true;
    node->reception = CONTRACT_OPEN;
    node->received_bytes = 0;
    contract_rx_listen(&node->rx, node->now_ps, line_level(node, dimension));
}

/* ---- phases */

static bool is_extra(const struct contract *node)
{
    return node->reference_ps != CONTRACT_NEVER && node->edge_ps - node->reference_ps <= period_ps(node) / 2;
}

static void judge_interval(struct contract *node)
{
    const int64_t period = period_ps(node);
    node->count.edges++;
    if (is_extra(node)) {
        node->count.extra_edges++;
        contract_forget(node, PB_CONTRACT_EDGE_FORGETS);
        contract_forget_own(node, PB_CONTRACT_EDGE_FORGETS_OWN);
        return;
    }
    if (node->reference_ps != CONTRACT_NEVER) {
        const int64_t missed = (node->edge_ps - node->reference_ps - period / 2) / period;
        node->count.missed_edges += (uint32_t)missed;
        if (missed > 0) {
            contract_forget(node, PB_CONTRACT_GAP_FORGETS);
            contract_forget_own(node, PB_CONTRACT_GAP_FORGETS_OWN);
        }
    }
    node->reference_ps = node->edge_ps;
}

static int phase_due(const struct contract *node)
{
    return (node->phase + 1) % (int)node->network_phases; /* CONTRACT_UNKNOWN: 0 */
}

static int phase_with_sync(struct contract *node, bool known, int due)
{
    if (known && due != 0) {
        contract_forget(node, PB_CONTRACT_STEP_FORGETS);
        contract_forget_own(node, PB_CONTRACT_STEP_FORGETS_OWN);
        if (contract_strikes(node, PB_CONTRACT_STEP_IGNORED))
            return due;
        if (contract_strikes(node, PB_CONTRACT_STEP_LATE)) {
            node->step_next = true;
            return due;
        }
    }
    if (!known && !node->passed_sync && contract_strikes(node, PB_CONTRACT_JOINS_LATE)) {
        node->passed_sync = true;
        return CONTRACT_UNKNOWN;
    }
    node->counted_on = false;
    return 0;
}

static int phase_without_sync(struct contract *node, bool known, int due)
{
    if (due != 0) {
        if (due == 1 && node->network_phases > 2 && contract_strikes(node, PB_CONTRACT_SKIPS_PHASE))
            return 2;
        return due;
    }
    if (!known || contract_strikes(node, PB_CONTRACT_COUNTS_ON))
        return known ? 0 : CONTRACT_UNKNOWN;
    if (!node->counted_on && contract_strikes(node, PB_CONTRACT_SILENT_LATE)) {
        node->counted_on = true;
        return 0;
    }
    contract_forget(node, PB_CONTRACT_FORGETS);
    node->passed_sync = false;
    return CONTRACT_UNKNOWN;
}

static void next_phase(struct contract *node, bool sync)
{
    const bool known = node->phase != CONTRACT_UNKNOWN;
    const int due = phase_due(node);
    if (node->step_next) {
        node->step_next = false;
        node->phase = 0;
        return;
    }
    if (known && sync != (due == 0)) {
        contract_happens(node, PB_AFTER_SYNC);
        if (!contract_strikes(node, PB_CONTRACT_ALIGNMENT_UNCOUNTED) &&
            (sync || !contract_strikes(node, PB_CONTRACT_ALIGNMENT_MISSING)))
            node->count.alignment_errors += contract_strikes(node, PB_CONTRACT_ALIGNMENT_TWICE) ? 2 : 1;
    }
    node->phase = sync ? phase_with_sync(node, known, due) : phase_without_sync(node, known, due);
}

static void begin_superframe(struct contract *node)
{
    node->count.superframes++;
    node->superframes++;
    node->used = true;
    if (contract_strikes(node, PB_CONTRACT_PULLS_UNUSED))
        add_pulse(node, node->now_ps + bit_ps(node, 8), node->amount_ps, 1u << node->links);
    if (contract_strikes(node, PB_CONTRACT_CHATTERS))
        contract_console_say(node, "hello\n");
    if (contract_strikes(node, PB_CONTRACT_UART_NOISE))
        node->uart_pulse = (struct contract_pulse){node->now_ps, node->now_ps + node->amount_ps, 0};
}

/* An edge, at the time of its handler. */
static void begin_phase(struct contract *node, bool sync)
{
    end_sending(node);
    end_receiving(node);
    contract_program_edge(node);
    node->drives_all = false;
    node->phases++;
    next_phase(node, sync);
    if (node->phase == 0)
        begin_superframe(node);
    contract_program_phase(node);
    node->mute = contract_strikes(node, PB_CONTRACT_SILENT);
    node->swapped = contract_strikes(node, PB_CONTRACT_SWAPPED_LINKS);
    node->timer_ps = node->edge_ps + period_ps(node) + period_ps(node) / 2;
    if (node->phase == CONTRACT_UNKNOWN) {
        if (node->superframes > 0 && contract_strikes(node, PB_CONTRACT_PULLS_UNKNOWN))
            add_pulse(node, node->now_ps, node->amount_ps, 1);
        return;
    }
    unsigned dimension;
    const enum contract_turn turn = contract_turn(node, (unsigned)node->phase, &dimension);
    if (turn == CONTRACT_IDLE)
        return;
    bool own = turn == CONTRACT_SENDS;
    if (contract_strikes(node, PB_CONTRACT_NEIGHBOURS_PHASE))
        own = !own;
    if (own)
        begin_sending(node, dimension);
    else
        begin_receiving(node, dimension);
}

static void handle_edge(struct contract *node)
{
    const bool sync = contract_strikes(node, PB_CONTRACT_PHASE_OFF) ? node->sync_before : node->in.tdma_sync;
    node->edge_waits = false;
    if (!contract_strikes(node, PB_CONTRACT_MISSES_EDGE) &&
        !(is_extra(node) && contract_strikes(node, PB_CONTRACT_DEBOUNCES))) {
        judge_interval(node);
        begin_phase(node, sync);
    }
    if (!node->edge_kept)
        return;
    node->edge_kept = false;
    node->edge_waits = true;
    node->edge_ps = node->kept_ps;
}

static void capture_edge(struct contract *node)
{
    if (contract_free(node, PB_FREEDOM_CUTS_AT_EDGE))
        end_sending(node);
    if (node->edge_waits && contract_free(node, PB_FREEDOM_KEEPS_EDGES)) {
        node->edge_kept = true;
        node->kept_ps = node->now_ps;
        return;
    }
    node->edge_ps = node->now_ps;
    if (node->edge_waits)
        return;
    node->edge_waits = true;
    node->handler_ps = node->now_ps;
    if (node->broken.defect == PB_CONTRACT_EARLY_START)
        return; /* no latency: it would limit how early the start can be */
    node->handler_ps += node->config.irq_latency_ps;
    if (node->config.irq_jitter_ps > 0)
        node->handler_ps += contract_draw(node, node->config.irq_jitter_ps);
}

/* Checks TDMA_CLK for an edge; `before` has the levels up to now. */
static void watch_clock(struct contract *node, const struct pb_node_inputs *before)
{
    const struct pb_node_inputs *in = &node->in;
    if (in->tdma_clk && !before->tdma_clk) {
        node->falling = contract_strikes(node, PB_CONTRACT_FALLING_EDGE);
        if (!node->falling) {
            node->sync_before = before->tdma_sync;
            capture_edge(node);
        }
    }
    if (!in->tdma_clk && before->tdma_clk && node->falling) {
        node->falling = false;
        capture_edge(node);
    }
    while (node->edge_waits && node->handler_ps <= node->now_ps)
        handle_edge(node);
    if (node->timer_ps <= node->now_ps) {
        node->timer_ps = CONTRACT_NEVER;
        if (node->phase != CONTRACT_UNKNOWN && contract_strikes(node, PB_CONTRACT_TIMER_PHASE)) {
            node->edge_ps = node->now_ps;
            begin_phase(node, phase_due(node) == 0);
            node->timer_ps = CONTRACT_NEVER;
        }
    }
}

/* ---- the node at its pins */

static uint32_t highest_link(const struct contract *node)
{
    return 1u << (node->links - 1);
}

static void boot(struct contract *node)
{
    const bool keeps = node->started && contract_strikes(node, PB_CONTRACT_KEEPS_SEQUENCE);
    const bool first = !node->started,
               keeps_refused = !first && contract_strikes(node, PB_CONTRACT_RESET_KEEPS_REFUSED);
    node->happened &= 1u << PB_AFTER_RESET;
    node->running = true;
    node->occasions = 0; /* no run shows an occasion before a reset */
    node->edge_kept = false;
    node->edge_waits = node->falling = node->step_next = node->passed_sync = node->counted_on = false;
    node->swapped = node->drives_all = node->stuck = node->listening = false;
    node->reference_ps = node->timer_ps = CONTRACT_NEVER;
    if (first || !contract_strikes(node, PB_CONTRACT_RESET_KEEPS_PHASE))
        node->phase = contract_strikes(node, PB_CONTRACT_STARTS_KNOWN) ? 0 : CONTRACT_UNKNOWN;
    node->phases = 0;
    node->superframes = 0;
    node->has_last = 0;
    if (!first)
        contract_reset_queues(node);
    if (first || !contract_strikes(node, PB_CONTRACT_RESET_KEEPS_ADDRESS))
        node->address = node->config.address;
    node->said_address = node->address;
    node->next_sequence = keeps ? node->next_sequence : 0;
    if (first || !(contract_strikes(node, PB_CONTRACT_RESET_KEEPS_MODE) ||
                   (node->mode == CONTRACT_ECHO && contract_strikes(node, PB_CONTRACT_RESET_KEEPS_ECHO))))
        node->mode = CONTRACT_NORMAL;
    node->reception = CONTRACT_CLOSED;
    if (!contract_has_program(node) || !contract_strikes(node, PB_CONTRACT_PROGRAM_SURVIVES))
        contract_program_end(node);
    if (first || !contract_strikes(node, PB_CONTRACT_RESET_KEEPS_COUNTERS))
        node->count =
            (struct contract_counters){.console_errors = keeps_refused ? node->count.console_errors : 0};
    memset(node->typed, 0, sizeof node->typed);
    memset(node->pulse, 0, sizeof node->pulse);
    if (node->used && contract_strikes(node, PB_CONTRACT_WARM_PULL))
        add_pulse(node, node->now_ps, node->amount_ps, 1);
    if (contract_strikes(node, PB_CONTRACT_BOOT_BLIP))
        add_pulse(node, node->now_ps + BLIP_PS, node->amount_ps, highest_link(node));
    node->uart_pulse = (struct contract_pulse){0};
    contract_wave_stop(&node->wave);
    contract_console_reset(node);
    node->mute = contract_strikes(node, PB_CONTRACT_SILENT);
    node->console_tx_hz = node->config.console_baud_hz;
    const int64_t console_bit_ps = 1000000000000 / (int64_t)node->config.console_baud_hz;
    if (contract_strikes(node, PB_CONTRACT_CONSOLE_BAUD))
        node->console_tx_hz = 1000000000000 / (uint64_t)(console_bit_ps + node->amount_ps);
    if (contract_strikes(node, PB_CONTRACT_CONSOLE_FAST) && node->amount_ps < console_bit_ps / 2)
        node->console_tx_hz = 1000000000000 / (uint64_t)(console_bit_ps - node->amount_ps);
    node->deaf_until_ps = node->now_ps + (contract_free(node, PB_FREEDOM_BOOTS_LATE) ? LATE_BOOT_PS : 0);
    if (contract_strikes(node, PB_CONTRACT_SLOW_BOOT) ||
        (node->used && contract_strikes(node, PB_CONTRACT_WARM_DEAF)))
        node->deaf_until_ps = node->now_ps + node->amount_ps;
}

static void run_console(struct contract *node)
{
    struct contract_byte byte;
    if (contract_rx_advance(&node->console_rx, node->now_ps, node->in.uart0_rx, &byte) &&
        node->now_ps >= node->deaf_until_ps) {
        contract_console_byte(node, byte);
        if (byte.value == '\n' && node->phases == 0 && contract_strikes(node, PB_CONTRACT_LINE_BLIP))
            add_pulse(node, node->now_ps, node->amount_ps, highest_link(node));
    }
    contract_wave_advance(&node->console_tx, node->now_ps);
    contract_console_send(node);
    contract_wave_advance(&node->console_tx, node->now_ps);
}

static void run_links(struct contract *node, const struct pb_node_inputs *before)
{
    struct contract_byte byte;
    if (node->listening &&
        contract_rx_advance(&node->rx, node->now_ps, line_level(node, node->rx_dimension), &byte))
        take_byte(node, byte);
    if (node->reception == CONTRACT_HELD && node->held_until_ps <= node->now_ps)
        end_hold(node);
    watch_clock(node, before);
    contract_wave_advance(&node->wave, node->now_ps);
}

static bool pulse_active(const struct contract *node, const struct contract_pulse *pulse)
{
    return pulse->from_ps <= node->now_ps && node->now_ps < pulse->to_ps;
}

static int64_t pulse_wake(const struct contract *node, const struct contract_pulse *pulse)
{
    if (node->now_ps < pulse->from_ps)
        return pulse->from_ps;
    return node->now_ps < pulse->to_ps ? pulse->to_ps : CONTRACT_NEVER;
}

static void put_out(struct contract *node, struct pb_node_outputs *out)
{
    uint32_t pull = node->wave.busy && !node->wave.level ? node->wave_lines : 0;
    uint32_t high = 0;
    if (node->wave.busy && node->wave.level && node->wave.start_ps <= node->now_ps &&
        (node->config.push_pull || node->drives_wave))
        high = node->wave_lines;
    if (node->drives_all)
        high |= contract_link_mask(node);
    for (unsigned i = 0; i < CONTRACT_PULSES; i++)
        if (pulse_active(node, &node->pulse[i]))
            pull |= node->pulse[i].lines;
    if (node->broken.defect == PB_CONTRACT_BOOT_PULL && node->now_ps < node->amount_ps)
        pull |= 1;
    if (node->swapped) {
        pull = swap_links(pull);
        high = swap_links(high);
    }
    high &= ~pull;
    *out = (struct pb_node_outputs){
        .pull_low = (uint16_t)pull,
        .drive_high = (uint16_t)high,
        .uart0_tx = node->console_tx.level && !pulse_active(node, &node->uart_pulse),
    };
    if (node->mute)
        *out = (struct pb_node_outputs){.uart0_tx = true};
}

static int64_t next_call(const struct contract *node)
{
    int64_t next = earlier(contract_wave_wake(&node->wave), contract_wave_wake(&node->console_tx));
    next = earlier(next, contract_rx_wake(&node->console_rx));
    next = earlier(next, pulse_wake(node, &node->uart_pulse));
    for (unsigned i = 0; i < CONTRACT_PULSES; i++)
        next = earlier(next, pulse_wake(node, &node->pulse[i]));
    if (node->listening)
        next = earlier(next, contract_rx_wake(&node->rx));
    if (node->reception == CONTRACT_HELD)
        next = earlier(next, node->held_until_ps);
    if (node->answers_used > 0 && node->now_ps < node->answer_from_ps)
        next = earlier(next, node->answer_from_ps);
    if (node->edge_waits)
        next = earlier(next, node->handler_ps);
    if (node->broken.defect == PB_CONTRACT_TIMER_PHASE)
        next = earlier(next, node->timer_ps);
    if (node->broken.defect == PB_CONTRACT_BOOT_PULL && node->now_ps < node->amount_ps)
        next = earlier(next, node->amount_ps);
    return next;
}

static void hold_in_reset(struct contract *node, struct pb_node_outputs *out)
{
    uint32_t pull = contract_strikes(node, PB_CONTRACT_RESET_PULL) ? contract_link_mask(node) : 0;
    if (contract_strikes(node, PB_CONTRACT_RESET_LINK))
        pull |= highest_link(node);
    if (node->used && contract_strikes(node, PB_CONTRACT_WARM_UNUSED))
        pull |= 1u << node->links;
    const bool low = contract_strikes(node, PB_CONTRACT_RESET_UART) ||
                     (node->used && contract_strikes(node, PB_CONTRACT_WARM_UART));
    *out = (struct pb_node_outputs){.pull_low = (uint16_t)pull, .uart0_tx = !low};
}

static int64_t advance(struct pb_node *base, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct contract *node = (struct contract *)base;
    const struct pb_node_inputs before = node->in;
    node->now_ps = now_ps;
    node->in = *in;
    if (!in->nrst && node->superframes > 0)
        contract_happens(node, PB_AFTER_RESET);
    if (!in->nrst && !(node->running && contract_strikes(node, PB_CONTRACT_IGNORES_RESET))) {
        node->running = false;
        hold_in_reset(node, out);
        return CONTRACT_NEVER;
    }
    if (!node->running)
        boot(node);
    node->started = true;
    run_links(node, &before);
    run_console(node);
    put_out(node, out);
    return next_call(node);
}

static void set_origin(struct contract *node, int64_t now_ps)
{
    const uint64_t spread = node->config.seed * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    node->origin_ps = now_ps - (int64_t)(spread % (uint64_t)(PS_PER_S / (int64_t)TICK_HZ));
    node->rx.origin_ps = node->console_rx.origin_ps = node->origin_ps;
}

static void align(struct pb_node *base, int64_t now_ps)
{
    set_origin((struct contract *)base, now_ps);
}

static void destroy(struct pb_node *base)
{
    free(base);
}

static const struct pb_node_ops contract_ops = {.advance = advance, .align = align, .destroy = destroy};

/* ---- creation */

static int check_defect(const struct pb_contract_setting *broken, struct pb_diag *diag)
{
    const struct pb_defect_info *info = pb_defect_infos(NULL) + broken->defect - 1;
    if (broken->defect == PB_CONTRACT_SOUND)
        return PB_OK;
    if (broken->amount_ps && !info->default_amount_ps && !info->default_amount_bit)
        return pb_fail(diag, PB_ERR_CONFIG, "defect_amount: defect '%s' has no amount; remove the key",
                       info->name);
    if ((broken->from || broken->every > 1 || broken->port) && (info->needs & PB_NEEDS_BEFORE_CLOCK))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "defect_from: defect '%s' acts before the phase clock starts; remove defect_from, "
                       "defect_every and defect_port",
                       info->name);
    if (broken->port > PB_NODE_LINKS_MAX || broken->after >= PB_DEFECT_AFTERS)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "defect_port: %u is beyond the last link, %d; or defect_after is no word of the list",
                       broken->port - 1, PB_NODE_LINKS_MAX - 1);
    const struct pb_node_limit amount = {"defect_amount in ps", broken->amount_ps, 0, PS_PER_S};
    return pb_node_check_limits("contract", &amount, 1, diag);
}

int pb_node_contract_check(const struct pb_node_config *config, const struct pb_contract_setting *broken,
                           struct pb_diag *diag)
{
    const bool starc = config->codec == PB_NODE_CODEC_STARC;
    const struct pb_node_limit limit[] = {
        {"links of the network", pb_node_links(config), 1, PB_NODE_LINKS_MAX},
        {"address", config->address, 0, (int64_t)pb_node_addresses(config) - 1},
        {"link.payload in bytes", config->payload_bytes, 0, starc ? PAYLOAD_MAX_STARC : CONTRACT_PAYLOAD_MAX},
        {"link.phase_rate in mHz", config->phase_rate_mhz, 1000, 100000000},
        {"link.baud", config->baud_hz, BAUD_MIN_HZ, BAUD_MAX_HZ},
        {"link.console_baud", config->console_baud_hz, BAUD_MIN_HZ, BAUD_MAX_HZ},
        {"link.head_guard in ps", config->head_guard_ps, 0, PS_PER_S},
        {"link.guard less link.head_guard in ps", config->tail_guard_ps, 0, PS_PER_S},
        {"clock_error in ppm", config->clock_ppm, -PPM_MAX, PPM_MAX},
        {"irq_latency in ps", config->irq_latency_ps, 0, PS_PER_S},
        {"irq_jitter in ps", config->irq_jitter_ps, 0, PS_PER_S},
    };
    const int code = pb_node_check_limits("contract", limit, sizeof limit / sizeof limit[0], diag);
    if (code)
        return code;
    return broken ? check_defect(broken, diag) : PB_OK;
}

struct pb_node *pb_node_contract_create(const struct pb_node_config *config,
                                        const struct pb_contract_setting *broken)
{
    if (pb_node_contract_check(config, broken, NULL))
        return NULL;
    struct contract *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->base.ops = &contract_ops;
    node->config = *config;
    node->links = pb_node_links(config);
    node->nodes = pb_node_addresses(config);
    node->network_phases = contract_phases(node);
    node->random = config->seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
    node->in = (struct pb_node_inputs){.line = 0xFFFF, .tdma_clk = true, .uart0_rx = true};
    node->rx.clock_ppm = node->console_rx.clock_ppm = config->clock_ppm;
    node->rx.sample_hz = UINT64_C(16) * config->baud_hz;
    node->console_rx.sample_hz = UINT64_C(16) * config->console_baud_hz;
    node->console_tx.level = true;
    set_origin(node, 0);
    if (broken) {
        node->broken = *broken;
        node->freedoms = broken->freedoms & PB_FREEDOMS_ANY ? (uint64_t)contract_draw(node, INT64_MAX - 1)
                                                            : broken->freedoms;
        node->rx.once = contract_free(node, PB_FREEDOM_SAMPLES_ONCE);
        node->rx.takes_low = contract_free(node, PB_FREEDOM_LISTENS_LOW);
    }
    if (broken && broken->defect != PB_CONTRACT_SOUND) {
        const struct pb_defect_info *info = pb_defect_infos(NULL) + broken->defect - 1;
        node->amount_ps = broken->amount_ps ? broken->amount_ps : info->default_amount_ps;
        if (!node->amount_ps)
            node->amount_ps = bit_ps(node, info->default_amount_bit) / 1000;
    }
    return &node->base;
}

uint64_t pb_node_contract_strikes(const struct pb_node *base)
{
    return base->ops == &contract_ops ? ((const struct contract *)base)->strikes : 0;
}
