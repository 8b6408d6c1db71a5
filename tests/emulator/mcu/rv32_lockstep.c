/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hart in lock-step with QEMU's, over random programs: registers and CSRs before each instruction. What a
 * program wrote to memory it reads at its end; the flags of F it reads after most instructions of F. Then the
 * hart runs the same program at one go, and must come to the same end.
 * Usage: rv32_lockstep [PROGRAMS [SEED]]. Prints TAP: one test for each program, with its seed.
 * covers: bench/emulator/cpu tests/emulator/mcu/rv32_*
 */
#include "bench/emulator/cpu/rv32.h"
#include "tests/emulator/mcu/rv32_program.h"
#include "tests/emulator/mcu/rv32_qemu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTIONS = 6000,
    RUN_MAX = 10000000, /* cycles */
    PORTIONS = 16,      /* programs that have all compressed encodings together */
    MSTATUS_MIE = 1 << 3,
    MSTATUS_MPP = 3 << 11,
    MSTATUS_FS = 3 << 13,
    SOFTWARE = 1 << 3,
    TIMER = 1 << 7
};

#define MSTATUS_SD 0x80000000u

struct machine {
    struct pb_rv32 hart;
    uint32_t msip, mtimecmp[2];
    bool finished;
    uint32_t start[32]; /* registers at the begin of the program */
    uint8_t memory[PROGRAM_BYTES];
};

static int read_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    (void)context, (void)cycle, (void)address, (void)bytes, (void)value;
    return -1;
}

static void end(struct machine *machine, uint32_t value)
{
    machine->finished = value == PROGRAM_FINISHED;
    pb_rv32_until(&machine->hart, machine->hart.cycle);
}

static int write_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct machine *machine = context;
    (void)cycle, (void)bytes;
    if (address == PROGRAM_FINISH)
        end(machine, value);
    else if (address == PROGRAM_MSIP)
        machine->msip = value & 1;
    else if (address == PROGRAM_MTIMECMP || address == PROGRAM_MTIMECMP + 4)
        machine->mtimecmp[address / 4 % 2] = value;
    else
        return -1;
    pb_rv32_lines(&machine->hart, (machine->msip ? SOFTWARE : 0) |
                                      (machine->mtimecmp[0] || machine->mtimecmp[1] ? 0 : TIMER));
    return 0;
}

static bool differs(const char *name, uint32_t number, uint32_t ours, uint32_t theirs)
{
    if (ours == theirs)
        return false;
    printf("# %s%.0u is %08x, QEMU has %08x\n", name, number, ours, theirs);
    return true;
}

/* QEMU lets MPP be a mode that the hart does not have. It does not call F dirty where only flags change. */
static bool mstatus_differs(uint32_t ours, uint32_t theirs)
{
    const uint32_t uncertain = MSTATUS_MPP | MSTATUS_FS | MSTATUS_SD;
    if (!(ours & MSTATUS_FS) != !(theirs & MSTATUS_FS) || (~ours & theirs & MSTATUS_SD))
        return differs("mstatus", 0, ours, theirs);
    return differs("mstatus", 0, ours & ~uncertain, theirs & ~uncertain);
}

static bool compare(const struct pb_rv32 *hart, const struct qemu_state *qemu)
{
    bool different = differs("pc", 0, hart->pc, qemu->pc);
    for (uint32_t i = 0; i < 32; i++) {
        different |= differs("x", i, hart->x[i], qemu->x[i]);
        different |= differs("f", i, hart->f[i], qemu->f[i]);
    }
    different |= mstatus_differs(hart->mstatus, qemu->mstatus);
    different |= differs("mip", 0, hart->mip, qemu->mip);
    different |= differs("mie", 0, hart->mie, qemu->mie);
    different |= differs("mtvec", 0, hart->mtvec, qemu->mtvec);
    different |= differs("mepc", 0, hart->mepc, qemu->mepc);
    different |= differs("mcause", 0, hart->mcause, qemu->mcause);
    different |= differs("mtval", 0, hart->mtval, qemu->mtval);
    different |= differs("mscratch", 0, hart->mscratch, qemu->mscratch);
    return !different;
}

/* One instruction, and what enters a trap before the next one. Each costs one cycle. */
static void step(struct pb_rv32 *hart)
{
    pb_rv32_run(hart, hart->cycle + 1, 0);
    if (hart->pc - PROGRAM_BASE >= PROGRAM_BYTES)
        pb_rv32_run(hart, hart->cycle + 1, 0);
    if ((hart->mstatus & MSTATUS_MIE) && (hart->mip & hart->mie))
        pb_rv32_run(hart, hart->cycle + 1, 0);
}

static bool lockstep(const struct program *program, struct machine *machine, struct qemu *qemu)
{
    struct pb_rv32 *const hart = &machine->hart;
    struct qemu_state state = {0};
    uint32_t before = PROGRAM_BASE;
    do { /* what QEMU does before it comes to the program */
        if (!qemu_next(qemu, &state)) {
            printf("# QEMU does not begin the program\n");
            return false;
        }
    } while (state.pc != PROGRAM_BASE);
    memcpy(hart->x, state.x, sizeof hart->x);
    memcpy(machine->start, state.x, sizeof hart->x);
    for (;;) {
        if (!compare(hart, &state)) {
            uint32_t word = 0;
            memcpy(&word, program->image + (before - PROGRAM_BASE) % PROGRAM_BYTES, 4);
            printf("# after %08x at %08x\n", word, before);
            return false;
        }
        const struct qemu_state last = state;
        before = hart->pc;
        step(hart);
        if (machine->finished)
            return true;
        /* It logs an instruction twice if a change of the interrupt lines keeps it from its first attempt. */
        do {
            if (!qemu_next(qemu, &state)) {
                printf("# QEMU ends after pc %08x\n", before);
                return false;
            }
        } while (!memcmp(&state, &last, sizeof state));
    }
}

/* Every instruction, and every entry into a trap, takes one cycle. */
static void init(struct machine *machine, const struct program *program, const struct pb_rv32_code *code)
{
    static struct pb_rv32_costs costs;
    memset(&costs, 1, sizeof costs);
    memset(machine, 0, sizeof *machine);
    memcpy(machine->memory, program->image, PROGRAM_BYTES);
    machine->hart.costs = &costs;
    machine->hart.code = code;
    uint8_t *const memory = machine->memory;
    /* Of several memories, as a hart reaches them in different ways. */
    const struct pb_mcu_memory flash = {
        .base = PROGRAM_BASE, .bytes = PROGRAM_CHANGED, .data = memory};
    const struct pb_mcu_memory near = {.base = PROGRAM_BASE + PROGRAM_CHANGED,
                                       .bytes = PROGRAM_STACK - PROGRAM_CHANGED,
                                       .data = memory + PROGRAM_CHANGED,
                                       .writable = true};
    const struct pb_mcu_memory far = {
        .base = PROGRAM_BASE + PROGRAM_STACK,
        .bytes = PROGRAM_BYTES - PROGRAM_STACK,
        .data = memory + PROGRAM_STACK,
        .writable = true};
    machine->hart.bus = (struct pb_mcu_bus){.memory = {flash, near, far},
                                            .memories = 3,
                                            .context = machine,
                                            .read = read_device,
                                            .write = write_device};
    pb_rv32_reset(&machine->hart, PROGRAM_BASE);
    pb_rv32_lines(&machine->hart, TIMER);
}

/* Both ended the same program. */
static bool same_end(const struct machine *stepped, const struct machine *run)
{
    const struct pb_rv32 *const a = &stepped->hart, *const b = &run->hart;
    const bool same = run->finished && !memcmp(a->x, b->x, sizeof a->x) && !memcmp(a->f, b->f, sizeof a->f) &&
                      !memcmp(stepped->memory, run->memory, PROGRAM_BYTES) && a->pc == b->pc &&
                      a->cycle == b->cycle && a->instructions == b->instructions &&
                      a->mstatus == b->mstatus && a->mepc == b->mepc && a->mcause == b->mcause &&
                      a->mtval == b->mtval && a->fcsr == b->fcsr;
    if (!same)
        printf("# at one go the hart ends with pc %08x at cycle %llu; expected %08x, %llu\n", b->pc,
               (unsigned long long)b->cycle, a->pc, (unsigned long long)a->cycle);
    return same;
}

int main(int count, char **argument)
{
    const unsigned programs = count > 1 ? (unsigned)strtoul(argument[1], NULL, 0) : 40;
    const uint64_t seed = count > 2 ? strtoull(argument[2], NULL, 0) : 1;
    static struct program program;
    static struct machine stepped, run;
    uint64_t executed = 0;
    unsigned failed = 0;
    for (unsigned i = 0; i < programs; i++) {
        program_random(&program, seed + i, INSTRUCTIONS, i < PORTIONS, (uint16_t)(i * (65536 / PORTIONS)));
        struct pb_rv32_code *code = pb_rv32_code_create(PROGRAM_BASE, program.image, PROGRAM_BYTES);
        struct qemu *qemu = qemu_start(&program);
        if (!code || !qemu) {
            perror("rv32_lockstep");
            return 4;
        }
        const bool once = i % 2 == 0;
        init(&stepped, &program, once ? code : NULL);
        bool same = lockstep(&program, &stepped, qemu);
        qemu_end(qemu);
        if (same) {
            init(&run, &program, once ? NULL : code);
            memcpy(run.hart.x, stepped.start, sizeof run.hart.x);
            pb_rv32_run(&run.hart, RUN_MAX, 0);
            same = same_end(&stepped, &run);
        }
        pb_rv32_code_destroy(code);
        executed += stepped.hart.instructions;
        failed += !same;
        printf("%s %u - seed %llu, %s, %llu instructions\n", same ? "ok" : "not ok", i + 1,
               (unsigned long long)(seed + i), once ? "decoded once" : "decoded on the fly",
               (unsigned long long)stepped.hart.instructions);
        fflush(stdout);
    }
    printf("1..%u\n# %llu instructions compared\n", programs, (unsigned long long)executed);
    return failed != 0;
}
