/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the contract node does otherwise by a freedom (freedoms.h), where that takes more than a line.
 */
#include "bench/nodes/contract.h"

#define PS_PER_S INT64_C(1000000000000)
#define START_SLACK_PS INT64_C(200000) /* before a limit */

static uint64_t next_random(struct contract *node)
{
    node->random ^= node->random << 13;
    node->random ^= node->random >> 7;
    node->random ^= node->random << 17;
    return node->random;
}

int64_t contract_draw(struct contract *node, int64_t most)
{
    return (int64_t)(next_random(node) % ((uint64_t)most + 1));
}

static int64_t bits_ps(const struct contract *node, uint64_t bits)
{
    return contract_span_ps(node->config.clock_ppm, node->config.baud_hz, bits);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t at_least_0(int64_t ps)
{
    return ps > 0 ? ps : 0;
}

int64_t contract_start_offset_ps(struct contract *node)
{
    const struct pb_node_config *config = &node->config;
    const int64_t handled_ps = config->irq_latency_ps + config->irq_jitter_ps + START_SLACK_PS,
                  frame_ps = bits_ps(node, 10 * contract_frame_bytes(config->codec, config->payload_bytes)),
                  room_ps = PS_PER_S * 1000 / config->phase_rate_mhz - config->head_guard_ps -
                            config->tail_guard_ps - frame_ps,
                  early_ps = earlier(node->broken.start_early_ps / 2, config->head_guard_ps - handled_ps),
                  late_ps = earlier(node->broken.start_late_ps / 2, room_ps - START_SLACK_PS);
    const int64_t from_ps = at_least_0(early_ps), to_ps = at_least_0(late_ps);
    return contract_draw(node, from_ps + to_ps) - from_ps;
}

/* Returns true if a defect makes the node send the message again, otherwise than it may. */
static bool spoil_resent(struct contract *node, struct contract_entry *entry)
{
    const unsigned payload = node->config.payload_bytes;
    const bool elsewhere = node->links > 1 && contract_strikes(node, PB_CONTRACT_RESENDS_ELSEWHERE),
               altered = payload > 0 && contract_strikes(node, PB_CONTRACT_RESENDS_ALTERED);
    if (elsewhere)
        entry->wants = 1u << (node->sent_dimension + 1) % node->links;
    if (altered)
        entry->message.payload[payload - 1]++; /* which does not cancel out when that one is cut, too */
    return elsewhere || altered;
}

void contract_resend(struct contract *node)
{
    static const enum pb_freedom way[] = {PB_FREEDOM_RESENDS_FIRST, PB_FREEDOM_RESENDS_LAST,
                                          PB_FREEDOM_RESENDS_IDLE};
    struct contract_entry entry = node->sent;
    unsigned ways = 0;
    enum pb_freedom taken[3];
    for (unsigned i = 0; i < sizeof way / sizeof way[0]; i++)
        if (contract_free(node, way[i]))
            taken[ways++] = way[i];
    entry.wants = 1u << node->sent_dimension;
    entry.from_phase = 0;
    entry.again = 0;
    if (spoil_resent(node, &entry)) {
        contract_put_back(node, &entry, true);
        return;
    }
    if (ways == 0)
        return;
    const enum pb_freedom chosen = taken[contract_draw(node, ways - 1)];
    entry.yields = chosen == PB_FREEDOM_RESENDS_IDLE;
    contract_put_back(node, &entry, chosen == PB_FREEDOM_RESENDS_FIRST);
}

bool contract_ends_uncut(struct contract *node)
{
    const struct contract_wave *wave = &node->wave;
    if (wave->end_ps - bits_ps(node, 1) <= node->now_ps && contract_free(node, PB_FREEDOM_STOP_IS_WHOLE))
        return true;
    if (!node->sent_is_message || wave->start_ps <= node->now_ps ||
        !contract_free(node, PB_FREEDOM_KEEPS_UNBEGUN))
        return false;
    node->count.tx_frames--;
    contract_put_back(node, &node->sent, true);
    return true;
}
