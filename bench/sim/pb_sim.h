/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * C interface of the Verilated core: the only connection between C and the C++ of Verilator.
 *
 * Time is simulated time in picoseconds since power-up. The core's clock has a rising edge at every multiple
 * of the clock period (rounded down per edge from the exact rational, so it does not drift). A process may
 * have many instances; an instance must not be used by two threads at a time. No function blocks.
 */
#ifndef PB_SIM_H
#define PB_SIM_H

#include "bench/sim/chain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pb_sim_shape {
    PB_SIM_12, /* 12 links, 1 node port, at most 48 MHz: one node board */
    PB_SIM_64 /* 64 links, 16 node ports, at most 24 MHz: a 16-node board, or several boards wired through the
               * bench */
};
#define PB_SIM_12_HZ 48000000
#define PB_SIM_64_HZ 24000000

enum pb_sim_port {
    PB_SIM_STREAM,   /* bytes, one per clock */
    PB_SIM_UART,     /* bit by bit */
    PB_SIM_FIFO,     /* the pins of an asynchronous 245 FIFO, sampled at each clock of the core */
    PB_SIM_SYNC_FIFO /* the pins of a synchronous 245 FIFO, 60 MHz */
};

struct pb_sim_config {
    enum pb_sim_shape shape;
    enum pb_sim_port port;
    unsigned clock_hz;            /* 1 MHz up to the shape's rate; 0: that rate */
    int clock_ppb;                /* error of that rate, -1000000..1000000; a core that is fast: above 0 */
    unsigned uart_clocks_per_bit; /* 4..255; 0: 4, that is 12 Mbaud at 48 MHz */
    const char *trace_path;       /* FST file, or NULL: no trace (the fast model) */
    int64_t trace_from_ps, trace_to_ps;
    bool every_clock; /* pb_sim_rest is 0 at all times */
};

struct pb_sim_pins {                /* levels; bit i is link or node port i */
    uint64_t link;                  /* in: resolved level of the links */
    uint64_t link_second;           /* in: links that had the other level half a clock before */
    uint16_t uart0;                 /* in: levels at the nodes' UART0 transmit pins */
    bool tdma_clk_in, tdma_sync_in; /* in: levels at the clock pins, from any driver */
    uint32_t tdc[PB_CHAIN_WORDS];     /* in: the chain of the converter (chain.h); PB_SIM_64 has none */
    bool tdma_second, sync_second;  /* in: TDMA_CLK, TDMA_SYNC had the other level half a clock before */
    uint64_t link_pull;             /* out: 1 = the core pulls the link low */
    uint64_t link_high;       /* out: 1 = the core drives the link high (push-pull); never with link_pull */
    uint16_t nrst, boot0;     /* out */
    uint16_t uart0_rx;        /* out: levels at the nodes' UART0 receive pins */
    bool tdma_clk, tdma_sync; /* out: at the pins while tdma_drive */
    bool tdma_drive;          /* out: the core drives the clock pins */
    bool tdc_enable, tdc_calibrate; /* out: register TDC */
    uint8_t tdc_pin;                /* out */
    bool running;             /* out, no pin: the phase clock runs, from just before its first edge */
};

struct pb_sim;

/* Creates a core after its reset; the time is that of the next clock edge. NULL: errno is ENOMEM, EINVAL
 * (clock_hz), or another error of the system. A trace file that cannot be written gives no error here: test
 * it before. No function of this interface throws a C++ exception. */
struct pb_sim *pb_sim_create(const struct pb_sim_config *config);
void pb_sim_destroy(struct pb_sim *sim); /* closes the trace; NULL: no effect */

unsigned pb_sim_links(const struct pb_sim *sim);
unsigned pb_sim_nodes(const struct pb_sim *sim);
uint64_t pb_sim_clock_hz(const struct pb_sim *sim);

/* Time of the next rising clock edge, and of the falling edge half a clock before it. */
int64_t pb_sim_next_edge_ps(const struct pb_sim *sim);
int64_t pb_sim_half_ps(const struct pb_sim *sim);
/* Time of the rising edge `ahead` edges after the next one. */
int64_t pb_sim_edge_ps(const struct pb_sim *sim, uint64_t ahead);

/* Simulates one rising clock edge with the inputs in *pins, then writes the outputs there. Returns true if an
 * output changed. */
bool pb_sim_clock(struct pb_sim *sim, struct pb_sim_pins *pins);
/* True: a clock edge ran out of memory. The outputs no longer change; only the time advances. */
bool pb_sim_failed(const struct pb_sim *sim);
/* Returns a number of clock edges from now on that change no output but those of the host port. It assumes
 * the inputs in *pins and no other byte from the host, and may be less than the exact number. `sends`: bytes
 * to the host may come in these clocks; else none does. 0: no rest detected, or a check is not due; always
 * 0 with a FIFO, and in the window of a trace. */
uint64_t pb_sim_rest(struct pb_sim *sim, const struct pb_sim_pins *pins, bool sends);
/* Skips as many of the next `most` clock edges as fit into one step, never the last of them. Call it right
 * after pb_sim_rest, with at most its result. After the next pb_sim_clock the state is as if no edge had been
 * skipped. Returns the number of skipped edges. */
uint64_t pb_sim_leap(struct pb_sim *sim, uint64_t most);
/* Returns the number of clock edges from now to a time, included. */
uint64_t pb_sim_edges_until(const struct pb_sim *sim, int64_t time_ps);
/* Number of clock edges so far. */
uint64_t pb_sim_clocks(const struct pb_sim *sim);

/* Bytes from the host wait in an unbounded queue until the host port takes them. Returns 0, or -1 when out of
 * memory. */
int pb_sim_host_write(struct pb_sim *sim, const uint8_t *bytes, size_t count);
size_t pb_sim_host_unsent(const struct pb_sim *sim); /* bytes that the host port has not taken yet */
/* Reads up to capacity bytes that the core has sent; returns their number. */
size_t pb_sim_host_read(struct pb_sim *sim, uint8_t *bytes, size_t capacity);
size_t pb_sim_host_pending(const struct pb_sim *sim); /* bytes that host_read would give */
/* UART only: the settings of the host's end of the wire, which match the core until the first call. They hold
 * for both directions; bytes with a framing or parity error are delivered from the first call on. A frame in
 * progress changes its speed in the middle. */
enum pb_sim_parity {
    PB_SIM_PARITY_NONE,
    PB_SIM_PARITY_ODD,
    PB_SIM_PARITY_EVEN,
    PB_SIM_PARITY_MARK,
    PB_SIM_PARITY_SPACE
};
struct pb_sim_host_line {
    int64_t bit_clocks_q16; /* bit period, in 1/65536 of a core clock; at least 65536 */
    unsigned data_bits;     /* 7 or 8 */
    unsigned stop_halves;   /* stop bits, in halves: 2, 3, 4 */
    enum pb_sim_parity parity;
    bool pulled_low; /* a break: no byte leaves */
};
void pb_sim_host_set_line(struct pb_sim *sim, const struct pb_sim_host_line *line);
/* Errors of the bytes received since the last call. */
enum { PB_SIM_ERROR_FRAMING = 1, PB_SIM_ERROR_PARITY = 2, PB_SIM_ERROR_BREAK = 4 };
unsigned pb_sim_host_errors(struct pb_sim *sim);

/* Byte stream and FIFOs: while stalled the host takes no byte from the core, TXE# is high; a FIFO may give
 * one or two more bytes that were at its pins. */
void pb_sim_host_stall(struct pb_sim *sim, bool stalled);
/* Synchronous FIFO: starts or stops CLKOUT; it runs at first. */
void pb_sim_host_clock(struct pb_sim *sim, bool runs);
/* FIFOs: SIWU# has gone low since the last call. */
bool pb_sim_host_send_immediate(struct pb_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
