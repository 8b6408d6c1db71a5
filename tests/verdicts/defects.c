/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What each defect needs to show itself. The list comes from bench/nodes/defects.h, so a new defect of the
 * contract node is drawn from the day on which it is there; a line in `more` says what its needs there do
 * not.
 */
#include "case.h"

#include <string.h>

#define ALL_KINDS (1u << KIND_NATIVE | 1u << KIND_REF | 1u << KIND_CONTRACT)

static struct defect table[] = {
#define DEFECT_ROW(id, name, sentence, needs, ps, bits, text)                                                \
    {name, 1u << KIND_CONTRACT, needs, 0, ps, bits, NULL},
    PB_DEFECT_LIST(DEFECT_ROW)
#undef DEFECT_ROW
};

/* Beside the needs of the list. */
static const struct more {
    const char *name;
    unsigned kinds, more;
    const char *never; /* why no case is made of it */
} more[] = {
    /* in native and ref nodes, too */
    {"silent", ALL_KINDS, M_LASTS, NULL},
    {"phase_off", ALL_KINDS, M_LASTS, NULL},
    {"late_start", ALL_KINDS, M_LATE, NULL},
    {"flipped_bit", ALL_KINDS, 0, NULL},
    {"swapped_links", ALL_KINDS, M_LOW_LINKS | M_LASTS, NULL},
    {"wrong_order", 1u << KIND_NATIVE | 1u << KIND_CONTRACT, M_TWO_BITS | M_LASTS | M_AT_STORE, NULL},

    {"early_start", 0, M_EARLY, NULL},
    {"timer_phase", 0, M_WAITING, NULL},
    {"debounces", 0, M_WAITING, NULL},
    {"boot_pull", 0, M_LASTS, NULL},
    {"slow_boot", 0, M_OWN_AT_START, NULL},
    {"pulls_unused", 0, M_ONE_NODE | M_LASTS, NULL},
    {"drives_idle", 0, M_LASTS, NULL},
    {"drives_frame", 0, 0, "no other side pulls the line while the node sends"},
    {"misses_edge", 0, M_LASTS, NULL},
    {"falling_edge", 0, M_HALF_PHASE | M_LASTS, NULL},
    {"joins_late", 0, M_SEND_FIRST | M_LASTS, NULL},
    {"skips_phase", 0, M_SEND_HIGH | M_LASTS, NULL},
    {"neighbours_phase", 0, M_LASTS, NULL},
    {"second_link", 0, M_FINE, NULL}, /* the edges of two lines fit on the host link */
    {"listens_wrong", 0, M_AT_STORE | M_LASTS, NULL},
    {"deaf", 0, M_AT_STORE | M_LASTS, NULL},
    {"sends_idle", 0, M_LASTS, NULL},
    {"idle_glitch", 0, M_EDGES | M_FINE | M_LASTS, NULL},
    {"babble", 0, M_ROOM_AFTER | M_FINE, NULL},
    {"tail_pulse", 0, 0, NULL},
    {"baud_off", 0, M_FINE, NULL},
    {"short_stop", 0, M_FINE, NULL},
    {"late_data", 0, M_EDGES | M_FINE, NULL},
    {"late_edge", 0, M_EDGES | M_FINE, NULL},
    {"late_rise", 0, M_EDGES | M_FINE, NULL},
    {"takes_bad_crc", 0, M_PLAIN_PAYLOAD, NULL},
    {"drops_oldest", 0, 0, "the generator keeps to the room of a node"},
    {"stuck_full", 0, 0, "the generator keeps to the room of a node"},
    {"full_uncounted", 0, 0, "the generator keeps to the room of a node"},
    {"wrong_dimension", 0, M_NOT_TOP | M_AT_STORE, NULL},
    {"slow_forward", 0, M_AT_STORE, NULL},
    {"drops_frame", 0, M_AT_STORE, NULL},
    {"small_room", 0, M_AT_STORE, NULL},
    {"own_first", 0, M_AT_STORE | M_LASTS, NULL},
    {"duplicates", 0, M_AT_STORE, NULL},
    {"alters_payload", 0, M_AT_STORE, NULL},
    {"alters_sequence", 0, M_AT_STORE, NULL},
    {"alters_destination", 0, M_AT_STORE, NULL},
    {"forgets", 0, M_WAITING, NULL},
    {"step_late", 0, M_WAITING, NULL},
    {"skips_sequence", 0, M_OWN_THRICE | M_LASTS, NULL},
    {"repeats_sequence", 0, M_OWN_THRICE | M_LASTS, NULL},
    {"keeps_sequence", 0, 0, "a run has one reset"},
    {"refused_counts", 0, M_LASTS | M_AFTER, NULL},
    {"pads_ones", 0, M_LASTS | M_AFTER | M_PADDED, NULL},
    {"sends_to_itself", 0, M_LASTS | M_AFTER, NULL},
    {"keeps_counters", 0, M_LASTS | M_AFTER, NULL},
    {"keeps_mode", 0, M_LASTS | M_AFTER, NULL},
    {"echo_elsewhere", 0, M_LASTS | M_AFTER, NULL},
    {"echo_altered", 0, M_LASTS | M_AFTER, NULL},
    {"echo_routes", 0, M_LASTS | M_AFTER, NULL},
    {"echo_stays", 0, M_LASTS | M_AFTER, NULL},
    {"keeps_address", 0, M_LASTS | M_AFTER, NULL},
    {"no_reason", 0, M_LASTS | M_AFTER, NULL},
    {"answers_twice", 0, M_LASTS | M_LISTENED, NULL},
    {"no_answer", 0, M_LASTS | M_LISTENED, NULL},
    {"wrong_answer", 0, M_LASTS | M_LISTENED, NULL},
    {"chatters", 0, M_ONE_NODE | M_LASTS, NULL},
    {"uart_noise", 0, M_ONE_NODE | M_CONSOLE_BIT | M_LASTS, NULL},
};

static void complete(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (size_t k = 0; k < sizeof more / sizeof more[0]; k++)
            if (!strcmp(table[i].name, more[k].name)) {
                table[i].kinds |= more[k].kinds;
                table[i].more |= more[k].more;
                table[i].never = more[k].never ? more[k].never : table[i].never;
            }
}

const struct defect *defect_table(size_t *count)
{
    complete();
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct defect *defect_by_name(const char *name)
{
    complete();
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
