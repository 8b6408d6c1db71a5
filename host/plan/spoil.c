/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Choice of the bits that a fault flips. A check value is linear: whether a receiver detects flipped bits
 * depends only on which bits are flipped. A receiver that ignores a bit of the check value is detected by
 * flipping this bit, and by few other flips. So the bits of the check value come first, one by one, and on
 * every line.
 */
#include "host/plan/spoil.h"
#include "host/plan/frame.h"
#include "host/plan/node_map.h"
#include "phasebench/random.h"

#include <string.h>

enum {
    LINKS_MAX = PB_SCENARIO_NODES_MAX * PB_WIRE_PORTS_MAX,
    BITS_MAX = 8 * PB_FRAME_MAX,
    SEVERAL_EVERY = 8,  /* of the other repetitions: one with several flipped bits */
    SEVERAL_MOST = 3,   /* flipped bits; a second sender could make four zeros of ones */
    OTHER_FIRST_ONE_OF = 4 /* lines: one begins with another bit than one of the check value */
};

/* ---- draws */

enum purpose { FOR_CHECK, FOR_REST, FOR_FIRST, FOR_SEVERAL, FOR_LENGTH, FOR_OUTSIDE, FOR_BABBLE };

/* The state of a generator of its own for each purpose and number. */
static uint64_t stream(const struct pb_scenario *scenario, enum purpose purpose, uint64_t number)
{
    uint64_t state = scenario->seed;
    state = pb_splitmix64(&state) + (uint64_t)purpose;
    return pb_splitmix64(&state) + number;
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(pb_splitmix64(state) % limit);
}

/* The element `at` of a shuffled 0 .. count - 1; each further round is shuffled anew. */
static unsigned shuffled(const struct pb_scenario *scenario, enum purpose purpose, unsigned count,
                         unsigned at)
{
    uint16_t order[BITS_MAX];
    uint64_t state = stream(scenario, purpose, at / count);
    for (unsigned i = 0; i < count; i++) {
        const unsigned other = below(&state, i + 1);
        order[i] = order[other];
        order[other] = (uint16_t)i;
    }
    return order[at % count];
}

/* Returns the number of faults of its kind before this one. */
static unsigned turn_of(const struct pb_scenario *scenario, const struct pb_fault *fault)
{
    unsigned turn = 0;
    for (unsigned i = 0; i < fault->number; i++)
        turn += scenario->fault[i].kind == fault->kind;
    return turn;
}

/* ---- flipped bits */

struct layout {
    unsigned first, check,
        end; /* bits of the frame: from `first` on they are covered by the check at `check` */
};

static struct layout layout_of(const struct pb_scenario *scenario)
{
    const bool starc = scenario->codec == PB_CODEC_STARC;
    /* The contract does not define how a node continues after a StarC frame with another first byte. */
    return (struct layout){.first = starc ? 8 : 0,
                           .check = 8 * (scenario->frame_bytes - (starc ? 2 : 1)),
                           .end = 8 * scenario->frame_bytes};
}

/* What comes in a turn: a bit of the check value, or another repetition; the index among those of all
 * lines. */
struct share {
    bool is_check;
    unsigned index;
};

/* The faults on a line begin with each bit of the check value once, or with another repetition and then
 * these; the rest are other repetitions. Lines continue the order of the lines before them. */
static struct share share_of(const struct pb_scenario *scenario, const struct pb_fault *fault,
                             unsigned check_bits)
{
    const unsigned link = pb_link_of(scenario, fault->node_index, fault->dimension);
    unsigned faults[LINKS_MAX] = {0}, turn = 0;
    for (unsigned i = 0; i < scenario->fault_count; i++) {
        const struct pb_fault *other = &scenario->fault[i];
        const unsigned at = pb_link_of(scenario, other->node_index, other->dimension);
        if (other->kind != fault->kind)
            continue;
        turn += at == link && other->number < fault->number;
        faults[at]++;
    }
    struct share share = {false, 0};
    unsigned checks_before = 0, others_before = 0;
    for (unsigned at = 0; at <= link; at++) {
        uint64_t state = stream(scenario, FOR_FIRST, at);
        const unsigned first = below(&state, OTHER_FIRST_ONE_OF) == 0, all = at < link ? faults[at] : turn,
                       after = all > first ? all - first : 0,
                       checks = after < check_bits ? after : check_bits;
        share.is_check = all >= first && after < check_bits;
        checks_before += checks;
        others_before += all - checks;
    }
    share.index = share.is_check ? checks_before : others_before;
    return share;
}

static void flip(uint8_t *bytes, unsigned bit)
{
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void flip_several(const struct pb_scenario *scenario, const struct layout *layout, unsigned index,
                         uint8_t *bytes)
{
    uint64_t state = stream(scenario, FOR_SEVERAL, index);
    const unsigned wanted = 2 + below(&state, SEVERAL_MOST - 1), count = layout->end / 8;
    uint8_t right[PB_FRAME_MAX];
    memcpy(right, bytes, count);
    do {
        memcpy(bytes, right, count);
        for (unsigned i = 0; i < wanted; i++)
            flip(bytes, layout->first + below(&state, layout->end - layout->first));
    } while (pb_frame_checks(scenario, bytes, count) || !memcmp(bytes, right, count));
}

static void spoil_bits(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes)
{
    const struct layout layout = layout_of(scenario);
    const unsigned check_bits = layout.end - layout.check;
    const struct share share = share_of(scenario, fault, check_bits);
    const unsigned singles = share.index - share.index / SEVERAL_EVERY;
    if (share.is_check)
        flip(bytes, layout.check + shuffled(scenario, FOR_CHECK, check_bits, share.index % check_bits));
    else if (share.index % SEVERAL_EVERY == SEVERAL_EVERY - 1)
        flip_several(scenario, &layout, share.index, bytes);
    else
        flip(bytes, layout.first + shuffled(scenario, FOR_REST, layout.check - layout.first, singles));
}

/* ---- invalid frames with a correct check value */

/* The frame without the last bytes of its payload. A length field still has the length of the whole
 * payload. */
static void shorten(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
                    unsigned *count)
{
    *count -= fault->bytes;
    pb_frame_seal(scenario, bytes, *count);
}

/* True if a second sender could have made the bytes from the valid ones: it makes zeros of ones, and many. */
static bool is_pulled(const uint8_t *bytes, const uint8_t *right, unsigned count)
{
    unsigned lowered = 0;
    for (unsigned i = 0; i < count; i++) {
        if (bytes[i] & ~right[i])
            return false;
        lowered += (unsigned)__builtin_popcount((unsigned)(bytes[i] ^ right[i]));
    }
    return lowered > SEVERAL_MOST;
}

/* One more, one less, and each bit of the field, in a drawn order. */
static void name_other_length(const struct pb_scenario *scenario, const struct pb_fault *fault,
                              uint8_t *bytes, unsigned count)
{
    enum { LENGTH_AT = 2, WAYS = 10 };
    uint8_t right[PB_FRAME_MAX];
    unsigned turn = turn_of(scenario, fault);
    memcpy(right, bytes, count);
    do {
        const unsigned way = shuffled(scenario, FOR_LENGTH, WAYS, turn++);
        const unsigned length = right[LENGTH_AT];
        bytes[LENGTH_AT] = (uint8_t)(way < 8 ? length ^ 1u << way : way == 8 ? length + 1 : length - 1);
        pb_frame_seal(scenario, bytes, count);
    } while (is_pulled(bytes, right, count));
}

/* Sets each address bit beyond the network alone, in a drawn order, then several. A node that ignores one of
 * them reads a valid destination. */
static void address_outside(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
                            unsigned count)
{
    const bool slot = scenario->codec == PB_CODEC_SLOT;
    const unsigned at = slot ? 0 : 3, width = pb_network_address_width(&scenario->network),
                   bits = (slot ? PB_WIRE_ADDRESS_BITS : 16) - width, turn = turn_of(scenario, fault);
    const unsigned bit = shuffled(scenario, FOR_OUTSIDE, bits, turn);
    unsigned set = 1u << bit;
    if (turn >= bits) {
        uint64_t state = stream(scenario, FOR_SEVERAL, turn);
        set |= below(&state, 1u << bits);
    }
    bytes[at] |= (uint8_t)(set << width);
    bytes[at + 1] |= (uint8_t)(set << width >> 8);
    pb_frame_seal(scenario, bytes, count);
}

/* ---- bytes of no frame */

static void add_random(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
                       unsigned *count)
{
    uint64_t state = scenario->seed, bits = 0;
    state = pb_splitmix64(&state) ^ ((uint64_t)fault->superframe << 32 | fault->phase << 8 | fault->number);
    for (unsigned i = 0; i < fault->bytes; i++, bits >>= 8) {
        if (i % 8 == 0)
            bits = pb_splitmix64(&state);
        bytes[(*count)++] = (uint8_t)bits;
    }
}

/* Makes random bytes, or a frame with an incorrect check value, or one repeated byte: bits without an edge,
 * or with as many as possible. Never a valid frame: a node that accepts it has an error. */
static void make_babble(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
                        unsigned *count)
{
    static const uint8_t again[] = {0x00, 0xff, 0x55, 0xaa};
    const unsigned style = shuffled(scenario, FOR_BABBLE, 2 + sizeof again, turn_of(scenario, fault));
    *count = 0;
    add_random(scenario, fault, bytes, count);
    if (style < sizeof again)
        memset(bytes, again[style], *count);
    else if (style == sizeof again && *count >= scenario->frame_bytes) {
        uint8_t frame[PB_FRAME_MAX];
        memcpy(bytes, frame, pb_frame(scenario, fault->number, scenario->node[fault->node_index].address, 0,
                                      frame));
        bytes[scenario->frame_bytes - 1] ^= 1;
    }
    if (pb_frame_checks(scenario, bytes, *count))
        bytes[*count - 1] ^= 0xff;
}

void pb_spoil(const struct pb_scenario *scenario, const struct pb_fault *fault, uint8_t *bytes,
              unsigned *count)
{
    switch (fault->kind) {
    case PB_FAULT_WRONG_BYTES:
        spoil_bits(scenario, fault, bytes);
        break;
    case PB_FAULT_FRAMING:
        *count = fault->bytes;
        break;
    case PB_FAULT_SHORT_FRAME:
        shorten(scenario, fault, bytes, count);
        break;
    case PB_FAULT_LONG_FRAME:
        add_random(scenario, fault, bytes, count);
        break;
    case PB_FAULT_WRONG_LENGTH:
        name_other_length(scenario, fault, bytes, *count);
        break;
    case PB_FAULT_OUTSIDE_ADDRESS:
        address_outside(scenario, fault, bytes, *count);
        break;
    case PB_FAULT_BABBLE:
        make_babble(scenario, fault, bytes, count);
        break;
    default:
        break;
    }
}
