/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/ask.h"
#include "rtl/proto/gen/pb_regs.h"
#include "rtl/proto/packet.h"

enum { ASK_MS = 4, ASK_READS = 8 };

const unsigned pb_usual_baud_hz[PB_USUAL_BAUDS] = {12000000, 8000000, 6000000, 4000000, 3000000, 1000000};

int pb_rig_ask(struct pb_transport *transport, struct pb_diag *diag)
{
    const struct pb_packet read = {
        .opcode = PB_OPCODE_READ, .length = 4, .payload = {PB_REG_ID & 0xff, PB_REG_ID >> 8, 1, 0}};
    uint8_t bytes[512];
    struct pb_packet packet;
    struct pb_packet_decoder decoder = {0};
    size_t size = pb_packet_encode(&read, bytes);
    int code = transport->ops->write(transport, bytes, size, diag);
    for (unsigned i = 0; !code && i < ASK_READS; i++) {
        const int got = transport->ops->read(transport, bytes, sizeof bytes, ASK_MS, diag);
        if (got < 0)
            return got;
        for (int at = 0; at < got; at++)
            if (pb_packet_decode(&decoder, bytes[at], &packet) && packet.opcode == (PB_OPCODE_READ | 0x80))
                return 1;
    }
    return code;
}
