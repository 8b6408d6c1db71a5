/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stamps of other instruments in any form. What is taken rises, and has figures or a reason why not.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/jitter.h"
#include "phasebench/stamps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const channel[] = {NULL, "a", "clk", "top.clk"};
    struct pb_stamps stamps;
    struct pb_jitter *jitter;
    struct pb_diag diag;
    if (!size)
        return 0;
    const bool has_unit = size > 1 && (data[1] == '$' || data[1] == 'P'); /* by its form */
    const struct pb_stamps_choice choice = {.channel = channel[data[0] % 4],
                                            .unit_ps = data[0] & 4 && !has_unit ? 1e3 : 0,
                                            .falls = data[0] & 8};
    int code = pb_stamps_read(&stamps, "fuzz", (const char *)data + 1, size - 1, &choice, &diag);
    MUST(code == PB_OK || (code == PB_ERR_CONFIG && !stamps.time_ps && *diag.text));
    if (code)
        return 0;
    for (size_t i = 1; i < stamps.count; i++)
        MUST(stamps.time_ps[i] > stamps.time_ps[i - 1]);
    if (stamps.count < 2000) {
        code = pb_jitter_of_stamps(&jitter, &stamps, "fuzz", data[0] >> 4, 0, PB_JITTER_FIT, &diag);
        MUST(code == PB_OK || (code == PB_ERR_CONFIG && *diag.text));
        pb_jitter_free(jitter);
    }
    pb_stamps_free(&stamps);
    return 0;
}
