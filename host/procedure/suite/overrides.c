/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "overrides.h"

#include <inttypes.h>

int pb_overrides_resolve(struct pb_scenario_overrides *overrides, const struct pb_scenario *scenario,
                         struct pb_diag *diag)
{
    const uint32_t most = pb_scenario_superframes_max(scenario);
    const uint64_t phases = overrides->for_s * scenario->phase_rate_mhz / 1000;
    if (overrides->for_s && overrides->superframes)
        return pb_fail(diag, PB_ERR_ARGUMENT, "--for and --superframes exclude each other; give one of them");
    if (overrides->superframes == UINT32_MAX)
        overrides->superframes = most;
    if (overrides->superframes > most || phases / scenario->network.phases > most)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%s is too long for %s; a run of it has at most %" PRIu32 " superframes",
                       overrides->for_s ? "--for" : "--superframes", scenario->path, most);
    if (overrides->for_s)
        overrides->superframes = (unsigned)(phases / scenario->network.phases);
    if (overrides->for_s && !overrides->superframes)
        overrides->superframes = 1;
    return PB_OK;
}

int pb_overrides_apply(const struct pb_scenario_overrides *overrides, struct pb_scenario *scenario,
                       struct pb_diag *diag)
{
    const unsigned superframes = overrides->superframes;
    const uint32_t last_release = pb_scenario_last_release(scenario);

    if (overrides->seed_given) {
        const int code = pb_scenario_set_seed(scenario, overrides->seed, diag);
        if (code)
            return code;
    }
    if (overrides->capture_given)
        scenario->capture = overrides->capture;
    if (!superframes && scenario->superframes_open)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: superframes: is missing, and traffic repeats for ever; give the key, "
                       "--superframes or --for",
                       scenario->path);
    if (!superframes)
        return PB_OK;
    if (superframes <= last_release)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%s is %u%s; traffic of %s becomes ready in superframe %" PRIu32
                       ", give at least %" PRIu32,
                       overrides->for_s ? "--for" : "--superframes", superframes,
                       overrides->for_s ? " superframes" : "", scenario->path, last_release,
                       last_release + 1);
    scenario->superframes = superframes;
    return PB_OK;
}
