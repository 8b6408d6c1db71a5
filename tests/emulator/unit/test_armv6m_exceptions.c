/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions, NVIC, SysTick, sleep and stops of the Armv6-M core, against DDI 0419 (B1.5, B3), by hand.
 */
#include "tests/emulator/unit/armv6m_fixture.h"
#include "tests/bench/unit/tests.h"

enum {
    WFI = 0xbf30,
    WFE = 0xbf20,
    SEV = 0xbf40,
    NOP = 0xbf00,
    CPSIE = 0xb662,
    CPSID = 0xb672,
    SVC = 0xdf00,
    UDF = 0xde00,
    BX_LR = 0x4770,
    LDR_R0_R1 = 0x6808,
    STR_R0_R1 = 0x6008
};
#define ISER 0xe000e100u
#define ICER 0xe000e180u
#define ISPR 0xe000e200u
#define ICPR 0xe000e280u
#define IPR 0xe000e400u
#define ICSR 0xe000ed04u
#define SHPR2 0xe000ed1cu
#define SHPR3 0xe000ed20u
#define STACK (FIXTURE_RAM + FIXTURE_RAM_BYTES)

static struct fixture fixture;
static struct pb_armv6m *const core = &fixture.core;

/* Code that begins at FIXTURE_CODE; every handler returns at once, after NOPs. */
static void load(const uint16_t *code, unsigned count, bool strict)
{
    fixture_init(&fixture, strict);
    for (uint32_t at = FIXTURE_CODE; at < FIXTURE_CODE + 0x400; at += 2)
        fixture_put16(&fixture, at, NOP);
    for (unsigned i = 0; i < count; i++)
        fixture_put16(&fixture, FIXTURE_CODE + 2 * i, code[i]);
    for (unsigned e = 2; e < 48; e++)
        fixture_put16(&fixture, fixture_handler(e), BX_LR);
}
#define LOAD(strict, ...)                                                                                    \
    load((const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / 2, strict)

/* As the program would: one store of the core; its registers and its PC are put back. */
static void poke(uint32_t address, uint32_t value)
{
    const uint32_t pc = core->r[15], r0 = core->r[0], r1 = core->r[1], sp = FIXTURE_RAM + 0x3000;
    const bool mask = core->primask;
    core->primask = true;
    fixture_put16(&fixture, sp, STR_R0_R1);
    core->r[15] = sp;
    core->r[0] = value;
    core->r[1] = address;
    const uint64_t cycle = core->cycle;
    fixture_step(&fixture);
    assert_int_equal(core->r[15], sp + 2);
    assert_int_equal(core->cycle, cycle + 2);
    core->r[15] = pc;
    core->r[0] = r0;
    core->r[1] = r1;
    core->primask = mask;
}

static uint32_t peek(uint32_t address)
{
    const uint32_t pc = core->r[15], r0 = core->r[0], r1 = core->r[1], sp = FIXTURE_RAM + 0x3000;
    const bool mask = core->primask;
    core->primask = true;
    fixture_put16(&fixture, sp, LDR_R0_R1);
    core->r[15] = sp;
    core->r[1] = address;
    fixture_step(&fixture);
    assert_int_equal(core->r[15], sp + 2);
    const uint32_t value = core->r[0];
    core->r[15] = pc;
    core->r[0] = r0;
    core->r[1] = r1;
    core->primask = mask;
    return value;
}

static void at_handler(unsigned exception)
{
    assert_int_equal(core->ipsr, exception);
    assert_int_equal(core->r[15], fixture_handler(exception));
}

TEST(entry_stacks_a_frame_and_return_restores_it)
{
    for (unsigned odd = 0; odd < 2; odd++)
        for (unsigned process = 0; process < 2; process++) {
            LOAD(true, NOP);
            for (unsigned i = 0; i < 13; i++)
                core->r[i] = 0x1000 + i;
            core->r[14] = 0xabcd;
            core->apsr = 0x90000000;
            const uint32_t sp = FIXTURE_RAM + 0x800 - 4 * odd;
            core->r[13] = sp;
            core->process_stack = process;
            core->other_sp = STACK;
            poke(ISER, 1u << 5);
            pb_armv6m_lines(core, 1u << 5);
            const uint64_t cycle = core->cycle;
            fixture_step(&fixture);
            at_handler(21);
            assert_int_equal(core->cycle, cycle + 15);
            const uint32_t frame = (sp - 32) & ~7u;
            const uint32_t wanted[8] = {0x1000, 0x1001, 0x1002,       0x1003,
                                        0x100c, 0xabcd, FIXTURE_CODE, 0x91000000 | odd << 9};
            for (unsigned i = 0; i < 8; i++)
                assert_int_equal(fixture_word(&fixture, frame + 4 * i), wanted[i]);
            assert_int_equal(core->r[14], process ? 0xfffffffd : 0xfffffff9);
            assert_int_equal(core->r[13], process ? STACK : frame);
            assert_int_equal(process ? core->other_sp : core->r[13], frame);
            assert_int_equal(core->pending, 0);
            for (unsigned i = 0; i < 4; i++)
                core->r[i] = 0;
            core->r[12] = core->apsr = 0;
            pb_armv6m_lines(core, 0);
            fixture_step(&fixture); /* BX LR: bx and exit */
            assert_int_equal(core->cycle, cycle + 15 + 2 + 12);
            assert_int_equal(core->interrupt_cycles, 15 + 2 + 12);
            for (unsigned i = 0; i < 13; i++)
                assert_int_equal(core->r[i], 0x1000 + i);
            assert_int_equal(core->r[13], sp);
            assert_int_equal(core->r[14], 0xabcd);
            assert_int_equal(core->r[15], FIXTURE_CODE);
            assert_int_equal(core->apsr, 0x90000000);
            assert_int_equal(core->ipsr, 0);
        }
}

TEST(the_lowest_number_of_the_highest_priority_goes_first)
{
    LOAD(true, NOP);
    poke(ISER, 0xffffffff);
    poke(IPR, 0x80c040c0);     /* 0: 3, 1: 1, 2: 3, 3: 2 */
    poke(IPR + 4, 0x40808080); /* 7: 1 */
    poke(IPR + 8, 0xffffffff); /* two bits each */
    assert_int_equal(peek(IPR + 8), 0xc0c0c0c0);
    pb_armv6m_lines(core, 0x8f);
    pb_armv6m_lines(core, 0);
    static const unsigned order[5] = {17, 23, 19, 16, 18};
    for (unsigned i = 0; i < 5; i++) {
        fixture_step(&fixture);
        at_handler(order[i]);
        fixture_step(&fixture); /* back; the next one follows before an instruction of thread mode */
        assert_int_equal(core->r[15], FIXTURE_CODE);
    }
    fixture_step(&fixture);
    assert_int_equal(core->r[15], FIXTURE_CODE + 2);
}

TEST(only_a_higher_priority_preempts)
{
    LOAD(true, NOP);
    poke(ISER, 7);
    poke(IPR, 0x00408040); /* 0: 1, 1: 2, 2: 1 */
    pb_armv6m_lines(core, 2);
    fixture_step(&fixture);
    at_handler(17);
    const uint32_t sp = core->r[13];
    pb_armv6m_lines(core, 3);
    fixture_step(&fixture);
    at_handler(16);
    assert_int_equal(core->r[14], 0xfffffff1);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 28) & 63, 17);
    fixture_put16(&fixture, fixture_handler(16), NOP);
    fixture_put16(&fixture, fixture_handler(16) + 2, BX_LR);
    pb_armv6m_lines(core, 4); /* of the same priority: after the return, though before 17 goes on */
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 16);
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 17);
    fixture_step(&fixture);
    at_handler(18);
    pb_armv6m_lines(core, 0);
    fixture_step(&fixture);
    at_handler(17);
    assert_int_equal(core->r[13], sp);
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 0);
    assert_int_equal(core->r[13], STACK);
}

TEST(primask_holds_back_all_but_nmi_and_hardfault)
{
    LOAD(false, CPSID, NOP, UDF, NOP, NOP, CPSIE, NOP);
    poke(ISER, 1);
    fixture_step(&fixture);
    pb_armv6m_lines(core, 1);
    poke(ICSR, 1u << 28);
    fixture_step(&fixture);
    assert_int_equal(core->r[15], FIXTURE_CODE + 4);
    fixture_step(&fixture);
    at_handler(3);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 24), FIXTURE_CODE + 4);
    poke(ICSR, 1u << 31);
    fixture_step(&fixture);
    at_handler(2);
    fixture_step(&fixture);
    at_handler(3);
    fixture_put32(&fixture, core->r[13] + 24, FIXTURE_CODE + 10);
    fixture_step(&fixture);
    fixture_step(&fixture); /* CPSIE: the lower number first */
    fixture_step(&fixture);
    at_handler(14);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 24), FIXTURE_CODE + 12);
}

TEST(svc_is_an_exception_or_a_hardfault)
{
    LOAD(false, SVC | 7, NOP, CPSID, SVC);
    const uint64_t instructions = core->instructions;
    fixture_step(&fixture);
    assert_int_equal(peek(0xe000ed24), 1u << 15); /* SHCSR */
    fixture_step(&fixture);
    at_handler(11);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 24), FIXTURE_CODE + 2);
    fixture_step(&fixture);
    fixture_step(&fixture);
    fixture_step(&fixture);
    fixture_step(&fixture);
    at_handler(3);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 24), FIXTURE_CODE + 6);
    assert_true(core->instructions > instructions);
    /* In a handler of the same priority, too. */
    LOAD(false, NOP);
    poke(ISER, 1);
    poke(SHPR2, 0xffffffff);
    assert_int_equal(peek(SHPR2), 0xc0000000);
    poke(IPR, 0xc0);
    fixture_put16(&fixture, fixture_handler(16), SVC);
    pb_armv6m_lines(core, 1);
    fixture_step(&fixture);
    fixture_step(&fixture);
    at_handler(3);
    assert_int_equal(core->r[14], 0xfffffff1);
}

TEST(a_level_pends_again_and_a_pulse_is_kept)
{
    LOAD(true, NOP);
    poke(ISER, 1);
    pb_armv6m_lines(core, 1);
    pb_armv6m_lines(core, 0);
    assert_int_equal(peek(ISPR), 1);
    fixture_step(&fixture);
    at_handler(16);
    assert_int_equal(peek(ISPR), 0);
    pb_armv6m_lines(core, 1); /* a pulse while active */
    pb_armv6m_lines(core, 0);
    assert_int_equal(peek(ISPR), 1);
    fixture_step(&fixture);
    fixture_step(&fixture);
    at_handler(16);
    pb_armv6m_lines(core, 1);
    poke(ICPR, 1); /* active: the level does not count */
    assert_int_equal(peek(ISPR), 0);
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 0); /* returned: the level counts */
    assert_int_equal(peek(ICPR), 1);
    poke(ICPR, 1);
    assert_int_equal(peek(ISPR), 1);
    poke(ICER, 1);
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 0);
    pb_armv6m_lines(core, 0);
    poke(ICPR, 1);
    assert_int_equal(peek(ISPR), 0);
    poke(ISPR, 0x80);
    poke(ISER, 0x80);
    assert_int_equal(peek(ICSR), 23u << 12 | 1u << 22);
    fixture_step(&fixture);
    at_handler(23);
}

TEST(wfi_wakes_by_an_enabled_interrupt_even_if_masked)
{
    for (unsigned masked = 0; masked < 2; masked++) {
        LOAD(true, masked ? CPSID : NOP, WFI, NOP);
        poke(ISER, 2);
        fixture_step(&fixture);
        assert_int_equal(pb_armv6m_run(core, 1000, 0), PB_MCU_ASLEEP);
        assert_int_equal(core->cycle, 1000);
        const uint64_t idle = core->idle;
        pb_armv6m_lines(core, 1); /* not enabled */
        assert_int_equal(pb_armv6m_next(core), UINT64_MAX);
        assert_int_equal(pb_armv6m_run(core, 1100, 0), PB_MCU_ASLEEP);
        assert_int_equal(core->idle, idle + 100);
        pb_armv6m_lines(core, 2);
        assert_int_equal(pb_armv6m_next(core), 1100);
        fixture_step(&fixture);
        if (masked)
            assert_int_equal(core->r[15], FIXTURE_CODE + 6);
        else
            at_handler(17);
        assert_int_equal(core->cycle, masked ? 1101 : 1115);
        assert_int_equal(core->idle, idle + 100);
    }
    LOAD(true, NOP); /* in a handler, not by its own priority */
    poke(ISER, 3);
    fixture_put16(&fixture, fixture_handler(16), WFI);
    pb_armv6m_lines(core, 1);
    fixture_step(&fixture);
    pb_armv6m_lines(core, 3);
    assert_int_equal(pb_armv6m_run(core, 1000, 0), PB_MCU_ASLEEP);
    LOAD(true, WFI, NOP); /* with one pending it does not sleep */
    core->primask = true;
    poke(ISER, 1);
    pb_armv6m_lines(core, 1);
    const uint64_t cycle = core->cycle;
    pb_armv6m_run(core, cycle + 4, 0);
    assert_int_equal(core->r[15], FIXTURE_CODE + 4);
    assert_int_equal(core->cycle, cycle + 4);
    assert_int_equal(core->idle, 0);
}

TEST(wfe_wakes_by_an_event_or_an_exception)
{
    LOAD(true, WFE, NOP);
    poke(ISER, 1);
    core->primask = true;
    assert_int_equal(pb_armv6m_run(core, 100, 0), PB_MCU_ASLEEP);
    pb_armv6m_lines(core, 1); /* masked: no exception, no event */
    assert_int_equal(pb_armv6m_run(core, 200, 0), PB_MCU_ASLEEP);
    core->primask = false;
    fixture_step(&fixture);
    at_handler(16);
    assert_true(core->event);

    LOAD(true, WFE, NOP); /* SEVONPEND: also by one that is not enabled */
    poke(0xe000ed10, 16);
    assert_int_equal(peek(0xe000ed10), 16);
    assert_int_equal(pb_armv6m_run(core, 100, 0), PB_MCU_ASLEEP);
    pb_armv6m_lines(core, 4);
    assert_int_equal(pb_armv6m_next(core), 100);
    fixture_step(&fixture);
    assert_int_equal(core->r[15], FIXTURE_CODE + 4);
    assert_false(core->event);
}

TEST(sleep_on_exit)
{
    LOAD(true, NOP);
    poke(0xe000ed10, 2);
    poke(ISER, 3);
    pb_armv6m_lines(core, 3);
    pb_armv6m_lines(core, 0);
    fixture_step(&fixture);
    at_handler(16);
    fixture_step(&fixture);
    fixture_step(&fixture);
    at_handler(17);
    assert_int_equal(pb_armv6m_run(core, 1000, 0), PB_MCU_ASLEEP);
    assert_int_equal(core->r[15], FIXTURE_CODE);
    pb_armv6m_lines(core, 1);
    fixture_step(&fixture);
    at_handler(16);
    assert_int_equal(core->cycle, 1015);
}

TEST(a_fault_in_a_fault_handler_locks_up)
{
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        LOAD(false, UDF);
        fixture_put16(&fixture, fixture_handler(2), UDF);
        fixture_put16(&fixture, fixture_handler(3), UDF);
        if (nmi)
            poke(ICSR, 1u << 31);
        fixture_step(&fixture);
        at_handler(nmi ? 2 : 3);
        assert_int_equal(fixture_step(&fixture), PB_MCU_TRAPPED);
        assert_int_equal(core->trap.kind, PB_MCU_LOCKUP);
        assert_int_equal(core->trap.pc, fixture_handler(nmi ? 2 : 3));
        assert_int_equal(pb_armv6m_run(core, 10000, 20000), PB_MCU_TRAPPED);
        assert_int_equal(pb_armv6m_next(core), UINT64_MAX);
    }
}

TEST(a_frame_that_cannot_be_stored)
{
    LOAD(false, NOP);
    poke(ISER, 1);
    core->r[13] = FIXTURE_RAM + 16;
    pb_armv6m_lines(core, 1);
    fixture_step(&fixture);
    at_handler(3);
    assert_int_equal(core->pending, 1);
    LOAD(false, UDF);
    core->r[13] = FIXTURE_RAM + 16;
    fixture_step(&fixture);
    assert_int_equal(core->trap.kind, PB_MCU_LOCKUP);
    LOAD(true, NOP);
    poke(ISER, 1);
    core->r[13] = FIXTURE_RAM + 16;
    pb_armv6m_lines(core, 1);
    assert_int_equal(fixture_step(&fixture), PB_MCU_TRAPPED);
    assert_int_equal(core->trap.kind, PB_MCU_WRITE_FAULT);
}

TEST(exception_returns_that_are_unpredictable_are_illegal)
{
    static const uint32_t values[] = {0xfffffff1, 0xfffffff0, 0xfffffff5, 0xffffff09, 0xf0000009, 0xffffffff};
    for (unsigned i = 0; i < COUNT(values); i++) {
        LOAD(true, SVC);
        fixture_step(&fixture);
        fixture_step(&fixture);
        core->r[14] = values[i];
        assert_int_equal(fixture_step(&fixture), PB_MCU_TRAPPED);
        assert_int_equal(core->trap.kind, PB_MCU_ILLEGAL);
        assert_int_equal(core->trap.pc, fixture_handler(11));
    }
    LOAD(true, SVC); /* a frame of handler mode under a return to thread mode */
    fixture_step(&fixture);
    fixture_step(&fixture);
    fixture_put32(&fixture, core->r[13] + 28, 0x01000005);
    fixture_step(&fixture);
    assert_int_equal(core->trap.kind, PB_MCU_ILLEGAL);
    LOAD(true, BX_LR); /* in thread mode it is an address */
    core->r[14] = 0xfffffff9;
    fixture_step(&fixture);
    fixture_step(&fixture);
    assert_int_equal(core->trap.kind, PB_MCU_FETCH_FAULT);
}

TEST(systick_counts_core_cycles)
{
    LOAD(true, NOP);
    core->primask = true;
    poke(0xe000e014, 99);
    poke(0xe000e018, 5);
    poke(0xe000e010, 3);
    const uint64_t start = core->cycle - 2; /* of the store, which began then */
    assert_int_equal(peek(0xe000e018), 98); /* a reload after one cycle, then one of two */
    assert_int_equal(peek(0xe000e010), 7);
    /* It reaches 0 after 1 + 99 cycles, then after each 100. */
    pb_armv6m_run(core, start + 99, 0);
    assert_int_equal(core->cycle, start + 99);
    assert_int_equal(core->system_pending, 0);
    pb_armv6m_run(core, start + 100, 0);
    assert_int_equal(core->system_pending, 1u << 15);
    assert_int_equal(peek(ICSR) >> 26 & 1, 1);
    assert_int_equal(peek(0xe000e010), 0x10007);
    assert_int_equal(peek(0xe000e010), 7);
    poke(ICSR, 1u << 25);
    assert_int_equal(peek(ICSR), 0);
    core->primask = false;
    pb_armv6m_run(core, start + 199, 0);
    assert_int_equal(core->ipsr, 0);
    pb_armv6m_run(core, start + 201, 0);
    at_handler(15);
    assert_int_equal(core->cycle, start + 215);
    core->primask = true;
    poke(0xe000e010, 2);
    const uint32_t stopped = peek(0xe000e018);
    pb_armv6m_run(core, start + 300, 0);
    assert_int_equal(peek(0xe000e018), stopped);
    poke(0xe000e018, 77); /* any write clears */
    assert_int_equal(peek(0xe000e018), 0);
    poke(0xe000e014, 0xff000000); /* 24 bits; 0 never counts */
    assert_int_equal(peek(0xe000e014), 0);
    poke(0xe000e010, 1);
    pb_armv6m_run(core, start + 400, 0);
    assert_int_equal(peek(0xe000e010), 5);
    assert_int_equal(peek(0xe000e018), 0);
    assert_int_equal(peek(0xe000e01c), 0x80000000);
}

TEST(systick_has_the_same_period_after_a_stop_at_zero)
{
    LOAD(true, NOP);
    core->primask = true;
    poke(0xe000e014, 99);
    poke(0xe000e010, 3);
    const uint64_t start = core->cycle - 2;
    pb_armv6m_run(core, start + 100, 0);
    assert_int_equal(core->system_pending, 1u << 15);
    core->system_pending = 0;
    pb_armv6m_run(core, start + 199, 0);
    assert_int_equal(core->cycle, start + 199);
    assert_int_equal(core->system_pending, 0);
    pb_armv6m_run(core, start + 200, 0);
    assert_int_equal(core->system_pending, 1u << 15);
}

TEST(systick_wakes_at_its_cycle)
{
    LOAD(true, WFI, NOP);
    poke(0xe000e014, 999);
    poke(0xe000e010, 3);
    const uint64_t start = core->cycle - 2;
    assert_int_equal(pb_armv6m_run(core, start + 500, start + 2000), PB_MCU_ASLEEP);
    assert_int_equal(core->cycle, start + 500);
    assert_int_equal(pb_armv6m_next(core), start + 1000);
    assert_int_equal(pb_armv6m_run(core, start + 1001, 0), PB_MCU_TIME);
    at_handler(15);
    assert_int_equal(core->cycle, start + 1015);
}

TEST(registers_of_the_system_control_block)
{
    LOAD(true, NOP);
    assert_int_equal(peek(0xe000ed00), 0x410cc601);
    assert_int_equal(peek(0xe000ed14), 0x208);
    assert_int_equal(peek(0xe000ed90), 0);
    poke(SHPR3, 0xffffffff);
    assert_int_equal(peek(SHPR3), 0xc0c00000);
    poke(0xe000ed08, 0x200001ff);
    assert_int_equal(peek(0xe000ed08), 0x20000100);
    fixture_put32(&fixture, FIXTURE_RAM + 0x100 + 4 * 14, 0x1500 | 1);
    poke(ICSR, 1u << 28);
    assert_int_equal(peek(ICSR), 1u << 28 | 14 << 12);
    fixture_step(&fixture);
    assert_int_equal(core->ipsr, 14);
    assert_int_equal(core->r[15], 0x1500);
    assert_int_equal(peek(ICSR), 14);
    poke(0xe000ed0c, 0x12340004); /* without the key */
    assert_false(core->reset_request);
    assert_int_equal(peek(0xe000ed0c), 0xfa050000);
    poke(0xe000ed0c, 0x05fa0004);
    assert_true(core->reset_request);
    const uint64_t cycle = core->cycle;
    assert_int_equal(pb_armv6m_run(core, cycle + 100, cycle + 200), PB_MCU_TIME);
    assert_int_equal(core->cycle, cycle);
    pb_armv6m_reset(core, 0);
    assert_false(core->reset_request);
    assert_int_equal(core->r[15], FIXTURE_CODE);
    assert_int_equal(core->r[13], STACK);
    assert_int_equal(core->r[14], 0xffffffff);
    assert_int_equal(core->ipsr, 0);
    assert_int_equal(core->enabled, 0);
    assert_int_equal(core->cycle, cycle);
}

TEST(a_line_that_an_access_raises_is_taken_before_the_next_instruction)
{
    LOAD(true, STR_R0_R1, NOP, NOP);
    poke(ISER, 8);
    core->r[1] = FIXTURE_DEVICE;
    fixture.lines_on[0] = 8;
    fixture.waits = 3;
    const uint64_t cycle = core->cycle, instructions = core->instructions;
    pb_armv6m_run(core, cycle + 6, 0); /* the store takes 5 */
    at_handler(19);
    assert_int_equal(core->instructions, instructions + 1);
    assert_int_equal(fixture_word(&fixture, core->r[13] + 24), FIXTURE_CODE + 2);
    assert_int_equal(core->cycle, cycle + 5 + 15);
    assert_int_equal(fixture.access[0].cycle, cycle);
}

TEST(an_access_may_end_the_run_or_stop_the_core)
{
    LOAD(true, STR_R0_R1, NOP, NOP);
    core->r[1] = FIXTURE_DEVICE;
    fixture.yields = true;
    assert_int_equal(pb_armv6m_run(core, 100, 200), PB_MCU_TIME);
    assert_int_equal(core->r[15], FIXTURE_CODE + 2);
    assert_int_equal(core->cycle, 2);
    assert_int_equal(pb_armv6m_run(core, 4, 0), PB_MCU_TIME);
    assert_int_equal(core->r[15], FIXTURE_CODE + 6);
    LOAD(true, NOP, STR_R0_R1);
    core->r[1] = FIXTURE_DEVICE;
    fixture.traps = true;
    assert_int_equal(pb_armv6m_run(core, 100, 200), PB_MCU_TRAPPED);
    assert_int_equal(core->trap.kind, PB_MCU_GAP);
    assert_int_equal(core->trap.pc, FIXTURE_CODE + 2);
    assert_int_equal(core->trap.address, FIXTURE_DEVICE);
    assert_int_equal(core->trap.cycle, 1);
}

/* Where a run to cycle 10 that may go on until 300 stops. The stores are to R1; R2 holds 2. */
TEST(ahead_ends_where_the_outside_could_matter)
{
    static const struct {
        uint16_t first[4]; /* from cycle 10 on */
        uint32_t r1;
        bool enabled, masked;
        uint32_t halfwords; /* executed of these */
        enum pb_mcu_stop stop;
    } rows[] = {{{NOP, NOP, NOP, NOP}, 0, false, false, 290, PB_MCU_TIME}, /* no interrupt is enabled */
                {{NOP, NOP, NOP, NOP}, 0, true, false, 0, PB_MCU_TIME},    /* one could come */
                {{NOP, NOP, NOP, NOP}, 0, true, true, 290, PB_MCU_TIME},   /* and is masked */
                {{NOP, CPSIE, NOP, NOP}, 0, true, true, 2, PB_MCU_TIME},   /* until here */
                {{NOP, CPSIE, NOP, NOP}, 0, false, true, 290, PB_MCU_TIME},
                {{NOP, WFI, NOP, NOP}, 0, true, true, 2, PB_MCU_ASLEEP},
                {{NOP, STR_R0_R1, NOP, NOP}, FIXTURE_DEVICE, false, false, 1, PB_MCU_TIME},
                {{NOP, LDR_R0_R1, NOP, NOP}, FIXTURE_IO, false, false, 1, PB_MCU_TIME},
                {{NOP, 0xc901, NOP, NOP}, FIXTURE_DEVICE, false, false, 1, PB_MCU_TIME}, /* LDM */
                {{NOP, LDR_R0_R1, NOP, NOP}, ISPR, false, false, 1, PB_MCU_TIME},
                {{NOP, LDR_R0_R1, NOP, NOP}, ICSR, true, true, 1, PB_MCU_TIME},
                {{NOP, STR_R0_R1, NOP, NOP}, ICPR, true, true, 1, PB_MCU_TIME},
                {{NOP, STR_R0_R1, NOP, NOP}, 0xe000ed0c, true, true, 1, PB_MCU_TIME},
                {{NOP, STR_R0_R1, NOP, NOP}, ISER, false, false, 2, PB_MCU_TIME}, /* R0 enables 0 */
                {{NOP, LDR_R0_R1, NOP, NOP}, 0xe000e018, true, true, 289, PB_MCU_TIME},
                {{NOP, STR_R0_R1, NOP, NOP}, FIXTURE_RAM, true, true, 289, PB_MCU_TIME}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        LOAD(true, NOP);
        for (unsigned k = 0; k < 4; k++)
            fixture_put16(&fixture, FIXTURE_CODE + 20 + 2 * k, rows[i].first[k]);
        core->r[0] = 1;
        core->r[1] = rows[i].r1;
        core->primask = rows[i].masked;
        core->enabled = rows[i].enabled ? 4 : 0;
        const enum pb_mcu_stop stop = pb_armv6m_run(core, 10, 300);
        if (stop != rows[i].stop || core->instructions != 10 + rows[i].halfwords || fixture.accesses)
            fail_msg("row %u: stop %d after %d", i, stop, (int)core->instructions - 10);
        assert_true(core->cycle >= 10);
    }
}

TEST(ahead_goes_on_in_the_handler_of_the_highest_priority)
{
    for (unsigned high = 0; high < 2; high++) {
        LOAD(true, NOP);
        poke(ISER, 3);
        poke(IPR, 0x4080); /* 0: 2, 1: 1 */
        for (unsigned i = 0; i < 20; i++)
            for (unsigned e = 16; e < 18; e++)
                fixture_put16(&fixture, fixture_handler(e) + 2 * i, NOP);
        fixture_put16(&fixture, fixture_handler(17) + 40, BX_LR);
        pb_armv6m_lines(core, 1u << high);
        fixture_step(&fixture);
        pb_armv6m_lines(core, 0);
        const uint64_t cycle = core->cycle;
        pb_armv6m_run(core, cycle + 5, cycle + 1000);
        /* The lower one could be preempted; the higher one runs up to its return and no further. */
        assert_int_equal(core->ipsr, high ? 0 : 16);
        assert_int_equal(core->cycle, high ? cycle + 20 + 14 : cycle + 5);
    }
}
