/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The script of the epilogue: the steps of a node after the run, and the frames that the bench sends to it
 * then (docs/node.md, "After the run"). host/run/epilogue.c plays it, host/check/epilogue_node.c computes the
 * behaviour of a sound node, host/check/epilogue.c judges.
 *
 * The steps, in their order, are in epilogue.c. Each line is typed in a state in which obeying it has an
 * effect, and no reset follows before the effect shows.
 */
#ifndef PHASEBENCH_PLAN_EPILOGUE_H
#define PHASEBENCH_PLAN_EPILOGUE_H

#include "host/plan/frame.h"
#include "phasebench/device.h"
#include "phasebench/scenario.h"

/* a: the node's own address. b: the address that differs from it in every digit. highest: the neighbour of a
 * on the last port, beyond: that of b. */
enum pb_epilogue_line {
    PB_EPILOGUE_EMPTIED,   /* Z, with the counters of the run */
    PB_EPILOGUE_CLEARED,   /* T: since EMPTIED, in which time no edge comes */
    PB_EPILOGUE_FOUND,     /* M 2, the mode in which the first reset finds it */
    PB_EPILOGUE_SELF,      /* S a, with a whole payload, or 8 bytes of it */
    PB_EPILOGUE_MESSAGE,   /* S highest, with a part of the payload */
    PB_EPILOGUE_AGAIN,     /* the same, with small digits, leading zeros and \r */
    PB_EPILOGUE_PASSED,    /* M 1, with a message queued, in mode 0 */
    PB_EPILOGUE_PRBS,      /* M 2, in mode 1 */
    PB_EPILOGUE_CLEAR,     /* Z, in mode 2, with a message queued and counters that are not 0 */
    PB_EPILOGUE_BUSY,      /* A highest, with a message queued */
    PB_EPILOGUE_BARE,      /* M without a mode, which is refused, in mode 2 */
    PB_EPILOGUE_RESUME,    /* M 0, with \r */
    PB_EPILOGUE_STILL,     /* I: BUSY has no effect when the message has left */
    PB_EPILOGUE_BETWEEN,   /* M 2 */
    PB_EPILOGUE_ECHO,      /* M 1, in mode 2 */
    PB_EPILOGUE_ADDRESS,   /* A b, in mode 1 */
    PB_EPILOGUE_IDENTITY,  /* I, in mode 1 */
    PB_EPILOGUE_ECHO_AGAIN, /* M 1, in mode 1 */
    PB_EPILOGUE_ECHOING,    /* T: since CLEAR, in mode 1 */
    PB_EPILOGUE_ECHO_CLEAR, /* Z, in mode 1 */
    PB_EPILOGUE_WRONG_ECHO, /* M as in MODE, in mode 1 */
    PB_EPILOGUE_ROUTE,     /* M 0 */
    PB_EPILOGUE_WAITING,   /* M 2, in which received messages wait */
    PB_EPILOGUE_RECEIVED,  /* A b, the address that it has, with received messages queued */
    PB_EPILOGUE_OWN_PRBS,  /* S a, in mode 2 */
    PB_EPILOGUE_SHOWN,     /* T: since ECHO_CLEAR, with them */
    PB_EPILOGUE_INFORMED,  /* I, with them */
    PB_EPILOGUE_HELD,      /* T: the same, as a T clears nothing */
    PB_EPILOGUE_ZEROED,    /* Z, with them */
    PB_EPILOGUE_AWAY,      /* M 0, with them */
    PB_EPILOGUE_FURTHER,   /* M 1 */
    PB_EPILOGUE_OWN_ECHO,  /* S beyond, without payload, in mode 1 */
    PB_EPILOGUE_BACK,      /* M 0 */
    PB_EPILOGUE_HOME,      /* A a */
    PB_EPILOGUE_MOVED,     /* A b */
    PB_EPILOGUE_LEAVING,   /* M 2, in which messages wait for the reset */
    PB_EPILOGUE_LEFT,      /* S a, of a message that the reset must make it forget */
    PB_EPILOGUE_LEFT_HIGH, /* S beyond, another one */
    PB_EPILOGUE_LEFT_COUNTS, /* T: since ZEROED, with what waits for the reset */
    PB_EPILOGUE_STAYING,   /* M 1, the mode in which the second reset finds it */
    PB_EPILOGUE_BARE_STAYING, /* M without a mode: the refusal that the second reset makes it forget */
    /* none of these can be executed: */
    PB_EPILOGUE_EMPTY,     /* nothing but the end of a line */
    PB_EPILOGUE_CHARACTER, /* S highest, and a byte that is no ASCII */
    PB_EPILOGUE_UNKNOWN,   /* no command */
    PB_EPILOGUE_HALF,      /* S highest, and half a byte of payload */
    PB_EPILOGUE_DIGIT,     /* S highest, and letters that are no digits */
    PB_EPILOGUE_LENGTH,    /* S highest, and a byte of payload too many */
    PB_EPILOGUE_MISSING,   /* M without a mode */
    PB_EPILOGUE_MODE,      /* M 3, or a larger number, which may end in the digits of a mode */
    PB_EPILOGUE_BEYOND,    /* A, with the first address that the network does not have, or as FAR */
    PB_EPILOGUE_OUTSIDE,   /* S, with the first one */
    PB_EPILOGUE_FAR,       /* S, with one far beyond, which may end in the digits of an address */
    /* these can: */
    PB_EPILOGUE_SINCE,    /* T: since the first reset */
    PB_EPILOGUE_RESTORED, /* I */
    PB_EPILOGUE_LAST,     /* S highest, with a part of the payload */
    PB_EPILOGUE_SAME,     /* M 0, in mode 0 */
    PB_EPILOGUE_FINAL,    /* T: since the second reset */
    PB_EPILOGUE_LINES
};
#define PB_EPILOGUE_FIRST_BAD PB_EPILOGUE_EMPTY
#define PB_EPILOGUE_LAST_BAD PB_EPILOGUE_FAR

/* What the bench sends in the first superframe of a step, on each port on which the node listens; with fewer
 * ports than there are kinds of frames in the next ones, too. */
enum pb_epilogue_frames {
    PB_EPILOGUE_QUIET,    /* nothing */
    PB_EPILOGUE_SEQUENCE, /* nothing, until mode 2 has used each sequence number */
    PB_EPILOGUE_ENDING,   /* for the node, for outside, with an incorrect check value, short: these go no
                             further; one for a, which goes further from b alone */
    PB_EPILOGUE_ECHOED,   /* for a neighbour, the node itself, outside, far away; incorrect check value,
                             short */
    PB_EPILOGUE_ROUTED,   /* to the node itself, to the next neighbour, to the address that it had before A */
    PB_EPILOGUE_KEPT,     /* one for each port, to a neighbour there */
    PB_EPILOGUE_UNSYNCED /* as KEPT, while TDMA_SYNC stays low */
};

struct pb_epilogue_step {
    enum { PB_EPILOGUE_RESETS, PB_EPILOGUE_TYPES, PB_EPILOGUE_RUNS } act;
    enum pb_epilogue_line line; /* TYPES */
    enum pb_epilogue_frames frames; /* RUNS */
    unsigned superframes;
};

#define PB_EPILOGUE_TEXT 48
#define PB_EPILOGUE_RESET_COUNT 2
#define PB_EPILOGUE_RUNS_MAX 13 /* steps in which the clock runs */

/* The run makes counters count which the script leaves at 0, so it shows what clears them. */
bool pb_epilogue_is_provoked(const struct pb_scenario *scenario);

/* Why the script cannot be played with this scenario, as the end of a sentence. NULL: it can. */
const char *pb_epilogue_unfit(const struct pb_scenario *scenario);

/* The next step of the script for this scenario and core. *at: 0 at first, then left alone. False: no more.
 * With an external clock, which continues to run, it has no superframes of its own; a core without fault
 * units cannot hold TDMA_SYNC low. */
bool pb_epilogue_next(const struct pb_scenario *scenario, const struct pb_device_info *info, unsigned *at,
                      struct pb_epilogue_step *step);
unsigned pb_epilogue_superframes(const struct pb_scenario *scenario, const struct pb_device_info *info);

/* The line, without its newline. */
void pb_epilogue_text(char text[PB_EPILOGUE_TEXT], const struct pb_scenario *scenario, unsigned node_index,
                      enum pb_epilogue_line line);
/* Whether a node without counters is typed the line, too: it knows I and S alone, and refuses any other. */
bool pb_epilogue_is_plain(enum pb_epilogue_line line);

/* Returns the number of a line's answer to T, below PB_EPILOGUE_COUNTS; -1: another line. */
#define PB_EPILOGUE_COUNTS 7
int pb_epilogue_count(enum pb_epilogue_line line);
/* Returns the number of a line's long answer, to T or I, below PB_EPILOGUE_LONGS; -1: its answer is short. */
#define PB_EPILOGUE_LONGS (PB_EPILOGUE_COUNTS + 4)
int pb_epilogue_long(enum pb_epilogue_line line);

/* Payload of each message of the script: scenario->payload_bytes bytes, those after the typed ones 00. */
void pb_epilogue_payload(const struct pb_scenario *scenario, uint8_t payload[PB_FRAME_MAX]);

/* A frame of the bench. */
struct pb_epilogue_frame {
    uint8_t byte[PB_FRAME_MAX];
    unsigned count;
    uint32_t destination;
    unsigned sequence;
    uint8_t payload[PB_FRAME_MAX];
    bool whole, good; /* its length, its check */
};

/* moved: nodes whose address now differs from the scenario's, one bit for each node to which A b was typed.
 * lanes: number of frames that the bench can send in one phase. */
struct pb_epilogue_places {
    const struct pb_scenario *scenario;
    uint64_t moved;
    unsigned lanes;
};
uint32_t pb_epilogue_address(const struct pb_epilogue_places *places, unsigned node_index);
/* The node was typed this line. */
void pb_epilogue_move(struct pb_epilogue_places *places, unsigned node_index, enum pb_epilogue_line line);
/* The frame of the bench on a port of a node in a superframe of such a step. False: none; also if as many
 * nodes before it in the scenario listen in the same phase as there are lanes. */
bool pb_epilogue_played(struct pb_epilogue_frame *frame, const struct pb_epilogue_places *places,
                        unsigned node_index, unsigned port, enum pb_epilogue_frames frames,
                        unsigned superframe);
/* Whether the lanes are enough for this port. */
bool pb_epilogue_plays(const struct pb_epilogue_places *places, unsigned node_index, unsigned port);

#endif
