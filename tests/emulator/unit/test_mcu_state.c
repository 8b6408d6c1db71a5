/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Saved states of the emulated parts, with the images of this repository under traffic. From many instants on
 * a node is recorded for a while; the same node, a fresh one and one that is full of something else, each set
 * to the state of that instant, must do exactly the same under the same inputs.
 */
#include "bench/emulator/soc/soc.h"
#include "phasebench/random.h"
#include "tests/bench/unit/node_fixture.h"
#include "tests/bench/unit/tests.h"

#define FIRST (25 * MS)
#define WINDOW (2 * MS)
#define SRAM UINT32_C(0x20000000)
enum { ADDRESS = 0x2A3, PHASES = 24, INSTANTS = 300, SUPERFRAMES = 400, SRAM_MAX = 264 << 10 };
#define SUPERFRAME (PHASES * PERIOD)

struct part {
    const struct pb_mcu_soc *soc;
    const char *file;
    uint32_t sram_bytes;
    struct pb_image *image;
};
static struct part ag32 = {&pb_soc_ag32, "build/ag32/node.elf", 128 << 10, NULL},
                   rp2040 = {&pb_soc_rp2040, "build/rp2040/node.elf", 264 << 10, NULL};
static const struct variant parts[] = {{"ag32", &ag32}, {"rp2040", &rp2040}, {NULL, NULL}};

static void read_images(void)
{
    for (const struct variant *variant = parts; variant->name; variant++) {
        struct part *part = variant->state;
        assert_succeeds(pb_image_read(&part->image, part->file, &diag));
    }
}

static void forget_images(void)
{
    for (const struct variant *variant = parts; variant->name; variant++)
        pb_image_destroy(((struct part *)variant->state)->image);
}

static struct pb_node *node_of(struct part *part)
{
    struct pb_node_config config = config_of(ADDRESS);
    config.clock_ppm = 37;
    config.seed = 5;
    struct pb_diag diag = {""};
    struct pb_node *node = NULL;
    if (part->soc->create(&node, part->image, &config, &diag))
        fail_msg("%s", diag.text);
    return node;
}

/* ---- what is compared */

struct snapshot {
    uint32_t reg[PB_MCU_REGISTERS_MAX], handler;
    struct pb_mcu_figures figures;
    uint8_t sram[SRAM_MAX];
};

static void look(const struct part *part, const struct pb_node *node, struct snapshot *snapshot)
{
    memset(snapshot, 0, sizeof *snapshot);
    part->soc->read_registers(node, snapshot->reg);
    part->soc->figures(node, &snapshot->figures);
    snapshot->handler = part->soc->handler(node);
    assert_true(part->soc->read_memory(node, SRAM, snapshot->sram, part->sram_bytes));
}

static void assert_same_sample(const struct sample *is, const struct sample *was)
{
    assert_int_equal(is->ps, was->ps);
    assert_int_equal(is->line, was->line);
    assert_int_equal(is->pull[0], was->pull[0]);
    assert_int_equal(is->high[0], was->high[0]);
    assert_int_equal(is->uart0_tx[0], was->uart0_tx[0]);
}

/* The bench as it is, around another node. */
static struct pins pins_around(const struct pins *pins, struct pb_node *node)
{
    struct pins other = *pins;
    other.node[0] = node;
    other.sample = NULL;
    other.samples = other.samples_size = 0;
    return other;
}

/* Sets the node to the state and runs it from `from` on: as `was`, from its sample `first` on, did. */
static void assert_repeats(const struct part *part, struct pb_node *node, const struct pb_mcu_state *state,
                           const struct pins *from, const struct pins *was, size_t first,
                           const struct snapshot *end)
{
    static struct snapshot now;
    struct pins pins = pins_around(from, node);
    assert_true(part->soc->restore(node, state));
    pins_run(&pins, was->now);
    assert_int_equal(pins.samples, was->samples - first);
    for (size_t i = 0; i < pins.samples; i++)
        assert_same_sample(&pins.sample[i], &was->sample[first + i]);
    assert_true(pins.due[0] == was->due[0]);
    look(part, node, &now);
    assert_memory_equal(&now, end, sizeof now);
    free(pins.sample);
}

/* ---- inputs */

/* A slot frame of six bytes to a neighbour, so that all links get some. */
static void frame_of(uint8_t frame[9], uint64_t *random)
{
    for (unsigned i = 0; i < 8; i++)
        frame[i] = (uint8_t)pb_splitmix64(random);
    const unsigned destination = ADDRESS ^ 1u << pb_splitmix64(random) % 12;
    frame[0] = (uint8_t)destination;
    frame[1] = (uint8_t)((frame[1] & 0xF0) | destination >> 8);
    seal_frame(frame, 8);
}

/* Frames on most links of each superframe, a few broken; a console line in most; two resets. */
static void plan_inputs(struct pins *pins, uint64_t *random)
{
    static const char *const line[] = {"S 91C 010203040506\n", "T\n", "S 2A2 060504030201\n", "I\n", "X\n"};
    for (unsigned s = 0; s < SUPERFRAMES; s++) {
        const int64_t begin = FIRST + s * SUPERFRAME;
        const char *text = line[pb_splitmix64(random) % COUNT(line)];
        pins_phases(pins, begin, PERIOD, PHASES, PHASES);
        for (unsigned d = 0; d < 12; d++) {
            const unsigned phase = 2 * d + !(ADDRESS >> d & 1);
            uint8_t frame[9];
            frame_of(frame, random);
            if (pb_splitmix64(random) % 8 == 0)
                frame[8] ^= 1;
            if (pb_splitmix64(random) % 4)
                pins_uart(pins, PIN_LINE0 + d, begin + phase * PERIOD + GUARD, US, frame, sizeof frame);
        }
        pins_uart(pins, PIN_UART0_RX, begin + (int64_t)(pb_splitmix64(random) % 2000) * US, US, text,
                  strlen(text));
        if (s % 150 == 100) {
            pins_change(pins, begin + 333 * US, PIN_NRST, false);
            pins_change(pins, begin + 400 * US, PIN_NRST, true);
        }
    }
}

/* Anywhere, or within the reaction to an edge. */
static int64_t instant_after(int64_t ps, uint64_t *random)
{
    const uint64_t one = pb_splitmix64(random);
    ps += (int64_t)(one >> 1 & 0xFF) * US;
    if (one & 1)
        ps += PERIOD - (ps - FIRST) % PERIOD + (int64_t)(pb_splitmix64(random) % (uint64_t)(8 * US));
    return ps + (int64_t)(one >> 16 & 0xFFFF);
}

TEST_ON(every_restored_node_does_the_same, NULL, NULL, parts)
{
    struct part *part = *state;
    static struct snapshot end;
    uint64_t random = 11;
    unsigned handlers = 0, sending = 0, answering = 0, asleep = 0;
    struct pb_node *full = node_of(part);
    struct pins pins;
    pins_init(&pins, node_of(part), NULL);
    plan_inputs(&pins, &random);
    for (unsigned i = 0; i < INSTANTS; i++) {
        /* The first ones are in the boot. */
        pins_run(&pins, i < 20 ? pins.now + US + (int64_t)(pb_splitmix64(&random) % (uint64_t)(100 * US))
                               : instant_after(pins.now < FIRST ? FIRST : pins.now, &random));
        handlers += part->soc->handler(pins.node[0]) != 0;
        sending += pins.out[0].pull_low != 0;
        answering += !pins.out[0].uart0_tx;
        asleep += pins.due[0] - pins.now > 10 * US;

        const struct pins from = pins;
        struct pb_mcu_state *saved = part->soc->save(pins.node[0]);
        assert_non_null(saved);
        pins_run(&pins, pins.now + (i < 20 ? WINDOW / 10 : WINDOW));
        look(part, pins.node[0], &end);

        struct pb_node *fresh = i % 16 ? NULL : node_of(part);
        if (fresh)
            assert_repeats(part, fresh, saved, &from, &pins, from.samples, &end);
        pb_node_destroy(fresh);
        static uint8_t junk[SRAM_MAX];
        memset(junk, 0xA5, sizeof junk);
        assert_true(part->soc->write_memory(full, SRAM, junk, part->sram_bytes));
        assert_repeats(part, full, saved, &from, &pins, from.samples, &end);
        assert_repeats(part, pins.node[0], saved, &from, &pins, from.samples, &end);
        pb_mcu_state_free(saved);
    }
    print_message("%s: %u in a handler, %u sending, %u answering, %u asleep\n", part->soc->name, handlers,
                  sending, answering, asleep);
    assert_true(handlers >= 20);
    assert_true(sending >= 20);
    assert_true(answering >= 20);
    assert_true(asleep >= 20);
    pb_node_destroy(full);
    pins_free(&pins);
}

/* ---- what the firmware does not do */

static void assert_same_trap(const struct part *part, const struct pb_node *is, const struct pb_node *was)
{
    struct pb_mcu_trap trap[2];
    const char *words[2];
    assert_true(part->soc->trapped(is, &trap[0], &words[0]));
    assert_true(part->soc->trapped(was, &trap[1], &words[1]));
    assert_int_equal(trap[0].kind, trap[1].kind);
    assert_int_equal(trap[0].pc, trap[1].pc);
    assert_int_equal(trap[0].address, trap[1].address);
    assert_int_equal(trap[0].cycle, trap[1].cycle);
    assert_int_equal(!words[0], !words[1]);
    if (words[0])
        assert_string_equal(words[0], words[1]);
}

/* The processor continues where nothing is. */
TEST_ON(a_trap_is_part_of_the_state, NULL, NULL, parts)
{
    struct part *part = *state;
    struct pins pins;
    struct pb_mcu_trap trap;
    const char *words;
    pins_init(&pins, node_of(part), NULL);
    pins_run(&pins, FIRST);
    part->soc->write_register(pins.node[0], part->soc->pc, 0x40000000);
    struct pb_mcu_state *before = part->soc->save(pins.node[0]);
    pins_phases(&pins, pins.now + US, PERIOD, PHASES, 2);
    pins_run(&pins, pins.now + 2 * PERIOD);
    struct pb_mcu_state *after = part->soc->save(pins.node[0]);
    struct pb_node *other = node_of(part);
    assert_true(before && after);
    assert_true(part->soc->restore(other, after));
    assert_same_trap(part, other, pins.node[0]);
    assert_true(part->soc->restore(other, before));
    assert_false(part->soc->trapped(other, &trap, &words));
    pb_mcu_state_free(before);
    pb_mcu_state_free(after);
    pb_node_destroy(other);
    pins_free(&pins);
}

/* ---- the boot loader of the AG32VF303, and the flash that it has written */

#define BOOT_BIT_PS INT64_C(2170139) /* 460,800 baud */
#define WRITTEN UINT32_C(0x80030000)

/* Saves, runs until `until`, and demands that a fresh node and the same one do it again. */
static void assert_goes_on(struct pins *pins, int64_t until)
{
    static struct snapshot end;
    const struct pins from = *pins;
    struct pb_mcu_state *saved = ag32.soc->save(pins->node[0]);
    struct pb_node *fresh = node_of(&ag32);
    uint8_t flash[3][8];
    assert_non_null(saved);
    pins_run(pins, until);
    look(&ag32, pins->node[0], &end);
    assert_true(ag32.soc->read_memory(pins->node[0], WRITTEN, flash[0], 8));
    assert_repeats(&ag32, fresh, saved, &from, pins, from.samples, &end);
    assert_true(ag32.soc->read_memory(fresh, WRITTEN, flash[1], 8));
    assert_repeats(&ag32, pins->node[0], saved, &from, pins, from.samples, &end);
    assert_true(ag32.soc->read_memory(pins->node[0], WRITTEN, flash[2], 8));
    assert_memory_equal(flash[1], flash[0], 8);
    assert_memory_equal(flash[2], flash[0], 8);
    pb_node_destroy(fresh);
    pb_mcu_state_free(saved);
}

/* Synchronises, then writes four bytes; each block is sealed by the exclusive or of its bytes. */
TEST(a_boot_loader_goes_on)
{
    static const struct {
        uint8_t byte[8];
        unsigned count;
    } block[] = {{{0x7F}, 1},
                 {{0x33, 0xCC}, 2},
                 {{0x80, 0x03, 0x00, 0x00, 0x83}, 5},
                 {{0x00, 0x03, 0x12, 0x34, 0x56, 0x78, 0x00 ^ 0x03 ^ 0x12 ^ 0x34 ^ 0x56 ^ 0x78}, 7}};
    static const uint8_t written[8] = {0x12, 0x34, 0x56, 0x78, 0xFF, 0xFF, 0xFF, 0xFF};
    uint8_t flash[8];
    struct decoded decoded;
    struct pins pins;
    pins_init(&pins, node_of(&ag32), NULL);
    struct pb_mcu_state *unpowered = ag32.soc->save(pins.node[0]);
    pins.boot0 = true;
    pins_run(&pins, MS);
    for (unsigned i = 0; i < COUNT(block); i++) {
        const int64_t begin = pins.now;
        pins_uart(&pins, PIN_UART0_RX, begin, BOOT_BIT_PS, block[i].byte, block[i].count);
        pins_run(&pins, begin + 7 * BOOT_BIT_PS);
        assert_goes_on(&pins, begin + 2 * MS);
        decode_uart(&pins, (struct probe){0, -1}, BOOT_BIT_PS, begin, pins.now, &decoded);
        assert_int_equal(decoded.length, 1);
        assert_int_equal(decoded.byte[0], 0x79);
    }
    pins.boot0 = false;
    pins_change(&pins, pins.now + US, PIN_NRST, false);
    pins_change(&pins, pins.now + 10 * US, PIN_NRST, true);
    pins_run(&pins, pins.now + 5 * US);
    assert_goes_on(&pins, pins.now + 300 * US);
    assert_goes_on(&pins, pins.now + MS);
    assert_string_equal(console_ask(&pins, 0, "I\n"), "+I node=ag32 addr=2A3 dims=C fw=100");
    assert_true(ag32.soc->read_memory(pins.node[0], WRITTEN, flash, 8));
    assert_memory_equal(flash, written, 8);
    /* Back to where the flash was that of the image. */
    assert_true(ag32.soc->restore(pins.node[0], unpowered));
    assert_true(ag32.soc->read_memory(pins.node[0], WRITTEN, flash, 8));
    assert_int_equal(flash[0], 0xFF);
    pb_mcu_state_free(unpowered);
    pins_free(&pins);
}

/* ---- lack of memory */

static unsigned allocations_left; /* the one after them fails; 0: none does */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

static bool fails(void)
{
    return allocations_left && --allocations_left == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

/* Each allocation fails once: nothing is saved, or nothing is changed. */
static unsigned assert_refuses(const struct part *part, struct pb_node *node, struct pb_node *other)
{
    static struct snapshot before, after;
    struct pb_mcu_state *saved = NULL;
    unsigned refusals = 0;
    for (unsigned n = 1; !saved; n++, refusals += !saved) {
        allocations_left = n;
        saved = part->soc->save(node);
        if (saved)
            assert_true(allocations_left > 0); /* none has failed */
    }
    look(part, other, &before);
    bool done = false;
    for (unsigned n = 1; !done; n++, refusals += !done) {
        allocations_left = n;
        done = part->soc->restore(other, saved);
        const bool failed = !allocations_left;
        allocations_left = 0;
        assert_int_equal(done, !failed);
        look(part, other, &after);
        if (!done)
            assert_memory_equal(&after, &before, sizeof after);
    }
    look(part, node, &before);
    assert_memory_equal(&after, &before, sizeof after);
    pb_mcu_state_free(saved);
    return refusals;
}

TEST_ON(a_lack_of_memory_changes_nothing, NULL, NULL, parts)
{
    struct part *part = *state;
    struct pb_node *other = node_of(part);
    struct pins pins;
    pins_init(&pins, node_of(part), NULL);
    pins.boot0 = true; /* an AG32VF303 gets a flash of its own */
    pins_run(&pins, MS);
    pins.boot0 = false;
    pins_change(&pins, pins.now + US, PIN_NRST, false);
    pins_change(&pins, pins.now + 10 * US, PIN_NRST, true);
    pins_run(&pins, FIRST);
    /* Of both the state, its part and its SRAM; of an AG32VF303 also fabric, flash and ROM, and in a restore
     * the flash, what it is decoded to, and the ROM; of an RP2040 the cache of its flash, twice. */
    assert_int_equal(assert_refuses(part, pins.node[0], other), part == &ag32 ? 6 + 3 : 4 + 1);
    pb_node_destroy(other);
    pins_free(&pins);
}

AROUND_ALL(read_images, forget_images)
