/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages that a line of the rig may show, or a node of the rig may hold, by number.
 */
#ifndef PHASEBENCH_KNOWN_H
#define PHASEBENCH_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_known_message {
    uint64_t message;
    uint32_t source, destination, sequence;
    uint32_t superframe; /* the last in which the schedule has it */
    uint64_t released;   /* a node's own message: at this instant, in phases */
    bool crosses;        /* a line of the rig */
    bool refused;        /* by its own source, which answers -full */
    bool broken;         /* one of its crossings was missing or incorrect */
    bool lost;           /* a node of the rig did not send it on in time */
    uint16_t shown;      /* bit per node of the rig that has sent it whole, whenever */
    bool left;           /* it has arrived, or was dropped */
    bool used;           /* the place is taken */
};

struct pb_known {
    struct pb_known_message *place; /* owned; by a hash of the number */
    size_t places, count;           /* places: a power of two, or 0 */
};

/* NULL: not known. Valid until the next pb_known_add or pb_known_sweep. */
struct pb_known_message *pb_known_find(const struct pb_known *known, uint64_t message);
/* The one with this number, a new one all zero; NULL: no memory. */
struct pb_known_message *pb_known_add(struct pb_known *known, uint64_t message);
/* Forgets those of which `keep` says false. 0 or PB_ERR_MEMORY. */
int pb_known_sweep(struct pb_known *known, bool (*keep)(void *, const struct pb_known_message *),
                   void *context);
void pb_known_free(struct pb_known *known);

#endif
