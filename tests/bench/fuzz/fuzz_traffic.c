/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Traffic files and patterns: the first byte chooses dimensions and which of the two.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/flow.h"
#include "phasebench/traffic.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const unsigned how = take(&input), dims = 1 + how % 8;
    const struct pb_network cube = pb_network_cube(dims);
    struct pb_traffic traffic;
    struct pb_diag diag = {""};
    int code;
    if (how & 0x80) {
        char pattern[64];
        size_t length;
        const uint8_t *bytes = take_bytes(&input, sizeof pattern - 1, &length);
        memcpy(pattern, bytes, length);
        pattern[length] = 0;
        code = pb_traffic_generate(&traffic, &cube, pattern, &diag);
        MUST(code == PB_OK || code == PB_ERR_ARGUMENT);
    } else {
        code = pb_traffic_parse_text(&traffic, &cube, "list", (const char *)input.at, input.left, &diag);
        MUST(code == PB_OK || code == PB_ERR_CONFIG);
    }
    if (code)
        MUST(*diag.text && !strchr(diag.text, '\n') && !traffic.count);
    for (size_t i = 0; i < traffic.count; i++)
        MUST(traffic.message[i].source < cube.nodes && traffic.message[i].destination < cube.nodes);
    struct pb_flow_bound bound;
    if (!code && traffic.count <= 1000 && dims <= 6) {
        MUST(pb_flow_analyse(&cube, &traffic, &bound) == PB_OK);
        MUST(bound.fifo_superframes <= bound.bound_superframes); /* the theorem */
        MUST(bound.max_link_load <= bound.messages);
    }
    pb_traffic_free(&traffic);
    return 0;
}
