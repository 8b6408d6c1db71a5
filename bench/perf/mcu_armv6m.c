/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How fast the emulated Armv6-M core executes a small C program, with the costs of each class and the waits
 * of its memory, and how fast QEMU does. Usage: mcu_armv6m JSON-FILE IMAGE QEMU
 *
 * Each sees the whole program once; the time is CPU time of one process, of QEMU with its start.
 */
#include "bench/emulator/cpu/armv6m.h"
#include "bench/perf/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLASH_BYTES = 64 * 1024, RAM_BYTES = 16 * 1024, PROGRAM_END = 0xbeab };

static int no_read(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t *value)
{
    (void)context, (void)cycle, (void)address, (void)bytes;
    *value = 0;
    return -1;
}

static int no_write(void *context, uint64_t cycle, uint32_t address, unsigned bytes, uint32_t value)
{
    (void)context, (void)cycle, (void)address, (void)bytes, (void)value;
    return -1;
}

static void run_qemu(const char *qemu, const char *image)
{
    const pid_t pid = fork();
    int status;
    if (pid == 0) {
        execlp(qemu, qemu, "-M", "microbit", "-nographic", "-monitor", "none", "-serial", "none",
               "-semihosting-config", "enable=on,target=native", "-kernel", image, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        perf_die("%s: does not run; install the packages of group mcu", qemu);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        perf_die("usage: mcu_armv6m JSON-FILE IMAGE QEMU");
    static uint8_t flash[FLASH_BYTES], ram[RAM_BYTES];
    FILE *file = fopen(argv[2], "rb");
    if (!file || fread(flash, 1, sizeof flash, file) == 0 || fclose(file))
        perf_die("%s: cannot be read", argv[2]);
    figures_open(argv[1], "a");
    static const struct pb_armv6m_costs costs = {.alu = 1,
                                                 .load = 2,
                                                 .store = 2,
                                                 .io = 1,
                                                 .multiple = 1,
                                                 .branch = 1,
                                                 .branch_taken = 2,
                                                 .bl = 3,
                                                 .bx = 2,
                                                 .pop_pc = 3,
                                                 .mul = 1,
                                                 .msr = 3,
                                                 .barrier = 3,
                                                 .entry = 15,
                                                 .exit = 13};
    struct pb_armv6m core = {
        .strict = true,
        .costs = &costs,
        .bus = {.memory = {{.bytes = FLASH_BYTES, .data = flash, .read_waits = 1},
                           {.base = 0x20000000, .bytes = RAM_BYTES, .data = ram, .writable = true}},
                .memories = 2,
                .read = no_read,
                .write = no_write}};
    pb_armv6m_reset(&core, 0);
    int64_t spent_ns = -perf_cpu_ns();
    pb_armv6m_run(&core, UINT64_MAX, 0);
    spent_ns += perf_cpu_ns();
    if (core.trap.kind != PB_MCU_BREAKPOINT || core.trap.address != PROGRAM_END)
        perf_die("%s: does not end as it should", argv[2]);
    const double millions = (double)core.instructions / 1e6;
    printf("\nArmv6-M core, %.0f million instructions in %.0f million cycles\n", millions,
           (double)core.cycle / 1e6);
    figure("mcu_armv6m.rate", "instructions a second, with timing", millions * 1e9 / (double)spent_ns, "M/s");
    int64_t qemu_ns = -perf_cpu_ns();
    run_qemu(argv[3], argv[2]);
    qemu_ns += perf_cpu_ns();
    figure("mcu_armv6m.qemu", "the same program in QEMU, without timing", millions * 1e9 / (double)qemu_ns,
           "M/s");
    return figures_close();
}
