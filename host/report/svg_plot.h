/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plot with two axes as a part of the HTML report: lines, points with bars, and columns of a histogram.
 * Values outside the axes are cut off; a value that is not finite, or not above 0 on a logarithmic axis, is
 * left out.
 */
#ifndef PB_REPORT_SVG_PLOT_H
#define PB_REPORT_SVG_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pb_axis {
    const char *label; /* with the unit */
    double from, to;   /* from < to; above 0 if logarithmic */
    double step;       /* of the ticks, which are its multiples; 0: a suitable one, `from` is its multiple */
    bool logarithmic;
    bool dates; /* in days since 1970-01-01, UTC; not logarithmic */
    const char *const *name; /* of the values 1, 2, ... up to `to`, each of at most 23 bytes; NULL: numbers */
};

struct pb_plot {
    FILE *stream;
    struct pb_axis x, y;
};

/* Widens an axis so that it holds the value; an axis that is all zero holds none yet. */
void pb_axis_hold(struct pb_axis *axis, double value);
/* Rounds both ends to its ticks; makes an axis with one value, or none, wide enough to draw. */
void pb_axis_round(struct pb_axis *axis);

/* title: read by screen readers; plain text. */
void pb_plot_begin(struct pb_plot *plot, const char *title);
void pb_plot_line(struct pb_plot *plot, const char *style, const double *x, const double *y, size_t n);
/* A point, and a bar from low to high. */
void pb_plot_point(struct pb_plot *plot, double x, double y, double low, double high);
/* A small point without a bar, one of many. */
void pb_plot_dot(struct pb_plot *plot, double x, double y);
/* A text over a point, of at most a few characters. */
void pb_plot_sign(struct pb_plot *plot, const char *style, double x, double y, const char *text);
/* A column from the x axis. */
void pb_plot_column(struct pb_plot *plot, double from, double to, double height);
void pb_plot_end(struct pb_plot *plot);

#endif
