/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whole plans for tests; a failure fails the test.
 */
#ifndef PLAN_FIXTURE_H
#define PLAN_FIXTURE_H

#include "host/base/room.h"
#include "host/plan/plan.h"
#include "tests/bench/unit/run_fixture.h"

#include <stdlib.h>
#include <string.h>

/* All records of the run in the place of those of a superframe. */
static inline void plan_to_the_end(struct pb_plan *plan, uint32_t superframes)
{
    struct pb_record_list all = {0};
    while (plan->superframe < superframes) {
        assert_succeeds(pb_plan_next(plan, &diag));
        assert_int_equal(pb_make_room(&all.record, &all.record_capacity, all.records + plan->now.records,
                                      sizeof *all.record),
                         PB_OK);
        assert_int_equal(
            pb_make_room(&all.bytes, &all.byte_capacity, all.byte_count + plan->now.byte_count, 1), PB_OK);
        for (size_t i = 0; i < plan->now.records; i++) {
            struct pb_record *record = &all.record[all.records++];
            *record = plan->now.record[i];
            assert_int_equal(record->instant / plan->phase_count, plan->superframe - 1);
            memcpy(all.bytes + all.byte_count, plan->now.bytes + record->at, record->length);
            record->at = (uint32_t)all.byte_count;
            all.byte_count += record->length;
        }
    }
    free(plan->now.record);
    free(plan->now.bytes);
    plan->now = all;
}

static inline void free_plan(void *plan)
{
    pb_plan_free(plan);
    free(plan);
}

/* It is handed over (tests.h). */
static inline struct pb_plan *whole_plan(const struct pb_scenario *scenario,
                                         const struct pb_device_info *info)
{
    struct pb_plan *plan = hand_over(calloc(1, sizeof *plan), free_plan);
    assert_succeeds(pb_plan_make(plan, scenario, info, &diag));
    plan_to_the_end(plan, scenario->superframes);
    return plan;
}

#endif
