/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fault_entry.h"
#include "phasebench/random.h"


#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define PPM 1000000
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define JITTER_PS INT64_C(1000000)
#define DRIFT_PPM 1000
#define DRIFT_MAX_PPM 20000 /* the plan's margins between records hold up to 3 % */
#define BAUD_PPM 40000      /* beyond every limit of the check, and a receiver still reads the bytes */
#define BAUD_MAX_PPM 100000
#define RECORD_BYTES_MAX PB_PLAY_RECORD_COUNT_MASK /* of the slot player */
#define SEED_MAX 65535                             /* bits of the core's generator */
#define RISE_PPM 693147 /* ln 2: an RC line reaches half the supply after this part of its time constant */

static int read_time(const struct pb_fault_entry *entry, enum pb_key_id key, int64_t least, int64_t most,
                     int64_t *value)
{
    struct pb_place place;
    return pb_read_quantity(entry->reader, pb_entry_place(&place, entry, key), pb_entry_value(entry, key),
                            PB_QUANTITY_TIME, least, most, value);
}

/* The key has the unit in its name, so the value may do without. */
static int read_ppm(struct pb_fault_entry *entry, int64_t least, int64_t most)
{
    struct pb_place place;
    const char *text = pb_entry_value(entry, FAULT(ppm));
    char with_unit[64];
    int64_t value = entry->fault.ppm;
    if (text && pb_quantity_parse(text, PB_QUANTITY_RATIO, &value) == PB_QUANTITY_NO_UNIT) {
        snprintf(with_unit, sizeof with_unit, "%.50s ppm", text);
        text = with_unit;
    }
    int code = pb_read_quantity(entry->reader, pb_entry_place(&place, entry, FAULT(ppm)), text,
                                PB_QUANTITY_RATIO, least, most, &value);
    if (code == PB_OK && value == 0)
        code = PB_ENTRY_REJECT(entry, FAULT(ppm), "0 ppm is no fault; give %" PRId64 " to %" PRId64 " ppm",
                               least, most);
    entry->fault.ppm = (int32_t)value;
    return code;
}

/* at and length of a fault on a line, with these defaults. */
static int read_span(struct pb_fault_entry *entry, int64_t at_ps, int64_t length_ps, int64_t longest_ps)
{
    entry->fault.at_ps = at_ps;
    entry->fault.length_ps = length_ps;
    int code = read_time(entry, FAULT(at), 0, entry->phase_ps - 1, &entry->fault.at_ps);
    return code == PB_OK ? read_time(entry, FAULT(length), 1, longest_ps, &entry->fault.length_ps) : code;
}

static int64_t run_ps(const struct pb_fault_entry *entry)
{
    return (int64_t)entry->scenario->superframes * entry->scenario->network.phases * entry->phase_ps;
}

static int check_end(const struct pb_fault_entry *entry)
{
    const struct pb_fault *fault = &entry->fault;
    const int64_t last = (int64_t)fault->superframe + (int64_t)entry->repeat - 1,
                  end_ps = (last * entry->scenario->network.phases + fault->phase) * entry->phase_ps +
                           fault->at_ps + fault->length_ps;
    char beyond[32];
    if (end_ps <= run_ps(entry))
        return PB_OK;
    return PB_ENTRY_REJECT(
        entry, FAULT(length), "the fault ends %s after the run; shorten it, or give more superframes",
        pb_quantity_format(beyond, sizeof beyond, PB_QUANTITY_TIME, end_ps - run_ps(entry)));
}

static int read_rise(struct pb_fault_entry *entry)
{
    int64_t constant_ps = 0;
    entry->fault.amount_ps = (entry->bit_ps + 3) / 4;
    if (pb_entry_given(entry, FAULT(amount)) && pb_entry_given(entry, FAULT(time_constant)))
        return PB_ENTRY_REJECT(entry, FAULT(time_constant),
                               "says the same as amount in another way; remove one");
    int code = read_time(entry, FAULT(amount), 1, entry->phase_ps, &entry->fault.amount_ps);
    if (code == PB_OK)
        code = read_time(entry, FAULT(time_constant), 2, entry->phase_ps, &constant_ps);
    if (constant_ps)
        entry->fault.amount_ps = (constant_ps * RISE_PPM + PPM / 2) / PPM;
    return code;
}

static int read_other(struct pb_fault_entry *entry)
{
    struct pb_fault *fault = &entry->fault;
    const struct pb_network *network = &entry->scenario->network;
    uint64_t dimension = fault->dimension;
    int code = PB_OK;
    fault->other_node = fault->node_index;
    if (pb_entry_given(entry, PB_KEY_other_node))
        code = pb_entry_node_index(entry, PB_KEY_other_node, &fault->other_node);
    if (fault->other_node == fault->node_index)
        dimension = (fault->dimension + 1) % network->ports;
    if (code == PB_OK)
        code = pb_entry_number(entry, PB_KEY_other_dimension, 0, network->ports - 1, &dimension);
    fault->other_dimension = (unsigned)dimension;
    const struct pb_peer peer =
        pb_network_peer(network, entry->scenario->node[fault->node_index].address, fault->dimension);
    if (code == PB_OK && fault->other_dimension == peer.port &&
        entry->scenario->node[fault->other_node].address == peer.node)
        return PB_ENTRY_REJECT(entry, FAULT(other), "is joined with that line already; give another");
    if (code == PB_OK && fault->other_node == fault->node_index && fault->other_dimension == fault->dimension)
        code = PB_ENTRY_REJECT(entry, FAULT(other),
                               "is the same line; a short needs two, give other: {node, dimension}");
    return code;
}

static int read_line_fault(struct pb_fault_entry *entry)
{
    const int64_t head_ps = entry->scenario->head_guard_ps;
    int64_t at_ps = head_ps / 2, length_ps = entry->phase_ps, longest_ps = run_ps(entry);
    int code = PB_OK;
    switch (entry->fault.kind) {
    case PB_FAULT_SHORT:
        code = read_other(entry);
        break;
    case PB_FAULT_SLOW_RISE:
        code = read_rise(entry);
        break;
    case PB_FAULT_GLITCH:
        length_ps = (entry->bit_ps + 3) / 4;
        longest_ps = entry->bit_ps - 1;
        break;
    case PB_FAULT_SECOND_DRIVER:
        /* From the second byte of a frame to its end. */
        at_ps = head_ps + entry->byte_ps;
        length_ps = entry->frame_ps - entry->byte_ps;
        entry->fault.amount_ps = entry->bit_ps;
        code = read_time(entry, FAULT(amount), 1, entry->phase_ps, &entry->fault.amount_ps);
        break;
    default:
        break;
    }
    if (code == PB_OK)
        code = read_span(entry, at_ps, length_ps, longest_ps);
    return code == PB_OK ? check_end(entry) : code;
}

static int read_jitter(struct pb_fault_entry *entry)
{
    static const char *const shapes[] = {"uniform", "gaussian"};
    struct pb_place place;
    size_t shape = PB_JITTER_UNIFORM;
    uint64_t seed = 0, state = entry->scenario->seed;
    entry->fault.amount_ps = JITTER_PS;
    int code = read_time(entry, FAULT(amount), 1, entry->phase_ps / 4, &entry->fault.amount_ps);
    if (code == PB_OK)
        code = pb_read_choice(entry->reader, pb_entry_place(&place, entry, FAULT(shape)),
                              pb_entry_value(entry, FAULT(shape)), shapes, COUNT(shapes), &shape);
    if (code == PB_OK && pb_entry_given(entry, FAULT(seed)) &&
        strcmp(pb_entry_value(entry, FAULT(seed)), "auto") != 0)
        code = pb_entry_number(entry, FAULT(seed), 1, SEED_MAX, &seed);
    entry->fault.shape = (enum pb_jitter_shape)shape;
    entry->fault.seed = (uint32_t)(seed ? seed : pb_splitmix64(&state) % SEED_MAX + 1);
    return code;
}

/* The bench drifts with its clock: a frame must be over when its phase is, so the phase keeps room for it. */
static int read_drift(struct pb_fault_entry *entry)
{
    const int64_t room_ps = entry->phase_ps - entry->scenario->head_guard_ps - entry->frame_ps,
                  most_ppm = (int64_t)((__int128)room_ps * PPM / entry->phase_ps),
                  fastest_ppm = most_ppm < DRIFT_MAX_PPM ? most_ppm : DRIFT_MAX_PPM;
    entry->fault.ppm = fastest_ppm < 1           ? -DRIFT_PPM
                       : fastest_ppm < DRIFT_PPM ? (int32_t)fastest_ppm
                                                 : DRIFT_PPM;
    return read_ppm(entry, -DRIFT_MAX_PPM, fastest_ppm);
}

static int read_clock_fault(struct pb_fault_entry *entry)
{
    struct pb_fault *fault = &entry->fault;
    int code = PB_OK;
    switch (fault->kind) {
    case PB_FAULT_LATE_EDGE:
    case PB_FAULT_EARLY_EDGE:
        /* TDMA_CLK is high for half a phase; an edge that moves further is no longer the same edge. */
        fault->amount_ps = entry->phase_ps / 50;
        return read_time(entry, FAULT(amount), 1, entry->phase_ps / 2 - 1, &fault->amount_ps);
    case PB_FAULT_JITTER:
        code = read_jitter(entry);
        break;
    case PB_FAULT_DRIFT:
        code = read_drift(entry);
        break;
    default:
        return PB_OK;
    }
    if (code == PB_OK)
        code = read_time(entry, FAULT(length), 1, run_ps(entry), &fault->length_ps);
    if (code == PB_OK && entry->repeat > 1 && !fault->length_ps)
        code =
            PB_ENTRY_REJECT(entry, FAULT(repeat),
                            "without a length '%s' lasts to the end of the run; give one", entry->info->id);
    return code == PB_OK ? check_end(entry) : code;
}

/* The number of bytes, or with `auto` one for each repetition. */
static int read_bytes(struct pb_fault_entry *entry, uint64_t most, uint64_t otherwise)
{
    const char *text = pb_entry_value(entry, FAULT(bytes));
    if (text && !strcmp(text, "auto")) {
        entry->bytes_most = (unsigned)most;
        return PB_OK;
    }
    const int code = pb_entry_number(entry, FAULT(bytes), 1, most, &otherwise);
    entry->fault.bytes = (unsigned)otherwise;
    return code;
}

static int read_babble(struct pb_fault_entry *entry)
{
    struct pb_fault *fault = &entry->fault;
    char at[32];
    fault->at_ps = entry->scenario->head_guard_ps;
    int code = read_time(entry, FAULT(at), 0, entry->phase_ps - 1, &fault->at_ps);
    if (code != PB_OK)
        return code;
    const uint64_t left_ps = (uint64_t)(entry->phase_ps - fault->at_ps), baud = entry->scenario->baud_hz,
                   room = (uint64_t)((unsigned __int128)left_ps * baud / (10 * (uint64_t)PS_PER_S)),
                   most = room < RECORD_BYTES_MAX ? room : RECORD_BYTES_MAX;
    const uint64_t bytes = entry->scenario->frame_bytes < most ? entry->scenario->frame_bytes : most;
    if (most == 0)
        return PB_ENTRY_REJECT(entry, FAULT(at),
                               "no byte fits between %s and the end of the phase; give an earlier time",
                               pb_quantity_format(at, sizeof at, PB_QUANTITY_TIME, fault->at_ps));
    return read_bytes(entry, most, bytes);
}

static int read_baud(struct pb_fault_entry *entry)
{
    /* A frame must be over when its phase is; the next one has its own. */
    const int64_t room_ps = entry->phase_ps - entry->scenario->head_guard_ps,
                  slowest_ppm = (entry->frame_ps * PPM + room_ps - 1) / room_ps - PPM;
    entry->fault.ppm = BAUD_PPM;
    return read_ppm(entry, slowest_ppm > -BAUD_MAX_PPM ? slowest_ppm : -BAUD_MAX_PPM, BAUD_MAX_PPM);
}

static int read_start(struct pb_fault_entry *entry)
{
    const struct pb_scenario *scenario = entry->scenario;
    const bool early = entry->fault.kind == PB_FAULT_EARLY_START;
    const int64_t head_ps = scenario->head_guard_ps, allowed_ps = scenario->limits.start_late_ps,
                  room_ps = early ? head_ps : entry->phase_ps - head_ps - entry->frame_ps;
    if (room_ps <= 0 && early)
        return PB_ENTRY_REJECT(entry, FAULT(kind),
                               "without a head guard no frame can start too early; give link.head_guard");
    if (room_ps <= 0)
        return PB_ENTRY_REJECT(
            entry, FAULT(kind),
            "a frame fills the phase to its end and cannot start later; lower link.payload");
    /* A core has eight ticks a bit or more and rounds a bit to a sixteenth of one: it makes the frame longer
     * by 1/256 at most. */
    const int64_t sure_ps = room_ps - (entry->frame_ps + 255) / 256;
    entry->fault.amount_ps = early ? (room_ps + 1) / 2 : room_ps;
    if (!early && allowed_ps < room_ps)
        entry->fault.amount_ps = allowed_ps + (room_ps - allowed_ps + 1) / 2;
    if (!early && sure_ps > 0 && entry->fault.amount_ps > sure_ps)
        entry->fault.amount_ps = sure_ps;
    return read_time(entry, FAULT(amount), 1, room_ps, &entry->fault.amount_ps);
}

/* Bytes between the guards of a phase. */
static uint64_t room_bytes(const struct pb_scenario *scenario)
{
    const unsigned __int128 free_time =
        (unsigned __int128)PS_PER_S * 1000 - (unsigned __int128)scenario->guard_ps * scenario->phase_rate_mhz;
    return (uint64_t)(free_time * scenario->baud_hz /
                      ((unsigned __int128)scenario->phase_rate_mhz * 10 * PS_PER_S));
}

/* Bytes to the end of the longest frame that the bench may send: what follows a frame must be over before the
 * tail guard, and what the check keeps of a slot must hold it all. */
static uint64_t longest_frame(const struct pb_scenario *scenario)
{
    const uint64_t room = room_bytes(scenario);
    return room < PB_FRAME_MAX ? room : PB_FRAME_MAX;
}

bool pb_fault_suits(const struct pb_scenario *scenario, unsigned kind)
{
    switch (kind) {
    case PB_FAULT_LONG_FRAME:
        return longest_frame(scenario) > scenario->frame_bytes;
    case PB_FAULT_WRONG_LENGTH:
        return scenario->codec == PB_CODEC_STARC;
    case PB_FAULT_OUTSIDE_ADDRESS:
        return scenario->codec == PB_CODEC_STARC ||
               pb_network_address_width(&scenario->network) < PB_WIRE_ADDRESS_BITS;
    default:
        return true;
    }
}

static int reject_frame(const struct pb_fault_entry *entry)
{
    const struct pb_scenario *scenario = entry->scenario;
    switch (entry->fault.kind) {
    case PB_FAULT_LONG_FRAME:
        return PB_ENTRY_REJECT(
            entry, FAULT(kind),
            "a frame of %u bytes leaves no room for one more before the tail guard, %" PRIu64
            " fit; lower %s",
            scenario->frame_bytes, room_bytes(scenario),
            scenario->payload_bytes > 1 ? "link.payload by 1" : "link.phase_rate");
    case PB_FAULT_WRONG_LENGTH:
        return PB_ENTRY_REJECT(entry, FAULT(kind),
                               "a frame of codec slot has no length field; give link.codec starc, or "
                               "kind short_frame");
    default:
        return PB_ENTRY_REJECT(
            entry, FAULT(kind),
            "the %d bits of a destination of codec slot name no address outside a network of "
            "%" PRIu32 " nodes; give a network of %u nodes or less, or link.codec starc",
            PB_WIRE_ADDRESS_BITS, scenario->network.nodes, PB_WIRE_NODES_MAX / 2);
    }
}

static int read_frame_fault(struct pb_fault_entry *entry)
{
    if (!pb_fault_suits(entry->scenario, entry->fault.kind))
        return reject_frame(entry);
    switch (entry->fault.kind) {
    case PB_FAULT_SHORT_FRAME:
        return read_bytes(entry, entry->scenario->payload_bytes, 1);
    case PB_FAULT_LONG_FRAME:
        return read_bytes(entry, longest_frame(entry->scenario) - entry->scenario->frame_bytes, 1);
    case PB_FAULT_FRAMING:
        return read_bytes(entry, entry->scenario->frame_bytes, entry->scenario->frame_bytes);
    case PB_FAULT_BABBLE:
        return read_babble(entry);
    case PB_FAULT_BAUD:
        return read_baud(entry);
    case PB_FAULT_EARLY_START:
    case PB_FAULT_LATE_START:
        return read_start(entry);
    default:
        return PB_OK;
    }
}

int pb_entry_values(struct pb_fault_entry *entry)
{
    switch (entry->info->place) {
    case PB_FAULT_ON_LINE:
        return read_line_fault(entry);
    case PB_FAULT_ON_CLOCK:
        return read_clock_fault(entry);
    default:
        return read_frame_fault(entry);
    }
}
