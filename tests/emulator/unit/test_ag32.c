/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Devices of the AG32VF303 at the bus, and what programs must not do. Interrupt controller and timer: "RISC-V
 * Platform-Level Interrupt Controller Specification" 1.0.0 and the privileged manual; addresses:
 * docs/reference/ag32.md.
 */
#include "bench/emulator/soc/ag32.h"
#include "bench/emulator/soc/soc.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bus, without a program */

static struct ag32_system part;
static uint64_t now;

static int set_up(void **state)
{
    (void)state;
    memset(&part, 0, sizeof part);
    assert_true(pb_ag32_fabric_create(&part.fabric));
    ag32_bus_connect(&part);
    now = 100;
    part.hart.cycle = now;
    pb_ag32_fabric_reset(&part.fabric, now, 0xFFFF, true, false);
    ag32_system_reset(&part, 0x80000000);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pb_ag32_fabric_destroy(&part.fabric);
    return 0;
}

static void pass(uint64_t cycles)
{
    now += cycles;
    while (ag32_next_edge(&part) < now)
        ag32_edge(&part, ag32_next_edge(&part));
}

static bool writes(uint32_t address, uint32_t value)
{
    pass(10);
    return part.hart.bus.write(&part, now, address, 4, value) >= 0;
}

static void put(uint32_t address, uint32_t value)
{
    assert_true(writes(address, value));
}

static bool reads(uint32_t address, unsigned bytes)
{
    uint32_t value;
    pass(10);
    return part.hart.bus.read(&part, now, address, bytes, &value) >= 0;
}

static uint32_t get(uint32_t address)
{
    uint32_t value = 0;
    pass(10);
    assert_true(part.hart.bus.read(&part, now, address, 4, &value) >= 0);
    return value;
}

#define SYSCTL UINT32_C(0x03000000)
#define GPIO4 UINT32_C(0x40018000)
#define UART1 UINT32_C(0x40026000)
#define TIMER0 UINT32_C(0x4001E000)
#define FABRIC UINT32_C(0x60000000)
#define CLINT UINT32_C(0x02000000)

TEST_BETWEEN(device_id, set_up, tear_down)
{
    assert_int_equal(get(SYSCTL + 0x100), 0x40200001);
}

TEST_BETWEEN(a_peripheral_needs_its_clock_and_no_reset, set_up, tear_down)
{
    assert_false(reads(UART1 + 0x18, 4));
    assert_non_null(strstr(part.words, "clock"));
    put(SYSCTL + 0x60, 1u << 22);
    assert_int_equal(get(UART1 + 0x18), 0x90);
    put(SYSCTL + 0x40, 1u << 22);
    assert_false(reads(UART1 + 0x18, 4));
    assert_non_null(strstr(part.words, "reset"));
    put(SYSCTL + 0x40, 0);
    assert_int_equal(get(UART1 + 0x18), 0x90);
    assert_false(reads(0x40025018, 4)); /* UART0 has another bit */
}

TEST_BETWEEN(reset_of_a_peripheral_clears_it_alone, set_up, tear_down)
{
    put(SYSCTL + 0x60, 3u << 21 | 1u << 8);
    put(UART1 + 0x24, 77);
    put(0x40025024, 78);
    put(GPIO4 + 0x400, 5);
    put(SYSCTL + 0x40, 1u << 22);
    put(SYSCTL + 0x40, 0);
    assert_int_equal(get(UART1 + 0x24), 0);
    assert_int_equal(get(0x40025024), 78);
    assert_int_equal(get(GPIO4 + 0x400), 5);
}

TEST_BETWEEN(what_is_not_modelled_is_named, set_up, tear_down)
{
    const uint32_t unknown[] = {0x4002A000, 0x40010000,    0x41000000,
                                SYSCTL + 4, FABRIC + 0x18, UART1 + 0x1000};
    for (unsigned i = 0; i < COUNT(unknown); i++) {
        part.words = NULL;
        assert_false(reads(unknown[i], 4));
        assert_non_null(part.words);
    }
    part.words = NULL;
    assert_false(reads(SYSCTL + 0x0C, 1));
    assert_non_null(strstr(part.words, "word"));
    part.words = NULL;
    assert_false(reads(0x50000000, 4)); /* nothing there: a fault of the bus */
    assert_null(part.words);
}

/* The crystal and the PLL need their time; a switch before it is a mistake. */
TEST_BETWEEN(clock_sources_must_be_ready, set_up, tear_down)
{
    put(SYSCTL + 0x0C, 0x24);
    assert_int_equal(get(SYSCTL + 0x0C), 0x24);
    assert_false(writes(SYSCTL + 0x0C, 0x26));
    assert_non_null(strstr(part.words, "ready"));
    pass(AG32_HSE_START_CYCLES);
    assert_int_equal(get(SYSCTL + 0x0C) & 0x54, 0x14);
    pass(AG32_PLL_LOCK_CYCLES);
    assert_int_equal(get(SYSCTL + 0x0C) & 0x54, 0x54);
    put(SYSCTL + 0x0C, 0x26);
    assert_true(part.source_changed);
    assert_int_equal(part.source, AG32_PLL);
    assert_int_equal(get(SYSCTL + 0x0C), 0x76);
    put(SYSCTL + 0x0C, 0xA5C30026); /* its upper half is without a model, and holds what is written */
    assert_int_equal(get(SYSCTL + 0x0C), 0xA5C30076);
}

TEST_BETWEEN(masked_gpio, set_up, tear_down)
{
    put(SYSCTL + 0x60, 1u << 8);
    put(GPIO4 + 0x400, 0xFF);
    put(GPIO4 + (0xFF << 2), 0xA5);
    assert_int_equal(get(GPIO4 + (0xFF << 2)), 0xA5);
    put(GPIO4 + (0x0F << 2), 0x5A); /* the low half alone */
    assert_int_equal(get(GPIO4 + (0xFF << 2)), 0xAA);
    assert_int_equal(get(GPIO4 + (0x82 << 2)), 0x82);
    assert_int_equal(get(GPIO4 + (0x55 << 2)), 0x00);
    put(GPIO4 + 0, 0xFF); /* no line */
    assert_int_equal(get(GPIO4 + (0xFF << 2)), 0xAA);
    put(GPIO4 + 0x400, 0xF0);
    assert_int_equal(get(GPIO4 + (0xFF << 2)), 0xA0);
    assert_int_equal(get(GPIO4 + 0x420), 0);
}

TEST_BETWEEN(mtime_counts_the_system_clock, set_up, tear_down)
{
    const uint32_t first = get(CLINT + 0xBFF8);
    pass(1000);
    assert_int_equal(get(CLINT + 0xBFF8) - first, 1010);
    put(CLINT + 0xBFFC, 7);
    put(CLINT + 0xBFF8, 0xFFFFFFF0u);
    assert_int_equal(get(CLINT + 0xBFFC), 7);
    pass(10);
    assert_int_equal(get(CLINT + 0xBFFC), 8);
}

TEST_BETWEEN(timer_interrupt_at_its_cycle, set_up, tear_down)
{
    put(CLINT + 0xBFFC, 0);
    put(CLINT + 0xBFF8, 0);
    const uint64_t zero = now;
    put(CLINT + 0x4004, 0);
    put(CLINT + 0x4000, 500);
    pass(zero + 500 - now);
    assert_int_equal(part.hart.mip, 0);
    pass(1);
    assert_int_equal(part.hart.mip, 1u << 7);
    put(CLINT + 0x4000, 5000);
    assert_int_equal(part.hart.mip, 0);
    put(CLINT, 1);
    assert_int_equal(part.hart.mip, 1u << 3);
    put(CLINT, 0);
    assert_int_equal(part.hart.mip, 0);
}

TEST_BETWEEN(timer0_is_periodic_or_once, set_up, tear_down)
{
    put(SYSCTL + 0x60, 1u << 14);
    put(TIMER0, 300);
    for (int periodic = 0; periodic < 2; periodic++) {
        put(TIMER0 + 8, periodic ? 0xC2 : 0x82);
        const uint64_t begin = now;
        pass(begin + 299 - now);
        assert_false(part.timer.raised);
        pass(2);
        assert_true(part.timer.raised);
        put(TIMER0 + 0x0C, 1);
        assert_int_equal(get(TIMER0 + 0x10), 0);
        pass(290);
        assert_int_equal(get(TIMER0 + 0x10), periodic);
    }
    assert_false(writes(TIMER0 + 8, 0x80)); /* 16 bits */
}

TEST_BETWEEN(uart_interrupt_goes_through_the_plic, set_up, tear_down)
{
    put(SYSCTL + 0x60, 1u << 22);
    put(UART1 + 0x24, 1);
    put(UART1 + 0x2C, 0x60);
    put(UART1 + 0x38, 0x20);
    put(UART1 + 0x30, 0x301);
    put(0x0C000000 + 4 * 25, 3);
    put(0x0C002000, 1u << 25);
    put(UART1, 0x55);
    pass(100);
    assert_int_equal(part.hart.mip, 1u << 11);
    assert_int_equal(get(0x0C001000), 1u << 25);
    assert_int_equal(get(0x0C200004), 25);
    assert_int_equal(part.hart.mip, 0);
    put(0x0C200004, 25); /* its line is still high */
    assert_int_equal(part.hart.mip, 1u << 11);
    put(UART1 + 0x44, 0x20);
    assert_int_equal(get(0x0C200004), 25);
    put(0x0C200004, 25);
    assert_int_equal(part.hart.mip, 0);
}

/* ---- the interrupt controller alone */

static struct pb_plic plic;

static uint32_t claim(void)
{
    uint32_t source;
    assert_null(pb_plic_read(&plic, 0x200004, &source));
    return source;
}

TEST(plic_orders_by_priority_then_number)
{
    memset(&plic, 0, sizeof plic);
    const uint8_t priority[] = {0, 2, 7, 7, 1, 15};
    for (unsigned source = 1; source < COUNT(priority); source++) {
        assert_null(pb_plic_write(&plic, 4 * source, priority[source]));
        pb_plic_line(&plic, source, true);
    }
    assert_int_equal(claim(), 0); /* none is enabled */
    assert_null(pb_plic_write(&plic, 0x2000, 0x3E));
    assert_null(pb_plic_write(&plic, 0x200000, 1));
    const uint32_t expected[] = {5, 2, 3, 1, 0}; /* 4 is not above the threshold */
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_int_equal(pb_plic_interrupts(&plic), expected[i] != 0);
        assert_int_equal(claim(), expected[i]);
    }
    assert_null(pb_plic_write(&plic, 0x200000, 0));
    assert_int_equal(claim(), 4);
}

TEST(plic_holds_a_source_until_it_is_completed)
{
    memset(&plic, 0, sizeof plic);
    assert_null(pb_plic_write(&plic, 4 * 44, 1));
    assert_null(pb_plic_write(&plic, 0x2004, 1u << 12));
    pb_plic_line(&plic, 44, true);
    pb_plic_line(&plic, 44, false);
    assert_int_equal(claim(), 44); /* it stays pending when the line falls */
    pb_plic_line(&plic, 44, true);
    assert_int_equal(claim(), 0);
    assert_null(pb_plic_write(&plic, 0x200004, 44));
    assert_int_equal(claim(), 44);
    pb_plic_line(&plic, 44, false);
    assert_null(pb_plic_write(&plic, 0x200004, 44));
    assert_int_equal(claim(), 0);
    assert_non_null(pb_plic_write(&plic, 0, 5)); /* source 0 does not exist */
}

/* ---- the fabric: skipped clocks against clocks one by one */

static void be_eager(struct pb_ag32_fabric *fabric)
{
    fabric->settled = fabric->at + 2;
    fabric->next = fabric->gate = fabric->at;
}

TEST(skipped_clocks_of_the_fabric_change_nothing)
{
    struct pb_ag32_fabric lazy, eager;
    random_state = 1;
    uint64_t cycle = 50;
    assert_true(pb_ag32_fabric_create(&lazy));
    assert_true(pb_ag32_fabric_create(&eager));
    pb_ag32_fabric_reset(&lazy, cycle, 0xFFFF, false, false);
    pb_ag32_fabric_reset(&eager, cycle, 0xFFFF, false, false);
    for (int i = 0; i < 20000; i++) {
        const uint32_t random = (uint32_t)(random_step(&random_state) >> 32);
        const uint32_t value = random >> 8 & 0xFFFF;
        const uint64_t until = cycle + 2 + (random >> 27 ? random >> 28 : value % 200);
        for (; cycle < until; cycle++) {
            be_eager(&eager);
            pb_ag32_fabric_advance(&eager, cycle);
            while (lazy.next <= cycle)
                pb_ag32_fabric_advance(&lazy, lazy.next);
            assert_int_equal(lazy.out.pull_low, eager.out.pull_low);
            assert_int_equal(lazy.out.rx, eager.out.rx);
            assert_int_equal(lazy.out.interrupt, eager.out.interrupt);
            assert_int_equal(lazy.out.clear_to_send, eager.out.clear_to_send);
        }
        struct pb_ag32_fabric *const both[] = {&lazy, &eager};
        uint32_t read[2] = {0, 0};
        for (unsigned f = 0; f < 2; f++) {
            be_eager(&eager);
            switch (random >> 24 & 7) {
            case 0:
                pb_ag32_fabric_tx(both[f], cycle, value & 1);
                break;
            case 1:
            case 2:
                pb_ag32_fabric_pins(both[f], cycle, (uint16_t)value, value >> 3 & 1, value >> 5 & 1);
                break;
            case 3:
                pb_ag32_fabric_write(both[f], cycle, 0x10, (value & 3) << 8 | (value >> 4) % 13);
                break;
            case 4:
                read[f] = pb_ag32_fabric_read(both[f], cycle, 4);
                pb_ag32_fabric_write(both[f], cycle + 2, 0x14, read[f] + value % 300 - 20);
                break;
            default:
                read[f] = pb_ag32_fabric_read(both[f], cycle, value % 6 * 4);
            }
        }
        assert_int_equal(read[0], read[1]);
        if ((random >> 24 & 7) >= 3)
            cycle += (random >> 24 & 7) == 4 ? 3 : 1;
    }
    pb_ag32_fabric_destroy(&lazy);
    pb_ag32_fabric_destroy(&eager);
}

/* ---- programs of a few instructions */

enum { LUI_A0 = 0x00000537 };
#define LUI(upper) ((uint32_t)(upper) << 12 | LUI_A0)      /* lui a0, upper */
#define LW(offset) ((uint32_t)(offset) << 20 | 0x00052583) /* lw a1, offset(a0) */
#define LB(offset) ((uint32_t)(offset) << 20 | 0x00050583)
#define SW_A0 UINT32_C(0x00A52023) /* sw a0, 0(a0) */
#define LOOP UINT32_C(0x0000006F)  /* j . */

static struct pb_image *image_of(const uint32_t *code, unsigned words, uint32_t base)
{
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment;
        uint32_t code[8];
        Elf32_Shdr section[2]; /* an empty symbol table: a file without one is as after strip */
    } file = {.header = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_RISCV,
                         .e_version = EV_CURRENT,
                         .e_entry = base,
                         .e_phoff = sizeof(Elf32_Ehdr),
                         .e_ehsize = sizeof(Elf32_Ehdr),
                         .e_phentsize = sizeof(Elf32_Phdr),
                         .e_phnum = 1,
                         .e_shoff = sizeof file - sizeof file.section,
                         .e_shentsize = sizeof(Elf32_Shdr),
                         .e_shnum = 2},
              .section[1] = {.sh_type = SHT_SYMTAB, .sh_entsize = sizeof(Elf32_Sym)},
              .segment = {.p_type = PT_LOAD,
                          .p_offset = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
                          .p_vaddr = base,
                          .p_paddr = base,
                          .p_filesz = 4 * words,
                          .p_memsz = 4 * words,
                          .p_flags = PF_R | PF_X}};
    char *bytes = malloc(sizeof file);
    struct pb_image *image = NULL;
    assert_non_null(bytes);
    memcpy(file.code, code, 4 * words);
    memcpy(bytes, &file, sizeof file);
    assert_succeeds(pb_image_parse(&image, "test", bytes, sizeof file, &diag));
    return image;
}

static const struct pb_node_config config = {.address = 1,
                                             PB_NODE_CUBE(2),
                                             .payload_bytes = 6,
                                             .phase_rate_mhz = 10000000,
                                             .baud_hz = 1000000,
                                             .console_baud_hz = 1000000,
                                             .head_guard_ps = 5000000};

TEST(what_no_sound_program_does)
{
    static const struct {
        uint32_t code[3];
        enum pb_mcu_trap_kind kind;
        uint32_t address;
        const char *words;
    } wrong[] = {
        {{LUI(0x80001), SW_A0}, PB_MCU_WRITE_FAULT, 0x80001000, NULL}, /* flash */
        {{LUI(0x20000), LW(2)}, PB_MCU_MISALIGNED, 0x20000002, NULL},
        {{LUI(0x20020), LW(0)}, PB_MCU_READ_FAULT, 0x20020000, NULL}, /* after the SRAM */
        {{LUI(0x40025), LW(0x18)}, PB_MCU_MISUSE, 0x40025018, "clock"},
        {{LUI(0x4002A), LW(0)}, PB_MCU_GAP, 0x4002A000, "not modelled"},
        {{LUI(0x03000), LB(0x0C)}, PB_MCU_GAP, 0x0300000C, "not a word"},
        {{LUI(0x60000), SW_A0}, PB_MCU_GAP, 0x60000000, "fabric"},
        {{0x3A0022F3, LOOP}, PB_MCU_GAP, 0x3A0022F3, NULL}, /* csrr t0, pmpcfg0 */
        {{0xC01022F3, LOOP}, PB_MCU_ILLEGAL, 0xC01022F3, NULL}, /* csrr t0, time */
        {{0, 0}, PB_MCU_ILLEGAL, 0, NULL},
        {{LUI(0x20000), 0x00050067}, PB_MCU_ILLEGAL, 0, NULL}, /* jr a0: into SRAM that is all zero */
        {{LUI(0x50000), 0x00050067}, PB_MCU_FETCH_FAULT, 0x50000000, NULL},
    };
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        struct pb_image *image = image_of(wrong[i].code, 3, 0x80000000);
        struct pb_node_inputs in = {.line = 0xFFFF, .nrst = true, .uart0_rx = true};
        struct pb_node_outputs out;
        struct pb_node *node = NULL;
        struct pb_mcu_trap trap;
        const char *words;
        assert_int_equal(pb_soc_ag32.create(&node, image, &config, NULL), PB_OK);
        int64_t at = 0;
        while (at < INT64_C(1000000000))
            at = node->ops->advance(node, at, &in, &out);
        assert_true(at == INT64_MAX);
        assert_true(pb_soc_ag32.trapped(node, &trap, &words));
        assert_int_equal(trap.kind, wrong[i].kind);
        assert_int_equal(trap.address, wrong[i].address);
        if (wrong[i].words)
            assert_non_null(strstr(words, wrong[i].words));
        else
            assert_null(words);
        assert_int_equal(out.pull_low, 0);
        assert_true(out.uart0_tx);
        /* A reset makes it run again, into the same. */
        in.nrst = false;
        node->ops->advance(node, at = INT64_C(2000000000), &in, &out);
        in.nrst = true;
        node->ops->advance(node, at + 1, &in, &out);
        assert_false(pb_soc_ag32.trapped(node, &trap, &words));
        pb_node_destroy(node);
        pb_image_destroy(image);
    }
}

TEST(images_that_do_not_fit)
{
    const uint32_t code[] = {LOOP};
    const uint32_t base[] = {0x80000004, 0x20000000, 0x8003FFFE};
    for (unsigned i = 0; i < COUNT(base); i++) {
        struct pb_image *image = image_of(code, 1, base[i]);
        struct pb_node *node = NULL;
        struct pb_diag diag;
        assert_int_equal(pb_soc_ag32.create(&node, image, &config, &diag), PB_ERR_CONFIG);
        assert_null(node);
        pb_image_destroy(image);
    }
}
