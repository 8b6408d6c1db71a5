/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "calibration_forms.h"

#include "host/base/form.h"

#include <inttypes.h>

int pb_report_calibration_json(FILE *out, void *context)
{
    const struct pb_calibration_shown *shown = context;
    const struct pb_calibration *calibration = shown->calibration;
    const struct pb_calibration_fit *fit = shown->fit;
    json_t *rows = json_pack("{s:f, s:f, s:f, s:f}", "scatter", fit->scatter_ppb, "step", fit->step_ppb,
                             "path", fit->path_ppb, "reference", fit->reference_ppb);
    json_t *object = json_pack(
        "{s:o, s:o, s:f, s:f, s:o, s:f, s:I, s:I, s:f, s:o, s:o, s:o}", "board",
        pb_form_text(calibration->board), "reference", pb_form_text(calibration->reference), "offset_ppb",
        calibration->offset_ppb, "u95_ppb", calibration->u95_ppb, "u95_rows_ppb", rows, "span_s", fit->span_s,
        "samples", (json_int_t)fit->samples, "missing", (json_int_t)fit->missing, "residual_ps",
        fit->residual_ps, "least_ppb", fit->enveloped ? json_real(fit->least_ppb) : json_null(), "most_ppb",
        fit->enveloped ? json_real(fit->most_ppb) : json_null(), "file", pb_form_text(shown->path));
    return pb_form_json(out, object);
}

int pb_report_calibration_text(FILE *out, void *context)
{
    const struct pb_calibration_shown *shown = context;
    const struct pb_calibration *calibration = shown->calibration;
    const struct pb_calibration_fit *fit = shown->fit;
    const bool host = shown->host;
    pb_form_line(out, "board        %s, map hash 0x%08X, %" PRIu32 " Hz", calibration->board,
                 calibration->map_hash, calibration->clock_hz);
    pb_form_line(out, "reference    %s; %zu %s in %.3f s, %zu missing", calibration->reference, fit->samples,
                 host ? "reads" : "edges", fit->span_s, fit->missing);
    pb_form_line(out, "offset       %+.3f ppb, U95 %.3f ppb, a fast core above 0", fit->offset_ppb,
                 fit->u95_ppb);
    pb_form_line(out, "  scatter    %.3f ppb; %.3f ns about the straight line", fit->scatter_ppb,
                 fit->residual_ps / 1e3);
    if (!host)
        pb_form_line(out, "  step       %.3f ppb; %s", fit->step_ppb,
                     fit->step_ppb > 0 ? "the edges stand still within a step of the stamps"
                                       : "the edges sweep it");
    else
        pb_form_line(out, "  path       %.3f ppb; without it, from %+.3f to %+.3f ppb fit all reads",
                     fit->path_ppb, fit->least_ppb, fit->most_ppb);
    pb_form_line(out, "  reference  %.3f ppb; %s", fit->reference_ppb,
                 shown->reference_given ? "as given"
                 : host                 ? "assumed, docs/use/cal.md"
                                        : "taken as exact");
    pb_form_line(out, "file         %s", shown->path);
    return 0;
}
