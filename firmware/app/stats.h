/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The node's counters. One struct of fixed layout, first in struct node, so that a debugger or an emulator
 * can read it from memory without symbols: 32-bit words in the byte order of the MCU. The console prints the
 * same list. Counters wrap at 2^32.
 */
#ifndef FW_STATS_H
#define FW_STATS_H

#include <stdint.h>

#define STATS_MAGIC UINT32_C(0x54534250) /* "PBST" in memory of a little-endian MCU */
#define STATS_VERSION UINT32_C(1)        /* changes with every change of the list */

/* X(name): the only list of counters. */
#define STATS_LIST(X)                                                                                        \
    X(edges)            /* rising edges of TDMA_CLK handled */                                               \
    X(superframes)      /* phases 0 begun */                                                                 \
    X(alignment_errors) /* TDMA_SYNC high too early, or missing when due */                                  \
    X(missed_edges)     /* whole periods that passed without an edge */                                      \
    X(extra_edges)      /* edges within half a period of the last one */                                     \
    X(rx_frames)        /* frames received with a valid CRC */                                               \
    X(rx_crc_errors)                                                                                         \
    X(rx_length_errors)    /* other length field, or bytes after the end of the frame */                     \
    X(rx_mark_errors)      /* StarC: first byte is not 0xAA */                                               \
    X(rx_framing_errors)   /* stop bit low; the frame is dropped */                                          \
    X(rx_cut)              /* frames with at least one complete byte, cut off by the next edge */            \
    X(rx_bad_destinations) /* valid frames for an address outside the cube */                                \
    X(delivered)           /* frames for this node */                                                        \
    X(forwarded)           /* received frames queued for another node (echo mode: for the sender) */         \
    X(own_messages)        /* accepted from the console */                                                   \
    X(tx_frames)           /* transmissions begun */                                                         \
    X(tx_cut)              /* transmissions cut off by the next edge */                                      \
    X(late_starts)         /* transmissions that began after the head guard */                               \
    X(queue_drops)         /* new messages, received or own, dropped as the pool was full */                 \
    X(max_queue)           /* largest number of messages in one queue */                                     \
    X(max_stored)          /* largest number of messages in all queues together */                           \
    X(console_lines)       /* lines taken */                                                                 \
    X(console_errors)      /* lines answered with -, or lost completely */

struct stats {
    uint32_t magic, version;
#define STATS_MEMBER(name) uint32_t name;
    STATS_LIST(STATS_MEMBER)
#undef STATS_MEMBER
};

#endif
