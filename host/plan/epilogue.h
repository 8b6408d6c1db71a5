/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The script of the epilogue: what is typed to a node after the run, and the frames that a sound node sends
 * then (docs/node.md, "After the run"). host/run/epilogue.c plays it, host/check/epilogue.c judges it.
 *
 *     NRST        ADDRESS, IDENTITY                        the address is another one
 *     NRST        REFUSED, CLEAR, SELF, MESSAGE            it is the old one again
 *     superframe  the frame of MESSAGE, and nothing else
 *                 COUNTERS, MODE
 *     superframe  a PRBS frame in every own phase
 *                 ECHO
 *     superframe  the bench sends a frame on each port; each comes back on its port, in this one or ...
 *     superframe  ... in this one, and nothing else
 *                 ROUTE
 *     superframe  the bench sends the same frames; each leaves on the next port, in this one or ...
 *     superframe  ... in this one, and nothing else
 */
#ifndef PHASEBENCH_PLAN_EPILOGUE_H
#define PHASEBENCH_PLAN_EPILOGUE_H

#include "host/plan/frame.h"
#include "phasebench/scenario.h"

enum pb_epilogue_line {
    PB_EPILOGUE_ADDRESS,  /* A: the address of the neighbour on dimension 0 */
    PB_EPILOGUE_IDENTITY, /* I */
    PB_EPILOGUE_REFUSED,  /* S to an address beyond every cube */
    PB_EPILOGUE_CLEAR,    /* Z */
    PB_EPILOGUE_SELF,     /* S to the node itself */
    PB_EPILOGUE_MESSAGE,  /* S to the neighbour on the highest dimension, with a part of the payload */
    PB_EPILOGUE_COUNTERS, /* T */
    PB_EPILOGUE_MODE,     /* M 2 */
    PB_EPILOGUE_ECHO,     /* M 1 */
    PB_EPILOGUE_ROUTE,    /* M 0 */
    PB_EPILOGUE_LINES
};

#define PB_EPILOGUE_TEXT 24
/* Superframes: that of MESSAGE, that of MODE, and from here on two of ECHO and two of ROUTE. */
#define PB_EPILOGUE_ECHOED 2
#define PB_EPILOGUE_ROUTED 4
#define PB_EPILOGUE_SUPERFRAMES 6

/* Whether it can be played: not with an outside clock, which runs on, nor with superframes of more than 2 s.
 */
bool pb_epilogue_fits(const struct pb_scenario *scenario);

/* The line, without its newline. */
void pb_epilogue_text(char text[PB_EPILOGUE_TEXT], const struct pb_scenario *scenario, unsigned node_index,
                      enum pb_epilogue_line line);

/* The address that ADDRESS sets, and that of the neighbour to which MESSAGE goes. */
uint32_t pb_epilogue_address(const struct pb_scenario *scenario, unsigned node_index);
uint32_t pb_epilogue_neighbour(const struct pb_scenario *scenario, unsigned node_index);

/* The frame of MESSAGE, and its phase; its length is scenario->frame_bytes. */
void pb_epilogue_frame(const struct pb_scenario *scenario, unsigned node_index, uint8_t frame[PB_FRAME_MAX]);
unsigned pb_epilogue_phase(const struct pb_scenario *scenario, unsigned node_index);

/* Whether the bench sends the node a frame on this port; `lanes`: how many frames it can send in one phase.
 * Not if so many nodes before this one in the scenario listen in the same phase. */
bool pb_epilogue_plays(const struct pb_scenario *scenario, unsigned lanes, unsigned node_index,
                       unsigned port);
/* That frame, in both modes. It is for the neighbour on the next port, or for the node itself if it has one
 * port only. */
void pb_epilogue_played(const struct pb_scenario *scenario, unsigned node_index, unsigned port,
                        uint8_t frame[PB_FRAME_MAX]);

#endif
