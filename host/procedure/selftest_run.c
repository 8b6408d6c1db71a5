/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/selftest.h"

#include "procedure.h"
#include "selftest_steps.h"

#include "host/base/monotonic.h"

#include <stdio.h>

static const struct selftest_step {
    const char *name;
    int (*climb)(struct selftest *test, struct pb_diag *diag);
} steps[PB_SELFTEST_STEPS] = {
    {"identify", selftest_identify}, {"registers", selftest_registers}, {"clock", selftest_clock},
    {"loopback", selftest_loopback}, {"console", selftest_console},
};

const char *pb_selftest_state_name(enum pb_selftest_state state)
{
    static const char *const name[] = {"pass", "fail", "skip"};
    return name[state];
}

/* The last step also ends the session of a recording. */
static int climb(struct selftest *test, const struct selftest_step *step, struct pb_diag *detail)
{
    struct pb_diag end;
    int code = step->climb(test, detail);
    if (!code)
        code = pb_recorder_check(test->recorder, detail);
    if (!code && step + 1 == steps + PB_SELFTEST_STEPS &&
        (code = pb_recording_session_end(test->transport, code, &end)))
        *detail = end;
    return code;
}

static void climb_all(struct pb_selftest *out, struct selftest *test, const struct pb_procedure *procedure)
{
    const char *failed = NULL;
    for (size_t i = 0; i < PB_SELFTEST_STEPS; i++) {
        struct pb_selftest_step *shown = &out->step[i];
        const int64_t begun_ns = pb_monotonic_ns();
        shown->name = steps[i].name;
        if (procedure_stopped(procedure)) {
            out->code = PB_ERR_INTERRUPTED;
            failed = "the interruption";
        }
        if (failed) {
            shown->state = PB_SELFTEST_SKIP;
            snprintf(shown->detail.text, sizeof shown->detail.text, "not tried after %s", failed);
            continue;
        }
        const int code = climb(test, &steps[i], &shown->detail);
        shown->state = code ? PB_SELFTEST_FAIL : PB_SELFTEST_PASS;
        shown->wall_ns = pb_monotonic_ns() - begun_ns;
        if (code) {
            failed = shown->name;
            out->code = code;
        }
    }
}

int pb_selftest_run(struct pb_selftest *out, const struct pb_procedure *procedure,
                    const struct pb_selftest_options *options, struct pb_diag *diag)
{
    struct selftest test = {.scenario = options->scenario,
                            .stop = procedure->stop,
                            .recorder = options->recorder,
                            .external = options->external_clock};
    *out = (struct pb_selftest){.code = PB_OK};
    const int code = procedure_begin(procedure, &test.rig_url, options->scenario, 0, diag);
    if (!code)
        climb_all(out, &test, procedure);
    selftest_close(&test);
    procedure_end(procedure);
    return code;
}
