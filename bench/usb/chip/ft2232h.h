/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A virtual FT2232H: its replies on USB, and its handling of the bytes at its pins. It has no transport and
 * no clock: one user submits transfers, the bench at the pins takes and gives bytes and sets the time. No
 * function blocks or, after creation, allocates. A chip must not be used by two threads at a time.
 * docs/use/vusb.md lists the facts from the data sheet and the assumptions.
 */
#ifndef PB_VUSB_FT2232H_H
#define PB_VUSB_FT2232H_H

#include "bench/usb/chip/eeprom.h"

enum {
    FT2232H_CHANNELS = 2, /* 0 is A, 1 is B */
    FT2232H_FIFO_BYTES = 4096,
    FT2232H_PACKET_BYTES = 512,
    FT2232H_PAYLOAD_BYTES = FT2232H_PACKET_BYTES - 2,
    FT2232H_DESCRIPTOR_BYTES = 96 /* room for device and configuration descriptor */
};

struct ft2232h;

/* ---------------------------------------------------------------- the plug */

/* `word` is the content of the configuration memory. NULL: out of memory. */
struct ft2232h *ft2232h_create(const uint16_t word[FT2232H_EEPROM_WORDS]);
/* Pending transfers end with -ESHUTDOWN. NULL: no effect. */
void ft2232h_destroy(struct ft2232h *chip);
/* Bus reset: pending transfers end with -ESHUTDOWN, the chip reads its memory again, modes and FIFOs return
 * to their power-up state. */
void ft2232h_reset(struct ft2232h *chip);
/* Writes the descriptors as in `descriptors` of sysfs: device, then configuration. Returns their bytes. */
size_t ft2232h_descriptors(const struct ft2232h *chip, uint8_t bytes[FT2232H_DESCRIPTOR_BYTES]);
const uint16_t *ft2232h_memory(const struct ft2232h *chip); /* FT2232H_EEPROM_WORDS words */

/* ---------------------------------------------------------------- USB */

struct ft2232h_setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

/* Executes a control transfer at once. `data` has setup->length bytes, out or in. Returns the number of
 * bytes, or -EPIPE: stalled. */
int ft2232h_control(struct ft2232h *chip, const struct ft2232h_setup *setup, uint8_t *data);

/* A bulk transfer. The chip owns it from submit until it calls `done`, possibly within submit, cancel, give,
 * advance, reset, control and destroy. */
struct ft2232h_transfer {
    struct ft2232h_transfer *next; /* the chip's */
    uint8_t endpoint;              /* address: 0x81, 0x02, 0x83, 0x04 */
    bool zero_packet;              /* unused by the chip, which discards an empty packet */
    uint8_t *data;
    size_t length, actual;
    int status; /* 0, -EPIPE stalled, -EOVERFLOW a packet longer than the rest, -ENOENT cancelled, -ESHUTDOWN
                 */
    void (*done)(struct ft2232h_transfer *transfer);
    void *context;
};
/* Returns 0, or -ENOENT: no such endpoint; the transfer was not taken. */
int ft2232h_submit(struct ft2232h *chip, struct ft2232h_transfer *transfer);
/* Ends a transfer with -ENOENT; `actual` is the number of bytes moved. False: the chip does not own it. */
bool ft2232h_cancel(struct ft2232h *chip, struct ft2232h_transfer *transfer);

/* ---------------------------------------------------------------- pins */

enum ft2232h_mode {
    FT2232H_UART,
    FT2232H_FIFO,      /* asynchronous 245, by the configuration memory */
    FT2232H_SYNC_FIFO, /* synchronous 245: channel A, mode 0x40, and FIFO set in the memory */
    FT2232H_BITS,      /* bit-bang and MPSSE modes: no bytes on the line */
    FT2232H_TAKEN      /* channel B, while A is a synchronous FIFO */
};
enum ft2232h_parity { FT2232H_NONE, FT2232H_ODD, FT2232H_EVEN, FT2232H_MARK, FT2232H_SPACE };

struct ft2232h_line {
    enum ft2232h_mode mode;
    /* UART: a bit takes eighths / (8 * base_hz) seconds. */
    uint32_t base_hz, eighths;
    unsigned data_bits, stop_halves; /* 7 or 8; stop bits in halves: 2, 3, 4 */
    enum ft2232h_parity parity;
    bool pulled_low; /* a break is being sent */
};
void ft2232h_line(const struct ft2232h *chip, unsigned channel, struct ft2232h_line *line);
double ft2232h_baud(const struct ft2232h_line *line);

/* Takes up to `capacity` bytes that the host has sent. None in the modes BITS and TAKEN (which discard them)
 * and while the handshake stops the chip. */
size_t ft2232h_take(struct ft2232h *chip, unsigned channel, uint8_t *bytes, size_t capacity);
size_t ft2232h_waiting(const struct ft2232h *chip, unsigned channel); /* bytes that take can still return */
/* Free bytes of the FIFO to the host. */
size_t ft2232h_room(const struct ft2232h *chip, unsigned channel);

enum {
    FT2232H_ERROR_OVERRUN = 0x02,
    FT2232H_ERROR_PARITY = 0x04,
    FT2232H_ERROR_FRAMING = 0x08,
    FT2232H_ERROR_BREAK = 0x10
};
/* Adds bytes from the line. Bytes without room are lost, and the next packet reports an overrun. `errors`
 * (bits as above) also go into the next packet. */
void ft2232h_give(struct ft2232h *chip, unsigned channel, const uint8_t *bytes, size_t count,
                  unsigned errors);

/* SIWU# was pulled low: the content of the FIFO to the host leaves at once, its end in a packet that is not
 * full. */
void ft2232h_send_immediate(struct ft2232h *chip, unsigned channel);

/* Advances the time, which never decreases, and with it the latency timers. */
void ft2232h_advance(struct ft2232h *chip, int64_t now_ps);
/* True: the host waits for simulated time to pass: a transfer to it is pending, or bytes wait to leave. */
bool ft2232h_wants_time(const struct ft2232h *chip);

/* ---------------------------------------------------------------- faults */

/* The next `count` bytes from the line are lost as in an overrun. */
void ft2232h_lose(struct ft2232h *chip, unsigned channel, unsigned count);
/* Limits the payload of a packet, in bytes; 0: as many as fit. */
void ft2232h_limit_packets(struct ft2232h *chip, unsigned payload_bytes);
/* The endpoint stalls until the host clears it: its pending transfers end with -EPIPE. */
void ft2232h_stall(struct ft2232h *chip, uint8_t endpoint);

struct ft2232h_counters {
    uint64_t bytes_in, bytes_out; /* to the host, from it */
    uint64_t lost, packets;       /* bytes lost in overruns; packets to the host */
};
void ft2232h_counters(const struct ft2232h *chip, unsigned channel, struct ft2232h_counters *counters);

#endif
