/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How far a hart runs: cases by hand, and random programs in random portions against the same program one
 * instruction at a time. Registers, cycles, sleep and the cycle of each device access must be the same.
 */
#include "tests/emulator/unit/rv32_fixture.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIE = 1 << 3,
    MPIE = 1 << 7,
    NOP = 0x13,
    MSTATUS = 0x300,
    MIE_CSR = 0x304,
    MIP = 0x344,
    TIMER = 1 << 7
};
enum { UNTIL = 50, AHEAD = 500 };

static struct rv32_machine *make(void)
{
    struct rv32_machine *machine = hand_over(malloc(sizeof *machine), free);
    assert_non_null(machine);
    rv32_machine_init(machine);
    return machine;
}

/* Ten NOPs, the instruction, and NOPs for ever; x5 points to the device, x6 is TIMER. UNTIL is before the
 * instruction, which begins at cycle 70. */
static struct rv32_machine *after_nops(uint32_t instruction)
{
    struct rv32_machine *machine = make();
    for (uint32_t at = 0; at < RV32_BYTES; at += 4)
        rv32_write(machine, RV32_FLASH + at, NOP);
    memset(&machine->costs, 7, sizeof machine->costs);
    machine->costs.csr = 11;
    rv32_write(machine, RV32_FLASH + 40, instruction);
    machine->hart.x[5] = RV32_DEVICE;
    machine->hart.x[6] = TIMER;
    return machine;
}

static void stops_at(const char *name, struct rv32_machine *machine, enum pb_mcu_stop stop, uint64_t cycle)
{
    const enum pb_mcu_stop got = pb_rv32_run(&machine->hart, UNTIL, AHEAD);
    if (got != stop || machine->hart.cycle != cycle)
        fail_msg("%s: stops as %u at cycle %llu; expected %u at %llu", name, got,
                 (unsigned long long)machine->hart.cycle, stop, (unsigned long long)cycle);
    assert_int_equal(machine->accesses, 0);
}

TEST(nothing_can_happen_until_ahead)
{
    struct rv32_machine *machine = after_nops(NOP);
    stops_at("interrupts off", machine, PB_MCU_TIME, 504);
    machine = after_nops(NOP);
    machine->hart.mie = TIMER;
    stops_at("mstatus.MIE is 0", machine, PB_MCU_TIME, 504);
    machine = after_nops(NOP);
    machine->hart.mstatus |= MIE;
    stops_at("mie is 0", machine, PB_MCU_TIME, 504);
    machine = after_nops(rv32_s(0x23, 2, 7, 6, 0));
    machine->hart.x[7] = RV32_RAM;
    stops_at("store to memory", machine, PB_MCU_TIME, 500);
    machine = after_nops(rv32_csr(6, 0, MSTATUS, MIE));
    stops_at("MIE without mie", machine, PB_MCU_TIME, 501);
    machine = after_nops(RV32_I_ECALL);
    machine->hart.mtvec = RV32_FLASH + 0x100;
    stops_at("exception", machine, PB_MCU_TIME, 504);
    assert_int_equal(machine->hart.mcause, 11);
}

TEST(an_interrupt_could_come)
{
    struct rv32_machine *machine = after_nops(NOP);
    machine->hart.mstatus |= MIE;
    machine->hart.mie = TIMER;
    stops_at("interrupts on", machine, PB_MCU_TIME, 56);
    /* The instruction that lets it come is the last one. */
    machine = after_nops(rv32_csr(6, 0, MSTATUS, MIE));
    machine->hart.mie = TIMER;
    stops_at("write of mstatus", machine, PB_MCU_TIME, 81);
    machine = after_nops(rv32_csr(1, 0, MIE_CSR, 6));
    machine->hart.mstatus |= MIE;
    stops_at("write of mie", machine, PB_MCU_TIME, 81);
    machine = after_nops(RV32_I_MRET);
    machine->hart.mstatus |= MPIE;
    machine->hart.mepc = RV32_FLASH + 0x80;
    machine->hart.mie = TIMER;
    stops_at("mret", machine, PB_MCU_TIME, 77);
    /* The trap switches interrupts off. */
    machine = after_nops(NOP);
    rv32_write(machine, RV32_FLASH, RV32_I_ECALL);
    machine->hart.mstatus |= MIE;
    machine->hart.mie = TIMER;
    machine->hart.mtvec = RV32_FLASH + 0x100;
    stops_at("exception with interrupts on", machine, PB_MCU_TIME, 504);
}

TEST(the_outside_would_see_or_decide_it)
{
    stops_at("load of a device", after_nops(rv32_i(0x03, 2, 7, 5, 0)), PB_MCU_TIME, 70);
    stops_at("store to a device", after_nops(rv32_s(0x23, 2, 5, 6, 0)), PB_MCU_TIME, 70);
    stops_at("access to nothing", after_nops(rv32_s(0x23, 2, 0, 6, 0)), PB_MCU_TIME, 70);
    stops_at("read of mip", after_nops(rv32_csr(2, 7, MIP, 0)), PB_MCU_TIME, 70);
    stops_at("sleep", after_nops(RV32_I_WFI), PB_MCU_ASLEEP, 77);
    struct rv32_machine *machine = after_nops(0);
    machine->hart.strict = true;
    stops_at("strict and illegal", machine, PB_MCU_TIME, 70);
    assert_int_equal(machine->hart.trap.kind, PB_MCU_NONE);
    assert_int_equal(pb_rv32_run(&machine->hart, 71, 0), PB_MCU_TRAPPED);
    assert_int_equal(machine->hart.trap.cycle, 70);
}

/* A handler runs ahead of a line that is high, and returns: what the line is at the cycle of the return, and
 * not at UNTIL, decides whether it is entered again. Ten NOPs from the handler on; MRET is at cycle 70. */
TEST(a_return_ahead_meets_the_line_as_it_is_then)
{
    static const struct {
        uint64_t change; /* cycle from which the line has another level; 0: never */
        bool high;       /* at first */
        bool again;      /* the handler is entered once more, at cycle 77 */
    } row[] = {{0, true, true},   {60, true, false}, {70, true, false}, {76, true, false}, {78, true, true},
               {60, false, true}, {76, false, true}, {0, false, false}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct rv32_machine *machine = after_nops(RV32_I_MRET);
        struct pb_rv32 *hart = &machine->hart;
        hart->mstatus |= MPIE;
        hart->mie = TIMER;
        hart->mepc = RV32_FLASH + 0x80;
        hart->mtvec = RV32_FLASH + 0x100;
        pb_rv32_lines(hart, row[i].high ? TIMER : 0);
        pb_rv32_run(hart, UNTIL, AHEAD);
        assert_int_equal(hart->cycle, 77);
        assert_int_equal(hart->pc, RV32_FLASH + 0x80);
        if (row[i].change) {
            if (row[i].change > hart->cycle)
                pb_rv32_run(hart, row[i].change, row[i].change);
            pb_rv32_lines(hart, row[i].high ? 0 : TIMER);
        }
        pb_rv32_run(hart, 100, 100);
        if ((hart->mcause == (1u << 31 | 7)) != row[i].again)
            fail_msg("row %zu: mcause %08x, pc %08x", i, (unsigned)hart->mcause, (unsigned)hart->pc);
        assert_int_equal(hart->mepc, RV32_FLASH + 0x80);
    }
}

/* Later the device's cycle is known, so the access is made; a held one leaves no trace. */
TEST(a_held_access_is_made_at_its_own_cycle)
{
    struct rv32_machine *machine = after_nops(rv32_i(0x03, 2, 7, 5, 0));
    machine->value = 1234;
    stops_at("load of a device", machine, PB_MCU_TIME, 70);
    const struct pb_rv32 held = machine->hart;
    assert_int_equal(pb_rv32_run(&machine->hart, 60, 70), PB_MCU_TIME);
    assert_int_equal(pb_rv32_run(&machine->hart, 70, 100), PB_MCU_TIME);
    assert_memory_equal(machine->hart.x, held.x, sizeof held.x);
    assert_int_equal(machine->hart.cycle, 70);
    assert_int_equal(machine->accesses, 0);
    pb_rv32_run(&machine->hart, 71, 0);
    assert_int_equal(machine->accesses, 1);
    assert_int_equal(machine->log[0].cycle, 70);
    assert_int_equal(machine->hart.x[7], 1234);
}

/* A device that has become due earlier: what is private to the hart may still go ahead. */
TEST(an_access_lowers_until)
{
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        struct rv32_machine *machine = after_nops(rv32_i(0x03, 2, 7, 5, 0));
        rv32_write(machine, RV32_FLASH, rv32_s(0x23, 2, 5, 6, 0));
        machine->hart.mstatus |= enabled ? MIE : 0;
        machine->hart.mie = TIMER;
        machine->until = 30;
        assert_int_equal(pb_rv32_run(&machine->hart, 400, AHEAD), PB_MCU_TIME);
        assert_int_equal(machine->accesses, 1);
        assert_int_equal(machine->hart.cycle, enabled ? 35 : 70);
        machine->until = 5000; /* a later one has no effect */
        machine->hart.mstatus &= ~(uint32_t)MIE;
        assert_int_equal(pb_rv32_run(&machine->hart, 200, 0), PB_MCU_TIME);
        assert_int_equal(machine->accesses, 2);
        assert_int_equal(machine->hart.cycle, 203);
    }
}

/* ---- random programs in a world of lines that change at known times, and at accesses */
enum { CHANGES = 60, END_OF_WORLD = 20000, ROUNDS = 200 };

struct world {
    uint64_t at[CHANGES];
    uint32_t lines[CHANGES];
};

static uint32_t some_lines(void)
{
    static const uint32_t all[] = {1 << 3, 1 << 7, 1 << 11, 1 << 16, 1u << 31};
    return below(2) ? 0 : all[below(5)] | all[below(5)];
}

static void write_program(struct rv32_machine *machine)
{
    /* The handler sometimes lowers what the device raised, and returns past the instruction that trapped. */
    uint32_t at = rv32_write(machine, RV32_HANDLER, rv32_csr(1, 28, 0x340, 28));
    at = rv32_write(machine, at, rv32_csr(2, 28, 0x342, 0));
    at = rv32_write(machine, at, rv32_b(4, 28, 0, 20));
    at = rv32_write(machine, at, rv32_csr(2, 28, 0x341, 0));
    at = rv32_write(machine, at, rv32_addi(28, 28, 4));
    at = rv32_write(machine, at, rv32_csr(1, 0, 0x341, 28));
    at = rv32_write(machine, at, rv32_jal(0, 8));
    at = rv32_write(machine, at, rv32_s(0x23, 2, 5, 0, 16));
    at = rv32_write(machine, at, rv32_csr(1, 28, 0x340, 28));
    rv32_write(machine, at, RV32_I_MRET);

    at = RV32_FLASH;
    const uint32_t end = RV32_FLASH + 0x200;
    while (at < end) {
        const uint32_t rd = 8 + below(8), rs1 = 8 + below(8), rs2 = 8 + below(8);
        const uint32_t choice = below(40);
        if (choice < 12)
            at = rv32_write(machine, at, rv32_r(0x33, below(8), below(2), rd, rs1, rs2));
        else if (choice < 16)
            at = rv32_write(machine, at, rv32_addi(rd, rs1, (int32_t)below(4096) - 2048));
        else if (choice < 20)
            at = rv32_write(machine, at,
                            below(2) ? rv32_i(0x03, 2, rd, 6, (int32_t)below(64) * 4)
                                     : rv32_s(0x23, 2, 6, rs1, (int32_t)below(64) * 4));
        else if (choice < 22)
            at = rv32_write(machine, at, rv32_i(0x03, 2, rd, 7, (int32_t)below(64) * 4)); /* of flash */
        else if (choice < 25)
            at = rv32_write(machine, at,
                            below(2) ? rv32_i(0x03, 2, rd, 5, (int32_t)below(64) * 4)
                                     : rv32_s(0x23, 2, 5, rs1, (int32_t)below(64) * 4));
        else if (choice < 29) {
            at = rv32_write(machine, at, rv32_b(below(2) ? 1 : 4, rs1, rs2, 8));
            at = rv32_write(machine, at, rv32_addi(rd, rd, 1));
        } else if (choice < 32)
            at = rv32_write(machine, at, rv32_csr(6 + below(2), 0, MSTATUS, MIE));
        else if (choice < 34)
            at = rv32_write(machine, at, rv32_csr(1 + below(3), rd, MIE_CSR, rs1));
        else if (choice < 35)
            at = rv32_write(machine, at, rv32_csr(2, rd, MIP, 0));
        else if (choice < 36)
            at = rv32_write(machine, at, rv32_csr(2, rd, 0xB00 + 2 * below(2), 0));
        else if (choice < 37)
            at = rv32_write(machine, at, RV32_I_ECALL);
        else if (choice < 38) /* sleep only with an enabled line, so that it may end */
            at = rv32_write(machine, rv32_write(machine, at, rv32_csr(2, 0, MIE_CSR, 4)), RV32_I_WFI);
        else
            at = rv32_write(machine, at, rv32_csr(5, rd, 0x340, below(32)));
    }
    /* A subroutine in RAM, then from the start again. */
    at = rv32_write(machine, at, rv32_i(0x67, 0, 1, 29, 0));
    rv32_write(machine, at, rv32_jal(0, (int32_t)(RV32_FLASH - at)));
    at = RV32_RAM + 0x400;
    at = rv32_write(machine, at, 0x0505); /* c.addi a0, 1 */
    at = rv32_write(machine, at, rv32_r(0x33, 0, 0, 11, 11, 10));
    rv32_write(machine, at, 0x8082); /* ret */
}

static void prepare(struct rv32_machine *machine, bool fast, uint64_t seed)
{
    random_state = seed;
    rv32_machine_init(machine);
    struct pb_rv32 *const hart = &machine->hart;
    write_program(machine);
    for (unsigned i = 0; i < 256; i += 4)
        rv32_set_word(machine, RV32_RAM + i, below(1u << 31));
    for (unsigned i = 8; i < 16; i++)
        hart->x[i] = below(2) ? below(10) : below(1u << 31) * 2;
    hart->x[4] = 1 << 7;
    hart->x[5] = RV32_DEVICE;
    hart->x[6] = RV32_RAM;
    hart->x[7] = RV32_FLASH;
    hart->x[29] = RV32_RAM + 0x400;
    if (fast)
        hart->code = pb_rv32_code_create(RV32_FLASH, machine->flash, RV32_BYTES);
}

/* Lines: what the schedule says, and bits that the last store to the device has chosen. */
static uint32_t lines_at(const struct world *world, uint64_t cycle)
{
    uint32_t lines = 0;
    for (unsigned i = 0; i < CHANGES && world->at[i] <= cycle; i++)
        lines = world->lines[i];
    return lines;
}

struct player {
    struct rv32_machine machine;
    const struct world *world;
    uint32_t of_device;
};

static int play_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    struct player *player = context;
    struct rv32_machine *machine = &player->machine;
    *value = (uint32_t)cycle * 3 + address;
    machine->log[machine->accesses++ % RV32_LOG_MAX] =
        (struct rv32_access){cycle, address, *value, bytes, false};
    return (int)(address / 4 % 3);
}

static int play_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct player *player = context;
    struct rv32_machine *machine = &player->machine;
    machine->log[machine->accesses++ % RV32_LOG_MAX] =
        (struct rv32_access){cycle, address, value, bytes, true};
    player->of_device = value % 5 ? 0 : 1 << 18;
    pb_rv32_lines(&machine->hart, lines_at(player->world, cycle) | player->of_device);
    return (int)(address / 4 % 4);
}

static void set_lines(struct player *player, uint64_t cycle)
{
    pb_rv32_lines(&player->machine.hart, lines_at(player->world, cycle) | player->of_device);
}

static void start(struct player *player, const struct world *world, bool fast, uint64_t seed)
{
    prepare(&player->machine, fast, seed);
    player->world = world;
    player->of_device = 0;
    player->machine.hart.bus.context = player;
    player->machine.hart.bus.read = play_read;
    player->machine.hart.bus.write = play_write;
}

static void play_by_steps(struct player *player)
{
    struct pb_rv32 *const hart = &player->machine.hart;
    while (hart->cycle < END_OF_WORLD) {
        set_lines(player, hart->cycle);
        pb_rv32_run(hart, hart->cycle + 1, 0);
    }
}

/* Returns how many instructions were executed ahead. */
static unsigned play_in_portions(struct player *player, uint64_t seed)
{
    struct pb_rv32 *const hart = &player->machine.hart;
    uint64_t now = 0;
    unsigned ahead = 0;
    random_state = seed * 77 + 1;
    while (now < END_OF_WORLD) {
        uint64_t until = now + 1 + below(below(2) ? 8 : 400);
        for (unsigned i = 0; i < CHANGES; i++)
            if (player->world->at[i] > now && player->world->at[i] < until)
                until = player->world->at[i];
        if (until > END_OF_WORLD)
            until = END_OF_WORLD;
        uint64_t limit = until + below(600);
        if (limit > END_OF_WORLD)
            limit = END_OF_WORLD;
        set_lines(player, now);
        const uint64_t instructions = hart->instructions;
        pb_rv32_run(hart, until, limit);
        ahead += hart->cycle > until + 40 && hart->instructions > instructions;
        now = until;
    }
    return ahead;
}

TEST(random_programs_in_portions_are_the_same_as_step_by_step)
{
    struct player *stepped = hand_over(malloc(sizeof *stepped), free);
    struct player *played = hand_over(malloc(sizeof *played), free);
    unsigned ahead = 0, accesses = 0, interrupts = 0, sleeps = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct world world;
        random_state = seed * 1000003;
        uint64_t at = 0;
        for (unsigned i = 0; i < CHANGES; i++) {
            at += 1 + below(600);
            world.at[i] = at;
            world.lines[i] = some_lines();
        }
        start(stepped, &world, seed % 2, seed);
        start(played, &world, seed % 3, seed);
        play_by_steps(stepped);
        ahead += play_in_portions(played, seed);
        struct pb_rv32 *const a = &stepped->machine.hart, *const b = &played->machine.hart;
        const bool same = !memcmp(a->x, b->x, sizeof a->x) && a->pc == b->pc && a->cycle == b->cycle &&
                          a->instructions == b->instructions && a->idle == b->idle &&
                          a->asleep == b->asleep && a->mstatus == b->mstatus && a->mie == b->mie &&
                          a->mepc == b->mepc && a->mcause == b->mcause &&
                          a->interrupt_cycles == b->interrupt_cycles &&
                          stepped->machine.accesses == played->machine.accesses &&
                          !memcmp(stepped->machine.ram, played->machine.ram, RV32_BYTES);
        if (!same)
            fail_msg("seed %llu: pc %08x at %llu; expected %08x at %llu", (unsigned long long)seed, b->pc,
                     (unsigned long long)b->cycle, a->pc, (unsigned long long)a->cycle);
        assert_true(stepped->machine.accesses < RV32_LOG_MAX);
        for (unsigned i = 0; i < stepped->machine.accesses; i++) {
            const struct rv32_access *p = &stepped->machine.log[i], *q = &played->machine.log[i];
            assert_true(p->cycle == q->cycle && p->address == q->address && p->value == q->value &&
                        p->write == q->write);
        }
        accesses += a->instructions > 100 ? stepped->machine.accesses : 0;
        interrupts += a->longest_interrupt > 0;
        sleeps += a->idle > 0;
        pb_rv32_code_destroy((struct pb_rv32_code *)a->code);
        pb_rv32_code_destroy((struct pb_rv32_code *)b->code);
    }
    /* The programs do all this, often. */
    assert_true(ahead > ROUNDS && accesses > 10 * ROUNDS && interrupts > ROUNDS / 2 && sleeps > ROUNDS / 4);
}
