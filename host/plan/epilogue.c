/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/epilogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NOWHERE = 0xFFFF, /* beyond the nodes of any network */
    FIRST_BYTE = 0x5A,
    SUPERFRAME_MS = 2000,
    LENGTH_MOST = 8, /* bytes of payload: a line with more of them takes too long */
    ENDS = 5,        /* kinds of frames of ENDING */
    END_HOME = 3,    /* of them: for the address of power-up */
    ECHOES = 6,      /* kinds of frames in mode 1 */
    SEQUENCE = 17,   /* frames of mode 2: more than its sequence has numbers */
    PAYLOADS = 5     /* kinds of payload */
};

/* ---- steps */

enum when {
    ALWAYS,
    PROVOKED,   /* the bench's phase clock, and a run that made counters count which nothing here does: Z must
                 * clear them */
    OWN_CLOCK,  /* the bench's phase clock */
    HELD_SYNC,  /* that, and a core that can hold TDMA_SYNC low */
    BY_RESET,   /* such a run, whose counters the first reset must clear */
    OUTSIDE     /* an external clock */
};

#define RESET {PB_EPILOGUE_RESETS, 0, 0, 0}, ALWAYS
#define TYPE(name) {PB_EPILOGUE_TYPES, PB_EPILOGUE_##name, 0, 0}
/* rest: superframes after the last one in which the bench sends frames. */
#define RUN(name, rest) {PB_EPILOGUE_RUNS, 0, PB_EPILOGUE_##name, rest}

/* A node may fail only the first time after each reset. So steps whose effect shows at the end of a part are
 * at its beginning. */

static const struct {
    struct pb_epilogue_step step;
    enum when when;
} script[] = {
    {TYPE(EMPTIED), PROVOKED},
    {TYPE(CLEARED), PROVOKED},
    {TYPE(FOUND), OWN_CLOCK},
    {RESET},
    /* While an external clock runs, a message remains queued in mode 2 only. */
    {TYPE(ADDRESS), OUTSIDE},
    {TYPE(IDENTITY), OUTSIDE},
    {TYPE(PRBS), OUTSIDE},
    {TYPE(BEYOND), ALWAYS}, /* with an empty queue, or the node were busy */
    {TYPE(MESSAGE), ALWAYS}, /* before any other payload, and the most that is ever queued until SINCE */
    {TYPE(EMPTY), ALWAYS},
    {TYPE(CHARACTER), ALWAYS},
    {TYPE(UNKNOWN), ALWAYS},
    {TYPE(HALF), ALWAYS},
    {TYPE(DIGIT), ALWAYS},
    {TYPE(LENGTH), ALWAYS},
    {TYPE(MISSING), ALWAYS},
    {TYPE(MODE), ALWAYS},
    {TYPE(OUTSIDE), ALWAYS},
    {TYPE(FAR), ALWAYS},
    {RUN(ENDING, 0), OWN_CLOCK}, /* the message leaves */
    {TYPE(SINCE), BY_RESET},
    {TYPE(AGAIN), ALWAYS},
    {TYPE(PASSED), OWN_CLOCK},
    {TYPE(PRBS), OWN_CLOCK},
    {TYPE(CLEAR), ALWAYS},
    {TYPE(SELF), ALWAYS},
    {TYPE(BUSY), ALWAYS},
    {TYPE(BARE), OWN_CLOCK},
    {RUN(SEQUENCE, 0), OWN_CLOCK}, /* of mode 2; the message waits */
    {TYPE(RESUME), OWN_CLOCK},
    {RUN(QUIET, 1), OWN_CLOCK}, /* the message leaves */
    {TYPE(STILL), OWN_CLOCK},
    {TYPE(BETWEEN), OWN_CLOCK},
    {TYPE(ECHO), OWN_CLOCK},
    {TYPE(ECHO_AGAIN), OWN_CLOCK}, /* in mode 1, as the next ones: none of these lines ends it */
    {TYPE(ADDRESS), OWN_CLOCK},
    {TYPE(IDENTITY), OWN_CLOCK},
    {TYPE(ECHOING), OWN_CLOCK},
    {TYPE(ECHO_CLEAR), OWN_CLOCK},
    {TYPE(WRONG_ECHO), OWN_CLOCK},
    {RUN(ECHOED, 1), OWN_CLOCK}, /* each frame comes back in the next own phase of its port */
    {TYPE(ROUTE), OWN_CLOCK},
    {TYPE(WAITING), OWN_CLOCK},
    {RUN(KEPT, 0), OWN_CLOCK},
    /* The same frames: on each port two that are equal. The superframe after them leaves the sequence of
     * mode 2 at another number than that of its beginning, also where 2 superframes have 16 own phases. */
    {RUN(KEPT, 1), OWN_CLOCK},
    {TYPE(RECEIVED), OWN_CLOCK},
    {TYPE(OWN_PRBS), OWN_CLOCK},
    {TYPE(SHOWN), OWN_CLOCK},
    {TYPE(INFORMED), OWN_CLOCK},
    {TYPE(HELD), OWN_CLOCK},
    {TYPE(ZEROED), OWN_CLOCK},
    {RUN(ENDING, 0), OWN_CLOCK}, /* of mode 2, which none of these lines ends or restarts */
    {TYPE(AWAY), OWN_CLOCK},
    {TYPE(FURTHER), OWN_CLOCK},
    {TYPE(OWN_ECHO), OWN_CLOCK},
    {TYPE(BACK), OWN_CLOCK},
    {RUN(UNSYNCED, 0), HELD_SYNC}, /* phase 0 is due: the phase becomes unknown, and all waits */
    {RUN(ENDING, 5), OWN_CLOCK}, /* all leaves: six for a port at most, four of them for a or beyond */
    {TYPE(HOME), OWN_CLOCK},
    {RUN(ROUTED, 2), OWN_CLOCK}, /* all leaves: two for a port at most */
    {TYPE(MOVED), OWN_CLOCK},
    {TYPE(LEAVING), OWN_CLOCK},
    {RUN(KEPT, 0), OWN_CLOCK}, /* each port has a received message that waits */
    {TYPE(LEFT), OWN_CLOCK},
    {TYPE(LEFT_HIGH), OWN_CLOCK},
    {TYPE(LEFT_COUNTS), OWN_CLOCK},
    {TYPE(STAYING), OWN_CLOCK},
    {TYPE(BARE_STAYING), OWN_CLOCK}, /* counted when the reset comes */
    {RESET},
    {TYPE(RESTORED), OUTSIDE},
    {TYPE(LAST), ALWAYS},
    {RUN(UNSYNCED, 0), HELD_SYNC}, /* the phase differs from that before the reset: T shows it, if no frame
                                      does */
    {RUN(ROUTED, 1), OWN_CLOCK}, /* the message leaves by the address of power-up, as what is sent on */
    {TYPE(SAME), OWN_CLOCK}, /* with counters that are not 0 */
    {TYPE(FINAL), OWN_CLOCK},
};

/* What varies. The lowest bit of the seed decides about Z alone (pb_epilogue_is_provoked). */
static uint64_t drawn_of(const struct pb_scenario *scenario)
{
    return scenario->seed / 2;
}

const char *pb_epilogue_unfit(const struct pb_scenario *scenario)
{
    const uint64_t phases = scenario->network.phases;
    if (1000 * 1000 * phases / scenario->phase_rate_mhz > SUPERFRAME_MS)
        return "a superframe takes more than 2 s";
    if (scenario->codec == PB_CODEC_BARE)
        return "frames of the codec bare name no destination";
    return NULL;
}

/* With an odd seed Z clears them, with an even one the first reset does: a counter is found to be 0 once. */
bool pb_epilogue_is_provoked(const struct pb_scenario *scenario)
{
    bool any = scenario->limits.drop_overflow;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        const unsigned kind = scenario->fault[i].kind;
        any |= kind == PB_FAULT_EXTRA_EDGE || kind == PB_FAULT_EXTRA_SYNC || kind == PB_FAULT_FRAMING ||
               kind == PB_FAULT_LONG_FRAME || kind == PB_FAULT_MISSING_EDGE;
    }
    return any;
}

static bool takes_part(const struct pb_scenario *scenario, const struct pb_device_info *info, unsigned at)
{
    const enum when when = script[at].when;
    if ((when != ALWAYS && (when == OUTSIDE) != scenario->follow) ||
        ((when == PROVOKED || when == BY_RESET) &&
         !(pb_epilogue_is_provoked(scenario) && (when == PROVOKED) == (scenario->seed % 2 != 0))) ||
        (when == HELD_SYNC && !info->faults))
        return false;
    return script[at].step.act != PB_EPILOGUE_TYPES || script[at].step.line != PB_EPILOGUE_LENGTH ||
           scenario->payload_bytes < LENGTH_MOST;
}

static unsigned fill(unsigned things, unsigned ports)
{
    return (things + ports - 1) / ports;
}

/* Mode 1 gets two frames on each port at least: only one of them can be the first. */
static unsigned echo_superframes(unsigned ports)
{
    return ports < ECHOES ? fill(ECHOES, ports) : 2;
}

/* In how many superframes the bench sends frames: until each kind was sent, also where there are fewer
 * ports than kinds. */
static unsigned played_superframes(const struct pb_scenario *scenario, enum pb_epilogue_frames frames)
{
    const unsigned ports = scenario->network.ports;
    switch (frames) {
    case PB_EPILOGUE_QUIET:
    case PB_EPILOGUE_SEQUENCE:
        return 0;
    case PB_EPILOGUE_ECHOED:
        return echo_superframes(ports);
    case PB_EPILOGUE_ENDING:
        return fill(ENDS, ports);
    case PB_EPILOGUE_ROUTED:
        return ports > 1 ? 1 : 2;
    default:
        return 1;
    }
}

bool pb_epilogue_next(const struct pb_scenario *scenario, const struct pb_device_info *info, unsigned *at,
                      struct pb_epilogue_step *step)
{
    const unsigned steps = sizeof script / sizeof script[0];
    while (*at < steps && !takes_part(scenario, info, *at))
        ++*at;
    if (*at == steps)
        return false;
    *step = script[*at].step;
    if (step->act == PB_EPILOGUE_RUNS)
        step->superframes += step->frames == PB_EPILOGUE_SEQUENCE
                                 ? fill(SEQUENCE, scenario->network.ports)
                                 : played_superframes(scenario, step->frames);
    ++*at;
    return true;
}

unsigned pb_epilogue_superframes(const struct pb_scenario *scenario, const struct pb_device_info *info)
{
    struct pb_epilogue_step step;
    unsigned superframes = 0;
    for (unsigned at = 0; pb_epilogue_next(scenario, info, &at, &step);)
        superframes += step.act == PB_EPILOGUE_RUNS ? step.superframes : 0;
    return superframes;
}

/* ---- lines */

bool pb_epilogue_is_plain(enum pb_epilogue_line line)
{
    return (line >= PB_EPILOGUE_FIRST_BAD && line <= PB_EPILOGUE_LAST_BAD) || line == PB_EPILOGUE_SELF ||
           line == PB_EPILOGUE_MESSAGE || line == PB_EPILOGUE_AGAIN || line == PB_EPILOGUE_LAST;
}

/* T before I, in their order in the script. */
static const enum pb_epilogue_line long_lines[PB_EPILOGUE_LONGS] = {
    PB_EPILOGUE_CLEARED, PB_EPILOGUE_SINCE,       PB_EPILOGUE_ECHOING, PB_EPILOGUE_SHOWN,
    PB_EPILOGUE_HELD,    PB_EPILOGUE_LEFT_COUNTS, PB_EPILOGUE_FINAL,   PB_EPILOGUE_STILL,
    PB_EPILOGUE_IDENTITY, PB_EPILOGUE_INFORMED,   PB_EPILOGUE_RESTORED,
};

int pb_epilogue_long(enum pb_epilogue_line line)
{
    int at = 0;
    while (at < PB_EPILOGUE_LONGS && long_lines[at] != line)
        at++;
    return at < PB_EPILOGUE_LONGS ? at : -1;
}

int pb_epilogue_count(enum pb_epilogue_line line)
{
    const int at = pb_epilogue_long(line);
    return at < PB_EPILOGUE_COUNTS ? at : -1;
}

/* The node that differs in every digit. */
static uint32_t opposite(const struct pb_network *network, uint32_t address)
{
    uint32_t far = 0;
    for (unsigned digit = 0; digit < network->digits; digit++) {
        const unsigned value = pb_network_digit(network, address, digit);
        far += network->weight[digit] * (value + 1 < network->radix[digit] ? value + 1 : 0);
    }
    return far;
}

/* The address that A sets. */
static uint32_t other_address(const struct pb_scenario *scenario, unsigned node_index)
{
    return opposite(&scenario->network, scenario->node[node_index].address);
}

/* Bytes that are typed of a payload that is not whole: any number that leaves something to pad. */
static unsigned part_bytes(const struct pb_scenario *scenario)
{
    const unsigned most = scenario->payload_bytes < LENGTH_MOST ? scenario->payload_bytes : LENGTH_MOST;
    return most > 1 ? 1 + (unsigned)(drawn_of(scenario) % (most - 1)) : 0;
}

void pb_epilogue_payload(const struct pb_scenario *scenario, uint8_t payload[PB_FRAME_MAX])
{
    memset(payload, 0, PB_FRAME_MAX);
    memset(payload, FIRST_BYTE, part_bytes(scenario));
}

/* S with a part of the payload. */
static bool is_part(enum pb_epilogue_line line)
{
    return line == PB_EPILOGUE_MESSAGE || line == PB_EPILOGUE_AGAIN || line == PB_EPILOGUE_LAST ||
           line == PB_EPILOGUE_OWN_PRBS;
}

/* Numbers with leading zeros and small digits: once for each command that has one. */
static bool is_padded(enum pb_epilogue_line line)
{
    return line == PB_EPILOGUE_AGAIN || line == PB_EPILOGUE_ECHO || line == PB_EPILOGUE_HOME;
}

void pb_epilogue_text(char text[PB_EPILOGUE_TEXT], const struct pb_scenario *scenario, unsigned node_index,
                      enum pb_epilogue_line line)
{
    const struct pb_network *network = &scenario->network;
    const uint32_t own = scenario->node[node_index].address, other = other_address(scenario, node_index),
                   highest = pb_network_neighbour(network, own, network->ports - 1),
                   beyond = pb_network_neighbour(network, other, network->ports - 1);
    const unsigned typed = part_bytes(scenario);
    const char *const blank = typed ? " " : ""; /* the bytes follow */
    static const char *const unknown[] = {"Q", "Zebra", "Info", "T1"};
    /* Numbers that are too large, and addresses of the network in their lower 16, 16 and 8 bits. */
    const uint32_t large[] = {NOWHERE, 0x10000 + highest, 0x80000000 + highest,
                              network->nodes <= 0x100 ? 0x100 + highest : NOWHERE},
                   far = large[drawn_of(scenario) % 4];
    static const uint32_t no_mode[] = {3, 4, 0x101, 0x10001, 0x80000002};
    const struct {
        const char *command; /* a blank at its end: the number follows */
        uint32_t number;
        const char *rest;
    } row[PB_EPILOGUE_LINES] = {
        [PB_EPILOGUE_EMPTIED] = {"Z", 0, ""},
        [PB_EPILOGUE_CLEARED] = {"T", 0, ""},
        [PB_EPILOGUE_FOUND] = {"M ", 2, ""},
        [PB_EPILOGUE_BEYOND] = {"A ", drawn_of(scenario) % 3 ? network->nodes : far, ""},
        [PB_EPILOGUE_MESSAGE] = {"S ", highest, blank},
        [PB_EPILOGUE_EMPTY] = {"", 0, ""},
        [PB_EPILOGUE_CHARACTER] = {"S ", highest, "\x80"},
        [PB_EPILOGUE_UNKNOWN] = {unknown[drawn_of(scenario) % 4], 0, ""},
        [PB_EPILOGUE_HALF] = {"S ", highest, " 5"},
        [PB_EPILOGUE_DIGIT] = {"S ", highest, " GG"},
        [PB_EPILOGUE_LENGTH] = {"S ", highest, " "},
        [PB_EPILOGUE_MISSING] = {"M", 0, ""},
        [PB_EPILOGUE_MODE] = {"M ", no_mode[drawn_of(scenario) % 5], ""},
        [PB_EPILOGUE_OUTSIDE] = {"S ", network->nodes, ""},
        [PB_EPILOGUE_FAR] = {"S ", far, ""},
        [PB_EPILOGUE_SELF] = {"S ", own, " "},
        [PB_EPILOGUE_SINCE] = {"T", 0, ""},
        [PB_EPILOGUE_AGAIN] = {"S ", highest, blank},
        [PB_EPILOGUE_PASSED] = {"M ", 1, ""},
        [PB_EPILOGUE_PRBS] = {"M ", 2, ""},
        [PB_EPILOGUE_CLEAR] = {"Z", 0, ""},
        [PB_EPILOGUE_BUSY] = {"A ", highest, ""},
        [PB_EPILOGUE_BARE] = {"M", 0, ""},
        [PB_EPILOGUE_RESUME] = {"M ", 0, "\r"},
        [PB_EPILOGUE_STILL] = {"I", 0, ""},
        [PB_EPILOGUE_ADDRESS] = {"A ", other, ""},
        [PB_EPILOGUE_IDENTITY] = {"I", 0, ""},
        [PB_EPILOGUE_BETWEEN] = {"M ", 2, ""},
        [PB_EPILOGUE_ECHO] = {"M ", 1, ""},
        [PB_EPILOGUE_ECHO_AGAIN] = {"M ", 1, ""},
        [PB_EPILOGUE_ECHOING] = {"T", 0, ""},
        [PB_EPILOGUE_ECHO_CLEAR] = {"Z", 0, ""},
        [PB_EPILOGUE_WRONG_ECHO] = {"M ", no_mode[drawn_of(scenario) % 5], ""},
        [PB_EPILOGUE_OWN_ECHO] = {"S ", beyond, ""},
        [PB_EPILOGUE_ROUTE] = {"M ", 0, ""},
        [PB_EPILOGUE_WAITING] = {"M ", 2, ""},
        [PB_EPILOGUE_OWN_PRBS] = {"S ", own, blank},
        [PB_EPILOGUE_RECEIVED] = {"A ", other, ""},
        [PB_EPILOGUE_SHOWN] = {"T", 0, ""},
        [PB_EPILOGUE_INFORMED] = {"I", 0, ""},
        [PB_EPILOGUE_HELD] = {"T", 0, ""},
        [PB_EPILOGUE_ZEROED] = {"Z", 0, ""},
        [PB_EPILOGUE_AWAY] = {"M ", 0, ""},
        [PB_EPILOGUE_FURTHER] = {"M ", 1, ""},
        [PB_EPILOGUE_BACK] = {"M ", 0, ""},
        [PB_EPILOGUE_HOME] = {"A ", own, ""},
        [PB_EPILOGUE_MOVED] = {"A ", other, ""},
        [PB_EPILOGUE_LEAVING] = {"M ", 2, ""},
        [PB_EPILOGUE_LEFT] = {"S ", own, ""},
        [PB_EPILOGUE_LEFT_HIGH] = {"S ", beyond, ""},
        [PB_EPILOGUE_LEFT_COUNTS] = {"T", 0, ""},
        [PB_EPILOGUE_STAYING] = {"M ", 1, ""},
        [PB_EPILOGUE_BARE_STAYING] = {"M", 0, ""},
        [PB_EPILOGUE_RESTORED] = {"I", 0, ""},
        [PB_EPILOGUE_LAST] = {"S ", highest, blank},
        [PB_EPILOGUE_SAME] = {"M ", 0, ""},
        [PB_EPILOGUE_FINAL] = {"T", 0, ""},
    };
    char number[12] = "";
    if (strchr(row[line].command, ' '))
        snprintf(number, sizeof number, is_padded(line) ? "%06" PRIx32 : "%" PRIX32, row[line].number);
    int at = snprintf(text, PB_EPILOGUE_TEXT, "%s%s%s", row[line].command, number, row[line].rest);
    const unsigned whole = scenario->payload_bytes < LENGTH_MOST ? scenario->payload_bytes : LENGTH_MOST,
                   bytes = line == PB_EPILOGUE_SELF     ? whole
                           : line == PB_EPILOGUE_LENGTH ? scenario->payload_bytes + 1
                           : is_part(line)              ? typed
                                                        : 0;
    for (unsigned i = 0; i < bytes; i++)
        at += snprintf(text + at, PB_EPILOGUE_TEXT - (size_t)at, is_padded(line) ? "%02x" : "%02X",
                       FIRST_BYTE);
    if (line == PB_EPILOGUE_AGAIN)
        snprintf(text + at, PB_EPILOGUE_TEXT - (size_t)at, "\r");
}

/* ---- frames of the bench */

uint32_t pb_epilogue_address(const struct pb_epilogue_places *places, unsigned node_index)
{
    return places->moved >> node_index & 1 ? other_address(places->scenario, node_index)
                                           : places->scenario->node[node_index].address;
}

void pb_epilogue_move(struct pb_epilogue_places *places, unsigned node_index, enum pb_epilogue_line line)
{
    const uint64_t node = UINT64_C(1) << node_index;
    if (line == PB_EPILOGUE_ADDRESS || line == PB_EPILOGUE_MOVED)
        places->moved |= node;
    else if (line == PB_EPILOGUE_HOME)
        places->moved &= ~node;
}

bool pb_epilogue_plays(const struct pb_epilogue_places *places, unsigned node_index, unsigned port)
{
    const struct pb_network *network = &places->scenario->network;
    const unsigned phase = pb_network_listen_phase(network, pb_epilogue_address(places, node_index), port);
    unsigned before = 0;
    for (unsigned other = 0; other < node_index; other++)
        before +=
            pb_network_slot(network, pb_epilogue_address(places, other), phase).role == PB_ROLE_LISTEN;
    return before < places->lanes;
}

/* An address outside the network, if the frame has room for one. */
static bool find_outside(uint32_t *outside, const struct pb_scenario *scenario, unsigned port)
{
    const uint32_t end = scenario->codec == PB_CODEC_SLOT ? 0x1000 : 0x10000, nodes = scenario->network.nodes;
    if (nodes >= end)
        return false;
    *outside = port % 2 ? end - 1 : nodes; /* the nearest and the farthest one */
    return true;
}

static uint32_t next_neighbour(const struct pb_network *network, uint32_t address, unsigned port,
                               uint64_t step)
{
    return pb_network_neighbour(network, address, (unsigned)((port + step) % network->ports));
}

/* Makes a frame of mode 1. A frame with an incorrect bit, or a short one, does not come back. */
static void echo(struct pb_epilogue_frame *frame, const struct pb_scenario *scenario, uint32_t address,
                 unsigned port, unsigned superframe)
{
    const struct pb_network *network = &scenario->network;
    const unsigned second = superframe > 0 && network->ports >= ECHOES; /* of another kind than the first */
    switch ((port + superframe * network->ports + second + drawn_of(scenario)) % ECHOES) {
    case 0:
        break;
    case 1:
        (void)find_outside(&frame->destination, scenario, port / ECHOES);
        break;
    case 2:
        frame->destination = opposite(network, address);
        break;
    case 3:
        frame->good = false;
        break;
    case 4:
        frame->whole = false;
        break;
    default:
        frame->destination = next_neighbour(network, address, port, 1);
        break;
    }
}

static uint32_t routed(const struct pb_scenario *scenario, unsigned node_index, uint32_t address,
                       unsigned port, unsigned superframe)
{
    const struct pb_network *network = &scenario->network;
    if (port + 1 == network->ports && superframe + 1 == played_superframes(scenario, PB_EPILOGUE_ROUTED))
        return scenario->node[node_index].address == address ? other_address(scenario, node_index)
                                                             : scenario->node[node_index].address;
    return port == 0 ? address : pb_network_neighbour(network, address, port + 1);
}

/* Makes a frame that goes no further: whole and valid for the node itself or for outside, with an incorrect
 * bit, or too short; and one for the address of power-up, `home`, that goes further when A has set another.
 * A node counts a short frame at the next edge, so there is none in the last phase, after which Z is typed.
 */
static void end(struct pb_epilogue_frame *frame, const struct pb_scenario *scenario, uint32_t address,
                uint32_t home, unsigned port, unsigned superframe)
{
    const struct pb_network *network = &scenario->network;
    const unsigned number = port + superframe * network->ports;
    const uint64_t kind = (number + drawn_of(scenario)) % ENDS;
    switch (kind) {
    case 0:
        (void)find_outside(&frame->destination, scenario, port / ENDS);
        break;
    case 1:
        frame->good = false;
        break;
    case 2:
        frame->whole = pb_network_listen_phase(network, address, port) + 1 == network->phases;
        break;
    default:
        if (number < ENDS && kind == END_HOME)
            frame->destination = home;
        break;
    }
}

/* All bits low, all high, or any. */
static uint8_t payload_byte(unsigned kind, unsigned any)
{
    return (uint8_t)(kind == 0 ? 0 : kind == 1 ? 0xFF : any);
}

bool pb_epilogue_played(struct pb_epilogue_frame *frame, const struct pb_epilogue_places *places,
                        unsigned node_index, unsigned port, enum pb_epilogue_frames frames,
                        unsigned superframe)
{
    const struct pb_scenario *scenario = places->scenario;
    const uint32_t address = pb_epilogue_address(places, node_index);
    if (superframe >= played_superframes(scenario, frames) ||
        !pb_epilogue_plays(places, node_index, port))
        return false;
    *frame = (struct pb_epilogue_frame){.destination = address, .whole = true, .good = true};
    const uint64_t drawn = port + drawn_of(scenario);
    frame->sequence = (port + frames + superframe) & PB_SEQUENCE_MASK;
    for (unsigned i = 0; i < scenario->payload_bytes; i++)
        frame->payload[i] = payload_byte((unsigned)((drawn + frames) % PAYLOADS),
                                         FIRST_BYTE + 16 * port + 5 * frames + superframe + i);
    if (frames == PB_EPILOGUE_ECHOED)
        echo(frame, scenario, address, port, superframe);
    else if (frames == PB_EPILOGUE_ROUTED)
        frame->destination = routed(scenario, node_index, address, port, superframe);
    else if (frames == PB_EPILOGUE_ENDING)
        end(frame, scenario, address, scenario->node[node_index].address, port, superframe);
    else
        frame->destination = next_neighbour(&scenario->network, address, port, drawn_of(scenario));
    const unsigned count =
        pb_frame_write(scenario, frame->destination, frame->sequence, frame->payload, frame->byte);
    /* The last byte is part of the check value. A short frame must not be a whole frame for any receiver. */
    if (!frame->good)
        frame->byte[count - 1] ^= (uint8_t)(1u << drawn % 8);
    frame->count = frame->whole ? count : count - 1;
    return true;
}
