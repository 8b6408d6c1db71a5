/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Wrapped and coloured text for a terminal; replaces the control characters of untrusted text.
 */
#ifndef PB_REPORT_TERMINAL_H
#define PB_REPORT_TERMINAL_H

#include "phasebench/report.h"

#define PB_TERMINAL_LABEL 13 /* columns of the labels at the left; the longest is INCONCLUSIVE */

enum pb_ink {
    PB_INK_PLAIN,
    PB_INK_BOLD,
    PB_INK_DIM,
    PB_INK_GREEN,
    PB_INK_YELLOW,
    PB_INK_RED,
    PB_INK_MAGENTA
};

struct pb_terminal {
    FILE *stream;
    unsigned columns; /* at least 40 */
    bool colour;
};

void pb_terminal_open(struct pb_terminal *terminal, FILE *stream, const struct pb_report_style *style);
void pb_terminal_ink(struct pb_terminal *terminal, enum pb_ink ink);

/* Writes a paragraph after `label`, wrapped at words and indented by PB_TERMINAL_LABEL. */
void pb_terminal_field(struct pb_terminal *terminal, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* pb_terminal_field with a coloured label. */
void pb_terminal_headline(struct pb_terminal *terminal, enum pb_ink ink, const char *label, const char *text);

/* Writes the words of a text from here, the column `indent`, and wraps them to it; ends the line. */
void pb_terminal_words(struct pb_terminal *terminal, unsigned indent, const char *text);

/* Writes one line, never wrapped, so that it can be copied. */
void pb_terminal_line(struct pb_terminal *terminal, const char *text);

/* Writes the injected faults, if any. */
void pb_terminal_faults(struct pb_terminal *terminal, const struct pb_result *result);

/* Writes the phase x link picture of pb_superframe_to_show; nothing if the cube has more than 12 dimensions,
 * no line was active, or the terminal is too narrow. */
void pb_terminal_timeline(struct pb_terminal *terminal, const struct pb_result *result);

#endif
