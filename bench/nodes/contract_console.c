/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node's console: one line in, one line out.
 */
#include "bench/nodes/contract.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void contract_console_reset(struct contract *node)
{
    node->line_bytes = 0;
    node->refusal = NULL;
    node->answers_at = node->answers_used = 0;
    contract_wave_stop(&node->console_tx);
    contract_rx_listen(&node->console_rx, node->now_ps, node->in.uart0_rx);
}

void contract_console_say(struct contract *node, const char *text)
{
    for (; *text && node->answers_used < CONTRACT_ANSWERS; text++)
        node->answers[(node->answers_at + node->answers_used++) % CONTRACT_ANSWERS] = (uint8_t)*text;
}

void contract_console_send(struct contract *node)
{
    if (node->console_tx.busy || node->answers_used == 0)
        return;
    int64_t bound_ps[11];
    for (unsigned bit = 0; bit <= 10; bit++)
        bound_ps[bit] = node->now_ps + contract_span_ps(node->config.clock_ppm, node->console_tx_hz, bit);
    contract_wave_start(&node->console_tx, node->answers + node->answers_at, 1, bound_ps);
    node->answers_at = (node->answers_at + 1) % CONTRACT_ANSWERS;
    node->answers_used--;
}

/* ---- words of a line */

static const char *word_of(char **rest)
{
    *rest += strspn(*rest, " ");
    const char *word = *rest;
    *rest += strcspn(*rest, " ");
    if (**rest)
        *(*rest)++ = 0;
    return word;
}

static bool is_end(char *rest)
{
    return rest[strspn(rest, " ")] == 0;
}

static int digit_of(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char small = character >= 'A' && character <= 'F' ? (char)(character - 'A' + 'a') : character;
    const char *at = small ? strchr(digits, small) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Reads a number of up to 16 bits. Returns NULL, or the reason of the refusal. */
static const char *number_of(char **rest, uint32_t *number)
{
    const char *word = word_of(rest);
    if (!*word)
        return "syntax";
    bool large = false;
    *number = 0;
    for (; *word; word++) {
        const int digit = digit_of(*word);
        if (digit < 0)
            return "syntax";
        *number = *number << 4 | (uint32_t)digit;
        large = large || *number > 0xFFFF;
        *number &= 0xFFFF;
    }
    return large ? "range" : NULL;
}

/* ---- commands: each writes its answer and returns NULL, or returns the reason of the refusal */

static const char *identify(struct contract *node, char *answer, size_t size)
{
    uint32_t address = node->address;
    if (contract_strikes(node, PB_CONTRACT_WRONG_ADDRESS))
        address ^= 1;
    int at = snprintf(answer, size, "+I node=contract addr=%" PRIX32, address);
    if (node->nodes == 1u << node->config.digits)
        at += snprintf(answer + at, size - (size_t)at, " dims=%X", node->config.digits);
    else
        for (unsigned i = 0; i < node->config.digits; i++)
            at +=
                snprintf(answer + at, size - (size_t)at, "%s%X", i ? "," : " radix=", node->config.radix[i]);
    snprintf(answer + at, size - (size_t)at, " fw=1");
    return NULL;
}

static const char *payload_of(const struct contract *node, const char *digits, uint8_t *payload)
{
    const size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++)
        if (digit_of(digits[i]) < 0)
            return "syntax";
    if (length % 2)
        return "syntax";
    if (length / 2 > node->config.payload_bytes)
        return "length";
    for (size_t i = 0; i < length / 2; i++)
        payload[i] = (uint8_t)(digit_of(digits[2 * i]) << 4 | digit_of(digits[2 * i + 1]));
    return NULL;
}

static const char *send(struct contract *node, char *rest, char *answer, size_t size)
{
    struct contract_message message = {.sequence = node->next_sequence};
    const char *reason = number_of(&rest, &message.destination);
    if (reason)
        return reason;
    const char *digits = word_of(&rest);
    if (!is_end(rest))
        return "syntax";
    if (strlen(digits) < 2 * node->config.payload_bytes && contract_strikes(node, PB_CONTRACT_PADS_ONES))
        memset(message.payload, 0xFF, sizeof message.payload);
    reason = payload_of(node, digits, message.payload);
    if (reason)
        return reason;
    if (message.destination >= node->nodes)
        return "range";
    const bool to_itself = message.destination == node->address;
    if (to_itself && !contract_strikes(node, PB_CONTRACT_SENDS_TO_ITSELF))
        node->count.delivered++;
    else if (!contract_store(node, &message, to_itself ? 1 : contract_wants(node, message.destination, true),
                             true))
        return "full";
    node->count.own_messages++;
    unsigned step = 1;
    if (contract_strikes(node, PB_CONTRACT_SKIPS_SEQUENCE))
        step = 2;
    if (contract_strikes(node, PB_CONTRACT_REPEATS_SEQUENCE))
        step = 0;
    node->next_sequence = (uint8_t)((node->next_sequence + step) & 0x0F);
    const bool lies = contract_strikes(node, PB_CONTRACT_WRONG_ANSWER);
    snprintf(answer, size, "+S %X", (message.sequence + lies) & 0x0Fu);
    return NULL;
}

static const char *show(struct contract *node, char *answer, size_t size)
{
    size_t at = (size_t)snprintf(answer, size, "+T");
#define CONTRACT_SHOW(name)                                                                                  \
    at += (size_t)snprintf(answer + at, size - at, " " #name "=%" PRIX32, node->count.name);
    CONTRACT_COUNTERS(CONTRACT_SHOW)
#undef CONTRACT_SHOW
    return NULL;
}

static const char *clear(struct contract *node, char *answer, size_t size)
{
    if (!contract_strikes(node, PB_CONTRACT_KEEPS_COUNTERS))
        memset(&node->count, 0, sizeof node->count);
    snprintf(answer, size, "+Z");
    return NULL;
}

static const char *set_mode(struct contract *node, uint32_t mode, char *answer, size_t size)
{
    if (mode >= CONTRACT_MODES)
        return "range";
    const bool stays = mode == CONTRACT_NORMAL && node->mode == CONTRACT_ECHO &&
                       contract_strikes(node, PB_CONTRACT_ECHO_STAYS);
    if (!stays && !contract_strikes(node, PB_CONTRACT_KEEPS_MODE)) {
        node->mode = (enum contract_mode)mode;
        node->prbs = 0x7F;
        node->prbs_sequence = 0;
    }
    snprintf(answer, size, "+M %" PRIX32, mode);
    return NULL;
}

static const char *set_address(struct contract *node, uint32_t address, char *answer, size_t size)
{
    if (address >= node->nodes)
        return "range";
    if (node->stored > 0)
        return "busy";
    if (!contract_strikes(node, PB_CONTRACT_KEEPS_ADDRESS))
        node->address = address;
    snprintf(answer, size, "+A %" PRIX32, address);
    return NULL;
}

static const char *execute(struct contract *node, char *line, char *answer, size_t size)
{
    char *rest = line;
    const char *command = word_of(&rest);
    if (!*command)
        return "empty";
    if (command[1] || !strchr("ISTZMA", *command))
        return "unknown";
    if (*command == 'S')
        return send(node, rest, answer, size);

    uint32_t number = 0;
    if (*command == 'M' || *command == 'A') {
        const char *reason = number_of(&rest, &number);
        if (reason)
            return reason;
    }
    if (!is_end(rest))
        return "syntax";
    switch (*command) {
    case 'I':
        return identify(node, answer, size);
    case 'T':
        return show(node, answer, size);
    case 'Z':
        return clear(node, answer, size);
    case 'M':
        return set_mode(node, number, answer, size);
    default:
        return set_address(node, number, answer, size);
    }
}

static void end_line(struct contract *node)
{
    char answer[CONTRACT_ANSWER_MAX];
    if (node->line_bytes > 0 && node->line[node->line_bytes - 1] == '\r')
        node->line_bytes--;
    node->line[node->line_bytes] = 0;
    const char *reason = node->refusal;
    for (unsigned i = 0; !reason && i < node->line_bytes; i++)
        if (node->line[i] < ' ' || node->line[i] > '~')
            reason = "character";
    node->line_bytes = 0;
    node->refusal = NULL;
    node->count.console_lines++;
    if (CONTRACT_ANSWERS - node->answers_used < 2 * CONTRACT_ANSWER_MAX) {
        node->count.console_errors++; /* no room for the answer: the next one reports the lost line */
        node->refusal = "lost";
        return;
    }
    if (!reason)
        reason = execute(node, node->line, answer, sizeof answer);
    if (reason) {
        node->count.console_errors++;
        if (contract_strikes(node, PB_CONTRACT_REFUSED_COUNTS))
            node->next_sequence = (node->next_sequence + 1) & 0x0F;
        const bool reasons = !contract_strikes(node, PB_CONTRACT_NO_REASON);
        snprintf(answer, sizeof answer, "-%s", reasons ? reason : "");
    }
    if (contract_strikes(node, PB_CONTRACT_NO_ANSWER))
        return;
    const unsigned times = contract_strikes(node, PB_CONTRACT_ANSWERS_TWICE) ? 2 : 1;
    for (unsigned i = 0; i < times; i++) {
        contract_console_say(node, answer);
        contract_console_say(node, "\n");
    }
}

void contract_console_byte(struct contract *node, struct contract_byte byte)
{
    if (!byte.stop) {
        if (!node->refusal)
            node->refusal = "character";
    } else if (byte.value == '\n') {
        end_line(node);
    } else if (node->line_bytes < CONTRACT_LINE_MAX - 1) {
        node->line[node->line_bytes++] = (char)byte.value;
    } else if (!node->refusal) {
        node->refusal = "long";
    }
}
