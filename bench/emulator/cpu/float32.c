/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A finite number is significand * 2^exponent. Where an exact result has more bits than its word, the lowest
 * bit of the word is set if any bit below is ("jam"): rounding only asks whether there is a rest.
 */
#include "bench/emulator/cpu/float32.h"

enum { FRACTION_BITS = 23, BIAS = 127, EXPONENT_MAX = 255 };
#define FRACTION 0x007FFFFFu
#define QUIET 0x00400000u
#define INFINITE 0x7F800000u
#define LARGEST 0x7F7FFFFFu

/* Of a number other than 0: significand of 24 bits, the highest one set. */
struct finite {
    uint32_t significand;
    int exponent;
};

/* Neither 0, subnormal, infinite nor NaN. */
static bool is_normal(uint32_t a)
{
    return (a >> FRACTION_BITS & EXPONENT_MAX) - 1 < EXPONENT_MAX - 1;
}

static bool is_nan(uint32_t a)
{
    return (a & ~PB_F32_SIGN) > INFINITE;
}

static bool is_signalling(uint32_t a)
{
    return is_nan(a) && !(a & QUIET);
}

static bool is_infinite(uint32_t a)
{
    return (a & ~PB_F32_SIGN) == INFINITE;
}

static bool is_zero(uint32_t a)
{
    return !(a & ~PB_F32_SIGN);
}

static struct finite finite_of(uint32_t a)
{
    const uint32_t fraction = a & FRACTION, biased = a >> FRACTION_BITS & EXPONENT_MAX;
    if (biased)
        return (struct finite){fraction | (FRACTION + 1), (int)biased - BIAS - FRACTION_BITS};
    const int shift = __builtin_clz(fraction) - (31 - FRACTION_BITS);
    return (struct finite){fraction << shift, 1 - BIAS - FRACTION_BITS - shift};
}

static uint64_t shift_jam(uint64_t word, int by)
{
    if (by >= 64)
        return word != 0;
    return by ? word >> by | ((word & ((UINT64_C(1) << by) - 1)) != 0) : word;
}

/* Whether to add 1 to the word without its lowest `bits`. */
static inline bool round_up(uint64_t word, int bits, bool negative, unsigned rounding)
{
    const uint64_t rest = word & ((UINT64_C(1) << bits) - 1), half = UINT64_C(1) << (bits - 1);
    if (rounding == PB_F32_RNE)
        return rest + (word >> bits & 1) > half;
    switch (rounding) {
    case PB_F32_RDN:
        return negative && rest;
    case PB_F32_RUP:
        return !negative && rest;
    case PB_F32_RMM:
        return rest >= half;
    default:
        return false;
    }
}

static uint32_t overflow(uint32_t sign, unsigned rounding, uint32_t *flags)
{
    const bool to_largest = rounding == PB_F32_RTZ || rounding == (sign ? PB_F32_RUP : PB_F32_RDN);
    *flags |= PB_F32_OF | PB_F32_NX;
    return sign | (to_largest ? LARGEST : INFINITE);
}

/* Rounds a number other than 0, which may be jammed; `sign` is 0 or PB_F32_SIGN. */
static uint32_t rounded(uint32_t sign, uint64_t word, int exponent, unsigned rounding, uint32_t *flags)
{
    enum { TOP = 62, SPARE = TOP - FRACTION_BITS }; /* the highest bit is brought to TOP */
    const uint64_t spare = (UINT64_C(1) << SPARE) - 1;
    const int shift = __builtin_clzll(word) - (63 - TOP);
    word = shift < 0 ? shift_jam(word, 1) : word << shift;
    int biased = exponent - shift + TOP + BIAS;
    if (biased <= 0) {
        const uint64_t normal = (word >> SPARE) + round_up(word, SPARE, sign, rounding);
        const bool tiny = biased < 0 || normal <= (FRACTION | (FRACTION + 1));
        word = shift_jam(word, 1 - biased);
        if (tiny && (word & spare))
            *flags |= PB_F32_UF;
        biased = 1;
    }
    if (word & spare)
        *flags |= PB_F32_NX;
    /* The highest bit, if set, and a carry out of the fraction count in the exponent. */
    const uint32_t significand = (uint32_t)(word >> SPARE) + round_up(word, SPARE, sign, rounding);
    const uint64_t bits = ((uint64_t)(biased - 1) << FRACTION_BITS) + significand;
    return bits >= INFINITE ? overflow(sign, rounding, flags) : sign | (uint32_t)bits;
}

static uint32_t nan_of(bool invalid, uint32_t *flags)
{
    if (invalid)
        *flags |= PB_F32_NV;
    return PB_F32_NAN;
}

/* What x - x is. */
static uint32_t zero_of(unsigned rounding)
{
    return rounding == PB_F32_RDN ? PB_F32_SIGN : 0;
}

/* a * b + c where nothing is rounded: of a NaN, an infinity, or a product that is 0. False: something is. */
static bool is_not_rounded(uint32_t a, uint32_t b, uint32_t c, unsigned rounding, uint32_t *flags,
                           uint32_t *result)
{
    const uint32_t sign = (a ^ b) & PB_F32_SIGN, c_sign = c & PB_F32_SIGN;
    const bool no_product = (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b));
    if (no_product || is_nan(a) || is_nan(b) || is_nan(c))
        *result = nan_of(no_product || is_signalling(a) || is_signalling(b) || is_signalling(c), flags);
    else if (is_infinite(a) || is_infinite(b))
        *result = is_infinite(c) && sign != c_sign ? nan_of(true, flags) : sign | INFINITE;
    else if (is_infinite(c))
        *result = c;
    else if (is_zero(a) || is_zero(b))
        *result = is_zero(c) && sign != c_sign ? zero_of(rounding) : c;
    else
        return false;
    return true;
}

uint32_t pb_f32_madd(uint32_t a, uint32_t b, uint32_t c, unsigned rounding, uint32_t *flags)
{
    uint32_t sign = (a ^ b) & PB_F32_SIGN, result;
    const uint32_t c_sign = c & PB_F32_SIGN;
    const bool normal = is_normal(a) && is_normal(b) && is_normal(c);
    if (!normal && is_not_rounded(a, b, c, rounding, flags, &result))
        return result;
    const struct finite fa = finite_of(a), fb = finite_of(b);
    uint64_t product = (uint64_t)fa.significand * fb.significand;
    int exponent = fa.exponent + fb.exponent;
    if (is_zero(c))
        return rounded(sign, product, exponent, rounding, flags);
    /* Both with their highest bit at 61 or 60: a jam loses nothing that a difference could uncover. */
    enum { PRODUCT_UP = 14, ADDEND_UP = 38 };
    const struct finite fc = finite_of(c);
    product <<= PRODUCT_UP;
    exponent -= PRODUCT_UP;
    uint64_t addend = (uint64_t)fc.significand << ADDEND_UP;
    const int above = exponent - (fc.exponent - ADDEND_UP);
    if (above >= 0) {
        addend = shift_jam(addend, above);
    } else {
        product = shift_jam(product, -above);
        exponent -= above;
    }
    if (sign == c_sign)
        return rounded(sign, product + addend, exponent, rounding, flags);
    if (product == addend)
        return zero_of(rounding);
    if (product < addend)
        sign = c_sign;
    return rounded(sign, product < addend ? addend - product : product - addend, exponent, rounding, flags);
}

uint32_t pb_f32_add(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags)
{
    const uint32_t one = (uint32_t)BIAS << FRACTION_BITS;
    return pb_f32_madd(a, one, b, rounding, flags);
}

uint32_t pb_f32_mul(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags)
{
    const uint32_t sign = (a ^ b) & PB_F32_SIGN;
    if (!is_normal(a) || !is_normal(b)) /* a zero of the product's sign changes nothing */
        return pb_f32_madd(a, b, sign, rounding, flags);
    const struct finite fa = finite_of(a), fb = finite_of(b);
    return rounded(sign, (uint64_t)fa.significand * fb.significand, fa.exponent + fb.exponent, rounding,
                   flags);
}

uint32_t pb_f32_div(uint32_t a, uint32_t b, unsigned rounding, uint32_t *flags)
{
    const uint32_t sign = (a ^ b) & PB_F32_SIGN;
    const bool no_quotient = (is_infinite(a) && is_infinite(b)) || (is_zero(a) && is_zero(b));
    if (no_quotient || is_nan(a) || is_nan(b))
        return nan_of(no_quotient || is_signalling(a) || is_signalling(b), flags);
    if (is_infinite(a))
        return sign | INFINITE;
    if (is_zero(a) || is_infinite(b))
        return sign;
    if (is_zero(b)) {
        *flags |= PB_F32_DZ;
        return sign | INFINITE;
    }
    enum { UP = 39 };
    const struct finite fa = finite_of(a), fb = finite_of(b);
    const uint64_t dividend = (uint64_t)fa.significand << UP;
    const uint64_t quotient = dividend / fb.significand | (dividend % fb.significand != 0);
    return rounded(sign, quotient, fa.exponent - fb.exponent - UP, rounding, flags);
}

/* The whole part of the root, found bit by bit; *rest: it is not exact. */
static uint64_t root_of(uint64_t square, bool *rest)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit; bit >>= 2) {
        const uint64_t trial = root + bit;
        root >>= 1;
        if (square >= trial) {
            square -= trial;
            root += bit;
        }
    }
    *rest = square != 0;
    return root;
}

uint32_t pb_f32_sqrt(uint32_t a, unsigned rounding, uint32_t *flags)
{
    if (is_nan(a))
        return nan_of(is_signalling(a), flags);
    if (is_zero(a) || a == INFINITE)
        return a;
    if (a & PB_F32_SIGN)
        return nan_of(true, flags);
    const struct finite fa = finite_of(a);
    const int up = fa.exponent & 1 ? 37 : 38; /* leaves an even exponent */
    bool rest;
    const uint64_t root = root_of((uint64_t)fa.significand << up, &rest);
    return rounded(0, root << 1 | rest, (fa.exponent - up) / 2 - 1, rounding, flags);
}

/* Of numbers. Zeros of either sign differ. */
static bool is_below(uint32_t a, uint32_t b)
{
    if ((a ^ b) & PB_F32_SIGN)
        return a & PB_F32_SIGN;
    return a & PB_F32_SIGN ? a > b : a < b;
}

static uint32_t extreme(uint32_t a, uint32_t b, bool least, uint32_t *flags)
{
    if (is_signalling(a) || is_signalling(b))
        *flags |= PB_F32_NV;
    if (is_nan(a))
        return is_nan(b) ? PB_F32_NAN : b;
    return is_nan(b) || is_below(a, b) == least ? a : b;
}

uint32_t pb_f32_min(uint32_t a, uint32_t b, uint32_t *flags)
{
    return extreme(a, b, true, flags);
}

uint32_t pb_f32_max(uint32_t a, uint32_t b, uint32_t *flags)
{
    return extreme(a, b, false, flags);
}

bool pb_f32_eq(uint32_t a, uint32_t b, uint32_t *flags)
{
    if (is_signalling(a) || is_signalling(b))
        *flags |= PB_F32_NV;
    return !is_nan(a) && !is_nan(b) && (a == b || (is_zero(a) && is_zero(b)));
}

static bool ordered(uint32_t a, uint32_t b, uint32_t *flags)
{
    if (!is_nan(a) && !is_nan(b))
        return true;
    *flags |= PB_F32_NV;
    return false;
}

bool pb_f32_lt(uint32_t a, uint32_t b, uint32_t *flags)
{
    return ordered(a, b, flags) && is_below(a, b) && !(is_zero(a) && is_zero(b));
}

bool pb_f32_le(uint32_t a, uint32_t b, uint32_t *flags)
{
    return ordered(a, b, flags) && (!is_below(b, a) || (is_zero(a) && is_zero(b)));
}

uint32_t pb_f32_class(uint32_t a)
{
    const bool negative = a & PB_F32_SIGN;
    if (is_nan(a))
        return 1u << (is_signalling(a) ? 8 : 9);
    if (is_infinite(a))
        return 1u << (negative ? 0 : 7);
    if (is_zero(a))
        return 1u << (negative ? 3 : 4);
    if (a & INFINITE)
        return 1u << (negative ? 1 : 6);
    return 1u << (negative ? 2 : 5);
}

uint32_t pb_f32_to_int(uint32_t a, bool is_signed, unsigned rounding, uint32_t *flags)
{
    enum { POINT = 32 }; /* bits below the point */
    const bool negative = (a & PB_F32_SIGN) && !is_nan(a);
    const uint64_t most = is_signed ? UINT64_C(0x7FFFFFFF) + negative : negative ? 0 : UINT32_MAX;
    uint64_t magnitude = 0;
    bool exact = true;
    if (is_infinite(a) || is_nan(a)) {
        magnitude = UINT64_MAX;
    } else if (!is_zero(a)) {
        const struct finite fa = finite_of(a);
        if (fa.exponent >= 32 - FRACTION_BITS) {
            magnitude = UINT64_MAX;
        } else {
            uint64_t word = (uint64_t)fa.significand << POINT;
            word = fa.exponent < 0 ? shift_jam(word, -fa.exponent) : word << fa.exponent;
            exact = !(uint32_t)word;
            magnitude = (word >> POINT) + round_up(word, POINT, negative, rounding);
        }
    }
    if (magnitude > most) {
        *flags |= PB_F32_NV;
        magnitude = most;
    } else if (!exact) {
        *flags |= PB_F32_NX;
    }
    return negative ? 0 - (uint32_t)magnitude : (uint32_t)magnitude;
}

uint32_t pb_f32_from_int(uint32_t value, bool is_signed, unsigned rounding, uint32_t *flags)
{
    const uint32_t sign = is_signed ? value & PB_F32_SIGN : 0;
    return value ? rounded(sign, sign ? 0 - value : value, 0, rounding, flags) : 0;
}
