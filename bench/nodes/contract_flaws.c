/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a contract node with a defect of its receiver takes for valid, and what it keeps or drops in its
 * queues. A sound one does nothing of it.
 */
#include "bench/nodes/contract.h"

#include <string.h>

static unsigned frame_bytes(const struct contract *node)
{
    return contract_frame_bytes(node->config.codec, node->config.payload_bytes);
}

/* Without the destination bits that no address of the network has, the check value may be correct. */
static bool is_right_inside(struct contract *node, struct contract_message *message)
{
    struct contract_message inside = *message;
    uint8_t bytes[CONTRACT_FRAME_MAX];
    inside.destination %= node->nodes;
    const unsigned count =
        contract_frame_write(node->config.codec, &inside, node->config.payload_bytes, bytes);
    for (unsigned at = count - (node->config.codec == PB_NODE_CODEC_STARC ? 2 : 1); at < count; at++)
        if (bytes[at] != node->received[at])
            return false;
    if (!contract_strikes(node, PB_CONTRACT_CRC_BUT_OUTSIDE))
        return false;
    *message = inside;
    return true;
}

bool contract_takes_wrong_check(struct contract *node, struct contract_message *message)
{
    const bool starc = node->config.codec == PB_NODE_CODEC_STARC;
    const unsigned wrong = contract_frame_wrong_bits(node->config.codec, node->received, frame_bytes(node)),
                   highest = starc ? 0x8000 : 0x80;
    return contract_strikes(node, PB_CONTRACT_TAKES_BAD_CRC) ||
           (!(wrong & 1) && contract_strikes(node, PB_CONTRACT_CRC_LOWEST_BIT)) ||
           (!(wrong & 0x0F) && contract_strikes(node, PB_CONTRACT_CRC_LOW_BITS)) ||
           (wrong == highest && contract_strikes(node, PB_CONTRACT_CRC_BUT_HIGHEST)) ||
           (node->rx_dimension == 0 && contract_strikes(node, PB_CONTRACT_CRC_BUT_LINK)) ||
           (message->destination == node->address && contract_strikes(node, PB_CONTRACT_CRC_BUT_OWN)) ||
           (node->mode == CONTRACT_ECHO && contract_strikes(node, PB_CONTRACT_CRC_BUT_ECHO)) ||
           (node->mode == CONTRACT_PRBS && contract_strikes(node, PB_CONTRACT_CRC_BUT_PRBS)) ||
           (node->address != node->config.address && contract_strikes(node, PB_CONTRACT_CRC_BUT_MOVED)) ||
           is_right_inside(node, message);
}

bool contract_takes_low_stop(struct contract *node)
{
    const bool last = node->received_bytes + 1 == frame_bytes(node);
    return contract_strikes(node, PB_CONTRACT_TAKES_BAD_STOP) ||
           contract_strikes(node, last ? PB_CONTRACT_STOP_BUT_LAST : PB_CONTRACT_STOP_LAST_ONLY);
}

bool contract_takes_cut(struct contract *node)
{
    const unsigned head = node->config.codec == PB_NODE_CODEC_STARC  ? 5
                          : node->config.codec == PB_NODE_CODEC_SLOT ? 2
                                                                     : 0;
    const bool bare = node->received_bytes + node->config.payload_bytes == frame_bytes(node);
    return (node->received_bytes >= head && contract_strikes(node, PB_CONTRACT_TAKES_SHORT)) ||
           (bare && contract_strikes(node, PB_CONTRACT_TAKES_BARE));
}

uint32_t contract_destination(struct contract *node, uint32_t destination)
{
    const uint32_t highest = node->config.codec == PB_NODE_CODEC_STARC ? 0x8000 : 0x800,
                   rest = destination & ~highest;
    return destination >= node->nodes && rest < node->nodes &&
                   contract_strikes(node, PB_CONTRACT_OUTSIDE_HIGHEST)
               ? rest
               : destination;
}

bool contract_drops_repeat(struct contract *node, const struct contract_message *message)
{
    struct contract_message *last = &node->last[node->rx_dimension];
    const uint16_t link = (uint16_t)(1u << node->rx_dimension);
    const bool repeats = node->has_last & link && last->destination == message->destination &&
                         last->sequence == message->sequence &&
                         !memcmp(last->payload, message->payload, node->config.payload_bytes);
    *last = *message;
    node->has_last |= link;
    return repeats && contract_strikes(node, PB_CONTRACT_REPEATS_DROPPED);
}

/* Keeps the entries that `keeps` is true of. */
static void keep(struct contract *node, bool (*keeps)(const struct contract_entry *entry))
{
    unsigned kept = 0;
    for (unsigned i = 0; i < node->stored; i++)
        if (keeps(&node->entry[i]))
            node->entry[kept++] = node->entry[i];
    node->stored = kept;
}

static bool is_own(const struct contract_entry *entry)
{
    return entry->own;
}

static bool is_received(const struct contract_entry *entry)
{
    return !entry->own;
}

static bool is_high(const struct contract_entry *entry)
{
    return !(entry->wants & 1);
}

void contract_reset_queues(struct contract *node)
{
    if (contract_strikes(node, PB_CONTRACT_RESET_KEEPS_QUEUE))
        return;
    if (contract_strikes(node, PB_CONTRACT_RESET_KEEPS_RECEIVED))
        keep(node, is_received);
    else if (contract_strikes(node, PB_CONTRACT_RESET_KEEPS_HIGH))
        keep(node, is_high);
    else
        node->stored = 0;
}

void contract_forget(struct contract *node, unsigned defect)
{
    if (node->stored > 0 && contract_strikes(node, defect))
        node->stored = 0;
}

void contract_forget_own(struct contract *node, unsigned defect)
{
    if (node->stored > 0 && contract_strikes(node, defect))
        keep(node, is_received);
}

void contract_clear_queues(struct contract *node)
{
    contract_forget(node, PB_CONTRACT_CLEAR_FORGETS);
    if (node->stored > 0 && contract_strikes(node, PB_CONTRACT_CLEAR_DROPS_RECEIVED))
        keep(node, is_own);
}

bool contract_is_busy(struct contract *node)
{
    bool own = false;
    for (unsigned i = 0; i < node->stored; i++)
        own |= node->entry[i].own;
    return node->stored > 0 && !contract_strikes(node, PB_CONTRACT_BUSY_IGNORED) &&
           (own || !contract_strikes(node, PB_CONTRACT_BUSY_BY_OWN));
}
