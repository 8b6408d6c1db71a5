/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/rig.h"
#include "phasebench/run.h"
#include "phasebench/tdc_session.h"

#include <inttypes.h>
#include <time.h>

#define HITS_MOST 1000000
#define S_PER_H 3600

struct request {
    const char *rig_url, *table_path, *out;
    unsigned hits;
    bool renew;
};

struct shown {
    const struct request *request;
    struct pb_tdc_table table;
    double ratio;  /* of --renew: of the delays to those of the table, */
    int64_t age_h; /* which is so old */
};

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_tdc_table *table = &shown->table;
    pb_form_line(out, "board        %s, bitstream %s", table->board, table->bitstream);
    pb_form_line(out, "chain        %u taps, tick %.0f ps, oscillator %.0f edges/s", table->taps,
                 1e12 / table->clock_hz, table->oscillator_hz);
    for (unsigned rises = 0; rises < 2; rises++) {
        struct pb_tdc_figures figures;
        pb_tdc_figures(&figures, table, rises);
        pb_form_line(out, "%s        %" PRIu64
                     " hits, codes %u to %u, %u empty; bins %.1f ps on average, %.1f ps at most; "
                     "single shot %.1f ps rms; edges of bins to %.1f ps; bubbles %.2f %%",
                     rises ? "rises" : "falls", figures.hits, figures.first, figures.last, figures.empty,
                     figures.mean_ps, figures.widest_ps, figures.rms_ps, figures.edge_sd_ps,
                     100 * figures.bubble_share);
    }
    if (shown->request->renew)
        pb_form_line(out, "renewed      delays are %.4f of those in the table, which is %" PRId64 " h old",
                     shown->ratio, shown->age_h);
    return 0;
}

/* The table comes first: --renew, which may be of it, writes the text alone. */
enum { TABLE, TEXT };
static const struct cli_form forms[] = {{"tdc.json", NULL}, {"tdc.txt", write_text}, {.name = NULL}};

/* The table in the folder of --out, and the text. */
static int write_all(struct shown *shown)
{
    const struct request *request = shown->request;
    char path[OUTPUT_PATH_SIZE];
    struct pb_diag diag;
    int exit_code = CLI_PASS;
    if (request->out && !request->renew) {
        if (!output_path(path, request->out, forms[TABLE].name))
            exit_code = CLI_BENCH_FAILED;
        else if (pb_tdc_write(&shown->table, path, &diag))
            exit_code = cli_fail(CLI_BENCH_FAILED, "%s", diag.text);
    }
    return cli_worse(exit_code, output_forms_end(request->out, forms + TEXT, shown, 0));
}

static int calibrate(struct shown *shown, struct pb_device *device, struct pb_diag *diag)
{
    const struct request *request = shown->request;
    struct pb_tdc_table *table = &shown->table;
    int code = pb_tdc_calibrate(table, device, request->hits, runner_stop_flag(), diag);
    if (!code)
        code = pb_tdc_name_board(table->board, request->rig_url, diag);
    table->made_s = time(NULL);
    if (!code)
        code = pb_tdc_check(table, diag);
    return code || !request->table_path ? code : pb_tdc_write(table, request->table_path, diag);
}

static int renew(struct shown *shown, struct pb_device *device, struct pb_diag *diag)
{
    const struct request *request = shown->request;
    struct pb_tdc_watch watch = {.pin = 0};
    int code = pb_tdc_read_of_rig(&watch.table, request->table_path, request->rig_url, diag);
    if (!code)
        code = pb_tdc_begin(&watch, device, runner_stop_flag(), diag);
    shown->table = watch.table;
    shown->ratio = watch.scale.ratio;
    const int64_t age_s = (int64_t)time(NULL) - watch.table.made_s;
    shown->age_h = age_s > 0 ? age_s / S_PER_H : 0; /* clocks of two computers differ */
    return code;
}

static int use(const struct request *request, const struct source *source)
{
    struct pb_device *device;
    struct shown shown = {.request = request};
    struct pb_diag diag;
    struct vusb vusb;
    const struct cli_form *const written = request->renew ? forms + TEXT : forms;
    const int exit_code = output_forms_begin(request->out, written);
    if (exit_code != CLI_PASS)
        return exit_code;
    runner_catch_signals();
    int code = vusb_open(&vusb, &device, request->rig_url, source->scenario, &diag);
    if (!code)
        code = request->renew ? renew(&shown, device, &diag) : calibrate(&shown, device, &diag);
    pb_device_close(device);
    vusb_end(&vusb);
    return code ? cli_outcome(code, &diag) : write_all(&shown);
}

/* ---- command line */

static const struct cli_option options[] = {
    {"rig", "URL", CLI_RIG, CLI_AT(request, rig_url), .words = CLI_RIG_WORDS " sim:?tdc=typ sim:?tdc=fast",
     .otherwise = CLI_RIG_TDC, .help = CLI_RIG_HELP},
    {"table", "FILE", CLI_FILE, CLI_AT(request, table_path), .use = CLI_WRITES,
     .help = "write the table there, or read it"},
    CLI_ROW_OUT(request, out, forms),
    {"hits", "N", CLI_COUNT, CLI_AT(request, hits), .least = PB_TDC_HITS_MIN, .most = HITS_MOST,
     .initial = "100000", .help = "rises to count, and as many falls"},
    {"renew", NULL, CLI_FLAG, CLI_AT(request, renew),
     .help = "measure the rate of the oscillator alone, and how far the delays are from those in the table"},
    {.name = NULL},
};

const struct cli_verb verb_tdc = {
    .name = "tdc",
    .summary = "calibrate the time-to-digital converter of a core",
    .usage = "[options]",
    .about =
        "Counts how often edges of an oscillator that is not locked to the clock have each code, and prints "
        "what a single edge is then known to. A table is that of one board and one bitstream.",
    .options = options,
    .spared = "tdc.json",
    .exits =
        "0 done, 2 wrong usage, 3 a table that cannot be right or is of another board, bitstream or clock, "
        "4 the bench failed, "
        "124 no edge came, 130 interrupted",
    .examples = "  phasebench tdc --table bench.json\n"
                "  phasebench tdc --table bench.json --renew --rig 'sim:?tdc_mv=-10'\n",
    .run = cmd_tdc,
};

int cmd_tdc(int argc, char **argv)
{
    struct request request = {.rig_url = CLI_RIG_TDC};
    struct source source;
    int exit_code;
    if (!cli_parse(&verb_tdc, &request, argc, argv, &exit_code))
        return exit_code;
    if (request.renew && !request.table_path)
        return cli_fail(CLI_USAGE, "--renew needs the table that it renews; give --table FILE");
    exit_code = vusb_check_url(request.rig_url);
    if (exit_code == CLI_PASS)
        exit_code = source_open_demo(&source, request.rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = use(&request, &source);
    source_close(&source);
    return exit_code;
}
