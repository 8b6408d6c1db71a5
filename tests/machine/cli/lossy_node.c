/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with --wrap into a phasebench with one defect: in the engine `firmware`, what node 5 sends on port
 * 1, messages or frames of a program, is lost from the fourth frame on. For
 * tests/machine/cli/machine_engines.sh.
 */
#include "firmware/port/message/message.h"

enum { NODE = 5, PORT = 1, SOUND_FRAMES = 3 };

enum message_result __real_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity);
enum message_result __wrap_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity);
bool __real_message_program_hand_over(struct message_nodes *nodes, struct message_end from,
                                      struct message_end to, const uint8_t **payload);
bool __wrap_message_program_hand_over(struct message_nodes *nodes, struct message_end from,
                                      struct message_end to, const uint8_t **payload);

/* Where a frame goes that is lost: to a port at which no node listens. */
static struct message_end lost(struct message_end from, struct message_end to)
{
    static unsigned frames;

    if (from.node == NODE && from.port == PORT && frames++ >= SOUND_FRAMES)
        to.port = MESSAGE_PORTS_MAX;
    return to;
}

enum message_result __wrap_message_hand_over(struct message_nodes *nodes, struct message_end from,
                                             struct message_end to, uint32_t *identity)
{
    return __real_message_hand_over(nodes, from, lost(from, to), identity);
}

bool __wrap_message_program_hand_over(struct message_nodes *nodes, struct message_end from,
                                      struct message_end to, const uint8_t **payload)
{
    return __real_message_program_hand_over(nodes, from, lost(from, to), payload);
}
