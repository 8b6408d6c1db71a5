/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node that is brought over many of its own instants in one call (advance_until of bench/nodes/node.h) does
 * what it does when it is called at each of them: outputs to the picosecond, registers, memory and counts of
 * cycles, with the images of this repository under traffic that is late, broken, disturbed or cut by resets.
 */
#include "bench/emulator/soc/soc.h"
#include "phasebench/random.h"
#include "tests/bench/unit/node_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#define FIRST (25 * MS)
#define SRAM UINT32_C(0x20000000)
enum { ADDRESS = 0x2A3, PHASES = 24, SUPERFRAMES = 12, SRAM_MAX = 264 << 10, CHANGES_MAX = 4096 };
#define SUPERFRAME (PHASES * PERIOD)

struct part {
    const struct pb_mcu_soc *soc;
    const char *file;
    uint32_t sram_bytes;
};
static struct part ag32 = {&pb_soc_ag32, "build/ag32/node.elf", 128 << 10},
                   rp2040 = {&pb_soc_rp2040, "build/rp2040/node.elf", 264 << 10};
static const struct variant parts[] = {{"ag32", &ag32}, {"rp2040", &rp2040}, {NULL, NULL}};

/* ---- a node with a record of what it did */

struct recorded {
    struct pb_node *node;
    unsigned changes;
    struct {
        int64_t at_ps;
        struct pb_node_outputs out;
    } change[CHANGES_MAX];
    struct pb_node_outputs out;
};

static void record(void *context, int64_t at_ps, const struct pb_node_outputs *out)
{
    struct recorded *of = context;
    if (out->pull_low == of->out.pull_low && out->drive_high == of->out.drive_high &&
        out->uart0_tx == of->out.uart0_tx)
        return;
    assert_true(of->changes < CHANGES_MAX);
    of->change[of->changes].at_ps = at_ps;
    of->change[of->changes++].out = of->out = *out;
}

static void assert_same_changes(struct recorded *is, struct recorded *was)
{
    for (unsigned i = 0; i < is->changes && i < was->changes; i++) {
        assert_int_equal(is->change[i].at_ps, was->change[i].at_ps);
        assert_int_equal(is->change[i].out.pull_low, was->change[i].out.pull_low);
        assert_int_equal(is->change[i].out.drive_high, was->change[i].out.drive_high);
        assert_int_equal(is->change[i].out.uart0_tx, was->change[i].out.uart0_tx);
    }
    assert_int_equal(is->changes, was->changes);
    is->changes = was->changes = 0;
}

static void assert_same_state(const struct part *part, const struct pb_node *is, const struct pb_node *was)
{
    static uint8_t sram[2][SRAM_MAX];
    uint32_t registers[2][PB_MCU_REGISTERS_MAX] = {{0}};
    struct pb_mcu_figures figures[2];
    const struct pb_node *const node[2] = {is, was};
    for (unsigned i = 0; i < 2; i++) {
        memset(&figures[i], 0, sizeof figures[i]);
        part->soc->read_registers(node[i], registers[i]);
        part->soc->figures(node[i], &figures[i]);
        assert_true(part->soc->read_memory(node[i], SRAM, sram[i], part->sram_bytes));
    }
    assert_memory_equal(registers[0], registers[1], sizeof registers[0]);
    assert_int_equal(figures[0].instructions, figures[1].instructions);
    assert_int_equal(figures[0].cycles - figures[0].idle_cycles, figures[1].cycles - figures[1].idle_cycles);
    assert_int_equal(figures[0].longest_interrupt_cycles, figures[1].longest_interrupt_cycles);
    assert_int_equal(figures[0].stack_bytes, figures[1].stack_bytes);
    assert_memory_equal(sram[0], sram[1], part->sram_bytes);
}

/* ---- inputs, as a list of changes that the pins keep in order */

/* A frame to a neighbour, now and then one with a wrong bit, at another baud or within the guard. */
static void put_frame(struct pins *list, int64_t begin_ps, unsigned digit, uint64_t *random)
{
    const unsigned phase = 2 * digit + !(ADDRESS >> digit & 1);
    const int64_t bit_ps = BIT + (int64_t)below_of(random, 60000) - 30000;
    uint8_t frame[9];
    make_frame(frame, ADDRESS ^ 1u << below_of(random, 12), below_of(random, 16), 6, below_of(random, 256),
               below_of(random, 256));
    if (below_of(random, 8) == 0)
        frame[below_of(random, 9)] ^= (uint8_t)(1u << below_of(random, 8));
    pins_uart(list, PIN_LINE0 + digit, begin_ps + phase * PERIOD + (int64_t)below_of(random, 12) * US, bit_ps,
              frame, sizeof frame);
}

/* A pulse on any pin, from a fraction of a cycle to some bits. */
static void disturb(struct pins *list, int64_t begin_ps, uint64_t *random)
{
    static const enum pin pin[] = {PIN_CLK, PIN_SYNC, PIN_UART0_RX};
    const unsigned any = below_of(random, 15);
    const int64_t at_ps = begin_ps + (int64_t)below_of(random, SUPERFRAME / 1000) * 1000;
    const int64_t long_ps = 1 + (int64_t)below_of(random, 1u << below_of(random, 23));
    pins_change(list, at_ps, any < 12 ? PIN_LINE0 + any : pin[any - 12], below_of(random, 2));
    pins_change(list, at_ps + long_ps, any < 12 ? PIN_LINE0 + any : pin[any - 12], true);
}

static void plan_inputs(struct pins *list, uint64_t *random)
{
    static const char *const line[] = {"S 91C 010203040506\n", "T\n", "S 2A2 060504030201\n", "I\n",
                                       "S 2AB 0102\n",         "X\n"};
    for (unsigned s = 0; s < SUPERFRAMES; s++) {
        const int64_t begin_ps = FIRST + s * SUPERFRAME;
        for (unsigned phase = 0; phase < PHASES; phase++)
            pins_phase(list, begin_ps + phase * PERIOD + (int64_t)below_of(random, 100000), PERIOD,
                       phase == 0);
        for (unsigned digit = 0; digit < 12; digit++)
            if (below_of(random, 4))
                put_frame(list, begin_ps, digit, random);
        for (unsigned i = 0; i < 3; i++) {
            const char *text = line[below_of(random, COUNT(line))];
            pins_uart(list, PIN_UART0_RX, begin_ps + (int64_t)(i * 800 + below_of(random, 300)) * US, US,
                      text, strlen(text));
        }
        for (unsigned i = s % 3 ? below_of(random, 10) : 0; i > 0; i--)
            disturb(list, begin_ps, random);
        if (s % 8 == 5) {
            pins_change(list, begin_ps + 333 * US, PIN_NRST, false);
            pins_change(list, begin_ps + 400 * US, PIN_NRST, true);
        }
    }
}

static struct pb_node_inputs inputs_of(const struct pins *list)
{
    struct pb_node_inputs in = {.tdma_clk = list->level[PIN_CLK],
                                .tdma_sync = list->level[PIN_SYNC],
                                .nrst = list->level[PIN_NRST],
                                .uart0_rx = list->level[PIN_UART0_RX]};
    for (unsigned i = 0; i < 12; i++)
        in.line |= (uint16_t)((unsigned)list->level[PIN_LINE0 + i] << i);
    return in;
}

static struct pb_node *node_of(const struct part *part, struct pb_image *image, int32_t ppm)
{
    struct pb_node_config config = config_of(ADDRESS);
    struct pb_node *node = NULL;
    struct pb_diag diag;
    config.clock_ppm = ppm;
    config.seed = 5;
    assert_int_equal(part->soc->create(&node, image, &config, &diag), PB_OK);
    assert_non_null(node->ops->advance_until);
    return node;
}

static void run_both(const struct part *part, int32_t ppm, uint64_t *random)
{
    static struct recorded steps, until;
    struct pb_image *image;
    struct pb_diag diag;
    struct pins list;
    int64_t now_ps = 0;
    unsigned compared = 0, changed = 0;

    assert_int_equal(pb_image_read(&image, part->file, &diag), PB_OK);
    steps = (struct recorded){.node = node_of(part, image, ppm)};
    until = (struct recorded){.node = node_of(part, image, ppm)};
    pins_init(&list, steps.node, NULL); /* which it owns */
    plan_inputs(&list, random);
    for (size_t i = 0; i <= list.changes; i++) {
        const int64_t next_ps = i < list.changes ? list.change[i].ps : now_ps + 10 * MS;
        const struct pb_node_inputs in = inputs_of(&list);
        /* In several parts, too. */
        for (int64_t to_ps; now_ps < next_ps; now_ps = to_ps) {
            to_ps = below_of(random, 3) ? next_ps : now_ps + 1 + (next_ps - now_ps) / 3;
            pb_node_steps_until(steps.node, steps.out.pull_low, now_ps, to_ps, &in,
                                &(struct pb_node_changes){.changed = record, .context = &steps});
            until.node->ops->advance_until(until.node, now_ps, to_ps, &in,
                                           &(struct pb_node_changes){.changed = record, .context = &until});
        }
        changed += steps.changes;
        assert_same_changes(&until, &steps);
        if (i % 64 == 0 || i == list.changes) {
            /* Both at the same instant. */
            struct pb_node_inputs seen = in;
            struct pb_node_outputs out;
            seen.line &= (uint16_t)~steps.out.pull_low;
            steps.node->ops->advance(steps.node, now_ps, &seen, &out);
            until.node->ops->advance(until.node, now_ps, &seen, &out);
            assert_same_state(part, until.node, steps.node);
            compared++;
        }
        if (i < list.changes)
            list.level[list.change[i].pin] = list.change[i].level;
    }
    assert_true(compared > 50);
    assert_true(changed > 2000);
    pins_free(&list);
    pb_node_destroy(until.node);
    pb_image_destroy(image);
}

TEST_ON(many_instants_in_one_call_are_those_one_by_one, NULL, NULL, parts)
{
    uint64_t random = 7;
    for (unsigned run = 0; run < 4; run++)
        run_both(*state, run < 2 ? 0 : (int32_t)below_of(&random, 40000) - 20000, &random);
}

/* ---- a program that pulls a line and looks at it at once */

#define SIO UINT32_C(0xD0000000)
#define CTRL_OF_LINK0 UINT32_C(0x40014014)
#define CODE (SRAM + 0x20000)
#define SEEN (SRAM + 0x21000)
enum { SEEN_BYTES = 64 << 10, MASKED = 19, LINK0 = 1 << 2, BY_SIO = 5, LOOKS = 6 };

/* r0: SIO, r1: the pin, r2: where the next look is kept, r3: its control, r4: its function. */
static void write_program(struct pb_node *node)
{
    uint16_t code[64];
    unsigned used = 0;
    code[used++] = 0x601C; /* str r4, [r3] */
    code[used++] = 0x62C1; /* str r1, [r0, #0x2C]: GPIO_OE_XOR */
    for (unsigned i = 0; i < LOOKS; i++) {
        code[used++] = 0x6845; /* ldr r5, [r0, #4]: GPIO_IN */
        code[used++] = 0x6015; /* str r5, [r2] */
        code[used++] = 0x3204; /* adds r2, #4 */
    }
    const int back = 1 - (int)used - 2;
    code[used++] = (uint16_t)(0xE000 | (back & 0x7FF)); /* b, to the second instruction */
    const uint32_t value[] = {SIO, LINK0, SEEN, CTRL_OF_LINK0, BY_SIO};
    uint8_t bytes[sizeof code];
    for (unsigned i = 0; i < used; i++) {
        bytes[2 * i] = (uint8_t)code[i];
        bytes[2 * i + 1] = (uint8_t)(code[i] >> 8);
    }
    assert_true(pb_soc_rp2040.write_memory(node, CODE, bytes, 2 * used));
    for (unsigned i = 0; i < COUNT(value); i++)
        pb_soc_rp2040.write_register(node, i, value[i]);
    pb_soc_rp2040.write_register(node, pb_soc_rp2040.pc, CODE);
    assert_string_equal(pb_soc_rp2040.registers[MASKED].name, "primask");
    pb_soc_rp2040.write_register(node, MASKED, 1);
}

TEST(a_node_sees_its_own_line_at_its_time)
{
    static struct recorded steps, until;
    static uint8_t seen[2][SEEN_BYTES];
    struct pb_node_inputs in = {.line = 0xFFF, .nrst = true, .uart0_rx = true};
    struct pb_image *image;
    struct pb_diag diag;
    uint64_t random = 3;
    unsigned low = 0, high = 0;

    assert_int_equal(pb_image_read(&image, rp2040.file, &diag), PB_OK);
    steps = (struct recorded){.node = node_of(&rp2040, image, 0)};
    until = (struct recorded){.node = node_of(&rp2040, image, 0)};
    struct recorded *const both[] = {&steps, &until};
    struct pb_node_changes changes[2];
    for (unsigned i = 0; i < 2; i++) {
        changes[i] = (struct pb_node_changes){.changed = record, .context = both[i]};
        pb_node_steps_until(both[i]->node, 0, 0, FIRST, &in, &changes[i]);
        write_program(both[i]->node);
    }
    in.tdma_clk = true; /* wakes it */
    for (int64_t now_ps = FIRST, to_ps; now_ps < FIRST + 100 * US; now_ps = to_ps) {
        to_ps = now_ps + 1 + below_of(&random, 1u << below_of(&random, 24));
        pb_node_steps_until(steps.node, steps.out.pull_low, now_ps, to_ps, &in, &changes[0]);
        until.node->ops->advance_until(until.node, now_ps, to_ps, &in, &changes[1]);
        assert_same_changes(&until, &steps);
        in.line ^= (uint16_t)(below_of(&random, 4) == 0);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_true(pb_soc_rp2040.read_memory(both[i]->node, SEEN, seen[i], SEEN_BYTES));
    assert_memory_equal(seen[0], seen[1], SEEN_BYTES);
    for (unsigned i = 0; i < 1000; i++)
        *(seen[0][4 * i] & LINK0 ? &high : &low) += 1;
    assert_true(low > 100 && high > 100);
    pb_node_destroy(steps.node);
    pb_node_destroy(until.node);
    pb_image_destroy(image);
}
