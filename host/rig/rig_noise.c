/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/rig_noise.h"
#include "phasebench/random.h"

#include <stdlib.h>

enum { CHUNK = 1024 };

struct wire {
    struct pb_noise_rates rates;
    uint64_t random; /* per direction, so that neither depends on the traffic of the other */
    unsigned going;  /* bytes of a burst still to lose */
    bool holding;    /* `held` waits for the byte that it merges with */
    uint8_t held;
};

struct noise_transport {
    struct pb_transport base;
    struct pb_transport *inner;
    struct wire in, out;
};

/* Writes the 0..2 bytes that replace the byte; returns their number. */
static size_t pass(struct wire *wire, uint8_t byte, uint8_t *out)
{
    const uint64_t random = pb_splitmix64(&wire->random);
    const uint64_t draw = random >> 32;
    const struct pb_noise_rates *rates = &wire->rates;
    uint64_t limit = rates->lost;

    if (wire->going) {
        wire->going--;
        return 0;
    }
    if (wire->holding) {
        wire->holding = false;
        out[0] = wire->held & byte;
        return 1;
    }
    out[0] = out[1] = byte;
    if (draw < limit) {
        wire->going = rates->burst > 1 ? rates->burst - 1 : 0;
        return 0;
    }
    if (draw < (limit += rates->doubled))
        return 2;
    if (draw < (limit += rates->flipped)) {
        out[0] ^= (uint8_t)(1u << (random & 7));
        return 1;
    }
    if (draw < limit + rates->merged) {
        wire->holding = true;
        wire->held = byte;
        return 0;
    }
    return 1;
}

static int noise_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct noise_transport *transport = (struct noise_transport *)base;
    for (size_t at = 0; at < count;) {
        uint8_t spoiled[2 * CHUNK];
        size_t made = 0;
        for (size_t end = count - at < CHUNK ? count : at + CHUNK; at < end; at++)
            made += pass(&transport->out, bytes[at], spoiled + made);
        const int code = made ? transport->inner->ops->write(transport->inner, spoiled, made, diag) : PB_OK;
        if (code)
            return code;
    }
    return PB_OK;
}

static int noise_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                      struct pb_diag *diag)
{
    struct noise_transport *transport = (struct noise_transport *)base;
    uint8_t whole[CHUNK];
    if (capacity < 2)
        return pb_fail(diag, PB_ERR_ARGUMENT, "room for %zu bytes to be read; a noisy rig needs 2", capacity);
    const size_t room = capacity / 2 < sizeof whole ? capacity / 2 : sizeof whole;
    const int count = transport->inner->ops->read(transport->inner, whole, room, timeout_ms, diag);
    int made = 0;
    for (int i = 0; i < count; i++)
        made += (int)pass(&transport->in, whole[i], bytes + made);
    return count < 0 ? count : made;
}

static void noise_close(struct pb_transport *base)
{
    struct noise_transport *transport = (struct noise_transport *)base;
    transport->inner->ops->close(transport->inner);
    free(transport);
}

static const struct pb_transport_ops noise_ops = {noise_write, noise_read, noise_close};

int pb_rig_noise_open(struct pb_transport **out, struct pb_transport *inner, const struct pb_noise *noise,
                      struct pb_diag *diag)
{
    struct noise_transport *transport = calloc(1, sizeof *transport);
    *out = NULL;
    if (!transport) {
        inner->ops->close(inner);
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for a noisy rig");
    }
    transport->base.ops = &noise_ops;
    transport->inner = inner;
    transport->in.random = noise->seed;
    transport->out.random = ~noise->seed;
    pb_rig_noise_set(&transport->base, noise);
    *out = &transport->base;
    return PB_OK;
}

void pb_rig_noise_set(struct pb_transport *transport, const struct pb_noise *noise)
{
    struct noise_transport *noisy = (struct noise_transport *)transport;
    noisy->in.rates = noise->in;
    noisy->out.rates = noise->out;
}

struct pb_transport *pb_rig_noise_inner(const struct pb_transport *transport)
{
    return transport->ops == &noise_ops ? ((const struct noise_transport *)transport)->inner : NULL;
}
