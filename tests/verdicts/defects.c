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

/* In addition to the needs of the list. */
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
    {"boot_blip", 0, M_LASTS, NULL},
    {"line_blip", 0, M_LASTS, NULL},
    {"warm_deaf", 0, M_LASTS | M_AFTER, NULL},
    {"frame_unused", 0, M_ONE_NODE | M_FINE | M_LASTS, NULL},
    {"alignment_missing", 0, M_LASTS, NULL},
    {"slow_boot", 0, M_OWN_AT_START, NULL},
    {"pulls_unused", 0, M_ONE_NODE | M_LASTS, NULL},
    {"drives_idle", 0, M_LASTS, NULL},
    {"drives_frame", 0, 0, "no other side pulls the line while the node sends"},
    {"misses_edge", 0, M_LASTS, NULL},
    {"falling_edge", 0, M_HALF_PHASE | M_LASTS, NULL},
    {"joins_late", 0, M_SEND_FIRST | M_LASTS, NULL},
    {"starts_known", 0, 0, "a clock that runs already may be in the phase that it takes for granted"},
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
    {"late_fall", 0, M_EDGES | M_FINE, NULL},
    {"fast_bits", 0, M_EDGES | M_FINE | M_EXACT, NULL},
    {"fast_later", 0, M_EDGES | M_FINE | M_EXACT, NULL},
    {"faster_bits", 0, M_EDGES | M_FINE | M_EXACT, NULL},
    {"one_link_edge", 0, M_EDGES | M_FINE | M_SEND_HIGH | M_LASTS, NULL},
    {"takes_bad_crc", 0, M_ONE_CHECK, NULL},
    {"crc_uncounted", 0, M_ONE_CHECK, NULL},
    {"crc_lowest_bit", 0, 0, "which bits are wrong is drawn"},
    {"crc_low_bits", 0, 0, "which bits are wrong is drawn"},
    {"crc_but_highest", 0, 0, "which bits are wrong is drawn"},
    {"crc_but_link", 0, 0, "the generator does not choose the link of a wrong frame"},
    {"crc_but_own", 0, 0, "the generator does not choose the destination of a wrong frame"},
    {"crc_but_outside", 0, 0, "which bits are wrong is drawn"},
    {"takes_bare", 0, 0, "few short frames lack the whole payload"},
    {"stop_last_only", 0, 0, "the generator has whole frames alone"},
    {"outside_highest", 0, 0, "which bit is outside is drawn"},
    {"keeps_rule", 0, 0, "few messages tell the rules apart"},
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
    {"step_forgets", 0, 0, "a message waits at few faults of the clock"},
    {"step_forgets_own", 0, 0, "a message waits at few faults of the clock"},
    {"edge_forgets_own", 0, 0, "a message waits at few faults of the clock"},
    {"edge_forgets", 0, 0, "a message waits at few faults of the clock"},
    {"gap_forgets_own", 0, 0, "a message waits at few faults of the clock"},
    {"gap_forgets", 0, 0, "a message waits at few faults of the clock"},
    {"step_late", 0, M_WAITING, NULL},
    {"skips_sequence", 0, M_OWN_THRICE | M_LASTS, NULL},
    {"repeats_sequence", 0, M_OWN_THRICE | M_LASTS, NULL},
    {"keeps_sequence", 0, 0, "a run has one reset"},
    {"refused_counts", 0, M_LASTS | M_AFTER, NULL},
    {"pads_ones", 0, M_LASTS | M_AFTER | M_PADDED, NULL},
    {"sends_to_itself", 0, M_LASTS | M_AFTER, NULL},
    {"counter_omitted", 0, M_LASTS, NULL},
    {"counter_garbled", 0, M_LASTS, NULL},
    {"counter_long", 0, M_LASTS, NULL},
    {"counter_twice", 0, M_LASTS, NULL},
    {"late_counted", 0, M_LASTS, NULL},
    {"depth_off", 0, M_LASTS | M_AFTER, NULL},
    {"lines_off", 0, M_LASTS, NULL},
    {"keeps_counters", 0, M_LASTS | M_AFTER, NULL},
    {"keeps_mode", 0, M_LASTS | M_AFTER, NULL},
    {"echo_elsewhere", 0, M_LASTS | M_AFTER, NULL},
    {"echo_altered", 0, M_LASTS | M_AFTER, NULL},
    {"echo_routes", 0, M_LASTS | M_AFTER, NULL},
    {"echo_stays", 0, M_LASTS | M_AFTER, NULL},
    {"keeps_address", 0, M_LASTS | M_AFTER, NULL},
    {"no_reason", 0, M_LASTS | M_AFTER, NULL},
    {"warm_uart", 0, M_ONE_NODE | M_LASTS | M_AFTER, NULL},
    {"warm_pull", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_queue", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_mode", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_address", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_counters", 0, M_LASTS | M_AFTER, NULL},
    {"warm_unused", 0, M_ONE_NODE | M_LASTS | M_AFTER, NULL},
    {"clear_forgets", 0, M_LASTS | M_AFTER, NULL},
    {"mode_forgets", 0, M_LASTS | M_AFTER, NULL},
    {"clear_restarts", 0, M_LASTS | M_AFTER, NULL},
    {"clears_some", 0, M_LASTS | M_AFTER, NULL},
    {"clear_ends_mode", 0, M_LASTS | M_AFTER, NULL},
    {"clears_but_faults", 0, 0, "a Z after the run is typed for some faults alone, with an odd seed"},
    {"reset_keeps_echo", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_received", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_high", 0, M_LASTS | M_AFTER, NULL},
    {"reset_keeps_phase", 0, M_LASTS | M_AFTER, NULL},
    {"repeats_dropped", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_deaf", 0, M_LASTS | M_AFTER, NULL},
    {"self_uncounted", 0, M_LASTS | M_AFTER, NULL},
    {"crc_but_echo", 0, M_LASTS | M_AFTER, NULL},
    {"crc_but_moved", 0, M_LASTS | M_AFTER, NULL},
    {"clear_drops_received", 0, M_LASTS | M_AFTER, NULL},
    {"count_forgets", 0, M_LASTS | M_AFTER, NULL},
    {"busy_by_own", 0, M_LASTS | M_AFTER, NULL},
    {"echo_drops_own", 0, M_LASTS | M_AFTER, NULL},
    {"echo_drops_outside", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_stays", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_zeros", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_still", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_idle", 0, M_LASTS | M_AFTER, NULL},
    {"busy_ignored", 0, M_LASTS | M_AFTER, NULL},
    {"address_said", 0, M_LASTS | M_AFTER, NULL},
    {"address_forgotten", 0, M_LASTS | M_AFTER, NULL},
    {"pads_stale", 0, M_LASTS | M_AFTER | M_PADDED, NULL},
    {"reset_keeps_refused", 0, M_LASTS | M_AFTER, NULL},
    {"address_ends_mode", 0, M_LASTS | M_AFTER, NULL},
    {"identity_ends_mode", 0, M_LASTS | M_AFTER, NULL},
    {"mode_toggles", 0, M_LASTS | M_AFTER, NULL},
    {"mode_clears_depth", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_restarts", 0, M_LASTS | M_AFTER, NULL},
    {"show_clears", 0, M_LASTS | M_AFTER, NULL},
    {"refused_ends_mode", 0, M_LASTS | M_AFTER, NULL},
    {"crc_but_prbs", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_takes_outside", 0, M_LASTS | M_AFTER, NULL},
    {"prbs_drops_own", 0, M_LASTS | M_AFTER, NULL},
    {"home_is_own", 0, M_LASTS | M_AFTER, NULL},
    {"clear_ends_echo", 0, M_LASTS | M_AFTER, NULL},
    {"show_ends_echo", 0, M_LASTS | M_AFTER, NULL},
    {"echo_once", 0, M_LASTS | M_AFTER, NULL},
    {"zeros_refused", 0, M_LASTS | M_AFTER, NULL},
    {"takes_wrapped", 0, 0, "the numbers that are typed are drawn"},
    {"obeys_mode", 0, M_LASTS | M_AFTER, NULL},
    {"obeys_half", 0, M_LASTS | M_AFTER, NULL},
    {"takes_beyond", 0, M_LASTS | M_AFTER, NULL},
    {"answers_twice", 0, M_LASTS | M_LISTENED, NULL},
    {"refused_twice", 0, M_ONE_NODE | M_LASTS | M_AFTER, NULL},
    {"no_answer", 0, M_LASTS | M_LISTENED, NULL},
    {"wrong_answer", 0, M_LASTS | M_LISTENED, NULL},
    {"chatters", 0, M_ONE_NODE | M_LASTS, NULL},
    {"uart_noise", 0, M_ONE_NODE | M_CONSOLE_BIT | M_LASTS, NULL},
    {"console_baud", 0, M_CONSOLE_STRETCH | M_LASTS, NULL},
    {"console_fast", 0, M_CONSOLE_STRETCH | M_LASTS, NULL},
};

static void complete(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].needs & PB_NEEDS_PROGRAM)
            table[i].never = "no case has a program";
        for (size_t k = 0; k < sizeof more / sizeof more[0]; k++)
            if (!strcmp(table[i].name, more[k].name)) {
                table[i].kinds |= more[k].kinds;
                table[i].more |= more[k].more;
                table[i].never = more[k].never ? more[k].never : table[i].never;
            }
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
