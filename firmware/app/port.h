/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The only interface between the portable firmware and an MCU. A port defines these functions (found at link
 * time), owns the main loop and the vectors, and calls the entry points of node.h. No file in app/ depends on
 * a chip.
 *
 * Contexts. "edge" is the TDMA_CLK interrupt, "byte" a UART interrupt, "loop" the main loop. Edge and byte
 * handlers have one priority and never interrupt one another; both interrupt the loop.
 *
 * Ticks count a free-running 32-bit timer that also captures TDMA_CLK; differences are taken modulo 2^32.
 */
#ifndef FW_PORT_H
#define FW_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct port;

/* Returns the address from option bytes, EEPROM or strapping pins. From node_init; may take milliseconds. */
uint16_t port_address(struct port *port);

/* Sends a frame, 8N1, on one link; the falling edge of its first start bit comes when the timer reads
 * start_ticks. Returns false if that instant had passed: the frame then starts at once. The bytes remain
 * valid until the next port_link_release. From edge, after port_link_release; must return within about 1 us
 * (arm a compare match). */
bool port_link_send(struct port *port, uint8_t dimension, uint32_t start_ticks, const uint8_t *bytes,
                    uint8_t length);

/* Connects the receiver to one link; its bytes go to node_on_rx_byte from now on. A byte whose start edge
 * came earlier is not received. From edge, after port_link_release; within about 1 us. */
void port_link_listen(struct port *port, uint8_t dimension);

/* Releases every link at once and disconnects the receiver; a byte in progress is discarded. Returns true if
 * a frame was still being sent. From edge; within about 1 us. */
bool port_link_release(struct port *port);

/* Writes to the console, in order. From loop only; may block until the UART has taken the text. */
void port_console_write(struct port *port, const char *text, size_t length);

/* Masks the edge and byte interrupts. Calls may nest. From loop only. The mask lasts at most while one frame
 * is encoded, which adds to the interrupt latency that the head guard must cover. */
uint32_t port_irq_save(struct port *port);
void port_irq_restore(struct port *port, uint32_t state);

#endif
