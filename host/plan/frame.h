/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of each message, by docs/node.md, with payloads from the scenario's seed. Written independently
 * of the firmware's codec, so that each checks the other.
 */
#ifndef PHASEBENCH_FRAME_H
#define PHASEBENCH_FRAME_H

#include "phasebench/scenario.h"

/* Payload of the message with this number (host/scenario/movement.h): scenario->payload_bytes bytes of
 * splitmix64 output, the same for a seed and a number always. */
void pb_payload(const struct pb_scenario *scenario, uint64_t message, uint8_t *payload);

/* Bits of a sequence number that a frame carries. */
#define PB_SEQUENCE_MASK 15u

/* The whole slot frame of a message with its sequence number; returns its length (scenario->frame_bytes). */
unsigned pb_frame(const struct pb_scenario *scenario, uint64_t message, uint32_t destination,
                  uint32_t sequence, uint8_t frame[PB_FRAME_MAX]);

/* The same for any destination, with a payload of scenario->payload_bytes bytes. */
unsigned pb_frame_write(const struct pb_scenario *scenario, uint32_t destination, unsigned sequence,
                        const uint8_t *payload, uint8_t frame[PB_FRAME_MAX]);

/* Writes the correct check value to the end of a frame of `count` bytes, which may have another length than
 * the scenario's. */
void pb_frame_seal(const struct pb_scenario *scenario, uint8_t *bytes, unsigned count);

/* True if a node accepts the bytes as a slot frame: its length, the fields that its codec fixes, and the
 * check value are correct. */
bool pb_frame_checks(const struct pb_scenario *scenario, const uint8_t *bytes, unsigned count);

/* Of a frame of the codec bare; no network has such an address. */
#define PB_NO_DESTINATION UINT32_MAX
/* The destination in the header of a slot frame of scenario->frame_bytes bytes. */
uint32_t pb_frame_destination(const struct pb_scenario *scenario, const uint8_t *bytes);
/* Its sequence number (0: of a codec without one), and its scenario->payload_bytes bytes of payload. */
unsigned pb_frame_sequence(const struct pb_scenario *scenario, const uint8_t *bytes);
const uint8_t *pb_frame_payload(const struct pb_scenario *scenario, const uint8_t *bytes);

#endif
