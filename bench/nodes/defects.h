/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The defects of the node models. Each defect of the contract node (contract.c) violates one sentence of
 * docs/node.md. The other models have defects at the pins (pin_defects.c) or in the firmware.
 * docs/reference/scenario.md lists the same names; tests/procedure/unit/test_contract_table.c compares them.
 */
#ifndef PB_NODE_DEFECTS_H
#define PB_NODE_DEFECTS_H

#include <stddef.h>
#include <stdint.h>

/* Conditions that a run must meet before a defect can show. A defect needs all conditions that it names. */
enum pb_defect_needs {
    PB_NEEDS_SEND = 1 << 0,         /* the node sends frames: its own or others' */
    PB_NEEDS_OWN = 1 << 1,          /* messages of this node, typed on its console */
    PB_NEEDS_FORWARD = 1 << 2,      /* messages through the node */
    PB_NEEDS_RECEIVE = 1 << 3,      /* messages for the node */
    PB_NEEDS_QUEUE = 1 << 4,        /* two messages waiting for one dimension */
    PB_NEEDS_FULL = 1 << 5,         /* more messages than the node has room for */
    PB_NEEDS_IDLE = 1 << 6,         /* an own phase without a message to send */
    PB_NEEDS_SYNC_MISSING = 1 << 7, /* TDMA_SYNC low when phase 0 is due */
    PB_NEEDS_SYNC_EXTRA = 1 << 8,   /* TDMA_SYNC high when another phase is due */
    PB_NEEDS_EDGE_MISSING = 1 << 9, /* an edge of TDMA_CLK half a phase late or missing */
    PB_NEEDS_EDGE_EXTRA = 1 << 10,  /* an edge of TDMA_CLK within half a phase of the one before */
    PB_NEEDS_CUT = 1 << 11,         /* an edge of TDMA_CLK while the node sends */
    PB_NEEDS_BAD_CRC = 1 << 12,     /* a frame with an incorrect CRC to the node */
    PB_NEEDS_BAD_STOP = 1 << 13,    /* a byte with a low stop bit to the node */
    PB_NEEDS_SHORT = 1 << 14,       /* a frame that ends too early, to the node */
    PB_NEEDS_LONG = 1 << 15,        /* bytes after the end of a frame to the node */
    PB_NEEDS_OUTSIDE = 1 << 16,     /* a frame for an address outside the cube, to the node: dims below 12 */
    PB_NEEDS_COUNTERS = 1 << 17,    /* the answer to the console command T */
    PB_NEEDS_LINE = 1 << 18,        /* console lines other than messages */
    PB_NEEDS_TWO_RESETS = 1 << 19,  /* NRST low after the node was in use */
    PB_NEEDS_SPARE_LINK = 1 << 20,  /* dims below 12 */
    PB_NEEDS_TWO_DIMS = 1 << 21,    /* dims at least 2 */
    PB_NEEDS_OPEN_DRAIN = 1 << 22,  /* link.drive open_drain */
    PB_NEEDS_HEAD_GUARD = 1 << 23,  /* a head guard longer than the amount */
    PB_NEEDS_NEXT_PHASE = 1 << 24,  /* a message through the node that can leave in the next phase */
    PB_NEEDS_TAIL_GUARD = 1 << 25,  /* a tail guard longer than the amount */
    PB_NEEDS_ECUBE = 1 << 26,       /* cube.rule ecube */
    PB_NEEDS_BEFORE_CLOCK = 1 << 27, /* acts before the phase clock: no `from`, no `every` */
    PB_NEEDS_PROGRAM = 1 << 28      /* the node runs a program, docs/use/programs.md */
};

/* X(identifier, name, text): what may have happened to a contract node before its defect shows. */
#define PB_DEFECT_AFTER_LIST(X)                                                                              \
    X(START, "start", "nothing: it shows from the start")                                                    \
    X(RESET, "reset", "NRST was low once more after the node had run")                                       \
    X(SYNC, "sync", "TDMA_SYNC came out of turn, or did not come")                                           \
    X(CUT, "cut", "an edge ended its transmission")                                                          \
    X(REJECTED, "rejected", "it rejected a frame")                                                           \
    X(REFUSED, "refused", "it refused a console line")                                                       \
    X(MODE, "mode", "a test mode was set")
enum pb_defect_after {
#define PB_DEFECT_AFTER_ENUM(id, name, text) PB_AFTER_##id,
    PB_DEFECT_AFTER_LIST(PB_DEFECT_AFTER_ENUM)
#undef PB_DEFECT_AFTER_ENUM
        PB_DEFECT_AFTERS
};

/* X(identifier, name, sentence, needs, amount in ps, amount in thousandths of a link bit, text). Both amounts
 * are 0 if the defect has none; at most one is not 0. */
#define PB_DEFECT_LIST(X)                                                                                    \
    X(BOOT_PULL, "boot_pull", "R2", PB_NEEDS_BEFORE_CLOCK, 3000000000, 0,                                    \
      "pulls link 0 until the amount after power-up, but not under NRST")                                    \
    X(WARM_PULL, "warm_pull", "R2", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 2000000000, 0,                    \
      "pulls link 0 for the amount after NRST once it has run")                                              \
    X(BOOT_BLIP, "boot_blip", "R2", PB_NEEDS_BEFORE_CLOCK, 2000000, 0,                                       \
      "pulls its highest link for the amount, 500 us after NRST")                                            \
    X(LINE_BLIP, "line_blip", "R2", PB_NEEDS_BEFORE_CLOCK, 2000000, 0,                                       \
      "pulls its highest link for the amount at a console line before the first edge of TDMA_CLK")           \
    X(RESET_PULL, "reset_pull", "R1", PB_NEEDS_BEFORE_CLOCK, 0, 0, "pulls every link under NRST")            \
    X(RESET_UART, "reset_uart", "R1", PB_NEEDS_BEFORE_CLOCK, 0, 0, "holds UART0_TX low under NRST")          \
    X(WARM_UART, "warm_uart", "R1", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,                             \
      "holds UART0_TX low under NRST once it has run")                                                       \
    X(RESET_LINK, "reset_link", "R1", PB_NEEDS_BEFORE_CLOCK, 0, 0, "pulls its highest link under NRST")      \
    X(SLOW_BOOT, "slow_boot", "R3", PB_NEEDS_OWN | PB_NEEDS_BEFORE_CLOCK, 20000000000, 0,                    \
      "its console is deaf for the amount after NRST")                                                       \
    X(WARM_DEAF, "warm_deaf", "R3", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 20000000000, 0,                   \
      "its console is deaf for the amount after NRST once it has run")                                       \
    X(IGNORES_RESET, "ignores_reset", "R4", PB_NEEDS_BEFORE_CLOCK, 0, 0, "works on while NRST is low")       \
    X(KEEPS_SEQUENCE, "keeps_sequence", "R4", PB_NEEDS_OWN | PB_NEEDS_TWO_RESETS | PB_NEEDS_BEFORE_CLOCK, 0, \
      0, "a reset does not restart its sequence numbers")                                                    \
    X(RESET_KEEPS_QUEUE, "reset_keeps_queue", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,             \
      "a reset does not empty its queues")                                                                   \
    X(RESET_KEEPS_MODE, "reset_keeps_mode", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,               \
      "a reset does not end its test mode")                                                                  \
    X(RESET_KEEPS_ADDRESS, "reset_keeps_address", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,         \
      "a reset does not restore its address of power-up")                                                    \
    X(RESET_KEEPS_COUNTERS, "reset_keeps_counters", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,       \
      "a reset does not clear its counters")                                                                 \
    X(RESET_KEEPS_REFUSED, "reset_keeps_refused", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,         \
      "a reset does not clear its counter of refused lines")                                                 \
    X(RESET_KEEPS_ECHO, "reset_keeps_echo", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,               \
      "a reset does not end mode 1; it ends mode 2")                                                         \
    X(RESET_KEEPS_RECEIVED, "reset_keeps_received", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,       \
      "a reset empties its queues of its own messages alone")                                                \
    X(RESET_KEEPS_HIGH, "reset_keeps_high", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK | PB_NEEDS_TWO_DIMS, \
      0, 0, "a reset empties its queue for dimension 0 alone")                                               \
    X(RESET_KEEPS_PHASE, "reset_keeps_phase", "R4", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,             \
      "a reset does not make its phase unknown")                                                             \
    X(PULLS_UNUSED, "pulls_unused", "R5", PB_NEEDS_SPARE_LINK, 0, 1000,                                      \
      "pulls the link above its highest dimension for the amount, 8 bit times after each phase 0")           \
    X(WARM_UNUSED, "warm_unused", "R5", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK | PB_NEEDS_SPARE_LINK, 0, 0,   \
      "pulls the link above its highest dimension under NRST once it has run")                               \
    X(FRAME_UNUSED, "frame_unused", "R5", PB_NEEDS_SEND | PB_NEEDS_SPARE_LINK, 0, 0,                         \
      "sends its frame on the link above its highest dimension, too")                                        \
    X(DRIVES_IDLE, "drives_idle", "R6", PB_NEEDS_RECEIVE, 0, 0,                                              \
      "drives every link of the cube high in the phases in which it listens")                                \
    X(DRIVES_FRAME, "drives_frame", "R6", PB_NEEDS_SEND | PB_NEEDS_OPEN_DRAIN, 0, 0,                         \
      "drives the high bits of its frame on an open-drain line")                                             \
    X(MISSES_EDGE, "misses_edge", "P1", PB_NEEDS_SEND, 0, 0, "does not see an edge of TDMA_CLK")             \
    X(FALLING_EDGE, "falling_edge", "P1", PB_NEEDS_SEND, 0, 0, "begins its phases at the falling edge")      \
    X(PHASE_OFF, "phase_off", "P1", PB_NEEDS_SEND, 0, 0,                                                     \
      "reads TDMA_SYNC before the edge: counts every phase one too low")                                     \
    X(STEP_IGNORED, "step_ignored", "P2", PB_NEEDS_SEND | PB_NEEDS_SYNC_EXTRA, 0, 0,                         \
      "ignores TDMA_SYNC high when another phase is due")                                                    \
    X(STEP_LATE, "step_late", "P2", PB_NEEDS_SEND | PB_NEEDS_SYNC_EXTRA, 0, 0,                               \
      "takes TDMA_SYNC high out of turn a phase late: the phase after it is 0")                              \
    X(JOINS_LATE, "joins_late", "P2", PB_NEEDS_SEND, 0, 0,                                                   \
      "while its phase is unknown it begins phase 0 at the second edge with TDMA_SYNC high only")            \
    X(COUNTS_ON, "counts_on", "P3", PB_NEEDS_SEND | PB_NEEDS_SYNC_MISSING, 0, 0,                             \
      "counts on when TDMA_SYNC is missing")                                                                 \
    X(SKIPS_PHASE, "skips_phase", "P3", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS, 0, 0,                             \
      "counts two phases at one edge, in phase 1")                                                           \
    X(STARTS_KNOWN, "starts_known", "P4", PB_NEEDS_SEND, 0, 0,                                               \
      "begins phase 1 at the first edge after a reset, also without TDMA_SYNC")                              \
    X(SILENT_LATE, "silent_late", "P4", PB_NEEDS_SEND | PB_NEEDS_SYNC_MISSING, 0, 0,                         \
      "falls silent a superframe after the missing TDMA_SYNC")                                               \
    X(PULLS_UNKNOWN, "pulls_unknown", "P4", PB_NEEDS_SYNC_MISSING, 0, 2000,                                  \
      "while its phase is unknown it pulls link 0 for the amount at each edge")                              \
    X(ALIGNMENT_UNCOUNTED, "alignment_uncounted", "P5", PB_NEEDS_SYNC_MISSING | PB_NEEDS_COUNTERS, 0, 0,     \
      "does not count alignment errors")                                                                     \
    X(ALIGNMENT_MISSING, "alignment_missing", "P5", PB_NEEDS_SYNC_MISSING | PB_NEEDS_COUNTERS, 0, 0,         \
      "does not count an edge with TDMA_SYNC low when phase 0 was due as an alignment error")                \
    X(ALIGNMENT_TWICE, "alignment_twice", "P5", PB_NEEDS_SYNC_MISSING | PB_NEEDS_COUNTERS, 0, 0,             \
      "counts an alignment error twice")                                                                     \
    X(NEIGHBOURS_PHASE, "neighbours_phase", "P6", PB_NEEDS_SEND, 0, 0,                                       \
      "sends in its neighbours' phases and listens in its own")                                              \
    X(LISTENS_WRONG, "listens_wrong", "P7", PB_NEEDS_FORWARD | PB_NEEDS_TWO_DIMS, 0, 0,                      \
      "listens on the link of the next dimension")                                                           \
    X(DEAF, "deaf", "P7", PB_NEEDS_FORWARD, 0, 0, "gives up a reception at its first byte")                  \
    X(SECOND_LINK, "second_link", "P8", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS, 0, 0,                             \
      "sends its frame on the link of the next dimension, too")                                              \
    X(SWAPPED_LINKS, "swapped_links", "P8", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS, 0, 0,                         \
      "has the links of dimensions 0 and 1 exchanged")                                                       \
    X(TIMER_PHASE, "timer_phase", "P9", PB_NEEDS_SEND | PB_NEEDS_EDGE_MISSING, 0, 0,                         \
      "begins the next phase by itself when an edge is late by half a phase")                                \
    X(DEBOUNCES, "debounces", "P9", PB_NEEDS_SEND | PB_NEEDS_EDGE_EXTRA, 0, 0,                               \
      "ignores an edge within half a phase of the one before")                                               \
    X(EARLY_START, "early_start", "T1", PB_NEEDS_SEND | PB_NEEDS_HEAD_GUARD, 2000000, 0,                     \
      "starts the amount too early")                                                                         \
    X(LATE_START, "late_start", "T1", PB_NEEDS_SEND, 4000000, 0, "starts the amount too late")               \
    X(BYTE_PAUSE, "byte_pause", "T2", PB_NEEDS_SEND, 0, 3000,                                                \
      "pauses for the amount before the second byte of its frame")                                           \
    X(SHORT_FRAME, "short_frame", "T2", PB_NEEDS_SEND, 0, 0, "leaves out the last byte of its frame")        \
    X(LONG_FRAME, "long_frame", "T2", PB_NEEDS_SEND, 0, 0, "sends one byte after the end of its frame")      \
    X(FLIPPED_BIT, "flipped_bit", "T2", PB_NEEDS_SEND, 0, 0, "inverts bit 0 of the second byte on the line") \
    X(WRONG_CRC, "wrong_crc", "T2", PB_NEEDS_SEND, 0, 0, "inverts bit 7 of the check value")                 \
    X(SENDS_IDLE, "sends_idle", "T3", PB_NEEDS_IDLE, 0, 0, "sends a frame when nothing is to be sent")       \
    X(IDLE_GLITCH, "idle_glitch", "T3", PB_NEEDS_IDLE, 0, 300,                                               \
      "pulls its line for the amount in an own phase in which it sends nothing")                             \
    X(BABBLE, "babble", "T3", PB_NEEDS_SEND, 0, 800,                                                         \
      "after its frame it pulls the line for the amount, one bit time after the stop bit")                   \
    X(TAIL_PULSE, "tail_pulse", "T4", PB_NEEDS_SEND | PB_NEEDS_TAIL_GUARD, 219000, 0,                        \
      "pulls the line for the amount at the beginning of the tail guard")                                    \
    X(BAUD_OFF, "baud_off", "T5", PB_NEEDS_SEND, 0, 40, "its bit time is longer by the amount")              \
    X(SHORT_STOP, "short_stop", "T5", PB_NEEDS_SEND, 0, 450, "its stop bits are shorter by the amount")      \
    X(LATE_DATA, "late_data", "T5", PB_NEEDS_SEND, 0, 500,                                                   \
      "every edge but that of the start bit is late by the amount")                                          \
    X(LATE_EDGE, "late_edge", "T5", PB_NEEDS_SEND, 0, 450, "one edge of its frame is late by the amount")    \
    X(LATE_RISE, "late_rise", "T5", PB_NEEDS_SEND, 0, 450, "every rising edge is late by the amount")        \
    X(LATE_FALL, "late_fall", "T5", PB_NEEDS_SEND, 0, 450,                                                   \
      "every falling edge but those of start bits is late by the amount")                                    \
    X(FAST_BITS, "fast_bits", "T5", PB_NEEDS_SEND, 0, 28,                                                    \
      "its bits are shorter by the amount, and its stop bits so much longer that bytes start in time")       \
    X(FAST_LATER, "fast_later", "T5", PB_NEEDS_SEND, 0, 28, "the same from the second byte of a frame on")   \
    X(FASTER_BITS, "faster_bits", "T5", PB_NEEDS_SEND, 0, 40,                                                \
      "the same, byte by byte from nothing to the amount")                                                   \
    X(ONE_LINK_EDGE, "one_link_edge", "T5", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS, 0, 450,                       \
      "one edge of its frame is late by the amount, but not in phases 0 and 1")                              \
    X(NO_RELEASE, "no_release", "T6", PB_NEEDS_SEND | PB_NEEDS_CUT, 0, 0,                                    \
      "an edge of TDMA_CLK does not end its transmission")                                                   \
    X(LATE_RELEASE, "late_release", "T6", PB_NEEDS_SEND | PB_NEEDS_CUT, 0, 12000,                            \
      "an edge of TDMA_CLK ends its transmission the amount late, with the line low")                        \
    X(RESENDS_TWICE, "resends_twice", "T6", PB_NEEDS_SEND | PB_NEEDS_CUT, 0, 0,                              \
      "sends a message that an edge cut twice again")                                                        \
    X(RESENDS_ELSEWHERE, "resends_elsewhere", "T6", PB_NEEDS_SEND | PB_NEEDS_CUT | PB_NEEDS_TWO_DIMS, 0, 0,  \
      "sends a message that an edge cut once again on the next dimension")                                   \
    X(RESENDS_ALTERED, "resends_altered", "T6", PB_NEEDS_SEND | PB_NEEDS_CUT, 0, 0,                          \
      "sends a message that an edge cut once again with the last payload bit inverted")                      \
    X(DROPS_FRAME, "drops_frame", "F1", PB_NEEDS_FORWARD, 0, 0, "drops a good frame for another node")       \
    X(SLOW_FORWARD, "slow_forward", "F1", PB_NEEDS_FORWARD | PB_NEEDS_NEXT_PHASE, 0, 0,                      \
      "a frame received in a phase cannot leave in the next one")                                            \
    X(REPEATS_DROPPED, "repeats_dropped", "F1", PB_NEEDS_LINE | PB_NEEDS_TWO_DIMS, 0, 0,                     \
      "drops a frame that equals the one before it on its link")                                             \
    X(PRBS_DEAF, "prbs_deaf", "F1", PB_NEEDS_LINE, 0, 0, "receives nothing in mode 2")                       \
    X(TAKES_BAD_CRC, "takes_bad_crc", "F2", PB_NEEDS_FORWARD | PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,   \
      "takes a frame with a wrong check value and sends it on with a good one")                              \
    X(CRC_UNCOUNTED, "crc_uncounted", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                      \
      "does not count wrong check values")                                                                   \
    X(CRC_LOWEST_BIT, "crc_lowest_bit", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                    \
      "compares bit 0 of its check value alone")                                                             \
    X(CRC_LOW_BITS, "crc_low_bits", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                        \
      "compares bits 3 to 0 of its check value alone")                                                       \
    X(CRC_BUT_HIGHEST, "crc_but_highest", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                  \
      "does not compare the highest bit of its check value")                                                 \
    X(CRC_BUT_LINK, "crc_but_link", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                        \
      "does not look at check values on dimension 0")                                                        \
    X(CRC_BUT_OWN, "crc_but_own", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                          \
      "does not look at the check value of a frame for itself")                                              \
    X(CRC_BUT_OUTSIDE, "crc_but_outside", "F2", PB_NEEDS_BAD_CRC | PB_NEEDS_COUNTERS, 0, 0,                  \
      "clears the destination bits beyond the cube, then computes its check value")                          \
    X(CRC_BUT_ECHO, "crc_but_echo", "F2", PB_NEEDS_LINE, 0, 0, "does not look at the check value in mode 1") \
    X(CRC_BUT_PRBS, "crc_but_prbs", "F2", PB_NEEDS_LINE, 0, 0, "does not look at the check value in mode 2") \
    X(CRC_BUT_MOVED, "crc_but_moved", "F2", PB_NEEDS_LINE, 0, 0,                                             \
      "does not look at the check value while A has given it another address")                               \
    X(TAKES_SHORT, "takes_short", "F3", PB_NEEDS_FORWARD | PB_NEEDS_SHORT, 0, 0,                             \
      "takes a frame that lacks bytes after its destination, with zeros in their places")                    \
    X(TAKES_BARE, "takes_bare", "F3", PB_NEEDS_SHORT | PB_NEEDS_COUNTERS, 0, 0,                              \
      "takes a frame that lacks its whole payload, with zeros in its place")                                 \
    X(TAKES_BAD_STOP, "takes_bad_stop", "F4", PB_NEEDS_FORWARD | PB_NEEDS_BAD_STOP, 0, 0,                    \
      "ignores stop bits")                                                                                   \
    X(STOP_LAST_ONLY, "stop_last_only", "F4", PB_NEEDS_BAD_STOP | PB_NEEDS_COUNTERS, 0, 0,                   \
      "ignores stop bits but that of the last byte")                                                         \
    X(STOP_BUT_LAST, "stop_but_last", "F4", PB_NEEDS_BAD_STOP | PB_NEEDS_COUNTERS, 0, 0,                     \
      "ignores the stop bit of the last byte")                                                               \
    X(STOP_UNCOUNTED, "stop_uncounted", "F4", PB_NEEDS_BAD_STOP | PB_NEEDS_COUNTERS, 0, 0,                   \
      "does not count bytes without a stop bit")                                                             \
    X(LENGTH_UNCOUNTED, "length_uncounted", "F5", PB_NEEDS_LONG | PB_NEEDS_COUNTERS, 0, 0,                   \
      "does not count bytes after the end of a frame")                                                       \
    X(LENGTH_TWICE, "length_twice", "F5", PB_NEEDS_LONG | PB_NEEDS_COUNTERS, 0, 0,                           \
      "counts bytes after the end of a frame twice")                                                         \
    X(TAKES_OUTSIDE, "takes_outside", "F6", PB_NEEDS_OUTSIDE, 0, 0,                                          \
      "takes a frame for an address outside the cube and sends it on dimension 0")                           \
    X(OUTSIDE_HIGHEST, "outside_highest", "F6", PB_NEEDS_OUTSIDE, 0, 0,                                      \
      "does not look at the highest bit of a destination")                                                   \
    X(PRBS_TAKES_OUTSIDE, "prbs_takes_outside", "F6", PB_NEEDS_LINE | PB_NEEDS_SPARE_LINK, 0, 0,             \
      "takes in mode 2 a frame for an address outside the cube and sends it later")                          \
    X(DROPS_OWN, "drops_own", "F7", PB_NEEDS_RECEIVE | PB_NEEDS_COUNTERS, 0, 0,                              \
      "does not count a frame for itself")                                                                   \
    X(FORWARDS_OWN, "forwards_own", "F7", PB_NEEDS_RECEIVE, 0, 0,                                            \
      "sends a frame for itself on, on dimension 0")                                                         \
    X(PRBS_DROPS_OWN, "prbs_drops_own", "F7", PB_NEEDS_LINE, 0, 0,                                           \
      "does not count a frame for itself in mode 2")                                                         \
    X(HOME_IS_OWN, "home_is_own", "F7", PB_NEEDS_LINE, 0, 0,                                                 \
      "keeps a frame for its address of power-up while A has given it another")                              \
    X(WRONG_ORDER, "wrong_order", "F8", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS | PB_NEEDS_ECUBE, 0, 0,            \
      "crosses the highest dimension first, and no other")                                                   \
    X(KEEPS_RULE, "keeps_rule", "F8", PB_NEEDS_SEND | PB_NEEDS_TWO_DIMS, 0, 0, "routes by the other rule")   \
    X(WRONG_DIMENSION, "wrong_dimension", "F8", PB_NEEDS_FORWARD | PB_NEEDS_TWO_DIMS, 0, 0,                  \
      "sends a received message on a dimension that the rule does not name")                                 \
    X(LAST_FIRST, "last_first", "F9", PB_NEEDS_QUEUE, 0, 0, "sends the newest message first")                \
    X(OWN_FIRST, "own_first", "F9", PB_NEEDS_QUEUE | PB_NEEDS_OWN | PB_NEEDS_FORWARD, 0, 0,                  \
      "its own messages overtake those of others")                                                           \
    X(SMALL_ROOM, "small_room", "F10", PB_NEEDS_QUEUE, 0, 0, "has room for one message")                     \
    X(DROPS_OLDEST, "drops_oldest", "F10", PB_NEEDS_FULL, 0, 0, "when full it drops the oldest message")     \
    X(STUCK_FULL, "stuck_full", "F10", PB_NEEDS_FULL, 0, 0, "never sends again after it was full")           \
    X(FULL_UNCOUNTED, "full_uncounted", "F10", PB_NEEDS_FULL | PB_NEEDS_COUNTERS, 0, 0,                      \
      "does not count what it drops when full")                                                              \
    X(ALTERS_PAYLOAD, "alters_payload", "F11", PB_NEEDS_FORWARD, 0, 0,                                       \
      "inverts the last payload bit of a message that it forwards")                                          \
    X(ALTERS_SEQUENCE, "alters_sequence", "F11", PB_NEEDS_FORWARD, 0, 0,                                     \
      "adds one to the sequence number of a message that it forwards")                                       \
    X(ALTERS_DESTINATION, "alters_destination", "F11", PB_NEEDS_FORWARD, 0, 0,                               \
      "inverts the highest destination bit of the cube in a message that it forwards")                       \
    X(DUPLICATES, "duplicates", "F12", PB_NEEDS_SEND, 0, 0, "sends a message a second time")                 \
    X(WAITS, "waits", "F13", PB_NEEDS_SEND, 0, 0, "leaves out an own phase although a message waits")        \
    X(FORGETS, "forgets", "F14", PB_NEEDS_SEND | PB_NEEDS_SYNC_MISSING, 0, 0,                                \
      "drops its queued messages when it falls silent")                                                      \
    X(STEP_FORGETS, "step_forgets", "F14", PB_NEEDS_QUEUE | PB_NEEDS_SYNC_EXTRA, 0, 0,                       \
      "drops its queued messages at a TDMA_SYNC out of turn")                                                \
    X(STEP_FORGETS_OWN, "step_forgets_own", "F14", PB_NEEDS_QUEUE | PB_NEEDS_OWN | PB_NEEDS_SYNC_EXTRA, 0,   \
      0, "drops its own queued messages at a TDMA_SYNC out of turn")                                         \
    X(EDGE_FORGETS, "edge_forgets", "F14", PB_NEEDS_QUEUE | PB_NEEDS_EDGE_EXTRA, 0, 0,                       \
      "drops its queued messages at an edge within half a phase of the one before")                          \
    X(EDGE_FORGETS_OWN, "edge_forgets_own", "F14", PB_NEEDS_QUEUE | PB_NEEDS_OWN | PB_NEEDS_EDGE_EXTRA, 0,   \
      0, "drops its own queued messages at an edge within half a phase of the one before")                   \
    X(GAP_FORGETS, "gap_forgets", "F14", PB_NEEDS_QUEUE | PB_NEEDS_EDGE_MISSING, 0, 0,                       \
      "drops its queued messages after a missing edge")                                                      \
    X(GAP_FORGETS_OWN, "gap_forgets_own", "F14", PB_NEEDS_QUEUE | PB_NEEDS_OWN | PB_NEEDS_EDGE_MISSING, 0,   \
      0, "drops its own queued messages after a missing edge")                                               \
    X(CLEAR_FORGETS, "clear_forgets", "F14", PB_NEEDS_LINE, 0, 0, "drops its queued messages at a Z")        \
    X(MODE_FORGETS, "mode_forgets", "F14", PB_NEEDS_LINE, 0, 0, "drops its queued messages at an M")         \
    X(CLEAR_DROPS_RECEIVED, "clear_drops_received", "F14", PB_NEEDS_LINE, 0, 0,                              \
      "drops its received messages at a Z")                                                                  \
    X(COUNT_FORGETS, "count_forgets", "F14", PB_NEEDS_LINE, 0, 0, "drops its queued messages at a T")        \
    X(SKIPS_SEQUENCE, "skips_sequence", "S1", PB_NEEDS_OWN, 0, 0, "leaves out a sequence number")            \
    X(REPEATS_SEQUENCE, "repeats_sequence", "S1", PB_NEEDS_OWN, 0, 0, "uses a sequence number twice")        \
    X(CLEAR_RESTARTS, "clear_restarts", "S1", PB_NEEDS_LINE, 0, 0, "restarts its sequence numbers at a Z")   \
    X(REFUSED_COUNTS, "refused_counts", "S2", PB_NEEDS_OWN | PB_NEEDS_LINE, 0, 0,                            \
      "a refused line uses a sequence number")                                                               \
    X(PADS_ONES, "pads_ones", "S3", PB_NEEDS_OWN | PB_NEEDS_LINE, 0, 0,                                      \
      "pads a payload with FF in place of 00")                                                               \
    X(PADS_STALE, "pads_stale", "S3", PB_NEEDS_LINE, 0, 0,                                                   \
      "pads a payload with what the message before had there")                                               \
    X(SENDS_TO_ITSELF, "sends_to_itself", "S4", PB_NEEDS_OWN | PB_NEEDS_LINE, 0, 0,                          \
      "sends a message to its own address on dimension 0")                                                   \
    X(SELF_UNCOUNTED, "self_uncounted", "S4", PB_NEEDS_LINE, 0, 0,                                           \
      "does not count a message to itself as delivered")                                                     \
    X(SILENT, "silent", "C1", PB_NEEDS_OWN, 0, 0, "pulls no line and says nothing on its console")           \
    X(ANSWERS_TWICE, "answers_twice", "C1", PB_NEEDS_OWN, 0, 0, "answers a line twice")                      \
    X(REFUSED_TWICE, "refused_twice", "C1", PB_NEEDS_LINE, 0, 0,                                             \
      "answers the fourth line that it refuses a second time")                                               \
    X(NO_ANSWER, "no_answer", "C1", PB_NEEDS_OWN, 0, 0, "does as a line says, but does not answer")          \
    X(CHATTERS, "chatters", "C2", 0, 0, 0, "says a line on its console in each phase 0")                     \
    X(WRONG_ADDRESS, "wrong_address", "C3", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,                     \
      "names another address in its answer to I")                                                            \
    X(WRONG_ANSWER, "wrong_answer", "C4", PB_NEEDS_OWN, 0, 0,                                                \
      "answers an S with the number after the one that the message has")                                     \
    X(COUNTS_WRONG, "counts_wrong", "C5", PB_NEEDS_RECEIVE | PB_NEEDS_COUNTERS, 0, 0,                        \
      "counts a delivered message twice")                                                                    \
    X(COUNTER_OMITTED, "counter_omitted", "C5", PB_NEEDS_COUNTERS, 0, 0,                                     \
      "leaves the counter delivered out of its answer to T")                                                 \
    X(COUNTER_GARBLED, "counter_garbled", "C5", PB_NEEDS_COUNTERS, 0, 0, "answers T with delivered=ZZ")      \
    X(COUNTER_LONG, "counter_long", "C5", PB_NEEDS_COUNTERS, 0, 0,                                           \
      "answers T with nine digits for delivered")                                                            \
    X(COUNTER_TWICE, "counter_twice", "C5", PB_NEEDS_COUNTERS, 0, 0,                                         \
      "answers T with the pair of max_stored twice")                                                         \
    X(LATE_COUNTED, "late_counted", "C5", PB_NEEDS_SEND | PB_NEEDS_COUNTERS, 0, 0,                           \
      "counts a transmission in time as a late start")                                                       \
    X(DEPTH_OFF, "depth_off", "C5", PB_NEEDS_COUNTERS, 0, 0,                                                 \
      "answers T with max_stored one too low, or 1 for 0")                                                   \
    X(LINES_OFF, "lines_off", "C5", PB_NEEDS_COUNTERS, 0, 0, "counts a console line twice")                  \
    X(MODE_CLEARS_DEPTH, "mode_clears_depth", "C5", PB_NEEDS_LINE, 0, 0,                                     \
      "clears max_queue and max_stored at an M")                                                             \
    X(SHOW_CLEARS, "show_clears", "C5", PB_NEEDS_LINE, 0, 0, "clears its counters at a T")                   \
    X(IDENTITY_SHORT, "identity_short", "C3", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,                   \
      "leaves its address out of its answer to I")                                                           \
    X(IDENTITY_TWICE, "identity_twice", "C3", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,                   \
      "answers I with the pair of its address twice")                                                        \
    X(IDENTITY_DIMS, "identity_dims", "C3", PB_NEEDS_LINE | PB_NEEDS_BEFORE_CLOCK, 0, 0,                     \
      "answers I with one dimension more, or with larger radices")                                           \
    X(KEEPS_COUNTERS, "keeps_counters", "C6", PB_NEEDS_LINE, 0, 0, "answers Z and clears nothing")           \
    X(CLEARS_SOME, "clears_some", "C6", PB_NEEDS_LINE, 0, 0,                                                 \
      "clears at a Z the counters of edges and superframes alone")                                           \
    X(CLEARS_BUT_FAULTS, "clears_but_faults", "C6", PB_NEEDS_LINE, 0, 0,                                     \
      "clears at a Z all counters but those of wrong edges, bytes and lengths, of cut and of lost messages") \
    X(KEEPS_MODE, "keeps_mode", "C7", PB_NEEDS_LINE, 0, 0, "answers M and keeps its mode")                   \
    X(CLEAR_ENDS_MODE, "clear_ends_mode", "C7", PB_NEEDS_LINE, 0, 0, "ends its test mode at a Z")            \
    X(CLEAR_ENDS_ECHO, "clear_ends_echo", "C7", PB_NEEDS_LINE, 0, 0, "ends mode 1 at a Z")                   \
    X(SHOW_ENDS_ECHO, "show_ends_echo", "C7", PB_NEEDS_LINE, 0, 0, "ends mode 1 at a T")                     \
    X(ADDRESS_ENDS_MODE, "address_ends_mode", "C7", PB_NEEDS_LINE, 0, 0, "ends its test mode at an A")       \
    X(IDENTITY_ENDS_MODE, "identity_ends_mode", "C7", PB_NEEDS_LINE, 0, 0, "ends its test mode at an I")     \
    X(MODE_TOGGLES, "mode_toggles", "C7", PB_NEEDS_LINE, 0, 0, "ends a test mode at an M that sets it again")\
    X(ECHO_ELSEWHERE, "echo_elsewhere", "C11", PB_NEEDS_LINE | PB_NEEDS_TWO_DIMS, 0, 0,                      \
      "in mode 1 it sends a frame back on the next dimension")                                               \
    X(ECHO_ALTERED, "echo_altered", "C11", PB_NEEDS_LINE, 0, 0,                                              \
      "in mode 1 it puts its neighbour into the frame that it sends back")                                   \
    X(ECHO_ONCE, "echo_once", "C11", PB_NEEDS_LINE, 0, 0,                                                    \
      "in mode 1 it sends back the first frame of each dimension alone")                                     \
    X(ECHO_ROUTES, "echo_routes", "C11", PB_NEEDS_LINE, 0, 0, "in mode 1 it routes messages as in mode 0")   \
    X(ECHO_DROPS_OWN, "echo_drops_own", "C11", PB_NEEDS_LINE, 0, 0, "in mode 1 it keeps a frame for itself") \
    X(ECHO_DROPS_OUTSIDE, "echo_drops_outside", "C11", PB_NEEDS_LINE | PB_NEEDS_SPARE_LINK, 0, 0,            \
      "in mode 1 it drops a frame for an address outside the cube")                                          \
    X(ECHO_STAYS, "echo_stays", "C12", PB_NEEDS_LINE, 0, 0, "M 0 does not end its mode 1")                   \
    X(PRBS_STAYS, "prbs_stays", "C12", PB_NEEDS_LINE, 0, 0, "M 0 does not end its mode 2")                   \
    X(PRBS_ZEROS, "prbs_zeros", "C13", PB_NEEDS_LINE, 0, 0, "in mode 2 its payload is 0")                    \
    X(PRBS_STILL, "prbs_still", "C13", PB_NEEDS_LINE, 0, 0, "in mode 2 its sequence number stays the same")  \
    X(PRBS_RESTARTS, "prbs_restarts", "C13", PB_NEEDS_LINE, 0, 0,                                            \
      "restarts its sequence numbers of mode 2 at a Z")                                                      \
    X(PRBS_IDLE, "prbs_idle", "C13", PB_NEEDS_LINE, 0, 0, "in mode 2 it sends nothing in an own phase")      \
    X(KEEPS_ADDRESS, "keeps_address", "C8", PB_NEEDS_LINE, 0, 0, "answers A and keeps its address")          \
    X(BUSY_IGNORED, "busy_ignored", "C8", PB_NEEDS_LINE, 0, 0,                                               \
      "takes another address while messages are queued")                                                     \
    X(BUSY_BY_OWN, "busy_by_own", "C8", PB_NEEDS_LINE, 0, 0,                                                 \
      "takes another address while received messages alone are queued")                                      \
    X(ADDRESS_SAID, "address_said", "C8", PB_NEEDS_LINE, 0, 0,                                               \
      "answers A and I with the new address, and works by the old one")                                      \
    X(ADDRESS_FORGOTTEN, "address_forgotten", "C8", PB_NEEDS_LINE, 0, 0,                                     \
      "returns to its address of power-up at an M")                                                          \
    X(ZEROS_REFUSED, "zeros_refused", "C8", PB_NEEDS_LINE, 0, 0,                                             \
      "refuses a number with leading zeros in A and M")                                                      \
    X(NO_REASON, "no_reason", "C9", PB_NEEDS_LINE, 0, 0, "refuses a line without a reason")                  \
    X(OBEYS_MODE, "obeys_mode", "C9", PB_NEEDS_LINE, 0, 0,                                                   \
      "refuses a mode that it does not have, and begins mode 1")                                             \
    X(OBEYS_HALF, "obeys_half", "C9", PB_NEEDS_LINE, 0, 0,                                                   \
      "refuses half a byte of payload, and queues the message all the same")                                 \
    X(TAKES_BEYOND, "takes_beyond", "C9", PB_NEEDS_LINE, 0, 0,                                               \
      "takes an address that the network does not have")                                                     \
    X(TAKES_WRAPPED, "takes_wrapped", "C9", PB_NEEDS_LINE, 0, 0,                                             \
      "takes of a number that is too large the lower 16 bits")                                               \
    X(REFUSED_ENDS_MODE, "refused_ends_mode", "C9", PB_NEEDS_LINE, 0, 0,                                     \
      "ends its test mode at a mode that it refuses")                                                        \
    X(UART_NOISE, "uart_noise", "C10", 0, 1000000, 0, "pulls UART0_TX low for the amount in each phase 0")   \
    X(CONSOLE_BAUD, "console_baud", "C10", PB_NEEDS_BEFORE_CLOCK, 217000, 0,                                 \
      "its console sends bits that are longer by the amount")                                                \
    X(CONSOLE_FAST, "console_fast", "C10", PB_NEEDS_BEFORE_CLOCK, 65000, 0,                                  \
      "its console sends bits that are shorter by the amount")                                               \
    X(PROGRAM_KEEPS_LARGER, "program_keeps_larger", "G1", PB_NEEDS_PROGRAM, 0, 0,                            \
      "of two numbers its program keeps the other one")                                                      \
    X(PROGRAM_SPEAKS, "program_speaks", "G1", PB_NEEDS_PROGRAM, 0, 0,                                        \
      "sends in an own phase in which its program is silent")                                                \
    X(PROGRAM_SKIPS, "program_skips", "G1", PB_NEEDS_PROGRAM, 0, 0,                                          \
      "is silent in an own phase in which its program sends")                                                \
    X(PROGRAM_UNNUMBERED, "program_unnumbered", "G1", PB_NEEDS_PROGRAM, 0, 0,                                \
      "gives all frames of its program the same number")                                                     \
    X(PROGRAM_PADS_ONES, "program_pads_ones", "G1", PB_NEEDS_PROGRAM, 0, 0,                                  \
      "pads the payload of its program with FF in place of 00")                                              \
    X(PROGRAM_MIXES, "program_mixes", "G2", PB_NEEDS_PROGRAM, 0, 0,                                          \
      "sends in the second phase of a wire what became of that which came in the first")                     \
    X(PROGRAM_LATE, "program_late", "G3", PB_NEEDS_PROGRAM, 0, 0,                                            \
      "uses what it received on a wire one wire too late")                                                   \
    X(PROGRAM_SHIFTED, "program_shifted", "G4", PB_NEEDS_PROGRAM, 0, 0,                                      \
      "begins its program a superframe late")                                                                \
    X(PROGRAM_LEAKS, "program_leaks", "G5", PB_NEEDS_PROGRAM, 0, 0,                                          \
      "sends the messages of its queue while it has a program")                                              \
    X(PROGRAM_GOES_ON, "program_goes_on", "G6", PB_NEEDS_PROGRAM, 0, 0,                                      \
      "goes on with its program after a frame that did not come")                                            \
    X(PROGRAM_TAKES_ANY, "program_takes_any", "G6", PB_NEEDS_PROGRAM, 0, 0,                                  \
      "takes a frame for another node for that of its program")                                              \
    X(PROGRAM_TAKES_SURPRISE, "program_takes_surprise", "G6", PB_NEEDS_PROGRAM, 0, 0,                        \
      "goes on with its program after a frame where the other node has to be silent")                        \
    X(PROGRAM_RIDES, "program_rides", "G6", PB_NEEDS_PROGRAM, 0, 0,                                          \
      "goes on with its program in a phase that is not due")                                                 \
    X(PROGRAM_STALE, "program_stale", "G7", PB_NEEDS_PROGRAM, 0, 0,                                          \
      "answers R with the result of the superframe before")                                                  \
    X(PROGRAM_MISPLACED, "program_misplaced", "G7", PB_NEEDS_PROGRAM, 0, 0,                                  \
      "answers R with a superframe too few")                                                                 \
    X(PROGRAM_RUNS_ON, "program_runs_on", "G7", PB_NEEDS_PROGRAM, 0, 0,                                      \
      "answers R that its program runs when it is done")                                                     \
    X(PROGRAM_OBEYS_REFUSED, "program_obeys_refused", "G8", PB_NEEDS_PROGRAM, 0, 0,                          \
      "ends its program at a P that it refuses")                                                             \
    X(PROGRAM_STAYS, "program_stays", "G9", PB_NEEDS_PROGRAM, 0, 0, "a P alone does not end its program")    \
    X(PROGRAM_SURVIVES, "program_survives", "G9", PB_NEEDS_PROGRAM | PB_NEEDS_BEFORE_CLOCK, 0, 0,            \
      "a reset does not end its program")

enum pb_contract_defect {
    PB_CONTRACT_SOUND,
#define PB_DEFECT_ENUM(id, name, sentence, needs, ps, bits, text) PB_CONTRACT_##id,
    PB_DEFECT_LIST(PB_DEFECT_ENUM)
#undef PB_DEFECT_ENUM
        PB_CONTRACT_DEFECTS
};

/* The defects of the other models, in the same columns. No amount is a share of a bit. WRONG_ORDER is built
 * into the firmware, as the pins cannot show it. It is the first: kinds without firmware have the rest. */
#define PB_PIN_DEFECT_LIST(X)                                                                                \
    X(WRONG_ORDER, "wrong_order", "F8", 0, 0, 0, "crosses the highest dimension first")                      \
    X(PHASE_OFF, "phase_off", "P1", 0, 0, 0, "counts every phase one too low")                               \
    X(LATE_START, "late_start", "T1", 0, 4000000, 0, "changes its links late")                               \
    X(FLIPPED_BIT, "flipped_bit", "T2", 0, 0, 0,                                                             \
      "inverts one data bit of the second byte of every transmission")                                       \
    X(SILENT, "silent", "C1", 0, 0, 0, "pulls no line and says nothing on its console")                      \
    X(SWAPPED_LINKS, "swapped_links", "P8", PB_NEEDS_TWO_DIMS, 0, 0,                                         \
      "has the links of dimensions 0 and 1 exchanged")

#define PB_PIN_AMOUNT_MOST_PS INT64_C(1000000000)

enum pb_node_defect {
    PB_DEFECT_NONE,
#define PB_DEFECT_ENUM(id, name, sentence, needs, ps, bits, text) PB_DEFECT_##id,
    PB_PIN_DEFECT_LIST(PB_DEFECT_ENUM)
#undef PB_DEFECT_ENUM
};
enum {
#define PB_DEFECT_COUNT(id, name, sentence, needs, ps, bits, text) +1
    PB_PIN_DEFECTS = PB_PIN_DEFECT_LIST(PB_DEFECT_COUNT)
#undef PB_DEFECT_COUNT
};

struct pb_defect_info {
    const char *name;            /* as in scenario files */
    const char *sentence;        /* id in docs/node.md */
    const char *text;            /* behaviour of the node, for users */
    unsigned needs;              /* enum pb_defect_needs, or-ed */
    int64_t default_amount_ps;   /* 0: no amount, or a share of a bit */
    unsigned default_amount_bit; /* thousandths of a bit of the links; 0: no amount, or a time */
    int64_t most_ps;             /* largest amount, if the defect has one */
};

/* Without "none": entry i is enum pb_contract_defect i + 1, and enum pb_node_defect i + 1. */
extern const struct pb_defect_info pb_contract_defects[PB_CONTRACT_DEFECTS - 1],
    pb_pin_defects[PB_PIN_DEFECTS];

/* Returns the defects of the contract node. Sets *count, if not NULL. */
const struct pb_defect_info *pb_defect_infos(unsigned *count);

/* Returns PB_CONTRACT_SOUND for "none", a defect, or -1 for an unknown name. */
int pb_defect_of_name(const char *name);

#endif
