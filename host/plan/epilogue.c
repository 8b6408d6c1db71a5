/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/epilogue.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BEYOND = 0xFFFF, /* no network has so many nodes */
    FIRST_BYTE = 0x5A,
    SUPERFRAME_MS = 2000,
    SEQUENCE = 1 /* SELF has the first one */
};

bool pb_epilogue_fits(const struct pb_scenario *scenario)
{
    const uint64_t phases = scenario->network.phases;
    return !scenario->follow && 1000 * 1000 * phases / scenario->phase_rate_mhz <= SUPERFRAME_MS;
}

uint32_t pb_epilogue_address(const struct pb_scenario *scenario, unsigned node_index)
{
    return pb_network_neighbour(&scenario->network, scenario->node[node_index].address, 0);
}

uint32_t pb_epilogue_neighbour(const struct pb_scenario *scenario, unsigned node_index)
{
    return pb_network_neighbour(&scenario->network, scenario->node[node_index].address,
                                scenario->network.ports - 1);
}

unsigned pb_epilogue_phase(const struct pb_scenario *scenario, unsigned node_index)
{
    return pb_network_send_phase(&scenario->network, scenario->node[node_index].address,
                                 scenario->network.ports - 1);
}

void pb_epilogue_text(char text[PB_EPILOGUE_TEXT], const struct pb_scenario *scenario, unsigned node_index,
                      enum pb_epilogue_line line)
{
    switch (line) {
    case PB_EPILOGUE_ADDRESS:
        snprintf(text, PB_EPILOGUE_TEXT, "A %" PRIX32, pb_epilogue_address(scenario, node_index));
        break;
    case PB_EPILOGUE_IDENTITY:
        snprintf(text, PB_EPILOGUE_TEXT, "I");
        break;
    case PB_EPILOGUE_REFUSED:
        snprintf(text, PB_EPILOGUE_TEXT, "S %X", (unsigned)BEYOND);
        break;
    case PB_EPILOGUE_CLEAR:
        snprintf(text, PB_EPILOGUE_TEXT, "Z");
        break;
    case PB_EPILOGUE_SELF:
        snprintf(text, PB_EPILOGUE_TEXT, "S %" PRIX32, scenario->node[node_index].address);
        break;
    case PB_EPILOGUE_MESSAGE:
        if (scenario->payload_bytes > 1)
            snprintf(text, PB_EPILOGUE_TEXT, "S %" PRIX32 " %X", pb_epilogue_neighbour(scenario, node_index),
                     (unsigned)FIRST_BYTE);
        else
            snprintf(text, PB_EPILOGUE_TEXT, "S %" PRIX32, pb_epilogue_neighbour(scenario, node_index));
        break;
    case PB_EPILOGUE_COUNTERS:
        snprintf(text, PB_EPILOGUE_TEXT, "T");
        break;
    case PB_EPILOGUE_ECHO:
        snprintf(text, PB_EPILOGUE_TEXT, "M 1");
        break;
    case PB_EPILOGUE_ROUTE:
        snprintf(text, PB_EPILOGUE_TEXT, "M 0");
        break;
    case PB_EPILOGUE_MODE:
    default:
        snprintf(text, PB_EPILOGUE_TEXT, "M 2");
        break;
    }
}

void pb_epilogue_frame(const struct pb_scenario *scenario, unsigned node_index, uint8_t frame[PB_FRAME_MAX])
{
    uint8_t payload[PB_FRAME_MAX] = {0};
    if (scenario->payload_bytes > 1)
        payload[0] = FIRST_BYTE;
    pb_frame_write(scenario, pb_epilogue_neighbour(scenario, node_index), SEQUENCE, payload, frame);
}

bool pb_epilogue_plays(const struct pb_scenario *scenario, unsigned lanes, unsigned node_index, unsigned port)
{
    const struct pb_network *network = &scenario->network;
    const unsigned phase = pb_network_listen_phase(network, scenario->node[node_index].address, port);
    unsigned before = 0;
    for (unsigned other = 0; other < node_index; other++)
        before += pb_network_slot(network, scenario->node[other].address, phase).role == PB_ROLE_LISTEN;
    return before < lanes;
}

void pb_epilogue_played(const struct pb_scenario *scenario, unsigned node_index, unsigned port,
                        uint8_t frame[PB_FRAME_MAX])
{
    const struct pb_network *network = &scenario->network;
    const uint32_t own = scenario->node[node_index].address;
    uint8_t payload[PB_FRAME_MAX];
    for (unsigned i = 0; i < scenario->payload_bytes; i++)
        payload[i] = (uint8_t)(FIRST_BYTE + 16 * port + i);
    pb_frame_write(scenario,
                   network->ports == 1 ? own
                                       : pb_network_neighbour(network, own, (port + 1) % network->ports),
                   port & PB_SEQUENCE_MASK, payload, frame);
}
