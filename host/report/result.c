/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/result.h"

#include <stdlib.h>
#include <string.h>

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

const char *pb_rise_source_name(enum pb_rise_source source)
{
    static const char *const name[] = {"unknown", "measured", "set", "driven"};
    return name[source];
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

const char *pb_counter_key(int counter)
{
    static const char *const key[] = {
#define PB_COUNTER_KEY(name, text) text,
        PB_COUNTER_LIST(PB_COUNTER_KEY)
#undef PB_COUNTER_KEY
    };
    return key[counter];
}

bool pb_finding_is_after(const struct pb_result *result, const struct pb_finding *finding)
{
    return result->superframes && finding->superframe >= result->superframes;
}

const char *pb_evidence_name(int evidence)
{
    static const char *const name[] = {"none", "counters", "frames"};
    return name[evidence];
}

const char *pb_result_unchecked(const struct pb_result *result, unsigned index)
{
    static const char *const of_bytes[] = {
        "pulses shorter than a bit, where no byte and no alarm tells of them",
        ("edges within a byte: the first and the last one were measured, the others are taken for even; late "
         "edges of a sender read as a slow rise"),
        "when a line that is held low at a stop bit rises: known from phase to phase only",
    };
    const unsigned bytes = strcmp(result->capture, "bytes") ? 0 : sizeof of_bytes / sizeof of_bytes[0];
    if (index < bytes)
        return of_bytes[index];
    index -= bytes;
    for (unsigned i = 0; i < result->node_rows; index -= result->node[i++].unchecks)
        if (index < result->node[i].unchecks)
            return result->node[i].unchecked[index];
    return NULL;
}

void pb_result_free(struct pb_result *result)
{
    if (!result)
        return;
    free(result->finding);
    free(result->hop);
    free(result->fault);
    free(result->measurement);
    free(result);
}
