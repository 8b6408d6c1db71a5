/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "jitter_from.h"
#include "cli.h"
#include "output.h"

#include "phasebench/report.h"
#include "phasebench/stamps.h"

#include <stdio.h>
#include <stdlib.h>

#define LIMIT_BYTES ((size_t)1 << 30)

static int write_json(FILE *stream, void *jitter)
{
    return pb_report_jitter_json(stream, jitter, NULL);
}

static int write_page(FILE *stream, void *jitter)
{
    return pb_report_jitter_html(stream, jitter, NULL);
}

static int report(const struct jitter_from *from, struct pb_jitter *jitter)
{
    const struct pb_report_style style = output_style();
    int exit_code = CLI_PASS;
    if (from->out) {
        exit_code = output_form_in(from->out, OUTPUT_JITTER_JSON, write_json, jitter);
        exit_code = cli_worse(exit_code, output_form_in(from->out, OUTPUT_JITTER_PAGE, write_page, jitter));
    }
    if (from->json)
        return cli_worse(exit_code, output_end(pb_report_jitter_json(stdout, jitter, NULL)));
    const int printed = output_end(pb_report_jitter_text(stdout, jitter, &style));
    if (exit_code == CLI_PASS && printed == CLI_PASS && from->out)
        cli_say("page         %s/" OUTPUT_JITTER_PAGE, from->out);
    return cli_worse(cli_worse(exit_code, printed), cli_flush());
}

static int read_stamps(struct pb_stamps *stamps, const struct jitter_from *from)
{
    static const double unit_ps[] = {0, 1e12, 1e9, 1e6, 1e3, 1};
    const struct pb_stamps_choice choice = {.channel = from->channel,
                                            .unit_ps = unit_ps[from->unit],
                                            .step_ps = (double)from->resolution_ps,
                                            .falls = from->edge == JITTER_EDGE_FALL};
    struct pb_diag diag;
    char *text;
    size_t length;
    const int exit_code = cli_read_file(from->path, LIMIT_BYTES, &text, &length);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_stamps_read(stamps, from->path, text, length, &choice, &diag);
    free(text);
    return cli_outcome(code, &diag);
}

int jitter_from(const struct jitter_from *from)
{
    struct pb_stamps stamps;
    struct pb_jitter *jitter;
    struct pb_diag diag;
    int exit_code = read_stamps(&stamps, from);
    if (exit_code != CLI_PASS)
        return exit_code;
    const int code = pb_jitter_of_stamps(&jitter, &stamps, from->path, from->phases, (double)from->period_ps,
                                         from->reference, &diag);
    pb_stamps_free(&stamps);
    if (code)
        return cli_outcome(code, &diag);
    if (from->out)
        exit_code = output_prepare(from->out);
    if (exit_code == CLI_PASS)
        exit_code = report(from, jitter);
    pb_jitter_free(jitter);
    return exit_code;
}
