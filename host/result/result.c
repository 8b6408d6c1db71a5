/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/result.h"

#include <stdio.h>
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
        "pulses shorter than a bit, that no byte and no alarm shows",
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

/* ---- of several runs */

static void count_unchecked(struct pb_unchecked *all, const char *what, size_t length, size_t runs)
{
    unsigned at = 0;
    while (at < all->rows && (strncmp(all->row[at].what, what, length) || all->row[at].what[length]))
        at++;
    if (at == PB_UNCHECKED_ROWS) {
        all->more += runs;
        return;
    }
    if (at == all->rows) {
        memcpy(all->row[at].what, what, length);
        all->row[at].what[length] = 0;
        all->rows++;
    }
    all->row[at].runs += runs;
}

/* Its length. The reason follows; it and the node differ from run to run. */
static size_t subject_of(const char **clause)
{
    static const char *const reason[] = {", as ", ", where ", ": "};
    if (!strncmp(*clause, "node ", 5) && strstr(*clause, ": "))
        *clause = strstr(*clause, ": ") + 2;
    size_t length = strlen(*clause);
    for (size_t i = 0; i < sizeof reason / sizeof reason[0]; i++) {
        const char *at = strstr(*clause, reason[i]);
        length = at && (size_t)(at - *clause) < length ? (size_t)(at - *clause) : length;
    }
    const size_t room = sizeof((struct pb_unchecked *)NULL)->row[0].what - 1;
    return length < room ? length : room;
}

void pb_unchecked_take(struct pb_unchecked *all, const struct pb_result *result)
{
    struct pb_unchecked one = {.rows = 0};
    const char *clause;
    for (unsigned i = 0; (clause = pb_result_unchecked(result, i)); i++) {
        const size_t length = subject_of(&clause);
        count_unchecked(&one, clause, length, 1);
    }
    for (unsigned i = 0; i < one.rows; i++)
        one.row[i].runs = 1; /* of several nodes one run */
    one.more = one.more > 0;
    pb_unchecked_add(all, &one);
}

void pb_unchecked_add(struct pb_unchecked *all, const struct pb_unchecked *other)
{
    for (unsigned i = 0; i < other->rows; i++)
        count_unchecked(all, other->row[i].what, strlen(other->row[i].what), other->row[i].runs);
    all->more += other->more;
}

const char *pb_unchecked_text(const struct pb_unchecked *all, size_t runs, const char *noun,
                              char text[PB_UNCHECKED_TEXT])
{
    size_t at = 0;
    *text = 0;
    for (unsigned i = 0; i < all->rows; i++)
        at += (size_t)snprintf(text + at, PB_UNCHECKED_TEXT - at, "%s%s in %zu", i ? ", " : "",
                               all->row[i].what, all->row[i].runs);
    if (all->more)
        at += (size_t)snprintf(text + at, PB_UNCHECKED_TEXT - at, ", other things in %zu", all->more);
    if (at)
        snprintf(text + at, PB_UNCHECKED_TEXT - at, " of %zu %s", runs, noun);
    return text;
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
