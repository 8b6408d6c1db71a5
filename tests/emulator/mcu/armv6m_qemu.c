/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lock-step of the Armv6-M core with QEMU (-M microbit): random programs, registers, flags and exception
 * number before every instruction. TAP. Usage: armv6m_qemu QEMU FOLDER [PROGRAMS [FIRST-SEED]]
 *
 * QEMU logs its registers before each instruction (-singlestep -d cpu,nochain) into a pipe. FOLDER gets the
 * image of the program that runs.
 * covers: bench/emulator/cpu tests/emulator/mcu/armv6m_*
 */
#include "bench/emulator/cpu/armv6m.h"
#include "tests/emulator/mcu/armv6m_program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 300, INSTRUCTIONS_MAX = 200000, LIMIT_S = 10 };

struct state {
    uint32_t r[16], xpsr;
};

struct lockstep {
    struct pb_armv6m core;
    struct program program;
    uint8_t flash[PROGRAM_FLASH_BYTES], ram[PROGRAM_RAM_BYTES];
    uint64_t compared, exceptions;
    uint32_t classes; /* exceptions 2..15 that were seen */
};

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

/* Ends a read from a QEMU that sleeps for ever. */
static void too_long(int number)
{
    (void)number;
}

static pid_t start_qemu(const char *qemu, const char *image, FILE **log)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp(qemu, qemu, "-M", "microbit", "-cpu", "cortex-m0", "-nographic", "-monitor", "none", "-serial",
               "none", "-semihosting-config", "enable=on,target=native", "-singlestep", "-d", "cpu,nochain",
               "-kernel", image, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *log = pid < 0 ? NULL : fdopen(ends[0], "r");
    if (!*log)
        close(ends[0]);
    return pid;
}

/* The next record of QEMU's log: 16 registers as Rnn=xxxxxxxx, then XPSR=. False: the log has ended; `line`
 * then has its last line. */
static bool next_record(FILE *log, struct state *state, char line[256])
{
    unsigned seen = 0;
    while (fgets(line, 256, log)) {
        for (const char *at = line; (at = strstr(at, "R")) != NULL; at++) {
            unsigned number;
            uint32_t value;
            if (sscanf(at, "R%2u=%8" SCNx32, &number, &value) == 2 && number < 16) {
                state->r[number] = value;
                seen |= 1u << number;
            }
        }
        if (sscanf(line, "XPSR=%8" SCNx32, &state->xpsr) == 1 && seen == 0xffff)
            return true;
    }
    return false;
}

static struct state state_of(const struct pb_armv6m *core)
{
    struct state state;
    memcpy(state.r, core->r, sizeof state.r);
    state.xpsr = core->apsr | (core->arm_state ? 0 : UINT32_C(1) << 24) | core->ipsr;
    return state;
}

static void show(const char *who, const struct state *state)
{
    printf("# %-6s", who);
    for (unsigned i = 0; i < 16; i++)
        printf(" %s%08" PRIx32, i == 13 ? "sp=" : i == 14 ? "lr=" : i == 15 ? "pc=" : "", state->r[i]);
    printf(" xpsr=%08" PRIx32 "\n", state->xpsr);
}

/* What the manual calls UNKNOWN, and RETTOBASE of ICSR, which Armv6-M does not have and QEMU shows. */
static void ignore(struct state *state, const uint8_t *flash, int icsr)
{
    for (unsigned i = 2; i < PROGRAM_EXCEPTIONS; i++) {
        const uint32_t handler = flash[4 * i] | (uint32_t)flash[4 * i + 1] << 8;
        if (state->r[15] - (handler & ~1u) < PROGRAM_PREAMBLE_BYTES) {
            state->r[0] = state->r[1] = state->r[2] = state->r[3] = state->r[12] = 0;
            state->xpsr &= 0x0fffffff;
        }
    }
    if (icsr >= 0)
        state->r[icsr] &= ~UINT32_C(0x800);
}

/* The register that LDR from ICSR loads at `state`; else, while the program clears its bit 11, `last`. */
static int icsr_register(const uint8_t *flash, const struct state *state, int last)
{
    const uint32_t pc = state->r[15];
    const unsigned op = pc < PROGRAM_FLASH_BYTES ? flash[pc] | (unsigned)flash[pc + 1] << 8 : 0;
    if ((op & 0xfff8) == 0x6800 && state->r[0] == 0xe000ed04)
        return op & 7;
    return (op & 0xffc7) == 0x4380 ? -1 : last;
}

/* True: both ran to the end alike. */
static bool compare(struct lockstep *test, FILE *log, uint64_t seed)
{
    struct pb_armv6m *const core = &test->core;
    struct state theirs, before = {.xpsr = 0};
    char line[256] = "";
    int icsr = -1;
    if (!next_record(log, &theirs, line)) {
        printf("# seed %" PRIu64 ": QEMU wrote no registers: %s\n", seed, line);
        return false;
    }
    core->apsr = theirs.xpsr & 0xf0000000; /* unknown after reset */
    for (uint64_t count = 0; count < INSTRUCTIONS_MAX; count++) {
        struct state ours = state_of(core);
        ignore(&ours, test->flash, icsr);
        ignore(&theirs, test->flash, icsr);
        const uint64_t executed = core->instructions;
        const uint32_t pc = core->r[15];
        const bool done = pc < PROGRAM_FLASH_BYTES && test->flash[pc] == (PROGRAM_END & 0xff) &&
                          test->flash[pc + 1] == PROGRAM_END >> 8 && !core->arm_state;
        if (!done && pb_armv6m_run(core, core->cycle + 1, 0) == PB_MCU_TRAPPED) {
            printf("# seed %" PRIu64 ": trap %d at %08" PRIx32 "\n", seed, (int)core->trap.kind,
                   core->trap.pc);
            return false;
        }
        test->exceptions += core->ipsr && core->ipsr != (ours.xpsr & 63);
        test->classes |= core->ipsr < 16 ? 1u << core->ipsr : 0;
        /* QEMU sometimes begins an instruction twice, after it lost its translation. */
        if (memcmp(&ours, &theirs, sizeof ours) && !memcmp(&before, &theirs, sizeof before) &&
            next_record(log, &theirs, line))
            ignore(&theirs, test->flash, icsr);
        if (memcmp(&ours, &theirs, sizeof ours)) {
            /* An exception is taken before the instruction: QEMU logs its handler only. */
            if (core->instructions == executed && !done)
                continue;
            printf("# seed %" PRIu64 ": they differ after %" PRIu64 " steps; before:\n", seed, count);
            show("", &before);
            show("core", &ours);
            show("QEMU", &theirs);
            return false;
        }
        test->compared++;
        if (done)
            return true;
        before = ours;
        icsr = icsr_register(test->flash, &ours, icsr);
        if (!next_record(log, &theirs, line)) {
            printf("# seed %" PRIu64 ": QEMU ended first: %s\n", seed, line);
            show("core", &ours);
            return false;
        }
    }
    printf("# seed %" PRIu64 ": no end\n", seed);
    return false;
}

static bool run(struct lockstep *test, const char *qemu, const char *image, uint64_t seed)
{
    static const struct pb_armv6m_costs costs = {1, 2, 2, 1, 1, 1, 2, 3, 2, 3, 1, 3, 3, 15, 13};
    program_make(&test->program, seed, PIECES);
    FILE *file = fopen(image, "wb");
    if (!file || fwrite(test->flash, test->program.at, 1, file) != 1 || fclose(file)) {
        printf("# %s cannot be written\n", image);
        return false;
    }
    memset(test->ram, 0, sizeof test->ram);
    test->core = (struct pb_armv6m){.costs = &costs};
    test->core.bus = (struct pb_mcu_bus){
        .memory = {{.bytes = PROGRAM_FLASH_BYTES, .data = test->flash},
                   {.base = PROGRAM_RAM, .bytes = PROGRAM_RAM_BYTES, .data = test->ram, .writable = true}},
        .memories = 2,
        .read = no_read,
        .write = no_write};
    pb_armv6m_reset(&test->core, 0);
    FILE *log = NULL;
    const pid_t pid = start_qemu(qemu, image, &log);
    if (pid < 0 || !log) {
        printf("# QEMU does not start\n");
        return false;
    }
    alarm(LIMIT_S);
    const bool same = compare(test, log, seed);
    alarm(0);
    kill(pid, SIGKILL);
    fclose(log);
    int status;
    waitpid(pid, &status, 0);
    return same;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: armv6m_qemu QEMU FOLDER [PROGRAMS [FIRST-SEED]]\n");
        return 2;
    }
    const uint64_t programs = argc > 3 ? strtoull(argv[3], NULL, 10) : 100;
    const uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const struct sigaction interrupt = {.sa_handler = too_long};
    sigaction(SIGALRM, &interrupt, NULL);
    char image[4096];
    snprintf(image, sizeof image, "%s/armv6m_program.bin", argv[2]);
    struct lockstep *const test = calloc(1, sizeof *test);
    if (!test)
        return 4;
    test->program.flash = test->flash;
    unsigned failed = 0;
    for (uint64_t i = 0; i < programs; i++) {
        const bool same = run(test, argv[1], image, first + i);
        failed += !same;
        printf("%sok %" PRIu64 " - seed %" PRIu64 "\n", same ? "" : "not ", i + 1, first + i);
    }
    /* SVCall, PendSV, SysTick, HardFault, NMI, and thread mode */
    const bool whole = (test->classes & 0xc80d) == 0xc80d;
    printf("%sok %" PRIu64 " - all exceptions occurred; %" PRIu64 " instructions, %" PRIu64 " exceptions\n",
           whole ? "" : "not ", programs + 1, test->compared, test->exceptions);
    printf("1..%" PRIu64 "\n", programs + 1);
    free(test);
    return failed || !whole;
}
