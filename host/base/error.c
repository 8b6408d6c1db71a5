/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/error.h"
#include "host/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

int pb_fail(struct pb_diag *diag, int code, const char *format, ...)
{
    if (diag) {
        char text[1024]; /* an argument may be diag->text */
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        pb_utf8_clean(diag->text, sizeof diag->text, text);
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
