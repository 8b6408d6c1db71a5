/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the virtual FT2232H: shared by ft2232h.c, channel.c, vendor.c and descriptors.c only.
 */
#ifndef PB_VUSB_CHIP_H
#define PB_VUSB_CHIP_H

#include "bench/usb/chip/ft2232h.h"

struct fifo {
    uint8_t byte[FT2232H_FIFO_BYTES];
    unsigned head, count;
};

struct queue {
    struct ft2232h_transfer *first, *last;
};

enum { TO_HOST, FROM_HOST }; /* index of queue and halted */

struct channel {
    struct fifo in, out; /* to the host, from it */
    struct queue queue[2];
    bool halted[2];
    bool fifo_type; /* by the configuration memory */

    uint16_t divisor, divisor_index; /* as written by the host */
    uint16_t format, modem, flow;
    uint8_t xon, xoff, event, error_char;
    bool event_on, error_on, held; /* held: by XOFF */
    uint8_t mode, mask, pins;
    uint8_t latency_ms;
    int64_t due_ps; /* of the latency timer */
    bool flush;     /* the event character was received, or SIWU# was low */
    uint8_t errors; /* for the next packet */
    unsigned lose;
    struct ft2232h_counters counters;
};

struct ft2232h {
    uint16_t word[FT2232H_EEPROM_WORDS];
    struct ft2232h_identity identity; /* as read at power-up */
    struct channel channel[FT2232H_CHANNELS];
    uint8_t configuration;
    bool wakes; /* the host has enabled remote wakeup */
    unsigned packet_limit;
    int64_t now_ps;
};

enum bit_mode { MODE_RESET = 0x00, MODE_SYNC_FIFO = 0x40 };
enum { FLOW_RTS_CTS = 0x01, FLOW_DTR_DSR = 0x02, FLOW_XON_XOFF = 0x04 };

/* channel.c */
void channel_power_up(struct channel *channel, bool fifo_type, int64_t now_ps);
enum ft2232h_mode channel_mode(const struct ft2232h *chip, unsigned channel);
void channel_status(const struct channel *channel, uint8_t status[2]);
void channel_drop(struct fifo *fifo);
/* Moves all possible bytes between FIFOs and pending transfers. */
void channel_serve(struct ft2232h *chip, unsigned channel);
/* Ends all pending transfers of one direction. */
void channel_end(struct channel *channel, unsigned direction, int status);
void channel_halt(struct ft2232h *chip, unsigned channel, unsigned direction, bool halted);

/* Returns channel and direction of an endpoint address; false: no such endpoint. */
bool chip_endpoint(uint8_t address, unsigned *channel, unsigned *direction);

/* vendor.c, descriptors.c: as ft2232h_control. */
int vendor_request(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data);
int standard_request(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data);

#endif
