/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Running the Armv6-M core far, and ahead of the known part of its lines, against instruction by instruction:
 * random programs with interrupts, SysTick, sleep and devices.
 */
#include "bench/emulator/cpu/armv6m.h"
#include "tests/emulator/mcu/armv6m_program.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>

enum { PROGRAMS = 60, PIECES = 250, ACCESSES_MAX = 20000, CYCLES = 60000 };

struct seen {
    uint64_t cycle;
    uint32_t address, value;
    unsigned bytes;
};

struct machine {
    struct pb_armv6m core;
    struct program program;
    uint8_t flash[PROGRAM_FLASH_BYTES], ram[PROGRAM_RAM_BYTES];
    struct seen seen[ACCESSES_MAX];
    unsigned accesses;
    uint32_t outside, device; /* lines; high where they differ */
    uint64_t lines_state, change;
    uint64_t ahead_cycles; /* that ran before the lines were known */
};

static uint32_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) >> 16);
}

static int note(struct machine *on, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    assert_true(on->accesses < ACCESSES_MAX);
    on->seen[on->accesses++] = (struct seen){cycle, address, value, bytes};
    /* Some accesses change a line. */
    if (mix(cycle * 31 + address) % 4 == 0) {
        on->device ^= UINT32_C(1) << mix(cycle) % 32;
        pb_armv6m_lines(&on->core, on->outside ^ on->device);
    }
    return address >= PROGRAM_DEVICE ? (int)(mix(address) % 4) : -1;
}

static int device_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    *value = mix(cycle ^ (uint64_t)address << 32);
    return note(context, cycle, address, bytes, *value);
}

static int device_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    return note(context, cycle, address, bytes, value);
}

/* The lines change from outside at random cycles, alike for the same seed. */
static void next_change(struct machine *on)
{
    on->lines_state += UINT64_C(0x9e3779b97f4a7c15);
    on->change += 1 + mix(on->lines_state) % 300;
}

static void change_lines(struct machine *on)
{
    on->outside ^= UINT32_C(1) << mix(on->lines_state ^ 77) % 32;
    pb_armv6m_lines(&on->core, on->outside ^ on->device);
    next_change(on);
}

static struct machine *create(uint64_t seed)
{
    struct machine *const on = calloc(1, sizeof *on);
    assert_non_null(on);
    on->program.flash = on->flash;
    on->program.devices = true;
    program_make(&on->program, seed, PIECES);
    on->lines_state = seed;
    next_change(on);
    static const struct pb_armv6m_costs costs = {1, 2, 2, 1, 1, 1, 2, 3, 2, 3, 4, 3, 3, 15, 13};
    on->core.costs = &costs;
    on->core.io_base = PROGRAM_DEVICE;
    on->core.io_bytes = 16;
    on->core.bus = (struct pb_mcu_bus){
        .memory = {{.bytes = PROGRAM_FLASH_BYTES, .data = on->flash, .read_waits = 1},
                   {.base = PROGRAM_RAM, .bytes = PROGRAM_RAM_BYTES, .data = on->ram, .writable = true}},
        .memories = 2,
        .context = on,
        .read = device_read,
        .write = device_write};
    pb_armv6m_reset(&on->core, 0);
    return on;
}

static void step_to_end(struct machine *on)
{
    while (on->core.cycle < CYCLES && !on->core.trap.kind && !on->core.reset_request) {
        while (on->change <= on->core.cycle)
            change_lines(on);
        pb_armv6m_run(&on->core, on->core.cycle + 1, 0);
    }
}

static void run_to_end(struct machine *on)
{
    uint64_t random = on->lines_state;
    while (on->core.cycle < CYCLES && !on->core.trap.kind && !on->core.reset_request) {
        while (on->change <= on->core.cycle)
            change_lines(on);
        /* Sometimes no further than needed, sometimes in small parts. */
        random = mix(random + on->core.cycle);
        uint64_t until = on->change < CYCLES ? on->change : CYCLES;
        if (random % 4 == 0 && on->core.cycle + random % 40 + 1 < until)
            until = on->core.cycle + random % 40 + 1;
        uint64_t ahead = until + (random % 3) * (random % 400);
        ahead = ahead < CYCLES ? ahead : CYCLES;
        pb_armv6m_run(&on->core, until, ahead);
        on->ahead_cycles += on->core.cycle > until + 30 ? on->core.cycle - until : 0;
        if (!on->core.trap.kind && !on->core.reset_request)
            assert_true(on->core.cycle >= until);
    }
}

TEST(far_runs_equal_single_steps)
{
    uint64_t ahead_cycles = 0, accesses = 0, idle = 0, ticks = 0, ended = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct machine *const one = create(seed), *const far = create(seed);
        step_to_end(one);
        run_to_end(far);
        for (unsigned i = 0; i < one->accesses && i < far->accesses; i++)
            if (memcmp(&one->seen[i], &far->seen[i], sizeof one->seen[i]))
                fail_msg("seed %d, access %u: cycle %d and %d, address %08x and %08x", (int)seed, i,
                         (int)one->seen[i].cycle, (int)far->seen[i].cycle, one->seen[i].address,
                         far->seen[i].address);
        assert_int_equal(one->accesses, far->accesses);
        assert_memory_equal(one->core.r, far->core.r, sizeof one->core.r);
        assert_memory_equal(one->ram, far->ram, sizeof one->ram);
        assert_int_equal(one->core.cycle, far->core.cycle);
        assert_int_equal(one->core.instructions, far->core.instructions);
        assert_int_equal(one->core.idle, far->core.idle);
        assert_int_equal(one->core.apsr, far->core.apsr);
        assert_int_equal(one->core.ipsr, far->core.ipsr);
        assert_int_equal(one->core.pending, far->core.pending);
        assert_int_equal(one->core.trap.kind, far->core.trap.kind);
        assert_int_equal(one->core.interrupt_cycles, far->core.interrupt_cycles);
        assert_int_equal(one->core.lowest_sp, far->core.lowest_sp);
        ahead_cycles += far->ahead_cycles;
        accesses += one->accesses;
        idle += one->core.idle;
        ticks += one->core.systick_ctrl & 1;
        ended += one->core.trap.kind != PB_MCU_NONE;
        free(one);
        free(far);
    }
    print_message("%d accesses, %d cycles asleep, %d ahead, SysTick left on %d times, %d traps\n",
                  (int)accesses, (int)idle, (int)ahead_cycles, (int)ticks, (int)ended);
    assert_true(accesses > 1000 && idle > 10000 && ahead_cycles > 10000 && ticks > 0);
}
