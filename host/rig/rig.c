/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/urb.h"
#include "host/rig/core_clock.h"
#include "host/rig/node_state.h"
#include "host/rig/query.h"
#include "host/rig/rig_ftdi.h"
#include "host/rig/rig_noise.h"
#include "host/rig/rig_sim.h"
#include "host/rig/rig_tty.h"
#include "host/rig/socket.h"
#include "phasebench/record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define RATE_MAX 0.25 /* four kinds of damage share one draw */
#define BAUD_MIN 47059
#define BAUD_MAX 12000000
#define BURST_MAX 65536
#define CLOCK_PPB_MAX 1000000
#define TDC_MV_MOST 100
#define TDC_C_LEAST (-40)
#define TDC_C_MOST 100
#define CORE_CLOCKS_PER_BYTE 2 /* rtl/core/pb_packet_tx.v, on any port */

enum option {
    PORT,
    BAUD,
    CLOCK,
    CLOCK_PPB,
    IDLE,
    NOISE,
    NOISE_IN,
    NOISE_OUT,
    NOISE_BURST,
    NOISE_SEED,
    TDC,
    TDC_MV,
    TDC_C,
    OPTIONS
};
static const char *const option_name[OPTIONS] = {
    "port",      "baud",        "clock",      "clock_ppb", "idle",   "noise", "noise_in",
    "noise_out", "noise_burst", "noise_seed", "tdc",       "tdc_mv", "tdc_c"};

_Static_assert(OPTIONS <= PB_QUERY_MAX, "a query has room for each option");

struct url {
    struct pb_rig_sim port;
    struct pb_noise noise;
    bool noisy;
    const char *socket; /* path, inside the URL; NULL: the core is in this process */
};

/* Reads a rate, as 0.001 or 1e-3, for all kinds of damage. */
static int read_rate(const struct pb_query *query, enum option option, struct pb_noise_rates *rates,
                     struct pb_diag *diag)
{
    const char *text = query->value[option];
    char *end;
    if (!query->given[option])
        return PB_OK;
    const double rate = strtod(text, &end);
    if (text[strspn(text, "0123456789.eE-")] || *end || end == text || !(rate >= 0 && rate <= RATE_MAX))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%s of rig sim: is '%s'; a rate from 0 to %.2f per byte is possible, 1e-4 for example",
                       option_name[option], text, RATE_MAX);
    rates->lost = rates->doubled = rates->flipped = rates->merged = (uint32_t)(rate * 4294967296.0);
    return PB_OK;
}

static int read_clock(const struct pb_query *query, struct pb_rig_sim *port, struct pb_diag *diag)
{
    port->clock_fits = !query->given[CLOCK] && port->port == PB_SIM_STREAM;
    for (unsigned i = 0; i < PB_CORE_CLOCKS; i++)
        if (!strcmp(query->value[CLOCK], pb_core_clocks[i].name))
            port->clock_hz = pb_core_clocks[i].hz;
    if (!query->given[CLOCK] || port->clock_hz)
        return PB_OK;
    return pb_fail(diag, PB_ERR_ARGUMENT, "clock of rig sim: is '%s'; %s, %s and %s are possible",
                   query->value[CLOCK], pb_core_clocks[0].name, pb_core_clocks[1].name,
                   pb_core_clocks[2].name);
}

/* Reads a whole number with a sign. */
static int read_signed(const struct pb_query *query, enum option option, int low, int high, int *number,
                       struct pb_diag *diag)
{
    const char *text = query->value[option], *digits = text + (*text == '-');
    const size_t length = strspn(digits, "0123456789");
    if (!query->given[option])
        return PB_OK;
    const long value = length && length < 8 && !digits[length] ? strtol(text, NULL, 10) : LONG_MAX;
    if (value < low || value > high)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "%s of rig sim: is '%.40s'; a whole number from %d to %d is possible",
                       option_name[option], text, low, high);
    *number = (int)value;
    return PB_OK;
}

/* The device of the converter, which wants the fastest clock of the core. */
static int read_tdc(const struct pb_query *query, struct pb_rig_sim *port, struct pb_diag *diag)
{
    static const char *const corner[] = {"typ", "min", "max", "fast"};
    enum { CORNERS = sizeof corner / sizeof corner[0] };
    unsigned n = 0;
    while (query->given[TDC] && n < CORNERS && strcmp(query->value[TDC], corner[n]))
        n++;
    if (n == CORNERS)
        return pb_fail(diag, PB_ERR_ARGUMENT, "tdc of rig sim: is '%s'; typ, min, max and fast are possible",
                       query->value[TDC]);
    port->tdc =
        (struct pb_chain_config){.corner = (enum pb_chain_corner)n, .has_celsius = query->given[TDC_C]};
    port->clock_fits &= !query->given[TDC] && !query->given[TDC_MV] && !query->given[TDC_C];
    const int code = read_signed(query, TDC_MV, -TDC_MV_MOST, TDC_MV_MOST, &port->tdc.millivolts, diag);
    return code ? code : read_signed(query, TDC_C, TDC_C_LEAST, TDC_C_MOST, &port->tdc.celsius, diag);
}

/* Of a rig sim: in either form. */
static int parse(const struct pb_rig_target *rig, struct url *url, struct pb_diag *diag)
{
    struct pb_query query = {.rig = "sim:", .name = option_name, .options = OPTIONS};
    uint64_t baud = 0, burst = 1, seed = 1;
    *url = (struct url){0};
    if (rig->kind == PB_RIG_SERVED) {
        url->socket = rig->place;
        return PB_OK;
    }
    if (rig->kind != PB_RIG_SIM || (*rig->place && *rig->place != '?'))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "unknown rig '%.60s'; known are replay:FILE, ftdi:SERIAL, tty:DEVICE, vusb:DIR/BOARD "
                       "and sim:, alone, with "
                       "options, as in "
                       "sim:?port=uart&baud=3000000, or with the path of a socket, as in sim:./bench.sock",
                       rig->url);
    int code = *rig->place ? pb_query_split(&query, rig->place + 1, diag) : PB_OK;
    if (code)
        return code;
    const char *port = query.value[PORT];
    const bool uart = !strcmp(port, "uart");
    url->port.port = uart ? PB_SIM_UART : PB_SIM_STREAM;
    if (query.given[PORT] && !uart && strcmp(port, "stream"))
        return pb_fail(diag, PB_ERR_ARGUMENT, "port of rig sim: is '%s'; stream and uart are possible", port);
    const char *idle = query.value[IDLE];
    url->port.every_clock = !strcmp(idle, "run");
    if (query.given[IDLE] && !url->port.every_clock && strcmp(idle, "skip"))
        return pb_fail(diag, PB_ERR_ARGUMENT, "idle of rig sim: is '%s'; skip and run are possible", idle);
    if (query.given[BAUD] && !uart)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "baud of rig sim: is '%s', but a byte stream has none; give port=uart, too",
                       query.value[BAUD]);
    code = read_clock(&query, &url->port, diag);
    if (!code)
        code = read_signed(&query, CLOCK_PPB, -CLOCK_PPB_MAX, CLOCK_PPB_MAX, &url->port.clock_ppb, diag);
    if (!code)
        code = read_tdc(&query, &url->port, diag);
    if (!code)
        code = pb_query_number(&query, BAUD, BAUD_MIN, BAUD_MAX, &baud, diag);
    if (!code)
        code = pb_query_number(&query, NOISE_BURST, 1, BURST_MAX, &burst, diag);
    if (!code)
        code = pb_query_number(&query, NOISE_SEED, 0, UINT64_MAX, &seed, diag);
    if (!code)
        code = read_rate(&query, NOISE, &url->noise.in, diag);
    url->noise.out = url->noise.in;
    if (!code)
        code = read_rate(&query, NOISE_IN, &url->noise.in, diag);
    if (!code)
        code = read_rate(&query, NOISE_OUT, &url->noise.out, diag);
    url->port.baud_hz = (unsigned)baud;
    url->noise.seed = seed;
    url->noise.in.burst = url->noise.out.burst = (unsigned)burst;
    url->noisy = query.given[NOISE] || query.given[NOISE_IN] || query.given[NOISE_OUT];
    if (!code && !url->noisy && (query.given[NOISE_BURST] || query.given[NOISE_SEED]))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig sim: has a noise_burst or noise_seed and no noise; give noise=1e-4, too");
    return code;
}

static int check_replay(const char *path, struct pb_diag *diag)
{
    return *path ? PB_OK : pb_fail(diag, PB_ERR_ARGUMENT, "rig replay: names no file; write replay:FILE");
}

static int open_replay(struct pb_transport **out, const char *path, struct pb_diag *diag)
{
    struct pb_recording *recording;
    int code = check_replay(path, diag);
    if (!code)
        code = pb_recording_open(&recording, path, diag);
    return code ? code : pb_replay_open(out, recording, diag);
}

int pb_rig_check_url(const char *url, struct pb_diag *diag)
{
    struct url parsed;
    const struct pb_rig_target rig = pb_rig_target_of(url);
    if (rig.kind == PB_RIG_FTDI)
        return pb_rig_ftdi_check(url, diag);
    if (rig.kind == PB_RIG_TTY)
        return pb_rig_tty_check(url, diag);
    return rig.replays ? check_replay(rig.place, diag) : parse(&rig, &parsed, diag);
}

static int open_sim(struct pb_transport **out, const struct pb_rig_target *rig,
                    const struct pb_rig_options *options, const struct pb_scenario *scenario,
                    struct pb_diag *diag)
{
    struct url url;
    int code = parse(rig, &url, diag);
    if (!code && url.socket)
        return pb_rig_socket_open(out, url.socket, diag);
    if (!code)
        code = pb_rig_sim_open(out, &url.port, options, scenario, diag);
    return code || !url.noisy ? code : pb_rig_noise_open(out, *out, &url.noise, diag);
}

int pb_rig_open(struct pb_transport **out, const struct pb_rig_options *options,
                const struct pb_scenario *scenario, struct pb_diag *diag)
{
    const struct pb_rig_target rig = pb_rig_target_of(options->url);
    *out = NULL;
    int code;
    if (pb_recorder_takes_urbs(options->recorder) && rig.kind != PB_RIG_FTDI)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "rig %.60s has no USB transfers to record; record the stream, or choose a rig ftdi:",
                       rig.url);
    if (rig.replays)
        code = open_replay(out, rig.place, diag);
    else if (rig.kind == PB_RIG_FTDI)
        code = pb_rig_ftdi_open(out, options, diag);
    else if (rig.kind == PB_RIG_TTY)
        code = pb_rig_tty_open(out, options, diag);
    else
        code = open_sim(out, &rig, options, scenario, diag);
    if (!code && options->recorder)
        code = pb_recorder_attach(options->recorder, out, pb_rig_simulated_ps, diag);
    return code;
}

/* Below a recorder and noise. */
static const struct pb_transport *innermost(const struct pb_transport *transport)
{
    const struct pb_transport *inner;
    transport = pb_recorder_inner(transport);
    while ((inner = pb_rig_noise_inner(transport)))
        transport = inner;
    return transport;
}

int pb_rig_node_trouble(struct pb_transport *transport, unsigned index, struct pb_node_trouble *trouble,
                        struct pb_diag *diag)
{
    char text[PB_RECORDING_NODE_TEXT];
    *trouble = (struct pb_node_trouble){.kind = PB_TROUBLE_NONE};
    pb_rig_sim_node_trouble(innermost(transport), index, trouble);
    int code = pb_trouble_write(text, trouble);
    if (code)
        return pb_fail(diag, code, "no memory for what ended node %u", index);
    code = pb_recording_node(transport, index, text, diag);
    if (!code && trouble->kind == PB_TROUBLE_NONE && pb_trouble_read(trouble, text))
        code = pb_fail(diag, PB_ERR_CONFIG,
                       "the recording is damaged: what ended node %u is not readable; record again", index);
    return code;
}

bool pb_rig_node_figures(const struct pb_transport *transport, unsigned index,
                         struct pb_node_figures *figures)
{
    return pb_rig_sim_node_figures(innermost(transport), index, figures);
}

int64_t pb_rig_simulated_ps(const struct pb_transport *transport)
{
    transport = innermost(transport);
    const int64_t replayed_ps = pb_replay_simulated_ps(transport);
    return replayed_ps >= 0 ? replayed_ps : pb_rig_sim_time_ps(transport);
}

uint64_t pb_rig_bytes_per_s(const struct pb_transport *transport, uint32_t clock_hz)
{
    transport = innermost(transport);
    const uint64_t simulated = pb_rig_sim_bytes_per_s(transport), serial = pb_rig_tty_bytes_per_s(transport),
                   link = simulated ? simulated
                          : serial  ? serial
                                    : pb_rig_ftdi_bytes_per_s(transport, clock_hz),
                   core = clock_hz / CORE_CLOCKS_PER_BYTE;
    return link && link < core ? link : core;
}

int64_t pb_rig_overruns(const struct pb_transport *transport)
{
    transport = pb_recorder_inner(transport);
    const int64_t replayed = pb_replay_overruns(transport);
    return replayed >= 0 ? replayed : pb_rig_ftdi_overruns(transport);
}
