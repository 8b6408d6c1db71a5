/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device at the pins of a virtual FT2232H: the simulated bench, or a foreign device.
 */
#ifndef PHASEBENCH_VUSB_PEER_H
#define PHASEBENCH_VUSB_PEER_H

#include "bench/usb/chip/ft2232h.h"
#include "phasebench/rig.h"
#include "rtl/proto/packet.h"

/* PEER_SOURCE: endless packets of events, as fast as the port takes them; for measurements. */
enum peer_kind { PEER_CORE, PEER_SILENT, PEER_ECHO, PEER_SOURCE };
enum peer_port { PEER_UART, PEER_FIFO, PEER_SYNC };

/* Fault units: those of the simulated core; one without FEEDBACK, as on some boards; none, as on others. */
enum peer_units { PEER_OWN_UNITS, PEER_ONE_UNIT, PEER_NO_UNITS };

struct vusb_peer {
    enum peer_kind kind;
    enum peer_port port;
    bool pins, pins_given;    /* pins: a FIFO uses the pins of the core's port, else its byte stream */
    unsigned channel;         /* of the chip; the other channel is not connected */
    bool other_map;           /* replies report another register map */
    enum peer_units units;    /* fault units that replies report */
    unsigned baud_hz;         /* of the UART; 0: a quarter of the core's clock */
    const volatile sig_atomic_t *halt; /* these two end a wait for the process of a node: see rig.h */
    int64_t deadline_ns;
    struct pb_transport *rig; /* NULL: no core */
    struct pb_packet_decoder decoder;
    int64_t now_ps;                    /* of a device without a core */
    int64_t idle_ps[FT2232H_CHANNELS]; /* of an unconnected wire: time since its last byte */
    uint8_t *stream;                   /* of a source, owned: a packet with each sequence number */
    size_t stream_bytes, stream_at;
};

int peer_open(struct vusb_peer *peer, const struct pb_scenario *scenario, struct pb_diag *diag);
void peer_close(struct vusb_peer *peer);

/* One step of simulated time, PEER_STEP_PS or slightly more: moves bytes in both directions. */
#define PEER_STEP_PS INT64_C(10000000)
void peer_step(struct vusb_peer *peer, struct ft2232h *chip);
/* Advances the time without a connected chip. */
void peer_idle(struct vusb_peer *peer);
int64_t peer_now_ps(const struct vusb_peer *peer);
int64_t peer_active_ps(
    const struct vusb_peer *peer); /* when the core last drove a pin; the start time without a core */
/* As pb_rig_sim_check. */
int peer_check(const struct vusb_peer *peer, struct pb_diag *diag);
/* True: bytes are in transit to the core. */
bool peer_wants_time(const struct vusb_peer *peer);

#endif
