/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The matrix of faults on a rig whose receipts are wrong by a tick: a fault that did not begin at its tick is
 * not right, whatever else is. Linked with --wrap.
 */
#include "phasebench/fault_matrix.h"
#include "phasebench/run.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

/* ---- an error between the core and the matrix */

static int64_t late_ticks; /* of the receipts for the begin of a fault */

struct hearer {
    const struct pb_run_options *options;
};

static void pass_on(void *context, const struct pb_device_info *info, const struct pb_event *event,
                    size_t count)
{
    const struct pb_run_options *options = ((const struct hearer *)context)->options;
    for (size_t i = 0; i < count; i++) {
        struct pb_event heard = event[i];
        if (heard.kind == PB_EVENT_FAULT &&
            PB_GET(PB_EVENT_FAULT_WHAT, heard.value) == PB_FAULT_WHAT_BEGAN)
            heard.tick += (uint64_t)late_ticks;
        options->on_events(options->context, info, &heard, 1);
    }
}

int __real_pb_run(struct pb_result **out, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, struct pb_diag *diag);
int __wrap_pb_run(struct pb_result **out, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, struct pb_diag *diag);
int __wrap_pb_run(struct pb_result **out, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, struct pb_diag *diag)
{
    struct hearer hearer = {options};
    struct pb_run_options changed = *options;
    if (options->on_events) {
        changed.on_events = pass_on;
        changed.context = &hearer;
    }
    return __real_pb_run(out, scenario, &changed, diag);
}

/* ---- the control run, and the first kinds */

enum { ROWS = 4 };
static struct pb_fault_matrix_row seen[ROWS];
static unsigned rows;

static bool take_row(void *context, const struct pb_fault_matrix_row *row)
{
    (void)context;
    seen[rows++] = *row;
    return rows < ROWS;
}

static struct pb_fault_matrix matrix_of(int64_t late)
{
    const struct pb_procedure procedure = {.rig_url = "sim:"};
    const struct pb_fault_matrix_options options = {.observer = {.row = take_row}};
    struct pb_fault_matrix matrix;
    late_ticks = late;
    rows = 0;
    assert_succeeds(pb_fault_matrix_run(&matrix, &procedure, &options, &diag));
    assert_int_equal(rows, ROWS);
    return matrix;
}

TEST(faults_at_their_ticks_are_right)
{
    assert_int_equal(matrix_of(0).wrong, 0);
    for (unsigned i = 0; i < ROWS; i++)
        assert_true(seen[i].right && !seen[i].lacks && seen[i].error_ticks == 0);
}

TEST(a_fault_that_is_a_tick_off_is_not_right)
{
    static const int64_t off[] = {1, -1};
    for (unsigned k = 0; k < COUNT(off); k++) {
        assert_int_equal(matrix_of(off[k]).wrong, ROWS - 1);
        assert_true(seen[0].right && !seen[0].injected);
        for (unsigned i = 1; i < ROWS; i++) {
            assert_int_equal(seen[i].error_ticks, off[k]);
            assert_true(!seen[i].right);
            /* Nothing else is wrong with it. */
            assert_true(seen[i].receipt && seen[i].found && seen[i].clean);
            assert_int_equal(seen[i].verdict, PB_VERDICT_PASS);
        }
    }
}
