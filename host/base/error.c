/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/error.h"
#include "host/base/utf8.h"

#include <stdarg.h>

int pb_fail(struct pb_diag *diag, int code, const char *format, ...)
{
    if (diag) {
        va_list arguments;
        va_start(arguments, format);
        pb_utf8_shorten_list(diag->text, sizeof diag->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

const char *pb_error_text(int code)
{
    switch (code) {
#define PB_ERROR_CASE(name, value, text, exit_code)                                                          \
    case value:                                                                                              \
        return text;
        PB_ERROR_LIST(PB_ERROR_CASE)
#undef PB_ERROR_CASE
    }
    return "unknown error";
}

int pb_error_exit_code(int code)
{
    switch (code) {
#define PB_ERROR_CASE(name, value, text, exit_code)                                                          \
    case value:                                                                                              \
        return exit_code;
        PB_ERROR_LIST(PB_ERROR_CASE)
#undef PB_ERROR_CASE
    }
    return 4;
}
