/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rigs: what carries the node under test, named by a URL.
 *
 *   sim:            the Verilated core in this process with the scenario's nodes on its pins (the default)
 *   sim:?...        the same with options, joined by &:
 *     port=stream|uart   host port of the core: a byte a clock (the default), or bit-serial
 *     baud=N             of the UART: core clock / 4 (the default, 12 Mbaud at 48 MHz) .. / 255
 *     clock=12MHz|24MHz|48MHz   of the core; by default the slowest that resolves the scenario's limits
 *                        (docs/timing.md), 48 MHz for the default ones; several nodes have 24 MHz at most
 *     idle=skip|run      clocks of the core in which nothing can happen are left out (the default), or done;
 *                        events and times are the same. While a trace is written none is left out
 *     noise=R            rate, 0..0.25 per byte, of each kind of damage in both directions: bytes get lost,
 *                        doubled, get a bit flipped, merge with the next (host/rig/rig_noise.h)
 *     noise_in, noise_out=R   the same for one direction, core to host or host to core
 *     noise_burst=N      bytes that go at once where one is lost, 1..65536 (1)
 *     noise_seed=N       what is hurt (1)
 *   ftdi:           the board on USB, when there is just one
 *   ftdi:NAME       the one with that serial number, product string or USB port (1-2.3)
 *   ftdi://ftdi:2232h:SERIAL/2   the same in full: vendor, product (2232h, 4232h, 232h or a hexadecimal
 * number), serial number or BUS:ADDRESS (hexadecimal), channel (1 A, 2 B); each may be left out ftdi:...?...
 * either form with options, joined by &: mode=uart|fifo|syncfifo   of the channel (uart); a FIFO must be set
 * in the chip's EEPROM, syncfifo is channel A's baud=N             of the UART, 300..12000000 (the first of
 * 12, 8, 6, 4, 3 and 1 million that the core answers at) latency=N          of the chip's latency
 * timer, 1..255 ms (2) wait=N             waits so many seconds for the board to appear, 0..3600 (0)
 *   tty:DEVICE      a serial port of the kernel, as tty:/dev/ttyACM0: any USB-serial bridge or CDC device in
 *                   front of a core with a UART
 *   tty:DEVICE?baud=N   its baud, 9600..12000000 (as ftdi:)
 *   replay:FILE     what a recording says (record.h)
 *
 * A board has one host at a time; a file in /run/lock names it (PHASEBENCH_LOCK_DIR: elsewhere). On a board
 * what is wired to it is what is tested: a scenario that asks for a model of a node is refused.
 *
 * A rig is opened for a scenario and gives a byte transport to a core; everything above it is the same for
 * all rigs.
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

struct pb_rig_options {
    const char *url;        /* NULL: "sim:" */
    const char *trace_path; /* FST file, simulated rigs only; NULL: none */
    int64_t trace_from_ps, trace_to_ps;
    struct pb_recorder *recorder; /* borrowed; records what passes (record.h); NULL: none */
    const volatile sig_atomic_t
        *stop; /* non-zero: wait no longer for a board, PB_ERR_INTERRUPTED; NULL: never */
};

/* Opens the transport. PB_ERR_ARGUMENT: unknown URL or option; PB_ERR_CONFIG: the rig cannot seat the
 * scenario's nodes, or the recording cannot be used. The transport belongs to the caller (normally
 * pb_device_open takes it). */
int pb_rig_open(struct pb_transport **out, const struct pb_rig_options *options,
                const struct pb_scenario *scenario, struct pb_diag *diag);

/* Checks a URL without opening anything. */
int pb_rig_check_url(const char *url, struct pb_diag *diag);

/* Length of "replay:" when the URL is one of a recording, whose path follows; else 0. */
unsigned pb_rig_replay(const char *url);

/* The nodes of the rig are models: sim: in every form, and boards that are virtual, those of the command's
 * vusb: too. NULL: "sim:". */
bool pb_rig_simulates(const char *url);
/* The core and its nodes are in this process. */
bool pb_rig_is_sim(const char *url);

/* PB_ERR_CONFIG: the scenario asks for a model of a node (its kind, or a key that describes one) or of the
 * lines (simulated_rise) and the rig makes none, or for a board and the rig has none. A recording passes: its
 * rig took the scenario.
 */
int pb_rig_check_models(const char *url, const struct pb_scenario *scenario, struct pb_diag *diag);

/* Simulated time in picoseconds, -1 on a real rig, and on a replay that of the rig recorded. */
int64_t pb_rig_simulated_ps(const struct pb_transport *transport);

/* USB packets of a board in which its FTDI chip told that it lost bytes, its buffer being full; -1 on other
 * rigs. What was lost is counted by the packets' sequence numbers (device.h): this says where. */
int64_t pb_rig_overruns(const struct pb_transport *transport);

/* Bytes a second that the host link carries at most from a core with this clock: as many as its port does, or
 * the core itself, which gives one in two clocks. */
uint64_t pb_rig_bytes_per_s(const struct pb_transport *transport, uint32_t clock_hz);

PB_API_END

#endif
