/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "tdc_table.h"
#include "vusb.h"

#include "phasebench/rig.h"
#include "phasebench/run.h"
#include "phasebench/tdc_session.h"

#include <inttypes.h>
#include <time.h>

#define HITS_MOST 1000000
#define S_PER_H 3600

struct request {
    const char *rig_url, *table_path;
    unsigned hits;
    bool renew;
};

static void print(const struct pb_tdc_table *table)
{
    cli_say("board        %s, bitstream %s", table->board, table->bitstream);
    cli_say("chain        %u taps, tick %.0f ps, oscillator %.0f edges/s", table->taps,
            1e12 / table->clock_hz, table->oscillator_hz);
    for (unsigned rises = 0; rises < 2; rises++) {
        struct pb_tdc_figures figures;
        pb_tdc_figures(&figures, table, rises);
        cli_say("%s        %" PRIu64
                " hits, codes %u to %u, %u empty; bins %.1f ps on average, %.1f ps at most; "
                "single shot %.1f ps rms; edges of bins to %.1f ps; bubbles %.2f %%",
                rises ? "rises" : "falls", figures.hits, figures.first, figures.last, figures.empty,
                figures.mean_ps, figures.widest_ps, figures.rms_ps, figures.edge_sd_ps,
                100 * figures.bubble_share);
    }
}

static int calibrate(const struct request *request, struct pb_device *device, struct pb_diag *diag)
{
    struct pb_tdc_table table;
    int code = pb_tdc_calibrate(&table, device, request->hits, runner_stop_flag(), diag);
    if (!code)
        code = tdc_name_board(table.board, request->rig_url, diag);
    table.made_s = time(NULL);
    if (!code)
        code = pb_tdc_check(&table, diag);
    if (!code && request->table_path)
        code = pb_tdc_write(&table, request->table_path, diag);
    if (!code)
        print(&table);
    return code;
}

static int renew(const struct request *request, struct pb_device *device, struct pb_diag *diag)
{
    struct pb_tdc_watch watch = {.pin = 0};
    int code = tdc_read(&watch.table, request->table_path, request->rig_url, diag);
    if (!code)
        code = pb_tdc_begin(&watch, device, runner_stop_flag(), diag);
    if (code)
        return code;
    print(&watch.table);
    cli_say("renewed      delays are %.4f of those in the table, which is %" PRId64 " h old",
            watch.scale.ratio, ((int64_t)time(NULL) - watch.table.made_s) / S_PER_H);
    return PB_OK;
}

static int use(const struct request *request, const struct source *source)
{
    struct pb_transport *transport;
    struct pb_device *device = NULL;
    struct pb_diag diag;
    struct vusb vusb;
    runner_catch_signals();
    int code = vusb_begin(&vusb, request->rig_url, source->scenario, 0, &diag);
    if (!code) {
        code = pb_rig_open(&transport,
                           &(struct pb_rig_options){.url = vusb.url, .stop = runner_stop_flag()},
                           source->scenario, &diag);
        if (!code)
            code = pb_device_open(&device, transport, &diag);
        if (!code)
            code = request->renew ? renew(request, device, &diag) : calibrate(request, device, &diag);
        pb_device_close(device);
    }
    vusb_end(&vusb);
    return code ? cli_fail(pb_error_exit_code(code), "%s", diag.text) : cli_flush();
}

/* ---- command line */

static const struct cli_option options[] = {
    {"rig", "URL", CLI_RIG, CLI_AT(request, rig_url), .words = CLI_RIG_WORDS " sim:?tdc=typ sim:?tdc=fast",
     .otherwise = TDC_RIG_DEFAULT, .help = CLI_RIG_HELP},
    {"table", "FILE", CLI_FILE, CLI_AT(request, table_path), .help = "write the table there, or read it"},
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
        "what a single edge is then known to. A table belongs to one board and one bitstream.",
    .options = options,
    .exits =
        "0 done, 2 wrong usage, 3 a table that cannot be right or is of another board, 4 the bench failed, "
        "124 no edge came, 130 interrupted",
    .examples = "  phasebench tdc --table bench.json\n"
                "  phasebench tdc --table bench.json --renew --rig 'sim:?tdc_mv=-10'\n",
    .run = cmd_tdc,
};

int cmd_tdc(int argc, char **argv)
{
    struct request request = {.rig_url = TDC_RIG_DEFAULT};
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
