/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All times are fractions: with the rate F in millihertz a phase lasts 10^15 / F picoseconds, and with the
 * guard g in picoseconds the room between the guards is (10^15 - g F) / F. Every quantity is one such
 * fraction, divided once and rounded once. The products need up to 90 bits.
 */
#include "phasebench/budget.h"

#include "phasebench/network.h"

#include <inttypes.h>

#define PS_PER_SECOND INT64_C(1000000000000)
#define PS_MHZ INT64_C(1000000000000000) /* picoseconds times millihertz: one second times one hertz */
#define BITS_PER_BYTE 10                 /* 8N1 */
#define PPM 1000000

/* Signed, because a guard longer than the phase leaves negative room. */
typedef __int128 wide;

static int check_range(struct pb_diag *diag, const char *what, const char *unit, int64_t value, int64_t low,
                       int64_t high)
{
    if (value >= low && value <= high)
        return 0;
    return pb_fail(diag, PB_ERR_ARGUMENT, "%s is %" PRId64 " %s; give %" PRId64 "..%" PRId64 " %s", what,
                   value, unit, low, high, unit);
}

static int check_input(const struct pb_budget_input *input, struct pb_diag *diag)
{
    const struct {
        const char *what, *unit;
        int64_t value, low, high;
    } ranges[] = {
        {"phase rate", "millihertz", (int64_t)input->phase_rate_mhz, PB_PHASE_RATE_MIN_MHZ,
         PB_PHASE_RATE_MAX_MHZ},
        {"baud rate", "Hz", (int64_t)input->baud_hz, PB_BAUD_MIN_HZ, PB_BAUD_MAX_HZ},
        {"guard", "ps", input->guard_ps, 0, PB_GUARD_MAX_PS},
        {"header", "bytes", input->header_bytes, 0, PB_FRAME_PART_MAX_BYTES},
        {"check", "bytes", input->check_bytes, 0, PB_FRAME_PART_MAX_BYTES},
        {"payload", "bytes", input->payload_bytes, 0, PB_FRAME_PART_MAX_BYTES},
        {"superframe", "phases", input->phases, 2, PB_NETWORK_PHASES_MAX},
        {"clock error", "ppm", input->clock_ppm, 0, PB_CLOCK_MAX_PPM},
    };

    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int code =
            check_range(diag, ranges[i].what, ranges[i].unit, ranges[i].value, ranges[i].low, ranges[i].high);
        if (code)
            return code;
    }
    return 0;
}

/* The limits solve (10^15 - g F) B >= bits F 10^12, the condition that `bits` fit, for F, B and g in turn. */

static uint64_t limit_phase_rate(wide bits, wide baud, wide guard)
{
    wide per_rate = bits * PS_PER_SECOND + guard * baud;
    wide limit = PS_MHZ * baud / per_rate;
    if (limit < (wide)PB_PHASE_RATE_MIN_MHZ)
        return 0;
    return limit > (wide)PB_PHASE_RATE_MAX_MHZ ? PB_PHASE_RATE_MAX_MHZ : (uint64_t)limit;
}

static uint64_t limit_baud(wide bits, wide rate, wide room)
{
    if (room <= 0)
        return 0;
    wide limit = (bits * rate * PS_PER_SECOND + room - 1) / room;
    if (limit > (wide)PB_BAUD_MAX_HZ)
        return 0;
    return limit < (wide)PB_BAUD_MIN_HZ ? PB_BAUD_MIN_HZ : (uint64_t)limit;
}

static int64_t limit_guard(wide bits, wide rate, wide baud)
{
    wide spare = PS_MHZ * baud - bits * PS_PER_SECOND * rate;
    return spare < 0 ? -1 : (int64_t)(spare / (rate * baud));
}

int pb_budget(const struct pb_budget_input *input, struct pb_budget *budget, struct pb_diag *diag)
{
    *budget = (struct pb_budget){0};
    int code = check_input(input, diag);
    if (code)
        return code;

    wide rate = input->phase_rate_mhz, baud = input->baud_hz, guard = input->guard_ps;
    wide room = PS_MHZ - guard * rate;                            /* between the guards, times the rate */
    wide superframe = (wide)input->phases * PS_MHZ;               /* times the rate */
    uint32_t overhead = input->header_bytes + input->check_bytes;
    uint32_t wanted = input->payload_bytes ? input->payload_bytes : 1;

    budget->phase_ps = (int64_t)(PS_MHZ / rate);
    budget->superframe_ps = (int64_t)(superframe / rate);
    budget->byte_ps = (int64_t)(BITS_PER_BYTE * PS_PER_SECOND / baud);
    if (room > 0) {
        budget->slot_bits = (uint64_t)(room * baud / (rate * PS_PER_SECOND));
        budget->slot_bytes = (uint32_t)(budget->slot_bits / BITS_PER_BYTE);
        wide used = (wide)budget->slot_bytes * BITS_PER_BYTE * PS_PER_SECOND * rate;
        budget->slack_ps = (int64_t)((room * baud - used) / (rate * baud));
    }
    if (budget->slot_bytes > overhead)
        budget->payload_bytes = budget->slot_bytes - overhead;
    budget->fits = budget->payload_bytes >= wanted;

    wide needed_bits = (wide)(overhead + wanted) * BITS_PER_BYTE;
    budget->phase_rate_limit_mhz = limit_phase_rate(needed_bits, baud, guard);
    budget->baud_limit_hz = limit_baud(needed_bits, rate, room);
    budget->guard_limit_ps = limit_guard(needed_bits, rate, baud);

    wide mismatch_ppm = 2 * (wide)input->clock_ppm;
    budget->drift_per_superframe_ps = (int64_t)(mismatch_ppm * superframe / (rate * PPM));
    budget->stop_bit_shift_ps = (int64_t)(mismatch_ppm * 19 * PS_PER_SECOND / (2 * baud * PPM));
    return 0;
}
