/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The transmissions of a run as a pcapng section, for Wireshark and others: one interface for each link, one
 * packet for each transmission, in order of time. docs/pcap.md describes the packets. A stream takes any
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

/* Begins a section. stream and scenario stay borrowed until close. rig_url NULL: "sim:". A failure to write
 * is told by close. 0 or PB_ERR_MEMORY; *out is then NULL. */
int pb_slot_capture_open(struct pb_slot_capture **out, FILE *stream, const struct pb_scenario *scenario,
                         const char *rig_url);
/* Writes packets; it must be called in order of time. */
struct pb_transmission_sink pb_slot_capture_sink(struct pb_slot_capture *capture);
/* Ends the section with the number of packets of each link and, of a result, with its verdict and whether the
 * run is complete; NULL: there is none. Flushes the stream and frees the capture. 0, or PB_ERR_IO with errno
 * of the first failure: the stream lacks something. */
int pb_slot_capture_close(struct pb_slot_capture *capture, const struct pb_result *result);

PB_API_END

#endif
