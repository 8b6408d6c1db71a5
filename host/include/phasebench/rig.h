/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rigs: a core and its nodes, named by a URL. docs/start/wiring.md describes the boards.
 *
 *   sim:            the Verilated core in this process with the scenario's nodes on its pins (the default)
 *   sim:?...        the same with options, joined by &:
 *     port=stream|uart   host port of the core: one byte per cycle (the default), or bit-serial
 *     baud=N             of the UART: core clock / 4 (the default, 12 Mbaud at 48 MHz) .. / 255
 *     clock=12MHz|24MHz|48MHz   of the core; default: the slowest that resolves the scenario's limits
 *                        (docs/reference/timing.md), 48 MHz for the default limits; at most 24 MHz with
 *                        several nodes
 *     clock_ppb=N        error of that clock, -1000000..1000000 parts in 10^9, fast above 0: what a
 *                        calibration (calibration.h) has to find
 *     idle=skip|run      skip (the default) or simulate cycles in which nothing can happen; events and times
 *                        are the same. A trace always simulates all cycles
 *     noise=R            rate, 0..0.25 per byte, of each kind of damage in both directions: bytes lost,
 *                        doubled, with a flipped bit, or merged with the next (host/rig/rig_noise.h)
 *     noise_in, noise_out=R   the same for one direction, core to host or host to core
 *     noise_burst=N      bytes lost together, 1..65536 (1)
 *     noise_seed=N       seed of the damage (1)
 *   ftdi:           the board on USB, if there is only one
 *   ftdi:NAME       the board with that serial number, product string or USB port (1-2.3)
 *   ftdi://ftdi:2232h:SERIAL/2   the same in full; each part may be left out: vendor, product (2232h, 4232h,
 *                   232h or hexadecimal), serial number or BUS:ADDRESS (hexadecimal), channel (1 A, 2 B)
 *   ftdi:...?...    either form with options, joined by &:
 *     mode=uart|fifo|syncfifo   of the channel (uart); the EEPROM must select a FIFO; syncfifo: channel A
 *     baud=N             of the UART, 300..12000000 (default: the first of 12, 8, 6, 4, 3 and 1 million at
 *                        which the core answers)
 *     latency=N          of the chip's latency timer, 1..16 ms (2); a longer one starves the watchdog
 *     wait=N             time limit for the board to appear, 0..3600 s (0)
 *   tty:DEVICE      a serial port of the kernel, as tty:/dev/ttyACM0: any USB-serial bridge or CDC device in
 *                   front of a core with a UART
 *   tty:DEVICE?baud=N   its baud, 9600..12000000 (as ftdi:)
 *   replay:FILE     a recording (record.h)
 *
 * A board has one host at a time; a lock file in /run/lock names it (PHASEBENCH_LOCK_DIR: elsewhere). A board
 * refuses a scenario that asks for a model of a node: it tests the wired node.
 *
 * A rig is opened for a scenario and returns the byte transport of a core, the same for all rigs.
 */
#ifndef PHASEBENCH_RIG_H
#define PHASEBENCH_RIG_H

#include "phasebench/api.h"
#include "phasebench/device.h"
#include "phasebench/record.h"
#include "phasebench/scenario.h"

#include <signal.h>
#include <stdbool.h>

PB_API_BEGIN

struct pb_node_watch;
struct pb_rig_options {
    const char *url;        /* NULL: "sim:" */
    const char *trace_path; /* FST file, simulated rigs only; NULL: none */
    int64_t trace_from_ps, trace_to_ps;
    struct pb_recorder *recorder; /* borrowed (record.h); NULL: none */
    /* Non-zero: end the wait for a board, or for the process of a node, PB_ERR_INTERRUPTED; NULL: never. */
    const volatile sig_atomic_t *stop;
    int64_t deadline_ns; /* of CLOCK_MONOTONIC: end of a wait for a process, PB_ERR_TIMEOUT; 0: none */
    struct pb_node_watch *watch; /* of the phasebench command, on sim: only; NULL: none */
};

/* Opens the transport. PB_ERR_ARGUMENT: unknown URL or option; PB_ERR_CONFIG: the rig cannot carry the
 * scenario's nodes, or the recording cannot be used. The caller owns the transport and normally passes it to
 * pb_device_open. */
int pb_rig_open(struct pb_transport **out, const struct pb_rig_options *options,
                const struct pb_scenario *scenario, struct pb_diag *diag);

/* Checks a URL without opening anything. */
int pb_rig_check_url(const char *url, struct pb_diag *diag);

/* What the scheme of a rig's URL says. */
enum pb_rig_kind {
    PB_RIG_SIM,    /* sim: in this process */
    PB_RIG_SERVED, /* sim:SOCKET */
    PB_RIG_VUSB,   /* vusb:, which the command maps to ftdi: on a virtual USB */
    PB_RIG_FTDI,
    PB_RIG_TTY,
    PB_RIG_REPLAY,
    PB_RIG_UNKNOWN
};
struct pb_rig_target {
    enum pb_rig_kind kind;
    bool simulates;    /* its nodes are models: sim: in every form, and virtual boards */
    bool replays;      /* a recording, whose file is `place` */
    bool in_process;   /* the core and its nodes are in this process, so any number of runs can be at once */
    const char *url;   /* as given; "sim:" for NULL */
    const char *place; /* in `url`, after the colon; the whole URL if it has no colon */
};
/* Reads the scheme alone: opens nothing, and does not check what follows (pb_rig_check_url). NULL: "sim:". A
 * URL ftdi: is a virtual board while PHASEBENCH_VUSB_ONLY hides the real ones. */
struct pb_rig_target pb_rig_target_of(const char *url);

/* Returns 0, or PB_ERR_CONFIG: the rig has no models, and the scenario asks for one of a node (its kind, or a
 * key of a model) or of the lines (simulated_rise); or it has no boards, and the scenario asks for one. A
 * recording passes: its rig accepted the scenario. */
int pb_rig_check_models(const char *url, const struct pb_scenario *scenario, struct pb_diag *diag);

/* Simulated time, ps; -1: real rig. A replay returns the time of the recorded rig. */
int64_t pb_rig_simulated_ps(const struct pb_transport *transport);

/* Number of USB packets in which the FTDI chip reported lost bytes (buffer full); -1 on other rigs. It
 * locates a loss, which the sequence numbers of the packets count (device.h). */
int64_t pb_rig_overruns(const struct pb_transport *transport);

/* Maximum rate from core to host, bytes per second: the lower of the port's rate and one byte per two cycles
 * of the core clock. */
uint64_t pb_rig_bytes_per_s(const struct pb_transport *transport, uint32_t clock_hz);

PB_API_END

#endif
