/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_JSON_TEXT_H
#define PB_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* New JSON string; a text that is not UTF-8, as a file name may be, has '?' for its bytes beyond ASCII. NULL:
 * out of memory. */
json_t *pb_json_text(const char *text);

/* Of a text that could not be read: memory ran out, which jansson tells in two ways. */
bool pb_json_out_of_memory(const json_error_t *error);

#endif
