/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What docs/node.md leaves to a node. A contract node does one of the things that a sentence allows; each
 * freedom makes it do another. A node with any set of them is sound.
 */
#ifndef PB_NODE_FREEDOMS_H
#define PB_NODE_FREEDOMS_H

#include <stdint.h>

/* X(identifier, name, sentence of docs/node.md, text). Of two that exclude each other the node takes either,
 * by its seed, from one occasion to the next. */
#define PB_FREEDOM_LIST(X)                                                                                   \
    X(BOOTS_LATE, "boots_late", "R3", "its console answers from 0.9 ms after NRST on")                       \
    X(KEEPS_EDGES, "keeps_edges", "P1",                                                                      \
      "handles an edge that comes before the last one is handled, right after that")                         \
    X(STARTS_VARY, "starts_vary", "T1",                                                                      \
      "starts each frame elsewhere within half of limits.start_early and limits.start_late")                 \
    X(EDGES_WANDER, "edges_wander", "T5", "moves each edge of its frames by up to 1/32 bit")                 \
    X(RESENDS_FIRST, "resends_first", "T6",                                                                  \
      "sends a message that an edge cut off once again, before all others of its dimension")                 \
    X(RESENDS_LAST, "resends_last", "T6",                                                                    \
      "sends a message that an edge cut off once again, after those that wait for its dimension")            \
    X(RESENDS_IDLE, "resends_idle", "T6",                                                                    \
      "sends a message that an edge cut off once again, when no other waits for its dimension")              \
    X(CUTS_AT_EDGE, "cuts_at_edge", "T6", "releases the line at the edge, before it handles it")             \
    X(KEEPS_UNBEGUN, "keeps_unbegun", "T6",                                                                  \
      "keeps a message, uncounted, when the next edge comes before its transmission begins")                 \
    X(STOP_IS_WHOLE, "stop_is_whole", "T6",                                                                  \
      "counts a frame as sent whole when the next edge comes in its last stop bit")                          \
    X(SAMPLES_ONCE, "samples_once", "F1", "receives each bit by one sample in its middle")                   \
    X(LISTENS_LOW, "listens_low", "F1", "takes a line that is low when it begins to listen for a start bit") \
    X(DROPS_LONG, "drops_long", "F5",                                                                        \
      "drops a frame with bytes after its end, and does not count it in rx_frames")                          \
    X(OUTSIDE_UNCOUNTED, "outside_uncounted", "F6",                                                          \
      "does not count a frame for an address outside in rx_frames")                                          \
    X(ANSWERS_LATE, "answers_late", "C1", "waits up to 0.2 ms before it answers a line")                     \
    X(ANSWERS_LATEST, "answers_latest", "C1", "waits 49.9 ms before it answers a line S")                    \
    X(ANSWER_PAUSES, "answer_pauses", "C10", "pauses for up to a bit between the bytes of an answer")        \
    X(RETURNS, "returns", "C1", "ends its answers with \\r\\n")                                              \
    X(EXTRA_PAIRS, "extra_pairs", "C5", "answers I and T with pairs that no table names, too")               \
    X(ORDER_OF_PAIRS, "order_of_pairs", "C5", "answers I and T with its pairs in the reverse order")         \
    X(SMALL_DIGITS, "small_digits", "C5", "answers with small hexadecimal digits")                           \
    X(LEADING_ZEROS, "leading_zeros", "C5", "answers with numbers of up to eight digits that begin with 0")  \
    X(OTHER_REASONS, "other_reasons", "C9", "refuses a line with any reason of the list, except busy")

enum pb_freedom {
#define PB_FREEDOM_ENUM(id, name, sentence, text) PB_FREEDOM_##id,
    PB_FREEDOM_LIST(PB_FREEDOM_ENUM)
#undef PB_FREEDOM_ENUM
        PB_FREEDOMS
};

/* Sets of freedoms: bit i is enum pb_freedom i. */
#define PB_FREEDOM_BIT(id) (UINT64_C(1) << PB_FREEDOM_##id)
#define PB_FREEDOMS_ALL ((UINT64_C(1) << PB_FREEDOMS) - 1)
#define PB_FREEDOMS_ANY (UINT64_C(1) << 63) /* a set that the node draws from its seed */

struct pb_freedom_info {
    const char *name;     /* as in scenario files */
    const char *sentence; /* id in docs/node.md */
    const char *text;     /* behaviour of the node, for users */
};
extern const struct pb_freedom_info pb_freedoms[PB_FREEDOMS];

/* Reads "none", "any", "all", or names joined by '+' into *set. Returns NULL, or where the first word begins
 * that is none of these; *set is then unchanged. */
const char *pb_freedoms_read(const char *text, uint64_t *set);

#endif
