/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/base/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *pb_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;

    char *ascii = strdup(text);
    for (char *c = ascii; c && *c; c++)
        if ((unsigned char)*c > 0x7f)
            *c = '?';
    string = json_string(ascii);
    free(ascii);
    return string;
}

bool pb_json_out_of_memory(const json_error_t *error)
{
    return !*error->text || json_error_code(error) == json_error_out_of_memory;
}
