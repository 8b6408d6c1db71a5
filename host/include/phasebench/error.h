/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Error codes and the diagnostic that explains one.
 *
 * Every function of libphasebench that can fail returns 0 or one of these negative codes. It writes one
 * diagnostic (cause, value, limit, remedy; no newline) into its struct pb_diag argument. The library
 * neither prints nor exits. Codes are never reused.
 */
#ifndef PHASEBENCH_ERROR_H
#define PHASEBENCH_ERROR_H

#include "phasebench/api.h"

PB_API_BEGIN

/* X(name, value, text, exit code of the command) : the only list of error codes. */
#define PB_ERROR_LIST(X)                                                                                     \
    X(PB_OK, 0, "success", 0)                                                                                \
    X(PB_ERR_ARGUMENT, -1, "invalid argument", 2)                                                            \
    X(PB_ERR_MEMORY, -2, "out of memory", 4)                                                                 \
    X(PB_ERR_IO, -3, "input/output error", 4)                                                                \
    X(PB_ERR_CONFIG, -4, "bad scenario or configuration", 3)                                                 \
    X(PB_ERR_LINK, -5, "host link broken", 4)                                                                \
    X(PB_ERR_MAP, -6, "core speaks another register map", 4)                                                 \
    X(PB_ERR_TIMEOUT, -7, "timed out", 124)                                                                  \
    X(PB_ERR_INTERRUPTED, -8, "interrupted", 130)                                                            \
    X(PB_ERR_NODE, -9, "the node did not answer", 1)                                                         \
    X(PB_ERR_UNSUPPORTED, -10, "not supported by this rig", 4)                                               \
    X(PB_ERR_ENDED, -11, "the recording ends too early", 5)

enum pb_error {
#define PB_ERROR_ENUM(name, value, text, exit_code) name = value,
    PB_ERROR_LIST(PB_ERROR_ENUM)
#undef PB_ERROR_ENUM
};

struct pb_diag {
    char text[320];
};

/* Writes the formatted diagnostic into *diag (NULL: none), truncated to its size, and returns code. A failing
 * function ends with `return pb_fail(diag, PB_ERR_CONFIG, "...", ...)`. */
int pb_fail(struct pb_diag *diag, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Static text of a code; "unknown error" for any other number. */
const char *pb_error_text(int code);

/* Exit code of the phasebench command for a code; 4 for any other number. */
int pb_error_exit_code(int code);

PB_API_END

#endif
