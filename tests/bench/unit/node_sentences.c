/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/node_sentence.h"

struct pins pins;

int64_t first_edge(void)
{
    return pins.first + 2 * MS;
}

int64_t phase_at(unsigned superframe, unsigned phase)
{
    return first_edge() + (int64_t)(superframe * 24 + phase) * PERIOD;
}

void open_at(const struct node_kind *kind, uint32_t address)
{
    const struct pb_node_config config = config_of(address);
    pins_open(&pins, kind, &config);
}

void open_small(const struct node_kind *kind, uint32_t address)
{
    struct pb_node_config config = config_of(address);
    config.digits = 4;
    memset(config.radix + 4, 0, sizeof config.radix - 4);
    pins_open(&pins, kind, &config);
}

void close_node(const struct node_kind *kind)
{
    assert_no_trap(kind, pins.node[0]);
    pins_free(&pins);
}

void asks(const char *line, const char *answer)
{
    const char *given = console_ask(&pins, 0, formatted("%s\n", line));
    if (strcmp(given, answer) != 0)
        fail_msg("%s: answered with %s, expected %s", line, given, answer);
}

void counts(const struct node_kind *kind, const char *counter, uint32_t value)
{
    if (!(kind->bit & SIMPLE))
        assert_int_equal(console_counter(&pins, 0, counter), value);
}

int64_t late(const struct node_kind *kind, int64_t bit_ps)
{
    return kind->late_ps + (kind->late_part ? bit_ps / kind->late_part : 0);
}

int64_t odd_late(const struct node_kind *kind, const struct pb_node_config *config, int64_t bit_ps)
{
    const bool odd = config->baud_hz != 1000000 || config->head_guard_ps != GUARD;
    return late(kind, bit_ps) + (odd && kind->odd_part ? bit_ps / kind->odd_part : 0);
}

void sent(const struct node_kind *kind, struct probe probe, int64_t from, int64_t to, int64_t edge,
          const uint8_t *frame)
{
    const int64_t after = sent_within(&pins, probe, from, to, BIT, frame, 9, kind->off_ps) - edge;
    assert_in_range(after + kind->off_ps, GUARD, GUARD + late(kind, BIT) + kind->off_ps);
}

/* ---- the table */

#define ROW(ids, test, ...) {ids, #test, test, __VA_ARGS__}
#define NO_TEST_COMMANDS "it has no commands M, A, T and Z"
#define NO_PROGRAMS "it has no programs"
/* clang-format off */
const struct node_sentence node_sentences[] = {
    ROW("T1 P1 P6 P8 T3 F12", starts_the_head_guard_after_the_edge, 0, NULL),
    ROW("T1", keeps_any_head_guard, 0, NULL),
    ROW("T2 T4", sends_frames_of_any_length, 0, NULL),
    ROW("T5", bits_follow_the_clock_of_the_node, 0, NULL),
    ROW("T1 P1", latency_within_the_guard_is_invisible, KIND_REF | KIND_LIBRARY | IMAGES,
        "it has a latency of its own, and no stated one"),
    ROW("T1 C5", late_starts_are_counted, KIND_LIBRARY | KIND_RP2040,
        "it has no shorter guard, or no counter"),
    ROW("T1 C1", a_console_line_at_the_edge_delays_no_start, 0, NULL),
    ROW("R2 P4 F14", is_silent_before_sync, 0, NULL),
    ROW("P3 P4 P5 F14", waits_when_sync_is_missing, 0, NULL),
    ROW("P2 P5", surprising_sync_voids_the_choice, 0, NULL),
    ROW("P9 T6", each_edge_counts_as_one, 0, NULL),
    ROW("T6 P1", an_early_edge_ends_the_frame, 0, NULL),
    ROW("F8 F11 F13 P7", forwards_within_the_superframe, 0, NULL),
    ROW("F7 F8 P6", sends_on_what_is_for_a_neighbour, 0, NULL),
    ROW("F1", leaves_in_the_very_next_phase, 0, NULL),
    ROW("F1 P7", receives_at_any_phase_of_its_samples, 0, NULL),
    ROW("F11 T2", forwards_frames_of_any_length, 0, NULL),
    ROW("F2 F3 F4 F5 F6 F7", drops_and_counts_corrupt_frames, 0, NULL),
    ROW("F4", stuck_and_glitching_lines, 0, NULL),
    ROW("F4", late_byte_does_not_spoil_the_next_phase, 0, NULL),
    ROW("F9 F10 S1 S2 S3 R5", queue_is_first_in_first_out_and_bounded, 0, NULL),
    ROW("F9 F11 F12 S1 C4", slots_are_never_shared, 0, NULL),
    ROW("F8", opportunistic_takes_the_first_chance, KIND_REF, "it knows the rule ecube only"),
    ROW("F13 P6", frames_in_consecutive_phases, 0, NULL),
    ROW("R1 R4", reset_releases_and_forgets, 0, NULL),
    ROW("R3 C2 C3 C10", identifies_itself, 0, NULL),
    ROW("C9 S2 S4", refused_lines_have_no_effect, 0, NULL),
    ROW("C5 C6 C8", clears_its_counters_and_takes_an_address, SIMPLE, NO_TEST_COMMANDS),
    ROW("C7 C11 C12 C13", test_modes, SIMPLE, NO_TEST_COMMANDS),
    ROW("G1 G2 G3 G7", sends_what_the_program_says, SIMPLE, NO_PROGRAMS),
    ROW("G4 G5 G9", a_program_begins_with_phase_0_and_messages_wait, SIMPLE, NO_PROGRAMS),
    ROW("G6", a_missing_or_wrong_frame_ends_a_program, SIMPLE, NO_PROGRAMS),
    ROW("G8 G7", a_refused_program_changes_nothing, SIMPLE, NO_PROGRAMS),
    ROW("G9", a_reset_ends_a_program, SIMPLE, NO_PROGRAMS),
    ROW("T2", sends_starc_frames, SIMPLE, "it knows the slot codec only"),
    ROW("R6", push_pull_drives_while_it_sends, SIMPLE | IMAGES, "it is open drain"),
    ROW("T1", more_calls_change_nothing, 0, NULL),
    ROW("T1", a_run_does_not_depend_on_its_start, 0, NULL),
    ROW("P1", few_calls, KIND_REF | KIND_PROCESS | KIND_LIBRARY | IMAGES,
        "it is clocked, or has a program that runs"),
    ROW("R1", refuses_what_it_cannot_be, KIND_PROCESS | KIND_LIBRARY | IMAGES,
        "it says why: tests of its kind"),
    ROW("P5 F5 F8 C5", does_what_the_native_node_does, SIMPLE | KIND_NATIVE,
        "it is that node, or has no counters and drops what is too long"),
};
/* clang-format on */
const size_t node_sentence_count = COUNT(node_sentences);

struct one {
    const struct node_sentence *row;
    const struct node_kind *kind;
};

static void test_one(void **state)
{
    const struct one *one = *state;
    one->row->test(one->kind);
}

void test_sentences_of(const struct node_kind *kind)
{
    static struct one all[8 * COUNT(node_sentences)];
    static struct variant variants[COUNT(all) + 1][2]; /* of one name each */
    static size_t count;
    for (size_t i = 0; i < COUNT(node_sentences); i++) {
        if (node_sentences[i].except & kind->bit)
            continue;
        assert_true(count < COUNT(all));
        all[count] = (struct one){&node_sentences[i], kind};
        variants[count][0] = (struct variant){kind->name, &all[count]};
        add_test(node_sentences[i].name, test_one, NULL, NULL, variants[count]);
        count++;
    }
}
