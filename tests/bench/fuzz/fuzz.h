/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. A target is a program of libFuzzer: LLVMFuzzerTestOneInput gets bytes and must
 * not crash, leak, hang, or break a MUST.
 */
#ifndef FUZZ_H
#define FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* A property of the code under test. */
#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The input, taken from its front; zeros follow its end. */
struct input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t take(struct input *input)
{
    if (!input->left)
        return 0;
    input->left--;
    return *input->at++;
}

static inline uint32_t take32(struct input *input)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)take(input) << (8 * i);
    return value;
}

/* At most `most` bytes; *count is how many there are. */
static inline const uint8_t *take_bytes(struct input *input, size_t most, size_t *count)
{
    const uint8_t *bytes = input->at;
    *count = input->left < most ? input->left : most;
    input->at += *count;
    input->left -= *count;
    return bytes;
}

/* The path of a file in memory, for what wants one: a crash leaves nothing behind. */
static inline void memory_file(char *path, size_t size)
{
    const int file = memfd_create("fuzz", 0);
    MUST(file >= 0);
    snprintf(path, size, "/proc/self/fd/%d", file);
}

#endif
