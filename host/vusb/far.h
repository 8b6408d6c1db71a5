/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is wired to the pins of a virtual FT2232H: the simulated bench, or a device that is none of ours.
 */
#ifndef PHASEBENCH_VUSB_FAR_H
#define PHASEBENCH_VUSB_FAR_H

#include "bench/vusb/ft2232h.h"
#include "phasebench/rig.h"
#include "rtl/proto/packet.h"

/* FAR_SOURCE: packets of events without end, as fast as the port takes them; for measuring. */
enum far_kind { FAR_CORE, FAR_SILENT, FAR_ECHO, FAR_SOURCE };
enum far_port { FAR_UART, FAR_FIFO, FAR_SYNC };

/* Those of the simulated core; one that does not follow a line, as some boards have; none, as others have. */
enum far_units { FAR_OWN_UNITS, FAR_ONE_UNIT, FAR_NO_UNITS };

struct far {
    enum far_kind kind;
    enum far_port port;
    bool pins, pins_given;    /* a FIFO ends at the pins of the core's port, or else at its byte stream */
    unsigned channel;         /* of the chip, the other one is wired to nothing */
    bool other_map;           /* replies say that the core has another register map */
    enum far_units units;     /* replies say that the core has so many fault units */
    unsigned baud_hz;         /* of the UART; 0: a quarter of the core's clock */
    struct pb_transport *rig; /* NULL: no core */
    struct pb_packet_decoder decoder;
    int64_t now_ps;                    /* of a device without a core */
    int64_t idle_ps[FT2232H_CHANNELS]; /* of a wire that ends nowhere: since its last byte left */
    uint8_t *stream;                   /* of a source, owned: a packet with each sequence number */
    size_t stream_bytes, stream_at;
};

int far_open(struct far *far, const struct pb_scenario *scenario, struct pb_diag *diag);
void far_close(struct far *far);

/* One step of simulated time, FAR_STEP_PS or a little more: bytes go both ways. */
#define FAR_STEP_PS INT64_C(10000000)
void far_step(struct far *far, struct ft2232h *chip);
/* Time alone, with no chip on the cable. */
void far_idle(struct far *far);
int64_t far_now_ps(const struct far *far);
int64_t
far_active_ps(const struct far *far); /* when the core last drove a pin; the beginning: there is none */
/* As pb_rig_sim_check. */
int far_check(const struct far *far, struct pb_diag *diag);
/* Bytes are on their way to the core. */
bool far_wants_time(const struct far *far);

#endif
