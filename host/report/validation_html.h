/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the page of a validation; the page is in validation_html.c.
 */
#ifndef PB_REPORT_VALIDATION_HTML_H
#define PB_REPORT_VALIDATION_HTML_H

#include "validation_parts.h"

/* How a judgement or a state is shown: class of the style sheet, glyph, word. */
struct pb_shown {
    const char *style, *glyph, *word;
};
struct pb_shown pb_shown_judgement(enum pb_judgement judgement);

/* A value with its unit, as pb_measured; a dash for an absent one. */
void pb_html_quantity(FILE *stream, enum pb_unit unit, int64_t value);
/* "4.9 us to 6 us", or one limit; PB_ABSENT: there is none. */
void pb_html_range(FILE *stream, enum pb_unit unit, int64_t lower, int64_t upper);

/* Whether values of this judgement have the evidence of their run on the page. */
static inline bool pb_html_needs_evidence(enum pb_judgement judgement)
{
    return judgement > PB_JUDGED_PASS;
}
/* Links to the files of a run, or why there are none: a piece of a sentence with its full stop. run "": what
 * was measured had none. */
void pb_html_evidence(FILE *stream, const struct pb_validation *validation, const char *run);
/* What was measured in the runs that the page draws. */
void pb_html_plots(FILE *stream, const struct pb_validation *validation);

/* Tables: the steps; every value in few rows; every value, step by step; the limits file. */
void pb_html_steps(FILE *stream, const struct pb_validation *validation);
void pb_html_glance(FILE *stream, const struct pb_validation *validation);
/* The names of its columns on a narrow screen. */
void pb_html_glance_style(FILE *stream, const struct pb_validation *validation);
void pb_html_values(FILE *stream, const struct pb_validation *validation);
void pb_html_limits(FILE *stream, const struct pb_validation *validation);

/* Figures: each value on the bar of its limits; items x links; value over link. */
void pb_html_bars(FILE *stream, const struct pb_validation *validation);
void pb_html_matrix(FILE *stream, const struct pb_validation *validation);
void pb_html_scatter(FILE *stream, const struct pb_validation *validation);

#endif
