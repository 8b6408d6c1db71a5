/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Helpers of all reports: numbers with units, selection of the content, and escaped text. Numbers are
 * returned by value for use in a printf argument list: pb_us(x).text.
 */
#ifndef PB_REPORT_RENDER_H
#define PB_REPORT_RENDER_H

#include "phasebench/report.h"
#include "phasebench/shmoo.h"

#include <stdio.h>

struct pb_number {
    char text[40];
};

struct pb_number pb_us(int64_t ps);       /* microseconds to the nanosecond, no unit: "5.120" */
struct pb_number pb_duration(int64_t ps); /* to four digits or more, with s, ms, us or ns: "19.2 ms" */
/* Frequency from millihertz, exact, without the final "Hz": "10 k", "1.5 M", "50 ". */
struct pb_number pb_frequency(uint64_t mhz);
/* Deviation to 0.1 ppm: "+12.0"; "0.0" for a nominal of 0. */
struct pb_number pb_ppm(int64_t value, int64_t nominal);
/* Form of the values of a unit: divided by `scale`, with `decimals` decimals and this name. */
struct pb_unit_shown {
    const char *name;
    double scale;
    int decimals;
};
struct pb_unit_shown pb_unit_shown(enum pb_unit unit);
/* A value of a measurement with its unit: "4.9896 us" of ps, "-12.000 ppm" of ppb, "24 phases"; "-" for an
 * absent limit or margin. */
struct pb_number pb_measured(enum pb_unit unit, int64_t value);
/* "0x2A3", as wide as the greatest address */
struct pb_number pb_address(uint32_t address, const struct pb_network *network);
/* Name of a link of a node: "dimension" in a cube, else "port". */
const char *pb_port_word(const struct pb_network *network);

/* Whose payload all points of a shmoo have. */
const char *pb_shmoo_payload_is(const struct pb_shmoo *shmoo);

/* "37 (byte 3, data bit 6)"; bits of a byte on the wire: start, 0..7, stop. */
struct pb_number pb_bit_place(int bit);

struct pb_clause {
    char text[160];
};

/* An injected fault: id, scheduled place, receipts, finding. */
const char *pb_fault_id(unsigned kind);
struct pb_clause pb_fault_place_text(const struct pb_fault_row *fault);
struct pb_clause pb_fault_receipt_text(const struct pb_fault_row *fault);
struct pb_clause pb_fault_found_text(const struct pb_fault_row *fault);

/* "it counted 79 received, 1 delivered, 78 sent, 0 dropped", or that it has no counters. */
struct pb_clause pb_node_counters_text(const struct pb_node_row *node);

/* Writes "A3 02 11", at most the bytes in the row; size 3 * 96 always suffices. */
void pb_hex(char *out, size_t size, const struct pb_hop_row *hop);

/* The finding that explains the verdict. Among the findings that no injected fault explains: the first that
 * is not marginal, else the first; NULL: none. */
const struct pb_finding *pb_first_divergence(const struct pb_result *result);

/* 0: an injected fault explains it, 1: marginal, 2: a divergence. */
int pb_finding_rank(const struct pb_finding *finding);

/* Number of links of the nodes, at most PB_RISE_LINKS. */
static inline unsigned pb_lines_of(const struct pb_result *result)
{
    return result->lines < PB_RISE_LINKS ? result->lines : PB_RISE_LINKS;
}

/* The superframe to draw: of the first divergence, else of the first injected fault, else that with the most
 * transmissions. */
uint32_t pb_superframe_to_show(const struct pb_result *result);

#define PB_LINK_ROWS_MAX 192 /* 16 nodes with 12 links each */

/* One line of a phase x link drawing. */
struct pb_link_row {
    unsigned link, dimension;
    uint32_t low, high; /* the ends; low has the smaller address */
};

/* Links with a transmission in the run, in ascending order; returns their number. */
size_t pb_link_rows(struct pb_link_row row[PB_LINK_ROWS_MAX], const struct pb_result *result);

/* True if the transmission is one of this line. */
static inline bool pb_hop_is_on(const struct pb_hop_row *hop, const struct pb_link_row *row)
{
    return hop->link == row->link && (hop->from == row->low || hop->to == row->low);
}

enum pb_hop_state { PB_HOP_CORRECT, PB_HOP_WRONG, PB_HOP_MISSING };
enum pb_hop_state pb_hop_state(const struct pb_hop_row *hop);

/* Returns 0, or PB_ERR_IO after a failed write to the stream. */
int pb_stream_status(FILE *stream);

#endif
