/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/process_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static bool wrong(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, PB_PROCESS_WHY, format, arguments);
    va_end(arguments);
    return false;
}

bool pb_process_check_header(const uint8_t *header, uint32_t type, char *why)
{
    const uint32_t size = pb_process_get32(header), given = pb_process_get32(header + 4);
    if (given != type)
        return wrong(why, "a message of type 0x%" PRIX32 "; type %" PRIu32 " is due", given, type);
    const uint32_t least = type == PB_PROCESS_HELLO ? PB_PROCESS_VERSION_BYTES : PB_PROCESS_ANSWER_BYTES,
                   most = type == PB_PROCESS_HELLO ? PB_PROCESS_VERSION_BYTES + PB_PROCESS_NAME_MAX
                                                   : PB_PROCESS_BODY_MAX;
    return (size >= least && size <= most) ||
           wrong(why, "a body of %" PRIu32 " bytes; %" PRIu32 " to %" PRIu32 " are possible", size, least,
                 most);
}

bool pb_process_read_version(const uint8_t *body, size_t size, char *name, char *why)
{
    const uint32_t version = pb_process_get32(body);
    if (version != PB_PROCESS_VERSION)
        return wrong(why, "version %" PRIu32 " of the protocol; this bench speaks version %d", version,
                     PB_PROCESS_VERSION);
    const size_t length = size - PB_PROCESS_VERSION_BYTES;
    for (size_t i = 0; i < length; i++) {
        const char c = (char)body[PB_PROCESS_VERSION_BYTES + i];
        if (c < ' ' || c > '~')
            return wrong(why, "byte 0x%02x in its name; printable ASCII is possible", (unsigned char)c);
        name[i] = c;
    }
    name[length] = '\0';
    return true;
}

static bool check_outputs(uint32_t pins, char *why)
{
    if (pins & ~(uint32_t)PB_PROCESS_OUTPUTS)
        return wrong(why, "outputs 0x%08" PRIX32 "; only bits of 0x%08X exist", pins, PB_PROCESS_OUTPUTS);
    return !(pins >> PB_PROCESS_HIGH_SHIFT & pins & PB_PROCESS_PULL) ||
           wrong(why, "outputs 0x%08" PRIX32 ", which pull a link low and drive it high", pins);
}

bool pb_process_read_answer(struct pb_process_answer *answer, struct pb_process_change *change,
                            const struct pb_process_advance *advance, const uint8_t *body, size_t size,
                            char *why)
{
    *answer = pb_process_get_answer(body);
    if (answer->serial != advance->serial)
        return wrong(why, "serial %" PRIu32 " in an answer to ADVANCE %" PRIu32, answer->serial,
                     advance->serial);
    if (answer->count > PB_PROCESS_CHANGES_MAX ||
        size != PB_PROCESS_ANSWER_BYTES + (size_t)answer->count * PB_PROCESS_CHANGE_BYTES)
        return wrong(why, "a schedule of %" PRIu32 " changes in a body of %zu bytes", answer->count, size);
    if (answer->wake_ps <= advance->now_ps)
        return wrong(why, "%" PRId64 " ps as its next time at %" PRId64 " ps; later is possible",
                     answer->wake_ps, advance->now_ps);
    if ((answer->urgent_rise | answer->urgent_fall) & ~(uint32_t)PB_PROCESS_INPUTS || answer->reserved)
        return wrong(why, "urgent inputs 0x%08" PRIX32 " and 0x%08" PRIX32 "; only bits of 0x%08X exist",
                     answer->urgent_rise, answer->urgent_fall, PB_PROCESS_INPUTS);
    if (!check_outputs(answer->pins, why))
        return false;
    int64_t before_ps = advance->now_ps;
    for (uint32_t i = 0; i < answer->count; i++) {
        change[i] = pb_process_get_change(body + PB_PROCESS_ANSWER_BYTES + i * PB_PROCESS_CHANGE_BYTES);
        if (change[i].at_ps <= before_ps || change[i].reserved)
            return wrong(why, "a change at %" PRId64 " ps after %" PRId64 " ps; later is possible",
                         change[i].at_ps, before_ps);
        if (!check_outputs(change[i].pins, why))
            return false;
        before_ps = change[i].at_ps;
    }
    return true;
}
