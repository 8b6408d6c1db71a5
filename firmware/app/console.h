/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The control console: one line in, one line out. The commands are in docs/node.md.
 *
 * The answer to a refused line is - and one of: empty, character (not printable ASCII), long, lost (it began
 * before the last line was answered), unknown, syntax, range, length, full, busy.
 */
#ifndef FW_CONSOLE_H
#define FW_CONSOLE_H

#include "codec.h"
#include "stats.h"

#include <stdbool.h>
#include <stdint.h>

struct node;

/* "S DEST PAYLOAD" with the longest payload, and room for leading zeros. */
#define CONSOLE_LINE_MAX (2 * CODEC_PAYLOAD_MAX + 16)

/* Longest answer, bytes: the statistics with " name=" and eight digits each, or the identity. */
#define STATS_TEXT(name) +sizeof #name + 10
enum { CONSOLE_ANSWER_MAX = 64 STATS_LIST(STATS_TEXT) };
#undef STATS_TEXT

struct console {
    char line[CONSOLE_LINE_MAX];
    uint8_t length;
    const char *error;   /* reason to refuse the line being collected, or NULL */
    bool overrun;        /* a line began while `ready`; its first bytes are lost */
    volatile bool ready; /* the line is complete: the byte handler does not change it until it is answered */
};

void console_init(struct console *console);

/* Collects a byte. From the byte handler; a few instructions. Returns false if the end of a line was lost
 * because the last line is not answered yet. */
bool console_byte(struct console *console, uint8_t byte);

/* Executes and answers the collected line, if any. From the loop; blocks until the port has accepted the
 * answer. */
void console_run(struct node *node);

#endif
