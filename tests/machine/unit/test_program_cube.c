/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The programs of a binary cube against plain computations: qsort, a direct Fourier transform in double,
 * cells and pixels in an array with indices modulo its side, rows and columns of a matrix. All inputs where
 * these are few: of sort all of 0 and 1, which suffices for any sequence of comparisons that does not depend
 * on the keys (0-1 principle).
 */
#include "tests/machine/unit/program_fixture.h"

#include "phasebench/budget.h"

#include <math.h>

/* The number with its bits in reversed order, through text. */
static uint32_t reversed(uint32_t number, unsigned bits)
{
    char text[33];
    for (unsigned i = 0; i < bits; i++)
        text[i] = (char)('0' + (number >> i & 1));
    text[bits] = '\0';
    return (uint32_t)strtoul(text, NULL, 2);
}

/* ---- sort */

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void check_sorted(unsigned dims, const uint8_t *inputs)
{
    static uint32_t keys[4096];
    const struct pb_program *sort = pb_program_find("sort");
    struct pb_program_play *play = played(sort, CUBE(dims), 0, inputs);
    for (uint32_t i = 0; i < UINT32_C(1) << dims; i++)
        keys[i] = word_at(inputs + 4 * i);
    qsort(keys, (size_t)1 << dims, sizeof *keys, by_value);
    for (uint32_t rank = 0; rank < UINT32_C(1) << dims; rank++) {
        assert_int_equal(pb_program_sink(sort, CUBE(dims), 0, rank), reversed(rank, dims));
        assert_int_equal(result_word(play, reversed(rank, dims)), keys[rank]);
    }
    assert_int_equal(pb_program_play_superframe(play), dims);
    pb_program_play_free(play);
}

TEST(sort_is_right_on_all_inputs_of_0_and_1)
{
    uint8_t inputs[4 * 16];
    for (unsigned dims = 1; dims <= 4; dims++)
        for (uint32_t number = 0; number < UINT32_C(1) << (1 << dims); number++) {
            for (uint32_t node = 0; node < UINT32_C(1) << dims; node++)
                set_word(inputs + 4 * node, number >> node & 1);
            check_sorted(dims, inputs);
        }
}

TEST(sort_takes_12_superframes_for_4096_keys)
{
    const struct pb_program *sort = pb_program_find("sort");
    for (uint32_t seed = 1; seed <= 3; seed++)
        check_sorted(12, random_inputs(sort, CUBE(12), seed));
    for (unsigned dims = 5; dims <= 9; dims++)
        check_sorted(dims, random_inputs(sort, CUBE(dims), dims));
}

/* ---- fft */

static int signed_word(const uint8_t *bytes)
{
    return (int32_t)word_at(bytes);
}

static void set_sample(uint8_t *bytes, int re, int im)
{
    bytes[0] = (uint8_t)re, bytes[1] = (uint8_t)((unsigned)re >> 8);
    bytes[2] = (uint8_t)im, bytes[3] = (uint8_t)((unsigned)im >> 8);
}

/* Returns the largest error, in units of the last place. samples: re and im in turn, in order of time. */
static double fft_error(unsigned dims, const int *samples)
{
    const uint32_t points = UINT32_C(1) << dims;
    const struct pb_program *fft = pb_program_find("fft");
    const double unit = ldexp(1, (int)dims - 15), turn = 2 * acos(-1) / points;
    const size_t held = handed_over();
    uint8_t *inputs = hand_over(malloc(4 * points), free);
    double *cosine = hand_over(malloc(points * sizeof *cosine), free);
    double *sine = hand_over(malloc(points * sizeof *sine), free);
    double worst = 0;
    for (uint32_t i = 0; i < points; i++) {
        assert_int_equal(pb_program_source(fft, CUBE(dims), 0, i), reversed(i, dims));
        set_sample(inputs + 4 * reversed(i, dims), samples[2 * i], samples[2 * i + 1]);
        cosine[i] = cos(turn * i);
        sine[i] = sin(turn * i);
    }
    struct pb_program_play *play = played(fft, CUBE(dims), 0, inputs);
    for (uint32_t k = 0; k < points; k++) {
        double re = 0, im = 0;
        for (uint32_t i = 0; i < points; i++) {
            const uint32_t angle = i * k % points;
            re += samples[2 * i] * cosine[angle] + samples[2 * i + 1] * sine[angle];
            im += samples[2 * i + 1] * cosine[angle] - samples[2 * i] * sine[angle];
        }
        const uint8_t *result = pb_program_play_result(play, k);
        const double error = hypot(signed_word(result) - re / unit, signed_word(result + 4) - im / unit);
        worst = error > worst ? error : worst;
    }
    pb_program_play_free(play);
    release_back_to(held);
    return worst;
}

/* The bound of docs/use/programs.md. */
static double fft_bound(unsigned dims)
{
    return ldexp(0.71, (int)dims) + dims * dims;
}

TEST(fft_is_within_its_bound_on_all_small_inputs)
{
    static const int level[] = {-32768, 0, 32767};
    int samples[8];
    for (unsigned dims = 1; dims <= 2; dims++)
        for (uint32_t number = 0; number < (dims == 1 ? 81 : 6561); number++) {
            for (uint32_t i = 0, rest = number; i < 2u << dims; i++, rest /= 3)
                samples[i] = level[rest % 3];
            assert_true(fft_error(dims, samples) <= 1); /* roots 1 and -j: exact except for the point */
        }
}

TEST(fft_is_within_its_bound_at_random_and_at_full_scale)
{
    static int samples[2 * 4096];
    uint64_t seed = 5;
    for (unsigned dims = 3; dims <= 12; dims += dims < 8 ? 1 : 4) {
        for (unsigned kind = 0; kind < 3; kind++) {
            for (uint32_t i = 0; i < 2u << dims; i++)
                samples[i] = kind == 0   ? (int16_t)drawn(&seed)
                             : kind == 1 ? -32768
                                         : (drawn(&seed) & 256 ? 32767 : -32768);
            const double error = fft_error(dims, samples);
            assert_true(error <= fft_bound(dims));
            assert_true(error <=
                        4 * sqrt(ldexp(1, (int)dims))); /* what rounding errors at random add up to */
        }
    }
}

/* A tone has one line; at full scale it is the largest value that there is. */
TEST(fft_of_a_constant_at_full_scale_does_not_overflow)
{
    static int samples[2 << 12];
    for (unsigned dims = 1; dims <= 12; dims++) {
        for (uint32_t i = 0; i < 2u << dims; i++)
            samples[i] = -32768;
        assert_true(fft_error(dims, samples) <= fft_bound(dims));
    }
}

/* ---- cells and pixels */

static uint32_t gray(uint32_t number)
{
    return number ^ number / 2;
}

static uint32_t node_of_cell(unsigned dims, unsigned x, unsigned y)
{
    return gray(x) + (gray(y) << dims / 2);
}

static void naive_generation(unsigned side, const uint8_t *before, uint8_t *after)
{
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++) {
            unsigned count = 0;
            for (unsigned dy = 0; dy < 3; dy++)
                for (unsigned dx = 0; dx < 3; dx++)
                    if (dx != 1 || dy != 1)
                        count += before[(y + dy + side - 1) % side * side + (x + dx + side - 1) % side];
            after[y * side + x] = count == 3 || (count == 2 && before[y * side + x]);
        }
}

static void check_life(unsigned dims, const uint8_t *cells, uint32_t generations)
{
    static uint8_t inputs[4096], board[2][4096];
    const unsigned side = 1u << dims / 2;
    const struct pb_program *life = pb_program_find("life");
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            inputs[node_of_cell(dims, x, y)] = board[0][y * side + x] = cells[y * side + x];
    struct pb_program_play *play = begun(life, CUBE(dims), generations, inputs);
    for (uint32_t i = 0; pb_program_play_step(play, NULL, NULL); i++) {
        naive_generation(side, board[i % 2], board[(i + 1) % 2]);
        for (unsigned cell = 0; cell < side * side; cell++) {
            const uint32_t node = node_of_cell(dims, cell % side, cell / side);
            assert_int_equal(pb_program_sink(life, CUBE(dims), generations, cell), node);
            assert_int_equal(*pb_program_play_result(play, node), board[(i + 1) % 2][cell]);
        }
    }
    pb_program_play_free(play);
}

TEST(life_is_right_on_all_boards_of_4_by_4)
{
    uint8_t cells[16];
    for (uint32_t board = 0; board < 65536; board++) {
        for (unsigned i = 0; i < 16; i++)
            cells[i] = board >> i & 1;
        check_life(4, cells, 1);
    }
    for (uint32_t board = 0; board < 16; board++) {
        for (unsigned i = 0; i < 4; i++)
            cells[i] = board >> i & 1;
        check_life(2, cells, 2); /* both neighbours in a row are one cell */
    }
}

TEST(life_is_right_at_random_to_64_by_64)
{
    static uint8_t cells[4096];
    uint64_t seed = 9;
    for (unsigned dims = 6; dims <= 12; dims += 2) {
        for (unsigned i = 0; i < 4096; i++)
            cells[i] = drawn(&seed) >> 9 & 1;
        check_life(dims, cells, 12);
    }
}

static unsigned naive_pixel(unsigned side, const uint8_t *pixel, unsigned x, unsigned y, unsigned filter)
{
    static const int kernel[][9] = {{1, 1, 1, 1, 1, 1, 1, 1, 1},
                                    {1, 2, 1, 2, 4, 2, 1, 2, 1},
                                    {-1, 0, 1, -2, 0, 2, -1, 0, 1},
                                    {-1, -2, -1, 0, 0, 0, 1, 2, 1}};
    static const double divisor[] = {9, 16, 1, 1};
    int sum = 0;
    for (unsigned i = 0; i < 9; i++)
        sum +=
            kernel[filter][i] * pixel[(y + i / 3 + side - 1) % side * side + (x + i % 3 + side - 1) % side];
    const double value = floor(fabs(sum / divisor[filter]) + 0.5);
    return value > 255 ? 255 : (unsigned)value;
}

static void check_filter(unsigned dims, const uint8_t *pixels)
{
    static uint8_t inputs[4096];
    const unsigned side = 1u << dims / 2;
    for (unsigned i = 0; i < side * side; i++)
        inputs[node_of_cell(dims, i % side, i / side)] = pixels[i];
    for (unsigned filter = 0; filter < 4; filter++) {
        struct pb_program_play *play = played(pb_program_find("filter"), CUBE(dims), filter, inputs);
        for (unsigned i = 0; i < side * side; i++)
            assert_int_equal(*pb_program_play_result(play, node_of_cell(dims, i % side, i / side)),
                             naive_pixel(side, pixels, i % side, i / side, filter));
        pb_program_play_free(play);
    }
}

TEST(filter_is_right_on_small_pictures_and_at_random)
{
    static uint8_t pixels[4096];
    static const uint8_t level[] = {0, 1, 200, 255};
    uint64_t seed = 4;
    for (unsigned number = 0; number < 256; number++) {
        for (unsigned i = 0; i < 4; i++)
            pixels[i] = level[number >> 2 * i & 3];
        check_filter(2, pixels);
    }
    for (unsigned i = 0; i < 16; i++) { /* one bright pixel at each place */
        memset(pixels, 0, sizeof pixels);
        pixels[i] = 255;
        check_filter(4, pixels);
    }
    for (unsigned dims = 4; dims <= 12; dims += 2) {
        for (unsigned i = 0; i < 4096; i++)
            pixels[i] = (uint8_t)(drawn(&seed) >> 5);
        check_filter(dims, pixels);
    }
}

/* ---- transpose and exchange: each value once, so that none can be taken for another */

static uint32_t node_of_element(unsigned dims, uint32_t layout, uint32_t row, uint32_t column)
{
    uint32_t node = 0;
    if (layout == 1)
        return row * (1u << dims / 2) + column;
    for (unsigned i = 0; i < dims / 2; i++) {
        node += (column >> i) % 2 * (1u << 2 * i);
        node += (row >> i) % 2 * (2u << 2 * i);
    }
    return node;
}

TEST(transpose_exchanges_rows_and_columns)
{
    static uint8_t inputs[4 * 4096];
    const struct pb_program *transpose = pb_program_find("transpose");
    for (unsigned dims = 2; dims <= 12; dims += 2)
        for (uint32_t layout = 0; layout < 2; layout++) {
            const uint32_t side = UINT32_C(1) << dims / 2;
            for (uint32_t row = 0; row < side; row++)
                for (uint32_t column = 0; column < side; column++) {
                    const uint32_t node = node_of_element(dims, layout, row, column);
                    set_word(inputs + 4 * node, row * 1000 + column);
                    assert_int_equal(pb_program_source(transpose, CUBE(dims), layout, row * side + column),
                                     node);
                }
            struct pb_program_play *play = played(transpose, CUBE(dims), layout, inputs);
            for (uint32_t row = 0; row < side; row++)
                for (uint32_t column = 0; column < side; column++)
                    assert_int_equal(result_word(play, node_of_element(dims, layout, row, column)),
                                     column * 1000 + row);
            assert_int_equal(pb_program_play_superframe(play), layout ? dims / 2 : 1);
            pb_program_play_free(play);
        }
}

/* Frames of each directed link in the present superframe. */
struct links {
    unsigned dims;
    unsigned *frames;
    uint64_t total;
};

static void count_link(void *context, const struct pb_program_frame *frame)
{
    struct links *links = context;
    links->frames[frame->from * links->dims + frame->port]++;
    links->total++;
}

static void check_exchange(unsigned dims, uint32_t mode)
{
    const uint32_t nodes = UINT32_C(1) << dims;
    const size_t held = handed_over(), row = 4 * (size_t)nodes;
    uint8_t *inputs = hand_over(malloc(nodes * row), free);
    struct links links = {dims, hand_over(calloc(nodes * dims, sizeof(unsigned)), free), 0};
    uint32_t superframes = 0;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t to = 0; to < nodes; to++)
            set_word(inputs + node * row + 4 * to, node * 70000 + to);
    struct pb_program_play *play = begun(pb_program_find("exchange"), CUBE(dims), mode, inputs);
    for (; pb_program_play_step(play, count_link, &links); superframes++)
        for (uint32_t i = 0; i < nodes * dims; i++) {
            const uint32_t round = superframes + 1;
            assert_int_equal(links.frames[i], mode == 0 ? 1 : round >> i % dims & 1);
            links.frames[i] = 0;
        }
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t from = 0; from < nodes; from++)
            assert_int_equal(word_at(pb_program_play_result(play, node) + 4 * from), from * 70000 + node);
    pb_program_play_free(play);
    /* N^2 n / 2 hops; N n directed links carry one frame each in a superframe. */
    assert_int_equal(links.total, (uint64_t)nodes * nodes * dims / 2);
    assert_int_equal(superframes, mode == 0 ? links.total / (nodes * dims) : nodes - 1);
    release_back_to(held);
}

TEST(exchange_uses_each_directed_link_once_in_each_superframe)
{
    for (unsigned dims = 1; dims <= 9; dims++)
        check_exchange(dims, 0);
}

TEST(exchange_of_lone_rounds_takes_a_superframe_for_each)
{
    for (unsigned dims = 1; dims <= 7; dims++)
        check_exchange(dims, 1);
}

/* ---- permute: each message at its destination, and nothing elsewhere */

#define NONE UINT32_MAX

static void check_permutation(unsigned dims, const uint32_t *to)
{
    const uint32_t nodes = UINT32_C(1) << dims;
    const size_t held = handed_over();
    uint8_t *inputs = hand_over(malloc(4 * (size_t)nodes), free);
    uint32_t *source = hand_over(malloc(nodes * sizeof *source), free), superframes = 0;
    for (uint32_t node = 0; node < nodes; node++)
        source[node] = NONE;
    for (uint32_t node = 0; node < nodes; node++) {
        set_word(inputs + 4 * node, to[node]);
        if (to[node] != NONE)
            source[to[node]] = node;
    }
    struct pb_program_play *play = begun(pb_program_find("permute"), CUBE(dims), 0, inputs);
    while (pb_program_play_step(play, NULL, NULL))
        superframes++;
    assert_int_equal(superframes, dims + 1);
    for (uint32_t node = 0; node < nodes; node++)
        assert_int_equal(word_at(pb_program_play_result(play, node)), source[node]);
    pb_program_play_free(play);
    release_back_to(held);
}

/* Every way to give the nodes from `node` on another destination that is left, or none. */
static void check_all_from(unsigned dims, uint32_t node, bool absent, uint32_t left, uint32_t *to)
{
    if (node == UINT32_C(1) << dims) {
        check_permutation(dims, to);
        return;
    }
    for (uint32_t destination = 0; destination < UINT32_C(1) << dims; destination++)
        if (left >> destination & 1) {
            to[node] = destination;
            check_all_from(dims, node + 1, absent, left & ~(UINT32_C(1) << destination), to);
        }
    if (absent) {
        to[node] = NONE;
        check_all_from(dims, node + 1, absent, left, to);
    }
}

TEST(permute_brings_every_partial_permutation_of_4_nodes)
{
    uint32_t to[4];
    check_all_from(1, 0, true, 0x3, to);
    check_all_from(2, 0, true, 0xF, to);
}

TEST(permute_brings_every_permutation_of_8_nodes)
{
    uint32_t to[8];
    check_all_from(3, 0, false, 0xFF, to);
}

/* Destinations without order, and a share of them absent. */
TEST(permute_brings_partial_permutations_of_up_to_4096_nodes)
{
    static uint32_t to[4096];
    uint64_t random = 5;
    for (unsigned run = 0; run < 200; run++) {
        const unsigned dims = 3 + run % 10, absent = run / 10 % 4;
        const uint32_t nodes = UINT32_C(1) << dims;
        for (uint32_t node = 0; node < nodes; node++)
            to[node] = node;
        for (uint32_t node = nodes - 1; node; node--) {
            const uint32_t other = (uint32_t)(random_step(&random) % (node + 1)), kept = to[node];
            to[node] = to[other];
            to[other] = kept;
        }
        for (uint32_t node = 0; node < nodes; node++)
            if (random_step(&random) % 4 < absent)
                to[node] = NONE;
        check_permutation(dims, to);
    }
}

/* ---- alltoall: each message from the definition, one by one */

static void check_alltoall(unsigned dims, uint32_t mode)
{
    const uint32_t nodes = UINT32_C(1) << dims;
    const size_t held = handed_over();
    const struct pb_program *program = pb_program_find("alltoall");
    uint8_t *inputs = random_inputs(program, CUBE(dims), 7 + dims);
    struct links links = {dims, hand_over(calloc(nodes * dims, sizeof(unsigned)), free), 0};
    uint32_t superframes = 0;
    struct pb_program_play *play = begun(program, CUBE(dims), mode, inputs);
    for (; pb_program_play_step(play, count_link, &links); superframes++)
        ;
    for (uint32_t to = 0; to < nodes; to++) {
        uint64_t sum = 0;
        for (uint32_t from = 0; from < nodes; from++) {
            const uint64_t message =
                (word_at(inputs + 4 * from) + to * UINT64_C(2654435761)) % (UINT64_C(1) << 32);
            sum += message * (2 * from + 1);
        }
        assert_int_equal(word_at(pb_program_play_result(play, to)), sum % (UINT64_C(1) << 32));
    }
    pb_program_play_free(play);
    for (uint32_t i = 0; i < nodes * dims; i++)
        assert_int_equal(links.frames[i], nodes / 2);
    assert_int_equal(superframes, mode == 0 ? nodes / 2 : nodes - 1);
    release_back_to(held);
}

TEST(alltoall_adds_up_each_message_with_its_factor)
{
    for (unsigned dims = 1; dims <= 8; dims++)
        for (uint32_t mode = 0; mode < 2; mode++)
            check_alltoall(dims, mode);
}

/* ---- the exchange in steps */

/* Each way to divide n dimensions into steps, in any order; returns their number. */
static unsigned divide(unsigned left, unsigned steps, unsigned *dims,
                       void (*use)(const unsigned *dims, unsigned steps, void *context), void *context)
{
    unsigned ways = left == 0;
    if (!left)
        use(dims, steps, context);
    for (unsigned first = 1; first <= left; first++) {
        dims[steps] = first;
        ways += divide(left - first, steps + 1, dims, use, context);
    }
    return ways;
}

enum { STEP_NODES = 32 };

/* Moves every message in steps, along the bits of its way in ascending order, and counts what crosses. */
static void play_steps(const unsigned *dims, unsigned steps, void *context)
{
    const unsigned n = *(const unsigned *)context, nodes = 1u << n;
    static unsigned at[STEP_NODES][STEP_NODES], crossed[STEP_NODES][5];

    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++)
            at[from][to] = from;
    for (unsigned step = 0, first = 0; step < steps; first += dims[step++]) {
        memset(crossed, 0, sizeof crossed);
        for (unsigned from = 0; from < nodes; from++)
            for (unsigned to = 0; to < nodes; to++)
                for (unsigned bit = first; bit < first + dims[step]; bit++)
                    if ((at[from][to] ^ to) >> bit & 1) {
                        crossed[at[from][to]][bit]++;
                        at[from][to] ^= 1u << bit;
                    }
        for (unsigned node = 0; node < nodes; node++)
            for (unsigned bit = first; bit < first + dims[step]; bit++)
                assert_int_equal(crossed[node][bit], (1u << (dims[step] - 1)) << (n - dims[step]));
    }
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++)
            assert_int_equal(at[from][to], to);
}

/* In a step each directed link of its dimensions carries 2^(d - 1) blocks, of 2^(n - d) messages each. */
TEST(an_exchange_in_steps_brings_each_message_and_loads_each_link_alike)
{
    for (unsigned n = 1; n <= 5; n++) {
        unsigned dims[5];
        assert_int_equal(divide(n, 0, dims, play_steps, &n), 1u << (n - 1));
    }
}

struct shortest {
    unsigned n, message_bytes, steps_most;
    const struct pb_exchange_line *line;
    uint64_t duration_ps;
    unsigned steps;
};

static void note_shortest(const unsigned *dims, unsigned steps, void *context)
{
    struct shortest *shortest = context;
    if (steps > shortest->steps_most)
        return;
    for (unsigned payload = 1; payload <= 80; payload++) {
        uint64_t superframes = 0;
        for (unsigned i = 0; i < steps; i++) {
            const unsigned block = shortest->message_bytes << (shortest->n - dims[i]);
            unsigned frames = 0;
            for (unsigned sent = 0; sent < block; sent += payload)
                frames++;
            superframes += (uint64_t)frames << dims[i] >> 1;
        }
        superframes -= steps - 1; /* shared by two steps */
        const struct pb_exchange_line *line = shortest->line;
        const uint64_t bits = 10 * (uint64_t)(payload + line->check_bytes);
        const uint64_t frame_ps = bits * UINT64_C(1000000000000) / line->baud_hz +
                                  (bits * UINT64_C(1000000000000) % line->baud_hz != 0);
        const uint64_t duration_ps = superframes * 2 * shortest->n * ((uint64_t)line->guard_ps + frame_ps);
        if (shortest->steps && duration_ps > shortest->duration_ps)
            continue;
        if (!shortest->steps || duration_ps < shortest->duration_ps || steps < shortest->steps)
            shortest->steps = steps;
        shortest->duration_ps = duration_ps;
    }
}

TEST(the_shortest_exchange_is_that_of_all_ways)
{
    static const unsigned messages[] = {1, 2, 3, 8, 13, 80};
    static const struct pb_exchange_line lines[] = {{1000000, 10000000, 1}, {3000000, 50000000, 3}};
    for (unsigned n = 1; n <= 7; n++)
        for (size_t m = 0; m < COUNT(messages); m++)
            for (size_t l = 0; l < COUNT(lines); l++)
                for (unsigned most = 1; most <= n; most += 2) {
                    struct shortest shortest = {n, messages[m], most, &lines[l], 0, 0};
                    unsigned dims[12];
                    divide(n, 0, dims, note_shortest, &shortest);
                    const struct pb_exchange_steps found =
                        pb_exchange_shortest(n, messages[m], most, &lines[l]);
                    assert_int_equal(found.duration_ps, shortest.duration_ps);
                    assert_int_equal(found.steps, shortest.steps);
                }
}

/* At 1 Mbaud, with 10 us of guards and a CRC of one byte. A cube in which half of a node's messages fits
 * a frame needs one superframe. In the 12-cube steps gain only for 1 byte: 24 phases of 660 us, 63 times. */
TEST(steps_gain_where_messages_are_short)
{
    const struct pb_exchange_line line = {1000000, 10000000, 1};
    for (unsigned n = 1; n <= 7; n++) {
        const struct pb_exchange_steps steps = pb_exchange_shortest(n, 1, n, &line);
        assert_int_equal(steps.steps, n);
        assert_int_equal(steps.superframes, 1);
        assert_int_equal(steps.payload_bytes, 1u << (n - 1));
    }
    const struct pb_exchange_steps one = pb_exchange_shortest(12, 1, 12, &line),
                                   two = pb_exchange_shortest(12, 2, 12, &line);
    assert_int_equal(one.steps, 2);
    assert_int_equal(one.dims[0], 6);
    assert_int_equal(one.dims[1], 6);
    assert_int_equal(one.superframes, 2 * 32 - 1);
    assert_int_equal(one.payload_bytes, 64);
    assert_int_equal(one.duration_ps, INT64_C(63) * 24 * 660 * 1000000);
    assert_int_equal(two.steps, 1);
    assert_int_equal(two.superframes, 2048);
    assert_int_equal(pb_exchange_shortest(12, 1, 1, &line).duration_ps, INT64_C(2048) * 24 * 30 * 1000000);
    assert_int_equal(pb_exchange_shortest(12, 0, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(0, 1, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(13, 1, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(12, 1, 0, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(12, 1, 1, &(struct pb_exchange_line){0, 0, 1}).steps, 0);
    const struct pb_exchange_line slow = {300, INT64_C(1000000000000), 65535};
    assert_int_equal(pb_exchange_shortest(12, 65535, 12, &slow).steps, 0); /* longer than 106 days */
}

TEST(an_exchange_outside_the_ranges_has_no_steps)
{
    const struct pb_exchange_line line = {PB_BAUD_MAX_HZ, PB_GUARD_MAX_PS, PB_EXCHANGE_MESSAGE_MAX};
    const struct pb_exchange_line wrong[] = {{PB_BAUD_MAX_HZ + 1, 0, 1},
                                             {PB_BAUD_MIN_HZ - 1, 0, 1},
                                             {1000000, PB_GUARD_MAX_PS + 1, 1},
                                             {1000000, -1, 1},
                                             {1000000, 0, PB_EXCHANGE_MESSAGE_MAX + 1}};
    assert_int_equal(pb_exchange_shortest(1, PB_EXCHANGE_MESSAGE_MAX, 1, &line).steps, 1);
    assert_int_equal(pb_exchange_shortest(1, PB_EXCHANGE_MESSAGE_MAX + 1, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(1, 0, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(0, 1, 1, &line).steps, 0);
    assert_int_equal(pb_exchange_shortest(PB_EXCHANGE_DIMS_MAX + 1, 1, 1, &line).steps, 0);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(pb_exchange_shortest(1, 1, 1, &wrong[i]).steps, 0);
}
