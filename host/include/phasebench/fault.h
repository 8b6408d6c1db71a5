/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Deliberate faults: kind, place, time and size. The core injects them at exact ticks
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
    PB_FAULT_ON_LINE,  /* of one node's link: injected by a fault unit between pin and bench */
    PB_FAULT_ON_CLOCK, /* TDMA_CLK and TDMA_SYNC: injected by a fault unit */
    PB_FAULT_ON_FRAME  /* a slot frame that a virtual neighbour sends: injected by the slot player */
};

/* How the line under test must be wired for the fault to reach the node. */
enum pb_fault_wiring {
    PB_WIRING_ANY,    /* the bench's pin in parallel with the line suffices */
    PB_WIRING_THROUGH /* the line must pass through the bench: the fault acts downstream of the pin */
};

/* X(name, id, place, wiring, finding): the only list of kinds on the host. PB_FAULT_<name> is the core's
 * number, or a number of the enum below. `finding` is the kind of finding (result.h) that the check must
 * report for it. */
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

/* Kinds unknown to the core: the host alters the bytes, and the receipt says WRONG_BYTES. */
enum {
    PB_FAULT_SHORT_FRAME = 32, /* above the range of the 5 bits in a receipt */
    PB_FAULT_LONG_FRAME,
    PB_FAULT_WRONG_LENGTH,
    PB_FAULT_OUTSIDE_ADDRESS,
    PB_FAULT_END
};

#define PB_FAULT_CLOCK_LINK PB_EVENT_LINK_CLOCK /* link of the receipt of a clock fault */

enum pb_jitter_shape { PB_JITTER_UNIFORM, PB_JITTER_GAUSSIAN };

/* One fault of a scenario; checked values in base units. */
struct pb_fault {
    unsigned kind;                        /* PB_FAULT_* */
    unsigned number;                      /* of its record, in its receipt: its index in the scenario */
    unsigned node_index;                        /* index of the node whose line has the fault (line and
                                                   frame) */
    unsigned dimension;                   /* of that line */
    unsigned other_node, other_dimension; /* short: the other line */
    uint32_t superframe;                  /* of its start */
    unsigned phase;                       /* of its start; early_edge: the phase whose edge comes early */
    int64_t
        at_ps; /* after the phase edge: stuck_low, open, short, slow_rise, glitch, second_driver, babble */
    int64_t length_ps; /* duration: as at_ps, and jitter and drift (0: to the end of the run) */
    int64_t amount_ps; /* late_edge, early_edge, late_start, early_start: shift; jitter: largest delay;
                          slow_rise: delay of a rise; second_driver: low and high time */
    int32_t ppm;       /* drift and baud: positive is fast */
    enum pb_jitter_shape shape;
    uint32_t seed;  /* jitter; 1..65535 */
    unsigned bytes; /* framing, babble: sent; short_frame: left out; long_frame: added */
};

struct pb_fault_info {
    unsigned kind;
    const char *id;
    enum pb_fault_place place;
    enum pb_fault_wiring wiring;
    int finding;      /* enum pb_finding_kind */
    const char *text; /* effect, one clause */
};

/* All kinds, in the order of the list; *count of them. */
const struct pb_fault_info *pb_fault_infos(unsigned *count);
/* NULL: no such kind. */
const struct pb_fault_info *pb_fault_info(unsigned kind);
const struct pb_fault_info *pb_fault_by_id(const char *id);
struct pb_scenario;
/* Whether the scenario's frames allow this kind of fault. long_frame: a byte fits after the frame;
 * wrong_length: the frame has a length field; outside_address: a destination outside the network exists. */
bool pb_fault_suits(const struct pb_scenario *scenario, unsigned kind);
/* The core's number of the kind, in a record of the slot player and in a receipt. */
unsigned pb_fault_core_kind(unsigned kind);

PB_API_END

#endif
