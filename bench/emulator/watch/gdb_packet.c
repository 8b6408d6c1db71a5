/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/gdb_packet.h"

#include <stdio.h>
#include <string.h>

enum { CTRL_C = 3, ESCAPE = '}', FLIP = 0x20 };

int pb_gdb_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool pb_gdb_number(const char **at, uint32_t *value)
{
    const char *begin = *at;
    for (*value = 0; *at < begin + 8 && pb_gdb_digit(**at) >= 0; ++*at)
        *value = *value << 4 | (uint32_t)pb_gdb_digit(**at);
    return *at != begin && pb_gdb_digit(**at) < 0;
}

static enum pb_gdb_event take_content(struct pb_gdb_input *input, uint8_t byte)
{
    if (byte == '#' && !input->escaped) {
        input->place = PB_GDB_SUM_HIGH;
        return PB_GDB_NOTHING;
    }
    if (byte == '$' && !input->escaped) { /* the end of the one before was lost */
        *input = (struct pb_gdb_input){.place = PB_GDB_CONTENT};
        return PB_GDB_NOTHING;
    }
    input->sum = (uint8_t)(input->sum + byte);
    if (byte == ESCAPE && !input->escaped) {
        input->escaped = true;
        return PB_GDB_NOTHING;
    }
    if (input->length == PB_GDB_PACKET_MAX)
        input->spoilt = true;
    else
        input->text[input->length++] = (char)(input->escaped ? byte ^ FLIP : byte);
    input->escaped = false;
    return PB_GDB_NOTHING;
}

enum pb_gdb_event pb_gdb_take(struct pb_gdb_input *input, uint8_t byte)
{
    const int digit = pb_gdb_digit((char)byte);
    switch (input->place) {
    case PB_GDB_BETWEEN:
        if (byte == '$')
            *input = (struct pb_gdb_input){.place = PB_GDB_CONTENT};
        return byte == CTRL_C ? PB_GDB_INTERRUPT : PB_GDB_NOTHING;
    case PB_GDB_CONTENT:
        return take_content(input, byte);
    case PB_GDB_SUM_HIGH:
        input->spoilt |= digit < 0;
        input->given = (uint8_t)(digit << 4);
        input->place = PB_GDB_SUM_LOW;
        return PB_GDB_NOTHING;
    case PB_GDB_SUM_LOW:
        input->spoilt |= digit < 0 || (input->given | digit) != input->sum || input->escaped;
        input->place = PB_GDB_BETWEEN;
        input->text[input->length] = '\0';
        return input->spoilt ? PB_GDB_DAMAGED : PB_GDB_PACKET;
    }
    return PB_GDB_NOTHING;
}

size_t pb_gdb_frame(char out[PB_GDB_PACKET_MAX + 5], const char *text)
{
    uint8_t sum = 0;
    for (const char *c = text; *c; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    return (size_t)snprintf(out, PB_GDB_PACKET_MAX + 5, "$%.*s#%02x", PB_GDB_PACKET_MAX, text, sum);
}
