/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/frame.h"
#include "host/scenario/program.h"
#include "phasebench/random.h"

#include <string.h>

enum { STARC_MARK = 0xaa, STARC_DESTINATION_BYTES = 2 };

void pb_payload(const struct pb_scenario *scenario, uint64_t message, uint8_t *payload)
{
    const struct pb_scenario_program *program = scenario->program;
    if (program) {
        const size_t bytes = program->program->payload_bytes;
        memset(payload, 0, scenario->payload_bytes);
        if (message < scenario->traffic.count)
            memcpy(payload, program->payload + message * bytes, bytes);
        return;
    }
    /* Two rounds, so that neighbouring seeds and indices do not share their streams. */
    uint64_t state = scenario->seed, bits = 0;
    state = pb_splitmix64(&state) + message;
    for (unsigned i = 0; i < scenario->payload_bytes; i++) {
        if (i % 8 == 0)
            bits = pb_splitmix64(&state);
        payload[i] = (uint8_t)(bits >> (8 * (i % 8)));
    }
}

/* Most significant bit first, one bit at a time: short and plainly the definition. */
static uint32_t crc(const uint8_t *bytes, size_t count, unsigned width, uint32_t polynomial, uint32_t value)
{
    for (size_t bit = 0; bit < 8 * count; bit++) {
        const uint32_t in = bytes[bit / 8] >> (7 - bit % 8) & 1;
        const uint32_t out = value >> (width - 1) & 1;
        value = (value << 1 ^ (in ^ out ? polynomial : 0)) & ((1u << width) - 1);
    }
    return value;
}

void pb_frame_seal(const struct pb_scenario *scenario, uint8_t *bytes, unsigned count)
{
    if (scenario->codec != PB_CODEC_STARC) {
        bytes[count - 1] = (uint8_t)crc(bytes, count - 1, 8, 0x07, 0);
        return;
    }
    const uint32_t check = crc(bytes + 1, count - 3, 16, 0x1021, 0xffff);
    bytes[count - 2] = (uint8_t)(check >> 8);
    bytes[count - 1] = (uint8_t)check;
}

unsigned pb_frame_write(const struct pb_scenario *scenario, uint32_t destination, unsigned sequence,
                        const uint8_t *payload, uint8_t frame[PB_FRAME_MAX])
{
    const unsigned count = scenario->payload_bytes;

    if (scenario->codec == PB_CODEC_BARE) {
        memcpy(frame, payload, count);
        pb_frame_seal(scenario, frame, 1 + count);
        return 1 + count;
    }
    if (scenario->codec == PB_CODEC_SLOT) {
        frame[0] = (uint8_t)destination;
        frame[1] = (uint8_t)(sequence << 4 | destination >> 8);
        memcpy(frame + 2, payload, count);
        pb_frame_seal(scenario, frame, 3 + count);
        return 3 + count;
    }
    frame[0] = STARC_MARK;
    frame[1] = (uint8_t)sequence;
    frame[2] = (uint8_t)(count + STARC_DESTINATION_BYTES);
    frame[3] = (uint8_t)destination;
    frame[4] = (uint8_t)(destination >> 8);
    memcpy(frame + 5, payload, count);
    pb_frame_seal(scenario, frame, 7 + count);
    return 7 + count;
}

unsigned pb_frame(const struct pb_scenario *scenario, uint64_t message, uint32_t destination,
                  uint32_t sequence, uint8_t frame[PB_FRAME_MAX])
{
    uint8_t payload[PB_FRAME_MAX];
    pb_payload(scenario, message, payload);
    return pb_frame_write(scenario, destination, sequence & PB_SEQUENCE_MASK, payload, frame);
}

bool pb_frame_checks(const struct pb_scenario *scenario, const uint8_t *bytes, unsigned count)
{
    if (count != scenario->frame_bytes)
        return false;
    if (scenario->codec != PB_CODEC_STARC)
        return bytes[count - 1] == crc(bytes, count - 1, 8, 0x07, 0);
    if (bytes[0] != STARC_MARK || bytes[2] != scenario->payload_bytes + STARC_DESTINATION_BYTES)
        return false;
    const uint32_t check = crc(bytes + 1, count - 3, 16, 0x1021, 0xffff);
    return bytes[count - 2] == check >> 8 && bytes[count - 1] == (check & 0xff);
}

uint32_t pb_frame_destination(const struct pb_scenario *scenario, const uint8_t *bytes)
{
    if (scenario->codec == PB_CODEC_BARE)
        return PB_NO_DESTINATION;
    if (scenario->codec == PB_CODEC_SLOT)
        return bytes[0] | (uint32_t)(bytes[1] & 0x0f) << 8;
    return bytes[3] | (uint32_t)bytes[4] << 8;
}

unsigned pb_frame_sequence(const struct pb_scenario *scenario, const uint8_t *bytes)
{
    if (scenario->codec == PB_CODEC_BARE)
        return 0;
    return scenario->codec == PB_CODEC_SLOT ? bytes[1] >> 4 : bytes[1] & PB_SEQUENCE_MASK;
}

const uint8_t *pb_frame_payload(const struct pb_scenario *scenario, const uint8_t *bytes)
{
    return bytes +
           (scenario->frame_bytes - scenario->payload_bytes - (scenario->codec == PB_CODEC_STARC ? 2 : 1));
}
