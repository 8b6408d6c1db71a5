/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of each message: what docs/node.md says, with payloads from the scenario's seed. Written apart
 * from the firmware's codec, so that one checks the other.
 */
#ifndef PHASEBENCH_FRAME_H
#define PHASEBENCH_FRAME_H

#include "phasebench/scenario.h"

/* Payload of a message: scenario->payload_bytes bytes of splitmix64 output, the same for a seed and an index
 * always. */
void pb_payload(const struct pb_scenario *scenario, size_t message, uint8_t *payload);

/* The whole slot frame of a message with its sequence number; returns its length (scenario->frame_bytes). */
unsigned pb_frame(const struct pb_scenario *scenario, size_t message, unsigned sequence,
                  uint8_t frame[PB_FRAME_MAX]);

/* The same for any destination, with a payload of scenario->payload_bytes bytes. */
unsigned pb_frame_write(const struct pb_scenario *scenario, uint32_t destination, unsigned sequence,
                        const uint8_t *payload, uint8_t frame[PB_FRAME_MAX]);

/* Writes the check that is right for the bytes before it to the end of a frame of `count` bytes, which need
 * not be as long as the scenario's. */
void pb_frame_seal(const struct pb_scenario *scenario, uint8_t *bytes, unsigned count);

/* Has the length of a slot frame, what its codec demands of the other fields, and a right check at its end,
 * so that a node takes it for one. */
bool pb_frame_checks(const struct pb_scenario *scenario, const uint8_t *bytes, unsigned count);

/* The destination in the header of a slot frame of scenario->frame_bytes bytes. */
uint32_t pb_frame_destination(const struct pb_scenario *scenario, const uint8_t *bytes);

/* Order in which a source takes its messages, and so their sequence numbers: by release, then under e-cube by
 * the first phase from the release on in which the message can leave (messages with different ones wait in
 * different queues; this lets a console line be typed in after that phase of the superframe before), then by
 * list order. Writes the sequence number 0..15 of each message to sequence[] and, when order is not NULL, all
 * message indices in that order, grouped by source. Messages to their own source take no number, and neither
 * do those that their source has no room for. With limits.drop_overflow the order is by release and list
 * alone: it decides which ones these are. 0 or PB_ERR_MEMORY. */
int pb_message_order(const struct pb_scenario *scenario, uint8_t *sequence, size_t *order);

#endif
