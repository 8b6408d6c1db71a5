/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The node firmware on a port of a few lines: console lines, link bytes and phase edges in any order. It
 * sends only in its own phases, whole frames that its codec takes, and answers every line with one line.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "firmware/app/node.h"

#include <string.h>

struct port {
    uint16_t address;
    const struct node_config *config;
    unsigned phase; /* of the last edge, as the node sees it */
    bool sending, listening;
    size_t answer; /* bytes of the answer in progress */
    unsigned answers;
};

uint16_t port_address(struct port *port)
{
    return port->address;
}

bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length)
{
    struct decoder decoder;
    enum codec_status status = CODEC_MORE;
    (void)start_ticks;
    MUST(!port->sending && !port->listening && dimension < port->config->network->ports &&
         length <= CODEC_FRAME_MAX);
    decoder_start(&decoder, port->config->codec, port->config->payload_bytes);
    for (uint8_t i = 0; i < length; i++) {
        MUST(status == CODEC_MORE);
        status = port->config->codec->decode(&decoder, bytes[i]);
    }
    MUST(status == CODEC_COMPLETE);
    port->sending = true;
    return start_ticks & 1;
}

void port_link_listen(struct port *port, uint8_t dimension)
{
    MUST(!port->sending && !port->listening && dimension < port->config->network->ports);
    port->listening = true;
}

bool port_link_release(struct port *port)
{
    const bool cut = port->sending;
    port->sending = port->listening = false;
    return cut;
}

void port_console_write(struct port *port, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        MUST(port->answer || text[i] == '+' || text[i] == '-');
        MUST(++port->answer <= CONSOLE_ANSWER_MAX);
        if (text[i] == '\n') {
            port->answer = 0;
            port->answers++;
        }
    }
}

uint32_t port_irq_save(struct port *port)
{
    (void)port;
    return 0;
}

void port_irq_restore(struct port *port, uint32_t state)
{
    (void)port;
    (void)state;
}

/* A cube, or one of the families with ports and digits at their limits. */
static struct route_network network_of(unsigned which)
{
    static const uint8_t radix[][6] = {{4, 4, 3}, {3, 3, 3, 3, 3, 3}, {13}, {5, 9}, {2, 3, 10}};
    static const uint8_t digits[] = {3, 6, 1, 2, 3};
    const unsigned at = which % 17;
    return at < 12 ? route_cube((uint8_t)(1 + at)) : route_generalised(radix[at - 12], digits[at - 12]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct node node;
    struct input input = {data, size};
    const unsigned how = take(&input);
    const struct codec *codec = how & 1 ? &codec_starc : &codec_slot;
    const uint8_t most = codec->payload_max;
    const struct route_network network = network_of(how >> 2);
    struct node_config config = {.name = "fuzz",
                                 .network = &network,
                                 .rule = how & 2 ? &route_opportunistic : &route_ecube,
                                 .codec = codec,
                                 .payload_bytes = take(&input) % (most + 1),
                                 .period_ticks = 4800,
                                 .head_guard_ticks = 240};
    struct port port = {.address = (uint16_t)(take32(&input) % network.nodes), .config = &config};
    uint32_t ticks = 0;
    unsigned lines = 0;
    node_init(&node, &config, &port);
    while (input.left) {
        const unsigned what = take(&input);
        size_t count;
        const uint8_t *bytes;
        switch (what % 4) {
        case 0: /* a line for the console */
            bytes = take_bytes(&input, what / 4, &count);
            for (size_t i = 0; i < count; i++) {
                node_on_console_byte(&node, bytes[i]);
                if (bytes[i] == '\n' && what & 0x40) {
                    node_poll(&node);
                    lines++;
                }
            }
            node_poll(&node);
            break;
        case 1: /* an edge, in time and in phase unless the input says otherwise */
            ticks += what & 0x80 ? take32(&input) : 4800;
            node_on_phase_edge(&node, ticks, what & 0x40 ? what & 0x20 : phase_due(&node.tracker) == 0);
            break;
        case 2: { /* a correct frame */
            struct frame frame = {.destination = (uint16_t)(take(&input) | take(&input) << 8),
                                  .sequence = what / 4 & 15};
            uint8_t wire[CODEC_FRAME_MAX];
            const uint8_t length = codec->encode(&frame, config.payload_bytes, wire);
            for (uint8_t i = 0; i < length; i++)
                node_on_rx_byte(&node, wire[i], true);
            break;
        }
        default: /* bytes */
            bytes = take_bytes(&input, what / 8, &count);
            for (size_t i = 0; i < count; i++)
                node_on_rx_byte(&node, bytes[i], !(what & 4) || bytes[i] & 1);
        }
        MUST(!port.answer); /* no answer stays half said */
    }
    const struct stats stats = node_stats(&node);
    MUST(port.answers >= lines || stats.console_errors);
    MUST(stats.console_lines == port.answers || stats.console_lines < port.answers); /* Z clears the count */
    MUST(node.queues.stored <= QUEUE_POOL);
    return 0;
}
