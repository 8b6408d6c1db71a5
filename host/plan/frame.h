/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of each message: what docs/node.md says, with payloads from the scenario's seed. Written apart
 * from the firmware's codec, so that one checks the other.
 */
#ifndef PHASEBENCH_FRAME_H
#define PHASEBENCH_FRAME_H

#include "phasebench/scenario.h"

/* Payload of the message with this number (host/scenario/movement.h): scenario->payload_bytes bytes of
 * splitmix64 output, the same for a seed and a number always. */
void pb_payload(const struct pb_scenario *scenario, uint64_t message, uint8_t *payload);

/* What a frame holds of a sequence number. */
#define PB_SEQUENCE_MASK 15u

/* The whole slot frame of a message with its sequence number; returns its length (scenario->frame_bytes). */
unsigned pb_frame(const struct pb_scenario *scenario, uint64_t message, uint32_t destination,
                  uint32_t sequence, uint8_t frame[PB_FRAME_MAX]);

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
/* Its sequence number, and its scenario->payload_bytes bytes of payload. */
unsigned pb_frame_sequence(const struct pb_scenario *scenario, const uint8_t *bytes);
const uint8_t *pb_frame_payload(const struct pb_scenario *scenario, const uint8_t *bytes);

#endif
