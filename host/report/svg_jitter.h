/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plots of jitter, for the page of a jitter run and for that of a validation. Each writes its heading and n.
 * If there are too few values, or all are equal, it writes this and draws nothing. Private to host/report.
 */
#ifndef PB_REPORT_SVG_JITTER_H
#define PB_REPORT_SVG_JITTER_H

#include "phasebench/jitter.h"

#include <stdio.h>

#define PB_SVG_JITTER_LEAST 20 /* values of a plot */

/* ---- svg_jitter.c */

/* Time interval error of TDMA_CLK over time. */
void pb_svg_trend(FILE *stream, const struct pb_jitter *jitter);
/* Rate of each part of the run; the line through it if the rate drifts. */
void pb_svg_rate(FILE *stream, const struct pb_jitter *jitter);
/* Allan deviations, TDEV and MTIE of TDMA_CLK. */
void pb_svg_stability(FILE *stream, const struct pb_jitter *jitter);
/* Time deviation of the starts on each link; nothing if no start is out of its place. */
void pb_svg_starts(FILE *stream, const struct pb_jitter *jitter);
void pb_svg_histogram(FILE *stream, const struct pb_jitter_row *row);
/* Bit time of each frame over time, all links in one plot. Limits in ppm; NAN: none. */
void pb_svg_bit_times(FILE *stream, const struct pb_jitter *jitter, double lower_ppm, double upper_ppm);

/* ---- svg_bathtub.c */

/* What a bathtub shows, in a paragraph. */
void pb_svg_bathtub_text(FILE *stream);
/* The bathtub of the response on a link; -1: of all links in one plot, with the window common to all. */
void pb_svg_bathtub(FILE *stream, const struct pb_jitter *jitter, int link);

#endif
