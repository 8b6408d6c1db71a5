/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Deliberate faults: what the bench does wrong on purpose, when and where. The core makes them at exact ticks
 * and confirms each with a receipt event (rtl/proto/regs.def, FAULT_KIND).
 */
#ifndef PHASEBENCH_FAULT_H
#define PHASEBENCH_FAULT_H

#include "phasebench/api.h"
#include "rtl/proto/gen/pb_regs.h"

#include <stdbool.h>
#include <stdint.h>

PB_API_BEGIN

enum pb_fault_place {
    PB_FAULT_ON_LINE,  /* of one node's link: made by a fault unit between pin and bench */
    PB_FAULT_ON_CLOCK, /* TDMA_CLK and TDMA_SYNC: made by a fault unit */
    PB_FAULT_ON_FRAME  /* a slot frame that a virtual neighbour sends: made by the slot player */
};

/* How the line under test has to be wired for the fault to reach what it is meant for. */
enum pb_fault_wiring {
    PB_WIRING_ANY,    /* the bench's pin beside the line will do */
    PB_WIRING_THROUGH /* the line must pass through the bench: it acts between the pin and what is behind it
                       */
};

/* X(name, id, place, wiring, finding): the only list of kinds on the host. PB_FAULT_<name> is the core's
 * number, or one of the list after this one. `finding` is the kind of finding (result.h) by which the check
 * must name it. */
#define PB_FAULT_LIST(X)                                                                                     \
    X(STUCK_LOW, "stuck_low", LINE, ANY, STUCK)                                                              \
    X(OPEN, "open", LINE, THROUGH, OPEN)                                                                     \
    X(SHORT, "short", LINE, ANY, SHORT)                                                                      \
    X(SLOW_RISE, "slow_rise", LINE, THROUGH, SLOW_RISE)                                                      \
    X(GLITCH, "glitch", LINE, ANY, GLITCH)                                                                   \
    X(SECOND_DRIVER, "second_driver", LINE, ANY, CONTENTION)                                                 \
    X(LATE_EDGE, "late_edge", CLOCK, ANY, CLOCK_LATE)                                                        \
    X(EARLY_EDGE, "early_edge", CLOCK, ANY, CLOCK_EARLY)                                                     \
    X(MISSING_EDGE, "missing_edge", CLOCK, ANY, CLOCK_MISSING)                                               \
    X(EXTRA_EDGE, "extra_edge", CLOCK, ANY, CLOCK_EXTRA)                                                     \
    X(MISSING_SYNC, "missing_sync", CLOCK, ANY, SYNC_MISSING)                                                \
    X(EXTRA_SYNC, "extra_sync", CLOCK, ANY, SYNC_EXTRA)                                                      \
    X(JITTER, "jitter", CLOCK, ANY, JITTER)                                                                  \
    X(DRIFT, "drift", CLOCK, ANY, DRIFT)                                                                     \
    X(WRONG_BYTES, "wrong_bytes", FRAME, ANY, WRONG_BYTES)                                                   \
    X(FRAMING, "framing", FRAME, ANY, FRAMING)                                                               \
    X(BAUD, "baud", FRAME, ANY, BAUD)                                                                        \
    X(EARLY_START, "early_start", FRAME, ANY, EARLY)                                                         \
    X(LATE_START, "late_start", FRAME, ANY, LATE)                                                            \
    X(BABBLE, "babble", FRAME, ANY, BABBLE)                                                                  \
    X(SHORT_FRAME, "short_frame", FRAME, ANY, WRONG_BYTES)                                                   \
    X(LONG_FRAME, "long_frame", FRAME, ANY, BABBLE)                                                          \
    X(WRONG_LENGTH, "wrong_length", FRAME, ANY, WRONG_BYTES)                                                 \
    X(OUTSIDE_ADDRESS, "outside_address", FRAME, ANY, WRONG_BYTES)

/* Kinds that the core does not know: it plays the bytes that it is given, and marks them as WRONG_BYTES. */
enum {
    PB_FAULT_SHORT_FRAME = 32, /* beyond all that the 5 bits of a receipt hold */
    PB_FAULT_LONG_FRAME,
    PB_FAULT_WRONG_LENGTH,
    PB_FAULT_OUTSIDE_ADDRESS,
    PB_FAULT_END
};

#define PB_FAULT_CLOCK_LINK PB_EVENT_LINK_CLOCK /* link of the receipt of a clock fault */

enum pb_jitter_shape { PB_JITTER_UNIFORM, PB_JITTER_GAUSSIAN };

/* One fault of a scenario; all checked and in base units. */
struct pb_fault {
    unsigned kind;                        /* PB_FAULT_* */
    unsigned number;                      /* of its record, in its receipt: its index in the scenario */
    unsigned seat;                        /* index of the node whose line it is (line and frame) */
    unsigned dimension;                   /* of that line */
    unsigned other_seat, other_dimension; /* short: the other line */
    uint32_t superframe;                  /* of its beginning */
    unsigned phase;                       /* of its beginning; early_edge: the phase whose edge comes early */
    int64_t
        at_ps; /* after the phase edge: stuck_low, open, short, slow_rise, glitch, second_driver, babble */
    int64_t length_ps; /* how long: as at_ps, and jitter and drift (0: to the end of the run) */
    int64_t amount_ps; /* late_edge, early_edge, late_start, early_start: by how much; jitter: the largest
                          delay; slow_rise: delay of a rise; second_driver: low and high time */
    int32_t ppm;       /* drift and baud: positive is fast */
    enum pb_jitter_shape shape;
    uint32_t seed;  /* jitter; 1..65535 */
    unsigned bytes; /* babble: how many; short_frame: how many are left out; long_frame: how many follow */
};

struct pb_fault_info {
    unsigned kind;
    const char *id;
    enum pb_fault_place place;
    enum pb_fault_wiring wiring;
    int finding;      /* enum pb_finding_kind */
    const char *text; /* what happens, one clause */
};

/* All kinds, in the order of the list; *count of them. */
const struct pb_fault_info *pb_fault_infos(unsigned *count);
/* NULL when there is no such kind. */
const struct pb_fault_info *pb_fault_info(unsigned kind);
const struct pb_fault_info *pb_fault_by_id(const char *id);
struct pb_scenario;
/* Whether the frames of the scenario can be spoiled in this way: after a long_frame's frame there is room for
 * a byte, the frame of a wrong_length has a length field, and a destination can name an outside_address. */
bool pb_fault_suits(const struct pb_scenario *scenario, unsigned kind);
/* The number by which the core knows the kind: in a slot player's mark and in a receipt. */
unsigned pb_fault_core_kind(unsigned kind);

PB_API_END

#endif
