/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The programs of the contract node, from docs/use/programs.md. A node keeps two things: what it had when the
 * superframe began, and what came on each port since then. A program is four definitions:
 *
 *     speaks   who sends to whom in a superframe, of any two neighbours: so a node also knows who is silent
 *     says     what a node sends on a port, a function of what it had and of what came on earlier wires; most
 *              programs send on each port what they have so far
 *     ends     what it has after a superframe, a function of what it had and of all that came
 *     lasts    how many superframes there are
 *
 * Nothing is computed when a frame comes. So no frame can depend on one of its own wire.
 */
#include "bench/nodes/contract_recipe.h"

#include <string.h>

/* ---- numbers */

/* Two's complement of this many bits. */
static int32_t signed_of(uint32_t number, unsigned bits)
{
    const uint32_t sign = UINT32_C(1) << (bits - 1), low = number & (sign | (sign - 1));
    return low & sign ? (int32_t)(low - sign) - (int32_t)(sign - 1) - 1 : (int32_t)low;
}

/* ---- places */

unsigned contract_digit_between(const struct contract *node, uint32_t a, uint32_t b)
{
    unsigned digit = 0;
    while (a % node->config.radix[digit] == b % node->config.radix[digit]) {
        a /= node->config.radix[digit];
        b /= node->config.radix[digit++];
    }
    return digit;
}

/* Whether two nodes have the same digits from this one on. */
static bool alike_from(const struct contract *node, unsigned digit, uint32_t a, uint32_t b)
{
    uint32_t weight = 1;
    for (unsigned i = 0; i < digit; i++)
        weight *= node->config.radix[i];
    return a / weight == b / weight;
}

static bool bit_of(uint32_t number, unsigned bit)
{
    return number >> bit & 1;
}

/* ---- lasts */

static uint32_t once(const struct contract *node, uint32_t argument)
{
    (void)node;
    (void)argument;
    return 1;
}

static uint32_t as_told(const struct contract *node, uint32_t argument)
{
    (void)node;
    return argument;
}

static uint32_t each_dimension(const struct contract *node, uint32_t argument)
{
    (void)argument;
    return node->config.digits;
}

static uint32_t each_pair(const struct contract *node, uint32_t argument)
{
    return argument ? node->config.digits / 2 : 1;
}

static uint32_t each_round(const struct contract *node, uint32_t argument)
{
    return argument ? node->nodes - 1 : node->nodes / 2;
}

/* ---- broadcast, allreduce, scan, barrier */

static bool always(const struct contract *node, uint32_t from, uint32_t to)
{
    (void)node;
    (void)from;
    (void)to;
    return true;
}

/* A node has the value before a digit if it differs from the root in lower digits alone. */
static bool has_value(const struct contract *node, uint32_t from, uint32_t to)
{
    return alike_from(node, contract_digit_between(node, from, to), from, node->program.argument);
}

static uint32_t value_of(struct contract *node, uint32_t wires)
{
    uint32_t value = node->program.own.at[0];
    for (unsigned port = 0; port < node->links; port++)
        if (is_in(wires, port))
            value = node->program.got[port].at[0];
    return value;
}

static bool keeps_larger(struct contract *node, bool larger)
{
    return larger != contract_strikes(node, PB_CONTRACT_PROGRAM_KEEPS_LARGER);
}

static uint32_t reduced(struct contract *node, uint32_t wires)
{
    enum { SUM, MINIMUM, MAXIMUM };
    const struct contract_program *program = &node->program;
    uint32_t value = program->own.at[0];
    for (unsigned port = 0; port < node->links; port++) {
        const uint32_t other = program->got[port].at[0];
        if (!is_in(wires, port))
            continue;
        if (program->argument == SUM)
            value += other;
        else if (keeps_larger(node, program->argument == MAXIMUM) == (other > value))
            value = other;
    }
    return value;
}

static uint32_t sum_of(struct contract *node, uint32_t wires, uint32_t sum)
{
    for (unsigned port = 0; port < node->links; port++)
        if (is_in(wires, port))
            sum += node->program.got[port].at[0];
    return sum;
}

static uint32_t sum_of_all(struct contract *node, uint32_t wires)
{
    return sum_of(node, wires, node->program.own.at[0]);
}

/* A node with a smaller address has sent the sum of nodes that all have. */
static void scan_ends(struct contract *node, uint32_t wires)
{
    for (unsigned port = 0; port < node->links; port++)
        if (contract_neighbour(node, port) > node->address)
            wires &= ~(UINT32_C(1) << port);
    put_result(node, sum_of(node, wires, 0));
}

/* 1 or 0. */
static uint32_t all_are_there(struct contract *node, uint32_t wires)
{
    bool there = node->program.superframe >= number_at(node->program.input, 4);
    for (unsigned port = 0; port < node->links; port++)
        there = there && (!is_in(wires, port) || node->program.got[port].at[0]);
    return there;
}

static void barrier_ends(struct contract *node, uint32_t wires)
{
    if (number_at(node->program.result, 4) == 0 && all_are_there(node, wires))
        put_result(node, node->program.superframe + 1);
}

/* ---- sort: stage superframe + 1 */

static bool stage_uses(const struct contract *node, uint32_t from, uint32_t to)
{
    return contract_digit_between(node, from, to) + node->program.superframe + 1 >= node->config.digits;
}

static uint32_t sorted(struct contract *node, uint32_t wires, uint32_t key)
{
    const unsigned dims = node->config.digits, stage = node->program.superframe + 1;
    const uint32_t address = node->address;
    /* Bit b of the rank is bit dims - 1 - b of the address, if there is one. */
    const bool descends = stage < dims && bit_of(address, dims - 1 - stage);
    for (unsigned dim = 0; dim < dims; dim++) {
        const uint32_t other = node->program.got[dim].at[0];
        if (is_in(wires, dim) && keeps_larger(node, bit_of(address, dim) != descends) == (other > key))
            key = other;
    }
    return key;
}

static uint32_t key_of(struct contract *node, uint32_t wires)
{
    return sorted(node, wires, node->program.own.at[0]);
}

/* ---- permute: in the superframe after those of the sort a message goes where bit dims - 1 - d of its key,
 * bit d of its destination, is not that of the node */

#define NO_MESSAGE UINT32_C(0xFFFFFFFF)

static uint32_t each_dimension_and_one(const struct contract *node, uint32_t argument)
{
    return each_dimension(node, argument) + 1;
}

static uint32_t message_at_first(const struct contract *node)
{
    const uint32_t destination = node->program.own.at[0];
    uint32_t key = 0;
    if (node->program.superframe || destination == NO_MESSAGE)
        return destination;
    for (unsigned dim = 0; dim < node->config.digits; dim++)
        key |= (uint32_t)bit_of(destination, dim) << (node->config.digits - 1 - dim);
    return key * 0x10000 + node->address;
}

static bool is_elsewhere(const struct contract *node, uint32_t message, unsigned dim)
{
    const unsigned last = node->config.digits - 1;
    return message != NO_MESSAGE && bit_of(message, 16 + last - dim) != bit_of(node->address, dim);
}

static uint32_t message_held(struct contract *node, uint32_t wires)
{
    uint32_t message = message_at_first(node);
    if (node->program.superframe < node->config.digits)
        return sorted(node, wires, message);
    for (unsigned dim = 0; dim < node->config.digits; dim++) {
        if (!is_in(wires, dim))
            continue;
        if (is_elsewhere(node, message, dim))
            message = NO_MESSAGE;
        if (node->program.got[dim].at[0] != NO_MESSAGE)
            message = node->program.got[dim].at[0];
    }
    return message;
}

static struct contract_words permute_says(struct contract *node, unsigned port, uint32_t wires)
{
    const uint32_t message = message_held(node, wires);
    const bool spreads = node->program.superframe == node->config.digits;
    return one_word(spreads && !is_elsewhere(node, message, port) ? NO_MESSAGE : message);
}

static void permute_ends(struct contract *node, uint32_t wires)
{
    node->program.own = one_word(message_held(node, wires));
    const uint32_t message = node->program.own.at[0];
    put_result(node, message == NO_MESSAGE ? NO_MESSAGE : message % 0x10000);
}

/* ---- fft */

struct complex {
    int64_t re, im;
};

#define ONE (INT64_C(1) << 30)

/* exp(-2 pi j / 2^k), 30 bits after the point: the cosine and sine of 2 pi / 2^k, each rounded. */
static const struct complex root[] = {
    {ONE, 0},
    {-ONE, 0},
    {0, -ONE},
    {759250125, -759250125},
    {992008094, -410903207},
    {1053110176, -209476638},
    {1068571464, -105245103},
    {1072448455, -52686014},
    {1073418433, -26350943},
    {1073660973, -13176464},
    {1073721611, -6588356},
    {1073736771, -3294193},
    {1073740561, -1647099},
};

/* To the nearest, a half upwards. */
static int64_t without_fraction(int64_t product)
{
    const int64_t sum = product + ONE / 2;
    return sum >= 0 ? sum / ONE : -((-sum + ONE - 1) / ONE);
}

static struct complex product_of(struct complex a, struct complex b)
{
    return (struct complex){without_fraction(a.re * b.re - a.im * b.im),
                            without_fraction(a.re * b.im + a.im * b.re)};
}

/* exp(-2 pi j (p mod 2^rank) / 2^(rank + 1)) at position p: bit b of p is 1 / 2^(rank + 1 - b). */
static struct complex twiddle(uint32_t position, unsigned rank)
{
    struct complex factor = root[0];
    for (unsigned bit = 0; bit < rank; bit++)
        if (bit_of(position, bit))
            factor = product_of(factor, root[rank + 1 - bit]);
    return factor;
}

static struct complex complex_of(struct contract_words words)
{
    return (struct complex){signed_of(words.at[0], 32), signed_of(words.at[1], 32)};
}

static struct contract_words words_of(struct complex number)
{
    return (struct contract_words){{(uint32_t)number.re, (uint32_t)number.im}};
}

static struct complex sample_of(const struct contract *node)
{
    const int64_t scale = INT64_C(1) << (15 - node->config.digits);
    return (struct complex){signed_of(number_at(node->program.input, 2), 16) * scale,
                            signed_of(number_at(node->program.input + 2, 2), 16) * scale};
}

static struct complex transformed(const struct contract *node, uint32_t wires)
{
    struct complex number = sample_of(node);
    for (unsigned rank = 0; rank < node->config.digits; rank++) {
        if (!is_in(wires, rank))
            continue;
        const bool upper = bit_of(node->address, rank);
        const struct complex other = complex_of(node->program.got[rank]), u = upper ? other : number,
                             wv = product_of(twiddle(node->address, rank), upper ? number : other);
        number = upper ? (struct complex){u.re - wv.re, u.im - wv.im}
                       : (struct complex){u.re + wv.re, u.im + wv.im};
    }
    return number;
}

static struct contract_words fft_says(struct contract *node, unsigned port, uint32_t wires)
{
    (void)port;
    return words_of(transformed(node, wires));
}

static void fft_ends(struct contract *node, uint32_t wires)
{
    const struct contract_words words = words_of(transformed(node, wires));
    put_number(node->program.result, words.at[0], 4);
    put_number(node->program.result + 4, words.at[1], 4);
}

/* ---- life and filter: column and row of a cell by its Gray codes */

static uint32_t side_of(const struct contract *node)
{
    return UINT32_C(1) << node->config.digits / 2;
}

static uint32_t gray(uint32_t number)
{
    return number ^ number >> 1;
}

/* Which number below the side has this Gray code. */
static uint32_t place_of(const struct contract *node, uint32_t code)
{
    uint32_t place = 0;
    while (gray(place) != code % side_of(node))
        place++;
    return place;
}

static uint32_t column_of(const struct contract *node, uint32_t address)
{
    return place_of(node, address);
}

static uint32_t row_of(const struct contract *node, uint32_t address)
{
    return place_of(node, address / side_of(node));
}

static bool are_beside(const struct contract *node, uint32_t a, uint32_t b)
{
    const uint32_t side = side_of(node), apart = (a + side - b) % side;
    return apart == 1 || apart == side - 1;
}

static bool are_cells_beside(const struct contract *node, uint32_t from, uint32_t to)
{
    return are_beside(node, column_of(node, from), column_of(node, to)) ||
           are_beside(node, row_of(node, from), row_of(node, to));
}

/* What the cell this many columns and rows away has sent; 0 if it is not among these wires. */
static int32_t from_cell(const struct contract *node, uint32_t wires, uint32_t columns, uint32_t rows)
{
    const uint32_t side = side_of(node), column = (column_of(node, node->address) + columns) % side,
                   row = (row_of(node, node->address) + rows) % side;
    const unsigned port = contract_digit_between(node, node->address, gray(column) + side * gray(row));
    return is_in(wires, port) ? signed_of(node->program.got[port].at[0], 16) : 0;
}

struct weights {
    int32_t before, own, after;
};

static int32_t row_sum(const struct contract *node, uint32_t wires, struct weights weights)
{
    const uint32_t back = side_of(node) - 1;
    return weights.before * from_cell(node, wires, back, 0) + weights.own * (int32_t)node->program.own.at[0] +
           weights.after * from_cell(node, wires, 1, 0);
}

static int32_t square_sum(const struct contract *node, uint32_t wires, struct weights row,
                          struct weights column)
{
    const uint32_t back = side_of(node) - 1;
    return column.before * from_cell(node, wires, 0, back) + column.own * row_sum(node, wires, row) +
           column.after * from_cell(node, wires, 0, 1);
}

static const struct weights equal = {1, 1, 1}, smooth = {1, 2, 1}, slope = {-1, 0, 1};

static struct weights filter_row(const struct contract *node)
{
    const struct weights of[] = {equal, smooth, slope, smooth};
    return of[node->program.argument];
}

static struct weights filter_column(const struct contract *node)
{
    const struct weights of[] = {equal, smooth, smooth, slope};
    return of[node->program.argument];
}

static struct contract_words cell_says(const struct contract *node, unsigned port, uint32_t wires,
                                       struct weights row)
{
    if (port < node->config.digits / 2)
        return node->program.own;
    return one_word((uint32_t)row_sum(node, wires, row));
}

static struct contract_words life_says(struct contract *node, unsigned port, uint32_t wires)
{
    return cell_says(node, port, wires, equal);
}

static void life_ends(struct contract *node, uint32_t wires)
{
    const uint32_t own = node->program.own.at[0];
    const int32_t others = square_sum(node, wires, equal, equal) - (int32_t)own;
    node->program.own = one_word(others == 3 || (others == 2 && own));
    put_result(node, node->program.own.at[0]);
}

static struct contract_words filter_says(struct contract *node, unsigned port, uint32_t wires)
{
    return cell_says(node, port, wires, filter_row(node));
}

static void filter_ends(struct contract *node, uint32_t wires)
{
    static const int32_t divisor[] = {9, 16, 1, 1};
    const int32_t by = divisor[node->program.argument],
                  sum = square_sum(node, wires, filter_row(node), filter_column(node)),
                  size = ((sum < 0 ? -sum : sum) + by / 2) / by;
    put_result(node, size > 255 ? 255 : (uint32_t)size);
}

/* ---- transpose: pair i of the bits of column and row */

static unsigned lower_of(const struct contract *node, unsigned pair)
{
    return node->program.argument ? pair : 2 * pair;
}

static unsigned upper_of(const struct contract *node, unsigned pair)
{
    return node->program.argument ? pair + node->config.digits / 2 : 2 * pair + 1;
}

static unsigned pair_of(const struct contract *node, unsigned port)
{
    return node->program.argument ? port % (node->config.digits / 2) : port / 2;
}

/* The element of this node changes place in a pair in which its bits differ. */
static bool leaves(const struct contract *node, uint32_t address, unsigned pair)
{
    return bit_of(address, lower_of(node, pair)) != bit_of(address, upper_of(node, pair));
}

static bool carries(const struct contract *node, uint32_t from, uint32_t to)
{
    const unsigned port = contract_digit_between(node, from, to), pair = pair_of(node, port);
    const bool its_turn = !node->program.argument || node->program.superframe == pair;
    return its_turn && leaves(node, from, pair) == (port == lower_of(node, pair));
}

/* The element that it has once the pairs are over of which it knows what came. */
static struct contract_words element_of(const struct contract *node, uint32_t wires)
{
    struct contract_words element = node->program.own;
    for (unsigned pair = 0; pair < node->config.digits / 2; pair++)
        if (leaves(node, node->address, pair) && is_in(wires, upper_of(node, pair)))
            element = node->program.got[upper_of(node, pair)];
    return element;
}

static struct contract_words transpose_says(struct contract *node, unsigned port, uint32_t wires)
{
    const unsigned lower = lower_of(node, pair_of(node, port));
    if (port == lower)
        return element_of(node, wires);
    return is_in(wires, lower) ? node->program.got[lower] : one_word(0); /* else a defect: it is not there */
}

static void transpose_ends(struct contract *node, uint32_t wires)
{
    node->program.own = element_of(node, wires);
    put_result(node, node->program.own.at[0]);
}

/* ---- exchange: the message of a round crosses the bits that are 1 in its number, in ascending order */

static uint32_t round_of(const struct contract *node)
{
    return node->program.superframe + (node->program.argument ? 1 : 0);
}

static bool round_uses(const struct contract *node, uint32_t from, uint32_t to)
{
    return !node->program.argument || bit_of(round_of(node), contract_digit_between(node, from, to));
}

/* Those of alltoall are an arithmetic series, which starts with its key. */
static uint32_t own_message(const struct contract *node, uint32_t to)
{
    if (node->program.recipe->each_node)
        return number_at(node->program.input + 4 * to, 4);
    return (uint32_t)(number_at(node->program.input, 4) + to * UINT64_C(2654435761));
}

/* The message of a round that it has: the last that came in it, else its own. */
static uint32_t message_of(const struct contract *node, uint32_t wires, uint32_t round)
{
    uint32_t message = own_message(node, node->address ^ round);
    for (unsigned dim = 0; dim < node->config.digits; dim++)
        if (is_in(wires, dim) && bit_of(round, dim))
            message = node->program.got[dim].at[0];
    return message;
}

static uint32_t other_round(const struct contract *node)
{
    return round_of(node) ^ (node->nodes - 1);
}

static struct contract_words exchange_says(struct contract *node, unsigned port, uint32_t wires)
{
    const uint32_t round = bit_of(round_of(node), port) ? round_of(node) : other_round(node);
    return one_word(message_of(node, wires, round));
}

static void end_round(struct contract *node, uint32_t wires, uint32_t round)
{
    put_number(node->program.result + 4 * (node->address ^ round), message_of(node, wires, round), 4);
}

static void exchange_ends(struct contract *node, uint32_t wires)
{
    end_round(node, 0, 0);
    end_round(node, wires, round_of(node));
    if (!node->program.argument)
        end_round(node, wires, other_round(node));
}

static void add_round(struct contract *node, uint32_t wires, uint32_t round)
{
    const uint32_t from = node->address ^ round, message = message_of(node, wires, round);
    put_result(node, (uint32_t)number_at(node->program.result, 4) + message + 2 * from * message);
}

static void alltoall_ends(struct contract *node, uint32_t wires)
{
    if (node->program.superframe == 0)
        add_round(node, 0, 0);
    if (node->program.argument || node->program.superframe)
        add_round(node, wires, round_of(node));
    if (!node->program.argument)
        add_round(node, wires, other_round(node));
}

static const struct contract_recipe recipes[] = {
    {"broadcast", 0, true, false, ANY, 4, 4, 4, once, has_value, value_of, NULL, NULL},
    {"allreduce", 2, false, false, ANY, 4, 4, 4, once, always, reduced, NULL, NULL},
    {"scan", 0, false, false, ANY, 4, 4, 4, once, always, sum_of_all, NULL, scan_ends},
    {"barrier", 0xFFFF, false, false, ANY, 1, 4, 4, as_told, always, all_are_there, NULL, barrier_ends},
    {"sort", 0, false, false, CUBE, 4, 4, 4, each_dimension, stage_uses, key_of, NULL, NULL},
    {"fft", 0, false, false, CUBE, 8, 4, 8, once, always, NULL, fft_says, fft_ends},
    {"life", 0xFFFF, false, false, SQUARE, 1, 1, 1, as_told, are_cells_beside, NULL, life_says, life_ends},
    {"filter", 3, false, false, SQUARE, 2, 1, 1, once, are_cells_beside, NULL, filter_says, filter_ends},
    {"transpose", 1, false, false, SQUARE, 4, 4, 4, each_pair, carries, NULL, transpose_says, transpose_ends},
    {"exchange", 1, false, true, CUBE, 4, 4, 4, each_round, round_uses, NULL, exchange_says, exchange_ends},
    {"alltoall", 1, false, false, CUBE, 4, 4, 4, each_round, round_uses, NULL, exchange_says, alltoall_ends},
    {"permute", 0, false, false, CUBE, 4, 4, 4, each_dimension_and_one, stage_uses, NULL, permute_says,
     permute_ends},
};

const struct contract_recipe *contract_recipe_of(const char *name)
{
    for (unsigned i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        if (!strcmp(name, recipes[i].name))
            return &recipes[i];
    return NULL;
}
