/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the sentences share (node_sentences.h): the node of the present test, and the tests.
 *
 *     node_sentences.c         the table, and what follows
 *     node_sentence_signal.c   one frame on a line: start, bits, clock, codec, drive
 *     node_sentence_slot.c     phases, forwarding, corrupt frames, queues, routes
 *     node_sentence_console.c  reset, console, counters, test modes
 *     node_sentence_program.c  programs
 *     node_sentence_pair.c     random scripts, side by side with the native node
 *
 * Expected values are worked out by hand from docs/node.md: node 0x2A3 of the 12-cube sends to 0x91C on
 * dimension 0 in phase 1; node 0 receives dimension 0 in phase 1 and sends dimension 1 in phase 2.
 */
#ifndef NODE_SENTENCE_H
#define NODE_SENTENCE_H

#include "tests/bench/unit/node_sentences.h"

enum { SIMPLE = KIND_REF | KIND_LIBRARY, IMAGES = KIND_AG32 | KIND_RP2040 };

extern struct pins pins; /* of the present test */

/* ps: the first edge of TDMA_CLK; the edge that begins a phase, of 24 in a superframe. */
int64_t first_edge(void);
int64_t phase_at(unsigned superframe, unsigned phase);
/* A node of the 12-cube, in `pins`. */
void open_at(const struct node_kind *kind, uint32_t address);
/* A node of the 4-cube, whose superframe is short. */
void open_small(const struct node_kind *kind, uint32_t address);
void close_node(const struct node_kind *kind);
/* Types the line; the answer must be this one. */
void asks(const char *line, const char *answer);
/* The reference node and the template have no counters. */
void counts(const struct node_kind *kind, const char *counter, uint32_t value);
/* ps that a start of this kind may be late. */
int64_t late(const struct node_kind *kind, int64_t bit_ps);
/* With another rate or guard than config_of. */
int64_t odd_late(const struct node_kind *kind, const struct pb_node_config *config, int64_t bit_ps);
/* The frame of the message to 0x91C or another destination, the only one on the link from `from` to `to`. */
void sent(const struct node_kind *kind, struct probe probe, int64_t from, int64_t to, int64_t edge,
          const uint8_t *frame);

typedef void node_sentence_test(const struct node_kind *kind);
extern node_sentence_test starts_the_head_guard_after_the_edge,
    keeps_any_head_guard,
    sends_frames_of_any_length,
    bits_follow_the_clock_of_the_node,
    latency_within_the_guard_is_invisible,
    late_starts_are_counted,
    a_console_line_at_the_edge_delays_no_start,
    is_silent_before_sync,
    waits_when_sync_is_missing,
    surprising_sync_voids_the_choice,
    each_edge_counts_as_one,
    an_early_edge_ends_the_frame,
    forwards_within_the_superframe,
    sends_on_what_is_for_a_neighbour,
    leaves_in_the_very_next_phase,
    receives_at_any_phase_of_its_samples,
    forwards_frames_of_any_length,
    drops_and_counts_corrupt_frames,
    stuck_and_glitching_lines,
    late_byte_does_not_spoil_the_next_phase,
    queue_is_first_in_first_out_and_bounded,
    slots_are_never_shared,
    opportunistic_takes_the_first_chance,
    frames_in_consecutive_phases,
    reset_releases_and_forgets,
    identifies_itself,
    refused_lines_have_no_effect,
    clears_its_counters_and_takes_an_address,
    test_modes,
    sends_what_the_program_says,
    a_program_begins_with_phase_0_and_messages_wait,
    a_missing_or_wrong_frame_ends_a_program,
    a_refused_program_changes_nothing,
    a_reset_ends_a_program,
    sends_starc_frames,
    push_pull_drives_while_it_sends,
    more_calls_change_nothing,
    a_run_does_not_depend_on_its_start,
    few_calls,
    refuses_what_it_cannot_be,
    does_what_the_native_node_does;

#endif
