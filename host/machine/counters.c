/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pb_counters_fit(const struct pb_counters *seen, const char *answer, char text[PB_COUNTERS_TEXT_SIZE])
{
    const struct {
        const char *key;
        uint32_t value;
    } counter[] = {{" own_messages=", seen->own_messages},
                   {" tx_frames=", seen->tx_frames},
                   {" forwarded=", seen->forwarded},
                   {" delivered=", seen->delivered},
                   {" queue_drops=", seen->queue_drops}};

    if (*answer == '-')
        return true;
    for (size_t i = 0; i < sizeof counter / sizeof counter[0]; i++) {
        const char *const at = strstr(answer, counter[i].key), *const value =
                                                                   at ? at + strlen(counter[i].key) : "";
        char *end = NULL;
        const unsigned long said = strtoul(value, &end, 16);
        const bool number = end != value && strchr(" ", *end);
        if (at && number && said == counter[i].value)
            continue;
        if (at)
            snprintf(
                text, PB_COUNTERS_TEXT_SIZE,
                "says%s%.*s in the end, and its wires showed %" PRIX32
                " (hexadecimal): it takes not every frame, or does not count; lower latency and error of the "
                "clocks, or mend the firmware",
                counter[i].key, (int)strcspn(value, " "), value, counter[i].value);
        else
            snprintf(text, PB_COUNTERS_TEXT_SIZE,
                     "answers '%.60s' to 'T', without%.14s; see docs/node.md, C5", answer, counter[i].key);
        return false;
    }
    return true;
}
