/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Limits files. A refusal is one line with file and line; what is taken keeps its ranges, and a value that is
 * farther inside is judged no worse.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/validation.h"

#include <string.h>

#define LARGEST INT64_C(9000000000000000)

static void check_ranges(const struct pb_limit_set *limits)
{
    MUST(*limits->title && *limits->version && !strchr(limits->title, '\n'));
    MUST(limits->rule <= PB_ACCEPT_NON_BINARY);
    for (int item = 0; item < PB_ITEMS; item++) {
        const struct pb_limit *limit = &limits->limit[item];
        const bool lower = limit->lower != PB_ABSENT, upper = limit->upper != PB_ABSENT;
        if (!limit->given)
            continue;
        MUST(lower || upper);
        MUST(!lower || (limit->lower >= -LARGEST && limit->lower <= LARGEST));
        MUST(!upper || (limit->upper >= -LARGEST && limit->upper <= LARGEST));
        MUST(!lower || !upper || limit->lower <= limit->upper);
        MUST(limit->band >= 0 && limit->band <= LARGEST);
        MUST(memchr(limit->rationale, 0, sizeof limit->rationale));
    }
}

static enum pb_judgement judge(const struct pb_limit_set *limits, enum pb_item item, int64_t at, int64_t u95)
{
    struct pb_item_value value = {.item = item, .value = at, .u95 = u95};
    pb_item_judge(&value, limits);
    return value.judgement;
}

static void check_judgement(const struct pb_limit_set *limits)
{
    for (int item = 0; item < PB_ITEMS; item++) {
        const struct pb_limit *limit = &limits->limit[item];
        if (!limit->given)
            MUST(judge(limits, (enum pb_item)item, 0, 1) == PB_NOT_JUDGED);
        if (!limit->given || limit->upper == PB_ABSENT)
            continue;
        /* Down from far beyond the upper limit to it. */
        enum pb_judgement last = PB_JUDGED_FAIL;
        for (int64_t beyond = 100; beyond >= -50 && limit->lower == PB_ABSENT; beyond--) {
            const enum pb_judgement now = judge(limits, (enum pb_item)item, limit->upper + beyond, 20);
            MUST(now != PB_NOT_JUDGED && now <= last);
            MUST(beyond <= 20 || now == PB_JUDGED_FAIL);
            last = now;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_limit_set limits;
    struct pb_diag diag = {""};
    const int code = pb_limits_parse(&limits, "fuzz.yaml", (const char *)data, size, &diag);
    if (code) {
        MUST(code == PB_ERR_CONFIG || code == PB_ERR_MEMORY);
        MUST(!strncmp(diag.text, "fuzz.yaml:", 10) && !strchr(diag.text, '\n'));
        MUST(code == PB_ERR_MEMORY || (diag.text[10] >= '1' && diag.text[10] <= '9'));
        return 0;
    }
    check_ranges(&limits);
    check_judgement(&limits);
    return 0;
}
