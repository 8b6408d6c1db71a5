/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "phasebench/regress.h"

#include "bench/emulator/image/image.h"
#include "bench/registry/kinds.h"
#include "bench/nodes/node.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096 };

/* The sentence in full, as it may have two paths. */
static int fail(struct pb_target *target, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(struct pb_target *target, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(target->why, sizeof target->why, format, arguments);
    va_end(arguments);
    return code;
}

static unsigned little16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static uint32_t little32(const uint8_t *at)
{
    return little16(at) | (uint32_t)little16(at + 2) << 16;
}

/* ---- ELF */

static const struct {
    unsigned number;
    const char *name;
} machines[] = {{EM_386, "x86"},      {EM_X86_64, "x86-64"}, {EM_ARM, "Arm"},   {EM_AARCH64, "Arm 64-bit"},
                {EM_RISCV, "RISC-V"}, {EM_AVR, "AVR"},       {EM_MIPS, "MIPS"}, {EM_XTENSA, "Xtensa"}};

static const char *machine_name(unsigned number)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].number == number)
            return machines[i].name;
    return "another machine";
}

/* The machine of this program: bytes 18 and 19 of its own file. */
static unsigned own_machine(void)
{
    uint8_t head[20] = {0};
    FILE *file = fopen("/proc/self/exe", "rb");
    const bool good = file && fread(head, sizeof head, 1, file) == 1;
    if (file)
        fclose(file);
    return good ? little16(head + 18) : EM_NONE;
}

/* A program for this machine has an interpreter, or is no shared object. */
static bool has_interpreter(const uint8_t *head, size_t length)
{
    const bool wide = head[EI_CLASS] == ELFCLASS64;
    const size_t at = little32(head + (wide ? offsetof(Elf64_Ehdr, e_phoff) : offsetof(Elf32_Ehdr, e_phoff)));
    const unsigned size =
        little16(head + (wide ? offsetof(Elf64_Ehdr, e_phentsize) : offsetof(Elf32_Ehdr, e_phentsize)));
    const unsigned count =
        little16(head + (wide ? offsetof(Elf64_Ehdr, e_phnum) : offsetof(Elf32_Ehdr, e_phnum)));
    for (unsigned i = 0; i < count && at + (size_t)i * size + 4 <= length; i++)
        if (little32(head + at + (size_t)i * size) == PT_INTERP)
            return true;
    return little16(head + 16) == ET_EXEC;
}

static int read_elf(struct pb_target *target, const char *text, const uint8_t *head, size_t length,
                    const char **kind)
{
    const unsigned machine = length >= 20 ? little16(head + 18) : EM_NONE;
    if (length < sizeof(Elf32_Ehdr) || (head[EI_CLASS] == ELFCLASS64 && length < sizeof(Elf64_Ehdr)))
        return fail(target, PB_ERR_CONFIG, "'%s' is cut off: %zu bytes of an ELF file; build it again", text,
                    length);
    if (head[EI_CLASS] == ELFCLASS32 && head[EI_DATA] == ELFDATA2LSB && pb_node_image_part(machine)) {
        *kind = "elf";
        return PB_OK;
    }
    if (head[EI_CLASS] == ELFCLASS32 && head[EI_DATA] == ELFDATA2LSB && machine == EM_AVR)
        return fail(
            target, PB_ERR_CONFIG,
            "'%s' is a program for AVR, which runs in a process of its own (make build/simavr-node); "
            "give 'exec:build/simavr-node %s' --link 'baud: 40 kbaud, phase_rate: 400 Hz, guard: "
            "250 us, console_baud: 38400 baud' (docs/reference/avr.md)",
            text, text);
    if (head[EI_DATA] != ELFDATA2LSB || machine != own_machine())
        return fail(target, PB_ERR_CONFIG,
                    "'%s' is a program for %s, and the bench has no emulator of it; compile the firmware "
                    "for this computer, or wrap an emulator: exec:COMMAND (docs/start/your-firmware.md)",
                    text, machine_name(machine));
    *kind = has_interpreter(head, length) ? "exec" : "so"; /* its loader names the error of an object file */
    return PB_OK;
}

/* ---- files */

/* A command is read as words by bench/nodes/words.h, the path of a library as it is. */
static bool name_kind(char out[PB_TARGET_KIND_SIZE], const char *kind, const char *path)
{
    if (strcmp(kind, "exec"))
        return snprintf(out, PB_TARGET_KIND_SIZE, "%s:%s", kind, path) < PB_TARGET_KIND_SIZE;
    size_t length = (size_t)snprintf(out, PB_TARGET_KIND_SIZE, "%s:'", kind);
    for (; *path && length + 6 < PB_TARGET_KIND_SIZE; path++)
        length += (size_t)snprintf(out + length, PB_TARGET_KIND_SIZE - length,
                                   *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(out + length, PB_TARGET_KIND_SIZE - length, "'");
    return !*path;
}

static int read_file(struct pb_target *target, const char *text)
{
    uint8_t head[HEAD_BYTES];
    char path[PATH_MAX];
    struct stat status;
    const char *kind = "exec";
    FILE *file = stat(text, &status) || S_ISDIR(status.st_mode) ? NULL : fopen(text, "rb");
    if (!file || !realpath(text, path)) {
        const int error = errno;
        if (file)
            fclose(file);
        return fail(target, PB_ERR_CONFIG,
                    "'%.200s' is neither a kind of node nor a readable file: %s; give native, "
                    "exec:COMMAND, or the path of a program or shared library",
                    text, file || stat(text, &status) ? strerror(error) : "it is a folder");
    }
    const size_t length = fread(head, 1, sizeof head, file);
    fclose(file);
    int code = PB_OK;
    if (length >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
        code = read_elf(target, text, head, length, &kind);
    else if (pb_image_is_uf2((const char *)head, length))
        kind = "elf";
    else if (length < 2 || memcmp(head, "#!", 2))
        code = fail(
            target, PB_ERR_CONFIG,
            "'%s' is neither an ELF or UF2 file nor a script with #!: %s (%zu bytes); give a program, or "
            "exec:COMMAND as exec:python3 FILE",
            text, pb_image_other_format((const char *)head, length), (size_t)status.st_size);
    if (!code && !strcmp(kind, "exec") && access(path, X_OK))
        code =
            fail(target, PB_ERR_CONFIG, "'%s' must not be executed: %s; chmod +x it", text, strerror(errno));
    if (!code && !name_kind(target->kind, kind, path))
        code = fail(target, PB_ERR_CONFIG, "the path '%.60s...' is too long; move the file", path);
    return code;
}

static int read_target(struct pb_target *target, const char *text)
{
    const size_t length = strcspn(text, ":");
    unsigned count;
    const struct pb_node_kind *all = pb_node_kinds(&count);
    for (const struct pb_node_kind *kind = all; kind < all + count; kind++) {
        if (strlen(kind->name) != length || strncmp(kind->name, text, length) ||
            (text[length] == ':') != (kind->argument != NULL))
            continue;
        if (strlen(text) >= sizeof target->kind)
            return fail(target, PB_ERR_ARGUMENT,
                        "the target has %zu characters, at most %zu are possible; use a script",
                        strlen(text), sizeof target->kind - 1);
        snprintf(target->kind, sizeof target->kind, "%s", text);
        return PB_OK;
    }
    return read_file(target, text);
}

int pb_target_read(struct pb_target *target, const char *text, struct pb_diag *diag)
{
    const int code = read_target(target, text);
    return code ? pb_fail(diag, code, "%s", target->why) : PB_OK;
}
