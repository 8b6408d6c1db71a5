/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions a second of the emulated RISC-V hart, with its timing on, and of QEMU without any timing, for
 * the same program: a raw image of mcu_work.c for address 0x80000000. Usage: mcu_rv32 JSON-FILE IMAGE
 */
#include "bench/emulator/cpu/rv32.h"
#include "bench/perf/figures.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLASH_BYTES = 1 << 16, RAM_BYTES = 1 << 16, FINISH = 0x00100000, ROUNDS = 40000, REPEATS = 3 };
#define FLASH 0x80000000u
#define RAM 0x80100000u

/* Like those of a small core with waits at its memory. */
static const struct pb_rv32_costs costs = {.alu = 1,
                                           .load = 2,
                                           .store = 1,
                                           .branch = 1,
                                           .branch_taken = 3,
                                           .jump = 3,
                                           .mul = 1,
                                           .div = 17,
                                           .amo = 3,
                                           .csr = 1,
                                           .fence = 1,
                                           .f_add = 2,
                                           .f_mul = 2,
                                           .f_madd = 3,
                                           .f_div = 15,
                                           .f_sqrt = 15,
                                           .f_move = 1,
                                           .f_convert = 2,
                                           .mret = 4,
                                           .interrupt = 5};

struct world {
    struct pb_rv32 hart;
    bool finished;
    uint8_t flash[FLASH_BYTES], ram[RAM_BYTES];
};

struct rate {
    uint64_t instructions, cycles;
    uint32_t sum;
    int64_t cpu_ns;
};

static int read_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    (void)context, (void)cycle, (void)address, (void)bytes, (void)value;
    return -1;
}

static int write_device(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    struct world *world = context;
    (void)bytes, (void)value;
    if (address != FINISH)
        return -1;
    world->finished = true;
    pb_rv32_until(&world->hart, cycle);
    return 0;
}

static void put_word(uint8_t *data, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        data[i] = (uint8_t)(value >> 8 * i);
}

static size_t read_image(const char *file, uint8_t *image)
{
    FILE *stream = fopen(file, "rb");
    const size_t bytes = stream ? fread(image, 1, FLASH_BYTES, stream) : 0;
    if (!bytes)
        perf_die("%s: cannot be read", file);
    fclose(stream);
    return bytes;
}

/* portion: cycles of each call. */
static struct rate by_hart(const char *image, bool fast, uint64_t portion)
{
    static struct world world;
    memset(&world, 0, sizeof world);
    read_image(image, world.flash);
    put_word(world.ram, ROUNDS);
    struct pb_rv32 *const hart = &world.hart;
    struct pb_rv32_code *code = pb_rv32_code_create(FLASH, world.flash, FLASH_BYTES);
    if (!code)
        perf_die("no memory for the code");
    hart->costs = &costs;
    hart->strict = true;
    hart->code = fast ? code : NULL;
    hart->bus = (struct pb_mcu_bus){
        .memory = {{FLASH, FLASH_BYTES, world.flash, false, 1, 0}, {RAM, RAM_BYTES, world.ram, true, 1, 1}},
        .memories = 2,
        .context = &world,
        .read = read_device,
        .write = write_device};
    pb_rv32_reset(hart, FLASH);
    const int64_t begin = perf_cpu_ns();
    while (!world.finished)
        if (pb_rv32_run(hart, hart->cycle + portion, 0) != PB_MCU_TIME)
            perf_die("the hart stops at pc %x: trap %u", hart->pc, hart->trap.kind);
    const struct rate rate = {hart->instructions, hart->cycle,
                              (uint32_t)world.ram[4] | (uint32_t)world.ram[5] << 8 |
                                  (uint32_t)world.ram[6] << 16 | (uint32_t)world.ram[7] << 24,
                              perf_cpu_ns() - begin};
    pb_rv32_code_destroy(code);
    return rate;
}

/* CPU time of a QEMU that does `rounds` rounds. */
static int64_t by_qemu(const char *image, uint32_t rounds)
{
    const int64_t begin = perf_cpu_ns();
    char program[400], count[100];
    snprintf(program, sizeof program, "loader,file=%s,addr=0x%x,force-raw=on", image, FLASH);
    snprintf(count, sizeof count, "loader,addr=0x%x,data=%u,data-len=4", RAM, rounds);
    const pid_t pid = fork();
    if (!pid) {
        execlp("qemu-system-riscv32", "qemu-system-riscv32", "-M", "virt", "-m", "16M", "-bios", "none",
               "-display", "none", "-serial", "none", "-monitor", "none", "-device", program, "-device",
               count, (char *)NULL);
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        perf_die("qemu-system-riscv32 does not end the program");
    return perf_cpu_ns() - begin;
}

static struct rate best_of_hart(const char *image, bool fast, uint64_t portion)
{
    struct rate best = by_hart(image, fast, portion);
    for (unsigned i = 1; i < REPEATS; i++) {
        const struct rate rate = by_hart(image, fast, portion);
        if (rate.instructions != best.instructions || rate.cycles != best.cycles || rate.sum != best.sum)
            perf_die("two runs of the same program differ");
        if (rate.cpu_ns < best.cpu_ns)
            best = rate;
    }
    return best;
}

static int64_t best_of_qemu(const char *image, uint32_t rounds)
{
    int64_t best = by_qemu(image, rounds);
    for (unsigned i = 1; i < REPEATS; i++) {
        const int64_t time = by_qemu(image, rounds);
        best = time < best ? time : best;
    }
    return best;
}

static double millions(uint64_t instructions, int64_t cpu_ns)
{
    return (double)instructions * 1e3 / (double)cpu_ns;
}

int main(int argc, char **argv)
{
    enum { FACTOR = 20 }; /* QEMU does this many times the work: it translates once */
    if (argc != 3)
        perf_die("usage: mcu_rv32 JSON-FILE IMAGE");
    figures_open(argv[1], "a");
    const struct rate whole = best_of_hart(argv[2], true, UINT64_C(1) << 60);
    const struct rate portions = best_of_hart(argv[2], true, 100);
    const struct rate slow = best_of_hart(argv[2], false, UINT64_C(1) << 60);
    if (whole.sum != portions.sum || whole.sum != slow.sum || whole.cycles != slow.cycles)
        perf_die("the same program gives different results");
    printf("\nA RISC-V hart: %.1f million instructions of compiled firmware, %.2f cycles each, sum %08x\n",
           (double)whole.instructions / 1e6, (double)whole.cycles / (double)whole.instructions, whole.sum);
    figure("mcu.rv32", "emulated hart, with timing", millions(whole.instructions, whole.cpu_ns), "M instr/s");
    figure("mcu.rv32_portions", "the same, called for 100 cycles at a time",
           millions(portions.instructions, portions.cpu_ns), "M instr/s");
    figure("mcu.rv32_ram", "the same, each instruction decoded anew",
           millions(slow.instructions, slow.cpu_ns), "M instr/s");
    const int64_t time = best_of_qemu(argv[2], FACTOR * ROUNDS) - best_of_qemu(argv[2], 0);
    figure("mcu.rv32_qemu", "QEMU (translation, no timing)", millions(FACTOR * whole.instructions, time),
           "M instr/s");
    return figures_close();
}
