/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What engines that run nodes share: the releases of a superframe by node, the messages in flight by their
 * place in a table, which is what a frame carries, and what crossed, put into the order of time.
 */
#ifndef PB_MACHINE_FLIGHT_H
#define PB_MACHINE_FLIGHT_H

#include "engine.h"

#define PB_NO_PLACE UINT32_MAX
#define PB_FLIGHT_NODES_MAX (UINT32_C(1) << 16) /* struct pb_crossed */

/* What became of a frame. */
enum pb_outcome { PB_NOTHING, PB_ON_ITS_WAY, PB_ARRIVED, PB_DROPPED };
/* A frame that crossed a wire. */
struct pb_crossed {
    uint32_t place;
    uint16_t to;
    uint8_t port; /* of the sender */
    uint8_t outcome;
};

struct pb_flight_release; /* private */

struct pb_flight {
    const char *engine; /* for messages */
    struct pb_network network;
    struct pb_releases *source;
    uint32_t room; /* messages that a node holds at most; 0: any number */
    bool all;      /* as struct pb_engine_options */

    struct pb_crossing *message; /* [place] */
    uint32_t *next_free;         /* [place] */
    size_t messages_max, free_max;
    uint32_t used, free;
    uint32_t *entered; /* [node]: the next sequence */

    struct pb_birth *birth;
    size_t births, births_max;
    struct pb_flight_release *release;
    size_t releases_max;
    uint32_t *due, *last; /* [node]: its releases in this superframe, a list */

    struct pb_crossed *crossed; /* [phase * nodes + from] */
    struct pb_crossing *crossing;
    size_t crossings, crossings_max;
    struct pb_drop *drop;
    size_t drops, drops_max;
    uint32_t *load;              /* [node * ports + port] */
    struct pb_mover_stats stats; /* released, superframes, what pb_flight_lose drops; the rest is of the
                                    engine */
};

/* PB_ERR_MEMORY; then only pb_flight_free may follow. */
int pb_flight_create(struct pb_flight *flight, const char *engine, const struct pb_engine_options *options);
void pb_flight_free(struct pb_flight *flight);

/* Fetches the releases of a superframe. Any code of the traffic; PB_ERR_MEMORY with a diagnostic. */
int pb_flight_fetch(struct pb_flight *flight, uint32_t superframe, struct pb_diag *diag);

/* The next release of a node that is due in this phase or before, in their order; PB_NO_PLACE: none. It stays
 * the next one until pb_flight_released. */
static inline uint32_t pb_flight_due(const struct pb_flight *flight, uint32_t node, unsigned phase)
{
    const uint32_t at = flight->due[node];
    return at != PB_NO_PLACE && flight->birth[at].phase <= phase ? at : PB_NO_PLACE;
}
/* A place for the message of that release, before the node gets it. */
uint32_t pb_flight_place(struct pb_flight *flight);
/* Whether the node took the message: it is in flight from now on, unless it is to itself. */
void pb_flight_released(struct pb_flight *flight, uint32_t node, uint32_t place, bool taken);

/* Takes a message that ends without a crossing out of the table; what it was stays there until the next
 * pb_flight_fetch. */
void pb_flight_lose(struct pb_flight *flight, uint32_t place);

/* Puts what crossed in this superframe, and what was dropped, into the order of time, and clears it.
 * PB_ERR_MEMORY with a diagnostic. */
int pb_flight_collect(struct pb_flight *flight, uint32_t superframe, struct pb_diag *diag);
/* Sets all of a step but its occupancy. */
void pb_flight_step(const struct pb_flight *flight, struct pb_step *out);
/* As struct pb_engine_ops. */
void pb_flight_loads(const struct pb_flight *flight, uint32_t *load);

#endif
