/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What no sound wire makes a node count. While the phase clock waits, it may count missed edges. */
static const char *const of_faults[] = {" alignment_errors=",   " extra_edges=",    " rx_crc_errors=",
                                        " rx_length_errors=",   " rx_mark_errors=", " rx_framing_errors=",
                                        " rx_bad_destinations="};

/* The number after a key. false: the key is there without one. */
static bool read_counter(const char *at, const char *key, unsigned long *number)
{
    const char *const value = at + strlen(key);
    char *end = NULL;
    *number = strtoul(value, &end, 16);
    return end != value && strchr(" ", *end);
}

static bool has_no_faults(const char *answer, char text[PB_COUNTERS_TEXT_SIZE])
{
    for (size_t i = 0; i < sizeof of_faults / sizeof of_faults[0]; i++) {
        const char *const at = strstr(answer, of_faults[i]);
        unsigned long number;
        if (!at || (read_counter(at, of_faults[i], &number) && number == 0))
            continue;
        snprintf(text, PB_COUNTERS_TEXT_SIZE,
                 "says%.*s in the end, and its wires and its clock had no such fault: mend the firmware",
                 (int)(1 + strcspn(at + 1, " ")), at);
        return false;
    }
    return true;
}

bool pb_counters_fit(const struct pb_counters *seen, bool clean, const char *answer,
                     char text[PB_COUNTERS_TEXT_SIZE])
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
        const char *const at = strstr(answer, counter[i].key);
        unsigned long said;
        if (at && read_counter(at, counter[i].key, &said) && said == counter[i].value)
            continue;
        if (at)
            snprintf(
                text, PB_COUNTERS_TEXT_SIZE,
                "says%s%.*s in the end, and its wires showed %" PRIX32
                " (hexadecimal): it takes not every frame, or does not count; lower latency and error of the "
                "clocks, or mend the firmware",
                counter[i].key, (int)strcspn(at + strlen(counter[i].key), " "), at + strlen(counter[i].key),
                counter[i].value);
        else
            snprintf(text, PB_COUNTERS_TEXT_SIZE,
                     "answers '%.60s' to 'T', without%.14s; see docs/node.md, C5", answer, counter[i].key);
        return false;
    }
    return !clean || has_no_faults(answer, text);
}
