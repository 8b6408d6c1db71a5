/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The soft arithmetic of the emulated F extension against the host's IEEE arithmetic in its four rounding
 * modes, result and flags, and in all five modes against exact numbers of 640 bits that are rounded here.
 * The host must detect tininess after rounding, as x86 does.
 */
#include "bench/emulator/cpu/float32.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 40000 };

static const uint32_t special[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001,
                                   0x7F800001, 0xFFBFFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x80800000,
                                   0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00000002, 0x00FFFFFF,
                                   0x3F800000, 0xBF800000, 0x3F7FFFFF, 0xBF800001, 0x3F000000, 0xBF000000,
                                   0x3EFFFFFF, 0x3FC00000, 0xC0200000, 0x4F000000, 0xCF000000, 0x4EFFFFFF,
                                   0xCF000001, 0x4F800000, 0x4F7FFFFF, 0x4B000001, 0x4B7FFFFF, 0x33800000};

static uint32_t random_word(void)
{
    return (uint32_t)(random_step(&random_state) >> 32);
}

/* Uniform bits; near a special one; few bits in the fraction, for ties; a narrow range, for cancellation. */
static uint32_t random_operand(void)
{
    const uint32_t bits = random_word(), sign_and_fraction = bits & 0x807FFFFF;
    switch (random_word() % 6) {
    case 0:
        return bits;
    case 1:
        return special[bits % COUNT(special)];
    case 2:
        return special[bits % COUNT(special)] + random_word() % 5 - 2;
    case 3:
        return (sign_and_fraction & 0x807C0000) | (115 + random_word() % 26) << 23;
    case 4:
        return sign_and_fraction | (125 + random_word() % 4) << 23;
    default:
        return sign_and_fraction | (1 + random_word() % 254) << 23;
    }
}

static float number(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? PB_F32_NAN : bits;
}

enum operation { ADD, MUL, DIV, SQRT, MADD, TO_INT, TO_UNSIGNED, FROM_INT, FROM_UNSIGNED, OPERATIONS };
static const char *const name[] = {"add",    "mul",         "div",      "sqrt",         "madd",
                                   "to int", "to unsigned", "from int", "from unsigned"};

struct outcome {
    uint32_t value, flags;
};

static struct outcome emulated(enum operation operation, const uint32_t *in, unsigned rounding)
{
    struct outcome out = {0};
    switch (operation) {
    case ADD:
        out.value = pb_f32_add(in[0], in[1], rounding, &out.flags);
        break;
    case MUL:
        out.value = pb_f32_mul(in[0], in[1], rounding, &out.flags);
        break;
    case DIV:
        out.value = pb_f32_div(in[0], in[1], rounding, &out.flags);
        break;
    case SQRT:
        out.value = pb_f32_sqrt(in[0], rounding, &out.flags);
        break;
    case MADD:
        out.value = pb_f32_madd(in[0], in[1], in[2], rounding, &out.flags);
        break;
    case TO_INT:
    case TO_UNSIGNED:
        out.value = pb_f32_to_int(in[0], operation == TO_INT, rounding, &out.flags);
        break;
    default:
        out.value = pb_f32_from_int(in[0], operation == FROM_INT, rounding, &out.flags);
        break;
    }
    return out;
}

static uint32_t host_flags(void)
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? PB_F32_NX : 0) | (raised & FE_UNDERFLOW ? PB_F32_UF : 0) |
           (raised & FE_OVERFLOW ? PB_F32_OF : 0) | (raised & FE_DIVBYZERO ? PB_F32_DZ : 0) |
           (raised & FE_INVALID ? PB_F32_NV : 0);
}

/* The nearest end of a range, and NV; in the range, whether the integer is exact. */
static struct outcome saturated(double integer, double least, double most, bool exact)
{
    if (integer < least || integer > most)
        return (struct outcome){(uint32_t)(int64_t)(integer < least ? least : most), PB_F32_NV};
    return (struct outcome){(uint32_t)(int64_t)integer, exact ? 0 : PB_F32_NX};
}

static struct outcome to_integer(enum operation operation, uint32_t bits, double (*round_it)(double))
{
    const double least = operation == TO_INT ? -2147483648.0 : 0.0;
    const double most = operation == TO_INT ? 2147483647.0 : 4294967295.0;
    const double value = number(bits);
    if (isnan(value))
        return (struct outcome){(uint32_t)(int64_t)most, PB_F32_NV};
    const double integer = round_it(value);
    return saturated(integer, least, most, integer == value);
}

/* Volatile: nothing is computed before the rounding mode is set or after the flags are read. */
static struct outcome by_host(enum operation operation, const uint32_t *in, unsigned rounding)
{
    static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    volatile float a = number(in[0]), b = number(in[1]), c = number(in[2]), result = 0;
    volatile int64_t integer = operation == FROM_INT ? (int64_t)(int32_t)in[0] : (int64_t)in[0];
    fesetround(mode[rounding]);
    if (operation == TO_INT || operation == TO_UNSIGNED) {
        const struct outcome out = to_integer(operation, in[0], rint);
        fesetround(FE_TONEAREST);
        return out;
    }
    feclearexcept(FE_ALL_EXCEPT);
    switch (operation) {
    case ADD:
        result = a + b;
        break;
    case MUL:
        result = a * b;
        break;
    case DIV:
        result = a / b;
        break;
    case SQRT:
        result = sqrtf(a);
        break;
    case MADD:
        result = fmaf(a, b, c);
        break;
    default:
        result = (float)integer;
        break;
    }
    const uint32_t flags = host_flags();
    fesetround(FE_TONEAREST);
    return (struct outcome){bits_of(result), flags};
}

static void assert_same(enum operation operation, const uint32_t *in, unsigned rounding, struct outcome want)
{
    const struct outcome got = emulated(operation, in, rounding);
    if (got.value != want.value || got.flags != want.flags)
        fail_msg("%s of %08x %08x %08x, rounding %u: %08x flags %02x; expected %08x flags %02x",
                 name[operation], in[0], in[1], in[2], rounding, got.value, got.flags, want.value,
                 want.flags);
}

/* IEEE 754 leaves open whether 0 * infinity + quiet NaN is invalid; RISC-V says that it is. */
static struct outcome of_riscv(enum operation operation, const uint32_t *in, struct outcome host)
{
    const float a = number(in[0]), b = number(in[1]);
    if (operation == MADD && ((a == 0 && isinf(b)) || (isinf(a) && b == 0)))
        host.flags |= PB_F32_NV;
    return host;
}

static void against_host(enum operation operation, const uint32_t *in)
{
    for (unsigned rounding = PB_F32_RNE; rounding < PB_F32_RMM; rounding++)
        assert_same(operation, in, rounding, of_riscv(operation, in, by_host(operation, in, rounding)));
}

TEST(random_operands_give_what_the_host_gives)
{
    for (enum operation operation = ADD; operation < OPERATIONS; operation++)
        for (unsigned i = 0; i < RANDOM; i++)
            against_host(operation, (uint32_t[]){random_operand(), random_operand(), random_operand()});
}

TEST(special_operands_give_what_the_host_gives)
{
    for (enum operation operation = ADD; operation < OPERATIONS; operation++)
        for (unsigned i = 0; i < COUNT(special); i++)
            for (unsigned k = 0; k < COUNT(special); k++) {
                const unsigned thirds = operation == MADD ? COUNT(special) : 1;
                for (unsigned m = 0; m < thirds; m++)
                    against_host(operation, (uint32_t[]){special[i], special[k], special[m]});
            }
}

/* A product just off a power of two, and an addend that cancels most of it or decides a tie. */
TEST(fused_sums_that_cancel_give_what_the_host_gives)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t a = random_operand(), b = random_operand();
        const uint32_t product = bits_of(number(a) * number(b));
        against_host(MADD, (uint32_t[]){a, b, (product ^ PB_F32_SIGN) + random_word() % 5 - 2});
        against_host(MADD, (uint32_t[]){a, b,
                                        (product ^ (random_word() & PB_F32_SIGN)) -
                                            (1 + random_word() % 30) * 0x800000});
    }
}

/* ---- exact numbers: sign and magnitude, of which bit 0 is 2^-300. A lowest bit may represent a rest. */
enum { WORDS = 20, POINT = 300 };
struct exact {
    bool negative;
    uint32_t word[WORDS];
};

static void add_bit_pattern(struct exact *exact, uint64_t significand, int exponent)
{
    for (int bit = 0; bit < 64; bit++)
        if (significand >> bit & 1) {
            int at = exponent + POINT + bit;
            if (at < 0)
                at = 0;
            exact->word[at / 32] |= 1u << at % 32;
        }
}

static bool bit_at(const struct exact *exact, int at)
{
    return at >= 0 && at < WORDS * 32 && (exact->word[at / 32] >> at % 32 & 1);
}

static int top_bit(const struct exact *exact)
{
    for (int at = WORDS * 32 - 1; at >= 0; at--)
        if (bit_at(exact, at))
            return at;
    return -1;
}

static int magnitude_order(const struct exact *a, const struct exact *b)
{
    for (int i = WORDS - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static struct exact sum(const struct exact *a, const struct exact *b)
{
    const struct exact *big = magnitude_order(a, b) < 0 ? b : a, *small = big == a ? b : a;
    struct exact out = {.negative = big->negative};
    int64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        const int64_t other = small->word[i];
        carry += (int64_t)big->word[i] + (a->negative == b->negative ? other : -other);
        out.word[i] = (uint32_t)carry;
        carry = carry < 0 ? -1 : carry >> 32;
    }
    return out;
}

/* significand * 2^exponent of a finite number. */
static uint64_t parts(uint32_t bits, int *exponent)
{
    const uint32_t biased = bits >> 23 & 255;
    *exponent = (biased ? (int)biased : 1) - 150;
    return (bits & 0x7FFFFF) | (biased ? 0x800000 : 0);
}

/* Adds 2^at. */
static void increase(struct exact *exact, int at)
{
    uint64_t carry = UINT64_C(1) << at % 32;
    for (int i = at / 32; i < WORDS && carry; i++) {
        carry += exact->word[i];
        exact->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool any_below(const struct exact *exact, int at)
{
    for (int i = 0; i < at; i++)
        if (bit_at(exact, i))
            return true;
    return false;
}

/* To a multiple of 2^(ulp - POINT), in place. */
static void round_at(struct exact *exact, int ulp, unsigned rounding)
{
    const bool half = bit_at(exact, ulp - 1), rest = any_below(exact, ulp - 1), odd = bit_at(exact, ulp);
    const bool up[] = {half && (rest || odd), false, exact->negative && (half || rest),
                       !exact->negative && (half || rest), half};
    for (int i = 0; i < ulp; i++)
        exact->word[i / 32] &= ~(1u << i % 32);
    if (up[rounding])
        increase(exact, ulp);
}

static struct outcome rounded(struct exact exact, unsigned rounding)
{
    const int top = top_bit(&exact), least = POINT - 149, normal = POINT - 126, beyond = POINT + 128;
    const uint32_t sign = exact.negative ? PB_F32_SIGN : 0;
    const int ulp = top - 23 > least ? top - 23 : least;
    const bool inexact = any_below(&exact, ulp);
    struct exact unbounded = exact;
    if (top >= 23)
        round_at(&unbounded, top - 23, rounding);
    const bool tiny = top_bit(&unbounded) < normal;
    round_at(&exact, ulp, rounding);
    const int high = top_bit(&exact);
    uint32_t flags = inexact ? PB_F32_NX | (tiny ? PB_F32_UF : 0) : 0;
    if (high >= beyond) {
        const bool infinite = rounding == PB_F32_RNE || rounding == PB_F32_RMM ||
                              rounding == (exact.negative ? PB_F32_RDN : PB_F32_RUP);
        return (struct outcome){sign | (infinite ? 0x7F800000 : 0x7F7FFFFF), PB_F32_OF | PB_F32_NX};
    }
    uint32_t significand = 0;
    const int from = high - 23 > least ? high - 23 : least;
    for (int i = 23; i >= 0; i--)
        significand = significand << 1 | bit_at(&exact, from + i);
    const uint32_t biased = high < normal ? 0 : (uint32_t)(high - normal + 1);
    return (struct outcome){sign | biased << 23 | (significand & 0x7FFFFF), flags};
}

static bool is_finite(uint32_t bits)
{
    return (bits & 0x7F800000) != 0x7F800000;
}

/* a * b + c, which is not 0, exactly rounded. */
static void check_fused(enum operation operation, uint32_t a, uint32_t b, uint32_t c)
{
    struct exact product = {.negative = (a ^ b) >> 31}, addend = {.negative = c >> 31};
    int ea, eb, ec;
    const uint64_t sa = parts(a, &ea), sb = parts(b, &eb), sc = parts(c, &ec);
    if (!is_finite(a) || !is_finite(b) || !is_finite(c))
        return;
    add_bit_pattern(&product, sa * sb, ea + eb);
    add_bit_pattern(&addend, sc, ec);
    const struct exact whole = sum(&product, &addend);
    if (top_bit(&whole) < 0)
        return;
    const uint32_t of_three[] = {a, b, c}, of_two[] = {operation == ADD ? c : a, operation == ADD ? a : b, 0};
    for (unsigned rounding = 0; rounding < PB_F32_ROUNDINGS; rounding++)
        assert_same(operation, operation == MADD ? of_three : of_two, rounding, rounded(whole, rounding));
}

TEST(sums_and_products_are_exact_ones_rounded_once_in_all_five_modes)
{
    for (unsigned i = 0; i < RANDOM / 4; i++) {
        const uint32_t a = random_operand(), b = random_operand(), c = random_operand();
        check_fused(MADD, a, b, c);
        check_fused(MADD, a, b, (bits_of(number(a) * number(b)) ^ (c & PB_F32_SIGN)) - c % 3 * 0x0C000000);
        check_fused(MUL, a, b, 0);
        check_fused(ADD, a, 0x3F800000, b);
    }
}

TEST(quotients_are_exact_ones_rounded_once_in_all_five_modes)
{
    enum { MORE = 60 };
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t a = random_operand(), b = random_operand();
        int ea, eb;
        const uint64_t sa = parts(a, &ea), sb = parts(b, &eb);
        if (!is_finite(a) || !is_finite(b) || !sa || !sb)
            continue;
        struct exact exact = {.negative = (a ^ b) >> 31};
        const unsigned __int128 dividend = (unsigned __int128)sa << MORE, quotient = dividend / sb;
        add_bit_pattern(&exact, (uint64_t)(quotient >> 32), ea - eb - MORE + 32);
        add_bit_pattern(&exact, (uint32_t)quotient, ea - eb - MORE);
        if (dividend % sb)
            exact.word[0] |= 1;
        for (unsigned rounding = 0; rounding < PB_F32_ROUNDINGS; rounding++)
            assert_same(DIV, (uint32_t[]){a, b, 0}, rounding, rounded(exact, rounding));
    }
}

/* The root of a number of 24 bits never lies half-way between two of them. */
TEST(roots_to_nearest_are_the_same_with_ties_away)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t in[] = {random_operand(), 0, 0};
        assert_same(SQRT, in, PB_F32_RMM, by_host(SQRT, in, PB_F32_RNE));
    }
}

TEST(conversions_with_ties_away)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t in[] = {random_operand(), 0, 0};
        assert_same(TO_INT, in, PB_F32_RMM, to_integer(TO_INT, in[0], round));
        assert_same(TO_UNSIGNED, in, PB_F32_RMM, to_integer(TO_UNSIGNED, in[0], round));
        const uint32_t integer[] = {random_word() >> random_word() % 32, 0, 0};
        struct exact exact = {0};
        add_bit_pattern(&exact, integer[0], 0);
        if (!integer[0])
            continue;
        assert_same(FROM_UNSIGNED, integer, PB_F32_RMM, rounded(exact, PB_F32_RMM));
        memset(&exact, 0, sizeof exact);
        exact.negative = integer[0] >> 31;
        add_bit_pattern(&exact, (uint64_t)llabs((int64_t)(int32_t)integer[0]), 0);
        assert_same(FROM_INT, integer, PB_F32_RMM, rounded(exact, PB_F32_RMM));
    }
}

/* Flags are added to those that there are. */
TEST(raised_flags_stay)
{
    uint32_t flags = PB_F32_NV | PB_F32_DZ;
    assert_int_equal(pb_f32_add(0x3F800000, 0x33800000, PB_F32_RUP, &flags), 0x3F800001);
    assert_int_equal(flags, PB_F32_NV | PB_F32_DZ | PB_F32_NX);
}

/* Volume I, 11.6 and 11.8: the number of a NaN and a number, -0 below +0, NV of signalling NaNs; the flags of
 * FLT and FLE for any NaN. */
TEST(comparisons_and_extremes)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t a = random_operand(), b = random_word() % 4 ? random_operand() : a;
        const float fa = number(a), fb = number(b);
        const bool a_signals = isnan(fa) && !(a & 0x400000), b_signals = isnan(fb) && !(b & 0x400000);
        const uint32_t quiet = a_signals || b_signals ? PB_F32_NV : 0,
                       loud = isnan(fa) || isnan(fb) ? PB_F32_NV : 0;
        uint32_t flags[5] = {0};
        assert_int_equal(pb_f32_eq(a, b, &flags[0]), fa == fb);
        assert_int_equal(pb_f32_lt(a, b, &flags[1]), fa < fb);
        assert_int_equal(pb_f32_le(a, b, &flags[2]), fa <= fb);
        const bool zeros = fa == 0 && fb == 0, a_least = zeros ? signbit(fa) : fa < fb;
        const uint32_t least = isnan(fa) ? (isnan(fb) ? PB_F32_NAN : b) : isnan(fb) ? a : a_least ? a : b;
        const uint32_t most = isnan(fa) ? (isnan(fb) ? PB_F32_NAN : b) : isnan(fb) ? a : a_least ? b : a;
        assert_int_equal(pb_f32_min(a, b, &flags[3]), least);
        assert_int_equal(pb_f32_max(a, b, &flags[4]), most);
        assert_int_equal(flags[0], quiet);
        assert_int_equal(flags[1], loud);
        assert_int_equal(flags[2], loud);
        assert_int_equal(flags[3], quiet);
        assert_int_equal(flags[4], quiet);
    }
}

/* Volume I, table 11.5. */
TEST(classes)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        const uint32_t bits = random_operand();
        const float value = number(bits);
        unsigned want = 0;
        switch (fpclassify(value)) {
        case FP_NAN:
            want = bits & 0x400000 ? 9 : 8;
            break;
        case FP_INFINITE:
            want = signbit(value) ? 0 : 7;
            break;
        case FP_NORMAL:
            want = signbit(value) ? 1 : 6;
            break;
        case FP_SUBNORMAL:
            want = signbit(value) ? 2 : 5;
            break;
        default:
            want = signbit(value) ? 3 : 4;
            break;
        }
        assert_int_equal(pb_f32_class(bits), 1u << want);
    }
}
