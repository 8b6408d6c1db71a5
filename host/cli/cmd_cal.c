/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cal_file.h"
#include "cli.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "host/metrology/cal/board.h"
#include "host/report/calibration_forms.h"

#include "phasebench/cal_session.h"
#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HZ_DEFAULT_MHZ 10000000 /* of a reference on TDMA_CLK */
#define PPS_MHZ 1000
#define MHZ_PER_HZ 1000
enum { TIMEOUT_BESIDE_S = 600 };

struct request {
    const char *rig_url, *scenario_path, *note, *file, *out;
    enum pb_cal_reference reference;
    uint64_t hz_mhz;       /* 0: not given */
    uint64_t reference_mppb;
    bool reference_given, link_given, seed_given, json;
    unsigned link, timeout_s;
    uint64_t for_s, seed;
};

/* A measurement in progress. */
struct cal {
    const struct request *request;
    struct pb_device *device; /* owned */
    double hz;
    char reference[PB_CALIBRATION_TEXT_SIZE];
};

/* ---- the rig */

/* The scenario of the operand, or one whose controller makes the reference. */
static int make_scenario(struct pb_scenario **out, const struct request *request, double hz)
{
    const struct pb_scenario_overrides overrides = {.seed_given = request->seed_given, .seed = request->seed};
    struct source source;
    struct pb_diag diag;
    if (!request->scenario_path)
        return cli_outcome_of("cal", pb_cal_scenario(out, hz, request->seed_given ? request->seed : 1, &diag),
                              &diag);
    const int exit_code = source_open(&source, request->scenario_path, NULL, &overrides);
    *out = source.scenario;
    source.scenario = NULL;
    source_close(&source);
    return exit_code;
}

/* ---- result */

CLI_FORM_BY(write_file, pb_calibration_write)

static int keep(const char *path, struct pb_calibration *calibration)
{
    struct pb_file_output file;
    int exit_code = output_check_file(&file, path);
    return exit_code == CLI_PASS ? output_form(&file, write_file, calibration) : exit_code;
}

static const struct cli_form forms[] = {{"cal.txt", pb_report_calibration_text},
                                        {"cal.json", pb_report_calibration_json},
                                        {"cal-BOARD-MAPHASH.json", NULL}, /* its name is that of the file */
                                        {.name = NULL}};

/* The calibration once more in the folder of --out, under the name that it has for its board. */
static int keep_in(const char *directory, struct pb_calibration *calibration)
{
    char name[PB_CAL_NAME_SIZE];
    pb_cal_name(name, calibration->board, calibration->map_hash);
    return output_form_in(directory, name, write_file, calibration);
}

static int finish(const struct cal *cal, const struct pb_calibration_fit *fit)
{
    const struct request *request = cal->request;
    const struct pb_device_info *info = pb_device_info(cal->device);
    char path[OUTPUT_PATH_SIZE];
    const time_t now = time(NULL);
    struct tm utc;
    struct pb_calibration calibration = {.map_hash = info->map_hash,
                                         .clock_hz = info->clock_hz,
                                         .offset_ppb = fit->offset_ppb,
                                         .u95_ppb = fmax(fit->u95_ppb, 1e-9),
                                         .span_s = fit->span_s,
                                         .samples = fit->samples};
    pb_cal_board(calibration.board, request->rig_url);
    snprintf(calibration.reference, sizeof calibration.reference, "%s", cal->reference);
    snprintf(calibration.note, sizeof calibration.note, "%s", request->note ? request->note : "");
    if (gmtime_r(&now, &utc))
        strftime(calibration.date_utc, sizeof calibration.date_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
    int exit_code = CLI_PASS;
    if (request->file)
        snprintf(path, sizeof path, "%s", request->file);
    else if ((exit_code = cal_path(path, calibration.board, calibration.map_hash)) == CLI_PASS)
        exit_code = output_make_folder(path);
    if (exit_code == CLI_PASS)
        exit_code = keep(path, &calibration);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (request->out)
        exit_code = keep_in(request->out, &calibration);
    struct pb_calibration_shown shown = {request->reference == PB_CAL_HOST, request->reference_given,
                                         &calibration, fit, path};
    return cli_worse(exit_code, output_forms_end(request->out, forms, &shown, request->json));
}

/* ---- the verb */

static int measure(struct cal *cal, struct pb_calibration_fit *fit, struct pb_diag *diag)
{
    const struct request *request = cal->request;
    const struct pb_cal_options options = {.reference = request->reference,
                                           .hz = cal->hz,
                                           .link = request->link,
                                           .for_s = request->for_s,
                                           .timeout_s = request->timeout_s,
                                           .reference_given = request->reference_given,
                                           .reference_u95_ppb = (double)request->reference_mppb / 1e3,
                                           .stop = runner_stop_flag()};
    return pb_cal_measure(fit, cal->reference, cal->device, &options, diag);
}

static int calibrate(struct cal *cal, const struct pb_scenario *scenario)
{
    struct vusb vusb;
    struct pb_calibration_fit fit;
    struct pb_diag diag = {.text = ""};
    int exit_code = CLI_PASS;
    int code = vusb_open(&vusb, &cal->device, cal->request->rig_url, scenario, &diag);
    const bool reached = !code;
    if (!code)
        code = measure(cal, &fit, &diag);
    if (!code)
        exit_code = finish(cal, &fit);
    pb_device_close(cal->device);
    vusb_end(&vusb);
    /* An invalid reference is no error of a scenario: the measurement is inconclusive. */
    return code ? cli_fail(reached && code == PB_ERR_CONFIG ? CLI_INCONCLUSIVE : pb_error_exit_code(code),
                           "cal: %s", diag.text)
                : exit_code;
}

static int run(const struct request *request)
{
    struct cal cal = {.request = request, .hz = (double)request->hz_mhz / MHZ_PER_HZ};
    struct pb_scenario *scenario = NULL;
    int exit_code = vusb_check_url(request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = make_scenario(&scenario, request, request->reference == PB_CAL_CLOCK ? cal.hz : 10000);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS) {
        runner_catch_signals();
        exit_code = calibrate(&cal, scenario);
    }
    pb_scenario_free(scenario);
    return exit_code;
}

static const struct cli_option options[] = {
    CLI_ROW_RIG(request, rig_url),
    {"reference", "WHAT", CLI_CHOICE, CLI_AT(request, reference), .words = "host clock pps",
     .initial = "host",
     .help = "the clock of this computer; a signal on TDMA_CLK; one on a link, by its falling edges"},
    {"hz", "F", CLI_DECIMAL, CLI_AT(request, hz_mhz), .least = 1, .most = UINT64_C(100000000), .decimals = 3,
     .unit = "Hz", .quantity = PB_QUANTITY_FREQUENCY, .otherwise = "10000 of clock, 1 of pps",
     .help = "rate of the signal"},
    {"link", "N", CLI_COUNT, CLI_AT(request, link), CLI_GIVEN(request, link_given), .most = 63,
     .help = "where the signal of pps is connected"},
    {"reference-ppb", "U", CLI_DECIMAL, CLI_AT(request, reference_mppb), CLI_GIVEN(request, reference_given),
     .most = UINT64_C(10000000000), .decimals = 3, .unit = "ppb", .quantity = PB_QUANTITY_OFFSET,
     .otherwise = "0 of a signal; of the host by its state",
     .help = "U95 of the reference's rate, from its certificate"},
    {"for", "TIME", CLI_SPAN, CLI_AT(request, for_s), .initial = "60s", .help = "how long to measure"},
    {"note", "TEXT", CLI_TEXT, CLI_AT(request, note),
     .help = "kept in the file: the temperature, for example"},
    {"file", "FILE", CLI_FILE, CLI_AT(request, file), .use = CLI_WRITES,
     .otherwise = "$XDG_STATE_HOME/phasebench/cal-BOARD-MAPHASH.json",
     .help = "the calibration, replaced whole"},
    {"seed", "N", CLI_NUMBER, CLI_AT(request, seed), CLI_GIVEN(request, seed_given), .most = UINT64_MAX,
     .otherwise = "1", .help = "jitter of the reference in simulation"},
    CLI_ROW_TIMEOUT(request, timeout_s, "limit of wall time", .otherwise = "600 and three times --for"),
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_cal = {
    .name = "cal",
    .summary = "measure the oscillator of a core against a reference, and keep its offset",
    .usage = "[options] [SCENARIO]",
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .about =
        "Measures by how much the clock of a core differs from a reference, with its uncertainty, and writes "
        "a "
        "calibration file for the board. 'run', 'regress' and 'jitter' then correct absolute rates by it.\n"
        "\n"
        "The core drives no line. In simulation a controller with 100 ns of jitter makes the signal of "
        "--reference clock; SCENARIO is another one, whose controller or node makes it. The core of a "
        "simulated "
        "rig has an error when its URL says so: 'sim:?clock_ppb=12345'. It runs on simulated time, so the "
        "clock of "
        "the host says nothing about it: --reference host is refused there.",
    .options = options,
    .exits = "0 done, 2 wrong usage, 3 wrong scenario, 4 the bench failed or the file cannot be written, 5 "
             "the reference "
             "gives no offset, 124 time limit, 130 interrupted",
    .examples = "  phasebench cal --rig ftdi: --for 10m --note '23 C'\n"
                "  phasebench cal --rig ftdi: --reference pps --link 11 --for 5m\n"
                "  phasebench cal --rig 'sim:?clock_ppb=12345' --reference clock --hz 10000 --for 2s --file "
                "cal.json\n"
                "  phasebench jitter outside-clock --rig 'sim:?clock_ppb=12345' --cal cal.json\n",
    .run = cmd_cal,
};

static int check(struct request *request)
{
    const bool host = request->reference == PB_CAL_HOST, pps = request->reference == PB_CAL_PPS;
    if (pb_rig_target_of(request->rig_url).replays)
        return cli_fail(CLI_USAGE, "cal: a recording has no clock to measure; give a board");
    if (host && pb_rig_target_of(request->rig_url).simulates)
        return cli_fail(
            CLI_USAGE,
            "cal: rig '%.60s' runs on simulated time, which the clock of the host says nothing about; give "
            "--reference clock or pps",
            request->rig_url);
    if (host && request->hz_mhz)
        return cli_fail(
            CLI_USAGE,
            "cal: --hz is of a signal, and the reference is the host; give --reference clock or pps");
    if (pps != request->link_given)
        return cli_fail(CLI_USAGE, "cal: --link %s; give both --reference pps and --link N",
                        pps ? "is missing" : "is of --reference pps");
    if (pps && pb_rig_target_of(request->rig_url).simulates && !request->scenario_path)
        return cli_fail(
            CLI_USAGE,
            "cal: no node of the simulated rig makes the signal of link %u; give a SCENARIO with one that "
            "does, or --reference clock",
            request->link);
    if (!request->hz_mhz)
        request->hz_mhz = pps ? PPS_MHZ : HZ_DEFAULT_MHZ;
    if (!request->timeout_s)
        request->timeout_s = (unsigned)(TIMEOUT_BESIDE_S + 3 * request->for_s);
    return CLI_PASS;
}

int cmd_cal(int argc, char **argv)
{
    struct request request = {.rig_url = "sim:"};
    int exit_code;
    char **const operand = cli_parse(&verb_cal, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    request.scenario_path = operand[0];
    exit_code = check(&request);
    return exit_code == CLI_PASS ? run(&request) : exit_code;
}
