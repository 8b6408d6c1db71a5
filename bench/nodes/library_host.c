/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process of a node of kind so:FILE: loads the library and serves the bench on its socket.
 */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "library_host.h"

#include "bench/nodes/callbacks.h"
#include "bench/nodes/process.h"
#include "phasebench/error.h"
#include "phasebench/node_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER "phasebench/node_library.h"

/* As one line, the last one, without the path: the bench adds it. */
static int refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int refuse(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputc('\n', stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return PB_NODE_HOST_REFUSED;
}

/* ---- the file, as dlopen explains neither a cut one nor one of another machine */

static bool read_at(int file, void *to, size_t size, uint64_t at)
{
    return pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static int check_segments(int file, const Elf64_Ehdr *header, uint64_t size)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!read_at(file, &segment, sizeof segment, header->e_phoff + i * sizeof segment) ||
            segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return refuse("it is cut off after %" PRIu64 " bytes; build it again", size);
    }
    return PB_OK;
}

static int check_elf(int file, uint64_t size)
{
    Elf64_Ehdr header, own;
    const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool known = self >= 0 && read_at(self, &own, sizeof own, 0);
    if (self >= 0)
        close(self);
    if (!known || own.e_ident[EI_CLASS] != ELFCLASS64)
        return PB_OK; /* left to dlopen */
    if (!read_at(file, &header, SELFMAG, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG))
        return refuse("it is no shared library; build it with cc -shared -fPIC");
    if (!read_at(file, &header, sizeof header, 0))
        return refuse("it is cut off after %" PRIu64 " bytes; build it again", size);
    if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine)
        return refuse("it is for another machine (ELF class %u, machine %u; this one has %u, %u); build it "
                      "with the compiler of this computer",
                      header.e_ident[EI_CLASS], header.e_machine, own.e_ident[EI_CLASS], own.e_machine);
    if (header.e_type != ET_DYN)
        return refuse("it is an ELF file of type %u, no shared library; build it with cc -shared -fPIC",
                      header.e_type);
    return check_segments(file, &header, size);
}

static int check_file(const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status))
        return refuse("%s; give the path of a shared library, from the scenario's folder", strerror(errno));
    const int code = S_ISREG(status.st_mode) ? check_elf(file, (uint64_t)status.st_size)
                                             : refuse("it is no file; give the path of a shared library");
    close(file);
    return code;
}

/* ---- the node */

static const struct pb_callbacks_node *callbacks; /* of this process */

static void *create(const struct pb_process_hello *config)
{
    return pb_callbacks_create(callbacks, config);
}

static int serve(const struct pb_pins_node *node, pb_pins_ahead *ahead)
{
    if (!node->name || strlen(node->name) > PB_PROCESS_NAME_MAX)
        return refuse("its name has %zu characters; give 0 to %d", node->name ? strlen(node->name) : 0,
                      PB_PROCESS_NAME_MAX);
    return pb_pins_serve_ahead(node, ahead);
}

static int serve_pins(const struct pb_pins_node *pins)
{
    if (pins->deferred & ~(uint32_t)PB_PROCESS_INPUTS)
        return refuse("its deferred is 0x%" PRIX32 "; only bits of 0x%X exist, see " HEADER, pins->deferred,
                      PB_PROCESS_INPUTS);
    return pins->create && pins->advance ? serve(pins, NULL)
                                         : refuse("its create or advance is NULL; define both, see " HEADER);
}

static int serve_callbacks(const struct pb_callbacks_node *node)
{
    const struct pb_pins_node pins = {node->name, create, pb_callbacks_advance, pb_callbacks_align,
                                       0};
    callbacks = node;
    return node->create && node->reset && node->edge
               ? serve(&pins, pb_callbacks_ahead)
               : refuse("its create, reset or edge is NULL; define the three, see " HEADER);
}

static int serve_library(const struct pb_node_library *library)
{
    if (library->version != PB_NODE_LIBRARY_VERSION)
        return refuse("it has version %" PRIu32 " of " HEADER ", this program has %d; build it with the "
                      "headers of this program",
                      library->version, PB_NODE_LIBRARY_VERSION);
    if (library->size != sizeof *library)
        return refuse("its " PB_NODE_LIBRARY_SYMBOL " has %" PRIu32 " bytes, %zu are due; write "
                      "PB_NODE_LIBRARY(...)",
                      library->size, sizeof *library);
    if (!library->pins == !library->callbacks)
        return refuse("it has %s; give one of them to PB_NODE_LIBRARY",
                      library->pins ? "both pins and callbacks" : "neither pins nor callbacks");
    return library->pins ? serve_pins(library->pins) : serve_callbacks(library->callbacks);
}

int pb_library_host_serve(const char *file)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file) >= (int)sizeof path)
        return refuse("its path is longer than %zu bytes; move it", sizeof path - 1);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what it prints is kept when it is killed */
    const int code = check_file(path);
    if (code)
        return code;
    int how = RTLD_NOW | RTLD_LOCAL;
#ifndef __SANITIZE_ADDRESS__
    how |= RTLD_DEEPBIND; /* its own crc32, not that of a library of this program */
#endif
    void *handle = dlopen(path, how);
    if (!handle) {
        const char *why = dlerror(), *colon = strstr(why, ": ");
        return refuse("%s; link it with all that it calls",
                      colon && !strncmp(why, path, strlen(path)) ? colon + 2 : why);
    }
    const struct pb_node_library *library = dlsym(handle, PB_NODE_LIBRARY_SYMBOL);
    return library ? serve_library(library)
                   : refuse("it has no symbol " PB_NODE_LIBRARY_SYMBOL
                            "; write PB_NODE_LIBRARY(...) of " HEADER);
}
