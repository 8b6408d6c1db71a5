/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The transmissions of a run as a pcapng section, for Wireshark and others: one interface for each link, one
 * packet for each transmission, in order of time. docs/use/pcap.md describes the packets. A stream holds any
 * number of sections, one after the other. The same run gives the same bytes.
 */
#ifndef PHASEBENCH_SLOT_CAPTURE_H
#define PHASEBENCH_SLOT_CAPTURE_H

#include "phasebench/api.h"
#include "phasebench/scenario.h"
#include "phasebench/transmission.h"

#include <stdio.h>

PB_API_BEGIN

struct pb_slot_capture;

/* Begins a section; borrows stream and scenario until close. rig_url NULL: "sim:". Returns 0, or
 * PB_ERR_MEMORY with *out NULL. pb_slot_capture_close reports a failed write. */
int pb_slot_capture_open(struct pb_slot_capture **out, FILE *stream, const struct pb_scenario *scenario,
                         const char *rig_url);
/* Returns the sink that writes packets; call it in order of time. */
struct pb_transmission_sink pb_slot_capture_sink(struct pb_slot_capture *capture);
/* Ends the section with the number of packets of each link and, of a result, with its verdict and whether the
 * run is complete; result NULL: there is none. Flushes the stream and frees the capture. Returns 0, or
 * PB_ERR_IO with errno of the first failed write: the stream is incomplete. */
int pb_slot_capture_close(struct pb_slot_capture *capture, const struct pb_result *result);

PB_API_END

#endif
