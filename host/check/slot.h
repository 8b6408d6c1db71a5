/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One slot: the observation of one line in one phase, and its judgement.
 */
#ifndef PHASEBENCH_SLOT_H
#define PHASEBENCH_SLOT_H

#include "host/check/wave.h"
#include "host/scenario/movement.h"
#include "phasebench/event.h"
#include "phasebench/result.h"

/* Bits of a byte from which its bit time is measured: to one tick over them, which is added to a limit. */
#define PB_BAUD_BITS_MIN 5

/* A place in the schedule, and the instant from which its times count. */
struct pb_schedule_place {
    uint64_t tick;    /* of the phase edge, or of what happened */
    unsigned half;    /* of an external edge: PB_HALF_* */
    int64_t ideal_ps; /* from that instant to the phase edge of the bench */
    uint32_t superframe;
    unsigned phase;
};

struct pb_slot_seen {
    bool any_low;
    unsigned edges;
    int64_t first_low_ps;                      /* from the phase edge */
    int64_t last_low_ps;                       /* end of the last low */
    int64_t first_low_u95_ps, last_low_u95_ps; /* how well the two are known */
    unsigned byte_count; /* may exceed PB_FRAME_MAX; then only the first ones are kept */
    uint8_t byte[PB_FRAME_MAX];
    int64_t byte_start_ps[PB_FRAME_MAX];
    int bad_stop; /* index of the first byte without stop bit, -1 */
};

struct pb_slot_limits {
    int64_t start_min_ps, start_max_ps; /* of a node's first low */
    int64_t end_max_ps;                 /* of the last low, of any sender */
    int64_t longer_ps; /* part of that: by how much a phase of an external clock is longer than the
                          schedule's, which the core does not know */
};

enum pb_slot_kind {
    PB_SLOT_PLAIN,
    PB_SLOT_CUT,      /* an edge of TDMA_CLK ends the phase in the middle of the node's frame */
    PB_SLOT_COLLISION /* bench and node send at once, as a clock fault set them apart */
};

struct pb_expected_frame {
    const struct pb_crossing
        *crossing; /* its message is a frame id (model.h); NULL: the line must stay high */
    enum pb_sender sender;
    bool through_fabric; /* seen at the far pin of a joined pair */
    bool by_bench;       /* the bench sends in the slot, alone or not */
    enum pb_slot_kind kind;
    int64_t edge_ps, end_ps; /* the nodes' edges before and after, from the beginning of the slot */
    int64_t released_ps;     /* the end of the slot: a frame that was cut has left the line by then */
};

struct pb_alarm_seen {
    uint32_t codes; /* bit per code */
    int64_t at_ps;  /* of the first */
};

/* The current slot of a line. The slots of all lines are in one array, by link. */
struct pb_line_slot {
    unsigned link;
    struct pb_schedule_place at; /* its beginning */
    struct pb_slot_limits limits;
    struct pb_slot_seen seen;
    struct pb_wave wave;
    struct pb_alarm_seen alarm;
    struct pb_expected_frame expected;
    bool displaced;          /* the nodes' phases are not the bench's, so the core's own limits do not hold */
    bool found, edge_lost;   /* it has a finding; one of them about a lost edge */
    bool found_before, low_before; /* the slot before had a finding; was low */
    size_t findings_before;  /* in the result when the slot began */
    bool high;               /* the level now; high where it is unknown */
    bool level_lost;         /* the last level was low, and the next event does not follow from it */
    uint64_t edge_sequence;  /* of the last edge */
    int64_t low_until_tick;  /* of a line that is low at the end of the slot: when it rises */
};

/* The present slot of another line. */
static inline const struct pb_line_slot *pb_slot_of_line(const struct pb_line_slot *slot, unsigned link)
{
    return slot - slot->link + link;
}

/* How many of the bytes were kept. */
static inline unsigned pb_slot_kept(const struct pb_slot_seen *seen)
{
    return seen->byte_count < PB_FRAME_MAX ? seen->byte_count : PB_FRAME_MAX;
}

/* Bits on the line in order of time: 0 start, 1..8 data, 9 stop. */
static inline unsigned pb_slot_line_bits(uint8_t byte, bool stop)
{
    return (unsigned)byte << 1 | (stop ? 0x200u : 0);
}
/* Level changes on a line that is high before and after these bytes. */
unsigned pb_slot_edges(const uint8_t *bytes, unsigned count);
/* Two hexadecimal digits a byte, as many bytes as fit. */
void pb_slot_bytes_text(char *text, size_t size, const uint8_t *bytes, unsigned count);
/* First differing bit of two frames, 10 a byte from the first start bit; -1 when equal. */
int pb_slot_first_difference(const uint8_t *expected, unsigned expected_count, const uint8_t *seen,
                             unsigned seen_count);

/* The bit after the last edge in a received byte, and the ticks from the start edge to this edge; false: the
 * receiver saw no edge. */
bool pb_slot_last_edge(const struct pb_event *byte, uint32_t bit_period_q4, unsigned *bit, int64_t *position);
/* Bit time of a received byte from the position of its last edge, in ppm of the nominal one; false when the
 * byte has no edge late enough for it to mean something. */
bool pb_slot_baud_error(const struct pb_event *byte, uint32_t bit_period_q4, int32_t *error_ppm);

#endif
