/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract node's console: one line in, one line out.
 */
#include "bench/nodes/contract.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_LATE_PS INT64_C(200000000)
#define ANSWER_LATEST_PS INT64_C(49900000000)

void contract_console_reset(struct contract *node)
{
    node->line_bytes = 0;
    node->refusal = NULL;
    node->answers_at = node->answers_used = 0;
    node->answer_from_ps = 0;
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
    if (node->console_tx.busy || node->answers_used == 0 || node->now_ps < node->answer_from_ps)
        return;
    int64_t bound_ps[11];
    for (unsigned bit = 0; bit <= 10; bit++)
        bound_ps[bit] = node->now_ps + contract_span_ps(node->config.clock_ppm, node->console_tx_hz, bit);
    contract_wave_start(&node->console_tx, node->answers + node->answers_at, 1, bound_ps);
    if (contract_free(node, PB_FREEDOM_ANSWER_PAUSES))
        node->answer_from_ps = bound_ps[10] + contract_draw(node, bound_ps[1] - bound_ps[0]);
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
static const char *number_of(struct contract *node, char **rest, uint32_t *number)
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
    return large && !contract_strikes(node, PB_CONTRACT_TAKES_WRAPPED) ? "range" : NULL;
}

/* ---- parts of an answer */

struct digits {
    char text[9];
};

/* A number as the node writes it. */
static struct digits digits_of(struct contract *node, uint32_t number)
{
    struct digits digits;
    const int least = contract_free(node, PB_FREEDOM_LEADING_ZEROS) ? (int)contract_draw(node, 8) : 0;
    const bool small = contract_free(node, PB_FREEDOM_SMALL_DIGITS);
    snprintf(digits.text, sizeof digits.text, small ? "%0*" PRIx32 : "%0*" PRIX32, least, number);
    return digits;
}
#define DIGITS(number) digits_of(node, number).text

/* Pairs in another order, and pairs of the node's own. */
static void arrange_pairs(struct contract *node, char *answer, size_t size)
{
    char pairs[CONTRACT_ANSWER_MAX];
    if (contract_free(node, PB_FREEDOM_EXTRA_PAIRS) && strlen(answer) + 40 < size)
        strcat(answer, " built=2024-05-01/r7 free=1a2 mood=-");
    if (!contract_free(node, PB_FREEDOM_ORDER_OF_PAIRS))
        return;
    size_t at = strcspn(answer, " ");
    snprintf(pairs, sizeof pairs, "%s", answer + at);
    for (char *pair = strrchr(pairs, ' '); pair; pair = strrchr(pairs, ' ')) {
        at += (size_t)snprintf(answer + at, size - at, "%s", pair);
        *pair = 0;
    }
}

/* A reason in place of another. That messages are queued is reported by its own reason. */
static const char *reason_for(struct contract *node, const char *reason)
{
    static const char *const reasons[] = {"empty",  "character", "long",  "lost",  "unknown",
                                          "syntax", "range",     "length", "full"};
    if (!contract_free(node, PB_FREEDOM_OTHER_REASONS) || !strcmp(reason, "busy"))
        return reason;
    return reasons[contract_draw(node, sizeof reasons / sizeof reasons[0] - 1)];
}

/* A defect that ends a test mode. */
static void end_mode(struct contract *node, enum pb_contract_defect defect)
{
    if (node->mode != CONTRACT_NORMAL && contract_strikes(node, defect))
        node->mode = CONTRACT_NORMAL;
}

static void end_echo(struct contract *node, enum pb_contract_defect defect)
{
    if (node->mode == CONTRACT_ECHO)
        end_mode(node, defect);
}

/* ---- commands: each writes its answer and returns NULL, or returns the reason of the refusal */

static const char *identify(struct contract *node, char *answer, size_t size)
{
    uint32_t address = node->said_address;
    end_mode(node, PB_CONTRACT_IDENTITY_ENDS_MODE);
    if (contract_strikes(node, PB_CONTRACT_WRONG_ADDRESS))
        address ^= 1;
    int at = snprintf(answer, size, "+I node=contract");
    if (!contract_strikes(node, PB_CONTRACT_IDENTITY_SHORT))
        at += snprintf(answer + at, size - (size_t)at, " addr=%s", DIGITS(address));
    if (contract_strikes(node, PB_CONTRACT_IDENTITY_TWICE))
        at += snprintf(answer + at, size - (size_t)at, " addr=%s", DIGITS(address));
    const unsigned more = contract_strikes(node, PB_CONTRACT_IDENTITY_DIMS);
    if (node->nodes == 1u << node->config.digits)
        at += snprintf(answer + at, size - (size_t)at, " dims=%s", DIGITS(node->config.digits + more));
    else
        for (unsigned i = 0; i < node->config.digits; i++)
            at += snprintf(answer + at, size - (size_t)at, "%s%s", i ? "," : " radix=",
                           DIGITS(node->config.radix[i] + more));
    snprintf(answer + at, size - (size_t)at, " fw=1");
    arrange_pairs(node, answer, size);
    return NULL;
}

/* Reads bytes of two digits each, `most` of them at most. */
static const char *bytes_of(const char *digits, unsigned most, uint8_t *bytes)
{
    const size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++)
        if (digit_of(digits[i]) < 0)
            return "syntax";
    if (length % 2)
        return "syntax";
    if (length / 2 > most)
        return "length";
    for (size_t i = 0; i < length / 2; i++)
        bytes[i] = (uint8_t)(digit_of(digits[2 * i]) << 4 | digit_of(digits[2 * i + 1]));
    return NULL;
}

static const char *send(struct contract *node, char *rest, char *answer, size_t size)
{
    struct contract_message message = {.sequence = node->next_sequence};
    const char *reason = number_of(node, &rest, &message.destination);
    if (reason)
        return reason;
    const char *digits = word_of(&rest);
    if (!is_end(rest))
        return "syntax";
    if (strlen(digits) < 2 * node->config.payload_bytes && contract_strikes(node, PB_CONTRACT_PADS_ONES))
        memset(message.payload, 0xFF, sizeof message.payload);
    if (strlen(digits) < 2 * node->config.payload_bytes && contract_strikes(node, PB_CONTRACT_PADS_STALE))
        memcpy(message.payload, node->typed, sizeof message.payload);
    reason = bytes_of(digits, node->config.payload_bytes, message.payload);
    if (reason && strlen(digits) % 2 && contract_strikes(node, PB_CONTRACT_OBEYS_HALF))
        (void)contract_store(node, &message, contract_wants(node, message.destination, true), true);
    if (reason)
        return reason;
    if (message.destination >= node->nodes)
        return "range";
    const bool to_itself = message.destination == node->address;
    if (to_itself && !contract_strikes(node, PB_CONTRACT_SENDS_TO_ITSELF))
        node->count.delivered += !contract_strikes(node, PB_CONTRACT_SELF_UNCOUNTED);
    else if (!contract_store(node, &message, to_itself ? 1 : contract_wants(node, message.destination, true),
                             true))
        return "full";
    memcpy(node->typed, message.payload, sizeof node->typed);
    node->count.own_messages++;
    unsigned step = 1;
    if (contract_strikes(node, PB_CONTRACT_SKIPS_SEQUENCE))
        step = 2;
    if (contract_strikes(node, PB_CONTRACT_REPEATS_SEQUENCE))
        step = 0;
    node->next_sequence = (uint8_t)((node->next_sequence + step) & 0x0F);
    const bool lies = contract_strikes(node, PB_CONTRACT_WRONG_ANSWER);
    snprintf(answer, size, "+S %s", DIGITS((message.sequence + lies) & 0x0Fu));
    return NULL;
}

/* The pair of a counter, as a defect has it. */
static int write_counter(struct contract *node, char *text, size_t size, const char *name, uint32_t value)
{
    const bool delivered = !strcmp(name, "delivered"), stored = !strcmp(name, "max_stored");
    if (delivered && contract_strikes(node, PB_CONTRACT_COUNTER_OMITTED))
        return 0;
    if (delivered && contract_strikes(node, PB_CONTRACT_COUNTER_GARBLED))
        return snprintf(text, size, " %s=ZZ", name);
    if (delivered && contract_strikes(node, PB_CONTRACT_COUNTER_LONG))
        return snprintf(text, size, " %s=%09" PRIX32, name, value);
    if (stored && contract_strikes(node, PB_CONTRACT_COUNTER_TWICE))
        return snprintf(text, size, " %s=%s %s=%s", name, DIGITS(value), name, DIGITS(value));
    if (stored && contract_strikes(node, PB_CONTRACT_DEPTH_OFF))
        value = value ? value - 1 : 1;
    return snprintf(text, size, " %s=%s", name, DIGITS(value));
}

static const char *show(struct contract *node, char *answer, size_t size)
{
    size_t at = (size_t)snprintf(answer, size, "+T");
#define CONTRACT_SHOW(name)                                                                                  \
    at += (size_t)write_counter(node, answer + at, size - at, #name, node->count.name);
    CONTRACT_COUNTERS(CONTRACT_SHOW)
#undef CONTRACT_SHOW
    if (contract_strikes(node, PB_CONTRACT_SHOW_CLEARS))
        memset(&node->count, 0, sizeof node->count);
    if (node->stored > 0 && contract_strikes(node, PB_CONTRACT_COUNT_FORGETS))
        node->stored = 0;
    end_echo(node, PB_CONTRACT_SHOW_ENDS_ECHO);
    arrange_pairs(node, answer, size);
    return NULL;
}

static void clear_but_faults(struct contract *node)
{
    const struct contract_counters was = node->count;
    node->count = (struct contract_counters){
        .alignment_errors = was.alignment_errors,
        .missed_edges = was.missed_edges,
        .extra_edges = was.extra_edges,
        .rx_length_errors = was.rx_length_errors,
        .rx_framing_errors = was.rx_framing_errors,
        .tx_cut = was.tx_cut,
        .queue_drops = was.queue_drops,
    };
}

static const char *clear(struct contract *node, char *answer, size_t size)
{
    if (contract_strikes(node, PB_CONTRACT_CLEARS_SOME))
        node->count.edges = node->count.superframes = 0;
    else if (contract_strikes(node, PB_CONTRACT_CLEARS_BUT_FAULTS))
        clear_but_faults(node);
    else if (!contract_strikes(node, PB_CONTRACT_KEEPS_COUNTERS))
        memset(&node->count, 0, sizeof node->count);
    contract_clear_queues(node);
    if (node->next_sequence > 0 && contract_strikes(node, PB_CONTRACT_CLEAR_RESTARTS))
        node->next_sequence = 0;
    end_mode(node, PB_CONTRACT_CLEAR_ENDS_MODE);
    end_echo(node, PB_CONTRACT_CLEAR_ENDS_ECHO);
    if (node->mode == CONTRACT_PRBS && contract_strikes(node, PB_CONTRACT_PRBS_RESTARTS))
        node->prbs_sequence = 0;
    snprintf(answer, size, "+Z");
    return NULL;
}

static const char *set_mode(struct contract *node, uint32_t mode, char *answer, size_t size)
{
    if (mode >= CONTRACT_MODES) {
        if (contract_strikes(node, PB_CONTRACT_OBEYS_MODE))
            node->mode = CONTRACT_ECHO;
        end_mode(node, PB_CONTRACT_REFUSED_ENDS_MODE);
        return "range";
    }
    const bool stays = mode == CONTRACT_NORMAL && ((node->mode == CONTRACT_ECHO &&
                                                    contract_strikes(node, PB_CONTRACT_ECHO_STAYS)) ||
                                                   (node->mode == CONTRACT_PRBS &&
                                                    contract_strikes(node, PB_CONTRACT_PRBS_STAYS)));
    if (contract_strikes(node, PB_CONTRACT_MODE_CLEARS_DEPTH))
        node->count.max_queue = node->count.max_stored = 0;
    const bool again = mode == (uint32_t)node->mode && mode != CONTRACT_NORMAL;
    if (node->stored > 0 && contract_strikes(node, PB_CONTRACT_MODE_FORGETS))
        node->stored = 0;
    if (node->address != node->config.address && contract_strikes(node, PB_CONTRACT_ADDRESS_FORGOTTEN))
        node->address = node->said_address = node->config.address;
    if (!stays && !contract_strikes(node, PB_CONTRACT_KEEPS_MODE)) {
        node->mode = (enum contract_mode)mode;
        if (again)
            end_mode(node, PB_CONTRACT_MODE_TOGGLES);
        node->prbs = 0x7F;
        node->prbs_sequence = 0;
        node->echoed = 0;
    }
    if (mode != CONTRACT_NORMAL)
        contract_happens(node, PB_AFTER_MODE);
    snprintf(answer, size, "+M %s", DIGITS(mode));
    return NULL;
}

static const char *set_address(struct contract *node, uint32_t address, char *answer, size_t size)
{
    const bool beyond = address >= node->nodes;
    if (beyond && !contract_strikes(node, PB_CONTRACT_TAKES_BEYOND))
        return "range";
    if (contract_has_program(node) || contract_is_busy(node))
        return "busy";
    if (!beyond && !contract_strikes(node, PB_CONTRACT_KEEPS_ADDRESS)) {
        node->said_address = address;
        if (!contract_strikes(node, PB_CONTRACT_ADDRESS_SAID))
            node->address = address;
        end_mode(node, PB_CONTRACT_ADDRESS_ENDS_MODE);
    }
    snprintf(answer, size, "+A %s", DIGITS(address));
    return NULL;
}

static const char *load_program(struct contract *node, char *rest)
{
    uint8_t input[CONTRACT_PROGRAM_BYTES];
    uint32_t argument = 0;
    const char *name = word_of(&rest);
    const char *reason = number_of(node, &rest, &argument), *digits = word_of(&rest);
    if (!reason && !is_end(rest))
        reason = "syntax";
    if (!reason)
        reason = bytes_of(digits, sizeof input, input);
    return reason ? reason
                  : contract_program_load(node, name, argument, input, (unsigned)(strlen(digits) / 2));
}

static const char *set_program(struct contract *node, char *rest, char *answer, size_t size)
{
    if (is_end(rest)) {
        if (!contract_has_program(node) || !contract_strikes(node, PB_CONTRACT_PROGRAM_STAYS))
            contract_program_end(node);
        snprintf(answer, size, "+P");
        return NULL;
    }
    const char *reason = load_program(node, rest);
    if (reason && contract_has_program(node) && contract_strikes(node, PB_CONTRACT_PROGRAM_OBEYS_REFUSED))
        contract_program_end(node);
    if (!reason)
        snprintf(answer, size, "+P %s", DIGITS(node->program.superframes));
    return reason;
}

static const char *show_program(struct contract *node, char *answer, size_t size)
{
    static const char *const states[] = {"waits", "runs", "stopped", "done"};
    if (!contract_has_program(node)) {
        snprintf(answer, size, "+R state=none");
        arrange_pairs(node, answer, size);
        return NULL;
    }
    struct contract_program now = contract_program_now(node);
    if (now.state == CONTRACT_DONE && contract_strikes(node, PB_CONTRACT_PROGRAM_RUNS_ON))
        now.state = CONTRACT_RUNS;
    if (now.superframe > 0 && contract_strikes(node, PB_CONTRACT_PROGRAM_MISPLACED))
        now.superframe--;
    int at = snprintf(answer, size, "+R state=%s superframe=%s", states[now.state], DIGITS(now.superframe));
    at += snprintf(answer + at, size - (size_t)at, " phase=%s", DIGITS(now.phase));
    if (now.state == CONTRACT_DONE) {
        const bool stale = contract_strikes(node, PB_CONTRACT_PROGRAM_STALE);
        at += snprintf(answer + at, size - (size_t)at, " result=");
        for (unsigned i = 0; i < now.result_bytes; i++)
            at += snprintf(answer + at, size - (size_t)at, "%02X",
                           stale ? now.result_before[i] : now.result[i]);
    }
    arrange_pairs(node, answer, size);
    return NULL;
}

static const char *execute(struct contract *node, char *line, char *answer, size_t size)
{
    char *rest = line;
    const char *command = word_of(&rest);
    if (!*command)
        return "empty";
    if (command[1] || !strchr("ISTZMAPR", *command))
        return "unknown";
    if (*command == 'S')
        return send(node, rest, answer, size);
    if (*command == 'P')
        return set_program(node, rest, answer, size);

    uint32_t number = 0;
    if (*command == 'M' || *command == 'A') {
        if (rest[0] == '0' && rest[1] && contract_strikes(node, PB_CONTRACT_ZEROS_REFUSED))
            return "range";
        const char *reason = number_of(node, &rest, &number);
        if (reason && *command == 'M' && !strcmp(reason, "range"))
            number = UINT32_MAX; /* set_mode refuses it as any other, and may be broken */
        else if (reason)
            return reason;
    }
    if (!is_end(rest))
        return "syntax";
    switch (*command) {
    case 'I':
        return identify(node, answer, size);
    case 'T':
        return show(node, answer, size);
    case 'R':
        return show_program(node, answer, size);
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
    const bool idle = node->answers_used == 0 && !node->console_tx.busy;
    if (node->line_bytes > 0 && node->line[node->line_bytes - 1] == '\r')
        node->line_bytes--;
    node->line[node->line_bytes] = 0;
    const char *reason = node->refusal;
    for (unsigned i = 0; !reason && i < node->line_bytes; i++)
        if (node->line[i] < ' ' || node->line[i] > '~')
            reason = "character";
    node->line_bytes = 0;
    node->refusal = NULL;
    node->count.console_lines += contract_strikes(node, PB_CONTRACT_LINES_OFF) ? 2 : 1;
    if (CONTRACT_ANSWERS - node->answers_used < 2 * CONTRACT_ANSWER_MAX) {
        node->count.console_errors++; /* no room for the answer: the next one reports the lost line */
        node->refusal = "lost";
        return;
    }
    if (!reason)
        reason = execute(node, node->line, answer, sizeof answer);
    if (reason) {
        node->count.console_errors++;
        contract_happens(node, PB_AFTER_REFUSED);
        if (contract_strikes(node, PB_CONTRACT_REFUSED_COUNTS))
            node->next_sequence = (node->next_sequence + 1) & 0x0F;
        const bool reasons = !contract_strikes(node, PB_CONTRACT_NO_REASON);
        snprintf(answer, sizeof answer, "-%s", reasons ? reason_for(node, reason) : "");
    }
    if (contract_strikes(node, PB_CONTRACT_NO_ANSWER))
        return;
    if (contract_free(node, PB_FREEDOM_ANSWERS_LATE) && idle)
        node->answer_from_ps = node->now_ps + contract_draw(node, ANSWER_LATE_PS);
    if (contract_free(node, PB_FREEDOM_ANSWERS_LATEST) && idle && node->line[0] == 'S')
        node->answer_from_ps = node->now_ps + ANSWER_LATEST_PS;
    const bool fourth = reason && node->count.console_errors == 4,
               again = contract_strikes(node, PB_CONTRACT_ANSWERS_TWICE) ||
                       (fourth && contract_strikes(node, PB_CONTRACT_REFUSED_TWICE));
    const unsigned times = again ? 2 : 1;
    for (unsigned i = 0; i < times; i++) {
        contract_console_say(node, answer);
        contract_console_say(node, contract_free(node, PB_FREEDOM_RETURNS) ? "\r\n" : "\n");
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
