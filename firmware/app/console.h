/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The control console: one line in, one line out. The commands are in docs/node.md.
 *
 * A line that cannot be carried out is answered with - and one of: empty, character (not printable ASCII),
 * long, lost (it began before the line before it was answered), unknown, syntax, range, length, full, busy.
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

/* No answer is longer, in bytes: the statistics with " name=" and eight digits each, or the identity. */
#define STATS_TEXT(name) +sizeof #name + 10
enum { CONSOLE_ANSWER_MAX = 64 STATS_LIST(STATS_TEXT) };
#undef STATS_TEXT

struct console {
    char line[CONSOLE_LINE_MAX];
    uint8_t length;
    const char *error;   /* reason to refuse the line being collected, or NULL */
    bool overrun;        /* a line began while `ready`; its head is gone */
    volatile bool ready; /* the line is complete: the byte handler leaves it alone until it is answered */
};

void console_init(struct console *console);

/* Collects a byte. From the byte handler; a few instructions. Returns false when the end of a line was lost
 * because the line before it is not answered yet. */
bool console_byte(struct console *console, uint8_t byte);

/* Carries out and answers the collected line, if there is one. From the loop; takes as long as the port takes
 * to accept the answer. */
void console_run(struct node *node);

#endif
