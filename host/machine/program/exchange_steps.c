/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/budget.h"
#include "phasebench/program.h"

#define PS_PER_S INT64_C(1000000000000)
enum { BYTE_BITS = 10 };

struct search {
    unsigned dims, message_bytes, steps_most;
    const struct pb_exchange_line *line;
    struct pb_exchange_steps now, best;
};

static uint64_t divided_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

static uint64_t superframes_of(const struct search *search, unsigned payload_bytes)
{
    uint64_t superframes = 1;
    for (unsigned i = 0; i < search->now.steps; i++) {
        const unsigned dims = search->now.dims[i];
        const uint64_t block_bytes = (uint64_t)search->message_bytes << (search->dims - dims);
        superframes += ((uint64_t)1 << (dims - 1)) * divided_up(block_bytes, payload_bytes) - 1;
    }
    return superframes;
}

static int64_t phase_ps(const struct search *search, unsigned payload_bytes)
{
    const uint64_t bits = (uint64_t)(payload_bytes + search->line->check_bytes) * BYTE_BITS;
    return search->line->guard_ps + (int64_t)divided_up(bits * (uint64_t)PS_PER_S, search->line->baud_hz);
}

static void try_payloads(struct search *search)
{
    struct pb_exchange_steps *best = &search->best;
    for (unsigned bytes = 1; bytes <= PB_EXCHANGE_PAYLOAD_MAX; bytes++) {
        const uint64_t superframes = superframes_of(search, bytes);
        int64_t duration_ps;
        if (__builtin_mul_overflow(2 * search->dims * (int64_t)superframes, phase_ps(search, bytes),
                                   &duration_ps))
            continue;
        if (best->steps && duration_ps > best->duration_ps)
            continue;
        if (best->steps && duration_ps == best->duration_ps && best->steps <= search->now.steps)
            continue;
        *best = search->now;
        best->payload_bytes = bytes;
        best->superframes = superframes;
        best->duration_ps = duration_ps;
    }
}

/* The order of steps changes nothing, so each has at most as many dimensions as the one before it. */
static void divide(struct search *search, unsigned left)
{
    struct pb_exchange_steps *now = &search->now;
    if (!left) {
        try_payloads(search);
        return;
    }
    if (now->steps == search->steps_most)
        return;
    const unsigned most = now->steps && now->dims[now->steps - 1] < left ? now->dims[now->steps - 1] : left;
    for (unsigned dims = most; dims > 0; dims--) {
        now->dims[now->steps++] = (uint8_t)dims;
        divide(search, left - dims);
        now->steps--;
    }
}

struct pb_exchange_steps pb_exchange_shortest(unsigned dims, unsigned message_bytes, unsigned steps_most,
                                              const struct pb_exchange_line *line)
{
    struct search search = {
        .dims = dims, .message_bytes = message_bytes, .steps_most = steps_most, .line = line};
    if (dims > 0 && dims <= PB_EXCHANGE_DIMS_MAX && message_bytes > 0 &&
        message_bytes <= PB_EXCHANGE_MESSAGE_MAX && line->baud_hz >= PB_BAUD_MIN_HZ &&
        line->baud_hz <= PB_BAUD_MAX_HZ && line->guard_ps >= 0 && line->guard_ps <= PB_GUARD_MAX_PS &&
        line->check_bytes <= PB_EXCHANGE_MESSAGE_MAX)
        divide(&search, dims);
    return search.best;
}
