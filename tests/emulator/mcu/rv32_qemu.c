/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/emulator/mcu/rv32_qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG = 3, LOST_MS = 20000, BUFFER = 1 << 16 };

struct qemu {
    pid_t pid;
    int log;
    char image[32];
    char text[BUFFER];
    size_t begin, end;
};

/* Nothing but RV32IMAFC and machine mode. */
#define CPU "rv32,d=off,h=off,s=off,u=off,zba=off,zbb=off,zbc=off,zbs=off,pmp=off,mmu=off,sstc=off,pmu-num=0"

static void run(const char *image, int log)
{
    char loader[80];
    snprintf(loader, sizeof loader, "loader,file=%s,addr=0x%x,force-raw=on", image, PROGRAM_BASE);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(log, LOG) < 0)
        _exit(126);
    execlp("qemu-system-riscv32", "qemu-system-riscv32", "-M", "virt", "-m", "16M", "-bios", "none",
           "-display", "none", "-serial", "none", "-monitor", "none", "-cpu", CPU, "-singlestep", "-d",
           "cpu,fpu,nochain", "-D", "/dev/fd/3", "-device", loader, (char *)NULL);
    _exit(127);
}

static bool write_image(struct qemu *qemu, const struct program *program)
{
    strcpy(qemu->image, "/tmp/rv32-lockstep-XXXXXX");
    const int file = mkstemp(qemu->image);
    if (file < 0)
        return false;
    const bool written = write(file, program->image, sizeof program->image) == sizeof program->image;
    return !close(file) && written;
}

struct qemu *qemu_start(const struct program *program)
{
    struct qemu *qemu = calloc(1, sizeof *qemu);
    int ends[2];
    if (!qemu || !write_image(qemu, program) || pipe(ends))
        return NULL;
    qemu->pid = fork();
    if (qemu->pid < 0)
        return NULL;
    if (!qemu->pid) {
        close(ends[0]);
        run(qemu->image, ends[1]);
    }
    close(ends[1]);
    qemu->log = ends[0];
    return qemu;
}

void qemu_end(struct qemu *qemu)
{
    kill(qemu->pid, SIGKILL);
    waitpid(qemu->pid, NULL, 0);
    close(qemu->log);
    unlink(qemu->image);
    free(qemu);
}

static bool fill(struct qemu *qemu)
{
    struct pollfd log = {.fd = qemu->log, .events = POLLIN};
    memmove(qemu->text, qemu->text + qemu->begin, qemu->end - qemu->begin);
    qemu->end -= qemu->begin;
    qemu->begin = 0;
    if (poll(&log, 1, LOST_MS) <= 0)
        return false;
    const ssize_t got = read(qemu->log, qemu->text + qemu->end, BUFFER - qemu->end);
    if (got <= 0)
        return false;
    qemu->end += (size_t)got;
    return true;
}

/* The next line, without its end; valid until the next call. NULL: the log has ended. */
static char *next_line(struct qemu *qemu)
{
    for (;;) {
        char *const text = qemu->text + qemu->begin;
        char *const end = memchr(text, '\n', qemu->end - qemu->begin);
        if (end) {
            *end = 0;
            qemu->begin = (size_t)(end - qemu->text) + 1;
            return text;
        }
        if (!fill(qemu))
            return NULL;
    }
}

/* " x4/tp    00000000 x5/t0 ..."; of 64 bits the lower half counts. */
static void read_registers(const char *line, uint32_t *value)
{
    char *at = (char *)line;
    for (;;) {
        at += strspn(at, " ");
        if (!*at)
            return;
        const unsigned number = (unsigned)strtoul(at + 1, &at, 10) % 32;
        at = strchr(at, ' ');
        if (!at)
            return;
        value[number] = (uint32_t)strtoull(at, &at, 16);
    }
}

bool qemu_next(struct qemu *qemu, struct qemu_state *state)
{
    const struct {
        const char *name;
        uint32_t *value;
    } field[] = {{"pc", &state->pc},         {"mstatus", &state->mstatus}, {"mip", &state->mip},
                 {"mie", &state->mie},       {"mtvec", &state->mtvec},     {"mepc", &state->mepc},
                 {"mcause", &state->mcause}, {"mtval", &state->mtval},     {"mscratch", &state->mscratch}};
    for (;;) {
        const char *const line = next_line(qemu);
        if (!line)
            return false;
        if (line[0] == ' ' && line[1] == 'x') {
            read_registers(line, state->x);
        } else if (line[0] == ' ' && line[1] == 'f') {
            read_registers(line, state->f);
            if (!strncmp(line, " f28/", 5))
                return true;
        } else {
            for (unsigned i = 0; i < sizeof field / sizeof field[0]; i++) {
                const size_t length = strlen(field[i].name);
                if (line[0] == ' ' && !strncmp(line + 1, field[i].name, length) && line[1 + length] == ' ')
                    *field[i].value = (uint32_t)strtoul(line + 1 + length, NULL, 16);
            }
        }
    }
}
