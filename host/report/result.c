/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/result.h"

#include <stdlib.h>

const char *pb_verdict_name(enum pb_verdict verdict)
{
    switch (verdict) {
    case PB_VERDICT_PASS:
        return "pass";
    case PB_VERDICT_MARGINAL:
        return "marginal";
    case PB_VERDICT_FAIL:
        return "fail";
    case PB_VERDICT_INCONCLUSIVE:
        return "inconclusive";
    }
    return "unknown";
}

int pb_verdict_exit_code(enum pb_verdict verdict)
{
    switch (verdict) {
    case PB_VERDICT_PASS:
    case PB_VERDICT_MARGINAL:
        return 0;
    case PB_VERDICT_FAIL:
        return 1;
    case PB_VERDICT_INCONCLUSIVE:
        break;
    }
    return 5;
}

const char *pb_finding_id(enum pb_finding_kind kind)
{
    switch (kind) {
#define PB_FINDING_CASE(name, id, text)                                                                      \
    case PB_FINDING_##name:                                                                                  \
        return id;
        PB_FINDING_LIST(PB_FINDING_CASE)
#undef PB_FINDING_CASE
    case PB_FINDING_KINDS:
        break;
    }
    return "unknown";
}

const char *pb_finding_text(enum pb_finding_kind kind)
{
    switch (kind) {
#define PB_FINDING_CASE(name, id, text)                                                                      \
    case PB_FINDING_##name:                                                                                  \
        return text;
        PB_FINDING_LIST(PB_FINDING_CASE)
#undef PB_FINDING_CASE
    case PB_FINDING_KINDS:
        break;
    }
    return "a finding of unknown kind";
}

void pb_result_free(struct pb_result *result)
{
    if (!result)
        return;
    free(result->finding);
    free(result->hop);
    free(result->fault);
    free(result);
}
