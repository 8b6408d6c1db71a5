/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Comparison of two results, A and B, by their measurements. docs/reference/measurements.md describes it.
 */
#ifndef PHASEBENCH_COMPARE_H
#define PHASEBENCH_COMPARE_H

#include "phasebench/api.h"
#include "phasebench/report.h"

PB_API_BEGIN

/* Change of the mean or of the margin of a figure that both results have. */
struct pb_change {
    const struct pb_measurement *a, *b; /* borrowed */
    bool of_margin;
    double change, u95; /* B minus A and its U95, in the unit of the figure */
    bool significant;   /* |change| > u95 */
    bool worse;         /* a margin that is significantly smaller */
};

struct pb_comparison {
    const struct pb_result *a, *b; /* borrowed */
    struct pb_change *change;      /* owned; in the order of A */
    size_t changes, significant, worse;
    size_t common, only_a, only_b; /* measurements */
    size_t judgements_worse;       /* of measurements */
    bool verdict_worse;            /* of the run: pass, marginal, inconclusive, fail */
    bool settings_differ;
};

/* Two results, or two lists of results paired by scenario: the nth run of a scenario with its nth run. */
struct pb_compare_set {
    struct pb_comparison *pair; /* owned */
    size_t pairs;
    const struct pb_result **only_a, **only_b; /* owned lists of borrowed results */
    size_t only_as, only_bs;
};

/* Pairs and compares; two single results are compared even if their scenarios differ. Returns 0 or
 * PB_ERR_MEMORY. Release with pb_compare_free, also on failure, and before the results. */
int pb_compare(struct pb_compare_set *set, struct pb_result *const *a, size_t as, struct pb_result *const *b,
               size_t bs);
void pb_compare_free(struct pb_compare_set *set);
/* True if a margin is significantly smaller, or a verdict or judgement worse. */
bool pb_compare_is_worse(const struct pb_compare_set *set);

/* Entry of `result` with the figure and link of `measurement`; NULL: none. */
const struct pb_measurement *pb_compare_twin(const struct pb_result *result,
                                             const struct pb_measurement *measurement);
bool pb_judgement_is_worse(enum pb_judgement before, enum pb_judgement after);

/* One setting that differs; a and b are its values as JSON text. */
typedef void pb_compare_setting_fn(void *context, const char *key, const char *a, const char *b);
/* Calls visit for each setting that differs. Returns 0 or PB_ERR_MEMORY. */
int pb_compare_settings(const struct pb_result *a, const struct pb_result *b, pb_compare_setting_fn *visit,
                        void *context);

/* Write a comparison. Return 0, PB_ERR_IO or PB_ERR_MEMORY. all: every row of a long table, not only the
 * significant rows. */
int pb_compare_text(FILE *stream, const struct pb_compare_set *set, bool all,
                    const struct pb_report_style *style);
int pb_compare_json(FILE *stream, const struct pb_compare_set *set);

PB_API_END

#endif
