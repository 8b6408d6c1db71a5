/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/soc/rp2040_rom_float.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The places of the table; of the table for double the same. */
enum {
    ADD,
    SUB,
    MUL,
    DIV,
    CMP_FAST,
    CMP_FAST_FLAGS,
    SQRT,
    TO_INT,
    TO_FIX,
    TO_UINT,
    TO_UFIX,
    FROM_INT,
    FROM_FIX,
    FROM_UINT,
    FROM_UFIX,
    COS,
    SIN,
    TAN,
    SINCOS,
    EXP,
    LN,
    CMP,
    ATAN2,
    FROM_INT64,
    FROM_FIX64,
    FROM_UINT64,
    FROM_UFIX64,
    TO_INT64,
    TO_FIX64,
    TO_UINT64,
    TO_UFIX64,
    TO_OTHER
};

/* Towards minus infinity, saturated. */
static int64_t floored(double value, double least, double most)
{
    const double whole = floor(value);
    if (isnan(whole))
        return 0;
    return whole <= least ? (int64_t)least : whole >= most ? (int64_t)most : (int64_t)whole;
}

static uint64_t floored64(double value, bool is_signed)
{
    const double whole = floor(value);
    if (isnan(whole))
        return 0;
    if (is_signed)
        return whole <= -0x1p63  ? (uint64_t)INT64_MIN
               : whole >= 0x1p63 ? (uint64_t)INT64_MAX
                                 : (uint64_t)(int64_t)whole;
    return whole <= 0 ? 0 : whole >= 0x1p64 ? UINT64_MAX : (uint64_t)whole;
}

/* Numbers and functions that do not depend on the width. False: no such function. */
static bool compute(unsigned operation, double x, double y, double *result)
{
    switch (operation) {
    case COS:
        *result = cos(x);
        return true;
    case SIN:
        *result = sin(x);
        return true;
    case TAN:
        *result = tan(x);
        return true;
    case EXP:
        *result = exp(x);
        return true;
    case LN:
        *result = log(x);
        return true;
    case ATAN2:
        *result = atan2(x, y);
        return true;
    default:
        return false;
    }
}

/* The order of two numbers: -1, 0, 1; as flags of a subtraction if `flags`. */
static void compare(struct pb_armv6m *core, double x, double y, bool flags)
{
    const int order = x < y ? -1 : x > y;
    if (flags)
        core->apsr = order < 0 ? UINT32_C(8) << 28 : order ? UINT32_C(2) << 28 : UINT32_C(6) << 28;
    else
        core->r[0] = (uint32_t)order;
}

/* Conversions to integers and fixed point: `bits` after the point. */
static bool to_integer(struct pb_armv6m *core, unsigned operation, double x, unsigned bits)
{
    const double scaled = ldexp(x, (int)(bits > 1023 ? 1023 : bits));
    uint64_t wide;
    switch (operation) {
    case TO_INT:
    case TO_FIX:
        core->r[0] = (uint32_t)floored(operation == TO_INT ? x : scaled, -0x1p31, 0x1p31 - 1);
        return true;
    case TO_UINT:
    case TO_UFIX:
        core->r[0] = (uint32_t)floored(operation == TO_UINT ? x : scaled, 0, 0x1p32 - 1);
        return true;
    case TO_INT64:
    case TO_UINT64:
        wide = floored64(x, operation == TO_INT64);
        break;
    case TO_FIX64:
    case TO_UFIX64:
        wide = floored64(scaled, operation == TO_FIX64);
        break;
    default:
        return false;
    }
    core->r[0] = (uint32_t)wide;
    core->r[1] = (uint32_t)(wide >> 32);
    return true;
}

/* ---- float */

static float get_float(uint32_t word)
{
    float value;
    if (!(word >> 23 & 0xFF))
        word &= UINT32_C(1) << 31; /* a denormal number is 0 */
    memcpy(&value, &word, sizeof value);
    return value;
}

static void put_float(struct pb_armv6m *core, unsigned reg, float value)
{
    if (fabsf(value) < FLT_MIN)
        value = copysignf(0, value);
    memcpy(&core->r[reg], &value, sizeof value);
}

/* Of an integer in r0, or r0 and r1, with r1 or r2 bits after the point. */
static bool float_of_integer(struct pb_armv6m *core, unsigned operation)
{
    const int64_t wide = (int64_t)((uint64_t)core->r[1] << 32 | core->r[0]);
    const int bits = -(int)(core->r[1] & 0x3FF), bits64 = -(int)(core->r[2] & 0x3FF);
    switch (operation) {
    case FROM_INT:
        put_float(core, 0, (float)(int32_t)core->r[0]);
        return true;
    case FROM_FIX:
        put_float(core, 0, ldexpf((float)(int32_t)core->r[0], bits));
        return true;
    case FROM_UINT:
        put_float(core, 0, (float)core->r[0]);
        return true;
    case FROM_UFIX:
        put_float(core, 0, ldexpf((float)core->r[0], bits));
        return true;
    case FROM_INT64:
        put_float(core, 0, (float)wide);
        return true;
    case FROM_FIX64:
        put_float(core, 0, ldexpf((float)wide, bits64));
        return true;
    case FROM_UINT64:
        put_float(core, 0, (float)(uint64_t)wide);
        return true;
    case FROM_UFIX64:
        put_float(core, 0, ldexpf((float)(uint64_t)wide, bits64));
        return true;
    default:
        return false;
    }
}

static bool float_arithmetic(struct pb_armv6m *core, unsigned operation, float x, float y)
{
    switch (operation) {
    case ADD:
        put_float(core, 0, x + y);
        return true;
    case SUB:
        put_float(core, 0, x - y);
        return true;
    case MUL:
        put_float(core, 0, x * y);
        return true;
    case DIV:
        put_float(core, 0, x / y);
        return true;
    case SQRT:
        put_float(core, 0, sqrtf(x));
        return true;
    default:
        return false;
    }
}

static void put_double(struct pb_armv6m *core, unsigned reg, double value)
{
    uint64_t bits;
    if (fabs(value) < DBL_MIN)
        value = copysign(0, value);
    memcpy(&bits, &value, sizeof bits);
    core->r[reg] = (uint32_t)bits;
    core->r[reg + 1] = (uint32_t)(bits >> 32);
}

bool rp2040_rom_float(struct pb_armv6m *core, unsigned operation)
{
    const float x = get_float(core->r[0]), y = get_float(core->r[1]);
    double result;
    if (operation == CMP_FAST || operation == CMP || operation == CMP_FAST_FLAGS) {
        compare(core, x, y, operation == CMP_FAST_FLAGS);
        return true;
    }
    if (operation == SINCOS) {
        put_float(core, 0, (float)cos(x));
        put_float(core, 1, (float)sin(x));
        return true;
    }
    if (operation == TO_OTHER) {
        put_double(core, 0, x);
        return true;
    }
    if (compute(operation, x, y, &result)) {
        put_float(core, 0, (float)result);
        return true;
    }
    return float_arithmetic(core, operation, x, y) || float_of_integer(core, operation) ||
           to_integer(core, operation, x, core->r[1]);
}

/* ---- double */

static double get_double(const struct pb_armv6m *core, unsigned reg)
{
    uint64_t bits = (uint64_t)core->r[reg + 1] << 32 | core->r[reg];
    double value;
    if (!(bits >> 52 & 0x7FF))
        bits &= UINT64_C(1) << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool double_of_integer(struct pb_armv6m *core, unsigned operation)
{
    const int64_t wide = (int64_t)((uint64_t)core->r[1] << 32 | core->r[0]);
    const int bits = -(int)(core->r[1] & 0x7FF), bits64 = -(int)(core->r[2] & 0x7FF);
    switch (operation) {
    case FROM_INT:
        put_double(core, 0, (int32_t)core->r[0]);
        return true;
    case FROM_FIX:
        put_double(core, 0, ldexp((int32_t)core->r[0], bits));
        return true;
    case FROM_UINT:
        put_double(core, 0, core->r[0]);
        return true;
    case FROM_UFIX:
        put_double(core, 0, ldexp(core->r[0], bits));
        return true;
    case FROM_INT64:
        put_double(core, 0, (double)wide);
        return true;
    case FROM_FIX64:
        put_double(core, 0, ldexp((double)wide, bits64));
        return true;
    case FROM_UINT64:
        put_double(core, 0, (double)(uint64_t)wide);
        return true;
    case FROM_UFIX64:
        put_double(core, 0, ldexp((double)(uint64_t)wide, bits64));
        return true;
    default:
        return false;
    }
}

static bool double_arithmetic(struct pb_armv6m *core, unsigned operation, double x, double y)
{
    switch (operation) {
    case ADD:
        put_double(core, 0, x + y);
        return true;
    case SUB:
        put_double(core, 0, x - y);
        return true;
    case MUL:
        put_double(core, 0, x * y);
        return true;
    case DIV:
        put_double(core, 0, x / y);
        return true;
    case SQRT:
        put_double(core, 0, sqrt(x));
        return true;
    default:
        return false;
    }
}

bool rp2040_rom_double(struct pb_armv6m *core, unsigned operation)
{
    const double x = get_double(core, 0), y = get_double(core, 2);
    double result;
    if (operation == CMP_FAST || operation == CMP || operation == CMP_FAST_FLAGS) {
        compare(core, x, y, operation == CMP_FAST_FLAGS);
        return true;
    }
    if (operation == SINCOS) {
        put_double(core, 0, cos(x));
        put_double(core, 2, sin(x));
        return true;
    }
    if (operation == TO_OTHER) {
        put_float(core, 0, (float)x);
        return true;
    }
    if (compute(operation, x, y, &result)) {
        put_double(core, 0, result);
        return true;
    }
    return double_arithmetic(core, operation, x, y) || double_of_integer(core, operation) ||
           to_integer(core, operation, x, core->r[2]);
}
