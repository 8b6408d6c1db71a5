/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "console_words.h"

#include "node.h"

#include <string.h>

void console_init(struct console *console)
{
    console->length = 0;
    console->error = NULL;
    console->overrun = false;
    console->ready = false;
}

bool console_byte(struct console *console, uint8_t byte)
{
    if (console->ready) {
        console->overrun = byte != '\n';
        return console->overrun;
    }
    if (console->overrun) {
        console->overrun = false;
        console->error = "lost";
    }
    if (byte == '\n')
        console->ready = true;
    else if (console->length < CONSOLE_LINE_MAX)
        console->line[console->length++] = (char)byte;
    else if (!console->error)
        console->error = "long";
    return true;
}

uint8_t console_word(struct words *words, const char **word)
{
    while (words->at < words->end && *words->at == ' ')
        words->at++;
    *word = words->at;
    while (words->at < words->end && *words->at != ' ')
        words->at++;
    return (uint8_t)(words->at - *word);
}

static int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

const char *console_number(struct words *words, uint16_t *number)
{
    const char *word;
    const uint8_t length = console_word(words, &word);

    if (length == 0)
        return "syntax";
    *number = 0;
    for (uint8_t i = 0; i < length; i++) {
        const int digit = digit_value(word[i]);
        if (digit < 0)
            return "syntax";
        if (*number > 0x0FFF)
            return "range";
        *number = (uint16_t)((*number << 4) | digit);
    }
    return NULL;
}

bool console_at_end(struct words *words)
{
    const char *word;
    return console_word(words, &word) == 0;
}

void console_put(struct node *node, const char *text)
{
    port_console_write(node->port, text, strlen(text));
}

void console_put_number(struct node *node, const char *before, uint32_t number)
{
    char text[9];
    uint8_t at = sizeof text - 1;

    text[at] = '\0';
    do {
        text[--at] = "0123456789ABCDEF"[number & 0x0F];
        number >>= 4;
    } while (number);
    console_put(node, before);
    console_put(node, text + at);
}

/* Each command writes its answer without the line end and returns NULL, or returns the reason of refusal. */

static const char *identify(struct node *node, struct words *words)
{
    const struct route_network *network = node->config.network;
    if (!console_at_end(words))
        return "syntax";
    console_put(node, "+I node=");
    console_put(node, node->config.name);
    console_put_number(node, " addr=", node->address);
    if (network->nodes == 1u << network->digits)
        console_put_number(node, " dims=", network->digits);
    else
        for (uint8_t digit = 0; digit < network->digits; digit++)
            console_put_number(node, digit ? "," : " radix=", network->radix[digit]);
    console_put_number(node, " fw=", NODE_FIRMWARE_VERSION);
    return NULL;
}

const char *console_bytes(uint8_t *bytes, uint8_t most, const char *digits, uint8_t length)
{
    if (length % 2 != 0)
        return "syntax";
    if (length / 2 > most)
        return "length";
    for (uint8_t i = 0; i < length; i++) {
        const int digit = digit_value(digits[i]);
        if (digit < 0)
            return "syntax";
        bytes[i / 2] = (uint8_t)((bytes[i / 2] << 4) | digit);
    }
    return NULL;
}

static const char *send(struct node *node, struct words *words)
{
    struct frame frame;
    const char *digits;
    const char *error = console_number(words, &frame.destination);
    if (error)
        return error;

    const uint8_t length = console_word(words, &digits);
    if (!console_at_end(words))
        return "syntax";
    memset(frame.payload, 0, sizeof frame.payload);
    error = console_bytes(frame.payload, node->config.payload_bytes, digits, length);
    if (error)
        return error;
    switch (node_send(node, &frame)) {
    case NODE_SEND_RANGE:
        return "range";
    case NODE_SEND_FULL:
        return "full";
    case NODE_SEND_QUEUED:
        break;
    }
    console_put_number(node, "+S ", frame.sequence);
    return NULL;
}

static const char *show_stats(struct node *node, struct words *words)
{
    if (!console_at_end(words))
        return "syntax";

    const struct stats stats = node_stats(node);
    console_put(node, "+T");
#define PUT_STATS(name) console_put_number(node, " " #name "=", stats.name);
    STATS_LIST(PUT_STATS)
#undef PUT_STATS
    return NULL;
}

static const char *clear(struct node *node, struct words *words)
{
    if (!console_at_end(words))
        return "syntax";
    node_clear_stats(node);
    console_put(node, "+Z");
    return NULL;
}

static const char *set_mode(struct node *node, struct words *words)
{
    uint16_t mode;
    const char *error = console_number(words, &mode);
    if (error)
        return error;
    if (!console_at_end(words))
        return "syntax";
    if (mode >= TEST_MODE_COUNT)
        return "range";
    node_set_mode(node, (enum test_mode)mode);
    console_put_number(node, "+M ", mode);
    return NULL;
}

static const char *set_address(struct node *node, struct words *words)
{
    uint16_t address;
    const char *error = console_number(words, &address);
    if (error)
        return error;
    if (!console_at_end(words))
        return "syntax";
    if (address >= node->config.network->nodes)
        return "range";
    if (!node_set_address(node, address))
        return "busy";
    console_put_number(node, "+A ", address);
    return NULL;
}

static const char *execute(struct node *node, const char *line, uint8_t length)
{
    struct words words = {line, line + length};
    const char *command;

    for (uint8_t i = 0; i < length; i++)
        if (line[i] < ' ' || line[i] > '~')
            return "character";
    switch (console_word(&words, &command)) {
    case 0:
        return "empty";
    case 1:
        break;
    default:
        return "unknown";
    }
    switch (*command) {
    case 'I':
        return identify(node, &words);
    case 'S':
        return send(node, &words);
    case 'T':
        return show_stats(node, &words);
    case 'Z':
        return clear(node, &words);
    case 'M':
        return set_mode(node, &words);
    case 'A':
        return set_address(node, &words);
    case 'P':
        return node->config.program ? console_load_program(node, &words) : "unknown";
    case 'R':
        return node->config.program ? console_show_program(node, &words) : "unknown";
    default:
        return "unknown";
    }
}

/* Byte handlers also count, and an increment is not atomic on every MCU. */
static void count(struct node *node, uint32_t *counter)
{
    const uint32_t state = port_irq_save(node->port);
    ++*counter;
    port_irq_restore(node->port, state);
}

void console_run(struct node *node)
{
    struct console *console = &node->console;
    if (!console->ready)
        return;

    uint8_t length = console->length;
    if (length > 0 && console->line[length - 1] == '\r')
        length--;
    count(node, &node->stats.console_lines);
    const char *error = console->error ? console->error : execute(node, console->line, length);
    if (error) {
        count(node, &node->stats.console_errors);
        console_put(node, "-");
        console_put(node, error);
    }
    console_put(node, "\n");
    console->length = 0;
    console->error = NULL;
    console->ready = false;
}
