/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/error.h"
#include "host/base/exit_code.h"
#include "host/base/utf8.h"

#include <stdarg.h>
#include <stddef.h>

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

int pb_worse_exit_code(int left, int right)
{
    static const int order[] = {130, 124, 4, 3, 2, 1, 5};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (left == order[i] || right == order[i])
            return order[i];
    return 0;
}
