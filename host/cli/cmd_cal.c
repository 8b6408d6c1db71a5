/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every reference gives instants of the core against instants of its own. The offset between them is
 * computed by host/metrology/cal/fit.c.
 */
#define _GNU_SOURCE /* adjtimex, CLOCK_MONOTONIC_RAW */
#include "cal_file.h"
#include "cli.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/calibration.h"
#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#define HZ_DEFAULT_MHZ 10000000 /* of a reference on TDMA_CLK */
#define PPS_MHZ 1000
#define MHZ_PER_HZ 1000
#define SAMPLES_MAX (UINT64_C(1) << 22)
enum {
    POLL_MS = 20,
    SILENT_S = 3,       /* without an edge, and at least 3 periods */
    READ_EVERY_NS = 5000000,
    TIMEOUT_BESIDE_S = 600,
    BAUD_LEAST_KBAUD = 1000,
    BITS_OF_A_PHASE = 60 /* a frame of 4 bytes and the guard fit into any phase */
};
/* Of the host's clock, as U95. An oscillator of a computer is within 100 ppm; one that NTP steers, within
 * 1 ppm. */
#define FREE_PPB 100000.0
#define STEERED_PPB 1000.0

enum reference { HOST, CLOCK, PPS };

struct request {
    const char *rig_url, *scenario_path, *note, *file, *out;
    enum reference reference;
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
    int64_t deadline_ns;
    double hz;
    double *tick; /* owned; edges */
    struct pb_calibration_host_read *read; /* owned */
    size_t count, capacity;
    bool half_ticks; /* every edge reported its half */
    bool steered;    /* the host's clock */
    char reference[PB_CALIBRATION_TEXT_SIZE];
};

/* ---- the rig */

/* In simulation a controller makes the reference, with jitter as any real one has: it sweeps the step of the
 * stamps. */
static int make_scenario(struct pb_scenario **out, const struct request *request, double hz,
                         struct pb_diag *diag)
{
    char text[300];
    if (request->scenario_path) {
        struct source source;
        const struct pb_scenario_overrides overrides = {.seed_given = request->seed_given,
                                                        .seed = request->seed};
        const int exit_code = source_open(&source, request->scenario_path, NULL, &overrides);
        *out = source.scenario;
        source.scenario = NULL;
        source_close(&source);
        if (exit_code != CLI_PASS)
            return exit_code;
        return CLI_PASS;
    }
    /* A frame of the least size; no side sends it. */
    snprintf(text, sizeof text,
             "cube: {dims: 1}\nlink: {phase_rate: %.3f Hz, baud: %.0f kbaud, payload: 1 byte, guard: 2 us}\n"
             "clock: {source: external, jitter: 100 ns}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: "
             "1}]\nseed: "
             "%" PRIu64 "\n",
             hz, fmax(BAUD_LEAST_KBAUD, ceil(hz * BITS_OF_A_PHASE / 1000)),
             request->seed_given ? request->seed : 1);
    const int code = pb_scenario_parse(out, "cal", text, strlen(text), diag);
    return code ? cli_fail(pb_error_exit_code(code), "cal: %s", diag->text) : CLI_PASS;
}

static int write_mask(struct pb_device *device, unsigned link, struct pb_diag *diag)
{
    const int code =
        pb_device_write(device, PB_REG_EDGE_MASK0, link < 32 ? UINT32_C(1) << link : 0, diag);
    return code
               ? code
               : pb_device_write(device, PB_REG_EDGE_MASK1, link < 32 ? 0 : UINT32_C(1) << (link - 32), diag);
}

/* With FOLLOW, so that the core never drives the clock pins. */
static int start(struct cal *cal, struct pb_diag *diag)
{
    const unsigned links = pb_device_info(cal->device)->links;
    if (cal->request->reference == PPS && cal->request->link >= links)
        return pb_fail(diag, PB_ERR_ARGUMENT, "--link is %u; the core has links 0 to %u", cal->request->link,
                       links - 1);
    int code = PB_OK;
    if (cal->request->reference == PPS)
        code = write_mask(cal->device, cal->request->link, diag);
    if (!code)
        code = pb_device_write(
            cal->device, PB_REG_CTRL,
            PB_CTRL_CAPTURE_MASK << PB_CTRL_CAPTURE_LSB | PB_CTRL_FOLLOW_MASK << PB_CTRL_FOLLOW_LSB, diag);
    return code;
}

/* ---- edges */

static int grow(void **list, struct cal *cal, size_t size, struct pb_diag *diag)
{
    if (cal->count < cal->capacity)
        return PB_OK;
    const size_t capacity = cal->capacity ? 2 * cal->capacity : 4096;
    void *grown = capacity > SAMPLES_MAX ? NULL : realloc(*list, capacity * size);
    if (!grown)
        return pb_fail(diag, PB_ERR_MEMORY,
                       "no memory for more than %zu instants; measure --for a shorter time", cal->count);
    *list = grown;
    cal->capacity = capacity;
    return PB_OK;
}

static bool is_edge(const struct cal *cal, const struct pb_event *event)
{
    if (cal->request->reference == CLOCK)
        return event->kind == PB_EVENT_TDMA;
    /* A line that is open drain falls steeply, and rises slowly. */
    return event->kind == PB_EVENT_EDGE && event->link == cal->request->link && !pb_event_high(event);
}

static int add_edge(struct cal *cal, const struct pb_event *event, struct pb_diag *diag)
{
    void *list = cal->tick;
    const int code = grow(&list, cal, sizeof *cal->tick, diag);
    cal->tick = list;
    if (code)
        return code;
    const unsigned half = pb_event_half(event);
    cal->half_ticks &= half != PB_HALF_UNKNOWN;
    cal->tick[cal->count++] = (double)event->tick + (half == PB_HALF_SECOND ? 0.5 : 0);
    return PB_OK;
}

static int check_end(const struct cal *cal, struct pb_diag *diag)
{
    if (runner_stopped())
        return pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted; nothing was written");
    if (cli_now_ns() > cal->deadline_ns)
        return pb_fail(diag, PB_ERR_TIMEOUT,
                       "the measurement took longer than the limit of %u s; raise --timeout",
                       cal->request->timeout_s);
    return PB_OK;
}

static int collect_edges(struct cal *cal, struct pb_diag *diag)
{
    const double clock_hz = pb_device_info(cal->device)->clock_hz,
                 wanted = (double)cal->request->for_s * clock_hz,
                 silent = clock_hz * fmax(SILENT_S, 3 / cal->hz);
    double first = -1, last = 0, polled = 0;
    struct pb_events events = {.event = NULL};
    int code = PB_OK;
    cal->half_ticks = true;
    for (bool more = true; !code && more;) {
        const int got = pb_device_poll(cal->device, POLL_MS, &events, diag);
        code = got < 0 ? got : check_end(cal, diag);
        polled = got ? 0 : polled + POLL_MS * clock_hz / 1000;
        double now = last;
        for (size_t i = 0; i < events.count && !code; i++) {
            now = (double)events.event[i].tick;
            if (first < 0)
                first = last = now;
            if (!is_edge(cal, &events.event[i]))
                continue;
            code = add_edge(cal, &events.event[i], diag);
            if (cal->count == 1)
                first = now;
            last = now;
        }
        events.count = 0;
        more = (cal->count ? last - first : 0) < wanted && now - last + polled < silent;
    }
    pb_events_free(&events);
    return code;
}

static int measure_edges(struct cal *cal, struct pb_calibration_fit *fit, struct pb_diag *diag)
{
    int code = start(cal, diag);
    if (!code)
        code = collect_edges(cal, diag);
    if (code)
        return code;
    if (cal->request->reference == PPS)
        snprintf(cal->reference, sizeof cal->reference, "falling edges of link %u, %g Hz", cal->request->link,
                 cal->hz);
    else
        snprintf(cal->reference, sizeof cal->reference, "TDMA_CLK, %g Hz", cal->hz);
    const struct pb_calibration_edges edges = {.tick = cal->tick,
                                               .count = cal->count,
                                               .hz = cal->hz,
                                               .step_ticks = cal->half_ticks ? 0.5 : 1,
                                               .reference_u95_ppb =
                                                   (double)cal->request->reference_mppb / 1e3,
                                               .clock_hz = pb_device_info(cal->device)->clock_hz};
    return pb_calibration_fit_edges(fit, &edges, diag);
}

/* ---- the host's clock */

static int64_t now_ns(const struct cal *cal)
{
    struct timespec now;
    clock_gettime(cal->steered ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The counter has 32 bits and is read more often than it wraps. */
static int take_read(struct cal *cal, uint64_t *tick, struct pb_diag *diag)
{
    uint32_t stamp;
    void *list = cal->read;
    int code = grow(&list, cal, sizeof *cal->read, diag);
    cal->read = list;
    if (code)
        return code;
    const int64_t before_ns = now_ns(cal);
    code = pb_device_read(cal->device, PB_REG_STAMP, &stamp, diag);
    const int64_t after_ns = now_ns(cal);
    if (code)
        return code;
    *tick += (uint32_t)(stamp - (uint32_t)*tick);
    cal->read[cal->count++] =
        (struct pb_calibration_host_read){.before_ns = before_ns, .after_ns = after_ns, .tick = *tick};
    return PB_OK;
}

static int measure_reads(struct cal *cal, struct pb_calibration_fit *fit, struct pb_diag *diag)
{
    struct timex state = {.modes = 0};
    uint64_t tick = 0;
    const int answer = adjtimex(&state);
    cal->steered = answer >= 0 && answer != TIME_ERROR && !(state.status & STA_UNSYNC);
    const int64_t end_ns = now_ns(cal) + (int64_t)cal->request->for_s * INT64_C(1000000000);
    int code = PB_OK;
    while (!code && now_ns(cal) < end_ns) {
        const struct timespec pause = {.tv_nsec = READ_EVERY_NS};
        code = take_read(cal, &tick, diag);
        code = code ? code : check_end(cal, diag);
        nanosleep(&pause, NULL);
    }
    if (code)
        return code;
    snprintf(cal->reference, sizeof cal->reference, "clock of the host, %s",
             cal->steered ? "disciplined (NTP)" : "not disciplined: its own oscillator");
    const struct pb_calibration_reads reads = {
        .read = cal->read,
        .count = cal->count,
        .reference_u95_ppb = cal->request->reference_given ? (double)cal->request->reference_mppb / 1e3
                             : cal->steered                ? STEERED_PPB
                                                           : FREE_PPB,
        .clock_hz = pb_device_info(cal->device)->clock_hz};
    code = pb_calibration_fit_reads(fit, &reads, diag);
    if (!code && !fit->enveloped)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "no constant rate fits all reads: the host's clock was set, or one of both changed its rate; "
            "measure again");
    return code;
}

/* ---- result */

static int write_file(FILE *stream, void *context)
{
    return pb_calibration_write(stream, context);
}

static int keep(const char *path, struct pb_calibration *calibration)
{
    struct output_file file;
    int exit_code = output_check_file(&file, path);
    return exit_code == CLI_PASS ? output_form(&file, write_file, calibration) : exit_code;
}

struct shown {
    const struct request *request;
    const struct pb_calibration *calibration;
    const struct pb_calibration_fit *fit;
    const char *path; /* of the calibration */
};

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_calibration *calibration = shown->calibration;
    const struct pb_calibration_fit *fit = shown->fit;
    json_t *rows = json_pack("{s:f, s:f, s:f, s:f}", "scatter", fit->scatter_ppb, "step", fit->step_ppb,
                             "path", fit->path_ppb, "reference", fit->reference_ppb);
    json_t *object = json_pack(
        "{s:o, s:o, s:f, s:f, s:o, s:f, s:I, s:I, s:f, s:o, s:o, s:o}", "board",
        cli_json_text(calibration->board), "reference", cli_json_text(calibration->reference), "offset_ppb",
        calibration->offset_ppb, "u95_ppb", calibration->u95_ppb, "u95_rows_ppb", rows, "span_s", fit->span_s,
        "samples", (json_int_t)fit->samples, "missing", (json_int_t)fit->missing, "residual_ps",
        fit->residual_ps, "least_ppb", fit->enveloped ? json_real(fit->least_ppb) : json_null(), "most_ppb",
        fit->enveloped ? json_real(fit->most_ppb) : json_null(), "file", cli_json_text(shown->path));
    return cli_write_json(out, object);
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_calibration *calibration = shown->calibration;
    const struct pb_calibration_fit *fit = shown->fit;
    const bool host = shown->request->reference == HOST;
    cli_say_to(out, "board        %s, map hash 0x%08X, %" PRIu32 " Hz", calibration->board,
               calibration->map_hash, calibration->clock_hz);
    cli_say_to(out, "reference    %s; %zu %s in %.3f s, %zu missing", calibration->reference, fit->samples,
               host ? "reads" : "edges", fit->span_s, fit->missing);
    cli_say_to(out, "offset       %+.3f ppb, U95 %.3f ppb, a fast core above 0", fit->offset_ppb,
               fit->u95_ppb);
    cli_say_to(out, "  scatter    %.3f ppb; %.3f ns about the straight line", fit->scatter_ppb,
               fit->residual_ps / 1e3);
    if (!host)
        cli_say_to(out, "  step       %.3f ppb; %s", fit->step_ppb,
                   fit->step_ppb > 0 ? "the edges stand still within a step of the stamps"
                                     : "the edges sweep it");
    else
        cli_say_to(out, "  path       %.3f ppb; without it, from %+.3f to %+.3f ppb fit all reads",
                   fit->path_ppb, fit->least_ppb, fit->most_ppb);
    cli_say_to(out, "  reference  %.3f ppb; %s", fit->reference_ppb,
               shown->request->reference_given ? "as given"
               : host                          ? "assumed, docs/use/cal.md"
                                               : "taken as exact");
    cli_say_to(out, "file         %s", shown->path);
    return 0;
}

enum { TEXT, JSON };
static const struct cli_form forms[] = {{"cal.txt", write_text},
                                        {"cal.json", write_json},
                                        {"cal-BOARD-MAPHASH.json", NULL}, /* its name is that of the file */
                                        {.name = NULL}};

/* The calibration once more in the folder of --out, under the name that it has for its board. */
static int keep_in(const char *directory, struct pb_calibration *calibration)
{
    char name[CAL_NAME_SIZE];
    cal_name(name, calibration->board, calibration->map_hash);
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
    cal_board(calibration.board, request->rig_url);
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
    struct shown shown = {request, &calibration, fit, path};
    return cli_worse(exit_code,
                     output_forms_end(request->out, forms, &shown, request->json ? JSON : TEXT));
}

/* ---- the verb */

static int calibrate(struct cal *cal, const struct pb_scenario *scenario)
{
    struct vusb vusb;
    struct pb_transport *transport;
    struct pb_calibration_fit fit;
    struct pb_diag diag = {.text = ""};
    int exit_code = CLI_PASS;
    int code = vusb_begin(&vusb, cal->request->rig_url, scenario, 0, &diag);
    const struct pb_rig_options options = {.url = vusb.url, .stop = runner_stop_flag()};
    if (!code)
        code = pb_rig_open(&transport, &options, scenario, &diag);
    if (!code)
        code = pb_device_open(&cal->device, transport, &diag);
    const bool reached = !code;
    if (!code)
        code = cal->request->reference == HOST ? measure_reads(cal, &fit, &diag)
                                               : measure_edges(cal, &fit, &diag);
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
    struct cal cal = {.request = request,
                      .hz = (double)request->hz_mhz / MHZ_PER_HZ,
                      .deadline_ns = cli_now_ns() + (int64_t)request->timeout_s * INT64_C(1000000000)};
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag;
    int exit_code = vusb_check_url(request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = make_scenario(&scenario, request, request->reference == CLOCK ? cal.hz : 10000, &diag);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request->out, forms);
    if (exit_code == CLI_PASS) {
        runner_catch_signals();
        exit_code = calibrate(&cal, scenario);
    }
    pb_scenario_free(scenario);
    free(cal.tick);
    free(cal.read);
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
    const bool host = request->reference == HOST, pps = request->reference == PPS;
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
