/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text form of networks: the first four bytes choose a source, a destination and a phase.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/network.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const uint32_t high = take(&input), from = high << 8 | take(&input);
    const uint32_t to = from * 40503u + take(&input);
    const unsigned birth = take(&input);
    struct pb_network network;
    struct pb_diag diag = {""};
    char text[80];
    size_t length;
    const uint8_t *bytes = take_bytes(&input, sizeof text - 1, &length);
    memcpy(text, bytes, length);
    text[length] = 0;

    const int code = pb_network_parse(&network, text, &diag);
    MUST(code == PB_OK || code == PB_ERR_ARGUMENT);
    if (code) {
        MUST(*diag.text && !strchr(diag.text, '\n'));
        return 0;
    }
    /* Whatever is built passes; larger ones would take longer than the rest together. */
    if (network.nodes <= 256)
        MUST(pb_network_check(&network, PB_NETWORK_PORTS_MAX, &diag) == PB_OK);
    const uint32_t source = from % network.nodes, destination = to % network.nodes;
    for (int rule = 0; rule < PB_RULES; rule++) {
        struct pb_route route;
        pb_route_lone(&route, &network, (enum pb_rule)rule, source, destination, birth % network.phases);
        MUST(route.hops <= network.digits && (route.hops > 0) == (source != destination));
        MUST(route.latency_phases <=
             pb_bound_lone_phases(&network, (enum pb_rule)rule, birth % network.phases > 0));
        MUST(!route.hops || route.hop[route.hops - 1].to == destination);
    }
    char size_text[PB_NETWORK_TEXT_SIZE];
    MUST(strlen(pb_network_text(&network, size_text)) < sizeof size_text - 1);
    return 0;
}
