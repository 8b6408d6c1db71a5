/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/ask.h"
#include "rtl/proto/gen/pb_regs.h"
#include "rtl/proto/packet.h"

enum { ASK_MS = 4, ASK_READS = 8 };

const unsigned pb_usual_baud_hz[PB_USUAL_BAUDS] = {12000000, 8000000, 6000000, 4000000, 3000000, 1000000};

int pb_rig_ask(struct pb_transport *transport, struct pb_diag *diag)
{
    struct pb_packet read = {.opcode = PB_OPCODE_READ, .length = PB_PACKET_READ_BYTES};
    uint8_t bytes[512];
    struct pb_packet packet;
    struct pb_packet_decoder decoder = {0};
    PB_BYTES_PUT(PB_PACKET_READ_ADDRESS, read.payload, PB_REG_ID);
    PB_BYTES_PUT(PB_PACKET_READ_WORDS, read.payload, 1);
    size_t size = pb_packet_encode(&read, bytes);
    int code = transport->ops->write(transport, bytes, size, diag);
    for (unsigned i = 0; !code && i < ASK_READS; i++) {
        const int got = transport->ops->read(transport, bytes, sizeof bytes, ASK_MS, diag);
        if (got < 0)
            return got;
        for (int at = 0; at < got; at++)
            if (pb_packet_decode(&decoder, bytes[at], &packet) &&
                packet.opcode == (PB_OPCODE_READ | PB_PACKET_REPLY))
                return 1;
    }
    return code;
}
